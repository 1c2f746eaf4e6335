"""Weights k in the place of η_k: the anytime mean, of errors and of gaps, has no logarithm."""

import numpy as np
import pytest

from greedyhull.theory import AnytimeAverage, GrowingWeights, LastIterate, asfw, asfw_gap, asj_gap

T = 3000
K = np.arange(1, T + 1)


def recursion(B, e1, gaps=1.0):
    """The worst errors that e_{k+1} ≤ (1 − η_k)e_k + Bη_k² admits."""
    e = [e1]
    for k in K:
        e.append(max((1 - gaps * k**-0.5) * e[-1] + B / k, 0.0))
    return np.array(e[:-1])


@pytest.mark.parametrize("e1", [0.0, 0.5, 2.0, 50.0])
def test_the_worst_recursion_stays_below(e1):
    """Its largest ratio is above 0.65: the bound divided by 1.6 fails."""
    e = recursion(1.0, e1)
    mean = np.cumsum(K * e) / np.cumsum(K)
    bound = GrowingWeights().bound(0.4, 0.6, e1, K)
    assert np.all(mean <= bound * (1 + 1e-12)) and (mean / bound).max() > 0.65


@pytest.mark.parametrize("seed", range(5))
def test_gaps_stay_below_whatever_they_are(seed):
    """Any gaps g_k ≥ e_k ≥ 0 with e_{k+1} ≤ e_k − η_k g_k + Bη_k²."""
    rng, e, gaps = np.random.default_rng(seed), 1.0, []
    for k in K:
        eta = k**-0.5
        most = (e + eta**2) / eta  # else e_{k+1} would be negative
        gaps.append(rng.uniform(e, max(most, e)) if rng.random() < 0.5 else max(most, e) if rng.random() < 0.3 else e)
        e = max(e - eta * gaps[-1] + eta**2, 0.0)
    mean = np.cumsum(K * np.array(gaps)) / np.cumsum(K)
    assert np.all(mean <= GrowingWeights().mean_gap(0.5, 0.5, 1.0, K) * (1 + 1e-9))


def test_there_is_no_logarithm():
    t = np.array([10.0**4, 10.0**6])
    few, many = np.sqrt(t) * GrowingWeights().bound(1.0, 0.0, 1.0, t)
    assert many < few and many == pytest.approx(4 / 3, rel=0.01)
    few, many = np.sqrt(t) * AnytimeAverage().bound(1.0, 0.0, 1.0, t)
    assert many > 1.4 * few
    assert GrowingWeights().bound(1.0, 0.0, 1.0, 10**6) < LastIterate().bound(1.0, 0.0, 1.0, 10**6)


def test_it_goes_where_schedules_go():
    numbers = {"M": 2.0, "sigma": 1.0, "r_S": 1.0, "e1": 1.0}
    error, gap = (bound(GrowingWeights(), 50, **numbers) for bound in (asfw, asfw_gap))
    assert error == gap < asj_gap(GrowingWeights(), 50, **numbers)
