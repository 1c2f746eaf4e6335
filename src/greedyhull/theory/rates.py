"""Error recursions and the rates of Theorem 2 and its relatives, and what cannot be beaten."""

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from greedyhull.errors import check
from greedyhull.theory.bound import (
    LARGEST,
    LONGEST,
    Array,
    K,
    above_zero,
    at_least,
    counts,
    curvature,
    like,
    number,
    steps,
    tolerances,
)

__all__ = ["aggregate_rate", "diverges", "fw_to_jones", "gap_rate", "greedy_recursion", "greedy_step", "interior_rate",
           "jones_to_fw", "late_start_rate", "limit", "line_search_rate", "linear_rate", "multiplicative_rate",
           "one_atom_lower", "prune", "rate", "recursion", "recursion_lower", "remaining", "warm_start_index",
           "warm_start_rate", "zhang"]

Values = float | Array | Callable[[int], float]  # a constant, a record, or a rule k -> value

_DEEP = tuple(2**j for j in range(20, 61))  # where a rule is read to learn about its tail


def recursion(M: float | Array, eta: npt.ArrayLike, eps: npt.ArrayLike = 0.0, e0: float = np.inf) -> Array:
    """Lemma 2: bounds E_0, ..., E_K on the errors of a run with steps η_k and tolerances ε_k.

    E_0 = e_0 and E_{k+1} = (1 - η_k) E_k + η_k ε_k + (M/2) η_k², for both families. Proof: the curvature inequality
    gives e_{k+1} <= e_k - η_k g_k + η_k ε_k + (M/2) η_k² with the gap g_k, and g_k >= e_k by duality. The step
    before the last inequality needs no convexity.

    ``eps`` is the tolerance on the linear score (FW); a Jones tolerance on f must be divided by η_k. M may be an
    array, the curvature met in each step: a backtracking FW run certifies itself this way (not a Jones run: its
    proof compares with the FW vertex, which it does not visit). ``e0`` may stay unknown (infinite) if some step
    is 1, which forgets it; the gap at w_0 is always an admissible e0.

    >>> recursion(M=2.0, eta=[1.0, 0.5], eps=0.1)
    array([ inf, 1.1 , 0.85])
    """
    eta = np.atleast_1d(steps(eta))
    check(eta.ndim == 1, f"The steps have shape {eta.shape}; wanted is one row, η_0, ..., η_(K-1). Pass one run at a time.")
    check(number("e0", e0) >= 0, f"e0 is {e0}, but an error is >= 0. Pass f(w_0) - f*, or the gap at w_0.")
    bends = per_step("M", np.array([curvature(float(m)) for m in np.ravel(M)]), eta.size)
    added, e, E = eta * per_step("eps", tolerances(eps), eta.size) + bends / 2 * eta**2, float(e0), [float(e0)]
    for step, more in zip(eta.tolist(), added.tolist(), strict=True):
        e = more if step == 1 else (1 - step) * e + more  # a full step forgets even an unknown, infinite error
        E.append(e)
    return np.array(E)


def remaining(eta: npt.ArrayLike) -> float:
    """The share of e_0 still present in E_K: the product of the 1 - η_k.

    It tends to 0 if Σ η_k diverges, and only then unless some step is 1: steps with a finite sum never forget.

    With δ >= ε_k + M η_k/2 for all k, Lemma 2 reads e_K <= δ + remaining(η) max(e_0 - δ, 0): Theorem 1 after
    finitely many steps.

    >>> remaining([0.5, 0.5, 0.5])
    0.125
    """
    return float(np.prod(1 - steps(eta)))


