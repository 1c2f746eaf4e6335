"""The pieces of the stochastic kernels, each against what it stands for; the loops are tested in test_fused_steps.py."""

import numpy as np
import pytest
from scipy import sparse

import greedyhull as gh
from greedyhull.kernels.core import REFERENCES, core
from greedyhull.kernels.stochastic import (
    Rows,
    advance,
    difference_steps,
    jones_difference_steps,
    jones_table_steps,
    slope,
    table_steps,
    wide_table_steps,
    without_repeats,
)
from greedyhull.solvers.parts.compiled_loop import LOSSES, loss_shape
from greedyhull.solvers.parts.compiled_stochastic import SETS as ARRAYS
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


@pytest.mark.parametrize("name", MODELS)
def test_slopes_are_those_of_the_losses(name):
    z = np.concatenate([3.0 * RNG.standard_normal(40), [1.0, -1.0, 0.5, 1.5, -0.5, 0.0, 50.0, -50.0, 200.0]])
    y = np.where(RNG.random(len(z)) < 0.5, 1.0, -1.0)
    f = MODELS[name](np.eye(len(z)), y)
    number, shape = LOSSES[type(f.loss)], loss_shape(f.loss)
    got = [slope(number, np.array(shape), a, b) for a, b in zip(z, f.loss.y, strict=True)]
    np.testing.assert_allclose(got, f.loss.slopes(z), rtol=1e-14, atol=1e-300)


@pytest.mark.parametrize("S", SETS, ids=[f"{i}" for i in range(len(SETS))])
def test_a_step_goes_where_the_set_says(S):
    known = ARRAYS[type(S)](S)
    for trial in range(30):
        g, x, eta = RNG.standard_normal(D), RNG.standard_normal(D), 0.3
        if trial % 5 == 0:
            g = np.where(RNG.random(D) < 0.5, 0.0, np.round(g))  # ties, and now and then nothing at all
        want = (1.0 - eta) * x
        S.argmin(g).add_to(want, eta)
        alpha, used = np.zeros(2 * D + 1), np.array([1])
        alpha[0] = 1.0
        atoms, place = np.full(2 * D + 1, -1), np.full(2 * D, -1)
        advance(*known, eta, g, x, alpha, atoms, place, used)
        np.testing.assert_allclose(x, want, rtol=0, atol=1e-15)
        if not S.dense_atoms:
            assert used[0] == 2 and alpha[0] == 0.7 and alpha[1] == 0.3 and place[atoms[1]] == 1


def test_rows_of_both_kinds():
    X, x = np.where(RNG.random((5, D)) < 0.5, RNG.standard_normal((5, D)), 0.0), RNG.standard_normal(D)
    C = sparse.csr_array(X)
    for rows in (Rows(X), Rows(C.indptr.astype(np.int64), C.indices.astype(np.int32).view(np.uint32), C.data)):
        g = x.copy()
        for i in range(5):
            assert rows.product(i, x) == pytest.approx(X[i] @ x, abs=1e-14)
            rows.spread(i, 2.0, g)
        np.testing.assert_allclose(g, x + 2.0 * X.sum(axis=0), atol=1e-14)


def test_repeats_are_replaced_as_floyd_says():
    index = np.array([3, 3, 8, 3, 0, 0, 9])
    plain = index.copy()
    without_repeats(index, np.array([0, 4]), np.array([4, 3]), 10)
    REFERENCES["without_repeats"](plain, np.array([0, 4]), np.array([4, 3]), 10)
    assert index.tolist() == plain.tolist() == [3, 7, 8, 9, 0, 8, 9]


def given(f, S, b, steps, seed):
    """What a loop takes, up to what the estimate keeps; and set and point."""
    rng, known = np.random.default_rng(seed), CompiledStochastic(f, S, gh.FrankWolfe(gh.OpenLoop()), *[None] * 5)
    index, ends = rng.integers(f.n, size=b * steps), b * np.arange(1, steps + 1)
    x, m = np.array(S.centre().array()), 2 * D + 1
    alpha, used, atoms, place = np.zeros(m), np.array([1]), np.full(m, -1), np.full(2 * D, -1)
    alpha[0] = 1.0
    return (*known.terms, index, ends, rng.random(steps) / 3), (*known.set, x, alpha, atoms, place, used)


def told(*parts):
    return [part.copy() if isinstance(part, np.ndarray) else part for part in parts]


