"""Stochastic Jones: choices equal brute force, means stay below the bounds, whole batches are Jones, runs resume."""

import itertools
from functools import cache

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize_scalar

import greedyhull as gh
from greedyhull.driver.checkpoint import load_state, save_state
from greedyhull.driver.run import Run
from greedyhull.measures.terms import noise
from greedyhull.objectives.designs.derived import CentredDesign
from greedyhull.objectives.designs.stored import DenseDesign, SparseDesign
from greedyhull.objectives.minibatches import Source
from greedyhull.objectives.stream import expectation
from greedyhull.solvers import stochastic_jones
from greedyhull.solvers.parts.gap_evaluation import MinibatchGap, Regret
from greedyhull.solvers.parts.joint import Chosen, MinibatchChoice
from greedyhull.testing import check_design, check_solver, small_problems

RNG = np.random.default_rng(21)
N, D = 30, 5
X = np.where(RNG.random((N, D)) < 0.7, RNG.standard_normal((N, D)), 0.0)
Y, WEIGHT = X @ np.array([1.0, -0.6, 0.3, 0.0, 0.0]) + 0.3 * RNG.standard_normal(N), RNG.random(N)
LABELS = np.where(Y > 0, 1.0, -1.0)
CSR = SparseDesign(sparse.csr_array(X))
OBJECTIVES = {
    "least_squares": gh.least_squares(X, Y),
    "least_squares, CSR": gh.least_squares(CSR, Y),
    "weighted": gh.least_squares(X, Y, sample_weight=WEIGHT),
    "intercept": gh.least_squares(X, Y, intercept=True),
    "weighted, intercept, CSR": gh.least_squares(CSR, Y, sample_weight=WEIGHT, intercept=True),
    "logistic": gh.logistic(X, LABELS),
    "logistic, weighted, CSR": gh.logistic(CSR, LABELS, sample_weight=WEIGHT),
    "huber": gh.huber(X, 3 * Y, delta=0.5),
    "finite_sum": gh.finite_sum(lambda w, i: float(np.mean(np.cosh(X[i] @ w - Y[i]))),
                                lambda w, i: X[i].T @ np.sinh(X[i] @ w - Y[i]) / len(i), N, D),
}
POINTS = RNG.standard_normal((9, D))
SETS = {"L1Ball": gh.L1Ball(D, 1.2), "weighted L1Ball": gh.L1Ball(D, 1.0, weights=1 + RNG.random(D)), "Simplex": gh.Simplex(D),
        "Vertices": gh.Vertices(POINTS), "sparse Vertices": gh.Vertices(sparse.csr_array(np.where(POINTS > 0, POINTS, 0.0)))}


def inside(S, rng):
    """A random point of the hull."""
    atoms = S.block(np.arange(len(S)))
    x = np.zeros(S.shape)
    atoms.add_to(x, rng.dirichlet(np.ones(len(S))))
    return x


def arrays(S):
    out = np.zeros((len(S), *S.shape))
    for j in range(len(S)):
        S[j].add_to(out[j], 1.0)
    return out


def least_along(batch, x, a, cap):
    def along(t):
        return batch.value(x + t * (a - x))

    return min(along(cap), minimize_scalar(along, bounds=(0, cap), method="bounded", options={"xatol": 1e-9}).fun)


# --- the choice ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", SETS)
@pytest.mark.parametrize("what", OBJECTIVES)
def test_the_atom_is_the_best_at_the_step(what, where):
    f, S, rng = OBJECTIVES[what], SETS[where], np.random.default_rng(1)
    choice, atoms = MinibatchChoice(S, S.oracle(rng)), arrays(S)
    for b, eta in itertools.product((1, 4, 12), (1.0, 0.3, 0.02)):
        batch, x = f.batch(rng.integers(N, size=b)), inside(S, rng)
        d, step = choice.at(batch, x, eta, 0.0)
        values = [batch.value(x + eta * (a - x)) for a in atoms]
        got = np.zeros(D)
        d.add_to(got, 1.0)
        assert step == eta
        assert batch.value(x + eta * (got - x)) <= min(values) + 1e-10 * (1 + abs(min(values)))


