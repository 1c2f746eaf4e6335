"""``greedyhull fit``: weights for the columns of a table, certified."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from importlib.util import find_spec
from os.path import commonprefix
from pathlib import Path
from typing import Any

import numpy as np

from greedyhull.cli.console import Voice, certificate_fields
from greedyhull.cli.exits import DONE, SHORT
from greedyhull.cli.fit_checks import check_options, check_ranges, check_samples
from greedyhull.cli.fit_directly import Fitted, direct
from greedyhull.cli.fit_shards import check_kind, read_shards, taken_from, task_of
from greedyhull.cli.result_file import check_out, write_result
from greedyhull.cli.tables import Taken, Wanted, in_shards, read_table, take
from greedyhull.driver.summary import count
from greedyhull.errors import GreedyhullError, check, installing
from greedyhull.types import Array

SMALL = 1e-9  # a weight below this share of the largest one is not printed, as in reports
FOLDS = 5  # of a cross-validation, where nothing else is said
TASKS = ("auto", "regression", "classification")
Weights = list[tuple[str, float]]


def run(kind: str, data: Path, layout: str | None, wanted: Wanted, task: str, options: dict[str, Any], out: Path | None,
        voice: Voice) -> int:
    """Fit, tell and write; ``options`` are the estimator's parameters, None where its own default is meant."""
    check(task in TASKS, f"--task {task} was given; one of {', '.join(TASKS)} is wanted.")
    check_out(out)
    options = {name: value for name, value in options.items() if value is not None}
    check_ranges(options)
    if find_spec("sklearn") is None and not direct(kind, options):
        raise ModuleNotFoundError(f"{needing(kind)} needs scikit-learn, which is not installed. {installing('demo')}")
    if in_shards(data, str(data)):
        estimator, taken, task = _fit_shards(kind, data, layout, wanted, task, options, voice)
    else:
        estimator, taken, task = _fit_table(kind, data, layout, wanted, task, options, voice)
    document = told_in_full(estimator, taken, task)
    explain(estimator, taken, voice)
    write_result(out, document, lines_of(document), voice)
    voice.result(document)
    return DONE if document["converged"] else SHORT


def _fit_shards(kind: str, data: Path, layout: str | None, wanted: Wanted, task: str, options: dict[str, Any],
                voice: Voice) -> tuple[Fitted, Taken, str]:
    """The fit of files that are read in shards."""
    check_kind(kind, options, data)
    with voice.noting():
        rows = read_shards(data, layout, wanted)
    task, why = task_of(rows, task)
    voice.say(f"{count(rows.count, 'shard')}, {count(rows.d, 'column')}: {task}. {why}")
    check_options(kind, task, options)
    estimator = Fitted(kind, task, options)
    with voice.noting():
        n = estimator.fit_shards(rows)
    voice.say(f"{count(n, 'sample')}.")
    return estimator, taken_from(rows, wanted, n), task


def _fit_table(kind: str, data: Path, layout: str | None, wanted: Wanted, task: str, options: dict[str, Any],
               voice: Voice) -> tuple[Any, Taken, str]:
    """The fit of one table."""
    taken = take(read_table(data, layout), wanted, lambda key: nullcontext())
    assert taken is not None
    y = taken.y
    check(y is not None, "The file does not say which column is the target. Give --target COLUMN.")
    assert y is not None
    task, why = told(y) if task == "auto" else (task, "")
    voice.say(f"{count(len(y), 'sample')}, {count(len(taken.names), 'column')}, target {taken.target}: {task}. {why}")
    if task == "regression":
        check(y.dtype.kind in "biuf", f"The target {taken.target} holds words; numbers are wanted for regression.")
    check_options(kind, task, options)
    estimator = estimator_of(kind, task, options)
    chosen = kind == "l1" and not {"radius", "alpha"} & set(options)
    check_samples(taken, y, task, options.get("cv", FOLDS) if chosen else None)
    with voice.noting():
        fitted(estimator, taken, y)
    return estimator, taken, task


