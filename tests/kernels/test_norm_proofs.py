"""Proofs of σ₁: never too small, sharp, and with the stated probability where they are random."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_array

from greedyhull.kernels.singular import proved_floor, proved_norm

rng = np.random.default_rng(0)


def exceeds(A, mu):
    """Whether λ_max of a small symmetric matrix of fractions is above mu, decided exactly: is μI − A not definite?"""
    n = len(A)
    M = [[(mu if i == j else 0) - A[i][j] for j in range(n)] for i in range(n)]
    for k in range(n):
        if M[k][k] <= 0:
            return True
        for i in range(k + 1, n):
            c = M[i][k] / M[k][k]
            M[i] = [a - c * b for a, b in zip(M[i], M[k], strict=True)]
    return False


@pytest.mark.parametrize("k", range(40))
def test_a_proof_holds_in_exact_arithmetic(k):
    r = np.random.default_rng(k)
    p, n = r.integers(1, 6), r.integers(5, 9)
    G = r.standard_normal((p, n)) if k % 2 else np.round(r.standard_normal((p, 1)) * r.standard_normal((1, n)), 2)
    G /= np.abs(G).max() or 1.0
    bound = Fraction(float(proved_norm(G, None, 0.0)))
    F = [[Fraction(float(x)) for x in row] for row in G]
    square = [[sum(a * b for a, b in zip(x, y, strict=True)) for y in F] for x in F]
    assert not exceeds(square, bound * bound * (1 + Fraction(1, 10**30)))
    assert float(bound) <= np.linalg.norm(G, 2) * (1 + 1e-10)


def test_a_number_that_was_not_reached_does_not_make_a_proof_false():
    G = rng.standard_normal((30, 50)) / 5.0
    for reached in (0.0, 0.5 * np.linalg.norm(G, 2), 0.999 * np.linalg.norm(G, 2)):
        assert proved_norm(G, reached, 1e-3) >= np.linalg.norm(G, 2) * (1 - 1e-13)


def test_sparse_matrices_are_proved_as_dense_ones():
    G = rng.standard_normal((40, 60)) * (rng.random((40, 60)) < 0.05)
    G /= np.abs(G).max()
    assert proved_norm(csr_array(G), None, 0.0) == pytest.approx(np.linalg.norm(G, 2), rel=1e-10)


def test_the_least_eigenvalue_is_proved_too():
    for k in range(30):
        B = np.random.default_rng(k).standard_normal((7, 7))
        A = (B + B.T) / np.abs(B + B.T).max()
        least = np.linalg.eigvalsh(A)[0]
        assert least - 1e-10 <= proved_floor(A, least, 0.0) <= least + 1e-15
        assert proved_floor(A, least + 0.3, 1e-3) <= least + 1e-15
