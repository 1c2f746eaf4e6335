"""Blocks of atoms of any shape, and how a saved state is read back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from math import inf
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.types import Array, Atom, Design, Gradient, Index, Shape, State, View

MOST = 2.0**53  # the largest whole number that is counted to


class SpoiledError(GreedyhullError):
    """What a saved state holds is none that was written there; whoever knows its file says which one it is."""


Kept: TypeAlias = Any  # what is saved with a run, and restored when it goes on: it has state() and restore(state)


def under(prefix: str, state: State) -> State:
    """The part of ``state`` whose names begin with ``prefix.``, without it.

    >>> import numpy as np
    >>> under("block", {"block.index": np.array([1]), "weights": np.array([1.0])})
    {'index': array([1])}
    """
    return {name[len(prefix) + 1 :]: array for name, array in state.items() if name.startswith(prefix + ".")}


def numbers(state: State, name: str, shape: tuple[int | None, ...], low: float = -inf, high: float = inf) -> Array:
    """The array ``name`` of a saved state, if it holds finite float64 numbers from ``low`` to ``high`` and has this shape.

    A file whose checksum is right may still hold what no run has written. None stands for any length.

    >>> import numpy as np
    >>> numbers({"scale": np.array([1.0, 2.0])}, "scale", (None,))
    array([1., 2.])
    """
    array = _there(state, name, shape)
    sound = array.dtype == np.float64 and bool(np.isfinite(array).all()) and _within(array, low, high)
    check(sound, lambda: f"{name} has type {array.dtype} and begins {_first(array)}; finite float64 numbers"
                         f"{_range(low, high)} are wanted.")
    return array


def places(state: State, name: str, shape: tuple[int | None, ...], low: float = 0.0, high: float = MOST) -> Index:
    """The same for whole numbers from ``low`` to ``high``, of at least 0 unless said otherwise."""
    array = _there(state, name, shape)
    check(array.dtype.kind in "iu" and _within(array, low, high), lambda: f"{name} has type {array.dtype} and begins "
          f"{_first(array)}; whole numbers{_range(low, high)} are wanted.")
    return array


def count(state: State, name: str, low: float = 0.0, high: float = MOST) -> int:
    """One whole number."""
    return int(places(state, name, (), low, high))


def dimensions(state: State, name: str) -> tuple[int, ...]:
    """The shape of a point."""
    return tuple(int(n) for n in places(state, name, (None,)))


def _there(state: State, name: str, shape: tuple[int | None, ...]) -> Array:
    check(name in state, lambda: f"There is no array {name}.")
    array = np.asarray(state[name])
    fits = array.ndim == len(shape) and all(n is None or n == m for n, m in zip(shape, array.shape, strict=True))
    wanted = str(tuple("any" if n is None else n for n in shape)).replace("'", "")
    check(fits, lambda: f"{name} has shape {array.shape}; {wanted} is wanted.")
    return array


def _within(array: Array, low: float, high: float) -> bool:
    return not array.size or (float(array.min()) >= low and float(array.max()) <= high)


def _range(low: float, high: float) -> str:
    if low == -inf and high == inf:
        return ""
    return f" of at least {low:g}" if high in (inf, MOST) else f" from {low:g} to {high:g}"


def _first(array: Array) -> str:
    return f"{array.ravel()[:4].tolist()!r:.80}"


def views_state(views: Iterable[View]) -> State:
    """What a point's views remember, each under its name."""
    return {f"view.{view.name}.{name}": array for view in views for name, array in view.state().items()}


def views_from(state: State) -> dict[str, State]:
    """The states of the views in ``state``, by name."""
    found: dict[str, State] = {}
    for name, array in under("view", state).items():
        view, item = name.split(".", 1)
        found.setdefault(view, {})[item] = array
    return found


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


BlockBase = Block  # the name in greedyhull.extend


def checked_block(made: Any, whose: str | type) -> Block:
    """What was made, if it is a block; ``whose``: the class of the atom that made it, or who did in words."""
    if not isinstance(made, Block):
        maker = whose if isinstance(whose, str) else f"block(size) of a {whose.__name__}"
        raise GreedyhullError(f"{maker} made a {type(made).__name__}, which is no block of atoms. Derive its class from "
                              "greedyhull.extend.BlockBase.")
    return made


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
