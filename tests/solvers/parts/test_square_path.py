"""The compiled path of least squares: every point is in its ball and as good as its gap says, whatever the data are."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import greedyhull as gh
from greedyhull.atoms.simplex import PositiveL1Ball
from greedyhull.kernels.core import core
from greedyhull.solvers.parts.paths import matrix_path, square_path, square_starts

TOL = 1e-9


def never():
    return False


def ball(d, r, scale, positive):
    return (PositiveL1Ball if positive else gh.L1Ball)(d, r, weights=1.0 / scale)


def point(path, scale):
    index, v = path.point()
    w = np.zeros(len(scale))
    w[index] = v * scale[index]
    return w


def follow(f, scale, positive, radii, tol=TOL, *, roughly=False):
    """Follow the path, hold each of its points against the certificate of the driver, and return the prices."""
    path, prices = square_path(f, scale, positive=positive, roughly=roughly), []
    for r in radii:
        value, gap, price, used = path.to(r, tol, never)
        w, S = point(path, scale), ball(len(scale), r, scale, positive)
        assert S.contains(w) and used <= r * (1.0 + 1e-12)
        proved = gh.certify(f, S, w)
        size = max(abs(proved.value), f.scale, 1e-12)
        assert value == pytest.approx(proved.value, abs=1e-9 * size)
        assert gap <= max(2.0 * tol, 1e-9) * size
        assert min(proved.gap, proved.value) <= gap + 1e-8 * size  # no least value is below zero
        assert price >= 0.0
        prices.append(price)
    return prices


def data(kind, rng):
    X = rng.standard_normal((12, 8))
    if kind == "duplicates":
        X = np.hstack([X, X, -X[:, :3]])
    elif kind == "more columns than rows":
        X = rng.standard_normal((6, 40))
    elif kind == "rank one":
        X = np.outer(rng.standard_normal(12), rng.standard_normal(8))
    elif kind == "constant columns":
        X[:, 2], X[:, 5] = 0.0, 3.0
    elif kind == "one column":
        X = X[:, :1]
    elif kind == "one row":
        X = X[:1]
    elif kind == "ties":
        X = np.sign(X)
    elif kind == "signed zeros":
        X = np.where(X > 0.5, X, -0.0)
    return X, rng.standard_normal(len(X))


KINDS = ["plain", "duplicates", "more columns than rows", "rank one", "constant columns", "one column", "one row", "ties",
         "signed zeros"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sp.csc_array, sp.csr_array])
def test_points_are_as_good_as_they_say(kind, positive, intercept, form):
    for seed in range(3):
        X, y = data(kind, np.random.default_rng(seed))
        f = gh.least_squares(form(X), y, intercept=intercept)
        prices = follow(f, np.ones(X.shape[1]), positive, [0.01, 0.1, 0.11, 0.5, 1.0, 3.0, 3.0, 30.0, 100.0])
        assert max(np.diff(prices)) <= 1e-7 * prices[0]  # a larger budget is worth no more


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
def test_points_of_descent_are_as_good_as_they_say(kind, positive, intercept):
    for seed in range(3):
        X, y = data(kind, np.random.default_rng(seed))
        f = gh.least_squares(sp.csc_array(X), y, intercept=intercept)
        radii = [0.01, 0.1, 0.11, 0.5, 1.0, 3.0, 3.0, 30.0, 0.2]
        assert len(follow(f, np.ones(X.shape[1]), positive, radii, 1e-4, roughly=True)) == len(radii)


@pytest.mark.parametrize("weights", [None, "uneven"])
@pytest.mark.parametrize("positive", [False, True])
def test_descent_with_many_active_columns_finds_what_kinks_lead_to(positive, weights):
    rng = np.random.default_rng(3)
    X = sp.random(150, 400, density=0.05, format="csc", random_state=0)
    y, s = X @ rng.standard_normal(400) + 0.1 * rng.standard_normal(150), None if weights is None else rng.integers(0, 3, 150)
    f, scale = gh.least_squares(X, y, sample_weight=s, intercept=True), rng.uniform(0.5, 2.0, 400)
    rough, fine = (square_path(f, scale, positive=positive, roughly=one) for one in (True, False))
    for r in np.geomspace(0.1, 400.0, 12):
        (value, gap, *_), (least, *_) = rough.to(r, 1e-4, never), fine.to(r, 1e-9, never)
        assert gap <= 1e-4 * f.scale
        assert least - 1e-8 * f.scale <= value <= least + gap + 1e-8 * f.scale


def test_entries_that_are_stored_twice_count_twice():
    X = sp.csc_matrix((np.array([1.0, 2.0, 1.0, -1.0]), np.array([0, 0, 1, 2]), np.array([0, 2, 4])), shape=(4, 2))
    y = np.array([1.0, 2.0, 3.0, 0.5])
    twice, once = (core.sparse_path(*arrays, 4, y, np.full(4, 0.25), True, np.ones(2), False, True) for arrays in (
        (X.indptr.astype(np.int64), X.indices.astype(np.uint32), X.data),
        (np.array([0, 1, 3]), np.array([0, 1, 2], dtype=np.uint32), np.array([3.0, 1.0, -1.0]))))
    assert twice.to(0.5, 1e-8, never) == pytest.approx(once.to(0.5, 1e-8, never), rel=1e-12)


@pytest.mark.parametrize("roughly", [False, True])
def test_paths_end_where_data_are_interpolated(roughly):
    """Far beyond the least radius that fits everything there is nothing left to do; not one look for each radius is made."""
    rng = np.random.default_rng(4)
    X, y = rng.standard_normal((60, 140)), rng.standard_normal(60)
    path = square_path(gh.least_squares(sp.csc_array(X), y), np.ones(140), positive=False, roughly=roughly)
    W = np.empty((30, 140))
    path.walk(np.geomspace(0.1, 1e4, 30), 1e-4, np.ones(140), W, never)
    assert 0.5 * float(np.mean((X @ W[-1] - y) ** 2)) <= 1e-4 * 0.5 * float(np.mean(y**2))
    np.testing.assert_array_equal(W[-1], W[-5])


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 40), d=st.integers(1, 60), intercept=st.booleans(),
       positive=st.booleans(), order=st.permutations([0.05, 0.3, 1.0, 2.0, 6.0]))
def test_radii_may_come_in_any_order(seed, n, d, intercept, positive, order):
    rng = np.random.default_rng(seed)
    X, y, s = rng.standard_normal((n, d)), rng.standard_normal(n), rng.integers(0, 3, n).astype(float)
    s[0] = 1.0
    f = gh.least_squares(X, y, sample_weight=s, intercept=intercept)
    prices = np.array(follow(f, rng.uniform(0.5, 2.0, d), positive, order))[np.argsort(order)]
    assert max(np.diff(prices)) <= 1e-6 * prices[0]  # whatever the order, a larger budget is worth no more


@pytest.mark.parametrize("positive", [False, True])
def test_many_columns_that_join_and_leave(positive):
    rng = np.random.default_rng(1)
    X = np.cumsum(rng.standard_normal((60, 400)), axis=1)  # neighbours are nearly the same
    y = X[:, 20] - X[:, 200] + rng.standard_normal(60)
    prices = follow(gh.least_squares(X, y, intercept=True), np.ones(400), positive, np.geomspace(1e-3, 30.0, 40), 1e-6)
    assert prices[-1] < 0.01 * prices[0]


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("whole", [False, True])
def test_points_are_those_of_single_solves(positive, whole):
    rng = np.random.default_rng(2)
    X, y, scale = rng.standard_normal((50, 20)), rng.standard_normal(50), rng.uniform(0.5, 2.0, 20)
    f, f0 = gh.least_squares(X, y), 0.5 * float(y @ y) / 50
    path = (matrix_path(X.T @ X / 50, X.T @ y / 50, f0, scale, positive=positive) if whole
            else square_path(f, scale, positive=positive))
    for r in (0.02, 0.2, 0.5, 1.0, 5.0, 1.0, 0.2):
        value, gap, *_ = path.to(r, 1e-13, never)
        S = (PositiveL1Ball if positive else gh.L1Ball)(20, r, weights=1.0 / scale)
        best = gh.minimize(f, S, stop=gh.Gap(1e-13) | gh.Stalled(100))
        assert value == pytest.approx(best.value, rel=1e-12)
        assert gap <= 1e-12 * f0
        np.testing.assert_allclose(point(path, scale), best.x, atol=1e-5)


@pytest.mark.parametrize("size", [1e-140, 1e-70, 1e70, 1e140])
@pytest.mark.parametrize("of", ["X", "y"])
def test_the_size_of_data_does_not_matter(size, of):
    X, y = data("plain", np.random.default_rng(0))
    small = gh.path(gh.least_squares(X, y), gh.L1Ball(8, 1.0), [0.1, 0.5, 2.0])
    X, y, by = (size * X, y, 1.0 / size) if of == "X" else (X, size * y, size)
    for s, t in zip(small, gh.path(gh.least_squares(X, y), gh.L1Ball(8, 1.0), [0.1 * by, 0.5 * by, 2.0 * by]), strict=True):
        np.testing.assert_allclose(t.x / by, s.x, atol=1e-4)
        assert t.converged


def test_targets_of_zero_want_nothing():
    f = gh.least_squares(np.eye(3), np.zeros(3))
    path = square_path(f, np.ones(3), positive=False)
    assert path.to(1.0, 1e-6, never)[:2] == (0.0, 0.0)
    assert len(path.point()[0]) == 0


@pytest.mark.parametrize("form", [np.asarray, sp.csc_array])
@pytest.mark.parametrize("roughly", [False, True])
@pytest.mark.parametrize("level", [3.7, -1e10, 1e-100, 1e100])
def test_targets_that_the_intercept_fits_want_nothing(form, roughly, level):
    """What rounding leaves of a constant target is no target: it cost hundreds of quadratic programs per radius."""
    rng = np.random.default_rng(0)
    for p in (None, rng.random(24)):
        f = gh.least_squares(form(rng.standard_normal((24, 100))), np.full(24, level), sample_weight=p, intercept=True)
        path = square_path(f, np.ones(100), positive=False, roughly=roughly)
        assert path.first() == (0.0, 0.0)
        assert [path.to(r, 1e-6, never)[:2] for r in (0.01, 1.0, 100.0)] == [(0.0, 0.0)] * 3
        assert len(path.point()[0]) == 0


def test_a_path_ends_where_prices_are_rounding():
    """The target is orthogonal to all columns: more quadratic programs at one radius do not lower a gap of rounding."""
    rng = np.random.default_rng(0)
    B = np.linalg.qr(rng.standard_normal((24, 5)))[0]
    X, y = B @ rng.standard_normal((5, 300)), rng.standard_normal(24)
    y -= B @ (B.T @ y)
    path = square_path(gh.least_squares(X, y - B @ (B.T @ y)), np.ones(300), positive=False)
    for r in (1.0, 1e6):
        value, gap, _, used = path.to(r, 1e-20, never)  # without end if it tries again and again
        assert value == pytest.approx(path.first()[0], rel=1e-12) and gap <= 1e-13 * r * value and used <= r * (1.0 + 1e-12)


def test_what_the_core_does_not_follow_is_left_to_others():
    X, y = np.eye(3), np.arange(3.0)
    assert square_starts(gh.huber(X, y), gh.L1Ball(3, 1.0)) is None
    assert square_starts(gh.least_squares(X, y, l2=0.1), gh.L1Ball(3, 1.0)) is None
    assert square_starts(gh.least_squares(X, y), gh.Simplex(3)) is None
    assert square_starts(gh.least_squares(X, y), gh.L2Ball(3, 1.0)) is None


@pytest.mark.parametrize("wrong", [(0.0, 1e-6), (-1.0, 1e-6), (np.nan, 1e-6), (1.0, 0.0)])
def test_the_door_refuses_what_is_no_radius(wrong):
    path = square_path(gh.least_squares(np.eye(3), np.ones(3)), np.ones(3), positive=False)
    with pytest.raises(ValueError, match="positive"):
        path.to(*wrong, never)


@pytest.mark.parametrize("scales", [np.ones(2), np.ones(4)])
def test_the_door_counts(scales):
    with pytest.raises(ValueError, match="one scale a column"):
        core.dense_path(np.eye(3), np.ones(3), np.ones(3), False, scales, False)
    with pytest.raises(ValueError, match="a target and a weight"):
        core.dense_path(np.eye(3), np.ones(2), np.ones(3), False, np.ones(3), False)
