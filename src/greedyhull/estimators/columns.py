"""What the columns of a matrix say about classes: probabilities, scores or votes; decided once, when weights are fitted."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from greedyhull.errors import GreedyhullWarning, check
from greedyhull.estimators.caller import caller_level
from greedyhull.estimators.models import ROUNDING
from greedyhull.types import Array

TINY = 1e-15  # probabilities below it are taken for it, as log-losses usually do
STEEP = 500.0  # e to it is finite


class Columns(NamedTuple):
    """How the columns are read: K classes; votes, or else which models give scores and not probabilities."""

    K: int
    votes: bool
    scored: Array
    names: list[str]

    def read(self, X: Array) -> Array:
        """(samples, classes, models)."""
        if self.votes:
            votes = np.clip(np.rint(X), 0, self.K - 1)
            return np.stack([votes == k for k in range(self.K)], axis=1).astype(np.float64)
        B = blocks(X, self.K)
        outside = ((B < -ROUNDING) | (B > 1.0 + ROUNDING)).any(axis=(0, 1)) & ~self.scored
        check(not outside.any(), lambda: f"In {self.names[int(outside.argmax())]} of X there are entries outside [0, 1]; when "
              "the weights were fitted there were probabilities, and such are wanted now.")
        P = np.clip(B, 0.0, 1.0)
        if self.K == 2:
            P[:, :, self.scored] = 1.0 / (1.0 + np.exp(-np.clip(B[:, :, self.scored], -STEEP, STEEP)))
            return np.concatenate([1.0 - P, P], axis=1)
        S = B[:, :, self.scored]
        P[:, :, self.scored] = np.exp(S - S.max(axis=1, keepdims=True))
        return np.asarray(P / np.maximum(P.sum(axis=1, keepdims=True), TINY))

    def of_truth(self, X: Array, labels: Array) -> Array:
        """(samples, models): what each model gives the class ``labels`` of a sample, for the X these columns were read of."""
        if self.votes or self.K > 2:
            P = self.read(X)
            return np.asarray(P[np.arange(len(P)), labels])
        P = np.clip(X, 0.0, 1.0)
        if self.scored.any():
            P[:, self.scored] = 1.0 / (1.0 + np.exp(-np.clip(X[:, self.scored], -STEEP, STEEP)))
        return np.subtract(1.0, P, out=P, where=(labels == 0)[:, None])


def blocks(X: Array, K: int) -> Array:
    """(samples, columns of a model, models): one column a model for two classes, else K."""
    if K == 2:
        return X[:, None, :]
    return X.reshape(len(X), X.shape[1] // K, K).transpose(0, 2, 1)


def columns_of(X: Array, K: int, named: Sequence[str] | None) -> Columns:
    """How to read X, whose columns may be ``named``.

    A model with negative entries gives scores; one in [0, 1] whose rows sum to one, probabilities. What is neither is refused
    beside models that give probabilities; alone, entries above 1 are scores and others probabilities to be scaled, with a
    warning. Columns that are no blocks of K are votes.
    """
    votes = K > 2 and X.shape[1] % K > 0
    names = labels(X.shape[1], 1 if votes else K, named)
    if votes:
        _check_votes(X, K)
        return Columns(K, True, np.zeros(X.shape[1], dtype=bool), names)
    B = blocks(X, K)
    low, high = B.min(axis=(0, 1)), B.max(axis=(0, 1))
    negative, above = low < -ROUNDING, high > 1.0 + ROUNDING
    summed = np.ones(len(low), dtype=bool) if K == 2 else (np.abs(B.sum(axis=1) - 1.0) <= ROUNDING).all(axis=0)
    probable = ~negative & ~above & summed
    if not (probable | negative).all():
        j = int((probable | negative).argmin())
        off = f"entries reach from {low[j]:.4g} to {high[j]:.4g}" if above[j] else "rows do not sum to one"
        _tell(f"In {names[j]} of X {off}: these are no probabilities, and scores would have both signs.", bool(probable.any()))
    return Columns(K, False, negative | above, names)


def labels(columns: int, K: int, named: Sequence[str] | None) -> list[str]:
    """What the columns of each model are called.

    >>> labels(6, 3, None), labels(2, 2, ["tree", "net"])
    (['columns 0 to 2', 'columns 3 to 5'], ["column 'tree'", "column 'net'"])
    """
    called = [str(j) for j in range(columns)] if named is None else [repr(str(name)) for name in named]
    if K <= 2:
        return [f"column {name}" for name in called]
    return [f"columns {called[j]} to {called[j + K - 1]}" for j in range(0, columns, K)]


def _tell(fault: str, others: bool) -> None:
    """Refuse, where other models give probabilities; warn where none does."""
    check(not others, f"{fault} Other models give probabilities. Numbers in [0, 1] that sum to one over the classes are "
                      "wanted from this one too: calibrate it, or leave it out.")
    warnings.warn(f"{fault} Entries above 1 are taken for scores, others for probabilities to be scaled.",
                  GreedyhullWarning, stacklevel=caller_level())


def _check_votes(X: Array, K: int) -> None:
    if not np.array_equal(np.clip(np.rint(X), 0, K - 1), X):
        warnings.warn(f"X has {X.shape[1]} columns and y {K} classes. Blocks of {K} columns for each model, the probabilities "
                      "of the classes in sorted order, are wanted; each column is taken for the number of the class that a "
                      "model votes for, rounded.", GreedyhullWarning, stacklevel=caller_level())
