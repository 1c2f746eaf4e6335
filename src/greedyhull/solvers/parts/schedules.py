"""Schedules: numbers that depend on k or on the last gap, such as the tolerances ε_k and the batch sizes b_k."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from types import FunctionType
from typing import cast

from greedyhull.errors import GreedyhullError, check
from greedyhull.errors.given import shown
from greedyhull.errors.hints import hinting
from greedyhull.types import Schedule, Solver
from greedyhull.types.kinds import made_of
from greedyhull.types.override import KeepsSchedule, override

WANTED = ("A number of at least 0 is wanted, from a schedule such as harmonic() or from a function of k and of the last gap, "
          "which is None at first.")


@dataclass(frozen=True)
class ConstantSchedule(KeepsSchedule):
    """Schedule that is the same number for every k."""

    value: float

    @override
    def __call__(self, k: int, gap: float | None = None) -> float:
        return self.value

    def __repr__(self) -> str:
        return f"constant({self.value:g})"


@dataclass(frozen=True)
class Harmonic(KeepsSchedule):
    """Schedule scale·2/(k + 2)."""

    scale: float

    @override
    def __call__(self, k: int, gap: float | None = None) -> float:
        return 2.0 * self.scale / (k + 2.0)

    def __repr__(self) -> str:
        return f"harmonic({self.scale:g})"


@dataclass(frozen=True)
class PowerSchedule(KeepsSchedule):
    """Schedule scale·(k + 1)^−p."""

    p: float
    scale: float

    @override
    def __call__(self, k: int, gap: float | None = None) -> float:
        return float(self.scale * (k + 1.0) ** -self.p)

    def __repr__(self) -> str:
        return f"power({self.p:g}, scale={self.scale:g})"


@dataclass(frozen=True)
class OfGap(KeepsSchedule):
    """Schedule fraction·gap for the last certified gap, and ``first`` before there is one."""

    fraction: float
    first: float

    @override
    def __call__(self, k: int, gap: float | None = None) -> float:
        return self.first if gap is None else self.fraction * gap

    def __repr__(self) -> str:
        return f"of_gap({self.fraction:g}, first={self.first:g})"


@hinting
def constant(value: float) -> ConstantSchedule:
    """Make the schedule k ↦ value.

    Parameters
    ----------
    value : float
        The number, at least 0. As a tolerance, the error settles within it (Theorem 1).

    Returns
    -------
    ConstantSchedule
        A function of k.

    See Also
    --------
    zero : The schedule 0.
    Constant : A constant step size.

    Examples
    --------
    >>> import greedyhull as gh
    >>> gh.constant(0.5)(7)
    0.5
    """
    check(value >= 0, f"constant({value!r}) was given; a non-negative number is wanted.")
    return ConstantSchedule(float(value))


@hinting
def harmonic(scale: float = 1.0) -> Harmonic:
    """Make the schedule k ↦ scale·2/(k + 2).

    As a solver's ``tolerance`` it makes a c-Frank-Wolfe or c-Jones method with c = scale, for which Theorem 2 holds.

    Parameters
    ----------
    scale : float, default 1.0
        The value at k = 0, at least 0.

    Returns
    -------
    Harmonic
        A function of k.

    See Also
    --------
    power : Other rates of decrease.
    of_gap : A tolerance that follows the gap.

    Examples
    --------
    >>> import greedyhull as gh
    >>> gh.harmonic(3.0)(1)
    2.0
    """
    check(scale >= 0, f"harmonic({scale!r}) was given; a non-negative number is wanted.")
    return Harmonic(float(scale))


@hinting
def power(p: float, scale: float = 1.0) -> PowerSchedule:
    """Make the schedule k ↦ scale·(k + 1)^−p.

    Parameters
    ----------
    p : float
        The exponent, at least 0. As tolerances, the numbers go to zero for p > 0, as Theorem 1 requires.
    scale : float, default 1.0
        The value at k = 0, at least 0.

    Returns
    -------
    PowerSchedule
        A function of k.

    See Also
    --------
    Power : Step sizes of this form.
    harmonic : The tolerance of Theorem 2.

    Examples
    --------
    >>> import greedyhull as gh
    >>> gh.power(0.5)(3)
    0.5
    """
    check(p >= 0 and scale >= 0, f"power({p!r}, {scale!r}) was given; non-negative numbers are wanted.")
    return PowerSchedule(float(p), float(scale))


@dataclass(frozen=True)
class Linear(KeepsSchedule):
    """Schedule max(1, scale·k)."""

    scale: float

    @override
    def __call__(self, k: int, gap: float | None = None) -> float:
        return max(1.0, self.scale * k)

    def __repr__(self) -> str:
        return f"linear({self.scale:g})"


@hinting
def linear(scale: float = 1.0) -> Linear:
    """Make the schedule k ↦ max(1, scale·k), for batches that grow with k.

    Parameters
    ----------
    scale : float, default 1.0
        The growth for each step, positive.

    Returns
    -------
    Linear
        A function of k.

    See Also
    --------
    Growing : Batches that grow as the noise requires.

    Examples
    --------
    >>> import greedyhull as gh
    >>> gh.linear()(7)
    7.0
    """
    check(isinstance(scale, Real), lambda: f"scale must be a positive number; got {shown(scale)}. linear is a schedule of "
          "batch sizes. A linear objective is function(lambda w: c @ w, lambda w: c, len(c)); S.argmin(c) is its minimum.")
    check(scale > 0, f"linear({scale!r}) was given; a positive number is wanted.")
    return Linear(float(scale))


@hinting
def of_gap(fraction: float, first: float = 0.0) -> OfGap:
    """Make the schedule fraction·gap, where gap is the last certified gap.

    It is a tolerance that tightens as the run converges.

    Parameters
    ----------
    fraction : float
        The share of the gap, in [0, 1).
    first : float, default 0.0
        The value before there is a gap.

    Returns
    -------
    OfGap
        A function of k and the gap.

    See Also
    --------
    harmonic : A tolerance that is known in advance.

    Examples
    --------
    >>> import greedyhull as gh
    >>> gh.of_gap(0.1)(3, gap=2.0)
    0.2
    """
    check(0 <= fraction < 1, f"of_gap({fraction!r}) was given; a fraction in [0, 1) is wanted.")
    return OfGap(float(fraction), float(first))


zero = constant(0.0)
"""The schedule k ↦ 0: no tolerance, the default of every solver."""


def check_tolerance(solver: Solver) -> None:
    """An error unless the tolerance of a solver, and those of the solvers that it is made of, can be asked for."""
    combining, around, tolerant = made_of(solver)
    if combining is None and around is None and tolerant is None:
        return
    for part in () if combining is None else combining.solvers:
        check_tolerance(part)
    if around is not None and around.solver is not None:
        check_tolerance(around.solver)
    tolerance = None if tolerant is None else tolerant.tolerance
    if tolerance is zero:
        return
    check(tolerance is None or callable(tolerance), lambda: f"tolerance={tolerance!r} was given to the solver; a schedule "
                                                            f"such as constant({tolerance!r}) or harmonic() is wanted.")
    ours = isinstance(tolerance, FunctionType) and tolerance.__module__ == __name__
    check(not ours, lambda: f"tolerance={shown(tolerance)} was given to the solver; a schedule such as harmonic() is wanted. "
                            f"Call the function: {cast(FunctionType, tolerance).__name__}(...).")


def tolerance_at(tolerance: Schedule, k: int, gap: float | None) -> float:
    """ε_k of a solver's tolerance, a number of at least 0, or an error that names what was given.

    >>> tolerance_at(harmonic(3.0), 1, None)
    2.0
    """
    if tolerance is zero:
        return 0.0
    try:
        epsilon = tolerance(k, gap)
    except TypeError as error:
        raise GreedyhullError(f"tolerance={shown(tolerance)} could not be evaluated at ({k}, {gap}): {error}. "
                              f"{WANTED}") from error
    if type(epsilon) is float and epsilon >= 0.0:
        return epsilon
    if not (isinstance(epsilon, Real) and epsilon >= 0.0):
        raise GreedyhullError(f"tolerance={shown(tolerance)} is {epsilon!r} at ({k}, {gap}). {WANTED}")
    return float(epsilon)
