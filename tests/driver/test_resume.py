"""A resumed run goes on bit by bit with the same problem, and takes over its point alone where the problem is another."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import greedyhull as gh
from greedyhull.driver.checkpoint import load_state, save_state
from greedyhull.kernels._core import level
from greedyhull.types import Answer

rng = np.random.default_rng(7)
X, y = rng.standard_normal((30, 6)), rng.standard_normal(30)
P = rng.random((30, 6)) + 0.1


def anew(f, S, path, stop, solver=None, **given):
    with pytest.warns(gh.GreedyhullWarning, match="Only the point of the saved run was taken over"):
        return gh.minimize(f, S, solver, stop=stop, resume=path, **given)


def honest(s, f, S):
    """The certificate covers the distance to a minimum found from scratch."""
    best = gh.minimize(f, S, stop=gh.Relative(1e-9) | gh.Iterations(5000)).certificate.lower
    return s.value - best <= s.certificate.gap + 1e-9 * (1.0 + abs(best)) and s.certificate.lower <= s.value


def test_an_atom_that_is_added_is_seen(tmp_path):
    f, path = gh.quadratic(np.eye(3), np.full(3, 5.0)), tmp_path / "r.npz"
    gh.minimize(f, gh.Vertices(np.eye(3)), stop=gh.Gap(1e-9), checkpoint=path)
    s = anew(f, gh.Vertices(np.vstack([np.eye(3), [[2.0, 2.0, 2.0]]])), path, gh.Gap(1e-6))
    assert s.value == pytest.approx(-24.0, abs=1e-5) and s.gap <= 1e-6


def test_rows_that_are_numbered_otherwise_are_told_apart(tmp_path):
    f, path = gh.quadratic(np.eye(3), np.array([5.0, 1.0, 0.0])), tmp_path / "r.npz"
    gh.minimize(f, gh.Vertices(np.eye(3)), gh.BlendedPairwise(), stop=gh.Iterations(3), checkpoint=path)
    S = gh.Vertices(np.vstack([[[2.0, 2.0, 2.0]], np.eye(3)[::-1]]))
    s = anew(f, S, path, gh.Gap(1e-8), gh.BlendedPairwise())
    assert honest(s, f, S) and s.point.weights.sum() == pytest.approx(1.0)


CHANGED = {
    "box": (gh.Box(np.zeros(6), np.ones(6)), gh.Box(np.zeros(6), np.array([4.0, 1, 1, 1, 1, 1]))),
    "radius": (gh.L1Ball(6, 0.3), gh.L1Ball(6, 3.0)),
    "ball": (gh.L2Ball(6, 0.3), gh.L2Ball(6, 0.9)),
    "weights": (gh.L1Ball(6, 1.0, weights=np.ones(6)), gh.L1Ball(6, 1.0, weights=np.array([1, 1, 1, 0.2, 1, 1]))),
    "kind": (gh.Simplex(6), gh.CappedSimplex(6)),
    "bound": (gh.Simplex(6, upper=0.5), gh.Simplex(6, upper=0.9)),
    "wrapped": (gh.Simplex(6), gh.Cached(gh.Simplex(6))),
    "inexact": (gh.Inexact(gh.Simplex(6), 0.0), gh.Inexact(gh.Simplex(6), 0.01)),
}


@pytest.mark.parametrize("sets", CHANGED.values(), ids=CHANGED)
@pytest.mark.parametrize("solver", [None, gh.FrankWolfe(), gh.BlendedPairwise()], ids=repr)
def test_with_another_set(sets, solver, tmp_path):
    f, path = gh.least_squares(X, 3 * y), tmp_path / "r.npz"
    gh.minimize(f, sets[0], solver, stop=gh.Iterations(20) | gh.Gap(1e-10), checkpoint=path)
    s = anew(f, sets[1], path, gh.Gap(1e-7) | gh.Iterations(300), solver)
    assert honest(s, f, sets[1]) and s.iterations <= 300 and "the set changed" in s.reason
    assert sets[1].contains(s.point) and s.trace.iteration[0] == 0


def test_a_set_that_no_longer_holds_the_point_is_refused(tmp_path):
    f, path = gh.least_squares(X, 3 * y), tmp_path / "r.npz"
    gh.minimize(f, gh.L1Ball(6, 3.0), stop=gh.Gap(1e-9), checkpoint=path)
    with pytest.warns(gh.GreedyhullWarning), pytest.raises(gh.GreedyhullError, match="lies outside"):
        gh.minimize(f, gh.L1Ball(6, 0.1), resume=path)
    with pytest.raises(gh.GreedyhullError, match="shape"):
        gh.minimize(gh.quadratic(np.eye(2)), gh.Simplex(2), resume=path)


def test_a_point_whose_atoms_are_not_in_the_set_is_written_anew(tmp_path):
    f, path = gh.least_squares(X, 0.1 * y), tmp_path / "r.npz"
    s = gh.minimize(f, gh.L1Ball(6, 3.0), stop=gh.Gap(1e-9), checkpoint=path)
    smaller = gh.L1Ball(6, float(np.abs(s.point.array()).sum()) * 1.5)
    s = anew(f, smaller, path, gh.Gap(1e-8))
    assert honest(s, f, smaller) and smaller.contains(s.point)


OTHERS = {
    "data": gh.least_squares(2.0 * X, y),
    "one entry": gh.least_squares(X + np.eye(30, 6)[::-1] * 1e-9, y),
    "targets": gh.least_squares(X, y + 1.0),
    "sample weights": gh.least_squares(X, y, sample_weight=np.arange(1.0, 31.0)),
    "intercept": gh.least_squares(X, y, intercept=True),
    "loss": gh.huber(X, y, 0.3),
    "dtype": gh.least_squares(X.astype(np.float32), y),
}


@pytest.mark.parametrize("f", OTHERS.values(), ids=OTHERS)
def test_with_another_objective(f, tmp_path):
    path, S = tmp_path / "r.npz", gh.L1Ball(6, 1.0)
    gh.minimize(gh.least_squares(X, y), S, gh.FrankWolfe(), stop=gh.Iterations(30), checkpoint=path)
    s = anew(f, S, path, gh.Gap(1e-3), gh.FrankWolfe())
    assert honest(s, f, S) and "the objective changed" in s.reason


def test_another_parameter_of_the_loss_is_another_objective(tmp_path):
    path, S = tmp_path / "r.npz", gh.L1Ball(6, 1.0)
    for make, before, after in [(gh.huber, 0.3, 0.31), (gh.lp_loss, 3.0, 3.1), (gh.quantile, 0.4, 0.5),
                                (gh.epsilon_insensitive, 0.1, 0.2)]:
        gh.minimize(make(X, y, before), S, stop=gh.Iterations(3), checkpoint=path)
        assert honest(anew(make(X, y, after), S, path, gh.Gap(1e-4) | gh.Iterations(200)), make(X, y, after), S)


def test_another_solver_or_seed_begins_anew(tmp_path):
    f, S, path = gh.least_squares(X, y), gh.L1Ball(6, 1.0), tmp_path / "r.npz"
    gh.minimize(f, S, gh.FrankWolfe(), stop=gh.Iterations(30), checkpoint=path)
    assert "the solver changed" in anew(f, S, path, gh.Gap(1e-6), gh.BlendedPairwise()).reason
    assert "the solver changed" in anew(f, S, path, gh.Gap(1e-2), gh.FrankWolfe(gh.Short())).reason
    assert "the seed (3, saved with 0)" in anew(f, S, path, gh.Gap(1e-2), gh.FrankWolfe(), seed=3).reason


@pytest.mark.parametrize("stored", [np.asfortranarray, sp.csr_array, sp.csc_array], ids=["F order", "CSR", "CSC"])
def test_another_stop_or_order_in_memory_is_the_same_run(stored, tmp_path):
    S, path = gh.L1Ball(6, 1.0), tmp_path / "r.npz"
    f = gh.least_squares(stored(X), y)
    whole = gh.minimize(f, S, gh.FrankWolfe(), stop=gh.Iterations(40))
    gh.minimize(f, S, gh.FrankWolfe(), stop=gh.Iterations(15), checkpoint=path)
    again = gh.least_squares(stored(X.copy()), y.copy())
    s = gh.minimize(again, gh.L1Ball(6, 1.0), gh.FrankWolfe(), stop=gh.Iterations(40), resume=path)
    assert np.array_equal(s.point.array(), whole.point.array()) and s.certificate == whole.certificate
    assert "Only the point" not in s.reason


class Own(gh.AtomSet):
    """A user's set: the corners of a box."""

    def __init__(self, side):
        self.shape, self.side = (6,), side

    def argmin(self, g):
        return -self.side * np.sign(g)


