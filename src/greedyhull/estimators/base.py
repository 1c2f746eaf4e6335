"""What the estimators share: data and targets go in, an objective and a set are made, a certified solution comes out."""

from __future__ import annotations

from functools import lru_cache
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import _check_sample_weight

from greedyhull.atoms.arguments import HUGE
from greedyhull.driver.combined import Either
from greedyhull.driver.minimize import minimize
from greedyhull.driver.solution import Solution
from greedyhull.driver.stop import Callback, Iterations, Relative, Stalled, Stop
from greedyhull.errors import check
from greedyhull.estimators.callbacks import ASKED, CallbackSupport, Heartbeat
from greedyhull.estimators.convergence import counted
from greedyhull.points.arrays import is_sparse
from greedyhull.types import Array, AtomSet, Objective

FLOATS = (np.float64, np.float32)
LARGEST = 1e16  # in float32; in float64 it is that of sets, HUGE
STILL = 300  # iterations without any improvement after which rounding is to blame: a fit has no limit of seconds


class Certified(CallbackSupport, BaseEstimator):  # type: ignore[misc]
    """An estimator whose fit is one or more solves, each with its certificate."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "fit_intercept": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    # what every subclass takes, with scikit-learn's names
    fit_intercept: bool
    tol: float
    max_iter: int
    random_state: Any
    verbose: Any

    # what every fit leaves behind; where classes are told apart one by one, lists with one entry for each
    certificate_: Any
    solution_: Any
    trace_: Any
    n_iter_: int
    dual_gap_: float

    @classmethod
    def _get_param_names(cls) -> list[str]:
        """The names of the parameters, as scikit-learn finds them; it inspects the signature anew for every fit."""
        key: Any = cls  # mypy takes no class for hashable
        return list(_parameters(key))

    def _solve(self, f: Objective, S: AtomSet, start: Any = None) -> Solution:
        """One solve, to a certified gap of ``tol``·max(|loss|, f.scale)."""
        return self._counted(self._run(f, S, Relative(float(self.tol)), start))

    def _counted(self, s: Solution) -> Solution:
        """Note a solve for the one warning of the fit; one that a callback ended was meant to end early."""
        if s.reason != ASKED:
            counted(self, s)
        return s

    def _run(self, f: Objective, S: AtomSet, wanted: Stop, start: Any = None) -> Solution:
        """One solve, until what is ``wanted`` or the end of patience."""
        seed = 0 if self.random_state is None else int(check_random_state(self.random_state).randint(2**31 - 1))
        asked = _until(wanted, int(self.max_iter))
        heart = Heartbeat(self, f)
        stop = asked | Callback(heart) if heart.heard else asked
        s = minimize(f, S, start=start, stop=stop, seed=seed, progress=bool(self.verbose))
        s.stop = asked  # without the callback, which holds the data and this estimator
        return s

    def _keep(self, solutions: list[Solution], dtype: Any) -> None:
        """The attributes that every fit leaves behind; of several solves, one for each class, lists of them."""
        first, several = solutions[0], len(solutions) > 1
        for s in solutions:
            s.names = self._names() if len(s.point.shape) == 1 else self._entry_names()
        self.certificate_ = [s.certificate for s in solutions] if several else first.certificate
        self.trace_ = [s.trace for s in solutions] if several else first.trace
        self.solution_ = solutions if several else first
        self.n_iter_ = max(max(s.iterations for s in solutions), 1)
        self.dual_gap_ = max(np.inf if s.certificate.gap is None else float(s.certificate.gap) for s in solutions)

    def _names(self) -> list[str] | None:
        """What the weights are called in reports."""
        return self._feature_names()

    def _entry_names(self) -> list[str] | None:
        """What the entries of a matrix are called in reports, row by row: features, each with every class."""
        names, classes = self._feature_names(), vars(self).get("classes_")
        if names is None or classes is None:
            return None
        return [f"{name}, {label}" for name in names for label in classes.tolist()]

    def _feature_names(self) -> list[str] | None:
        """The names of the columns, where the data had them."""
        names = vars(self).get("feature_names_in_")
        return None if names is None else [str(name) for name in names]


@lru_cache(maxsize=64)
def _parameters(cls: type) -> tuple[str, ...]:
    return tuple(super(Certified, cls)._get_param_names())  # type: ignore[misc]


@lru_cache(maxsize=64)
def _until(wanted: Stop, iterations: int) -> Stop:
    """What is ``wanted``, or the end of patience. Stops are settings and hold nothing of a run."""
    return Either((wanted, Iterations(iterations), Stalled(STILL)))


def bounded(A: Any, name: str, dtype: Any) -> None:
    """Refuse numbers whose squares, summed, would overflow in ``dtype``."""
    data = A.data if is_sparse(A) else A
    check(data.dtype.kind in "biuf", lambda: f"{name} has dtype {data.dtype}; numbers are wanted.")
    most = LARGEST if dtype == np.float32 else HUGE
    if data.dtype.kind == "f" and _square(data) <= most * most:  # no entry is larger than all of them together
        return
    largest = max(float(data.max(initial=0.0)), -float(data.min(initial=0.0)))
    check(largest <= most, lambda: f"{name} has entries as large as {largest:.3g}: sums of their squares overflow in {dtype}. "
                                   f"Scale it down, to entries of at most {most:g}.")


def plain(A: Any, ndim: int = 2) -> bool:
    """Whether it is a float64 array, not empty, of finite numbers whose squares do not overflow.

    scikit-learn hands data and targets like these on as they are. Its checks take longer than a small solve.
    """
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
    check(bool((s >= 0.0).all()) and float(s.sum()) > 0.0, "sample_weight has a negative entry or sums to zero; non-negative "
                                                           "weights, not all zero, are wanted.")
    return s
