"""`gh.shards`: files, or a function, as data in pieces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from greedyhull.errors import check
from greedyhull.errors.given import shown as in_words
from greedyhull.kernels.threads import public
from greedyhull.objectives.shards.arrow import arrow_shards
from greedyhull.objectives.shards.csv_text import csv_shards
from greedyhull.objectives.shards.found import files_of, format_of
from greedyhull.objectives.shards.libsvm import libsvm_shards
from greedyhull.objectives.shards.loader import loader_shards
from greedyhull.objectives.shards.marks import SeenFile
from greedyhull.objectives.shards.npy import npy_shards
from greedyhull.objectives.shards.npz import npz_shards
from greedyhull.objectives.shards.parquet import parquet_shards
from greedyhull.objectives.shards.wanted import Column, Wanted, plain, wanted
from greedyhull.types import Shards


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
        check(target is None and features is None and sample_weight is None and rows is None,
              "target, features, sample_weight and rows name parts of files; a function returns X, y and sample_weight as "
              "they are.")
        return loader_shards(source, count, d)
    paths = isinstance(source, str | Path | Sequence) and not isinstance(source, bytes)
    check(paths, lambda: f"{in_words(source)} was given; a pattern of files, a path, a "
                                                             "list of paths "
          "or a function load(k) is wanted. Arrays in memory are given to the objective itself: gh.logistic(X, y).")
    check(count is None, "count= is for functions; the files tell how many shards they have.")
    return _of_files(files_of(source), wanted(target, features, sample_weight)._replace(d=d, rows=rows), in_words(source))


READERS: dict[str, Callable[[Sequence[SeenFile], Wanted], Shards]] = {
    "npy": npy_shards, "npz": npz_shards, "libsvm": libsvm_shards, "csv": csv_shards, "parquet": parquet_shards,
    "arrow": arrow_shards}


def _of_files(files: list[SeenFile], given: Wanted, source: str) -> Shards:
    kind = format_of(files)
    check(given.rows is None or kind == "npy", f"rows = {given.rows} was given; only .npy files are cut by rows. A Parquet "
                                               "shard is a row "
                                               "group, and others are cut by bytes.")
    check(given.d is None or kind == "libsvm", f"d = {given.d} was given; it is for functions and LIBSVM files. These files "
                                               "tell how many "
                                               "columns they have.")
    said = [source, *(f"{name} {value}" for name, value in (("target", given.target), ("weights", given.sample_weight))
                      if value is not None)]
    return READERS[kind](files, given._replace(words=", ".join(said)))
