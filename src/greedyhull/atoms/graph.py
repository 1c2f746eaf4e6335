"""What is given as a graph, checked: edges as pairs of nodes.

SciPy 1.14 searches graphs only by 32-bit indices, so that they are passed as ``csr_matrix``: ``csr_array`` keeps 64 bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.atoms.arguments import LONGEST
from greedyhull.errors import GreedyhullError, check
from greedyhull.errors.given import shown
from greedyhull.types import Index


def edges_of(edges: Any, nodes: Any) -> tuple[Index, int]:
    """Edges as an array of pairs of nodes 0, …, nodes − 1, none from a node to itself."""
    n = _count(nodes)
    try:
        pairs = np.array(edges)
    except ValueError:
        raise GreedyhullError(f"edges = {shown(edges)} was given; pairs of nodes are wanted.") from None
    check(pairs.ndim == 2 and pairs.shape[1:] == (2,) and len(pairs) > 0 and pairs.dtype.kind in "iu",
          lambda: f"edges = {shown(edges)} was given; an array of shape (m, 2) with a pair of nodes, whole numbers, for each "
                  "edge is wanted.")
    out = np.flatnonzero(((pairs < 0) | (pairs >= n)).any(axis=1))
    check(not len(out), lambda: f"Edge {out[0]}, {tuple(pairs[out[0]].tolist())}, names a node out of range; nodes are "
                                f"numbered from 0 to {n - 1}.")
    loops = np.flatnonzero(pairs[:, 0] == pairs[:, 1])
    check(not len(loops), lambda: f"Edge {loops[0]} goes from node {pairs[loops[0], 0]} to itself; leave it out.")
    return pairs.astype(np.intp), n


def _count(nodes: Any) -> int:
    """How many nodes there are."""
    check(isinstance(nodes, (int, np.integer)) and not isinstance(nodes, bool) and bool(nodes >= 1),
          lambda: f"nodes = {shown(nodes)} was given; the number of nodes, a whole number of at least 1, is wanted. Nodes are "
                  "numbered from 0; np.unique(edges, return_inverse=True) numbers their names.")
    check(int(nodes) <= LONGEST, lambda: f"nodes = {shown(nodes)} was given; at most {LONGEST} are wanted, for no dimension "
                                         "is larger than memory.")
    return int(nodes)


def node_of(node: Any, nodes: int, name: str) -> int:
    """A node by its number."""
    check(isinstance(node, (int, np.integer)) and not isinstance(node, bool) and 0 <= int(node) < nodes,
          lambda: f"{name} = {shown(node)} was given; the number of a node, from 0 to {nodes - 1}, is wanted.")
    return int(node)
