"""What users may do without thinking of it: write on arrays, keep them, hand over points of other sets, derive from sets."""

import threading

import numpy as np
import pytest
from scipy.sparse.linalg import LinearOperator

import greedyhull as gh
from greedyhull.atoms.base import OracleBase
from greedyhull.driver.checks import check_point
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.types import Answer

rng = np.random.default_rng(0)
X = rng.standard_normal((30, 4))
y = X @ [1.0, -2.0, 0.5, 0.0] + 0.1 * rng.standard_normal(30)
F = gh.least_squares(X, y)
SOLVERS = [None, gh.BlendedPairwise(), gh.PairwiseJones(), gh.FrankWolfe(), gh.Jones()]


class OwnBall(gh.AtomSet):
    """A user's l1 ball."""

    def __init__(self, radius):
        self.shape, self.radius_ = (4,), radius

    def argmin(self, g):
        i = int(np.abs(g).argmax())
        return gh.Basis(i, -self.radius_ if g[i] > 0 else self.radius_)


@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
def test_the_atoms_of_a_start_are_those_of_the_set(solver):
    """0 = ½·10 − ½·10 lies in [−1, 1]; ±10 do not, and no solver may go there."""
    big, S = gh.Vertices(np.array([[10.0], [-10.0]])), gh.Vertices(np.array([[1.0], [-1.0]]))
    start = gh.minimize(gh.least_squares(np.eye(1), [0.0]), big, gh.BlendedPairwise()).point
    s = gh.minimize(gh.least_squares(np.eye(1), [5.0]), S, solver, start=start, stop=gh.Gap(1e-6) | gh.Iterations(2000))
    assert abs(s.x[0]) <= 1.0 + 1e-9 and s.value >= 8.0 - 1e-9 and s.value - 8.0 <= s.certificate.gap


@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
def test_points_without_atoms_are_starts_of_every_solver(solver):
    for S in (gh.LinfBall(4, 1.0), gh.Box(-np.ones(4), 1.0), gh.L2Ball(4, 1.0)):
        before = gh.minimize(F, S, gh.FrankWolfe(), stop=gh.Iterations(5))
        for start in (before, before.point, before.x):
            s = gh.minimize(F, S, solver, start=start, stop=gh.Iterations(3))
            assert s.trace.value[0] == pytest.approx(before.value) and S.contains(s.point)


def test_functions_may_keep_what_they_are_shown():
    A = rng.standard_normal((200, 4))
    t = A @ [1.0, -2.0, 0.5, 0.0] + 0.1 * rng.standard_normal(200)

    class Shared:
        w = i = r = None

        def residual(self, w, i):
            if self.w is None or not (np.array_equal(w, self.w) and np.array_equal(i, self.i)):
                self.w, self.i, self.r = w, i, A[i] @ w - t[i]
            return self.r

    m = Shared()
    f = gh.finite_sum(lambda w, i: 0.5 * float(np.mean(m.residual(w, i) ** 2)),
                      lambda w, i: A[i].T @ m.residual(w, i) / len(i), 200, 4)
    for solver in (gh.StochasticFrankWolfe(), gh.StochasticFrankWolfe.storm(), gh.StochasticJones(),
                   gh.VarianceReducedJones()):
        s = gh.minimize(f, gh.LinfBall(4, 1.0), solver, stop=gh.Gap(1e-3) | gh.Iterations(300))
        assert s.value == pytest.approx(0.5 * np.mean((A @ s.x - t) ** 2), rel=1e-12)


def test_a_users_set_that_became_smaller_is_noticed(tmp_path):
    path = tmp_path / "c.npz"
    gh.minimize(F, OwnBall(3.0), gh.BlendedPairwise(), stop=gh.Iterations(2), checkpoint=path)
    with pytest.warns(gh.GreedyhullWarning, match="the set changed"), pytest.raises(gh.GreedyhullError, match="outside"):
        gh.minimize(F, OwnBall(1.0), gh.BlendedPairwise(), stop=gh.Gap(1e-6), resume=path)
    whole = gh.minimize(F, OwnBall(3.0), gh.BlendedPairwise(), stop=gh.Iterations(9))
    s = gh.minimize(F, OwnBall(3.0), gh.BlendedPairwise(), stop=gh.Iterations(9), resume=path)
    assert np.array_equal(s.x, whole.x)


