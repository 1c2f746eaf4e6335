"""check_loss: is a loss convex, and do its derivatives, lines and bounds tell the truth?"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from greedyhull.objectives.losses.base import Separable
from greedyhull.objectives.losses.intercepts import Profiled
from greedyhull.testing.expect import expect, locked
from greedyhull.testing.objectives import check_line, check_objective
from greedyhull.types import Array, AtomSet, Loss, lacks


def check_loss(loss: Loss, *, low: float = -2.0, high: float = 2.0, targets: str = "real", seed: int = 0) -> None:
    """Check a loss φ(z) on images in [``low``, ``high``], or a factory ``make(X, y, ...)`` of objectives made from it.

    A factory is given ``targets`` that are "real", "labels", "counts" or "none" (then it is called without y); it is
    checked on the simplex and the l1 ball, with sample weights, with an intercept if it has one, and its loss alone.

    >>> import greedyhull as gh
    >>> check_loss(gh.least_squares)
    >>> check_loss(gh.logistic, targets="labels")
    """
    rng = np.random.default_rng(seed)
    if lacks(loss, "gradient"):
        return _check_factory(loss, low, high, targets, seed, rng)
    for _ in range(4):
        z, other = (locked(rng.uniform(low, high, loss.n)) for _ in range(2))
        _check_first(loss, z, other)
        _check_second(loss, z)
        _check_lines(loss, z, other, rng)
        _check_bounds(loss, z, other, rng)
        if not loss.smooth:  # lines are least at kinks
            for dz in (other - z, 3.0 * (z - other)):
                _check_first(loss, locked(z + loss.along(z, dz, 1.0).argmin() * dz), other)
    if not loss.profiles:
        _check_rows(loss, locked(rng.uniform(low, high, loss.n)), rng)


def _size(loss: Loss, z: Array) -> float:
    """What the rounding errors of the value are proportional to."""
    return float(loss.size(loss.value(z), z))


def _check_first(loss: Loss, z: Array, other: Array) -> None:
    """Convex, and the gradient is that of the value."""
    value, g = loss.value(z), loss.gradient(z)
    expect(isinstance(value, float) and np.isfinite(value),
           f"{loss!r}: the value at an image in range is {value!r}; a float is wanted.")
    expect(g.shape == z.shape and g.dtype == z.dtype,
           f"{loss!r}: gradient(z) has shape {g.shape} and dtype {g.dtype}; {z.shape} and {z.dtype} are wanted.")
    expect(_size(loss, z) >= abs(value) * (1 - 1e-12), f"{loss!r}: size {_size(loss, z)} is below the value {value}.")
    size = _size(loss, z) + _size(loss, other)
    for t in (0.25, 0.5, 0.9):
        chord, between = (1 - t) * value + t * loss.value(other), loss.value((1 - t) * z + t * other)
        expect(between <= chord + 1e-12 * (size + 1e-300),
               f"{loss!r} is not convex: φ = {between} between points whose chord has {chord}.")
    below = value + float(g @ (other - z))
    expect(loss.value(other) >= below - 1e-12 * (size + abs(below)),
           f"{loss!r}: φ = {loss.value(other)} lies below its tangent, {below}.")
    (_check_derivative if loss.smooth else _check_subgradient)(loss, z, g, size)
    short = loss.gradient(z.astype(np.float32))
    expect(short.dtype == np.float32, f"{loss!r}: the gradient at a float32 image is {short.dtype}.")


def _check_derivative(loss: Loss, z: Array, g: Array, size: float) -> None:
    h = 1e-6
    for i, e in enumerate(h * np.eye(len(z))):
        slope = (loss.value(z + e) - loss.value(z - e)) / (2 * h)
        expect(abs(slope - g[i]) <= 1e-5 * (np.abs(g).max() + 1e-300) + 1e-9 * size,
               f"{loss!r}: gradient(z)[{i}] is {g[i]:.8g}, but the value changes at a rate of {slope:.8g}.")


def _check_subgradient(loss: Loss, z: Array, g: Array, size: float) -> None:
    """The tangent stays below φ close by and far away, also where φ has a kink along some line."""
    value = loss.value(z)
    for h in (1e-6, -1e-6, 1e-3, -1e-3, 1.0, -1.0):
        for i, e in enumerate(h * np.eye(len(z))):
            off = value + float(g @ e) - loss.value(z + e)
            expect(off <= 1e-13 * (size + abs(h)),
                   f"{loss!r}: gradient(z) is no subgradient; its tangent lies {off:.3g} above φ at z + ({h:g})·e_{i}.")


def _check_second(loss: Loss, z: Array) -> None:
    """hessian_gram(z, Z) is the Hessian, by differences of the gradient; a loss may not know it."""
    if not isinstance(loss, (Separable, Profiled)):
        return
    with np.errstate(invalid="ignore"):
        H = loss.hessian_gram(z, np.eye(len(z)))
    if not np.isfinite(H).all():
        expect(not loss.twice_differentiable, f"{loss!r}: curvatures(z) has NaN or infinite entries, but twice_differentiable "
                                              "is True. Set it to False, or mend curvatures.")
        return
    h = 1e-6
    seen = np.stack([(loss.gradient(z + h * e) - loss.gradient(z - h * e)) / (2 * h) for e in np.eye(len(z))])
    off = float(np.abs(H - seen).max())
    expect(off <= 1e-4 * float(np.abs(seen).max()) + 1e-8,
           f"{loss!r}: the Hessian is off by {off:.3g} from differences of the gradient.")
    value, *both = loss.value_gradient_curvature(z)
    same = all(np.allclose(a, b, rtol=1e-12, atol=1e-14) for a, b in zip(both, (loss.gradient(z), loss.curvature(z))))
    expect(same and abs(value - loss.value(z)) <= 1e-12 * (abs(value) + 1e-300),
           f"{loss!r}: value_gradient_curvature(z) disagrees with value, gradient and curvature.")


def _check_lines(loss: Loss, z: Array, other: Array, rng: np.random.Generator) -> None:
    for dz, top in ((other - z, 1.0), (z - other, 0.4), (1.5 * (other - z), 1.0), (np.zeros_like(z), 1.0)):
        limit = loss.limit(z, dz)
        line = loss.along(z, locked(dz), top)
        expect(line.max_step == top and line.limit == limit,
               f"{loss!r}: along() has max_step {line.max_step} and limit {line.limit}; {top} and {limit} are wanted.")
        slope = float(loss.gradient(z) @ dz)
        expect(abs(line.slope - slope) <= 1e-12 * (abs(slope) + 1e-12),
               f"{loss!r}: the slope of a line is {line.slope}, ⟨∇φ, dz⟩ is {slope}.")
        check_line(line, lambda s, dz=dz: loss.value(z + s * dz), what=repr(loss))  # type: ignore[misc]
        if limit <= top:
            expect(np.isfinite(loss.value(z + 0.9 * limit * dz)), f"{loss!r} is infinite before its limit.")


def _check_bounds(loss: Loss, z: Array, other: Array, rng: np.random.Generator) -> None:
    """beta and lipschitz are not beaten by sampling."""
    if not isinstance(loss, Separable):
        return
    low, high = np.minimum(z, other), np.maximum(z, other)
    beta, steepest = np.broadcast_to(loss.beta(low, high), z.shape), np.broadcast_to(loss.lipschitz(low, high), z.shape)
    for _ in range(20):
        at = low + rng.random(len(z)) * (high - low)
        with np.errstate(invalid="ignore"):
            seen = (("ℓ''", loss.curvatures(at), "beta", beta), ("|ℓ'|", np.abs(loss.slopes(at)), "lipschitz", steepest))
        for what, got, name, bound in seen:
            over = np.flatnonzero(got > bound * (1 + 1e-9))[:1]
            expect(not len(over), f"{loss!r}: {what} = {got[over]} inside an interval where {name} says {bound[over]}.")


def _check_rows(loss: Loss, z: Array, rng: np.random.Generator) -> None:
    """on(rows): two halves, each weighted by its share, make the whole."""
    order = rng.permutation(loss.n)
    parts = order[: loss.n // 2], order[loss.n // 2 :]
    shares = [float(np.broadcast_to(loss.p, loss.n)[rows].sum()) for rows in parts]
    total = sum(share * loss.on(rows).value(z[rows]) for share, rows in zip(shares, parts, strict=True))
    expect(abs(total - loss.value(z)) <= 1e-12 * (abs(total) + _size(loss, z)),
        f"{loss!r}: its rows in two parts, each with its share of the weight, sum to {total}, the whole to {loss.value(z)}.")


def _check_factory(make: Any, low: float, high: float, targets: str, seed: int, rng: np.random.Generator) -> None:
    """A factory of objectives on nine samples of four coordinates."""
    from greedyhull.atoms.l1_ball import L1Ball
    from greedyhull.atoms.simplex import Simplex

    X = rng.standard_normal((9, 4))
    sets: list[AtomSet] = [Simplex(4), L1Ball(4, 1.5)]
    known = {"real": (rng.standard_normal(9),), "labels": (np.where(np.arange(9) % 3 == 0, -1.0, 1.0),),
             "counts": (rng.poisson(2.0, 9).astype(float),), "none": ()}
    expect(targets in known, f"targets must be 'real', 'labels', 'counts' or 'none'; got {targets!r}.")
    rest = known[targets]
    if not rest:
        X, sets, low = rng.random((9, 4)) + 0.05, sets[:1], 0.1
    f = make(X, *rest)
    expect(" object at 0x" not in repr(f), f"{f!r} has no repr of its own.")
    for S in sets:
        check_objective(f, S, seed=seed)
    check_loss(f.loss, low=low, high=high, seed=seed)
    _check_weights(make, X, rest, sets[0], rng)
    _check_storage(make, X, rest, sets[0])
    if "intercept" in inspect.signature(make).parameters:
        _check_intercept(make, X, rest, sets[-1], low, high, seed)


def _check_weights(make: Any, X: Array, rest: tuple[Array, ...], S: AtomSet, rng: np.random.Generator) -> None:
    """A row with weight 3 counts as three rows, one with weight 0 as none."""
    s = rng.integers(0, 4, len(X))
    s[0], s[-1] = 3, 1
    again = np.repeat(np.arange(len(X)), s)
    weighted, repeated = make(X, *rest, sample_weight=locked(s)), make(X[again], *(y[again] for y in rest))
    w = S.centre()
    for _ in range(2):
        a, b = weighted.value(w), repeated.value(w)
        expect(abs(a - b) <= 1e-11 * (1 + abs(b)),
               f"{weighted!r} with sample weights has value {a}, with its rows repeated {b}.")
        gap = float(np.abs(weighted.gradient(w) - repeated.gradient(w)).max())
        expect(gap <= 1e-11 * (1 + np.abs(repeated.gradient(w)).max()),
               f"{weighted!r}: sample weights and repeated rows have gradients {gap:.3g} apart.")
        w.move(w.toward(S.start(rng)), 0.3)


def _check_storage(make: Any, X: Array, rest: tuple[Array, ...], S: AtomSet) -> None:
    from scipy.sparse import csc_array, csr_array

    from greedyhull.objectives.designs.stored import SparseDesign

    for kind in (csc_array, csr_array):
        w = S.centre()
        a, b = make(X, *rest), make(SparseDesign(kind(X)), *rest)
        same = abs(a.value(w) - b.value(w)) <= 1e-11 * (1 + abs(a.value(w)))
        expect(same and np.allclose(a.gradient(w), b.gradient(w), rtol=1e-9, atol=1e-11),
               f"{a!r}: dense and {kind.__name__} data give different values or gradients.")


def _check_intercept(make: Any, X: Array, rest: tuple[Array, ...], S: AtomSet, low: float, high: float, seed: int) -> None:
    """An intercept is the best one: no other has a lower value."""
    f, without = make(X, *rest, intercept=True), make(X, *rest)
    w = S.centre()
    value, b, z = f.value(w), f.intercept(w), X @ w.array()
    told = without.loss.value(z + b)
    expect(abs(told - value) <= 1e-10 * (1 + abs(value)),
           f"{f!r} has value {value}, but {told} at the intercept {b} it names.")
    for off in (-1.0, -1e-2, -1e-4, 1e-4, 1e-2, 1.0):
        better = without.loss.value(z + b + off)
        expect(better >= value - 1e-11 * (1 + abs(value)),
               f"{f!r} names the intercept {b} with value {value}, but {b + off} has {better}.")
    check_objective(f, S, seed=seed)
    check_loss(f.loss, low=low, high=high, seed=seed)
