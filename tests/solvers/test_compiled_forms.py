"""Quadratics, hulls of sparse points, ridges over points and tall least squares in the compiled core."""

import numpy as np
import pytest
from scipy import sparse

import greedyhull as gh
from greedyhull.points.iterate import Iterate
from greedyhull.solvers import corrective
from greedyhull.solvers.parts.compiled_loop import compiled_rounds

D = 9
RNG = np.random.default_rng(3)
ROOT = RNG.standard_normal((12, D)) * (RNG.random((12, D)) < 0.6)
Q = ROOT.T @ ROOT
B = RNG.standard_normal(D)
POINTS = RNG.standard_normal((25, D)) * (RNG.random((25, D)) < 0.5)
SETS = {
    "L1Ball": gh.L1Ball(D, 1.5),
    "L1Ball, weighted": gh.L1Ball(D, 1.5, weights=np.linspace(0.5, 2.0, D)),
    "Simplex": gh.Simplex(D, 2.0),
    "CappedSimplex": gh.CappedSimplex(D, 0.7),
    "Vertices": gh.Vertices(POINTS),
    "Vertices, sparse": gh.Vertices(sparse.csr_array(POINTS)),
    "Cached": gh.Cached(gh.Simplex(D)),
}
STORAGES = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "apart": lambda Q: np.repeat(np.repeat(Q, 2, axis=0), 2, axis=1)[::2, ::2],
    "CSR": sparse.csr_array,
    "CSC": sparse.csc_array,
}
TIGHT = gh.Gap(1e-8) | gh.Iterations(300)


def solved(monkeypatch, f, S, by_core=True, **how):
    """By the core, which must have made the rounds, or by the Python rounds."""
    made, before = [], corrective.compiled_rounds

    def spied(*given):
        made.append(before(*given) if by_core else None)
        return made[-1]

    with monkeypatch.context() as patch:
        patch.setattr(corrective, "compiled_rounds", spied)
        s = gh.minimize(f, S, gh.Corrective(), **{"stop": TIGHT, **how})
    assert not by_core or made[0] is not None, "the core did not run"
    return s


