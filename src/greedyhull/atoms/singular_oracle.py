"""Linear oracles over matrices: the top singular pairs, or the lowest eigenpairs, proposed cheaply and proved on demand."""

from __future__ import annotations

from collections.abc import Callable
from math import log
from typing import Any, NamedTuple

import numpy as np

from greedyhull.atoms.base import OracleBase
from greedyhull.errors import check
from greedyhull.kernels import singular as proofs
from greedyhull.kernels.singular import CLOSE, SPARSE, UNIT, WIDER, Bidiagonal, Pairs
from greedyhull.points.arrays import is_sparse
from greedyhull.points.gradients import as_array
from greedyhull.points.shapes import RankOneBlock
from greedyhull.types import Array, Floor, Gradient, Kind, Shape, Shortlist, State

SMALL = 128  # rows up to which eigenvalues take no longer than Lanczos steps
FACTORED = 5000  # rows up to which a proof by a factorisation is affordable
STEPS = 30  # Lanczos steps for a proposal
PAIRS, FIRST_PAIRS = 10, 40  # pairs that a proposal names at most
NOISE = 1e-3  # what is added to a warm start: it may be orthogonal to the pair that is now on top
MOST = 600  # steps of a proof at most
TRIES = 4  # proofs with high probability, each after a better guess of σ₁
DELTA = 1e-3  # how likely the random proofs of a run are to fail, all together, if one is asked for in each iteration
GOOD = 1e-12  # of σ₁: a proof with less slack than this is not sought
ROUGH = 1e-6  # of the norm: the slack of an eigenvalue's proof is at least so much once one has failed


class Norm(NamedTuple):
    """σ₁ is at most ``most``, and what kind of promise that is; ``sharpest`` as in `Floor`."""

    most: float
    kind: Kind = "always"
    delta: float = 0.0
    sharpest: float = 0.0


def scaled(g: Gradient) -> tuple[Any, float]:
    """g as an array or a CSR matrix of float64 whose largest entry has size 1, and that size."""
    from scipy.sparse import csr_array

    if is_sparse(g):
        given: Any = g
        G: Any = csr_array(given, dtype=np.float64)
        if not G.has_canonical_format:
            G.sum_duplicates()
        size = _finite(float(np.abs(G.data).max(initial=0.0)))
        return (csr_array((G.data / size, G.indices, G.indptr), shape=G.shape) if size else G), size
    A = np.asarray(as_array(g), dtype=np.float64)
    size = _finite(float(np.abs(A).max()))
    return (A / size if size else A), size


def _finite(size: float) -> float:
    check(bool(np.isfinite(size)), "The gradient has NaN or infinite entries, and no singular values. Check the objective and "
                                   "its data, or begin at another point.")
    return size


def written_out(G: Any) -> Any:
    """G as an array where most of its entries are there: products of arrays are that much faster."""
    return G.toarray() if not isinstance(G, np.ndarray) and G.nnz > SPARSE * G.shape[0] * G.shape[1] else G


def lying(G: Any) -> tuple[Any, bool]:
    """G with no more rows than columns, and whether it was turned for that."""
    if G.shape[0] <= G.shape[1]:
        return G, False
    return (G.T if isinstance(G, np.ndarray) else G.T.tocsr()), True


def exact_pairs(G: Any, m: int) -> Pairs:
    """The m top pairs of a matrix with a short side, from the eigenvectors of GGᵀ or GᵀG."""
    found, turned = lying(G)
    A = found if isinstance(found, np.ndarray) else found.toarray()
    _, vectors = np.linalg.eigh(A @ A.T)
    U = vectors[:, ::-1][:, : max(1, m)]
    V = A.T @ U
    sigma = np.linalg.norm(V, axis=0)
    keep = sigma > 1e-9 * sigma.max(initial=0.0)  # of smaller ones the squares are rounding
    pairs = Pairs(U[:, keep], sigma[keep], V[:, keep] / sigma[keep])
    return Pairs(pairs.V, pairs.sigma, pairs.U) if turned else pairs


def converged_pair(G: Any) -> Pairs:
    """The top pair of a matrix of any size to many digits, from a fixed start."""
    if min(G.shape) <= SMALL:
        return exact_pairs(G, 1)
    space = Bidiagonal(G, np.random.default_rng(0).standard_normal(G.shape[1]), MOST)
    before = 0.0
    for steps in range(40, MOST + 1, 20):
        space.run(steps)
        now = space.top()
        if now <= before * (1.0 + 1e-14) or space.ended:
            break
        before = now
    return space.pairs(1)


