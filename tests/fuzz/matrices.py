"""Cases of matrices of low rank: completion over nuclear balls and spectrahedra, against projected gradients.

Matrices have up to eight rows and columns, often one. Ranks are one or more, constraints tight or idle, the optimum may be
zero; rows and columns may be empty, scales are odd. The reference is an accelerated projected gradient with a full
decomposition, which shares nothing with the library.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import greedyhull as gh
from greedyhull.types import Array
from tests.fuzz.attempts import Attempt, attempt
from tests.fuzz.draws import Rng, chance, minus_zeros, pick, scale
from tests.fuzz.exact import LD
from tests.fuzz.judge import LD_EPS, TINY, Finding
from tests.fuzz.models import EPS
from tests.fuzz.records import Record

Say = Callable[[str], None]
STEPS = 120  # of the reference
INSIDE = 1e-13  # by which a point is pulled toward zero, or the centre, to be surely feasible
LOSSES = ("squared", "huber", "logistic")


class Case(NamedTuple):
    """Entries of a matrix and their weights, a loss, and a ball of this radius, or a spectrahedron of this trace."""

    i: Array
    j: Array
    v: Array
    p: Array
    shape: tuple[int, int]
    loss: str
    radius: float
    symmetric: bool

    @property
    def S(self) -> gh.AtomSet:
        return gh.Spectrahedron(self.shape[0], self.radius) if self.symmetric else gh.NuclearBall(self.shape, self.radius)

    def exact(self, X: Array) -> Any:
        """f in extended precision."""
        z, y = X[self.i, self.j].astype(LD), self.v.astype(LD)
        if self.loss == "logistic":
            terms = np.logaddexp(LD(0), -y * z)
        else:
            r = np.abs(z - y)
            terms = r * r / 2 if self.loss == "squared" else np.where(r <= 1, r * r / 2, r - LD(0.5))
        return (self.p.astype(LD) * terms).sum()

    def slope(self, X: Array) -> Array:
        z, G = X[self.i, self.j], np.zeros(self.shape)
        r = -self.v / (1.0 + np.exp(self.v * z)) if self.loss == "logistic" else z - self.v
        G[self.i, self.j] = self.p * (np.clip(r, -1.0, 1.0) if self.loss == "huber" else r)
        return G

    def norm(self, X: Array) -> float:
        """The nuclear norm in units of the radius; for a spectrahedron, one and how far X is outside."""
        A = X / self.radius
        if not self.symmetric:
            return float(np.linalg.svd(A, compute_uv=False).sum())
        values = np.linalg.eigvalsh(0.5 * (A + A.T))
        return 1.0 + max(abs(float(values.sum()) - 1.0), -float(values[0]), float(np.abs(A - A.T).max()))

    def pulled(self, X: Array) -> Array:
        """X a hair nearer to zero, or to the centre of the spectrahedron."""
        if not self.symmetric:
            return np.asarray(X * ((1.0 - INSIDE) / max(self.norm(X), 1.0)))
        X = 0.5 * (X + X.T)
        values, V = np.linalg.eigh((1.0 - INSIDE) * X + (INSIDE * self.radius / len(X)) * np.eye(len(X)))
        values = np.maximum(values, 0.0)
        return np.asarray((V * (values * (self.radius / values.sum()))) @ V.T)

    def nearest(self, X: Array) -> Array:
        """The projection onto the set."""
        if self.symmetric:
            values, V = np.linalg.eigh(0.5 * (X + X.T))
            return np.asarray((V * _capped(values, self.radius)) @ V.T)
        U, s, V = np.linalg.svd(X, full_matrices=False)
        return np.asarray((U * (s if s.sum() <= self.radius else _capped(s, self.radius))) @ V)


def _capped(s: Array, total: float) -> Array:
    """The nearest numbers that are not negative and sum to ``total``."""
    ordered = np.sort(s)[::-1]
    cut = (np.cumsum(ordered) - total) / np.arange(1, len(s) + 1)
    return np.asarray(np.maximum(s - cut[np.flatnonzero(ordered > cut)[-1]], 0.0))


def draw_case(rng: Rng) -> Case:
    symmetric = chance(rng, 0.25)
    m, n = (int(pick(rng, (1, int(rng.integers(2, 9))), (0.15, 0.85))) for _ in range(2))
    m = n if symmetric else m
    rank, noise, size = pick(rng, (1, 2, 3)), pick(rng, (0.0, 0.3)), scale(rng)
    M = rng.standard_normal((m, rank)) @ rng.standard_normal((rank, n)) + noise * rng.standard_normal((m, n))
    M = M @ M.T if symmetric and chance(rng, 0.5) else M
    loss = pick(rng, LOSSES, (0.7, 0.15, 0.15))
    i, j = np.divmod(rng.permutation(m * n)[: int(rng.integers(1, m * n + 1))], n)
    v = np.zeros(len(i)) if chance(rng, 0.06) else M[i, j] * (size if loss != "logistic" else 1.0)
    v[rng.random(len(v)) < pick(rng, (0.0, 0.3))] = 0.0
    minus_zeros(rng, v)
    v = np.where(v < 0.0, -1.0, 1.0) if loss == "logistic" else v
    if chance(rng, 0.2) and 1e-30 < size < 1e10:  # numbers that float32 has
        v = v.astype(np.float32).astype(np.float64)
    p = rng.random(len(i)) + 1e-3 if chance(rng, 0.2) else np.ones(len(i))
    whole = float(np.abs(v).sum()) or 1.0
    radius = whole * pick(rng, (0.02, 0.3, 1.0, 30.0, 1e-6, 1e6), (0.2, 0.35, 0.2, 0.15, 0.05, 0.05))
    return Case(i, j, v, p * (len(p) / p.sum()), (m, n), loss, radius, symmetric)


def reference(case: Case) -> list[Array]:
    """The last points of an accelerated projected gradient, and a few others, all surely inside."""
    X = Y = case.nearest(np.zeros(case.shape))
    t, bend, found = 1.0, float(case.p.max()) * (0.25 if case.loss == "logistic" else 1.0), [X]
    for _ in range(STEPS):
        X, before = case.nearest(Y - case.slope(Y) / bend), X
        t, last = (1.0 + (1.0 + 4.0 * t * t) ** 0.5) / 2.0, t
        Y = X + (last - 1.0) / t * (X - before)
        found = [*found[-3:], X]
    return [case.pulled(x) for x in found]


def draw_call(rng: Rng, case: Case) -> tuple[str, Callable[[], gh.Solution]]:
    solver = pick(rng, (None, gh.FrankWolfe(), gh.BlendedPairwise(), gh.Corrective()))
    stop = gh.Relative(pick(rng, (1e-2, 1e-5, 1e-9))) | gh.Iterations(int(pick(rng, (1, 5, 25))))
    S, seed = case.S, int(rng.integers(100))
    if chance(rng, 0.1):
        S = gh.Inexact(S, float(10.0 ** rng.uniform(-6, 0)) * float(case.exact(np.zeros(case.shape))) + 1e-30)
    weights = None if (case.p == 1.0).all() else case.p
    with np.errstate(all="ignore"):
        single = case.v.astype(np.float32)
    v = single if bool((single == case.v).all()) and chance(rng, 0.5) else case.v

    def call() -> gh.Solution:
        f = gh.completion(case.i, case.j, v, case.shape, loss=case.loss, sample_weight=weights)
        return gh.minimize(f, S, solver, stop=stop, seed=seed)

    return "default" if solver is None else type(solver).__name__, call


def faults(case: Case, tried: Attempt, best: Any) -> list[Finding]:
    """What is wrong with a solution, given the least value that is known."""
    s = tried.result
    certificate, X, where = s.certificate, s.point.array(), f"{case.loss} over {case.S!r:.13}"
    if case.norm(X) > 1.0 + 1e-12 * (1.0 + len(s.point) / 100.0):
        return [Finding("infeasible", where, f"the norm is 1 + {case.norm(X) - 1.0:.3g} of the radius")]
    if certificate.kind in ("estimate", "expectation") or certificate.gap is None:
        return []
    real, zero = case.exact(X), case.exact(np.zeros(case.shape))
    blur = TINY + float(LD_EPS * 64.0 * len(case.v) * (real + zero + best))
    moved = float(np.abs(case.slope(X)).sum()) * float(np.abs(X).max()) * 16.0 * EPS  # of writing the matrix out
    found = []
    if certificate.lower > best + blur:
        found.append(f"the lower bound {certificate.lower!r} is above {float(best)!r} (gap {certificate.gap:.3g})")
    if real - best > LD(certificate.gap) + blur + moved:
        found.append(f"the error is {float(real - best):.6g} and the gap {certificate.gap:.6g}")
    if abs(LD(certificate.value) - real) > LD(certificate.gap) + blur + moved + 4.0 * EPS * len(case.v) * float(real):
        found.append(f"the value is said to be {certificate.value!r} and is {float(real)!r}")
    return [Finding("unlucky" if certificate.kind == "probability" else "false", where, words) for words in found]


def matrix(rng: Rng, say: Say) -> list[Record]:
    """A problem, two solvers, and the reference."""
    case = draw_case(rng)
    say(f"{case.loss} of {len(case.v)} entries over {case.S!r}, values up to {float(np.abs(case.v).max()):.3g}")
    calls = [draw_call(rng, case) for _ in range(2)]
    tried = [(name, attempt(call)) for name, call in calls]
    with np.errstate(all="ignore"):
        points = reference(case) + [case.pulled(t.result.point.array()) for _, t in tried if t.result is not None]
        best = min((case.exact(x) for x in points), default=LD(np.inf))
    records = []
    for name, one in tried:
        record = Record(f"completion, {case.loss}", "Spectrahedron" if case.symmetric else "NuclearBall", name).take(one)
        if one.result is not None:
            record.status, record.delta = one.result.certificate.kind, one.result.certificate.delta
            with np.errstate(all="ignore"):
                record.findings += faults(case, one, best)
        say(f"{name}: {one.refused or one.raw or one.result!r:.200}")
        records.append(record)
    return records
