"""Predictions of the models of an ensemble, and selection for any metric."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, softmax
from sklearn import get_config
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline, _name_estimators
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, has_fit_parameter

from greedyhull.errors import GreedyhullError, GreedyhullWarning, check
from greedyhull.estimators.base import bounded, caller_level
from greedyhull.kernels.core import user
from greedyhull.points.arrays import is_sparse
from greedyhull.types import Array, Index, lacks, own

ROUNDING = 1e-3  # probabilities may miss [0, 1], and their sum 1, by so much: float32, or a few digits in a file
Named = tuple[str, Any]  # models are whatever has predict or predict_proba, scikit-learn's or not


def named(models: Sequence[Any], method: str) -> list[Named]:
    """The models with their names: pairs as scikit-learn's VotingClassifier takes them, or models named by their class."""
    check(len(models) > 0, "models is empty; one model or more are wanted.")
    for model in models:
        check(not isinstance(model, type), f"models holds a class, {model!r}; an instance of it is wanted.")
    bare = iter(_name_estimators([model for model in models if not _pair(model)]))
    pairs = [model if _pair(model) else next(bare) for model in models]
    names = [name for name, _ in pairs]
    twice = sorted({name for name in names if names.count(name) > 1})
    check(not twice, f"models has several named {', '.join(twice)}; each needs a name of its own.")
    for name, model in pairs:
        check(not isinstance(model, type), f"The model {name!r} is a class, {model!r}; an instance of it is wanted.")
        # models come from any library, and may have the method or not
        check(callable(getattr(model, method, None)), f"The model {name!r}, {model!r}, has no {method}.")
    return pairs


def _pair(model: Any) -> bool:
    return isinstance(model, tuple) and len(model) == 2 and isinstance(model[0], str)


def _asked(name: str, method: Callable[[Any], Any], X: Any) -> Any:
    """What a fitted model says of X."""
    try:
        return user(method, X)
    except NotFittedError as error:
        raise GreedyhullError(f"The model {name!r} is not fitted. Fit it with other data than these, or give cv=5.") from error


def predictions(models: list[Named], X: Any) -> Array:
    """What each predicts for X, which is handed on untouched; one column a model."""
    n = _num_samples(X)
    Z = np.empty((n, len(models)))
    for j, (name, model) in enumerate(models):
        y = np.asarray(_asked(name, model.predict, X))
        y = y.ravel() if y.shape == (n, 1) else y
        check(y.shape == (n,) and y.dtype.kind in "biuf",
              f"The model {name!r} must predict {n} numbers, one for each sample; got shape {y.shape} of dtype {y.dtype}.")
        lost = np.count_nonzero(~np.isfinite(y))
        check(lost == 0, f"The model {name!r} predicts NaN or infinity for {lost} of {n} samples. Leave it out, or fix it.")
        bounded(y, f"What the model {name!r} predicts", np.dtype(np.float64))
        Z[:, j] = y
    return Z


def classes_of(models: list[Named], own: Array) -> Array:
    """The classes that y or a model knows, sorted; those of y must be known to some model."""
    known = [np.asarray(model.classes_) for _, model in models if not lacks(model, "classes_")]
    if len(known) == len(models):
        heard = {label for some in known for label in some.tolist()}
        strange = [label for label in own.tolist() if label not in heard]
        check(not strange, f"y holds the class {strange[:1]!r}, which none of the models was fitted with: they know "
                           f"{sorted(map(str, heard))[:5]}. Give targets as the models had them.")
    return np.unique(np.concatenate([own, *known]))


def probabilities(models: list[Named], X: Any, classes: Array) -> Array:
    """(samples, classes, models): what each holds likely; a class that a model was not fitted with has probability zero."""
    n = _num_samples(X)
    P = np.zeros((n, len(classes), len(models)))
    for j, (name, model) in enumerate(models):
        own = np.asarray(classes if lacks(model, "classes_") else model.classes_)
        p, shape = np.asarray(_asked(name, model.predict_proba, X)), (n, len(own))
        check(p.shape == shape and p.dtype.kind in "biuf",
              f"The model {name!r} must give probabilities of shape {shape}; got {p.shape} of dtype {p.dtype}.")
        p = p.astype(np.float64)
        fault = improbable(p)
        check(not fault, f"The model {name!r} gives probabilities {fault}. Calibrate it: each row must sum to one.")
        p = np.maximum(p, 0.0)
        P[:, np.searchsorted(classes, own), j] = p / p.sum(axis=1, keepdims=True)
    return P


