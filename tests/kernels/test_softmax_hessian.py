"""The Hessian of cross-entropy on single entries is that of its formula, entry by entry, and of differences of gradients."""

import numpy as np
import pytest

from greedyhull.kernels.softmax import (
    AT_ONCE,
    Room,
    entries_and_intercepts,
    entries_hessian,
    whole_and_intercepts,
    whole_hessian,
)

rng = np.random.default_rng(8)


def by_formula(rows, classes, s, p):
    p = np.broadcast_to(p, len(s))
    m = len(rows)
    H, C = np.zeros((m, m)), np.zeros((s.shape[1], m))
    for a in range(m):
        for b in range(m):
            k, l = classes[a], classes[b]
            H[a, b] = (p * rows[a] * rows[b] * s[:, k] * ((k == l) - s[:, l])).sum()
        for l in range(s.shape[1]):
            C[l, a] = (p * rows[a] * s[:, classes[a]] * ((classes[a] == l) - s[:, l])).sum()
    return H, C


@pytest.mark.parametrize("dtype, tol", [(np.float64, 1e-12), (np.float32, 1e-5)])
@pytest.mark.parametrize("classes", [[0, 0, 1, 1, 1, 3], [2], [0, 1, 2, 3], [3, 3, 3]])
@pytest.mark.parametrize("weighted", [False, True])
def test_it_is_the_formula(classes, dtype, tol, weighted):
    n = 9
    rows, s = rng.standard_normal((len(classes), n)), rng.dirichlet(np.ones(4), n)
    s[0] = [1.0, 0.0, 0.0, 0.0]
    p = rng.random(n) * (rng.random(n) < 0.8) if weighted else 1.0 / n
    H, C = by_formula(rows, classes, s, p)
    given = rows.astype(dtype), np.array(classes), s, p
    found = entries_hessian(*given), entries_and_intercepts(*given)
    assert found[0].dtype == found[1].dtype == dtype
    np.testing.assert_allclose(found[0], H, atol=tol)
    np.testing.assert_allclose(found[1], C, atol=tol)


def test_many_samples_are_taken_in_parts_and_room_is_used_again():
    n, room = AT_ONCE + 37, Room()
    for m in (5, 3, 6):
        rows, s, classes = rng.standard_normal((m, n)), rng.dirichlet(np.ones(3), n), np.sort(rng.integers(0, 3, m))
        wanted = by_formula(rows, classes, s, 1.0 / n)[0]
        first = entries_hessian(rows, classes, s, 1.0 / n, room)
        np.testing.assert_allclose(first, wanted, atol=1e-12)
        entries_hessian(rows.astype(np.float32), classes, s, 1.0 / n, room)
        np.testing.assert_array_equal(entries_hessian(rows, classes, s, 1.0 / n, room), first)


@pytest.mark.parametrize("dtype, tol", [(np.float64, 1e-12), (np.float32, 1e-5)])
@pytest.mark.parametrize("n", [7, AT_ONCE + 5])
@pytest.mark.parametrize("even", [False, True])
def test_the_whole_one_is_that_of_all_entries(n, dtype, tol, even):
    d, c = 3, 4
    X, s = rng.standard_normal((d, n)), rng.dirichlet(np.ones(c), n)
    if even:
        s[:] = s[0]
    rows, classes, p = np.tile(X, (c, 1)), np.repeat(np.arange(c), d), rng.random(n) / n
    found = whole_hessian(X.astype(dtype), s, p), whole_and_intercepts(X.astype(dtype), s, p)
    assert found[0].dtype == found[1].dtype == dtype
    np.testing.assert_allclose(found[0], entries_hessian(rows, classes, s, p), atol=tol)
    np.testing.assert_allclose(found[1], entries_and_intercepts(rows, classes, s, p), atol=tol)
