"""`Corrective` over caps on groups, in coordinates: few rounds, the same minimum as over the linear program, prices."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import greedyhull as gh


def portfolio(rng, d, k=8, sectors=7):
    """Sector and single caps, and the same as rows."""
    of, F, mean = rng.integers(0, sectors, d), 0.1 * rng.standard_normal((k, d)), 0.02 * rng.standard_normal(d)
    D = 0.005 + 0.02 * rng.random(d)
    S = gh.GroupedSimplex(of, upper=0.1, group_upper=0.25)
    A = (S.of == np.arange(len(S.labels))[:, None]).astype(float)
    rows = gh.LinearProgram(A, np.full(len(A), 0.25), np.ones((1, d)), [1.0], (0, 0.1))
    return S, rows, gh.quadratic(D, mean, factors=F), gh.quadratic(F.T @ F + np.diag(D), mean)


@pytest.mark.parametrize("d", [30, 400])
def test_the_same_minimum_and_prices_as_over_the_linear_program(d):
    S, rows, f, dense = portfolio(np.random.default_rng(d), d)
    s = gh.minimize(f, S, stop=gh.Relative(1e-10))
    t = gh.minimize(dense, rows, stop=gh.Relative(1e-9))
    assert s.converged and s.iterations <= 6 and S.contains(s.x, 1e-13)
    assert s.value == pytest.approx(t.value, rel=1e-8)
    assert s.prices is not None and t.prices is not None and set(s.prices) == {str(name) for name in S.labels}
    for name, price in s.prices.items():
        full = (S.of == int(np.flatnonzero(S.labels == int(name))[0]))
        if ((s.x > 1e-6) & (s.x < 0.1 - 1e-6) & full).any():  # else the price is not unique
            assert price == pytest.approx(t.prices[f"A_ub[{list(S.labels).index(int(name))}]"], abs=1e-5)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**9), d=st.integers(1, 25), loss=st.sampled_from(["squares", "logistic", "likelihood", "form"]))
def test_certificates_hold_beside_another_solver(seed, d, loss):
    rng = np.random.default_rng(seed)
    of, m = rng.integers(0, 4, d), 4
    S = gh.GroupedSimplex(of, upper=2.0 / d + 0.3 * rng.random(d), group_upper=dict.fromkeys(of.tolist(), 1.2 - 0.1 * m / 4))
    X = rng.standard_normal((12, d))
    f = {"squares": lambda: gh.least_squares(X, X @ rng.random(d)),
         "logistic": lambda: gh.logistic(3 * X, np.sign(X[:, 0] + 0.1)),
         "likelihood": lambda: gh.log_likelihood(np.abs(X) + 0.01),
         "form": lambda: gh.quadratic(X.T @ X, X.T @ np.ones(12))}[loss]()
    s = gh.minimize(f, S, stop=gh.Relative(1e-7) | gh.Gap(1e-9) | gh.Iterations(100))
    t = gh.minimize(f, S, gh.BlendedPairwise(), stop=gh.Relative(1e-4) | gh.Gap(1e-6) | gh.Iterations(500))
    assert s.converged and S.contains(s.x, 1e-12)
    noise = 1e-12 * (1.0 + abs(s.value))
    assert s.certificate.lower <= t.value + noise and t.certificate.lower <= s.value + noise


def test_its_points_are_written_in_vertices_when_asked():
    S, _, f, _ = portfolio(np.random.default_rng(3), 60)
    s = gh.minimize(f, S)
    assert (s.point.weights > 0.0).all() and s.point.weights.sum() == pytest.approx(1.0)
    atoms = np.stack([_dense(s.point.atoms[i], 60) for i in range(len(s.point.weights))])
    np.testing.assert_allclose(s.point.weights @ atoms, s.x, atol=1e-12)


def _dense(atom, d):
    x = np.zeros(d)
    atom.add_to(x, 1.0)
    return x


def test_multiples_are_solved_in_coordinates_too_and_other_answers_are_not():
    S, _, _, dense = portfolio(np.random.default_rng(4), 40)
    double = gh.Scaled(S, 2.0)
    assert double.traits.region is not None and gh.Scaled(S, -1.0).traits.region is None
    s = gh.minimize(dense, double, stop=gh.Gap(1e-9))
    assert s.converged and double.contains(s.x, 1e-12)

    class Other(gh.GroupedSimplex):
        def argmin(self, g):
            return super().argmin(np.round(g))

        def best(self, g, m):
            return super().best(np.round(g), m)

    assert Other([0, 1]).traits.region is None


def test_a_run_from_a_point_of_all_coordinates_and_a_resumed_one():
    S, _, f, _ = portfolio(np.random.default_rng(5), 80)
    s = gh.minimize(f, S, start=S.centre(), stop=gh.Relative(1e-9))
    assert s.converged and s.value == pytest.approx(gh.minimize(f, S, stop=gh.Relative(1e-9)).value, rel=1e-8)
