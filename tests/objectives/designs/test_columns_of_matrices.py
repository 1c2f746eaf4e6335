"""Images of matrices with single entries answer what the matrices that they stand for would."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from greedyhull.objectives.designs import design
from greedyhull.objectives.designs.matrix import Observed, Tasks
from greedyhull.testing import check_design

rng = np.random.default_rng(0)
X = rng.standard_normal((6, 4)) * (rng.random((6, 4)) < 0.7)
DESIGNS = {"dense tasks": Tasks(design(X), 3), "sparse tasks": Tasks(design(csr_array(X)), 3),
           "observed": Observed(np.array([3, 0, 1]), np.array([0, 2, 1]), (4, 3)), "one entry": Observed([0], [0], (1, 1))}


@pytest.mark.parametrize("name", DESIGNS)
def test_columns_are_the_matrix_that_they_stand_for(name):
    A = DESIGNS[name]
    check_design(A)
    d = int(np.prod(A.domain))
    full = np.stack([A.matvec(row.reshape(A.domain)) for row in np.eye(d)]).T
    index, scales, weights = rng.integers(0, d, 7), rng.standard_normal(7), rng.random(A.n)
    Z, dense = A.columns(index, scales), full[:, index] * scales
    np.testing.assert_allclose(Z.toarray(), dense)
    np.testing.assert_allclose(Z @ np.arange(7.0), dense @ np.arange(7.0), atol=1e-14)
    np.testing.assert_allclose(Z.T @ weights, dense.T @ weights, atol=1e-14)
    np.testing.assert_allclose(Z[:, np.array([2, 0])].toarray(), dense[:, [2, 0]])
    np.testing.assert_allclose(Z.beside(Z).toarray(), np.hstack([dense, dense]))
    right = A.columns(index[:3], scales[:3])
    for given in (None, weights):
        D = np.eye(A.n) if given is None else np.diag(given)
        np.testing.assert_allclose(A.gram(Z, None, given), dense.T @ D @ dense, atol=1e-14)
        np.testing.assert_allclose(A.gram(Z, right, given), dense.T @ D @ dense[:, :3], atol=1e-14)
    np.testing.assert_allclose(A.energies(weights), (full * full).T @ weights, atol=1e-14)
    np.testing.assert_allclose(A.combine(index, scales), dense.sum(axis=1), atol=1e-14)
