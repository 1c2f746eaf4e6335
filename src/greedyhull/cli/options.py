"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as one JSON document, and nothing else.")]
Workers = Annotated[int | None, typer.Option(help="How many processes compute, for data in several files.")]
Scheduler = Annotated[str | None, typer.Option(metavar="tcp://HOST:PORT", help="The Dask scheduler whose workers compute, for "
                                               "data in several files.")]
Problem = Annotated[Path, typer.Argument(metavar="PROBLEM.toml", help="The problem file.", show_default=False)]
Table = Annotated[Path, typer.Argument(metavar="DATA", help="The table: .csv, .tsv, .svm, .libsvm, .npz or .npy. Or files "
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
