"""The rivals, one small function each: fit(X, y, alpha, tol) -> w of min f(w) + alpha‖w‖₁, without an intercept.

Each is given the data in the layout it works in, so that no conversion is timed, and enough iterations that only its
tolerance decides when it stops.
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.cases import column_major, row_major

Fit = Callable[[Any, Any, float, float], Any]


def sklearn_lasso(X: Any, y: Any, alpha: float, tol: float) -> Any:
    from sklearn.linear_model import Lasso

    return Lasso(alpha=alpha, tol=tol, fit_intercept=False, max_iter=1_000_000).fit(X, y).coef_


def sklearn_gram_lasso(X: Any, y: Any, alpha: float, tol: float) -> Any:
    from sklearn.linear_model import Lasso

    return Lasso(alpha=alpha, tol=tol, fit_intercept=False, max_iter=1_000_000, precompute=True).fit(X, y).coef_


def celer_lasso(X: Any, y: Any, alpha: float, tol: float) -> Any:
    from celer import Lasso

    return Lasso(alpha=alpha, tol=tol, fit_intercept=False, max_iter=1000).fit(X, y).coef_


def skglm_lasso(X: Any, y: Any, alpha: float, tol: float) -> Any:
    from skglm import Lasso

    return Lasso(alpha=alpha, tol=tol, fit_intercept=False, max_iter=1000).fit(X, y).coef_


def liblinear_logistic(X: Any, y: Any, alpha: float, tol: float) -> Any:
    from sklearn.linear_model import LogisticRegression

    C = 1.0 / (len(y) * alpha)
    return LogisticRegression(l1_ratio=1.0, C=C, solver="liblinear", tol=tol, fit_intercept=False, max_iter=100_000,
                              random_state=0).fit(X, y).coef_.ravel()


def celer_logistic(X: Any, y: Any, alpha: float, tol: float) -> Any:
    from celer import LogisticRegression

    return LogisticRegression(C=1.0 / (len(y) * alpha), tol=tol, fit_intercept=False, max_iter=1000).fit(X, y).coef_.ravel()


def skglm_logistic(X: Any, y: Any, alpha: float, tol: float) -> Any:
    from skglm import SparseLogisticRegression

    model = SparseLogisticRegression(alpha=alpha, tol=tol, fit_intercept=False, max_iter=1000, max_epochs=10_000)
    return model.fit(X, y).coef_.ravel()


def adelie_lasso(X: Any, y: Any, alpha: float, tol: float) -> Any:
    from adelie import glm

    return _adelie(X, glm.gaussian(y), alpha, tol)


def adelie_logistic(X: Any, y: Any, alpha: float, tol: float) -> Any:
    from adelie import glm

    return _adelie(X, glm.binomial(np.where(y > 0, 1.0, 0.0)), alpha, tol)


def _adelie(X: Any, model: Any, alpha: float, tol: float) -> Any:
    """One penalty, from zero; zeros where it gives up."""
    from adelie import grpnet, matrix

    held = (matrix.dense if isinstance(X, np.ndarray) else matrix.sparse)(X, method="naive", n_threads=1)
    state = grpnet(held, model, lmda_path=[alpha], intercept=False, early_exit=False, progress_bar=False, max_iters=10_000_000,
                   tol=tol, irls_tol=tol)
    return state.betas.toarray()[-1] if state.betas.shape[0] else np.zeros(X.shape[1])


@dataclass(frozen=True)
class Rival:
    """One way of solving one kind of problem; called as its function, with warnings about convergence silenced."""

    name: str
    kind: str
    package: str
    fit: Fit
    layout: Callable[[Any], Any] = column_major
    widest: int = 10**9  # columns beyond which it is not for such problems

    @property
    def present(self) -> bool:
        return importlib.util.find_spec(self.package) is not None

    def __call__(self, X: Any, y: Any, alpha: float, tol: float) -> Any:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return self.fit(X, y, alpha, tol)


RIVALS = (
    Rival("scikit-learn", "lasso", "sklearn", sklearn_lasso),
    Rival("scikit-learn Gram", "lasso", "sklearn", sklearn_gram_lasso, widest=5000),
    Rival("liblinear", "logistic", "sklearn", liblinear_logistic, row_major),
    Rival("celer", "lasso", "celer", celer_lasso),
    Rival("celer", "logistic", "celer", celer_logistic),
    Rival("skglm", "lasso", "skglm", skglm_lasso),
    Rival("skglm", "logistic", "skglm", skglm_logistic),
    Rival("adelie", "lasso", "adelie", adelie_lasso),
    Rival("adelie", "logistic", "adelie", adelie_logistic),
)


def absent() -> list[str]:
    """The packages that are not installed."""
    return sorted({rival.package for rival in RIVALS if not rival.present})
