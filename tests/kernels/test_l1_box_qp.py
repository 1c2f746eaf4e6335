"""Quadratics over an l1 budget with bounds, against SciPy and by their gaps."""

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

from greedyhull.kernels.bounded_qp import l1_box_gap, l1_price, nearest_sparse


def least(grad, bound, budget):
    """min ⟨grad, y⟩ over |y| ≤ bound, ‖y‖₁ ≤ budget, by y = u − v."""
    m = len(grad)
    return linprog(np.concatenate([grad, -grad]), A_ub=np.ones((1, 2 * m)), b_ub=[budget], bounds=(0, bound)).fun


@pytest.mark.parametrize("seed", range(40))
def test_the_gap_is_that_of_a_linear_program(seed):
    rng = np.random.default_rng(seed)
    m, bound = int(rng.integers(1, 7)), float(rng.uniform(0.2, 2.0))
    budget = bound * float(rng.choice([0.5, 1.0, 2.0, 2.5, 10.0]))
    grad = rng.integers(-2, 3, m).astype(float) if seed % 2 else rng.standard_normal(m)
    y = nearest_sparse(rng.standard_normal(m), bound, budget)
    assert np.abs(y).max() <= bound * (1 + 1e-15) and np.abs(y).sum() <= budget * (1 + 1e-15)
    assert l1_box_gap(grad, y, bound, budget) == pytest.approx(grad @ y - least(grad, bound, budget), abs=1e-9)
    h, here = 1e-4 * bound, least(grad, bound, budget)
    more, less = here - least(grad, bound, budget + h), least(grad, bound, budget - h) - here
    assert more - 1e-9 <= h * l1_price(grad, bound, budget) <= less + 1e-9


@pytest.mark.parametrize("seed", range(10))
def test_the_nearest_point_is_nearest(seed):
    rng = np.random.default_rng(seed)
    x, bound, budget = rng.standard_normal(5), 0.7, 1.2
    found = minimize(lambda z: ((z[:5] - z[5:] - x) ** 2).sum(), np.full(10, 0.05), bounds=[(0, bound)] * 10,
                     constraints={"type": "ineq", "fun": lambda z: budget - z.sum()}, method="SLSQP",
                     options={"ftol": 1e-14, "maxiter": 500}).x
    near = nearest_sparse(x, bound, budget)
    assert ((near - x) ** 2).sum() <= ((found[:5] - found[5:] - x) ** 2).sum() + 1e-9