def told(y: Array) -> tuple[str, str]:
    """Whether these targets are classes or numbers."""
    if y.dtype.kind not in "biuf":
        return "classification", "The target holds words."
    if len(np.unique(y)) == 2:
        return "classification", "The target has two values; --task regression fits them as numbers."
    if len(np.unique(y)) <= min(10, len(y) // 2) and np.array_equal(y, np.rint(y)):
        return "regression", "The target has few values, all whole numbers; if these are classes, give --task classification."
    return "regression", ""


def needing(kind: str) -> str:
    """What of a fit needs scikit-learn."""
    return "greedyhull fit ensemble" if kind == "ensemble" else "greedyhull fit l1 without a --radius, or with --standardize,"


def estimator_of(kind: str, task: str, options: dict[str, Any]) -> Any:
    """What fits the weights; with neither a radius nor a penalty, an l1 budget is chosen by cross-validation."""
    if direct(kind, options):
        return Fitted(kind, task, options)
    from greedyhull import estimators

    return vars(estimators)[estimator_name(kind, task, options)](**options)


def estimator_name(kind: str, task: str, options: Mapping[str, Any]) -> str:
    """The estimator of the library that does this fit."""
    family = {"simplex": "Simplex", "l1": "L1Budget", "ensemble": "Ensemble"}[kind]
    chosen = "CV" if kind == "l1" and not {"radius", "alpha"} & set(options) else ""
    return f"{family}{'Regressor' if task == 'regression' else 'Classifier'}{chosen}"


def name_of(estimator: Any) -> str:
    if isinstance(estimator, Fitted):
        return estimator_name(estimator.kind, estimator.task, estimator.options)
    return type(estimator).__name__


def fitted(estimator: Any, taken: Taken, y: Array) -> None:
    """Fit; what scikit-learn refuses is the user's to mend."""
    try:
        estimator.fit(taken.X, y, sample_weight=taken.sample_weight)
    except GreedyhullError:
        raise
    except ValueError as error:
        raise GreedyhullError((str(error).splitlines() or [type(error).__name__])[0]) from error


def rows_of(estimator: Any, names: Sequence[str]) -> dict[str, Weights]:
    """The weights by name, the largest first; where several classes have weights of their own, those of each."""
    weights = np.atleast_2d(np.asarray(estimator.weights_, dtype=np.float64))
    named = names if weights.shape[1] == len(names) else blocks_of(names, weights.shape[1])
    classes = [str(label) for label in estimator.classes_] if len(weights) > 1 else [""]
    return {label: [(named[j], float(row[j])) for j in np.argsort(-np.abs(row), kind="stable")]
            for label, row in zip(classes, weights, strict=True)}


def that_count(weights: Weights) -> Weights:
    """The weights that are not zero, or as good as zero beside the largest."""
    least = SMALL * max(abs(weight) for _, weight in weights)
    return [(name, weight) for name, weight in weights if abs(weight) > least]


def blocks_of(names: Sequence[str], m: int) -> list[str]:
    """Names for m models of several columns each: what the names of a model's columns begin with.

    >>> blocks_of(["tree_a", "tree_b", "net_a", "net_b"], 2)
    ['tree', 'net']
    """
    K = len(names) // m
    blocks = [names[K * i : K * (i + 1)] for i in range(m)]
    begins = [commonprefix(block).rstrip("_-. :/") for block in blocks]  # noqa: RUF071 — these are names, not paths
    return begins if all(begins) and len(set(begins)) == m else [f"{block[0]} to {block[-1]}" for block in blocks]


def certificates_of(estimator: Any) -> list[Any]:
    found = estimator.certificate_
    return found if isinstance(found, list) else [found]


def told_in_full(estimator: Any, taken: Taken, task: str) -> dict[str, Any]:
    """The result for programs and files."""
    rows = {label: dict(weights) for label, weights in rows_of(estimator, taken.names).items()}
    several, left = len(rows) > 1, vars(estimator)  # what the fit has left there
    certificates = [certificate_fields(certificate) for certificate in certificates_of(estimator)]
    return {"estimator": name_of(estimator), "task": task, "target": taken.target, "samples": taken.X.shape[0],
            "columns": len(taken.names), "classes": left.get("classes_"),
            "weights": rows if several else next(iter(rows.values())),
            "intercept": left.get("intercept_"), "radius": left.get("radius_"),
            "certificate": certificates if len(certificates) > 1 else certificates[0],
            "converged": reached(estimator)}


def reached(estimator: Any) -> bool:
    """Whether every solve proved the gap that was asked for; with a penalty, the gap of the penalised problem."""
    solutions = estimator.solution_
    return all(s.converged for s in (solutions if isinstance(solutions, list) else [solutions]))


def explain(estimator: Any, taken: Taken, voice: Voice) -> None:
    """The weights and what is proved of them."""
    left = vars(estimator)  # its parameters, and what the fit has left there
    if "cv_losses_" in left:
        voice.say(f"Cross-validation chose the radius {estimator.radius_:.4g} from {len(estimator.radii_)} candidates.")
    elif left.get("alpha") is not None:
        radii = ", ".join(f"{radius:.4g}" for radius in np.ravel(estimator.radius_))
        voice.say(f"The penalty {estimator.alpha:g} corresponds to the radius {radii}.")
    if len(left.get("classes_", ())) == 2 and "n_models_" not in left:
        voice.say(f"A positive weight counts towards {taken.target} = {estimator.classes_[1]}.")
    rows, certificates = rows_of(estimator, taken.names), certificates_of(estimator)
    together = len(rows) > len(certificates)
    for i, (label, weights) in enumerate(rows.items()):
        if label:
            voice.say(label if together else f"{label} against the rest")
        if not together or any(weight for _, weight in weights):
            voice.weights(that_count(weights))
        if not together:
            voice.say(proved(certificates[i], left))
    if together:  # one problem for all classes
        voice.say(proved(certificates[0], left))
    intercept = np.ravel(left.get("intercept_", 0.0))
    if np.any(intercept):
        voice.say(f"Intercept: {', '.join(f'{number:.6g}' for number in intercept)}.")


def proved(certificate: Any, left: dict[str, Any]) -> str:
    """What a certificate says of the weights."""
    if certificate.kind != "always":
        return str(certificate)
    what = "mean loss" if left.get("alpha") is None else "mean loss with its penalty"
    return (f"The {what} is {certificate.value:.6g}, and no other weights in the set have a loss lower by more than "
            f"{certificate.gap:.2g}. This is proved, rounding included.")


def lines_of(document: dict[str, Any]) -> Iterator[list[Any]]:
    """name and weight in lines, the intercept last; for several classes with the class in front."""
    weights, intercept = document["weights"], np.ravel(document["intercept"] if document["intercept"] is not None else [])
    several = any(isinstance(value, dict) for value in weights.values())
    yield ["class", "name", "weight"] if several else ["name", "weight"]
    for i, (label, row) in enumerate(weights.items() if several else [("", weights)]):
        lines = [*row.items(), *([("(intercept)", float(intercept[i]))] if len(intercept) else [])]
        yield from ([*([label] if several else []), name, weight] for name, weight in lines)
