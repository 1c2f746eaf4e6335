"""A gradient that disagrees with its value is noticed as a run begins; right ones pass, whatever their scale."""

import numpy as np
import pytest
from scipy.optimize import linprog

import greedyhull as gh

rng = np.random.default_rng(4)
B = rng.standard_normal(6)
SETS = [gh.Simplex(6), gh.L1Ball(6, 3.0), gh.L2Ball(6, 2.0), gh.LinfBall(6, 1.0), gh.Vertices(rng.standard_normal((9, 6))),
        gh.oracle(lambda g: -np.sign(g), 6)]
SOLVERS = [None, gh.FrankWolfe(), gh.BlendedPairwise(), gh.Jones()]
WRONG = {"sign": lambda w: B - w, "factor": lambda w: 3.0 * (w - B), "half": lambda w: 0.5 * (w - B), "term": lambda w: w}


def square(w):
    return 0.5 * float((w - B) @ (w - B))


@pytest.mark.parametrize("S", SETS, ids=repr)
@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
@pytest.mark.parametrize("gradient", WRONG.values(), ids=WRONG)
def test_a_wrong_gradient_is_refused(S, solver, gradient):
    with pytest.raises(gh.GreedyhullError, match="disagrees with its value"):
        gh.minimize(gh.function(square, gradient, 6), S, solver, stop=gh.Iterations(50))


@pytest.mark.parametrize("S", SETS[:3], ids=repr)
def test_a_wrong_gradient_of_a_sum_is_refused(S):
    rows = rng.standard_normal((40, 6))
    f = gh.finite_sum(lambda w, i: 0.5 * float(((rows[i] @ w - 1) ** 2).mean()),
                      lambda w, i: -(rows[i].T @ (rows[i] @ w - 1)) / len(i), 40, 6)
    for solver in (None, gh.StochasticFrankWolfe(), gh.StochasticFrankWolfe.storm()):
        with pytest.raises(gh.GreedyhullError, match="disagrees with its value"):
            gh.minimize(f, S, solver, stop=gh.Iterations(50))


@pytest.mark.parametrize("scale", [1e-150, 1e-8, 1.0, 1e8, 1e140])
@pytest.mark.parametrize("offset", [0.0, 1.0, -1e6])
def test_right_gradients_pass_at_every_scale(scale, offset):
    f = gh.function(lambda w: scale * square(w) + offset, lambda w: scale * (w - B), 6)
    for S in SETS:
        assert np.isfinite(gh.minimize(f, S, stop=gh.Iterations(5)).value)


def test_single_precision_and_kinks_pass():
    C = B.astype(np.float32)
    single = gh.function(lambda w: float(0.5 * ((w.astype(np.float32) - C) ** 2).sum(dtype=np.float32) + np.float32(10.0)),
                         lambda w: w.astype(np.float32) - C, 6)
    kinked = gh.function(lambda w: float(np.abs(w - B).sum()), lambda w: np.sign(w - B), 6)
    steep = gh.function(lambda w: float(np.exp(20 * w).sum()), lambda w: 20 * np.exp(20 * w), 6)
    barrier = gh.function(lambda w: float(-np.log(w + 1e-9).sum()), lambda w: -1.0 / (w + 1e-9), 6)
    for f, kind in ((single, "estimate"), (kinked, "always"), (steep, "always")):
        for S in SETS:
            assert gh.minimize(f, S, stop=gh.Iterations(5)).certificate.kind == kind
    assert gh.minimize(barrier, gh.Simplex(6), stop=gh.Iterations(5)).certificate.kind == "always"


def test_it_costs_a_few_values_and_gradients():
    asked = {"value": 0, "gradient": 0}

    def value(w):
        asked["value"] += 1
        return square(w)

    def gradient(w):
        asked["gradient"] += 1
        return w - B

    gh.minimize(gh.function(value, gradient, 6), gh.Simplex(6), gh.FrankWolfe(gh.OpenLoop()), stop=gh.Iterations(0))
    assert asked["value"] <= 13 and asked["gradient"] <= 5


def test_a_right_linear_program_passes_every_check():
    """Values and products of exactly zero: rounding alone must not make an answer worse than the point."""
    A, b = np.vstack([np.eye(4), -np.eye(4), np.ones((1, 4))]), np.r_[np.ones(4), np.zeros(4), 2.0]
    for seed in range(20):
        target = np.random.default_rng(seed).random(4)
        target *= min(1.0, 2.0 / target.sum())
        S = gh.oracle(lambda g: linprog(g / max(np.abs(g).max(), 1e-300), A_ub=A, b_ub=b, bounds=(None, None)).x, 4, bound=1.0)
        f = gh.function(lambda w, t=target: 0.5 * float((w - t) @ (w - t)), lambda w, t=target: w - t, 4)
        s = gh.minimize(f, S, stop=gh.Gap(1e-8) | gh.Iterations(500), check=True)
        assert s.value <= s.certificate.gap + 1e-12


def test_gradients_that_look_right_where_a_run_begins_and_are_wrong_where_it_ends_are_found_out():
    """Nearly all of them: where a run of eight steps ends depends on last bits, and so on the processor."""
    found, seeds = 0, (16, 22, 28, 31, 65, 81, 111, 113, 126, 135, 149)
    for seed in seeds:
        rng = np.random.default_rng(seed)
        A, b, atoms = rng.standard_normal((6, 2)), 3 * rng.standard_normal(6), 3 * rng.standard_normal((8, 2))
        H = A.T @ A
        H[0, 1] = -H[0, 1]  # a sign that is wrong in one place
        f = gh.function(lambda w, A=A, b=b: 0.5 * float((A @ w - b) @ (A @ w - b)),
                        lambda w, A=A, b=b, H=H: H @ w - A.T @ b, 2)
        try:
            gh.minimize(f, gh.Vertices(atoms), gh.BlendedPairwise(), stop=gh.Iterations(8))
        except gh.GreedyhullError as error:
            found += "which is a lower bound" in str(error) or "disagrees" in str(error)
    assert found >= len(seeds) - 3


def test_right_gradients_pass_the_test_at_the_end():
    rng = np.random.default_rng(0)
    for scale in (1e-150, 1e-8, 1.0, 1e8, 1e70):
        A, b = rng.standard_normal((9, 4)), rng.standard_normal(9)
        f = gh.function(lambda w, A=A, b=b, c=scale: 0.5 * c * float((A @ w - b) @ (A @ w - b)),
                        lambda w, A=A, b=b, c=scale: c * (A.T @ (A @ w - b)), 4)
        for S in (gh.Simplex(4), gh.L1Ball(4, 2.0), gh.Box(-np.ones(4), np.ones(4))):
            assert np.isfinite(gh.minimize(f, S, stop=gh.Relative(1e-9) | gh.Iterations(50)).gap)
