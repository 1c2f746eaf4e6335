"""Files that are read as one table: CSV, LIBSVM, NPZ and NPY."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from greedyhull.data import files
from greedyhull.data.arrays import NAMES, PARTS, TARGETS, chosen_matrix, column_names, kind_of, sparse_in
from greedyhull.data.files import PACKED, Numbered, portions, reading, seen
from greedyhull.data.text import EXAMPLE, LIBSVM_WHAT, WHAT, csv_cells, csv_file, csv_numbers, parsed, text_lines
from greedyhull.errors import GreedyhullError, check, no_file
from greedyhull.points.arrays import dense
from greedyhull.types import Array

FORMATS = {end: "csv" if kind == "text" else kind for end, kind in files.FORMATS.items() if kind not in ("parquet", "arrow")}


class Table:
    """Columns in memory, dense or sparse; ``apart`` are vectors that the file keeps beside the columns, such as targets."""

    def __init__(self, names: Sequence[str], X: Any = None, apart: dict[str, Array] | None = None) -> None:
        self.names, self.X, self.apart = names, X, apart or {}

    def numbers(self, places: Sequence[int]) -> Any:
        return self.X if places == range(self.X.shape[1]) else self.X[:, list(places)]

    def column(self, place: int) -> Array:
        return dense(self.X[:, [place]]).ravel()


class CsvTable(Table):
    """A CSV file, of which columns are read when they are needed, so that words in the others do no harm."""

    def __init__(self, path: Path) -> None:
        self.file = seen(path, path.name)
        self.layout = csv_file(self.file)
        super().__init__(list(self.layout.columns.kinds))
        for block in self.layout.blocks:
            self.layout.text(block)  # which checks its lines
        check(not self.layout.empty, f"{path.name} has column names but no rows; samples are wanted.")

    def numbers(self, places: Sequence[int]) -> Array:
        remedy = "Fill the cell, leave the line out, or the column, by exclude."
        return np.concatenate([csv_numbers(self.layout, block, places, remedy) for block in self.layout.blocks])

    def column(self, place: int) -> Array:
        try:
            return self.numbers([place]).ravel()
        except GreedyhullError:
            with reading(self.file.shown, WHAT):
                cells = [csv_cells(self.layout.text(block), self.layout.mark, [place], str) for block in self.layout.blocks]
            words = np.char.strip(np.concatenate(cells).ravel())
            empty = np.flatnonzero(words == "")
            check(not len(empty), lambda: f"Column {self.names[place]} of {self.file.shown} has {len(empty)} empty cells, the "
                  f"first in sample {empty[0] + 1}. Fill them or drop those lines.")
            return words


def format_of(path: Path) -> str | None:
    """The format that the name of a file tells, packed or not: data.csv, data.csv.gz."""
    ends = [end.lower() for end in path.suffixes if end.lower() not in PACKED]
    return FORMATS.get(ends[-1]) if ends else None


def read_table(path: Path, kind: str | None = None) -> Table:
    """Read the table in a file; the end of its name tells its format by default."""
    check(path.is_file(), lambda: no_file(path))
    known = sorted(set(FORMATS.values()))
    check(kind is None or kind in known, f"The format {kind} was given; one of {', '.join(known)} is wanted.")
    kind = kind or format_of(path)
    check(kind in known, f"The extension of {path.name} does not tell its format. Say which one it is: {', '.join(known)}.")
    readers: dict[str, Callable[[Path], Table]] = {"csv": CsvTable, "libsvm": _libsvm, "npz": _npz, "npy": _npy}
    return readers[str(kind)](path)


def _libsvm(path: Path) -> Table:
    """Indices from 1, or from 0 if one is 0, in any order; columns are named by their indices."""
    from scipy.sparse import csr_array

    with reading(path.name, LIBSVM_WHAT):
        lines = (line for _, text in portions(seen(path, path.name)) for line in text_lines(text))
        found = parsed(lines, path.name)
    places = found.indices
    check(len(places) > 0, f"{path.name} holds no data; lines such as {EXAMPLE} are wanted.")
    first = min(1, int(places.min()))
    X = csr_array((found.values, places - first, found.starts), shape=(len(found.labels), int(places.max()) + 1 - first))
    return Table(Numbered(X.shape[1], first), X, {"label": found.labels})


def _npz(path: Path) -> Table:
    """Arrays by name: the data are ``X`` (or the only matrix, or one that scipy.sparse.save_npz wrote), with ``names`` if
    these are there; vectors of one entry a sample stand apart, ``y`` first."""
    arrays = load_arrays(path)
    X, kind = _matrix(path, arrays), kind_of(arrays)
    check(min(X.shape) > 0, f"{path.name} holds a matrix of shape {X.shape}; at least one row and one column are wanted.")
    names = column_names(path.name, arrays, X.shape[1])
    parts = {*NAMES, *(() if kind is None else ("shape", "format", *PARTS[kind]))}
    vectors = [name for name, a in arrays.items() if a.ndim == 1 and len(a) == X.shape[0] and name not in parts]
    order = sorted(vectors, key=lambda name: (name not in TARGETS, name == "sample_weight"))
    return Table(Numbered(X.shape[1]) if names is None else names, X, {name: arrays[name] for name in order})


def _npy(path: Path) -> Table:
    X = load_array(path)
    check(X.ndim == 2 and min(X.shape) > 0,
          f"{path.name} holds an array of shape {X.shape}; a matrix, one sample a row, is wanted.")
    return Table(Numbered(X.shape[1]), X)


def load_arrays(path: Path) -> dict[str, Array]:
    """All arrays of an npz file; those that could only be unpickled are refused."""
    with reading(path.name, "an NPZ file"), np.load(path, allow_pickle=False) as stored:
        found = {name: stored[name] for name in stored.files}
    return {name: array for name, array in found.items() if isinstance(array, np.ndarray)}


def load_array(path: Path, *, matrix: bool = False) -> Any:
    """The one array of a file: .npy, .npz (a matrix, or a vector), or numbers in text; one row or column of text is a vector,
    unless a ``matrix`` is wanted."""
    if path.suffix.lower() == ".npz":
        return _matrix(path, load_arrays(path), dimensions=(1, 2))
    with reading(path.name, "numbers"):
        if path.suffix.lower() == ".npy":
            return real_numbers(path.name, np.load(path, allow_pickle=False))
        table = CsvTable(path)
        found = table.numbers(range(len(table.names)))
        return found.ravel() if 1 in found.shape and not matrix else found


def real_numbers(name: str, array: Array) -> Array:
    held = array.dtype if isinstance(array, np.ndarray) else type(array).__name__
    check(isinstance(array, np.ndarray) and array.dtype.kind in "biuf",
          lambda: f"{name} holds {held}; an array of real numbers is wanted.")
    return array


def _matrix(path: Path, arrays: dict[str, Array], dimensions: tuple[int, ...] = (2,)) -> Any:
    kind = kind_of(arrays)
    if kind is not None:
        return sparse_in(path.name, arrays, kind)
    return arrays[chosen_matrix(path.name, {name: (a.shape, a.dtype) for name, a in arrays.items()}, dimensions)]
