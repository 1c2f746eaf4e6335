"""What oracles are asked, and what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

import numpy as np

if TYPE_CHECKING:
    from greedyhull.types.arrays import Array, Index, Kind, State
    from greedyhull.types.atoms import Atom, Block


class Answer(NamedTuple):
    """What an oracle says: ⟨g, atom⟩ ≤ min ⟨g, ·⟩ + slack, and what kind of promise that is.

    An infinite slack promises nothing. ``delta`` is how likely a promise of kind "probability" is to fail, whatever was asked
    before; without it the promise is an "estimate". Answers are read by field.
    """

    atom: Atom
    slack: float = 0.0
    kind: Kind = "always"
    delta: float = 0.0


class Shortlist(NamedTuple):
    """The best atoms an oracle can name at once, the best one first: that one is an `Answer` with this slack.

    With ``owners``, whose each atom is: the first one of each owner is its best, and slack is the sum over the owners.
    """

    atoms: Block
    slack: float = 0.0
    kind: Kind = "always"
    delta: float = 0.0
    owners: Index | None = None


class Floor(NamedTuple):
    """A proof: ⟨g, ·⟩ is nowhere below ``lower`` on the set, and what kind of promise that is.

    ``sharpest`` is what a proof is off by at least where a sharper one would take too long; 0 where any can be had.
    """

    lower: float
    kind: Kind = "always"
    delta: float = 0.0
    sharpest: float = 0.0


@runtime_checkable
class Oracle(Protocol):
    """The linear oracle of one solve: it may hold a cache, warm vectors, counters.

    `greedyhull.atoms.oracle_base.OracleBase` makes ``best`` from ``argmin``, or ``argmin`` from ``best``, and the rest.
    """

    def best(self, g: Array, m: int = 1, *, tol: float = 0.0, enough: float = -np.inf) -> Shortlist: ...
    def argmin(self, g: Array, tol: float = 0.0, enough: float = -np.inf) -> Answer: ...  # best(g, 1), its one atom
    def floor(self, g: Array, tol: float = 0.0) -> Floor: ...  # a proof on demand, where answers come without one
    def state(self) -> State: ...
    def restore(self, state: State) -> None: ...


class Caching(Oracle, Protocol):
    """An oracle that answers from a cache where it can; ``misses`` counts the answers for which the set was searched."""

    @property
    def misses(self) -> int: ...
