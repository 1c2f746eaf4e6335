"""Couplings of two distributions: transport plans."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.atoms.arguments import numbers
from greedyhull.atoms.linear.polytope import Polytope
from greedyhull.atoms.linear.rows import Rows
from greedyhull.errors import check
from greedyhull.points.arrays import locked


class Transport(Polytope):
    """Couplings of two distributions, {W ≥ 0 : rows sum to a, columns to b}.

    Its atoms are transport plans with at most len(a) + len(b) − 1 entries. Linear functions are minimised by HiGHS
    (the extra ``lp``); row prices prove how good an answer is.

    Parameters
    ----------
    a : array_like of shape (p,)
        What each row sums to, non-negative.
    b : array_like of shape (q,)
        What each column sums to, non-negative, with the same total as ``a``.

    See Also
    --------
    Birkhoff : All marginals 1.
    LinearProgram : Any bounded polytope by its rows.

    Notes
    -----
    `Solution.prices` has "a[0]", … and "b[0]", … without the last column, whose sum follows from the others.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> S = gh.Transport([0.5, 0.5], [0.25, 0.75])
    >>> plan = np.zeros(S.shape)
    >>> S.argmin(np.array([[0.0, 1.0], [1.0, 0.0]])).add_to(plan, 1.0)
    >>> plan
    array([[0.25, 0.25],
           [0.  , 0.5 ]])
    """

    def __init__(self, a: Any, b: Any) -> None:
        rows, columns = numbers(a, "a"), numbers(b, "b")
        for name, sums in (("a", rows), ("b", columns)):
            check(sums.ndim == 1 and sums.size > 0, f"{name} has shape {sums.shape}; a vector of sums is wanted.")
            check(bool((sums >= 0.0).all()), f"{name} has the entry {sums.min():g}; numbers of at least 0 are wanted.")
        all_, others = float(rows.sum()), float(columns.sum())
        check(all_ > 0.0 and abs(all_ - others) <= 1e-9 * max(all_, others), f"a sums to {all_:.10g} and b to {others:.10g}; "
              "the same positive total is wanted. Scale one of them, for instance b * a.sum() / b.sum().")
        self.a, self.b = locked(rows), locked(columns)
        super().__init__(_rows(rows, columns), (len(rows), len(columns)), {})

    def __repr__(self) -> str:
        return f"Transport({self.shape[0]} to {self.shape[1]}, total={self.a.sum():g})"


def _rows(a: Any, b: Any) -> Rows:
    """Sums of rows, and of all columns but the last, whose sum follows; that of a scaled b may differ in the last digits."""
    from scipy.sparse import csr_array, eye_array, kron, vstack

    p, q = len(a), len(b)
    sums = [kron(eye_array(p), np.ones((1, q))), kron(np.ones((1, p)), eye_array(q))]
    A = csr_array(vstack(sums))[: p + q - 1]
    right = locked(np.concatenate([a, b[: q - 1]]))
    names = [*(f"a[{i}]" for i in range(p)), *(f"b[{j}]" for j in range(q - 1))]
    return Rows(A, right, right, locked(np.zeros(p * q)), locked(np.full(p * q, np.inf)), names,
                [f"W[{i}, {j}]" for i in range(p) for j in range(q)])