def improbable(p: Array) -> str:
    """What is wrong with rows of probabilities, in words; empty where nothing is, up to rounding."""
    outside = ~((p >= -ROUNDING) & (p <= 1.0 + ROUNDING))  # NaN too
    if outside.any():
        return f"such as {p[outside][0]:.6g}"
    sums = p.sum(axis=1)
    row = int(np.abs(sums - 1.0).argmax())
    return f"that sum to {sums[row]:.6g} in row {row}" if abs(sums[row] - 1.0) > ROUNDING else ""


TINY = 1e-15  # probabilities below it are taken for it, as log-losses usually do


class Columns(NamedTuple):
    """How the columns are read: K classes; votes, or else which models give scores and not probabilities."""

    K: int
    votes: bool
    scored: Array
    names: list[str]

    def read(self, X: Array) -> Array:
        """(samples, classes, models)."""
        if self.votes:
            votes = np.clip(np.rint(X), 0, self.K - 1)
            return np.stack([votes == k for k in range(self.K)], axis=1).astype(np.float64)
        B = blocks(X, self.K)
        outside = ((B < -ROUNDING) | (B > 1.0 + ROUNDING)).any(axis=(0, 1)) & ~self.scored
        check(not outside.any(), lambda: f"X must hold probabilities as in the fit; {self.names[int(outside.argmax())]} has "
                                         "entries outside [0, 1].")
        P = np.clip(B, 0.0, 1.0)
        if self.K == 2:
            P[:, :, self.scored] = expit(B[:, :, self.scored])
            return np.concatenate([1.0 - P, P], axis=1)
        P[:, :, self.scored] = softmax(B[:, :, self.scored], axis=1)
        return np.asarray(P / np.maximum(P.sum(axis=1, keepdims=True), TINY))

    def of_truth(self, X: Array, labels: Array) -> Array:
        """(samples, models): what each model gives the class ``labels`` of a sample, for the X these columns were read of."""
        if self.votes or self.K > 2:
            P = self.read(X)
            return np.asarray(P[np.arange(len(P)), labels])
        P = np.clip(X, 0.0, 1.0)
        if self.scored.any():
            P[:, self.scored] = expit(X[:, self.scored])
        return np.subtract(1.0, P, out=P, where=(labels == 0)[:, None])


