"""Stochastic Frank-Wolfe: honest at every look, converging in all its variants, resumable, and below its bounds."""

import dataclasses

import numpy as np
import pytest
from scipy import sparse

import greedyhull as gh
from greedyhull.driver.checkpoint import load_state, save_state
from greedyhull.driver.run import Run
from greedyhull.objectives.black_box import finite_sum
from greedyhull.solvers.gradients import Dual, Minibatch, Momentum, Root, Saga, Spider, Storm, Svrg
from greedyhull.solvers.parts.schedules import linear
from greedyhull.solvers.stochastic_frank_wolfe import StochasticFrankWolfe
from greedyhull.testing import check_solver, small_problems

pytestmark = pytest.mark.filterwarnings("ignore::greedyhull.GreedyhullWarning")  # many set-ups here are warned of
NAMES = ["minibatch", "momentum", "storm", "spider", "svrf", "svfw", "saga", "dual"]
RNG = np.random.default_rng(11)
N, D = 300, 8
X = RNG.standard_normal((N, D))
TRUTH = np.zeros(D)
TRUTH[:3] = (1.0, -0.7, 0.4)
Y = X @ TRUTH + 0.3 * RNG.standard_normal(N)
LABELS = np.where(RNG.random(N) < 1 / (1 + np.exp(-2 * X @ TRUTH)), 1.0, -1.0)
SETS = {"L1Ball": gh.L1Ball(D, 1.5), "Simplex": gh.Simplex(D), "L2Ball": gh.L2Ball(D, 0.9),
        "Box": gh.Box(-0.3 * np.ones(D), 0.5 * np.ones(D))}
OBJECTIVES = {"least_squares": gh.least_squares(X, Y), "logistic": gh.logistic(X, LABELS)}
SMALL = {"minibatch": Minibatch(2), "growing": Minibatch(linear()), "distinct": Minibatch(2, replace=False),
         "momentum": Momentum(2), "storm": Storm(2), "spider": Spider(2, 5), "svrg": Svrg(2, 4), "saga": Saga(2),
         "dual": Dual(2)}


def named(name):
    return getattr(StochasticFrankWolfe, name)()


def small(name, **kwargs):
    return StochasticFrankWolfe(SMALL[name], gh.OpenLoop(), **kwargs)


@pytest.fixture(scope="module")
def least():
    """f* of every pair, from another solver."""
    return {(a, b): gh.minimize(f, S, stop=gh.Gap(1e-10) | gh.Iterations(10_000)).certificate.lower
            for a, f in OBJECTIVES.items() for b, S in SETS.items()}


# --- names --------------------------------------------------------------------------------------------------------

PLAIN = {"minibatch": (Minibatch(linear()), gh.Power(0.5)), "momentum": (Momentum(), gh.Power(1.0)),
         "storm": (Storm(), gh.Power(1.0)), "spider": (Spider(), gh.OpenLoop()), "svrf": (Svrg(), gh.OpenLoop()),
         "svfw": (Svrg(Root(2 / 3), Root(1 / 3)), gh.Constant(3000**-0.5)), "saga": (Saga(), gh.OpenLoop()),
         "dual": (Dual(), gh.OpenLoop())}


@pytest.mark.parametrize("name", NAMES)
def test_named_methods_take_the_settings_of_the_class(name):
    make, (estimator, step) = getattr(StochasticFrankWolfe, name), PLAIN[name]
    given = {"tolerance": gh.harmonic(0.1), "every": 7, "look": gh.MinibatchGap(50)}
    assert make() == StochasticFrankWolfe(estimator, step)
    assert make(**given) == StochasticFrankWolfe(estimator, step, **given)
    assert make(batch=5, step=gh.LogAdaptive()) == StochasticFrankWolfe(dataclasses.replace(estimator, batch=5),
                                                                        gh.LogAdaptive())
    with pytest.raises(gh.GreedyhullError, match=r"batch must be.* got 0"):
        make(batch=0)
    with pytest.raises(gh.GreedyhullError, match="needs values of f"):
        make(step=gh.Exact())


