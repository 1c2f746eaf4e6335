"""The regret certificate is the formula that it states, for gradients of any spread and weights of any size."""

from math import log, sqrt
from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.solvers.gradients import Minibatch
from greedyhull.solvers.parts.gap_evaluation import range_bound
from greedyhull.solvers.parts.solver_state import Memory

pytestmark = pytest.mark.filterwarnings("ignore::greedyhull.GreedyhullWarning")
RNG = np.random.default_rng(4)
A = RNG.standard_normal((50, 3))
F = gh.finite_sum(lambda w, i: float((A[i] @ w).mean()), lambda w, i: A[i].mean(axis=0), 50, 3,
                  lipschitz=float(np.linalg.norm(A, axis=1).max()))
S = gh.Simplex(3)
DELTA = 0.2


def azuma(C: float, weights: Any, spreads: Any, delta: float) -> float:
    """With probability 1 − δ, Σ α_k X_k ≤ √(2 ln(1/δ) Σ (s_kα_kC)²) for martingale differences X_k, |X_k| ≤ s_kC."""
    return sqrt(2 * log(1 / delta) * float(((weights * spreads * C) ** 2).sum())) / float(weights.sum())


@pytest.mark.parametrize("spreads", [None, [2.0, 2.0, 2.0], [0.5, 1.0, 0.25]], ids=["not told", "the worst", "told"])
def test_what_chance_may_add_is_the_bound_of_azuma(spreads: Any) -> None:
    """A spread that nobody tells is 2: each of two numbers between −C and C."""
    w = S.centre()
    look: Any = gh.Regret(DELTA, every=1).start(F, S, w, Memory())
    weights, gradients = np.array([1.0, 2.0, 5.0]), RNG.standard_normal((3, 3))
    for j in range(3):
        look.due(j + 1)
        told = () if spreads is None else (spreads[j],)
        look.seen(gradients[j], w.array(), 0.5, weights[j], *told)
        so_far, g = weights[: j + 1], gradients[: j + 1]
        mean = so_far @ g / so_far.sum()
        regret = float(so_far @ (g @ w.array())) / so_far.sum() - mean.min()
        spent = DELTA / ((j + 1) * (j + 2))
        s = np.full(j + 1, 2.0) if spreads is None else np.array(spreads[: j + 1])
        look.due(j + 1)
        assert look(w).gap == pytest.approx(regret + azuma(float(range_bound(F, S) or 0), so_far, s, spent), rel=1e-9)


@pytest.mark.parametrize("b", [1, 4])
def test_minibatches_are_told_to_spread_less(b: int) -> None:
    """A run with b independent terms a step: spread b^−1/2, weights 1, 2, …, and δ/(j(j + 1)) at the j-th look."""
    gaps = []
    for look in (gh.Regret(DELTA, every=5), gh.Regret(every=5)):
        seen: list[Any] = []
        gh.minimize(F, S, gh.StochasticFrankWolfe(Minibatch(b), gh.OpenLoop(), look=look), stop=gh.Iterations(20),
                    watch=seen.append)
        gaps.append([event.gap for event in seen])
    for j, k in enumerate((5, 10, 15, 20), start=2):  # the first look is at the start, where nothing is known
        weights = np.arange(1.0, k)
        chance = azuma(float(range_bound(F, S) or 0), weights, np.full(k - 1, b**-0.5), DELTA / (j * (j + 1)))
        assert gaps[0][j - 1] - gaps[1][j - 1] == pytest.approx(chance, rel=1e-9)
