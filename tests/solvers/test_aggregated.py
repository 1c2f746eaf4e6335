"""The mean of all linearisations is below f, and its minimum makes an honest and a sharper gap."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.atoms.wrapped import Inexact
from greedyhull.solvers.aggregated import Aggregated, Mean
from greedyhull.solvers.jones import Jones, PairwiseJones
from greedyhull.testing import check_solver
from greedyhull.testing.problems import small_problems
from greedyhull.theory import aggregate_rate

rng = np.random.default_rng(3)
N, D = 40, 10
X = rng.standard_normal((N, D))
y = X @ np.concatenate([[2.0, -1.0, 0.5], np.zeros(D - 3)]) + 0.3 * rng.standard_normal(N)
f, S = gh.least_squares(X, y), gh.L1Ball(D, 1.5)
M = 4 * 1.5**2 * float((X**2).mean(axis=0).max())
OPEN = gh.FrankWolfe(gh.OpenLoop())


@pytest.fixture(scope="module")
def lowest():
    return gh.minimize(f, S, PairwiseJones(), stop=gh.Gap(1e-13) | gh.Iterations(500)).certificate.lower


def run(solver, iterations=60, S=S):
    return gh.minimize(f, S, solver, stop=gh.Iterations(iterations))


def test_the_bound_is_the_minimum_of_the_weighted_mean():
    seen = []
    watch = lambda event: seen.append((event.point.array(), event.lower))
    gh.minimize(f, S, Aggregated(OPEN), stop=gh.Iterations(30), watch=watch)
    best = 0.0  # squares are nowhere below
    slope, offset, weight = np.zeros(D), 0.0, 0.0
    for k, (x, lower) in enumerate(seen):
        r = X @ x - y
        g, value = X.T @ r / N, 0.5 * (r**2).mean()
        slope, offset, weight = slope + (k + 1) * g, offset + (k + 1) * (value - g @ x), weight + k + 1
        single = value - g @ x - 1.5 * np.abs(g).max()
        best = max(best, single, (offset - 1.5 * np.abs(slope).max()) / weight)
        assert lower == pytest.approx(best, abs=1e-11)
        assert lower <= best


@pytest.mark.parametrize("solver", [OPEN, gh.FrankWolfe(), Jones(), Jones(gh.OpenLoop())], ids=repr)
def test_the_steps_are_those_of_the_solver_and_the_gap_is_never_larger(solver, lowest):
    plain, sharp = run(solver), run(Aggregated(solver))
    assert np.array_equal(plain.trace.value, sharp.trace.value)
    assert np.all(sharp.trace.gap <= plain.trace.gap + 1e-12)
    assert np.all(sharp.trace.value - lowest <= sharp.trace.gap + 1e-12)  # lowest is a lower bound, with a gap of its own


def test_it_is_sharper_where_gradients_take_turns():
    plain, sharp = (gh.minimize(gh.quadratic(np.eye(3)), gh.Simplex(3), solver, stop=gh.Iterations(30))
                    for solver in (OPEN, Aggregated(OPEN)))
    assert sharp.gap < plain.gap / 2


@pytest.mark.parametrize("solver", [OPEN, Jones(gh.OpenLoop())], ids=repr)
def test_its_gap_falls_as_fast_as_the_bound_on_the_error(solver):
    k = np.arange(1, 61)
    assert np.all(run(Aggregated(solver)).trace.gap[1:] <= aggregate_rate(M, 0.0, k, exact=True) + 1e-11)


def test_with_an_oracle_that_errs_the_slack_stays_in_the_gap(lowest):
    s = run(Aggregated(gh.FrankWolfe(gh.OpenLoop(), gh.harmonic(1.0))), S=Inexact(S, 0.05))
    assert np.all(s.trace.value - lowest <= s.trace.gap)
    assert s.value - lowest <= s.gap


def test_the_oracle_is_asked_once_more_each_so_many_iterations():
    assert run(OPEN).trace.oracle_calls[-1] == 62
    assert run(Aggregated(OPEN)).trace.oracle_calls[-1] == 123
    assert run(Aggregated(OPEN, every=20)).trace.oracle_calls[-1] == 66


def test_an_iteration_that_is_begun_again_counts_once():
    mean, w = Mean(f, S), gh.points.iterate.Iterate.at(S[0], S.shape)
    mean.take(w, 0)
    once = mean.state()
    mean.take(w, 0)
    assert all(np.array_equal(once[name], array) for name, array in mean.state().items())
    again = Mean(f, S)
    again.restore(once)
    again.take(w, 0)
    assert all(np.array_equal(once[name], array) for name, array in again.state().items())


def test_the_rounding_of_long_sums_is_allowed_for(lowest):
    s = run(Aggregated(gh.FrankWolfe(), every=50), 5000)
    assert s.value - lowest <= s.gap + 1e-13  # so far ``lowest`` may lie below the minimum


def test_it_keeps_atoms_if_its_solver_looks_back():
    assert Aggregated(PairwiseJones()).needs.atoms and not Aggregated().needs.atoms


def test_what_is_no_solver_is_refused():
    with pytest.raises(gh.GreedyhullError, match="solver"):
        Aggregated("frank_wolfe")
    with pytest.raises(gh.GreedyhullError, match="every"):
        Aggregated(every=0)


KIT = ("least_squares over L1Ball", "logistic over Simplex", "quadratic over Box", "log_likelihood with zeros over Simplex")


@pytest.mark.parametrize("solver", [Aggregated(OPEN, every=2), Aggregated(PairwiseJones())], ids=repr)
def test_it_passes_the_kit(solver):
    assert not check_solver(solver, [p for p in small_problems() if p.name in KIT], iterations=15)