# --- convergence and honesty --------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", OBJECTIVES)
@pytest.mark.parametrize("where", SETS)
@pytest.mark.parametrize("name", NAMES)
def test_every_variant_converges_and_is_honest(name, where, what, least):
    f, S, f_star = OBJECTIVES[what], SETS[where], least[what, where]
    errors = []

    def watch(event):
        errors.append(event.value - f_star)
        assert errors[-1] <= event.gap + 1e-9 and S.contains(event.point) and event.kind == "always"

    s = gh.minimize(f, S, named(name), stop=gh.Iterations(500), watch=watch, seed=1)
    slow = name in ("minibatch", "momentum")  # k^−1/2 and k^−1/3
    assert errors[-1] <= (0.25 if slow else 0.08) * max(errors[0], 0.1)
    assert 500 <= s.iterations <= 560 and s.gap >= s.value - f_star - 1e-9
    assert s.point.keeps_atoms == (where in ("L1Ball", "Simplex"))


@pytest.mark.parametrize("name", [name for name in SMALL if name not in ("minibatch", "distinct")])  # these have a floor
def test_small_batches_converge_too(name, least):
    step = gh.Power(0.5) if name == "growing" else gh.Power(1.0) if name in ("momentum", "storm") else gh.OpenLoop()
    s = gh.minimize(OBJECTIVES["logistic"], SETS["L1Ball"], StochasticFrankWolfe(SMALL[name], step), stop=gh.Iterations(1500))
    wide = 0.3 if name in ("momentum", "growing") else 0.08
    assert s.value - least["logistic", "L1Ball"] <= wide * (s.trace["value"][0] - least["logistic", "L1Ball"])


@pytest.mark.parametrize("name", ["growing", "storm", "spider", "svrg", "saga", "dual"])
def test_it_keeps_the_promises_of_solvers(name):
    chosen = [p for p in small_problems() if p.name in (
        "least_squares over L1Ball", "least_squares over L2Ball", "logistic over Simplex",
        "least_squares, intercept over L1Ball", "quadratic over Simplex",
        "log_likelihood over Simplex", "logistic, intercept over L1Ball")]
    refused = check_solver(small(name, every=3), chosen, iterations=24)
    assert set(refused) == {"quadratic over Simplex", "log_likelihood over Simplex", "logistic, intercept over L1Ball"}


def test_looks_between_passes_only():
    seen = []
    gh.minimize(OBJECTIVES["logistic"], SETS["L1Ball"], StochasticFrankWolfe(Minibatch(30)), stop=gh.Iterations(60),
                watch=lambda event: seen.append((event.iteration, event.also["spent"])))
    assert seen == [(k, 30 * (k - 1)) for k in (1, 11, 21, 31, 41, 51, 60)]  # a limit is kept, wherever it falls


def test_looks_at_multiples_of_every():
    seen = []
    s = gh.minimize(OBJECTIVES["logistic"], SETS["L1Ball"], StochasticFrankWolfe(Minibatch(3), every=25),
                    stop=gh.Iterations(75), watch=lambda event: seen.append(event.iteration))
    assert seen == [1, 25, 50, 75] and s.iterations == 75


# --- steps --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule, eta", [(gh.Power(0.5), lambda k: k**-0.5), (gh.Power(1.0), lambda k: 1 / k),
                                       (gh.OpenLoop(), lambda k: 2 / (k + 1)), (gh.Constant(0.1), lambda k: 0.1)],
                         ids=["root", "harmonic", "open loop", "constant"])
def test_the_first_step_is_one_and_k_counts_from_one(rule, eta):
    steps = []
    gh.minimize(OBJECTIVES["logistic"], SETS["L1Ball"], StochasticFrankWolfe(Minibatch(3), rule, every=1),
                stop=gh.Iterations(12), watch=lambda event: steps.append(event.step))
    np.testing.assert_allclose(steps[1:], [eta(k) for k in range(1, 12)])


