"""Objectives from labelled data: rows of one order, and coordinates that keep their labels."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

from greedyhull.points.aligned import keep, labels_of, rows_alike

P = ParamSpec("P")
R = TypeVar("R")


def by_label(*rows: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function align those of its arguments that have an entry for each row, the data first.

    The columns of the data are the coordinates of the objective that it returns, unless its points are matrices.
    """
    def wrap(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def aligned(*args: P.args, **kwargs: P.kwargs) -> R:
            bound = rows_alike(function, args, kwargs, *rows)
            if bound is None:
                return function(*args, **kwargs)
            made: Any = function(*bound.args, **bound.kwargs)
            if len(made.domain) == 1:
                keep(made, labels_of(bound.arguments.get(rows[0]), 1))
            return cast(R, made)

        return aligned

    return wrap
