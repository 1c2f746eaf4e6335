"""Cases of ensembles whose metric says NaN or infinity for some predictions: no such weights may be returned."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from greedyhull.types import Array
from tests.fuzz.attempts import attempt
from tests.fuzz.draws import Rng, pick
from tests.fuzz.judge import Finding
from tests.fuzz.records import Record
from tests.fuzz.solves import Say


def metric(rng: Rng, say: Say) -> list[Record]:
    """A metric that is NaN, or infinite, for some predictions; the weights must be finite, sum to one, and have a value that
    is the one that is reported, no NaN, and no worse than the best single model's."""
    try:
        from greedyhull.estimators import EnsembleRegressor
    except ImportError:  # scikit-learn is not there
        return []
    n, m = int(rng.integers(3, 12)), int(rng.integers(1, 6))
    Z, y = rng.standard_normal((n, m)), rng.standard_normal(n)
    bad, where = pick(rng, (np.nan, np.inf)), pick(rng, ("mixtures", "first model", "half", "always"))

    def loss(truth: Array, prediction: Array) -> float:
        r = float(np.abs(truth - prediction).mean())
        single = [bool(np.array_equal(prediction, z)) for z in Z.T]
        spoiled = {"mixtures": not any(single), "first model": single[0], "half": float(prediction.sum()) > 0.0}
        return bad if spoiled.get(where, True) else r

    say(f"EnsembleRegressor(loss={bad} for {where}) on {m} models and {n} samples")
    tried = attempt(lambda: EnsembleRegressor(loss=loss, max_iter=20).fit(Z, y))
    record = Record(f"ensemble, {bad}", "", "EnsembleRegressor").take(tried)
    if tried.result is not None:
        record.status = "estimate"
        record.findings += _faults(tried.result, loss, Z, y, f"{bad} for {where}")
    say(tried.refused or tried.raw or f"weights {tried.result.weights_}, certificate {tried.result.certificate_}")
    return [record]


def _faults(model: Any, loss: Callable[[Array, Array], float], Z: Array, y: Array, cause: str) -> list[Finding]:
    w, said = np.asarray(model.weights_, dtype=np.float64), model.certificate_.value
    if not (np.isfinite(w).all() and (w >= 0.0).all() and abs(w.sum() - 1.0) <= 1e-9):
        return [Finding("infeasible", f"ensemble, {cause}", f"the weights are {w}")]
    value = loss(y, Z @ w)
    singles = [loss(y, z) for z in Z.T]
    best = min((v for v in singles if np.isfinite(v)), default=np.inf)
    honest = said is not None and (said == value or abs(said - value) <= 1e-9)
    if honest and value <= best + 1e-12:
        return []
    words = f"the metric is said to be {said}, is {value}, and {best} for one model"
    return [Finding("false", f"ensemble, {cause}", words)]
