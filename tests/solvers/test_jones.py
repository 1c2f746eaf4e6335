"""Jones minimises f over step and atom: checked against brute force, its tolerance against Theorem 2."""

from functools import cache

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import greedyhull as gh
from greedyhull.atoms.box import L2Ball
from greedyhull.atoms.vertices import Vertices
from greedyhull.driver.checkpoint import load_state, save_state
from greedyhull.driver.run import Run
from greedyhull.solvers.aggregated import Aggregated
from greedyhull.solvers.jones import Jones, Mixed, PairwiseJones
from greedyhull.solvers.parts.joint import Bracket, BranchAndBound, Choice, ClosedForm, Vertex, search_at, toward
from greedyhull.solvers.parts.solver_state import Memory
from greedyhull.testing import check_solver
from greedyhull.testing.expect import mixture
from greedyhull.testing.problems import small_problems
from greedyhull.theory import prune, rate, zhang

rng = np.random.default_rng(0)
N, D = 30, 7
X = rng.standard_normal((N, D))
y = X @ np.array([2.0, -1.0, 0.5, 0, 0, 0, 0]) + 0.3 * rng.standard_normal(N)
labels, share = np.sign(y), rng.random(N)
P = rng.random((N, D)) * (rng.random((N, D)) < 0.7) + 1e-3
Q, b = X.T @ X / N, X.T @ y / N

SETS = [gh.L1Ball(D, 1.5), gh.Simplex(D, 2.0), gh.L1Ball(D, 1.0, weights=np.linspace(0.5, 2, D)),
        Vertices(rng.standard_normal((9, D)))]
QUADRATICS = {
    "least squares": gh.least_squares(X, y),
    "weighted": gh.least_squares(X, y, sample_weight=share),
    "intercept": gh.least_squares(X, y + 3, intercept=True),
    "weighted, intercept": gh.least_squares(X, y + 3, sample_weight=share, intercept=True),
    "quadratic": gh.quadratic(Q, b),
}
CURVES = {
    "logistic": gh.logistic(X, labels),
    "logistic, intercept": gh.logistic(X, labels, intercept=True),
    "huber": gh.huber(X, y, 0.5),
    "squared hinge": gh.squared_hinge(X, labels),
    "poisson": gh.poisson(X, np.abs(y).round()),
    "lp": gh.lp_loss(X, y, 1.5),
    "black box": gh.function(lambda w: float(((w - 0.2) ** 4).sum() + w @ Q @ w), lambda w: 4 * (w - 0.2) ** 3 + 2 * Q @ w, D),
}


def chooser(f, S, w):
    return toward(f, S, w, Memory())


def answer(f, S, w):
    return S.oracle(np.random.default_rng(0)).argmin(f.gradient(w))


def line(f, S, w, j):
    """f on the segment to atom j, from fresh coordinates."""
    there, here = np.zeros(S.shape), w.array()
    S[j].add_to(there, 1.0)
    return lambda eta: f.value(gh.points.coordinate_iterate.CoordinateIterate((1 - eta) * here + eta * there))


def brute(f, S, w, top=1.0):
    """min over atoms and η in [0, top], by SciPy's bounded search on every segment and a grid to begin with."""
    best = np.inf
    for j in range(len(S)):
        h = line(f, S, w, j)
        grid = np.linspace(0, top, 9)
        i = int(np.argmin([h(eta) for eta in grid]))
        low, high = grid[max(i - 1, 0)], grid[min(i + 1, 8)]
        found = minimize_scalar(h, bounds=(low, high), method="bounded", options={"xatol": 1e-10}).fun
        best = min(best, found, h(0.0), h(top))
    return best


def points(f, S, many=4):
    source = np.random.default_rng(5)
    return [mixture(S, source, atoms) for atoms in range(many)]


@pytest.mark.parametrize("S", SETS, ids=repr)
@pytest.mark.parametrize("name", QUADRATICS)
def test_closed_form_is_the_joint_minimum(name, S):
    f = QUADRATICS[name]
    for w in points(f, S)[::2]:
        form = chooser(f, S, w)
        assert isinstance(form, ClosedForm)
        found, wanted = form.jointly(w, answer(f, S, w), 0.0), brute(f, S, w)
        assert found.value == pytest.approx(wanted, abs=1e-10)
        assert found.value - wanted <= found.error < 1e-9


@pytest.mark.parametrize("S", SETS[2:], ids=repr)
@pytest.mark.parametrize("name", CURVES)
def test_branch_and_bound_is_the_joint_minimum_and_proves_its_error(name, S):
    f = CURVES[name]
    for w in points(f, S)[1:3]:
        atoms = chooser(f, S, w)
        assert isinstance(atoms, BranchAndBound)
        wanted = brute(f, S, w)
        for tol in (0.0, 1e-3, 1e-1):
            found = atoms.jointly(w, answer(f, S, w), tol)
            assert found.value - wanted <= found.error
            assert found.error <= max(tol, 1e-8 * (f.value(w) - found.value)) + 1e-11
            assert f.along(w, found.move).value(found.step) == pytest.approx(found.value, abs=1e-13)


