"""Rounds that nobody sees end where the stop is met, as those that somebody watches do."""

import numpy as np
import pytest

import greedyhull as gh

rng = np.random.default_rng(0)
X = rng.standard_normal((200, 300))
y = np.where(X[:, :5].sum(axis=1) + 0.5 * rng.standard_normal(200) > 0, 1.0, -1.0)


@pytest.mark.parametrize("radius", [30.0, 300.0, 3000.0, 1e4])
@pytest.mark.parametrize("stop", [gh.Relative(1e-9), gh.Relative(1e-11), gh.Gap(1e-10)], ids=repr)
def test_an_unwatched_run_takes_no_more_rounds_though_rounding_is_large_at_its_start(radius, stop):
    f, S = gh.logistic(X, y), gh.L1Ball(300, radius)
    alone, watched = gh.minimize(f, S, stop=stop), gh.minimize(f, S, stop=stop, watch=lambda event: None)
    assert alone.converged and watched.converged
    assert alone.iterations <= watched.iterations + 2