def limit(eta: Values, eps: Values, M: float) -> float:
    """Theorem 1, stronger form: if Σ η_k diverges then limsup e_k <= limsup (ε_k + M η_k/2).

    So a constant step η stops within ε + M η/2 of the optimum, and η_k, ε_k -> 0 suffice for convergence; ε_k/η_k
    need not vanish. Proof: for δ above the right-hand side e_{k+1} - δ <= (1 - η_k)(e_k - δ) from some k on, and
    the product of the 1 - η_k is 0.

    A number is a constant sequence. An array is a record, of which the later half stands for what follows. A
    function of k is a rule that does not increase: its value far out bounds its tail (here k = 2^60). Rules that
    increase, and steps with a finite sum, are refused.

    >>> limit(0.01, 0.001, M=4.0)
    0.021
    >>> limit(lambda k: 2 / (k + 2), lambda k: 1 / (k + 1), M=4.0) < 1e-15
    True
    """
    M = curvature(M)
    lengths = {np.size(values) for values in (eta, eps) if not callable(values) and np.ndim(values) > 0}
    check(len(lengths) <= 1 and 0 not in lengths,
          f"The records have lengths {sorted(lengths)}; wanted is one common length. Pass η_k, ε_k of the same steps.")
    k = tuple(range(length // 2, length)) if (length := max(lengths, default=0)) else _DEEP[-1:]
    late_eta, late_eps = steps(_tail(eta, k)), tolerances(_tail(eps, k))
    check(diverges(eta) if callable(eta) else bool(np.any(late_eta > 0)),
          "The steps have a finite sum, so the start is never forgotten and Theorem 1 says nothing about the limit. "
          "Take steps like k^-p with p <= 1, or ask recursion() for a bound after finitely many steps.")
    return float(np.max(late_eps + M / 2 * late_eta))


LATE, LATER = 1_000, 1_000_000  # steps at which schedules are compared


def diverges(eta: float | Callable[[int], float]) -> bool:
    """Whether Σ η_k = ∞, the condition of Theorem 1: of k^-p for a number p, or of a rule k -> η_k.

    For a number the answer is p <= 1. A rule that does not increase has the same fate as Σ_j 2^j η(2^j) (Cauchy);
    it is compared, up to k = 2^60, with k^-p (log k)^-q, whose sum diverges if p < 1, or if p = 1 and q <= 1.
    Both are read to three digits; so close to the border, and for rules of another kind, this is evidence, not proof.

    >>> diverges(0.75), diverges(1.5), diverges(lambda k: 2 / (k + 2))
    (True, False, True)
    """
    if not callable(eta):
        check(not np.isnan(number("The power p", eta)), "The power p is nan. Pass the p of η_k = k^-p.")
        return bool(eta <= 1)
    j = np.array([30, 45, 60])
    late = np.array([eta(2 ** int(i)) for i in j])
    if not np.all(late > 0):
        return False
    p, q, _ = np.linalg.solve(np.column_stack([-j * np.log(2), -np.log(j), np.ones(3)]), np.log(late))
    return bool(p < 0.999 or (p < 1.001 and q < 1.001))


def per_step(name: str, values: Array, count: int) -> Array:
    check(values.size in (1, count),
          f"{name} holds {values.size} numbers for {count} steps. Pass one number, or one for each step.")
    return np.broadcast_to(values.ravel(), (count,))


def _tail(values: Values, k: tuple[int, ...]) -> Array:
    if not callable(values):
        return np.asarray(values, dtype=float)[list(k)] if np.ndim(values) else np.asarray(float(np.asarray(values)))
    deep = np.array([values(j) for j in _DEEP])
    check(bool(np.all(np.diff(deep) <= 0)),
          "The rule increases with k, so no value of it bounds its tail. Pass a rule that does not increase, or its "
          "limsup as a number.")
    return np.array([values(j) for j in k])


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
    B, n = _bend(M, c), counts(k, first=1)
    return like(k, 4 * B * (n + 1 - harmonic(n + 1)) / (n * (n + 1)) if exact else 4 * B / (n + 2))


def _bend(M: float, c: float) -> float:
    at_least(0, c=c)
    return curvature(M) / 2 + c


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
    return like(k, 12 * _bend(M, c) / (counts(k, first=1) + 3))


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
    check(e0 <= M, f"e0 is {e0}, above the curvature M = {M}: such a start is not warm. Ask line_search_rate(M, k), "
          "which holds from any start.")
    return like(k, e0 / (1 + counts(k, first=0) * (e0 / M / 2)))


def warm_start_index(M: float, c: float, e0: float) -> int:
    """Where the counter of the schedule 2/(k + 2) must begin to keep a start with error e_0: ⌊4B/e_0⌋ - 2, not below 0.

    The steps 2/(k_0 + j + 2), j = 0, 1, ..., then give e_j <= 4B/(k_0 + j + 2): Theorem 2's induction, begun at
    4B/(k_0 + 2) >= e_0 (for k_0 = 0 from j = 1 on). Begun at 0 the first step is 1 and throws the start away.

    >>> warm_start_index(M=4.0, c=0.0, e0=0.1)
    78
    """
    above_zero(e0=e0)
    start = 4 * _bend(M, c) / e0
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
    at_least(0, e0=e0)
    check(0 <= number("first", first) <= LARGEST, f"first is {first}, but it must lie between 0 and 2^53. Pass such a count.")
    return like(k, max(4 * _bend(M, c), (first + 2) * e0) / (first + counts(k, first=0) + 2))


def multiplicative_rate(M: float, c: float, delta: float, e0: float, k: K) -> K:
    """An oracle that finds a share δ of the gap, with η_k = 2/(δk + 2): e_k <= 2 max{(M + 2c)/δ, e_0}/(δk + 2), k >= 0.

    The atoms satisfy ∇f·(w_k - d_k) >= δ g(w_k) - c η_k, surely or in expectation given the past; then the bound
    is on e_k or on its mean. Proof by induction: with x = δk + 2 and C the numerator, C >= 4B/δ and
    e_{k+1} <= (1 - 2δ/x) C/x + 4B/x² <= C (x - δ)/x² <= C/(x + δ).

    >>> multiplicative_rate(M=4.0, c=0.0, delta=0.5, e0=3.0, k=156)
    0.2
    """
    at_least(0, e0=e0)
    check(0 < delta <= 1, f"delta is {delta}, but it is a share of the gap, in (0, 1]. Pass 1 for an exact oracle.")
    return like(k, 2 * max(2 * _bend(M, c) / delta, e0) / (delta * counts(k, first=0) + 2))


def harmonic(n: Array) -> Array:
    from scipy.special import digamma

    return np.asarray(digamma(n + 1.0) + np.euler_gamma)


def recursion_lower(e0: float, C: float, k: K) -> K:
    """Theorem 3: e_{k+1} = (1 - η_k) e_k + C η_k² with steps in [0, 1] has e_k >= a/(k + 2), a = min{2 e_0, 8C/3}.

    Proof: the best next error φ(e) = e - e²/(4C) for e <= 2C, C beyond, does not decrease in e, and
    φ(a/(k + 2)) >= a/(k + 3) just if a/(4C) <= (k + 2)/(k + 3); a/2 <= e_0 starts the induction. It needs no
    e_0 <= 2C, but it needs η_k in [0, 1]. Attained at k = 0 and 1 from e_0 = 4C/3.

    This is about the recursion (C = M/2 + c), that is about what Lemma 2 can ever prove, not about a run.

    >>> recursion_lower(e0=1.0, C=0.75, k=8)
    0.2
    """
    at_least(0, e0=e0, C=C)
    return like(k, min(2 * e0, 8 * C / 3) / (counts(k, first=0) + 2))


def greedy_step(e: float, C: float) -> float:
    """The step in [0, 1] that minimises (1 - η) e + C η²: min{1, e/(2C)}.

    >>> greedy_step(1.0, 2.0)
    0.25
    """
    at_least(0, e=e, C=C)
    return 1.0 if e >= 2 * C else e / (2 * C)


def greedy_recursion(e0: float, C: float, K: int) -> Array:
    """The smallest errors e_0, ..., e_K any steps in [0, 1] can reach in the recursion of Theorem 3.

    Greedy steps are best for all k at once because φ does not decrease. k e_k -> 4C, as for the steps 2/(k + 2):
    the open-loop schedule is optimal in the limit, constant included.

    >>> greedy_recursion(e0=1.0, C=1.0, K=2)
    array([1.      , 0.75    , 0.609375])
    """
    at_least(0, e0=e0, C=C)
    steps = counts(K, first=0)
    check(bool(steps <= LONGEST), f"K is {K}, and the recursion is followed step by step. Pass K up to {LONGEST}.")
    e = np.empty(int(steps) + 1)
    e[0] = e0
    for k in range(len(e) - 1):
        step = greedy_step(float(e[k]), C)
        e[k + 1] = (1 - step) * e[k] + C * step**2
    return e


def one_atom_lower(k: K) -> K:
    """On the simplex with f(w) = ‖w‖² a point of k + 1 corners has f(w) >= 1/(k + 1).

    So every method that starts at a corner and adds one a step has f(w_k) >= 1/(k + 1) as long as k is below the
    dimension n, while f* = 1/n: the order 1/k cannot be improved. Frank-Wolfe with line search attains it.

    >>> one_atom_lower(4)
    0.2
    """
    return like(k, 1 / (counts(k, first=0) + 1))


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
    check(0 <= t <= 1, f"t is {t}, but a bounded hull is reflected through a point into itself at a scale in [0, 1] only. "
          "Pass 0 if nothing is known, (r - ‖w*‖)/(r + ‖w*‖) in a norm ball of radius r.")
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
    check(4 * mu * rho * rho <= M and M > 0,
          f"M = {M}, mu = {mu} and rho = {rho} contradict each other: a hull that holds a ball of radius rho has "
          "M >= 4 mu rho². Pass an upper bound for M and lower bounds for mu and rho.")
    n = counts(k, first=0)
    left = 1 - mu * rho * rho / M
    return like(k, np.where(n >= 1, min(e0, M / (2 * left)) * left**n, e0))


def jones_to_fw(eps: float, eta: float, M: float) -> float:
    """Theorem 4(a): an ε-Jones atom at step η > 0 is an (ε + M η/2)-FW atom.

    ε-Jones: f(w + η(d - w)) <= min over S + η ε. Proof: convexity from below and the curvature inequality from
    above squeeze the linear scores. M/2 is tight. At η = 0 every atom is a Jones atom, so nothing follows.

    Do not derive rates through it: that gives 4M + 4c where Theorem 2 gives 2M + 4c.

    >>> jones_to_fw(eps=0.1, eta=0.5, M=2.0)
    0.6
    """
    at_least(0, eps=eps)
    check(0 < number("eta", eta) <= 1,
          f"eta is {eta}, but Theorem 4 needs a step in (0, 1]: with η = 0 every atom gives the same point, and its "
          "score may be anything. Pass the step the atom was chosen for.")
    return eps + curvature(M) / 2 * eta


def fw_to_jones(eps: float, eta: float, M: float) -> float:
    """Theorem 4(b): an ε-FW atom is an (ε + M η/2)-Jones atom at step η: within η (ε + M η/2) of the best value of f.

    So the FW vertex is a free (M/2)-Jones oracle where Jones atoms are dear. M/2 is tight.

    >>> fw_to_jones(eps=0.0, eta=0.5, M=2.0)
    0.5
    """
    return jones_to_fw(eps, eta, M)


def prune(scores: npt.ArrayLike, eta: float, M: float, eps: float = 0.0) -> npt.NDArray[np.bool_]:
    """Which atoms can be a Jones atom at step η: those whose score is within ε + M η/2 of the least.

    ``scores`` are the linear scores ∇f(w)·d_j, small is good. By Theorem 4(a) the exact Jones atom (for ``eps`` > 0
    each ε-Jones atom) is among them, so f need not be evaluated at the others. Rounding in the scores is allowed
    for: an atom too many may be kept, none is lost.

    >>> prune([0.0, 0.3, 0.6], eta=0.5, M=2.0)
    array([ True,  True, False])
    """
    values = np.asarray(scores, dtype=float)
    check(values.size > 0 and bool(np.all(np.isfinite(values))),
          f"The scores have shape {values.shape} and must be finite and at least one. Pass ∇f(w)·d_j for every atom d_j.")
    rounding = 1e-12 * np.max(np.abs(values))
    kept: Array = values <= np.min(values) + jones_to_fw(eps, eta, M) + rounding
    return kept
