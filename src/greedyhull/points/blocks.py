"""Blocks of atoms of any shape: what a shape has to write, and how a saved block finds its way back.

A block keeps many atoms of one shape. `BlockBase` asks the atoms one by one; a shape overrides what it can do at once. A shape
whose points are to be saved registers its ``kind``: a state carries it, and whoever reads the state asks the function that was
registered.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.types import Array, Atom, Block, Design, Gradient, Index, Shape, State
from greedyhull.types.override import KeepsBlock, keeps, override


class BlockBase(ABC, KeepsBlock):
    """Many atoms of one shape. To write: ``kind``, ``shape``, ``len``, ``[i]``, `append`, `take` and `state`.

    ``shape`` is that of the points, (size,) where the atoms do not care. `append` returns the block itself, or another one
    where it is given an atom of another shape: ``greedyhull.points.shapes.widened(self, atom)``.
    """

    __slots__ = ()
    kind: str
    shape: Shape

    if TYPE_CHECKING:
        keeps(Block.kind, Block.shape)

    @abstractmethod
    @override
    def __len__(self) -> int: ...

    @abstractmethod
    @override
    def __getitem__(self, i: int) -> Atom: ...

    @abstractmethod
    @override
    def append(self, atom: Atom) -> Block:
        """This block with one atom more, at its end."""

    @abstractmethod
    @override
    def take(self, index: Index) -> Block:
        """A new block of the atoms at these places, which may be none."""

    @abstractmethod
    @override
    def state(self) -> State:
        """All that the function that was registered for ``kind`` needs to make this block again."""

    @property
    @override
    def keys(self) -> Sequence[Hashable]:
        """The keys of the atoms."""
        return [self[i].key for i in range(len(self))]

    @override
    def key_of(self, atom: Atom) -> Hashable:
        """The key that an atom has, or would have, in this block."""
        return atom.key

    @override
    def dots(self, g: Gradient) -> Array:
        """⟨g, dᵢ⟩ for every atom."""
        return np.array([self[i].dot(g) for i in range(len(self))], dtype=np.float64)

    @override
    def combine(self, A: Design, c: Array) -> Array:
        """A Σ cᵢ dᵢ."""
        x = np.zeros(A.domain)
        self.add_to(x, c)
        return A.matvec(x)

    @override
    def images(self, A: Design) -> Any:
        """The images A dᵢ as columns, in Fortran order as those of a design."""
        return np.stack([self[i].image(A) for i in range(len(self))]).T

    @override
    def add_to(self, w: Array, c: Array) -> None:
        """w ← w + Σ cᵢ dᵢ."""
        for i, weight in enumerate(c.tolist()):
            self[i].add_to(w, weight)

    @override
    def add_sizes_to(self, w: Array, c: Array) -> None:
        """w ← w + Σ cᵢ|dᵢ|."""
        d = np.zeros(w.shape)
        for i, weight in enumerate(c.tolist()):
            d[...] = 0.0
            self[i].add_to(d, 1.0)
            w += weight * np.abs(d)

    @override
    def extend(self, atoms: Block) -> Block:
        """A new block with the atoms of both."""
        block = self.take(np.arange(len(self)))
        for i in range(len(atoms)):
            block = block.append(atoms[i])
        return block

    @override
    def unnamed(self) -> Block:
        """The same atoms, known by their numbers alone: names that a set gave them mean nothing to others."""
        return self


def checked_block(made: Any, whose: str | type) -> Block:
    """What was made, if it is a block; ``whose``: the class of the atom that made it, or who did in words."""
    if not is_block(made):
        maker = whose if isinstance(whose, str) else f"block(size) of a {whose.__name__}"
        raise GreedyhullError(f"{maker} made a {type(made).__name__}, which is no block of atoms. Derive its class from "
                              "greedyhull.extend.BlockBase.")
    return made  # type: ignore[no-any-return]


def is_block(made: object) -> bool:
    """Whether it is a block of atoms."""
    cls: Any = type(made)  # mypy takes no class for hashable
    return _derived(cls) or isinstance(made, Block)


@lru_cache(maxsize=256)
def _derived(cls: type) -> bool:
    """Whether a class is derived from `BlockBase`."""
    return issubclass(cls, BlockBase)


class _Registered(NamedTuple):
    restore: Callable[[State], Block]
    home: str  # the module that registered it


_KINDS: dict[str, _Registered] = {}


def register_block(kind: str, restore: Callable[[State], Block]) -> None:
    """Tell that ``restore(state)`` makes the block of this ``kind`` that wrote ``state``.

    Kinds are written into files: choose a name that no other package will, "my_package.rank_one" say, and keep it. Register it
    where the block's class is defined, so that whoever imports the class can read its files.
    """
    check(isinstance(kind, str) and kind != "", lambda: f"register_block(kind={kind!r}, ...) was given; a name is wanted.")
    check(callable(restore), lambda: f"register_block({kind!r}, {restore!r}) was given; a function of a state that makes a "
                                     "block is wanted.")
    home = restore.__module__ or ""  # a function in C may have none
    known = _KINDS.get(kind)
    check(known is None or known.home == home, lambda: f"Blocks of the kind {kind!r} are registered by "
          f"{known and known.home!r} already, and {home!r} registers them again. Give yours a name of its own.")
    _KINDS[kind] = _Registered(restore, home)


def block_state(block: Block) -> State:
    """What a file has to know of ``block``: its own state, its kind, and who can read it."""
    kind = block.kind
    check(kind in _KINDS, lambda: f"A {type(block).__name__} was to be saved, and its kind {kind!r} is not registered, so "
          "that nobody could read it. Call greedyhull.extend.register_block(kind, restore) where the class is defined.")
    own = block.state()
    taken = sorted({"kind", "home"} & own.keys())
    check(not taken, lambda: f"The state of a {type(block).__name__} has the name {taken[0]!r}, which says which kind of "
                             "block it is. Call the array otherwise.")
    return {**own, "kind": np.array(kind), "home": np.array(_KINDS[kind].home)}


def block_from(state: State) -> Block:
    """The block that `block_state` told of."""
    kind = str(state["kind"]) if "kind" in state else _kind_of(state)
    if kind not in _KINDS:
        home = str(state.get("home", ""))
        whose = "the program that wrote it" if home in ("", "__main__") else home
        raise GreedyhullError(f"The saved state has atoms of the kind {kind!r}, which nobody has registered here. When it was "
                              f"saved, {whose} had: import it, and read the state again.")
    made = _KINDS[kind].restore({name: array for name, array in state.items() if name not in ("kind", "home")})
    return checked_block(made, f"The function that {_KINDS[kind].home} registered for blocks of the kind {kind!r}")


def _kind_of(state: State) -> str:
    """The kind of a block whose state was written before states said so: one of the three that there were."""
    for kind, name in (("basis", "basis.index"), ("dense", "dense.rows"), ("sparse", "sparse.starts")):
        if name in state:
            return kind
    raise GreedyhullError(f"A saved block does not say of which kind it is, and has the arrays {sorted(state)}. Give the file "
                          "that checkpoint= wrote.")
