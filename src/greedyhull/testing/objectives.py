"""check_objective and check_design: is f, or a design, what it states?"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any

import numpy as np

from greedyhull.errors import GreedyhullError
from greedyhull.points.arrays import column, columns, combine, dense, energies, gram
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.gradients import as_array
from greedyhull.points.iterate import Iterate
from greedyhull.testing.expect import expect, locked, mixture
from greedyhull.types import Array, AtomSet, Objective, bilinear, imaged


def check_line(line: Any, h: Callable[[float], float], *, what: str, noise: float = 1e-10, derivative: bool = True) -> None:
    """A line's value, slope, derivative, argmin, bend and limit are those of ``h``, which is convex on [0, max_step].

    The slope of a convex h lies between its differences to the left and to the right, so nothing here is a matter of
    tolerance but for the ``noise`` in the values of h.
    """
    top = min(line.max_step, 0.999 * line.limit if np.isfinite(line.limit) else np.inf, 1e3)
    expect(line.max_step >= 0 and line.limit > 0, f"{what}: max_step is {line.max_step} and limit {line.limit}.")
    if top == 0.0:
        return
    steps = np.linspace(0.0, top, 9)
    values = np.array([h(float(s)) for s in steps])
    size = float(np.abs(values).max()) + 1e-300
    off = max(abs(line.value(float(s)) - v) for s, v in zip(steps, values, strict=True))
    expect(off <= noise * size, f"{what}: the line's values are off by {off:.3g}.")
    seen = line.probe(steps)
    expect(np.allclose(seen.values, values, rtol=0, atol=noise * size), f"{what}: probe(steps) does not tell the values.")
    told = np.array([line.derivative(float(s)) for s in steps])
    expect(np.allclose(seen.slopes, told, rtol=1e-9, atol=0), f"{what}: probe(steps) does not tell the derivatives.")
    rises = np.diff(values) / np.diff(steps)
    wobble = 4 * noise * size / (steps[1] - steps[0])
    expect(np.all(np.diff(rises) >= -wobble), f"{what}: h is not convex along the line; its rises are {rises}.")
    if derivative:
        _check_derivative(line, h, top, what, noise * size)
    _check_bend(line, h, steps, what, noise * size)
    step = line.argmin()
    expect(0.0 <= step <= line.max_step and step < line.limit, f"{what}: argmin() is {step}, outside [0, {line.max_step}] "
                                                               f"or not below the limit {line.limit}.")
    expect(h(step) <= values.min() + noise * size, f"{what}: argmin() = {step} has h = {h(step)}, but h = {values.min()} at "
                                                   f"{steps[int(values.argmin())]}.")


def _check_derivative(line: Any, h: Callable[[float], float], top: float, what: str, noise: float) -> None:
    """Slope and derivative lie between the differences to both sides."""
    delta = 1e-5 * top
    for s in (0.0, 0.3 * top, 0.7 * top):
        told = line.slope if s == 0.0 else line.derivative(s)
        right = (h(s + delta) - h(s)) / delta
        slack = 2e-6 * (abs(right) + abs(told)) + 4 * noise / delta
        expect(told <= right + slack,
               f"{what}: the derivative at step {s:.3g} is {told:.8g}, but h rises by {right:.8g} after it.")
        if s > 0.0:
            left = (h(s) - h(s - delta)) / delta
            expect(told >= left - slack,
                   f"{what}: the derivative at step {s:.3g} is {told:.8g}, but h rises by {left:.8g} before it.")
    expect(abs(line.derivative(0.0) - line.slope) <= 1e-9 * (abs(line.slope) + abs(line.derivative(top)) + 1e-300),
           f"{what}: slope is {line.slope:.12g} but derivative(0) is {line.derivative(0.0):.12g}.")


def _check_bend(line: Any, h: Callable[[float], float], steps: Any, what: str, noise: float) -> None:
    """h(η) ≤ h(0) + ηh'(0) + bend·η²/2 on the whole segment, which is what short steps rest on."""
    bend = line.bend
    expect(bend >= 0.0, f"{what}: bend is {bend}; a bound on h'' is wanted, or infinity.")
    if not np.isfinite(bend):
        return
    for s in steps[1:]:
        model = h(0.0) + s * line.slope + 0.5 * bend * s * s
        expect(h(float(s)) <= model + 8 * noise + 1e-9 * abs(model),
               f"{what}: with bend {bend:.6g}, h({s:.3g}) should be at most {model:.10g} and is {h(float(s)):.10g}.")
    rises = [line.derivative(float(s)) for s in steps]
    steepest = float((np.diff(rises) / np.diff(steps)).max())
    expect(steepest <= bend * (1 + 1e-6) + 8 * noise / float(steps[1]),
           f"{what}: h' rises at a rate of {steepest:.8g}, above the bend {bend:.8g}.")


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
    given = np.stack([np.asarray(A.matvec(e)) for e in units], axis=1) if matrix is None else dense(matrix)
    X = given.astype(np.float64)
    expect(X.shape == (A.n, d), f"{A!r} says it is {A.n}x{d}, but its matrix has shape {X.shape}.")
    trial, P = _DesignTrial(A, X, rng), A.precise()
    trial.check_products()
    trial.check_gram()
    trial.check_rows()
    expect(P.dtype == np.float64, f"precise() of {A!r} is {P.dtype}; float64 is wanted.")
    expect(P.n == A.n and P.domain == A.domain, f"precise() of {A!r} has another size.")
    if P is not A:  # right to its last digits
        _DesignTrial(P, X, rng).check_products()
        _DesignTrial(P, X, rng).check_gram()
    trial.check_factors()


