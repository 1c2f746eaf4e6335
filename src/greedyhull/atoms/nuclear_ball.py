"""The nuclear ball: matrices whose singular values sum to at most the radius. Its atoms have rank one."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.atoms.arguments import array_of, matrix_shape, positive
from greedyhull.atoms.base import IDLE, AtomSet, Sizes
from greedyhull.atoms.l1_ball import with_rest
from greedyhull.atoms.singular_oracle import SMALL, SingularOracle, converged_pair, exact_pairs, leading_pairs, scaled
from greedyhull.points.arrays import is_sparse
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.factors import Factors, balanced, of_block
from greedyhull.points.gradients import as_array
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import RankOne, RankOneBlock
from greedyhull.theory import Constant
from greedyhull.types import Array, Block, MatrixQuadratic, Objective

DROPPED = 1e-11  # of the largest singular value: what a slide leaves out
FEW = 60  # pairs at least that a slide looks at


class NuclearBall(AtomSet):
    """Nuclear ball {W : Σ singular values of W ≤ radius}.

    Its atoms are radius·u vᵀ with unit vectors u and v, and the zero matrix, where runs start. Points are kept as factors:
    ``solution.point.factors()`` returns them, and no m×n array is made unless ``point.array()`` is asked for.

    Parameters
    ----------
    shape : tuple of int
        The numbers of rows and columns.
    radius : float
        The largest sum of singular values.

    Notes
    -----
    The oracle needs the top singular pair of the gradient. If a side has at most 128 rows it is proved at once. Above that,
    Lanczos steps propose, and a Cholesky factorisation proves when a proof is needed; if both sides have more than 5000 rows,
    the proof holds with a stated probability. `Corrective`, `FrankWolfe` and `BlendedPairwise` improve the factors after each
    step by L-BFGS. Where the matrix has a short side, they improve the matrix itself: by Douglas-Rachford splitting for sums
    of squares, by Newton steps for `multinomial` with at most 1000 entries, by projected gradients for other losses.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> S = gh.NuclearBall((2, 3), radius=2.0)
    >>> np.asarray(gh.minimize(gh.multitask(np.eye(2), [[3.0, 0.0, 0.0], [0.0, 2.0, 0.0]]), S).point).round(4)
    array([[1.5, 0. , 0. ],
           [0. , 0.5, 0. ]])
    """

    gradients = "any"
    _draws = True

    def __init__(self, shape: Any, radius: float) -> None:
        self.shape = matrix_shape(shape)
        self.radius = positive(radius, "radius")

    def __repr__(self) -> str:
        return f"NuclearBall({self.shape}, radius={self.radius:g})"

    def argmin(self, g: Array) -> RankOne:
        G, size = scaled(g)
        if size == 0.0:
            return self.start(IDLE)
        pair = converged_pair(G)
        return RankOne(-pair.U[:, 0] + 0.0, pair.V[:, 0] + 0.0, self.radius)

    def best(self, g: Array, m: int) -> Block:
        G, size = scaled(g)
        if m == 1 or size == 0.0 or min(self.shape) > SMALL:
            return self.argmin(g).block(0)
        pairs = exact_pairs(G, m)
        return RankOneBlock(-pairs.U.T + 0.0, pairs.V.T + 0.0, np.full(len(pairs.sigma), self.radius))

    def oracle(self, rng: np.random.Generator) -> SingularOracle:
        return SingularOracle(self.shape, self.radius, rng)

    def start(self, rng: np.random.Generator) -> RankOne:
        u, v = (np.eye(1, k)[0] for k in self.shape)
        return RankOne(u, v, 0.0)

    def centre(self) -> Iterate:
        return Iterate.at(self.start(IDLE), self.shape)

    def contains(self, w: Any, tol: float = 1e-9) -> bool:
        if not (isinstance(w, Iterate) and w.keeps_atoms):
            return self._has(array_of(w), tol)
        if isinstance(w.block, RankOneBlock) and w.shape == self.shape:  # the lengths of its atoms may prove it
            lengths = np.linalg.norm(w.block.U, axis=1) * np.linalg.norm(w.block.V, axis=1)
            # of the radius: what rounding may add to the lengths of atoms
            if float(np.abs(w.weights * w.block.scales) @ lengths) <= self.radius * (1.0 + 1e-14):
                return True
        found = of_block(w.block, w.weights)
        if found is None:
            return self._has(array_of(w), tol)
        fits = (len(found.U), len(found.V)) == self.shape
        return fits and bool(np.isfinite(found.sigma).all()) and float(found.sigma.sum()) <= self.radius * (1.0 + tol)

    def _holds(self, x: Array, tol: float) -> bool:
        return float(np.linalg.svd(x, compute_uv=False).sum()) <= self.radius * (1.0 + tol)

    def owns(self, d: Any) -> bool:
        return self.contains(Iterate.at(d, self.shape))

    def decompose(self, w: Array) -> Iterate:
        return self._mixture(_factors(self._inside(w)), 0.0)

    def _mixture(self, found: Factors, least: float) -> Iterate:
        """The matrix with these factors as a mixture: what is left of the radius rests at zero."""
        keep = found.sigma > least * found.sigma.max(initial=0.0)
        weights = found.sigma[keep] / self.radius
        block = RankOneBlock(found.U[:, keep].T, found.V[:, keep].T, np.full(len(weights), self.radius))
        return with_rest(self, block, weights)

    def compressed(self, block: Block, weights: Array, tol: float) -> tuple[Block, Array]:
        if isinstance(block, RankOneBlock) and _apart(block, weights):
            return block, weights
        found = of_block(block, weights)
        if found is None:
            return block, weights
        w = self._mixture(found, 1e-3 * tol)
        return w.block, w.weights

    def slide(self, f: Objective, w: Iterate) -> Iterate | None:
        return self.slide_within(f, w, 0.0)

    def slide_within(self, f: Objective, w: Iterate, gap: float) -> Iterate | None:
        from greedyhull.atoms.matrix_descent import descend_newton

        lower = None
        # entries: smaller matrices are solved far beyond the gap that is asked for, by projected gradients
        if f.traits.written and min(self.shape) <= SMALL and self.shape[0] * self.shape[1] > 1024:
            lower = self._split(f, w, gap)
        if lower is None and f.traits.modelled:
            found = descend_newton(f, w.array(), self.radius, gap)
            lower = None if found is None else self._mixture(_factors(found), DROPPED)
        if lower is None and self._written_out(f, w):
            lower = self._slid_dense(f, w)
            lower = lower if lower is not None and f.value(lower) < f.value(w) else None
        if lower is None:
            lower = self._slid_factors(f, w)
        free = self._unconstrained(f, w if lower is None else lower)
        return lower if free is None else free

    def _unconstrained(self, f: Objective, w: Iterate) -> Iterate | None:
        """The minimum of a quadratic that is written out, where it lies inside the ball as w does; else None."""
        from greedyhull.atoms.matrix_descent import unconstrained
        model = f if f.traits.written else None
        # rows or columns of a matrix that is written out for a Newton step
        if model is None or min(self.shape) > 512 or not isinstance(w.block, RankOneBlock):
            return None
        if float(np.abs(w.weights * w.block.scales).sum()) / self.radius > 1.0 - 1e-6:  # the ball may hold w
            return None
        exact, x = f.precise(), w.array()

        def slope(W: Array) -> Array:
            given: Any = exact.gradient(CoordinateIterate(W))
            return np.asarray(as_array(given), dtype=np.float64)

        found = unconstrained(model.equations(), slope, x, self.radius)
        if found is x or not np.isfinite(found).all():
            return None
        factors = _factors(found)
        return self._mixture(factors, 1e-300) if float(factors.sigma.sum()) < self.radius else None

    def _slid_factors(self, f: Objective, w: Iterate) -> Iterate | None:
        """w after a step toward many pairs, and a descent over its factors; in single precision, if it was far away."""
        from greedyhull.atoms.matrix_descent import column_units, descend

        # of the scale of f: a point with a larger gap slides in single precision
        far = self._toward_many(f, w) > 1e-3 * max(f.scale, abs(f.value(w)))
        found = of_block(w.block, w.weights, DROPPED)
        if found is None or not len(found.sigma):
            return None
        root, rough = np.sqrt(found.sigma), f if far and f.traits.single else None
        A, B = found.U * root, found.V * root
        slope, pair = f.gradient_dot(w), None
        inward, spread = slope > 0.0, -slope / float(found.sigma.sum())
        bend = 2.0 * (f.scale - f.value(w) + slope) / float(found.sigma.dot(found.sigma))  # of f from zero to w
        units = column_units(found.sigma, bend, spread)
        if rough is not None:
            pair = descend(rough.single(), A.astype(np.float32), B.astype(np.float32), self.radius, inward, units)
        if pair is None:
            pair = descend(f, A, B, self.radius, inward, units)
        if pair is None:
            return None
        A, B = (part.astype(np.float64, copy=False) for part in pair)
        return self._mixture(balanced(A, B, np.ones(len(root))), DROPPED)

    def _split(self, model: MatrixQuadratic, w: Iterate, gap: float) -> Iterate | None:
        from greedyhull.atoms.matrix_descent import descend_split

        equations = model.equations()
        Q = equations.basis
        found = descend_split(equations, w.array() if Q is None else Q.T @ w.array(), self.radius, gap)
        if found is None:
            return None
        A, V = found if Q is None else found._replace(A=Q @ found.A)
        lengths = np.linalg.norm(A, axis=0)  # columns are orthogonal up to rounding, and need not be
        some = lengths > DROPPED * lengths.max(initial=0.0)
        right = np.linalg.norm(V[:, some], axis=0)
        return self._mixture(Factors(A[:, some] / lengths[some], lengths[some] * right, V[:, some] / right), 0.0)

    def _written_out(self, f: Objective, w: Iterate) -> bool:
        """Whether a matrix takes not much more room than the gradient, and its projection no more time."""
        g: Any = f.gradient(w)
        entries = g.nnz if is_sparse(g) else np.size(g) if f.traits.quadratic and isinstance(g, np.ndarray) else 0
        # times as many entries as the gradient has may be written out
        return min(self.shape) <= SMALL and 4 * int(entries) >= self.shape[0] * self.shape[1]

    def _slid_dense(self, f: Objective, w: Iterate) -> Iterate | None:
        """w after projected gradients on the matrix that is written out, its longer side down, in units of the radius."""
        from greedyhull.atoms.matrix_descent import descend_dense, spectrum
        turned, size = self.shape[0] < self.shape[1], scaled(f.gradient(w))[1]
        if size == 0.0:
            return None

        def slope(y: Array) -> Array:
            given: Any = f.gradient(CoordinateIterate(self.radius * (y.T if turned else y)))
            g = np.asarray(as_array(given), dtype=np.float64) / size
            return g.T if turned else g

        x = w.array() / self.radius
        x = descend_dense(slope, x.T if turned else x, 1.0)
        if not np.isfinite(x).all():
            return None
        V = spectrum(x).V
        images = x @ V
        sigma = np.linalg.norm(images, axis=0)
        U = images / np.maximum(sigma, 1e-300)
        return self._mixture(Factors(V, self.radius * sigma, U) if turned else Factors(U, self.radius * sigma, V), DROPPED)

    def _toward_many(self, f: Objective, w: Iterate) -> float:
        """Move w toward the pairs that beat its atoms, as factors keep their directions; return about the gap before."""
        g = f.gradient(w)
        G, size = scaled(g)
        if size == 0.0:
            return 0.0
        pairs = leading_pairs(G, min(max(FEW, len(w)), *self.shape))
        level = -w.dot(g) / (self.radius * size)
        gap = self.radius * size * max(float(pairs.sigma[0]) - level, 0.0)
        above = np.maximum(pairs.sigma - max(level, 0.0), 0.0)
        step_toward(f, w, RankOneBlock(-pairs.U.T, pairs.V.T, np.full(len(above), self.radius)), above, pairs.sigma)
        return gap

    def max_abs(self, c: Array) -> float:
        """radius·‖c‖₂ for c ≥ 0 at most: Σ c|u||v|ᵀ is largest at the top singular pair of c."""
        return self.radius * largest_sum(c)

    def max_length(self) -> float:
        return self.radius

    def rescaled(self, radius: float) -> NuclearBall:
        return NuclearBall(self.shape, radius)

    def sizes(self) -> Sizes:
        return Sizes.of(2.0 * self.radius, self.radius)

    def radius_around(self, x: Array) -> Constant:
        """‖radius·uvᵀ − x‖² ≤ radius² + ‖x‖² + 2·radius·σ₁(x), attained at the top pair of −x."""
        top = np.linalg.norm(x, 2)
        return Constant(float(np.sqrt(self.radius**2 + float(np.vdot(x, x)) + 2.0 * self.radius * top)), "exact", "R")


def _factors(x: Array) -> Factors:
    U, sigma, V = np.linalg.svd(x, full_matrices=False)
    return Factors(U, sigma, V.T)


def step_toward(f: Objective, w: Iterate, atoms: Block, excess: Array, values: Array) -> None:
    """Move w toward the atoms, in proportion to what each promises in excess, as far as f falls."""
    # of the largest excess, and of the singular value itself: less promises nothing
    excess[excess <= np.maximum(1e-2 * excess[0], 1e-12 * np.abs(values))] = 0.0
    some = np.flatnonzero(excess)
    if not len(some):
        return
    base = np.concatenate([w.weights, np.zeros(len(some))])
    weights = np.concatenate([np.zeros(len(w)), excess[some] / excess.sum()])
    move = w.reweighting(w.block.extend(atoms.take(some)), base, weights - base)
    w.move(move, float(f.along(w, move).argmin()))


def largest_sum(c: Array) -> float:
    """A bound on the largest uᵀcv for unit vectors, c ≥ 0: ‖c‖₂ ≤ √(‖c‖₁‖c‖_∞) and ‖c‖₂ ≤ ‖c‖_F."""
    if not any(c.strides):  # one number for all entries
        return float(c[0, 0]) * float(np.sqrt(c.size))
    largest = float(c.max())
    if largest == 0.0:
        return 0.0
    rows, cols = (float((c / largest).sum(axis=k).max()) for k in (0, 1))
    return largest * min(float(np.sqrt(rows * cols)), float(np.linalg.norm(c / largest))) * (1.0 + 1e-9)


def _apart(block: RankOneBlock, weights: Array) -> bool:
    """Whether atoms are so nearly orthogonal that the point has no smaller rank."""
    some = np.flatnonzero(weights * block.scales)
    near = 0.5 / max(len(some), 1)  # then the matrices of all inner products are dominated by their diagonals
    grams = (part[some] @ part[some].T for part in (block.U, block.V))
    return len(some) + 1 >= len(weights) and all(bool((np.abs(M - np.eye(len(M))) <= near).all()) for M in grams)

