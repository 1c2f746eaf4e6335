"""The paper's counter-examples, and rates of related solvers, as experiments."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

import greedyhull as gh
from greedyhull.driver.stop import Stop
from greedyhull.errors import check
from greedyhull.objectives.composite import Composite
from greedyhull.solvers.gradients.momentum import Minibatch
from greedyhull.solvers.gradients.variance_reduced import Svrg
from greedyhull.solvers.parts.progress import Event
from greedyhull.types import Array, AtomSet, Objective, Solver, Summed

ALARM = 1e-6  # largest probability that chance alone makes a comparison of runs with their expectation fail


@dataclass(frozen=True)
class Measured:
    """A mean with its standard error ``error``, and ``exact``, its expectation.

    The mean is off by more than ``room`` with a probability of at most `ALARM`, from the exact variance.
    """

    measured: float
    error: float
    exact: float
    room: float

    @property
    def agrees(self) -> bool:
        """Whether chance explains the distance of the mean from its expectation."""
        return abs(self.measured - self.exact) <= self.room + 1e-9


def bernstein(variance: float, jump: float, runs: int, alarm: float = ALARM) -> float:
    """Return what the mean of ``runs`` numbers is off by with at most the probability ``alarm`` (Bernstein's inequality).

    ``jump`` bounds the distance of a number from its expectation.
    """
    log, V, b = math.log(2.0 / alarm), variance / runs, jump / runs
    return b * log / 3.0 + math.sqrt((b * log / 3.0) ** 2 + 2.0 * V * log)


def variance_of_quadratic(H: Array, g: Array, z: Array, p: Array, c: Array) -> float:
    """Return the variance of ⟨g, N⟩ + ½NᵀHN, N = Σ c_j z_j, z_j independent, a row of ``z`` with the probabilities ``p``.

    The mean of z is zero. With C its covariance and q = zᵀHz it is gᵀCg Σc² + E⟨g, z⟩q Σc³ + ¼Var(q)Σc⁴ +
    ½tr(HCHC)((Σc²)² − Σc⁴).
    """
    C, slope, q = (z.T * p) @ z, z @ g, ((z @ H) * z).sum(axis=1)
    two, three, four = (float((c**power).sum()) for power in (2, 3, 4))
    spread = float(p @ q**2) - float(p @ q) ** 2
    found = float(g @ C @ g) * two + float(p @ (slope * q)) * three + 0.25 * spread * four
    return max(found + 0.5 * float(np.trace(H @ C @ H @ C)) * (two**2 - four), 0.0)


@contextmanager
def unwarned() -> Iterator[None]:
    """Run what breaks the conditions of a theorem on purpose, without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gh.GreedyhullWarning)
        yield


def repeated(run: Callable[[int], Array], runs: int, seed: int) -> tuple[Array, Array]:
    """Return the mean and the standard error of run(s) over ``runs`` seeds s made from ``seed``."""
    check(runs >= 2, f"runs must be at least 2, for a standard error; got {runs!r}.")
    with unwarned():
        seen = np.array([run(int(s)) for s in np.random.default_rng(seed).integers(2**31, size=runs)])
    return seen.mean(axis=0), seen.std(axis=0, ddof=1) / np.sqrt(runs)


@dataclass(frozen=True)
class ViolatedCondition(Measured):
    """``violation`` is the mean of (⟨E d, ∇f⟩ − min ⟨·, ∇f⟩)/η_k, which the condition wants bounded; it grows like √k."""

    violation: float


