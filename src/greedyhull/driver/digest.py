"""Whether two objectives, sets or solvers are the same: a digest of all that they are made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from functools import cached_property, partial
from hashlib import blake2b
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import numpy as np

from greedyhull.points.arrays import is_sparse
from greedyhull.types import Array
from greedyhull.types.attributes import field_values, own

FUNCTIONS = (FunctionType, BuiltinFunctionType, MethodType, partial)
ROWS = 1 << 22  # bytes that are copied at once


class UnknownError(Exception):
    """Something whose meaning no digest can tell: a function, or an object of a class that is not ours."""


def digest(thing: Any) -> bytes:
    """Bytes that are equal for equal things and differ for others; empty where nobody can tell.

    Data, weights, parameters and dtypes count; how an array lies in memory does not. Functions and objects of users'
    classes may have changed without a trace, so that they have no digest, nor has what contains them.

    >>> import greedyhull as gh
    >>> digest(gh.Simplex(3)) == digest(gh.Simplex(3)), digest(gh.Simplex(3)) == digest(gh.Simplex(3, total=2.0))
    (True, False)
    >>> digest(gh.function(sum, sum, 3))
    b''
    """
    state = blake2b(digest_size=16)
    try:
        for part in _parts(thing):
            state.update(len(part).to_bytes(8, "little"))
            state.update(part)
    except UnknownError:
        return b""
    return state.digest()


def _parts(thing: Any) -> Iterable[bytes]:
    if thing is None or isinstance(thing, (bool, int, float, str, bytes, np.generic, np.dtype)):
        yield f"{type(thing).__name__}:{thing!r}".encode()
    elif isinstance(thing, np.ndarray):
        yield from _array(thing)
    elif isinstance(thing, (list, tuple)):
        yield f"{type(thing).__name__}[{len(thing)}]".encode()
        for item in thing:
            yield from _parts(item)
    elif isinstance(thing, dict):
        yield f"dict[{len(thing)}]".encode()
        for key in sorted(thing, key=str):
            yield from _parts(key)
            yield from _parts(thing[key])
    elif type(thing).__module__.startswith("scipy.sparse") and is_sparse(thing):
        columns = thing.tocsc()
        yield f"sparse{thing.shape}".encode()
        for array in (columns.indptr.astype(np.int64), columns.indices.astype(np.int64), columns.data):
            yield from _array(array)
    elif _is_ours(type(thing).__module__) and not isinstance(thing, FUNCTIONS):
        yield from _ours(thing)
    else:
        raise UnknownError


def _is_ours(module: str) -> bool:
    """Whether a class is one of the library; those of its tests stand for users' classes."""
    return module.startswith("greedyhull.") and not module.startswith("greedyhull.testing")


def _array(array: Array) -> Iterable[bytes]:
    if array.dtype.hasobject:
        raise UnknownError
    yield f"array{array.shape}{array.dtype.str}".encode()
    whole = array if array.ndim else array.reshape(1)
    step = max(1, ROWS // max(1, array.itemsize * int(np.prod(array.shape[1:]))))
    for start in range(0, len(whole), step):
        yield np.ascontiguousarray(whole[start : start + step]).tobytes()


def _ours(thing: Any) -> Iterable[bytes]:
    """An object of the library: its class, and what it was built from; what it keeps for speed has a leading underscore.

    A field that was added to a class later counts where it is not at its default, so that states saved before are recognised.
    """
    kind, held = type(thing), own(thing)
    named = field_values(thing)
    if named is None and held is not None:
        named = dict(sorted(held.items()))
    if named is None or any(isinstance(kept, FUNCTIONS) for kept in (held or {}).values()):
        raise UnknownError
    cached = {name for base in kind.__mro__ for name, value in vars(base).items() if isinstance(value, cached_property)}
    later = [f for f in fields(thing) if "added" in f.metadata] if is_dataclass(thing) else []
    added = {f.name for f in later if named[f.name] == f.default}
    home = kind.__module__.replace("greedyhull.solvers.gradients.", "greedyhull.gradients.")  # as in states saved before
    yield f"{home}.{kind.__qualname__}".encode()
    for name, value in named.items():
        if not name.startswith("_") and name not in cached and name not in added:
            yield name.encode()
            yield from _parts(value)
