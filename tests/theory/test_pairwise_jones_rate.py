"""Pairwise Jones: every step removes the share of the error that theory says, and its constants are what they should be."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull import theory
from greedyhull.errors import GreedyhullError
from greedyhull.measures.constants import condition, facial_distance
from greedyhull.points.iterate import Iterate

CUBE = np.array([[i >> j & 1 for j in range(3)] for i in range(8)], dtype=float)


def hulls(radii):
    return np.concatenate([np.diag(radii), -np.diag(radii)])


@pytest.mark.parametrize("atoms, width", [
    *((2.0 * np.eye(n), theory.simplex_width(n, 2.0)) for n in (2, 3, 4, 5)),
    (CUBE[:4, :2], theory.box_width([1.0, 1.0])), (CUBE, theory.box_width([1.0] * 3)),
    (CUBE * [1, 2, 0.3], theory.box_width([1, 2, 0.3])),
    *((hulls(np.ones(n)), theory.l1_width(np.ones(n))) for n in (1, 2, 3, 4)),
    (hulls([3.0, 0.5, 1.0]), theory.l1_width([3.0, 0.5, 1.0])), (hulls([0.1, 5.0]), theory.l1_width([0.1, 5.0])),
])
def test_widths_are_facial_distances(atoms, width):
    assert facial_distance(atoms) == pytest.approx(width, rel=1e-6)


def test_known_widths():
    assert theory.simplex_width(5) == pytest.approx(2 / np.sqrt(5 - 1 / 5))
    assert theory.box_width(np.ones(9)) == pytest.approx(1 / 3)
    assert theory.l1_width(np.ones(10)) == pytest.approx(1 / 3)
    assert theory.l1_width([1e-200, 1e-200]) == pytest.approx(1e-200) and theory.box_width([1e150]) == pytest.approx(1e150)


def contracted(f, S, kappa, steps=60, start=None):
    """The share of the error that each step removed, over the share that is proved; steps within rounding are left out."""
    best = gh.minimize(f, S, gh.PairwiseJones(), start=start, stop=gh.Gap(1e-14) | gh.Iterations(2000))
    s = gh.minimize(f, S, gh.PairwiseJones(), start=start, stop=gh.Iterations(steps) | gh.Gap(1e-13))
    e, a = s.trace.value - best.certificate.lower, s.trace.atoms
    seen = e[:-1] > 1e4 * max(best.gap, 1e-15)
    return ((1 - e[1:] / e[:-1]) / theory.pairwise_jones_rate(kappa, a[:-1]))[seen]


@pytest.mark.parametrize("seed", range(6))
def test_every_step_contracts(seed):
    """A step of these runs removes at least 130 times the proved share; doing nothing scores 0."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 8))
    A = rng.standard_normal((n + 3, n))
    f = gh.quadratic(A.T @ A / len(A) + 0.05 * np.eye(n), 0.3 * rng.standard_normal(n))
    S = gh.Simplex(n, 1.5) if seed % 2 else gh.L1Ball(n, 1.5)
    ratios = contracted(f, S, 1 / float(condition(f, S)))
    assert len(ratios) >= 2 and ratios.min() >= 1.0


def test_the_rate_can_not_be_multiplied_by_twelve():
    """The worst start that a search found on a simplex of three corners: one step removes 11.4 times the proved share."""
    f, S = gh.quadratic(np.eye(3), np.array([0.28576634, 1.12212457, -3.69602735])), gh.Simplex(3)
    alpha = np.array([0.01966575, 0.9793109, 0.00102335])
    start = Iterate(S.block(np.arange(3)), alpha / alpha.sum(), S.shape)
    kappa = (theory.simplex_width(3) / np.sqrt(2)) ** 2
    assert 1.0 <= contracted(f, S, kappa, 1, start)[0] < 12.0


