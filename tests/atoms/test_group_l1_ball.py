"""The group l1 ball, with groups that overlap and with groups that do not."""

import numpy as np
import pytest
from scipy.optimize import minimize

import greedyhull as gh

OVERLAPPING = [[0, 1, 2], [2, 3], [3, 4, 0]]


def latent(x, groups):
    """min Σ‖v_k‖ over Σ v_k = x with v_k within group k, by SLSQP from several starts."""
    places = np.concatenate(groups)
    cuts = np.cumsum([len(g) for g in groups])[:-1]
    A = (places[None, :] == np.arange(len(x))[:, None]).astype(float)
    cost = lambda v: sum(np.sqrt((part**2).sum() + 1e-14) for part in np.split(v, cuts))
    best = np.inf
    for seed in range(4):
        v = np.linalg.pinv(A) @ x + 0.1 * np.random.default_rng(seed).standard_normal(len(places))
        found = minimize(cost, v, constraints={"type": "eq", "fun": lambda v: A @ v - x}, method="SLSQP",
                         options={"ftol": 1e-13, "maxiter": 500})
        best = min(best, found.fun) if found.success else best
    return best


@pytest.mark.parametrize("seed", range(4))
def test_membership_where_groups_overlap(seed):
    rng = np.random.default_rng(seed)
    S, x = gh.GroupL1Ball(OVERLAPPING, 1.0), rng.standard_normal(5)
    norm = latent(x, OVERLAPPING)
    assert S.contains(0.9999 * x / norm) and not S.contains(1.0001 * x / norm)
    assert not S.excludes(0.999 * x / norm) and S.excludes(1.0001 * x / norm)
    assert S.gauge(x) == pytest.approx(norm, rel=1e-5)
    w = S.decompose(0.9 * x / norm)
    np.testing.assert_allclose(w.array(), 0.9 * x / norm, atol=1e-6)


@pytest.mark.parametrize("radius", [1e-150, 3.0])
@pytest.mark.parametrize("groups", [[range(31), range(30, 60)], [range(a, min(a + 8, 60)) for a in range(0, 60, 4)]])
def test_answers_are_accepted_and_points_a_little_outside_are_not(groups, radius):
    rng = np.random.default_rng(0)
    S = gh.GroupL1Ball(groups, radius)
    f = gh.least_squares(rng.standard_normal((80, 60)), 10.0 * radius * rng.standard_normal(80))
    for solver in (gh.Corrective(), gh.FrankWolfe()):
        s = gh.minimize(f, S, solver, stop=gh.Relative(1e-8) | gh.Iterations(60))
        assert S.contains(s.x) and not S.excludes(s.x) and gh.certify(f, S, s.x).gap >= 0.0
        edge = s.x / S.gauge(s.x)
        assert S.contains(edge) and not S.excludes(edge)
        assert S.excludes(edge * (1 + 1e-6)) and not S.contains(edge * (1 + 1e-6))
        np.testing.assert_allclose(S.decompose(edge).array(), edge, rtol=0.0, atol=1e-13 * radius)


def test_groups_with_one_coordinate_are_an_l1_ball(rng):
    f = gh.least_squares(rng.standard_normal((9, 6)), rng.standard_normal(9))
    ours, plain = (gh.minimize(f, S, stop=gh.Gap(1e-10)) for S in (gh.GroupL1Ball(np.arange(6), 0.4), gh.L1Ball(6, 0.4)))
    np.testing.assert_allclose(ours.x, plain.x, atol=1e-6)
    assert ours.price == pytest.approx(plain.price, rel=1e-6)


