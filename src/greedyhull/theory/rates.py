"""How fast the error falls: Theorem 2 and its relatives."""

import math

import numpy as np

from greedyhull.errors import check
from greedyhull.theory.arguments import LARGEST, Array, K, above_zero, at_least, counts, curvature, like, number


def rate(M: float, c: float, k: K, exact: bool = False) -> K:
    """Theorem 2: with η_k = 2/(k + 2), a c-FW or c-Jones method has e_k <= (2M + 4c)/(k + 2) for k >= 1.

    ``exact=True`` gives the solution of the recursion itself, 4B (k + 1 - H_{k+1}) / (k (k + 1)) with B = M/2 + c
    and H_n = 1 + 1/2 + ... + 1/n, which is at most 4B/(k + 3). Proof: e_{k+1} <= (1 - η_k) e_k + B η_k² times
    (k + 1)(k + 2) telescopes. Attained by a linear f on [0, 1] with d_k = c η_k.

    It holds as well for every update that is no worse than the model f(w_k) - η_k ∇f·(w_k - d_k) + (M/2) η_k² of
    such a step, whatever step is taken: short steps, line search, corrective steps and any mixture. Then
    c η_k refers to the schedule 2/(k + 2). The first step is 1, so e_0 does not matter.

    >>> rate(M=4.0, c=0.5, k=98)
    0.1
    >>> rate(M=4.0, c=0.5, k=1, exact=True)
    2.5
    """
    M = curvature(M)
    at_least(0, c=c)
    n = counts(k, first=1)
    B = M / 2 + c
    return like(k, 4 * B * (n + 1 - _harmonic(n + 1)) / (n * (n + 1)) if exact else 4 * B / (n + 2))


def zhang(M: float, c: float, k: K, exact: bool = False) -> K:
    """Zhang's corollary: any w_{k+1} in W with f(w_{k+1}) <= min over η, d + 4c/(k + 2)² obeys ``rate``.

    The tolerance is on f, and 4c/(k + 2)² = c η_k². Proof: the joint minimum is at most the one at η_k = 2/(k + 2),
    so the method is no worse than a c-Jones method.

    >>> zhang(M=4.0, c=0.5, k=98)
    0.1
    """
    return rate(M, c, k, exact)


def aggregate_rate(M: float, c: float, k: K, exact: bool = False) -> K:
    """f(w_k) minus the aggregated lower bound falls like ``rate``: the certificate is as fast as the error.

    The lower bound is L_k = min over d in S of the mean of f(w_i) + ∇f(w_i)·(d - w_i), i < k, with weights i + 1:
    below f* since each term is below f. Proof: put A_i = i(i + 1)/2, so η_i = (i + 1)/A_{i+1}; Lemma 2 times
    A_{i+1} is A_{i+1} f(w_{i+1}) <= A_i f(w_i) + (i + 1)(f(w_i) - g_i) + A_{i+1} B η_i². Sum over i < k and divide
    by A_k: the last terms make ``rate(exact=True)``, and the mean of the f(w_i) - g_i is at most L_k (a mean of
    minima is at most the minimum of the mean) and at most the best of them.

    So it bounds f(w_k) - max_{i<k} (f(w_i) - g_i) too, the best gap a solver that keeps its lower bound can show.
    For a c-FW method the same holds with lower bounds computed from its own atoms and slacks <= c η_i.

    >>> aggregate_rate(M=4.0, c=0.5, k=98)
    0.1
    """
    return rate(M, c, k, exact)


def gap_rate(M: float, c: float, k: K) -> K:
    """The mean with weights i + 1, hence the least, of the gaps g(w_i), 1 <= i <= k, is <= (6M + 12c)/(k + 3).

    For c-FW and c-Jones methods with η_i = 2/(i + 2). Proof: multiply e_{i+1} <= e_i - η_i g_i + B η_i² by
    (i + 1)(i + 2) and sum by parts; with e_1 <= B and e_i <= 4B/(i + 2) the total is at most 12 B k, against
    the total weight k (k + 3).

    >>> gap_rate(M=4.0, c=0.5, k=97)
    0.3
    """
    M = curvature(M)
    at_least(0, c=c)
    return like(k, (6 * M + 12 * c) / (counts(k, first=1) + 3))


def line_search_rate(M: float, k: K) -> K:
    """Short steps, line search or joint Jones with an exact oracle: e_k <= 2M/(k + 3) for k >= 1, from any start.

    Proof: minimising the model over η in [0, 1] leaves at most M/2 after the first step and e - e²/(2M) whenever
    e <= M, hence 1/e_{k+1} >= 1/e_k + 1/(2M).

    >>> line_search_rate(M=4.0, k=77)
    0.1
    """
    return like(k, 2 * curvature(M) / (counts(k, first=1) + 3))


