"""The formats that tables are read from, each with errors that name the line or the array."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from greedyhull.cli.tables import Matrix
from greedyhull.errors import GreedyhullError, check
from greedyhull.objectives.shards.npz import NAMES, TARGETS
from greedyhull.objectives.shards.numbered import Numbered
from greedyhull.objectives.shards.reading import reading, text_of
from greedyhull.objectives.shards.sparse_file import PARTS, kind_of, sparse_in
from greedyhull.types import Array


class Csv:
    """Lines of cells parted by commas, semicolons or tabs; a first line that is not all numbers has the names.

    Columns are read when they are asked for, so that words in the others do no harm.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.apart: dict[str, Array] = {}
        with reading(path.name, "lines of cells"), text_of(path) as file:
            first = file.readline()
        check(bool(first.strip()), f"{path.name} begins with an empty line; names of columns, or numbers, are wanted.")
        with reading(path.name, "lines of cells"):
            self.mark = max(",;\t", key=self._parts)
            cells, lines = self._first(self.mark)
        self.headed = not all(_is_number(cell) for cell in cells)
        self.begins = lines if self.headed else 0  # how many lines the names take
        self.names = cells if self.headed else [str(j) for j in range(len(cells))]
        twice = sorted({name for name in self.names if self.names.count(name) > 1})
        check(not twice, f"{path.name} has several columns named {', '.join(twice)}; each name once is wanted.")
        with reading(path.name, "lines of cells"):
            self._check_lines()

    def _parts(self, mark: str) -> int:
        """How many cells ``mark`` makes of the first ones; none where a cell would be longer than a reader takes."""
        try:
            return len(self._first(mark)[0])
        except csv.Error:
            return 0

    def _first(self, mark: str) -> tuple[list[str], int]:
        """The first cells, if ``mark`` parts them, and the number of their last line; a line break in a name is a space."""
        with text_of(self.path) as file:
            reader = csv.reader(file, delimiter=mark)
            return [" ".join(part.strip() for part in cell.strip().splitlines()) for cell in next(reader)], reader.line_num

    def _check_lines(self) -> None:
        """Every line has as many cells as there are columns: a cell too many would shift the others, and nobody would know."""
        wanted, lines = len(self.names), 0
        for line, row in self._rows():
            lines += 1
            if len(row) != wanted:
                raise GreedyhullError(f"Line {line} of {self.path.name} has {len(row)} cells; {wanted} are wanted, one for "
                                      "each column. Fill what is missing, and quote cells that contain the separator.")
        check(lines > 0, f"{self.path.name} has column names but no rows; samples are wanted.")

    def numbers(self, places: Sequence[int]) -> Array:
        try:
            return self._loaded(places, np.float64)
        except ValueError as error:
            raise GreedyhullError(self._fault(places) or f"{self.path.name} cannot be read: {error}.") from error

    def column(self, place: int) -> Array:
        try:
            return self._loaded([place], np.float64).ravel()
        except ValueError:
            words = np.array([cell.strip() for cell in self._loaded([place], np.str_).ravel().tolist()])
            empty = np.flatnonzero(words == "")
            check(not len(empty), lambda: f"Column {self.names[place]} of {self.path.name} has {len(empty)} empty cells, the "
                                          f"first in sample {empty[0] + 1}. Fill them or drop those lines.")
            return words

    def _loaded(self, places: Sequence[int], dtype: Any) -> Array:
        return np.loadtxt(self.path, dtype=dtype, delimiter=self.mark, skiprows=self.begins, usecols=list(places),
                          quotechar='"', comments=None, ndmin=2, encoding="utf-8-sig")

    def _rows(self) -> Iterator[tuple[int, list[str]]]:
        """The lines of samples, with their numbers in the file."""
        with text_of(self.path) as file:
            reader = csv.reader(file, delimiter=self.mark)
            for row in reader:
                if row and reader.line_num > self.begins:
                    yield reader.line_num, row

    def _fault(self, places: Sequence[int]) -> str:
        """The first cell that is no number, in words."""
        for line, row in self._rows():
            for j in places:
                if not _is_number(row[j]):
                    given = f'"{row[j]}"' if row[j].strip() else "nothing"
                    return (f"Line {line} of {self.path.name} has {given} in column {self.names[j]}; a number is wanted. Fill "
                            "the cell, leave the line out, or the column, by exclude.")
        return ""


