"""Gradients that are inexact and say so: the true error is within every gap, and exact objectives pay nothing."""

from dataclasses import replace

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.extend import AtomSet, BlackBox, GreedyhullError, Traits

RNG = np.random.default_rng(5)
D = 12
ROOT = RNG.standard_normal((D, D)) / 3.0
Q, B = ROOT @ ROOT.T + 0.1 * np.eye(D), RNG.standard_normal(D)
SETS = {"simplex": gh.Simplex(D, 2.0), "l1": gh.L1Ball(D, 1.5), "l2": gh.L2Ball(D, 1.0),
        "box": gh.Box(-np.ones(D), np.full(D, 0.5))}
SOLVERS = [gh.FrankWolfe(), gh.BlendedPairwise(), gh.Corrective(), gh.Jones(), gh.PairwiseJones(),
           gh.Aggregated(gh.FrankWolfe())]
EXACT = gh.quadratic(Q, B)


class Rounded(BlackBox):
    """½wᵀQw − bᵀw whose gradient has ``digits`` digits after the point; it says what that may hide, times ``told``."""

    def __init__(self, digits=1, told=1.0, Q=Q, b=B):
        self.digits, self.told = digits, told
        super().__init__(lambda w: 0.5 * w @ Q @ w - b @ w, lambda w: np.round(Q @ w - b, digits), (len(b),), None,
                         hessian_product=lambda w, v: Q @ v)
        self.traits = replace(self.traits, exact_gradient=False)

    def __repr__(self):
        return f"Rounded({self.digits})"

    def gradient_error(self, w):
        return self.told * 0.5 * 10.0**-self.digits


def least(S, tol=1e-9):
    s = gh.minimize(EXACT, S, gh.Corrective(), stop=gh.Gap(tol) | gh.Iterations(3000))
    return s.value - s.gap


