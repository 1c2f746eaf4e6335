"""`gh.shards`: files, or a function, as data in pieces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from greedyhull.data.arrays import canonical, npy_shards, npz_shards
from greedyhull.data.arrow import arrow_shards, parquet_shards
from greedyhull.data.columns import Column, Place, Wanted, checked, plain, wanted
from greedyhull.data.files import SeenFile, check_number, files_of, format_of
from greedyhull.data.text import csv_shards, libsvm_shards
from greedyhull.errors import GreedyhullError, check
from greedyhull.errors import shown as in_words
from greedyhull.kernels.core import public
from greedyhull.points.arrays import compressed, is_sparse, regular
from greedyhull.types import Shard, Shards


@dataclass(frozen=True, repr=False, eq=False)
class LoadedShards:
    """``count`` shards of d columns, each made by ``function(k)`` whenever it is loaded."""

    function: Callable[[int], Any]
    count: int
    d: int

    @property
    def names(self) -> list[str] | None:
        return None

    def load(self, k: int) -> Shard:
        check_number(k, self.count)
        shard = _made(self.function, k)
        check(shard.X.shape[1] == self.d, f"{self.name(k)} has {shard.X.shape[1]} columns; {self.d} are wanted, as in the "
                                          "others.")
        return shard

    def name(self, k: int) -> str:
        return f"{_called(self.function)}({k})"

    def mark(self, k: int) -> str:
        """Return "": only a call would show whether the function returns something else now."""
        return ""

    def __repr__(self) -> str:
        return f"<{self.count} shards of {_called(self.function)}(k), {self.d} columns>"


def _called(function: Callable[[int], Any]) -> str:
    said = in_words(function)
    return said.removeprefix("the function ") if said.startswith("the function ") else type(function).__name__


def _made(function: Callable[[int], Any], k: int) -> Shard:
    """Load the k-th shard. Errors of the user's function pass unchanged, with a note that names the shard."""
    name = f"{_called(function)}({k})"
    try:
        given = function(k)
    except Exception as error:
        error.add_note(f"This happened as the shard {name} was loaded. Fix the function, or what it reads, and resume.")
        raise
    wanted = "a Shard, (X, y) or (X, y, sample_weight) is wanted."
    if isinstance(given, Shard):
        given = (given.X, given.y, given.sample_weight)
    check(isinstance(given, tuple) and len(given) in (2, 3), lambda: f"{name} returned {in_words(given)}; {wanted}")
    X, y, s = (*given, None)[:3]
    try:
        X = X if is_sparse(X) else np.asarray(X)
    except ValueError as error:
        raise GreedyhullError(f"{name} returned rows that make no matrix ({error}); {wanted}") from error
    check(len(X.shape) == 2 and X.shape[1] > 0, f"{name} returned X of shape {X.shape}; a matrix, one sample a row, is "
                                                "wanted.")
    floats = X.dtype in (np.float32, np.float64)
    if is_sparse(X):
        from scipy.sparse import csr_array

        empty = X.shape[0] == 0
        X = csr_array(X.shape, dtype=X.dtype if floats else np.float64) if empty else canonical(compressed(X, f"X of {name}"))
    else:
        check(X.dtype.kind in "biuf", f"{name} returned X of dtype {X.dtype}; real numbers are wanted.")
        with np.errstate(over="ignore"):
            X = X if floats else X.astype(np.float64)
    y, s = regular(y, f"y of {name}"), None if s is None else regular(s, f"sample_weight of {name}")
    return checked(X, y, s, Place(name, 0, None, "y", "sample_weight"))


