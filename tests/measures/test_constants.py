"""Constants of shipped losses over shipped sets: never below what is found by looking, exact where they say so."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull import theory
from greedyhull.errors import GreedyhullError
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.remote.executors import Serial

RNG = np.random.default_rng(4)
N, D = 18, 4
X, Y = RNG.standard_normal((N, D)), RNG.standard_normal(N)
LABELS, WEIGHT = np.where(Y > 0, 1.0, -1.0), 0.2 + RNG.random(N)
OBJECTIVES = {
    "least_squares": gh.least_squares(X, Y),
    "weighted": gh.least_squares(X, Y, sample_weight=WEIGHT),
    "intercept": gh.least_squares(X, Y + 3.0, sample_weight=WEIGHT, intercept=True),
    "logistic": gh.logistic(X, LABELS),
    "ridge": gh.logistic(X, LABELS, l2=0.7),
    "ridge and intercept": gh.least_squares(X, Y + 3.0, intercept=True, l2=0.7),
    "squared_hinge": gh.squared_hinge(X, LABELS, sample_weight=WEIGHT),
    "huber": gh.huber(X, Y, delta=0.4),
    "poisson": gh.poisson(0.4 * X, np.round(np.abs(Y))),
    "lp_loss": gh.lp_loss(X, Y, 3.0),
    "kinked lp_loss": gh.lp_loss(X, Y, 1.5),
    **{name: getattr(gh, name)(X, LABELS if name == "hinge" else Y, *more) for name, more in (
        ("hinge", ()), ("absolute", ()), ("quantile", (0.3,)), ("epsilon_insensitive", (0.2,))) if hasattr(gh, name)},
}
SETS = {
    "L1Ball": gh.L1Ball(D, 1.3), "Simplex": gh.Simplex(D, 1.5),
    "L2Ball": gh.L2Ball(D, 0.8, centre=np.array([0.3, 0.0, 0.0, -0.2])),
    "Box": gh.Box(-0.5 * np.ones(D), np.arange(1.0, D + 1) / 3), "Vertices": gh.Vertices(RNG.normal(size=(7, D))),
    "CappedSimplex": gh.CappedSimplex(D),
}


def points(S, m=60):
    rng = np.random.default_rng(0)
    atoms = np.zeros((24, D))
    for row in atoms:
        S.argmin(rng.normal(size=D)).add_to(row, 1.0)
    return [*atoms, *(rng.dirichlet(np.full(24, 0.3), size=m) @ atoms)], atoms


def term_gradients(f, x):
    return np.array([f.batch(np.array([i])).gradient(x) for i in range(f.n)])


@pytest.mark.parametrize("S", SETS.values(), ids=list(SETS))
@pytest.mark.parametrize("f", OBJECTIVES.values(), ids=list(OBJECTIVES))
def test_no_constant_is_too_small(f, S):
    table = theory.constants(f, S)
    where, atoms = points(S)
    G = np.array([term_gradients(f, x) for x in where[::3]])
    norms = np.linalg.norm(G, axis=2)
    sigma2 = ((G - G.mean(axis=1, keepdims=True)) ** 2).sum(axis=2).mean(axis=1).max()
    hair = 1 + 1e-9
    assert norms.max() <= table.L.value * hair
    assert np.sqrt((norms**2).mean(axis=1)).max() <= table.L_rms.value * hair
    assert np.sqrt(sigma2) <= table.sigma.value * hair
    for i in range(1, len(G)):
        h = np.linalg.norm(where[::3][i] - where[::3][i - 1])
        change = np.linalg.norm(G[i] - G[i - 1], axis=1)
        if h > 1e-9:
            assert np.sqrt((change**2).mean()) <= table.L_s.value * h * hair
            assert change.max() <= table.L_max.value * h * hair
            assert np.linalg.norm((G[i] - G[i - 1]).mean(axis=0)) <= table.L_F.value * h * hair
    apart = atoms[:, None] - atoms[None]
    assert np.linalg.norm(apart, axis=2).max() <= table.D.value * hair
    middle = S.centre().array()
    assert 0.5 * (np.linalg.norm(atoms - middle, axis=1) ** 2).max() <= table.R2.value * hair
    if np.isfinite(table.D_1.value):
        whole = f.batch(np.arange(N))
        rows = whole.rows if whole.centre is None else whole.rows - whole.centre
        assert np.abs(apart @ rows.T).max() <= table.D_inf.value * hair


@pytest.mark.parametrize("S", SETS.values(), ids=list(SETS))
def test_residuals_change_by_no_more_than_D_1(S):
    f = OBJECTIVES["weighted"]
    table, (where, _) = theory.constants(f, S), points(S)
    r = [f.loss.gradient(X @ x) for x in where]
    assert max(np.abs(a - b).sum() for a in r for b in r[::5]) <= table.D_1.value * (1 + 1e-9)


@pytest.mark.parametrize("name", SETS)
def test_radius_around_a_point_is_exact(name):
    S, rng = SETS[name], np.random.default_rng(2)
    where, _ = points(S, 3)
    for x in where[-3:]:
        R, seen = S.radius_around(x), 0.0
        for _ in range(3000):
            s = np.zeros(D)
            S.argmin(rng.normal(size=D)).add_to(s, 1.0)
            seen = max(seen, float(np.linalg.norm(s - x)))
        assert R.status == "exact"
        assert 0.97 * R.value <= seen <= R.value * (1 + 1e-12)


def test_sigma_of_squares_is_exact_over_atoms():
    f, S = OBJECTIVES["least_squares"], SETS["Vertices"]
    sigma = theory.constants(f, S).sigma
    seen = []
    for j in range(len(S)):
        x = np.zeros(D)
        S[j].add_to(x, 1.0)
        G = term_gradients(f, x)
        seen.append(((G - G.mean(axis=0)) ** 2).sum(axis=1).mean() ** 0.5)
    assert sigma.status == "exact" and sigma.value == pytest.approx(max(seen))


def test_kinks_have_no_smoothness():
    table = theory.constants(OBJECTIVES["kinked lp_loss"], SETS["L1Ball"])
    assert all(np.isinf(table[name].value) for name in ("M", "L_s", "L_F", "L_max", "M_mean", "D_1"))
    assert np.isfinite(table.L.value) and "unknown" in repr(table)


def test_terms_without_formulas_are_estimated_or_given():
    value = lambda w, i: float(np.cosh(X[i] @ w - Y[i]).mean())
    gradient = lambda w, i: X[i].T @ np.sinh(X[i] @ w - Y[i]) / len(i)
    f, S = gh.finite_sum(value, gradient, N, D), SETS["L2Ball"]
    table = theory.constants(f, S)
    for name in ("sigma", "L", "L_rms", "L_s", "L_F", "L_max", "M"):
        assert table[name].status == "estimated" and 0 < table[name].value < np.inf, name
    assert table.D.status == "exact" and np.isinf(table.D_1.value)
    G = term_gradients(f, points(S)[0][0])
    assert table.sigma.value >= 0.3 * ((G - G.mean(axis=0)) ** 2).sum(axis=1).mean() ** 0.5
    assert theory.constants(f, S, sigma=2.5).sigma == theory.Constant(2.5, "upper bound", "sigma")
    assert theory.constants(f, S, seed=1).sigma != table.sigma or N <= 64


@pytest.mark.skipif(not hasattr(gh, "expectation"), reason="there are no streams")
def test_streams_are_estimated_from_draws():
    class Drawn:
        def __init__(self, xi):
            self.xi = xi

        def value(self, w):
            return 0.5 * float(((w - self.xi) ** 2).sum(axis=1).mean())

        def gradient(self, w):
            return w - self.xi.mean(axis=0)

    f = gh.expectation(lambda size, rng: Drawn(rng.normal(size=(size, D))), D)
    table = theory.constants(f, SETS["L1Ball"])
    assert table.sigma.value == pytest.approx(np.sqrt(D), rel=0.25) and table.sigma.status == "estimated"
    assert table.L_s.value == pytest.approx(1.0) and table.M.value == pytest.approx(table.D.value**2)


def test_refusals_and_mapping():
    table = theory.constants(gh.quadratic(np.eye(D)), SETS["Simplex"])
    assert np.isinf(table.sigma.value) and table.M.status == "exact" and dict(table)["M"] is table.M and len(table) == 15
    with pytest.raises(KeyError, match="no constant 'nonsense'"):
        table["nonsense"]
    with pytest.raises(GreedyhullError, match="nonsense was given; the constants are M"):
        theory.constants(gh.quadratic(np.eye(D)), SETS["Simplex"], nonsense=1.0)
    logistic = gh.logistic(X, LABELS, intercept=True)
    assert np.isinf(theory.constants(logistic, SETS["Simplex"]).sigma.value), "there are no single terms"
    w = CoordinateIterate(np.eye(D)[0])
    assert np.isfinite(logistic.value(w))


class Ending(Serial):
    """A crew whose `with` block may be over."""

    over = False

    def map(self, task, bundles):
        if self.over:
            raise GreedyhullError("These processes have ended.")
        return super().map(task, bundles)


@pytest.mark.parametrize("make", [gh.logistic, gh.hinge, gh.least_squares,
                                  lambda data: gh.least_squares(data, intercept=True)])
def test_terms_in_shards_are_fetched_in_one_trip_and_unknown_where_nobody_is_left(make):
    data, S = gh.shards(lambda k: (X[9 * k : 9 * k + 9], LABELS[9 * k : 9 * k + 9]), count=2), gh.L1Ball(D, 1.3)
    crew = Ending()
    f = make(data).on(crew)
    assert f.n == N
    before = crew.trips
    table = theory.constants(f, S)
    assert crew.trips <= before + 1
    assert 0.0 < table.L.value < np.inf and table.L.status == "estimated"
    ones = f.singles(np.arange(N))
    for x in (np.zeros(D), np.ones(D)):
        assert np.array_equal([one.gradient(x) for one in ones], term_gradients(f, x))
    crew.over = True
    assert theory.constants(f, S).L.value == np.inf