def test_whole_groups_enter_and_optimality_holds(rng):
    groups = np.repeat(np.arange(8), 5)[rng.permutation(40)]
    X = rng.standard_normal((60, 40))
    y = X[:, groups == 2] @ np.ones(5) - X[:, groups == 5] @ np.ones(5) + 0.1 * rng.standard_normal(60)
    s = gh.minimize(gh.least_squares(X, y), gh.GroupL1Ball(groups, 3.0), stop=gh.Gap(1e-9))
    norms = np.array([np.linalg.norm(s.x[groups == k]) for k in range(8)])
    slopes = np.array([np.linalg.norm(X[:, groups == k].T @ (X @ s.x - y) / 60) for k in range(8)])
    assert s.converged and s.iterations < 60 and norms.sum() == pytest.approx(3.0)
    assert set(np.flatnonzero(norms > 1e-3)) == {2, 5}
    np.testing.assert_allclose(slopes[[2, 5]], slopes.max(), rtol=1e-3)


def test_overlapping_groups_are_solved(rng):
    X, y = rng.standard_normal((20, 5)), rng.standard_normal(20)
    S = gh.GroupL1Ball(OVERLAPPING, 0.3)
    s = gh.minimize(gh.least_squares(X, y), S, stop=gh.Gap(1e-9))
    assert s.converged and latent(s.x, OVERLAPPING) <= 0.3 * (1 + 1e-6)


def test_labels_are_names_or_numbers_and_atoms_are_finite():
    S = gh.GroupL1Ball(["b", "a", "b"], 5.0)
    assert S.argmin(np.array([3e300, 1.0, 4e300])).entries.tolist() == [-3.0, -4.0]
    assert np.linalg.norm(S.argmin(np.array([5e-324, 0.0, 0.0])).entries) == 5.0
    assert np.linalg.norm(S.argmin(np.zeros(3)).entries) == 5.0
    assert S.max_abs(np.array([3.0, 4.5, 4.0])) == 25.0 and len(S.best(np.ones(3), 9)) == 2
    assert S.rescaled(1.0).contains([0.0, 1.0, 0.0]) and not S.rescaled(0.5).contains([0.0, 1.0, 0.0])


@pytest.mark.parametrize(("groups", "said"), [
    ([[0, 1], [3]], "Coordinate 2 is in no group"), ([[0, 0], [1]], "twice"), ([[0.5], [1]], "numbers of its coordinates"),
    ([[-1, 0]], "from 0 on"), ([[], [0]], "numbers of its coordinates"), ([], "one label"), (5, "one label"),
    ([0.0, np.inf], "NaN or infinite"),
])
def test_bad_input(groups, said):
    with pytest.raises(gh.GreedyhullError, match=said):
        gh.GroupL1Ball(groups, 1.0)


def test_groups_of_the_entries_of_matrices(rng):
    G = rng.standard_normal((3, 4))
    labels = np.repeat(np.arange(3), 4).reshape(3, 4)
    lists = [np.flatnonzero(labels.ravel() == k) for k in range(3)]
    sets = [gh.GroupL1Ball("rows", 2.0, shape=(3, 4)), gh.GroupL1Ball(labels, 2.0), gh.GroupL1Ball(lists, 2.0, shape=(3, 4))]
    for S in sets:
        np.testing.assert_array_equal(S.argmin(G).entries, sets[0].argmin(G).entries)
        w = S.decompose(0.1 * G)
        np.testing.assert_allclose(w.array(), 0.1 * G, atol=1e-15)
        assert S.contains(w) and not S.contains(10.0 * G) and S.rescaled(3.0).shape == (3, 4)
    single = gh.GroupL1Ball(np.arange(12).reshape(3, 4), 2.0)
    assert single.argmin(G).dot(G) == pytest.approx(gh.L1Ball((3, 4), 2.0).argmin(G).dot(G))


@pytest.mark.parametrize(("groups", "shape", "said"), [
    ("rows", None, "with shape="), ("row", (2, 2), "'rows', 'columns'"), (np.zeros((2, 3)), (3, 2), "group of each entry"),
    ([0, 1, 2], (2, 2), "each entry"), ([[0, 1], [2]], (2, 2), "each entry"), ("rows", (2,), "two positive whole"),
])
def test_groups_of_matrices_that_cannot_be(groups, shape, said):
    with pytest.raises(gh.GreedyhullError, match=said):
        gh.GroupL1Ball(groups, 1.0, shape=shape)
