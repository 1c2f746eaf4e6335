"""Every objective that ships keeps its promises on every set that ships."""

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csc_array
from scipy.sparse.linalg import aslinearoperator

import greedyhull as gh
from greedyhull.testing import Problem, check_objective, small_problems


@pytest.mark.parametrize("problem", small_problems(), ids=lambda p: p.name)
def test_the_objective_keeps_its_promises(problem: Problem) -> None:
    check_objective(problem.f, problem.S, value=problem.value)


B = np.random.default_rng(4).standard_normal((6, 4))
FORMS: dict[str, Any] = {
    "dense": B.T @ B,
    "sparse": csc_array(B.T @ B),
    "an operator": aslinearoperator(B.T @ B),
    "singular": np.outer(B[0], B[0]),
}


@pytest.mark.parametrize("stored", FORMS)
@pytest.mark.parametrize("S", [gh.Simplex(4), gh.L1Ball(4, 2.0)], ids=repr)
def test_a_quadratic_keeps_its_promises_however_it_is_stored(stored: str, S: Any) -> None:
    Q = np.outer(B[0], B[0]) if stored == "singular" else B.T @ B
    b = np.array([1.0, -2.0, 0.5, 0.0])
    check_objective(gh.quadratic(FORMS[stored], b), S, value=lambda w: 0.5 * w @ Q @ w - b @ w)