@pytest.mark.parametrize("solver", [gh.FrankWolfe(), gh.BlendedPairwise(), gh.Corrective()], ids=repr)
def test_a_users_set_goes_on_bit_by_bit_and_finds_its_bound_anew(solver, tmp_path):
    f, path = gh.least_squares(X, 5 * y), tmp_path / "r.npz"
    whole = gh.minimize(f, Own(0.2), solver, stop=gh.Iterations(12))
    first = gh.minimize(f, Own(0.2), solver, stop=gh.Iterations(5), checkpoint=path)
    s = gh.minimize(f, Own(0.2), solver, stop=gh.Iterations(12), resume=path)
    assert np.array_equal(s.point.array(), whole.point.array())
    larger = Own(0.4)
    s = gh.minimize(f, larger, solver, stop=gh.Iterations(5), resume=path)  # nobody can see that it is another set
    assert honest(s, f, gh.LinfBall(6, 0.4)) and s.certificate.gap > first.certificate.gap


def test_functions_go_on_bit_by_bit_unless_their_values_say_otherwise(tmp_path):
    def make(b):
        return gh.function(lambda w: 0.5 * float((w - b) @ (w - b)), lambda w: w - b, 6)

    S, path = gh.Simplex(6), tmp_path / "r.npz"
    whole = gh.minimize(make(y[:6]), S, stop=gh.Iterations(8))
    gh.minimize(make(y[:6]), S, stop=gh.Iterations(3), checkpoint=path)
    s = gh.minimize(make(y[:6]), S, stop=gh.Iterations(8), resume=path)
    assert np.array_equal(s.point.array(), whole.point.array())
    s = anew(make(y[6:12] + 1.0), S, path, gh.Gap(1e-7))
    assert honest(s, make(y[6:12] + 1.0), S)