def agree(s, other, value):
    """Both are certified, some value is possible by both certificates, and the value is that of the point."""
    assert s.converged and other.converged, f"{s.reason} {other.reason}"
    assert max(s.certificate.lower, other.certificate.lower) <= min(s.value, other.value)
    assert s.value == pytest.approx(value, rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("storage", STORAGES)
def test_forms_agree_with_the_python_rounds(storage, name, monkeypatch):
    for dtype, b in ((np.float64, B), (np.float64, np.zeros(D)), (np.float32, B)):
        matrix, S = Q.astype(dtype), SETS[name]
        f = gh.quadratic(STORAGES[storage](matrix), b)
        stop = TIGHT if dtype is np.float64 else gh.Gap(1e-3)
        s, other = solved(monkeypatch, f, S, stop=stop), solved(monkeypatch, f, S, by_core=False, stop=stop)
        exact = matrix.astype(np.float64)
        x = s.point.array()
        agree(s, other, 0.5 * x @ exact @ x - b @ x)
        assert S.contains(s.point)


@pytest.mark.parametrize("name", SETS)
def test_what_is_told_of_a_form_is_what_it_is(name):
    """The gap is that of the oracle; z = Qw and the gradient are what NumPy computes."""
    S = SETS[name]
    w = Iterate(S.block(np.array([0, 3])), np.array([0.3, 0.7]), S.shape)
    f = gh.quadratic(Q, B)
    rounds = compiled_rounds(f, S, w, 20, 5)
    g = f.gradient(w)
    assert rounds.gap == pytest.approx(f.gradient_dot(w) - S.atom(g).dot(g), rel=1e-12)
    z, value, _, gradient = rounds.core.seen()
    x = w.array()
    assert z == pytest.approx(Q @ x, abs=1e-13) and gradient == pytest.approx(Q @ x - B, abs=1e-13)
    assert value == pytest.approx(0.5 * x @ Q @ x - B @ x, abs=1e-13)


def large(n=400, seed=0):
    """The dual of a support-vector machine: most of the points are in the solution, more than are worked on at once."""
    rng = np.random.default_rng(seed)
    A, y = rng.standard_normal((n, 6)), np.where(rng.random(n) < 0.5, 1.0, -1.0)
    return np.outer(y, y) * (A @ A.T + 1.0) + np.eye(n)


@pytest.mark.parametrize("scale", [1e-200, 1e-20, 1.0, 1e20, 1e140])
def test_forms_of_any_scale(scale, monkeypatch):
    K = large(150)
    s, plain = (solved(monkeypatch, gh.quadratic(by * K), gh.Simplex(150), stop=gh.Relative(1e-8)) for by in (scale, 1.0))
    assert s.converged and s.value == pytest.approx(scale * plain.value, rel=1e-7)


SAVED = {
    "form": lambda: (gh.quadratic(large()), gh.Simplex(400)),
    "small form": lambda: (gh.quadratic(Q, B), gh.L1Ball(D, 1.5)),
    "form over sparse points": lambda: (gh.quadratic(Q, B), gh.Vertices(sparse.csr_array(POINTS))),
    "ridge over points": lambda: (gh.huber(ROOT, B[0] + ROOT[:, 0], 0.3, l2=0.2), gh.Vertices(POINTS)),
    "tall": lambda: (gh.least_squares(*tall(300, 70)), gh.L1Ball(70, 4.0)),
}


@pytest.mark.parametrize("name", SAVED)
def test_a_resumed_run_is_equal_bit_by_bit(name, tmp_path):
    solver, stop = gh.Corrective(batch=2, steps=1), gh.Relative(1e-11) | gh.Iterations(20)
    f, S = SAVED[name]()
    whole = gh.minimize(f, S, solver, stop=stop)
    for k in range(whole.iterations):
        path = tmp_path / f"{k}.npz"
        gh.minimize(f, S, solver, stop=stop | gh.Iterations(k), checkpoint=path)
        again = gh.minimize(*SAVED[name](), solver, stop=stop, resume=path)
        assert again.trace.value[k + 1 :].tolist() == whole.trace.value[k + 1 :].tolist(), f"resumed at {k}"
        assert again.trace.value[k] == pytest.approx(whole.trace.value[k], rel=1e-14)  # nobody had looked at it before
        assert again.point.array().tobytes() == whole.point.array().tobytes()


# --- points -------------------------------------------------------------------------------------------------------------


def test_equal_sparse_rows_are_one_atom(monkeypatch):
    rows = sparse.csr_array(np.vstack([POINTS, POINTS, POINTS[:3]]))
    f, S = gh.quadratic(Q, B), gh.Vertices(rows)
    s = solved(monkeypatch, f, S)
    assert s.converged and len(set(s.point.block.keys)) == len(s.point.block)
    assert s.value == pytest.approx(solved(monkeypatch, f, gh.Vertices(POINTS)).value, abs=2e-8)


def test_a_sparse_hull_starts_from_any_of_its_points(monkeypatch):
    """Rows are found by what they hold; an atom that is no row leaves the rounds to Python."""
    rows = sparse.csr_array(np.vstack([np.zeros(D), POINTS]))  # one of them is empty
    S, f = gh.Vertices(rows), gh.least_squares(ROOT, ROOT[:, 0], l2=0.1)
    for j in range(len(S)):
        equal = (rows.toarray() == rows.toarray()[j]).all(axis=1)
        assert S.numbers(S.block(np.array([j]))).tolist() == [equal.argmax()]
        assert solved(monkeypatch, f, S, start=S[j]).converged
    w = Iterate.at(gh.Sparse(np.array([0]), np.array([1e-3])), S.shape)
    assert compiled_rounds(f, S, w, 20, 5) is None


def test_a_ridge_over_points_is_part_of_the_problem(monkeypatch):
    """Tiny and huge, with an intercept: the value is loss and ridge."""
    for l2 in (1e-300, 1e-6, 1.0, 1e3):
        for name in ("Vertices", "Vertices, sparse"):
            f = gh.least_squares(ROOT, 5.0 + ROOT[:, 0], l2=l2, intercept=True)
            s = solved(monkeypatch, f, SETS[name], stop=gh.Relative(1e-8))
            other = solved(monkeypatch, f, SETS[name], by_core=False, stop=gh.Relative(1e-8))
            x = s.point.array()
            r = ROOT @ x - (5.0 + ROOT[:, 0])
            agree(s, other, 0.5 * np.mean((r - r.mean()) ** 2) + 0.5 * l2 * x @ x)
            assert s.value >= 0.5 * l2 * x @ x


# --- tall data ----------------------------------------------------------------------------------------------------------


def tall(n, d, dtype=np.float64, order="C"):
    rng = np.random.default_rng(n + d)
    A = np.asarray(rng.standard_normal((n, d)), dtype=dtype, order=order)
    return A, A @ rng.standard_normal(d) + rng.standard_normal(n)


@pytest.mark.parametrize("n, d", [(4, 2), (60, 20), (500, 60), (700, 150), (9000, 40)])
def test_tall_least_squares_agree_with_the_python_rounds(n, d, monkeypatch):
    for dtype, order, how in ((np.float64, "C", {}), (np.float64, "F", {"intercept": True}), (np.float32, "C", {}),
                              (np.float64, "C", {"l2": 0.1}), (np.float64, "F", {"sample_weight": np.arange(n) % 3})):
        A, y = tall(n, d, dtype, order)
        for S in (gh.L1Ball(d, 0.3), gh.L1Ball(d, 30.0), gh.Simplex(d)):
            f, goal = gh.least_squares(A, y, **how), 1e-8 if dtype is np.float64 else 1e-4
            s = solved(monkeypatch, f, S, stop=gh.Relative(goal))
            other = solved(monkeypatch, f, S, by_core=False, stop=gh.Relative(goal))
            assert s.converged and other.converged, f"{s.reason} {other.reason}"
            assert max(s.certificate.lower, other.certificate.lower) <= min(s.value, other.value)


def test_a_gram_matrix_that_rounding_has_spoilt_costs_rounds_only(monkeypatch):
    """Columns that agree in nine digits: of their products X'X keeps nothing, and the certificate holds all the same."""
    rng = np.random.default_rng(0)
    common = 1.0 + rng.random((400, 1))
    A = common + 1e-9 * rng.standard_normal((400, 12))
    y = common[:, 0] + 1e-9 * rng.standard_normal(400)
    f = gh.least_squares(A, y)
    s = solved(monkeypatch, f, gh.Simplex(12), stop=gh.Relative(1e-6) | gh.Iterations(200))
    other = solved(monkeypatch, f, gh.Simplex(12), by_core=False, stop=gh.Relative(1e-6) | gh.Iterations(200))
    assert max(s.certificate.lower, other.certificate.lower) <= min(s.value, other.value)


def test_one_round_does_where_all_columns_fit(monkeypatch):
    """Few columns, many of them in the solution: all are worked on at once, and no second round is needed."""
    A, y = tall(2000, 40)
    assert solved(monkeypatch, gh.least_squares(A, y), gh.L1Ball(40, 1e3), stop=gh.Relative(1e-6)).iterations == 1
    assert solved(monkeypatch, gh.quadratic(A.T @ A, A.T @ y), gh.L1Ball(40, 1e3), stop=gh.Relative(1e-6)).iterations == 1


# --- certificates -------------------------------------------------------------------------------------------------------


def test_the_rounding_of_a_form_is_no_less_than_what_happens():
    """Against sums in extended precision, at random sparse points and at solutions."""
    rng = np.random.default_rng(1)
    for n, spread in ((40, 1.0), (300, 1e-6), (300, 1e6)):
        A = rng.standard_normal((n, 5)) * np.exp(rng.standard_normal((n, 1)) * np.log(max(spread, 1.0)) / 4)
        K = A @ A.T + (spread if spread < 1.0 else 1.0) * np.eye(n)
        K = 0.5 * (K + K.T)
        f, S, exact = gh.quadratic(K), gh.Simplex(n), K.astype(np.longdouble)
        for w in (gh.minimize(f, S, stop=gh.Relative(1e-6) | gh.Iterations(9)).point,
                  S.decompose(rng.dirichlet(np.full(n, 0.2)))):
            x = w.array().astype(np.longdouble)
            g = exact @ x
            true = 0.5 * x @ g - (x @ g - g.min())  # the lower bound
            told = f.value(w) - (f.gradient_dot(w) - f.gradient(w).min())
            assert abs(float(told - true)) <= f.rounding(w, S)


def test_a_form_whose_value_cancels_is_certified():
    """The value is 1e-6 of the entries of Q: rounding that counts all of Q would be larger than the gap that is asked for."""
    rng = np.random.default_rng(0)
    A = rng.standard_normal((600, 20))
    y = np.sign(A[:, 0] + 0.5 * rng.standard_normal(600))
    s = gh.minimize(gh.quadratic(np.outer(y, y) * (A @ A.T + 1.0) + 1e-3 * np.eye(600)), gh.Simplex(600),
                    stop=gh.Relative(1e-6) | gh.Iterations(60))
    assert s.converged, s.reason


def test_a_large_form_that_bends_down_is_refused():
    """Of more than 2000 rows nobody looks at the eigenvalues; the diagonal tells."""
    bent = sparse.diags_array(np.where(np.arange(2100) % 2 == 0, 1.0, -0.5)).tocsc()
    with pytest.raises(gh.GreedyhullError, match="not positive semidefinite"):
        gh.quadratic(bent, np.random.default_rng(0).standard_normal(2100))


def test_unseen_rounds_over_a_cache_count_as_searches():
    """A cache counts its misses by itself; the core searches the set without it."""
    f, S = gh.quadratic(large(300)), gh.Cached(gh.Simplex(300))
    stop = gh.Relative(1e-8)
    seen, unseen = (gh.minimize(f, S, gh.Corrective(), stop=stop, watch=watch) for watch in (lambda event: None, []))
    assert seen.value == unseen.value and seen.iterations == unseen.iterations > 2
    assert seen.trace.oracle_calls[-1] == unseen.trace.oracle_calls[-1]


def test_tell_of_a_form_leaves_other_views_right():
    """Another objective that looks at the same point sees where it is."""
    f, other, S = gh.quadratic(large(300)), gh.quadratic(np.eye(300)), gh.Simplex(300)
    seen = []
    gh.minimize(f, S, gh.Corrective(), stop=gh.Iterations(3), watch=lambda event: seen.append(
        (other.value(event.point), 0.5 * float(event.point.array() @ event.point.array()))))
    assert len(seen) > 2 and all(a == pytest.approx(b, rel=1e-12) for a, b in seen)