class _DesignTrial:
    def __init__(self, A: Any, X: Array, rng: np.random.Generator) -> None:
        self.A, self.X = A, X
        self.rng: Any = rng
        self.tol = (1e-4 if A.dtype == np.float32 else 1e-11) * (float(np.abs(X).sum()) + 1e-300)

    def same(self, got: Any, wanted: Array, what: str, *, keeps: bool = True, scale: float = 1.0) -> None:
        """``got`` equals ``wanted`` up to rounding times ``scale`` and, if it ``keeps`` it, has the design's dtype."""
        got = dense(got)
        expect(got.shape == wanted.shape, f"{what} of {self.A!r} has shape {got.shape}; {wanted.shape} is wanted.")
        off = float(np.abs(got - wanted).max()) if wanted.size else 0.0
        expect(off <= scale * self.tol, f"{what} of {self.A!r} is off by {off:.3g}.")
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
        kept = dense(Z).copy(), dense(Z2).copy()
        weights = locked(rng.random(n).astype(A.dtype))
        for got, wanted, what in (
                (gram(A, Z), X[:, one].T @ X[:, one], "gram(Z)"), (gram(A, Z, Z2), X[:, one].T @ X[:, two], "gram(Z, Z2)"),
                (gram(A, Z, Z2, weights), (X[:, one].T * weights) @ X[:, two], "gram(Z, Z2, weights)"),
                (gram(A, Z, None, weights), (X[:, one].T * weights) @ X[:, one], "gram(Z, None, weights)"),
                (energies(A, 1.0), (X**2).sum(axis=0), "energies(1)"),
                (energies(A, weights), weights.astype(np.float64) @ X**2, "energies(weights)")):
            self.same(got, wanted, what, keeps=False, scale=float(np.abs(X).max() + 1.0))
        expect(np.array_equal(dense(Z), kept[0]) and np.array_equal(dense(Z2), kept[1]),
               f"gram of {A!r} changed its arguments.")
        for i, (got, wanted) in enumerate(zip(A.extremes(), (X.min(axis=1), X.max(axis=1)), strict=True) if A.stored else ()):
            self.same(got, wanted, f"extremes()[{i}]", keeps=False)
        if A.frobenius is not None:
            expect(abs(A.frobenius - np.linalg.norm(X)) <= 1e-5 * np.linalg.norm(X), f"frobenius of {A!r} is {A.frobenius}.")

    def check_rows(self) -> None:
        A, X = self.A, self.X
        index = self.rng.integers(X.shape[0], size=4)
        part = A.rows(index)
        expect(part.n == 4 and part.domain == A.domain and part.dtype == A.dtype, f"rows of {A!r} make {part!r}.")
        w = self.rng.standard_normal(A.domain)
        self.same(part.matvec(w), X[index] @ w.ravel(), "rows(index).matvec(w)")

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
            about, scale = f"with {m} columns", (p + q) * m
            self.same(A.bilinear(U, V, c), self.X @ ((U * c) @ V.T).ravel(), f"bilinear(U, V, c) {about}", scale=scale)
            wanted = [float(r @ self.X @ np.outer(u, v).ravel()) for u, v in zip(U.T, V.T, strict=True)]
            self.same(A.factored(r, U, V), np.array(wanted), f"factored(r, U, V) {about}", keeps=False, scale=scale)