@pytest.mark.parametrize("loss", ["huber", "least_squares"])
def test_shards_that_changed_out_of_sight_keep_no_bound(loss, tmp_path):
    """What a loader returns has no mark: a bound of other data would be above the new minimum."""
    def data(off):
        def load(k):
            rng = np.random.default_rng(k)
            return rng.standard_normal((5, 4)), rng.standard_normal(5) * (1.0 - off)
        return getattr(gh, loss)(gh.shards(load, count=3))

    S, path = gh.L1Ball(4, 0.3), tmp_path / "state"
    gh.minimize(data(0.0), S, stop=gh.Gap(1e-9), checkpoint=path)
    for off in (1e-5, 0.5):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", gh.GreedyhullWarning)
            s = gh.minimize(data(off), S, stop=gh.Gap(1e-9) | gh.Iterations(1000), resume=path)
        assert s.value - gh.minimize(data(off), S, stop=gh.Gap(1e-9)).value <= s.gap


def test_groups_that_changed_keep_no_bound(tmp_path):
    """The labels are the same, and their members are not."""
    f, path = gh.quadratic(np.diag([1.0, 2.0, 3.0, 4.0]), np.array([4.0, 3.0, 1.0, 0.0])), tmp_path / "state"
    before, after = (gh.GroupedSimplex(groups, group_upper=0.6) for groups in ([0, 0, 1, 1], [0, 1, 1, 1]))
    gh.minimize(f, before, stop=gh.Gap(1e-9), checkpoint=path)
    with pytest.warns(gh.GreedyhullWarning, match="the set changed"):
        s = gh.minimize(f, after, stop=gh.Gap(1e-9), resume=path)
    assert s.value - gh.minimize(f, after, stop=gh.Gap(1e-9)).value <= s.gap


def test_a_function_that_changed_out_of_sight_keeps_no_bound(tmp_path):
    where = {"b": np.zeros(6)}
    f = gh.function(lambda w: 0.5 * float((w - where["b"]) @ (w - where["b"])), lambda w: w - where["b"], 6)
    S, path = gh.L2Ball(6, 1.0), tmp_path / "r.npz"
    gh.minimize(f, S, gh.FrankWolfe(), start=np.zeros(6), stop=gh.Iterations(0), checkpoint=path)
    where["b"] = np.full(6, 1e-3)
    s = gh.minimize(f, S, gh.FrankWolfe(), stop=gh.Iterations(0), resume=path)
    assert s.value <= s.certificate.gap