def warm_start_rate(M: float, e0: float, k: K) -> K:
    """Line search from a start with e_0 <= M: e_k <= 2M/(k + 2M/e_0), k >= 0. A good start is kept.

    Proof: 1/e_{k+1} >= 1/e_k + 1/(2M) from the first step on.

    The steps 2/(k + 2m_k/e_0) obey it too, where m_k is the largest curvature met up to step k: the schedule
    2/(k + 2) whose count begins at 2m_k/e_0 - 2. Proof: F(m, k) = 2m/(k + 2m/e_0) does not decrease in m, so a larger
    m_k keeps e_k <= F(m_k, k), and with x = k + 2m_k/e_0 the step gives e_{k+1} <= (1 - 2/x) 2m_k/x + 2m_k/x²
    <= 2m_k/(x + 1) = F(m_k, k + 1). In the end m_k <= M.

    >>> warm_start_rate(M=4.0, e0=0.1, k=0)
    0.1
    """
    M = curvature(M)
    above_zero(e0=e0)
    check(
        e0 <= M,
        f"e0 is {e0}, above the curvature M = {M}: such a start is not warm. Ask line_search_rate(M, k), "
        "which holds from any start.",
    )
    return like(k, e0 / (1 + counts(k, first=0) * (e0 / M / 2)))


def warm_start_index(M: float, c: float, e0: float) -> int:
    """Where the counter of the schedule 2/(k + 2) must begin to keep a start with error e_0: ⌊4B/e_0⌋ - 2, not below 0.

    The steps 2/(k_0 + j + 2), j = 0, 1, ..., then give e_j <= 4B/(k_0 + j + 2): Theorem 2's induction, begun at
    4B/(k_0 + 2) >= e_0 (for k_0 = 0 from j = 1 on). Begun at 0 the first step is 1 and throws the start away.

    >>> warm_start_index(M=4.0, c=0.0, e0=0.1)
    78
    """
    M = curvature(M)
    at_least(0, c=c)
    above_zero(e0=e0)
    start = 4 * (M / 2 + c) / e0
    check(math.isfinite(start), f"4B/e0 is {start} for M = {M}, c = {c} and e0 = {e0}: no counter begins there. Pass a larger "
                                "e0.")
    return max(0, math.floor(start) - 2)


def late_start_rate(M: float, c: float, e0: float, first: float, k: K) -> K:
    """Steps 2/(s + k + 2) that begin at the count s = ``first``: e_k <= max{4B, (s + 2) e_0}/(s + k + 2), k >= 0.

    So a run that is continued, or begun late, keeps Theorem 2's order whatever its start; with s = ``warm_start_index``
    the maximum is 4B. Proof by induction: with x = s + k + 2 and C the numerator, C >= 4B gives
    e_{k+1} <= (1 - 2/x) C/x + 4B/x² <= C (x - 1)/x² <= C/(x + 1).

    >>> late_start_rate(M=4.0, c=0.0, e0=0.1, first=78, k=20)
    0.08
    """
    M = curvature(M)
    at_least(0, c=c, e0=e0)
    check(0 <= number("first", first) <= LARGEST, f"first is {first}, but a count lies between 0 and 2^53. Pass such a "
                                                  "number.")
    return like(k, max(4 * (M / 2 + c), (first + 2) * e0) / (first + counts(k, first=0) + 2))


def multiplicative_rate(M: float, c: float, delta: float, e0: float, k: K) -> K:
    """An oracle that finds a share δ of the gap, with η_k = 2/(δk + 2): e_k <= 2 max{(M + 2c)/δ, e_0}/(δk + 2), k >= 0.

    The atoms satisfy ∇f·(w_k - d_k) >= δ g(w_k) - c η_k, surely or in expectation given the past; then the bound
    is on e_k or on its mean. Proof by induction: with x = δk + 2 and C the numerator, C >= 4B/δ and
    e_{k+1} <= (1 - 2δ/x) C/x + 4B/x² <= C (x - δ)/x² <= C/(x + δ).

    >>> multiplicative_rate(M=4.0, c=0.0, delta=0.5, e0=3.0, k=156)
    0.2
    """
    M = curvature(M)
    at_least(0, c=c, e0=e0)
    check(0 < delta <= 1, f"delta is {delta}, but it is a share of the gap, in (0, 1]. Pass 1 for an exact oracle.")
    return like(k, 2 * max((M + 2 * c) / delta, e0) / (delta * counts(k, first=0) + 2))


def _harmonic(n: Array) -> Array:
    """H_n = 1 + 1/2 + ... + 1/n: summed up to 32, beyond that Euler's expansion, which is then good to rounding."""
    table = np.concatenate([[0.0], np.cumsum(1 / np.arange(1.0, 33.0))])
    few = table[np.minimum(n, 32).astype(int)]
    m = np.maximum(n, 32.0)
    many = np.log(m) + np.euler_gamma + 1 / (2 * m) - 1 / (12 * m**2) + 1 / (120 * m**4) - 1 / (252 * m**6)
    return np.where(n <= 32, few, many)
