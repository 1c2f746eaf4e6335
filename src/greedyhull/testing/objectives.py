"""check_objective: is f what it says it is on the hull of S, and do its views follow every move?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from greedyhull.errors import GreedyhullError
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.gradients import as_array
from greedyhull.points.iterate import Iterate
from greedyhull.testing.expect import expect, mixture
from greedyhull.testing.lines import check_line
from greedyhull.types import Array, AtomSet, Objective
from greedyhull.types.kinds import imaged, second_order


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
    expect(
        g.shape == S.shape and np.isfinite(g).all(),
        f"The gradient of {f!r} has shape {g.shape} or entries that are not finite.",
    )
    inner = float(np.vdot(g, w.array()))
    size = float(np.abs(g).ravel() @ np.abs(w.array()).ravel()) + abs(told)
    claimed = f.gradient_dot(w)
    expect(abs(claimed - inner) <= 1e-9 * (size + 1e-300), f"{f!r}: gradient_dot(w) is {claimed}, ⟨∇f(w), w⟩ is {inner}.")
    flat = f.value(CoordinateIterate(w.array()))
    expect(
        abs(flat - told) <= noise * (abs(told) + size),
        f"{f!r} has value {told} at atoms and weights, {flat} at their coordinates.",
    )
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
        check_line(line, _along(f, w, move, line), what=f"{f!r} {kind}", noise=noise)
        step = 0.4 * min(move.max_step, line.limit, 1.0)
        promised = line.value(step)
        w.move(move, step)
        fresh = w.copy()
        g = as_array(f.gradient(fresh))
        size = abs(f.value(fresh)) + float(np.abs(g).ravel() @ np.abs(fresh.array()).ravel()) + 1e-300
        expect(
            abs(promised - f.value(w)) <= noise * size,
            f"{f!r}: the line promised {promised} for a step that led to {f.value(w)}.",
        )
        expect(
            abs(f.value(w) - f.value(fresh)) <= noise * size,
            f"{f!r}: after a move its value is {f.value(w)}, afresh {f.value(fresh)}.",
        )
        off = float(np.abs(as_array(f.gradient(w)) - g).max())
        expect(
            off <= 1e-8 * (np.abs(g).max() + 1e-12), f"{f!r}: after a move its gradient is off by {off:.3g}."
        )


def _along(f: Objective, w: Any, move: Any, line: Any) -> Callable[[float], float]:
    """h(η) from fresh points, no view involved."""
    def h(step: float) -> float:
        at = w.copy()
        at.move(move, min(step, move.max_step))
        return float(f.value(at))

    return h


def _check_hessian(f: Objective, w: Any) -> None:
    """⟨aᵢ, ∇²f(w) aⱼ⟩ by differences of the gradient, where f offers it."""
    bent = second_order(f)
    if bent is None:
        return
    with np.errstate(invalid="ignore", divide="ignore"):
        small = bent.restricted(w.block.take(np.arange(len(w))))
        H = np.asarray(small.hessian(w))
    if not np.isfinite(H).all():
        return
    h, unit = 1e-5, np.eye(len(w))
    rows = []
    for i in range(len(w)):
        ends = []
        for weights in ((1.0 - h) * w.weights + h * unit[i], (1.0 + h) * w.weights - h * unit[i]):
            at = Iterate(w.block.take(np.arange(len(w))), weights, w.shape)
            ends.append(at.block.dots(f.gradient(at)))
        rows.append((ends[0] - ends[1]) / (2 * h))
    seen = np.stack(rows) + (w.weights @ H)[None, :]  # toward d is d − w
    off = float(np.abs(H - seen).max())
    expect(
        off <= 1e-3 * float(np.abs(H).max()) + 1e-7,
        f"{f!r}: the Hessian on its atoms is off by {off:.3g} from differences of the gradient.",
    )
    seen_at_once = imaged(f)
    expect(
        seen_at_once is None or np.allclose(seen_at_once.hessian(w, w.block), H, rtol=1e-9, atol=1e-12),
        f"{f!r}: restricted(block) has another Hessian than hessian(w, block).",
    )


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
        at = w.copy()
        at.move(at.toward(d), eta)
        expect(f.value(at) <= model + 1e-10 * (abs(model) + abs(f.value(w)) + abs(slope)),
               f"{f!r} on {S!r} has {M!r}, but over a step {eta} f is {f.value(at)} where the model allows {model}.")
