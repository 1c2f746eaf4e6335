"""Random sets that an algorithm searches: programs, paths, trees, assignments; so simple that points have a formula."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

import greedyhull as gh
from greedyhull.types import Array
from tests.fuzz.draws import Rng, chance, pick
from tests.fuzz.exact import LD
from tests.fuzz.region import Region


def linear_program(rng: Rng, d: int, caps: Array | None = None, groups: Array | None = None) -> Region:
    """Weights that sum to one under caps on groups of them."""
    if groups is None:
        groups = rng.integers(0, max(1, min(d, 4)), d)
    A = (groups == np.unique(groups)[:, None]).astype(float)
    if caps is None:
        caps = 1.0 / len(A) + rng.random(len(A)) * pick(rng, (0.0, 0.3, 1.0))

    def outside(x: Array) -> float:
        over = np.maximum(np.maximum(-x.min(), np.abs(x.sum() - 1)), (A.astype(LD) @ x - caps.astype(LD)).max())
        return float(max(over, LD(0)))

    S = gh.LinearProgram(A, caps, np.ones((1, d)), [1.0])
    return _region("LinearProgram", S, outside, lambda rng: linear_program(rng, d, caps * pick(rng, (1.1, 2.0)), groups), 1e-9)


def path_polytope(rng: Rng, d: int, steps: Array | None = None) -> Region:
    """A chain of nodes with parallel edges from each to the next: those of each step sum to one."""
    if steps is None:
        steps = np.sort(np.concatenate([np.arange(k := int(rng.integers(1, d + 1))), rng.integers(0, k, d - k)]))
    A = (steps == np.arange(steps.max() + 1)[:, None]).astype(LD)
    turned = bool(chance(rng, 0.5))  # nodes may be numbered backwards
    nodes = int(steps.max()) + 2
    edges = np.column_stack([steps, steps + 1]) if not turned else nodes - 1 - np.column_stack([steps, steps + 1])
    S = gh.PathPolytope(edges, nodes, *((nodes - 1, 0) if turned else (0, nodes - 1)))

    def outside(x: Array) -> float:
        return float(np.maximum(np.maximum(-x.min(), np.abs(A @ x - 1).max()), LD(0)))

    return _region("PathPolytope", S, outside, lambda rng: path_polytope(rng, d), 0.0)


def spanning_tree(rng: Rng, d: int) -> Region:
    """A ring, every tree of which leaves one edge out; of one edge, the edge itself."""
    edges = np.column_stack([np.arange(d), (np.arange(d) + 1) % d]) if d > 1 else np.array([[0, 1]])
    S, total = gh.SpanningTree(edges, max(d, 2)), max(d - 1, 1)

    def outside(x: Array) -> float:
        return float(np.maximum(np.maximum(np.maximum(-x.min(), x.max() - 1), np.abs(x.sum() - total) / total), LD(0)))

    return _region("SpanningTree", S, outside, lambda rng: spanning_tree(rng, d), 0.0)


def birkhoff(rng: Rng, d: int) -> Region:
    """Doubly stochastic matrices, written in a row, beside a simplex of what is left."""
    n = int(np.sqrt(d))
    left = d - n * n

    def outside(x: Array) -> float:
        W, rest = x[: n * n].reshape(n, n), x[n * n :]
        over = np.maximum(np.abs(W.sum(0) - 1).max(), np.abs(W.sum(1) - 1).max())
        return float(np.maximum(np.maximum(over, np.abs(rest.sum() - 1) if left else 0), -x.min()))

    S = gh.Product(gh.Birkhoff(n), *((gh.Simplex(left),) if left else ()))
    return _region("Birkhoff", S, outside, lambda rng: birkhoff(rng, d), 1e-11)


def transport(rng: Rng, d: int) -> Region:
    """Couplings of two lists of masses, written in a row; some masses are zero."""
    m = pick(rng, [k for k in range(1, d + 1) if d % k == 0])
    a, b = rng.random(m), rng.random(d // m)
    a[rng.random(m) < pick(rng, (0.0, 0.3))] = 0.0
    a[0] += float(a.sum() == 0.0)
    a, b = a / a.sum(), b / b.sum()

    def outside(x: Array) -> float:
        W = x.reshape(len(a), len(b))
        over = np.maximum(np.abs(W.sum(1) - a).max(), np.abs(W.sum(0) - b).max())
        return float(np.maximum(over, -x.min()))

    return _region("Transport", gh.Product(gh.Transport(a, b)), outside, lambda rng: transport(rng, d), 1e-9)


def _region(kind: str, S: gh.AtomSet, outside: Any, again: Any, loose: float) -> Region:
    d = S.shape[0]
    some = np.zeros((min(2 * d, 8), d))
    rng = np.random.default_rng(0)
    for row in some:
        S.atom(rng.standard_normal(d)).add_to(row, 1.0)
    return Region(kind, S, d, outside, lambda x: None, some, again, loose=loose)


MAKES: tuple[Callable[[Rng, int], Region], ...] = (
    path_polytope, spanning_tree, birkhoff, *((linear_program, transport) if find_spec("highspy") else ()))