def test_a_set_with_another_argmin_inherits_no_searches():
    with pytest.raises(gh.GreedyhullError, match="NonNegative has an argmin of its own, but best"):
        class NonNegative(gh.L1Ball):
            def argmin(self, g):
                i = int(g.argmin())
                return gh.Basis(i, self.radius if g[i] < 0 else 0.0)

    class Renamed(gh.L1Ball):
        """A set that differs in nothing that matters."""

    assert gh.minimize(F, Renamed(4, 1.0)).value == pytest.approx(gh.minimize(F, gh.L1Ball(4, 1.0)).value)


def test_oracles_may_write_on_the_gradient():
    def corner(g):
        g[g > 0] = 0.0
        return (g < 0).astype(float)

    class Corner(gh.AtomSet):
        shape, bound = (4,), 1.0

        def argmin(self, g):
            return corner(g)

    f, box = gh.quadratic(X.T @ X / 30, X.T @ y / 30), gh.Box(np.zeros(4), 1.0)
    best = gh.minimize(f, box, stop=gh.Gap(1e-9)).value
    for S in (gh.oracle(corner, 4, bound=1.0), Corner()):
        assert gh.certify(f, S, np.ones(4)).lower <= best + 1e-9
        assert gh.minimize(f, S, stop=gh.Gap(1e-3)).value == pytest.approx(best, abs=1e-3)


def test_a_membership_may_be_a_bool_of_numpy():
    class Ball(gh.AtomSet):
        shape, dense_atoms, bound = (4,), True, 2.0

        def argmin(self, g):
            return -2.0 * np.sign(g)

        def _holds(self, x, tol):
            return np.all(np.abs(x) <= 1 + tol)

    with pytest.raises(gh.GreedyhullError, match="outside"):
        gh.minimize(gh.least_squares(X, 5 * y), Ball(), stop=gh.Gap(1e-3))
    with pytest.raises(gh.GreedyhullError, match="outside"):
        check_point(CoordinateIterate(np.full(4, 1.5)), Ball(), gh.FrankWolfe(), 1)


def test_operators_have_adjoints_and_memory_of_their_own():
    wrong = LinearOperator((30, 4), matvec=lambda v: X @ np.ravel(v),
                           rmatvec=lambda r: np.r_[X[:, :2].T @ np.ravel(r), 0, 0])
    with pytest.raises(gh.GreedyhullError, match="adjoint"):
        gh.least_squares(wrong, y)
    forth, back = np.zeros(30), np.zeros(4)
    right = LinearOperator((30, 4), matvec=lambda v: np.dot(X, np.ravel(v), out=forth),
                           rmatvec=lambda r: np.dot(X.T, np.ravel(r), out=back))
    for S in (gh.L1Ball(4, 1.0), gh.LinfBall(4, 1.0)):
        best = gh.minimize(F, S, stop=gh.Gap(1e-9)).value
        for solver in SOLVERS[:4]:
            s = gh.minimize(gh.least_squares(right, y), S, solver, stop=gh.Gap(1e-3) | gh.Iterations(3000))
            assert s.value == pytest.approx(best, abs=2e-3)


def test_scales_of_single_precision_are_numbers_like_others():
    class Single(gh.AtomSet):
        shape, bound, scales = (4,), 1.0, np.ones(4, np.float32)

        def argmin(self, g):
            i = int(np.abs(g).argmax())
            return gh.Basis(np.int32(i), -self.scales[i] if g[i] > 0 else self.scales[i])

    s = gh.minimize(gh.least_squares(1e3 * X, 1e3 * y), Single(), gh.BlendedPairwise(), stop=gh.Gap(1e-2))
    assert type(s.gap) is float and s.gap > 0.0


@pytest.mark.parametrize("size", [1e308, 1e-308])
def test_equal_weights_of_any_size_are_equal_weights(size):
    s = gh.minimize(gh.least_squares(X, y, sample_weight=np.full(30, size)), gh.L1Ball(4, 1.0), stop=gh.Gap(1e-8))
    assert s.value == pytest.approx(gh.minimize(F, gh.L1Ball(4, 1.0), stop=gh.Gap(1e-8)).value)


def test_masks_and_imaginary_parts_are_refused():
    hidden = np.ma.array(y, mask=np.arange(30) == 3)
    for make in (lambda: gh.least_squares(X, hidden), lambda: gh.least_squares(X, y, sample_weight=np.ma.abs(hidden)),
                 lambda: gh.quadratic(np.eye(30), hidden), lambda: gh.Box(hidden, 9.0),
                 lambda: gh.quadratic(np.eye(4), 1j * X[0]),
                 lambda: gh.minimize(F, gh.oracle(lambda g: np.ma.array(np.sign(g), mask=g > 0), 4)),
                 lambda: gh.minimize(gh.function(lambda w: float(w @ w), lambda w: np.ma.array(2 * w, mask=w == 0), 4),
                                     gh.L1Ball(4, 1.0))):
        with pytest.raises(gh.GreedyhullError, match="masked"):
            make()


