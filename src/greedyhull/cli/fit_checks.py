"""What can be wrong with a fit, in the words of the command line: options, samples, classes, folds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from greedyhull.cli.tables import Taken
from greedyhull.errors import check
from greedyhull.points.arrays import is_sparse
from greedyhull.types import Array

SPELLED = {"cv": "folds", "fit_intercept": "intercept"}  # options that have another name than the parameter
ONLY_FOR = {"delta": "huber", "quantile": "quantile"}  # parameters of one loss
REFUSED = re.compile(r"The '(?P<name>\w+)' parameter of \w+ must be (?P<wanted>.+)\. Got (?P<given>.+) instead\.")
RANGE = re.compile(r"an? (?P<kind>float|int) in the range (?P<from>[\[(])(?P<low>\S+), (?P<high>\S+?)(?P<to>[\])])")


def option(parameter: str) -> str:
    """A parameter of an estimator as the command line spells it.

    >>> option("max_iter"), option("cv")
    ('--max-iter', '--folds')
    """
    return f"--{SPELLED.get(parameter, parameter).replace('_', '-')}"


def check_options(options: Mapping[str, Any], known: Mapping[str, Any], name: str) -> None:
    """Every option that was given is a parameter of the estimator, and counts for the loss."""
    unknown = [option(parameter) for parameter in options if parameter not in known]
    check(not unknown, f"{' and '.join(unknown)} {'is' if len(unknown) == 1 else 'are'} not for {name}.")
    loss = options.get("loss", known.get("loss"))
    for parameter, wanted in ONLY_FOR.items():
        check(parameter not in options or loss == wanted, f"{option(parameter)} {options.get(parameter)} was given, but the "
              f"loss is {loss}, which has no such number. Add --loss {wanted}, or leave {option(parameter)} out.")


def check_samples(taken: Taken, y: Array, task: str, folds: int | None) -> None:
    """The numbers are finite, there are two classes or more where these are told apart, and a sample for each fold."""
    bad = _first_bad(taken.X)
    check(bad is None, lambda: f"Column {taken.names[bad[1]]} is NaN or infinite in sample {bad[0] + 1}; finite numbers are "  # type: ignore[index]
                               "wanted. Fill it in, or leave the sample or the column out.")
    if y.dtype.kind == "f":
        off = np.flatnonzero(~np.isfinite(y))
        check(not len(off), lambda: f"The target {taken.target} is NaN or infinite in {len(off)} samples, the first of them "
                                    f"sample {off[0] + 1}. Fill it in, or leave those samples out.")
    if task == "classification":
        check(y.dtype.kind != "f" or bool((y == np.rint(y)).all()), f"The target {taken.target} holds numbers with fractions; "
              "for classification a few classes are wanted. Give --task regression.")
        classes = np.unique(y)
        check(len(classes) > 1, f"The target {taken.target} has one class only, {classes[0]}; two or more are wanted.")
    check(folds is None or len(y) >= folds, f"{folds} folds want at least as many samples; there are {len(y)}. Give a "
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


def refusal(error: ValueError) -> str:
    """What scikit-learn refuses, in our words where they are known, and else its first sentence.

    >>> refusal(ValueError("The 'tol' parameter of Lasso must be a float in the range [0.0, inf). Got -1.0 instead."))
    '--tol -1.0 was given; a number of at least 0.0 is wanted.'
    """
    said = str(error).splitlines()[0] if str(error) else type(error).__name__
    refused = REFUSED.fullmatch(said)
    return said if refused is None else (
        f"{option(refused['name'])} {refused['given']} was given; {_in_words(refused['wanted'])} is wanted.")


def _in_words(wanted: str) -> str:
    found = RANGE.search(wanted)
    if found is None:
        return wanted
    kind = "a whole number" if found["kind"] == "int" else "a number"
    low = f"of at least {found['low']}" if found["from"] == "[" else f"above {found['low']}"
    high = "" if found["high"] == "inf" else f" and {'at most' if found['to'] == ']' else 'below'} {found['high']}"
    return f"{kind} {low}{high}"
