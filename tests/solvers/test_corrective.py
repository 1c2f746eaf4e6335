"""Corrective: reaches the optimum that SciPy finds, is honest about it, and copes with the data that people have."""

import signal
import threading
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize as scipy_minimize

import greedyhull as gh
from greedyhull.driver.checkpoint import load_state, save_state
from greedyhull.driver.run import Run
from greedyhull.points.shapes import Basis

N, D = 40, 7
RNG = np.random.default_rng(11)
X = RNG.standard_normal((N, D))
Y = X @ np.array([1.5, -2.0, 0.0, 0.0, 0.7, 0.0, 0.0]) + 0.5 * RNG.standard_normal(N)
LABELS = np.where(Y + 0.8 * RNG.standard_normal(N) > 0, 1.0, -1.0)
COUNTS = RNG.poisson(np.exp(0.3 * X[:, 0] - 0.2 * X[:, 1])).astype(float)
P = np.abs(RNG.standard_normal((N, D))) * (RNG.random((N, D)) < 0.6) + 0.05 * np.eye(D)[RNG.integers(D, size=N)]
Q, B = X.T @ X / N, X.T @ Y / N
TIGHT = gh.Relative(1e-8) | gh.Iterations(500)

# f with its value and gradient in plain NumPy
OBJECTIVES = {
    "least_squares": (lambda: gh.least_squares(X, Y), lambda w: 0.5 * ((X @ w - Y) ** 2).mean(),
                      lambda w: X.T @ (X @ w - Y) / N),
    "logistic": (lambda: gh.logistic(X, LABELS), lambda w: np.logaddexp(0, -LABELS * (X @ w)).mean(),
                 lambda w: -X.T @ (LABELS / (1 + np.exp(LABELS * (X @ w)))) / N),
    "squared_hinge": (lambda: gh.squared_hinge(X, LABELS), lambda w: 0.5 * (np.maximum(1 - LABELS * (X @ w), 0) ** 2).mean(),
                      lambda w: -X.T @ (LABELS * np.maximum(1 - LABELS * (X @ w), 0)) / N),
    "huber": (lambda: gh.huber(X, Y, 0.3), lambda w: np.where(np.abs(X @ w - Y) <= 0.3, 0.5 * (X @ w - Y) ** 2,
                                                            0.3 * np.abs(X @ w - Y) - 0.045).mean(),
              lambda w: X.T @ np.clip(X @ w - Y, -0.3, 0.3) / N),
    "poisson": (lambda: gh.poisson(X, COUNTS), lambda w: (np.exp(X @ w) - COUNTS * (X @ w)).mean(),
                lambda w: X.T @ (np.exp(X @ w) - COUNTS) / N),
    "lp_loss": (lambda: gh.lp_loss(X, Y, 3.0), lambda w: (np.abs(X @ w - Y) ** 3).mean() / 3,
                lambda w: X.T @ (np.abs(X @ w - Y) * (X @ w - Y)) / N),
    "quadratic": (lambda: gh.quadratic(Q, B), lambda w: 0.5 * w @ Q @ w - B @ w, lambda w: Q @ w - B),
    "log_likelihood": (lambda: gh.log_likelihood(P), lambda w: -np.log(np.maximum(P @ w, 1e-300)).mean(),
                       lambda w: -P.T @ (1 / np.maximum(P @ w, 1e-300)) / N),
}

POINTS = np.random.default_rng(4).standard_normal((10, D))
# a set, and its hull for SciPy: u ↦ w, a start, bounds of u, constraints on u
SIGNED = np.hstack([np.eye(D), -np.eye(D)])
TOTAL = {"type": "eq", "fun": lambda u: u.sum() - 1.0, "jac": np.ones_like}
ROOM = {"type": "ineq", "fun": lambda u: 1.0 - u.sum(), "jac": lambda u: -np.ones_like(u)}
ROUND = {"type": "ineq", "fun": lambda u: 1.5**2 - u @ u, "jac": lambda u: -2.0 * u}
SETS = {
    "L1Ball": ((D, 1.5), 1.5 * SIGNED, (0, 1), [ROOM]),
    "Simplex": ((D,), np.eye(D), (0, 1), [TOTAL]),
    "CappedSimplex": ((D, 2.0), 2.0 * np.eye(D), (0, 1), [ROOM]),
    "Vertices": ((POINTS,), POINTS.T, (0, 1), [TOTAL]),
    "L2Ball": ((D, 1.5), np.eye(D), (-2, 2), [ROUND]),
    "LinfBall": ((D, 0.5), np.eye(D), (-0.5, 0.5), []),
    "Box": ((-0.2 * np.ones(D), np.linspace(0.1, 0.9, D)), np.eye(D), None, []),
}
POSITIVE = ("Simplex", "CappedSimplex")