@pytest.mark.skipif(core is None, reason="without the compiled core there is nothing to compare")
@pytest.mark.parametrize("S", SETS, ids=[f"{i}" for i in range(len(SETS))])
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("form", ["dense", "csr", "csr, float32", "weighted"])
def test_loops_are_their_references(form, name, S):
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((30, D)) * (rng.random((30, D)) < 0.6), np.where(rng.random(30) < 0.5, 1.0, -1.0)
    data = X if form in ("dense", "weighted") else sparse.csr_array(X.astype(np.float32 if "float32" in form else np.float64))
    f = MODELS[name](data, y)
    if form == "weighted":
        f = gh.least_squares(X, y, sample_weight=rng.random(30) + 0.1)
    terms, point = given(f, S, 4, 12, seed=5)
    t = len(terms[-1])
    kept = (rng.random(t), rng.random(t), rng.random(t) * (rng.random(t) < 0.7), rng.standard_normal(D), rng.random(D), 1,
            rng.standard_normal(D))
    tables = (1, 0.1 * rng.standard_normal(30), rng.standard_normal(D), np.zeros(D))
    for loop, own in ((difference_steps, kept), (table_steps, tables), (table_steps, (0, *tables[1:]))):
        found = []
        for way in (loop, REFERENCES["difference_steps" if loop is difference_steps else "table_steps"]):
            arrays = told(*own, *point)
            way(*terms, *arrays)
            found.append([a for a in arrays if isinstance(a, np.ndarray)])
        for core_array, plain in zip(*found, strict=True):
            np.testing.assert_allclose(core_array, plain, rtol=1e-12, atol=1e-12)


@pytest.mark.skipif(core is None, reason="without the compiled core there is nothing to compare")
@pytest.mark.parametrize("S", SETS[:3], ids=["l1", "weighted l1", "simplex"])
@pytest.mark.parametrize("width", [1, 2, 3, 7, 50])
def test_wide_steps_are_the_plain_ones(S, width):
    rng = np.random.default_rng(4)
    X, y = sparse.csr_array(np.round(rng.standard_normal((30, D))) * (rng.random((30, D)) < 0.5)), rng.standard_normal(30)
    terms, point = given(gh.least_squares(X, y), S, 3, 25, seed=6)
    point[4][:], table, mean = 0.0, np.zeros(30), np.zeros(D)
    found = []
    for way in (wide_table_steps, REFERENCES["wide_table_steps"]):
        arrays = told(table, mean, width, *point)
        way(*terms, *arrays)
        found.append([a for a in arrays if isinstance(a, np.ndarray)])
    for core_array, plain in zip(*found, strict=True):
        np.testing.assert_allclose(core_array, plain, rtol=1e-12, atol=1e-12)


@pytest.mark.skipif(core is None, reason="without the compiled core there is nothing to compare")
@pytest.mark.parametrize("S", SETS[:3], ids=["l1", "weighted l1", "simplex"])
@pytest.mark.parametrize("form", ["dense", "csr", "csr, float32", "weighted"])
def test_loops_that_choose_by_values_are_their_references(form, S):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((30, D)) * (rng.random((30, D)) < 0.6) * 2.0 ** np.arange(D)
    y = rng.standard_normal(30)
    data = X if form in ("dense", "weighted") else sparse.csr_array(X.astype(np.float32 if "float32" in form else np.float64))
    f = gh.least_squares(data, y, sample_weight=rng.random(30) + 0.1 if form == "weighted" else None)
    terms, point = given(f, S, 4, 12, seed=5)
    t = len(terms[-1])
    kept = (rng.random(t), rng.random(t), rng.random(t), rng.standard_normal(D), rng.random(D), 1, rng.standard_normal(D))
    tables = (1, 0.1 * rng.standard_normal(30), rng.standard_normal(D), np.zeros(D))
    differ = False
    for loop, name, own in ((jones_difference_steps, "jones_difference_steps", kept),
                            (jones_table_steps, "jones_table_steps", tables),
                            (jones_table_steps, "jones_table_steps", (0, *tables[1:]))):
        found = []
        for way in (loop, REFERENCES[name], REFERENCES[name.removeprefix("jones_")]):
            arrays = told(*own, *point)
            way(*terms, *arrays)
            found.append([a for a in arrays if isinstance(a, np.ndarray)])
        for core_array, plain in zip(*found[:2], strict=True):
            np.testing.assert_allclose(core_array, plain, rtol=1e-12, atol=1e-12)
        differ |= any(not np.array_equal(a, b) for a, b in zip(found[0], found[2], strict=True))
    assert differ, "values made no difference"


@pytest.mark.skipif(core is None, reason="without the compiled core there is nothing to compare")
def test_loops_that_choose_by_values_know_squares_over_coordinates_only():
    for f, S in ((gh.logistic(np.eye(D), np.ones(D)), SETS[0]), (gh.least_squares(np.eye(D), np.ones(D)), SETS[3])):
        terms, point = given(f, S, 2, 3, seed=5)
        with pytest.raises(ValueError, match="squares over coordinate atoms"):
            jones_table_steps(*terms, *told(0, np.zeros(D), np.zeros(D), np.zeros(D), *point))
