"""The curvature M of an objective over a set: exact for quadratics, an upper bound from sup φ'' for other losses.

For f = ½wᵀHw − bᵀw, M = max over atoms of (s − s')ᵀH(s − s'). For f = Σ pᵢ φᵢ(aᵢ·w), with [loᵢ, hiᵢ] the range of aᵢ·w over
the set and βᵢ = sup φᵢ'' on it, H = Σ pᵢβᵢ aᵢaᵢᵀ bounds every Hessian on the hull, so its M bounds that of f. So does
Σ pᵢβᵢ(hiᵢ − loᵢ)², row by row. An intercept subtracts the weighted mean from every column of A; it only lowers M. A ridge adds
l2·I to H.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.atoms import geometry as limits
from greedyhull.atoms.geometry import Form, columns, in_full, row_blocks, some_columns
from greedyhull.errors import GreedyhullError, check
from greedyhull.points.arrays import TINY as LEAST
from greedyhull.points.arrays import compact, energies, is_sparse, length, rounded_up
from greedyhull.theory import Constant
from greedyhull.types import Array, AtomSet, Design, Index, LinearModel, Loss, without_intercept

EPS = float(np.finfo(np.float64).eps)

if TYPE_CHECKING:
    from greedyhull.objectives.quadratic import QuadraticForm


def form_curvature(f: QuadraticForm, S: AtomSet) -> Constant:
    """M of a quadratic ½wᵀQw − bᵀw over the hull of S."""
    form = Square(f.design.precise())
    M, lost, scale = S.curvature(form), vanished(S, form.d * form.d), float(form.diagonal().max(initial=0.0))
    small = scale > 0.0 and scale * span(S) * span(S) * form.d * EPS < lost < np.inf
    return Constant(float(M) + lost, "upper bound", "M") if small else M


def composite_curvature(f: LinearModel, S: AtomSet) -> Constant:
    """M of φ(Aw) + (l2/2)‖w‖² over the hull of S."""
    check(len(f.domain) == 1, f"The curvature of {f!r} on points of shape {f.domain} has no formula here. Use Backtracking().")
    A, loss = f.design.precise(), f.loss
    if f.traits.quadratic:
        c = np.asarray(loss.curvature(np.zeros(A.n)), dtype=np.float64)
        M, lost = S.curvature(_form(f, A, c)), lost_to_underflow(f, S)
        if M.status == "exact" and lost <= EPS * float(M):
            return M
        return _capped(M, c, S.row_ranges(A), _of_ridge(f, S), lost)
    low, high = S.row_ranges(A)
    c = _weights(loss, low, high)
    if not np.isfinite(c).all():
        return Constant(np.inf, "upper bound", "M")
    lost = vanished(S, len(c) * f.domain[0] * (1.0 + float(c.max(initial=0.0))))
    return _capped(S.curvature(_form(f, A, c)), c, (low, high), _of_ridge(f, S), lost)


def _form(f: LinearModel, A: Design, c: Array) -> Form:
    """Aᵀ diag(c) A, centred where f has an intercept, and l2·I."""
    form = Weighted(A, c, f.has_intercept)
    return Raised(form, f.l2) if f.l2 else form


def _of_ridge(f: LinearModel, S: AtomSet) -> float:
    """l2·D², at most what the ridge adds to M."""
    return f.l2 * S.diameter * S.diameter if f.l2 else 0.0


def _weights(loss: Loss, low: Array, high: Array) -> Array:
    """pᵢβᵢ, with βᵢ = sup φᵢ'' over the range of row i."""
    inner = without_intercept(loss)
    if loss.profiles:  # b* falls when any zᵢ rises, so its own range follows from the ends of theirs
        try:
            low, high = low + loss.intercept(high), high + loss.intercept(low)
        except GreedyhullError:
            low, high = np.full_like(low, -np.inf), np.full_like(high, np.inf)
    beta = np.broadcast_to(np.asarray(inner.beta(low, high), dtype=np.float64), low.shape)
    matters = np.asarray(np.broadcast_to(inner.p, low.shape) > 0)
    if not loss.profiles:
        matters = matters & (high > low)
    return np.asarray(np.where(matters, beta, 0.0) * inner.p)


def _capped(M: Constant, c: Array, ranges: tuple[Array, Array], ridge: float, lost: float) -> Constant:
    """The smaller of M, with what underflow may have taken from it, and Σ cᵢ widthᵢ² + l2·D²; exact if the latter is zero."""
    widths = ranges[1] - ranges[0]
    rows = float(rounded_up(rounded_up(c, widths), widths).sum()) + ridge
    return M if rows == 0.0 == float(M) else Constant(min(float(M) + lost, rows), "upper bound", "M")


def lost_to_underflow(f: LinearModel, S: AtomSet) -> float:
    """What underflow may have taken from (s − s')ᵀH(s − s') for a quadratic φ(Aw): squares of small numbers are zero."""
    c = np.asarray(f.loss.curvature(np.zeros(f.design.n)), dtype=np.float64)
    return vanished(S, f.design.n * f.domain[0] * (1.0 + float(c.max(initial=0.0))))


def vanished(S: AtomSet, products: float) -> float:
    """The least number above zero, for as many products, times the square of the size of S."""
    size = 1.0 + span(S)
    return 4.0 * LEAST * products * size * size


def span(S: AtomSet) -> float:
    """At least the diameter of S."""
    return 2.0 * float(S.max_abs(np.ones(S.shape)))


class Square(Form):
    """H = Q, given by its columns."""

    def __init__(self, design: Design) -> None:
        self.design, (self.d,) = design, design.domain
        self.rows, self.cost = self.d, 1.0

    def diagonal(self) -> Array:
        return np.concatenate([in_full(block)[J, np.arange(len(J))] for J, block in columns(self.design)])

    def entries(self, I: Index, J: Index) -> Array:
        return in_full(some_columns(self.design, J))[I]

    def apply(self, x: Array) -> Array:
        return self.design.matvec(x)

    def images(self, V: Any) -> tuple[Array, Array]:
        return in_full(V), np.concatenate([in_full(V @ block) for _, block in columns(self.design)], axis=1)

    def signs(self, widths: Array) -> float:
        """Σ |Q_ij| Δ_iΔ_j."""
        total = 0.0
        for J, block in columns(self.design):
            total += float(widths @ (abs(block) @ widths[J]))
        return total

    def _top_bound(self) -> float:
        """The least of the trace, the Frobenius norm and the largest row sum."""
        norms, sums = list[float](), 0.0
        for _, block in columns(self.design):
            norms.append(length(block.data if is_sparse(block) else block))
            sums = max(sums, float(abs(block).sum(axis=0).max()))
        return min(float(self.diagonal().sum()), length(np.array(norms)), sums)


class Weighted(Form):
    """H = Aᵀ diag(c) A = BᵀB; with ``centred`` the c-weighted mean of every column of A is subtracted first."""

    def __init__(self, design: Design, c: Array, centred: bool) -> None:
        self.design, self.c, (self.d,) = design, c, design.domain
        self.rows = design.n
        self.cost = float(design.n)
        total = float(c.sum())
        self.mean = design.adjoint(c) / total if centred and total > 0 else None

    def _part(self, J: Index, block: Any) -> Any:
        """The columns J of B."""
        root = np.sqrt(self.c)[:, None]
        if self.mean is not None:
            return root * (in_full(block) - self.mean[J])
        return compact(block * root) if is_sparse(block) else block * root

    def _parts(self) -> Iterator[tuple[Index, Any]]:
        for J, block in columns(self.design):
            for start in range(0, len(J), 256) if self.mean is not None and is_sparse(block) else (None,):
                piece = slice(None) if start is None else slice(start, start + 256)
                yield J[piece], self._part(J[piece], block[:, piece])

    def diagonal(self) -> Array:
        if self.mean is None:
            return energies(self.design, self.c)
        return np.concatenate([(part * part).sum(axis=0) for _, part in self._parts()])

    def entries(self, I: Index, J: Index) -> Array:
        left, right = (self._part(K, some_columns(self.design, K)) for K in (I, J))
        return in_full(left.T @ right)

    @cached_property
    def _matrix(self) -> Array | None:
        """BᵀB, summed over chunks of rows."""
        if self.d > limits.SMALL:
            return None
        H = np.zeros((self.d, self.d))
        for I, block in row_blocks(self.design):
            B = (block if self.mean is None else block - self.mean) * np.sqrt(self.c[I])[:, None]
            H += B.T @ B
        return H

    def apply(self, x: Array) -> Array:
        image = np.zeros(self.rows)
        for J, part in self._parts():
            image += part @ x[J]
        return np.concatenate([part.T @ image for _, part in self._parts()])

    def images(self, V: Any) -> tuple[Array, Array]:
        total = np.zeros((V.shape[0], self.rows))
        for J, part in self._parts():
            total += in_full(V[:, J] @ part.T)
        return total, total

    def signs(self, widths: Array) -> float:
        """Σ|H_ij| Δ_iΔ_j where H is small, else ‖ |B| Δ ‖²."""
        H = self.matrix()
        if H is not None:
            return float(widths @ np.abs(H) @ widths)
        image = np.zeros(self.rows)
        for J, part in self._parts():
            image += abs(part) @ widths[J]
        return float(image @ image)

    def _squared(self) -> Array | None:
        if self.d <= limits.EIGEN or self.rows > limits.EIGEN:
            return super()._squared()
        K = np.zeros((self.rows, self.rows))  # BBᵀ, the smaller side
        for _, part in self._parts():
            K += in_full(part @ part.T)
        return K

    def _top_bound(self) -> float:
        """The lesser of the trace and ‖B‖₁‖B‖_∞."""
        rows, most = np.zeros(self.rows), 0.0
        for _, part in self._parts():
            size = abs(part)
            rows += np.asarray(size.sum(axis=1)).ravel()
            most = max(most, float(size.sum(axis=0).max()))
        return min(float(self.diagonal().sum()), most * float(rows.max()))


class Raised(Form):
    """H + l2·I for another form H."""

    def __init__(self, base: Form, l2: float) -> None:
        self.base, self.l2 = base, l2
        self.d, self.rows, self.cost = base.d, base.rows + base.d, base.cost + 1.0

    def diagonal(self) -> Array:
        return self.base.diagonal() + self.l2

    def entries(self, I: Index, J: Index) -> Array:
        return self.base.entries(I, J) + self.l2 * np.equal.outer(I, J)

    @cached_property
    def _matrix(self) -> Array | None:
        H = self.base.matrix()
        return None if H is None else H + self.l2 * np.eye(self.d)

    def apply(self, x: Array) -> Array:
        return self.base.apply(x) + self.l2 * x

    def images(self, V: Any) -> tuple[Array, Array]:
        left, right = self.base.images(V)
        points = in_full(V)
        return np.concatenate([left, self.l2 * points], axis=1), np.concatenate([right, points], axis=1)

    def signs(self, widths: Array) -> float:
        return self.base.signs(widths) + float((self.l2 * widths) @ widths)

    def top(self) -> Constant:
        """λ_max(H) + l2."""
        top = self.base.top()
        return Constant(float(top) + self.l2, top.status, top.name)

    def _top_bound(self) -> float:
        return float(self.top())
