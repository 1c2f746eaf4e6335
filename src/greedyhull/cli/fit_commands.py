"""The commands of ``greedyhull fit``, their options and checks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from greedyhull.cli.options import (
    Delta,
    Exclude,
    Features,
    Format,
    Group,
    Intercept,
    Json,
    Loss,
    Most,
    Out,
    Precise,
    Quantile,
    Quiet,
    SampleWeight,
    Table,
    Target,
    Task,
    Tolerance,
)
from greedyhull.cli.tables import Taken
from greedyhull.errors import check
from greedyhull.points.arrays import is_sparse
from greedyhull.types import Array

SPELLED = {"cv": "folds", "fit_intercept": "intercept"}  # options that have another name than the parameter
ONLY_FOR = {"delta": "huber", "quantile": "quantile"}  # parameters of one loss
LINEAR: dict[str, tuple[str, ...]] = {"regression": ("squared", "huber", "absolute", "quantile", "poisson"),
          "classification": ("logistic", "squared_hinge", "hinge")}
LOSSES: dict[str, dict[str, tuple[str, ...]]] = {"simplex": LINEAR, "l1": LINEAR,
          "ensemble": {"regression": ("squared", "absolute"), "classification": ("log_loss", "squared")}}  # defaults first
KINKED = ("absolute", "quantile", "hinge")
POSITIVE = ("radius", "alpha", "total", "upper", "delta", "quantile")
AT_LEAST = {"tol": 0, "max_iter": 1, "cv": 2, "max_models": 1}


def option(parameter: str) -> str:
    """A parameter of an estimator as the command line spells it.

    >>> option("max_iter"), option("cv")
    ('--max-iter', '--folds')
    """
    return f"--{SPELLED.get(parameter, parameter).replace('_', '-')}"


def check_ranges(options: Mapping[str, Any]) -> None:
    """Every number is one that its option takes."""
    for parameter, value in options.items():
        given = f"{option(parameter)} {value} was given"
        if parameter == "quantile":
            check(0 < value < 1, f"{given}; a number between 0 and 1 is wanted.")
        if parameter in POSITIVE:
            check(value > 0, f"{given}; a number above 0 is wanted.")
        least = AT_LEAST.get(parameter)
        kind = "a number" if parameter == "tol" else "a whole number"
        check(least is None or value >= least, f"{given}; {kind} of at least {least} is wanted.")


def check_options(kind: str, task: str, options: Mapping[str, Any]) -> None:
    """Every option that was given is used: by the loss, by the way the budget is found, by the kind of model."""
    losses = LOSSES[kind][task]
    loss = options.get("loss", losses[0])
    check(loss in losses, f"--loss {loss} was given; for {task} one of {', '.join(sorted(losses))} is wanted. --task chooses "
                          "between regression and classification.")
    for parameter, wanted in ONLY_FOR.items():
        other = f"Add --loss {wanted}, or leave" if wanted in losses else "Leave"
        check(parameter not in options or loss == wanted, f"{option(parameter)} {options.get(parameter)} was given, but the "
              f"loss is {loss}, which does not use it. {other} {option(parameter)} out.")
    check(not {"radius", "alpha"} <= set(options), f"--radius {options.get('radius')} and --alpha {options.get('alpha')} were "
          "given; one of them is wanted: a budget, or a penalty.")
    fixed = next((name for name in ("radius", "alpha") if name in options), None)
    check(fixed is None or "cv" not in options, f"--folds {options.get('cv')} was given, but --{fixed} leaves nothing to "
          f"cross-validate. Leave out --folds, or --{fixed}.")
    check("alpha" not in options or loss not in KINKED, f"--alpha {options.get('alpha')} was given, but the {loss} loss is "
          "not smooth, so a penalty does not determine a budget. Give a --radius.")
    check(kind != "ensemble" or task == "regression" or "fit_intercept" not in options,
          "An ensemble of classifiers has no intercept. Leave --intercept or --no-intercept out.")


def check_samples(taken: Taken, y: Array, task: str, folds: int | None) -> None:
    """The numbers are finite, there are two classes or more where these are told apart, and a sample for each fold."""
    bad = _first_bad(taken.X)
    check(bad is None, lambda: f"Column {taken.names[bad[1]]} is NaN or infinite in sample {bad[0] + 1}; finite numbers are "  # type: ignore[index]
                               "wanted. Fill it in, or leave out the sample or the column.")
    if y.dtype.kind == "f":
        off = np.flatnonzero(~np.isfinite(y))
        check(not len(off), lambda: f"The target {taken.target} is NaN or infinite in {len(off)} samples, the first of them "
                                    f"sample {off[0] + 1}. Fill it in, or leave those samples out.")
    if task == "classification":
        check(y.dtype.kind != "f" or bool((y == np.rint(y)).all()), f"The target {taken.target} holds numbers with fractions; "
              "for classification a few classes are wanted. Give --task regression.")
        classes = np.unique(y)
        check(len(classes) > 1, f"The target {taken.target} has only one class, {classes[0]}; two or more are wanted.")
    check(folds is None or len(y) >= folds, f"--folds {folds} needs at least {folds} samples; there are {len(y)}. Give a "
                                            "--radius, or fewer --folds.")


def _first_bad(X: Any) -> tuple[int, int] | None:
    """The row and the column of the first entry that is not finite."""
    entries = X.tocoo() if is_sparse(X) else X
    off = np.flatnonzero(~np.isfinite(entries.data if entries is not X else X))
    if not len(off):
        return None
    if entries is not X:
        return int(entries.row[off[0]]), int(entries.col[off[0]])
    i, j = np.unravel_index(off[0], X.shape)
    return int(i), int(j)


app = typer.Typer(cls=Group, rich_markup_mode=None)


@app.callback()
def fit() -> None:
    """Fit weights, a portfolio, a design or a matrix to a table.

    Example: greedyhull fit l1 houses.csv --target price --radius 80

    Exit codes: 0 fitted, and the gap is certified; 1 the gap was not reached, or scikit-learn is needed and not installed;
    2 wrong usage or wrong data.
    """


@app.command()
def simplex(
    data: Table, target: Target = None, features: Features = None, exclude: Exclude = None, sample_weight: SampleWeight = None,
    format: Format = None, task: Task = "auto", loss: Loss = None, delta: Delta = None, quantile: Quantile = None,
    total: Annotated[float | None, typer.Option(help="The sum of the weights. Default: 1.")] = None,
    upper: Annotated[float | None, typer.Option(help="An upper bound on each weight.")] = None,
    intercept: Intercept = None, tol: Tolerance = 1e-6, max_iter: Most = 10_000, out: Out = None, quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Non-negative weights with a fixed sum.

    For shares, mixtures and portfolios.
    """
    _fit("simplex", data, format, (target, features, exclude, sample_weight), task, out, (quiet, json), loss=loss, delta=delta,
         quantile=quantile, total=total, upper=upper, fit_intercept=intercept, tol=tol, max_iter=max_iter)


