"""Shortcuts of the compiled rounds: samples, columns in place, equal rows, many columns, exponentials, kept memory."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import sparse

import greedyhull as gh
from greedyhull.kernels.core import core
from greedyhull.solvers import corrective
from greedyhull.solvers.parts.compiled_loop import CompiledRounds

TIGHT = gh.Relative(1e-9)


def by_reference(f, S, stop=TIGHT):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corrective, "compiled_rounds", lambda *args: None)
        return gh.minimize(f, S, gh.Corrective(), stop=stop)


def agree(s, other):
    assert s.converged and other.converged, f"{s.reason} {other.reason}"
    assert max(s.certificate.lower, other.certificate.lower) <= min(s.value, other.value)


# --- a sample of the rows -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("storage", [np.asfortranarray, sparse.csc_array])
def test_a_sample_that_leads_to_the_optimum_ends_the_run(storage, monkeypatch):
    """Over a small ball a vertex is the solution. One row in eight finds it, and no slower rounds are asked for after that."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20000, 5)) * (rng.random((20000, 5)) < 0.3)
    f, S = gh.logistic(storage(X), np.where(X[:, 2] + 0.1 * rng.standard_normal(20000) > 0, 1, -1)), gh.L1Ball(5, 0.5)
    answers, advance = [], CompiledRounds.advance
    monkeypatch.setattr(CompiledRounds, "advance", lambda *args: answers.append(advance(*args)) or answers[-1])
    s = gh.minimize(f, S, gh.Corrective(), stop=gh.Relative(1e-6))
    assert s.converged and answers == [True] and s.iterations == 1
    agree(s, by_reference(f, S))


def test_columns_too_many_for_a_sample():
    """One row in eight of 16000 says little about 3000 columns, some of them empty."""
    X = sparse.random_array((16000, 3000), density=0.002, rng=5, format="csc")
    X = sparse.csc_array(X @ sparse.diags_array((np.arange(3000) % 7 > 0).astype(float)))
    y = np.where(X[:, :40].sum(axis=1) + 0.3 * np.random.default_rng(5).standard_normal(16000) > 0, 1, -1)
    f, S = gh.logistic(X, y), gh.L1Ball(3000, 20.0)
    s = gh.minimize(f, S, gh.Corrective(), stop=gh.Relative(1e-6))
    assert s.converged and s.certificate.kind == "always"
    agree(s, by_reference(f, S, stop=gh.Relative(1e-6)))


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("density", [0.0005, 0.2])
def test_a_sample_of_sparse_rows_is_these_rows(density, index):
    """With empty rows and, where entries are few, empty columns."""
    rng = np.random.default_rng(6)
    X = sparse.random_array((16001, 60), density=density, rng=6, format="csc")
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    y = np.where(X @ rng.standard_normal(60) + 0.1 * rng.standard_normal(16001) > 0, 1, -1)
    f, S = gh.logistic(X, y), gh.L1Ball(60, 30.0)
    s = gh.minimize(f, S, gh.Corrective(), stop=TIGHT)
    assert s.converged and s.certificate.kind == "always"
    agree(s, by_reference(f, S))


# --- long columns, read where they lie ----------------------------------------------------------------------------------


LONG = {
    "logistic": lambda X, y: (gh.logistic(X, y), gh.L1Ball(30, 4.0)),
    "intercept": lambda X, y: (gh.logistic(X, y, intercept=True), gh.L1Ball(30, 4.0, weights=np.linspace(0.5, 2.0, 30))),
    "ridge": lambda X, y: (gh.squared_hinge(X, y, l2=0.1), gh.Simplex(30, 3.0)),
    "weights": lambda X, y: (gh.huber(X, y, 0.5, sample_weight=1.0 + (y > 0)), gh.L1Ball(30, 2.0)),
    "few columns": lambda X, y: (gh.logistic(X[:, :3], y), gh.L1Ball(3, 1.0)),
    "one column": lambda X, y: (gh.logistic(X[:, :1], y), gh.L1Ball(1, 1.0)),
}