def check_objective(
    f: Objective, S: AtomSet, *, value: Callable[[Array], float] | None = None, noise: float = 1e-10, seed: int = 0
) -> None:
    """Check an objective on the hull of S, against the formula ``value`` on arrays if one is given.

    >>> import greedyhull as gh
    >>> check_objective(gh.quadratic(np.eye(3)), gh.Simplex(3), value=lambda x: 0.5 * x @ x)
    """
    expect(f.domain == S.shape, f"{f!r} takes points of shape {f.domain}, {S!r} holds those of shape {S.shape}.")
    rng = np.random.default_rng(seed)
    base = f.start(S, rng)
    expect(np.isfinite(f.value(base)) and S.contains(base), f"{f!r} starts at a point outside {S!r} or of infinite value.")
    if not base.keeps_atoms:
        base = Iterate.at(S.start(rng), S.shape)
    for _ in range(3):
        w = mixture(S, rng, atoms=3, w=base)
        _check_point(f, S, w, value, noise)
        _check_moves(f, S, w, rng, noise)
        _check_hessian(f, w)
    _check_curvature(f, S, base, rng)


def _check_point(f: Objective, S: AtomSet, w: Any, value: Callable[[Array], float] | None, noise: float) -> None:
    told, g = f.value(w), as_array(f.gradient(w))
    expect(np.isfinite(told), f"{f!r} is {told} inside {S!r}.")
    expect(g.shape == S.shape and np.isfinite(g).all(),
           f"The gradient of {f!r} has shape {g.shape} or entries that are not finite.")
    inner = float(np.vdot(g, w.array()))
    size = float(np.abs(g).ravel() @ np.abs(w.array()).ravel()) + abs(told)
    claimed = f.gradient_dot(w)
    expect(abs(claimed - inner) <= 1e-9 * (size + 1e-300), f"{f!r}: gradient_dot(w) is {claimed}, ⟨∇f(w), w⟩ is {inner}.")
    flat = f.value(CoordinateIterate(w.array()))
    expect(abs(flat - told) <= noise * (abs(told) + size),
           f"{f!r} has value {told} at atoms and weights, {flat} at their coordinates.")
    if value is not None:
        plain = float(value(w.array()))
        expect(abs(plain - told) <= noise * (abs(told) + size), f"{f!r} has value {told}, its formula gives {plain}.")
    rounding = f.rounding(w, S)
    expect(0.0 <= rounding <= 1e-6 * (size + abs(f.gradient_dot(w)) + S.max_abs(np.abs(g)) + 1e-300) * np.prod(S.shape) + 1e-9,
           f"{f!r}: the rounding allowance is {rounding}.")


