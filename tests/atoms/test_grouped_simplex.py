"""Weights with caps on groups, against linear programs."""

import numpy as np
import pytest
from scipy.optimize import linprog

import greedyhull as gh
from greedyhull.testing import check_atoms


def drawn(rng):
    """Caps of all kinds, some zero, some that do not bind; labels that are numbers or names."""
    while True:
        d, t = int(rng.integers(1, 12)), float(rng.choice([1.0, 3.0, 0.1]))
        groups = rng.integers(0, int(rng.integers(1, 5)), d)
        m = len(np.unique(groups))
        upper = None if rng.random() < 0.3 else t * rng.random(d) * 1.5 * (rng.random(d) < 0.9)
        caps = None if rng.random() < 0.2 else t * rng.random(m) * 1.5 * (rng.random(m) < 0.9)
        named = groups if rng.random() < 0.5 else np.array(["energy", "bank", "tech", "food"])[groups]
        try:
            return gh.GroupedSimplex(named, upper=upper, group_upper=caps, total=t), upper, caps
        except gh.GreedyhullError:  # these caps leave too little room
            continue


def program(S, groups, upper, caps, total):
    """min ⟨g, w⟩ by HiGHS."""
    d, (names, of) = S.shape[0], np.unique(groups, return_inverse=True)
    A = (of[None, :] == np.arange(len(names))[:, None]).astype(float)
    bounds = [(0.0, None)] * d if upper is None else [(0.0, u) for u in upper]
    return lambda g: linprog(g, A_ub=None if caps is None else A, b_ub=caps, A_eq=np.ones((1, d)), b_eq=[total],
                             bounds=bounds).fun