@pytest.mark.parametrize("solver", [gh.StochasticFrankWolfe.saga(), gh.StochasticJones(), gh.VarianceReducedJones(),
                                    gh.LuFreund()], ids=repr)
def test_tables_of_other_data_are_forgotten(solver, tmp_path):
    S, path = gh.L1Ball(6, 1.0), tmp_path / "r.npz"
    gh.minimize(gh.least_squares(X, y), S, solver, stop=gh.Iterations(50), checkpoint=path)
    f = gh.least_squares(X[::-1].copy(), y)
    s = anew(f, S, path, gh.Iterations(60), solver)
    assert s.iterations == 60 and honest(s, f, S)


def test_poisson_and_tiny_single_precision_states_are_taken_up(tmp_path):
    path = tmp_path / "r.npz"
    for f, S in [(gh.poisson(80 * P, np.ones(30)), gh.L1Ball(6, 9.0)),
                 (gh.least_squares(np.eye(6, dtype=np.float32), np.ones(6) / 6), gh.Simplex(6))]:
        gh.minimize(f, S, gh.FrankWolfe(), stop=gh.Iterations(4), checkpoint=path)
        s = gh.minimize(f, S, gh.FrankWolfe(), stop=gh.Iterations(9), resume=path)
        assert "Only the point" not in s.reason and s.trace.iteration.tolist() == list(range(10))


@pytest.mark.parametrize("solver", [gh.FrankWolfe(), gh.MoreauFrankWolfe(horizon=4)], ids=repr)
def test_an_oracle_that_counts_its_calls_goes_on_counting(solver, tmp_path):
    """The bound that is found anew is no call of the run: a schedule of errors goes on where it stood."""
    f = gh.finite_sum(lambda w, i: 0.5 * float(np.mean((X[i] @ w - y[i]) ** 2)),
                      lambda w, i: X[i].T @ (X[i] @ w - y[i]) / len(i), 30, 6)
    S, path = gh.Inexact(gh.Box(-np.ones(6), 1.0), gh.harmonic(2.0)), tmp_path / "r.npz"
    whole = gh.minimize(f, S, solver, stop=gh.Iterations(20))
    gh.minimize(f, S, solver, stop=gh.Iterations(4), checkpoint=path)
    s = gh.minimize(f, S, solver, stop=gh.Iterations(20), resume=path)
    assert np.array_equal(s.x, whole.x)


SCHEDULED = {"inexact": gh.Inexact(gh.Box(-np.ones(6), np.ones(6)), gh.harmonic(2.0)),
             "cached": gh.Cached(gh.Simplex(6), size=3)}
SAMPLING = [gh.MoreauFrankWolfe(horizon=4, batch=2), gh.StochasticFrankWolfe.saga(),
            gh.StochasticFrankWolfe(), gh.LuFreund(batch=4)]


@pytest.mark.parametrize("solver", SAMPLING, ids=lambda solver: type(solver).__name__)
@pytest.mark.parametrize("S", SCHEDULED.values(), ids=SCHEDULED)
@pytest.mark.parametrize("cut", [3, 4, 11])
def test_the_look_that_ends_a_run_leaves_its_oracle_as_it_was(S, solver, cut, tmp_path):
    """The first run is looked at where it ends, the whole one is not: an oracle that counts its calls must not notice."""
    f, path = gh.least_squares(X, y), tmp_path / "r.npz"
    whole = gh.minimize(f, S, solver, stop=gh.Iterations(25), seed=3)
    gh.minimize(f, S, solver, stop=gh.Iterations(cut), seed=3, checkpoint=path)
    s = gh.minimize(f, S, solver, stop=gh.Iterations(25), seed=3, resume=path)
    assert np.array_equal(s.point.array(), whole.point.array())


def test_a_float32_run_over_a_users_set_goes_on_though_its_values_are_rounded(tmp_path):
    class Ends(gh.AtomSet):
        shape = (1,)

        def argmin(self, g):
            return np.array([-1.82 if g[0] > 0 else 1.1])

    f, path = gh.quadratic(np.array([[30702.85]], dtype=np.float32)), tmp_path / "r.npz"
    whole = gh.minimize(f, Ends(), gh.Jones(), stop=gh.Iterations(10))
    gh.minimize(f, Ends(), gh.Jones(), stop=gh.Iterations(7), checkpoint=path)
    s = gh.minimize(f, Ends(), gh.Jones(), stop=gh.Iterations(10), resume=path)
    assert np.array_equal(s.point.array(), whole.point.array())


