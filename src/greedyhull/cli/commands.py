"""The commands and their options; each imports its job when it runs, and returns the exit code."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from greedyhull import __version__
from greedyhull.cli.console import Console
from greedyhull.cli.suggestions import Group

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as one JSON document, and nothing else.")]
Workers = Annotated[int | None, typer.Option(help="How many processes compute, for data in several files.")]
Scheduler = Annotated[str | None, typer.Option(metavar="tcp://HOST:PORT", help="The Dask scheduler whose workers compute, for "
                                               "data in several files.")]
ProblemPath = Annotated[Path, typer.Argument(metavar="PROBLEM.toml", help="The problem file.", show_default=False)]
Data = Annotated[Path, typer.Argument(metavar="DATA", help="The table: .csv, .tsv, .svm, .libsvm, .npz or .npy. Or files "
                                       "that are read in shards: a quoted pattern, a folder, .parquet or .arrow.",
                                       show_default=False)]
Target = Annotated[str | None, typer.Option(metavar="COLUMN", help="The column to predict, by name or by number; 0 is the "
                                            "first, -1 the last. LIBSVM and NPZ files hold the target themselves.")]
Features = Annotated[str | None, typer.Option(metavar="A,B,C", help="The columns to use. Default: all other columns.")]
Exclude = Annotated[str | None, typer.Option(metavar="A,B,C", help="Columns to leave out.")]
SampleWeight = Annotated[str | None, typer.Option(metavar="COLUMN", help="The column with the sample weights.")]
Format = Annotated[str | None, typer.Option(help="csv, libsvm, npz or npy. Default: by the file extension.")]
Task = Annotated[str, typer.Option(help="regression or classification; auto chooses classification if the target holds words "
                                   "or exactly two values.")]
Loss = Annotated[str | None, typer.Option(help="Regression: squared, huber, absolute, quantile or poisson. Classification: "
                                          "logistic, squared_hinge or hinge.")]
Delta = Annotated[float | None, typer.Option(help="Where the Huber loss becomes linear; only with --loss huber.")]
Quantile = Annotated[float | None, typer.Option(help="The quantile to estimate; only with --loss quantile.")]
Intercept = Annotated[bool | None, typer.Option("--intercept/--no-intercept", help="Whether to fit an intercept.")]
Tolerance = Annotated[float, typer.Option(help="The gap to reach, relative to max(|loss|, the loss of predicting zero).")]
Precise = Annotated[float, typer.Option(help="The certified gap to reach, relative to the value.")]
Most = Annotated[int, typer.Option(help="The largest number of iterations.")]
Out = Annotated[Path | None, typer.Option(metavar="FILE", help="Write the result to a .json or .csv file.")]

app = typer.Typer(cls=Group, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
fits = typer.Typer(cls=Group, rich_markup_mode=None)
app.add_typer(fits, name="fit")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"greedyhull {__version__}")
        raise typer.Exit()


@app.callback()
def greedyhull(
    context: typer.Context,
    debug: Annotated[bool, typer.Option("--debug", envvar="GREEDYHULL_DEBUG", help="Print tracebacks.")] = False,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Minimise a convex function over the convex hull of a set of atoms, with a certified bound on the error.

    Start with "greedyhull demo", or with "greedyhull fit" on a table of your own.

    Exit codes: 0 success; 1 the requested gap was not reached, a result could not be written, or an optional package is not
    installed; 2 wrong usage or wrong input; 3 a bug in greedyhull; 130 interrupted.
    """
    if isinstance(context.obj, dict):
        context.obj["debug"] = debug


@app.command()
def demo(
    budget: Annotated[float, typer.Option(help="The l1 budget: an upper bound on the sum of the absolute weights.")] = 5.0,
    out: Annotated[Path, typer.Option(help="The HTML file to write.")] = Path("greedyhull-demo.html"),
    quiet: Quiet = False, json: Json = False,
) -> None:
    """Solve an example with real data and write an HTML report.

    Which measurements of a biopsy tell a malignant tumour from a benign one? An l1 budget keeps the number of measurements
    small. The data come with scikit-learn.
    """
    from greedyhull.cli import builtin

    builtin.demo(budget, out, Console(quiet, json))


@app.command()
def solve(
    file: ProblemPath,
    out: Annotated[Path | None, typer.Option(metavar="FOLDER", help="The folder for the results.")] = None,
    checkpoint: Annotated[Path | None, typer.Option(metavar="FOLDER", help="A folder for the state of the run, from which "
                                                    "greedyhull resume continues it.")] = None,
    workers: Workers = None, scheduler: Scheduler = None, quiet: Quiet = False, json: Json = False,
) -> int:
    """Solve the problem described in a TOML file.

    Writes the solution, its trace and an HTML report.

    Exit codes: 0 the gap in [stop] is reached and certified; 1 a limit was reached first, or a result could not be written
    (it is printed instead); 2 the file or its data are wrong, or the output folder is not writable.
    """
    from greedyhull.cli.solve import Saving, run

    return run(file, out, Console(quiet, json), None if checkpoint is None else Saving(checkpoint), workers, scheduler)


