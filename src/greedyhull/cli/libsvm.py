"""LIBSVM's format as a table: ``label index:value …`` on each line."""

from __future__ import annotations

from pathlib import Path

from greedyhull.cli.tables import Matrix
from greedyhull.errors import check
from greedyhull.objectives.shards.libsvm_lines import EXAMPLE, parsed
from greedyhull.objectives.shards.numbered import Numbered
from greedyhull.objectives.shards.reading import reading, text_of


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
