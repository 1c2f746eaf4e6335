"""Objectives and sets that are often mixed up, told apart before anything else is checked."""

from __future__ import annotations

from functools import lru_cache
from types import FunctionType
from typing import Any

import numpy as np

from greedyhull.atoms.base import AtomSet
from greedyhull.errors import GreedyhullError, check
from greedyhull.errors.given import shown


def check_problem(f: object, S: object) -> None:
    """Raise if f and S are swapped, or were not made yet."""
    classes: tuple[Any, Any] = (type(f), type(S))  # mypy takes no class for hashable
    if _told_apart(*classes):
        return
    check(not isinstance(f, AtomSet), lambda: f"f is {shown(f)}, which is a set; an objective is wanted. The objective comes "
                                              "first: minimize(f, S).")
    if isinstance(S, type):
        raise GreedyhullError(f"S is {shown(S)}; a set is wanted. Make one: {S.__name__}(...).")
    several = isinstance(S, list | tuple) and len(S) > 1 and all(isinstance(part, AtomSet) for part in S)
    check(not several, lambda: f"S is {shown(S)}; one set is wanted. For weights with a sum and bounds use Simplex(d, "
                               "upper=...); for other intersections, oracle(fn, d) with fn that minimises a linear form.")
    check(not isinstance(S, np.ndarray | list), lambda: f"S is {shown(S)}; a set is wanted. Vertices(S) is the convex hull of "
                                                        "the rows of a matrix.")
    check(not isinstance(f, np.ndarray | list), lambda: f"f is {shown(f)}; an objective is wanted. For data X and y write "
                                                        "minimize(least_squares(X, y), S).")
    if isinstance(f, FunctionType) and f.__module__.startswith("greedyhull."):
        raise GreedyhullError(f"f is {shown(f)}; an objective is wanted. Call the function with your data: {f.__name__}(...).")


@lru_cache(maxsize=256)
def _told_apart(f: type, S: type) -> bool:
    """Whether objects of the class S are sets, and those of f nothing that is often given in place of an objective."""
    return issubclass(S, AtomSet) and not issubclass(f, (AtomSet, np.ndarray, list, FunctionType))