def test_branch_and_bound_stays_inside_the_domain():
    f, S = gh.log_likelihood(np.where(P > 0.5, P, 0.0) + 1e-3 * (P.max(axis=1) <= 0.5)[:, None]), gh.Simplex(D)
    w = S.centre()
    with np.errstate(all="raise"):
        found = chooser(f, S, w).jointly(w, answer(f, S, w), 0.0)
    assert np.isfinite(found.value) and found.value - brute(f, S, w, top=1 - 1e-9) <= found.error < 1e-8


@pytest.mark.parametrize("S", SETS, ids=repr)
@pytest.mark.parametrize("name", [*QUADRATICS, *CURVES])
def test_at_a_given_step_the_atom_is_the_best_one(name, S):
    f = {**QUADRATICS, **CURVES}[name]
    for w, eta in zip(points(f, S, 3), (1.0, 0.3, 0.01), strict=True):
        found = chooser(f, S, w).at(w, answer(f, S, w), eta, 0.0)
        wanted = min(line(f, S, w, j)(eta) for j in range(len(S)))
        assert found.step == eta
        assert found.value == pytest.approx(wanted, abs=1e-11)
        assert found.value - wanted <= found.error + 1e-14


def test_tangents_exclude_at_least_what_theorem_4_excludes():
    f, S = QUADRATICS["least squares"], gh.L1Ball(D, 1.5)
    M = 4 * 1.5**2 * np.diag(X.T @ X / N).max()
    for w in points(f, S):
        scores = S.scores(f.gradient(w))
        for eta in (0.3, 0.05, 0.005):
            looked = []
            first = Choice(w.toward(S[int(scores.argmin())]), eta, f.along(w, w.toward(S[int(scores.argmin())])).value(eta))
            rises = scores - f.gradient_dot(w)
            search_at(f, w, rises, lambda j, w=w, looked=looked: looked.append(j) or w.toward(S[j]), eta, first)
            assert set(looked) <= set(np.flatnonzero(prune(scores, eta, M)).tolist())


def test_where_atoms_cannot_be_listed_the_vertex_is_taken_and_its_error_is_proved():
    f, S = QUADRATICS["least squares"], L2Ball(D, 1.5)
    directions = rng.standard_normal((2000, D))
    sphere = 1.5 * directions / np.linalg.norm(directions, axis=1, keepdims=True)
    for w in points(f, S):
        atoms = chooser(f, S, w)
        assert isinstance(atoms, Vertex)
        x, values = w.array(), lambda u: 0.5 * ((X @ u.T - y[:, None]) ** 2).mean(axis=0)
        for eta in (0.5, 0.05):
            found = atoms.at(w, answer(f, S, w), eta, 0.0)
            assert found.value - values((1 - eta) * x + eta * sphere).min() <= found.error
        found = atoms.jointly(w, answer(f, S, w), 0.0)
        lowest = min(values((1 - eta) * x + eta * sphere).min() for eta in np.linspace(0, 1, 21))
        assert found.value - lowest <= found.error
    stop = gh.Iterations(30)
    a, c = gh.minimize(f, S, Jones(), stop=stop), gh.minimize(f, S, gh.FrankWolfe(), stop=stop)
    assert np.array_equal(a.point.array(), c.point.array())


def convex(source):
    """A random convex function with its derivative; some end at a wall."""
    tilt, t, s, c = source.standard_normal(), source.uniform(-0.2, 1.2), source.uniform(-0.2, 1.2), source.random(3)
    wall = source.uniform(0.2, 1.5) if source.random() < 0.4 else np.inf
    ends = wall < np.inf

    def value(x):
        smooth = tilt * x + c[0] * (x - t) ** 2 + c[1] * abs(x - s) ** 1.5 + np.exp(3 * c[2] * x)
        return smooth - np.log(wall - x) if ends else smooth

    def slope(x):
        smooth = tilt + 2 * c[0] * (x - t) + 1.5 * c[1] * np.sign(x - s) * abs(x - s) ** 0.5 + 3 * c[2] * np.exp(3 * c[2] * x)
        return smooth + 1 / (wall - x) if ends else smooth

    return value, slope, wall


