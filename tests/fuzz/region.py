"""A random set: with a test of membership of its own, and with the points that a minimum is looked for among."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from greedyhull.types import Array, AtomSet
from tests.fuzz.draws import Rng, scale

Pull = Callable[[Array], Array | None]


@dataclass(frozen=True, eq=False)
class Region:
    """S, how far outside it a point is, and ``pull``: the point moved into the set where rounding left it outside.

    ``atoms`` lists all atoms where these are what defines the set; ``some`` are a few of its points. ``again`` is the same
    set changed a little: an atom more, a bound wider, other weights, another radius.
    """

    kind: str
    S: Any
    d: int
    outside: Callable[[Array], float]
    pull: Pull
    some: Array
    again: Callable[[Rng], Region]
    atoms: Array | None = None
    loose: float = 0.0  # what the set's own definition leaves open, relative to its size
    inner: Any = None  # the set that references are computed over, where that is not S

    @property
    def plain(self) -> Any:
        """The set with an exact oracle of the library's own."""
        return self.S if self.inner is None else self.inner

    @property
    def words(self) -> str:
        return repr(self.S)

    def wrapped(self, S: AtomSet, how: str) -> Region:
        return replace(self, kind=f"{how}({self.kind})", S=S, inner=self.plain)


def radius_of(rng: Rng) -> float:
    """A radius: between 0.1 and 3, or of any scale."""
    return float(rng.uniform(0.1, 3.0) * scale(rng))
