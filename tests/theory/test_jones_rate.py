"""Jones' own rate: V, the variance of the atoms of a minimiser, in the place of the curvature M."""

from functools import cache

import numpy as np
import pytest

import greedyhull as gh
from greedyhull import theory
from greedyhull.errors import GreedyhullError

K = np.arange(1, 41)


def problem(seed):
    """A quadratic over the hull of a few random points."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 7))
    A, points = rng.standard_normal((d + 1, d)), rng.standard_normal((int(rng.integers(d + 1, 4 * d)), d))
    return gh.quadratic(A.T @ A, A.T @ A @ points.mean(axis=0) * rng.uniform(0.0, 2.0)), gh.Vertices(points)


@cache
def solved(seed):
    return gh.minimize(*problem(seed), gh.Corrective(), stop=gh.Gap(1e-9) | gh.Iterations(100))


def errors(seed, solver, steps=40):
    (f, S), best = problem(seed), solved(seed)
    s = gh.minimize(f, S, solver, stop=gh.Iterations(steps))
    return np.maximum(s.trace.value - best.certificate.lower, 0.0)[1:], best


@pytest.mark.parametrize("seed", range(12))
def test_scheduled_and_joint_choices_keep_it(seed):
    f, S = problem(seed)
    for solver, bound in ((gh.Jones(gh.OpenLoop()), lambda V: theory.jones_rate(V, 0.0, K, exact=True)),
                          (gh.Jones(), lambda V: theory.joint_jones_rate(V, K))):
        e, best = errors(seed, solver)
        V = theory.jones_variance(f, S, best.point)
        assert np.all(e <= bound(float(V))[: len(e)] + best.gap + 1e-10)
        assert float(V) <= float(theory.jones_variance(f, S)) <= 0.5 * float(f.curvature(S)) * (1 + 1e-12)


def test_frank_wolfe_does_not():
    """The bound is one of Jones': between the atoms 0 and 1 Frank-Wolfe asks for a third one, far away, again and again."""
    f, S = gh.quadratic(np.eye(1), np.array([0.5])), gh.Vertices(np.array([[0.0], [1.0], [10.0]]))
    bound = theory.jones_rate(0.25, 0.0, K)
    e = {solver: gh.minimize(f, S, solver, stop=gh.Iterations(40)).trace.value[1:] + 0.125
         for solver in (gh.FrankWolfe(gh.OpenLoop()), gh.Jones(gh.OpenLoop()))}
    worst = [float((e[solver] / bound).max()) for solver in e]
    assert worst[0] > 100.0 and worst[1] <= 1.0


@pytest.mark.parametrize("c", [0.0, 0.3])
def test_inexact_choices_keep_it(c):
    f, S = problem(3)
    e, best = errors(3, gh.Jones(gh.OpenLoop(), gh.harmonic(c)))
    assert np.all(e <= theory.jones_rate(float(theory.jones_variance(f, S, best.point)), c, K) + best.gap + 1e-10)


def test_it_is_attained():
    """½‖w − centre‖² over the simplex: equality at k = 1, so that the bound divided by 1.001 fails; (n − k)/(n − 1) later."""
    n = 50
    f, S = gh.quadratic(np.eye(n), np.full(n, 1 / n)), gh.Simplex(n)
    V = float(theory.jones_variance(f, S, S.centre()))
    assert pytest.approx(1 - 1 / n) == V
    first = gh.minimize(f, S, gh.Jones(gh.OpenLoop()), stop=gh.Iterations(1)).value + 0.5 / n
    bound = theory.jones_rate(V, 0.0, 1, exact=True)
    assert bound / 1.001 < first <= bound * (1 + 1e-12)
    means = gh.minimize(f, S, gh.Jones(gh.Power(1.0)), stop=gh.Iterations(40)).trace.value[1:] + 0.5 / n
    assert means == pytest.approx(theory.mean_jones_rate(V, 0.0, K) * (n - K) / (n - 1))


