"""The bounds that hold for a run, and the reasons why others do not."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol, runtime_checkable

from greedyhull.errors import GreedyhullError, check
from greedyhull.theory.bound import Bound


class Refused(NamedTuple):
    """A statement that says nothing of the run, and why."""

    name: str
    reason: str


class Theorems(NamedTuple):
    """What there is to say of a run: how its record is read from the solution, and the statements about it by name.

    A solver whose method ``theorems()`` returns one has these statements listed by ``solution.bounds()``. A statement is a
    function of the record that yields bounds, and raises where it does not apply.
    """

    record: Callable[[Any], Any]
    statements: dict[str, Callable[[Any], Iterator[Bound]]]


@runtime_checkable
class Proving(Protocol):
    """A solver that names the statements about its runs."""

    def theorems(self) -> Theorems: ...


class Bounds(list[Bound]):
    """The bounds that hold for a run; ``refused`` are the statements that do not apply, each with its reason."""

    def __init__(self, bounds: list[Bound], refused: tuple[Refused, ...] = ()) -> None:
        super().__init__(bounds)
        self.refused = refused

    def named(self, name: str) -> Bound:
        """The first bound whose name contains ``name``; where it was refused, an error that says why."""
        for bound in self:
            if name in bound.name:
                return bound
        for refused in self.refused:
            check(name not in refused.name, f"{refused.name} does not apply to this run: {refused.reason}")
        raise GreedyhullError(f"There is no bound named {name!r}; there are {', '.join(bound.name for bound in self)}.")

    def __repr__(self) -> str:
        rows = [("bound", "value", "of", "holds", "formula", "constants")]
        rows += [(b.name, f"{b.value:.4g}", b.of, b.holds, b.formula, ", ".join(map(repr, b.constants))) for b in self]
        widths = [max(len(row[i]) for row in rows) for i in range(6)]
        lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        reasons: dict[str, list[str]] = {}
        for name, reason in self.refused:
            reasons.setdefault(reason, []).append(name)
        return "\n".join([*lines, *(f"Not {', '.join(names)}: {reason}" for reason, names in reasons.items())])
