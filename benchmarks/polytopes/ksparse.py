"""The K-sparse polytope: rounds of a large quadratic, and least squares beside cvxpy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.sparse import identity

import greedyhull as gh
from benchmarks.cases import data_folder
from benchmarks.tables import Table
from benchmarks.timing import interleaved

SMALL = 3_000_000  # entries of the largest data that cvxpy is given


def tables(repeats: int, only: tuple[str, ...] = ()) -> Iterator[Table]:
    yield _rounds()
    table = Table("polytopes_ksparse", "K-sparse least squares: seconds to a relative gap of 1e-6",
                  ["problem", "K", "rounds", "greedyhull", "cvxpy", "cvxpy / ours"])
    for name, X, y, K, radius in _cases():
        if only and not any(word in name for word in only):
            continue
        S = gh.KSparse(X.shape[1], K, radius)
        run = lambda X=X, y=y, S=S: gh.minimize(gh.least_squares(X, y), S, stop=gh.Relative(1e-6))
        ours = interleaved({"ours": run}, repeats)["ours"]
        theirs = None
        if X.size <= SMALL:
            theirs = interleaved({"cvxpy": lambda X=X, y=y, K=K, radius=radius: _cvxpy(X, y, K, radius)}, 1)["cvxpy"]
        table.rows.append([name, K, run().iterations, ours, theirs, None if theirs is None else theirs / ours])
    yield table


def _rounds() -> Table:
    """½‖w − p‖² in 10 000 coordinates, K = 100, with p inside the set and with p outside."""
    table = Table("polytopes_ksparse_rounds", "K-sparse, K = 100, d = 10 000, a quadratic: rounds to a gap",
                  ["the target", "asked for", "gap", "rounds", "seconds"],
                  notes=["A set with plain vertices had a gap of 1.8e-3 after 1000 rounds."])
    rng = np.random.default_rng(0)
    inside = rng.random(10_000)
    for name, target, gap in (("inside", inside / inside.sum(), 1e-7), ("outside", 2.0 * rng.standard_normal(10_000), 1e-6)):
        f, S = gh.quadratic(identity(10_000, format="csr"), target), gh.KSparse(10_000, 100, 1.0)
        s = gh.minimize(f, S, stop=gh.Gap(gap) | gh.Iterations(300))
        table.rows.append([name, f"{gap:g}", f"{s.gap:.2g}", s.iterations, s.seconds])
    return table


def _cases() -> Iterator[tuple[str, Any, Any, int, float]]:
    path = data_folder() / "dense" / "diabetes.npz"
    if path.exists():
        z = np.load(path)
        yield "diabetes, 442×10", np.asfortranarray(z["X"]), z["y"] - z["y"].mean(), 3, 300.0
    rng = np.random.default_rng(0)
    X = np.asfortranarray(rng.standard_normal((500, 5000)))
    y = X[:, :40] @ rng.choice([-1.0, 1.0], 40) + 0.5 * rng.standard_normal(500)
    for K, radius in ((20, 1.0), (40, 1.0), (80, 0.4)):
        yield "made 500×5000", X, y, K, radius


def _cvxpy(X: Any, y: Any, K: int, radius: float) -> Any:
    import cvxpy as cp

    w = cp.Variable(X.shape[1])
    loss = cp.sum_squares(X @ w - y) / (2 * len(y))
    cp.Problem(cp.Minimize(loss), [cp.norm(w, 1) <= K * radius, cp.norm(w, "inf") <= radius]).solve(solver="CLARABEL")
    return w.value
