"""Every kind of data that ships multiplies as its matrix does."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.sparse import coo_array, csc_array, csc_matrix, csr_array
from scipy.sparse.linalg import aslinearoperator

from greedyhull.objectives.designs import design
from greedyhull.objectives.designs.stored import SparseDesign
from greedyhull.testing import check_design

STORED: dict[str, Callable[[Any], Any]] = {
    "C order": np.ascontiguousarray,
    "Fortran order": np.asfortranarray,
    "a strided view": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "CSC": lambda X: SparseDesign(csc_array(X)),
    "CSR": lambda X: SparseDesign(csr_array(X)),
    "COO": lambda X: SparseDesign(coo_array(X)),
    "a CSC matrix": lambda X: SparseDesign(csc_matrix(X)),
    "sparse, but full": csc_array,
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("stored", STORED)
@pytest.mark.parametrize("shape", [(7, 11), (11, 7), (1, 4), (5, 1)])
def test_the_design_keeps_its_promises(stored: str, dtype: Any, shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(1)
    X = (rng.standard_normal(shape) * (rng.random(shape) < 0.6)).astype(dtype)
    check_design(design(STORED[stored](X)), X)


@pytest.mark.parametrize("shape", [(7, 11), (5, 1)])
def test_an_operator_keeps_its_promises(shape: tuple[int, int]) -> None:
    X = np.random.default_rng(1).standard_normal(shape)
    check_design(design(aslinearoperator(X)), X)
