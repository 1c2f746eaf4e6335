"""`Corrective` over the group l1 ball, in coordinates: few rounds, honest, resumed bit by bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import greedyhull as gh
from greedyhull.atoms import sparse_balls as group_ball_region


def drawn(seed, n=40, groups=12, size=4):
    rng = np.random.default_rng(seed)
    X, w = rng.standard_normal((n, groups * size)), np.zeros(groups * size)
    w[: 3 * size] = rng.standard_normal(3 * size)
    return X, X @ w + 0.3 * rng.standard_normal(n), np.repeat(np.arange(groups), size)


LOSSES = {"squares": lambda X, y: gh.least_squares(X, y), "logistic": lambda X, y: gh.logistic(X, np.where(y > 0, 1, -1)),
          "huber": lambda X, y: gh.huber(X, y, delta=0.5),
          "ridge": lambda X, y: gh.least_squares(X, y, l2=0.1, intercept=True),
          "form": lambda X, y: gh.quadratic(X.T @ X / len(y), X.T @ y / len(y), scale=float(y @ y) / len(y))}


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("radius", [1e-3, 0.5, 4.0, 100.0])
def test_few_rounds_at_every_radius(loss, radius):
    X, y, groups = drawn(0)
    f, S = LOSSES[loss](X, y), gh.GroupL1Ball(groups, radius)
    s = gh.minimize(f, S, stop=gh.Relative(1e-6) | gh.Iterations(40))
    assert s.converged and S.contains(s.x, 1e-12)
    t = gh.minimize(f, S, gh.FrankWolfe(), stop=gh.Iterations(100))
    assert t.value >= s.certificate.lower - 1e-12 and t.certificate.lower <= s.value + 1e-12


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**9), groups=st.integers(1, 8), size=st.integers(1, 5), n=st.integers(1, 30), r=st.floats(-2, 2))
def test_sizes_and_radii_at_random(seed, groups, size, n, r):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((n, groups * size)), rng.standard_normal(n)
    of = rng.permutation(np.repeat(np.arange(groups), size))
    S = gh.GroupL1Ball(of, 10.0**r)
    s = gh.minimize(gh.least_squares(X, y), S, stop=gh.Relative(1e-6) | gh.Iterations(60))
    assert s.converged and S.contains(s.x, 1e-12)


def test_the_solution_is_written_in_one_atom_a_group_and_its_price_is_that_of_the_budget():
    X, y, groups = drawn(1)
    f, S = gh.least_squares(X, y), gh.GroupL1Ball(groups, 2.0)
    s = gh.minimize(f, S, stop=gh.Relative(1e-10))
    on = int((S.groups.norms(s.x) > 0.0).sum())
    assert len(s.point.weights) == on and s.point.weights.sum() == pytest.approx(1.0)
    more = gh.minimize(f, gh.GroupL1Ball(groups, 2.0 + 1e-4), stop=gh.Relative(1e-10))
    assert s.price == pytest.approx((s.value - more.value) / 1e-4, rel=1e-3)


def test_a_run_goes_on_bit_by_bit(tmp_path):
    X, y, groups = drawn(2, n=30, groups=60)
    f, S, stop = gh.logistic(X, np.where(y > 0, 1, -1)), gh.GroupL1Ball(groups, 6.0), gh.Gap(1e-9)
    whole = gh.minimize(f, S, stop=stop)
    assert whole.iterations > 1
    gh.minimize(f, S, stop=gh.Iterations(1), checkpoint=tmp_path / "run")
    assert np.array_equal(gh.minimize(f, S, stop=stop, resume=tmp_path / "run").x, whole.x)


def test_groups_that_overlap_are_solved_by_atoms():
    assert gh.GroupL1Ball([[0, 1], [1, 2]], 1.0).traits.region is None


def test_more_groups_than_are_solved_for_together(monkeypatch):
    monkeypatch.setattr(group_ball_region, "MOST", 12)
    X, y, groups = drawn(3)
    S = gh.GroupL1Ball(groups, 4.0)
    s = gh.minimize(gh.least_squares(X, y), S, stop=gh.Relative(1e-4) | gh.Iterations(300))
    assert s.converged and S.contains(s.x, 1e-12)
