"""``l2=`` adds (l2/2)‖w‖² to every loss of a linear model, and value, gap, steps and constants know it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize as scipy_minimize

import greedyhull as gh
from greedyhull.gradients import Dual, Saga
from greedyhull.measures.terms import steepness
from greedyhull.objectives.composite import Composite
from greedyhull.objectives.minibatches import source_of
from greedyhull.points.arrays import length
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.shapes import dense
from greedyhull.solvers.parts.gap_evaluation import range_bound
from greedyhull.solvers.parts.joint import MinibatchChoice
from greedyhull.testing import check_objective
from greedyhull.types import Array

RNG = np.random.default_rng(5)
N, D, L2 = 18, 5, 0.3
X, Y = RNG.standard_normal((N, D)), RNG.standard_normal(N)
LABELS, COUNTS, WEIGHT = np.where(Y > 0, 1.0, -1.0), np.round(np.abs(2 * Y)), 0.2 + RNG.random(N)
MAKE: dict[str, Any] = {
    "least_squares": lambda X=X, **more: gh.least_squares(X, Y, **more),
    "weighted": lambda X=X, **more: gh.least_squares(X, Y, sample_weight=WEIGHT, **more),
    "intercept": lambda X=X, **more: gh.least_squares(X, Y + 3.0, intercept=True, **more),
    "logistic": lambda X=X, **more: gh.logistic(X, LABELS, **more),
    "logistic, intercept": lambda X=X, **more: gh.logistic(X, LABELS, intercept=True, **more),
    "squared_hinge": lambda X=X, **more: gh.squared_hinge(X, LABELS, **more),
    "huber": lambda X=X, **more: gh.huber(X, Y, 0.4, **more),
    "poisson": lambda X=X, **more: gh.poisson(X, COUNTS, **more),
    "lp_loss": lambda X=X, **more: gh.lp_loss(X, Y, 3.0, **more),
    "lp_loss, p < 2": lambda X=X, **more: gh.lp_loss(X, Y, 1.5, **more),
    "hinge": lambda X=X, **more: gh.hinge(X, LABELS, **more),
    "absolute": lambda X=X, **more: gh.absolute(X, Y, **more),
    "quantile": lambda X=X, **more: gh.quantile(X, Y, 0.3, intercept=True, **more),
    "epsilon_insensitive": lambda X=X, **more: gh.epsilon_insensitive(X, Y, 0.2, **more),
}
SETS = {"L1Ball": gh.L1Ball(D, 1.3), "Simplex": gh.Simplex(D), "Box": gh.Box(-0.5 * np.ones(D), np.ones(D)),
        "L2Ball": gh.L2Ball(D, 0.8), "Vertices": gh.Vertices(RNG.standard_normal((9, D)))}
SMOOTH = [name for name, make in MAKE.items() if make().smooth]


def with_formula(f: Composite, l2: float) -> Any:
    """The value of f without its ridge, and the ridge written out."""
    return lambda x: f.value(CoordinateIterate(x)) + 0.5 * l2 * float(x @ x)


def stacked(l2: float, x: Array = X, y: Array = Y) -> Composite:
    """The same least squares without a ridge: rows √(n·l2)·eⱼ with targets zero, the mean over n rows as it was."""
    n, d = x.shape
    rows = np.vstack([x, np.sqrt(n * l2) * np.eye(d)]) * np.sqrt((n + d) / n)
    return gh.least_squares(rows, np.concatenate([y, np.zeros(d)]) * np.sqrt((n + d) / n))


@pytest.mark.parametrize("S", SETS.values(), ids=list(SETS))
@pytest.mark.parametrize("name", SMOOTH)
def test_the_kit_finds_nothing_wrong(name: str, S: Any) -> None:
    """Value, gradient, lines, moves, Hessian on few atoms and curvature, against the formula and differences."""
    check_objective(MAKE[name](l2=L2), S, value=with_formula(MAKE[name](), L2))


@pytest.mark.parametrize("name", [name for name in MAKE if name not in SMOOTH])
def test_kinks_are_followed_and_certified(name: str) -> None:
    f, S, h = MAKE[name](l2=L2), SETS["L1Ball"], with_formula(MAKE[name](), L2)
    s = gh.minimize(f, S, stop=gh.Gap(1e-8))
    assert s.converged and s.value == pytest.approx(h(s.x), rel=1e-12)
    w, end = CoordinateIterate(np.eye(D)[0]), -1.3 * np.eye(D)[1]
    line = f.along(w, w.toward(gh.Basis(1, -1.3)))
    assert line.value(line.argmin()) <= min(h(w.x + t * (end - w.x)) for t in np.linspace(0, 1, 201)) + 1e-12
    around = s.x + 0.01 * RNG.standard_normal((200, D))
    assert min(h(x * min(1.0, 1.3 / np.abs(x).sum())) for x in around) >= s.certificate.lower


@pytest.mark.parametrize("S", SETS.values(), ids=list(SETS))
def test_least_squares_is_that_of_a_stacked_matrix(S: Any) -> None:
    f, other = gh.least_squares(X, Y, l2=L2), stacked(L2)
    s, t = (gh.minimize(g, S, stop=gh.Gap(1e-12)) for g in (f, other))
    assert s.converged and s.value == pytest.approx(t.value, abs=1e-11)
    np.testing.assert_allclose(s.x, t.x, atol=1e-6)
    np.testing.assert_allclose(f.gradient(CoordinateIterate(s.x)), other.gradient(CoordinateIterate(s.x)), atol=1e-12)
    M, N_ = f.curvature(S), other.curvature(S)
    assert float(M) == pytest.approx(float(N_), rel=1e-9) and M.status == N_.status


@pytest.mark.parametrize("name", ["logistic", "logistic, intercept", "huber", "poisson"])
@pytest.mark.parametrize("l1", [False, True], ids=["Simplex", "L1Ball"])
def test_minima_are_those_that_scipy_finds(name: str, l1: bool) -> None:
    V = 1.3 * np.vstack([np.eye(D), -np.eye(D)]) if l1 else np.eye(D)
    h = with_formula(MAKE[name](), L2)
    found = scipy_minimize(lambda a: h(a @ V), np.full(len(V), 1 / len(V)), method="SLSQP", bounds=[(0, 1)] * len(V),
                           constraints={"type": "eq", "fun": lambda a: a.sum() - 1}, options={"ftol": 1e-14, "maxiter": 500})
    s = gh.minimize(MAKE[name](l2=L2), gh.L1Ball(D, 1.3) if l1 else gh.Simplex(D), stop=gh.Gap(1e-10))
    assert s.converged and s.value == pytest.approx(found.fun, abs=1e-7)
    assert s.certificate.lower <= found.fun + 1e-12


def test_a_large_set_leaves_the_minimum_to_the_ridge() -> None:
    """Far from the boundary it is plain ridge regression, (XᵀX/n + l2 I)⁻¹ Xᵀy/n; the intercept is not penalised."""
    s = gh.minimize(gh.least_squares(X, Y + 9.0, intercept=True, l2=L2), gh.L2Ball(D, 50.0), stop=gh.Gap(1e-11))
    centred = X - X.mean(axis=0)
    w = np.linalg.solve(centred.T @ centred / N + L2 * np.eye(D), centred.T @ Y / N)
    np.testing.assert_allclose(s.x, w, atol=1e-4)
    assert s.intercept == pytest.approx(float((Y + 9.0 - X @ s.x).mean()), rel=1e-9)


SOLVERS = {
    "FrankWolfe": gh.FrankWolfe(), "Short": gh.FrankWolfe(gh.Short()), "Backtracking": gh.FrankWolfe(gh.Backtracking()),
    "OpenLoop": gh.FrankWolfe(gh.OpenLoop()), "Jones": gh.Jones(), "PairwiseJones": gh.PairwiseJones(),
    "BlendedPairwise": gh.BlendedPairwise(), "Corrective": gh.Corrective(),
    "Mixed": gh.Mixed((gh.FrankWolfe(), gh.Jones()), "alternate"), "Aggregated": gh.Aggregated(gh.FrankWolfe()),
    **{how: getattr(gh.StochasticFrankWolfe, how)() for how in ("minibatch", "momentum", "storm", "spider", "svrf", "svfw")},
    "saga": gh.StochasticFrankWolfe.saga(batch=3), "dual": gh.StochasticFrankWolfe.dual(batch=3),
    "StochasticJones": gh.StochasticJones(), "LuFreund": gh.LuFreund(3), "Storc": gh.Storc(0.01),
    "MoreauFrankWolfe": gh.MoreauFrankWolfe(), "RegularizedStochasticFrankWolfe": gh.RegularizedStochasticFrankWolfe(),
}


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("which", ["Simplex", "Vertices"])
def test_every_solver_comes_close_and_never_claims_too_much(name: str, which: str) -> None:
    S = SETS[which]
    for make in ("least_squares", "logistic"):
        f = MAKE[make](l2=2.0)
        best = gh.minimize(f, S, gh.Corrective(), stop=gh.Gap(1e-11))
        s = gh.minimize(f, S, SOLVERS[name], stop=gh.Gap(1e-9) | gh.Iterations(600))
        assert s.certificate.kind == "always" and s.value - best.value <= s.gap and s.certificate.lower <= best.value
        assert s.value - best.value <= 0.1


@pytest.mark.parametrize("make", ["hinge", "absolute"])
@pytest.mark.parametrize("solver", [gh.Smoothed(), gh.Smoothed(gh.FrankWolfe()), gh.Smoothed(gh.BlendedPairwise(), mu=0.1),
                                    gh.RegularizedStochasticFrankWolfe(batch=4), gh.MoreauFrankWolfe()], ids=repr)
def test_solvers_for_kinks_never_claim_too_much(make: str, solver: Any) -> None:
    f, S = MAKE[make](l2=L2), SETS["L1Ball"]
    best = gh.minimize(f, S, stop=gh.Gap(1e-10)).certificate
    s = gh.minimize(f, S, solver, stop=gh.Iterations(15 if isinstance(solver, gh.MoreauFrankWolfe) else 400))
    assert best.value is not None and s.certificate.kind == "always"
    assert s.certificate.lower <= best.value and s.value - best.value <= s.gap and s.gap < 0.5


@pytest.mark.parametrize("solver", [gh.FrankWolfe(), gh.Corrective(), gh.BlendedPairwise(), gh.Jones(),
                                    gh.StochasticFrankWolfe.saga(batch=3)], ids=lambda solver: type(solver).__name__)
@pytest.mark.parametrize("make", ["least_squares", "logistic, intercept", "hinge"])
def test_a_resumed_run_goes_on_bit_by_bit(solver: Any, make: str, tmp_path: Any) -> None:
    f, S, path = MAKE[make](l2=L2), SETS["Vertices"], tmp_path / "run.npz"
    if make == "hinge":
        solver = gh.Smoothed()
    elif "intercept" in make and isinstance(solver, gh.StochasticFrankWolfe):
        solver = gh.PairwiseJones()  # no unbiased minibatches
    whole = gh.minimize(f, S, solver, stop=gh.Iterations(12))
    gh.minimize(f, S, solver, stop=gh.Iterations(5), checkpoint=path)
    parts = gh.minimize(MAKE[make](l2=L2), S, solver, stop=gh.Iterations(12), resume=path)
    assert parts.value == whole.value and parts.gap == whole.gap and np.array_equal(parts.x, whole.x)


@pytest.mark.parametrize("l2", [0.0, 0.31])
def test_another_ridge_is_another_objective(l2: float, tmp_path: Any) -> None:
    S, path = SETS["Simplex"], tmp_path / "run.npz"
    gh.minimize(gh.logistic(X, LABELS, l2=0.3), S, gh.FrankWolfe(), stop=gh.Iterations(9), checkpoint=path)
    with pytest.warns(gh.GreedyhullWarning, match="Only the point of the saved run was taken over"):
        s = gh.minimize(gh.logistic(X, LABELS, l2=l2), S, gh.FrankWolfe(), stop=gh.Iterations(3), resume=path)
    assert "the objective changed" in s.reason


def test_any_point_can_be_certified() -> None:
    f, S, x = gh.logistic(X, LABELS, l2=L2), SETS["Box"], 0.5 * RNG.random(D)
    c, best = gh.certify(f, S, x), gh.minimize(f, S, stop=gh.Gap(1e-10)).value
    assert c.kind == "always" and c.value == pytest.approx(with_formula(MAKE["logistic"](), L2)(x), rel=1e-14)
    assert c.gap is not None and c.value is not None and c.value - best <= c.gap + 1e-14


numbers = st.floats(-3.0, 3.0, allow_subnormal=False)


@given(st.lists(st.tuples(numbers, numbers, numbers), min_size=1, max_size=4), st.floats(-300.0, 150.0), st.integers(0, 6))
def test_gaps_hold_in_exact_arithmetic(rows: list[tuple[float, float, float]], power: float, k: int) -> None:
    """Least squares with a ridge over two points, in fractions: value − min ≤ gap whatever l2 is."""
    data, l2 = np.array(rows), float(10.0**power)
    A, y, n = data[:, :2], data[:, 2], len(rows)
    s = gh.minimize(gh.least_squares(A, y, l2=l2), gh.Simplex(2), gh.FrankWolfe(), stop=gh.Iterations(k))

    def value(t: Fraction) -> Fraction:
        w = (1 - t, t)
        r = [Fraction(a) * w[0] + Fraction(b) * w[1] - Fraction(c) for a, b, c in rows]
        return sum((u * u for u in r), Fraction(0)) / (2 * n) + Fraction(l2) * (w[0] ** 2 + w[1] ** 2) / 2

    bend = 2 * (value(Fraction(1)) + value(Fraction(0)) - 2 * value(Fraction(1, 2)))
    slope = value(Fraction(1)) - value(Fraction(0)) - bend
    t = min(max(-slope / (2 * bend), Fraction(0)), Fraction(1))
    least = min(value(t), value(Fraction(0)), value(Fraction(1)))
    x = [Fraction(float(v)) for v in s.x]
    assert value(x[1] / (x[0] + x[1])) - least <= Fraction(s.gap) and Fraction(s.certificate.lower) <= least


@pytest.mark.parametrize("l2", [5e-324, 1e-300, 1e-8, 1.0, 1e8, 1e150])
@pytest.mark.parametrize("name", ["least_squares", "logistic", "intercept", "hinge"])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_any_size_of_the_ridge(l2: float, name: str, kind: Any) -> None:
    """Tiny, it is as if there were none; huge, the point is the one nearest to the origin. The gap covers both."""
    data, away = X.astype(kind).astype(np.float64), gh.Vertices(SETS["Vertices"].matrix + 3.0)
    for S in (gh.Simplex(D), away):
        f = MAKE[name](X.astype(kind), l2=l2)
        s = gh.minimize(f, S, stop=gh.Relative(1e-4 if kind is np.float32 else 1e-6) | gh.Iterations(400))
        assert s.converged and np.isfinite(s.gap)
        h = with_formula(MAKE[name](data), l2)
        others = [np.full(D, 0.2)] if isinstance(S, gh.Simplex) else [*S.matrix, S.matrix.mean(axis=0)]
        least = min(h(np.asarray(x)) for x in [*others, s.x])
        assert s.certificate.lower <= least * (1 + 1e-12) and s.value == pytest.approx(h(s.x), rel=1e-12)
    if l2 >= 1e8:
        nearest = gh.minimize(gh.quadratic(np.eye(D)), away, stop=gh.Relative(1e-8))
        assert length(s.x) <= length(nearest.x) * (1 + 1e-4)


@pytest.mark.parametrize("scale", [1e-150, 1e-70, 1e70])
def test_squares_of_points_that_would_overflow_or_vanish(scale: float) -> None:
    """l2 is multiplied by w before w is: what is left may be of ordinary size."""
    l2 = (1.0 / scale) / scale
    f, S = gh.least_squares(X / scale, Y, l2=l2), gh.L1Ball(D, 1.3 * scale)
    s, plain = gh.minimize(f, S, stop=gh.Gap(1e-10)), gh.minimize(gh.least_squares(X, Y, l2=1.0), gh.L1Ball(D, 1.3),
                                                                 stop=gh.Gap(1e-10))
    assert s.converged and s.value == pytest.approx(plain.value, abs=1e-9)


def test_many_steps_do_not_drift() -> None:
    """After thousands of moves the value is that of the coordinates, and the certificate at the end holds."""
    for make, S in (("least_squares", SETS["Simplex"]), ("logistic", SETS["Vertices"])):
        f = MAKE[make](l2=L2)
        seen: list[float] = []
        s = gh.minimize(f, S, gh.FrankWolfe(gh.OpenLoop()), stop=gh.Iterations(4000),
                        watch=lambda event, seen=seen: seen.append(event.value))
        assert s.value == pytest.approx(with_formula(MAKE[make](), L2)(s.x), rel=1e-13)
        assert seen[-1] == pytest.approx(s.value, rel=1e-12)
        assert s.certificate.lower <= gh.minimize(f, S, stop=gh.Gap(1e-12)).value


@pytest.mark.parametrize("how", [sp.csr_array, sp.csc_array, np.asfortranarray, lambda A: A.astype(np.float32)],
                         ids=["csr", "csc", "Fortran", "float32"])
def test_data_of_every_storage(how: Any) -> None:
    few = X * (np.abs(X) > 0.8)
    f, S = gh.logistic(how(few), LABELS, l2=L2), SETS["L1Ball"]
    s = gh.minimize(f, S, stop=gh.Gap(1e-6))
    assert s.converged and s.value == pytest.approx(gh.minimize(gh.logistic(few, LABELS, l2=L2), S).value, abs=1e-5)
    assert s.value == pytest.approx(with_formula(gh.logistic(np.asarray(plain(how(few)), dtype=np.float64), LABELS), L2)(s.x))


def plain(A: Any) -> Array:
    return np.asarray(A.toarray() if sp.issparse(A) else A)


def test_minibatches_carry_the_whole_ridge() -> None:
    """The mean over all terms is f; the first gradients of SAGA and of the duals are exact."""
    x = RNG.standard_normal(D)
    for make in ("least_squares", "weighted", "intercept", "logistic", "hinge"):
        f = MAKE[make](l2=L2)
        terms = [f.batch(np.array([i])) for i in range(N)]
        w = CoordinateIterate(x)
        assert np.mean([t.value(x) for t in terms]) == pytest.approx(f.value(w), rel=1e-12)
        np.testing.assert_allclose(np.mean([t.gradient(x) for t in terms], axis=0), f.gradient(w), rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(source_of(f, RNG).full(x), f.gradient(w), rtol=1e-10, atol=1e-12)
        assert f.batch(np.array([3])).objective().value(w) == pytest.approx(terms[3].value(x), rel=1e-12)
        S = SETS["Simplex"]
        pulls = terms[4].pulls(x, S)
        assert pulls is not None
        np.testing.assert_allclose(pulls[0], terms[4].gradient(x) @ x - terms[4].gradient(x), rtol=1e-10)
        for estimator in (Saga(2), Dual(2)):
            if make != "intercept":
                np.testing.assert_allclose(estimator.start(source_of(f, RNG))(x, 1), f.gradient(w), rtol=1e-10)


def test_constants_grow_by_what_the_ridge_adds() -> None:
    bare, f, S = gh.logistic(X, LABELS), gh.logistic(X, LABELS, l2=2.0), gh.L1Ball(D, 1.5)
    a, b = gh.theory.constants(bare, S), gh.theory.constants(f, S)
    assert float(b.sigma) == float(a.sigma)
    assert float(b.L_F) == pytest.approx(float(a.L_F) + 2.0) and float(b.L_max) == pytest.approx(float(a.L_max) + 2.0)
    assert float(b.L) == pytest.approx(float(a.L) + 3.0) and float(a.M) < float(b.M) <= float(a.M) + 18.0 * (1 + 1e-12)
    assert gh.least_squares(X, Y, l2=2.0).curvature(S).status == "exact"


def test_without_a_ridge_it_is_the_objective_it_was() -> None:
    for zero in (0, 0.0, -0.0, np.float32(0)):
        assert type(gh.least_squares(X, Y, l2=zero)) is Composite
    assert repr(gh.logistic(X, LABELS, intercept=True, l2=0.5)) == f"logistic(n={N}, d={D}, intercept=True, l2=0.5)"
    assert gh.logistic(X, LABELS, l2=0.5).scale == gh.logistic(X, LABELS).scale


@pytest.mark.parametrize("l2", [-1.0, -5e-324, np.nan, np.inf, "1", None, [1.0], [[1.0], 2.0], 1j, True, np.ones(2),
                                np.ma.masked], ids=repr)
def test_what_is_no_ridge_is_refused_in_words(l2: Any) -> None:
    for make in (lambda: gh.least_squares(X, Y, l2=l2), lambda: gh.log_likelihood(np.exp(X), l2=l2)):
        with pytest.raises(gh.GreedyhullError, match=r"l2 = .* was given; a finite number of at least 0 is wanted"):
            make()


def test_the_hessian_between_atoms_is_not_told_by_images() -> None:
    f, S = gh.logistic(X, LABELS, l2=L2), SETS["Simplex"]
    w = S.centre()
    rows, cols = S.block(np.array([0, 1])), S.block(np.array([1, 2, 3]))
    H = np.asarray(f.hessian(w, rows, cols))
    np.testing.assert_allclose(H - gh.logistic(X, LABELS).hessian(w, rows, cols), L2 * (np.eye(D)[:2] @ np.eye(D)[1:4].T))
    Z = rows.images(f.design)
    np.testing.assert_allclose(f.hessian_gram(w, rows, Z), f.hessian(w, rows))
    with pytest.raises(gh.GreedyhullError, match=r"Use hessian\(w, rows, cols\)"):
        f.hessian_gram(w, rows, Z, cols.images(f.design))


def test_one_row_one_column_and_zero_data() -> None:
    for A, y in ((np.ones((1, 1)), [2.0]), (np.zeros((3, 2)), np.zeros(3)), (np.ones((4, 1)), np.ones(4))):
        f, S = gh.least_squares(A, y, l2=0.5), gh.L1Ball(A.shape[1], 1.0)
        s = gh.minimize(f, S, stop=gh.Gap(1e-9))
        assert s.converged and s.value <= min(f.value(CoordinateIterate(np.eye(A.shape[1])[0] * t)) for t in (-1.0, 0.0, 1.0))


def test_mixtures_with_a_ridge_stay_inside_their_domain() -> None:
    P = RNG.random((30, D)) * (RNG.random((30, D)) < 0.6)
    P[np.arange(30), np.arange(30) % D] = 0.5
    s = gh.minimize(gh.log_likelihood(P, l2=5.0), gh.Simplex(D), stop=gh.Gap(1e-9))
    found = scipy_minimize(lambda a: -np.log(np.maximum(P @ a, 1e-300)).mean() + 2.5 * a @ a, np.full(D, 0.2), method="SLSQP",
                           bounds=[(0, 1)] * D, constraints={"type": "eq", "fun": lambda a: a.sum() - 1},
                           options={"ftol": 1e-15})
    assert s.converged and s.value == pytest.approx(found.fun, abs=1e-7) and s.certificate.lower <= found.fun + 1e-12


def hull_points(S: Any) -> Array:
    atoms = np.array([dense(S.argmin(g), (D,)) for g in RNG.standard_normal((30, D))])
    return np.vstack([atoms, RNG.dirichlet(np.full(30, 0.3), size=30) @ atoms])


@pytest.mark.parametrize("S", SETS.values(), ids=list(SETS))
@pytest.mark.parametrize("name", ["weighted", "logistic", "hinge"])
def test_bounds_on_slopes_count_the_ridge(name: str, S: Any) -> None:
    """L, V and the range that bounds from samples rest on, for a ridge that outweighs the loss: no less than what is seen."""
    f, points = MAKE[name](l2=30.0), hull_points(S)
    seen, C = steepness(f, S, points[0]), range_bound(f, S)
    G = np.array([[f.batch(np.array([i])).gradient(x) for i in range(N)] for x in points])  # point, term, coordinate
    pulls = G @ points.T  # ⟨∇fᵢ(x), u⟩
    width = pulls.max(axis=2) - pulls.min(axis=2)
    assert np.sqrt((G**2).sum(axis=2).mean(axis=1)).max() <= float(seen.L) * (1 + 1e-9)
    assert 0.5 * np.sqrt((width**2).mean(axis=1)).max() <= seen.V * (1 + 1e-9)
    assert C is not None
    assert width.max() <= C


def test_bounds_from_samples_hold_with_a_ridge() -> None:
    f, S = gh.logistic(np.tile(X, (40, 1)), np.tile(LABELS, 40), l2=L2), SETS["Simplex"]
    best = gh.minimize(f, S, stop=gh.Gap(1e-9)).value
    solver = gh.StochasticFrankWolfe(look=gh.MinibatchGap(200, delta=1e-3))
    seen: list[float] = []
    gh.minimize(f, S, solver, stop=gh.Iterations(60),
                watch=lambda event: seen.append(float(f.value(event.point.copy())) - best - event.gap))
    assert seen and max(seen) <= 0.0


@pytest.mark.parametrize("S", [SETS["L1Ball"], SETS["Vertices"]], ids=["L1Ball", "Vertices"])
def test_the_joint_choice_of_atom_and_step_sees_the_ridge(S: Any) -> None:
    """Diagonal and products of the Hessian are those of the whole matrix; the choice for a minibatch is the best of all."""
    block = S.block(np.arange(len(S)))
    for make in ("least_squares", "intercept", "logistic"):
        f, w = MAKE[make](l2=30.0), S.centre()
        H = np.asarray(f.hessian(w, block))
        np.testing.assert_allclose(f.hessian_diagonal(w, block), np.diagonal(H), rtol=1e-10)
        for j in range(len(S)):
            Hd = f.hessian_product(w, S[j].image(f.design), S[j])
            np.testing.assert_allclose(S.scores(Hd), H[:, j], rtol=1e-9, atol=1e-10)
        Hw = f.hessian_product(w, f.at(w).z)
        np.testing.assert_allclose(Hw, f.hessian_product(w, f.at(w).z, gh.Dense(w.array())), rtol=1e-9, atol=1e-12)
    choice, atoms = MinibatchChoice(S, S.oracle(RNG)), np.array([dense(S[j], (D,)) for j in range(len(S))])
    for x, pair in zip(RNG.dirichlet(np.ones(len(S)), size=12) @ atoms, RNG.integers(N, size=(12, 2)), strict=True):
        batch = gh.least_squares(X, Y, l2=3.0).batch(pair)
        found = choice.jointly(batch, x, 1.0, 0.0)
        best = min(batch.value(x + t * (d - x)) for d in atoms for t in np.linspace(0.0, 1.0, 41))
        assert batch.value(x + found.step * (dense(found.atom, (D,)) - x)) <= best + 1e-12
