"""The error recursion, for any steps and tolerances whatever (Lemma 2), and where it ends (Theorem 1)."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from greedyhull.errors import check
from greedyhull.theory.arguments import Array, curvature, number, steps, tolerances

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
    check(
        eta.ndim == 1,
        f"The steps have shape {eta.shape}; wanted is one row, η_0, ..., η_(K-1). Pass one run at a time.",
    )
    check(number("e0", e0) >= 0, f"e0 is {e0}, but an error is >= 0. Pass f(w_0) - f*, or the gap at w_0.")
    bends, eps = per_step("M", _curvatures(M), eta.size), per_step("eps", tolerances(eps), eta.size)
    added, e, E = eta * eps + bends / 2 * eta**2, float(e0), [float(e0)]
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
    k = _tail_indices(eta, eps)
    late_eta, late_eps = steps(_tail(eta, k)), tolerances(_tail(eps, k))
    check(
        diverges(eta) if callable(eta) else bool(np.any(late_eta > 0)),
        "The steps have a finite sum, so the start is never forgotten and Theorem 1 says nothing about the limit. "
        "Take steps like k^-p with p <= 1, or ask recursion() for a bound after finitely many steps.",
    )
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


def _curvatures(M: float | Array) -> Array:
    return np.array([curvature(float(m)) for m in np.ravel(M)])


def per_step(name: str, values: Array, count: int) -> Array:
    check(
        values.size in (1, count),
        f"{name} holds {values.size} numbers for {count} steps. Pass one number, or one for each step.",
    )
    return np.broadcast_to(values.ravel(), (count,))


def _tail_indices(*given: Values) -> tuple[int, ...]:
    lengths = {np.size(values) for values in given if not callable(values) and np.ndim(values) > 0}
    check(
        len(lengths) <= 1 and 0 not in lengths,
        f"The records have lengths {sorted(lengths)}; wanted is one common length. Pass η_k, ε_k of the same steps.",
    )
    return tuple(range(length // 2, length)) if (length := max(lengths, default=0)) else _DEEP[-1:]


def _tail(values: Values, k: tuple[int, ...]) -> Array:
    if not callable(values):
        return np.asarray(values, dtype=float)[list(k)] if np.ndim(values) else np.asarray(float(np.asarray(values)))
    deep = np.array([values(j) for j in _DEEP])
    check(
        bool(np.all(np.diff(deep) <= 0)),
        "The rule increases with k, so no value of it bounds its tail. Pass a rule that does not increase, or its "
        "limsup as a number.",
    )
    return np.array([values(j) for j in k])
