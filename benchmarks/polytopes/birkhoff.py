"""Relaxed graph matching over doubly stochastic matrices, beside quadratic programming called directly."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import sparse

import greedyhull as gh
from benchmarks.cases import data_folder
from benchmarks.tables import Table
from benchmarks.timing import interleaved
from greedyhull import extend

ACCURACY = 1e-6  # absolute; the objective is scaled to about one
MADE = (10, 20, 30, 40, 60, 100)
LARGEST = {"PIQP": 60, "Clarabel": 40}  # rows up to which rivals are run: for more they take minutes, or gigabytes
MIXED = 40  # rows up to which the answer is written as permutations, which takes longer than the run
FOLDER = data_folder()


class Mismatch(extend.DesignBase):
    """P ↦ AP − PB, so scaled that ½n⁻²‖·‖² is ½‖AP − PB‖² / (‖A‖‖B‖)."""

    dtype = np.dtype(float)

    def __init__(self, A: Any, B: Any) -> None:
        self.A, self.B, self.domain, self.n = A, B, A.shape, A.size
        self.scale = float(np.sqrt(A.size / (np.linalg.norm(A) * np.linalg.norm(B))))

    def matvec(self, w: Any) -> Any:
        return np.asarray(self.scale * (self.A @ w - w @ self.B)).ravel()

    def adjoint(self, r: Any) -> Any:
        R = r.reshape(self.domain)
        return np.asarray(self.scale * (self.A.T @ R - R @ self.B.T))

    def column(self, j: int) -> Any:
        return self.columns(np.array([j]), np.ones(1))[:, 0]

    def columns(self, index: Any, scales: Any) -> Any:
        """The unit matrix at (i, k) is mapped to column i of A in column k, less row k of B in row i."""
        n, m = len(self.A), len(index)
        i, k = np.divmod(index, n)
        out, each = np.zeros((m, n, n)), np.arange(m)
        out[each, :, k] = self.A[:, i].T
        out[each, i, :] -= self.B[k]
        return (out.reshape(m, -1) * (self.scale * scales)[:, None]).T

    def combine(self, index: Any, c: Any) -> Any:
        W = np.zeros(self.n)
        np.add.at(W, index, c)
        return self.matvec(W.reshape(self.domain))

    def energies(self, weights: Any) -> Any:
        W = np.broadcast_to(weights, self.n).reshape(self.domain)
        both = np.outer(self.A.diagonal(), self.B.diagonal())
        return np.asarray(self.scale**2 * ((self.A**2).T @ W + W @ (self.B**2).T - 2.0 * W * both)).ravel()

    def gram(self, Z: Any, Z2: Any = None, weights: Any = None) -> Any:
        right = Z if Z2 is None else Z2
        return np.asarray(Z.T @ (right if weights is None else right * weights[:, None]))


def written_out(A: Any, B: Any) -> tuple[Any, Any]:
    """The matrix of the quadratic, and the sums of rows and columns, one of which follows from the others."""
    n = len(A)
    K = (np.kron(A, np.eye(n)) - np.kron(np.eye(n), B.T)) / np.sqrt(np.linalg.norm(A) * np.linalg.norm(B))
    return K.T @ K, np.vstack([np.kron(np.eye(n), np.ones((1, n))), np.kron(np.ones((1, n)), np.eye(n))])[:-1]


def by_piqp(A: Any, B: Any) -> Any:
    import piqp

    n = len(A)
    Q, sums = written_out(A, B)
    solver = piqp.DenseSolver()
    solver.settings.verbose = False
    solver.setup(Q, np.zeros(n * n), sums, np.ones(2 * n - 1), x_l=np.zeros(n * n))
    solver.solve()
    return np.array(solver.result.x).reshape(n, n)


def by_clarabel(A: Any, B: Any) -> Any:
    import clarabel

    n = len(A)
    Q, sums = written_out(A, B)
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_threads = False, 1
    rows = sparse.csc_matrix(sparse.vstack([sparse.csc_matrix(sums), -sparse.eye_array(n * n)]))
    cones = [clarabel.ZeroConeT(2 * n - 1), clarabel.NonnegativeConeT(n * n)]
    right = np.concatenate([np.ones(2 * n - 1), np.zeros(n * n)])
    solver = clarabel.DefaultSolver(sparse.csc_matrix(np.triu(Q)), np.zeros(n * n), rows, right, cones, settings)
    return np.array(solver.solve().x).reshape(n, n)


def tables(repeats: int, only: tuple[str, ...] = ()) -> Iterator[Table]:
    table = Table("polytopes_birkhoff", f"Relaxed graph matching: seconds to a gap of {ACCURACY:g}",
                  ["problem", "n", "rounds", "atoms", "above the reference", "greedyhull", "Clarabel", "PIQP",
                   "best rival / ours"],
                  notes=["The minimum of esc16b is the centre, 1/n everywhere. Made ones have random symmetric matrices, "
                         "and are compared with a rival's value. PIQP was not run above n = 60, nor Clarabel above 40."])
    for name, A, B, optimum in problems():
        if only and name not in only:
            continue
        n, S = len(A), gh.Birkhoff(len(A))
        calls: dict[str, Callable[[], Any]] = {
            "greedyhull": lambda A=A, B=B, S=S: gh.minimize(gh.least_squares(Mismatch(A, B), np.zeros(A.size)), S,
                                                            stop=gh.Gap(ACCURACY)),
            "Clarabel": lambda A=A, B=B: by_clarabel(A, B), "PIQP": lambda A=A, B=B: by_piqp(A, B)}
        calls = {rival: call for rival, call in calls.items() if n <= LARGEST.get(rival, n)}
        times, s = interleaved(calls, repeats), calls["greedyhull"]()
        rivals = [rival for rival in ("Clarabel", "PIQP") if rival in calls]
        if optimum is None and rivals:
            z = Mismatch(A, B).matvec(calls[rivals[0]]())
            optimum = 0.5 * float(z @ z) / A.size
        table.rows.append([name, n, s.iterations, len(s.point.weights) if n <= MIXED else "",
                           "" if optimum is None else s.value - optimum, times["greedyhull"], times.get("Clarabel", ""),
                           times.get("PIQP", ""),
                           min(times[rival] for rival in rivals) / times["greedyhull"] if rivals else ""])
    yield table


def problems() -> Iterator[tuple[str, Any, Any, float | None]]:
    """Stored references, and made ones: a name, two matrices, and the optimum where it is known."""
    path = FOLDER / "references.json"
    for entry in json.loads(path.read_text()) if path.exists() else []:
        if entry["id"] in (105, 106, 107, 109):
            name = entry["dataset"].removeprefix("QAPLIB ")
            t = np.array((FOLDER / "qaplib" / "problems" / f"{name}.dat").read_text().split(), dtype=float)
            n = int(t[0])
            yield name, t[1 : 1 + n * n].reshape(n, n), t[1 + n * n : 1 + 2 * n * n].reshape(n, n), entry["optimum"]
    for n in MADE:
        rng = np.random.default_rng(n)
        A, B = (M + M.T for M in rng.random((2, n, n)))
        yield f"made {n}", A, B, None
