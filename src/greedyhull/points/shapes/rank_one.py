"""Atoms that are matrices of rank one, kept as two vectors: nobody writes the matrix out."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, cast

import numpy as np

from greedyhull.points.arrays import grown
from greedyhull.points.blocks import BlockBase, register_block
from greedyhull.points.shapes.dense import widened
from greedyhull.points.states import numbers
from greedyhull.types import Array, Atom, Block, Design, Gradient, Index, State
from greedyhull.types.kinds import bilinear
from greedyhull.types.override import KeepsAtom, override


@dataclass(frozen=True, slots=True, eq=False)
class RankOne(KeepsAtom):
    """Atom of rank one, scale·u vᵀ.

    Parameters
    ----------
    u : ndarray of float of shape (m,)
        The left vector.
    v : ndarray of float of shape (n,)
        The right vector.
    scale : float, default 1.0
        The factor.

    See Also
    --------
    Dense : An atom with all its entries.
    NuclearBall : A set of such atoms.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.RankOne(np.array([1.0, 0.0]), np.array([0.6, 0.8]), 2.0).dot(np.eye(2))
    1.2
    """

    u: Array
    v: Array
    scale: float = 1.0

    @property
    @override
    def key(self) -> Hashable:
        return _keys(self.u[None], self.v[None], np.array([self.scale]))[0]

    @override
    def dot(self, g: Gradient) -> float:
        return float(self.block(0).dots(g)[0])

    @override
    def image(self, A: Design) -> Array:
        return self.block(0).combine(A, np.ones(1))

    @override
    def add_to(self, w: Array, c: float) -> None:
        w += (c * self.scale) * np.outer(self.u, self.v).reshape(w.shape)

    @override
    def block(self, size: int) -> RankOneBlock:
        return RankOneBlock(self.u[None], self.v[None], np.array([self.scale]))


class RankOneBlock(BlockBase):
    """Many atoms scaleₖ·uₖvₖᵀ: the rows of ``U`` and ``V`` are their vectors.

    >>> block = RankOneBlock(np.eye(2), np.eye(2), np.array([1.0, 3.0]))
    >>> block.dots(np.array([[1.0, 5.0], [5.0, 2.0]]))
    array([1., 6.])
    """

    __slots__ = ("_U", "_V", "_keys", "_m", "_scales", "shape")
    kind = "rank_one"

    def __init__(self, U: Array, V: Array, scales: Array, keys: list[Hashable] | None = None) -> None:
        self._U, self._V, self._scales = (np.asarray(part, dtype=np.float64) for part in (U, V, scales))
        self._m, self.shape = len(self._U), (int(U.shape[1]), int(V.shape[1]))
        self._keys = keys

    @property
    def U(self) -> Array:
        return self._U[: self._m]

    @property
    def V(self) -> Array:
        return self._V[: self._m]

    @property
    def scales(self) -> Array:
        return self._scales[: self._m]

    @property
    @override
    def keys(self) -> list[Hashable]:
        """The keys, made when somebody first asks: a point that is looked at once needs none."""
        if self._keys is None:
            self._keys = _keys(self.U, self.V, self.scales)
        return self._keys

    @override
    def __len__(self) -> int:
        return self._m

    @override
    def __getitem__(self, i: int) -> RankOne:
        return RankOne(self.U[i], self.V[i], float(self.scales[i]))

    @override
    def dots(self, g: Gradient) -> Array:
        """scaleₖ uₖᵀ g vₖ, whatever g is."""
        matrix: Any = g.reshape(self.shape) if isinstance(g, np.ndarray) else g
        return np.asarray(self.scales * np.einsum("km,mk->k", self.U, np.asarray(matrix @ self.V.T), dtype=np.float64))

    @override
    def combine(self, A: Design, c: Array) -> Array:
        known = bilinear(A)
        return super().combine(A, c) if known is None else known.bilinear(self.U.T, self.V.T, c * self.scales)

    @override
    def images(self, A: Design) -> Any:
        known = bilinear(A)
        if known is None or not len(self):
            return super().images(A) if len(self) else np.zeros((A.n, 0), dtype=A.dtype)
        Z = np.empty((len(self), A.n), dtype=A.dtype)
        for k in range(len(self)):
            Z[k] = known.bilinear(self.U[k : k + 1].T, self.V[k : k + 1].T, self.scales[k : k + 1])
        return Z.T

    @override
    def add_to(self, w: Array, c: Array) -> None:
        w += ((self.U.T * (c * self.scales)) @ self.V).reshape(w.shape)

    @override
    def add_sizes_to(self, w: Array, c: Array) -> None:
        w += ((np.abs(self.U).T * (c * np.abs(self.scales))) @ np.abs(self.V)).reshape(w.shape)

    @override
    def append(self, atom: Atom) -> Block:
        if not isinstance(atom, RankOne):
            return widened(self, atom)
        self._U, self._V, self._scales = (grown(part, self._m) for part in (self._U, self._V, self._scales))
        self._U[self._m], self._V[self._m], self._scales[self._m] = atom.u, atom.v, atom.scale
        self._m += 1
        if self._keys is not None:
            self._keys.append(atom.key)
        return self

    @override
    def extend(self, atoms: Block) -> Block:
        if not isinstance(atoms, RankOneBlock):
            return super().extend(atoms)
        known = self._keys is not None and atoms._keys is not None
        return RankOneBlock(np.concatenate([self.U, atoms.U]), np.concatenate([self.V, atoms.V]),
                            np.concatenate([self.scales, atoms.scales]), self.keys + atoms.keys if known else None)

    @override
    def take(self, index: Index) -> RankOneBlock:
        keys = None if self._keys is None else [self._keys[i] for i in np.arange(self._m)[index].tolist()]
        return RankOneBlock(self.U[index], self.V[index], self.scales[index], keys)

    @override
    def state(self) -> State:
        return {"rank_one.U": self.U.copy(), "rank_one.V": self.V.copy(), "rank_one.scales": self.scales.copy()}


def _keys(U: Array, V: Array, scales: Array) -> list[Hashable]:
    """A digest of each atom's vectors, their signs fixed: (−u)(−v)ᵀ is the same atom."""
    return [cast(Hashable, _digest(u, v, s)) for u, v, s in zip(U, V, scales, strict=True)]


def _digest(u: Array, v: Array, scale: float) -> bytes:
    first = int(np.argmax(v != 0.0))
    sign = -1.0 if v[first] < 0.0 else 1.0
    told = blake2b((sign * u + 0.0).tobytes(), digest_size=16)
    told.update((sign * v + 0.0).tobytes())
    told.update(np.float64(scale + 0.0).tobytes())
    return told.digest()


def _restored(state: State) -> RankOneBlock:
    U = numbers(state, "rank_one.U", (None, None))
    V, scales = numbers(state, "rank_one.V", (len(U), None)), numbers(state, "rank_one.scales", (len(U),))
    return RankOneBlock(U.copy(), V.copy(), scales.copy())


register_block(RankOneBlock.kind, _restored)