def test_tolerances_follow_the_steps():
    asked, batches = [], []

    class Told:
        def __call__(self, k, gap=None):
            asked.append(k)
            return 0.1

    def batch(k, gap=None):
        batches.append(k)
        return 2.0

    gh.minimize(OBJECTIVES["logistic"], SETS["L1Ball"], StochasticFrankWolfe(Minibatch(batch), tolerance=Told(), every=1),
                stop=gh.Iterations(5))
    assert asked == [0, 1, 2, 3] and [k for k in batches if k < 1000] == [1, 2, 3, 4]  # cautions ask for late ones


# --- bounds in expectation ----------------------------------------------------------------------------------------

RUNS = 24
XT, YT = RNG.standard_normal((40, 4)), RNG.standard_normal(40)
TINY, BALL = gh.least_squares(XT, YT), gh.L1Ball(4, 1.0)
CORNERS = np.vstack([np.eye(4), -np.eye(4)])


def errors_of(f, S, solver, k):
    """e at k looks, one row for each of RUNS runs, and the steps where they were."""
    f_star = gh.minimize(f, S, stop=gh.Gap(1e-10) | gh.Iterations(2000)).certificate.lower
    traces = [gh.minimize(f, S, solver, stop=gh.Iterations(k), seed=s).trace for s in range(RUNS)]
    return np.array([t["value"] for t in traces]) - f_star, traces[0]["iteration"], np.array([t["gap"] for t in traces])


def below(errors, bound):
    mean, error = errors.mean(axis=0), errors.std(axis=0, ddof=1) / np.sqrt(len(errors))
    return bool((mean <= bound + 3 * error).all())


@pytest.mark.parametrize("c", [0.0, 0.5])
def test_asfw_is_below_its_bound(c):
    """E e_k ≤ √2(r_S σ + M/2 + c)/√k for k ≥ 2, σ² the largest variance of a term's gradient, attained at an atom."""
    residuals = XT @ CORNERS.T - YT[:, None]
    terms = residuals[:, :, None] * XT[:, None, :]
    sigma = np.sqrt(((terms - terms.mean(axis=0)) ** 2).sum(axis=2).mean(axis=0).max())
    S = gh.Inexact(BALL)  # it errs by as much as it may, ε_k = cη_k
    bound = np.sqrt(2.0) * (BALL.circumradius * sigma + float(TINY.curvature(BALL)) / 2 + c)
    solver = StochasticFrankWolfe(tolerance=gh.power(0.5, c), every=4)
    errors, k, _ = errors_of(TINY, S, solver, 100)
    assert below(errors[:, 1:], bound / np.sqrt(k[1:]))


XV, YV = RNG.standard_normal((400, 4)), RNG.standard_normal(400)
VARIED, LD2 = gh.least_squares(XV, YV), float((XV**2).sum(axis=1).max()) * 4.0


@pytest.mark.parametrize("estimator, factor", [(Spider(), 10.0), (Svrg(), 4.0),
                                               (Svrg(lambda k, gap=None: 3 * (k + 1)), (2 + np.sqrt(6)) ** 2)],
                         ids=["spider", "svrf", "svrf with small batches"])
def test_variance_reduction_is_below_its_bounds(estimator, factor):
    """Batches of c(k + 1) give SVRF the factor (√(12/c) + √(12/c + 2))²: 4 for c = 48."""
    solver = StochasticFrankWolfe(estimator, gh.OpenLoop(), every=5)
    errors, k, _ = errors_of(VARIED, BALL, solver, 50)
    assert below(errors[:, 1:], factor * LD2 / (k[1:] + 1))


def test_svfw_has_small_gaps_on_average():
    T = 60
    solver = dataclasses.replace(StochasticFrankWolfe.svfw(horizon=T), every=1)
    assert solver.estimator == Svrg(Root(2 / 3), Root(1 / 3)) and solver.step.eta == pytest.approx((3 * T) ** -0.5)
    errors, _, gaps = errors_of(TINY, BALL, solver, T)
    L = float((XT**2).sum(axis=1).max()) * 4.0
    assert below(gaps.mean(axis=1)[:, None], np.sqrt(3 / T) * (errors[:, 0].mean() + L / 2))


