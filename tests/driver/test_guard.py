"""A point outside the hull is never certified, and a value that drifted is noticed."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.driver.checks import check_drift, check_point
from greedyhull.errors import DriftWarning
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.iterate import Active, Iterate
from greedyhull.points.shapes import DenseBlock
from greedyhull.points.views import Image
from greedyhull.solvers.parts.progress import Progress

rng = np.random.default_rng(3)
X, y = rng.standard_normal((12, 4)), rng.standard_normal(12)


def mixture(*weights):
    return Iterate(gh.Simplex(len(weights)).block(np.arange(len(weights))), np.array(weights), (len(weights),))


@pytest.mark.parametrize("weights, words", [((0.5, 0.7, -0.2), "below zero"), ((0.5, 0.7, 0.2), "sum to 1.4"),
                                            ((0.5, np.nan, 0.5), "NaN"), ((0.5, 0.5 + 1e-12, 0.0), "sum to 1")])
def test_weights_that_are_none(weights, words):
    with pytest.raises(gh.GreedyhullError, match=words):
        check_point(mixture(*weights), gh.Simplex(3), gh.FrankWolfe(), 1)


@pytest.mark.parametrize("many", [2, 32, 33, 100])
@pytest.mark.parametrize("wrong, words", [(np.nan, "NaN"), (np.inf, "NaN or infinite"), (-np.inf, "NaN or infinite"),
                                          (-0.25, "below zero"), (1e308, "sum to"), (0.0, "sum to")])
def test_one_wrong_weight_is_found_among_few_and_many(many, wrong, words):
    weights = np.full(many, 1.0 / many)
    check_point(mixture(*weights), gh.Simplex(many), gh.FrankWolfe(), 1)
    weights[many // 2] = wrong
    with pytest.raises(gh.GreedyhullError, match=words):
        check_point(mixture(*weights), gh.Simplex(many), gh.FrankWolfe(), 1)


def test_rounding_of_many_atoms_and_moves_is_allowed():
    d = 5000
    w = mixture(*np.full(d, 1.0 / d))
    check_point(w, gh.Simplex(d), gh.FrankWolfe(), 1)
    check_point(mixture(0.5, 0.5 + 1e-12, 0.0), gh.Simplex(3), gh.FrankWolfe(), 10_000)


@pytest.mark.parametrize("S", [gh.Simplex(4), gh.L1Ball(4, 1.0), gh.L2Ball(4, 1.0), gh.LinfBall(4, 1.0), gh.CappedSimplex(4),
                               gh.Simplex(4, upper=0.5), gh.Vertices(np.eye(4)), gh.Inexact(gh.Simplex(4), 0.1),
                               gh.Cached(gh.Vertices(np.eye(4))), gh.oracle(lambda g: -np.sign(g), 4, bound=1.0)], ids=repr)
def test_a_point_outside_names_solver_and_set(S):
    with pytest.raises(gh.GreedyhullError, match=r"FrankWolfe over .* lies outside"):
        check_point(CoordinateIterate(np.full(4, 1.1)), S, gh.FrankWolfe(), 1)
    check_point(CoordinateIterate(np.full(4, 0.25)), S, gh.FrankWolfe(), 1)


class Leaving:
    """A solver that leaves the set and says nothing."""

    looks_back = False

    def run(self, f, S, w, memory):
        oracle = memory.oracle(S)
        for _ in memory.count():
            g = f.gradient(w)
            d = oracle.argmin(g).atom
            yield Progress(w, f.gradient_dot(w) - d.dot(g))
            if w.keeps_atoms:
                w.weights[:] *= 1.5
            else:
                w.x[:] = 3.0


class Keeping(Leaving):
    looks_back = True


@pytest.mark.parametrize("solver", [Leaving(), Keeping()])
@pytest.mark.parametrize("S", [gh.L2Ball(4, 0.5), gh.Box(np.zeros(4), 1.0), gh.Simplex(4)], ids=repr)
def test_a_solver_that_leaves_the_set_is_caught(solver, S):
    with pytest.raises(gh.GreedyhullError):
        gh.minimize(gh.least_squares(X, y), S, solver, stop=gh.Iterations(5))


def test_weight_that_a_point_does_not_have_cannot_be_taken():
    w, stranger = Iterate.at(gh.Basis(0, 1.0), (3,)), Active(0, gh.Basis(2, 1.0), 0.5, 0.0)
    with pytest.raises(gh.GreedyhullError, match="does not have"):
        w.move(w.between(stranger, gh.Basis(1, 1.0)), 0.3)
    with pytest.raises(gh.GreedyhullError, match="stay in the hull"):
        w.move(w.toward(gh.Basis(1, 1.0)), -0.5)


def test_a_row_of_vertices_that_was_changed_is_not_vouched_for():
    S = gh.Vertices(np.eye(3))
    good = Iterate(DenseBlock(np.eye(3)[:2], (3,), [0, 1]), np.array([0.5, 0.5]), (3,))
    bad = Iterate(DenseBlock(3 * np.eye(3)[:2], (3,), [0, 1]), np.array([0.5, 0.5]), (3,))
    assert S.contains_quickly(good) is True and S.contains_quickly(bad) is None


def test_a_value_that_drifted_is_a_warning():
    f = gh.least_squares(X, y)
    check_drift(f, 1.0, 1.0 + 1e-12, 1e-12)
    with pytest.warns(DriftWarning, match="carried"):
        check_drift(f, 1.0, 1.1, 1e-12)
    with pytest.warns(DriftWarning):
        check_drift(f, np.nan, 1.0, 1e-12)


def test_a_view_that_goes_wrong_is_noticed_and_the_atoms_count(monkeypatch):
    f, S, moved = gh.least_squares(X, y), gh.Simplex(4), Image.moved

    def wrong(self, move, step):
        moved(self, move, step)
        self.z = (1.0 + 1e-7) * self.z

    monkeypatch.setattr(Image, "moved", wrong)
    with pytest.warns(DriftWarning):
        s = gh.minimize(f, S, gh.BlendedPairwise(), stop=gh.Iterations(6))
    x = s.point.array()
    assert s.value == pytest.approx(0.5 * ((X @ x - y) ** 2).mean(), rel=1e-12)
    best = gh.minimize(f, S, gh.Corrective(), stop=gh.Gap(1e-10), start=s.point).certificate.lower
    assert s.value - best <= s.gap


@pytest.mark.parametrize("X, tol", [(X, 1e-12), (X.astype(np.float32), 1e-5)])
@pytest.mark.parametrize("solver", [gh.FrankWolfe(), gh.BlendedPairwise(), gh.Corrective(), gh.PairwiseJones()], ids=repr)
def test_ordinary_runs_do_not_drift(X, tol, solver):
    s = gh.minimize(gh.least_squares(X, y), gh.L1Ball(4, 0.7), solver, stop=gh.Gap(tol) | gh.Iterations(3000))
    assert s.certificate.kind == "always"


@pytest.mark.parametrize("seed", range(6))
def test_a_function_that_cancels_inside_is_not_said_to_change_from_call_to_call(seed):
    rng = np.random.default_rng(seed)
    A, b = 2e4 * np.tile(rng.standard_normal(28), (7, 1)), rng.standard_normal(7)
    f = gh.function(lambda w: 0.5 * float((A @ w - b) @ (A @ w - b)) / 7, lambda w: A.T @ (A @ w - b) / 7, 28)
    for solver in (gh.BlendedPairwise(), gh.PairwiseJones()):
        s = gh.minimize(f, gh.LinfBall(28, 2.9), solver, stop=gh.Iterations(60))  # a DriftWarning is an error in tests
        assert s.value <= f.value(Iterate.at(gh.LinfBall(28, 2.9).atom(np.ones(28)), (28,)))


def test_a_function_whose_values_change_is_noticed_all_the_same():
    calls = iter(range(10**6))
    f = gh.function(lambda w: 0.5 * float(w @ w) + 1e-6 * next(calls), lambda w: w, 4)
    with pytest.warns(DriftWarning):
        gh.minimize(f, gh.Vertices(np.eye(4)), gh.BlendedPairwise(), stop=gh.Iterations(3))


def test_targets_that_are_nothing_in_float32_are_no_drift():
    s = gh.minimize(gh.least_squares(1e-81 * X.astype(np.float32), 1e-81 * y), gh.L1Ball(4, 1.5), stop=gh.Iterations(3))
    assert s.value == pytest.approx(0.5e-162 * float(y @ y) / len(y))  # of the data nothing is left


@pytest.mark.parametrize("solver", [gh.FrankWolfe(), gh.Jones(), gh.StochasticFrankWolfe()], ids=repr)
def test_an_oracle_that_errs_and_says_so_does_not_cost_the_result(solver):
    """Membership takes a search there, which such an oracle may leave open: that is no reason to refuse the point."""
    rng = np.random.default_rng(0)
    atoms = rng.standard_normal((6, 3))

    def erring(g):
        scores = atoms @ g
        i = int(np.where(scores <= scores.min() + 0.9 * np.ptp(scores), scores, -np.inf).argmax())
        return atoms[i], float(scores[i] - scores.min())

    f = gh.least_squares(rng.standard_normal((20, 3)), rng.standard_normal(20))
    s = gh.minimize(f, gh.oracle(erring, 3), solver, stop=gh.Iterations(50))
    assert s.value - gh.minimize(f, gh.Vertices(atoms), stop=gh.Gap(1e-9)).value <= s.certificate.gap


@pytest.mark.parametrize("solver", [gh.FrankWolfe(), gh.BlendedPairwise(), gh.Corrective(), gh.Jones()],
                         ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("scale", [1e-60, 1.0, 1e60])
def test_a_value_below_its_own_lower_bound_is_no_certificate(solver, scale):
    """An oracle that sleeps through its first question proves too much; the point that it leads to later gives it away."""
    class Sleepy(gh.AtomSet):
        shape, bound, asked = (4,), 1.0, 0

        def __repr__(self):
            return "Sleepy()"

        def argmin(self, g):
            self.asked += 1
            return gh.Simplex(4).argmin(g if self.asked > 2 else np.arange(4.0))

    f = gh.quadratic(scale * np.eye(4), scale * np.array([0.0, 0.0, 0.0, 2.0]))
    with pytest.raises(gh.GreedyhullError, match="lower bound"):
        gh.minimize(f, Sleepy(), solver, stop=gh.Iterations(30))