def make(name):
    if not hasattr(gh, name):
        pytest.skip(f"greedyhull has no {name} yet")
    return getattr(gh, name)(*SETS[name][0])


@cache
def optimum(objective, name):
    """The least value that SciPy finds, at a point of the hull."""
    _, value, gradient = OBJECTIVES[objective]
    _, A, bounds, constraints = SETS[name]
    bounds = list(zip(-0.2 * np.ones(D), np.linspace(0.1, 0.9, D), strict=True)) if bounds is None else [bounds] * A.shape[1]
    u = np.full(A.shape[1], 0.5 / A.shape[1] if constraints == [ROOM] else 1.0 / A.shape[1])
    for _ in range(4):
        found = scipy_minimize(lambda u: value(A @ u), u, jac=lambda u: A.T @ gradient(A @ u), bounds=bounds,
                               constraints=constraints, method="SLSQP", options={"ftol": 1e-16, "maxiter": 1000})
        u = np.clip(found.x, *np.array(bounds).T)
        if constraints == [ROUND]:
            u = u * min(1.0, 1.5 / np.linalg.norm(u))
        elif constraints == [ROOM]:
            u = u / max(1.0, u.sum())
        elif constraints:
            u = u / u.sum()
    return float(value(A @ u))


CASES = [(f, S) for f in OBJECTIVES for S in SETS if f != "log_likelihood" or S in POSITIVE]


@pytest.mark.parametrize("objective, name", CASES)
def test_reaches_the_optimum_and_proves_it(objective, name):
    make_f, value, _ = OBJECTIVES[objective]
    f, S = make_f(), make(name)
    s = gh.minimize(f, S, gh.Corrective(), stop=TIGHT)
    best = optimum(objective, name)
    assert s.converged, s.reason
    assert S.contains(s.point)
    assert s.value == pytest.approx(value(s.point.array()), rel=1e-12, abs=1e-14)
    assert s.certificate.lower <= best + 1e-15 * abs(best), "the lower bound lies above a value that is attained"
    assert s.value - best <= s.gap + 1e-14
    assert best - s.value <= 1e-7 * (abs(best) + 1e-2), "SciPy's point should be almost as good"


@pytest.mark.parametrize("objective, name", CASES)
def test_every_iteration_is_feasible_honest_and_no_worse(objective, name):
    f, S, best = OBJECTIVES[objective][0](), make(name), optimum(objective, name)
    seen = []

    def watch(event):
        seen.append(event.value)
        assert event.lower <= best + 1e-14 * (1 + abs(best))
        assert S.contains(event.point)
        assert (event.point.weights > 0).all() and abs(event.point.weights.sum() - 1) < 1e-12

    gh.minimize(f, S, gh.Corrective(), stop=gh.Relative(1e-10) | gh.Iterations(60), watch=watch)
    assert all(after <= before + 1e-14 * (1 + abs(before)) for before, after in pairwise(seen))


@pytest.mark.parametrize("objective", ["least_squares", "quadratic"])
@pytest.mark.parametrize("name", ["L1Ball", "Simplex", "Vertices", "CappedSimplex"])
@pytest.mark.parametrize("batch", [1, 30])
def test_rate_and_finite_end_for_quadratics(objective, name, batch):
    """Error at most 2M/(k + 3), and on polytopes the end comes after few rounds."""
    f, S, best = OBJECTIVES[objective][0](), make(name), optimum(objective, name)
    M = float(f.curvature(S))
    errors = []
    s = gh.minimize(f, S, gh.Corrective(batch=batch), stop=gh.Relative(1e-11) | gh.Iterations(100),
                    watch=lambda event: errors.append(event.value - best))
    k = np.arange(1, len(errors))
    assert (np.array(errors[1:]) <= 2 * M / (k + 3) + 1e-12).all()
    assert s.converged and s.iterations <= 30


