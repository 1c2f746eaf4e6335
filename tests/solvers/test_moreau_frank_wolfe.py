"""Frank-Wolfe on the Moreau envelope: its theorem, what it costs, and what it refuses."""

from functools import cache
from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.solvers.moreau_frank_wolfe import SMOOTHING, MoreauFrankWolfe, Pair
from greedyhull.solvers.parts.solver_state import Memory
from greedyhull.testing import Problem, check_solver

RNG = np.random.default_rng(12)
N, D = 40, 4
X = RNG.standard_normal((N, D))
Y = X @ np.array([0.6, 0.2, 0.0, 0.0]) + 0.3 * RNG.standard_normal(N)
LOSSES = {"hinge": gh.hinge(X, np.sign(Y)), "absolute": gh.absolute(X, Y), "quantile": gh.quantile(X, Y, 0.8)}
SETS = {"L2Ball": gh.L2Ball(D, 1.0), "L1Ball": gh.L1Ball(D, 1.0), "Simplex": gh.Simplex(D)}
L = float(np.sqrt((X**2).sum(axis=1).mean()))  # E‖g‖² ≤ L² for single terms


@cache
def minimum(what: str, where: str) -> float:
    s = gh.minimize(LOSSES[what], SETS[where], gh.Smoothed(), stop=gh.Relative(1e-4) | gh.Iterations(300))
    return s.certificate.lower


@pytest.mark.parametrize("where", SETS)
@pytest.mark.parametrize("what", LOSSES)
def test_the_mean_of_runs_is_below_the_rate(what: str, where: str) -> None:
    """At the ends of the runs of 8, 16 and 32 steps, with single terms."""
    f, S = LOSSES[what], SETS[where]
    solver, seen = MoreauFrankWolfe(8, batch=1, lipschitz=L, every=1), []
    for seed in range(5):
        memory = Memory(seed)
        points = zip(range(57), solver.run(f, S, solver.first(f, S), memory), strict=False)
        values = [float(f.value(p.point)) for _, p in points]  # at the tops of steps 1, 2, …
        seen.append([values[k] for k in (8, 24, 56)])
    errors = np.array(seen) - minimum(what, where)
    bounds = np.array([MoreauFrankWolfe.rate(n, L, S.diameter) for n in (8, 16, 32)])
    assert np.all(errors.mean(axis=0) <= bounds + 3 * errors.std(axis=0, ddof=1) / 5**0.5)


def test_costs_are_those_of_the_theorem() -> None:
    """N(N + 3)/2 subgradients, and at most 24N calls of the oracle a step."""
    n, spent = 20, {}
    s = gh.minimize(LOSSES["absolute"], SETS["L1Ball"], MoreauFrankWolfe(n, batch=1, every=1), stop=gh.Iterations(n + 1),
                    watch=lambda e: spent.update({e.iteration: e.also["spent"]}))
    assert spent[n + 1] == n * (n + 3) // 2
    assert s.trace["oracle_calls"][-1] <= 24 * n * n + 2 * (n + 1)


def test_the_constant_of_the_subgradient_steps() -> None:
    k = np.arange(1.0, 100_000.0)
    harmonic = np.cumsum(1.0 / np.arange(1.0, 100_001.0))[1:]
    T = k + 1
    assert 0.5 + 2 * (k * (1 + harmonic / T) / (T + 3)).max() <= SMOOTHING
    assert (1 + 2 / (T * (T + 3))).max() <= 1.2 + 1e-12


def test_it_goes_on_with_longer_runs() -> None:
    f, S = LOSSES["absolute"], SETS["L1Ball"]
    s = gh.minimize(f, S, MoreauFrankWolfe(batch=N), stop=gh.Relative(0.05) | gh.Iterations(400))
    assert s.converged and s.value <= minimum("absolute", "L1Ball") * 1.05 + 1e-9
    assert S.contains(s.also["last"])


def test_a_run_knows_its_bound() -> None:
    f, S = LOSSES["absolute"], SETS["L2Ball"]
    for steps, N, k in ((5, 8, 5), (8, 8, 8), (15, 8, 8), (21, 16, 13)):
        s = gh.minimize(f, S, MoreauFrankWolfe(8, lipschitz=L), stop=gh.Iterations(steps + 1))
        found = s.bounds().named("Moreau")
        assert found.value == MoreauFrankWolfe.rate(N, L, 2.0, k) and found.kind == "expectation"
        assert s.value - minimum("absolute", "L2Ball") <= found.value
    assert MoreauFrankWolfe.rate(8, L, 2.0) <= 10.5 * L * 2.0 / 8


def test_it_is_sooner_with_more_accuracy_than_a_quarter_power() -> None:
    """On the ball, at equal numbers of subgradients, bounds of order t^−1/2 and t^−1/4 must part."""
    from greedyhull.theory.nonsmooth import UniformAverage, arsfw

    for n in (1000, 10_000):
        t = n * (n + 3) // 2
        slow = arsfw(UniformAverage(), t, c=0.1, L=1.0, M_Phi=4.0, R2=0.5)
        assert MoreauFrankWolfe.rate(n, 1.0, 2.0) < 0.5 * slow


def test_a_run_begins_where_x_is() -> None:
    pair = Pair(np.zeros(2), 1.0, 2.0, 4)
    assert (pair.N, pair.since, pair.count(3)) == (4, 1, 3)
    pair.begin(5, np.ones(2), np.full(2, 0.5))
    assert (pair.N, pair.since) == (8, 5) and pair.u[0] == 0.5 and pair.kept[0] == 1.0


def test_the_kit_on_losses_with_kinks() -> None:
    problems = [Problem(f"{a} over {b}", LOSSES[a], SETS[b]) for a, b in (("hinge", "L1Ball"), ("quantile", "L2Ball"))]
    assert check_solver(MoreauFrankWolfe(3, batch=4, every=2), problems, iterations=14) == []


def test_sums_of_one_s_own_go_the_same_way() -> None:
    own = gh.finite_sum(lambda w, i: float(np.abs(X[i] @ w - Y[i]).mean()),
                        lambda w, i: X[i].T @ np.sign(X[i] @ w - Y[i]) / len(i), N, D)
    ours, theirs = (gh.minimize(g, SETS["L2Ball"], MoreauFrankWolfe(batch=3, lipschitz=L), stop=gh.Iterations(20))
                    for g in (LOSSES["absolute"], own))
    np.testing.assert_allclose(ours.point.array(), theirs.point.array(), atol=1e-10)


@pytest.mark.parametrize("given, said", [({"horizon": 0}, "horizon must be"), ({"batch": 0}, "batch must be"),
                                         ({"lipschitz": 0.0}, "lipschitz"), ({"look": gh.Regret()}, "look must be"),
                                         ({"every": 0}, "every must be")],
                         ids=["horizon", "batch", "lipschitz", "look", "every"])
def test_refusals(given: dict[str, Any], said: str) -> None:
    with pytest.raises(gh.GreedyhullError, match=said):
        MoreauFrankWolfe(**given)
