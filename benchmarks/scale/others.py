"""Rivals on min mean loss + price·‖w‖₁, whose solution has our radius: liblinear, `SGDClassifier`, dask-glm, pyspark."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.scale.data import Made, whole
from benchmarks.scale.ours import peak
from greedyhull.types import Array

PASSES = 5  # of SGDClassifier
STEPS = 100  # of dask-glm, at most
FITS = 2.2e9  # bytes of rows beyond which libraries that copy them are left out
PATIENCE = 20_000_000  # entries that dask-glm is given: it takes minutes beyond
TRIES = (5, 10, 20, 40, 80, 160)  # steps of dask-glm that are tried until the value is near enough


class Clock:
    """Seconds by the clock and of the processor since it was made."""

    def __init__(self) -> None:
        self.began = time.perf_counter(), time.process_time()

    def told(self) -> tuple[float, float]:
        return time.perf_counter() - self.began[0], time.process_time() - self.began[1]


def penalised(data: Made, price: float, w: Array) -> float:
    """Mean loss + price·‖w‖₁, shard by shard."""
    total = 0.0
    for k in range(data.count):
        shard = data.load(k)
        total += float(np.logaddexp(0.0, -shard.y * (shard.X @ w)).sum())
    return total / data.cell.n + price * float(np.abs(w).sum())


def rival(way: str, data: Made, price: float) -> dict[str, Any]:
    """What another library takes, and what it finds."""
    w, seconds, processor = RIVALS[way](data, price)
    memory = peak()
    return {"seconds": seconds, "processor": processor, "penalised": penalised(data, price, w), "peak": memory,
            "workers": None}


def left_out(way: str, data: Made) -> str:
    """Why a rival does not run on these data, or nothing."""
    wanted = {"dask-glm": "dask_glm", "pyspark": "pyspark"}.get(way, "sklearn")
    if find_spec(wanted) is None:
        return f"{wanted} is not installed"
    if way == "dask-glm" and data.cell.kind == "sparse":
        return "takes dense rows only"
    if way == "dask-glm" and data.cell.n * data.d > PATIENCE * 2:
        return "would take many minutes"
    size = data.cell.shard_bytes * data.count
    return "its copies of the rows would not fit" if way == "liblinear" and size > FITS else ""


def _liblinear(data: Made, price: float) -> tuple[Array, float, float]:
    from sklearn.linear_model import LogisticRegression

    X, y = whole(data)
    clock = Clock()
    model = LogisticRegression(l1_ratio=1.0, C=1.0 / (price * len(y)), solver="liblinear", fit_intercept=False, tol=1e-4)
    return np.asarray(model.fit(X, y).coef_[0]), *clock.told()


def _sgd(data: Made, price: float) -> tuple[Array, float, float]:
    from sklearn.linear_model import SGDClassifier

    model = SGDClassifier(loss="log_loss", penalty="l1", alpha=price, fit_intercept=False, random_state=0)
    clock = Clock()
    for _ in range(PASSES):
        for k in range(data.count):
            shard = data.load(k)
            model.partial_fit(shard.X if data.cell.kind == "sparse" else np.asarray(shard.X), shard.y, classes=[-1.0, 1.0])
    return np.asarray(model.coef_[0]), *clock.told()


def _dask_glm(data: Made, price: float, steps: int = STEPS) -> tuple[Array, float, float]:
    import dask
    import dask.array as da
    from dask_glm.algorithms import proximal_grad

    X, y = whole(data)
    rows = data.cell.rows(0)
    A, b = da.from_array(X, chunks=(rows, X.shape[1])), da.from_array((y > 0).astype(float), chunks=rows)  # which reads X
    clock = Clock()
    with dask.config.set(scheduler="synchronous"):  # one thread, as everybody here
        w = proximal_grad(A, b, regularizer="l1", lamduh=price * len(y), max_iter=steps)
    return np.asarray(w), *clock.told()


def _pyspark(data: Made, price: float) -> tuple[Array, float, float]:
    from pyspark.ml.classification import LogisticRegression
    from pyspark.ml.linalg import Vectors
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    X, y = whole(data)
    rows = [(float(label > 0), Vectors.dense(X[i]) if data.cell.kind != "sparse" else
             Vectors.sparse(data.d, X[[i]].indices, X[[i]].data)) for i, label in enumerate(y)]
    table = spark.createDataFrame(rows, ["label", "features"]).cache()
    table.count()
    clock = Clock()
    model = LogisticRegression(regParam=price, elasticNetParam=1.0, fitIntercept=False, standardization=False).fit(table)
    return model.coefficients.toArray(), *clock.told()


RIVALS: dict[str, Callable[[Made, float], tuple[Array, float, float]]] = {
    "liblinear": _liblinear, "SGDClassifier": _sgd, "dask-glm": _dask_glm, "pyspark": _pyspark}


def dask_glm_to(data: Made, price: float, enough: float) -> dict[str, Any]:
    """Seconds of dask-glm with the fewest steps tried whose penalised value is at most ``enough``."""
    for steps in TRIES:
        w, seconds, processor = _dask_glm(data, price, steps)
        value = penalised(data, price, w)
        if value <= enough:
            return {"seconds": seconds, "processor": processor, "steps": steps, "penalised": value}
    return {"seconds": float("nan"), "processor": float("nan"), "steps": TRIES[-1], "penalised": value}
