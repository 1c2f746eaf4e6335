"""Positive semidefinite matrices of given trace."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.atoms.arguments import array_of, dimension, positive
from greedyhull.atoms.base import AtomSet, Sizes
from greedyhull.atoms.nuclear_ball import DROPPED, FEW, largest_sum, step_toward
from greedyhull.atoms.singular_oracle import EigenOracle, lowest_pairs, symmetric
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import RankOne, RankOneBlock
from greedyhull.theory import Constant
from greedyhull.types import Array, Block, Objective


class Spectrahedron(AtomSet):
    """Spectrahedron {W symmetric, positive semidefinite, trace W = trace}.

    Its atoms are trace·v vᵀ with unit vectors v. Points are kept as factors: ``solution.point.factors()`` returns them.

    Parameters
    ----------
    n : int
        The number of rows, which is that of columns.
    trace : float, default 1.0
        The sum of the eigenvalues.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.Spectrahedron(2).argmin(np.diag([1.0, -2.0])).v
    array([0., 1.])
    """

    gradients = "any"
    _draws = True
    _sizes_given = ("trace",)

    def __init__(self, n: int, trace: float = 1.0) -> None:
        self.shape = (dimension(n), dimension(n))
        self.trace = positive(trace, "trace")

    def _atoms(self, V: Array) -> RankOneBlock:
        signs = np.where(V[np.arange(len(V)), np.abs(V).argmax(axis=1)] < 0.0, -1.0, 1.0)
        V = signs[:, None] * V + 0.0
        return RankOneBlock(V, V.copy(), np.full(len(V), self.trace))

    def argmin(self, g: Array) -> RankOne:
        return self._atoms(lowest_pairs(symmetric(g)[0], 1).V.T)[0]

    def best(self, g: Array, m: int) -> Block:
        return self._atoms(lowest_pairs(symmetric(g)[0], min(m, self.shape[0])).V.T)

    def oracle(self, rng: np.random.Generator) -> EigenOracle:
        return EigenOracle(self._atoms, self.shape[0], self.trace, rng)

    def start(self, rng: np.random.Generator) -> RankOne:
        return self._atoms(np.full((1, self.shape[0]), self.shape[0] ** -0.5))[0]

    def centre(self) -> Iterate:
        n = self.shape[0]
        return Iterate(self._atoms(np.eye(n)), np.full(n, 1.0 / n), self.shape)

    def contains(self, w: Any, tol: float = 1e-9) -> bool:
        if isinstance(w, Iterate) and w.keeps_atoms and isinstance(w.block, RankOneBlock) and w.shape == self.shape:
            block, c = w.block, w.weights * w.block.scales
            if np.array_equal(block.U, block.V) and bool((c >= 0.0).all()):
                sizes = np.einsum("kn,kn->k", block.U, block.U)
                return bool(abs(float(c.dot(sizes)) - self.trace) <= tol * self.trace)
        return self._has(array_of(w), tol)

    def _holds(self, x: Array, tol: float) -> bool:
        values = np.linalg.eigvalsh(0.5 * x + 0.5 * x.T)
        near = tol * self.trace
        return bool(values[0] >= -near and abs(float(values.sum()) - self.trace) <= near and np.abs(x - x.T).max() <= near)

    def owns(self, d: Any) -> bool:
        return self.contains(Iterate.at(d, self.shape))

    def decompose(self, w: Array) -> Iterate:
        x = self._inside(w)
        values, vectors = np.linalg.eigh(0.5 * x + 0.5 * x.T)
        return self._mixture(vectors, values, 0.0)

    def _mixture(self, V: Array, values: Array, least: float) -> Iterate:
        keep = values > least * values.max()
        return Iterate(self._atoms(V[:, keep].T), values[keep] / values[keep].sum(), self.shape)

    def compressed(self, block: Block, weights: Array, tol: float) -> tuple[Block, Array]:
        factor = _root(block, weights)
        if factor is None:
            return block, weights
        V, sigma, _ = np.linalg.svd(factor, full_matrices=False)
        w = self._mixture(V, sigma**2, 1e-3 * tol)
        return w.block, w.weights

    def slide(self, f: Objective, w: Iterate) -> Iterate | None:
        """A step toward all vectors that promise something, then L-BFGS over the factor A of W = AAᵀ on a sphere."""
        from greedyhull.atoms.matrix_descent import descend_symmetric

        g = f.gradient(w)
        G, size = symmetric(g)
        if size > 0.0:
            pairs = lowest_pairs(G, min(max(FEW, len(w)), self.shape[0]))
            below = np.maximum(w.dot(g) / (self.trace * size) - pairs.values, 0.0)
            step_toward(f, w, self._atoms(pairs.V.T), below, pairs.values)
        factor = _root(w.block, w.weights)
        if factor is None:
            return None
        V, sigma, _ = np.linalg.svd(factor, full_matrices=False)
        keep = sigma**2 > DROPPED * sigma[0] ** 2
        found = descend_symmetric(f, V[:, keep] * sigma[keep], self.trace)
        if found is None:
            return None
        V, sigma, _ = np.linalg.svd(found, full_matrices=False)
        return self._mixture(V, sigma**2, DROPPED)

    def max_abs(self, c: Array) -> float:
        return self.trace * largest_sum(c)

    def max_length(self) -> float:
        return self.trace

    def sizes(self) -> Sizes:
        n = self.shape[0]
        return Sizes.of(self.trace * (2.0**0.5 if n > 1 else 0.0), self.trace * (1.0 - 1.0 / n) ** 0.5)

    def radius_around(self, x: Array) -> Constant:
        """‖trace·vvᵀ − x‖² = trace² + ‖x‖² − 2·trace·vᵀxv, largest at the least eigenvalue of x."""
        least = float(np.linalg.eigvalsh(0.5 * x + 0.5 * x.T)[0])
        square = self.trace**2 + float(np.vdot(x, x)) - 2.0 * self.trace * least
        return Constant(float(np.sqrt(max(square, 0.0))), "exact", "R")


def _root(block: Block, weights: Array) -> Array | None:
    """A with AAᵀ = Σ weightsₖ dₖ, if all atoms are vvᵀ times a factor."""
    if not isinstance(block, RankOneBlock) or not np.array_equal(block.U, block.V):
        return None
    return np.asarray(block.U.T * np.sqrt(weights * block.scales))