# --- the same run in other ways -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SMALL)
def test_sparse_and_dense_data_go_the_same_way(name):
    Z = np.where(np.abs(X) > 0.8, X, 0.0)
    runs = [gh.minimize(gh.logistic(data, LABELS), SETS["L1Ball"], small(name), stop=gh.Iterations(60))
            for data in (Z, sparse.csr_array(Z), sparse.csc_array(Z))]
    for other in runs[1:]:
        np.testing.assert_allclose(other.point.array(), runs[0].point.array(), atol=1e-12)


@pytest.mark.parametrize("name", SMALL)
def test_a_seed_determines_the_run(name):
    f, S = OBJECTIVES["logistic"], SETS["L2Ball"]
    first, again, other = (gh.minimize(f, S, small(name), stop=gh.Iterations(40), seed=s).point.array() for s in (5, 5, 6))
    np.testing.assert_array_equal(first, again)
    assert np.abs(first - other).max() > 0


@pytest.mark.parametrize("where", ["L1Ball", "L2Ball"])
@pytest.mark.parametrize("what", ["least_squares", "intercept", "logistic"])
@pytest.mark.parametrize("name", SMALL)
def test_resumed_runs_are_equal_bit_by_bit(name, what, where, tmp_path):
    f = gh.least_squares(X[:60], Y[:60], intercept=True) if what == "intercept" else OBJECTIVES[what]
    S, solver, stop = SETS[where], small(name, every=7), gh.Iterations(42)
    seen = []
    run = Run(f, S, solver, None, stop, 3)
    run.watchers = [lambda event: (save_state(tmp_path / f"{len(seen)}.npz", run.state()), seen.append(event.point.array()))]
    whole = run.solve()
    assert len(seen) == 7
    for i in (0, 1, 3, 6):
        again = Run(f, S, solver, None, stop, 3)
        again.restore(load_state(tmp_path / f"{i}.npz"))
        s = again.solve()
        np.testing.assert_array_equal(s.trace["value"], whole.trace["value"])
        np.testing.assert_array_equal(s.trace["gap"], whole.trace["gap"])
        np.testing.assert_array_equal(s.point.array(), whole.point.array())
        assert s.trace["oracle_calls"][-1] == whole.trace["oracle_calls"][-1]


def test_named_variants_resume_between_looks_of_their_own(tmp_path):
    f, S = OBJECTIVES["logistic"], SETS["L2Ball"]
    for name in NAMES:
        path, stop = tmp_path / f"{name}.npz", gh.Iterations(60)
        first = gh.minimize(f, S, named(name), stop=gh.Iterations(25), checkpoint=path)
        whole = gh.minimize(f, S, named(name), stop=stop)
        later = gh.minimize(f, S, named(name), stop=stop, resume=path)
        np.testing.assert_array_equal(later.point.array(), whole.point.array())
        assert first.iterations < whole.iterations == later.iterations


def test_a_finite_sum_of_one_s_own_goes_the_way_of_the_model():
    def value(w, i):
        return 0.5 * float(((X[i] @ w - Y[i]) ** 2).mean())

    def gradient(w, i):
        return X[i].T @ (X[i] @ w - Y[i]) / len(i)

    f = finite_sum(value, gradient, N, D)
    for name in ("minibatch", "momentum", "storm", "spider", "svrg"):
        for S in (SETS["L1Ball"], SETS["L2Ball"]):
            mine, model = (gh.minimize(g, S, small(name), stop=gh.Iterations(80)) for g in (f, OBJECTIVES["least_squares"]))
            np.testing.assert_allclose(mine.point.array(), model.point.array(), atol=1e-10)
            known = min(mine.gap, mine.value)  # of the model, squares, it is known that it is nowhere below zero
            assert model.gap == pytest.approx(known, abs=1e-8)


