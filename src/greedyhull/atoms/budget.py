"""Many small sets in two arrays, and atoms that belong to a set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from greedyhull.atoms.base import AtomSet as Base
from greedyhull.errors import check
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.owners import OwnedBlock, vertices
from greedyhull.points.shapes import Basis, BasisBlock, dense
from greedyhull.types import Array, AtomSet, Block, Index, listed


def lowest_of_each(scores: Array, starts: Index, m: int) -> Index:
    """Where the m least scores of every segment are, the least first; ``starts`` are the segments' ends and beginnings.

    >>> lowest_of_each(np.array([3.0, 1.0, 2.0, 5.0, 4.0]), np.array([0, 3, 5]), 2)
    array([1, 2, 4, 3])
    """
    lengths = np.diff(starts)
    L = int(lengths[0])
    if not (lengths == L).all():
        return _lowest_of_uneven(scores, starts, lengths, m)
    table = scores.reshape(-1, L)
    if m == 1:
        return np.asarray(starts[:-1] + table.argmin(axis=1))
    if m < L:
        some = np.sort(np.argpartition(table, m - 1, axis=1)[:, :m], axis=1)
        order = np.take_along_axis(table, some, axis=1).argsort(axis=1, kind="stable")
        places = np.take_along_axis(some, order, axis=1)
    else:
        places = table.argsort(axis=1, kind="stable")
    return np.asarray((starts[:-1, None] + places).ravel())


def _lowest_of_uneven(scores: Array, starts: Index, lengths: Index, m: int) -> Index:
    owners = np.repeat(np.arange(len(lengths)), lengths)
    if m == 1:
        least = np.minimum.reduceat(scores, starts[:-1])
        hits = (scores <= least[owners]).nonzero()[0]
        return hits[np.unique(owners[hits], return_index=True)[1]]
    order = np.lexsort((scores, owners))  # by segment, in each by score; equal scores stay in their order
    return order[np.arange(len(order)) - starts[owners] < m]


@dataclass(frozen=True, eq=False)
class BasisTable:
    """The atoms scaleᵢ·e_indexᵢ of several sets, those of each next to each other from ``starts`` on."""

    size: int
    index: Index
    scale: Array
    starts: Index
    owners: Index

    @classmethod
    def of(cls, sets: Sequence[AtomSet], offsets: Sequence[int], size: int) -> BasisTable | None:
        """The table of all atoms; None where a set cannot list them, or they have more than one entry."""
        index, scale, lengths = [], [], []
        for S, offset in zip(sets, offsets, strict=True):
            known = listed(S)
            block = None if known is None or type(S).oracle is not Base.oracle else known.block(np.arange(len(known)))
            if not isinstance(block, BasisBlock):
                return None
            index.append(block.index + offset)
            scale.append(block.scale)
            lengths.append(len(block))
        owners = np.repeat(np.arange(len(lengths)), lengths)
        return cls(size, np.concatenate(index), np.concatenate(scale) + 0.0, np.cumsum([0, *lengths]), owners)

    def lowest(self, g: Array, m: int) -> Index:
        """Where the m best atoms of each set are."""
        return lowest_of_each(g[self.index] * self.scale, self.starts, m)

    def argmin(self, g: Array) -> list[Basis]:
        at = self.lowest(g, 1)
        return [Basis(j, s) for j, s in zip(self.index[at].tolist(), self.scale[at].tolist(), strict=True)]

    def best(self, g: Array, m: int) -> OwnedBlock:
        at = self.lowest(g, m)
        return OwnedBlock(BasisBlock(self.size, self.index[at], self.scale[at]), self.owners[at])

    def max_abs(self, c: Array) -> float:
        return float(np.maximum.reduceat(c[self.index] * np.abs(self.scale), self.starts[:-1]).sum())


def check_atoms_of(S: AtomSet, block: Block, what: str) -> None:
    """Raise where atoms of a saved block have another shape, other owners or other names than those of S, or lie outside."""
    if S.has_atoms(block):
        return
    owners = block.count if isinstance(block, OwnedBlock) else 1
    check(prod(block.shape) == prod(S.shape) and owners <= S.traits.owners, lambda: f"{what} has atoms of shape {block.shape} "
          f"and {owners} owner{'' if owners == 1 else 's'}, but {S!r} those of shape {S.shape} and {S.traits.owners}.")
    named = [key for key in block.keys if isinstance(key, int)]
    check(not named or [key for key in S.recognised(block).keys if isinstance(key, int)] in ([], named), lambda: f"{what} has "
          f"atoms that are said to be rows of {S!r}, and are not.")
    # the same where membership takes a factorisation
    if len(block) * prod(S.shape) > ((1 << 12) if S.traits.slides else (1 << 20)):  # that are looked at, at most
        return
    for d in vertices(block):
        x = dense(d, S.shape)
        inside = S.contains_quickly(CoordinateIterate(x))
        if inside is None and prod(S.shape) <= 64:  # entries of a point, up to which membership is searched for
            inside = not S.excludes(x)
        check(inside is not False, lambda: f"{what} has atoms outside {S!r}.")
