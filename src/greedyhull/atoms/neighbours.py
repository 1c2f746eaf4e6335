"""Atoms next to the best one: by scores, by swaps, or remembered from earlier calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from math import isfinite

import numpy as np

from greedyhull.points.blocks import block_from, block_state, under
from greedyhull.points.shapes import Sparse, SparseBlock
from greedyhull.types import Array, Atom, Block, Index, State


def lowest(scores: Array, m: int) -> Index:
    """Where the m least scores are, least first."""
    if m >= len(scores):
        return np.argsort(scores, kind="stable")
    index = np.argpartition(scores, m - 1)[:m]
    index.sort()
    return index[np.argsort(scores[index], kind="stable")]


def top(sizes: Array, K: int) -> Index:
    """Where the K largest are, ascending; of equal ones those that come first."""
    d = len(sizes)
    if d <= K:
        return np.arange(d)
    least = sizes.item(np.argpartition(sizes, d - K).item(d - K))
    above = np.flatnonzero(sizes > least)
    return np.sort(np.concatenate([above, np.flatnonzero(sizes == least)[: K - len(above)]]))


def sum_of_largest(c: Array, K: int) -> float:
    """The sum of the K largest."""
    return float(np.sum(c if len(c) <= K else np.partition(c, len(c) - K)[len(c) - K :]))


def total(x: Array) -> float:
    """Σx; NaN or infinite where an entry is. Few numbers are added one by one sooner than by NumPy."""
    return float(sum(x.ravel().tolist()) if x.size <= 64 else x.sum())


def all_finite(x: Array) -> bool:
    """Whether no entry is NaN or infinite; a sum that is finite tells at once, and one of finite numbers may overflow.

    >>> all_finite(np.array([1e308, 1e308])), all_finite(np.array([np.inf, 1.0]))
    (True, False)
    """
    return isfinite(total(x)) or bool(np.isfinite(x).all())


def worst_within(scores: Array, epsilon: float) -> int:
    """Where the largest score is that exceeds the least by at most epsilon."""
    return int(np.where(scores <= scores.min() + epsilon, scores, -np.inf).argmax())


def best_of(filled: Callable[[Index], Sparse | None], order: Index, g: Array, m: int) -> SparseBlock:
    """Return the vertex of ``order`` and up to m − 1 that leave out one of its coordinates or fill another first."""
    first = filled(order)
    assert first is not None
    found = {first.key: first}
    used = len(first.places)
    inside = np.isin(order, first.places)
    last = int(np.flatnonzero(inside)[-1]) + 1 if used else 0
    short = order[: last + m]  # so many are enough to fill the total where one is left out
    turns = zip_longest(np.flatnonzero(inside[: len(short)])[::-1].tolist(), np.flatnonzero(~inside[: len(short)]).tolist())
    for k in [k for turn in turns for k in turn if k is not None][: max(m - 1, 0)]:
        rest = np.delete(short, k)
        vertex = filled(rest if inside[k] else np.concatenate([short[k : k + 1], rest]))
        if vertex is not None:
            found.setdefault(vertex.key, vertex)
    return in_order(len(g), list(found.values()), g)


def in_order(size: int, atoms: list[Sparse], g: Array) -> SparseBlock:
    """Return the atoms in one block: the first, which is the best, then the others by ⟨g, ·⟩."""
    others = SparseBlock(size, atoms[1:])
    by = np.argsort(others.dots(g), kind="stable").tolist() if len(others) else []
    return SparseBlock(size, [atoms[0], *(atoms[1 + i] for i in by)])


def swapped_supports(sizes: Array, K: int, m: int) -> list[Index]:
    """Return the K places of the largest ``sizes``, then up to m − 1 supports one exchange away, the cheapest first."""
    d = len(sizes)
    reach = min(m - 1, d - K)
    order = lowest(-sizes, K + reach)
    first, others = np.sort(order[:K]), order[K:]
    if not reach:
        return [first]
    inside = order[:K][::-1][: m - 1]  # the least of them first
    costs = sizes[inside][:, None] - sizes[others][None, :]
    found = [first]
    for k in lowest(costs.ravel(), min(m - 1, costs.size)).tolist():
        out, new = inside[k // len(others)], others[k % len(others)]
        found.append(np.sort(np.append(first[first != out], new)))
    return found


def one_block(atoms: Sequence[Atom], size: int) -> Block:
    """Return the atoms in one block."""
    block: Block = atoms[0].block(size)
    for d in atoms[1:]:
        block = block.append(d)
    return block


class Remembered:
    """Up to ``size`` atoms in a block, and when each was last of use."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.block: Block | None = None
        self.used: Index = np.zeros(0, dtype=np.int64)

    def __len__(self) -> int:
        return 0 if self.block is None else len(self.block)

    def scores(self, g: Array) -> Array:
        return np.zeros(0) if self.block is None else self.block.dots(g)

    def keep(self, atoms: Block, now: int) -> None:
        """Let ``atoms`` in, the first ones first; where room is wanted, the fourth that was unused longest goes."""
        if len(atoms) > self.size:
            atoms = atoms.take(np.arange(self.size))
        if self.block is None:
            self.block, self.used = atoms.take(np.arange(len(atoms))), np.full(len(atoms), now)
            return
        places = {key: i for i, key in enumerate(self.block.keys)}
        keys = [self.block.key_of(atoms[i]) for i in range(len(atoms))]
        self.used[[places[key] for key in keys if key in places]] = now
        new = np.array([i for i, key in enumerate(keys) if key not in places], dtype=np.intp)
        if not len(new):
            return
        if len(self.block) + len(new) > self.size:
            room = max(0, self.size - max(len(new), self.size // 4))
            recent = np.sort(np.argsort(-self.used, kind="stable")[:room])
            self.block, self.used = self.block.take(recent), self.used[recent]
        self.block = self.block.extend(atoms.take(new))
        self.used = np.append(self.used, np.full(len(new), now))

    def kept_best(self, atoms: Block, g: Array, m: int, now: int) -> Block:
        """Keep the atoms of an answer; return them, or for m > 1 the m best of all that are kept."""
        self.keep(atoms, now)
        if m <= 1 or self.block is None:
            return atoms
        order = lowest(self.block.dots(g), m)
        self.used[order] = now
        return self.block.take(order)

    def state(self) -> State:
        blocks = {} if self.block is None else block_state(self.block)
        return {"used": self.used.copy(), **{f"block.{name}": array for name, array in blocks.items()}}

    def restore(self, state: State) -> None:
        self.used = state["used"].copy()
        saved = under("block", state)
        self.block = block_from(saved) if saved else None
