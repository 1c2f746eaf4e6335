"""The bounds of the paper as functions: what a greedy method promises, computed from its constants.

Throughout, e_k = f(w_k) - f* is the error after k steps, M the curvature of f over the hull (Lemma 1), and c the
quality of the oracle: at the step η_k of the *schedule* a c-FW atom is within c η_k of the best linear score, a
c-Jones atom within c η_k² of the best value of f. B = M/2 + c. Every function raises an error for an infinite curvature.

`rates` has the recursions of any recorded steps, Theorem 2 and its relatives, and what no method can beat; `jones` the choice
by values and pairwise steps; `stochastic` growing batches and gradient estimators; `nonsmooth` ARSFW; `related` other methods,
with ``SOURCES``; `bound` constants and bounds with their status. ``constants`` computes those of a problem.
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
