"""When and how a stochastic solver has its point certified."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf, log, sqrt
from typing import Any, ClassVar, Protocol

import numpy as np

from greedyhull.errors import GreedyhullError, check, hinted, shown
from greedyhull.measures.terms import reach
from greedyhull.objectives.accuracy import error_slack
from greedyhull.objectives.black_box import FiniteSum
from greedyhull.objectives.limits import coarse_of, gradient_errors
from greedyhull.objectives.minibatches import count_of, counts_of, source_of
from greedyhull.objectives.ridge import without_ridge
from greedyhull.objectives.stream import Stream
from greedyhull.points.coordinate_iterate import Average, CoordinateIterate
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.parts.kept import Remembered
from greedyhull.solvers.parts.progress import Progress, weaker
from greedyhull.solvers.parts.solver_state import SolverState
from greedyhull.types import Answer, Array, AtomSet, Kind, Objective, State, Supply, lacks, linear_model, listed


def seen_from(w: Iterate, point: Iterate) -> Iterate:
    """``point`` with the work and the step of the run that w is in."""
    point.work, point.step = w.work, w.step
    return point


class GapSchedule:
    """A gap evaluation costs as much as one pass over n terms, and comes after as many terms, or a tenth of those spent.

    With ``every`` the count is one of steps, and evaluations are at its multiples.

    >>> looks = GapSchedule(100)
    >>> looks.passed(40), looks.due(139), looks.due(140)
    (None, False, True)
    """

    def __init__(self, n: float, every: int | None = None) -> None:
        check(every is None or (isinstance(every, (int, np.integer)) and every >= 1),
              f"every must be a number of steps, at least 1, or None; got {every!r}.")
        self.n, self.every, self.next = n, every, 0.0

    def due(self, done: float) -> bool:
        """Whether to evaluate the gap after ``done`` terms, or steps where ``every`` counts."""
        return done >= self.next

    def passed(self, done: float) -> None:
        self.next = done + max(self.n, 0.1 * done) if self.every is None else self.every * (done // self.every + 1.0)


def range_bound(f: Objective, S: AtomSet) -> float | None:
    """C ≥ |⟨∇fᵢ(x), y − u⟩| for all terms i and all x, y, u in the hull of S; None if none is known.

    For φ(Ax) it is max nᵢpᵢ·sup|ℓ'ᵢ|·(the width of aᵢ over S), plus l2·max‖u‖·D for a ridge; otherwise ``lipschitz``·D.

    >>> import greedyhull as gh
    >>> range_bound(gh.logistic(np.array([[1.0, 3.0]]), [1]), gh.Simplex(2)) <= 2 / (1 + np.e) * (1 + 1e-8)
    True
    """
    model, C = linear_model(f), inf
    if model is None:
        L = f.lipschitz if isinstance(f, FiniteSum | Stream) else None
        C = inf if L is None else L * S.diameter
    elif not model.has_intercept:
        R, D = reach(S) if model.l2 else (0.0, 0.0)
        low, high = S.row_ranges(model.design.precise())
        terms = counts_of(model) * np.broadcast_to(model.exact.lipschitz(low, high), model.n) * (high - low)
        C = float(terms.max() + model.l2 * R * D)
    return float(C) * (1.0 + 1e-9) if np.isfinite(C) else None  # for the rounding of a bound


class Look(Protocol):
    """The frozen configuration: how a point is certified, and at which steps (``every``; None: as the work grows)."""

    averages: ClassVar[bool]  # whether it certifies a mean of the points, which needs unbiased estimates of the gradient

    @property
    def every(self) -> int | None: ...
    def start(self, f: Objective, S: AtomSet, w: Iterate, memory: SolverState) -> Looking: ...


class Looking(Remembered):
    """A gap evaluator at work in one solve: call ``look(w)`` where ``look.due(k, spent)``, ``look.seen(g, x, eta)`` always.

    It is due at its own times, and whenever the driver requests a point because the run must end. It draws no random number of
    the run and only peeks at its oracle, so that a run takes the same way however often its gap is evaluated.

    The point is the last one of a convex f. For another f theory is about a point drawn from all of them: w_i with probability
    η_i/Σ η, whose expected gap is the mean Σ η_i g(w_i)/Σ η_i. A new point replaces the drawn one with probability
    η_k/(η_1 + … + η_k).
    """

    kept_arrays: ClassVar[tuple[str, ...]] = ("drawn",)
    kept_numbers: ClassVar[tuple[str, ...]] = ("taken", "done", "count", "weight", "steps")

    def __init__(self, f: Objective, S: AtomSet, w: Iterate, memory: SolverState, cost: float, every: int | None) -> None:
        self.f, self.S, self.w, self.memory = f, S, w, memory
        self.oracle, self.timer = memory.oracle(S), GapSchedule(cost, every)
        self.drawn, self.weight, self.steps = np.zeros(0), 0.0, 0
        self._numbers: Array = np.zeros(0)
        self.taken, self.done, self.count = -1, 0.0, 0  # the step of the current evaluation, if any; those before it
        self.spent = 0.0

    def due(self, k: int, spent: float = 0.0) -> bool:
        """Whether to evaluate the gap at step k, when ``spent`` terms have been used."""
        self.spent = spent
        if self.taken == k:  # the run was saved during this evaluation, and begins the iteration again
            return True
        done = spent if self.timer.every is None else k
        if self.taken >= 0:
            if self.timer.due(self.done):
                self.timer.passed(self.done)
            self.taken, self.count = -1, self.count + 1
        if not self.timer.due(done):
            if not self.memory.requested(k):
                return False
            self.memory.arrays["looked_early"] = np.array(k)  # for a run that is resumed here
        self.taken, self.done = k, float(done)
        self.w.views.pop(without_ridge(self.f), None)  # the image of an earlier evaluation, which moves would carry along
        return True

    def point(self, w: Iterate) -> Iterate:
        return seen_from(w, CoordinateIterate(self.drawn.copy()) if len(self.drawn) else w.copy())

    def __call__(self, w: Iterate, also: Any = None) -> Progress:
        """The point with its bound: here the full gap, from one pass over the data."""
        f, now = self.f, self.point(w)
        g = f.gradient(now)
        answer = self.oracle.peek(g)
        return Progress.of(now, f.gradient_dot(now) - answer.atom.dot(g), answer, also=also)

    def coarse_slack(self, g: Array) -> float:
        """The slack for the error of g because of its dtype; 0 where a user's gradients are float64."""
        seen = coarse_of(self.f)
        return 0.0 if seen is None else error_slack(gradient_errors(seen, g), self.S)

    def seen(self, g: Array, x: Array, eta: float, weight: float = 1.0, spread: float = 2.0) -> None:
        """At x the gradient was estimated as g, with that ``spread``; a step η follows; x has this ``weight`` in a mean."""
        if self.f.traits.convex:
            return
        block, place = divmod(self.steps, 1024)  # random numbers that are made at once
        if place == 0 or not len(self._numbers):
            self._numbers = self.memory.side_rng(4, block).random(1024)
        self.steps += 1
        self.weight += eta
        if self._numbers[place] * self.weight < eta:
            self.drawn = x.copy()

    def state(self) -> State:
        return {**super().state(), "next": np.array(self.timer.next)}

    def restore(self, state: State) -> None:
        super().restore(state)
        self.timer.next = float(state["next"])


