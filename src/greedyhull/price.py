"""From a penalty to a budget: the radius at which one more unit of it is worth exactly ``alpha``.

min f(w) + α‖w‖ over all w, ‖·‖ the norm whose ball of radius r is the set, has the same solutions as min f over the ball
of the right radius. The price p(r) = −d/dr min f falls as r grows, so that the r with p(r) = α is found by Newton steps within
a bracket; on a face of unit atoms u₁ … u_m with Hessian H, p'(r) = −1/(1ᵀ(uᵢᵀHuⱼ)⁻¹1), exact for quadratics.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from greedyhull.certificate import Certificate
from greedyhull.errors import GreedyhullError, check
from greedyhull.path import carried
from greedyhull.solution import Solution
from greedyhull.types import Array

ROUNDS = 60


class Priced(NamedTuple):
    """The solution over the ball of the radius found, and the certificate of the *penalised* problem."""

    solution: Solution
    radius: float
    certificate: Certificate
    converged: bool = False


def at_price(f: Any, S: Any, alpha: float, solve: Callable[[Any, Array | None], Solution], tol: float = 1e-6) -> Priced:
    """Minimise f(w) + α‖w‖, S any ball of the norm about the origin; ``solve(S, start)`` solves over one ball.

    The penalised gap holds whatever r is: with g = ∇f(w), ‖g‖* the dual norm and f ≥ ``floor`` everywhere, a minimiser has
    ‖w*‖ ≤ R = (f(w) + α‖w‖ − floor)/α, and so f(w) + α‖w‖ − min ≤ α‖w‖ + ⟨g, w⟩ + R·max(‖g‖* − α, 0). It is enough once it
    is at most ``tol``·max(|value|, f.scale).
    """
    check(np.isfinite(alpha) and alpha > 0, f"alpha={alpha!r} was given; a positive number is wanted.")
    unit = S.rescaled(1.0)
    radius, lo, hi = _first(f, unit, alpha), 0.0, np.inf
    found: Solution | None = None
    best: Priced | None = None
    for _ in range(ROUNDS):
        ball = S.rescaled(radius)
        found = solve(ball, None if found is None else carried(found, ball))
        seen = Priced(found, radius, penalised(f, unit, found, alpha))
        if best is None or seen.certificate.value < best.certificate.value:  # type: ignore[operator]
            best = Priced(found, radius, seen.certificate)
        lower = max(best.certificate.lower, seen.certificate.lower)
        best = best._replace(certificate=_from(best.certificate.value, lower))
        value = float(best.certificate.value or 0.0)
        if float(best.certificate.gap or 0.0) <= tol * max(abs(value), f.scale):
            return best._replace(converged=True)
        price = float(found.price or 0.0)
        lo, hi = (radius, hi) if price > alpha else (lo, radius)
        step = (price - alpha) * _give(f, found, radius)
        radius = radius + step if lo < radius + step < hi else (2.0 * lo if np.isinf(hi) else 0.5 * (lo + hi))
        if not lo < radius < hi:
            break
    assert best is not None
    return best


def penalised(f: Any, unit: Any, s: Solution, alpha: float) -> Certificate:
    """The certificate of the point of ``s`` for f + α‖·‖."""
    w, exact = s.point.copy(), f.precise()
    g = exact.gradient(w)
    size = unit.gauge(w.array())
    dual = -float(unit.argmin(g).dot(g))
    value = float(exact.value(w)) + alpha * size
    reach = (value - floor(f)) / alpha
    gap = alpha * size + float(exact.euler(w)) + reach * max(dual - alpha, 0.0) + exact.rounding(w, s.atom_set)
    return _from(value, value - max(gap, 0.0))


def floor(f: Any) -> float:
    """A number that f is nowhere below."""
    loss = getattr(f, "loss", None)
    loss = getattr(loss, "loss", loss)
    if loss is None or not hasattr(loss, "floor"):
        raise GreedyhullError(f"{f!r} has no known lower bound over all points, which a penalty needs. Give a radius.")
    return float(loss.floor)


def _from(value: float | None, lower: float) -> Certificate:
    return Certificate(value, (value or 0.0) - lower, lower)


def _first(f: Any, unit: Any, alpha: float) -> float:
    """A first guess: how far the best atom alone would go, at least a little."""
    zero = unit.centre()
    g = f.gradient(zero)
    d = unit.argmin(g)
    fall = -float(d.dot(g)) - alpha
    tiny = 1e-9 * max(abs(float(f.value(zero))), 1e-300) / alpha  # no budget at all is wanted: so small, it is as good as none
    if fall <= 0.0:
        return tiny
    bend = float(f.along(zero, zero.toward(d)).bend)
    return max(fall / bend, tiny) if np.isfinite(bend) and bend > 0.0 else 1.0


def _give(f: Any, s: Solution, radius: float) -> float:
    """−1/p'(r): by how much the radius must grow for the price to fall by one."""
    w = s.point
    keep = np.flatnonzero(w.block.dots(np.ones(w.shape)) != 0.0) if hasattr(w.block, "scale") else np.arange(len(w))
    if not len(keep) or not hasattr(f, "hessian"):
        return 0.0
    H = np.asarray(f.hessian(w, w.block.take(keep)), dtype=np.float64) / radius**2
    H[np.diag_indices_from(H)] += 1e-12 * float(np.trace(H)) / len(H) + 1e-300
    return float(np.linalg.solve(H, np.ones(len(H))).sum())
