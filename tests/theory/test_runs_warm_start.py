"""The library's own runs keep a good start: the count of 2/(k + 2) begins at 2M/e_0 - 2."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import greedyhull as gh
from greedyhull.errors import GreedyhullError
from greedyhull.objectives.lines import Parabola
from greedyhull.theory import late_start_rate, recursion, warm_start_index, warm_start_rate

RNG = np.random.default_rng(4)
A, Y = RNG.normal(size=(20, 7)), RNG.normal(size=20)
PROBLEMS = {
    "least squares, l1 ball": (gh.least_squares(A, Y), gh.L1Ball(7, 1.0)),
    "logistic, l1 ball": (gh.logistic(A, np.sign(Y)), gh.L1Ball(7, 3.0)),
    "quadratic, simplex": (gh.quadratic(A.T @ A, A.T @ Y), gh.Simplex(7)),
    "skew quadratic, simplex": (gh.quadratic(np.diag(10.0 ** np.arange(4)), np.array([0.7, 0.1, 0.1, 0.1])), gh.Simplex(4)),
    "far vertex": (gh.quadratic(np.diag([1.0, 400.0]), np.array([0.5, 0.1])), gh.L1Ball(2, 1.0)),
}
problems = pytest.mark.parametrize("f, S", PROBLEMS.values(), ids=PROBLEMS)
k = np.arange(101)


def near(f, S, steps):
    start = gh.minimize(f, S, gh.BlendedPairwise(), stop=gh.Iterations(steps)).point
    lower = gh.minimize(f, S, gh.Corrective(), stop=gh.Gap(1e-13) | gh.Iterations(100)).certificate.lower
    return start, lower


@problems
@pytest.mark.parametrize("steps", [1, 3, 6])
@pytest.mark.parametrize("rule", [gh.OpenLoop(), gh.Exact(), gh.Short(), gh.Backtracking()], ids=repr)
def test_a_good_start_is_kept(f, S, steps, rule):
    start, lower = near(f, S, steps)
    solution = gh.minimize(f, S, gh.FrankWolfe(rule), start=start, stop=gh.Iterations(100))
    e0, M = solution.trace.gap[0], float(f.curvature(S))
    if 0 < e0 <= M:
        M = max(M, solution.curvature or 0.0)
        assert np.all(solution.trace.value - lower <= warm_start_rate(M, e0, k) + 1e-10)


def test_the_count_moves_on_when_a_larger_curvature_is_met():
    step = gh.OpenLoop().start(warm=True)
    first = step(Parabola(1.0, -0.1, 1.0, 1.0), 0)
    assert first == pytest.approx(0.1), "the short step e_0/M: the count begins at 2M/e_0 - 2 = 18"
    assert step(Parabola(1.0, -0.1, 0.5, 1.0), 1) == pytest.approx(2 / 21)
    assert step(Parabola(1.0, -0.1, 4.0, 1.0), 2) == pytest.approx(2 / (78 + 4)), "M = 4: as if begun at 78"
    assert warm_start_index(4.0, 0.0, 0.1) == 78


@pytest.mark.parametrize("rule", [gh.OpenLoop(), gh.OpenLoop(4), gh.LogAdaptive(), gh.Power(0.5)], ids=repr)
def test_every_schedule_begins_at_the_short_step(rule):
    step = rule.start(warm=True)
    assert step(Parabola(1.0, -1e-3, 2.0, 1.0), 0) == pytest.approx(5e-4, rel=1e-9)
    assert rule.start(warm=False)(Parabola(1.0, -1e-3, 2.0, 1.0), 0) == 1.0


@problems
def test_the_schedule_of_the_paper_runs_from_any_start(f, S):
    """late=False: η_k = 2/(k + 2) from k = 0, so that w_1 is an atom, and Theorem 2 holds whatever the start."""
    start, lower = near(f, S, 3)
    s = gh.minimize(f, S, gh.FrankWolfe(gh.OpenLoop(late=False)), start=start, stop=gh.Iterations(50))
    steps = s.trace.step[:-1]
    assert steps == pytest.approx(2.0 / (np.arange(len(steps)) + 2.0))
    if len(steps) >= 2:
        assert s.bounds().named("Theorem 2 (rate)").value >= s.value - lower
        later = gh.minimize(f, S, gh.FrankWolfe(gh.OpenLoop()), start=start, stop=gh.Iterations(2))
        assert later.trace.step[0] < 1.0


def test_what_is_said_of_late():
    assert repr(gh.OpenLoop()) == "OpenLoop(ell=2.0)" and repr(gh.OpenLoop(late=False)) == "OpenLoop(ell=2.0, late=False)"
    assert gh.OpenLoop() != gh.OpenLoop(late=False)
    with pytest.raises(GreedyhullError, match="must be True or False"):
        gh.OpenLoop(late="no")


def test_no_step_before_a_line_falls():
    step = gh.OpenLoop().start(warm=True)
    assert step(Parabola(1.0, 0.0, 1.0, 1.0), 0) == 0.0
    assert step(Parabola(1.0, -0.5, 1.0, 1.0), 1) == pytest.approx(0.5)


def test_a_start_that_is_not_warm_is_stepped_from_in_full():
    assert gh.OpenLoop().start(warm=True)(Parabola(1.0, -5.0, 1.0, 1.0), 0) == 1.0


@given(st.floats(0.01, 10), st.floats(0, 5), st.floats(0, 50), st.floats(0, 200), st.integers(0, 80))
def test_late_start_rate_bounds_the_recursion(M, c, e0, first, n):
    eta = 2 / (first + np.arange(n) + 2)
    errors = recursion(M, eta, c * eta, e0) if n else np.array([e0])
    assert np.all(errors <= late_start_rate(M, c, e0, first, np.arange(n + 1)) * (1 + 1e-9))


@given(st.floats(0.1, 1), st.lists(st.floats(1, 50), min_size=1, max_size=40))
def test_growing_curvatures_keep_the_warm_start_rate(e0, curvatures):
    """The steps 2/(k + 2m_k/e_0), m_k the largest curvature so far."""
    met = np.maximum.accumulate(curvatures)
    eta = 2 / (np.arange(len(met)) + 2 * met / e0)
    E = recursion(np.array(curvatures), eta, 0.0, e0)
    assert np.all(E[1:] <= [warm_start_rate(m, e0, n + 1) * (1 + 1e-9) for n, m in enumerate(met)])


def test_late_start_rate_refuses_what_it_cannot_use():
    with pytest.raises(GreedyhullError, match="infinite"):
        late_start_rate(np.inf, 0.0, 1.0, 3, 2)
    for wrong in ({"c": -1.0}, {"e0": -1.0}, {"first": -1.0}):
        with pytest.raises(GreedyhullError, match=next(iter(wrong))):
            late_start_rate(**{"M": 1.0, "c": 0.0, "e0": 1.0, "first": 3.0, "k": 2, **wrong})
    assert late_start_rate(4.0, 0.0, 0.1, 78, np.arange(2)) == pytest.approx([0.1, 8 / 81])
