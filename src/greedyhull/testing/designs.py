"""check_design: is every product of a design that of its matrix?"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from greedyhull.points.arrays import dense
from greedyhull.points.columns import column, columns, combine, energies, gram
from greedyhull.points.gradients import as_array
from greedyhull.testing.expect import expect, locked
from greedyhull.types import Array
from greedyhull.types.kinds import bilinear


def check_design(A: Any, matrix: Any = None, *, seed: int = 0) -> None:
    """Check a design against its matrix: ``matrix``, or what its own `matvec` makes of unit vectors.

    Points that are matrices count as vectors in C order. A design that takes factors is asked for these too.

    >>> from greedyhull.objectives.designs import design
    >>> X = np.arange(6.0).reshape(3, 2)
    >>> check_design(design(X), X)
    """
    rng = np.random.default_rng(seed)
    d = prod(A.domain)
    units = np.eye(d).reshape(d, *A.domain)
    given = np.stack([np.asarray(A.matvec(e)) for e in units], axis=1) if matrix is None else _dense(matrix)
    X = given.astype(np.float64)
    expect(X.shape == (A.n, d), f"{A!r} says it is {A.n}x{d}, but its matrix has shape {X.shape}.")
    trial = _Trial(A, X, rng)
    trial.check_products()
    trial.check_columns()
    trial.check_gram()
    trial.check_rows()
    trial.check_precise()
    trial.check_factors()


def _dense(X: Any) -> Array:
    return dense(X)


class _Trial:
    def __init__(self, A: Any, X: Array, rng: np.random.Generator) -> None:
        self.A, self.X = A, X
        self.rng: Any = rng
        self.single = A.dtype == np.float32
        self.tol = (1e-4 if self.single else 1e-11) * (float(np.abs(X).sum()) + 1e-300)

    def same(self, got: Any, wanted: Array, what: str, *, keeps: bool = True) -> None:
        """``got`` equals ``wanted`` up to rounding and, if it ``keeps`` it, has the design's dtype."""
        got = _dense(got)
        expect(got.shape == wanted.shape, f"{what} of {self.A!r} has shape {got.shape}; {wanted.shape} is wanted.")
        off = float(np.abs(got - wanted).max()) if wanted.size else 0.0
        expect(off <= self.tol, f"{what} of {self.A!r} is off by {off:.3g}.")
        expect(not keeps or got.dtype == self.A.dtype, f"{what} of {self.A!r} is {got.dtype}; the data are {self.A.dtype}.")

    def check_products(self) -> None:
        A, X, rng = self.A, self.X, self.rng
        w = locked(rng.standard_normal(A.domain))
        r = locked(rng.standard_normal(X.shape[0]).astype(A.dtype))
        self.same(A.matvec(w), X @ w.ravel(), "matvec(w)")
        g = as_array(A.adjoint(r), A.domain)
        self.same(g, (X.T @ r).reshape(A.domain), "adjoint(r)")
        left, right = float(r @ A.matvec(w)), float(np.vdot(g, w))
        expect(abs(left - right) <= self.tol * float(np.abs(r).max() + np.abs(w).max()),
               f"{A!r}: ⟨r, Aw⟩ = {left} but ⟨Aᵀr, w⟩ = {right}; its adjoint is not its adjoint.")

    def check_columns(self) -> None:
        A, X, rng = self.A, self.X, self.rng
        d = X.shape[1]
        for j in rng.integers(d, size=5):
            self.same(column(A, int(j)), X[:, j], f"column({j})")
        for m in (1, min(3, d), d):  # few columns and many may go different ways
            index, c = rng.permutation(d)[:m], rng.standard_normal(m)
            self.same(columns(A, index, locked(c)), X[:, index] * c, "columns(index, scales)")
            self.same(combine(A, index, locked(c)), X[:, index] @ c, "combine(index, c)")
        twice = np.array([0, d - 1, 0])
        self.same(combine(A, twice, locked(np.array([1.0, 2.0, -3.0]))), -2.0 * X[:, 0] + 2.0 * X[:, d - 1],
                  "combine(index, c) with an index twice")

    def check_gram(self) -> None:
        A, X, rng = self.A, self.X, self.rng
        n, d = X.shape
        one, two = rng.permutation(d)[: min(3, d)], rng.permutation(d)[: min(2, d)]
        Z, Z2 = columns(A, one, np.ones(len(one))), columns(A, two, np.ones(len(two)))
        kept = _dense(Z).copy(), _dense(Z2).copy()
        weights = locked(rng.random(n).astype(A.dtype))
        size, self.tol = self.tol, self.tol * float(np.abs(X).max() + 1.0)
        self.same(gram(A, Z), X[:, one].T @ X[:, one], "gram(Z)", keeps=False)
        self.same(gram(A, Z, Z2), X[:, one].T @ X[:, two], "gram(Z, Z2)", keeps=False)
        self.same(gram(A, Z, Z2, weights), (X[:, one].T * weights) @ X[:, two], "gram(Z, Z2, weights)", keeps=False)
        self.same(gram(A, Z, None, weights), (X[:, one].T * weights) @ X[:, one], "gram(Z, None, weights)", keeps=False)
        expect(
            np.array_equal(_dense(Z), kept[0]) and np.array_equal(_dense(Z2), kept[1]), f"gram of {A!r} changed its arguments."
        )
        self.same(energies(A, 1.0), (X**2).sum(axis=0), "energies(1)", keeps=False)
        self.same(energies(A, weights), weights.astype(np.float64) @ X**2, "energies(weights)", keeps=False)
        self.tol = size
        if A.stored:
            low, high = A.extremes()
            self.same(low, X.min(axis=1), "extremes()[0]", keeps=False)
            self.same(high, X.max(axis=1), "extremes()[1]", keeps=False)
        if A.frobenius is not None:
            expect(abs(A.frobenius - np.linalg.norm(X)) <= 1e-5 * np.linalg.norm(X), f"frobenius of {A!r} is {A.frobenius}.")

    def check_rows(self) -> None:
        A, X = self.A, self.X
        index = self.rng.integers(X.shape[0], size=4)
        part = A.rows(index)
        expect(part.n == 4 and part.domain == A.domain and part.dtype == A.dtype, f"rows of {A!r} make {part!r}.")
        w = self.rng.standard_normal(A.domain)
        self.same(part.matvec(w), X[index] @ w.ravel(), "rows(index).matvec(w)")

    def check_precise(self) -> None:
        """float64 again, and right to its last digits."""
        P = self.A.precise()
        expect(P.dtype == np.float64, f"precise() of {self.A!r} is {P.dtype}; float64 is wanted.")
        expect(P.n == self.A.n and P.domain == self.A.domain, f"precise() of {self.A!r} has another size.")
        w, r = self.rng.standard_normal(self.A.domain), self.rng.standard_normal(self.X.shape[0])
        c = self.rng.standard_normal(1)
        tight, self.tol = self.tol, 1e-11 * (float(np.abs(self.X).sum()) + 1e-300)
        self.same(P.matvec(w), self.X @ w.ravel(), "precise().matvec(w)", keeps=False)
        self.same(as_array(P.adjoint(r), P.domain), (self.X.T @ r).reshape(P.domain), "precise().adjoint(r)", keeps=False)
        self.same(column(P, 0), self.X[:, 0], "precise().column(0)", keeps=False)
        self.same(combine(P, np.array([0]), c), self.X[:, 0] * c, "precise().combine(index, c)", keeps=False)
        self.same(energies(P, 1.0), (self.X**2).sum(axis=0), "precise().energies(1)", keeps=False)
        self.tol = tight

    def check_factors(self) -> None:
        """A(U diag(c) Vᵀ) and ⟨Aᵀr, uₖvₖᵀ⟩ are those of the matrices written out."""
        A = bilinear(self.A)
        if A is None:
            return
        expect(len(A.domain) == 2, f"{A!r} takes factors, but its points have shape {A.domain}; matrices are wanted.")
        p, q = A.domain
        r = locked(self.rng.standard_normal(A.n))
        for m in (1, 3):
            U, V, c = (locked(self.rng.standard_normal(shape)) for shape in ((p, m), (q, m), (m,)))
            kept, self.tol = self.tol, self.tol * (p + q) * m
            self.same(A.bilinear(U, V, c), self.X @ ((U * c) @ V.T).ravel(), f"bilinear(U, V, c) with {m} columns")
            wanted = [float(r @ self.X @ np.outer(u, v).ravel()) for u, v in zip(U.T, V.T, strict=True)]
            self.same(A.factored(r, U, V), np.array(wanted), f"factored(r, U, V) with {m} columns", keeps=False)
            self.tol = kept
