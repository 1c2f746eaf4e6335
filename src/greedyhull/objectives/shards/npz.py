"""Archives in .npz files: arrays by name, or a sparse matrix as scipy.sparse.save_npz writes it; one shard a file."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from greedyhull.errors import check
from greedyhull.objectives.shards.array_header import Header, check_numbers, common, header_of
from greedyhull.objectives.shards.collection import FileShards, Piece
from greedyhull.objectives.shards.marks import SeenFile
from greedyhull.objectives.shards.numbered import memory
from greedyhull.objectives.shards.reading import reading
from greedyhull.objectives.shards.rows import Place, checked
from greedyhull.objectives.shards.sparse_file import PARTS, kind_of, sparse_in
from greedyhull.objectives.shards.wanted import Column, Places, Wanted, listed, places
from greedyhull.types import Array, Shard

NAMES, TARGETS = ("names", "feature_names", "columns"), ("y", "target", "label", "labels")


class Archive(NamedTuple):
    """What an archive holds: its arrays' headers, the matrix (an array's name, or a sparse format), its shape and names."""

    file: SeenFile
    headers: dict[str, Header]
    matrix: str
    sparse: str | None
    shape: tuple[int, int]
    names: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class NpzRows:
    """All rows of an archive; ``y`` and ``sample_weight`` name arrays, "" where they are columns of the matrix."""

    file: SeenFile
    matrix: str
    sparse: str | None
    shape: tuple[int, int]
    places: Places
    columns: tuple[str, ...] | None
    dtype: str
    y: str
    sample_weight: str

    @property
    def files(self) -> tuple[SeenFile, ...]:
        return (self.file,)

    @property
    def part(self) -> str:
        return ""

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
        X = sparse_in(self.file.shown, arrays, str(self.sparse))
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        return X


def npz_shards(files: Sequence[SeenFile], given: Wanted) -> FileShards:
    """One shard a file."""
    archives = [_archive(file) for file in files]
    first = archives[0]
    for other in archives[1:]:
        _check_alike(first, other)
    dtype = common([one.headers["data" if one.sparse else one.matrix].dtype for one in archives])
    pieces: list[Piece] = []
    columns: tuple[str, ...] | None = None
    for one in archives:
        named = given if one.names is None or one is first else _by_name(given, first)
        y, s = _apart(one, given.target, "target"), _apart(one, given.sample_weight, "sample_weight")
        inside = places(Wanted(None if y else named.target, named.features, None if s else named.sample_weight), one.names,
                        one.shape[1], one.file.shown)
        if one.names is not None and inside.features is None:
            inside = inside._replace(features=tuple(range(one.shape[1])))
        if columns is not None and one.names is not None and inside.features is not None:  # in the order of the first file
            of = {one.names[j]: j for j in inside.features}
            inside = inside._replace(features=tuple(of[name] for name in columns))
        if one.names is not None and inside.features is not None:
            columns = columns or tuple(one.names[j] for j in inside.features)
        pieces.append(NpzRows(one.file, one.matrix, one.sparse, one.shape, inside, columns, dtype, y, s))
    kept = inside.features
    return FileShards(tuple(pieces), first.shape[1] if kept is None else len(kept), columns, given.words)


def _by_name(given: Wanted, first: Archive) -> Wanted:
    """The columns by their names, so that files may have them in other orders; numbers count in the first file."""
    names = first.names or ()
    turned = [names[column] if isinstance(column, int) and -len(names) <= column < len(names) else column
              for column in (given.target, given.sample_weight)]
    features = None if given.features is None else tuple(names[column] if isinstance(column, int) else column
                                                         for column in given.features)
    return Wanted(turned[0], features, turned[1])


def _archive(file: SeenFile) -> Archive:
    headers = _headers(file)
    small = [name for name in ("format", *NAMES) if name in headers]
    arrays = _arrays(file, [*small, *(["shape"] if "shape" in headers else [])])
    kind = kind_of({name: arrays.get(name, np.empty(0)) for name in headers})
    if kind is None:
        able = [name for name, header in headers.items() if len(header.shape) == 2 and np.dtype(header.dtype).kind in "biuf"]
        matrix = "X" if "X" in able else able[0] if len(able) == 1 else ""
        held = ", ".join(f"{name} {header.shape}" for name, header in headers.items()) or "nothing"
        check(matrix != "", f"{file.shown} holds {held}; a matrix named X, or one matrix only, is wanted.")
        shape = headers[matrix].shape
    else:
        check(kind in PARTS, f'{file.shown} holds a sparse matrix of the format "{kind}"; one of {", ".join(PARTS)} is '
                             'wanted.')
        matrix, size = "", arrays["shape"]
        check(size.dtype.kind in "iu" and size.shape == (2,) and bool((size >= 0).all()),
              f"{file.shown} holds a sparse matrix of shape {size.tolist()}; two whole numbers are wanted.")
        lost = [part for part in PARTS[kind] if part not in headers]
        check(not lost, f"{file.shown} holds a sparse matrix without {', '.join(lost)}. Write it with scipy.sparse.save_npz.")
        shape = (int(size[0]), int(size[1]))
    check(shape[1] > 0, f"{file.shown} holds a matrix of shape {shape}; at least one column is wanted.")
    named = next((name for name in NAMES if name in arrays), None)
    names = None if named is None else tuple(map(str, arrays[named].ravel().tolist()))
    if names is not None:
        check(len(names) == shape[1], f"{file.shown} holds {len(names)} {named} for {shape[1]} columns; one for each is "
                                      "wanted.")
        check(len(set(names)) == len(names), f"{file.shown} has several columns of the same name; each once is wanted.")
    return Archive(file, headers, matrix, kind, (shape[0], shape[1]), names)


def _headers(file: SeenFile) -> dict[str, Header]:
    """The headers of all arrays; an error if the file would unpack to more than there is memory."""
    found: dict[str, Header] = {}
    with reading(file.shown, "an NPZ file"), zipfile.ZipFile(file.path) as archive:
        members = [member for member in archive.infolist() if member.filename.endswith(".npy")]
        total = sum(member.file_size for member in members)
        check(total <= memory(), f"{file.shown} unpacks to {total / 1e9:.3g} GB, and there are {memory() / 1e9:.3g} GB of "
                                 "memory. Cut it "
                                 "into smaller files.")
        for member in members:
            name = member.filename.removesuffix(".npy")
            with archive.open(member) as stream:
                found[name] = header_of(stream, f"{name} in {file.shown}", member.file_size)  # type: ignore[arg-type]
    return found


def _arrays(file: SeenFile, names: Sequence[str]) -> dict[str, Array]:
    """These arrays; what could only be unpickled is refused."""
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
                           "holds "
                           f"{listed(list(archive.headers))}.")
    else:
        found = column if isinstance(column, str) and column in vectors else ""
        check(bool(found) or not isinstance(column, str) or (archive.names is not None and column in archive.names),
              f"{archive.file.shown} has no array {column}, which {what} names. It holds {listed(list(archive.headers))}.")
    if found:
        check_numbers(archive.headers[found], f"{found} in {archive.file.shown}")
        n, size = archive.shape[0], archive.headers[found].shape
        check(size in ((n,), (n, 1)), f"{found} in {archive.file.shown} has shape {size} where the matrix has {n} rows; one "
                                      "number a row is "
                                      "wanted.")
    return found


def _check_alike(first: Archive, other: Archive) -> None:
    a, b = first.file.shown, other.file.shown
    check(first.shape[1] == other.shape[1], f"The files disagree on columns: {a} has {first.shape[1]}, and {b} has "
                                            f"{other.shape[1]}.")
    check((first.names is None) == (other.names is None), f"The files disagree on columns: only one of {a} and {b} names "
                                                          "them.")
    if first.names is not None and other.names is not None:
        check(set(first.names) == set(other.names),
              f"The files disagree on columns: only {a} has {listed(sorted(set(first.names) - set(other.names)))}, and only "
              f"{b} has "
              f"{listed(sorted(set(other.names) - set(first.names)))}.")


def _column(A: Any, place: int) -> Array:
    found: Array = A[:, [place]].toarray().ravel() if not isinstance(A, np.ndarray) else A[:, place]
    return found
