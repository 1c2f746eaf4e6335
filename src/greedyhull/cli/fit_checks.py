"""What can be wrong with a fit, in the words of the command line: options, samples, classes, folds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

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
