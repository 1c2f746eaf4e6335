"""Step rules: how far to follow a line h(η) = f(w + ηv)."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite, log
from numbers import Real
from typing import Any, Protocol, runtime_checkable

from greedyhull.errors import check, hinted, shown
from greedyhull.objectives.base import number
from greedyhull.objectives.lines import NEAR
from greedyhull.objectives.losses.piecewise import KinkedLine
from greedyhull.solvers.parts.kept import Remembered
from greedyhull.types import Line, Step, StepRule

# What `core` of a rule returns first, as in native/frank_wolfe.hpp, with a parameter; None where Python has to take the steps.
# After a warm start the count of a schedule moves with the curvature of the lines, which only Python measures.
SEARCH, OPEN_LOOP, CONSTANT, POWER, LOG_ADAPTIVE = range(5)


class CheckedStep(Step):
    """A user's rule at work: what it returns is a number from 0 to the maximal step, or an error that names it."""

    def __init__(self, rule: StepRule, step: Step) -> None:
        self.rule, self.step = rule, step

    def __call__(self, line: Line, k: int) -> float:
        eta = self.step(line, k)
        if type(eta) is not float:
            eta = number(eta, f"At k = {k} step={self.rule!r}")
        check(0.0 <= eta <= line.max_step, lambda: _leaves(self.rule, k, eta, line.max_step))
        return eta


def checked_step(rule: StepRule, step: Step) -> Step:
    """``step``, the working form of ``rule``; what the rule of a user returns is checked."""
    return step if type(rule).__module__.startswith("greedyhull.") else CheckedStep(rule, step)


def no_rule(rule: object) -> str:
    """The message for something that is no step rule.

    >>> no_rule(0.1).endswith("For a fixed step size use Constant(0.1).")
    True
    """
    how = ""
    if isinstance(rule, type):
        how = f" Make one: {rule.__name__}()."
    elif isinstance(rule, Real) and not isinstance(rule, bool):
        how = f" For a fixed step size use Constant({rule!r})."
    elif callable(rule):
        how = (" A rule of your own is a class with a method start(warm) that returns a function of a line and k; "
               "greedyhull.extend.check_step tests it.")
    return f"step={shown(rule)} was given to the solver; a step rule such as Exact() or Short() is wanted.{how}"


def step_at(rule: Any, k: int) -> float:
    """η_k of a rule that is known in advance, a number from 0 to 1."""
    eta = rule.at(k)
    if type(eta) is not float:
        eta = number(eta, f"at({k}) of step={rule!r}")
    check(0.0 <= eta <= 1.0, lambda: _leaves(rule, k, eta, 1.0))
    return eta


def _leaves(rule: Any, k: int, eta: float, most: float) -> str:
    return (f"step={shown(rule)} returned {eta!r} at k = {k}, where steps from 0 to {most:g} stay in the hull. "
            "greedyhull.extend.check_step shows what is wrong with it.")


@runtime_checkable
class APriori(Protocol):
    """A rule that is known in advance: η_k, whatever the line."""

    def at(self, k: float) -> float: ...


KINKED = "f has kinks along this step, so no curvature bounds it: Short() and Backtracking() have no step. Use Smoothed()."


def within(step: float, line: Line) -> float:
    """``step`` cut back to where the line is defined: [0, max_step] below the limit; one that is NaN is no step."""
    step = min(step, line.max_step) if step > 0.0 else 0.0
    return step if step < line.limit else NEAR * line.limit


def check_advance(rule: object, others: str = "Power(0.5)") -> None:
    check(isinstance(rule, APriori) and not isinstance(rule, type), f"step must be known in advance; got {rule!r}, which "
          f"needs values of f, and a stochastic solver computes none. Use {others}.")


Plain = Step  # the name in greedyhull.extend