@pytest.mark.parametrize("seed", range(4))
def test_columns_may_depend_on_each_other(seed):
    """Least squares over five atoms whose images lie in a plane: δ and D are those of the images."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((2, 5))
    f, S = gh.least_squares(X, 2.0 * rng.standard_normal(2)), gh.Simplex(5)
    far = max(np.linalg.norm(x - y) for x in X.T for y in X.T)
    ratios = contracted(f, S, (facial_distance(X.T) / far) ** 2)
    assert len(ratios) >= 1 and ratios.min() >= 1.0


@pytest.mark.parametrize("n", [2, 3, 4])
def test_one_over_the_number_of_atoms_is_needed(n):
    """The cube, x* the middle of an edge, little weight on all other corners: one step removes 4(a − 1)/a² of the error.

    With κ = 1/n² the proved share is less by a factor of about 16n², and a rate without a would be wrong.
    """
    corners = np.array([[i >> j & 1 for j in range(n)] for i in range(2**n)], dtype=float)
    a, little = 2**n, 1e-5
    alpha = np.full(a, little)
    alpha[:2] = (1 - (a - 2) * little) / 2
    f, S = gh.quadratic(np.eye(n), 0.5 * np.eye(n)[0]), gh.Vertices(corners)
    s = gh.minimize(f, S, gh.PairwiseJones(), start=Iterate(S.block(np.arange(a)), alpha, (n,)), stop=gh.Iterations(1))
    e = s.trace.value + 0.125
    assert 1 - e[1] / e[0] == pytest.approx(4 * (a - 1) / a**2, rel=1e-3)
    assert 1 - e[1] / e[0] >= theory.pairwise_jones_rate(1 / n**2, a)


def test_errors_multiply_and_swaps_are_counted():
    assert theory.pairwise_jones_error(0.5, [1, 3], 2.0) == pytest.approx([2.0, 2 * 0.9, 2 * 0.9 * (1 - 1 / 30)])
    assert theory.swap_steps(5) == 360.0 and theory.swap_steps(1000) == np.inf
    assert theory.pairwise_jones_rate(0.3, 4) >= 0.3 / 24


@pytest.mark.parametrize("wrong, said", [
    (lambda: theory.pairwise_jones_rate(0.0, 2), "kappa is 0"), (lambda: theory.pairwise_jones_rate(1.1, 2), "kappa is 1.1"),
    (lambda: theory.pairwise_jones_rate(np.nan, 2), "kappa is nan"), (lambda: theory.pairwise_jones_rate(0.5, 0), "k is 0"),
    (lambda: theory.pairwise_jones_error(0.5, [1], -1.0), "e0 is -1"), (lambda: theory.simplex_width(1), "n is 1"),
    (lambda: theory.box_width([1.0, 0.0]), "sides is"), (lambda: theory.l1_width([]), "radii is"),
    (lambda: theory.l1_width(["a"]), "radii is"), (lambda: theory.box_width([1.0, np.nan]), "sides is"),
    (lambda: facial_distance(np.ones((4, 2))), "1 different atoms"), (lambda: theory.swap_steps(0), "atoms is 0"),
    (lambda: condition(gh.quadratic(np.diag([1.0, 0.0])), gh.Simplex(2)), "not strongly convex"),
    (lambda: condition(gh.quadratic(np.eye(2)), gh.L2Ball(2, 1.0)), "has no formula here"),
])
def test_refusals(wrong, said):
    with pytest.raises(GreedyhullError, match=said):
        wrong()


def test_runs_list_the_contraction():
    f = gh.quadratic(np.diag([1.0, 2.0, 1.5]), np.ones(3))
    s = gh.minimize(f, gh.L1Ball(3, 1.0), gh.PairwiseJones(), stop=gh.Iterations(6))
    bound = s.bounds().named("Pairwise Jones")
    assert s.value - s.certificate.lower <= bound.value <= s.trace.gap[0]
    with pytest.raises(GreedyhullError, match=r"It is about PairwiseJones\(\)"):
        gh.minimize(s.objective, s.atom_set, gh.Jones(), stop=gh.Iterations(2)).bounds().named("Pairwise Jones")
