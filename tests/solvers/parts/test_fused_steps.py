"""Bursts: the steps of a kernel are those of the solver, with the same terms drawn: all estimators, losses, sets and data."""

import numpy as np
import pytest
from scipy import sparse

import greedyhull as gh
from greedyhull.driver.checkpoint import load_state, save_state
from greedyhull.driver.run import Run
from greedyhull.objectives.designs.stored import SparseDesign
from greedyhull.solvers.gradients import Dual, Minibatch, Momentum, Saga, Spider, Storm, Svrg, variance_reduced
from greedyhull.solvers.parts import compiled_stochastic as burst
from greedyhull.solvers.stochastic_frank_wolfe import StochasticFrankWolfe

pytestmark = pytest.mark.filterwarnings("ignore::greedyhull.errors.GreedyhullWarning")
RNG = np.random.default_rng(3)
N, D = 300, 13
X = RNG.standard_normal((N, D))
X[np.abs(X) < 0.5] = 0.0
Y = X[:, 0] - 0.5 * X[:, 3] + 0.5 * RNG.standard_normal(N)
LABELS = np.where(Y > 0, 1.0, -1.0)
SHARES = RNG.random(N) + 0.1
OBJECTIVES = {
    "least_squares": lambda A: gh.least_squares(A, Y),
    "weighted logistic": lambda A: gh.logistic(A, LABELS, sample_weight=SHARES),
    "squared_hinge": lambda A: gh.squared_hinge(A, LABELS),
    "huber": lambda A: gh.huber(A, Y, 0.4),
    "poisson": lambda A: gh.poisson(A, np.abs(Y).round()),
}
SETS = {
    "L1Ball": gh.L1Ball(D, 2.0),
    "weighted L1Ball": gh.L1Ball(D, 2.0, weights=RNG.random(D) + 0.5),
    "Simplex": gh.Simplex(D, 1.5),
    "L2Ball": gh.L2Ball(D, 1.0, centre=np.full(D, 0.1)),
    "Box": gh.Box(-0.2 * np.ones(D), 0.3),
    "LinfBall": gh.LinfBall(D, 0.2),
    "Vertices": gh.Vertices(0.4 * RNG.standard_normal((30, D))),
}
ESTIMATORS = {
    "minibatch": Minibatch(1),
    "distinct": Minibatch(3, replace=False),
    "growing": Minibatch(lambda k, gap=None: k**0.5),
    "momentum": Momentum(2),
    "storm": Storm(2),
    "svrg": Svrg(2, 60),
    "doubling svrg": Svrg(3),
    "spider": Spider(2, 40),
    "doubling spider": Spider(),
    "saga": Saga(2),
    "dual": Dual(3),
    "single dual": Dual(1),
}
STORED = {"dense": X, "fortran": np.asfortranarray(X), "sparse": SparseDesign(sparse.csr_array(X))}


def plain(monkeypatch, *args, **kwargs):
    with monkeypatch.context() as here:
        here.setattr(burst, "FIRST", 10**9)
        return gh.minimize(*args, **kwargs)


def made_by_kernel(monkeypatch):
    """Counts the bursts."""
    counted = []
    make = burst.CompiledStochastic._make

    def noted(self, steps, *rest):
        counted.append(len(steps))
        make(self, steps, *rest)

    monkeypatch.setattr(burst.CompiledStochastic, "_make", noted)
    return counted


def assert_same(monkeypatch, f, S, solver, stop, tol=1e-12):
    one = plain(monkeypatch, f, S, solver, stop=stop, seed=4)
    counted = made_by_kernel(monkeypatch)
    many = gh.minimize(f, S, solver, stop=stop, seed=4)
    assert sum(counted) > 0
    np.testing.assert_allclose(many.point.array(), one.point.array(), rtol=0, atol=tol)
    np.testing.assert_allclose(many.trace["value"], one.trace["value"], atol=10 * tol)
    np.testing.assert_allclose(many.trace["products"], one.trace["products"])
    for name in ("iteration", "oracle_calls", "atoms", "step"):
        np.testing.assert_array_equal(many.trace[name], one.trace[name])


@pytest.mark.parametrize("how", ["dense", "sparse"])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_all_estimators_go_the_same_way(name, how, monkeypatch):
    assert_same(monkeypatch, OBJECTIVES["weighted logistic"](STORED[how]), SETS["L1Ball"],
         StochasticFrankWolfe(ESTIMATORS[name], gh.OpenLoop()), gh.Iterations(500))