class _Scheduled(Remembered, Step):
    """η_k of an a-priori rule. After a warm start its count begins where the schedule meets the short step e₀/M. e₀ is the
    slope of the first line that falls, M the largest bend so far: the error stays below `theory.warm_start_rate`."""

    kept_numbers = ("warm", "shift", "first", "gap", "bend")

    def __init__(self, rule: OpenLoop | LogAdaptive | Constant | Power, warm: bool) -> None:
        self.rule, self.warm, self.shift = rule, warm, 0.0
        self.first, self.gap, self.bend = 0, 0.0, 0.0

    def __call__(self, line: Line, k: int) -> float:
        if self.warm and not self._begun(line, k):
            return 0.0  # where no line falls, the start is kept
        return within(self.rule.at(k + self.shift), line)

    def _begun(self, line: Line, k: int) -> bool:
        begins = self.gap == 0.0
        if begins and not line.slope < 0.0:
            return False
        if begins:
            self.first, self.gap = k, -line.slope
        bend = line.bend
        if not isfinite(bend):  # unknown: the first line search tells
            best = line.argmin() if begins else 0.0
            bend = self.gap / best if best > 0.0 else 0.0
        if bend > self.bend:
            self.bend, self.shift = bend, max(self._count(self.gap / bend) - self.first, 0.0)
        return True

    def _count(self, eta: float) -> float:
        """The k, not a whole number, at which the schedule has come down to ``eta``."""
        low, high = 0.0, 1.0
        while self.rule.at(high) > eta and high < 1e18:
            low, high = high, 2.0 * high
        for _ in range(60):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self.rule.at(middle) > eta else (low, middle)
        return high if self.rule.at(0.0) > eta else 0.0


@hinted
@dataclass(frozen=True, repr=False)
class OpenLoop(StepRule):
    """Open-loop step sizes, η_k = ℓ/(k + ℓ), that need no function values.

    Parameters
    ----------
    ell : float, default 2.0
        ℓ, at least 1. Larger values give larger steps, and faster rates on some sets.
    late : bool, default True
        Whether the count begins where the schedule meets the short step after a warm start, so that η_0 = 1 does not throw
        the start away. If False, the steps are ℓ/(k + ℓ), k = 0, 1, …, from every start, as in the paper.

    Notes
    -----
    With ℓ = 2 and an oracle of tolerance ε_k ≤ cη_k, the error of Frank-Wolfe is at most (2M + 4c)/(k + 2) (Theorem 2).

    Examples
    --------
    >>> import greedyhull as gh
    >>> gh.OpenLoop().at(2)
    0.5
    """

    ell: float = 2.0
    late: bool = field(default=True, metadata={"added": True})

    def __post_init__(self) -> None:
        check(self.ell >= 1, f"ell must be at least 1; got {self.ell!r}.")
        check(isinstance(self.late, bool), f"late must be True or False; got {self.late!r}.")

    def __repr__(self) -> str:
        return f"OpenLoop(ell={self.ell!r})" if self.late else f"OpenLoop(ell={self.ell!r}, late=False)"

    def core(self, quadratic: bool, warm: bool) -> tuple[int, float] | None:
        return None if warm else (OPEN_LOOP, float(self.ell))

    def at(self, k: float) -> float:
        return self.ell / (k + self.ell)

    def start(self, warm: bool = False) -> _Scheduled:
        return _Scheduled(self, warm and self.late)


@hinted
@dataclass(frozen=True)
class LogAdaptive(StepRule):
    """Open-loop step sizes η_k = (2 + log(k + 1))/(k + 2 + log(k + 1)).

    They adapt to faster rates where a problem allows them. The error goes to zero by Theorem 1.

    Examples
    --------
    >>> import greedyhull as gh
    >>> gh.LogAdaptive().at(0)
    1.0
    """

    def core(self, quadratic: bool, warm: bool) -> tuple[int, float] | None:
        return None if warm else (LOG_ADAPTIVE, 0.0)

    def at(self, k: float) -> float:
        ell = 2.0 + log(k + 1.0)
        return ell / (k + ell)

    def start(self, warm: bool = False) -> _Scheduled:
        return _Scheduled(self, warm)


