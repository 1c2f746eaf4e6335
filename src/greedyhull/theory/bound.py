"""Numbers that say how far they can be trusted."""

import math
from dataclasses import dataclass
from typing import Literal, get_args

from greedyhull.errors import check

Status = Literal["exact", "upper bound", "estimated"]


@dataclass(frozen=True, repr=False)
class Constant:
    """A constant of the problem, and how it was found.

    >>> Constant(4.0, "upper bound", "M")
    M = 4 (upper bound)
    """

    value: float
    status: Status
    name: str

    def __post_init__(self) -> None:
        check(not math.isnan(self.value), f"The constant {self.name} is nan. Pass its value, or inf if it has none.")
        check(
            self.status in get_args(Status),
            f"The constant {self.name} has status {self.status!r}; wanted is one of {get_args(Status)}. "
            "If in doubt, it is 'estimated'.",
        )

    def __float__(self) -> float:
        return float(self.value)

    def __repr__(self) -> str:
        return f"{self.name} = {self.value:.6g} ({self.status})"


@dataclass(frozen=True, repr=False)
class Bound:
    """A statement with its numbers filled in; it holds always only if none of its constants was estimated.

    >>> Bound("Theorem 2 (rate)", 0.08, (Constant(4.0, "exact", "M"), Constant(0.0, "exact", "c")), "(2M + 4c)/(k + 2)")
    Theorem 2 (rate): (2M + 4c)/(k + 2) = 0.08, always; M = 4 (exact), c = 0 (exact)
    """

    name: str
    value: float
    constants: tuple[Constant, ...]
    formula: str

    def __post_init__(self) -> None:
        check(not math.isnan(self.value), f"The bound {self.name!r} is nan. Compute it from finite constants.")
        for constant in self.constants:
            check(
                math.isfinite(constant.value),
                f"The bound {self.name!r} was given {constant!r}, and a bound needs finite constants. "
                "Smooth the objective, or use a bound that does not need this constant.",
            )

    @property
    def holds(self) -> Literal["always", "estimate"]:
        """Always if every constant is exact or an upper bound, an estimate otherwise."""
        return "estimate" if any(constant.status == "estimated" for constant in self.constants) else "always"

    def __repr__(self) -> str:
        given = ", ".join(repr(constant) for constant in self.constants)
        return f"{self.name}: {self.formula} = {self.value:.6g}, {self.holds}" + (f"; {given}" if given else "")