def leading_pairs(G: Any, m: int) -> Pairs:
    """About the m top pairs, all of them where the matrix is small."""
    if min(G.shape) <= SMALL:
        return exact_pairs(G, m)
    found, turned = lying(G)
    space = Bidiagonal(found, np.random.default_rng(0).standard_normal(found.shape[1]), 2 * m)
    space.run(2 * m)
    pairs = space.pairs(m)
    return Pairs(pairs.V, pairs.sigma, pairs.U) if turned else pairs


def run_until_near(space: Bidiagonal, steps: int, near: float, cold: bool) -> None:
    """Make steps until the largest value seems within ``near`` of its limit: growth by a, then b < a, leaves b²/(a − b)."""
    top = growth = np.inf
    for k in range(4, steps, 4):
        space.run(k)
        before, top, last = top, space.top(), growth
        growth = top - before if np.isfinite(before) else np.inf
        left = growth * growth / (last - growth) if growth < last < np.inf else growth
        # of these from a start that was the top vector before
        least = (1.0 if cold else 0.5) * 0.145 * log(max(space.G.shape)) * (top / near) ** 0.5
        # of the tolerance: what the largest value may still grow by where steps end
        if (k >= least and left <= 0.5 * near) or space.ended:
            return
    space.run(steps)


def settled(space: Bidiagonal, slack: float, first: int = 40, each: int = 20) -> float:
    """The largest singular value that a space reaches once that hardly grows: where a factorisation is to be tried."""
    top = 0.0
    for steps in range(first, MOST + 1, each):
        space.run(steps)
        before, top = top, space.top()
        if top - before <= max(0.1 * slack, GOOD * top) or space.ended:
            break
    return top


def rough_norm(G: Any) -> float:
    """A bound on σ₁ for the price of a look at the entries: ‖G‖_F, or √(‖G‖₁‖G‖_∞)."""
    sizes = abs(G)
    rows, cols = (float(np.asarray(sizes.sum(axis=k)).max()) for k in (1, 0))
    entries = G.ravel() if isinstance(G, np.ndarray) else G.data
    return float(min(np.linalg.norm(entries), np.sqrt(rows * cols))) * (1.0 + (len(entries) + 16.0) * UNIT)


def longest_sums(G: Any) -> int:
    """How many products the longest row and the longest column of a matrix add up, together."""
    if isinstance(G, np.ndarray):
        return sum(G.shape)
    return int(np.diff(G.indptr).max(initial=0) + np.bincount(G.indices, minlength=1).max())


