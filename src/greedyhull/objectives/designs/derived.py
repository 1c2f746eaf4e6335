"""Designs made from others: centred rows, factors of a quadratic, a user's design that is checked."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import isfinite, prod
from numbers import Real
from typing import Any

import numpy as np

from greedyhull.errors import check
from greedyhull.objectives.designs.stored import Design, ScaledColumns, weighted_gram
from greedyhull.points.arrays import column, columns, combine, dense, energies, gram, length
from greedyhull.points.gradients import finite, inner
from greedyhull.types import Array, Gradient, Index, Shape, bilinear


class CentredDesign(Design):
    """A − 1cᵀ for a design A and a row c."""

    def __init__(self, base: Design, centre: Array) -> None:
        self.base, self.centre = base, centre
        self.n, self.domain, self.dtype = base.n, base.domain, base.dtype

    def matvec(self, w: Array) -> Array:
        return np.asarray(self.base.matvec(w) - self.dtype.type(self.centre.dot(w)))

    def adjoint(self, r: Array) -> Array:
        return np.asarray(self.base.adjoint(r) - r.sum() * self.centre)

    def column(self, j: int) -> Array:
        return np.asarray(column(self.base, j) - self.dtype.type(self.centre[j]))

    def columns(self, index: Index, scales: Array) -> Array:
        Z = columns(self.base, index, scales)
        return np.asarray(dense(Z) - (self.centre[index] * scales).astype(self.dtype))

    def combine(self, index: Index, c: Array) -> Array:
        return np.asarray(combine(self.base, index, c) - self.dtype.type(self.centre[index].dot(c)))

    def gram(self, Z: Array, Z2: Array | None = None, weights: Array | None = None) -> Array:
        return weighted_gram(Z, Z2, weights)

    def energies(self, weights: Array | float) -> Array:
        """Σᵢ weightsᵢ (aᵢⱼ − cⱼ)² for every column j."""
        p = np.broadcast_to(np.asarray(weights, dtype=np.float64), self.n)
        mixed = self.base.adjoint(p.astype(self.dtype)).astype(np.float64)
        squares = energies(self.base, p) + self.centre * (float(p.sum()) * self.centre - 2.0 * mixed)
        return np.asarray(np.maximum(squares, 0.0))

    def rows(self, index: Index) -> CentredDesign:
        return CentredDesign(self.base.rows(index), self.centre)

    def precise(self) -> CentredDesign:
        return CentredDesign(self.base.precise(), self.centre)


CHUNK = 256  # columns of Q that are written out at once


class FactoredDesign(Design):
    """A = FᵀF + diag(D), for a design F with k rows and a vector D of numbers of at least 0."""

    has_columns = True

    def __init__(self, F: Design, D: Array) -> None:
        self.F, self.D, self.domain, self.n, self.dtype = F, D, F.domain, len(D), np.dtype(np.float64)

    def __repr__(self) -> str:
        return f"FactoredDesign({self.n}x{self.n}, {self.F.n} factors)"

    def matvec(self, w: Array) -> Array:
        return np.asarray(self.F.adjoint(self.F.matvec(w)) + self.D * w)

    def adjoint(self, r: Array) -> Array:
        return self.matvec(r)

    def column(self, j: int) -> Array:
        return self.combine(np.array([j]), np.ones(1))

    def columns(self, index: Index, scales: Array) -> FactoredColumns:
        """The scaled columns, by their factors."""
        return FactoredColumns(self, index, np.asarray(scales, dtype=np.float64))

    def combine(self, index: Index, c: Array) -> Array:
        z = np.asarray(self.F.adjoint(combine(self.F, index, c)))
        np.add.at(z, index, self.D[index] * c)
        return z

    def diagonal(self) -> Array:
        """The diagonal of Q."""
        return np.asarray(energies(self.F, 1.0)) + self.D

    def energies(self, weights: Array | float) -> Array:
        """Σᵢ weightsᵢ Q²ᵢⱼ for every column j, some columns at a time."""
        out, w = np.empty(self.n), np.broadcast_to(np.asarray(weights, dtype=np.float64), self.n)
        for first in range(0, self.n, CHUNK):
            index = np.arange(first, min(first + CHUNK, self.n))
            out[index] = w @ self.columns(index, np.ones(len(index))).toarray() ** 2
        return out

    def gram(self, Z: Any, Z2: Any = None, weights: Array | None = None) -> Array:
        return weighted_gram(Z, Z2, weights)

    def block(self, rows: Index, cols: Index) -> Array:
        """Q at these rows and columns."""
        left, right = columns(self.F, rows, np.ones(len(rows))), None
        if rows is not cols:
            right = columns(self.F, cols, np.ones(len(cols)))
        found = gram(self.F, left, right)
        if right is None:
            found.flat[:: len(rows) + 1] += self.D[rows]
            return found
        i, j = (rows[:, None] == cols).nonzero()
        found[i, j] += self.D[rows[i]]
        return found


class FactoredColumns(ScaledColumns):
    """Some columns of Q, scaled, by their numbers."""

    def scores(self, r: Array) -> Array:
        return np.asarray(self.toarray().T @ r)

    def toarray(self) -> Array:
        images = dense(columns(self.design.F, self.index, self.scales))
        out = np.stack([np.asarray(self.design.F.adjoint(z)) for z in images.T], axis=1) if len(self.index) else np.zeros(
            self.shape)
        np.add.at(out, (self.index, np.arange(len(self.index))), self.design.D[self.index] * self.scales)
        return out


COLUMNS = 4  # columns that are compared with the adjoint
KEPT = 10_000  # numbers, at most, that are kept for the next design of the same sizes


def inspected(A: Design) -> Design:
    """A itself, after two products with it and two with its adjoint: shapes, dtypes, new arrays, ⟨Aw, r⟩ = ⟨w, Aᵀr⟩."""
    _check_sizes(A)
    size = prod(A.domain)
    r, j, c = (_tried if A.n <= KEPT else _tried.__wrapped__)(A.n, size, np.dtype(A.dtype))
    with np.errstate(all="ignore"):
        g = _product(A, A.adjoint, "adjoint(r)", r)
        if isinstance(g, np.ndarray):
            _check_array(A, g, "adjoint(r)", A.domain)
        z, along = _pair(A, g, r)
        if not (np.isfinite(z).all() and isfinite(along) and finite(g)):
            return A  # its numbers overflow; a run says so where that happens
        _check_pair(A, z, r, along, "adjoint(r)")
        known = A.frobenius
        # ‖Aw‖ is about ‖A‖_F for random signs w; more than so many times as much is not by chance
        check(known is None or length(z) <= 16.0 * known, lambda: f"frobenius of {_of(A)} is {known!r}, but ‖Aw‖ = "
              f"{length(z):.3g} for a random vector w of 1 and −1. It is to be ‖A‖_F, or None where that is not known.")
        if A.has_columns and isinstance(g, np.ndarray):
            z = _check_array(A, combine(A, j.copy(), c.copy()), "combine(index, c)", (A.n,))
            _check_pair(A, z, r, float(g.ravel()[j].astype(np.float64).dot(c)), "combine(index, c)", "adjoint(r)")
    return A


@lru_cache(maxsize=8)
def _tried(n: int, size: int, dtype: np.dtype[Any]) -> tuple[Array, Index, Array]:
    """What every design of these sizes is tried with: a residual, a few columns and their coefficients."""
    rng = np.random.default_rng(0)
    return rng.standard_normal(n).astype(dtype), rng.integers(size, size=COLUMNS), rng.standard_normal(COLUMNS)


@lru_cache(maxsize=8)
def _signs(shape: Shape) -> Array:
    """Random numbers 1 and −1."""
    return np.random.default_rng(1).choice([-1.0, 1.0], shape)


def _check_sizes(A: Design) -> None:
    whole = isinstance(A.domain, tuple) and all(isinstance(k, (int, np.integer)) and k > 0 for k in (*A.domain, A.n))
    check(whole, lambda: f"{_of(A)} has domain={A.domain!r} and n={A.n!r}; a tuple of whole numbers, such as (d,), and the "
                         "whole number of rows are wanted, all at least 1.")
    single = A.dtype == np.float32
    check(single or A.dtype in (np.float64, float), lambda: f"{_of(A)} has dtype={A.dtype!r}; np.dtype(np.float32) or "
                                                            "np.dtype(np.float64) is wanted.")
    known = A.frobenius
    check(known is None or (isinstance(known, Real) and 0.0 <= known < np.inf), lambda: f"{_of(A)} has frobenius={known!r}; "
          "‖A‖_F, a finite number of at least 0, is wanted, or None where it is not known.")


def _pair(A: Design, g: Gradient, r: Array) -> tuple[Array, float]:
    """Aw for random signs w, and ⟨w, g⟩; of a map on matrices that takes factors, w has rank one and is never written out."""
    factors = bilinear(A)
    longest = prod(A.domain) if factors is None else max(A.domain)
    signs = _signs if longest <= KEPT else _signs.__wrapped__
    if factors is None:
        w = signs(A.domain)
        return _check_array(A, _product(A, A.matvec, "matvec(w)", w), "matvec(w)", (A.n,)), inner(g, w)
    u, v = signs((A.domain[0], 1)).copy(), signs((A.domain[1], 1))[::-1].copy()
    z = _check_array(A, factors.bilinear(u, v, np.ones(1)), "bilinear(U, V, c)", (A.n,))
    told = _check_array(A, factors.factored(r, u, v), "factored(r, U, V)", (1,))
    _check_pair(A, z, r, float(told[0]), "factored(r, U, V)", "bilinear(U, V, c)")
    product: Any = g
    return z, float(u[:, 0].dot(np.asarray(product @ v).ravel()))


def _product(A: Design, product: Callable[[Array], Any], called: str, x: Array) -> Any:
    """The product with x, which must leave x as it is, and be left as it is by the next product."""
    given = x.copy()
    found = product(given)
    check(np.array_equal(given, x), lambda: f"{called} of {_of(A)} writes on its argument. Work on a copy.")
    if isinstance(found, np.ndarray):
        kept = found.copy()
        product(-x)
        check(np.array_equal(found, kept, equal_nan=True), lambda: f"{called} of {_of(A)} writes on the array that it "
              "returned before. Return a new array each time.")
    return found


def _check_array(A: Design, z: Any, called: str, shape: tuple[int, ...]) -> Array:
    fits = isinstance(z, np.ndarray) and z.shape == shape
    check(fits, lambda: f"{called} of {_of(A)} returned {_said(z)}; an array of shape {shape} is wanted.")
    least = 4 if A.dtype == np.float32 else 8
    check(z.dtype.kind == "f" and z.dtype.itemsize >= least, lambda: f"{called} of {_of(A)} returned {z.dtype}, but its dtype "
          f"is {np.dtype(A.dtype)}: rounding would be more than a certificate allows for. Return {np.dtype(A.dtype)}.")
    return np.asarray(z)


def _check_pair(A: Design, z: Array, r: Array, along: float, called: str, other: str = "matvec(w)") -> None:
    one = float(z.astype(np.float64).dot(r))
    size = float(np.abs(z).astype(np.float64).dot(np.abs(r))) + abs(along)
    # by which share ⟨Aw, r⟩ and ⟨w, Aᵀr⟩ may differ: single precision and long sums are no errors
    # what may be left where products underflow
    check(abs(one - along) <= 1e-5 * size + 1e-300, lambda: f"{called} of {_of(A)} does not agree with {other}: ⟨Aw, r⟩ = "
          f"{one:.10g} and ⟨w, Aᵀr⟩ = {along:.10g} for one pair. Every certificate rests on it; look at signs and scales.")


def _said(z: object) -> str:
    return f"an array of shape {z.shape}" if isinstance(z, np.ndarray) else f"a {type(z).__name__}"


def _of(A: object) -> str:
    """The design as it writes itself; a class that does not say how, by its name."""
    words = repr(A)
    return type(A).__name__ if " object at 0x" in words else words