def _check_moves(f: Objective, S: AtomSet, w: Any, rng: np.random.Generator, noise: float) -> None:
    """Lines are honest in every kind of direction, and after the move the views are what they would be afresh."""
    oracle = S.oracle(rng)
    for kind in ("toward", "away", "pairwise", "toward", "pairwise"):
        g = f.gradient(w)
        d = oracle.argmin(rng.standard_normal(S.shape)).atom
        if kind == "toward" or len(w) < 2 or (kind == "away" and w.owners is not None):
            move = w.toward(d)
        else:
            move = w.away_from(w.worst(g)) if kind == "away" else w.between(w.worst(g), d)
        line = f.along(w, move)
        check_line(line, partial(_ahead, f, w, move), what=f"{f!r} {kind}", noise=noise)
        step = 0.4 * min(move.max_step, line.limit, 1.0)
        promised = line.value(step)
        w.move(move, step)
        fresh = w.copy()
        g = as_array(f.gradient(fresh))
        size = abs(f.value(fresh)) + float(np.abs(g).ravel() @ np.abs(fresh.array()).ravel()) + 1e-300
        expect(abs(promised - f.value(w)) <= noise * size,
               f"{f!r}: the line promised {promised} for a step that led to {f.value(w)}.")
        expect(abs(f.value(w) - f.value(fresh)) <= noise * size,
               f"{f!r}: after a move its value is {f.value(w)}, afresh {f.value(fresh)}.")
        off = float(np.abs(as_array(f.gradient(w)) - g).max())
        expect(off <= 1e-8 * (np.abs(g).max() + 1e-12), f"{f!r}: after a move its gradient is off by {off:.3g}.")


def _ahead(f: Objective, w: Any, move: Any, step: float) -> float:
    at = w.copy()
    at.move(move, min(step, move.max_step))
    return float(f.value(at))


def _check_hessian(f: Objective, w: Any) -> None:
    """⟨aᵢ, ∇²f(w) aⱼ⟩ by differences of the gradient, where f offers it."""
    if not f.traits.second_order:
        return
    with np.errstate(invalid="ignore", divide="ignore"):
        small = f.restricted(w.block.take(np.arange(len(w))))
        H = np.asarray(small.hessian(w))
    if not np.isfinite(H).all():
        return

    def scores(weights: Array) -> Array:
        at = Iterate(w.block.take(np.arange(len(w))), weights, w.shape)
        return np.asarray(at.block.dots(f.gradient(at)))

    h = 1e-5
    rows = [(scores((1.0 - h) * w.weights + h * unit) - scores((1.0 + h) * w.weights - h * unit)) / (2 * h)
            for unit in np.eye(len(w))]
    seen = np.stack(rows) + (w.weights @ H)[None, :]  # toward d is d − w
    off = float(np.abs(H - seen).max())
    expect(off <= 1e-3 * float(np.abs(H).max()) + 1e-7,
           f"{f!r}: the Hessian on its atoms is off by {off:.3g} from differences of the gradient.")
    seen_at_once = imaged(f)
    expect(seen_at_once is None or np.allclose(seen_at_once.hessian(w, w.block), H, rtol=1e-9, atol=1e-12),
           f"{f!r}: restricted(block) has another Hessian than hessian(w, block).")


def _check_curvature(f: Objective, S: AtomSet, base: Any, rng: np.random.Generator) -> None:
    """f(w + η(d − w)) ≤ f(w) + η⟨∇f, d − w⟩ + Mη²/2 wherever one looks; an objective may refuse to name M."""
    try:
        M = f.curvature(S)
    except GreedyhullError:
        return
    if not np.isfinite(float(M)):
        return
    oracle = S.oracle(rng)
    for eta in (0.01, 0.3, 1.0, 0.7, 0.1):
        w = mixture(S, rng, atoms=2, w=base)
        d = oracle.argmin(rng.standard_normal(S.shape)).atom
        slope = d.dot(f.gradient(w)) - f.gradient_dot(w)
        model = f.value(w) + eta * slope + 0.5 * float(M) * eta**2
        ahead = _ahead(f, w, w.toward(d), eta)
        expect(ahead <= model + 1e-10 * (abs(model) + abs(f.value(w)) + abs(slope)),
               f"{f!r} on {S!r} has {M!r}, but over a step {eta} f is {ahead} where the model allows {model}.")
