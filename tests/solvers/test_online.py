"""The online learner: its regret is what it says, and stays below its bound whatever comes."""

from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.solvers.regularized_stochastic_frank_wolfe import RegularizedStochasticFrankWolfe, Unweighted

SETS = {"L2Ball": gh.L2Ball(3, 2.0), "L1Ball": gh.L1Ball(3, 1.0), "Simplex": gh.Simplex(3),
        "Box": gh.Box(np.zeros(3), np.ones(3))}


def noise(learner: gh.Online, k: int, rng: np.random.Generator) -> Any:
    g = rng.standard_normal(3)
    return g / np.linalg.norm(g)


def against(learner: gh.Online, k: int, rng: np.random.Generator) -> Any:
    """Uphill from the first point: punish whatever is played."""
    g = learner.point + 1e-3
    return g / max(1.0, float(np.linalg.norm(g)))


def turning(learner: gh.Online, k: int, rng: np.random.Generator) -> Any:
    """A long time one way, then back, again and again."""
    return np.eye(3)[0] * (1.0 if (k.bit_length() % 2) else -1.0)


@pytest.mark.parametrize("horizon", [None, 300], ids=["anytime", "horizon"])
@pytest.mark.parametrize("play", [noise, against, turning], ids=lambda it: it.__name__)
@pytest.mark.parametrize("where", SETS)
def test_regret_stays_below_its_bounds(where: str, play: Any, horizon: int | None) -> None:
    S, rng = SETS[where], np.random.default_rng(1)
    learner = gh.Online(S, lipschitz=1.0, horizon=horizon)
    total, paid = np.zeros(3), 0.0
    for k in range(1, 301):
        g = play(learner, k, rng)
        paid += float(g @ learner.point)
        total += g
        learner.partial_fit(g)
        assert S.contains(learner.point)
    assert learner.regret() == pytest.approx(paid - S.argmin(total).dot(total), abs=1e-9)
    assert learner.regret() <= learner.bound() <= 8 * S.diameter * 300**0.75


def test_the_linearised_regret_is_above_the_true_one() -> None:
    rng, S = np.random.default_rng(2), gh.L2Ball(2, 1.0)
    learner, targets = gh.Online(S, lipschitz=4.0), rng.uniform(-1, 1, (200, 2))

    class Square:
        def __init__(self, y: Any) -> None:
            self.y = y

        def value(self, w: Any) -> float:
            return 0.5 * float(((w - self.y) ** 2).sum())

        def gradient(self, w: Any) -> Any:
            return w - self.y

    for y in targets:
        learner.partial_fit(Square(y))
    best = targets.mean(axis=0)  # inside the ball
    least = sum(Square(y).value(best) for y in targets)
    assert 0.0 <= learner.loss - least <= learner.regret() <= learner.bound()
    mean = sum(Square(y).value(learner.mean) for y in targets)
    assert mean <= learner.loss + 1e-9  # Jensen


def test_it_is_arsfw_with_the_gradients_of_a_sum() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((20, 3)), rng.standard_normal(20)
    f, S = gh.absolute(X, y), gh.Simplex(3)
    learner = gh.Online(S, c=0.3)
    for _ in range(50):
        learner.partial_fit(X.T @ np.sign(X @ learner.point - y) / 20)
    s = gh.minimize(f, S, RegularizedStochasticFrankWolfe(Unweighted(0.3), batch=20), stop=gh.Iterations(51))
    np.testing.assert_allclose(s.also["last"].array(), learner.point, atol=1e-12)
    np.testing.assert_allclose(s.point.array(), learner.mean, atol=1e-12)
    np.testing.assert_allclose(learner.predict(X), X @ learner.point)


def test_a_state_goes_on_bit_by_bit() -> None:
    rng = np.random.default_rng(4)
    gradients = rng.standard_normal((40, 3))
    whole, first = gh.Online(gh.L1Ball(3, 1.0)), gh.Online(gh.L1Ball(3, 1.0))
    for g in gradients:
        whole.partial_fit(g)
    for g in gradients[:15]:
        first.partial_fit(g)
    later = gh.Online(gh.L1Ball(3, 1.0))
    later.restore({name: np.array(array) for name, array in first.state().items()})
    for g in gradients[15:]:
        later.partial_fit(g)
    np.testing.assert_array_equal(later.point, whole.point)
    assert (later.regret(), later.bound(), later.rounds) == (whole.regret(), whole.bound(), 40)


def test_before_anything_came_and_when_nothing_comes() -> None:
    learner = gh.Online(gh.Simplex(2))
    assert learner.regret() == learner.bound() == 0.0 and repr(learner).endswith("rounds=0)")
    learner.partial_fit(np.zeros(2)).partial_fit(np.array([0.0, 1.0]))
    assert learner.rounds == 2 and learner.regret() <= learner.bound()
    learner.point[0] = 5.0  # a copy
    assert learner.point.max() <= 1.0


def test_another_start_and_another_regulariser() -> None:
    learner = gh.Online(gh.Simplex(3), start=np.array([1.0, 0.0, 0.0]), lipschitz=1.0)
    np.testing.assert_array_equal(learner.point, [1.0, 0.0, 0.0])

    class Bowl:
        rho = 1.0

        def value(self, x: Any) -> float:
            return 0.5 * float(((x - 0.2) ** 2).sum())

        def gradient(self, x: Any) -> Any:
            return x - 0.2

    learner = gh.Online(gh.Box(np.zeros(2), np.ones(2)), regularizer=Bowl())
    np.testing.assert_allclose(learner.point, [0.2, 0.2], atol=1e-3)


def test_refusals() -> None:
    for make, said in ((lambda: gh.Online(3), "a set such as"), (lambda: gh.Online(gh.Simplex(2), lipschitz=0.0), "lipschitz"),
                       (lambda: gh.Online(gh.Simplex(2), horizon=0), "horizon must be .* got 0"),
                       (lambda: gh.Online(gh.Simplex(2), start=np.ones(2)), "outside"),
                       (lambda: gh.Online(gh.Simplex(2)).partial_fit(np.ones(3)), "shape"),
                       (lambda: gh.Online(gh.Simplex(2)).partial_fit(np.array([np.nan, 0.0])), "NaN"),
                       (lambda: gh.Online(gh.Simplex(2)).partial_fit(np.ma.array([1.0, 0.0], mask=[True, False])), "masked"),
                       (lambda: gh.Online(gh.Simplex(2)).partial_fit(np.array([1j, 0.0])), "complex"),
                       (lambda: gh.Online(gh.Simplex(2)).partial_fit(None), "wanted"),
                       (lambda: gh.Online(gh.Simplex(2)).predict(np.ma.array(np.eye(2), mask=np.eye(2))), "masked"),
                       (lambda: gh.Online(gh.Simplex(2), lipschitz=1.0).partial_fit(np.ones(2)), "at most lipschitz")):
        with pytest.raises(gh.GreedyhullError, match=said):
            make()