def test_a_bracket_never_claims_too_much_and_closes_in():
    source = np.random.default_rng(11)
    for _ in range(200):
        value, slope, wall = convex(source)
        if slope(0.0) >= 0:
            continue
        top = min(1.0, wall * (1 - 1e-9))
        true = minimize_scalar(value, bounds=(0, top), method="bounded", options={"xatol": 1e-12}).fun
        true = min(true, value(0.0), value(top))
        bracket = Bracket(value(0.0), slope(0.0), 1.0, wall)
        level = value(0.0) - source.random() * (value(0.0) - true)
        for _ in range(25):
            x = bracket.next(level)
            assert 0 <= x <= 1 and x < wall
            bracket.cut(x, value(x), slope(x))
            assert bracket.bound() <= true + 1e-12 * (1 + abs(true))
            if bracket.spent():
                break
        assert min(bracket.low, bracket.high if np.isfinite(bracket.high) else np.inf) - bracket.bound() <= 1e-6


def test_what_a_closed_form_adds_to_the_gradient_is_saved():
    f, S = QUADRATICS["least squares"], SETS[0]
    here, there = points(f, S)[1], points(f, S)[3]
    first, again = ClosedForm(f, S, here), ClosedForm(f, S, there)
    assert np.allclose(first.shift, X.T @ y / N) and np.allclose(again.shift, first.shift)
    again.restore(first.state())
    assert np.array_equal(again.shift, first.shift)


# --- the rate ---------------------------------------------------------------------------------------------------------


class WorstJones(Jones):
    """A Jones method that takes the worst atom its tolerance admits: f ≤ min + η_kε_k, and no better."""

    def mover(self, f, S, w, memory, step):
        def choose(w, answer, k):
            eta = step(f.along(w, w.toward(answer.atom)), k)
            moves = [w.toward(S[j]) for j in range(len(S))]
            values = np.array([f.along(w, move).value(eta) for move in moves])
            allowed = np.where(values <= values.min() + eta * self.tolerance(k), values, -np.inf)
            worst = int(allowed.argmax())
            return Choice(moves[worst], eta, values[worst])
        return choose


@cache
def lowest(f, S):
    return gh.minimize(f, S, PairwiseJones(), stop=gh.Gap(1e-11) | gh.Iterations(500)).certificate.lower


@pytest.mark.parametrize("S", SETS[:2], ids=repr)
@pytest.mark.parametrize("c", [0.0, 1.0, 10.0])
@pytest.mark.parametrize("solver", [WorstJones, Jones])
@pytest.mark.parametrize("name", ["least squares", "logistic"])
def test_theorem_2_holds_even_for_the_worst_admissible_atoms(name, solver, c, S):
    f = {**QUADRATICS, **CURVES}[name]
    pairs = np.stack([a - b for a in images(S) for b in images(S)])
    M = (pairs**2).mean(axis=1).max() * (0.25 if name == "logistic" else 1.0)
    s = gh.minimize(f, S, solver(gh.OpenLoop(), gh.harmonic(c)), stop=gh.Iterations(60))
    k = np.arange(1, 61)
    assert np.all(s.trace.value[1:] - lowest(f, S) <= rate(M, c, k, exact=True) + 1e-12)


def images(S):
    return S.block(np.arange(len(S))).images(gh.objectives.designs.design(X)).T


@pytest.mark.parametrize("c", [0.0, 1.0])
def test_zhangs_corollary_for_the_joint_choice(c):
    f, S = CURVES["logistic"], gh.L1Ball(D, 3.0)
    M = (np.stack([a - b for a in images(S) for b in images(S)]) ** 2).mean(axis=1).max() / 4
    seen = []
    s = gh.minimize(f, S, Jones(tolerance=gh.harmonic(c)), stop=gh.Iterations(60), watch=seen.append)
    assert np.all(s.trace.value[1:] - lowest(f, S) <= zhang(M, c, np.arange(1, 61)) + 1e-12)
    for k, event in enumerate(seen[1:]):
        assert event.also["jones_allowed"] == pytest.approx(4 * c / (k + 2) ** 2)
        assert event.also["jones_error"] <= event.also["jones_allowed"] + 1e-9


def test_the_tolerance_is_multiplied_by_the_step_and_counts_on_f():
    f, S = CURVES["logistic"], gh.L1Ball(D, 3.0)
    seen = []
    gh.minimize(f, S, Jones(gh.OpenLoop(), gh.constant(0.7)), stop=gh.Iterations(9), watch=seen.append)
    assert [event.also["jones_allowed"] for event in seen[1:]] == pytest.approx([0.7 * 2 / (k + 2) for k in range(9)])


