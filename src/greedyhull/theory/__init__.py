"""The bounds of the paper as functions: what a greedy method promises, computed from its constants.

Throughout, e_k = f(w_k) - f* is the error after k steps, M the curvature of f over the hull (Lemma 1), and c the
quality of the oracle: at the step η_k of the *schedule* a c-FW atom is within c η_k of the best linear score, a
c-Jones atom within c η_k² of the best value of f. B = M/2 + c. Every function refuses an infinite curvature.

=============================  ====================================================================================
any recorded steps             ``recursion``, ``remaining`` (Lemma 2), ``limit``, ``diverges`` (Theorem 1)
the schedule 2/(k + 2)         ``rate`` (Theorem 2), ``zhang``, ``aggregate_rate``, ``gap_rate``
line search, warm starts       ``line_search_rate``, ``warm_start_rate``, ``warm_start_index``, ``late_start_rate``
a minimiser inside the hull    ``interior_rate``, ``linear_rate``
oracles with a relative error  ``multiplicative_rate``
what no method can beat        ``recursion_lower``, ``greedy_recursion`` (Theorem 3), ``one_atom_lower``
Jones atoms and FW atoms       ``jones_to_fw``, ``fw_to_jones``, ``prune`` (Theorem 4)
how far a number is to trust   ``Constant``, ``Bound``; of one run: ``Bounds``, ``Refused``
=============================  ====================================================================================
"""

from greedyhull.theory.bound import Bound, Constant, Quantity, Status
from greedyhull.theory.equivalence import fw_to_jones, jones_to_fw, prune
from greedyhull.theory.interior import interior_rate, linear_rate
from greedyhull.theory.listed import Bounds, Refused
from greedyhull.theory.lower import greedy_recursion, greedy_step, one_atom_lower, recursion_lower
from greedyhull.theory.rates import (
    aggregate_rate,
    gap_rate,
    late_start_rate,
    line_search_rate,
    multiplicative_rate,
    rate,
    warm_start_index,
    warm_start_rate,
    zhang,
)
from greedyhull.theory.recursion import diverges, limit, recursion, remaining

__all__ = [
    "Bound",
    "Bounds",
    "Constant",
    "Quantity",
    "Refused",
    "Status",
    "aggregate_rate",
    "diverges",
    "fw_to_jones",
    "gap_rate",
    "greedy_recursion",
    "greedy_step",
    "interior_rate",
    "jones_to_fw",
    "late_start_rate",
    "limit",
    "line_search_rate",
    "linear_rate",
    "multiplicative_rate",
    "one_atom_lower",
    "prune",
    "rate",
    "recursion",
    "recursion_lower",
    "remaining",
    "warm_start_index",
    "warm_start_rate",
    "zhang",
]
