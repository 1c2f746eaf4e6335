"""Cross-entropy of several classes: terms, slopes and probabilities in one pass over the scores."""

from __future__ import annotations

import numpy as np

from greedyhull.kernels.core import compiled
from greedyhull.types import Array, Index


@compiled
def softmax_pieces(labels: Index, z: Array, b: Array, terms: Array, slopes: Array, s: Array) -> None:
    """``terms`` ← log Σ exp(z + b) − (z + b)_label for each row of scores z, ``slopes`` ← its gradient, ``s`` ← probabilities.

    What is small keeps its digits: the slope of the label is minus the sum of the others, not a probability less one.
    """
    rows = np.arange(len(labels))
    off = z + b.astype(np.float64)
    off -= off.max(axis=1, keepdims=True)
    e = np.exp(off)
    own = e[rows, labels]
    e[rows, labels] = 0.0
    rest = e.sum(axis=1)
    total = rest + own
    terms[:] = np.log1p(rest + (own - 1.0)) - off[rows, labels]
    slopes[:] = s[:] = e / total[:, None]
    slopes[rows, labels] = -rest / total
    s[rows, labels] = own / total
