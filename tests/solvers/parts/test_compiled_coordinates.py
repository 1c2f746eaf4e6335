"""Corrective rounds in coordinates in the core: they agree with those of Python, and hand over what NumPy computes."""

import os
import signal
import threading
from itertools import product

import compiled_problems
import numpy as np
import pytest
from compiled_problems import COUNTS, LABELS, LOSSES, OPTIONS, POSITIVE, STORAGES, D, N, X, Y, check_handed_over
from scipy import sparse

import greedyhull as gh
from greedyhull.kernels.core import core
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.solvers import corrective
from greedyhull.solvers.parts import working_set as directions
from greedyhull.solvers.parts.compiled_loop import CompiledCoordinates, compiled_coordinates

WIDE = np.random.default_rng(6).standard_normal((N, 300))

SETS = {
    "Box": gh.Box(np.linspace(-1.0, 0.0, D), np.linspace(0.1, 2.0, D)),
    "Box, a side of no length": gh.Box(np.linspace(0.1, 0.5, D), np.where(np.arange(D) == 3, 0.1 + 0.4 * 3 / 7, 1.0)),
    "LinfBall": gh.LinfBall(D, 0.4),
    "L2Ball": gh.L2Ball(D, 0.7),
    "L2Ball, shifted": gh.L2Ball(D, 0.9, centre=np.linspace(0.2, 0.6, D)),
    "bounded simplex": gh.Simplex(D, 1.5, upper=0.4),
    "uneven simplex": gh.Simplex(D, 1.0, upper=np.linspace(0.0, 0.5, D)),
    "caps on groups": gh.GroupedSimplex(np.arange(D) % 3, upper=np.linspace(0.1, 0.9, D), group_upper=[0.7, 0.5, 0.6],
                                        total=1.5),
}
INSIDE = ("Box, a side of no length", "bounded simplex", "uneven simplex", "caps on groups")  # of the domain of log
TIGHT = gh.Relative(1e-8) | gh.Iterations(100)


def made(loss, name, storage, options):
    """An objective and its set, or None where there is no such objective."""
    if loss == "log_likelihood" and (options[2] or name not in INSIDE):
        return None
    return compiled_problems.made(loss, storage, options), SETS[name]


def by_core(monkeypatch, f, S, **how):
    return compiled_problems.by_core(monkeypatch, CompiledCoordinates, f, S, **{"stop": TIGHT, **how})


def by_reference(monkeypatch, f, S, **how):
    return compiled_problems.by_reference(monkeypatch, "compiled_coordinates", f, S, **{"stop": TIGHT, **how})


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("loss", LOSSES)
def test_core_and_reference_agree(loss, name, monkeypatch):
    """Both are certified, and some value is possible by both certificates; each storage meets other options."""
    first = list(LOSSES).index(loss) + 5 * list(SETS).index(name)
    for i, storage in enumerate(STORAGES):
        for options in (OPTIONS[(first + 3 * i) % 16], OPTIONS[(first + 3 * i + 7) % 16]):
            both = made(loss, name, storage, options)
            if both is None:
                continue
            f, S = both
            s, seen = by_core(monkeypatch, f, S)
            rough = options[0] is np.float32  # the Python rounds compute in float32, the core does not
            other = by_reference(monkeypatch, f, S, stop=gh.Relative(1e-5) if rough else TIGHT)
            about = f"{storage}, {options}"
            assert s.converged and other.converged, f"{about}: {s.reason} {other.reason}"
            assert max(s.certificate.lower, other.certificate.lower) <= min(s.value, other.value), about
            assert S.contains(s.point.array(), 1e-14), about
            check_handed_over(f, seen)


@pytest.mark.parametrize("l2", [0.0, 0.3])
@pytest.mark.parametrize("name", SETS)
def test_the_gap_is_that_of_the_oracle(name, l2):
    """Rounds that nobody sees rest on the core's own gap."""
    S = SETS[name]
    for y in (Y, 20.0 * POSITIVE.sum(axis=1)):
        f = gh.least_squares(POSITIVE, y, l2=l2)
        w = CoordinateIterate(S.centre().array())
        rounds = compiled_coordinates(f, S, w, 5, False)
        g = f.gradient(w)
        assert rounds.gap == pytest.approx(f.gradient_dot(w) - S.argmin(g).dot(g), rel=1e-12)


