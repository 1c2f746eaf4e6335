"""`Corrective` over l2 balls and bounded simplices: a few rounds at every radius, values as good as peers find."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import shaped_problems
from scipy.optimize import brentq, minimize
from shaped_problems import RADII, data, noise, signs

import greedyhull as gh
from greedyhull.objectives.composite import Composite
from greedyhull.solvers.parts import working_set as directions
from greedyhull.testing import check_atoms
from greedyhull.types import Array, AtomSet

both = shaped_problems.both  # a fixture that is used by each test
ROUNDS = 40  # it took 34 at most, for Huber losses that are all but linear; with atoms, hundreds were not enough


LOSSES: dict[str, Callable[[Array, Array], Composite]] = {
    **shaped_problems.LOSSES,
    "least squares, ridge": lambda X, z: gh.least_squares(X, z + noise(len(z), 0.1), l2=0.1),
    "logistic, intercept": lambda X, z: gh.logistic(X, signs(z + 0.5 + noise(len(z), 0.5)), intercept=True, l2=1e-3),
    "fourth power": lambda X, z: gh.lp_loss(X, z, p=4),
}
SETS: dict[str, Callable[[int, float], AtomSet]] = {
    "ball": lambda d, r: gh.L2Ball(d, r),
    "shifted ball": lambda d, r: gh.L2Ball(d, r, centre=np.linspace(-1.0, 1.0, d)),
    "bounded simplex": lambda d, r: gh.Simplex(d, r, upper=3.0 * r / d),
    "uneven simplex": lambda d, r: gh.Simplex(d, r, upper=r * np.random.default_rng(5).uniform(0.0, 6.0 / d, d)),
}


def inside(s: gh.Solution, S: AtomSet) -> bool:
    return bool(S.contains(s.point.array(), 1e-13))


@pytest.mark.parametrize("kind", ["sparse", "tall", "wide", "collinear"])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("over", SETS)
def test_no_radius_is_too_large(over: str, loss: str, kind: str) -> None:
    X, z = data(kind)
    f = LOSSES[loss](X, z)
    for r in RADII:
        S = SETS[over](X.shape[1], float(r))
        s = gh.minimize(f, S, stop=gh.Relative(1e-6) | gh.Iterations(ROUNDS))
        assert s.converged and inside(s, S), (r, s)


@pytest.mark.parametrize("kind", ["tall", "wide", "collinear"])
def test_poisson_regression_in_a_ball(kind: str) -> None:
    X, z = data(kind)
    f = gh.poisson(X, np.random.default_rng(2).poisson(np.exp(np.minimum(z, 2.0))))
    for r in RADII:
        s = gh.minimize(f, gh.L2Ball(X.shape[1], float(r)), stop=gh.Relative(1e-6) | gh.Iterations(ROUNDS))
        assert s.converged, (r, s)


@pytest.mark.parametrize("radius", [0.05, 0.5, 50.0])
def test_a_ball_solves_ridge_regression(radius: float) -> None:
    """The minimiser is (XᵀX + nλI)⁻¹Xᵀy, with λ = 0 inside."""
    X, z = data("collinear")
    y = z + noise(120, 0.1)

    def ridge(penalty: float) -> Array:
        return np.asarray(np.linalg.solve(X.T @ X / 120 + penalty * np.eye(40), X.T @ y / 120))

    penalty = 0.0 if np.linalg.norm(ridge(0.0)) <= radius else brentq(
        lambda p: float(np.linalg.norm(ridge(p))) - radius, 0.0, 1e6, xtol=1e-16)
    s = gh.minimize(gh.least_squares(X, y), gh.L2Ball(40, radius), stop=gh.Relative(1e-10) | gh.Iterations(9))
    best = 0.5 * float(np.mean((X @ ridge(penalty) - y) ** 2))
    assert s.converged and s.value == pytest.approx(best, rel=1e-8) and s.certificate.lower <= best * (1.0 + 1e-12)
    np.testing.assert_allclose(s.x, ridge(penalty), atol=1e-3)


@pytest.mark.parametrize("loss", ["least squares", "logistic", "huber"])
def test_bounded_weights_as_good_as_slsqp(loss: str) -> None:
    X, z = data("tall")
    X = X[:, :12]
    f, S = LOSSES[loss](X, z), gh.Simplex(12, 2.0, upper=np.linspace(0.05, 0.6, 12))

    def value(x: Array) -> tuple[float, Array]:
        w = gh.minimize(f, gh.Box(np.full(12, -1.0), 2.0), gh.FrankWolfe(), start=x, stop=gh.Iterations(0)).point
        return f.value(w), np.asarray(f.gradient(w))

    peer = minimize(value, S.centre().array(), jac=True, method="SLSQP", bounds=[(0.0, u) for u in S.upper],
                    constraints={"type": "eq", "fun": lambda x: x.sum() - 2.0}, options={"ftol": 1e-12})
    s = gh.minimize(f, S, stop=gh.Relative(1e-9) | gh.Iterations(20))
    assert s.converged and s.value <= peer.fun + 1e-9 and s.certificate.lower <= peer.fun + 1e-9


@pytest.mark.parametrize("shape", [(60, 260), (40, 1200)])
def test_balls_of_many_dimensions_are_solved_in_the_span_of_gradients(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal(shape)
    z = X @ rng.standard_normal(shape[1])
    z /= z.std()
    for loss in ("least squares", "logistic", "logistic, intercept", "huber"):
        f = LOSSES[loss](X, z)
        working = directions.CoordinateWorking(f, gh.L2Ball(shape[1], 1.0).traits.region)
        assert isinstance(working.directions, directions.Gradients)
        for r in RADII[::2]:
            S = gh.L2Ball(shape[1], float(r), centre=0.1 * rng.standard_normal(shape[1]))
            s = gh.minimize(f, S, stop=gh.Relative(1e-6) | gh.Iterations(60))
            assert s.converged and inside(s, S), (r, s)


def test_a_span_that_is_full_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directions, "FEW", 5)
    monkeypatch.setattr(directions, "SPANNED", 12)
    X, z = data("wide")
    f, S = LOSSES["least squares"](X, z), gh.L2Ball(80, 3.0)
    best = gh.minimize(f, S, stop=gh.Relative(1e-3)).certificate.lower
    s = gh.minimize(f, S, stop=gh.Relative(1e-7) | gh.Iterations(200))
    assert s.converged and s.iterations > 12 and inside(s, S)
    errors, M = np.array(s.trace["value"]) - best, float(f.curvature(S))
    assert (errors[1:] <= 2.0 * M / (np.arange(1, len(errors)) + 3.0) + 1e-3).all()


@pytest.mark.parametrize("few", [5, 200])
@pytest.mark.parametrize("over", ["shifted ball", "bounded simplex"])
@pytest.mark.parametrize("loss", ["least squares", "logistic", "logistic, intercept"])
def test_resumed_runs_go_on_bit_by_bit(loss: str, over: str, few: int, tmp_path: Path,
                                       monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directions, "FEW", few)
    X, z = data("wide")
    f, S, path = LOSSES[loss](X, z), SETS[over](80, 3.0), tmp_path / "run.npz"
    stop = gh.Gap(0.0) | gh.Iterations(6)
    whole = gh.minimize(f, S, stop=stop)
    for k in (0, 1, 3):
        gh.minimize(f, S, stop=gh.Gap(0.0) | gh.Iterations(k), checkpoint=path)
        rest = gh.minimize(f, S, stop=stop, resume=path)
        assert np.array_equal(whole.point.array(), rest.point.array()) and whole.certificate == rest.certificate


@pytest.mark.parametrize("over", ["ball", "bounded simplex"])
def test_a_run_on_atoms_goes_on_as_it_was_saved(over: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """States of versions in which `Corrective` mixed atoms hold them, and their runs keep them."""
    X, z = data("tall")
    f, S, path = LOSSES["logistic"](X, z), SETS[over](40, 2.0), tmp_path / "run.npz"
    with monkeypatch.context() as before:
        before.setattr(gh.Corrective, "needs", gh.extend.Needs(smooth=True, second_order=True))
        gh.minimize(f, S, gh.Corrective(), stop=gh.Iterations(2), checkpoint=path)
        whole = gh.minimize(f, S, gh.Corrective(), stop=gh.Iterations(5))
    rest = gh.minimize(f, S, gh.Corrective(), stop=gh.Iterations(5), resume=path)
    assert rest.point.keeps_atoms and np.array_equal(whole.point.array(), rest.point.array())


@pytest.mark.parametrize("over", SETS)
def test_atoms_and_weights_when_asked_for(over: str) -> None:
    X, z = data("tall")
    S = SETS[over](40, 0.5)
    check_atoms(S)
    point = gh.minimize(LOSSES["least squares"](X, z), S).point
    atoms = np.array([[point.atoms[i].dot(e) for e in np.eye(40)] for i in range(len(point.atoms))])
    assert (point.weights > 0.0).all() and point.weights.sum() == pytest.approx(1.0)
    assert all(S.contains(a) for a in atoms)
    np.testing.assert_allclose(point.weights @ atoms, point.array(), atol=1e-14)


@pytest.mark.parametrize("over", SETS)
def test_starts_of_either_kind_are_taken_over(over: str) -> None:
    X, z = data("tall")
    f, S = LOSSES["least squares"](X, z), SETS[over](40, 0.5)
    mixed = gh.minimize(f, S, gh.BlendedPairwise(), stop=gh.Iterations(5))
    s = gh.minimize(f, S, start=mixed, stop=gh.Relative(1e-9))
    assert s.converged and s.trace["value"][0] == pytest.approx(mixed.value)
    assert gh.minimize(f, S, gh.BlendedPairwise(), start=s, stop=gh.Relative(1e-6)).iterations == 0
    assert gh.minimize(f, S, start=s.x, stop=gh.Relative(1e-6)).iterations == 0
    assert gh.certify(f, S, s).gap == pytest.approx(s.certificate.gap, abs=1e-12)


def test_a_path_of_totals_under_the_same_bounds() -> None:
    X, z = data("tall")
    f, S = LOSSES["least squares"](X, z), gh.Simplex(40, 1.0, upper=0.1)
    for t in (0.01, 0.5, 2.0, 4.0):
        s = gh.minimize(f, gh.Simplex(40, t, upper=0.1), stop=gh.Relative(1e-9) | gh.Iterations(12))
        assert s.converged and s.x.sum() == pytest.approx(t, rel=1e-14) and ((s.x >= 0.0) & (s.x <= 0.1)).all(), S


def test_more_coordinates_than_are_solved_for_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directions, "MOST", 7)
    X, z = data("tall")
    for loss in ("least squares", "logistic"):
        S = gh.Simplex(40, 2.0, upper=0.3)
        s = gh.minimize(LOSSES[loss](X, z), S, stop=gh.Relative(1e-6) | gh.Iterations(300))
        assert s.converged and inside(s, S)


@pytest.mark.parametrize("few", [3, 200])
@pytest.mark.parametrize("over", ["shifted ball", "bounded simplex"])
def test_functions_with_products(over: str, few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directions, "FEW", few)
    c, t = np.linspace(1.0, 3.0, 12), np.linspace(-1.0, 2.0, 12)
    f = gh.function(lambda w: float((c * np.cosh(w - t)).sum()), lambda w: c * np.sinh(w - t), 12,
                    hessian_product=lambda w, v: c * np.cosh(w - t) * v)
    S = SETS[over](12, 1.5)
    s = gh.minimize(f, S, stop=gh.Relative(1e-9) | gh.Iterations(40))
    peer = gh.minimize(f, S, gh.BlendedPairwise(), stop=gh.Relative(1e-5))
    assert s.converged and peer.certificate.lower - 1e-9 <= s.value <= peer.value + 1e-9


def test_a_function_is_asked_within_the_bounds_only() -> None:
    c = np.linspace(0.5, 3.0, 6)

    def seen(w: Array) -> Array:
        assert ((w >= 0.0) & (w <= 0.3)).all()
        return w + 0.01

    f = gh.function(lambda w: float(-(c * np.log(seen(w))).sum()), lambda w: -c / seen(w), 6,
                    hessian_product=lambda w, v: c * v / seen(w) ** 2)
    s = gh.minimize(f, gh.Simplex(6, upper=0.3), stop=gh.Gap(1e-9) | gh.Iterations(30))
    assert s.converged
    multiplier = brentq(lambda m: float(np.clip(c / m - 0.01, 0.0, 0.3).sum()) - 1.0, 1.0, 100.0)
    np.testing.assert_allclose(s.x, np.clip(c / multiplier - 0.01, 0.0, 0.3), atol=1e-5)


@pytest.mark.parametrize("over", ["ball", "shifted ball", "bounded simplex"])
@pytest.mark.parametrize("loss", [gh.absolute, gh.hinge], ids=["absolute", "hinge"])
def test_losses_with_kinks(loss: Callable[[Array, Array], Composite], over: str) -> None:
    X, z = data("tall")
    f, S = loss(X, signs(z + noise(200, 0.5))), SETS[over](40, 0.5)
    s = gh.minimize(f, S, stop=gh.Relative(1e-6) | gh.Iterations(80))
    assert s.converged and inside(s, S), s


@pytest.mark.parametrize("over", SETS)
def test_single_precision(over: str) -> None:
    X, z = data("collinear")
    for loss in ("least squares", "logistic"):
        f = LOSSES[loss](X.astype(np.float32), z.astype(np.float32))
        for r in (0.01, 1.0, 100.0):
            s = gh.minimize(f, SETS[over](40, r), stop=gh.Relative(1e-3) | gh.Iterations(ROUNDS))
            assert s.converged, (r, s)
    f = gh.hinge(X.astype(np.float32), signs(z))
    assert gh.minimize(f, SETS[over](40, 1.0), stop=gh.Relative(1e-3) | gh.Iterations(60)).converged


@pytest.mark.parametrize("exponent", [-150, -30, 30, 100])
@pytest.mark.parametrize("over", SETS)
def test_any_scale(over: str, exponent: int) -> None:
    """Data by c⁻¹ and a set by c leave predictions as they are."""
    X, z = data("tall")
    c, S = 10.0**exponent, SETS[over](40, 1.0)
    if isinstance(S, gh.L2Ball):
        scaled: AtomSet = gh.L2Ball(40, c, centre=c * S.middle)
    else:
        scaled = gh.Simplex(40, c, upper=c * S.upper)
    plain = gh.minimize(LOSSES["logistic"](X, z), S, stop=gh.Relative(1e-8))
    s = gh.minimize(LOSSES["logistic"](X / c, z), scaled, stop=gh.Relative(1e-8) | gh.Iterations(ROUNDS))
    assert s.converged and s.value == pytest.approx(plain.value, rel=1e-7)


def test_one_coordinate_and_sets_that_are_points() -> None:
    f = gh.least_squares(np.array([[1.0], [2.0]]), np.array([1.0, 5.0]))
    assert gh.minimize(f, gh.L2Ball(1, 0.5)).x == pytest.approx([0.5])
    assert gh.minimize(f, gh.L2Ball(1, 50.0), stop=gh.Gap(1e-9)).x == pytest.approx([2.2])
    assert gh.minimize(f, gh.Simplex(1, 2.0, upper=3.0)).x == pytest.approx([2.0])
    g = gh.least_squares(np.eye(3), np.array([9.0, 0.0, 0.0]))
    assert gh.minimize(g, gh.Simplex(3, 0.6, upper=0.2)).x == pytest.approx([0.2, 0.2, 0.2])
    assert gh.minimize(g, gh.Simplex(3, 0.5, upper=[0.2, 0.0, 0.4])).x == pytest.approx([0.2, 0.0, 0.3])


@pytest.mark.parametrize("over", ["ball", "bounded simplex"])
def test_zero_columns_and_twins(over: str) -> None:
    X, z = data("tall")
    X = X.copy()
    X[:, 3], X[:, 5] = 0.0, X[:, 4]
    for r in RADII[::2]:
        s = gh.minimize(gh.least_squares(X, z), SETS[over](40, float(r)), stop=gh.Relative(1e-6) | gh.Iterations(ROUNDS))
        assert s.converged, (r, s)


def test_a_derived_set_with_an_argmin_of_its_own_is_searched_by_it() -> None:
    class Half(gh.L2Ball):
        """Half a ball: the first coordinate is not positive."""

        def argmin(self, g: Array) -> gh.Dense:
            return super().argmin(np.concatenate([[max(g[0], 0.0)], g[1:]]))

        def worst(self, g: Array, epsilon: float) -> gh.Dense:
            return self.argmin(g)

    assert Half(3, 1.0).traits.region is None and gh.Cached(gh.L2Ball(3, 1.0)).traits.region is None
    s = gh.minimize(gh.least_squares(np.eye(3), np.array([5.0, 5.0, 0.0])), Half(3, 1.0), stop=gh.Gap(1e-9))
    np.testing.assert_allclose(s.x, [0.0, 1.0, 0.0], atol=1e-4)
