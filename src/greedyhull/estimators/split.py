"""The folds of a cross-validation, checked before anything is fitted: each must have what a fit needs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.types import Array, Index

Fold = tuple[Index, Index]  # the rows to train with, and those left out


def folds_of(splits: Iterable[Any], n: int, s: Array | None, classes: tuple[Array, Array] | None = None) -> list[Fold]:
    """The folds with their rows as numbers; ``classes`` are the labels of the rows, as numbers, and what these stand for.

    >>> folds_of([([0, 1], [2])], 3, None)
    [(array([0, 1]), array([2]))]
    """
    folds = [(_rows(train, n), _rows(test, n)) for train, test in splits]
    check(len(folds) > 0, "cv gives no folds; one or more are wanted. A generator, as splitter.split(X, y, groups) returns, "
                          "is empty after one fit: pass a list, cv=list(...).")
    for i, (train, test) in enumerate(folds, 1):
        for rows, what in ((train, "trains with"), (test, "leaves out")):
            counted = rows if s is None else rows[s[rows] > 0.0]
            check(len(counted) > 0, f"Fold {i} of {len(folds)} {what} no sample of positive weight. Give other folds.")
            if classes is not None and rows is train:
                _check_classes(counted, classes, f"Fold {i} of {len(folds)}")
    return folds


def splits_of(splitter: Any, X: Any, y: Array, groups: Any) -> Iterable[Any]:
    """What a splitter of scikit-learn gives for the data; ``groups`` is one label for each row, or None."""
    if groups is not None:
        groups = np.asarray(groups)
        check(groups.ndim == 1 and len(groups) == len(y),
              f"groups has shape {groups.shape}; one label for each of the {len(y)} samples is wanted.")
    return cast("Iterable[Any]", splitter.split(X, y, groups))


def _rows(given: Any, n: int) -> Index:
    """Numbers of rows, given so or as a mask."""
    rows = np.asarray(given)
    try:
        return np.asarray(np.arange(n)[rows if rows.size else rows.astype(np.intp)])
    except IndexError as error:
        raise GreedyhullError(f"cv gives {given!r} for the rows of a fold; numbers from 0 to {n - 1} are wanted.") from error


def _check_classes(rows: Index, classes: tuple[Array, Array], fold: str) -> None:
    labels, names = classes
    missing = np.setdiff1d(np.arange(len(names)), labels[rows])
    shown = ", ".join(repr(name) for name in names[missing].tolist())
    what, them = ("class", "it") if len(missing) == 1 else ("classes", "them")
    check(not len(missing), f"{fold} has no sample of the {what} {shown} to train with. Use StratifiedKFold with fewer folds, "
                            f"give more samples of {them}, or leave {them} out.")