def npz(path: Path) -> Matrix:
    """Arrays by name: the data are ``X`` (or the only matrix, or one that scipy.sparse.save_npz wrote), with ``names`` if
    these are there; vectors of one entry a sample stand apart, ``y`` first."""
    arrays = load_arrays(path)
    X = _matrix(path, arrays)
    check(min(X.shape) > 0, f"{path.name} holds a matrix of shape {X.shape}; at least one row and one column are wanted.")
    d = X.shape[1]
    named = next((name for name in NAMES if name in arrays), None)
    names: Sequence[str] = Numbered(d) if named is None else [str(name) for name in arrays[named].ravel().tolist()]
    check(len(names) == d, f"{path.name} holds {len(names)} {named} for {d} columns; one for each is wanted.")
    check(named is None or len(set(names)) == d, f"{path.name} has several columns of the same name; each once is wanted.")
    kind = kind_of(arrays)
    parts = {named, *(() if kind is None else ("shape", "format", *PARTS[kind]))}
    vectors = [name for name, a in arrays.items() if a.ndim == 1 and len(a) == X.shape[0] and name not in parts]
    order = sorted(vectors, key=lambda name: (name not in TARGETS, name == "sample_weight"))
    return Matrix(names, X, {name: arrays[name] for name in order})


def npy(path: Path) -> Matrix:
    """One matrix; columns are named by their numbers."""
    X = load_array(path)
    check(X.ndim == 2 and min(X.shape) > 0,
          f"{path.name} holds an array of shape {X.shape}; a matrix, one sample a row, is wanted.")
    return Matrix(Numbered(X.shape[1]), X, {})


def load_arrays(path: Path) -> dict[str, Array]:
    """All arrays of an npz file; those that could only be unpickled are refused."""
    with reading(path.name, "an NPZ file"), np.load(path, allow_pickle=False) as file:
        found = {name: file[name] for name in file.files}
    return {name: array for name, array in found.items() if isinstance(array, np.ndarray)}


def load_array(path: Path, *, matrix: bool = False) -> Any:
    """The one array of a file: .npy, .npz (a matrix as in `npz`), or numbers in text; one row or column of text is a vector,
    unless a ``matrix`` is wanted."""
    if path.suffix.lower() == ".npz":
        return _matrix(path, load_arrays(path), dimensions=(1, 2))
    with reading(path.name, "numbers"):
        if path.suffix.lower() == ".npy":
            return numbers(path, np.load(path, allow_pickle=False))
        table = Csv(path)
        found = table.numbers(range(len(table.names)))
        return found.ravel() if 1 in found.shape and not matrix else found


def numbers(path: Path, array: Array) -> Array:
    """The array, if it holds real numbers."""
    held = array.dtype if isinstance(array, np.ndarray) else type(array).__name__
    check(isinstance(array, np.ndarray) and array.dtype.kind in "biuf",
          lambda: f"{path.name} holds {held}; an array of real numbers is wanted.")
    return array


def _matrix(path: Path, arrays: dict[str, Array], dimensions: tuple[int, ...] = (2,)) -> Any:
    kind = kind_of(arrays)
    if kind is not None:
        return sparse_in(path.name, arrays, kind)
    able = [name for name, a in arrays.items() if a.ndim in dimensions and a.dtype.kind in "biuf"]
    name = "X" if "X" in able else able[0] if len(able) == 1 else ""
    held = ", ".join(f"{name} {a.shape}" for name, a in arrays.items()) or "nothing"
    check(name != "", f"{path.name} holds {held}; a matrix named X, or one matrix only, is wanted.")
    return arrays[name]


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