def asfw_eg_a(k: int = 20, seed: int = 0, *, runs: int = 400) -> ViolatedCondition:
    """The error after k steps of ASFW with single terms and η_k = 2/(k + 2), k from zero.

    f is the mean of (x·w − 1)² and (x·w + 1)² with x = (1, 1) over the ball of radius 1/2. The atom of either term is
    ±x/(2√2), whatever w is, so that w_k = Y_k x/(2√2) with Y_k a mean of signs, and E f(w_k) − f* = (2k + 1)/(3k(k + 1)).
    """
    check(k >= 1, f"k must be at least 1; got {k!r}.")
    f, S = gh.least_squares(np.ones((2, 2)), np.array([1.0, -1.0])), gh.L2Ball(2, 0.5)
    solver = gh.StochasticFrankWolfe(Minibatch(1), gh.OpenLoop(), every=k + 1)

    def run(s: int) -> Array:
        w = gh.minimize(f, S, solver, stop=gh.Iterations(k + 1), seed=s).point.array()
        image = float(w.sum())
        return np.array([image**2, 0.5 * float(np.linalg.norm(2.0 * image * np.ones(2))) * (k + 2.0) / 2.0])

    (measured, violation), (error, _) = repeated(run, runs, seed)
    c, signs = 2.0 * np.arange(1, k + 1) / (k * (k + 1)), np.array([[-1.0], [1.0]])
    variance = variance_of_quadratic(np.eye(1), np.zeros(1), signs, np.full(2, 0.5), c)  # the error is ½Y²
    return ViolatedCondition(float(measured), float(error), (2 * k + 1) / (3 * k * (k + 1)), bernstein(variance, 0.5, runs),
                             float(violation))


@dataclass(frozen=True)
class ByTurns(gh.Constant):
    """Steps that come round again: ``eta``, then the ``others``."""

    others: tuple[float, ...] = ()

    def at(self, k: float) -> float:
        turns = (self.eta, *self.others)
        return turns[int(k) % len(turns)]


@dataclass(frozen=True)
class WrongLimit(Measured):
    """``limit`` is where the expected error goes with k; it is not zero."""

    limit: float


def asfw_eg_b(r: float = 0.5, eta: float | Sequence[float] | None = None, *, k: int = 60, runs: int = 400,
              seed: int = 0) -> WrongLimit:
    """The error after k steps of ASFW with single terms, steps 2/(k + 2), k from zero, or ``eta``: one, or some by turns.

    f is the mean of (xᵢ·w − yᵢ)² over the ball of radius r < 1, xᵢ three unit vectors at 120° and y = (1, −1, −1). The
    atoms of the terms do not depend on w; their mean is (0, 2r/3), the optimum (0, r). So the expected error stays above
    r(8 − 5r)/18, goes there if η_k → 0 and Ση_k = ∞, and to r(8 − 5r)/18 + 5r²η/(18(2 − η)) for constant steps.
    Steps by turns have no limit: it is nan.
    """
    check(0.0 < r < 1.0, f"r must be between 0 and 1, so that atoms do not depend on the point; got {r!r}.")
    check(k >= 1, f"k must be at least 1; got {k!r}.")
    X, y = three()[[1, 0, 2]], np.array([1.0, -1.0, -1.0])
    f, S, mean = gh.least_squares(X, y), gh.L2Ball(2, r), np.array([0.0, 2.0 * r / 3.0])
    turns = () if eta is None else tuple(np.atleast_1d(eta).tolist())
    check(all(0.0 < step <= 1.0 for step in turns), f"eta must hold steps in (0, 1]; got {eta!r}.")
    rule = gh.OpenLoop() if eta is None else ByTurns(turns[0], turns[1:])
    solver = gh.StochasticFrankWolfe(Minibatch(1), rule, every=k + 1)
    least = 0.5 * r * r - 4.0 * r / 3.0 + 1.0

    def run(s: int) -> Array:
        got = gh.minimize(f, S, solver, start=mean, stop=gh.Iterations(k + 1), seed=s).value
        return np.array([2.0 * float(got or 0.0) - least])

    (measured,), (error,) = repeated(run, runs, seed)
    wrong, noise = r * (8.0 - 5.0 * r) / 18.0, 5.0 * r * r / 18.0  # half the variance of an atom
    eta_k = np.array([rule.at(i) for i in range(k)])
    c = eta_k * np.append(np.cumprod((1.0 - eta_k)[:0:-1])[::-1], 1.0)  # what each atom counts for
    g = mean - np.array([0.0, 4.0 / 3.0])
    atoms = r * np.sign(y)[:, None] * X
    variance = variance_of_quadratic(np.eye(2), g, atoms - mean, np.full(3, 1.0 / 3.0), c)  # the Hessian is the identity
    room = bernstein(variance, 0.5 * r * r - 4.0 / 3.0 * float(atoms[:, 1].min()) + 1.0 - least, runs)
    now = float((c**2).sum())
    limit = 0.0 if eta is None else turns[0] / (2.0 - turns[0]) if len(turns) == 1 else np.nan
    return WrongLimit(float(measured), float(error), wrong + noise * now, room, wrong + noise * limit)