@pytest.mark.parametrize("where", SETS)
@pytest.mark.parametrize("name", ["storm", "dual"])
def test_all_sets_go_the_same_way(name, where, monkeypatch):
    assert_same(monkeypatch, OBJECTIVES["least_squares"](STORED["fortran"]), SETS[where],
         StochasticFrankWolfe(ESTIMATORS[name], gh.Power(0.7), every=170), gh.Iterations(400))


@pytest.mark.parametrize("what", OBJECTIVES)
def test_all_losses_go_the_same_way(what, monkeypatch):
    assert_same(monkeypatch, OBJECTIVES[what](STORED["sparse"]), SETS["Box"],
         StochasticFrankWolfe(ESTIMATORS["saga"], gh.OpenLoop()), gh.Iterations(400))


def test_thousands_of_steps_and_many_chunks(monkeypatch):
    monkeypatch.setattr(burst, "TERMS", 100)
    for name in ("distinct", "saga"):
        assert_same(monkeypatch, OBJECTIVES["least_squares"](X), SETS["L1Ball"],
             StochasticFrankWolfe(ESTIMATORS[name], gh.OpenLoop(), every=2000), gh.Iterations(4000))


def test_single_precision_goes_the_same_way_to_single_precision(monkeypatch):
    assert_same(monkeypatch, gh.least_squares(X.astype(np.float32), Y.astype(np.float32)), SETS["Box"],
         StochasticFrankWolfe(Momentum(2), gh.OpenLoop()), gh.Iterations(300), tol=1e-4)


def test_a_start_with_atoms_of_its_own_keeps_them(monkeypatch):
    start = 0.3 * SETS["L1Ball"].argmin(RNG.standard_normal(D)).block(D).scale[0] * np.eye(D)[2]
    solver = StochasticFrankWolfe(Dual(2), gh.Constant(0.003))
    runs = [run(OBJECTIVES["least_squares"](X), SETS["L1Ball"], solver, start=start, stop=gh.Iterations(400))
            for run in (gh.minimize, lambda *a, **k: plain(monkeypatch, *a, **k))]
    np.testing.assert_allclose(runs[0].point.array(), runs[1].point.array(), atol=1e-12)
    assert abs(runs[0].point.weights.sum() - 1.0) < 1e-12 and len(runs[0].point) == len(runs[1].point)


@pytest.mark.parametrize("where", ["L1Ball", "L2Ball"])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_bursts_resume_bit_by_bit_and_do_not_depend_on_looks(name, where, tmp_path):
    f, S, stop = OBJECTIVES["weighted logistic"](X), SETS[where], gh.Iterations(700)
    solver = StochasticFrankWolfe(ESTIMATORS[name], gh.OpenLoop(), every=100)
    seen = []
    run = Run(f, S, solver, None, stop, 3)
    run.watchers = [lambda event: (save_state(tmp_path / f"{len(seen)}.npz", run.state()), seen.append(event.point.array()))]
    whole = run.solve()
    for i in (1, 5):
        again = Run(f, S, solver, None, stop, 3)
        again.restore(load_state(tmp_path / f"{i}.npz"))
        s = again.solve()
        np.testing.assert_array_equal(s.trace["value"], whole.trace["value"])
        np.testing.assert_array_equal(s.point.array(), whole.point.array())
    rarely = gh.minimize(f, S, StochasticFrankWolfe(ESTIMATORS[name], gh.OpenLoop(), every=350), stop=stop, seed=3)
    np.testing.assert_array_equal(rarely.point.array(), whole.point.array())


def test_what_no_kernel_knows_is_left_to_the_solver(monkeypatch):
    counted = made_by_kernel(monkeypatch)
    odd = [(gh.least_squares(X, Y, intercept=True), SETS["L1Ball"], {}),
           (gh.lp_loss(X, Y, 3.0), SETS["L1Ball"], {}),
           (gh.least_squares(X, Y), gh.Cached(SETS["L1Ball"]), {}),
           (gh.least_squares(X, Y), gh.Vertices(sparse.csr_array(np.eye(D))), {}),
           (gh.least_squares(X, Y), SETS["L1Ball"], {"tolerance": gh.harmonic(0.1)})]
    for f, S, more in odd:
        gh.minimize(f, S, StochasticFrankWolfe(Minibatch(2), gh.OpenLoop(), **more), stop=gh.Iterations(150))
    gh.minimize(gh.least_squares(X, Y), SETS["L1Ball"], StochasticFrankWolfe(Minibatch(2)), stop=gh.Iterations(50))
    assert counted == []