@pytest.mark.parametrize("where", SETS)
@pytest.mark.parametrize("what", OBJECTIVES)
def test_step_and_atom_are_the_best_below_the_cap(what, where):
    f, S, rng = OBJECTIVES[what], SETS[where], np.random.default_rng(2)
    choice, atoms = MinibatchChoice(S, S.oracle(rng)), arrays(S)
    for b, cap in itertools.product((1, 6), (1.0, 0.2)):
        batch, x = f.batch(rng.integers(N, size=b)), inside(S, rng)
        d, step = choice.jointly(batch, x, cap, 0.0)
        best = min(least_along(batch, x, a, cap) for a in atoms)
        got = np.zeros(D)
        d.add_to(got, 1.0)
        assert 0.0 <= step <= cap
        assert batch.value(x + step * (got - x)) <= min(best, batch.value(x)) + 1e-8 * (1 + abs(best))


def test_all_terms_as_one_batch_choose_as_listed_ones_do():
    rng = np.random.default_rng(3)
    for name, f in OBJECTIVES.items():
        for S in (SETS["L1Ball"], SETS["Vertices"]):
            choice, x = MinibatchChoice(S, S.oracle(rng)), inside(S, rng)
            whole, listed = Source(f, None).whole, f.batch(np.arange(N))
            for eta in (0.5, 0.05):
                assert choice.at(whole, x, eta, 0.0).atom.key == choice.at(listed, x, eta, 0.0).atom.key, name


def test_a_tolerance_is_kept_and_spares_looks():
    """Branch and bound may stop at ηε; the oracle of a set without a list is asked for ε."""
    rng, S, f = np.random.default_rng(4), SETS["Vertices"], OBJECTIVES["logistic"]
    choice, atoms, lost = MinibatchChoice(S, S.oracle(rng)), arrays(S), []
    for eta in (0.5, 0.1) * 10:
        batch, x, epsilon = f.batch(rng.integers(N, size=3)), inside(S, rng), 0.4
        got = np.zeros(D)
        choice.at(batch, x, eta, epsilon).atom.add_to(got, 1.0)
        lost.append((batch.value(x + eta * (got - x)) - min(batch.value(x + eta * (a - x)) for a in atoms)) / (eta * epsilon))
    assert max(lost) <= 1.0 and min(lost) >= -1e-9
    asked = []

    class Told:
        def argmin(self, g, tol=0.0, enough=0.0):
            asked.append(tol)
            return gh.L2Ball(D, 1.0).oracle(rng).argmin(g)

    choice = MinibatchChoice(gh.L2Ball(D, 1.0), Told())
    choice.at(batch, x, 0.1, 0.3), choice.jointly(batch, x, 0.1, 0.1 * 0.3)
    assert asked == pytest.approx([0.3, 0.3])


@pytest.mark.parametrize("S", [gh.L2Ball(D, 1.0), gh.Box(-np.ones(D), np.ones(D))], ids=["L2Ball", "Box"])
def test_the_oracle_s_atom_is_a_half_m_jones_choice(S):
    """Theorem 4: where atoms cannot be listed, at most Mη²/2 is lost, M the curvature of the minibatch."""
    rng, f = np.random.default_rng(5), OBJECTIVES["least_squares"]
    choice = MinibatchChoice(S, S.oracle(rng))
    corners = np.array(list(itertools.product((-1.0, 1.0), repeat=D)))
    rivals = corners if isinstance(S, gh.Box) else corners / np.sqrt(D)
    for eta in (0.5, 0.1):
        batch, x = f.batch(rng.integers(N, size=4)), 0.3 * rivals[3]
        got = np.zeros(D)
        choice.at(batch, x, eta, 0.0).atom.add_to(got, 1.0)
        M = float(batch.objective().curvature(S))
        best = min(batch.value(x + eta * (a - x)) for a in rivals)
        assert batch.value(x + eta * (got - x)) <= best + 0.5 * M * eta**2 + 1e-12