# --- the data that people have ------------------------------------------------------------------------------------------


def solves(f, S, **how):
    s = gh.minimize(f, S, gh.Corrective(), **{"stop": TIGHT, **how})
    assert s.converged, s.reason
    assert S.contains(s.point)
    return s


def test_twin_constant_and_empty_columns():
    A = np.column_stack([X[:, 0], X[:, 0], np.ones(N), np.zeros(N), X[:, 1], -X[:, 1], np.zeros(N)])
    plain = solves(gh.least_squares(np.column_stack([X[:, 0], np.ones(N), X[:, 1]]), Y), gh.L1Ball(3, 2.5))
    for B in (A, np.asfortranarray(A), sparse.csr_array(A), sparse.csc_array(A)):
        for f in (gh.least_squares(B, Y), gh.logistic(B, LABELS), gh.huber(B, Y, 0.1)):
            s = solves(f, gh.L1Ball(7, 2.5))
            if f.name == "least_squares":
                assert s.value == pytest.approx(plain.value, rel=1e-7)


def test_all_columns_empty():
    for f in (gh.least_squares(np.zeros((4, 3)), np.arange(4.0)), gh.logistic(np.zeros((4, 3)), [1, -1, 1, 1])):
        assert solves(f, gh.L1Ball(3, 1.0)).iterations <= 1


@pytest.mark.parametrize("n, d", [(1, 1), (1, 5), (5, 1), (2, 30)])
def test_tiny_shapes(n, d):
    rng = np.random.default_rng(n + d)
    A, y = rng.standard_normal((n, d)), rng.standard_normal(n)
    for S in (gh.L1Ball(d, 0.3), gh.L1Ball(d, 50.0), gh.Simplex(d), gh.Simplex(d, 5.0)):
        for f in (gh.least_squares(A, y), gh.huber(A, y, 0.2), gh.logistic(A, np.where(y > 0, 1, -1))):
            assert S.contains(solves(f, S).point)
    for S in (gh.L1Ball(d, 0.3), gh.L1Ball(d, 3.0), gh.Simplex(d)):
        assert S.contains(solves(gh.quadratic(A.T @ A, A.T @ y), S).point)


@pytest.mark.parametrize("d, rank", [(7, 7), (7, 3), (60, 40)])
def test_an_inactive_constraint_gives_least_squares(d, rank):
    """The optimum lies inside: the value is that of the unconstrained problem, also where X has no full rank."""
    rng = np.random.default_rng(d)
    A = rng.standard_normal((N, rank)) @ rng.standard_normal((rank, d)) / np.sqrt(rank)
    w = np.linalg.lstsq(A, Y, rcond=None)[0]
    best = 0.5 * ((A @ w - Y) ** 2).mean()
    for radius in (1.5 * np.abs(w).sum(), 30.0 * np.abs(w).sum()):
        s = solves(gh.least_squares(A, Y), gh.L1Ball(d, radius))
        assert s.value == pytest.approx(best, rel=1e-7, abs=1e-7 * s.trace.rows[0][2])


def test_a_tiny_radius():
    for f in (gh.least_squares(X, Y), gh.logistic(X, LABELS), gh.poisson(X, COUNTS), gh.lp_loss(X, Y, 3.0)):
        s = solves(f, gh.L1Ball(D, 1e-5), stop=gh.Gap(1e-12))
        assert np.abs(s.point.array()).sum() == pytest.approx(1e-5, rel=1e-5), "the whole budget is used"


