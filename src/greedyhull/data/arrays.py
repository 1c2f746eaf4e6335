"""Matrices in NPY and NPZ files, dense or sparse."""

from __future__ import annotations

import zipfile
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from greedyhull.data.columns import Column, Place, Places, Wanted, checked, listed, places
from greedyhull.data.files import FileShards, Piece, SeenFile, files_of, memory, most_columns, reading, too_many
from greedyhull.errors import check
from greedyhull.points.arrays import compressed
from greedyhull.types import Array, Shard


class Header(NamedTuple):
    """Shape, order, dtype (as a word, which pickles small) and where the entries begin."""

    shape: tuple[int, ...]
    fortran: bool
    dtype: str
    offset: int

    @property
    def size(self) -> int:
        return prod(self.shape) * np.dtype(self.dtype).itemsize


def header_of(stream: BinaryIO, name: str, length: int) -> Header:
    """The header of an array of numbers; ``length`` is how many bytes there are, which must be those of header and entries."""
    version = np.lib.format.read_magic(stream)
    readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    check(version in readers, f"{name} is in version {version[0]}.{version[1]} of NumPy's format; 1.0 or 2.0 is wanted, as "
          "numpy.save writes them for numbers.")
    shape, fortran, dtype = readers[version](stream)
    check(dtype.kind != "O", f"{name} holds Python objects, which are not unpickled; an array of numbers is wanted.")
    check(min(shape, default=0) >= 0, f"{name} says it has shape {shape}.")
    found = Header(tuple(int(n) for n in shape), bool(fortran), dtype.str, stream.tell())
    if dtype.kind in "biuf":
        check(found.offset + found.size <= length, f"{name} is cut off: its header promises shape {found.shape} of {dtype}, "
              f"which takes {found.offset + found.size} bytes, and there are {length}.")
    return found


def check_numbers(header: Header, name: str) -> None:
    dtype = np.dtype(header.dtype)
    check(dtype.kind in "biuf", f"{name} holds {dtype}; an array of real numbers is wanted.")


def common(dtypes: list[str]) -> str:
    """The dtype that rows of all files are loaded in: float32 where every file has it, float64 otherwise."""
    return "float32" if {np.dtype(dtype).newbyteorder("=") for dtype in dtypes} == {np.dtype(np.float32)} else "float64"


NAMES, TARGETS = ("names", "feature_names", "columns"), ("y", "target", "label", "labels")
PARTS = {"csr": ("data", "indices", "indptr"), "csc": ("data", "indices", "indptr"), "bsr": ("data", "indices", "indptr"),
         "coo": ("data", "row", "col"), "dia": ("data", "offsets")}


def kind_of(arrays: Mapping[str, Array]) -> str | None:
    """The format of the sparse matrix that the arrays make, None where they make none; CSR where they do not say."""
    if "shape" not in arrays or "data" not in arrays:
        return None
    if "format" not in arrays:
        return "csr" if set(PARTS["csr"]) <= set(arrays) else None
    said: Any = arrays["format"].ravel().tolist()[:1]
    return (said[0].decode("ascii", "replace") if isinstance(said[0], bytes) else str(said[0])) if said else ""


def check_parts(name: str, kind: str, there: Container[str]) -> None:
    """An error unless the arrays that are there make a sparse matrix of a format of SciPy's."""
    check(kind in PARTS, f'{name} holds a sparse matrix of the format "{kind}"; one of {", ".join(PARTS)} is wanted.')
    lost = [part for part in PARTS[kind] if part not in there]
    check(not lost, f"{name} holds a sparse matrix without {', '.join(lost)}. Write it with scipy.sparse.save_npz.")