def test_steps_touch_the_rows_that_were_drawn_only():
    f, touched = gh.least_squares(X, Y), []
    f.design.column = lambda j: touched.append(j)
    f.design.energies = lambda weights: touched.append("energies")
    gh.minimize(f, SETS["L1Ball"], gh.StochasticJones(gh.constant(2.0), gh.Constant(0.1), every=40),
                stop=gh.Iterations(80))
    assert touched == []


@pytest.mark.parametrize("make", [DenseDesign, lambda A: SparseDesign(sparse.csr_array(A))], ids=["dense", "sparse"])
def test_centred_rows_multiply_as_their_matrix_does(make):
    centre = RNG.standard_normal(D)
    check_design(CentredDesign(make(X), centre), X - centre)


# --- bounds in expectation ----------------------------------------------------------------------------------------

RUNS, K, C = 20, 50, 0.5
XT, YT = RNG.standard_normal((40, 4)), RNG.standard_normal(40)
CORNERS = gh.Vertices(RNG.standard_normal((7, 4)))
PROBLEMS = {
    "least_squares over L1Ball": (gh.least_squares(XT, YT), gh.L1Ball(4, 1.0)),
    "logistic over Simplex": (gh.logistic(XT, np.sign(YT)), gh.Simplex(4, 2.0)),
    "least_squares over Vertices": (gh.least_squares(XT, YT), CORNERS),
}


class Adversary(MinibatchChoice):
    """The worst choice that the tolerance admits, of all atoms and of seven steps."""

    def at(self, batch, x, eta, epsilon):
        return self.worst(batch, x, np.array([eta]), eta * epsilon)

    def jointly(self, batch, x, cap, tol):
        return self.worst(batch, x, np.linspace(0.0, cap, 7), tol, super().jointly(batch, x, cap, 0.0))

    def worst(self, batch, x, steps, tol, best=None):
        f = batch.objective()
        z, Z = f.design.matvec(x), np.array([f.design.matvec(a) for a in arrays(self.S)])
        images = z + steps[:, None, None] * (Z - z)
        p = np.broadcast_to(f.loss.p, f.n)
        values = f.loss.terms(images) @ p
        least = values.min()
        if best is not None:
            least = min(least, float(f.loss.terms(z + best.step * (best.atom.image(f.design) - z)) @ p))
        i, j = np.unravel_index(np.where(values <= least + tol, values, -np.inf).argmax(), values.shape)
        return best if best is not None and values[i, j] > least + tol else Chosen(self.S[int(j)], float(steps[i]))


@cache
def constants(name):
    f, S = PROBLEMS[name]
    e_star = gh.minimize(f, S, stop=gh.Gap(1e-11) | gh.Iterations(3000)).certificate.lower
    return f, S, e_star, S.circumradius * float(noise(f, S)), float(f.curvature(S))


def measured(f, S, solver, least, steps=K):
    """Errors of the point and of the other one at the looks, one row for each run, and where the looks were."""
    points, others = [], []
    for seed in range(RUNS):
        told = []
        trace = gh.minimize(f, S, solver, stop=gh.Iterations(steps), seed=seed, watch=lambda event, told=told: told.append(
            f.value(event.also["last" if solver.averages else "average"]))).trace
        points.append(trace["value"])
        others.append(told)
    return np.array(points) - least, np.array(others) - least, trace["iteration"]


def below(errors, bound):
    mean, error = errors.mean(axis=0), errors.std(axis=0, ddof=1) / np.sqrt(len(errors))
    return bool((mean <= bound + 3 * error).all())


@pytest.fixture(params=[0.0, C], ids=["exact", "adversary"])
def c(request, monkeypatch):
    if request.param:
        monkeypatch.setattr(stochastic_jones, "MinibatchChoice", Adversary)
    return request.param


