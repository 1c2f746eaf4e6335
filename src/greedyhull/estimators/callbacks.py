"""scikit-learn's callbacks, where the installed version has them: told of a solve now and then, never at every iteration."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any, TypeVar

from sklearn.base import _fit_context

from greedyhull.estimators.convergence import warning_once
from greedyhull.estimators.labelled import by_row
from greedyhull.types import Objective

try:
    from sklearn.callback import CallbackSupportMixin as CallbackSupport
    from sklearn.callback import with_callbacks
except ImportError:  # before scikit-learn 1.9

    class CallbackSupport:  # type: ignore[no-redef]
        """Nothing to support."""

    def with_callbacks(method: Any) -> Any:
        """The method as it is."""
        return method


__all__ = ["ASKED", "CallbackSupport", "Heartbeat", "begin", "checked", "end"]

F = TypeVar("F", bound=Callable[..., Any])
ASKED = "A callback of scikit-learn asked to stop."
BETWEEN = 0.1  # seconds; telling scikit-learn's callbacks takes about as long as several hundred iterations


class Heartbeat:
    """A stop that tells the callbacks of an estimator about a solve, ten times a second, and stops when one asks for it."""

    def __init__(self, estimator: Any, f: Objective) -> None:
        self.estimator, self.f = estimator, f
        kept = vars(estimator)  # scikit-learn sets both attributes only where there are callbacks
        self.context = kept.get("_callback_fit_ctx") if kept.get("_skl_callbacks") else None
        self.due = 0.0

    @property
    def heard(self) -> bool:
        """Whether there are callbacks to tell."""
        return self.context is not None

    def __call__(self, event: Any) -> str | bool:
        if self.context is None or perf_counter() < self.due:
            return False
        told = self.context.subcontext(task_name=f"iteration {event.iteration}")
        told.call_on_fit_task_begin(estimator=self.estimator)
        attributes = self.estimator._attributes(event.point, self.f)
        stopped = bool(told.call_on_fit_task_end(estimator=self.estimator, reconstruction_attributes=attributes))
        self.due = perf_counter() + BETWEEN
        return ASKED if stopped else False


def begin(estimator: Any, X: Any, y: Any) -> None:
    """Open the context that the callbacks of this fit belong to."""
    if vars(estimator).get("_skl_callbacks"):
        context = estimator._init_callback_context(max_subtasks=None)
        context.call_on_fit_task_begin(estimator=estimator, X=X, y=y)


def end(estimator: Any, X: Any, y: Any) -> None:
    """Tell that the fit is done."""
    context = vars(estimator).get("_callback_fit_ctx")
    if context is not None:
        context.call_on_fit_task_end(estimator=estimator, X=X, y=y)


def checked(fit: F) -> F:
    """A fit whose parameters scikit-learn checks first, whose callbacks it closes, and which warns once at most."""
    managed: F = with_callbacks(_fit_context(prefer_skip_nested_validation=True)(by_row(fit)))
    return warning_once(managed)
