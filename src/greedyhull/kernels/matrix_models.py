"""Quadratic models of functions of matrices, and the methods that minimise them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import cached_property
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from greedyhull.kernels import data_passes as products
from greedyhull.types import Array

MEMORY = 5  # steps that are combined


class Anderson:
    """The steps of one search. Points have any shape and keep their precision."""

    def __init__(self, memory: int = MEMORY) -> None:
        self.memory = memory
        self._least = np.inf  # the shortest step so far
        self._plain: Array | None = None  # where the plain step would have led, if a combination was made
        self._last: tuple[Array, Array] | None = None
        self._known = 0  # differences that were seen since the last time all was forgotten
        self._moves = self._changes = np.zeros((memory, 0))  # a row for each of the last: ΔT + ΔF, and ΔF

    def next(self, T: Array, F: Array) -> Array:
        """The point after T, where the plain step is F."""
        length = float(np.linalg.norm(F))
        if self._plain is not None and not length <= self._least:
            back, self._plain, self._last, self._known = self._plain, None, None, 0
            return back
        self._least = length
        if self._last is not None:
            self._remember(T, F, *self._last)
        self._last = (T, F)
        plain, theta = T + F, self._combined(F)
        if theta is None:
            self._plain = None
            return plain
        self._plain = plain
        return np.asarray(plain - (theta.astype(T.dtype) @ self._moves[: len(theta)]).reshape(T.shape))

    def _remember(self, T: Array, F: Array, T0: Array, F0: Array) -> None:
        if self._moves.shape[1] != T.size:
            self._moves, self._changes = (np.empty((self.memory, T.size), dtype=T.dtype) for _ in range(2))
        row = self._known % self.memory
        np.subtract(F.ravel(), F0.ravel(), out=self._changes[row])
        np.subtract(T.ravel(), T0.ravel(), out=self._moves[row])
        self._moves[row] += self._changes[row]
        self._known += 1

    def _combined(self, F: Array) -> Array | None:
        """θ, or None where there is none."""
        if not self._known:
            return None
        changes = self._changes[: min(self._known, self.memory)]
        square, right = (changes @ changes.T).astype(np.float64), (changes @ F.ravel()).astype(np.float64)
        trace = float(np.trace(square))
        if not (0.0 < trace < np.inf and np.isfinite(square).all() and np.isfinite(right).all()):
            return None
        # of the trace of ΔFᵀΔF: what is added to its diagonal
        return np.asarray(np.linalg.solve(square / trace + 1e-8 * np.eye(len(right)), right / trace))


Function = Callable[[Array], tuple[float, Array]]

ENOUGH, FLATTER = 1e-4, 0.9  # what a step must do of what its slope promises, and how much flatter f must be after it
SHORTER, LONGEST = 0.1, 0.5  # of the step before, where that was too long
SAME = 1e-14  # of f: values that differ by less are the same
SHORTER_BY, PATIENCE = 0.7, 8  # there: times the shortest gradient is progress, and iterations without any end the descent


class Reached(NamedTuple):
    """A point, its value and its gradient."""

    x: Array
    value: float
    slope: Array


def descend(function: Function, at: Reached, iterations: int, flat: float, slow: float, steep: float = 1.0) -> Reached:
    """L-BFGS until f falls by ``flat`` of its size, or ``slow`` of all its fall with a gradient ``steep`` times the first."""
    first, moves, small = at.value, _Moves(), steep * float(np.linalg.norm(at.slope))
    last, shortest, waited = at, np.inf, 0  # the point to return, and its gradient's length since values are the same
    for _ in range(iterations):
        found = _search(function, at, moves.step(at.slope))
        if found is None:
            break
        moves.add(found.x - at.x, found.slope - at.slope)
        fall, at, length = at.value - found.value, found, float(np.linalg.norm(found.slope))
        same = fall <= flat * abs(at.value)
        if not same or length < SHORTER_BY * shortest:
            last, shortest, waited = at, length if same else np.inf, 0
        else:
            waited += 1
        tired = (same or fall <= slow * (first - at.value)) and length <= small
        if tired or waited >= PATIENCE:
            break
    return last


class _Moves:
    """The last moves s and the changes y of the gradient, which estimate the inverse Hessian H."""

    def __init__(self) -> None:
        self.kept: deque[tuple[Array, Array, float]] = deque(maxlen=MEMORY)

    def add(self, s: Array, y: Array) -> None:
        """Keep a move, unless f is not convex along it."""
        bent = float(s.dot(y))
        # a move whose change of the gradient is less along it says nothing of the curvature
        if bent > 1e-12 * float(np.linalg.norm(s)) * float(np.linalg.norm(y)):
            self.kept.append((s, y, bent))

    def step(self, g: Array) -> Array:
        """−Hg, by the recursion over the moves and back."""
        out, shares = -g, []
        for s, y, bent in reversed(self.kept):
            shares.append(float(s.dot(out)) / bent)
            out = out - shares[-1] * y
        if self.kept:
            _, y, bent = self.kept[-1]
            out *= bent / float(y.dot(y))
        for s, y, bent in self.kept:
            out += (shares.pop() - float(y.dot(out)) / bent) * s
        return out


def _search(function: Function, at: Reached, step: Array) -> Reached | None:
    """A point along the step that is enough lower, and where f is flatter; None where nothing is lower."""
    slope, t, best = float(at.slope.dot(step)), 1.0, None
    if not slope < 0.0:
        return None
    for _ in range(12):  # of a line search
        x = at.x + step.dtype.type(t) * step
        value, g = function(x)
        after = float(g.dot(step))
        same = best is None and abs(value - at.value) <= SAME * abs(value)
        if same and FLATTER * slope <= after <= (2.0 * ENOUGH - 1.0) * slope:
            return Reached(x, value, g)
        if value <= at.value + ENOUGH * t * slope and (best is None or value < best.value):
            best = Reached(x, value, g)
            if after >= FLATTER * slope:
                break
            t *= 4.0  # by how much a step grows that is too short
        elif best is not None:  # the longer step was too long
            break
        else:
            excess = value - at.value - t * slope  # of the parabola through what is known, the lowest point
            part = -0.5 * t * slope / excess if np.isfinite(excess) and excess > 0.0 else SHORTER
            t *= min(max(part, SHORTER), LONGEST)
    return best


Product = Callable[[Array, "Array | None"], Array]

SHIFT = 0.5  # times the mean of the eigenvalues of K: the ρ with which steps are few
SEVERAL = 8  # systems that are solved with a factorisation; where there are more, (K + ρ)⁻¹ is made


class Form(NamedTuple):
    """A quadratic in units in which ρ and the radius are 1: B, H(A Vᵀ), or HA if V is None, and the W with (H + 1)W = R."""

    B: Array
    product: Product
    solve: Callable[[Array], Array]


class Lasting(NamedTuple):
    """The form for many steps, of QᵀW in the place of W; Q is orthogonal, or None for the identity."""

    form: Form
    Q: Array | None


class MatrixEquations:
    """A quadratic. ``unit`` is ρ, of the size of the eigenvalues of H, or 0 where that is not positive and finite.

    ``basis``, if there is one, has orthonormal columns: f(basis·W) is the quadratic of W. ``single`` is the same in float32.
    """

    basis: Array | None = None
    unit: Any
    single: Any

    def form(self, radius: float) -> Form:
        raise NotImplementedError

    def lasting(self, radius: float) -> Lasting:
        """Return the form for many steps: as it is."""
        return Lasting(self.form(radius), None)


def _lapack(name: str, dtype: Any) -> Any:
    """The routine of SciPy's LAPACK for a precision."""
    from greedyhull.kernels import lapack

    return getattr(lapack, ("s" if dtype == np.float32 else "d") + name)


