"""Objectives from labelled data: rows of one order, and coordinates that know their labels."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

from greedyhull.points.aligned import alike, keep, labelled, labels_of

P = ParamSpec("P")
R = TypeVar("R")


def by_label(*rows: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function align those of its arguments that have an entry for each row, the data first.

    The columns of the data are the coordinates of the objective that it returns, unless it has matrices for points.
    """
    def wrap(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def aligned(*args: P.args, **kwargs: P.kwargs) -> R:
            if not any(labelled(one) for one in (*args, *kwargs.values())):
                return function(*args, **kwargs)
            try:
                given = signature(function).bind(*args, **kwargs)
            except TypeError:  # the function raises it too, with a note
                return function(*args, **kwargs)
            there = [name for name in rows if name in given.arguments]
            given.arguments.update(zip(there, alike(*((name, given.arguments[name], 0) for name in there))[1], strict=True))
            made: Any = function(*given.args, **given.kwargs)
            columns = labels_of(given.arguments.get(rows[0]), 1)
            if columns is not None and len(made.domain) == 1:
                keep(made, columns)
            return made

        return aligned

    return wrap
