"""What is gained when a minimiser w* lies inside the hull (relative to its affine hull), not on its boundary."""

import numpy as np

from greedyhull.errors import check
from greedyhull.theory.arguments import K, above_zero, at_least, counts, curvature, like
from greedyhull.theory.rates import rate


def interior_rate(M: float, c: float, t: float, k: K, exact: bool = False) -> K:
    """If w* + t(w* - w) is in W for all w in W, then η_k = 2/((1 + t)(k + 2)) gives e_k <= (2M + 4c)/((1 + t)²(k + 2)).

    For c-FW and c-Jones methods, k >= 1, so the constant of Theorem 2 is divided by up to 4. Proof: compare with
    u = w* + t(w* - w) in W: g(w) >= ∇f(w)·(w - u) = (1 + t) ∇f(w)·(w - w*) >= (1 + t) e(w). Lemma 2 becomes
    e_{k+1} <= (1 - (1 + t)η_k) e_k + B η_k²; in θ_k = (1 + t) η_k this is Theorem 2's recursion with M and c
    divided by (1 + t)².

    Line search and short steps with an exact oracle need not know t: they are no worse than that schedule, and
    obey even ``line_search_rate(M / (1 + t)**2, k)``.

    In a norm ball of radius r around 0, t = (r - ‖w*‖)/(r + ‖w*‖) is admissible; in the simplex of n corners,
    t = p/(1 - p) with p the least weight of w*. No t > 1 is, unless W is a point.

    >>> interior_rate(M=4.0, c=0.0, t=1.0, k=98)
    0.02
    """
    check(
        0 <= t <= 1,
        f"t is {t}, but a bounded hull is reflected through a point into itself at a scale in [0, 1] only. "
        "Pass 0 if nothing is known, (r - ‖w*‖)/(r + ‖w*‖) in a norm ball of radius r.",
    )
    scale = (1 + t) ** 2
    return rate(M / scale, c / scale, k, exact)


def linear_rate(M: float, mu: float, rho: float, e0: float, k: K) -> K:
    """Strong convexity and a ball of radius ρ around w* inside W: e_k <= e_0 (1 - μρ²/M)^k, k >= 0.

    For short steps, line search or joint Jones with an exact oracle; f is μ-strongly convex on W in the Euclidean
    norm and the ball is taken in the affine hull of W. μ and ρ may be too small, M and e_0 too large. For k >= 1
    also e_k <= (M/2)(1 - μρ²/M)^(k-1), whatever e_0; the smaller of the two is returned, so e_0 may be infinite.

    Proof: with p the gradient within the affine hull, the point w* - ρ p/‖p‖ gives g >= e + ρ‖p‖, and strong
    convexity e <= ‖p‖²/(2μ), so g >= ρ√(2μe). The best model step gains g²/(2M) >= (μρ²/M) e if g <= M, and
    g - M/2 >= e/2 otherwise. W has diameter >= 2ρ, so M >= 4μρ² and the first gain is the smaller one.

    >>> linear_rate(M=4.0, mu=1.0, rho=0.5, e0=1.0, k=2)
    0.87890625
    """
    M = curvature(M)
    above_zero(mu=mu)
    at_least(0, rho=rho)
    check(not (np.isnan(e0) or e0 < 0), f"e0 is {e0}, but an error is >= 0. Pass f(w_0) - f*, or the gap at w_0.")
    check(
        4 * mu * rho * rho <= M and M > 0,
        f"M = {M}, mu = {mu} and rho = {rho} contradict each other: a hull that holds a ball of radius rho has "
        "M >= 4 mu rho². Pass an upper bound for M and lower bounds for mu and rho.",
    )
    n = counts(k, first=0)
    left = 1 - mu * rho * rho / M
    return like(k, np.where(n >= 1, min(e0, M / (2 * left)) * left**n, e0))