@pytest.mark.parametrize("step", [gh.Power(0.5), gh.Capped(gh.Power(0.5))], ids=["given step", "capped joint step"])
@pytest.mark.parametrize("name", PROBLEMS)
def test_last_iterate_and_anytime_average_are_below_their_bounds(name, step, c):
    """E e_k ≤ √2B/√k for k ≥ 2; the mean of w_1 … w_t has (e_1 + B H_t)/Σk^−1/2; B = r_S σ + M + c."""
    f, S, least, drift, M = constants(name)
    B, tolerance = drift + M + c, gh.power(0.5, c)
    errors, means, k = measured(f, S, gh.StochasticJones(step=step, tolerance=tolerance, every=10), least)
    assert below(errors[:, 1:], np.sqrt(2.0) * B / np.sqrt(k[1:]))
    t = np.arange(1, K)
    bound = (errors[0, 0] + B * np.cumsum(1 / t)) / np.cumsum(t**-0.5)
    assert below(means[:, 1:], bound[k[1:] - 2])


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_fixed_horizon_is_below_its_bound(name, c):
    """b = t, η = t^−1/2: (e_1 + B)/√t for the mean of w_1 … w_t."""
    f, S, least, drift, M = constants(name)
    t = 36
    made = gh.StochasticJones.fixed(t)
    assert made.batch == t and made.averages
    solver = gh.StochasticJones(t, made.step, gh.constant(c * t**-0.5), every=t + 1)
    errors, _, k = measured(f, S, solver, least, t + 1)
    assert k[-1] == t + 1
    assert below(errors[:, -1:], (errors[0, 0] + drift + M + c) / np.sqrt(t))


@pytest.mark.parametrize("step", [gh.OpenLoop(), gh.Capped(gh.OpenLoop())], ids=["given step", "capped joint step"])
@pytest.mark.parametrize("name", PROBLEMS)
def test_growing_batches_are_below_their_bound(name, step, c):
    """η_k = 2/(k + 1), b_k = ⌈(r_S σ/(τη_k))²⌉: 4(M + c + τ)/(k + 1), also where τ is not the best."""
    f, S, least, _, M = constants(name)
    for tau in (2 * M, 8 * M):
        solver = gh.StochasticJones(gh.Growing(tau=tau), step, gh.harmonic(c), every=8)
        errors, _, k = measured(f, S, solver, least, 24)
        assert below(errors[:, 1:], 4 * (M + c + tau) / (k[1:] + 1))


@pytest.mark.parametrize("capped", [False, True], ids=["given step", "capped line search"])
def test_atoms_that_cannot_be_listed_are_below_their_bound_too(capped):
    """Toward the oracle's atom, wrong by as much as ε_k = cη_k allows: M/2 for M, (M + mean M_i)/2 if the step is searched."""
    box = gh.Box(-0.5 * np.ones(4), 0.5 * np.ones(4))
    f, S = gh.least_squares(XT, YT), gh.Inexact(box)
    least = gh.minimize(f, box, stop=gh.Gap(1e-10) | gh.Iterations(3000)).certificate.lower
    M, widths = float(f.curvature(box)), np.abs(XT).sum(axis=1)
    bend = 0.5 * (M + float(np.mean(widths**2))) if capped else 0.5 * M
    step = gh.Capped(gh.Power(0.5)) if capped else gh.Power(0.5)
    errors, _, k = measured(f, S, gh.StochasticJones(step=step, tolerance=gh.power(0.5, C), every=10), least)
    assert below(errors[:, 1:], 2 * (box.circumradius * float(noise(f, box)) + bend + C) / np.sqrt(k[1:]))


