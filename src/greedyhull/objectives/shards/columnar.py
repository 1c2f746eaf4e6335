"""Arrow's columns as a shard: what a column's type is, and its numbers without nulls."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.errors import GreedyhullError, check, installing
from greedyhull.objectives.shards.marks import SeenFile
from greedyhull.objectives.shards.numbered import memory
from greedyhull.objectives.shards.rows import Place, checked
from greedyhull.objectives.shards.schema import Kind, Schema, Taken, schema
from greedyhull.types import Array, Shard

ROWS = 4096  # that are written together: a column is contiguous in the file, and a row in X


def arrow(name: str) -> Any:
    """A module of pyarrow, which is imported when a file needs it."""
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError as error:
        raise GreedyhullError(f"Parquet and Arrow files need pyarrow, which is not installed. {installing('cluster')} Or: "
                              "pip install "
                              "pyarrow.") from error


def schema_of(file: SeenFile, fields: Any) -> Schema:
    """The columns of a file, from Arrow's own schema."""
    return schema(file, [(field.name, kind_of(field.type)) for field in fields])


def kind_of(type_: Any) -> Kind:
    """What a column of this type is to us: integers, floats, decimals and booleans are numbers, also those of a dictionary."""
    types = arrow("pyarrow.types")
    own = type_.value_type if types.is_dictionary(type_) else type_
    numeric = types.is_integer(own) or types.is_floating(own) or types.is_boolean(own) or types.is_decimal(own)
    return Kind(bool(numeric), bool(types.is_float32(own)), "categorical" if own is not type_ else str(type_)[:60],
                str(own) in ("string", "large_string", "string_view"))


def shard_of(table: Any, taken: Taken, file: SeenFile, first: int) -> Shard:
    """The rows of an Arrow table; the first is row ``first`` of the file."""
    n, d = table.num_rows, len(taken.features)
    fits(n, d, file)
    place = Place(file.shown, first, taken.features, f"column {taken.target}", f"column {taken.weight}")
    columns = [_numbers(table, name, place) for name in taken.features]
    X: Array = np.empty((n, d), dtype=taken.dtype)
    with np.errstate(over="ignore"):
        for start in range(0, n, ROWS):
            for j, column in enumerate(columns):
                X[start : start + ROWS, j] = column[start : start + ROWS]
    s = None if taken.weight is None else _numbers(table, taken.weight, place)
    return checked(X, _numbers(table, taken.target, place), s, place)


def fits(n: int, d: int, file: SeenFile) -> None:
    """An error if so many rows do not fit into memory: a few bytes may promise any number of them."""
    check(8 * n * (d + 2) <= memory(), f"{file.shown} says it has {n} rows in one part, which take {8e-9 * n * d:.3g} GB "
                                       f"with {d} columns, and "
          f"there are {memory() / 1e9:.3g} GB of memory. Write it with smaller row groups or batches.")


def _numbers(table: Any, name: str, place: Place) -> Array:
    column, types = table.column(name), arrow("pyarrow.types")
    column = column.cast(column.type.value_type) if types.is_dictionary(column.type) else column
    if column.null_count:
        i = int(np.argmax(column.is_null().to_numpy()))
        raise GreedyhullError(f"A null stands in column {name}, {place.row(i)}, and {column.null_count} in all. Fill them, "
                              "or leave the "
                              "rows or the column out.")
    found: Array = (column.cast("float64") if types.is_decimal(column.type) else column).to_numpy()
    return found
