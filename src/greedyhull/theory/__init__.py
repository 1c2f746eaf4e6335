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
Jones' choice by values        ``jones_rate``, ``joint_jones_rate``, ``mean_jones_rate``, ``jones_variance``
pairwise Jones                 ``pairwise_jones_rate``, ``pairwise_jones_error``, ``swap_steps``; ``simplex_width``,
                               ``box_width``, ``l1_width``
what no method can beat        ``recursion_lower``, ``greedy_recursion`` (Theorem 3), ``one_atom_lower``
Jones atoms and FW atoms       ``jones_to_fw``, ``fw_to_jones``, ``prune`` (Theorem 4)
growing batches                ``asj``, ``asfw``, ``asfw_line_search``, ``asj_gap``, ``asfw_gap``, ``asj_printed``, with
                               ``FixedHorizon``, ``AnytimeAverage``, ``GrowingWeights``, ``LastIterate``, ``BetterSchedule``,
                               ``AsRecorded``
atoms right on average         ``expect_rate``, ``expect_violation``
any gradient estimator         ``expected_error``, ``Along``; with Jones' choice ``expected_jones_error``,
                               ``variance_reduced_jones_rate``
nonsmooth f (ARSFW)            ``arsfw``, ``arsfw_printed``, ``arsfw_rate1``, ``arsfw_along``, ``arsfw_K``, ``lazy_regret``, …
related methods                ``svrf_rate``, ``spider_rate``, ``svfw_gap``, ``storm_rate``, …; ``SOURCES`` tells
constants of a problem         ``constants``: M, σ, L, D, r_S, …, each with its status
how far a number is to trust   ``Constant``, ``Bound``; of one run: ``Bounds``, ``Refused``, ``Theorems``
=============================  ====================================================================================
"""

# ruff: noqa: F403 - every module lists its public names
from importlib import import_module
from typing import TYPE_CHECKING, Any

from greedyhull.theory import bound, jones, nonsmooth, rates, related, stochastic
from greedyhull.theory.bound import *
from greedyhull.theory.jones import *
from greedyhull.theory.nonsmooth import *
from greedyhull.theory.rates import *
from greedyhull.theory.related import *
from greedyhull.theory.stochastic import *

if TYPE_CHECKING:
    from greedyhull.measures.constants import constants, jones_variance
    from greedyhull.measures.terms import expect_violation

__all__ = ["constants", "expect_violation", "jones_variance"]
__all__ += bound.__all__
__all__ += jones.__all__
__all__ += nonsmooth.__all__
__all__ += rates.__all__
__all__ += related.__all__
__all__ += stochastic.__all__

_MEASURED = {"constants": "constants", "jones_variance": "constants", "expect_violation": "terms"}

for _name in set(__all__) - set(_MEASURED):
    bound.describe(globals()[_name])


def __getattr__(name: str) -> Any:
    """What needs a problem is in `measures`, which imports this package, and is loaded when it is first used."""
    if name not in _MEASURED:
        raise AttributeError(f"module 'greedyhull.theory' has no attribute {name!r}")
    return getattr(import_module(f"greedyhull.measures.{_MEASURED[name]}"), name)  # names of the table


def __dir__() -> list[str]:
    return sorted(__all__)
