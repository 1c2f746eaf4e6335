"""Pieces that users write are compared with something else, so that their errors do not end in a certificate."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull import extend

rng = np.random.default_rng(3)
X = rng.standard_normal((40, 6))
y = X[:, 0] - X[:, 3] + 0.3 * rng.standard_normal(40)
labels = np.sign(y)
f, S = gh.least_squares(X, y), gh.L1Ball(6, 1.0)
BEST = gh.minimize(gh.logistic(X, labels), S, stop=gh.Gap(1e-10)).value


class Logit(extend.Separable):
    """The two methods that a loss must have, and no more."""

    def terms(self, z: Any) -> Any:
        return np.logaddexp(0.0, -self.y * z)

    def slopes(self, z: Any) -> Any:
        return -self.y / (1.0 + np.exp(self.y * z))


class Flipped(Logit):
    def slopes(self, z: Any) -> Any:
        return -super().slopes(z)


class Halved(Logit):
    def slopes(self, z: Any) -> Any:
        return 0.5 * super().slopes(z)


def of_loss(loss: type[extend.Separable], intercept: bool = False) -> extend.Composite:
    made: Any = loss(labels, extend.shares(None, len(labels)))
    return extend.Composite(extend.design(X), made.profiled() if intercept else made, "own")


class Plain(extend.DesignBase):
    domain, n, dtype, sign = (6,), 40, np.dtype(float), 1.0

    def matvec(self, w: Any) -> Any:
        return X @ w

    def adjoint(self, r: Any) -> Any:
        return self.sign * (X.T @ r)


class Backwards(Plain):
    sign = -1.0


def test_a_loss_of_terms_and_slopes_alone_is_minimised_by_default() -> None:
    s = gh.minimize(of_loss(Logit), S, stop=gh.Gap(1e-8))
    assert s.converged and s.value == pytest.approx(BEST, abs=1e-8)


def test_newton_steps_need_curvatures_and_the_error_says_so() -> None:
    with pytest.raises(gh.GreedyhullError, match="curvatures"):
        gh.minimize(of_loss(Logit), S, gh.Corrective())


def test_the_kit_refuses_a_loss_that_claims_a_hessian_it_does_not_have() -> None:
    class Claims(Logit):
        twice_differentiable = True

    extend.check_loss(Logit(labels, 1 / 40))
    with pytest.raises(AssertionError, match="twice_differentiable"):
        extend.check_loss(Claims(labels, 1 / 40))


@pytest.mark.parametrize("loss", [Flipped, Halved])
@pytest.mark.parametrize(("solver", "intercept"), [(None, False), (None, True), (gh.FrankWolfe(), False),
                                                   (gh.StochasticFrankWolfe(), False)], ids=repr)
def test_wrong_slopes_of_a_loss_are_found_as_a_run_begins(loss: Any, solver: Any, intercept: bool) -> None:
    with pytest.raises(gh.GreedyhullError):
        gh.minimize(of_loss(loss, intercept), S, solver, stop=gh.Iterations(20))


def test_a_wrong_adjoint_of_a_design_is_found_as_a_run_begins() -> None:
    assert gh.minimize(gh.least_squares(Plain(), y), S, stop=gh.Gap(1e-8)).converged
    with pytest.raises(gh.GreedyhullError, match="does not agree with matvec"):
        gh.minimize(gh.least_squares(Backwards(), y), S)


@pytest.mark.parametrize("scale", [1e-160, 1e-70, 1e-8, 1e8, 1e70])
def test_right_slopes_pass_at_every_scale(scale: float) -> None:
    class Square(extend.Separable):
        def terms(self, z: Any) -> Any:
            return 0.5 * (z - self.y) ** 2

        def slopes(self, z: Any) -> Any:
            return z - self.y

    A = extend.design(scale * X)
    own = extend.Composite(A, Square(scale * y, extend.shares(None, A.n)), "own")
    for T in (S, gh.Simplex(6), gh.L2Ball(6, 1e-3), gh.Vertices(X[:4]), gh.oracle(lambda g: -np.sign(g), 6)):
        assert np.isfinite(gh.minimize(own, T, stop=gh.Iterations(5)).value)


def test_a_loss_with_kinks_that_has_no_dual_is_refused_in_words() -> None:
    class Kinked(extend.Separable):
        smooth = False

        def terms(self, z: Any) -> Any:
            return np.abs(z - self.y)

        def slopes(self, z: Any) -> Any:
            return np.sign(z - self.y)

    for solve in (lambda: gh.minimize(of_loss(Kinked), S), lambda: gh.certify(of_loss(Kinked), S, np.zeros(6)),
                  lambda: gh.minimize(of_loss(Kinked), S, gh.RegularizedStochasticFrankWolfe())):
        with pytest.raises(gh.GreedyhullError, match=r"conjugate and smoothed.*finite_sum"):
            solve()


class Optimist:
    """Frank-Wolfe, which reports a share of its gap."""

    def __init__(self, share: float) -> None:
        self.share = share

    def run(self, f: Any, S: Any, w: Any, memory: Any) -> Iterator[extend.Progress]:
        oracle = memory.oracle(S)
        for k in memory.count(first=0):
            g = f.gradient(w)
            answer = oracle.argmin(g)
            yield extend.Progress.of(w, self.share * (f.gradient_dot(w) - answer.atom.dot(g)), answer)
            w.move(w.toward(answer.atom), 2.0 / (k + 2.0))


def test_a_solver_that_reports_gaps_too_small_gets_no_certificate() -> None:
    assert gh.minimize(f, S, Optimist(1.0), stop=gh.Gap(1e-2)).converged  # type: ignore[arg-type]
    for stop in (gh.Gap(1e-2), gh.Iterations(0)):
        with pytest.raises(gh.GreedyhullError, match="gaps that are too small"):
            gh.minimize(f, S, Optimist(0.0), stop=stop)  # type: ignore[arg-type]


class Maximises(extend.AtomSet):
    shape = (6,)

    def argmin(self, g: Any) -> Any:
        return np.where(g > 0, 1.0, -1.0)


@pytest.mark.parametrize("solver", [None, gh.BlendedPairwise(), gh.FrankWolfe()], ids=repr)
@pytest.mark.parametrize("stop", [gh.Gap(1e-6), gh.Iterations(20)], ids=repr)
@pytest.mark.parametrize("made", [Maximises, lambda: gh.oracle(np.sign, 6, bound=1.0)], ids=["class", "function"])
def test_an_oracle_that_maximises_gets_no_certificate(solver: Any, stop: Any, made: Any) -> None:
    with pytest.raises(gh.GreedyhullError):
        gh.minimize(f, made(), solver, stop=stop)


def test_a_vertex_that_is_the_minimum_passes_the_same_test() -> None:
    target = gh.least_squares(np.eye(6), np.array([3.0, -2.0, 5.0, 4.0, -9.0, 2.0]))
    s = gh.minimize(target, gh.oracle(lambda g: -np.sign(g), 6, bound=1.0), gh.BlendedPairwise())
    assert s.converged and len(s.point) == 1
    rough = gh.oracle(lambda g: (-np.sign(g), 2.0 * np.abs(g).sum()), 6, bound=1.0)  # any atom satisfies this slack
    assert len(gh.minimize(target, rough, gh.BlendedPairwise(), stop=gh.Iterations(3)).point) == 1


@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e140])
def test_atoms_larger_than_the_bound_are_refused(scale: float) -> None:
    def corner(g: Any) -> Any:
        return -scale * np.sign(g)

    class Corners(extend.AtomSet):
        shape, bound = (6,), 0.5 * scale

        def argmin(self, g: Any) -> Any:
            return corner(g)

    easy = gh.quadratic(np.eye(6) / scale, np.ones(6))
    for T in (gh.oracle(corner, 6, bound=0.5 * scale), Corners()):
        with pytest.raises(gh.GreedyhullError, match="bound"):
            gh.minimize(easy, T, stop=gh.Iterations(3))
    rounded = gh.oracle(lambda g: corner(g) * (1 + 1e-12), 6, bound=scale)
    assert gh.minimize(easy, rounded, stop=gh.Iterations(3)).certificate.rounding == "proved"
