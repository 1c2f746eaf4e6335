"""Objectives of matrices: observed entries, several classes, several responses."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from math import fsum
from typing import Any, cast

import numpy as np

from greedyhull.kernels.data_passes import product
from greedyhull.kernels.matrix_models import EntryEquations, LocalModel, NormalEquations
from greedyhull.kernels.softmax import Room, entries_and_intercepts, entries_hessian, whole_and_intercepts, whole_hessian
from greedyhull.objectives.composite import EPS, Composite
from greedyhull.objectives.designs.matrix import Observed, TaskColumns, Tasks
from greedyhull.objectives.designs.stored import DenseDesign
from greedyhull.objectives.losses.base import Separable
from greedyhull.objectives.losses.smooth import Squared
from greedyhull.objectives.losses.softmax import Softmax, SoftmaxWithIntercepts
from greedyhull.objectives.restricted import Restricted
from greedyhull.points.iterate import Iterate
from greedyhull.theory import Constant
from greedyhull.types import Array, Atom, AtomSet, Block, Design, Loss, Traits


class MatrixModel(Composite):
    """φ(A W) for matrices W. ``norm`` bounds how long A makes |W|, ‖ |A| |W| ‖ ≤ norm·‖W‖_F, and ``depth`` is how many numbers
    A adds up for an entry of its image: errors of images are relative to the one and proportional to the other.

    `Composite` bounds images from the columns of A, one by one. That is far too much for atoms that have all entries.
    """

    def __init__(self, design: Design, loss: Loss, name: str, exact: Loss, norm: float, depth: int, note: str = "") -> None:
        super().__init__(design, loss, name, exact)
        self._norm, self._depth, self._note = norm, depth, note

    def __repr__(self) -> str:
        return f"{self.name}(n={self.design.n}, shape={self.domain}{self._note})"

    def _image_bound(self, S: AtomSet) -> float:
        """‖ |A| |W| ‖ at most."""
        return self._norm * S.max_length() * (1.0 + 1e-12)

    def rounding(self, w: Iterate, S: AtomSet, eps: float = EPS) -> float:
        """That of `Composite`, and of the sums that make an image."""
        usual = super().rounding(w, S, eps)
        if not self._depth:
            return usual
        view: Any = self._known(w)
        if not (view.residual.any() or view.z.any() or self.loss.y.any()):  # from zeros to zeros nothing is rounded
            return usual
        off = eps * (16 + self._depth + len(w) + 3 * view.moves) * self.image_bound(S)
        rest = self.loss.swing(self.loss.size(view.value, view.z), view.z, off)
        return float(usual + self.loss.norm(view.value, view.residual) * off + rest)

    def surely_falls(self, w: Iterate, target: Iterate, S: AtomSet) -> bool:
        """Whether f is smaller at ``target`` than at w, where the difference of two values would drown in their rounding.

        For squares, φ(z′) − φ(z) = ⟨r, Δ⟩ + ½⟨Δ, pΔ⟩ with Δ = z′ − z. Its terms are right to a few units in the last place
        and are added exactly. What is left is the error e of either image, which moves φ by ⟨r, e⟩: it grows with the number
        of atoms, not of entries.
        """
        if not self.quadratic or self.has_intercept:
            return False
        here: Any = self._known(w)
        there: Any = self._known(target)
        step = np.asarray(there.z, dtype=np.float64) - here.z
        terms = here.residual * step
        change, bend = fsum(terms.tolist()), 0.5 * self.loss.energy(step) * (1.0 + (len(step) + 16) * EPS)
        far, off = self.image_bound(S), 8.0 * EPS * float(np.abs(terms).sum())
        for point, view in ((w, here), (target, there)):
            error = EPS * (16 + self._depth + len(point) + 3 * view.moves) * far
            off += float(np.linalg.norm(view.residual)) * error * (1.0 + 1e-6)
            off += self.loss.swing(self.loss.size(view.value, view.z), view.z, error)
        return bool(change + bend + off < 0.0)

    def _in_double(self) -> Composite:
        return MatrixModel(self.design.precise(), self.exact, self.name, self.exact, self._norm, self._depth, self._note)


class SquaredEntries(MatrixModel):
    """f(W) = ½ Σ p_ij (W_ij − v_ij)² over the observed entries, for `completion`."""

    design: Observed

    def __init__(self, design: Observed, loss: Separable, name: str, exact: Squared, note: str) -> None:
        super().__init__(design, loss, name, exact, 1.0, 0, note)
        full = 4 * design.n >= design.domain[0] * design.domain[1]  # times as many entries as are observed may be written out
        largest = float(np.abs(exact.y).max())
        single = design.dtype == np.float64 and 1e-12 < largest < 1e12  # their squares are numbers in float32
        self.traits: Traits = replace(self.traits, written=full, single=single)
        self._squared = exact

    def equations(self) -> EntryEquations:
        """Weights and weighted values of all entries, zero where nothing is observed. They are made anew for each call."""
        return EntryEquations(self._written_out)

    def single(self) -> MatrixModel:
        """f in float32, on the same places."""
        return self._single

    @cached_property
    def _single(self) -> MatrixModel:
        return MatrixModel(self.design.single(), self._squared.cast(np.float32), self.name, self.exact, 1.0, 0)

    def _written_out(self, dtype: Any) -> tuple[Array, Array]:
        places, size = self.design.i * self.domain[1] + self.design.j, self.domain[0] * self.domain[1]
        weights, values = np.zeros(size, dtype), np.zeros(size, dtype)
        weights[places] = self.exact.p
        values[places] = self.exact.p * self.exact.y
        return weights.reshape(self.domain), values.reshape(self.domain)


class SoftmaxRestriction(Restricted):
    """φ(Zα) for the atoms of a block, φ the loss `Softmax`. Its Hessian is computed again at every point."""

    f: Multinomial

    def __init__(self, f: Multinomial, block: Block) -> None:
        super().__init__(f, block)
        self._room = Room()

    def hessian(self, w: Iterate, sample: int = 1) -> Array:
        s, p, Z = self.f.probabilities(w), self.f.softmax.p, self.Z
        single = isinstance(Z, TaskColumns)
        H = single_entries(Z, s, p, self._room, self._far(w)) if single else written_out(Z, s, p)
        if self.f.intercepts_fitted:
            C = single_meet(Z, s, p) if single else written_meet(Z, s, p)
            weighted = self.f.softmax.by_row(s)
            B = np.diag(weighted.sum(axis=0)) - s.T @ weighted
            H = H - C.T @ without_intercepts(B, C)
        return np.asarray(0.5 * (H + H.T))

    def _far(self, w: Iterate) -> bool:
        """Whether w is so far from the best point of these atoms that a Hessian in single precision leads there as well, if it
        takes time."""
        if len(self.block) * self.f.tasks.X.n < (2**15):  # numbers at least in the columns of a Hessian that takes time
            return False
        value, gap = abs(self.f.value(w)), self.f.gradient_dot(w) - float(self.gradient(w).min())
        # of the value: points with a larger gap are far from the optimum
        return 1e-3 * value < gap < value  # where the set is far too large, gaps are larger and tell nothing


def single_entries(Z: TaskColumns, s: Array, p: Array | float, room: Room | None = None, far: bool = False) -> Array:
    """Zᵀ diag(pS) Z − Yᵀ diag(p) Y, for atoms with a single entry: only those of one class meet in the first part.

    ``far`` from the optimum in single precision, with what rounding may have taken from its eigenvalues.
    """
    order, back, rows = Z.by_response(np.float32 if far else np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        H = entries_hessian(rows, Z.response[order], s, p, room)[np.ix_(back, back)].astype(np.float64, copy=False)
        if not far:
            return np.asarray(H)
        # of the diagonal: what rounding in single precision may take from eigenvalues
        H[np.diag_indices_from(H)] *= 1.0 + 1e-5
    lost = (H.diagonal() <= 1e-25) & (rows != 0.0).any(axis=1)[back]  # smaller numbers may have been lost in single precision
    return single_entries(Z, s, p, room) if lost.any() or not np.isfinite(H).all() else np.asarray(H)


def single_meet(Z: TaskColumns, s: Array, p: Array | float) -> Array:
    """C for such atoms."""
    order, back, rows = Z.by_response()
    return entries_and_intercepts(rows, Z.response[order], s, p)[:, back]


def written_out(Z: Array, s: Array, p: Array | float) -> Array:
    """Zᵀ diag(pS) Z − Yᵀ diag(p) Y for atoms of any kind, whose images are written out."""
    each = p if isinstance(p, float) else p[:, None]
    Y = np.einsum("mnc,nc->nm", Z.T.reshape(Z.shape[1], *s.shape), s)
    return np.asarray(Z.T @ (Z * (each * s).ravel()[:, None]) - Y.T @ (each * Y))


def written_meet(Z: Array, s: Array, p: Array | float) -> Array:
    """C for such atoms."""
    images, weighted = Z.T.reshape(Z.shape[1], *s.shape), (p if isinstance(p, float) else p[:, None]) * s
    Y = np.einsum("mnc,nc->nm", images, s)
    return np.asarray(np.einsum("mnc,nc->cm", images, weighted) - weighted.T @ Y)


def without_intercepts(B: Array, C: Array) -> Array:
    """B⁺C, in the precision of C: what minimising over intercepts takes from the Hessian is Cᵀ times that, B its part that
    belongs to them. Where classes are told apart for certain, intercepts are of no consequence and B is singular."""
    # what to add where all probabilities are 0 or 1
    B, right = B + max(float(np.trace(B)) / len(B), 1e-300), C.astype(np.float64, copy=False)
    try:
        found = np.linalg.solve(B, right)
    except np.linalg.LinAlgError:
        found = np.linalg.lstsq(B, right, rcond=None)[0]
    return np.asarray(found, dtype=C.dtype)


class Multinomial(MatrixModel):
    """φ(XW) for the loss `Softmax`, whose Hessian has a block a row: solvers see it on a few atoms, or by its products."""

    def __init__(self, tasks: Tasks, loss: Softmax, exact: Softmax) -> None:
        super().__init__(tasks, loss, "multinomial", exact, tasks.X.frobenius, tasks.domain[0])
        self.tasks, self.softmax, self._softmax = tasks, loss, exact
        self._profiled = loss if isinstance(loss, SoftmaxWithIntercepts) else None
        d, c = self.domain
        small = d * c <= 1000 and d * tasks.X.n <= 2**22  # else whole Hessians, or the data written out, are too large
        self.traits = replace(self.traits, second_order=True, linear_model=False, images=False,
                              intercept=self.intercepts_fitted, modelled=small)
        self._columns: dict[Any, Array] = {}

    @property
    def intercepts_fitted(self) -> bool:
        """Whether each class has an intercept."""
        return self._profiled is not None

    def __repr__(self) -> str:
        intercept = ", intercept=True" if self.intercepts_fitted else ""
        return f"multinomial(n={self.tasks.X.n}, shape={self.domain}{intercept})"

    def intercept(self, w: Iterate) -> Array:  # type: ignore[override]  # one for each class
        """The intercepts that belong to w, zeros where the objective has none."""
        return np.zeros(self.tasks.c) if self._profiled is None else self._profiled.intercepts(self.at(w).z)

    def probabilities(self, w: Iterate) -> Array:
        """The probability of each class for every row of the data."""
        return np.asarray(self.curvatures(w).reshape(-1, self.tasks.c), dtype=np.float64)

    def restricted(self, block: Block) -> SoftmaxRestriction:
        return SoftmaxRestriction(self, block)

    def hessian_product(self, w: Iterate, u: Array, atom: Atom | None = None) -> Array:
        """∇²f(w)u for a matrix u."""
        w.work.products += 2.0
        return self.tasks.adjoint(self.softmax.product(self.at(w).z, self.tasks.matvec(u)))

    def model(self, w: Iterate) -> LocalModel:
        """The Hessian at w, whole."""
        s, p = self.probabilities(w), self.softmax.p

        def make(dtype: Any) -> Array:
            X = self._by_column(dtype)
            H = whole_hessian(X, s, p)
            if not self.intercepts_fitted:
                return H
            C, weighted = whole_and_intercepts(X, s, p), self.softmax.by_row(s)
            return np.asarray(H - C.T @ without_intercepts(np.diag(weighted.sum(axis=0)) - s.T @ weighted, C))

        return LocalModel(make)

    def _by_column(self, dtype: Any) -> Array:
        """Xᵀ written out."""
        if dtype not in self._columns:
            X = self.tasks.X
            written: Any = X.X if isinstance(X, DenseDesign) else X.by_row.toarray()
            self._columns[dtype] = np.ascontiguousarray(written.T, dtype=dtype)
        return self._columns[dtype]

    def curvature(self, S: AtomSet) -> Constant:
        """½ max pᵢ ‖X‖_F² D² at most, D the diameter."""
        return Constant(0.5 * self._softmax.heaviest() * self.tasks.X.frobenius**2 * S.diameter**2, "upper bound", "M")

    def rounding(self, w: Iterate, S: AtomSet, eps: float = EPS) -> float:
        """That of the model; with intercepts, also what is left of the condition that the residual of each class sums to zero.

        Let L(r) = −φ*(r) + min_S ⟨Aᵀr, ·⟩, which is concave, and mₖ − πₖ the sums of the residual r. With t ≥ (mₖ − πₖ)/mₖ for
        all k there are probabilities q for which (1 − t)r + tρ, ρᵢ = pᵢ(q − yᵢ), sums to zero, and so L there is a lower
        bound: at least (1 − t)L(r) + tL(ρ) ≥ L(r) − t(φ(z) + √2‖p‖₂·reach). L(r) was computed without Σ(mₖ − πₖ)bₖ. Every
        entry of r is right to a few units in its last place, so that its sums are to a few units of Σᵢ|rᵢₖ|.
        """
        usual = super().rounding(w, S, eps)
        if self._profiled is None:
            return usual
        view: Any = self._known(w)
        loss, reach, value, residual = self._profiled, self.image_bound(S), view.value, view.residual
        b, shares, n = np.abs(loss.intercepts(view.z)), loss.shares(), self.tasks.X.n
        # what underflow may have taken from a sum
        off = np.abs(loss.missed(residual)) + (n + len(b) + 24) * eps * loss.missed(np.abs(residual)) + 1e-290
        t = min(1.0, float((off / np.maximum(shares, off)).max()))
        p = loss.p * n**0.5 if isinstance(loss.p, float) else float(np.linalg.norm(loss.p))
        left = t * (abs(value) + 1.5 * p * reach) + float(off.dot(b))
        far = 16 * eps * float(b.max()) * self.design.n**0.5  # z + b is rounded
        return float(usual + left + loss.norm(value, residual) * far + loss.swing(abs(value), view.z, far))

    def _in_double(self) -> Composite:
        return Multinomial(self.tasks.precise(), self._softmax, self._softmax)


def multinomial_model(tasks: Tasks, hot: Array, p: Array | float, intercept: bool) -> Multinomial:
    """The objective for a matrix that is 1 at the class of each row, else 0."""
    kind = SoftmaxWithIntercepts if intercept else Softmax
    exact = kind(hot.ravel(), p, tasks.c)
    return Multinomial(tasks, cast(Softmax, exact.cast(tasks.dtype)), exact)


class SquaredResponses(MatrixModel):
    """f(W) = ½ Σᵢ pᵢ‖xᵢW − yᵢ‖², for `multitask`.

    Certificates look at X itself. K is for those who seek a minimum, and what they find is looked at again.
    """

    design: Tasks

    def __init__(self, design: Tasks, loss: Separable, name: str, exact: Squared, norm: float, depth: int) -> None:
        super().__init__(design, loss, name, exact, norm, depth)
        n, d = design.X.n, design.domain[0]
        # rows of K at most
        # entries of sparse data at most that are written out, where X has more columns than rows
        small = min(n, d) <= 1500 and (isinstance(design.X, DenseDesign) or d <= n or n * d <= (2**24))
        self.traits: Traits = replace(self.traits, written=small)

    def gradient(self, w: Iterate) -> Array:
        """Xᵀr. At zero, where most runs begin, it is −B, which `equations` needs as well: whoever computes it keeps it."""
        view = self._known(w)
        if view.gradient is None and not view.z.any():
            w.work.gradients += 1
            w.work.products += 1.0
            view.gradient = self._gradient_at_zero
        return super().gradient(w)

    @cached_property
    def _gradient_at_zero(self) -> Array:
        return self.design.adjoint(self.loss.first_order(np.zeros(self.design.n, dtype=self.design.dtype))[1])

    def equations(self) -> NormalEquations:
        """K and B; where X has more columns than rows, in a basis of the span of its rows."""
        return self._normal

    @cached_property
    def _normal(self) -> NormalEquations:
        B = -np.asarray(self._gradient_at_zero, dtype=np.float64)
        if self.design.domain[0] <= self.design.X.n:
            return NormalEquations(self._square, B)
        Z, times = self._weighted(np.float64)
        Q, R = np.linalg.qr((Z if isinstance(Z, np.ndarray) else Z.toarray()).T)
        return NormalEquations(lambda dtype: (times * (R @ R.T)).astype(dtype), Q.T @ B, Q)

    def _square(self, dtype: Any) -> Array:
        """XᵀPX."""
        Z, times = self._weighted(dtype)
        K = product(Z.T, Z)
        K = np.asarray(K if isinstance(K, np.ndarray) else K.toarray())
        return np.asarray(K * K.dtype.type(times))

    def _weighted(self, dtype: Any) -> tuple[Any, float]:
        """X with its rows times the roots of their weights, as an array or a CSR matrix; and what all of it is to be
        multiplied by, where these are all the same."""
        design, p = self.design.X, self.loss.p
        X: Any = design.X.astype(dtype, copy=False) if isinstance(design, DenseDesign) else design.by_row.astype(dtype)
        if isinstance(p, float):
            return X, p
        root = np.sqrt(p[:: self.design.c]).astype(dtype)[:, None]
        return X * root if isinstance(X, np.ndarray) else X.multiply(root).tocsr(), 1.0
