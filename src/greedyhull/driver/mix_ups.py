"""Objectives and sets that are often mixed up, told apart before anything else is checked."""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numpy as np

from greedyhull.atoms.base import AtomSet
from greedyhull.errors import check
from greedyhull.errors.given import shown


def check_problem(f: Any, S: Any) -> None:
    """Raise if f and S are swapped, or were not made yet."""
    if isinstance(S, AtomSet) and not isinstance(f, (AtomSet, np.ndarray, list, FunctionType)):
        return
    check(not isinstance(f, AtomSet), lambda: f"f is {shown(f)}, which is a set; an objective is wanted. The objective comes "
                                              "first: minimize(f, S).")
    check(not isinstance(S, type), lambda: f"S is {shown(S)}; a set is wanted. Make one: {S.__name__}(...).")
    check(not isinstance(S, np.ndarray | list), lambda: f"S is {shown(S)}; a set is wanted. Vertices(S) is the convex hull of "
                                                        "the rows of a matrix.")
    check(not isinstance(f, np.ndarray | list), lambda: f"f is {shown(f)}; an objective is wanted. For data X and y write "
                                                        "minimize(least_squares(X, y), S).")
    ours = isinstance(f, FunctionType) and f.__module__.startswith("greedyhull.")
    check(not ours, lambda: f"f is {shown(f)}; an objective is wanted. Call the function with your data: {f.__name__}(...).")