def at_steps(look: Look, every: int | None) -> Look:
    """The look, at multiples of ``every`` if that is not None."""
    make = f" Make one: {look.__name__}()." if isinstance(look, type) else ""
    check(not lacks(look, "start"), f"look must be FullGap(), MinibatchGap(1000) or Regret(); got {shown(look)}.{make}")
    return look if every is None else replace(look, every=every)  # type: ignore[type-var]  # a look is a frozen dataclass


def sampled(solver: Any, f: Objective, S: AtomSet, w: Iterate, memory: SolverState,
            look: Look | None = None) -> tuple[Supply, Looking, Iterator[int]]:
    """The source of minibatches of a solve, the evaluator of its gap, and its steps from one, whose terms count as work."""
    source: Supply = memory.part("source", lambda: source_of(f, memory.rng))
    evaluator: Looking = memory.part("look", lambda: at_steps(look or solver.look, solver.every).start(f, S, w, memory))

    def steps() -> Iterator[int]:
        for k in memory.count(first=1):
            before = source.spent
            yield k
            w.work.products += 2.0 * (source.spent - before) / source.n

    return source, evaluator, steps()


def spent_on(delta: float, count: int) -> float:
    """How likely the next of many tests may be to fail after ``count`` others, δ/(j(j + 1)): in all the sum is δ.

    >>> sum(spent_on(0.1, j) for j in range(1000)) < 0.1
    True
    """
    return delta / ((count + 1.0) * (count + 2.0))


