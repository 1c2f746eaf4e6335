"""What a loss cannot fall below is a lower bound that every certificate knows."""

from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.objectives.composite import least

rng = np.random.default_rng(5)
X = rng.standard_normal((20, 60))
W = np.zeros(60)
W[:4] = 0.2  # inside the ball, so that no gradient shows that it is a minimum
S = gh.L1Ball(60, radius=1.0)
KINKED = [gh.absolute(X, X @ W), gh.quantile(X, X @ W, 0.3), gh.epsilon_insensitive(X, X @ W, 0.01),
          gh.absolute(X, X @ W + 3.0, intercept=True), gh.hinge(1e3 * X, np.sign(X @ W)),
          gh.absolute(X.astype(np.float32), X.astype(np.float32) @ W)]


@pytest.mark.parametrize("f", KINKED, ids=repr)
def test_a_run_that_begins_at_a_point_of_no_loss_ends_there(f: Any) -> None:
    s = gh.minimize(f, S, start=W)
    assert s.iterations == 0 and s.converged
    assert s.value - 1e-15 <= s.gap <= 1e-6 * max(f.scale, s.value)
    assert s.certificate.lower == 0.0 and s.certificate.kind == "always"


@pytest.mark.parametrize("f", KINKED, ids=repr)
def test_certify_knows_it_too(f: Any) -> None:
    c = gh.certify(f, S, W)
    assert c.value is not None and c.gap is not None
    assert c.lower == 0.0 and c.value <= c.gap <= c.value + 1e-9


def test_a_ridge_only_adds_to_it() -> None:
    f = gh.absolute(X, X @ W, l2=1e-9)
    s = gh.minimize(f, S, start=W)
    assert least(f) == 0.0 and s.iterations == 0
    assert s.value == pytest.approx(0.5e-9 * W @ W, rel=1e-3)
    assert s.value <= s.gap <= 2.0 * s.value + 1e-12


@pytest.mark.parametrize("f", [gh.least_squares(X, X @ W), gh.logistic(X, np.sign(X @ W)), gh.huber(X, X @ W, 0.1),
                               gh.squared_hinge(X, np.sign(X @ W)), gh.poisson(X, np.arange(20.0))], ids=repr)
def test_no_certificate_of_a_loss_says_less_than_its_floor(f: Any) -> None:
    far = np.zeros(60)
    far[-1] = -1.0  # where the gradient promises more than there is to be had
    c = gh.certify(f, S, far)
    assert c.value is not None and c.gap is not None
    assert c.lower >= least(f) - 1e-9 and c.gap <= c.value - least(f) + 1e-9
    assert c.lower <= gh.minimize(f, S).value


def test_rounds_that_nobody_sees_end_by_it_as_those_that_somebody_sees() -> None:
    f, ball = gh.logistic(X, np.sign(X @ W)), gh.L1Ball(60, radius=1e4)  # separable: the value is nothing, the gap is not
    seen: list[float] = []
    alone = gh.minimize(f, ball, stop=gh.Gap(1e-3))
    watched = gh.minimize(f, ball, stop=gh.Gap(1e-3), watch=lambda event: seen.append(event.gap))
    assert alone.iterations == watched.iterations == len(seen) - 1
    assert alone.gap == watched.gap and alone.trace.gap.max() <= f.scale + alone.trace.value.max()


@pytest.mark.parametrize("weights", [None, rng.random(400)], ids=["plain", "weighted"])
def test_that_of_counts_is_rounded_down(weights: Any) -> None:
    y = np.concatenate([np.arange(200.0), 10.0 ** rng.uniform(0.0, 12.0, 200)])
    f = gh.poisson(np.ones((400, 1)), y, sample_weight=weights)
    p = np.broadcast_to(np.asarray(f.loss.p, dtype=np.longdouble), 400)
    long = y.astype(np.longdouble)
    exact = (p * (long - long * np.log(np.where(long > 0.0, long, 1.0)))).sum()
    assert least(f) <= exact and least(f) >= exact - 1e-10 * abs(exact)
    assert least(gh.poisson(np.ones((2, 1)), np.array([1e308, 1e308]))) == -np.inf  # it overflows




def test_a_loss_that_has_no_floor_has_no_bound_of_this_kind() -> None:
    assert least(gh.quadratic(np.eye(3))) == -np.inf
    assert least(gh.log_likelihood(np.ones((3, 2)))) == -np.inf
    assert least(gh.function(lambda x: float(x @ x), lambda x: 2.0 * x, (3,))) == -np.inf


@pytest.mark.parametrize("f", [*KINKED, gh.least_squares(X, X @ W), gh.huber(X, X @ W, 0.1),
                               gh.least_squares(X, X @ W, l2=1e-30)], ids=repr)
def test_only_the_rounding_of_the_value_counts_above_the_floor(f: Any) -> None:
    """Neither the gradient nor the size of the set takes part; the gap was the radius times rounding."""
    huge = gh.L1Ball(60, radius=1e14)
    for c in (gh.certify(f, huge, W), gh.minimize(f, huge, start=W, stop=gh.Gap(1e-9) | gh.Iterations(2)).certificate):
        assert c.value is not None and c.gap is not None
        assert c.value - least(f) <= c.gap <= c.value - least(f) + 1e-10 * (1.0 + f.scale)


@pytest.mark.parametrize("epsilon", [5e-324, 1e-300, 1e-17, 1e-16, 3e-16])
@pytest.mark.parametrize("weights", [None, np.arange(1.0, 21.0)], ids=["even", "uneven"])
def test_kinks_that_rounding_puts_together_share_their_slopes(epsilon: float, weights: Any) -> None:
    """If y ± ε is y, both kinks of a sample are on the intercept; counted as one, the residual did not sum to zero."""
    f = gh.epsilon_insensitive(X, X @ W + 3.0, epsilon, intercept=True, sample_weight=weights)
    other = gh.absolute(X, X @ W + 3.0, intercept=True, sample_weight=weights)
    for loss in (f, other):
        z = np.round(X @ W + 3.0, 1)
        assert abs(float(loss.loss.first_order(z)[1].sum())) <= 1e-14
    s, t = (gh.minimize(loss, gh.L1Ball(60, 10.0), stop=gh.Gap(1e-9)) for loss in (f, other))
    assert s.converged and t.converged
    assert s.value == pytest.approx(t.value, abs=1e-12)