def test_the_optimum_at_zero():
    """y = 0: the start is the optimum, and the run ends there."""
    s = solves(gh.least_squares(X, np.zeros(N)), gh.L1Ball(D, 1.0), stop=gh.Gap(1e-20))
    assert s.value == 0.0 and s.iterations == 0
    s = solves(gh.huber(X, np.zeros(N), 0.1), gh.L1Ball(D, 1.0), start=Basis(2, 1.0), stop=gh.Gap(1e-10))
    assert s.value <= 1e-10 and np.abs(s.point.array()).max() < 1e-4


def test_separable_classes_and_a_huge_radius():
    """The loss runs to zero with the radius; the run neither overflows nor claims more than it has."""
    labels = np.where(X[:, 0] > 0, 1.0, -1.0)
    for radius in (10.0, 1e3, 1e5):
        margins = radius * labels * X[:, 0]
        for f, attained in ((gh.logistic(X, labels), np.logaddexp(0.0, -margins).mean()),
                            (gh.squared_hinge(X, labels), 0.5 * (np.maximum(1.0 - margins, 0.0) ** 2).mean())):
            s = gh.minimize(f, gh.L1Ball(D, radius), gh.Corrective(), stop=TIGHT | gh.Gap(1e-12))
            assert s.converged, s.reason
            assert s.certificate.lower <= attained and 0.0 <= s.value <= attained + s.gap


@pytest.mark.parametrize("delta", [1e-4, 1e-2])
@pytest.mark.parametrize("intercept", [False, True], ids=["", "intercept"])
def test_samples_in_the_flat_part_of_the_loss(delta, intercept):
    """Huber far from its targets has no curvature: a Newton step is no more than a direction there."""
    far = Y + 50.0 * np.sign(Y)
    for y in (Y, far):
        f = gh.huber(X, y, delta, intercept=intercept)
        for S in (gh.L1Ball(D, 2.0), gh.Simplex(D)):
            s = solves(f, S)
            other = gh.minimize(f, S, gh.BlendedPairwise(), stop=gh.Relative(1e-5) | gh.Iterations(3000))
            assert s.value <= other.value + s.gap and other.value - other.gap <= s.value


def test_a_hinge_that_is_satisfied_everywhere():
    labels = np.where(X[:, 0] > 0, 1, -1)
    A = X + 2.0 * labels[:, None] * np.eye(D)[0]
    s = gh.minimize(gh.squared_hinge(A, labels), gh.L1Ball(D, 3.0), gh.Corrective(), stop=gh.Gap(1e-12) | gh.Iterations(100))
    assert s.converged and s.value <= 1e-12


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 12), d=st.integers(1, 8), radius=st.sampled_from([0.1, 1.0, 10.0]),
       loss=st.sampled_from(["least_squares", "logistic", "squared_hinge", "huber", "poisson", "lp_loss", "log_likelihood"]),
       simplex=st.booleans(), spoiled=st.booleans())
def test_agrees_with_blended_pairwise(seed, n, d, radius, loss, simplex, spoiled):
    rng = np.random.default_rng(seed)
    A = np.round(rng.standard_normal((n, d)), 1 if spoiled else 9)
    if spoiled:
        A[:, rng.integers(d)] = A[:, rng.integers(d)]
        A[rng.integers(n)] = 0.0
    y = rng.standard_normal(n)
    labels = np.where(y > 0, 1, -1)
    f = {"least_squares": lambda: gh.least_squares(A, y), "logistic": lambda: gh.logistic(A, labels),
         "squared_hinge": lambda: gh.squared_hinge(A, labels), "huber": lambda: gh.huber(A, y, 0.1),
         "poisson": lambda: gh.poisson(np.clip(A, -2, 2), np.abs(y)), "lp_loss": lambda: gh.lp_loss(A, y, 4.0),
         "log_likelihood": lambda: gh.log_likelihood(np.abs(A) + 0.01 * (np.arange(d) == 0))}[loss]()
    S = gh.Simplex(d, radius) if simplex or loss == "log_likelihood" else gh.L1Ball(d, radius)
    s = gh.minimize(f, S, gh.Corrective(), stop=gh.Relative(1e-8) | gh.Iterations(300))
    other = gh.minimize(f, S, gh.BlendedPairwise(), stop=gh.Relative(1e-6) | gh.Iterations(500))
    assert s.converged, s.reason
    assert s.value - s.gap <= other.value and other.value - other.gap <= s.value