def blocks(X: Array, K: int) -> Array:
    """(samples, columns of a model, models): one column a model for two classes, else K."""
    if K == 2:
        return X[:, None, :]
    return X.reshape(len(X), X.shape[1] // K, K).transpose(0, 2, 1)


def columns_of(X: Array, K: int, named: Sequence[str] | None) -> Columns:
    """How to read X: no blocks of K columns are votes, models with negative entries give scores, others probabilities.

    Those that do not sum to one are an error when other models give probabilities; alone, entries above 1 are scores and
    others probabilities to be scaled, with a warning.
    """
    votes = K > 2 and X.shape[1] % K > 0
    names = labels(X.shape[1], 1 if votes else K, named)
    if votes:
        if not np.array_equal(np.clip(np.rint(X), 0, K - 1), X):
            warnings.warn(f"X has {X.shape[1]} columns and y {K} classes. For probabilities give blocks of {K} columns, one "
                          "for each model, with the classes in sorted order. Here each column is taken for the number of the "
                          "class that a model votes for, rounded.", GreedyhullWarning, stacklevel=caller_level())
        return Columns(K, True, np.zeros(X.shape[1], dtype=bool), names)
    B = blocks(X, K)
    low, high = B.min(axis=(0, 1)), B.max(axis=(0, 1))
    negative, above = low < -ROUNDING, high > 1.0 + ROUNDING
    summed = np.ones(len(low), dtype=bool) if K == 2 else (np.abs(B.sum(axis=1) - 1.0) <= ROUNDING).all(axis=0)
    probable = ~negative & ~above & summed
    if not (probable | negative).all():
        j = int((probable | negative).argmin())
        off = f"entries reach from {low[j]:.4g} to {high[j]:.4g}" if above[j] else "rows do not sum to one"
        fault = f"In {names[j]} of X {off}: these are no probabilities, and scores would have both signs."
        check(not probable.any(), f"{fault} Other models give probabilities. Calibrate this one, so that its numbers lie in "
                                  "[0, 1] and sum to one over the classes, or leave it out.")
        warnings.warn(f"{fault} Entries above 1 are taken for scores, others for probabilities to be scaled.",
                      GreedyhullWarning, stacklevel=caller_level())
    return Columns(K, False, negative | above, names)


def labels(columns: int, K: int, named: Sequence[str] | None) -> list[str]:
    """Return what messages call the columns of each model: "columns 0 to 2", or "column 'tree'"."""
    called = [str(j) for j in range(columns)] if named is None else [repr(str(name)) for name in named]
    if K <= 2:
        return [f"column {name}" for name in called]
    return [f"columns {called[j]} to {called[j + K - 1]}" for j in range(0, columns, K)]


def refitted(models: list[Named], X: Any, y: Array, s: Array | None, rows: Index | None = None,
             where: str = " with all samples") -> list[Named]:
    """Clones of the models, fitted with some of the rows, or with all; errors get a note ``where`` this happened."""
    if rows is not None:
        X, y, s = _safe_indexing(X, rows), y[rows], None if s is None else s[rows]
    fitted = []
    for name, model in models:
        fresh, takes = clone(model, safe=False), weights_name(model)
        try:
            user(fresh.fit, X, y, **({} if s is None or not takes else {takes: s}))
        except Exception as error:
            error.add_note(f"This happened as the model {name!r} of the ensemble was fitted{where}.")
            raise
        fitted.append((name, fresh))
    return fitted


def weights_name(model: Any) -> str:
    """The name under which ``model.fit`` takes weights of samples, of a pipeline its last step; empty where it takes none.

    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> weights_name(Ridge()), weights_name(Pipeline([("ridge", Ridge())])), weights_name(KNeighborsRegressor())
    ('sample_weight', 'ridge__sample_weight', '')
    """
    if isinstance(model, Pipeline):
        last, final = model.steps[-1]
        inner = weights_name(final)
        routed = get_config().get("enable_metadata_routing", False)  # then a pipeline hands on what its steps request
        return "" if not inner else "sample_weight" if routed else f"{last}__{inner}"
    return "sample_weight" if has_fit_parameter(model, "sample_weight") else ""


def check_models(models: list[Named], s: Array | None) -> None:
    """Refuse models that cannot be fitted; warn of those that take no weights of samples where there are some."""
    for name, model in models:
        check(not lacks(model, "fit") and callable(model.fit), f"cv needs models with fit; {name!r}, {model!r}, has no fit.")
    without = [repr(name) for name, model in models if not weights_name(model)]
    if s is not None and without:
        warnings.warn(f"fit of {', '.join(without)} takes no sample_weight: fitted without. The weights of the ensemble are "
                      "fitted with it.", GreedyhullWarning, stacklevel=caller_level())


def warn_if_seen(models: list[Named], X: Any, residuals: Array, scale: float) -> None:
    """Warn of models that seem to know the data; ``residuals`` has samples in the first axis and models in the last."""
    signs = [(name, sign) for j, (name, model) in enumerate(models) if (sign := _sign(model, X, residuals[..., j], scale))]
    if signs:
        said = "; ".join(f"{name!r} {sign}" for name, sign in signs)
        warnings.warn(f"Models seem to have been fitted on the data that the weights are fitted on: {said}. Such weights "
                      "favour models that overfit. Fit the weights on data that the models have not seen, or give cv=5 to "
                      "have out-of-fold predictions made.", GreedyhullWarning, stacklevel=caller_level())


def _sign(model: Any, X: Any, r: Array, scale: float) -> str:
    """What tells that a model knows the data, in words; empty where nothing does."""
    if _keeps(model, X):
        return "holds these samples as its training data"
    if len(r) < 10:  # samples below which exact predictions mean nothing
        return ""
    if scale > 0.0 and float(np.abs(r).max()) <= 1e-12 * scale:  # of the largest target
        return "predicts every target exactly"
    # the sum of residuals over the sum of their sizes; on other data it is about 1/√n
    if r.ndim == 1 and abs(float(r.sum())) <= 1e-7 * float(np.abs(r).sum()) and 2 * len(np.unique(r)) >= len(r):
        return "has residuals that sum to zero"
    return ""


def _keeps(model: Any, X: Any) -> bool:
    """Whether a model holds the rows of X: all of them, or support vectors with their places."""
    inside = own(model)
    if is_sparse(X) or inside is None:
        return False
    # scikit-learn's neighbours, Gaussian processes and kernel ridge keep data
    kept = next((inside[name] for name in ("_fit_X", "X_train_", "X_fit_") if name in inside), None)
    if isinstance(kept, np.ndarray):
        return _equal(X, kept)
    places, vectors = inside.get("support_"), inside.get("support_vectors_")
    if isinstance(places, np.ndarray) and isinstance(vectors, np.ndarray) and inside.get("shape_fit_") == np.shape(X):
        return len(places) > 0 and _equal(np.asarray(X)[places], vectors)
    return False


def _equal(X: Any, kept: Array) -> bool:
    given = np.asarray(X)
    return given.shape == kept.shape and given.dtype.kind in "biuf" and bool(np.array_equal(given, kept))


Metric = Callable[[Array], float]  # from the ensemble's predictions to a number, the lower the better
STEPS = 2.0 ** -np.arange(0, 8)


def sound(metric: Metric) -> Metric:
    """The metric, and +∞ where it is NaN or infinite: comparisons with NaN would let it win."""

    def measured(z: Array) -> float:
        value = metric(z)
        return value if np.isfinite(value) else np.inf

    return measured


def selected(P: Array, metric: Metric, rounds: int, most: int) -> tuple[Array, float]:
    """Weights by greedy selection with replacement, the best seen in ``rounds`` rounds; P[j] is what model j predicts."""
    metric = sound(metric)
    m, total, counts = len(P), np.zeros_like(P[0]), np.zeros(len(P))
    best, least = counts, np.inf
    for k in range(rounds):
        allowed = range(m) if np.count_nonzero(counts) < most else np.flatnonzero(counts)
        scores = {int(j): metric((total + P[j]) / (k + 1)) for j in allowed}
        j = min(scores, key=scores.__getitem__)
        check(k > 0 or scores[j] < np.inf, "The loss is NaN or infinite for each model alone. Check what the models predict.")
        if scores[j] == np.inf:  # whichever model joins; what was best stays so
            break
        total, counts = total + P[j], counts.copy()
        counts[j] += 1.0
        if scores[j] < least:
            weights = counts / counts.sum()
            value = metric(mixture(P, weights))
            if value < least:
                best, least = weights, value
    return best, least


def mixture(P: Array, w: Array) -> Array:
    """Σ_j w_j P[j] over the models that have a weight: one model alone is itself to the last bit, unlike in a running sum."""
    active = np.flatnonzero(w)
    return np.asarray(np.tensordot(w[active].astype(P.dtype), P[active], axes=1))


def improved(P: Array, metric: Metric, w: Array, value: float, rounds: int, most: int) -> tuple[Array, float]:
    """Joint steps toward a model and swaps between two, each the best of its kind, until none improves the metric."""
    metric, z = sound(metric), mixture(P, w)
    for _ in range(rounds):
        enough = value - 1e-12 * max(abs(value), 1.0)
        moves = sorted((move for move in _moves(P, metric, w, z, most) if move[0] < enough), key=lambda move: move[0])
        found = next(((exact, to) for _, to in moves if (exact := metric(mixture(P, to))) < enough), None)
        if found is None:
            break
        value, w = found
        z = mixture(P, w)
    return w, value


def _moves(P: Array, metric: Metric, w: Array, z: Array, most: int) -> list[tuple[float, Array]]:
    """The metric and the weights where each move leads."""
    active, full = np.flatnonzero(w), np.count_nonzero(w) >= most
    moves = []
    for j in active if full else range(len(w)):
        for step in STEPS:
            to = (1.0 - step) * w
            to[j] += step
            moves.append((metric((1.0 - step) * z + step * P[j]), to))
    for i in active:
        for j in range(len(w)):
            if j == i:
                continue
            for share in (1.0, 0.5, 0.125):
                if full and w[j] == 0.0 and share < 1.0:
                    continue  # one model more than allowed
                to = w.copy()
                to[i] -= share * w[i]
                to[j] += share * w[i]
                moves.append((metric(z + share * w[i] * (P[j] - P[i])), to))
    return moves
