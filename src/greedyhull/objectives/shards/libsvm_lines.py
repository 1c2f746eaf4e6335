"""Lines of LIBSVM's format, ``label index:value …``: what they say, and what is wrong with which."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable
from math import isfinite
from typing import NamedTuple

import numpy as np

from greedyhull.errors import GreedyhullError
from greedyhull.objectives.shards.numbered import most_columns, too_many
from greedyhull.types import Array

WHOLE = re.compile(r"[+-]?[0-9]{1,100}")
EXAMPLE = "1 3:0.5 7:2.0"


class Entries(NamedTuple):
    """The labels, and the entries of all rows one after another: row i has those from starts[i] to starts[i + 1]."""

    labels: Array
    values: Array
    indices: Array
    starts: Array


def parsed(lines: Iterable[str], name: str, begin: int = 1) -> Entries:
    """What lines say; the first one is line ``begin`` of the file ``name``. Indices are as they are written."""
    labels, values, indices, starts = array("d"), array("d"), array("q"), array("q", [0])
    most = most_columns()
    for number, line in enumerate(lines, start=begin):
        cells = line.partition("#")[0].split()
        if not cells:
            continue
        try:
            label, entries = _parsed(cells, most)
        except _Wrong as error:
            raise GreedyhullError(f"Line {number} of {name} {error}") from None
        labels.append(label)
        indices.extend(entries)
        values.extend(entries.values())
        starts.append(len(indices))
    return Entries(np.array(labels), np.array(values), np.array(indices), np.array(starts))


class _Wrong(Exception):  # noqa: N818 — it never leaves this file
    """What is wrong with a line."""


def _parsed(cells: list[str], most: int) -> tuple[float, dict[int, float]]:
    """The label of a line and its entries by index."""
    label = _number(cells[0], "a label")
    entries: dict[int, float] = {}
    for cell in cells[1:]:
        index, mark, value = cell.partition(":")
        if index == "qid" and mark:
            continue
        if not (mark and WHOLE.fullmatch(index)):
            raise _Wrong(f"is not in LIBSVM's format: \"{cell}\" stands where index:value is wanted, as in {EXAMPLE}.")
        j = int(index)
        if j < 0:
            raise _Wrong(f"has the index {j}; indices from 1, or from 0, are wanted.")
        if j > most:
            raise _Wrong(f"has the index {j}, which makes {too_many(j)}. Number the columns anew, leaving out those that are "
                         "empty.")
        if j in entries:
            raise _Wrong(f"has the index {j} twice; one value for each index is wanted.")
        entries[j] = _number(value, f"a value of index {j}")
    return label, entries


def _number(cell: str, what: str) -> float:
    try:
        number = float("" if "_" in cell else cell)
    except ValueError:
        raise _Wrong(f"is not in LIBSVM's format: \"{cell}\" stands where {what} is wanted, as in {EXAMPLE}.") from None
    if not isfinite(number):
        raise _Wrong(f"has {cell} for {what}; finite numbers are wanted. Leave the line out, or fill it in.")
    return number
