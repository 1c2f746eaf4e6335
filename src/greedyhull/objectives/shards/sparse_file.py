"""Sparse matrices in NPZ files, as scipy.sparse.save_npz writes them; their arrays are looked at before SciPy trusts them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from greedyhull.errors import check
from greedyhull.objectives.shards.numbered import most_columns, too_many
from greedyhull.points.given import compressed
from greedyhull.types import Array

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


def sparse_in(name: str, arrays: Mapping[str, Array], kind: str) -> Any:
    """The matrix in CSR."""
    from scipy import sparse

    check(kind in PARTS, f'{name} holds a sparse matrix of the format "{kind}"; one of {", ".join(PARTS)} is wanted.')
    lost = [part for part in PARTS[kind] if part not in arrays]
    check(not lost, f"{name} holds a sparse matrix without {', '.join(lost)}. Write it with scipy.sparse.save_npz.")
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
