"""LIBSVM's format: ``label index:value …`` on each line."""

from __future__ import annotations

import re
from array import array
from math import isfinite
from pathlib import Path

import numpy as np

from greedyhull.cli.numbered import Numbered, most_columns, too_many
from greedyhull.cli.reading import reading, text_of
from greedyhull.cli.tables import Matrix
from greedyhull.errors import GreedyhullError, check

WHOLE = re.compile(r"[+-]?[0-9]{1,100}")
EXAMPLE = "1 3:0.5 7:2.0"


def libsvm(path: Path) -> Matrix:
    """Indices from 1, or from 0 if one is 0, in any order; columns are named by their indices."""
    from scipy.sparse import csr_array

    labels, values, indices, starts = array("d"), array("d"), array("q"), array("q", [0])
    most = most_columns()
    with reading(path, "LIBSVM's format"), text_of(path) as file:
        for number, line in enumerate(file, start=1):
            cells = line.partition("#")[0].split()
            if not cells:
                continue
            try:
                label, entries = _parsed(cells, most)
            except _Wrong as error:
                raise GreedyhullError(f"Line {number} of {path.name} {error}") from None
            labels.append(label)
            indices.extend(entries)
            values.extend(entries.values())
            starts.append(len(indices))
    check(len(labels) > 0 and len(indices) > 0, f"{path.name} holds no data; lines such as {EXAMPLE} are wanted.")
    places = np.array(indices)
    first = min(1, int(places.min()))
    X = csr_array((np.array(values), places - first, np.array(starts)), shape=(len(labels), int(places.max()) + 1 - first))
    return Matrix(Numbered(X.shape[1], first), X, {"label": np.array(labels)})


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
