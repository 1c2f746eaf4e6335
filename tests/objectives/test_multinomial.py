"""multinomial over budgets: its Hessian on few atoms, its intercepts, and certificates against another solver."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array

import greedyhull as gh
from greedyhull.objectives.losses.softmax import SoftmaxWithIntercepts
from greedyhull.testing import check_objective

rng = np.random.default_rng(3)
X, y = rng.standard_normal((30, 4)), np.arange(30) % 3
WEIGHTS = rng.random(30) + 0.01
SETS = [gh.L1Ball((4, 3), 1.5), gh.GroupL1Ball("rows", 1.5, shape=(4, 3)), gh.NuclearBall((4, 3), 1.5)]
MODELS = [gh.multinomial(X, y), gh.multinomial(X, y, intercept=True, sample_weight=WEIGHTS),
          gh.multinomial(csr_array(X * (np.abs(X) > 0.5)), y, intercept=True), gh.multinomial(X, y, l2=0.1),
          gh.multinomial(X, y, intercept=True, sample_weight=WEIGHTS, l2=2.0)]


@pytest.mark.parametrize("S", SETS, ids=lambda S: type(S).__name__)
@pytest.mark.parametrize("f", MODELS, ids=repr)
def test_the_kit_accepts_it(f, S):
    check_objective(f, S)


@pytest.mark.parametrize("S", SETS, ids=lambda S: type(S).__name__)
@pytest.mark.parametrize("f", MODELS, ids=repr)
def test_its_hessian_on_a_few_atoms_is_that_of_its_products(f, S):
    w = S.decompose(0.1 * rng.standard_normal((4, 3)))
    block = S.oracle(rng).best(rng.standard_normal((4, 3)), 3).atoms.extend(S.oracle(rng).best(f.gradient(w), 2).atoms)
    H = f.restricted(block).hessian(w)
    dense = [np.zeros((4, 3)) for _ in range(len(block))]
    for i, d in enumerate(dense):
        block[i].add_to(d, 1.0)
    products = [f.hessian_product(w, d) for d in dense]
    np.testing.assert_allclose(H, [[np.vdot(d, p) for p in products] for d in dense], atol=1e-12)
    far, near = (f.gradient(S.decompose(w.array() + t * dense[0] / 1e5)) for t in (1.0, -1.0))
    np.testing.assert_allclose(products[0], (far - near) / 2e-5, atol=1e-8)


def test_intercepts_are_the_best_ones():
    hot, z = np.eye(3)[y], 3.0 * rng.standard_normal((30, 3))
    p = WEIGHTS / WEIGHTS.sum()
    loss = SoftmaxWithIntercepts(hot.ravel(), p, 3)
    cost = lambda b: p @ (np.log(np.exp(z + b).sum(1)) - (hot * (z + b)).sum(1))
    found = minimize(cost, np.zeros(3), tol=1e-12)
    assert loss.value(z.ravel()) == pytest.approx(found.fun, rel=1e-12)
    np.testing.assert_allclose(loss.intercepts(z.ravel()), found.x - found.x.mean(), atol=1e-5)
    np.testing.assert_allclose(loss.missed(loss.gradient(z.ravel())), 0.0, atol=1e-15)


@pytest.mark.parametrize("size", [1e-30, 1.0, 30.0, 1e3, 1e6])
def test_intercepts_of_odd_scores_are_found_or_the_gap_says_so(size):
    f = gh.multinomial(size * X, y, intercept=True)
    s = gh.minimize(f, gh.L1Ball((4, 3), 1.0), stop=gh.Relative(1e-6) | gh.Iterations(30))
    assert np.isfinite(s.value) and s.certificate.lower <= reference(size * X, y, np.full(30, 1 / 30), 1.0) + 1e-9
    assert s.converged or size > 100.0


def reference(X, y, p, r):
    """min over the l1 ball and intercepts, by SLSQP on W = U - V."""
    d = X.shape[1]
    c = int(y.max()) + 1
    hot, N = np.eye(c)[y], 2 * d * c

    def both(x):
        U, V, b = x[: d * c].reshape(d, c), x[d * c : N].reshape(d, c), x[N:]
        z = X @ (U - V) + b
        top = z.max(1, keepdims=True)
        e = np.exp(z - top)
        R = p[:, None] * (e / e.sum(1, keepdims=True) - hot)
        G = X.T @ R
        return p @ (np.log(e.sum(1)) + top[:, 0] - (hot * z).sum(1)), np.concatenate([G.ravel(), -G.ravel(), R.sum(0)])

    budget = {"type": "ineq", "fun": lambda x: r - x[:N].sum(), "jac": lambda x: np.r_[-np.ones(N), np.zeros(c)]}
    bounds = [(0, None)] * N + [(None, None)] * c
    return minimize(both, np.zeros(N + c), jac=True, method="SLSQP", bounds=bounds, constraints=budget,
                    options={"ftol": 1e-13, "maxiter": 300}).fun


@pytest.mark.parametrize("seed", range(6))
def test_one_certificate_for_all_classes(seed):
    rng = np.random.default_rng(seed)
    n, d, c, r = int(rng.integers(8, 30)), int(rng.integers(1, 4)), int(rng.integers(2, 4)), 10.0 ** rng.uniform(-1, 1)
    X, y, s = rng.standard_normal((n, d)), np.r_[np.arange(c), rng.integers(0, c, n - c)], rng.random(n) + 0.01
    f = gh.multinomial(X, y, sample_weight=s, intercept=True)
    found = gh.minimize(f, gh.L1Ball((d, c), r), stop=gh.Relative(1e-8) | gh.Iterations(100))
    best = reference(X, y, s / s.sum(), r)
    assert found.converged and found.certificate.lower <= best + 1e-12 and found.value <= best + 1e-6


def test_intercepts_that_miss_their_shares_are_paid_for(monkeypatch):
    f, S = gh.multinomial(X, y, intercept=True), gh.L1Ball((4, 3), 1.5)
    best = gh.minimize(f, S, stop=gh.Relative(1e-9)).value
    monkeypatch.setattr(SoftmaxWithIntercepts, "_found", lambda self, z: np.array([0.3, -0.2, -0.1]))
    f = gh.multinomial(X, y, intercept=True)
    s = gh.minimize(f, S, stop=gh.Iterations(20))
    assert s.certificate.lower <= best and s.gap > 0.01


def test_two_classes_are_those_of_logistic():
    two = (y > 0).astype(float)
    a = gh.minimize(gh.logistic(X, two, intercept=True), gh.L1Ball(4, 1.0), stop=gh.Relative(1e-9))
    b = gh.minimize(gh.multinomial(X, two, intercept=True), gh.L1Ball((4, 2), 1.0), stop=gh.Relative(1e-9))
    assert a.value == pytest.approx(b.value, rel=1e-8)  # w/2 and -w/2 have the budget of w
    assert b.intercept[1] - b.intercept[0] == pytest.approx(a.intercept, abs=1e-3)


@pytest.mark.parametrize("S", SETS, ids=lambda S: type(S).__name__)
def test_a_run_resumes_bit_by_bit(S, tmp_path):
    f = gh.multinomial(X, y, intercept=True)
    whole = gh.minimize(f, S, stop=gh.Iterations(6))
    gh.minimize(f, S, stop=gh.Iterations(3), checkpoint=tmp_path / "run")
    rest = gh.minimize(f, S, stop=gh.Iterations(6), resume=tmp_path / "run")
    np.testing.assert_array_equal(np.asarray(whole.point), np.asarray(rest.point))
    assert whole.certificate == rest.certificate


def test_intercepts_are_kept_and_told(tmp_path):
    s = gh.minimize(gh.multinomial(X, y, intercept=True), SETS[0])
    s.save(tmp_path / "s.npz")
    np.testing.assert_array_equal(gh.load(tmp_path / "s.npz").intercept, s.intercept)
    assert "The intercepts are" in s.report(tmp_path / "s.html").read_text(encoding="utf-8")


def test_a_class_without_weight_gets_words():
    with pytest.raises(gh.GreedyhullError, match="Class 2 has no sample of positive weight"):
        gh.multinomial(X, y, sample_weight=(y < 2).astype(float), intercept=True)


@pytest.mark.parametrize("seed, radius", [(9, 1e12), (111, 1e3)])
def test_classes_that_are_told_apart_for_certain(seed, radius):
    rng = np.random.default_rng(seed)
    points, kinds = rng.standard_normal((20, 5)), np.r_[np.arange(5), rng.integers(0, 5, 15)]
    f, S = gh.multinomial(points, kinds, intercept=True), gh.L1Ball((5, 5), radius)
    s = gh.minimize(f, S, stop=gh.Relative(1e-6) | gh.Iterations(5))
    small = gh.minimize(f, gh.L1Ball((5, 5), 10.0), stop=gh.Relative(1e-6))
    assert s.certificate.lower <= small.value


@pytest.mark.parametrize("seed", [3, 111])
def test_intercepts_are_found_where_classes_are_told_apart_far_out(seed):
    """Each took a hundredth of a second before, was wrong, and the run stood still."""
    rng = np.random.default_rng(seed)
    points, kinds = rng.standard_normal((20, 5)), np.r_[np.arange(5), rng.integers(0, 5, 15)]
    f = gh.multinomial(points, kinds, intercept=True)
    s = gh.minimize(f, gh.L1Ball((5, 5), 1e3), stop=gh.Gap(1e-6) | gh.Iterations(20))
    near = gh.minimize(f, gh.L1Ball((5, 5), 500.0), stop=gh.Gap(1e-6) | gh.Iterations(20))
    assert s.converged and near.converged and s.certificate.lower <= near.value


@pytest.mark.parametrize("seed", [0, 3])
def test_a_set_too_large_for_the_gap_ends_soon_with_words(seed):
    rng = np.random.default_rng(seed)
    points, kinds = 1e8 * rng.standard_normal((20, 5)), np.r_[np.arange(5), rng.integers(0, 5, 15)]
    for intercept in (False, True):
        f = gh.multinomial(points, kinds, intercept=intercept)
        s = gh.minimize(f, gh.L1Ball((5, 5), 1e3), stop=gh.Gap(1e-6) | gh.Iterations(200))
        small = gh.minimize(f, gh.L1Ball((5, 5), 1e-6), stop=gh.Gap(1e-6) | gh.Iterations(50))
        assert s.iterations < 200 and not s.converged and s.certificate.lower <= small.value
        assert "no longer change" in s.reason or "Rounding prevents" in s.reason
