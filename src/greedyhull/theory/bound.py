"""Numbers that say how far they can be trusted."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from greedyhull.errors import check

if TYPE_CHECKING:
    from greedyhull.types import Kind

Status = Literal["exact", "upper bound", "estimated"]
Quantity = Literal["error", "certified gap", "least gap", "mean gap", "limit"]


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

    What is bounded is ``of``: the "error" f(w_k) - f* of the last point; its "certified gap", f(w_k) minus the best
    lower bound of the run; the "least gap" of the run's points; their "mean gap", with the steps as weights; the "limit",
    limsup f(w_k) - f* of the endless run. ``kind`` is "always" unless the oracle's answers were right only with a probability,
    or "expectation" where the bound is one of a mean over the random draws of a stochastic run.

    >>> Bound("Theorem 2 (rate)", 0.08, (Constant(4.0, "exact", "M"), Constant(0.0, "exact", "c")), "(2M + 4c)/(k + 2)")
    Theorem 2 (rate): (2M + 4c)/(k + 2) = 0.08, always; M = 4 (exact), c = 0 (exact)
    """

    name: str
    value: float
    constants: tuple[Constant, ...]
    formula: str
    of: Quantity = "error"
    kind: "Kind" = "always"

    def __post_init__(self) -> None:
        check(not math.isnan(self.value), f"The bound {self.name!r} is nan. Compute it from finite constants.")
        for constant in self.constants:
            check(
                math.isfinite(constant.value),
                f"The bound {self.name!r} was given {constant!r}, and a bound needs finite constants. "
                "Smooth the objective, or use a bound that does not need this constant.",
            )

    @property
    def holds(self) -> "Kind":
        """An estimate if any constant was estimated, else what ``kind`` says: always, as a rule."""
        return "estimate" if any(constant.status == "estimated" for constant in self.constants) else self.kind

    def __repr__(self) -> str:
        given = ", ".join(repr(constant) for constant in self.constants)
        of = "" if self.of == "error" else f" for the {self.of}"
        return f"{self.name}: {self.formula} = {self.value:.6g}{of}, {self.holds}" + (f"; {given}" if given else "")