def _factored(K: Array, rho: float) -> Array:
    """The Cholesky factor of K + ρI, in the lower triangle."""
    shifted = K.copy()
    shifted[np.diag_indices_from(shifted)] += rho
    return np.asarray(_lapack("potrf", K.dtype)(shifted.T, lower=1, clean=0, overwrite_a=1)[0])


class NormalEquations(MatrixEquations):
    """HW = KW, K semidefinite. ``make`` computes K in a precision when it is needed: in float32 that takes half the time."""

    def __init__(self, make: Callable[[Any], Array], B: Array, basis: Array | None = None) -> None:
        self._make, self.B, self.basis = make, B, basis

    @cached_property
    def K(self) -> Array:
        with np.errstate(all="ignore"):
            return self._make(self.B.dtype)

    @cached_property
    def unit(self) -> float:
        with np.errstate(all="ignore"):
            rho = SHIFT * float(np.trace(self.K, dtype=np.float64)) / len(self.K)
        return rho if sound(rho, self.K, self.B) else 0.0

    @cached_property
    def single(self) -> NormalEquations:
        with np.errstate(all="ignore"):
            return NormalEquations(self._make, self.B.astype(np.float32), self.basis)

    def form(self, radius: float) -> Form:
        """With one factorisation of K + ρI, then with its inverse, if many systems are solved."""
        K, rho, solved, substitute = self.K, self.B.dtype.type(self.unit), count(), _lapack("potrs", self.B.dtype)

        def solve(R: Array) -> Array:
            # columns at least for that: fewer take no longer with the factorisation
            many = next(solved) >= SEVERAL and R.shape[1] >= 16
            if many:
                return np.asarray(rho * products.product(self._inverse, R))
            return np.asarray(rho * substitute(self._factor, R, lower=1)[0])

        def product(A: Array, V: Array | None) -> Array:
            KA: Array = products.product(K, A) / rho
            return KA if V is None else KA @ V.T

        return Form(shared(self.B, self.unit, radius), product, solve)

    @cached_property
    def _factor(self) -> Array:
        return _factored(self.K, self.unit)

    @cached_property
    def _inverse(self) -> Array:
        lower = np.tril(_lapack("potri", self.B.dtype)(self._factor, lower=1)[0])
        return np.asarray(lower + np.tril(lower, -1).T)

    @cached_property
    def _diagonal(self) -> tuple[Array, Array]:
        values, Q = np.linalg.eigh(self.K)
        return np.maximum(values, 0.0), Q

    def lasting(self, radius: float) -> Lasting:
        """In the basis of the eigenvectors of K, where H divides and multiplies rows."""
        values, Q = self._diagonal
        column = (values / self.unit)[:, None]

        def product(A: Array, V: Array | None) -> Array:
            return column * A if V is None else (column * A) @ V.T

        return Lasting(Form(Q.T @ shared(self.B, self.unit, radius), product, lambda R: R / (column + 1.0)), Q)