@app.command()
def resume(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", show_default=False,
                                           help="The folder that greedyhull solve --checkpoint wrote to.")],
    workers: Workers = None, scheduler: Scheduler = None, quiet: Quiet = False, json: Json = False,
) -> int:
    """Continue a solve that was interrupted.

    The run continues exactly where its state was saved last, and writes the results where greedyhull solve would have. The
    problem file may have another [stop]; what else has changed in it, or in its data, is an error that names the file.

    Exit codes: those of greedyhull solve.
    """
    from greedyhull.cli.solve import Saving, read_stored, run

    problem = read_stored(folder)
    return run(problem.file, problem.out, Console(quiet, json), Saving(folder, resumed=True), workers, scheduler)


@app.command()
def certify(
    file: ProblemPath,
    solution: Annotated[Path, typer.Argument(metavar="SOLUTION.npz", show_default=False,
                                             help="The point: from greedyhull solve, or any vector as .npz, .npy or text.")],
    gap: Annotated[float | None, typer.Option(help="The largest gap to accept. Default: gap in [stop].")] = None,
    tol: Annotated[float | None, typer.Option(help="How far outside the set the point may lie, relative to the set.")] = None,
    quiet: Quiet = False, json: Json = False,
) -> int:
    """Certify a stored point, from any program.

    Computes the duality gap of the point from the problem alone.

    Exit codes: 0 the gap is small enough, or no gap was requested; 1 it is too large; 2 a file is wrong, or the point lies
    outside the set.
    """
    from greedyhull.cli.solve import certify_run

    return certify_run(file, solution, gap, tol, Console(quiet, json))


@app.command()
def doctor(quiet: Quiet = False, json: Json = False) -> int:
    """Check the installation.

    Prints the versions, the BLAS library, the compiled core and the optional packages, and runs a self-test.

    Exit codes: 0 the self-test passed; 1 it failed.
    """
    from greedyhull.cli import builtin

    return builtin.doctor(Console(quiet, json))


@app.command()
def paper(
    out: Annotated[Path, typer.Option(help="The folder for the report and its data.")] = Path("greedyhull-paper"),
    quick: Annotated[bool, typer.Option("--quick", help="Smaller sizes and fewer runs; takes about a minute.")] = False,
    seed: Annotated[int, typer.Option(help="The random seed.")] = 0,
    only: Annotated[list[str] | None, typer.Option(help="Run only the experiment of this name; may be repeated.")] = None,
    quiet: Quiet = False, json: Json = False,
) -> int:
    """Reproduce the experiments of the paper.

    Measures each statement of the paper and writes an HTML report with figures and data. Takes a few minutes on two cores.
    Exact worst cases are computed if PEPit is installed, by the extra "paper": pip install -e ".[paper]", in the checkout.

    Exit codes: 0 all findings hold; 1 one does not; 2 wrong usage.
    """
    from greedyhull.cli import builtin

    return builtin.paper(out, quick, seed, only or [], Console(quiet, json))


@fits.callback()
def fit() -> None:
    """Fit weights, a portfolio, a design or a matrix to a table.

    Example: greedyhull fit l1 houses.csv --target price --radius 80

    Exit codes: 0 fitted, and the gap is certified; 1 the gap was not reached, or scikit-learn is needed and not installed;
    2 wrong usage or wrong data.
    """


@fits.command()
def simplex(
    data: Data, target: Target = None, features: Features = None, exclude: Exclude = None, sample_weight: SampleWeight = None,
    format: Format = None, task: Task = "auto", loss: Loss = None, delta: Delta = None, quantile: Quantile = None,
    total: Annotated[float | None, typer.Option(help="The sum of the weights. Default: 1.")] = None,
    upper: Annotated[float | None, typer.Option(help="An upper bound on each weight.")] = None,
    intercept: Intercept = None, tol: Tolerance = 1e-6, max_iter: Most = 10_000, out: Out = None, quiet: Quiet = False,
    json: Json = False,
) -> int:
    """Non-negative weights with a fixed sum.

    For shares, mixtures and portfolios.
    """
    return _fit("simplex", **locals())


@fits.command()
def l1(
    data: Data, target: Target = None, features: Features = None, exclude: Exclude = None, sample_weight: SampleWeight = None,
    format: Format = None, task: Task = "auto", loss: Loss = None, delta: Delta = None, quantile: Quantile = None,
    radius: Annotated[float | None, typer.Option(help="An upper bound on the sum of the absolute weights. Default: chosen by "
                                                      "cross-validation.")] = None,
    alpha: Annotated[float | None, typer.Option(help="Instead of a radius: the penalty of the lasso.")] = None,
    folds: Annotated[int | None, typer.Option(help="The number of folds of the cross-validation. Default: 5.")] = None,
    standardize: Annotated[bool | None, typer.Option("--standardize", help="Measure each weight in units of the "
                                                                           "standard deviation of its column.")] = None,
    intercept: Intercept = None, tol: Tolerance = 1e-6, max_iter: Most = 10_000, out: Out = None, quiet: Quiet = False,
    json: Json = False,
) -> int:
    """Sparse weights: an l1 budget, as in the lasso.

    The sum of the absolute weights is at most the radius.
    """
    return _fit("l1", **locals())


