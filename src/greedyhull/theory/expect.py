"""Atoms that are right on average: the condition under which a stochastic method has Theorem 2's rate."""

from typing import Any

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.kinds import summed
from greedyhull.theory.arguments import K
from greedyhull.theory.rates import rate
from greedyhull.types import AtomSet, Objective


def expect_rate(M: float, c: float, k: K, exact: bool = False) -> K:
    """If E[d_k | w_k] is a c-FW atom and η_k = 2/(k + 2), then E e_k <= (2M + 4c)/(k + 2), k >= 1; exactly as `rate`.

    The paper says O(1/k) and leaves the step and the constant open. Proof: ∇f(w_k)·(E d_k - w_k) <= -g_k + cη_k, so
    E e_{k+1} <= (1 - η_k) E e_k + (M/2 + c) η_k²: Theorem 2's recursion, for the means. The condition is sufficient only.

    >>> expect_rate(M=4.0, c=0.5, k=98)
    0.1
    """
    return rate(M, c, k, exact)


def expect_violation(f: Objective, S: AtomSet, w: Any, eta: float) -> float:
    """(⟨E d, ∇f(w)⟩ - min over S of ⟨d, ∇f(w)⟩)/η at w, d the atom of one random term: the c that `expect_rate` needs here.

    It takes the gradient and the atom of every term, so f must be a finite sum. Where it grows along a run no c will do,
    as in the paper's two examples with single terms.

    >>> import greedyhull as gh
    >>> f = gh.least_squares(np.ones((2, 2)), [1.0, -1.0])
    >>> round(expect_violation(f, gh.L2Ball(2, 0.5), np.full(2, 1 / 8**0.5), eta=0.5), 6)
    1.0
    """
    from greedyhull.atoms.base import array_of

    whole = summed(f)
    if whole is None:
        raise GreedyhullError(f"{f!r} is not a sum of finitely many terms, whose atoms could be averaged. Give the terms to "
                              "finite_sum(value, gradient, n, shape).")
    check(0 < eta <= 1, f"eta is {eta}, but the violation is measured in steps, which lie in (0, 1]. Pass the step at w.")
    x, n = array_of(w), whole.n
    g = np.asarray(whole.batch(np.arange(n)).gradient(x))
    mean = sum(S.atom(np.asarray(whole.batch(np.array([i])).gradient(x))).dot(g) for i in range(n)) / n
    return max(float(mean - S.atom(g).dot(g)) / eta, 0.0)
