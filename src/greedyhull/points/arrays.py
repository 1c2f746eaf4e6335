"""Arrays that may be sparse: the one place that asks which."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.types import Array


def is_sparse(x: Any) -> bool:
    """Whether x is a sparse matrix, of SciPy or like it: one that can be compressed, or written out."""
    return hasattr(x, "tocsc") or hasattr(x, "toarray")  # of whatever package: what it can do is all that matters


def dense(x: Any) -> Array:
    """x as a NumPy array; a sparse matrix is written out.

    >>> from scipy.sparse import csr_array
    >>> dense(csr_array([[0.0, 2.0]])), dense([1.0])
    (array([[0., 2.]]), array([1.]))
    """
    return np.asarray(x.toarray() if is_sparse(x) else x)


def compact(x: Any) -> Any:
    """x as a matrix of SciPy in CSC where it can become one, else as a NumPy array."""
    return x.tocsc() if hasattr(x, "tocsc") else dense(x)


def locked(x: Array) -> Array:
    """x as a read-only view: whoever is shown it cannot change it."""
    view = x.view()
    view.flags.writeable = False
    return view