def test_a_minimiser_that_is_an_atom_is_found_at_once():
    f, S = gh.quadratic(np.eye(3), 5.0 * np.eye(3)[1]), gh.Simplex(3)
    s = gh.minimize(f, S, gh.Jones(gh.OpenLoop()), stop=gh.Iterations(1))
    assert float(theory.jones_variance(f, S, s.point)) == 0.0 == theory.jones_rate(0.0, 0.0, 1) and s.gap <= 1e-12


POINTS = gh.Vertices(np.random.default_rng(0).normal(size=(9, 4)))


@pytest.mark.parametrize("S", [gh.L1Ball(4, 2.0), gh.Simplex(4, 2.0), POINTS], ids=repr)
def test_sizes_bound_it(S):
    """V ≤ L r_S² ≤ LD²/2, and M/4 for a set that is symmetric."""
    rng = np.random.default_rng(1)
    A = rng.standard_normal((6, 4))
    f = gh.quadratic(A.T @ A, rng.standard_normal(4))
    V = float(theory.jones_variance(f, S, gh.minimize(f, S, stop=gh.Gap(1e-12)).point))
    L, (D, r_S) = float(np.linalg.eigvalsh(A.T @ A)[-1]), S.sizes()
    assert V <= L * float(r_S) ** 2 * (1 + 1e-9) <= 0.5 * L * float(D) ** 2 * (1 + 1e-6)
    if isinstance(S, gh.L1Ball):
        assert float(theory.jones_variance(f, S)) == pytest.approx(0.25 * float(f.curvature(S)))


def test_it_is_not_a_matter_of_the_curvature_alone():
    """Huber's loss with a knee t on [−1, 1] has V = 1 with H = I, and M = (1 + t)²: V < M/2 is about quadratics."""
    t = 0.1
    f, S = gh.huber(np.ones((1, 1)), np.zeros(1), delta=t), gh.L1Ball(1, 1.0)
    steps, at = np.linspace(1e-3, 1.0, 200), np.linspace(-1, 1, 201)
    h = np.vectorize(lambda z: 0.5 * z * z if abs(z) <= t else t * (abs(z) - 0.5 * t))
    M = max(float((2 / steps**2 * (h(w + steps * (d - w)) - h(w) - steps * np.clip(w, -t, t) * (d - w))).max())
            for w in at for d in (-1.0, 1.0))
    assert pytest.approx((1 + t) ** 2, rel=0.02) == M and float(theory.jones_variance(f, S)) >= 1.0 > M / 2


def test_runs_list_it():
    f, S = problem(1)
    s = gh.minimize(f, S, gh.Jones(), stop=gh.Iterations(9))
    V = float(theory.jones_variance(f, S))
    assert s.bounds().named("Jones (variance)").value == pytest.approx(theory.jones_rate(V, 0.0, 9), rel=1e-6)
    assert s.bounds().named("joint").value == pytest.approx(2 * V / 12, rel=1e-6)
    scheduled = gh.minimize(f, S, gh.Jones(gh.OpenLoop(), gh.harmonic(0.5)), stop=gh.Iterations(9)).bounds()
    assert scheduled.named("Jones (variance)").value == pytest.approx(theory.jones_rate(V, 0.5, 9), rel=1e-6)
    for solver, said in ((gh.FrankWolfe(), r"It is about Jones\(\)"), (gh.Jones(gh.Power(0.5)), "joint choice")):
        with pytest.raises(GreedyhullError, match=said):
            gh.minimize(f, S, solver, stop=gh.Iterations(9)).bounds().named("Jones (variance)")


def test_refusals():
    f, S = gh.logistic(np.eye(2), [1, -1]), gh.Simplex(2)
    assert float(theory.jones_variance(f, S)) == pytest.approx(0.5 * float(f.curvature(S)))
    with pytest.raises(GreedyhullError, match="is not a quadratic"):
        theory.jones_variance(f, S, S.centre())
    with pytest.raises(GreedyhullError, match="curvature M is infinite"):
        theory.mean_jones_rate(np.inf, 0.0, 3)
