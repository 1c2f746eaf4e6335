"""Functions of a user's own: what they may return."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.sparse import coo_array, csc_matrix, csr_array

import greedyhull as gh

S = gh.Simplex(3)
B = np.array([[1.0, 0.0], [0.0, -2.0], [0.5, 0.0]])


class Spectral(gh.AtomSet):
    """Matrices of nuclear norm at most one."""

    shape = (3, 2)

    def argmin(self, g: Any) -> Any:
        u, _, v = np.linalg.svd(g, full_matrices=False)
        return gh.Dense(-np.outer(u[:, 0], v[0]))

    def _holds(self, x: Any, tol: float) -> bool:
        return bool(np.linalg.svd(x, compute_uv=False).sum() <= 1.0 + tol)


def distance(kind: Callable[[Any], Any], b: Any) -> Any:
    return gh.function(lambda w: 0.5 * float(((w - b) ** 2).sum()), lambda w: kind(w - b), b.shape, smoothness=1.0)


@pytest.mark.parametrize("kind", [csr_array, csc_matrix, coo_array], ids=lambda kind: kind.__name__)
def test_gradients_may_be_sparse(kind: Callable[[Any], Any]) -> None:
    for b, S in ((B, Spectral()), (B.ravel(), gh.L1Ball(6, 1.0))):
        as_row = kind if b.ndim == 2 else lambda g: kind(g[None, :])
        dense, sparse = (gh.minimize(distance(k, b), S, gh.FrankWolfe(), stop=gh.Iterations(9)) for k in (np.asarray, as_row))
        np.testing.assert_array_equal(dense.point.array(), sparse.point.array())
        assert gh.certify(distance(as_row, b), S, sparse.point).gap == gh.certify(distance(np.asarray, b), S, dense.point).gap


def test_gradients_of_sums_may_be_sparse() -> None:
    X = np.random.default_rng(0).standard_normal((8, 3))
    one, other = (gh.finite_sum(lambda w, i: 0.5 * float(np.mean((X[i] @ w) ** 2)),
                                lambda w, i, kind=kind: kind((X[i] * (X[i] @ w)[:, None]).mean(axis=0)), 8, 3)
                  for kind in (np.asarray, lambda g: csr_array(g[None, :])))
    runs = [gh.minimize(f, gh.Simplex(3), gh.StochasticFrankWolfe(), stop=gh.Iterations(9)) for f in (one, other)]
    np.testing.assert_array_equal(runs[0].point.array(), runs[1].point.array())


@pytest.mark.parametrize("wrong", ["no numbers", [1.0, [2.0]], csr_array(np.ones((2, 3)))], ids=["words", "ragged", "sparse"])
def test_other_gradients_are_refused_in_words(wrong: Any) -> None:
    f = gh.function(lambda w: 0.0, lambda w: wrong, 6)
    with pytest.raises(gh.GreedyhullError, match="wanted"):
        gh.minimize(f, gh.Simplex(6), gh.FrankWolfe(), stop=gh.Iterations(2))


WRONG = [((0.5, np.ones(3)), "returned 2 things.*the value alone"), (None, "returned a NoneType.*One number"),
         (np.ones(3), r"array of shape \(3,\)"), ("one", "returned a str"), (1j, "One number"), (np.array(1j), "One number"),
         (np.array(["one"]), "dtype"), ([1.0], "returned a list")]


@pytest.mark.parametrize(("returned", "said"), WRONG, ids=lambda given: type(given).__name__)
def test_a_value_that_is_no_number_is_named(returned: Any, said: str) -> None:
    with pytest.raises(gh.GreedyhullError, match=r"value\(w\) .*" + said):
        gh.minimize(gh.function(lambda w: returned, lambda w: w, 3), S)
    f = gh.finite_sum(lambda w, i: returned, lambda w, i: w, 4, 3)
    with pytest.raises(gh.GreedyhullError, match=r"value\(w, index\) .*" + said):
        gh.minimize(f, S)
    with pytest.raises(gh.GreedyhullError, match=r"value\(w, index\) .*" + said):
        f.batch(np.arange(2)).value(np.ones(3))


@pytest.mark.parametrize("kind", [float, np.float32, np.float64, np.array, lambda v: np.array([v]), lambda v: np.array([[v]])])
def test_numbers_of_every_kind_are_numbers(kind: Any) -> None:
    f = gh.function(lambda w: kind(0.5 * float(w @ w)), lambda w: w, 3, smoothness=1.0)
    s = gh.minimize(f, S, gh.BlendedPairwise(), stop=gh.Gap(1e-6) | gh.Iterations(200))
    assert s.converged and s.value == pytest.approx(1 / 6, abs=1e-5)
    assert gh.minimize(gh.function(lambda w: 0, lambda w: 0 * w, 3), S).value == 0.0


@pytest.mark.parametrize("returned", [None, "three", {"a": 1}, (np.ones(3), 1.0), [1.0, "b", 2.0]])
def test_a_gradient_that_is_no_array_is_named(returned: Any) -> None:
    with pytest.raises(gh.GreedyhullError, match=r"gradient\(w\) returned"):
        gh.minimize(gh.function(lambda w: 1.0, lambda w: returned, 3), S)
    with pytest.raises(gh.GreedyhullError, match=r"gradient\(w(, index)?\).* returned"):
        gh.minimize(gh.finite_sum(lambda w, i: 1.0, lambda w, i: returned, 4, 3), S)


def test_nan_at_an_atom_is_survived_and_nan_everywhere_is_not() -> None:
    def entropy(w: Any) -> float:
        with np.errstate(all="ignore"):
            return float((w * np.log(w)).sum())  # NaN where a coordinate is zero

    s = gh.minimize(gh.function(entropy, lambda w: 1.0 + np.log(np.maximum(w, 1e-300)), 3), S, stop=gh.Iterations(3))
    assert s.value == pytest.approx(-np.log(3.0))
    with pytest.raises(gh.GreedyhullError, match="nan"):
        gh.minimize(gh.function(lambda w: np.nan, lambda w: w, 3), S)


def test_a_gradient_that_is_written_on_again_is_kept() -> None:
    kept = np.zeros(3)

    def gradient(w: Any) -> Any:
        kept[:] = w - np.array([0.2, 0.3, 0.5])
        return kept

    f = gh.function(lambda w: 0.5 * float(((w - np.array([0.2, 0.3, 0.5])) ** 2).sum()), gradient, 3, smoothness=1.0)
    assert gh.minimize(f, S, gh.FrankWolfe(), stop=gh.Gap(1e-3) | gh.Iterations(2000)).converged