def chosen_matrix(name: str, there: Mapping[str, tuple[tuple[int, ...], Any]], dimensions: tuple[int, ...] = (2,)) -> str:
    """The array with the data: X, or the only one of numbers; ``there`` are the shapes and dtypes of all arrays."""
    able = [one for one, (shape, dtype) in there.items() if len(shape) in dimensions and np.dtype(dtype).kind in "biuf"]
    held = ", ".join(f"{one} {shape}" for one, (shape, _) in there.items()) or "nothing"
    check("X" in able or len(able) == 1, f"{name} holds {held}; a matrix named X, or one matrix only, is wanted.")
    return "X" if "X" in able else able[0]


def column_names(name: str, arrays: Mapping[str, Array], d: int) -> tuple[str, ...] | None:
    """The names of the d columns, None where the archive has none."""
    named = next((one for one in NAMES if one in arrays), None)
    if named is None:
        return None
    names = tuple(map(str, arrays[named].ravel().tolist()))
    check(len(names) == d, f"{name} holds {len(names)} {named} for {d} columns; one for each is wanted.")
    check(len(set(names)) == d, f"{name} has several columns of the same name; each once is wanted.")
    return names


def sparse_in(name: str, arrays: Mapping[str, Array], kind: str) -> Any:
    from scipy import sparse

    check_parts(name, kind, arrays)
    given = arrays["shape"]
    check(given.dtype.kind in "iu" and given.shape == (2,) and bool((given > 0).all()),
          f"{name} holds a sparse matrix of shape {given.tolist()}; two positive whole numbers are wanted.")
    shape = (int(given[0]), int(given[1]))
    check(max(shape) <= most_columns(), f"{name} holds a sparse matrix of shape {shape}, that is {too_many(max(shape))}.")
    if kind == "bsr":
        size = arrays["data"].shape[1:]
        check(len(size) == 2 and min(size) > 0 and shape[0] % size[0] == 0 and shape[1] % size[1] == 0,
              f"{name} holds blocks of shape {size}, which do not fill a matrix of shape {shape}.")
    make: Any = {"csr": sparse.csr_matrix, "csc": sparse.csc_matrix, "coo": sparse.coo_matrix, "dia": sparse.dia_matrix,
                 "bsr": lambda shape: sparse.bsr_matrix(shape, blocksize=size)}[kind]
    check(arrays["data"].dtype.kind in "biuf", f"{name} holds entries of dtype {arrays['data'].dtype}; real numbers are "
                                               "wanted.")
    X = make(shape)
    for part in PARTS[kind]:
        setattr(X, part, arrays[part])
    return compressed(X, name).tocsr()


def canonical(X: Any) -> Any:
    """Return X in CSR with each entry once."""
    X = X.tocsr()
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


BYTES = 1 << 26  # of the rows of a shard: small compared with memory, large compared with what loading costs


class Stored(NamedTuple):
    file: SeenFile
    header: Header

    def rows(self, start: int, stop: int) -> Array:
        with reading(self.file.shown, "an NPY file"):
            shape, dtype = self.header.shape, np.dtype(self.header.dtype)
            if self.header.fortran and len(shape) > 1 and stop > start:  # a row lies in as many places as there are columns
                stored = np.memmap(self.file.path, dtype, "r", self.header.offset, shape, "F")
                return np.array(stored[start:stop], order="C")
            entries = int(np.prod(shape[1:], dtype=np.int64))
            with Path(self.file.path).open("rb", buffering=0) as stream:
                stream.seek(self.header.offset + start * entries * dtype.itemsize)
                found = np.fromfile(stream, dtype, (stop - start) * entries)
            return found.reshape(stop - start, *shape[1:])


