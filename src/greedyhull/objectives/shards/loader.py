"""Shards that a function of the user's makes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.errors.given import shown as in_words
from greedyhull.objectives.shards.rows import Place, checked
from greedyhull.points.arrays import is_sparse, regular
from greedyhull.points.given import compressed
from greedyhull.types import Shard, Shards
from greedyhull.types.override import KeepsShards, keeps, override


@dataclass(frozen=True, repr=False, eq=False)
class LoadedShards(KeepsShards):
    """``count`` shards of d columns, each made by ``function(k)`` whenever it is asked for."""

    function: Callable[[int], Any]
    count: int
    d: int

    if TYPE_CHECKING:
        keeps(Shards.count, Shards.d)

    @property
    @override
    def names(self) -> list[str] | None:
        return None

    @override
    def load(self, k: int) -> Shard:
        """The k-th shard, checked."""
        check(0 <= k < self.count, f"Shard {k} was asked for; there are {self.count}, counted from 0.")
        shard = _made(self.function, k)
        check(shard.X.shape[1] == self.d, f"{self.name(k)} has {shard.X.shape[1]} columns; {self.d} are wanted, as in the "
                                          "others.")
        return shard

    @override
    def name(self, k: int) -> str:
        """What the k-th shard is called in messages."""
        return f"{_called(self.function)}({k})"

    @override
    def mark(self, k: int) -> str:
        """Empty: whether a function would return something else now cannot be seen without calling it."""
        return ""

    def __repr__(self) -> str:
        return f"<{self.count} shards of {_called(self.function)}(k), {self.d} columns>"


def loader_shards(function: Callable[[int], Any], count: int | None, d: int | None) -> LoadedShards:
    """Shards of a function; d is that of the first one where it is not given."""
    check(count is not None, f"{in_words(function)} was given without count=; gh.shards(load, count=n) calls load(0) to "
                             "load(n - 1).")
    assert count is not None
    if d is None:
        d = int(_made(function, 0).X.shape[1])
    return LoadedShards(function, count, d)


def _called(function: Callable[[int], Any]) -> str:
    said = in_words(function)
    return said.removeprefix("the function ") if said.startswith("the function ") else type(function).__name__


def _made(function: Callable[[int], Any], k: int) -> Shard:
    """The k-th shard. Errors of the user's own pass as they are, with a note that names the shard."""
    name = f"{_called(function)}({k})"
    try:
        given = function(k)
    except Exception as error:
        error.add_note(f"This happened as the shard {name} was loaded. Mend the function, or what it reads, and resume.")
        raise
    return _shard(given, name)


def _shard(given: Any, name: str) -> Shard:
    """What a function returned, as a shard."""
    wanted = "a Shard, (X, y) or (X, y, sample_weight) is wanted."
    if isinstance(given, Shard):
        given = (given.X, given.y, given.sample_weight)
    check(isinstance(given, tuple) and len(given) in (2, 3), lambda: f"{name} returned {in_words(given)}; {wanted}")
    X, y, s = (*given, None)[:3]
    if is_sparse(X):
        X = _sparse(X, name)
    else:
        try:
            X = np.asarray(X)
        except ValueError as error:
            raise GreedyhullError(f"{name} returned rows that make no matrix ({error}); {wanted}") from error
        check(X.ndim == 2 and X.shape[1] > 0, f"{name} returned X of shape {X.shape}; a matrix, one sample a row, is wanted.")
        check(X.dtype.kind in "biuf", f"{name} returned X of dtype {X.dtype}; real numbers are wanted.")
        if X.dtype not in (np.float32, np.float64):
            with np.errstate(over="ignore"):
                X = X.astype(np.float64)
    y, s = regular(y, f"y of {name}"), None if s is None else regular(s, f"sample_weight of {name}")
    return checked(X, y, s, Place(name, 0, None, "y", "sample_weight"))


def _sparse(X: Any, name: str) -> Any:
    from scipy.sparse import csr_array

    check(len(X.shape) == 2 and X.shape[1] > 0, f"{name} returned X of shape {X.shape}; a matrix, one sample a row, is "
                                                "wanted.")
    if X.shape[0] == 0:
        return csr_array(X.shape, dtype=X.dtype if X.dtype in (np.float32, np.float64) else np.float64)
    found = compressed(X, f"X of {name}").tocsr()
    if not found.has_canonical_format:
        found = found.copy()
        found.sum_duplicates()
    return found
