"""Regularised stochastic Frank-Wolfe, for f with kinks: atoms for the sum of all past subgradients, held back by Φ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from greedyhull.errors import check
from greedyhull.errors.hinted import hinted
from greedyhull.measures.steepness import steepness
from greedyhull.objectives.batch import count_of, source_of
from greedyhull.points.average import Average
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.iterate import Iterate
from greedyhull.points.position import Position
from greedyhull.solvers.gradients.base import Size, check_size, size
from greedyhull.solvers.parts.careful import step_at
from greedyhull.solvers.parts.follow_the_leader import Leader
from greedyhull.solvers.parts.gradient_weights import Fading, Steady, Unweighted, Weights, weights_of
from greedyhull.solvers.parts.looks import FullGap, Look, Looking, Regret, at_steps
from greedyhull.solvers.parts.looks.choice import seen_from
from greedyhull.solvers.parts.memory import Memory
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.regularizers import Regularizer, SquaredNorm, argmin_over, check_regularizer
from greedyhull.solvers.parts.rules import APriori
from greedyhull.solvers.parts.sample_duals import Duals, NoDuals, duals_of
from greedyhull.solvers.parts.schedules import tolerance_at, zero
from greedyhull.solvers.parts.steps import Power, in_advance
from greedyhull.theory import diverges
from greedyhull.theory.recursion import LATE, LATER
from greedyhull.types import Array, AtomSet, Needs, Objective, Schedule, SelfStarting, StepRule, Supply, Tolerant
from greedyhull.types.override import KeepsCautiousSolver, KeepsSelfStarting, KeepsTolerant, keeps, override

LEAST = 1e-290  # of a c that is measured; k^−3/4 times a smaller one may be zero
SLOW, NORM, ALL_TERMS = Power(0.5), SquaredNorm(), FullGap()  # defaults of the named methods


@hinted
@dataclass(frozen=True)
class RegularizedStochasticFrankWolfe(KeepsSelfStarting, KeepsCautiousSolver, KeepsTolerant):
    """Regularised stochastic Frank-Wolfe (the paper's ARSFW), for f with kinks.

    w ← w + η_k(d − w), d an ε_k-approximate minimiser of ⟨ḡ_k + ∇Φ(w_k), ·⟩, ḡ_{k+1} = ḡ_k + σ_k g_k. g_k is a subgradient of
    ``batch`` terms at w_k, Φ is ρ-strongly convex and 1-smooth, and w_1 its minimiser. The point returned is the mean
    w̄_t = Σ σ_k w_k/Σ σ_k of the iterates before it; the last iterate is ``also["last"]``.

    Parameters
    ----------
    sigma : Unweighted, Fading, Steady or schedule, default Unweighted()
        Weights σ_k of the subgradients. `Unweighted` weights all alike and needs no horizon; `Fading` is the paper's
        ck^−3/4; `Steady(t)` its ct^−3/4 for t steps.
    step : step rule, default Power(0.5)
        Step sizes η_k, known in advance. `Power(p)` with p < 1 has a bound.
    regularizer : regularizer, default SquaredNorm()
        The function Φ: an object with ``value(x)``, ``gradient(x)`` and ``rho``.
    tolerance : schedule, default zero
        Error ε_k allowed to the oracle on the linear function.
    batch : int, Root or schedule, default 256
        Terms in each subgradient.
    every : int, optional
        Certify the point at multiples of this step. By default as the work grows, as for `StochasticFrankWolfe`.
    look : FullGap, MinibatchGap or Regret, default FullGap()
        How the point is certified. Streams use `Regret`. For linear models with kinks each certificate also tries the dual
        variables gathered by the run, so that a gap can be asked for.

    See Also
    --------
    Smoothed : Far faster for the built-in losses with all data in memory.
    MoreauFrankWolfe : A better order in the worst case.
    Online : The same steps for losses that arrive one by one.

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
    regularizer: Regularizer = field(default=SquaredNorm())
    tolerance: Schedule = zero
    batch: Size = 256
    every: int | None = None
    look: Look = field(default=FullGap())
    needs = Needs(atoms=False, terms=True)

    if TYPE_CHECKING:
        keeps(SelfStarting.needs, Tolerant.tolerance)

    def __post_init__(self) -> None:
        weights_of(self.sigma)
        check_regularizer(self.regularizer)
        check_size("batch", self.batch)
        at_steps(self.look, self.every)
        check(isinstance(self.step, APriori), f"step={self.step!r} was given; it needs values of f, which a stochastic solver "
                                              "does not compute. Use Power(0.5).")
        check(not (isinstance(self.step, Power) and self.step.p >= 1.0),
              f"step={self.step!r} was given; theorem ARSFW holds for k^−p with p in [0, 1): at p = 1 its constant is "
              "infinite. Use Power(0.5).")

    @classmethod
    def fading(cls, c: float | None = None, *, step: StepRule = SLOW, regularizer: Regularizer = NORM,
               tolerance: Schedule = zero, batch: Size = 256, every: int | None = None,
               look: Look = ALL_TERMS) -> RegularizedStochasticFrankWolfe:
        """The paper's variable weights σ_k = ck^−3/4: O(ln t/t^1/4) for every t.

        Parameters
        ----------
        c : float, optional
            Scale of the weights. By default it is measured.
        step, regularizer, tolerance, batch, every, look : optional
            As for the class.

        Examples
        --------
        >>> RegularizedStochasticFrankWolfe.fading(batch=64).batch
        64
        """
        return cls(Fading(c), step, regularizer, tolerance, batch, every, look)

    @classmethod
    def fixed(cls, horizon: int, c: float | None = None, *, step: StepRule = SLOW, regularizer: Regularizer = NORM,
              tolerance: Schedule = zero, batch: Size = 256, every: int | None = None,
              look: Look = ALL_TERMS) -> RegularizedStochasticFrankWolfe:
        """The paper's constant weights σ_k = ct^−3/4 for t steps: O(t^−1/4).

        Parameters
        ----------
        horizon : int
            The number of steps t.
        c : float, optional
            Scale of the weights. By default it is measured.
        step, regularizer, tolerance, batch, every, look : optional
            As for the class.

        Examples
        --------
        >>> RegularizedStochasticFrankWolfe.fixed(horizon=1000).sigma.horizon
        1000
        """
        return cls(Steady(horizon, c), step, regularizer, tolerance, batch, every, look)

    @classmethod
    def unweighted(cls, c: float | None = None, *, step: StepRule = SLOW, regularizer: Regularizer = NORM,
                   tolerance: Schedule = zero, batch: Size = 256, every: int | None = None,
                   look: Look = ALL_TERMS) -> RegularizedStochasticFrankWolfe:
        """ARSFW-U, equal weights and β_k = k^3/4/c: O(t^−1/4) for every t.

        Parameters
        ----------
        c : float, optional
            Scale of the weights. By default it is measured.
        step, regularizer, tolerance, batch, every, look : optional
            As for the class.

        Examples
        --------
        >>> RegularizedStochasticFrankWolfe.unweighted() == RegularizedStochasticFrankWolfe()
        True
        """
        return cls(Unweighted(c), step, regularizer, tolerance, batch, every, look)

    @override
    def first(self, f: Objective, S: AtomSet) -> Iterate:
        """Where a run without a start begins: w_1 = argmin Φ; for the squared norm, the centre."""
        return argmin_over(self.regularizer, S)

    @override
    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: Memory) -> Iterator[Progress]:
        rule, weights = in_advance(self.step), weights_of(self.sigma)
        oracle, x = memory.oracle(S), w.view("position", Position)
        mean: Average = w.view("average", lambda: Average(w))
        source: Supply = memory.part("source", lambda: source_of(f, memory.rng))
        leader: Leader = memory.part("leader", lambda: self.begins(f, S, x.array))
        duals: Duals | NoDuals = memory.part("duals", lambda: duals_of(f, oracle))
        stream = f.traits.terms == "stream"
        how = Regret() if stream and isinstance(self.look, FullGap) else self.look  # a stream has no full gap
        look: Looking = memory.part("look", lambda: at_steps(how, self.every).start(f, S, w, memory))
        for k in memory.count(first=1):
            if look.due(k, source.spent):
                point = w if how.averages else seen_from(w, CoordinateIterate(mean.array()))  # a regret keeps the mean
                told = {"spent": source.spent, "last": w.copy(), "bound": leader.bound, "R2": leader.R2}
                yield duals.improve(look(point, told))
            before, eta, b = source.spent, step_at(rule, k - 1), size(self.batch, k, source.terms)
            sigma, scale = weights.at(k, leader.c)
            g = duals.gradient(source.draw(b), x.array)
            h = leader.pull(scale, x.array)
            answer = oracle.argmin(h, tol=tolerance_at(self.tolerance, k - 1, memory.gap))
            leader.take(sigma, scale, g, float(np.vdot(h, x.array)) - answer.atom.dot(h) + answer.slack)
            look.seen(g, x.array, eta, sigma, b**-0.5 if b < source.n else 0.0)
            mean.include(sigma)
            w.work.products += 2.0 * (source.spent - before) / source.n
            w.move(w.toward(answer.atom), eta)

    def begins(self, f: Objective, S: AtomSet, x: Array) -> Leader:
        """ḡ_1 = 0 and Φ seen from x; c is measured if it is not given."""
        weights, r, R = weights_of(self.sigma), S.circumradius, float(S.radius_around(x))
        c = weights.c
        if c is None:
            V = steepness(f, S, x).V
            n = count_of(f)
            b = min(size(self.batch, 1, n), n or np.inf)
            c = weights.factor * b**0.5 * 0.5 * r * (r / V) if V > 0.0 else 1.0
            c = c if LEAST < c < 1.0 / LEAST else 1.0  # one point, a flat f, or what cannot be measured: no c is better
        return Leader(self.regularizer, x, c, 0.5 * R * R)  # Φ is 1-smooth

    @override
    def cautions(self, f: Objective, S: AtomSet) -> Iterator[str]:
        """Which conditions of the theorem these steps and weights do not meet."""
        rule, weights = in_advance(self.step), weights_of(self.sigma)
        if not diverges(lambda k: step_at(rule, k)):
            yield (f"Theorem ARSFW: the steps of {self.step!r} have a finite sum, so the iterates need not converge. "
                   "Use Power(0.5).")
        ratios = [weights.at(k, 1.0).sigma * weights.at(k, 1.0).scale / step_at(rule, k - 1) ** 1.5 for k in (LATE, LATER)]
        if not isinstance(self.sigma, Steady) and ratios[1] > 1.01 * ratios[0]:
            yield (f"Theorem ARSFW asks for weights σ_k ≤ cη_k^3/2, and those of {self.sigma!r} outgrow the steps of "
                   f"{self.step!r}: the iterates lag behind the subgradients. Use Fading() or Unweighted() with Power(0.5).")