@pytest.mark.parametrize("name", ["weighted, intercept", "quadratic", "logistic", "huber", "black box"])
@pytest.mark.parametrize("S", SETS[:2], ids=repr)
def test_from_the_same_point_jones_goes_at_least_as_low_as_frank_wolfe(name, S):
    f = {**QUADRATICS, **CURVES}[name]
    for w in points(f, S):
        jones, fw = (gh.minimize(f, S, solver, start=w, stop=gh.Iterations(1)) for solver in (Jones(), gh.FrankWolfe()))
        assert jones.value <= fw.value + 1e-12


def test_it_is_not_misled_by_columns_of_different_size():
    source = np.random.default_rng(1)
    A = source.standard_normal((100, 200)) * 10.0 ** source.uniform(-1, 1, 200)
    true = np.zeros(200)
    true[:5] = 1.0 / np.abs(A[:, :5]).max(axis=0)
    g, ball = gh.least_squares(A, A @ true), gh.L1Ball(200, radius=1.2 * true.sum())
    after = lambda solver: gh.minimize(g, ball, solver, stop=gh.Iterations(10)).value
    assert after(PairwiseJones()) < after(Jones()) < 0.3 * after(gh.FrankWolfe())


@pytest.mark.parametrize("kind", ["dense", "csc", "single", "operator"])
@pytest.mark.parametrize("S", [SETS[2], SETS[3]], ids=repr)
def test_energies_in_every_storage(S, kind):
    from scipy.sparse import csc_array
    from scipy.sparse.linalg import aslinearoperator

    stores = {"dense": np.asarray, "csc": csc_array, "single": lambda A: A.astype(np.float32), "operator": aslinearoperator}
    store = stores[kind]
    w, d = mixture(S, np.random.default_rng(0)), S.block(np.arange(len(S))).images(gh.objectives.designs.design(np.eye(D)))
    d = d.toarray() if hasattr(d, "toarray") else d
    c, centred = share / share.sum(), X - (share / share.sum()) @ X
    if kind != "operator":
        f = gh.least_squares(store(X), y, sample_weight=share, intercept=True)
        assert ClosedForm(f, S, w).energies == pytest.approx(c @ (centred @ d) ** 2, rel=1e-5 if kind == "single" else 1e-11)
    f = gh.quadratic(store(Q), b)
    assert ClosedForm(f, S, w).energies == pytest.approx(((Q @ d) * d).sum(axis=0), rel=1e-5 if kind == "single" else 1e-11)


def test_a_rule_that_needs_the_line_first_is_refused():
    for rule in (gh.Short(), gh.Backtracking()):
        with pytest.raises(gh.GreedyhullError, match="step of Jones must be"):
            Jones(rule)


def test_a_warm_start_is_kept_by_open_loop_steps():
    f, S = QUADRATICS["least squares"], gh.L1Ball(D, 1.5)
    good = gh.minimize(f, S, PairwiseJones(), stop=gh.Gap(1e-10))
    on = gh.minimize(f, S, Jones(gh.OpenLoop()), start=good.point, stop=gh.Iterations(3))
    assert on.value - good.value < 1e-4


# --- the promises every solver makes ----------------------------------------------------------------------------------


KIT = ("least_squares over L1Ball", "least_squares, a vertex is best over Simplex", "least_squares, intercept over L1Ball",
       "logistic over Simplex", "quadratic over Box", "log_likelihood with zeros over Simplex")


@pytest.mark.parametrize("solver", [Jones(), Jones(gh.OpenLoop(), gh.harmonic(1.0))], ids=repr)
def test_it_passes_the_kit(solver):
    assert not check_solver(solver, [p for p in small_problems() if p.name in KIT], iterations=15)


@pytest.mark.parametrize("S", SETS[:2], ids=repr)
@pytest.mark.parametrize("name", ["least squares", "weighted, intercept", "quadratic", "logistic"])
@pytest.mark.parametrize("solver", [Jones(), Jones(gh.OpenLoop()), PairwiseJones(), Mixed(),
                                    Aggregated(Jones(gh.OpenLoop()), every=2)], ids=repr)
def test_a_saved_run_goes_on_bit_by_bit(solver, name, S, tmp_path):
    f, stop = {**QUADRATICS, **CURVES}[name], gh.Iterations(24)
    whole = Run(f, S, solver, None, stop, 0)
    save = lambda event: save_state(tmp_path / f"{event.iteration}.npz", whole.state())
    whole.watchers = [lambda event: event.iteration in (0, 7, 13) and save(event)]
    whole.solve()
    for k in (0, 7, 13):
        rest = Run(f, S, solver, None, stop, 0)
        rest.restore(load_state(tmp_path / f"{k}.npz"))
        rest.solve()
        assert np.array_equal(rest.w.weights, whole.w.weights) and rest.w.atoms.keys == whole.w.atoms.keys
        for column in ("value", "gap", "atoms", "oracle_calls", "slack"):
            assert np.array_equal(rest.trace[column], whole.trace[column])
