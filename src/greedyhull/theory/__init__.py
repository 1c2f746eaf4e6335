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

from importlib import import_module
from typing import TYPE_CHECKING, Any

from greedyhull.theory.arsfw import (
    ConstantWeights,
    UniformAverage,
    VariableWeights,
    arsfw,
    arsfw_along,
    arsfw_best_c,
    arsfw_K,
    arsfw_K_printed,
    arsfw_printed,
    arsfw_rate1,
    arsfw_rate1_printed,
    arsfw_recursion,
    lazy_regret,
    lazy_regret_printed,
)
from greedyhull.theory.bound import Bound, Bounds, Constant, Constants, Quantity, Refused, Status, Theorems
from greedyhull.theory.jones import (
    box_width,
    expected_jones_error,
    joint_jones_rate,
    jones_rate,
    l1_width,
    mean_jones_rate,
    pairwise_jones_error,
    pairwise_jones_rate,
    simplex_width,
    swap_steps,
    variance_reduced_jones_rate,
)
from greedyhull.theory.rates import (
    aggregate_rate,
    diverges,
    fw_to_jones,
    gap_rate,
    greedy_recursion,
    greedy_step,
    interior_rate,
    jones_to_fw,
    late_start_rate,
    limit,
    line_search_rate,
    linear_rate,
    multiplicative_rate,
    one_atom_lower,
    prune,
    rate,
    recursion,
    recursion_lower,
    remaining,
    warm_start_index,
    warm_start_rate,
    zhang,
)
from greedyhull.theory.related import (
    SOURCES,
    momentum_rate,
    online_cg_rate,
    spider_gap,
    spider_rate,
    storc_rate,
    storm_rate,
    svfw_gap,
    svrf_epoch_rate,
    svrf_rate,
)
from greedyhull.theory.stochastic import (
    Along,
    AnytimeAverage,
    AsRecorded,
    BetterSchedule,
    FixedHorizon,
    GrowingWeights,
    LastIterate,
    asfw,
    asfw_gap,
    asfw_line_search,
    asj,
    asj_gap,
    asj_printed,
    expect_rate,
    expected_error,
    without_replacement,
)

if TYPE_CHECKING:
    from greedyhull.measures.constants import constants, jones_variance
    from greedyhull.measures.terms import expect_violation

__all__ = [
    "SOURCES", "Along", "AnytimeAverage", "AsRecorded", "BetterSchedule", "Bound", "Bounds", "Constant", "ConstantWeights",
    "Constants", "FixedHorizon", "GrowingWeights", "LastIterate", "Quantity", "Refused", "Status", "Theorems",
    "UniformAverage", "VariableWeights", "aggregate_rate", "arsfw", "arsfw_K", "arsfw_K_printed", "arsfw_along",
    "arsfw_best_c", "arsfw_printed", "arsfw_rate1", "arsfw_rate1_printed", "arsfw_recursion", "asfw", "asfw_gap",
    "asfw_line_search", "asj", "asj_gap", "asj_printed", "box_width", "constants", "diverges", "expect_rate",
    "expect_violation", "expected_error", "expected_jones_error", "fw_to_jones", "gap_rate", "greedy_recursion", "greedy_step",
    "interior_rate", "joint_jones_rate", "jones_rate", "jones_to_fw", "jones_variance", "l1_width", "late_start_rate",
    "lazy_regret", "lazy_regret_printed", "limit", "line_search_rate", "linear_rate", "mean_jones_rate", "momentum_rate",
    "multiplicative_rate", "one_atom_lower", "online_cg_rate", "pairwise_jones_error", "pairwise_jones_rate", "prune", "rate",
    "recursion", "recursion_lower", "remaining", "simplex_width", "spider_gap", "spider_rate", "storc_rate", "storm_rate",
    "svfw_gap", "svrf_epoch_rate", "svrf_rate", "swap_steps", "variance_reduced_jones_rate", "warm_start_index",
    "warm_start_rate", "without_replacement", "zhang",
]

_MEASURED = {"constants": "constants", "jones_variance": "constants", "expect_violation": "terms"}


def __getattr__(name: str) -> Any:
    """What needs a problem is in `measures`, which imports this package, and is loaded when it is first used."""
    if name not in _MEASURED:
        raise AttributeError(f"module 'greedyhull.theory' has no attribute {name!r}")
    return getattr(import_module(f"greedyhull.measures.{_MEASURED[name]}"), name)  # names of the table


def __dir__() -> list[str]:
    return sorted(__all__)
