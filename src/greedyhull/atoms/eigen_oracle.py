"""The linear oracle over positive semidefinite matrices of given trace: the lowest eigenvector of the symmetric part.

min ⟨g, W⟩ is trace·λ_min of (g + gᵀ)/2. Up to 128 rows eigenvalues answer and prove at once. Above, Lanczos steps on σI − G
propose, where σ bounds G from above; `floor` proves by a factorisation of G − μI, up to 5000 rows always, else with high
probability.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from greedyhull.atoms.oracle_base import OracleBase
from greedyhull.atoms.singular_oracle import (
    DELTA,
    FACTORED,
    GOOD,
    MOST,
    NOISE,
    PAIRS,
    SMALL,
    STEPS,
    TRIES,
    longest_sums,
    rough_norm,
    scaled,
)
from greedyhull.kernels.golub_kahan import Bidiagonal
from greedyhull.kernels.growth_proof import component, grown, limit_of_steps, steps_to_prove
from greedyhull.kernels.norm_proofs import CLOSE, UNIT, gamma, proved_floor
from greedyhull.points.shapes import RankOneBlock
from greedyhull.types import Array, Floor, Gradient, Kind, Shortlist, State
from greedyhull.types.override import override

WIDER, ROUGH = 8.0, 1e-6  # where a proof fails: by how much the slack grows, and of the norm how much it is then at least


class Least(NamedTuple):
    """The lowest eigenvalue is at least ``least``, and what kind of promise that is; ``sharpest`` as in `Floor`."""

    least: float
    kind: Kind = "always"
    delta: float = 0.0
    sharpest: float = 0.0


class Lowest(NamedTuple):
    """The lowest eigenvalues, ascending, and their vectors as columns."""

    values: Array
    V: Array


def symmetric(g: Gradient) -> tuple[Any, float]:
    """(g + gᵀ)/2 of a scaled g, as an array or a CSR matrix, and the scale."""
    G, size = scaled(g)
    half = 0.5 * G
    return (half + half.T if isinstance(G, np.ndarray) else (half + half.T).tocsr()), size


class Shifted:
    """σI − G, whose largest singular pairs are the lowest eigenpairs of G where σ bounds all of its eigenvalues."""

    def __init__(self, G: Any, shift: float) -> None:
        self.G, self.shift, self.shape = G, shift, G.shape

    @property
    def T(self) -> Shifted:
        return self

    def __matmul__(self, v: Array) -> Array:
        return np.asarray(self.shift * v - self.G @ v)


def lowest_pairs(G: Any, m: int, start: Array | None = None, steps: int | None = None) -> Lowest:
    """About the m lowest eigenpairs of a symmetric matrix, exact ones where it is small."""
    n = G.shape[0]
    if n <= SMALL:
        values, V = np.linalg.eigh(G if isinstance(G, np.ndarray) else G.toarray())
        return Lowest(values[:m], V[:, :m])
    steps = max(2 * m, 120) if steps is None else steps
    start = np.random.default_rng(0).standard_normal(n) if start is None else start
    space = Bidiagonal(Shifted(G, rough_norm(G)), start, steps)
    space.run(steps)
    found = space.pairs(m).V
    V, _ = np.linalg.qr(found if found.shape[1] else start[:, None])  # of σI every vector is one
    values, turned = np.linalg.eigh(V.T @ np.asarray(G @ V))
    return Lowest(values, V @ turned)


class EigenOracle(OracleBase):
    """The oracle of one solve: its state is the last vector and the number of proposals, as that of `SingularOracle`."""

    def __init__(self, atoms: Callable[[Array], RankOneBlock], n: int, trace: float, rng: np.random.Generator) -> None:
        self.atoms, self.n, self.trace = atoms, n, trace
        self.seed = int(rng.integers(2**62))
        self.count = 0
        self.warm: Array | None = None

    @override
    def best(self, g: Array, m: int = 1, *, tol: float = 0.0, enough: float = -np.inf) -> Shortlist:
        self.count += 1
        G, size = symmetric(g)
        if self.n <= SMALL:
            atoms = self.atoms(lowest_pairs(G, min(m, self.n)).V.T)
            score = float(atoms.take(np.arange(1)).dots(g)[0])
            return Shortlist(atoms, max(score - self._below(*self._bound(G, 0.0)[:1], size), 0.0))
        rng = np.random.default_rng([self.seed, self.count, 0])
        noise = rng.standard_normal(self.n)
        start = noise if self.warm is None else self.warm + (NOISE / np.linalg.norm(noise)) * noise
        pairs = lowest_pairs(G, min(m, PAIRS), start, 2 * STEPS)
        self.warm = pairs.V[:, 0].copy()
        return Shortlist(self.atoms(pairs.V.T), np.inf)

    def _below(self, least: float, size: float) -> float:
        """trace·λ_min at least, rounding of the products included."""
        return self.trace * size * (least - 16.0 * UNIT * abs(least))

    @override
    def floor(self, g: Array, tol: float = 0.0) -> Floor:
        """trace·λ_min or a little less, proved."""
        G, size = symmetric(g)
        if size == 0.0:
            return Floor(0.0)
        least, kind, delta, sharpest = self._bound(G, tol / (self.trace * size))
        return Floor(self._below(least, size), kind, delta, self.trace * size * sharpest)

    def _bound(self, G: Any, slack: float) -> Least:
        if self.n <= SMALL:
            A = G if isinstance(G, np.ndarray) else G.toarray()
            return Least(proved_floor(A, float(np.linalg.eigvalsh(A)[0]), slack))
        shift = rough_norm(G)
        start = np.random.default_rng([self.seed, self.count, 2]).standard_normal(self.n)
        space = Bidiagonal(Shifted(G, shift), start, MOST)
        top = 0.0
        for steps in range(40, MOST + 1, 40):
            space.run(steps)
            before, top = top, space.top()
            if top - before <= max(0.1 * slack, GOOD * top) or space.ended:
                break
        if self.n <= FACTORED:
            return Least(proved_floor(G if isinstance(G, np.ndarray) else G.toarray(), shift - top, slack))
        return self._likely(G, shift, max(top, ROUGH * shift), slack) if shift > 0.0 else Least(0.0)

    def _likely(self, G: Any, shift: float, reached: float, slack: float) -> Least:
        """shift − λ₁(shift·I − G) at least, with high probability, from a random start that nothing else has used."""
        delta = DELTA / (max(self.count, 1) * (max(self.count, 1) + 1.0))
        z, s = np.random.default_rng([self.seed, self.count, 1]).standard_normal(self.n), component(self.n, delta)
        B = Shifted(G, shift)
        off = 2.0 * shift * gamma(longest_sums(G) + 4)  # shift bounds the norm of |G|
        sharpest = 0.0
        for _ in range(TRIES):
            slack = max(slack, GOOD * reached)
            mu, limit = reached + 0.25 * slack, reached + slack
            if steps_to_prove(mu, limit, s) > 2 * MOST:  # what can be proved in so many steps
                limit = limit_of_steps(mu, 2 * MOST, s)
                sharpest = limit_of_steps(reached, 2 * MOST, s) - reached
            found = grown(B.__matmul__, off, z, mu, limit, s, min(steps_to_prove(mu, limit, s), 2 * MOST))
            if found.proved:
                return Least(shift - limit - 4.0 * UNIT * (shift + limit), "probability", delta, sharpest)
            unit = found.last / float(np.linalg.norm(found.last))
            reached = max(reached * (1.0 + CLOSE), float(unit.dot(B @ unit)))
            slack = max(WIDER * slack, ROUGH * shift)
        return Least(-shift, sharpest=sharpest)

    @override
    def state(self) -> State:
        state: State = {"count": np.array(self.count), "seed": np.array(self.seed)}
        return state if self.warm is None else {**state, "warm": self.warm.copy()}

    @override
    def restore(self, state: State) -> None:
        self.count, self.seed = int(state["count"]), int(state["seed"])
        self.warm = state["warm"].copy() if "warm" in state else None
