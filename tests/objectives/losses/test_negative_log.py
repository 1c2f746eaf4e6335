"""Likelihoods of any size: a row multiplied by c adds −log c and moves nothing."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse

import greedyhull as gh

P = np.random.default_rng(0).random((6, 4)) + 0.01
STOP = gh.Gap(1e-9) | gh.Iterations(500)


@pytest.mark.parametrize("factor", [2.0**-1000, 1e-155, 1e-120, 1e100, 1e150])
@pytest.mark.parametrize("kind", [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array])
def test_a_factor_of_a_row_only_moves_the_value(kind: Any, factor: float) -> None:
    plain, rows = gh.minimize(gh.log_likelihood(P), gh.Simplex(4), stop=STOP), P.copy()
    rows[2] *= factor
    s = gh.minimize(gh.log_likelihood(kind(rows)), gh.Simplex(4), stop=STOP)
    assert s.converged and s.value == pytest.approx(plain.value - np.log(factor) / 6, abs=1e-8)
    all_rows = gh.minimize(gh.log_likelihood(kind(P * factor)), gh.Simplex(4), stop=STOP)
    assert all_rows.converged and all_rows.value == pytest.approx(plain.value - np.log(factor), abs=1e-8)


def test_float32_rows_whose_squares_vanish() -> None:
    rows = P.astype(np.float32)
    rows[2] *= np.float32(2.0**-110)
    s = gh.minimize(gh.log_likelihood(rows), gh.Simplex(4), stop=gh.Gap(1e-6) | gh.Iterations(500))
    plain = gh.minimize(gh.log_likelihood(P.astype(np.float32)), gh.Simplex(4), stop=gh.Gap(1e-6) | gh.Iterations(500))
    assert s.converged and s.value == pytest.approx(plain.value + 110 * np.log(2.0) / 6, abs=1e-5)


@pytest.mark.parametrize("rows", [
    [[1e-310, 2e-310], [1.0, 2.0]], [[5e-324, 0.0], [0.0, 5e-324]], [[1e-155]], [[1e-155, 0.0, 1e-155]],
    [[1.0, 1e-200], [1e-200, 1.0]], [[1e150, 1e-150], [1e-150, 1e150]]])
def test_odd_rows(rows: list[list[float]]) -> None:
    f = gh.log_likelihood(np.array(rows))
    s = gh.minimize(f, gh.Simplex(len(rows[0])), stop=gh.Relative(1e-9) | gh.Iterations(500))
    z = np.array(rows, dtype=np.longdouble) @ s.point.array()
    assert s.converged and s.value == pytest.approx(float(-np.log(z).mean()), rel=1e-12)


def test_the_data_are_not_changed() -> None:
    rows = P * 1e-155
    kept = rows.copy()
    gh.minimize(gh.log_likelihood(rows), gh.Simplex(4), stop=STOP)
    assert np.array_equal(rows, kept)
