"""Polytopes from files: MPS and LP formats, read by HiGHS."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from greedyhull.atoms.linear.model import highs
from greedyhull.atoms.linear.rows import Rows
from greedyhull.errors import GreedyhullError, check
from greedyhull.errors.given import no_file
from greedyhull.points.arrays import locked
from greedyhull.types import Array


def read_rows(path: str | Path) -> tuple[Rows, Array]:
    """The rows of a file, and its objective, to be minimised."""
    from scipy.sparse import csc_array, csr_array

    module, file = highs(), Path(path)
    check(file.is_file(), lambda: f"{no_file(file, repr(str(path)))} Give the path of a model in MPS or LP format.")
    h = module.Highs()
    h.setOptionValue("output_flag", False)
    if h.readModel(str(file)) == module.HighsStatus.kError:
        raise GreedyhullError(f"HiGHS cannot read {str(path)!r}. A model in MPS format (.mps) or LP format (.lp) is wanted.")
    lp = h.getLp()
    whole = [j for j, kind in enumerate(lp.integrality_) if kind != module.HighsVarType.kContinuous]
    names = [str(name) or f"w[{j}]" for j, name in enumerate(lp.col_names_ or [""] * lp.num_col_)]
    check(not whole, lambda: f"{str(path)!r} says that {names[whole[0]]} and {len(whole) - 1} more variables are whole "
                             "numbers. A set here is convex: take integrality out of the file for its relaxation.")
    check(lp.num_col_ > 0, f"{str(path)!r} has no variables.")
    matrix = lp.a_matrix_
    parts = np.array(matrix.value_), np.array(matrix.index_), np.array(matrix.start_)
    by_column = matrix.format_ == module.MatrixFormat.kColwise
    A = csr_array((csc_array if by_column else csr_array)(parts, shape=(lp.num_row_, lp.num_col_)))
    A.eliminate_zeros()
    sign = -1.0 if lp.sense_ == module.ObjSense.kMaximize else 1.0
    l, u, lower, upper = (locked(np.array(x, dtype=np.float64) + 0.0)
                          for x in (lp.row_lower_, lp.row_upper_, lp.col_lower_, lp.col_upper_))
    rows = [str(name) or f"row[{i}]" for i, name in enumerate(lp.row_names_ or [""] * lp.num_row_)]
    return Rows(A, l, u, lower, upper, rows, names), sign * np.array(lp.col_cost_)