def test_a_gradient_that_is_wrong_for_later_terms_is_noticed():
    sign = np.where(np.arange(40) >= 16, -1.0, 1.0)
    A = rng.standard_normal((40, 4))
    f = gh.finite_sum(lambda w, i: 0.5 * float(np.mean((A[i] @ w - 1) ** 2)),
                      lambda w, i: (A[i].T * sign[i]) @ (A[i] @ w - 1) / len(i), 40, 4)
    with pytest.raises(gh.GreedyhullError, match="disagrees"):
        gh.minimize(f, gh.L1Ball(4, 1.0))


def test_threads_may_share_an_objective():
    f, S = gh.logistic(X, np.sign(y), intercept=True), gh.L1Ball(4, 2.0)
    alone, together = gh.minimize(f, S, stop=gh.Gap(1e-9)), []
    threads = [threading.Thread(target=lambda: together.append(gh.minimize(f, S, stop=gh.Gap(1e-9)))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(together) == 8 and all(np.array_equal(s.x, alone.x) for s in together)


@pytest.mark.parametrize("call", [
    lambda: gh.minimize(F, gh.L1Ball(4, 1.0), seed=None), lambda: gh.minimize(F, gh.L1Ball(4, 1.0), seed=-1),
    lambda: gh.minimize(F, gh.L1Ball(4, 1.0), seed=2**70), lambda: gh.minimize(F, gh.L1Ball(4, 1.0), seed=1.5),
    lambda: gh.minimize(F, gh.L1Ball(4, 1.0), start="abc"), lambda: gh.certify(F, gh.L1Ball(4, 1.0), [[1.0], [2.0, 3.0]]),
    lambda: gh.certify(F, gh.L1Ball(4, 1.0), 1j * np.zeros(4)),
    lambda: gh.minimize(F, gh.L1Ball(4, 1.0), gh.FrankWolfe(gh.OpenLoop)),
    lambda: gh.oracle(np.sign, 2.5), lambda: gh.oracle(np.sign, 0), lambda: gh.finite_sum(np.sum, np.sum, 3, None),
    lambda: gh.minimize(gh.function(lambda w: -float(w @ w), lambda w: -2 * w, 4), gh.L2Ball(4, 1.0), start=np.full(4, 0.1))])
def test_odd_arguments_are_refused_in_words(call):
    with pytest.raises(gh.GreedyhullError, match=r"wanted|convex"):
        call()


def test_solutions_and_atoms_are_points():
    s = gh.minimize(F, gh.L1Ball(4, 1.0))
    assert gh.certify(F, gh.L1Ball(4, 1.0), s).value == pytest.approx(s.value)


def test_sets_that_are_scaled_but_have_no_radius_have_paths():
    found = gh.path(F, gh.Simplex(4, upper=0.5), [1.0, 1.5])
    assert [s.x.sum() for s in found] == pytest.approx([1.0, 1.5])


def test_a_watcher_that_cannot_be_closed_costs_a_warning():
    class Watcher:
        def __call__(self, event):
            pass

        def close(self):
            raise OSError("the pipe is gone")

    with pytest.warns(gh.GreedyhullWarning, match="the pipe is gone"):
        assert gh.minimize(F, gh.L1Ball(4, 1.0), watch=Watcher()).converged


class Answering(OwnBall):
    """Its oracle, a class of its own, answers with plain arrays."""

    def oracle(self, rng):
        inner = super().oracle(rng)

        class Plain(OracleBase):
            def argmin(self, g, tol=0.0, enough=-np.inf):
                return Answer(inner.argmin(g).atom.scale * np.eye(4)[inner.argmin(g).atom.index], 0.0)

            best, state, restore = inner.best, inner.state, inner.restore

        return Plain()


def test_answers_that_are_arrays_pass_every_check():
    s = gh.minimize(F, Answering(1.0), gh.BlendedPairwise(), stop=gh.Gap(1e-6), check=True)
    assert s.value == pytest.approx(gh.minimize(F, gh.L1Ball(4, 1.0)).value, abs=1e-5)
