"""A set that is known by a linear program: its argmin returns a plain array."""

from typing import Any

import numpy as np
from scipy.optimize import linprog

import greedyhull as gh
from greedyhull import extend

PAIRS = np.array([[1, 1, 0, 0], [0, 0, 1, 1]])


class Portfolios(gh.AtomSet):
    """Mixtures of four assets, no pair above 60 %."""

    shape, bound = (4,), 1.0

    def __repr__(self) -> str:
        return "Portfolios()"

    def contains(self, w: Any, tol: float = 1e-9) -> bool:
        x = w if isinstance(w, np.ndarray) else w.array()
        return x.shape == (4,) and bool(x.min() >= -tol and abs(x.sum() - 1) <= tol and (PAIRS @ x).max() <= 0.6 + tol)

    def argmin(self, g: Any) -> Any:
        size = np.abs(g).max() or 1.0  # such solvers have absolute tolerances
        return linprog(g / size, A_ub=PAIRS, b_ub=[0.6, 0.6], A_eq=np.ones((1, 4)), b_eq=[1.0]).x


CORNERS = np.array([[a, b, c, d] for first, second in ((0.6, 0.4), (0.4, 0.6)) for a, b in ((first, 0), (0, first))
                    for c, d in ((second, 0), (0, second))], dtype=float)


def test_its_solutions_are_certified() -> None:
    f = gh.least_squares(np.eye(4), np.array([0.7, 0.1, 0.15, 0.05]))
    s = gh.minimize(f, Portfolios(), stop=gh.Gap(1e-9))
    assert s.converged and s.certificate.kind == "always" and s.certificate.rounding == "proved"
    exact = gh.certify(f, gh.Vertices(CORNERS), s.point.array(), tol=1e-7)
    assert exact.gap is not None and exact.gap <= 1e-8
    np.testing.assert_allclose(s.point.array(), [0.6, 0.0, 0.25, 0.15], atol=1e-4)


def test_the_kit_accepts_it() -> None:
    extend.check_atoms(Portfolios(), vertices=CORNERS, trials=3)