@hinted
@dataclass(frozen=True)
class MinibatchGap:
    """Certify points of a stochastic run by the gap of a fresh sample.

    The bound is max over S of ⟨∇f_B(w), w − ·⟩ for a sample B, plus a confidence term: kind "probability". Where no bound on
    the gradients of all terms is known, it is the gap plus a one-sided t-interval: kind "estimate". A sample of all terms
    gives the full gap.

    Parameters
    ----------
    size : int, optional
        The number of terms in a sample, at least 2. By default 1000, or a tenth of the terms used so far if that is more, so
        that the bound shrinks as the run goes on.
    delta : float, default 0.05
        δ, the probability that any of the bounds of the run fails.
    every : int, optional
        Certify at multiples of this number of steps. By default, as the work grows.

    Notes
    -----
    Let u = argmin f, a fixed point. f(w) − f(u) ≤ E⟨∇fᵢ(w), w − u⟩, and each of these numbers is between −C and C for a C
    that comes from all terms. So with probability 1 − δ the error is at most the mean over B plus C√(2 ln(1/δ)/b)
    (Hoeffding), or plus √(2V ln(2/δ)/b) + 14C ln(2/δ)/(3(b − 1)) (Maurer and Pontil), V the variance in B. u is unknown, but
    mean + √V is convex in u and therefore largest at an atom, so that no union over atoms is needed. Where atoms can be
    listed and terms evaluated one by one, the better of both bounds is taken, each with δ/2. The j-th bound of a run uses
    δ/(j(j + 1)), so that all of them hold together with probability 1 − δ.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> rng = np.random.default_rng(0)
    >>> f = gh.logistic(rng.uniform(-1, 1, (5000, 3)), rng.random(5000) < 0.5)
    >>> solver = gh.StochasticFrankWolfe(look=gh.MinibatchGap(1000, delta=0.01))
    >>> print(gh.minimize(f, gh.L1Ball(3, 1.0), solver, stop=gh.Iterations(50)).certificate.kind)
    probability
    """

    size: int | None = None
    delta: float = 0.05
    every: int | None = None
    averages: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check(self.size is None or (isinstance(self.size, (int, np.integer)) and self.size >= 2),
              f"size must be an integer of at least 2, or None; got {self.size!r}.")
        check(0.0 < self.delta < 1.0, f"delta must be between 0 and 1; got {self.delta!r}.")
        GapSchedule(1, self.every)

    def start(self, f: Objective, S: AtomSet, w: Iterate, memory: SolverState) -> Looking:
        return MinibatchEvaluator(self, f, S, w, memory)