def test_the_noise_in_the_bound_is_of_the_right_order():
    """f_i = ξ_i w on [−1, 1], the mean small beside σ: no curvature, and the error is a tenth of 2r_Sσ/√k or more."""
    mu = 0.7 / np.sqrt(K)
    xi = mu + np.tile([1.0, -1.0], 500)
    f = gh.finite_sum(lambda w, i: float(xi[i].mean() * w[0]), lambda w, i: np.array([xi[i].mean()]), 1000, 1)
    errors, _, k = measured(f, gh.Vertices([[-1.0], [1.0]]), gh.StochasticJones(every=K), -mu)
    bound = 2.0 / np.sqrt(k[-1])
    assert below(errors[:, -1:], bound) and errors[:, -1].mean() >= 0.1 * bound


def test_noise_is_the_largest_deviation_or_above_it():
    rng = np.random.default_rng(8)
    for f, S in ((gh.least_squares(XT, YT), gh.L1Ball(4, 1.5)), (gh.least_squares(XT, YT, sample_weight=np.abs(YT)), CORNERS),
                 (gh.logistic(XT, np.sign(YT), sample_weight=np.abs(YT)), gh.Simplex(4)),
                 (gh.huber(XT, YT), gh.L2Ball(4, 1.0))):
        points = [inside(S, rng) for _ in range(20)] if hasattr(S, "scores") else list(rng.standard_normal((20, 4)) / 4)
        points += list(arrays(S)) if hasattr(S, "scores") else []
        seen = []
        for x in points:
            terms = np.array([f.batch(np.array([i])).gradient(x) for i in range(40)])
            seen.append(np.sqrt(((terms - terms.mean(axis=0)) ** 2).sum(axis=1).mean()))
        sigma = noise(f, S)
        assert max(seen) <= float(sigma) * (1 + 1e-9)
        if sigma.status == "exact":
            assert max(seen) == pytest.approx(float(sigma))
    with pytest.raises(gh.GreedyhullError, match="Growing"):
        noise(OBJECTIVES["finite_sum"], gh.Simplex(D))


def test_growing_batches_have_the_sizes_of_their_formula():
    f, S = PROBLEMS["least_squares over L1Ball"]
    sizes = []
    gh.minimize(f, S, gh.StochasticJones(gh.Growing(sigma=3.0, tau=2.0), gh.OpenLoop(), every=1), stop=gh.Iterations(6),
                watch=lambda event: sizes.append(event.also["spent"]))
    assert np.diff(sizes).tolist() == [min(40, int(np.ceil((3.0 / 2.0 * (k + 1) / 2) ** 2))) for k in range(1, 6)]
    assert gh.StochasticJones.growing(3.0, 2.0) == gh.StochasticJones(gh.Growing(3.0, 2.0), gh.OpenLoop())
    schedule = gh.Growing().begin(f, S, lambda k: 0.1)
    assert schedule(1) == pytest.approx((float(noise(f, S)) / (2 * float(f.curvature(S)) * 0.1)) ** 2)


# --- whole runs ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["L1Ball", "Vertices"])
@pytest.mark.parametrize("what", ["least_squares", "intercept", "logistic"])
@pytest.mark.parametrize("step", [gh.Power(0.5), gh.OpenLoop(), gh.Exact()], ids=repr)
def test_a_batch_of_all_terms_is_jones(step, what, where):
    f, S = OBJECTIVES[what], SETS[where]
    ours = gh.minimize(f, S, gh.StochasticJones(N, step, every=1), stop=gh.Iterations(13))
    jones = gh.minimize(f, S, gh.Jones(step), stop=gh.Iterations(12))
    np.testing.assert_allclose(ours.trace["value"], jones.trace["value"], rtol=1e-7)
    np.testing.assert_allclose(ours.point.array(), jones.point.array(), atol=1e-4)


@pytest.mark.parametrize("what", OBJECTIVES)
def test_runs_converge_and_are_honest(what):
    for where in ("L1Ball", "Vertices"):
        f, S, errors = OBJECTIVES[what], SETS[where], []
        least = gh.minimize(f, S, stop=gh.Gap(1e-9) | gh.Iterations(10_000)).certificate.lower

        def watch(event, S=S, errors=errors, least=least):
            errors.append(event.value - least)
            assert errors[-1] <= event.gap + 1e-9 and S.contains(event.point) and event.kind == "always"

        gh.minimize(f, S, gh.StochasticJones(gh.linear(2.0), gh.OpenLoop()), stop=gh.Iterations(80), watch=watch)
        assert errors[-1] <= 0.1 * errors[0]


