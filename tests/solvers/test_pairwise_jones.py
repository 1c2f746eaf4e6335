"""Pairwise Jones takes the best swap: against brute force, against its rivals, and against what is proved of it."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import greedyhull as gh
from greedyhull.atoms.box import Box
from greedyhull.atoms.vertices import Vertices
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.jones import Jones, PairwiseJones
from greedyhull.solvers.parts.joint import SHARE, ListedPairs, VertexPairs, swap, swaps, toward
from greedyhull.solvers.parts.solver_state import Memory
from greedyhull.testing import check_solver
from greedyhull.testing.expect import mixture
from greedyhull.testing.problems import small_problems
from greedyhull.theory import line_search_rate

rng = np.random.default_rng(1)
N, D = 40, 8
X = rng.standard_normal((N, D))
y = X @ np.array([2.0, -1.0, 0.5, 0.3, 0, 0, 0, 0]) + 0.3 * rng.standard_normal(N)
Q, b = X.T @ X / N, X.T @ y / N
SETS = [gh.L1Ball(D, 1.5), gh.Simplex(D, 2.0), Vertices(rng.standard_normal((12, D)))]
QUADRATICS = {
    "least squares": gh.least_squares(X, y),
    "weighted, intercept": gh.least_squares(X, y + 3, sample_weight=rng.random(N), intercept=True),
    "quadratic": gh.quadratic(Q, b),
}
CURVES = {
    "logistic": gh.logistic(X, np.sign(y)),
    "huber": gh.huber(X, y, 0.5),
    "black box": gh.function(lambda w: float(((w - 0.2) ** 4).sum() + w @ Q @ w), lambda w: 4 * (w - 0.2) ** 3 + 2 * Q @ w, D),
}


def answer(f, S, w):
    return S.oracle(np.random.default_rng(0)).argmin(f.gradient(w))


def lowest(f, w, move):
    """min of f along a move, by SciPy."""
    h = f.along(w, move).value
    found = minimize_scalar(h, bounds=(0, move.max_step), method="bounded", options={"xatol": 1e-10}).fun
    return min(found, h(0.0), h(move.max_step))


def points(S, many=4):
    source = np.random.default_rng(5)
    return [mixture(S, source, atoms) for atoms in range(many)]


@pytest.mark.parametrize("S", SETS, ids=repr)
@pytest.mark.parametrize("name", QUADRATICS)
def test_of_all_swaps_of_a_quadratic_the_best_is_taken(name, S):
    f = QUADRATICS[name]
    w0 = points(S)[0]
    pairs = swaps(f, S, w0, Memory())
    assert isinstance(pairs, ListedPairs)
    for w in points(S):  # one after the other, so that rows are kept, dropped and made anew
        found = pairs.best(w, answer(f, S, w))
        all_swaps = [swap(w, i, S[j]) for i in range(len(w)) for j in range(len(S))]
        wanted = min(lowest(f, w, move) for move in [*all_swaps, *(w.toward(S[j]) for j in range(len(S)))])
        assert found.value == pytest.approx(wanted, abs=1e-9)
        assert found.value - wanted <= found.error < 1e-9


@pytest.mark.parametrize("S", [SETS[0], Box(-np.ones(D), np.ones(D))], ids=repr)
@pytest.mark.parametrize("name", [*CURVES, "quadratic"])
def test_otherwise_the_best_swap_for_the_oracles_atom_is_taken_to_within_a_tenth(name, S):
    f, pairs = {**CURVES, **QUADRATICS}[name], VertexPairs({**CURVES, **QUADRATICS}[name], S)
    for w in points(S, 12):
        d = answer(f, S, w).atom
        found = pairs.best(w, answer(f, S, w))
        wanted = min(lowest(f, w, move) for move in [w.toward(d), *(swap(w, i, d) for i in range(len(w)))])
        start = f.value(w)
        assert start - found.value >= (1.0 if name == "quadratic" else 1.0 - SHARE) * (start - wanted) - 1e-9
        assert found.value - wanted <= found.error + (1e-9 if name == "quadratic" else 0.0)


@pytest.mark.parametrize("name", QUADRATICS)
def test_the_bends_of_swaps_are_those_of_their_lines(name):
    f, S = QUADRATICS[name], Box(-np.ones(D), np.ones(D))
    pairs = VertexPairs(f, S)
    for w in points(S, 6):
        d = answer(f, S, w).atom
        wanted = [f.along(w, swap(w, i, d)) for i in range(len(w))]
        got = pairs._bends(f, w, d)
        for i, h in enumerate(wanted):
            assert got[i] == pytest.approx(h.derivative(1.0) - h.derivative(0.0), abs=1e-9)


@pytest.mark.parametrize("S", SETS, ids=repr)
@pytest.mark.parametrize("name", [*QUADRATICS, *CURVES])
def test_no_step_is_worse_than_frank_wolfe_or_pairwise_frank_wolfe_and_for_quadratics_than_jones(name, S):
    f = {**QUADRATICS, **CURVES}[name]
    for w in points(S):
        d = answer(f, S, w).atom
        found = swaps(f, S, w, Memory()).best(w, answer(f, S, w))
        worst = w.worst(f.gradient(w))
        rivals = [w.toward(d)]
        if name in QUADRATICS:
            rivals += [w.between(worst, d), toward(f, S, w, Memory()).jointly(w, answer(f, S, w), 0.0).move]
        start = f.value(w)
        assert found.value <= min(lowest(f, w, move) for move in rivals) + 1e-9
        assert start - found.value >= (1 - SHARE) * (start - lowest(f, w, w.between(worst, d))) - 1e-10


# --- what is proved of it ---------------------------------------------------------------------------------------------


def run(f, S, iterations):
    """The values of a run, and for each point its Frank-Wolfe gaps g_i and weights α_i."""
    values, gaps, weights = [], [], []

    def watch(event):
        g = f.gradient(event.point)
        values.append(event.value)
        gaps.append(event.point.scores(g) - S.scores(g).min())
        weights.append(event.point.weights.copy())

    gh.minimize(f, S, PairwiseJones(), stop=gh.Iterations(iterations), watch=watch)
    return np.array(values), gaps, weights


@pytest.mark.parametrize("S", SETS[:2], ids=repr)
@pytest.mark.parametrize("name", ["quadratic", "logistic"])
def test_a_step_lowers_f_by_what_some_swap_promises(name, S):
    """f falls by at least ½ max_i min(α_i g_i, g_i²/C), C the largest bend along a swap; by a tenth less where searched."""
    f = {**QUADRATICS, **CURVES}[name]
    images = S.block(np.arange(len(S))).images(gh.objectives.designs.design(X)).T
    images = np.vstack([images, np.zeros(N)])  # the start of the l1 ball
    C = max(((a - b) ** 2).mean() for a in images for b in images) * (0.25 if name == "logistic" else 1.0)
    values, gaps, weights = run(f, S, 40)
    for k in range(40):
        promised = 0.5 * np.minimum(weights[k] * gaps[k], gaps[k] ** 2 / C).max()
        assert values[k] - values[k + 1] >= (1 - SHARE if name == "logistic" else 1.0) * promised - 1e-13


@pytest.mark.parametrize("d", [4, 6, 9, 20])
def test_on_the_simplex_every_step_contracts_by_the_proved_factor(d):
    """1 − μδ²/(24aLD²) once the error is below the threshold; δ is the pyramidal width of the simplex, D = √2."""
    source = np.random.default_rng(d)
    diagonal, target = np.linspace(1.0, 3.0, d), source.standard_normal(d)
    f, S = gh.quadratic(np.diag(diagonal), diagonal * target), gh.Simplex(d)
    values, _, weights = run(f, S, 60)
    best = gh.minimize(f, S, PairwiseJones(), stop=gh.Gap(1e-15) | gh.Iterations(500))
    delta, L, mu, size = 2 / np.sqrt(d if d % 2 == 0 else d - 1 / d), 3.0, 1.0, np.sqrt(2)
    at_best = diagonal * (best.point.array() - target)
    above = at_best - at_best.min()
    gamma = above[above > 1e-6].min(initial=np.inf)
    threshold = min(mu * gamma**2 / (8 * L**2 * size**2), mu * delta**2 * gamma**2 / (4 * L**2 * size**4))
    errors = values - best.certificate.lower
    checked = 0
    for k in range(60):
        if 1e-12 < errors[k] <= threshold:
            checked += 1
            assert errors[k + 1] <= (1 - mu * delta**2 / (24 * len(weights[k]) * L * size**2)) * errors[k]
    assert checked >= 1


@pytest.mark.parametrize("seed", range(4))
def test_no_weight_joins_the_atoms_off_the_optimal_face(seed):
    """Once LD‖w − x*‖ ≤ γ/2, e < γ²/(2LD²) and e < γ/2; in the end none is left."""
    source = np.random.default_rng(seed)
    atoms, diagonal = source.standard_normal((12, 3)), np.linspace(1.0, 2.0, 3)
    target = 3.0 * source.standard_normal(3)
    f, S = gh.quadratic(np.diag(diagonal), diagonal * target), gh.Vertices(atoms)
    best = gh.minimize(f, S, gh.Corrective(), stop=gh.Gap(1e-14) | gh.Iterations(500))
    g = diagonal * (best.point.array() - target)
    above = (atoms - best.point.array()) @ g
    gamma, L, D = above[above > 1e-6].min(), 2.0, max(np.linalg.norm(a - b) for a in atoms for b in atoms)
    seen = []

    def watch(event):
        weight = event.point.weights[event.point.atoms.dots(g) - best.point.array() @ g > 1e-6].sum()
        e, far = event.value - best.certificate.lower, np.linalg.norm(event.point.array() - best.point.array())
        if L * D * far <= gamma / 2 and e < gamma**2 / (2 * L * D**2) and e < gamma / 2:
            seen.append(weight)

    start = Iterate(S.block(np.arange(12)), np.full(12, 1 / 12), S.shape)
    gh.minimize(f, S, PairwiseJones(), start=start, stop=gh.Gap(1e-13) | gh.Iterations(300), watch=watch)
    assert seen and np.all(np.diff(seen) <= 1e-15) and seen[-1] == 0.0


@pytest.mark.parametrize("S", SETS[:2], ids=repr)
def test_its_error_obeys_the_rate_of_line_search(S):
    f = QUADRATICS["least squares"]
    images = S.block(np.arange(len(S))).images(gh.objectives.designs.design(X)).T
    M = max(((a - b) ** 2).mean() for a in images for b in images)
    values, *_ = run(f, S, 60)
    best = gh.minimize(f, S, PairwiseJones(), stop=gh.Gap(1e-13) | gh.Iterations(500))
    assert np.all(values[1:] - best.certificate.lower <= line_search_rate(M, np.arange(1, 61)) + 1e-12)


# --- what is measured -------------------------------------------------------------------------------------------------


def hard(S_of):
    """Correlated columns, and an optimum on a face of the set with many atoms."""
    source = np.random.default_rng(7)
    A = source.standard_normal((60, 50))
    for j in range(1, 50):
        A[:, j] = 0.6 * A[:, j - 1] + 0.8 * A[:, j]
    beta = np.zeros(50)
    beta[source.choice(50, 10, replace=False)] = source.random(10) + 0.5
    return A, A @ beta + 0.5 * source.standard_normal(60), S_of(50, 0.7 * beta.sum())


@pytest.mark.parametrize("S_of", [gh.L1Ball, gh.Simplex])
@pytest.mark.parametrize("model", ["least squares", "logistic"])
def test_its_error_contracts_geometrically_where_jones_and_frank_wolfe_crawl(model, S_of):
    A, target, S = hard(S_of)
    f = gh.least_squares(A, target) if model == "least squares" else gh.logistic(A, np.sign(target))
    if model == "logistic":
        S = S.rescaled(3.0)
    best = gh.minimize(f, S, gh.BlendedPairwise(), stop=gh.Gap(1e-11) | gh.Iterations(2000)).value
    error = lambda solver: gh.minimize(f, S, solver, stop=gh.Gap(1e-10) | gh.Iterations(240)).trace.value - best
    pairwise, fw, jones = error(PairwiseJones()), error(gh.FrankWolfe()), error(Jones())
    pairwise = pairwise[pairwise > 1e-12]
    quarter = len(pairwise) // 4
    assert len(pairwise) < 240
    for part in range(4):  # ever the same factor for as many steps
        assert pairwise[(part + 1) * quarter - 1] <= 0.1 * pairwise[part * quarter]
    for slow in (fw, jones):  # like 1/k
        assert slow[240] > 1e-5 and slow[240] > 0.2 * slow[120]


def test_a_mixture_is_fitted_where_blended_pairwise_steps_crawl():
    source = np.random.default_rng(2)
    P = np.exp(-0.5 * (source.standard_normal((80, 1)) * 2 - np.linspace(-6, 6, 25)) ** 2)
    fast, slow = (gh.minimize(gh.log_likelihood(P), gh.Simplex(25), solver, stop=gh.Gap(1e-6) | gh.Iterations(700))
                  for solver in (PairwiseJones(), gh.BlendedPairwise()))
    assert fast.converged and slow.gap > 1e-5


def test_a_polytope_whose_atoms_cannot_be_listed():
    source = np.random.default_rng(3)
    A = source.standard_normal((60, 20))
    f, S = gh.least_squares(A, A @ source.uniform(-2, 2, 20)), Box(-np.ones(20), np.ones(20))
    s = gh.minimize(f, S, PairwiseJones(), stop=gh.Gap(1e-9) | gh.Iterations(2000))
    assert s.converged


KIT = ("least_squares over L1Ball", "least_squares, a vertex is best over Simplex", "least_squares, intercept over L1Ball",
       "logistic over Simplex", "quadratic over Box", "log_likelihood with zeros over Simplex", "logistic over L2Ball")


def test_it_passes_the_kit():
    assert not check_solver(PairwiseJones(), [p for p in small_problems() if p.name in KIT], iterations=15)
