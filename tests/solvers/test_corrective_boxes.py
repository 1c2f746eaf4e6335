"""`Corrective` over boxes: a few rounds at every radius, points within the bounds exactly, values as good as peers find."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import shaped_problems
from scipy.optimize import lsq_linear, minimize
from shaped_problems import RADII, data, noise, signs

import greedyhull as gh
from greedyhull.objectives.composite import Composite
from greedyhull.solvers.parts import working_set as directions
from greedyhull.types import Array

both = shaped_problems.both  # a fixture that is used by each test
ROUNDS = 25  # it took 12 at most; corners of the whole box took hundreds at small radii and did not end at large ones


LOSSES: dict[str, Callable[[Array, Array], Composite]] = {
    **shaped_problems.LOSSES,
    "logistic, intercept": lambda X, z: gh.logistic(X, signs(z + 0.5 + noise(len(z), 0.5)), intercept=True),
    "logistic, ridge": lambda X, z: gh.logistic(X, signs(z + noise(len(z), 0.5)), l2=1e-3),
    "poisson": lambda X, z: gh.poisson(X, np.random.default_rng(2).poisson(np.exp(np.minimum(z, 2.0)))),
    "squared hinge, separable": lambda X, z: gh.squared_hinge(X, signs(z)),
}


def within(s: gh.Solution, S: gh.Box) -> bool:
    x = s.point.array()
    return bool(((S.lower <= x) & (x <= S.upper)).all())


@pytest.mark.parametrize("kind", ["sparse", "tall", "wide", "collinear"])
@pytest.mark.parametrize("loss", LOSSES)
def test_no_radius_is_too_large(loss: str, kind: str) -> None:
    X, z = data(kind)
    f = LOSSES[loss](X, z)
    for r in RADII:
        S = gh.LinfBall(X.shape[1], float(r))
        s = gh.minimize(f, S, stop=gh.Relative(1e-6) | gh.Iterations(ROUNDS))
        assert s.converged and within(s, S), (r, s)


@pytest.mark.parametrize("radius", [10.0, 100.0])
def test_no_round_raises_a_loss_with_a_ridge(radius: float) -> None:
    """The line search looks at both, far from the origin too."""
    X, z = data("wide")
    S = gh.Box(np.full(80, 0.5 * radius), radius)
    f = gh.logistic(X, signs(z + 0.5 + noise(40, 0.5)), intercept=True, l2=1e-3)
    s = gh.minimize(f, S, stop=gh.Relative(1e-6) | gh.Iterations(ROUNDS))
    assert s.converged and (np.diff(s.trace["value"]) <= 1e-12).all()


def test_bounded_least_squares_takes_a_few_rounds() -> None:
    rng = np.random.default_rng(0)
    A = rng.standard_normal((300, 200))
    y = A @ rng.standard_normal(200) + rng.standard_normal(300)
    S = gh.Box(-rng.random(200), rng.random(200))
    s = gh.minimize(gh.least_squares(A, y), S, stop=gh.Relative(1e-9))
    peer = lsq_linear(A, y, (S.lower, S.upper), tol=1e-12)
    assert s.converged and s.iterations <= 6 and within(s, S)
    assert s.certificate.lower <= peer.cost / 300 and s.value == pytest.approx(peer.cost / 300, rel=1e-8)


@pytest.mark.parametrize("loss", ["logistic", "huber", "poisson", "squared hinge"])
def test_as_good_as_l_bfgs_b(loss: str) -> None:
    X, z = data("tall")
    f, S = LOSSES[loss](X, z), gh.Box(np.full(40, -0.1), np.linspace(0.0, 0.3, 40))

    def value(x: Array) -> tuple[float, Array]:
        w = gh.minimize(f, S, gh.FrankWolfe(), start=x, stop=gh.Iterations(0)).point
        return f.value(w), np.asarray(f.gradient(w))

    peer = minimize(value, np.zeros(40) + 0.0, jac=True, method="L-BFGS-B", bounds=list(zip(S.lower, S.upper, strict=True)),
                    options={"maxiter": 60})
    s = gh.minimize(f, S, stop=gh.Relative(1e-9) | gh.Iterations(40))
    assert s.converged and s.value <= peer.fun + 1e-12 and s.certificate.lower <= peer.fun


def test_resumed_runs_go_on_bit_by_bit(tmp_path: Path) -> None:
    X, z = data("collinear")
    f, S, path = LOSSES["logistic"](X, z), gh.LinfBall(40, 30.0), tmp_path / "run.npz"
    whole = gh.minimize(f, S, stop=gh.Iterations(6))
    for k in (0, 1, 3):
        gh.minimize(f, S, stop=gh.Iterations(k), checkpoint=path)
        rest = gh.minimize(f, S, stop=gh.Iterations(6), resume=path)
        assert np.array_equal(whole.point.array(), rest.point.array()) and whole.certificate == rest.certificate


def test_a_run_on_corners_goes_on_as_it_was_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """States of versions in which `Corrective` mixed corners hold atoms, and their runs keep them."""
    X, z = data("tall")
    f, S, path = LOSSES["least squares"](X, z), gh.LinfBall(40, 0.1), tmp_path / "run.npz"
    with monkeypatch.context() as before:
        before.setattr(gh.Corrective, "needs", gh.extend.Needs(smooth=True, second_order=True))
        gh.minimize(f, S, gh.Corrective(), stop=gh.Iterations(2), checkpoint=path)
        whole = gh.minimize(f, S, gh.Corrective(), stop=gh.Iterations(5))
    rest = gh.minimize(f, S, gh.Corrective(), stop=gh.Iterations(5), resume=path)
    assert rest.point.keeps_atoms and np.array_equal(whole.point.array(), rest.point.array())


def test_atoms_are_corners_when_asked_for() -> None:
    X, z = data("tall")
    S = gh.LinfBall(40, 0.05)
    point = gh.minimize(LOSSES["least squares"](X, z), S).point
    corners = np.stack([point.atoms[i].array for i in range(len(point.atoms))])
    assert (np.abs(corners) == 0.05).all() and len(corners) <= 41
    assert (point.weights > 0.0).all() and point.weights.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(point.weights @ corners, point.array(), atol=1e-15)


def test_starts_of_either_kind_are_taken_over() -> None:
    X, z = data("tall")
    f, S = LOSSES["least squares"](X, z), gh.LinfBall(40, 0.05)
    mixed = gh.minimize(f, S, gh.BlendedPairwise(), stop=gh.Iterations(50))
    s = gh.minimize(f, S, start=mixed, stop=gh.Relative(1e-9))
    assert s.converged and s.trace["value"][0] == pytest.approx(mixed.value)
    assert gh.minimize(f, S, gh.BlendedPairwise(), start=s, stop=gh.Relative(1e-6)).iterations == 0
    assert gh.minimize(f, S, start=s.x, stop=gh.Relative(1e-6)).iterations == 0
    assert gh.certify(f, S, s).gap == pytest.approx(s.certificate.gap, abs=1e-12)


def test_more_coordinates_than_are_solved_for_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directions, "MOST", 7)
    X, z = data("tall")
    for loss in ("least squares", "logistic"):
        f, S = LOSSES[loss](X, z), gh.LinfBall(40, 0.2)
        M, best = float(f.curvature(S)), gh.minimize(f, S, gh.PairwiseJones(), stop=gh.Relative(1e-8)).certificate.lower
        s = gh.minimize(f, S, stop=gh.Relative(1e-6) | gh.Iterations(300))
        assert s.converged and within(s, S)
        if loss == "least squares":
            errors = np.array(s.trace["value"]) - best
            assert (errors[1:] <= 2.0 * M / (np.arange(1, len(errors)) + 3.0) + 1e-7).all()


def test_matrices_in_any_order() -> None:
    T = np.random.default_rng(0).standard_normal((3, 4))
    f = gh.function(lambda w: 0.5 * float(((w - T) ** 2).sum()), lambda w: w - T, (3, 4), hessian_product=lambda w, v: v)
    S = gh.Box(np.zeros((3, 4)), 1.0)
    for start in (None, np.asfortranarray(np.full((3, 4), 0.5))):
        s = gh.minimize(f, S, start=start, stop=gh.Gap(1e-10) | gh.Iterations(20))
        assert s.converged
        np.testing.assert_allclose(s.x, np.clip(T, 0.0, 1.0), atol=1e-9)


def test_a_function_is_asked_within_the_bounds_only() -> None:
    low, high, c = np.full(6, 0.1), np.linspace(0.3, 0.9, 6), np.linspace(0.5, 9.0, 6)

    def seen(w: Array) -> Array:
        assert ((low <= w) & (w <= high)).all()
        return w

    f = gh.function(lambda w: float(c @ seen(w) - np.log(w).sum()), lambda w: c - 1.0 / seen(w), 6,
                    hessian_product=lambda w, v: v / seen(w) ** 2)
    s = gh.minimize(f, gh.Box(low, high), stop=gh.Gap(1e-9) | gh.Iterations(30))
    assert s.converged
    np.testing.assert_allclose(s.x, np.clip(1.0 / c, low, high), atol=1e-5)


def test_wrong_products_are_warned_of() -> None:
    f = gh.function(lambda w: 0.5 * float(w @ w - 2.0 * w.sum()), lambda w: w - 1.0, 5, hessian_product=lambda w, v: 9.0 * v)
    with pytest.warns(gh.GreedyhullWarning, match="disagree with its gradient"):
        s = gh.minimize(f, gh.Box(np.zeros(5), 3.0), stop=gh.Relative(1e-6) | gh.Iterations(100))
    assert s.converged


def test_bounds_that_are_equal_or_zero() -> None:
    X, z = data("tall")
    f = LOSSES["logistic"](X, z)
    low = np.where(np.arange(40) % 3 == 0, 0.2, -0.0)
    high = np.where(np.arange(40) % 3 == 0, 0.2, np.where(np.arange(40) % 3 == 1, 0.0, 0.5))
    s = gh.minimize(f, gh.Box(low, high), stop=gh.Relative(1e-9) | gh.Iterations(20))
    assert s.converged and (s.x[::3] == 0.2).all() and (s.x[1::3] == 0.0).all()
    assert gh.minimize(f, gh.Box(low, low)).iterations == 0


def test_a_derived_set_with_an_argmin_of_its_own_is_searched_by_it() -> None:
    class Half(gh.Box):
        """The corners whose first coordinate is at its lower bound."""

        def argmin(self, g: Array) -> gh.Dense:
            x = np.where(g > 0, self.lower, self.upper)
            x[0] = self.lower[0]
            return gh.Dense(x)

        def best(self, g: Array, m: int) -> object:
            return self.argmin(g).block(len(g))

        def worst(self, g: Array, epsilon: float) -> gh.Dense:
            return self.argmin(g)

    s = gh.minimize(gh.least_squares(np.eye(3), np.full(3, 5.0)), Half(np.zeros(3), 1.0), stop=gh.Gap(1e-9))
    np.testing.assert_allclose(s.x, [0.0, 1.0, 1.0])


@pytest.mark.parametrize("loss", [gh.absolute, gh.hinge], ids=["absolute", "hinge"])
def test_losses_with_kinks_end_at_a_minimiser(loss: Callable[[Array, Array], Composite]) -> None:
    X, z = data("tall")
    f, S = loss(X, signs(z + noise(200, 0.5))), gh.LinfBall(40, 0.05)
    s = gh.minimize(f, S, stop=gh.Relative(1e-9) | gh.Iterations(80))
    assert s.converged and within(s, S)
