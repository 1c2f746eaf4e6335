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
    Quantile,
    Quiet,
    SampleWeight,
    Table,
    Target,
    Task,
    Tolerance,
)

app = typer.Typer(rich_markup_mode=None)


@app.callback()
def fit() -> None:
    """Fit weights to the columns of a table, and prove how good they are.

    Exit codes: 0 fitted and certified; 1 the gap is not reached, or scikit-learn is not installed; 2 asked wrongly.
    """


@app.command()
def simplex(
    data: Table, target: Target = None, features: Features = None, exclude: Exclude = None, sample_weight: SampleWeight = None,
    format: Format = None, task: Task = "auto", loss: Loss = None, delta: Delta = None, quantile: Quantile = None,
    total: Annotated[float | None, typer.Option(help="What the weights sum to; 1 if left out.")] = None,
    upper: Annotated[float | None, typer.Option(help="No weight above it.")] = None,
    intercept: Intercept = None, tol: Tolerance = 1e-6, max_iter: Most = 10_000, out: Out = None, quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Weights that are not negative and sum to one: shares, mixtures, portfolios."""
    _fit("simplex", data, format, (target, features, exclude, sample_weight), task, out, (quiet, json), loss=loss, delta=delta,
         quantile=quantile, total=total, upper=upper, fit_intercept=intercept, tol=tol, max_iter=max_iter)


@app.command()
def l1(
    data: Table, target: Target = None, features: Features = None, exclude: Exclude = None, sample_weight: SampleWeight = None,
    format: Format = None, task: Task = "auto", loss: Loss = None, delta: Delta = None, quantile: Quantile = None,
    radius: Annotated[float | None, typer.Option(help="What the sizes of all weights may sum to; by cross-validation if "
                                                      "left out.")] = None,
    alpha: Annotated[float | None, typer.Option(help="Instead of a radius: its price, which is the lasso's penalty.")] = None,
    folds: Annotated[int | None, typer.Option(help="Folds of the cross-validation; 5 if left out.")] = None,
    standardize: Annotated[bool | None, typer.Option("--standardize", help="Count each weight in units of its column's "
                                                                           "standard deviation.")] = None,
    intercept: Intercept = None, tol: Tolerance = 1e-6, max_iter: Most = 10_000, out: Out = None, quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Few weights, of either sign, under a budget: their sizes sum to at most the radius."""
    _fit("l1", data, format, (target, features, exclude, sample_weight), task, out, (quiet, json), loss=loss, delta=delta,
         quantile=quantile, radius=radius, alpha=alpha, cv=folds, standardize=standardize, fit_intercept=intercept, tol=tol,
         max_iter=max_iter)


@app.command()
def ensemble(
    data: Table, target: Target = None, features: Features = None, exclude: Exclude = None, sample_weight: SampleWeight = None,
    format: Format = None, task: Task = "auto",
    loss: Annotated[str | None, typer.Option(help="For regression squared or absolute; for classification log_loss or "
                                                  "squared.")] = None,
    max_models: Annotated[int | None, typer.Option(help="At most so many models with a positive weight.")] = None,
    intercept: Intercept = None, tol: Tolerance = 1e-6, max_iter: Most = 10_000, out: Out = None, quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Weights for models whose out-of-fold predictions are the columns: not negative, sum to one.

    For two classes a column is the probability of the second one; for more, each model has a column for each class.
    """
    _fit("ensemble", data, format, (target, features, exclude, sample_weight), task, out, (quiet, json), loss=loss,
         max_models=max_models, fit_intercept=intercept, tol=tol, max_iter=max_iter)


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