class EntryEquations(MatrixEquations):
    """HW = H ∘ W, H ≥ 0. ``make`` computes H and B in a precision when they are needed."""

    def __init__(self, make: Callable[[Any], tuple[Array, Array]], dtype: Any = np.float64) -> None:
        self._make, self._dtype = make, np.dtype(dtype)

    @cached_property
    def _arrays(self) -> tuple[Array, Array]:
        with np.errstate(all="ignore"):
            return self._make(self._dtype)

    @cached_property
    def unit(self) -> float:
        H, B = self._arrays
        with np.errstate(all="ignore"):
            mean = float(H.mean(dtype=np.float64))
        return mean if sound(mean, H, B) else 0.0

    @cached_property
    def single(self) -> EntryEquations:
        return EntryEquations(self._make, np.float32)

    def form(self, radius: float) -> Form:
        """With one division an entry."""
        H, B = self._arrays
        each = H / H.dtype.type(self.unit)
        share = 1.0 / (each + H.dtype.type(1.0))

        def product(A: Array, V: Array | None) -> Array:
            return np.asarray(each * (A if V is None else A @ V.T))

        return Form(shared(B, self.unit, radius), product, lambda R: share * R)


def shared(B: Array, unit: float, radius: float) -> Array:
    """B in units in which ρ and the radius are 1."""
    return np.asarray(B / B.dtype.type(unit) / B.dtype.type(radius))


def sound(mean: float, *arrays: Array) -> bool:
    """Whether a unit is positive and all else finite."""
    return 0.0 < mean < np.inf and all(bool(np.isfinite(part).all()) for part in arrays)


class LocalModel:
    """The Hessian at a point, of matrices column by column, which ``make`` computes in a precision when it is needed."""

    def __init__(self, make: Callable[[Any], Array]) -> None:
        self._make = make
        self._known: dict[Any, Array] = {}
        self._factors: dict[Any, Array] = {}

    def hessian(self, dtype: Any) -> Array:
        if dtype not in self._known:
            with np.errstate(all="ignore"):
                self._known[dtype] = self._make(dtype)
        return self._known[dtype]

    def unit(self, dtype: Any) -> float:
        """The mean of the eigenvalues of H, or 0 where that is not positive and finite."""
        H = self.hessian(dtype)
        with np.errstate(all="ignore"):
            mean = float(np.trace(H, dtype=np.float64)) / len(H)
        return mean if sound(mean, H) else 0.0

    def factor(self, dtype: Any, rho: float) -> Array:
        """The Cholesky factor of H + ρI, in the lower triangle."""
        if (dtype, rho) not in self._factors:
            self._factors[dtype, rho] = _factored(self.hessian(dtype), rho)
        return self._factors[dtype, rho]

    def at(self, x: Array, g: Array, share: float = 1.0) -> HessianEquations:
        """The model around x, where the gradient is g; in the precision of x. ρ is a share of the mean of the eigenvalues."""
        with np.errstate(all="ignore"):
            return HessianEquations(self, np.asarray(_times(self.hessian(x.dtype), x) - g, dtype=x.dtype), share)


class HessianEquations(MatrixEquations):
    """½⟨W, HW⟩ − ⟨B, W⟩ with any symmetric H."""

    def __init__(self, model: LocalModel, B: Array, share: float = 1.0) -> None:
        self.model, self.B, self.share = model, B, share

    @property
    def unit(self) -> float:
        rho = self.share * self.model.unit(self.B.dtype)
        return rho if sound(rho, self.B) else 0.0

    @property
    def single(self) -> HessianEquations:
        return HessianEquations(self.model, self.B.astype(np.float32), self.share)

    def form(self, radius: float) -> Form:
        """With one factorisation of H + ρI."""
        H, unit, shape = self.model.hessian(self.B.dtype), self.unit, self.B.shape
        rho = self.B.dtype.type(unit)
        substitute = _lapack("potrs", self.B.dtype)

        def product(A: Array, V: Array | None) -> Array:
            return np.asarray(_times(H, A if V is None else A @ V.T) / rho)

        def solve(R: Array) -> Array:
            flat = rho * substitute(self.model.factor(self.B.dtype, unit), R.T.ravel(), lower=1)[0]
            return np.asarray(flat.reshape(shape[::-1]).T)

        return Form(shared(self.B, unit, radius), product, solve)


def _times(H: Array, W: Array) -> Array:
    return np.asarray((H @ W.T.ravel()).reshape(W.shape[::-1]).T)
