"""Losses with kinks: values and subgradients against their definitions, lines and intercepts exactly least, smoothing."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import greedyhull as gh
from greedyhull.objectives.losses.intercepts import Softened
from greedyhull.objectives.losses.piecewise import (
    Absolute,
    EpsilonInsensitive,
    Hinge,
    Kinks,
    PiecewiseLinear,
    Quantile,
    kinked_search,
)
from greedyhull.testing import check_loss

Array = np.ndarray[Any, Any]
n = 6
small = st.lists(st.integers(-4, 4), min_size=n, max_size=n).map(lambda x: np.array(x, dtype=float) / 2)  # kinks are met often
shares = st.lists(st.integers(1, 5), min_size=n, max_size=n).map(lambda s: np.array(s) / sum(s))

LOSSES: dict[str, tuple[Callable[[Array, Any], PiecewiseLinear], Callable[[Array, Array], Array]]] = {
    "absolute": (Absolute, lambda z, y: np.abs(z - y)),
    "quantile": (partial(Quantile, q=0.3), lambda z, y: np.maximum(0.3 * (y - z), 0.7 * (z - y))),
    "epsilon": (partial(EpsilonInsensitive, epsilon=0.5), lambda z, y: np.maximum(np.abs(z - y) - 0.5, 0.0)),
    "hinge": (lambda y, p: Hinge(_labels(y), p), lambda z, y: np.maximum(1 - _labels(y) * z, 0.0)),
}
every = pytest.mark.parametrize("name", LOSSES)


def _labels(y: Array) -> Array:
    labels = np.where(y > 0, 1.0, -1.0)
    labels[:2] = 1.0, -1.0
    return labels


@every
@given(z=small, y=small, p=shares)
def test_value_and_subgradient_are_those_of_the_definition(name: str, z: Array, y: Array, p: Array) -> None:
    make, formula = LOSSES[name]
    loss = make(y, p)
    assert loss.value(z) == pytest.approx(float(p @ formula(z, y)), rel=1e-12, abs=1e-15)
    assert make(y, 1 / n).value(z) == pytest.approx(float(formula(z, y).mean()), rel=1e-12, abs=1e-15)
    s, h = loss.slopes(z), 1e-6
    assert np.all(s <= (formula(z + h, y) - formula(z, y)) / h + 1e-8)
    assert np.all(s >= (formula(z, y) - formula(z - h, y)) / h - 1e-8)
    assert not loss.smooth and np.isinf(loss.beta(z, z))
    assert np.all(np.abs(s) <= loss.lipschitz(z, z))


@every
@given(z=small, dz=small, y=small, p=shares)
def test_a_line_is_least_at_a_kink_or_an_end(name: str, z: Array, dz: Array, y: Array, p: Array) -> None:
    loss = LOSSES[name][0](y, p)
    for line in (loss.along(z, dz, 1.0), loss.profiled().along(z, dz, 1.0)):
        step = line.argmin()
        assert 0.0 <= step <= 1.0
        assert line.value(step) <= line.probe(np.linspace(0, 1, 25)).values.min() + 1e-13


@every
@given(z=small, other=small, y=small, p=shares)
def test_the_best_intercept_and_its_subgradient(name: str, z: Array, other: Array, y: Array, p: Array) -> None:
    loss = LOSSES[name][0](y, p)
    profiled = loss.profiled()
    value, r = profiled.first_order(z)
    assert value == pytest.approx(min(loss.value(z + b) for b in np.arange(-6, 6.01, 0.25)), abs=1e-13)
    assert abs(r.sum()) <= 1e-15
    assert profiled.value(other) >= value + r @ (other - z) - 1e-13


def test_an_intercept_is_a_weighted_quantile() -> None:
    y, p = np.array([5.0, 1.0, 2.0]), np.array([0.5, 0.25, 0.25])
    assert Absolute(y, p).profiled().intercept(np.zeros(3)) == 2.0
    assert Quantile(y, 1 / 3, q=0.9).profiled().intercept(np.zeros(3)) == 5.0
    f = gh.quantile(np.zeros((101, 1)), np.arange(101.0), q=0.25, intercept=True)
    assert f.intercept(gh.Simplex(1).centre()) == 25.0


@every
@given(z=small, y=small, p=shares, mu=st.sampled_from([0.1, 1.0, 10.0]))
def test_smoothing_errs_by_at_most_half_of_mu(name: str, z: Array, y: Array, p: Array, mu: float) -> None:
    loss = LOSSES[name][0](y, p)
    soft = loss.smoothed(mu)
    low, high = (np.broadcast_to(end, n) for end in loss.ends())
    bias = loss.value(z) - soft.value(z)
    assert -1e-14 <= bias <= 0.5 * mu * float(p @ np.maximum(low**2, high**2)) + 1e-14
    r = soft.gradient(z)
    assert np.all(p * low <= r + 1e-16) and np.all(r <= p * high + 1e-16)
    assert loss.value(z) + loss.conjugate(r) - r @ z >= -1e-13  # Fenchel-Young


@every
@given(z=small, other=small, y=small, p=shares)
def test_the_conjugate_supports_the_loss(name: str, z: Array, other: Array, y: Array, p: Array) -> None:
    """⟨r, z⟩ − φ*(r) ≤ φ(z) for every dual r, with equality where r is a subgradient."""
    loss = LOSSES[name][0](y, p)
    r = loss.gradient(z)
    assert r @ z - loss.conjugate(r) == pytest.approx(loss.value(z), abs=1e-13)
    assert r @ other - loss.conjugate(r) <= loss.value(other) + 1e-13


def test_absolute_smoothed_is_huber() -> None:
    z, y = np.linspace(-3, 3, 13), np.zeros(13)
    f = gh.huber(np.eye(13), y, delta=0.5)
    assert Softened(Absolute(y, 1 / 13), 0.5).value(z) == pytest.approx(f.loss.value(z) / 0.5, rel=1e-14)


@every
def test_smoothed_losses_keep_the_promises_of_smooth_ones(name: str) -> None:
    """`Softened`, also with an intercept, for each of `Absolute`, `Quantile`, `EpsilonInsensitive`, `Hinge`."""
    loss = LOSSES[name][0](np.random.default_rng(0).standard_normal(n), 1 / n)
    check_loss(loss.smoothed(0.7))
    check_loss(loss.smoothed(0.7).profiled())
    check_loss(loss)


def test_a_smoothed_objective() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((20, 4)), rng.standard_normal(20)
    f, S = gh.absolute(X, y), gh.L1Ball(4, 1.0)
    soft = f.smoothed(0.1)
    assert soft.traits.smooth and float(soft.curvature(S)) == pytest.approx(float(gh.least_squares(X, y).curvature(S)) / 0.1)
    assert np.isinf(float(f.curvature(S)))
    s = gh.minimize(soft, S, gh.FrankWolfe(gh.Short()), stop=gh.Iterations(30))
    assert s.gap is not None and s.gap < 0.1
    with pytest.raises(gh.GreedyhullError, match="no kinks to smooth"):
        soft.smoothed(0.1)
    with pytest.raises(gh.GreedyhullError, match="positive"):
        f.smoothed(0.0)


def test_kinks_by_hand() -> None:
    kinks = Kinks.sorted(np.array([0.5, 0.25, -1.0]), np.array([2.0, 1.0, 1.0]))  # slopes −2 | −1 | 0 | 2
    assert kinks.argmin(-2.0, 1.0) == 0.25 and kinks.argmin(-2.5, 1.0) == 0.5 and kinks.argmin(-9.0, 1.0) == 1.0
    assert kinks.argmin(-0.5, 1.0) == 0.0 and kinks.argmin(-2.5, 0.4) == 0.4
    assert kinks.crossing(-3.0) == (0.5, 0.5) and kinks.crossing(-2.0) == (0.25, 1.0)


@given(pieces=st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=1, max_size=6))
def test_a_search_among_tangents_is_exact(pieces: list[tuple[int, int]]) -> None:
    a, b = np.array(pieces, dtype=float).T

    def h(s: float) -> float:
        return float((a + b * s).max())

    step = kinked_search(h, lambda s: float(b[(a + b * s).argmax()]), 1.0)
    corners = [(a[j] - a[i]) / (b[i] - b[j]) for i in range(len(a)) for j in range(i) if b[i] != b[j]]
    assert h(step) <= min(map(h, [0.0, 1.0, *(s for s in corners if 0 < s < 1)])) + 1e-12


@pytest.mark.parametrize("make, wrong, said", [
    (partial(gh.quantile, q=1.0), [1.0, 2.0], "between 0 and 1"),
    (partial(gh.epsilon_insensitive, epsilon=-1.0), [1.0, 2.0], "at least 0"),
    (gh.hinge, [1.0, 2.0], "labels"),
    (partial(gh.hinge, intercept=True), [1.0, 1.0], "one class only"),
], ids=["q", "epsilon", "labels", "one class"])
def test_what_cannot_be_is_refused(make: Any, wrong: list[float], said: str) -> None:
    with pytest.raises(gh.GreedyhullError, match=said):
        make(np.eye(2), wrong)


def test_minibatches_average_to_the_subgradient() -> None:
    rng = np.random.default_rng(0)
    X, y, x = rng.standard_normal((12, 3)), rng.standard_normal(12), np.array([0.2, -0.1, 0.4])
    for s in (None, rng.random(12)):
        f = gh.absolute(X, y, sample_weight=s)
        parts = [f.batch(np.array([i, i + 6])) for i in range(6)]
        w = gh.L1Ball(3, 1.0).decompose(x)
        assert np.mean([b.value(x) for b in parts]) == pytest.approx(f.value(w))
        assert np.allclose(np.mean([b.gradient(x) for b in parts], axis=0), f.gradient(w))


@pytest.mark.parametrize("name", ["absolute", "quantile"])
@given(z=small, y=small)
def test_an_intercept_of_equal_weights_is_that_of_given_ones(name: str, z: Array, y: Array) -> None:
    """An order statistic is found where weights are one number, a sorted sum of jumps where they are many."""
    make = LOSSES[name][0]
    one, many = make(y, 1 / n).profiled(), make(y, np.full(n, 1 / n)).profiled()
    value, residual = one.first_order(z)
    assert value == pytest.approx(many.first_order(z)[0], rel=1e-12, abs=1e-15)
    assert abs(residual.sum()) <= 1e-15
    low, high = one.loss.ends()
    assert np.all(residual >= low / n - 1e-16) and np.all(residual <= high / n + 1e-16)
    again = z.copy()
    again[0] += 1.0
    assert one.value(again) == pytest.approx(many.value(again), rel=1e-12, abs=1e-15)  # nothing of z is left over
