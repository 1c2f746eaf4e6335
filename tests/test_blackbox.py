"""Functions of a user's own: what they may return."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.sparse import coo_array, csc_matrix, csr_array

import greedyhull as gh

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
