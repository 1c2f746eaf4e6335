"""Blocks of atoms of any shape, and how a saved state is read back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from sys import float_info
from typing import Any, TypeAlias

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.types import Array, Atom, Design, Gradient, Index, Shape, State


class SpoiledError(GreedyhullError):
    """Error about a saved state that no run has written; code that knows the file names it."""


Kept: TypeAlias = Any  # saved with a run: it has state() and restore(state)


def under(prefix: str, state: State) -> State:
    """The part of ``state`` whose names begin with ``prefix.``, without it."""
    return {name[len(prefix) + 1 :]: array for name, array in state.items() if name.startswith(prefix + ".")}


def numbers(state: State, name: str, shape: tuple[int | None, ...], low: float = -float_info.max,
            high: float = float_info.max, types: str = "d") -> Array:
    """Return the array ``name`` of a saved state; raise unless it has this shape, type and range. None is any length."""
    check(name in state, lambda: f"There is no array {name}.")
    array = np.asarray(state[name])
    fits = array.ndim == len(shape) and all(n is None or n == m for n, m in zip(shape, array.shape, strict=True))
    within = fits and array.dtype.char in types and bool(((array >= low) & (array <= high)).all())
    check(within, lambda: f"{name} must have the shape {shape} and {'floats' if types == 'd' else 'integers'} from {low:g} to "
                          f"{high:g}; got {array.dtype} of shape {array.shape}, beginning {array.ravel()[:4].tolist()!r:.80}.")
    return array


def places(state: State, name: str, shape: tuple[int | None, ...], low: float = 0.0, high: float = 2.0**53) -> Index:
    """Return an array of integers, which are at least 0 by default."""
    return numbers(state, name, shape, low, high, np.typecodes["AllInteger"])


def count(state: State, name: str, low: float = 0.0, high: float = 2.0**53) -> int:
    """Return one integer."""
    return int(places(state, name, (), low, high))


def dimensions(state: State, name: str) -> tuple[int, ...]:
    """Return the shape of a point."""
    return tuple(int(n) for n in places(state, name, (None,)))


class Block(ABC):
    """Many atoms of one shape. To write: ``kind``, ``shape``, ``len``, ``[i]``, `append`, `take` and `state`.

    ``shape`` is that of the points, (size,) where the atoms do not care. `append` returns the block itself, or another one
    where it is given an atom of another shape: ``greedyhull.points.shapes.widened(self, atom)``.
    """

    __slots__ = ()
    kind: str
    shape: Shape
    owners: Index | None = None  # whose each atom is, where points belong to a product of sets

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def __getitem__(self, i: int) -> Atom: ...

    @abstractmethod
    def append(self, atom: Atom) -> Block:
        """This block with one atom more, at its end."""

    @abstractmethod
    def take(self, index: Index) -> Block:
        """A new block of the atoms at these places, which may be none."""

    @abstractmethod
    def state(self) -> State:
        """All that the function that was registered for ``kind`` needs to make this block again."""

    @property
    def keys(self) -> Sequence[Hashable]:
        """The keys of the atoms."""
        return [self[i].key for i in range(len(self))]

    def key_of(self, atom: Atom) -> Hashable:
        """The key that an atom has, or would have, in this block."""
        return atom.key

    def dots(self, g: Gradient) -> Array:
        """⟨g, dᵢ⟩ for every atom."""
        return np.array([self[i].dot(g) for i in range(len(self))], dtype=np.float64)

    def combine(self, A: Design, c: Array) -> Array:
        """A Σ cᵢ dᵢ."""
        x = np.zeros(A.domain)
        self.add_to(x, c)
        return A.matvec(x)

    def images(self, A: Design) -> Any:
        """The images A dᵢ as columns, in Fortran order as those of a design."""
        return np.stack([self[i].image(A) for i in range(len(self))]).T

    def add_to(self, w: Array, c: Array) -> None:
        """w ← w + Σ cᵢ dᵢ."""
        for i, weight in enumerate(c.tolist()):
            self[i].add_to(w, weight)

    def add_sizes_to(self, w: Array, c: Array) -> None:
        """w ← w + Σ cᵢ|dᵢ|."""
        d = np.zeros(w.shape)
        for i, weight in enumerate(c.tolist()):
            d[...] = 0.0
            self[i].add_to(d, 1.0)
            w += weight * np.abs(d)

    def extend(self, atoms: Block) -> Block:
        """A new block with the atoms of both."""
        block = self.take(np.arange(len(self)))
        for i in range(len(atoms)):
            block = block.append(atoms[i])
        return block

    def unnamed(self) -> Block:
        """The same atoms, known by their numbers alone: names that a set gave them mean nothing to others."""
        return self


def checked_block(made: Any, whose: str | type) -> Block:
    """Return what ``whose`` made, a class of atoms or a function in words; raise unless it is a block."""
    if not isinstance(made, Block):
        maker = whose if isinstance(whose, str) else f"block(size) of a {whose.__name__}"
        raise GreedyhullError(f"{maker} made a {type(made).__name__}, which is no block of atoms. Derive its class from "
                              "greedyhull.extend.BlockBase.")
    return made


_KINDS: dict[str, Callable[[State], Block]] = {}


def register_block(kind: str, restore: Callable[[State], Block]) -> None:
    """Tell that ``restore(state)`` makes the block of this ``kind`` that wrote ``state``.

    Kinds are written into files: choose a name that no other package will, "my_package.rank_one" say, and keep it. Register it
    where the block's class is defined, so that whoever imports the class can read its files.
    """
    check(isinstance(kind, str) and kind != "", lambda: f"register_block(kind={kind!r}, ...) was given; a name is wanted.")
    check(callable(restore), lambda: f"register_block({kind!r}, {restore!r}) was given; a function of a state that makes a "
                                     "block is wanted.")
    known = _KINDS.get(kind)
    check(known is None or _home(known) == _home(restore), lambda: f"Blocks of the kind {kind!r} are registered by "
          f"{known and _home(known)!r} already, and {_home(restore)!r} registers them again. Give yours a name of its own.")
    _KINDS[kind] = restore


def _home(restore: Callable[[State], Block]) -> str:
    """Return the module that registered a kind; "" for a function in C that has none."""
    return restore.__module__ or ""


def block_state(block: Block) -> State:
    """Return the state of ``block``, its kind, and the module that can read it."""
    kind = block.kind
    check(kind in _KINDS, lambda: f"A {type(block).__name__} was to be saved, and its kind {kind!r} is not registered, so "
          "that nobody could read it. Call greedyhull.extend.register_block(kind, restore) where the class is defined.")
    own = block.state()
    taken = sorted({"kind", "home"} & own.keys())
    check(not taken, lambda: f"The state of a {type(block).__name__} has the name {taken[0]!r}, which says which kind of "
                             "block it is. Call the array otherwise.")
    return {**own, "kind": np.array(kind), "home": np.array(_home(_KINDS[kind]))}


def block_from(state: State) -> Block:
    """Return the block with this state, as `block_state` made it."""
    former = next((name for name in ("basis", "dense", "sparse") if under(name, state)), "")  # states without a kind are older
    kind = str(state.get("kind", former))
    check(kind != "", lambda: f"A saved block does not say of which kind it is, and has the arrays {sorted(state)}. Give the "
                              "file that checkpoint= wrote.")
    if kind not in _KINDS:
        home = str(state.get("home", ""))
        whose = "the program that wrote it" if home in ("", "__main__") else home
        raise GreedyhullError(f"The saved state has atoms of the kind {kind!r}, which nobody has registered here. When it was "
                              f"saved, {whose} had: import it, and read the state again.")
    made = _KINDS[kind]({name: array for name, array in state.items() if name not in ("kind", "home")})
    return checked_block(made, f"The function that {_home(_KINDS[kind])} registered for blocks of the kind {kind!r}")