def test_weights_of_samples_count():
    """Rows of weight zero do not matter, and a weight of two is a row twice."""
    weight = np.repeat([0.0, 1.0, 2.0], 10)
    twice = np.concatenate([np.arange(10, 30), np.arange(20, 30)])
    S = SETS["Simplex"]
    solver = gh.StochasticJones(step=gh.Capped(gh.OpenLoop()))
    weighted = gh.minimize(gh.least_squares(X, Y, sample_weight=weight), S, solver, stop=gh.Iterations(300))
    best = gh.minimize(gh.least_squares(X[twice], Y[twice]), S, stop=gh.Gap(1e-9))
    assert weighted.value - best.value <= 1e-2 * (weighted.trace["value"][0] - best.value)


@pytest.mark.parametrize("solver", [
    gh.StochasticJones(every=3), gh.StochasticJones(2, gh.Capped(gh.Power(0.5)), every=3),
    gh.StochasticJones(gh.linear(), point="average", every=3), gh.StochasticJones(3, gh.Exact(), every=2)], ids=repr)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_it_keeps_the_promises_of_solvers(solver):
    chosen = [p for p in small_problems() if p.name in (
        "least_squares over L1Ball", "least_squares over L2Ball", "logistic over Simplex",
        "least_squares, intercept over L1Ball", "quadratic over Simplex",
        "log_likelihood over Simplex", "logistic, intercept over L1Ball")]
    refused = check_solver(solver, chosen, iterations=18)
    assert set(refused) == {"quadratic over Simplex", "log_likelihood over Simplex", "logistic, intercept over L1Ball"}


@pytest.mark.parametrize("point", ["last", "average"])
@pytest.mark.parametrize("where", ["L1Ball", "L2Ball"])
@pytest.mark.parametrize("what", ["weighted, intercept, CSR", "logistic", "finite_sum"])
def test_resumed_runs_are_equal_bit_by_bit(what, where, point, tmp_path):
    f, S = OBJECTIVES[what], {**SETS, "L2Ball": gh.L2Ball(D, 1.0)}[where]
    solver, stop, other = gh.StochasticJones(every=7, point=point), gh.Iterations(42), "average" if point == "last" else "last"
    seen = []
    run = Run(f, S, solver, None, stop, 3)
    run.watchers = [lambda event: (save_state(tmp_path / f"{len(seen)}.npz", run.state()),
                                   seen.append((event.point.array(), event.also[other].array())))]
    whole = run.solve()
    for i in (0, 1, 3, 6):
        again, later = Run(f, S, solver, None, stop, 3), []
        again.restore(load_state(tmp_path / f"{i}.npz"))
        again.watchers = [lambda event, later=later: later.append((event.point.array(), event.also[other].array()))]
        s = again.solve()
        np.testing.assert_array_equal(later, seen[i:])
        if what != "finite_sum":  # a function cannot be told from others: its bound is found anew
            np.testing.assert_array_equal(s.trace["gap"], whole.trace["gap"])
        np.testing.assert_array_equal(s.point.array(), whole.point.array())


