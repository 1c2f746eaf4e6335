"""What the estimators share: data, labels, folds, objective, solution, warnings and callbacks."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Iterable
from functools import lru_cache, wraps
from numbers import Integral, Real
from pathlib import Path
from time import perf_counter
from types import FrameType
from typing import Any, ClassVar, TypeVar, cast

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import _check_sample_weight

from greedyhull.atoms.arguments import HUGE
from greedyhull.driver.checkpoint import target_of
from greedyhull.driver.run import minimize
from greedyhull.driver.solution import Solution
from greedyhull.driver.stop import Callback, Either, Iterations, Relative, Stalled, Stop
from greedyhull.errors import GreedyhullError, check
from greedyhull.kernels.core import one_thread
from greedyhull.points.aligned import kept, labels_of, ordered, rows_alike
from greedyhull.points.arrays import is_sparse
from greedyhull.types import Array, AtomSet, Index, Objective


def caller_level() -> int:
    """The ``stacklevel`` of the nearest line outside greedyhull and scikit-learn, for a warning issued by the caller."""
    frame: FrameType | None = sys._getframe(1)
    level = 1
    while frame is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] in ("greedyhull", "sklearn"):
        frame, level = frame.f_back, level + 1
    return level


F = TypeVar("F", bound=Callable[..., Any])
SOLVED = "_solved"  # where an estimator keeps the solves of a fit, while it lasts


def counted(estimator: Any, s: Solution) -> Solution:
    """Note a solve for the one warning of the fit; one that a callback ended was meant to end early."""
    if s.reason != ASKED:
        estimator.__dict__.setdefault(SOLVED, []).append((s.converged, s.reason, s.certificate.gap))
    return s


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
            reason, worst = max(missed, key=lambda one: one[1])
            said = f"{reason} The answer is certified to a gap of {worst:.3g} all the same."
            if len(solved) > 1:
                said = (f"{len(missed)} of the {len(solved)} problems of this fit did not reach the requested gap. The worst "
                        f"is certified to a gap of {worst:.3g}: {reason}")
            warnings.warn(said, ConvergenceWarning, stacklevel=2)
        return fitted

    return gathered  # type: ignore[return-value]


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


try:
    from sklearn.callback import CallbackSupportMixin as CallbackSupport
    from sklearn.callback import with_callbacks
except ImportError:  # before scikit-learn 1.9

    class CallbackSupport:  # type: ignore[no-redef]
        """Nothing to support."""

    def with_callbacks(method: Any) -> Any:
        """The method as it is."""
        return method


ASKED = "A callback of scikit-learn asked to stop."


class CallbackAdapter:
    """A stop that calls the callbacks of an estimator ten times a second, and stops when one of them requests it."""

    def __init__(self, estimator: Any, f: Objective) -> None:
        self.estimator, self.f = estimator, f
        kept = vars(estimator)  # scikit-learn sets both attributes only where there are callbacks
        self.context = kept.get("_callback_fit_ctx") if kept.get("_skl_callbacks") else None
        self.due = 0.0

    def __call__(self, event: Any) -> str | bool:
        if self.context is None or perf_counter() < self.due:
            return False
        told = self.context.subcontext(task_name=f"iteration {event.iteration}")
        told.call_on_fit_task_begin(estimator=self.estimator)
        attributes = self.estimator._attributes(event.point, self.f)
        stopped = bool(told.call_on_fit_task_end(estimator=self.estimator, reconstruction_attributes=attributes))
        # seconds; telling scikit-learn's callbacks takes about as long as several hundred iterations
        self.due = perf_counter() + 0.1
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


def write_report(solution: Solution, path: str | Path, *sentences: str) -> Path:
    """Write the page; ``sentences`` open it, and empty ones are left out."""
    from greedyhull.report import write

    solution._need("report")
    return write(solution, target_of(path), names=solution.names, things="features",
                 opening=[sentence for sentence in sentences if sentence])


def class_weighted(given: dict[Any, float] | str | None, classes: Array, labels: Array, s: Array | None) -> Array | None:
    """The sample weights s times those of the classes; ``labels`` number the ``classes``.

    "balanced" gives class c the weight S/(K·S_c) with S_c the sum of the sample weights in it: all classes count the same.

    >>> class_weighted("balanced", np.array(["a", "b"]), np.array([0, 0, 0, 1]), None).round(3).tolist()
    [0.667, 0.667, 0.667, 2.0]
    """
    if given is None:
        return s
    own = np.ones(len(labels)) if s is None else s
    if isinstance(given, str):
        sums = np.bincount(labels, weights=own, minlength=len(classes))
        weights = np.divide(own.sum(), len(classes) * sums, out=np.zeros(len(classes)), where=sums > 0.0)
    else:
        weights = np.asarray(compute_class_weight(given, classes=classes, y=classes[labels]), dtype=np.float64)
    product: Array = own * weights[labels]
    check(bool(np.isfinite(product).all() and (weights >= 0.0).all()) and float(product.sum()) > 0.0,
          f"class_weight={given!r} was given; non-negative weights, not all zero, are wanted.")
    return product


Fold = tuple[Index, Index]  # the rows to train with, and those left out


def folds_of(splits: Iterable[Any], n: int, s: Array | None, classes: tuple[Array, Array] | None = None) -> list[Fold]:
    """The folds with their rows as numbers; ``classes`` are the labels of the rows, as numbers, and what these stand for."""
    folds = [(_rows(train, n), _rows(test, n)) for train, test in splits]
    check(len(folds) > 0, "cv gives no folds. A generator is empty after one fit: pass a list, cv=list(...).")
    for i, (train, test) in enumerate(folds, 1):
        for rows, what in ((train, "trains with"), (test, "leaves out")):
            counted = rows if s is None else rows[s[rows] > 0.0]
            check(len(counted) > 0, f"Fold {i} of {len(folds)} {what} no sample of positive weight. Give other folds.")
            if classes is None or rows is test:
                continue
            labels, names = classes
            missing = np.setdiff1d(np.arange(len(names)), labels[counted])
            shown = ", ".join(repr(name) for name in names[missing].tolist())
            kinds, them = ("class", "it") if len(missing) == 1 else ("classes", "them")
            check(not len(missing), f"Fold {i} of {len(folds)} has no sample of the {kinds} {shown} to train with. Use "
                                    f"StratifiedKFold with fewer folds, give more samples of {them}, or leave {them} out.")
    return folds


def splits_of(splitter: Any, X: Any, y: Array, groups: Any) -> Iterable[Any]:
    """What a splitter of scikit-learn gives for the data; ``groups`` is one label for each row, or None."""
    if groups is not None:
        groups = np.asarray(groups)
        check(groups.ndim == 1 and len(groups) == len(y),
              f"groups has shape {groups.shape}; one label for each of the {len(y)} samples is wanted.")
    return cast("Iterable[Any]", splitter.split(X, y, groups))


def _rows(given: Any, n: int) -> Index:
    """Numbers of rows, given so or as a mask."""
    rows = np.asarray(given)
    try:
        return np.asarray(np.arange(n)[rows if rows.size else rows.astype(np.intp)])
    except IndexError as error:
        raise GreedyhullError(f"cv gives {given!r} for the rows of a fold; numbers from 0 to {n - 1} are wanted.") from error


FLOATS = (np.float64, np.float32)
POSITIVE = Interval(Real, 0, None, closed="neither")
STILL = 300  # iterations without any improvement after which rounding is to blame: a fit has no limit of seconds


class Certified(CallbackSupport, BaseEstimator):  # type: ignore[misc]
    """An estimator whose fit is one or more solves, each with its certificate."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {  # of which each estimator has some; losses are its own
        **{name: ["boolean"] for name in ("fit_intercept", "standardize", "positive", "warm_start")},
        **{name: [POSITIVE] for name in ("radius", "total", "delta")},
        **{name: [Interval(Real, 0, 1, closed="neither")] for name in ("quantile", "eps")},
        "alpha": [None, POSITIVE],
        "upper": [None, POSITIVE, "array-like"],
        "groups": [None, "array-like"],
        "class_weight": [None, dict, StrOptions({"balanced"})],
        "radii": [Interval(Integral, 1, None, closed="left"), "array-like"],
        "cv": ["cv_object"],
        "select": [StrOptions({"best", "one_se"})],
        "n_jobs": [None, Integral],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    fit_intercept: bool
    tol: float
    max_iter: int
    random_state: Any
    verbose: Any
    # attributes of every fit; where classes are fitted one against the rest, lists with one entry for each
    certificate_: Any
    solution_: Any
    trace_: Any
    n_iter_: int
    dual_gap_: float

    def _store(self, given: dict[str, Any]) -> None:
        """Keep the parameters of ``__init__``, its local variables, under their names."""
        self.__dict__.update((name, value) for name, value in given.items() if name != "self")

    @classmethod
    def _get_param_names(cls) -> list[str]:
        """The names of the parameters, as scikit-learn finds them; it inspects the signature anew for every fit."""
        key: Any = cls  # mypy takes no class for hashable
        return list(_parameters(key))

    def _solve(self, f: Objective, S: AtomSet, start: Any = None) -> Solution:
        """One solve, to a certified gap of ``tol``·max(|loss|, f.scale)."""
        return counted(self, self._run(f, S, Relative(float(self.tol)), start))

    def _run(self, f: Objective, S: AtomSet, wanted: Stop, start: Any = None) -> Solution:
        """One solve, until what is ``wanted`` or the end of patience."""
        asked = Either((wanted, Iterations(int(self.max_iter)), Stalled(STILL)))
        callbacks = CallbackAdapter(self, f)
        stop = asked if callbacks.context is None else asked | Callback(callbacks)
        s = minimize(f, S, start=start, stop=stop, seed=self._seed(), progress=bool(self.verbose))
        s.stop = asked  # without the callback, which holds the data and this estimator
        return s

    def _seed(self) -> int:
        return 0 if self.random_state is None else int(check_random_state(self.random_state).randint(2**31 - 1))

    def _keep(self, solutions: list[Solution], dtype: Any) -> None:
        """The attributes that every fit leaves behind; of several solves, one for each class, lists of them."""
        first, several = solutions[0], len(solutions) > 1
        for s in solutions:
            s.names = self._names(len(s.point.shape))
        self.certificate_ = [s.certificate for s in solutions] if several else first.certificate
        self.trace_ = [s.trace for s in solutions] if several else first.trace
        self.solution_ = solutions if several else first
        self.n_iter_ = max(max(s.iterations for s in solutions), 1)
        self.dual_gap_ = max(np.inf if s.certificate.gap is None else float(s.certificate.gap) for s in solutions)

    def _names(self, axes: int) -> list[str] | None:
        """What reports call the weights; those of a matrix row by row, features, each with every class."""
        names, classes = self._feature_names(), vars(self).get("classes_")
        if names is None or axes == 1:
            return names
        return None if classes is None else [f"{name}, {label}" for name in names for label in classes.tolist()]

    def _feature_names(self) -> list[str] | None:
        """The names of the columns, where the data had them."""
        names = vars(self).get("feature_names_in_")
        return None if names is None else [str(name) for name in names]