def test_single_precision_is_certified_in_double():
    f, exact = gh.least_squares(X.astype(np.float32), Y), gh.least_squares(X.astype(np.float32).astype(float), Y)
    f_star = gh.minimize(exact, SETS["L1Ball"], stop=gh.Gap(1e-9) | gh.Iterations(2000)).certificate.lower
    for name in NAMES:
        s = gh.minimize(f, SETS["L1Ball"], named(name), stop=gh.Iterations(100))
        assert -1e-9 <= s.value - f_star <= s.gap + 1e-9


# --- what it leaves alone, what it costs --------------------------------------------------------------------------


@pytest.mark.parametrize("name", SMALL)
def test_inputs_are_not_changed(name):
    A, b, start = X.copy(), Y.copy(), np.full(D, 0.1)
    gh.minimize(gh.least_squares(A, b), SETS["L1Ball"], small(name), start=start, stop=gh.Iterations(50))
    np.testing.assert_array_equal(A, X)
    np.testing.assert_array_equal(b, Y)
    np.testing.assert_array_equal(start, np.full(D, 0.1))


@pytest.mark.parametrize("where", SETS)
@pytest.mark.parametrize("name", SMALL)
def test_memory_does_not_grow_with_the_steps(name, where):
    sizes = []
    for k in (100, 400):
        run = Run(OBJECTIVES["least_squares"], SETS[where], small(name, every=100), None, gh.Iterations(k), 0)
        run.watchers = [lambda event, run=run, k=k: sizes.append(sum(a.nbytes for a in run.state().values()))
                        if event.iteration == k else None]
        run.solve()
        assert len(run.trace.rows) == 1 + k // 100
    assert sizes[1] <= sizes[0] + 64 * 2 * D  # coordinate atoms, of which there are 2D


def test_steps_do_not_carry_the_image_along():
    """A step costs its minibatch: no column of all n terms is touched between looks."""
    f = gh.least_squares(X, Y)
    touched = []
    f.design.column = lambda j: touched.append(j)
    gh.minimize(f, SETS["L1Ball"], StochasticFrankWolfe(Minibatch(2), every=40), stop=gh.Iterations(80))
    assert touched == []


def test_work_is_in_the_trace():
    """Ten steps with b more terms each cost 2·10·b/n more passes: an image and an adjoint."""
    large, small = (gh.minimize(OBJECTIVES["logistic"], SETS["L1Ball"], StochasticFrankWolfe(Minibatch(b), every=11),
                                stop=gh.Iterations(11)).trace for b in (45, 15))
    assert large["gradient_calls"][-1] == 2
    assert large["products"][-1] - small["products"][-1] == pytest.approx(2 * 10 * 30 / N)


# --- refusals -----------------------------------------------------------------------------------------------------


def test_refusals_name_the_way_out():
    S = gh.Simplex(D)
    P = np.abs(X) + 0.1
    for f, said in ((gh.quadratic(X.T @ X), "finite_sum"), (gh.log_likelihood(P), "not finite everywhere"),
                    (gh.logistic(X, LABELS, intercept=True), "constant column"),
                    (gh.least_squares(sparse.linalg.aslinearoperator(X), Y), "give a matrix")):
        with pytest.raises(gh.GreedyhullError, match=said):
            gh.minimize(f, S, StochasticFrankWolfe(), stop=gh.Iterations(5))
    for step in (gh.Exact(), gh.Short(), gh.Backtracking(), 0.1):
        with pytest.raises(gh.GreedyhullError, match="OpenLoop"):
            StochasticFrankWolfe(step=step)
    for estimator in (32, Minibatch):
        with pytest.raises(gh.GreedyhullError, match="an estimator such as"):
            StochasticFrankWolfe(estimator)
    with pytest.raises(gh.GreedyhullError, match=r"every must be.* got 0"):
        StochasticFrankWolfe(every=0)
    with pytest.raises(gh.GreedyhullError, match=r"horizon must be.* got 0"):
        StochasticFrankWolfe.svfw(0)


def test_careful_runs_pass():
    for name in NAMES:
        s = gh.minimize(OBJECTIVES["logistic"], SETS["L1Ball"], named(name), stop=gh.Iterations(20), check=True)
        assert s.iterations >= 20 and s.gap is not None
