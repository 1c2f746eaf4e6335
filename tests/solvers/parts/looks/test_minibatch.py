"""The bound of a sample is the one that is published, from the sample that was drawn."""

from itertools import count
from math import log, sqrt
from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.solvers.gradients import Minibatch

pytestmark = pytest.mark.filterwarnings("ignore::greedyhull.GreedyhullWarning")
N, DELTA = 4000, 0.3
RNG = np.random.default_rng(2)
CORNERS = RNG.standard_normal((6, 2))
LOUD = RNG.standard_normal((N, 2))  # terms that differ in everything but their length
LOUD /= np.linalg.norm(LOUD, axis=1, keepdims=True)
QUIET = np.array([1.0, 0.5]) + 0.01 * RNG.standard_normal((N, 2))  # terms that hardly differ
QUIET[0] *= 5.0  # but for one, which is rarely drawn: the bound on all terms is large


def hoeffding(pulls: Any, span: float, delta: float) -> float:
    """With probability 1 − δ, E ≤ mean + (b − a)√(ln(1/δ)/(2n)) for n numbers in [a, b] (Hoeffding 1963, Theorem 2)."""
    return float((pulls.mean(axis=0) + span * sqrt(log(1 / delta) / (2 * len(pulls)))).max())


def maurer_pontil(pulls: Any, span: float, delta: float) -> float:
    """E ≤ mean + √(2V ln(2/δ)/n) + 7(b − a) ln(2/δ)/(3(n − 1)) (Maurer and Pontil 2009, Theorem 4, scaled from [0, 1])."""
    n = len(pulls)
    V = pulls.var(axis=0, ddof=1)
    return float((pulls.mean(axis=0) + np.sqrt(2 * V * log(2 / delta) / n) + 7 * span * log(2 / delta) / (3 * (n - 1))).max())


def looks(a: Any, S: Any, b: int) -> list[tuple[Any, Any, float]]:
    """The point, the sample and the bound of every look of a run on the mean of ⟨aᵢ, w⟩."""
    drawn: list[Any] = []

    def gradient(w: Any, i: Any) -> Any:
        if len(i) == b:  # only looks ask for so many terms
            drawn.append(np.array(i))
        return a[i].mean(axis=0)

    f = gh.finite_sum(lambda w, i: float((a[i] @ w).mean()), gradient, N, 2,
                      lipschitz=float(np.linalg.norm(a, axis=1).max()))
    seen: list[tuple[Any, Any, float]] = []
    gh.minimize(f, S, gh.StochasticFrankWolfe(Minibatch(3), gh.OpenLoop(), look=gh.MinibatchGap(b, DELTA, every=10)),
                stop=gh.Iterations(40), watch=lambda event: seen.append((event.point.array(), drawn[-1], event.gap)))
    assert len(seen) == len(drawn) == 5
    return seen


@pytest.mark.parametrize("a, b, sharper", [(LOUD, 20, hoeffding), (QUIET, 300, maurer_pontil), (LOUD, 1000, maurer_pontil)],
                         ids=["few loud terms", "quiet terms", "loud terms"])
def test_atoms_that_are_listed_have_the_better_of_two_published_bounds(a: Any, b: int, sharper: Any) -> None:
    """Each of the two may fail with half of the probability that the j-th look spends, δ/(j(j + 1))."""
    S = gh.Vertices(CORNERS)
    span = 2.0 * float(np.linalg.norm(a, axis=1).max()) * S.diameter
    for j, (x, index, gap) in zip(count(1), looks(a, S, b)):
        pulls = (a[index] @ x)[:, None] - a[index] @ CORNERS.T
        half = DELTA / (j * (j + 1)) / 2
        bounds = {bound: bound(pulls, span, half) for bound in (hoeffding, maurer_pontil)}
        assert min(bounds, key=lambda bound: bounds[bound]) is sharper
        assert gap == pytest.approx(bounds[sharper], rel=1e-8)


@pytest.mark.parametrize("a", [LOUD, QUIET], ids=["loud terms", "quiet terms"])
def test_atoms_that_are_not_listed_have_the_bound_of_hoeffding(a: Any) -> None:
    S = gh.L2Ball(2, 1.5)
    span = 2.0 * float(np.linalg.norm(a, axis=1).max()) * 3.0
    for j, (x, index, gap) in zip(count(1), looks(a, S, 300)):
        g = a[index].mean(axis=0)
        best = -1.5 * g / np.linalg.norm(g)
        assert gap == pytest.approx(hoeffding((a[index] @ (x - best))[:, None], span, DELTA / (j * (j + 1))), rel=1e-8)


def test_where_nothing_is_known_of_the_terms_it_is_a_t_interval() -> None:
    """Sixteen groups of the sample tell how much their mean may be off: the quantile of Student's t with fifteen degrees."""
    from scipy.stats import t

    groups: list[Any] = []
    a = RNG.standard_normal((N, 2))

    def gradient(w: Any, i: Any) -> Any:
        if len(i) == 20:
            groups.append(a[i].mean(axis=0))
        return a[i].mean(axis=0)

    f = gh.finite_sum(lambda w, i: float((a[i] @ w).mean()), gradient, N, 2)
    seen: list[Any] = []
    solver = gh.StochasticFrankWolfe(Minibatch(3), gh.OpenLoop(), look=gh.MinibatchGap(320, DELTA, every=10))
    gh.minimize(f, gh.Simplex(2), solver, stop=gh.Iterations(20), watch=seen.append)
    assert [event.kind for event in seen] == ["estimate"] * 3 and len(groups) == 48
    for j, event in enumerate(seen, start=1):
        parts = np.array(groups[16 * (j - 1) : 16 * j])
        best = int(parts.mean(axis=0).argmin())
        pulls = parts @ event.point.array() - parts[:, best]
        wide = t.ppf(1 - DELTA / (j * (j + 1)), 15) * pulls.std(ddof=1) / 4
        assert event.gap == pytest.approx(max(pulls.mean() + wide, 0.0), rel=1e-9)