@pytest.mark.parametrize("solver", [gh.Pairwise(), gh.AwayStep(), gh.PairwiseJones(), None], ids=repr)
@pytest.mark.parametrize("cut", [1, 4, 9])
def test_atoms_with_and_without_numbers_are_known_again(solver, cut, tmp_path):
    """The origin, where runs over the ball begin, has no number; its steps have."""
    f, S, path = gh.least_squares(X, 3 * y), gh.TotalVariationBall(6, 0.8), tmp_path / "r.npz"
    whole = gh.minimize(f, S, solver, stop=gh.Iterations(20))
    gh.minimize(f, S, solver, stop=gh.Iterations(cut), checkpoint=path)
    s = gh.minimize(f, S, solver, stop=gh.Iterations(20), resume=path)
    assert np.array_equal(s.x, whole.x) and np.array_equal(s.point.weights, whole.point.weights)
    assert s.point.block.keys == whole.point.block.keys and s.value == whole.value and s.gap == whole.gap


@pytest.mark.parametrize("S", [gh.Permutahedron(np.arange(6) / 5 - 0.4), gh.Simplex(6, upper=0.3)], ids=repr)
def test_a_float32_run_repeats_the_gap_that_it_was_saved_with(S, tmp_path):
    """Its rounding is not counted underway: the bound that was saved is the one that is found again."""
    f, path = gh.least_squares(X.astype(np.float32), y), tmp_path / "r.npz"
    for solver in (gh.Pairwise(), gh.Jones()):
        whole = gh.minimize(f, S, solver, stop=gh.Iterations(12))
        for cut in range(1, 11):
            gh.minimize(f, S, solver, stop=gh.Iterations(cut), checkpoint=path)
            s = gh.minimize(f, S, solver, stop=gh.Iterations(12), resume=path)
            assert np.array_equal(s.trace.gap, whole.trace.gap)


def test_reason_says_where_bounds_may_differ_from_those_of_an_uninterrupted_run(tmp_path):
    f, S, path = gh.least_squares(X, y), gh.L1Ball(6, 1.0), tmp_path / "r.npz"
    own = gh.function(lambda w: float(w @ w), lambda w: 2.0 * w, 6)
    for g, solver, said in [(f, gh.MoreauFrankWolfe(4, 2), "was also certified at iteration 11, where it was saved"),
                            (own, gh.FrankWolfe(), "cannot be compared with the saved ones"), (f, gh.FrankWolfe(), "")]:
        gh.minimize(g, S, solver, stop=gh.Iterations(11), checkpoint=path)
        whole, s = (gh.minimize(g, S, solver, stop=gh.Iterations(25), resume=given) for given in (None, path))
        assert np.array_equal(s.x, whole.x) and said in s.reason and (said != "" or s.reason == whole.reason)


def test_a_run_that_is_stopped_at_its_start_resumes_in_the_core(tmp_path):
    """Asked to end, it takes no step in the core, whose sum of six sixths is less than 1 in the last bit."""
    S, solver, path = gh.CappedSimplex(4, 2.3), gh.FrankWolfe(gh.LogAdaptive()), tmp_path / "r.npz"
    f = gh.poisson(sp.csr_array(np.eye(6, 4)), np.arange(6.0))
    whole = gh.minimize(f, S, solver, stop=gh.Iterations(10))
    gh.minimize(f, S, solver, stop=gh.Iterations(0), checkpoint=path)
    s = gh.minimize(f, S, solver, stop=gh.Iterations(10), resume=path)
    assert np.array_equal(s.x, whole.x) and s.value == whole.value and s.iterations == 10


class Corners(gh.AtomSet):
    """A user's set, without formulas; its oracle may err by a share of the range, and say so or not."""

    def __init__(self, atoms, share=0.0, kind="always"):
        self.atoms, self.share, self.kind, self.shape = np.asarray(atoms, dtype=float), share, kind, (len(atoms[0]),)

    def argmin(self, g):
        return self.atoms[int((self.atoms @ g).argmin())]

    def oracle(self, rng):
        from greedyhull.atoms.base import ClosedOracle

        class Erring(ClosedOracle):
            def argmin(self, g, tol=0.0, enough=-np.inf):
                scores = self.S.atoms @ g
                admitted = scores.min() + self.S.share * (scores.max() - scores.min())
                worst = int(np.where(scores <= admitted, scores, -np.inf).argmax())
                slack = float(scores[worst] - scores.min()) if self.S.kind == "always" else 0.0
                return Answer(gh.Dense(self.S.atoms[worst]), slack * (1 + 1e-12), self.S.kind)

        return Erring(self) if self.share else ClosedOracle(self)


