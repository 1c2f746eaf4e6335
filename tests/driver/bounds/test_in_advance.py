"""Arrays of steps, tolerances and batch sizes are what the schedules give one by one."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.driver.bounds.record import sizes_of, steps_of, tolerances_of
from greedyhull.solvers.gradients.base import Root, size
from greedyhull.solvers.parts.schedules import Grown
from greedyhull.solvers.parts.steps import OpenLoop

T = 57


class Late(OpenLoop):
    """A rule of a user's own."""

    def at(self, k):
        return super().at(k + 5)


@pytest.mark.parametrize("rule", [gh.OpenLoop(), gh.OpenLoop(4.0), gh.Power(0.5), gh.Power(0.0), gh.Constant(0.3),
                                  gh.LogAdaptive(), Late()], ids=repr)
def test_steps(rule):
    assert steps_of(rule, T) == pytest.approx([rule.at(k) for k in range(T)], rel=1e-15)


@pytest.mark.parametrize("schedule", [gh.zero, gh.constant(0.1), gh.harmonic(3.0), gh.power(0.7, 2.0),
                                      lambda k, gap=None: 1 / (k + 1)],
                         ids=["zero", "constant", "harmonic", "power", "own"])
def test_tolerances(schedule):
    assert tolerances_of(schedule, T) == pytest.approx([schedule(k, None) for k in range(T)], rel=1e-15)


@pytest.mark.parametrize("n", [None, 20])
@pytest.mark.parametrize("batch", [1, 7, Root(0.5), gh.linear(), gh.linear(0.3), Grown(0.4, lambda k: 2 / (k + 1)),
                                   lambda k, gap=None: 3.0 + k**0.5],
                         ids=["one", "seven", "root", "linear", "slow", "grown", "own"])
def test_sizes(batch, n):
    if isinstance(batch, Root) and n is None:
        pytest.skip("a stream has no number of terms")
    one_by_one = np.array([float(size(batch, k, n)) for k in range(1, T + 1)])
    got = sizes_of(batch, steps_of(gh.OpenLoop(), T), n)
    assert np.array_equal(got, np.where(one_by_one >= (n or np.inf), np.inf, one_by_one))