# --- starts, repeats, states --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("objective", ["least_squares", "logistic", "poisson", "quadratic"])
def test_warm_starts(objective):
    f, S = OBJECTIVES[objective][0](), make("L1Ball")
    cold = solves(f, S)
    x = cold.point.array()
    before = x.copy()
    for start in (x, cold.point):
        warm = solves(f, S, start=start)
        assert warm.iterations <= 1 and warm.value == pytest.approx(cold.value, rel=1e-8)
    far = solves(f, S, start=Basis(6, -1.5))
    near = solves(f, S, start=0.95 * x)
    spread = solves(f, S, start=np.full(D, 1.5 / D))
    for s in (far, near, spread):
        assert s.value == pytest.approx(cold.value, rel=1e-7)
    np.testing.assert_array_equal(x, before)
    np.testing.assert_array_equal(cold.point.array(), before)


def test_a_start_on_every_atom():
    """All atoms at work at once, of which most must leave."""
    f = gh.least_squares(X, Y)
    S = gh.L1Ball(D, 1.5)
    w = gh.Simplex(D).centre().array()
    s = solves(f, S, start=1.5 * w)
    assert len(s.point) <= D + 1 and s.value == pytest.approx(optimum("least_squares", "L1Ball"), rel=1e-7)


RESUMED = {
    "least_squares": lambda: gh.least_squares(X, Y),
    "sparse": lambda: gh.least_squares(sparse.csr_array(np.where(np.abs(X) > 1.2, X, 0)), Y),
    "logistic": lambda: gh.logistic(X, LABELS),
    "weighted": lambda: gh.logistic(X, LABELS, sample_weight=np.arange(1.0, N + 1)),
    "intercept": lambda: gh.huber(X, Y, 0.3, intercept=True),
    "poisson": lambda: gh.poisson(X, COUNTS),
    "float32": lambda: gh.logistic(X.astype(np.float32), LABELS),
    "quadratic": lambda: gh.quadratic(Q, B),
    "log_likelihood": lambda: gh.log_likelihood(P),
}


def story(s):
    """What a run did, without the clock, and without the work that is done again after a resume."""
    trace = s.trace
    columns = [trace[name].tolist() for name in ("iteration", "value", "atoms", "oracle_calls")]
    return list(zip(*columns, strict=True)), trace.steps[:], s.point.array().tobytes()


@pytest.mark.parametrize("name", RESUMED)
@pytest.mark.parametrize("solver", [gh.Corrective(), gh.Corrective(batch=1, steps=1)], ids=["default", "slow"])
def test_resumed_runs_are_equal_bit_by_bit(name, solver, tmp_path):
    f = RESUMED[name]()
    S = gh.Simplex(D) if name == "log_likelihood" else gh.L1Ball(D, 2.5)
    stop = gh.Relative(1e-9) | gh.Iterations(25)
    whole = gh.minimize(f, S, solver, stop=stop)
    run = Run(f, S, solver, None, stop, 0)
    run.watchers = [lambda event: save_state(tmp_path / f"{event.iteration}.npz", run.state())]
    run.solve()
    rows, steps, point = story(whole)
    for k in range(whole.iterations):
        again = Run(RESUMED[name](), S, solver, None, stop, 0)
        again.restore(load_state(tmp_path / f"{k}.npz"))
        new_rows, new_steps, new_point = story(again.solve())
        assert new_rows == rows, f"resumed at {k}"
        assert new_steps == steps and new_point == point
        # of rounds that nobody saw the gap is known before its rounding, which is that of the point last looked at
        near = 1e-6 if name == "float32" else 1e-12
        assert again.trace.gap == pytest.approx(whole.trace.gap, rel=1e-5, abs=near), f"resumed at {k}"