@pytest.mark.parametrize("storage", ["C", "F", "both apart", "CSR"])
@pytest.mark.parametrize("name", SETS)
def test_quadratic_forms(name, storage, monkeypatch):
    """z = Qw, z − b is the gradient; also where Q has no rank, is in float32 or is large compared with b."""
    S = SETS[name]
    Q0, b0 = X.T @ X, X.T @ Y
    for Q, b in ((Q0, b0), (np.zeros((D, D)), b0), (np.outer(X[0], X[0]), np.zeros(D)), (1e6 * Q0, b0),
                 (Q0.astype(np.float32), b0)):
        f = gh.quadratic(STORAGES[storage](Q), b)
        stop = gh.Relative(1e-5 if Q.dtype == np.float32 else 1e-8, floor=1.0) | gh.Iterations(100)
        s, seen = by_core(monkeypatch, f, S, stop=stop)
        other = by_reference(monkeypatch, f, S, stop=stop)
        assert s.converged and S.contains(s.point.array(), 1e-14), s.reason
        assert max(s.certificate.lower, other.certificate.lower) <= min(s.value, other.value)
        for x, z, value, _, gradient in seen:
            true, size = Q.astype(float) @ x, (np.abs(Q) @ np.abs(x)).max()
            both = size + np.abs(b).max()
            assert np.abs(z - true).max() <= 1e-14 * size and np.abs(gradient - (true - b)).max() <= 1e-14 * both
            assert value == pytest.approx(0.5 * x @ true - b @ x, abs=1e-14 * both * np.abs(x).sum())


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("name", ["bounded simplex", "uneven simplex", "caps on groups"])
def test_quadratics_by_their_factors(name, order, monkeypatch):
    """f(w) = ½‖Fw‖² + ½ΣDw² − bᵀw, also without a diagonal, with a single factor, and with factors of no size."""
    S = SETS[name]
    for F, D_, b in ((X, np.linspace(0.1, 1.0, D), Y[:D]), (X[:3], None, Y[:D]), (X[:1], np.ones(D), np.zeros(D)),
                     (np.zeros((2, D)), np.ones(D), Y[:D]), (1e4 * X, np.full(D, 1e-3), Y[:D])):
        f = gh.quadratic(D_, b, factors=np.array(F, order=order))
        stop = gh.Relative(1e-8, floor=1.0) | gh.Iterations(100)
        s, seen = by_core(monkeypatch, f, S, stop=stop)
        other = by_reference(monkeypatch, f, S, stop=stop)
        assert s.converged and S.contains(s.point.array(), 1e-14), s.reason
        assert max(s.certificate.lower, other.certificate.lower) <= min(s.value, other.value)
        Q = F.T @ F + np.diag(np.zeros(D) if D_ is None else D_)
        for x, z, value, _, gradient in seen:
            size = (np.abs(F).T @ (np.abs(F) @ np.abs(x))).max() + np.abs(x).max() + np.abs(b).max()
            assert np.abs(z - Q @ x).max() <= 1e-14 * size and np.abs(gradient - (Q @ x - b)).max() <= 1e-14 * size
            assert value == pytest.approx(0.5 * x @ Q @ x - b @ x, abs=1e-14 * size * np.abs(x).sum())


@pytest.mark.parametrize("seed", range(4))
def test_large_portfolios_agree_with_python(seed, monkeypatch):
    """More coordinates than are solved for together at first; some groups are closed, some full."""
    rng = np.random.default_rng(seed)
    d = (150, 400, 900, 2500)[seed]
    of = rng.integers(0, 7, d)
    caps = np.where(rng.random(d) < 0.1, 0.0, rng.uniform(0.01, 0.05, d))
    S = gh.GroupedSimplex(of, upper=caps, group_upper=[0.0, 0.3, 0.2, 0.15, 0.3, 0.4, 1.0])
    F, b = rng.standard_normal((12, d)), 0.3 * rng.standard_normal(d)
    f = gh.quadratic(rng.uniform(0.01, 0.1, d), b, factors=F)
    s, _ = by_core(monkeypatch, f, S, stop=gh.Relative(1e-9))
    other = by_reference(monkeypatch, f, S, stop=gh.Relative(1e-9))
    assert s.converged and other.converged and S.contains(s.x, 1e-13)
    assert max(s.certificate.lower, other.certificate.lower) <= min(s.value, other.value)


