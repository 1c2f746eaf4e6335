"""Regularised stochastic Frank-Wolfe for nonsmooth f."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np

from greedyhull.errors import check, described, hinted
from greedyhull.measures.terms import steepness
from greedyhull.objectives.by_name import function
from greedyhull.objectives.minibatches import count_of
from greedyhull.points.arrays import length
from greedyhull.points.coordinate_iterate import Average, CoordinateIterate, Position
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.gradients.base import Size, check_size, size
from greedyhull.solvers.lu_freund import duals_of
from greedyhull.solvers.parts.gap_evaluation import FULL_GAP, FullGap, Look, Regret, at_steps, sampled, seen_from
from greedyhull.solvers.parts.kept import Remembered
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.schedules import SETTINGS, tolerance_at, zero
from greedyhull.solvers.parts.solver_state import SolverState
from greedyhull.solvers.parts.steps import Power, check_advance, step_at
from greedyhull.theory import diverges
from greedyhull.theory.nonsmooth import ConstantWeights, UniformAverage, VariableWeights
from greedyhull.theory.rates import LATE, LATER
from greedyhull.types import Array, AtomSet, Needs, Objective, Schedule, Solver, StepRule, lacks


@hinted
@dataclass(frozen=True)
class SquaredNorm:
    """Regularizer Φ(w) = ½‖w‖² of `RegularizedStochasticFrankWolfe` and `Online`.

    Runs start at the centre w_1 of the set, and from there it is ½‖w − w_1‖².

    Parameters
    ----------
    rho : float, default 1.0
        The constant of strong convexity, always 1. To scale the regularizer, scale c of the weights.

    Notes
    -----
    A regularizer of your own is an object with ``value(x)``, ``gradient(x)`` and ``rho``: 1-smooth and ``rho``-strongly
    convex.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.SquaredNorm().gradient(np.array([1.0, -2.0]))
    array([ 1., -2.])
    """

    rho: float = 1.0

    def __post_init__(self) -> None:
        check(self.rho == 1.0, f"rho of SquaredNorm must be 1; got {self.rho!r}. To scale the regularizer, scale c.")

    def value(self, x: Array) -> float:
        return 0.5 * float(np.vdot(x, x))

    def gradient(self, x: Array) -> Array:
        return x

    def start(self, S: AtomSet) -> Iterate:
        return S.centre()


def check_regularizer(given: Any) -> None:
    """Raise unless ``given`` has Φ, ∇Φ and ρ."""
    check(not lacks(given, "value", "gradient", "rho"),
          f"regularizer must be an object with value(x), gradient(x) and rho, such as SquaredNorm(); got {given!r}.")
    check(0.0 < float(given.rho) <= 1.0, f"The regularizer {given!r} must be 1-smooth and rho-strongly convex with rho in "
                                         f"(0, 1]; got rho = {given.rho!r}. Divide it by its smoothness.")


def argmin_over(regularizer: Any, S: AtomSet) -> Iterate:
    """w_1 = argmin Φ over the hull of S, as an iterate: by its own formula, or found by minimisation."""
    if not lacks(regularizer, "start"):
        return cast(SquaredNorm, regularizer).start(S)
    from greedyhull.solvers.pairwise import BlendedPairwise

    f = function(regularizer.value, regularizer.gradient, S.shape, smoothness=1.0)
    w, memory = f.start(S, np.random.default_rng(0)), SolverState()
    first, best, since = f.value(w), (np.inf, np.inf), 0
    for k, (_, gap, *_) in enumerate(BlendedPairwise().run(f, S, w, memory)):
        value = f.value(w)
        check(np.isfinite(value + gap), f"The value and the gradient of {regularizer!r} must be finite on {S!r}.")
        if value < best[0] or gap < best[1]:
            best, since = (min(value, best[0]), min(gap, best[1])), k
        if gap <= 1e-9 * max(abs(value), first - value + gap) or k - since >= 50 or k >= 2000:  # found, stalled, or too long
            break
        memory.steering_bound = max(memory.steering_bound, value - gap)
    return w.copy()


class Weight(NamedTuple):
    sigma: float
    scale: float


class Weights:
    """σ_k and the scale of their sum, for a c that is given or measured."""

    c: float | None
    factor: ClassVar[float] = 1.0
    bound: ClassVar[Any] = None  # the statement that holds for them

    def __post_init__(self) -> None:
        good = isinstance(self.c, (int, float)) and not isinstance(self.c, bool) and 0.0 < self.c < np.inf
        check(self.c is None or good, f"c must be a positive number, or None to measure it; got {self.c!r}.")

    def at(self, k: int, c: float) -> Weight:
        raise NotImplementedError


@hinted
@described(SETTINGS)
@dataclass(frozen=True)
class Fading(Weights):
    """Weights σ_k = ck^−3/4 of `RegularizedStochasticFrankWolfe`, the paper's variable ones. `Unweighted` has a better rate.

    Parameters
    ----------
    {c}

    Notes
    -----
    E f(w̄_t) − min f = O(ln t / t^1/4) for every t.

    Examples
    --------
    >>> import greedyhull as gh
    >>> gh.Fading(2.0).at(16, 2.0)
    Weight(sigma=0.25, scale=1.0)
    """

    c: float | None = None
    bound: ClassVar[Any] = VariableWeights()

    def at(self, k: int, c: float) -> Weight:
        return Weight(c * k**-0.75, 1.0)


@hinted
@described(SETTINGS)
@dataclass(frozen=True)
class Steady(Weights):
    """Weights σ_k = ct^−3/4 of `RegularizedStochasticFrankWolfe`, the paper's constant ones for a run of t steps.

    Parameters
    ----------
    horizon : int
        t, the number of steps of the run. The rate holds after t steps.
    {c}

    Notes
    -----
    E f(w̄_t) − min f = O(t^−1/4) after t steps.

    Examples
    --------
    >>> import greedyhull as gh
    >>> gh.Steady(16).at(3, 2.0)
    Weight(sigma=0.25, scale=1.0)
    """

    horizon: int
    c: float | None = None
    bound: ClassVar[Any] = ConstantWeights()

    def __post_init__(self) -> None:
        check(self.horizon >= 1, f"horizon must be a number of steps, at least 1; got {self.horizon!r}.")
        super().__post_init__()

    def at(self, k: int, c: float) -> Weight:
        return Weight(c * self.horizon**-0.75, 1.0)


@hinted
@described(SETTINGS)
@dataclass(frozen=True)
class Unweighted(Weights):
    """Equal weights of `RegularizedStochasticFrankWolfe`, whose sum is divided by β_k = k^3/4/c.

    Parameters
    ----------
    {c}

    Notes
    -----
    E f(w̄_t) − min f = O(t^−1/4) for every t, without a logarithm and without a horizon.

    Examples
    --------
    >>> import greedyhull as gh
    >>> gh.Unweighted().at(16, 2.0)
    Weight(sigma=1.0, scale=0.25)
    """

    c: float | None = None
    factor: ClassVar[float] = 10.0
    bound: ClassVar[Any] = UniformAverage()

    def at(self, k: int, c: float) -> Weight:
        return Weight(1.0, c * k**-0.75)


@dataclass(frozen=True)
class Given(Weights):
    """σ_k = schedule(k − 1): any schedule, such as power(0.75, c)."""

    schedule: Schedule
    c: ClassVar[float] = 1.0  # type: ignore[misc]

    def at(self, k: int, c: float) -> Weight:
        return Weight(float(self.schedule(k - 1)), 1.0)


def weights_of(sigma: Weights | Schedule) -> Weights:
    weights = not lacks(sigma, "c", "factor", "bound", "at")
    check((weights or callable(sigma)) and not isinstance(sigma, type),
          f"sigma must be Unweighted(), Fading(), Steady(horizon) or a schedule such as power(0.75, c); got {sigma!r}.")
    return cast(Weights, sigma) if weights else Given(cast(Schedule, sigma))


class Leader(Remembered):
    """ḡ_k, the anchor ∇Φ(w_1), c, and the sums of the data-dependent bound. Φ is taken from w_1, which is the first leader."""

    kept_arrays = ("anchor", "total")
    kept_numbers = ("c", "R2", "sigma", "squares", "distance", "beta")

    def __init__(self, regularizer: Any, x: Array, c: float, R2: float) -> None:
        self.regularizer, self.c, self.R2 = regularizer, c, R2
        self.anchor: Array = np.array(regularizer.gradient(x), dtype=np.float64)
        self.total = np.zeros(x.shape)
        self.sigma = self.squares = self.distance = 0.0
        self.beta = 1.0

    def pull(self, scale: float, x: Array) -> Array:
        """∇F_k(x), divided by β_k: what the next atom is to oppose."""
        h: Array = scale * self.total
        h += self.regularizer.gradient(x)
        h -= self.anchor
        return h

    def take(self, sigma: float, scale: float, g: Array, gap: float) -> None:
        """g_k joins with weight σ_k; ``gap`` bounds F_k(w_k) − min F_k, in units of β_k."""
        rho, norm = self.regularizer.rho, length(g)
        self.total += sigma * g
        self.sigma += sigma
        self.squares += 0.5 * (sigma * norm) * (sigma * norm) * scale / rho  # a product may be infinite, a power may not
        self.distance += sigma * norm * (2.0 * max(gap, 0.0) / rho) ** 0.5
        self.beta = 1.0 / scale

    @property
    def bound(self) -> float:
        """[Σ σ_k‖g_k‖√(2G_k/ρ) + ½Σ σ_k²‖g_k‖²/(ρβ_k) + β_t R²]/Σ σ_k: on the error of w̄, in expectation."""
        total = self.distance + self.squares + self.beta * self.R2
        return total / self.sigma if self.sigma > 0.0 and total < np.inf else np.inf


SLOW, NORM = Power(0.5), SquaredNorm()  # defaults of the named methods


@hinted
@described(SETTINGS)
@dataclass(frozen=True)
class RegularizedStochasticFrankWolfe(Solver):
    """Regularised stochastic Frank-Wolfe (the paper's ARSFW), for f with kinks.

    w ← w + η_k(d − w), d an ε_k-approximate minimiser of ⟨ḡ_k + ∇Φ(w_k), ·⟩, ḡ_{k+1} = ḡ_k + σ_k g_k. g_k is a subgradient of
    ``batch`` terms at w_k, Φ is ρ-strongly convex and 1-smooth, and w_1 its minimiser. The point returned is the mean
    w̄_t = Σ σ_k w_k/Σ σ_k of the iterates before it; the last iterate is ``also["last"]``.

    Parameters
    ----------
    sigma : Unweighted, Fading, Steady or schedule, default Unweighted()
        Weights σ_k of the subgradients: all alike, the paper's ck^−3/4, or its ct^−3/4 for t steps.
    step : step rule, default Power(0.5)
        Step sizes η_k, known in advance. `Power(p)` with p < 1 has a bound.
    regularizer : regularizer, default SquaredNorm()
        The function Φ: an object with ``value(x)``, ``gradient(x)`` and ``rho``.
    {tolerance}
    batch : int, Root or schedule, default 256
        Terms in each subgradient.
    {every}
    look : FullGap, MinibatchGap or Regret, default FullGap()
        How the point is certified. Streams use `Regret`; linear models with kinks also try the dual variables of the run.

    Notes
    -----
    With η_k = k^−1/2, σ_k ≤ cη_k^3/2, ε_k ≤ c_ε η_k, ‖g_k‖ ≤ L, R² ≥ Φ − Φ(w_1) on the hull and Φ of curvature M ≤ D²:

        E f(w̄_t) − min f ≤ [L√(2K/ρ) Σσ_k√η_k + (L²/2ρ) Σσ_k² + R²]/Σσ_k,
        √K = a + √(2(M/2 + c_ε + c²L²/ρ) + a²),  a = √2 cL/√ρ.

    `Unweighted` has a bound O(t^−1/4) of its own.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.absolute(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), np.array([0.3, 0.7, 1.0]))
    >>> s = gh.minimize(f, gh.Simplex(2), gh.RegularizedStochasticFrankWolfe(), stop=gh.Gap(0.02))
    >>> s.converged, bool(s.value <= 0.02)
    (True, True)
    """

    sigma: Weights | Schedule = field(default=Unweighted())
    step: StepRule = field(default=Power(0.5))
    regularizer: Any = field(default=SquaredNorm())
    tolerance: Schedule = zero
    batch: Size = 256
    every: int | None = None
    look: Look = field(default=FullGap())
    needs = Needs(atoms=False, terms=True)

    def __post_init__(self) -> None:
        weights_of(self.sigma)
        check_regularizer(self.regularizer)
        check_size("batch", self.batch)
        at_steps(self.look, self.every)
        check_advance(self.step)
        check(not (isinstance(self.step, Power) and self.step.p >= 1.0),
              f"step must be k^−p with p below 1, where the constant of theorem ARSFW is finite; got {self.step!r}.")

    @classmethod
    def fading(cls, c: float | None = None, *, step: StepRule = SLOW, regularizer: Any = NORM,
               tolerance: Schedule = zero, batch: Size = 256, every: int | None = None,
               look: Look = FULL_GAP) -> RegularizedStochasticFrankWolfe:
        """The paper's variable weights σ_k = ck^−3/4: O(ln t/t^1/4) for every t.

        {weighted}

        Examples
        --------
        >>> RegularizedStochasticFrankWolfe.fading(batch=64).batch
        64
        """
        return cls(Fading(c), step, regularizer, tolerance, batch, every, look)

    @classmethod
    def fixed(cls, horizon: int, c: float | None = None, *, step: StepRule = SLOW, regularizer: Any = NORM,
              tolerance: Schedule = zero, batch: Size = 256, every: int | None = None,
              look: Look = FULL_GAP) -> RegularizedStochasticFrankWolfe:
        """The paper's constant weights σ_k = ct^−3/4 for t = ``horizon`` steps: O(t^−1/4).

        {weighted}

        Examples
        --------
        >>> RegularizedStochasticFrankWolfe.fixed(horizon=1000).sigma.horizon
        1000
        """
        return cls(Steady(horizon, c), step, regularizer, tolerance, batch, every, look)

    @classmethod
    def unweighted(cls, c: float | None = None, *, step: StepRule = SLOW, regularizer: Any = NORM,
                   tolerance: Schedule = zero, batch: Size = 256, every: int | None = None,
                   look: Look = FULL_GAP) -> RegularizedStochasticFrankWolfe:
        """ARSFW-U, equal weights and β_k = k^3/4/c: O(t^−1/4) for every t.

        {weighted}

        Examples
        --------
        >>> RegularizedStochasticFrankWolfe.unweighted() == RegularizedStochasticFrankWolfe()
        True
        """
        return cls(Unweighted(c), step, regularizer, tolerance, batch, every, look)

    def first(self, f: Objective, S: AtomSet) -> Iterate:
        return argmin_over(self.regularizer, S)

    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: SolverState) -> Iterator[Progress]:
        weights, oracle, x = weights_of(self.sigma), memory.oracle(S), w.view("position", Position)
        mean: Average = w.view("average", lambda: Average(w))
        how = Regret() if f.traits.terms == "stream" and isinstance(self.look, FullGap) else self.look  # it has no full gap
        source, look, steps = sampled(self, f, S, w, memory, how)
        leader: Leader = memory.part("leader", lambda: self.begins(f, S, x.array))
        duals = duals_of(f, memory, oracle)
        for k in steps:
            if look.due(k, source.spent):
                point = w if how.averages else seen_from(w, CoordinateIterate(mean.array()))  # a regret keeps the mean
                seen = look(point, {"spent": source.spent, "last": w.copy(), "bound": leader.bound, "R2": leader.R2})
                yield seen if duals is None else duals.improve(seen)
            eta, b = step_at(self.step, k - 1), size(self.batch, k, source.terms)
            sigma, scale = weights.at(k, leader.c)
            drawn = source.draw(b)
            g = drawn.gradient(x.array) if duals is None else duals.gradient(drawn, x.array)
            h = leader.pull(scale, x.array)
            answer = oracle.argmin(h, tol=tolerance_at(self.tolerance, k - 1, memory.gap))
            leader.take(sigma, scale, g, float(np.vdot(h, x.array)) - answer.atom.dot(h) + answer.slack)
            look.seen(g, x.array, eta, sigma, b**-0.5 if b < source.n else 0.0)
            mean.include(sigma)
            w.move(w.toward(answer.atom), eta)

    def begins(self, f: Objective, S: AtomSet, x: Array) -> Leader:
        """ḡ_1 = 0 and Φ seen from x; c is measured if it is not given."""
        weights, r, R = weights_of(self.sigma), S.circumradius, float(S.radius_around(x))
        c = weights.c
        if c is None:
            V = steepness(f, S, x).V
            b = min(size(self.batch, 1, count_of(f)), count_of(f) or np.inf)
            c = weights.factor * b**0.5 * 0.5 * r * (r / V) if V > 0.0 else 1.0
            c = c if 1e-290 < c < 1e290 else 1.0  # one point, a flat f, or what cannot be measured; ck^−3/4 must not vanish
        return Leader(self.regularizer, x, c, 0.5 * R * R)  # Φ is 1-smooth

    def cautions(self, f: Objective, S: AtomSet) -> Iterator[str]:
        weights = weights_of(self.sigma)
        if not diverges(lambda k: step_at(self.step, k)):
            yield (f"Theorem ARSFW: the steps of {self.step!r} have a finite sum, so the iterates need not converge. "
                   "Use Power(0.5).")
        shares = [(weights.at(k, 1.0), step_at(self.step, k - 1)) for k in (LATE, LATER)]
        ratios = [weight.sigma * weight.scale / eta**1.5 for weight, eta in shares]
        if not isinstance(self.sigma, Steady) and ratios[1] > 1.01 * ratios[0]:
            yield (f"Theorem ARSFW asks for weights σ_k ≤ cη_k^3/2, and those of {self.sigma!r} outgrow the steps of "
                   f"{self.step!r}: the iterates lag behind the subgradients. Use Fading() or Unweighted() with Power(0.5).")
