"""Schedules: numbers that depend on k, known in advance, or adaptive in the gap. η_k, ε_k, b_k, σ_k are all schedules."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

from greedyhull.errors import GreedyhullError, check
from greedyhull.types import Schedule, Solver
from greedyhull.types.kinds import parts_of, tolerance_of

WANTED = ("A number of at least 0 is wanted, from a schedule such as harmonic() or from a function of k and of the last gap, "
          "which is None at first.")


@dataclass(frozen=True)
class ConstantSchedule:
    """The same number for every k."""

    value: float

    def __call__(self, k: int, gap: float | None = None) -> float:
        return self.value

    def __repr__(self) -> str:
        return f"constant({self.value:g})"


@dataclass(frozen=True)
class Harmonic:
    """scale·2/(k + 2): a tolerance c·η_k of a c-Frank-Wolfe or c-Jones run."""

    scale: float

    def __call__(self, k: int, gap: float | None = None) -> float:
        return 2.0 * self.scale / (k + 2.0)

    def __repr__(self) -> str:
        return f"harmonic({self.scale:g})"


@dataclass(frozen=True)
class PowerSchedule:
    """scale·(k + 1)^−p."""

    p: float
    scale: float

    def __call__(self, k: int, gap: float | None = None) -> float:
        return float(self.scale * (k + 1.0) ** -self.p)

    def __repr__(self) -> str:
        return f"power({self.p:g}, scale={self.scale:g})"


@dataclass(frozen=True)
class OfGap:
    """fraction·gap, the last certified gap: a tolerance that tightens as the run converges; ``first`` before any gap."""

    fraction: float
    first: float

    def __call__(self, k: int, gap: float | None = None) -> float:
        return self.first if gap is None else self.fraction * gap

    def __repr__(self) -> str:
        return f"of_gap({self.fraction:g}, first={self.first:g})"


def constant(value: float) -> ConstantSchedule:
    """k ↦ value.

    >>> constant(0.5)(7)
    0.5
    """
    check(value >= 0, f"constant({value!r}) was given; a non-negative number is wanted.")
    return ConstantSchedule(float(value))


def harmonic(scale: float = 1.0) -> Harmonic:
    """k ↦ scale·2/(k + 2).

    >>> harmonic(3.0)(1)
    2.0
    """
    check(scale >= 0, f"harmonic({scale!r}) was given; a non-negative number is wanted.")
    return Harmonic(float(scale))


def power(p: float, scale: float = 1.0) -> PowerSchedule:
    """k ↦ scale·(k + 1)^−p.

    >>> power(0.5)(3)
    0.5
    """
    check(p >= 0 and scale >= 0, f"power({p!r}, {scale!r}) was given; non-negative numbers are wanted.")
    return PowerSchedule(float(p), float(scale))


@dataclass(frozen=True)
class Linear:
    """scale·k, at least one: a batch that grows with the steps."""

    scale: float

    def __call__(self, k: int, gap: float | None = None) -> float:
        return max(1.0, self.scale * k)

    def __repr__(self) -> str:
        return f"linear({self.scale:g})"


def linear(scale: float = 1.0) -> Linear:
    """k ↦ max(1, scale·k).

    >>> linear()(7)
    7.0
    """
    check(scale > 0, f"linear({scale!r}) was given; a positive number is wanted.")
    return Linear(float(scale))


def of_gap(fraction: float, first: float = 0.0) -> OfGap:
    """(k, gap) ↦ fraction·gap.

    >>> of_gap(0.1)(3, gap=2.0)
    0.2
    """
    check(0 <= fraction < 1, f"of_gap({fraction!r}) was given; a fraction in [0, 1) is wanted.")
    return OfGap(float(fraction), float(first))


zero = constant(0.0)


def check_tolerance(solver: Solver) -> None:
    """An error unless the tolerance of a solver, and those of the solvers that it is made of, can be asked for."""
    for part in parts_of(solver):
        check_tolerance(part)
    tolerance = tolerance_of(solver)
    check(tolerance is None or callable(tolerance), lambda: f"tolerance={tolerance!r} was given to the solver; a schedule "
                                                            f"such as constant({tolerance!r}) or harmonic() is wanted.")


def tolerance_at(tolerance: Schedule, k: int, gap: float | None) -> float:
    """ε_k of a solver's tolerance, a number of at least 0, or an error that names what was given.

    >>> tolerance_at(harmonic(3.0), 1, None)
    2.0
    """
    try:
        epsilon = tolerance(k, gap)
    except TypeError as error:
        raise GreedyhullError(f"tolerance={tolerance!r} could not be asked for its value at ({k}, {gap}): {error}. "
                              f"{WANTED}") from error
    if type(epsilon) is float and epsilon >= 0.0:
        return epsilon
    if not (isinstance(epsilon, Real) and epsilon >= 0.0):
        raise GreedyhullError(f"tolerance={tolerance!r} is {epsilon!r} at ({k}, {gap}). {WANTED}")
    return float(epsilon)