class WarmStart:
    """The state of an oracle over matrices: the last top vector, and the number of proposals so far.

    The random numbers of a proof belong to that number: nothing of the run depends on them before, and they are the same
    after a resume. The proof after j proposals fails with a probability of at most δ/(j(j + 1)).
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self.seed, self.count = int(rng.integers(2**62)), 0
        self.warm: Array | None = None  # the top right vector of the last gradient

    def rng(self, use: int) -> np.random.Generator:
        """The random numbers that belong to this number of proposals, other ones for each use."""
        return np.random.default_rng([self.seed, self.count, use])

    def start(self, rng: np.random.Generator, n: int) -> Array:
        """A vector to begin with: the last top vector with a little noise, where there is one."""
        noise = rng.standard_normal(n)
        return noise if self.warm is None else self.warm + (NOISE / np.linalg.norm(noise)) * noise

    def state(self) -> State:
        state: State = {"count": np.array(self.count), "seed": np.array(self.seed)}
        return state if self.warm is None else {**state, "warm": self.warm.copy()}

    def restore(self, state: State) -> None:
        self.count, self.seed = int(state["count"]), int(state["seed"])
        self.warm = state["warm"].copy() if "warm" in state else None


class SingularOracle(WarmStart, OracleBase):
    """The top singular pairs of the gradient."""

    def __init__(self, shape: Shape, radius: float, rng: np.random.Generator) -> None:
        super().__init__(rng)
        self.shape, self.radius = shape, radius

    def best(self, g: Array, m: int = 1, *, tol: float = 0.0, enough: float = -np.inf) -> Shortlist:
        self.count += 1
        G, size = scaled(g)
        if size == 0.0:
            u, v = (np.eye(1, k) for k in self.shape)
            return Shortlist(RankOneBlock(-u, v, np.array([self.radius])))
        if min(self.shape) <= SMALL:
            G = written_out(G)
            pairs = exact_pairs(G, min(m, FIRST_PAIRS))
            reached, atoms = float(pairs.sigma[0]), self._atoms(pairs)
            most = proofs.proved_norm(lying(G)[0], reached, CLOSE * reached)
            score = float(atoms.take(np.arange(1)).dots(g)[0])
            return Shortlist(atoms, max(self._above(most, size) + score, 0.0))
        first = self.warm is None
        near = tol / (self.radius * size) if m == 1 else 0.0
        steps = 80 if first and (m > 1 or near > 0.0) else STEPS  # more from a start that knows nothing
        pairs = self._proposed(G, min(m, FIRST_PAIRS if first else PAIRS), steps, near)
        return Shortlist(self._atoms(pairs), np.inf)

    def _proposed(self, G: Any, m: int, steps: int, near: float) -> Pairs:
        """Pairs from a few Lanczos steps; ``near`` is how far the largest value may be off, where fewer steps will do."""
        rng = self.rng(0)
        start = self.start(rng, G.shape[1])
        space = Bidiagonal(G, start, steps)
        if near > 0.0:
            run_until_near(space, steps, near, self.warm is None)
        else:
            space.run(steps)
        if space.top() == 0.0:  # the start was in the kernel
            space = Bidiagonal(G, np.asarray(G.T @ rng.standard_normal(G.shape[0])), steps)
            space.run(steps)
        pairs = space.pairs(m)
        self.warm = pairs.V[:, 0].copy()
        return pairs

    def _atoms(self, pairs: Pairs) -> RankOneBlock:
        U, V = (part / np.linalg.norm(part, axis=0) for part in (pairs.U, pairs.V))
        return RankOneBlock(-U.T + 0.0, V.T + 0.0, np.full(U.shape[1], self.radius))

    def _above(self, most: float, size: float) -> float:
        """radius·σ₁ at most, rounding of the products included."""
        return self.radius * most * size * (1.0 + 16.0 * UNIT)

    def floor(self, g: Array, tol: float = 0.0) -> Floor:
        G, size = scaled(g)
        if size == 0.0:
            return Floor(0.0)
        found = self.norm(G, tol / (self.radius * size))
        return Floor(-self._above(found.most, size), found.kind, found.delta, self.radius * size * found.sharpest)

    def norm(self, G: Any, slack: float) -> Norm:
        """A bound on σ₁ of a scaled matrix, sharp to about ``slack`` if that can be had."""
        if not isinstance(G, np.ndarray):  # without rows and columns of zeros it has the same singular values
            rows, cols = np.flatnonzero(np.diff(G.indptr)), np.unique(G.indices)
            G = G if len(rows) == G.shape[0] and len(cols) == G.shape[1] else G[rows][:, cols]
        G, _ = lying(G)
        p = G.shape[0]
        if p <= SMALL:
            return Norm(proofs.proved_norm(G, None, slack))
        rough = rough_norm(G)
        if slack >= 0.02 * rough:  # of a rough bound: where so much slack is welcome, that bound will do
            return Norm(rough)
        if p <= FACTORED and self.warm is not None:
            reached = settled(Bidiagonal(G.T, self._toward_top(G, p), MOST), slack, 10)
            return Norm(proofs.proved_norm(G, reached, slack))
        space = Bidiagonal(G.T, self.rng(2).standard_normal(p), MOST)
        reached = settled(space, slack)
        return Norm(proofs.proved_norm(G, reached, slack)) if p <= FACTORED else self._likely(G, reached, slack, rough)

    def _toward_top(self, G: Any, p: int) -> Array:
        """A vector to begin with where a bound is guessed that is proved afterwards: the last top vector, if it fits."""
        noise, warm = self.rng(2).standard_normal(p), self.warm
        if warm is None or len(warm) not in G.shape:  # rows or columns without entries were left out
            return noise
        near = np.asarray(warm if len(warm) == p else G @ warm)
        length = float(np.linalg.norm(near))
        return near / length + (NOISE / np.linalg.norm(noise)) * noise if length > 0.0 else noise

    def _likely(self, G: Any, reached: float, slack: float, rough: float) -> Norm:
        """A bound that holds with high probability, from a random start that nothing else has used."""
        p, Gt = G.shape[0], G.T
        delta = DELTA / (max(self.count, 1) * (max(self.count, 1) + 1.0))
        z, s = self.rng(1).standard_normal(p), proofs.component(p, delta)
        off = proofs.gamma(longest_sums(G) + 2) * rough * rough  # ‖ |G| ‖₂ ≤ rough
        sharpest = 0.0
        for _ in range(TRIES):
            slack = max(slack, GOOD * reached)
            mu, limit = (reached + 0.25 * slack) ** 2, (reached + slack) ** 2
            if proofs.steps_to_prove(mu, limit, s) > MOST:  # what can be proved in so many steps
                limit = proofs.limit_of_steps(mu, MOST, s)
                sharpest = proofs.limit_of_steps(reached * reached, MOST, s) ** 0.5 - reached
            steps = min(proofs.steps_to_prove(mu, limit, s), MOST)
            found = proofs.grown(lambda y: np.asarray(G @ (Gt @ y)), off, z, mu, limit, s, steps)
            if found.proved:
                return Norm(min(limit**0.5 * (1.0 + 4.0 * UNIT), rough), "probability", delta, sharpest)
            length = float(np.linalg.norm(found.last))
            reached = max(reached * (1.0 + CLOSE), float(np.linalg.norm(Gt @ (found.last / length))))
            slack *= WIDER
        return Norm(rough, sharpest=sharpest)


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


class EigenOracle(WarmStart, OracleBase):
    """The oracle of one solve: its state is the last vector and the number of proposals, as that of `SingularOracle`."""

    def __init__(self, atoms: Callable[[Array], RankOneBlock], n: int, trace: float, rng: np.random.Generator) -> None:
        super().__init__(rng)
        self.atoms, self.n, self.trace = atoms, n, trace

    def best(self, g: Array, m: int = 1, *, tol: float = 0.0, enough: float = -np.inf) -> Shortlist:
        self.count += 1
        G, size = symmetric(g)
        if self.n <= SMALL:
            atoms = self.atoms(lowest_pairs(G, min(m, self.n)).V.T)
            score = float(atoms.take(np.arange(1)).dots(g)[0])
            return Shortlist(atoms, max(score - self._below(*self._bound(G, 0.0)[:1], size), 0.0))
        pairs = lowest_pairs(G, min(m, PAIRS), self.start(self.rng(0), self.n), 2 * STEPS)
        self.warm = pairs.V[:, 0].copy()
        return Shortlist(self.atoms(pairs.V.T), np.inf)

    def _below(self, least: float, size: float) -> float:
        """trace·λ_min at least, rounding of the products included."""
        return self.trace * size * (least - 16.0 * UNIT * abs(least))

    def floor(self, g: Array, tol: float = 0.0) -> Floor:
        G, size = symmetric(g)
        if size == 0.0:
            return Floor(0.0)
        least, kind, delta, sharpest = self._bound(G, tol / (self.trace * size))
        return Floor(self._below(least, size), kind, delta, self.trace * size * sharpest)

    def _bound(self, G: Any, slack: float) -> Floor:
        if self.n <= SMALL:
            A = G if isinstance(G, np.ndarray) else G.toarray()
            return Floor(proofs.proved_floor(A, float(np.linalg.eigvalsh(A)[0]), slack))
        shift = rough_norm(G)
        start = self.rng(2).standard_normal(self.n)
        top = settled(Bidiagonal(Shifted(G, shift), start, MOST), slack, 40, 40)
        if self.n <= FACTORED:
            return Floor(proofs.proved_floor(G if isinstance(G, np.ndarray) else G.toarray(), shift - top, slack))
        return self._likely(G, shift, max(top, ROUGH * shift), slack) if shift > 0.0 else Floor(0.0)

    def _likely(self, G: Any, shift: float, reached: float, slack: float) -> Floor:
        """shift − λ₁(shift·I − G) at least, with high probability, from a random start that nothing else has used."""
        delta = DELTA / (max(self.count, 1) * (max(self.count, 1) + 1.0))
        z, s = self.rng(1).standard_normal(self.n), proofs.component(self.n, delta)
        B = Shifted(G, shift)
        off = 2.0 * shift * proofs.gamma(longest_sums(G) + 4)  # shift bounds the norm of |G|
        sharpest = 0.0
        for _ in range(TRIES):
            slack = max(slack, GOOD * reached)
            mu, limit = reached + 0.25 * slack, reached + slack
            if proofs.steps_to_prove(mu, limit, s) > 2 * MOST:  # what can be proved in so many steps
                limit = proofs.limit_of_steps(mu, 2 * MOST, s)
                sharpest = proofs.limit_of_steps(reached, 2 * MOST, s) - reached
            found = proofs.grown(B.__matmul__, off, z, mu, limit, s, min(proofs.steps_to_prove(mu, limit, s), 2 * MOST))
            if found.proved:
                return Floor(shift - limit - 4.0 * UNIT * (shift + limit), "probability", delta, sharpest)
            unit = found.last / float(np.linalg.norm(found.last))
            reached = max(reached * (1.0 + CLOSE), float(unit.dot(B @ unit)))
            slack = max(8.0 * slack, ROUGH * shift)
        return Floor(-shift, sharpest=sharpest)