@pytest.mark.parametrize("step", [gh.Power(0.5), gh.Capped(gh.Power(0.5))], ids=repr)
def test_both_points_are_told(step):
    """The mean has the weights η_i, and does not hold the last point."""
    points, last, means = [], [], []
    gh.minimize(OBJECTIVES["logistic"], SETS["L1Ball"], gh.StochasticJones(step=step, every=1), stop=gh.Iterations(20),
                watch=lambda event: (points.append(event.point.array()), means.append(event.also["average"].array())))
    eta = np.arange(1, 20) ** -0.5
    for t in range(1, 20):
        np.testing.assert_allclose(means[t], eta[:t] @ np.array(points[:t]) / eta[:t].sum(), atol=1e-12)
    s = gh.minimize(OBJECTIVES["logistic"], SETS["L1Ball"], gh.StochasticJones(step=step, every=1, point="average"),
                    stop=gh.Iterations(20), watch=lambda event: last.append(event.also["last"].array()))
    np.testing.assert_array_equal(last, points)
    np.testing.assert_allclose(s.point.array(), means[-1], atol=1e-12)
    assert s.value == pytest.approx(s.trace["value"][-1])


def test_sparse_and_dense_data_go_the_same_way():
    for what in ("least_squares", "logistic"):
        make = getattr(gh, what)
        for step in (gh.Power(0.5), gh.Capped(gh.Power(0.5))):
            runs = [gh.minimize(make(data, LABELS), SETS["L1Ball"], gh.StochasticJones(step=step), stop=gh.Iterations(60))
                    for data in (X, CSR, SparseDesign(sparse.csc_array(X)))]
            for other in runs[1:]:
                np.testing.assert_allclose(other.point.array(), runs[0].point.array(), atol=1e-9)


# --- looks, streams -----------------------------------------------------------------------------------------------


class Noisy:
    """½‖w − ξ‖² for a few draws of ξ."""

    def __init__(self, xi):
        self.xi = xi

    def value(self, w):
        return 0.5 * float(((w - self.xi) ** 2).sum(axis=1).mean())

    def gradient(self, w):
        return w - self.xi.mean(axis=0)


@pytest.mark.parametrize("look", [Regret(every=50), MinibatchGap(400, every=50)], ids=["Regret", "MinibatchGap"])
@pytest.mark.parametrize("step", [gh.Power(0.5), gh.Capped(gh.Power(0.5))], ids=["given step", "capped joint step"])
def test_a_stream_is_minimised_and_certified_by_samples(step, look):
    centre, S = np.array([0.6, 0.3, 0.1, 0.0]), gh.Simplex(4)
    f = expectation(lambda size, rng: Noisy(rng.normal(centre, 0.5, (size, 4))), 4)
    s = gh.minimize(f, S, gh.StochasticJones(step=step, look=look), stop=gh.Iterations(200), seed=2)
    assert 0.5 * float(((s.point.array() - centre) ** 2).sum()) <= 0.02
    assert s.certificate.kind != "always" and 0.0 < s.certificate.gap < 0.5
    if look.averages:
        assert np.abs(s.point.array() - s.also["last"].array()).max() > 1e-4


def test_a_regret_bounds_the_error_of_the_mean():
    """In expectation: the mean of the certified gaps is above that of the errors."""
    f, S = OBJECTIVES["logistic"], SETS["L1Ball"]
    least = gh.minimize(f, S, stop=gh.Gap(1e-10)).certificate.lower
    solver, runs = gh.StochasticJones(3, gh.Constant(0.2), look=Regret()), []
    for seed in range(20):
        s = gh.minimize(f, S, solver, stop=gh.Iterations(40), seed=seed)
        runs.append((s.certificate.gap, s.value - least))
    gaps, errors = np.array(runs).T
    assert s.certificate.kind == "expectation" and solver.averages
    assert errors.mean() <= gaps.mean() + 3 * (gaps - errors).std(ddof=1) / np.sqrt(20)


# --- what it says -------------------------------------------------------------------------------------------------


class Summable:
    """η_k = 1/(k + 1)²."""

    def at(self, k):
        return (k + 1.0) ** -2.0

    def start(self, warm=False):
        raise AssertionError("a stochastic solver does not look along lines")


