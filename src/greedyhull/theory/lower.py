"""What cannot be beaten: by the recursion (Theorem 3), by any method that adds one atom a step."""

import numpy as np

from greedyhull.errors import check
from greedyhull.theory.arguments import LONGEST, Array, K, at_least, counts, like


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
