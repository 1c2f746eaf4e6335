"""The Euclidean ball."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from greedyhull import GreedyhullError, Iterations, Relative, least_squares, minimize, quadratic
from greedyhull.atoms.box import L2Ball
from greedyhull.testing import check_atoms

SETS = [L2Ball(4, 2.0), L2Ball(1, 2.0), L2Ball(3, 0.5, centre=[1.0, 2.0, 3.0]), L2Ball(2, 1e-9), L2Ball(2, 1e9),
        L2Ball(2, 1.0, centre=[1e8, 0.0])]


@pytest.mark.parametrize("S", SETS, ids=repr)
def test_keeps_its_promises(S):
    check_atoms(S, minimum=lambda g: float(S.middle @ g - S.radius * np.linalg.norm(g)), trials=8)


@given(g=st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=4))
def test_atoms_lie_on_the_sphere(g):
    """No gradient, however large or small, overflows."""
    S = L2Ball(len(g), 3.0)
    assert np.linalg.norm(S.argmin(np.array(g)).array) == pytest.approx(3.0, rel=1e-14)


def test_constants_are_exact(rng):
    S = L2Ball(5, 2.0, centre=np.arange(5.0))
    B = rng.standard_normal((5, 5))
    assert (S.diameter, S.circumradius) == (4.0, 2.0)
    M = quadratic(B @ B.T).curvature(S)
    assert M.status == "exact" and float(M) == pytest.approx(16.0 * np.linalg.norm(B, 2) ** 2)
    c = rng.random(5)
    atoms = S.middle + 2.0 * np.array([u / np.linalg.norm(u) for u in [c, *rng.standard_normal((2000, 5))]])
    assert S.max_abs(c) == pytest.approx((np.abs(atoms) @ c).max())


def test_decomposes_into_two_atoms(rng):
    S = L2Ball(4, 2.0, centre=[1.0, 0.0, 0.0, 0.0])
    for x in (S.middle.copy(), S.middle + 0.3 * rng.standard_normal(4), S.argmin(rng.standard_normal(4)).array):
        w = S.decompose(x)
        assert len(w) <= 2 and w.weights.sum() == pytest.approx(1.0)
        np.testing.assert_allclose(w.array(), x, atol=1e-14)
    np.testing.assert_array_equal(S.centre().array(), S.middle)
    with pytest.raises(GreedyhullError, match="outside"):
        S.decompose(np.full(4, 9.0))


def test_ridge_regression_by_radius(rng):
    """Against the normal equations with the multiplier that the price gives."""
    X, y = rng.standard_normal((20, 4)), rng.standard_normal(20) * 3
    s = minimize(least_squares(X, y), L2Ball(4, 0.2), stop=Relative(1e-10) | Iterations(3000))
    ridge = np.linalg.solve(X.T @ X / 20 + s.price / 0.2 * np.eye(4), X.T @ y / 20)
    np.testing.assert_allclose(s.point.array(), ridge, atol=1e-4)


@pytest.mark.parametrize(("args", "kwargs", "said"), [
    ((0, 1.0), {}, "dimension"), ((2, -1.0), {}, "radius"), ((2, 0), {}, "radius"), ((2, np.nan), {}, "radius"),
    ((2, 1.0), {"centre": [1.0]}, "centre has shape"), ((2, 1.0), {"centre": [1.0, np.nan]}, "NaN"),
    ((2, 1.0), {"centre": "ab"}, "numbers"),
])
def test_bad_input(args, kwargs, said):
    with pytest.raises(GreedyhullError, match=said):
        L2Ball(*args, **kwargs)


def test_input_is_copied():
    centre = np.zeros(2)
    S = L2Ball(2, 1.0, centre=centre)
    centre[:] = 7.0
    assert S.middle.tolist() == [0.0, 0.0] and repr(S) == "L2Ball(2, radius=1)"
