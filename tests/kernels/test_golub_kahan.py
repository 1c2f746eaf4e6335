"""Lanczos bidiagonalisation: orthonormal, and the top pairs of a matrix."""

import numpy as np
import pytest

from greedyhull.kernels.singular import Bidiagonal

rng = np.random.default_rng(0)


def test_it_is_a_bidiagonalisation_with_orthonormal_vectors():
    G = rng.standard_normal((40, 25))
    space = Bidiagonal(G, rng.standard_normal(25), 12)
    space.run(12)
    U, V = space.U.T, space.V.T
    assert np.abs(U.T @ U - np.eye(12)).max() < 1e-13 and np.abs(V.T @ V - np.eye(12)).max() < 1e-13
    assert np.abs(G @ V - U @ space.matrix()).max() < 1e-12


def test_all_pairs_are_found_in_the_end():
    G = rng.standard_normal((9, 6))
    space = Bidiagonal(G, rng.standard_normal(6), 30)
    space.run(30)
    pairs = space.pairs(6)
    assert pairs.sigma == pytest.approx(np.linalg.svd(G, compute_uv=False))
    assert np.abs(pairs.U * pairs.sigma @ pairs.V.T - G).max() < 1e-12


@pytest.mark.parametrize("rank", [0, 1, 3])
def test_a_space_that_ends_says_so(rank):
    G = rng.standard_normal((20, rank)) @ rng.standard_normal((rank, 15))
    space = Bidiagonal(G, rng.standard_normal(15), 15)
    space.run(15)
    assert space.ended and space.done <= rank + 1
    assert space.top() == pytest.approx(np.linalg.norm(G, 2) if rank else 0.0)
