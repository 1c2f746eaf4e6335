"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing; the exit code tells.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as one JSON document, and nothing else.")]
Problem = Annotated[Path, typer.Argument(metavar="PROBLEM.toml", help="The problem file.", show_default=False)]
Table = Annotated[Path, typer.Argument(metavar="DATA", help="The table: .csv, .tsv, .svm, .libsvm, .npz or .npy.",
                                       show_default=False)]
Target = Annotated[str | None, typer.Option(metavar="COLUMN", help="The column to predict, by name or number from 0; -1 is "
                                            "the last. LIBSVM and NPZ files have targets of their own.")]
Features = Annotated[str | None, typer.Option(metavar="A,B,C", help="The columns to use; all others if left out.")]
Exclude = Annotated[str | None, typer.Option(metavar="A,B,C", help="Columns not to use.")]
SampleWeight = Annotated[str | None, typer.Option(metavar="COLUMN", help="How much each sample counts.")]
Format = Annotated[str | None, typer.Option(help="csv, libsvm, npz or npy, where the name of the file does not tell.")]
Task = Annotated[str, typer.Option(help="regression or classification; auto: classification if the target holds words or two "
                                   "values only.")]
Loss = Annotated[str | None, typer.Option(help="The loss; for regression squared, huber, absolute, quantile, poisson; for "
                                          "classification logistic, squared_hinge, hinge.")]
Delta = Annotated[float | None, typer.Option(help="Where the Huber loss turns linear.")]
Quantile = Annotated[float | None, typer.Option(help="Which quantile the quantile loss aims at.")]
Intercept = Annotated[bool | None, typer.Option("--intercept/--no-intercept", help="With an intercept or without.")]
Tolerance = Annotated[float, typer.Option(help="The gap to prove, relative to max(|loss|, the loss of predicting zero).")]
Most = Annotated[int, typer.Option(help="Iterations at most.")]
Out = Annotated[Path | None, typer.Option(metavar="FILE", help="Write the result to a .json or .csv file.")]