def test_a_wrong_share_is_named():
    f, wrong = gh.least_squares(X, Y), Momentum(2, rho=lambda k, gap=None: 1.0 if k < 200 else 2.0)
    with pytest.raises(gh.GreedyhullError, match="at step 200"):
        gh.minimize(f, SETS["L1Ball"], StochasticFrankWolfe(wrong, gh.OpenLoop()), stop=gh.Iterations(400))


@pytest.mark.parametrize("where", ["L1Ball", "weighted L1Ball", "Simplex"])
@pytest.mark.parametrize("b", [1, 4])
def test_wide_data_go_the_same_way_bit_by_bit(b, where, monkeypatch):
    """Whether or not a step looks at all columns; ties, of columns that are zero or equal, included."""
    Z = X.copy()
    Z[:, 5], Z[:, 9] = Z[:, 2], 0.0
    f, solver = gh.logistic(SparseDesign(sparse.csr_array(Z)), LABELS), StochasticFrankWolfe(Dual(b), gh.OpenLoop())
    runs = []
    for wide in (10**9, 1):
        monkeypatch.setattr(variance_reduced, "WIDE", wide)
        runs.append(gh.minimize(f, SETS[where], solver, stop=gh.Iterations(3000)))
    np.testing.assert_array_equal(runs[0].point.array(), runs[1].point.array())
    np.testing.assert_array_equal(runs[0].point.weights, runs[1].point.weights)
    np.testing.assert_array_equal(runs[0].trace["value"], runs[1].trace["value"])


@pytest.mark.parametrize("how", ["dense", "sparse"])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_jones_goes_the_same_way_with_all_estimators(name, how, monkeypatch):
    where = SETS["weighted L1Ball" if name in ("svrg", "saga") else "Simplex" if name == "dual" else "L1Ball"]
    f = gh.least_squares(STORED[how], Y, sample_weight=SHARES)
    assert_same(monkeypatch, f, where, gh.VarianceReducedJones(ESTIMATORS[name]), gh.Iterations(400))


@pytest.mark.parametrize("name", ["doubling svrg", "saga", "dual", "storm"])
def test_bursts_of_jones_resume_bit_by_bit(name, tmp_path):
    f, S, stop, seen = gh.least_squares(X, Y), SETS["L1Ball"], gh.Iterations(700), []
    solver = gh.VarianceReducedJones(ESTIMATORS[name], every=100)
    run = Run(f, S, solver, None, stop, 3)
    run.watchers = [lambda event: (save_state(tmp_path / f"{len(seen)}.npz", run.state()), seen.append(event.point.array()))]
    whole = run.solve()
    for i in (1, 5):
        again = Run(f, S, solver, None, stop, 3)
        again.restore(load_state(tmp_path / f"{i}.npz"))
        np.testing.assert_array_equal(again.solve().point.array(), whole.point.array())


def test_jones_makes_its_own_steps_for_other_losses_and_sets(monkeypatch):
    counted = made_by_kernel(monkeypatch)
    for f, S in ((gh.logistic(X, LABELS), SETS["L1Ball"]), (gh.least_squares(X, Y), SETS["Vertices"]),
                 (gh.least_squares(X, Y, l2=0.1), SETS["L1Ball"])):
        gh.minimize(f, S, gh.VarianceReducedJones(Minibatch(2)), stop=gh.Iterations(80))
    assert counted == []


def test_estimators_derived_from_the_librarys_are_run_in_python(monkeypatch):
    from greedyhull.solvers import stochastic_frank_wolfe

    class Derived(gh.gradients.Svrg):
        pass

    made, make = [], stochastic_frank_wolfe.compiled_stochastic
    monkeypatch.setattr(stochastic_frank_wolfe, "compiled_stochastic", lambda *given: made.append(make(*given)) or made[-1])
    X = np.random.default_rng(0).standard_normal((200, 6))
    f, S = gh.least_squares(X, X[:, 0]), gh.L1Ball(6, 0.5)
    values = [gh.minimize(f, S, gh.StochasticFrankWolfe(kind()), stop=gh.Iterations(40)).value
              for kind in (gh.gradients.Svrg, Derived)]
    assert [loop is None for loop in made] == [False, True]
    assert values[0] == pytest.approx(values[1], rel=1e-12)
