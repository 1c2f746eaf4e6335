"""D-optimal designs beside the multiplicative algorithm and conic programming called directly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.tables import Table
from benchmarks.timing import interleaved
from greedyhull.apps import optimal_design

ACCURACY = 1e-8  # of −log det M(w)
COARSE = 1e-2  # where the multiplicative algorithm, whose error falls as 1/k, is stopped
MOST = 20_000  # of its steps
SIZES = ((200, 3), (500, 5), (2000, 10), (5000, 20))


def multiplicative(X: Any, tol: float) -> tuple[Any, float]:
    """wᵢ ← wᵢ·xᵢᵀM⁻¹xᵢ/p (Titterington, 1976): the weights and their gap."""
    n, p = X.shape
    w, gap = np.full(n, 1.0 / n), np.inf
    for _ in range(MOST):
        L = np.linalg.cholesky((X * w[:, None]).T @ X)
        variances = (np.linalg.solve(L, X.T) ** 2).sum(axis=0)
        gap = float(variances.max()) - p
        if gap <= tol:
            break
        w *= variances / p
    return w, gap


def by_clarabel(X: Any) -> Any:
    """Max Σ tⱼ with tⱼ ≤ log Zⱼⱼ and [[M(w), Z], [Zᵀ, diag Z]] ⪰ 0, Z lower triangular; variables w, Z, t."""
    import clarabel

    n, p = X.shape
    below = [(i, j) for i in range(p) for j in range(i + 1)]
    at = {pair: n + k for k, pair in enumerate(below)}
    first = n + len(below)  # of t
    big, root = 2 * p, np.sqrt(2.0)
    rows, columns, entries = [], [], []
    k = 0
    for c in range(big):  # the upper triangle by columns, off the diagonal times √2
        for r in range(c + 1):
            scale = -1.0 if r == c else -root
            if c < p:
                found = [(i, v) for i, v in enumerate((X[:, r] * X[:, c]).tolist())]
            elif r < p:
                found = [(at[r, c - p], 1.0)] if r >= c - p else []
            else:
                found = [(at[c - p, c - p], 1.0)] if r == c else []
            for place, value in found:
                rows.append(k)
                columns.append(place)
                entries.append(scale * value)
            k += 1
    psd = sparse.csc_array((entries, (rows, columns)), shape=(k, first + p))
    sums = sparse.csc_array((np.ones(n), (np.zeros(n, dtype=int), np.arange(n))), shape=(1, first + p))
    signs = sparse.csc_array((-np.ones(n), (np.arange(n), np.arange(n))), shape=(n, first + p))
    three = [(3 * j + q, place, -1.0) for j in range(p) for q, place in ((0, first + j), (2, at[j, j]))]
    where, which, sign = zip(*three, strict=True)
    logs = sparse.csc_array((sign, (where, which)), shape=(3 * p, first + p))
    right = np.concatenate([[1.0], np.zeros(n + k), np.tile([0.0, 1.0, 0.0], p)])
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(n), clarabel.PSDTriangleConeT(big),
             *[clarabel.ExponentialConeT()] * p]
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_threads = False, 1
    cost = np.concatenate([np.zeros(first), -np.ones(p)])
    A = sparse.csc_matrix(sparse.vstack([sums, signs, psd, logs]))
    nothing = sparse.csc_matrix((first + p, first + p))
    return np.array(clarabel.DefaultSolver(nothing, cost, A, right, cones, settings).solve().x)[:n]


def worth(X: Any, w: Any) -> float:
    """−log det M(w), the weights made non-negative and of sum one."""
    w = np.maximum(w, 0.0) / np.maximum(w, 0.0).sum()
    return float(-np.linalg.slogdet((X * w[:, None]).T @ X)[1])


def tables(repeats: int, only: tuple[str, ...] = ()) -> Iterator[Table]:
    table = Table("polytopes_designs", f"D-optimal designs: seconds to a gap of {ACCURACY:g}",
                  ["candidates", "parameters", "rounds", "support", "greedyhull", "Clarabel", "its error", "rival / ours",
                   "multiplicative", "its gap"],
                  notes=[f"The multiplicative algorithm, in NumPy, is stopped at a gap of {COARSE:g}."])
    for n, p in SIZES:
        if only and f"{n}x{p}" not in only:
            continue
        X = np.random.default_rng(0).standard_normal((n, p))
        calls = {"greedyhull": lambda X=X, p=p: optimal_design(X, tol=ACCURACY / p),
                 "Clarabel": lambda X=X: by_clarabel(X), "multiplicative": lambda X=X: multiplicative(X, COARSE)}
        times, found = interleaved(calls, repeats), calls["greedyhull"]()
        s = found.solution
        table.rows.append([n, p, s.iterations, len(s.point), times["greedyhull"], times["Clarabel"],
                           worth(X, calls["Clarabel"]()) - found.value, times["Clarabel"] / times["greedyhull"],
                           times["multiplicative"], calls["multiplicative"]()[1]])
    yield table
