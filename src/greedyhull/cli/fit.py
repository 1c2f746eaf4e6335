"""``greedyhull fit``: weights for the columns of a table, certified."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from importlib.util import find_spec
from io import StringIO
from os.path import commonprefix
from pathlib import Path
from typing import Any
from warnings import warn

import numpy as np

from greedyhull.atoms.l1_ball import L1Ball
from greedyhull.atoms.simplex import Simplex
from greedyhull.cli import DONE, SHORT
from greedyhull.cli.console import Console, Unwritten, certificate_fields, check_file, plain
from greedyhull.cli.tables import Samples, Selection, in_shards, take
from greedyhull.data.columns import first_odd
from greedyhull.data.shards import shards
from greedyhull.data.tables import read_table
from greedyhull.driver.run import minimize
from greedyhull.driver.solution import count
from greedyhull.driver.stop import Iterations, Relative, Stalled
from greedyhull.errors import GreedyhullError, GreedyhullWarning, check, installing
from greedyhull.objectives import by_name
from greedyhull.objectives.responses import multinomial
from greedyhull.types import Array, AtomSet, Objective, Shards


def check_out(out: Path | None) -> None:
    """Raise unless the file, if there is one, ends in .json or .csv and can be written."""
    if out is not None:
        check(out.suffix.lower() in (".json", ".csv"), f"--out {out} was given; a name in .json or .csv is wanted.")
        check_file(out)


def finish(out: Path | None, document: Mapping[str, Any], lines: Iterable[Sequence[Any]], console: Console) -> int:
    """Write the document, or for a table these lines, the first of which names the columns; return the exit code."""
    if out is not None:
        text = json.dumps(plain(document), indent=2) + "\n"
        if out.suffix.lower() == ".csv":
            paper = StringIO()
            csv.writer(paper, lineterminator="\n").writerows(lines)
            text = paper.getvalue()
        try:
            out.write_text(text, encoding="utf-8")
        except OSError as error:
            raise Unwritten({out: error}, text.rstrip(), document) from error
        console.say(f"Written: {out}")
    console.result(document)
    return DONE if document["converged"] else SHORT


def direct(kind: str, options: Mapping[str, Any]) -> bool:
    """Whether the set is known before the fit, so that one solve, or one for each class, is enough."""
    return kind == "simplex" or (kind == "l1" and "radius" in options and not options.get("standardize"))


class DirectFit:
    """The weights with their certificates; its attributes are those of an estimator after its fit."""

    def __init__(self, kind: str, task: str, options: Mapping[str, Any]) -> None:
        self.kind, self.task, self.options = kind, task, dict(options)
        self.intercept_: Any
        self.solution_: Any
        self.certificate_: Any
        if kind == "l1":
            self.radius_ = float(options["radius"])

    def fit(self, X: Any, y: Array, sample_weight: Array | None = None) -> None:
        """Find the weights, with several classes as the estimators do."""
        X = X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)
        if self.task == "regression":
            targets = [y.astype(np.float64)]
        else:
            self.classes_, labels = np.unique(y, return_inverse=True)
            classes = range(len(self.classes_))
            if self.kind == "l1" and self.options.get("loss", "logistic") == "logistic" and len(classes) > 2:
                f = multinomial(X, labels, sample_weight=sample_weight, intercept=self.options.get("fit_intercept", True))
                self.solution_ = solution = self._solved(f, L1Ball(f.domain, radius=self.radius_))
                self.weights_, self.certificate_ = solution.point.array().T.astype(X.dtype), solution.certificate
                self.intercept_ = np.broadcast_to(np.asarray(solution.intercept), len(classes)).astype(X.dtype)
                return
            targets = [np.where(labels == c, 1.0, -1.0) for c in ([1] if len(classes) == 2 else classes)]
        S, (loss, settings) = self._atoms(X.shape[1]), self._loss()
        self._keep([self._solved(loss(X, target, sample_weight=sample_weight, **settings), S) for target in targets], X.dtype)

    def fit_shards(self, data: Shards) -> int:
        """Find the weights from shards; return the number of rows."""
        loss, settings = self._loss()
        f = loss(data, **settings)
        if self.task == "classification":
            self.classes_ = np.array([0.0 if f.summary.zero_one else -1.0, 1.0])
        self._keep([self._solved(f, self._atoms(data.d))], np.dtype(np.float64))
        return int(f.n)

    def _keep(self, solutions: list[Any], dtype: Any) -> None:
        weights = np.vstack([s.point.array() for s in solutions]).astype(dtype)
        several = len(solutions) > 1
        self.weights_ = weights if several else weights[0]
        intercepts = np.array([s.intercept for s in solutions]).astype(dtype)
        self.intercept_ = intercepts if self.task == "classification" else intercepts[0]
        self.solution_ = solutions if several else solutions[0]
        self.certificate_ = [s.certificate for s in solutions] if several else solutions[0].certificate

    def _atoms(self, d: int) -> AtomSet:
        if self.kind == "l1":
            return L1Ball(d, radius=self.radius_)
        return Simplex(d, float(self.options.get("total", 1.0)), upper=self.options.get("upper"))

    def _loss(self) -> tuple[Callable[..., Any], dict[str, Any]]:
        """The loss, with its own numbers and whether there is an intercept."""
        loss = self.options.get("loss", "squared" if self.task == "regression" else "logistic")
        own = {"huber": {"delta": self.options.get("delta", 1.0)}, "quantile": {"q": self.options.get("quantile", 0.5)}}
        intercept = self.options.get("fit_intercept", self.kind == "l1" or self.task == "classification")
        return OBJECTIVES[loss], {**own.get(loss, {}), "intercept": intercept}

    def _solved(self, f: Objective, S: AtomSet) -> Any:
        # iterations without improvement after which only rounding is left
        stop = Relative(float(self.options["tol"])) | Iterations(int(self.options["max_iter"])) | Stalled(300)
        s = minimize(f, S, stop=stop)
        if not s.converged:
            warn(f"{s.reason} The answer is certified to a gap of {s.certificate.gap:.3g}.", GreedyhullWarning, stacklevel=2)
        return s


def read_shards(data: Path, layout: str | None, wanted: Selection) -> Shards:
    """Return the shards; columns that are spelled as numbers are names if there are such names, else places."""
    check(layout is None, f"--format {layout} was given; the format of shards is that of their endings. Leave it out.")
    check(not wanted.exclude, "--exclude was given; of files that are read in shards, name the columns to use, by --features.")
    columns: dict[str, Any] = {"target": wanted.target, "features": wanted.features, "sample_weight": wanted.sample_weight}
    try:
        return shards(str(data.expanduser()), **columns)
    except GreedyhullError:
        placed = {name: _placed(given) for name, given in columns.items()}
        if placed == columns:
            raise
        return shards(str(data.expanduser()), **placed)


def _placed(given: Any) -> Any:
    if isinstance(given, str):
        return int(given) if given.lstrip("-").isdigit() else given
    return [_placed(one) for one in given] if isinstance(given, Sequence) else given


TWO_VALUES = "The target has two values; --task regression fits them as numbers."


def guess_task_of_shards(data: Shards, task: str) -> tuple[str, str]:
    """Guess classification where all targets are −1 and +1, or 0 and 1, in one pass over the shards; else regression."""
    if task != "auto":
        return task, ""
    seen: set[float] = set()
    for k in range(data.count):
        seen.update(map(float, np.unique(data.load(k).y)))
        if len(seen) > 2:
            break
    return ("classification", TWO_VALUES) if seen in ({-1.0, 1.0}, {0.0, 1.0}) else ("regression", "")


SPELLED = {"cv": "folds", "fit_intercept": "intercept"}  # options that have another name than the parameter
LINEAR: dict[str, tuple[str, ...]] = {"regression": ("squared", "huber", "absolute", "quantile", "poisson"),
                                      "classification": ("logistic", "squared_hinge", "hinge")}
OBJECTIVES: dict[str, Callable[..., Any]] = {
    name: getattr(by_name, "least_squares" if name == "squared" else name) for names in LINEAR.values() for name in names}
LOSSES: dict[str, dict[str, tuple[str, ...]]] = {  # defaults first
    "simplex": LINEAR, "l1": LINEAR,
    "ensemble": {"regression": ("squared", "absolute"), "classification": ("log_loss", "squared")}}


def option(parameter: str) -> str:
    """A parameter of an estimator as the command line spells it: "--folds" for "cv"."""
    return f"--{SPELLED.get(parameter, parameter).replace('_', '-')}"


def check_ranges(options: Mapping[str, Any]) -> None:
    """Raise unless every number is in the range of its option."""
    for parameter, value in options.items():
        given = f"{option(parameter)} {value} was given"
        if parameter == "quantile":
            check(0 < value < 1, f"{given}; a number between 0 and 1 is wanted.")
        if parameter in ("radius", "alpha", "total", "upper", "delta", "quantile"):
            check(value > 0, f"{given}; a number above 0 is wanted.")
        least = {"tol": 0, "max_iter": 1, "cv": 2, "max_models": 1}.get(parameter)
        kind = "a number" if parameter == "tol" else "a whole number"
        check(least is None or value >= least, f"{given}; {kind} of at least {least} is wanted.")


def check_options(kind: str, task: str, options: Mapping[str, Any]) -> None:
    """Raise unless every option is used: by the loss, by the way the budget is found, by the kind of model."""
    losses = LOSSES[kind][task]
    loss = options.get("loss", losses[0])
    check(loss in losses, f"--loss {loss} was given; for {task} one of {', '.join(sorted(losses))} is wanted. --task chooses "
                          "between regression and classification.")
    for parameter, wanted in (("delta", "huber"), ("quantile", "quantile")):  # parameters of one loss
        other = f"Add --loss {wanted}, or leave" if wanted in losses else "Leave"
        check(parameter not in options or loss == wanted, f"{option(parameter)} {options.get(parameter)} was given, but the "
              f"loss is {loss}, which does not use it. {other} {option(parameter)} out.")
    check(not {"radius", "alpha"} <= set(options), "--radius and --alpha were both given. Leave one of them out.")
    fixed = next((name for name in ("radius", "alpha") if name in options), None)
    check(fixed is None or "cv" not in options, f"--{fixed} leaves nothing to cross-validate. Leave --folds out.")
    check("alpha" not in options or loss not in ("absolute", "quantile", "hinge"),
          f"--alpha {options.get('alpha')} needs a smooth loss; the {loss} loss is not smooth. Give a --radius.")
    check(kind != "ensemble" or task == "regression" or "fit_intercept" not in options,
          "An ensemble of classifiers has no intercept. Leave --intercept or --no-intercept out.")


def check_samples(taken: Samples, y: Array, task: str, folds: int | None) -> None:
    """Raise unless the numbers are finite, classification has two classes or more, and each fold a sample."""
    i, j = first_odd(taken.X)
    check(i < 0, lambda: f"Column {taken.names[j]} is NaN or infinite in sample {i + 1}. Leave out the sample or the column.")
    if y.dtype.kind == "f":
        off = np.flatnonzero(~np.isfinite(y))
        check(not len(off), lambda: f"The target {taken.target} is NaN or infinite in {len(off)} samples, the first of them "
                                    f"sample {off[0] + 1}. Fill it in, or leave those samples out.")
    if task == "classification":
        check(y.dtype.kind != "f" or bool((y == np.rint(y)).all()), f"The target {taken.target} holds numbers with fractions; "
              "for classification a few classes are wanted. Give --task regression.")
        classes = np.unique(y)
        check(len(classes) > 1, f"The target {taken.target} has only one class, {classes[0]}; two or more are wanted.")
    check(folds is None or len(y) >= folds,
          f"--folds {folds} needs at least {folds} samples; there are {len(y)}. Give a --radius, or fewer --folds.")


TASKS = ("auto", "regression", "classification")
Weights = list[tuple[str, float]]


def run(kind: str, data: Path, layout: str | None, wanted: Selection, task: str, options: dict[str, Any], out: Path | None,
        console: Console) -> int:
    """Fit, print and write; ``options`` are those of the command line, None for the defaults of the estimator."""
    check(task in TASKS, f"--task {task} was given; one of {', '.join(TASKS)} is wanted.")
    check_out(out)
    parameters = {spelled: name for name, spelled in SPELLED.items()}
    options = {parameters.get(name, name): value for name, value in options.items() if value is not None}
    check_ranges(options)
    if find_spec("sklearn") is None and not direct(kind, options):
        what = "ensemble" if kind == "ensemble" else "l1 without a --radius, or with --standardize,"
        raise ModuleNotFoundError(f"greedyhull fit {what} needs scikit-learn, which is not installed. {installing('demo')}")
    fit = _fit_shards if in_shards(data, str(data)) else _fit_table
    estimator, taken, task = fit(kind, data, layout, wanted, task, options, console)
    document = result_document(estimator, estimator_name(kind, task, options), taken, task)
    explain(estimator, taken, console)
    return finish(out, document, lines_of(document), console)


def _fit_shards(kind: str, data: Path, layout: str | None, wanted: Selection, task: str, options: dict[str, Any],
                console: Console) -> tuple[Any, Samples, str]:
    instead = {"l1": "Give a --radius, without --standardize: cross-validation and penalties look at single rows.",
               "ensemble": "Write one file, or use greedyhull fit simplex."}.get(kind)
    check(direct(kind, options),
          f"This fit of {kind} needs all rows in one table, and {data} is read in shards. {instead}")
    with console.noting():
        rows = read_shards(data, layout, wanted)
    task, why = guess_task_of_shards(rows, task)
    console.say(f"{count(rows.count, 'shard')}, {count(rows.d, 'column')}: {task}. {why}")
    check_options(kind, task, options)
    estimator = DirectFit(kind, task, options)
    with console.noting():
        n = estimator.fit_shards(rows)
    console.say(f"{count(n, 'sample')}.")
    names = list(rows.names) if rows.names is not None else [str(j) for j in range(rows.d)]
    return estimator, Samples(np.empty((n, 0)), names, None, str(wanted.target or "label"), None), task  # X is not in memory


def _fit_table(kind: str, data: Path, layout: str | None, wanted: Selection, task: str, options: dict[str, Any],
               console: Console) -> tuple[Any, Samples, str]:
    taken = take(read_table(data, layout), wanted, lambda key: nullcontext())
    assert taken is not None
    y = taken.y
    check(y is not None, "The file does not say which column is the target. Give --target COLUMN.")
    assert y is not None
    task, why = guess_task(y) if task == "auto" else (task, "")
    console.say(f"{count(len(y), 'sample')}, {count(len(taken.names), 'column')}, target {taken.target}: {task}. {why}")
    if task == "regression":
        check(y.dtype.kind in "biuf", f"The target {taken.target} holds words; numbers are wanted for regression.")
    check_options(kind, task, options)
    estimator: Any = DirectFit(kind, task, options) if direct(kind, options) else None
    if estimator is None:
        from greedyhull import estimators

        estimator = vars(estimators)[estimator_name(kind, task, options)](**options)
    chosen = kind == "l1" and not {"radius", "alpha"} & set(options)  # by cross-validation
    # five folds are the default of the estimator
    check_samples(taken, y, task, options.get("cv", 5) if chosen else None)
    with console.noting():
        fitted(estimator, taken.X, y, sample_weight=taken.sample_weight)
    return estimator, taken, task


def guess_task(y: Array) -> tuple[str, str]:
    if y.dtype.kind not in "biuf":
        return "classification", "The target holds words."
    if len(np.unique(y)) == 2:
        return "classification", TWO_VALUES
    if len(np.unique(y)) <= min(10, len(y) // 2) and np.array_equal(y, np.rint(y)):
        return "regression", "The target has few values, all whole numbers; if these are classes, give --task classification."
    return "regression", ""


def estimator_name(kind: str, task: str, options: Mapping[str, Any]) -> str:
    family = {"simplex": "Simplex", "l1": "L1Budget", "ensemble": "Ensemble"}[kind]
    chosen = "CV" if kind == "l1" and not {"radius", "alpha"} & set(options) else ""
    return f"{family}{'Regressor' if task == 'regression' else 'Classifier'}{chosen}"


def fitted(estimator: Any, X: Any, y: Array, **weights: Any) -> None:
    """Fit; errors of scikit-learn about the data become GreedyhullError."""
    try:
        estimator.fit(X, y, **weights)
    except GreedyhullError:
        raise
    except ValueError as error:
        raise GreedyhullError((str(error).splitlines() or [type(error).__name__])[0]) from error


def rows_of(estimator: Any, names: Sequence[str]) -> dict[str, Weights]:
    """Return the weights by name, the largest first, for each class that has weights."""
    weights = np.atleast_2d(np.asarray(estimator.weights_, dtype=np.float64))
    named = names if weights.shape[1] == len(names) else blocks_of(names, weights.shape[1])
    classes = [str(label) for label in estimator.classes_] if len(weights) > 1 else [""]
    return {label: [(named[j], float(row[j])) for j in np.argsort(-np.abs(row), kind="stable")]
            for label, row in zip(classes, weights, strict=True)}


def blocks_of(names: Sequence[str], m: int) -> list[str]:
    """Names for m models of several columns each: what the names of a model's columns begin with.

    >>> blocks_of(["tree_a", "tree_b", "net_a", "net_b"], 2)
    ['tree', 'net']
    """
    K = len(names) // m
    blocks = [names[K * i : K * (i + 1)] for i in range(m)]
    begins = [commonprefix(block).rstrip("_-. :/") for block in blocks]  # noqa: RUF071 — these are names, not paths
    return begins if all(begins) and len(set(begins)) == m else [f"{block[0]} to {block[-1]}" for block in blocks]


def each(found: Any) -> list[Any]:
    return found if isinstance(found, list) else [found]


def result_document(estimator: Any, name: str, taken: Samples, task: str) -> dict[str, Any]:
    rows = {label: dict(weights) for label, weights in rows_of(estimator, taken.names).items()}
    left = vars(estimator)  # with the attributes of the fit
    certificates = [certificate_fields(certificate) for certificate in each(estimator.certificate_)]
    return {"estimator": name, "task": task, "target": taken.target, "samples": taken.X.shape[0],
            "columns": len(taken.names), "classes": left.get("classes_"),
            "weights": rows if len(rows) > 1 else next(iter(rows.values())),
            "intercept": left.get("intercept_"), "radius": left.get("radius_"),
            "certificate": certificates if len(certificates) > 1 else certificates[0],
            "converged": all(s.converged for s in each(estimator.solution_))}


def explain(estimator: Any, taken: Samples, console: Console) -> None:
    left = vars(estimator)  # its parameters, and what the fit has left there
    if "cv_losses_" in left:
        console.say(f"Cross-validation chose the radius {estimator.radius_:.4g} from {len(estimator.radii_)} candidates.")
    elif left.get("alpha") is not None:
        radii = ", ".join(f"{radius:.4g}" for radius in np.ravel(estimator.radius_))
        console.say(f"The penalty {estimator.alpha:g} corresponds to the radius {radii}.")
    if len(left.get("classes_", ())) == 2 and "n_models_" not in left:
        console.say(f"A positive weight counts towards {taken.target} = {estimator.classes_[1]}.")
    rows, certificates = rows_of(estimator, taken.names), each(estimator.certificate_)
    together = len(rows) > len(certificates)  # one problem for all classes
    for i, (label, weights) in enumerate(rows.items()):
        if label:
            console.say(label if together else f"{label} against the rest")
        least = 1e-9 * max(abs(weight) for _, weight in weights)  # as in reports, less than this is as good as zero
        console.weights((name, weight) for name, weight in weights if abs(weight) > least)
        if not together:
            console.say(proved(certificates[i], left))
    if together:
        console.say(proved(certificates[0], left))
    intercept = np.ravel(left.get("intercept_", 0.0))
    if np.any(intercept):
        console.say(f"Intercept: {', '.join(f'{number:.6g}' for number in intercept)}.")


def proved(certificate: Any, left: dict[str, Any]) -> str:
    if certificate.kind != "always":
        return str(certificate)
    what = "mean loss" if left.get("alpha") is None else "mean loss with its penalty"
    return (f"The {what} is {certificate.value:.6g}, and no other weights in the set have a loss lower by more than "
            f"{certificate.gap:.2g}. This is proved, rounding included.")


def lines_of(document: dict[str, Any]) -> Iterator[list[Any]]:
    """Yield rows of name and weight, the intercept last; for several classes with the class in front."""
    weights, intercept = document["weights"], np.ravel(document["intercept"] if document["intercept"] is not None else [])
    several = any(isinstance(value, dict) for value in weights.values())
    yield ["class", "name", "weight"] if several else ["name", "weight"]
    for i, (label, row) in enumerate(weights.items() if several else [("", weights)]):
        lines = [*row.items(), *([("(intercept)", float(intercept[i]))] if len(intercept) else [])]
        yield from ([*([label] if several else []), name, weight] for name, weight in lines)