def test_checkpoint_and_resume_through_minimize(tmp_path):
    path = tmp_path / "state.npz"
    f, S = gh.logistic(X, LABELS), gh.L1Ball(D, 2.5)
    gh.minimize(f, S, gh.Corrective(batch=1), stop=gh.Iterations(2), checkpoint=path)
    s = gh.minimize(f, S, gh.Corrective(batch=1), stop=TIGHT, resume=path)
    assert s.converged and s.iterations >= 2
    whole = gh.minimize(f, S, gh.Corrective(batch=1), stop=TIGHT)
    assert s.value == whole.value and s.gap == whole.gap


def test_runs_repeat_and_seeds_do_not_matter():
    f, S = gh.logistic(X, LABELS), gh.L1Ball(D, 2.5)
    first = story(gh.minimize(f, S, gh.Corrective(), stop=TIGHT))
    assert story(gh.minimize(f, S, gh.Corrective(), stop=TIGHT)) == first
    assert story(gh.minimize(gh.logistic(X.copy(), LABELS), S, gh.Corrective(), stop=TIGHT, seed=5)) == first


def test_inputs_are_left_alone():
    A, y, weights = X.copy(), Y.copy(), np.linspace(0.1, 1, N)
    S = sparse.csr_array(np.where(np.abs(X) > 1, X, 0.0))
    kept = [A.copy(), y.copy(), weights.copy(), S.copy()]
    for array in (A, y, weights, S.data, S.indices, S.indptr):
        array.flags.writeable = False
    for data in (A, S):
        solves(gh.least_squares(data, y, sample_weight=weights), gh.L1Ball(D, 2.0))
        solves(gh.logistic(data, np.sign(y)), gh.L1Ball(D, 2.0))
        solves(gh.huber(data, y, intercept=True), gh.L1Ball(D, 2.0))
    for now, then in zip((A, y, weights), kept, strict=False):
        np.testing.assert_array_equal(now, then)
    np.testing.assert_array_equal(S.toarray(), kept[3].toarray())


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="signals reach the main thread only")
def test_ctrl_c_ends_at_a_certified_point():
    def press(event):
        if event.iteration == 1:
            signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        s = gh.minimize(gh.logistic(X, LABELS), gh.L1Ball(D, 2.5), gh.Corrective(batch=1), stop=gh.Gap(0.0), watch=press)
    finally:
        signal.signal(signal.SIGINT, before)
    assert s.iterations == 1 and not s.converged and "Interrupted" in s.reason
    best = gh.minimize(gh.logistic(X, LABELS), gh.L1Ball(D, 2.5), stop=TIGHT).value
    assert s.value - best <= s.gap


# --- what it is not for -------------------------------------------------------------------------------------------------


BLACK_BOX = gh.function(lambda w: 0.5 * float(w @ w), lambda w: w, D, smoothness=1.0)


@pytest.mark.parametrize("f", [gh.lp_loss(X, Y, 1.5), BLACK_BOX], ids=repr)
def test_refuses_what_has_no_finite_hessian_and_names_the_remedy(f):
    with pytest.raises(gh.GreedyhullError, match="BlendedPairwise"):
        gh.minimize(f, gh.L1Ball(D, 1.0), gh.Corrective())
    assert gh.minimize(f, gh.L1Ball(D, 1.0), stop=gh.Gap(1e-3)).converged, "the default solver copes"


def test_it_is_the_default_where_it_can_be():
    assert isinstance(gh.minimize(gh.least_squares(X, Y), gh.L1Ball(D, 1.0)).solver, gh.Corrective)
    assert repr(gh.Corrective()) == "Corrective(batch=20, steps=5)"


@pytest.mark.parametrize("seed", range(4))
def test_a_box_whose_optimum_lies_inside(seed):
    """2^20 vertices of which hundreds come in: only as many stay as there are dimensions, and the end is reached."""
    if not hasattr(gh, "LinfBall"):
        pytest.skip("greedyhull has no LinfBall yet")
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((30, 20))
    y = A @ rng.uniform(-0.9, 0.9, 20) + 0.1 * rng.standard_normal(30)
    s = solves(gh.least_squares(A, y), gh.LinfBall(20, 1.0), stop=gh.Relative(1e-8) | gh.Iterations(60))
    assert len(s.point) <= 40