@fits.command()
def ensemble(
    data: Data, target: Target = None, features: Features = None, exclude: Exclude = None, sample_weight: SampleWeight = None,
    format: Format = None, task: Task = "auto",
    loss: Annotated[str | None, typer.Option(help="Regression: squared or absolute. Classification: log_loss or "
                                                  "squared.")] = None,
    max_models: Annotated[int | None, typer.Option(help="An upper bound on the number of models used.")] = None,
    intercept: Intercept = None, tol: Tolerance = 1e-6, max_iter: Most = 10_000, out: Out = None, quiet: Quiet = False,
    json: Json = False,
) -> int:
    """Ensemble weights from out-of-fold predictions.

    Each column holds the predictions of a model. The weights are non-negative and sum to one. With two classes, a column
    holds probabilities of the second class; with more, each model has a column for each class. Needs scikit-learn.
    """
    return _fit("ensemble", **locals())


@fits.command()
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
) -> int:
    """A portfolio under caps, with the price of each.

    Example: greedyhull fit portfolio returns.csv --groups sectors.csv --group-upper 0.2
    """
    from greedyhull.cli.fit_jobs import fit_portfolio

    return fit_portfolio(data, format, _several(exclude) or (), out, Console(quiet, json), risk=risk, groups=groups,
                         benchmark=benchmark, group_upper=group_upper, upper=upper, tol=tol)


@fits.command()
def design(
    data: Annotated[Path, typer.Argument(metavar="CANDIDATES", help="A row for each possible experiment, a column for each "
                                                                    "regressor.", show_default=False)],
    criterion: Annotated[str, typer.Option(help="D, A, G or I.")] = "D",
    intercept: Annotated[bool, typer.Option("--intercept/--no-intercept", help="Whether to add a column of ones.")] = True,
    experiments: Annotated[int | None, typer.Option(help="Share so many experiments out in whole numbers.")] = None,
    name: Annotated[str | None, typer.Option(metavar="COLUMN", help="The column that names the candidates.")] = None,
    exclude: Exclude = None, format: Format = None, tol: Precise = 1e-8, out: Out = None, quiet: Quiet = False,
    json: Json = False,
) -> int:
    """Which experiments to run, and how often: an optimal design.

    Example: greedyhull fit design candidates.csv --criterion A --experiments 12
    """
    from greedyhull.cli.fit_jobs import fit_design

    return fit_design(data, format, _several(exclude) or (), out, Console(quiet, json), criterion=criterion,
                      intercept=intercept, experiments=experiments, name=name, tol=tol)


@fits.command()
def completion(
    data: Data,
    row: Annotated[str, typer.Option(metavar="COLUMN", help="The column that names the row, a user say.")],
    column: Annotated[str, typer.Option(metavar="COLUMN", help="The column that names the column, an item say.")],
    value: Annotated[str, typer.Option(metavar="COLUMN", help="The column with the entry, a rating say.")],
    radius: Annotated[float | None, typer.Option(help="An upper bound on the sum of the singular values. Default: chosen "
                                                      "by the error on entries that are held out.")] = None,
    predict: Annotated[Path | None, typer.Option(metavar="PAIRS", help="A table of rows and columns to predict.")] = None,
    biases: Annotated[bool, typer.Option("--biases/--no-biases", help="Whether to fit biases of rows and columns.")] = True,
    loss: Annotated[str, typer.Option(help="squared, huber, or logistic for values -1 and +1.")] = "squared",
    tol: Tolerance = 1e-3, format: Format = None, out: Out = None, quiet: Quiet = False, json: Json = False,
) -> int:
    """Complete a matrix from some of its entries.

    Example: greedyhull fit completion ratings.csv --row user --column item --value rating --predict pairs.csv

    The table has a line for each known entry. The sum of the singular values is at most the radius. Needs scikit-learn.
    """
    from greedyhull.cli.fit_jobs import fit_completion

    return fit_completion(data, format, (row, column, value), predict, out, Console(quiet, json), radius=radius, biases=biases,
                          loss=loss, tol=tol)


def _fit(kind: str, data: Path, format: str | None, target: str | None, features: str | None, exclude: str | None,
         sample_weight: str | None, task: str, out: Path | None, quiet: bool, json: bool, **options: Any) -> int:
    from greedyhull.cli.fit import run
    from greedyhull.cli.tables import Selection

    wanted = Selection(target, _several(features), _several(exclude) or (), sample_weight)
    return run(kind, data, format, wanted, task, options, out, Console(quiet, json))


def _several(words: str | None) -> list[str] | None:
    return None if words is None else [word.strip() for word in words.split(",") if word.strip()]
