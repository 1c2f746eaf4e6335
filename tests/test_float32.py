"""float32 data: iterated in float32, without silent copies in float64, and certified in float64."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse

import greedyhull as gh

N, D = 60, 12
RNG = np.random.default_rng(13)
X = RNG.standard_normal((N, D)).astype(np.float32)
Y = X @ np.where(np.arange(D) < 3, 1.0, 0.0) + 0.3 * RNG.standard_normal(N)
LABELS = np.where(Y > 0, 1, -1)
COUNTS = RNG.poisson(1.5, N) + 1.0
WEIGHTS = RNG.random(N) + 0.1
DATA = {"C": X, "F": np.asfortranarray(X), "csr": sparse.csr_array(np.where(np.abs(X) > 1.2, X, np.float32(0)))}
LOSSES = {
    "least_squares": lambda A, **k: gh.least_squares(A, Y, **k),
    "logistic": lambda A, **k: gh.logistic(A, LABELS, **k),
    "squared_hinge": lambda A, **k: gh.squared_hinge(A, LABELS, **k),
    "huber": lambda A, **k: gh.huber(A, Y, 0.3, **k),
    "poisson": lambda A, **k: gh.poisson(A, COUNTS, **k),
    "lp_loss": lambda A, **k: gh.lp_loss(A, Y, 3.0, **k),
}
SOLVERS = [gh.Corrective(), gh.BlendedPairwise(), gh.FrankWolfe(), gh.FrankWolfe(gh.OpenLoop())]
STOP = gh.Relative(1e-5) | gh.Iterations(60)


def in_double(A):
    return A.astype(np.float64)


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda s: f"{type(s).__name__}-{type(getattr(s, 'step', None)).__name__}")
@pytest.mark.parametrize("layout", DATA)
@pytest.mark.parametrize("loss", LOSSES)
def test_everything_long_stays_in_single_precision(loss, layout, solver):
    """Image, residual, curvature and gradient; with intercept and sample weights as without.

    So it is in Python. The compiled core reads float32 data as they are, and keeps these vectors in float64.
    """
    if isinstance(solver, (gh.Corrective, gh.FrankWolfe)):
        pytest.skip("the compiled core takes these iterations")
    for how in ({}, {"intercept": True}, {"sample_weight": WEIGHTS}):
        f = LOSSES[loss](DATA[layout], **how)
        assert f.design.dtype == np.float32

        def watch(event, f=f):
            view = f.at(event.point)
            kinds = {name: getattr(view, name).dtype for name in ("z", "residual", "curvature", "gradient")
                     if getattr(view, name) is not None}
            assert set(kinds.values()) == {np.dtype(np.float32)}, kinds

        gh.minimize(f, gh.L1Ball(D, 2.0), solver, stop=gh.Relative(1e-4) | gh.Iterations(8), watch=watch)


@pytest.mark.parametrize("layout", DATA)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("how", [{}, {"intercept": True}, {"sample_weight": WEIGHTS}], ids=["", "intercept", "weighted"])
def test_the_certificate_is_that_of_double_precision(loss, layout, how):
    """The value is that of the same data in float64 at the returned point, and the bound holds for that problem."""
    f, exact, S = LOSSES[loss](DATA[layout], **how), LOSSES[loss](in_double(DATA[layout]), **how), gh.L1Ball(D, 2.0)
    s = gh.minimize(f, S, gh.Corrective(), stop=STOP)
    best = gh.minimize(exact, S, gh.Corrective(), stop=gh.Relative(1e-11) | gh.Iterations(100)).value
    again = gh.certify(exact, S, s.point)
    assert s.converged, s.reason
    assert s.value == pytest.approx(again.value, rel=1e-13, abs=1e-15)
    assert s.certificate.lower <= best + 1e-14 and s.value - best <= s.gap + 1e-14
    assert s.gap == pytest.approx(again.gap, rel=1e-6, abs=1e-11)  # up to the allowance for rounding


@pytest.mark.parametrize("solver", SOLVERS[:3], ids=lambda s: type(s).__name__)
def test_no_lower_bound_of_the_end_is_one_of_single_precision(solver):
    """Underway the bounds are provisional; the one that is returned is computed afresh."""
    f, S = gh.logistic(X, LABELS), gh.L1Ball(D, 5.0)
    best = gh.minimize(gh.logistic(X.astype(np.float64), LABELS), S, stop=gh.Relative(1e-12) | gh.Iterations(100)).value
    for k in (0, 3, 10, 40):
        s = gh.minimize(f, S, solver, stop=gh.Iterations(k))
        assert s.certificate.lower <= best + 1e-14


def test_more_than_single_precision_can_give_is_not_claimed():
    f, S = gh.least_squares(X, Y), gh.L1Ball(D, 2.0)
    s = gh.minimize(f, S, stop=gh.Relative(1e-13) | gh.Iterations(200))
    best = gh.minimize(gh.least_squares(X.astype(np.float64), Y), S, stop=gh.Relative(1e-12) | gh.Iterations(100)).value
    assert s.value - best <= s.gap + 1e-14
    if s.converged:
        assert s.gap <= 1e-13 * max(abs(s.value), f.scale)
    else:
        assert s.reason


@pytest.mark.parametrize("make", [gh.least_squares, gh.logistic], ids=["squares", "logistic"])
@pytest.mark.parametrize("stop", [gh.Relative(1e-6) | gh.Iterations(60), gh.Iterations(30)], ids=["relative", "iterations"])
def test_neither_the_trace_nor_the_reason_claims_more_than_the_certificate(make, stop):
    f, S = make(X, LABELS), gh.L1Ball(D, 2.0)
    s = gh.minimize(f, S, stop=stop)
    best = gh.minimize(make(X.astype(np.float64), LABELS), S, stop=gh.Relative(1e-12) | gh.Iterations(100)).certificate.lower
    assert (s.trace.value[-1], s.trace.gap[-1]) == (s.value, s.gap) and s.gap > 0.0
    told = s.gap / max(abs(s.value), f.scale) if s.converged else s.gap
    assert f"{told:.3g}" in s.reason
    assert np.all(s.trace.gap > 0.0) and np.all(s.trace.value - s.trace.gap <= best + 1e-8)


def test_targets_are_not_rounded():
    """y in float64 beside X in float32: the problem certified is the one that was given."""
    y = Y + 1e-9 * np.arange(N)
    s = gh.minimize(gh.least_squares(X, y), gh.L1Ball(D, 2.0), stop=STOP)
    w = s.point.array()
    assert s.value == pytest.approx(0.5 * float(((X.astype(np.float64) @ w - y) ** 2).mean()), rel=1e-14)


def test_no_copy_in_double_precision():
    """The solve of a 16 MB matrix allocates less than the 32 MB that a copy would take."""
    rng = np.random.default_rng(0)
    A = rng.standard_normal((20_000, 200), dtype=np.float32)
    f, S = gh.least_squares(A, A[:, 0] + A[:, 1]), gh.L1Ball(200, 1.0)
    gh.minimize(f, S, stop=gh.Iterations(1))
    tracemalloc.start()
    s = gh.minimize(f, S, stop=gh.Relative(1e-4) | gh.Iterations(20))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert s.converged and peak < 20e6


def test_quadratic_form():
    Q = (X.T @ X / N).astype(np.float32)
    b = X.T @ Y / N
    f, S = gh.quadratic(Q, b), gh.Simplex(D)
    s = gh.minimize(f, S, stop=STOP)
    exact = gh.certify(gh.quadratic(Q.astype(np.float64), b), S, s.point)
    assert s.converged and s.value == pytest.approx(exact.value, rel=1e-12)
    assert s.gap == pytest.approx(exact.gap, rel=1e-3, abs=1e-12)


def test_log_likelihood():
    P = np.abs(X) + np.float32(0.01)
    f, S = gh.log_likelihood(P), gh.Simplex(D)
    s = gh.minimize(f, S, stop=STOP)
    best = gh.minimize(gh.log_likelihood(P.astype(np.float64)), S, stop=gh.Relative(1e-10)).value
    assert s.converged and s.certificate.lower <= best + 1e-14 and s.value - best <= s.gap + 1e-14


@pytest.mark.parametrize("target", [0.82843643, 123.456, 1e-6])
def test_equal_targets_and_an_intercept_are_no_drift(target):
    X = np.array([[2.0, 2.0], [0.0, -1.0], [-1.0, 2.0]], dtype=np.float32)
    for make in (gh.huber, gh.least_squares):
        f = make(X, np.full(3, target, dtype=np.float32), sample_weight=np.array([0.2, 0.5, 0.3]), intercept=True)
        for solver in (gh.BlendedPairwise(), gh.Corrective()):  # a DriftWarning is an error in tests
            assert gh.minimize(f, gh.Simplex(2), solver, stop=gh.Iterations(5)).certificate.kind == "always"


def test_atoms_that_cancel_count_in_float32_quadratics_too():
    """The norm of Q is that of its data, whoever reads them in float64: where Qw = 0, something was rounded all the same."""
    S = gh.Vertices(np.array([[2.0924603679e4], [-4.1849207358e4]]))
    f = gh.quadratic(np.array([[3.0]], dtype=np.float32))
    s = gh.minimize(f, S, gh.BlendedPairwise(), stop=gh.Iterations(5))
    assert s.gap > 0.0 and f.precise().rounding(s.point.copy(), S) > 0.0


@pytest.mark.parametrize("loss", [gh.least_squares, gh.huber, gh.absolute], ids=lambda loss: loss.__name__)
def test_the_intercept_is_as_good_as_the_certificate(loss):
    rng = np.random.default_rng(0)
    X32, t = rng.standard_normal((5, 2)).astype(np.float32), 1e6 * rng.standard_normal(5)
    s = gh.minimize(loss(X32, t, intercept=True), gh.L1Ball(2, 1.0))
    moved = loss(X32.astype(np.float64), t - s.intercept)  # the intercept that was told, and no other
    assert moved.value(gh.L1Ball(2, 1.0).decompose(s.x)) <= s.value + s.gap + 1e-15 * s.value
