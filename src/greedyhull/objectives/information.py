"""Criteria of optimal design: functions of the information matrix M(w) = Σ wᵢxᵢxᵢᵀ of weighted candidates."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import Any

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.objectives.base import EPS
from greedyhull.objectives.black_box import BlackBox
from greedyhull.objectives.lines import Curve
from greedyhull.objectives.restricted import ByProducts
from greedyhull.points.arrays import locked, masked
from greedyhull.points.direction import Direction
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import BasisBlock
from greedyhull.types import Array, AtomSet, Block, Index, Line, Traits


class _Known:
    """A point, M(w) there and its Cholesky factor, None where M(w) is singular."""

    def __init__(self, x: Array, M: Array) -> None:
        self.x, self.M, self.L = x, M, _factorised(M)

    @cached_property
    def least(self) -> float:
        """The least eigenvalue of M with rows and columns scaled to a unit diagonal."""
        size = np.sqrt(np.diag(self.M))
        return float(np.linalg.eigvalsh(self.M / np.outer(size, size))[0])


class Information(BlackBox):
    """A convex function of M(w) that is infinite where M(w) is singular; p is the size of M."""

    users = False

    def __init__(self, X: Any) -> None:
        self.X = candidates(X, self.name)
        self._kept: list[_Known] = []
        super().__init__(self.value_at, self.gradient_at, (len(self.X),), None, hessian_product=self._product_at)
        self.traits = Traits(second_order=True, finite_everywhere=False)

    def __repr__(self) -> str:
        return f"{self.name}(X of {self.X.shape[0]} candidates and {self.X.shape[1]} parameters)"

    def information(self, x: Array) -> Array:
        """M(w) from the candidates that have weight."""
        on = np.flatnonzero(x)
        rows = self.X[on]
        return np.asarray((rows * x[on, None]).T.dot(rows))

    def _known(self, x: Array) -> _Known:
        """M(w) and its factor; those of the last three points are kept: a run compares these again and again."""
        for known in reversed(self._kept):
            if np.array_equal(known.x, x):
                return known
        self._kept = [*self._kept[-2:], _Known(np.array(x), self.information(x))]
        return self._kept[-1]

    def _regular(self, x: Array) -> Array:
        """The factor, at a point where f is finite."""
        L = self._known(x).L
        if L is None:
            raise GreedyhullError(f"{self!r} was asked for its Hessian where the information matrix is singular.")
        return L

    def _whitened(self, x: Array) -> Array:
        """L⁻¹xᵢ for every candidate, as columns; infinite where M(w) is singular."""
        L = self._known(x).L
        return np.full(self.X.T.shape, np.inf) if L is None else _solved(L, self.X.T)

    @abstractmethod
    def value_at(self, x: Array) -> float: ...
    @abstractmethod
    def gradient_at(self, x: Array) -> Array: ...
    @abstractmethod
    def _product_at(self, x: Array, v: Array) -> Array: ...
    @abstractmethod
    def _along(self, shares: Array, eigenvalues: Array, step: float) -> tuple[float, float, float]:
        """Value relative to step 0, slope and bend where M(w) + t·V has the eigenvalues 1 + t·λ relative to M(w)."""

    def along(self, w: Iterate, move: Direction) -> Line:
        """With V = M(v) and the eigenvalues λ of L⁻¹VL⁻ᵀ, f is a sum of p functions of the step; it ends at −1/min λ."""
        view = self.at(w)
        v, L = view.direction(move), self._known(view.x).L
        if L is None:
            return super().along(w, move)
        half = _solved(L, self.information(v))
        eigenvalues, U = np.linalg.eigh(_solved(L, half.T))
        shares = (_solved(L, U, across=True) ** 2).sum(axis=0)
        start, least = self.value(w), float(eigenvalues.min())
        limit = -1.0 / least if least < 0.0 else np.inf

        def value(step: float) -> float:
            return np.inf if step >= limit else start + self._along(shares, eigenvalues, step)[0]

        def derivatives(step: float) -> tuple[float, float]:
            return (np.inf, np.inf) if step >= limit else self._along(shares, eigenvalues, step)[1:]

        return Curve(value, derivatives, float(np.vdot(self.gradient(w), v)), move.max_step, limit=limit)

    def restricted(self, block: Block) -> OnCandidates:
        return OnCandidates(self, block)

    @abstractmethod
    def hessian_on(self, x: Array, index: Index) -> Array:
        """The Hessian in the weights of some candidates."""

    def start(self, S: AtomSet, rng: np.random.Generator) -> Iterate:
        """Equal weights on p candidates that are independent, where that is a point of S; else its centre."""
        from greedyhull.kernels.lapack import qr

        p, total = self.X.shape[1], S.traits.total
        order = qr(self.X.T, mode="r", pivoting=True)[-1][:p]
        x = np.zeros(self.domain)
        x[order] = (1.0 if total is None else total) / p
        return S.decompose(x) if S.contains(x) and np.isfinite(self.value_at(x)) else S.centre()

    def rounding(self, w: Iterate, S: AtomSet) -> float:
        """M is off by at most (s + 4)ε Σ wᵢ|xᵢ||xᵢ|ᵀ, s candidates with weight, and its factor by (p + 1)ε of the same size.

        With rows and columns scaled to a unit diagonal that is c·ε·p relative to 1, so c·ε·p·κ relative to M, κ = 1/λ_min of
        the scaled M; values and scores, which are of degree at most 2 in M⁻¹, are off by at most four times as much
        of themselves, where c·ε·p·κ is below 1/8. Beyond, nothing is promised.
        """
        x, g = self.at(w).x, self.gradient(w)
        known = self._known(x)
        least, p, s = known.least, len(known.M), int(np.count_nonzero(x))
        off = (s + 10.0 * p + 16.0) * EPS * p / max(least - 4.0 * p * p * EPS, 1e-300)
        if off > 0.125:
            return np.inf
        terms = float(np.abs(g).dot(np.abs(x))) + S.max_abs(np.abs(g))
        return float(super().rounding(w, S) + 4.0 * off * (terms + self._spread(w)))

    @abstractmethod
    def _spread(self, w: Iterate) -> float:
        """What the value is off by, if M is off by a share of itself."""


def _factorised(M: Array) -> Array | None:
    """The Cholesky factor of M; None where it is singular."""
    try:
        L = np.linalg.cholesky(M)
    except np.linalg.LinAlgError:
        return None
    diagonal = np.diag(L)
    return L if float(diagonal.min()) > 1e-8 * float(diagonal.max()) * EPS else None


def _solved(L: Array, B: Array, across: bool = False) -> Array:
    """L⁻¹B, or L⁻ᵀB: LAPACK itself, for small systems take as long to check as to solve."""
    from greedyhull.kernels.lapack import dtrtrs

    return np.asarray(dtrtrs(L, B, lower=1, trans=int(across))[0])


class OnCandidates(ByProducts):
    """The criterion on a few candidates, whose Hessian is a small matrix of products xᵢᵀM⁻¹xⱼ."""

    def extend(self, atoms: Block, w: Iterate) -> None:
        if isinstance(self.block, BasisBlock) and isinstance(atoms, BasisBlock):
            self.block = self.block.extend(atoms)
        else:
            super().extend(atoms, w)

    def hessian(self, w: Iterate, sample: int = 1) -> Array:
        block, f = self.block, self.f
        if not isinstance(block, BasisBlock) or not isinstance(f, Information):
            return super().hessian(w, sample)
        return np.asarray(f.hessian_on(f.at(w).x, block.index) * np.outer(block.scale, block.scale))


class LogDet(Information):
    """−log det M(w)."""

    name = "log_det"

    def value_at(self, x: Array) -> float:
        L = self._known(x).L
        return np.inf if L is None else float(-2.0 * np.log(np.diag(L)).sum())

    def gradient_at(self, x: Array) -> Array:
        return -np.asarray((self._whitened(x) ** 2).sum(axis=0))

    def hessian_on(self, x: Array, index: Index) -> Array:
        Z = _solved(self._regular(x), self.X[index].T)
        return np.asarray(Z.T.dot(Z) ** 2)

    def _product_at(self, x: Array, v: Array) -> Array:
        Z = self._whitened(x)
        return np.asarray((Z * ((Z * v).dot(Z.T)).dot(Z)).sum(axis=0))

    def _along(self, shares: Array, eigenvalues: Array, step: float) -> tuple[float, float, float]:
        slopes = eigenvalues / (1.0 + step * eigenvalues)
        return float(-np.log1p(step * eigenvalues).sum()), float(-slopes.sum()), float((slopes**2).sum())

    def _spread(self, w: Iterate) -> float:
        return float(self.X.shape[1])


class TraceInverse(Information):
    """tr M(w)⁻¹."""

    name = "trace_inverse"

    def value_at(self, x: Array) -> float:
        L = self._known(x).L
        return np.inf if L is None else float((_solved(L, np.eye(len(L))) ** 2).sum())

    def _inverses(self, x: Array) -> Array:
        """M⁻¹xᵢ for every candidate, as columns."""
        from greedyhull.kernels.lapack import cho_solve

        L = self._known(x).L
        return np.full(self.X.T.shape, np.inf) if L is None else np.asarray(cho_solve((L, True), self.X.T))

    def gradient_at(self, x: Array) -> Array:
        return -np.asarray((self._inverses(x) ** 2).sum(axis=0))

    def hessian_on(self, x: Array, index: Index) -> Array:
        from greedyhull.kernels.lapack import cho_solve

        rows = self.X[index]
        Y = cho_solve((self._regular(x), True), rows.T)
        return np.asarray(2.0 * rows.dot(Y) * Y.T.dot(Y))

    def _product_at(self, x: Array, v: Array) -> Array:
        from greedyhull.kernels.lapack import cho_solve

        L, Y = self._regular(x), self._inverses(x)
        V = (self.X * v[:, None]).T.dot(self.X)
        return np.asarray(2.0 * (Y * cho_solve((L, True), V.dot(Y))).sum(axis=0))

    def _along(self, shares: Array, eigenvalues: Array, step: float) -> tuple[float, float, float]:
        ahead = 1.0 + step * eigenvalues
        value = float((shares * (-step * eigenvalues / ahead)).sum())
        return value, float(-(shares * eigenvalues / ahead**2).sum()), float((2.0 * shares * eigenvalues**2 / ahead**3).sum())

    def _spread(self, w: Iterate) -> float:
        return float(self.value(w))


class MeanVariance(TraceInverse):
    """mean xᵢᵀM(w)⁻¹xᵢ over all candidates: with X = QR, the trace of the inverse for the candidates √n·Q."""

    name = "mean_variance"

    def __init__(self, X: Any) -> None:
        self.basis = Orthogonal(candidates(X, self.name))
        super().__init__(self.basis.Q)

    def rounding(self, w: Iterate, S: AtomSet) -> float:
        """That of the trace, and what Q and R are off by: rows of X − QR, through R⁻¹, move candidates by at most ``drift``.

        So L⁻¹ΔML⁻ᵀ has norm at most η = 2·drift·√(p·tr M⁻¹), and values change by η/(1 − η) of themselves, here and at the
        minimum. The mean of all candidates is the identity up to ``skew``.
        """
        value, p = self.value(w), self.X.shape[1]
        moved = 2.0 * self.basis.drift * float(np.sqrt(p * value))
        return np.inf if moved > 0.25 else super().rounding(w, S) + 3.0 * (moved + self.basis.skew) * value


class OrthogonalLogDet(LogDet):
    """−log det M(w) for the candidates √n·Q, where X = QR: it differs by a constant from that for X, which is told by
    ``constant``. It is for candidates that are nearly dependent, as powers of a variable are: M(w) for X would be nearly
    singular for all designs, and rounding large."""

    def __init__(self, X: Any) -> None:
        self.basis = Orthogonal(candidates(X, self.name))
        super().__init__(self.basis.Q)

    @property
    def constant(self) -> float:
        """What is added to values: −log det RᵀR/nᵖ."""
        n, p = self.X.shape
        return float(p * np.log(n) - 2.0 * np.log(np.abs(np.diagonal(self.basis.R))).sum())

    def rounding(self, w: Iterate, S: AtomSet) -> float:
        """That of the determinant, and what Q and R are off by: see `MeanVariance.rounding`.

        L⁻¹ΔML⁻ᵀ has norm at most η = 2·drift·√(p·tr M⁻¹), and log det M changes by at most p·η/(1 − η), here and at the
        optimum. There no candidate has a larger variance than p (Kiefer and Wolfowitz), and their mean, tr M⁻¹ up to ``skew``,
        has none either.
        """
        p, L = self.X.shape[1], self._known(self.at(w).x).L
        if L is None:
            return np.inf
        here = float((_solved(L, np.eye(p)) ** 2).sum())
        there = p * (1.0 + 2.0 * self.basis.skew)
        moved = 2.0 * self.basis.drift * float(np.sqrt(p * max(here, there)))
        return np.inf if moved > 0.25 or self.basis.skew > 0.25 else super().rounding(w, S) + 3.0 * p * moved


class Orthogonal:
    """X = QR: √n·Q, R, by how much rows of √n·Q may be off (``drift``), and the mean of all candidates from I (``skew``)."""

    def __init__(self, X: Array) -> None:
        n, p = X.shape
        Q, self.R = np.linalg.qr(X)
        left = np.abs(X - Q.dot(self.R)) + (p + 4) * EPS * (np.abs(Q).dot(np.abs(self.R)) + np.abs(X))
        back = 2.0 * float(np.linalg.norm(np.linalg.inv(self.R)))
        self.drift = float(np.sqrt(n) * np.linalg.norm(left, axis=1).max()) * back
        skew = float(np.linalg.norm(Q.T.dot(Q) - np.eye(p))) + n * p * EPS
        self.skew = skew + 3.0 * float(np.linalg.norm(left)) * back
        self.Q = np.sqrt(n) * Q


def candidates(X: Any, name: str) -> Array:
    """The candidates as rows of finite numbers, if they span all directions."""
    try:
        plain = not masked(X) and not np.iscomplexobj(X)
        array = np.array(X, dtype=np.float64) if plain else np.empty(0)
    except (TypeError, ValueError):
        array = np.empty(0)
    check(array.ndim == 2 and array.size > 0 and bool(np.isfinite(array).all()),
          f"{name}(X) was given no matrix of finite numbers; one with a candidate in each row is wanted.")
    n, p = array.shape
    rank = int(np.linalg.matrix_rank(array / np.maximum(np.abs(array).max(axis=0), 1e-300)))
    check(rank == p, f"The {n} candidates span {rank} of {p} directions only, so that the information matrix of every design "
                     f"is singular. Leave out {p - rank} of the columns, or add candidates.")
    return locked(array)
