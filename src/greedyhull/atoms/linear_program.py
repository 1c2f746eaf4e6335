"""Any bounded polytope that is given by its rows: portfolios with sector caps, flows, schedules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from greedyhull.atoms.linear.polytope import Polytope
from greedyhull.atoms.linear.rows import rows_of
from greedyhull.points.aligned import alike, keep, labels_of
from greedyhull.points.arrays import locked
from greedyhull.types import Array


class LinearProgram(Polytope):
    """Polytope {w : A_ub w ≤ b_ub, A_eq w = b_eq, lower ≤ w ≤ upper}.

    Its atoms are the vertices. Linear functions are minimised by HiGHS (the extra ``lp``), which goes on from
    its last basis. The slack of an answer is the difference to a bound that any row prices prove, with all rounding counted:
    it holds whatever HiGHS did. The vertices are feasible to 1e-9.

    Parameters
    ----------
    A_ub : array_like or sparse matrix of shape (m, d), optional
        Rows of the inequalities A_ub w ≤ b_ub.
    b_ub : array_like of shape (m,), optional
        Right-hand sides of the inequalities.
    A_eq : array_like or sparse matrix of shape (p, d), optional
        Rows of the equations A_eq w = b_eq.
    b_eq : array_like of shape (p,), optional
        Right-hand sides of the equations.
    bounds : pair, or sequence of pairs, default (0, None)
        Lower and upper bounds of the variables, one pair for all or one for each; None is no bound. Together with the rows
        they must bound every variable.
    names : sequence of str, optional
        A name for each row, those of A_ub first, for `Solution.prices` and errors.
    variables : sequence of str, optional
        A name for each variable, for errors.
    options : dict, optional
        Options of HiGHS, such as ``{"simplex_iteration_limit": 1000}``.

    See Also
    --------
    Simplex : Weights with a given sum and upper bounds, without HiGHS.
    Box : Bounds alone.

    Notes
    -----
    For any y, ⟨g, w⟩ ≥ Σᵢ min yᵢ[l, u]ᵢ + Σⱼ min (g − A'y)ⱼ[lower, upper]ⱼ over the polytope.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> S = gh.LinearProgram(A_ub=[[1, 1, 0]], b_ub=[0.5], A_eq=[[1, 1, 1]], b_eq=[1], names=["tech", "sum"])
    >>> s = gh.minimize(gh.least_squares(np.eye(3), np.array([1.0, 0.0, 0.0])), S)
    >>> s.x.round(3)
    array([0.5, 0. , 0.5])
    >>> round(s.prices["tech"], 3)
    0.333
    """

    def __init__(self, A_ub: Any = None, b_ub: Any = None, A_eq: Any = None, b_eq: Any = None, bounds: Any = (0, None),
                 names: Sequence[str] | None = None, *, variables: Sequence[str] | None = None,
                 options: Mapping[str, Any] | None = None) -> None:
        labels, (A_ub, A_eq, bounds) = alike(("A_ub", A_ub, -1), ("A_eq", A_eq, -1), ("bounds", bounds, 0))
        keep(self, labels)
        b_ub, b_eq = (alike((f"A_{name}", A, 0), (f"b_{name}", b, 0))[1][1] if labels_of(A, 1) is not None else b
                      for name, A, b in (("ub", A_ub, b_ub), ("eq", A_eq, b_eq)))
        rows = rows_of(A_ub, b_ub, A_eq, b_eq, bounds, names, variables)
        super().__init__(rows, (rows.d,), options or {})
        self.cost: Array | None = None

    def __repr__(self) -> str:
        return f"LinearProgram({self.rows.m} rows, {self.rows.d} variables)"

    @classmethod
    def read(cls, path: str | Path) -> LinearProgram:
        """Read a polytope from a file in MPS or LP format; its objective is kept as ``cost``.

        Parameters
        ----------
        path : str or Path
            The file, such as "model.mps".

        Returns
        -------
        LinearProgram
            The set, with the file's names of rows and variables.
        """
        from greedyhull.atoms.linear.reading import read_rows

        rows, cost = read_rows(path)
        made = cls.__new__(cls)
        Polytope.__init__(made, rows, (rows.d,), {})
        made.cost = locked(np.asarray(cost, dtype=np.float64))
        return made