def test_equals_a_linear_program_on_500_random_cases():
    rng = np.random.default_rng(0)
    for _ in range(500):
        S, upper, caps = drawn(rng)
        g = rng.standard_normal(S.shape) if rng.random() < 0.7 else rng.integers(-1, 2, S.shape).astype(float)
        atom = S.argmin(g)
        x = np.zeros(S.shape)
        atom.add_to(x, 1.0)
        assert S.contains(x, 1e-13)
        assert atom.dot(g) == pytest.approx(program(S, S.labels[S.of], upper, caps, S.total)(g), abs=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_keeps_its_promises(seed):
    S, upper, caps = drawn(np.random.default_rng(seed))
    least = program(S, S.labels[S.of], upper, caps, S.total)
    check_atoms(S, minimum=lambda g: least(g) if 1e-3 < np.abs(g).max() < 1e3 else np.inf, trials=3)


def test_points_outside_are_told_by_each_of_the_constraints():
    S = gh.GroupedSimplex([0, 0, 1, 1], upper=[0.5, 0.5, 0.5, 0.4], group_upper=[0.7, 1.0])
    assert S.contains([0.4, 0.3, 0.3, 0.0]) and S.contains([0.2, 0.1, 0.3, 0.4])
    for x in ([0.4, 0.31, 0.29, 0.0], [0.6, 0.0, 0.4, 0.0], [0.3, 0.3, 0.3, 0.0], [0.3, 0.3, 0.5, -0.1], [0.1, 0.0, 0.4, 0.5]):
        assert not S.contains(x)


def test_a_point_is_written_in_vertices():
    rng = np.random.default_rng(3)
    S = gh.GroupedSimplex(rng.integers(0, 6, 60), upper=0.05, group_upper=0.25)
    for _ in range(4):
        atoms = [S.argmin(rng.standard_normal(60)) for _ in range(9)]
        x = np.zeros(60)
        for atom, weight in zip(atoms, rng.dirichlet(np.ones(9)), strict=True):
            atom.add_to(x, weight)
        w = S.decompose(x)
        np.testing.assert_allclose(w.array(), x, atol=1e-13)
        assert (w.weights > 0).all() and len(w) <= 67
        for row in w.block.matrix.toarray():  # of a vertex, at most one weight a group and one more are between their bounds
            assert S.contains(row, 1e-12) and ((row > 1e-12) & (row < 0.05 - 1e-12)).sum() <= 7


def test_neighbours_come_with_the_best_vertex():
    rng = np.random.default_rng(4)
    S, g = gh.GroupedSimplex(rng.integers(0, 5, 50), upper=0.1, group_upper=0.3), rng.standard_normal(50)
    block = S.best(g, 20)
    assert len(block) == 20 and len(set(block.keys)) == 20 and block[0].key == S.argmin(g).key
    assert (np.diff(block.dots(g)) >= 0).all()


def test_a_portfolio_with_sector_caps_agrees_with_the_conditions_of_optimality():
    rng = np.random.default_rng(5)
    groups, B = rng.integers(0, 5, 60), rng.standard_normal((60, 80))
    Q = B @ B.T / 80
    S = gh.GroupedSimplex(groups, upper=0.06, group_upper=[0.15, 0.3, 0.3, 0.3, 0.3])
    s = gh.minimize(gh.quadratic(Q, 0.2 * rng.standard_normal(60)), S, stop=gh.Gap(1e-10))
    assert s.converged and S.contains(s.x, 1e-12) and s.iterations < 60
    assert s.x[groups == 0].sum() == pytest.approx(0.15)


@pytest.mark.parametrize("seed", range(3))
def test_huge_and_tiny_gradients_and_totals(seed):
    rng = np.random.default_rng(seed)
    groups, g = np.array([0, 0, 1, 1, 2]), rng.standard_normal(5)
    one = gh.GroupedSimplex(groups, upper=0.4, group_upper=0.5)
    for scale in (1e300, 5e-324, 1e-310):
        h = g * scale
        x = np.zeros(5)
        one.argmin(h).add_to(x, 1.0)
        assert one.contains(x) and np.isfinite(one.argmin(h).dot(h))
    for t in (1e-200, 1e140):
        S = gh.GroupedSimplex(groups, upper=0.4 * t, group_upper=0.5 * t, total=t)
        np.testing.assert_allclose(S.argmin(g).entries / t, one.argmin(g).entries, rtol=1e-12)
        assert S.diameter == pytest.approx(t * one.diameter, rel=1e-9) and S.contains(S.centre())


@pytest.mark.parametrize(("groups", "given", "said"), [
    ([0, 0, 1], {"upper": 0.3}, "0.1 less than total"), ([0, 1], {"group_upper": [0.2, 0.3]}, "0.5 less than total"),
    ([0, 1], {"upper": [0.5, 0.5, 0.5]}, "groups has 2 labels"), ([0, 1], {"group_upper": [1.0]}, "2 groups"),
    ([0, 1], {"group_upper": {5: 0.2}}, "no coordinate has"), ([0, 1], {"upper": -0.1}, "at least 0"),
    ([0, 1], {"group_upper": -1.0}, "at least 0"), ([0.0, np.nan], {}, "NaN"), ([[0, 1]], {}, "one label"),
    ([], {}, "one label"),
    ([0, 1], {"upper": np.nan}, "NaN"), ([0, 1], {"total": 0.0}, "total"), (["a", None], {}, "None"),
    ([0, 1], {"group_upper": "abc"}, "numbers"),
])
def test_bad_input(groups, given, said):
    with pytest.raises(gh.GreedyhullError, match=said):
        gh.GroupedSimplex(groups, **given)


def test_caps_by_name_and_another_total():
    S = gh.GroupedSimplex(["b", "a", "b"], group_upper={"b": 0.25})
    assert S.argmin(np.array([-1.0, 0.0, -2.0])).entries.tolist() == [0.75, 0.25]
    assert S.rescaled(2.0).argmin(np.array([-1.0, 0.0, -2.0])).entries.tolist() == [1.75, 0.25]
    assert "2 groups" in repr(S)


def test_the_repr_tells_which_caps_there_are() -> None:
    assert "upper" not in repr(gh.GroupedSimplex([0, 0, 1]))
    assert ", group_upper=..., total" in repr(gh.GroupedSimplex([0, 0, 1], group_upper=0.6))
    assert ", upper=..., group_upper=..., total" in repr(gh.GroupedSimplex([0, 0, 1], upper=0.5, group_upper=0.6))


def test_caps_that_are_tiny_add_up():
    caps = np.full(20_000, 8e-14)
    caps[0] = 1.0
    S = gh.GroupedSimplex(np.arange(20_000) % 3, upper=caps)
    x = np.zeros(20_000)
    S.argmin(np.where(caps < 1.0, -1e3, 0.0)).add_to(x, 1.0)
    assert x.sum() == pytest.approx(1.0, abs=1e-15)
    np.testing.assert_array_equal(x[1:], caps[1:])


@pytest.mark.parametrize("make", [lambda u: gh.GroupedSimplex([0, 0, 1], upper=u), lambda u: gh.Simplex(3, upper=u)])
def test_what_is_left_of_the_total_is_filled(make):
    left = 2e-14
    atom = np.zeros(3)
    make([0.5, 0.5 - left, 1.0]).argmin(np.array([-3.0, -2.0, -1.0])).add_to(atom, 1.0)
    assert atom[2] == pytest.approx(left, rel=0.05)
