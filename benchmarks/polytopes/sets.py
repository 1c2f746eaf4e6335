"""Each set beside itself as a linear program, at about a thousand coordinates: oracle calls, atoms a round, and time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.sparse import csr_array, eye_array, kron, vstack

import greedyhull as gh
from benchmarks.tables import Table

D, ROWS = 1000, 200
STOP = gh.Relative(1e-6) | gh.Seconds(20)
CALLS = 20  # of an oracle, at costs that drift


def tables(repeats: int, only: tuple[str, ...] = ()) -> Iterator[Table]:
    table = Table("polytopes_sets", "Least squares with 200 rows over a set, and over the same set as LinearProgram",
                  ["set", "d", "rounds", "oracle calls", "atoms a round", "seconds", "ms a call", "LP: calls", "LP: seconds",
                   "LP: ms a call", "LP / ours, call", "LP / ours, solve"],
                  notes=["To a relative gap of 1e-6, or 20 seconds. A call is one of 20 at costs that drift, the basis of the "
                         "linear program kept from each to the next. Sets whose programs have other variables are in the "
                         "table of oracles."])
    for name, (make, program) in SETS.items():
        if not only or any(word.lower() in name.lower() for word in only):
            table.rows.append([name, *_row(make(), program)])
    yield table


def _row(S: Any, program: Callable[[Any], Any]) -> list[object]:
    d = int(np.prod(S.shape))
    flat = gh.Product(S) if len(S.shape) > 1 else S
    rng = np.random.default_rng(0)
    X = rng.standard_normal((ROWS, d))
    y = X @ flat.centre().array()
    f = gh.least_squares(X, y + 0.1 * np.abs(y).std() * rng.standard_normal(ROWS))
    ours, ms = _solved(f, flat), _called(S)
    lp = program(S)
    theirs, lp_ms = _solved(f, lp), _called(lp)
    s, seconds, calls = ours
    rounds = max(s.iterations, 1)
    atoms = len(s.point) / rounds if s.point.keeps_atoms else None
    return [d, s.iterations, calls, atoms, seconds, ms, theirs[2], theirs[1], lp_ms, lp_ms / ms, theirs[1] / seconds]


def _solved(f: Any, S: Any) -> tuple[Any, float, int]:
    gh.minimize(f, S, stop=STOP)  # what is made, or loaded, once
    begin = time.process_time()
    s = gh.minimize(f, S, stop=STOP)
    return s, time.process_time() - begin, int(s.trace["oracle_calls"][-1])


def _called(S: Any) -> float:
    rng = np.random.default_rng(1)
    oracle, g = S.oracle(rng), rng.standard_normal(S.shape)
    if isinstance(S, gh.PathPolytope):
        g = np.abs(g)
    oracle.best(g, 1)
    begin = time.process_time()
    for _ in range(CALLS):
        g = g + 0.05 * np.abs(g).mean() * rng.random(S.shape)
        oracle.best(g, 1)
    return 1e3 * (time.process_time() - begin) / CALLS


def _sums(S: Any, **more: Any) -> gh.LinearProgram:
    return gh.LinearProgram(A_eq=np.ones((1, S.shape[0])), b_eq=[S.total], **more)


def _grouped(S: Any) -> gh.LinearProgram:
    d, k = S.shape[0], len(S.labels)
    A = csr_array((np.ones(d), (np.arange(d) % k, np.arange(d))), shape=(k, d))
    return gh.LinearProgram(A, np.full(k, 0.2), np.ones((1, d)), [S.total], bounds=(0, 20.0 / d))


def _doubly(S: Any) -> gh.LinearProgram:
    n, ones = S.shape[0], np.ones((1, S.shape[0]))
    A = csr_array(vstack([kron(eye_array(n), ones), kron(ones, eye_array(n))]))
    return gh.LinearProgram(A_eq=A[:-1], b_eq=np.ones(2 * n - 1), bounds=(0, 1))


def _coupled(S: Any) -> gh.LinearProgram:
    p, q = S.shape
    A = csr_array(vstack([kron(eye_array(p), np.ones((1, q))), kron(np.ones((1, p)), eye_array(q))]))
    return gh.LinearProgram(A_eq=A[:-1], b_eq=np.concatenate([S.a, S.b[:-1]]))


def _flow(S: Any) -> gh.LinearProgram:
    m, net = S.shape[0], np.zeros(S.nodes)
    net[S.source], net[S.target] = -1.0, 1.0
    k = np.arange(m)
    A = csr_array((np.concatenate([np.ones(m), -np.ones(m)]), (np.concatenate([S.edges[:, 1], S.edges[:, 0]]), np.tile(k, 2))),
                  shape=(S.nodes, m))
    return gh.LinearProgram(A_eq=A[:-1], b_eq=net[:-1], bounds=(0, 1))


def _blocks(S: Any) -> gh.LinearProgram:
    k = len(S.sets)
    return gh.LinearProgram(A_eq=kron(eye_array(k), np.ones((1, S.shape[0] // k))).tocsr(), b_eq=np.ones(k))


def _grid(n: int) -> gh.PathPolytope:
    along = [(r * n + c, r * n + c + 1) for r in range(n) for c in range(n - 1)]
    down = [(r * n + c, r * n + c + n) for r in range(n - 1) for c in range(n)]
    return gh.PathPolytope(along + down, n * n, 0, n * n - 1)


SETS: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "Simplex": (lambda: gh.Simplex(D), _sums),
    "Simplex, upper bounds": (lambda: gh.Simplex(D, upper=0.01), lambda S: _sums(S, bounds=(0, 0.01))),
    "CappedSimplex": (lambda: gh.CappedSimplex(D), lambda S: gh.LinearProgram(np.ones((1, D)), [1.0])),
    "Box": (lambda: gh.Box(np.zeros(D), np.ones(D)), lambda S: gh.LinearProgram(bounds=[(0, 1)] * D)),
    "HyperSimplex, K = 100": (lambda: gh.HyperSimplex(D, 100), lambda S: _sums(S, bounds=(0, 0.01))),
    "GroupedSimplex, 11 groups": (lambda: gh.GroupedSimplex(np.arange(D) % 11, upper=20.0 / D, group_upper=0.2), _grouped),
    "Product of 200 simplices": (lambda: gh.Product(*[gh.Simplex(5) for _ in range(200)]), _blocks),
    "Birkhoff(32)": (lambda: gh.Birkhoff(32), _doubly),
    "Transport, 32 to 32": (lambda: gh.Transport(np.linspace(0.5, 1.5, 32) / 32, np.linspace(1.5, 0.5, 32) / 32), _coupled),
    "PathPolytope, 23 by 23": (lambda: _grid(23), _flow),
}
