"""A bound on the largest eigenvalue of a semidefinite matrix B, with a stated probability, rounding included.

Suppose λ₁(B) > limit. Let z be uniform on the sphere of n dimensions and independent of B, and u₁ the top eigenvector: with
probability at least 1 − δ, |⟨u₁, z⟩| > s = δ/√(2(n − 1)/π). The Chebyshev recurrence

    y₀ = z,    y₁ = Xy₀,    yₖ₊₁ = 2Xyₖ − yₖ₋₁,    X = 2B/μ − I,    μ < limit

multiplies that component by T_q(ξ) with ξ > ξ₀ = 2·limit/μ − 1 > 1, so that ‖y_q‖ > s·T_q(ξ₀) = s·cosh(q·acosh ξ₀). If the
vector that was computed is shorter, λ₁ ≤ limit. Where μ ≥ λ₁ it is not longer than 1, and q need not be large.

Rounding: the computed vectors satisfy the recurrence up to errors eₖ. That of step k adds U_{q−1−k}(ξ)⟨u₁, eₖ⟩ to the
component, and U_{q−1−k}(ξ)/T_q(ξ) ≤ 1/sinh(acosh ξ₀) for all ξ ≥ ξ₀. So it is enough that

    ‖y_q‖ < cosh(q·acosh ξ₀)·(s − Σ‖eₖ‖/sinh(acosh ξ₀)),

and ‖eₖ‖ is bounded from the vectors that were computed. Nothing is assumed of other eigenvalues, nor of orthogonality.

One z serves for any number of values of μ, limit and q: all of them rely on the same event. A z that knows B, the last top
vector say, proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from math import acosh, ceil, cosh, log1p, pi, sinh, sqrt
from typing import NamedTuple

import numpy as np

from greedyhull.types import Array

UNIT = 2.0**-53
TRUST = 1.0 - 1e-9  # for the rounding of s, cosh and ‖y₀‖ = 1
ROOM = 2.0  # times the length that y has if μ bounds all eigenvalues: what it is allowed to have
ENDLESS = 1e100  # a vector this long proves that μ is far too small
SHARP = 1e-6  # of μ: a limit that is nearer is not tried
NEVER = 2**31  # steps
MOST_GROWTH = 600.0  # of q·acosh ξ₀, so that cosh is finite


class Grown(NamedTuple):
    """Whether the bound is proved, and the last vector: where it is not, nearly the top eigenvector."""

    proved: bool
    last: Array


def component(n: int, delta: float) -> float:
    """s: a random unit vector has a smaller component along a given direction with a probability of at most δ.

    >>> round(component(5000, 1e-3) * 1e5, 3)
    1.773
    """
    return delta / sqrt(2.0 * (max(n, 3) - 1) / pi)


def steps_to_prove(mu: float, limit: float, s: float) -> int:
    """q: after so many steps a vector that has not grown is a proof.

    >>> steps_to_prove(1.0, 1.002, component(5000, 1e-3))
    138
    """
    angle = _angle(mu, limit)
    return max(1, ceil(acosh(ROOM / s) / angle)) if angle > 0.0 else NEVER


def limit_of_steps(mu: float, q: int, s: float) -> float:
    """The least limit that q steps can prove."""
    return 0.5 * mu * (cosh(acosh(ROOM / s) / q) + 1.0) * (1.0 + 1e-12)


def grown(multiply: Callable[[Array], Array], off: float, z: Array, mu: float, limit: float, s: float, q: int) -> Grown:
    """Whether λ₁ ≤ limit is proved by q steps from z. ``multiply`` computes By with an error of at most off·‖y‖.

    >>> B, z = np.diag([1.0, 0.5, 0.2]), np.random.default_rng(0).standard_normal(3)
    >>> [grown(lambda y: B @ y, 1e-15, z, mu, 1.01 * mu, 1e-3, 60).proved for mu in (1.0, 0.9)]
    [True, False]
    """
    angle = _angle(mu, limit)
    if angle == 0.0:
        return Grown(False, z)
    if q * angle > MOST_GROWTH:
        q = int(MOST_GROWTH / angle)
    before, y = np.zeros_like(z), z / float(np.linalg.norm(z))
    gathered, length, last = 0.0, 1.0, 0.0
    for k in range(q):
        by = 2.0 / mu if k == 0 else 4.0 / mu
        t = multiply(y)
        wide = by * float(np.linalg.norm(t))
        gathered += (by * off * length + 8.0 * UNIT * (wide + 2.0 * length + last)) * (1.0 + 1e-6)
        before, y = y, by * t - y if k == 0 else by * t - 2.0 * y - before
        last, length = length, float(np.linalg.norm(y))
        if not length < ENDLESS:
            return Grown(False, before)
    left = s * TRUST - gathered / sinh(angle)
    return Grown(bool(left > 0.0 and length * (1.0 + 1e-9) < cosh(q * angle) * TRUST * left), y)


def _angle(mu: float, limit: float) -> float:
    """acosh(ξ₀), a little less; nothing where ξ₀ − 1 is not known to several digits."""
    x = 2.0 * (limit - mu) / mu
    return log1p(x + sqrt(x * (2.0 + x))) * TRUST if x > SHARP else 0.0