@app.command()
def l1(
    data: Table, target: Target = None, features: Features = None, exclude: Exclude = None, sample_weight: SampleWeight = None,
    format: Format = None, task: Task = "auto", loss: Loss = None, delta: Delta = None, quantile: Quantile = None,
    radius: Annotated[float | None, typer.Option(help="An upper bound on the sum of the absolute weights. Default: chosen by "
                                                      "cross-validation.")] = None,
    alpha: Annotated[float | None, typer.Option(help="Instead of a radius: the penalty of the lasso.")] = None,
    folds: Annotated[int | None, typer.Option(help="The number of folds of the cross-validation. Default: 5.")] = None,
    standardize: Annotated[bool | None, typer.Option("--standardize", help="Measure each weight in units of the "
                                                                           "standard deviation of its column.")] = None,
    intercept: Intercept = None, tol: Tolerance = 1e-6, max_iter: Most = 10_000, out: Out = None, quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Sparse weights: an l1 budget, as in the lasso.

    The sum of the absolute weights is at most the radius.
    """
    _fit("l1", data, format, (target, features, exclude, sample_weight), task, out, (quiet, json), loss=loss, delta=delta,
         quantile=quantile, radius=radius, alpha=alpha, cv=folds, standardize=standardize, fit_intercept=intercept, tol=tol,
         max_iter=max_iter)


@app.command()
def ensemble(
    data: Table, target: Target = None, features: Features = None, exclude: Exclude = None, sample_weight: SampleWeight = None,
    format: Format = None, task: Task = "auto",
    loss: Annotated[str | None, typer.Option(help="Regression: squared or absolute. Classification: log_loss or "
                                                  "squared.")] = None,
    max_models: Annotated[int | None, typer.Option(help="An upper bound on the number of models used.")] = None,
    intercept: Intercept = None, tol: Tolerance = 1e-6, max_iter: Most = 10_000, out: Out = None, quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Ensemble weights from out-of-fold predictions.

    Each column holds the predictions of a model. The weights are non-negative and sum to one. With two classes, a column
    holds probabilities of the second class; with more, each model has a column for each class. Needs scikit-learn.
    """
    _fit("ensemble", data, format, (target, features, exclude, sample_weight), task, out, (quiet, json), loss=loss,
         max_models=max_models, fit_intercept=intercept, tol=tol, max_iter=max_iter)


@app.command()
def portfolio(
    data: Annotated[Path, typer.Argument(metavar="RETURNS", help="Returns, a row for each period and a column for each asset.",
                                         show_default=False)],
    risk: Annotated[str, typer.Option(
        help="minimum (variance), log (growth), or a number: ½ risk·variance − mean.")] = "minimum",
    groups: Annotated[Path | None, typer.Option(metavar="FILE", help="A table with the columns asset and group.")] = None,
    group_upper: Annotated[float | None, typer.Option(help="The largest weight of a group.")] = None,
    upper: Annotated[float | None, typer.Option(help="The largest weight of an asset.")] = None,
    benchmark: Annotated[str | None, typer.Option(metavar="COLUMN", help="The column to track, in place of --risk.")] = None,
    exclude: Exclude = None, format: Format = None, tol: Precise = 1e-8, out: Out = None, quiet: Quiet = False,
    json: Json = False,
) -> None:
    """A portfolio under caps, with the price of each.

    Example: greedyhull fit portfolio returns.csv --groups sectors.csv --group-upper 0.2
    """
    from greedyhull.cli.console import Voice
    from greedyhull.cli.fit_jobs import FitPortfolioAsked as Asked
    from greedyhull.cli.fit_jobs import fit_portfolio_run as run

    asked = Asked(risk, groups, group_upper, upper, benchmark, tuple(_several(exclude) or ()), tol)
    raise typer.Exit(run(data, format, asked, out, Voice(quiet, json)))


@app.command()
def design(
    data: Annotated[Path, typer.Argument(metavar="CANDIDATES", help="A row for each possible experiment, a column for each "
                                                                    "regressor.", show_default=False)],
    criterion: Annotated[str, typer.Option(help="D, A, G or I.")] = "D",
    intercept: Annotated[bool, typer.Option("--intercept/--no-intercept", help="Whether to add a column of ones.")] = True,
    experiments: Annotated[int | None, typer.Option(help="Share so many experiments out in whole numbers.")] = None,
    name: Annotated[str | None, typer.Option(metavar="COLUMN", help="The column that names the candidates.")] = None,
    exclude: Exclude = None, format: Format = None, tol: Precise = 1e-8, out: Out = None, quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Which experiments to run, and how often: an optimal design.

    Example: greedyhull fit design candidates.csv --criterion A --experiments 12
    """
    from greedyhull.cli.console import Voice
    from greedyhull.cli.fit_jobs import Asked
    from greedyhull.cli.fit_jobs import fit_design_run as run

    asked = Asked(criterion, intercept, experiments, name, tuple(_several(exclude) or ()), tol)
    raise typer.Exit(run(data, format, asked, out, Voice(quiet, json)))


@app.command()
def completion(
    data: Table,
    row: Annotated[str, typer.Option(metavar="COLUMN", help="The column that names the row, a user say.")],
    column: Annotated[str, typer.Option(metavar="COLUMN", help="The column that names the column, an item say.")],
    value: Annotated[str, typer.Option(metavar="COLUMN", help="The column with the entry, a rating say.")],
    radius: Annotated[float | None, typer.Option(help="An upper bound on the sum of the singular values. Default: chosen "
                                                      "by the error on entries that are held out.")] = None,
    predict: Annotated[Path | None, typer.Option(metavar="PAIRS", help="A table of rows and columns to predict.")] = None,
    biases: Annotated[bool, typer.Option("--biases/--no-biases", help="Whether to fit biases of rows and columns.")] = True,
    loss: Annotated[str, typer.Option(help="squared, huber, or logistic for values -1 and +1.")] = "squared",
    tol: Tolerance = 1e-3, format: Format = None, out: Out = None, quiet: Quiet = False, json: Json = False,
) -> None:
    """Complete a matrix from some of its entries.

    Example: greedyhull fit completion ratings.csv --row user --column item --value rating --predict pairs.csv

    The table has a line for each known entry. The sum of the singular values is at most the radius. Needs scikit-learn.
    """
    from greedyhull.cli.console import Voice
    from greedyhull.cli.fit_jobs import Places, run

    settings = {"radius": radius, "biases": biases, "loss": loss, "tol": tol}
    raise typer.Exit(run(data, format, Places(row, column, value), settings, predict, out, Voice(quiet, json)))


def _fit(kind: str, data: Path, layout: str | None, columns: tuple[str | None, ...], task: str, out: Path | None,
         voices: tuple[bool, bool], **options: Any) -> None:
    from greedyhull.cli.console import Voice
    from greedyhull.cli.fit import run
    from greedyhull.cli.tables import Wanted

    target, features, exclude, weight = columns
    wanted = Wanted(target, _several(features), _several(exclude) or (), weight)
    raise typer.Exit(run(kind, data, layout, wanted, task, options, out, Voice(*voices)))


def _several(words: str | None) -> list[str] | None:
    return None if words is None else [word.strip() for word in words.split(",") if word.strip()]