@pytest.mark.parametrize("name", LONG)
@pytest.mark.parametrize("n", [4095, 4096, 4099, 17000])
def test_columns_that_are_not_copied_are_those_that_would_be(n, name):
    """As many rounds, values to rounding; rows in a piece are always copied."""
    rng = np.random.default_rng(7)
    X = rng.standard_normal((n, 30))
    X[:, 4], X[:, 5], X[:, 6] = X[:, 3], 0.0, 1.0
    y = np.where(X @ rng.standard_normal(30) + rng.standard_normal(n) > 0, 1.0, -1.0)
    s, other = [gh.minimize(*LONG[name](order(X), y), gh.Corrective(), stop=TIGHT)
                for order in (np.asfortranarray, np.ascontiguousarray)]
    agree(s, other)
    assert s.iterations == other.iterations and s.value == pytest.approx(other.value, rel=1e-12)


def test_new_columns_join_a_quadratic_that_is_not_copied():
    """So many columns that XᵀX is not made: the Hessian grows by the columns of each round."""
    rng = np.random.default_rng(8)
    X = rng.standard_normal((4100, 1100))
    y = X[:, :40] @ rng.standard_normal(40) + rng.standard_normal(4100)
    S = gh.L1Ball(1100, 20.0)
    s, other = [gh.minimize(gh.least_squares(order(X), y), S, gh.Corrective(), stop=TIGHT)
                for order in (np.asfortranarray, np.ascontiguousarray)]
    agree(s, other)
    assert s.iterations == other.iterations > 1 and s.value == pytest.approx(other.value, rel=1e-12)


@pytest.mark.parametrize("scale", [1e-140, 1e-5, 1e120])
def test_scales_of_long_columns(scale):
    rng = np.random.default_rng(9)
    X = np.asfortranarray(rng.standard_normal((5000, 12)))
    y = np.where(X[:, 0] - X[:, 1] + rng.standard_normal(5000) > 0, 1, -1)
    s = gh.minimize(gh.logistic(X * scale, y), gh.L1Ball(12, 2.0 / scale), gh.Corrective(), stop=TIGHT)
    plain = gh.minimize(gh.logistic(X, y), gh.L1Ball(12, 2.0), gh.Corrective(), stop=TIGHT)
    assert s.converged and s.value == pytest.approx(plain.value, rel=1e-9)


# --- rows that are equal on the working columns -----------------------------------------------------------------------------


def one_hot(n, rng):
    return np.hstack([np.eye(k)[rng.integers(0, k, n)] for k in (12, 10)])  # 120 kinds of rows, sparse enough to stay so


@pytest.mark.parametrize("how", [{}, {"intercept": True}, {"l2": 0.1}, {"sample_weight": "some zero"}])
@pytest.mark.parametrize("loss", [gh.logistic, gh.squared_hinge, gh.least_squares])
def test_merged_rows_are_the_rows(loss, how):
    rng = np.random.default_rng(1)
    X = one_hot(3000, rng)
    X[7] *= 1.0 + 2.3e-16  # a row like others but for the last digit
    X[11] = 0.0
    y = np.where(X @ rng.standard_normal(22) + 0.5 * rng.standard_normal(3000) > 0, 1.0, -1.0)
    how = {k: rng.integers(0, 3, 3000).astype(float) if k == "sample_weight" else v for k, v in how.items()}
    S = gh.L1Ball(22, 3.0)
    f = loss(sparse.csc_array(X), y, **how)
    s = gh.minimize(f, S, gh.Corrective(), stop=TIGHT)
    agree(s, by_reference(f, S))
    agree(s, gh.minimize(loss(X, y, **how), S, gh.Corrective(), stop=TIGHT))
    if not how:
        z, _, residual, gradient = seen(sparse.csc_array(X), y, s.point.array(), loss)
        assert np.abs(z - X @ s.point.array()).max() <= 1e-14 * 3.0
        assert np.abs(gradient - X.T @ residual).max() <= 1e-12 * np.abs(residual).sum()


