"""Labelled data for estimators: rows of one order, and columns that are found again.

scikit-learn takes targets and weights by position. Where both have labels and these differ, that is a wrong answer: rows are
aligned by label here. scikit-learn compares names of columns that are text; other names are compared here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from greedyhull.points.aligned import kept, labels_of, ordered, rows_alike

F = TypeVar("F", bound=Callable[..., Any])


def by_row(method: F) -> F:
    """A method whose arguments have an entry for each row, aligned; a fit remembers the labels of the columns."""

    @wraps(method)
    def aligned(self: Any, *args: Any, **kwargs: Any) -> Any:
        if method.__name__ == "fit":
            vars(self).pop("_labels", None)  # of an earlier fit
        bound = rows_alike(method, (self, *args), kwargs, "X", "pairs", "y", "values", "sample_weight", "groups")
        if bound is None:
            return method(self, *args, **kwargs)
        columns = labels_of(bound.arguments.get("X"), 1)
        if method.__name__ == "fit" and columns is not None:
            vars(self)["_labels"] = tuple(columns)
        return method(*bound.args, **bound.kwargs)

    if not method.__module__.startswith("greedyhull."):  # scikit-learn's links lead to its own pages
        aligned.__doc__ = re.sub(r":ref:`([^`<]+?) *<[^`]*>`", r"\1", method.__doc__ or "")
    return aligned  # type: ignore[return-value]


def by_column(model: Any, X: Any) -> Any:
    """Data to predict with their columns in the order of the fit, where names are no text; scikit-learn compares text."""
    columns = labels_of(X, 1)
    if columns is None or all(isinstance(name, str) for name in columns):
        return X
    return ordered(X, kept(model), "X", "the columns of the fit", 1)