def test_cautions_name_what_is_violated():
    f, S = OBJECTIVES["least_squares"], SETS["L1Ball"]

    def said(*args):
        return list(gh.StochasticJones(*args).cautions(f, S))

    assert said() == [] == said(gh.Growing(), gh.OpenLoop()) == said(4, gh.Constant(0.5)) == said(N, gh.Exact())
    assert said(gh.linear(1.0), gh.Exact()) == []  # in the end the batch is all of f
    (joint,) = said(1, gh.Exact())
    assert "asj-eg" in joint and "Capped" in joint
    (slow,) = said(4)
    assert "Theorem ASJ" in slow and "η_k^−2" in slow
    assert "Theorem 1" in " ".join(said(4, Summable()))
    assert any("p = 1" in caution for caution in said(4, gh.Power(1.0)))


@pytest.mark.parametrize("kwargs, said", [
    ({"batch": 0}, "at least 1"), ({"batch": 2.5}, "at least 1"), ({"batch": True}, "at least 1"),
    ({"step": 0.5}, "known in advance"), ({"step": gh.Short()}, "known in advance"), ({"step": gh.Power}, "known in advance"),
    ({"point": "best"}, "'last', 'average'"), ({"every": 0}, "number of steps"), ({"look": None}, "look must be"),
    ({"look": Regret(), "point": "last"}, "certifies the mean")], ids=str)
def test_bad_arguments_are_refused(kwargs, said):
    with pytest.raises(gh.GreedyhullError, match=said):
        gh.StochasticJones(**kwargs)


def test_other_refusals_name_the_way_out():
    for bad in ({"sigma": 0.0}, {"tau": -1.0}, {"sigma": np.inf}, {"tau": "2"}):
        with pytest.raises(gh.GreedyhullError, match="positive number"):
            gh.Growing(**bad)
    with pytest.raises(gh.GreedyhullError, match="number of steps"):
        gh.StochasticJones.fixed(0)
    with pytest.raises(gh.GreedyhullError, match="Power"):
        gh.Capped(gh.Exact())
    S = gh.Simplex(D)
    for f, said in ((gh.quadratic(X.T @ X), "finite_sum"), (gh.log_likelihood(np.abs(X) + 0.1), "not finite everywhere"),
                    (gh.logistic(X, LABELS, intercept=True), "constant column"),
                    (gh.finite_sum(lambda w, i: 0.0, lambda w, i: 0 * w, N, D, convex=False), "not convex")):
        with pytest.raises(gh.GreedyhullError, match=said):
            gh.minimize(f, S, gh.StochasticJones(), stop=gh.Iterations(5))
    with pytest.raises(gh.GreedyhullError, match=r"at step \d+ it is 0"):
        gh.minimize(OBJECTIVES["logistic"], S, gh.StochasticJones(gh.constant(0.0)), stop=gh.Iterations(5))


def test_a_seed_determines_the_run():
    f, S = OBJECTIVES["logistic"], SETS["L1Ball"]
    first, again, other = (gh.minimize(f, S, gh.StochasticJones(), stop=gh.Iterations(20), seed=s).point.array()
                           for s in (5, 5, 6))
    np.testing.assert_array_equal(first, again)
    assert np.abs(first - other).max() > 0


def test_named_methods_take_the_settings_of_the_class():
    given = {"tolerance": gh.harmonic(0.1), "point": "average", "every": 7, "look": gh.MinibatchGap(50)}
    jones = gh.StochasticJones
    assert jones.fixed(100) == jones(100, gh.Constant(0.1)) and jones.growing() == jones(gh.Growing(), gh.OpenLoop())
    assert jones.fixed(100, **given) == jones(100, gh.Constant(0.1), **given)
    assert jones.fixed(100, batch=8, step=gh.Capped(gh.Constant(0.2))) == jones(8, gh.Capped(gh.Constant(0.2)))
    assert jones.growing(2.0, 3.0, **given) == jones(gh.Growing(2.0, 3.0), gh.OpenLoop(), **given)
    assert jones.growing(step=gh.Capped(gh.OpenLoop())).step == gh.Capped(gh.OpenLoop())
    with pytest.raises(gh.GreedyhullError, match=r"batch must be.* got 0"):
        jones.fixed(10, batch=0)
