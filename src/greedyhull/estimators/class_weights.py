"""Weights of classes as weights of samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.class_weight import compute_class_weight

from greedyhull.errors import check
from greedyhull.types import Array


def class_weighted(given: dict[Any, float] | str | None, classes: Array, labels: Array, s: Array | None) -> Array | None:
    """The sample weights s times those of the classes; ``labels`` number the ``classes``.

    "balanced" gives class c the weight S/(K·S_c) with S_c the sum of the sample weights in it: all classes count the same.

    >>> class_weighted("balanced", np.array(["a", "b"]), np.array([0, 0, 0, 1]), None).round(3).tolist()
    [0.667, 0.667, 0.667, 2.0]
    """
    if given is None:
        return s
    own = np.ones(len(labels)) if s is None else s
    if isinstance(given, str):
        sums = np.bincount(labels, weights=own, minlength=len(classes))
        weights = np.divide(own.sum(), len(classes) * sums, out=np.zeros(len(classes)), where=sums > 0.0)
    else:
        weights = np.asarray(compute_class_weight(given, classes=classes, y=classes[labels]), dtype=np.float64)
    product: Array = own * weights[labels]
    check(bool(np.isfinite(product).all() and (weights >= 0.0).all()) and float(product.sum()) > 0.0,
          f"class_weight={given!r} was given; non-negative weights, not all zero, are wanted.")
    return product
