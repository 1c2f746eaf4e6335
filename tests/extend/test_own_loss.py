"""A loss of one's own is a class of two methods, and its targets."""

from __future__ import annotations

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.extend import Array, Composite, Separable, check_loss, design


class LogCosh(Separable):
    """φ(z) = (1/n) Σ log cosh(zᵢ − yᵢ)."""

    def terms(self, z: Array) -> Array:
        r = np.abs(z - self.y)
        return r + np.log1p(np.exp(-2 * r)) - np.log(2)

    def slopes(self, z: Array) -> Array:
        return np.tanh(z - self.y)

    def curvatures(self, z: Array) -> Array:
        return 1 / np.cosh(np.clip(z - self.y, -300, 300)) ** 2


rng = np.random.default_rng(0)
X = rng.standard_normal((40, 8))
y = X[:, 0] + rng.standard_t(1.5, 40)


@pytest.mark.parametrize("given", [y, y.tolist(), (10 * y).astype(int)], ids=["array", "list", "integers"])
def test_targets_are_all_that_is_needed(given: object) -> None:
    loss = LogCosh(given)  # type: ignore[arg-type]
    assert loss.p == 1 / 40 and loss.y.dtype == np.float64
    check_loss(loss)
    f, S = Composite(design(X), loss), gh.L1Ball(8, 1.0)
    s = gh.minimize(f, S, stop=gh.Gap(1e-9))
    r = X @ s.x - loss.y
    g = X.T @ np.tanh(r) / 40
    assert s.converged and repr(f) == "LogCosh(n=40, d=8)"
    assert s.value == pytest.approx(float(np.mean(np.log(np.cosh(r)))))
    assert -1e-12 <= g @ s.x + np.abs(g).max() <= 1e-8  # the gap, by hand


def test_weights_can_be_given() -> None:
    assert LogCosh(np.zeros(2), np.array([0.25, 0.75])).value(np.array([0.0, 1.0])) == pytest.approx(0.75 * np.log(np.cosh(1)))


def test_targets_that_are_no_numbers_are_named() -> None:
    with pytest.raises(gh.GreedyhullError, match="NaN"):
        LogCosh(np.array([1.0, np.nan]))


def test_the_core_knows_the_librarys_losses_and_designs_and_no_others() -> None:
    class Mine(type(gh.least_squares(X, y).loss)):  # type: ignore[misc]
        pass

    f = gh.huber(X, y, delta=0.5)
    assert f.loss.core == ("huber", (0.5,)) and gh.logistic(X, y > 0).loss.core == ("logistic", (0.0,))
    assert gh.quantile(X, y, 0.75).loss.core == ("piecewise", (-0.75, 0.25, 0.0))
    assert Mine(y).core is None and LogCosh(y).core is None
    assert f.design.core is not None and np.array_equal(f.design.core[0], X)