# --- who watches, and when it ends --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("loss", ["least_squares", "logistic", "huber", "quantile, smoothed"])
def test_the_points_are_the_same_whoever_watches(loss, name):
    f, S = LOSSES[loss](X, intercept=True), SETS[name]
    alone = gh.minimize(f, S, gh.Corrective(steps=1), stop=TIGHT)
    points = []
    watched = gh.minimize(f, S, gh.Corrective(steps=1), stop=TIGHT, watch=lambda event: points.append(event.point.array()))
    assert watched.point.array().tobytes() == alone.point.array().tobytes()
    assert watched.iterations == alone.iterations and len(points) == alone.iterations + 1
    assert alone.trace.value.tolist() == watched.trace.value.tolist()


def test_nobody_watching_means_one_call(monkeypatch):
    calls, advance = [], CompiledCoordinates.advance
    monkeypatch.setattr(CompiledCoordinates, "advance", lambda *given: calls.append(1) or advance(*given))
    s = gh.minimize(LOSSES["logistic"](X), SETS["Box"], gh.Corrective(steps=1), stop=gh.Relative(1e-6))
    assert s.converged and s.iterations > 1 and len(calls) == 1


@pytest.fixture
def long_one(monkeypatch):
    """A problem that stays in the core for many seconds."""
    def left(*given):
        raise AssertionError("the core ended by itself")

    monkeypatch.setattr(corrective, "coordinate_rounds", left)
    rng = np.random.default_rng(0)
    A = rng.standard_normal((3000, 300))
    return gh.quantile(A, A[:, 0] + rng.standard_normal(3000), 0.3).smoothed(1e-6), gh.LinfBall(300, 0.3)


def test_seconds_act_inside(long_one):
    f, S = long_one
    s = gh.minimize(f, S, gh.Corrective(steps=1), stop=gh.Gap(0.0) | gh.Seconds(0.3))
    assert "seconds" in s.reason and S.contains(s.point.array(), 1e-14)


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
def test_ctrl_c_acts_inside(long_one):
    f, S = long_one
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        s = gh.minimize(f, S, gh.Corrective(steps=1), stop=gh.Gap(0.0))
    finally:
        timer.join()
    assert "nterrupt" in s.reason and S.contains(s.point.array(), 1e-14)


# --- states -------------------------------------------------------------------------------------------------------------


def tall(n, d=5):
    """So many rows that Hessians are sampled early."""
    rng = np.random.default_rng(n)
    A = rng.standard_normal((n, d))
    return A, np.sign(A @ np.linspace(1.0, -1.0, d) + rng.standard_normal(n))


SAVED = {
    "sampled Hessian": lambda: (gh.logistic(*tall(6000)), gh.LinfBall(5, 0.4)),
    "intercept": lambda: (gh.logistic(X, LABELS, intercept=True), gh.Simplex(D, 6.0, upper=2.0)),
    "multiplier": lambda: (gh.logistic(X, LABELS), SETS["L2Ball, shifted"]),
    "sparse": lambda: (gh.huber(sparse.csr_array(X), Y, 0.3), SETS["Box"]),
    "ridge": lambda: (gh.poisson(X, COUNTS, l2=0.1), SETS["uneven simplex"]),
    "asked": lambda: (gh.absolute(X, Y).smoothed(0.1), SETS["Box"]),
    "groups": lambda: (gh.logistic(X, LABELS), SETS["caps on groups"]),
    "span": lambda: (gh.logistic(WIDE, LABELS), gh.L2Ball(300, 2.0, centre=np.full(300, 0.01))),
    "span, full": lambda: (gh.huber(WIDE, Y, 0.3), gh.L2Ball(300, 2.0)),
}


@pytest.mark.parametrize("name", SAVED)
def test_a_resumed_run_is_equal_bit_by_bit(name, tmp_path, monkeypatch):
    monkeypatch.setattr(directions, "SPANNED", 6 if "full" in name else 300)
    solver, stop = gh.Corrective(steps=1), gh.Relative(1e-10) | gh.Iterations(20)
    f, S = SAVED[name]()
    whole = gh.minimize(f, S, solver, stop=stop)
    assert whole.iterations > 1
    for k in range(whole.iterations):
        path = tmp_path / f"{k}.npz"
        gh.minimize(f, S, solver, stop=stop | gh.Iterations(k), checkpoint=path)
        again = gh.minimize(*SAVED[name](), solver, stop=stop, resume=path)
        assert again.trace.value[k:].tolist() == whole.trace.value[k:].tolist(), f"resumed at {k}"
        assert again.point.array().tobytes() == whole.point.array().tobytes()
        assert again.gap == pytest.approx(whole.gap, rel=1e-12)