def test_signed_and_stored_zeros_are_no_other_rows():
    """Stored zeros and entries of both signs: what is merged or not makes no difference to the result."""
    rng = np.random.default_rng(2)
    X = sparse.csc_array(one_hot(2000, rng))
    y = np.where(rng.random(2000) < 0.3 + 0.4 * X[:, [0]].toarray()[:, 0], 1, -1)
    stored = X.copy()
    stored.data[::3] = 0.0
    stored.data[1::6] = -0.0
    for A in (X, stored):
        f, S = gh.logistic(A, y), gh.L1Ball(22, 2.0)
        s = gh.minimize(f, S, gh.Corrective(), stop=TIGHT)
        agree(s, by_reference(f, S))
        dense = gh.certify(gh.logistic(A.toarray(), y), S, s.x)
        assert abs(s.value - dense.value) <= 1e-14 and dense.gap <= s.gap + 1e-13


# --- many columns at work ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("radius", [30.0, 300.0])
@pytest.mark.parametrize("kind", ["L1Ball", "Simplex"])
@pytest.mark.parametrize("loss", ["logistic", "squared_hinge", "least_squares"])
def test_many_active_columns_agree_with_the_reference(loss, kind, radius):
    """More than a few weights: rougher quadratics, columns that leave sooner, swaps in longer bursts."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((150, 400)) * (rng.random((150, 400)) < 0.2)
    y = np.where(X[:, :150] @ rng.standard_normal(150) > 0, 1.0, -1.0)
    f, S = getattr(gh, loss)(sparse.csc_array(X), y), getattr(gh, kind)(400, radius)
    stop = gh.Relative(1e-6)
    s = gh.minimize(f, S, gh.Corrective(), stop=stop)
    agree(s, by_reference(f, S, stop=stop))
    assert S.contains(s.point)


# --- the logistic pass ------------------------------------------------------------------------------------------------------


def seen(X, y, w, loss=gh.logistic):
    """What the core says at w: image, value, residual, gradient."""
    f = loss(X, y)
    kind = {gh.least_squares: 0, gh.logistic: 1, gh.squared_hinge: 2}[loss]
    terms = (kind, 0.0, np.ascontiguousarray(f.loss.y, dtype=float), np.array([1.0 / len(y)]))
    about = (terms, kind == 0, False, False, False, np.array([1.0]), 0.0, 20, 5, None)
    made = (core.sparse_rounds, *f.design.columns_of, len(y)) if sparse.issparse(X) else (core.dense_rounds, f.design.X)
    rounds = made[0](*made[1:], *about)
    index = np.flatnonzero(w)
    rounds.begin(index, w[index])
    rounds.look()
    return rounds.seen()


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 8, 9, 255, 256, 257, 1000])
def test_values_and_slopes_of_any_number_of_margins(n):
    rng = np.random.default_rng(n)
    z = np.concatenate([[0.0, -0.0, 1e-300, -1e-300, 40.0, -40.0, 700.0, -800.0], rng.standard_normal(n)])[:n]
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    y[:2] = [1.0, -1.0][:n]
    if n == 1:
        z = np.array([3.0])
    image, value, residual, _ = seen(z[:, None], y, np.array([1.0]))
    m = y * z
    assert image.tolist() == z.tolist()
    assert value == pytest.approx(np.logaddexp(0.0, -m).mean(), rel=1e-14)
    with np.errstate(over="ignore"):
        slopes = -y * np.where(m > 0, np.exp(-np.abs(m)) / (1.0 + np.exp(-np.abs(m))), 1.0 / (1.0 + np.exp(-np.abs(m)))) / n
    assert np.abs(residual - slopes).max() <= 1e-15 and np.allclose(residual, slopes, rtol=1e-14, atol=1e-300)


# --- kept memory ------------------------------------------------------------------------------------------------------------


def problems():
    rng = np.random.default_rng(4)
    for n, d, radius in ((17000, 12, 3.0), (300, 500, 20.0), (5000, 20, 2.0)):
        X = rng.standard_normal((n, d))
        y = np.where(X[:, 0] - X[:, 1] + rng.standard_normal(n) > 0, 1, -1)
        yield gh.logistic(X, y), gh.L1Ball(d, radius)
        yield gh.logistic(sparse.csc_array(X * (np.abs(X) > 1.0)), y), gh.L1Ball(d, radius)


def solution(problem):
    s = gh.minimize(*problem, gh.Corrective(), stop=gh.Relative(1e-6))
    assert s.converged
    return s.point.array().tobytes()


def test_memory_of_other_runs_leaves_no_trace():
    """The same bits whatever ran before, and in whatever thread."""
    first = [solution(problem) for problem in problems()]
    assert [solution(problem) for problem in reversed(list(problems()))] == first[::-1]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(solution, [*problems(), *problems()])) == 2 * first


LAGS = np.lib.stride_tricks.sliding_window_view(np.random.default_rng(3).standard_normal(5059), 60)
VIEWS = {"lags": LAGS, "rows reversed": np.ascontiguousarray(LAGS)[::-1], "columns reversed": np.asfortranarray(LAGS)[:, ::-1],
         "one row": np.broadcast_to(LAGS[:1], LAGS.shape), "lags by column": LAGS.T[:, :20]}


@pytest.mark.parametrize("X", VIEWS.values(), ids=VIEWS)
@pytest.mark.parametrize("kind", [gh.L1Ball, gh.L2Ball])
def test_views_that_blas_refuses_are_solved_as_copies_are(X, kind, capfd):
    """Rows that overlap or run backwards have strides that BLAS complains about, in words on the terminal."""
    y, S = X @ np.linspace(-1.0, 1.0, X.shape[1]) + 0.1, kind(X.shape[1], 1.3)
    s, copied = gh.minimize(gh.least_squares(X, y), S), gh.minimize(gh.least_squares(X.copy(), y), S)
    agree(s, copied)
    assert s.iterations == copied.iterations and capfd.readouterr() == ("", "")


def _far_apart(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Likelihoods over many decades, and weights that are nearly nothing for some rows."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(20, 150)), int(rng.integers(10, 50))
    return 10.0 ** rng.uniform(-rng.choice([50, 100, 200, 300]), 0, (n, d)), rng.random(n) ** 4


@pytest.mark.parametrize("seed", [0, 1, 4, 6, 7, 8, 11, 12, 13, 14])
def test_no_step_of_a_mixture_leaves_a_row_with_almost_nothing(seed):
    """A row of little weight that a Newton step took to 1e-26 of what it had kept the gap at 1e14 for good."""
    L, weights = _far_apart(seed)
    f, S = gh.log_likelihood(L, sample_weight=weights), gh.Simplex(L.shape[1])
    s = gh.minimize(f, S, stop=gh.Gap(1e-6) | gh.Iterations(300))
    assert s.converged and s.gap <= 1e-6


@pytest.mark.parametrize("seed", [12, 16, 30, 58])
def test_nor_one_over_a_bounded_simplex(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(20, 150)), int(rng.integers(10, 50))
    L = 10.0 ** rng.uniform(-rng.choice([50, 100]), 0, (n, d))
    f, S = gh.log_likelihood(L, sample_weight=rng.random(n) ** 4), gh.Simplex(d, upper=rng.uniform(2, 8) / d)
    s = gh.minimize(f, S, start=S.centre(), stop=gh.Gap(1e-6) | gh.Iterations(300))
    assert s.converged and s.gap <= 1e-6