@hinted
@dataclass(frozen=True)
class Constant(StepRule):
    """Constant step size η_k = η.

    Parameters
    ----------
    eta : float
        η, in (0, 1].

    Notes
    -----
    With an oracle of tolerance ε the error settles within ε + Mη/2 (Theorem 1).

    Examples
    --------
    >>> import greedyhull as gh
    >>> gh.FrankWolfe(step=gh.Constant(0.1))
    FrankWolfe(step=Constant(eta=0.1), tolerance=constant(0))
    """

    eta: float

    def __post_init__(self) -> None:
        check(0 < self.eta <= 1, f"eta must be in (0, 1]; got {self.eta!r}.")

    def core(self, quadratic: bool, warm: bool) -> tuple[int, float]:
        return CONSTANT, float(self.eta)

    def at(self, k: float) -> float:
        return self.eta

    def start(self, warm: bool = False) -> _Scheduled:
        return _Scheduled(self, warm=False)


@hinted
@dataclass(frozen=True)
class Power(StepRule):
    """Step sizes η_k = (k + 1)^−p, which is k^−p where k counts from one.

    Parameters
    ----------
    p : float
        The exponent, in [0, 1]. For larger ones the steps have a finite sum, and the iterates need not reach the optimum.

    Notes
    -----
    The error goes to zero for 0 < p ≤ 1 (Theorem 1). `StochasticJones` uses p = ½.

    Examples
    --------
    >>> import greedyhull as gh
    >>> gh.Power(0.5).at(3)
    0.5
    """

    p: float

    def __post_init__(self) -> None:
        check(0 <= self.p <= 1, f"Power({self.p!r}) was given; p in [0, 1] is wanted: for p > 1 the steps sum to a finite "
                                "number and the iterates need not reach the optimum (Theorem 1).")

    def core(self, quadratic: bool, warm: bool) -> tuple[int, float] | None:
        return None if warm else (POWER, float(self.p))

    def at(self, k: float) -> float:
        return float((k + 1.0) ** -self.p)

    def start(self, warm: bool = False) -> _Scheduled:
        return _Scheduled(self, warm)


@hinted
@dataclass(frozen=True)
class Short(StepRule):
    """Short step: the minimiser of the quadratic upper bound on f along the line.

    η = min(max_step, −h'(0)/bend), where bend bounds h'' on the line h(η) = f(w + ηv). f is never evaluated. It is an error
    if no finite bound is known: a `function` needs ``smoothness``.

    Notes
    -----
    The error of Frank-Wolfe is at most 2M/(k + 3).

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> s = gh.minimize(gh.quadratic(np.eye(3)), gh.Simplex(3), gh.FrankWolfe(gh.Short()), stop=gh.Iterations(2))
    >>> s.x.round(4)
    array([0.3333, 0.3333, 0.3333])
    """

    def core(self, quadratic: bool, warm: bool) -> tuple[int, float] | None:
        return (SEARCH, 0.0) if quadratic else None

    def start(self, warm: bool = False) -> Short._Working:
        return self._Working()

    class _Working(Step):
        def __call__(self, line: Line, k: int) -> float:
            if not line.slope < 0.0:
                return 0.0
            bend = line.bend
            check(not isinstance(line, KinkedLine), KINKED)
            check(isfinite(bend), "Short() needs a finite bound on the curvature along the step, and this objective has "
                                  "none there. Use Exact() or Backtracking().")
            return within(-line.slope / bend if bend > 0.0 else line.max_step, line)


@hinted
@dataclass(frozen=True)
class Exact(StepRule):
    """Exact line search, η = argmin of f along the line.

    Closed form for quadratics, a safeguarded Newton search for other f. Where a value costs a call of a gradient, as for
    `function`, or a pass over shards, the search ends once f falls by 0.9 of what an exact search is sure to bring.

    Notes
    -----
    The error of Frank-Wolfe is at most 2M/(k + 3), and 2M/(0.9(k + 3)) where searches end early.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> s = gh.minimize(gh.quadratic(np.eye(3)), gh.Simplex(3), gh.FrankWolfe(gh.Exact()), stop=gh.Iterations(2))
    >>> s.x.round(4)
    array([0.3333, 0.3333, 0.3333])
    """

    def core(self, quadratic: bool, warm: bool) -> tuple[int, float]:
        return SEARCH, 0.0

    def start(self, warm: bool = False) -> Exact._Working:
        return self._Working()

    class _Working(Step):
        def __call__(self, line: Line, k: int) -> float:
            return line.enough()


