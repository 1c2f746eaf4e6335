"""multitask and multinomial."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import greedyhull as gh
from greedyhull.extend import GreedyhullError, check_design, check_objective
from greedyhull.objectives.designs import design
from greedyhull.objectives.designs.matrix import Tasks

rng = np.random.default_rng(6)
X, Y = rng.standard_normal((40, 6)), rng.standard_normal((40, 3))
y = np.arange(40) % 3


def test_the_kit_accepts_design_and_objectives():
    for data in (X[:7], csr_array(X[:7] * (rng.random((7, 6)) < 0.2))):
        check_design(Tasks(design(data), 3))
    S = gh.NuclearBall((6, 3), 2.0)
    check_objective(gh.multitask(X, Y), S)
    check_objective(gh.multinomial(X, y), S)


def test_values_are_those_of_the_formulas():
    W = 0.1 * rng.standard_normal((6, 3))
    w = gh.NuclearBall((6, 3), 5.0).decompose(W)
    assert gh.multitask(X, Y).value(w) == pytest.approx(((X @ W - Y) ** 2).sum() / 80)
    z = X @ W
    assert gh.multinomial(X, y).value(w) == pytest.approx((np.log(np.exp(z).sum(1)) - z[np.arange(40), y]).mean())
    s = rng.random(40)
    assert gh.multitask(X, Y, sample_weight=s).value(w) == pytest.approx((s @ ((X @ W - Y) ** 2).sum(1)) / (2 * s.sum()))
    terms = np.log(np.exp(z).sum(1)) - z[np.arange(40), y]
    assert gh.multinomial(X, y, sample_weight=s).value(w) == pytest.approx(s @ terms / s.sum())


def test_hessian_products_are_differences_of_gradients():
    f, S = gh.multinomial(X, y), gh.NuclearBall((6, 3), 5.0)
    W, V = 0.1 * rng.standard_normal((2, 6, 3))
    far, near = (f.gradient(S.decompose(W + t * V)) for t in (1e-5, -1e-5))
    assert f.hessian_product(S.decompose(W), V) == pytest.approx((far - near) / 2e-5, rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("f", [gh.multitask(X, Y), gh.multinomial(X, y), gh.multinomial(X.astype(np.float32), y)], ids=repr)
@pytest.mark.parametrize("solver", [gh.Corrective(), gh.FrankWolfe(), gh.BlendedPairwise()], ids=lambda s: type(s).__name__)
def test_runs_are_certified_and_agree(f, solver):
    s = gh.minimize(f, gh.NuclearBall((6, 3), 1.5), solver, stop=gh.Relative(1e-5) | gh.Iterations(100))
    best = gh.minimize(f.precise(), gh.NuclearBall((6, 3), 1.5), stop=gh.Relative(1e-8) | gh.Iterations(100))
    assert s.converged and best.converged and s.certificate.lower <= best.value and s.value <= best.value + s.gap


def test_odd_scores_do_not_overflow():
    f = gh.multinomial(1e6 * X, y)
    s = gh.minimize(f, gh.NuclearBall((6, 3), 1.0), stop=gh.Iterations(20))
    assert np.isfinite(s.value) and s.gap >= 0.0


@pytest.mark.parametrize("call, said", [
    (lambda: gh.multitask(X, Y[:5]), "5 rows but X has 40"), (lambda: gh.multitask(X, Y[:, 0]), "column for each"),
    (lambda: gh.multitask(X, np.full((40, 2), np.nan)), "NaN"), (lambda: gh.multinomial(X, y + 1), "none missing"),
    (lambda: gh.multinomial(X, np.zeros(40)), "at least two classes"), (lambda: gh.multinomial(X, y[:3]), "40 rows"),
    (lambda: gh.multinomial(X, np.array(["a"] * 40)), "Number its labels"),
    (lambda: gh.multitask(design(X).rows(np.arange(3)).X[0], Y), "shape")])
def test_bad_input_gets_words(call, said):
    with pytest.raises(GreedyhullError, match=said):
        call()


def test_rows_of_different_lengths_get_words():
    ragged = [[0, 1], []]
    for make in (lambda: gh.multitask(np.eye(2), ragged), lambda: gh.multinomial(np.eye(2), ragged),
                 lambda: gh.completion(ragged, [0, 1], [1.0, 2.0], (2, 2)),
                 lambda: gh.shards(lambda k: (np.eye(2), ragged), count=1)):
        with pytest.raises(gh.GreedyhullError, match="rows of one length"):
            make()
    with pytest.raises(gh.GreedyhullError, match="two positive whole numbers"):
        gh.NuclearBall(np.array(3), 1.0)
    with pytest.raises(gh.GreedyhullError, match="order must"):
        gh.BlockCoordinate(np.zeros(2))