@pytest.mark.parametrize("S", SETS.values(), ids=SETS)
@pytest.mark.parametrize("solver", SOLVERS, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("digits", [0, 1, 3])
def test_the_true_error_is_within_every_gap(S, solver, digits):
    f, seen = Rounded(digits), []
    watch = lambda event: seen.append((event.value, event.gap, event.lower))
    s = gh.minimize(f, S, solver, stop=gh.Gap(1e-3) | gh.Iterations(60), watch=watch)
    low = least(S)
    true = gh.certify(EXACT, S, s.point)
    assert s.certificate.kind == "always" and s.value - low <= s.gap and s.certificate.lower <= low + 1e-8
    assert all(value - low <= gap + 1e-12 and lower <= low + 1e-8 for value, gap, lower in seen)
    again = gh.certify(f, S, s.point)
    assert again.kind == "always" and again.gap >= s.value - low and again.lower <= low + 1e-8 and true.lower <= again.value


def test_a_point_that_the_rounded_gradient_takes_for_the_best_is_not_certified_as_the_best():
    """The gradient rounds to zero everywhere, so that every point looks like a minimum."""
    f, S = Rounded(0, Q=0.1 * np.eye(2), b=np.array([0.0, 0.4])), gh.Simplex(2)
    s = gh.minimize(f, S, gh.FrankWolfe(), start=np.array([1.0, 0.0]), stop=gh.Gap(1e-6) | gh.Iterations(20))
    best = 0.05 - 0.4
    assert not s.converged and s.value - best <= s.gap and gh.certify(f, S, s.point).gap >= s.value - best
    assert s.gap <= 2.0 * 0.5 * 1.0 * (1 + 1e-9) + 1e-12  # no more than 2·max_abs(error)


def test_the_slack_is_that_of_each_entry():
    class ByEntry(Rounded):
        def gradient_error(self, w):
            return np.where(np.arange(D) == 0, 0.5 * 10.0**-self.digits, 0.0)

    S = gh.Box(np.zeros(D), np.ones(D))
    w = S.centre()
    one, all_ = gh.certify(ByEntry(3), S, w), gh.certify(Rounded(3), S, w)
    assert all_.gap - one.gap == pytest.approx(2.0 * (D - 1) * 0.5e-3, rel=1e-6)


def test_exact_objectives_are_not_asked():
    class Exact(Rounded):
        def __init__(self):
            super().__init__(digits=15)
            self.traits = replace(self.traits, exact_gradient=True)

        def gradient_error(self, w):
            raise AssertionError("exact")

    assert Traits().exact_gradient
    gh.minimize(Exact(), gh.Simplex(D), gh.FrankWolfe(), stop=gh.Iterations(3))


@pytest.mark.parametrize("told", [
    np.nan, -1.0, np.inf, np.ones(3), None, "much", "0.1", 1j, np.full(D, 1j), [[0.1], [0.1, 0.2]], 10**400,
    np.zeros(0), 1e308, np.ma.masked_array(np.zeros(D), mask=np.arange(D) == 0),  # of a masked entry nothing is known
])
def test_errors_that_are_none_are_told(told):
    class Odd(Rounded):
        def gradient_error(self, w):
            return told

    with pytest.raises(GreedyhullError, match=r"gradient_error\(w\) of Rounded"):
        gh.minimize(Odd(), gh.Simplex(D), gh.FrankWolfe(), stop=gh.Iterations(3))
    with pytest.raises(GreedyhullError, match=r"gradient_error\(w\) of Rounded"):
        gh.certify(Odd(), gh.Simplex(D), np.full(D, 1.0 / D))


def test_an_error_that_nobody_tells_is_asked_for():
    class Silent(BlackBox):
        def __init__(self):
            super().__init__(lambda w: float(w @ w), lambda w: 2.0 * w, (D,), None)
            self.traits = replace(self.traits, exact_gradient=False)

    with pytest.raises(GreedyhullError, match=r"no gradient_error\(w\)"):
        gh.minimize(Silent(), gh.Simplex(D), gh.FrankWolfe(), stop=gh.Iterations(3))


def test_a_set_may_write_on_the_numbers_that_it_is_given():
    class Writing(AtomSet):
        shape = (D,)

        def argmin(self, g):
            return np.eye(D)[np.argmin(g)]

        def max_abs(self, c):
            c *= 2.0
            return float(c.max()) / 2.0

    one, other = (gh.certify(Rounded(1), S, np.full(D, 1.0 / D)) for S in (Writing(), gh.Simplex(D)))
    assert one.gap == pytest.approx(other.gap, rel=1e-9)


def test_where_the_sizes_of_atoms_are_estimated_so_is_the_bound():
    class Corners(AtomSet):
        shape = (D,)

        def __repr__(self):
            return "Corners()"

        def argmin(self, g):
            return np.where(g > 0, -1.0, 1.0)

    s = gh.minimize(Rounded(2), Corners(), gh.FrankWolfe(), stop=gh.Iterations(30))
    assert s.certificate.kind == "estimate" and gh.certify(Rounded(2), Corners(), s.point).kind == "estimate"
    assert gh.minimize(EXACT, Corners(), gh.FrankWolfe(), stop=gh.Iterations(30)).certificate.kind == "always"


def test_samples_of_inexact_gradients_are_refused():
    with pytest.raises(GreedyhullError, match="inexact gradients"):
        gh.minimize(Rounded(), gh.Simplex(D), gh.StochasticFrankWolfe(), stop=gh.Iterations(3))


def test_a_checked_run_allows_for_the_error_and_no_more():
    gh.minimize(Rounded(2), gh.Simplex(D), gh.FrankWolfe(), stop=gh.Iterations(5), check=True)
    with pytest.raises(GreedyhullError, match="disagrees with its value"):
        gh.minimize(Rounded(0, told=1e-3), gh.Simplex(D), gh.FrankWolfe(), stop=gh.Iterations(5), check=True)


@pytest.mark.parametrize("scale", [1e-100, 1e-12, 1e12, 1e60])
def test_odd_scales(scale):
    class Scaled(Rounded):
        def __init__(self):
            super().__init__()
            self._value = lambda w: scale * (0.5 * w @ Q @ w - B @ w)
            self._gradient = lambda w: scale * np.round(Q @ w - B, 1)

        def gradient_error(self, w):
            return scale * 0.05

    S = gh.L1Ball(D, 1.5)
    s = gh.minimize(Scaled(), S, gh.BlendedPairwise(), stop=gh.Iterations(50))
    assert s.value - scale * least(S) <= s.gap <= scale * 1.0


@pytest.mark.parametrize("solver", [gh.FrankWolfe(), gh.Corrective()], ids=lambda s: type(s).__name__)
def test_a_saved_run_goes_on_bit_by_bit(solver, tmp_path):
    def gaps(stop, **given):
        seen = []
        gh.minimize(Rounded(2), gh.L1Ball(D, 1.5), solver, stop=stop, watch=lambda e: seen.append((e.value, e.gap)), **given)
        return seen

    whole, first = gaps(gh.Iterations(8)), gaps(gh.Iterations(3), checkpoint=tmp_path / "r.npz")
    rest = gaps(gh.Iterations(8), resume=tmp_path / "r.npz")
    assert rest[0] == pytest.approx(first[-1], rel=1e-12) and len(rest) > 1
    assert [value for value, _ in rest[1:]] == [value for value, _ in whole[len(first) :]]
    # a user's function has no digest, so that the bound is proved again from the saved point
    assert [gap for _, gap in rest[1:]] == pytest.approx([gap for _, gap in whole[len(first) :]], rel=1e-12)


def test_the_mean_of_linearisations_has_the_slack_of_each():
    """Wrong at the first point alone: later ones, which are exact, do not make up for its share in the mean."""
    b = np.array([0.0, 3.0, 2.0])

    class Wrong(Rounded):
        def __init__(self):
            super().__init__(Q=np.eye(3), b=b)
            self._gradient = lambda w: w - b + np.array([0.0, 50.0, 0.0]) * (w[0] > 0.9)

        def gradient_error(self, w):
            return 50.0 * (w.array()[0] > 0.9) * np.array([0.0, 1.0, 0.0])

    lowers = []
    solver, S = gh.Aggregated(gh.FrankWolfe(step=gh.Constant(0.3))), gh.Simplex(3)
    gh.minimize(Wrong(), S, solver, start=np.array([1.0, 0.0, 0.0]), stop=gh.Iterations(8),
                watch=lambda event: lowers.append(event.lower))
    assert max(lowers) <= 0.5 - 3.0 + 1e-12