def test_atoms_that_another_set_may_not_have_are_not_taken_over(tmp_path):
    """An oracle that errs cannot prove that they lie outside; that is no proof that they lie inside."""
    f, path = gh.quadratic(np.eye(2), np.array([5.0, 5.0])), tmp_path / "r.npz"
    large, small = Corners([[2.0, 0.0], [0.0, 2.0], [-2.0, -2.0]]), Corners([[1.0, 0], [0, 1], [-1, -1]], share=1.0)
    gh.minimize(f, large, stop=gh.Gap(1e-9), checkpoint=path)
    with pytest.raises(gh.GreedyhullError, match="lies outside"), pytest.warns(gh.GreedyhullWarning):
        gh.minimize(f, small, resume=path, stop=gh.Iterations(0), seed=1)


def test_an_oracle_that_promises_too_much_does_not_make_a_set_another_one(tmp_path):
    f, path = gh.least_squares(X, 5 * y), tmp_path / "r.npz"
    atoms = np.vstack([np.eye(6), -np.eye(6)])
    whole = gh.minimize(f, Corners(atoms, 0.5, "estimate"), gh.Corrective(batch=1), stop=gh.Iterations(6))
    gh.minimize(f, Corners(atoms, 0.5, "estimate"), gh.Corrective(batch=1), stop=gh.Iterations(3), checkpoint=path)
    s = gh.minimize(f, Corners(atoms, 0.5, "estimate"), gh.Corrective(batch=1), stop=gh.Iterations(6), resume=path)
    assert np.array_equal(s.point.array(), whole.point.array())


@pytest.mark.parametrize("seed", range(6))
def test_a_cache_over_a_users_set_answers_as_it_would_have(seed, tmp_path):
    """A lazy oracle is told what would be enough, by the bound that was; the bound that is certified is found anew."""
    random, path = np.random.default_rng(seed), tmp_path / "r.npz"
    A, S = random.standard_normal((9, 2)), gh.Cached(Corners(random.standard_normal((5, 2)), 0.5), size=3)
    f, solver = gh.least_squares(3 * A, random.standard_normal(9)), gh.FrankWolfe(gh.LogAdaptive())
    whole = gh.minimize(f, S, solver, stop=gh.Iterations(40))
    gh.minimize(f, S, solver, stop=gh.Iterations(26), checkpoint=path)
    s = gh.minimize(f, S, solver, stop=gh.Iterations(40), resume=path)
    assert np.array_equal(s.point.array(), whole.point.array())