class MinibatchEvaluator(Looking):
    def __init__(self, config: MinibatchGap, f: Objective, S: AtomSet, w: Iterate, memory: SolverState) -> None:
        super().__init__(f, S, w, memory, config.size or 1000, config.every)
        n = count_of(f)
        self.config, self.n = config, float("inf") if n is None else n
        self.C, self.atoms = range_bound(f, S), listed(S)

    def __call__(self, w: Iterate, also: Any = None) -> Progress:
        now, b = self.point(w), self.config.size or max(1000, int(0.1 * self.spent))
        if b >= self.n:  # the sample would cost as much as all terms
            return super().__call__(w, also)
        x, delta = now.array(), spent_on(self.config.delta, self.count)
        source = source_of(self.f, self.memory.side_rng(3, self.count))
        about = self._estimated(source, b, x, delta) if self.C is None else self._proved(source, b, x, delta, self.C)
        value, gap, answer, kind = about
        if not self.f.traits.convex:
            kind = "stationary"
        return Progress(now, max(gap, 0.0), kind, answer.slack, also=also, value=value, delta=self.config.delta,
                        spent=answer.delta)

    def _proved(self, source: Supply, b: int, x: Array, delta: float, C: float) -> tuple[float, float, Answer, Kind]:
        batch = source.draw(b)
        g = batch.gradient(x)
        answer = self.oracle.peek(g)
        gap = float(np.vdot(g, x)) - answer.atom.dot(g) + answer.slack + self.coarse_slack(g)
        atoms = self.atoms
        # scores of single terms that are looked at, at most
        scores = batch.pulls(x, atoms) if atoms is not None and b * len(atoms) <= 5_000_000 else None
        if scores is None:
            gap += C * sqrt(2.0 * log(1.0 / delta) / b)
        else:  # the better of two bounds, each of which may fail with probability δ/2
            deviation = sqrt(2.0 * log(4.0 / delta) / b) * scores.std(axis=0, ddof=1)
            bernstein = float((scores.mean(axis=0) + deviation).max()) + 14.0 * C * log(4.0 / delta) / (3.0 * (b - 1.0))
            gap = min(gap + C * sqrt(2.0 * log(2.0 / delta) / b), bernstein)
        return batch.value(x), gap, answer, weaker(answer.kind, "probability")

    def _estimated(self, source: Supply, b: int, x: Array, delta: float) -> tuple[float, float, Answer, Kind]:
        from scipy.special import stdtrit

        groups = min(16, b)  # parts of a sample whose differences tell how much it may be off
        batches = [source.draw(b // groups) for _ in range(groups)]
        gradients = np.stack([batch.gradient(x) for batch in batches])
        g = gradients.mean(axis=0)
        answer = self.oracle.peek(g)
        parts = np.array([float(np.vdot(part, x)) - answer.atom.dot(part) for part in gradients])
        chance = float(stdtrit(groups - 1, 1.0 - delta)) * float(parts.std(ddof=1)) / sqrt(groups)
        gap = float(parts.mean()) + answer.slack + chance + self.coarse_slack(g)
        return float(np.mean([batch.value(x) for batch in batches])), gap, answer, "estimate"


@hinted
@dataclass(frozen=True)
class FullGap:
    """Certify points of a stochastic run by the full gap, from all n terms.

    The bound max over S of ⟨∇f(w), w − ·⟩ is of kind "always" and costs a pass over the data. An `expectation` has no full gap
    and is certified by `MinibatchGap` instead.

    Parameters
    ----------
    every : int, optional
        Certify at multiples of this number of steps. By default, at the start, after every pass over the data, and then
        less and less often.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.least_squares(np.eye(2), np.array([0.3, 0.7]))
    >>> s = gh.minimize(f, gh.Simplex(2), gh.StochasticJones(look=gh.FullGap(every=10)), stop=gh.Iterations(50))
    >>> s.certificate.kind
    'always'
    """

    every: int | None = None
    averages: ClassVar[bool] = False

    def __post_init__(self) -> None:
        GapSchedule(1, self.every)

    def start(self, f: Objective, S: AtomSet, w: Iterate, memory: SolverState) -> Looking:
        n = count_of(f)
        if n is None:
            return MinibatchGap(every=self.every).start(f, S, w, memory)
        return Looking(f, S, w, memory, n, self.every)


FULL_GAP = FullGap()  # the default of named constructors
SAMPLE = 1000  # terms that an evaluation costs: those from which the value next to the bound is estimated


@hinted
@dataclass(frozen=True)
class Regret:
    """Certify the average iterate of a stochastic run by its regret.

    [Σ α_k⟨g_k, w_k⟩ − min over S of ⟨Σ α_k g_k, ·⟩]/Σ α_k bounds f(w̄) − min f for w̄ = Σ α_k w_k/Σ α_k, the point of the
    solution, and costs one oracle call. The last iterate is ``also["last"]``.

    Parameters
    ----------
    delta : float, optional
        With it the bound holds with probability 1 − δ at all times together. By default it holds in expectation, after a
        number of steps that does not depend on the draws.
    every : int, optional
        Certify at multiples of this number of steps. By default, as the work grows.

    Notes
    -----
    f must be convex, and the gradient estimates unbiased given the past: E[g_k | past] = ∇f(w_k). With ``delta`` the j-th
    bound adds C√(2 ln(1/δ_j) Σ(s_kα_k)²)/Σ α_k with δ_j = δ/(j(j + 1)), C as in `MinibatchGap` (at most LD) and s_k the
    spread of g_k: 2 if only its bound is known (Azuma), b_k^−1/2 for a minibatch of independent terms.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.least_squares(np.eye(2), np.array([0.3, 0.7]))
    >>> s = gh.minimize(f, gh.Simplex(2), gh.StochasticFrankWolfe(look=gh.Regret()), stop=gh.Iterations(100))
    >>> s.certificate.kind
    'expectation'
    """

    delta: float | None = None
    every: int | None = None
    averages: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check(self.delta is None or 0.0 < self.delta < 1.0, f"delta must be between 0 and 1, or None; got {self.delta!r}.")
        GapSchedule(1, self.every)

    def start(self, f: Objective, S: AtomSet, w: Iterate, memory: SolverState) -> RegretEvaluator:
        check(f.traits.convex, f"{f!r} is not convex, and a regret bounds nothing there. Use FullGap().")
        C = None if self.delta is None else range_bound(f, S)
        if self.delta is not None and C is None:
            raise GreedyhullError(f"Regret(delta={self.delta:g}) needs a bound on the gradients of all terms, and {f!r} has "
                                  "none. Give lipschitz= to finite_sum or expectation, or leave delta out.")
        return RegretEvaluator(self, f, S, w, memory, C or 0.0)


class RegretEvaluator(Looking):
    kept_arrays = (*Looking.kept_arrays, "slope")
    kept_numbers = (*Looking.kept_numbers, "total", "inner", "squares")

    def __init__(self, config: Regret, f: Objective, S: AtomSet, w: Iterate, memory: SolverState, C: float) -> None:
        super().__init__(f, S, w, memory, SAMPLE, config.every)
        self.config, self.C = config, C
        self.mean: Average = w.view("regret", lambda: Average(w, name="regret"))
        self.slope: Array = np.zeros(S.shape)
        self.total = self.inner = self.squares = 0.0

    def seen(self, g: Array, x: Array, eta: float, weight: float = 1.0, spread: float = 2.0) -> None:
        self.slope += weight * g
        self.inner += weight * float(np.vdot(g, x))
        self.total += weight
        share = weight * spread
        self.squares += share * share  # infinite where it overflows, without a word
        self.mean.include(weight)

    def __call__(self, w: Iterate, also: Any = None) -> Progress:
        mean = seen_from(w, CoordinateIterate(self.mean.array()))
        value = source_of(self.f, self.memory.side_rng(3, self.count)).draw(SAMPLE).value(mean.array())
        kind, delta = ("expectation", 0.0) if self.config.delta is None else ("probability", self.config.delta)
        also = {**(also or {}), "last": self.w.copy()}
        if self.total == 0.0:  # nothing has been seen yet
            return Progress(mean, inf, kind, also=also, value=value, delta=delta)  # type: ignore[arg-type]
        g = self.slope / self.total
        answer = self.oracle.peek(g)
        gap = self.inner / self.total - answer.atom.dot(g) + answer.slack + self.coarse_slack(g)
        if self.config.delta is not None:
            failing = spent_on(self.config.delta, self.count)
            gap += self.C * sqrt(2.0 * log(1.0 / failing) * self.squares) / self.total
        return Progress(mean, max(gap, 0.0), weaker(kind, answer.kind), answer.slack, also=also,  # type: ignore[arg-type]
                        value=value, delta=delta, spent=answer.delta)