@hinted
@dataclass(frozen=True)
class Capped(StepRule):
    """Line search over [0, η_k], where a schedule gives η_k.

    It is made for `StochasticJones`: the minimiser of a sample of f may be too far.

    Parameters
    ----------
    rule : OpenLoop, LogAdaptive, Constant or Power
        The schedule that caps the step.

    Examples
    --------
    >>> import greedyhull as gh
    >>> from greedyhull.objectives.lines import Parabola
    >>> gh.Capped(gh.OpenLoop()).start()(Parabola(1.0, -1.0, 1.25, 1.0), k=2)
    0.5
    """

    rule: OpenLoop | LogAdaptive | Constant | Power

    def __post_init__(self) -> None:
        check(isinstance(self.rule, APriori) and not isinstance(self.rule, type),
              f"rule of Capped must be known in advance, such as Power(0.5); got {self.rule!r}.")

    def start(self, warm: bool = False) -> Capped._Working:
        return self._Working(self.rule.start(warm))

    class _Working(Step):
        def __init__(self, cap: _Scheduled) -> None:
            self.cap, self.state, self.restore = cap, cap.state, cap.restore  # type: ignore[method-assign]

        def __call__(self, line: Line, k: int) -> float:
            return min(line.argmin(), self.cap(line, k))


@hinted
@dataclass(frozen=True)
class Backtracking(StepRule):
    """Short step with an estimated curvature M.

    M is doubled until h(η) ≤ h(0) + ηh'(0) + Mη²/2 on the line h(η) = f(w + ηv), and relaxed before the next step.

    Parameters
    ----------
    first : float, optional
        The first estimate of M. By default it is measured over a tiny first step.
    relax : float, default 0.9
        The factor by which the estimate is reduced before each step, in (0, 1]. 1 never reduces it.

    Notes
    -----
    The bounds of short steps hold with the largest M that was used, `Solution.curvature`.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.function(lambda w: float(np.cosh(w).sum()), np.sinh, 3)
    >>> gh.minimize(f, gh.Simplex(3), gh.FrankWolfe(gh.Backtracking()), stop=gh.Gap(1e-3)).converged
    True
    """

    first: float | None = None
    relax: float = 0.9

    def __post_init__(self) -> None:
        check(self.first is None or self.first > 0, f"first must be positive, or None; got {self.first!r}.")
        check(0 < self.relax <= 1, f"relax must be in (0, 1]; got {self.relax!r}.")

    def start(self, warm: bool = False) -> Backtracking._Working:
        return self._Working(self)

    class _Working(Remembered, Step):
        kept_numbers = ("M", "largest")

        def __init__(self, rule: Backtracking) -> None:
            self.rule = rule
            self.M = 0.0 if rule.first is None else float(rule.first)
            self.largest = 0.0

        def __call__(self, line: Line, k: int) -> float:
            if not line.slope < 0.0 or line.max_step <= 0.0:
                return 0.0
            check(not isinstance(line, KinkedLine), KINKED)
            start = line.value(0.0)
            self.M = self.rule.relax * self.M if self.M > 0 else self._first(line, start)
            noise = 1e-14 * (abs(start) + 1e-300)
            for _ in range(100):
                step = within(-line.slope / self.M, line)
                if line.value(step) <= start + step * (line.slope + 0.5 * self.M * step) + noise:
                    break
                self.M *= 2.0
            self.largest = max(self.largest, self.M)
            return step

        def _first(self, line: Line, start: float) -> float:
            probe = within(1e-3 * min(line.max_step, 1.0), line)
            least = max(1e-6 * abs(line.slope), 1e-300)
            if probe * probe == 0.0:  # too short to see anything
                return least
            return max(least, 2.0 * (line.value(probe) - start - probe * line.slope) / (probe * probe))
