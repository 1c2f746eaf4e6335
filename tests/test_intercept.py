"""An intercept profiled out: the same as minimising over (w, b), with a right gradient, certificate and intercept."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize as scipy_minimize

import greedyhull as gh
from greedyhull.points.coordinate_iterate import CoordinateIterate

N, D, RADIUS = 35, 5, 1.2
RNG = np.random.default_rng(21)
X = RNG.standard_normal((N, D)) + 0.7
Y = 4.0 + X @ np.array([1.0, -1.5, 0.0, 0.0, 0.4]) + 0.6 * RNG.standard_normal(N)
LABELS = np.where(Y + RNG.standard_normal(N) > np.quantile(Y, 0.6), 1.0, -1.0)
COUNTS = RNG.poisson(np.exp(0.8 + 0.3 * X[:, 0])).astype(float)
WEIGHTS = RNG.random(N) * (np.arange(N) % 7 > 0)  # some of the samples count for nothing

LOSSES = {  # the objective, and φ and φ' of an image in plain NumPy
    "least_squares": (lambda A, **k: gh.least_squares(A, Y, **k), lambda z: 0.5 * (z - Y) ** 2, lambda z: z - Y),
    "logistic": (lambda A, **k: gh.logistic(A, LABELS, **k), lambda z: np.logaddexp(0, -LABELS * z),
                 lambda z: -LABELS / (1 + np.exp(LABELS * z))),
    "squared_hinge": (lambda A, **k: gh.squared_hinge(A, LABELS, **k), lambda z: 0.5 * np.maximum(1 - LABELS * z, 0) ** 2,
                      lambda z: -LABELS * np.maximum(1 - LABELS * z, 0)),
    "huber": (lambda A, **k: gh.huber(A, Y, 0.5, **k),
              lambda z: np.where(np.abs(z - Y) <= 0.5, 0.5 * (z - Y) ** 2, 0.5 * np.abs(z - Y) - 0.125),
              lambda z: np.clip(z - Y, -0.5, 0.5)),
    "poisson": (lambda A, **k: gh.poisson(A, COUNTS, **k), lambda z: np.exp(z) - COUNTS * z, lambda z: np.exp(z) - COUNTS),
    "lp_loss": (lambda A, **k: gh.lp_loss(A, Y, 3.0, **k), lambda z: np.abs(z - Y) ** 3 / 3,
                lambda z: np.abs(z - Y) * (z - Y)),
}
STOP = gh.Relative(1e-11) | gh.Iterations(300)


def shares(weights):
    return np.full(N, 1 / N) if weights is None else weights / weights.sum()


def explicit(loss, weights, radius=RADIUS):
    """min over ‖w‖₁ ≤ radius and every b by SciPy, with w = u − v."""
    _, value, slope = LOSSES[loss]
    p, A = shares(weights), radius * np.hstack([X, -X])
    image = lambda x: A @ x[:-1] + x[-1]

    def gradient(x):
        r = p * slope(image(x))
        return np.append(A.T @ r, r.sum())

    x = np.append(np.full(2 * D, 0.1 / D), 0.0)
    for _ in range(5):
        x = scipy_minimize(lambda x: p @ value(image(x)), x, jac=gradient, method="SLSQP",
                           bounds=[(0, 1)] * 2 * D + [(None, None)],
                           constraints={"type": "ineq", "fun": lambda x: 1 - x[:-1].sum(),
                                        "jac": lambda x: np.append(-np.ones(2 * D), 0.0)},
                           options={"ftol": 1e-17, "maxiter": 1000}).x
        x[:-1] = np.clip(x[:-1], 0, 1)
        x[:-1] /= max(1.0, x[:-1].sum())
    return float(p @ value(image(x))), float(x[-1]), radius * (x[:D] - x[D:-1])


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["", "weighted"])
@pytest.mark.parametrize("loss", LOSSES)
def test_equals_the_explicit_problem(loss, weights):
    make, value, slope = LOSSES[loss]
    best, b, w = explicit(loss, weights)
    f, p = make(X, intercept=True, sample_weight=weights), shares(weights)
    s = gh.minimize(f, gh.L1Ball(D, RADIUS), gh.Corrective(), stop=STOP)
    assert s.converged, s.reason
    assert s.value == pytest.approx(best, rel=1e-8)
    assert s.certificate.lower <= best + 1e-15
    z = X @ s.point.array()
    assert s.value == pytest.approx(float(p @ value(z + s.intercept)), rel=1e-12)
    assert abs(float(p @ slope(z + s.intercept))) <= 1e-12, "the intercept is a stationary point"
    if loss not in ("huber", "squared_hinge"):
        assert s.intercept == pytest.approx(b, abs=1e-4)
        np.testing.assert_allclose(s.point.array(), w, atol=1e-4)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["", "weighted"])
def test_gradient_by_differences(loss, weights):
    f = LOSSES[loss][0](X, intercept=True, sample_weight=weights)
    rng = np.random.default_rng(1)
    for _ in range(5):
        w = 0.5 * rng.standard_normal(D)
        g = f.gradient(CoordinateIterate(w))
        for j in range(D):
            step = 1e-6 * np.eye(D)[j]
            slope = (f.value(CoordinateIterate(w + step)) - f.value(CoordinateIterate(w - step))) / 2e-6
            assert slope == pytest.approx(g[j], rel=1e-6, abs=1e-6 * (1 + abs(f.value(CoordinateIterate(w)))))


@pytest.mark.parametrize("loss", LOSSES)
def test_the_certificate_is_honest_at_any_point(loss):
    """Far from the optimum, near it, and for whoever found the point."""
    best, _, w = explicit(loss, None)
    f, S = LOSSES[loss][0](X, intercept=True), gh.L1Ball(D, RADIUS)
    for x in (np.zeros(D), w * min(1.0, RADIUS / np.abs(w).sum()), RADIUS * np.eye(D)[2], -RADIUS * np.eye(D)[0]):
        certificate = gh.certify(f, S, x)
        assert certificate.lower <= best + 1e-14 and certificate.value - best <= certificate.gap + 1e-14


@pytest.mark.parametrize("solver", [gh.FrankWolfe(), gh.BlendedPairwise(), gh.Corrective()], ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("loss", LOSSES)
def test_every_solver_and_every_lower_bound(loss, solver):
    best, _, _ = explicit(loss, None)
    seen = []
    gh.minimize(LOSSES[loss][0](X, intercept=True), gh.L1Ball(D, RADIUS), solver, stop=gh.Iterations(25),
                watch=lambda event: seen.append((event.value, event.lower)))
    assert max(lower for _, lower in seen) <= best + 1e-14 <= min(value for value, _ in seen) + 1e-8


@pytest.mark.parametrize("loss", LOSSES)
def test_columns_far_from_centred(loss):
    """Columns with a large mean: the intercept takes it up, and nothing is lost to cancellation."""
    f = LOSSES[loss][0](X + 1e4, intercept=True)
    s = gh.minimize(f, gh.L1Ball(D, RADIUS), stop=gh.Relative(1e-5) | gh.Iterations(100))
    plain = gh.minimize(LOSSES[loss][0](X, intercept=True), gh.L1Ball(D, RADIUS), stop=STOP)
    assert s.converged and s.value == pytest.approx(plain.value, rel=1e-5)


@pytest.mark.parametrize("scale", [1e-6, 1e7])
def test_targets_of_any_size(scale):
    """Prices in the millions and concentrations in the millionths have intercepts of their own size."""
    for loss in (lambda y: gh.huber(X, y, 0.5 * scale, intercept=True), lambda y: gh.lp_loss(X, y, 3.0, intercept=True),
                 lambda y: gh.least_squares(X, y, intercept=True)):
        s = gh.minimize(loss(scale * Y), gh.L1Ball(D, scale * RADIUS), stop=gh.Relative(1e-8) | gh.Iterations(200))
        assert s.converged and s.intercept == pytest.approx(scale * 4.0, rel=0.5)


@pytest.mark.parametrize("loss", LOSSES)
def test_sparse_data_are_the_same_problem(loss):
    A = np.where(np.abs(X) > 1.4, X, 0.0)
    values = [gh.minimize(LOSSES[loss][0](B, intercept=True), gh.L1Ball(D, RADIUS), stop=STOP).value
              for B in (A, sparse.csr_array(A), sparse.csc_array(A))]
    assert values == pytest.approx([values[0]] * 3, rel=1e-9)


def test_sparse_data_stay_sparse():
    """Centring would fill 5 000 × 2 000 entries, 80 MB; the whole solve takes a small part of that."""
    A = sparse.random(5_000, 2_000, 1e-3, random_state=0, format="csr")
    f, S = gh.huber(A, A @ np.ones(2_000) + 1.0, 0.5, intercept=True), gh.L1Ball(2_000, 50.0)
    gh.minimize(f, S, stop=gh.Iterations(3))  # what is imported and compiled is not counted
    tracemalloc.start()
    s = gh.minimize(f, S, stop=gh.Iterations(3))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert s.gap < s.trace["gap"][0] and peak < 20e6


def test_flat_losses_have_many_intercepts_and_one_value():
    """Half of the samples far above, half far below: every intercept between is best, and no curvature is left."""
    y = np.where(np.arange(N - 1) % 2, 100.0, -100.0)
    f = gh.huber(X[:-1], y, 0.01, intercept=True)
    s = gh.minimize(f, gh.L1Ball(D, 0.5), gh.Corrective(), stop=gh.Relative(1e-8) | gh.Iterations(100))
    assert s.converged and -100.0 < s.intercept < 100.0


@pytest.mark.parametrize("make", [gh.logistic, gh.squared_hinge])
def test_one_class_has_no_intercept(make):
    with pytest.raises(gh.GreedyhullError, match="one class"):
        make(X, np.ones(N), intercept=True)
    with pytest.raises(gh.GreedyhullError, match="one class"):
        make(X, LABELS, sample_weight=(LABELS > 0).astype(float), intercept=True)
    make(X, np.ones(N))


def test_no_counts_have_no_intercept():
    with pytest.raises(gh.GreedyhullError, match="zero"):
        gh.poisson(X, np.zeros(N), intercept=True)
    with pytest.raises(gh.GreedyhullError, match="zero"):
        gh.poisson(X, COUNTS, sample_weight=(COUNTS == 0).astype(float), intercept=True)


def test_without_an_intercept_it_is_zero():
    assert gh.minimize(gh.least_squares(X, Y), gh.L1Ball(D, 1.0)).intercept == 0.0
    assert gh.minimize(gh.quadratic(np.eye(D)), gh.Simplex(D)).intercept == 0.0


def test_poisson_far_out():
    """z in the hundreds: the intercept is in closed form and brings the rates back."""
    f = gh.poisson(100.0 * X, COUNTS, intercept=True)
    s = gh.minimize(f, gh.L1Ball(D, 3.0), stop=gh.Relative(1e-6) | gh.Iterations(200))
    assert s.converged
    rates = np.exp(100.0 * X @ s.point.array() + s.intercept)
    assert rates.mean() == pytest.approx(COUNTS.mean(), rel=1e-9)
