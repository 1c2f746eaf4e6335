"""Rows by shard, from a seed: written to files that are mapped or read, or made when they are loaded and never stored."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from greedyhull.types import Array, Shard

ENTRIES, WIDE, NARROW = 20, 100_000, 50
ROWS = {"sparse": 250_000, "dense": 156_250, "correlated": 156_250}  # of a shard at most: about 62 MB
FEWEST = 4  # shards
AT_ONCE = 16_384  # rows that are drawn together
NEAR = 0.95  # correlation of neighbouring columns
MEANT = 2000  # columns that the labels depend on, sparse rows


class Cell(NamedTuple):
    """One problem: dense rows of 50 columns, independent or correlated, or rows of 20 entries in 100 000 columns."""

    kind: str
    n: int

    @property
    def d(self) -> int:
        return WIDE if self.kind == "sparse" else NARROW

    @property
    def count(self) -> int:
        return max(FEWEST, -(-self.n // ROWS[self.kind]))

    def rows(self, k: int) -> int:
        return self.n * (k + 1) // self.count - self.n * k // self.count

    @property
    def shard_bytes(self) -> int:
        each = ENTRIES * 12 + 8 if self.kind == "sparse" else NARROW * 8 + 8
        return self.rows(0) * each

    def __str__(self) -> str:
        return f"{self.kind} {self.n}"


CELLS = [*(Cell("sparse", 10**e) for e in (4, 5, 6, 7)), *(Cell("dense", n) for n in (100_000, 500_000, 5_000_000)),
         *(Cell("correlated", n) for n in (100_000, 500_000))]
LARGEST = Cell("sparse", 10**8)  # only where --only names it
SMALL = Cell("dense", 1000)  # next to no work: what is left is what a trip costs


def parts(cell: Cell, k: int) -> dict[str, Array]:
    """The arrays of shard k, some rows at a time: X, or data and places of sparse rows, and labels y."""
    rng, n = np.random.default_rng([cell.n, k]), cell.rows(k)
    if cell.kind != "sparse":
        X, y = np.empty((n, NARROW)), np.empty(n)
        for start in range(0, n, AT_ONCE):
            here = X[start : start + AT_ONCE]
            rng.standard_normal(out=here)
            if cell.kind == "correlated":
                _follow(here)
            y[start : start + AT_ONCE] = _labels(here[:, :10].sum(axis=1), rng)
        return {"X": X, "y": y}
    data, places, y = np.empty((n, ENTRIES)), np.empty((n, ENTRIES), dtype=np.int32), np.empty(n)
    first, coefficients = np.arange(ENTRIES) * (WIDE // ENTRIES), _coefficients()
    for start in range(0, n, AT_ONCE):
        here, where = data[start : start + AT_ONCE], places[start : start + AT_ONCE]
        rng.standard_normal(out=here)
        u = rng.random(here.shape, dtype=np.float32)
        where[:] = (u * u * u * np.float32(WIDE // ENTRIES)).astype(np.int32) + first  # some columns are common; in order
        y[start : start + AT_ONCE] = _labels((here * coefficients[where]).sum(axis=1), rng)
    return {"data": data.ravel(), "places": places.ravel(), "y": y}


def _follow(X: Array) -> None:
    """Make every column follow the one before, with correlation 0.95."""
    for j in range(1, X.shape[1]):
        X[:, j] = NEAR * X[:, j - 1] + (1.0 - NEAR**2) ** 0.5 * X[:, j]


def _labels(z: Array, rng: np.random.Generator) -> Array:
    return np.where(z + rng.logistic(size=len(z)) > 0.0, 1.0, -1.0)


@lru_cache(maxsize=1)
def _coefficients() -> Array:
    """Those of the labels: 100 columns of each fifth of a hundred, large where columns are common."""
    c, step = np.zeros(WIDE), WIDE // ENTRIES
    for j in range(ENTRIES):
        c[j * step : j * step + MEANT // ENTRIES] = np.cos(np.arange(MEANT // ENTRIES) + j)
    return c


def _shard(cell: Cell, found: dict[str, Array]) -> Shard:
    from scipy.sparse import csr_array

    y = found["y"]
    if cell.kind != "sparse":
        return Shard(found["X"], y)
    starts = np.arange(0, len(y) * ENTRIES + 1, ENTRIES, dtype=np.int32)  # as scikit-learn wants them
    return Shard(csr_array((found["data"], found["places"], starts), shape=(len(y), cell.d)), y)


@dataclass(frozen=True)
class Made:
    """Shards that are made each time they are loaded."""

    cell: Cell
    names: None = None

    @property
    def d(self) -> int:
        return self.cell.d

    @property
    def count(self) -> int:
        return self.cell.count

    def load(self, k: int) -> Any:
        return _shard(self.cell, parts(self.cell, k))

    def name(self, k: int) -> str:
        return f"shard {k}"

    def mark(self, k: int) -> str:
        return f"{k} of {self.cell}"


@dataclass(frozen=True)
class Stored(Made):
    """Shards in .npy files, which are mapped into memory, or read."""

    folder: str = ""
    mapped: bool = True

    def write(self) -> None:
        """All shards that are not there yet; the targets, which come last, tell which are."""
        for k in range(self.count):
            if not Path(self.folder, f"y{k}.npy").exists():
                for name, array in parts(self.cell, k).items():
                    np.save(Path(self.folder, f"{name}{k}.npy"), array)

    def load(self, k: int) -> Any:
        names = ("X", "y") if self.cell.kind != "sparse" else ("data", "places", "y")
        return _shard(self.cell, {name: np.load(Path(self.folder, f"{name}{k}.npy"), mmap_mode="r" if self.mapped else None)
                                  for name in names})


def whole(data: Made) -> tuple[Any, Array]:
    """All rows, in memory."""
    from scipy.sparse import csr_array

    y, first = np.empty(data.cell.n), 0
    X: Any = np.empty((data.cell.n, data.d)) if data.cell.kind != "sparse" else None
    values, places = (None, None) if X is not None else (np.empty(data.cell.n * ENTRIES),
                                                         np.empty(data.cell.n * ENTRIES, dtype=np.int32))
    for k in range(data.count):
        shard = data.load(k)
        last = first + len(shard.y)
        y[first:last] = shard.y
        if X is not None:
            X[first:last] = shard.X
        if values is not None and places is not None:
            values[first * ENTRIES : last * ENTRIES] = shard.X.data
            places[first * ENTRIES : last * ENTRIES] = shard.X.indices
        first = last
    if X is not None:
        return X, y
    starts = np.arange(0, data.cell.n * ENTRIES + 1, ENTRIES, dtype=np.int32)
    return csr_array((values, places, starts), shape=(data.cell.n, data.d)), y
