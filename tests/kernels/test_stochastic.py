"""The pieces of the stochastic kernels, each against what it stands for; the loops are tested in test_fused_steps.py."""

import numpy as np
import pytest
from scipy import sparse

import greedyhull as gh
from greedyhull.kernels._core import (
    difference_steps,
    jones_difference_steps,
    jones_table_steps,
    table_steps,
    wide_table_steps,
    without_repeats,
)
from greedyhull.solvers.parts.compiled_stochastic import CompiledStochastic

RNG = np.random.default_rng(0)
D = 7
MODELS = {
    "least_squares": gh.least_squares, "logistic": gh.logistic, "squared_hinge": gh.squared_hinge, "hinge": gh.hinge,
    "absolute": gh.absolute, "huber": lambda X, y: gh.huber(X, y, 0.4), "poisson": lambda X, y: gh.poisson(X, np.abs(y)),
    "quantile": lambda X, y: gh.quantile(X, y, 0.3), "epsilon_insensitive": lambda X, y: gh.epsilon_insensitive(X, y, 0.5),
}
SETS = [gh.L1Ball(D, 2.0), gh.L1Ball(D, 2.0, weights=RNG.random(D) + 0.5), gh.Simplex(D, 1.5), gh.LinfBall(D, 0.5),
        gh.Box(-np.arange(1.0, D + 1), 2.0), gh.L2Ball(D, 1.5, centre=np.ones(D)), gh.Vertices(RNG.standard_normal((20, D)))]


def weights(m=2 * D):
    """Those of a point that is no atom, and room for m atoms."""
    alpha = np.zeros(m + 1)
    alpha[0] = 1.0
    return alpha, np.full(m + 1, -1), np.full(m, -1), np.array([1])


def step(loop, f, S, x, eta, base):
    """The estimate after one step of all terms at once, with ``base`` added; x moves."""
    known = CompiledStochastic(f, S, gh.FrankWolfe(gh.OpenLoop()), *[None] * 5)
    one, g, own = np.ones(1), np.zeros(len(x)), weights(2 * len(x))
    loop(*known.terms, (np.arange(f.n), np.array([f.n]), eta * one), 0.0 * one, one, 0.0 * one, base, np.zeros(len(x)), 0, g,
         (*known.set, x, *own))
    return g, own


@pytest.mark.parametrize("name", MODELS)
def test_slopes_are_those_of_the_losses(name):
    z = np.concatenate([3.0 * RNG.standard_normal(40), [1.0, -1.0, 0.5, 1.5, -0.5, 0.0, 50.0, -50.0, 200.0]])
    y = np.where(RNG.random(len(z)) < 0.5, 1.0, -1.0)
    f = MODELS[name](np.eye(len(z)), y)
    g, _ = step(difference_steps, f, gh.L1Ball(len(z), 1.0), z.copy(), 0.5, np.zeros(len(z)))
    np.testing.assert_allclose(g * len(z), f.loss.slopes(z), rtol=1e-14, atol=1e-300)


@pytest.mark.parametrize("S", SETS, ids=[f"{i}" for i in range(len(SETS))])
def test_a_step_goes_where_the_set_says(S):
    for trial in range(30):
        g, x, eta = RNG.standard_normal(D), RNG.standard_normal(D), 0.3
        if trial % 5 == 0:
            g = np.where(RNG.random(D) < 0.5, 0.0, np.round(g))  # ties, and now and then nothing at all
        want = (1.0 - eta) * x
        S.argmin(g).add_to(want, eta)
        _, (alpha, atoms, place, used) = step(difference_steps, gh.least_squares(np.eye(D), x), S, x, eta, g)
        np.testing.assert_allclose(x, want, rtol=0, atol=1e-15)
        if not S.dense_atoms:
            assert used[0] == 2 and alpha[0] == 0.7 and alpha[1] == 0.3 and place[atoms[1]] == 1


@pytest.mark.parametrize("S", SETS[:3], ids=["l1", "weighted l1", "simplex"])
@pytest.mark.parametrize("form", ["dense", "csr", "csr, float32", "weighted"])
def test_loops_that_choose_by_values_take_the_best_atom(form, S):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((30, D)) * (rng.random((30, D)) < 0.6) * 2.0 ** np.arange(D)
        data = X if form in ("dense", "weighted") else sparse.csr_array(X.astype(np.float32 if "float32" in form else X.dtype))
        y, s = rng.standard_normal(30), rng.random(30) + 0.1 if form == "weighted" else np.ones(30)
        f = gh.least_squares(data, y, sample_weight=s if form == "weighted" else None)
        value = lambda x, X=X, y=y, s=s: float(s @ (X @ x - y) ** 2)
        x, radii = np.array(S.centre().array()), np.array([-S.argmin(-np.eye(D)[j]).dot(-np.eye(D)[j]) for j in range(D)])
        atoms = np.vstack([np.diag(radii), -np.diag(radii)] if isinstance(S, gh.L1Ball) else [np.diag(radii)])
        values = [value(0.7 * x + 0.3 * atom) for atom in atoms]
        step(jones_difference_steps, f, S, x, 0.3, np.zeros(D))
        assert value(x) <= min(values) * (1.0 + 1e-6 if "float32" in form else 1.0 + 1e-12)


def test_repeats_are_replaced_as_floyd_says():
    index = np.array([3, 3, 8, 3, 0, 0, 9])
    without_repeats(index, np.array([0, 4]), np.array([4, 3]), 10)
    assert index.tolist() == [3, 7, 8, 9, 0, 8, 9]


def given(f, S, b, steps, seed):
    """What a loop takes, up to what the estimate keeps; and set and point."""
    rng, known = np.random.default_rng(seed), CompiledStochastic(f, S, gh.FrankWolfe(gh.OpenLoop()), *[None] * 5)
    index, ends = rng.integers(f.n, size=b * steps), b * np.arange(1, steps + 1)
    x = np.array(S.centre().array())
    return (*known.terms, (index, ends, rng.random(steps) / 3)), (*known.set, x, *weights())


def told(*parts):
    return [part.copy() if isinstance(part, np.ndarray) else part for part in parts]


@pytest.mark.parametrize("S", SETS[:3], ids=["l1", "weighted l1", "simplex"])
@pytest.mark.parametrize("width", [1, 2, 3, 7, 50])
def test_wide_steps_are_the_others(S, width):
    rng = np.random.default_rng(4)
    X, y = sparse.csr_array(np.round(rng.standard_normal((30, D))) * (rng.random((30, D)) < 0.5)), rng.standard_normal(30)
    terms, point = given(gh.least_squares(X, y), S, 3, 25, seed=6)
    point[4][:], table, mean = 0.0, np.zeros(30), np.zeros(D)
    found = []
    for loop, own in ((wide_table_steps, (table, mean, width)), (table_steps, (0, table, mean, np.zeros(D)))):
        own, at = told(*own), tuple(told(*point))
        loop(*terms, *own, at)
        found.append([*at, own[1 if loop is table_steps else 0]])
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


def test_loops_that_choose_by_values_know_squares_over_coordinates_only():
    for f, S in ((gh.logistic(np.eye(D), np.ones(D)), SETS[0]), (gh.least_squares(np.eye(D), np.ones(D)), SETS[3])):
        terms, point = given(f, S, 2, 3, seed=5)
        with pytest.raises(ValueError, match="squares over coordinate atoms"):
            jones_table_steps(*terms, *told(0, np.zeros(D), np.zeros(D), np.zeros(D)), tuple(told(*point)))
