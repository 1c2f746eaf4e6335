"""Tables from CSV, LIBSVM, NPZ and NPY files."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from glob import has_magic
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from greedyhull.cli.file_errors import one_of
from greedyhull.data import files as found
from greedyhull.data.arrays import NAMES, PARTS, TARGETS, kind_of, sparse_in
from greedyhull.data.files import Numbered, reading, text_of
from greedyhull.data.text import EXAMPLE, parsed
from greedyhull.errors import GreedyhullError, check, no_file
from greedyhull.points.arrays import dense
from greedyhull.types import Array

Column = str | int
FORMATS = {".csv": "csv", ".tsv": "csv", ".txt": "csv", ".svm": "libsvm", ".libsvm": "libsvm", ".svmlight": "libsvm",
           ".npz": "npz", ".npy": "npy"}


class Table(Protocol):
    """Columns by place; ``apart`` are vectors that the file keeps beside the columns, targets say."""

    @property
    def names(self) -> Sequence[str]: ...
    @property
    def apart(self) -> dict[str, Array]: ...
    def numbers(self, places: Sequence[int]) -> Any: ...
    def column(self, place: int) -> Array: ...


@dataclass(frozen=True)
class Matrix:
    """A table that is in memory, dense or sparse."""

    names: Sequence[str]
    X: Any
    apart: dict[str, Array]

    def numbers(self, places: Sequence[int]) -> Any:
        return self.X if places == range(self.X.shape[1]) else self.X[:, list(places)]

    def column(self, place: int) -> Array:
        found = self.X[:, [place]]
        return dense(found).ravel()


class Wanted(NamedTuple):
    """Which columns are which; None stands for what the file says, or for all others."""

    target: Column | None = None
    features: Sequence[Column] | None = None
    exclude: Sequence[Column] = ()
    sample_weight: Column | None = None
    targets: Sequence[Column] = ()  # of several responses


class Taken(NamedTuple):
    """The features with their names, the target and the weights of the samples, where there are any."""

    X: Any
    names: Sequence[str]
    y: Array | None
    target: str
    sample_weight: Array | None
    Y: Array | None = None  # several targets, a column each


def in_shards(path: Path, spelled: str) -> bool:
    """Whether a path names files that are read in shards: a folder, a Parquet or Arrow file, or a pattern as it was spelled.

    >>> in_shards(Path("data/part-*.csv"), "data/part-*.csv"), in_shards(Path("table.csv"), "table.csv")
    (True, False)
    """
    columnar = found.FORMATS.get(path.suffix.lower()) in ("parquet", "arrow")
    return path.is_dir() or columnar or (has_magic(spelled) and not path.is_file())


def format_of(path: Path) -> str | None:
    """The format that the name of a file tells, packed or not: data.csv, data.csv.gz."""
    ends = [end.lower() for end in path.suffixes if end.lower() not in (".gz", ".bz2", ".xz")]
    return FORMATS.get(ends[-1]) if ends else None


def read_table(path: Path, kind: str | None = None) -> Table:
    """The table in a file; its format is told by the end of its name if it is not given."""

    check(path.is_file(), lambda: no_file(path))
    known = sorted(set(FORMATS.values()))
    check(kind is None or kind in known, f"The format {kind} was given; one of {', '.join(known)} is wanted.")
    kind = kind or format_of(path)
    check(kind in known, f"The extension of {path.name} does not tell its format. Say which one it is: {', '.join(known)}.")
    readers: dict[str, Callable[[Path], Table]] = {"csv": Csv, "libsvm": libsvm, "npz": npz,
                                                   "npy": npy}
    return readers[str(kind)](path)


def place_of(table: Table, column: Column) -> int:
    """Where a column stands: by its name, or by its number from 0; −1 is the last one."""
    names, d = table.names, len(table.names)
    if isinstance(column, str) and column in names:
        return names.index(column)
    number = int(column) if re.fullmatch("-?[0-9]{1,18}", str(column)) else d
    if -d <= number < d:
        return number % d
    some = [*names[:12], *(["..."] if d > 12 else [])]
    raise GreedyhullError(one_of(column, some) + f" Columns: {d}.")


def take(table: Table, wanted: Wanted, at: Callable[[str], AbstractContextManager[None]]) -> Taken | None:
    """The columns that are wanted, None where some are not there: ``at(key)`` collects what is wrong with each part."""
    y, label, inside = None, "", -1
    with at("target"):
        y, label, inside = _target(table, wanted.target)
    s, weight = None, -1
    with at("sample_weight"):
        if wanted.sample_weight is not None:
            s, _, weight = _target(table, wanted.sample_weight)
            check(s is not None and s.dtype.kind in "biuf", f"Column {wanted.sample_weight} holds words; numbers are wanted.")
    Y, several = None, set[int]()
    with at("targets"):
        Y, several = _several(table, wanted.targets)
    out = {inside, weight} | several
    with at("exclude"):
        out |= {place_of(table, column) for column in wanted.exclude}
    with at("features"):
        places = _places(table, wanted.features, out)
        check(len(places) > 0, "No columns are left for the features. Name some, or exclude fewer.")
        again = [] if isinstance(places, range) else [table.names[j] for j, count in Counter(places).items() if count > 1]
        check(not again, f"{', '.join(again)} is listed twice; list each feature once.")
        check(inside not in places, f"{label} is the target; it cannot be a feature as well.")
        both = [table.names[j] for j in several & set(places)] if several else []
        check(not both, lambda: f"{', '.join(both)} is a target; it cannot be a feature as well.")
        named = table.names if isinstance(places, range) else [table.names[j] for j in places]
        return Taken(table.numbers(places), named, y, label, s, Y)
    return None


def _several(table: Table, targets: Sequence[Column]) -> tuple[Array | None, set[int]]:
    """The columns of several targets as a matrix, and where they stand."""
    places = [place_of(table, column) for column in targets]
    check(len(set(places)) == len(places), "a column is listed twice; list each target once.")
    columns = [table.column(j) for j in places]
    words = [table.names[j] for j, column in zip(places, columns, strict=True) if column.dtype.kind not in "biuf"]
    check(not words, lambda: f"Column {words[0]} holds words; numbers are wanted.")
    return (np.column_stack(columns) if columns else None), set(places)


class Entries(NamedTuple):
    """Entries of a matrix: the labels of their rows and columns, their values, and their weights if they have any."""

    rows: Array
    cols: Array
    values: Array
    sample_weight: Array | None


def take_entries(table: Table, places: dict[str, Column], sample_weight: Column | None,
                 at: Callable[[str], AbstractContextManager[None]]) -> Entries | None:
    """The columns ``row``, ``column`` and ``value``, None where one is not there."""
    found: dict[str, Array] = {}
    for key, column in places.items():
        with at(key):
            found[key] = table.column(place_of(table, column))
            check(key != "value" or found[key].dtype.kind in "biuf", f"Column {column} holds words; numbers are wanted.")
    s = None
    with at("sample_weight"):
        if sample_weight is not None:
            s = table.column(place_of(table, sample_weight))
            check(s.dtype.kind in "biuf", f"Column {sample_weight} holds words; numbers are wanted.")
    return Entries(found["row"], found["column"], found["value"], s) if len(found) == 3 else None


def _places(table: Table, features: Sequence[Column] | None, out: set[int]) -> Sequence[int]:
    """Where the features stand; a range where they are all columns, of which there may be many."""
    every = range(len(table.names))
    if features is not None:
        return [place_of(table, column) for column in features]
    return [j for j in every if j not in out] if out - {-1} else every


def _target(table: Table, column: Column | None) -> tuple[Array | None, str, int]:
    """The values of a column, its name and place; −1 is the place of what stands apart."""
    if column is None:
        found = next(iter(table.apart.items()), None)
        return (None, "", -1) if found is None else (found[1], found[0], -1)
    if isinstance(column, str) and column in table.apart:
        return table.apart[column], column, -1
    place = place_of(table, column)
    return table.column(place), table.names[place], place


def libsvm(path: Path) -> Matrix:
    """Indices from 1, or from 0 if one is 0, in any order; columns are named by their indices."""
    from scipy.sparse import csr_array

    with reading(path.name, "LIBSVM's format"), text_of(path) as file:
        found = parsed(file, path.name)
    places = found.indices
    check(len(places) > 0, f"{path.name} holds no data; lines such as {EXAMPLE} are wanted.")
    first = min(1, int(places.min()))
    X = csr_array((found.values, places - first, found.starts), shape=(len(found.labels), int(places.max()) + 1 - first))
    return Matrix(Numbered(X.shape[1], first), X, {"label": found.labels})


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