@lru_cache(maxsize=64)
def _parameters(cls: type) -> tuple[str, ...]:
    return tuple(super(Certified, cls)._get_param_names())  # type: ignore[misc]


def bounded(A: Any, name: str, dtype: Any) -> None:
    """Refuse numbers whose squares, summed, would overflow in ``dtype``."""
    data = A.data if is_sparse(A) else A
    check(data.dtype.kind in "biuf", lambda: f"{name} has dtype {data.dtype}; numbers are wanted.")
    most = 1e16 if dtype == np.float32 else HUGE  # in float32; in float64 it is that of sets, HUGE
    if data.dtype.kind == "f" and _square(data) <= most * most:  # no entry is larger than all of them together
        return
    largest = max(float(data.max(initial=0.0)), -float(data.min(initial=0.0)))
    check(largest <= most, lambda: f"{name} has entries as large as {largest:.3g}: sums of their squares overflow in {dtype}. "
                                   f"Scale it down, to entries of at most {most:g}.")


def plain(A: Any, ndim: int = 2) -> bool:
    """Whether scikit-learn would pass it on unchanged: finite float64; its checks take longer than a small solve."""
    if type(A) is not np.ndarray or A.ndim != ndim or A.dtype != np.float64 or not A.size:
        return False
    return _square(A) <= HUGE * HUGE  # which is finite, and so are all terms of a smaller sum


def _square(data: Array) -> float:
    """Σ data²; infinite where that overflows."""
    flat = data.ravel(order="K")
    return float(np.vdot(flat, flat))  # which, unlike `dot`, tells nobody of overflow


def weights_of(sample_weight: Any, X: Any) -> Array | None:
    """sample_weight as a vector, None where all samples count alike."""
    if sample_weight is None:
        return None
    s = np.asarray(_check_sample_weight(sample_weight, X, dtype=np.float64))
    check(bool((s >= 0.0).all()) and float(s.sum()) > 0.0, "sample_weight has a negative entry or sums to zero.")
    return s
