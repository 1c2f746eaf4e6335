"""A design that a user wrote, looked at once: every lower bound rests on its adjoint, and every allowance on its sizes."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import isfinite, prod
from numbers import Real
from typing import Any

import numpy as np

from greedyhull.errors import check
from greedyhull.points.columns import combine
from greedyhull.points.gradients import finite, inner
from greedyhull.points.lengths import length
from greedyhull.types import Array, Design, Gradient, Index, Shape
from greedyhull.types.kinds import bilinear, columned

OFF = 1e-5  # by which share ⟨Aw, r⟩ and ⟨w, Aᵀr⟩ may differ: single precision and long sums are no errors
FAR = 16.0  # ‖Aw‖ is about ‖A‖_F for random signs w; more than so many times as much is not by chance
NOTHING = 1e-300  # what may be left where products underflow
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
        check(known is None or length(z) <= FAR * known, lambda: f"frobenius of {_of(A)} is {known!r}, but ‖Aw‖ = "
              f"{length(z):.3g} for a random vector w of 1 and −1. It is to be ‖A‖_F, or None where that is not known.")
        if columned(A) is not None and isinstance(g, np.ndarray):
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
    check(abs(one - along) <= OFF * size + NOTHING, lambda: f"{called} of {_of(A)} does not agree with {other}: ⟨Aw, r⟩ = "
          f"{one:.10g} and ⟨w, Aᵀr⟩ = {along:.10g} for one pair. Every certificate rests on it; look at signs and scales.")


def _said(z: object) -> str:
    return f"an array of shape {z.shape}" if isinstance(z, np.ndarray) else f"a {type(z).__name__}"


def _of(A: object) -> str:
    """The design as it writes itself; a class that does not say how, by its name."""
    words = repr(A)
    return type(A).__name__ if " object at 0x" in words else words
