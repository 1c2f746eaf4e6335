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
PLAIN = b"0123456789+-.eE: \t\r\n"
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


def quickly(text: bytes) -> Entries | None:
    """What plain text says, with no loop over its cells; None where it is not plain, or where anything is wrong with it.

    Plain are digits, signs, points and exponents, white space and colons: a label first on each line, then index:value.
    """
    if not text or text.translate(None, PLAIN):
        return None
    letters = np.frombuffer(text if text.endswith(b"\n") else text + b"\n", dtype=np.uint8)
    blank, colons = letters <= 32, np.flatnonzero(letters == 58)
    begins = np.flatnonzero(~blank & np.concatenate([[True], blank[:-1]]))  # of cells
    ends = np.flatnonzero(~blank & np.concatenate([blank[1:], [True]]))
    line_ends = np.flatnonzero(letters == 10)
    cells = np.diff(np.searchsorted(begins, line_ends), prepend=0)  # how many each line has
    cells = cells[cells > 0]
    firsts = np.concatenate([[0], np.cumsum(cells)[:-1]]) if len(cells) else cells
    others = np.ones(len(begins), dtype=bool)
    others[firsts] = False
    if len(colons) != others.sum() or len(cells) == 0:
        return None
    left, right = begins[others], ends[others]
    if not bool(((left < colons) & (colons < right)).all()):  # one colon within each cell but the labels
        return None
    digit = np.concatenate([[0], np.cumsum((letters >= 48) & (letters <= 57))])
    if not bool((digit[colons] - digit[left] == colons - left).all() and (colons - left <= 15).all()):
        return None
    try:
        numbers = np.array(list(map(float, text.replace(b":", b" ").split())))
    except ValueError:
        return None
    starts = np.concatenate([[0], np.cumsum(cells - 1)])
    labels = numbers[2 * starts[:-1] + np.arange(len(cells))]
    pairs = np.delete(numbers, 2 * starts[:-1] + np.arange(len(cells)))
    indices, values = pairs[::2].astype(np.int64), np.ascontiguousarray(pairs[1::2])
    row = np.repeat(np.arange(len(cells)), cells - 1)
    order = np.lexsort((indices, row)) if bool((np.diff(indices)[np.diff(row) == 0] <= 0).any()) else None
    if order is not None and bool(((np.diff(indices[order]) == 0) & (np.diff(row[order]) == 0)).any()):
        return None  # an index twice
    if not bool(np.isfinite(numbers).all()) or (len(indices) and int(indices.max()) > most_columns()):
        return None
    return Entries(labels, values, indices, starts)


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
