"""The same numbers from every layout of the data: dense in C or Fortran order, CSR and CSC."""

from typing import Any

import numpy as np
import pytest
from problems import Problem, parametrised
from scipy import sparse

import greedyhull as gh

LAYOUTS = {
    "C": lambda X: np.ascontiguousarray(X),
    "F": lambda X: np.asfortranarray(X),
    "csr": lambda X: sparse.csr_matrix(X),
    "csc": lambda X: sparse.csc_matrix(X),
    "csr_array": lambda X: sparse.csr_array(X),
}
NAMES = ("lasso-housing_scale-10", "logistic-german_scale-2", "logistic-a1a-10", "logistic-mushrooms-10")


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@parametrised(lambda problem: problem.name in NAMES)
def test_layouts_agree(problem: Problem, layout: Any) -> None:
    assert problem.data is not None
    X, y = problem.data()
    dense = X.toarray() if hasattr(X, "toarray") else X
    make = gh.least_squares if problem.name.startswith("lasso") else gh.logistic
    S = problem.built[1]
    f, other = make(dense, y), make(layout(dense), y)
    w = problem.solution
    a, b = gh.certify(f, S, w), gh.certify(other, S, w)
    assert a.value is not None and b.value is not None
    assert abs(a.value - b.value) <= 1e-12 * abs(a.value)
    assert abs(a.lower - b.lower) <= 1e-9 * abs(a.value)
    stop = gh.Iterations(30)
    ours, theirs = (gh.minimize(g, S, gh.FrankWolfe(gh.Exact()), stop=stop) for g in (f, other))
    np.testing.assert_allclose(theirs.point.array(), ours.point.array(), rtol=1e-9, atol=1e-9 * S.radius)
    best = gh.minimize(other, S, stop=gh.Relative(1e-6) | gh.Seconds(60))
    assert best.converged and best.value is not None
    assert abs(best.value - problem.optimum) <= 2e-6 * max(problem.optimum, f.value(S.centre()))
