"""Ridges on matrices: the same optimum as rows that are added to the data, or as one vector where there are two classes."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import greedyhull as gh
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.testing import check_objective

rng = np.random.default_rng(12)
X, Y = rng.standard_normal((40, 5)), rng.standard_normal((40, 3))
y = (X @ rng.standard_normal((5, 3)) + rng.standard_normal((40, 3))).argmax(axis=1)
SETS = {"l1": gh.L1Ball((5, 3), 2.0), "rows": gh.GroupL1Ball("rows", 2.0, shape=(5, 3)),
        "nuclear": gh.NuclearBall((5, 3), 2.0), "wide": gh.NuclearBall((5, 3), 50.0)}


@pytest.mark.parametrize("over", SETS)
@pytest.mark.parametrize("l2", [1e-3, 0.5, 100.0])
def test_multitask_is_that_of_more_rows(over, l2):
    n, d = X.shape
    more = gh.multitask(np.vstack([X, (n * l2) ** 0.5 * np.eye(d)]), np.vstack([Y, np.zeros((d, 3))]))
    f, S = gh.multitask(X, Y, l2=l2), SETS[over]
    a, b = (gh.minimize(g, S, stop=gh.Relative(1e-8)) for g in (f, more))
    assert a.converged and a.value == pytest.approx(b.value * (n + d) / n, rel=1e-6)
    assert a.certificate.lower <= b.value * (n + d) / n * (1.0 + 1e-12)


@pytest.mark.parametrize("l2", [0.0, 0.03, 1.0])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("radius", [0.5, 3.0, 100.0])
def test_two_classes_are_logistic(l2, intercept, radius):
    """W = (−v, v)/2 is best, of nuclear norm ‖v‖/√2 and squared length ‖v‖²/2."""
    two = (y > 0).astype(int)
    s = gh.minimize(gh.multinomial(X, two, intercept=intercept, l2=l2), gh.NuclearBall((5, 2), radius), stop=gh.Gap(1e-9))
    v = gh.minimize(gh.logistic(X, two, intercept=intercept, l2=0.5 * l2), gh.L2Ball(5, 2.0**0.5 * radius), stop=gh.Gap(1e-9))
    assert s.converged and abs(s.value - v.value) <= 2e-9
    if intercept:
        assert s.intercept[1] - s.intercept[0] == pytest.approx(v.intercept, abs=1e-3)


@pytest.mark.parametrize("over", SETS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_gap_is_proved_and_met(over, dtype):
    f = gh.multinomial(X.astype(dtype), y, intercept=True, l2=0.05)
    s = gh.minimize(f, SETS[over], stop=gh.Gap(1e-8) | gh.Iterations(60))
    assert s.converged
    best = gh.minimize(f.precise(), SETS[over], stop=gh.Gap(1e-11) | gh.Iterations(60))
    assert s.certificate.lower <= best.value + 1e-12 and s.value - best.value <= s.gap
    W = np.asarray(s.point)
    bare = gh.multinomial(X.astype(dtype), y, intercept=True).precise()
    assert s.value == pytest.approx(bare.value(CoordinateIterate(W)) + 0.025 * float(np.vdot(W, W)), rel=1e-12)


def test_models_have_the_ridge():
    w, D = CoordinateIterate(rng.standard_normal((5, 3))), rng.standard_normal((5, 3))
    f = gh.multinomial(X, y, l2=0.7)
    H = f.model(w).hessian(np.dtype(np.float64))
    np.testing.assert_allclose((H @ D.T.ravel()).reshape(3, 5).T, f.hessian_product(w, D), atol=1e-12)
    K = gh.multitask(X, Y, l2=0.7).equations().K
    np.testing.assert_allclose(K, X.T @ X / 40 + 0.7 * np.eye(5), atol=1e-12)


@pytest.mark.parametrize("shape", [(4, 9), (9, 4)])
def test_the_kit_accepts_multitask(shape):
    A = rng.standard_normal(shape)
    f = gh.multitask(csr_array(A), rng.standard_normal((shape[0], 2)), l2=0.3)
    for S in (gh.NuclearBall((shape[1], 2), 1.0), gh.L1Ball((shape[1], 2), 1.0)):
        check_objective(f, S)


def test_a_run_is_resumed_bit_by_bit(tmp_path):
    f, S = gh.multinomial(X, y, l2=0.01), SETS["nuclear"]
    whole = gh.minimize(f, S, stop=gh.Gap(1e-12) | gh.Iterations(4))
    gh.minimize(f, S, stop=gh.Gap(1e-12) | gh.Iterations(1), checkpoint=tmp_path / "a.npz")
    rest = gh.minimize(gh.multinomial(X, y, l2=0.01), S, stop=gh.Gap(1e-12) | gh.Iterations(4), resume=tmp_path / "a.npz")
    np.testing.assert_array_equal(rest.point.array(), whole.point.array())
    with pytest.warns(gh.GreedyhullWarning, match="the objective changed"):
        gh.minimize(gh.multinomial(X, y, l2=0.02), S, resume=tmp_path / "a.npz")


@pytest.mark.parametrize("make", [lambda l2: gh.multinomial(X, y, l2=l2), lambda l2: gh.multitask(X, Y, l2=l2)])
@pytest.mark.parametrize("l2", [-1.0, np.nan, np.inf, "much", [1.0]])
def test_what_is_no_ridge_gets_words(make, l2):
    with pytest.raises(gh.GreedyhullError, match="l2 = "):
        make(l2)


def test_names():
    assert repr(gh.multinomial(X, y, intercept=True, l2=0.5)) == "multinomial(n=40, shape=(5, 3), intercept=True, l2=0.5)"
    assert repr(gh.multitask(X, Y, l2=1)) == "multitask(n=120, shape=(5, 3), l2=1.0)"