def test_a_users_set_writes_arrays_as_mixtures_of_its_atoms(tmp_path):
    S = Corners([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
    w = S.decompose(np.array([0.2, 0.1]))
    assert w.weights.sum() == pytest.approx(1.0) and np.allclose(w.array(), [0.2, 0.1], atol=1e-6)
    with pytest.raises(gh.GreedyhullError, match="none that is near was found"):
        S.decompose(np.array([1.0, 1.0]))


def test_a_function_is_recognised_however_large_its_gap_was(tmp_path):
    """What is remembered of its value is a bound plus a gap, which may be huge beside it."""
    f = gh.function(lambda w: 1e-3 * float(w @ w), lambda w: 2e-3 * w, 6)
    S, path = gh.Inexact(gh.Box(-np.ones(6), 2 * np.ones(6)), 1e11), tmp_path / "r.npz"
    whole = gh.minimize(f, S, gh.FrankWolfe(), stop=gh.Iterations(12))
    gh.minimize(f, S, gh.FrankWolfe(), stop=gh.Iterations(5), checkpoint=path)
    s = gh.minimize(f, S, gh.FrankWolfe(), stop=gh.Iterations(12), resume=path)
    assert "taken over" not in s.reason and np.array_equal(s.point.array(), whole.point.array())


@pytest.mark.parametrize("solver", [None, gh.BlendedPairwise(), gh.StochasticFrankWolfe.svrf()], ids=repr)
def test_a_state_of_another_processor_goes_on_up_to_rounding_and_says_so(solver, tmp_path, monkeypatch):
    f, S, path = gh.least_squares(X, 3 * y), gh.L1Ball(6, 0.5), tmp_path / "r.npz"
    whole = gh.minimize(f, S, solver, stop=gh.Iterations(30))
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr("greedyhull.driver.checkpoint.level", lambda: "x86-64-v9")
        gh.minimize(f, S, solver, stop=gh.Iterations(10), checkpoint=path)
    s = gh.minimize(f, S, solver, stop=gh.Iterations(30), resume=path)
    assert "loops of x86-64-v9" in s.reason and "not bit by bit" in s.reason
    assert s.value == pytest.approx(whole.value, rel=1e-9) and honest(s, f, S)


def test_a_state_of_the_same_processor_says_nothing(tmp_path):
    f, S, path = gh.least_squares(X, 3 * y), gh.L1Ball(6, 0.5), tmp_path / "r.npz"
    gh.minimize(f, S, gh.FrankWolfe(), stop=gh.Iterations(10), checkpoint=path)
    assert str(load_state(path)["level"]) == level()
    s = gh.minimize(f, S, gh.FrankWolfe(), stop=gh.Iterations(30), resume=path)
    assert "bit by bit" not in s.reason and s.value == gh.minimize(f, S, gh.FrankWolfe(), stop=gh.Iterations(30)).value


LARGE = {"box": gh.Box(np.full(6, -0.3), np.full(6, 0.2)), "l2 ball": gh.L2Ball(6, radius=0.7),
         "l1 ball": gh.L1Ball(6, radius=0.8), "bounded simplex": gh.Simplex(6, upper=0.3),
         "vertices": gh.Vertices(rng.standard_normal((12, 6)))}


@pytest.mark.parametrize("S", LARGE.values(), ids=LARGE)
@pytest.mark.parametrize("loss", [gh.logistic, gh.least_squares], ids=["logistic", "squares"])
@pytest.mark.parametrize("cut", [1, 2, 3])
def test_runs_that_the_core_leaves_to_python_or_ends_by_rounding_go_on_bit_by_bit(S, loss, cut, tmp_path):
    """At such scales an intercept may be out of the core's reach, at the start or later, and rounding ends some runs."""
    X = 1e6 * np.random.default_rng(0).standard_normal((60, 6))
    f, path = loss(X, np.sign(X @ np.arange(-2.0, 4.0) + 1e6), intercept=True), tmp_path / "r.npz"
    stop, seen, again = gh.Gap(1e-3), [], []
    whole = gh.minimize(f, S, gh.Corrective(), stop=stop | gh.Iterations(40),
                        watch=lambda e: seen.append(e.point.array().tolist()))
    gh.minimize(f, S, gh.Corrective(), stop=stop | gh.Iterations(cut), checkpoint=path)
    s = gh.minimize(f, S, gh.Corrective(), stop=stop | gh.Iterations(40), resume=path,
                    watch=lambda e: again.append(e.point.array().tolist()))
    assert again == seen[-len(again):] and s.iterations == whole.iterations
    assert s.value == whole.value and s.gap == whole.gap


@pytest.mark.parametrize("solver", [gh.FrankWolfe(), gh.FrankWolfe(gh.Backtracking()), gh.AwayStep(), gh.Corrective(batch=1),
                                    gh.Jones(gh.OpenLoop()), gh.MoreauFrankWolfe(horizon=40)], ids=repr)
def test_the_trace_of_a_run_that_was_resumed_twice_is_that_of_the_whole_run(solver, tmp_path):
    f, S, path = gh.logistic(X, np.sign(y)), gh.L1Ball(6, 0.8), tmp_path / "r.npz"
    gh.minimize(f, S, solver, stop=gh.Iterations(7), checkpoint=path)
    gh.minimize(f, S, solver, stop=gh.Iterations(16), checkpoint=path, resume=path)
    whole, s = (gh.minimize(f, S, solver, stop=gh.Iterations(30), resume=given) for given in (None, path))
    for column in ("iteration", "value", "step", "atoms", "slack"):
        assert np.array_equal(s.trace[column], whole.trace[column], equal_nan=True), column
    assert np.allclose(s.trace.gap, whole.trace.gap, rtol=1e-9, atol=1e-12) and (np.diff(s.trace.seconds) >= 0).all()
    assert [str(bound) for bound in s.bounds()] == [str(bound) for bound in whole.bounds()]
    assert repr(s.trace) == repr(whole.trace)


def test_a_long_trace_is_thinned_alike_after_a_resume(tmp_path, monkeypatch):
    from greedyhull.driver import trace

    monkeypatch.setattr(trace.Trace.thin, "__defaults__", (40,))
    f, S, path = gh.least_squares(X, y), gh.L1Ball(6, 0.8), tmp_path / "r.npz"
    gh.minimize(f, S, gh.FrankWolfe(), stop=gh.Iterations(111), checkpoint=path)
    whole, s = (gh.minimize(f, S, gh.FrankWolfe(), stop=gh.Iterations(300), resume=given, watch=lambda event: None)
                for given in (None, path))
    assert s.trace.recorded == whole.trace.recorded == 301 and len(s.trace) <= 40
    assert np.array_equal(s.trace.iteration, whole.trace.iteration) and np.array_equal(s.trace.step, whole.trace.step, True)


def test_where_the_problem_may_be_another_the_trace_begins_at_the_resume_and_says_so(tmp_path):
    f, path = gh.function(lambda w: float(w @ w), lambda w: 2.0 * w, 6), tmp_path / "r.npz"
    gh.minimize(f, gh.Simplex(6), gh.FrankWolfe(), stop=gh.Iterations(5), checkpoint=path)
    s = gh.minimize(f, gh.Simplex(6), gh.FrankWolfe(), stop=gh.Iterations(9), resume=path)
    assert s.trace.iteration.tolist() == [5, 6, 7, 8, 9] and repr(s.trace).startswith("Trace(5 rows, from iteration 5 on: ")


def test_a_saved_trace_that_is_none_gets_words(tmp_path):
    f, path = gh.least_squares(X, y), tmp_path / "r.npz"
    gh.minimize(f, gh.Simplex(6), gh.FrankWolfe(), stop=gh.Iterations(5), checkpoint=path)
    state = load_state(path)
    for rows in (np.zeros(3), np.zeros((2, 4)), np.zeros((1, 9))):
        save_state(path, {**state, "trace.rows": rows})
        with pytest.raises(gh.GreedyhullError, match=r"r.npz .*The saved trace has rows of shape"):
            gh.minimize(f, gh.Simplex(6), gh.FrankWolfe(), stop=gh.Iterations(9), resume=path)


@pytest.mark.parametrize("wrap", [lambda S: S, lambda S: gh.Scaled(S, 0.5), lambda S: gh.Translated(S, np.full(4, 0.1))],
                         ids=["sum", "scaled", "translated"])
def test_parts_that_stick_out_of_another_sum_are_not_taken_over(wrap, tmp_path):
    """b₁ + l₁ may lie in another sum though b₁ lies outside its box: with another l it would not."""
    rng = np.random.default_rng(3)
    f, path = gh.least_squares(rng.standard_normal((9, 4)), rng.standard_normal(9)), tmp_path / "run.npz"
    before = wrap(gh.Sum(gh.Box(-np.ones(4), np.ones(4)), gh.LinfBall(4, 0.1)))
    after = wrap(gh.Sum(gh.Box(-0.3 * np.ones(4), 0.3 * np.ones(4)), gh.LinfBall(4, 0.8)))
    gh.minimize(f, before, gh.BlendedPairwise(), stop=gh.Iterations(4), checkpoint=path)
    with pytest.warns(gh.GreedyhullWarning, match="the set"):
        s = gh.minimize(f, after, gh.BlendedPairwise(), stop=gh.Iterations(9), resume=path)
    inner = s.point.array() - wrap(gh.Sum(gh.Box(np.zeros(4), np.zeros(4)), gh.LinfBall(4, 0.0 + 1e-12))).centre().array()
    half = 1.1 * (0.5 if "Scaled" in repr(after) else 1.0)
    assert np.abs(inner).max() <= half * (1.0 + 1e-9)
    sizes = [np.abs(s.point.block[i].atom.array).max() for i in range(len(s.point)) if s.point.owners[i] == 0]
    assert "Translated" in repr(after) or max(sizes) <= 0.3 * half / 1.1 * (1.0 + 1e-9)