EQUAL = (1 / 3, 1 / 3, 1 / 3)


@dataclass(frozen=True)
class OverGreedy:
    """Errors of the last point and of the mean of the points; ``limit`` is where that of the mean goes with k.

    ``capped`` is the error of the last point where η ≤ k^−1/2 and batches of k terms, on the same f.
    """

    last: Measured
    average: Measured
    limit: float
    capped: float


def asj_eg(p: Sequence[float] = EQUAL, *, k: int = 40, runs: int = 60, seed: int = 0) -> OverGreedy:
    """Errors at w_k of ASJ with single terms, η in [0, 1] and d chosen jointly.

    f = Σ pᵢ(xᵢ·w − 1)² for three unit vectors at 120°, which are the atoms too; term i is drawn with probability pᵢ. It is
    least at xᵢ alone, so that the next point is the atom that was drawn, whatever w is: with barycentric coordinates λ,
    f = (9/4)Σ pᵢ(1 − λᵢ)², min f = 9/Σ(1/pᵢ), and the last point has E e_k = (9/4)Σ pᵢ(1 − pᵢ) − min f for ever. The mean of
    the points goes to λ = p, the minimum if all pᵢ are equal and not otherwise: with p = (½, ¼, ¼), a term of three that
    is there twice, it stays 9/640 above.
    """
    check(k >= 3, f"k must be at least 3, so that the first point counts for little; got {k!r}.")
    X, y = terms(p, k)
    share = np.asarray(p, dtype=np.float64) / np.sum(p)
    least = 9.0 / float((1.0 / share).sum())
    corners = three()
    f, S = gh.least_squares(X, y), gh.Vertices(corners)
    free = gh.StochasticJones(1, gh.Exact(), every=k)
    capped = gh.StochasticJones(step=gh.Capped(gh.Power(0.5)), every=k)

    def error(x: Array) -> float:
        return float(share @ (corners @ x - 1.0) ** 2) - least

    def run(s: int) -> Array:
        told = gh.minimize(f, S, free, stop=gh.Iterations(k), seed=s)
        held = gh.minimize(f, S, capped, stop=gh.Iterations(k), seed=s)
        return np.array([error(told.point.array()), error(told.also["average"].array()), error(held.point.array())])

    mean, spread = repeated(run, runs, seed)
    last = 2.25 * float(share @ (1.0 - share)) - least
    t = k - 1.0  # w_1, an atom, and t − 1 that were drawn
    centre = ((t - 1.0) * share + np.array([1.0, 0.0, 0.0])) / t
    average = 2.25 * float(share @ ((1.0 - centre) ** 2 + (t - 1.0) * share * (1.0 - share) / t**2)) - least
    H, z = 2.0 * (corners.T * share) @ corners, corners - share @ corners
    jump = max(error(corner) for corner in corners)

    def room(at: Array, c: Array) -> float:
        g = 2.0 * corners.T @ (share * (corners @ at - 1.0))
        return bernstein(variance_of_quadratic(H, g, z, share, c), jump, runs)

    rooms = room(share @ corners, np.ones(1)), room(centre @ corners, np.full(k - 2, 1.0 / t))
    return OverGreedy(Measured(float(mean[0]), float(spread[0]), last, rooms[0]),
                      Measured(float(mean[1]), float(spread[1]), average, rooms[1]),
                      2.25 * float(share @ (1.0 - share) ** 2) - least, float(mean[2]))


def three() -> Array:
    """Three unit vectors at 120°; as a set of atoms, solves begin at the first."""
    half = np.sqrt(0.75)
    return np.array([[-half, -0.5], [0.0, 1.0], [half, -0.5]])


