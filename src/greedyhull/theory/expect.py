"""Atoms that are right on average: the condition under which a stochastic method has Theorem 2's rate."""

from greedyhull.theory.arguments import K
from greedyhull.theory.rates import rate


def expect_rate(M: float, c: float, k: K, exact: bool = False) -> K:
    """If E[d_k | w_k] is a c-FW atom and η_k = 2/(k + 2), then E e_k <= (2M + 4c)/(k + 2), k >= 1; exactly as `rate`.

    The paper says O(1/k) and leaves the step and the constant open. Proof: ∇f(w_k)·(E d_k - w_k) <= -g_k + cη_k, so
    E e_{k+1} <= (1 - η_k) E e_k + (M/2 + c) η_k²: Theorem 2's recursion, for the means. The condition is sufficient only.

    >>> expect_rate(M=4.0, c=0.5, k=98)
    0.1
    """
    return rate(M, c, k, exact)