@dataclass(frozen=True, slots=True)
class NpyRows(Piece):
    """Rows start to stop of a matrix, with the entries of target and weights where these have files of their own."""

    header: Header
    start: int
    stop: int
    places: Places
    dtype: str
    y: Stored | None
    sample_weight: Stored | None

    @property
    def files(self) -> tuple[SeenFile, ...]:
        return (self.file, *(stored.file for stored in (self.y, self.sample_weight) if stored is not None))

    @property
    def part(self) -> str:
        return "" if self.stop - self.start == self.header.shape[0] else f"rows {self.start} to {self.stop - 1}"

    def load(self) -> Shard:
        """A portion of rows at a time, so that little but the shard itself is in memory."""
        kept, (target, weight) = self.places.features, self.places[1:]
        D, n = self.header.shape[1], self.stop - self.start
        X: Array = np.empty((n, D if kept is None else len(kept)), dtype=self.dtype)
        apart = {name: np.empty(n, dtype=np.float64) for name, place in (("y", target), ("s", weight)) if place >= 0}
        step = max(1, (1 << 20) // (8 * D))  # bytes that are read together
        with np.errstate(over="ignore"):
            for first in range(0, n, step):
                last = min(n, first + step)
                A = Stored(self.file, self.header).rows(self.start + first, self.start + last)
                X[first:last] = A if kept is None else A[:, list(kept)]
                for name, place in (("y", target), ("s", weight)):
                    if place >= 0:
                        apart[name][first:last] = A[:, place]
        y = apart["y"] if self.y is None else self.y.rows(self.start, self.stop)
        s = apart.get("s") if self.sample_weight is None else self.sample_weight.rows(self.start, self.stop)
        columns = None if kept is None else tuple(map(str, kept))
        return checked(X, y, s, Place(self.file.shown, self.start, columns, _words(self.y, target, "the target"),
                                      _words(self.sample_weight, weight, "the weights")))


def npy_shards(files: Sequence[SeenFile], given: Wanted) -> FileShards:
    """Shards of at most ``given.rows`` rows each, or of about 64 MB."""
    stored = [_stored(file) for file in files]
    for one in stored:
        check(len(one.header.shape) == 2 and one.header.shape[1] > 0, f"{one.file.shown} holds an array of shape "
              f"{one.header.shape}; a matrix, one sample a row, is wanted. Target and weights in files of their own are named "
              "by target= and sample_weight=.")
    D = stored[0].header.shape[1]
    other = next((one for one in stored if one.header.shape[1] != D), None)
    check(other is None, lambda: f"The files disagree on columns: {stored[0].file.shown} has {D}, and "
          f"{other and other.file.shown} has {other and other.header.shape[1]}.")
    check(given.target is not None, "target is missing; the number of a column is wanted, or the pattern of files with "
                                    "targets, such as "
                                    'target="y-*.npy".')
    y, s = _beside(given.target, stored, "target"), _beside(given.sample_weight, stored, "sample_weight")
    inside = places(Wanted(None if y else given.target, given.features, None if s else given.sample_weight), None, D,
                    stored[0].file.shown)
    d = D if inside.features is None else len(inside.features)
    dtype = common([one.header.dtype for one in stored])
    most = given.rows or max(1, BYTES // (D * 8))
    pieces: list[Piece] = []
    for i, (file, header) in enumerate(stored):
        n = header.shape[0]
        count = max(1, -(-n // most))  # as few blocks as there can be, of equal sizes; no rows are one block
        pieces.extend(NpyRows(file, header, n * k // count, n * (k + 1) // count, inside, dtype, y[i] if y else None,
                              s[i] if s else None) for k in range(count))
    return FileShards(tuple(pieces), d, None, given.words)


def _stored(file: SeenFile) -> Stored:
    with reading(file.shown, "an NPY file"), Path(file.path).open("rb") as stream:
        header = header_of(stream, file.shown, file.size)
    check_numbers(header, file.shown)
    return Stored(file, header)


def _beside(given: Column | None, stored: Sequence[Stored], what: str) -> list[Stored]:
    """Files with one number a row, in the order of the files with the rows; nothing where a column was given."""
    if not isinstance(given, str):
        return []
    vectors = [_stored(file) for file in files_of(given, f"{what} =")]
    check(len(vectors) == len(stored), f"{what} = {given!r} names {len(vectors)} files for {len(stored)} files of rows; one "
          "for each is wanted.")
    for vector, rows in zip(vectors, stored, strict=True):
        n, shape = rows.header.shape[0], vector.header.shape
        check(shape in ((n,), (n, 1)), f"{vector.file.shown} has shape {shape} for the {n} rows of {rows.file.shown}; one "
              "number a row is wanted.")
    return vectors


def _words(beside: Stored | None, place: int, what: str) -> str:
    return f"column {place}" if beside is None else f"{what} in {beside.file.shown}"


class Archive(NamedTuple):
    """What an archive holds: its arrays' headers, the matrix (an array's name, or a sparse format), its shape and names."""

    file: SeenFile
    headers: dict[str, Header]
    matrix: str
    sparse: str | None
    shape: tuple[int, int]
    names: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class NpzRows(Piece):
    """All rows of an archive; ``y`` and ``sample_weight`` name arrays, "" where they are columns of the matrix."""

    matrix: str
    sparse: str | None
    shape: tuple[int, int]
    places: Places
    columns: tuple[str, ...] | None
    dtype: str
    y: str
    sample_weight: str

    def load(self) -> Shard:
        wanted = [*((self.matrix,) if self.sparse is None else ("shape", *PARTS[self.sparse])), self.y, self.sample_weight]
        arrays = _arrays(self.file, [name for name in wanted if name])
        A = arrays[self.matrix] if self.sparse is None else self._sparse(arrays)
        y = arrays[self.y] if self.y else _column(A, self.places.target)
        s = arrays[self.sample_weight] if self.sample_weight else None
        s = _column(A, self.places.weight) if self.places.weight >= 0 else s
        X = A if self.places.features is None else A[:, list(self.places.features)]
        with np.errstate(over="ignore"):
            X = X.astype(self.dtype, copy=False)
        return checked(X, y, s, Place(self.file.shown, 0, self.columns, self.y or f"column {self.places.target}",
                                      self.sample_weight or f"column {self.places.weight}"))

    def _sparse(self, arrays: dict[str, Array]) -> Any:
        from scipy.sparse import csr_array

        if self.shape[0] == 0:
            return csr_array(self.shape)
        return canonical(sparse_in(self.file.shown, arrays, str(self.sparse)))


def npz_shards(files: Sequence[SeenFile], given: Wanted) -> FileShards:
    archives = [_archive(file) for file in files]
    first = archives[0]
    for other in archives[1:]:
        a, b = first.file.shown, other.file.shown
        check(first.shape[1] == other.shape[1], f"The files disagree on columns: {a} has {first.shape[1]}, and {b} has "
              f"{other.shape[1]}.")
        check((first.names is None) == (other.names is None), f"The files disagree on columns: only one of {a} and {b} names "
              "them.")
        lost, new = set(first.names or ()) - set(other.names or ()), set(other.names or ()) - set(first.names or ())
        check(not lost and not new, f"The files disagree on columns: only {a} has {listed(sorted(lost))}, and only {b} has "
              f"{listed(sorted(new))}.")
    dtype = common([one.headers["data" if one.sparse else one.matrix].dtype for one in archives])
    apart = [(_apart(one, given.target, "target"), _apart(one, given.sample_weight, "sample_weight")) for one in archives]
    check(len({tuple(map(bool, pair)) for pair in apart}) == 1,
          "target or sample_weight is an array in some of the files, and a column of the matrix in others.")
    y, s = apart[0]
    inside = places(Wanted(None if y else given.target, given.features, None if s else given.sample_weight), first.names,
                    first.shape[1], first.file.shown)
    kept = range(first.shape[1]) if inside.features is None else inside.features
    columns = None if first.names is None else tuple(first.names[j] for j in kept)
    pieces: list[Piece] = []
    for one, (y, s) in zip(archives, apart, strict=True):
        at = inside
        if one.names is not None and first.names is not None and one.names != first.names:  # in another order
            order = [one.names.index(name) for name in first.names]
            at = Places(tuple(order[j] for j in kept), *(order[j] if j >= 0 else -1 for j in inside[1:]))
        pieces.append(NpzRows(one.file, one.matrix, one.sparse, one.shape, at, columns, dtype, y, s))
    return FileShards(tuple(pieces), len(kept), columns, given.words)


def _archive(file: SeenFile) -> Archive:
    headers = _headers(file)
    small = [name for name in ("format", *NAMES) if name in headers]
    arrays = _arrays(file, [*small, *(["shape"] if "shape" in headers else [])])
    kind = kind_of({name: arrays.get(name, np.empty(0)) for name in headers})
    if kind is None:
        matrix = chosen_matrix(file.shown, {name: (header.shape, header.dtype) for name, header in headers.items()})
        shape = headers[matrix].shape
    else:
        check_parts(file.shown, kind, headers)
        matrix, size = "", arrays["shape"]
        check(size.dtype.kind in "iu" and size.shape == (2,) and bool((size >= 0).all()),
              f"{file.shown} holds a sparse matrix of shape {size.tolist()}; two whole numbers are wanted.")
        shape = (int(size[0]), int(size[1]))
    check(shape[1] > 0, f"{file.shown} holds a matrix of shape {shape}; at least one column is wanted.")
    return Archive(file, headers, matrix, kind, (shape[0], shape[1]),
                   column_names(file.shown, arrays, shape[1]))


def _headers(file: SeenFile) -> dict[str, Header]:
    """The headers of all arrays; an error if the file would unpack to more than there is memory."""
    found: dict[str, Header] = {}
    with reading(file.shown, "an NPZ file"), zipfile.ZipFile(file.path) as archive:
        members = [member for member in archive.infolist() if member.filename.endswith(".npy")]
        total = sum(member.file_size for member in members)
        check(total <= memory(), f"{file.shown} unpacks to {total / 1e9:.3g} GB, and there are {memory() / 1e9:.3g} GB of "
              "memory. Cut it into smaller files.")
        for member in members:
            name = member.filename.removesuffix(".npy")
            with archive.open(member) as stream:
                found[name] = header_of(stream, f"{name} in {file.shown}", member.file_size)  # type: ignore[arg-type]
    return found


def _arrays(file: SeenFile, names: Sequence[str]) -> dict[str, Array]:
    if not names:
        return {}
    with reading(file.shown, "an NPZ file"), np.load(file.path, allow_pickle=False) as stored:
        return {name: stored[name] for name in dict.fromkeys(names)}


def _apart(archive: Archive, column: Column | None, what: str) -> str:
    """The array that holds target or weights, "" where they are a column of the matrix or there are none."""
    parts = {*PARTS.get(str(archive.sparse), ()), archive.matrix, "shape", "format", *NAMES}
    vectors = [name for name, header in archive.headers.items() if name not in parts and len(header.shape) <= 2]
    if column is None and what == "target":
        found = next((name for name in TARGETS if name in vectors), "")
        check(found != "", f"{archive.file.shown} holds no array {' or '.join(TARGETS)}; say which target= is wanted. It "
              f"holds {listed(list(archive.headers))}.")
    else:
        found = column if isinstance(column, str) and column in vectors else ""
        check(bool(found) or not isinstance(column, str) or (archive.names is not None and column in archive.names),
              f"{archive.file.shown} has no array {column}, which {what} names. It holds {listed(list(archive.headers))}.")
    if found:
        check_numbers(archive.headers[found], f"{found} in {archive.file.shown}")
        n, size = archive.shape[0], archive.headers[found].shape
        check(size in ((n,), (n, 1)), f"{found} in {archive.file.shown} has shape {size} where the matrix has {n} rows; one "
              "number a row is wanted.")
    return found


def _column(A: Any, place: int) -> Array:
    found: Array = A[:, [place]].toarray().ravel() if not isinstance(A, np.ndarray) else A[:, place]
    return found