def terms(p: Sequence[float], k: int) -> tuple[Array, Array]:
    """Rows and targets, row i as often as pᵢ says, and more than k of them, so that no batch is all of f."""
    check(len(p) == 3 and min(p) > 0.0, f"p must hold three positive probabilities; got {p!r}.")
    check(max(1.0 / q for q in p) <= 0.5 * sum(1.0 / q for q in p),
          f"p={p!r} puts the minimum outside the triangle. Bring the least probability nearer to the others.")
    shares = [Fraction(float(q) / float(sum(p))).limit_denominator(1000) for q in p]
    whole = lcm(*(q.denominator for q in shares))
    counts = [int(q * whole) for q in shares]
    X = np.repeat(three(), [c * -(-(k + 1) // sum(counts)) for c in counts], axis=0)
    return X, np.ones(len(X))


@dataclass(frozen=True)
class Curve:
    """The mean error of a solver's point after so many subgradients of terms, and so many calls of the oracle.

    ``exponent`` is the slope of the error in subgradients on a log-log scale, over the last half of the scale.
    """

    name: str
    subgradients: Array
    oracle_calls: Array
    error: Array

    @property
    def exponent(self) -> float:
        x, y = np.log(self.subgradients), np.log(np.maximum(self.error, 1e-15))
        late = x >= 0.5 * (x[0] + x[-1])
        return float(np.polyfit(x[late], y[late], 1)[0])


@dataclass(frozen=True)
class NonsmoothRates:
    """One curve a solver, on the problem that ``problem`` describes."""

    problem: str
    optimum: float
    curves: tuple[Curve, ...]

    def __getitem__(self, name: str) -> Curve:
        return next(curve for curve in self.curves if curve.name == name)


def nonsmooth_rates(budget: int = 10_000, *, runs: int = 2, seed: int = 0, ball: str = "l2") -> NonsmoothRates:
    """Least absolute deviations with 100 samples and 10 coordinates over the unit ball, ``budget`` subgradients each.

    ARSFW and ARSFW-U take one term a step and promise orders t^−1/4 (with a logarithm) and t^−1/4; `MoreauFrankWolfe` takes
    one term a subgradient step and promises t^−1/2; `Smoothed` takes all terms at every step and knows how f is made, which
    the others do not.
    """
    check(budget >= 200, f"budget must be at least 200 subgradients, two passes; got {budget!r}.")
    check(runs >= 1, f"runs must be at least 1; got {runs!r}.")
    check(ball in ("l1", "l2"), f"ball must be 'l1' or 'l2'; got {ball!r}.")
    rng = np.random.default_rng(seed)
    n, d = 100, 10
    X = rng.standard_normal((n, d)) / d**0.5
    y = X @ np.repeat([0.8, 0.0], [2, d - 2]) + 0.3 * rng.laplace(size=n)
    f, S = gh.absolute(X, y), gh.L2Ball(d, 1.0) if ball == "l2" else gh.L1Ball(d, 1.0)
    optimum = gh.minimize(f, S, gh.Smoothed(), stop=gh.Relative(1e-8) | gh.Iterations(1000)).certificate.lower
    solvers: dict[str, Solver] = {"ARSFW": gh.RegularizedStochasticFrankWolfe(gh.Fading(), batch=1),
                                  "ARSFW-U": gh.RegularizedStochasticFrankWolfe(gh.Unweighted(), batch=1),
                                  "Moreau": gh.MoreauFrankWolfe(batch=1), "smoothing": gh.Smoothed()}
    seeds = rng.integers(2**31, size=runs).tolist()
    curves = tuple(_curve(name, f, S, solver, optimum, budget, seeds) for name, solver in solvers.items())
    return NonsmoothRates(f"{f!r} over {S!r}", optimum, curves)


def _curve(name: str, f: Summed, S: AtomSet, solver: Solver, optimum: float, budget: int, seeds: list[int]) -> Curve:
    """The mean over the seeds, at numbers of subgradients that all of them have passed."""
    seen = [_watched(f, S, solver, budget, s) for s in seeds[: 1 if isinstance(solver, gh.Smoothed) else None]]
    last = min(rows[-1, 0] for rows in seen)
    grid = np.array([x for x in seen[0][:, 0] if 0 < x <= last])
    mean = [np.mean([np.interp(grid, rows[:, 0], rows[:, j]) for rows in seen], axis=0) for j in (1, 2)]
    return Curve(name, grid, mean[0], np.maximum(mean[1] - optimum, 0.0))


def _watched(f: Summed, S: AtomSet, solver: Solver, budget: int, seed: int) -> Array:
    rows: list[tuple[float, float, float]] = []

    def watch(event: Event) -> None:
        spent = (event.also or {}).get("spent", f.n * event.point.work.gradients)
        rows.append((float(spent), float(len(rows)), event.value))

    stop: Stop = gh.Callback(lambda event: rows[-1][0] >= budget) | gh.Relative(1e-12)
    s = gh.minimize(f, S, solver, stop=stop, watch=watch, seed=seed)
    out = np.array(rows)
    out[:, 1] = s.trace["oracle_calls"]
    return out


@dataclass(frozen=True)
class Curves:
    """Mean errors of several solvers after ``spent`` gradients of terms, one row of ``errors`` for each of ``names``."""

    names: tuple[str, ...]
    spent: Array
    errors: Array

    def __getitem__(self, name: str) -> Array:
        return np.asarray(self.errors[self.names.index(name)])


SOLVERS: dict[str, Solver] = {"variance-reduced Jones": gh.VarianceReducedJones(Svrg(gh.linear(4.0))),
    "ASJ": gh.StochasticJones(), "ASJ, batches 4k": gh.StochasticJones(gh.linear(4.0), gh.OpenLoop()),
    "ASFW": gh.StochasticFrankWolfe(), "SVRF, batches 4k": gh.StochasticFrankWolfe(Svrg(gh.linear(4.0)), gh.OpenLoop())}


def variance_reduced_jones(problem: str = "least_squares", *, n: int = 2000, d: int = 20, passes: int = 20, runs: int = 5,
                           seed: int = 0) -> Curves:
    """Least squares over an l1 ball, or logistic regression over a simplex, of made-up data: the error after each pass.

    A gradient of a term is counted where a batch asks for one. That a Jones step also asks its batch for values along
    the lines toward several atoms is not counted.
    """
    check(problem in ("least_squares", "logistic"), f"problem must be 'least_squares' or 'logistic'; got {problem!r}.")
    check(passes >= 1 and runs >= 1, f"passes and runs must be at least 1; got {passes!r} and {runs!r}.")
    f, S = made_up(problem, n, d, seed)
    least = gh.minimize(f, S, stop=gh.Gap(1e-11) | gh.Iterations(2000)).certificate.lower
    spent = np.arange(passes + 1) * n
    values = [[np.interp(spent, *spent_and_values(f, S, solver, spent[-1], seed + 1 + r)) for r in range(runs)]
              for solver in SOLVERS.values()]
    return Curves(tuple(SOLVERS), spent, np.mean(values, axis=1) - least)


def made_up(problem: str, n: int, d: int, seed: int) -> tuple[Composite, AtomSet]:
    """Correlated columns of different sizes, few of which matter."""
    rng = np.random.default_rng(seed)
    X = (rng.standard_normal((n, d)) + 0.5 * rng.standard_normal((n, 1))) * 2.0 ** rng.uniform(-1.0, 1.0, d)
    true = np.zeros(d)
    true[:5] = rng.dirichlet(np.ones(min(d, 5)))
    if problem == "least_squares":
        return gh.least_squares(X, X @ true + 0.5 * rng.standard_normal(n)), gh.L1Ball(d, 1.0)
    return gh.logistic(X, np.where(rng.random(n) < 1.0 / (1.0 + np.exp(-3.0 * (X @ true))), 1.0, -1.0)), gh.Simplex(d, 2.0)


def spent_and_values(f: Objective, S: AtomSet, solver: Solver, budget: float, seed: int, start: Any = None) -> Array:
    """Two rows: the gradients of terms that were spent at each event, and the value there, until the budget is spent."""
    told: list[tuple[float, float]] = []
    gh.minimize(f, S, solver, start=start, seed=seed, stop=gh.Callback(lambda event: event.also["spent"] >= budget),
                watch=lambda event: told.append((event.also["spent"], event.value)))
    return np.array(told).T
