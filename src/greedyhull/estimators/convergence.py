"""One warning for each fit: a fit may solve many problems, and says once how many of them missed ``tol``, and by how much."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from greedyhull.driver.solution import Solution
from greedyhull.kernels.threads import one_thread

F = TypeVar("F", bound=Callable[..., Any])
SOLVED = "_solved"  # where an estimator keeps the solves of a fit, while it lasts


def counted(estimator: Any, s: Solution) -> None:
    """Note a solve of the fit that is going on."""
    estimator.__dict__.setdefault(SOLVED, []).append((s.converged, s.reason, s.certificate.gap))


def warning_once(fit: F) -> F:
    """A fit that gathers what its solves missed into one ConvergenceWarning, issued where the fit was called."""

    @wraps(fit)
    def gathered(self: Any, *args: Any, **kwargs: Any) -> Any:
        self.__dict__.pop(SOLVED, None)
        try:
            with one_thread:
                fitted = fit(self, *args, **kwargs)
        finally:
            solved = self.__dict__.pop(SOLVED, [])
        missed = [(reason, np.inf if gap is None else float(gap)) for converged, reason, gap in solved if not converged]
        if missed:
            warnings.warn(message(missed, len(solved)), ConvergenceWarning, stacklevel=2)
        return fitted

    return gathered  # type: ignore[return-value]


def message(missed: list[tuple[str, float]], solves: int) -> str:
    """What to say about the solves, each a reason and a gap, that missed ``tol``.

    >>> message([("The 5 iterations allowed are used up.", 0.25)], 1)
    'The 5 iterations allowed are used up. The answer is certified to a gap of 0.25 all the same.'
    """
    reason, gap = max(missed, key=lambda one: one[1])
    if solves == 1:
        return f"{reason} The answer is certified to a gap of {gap:.3g} all the same."
    return (f"{len(missed)} of the {solves} problems of this fit did not reach the requested gap. The worst is certified to a "
            f"gap of {gap:.3g}: {reason}")
