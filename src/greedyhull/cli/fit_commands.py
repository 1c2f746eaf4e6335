"""The commands of ``greedyhull fit`` and their options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from greedyhull.cli.options import (
    Delta,
    Exclude,
    Features,
    Format,
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
from greedyhull.cli.usage import Group

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
    from greedyhull.cli.fit_portfolio import Asked, run

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
    from greedyhull.cli.fit_design import Asked, run

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
    from greedyhull.cli.completion import Places, run
    from greedyhull.cli.console import Voice

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