@public
def shards(source: str | Path | Sequence[str | Path] | Callable[[int], Any], *, target: Column | None = None,
           features: Sequence[Column] | None = None, sample_weight: Column | None = None, count: int | None = None,
           d: int | None = None, rows: int | None = None) -> Shards:
    """Data in pieces that are loaded one at a time: more rows than fit into memory.

    Files are looked at, not read: their headers and footers; LIBSVM and CSV files are scanned once for where lines begin.
    Each shard is read when it is needed, by any process, and is then checked: NaN, nulls and negative weights are errors that
    name the file and the row, and so is a file that has changed in the meantime. Nothing is ever unpickled.

    Parameters
    ----------
    source : str, Path, list of them, or callable
        A pattern such as ``"data/part-*.parquet"``, a path, a list of paths or a folder. The endings tell the format:
        ``.parquet`` (a shard for each row group), ``.arrow`` or ``.feather`` (record batches), ``.npy`` (blocks of rows),
        ``.npz`` (a file each), ``.svm`` or ``.libsvm`` and ``.csv`` (blocks of lines; packed, whole files). Or a function
        ``load(k)`` that returns ``(X, y)`` or ``(X, y, sample_weight)``, the same whenever it is called.
    target : str or int, optional
        The column to predict, by name or by number. For ``.npy``, also a pattern of files with one number a row; for ``.npz``,
        the name of an array (``y`` by default). LIBSVM files and functions have the target in them.
    features : list of str or int, optional
        The columns of X. By default all columns of numbers, except target and weights.
    sample_weight : str or int, optional
        Where the weights of the samples are, as for `target`. By default every sample counts the same.
    count : int, optional
        How many shards a function has.
    d : int, optional
        How many columns X has: for functions, and for LIBSVM files whose last columns are empty. Found in the data by default.
    rows : int, optional
        The most rows of a shard, for ``.npy`` files. By default shards have about 64 MB.

    Returns
    -------
    Shards
        What objectives take in place of X and y. It has ``d``, ``count``, ``names`` (of the columns, or None), ``load(k)``,
        ``name(k)`` and ``mark(k)``, and it can be pickled.

    Examples
    --------
    >>> import tempfile, numpy as np, greedyhull as gh
    >>> folder = tempfile.mkdtemp()
    >>> for k in range(3):
    ...     np.save(f"{folder}/part-{k}.npy", np.full((4, 3), float(k)))
    >>> data = gh.shards(f"{folder}/part-*.npy", target=-1)
    >>> data.count, data.d, data.load(2).X.shape
    (3, 2, (4, 2))
    """
    count, d, rows = plain(count), plain(d), plain(rows)
    for name, given in (("count", count), ("d", d), ("rows", rows)):
        check(given is None or (isinstance(given, int) and not isinstance(given, bool) and given > 0),
              f"{name} = {given!r} was given; a positive whole number is wanted.")
    if callable(source):
        check(target is None and features is None and sample_weight is None and rows is None, "target, features, "
              "sample_weight and rows name parts of files; a function returns X, y and sample_weight as they are.")
        check(count is not None, f"{in_words(source)} was given without count=; gh.shards(load, count=n) calls load(0) to "
              "load(n - 1).")
        assert count is not None
        return LoadedShards(source, count, int(_made(source, 0).X.shape[1]) if d is None else d)
    paths = isinstance(source, str | Path | Sequence) and not isinstance(source, bytes)
    check(paths, lambda: f"{in_words(source)} was given; a pattern of files, a path, a list of paths or a function load(k) is "
          "wanted. Arrays in memory are given to the objective itself: gh.logistic(X, y).")
    check(count is None, "count= is for functions; the files tell how many shards they have.")
    files = files_of(source)
    kind, chosen = format_of(files), wanted(target, features, sample_weight)
    check(rows is None or kind == "npy", f"rows = {rows} was given; only .npy files are cut by rows. A Parquet shard is a row "
          "group, and others are cut by bytes.")
    check(d is None or kind == "libsvm", f"d = {d} was given; it is for functions and LIBSVM files. These files tell how many "
          "columns they have.")
    named = (("target", chosen.target), ("weights", chosen.sample_weight))
    words = ", ".join([in_words(source), *(f"{name} {value}" for name, value in named if value is not None)])
    readers: dict[str, Callable[[Sequence[SeenFile], Wanted], Shards]] = {
        "npy": npy_shards, "npz": npz_shards, "libsvm": libsvm_shards, "csv": csv_shards, "parquet": parquet_shards,
        "arrow": arrow_shards}
    return readers[kind](files, chosen._replace(d=d, rows=rows, words=words))