def test_where_the_core_can_do_no_more_python_goes_on(monkeypatch, tmp_path):
    """The rounds go on with the same count, and a state that is saved after that is taken up by Python."""
    f, S, solver = gh.logistic(X, LABELS), gh.LinfBall(D, 2.5), gh.Corrective(steps=1)
    advance, left = CompiledCoordinates.advance, [1]

    def failing(rounds, w, memory, *ahead):
        left[0] -= 1
        return left[0] >= 0 and advance(rounds, w, memory, *ahead)

    monkeypatch.setattr(CompiledCoordinates, "advance", failing)
    whole = gh.minimize(f, S, solver, stop=TIGHT, watch=lambda event: None)
    assert whole.converged and left[0] < 0 and whole.trace.iteration.tolist() == list(range(whole.iterations + 1))
    left[0] = 1
    gh.minimize(f, S, solver, stop=gh.Iterations(3), checkpoint=tmp_path / "state.npz")
    left[0] = 1000
    again = gh.minimize(f, S, solver, stop=TIGHT, resume=tmp_path / "state.npz")
    assert left[0] == 1000, "the core is not asked again"
    assert again.trace.value[3:].tolist() == whole.trace.value[3:].tolist()


# --- the edge of its range ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [80.0, 1e3])
@pytest.mark.parametrize("loss", [loss for loss in LOSSES if loss != "log_likelihood"])
def test_an_intercept_far_away_is_found(loss, scale, monkeypatch):
    """Images of hundreds: slopes are exponentials or constants there. A wrong intercept would make a false certificate."""
    f = LOSSES[loss](X, intercept=True)
    far = np.full(D, scale)
    for S in (gh.Box(far, 1.1 * scale), gh.L2Ball(D, 1.0, centre=far), gh.Simplex(D, scale, upper=0.4 * scale)):
        stop = gh.Relative(1e-6) | gh.Iterations(20)
        s = gh.minimize(f, S, gh.Corrective(), stop=stop)
        other = by_reference(monkeypatch, f, S, stop=stop)
        assert max(s.certificate.lower, other.certificate.lower) <= min(s.value, other.value), S
        assert s.value == pytest.approx(f.exact.value(X @ s.point.array()), rel=1e-9, abs=1e-12)


def test_more_coordinates_than_are_solved_for_together(monkeypatch):
    """Those with the largest shares of the gap are taken, and a Frank-Wolfe step moves the others."""
    rng = np.random.default_rng(0)
    A = rng.standard_normal((20, 2300))
    f = gh.least_squares(A, A[:, :50].sum(axis=1), l2=0.01)
    for S in (gh.LinfBall(2300, 0.01), gh.Simplex(2300, upper=1e-3)):
        s, _ = by_core(monkeypatch, f, S, stop=gh.Relative(1e-6) | gh.Iterations(60))
        other = by_reference(monkeypatch, f, S, stop=gh.Relative(1e-6) | gh.Iterations(60))
        assert s.converged and S.contains(s.point.array(), 1e-14), s.reason
        assert max(s.certificate.lower, other.certificate.lower) <= min(s.value, other.value)


@pytest.mark.parametrize("seed", range(10))
def test_a_quadratic_keeps_the_hessian_of_coordinates_that_stay(seed):
    """Others join and leave, before and behind them: with a wrong Hessian, rounds would be many."""
    rng = np.random.default_rng(seed)
    A, y = rng.standard_normal((6, 20)), rng.standard_normal(6)
    for data, S in product((A, sparse.csr_array(A)), (gh.Simplex(20, upper=0.4), gh.Box(np.zeros(20), 1.0))):
        s = gh.minimize(gh.least_squares(data, y, l2=0.01), S, gh.Corrective(), stop=gh.Relative(1e-9) | gh.Iterations(8))
        assert s.converged, s.reason


@pytest.mark.parametrize("given", [{"x": np.zeros(3)}, {"one": np.zeros(3)}, {"loss": (0, 0.0, np.zeros(3), np.ones(1))},
                                   {"kind": 7}])
def test_what_does_not_fit_is_refused(given):
    how = {"X": X, "loss": (0, 0.0, Y, np.ones(1)), "kind": 0, "one": np.zeros(D), "x": np.zeros(D), **given}
    with pytest.raises(ValueError, match="wanted"):
        core.dense_region_rounds(how["X"], how["loss"], True, False, how["kind"], how["one"], np.ones(D), 1.0, 0.0, 5, False,
                                 2000).begin(
            how["x"], True)
