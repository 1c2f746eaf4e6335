"""Mixed steps keep the rate of Theorem 2, whatever is mixed."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.atoms.wrapped import Inexact
from greedyhull.solvers.jones import Jones, Mixed, PairwiseJones
from greedyhull.testing import check_solver
from greedyhull.testing.problems import small_problems
from greedyhull.theory import rate

rng = np.random.default_rng(2)
N, D = 40, 10
X = rng.standard_normal((N, D))
y = X @ np.concatenate([[2.0, -1.0, 0.5], np.zeros(D - 3)]) + 0.3 * rng.standard_normal(N)
f, S = gh.least_squares(X, y), gh.L1Ball(D, 1.5)
M = 4 * 1.5**2 * float((X**2).mean(axis=0).max())


def values(solver, iterations=40, S=S, start=None):
    return gh.minimize(f, S, solver, start=start, stop=gh.Iterations(iterations)).trace.value


@pytest.fixture(scope="module")
def lowest():
    return gh.minimize(f, S, PairwiseJones(), stop=gh.Gap(1e-13) | gh.Iterations(500)).certificate.lower


def test_alternating_takes_turns():
    fw, jones, mixed = gh.FrankWolfe(), Jones(), values(Mixed(), 8)
    w = None
    for k in range(8):
        step = gh.minimize(f, S, (fw, jones)[k % 2], start=w, stop=gh.Iterations(1))
        assert step.value == pytest.approx(mixed[k + 1], rel=1e-9)
        w = step.point


def test_a_function_of_k_chooses():
    np.testing.assert_allclose(values(Mixed(choose=lambda k: 0)), values(gh.FrankWolfe()), rtol=1e-12)  # alone it is compiled
    assert np.array_equal(values(Mixed(choose=lambda k: 1)), values(Jones()))


def test_the_better_step_is_at_least_as_good_as_each():
    solvers = (gh.FrankWolfe(), Jones(gh.OpenLoop()), PairwiseJones())
    w = gh.minimize(f, S, gh.FrankWolfe(), stop=gh.Iterations(7)).point
    one = lambda solver: values(solver, 1, start=w)[1]
    assert one(Mixed(solvers, "better")) <= min(one(solver) for solver in solvers) + 1e-12


BAD = gh.FrankWolfe(gh.Constant(1.0))  # jumps from atom to atom


MIXTURES = {
    "by turns": Mixed(),
    "a bad one alone": Mixed((BAD,)),
    "two bad ones": Mixed((BAD, Jones(gh.Constant(0.9)))),
    "long steps": Mixed((gh.FrankWolfe(gh.Power(0.5)), Jones())),
    "rarely a good one": Mixed((BAD, PairwiseJones()), lambda k: int(k % 7 == 3)),
}


@pytest.mark.parametrize("name", MIXTURES)
def test_the_rate_of_theorem_2_holds_for_any_mixture(name, lowest):
    k = np.arange(1, 81)
    assert np.all(values(MIXTURES[name], 80)[1:] - lowest <= rate(M, 0.0, k, exact=True) + 1e-12)


def test_without_the_guard_the_bad_one_breaks_the_rate(lowest):
    assert values(BAD, 400)[-1] - lowest > rate(M, 0.0, 400)


@pytest.mark.parametrize("c", [0.3, 3.0])
def test_the_rate_holds_with_the_worst_atoms_that_the_tolerance_admits(c, lowest):
    solver = Mixed((gh.FrankWolfe(gh.OpenLoop(), gh.harmonic(c)), Jones(gh.OpenLoop(), gh.harmonic(c))))
    got = values(solver, 80, S=Inexact(S, None))
    assert np.all(got[1:] - lowest <= rate(M, c, np.arange(1, 81), exact=True) + 1e-12)


def test_what_cannot_be_mixed_is_refused():
    for solvers in ((), (gh.BlendedPairwise(),), ("jones",)):
        with pytest.raises(gh.GreedyhullError, match="solvers of Mixed must be"):
            Mixed(solvers)
    with pytest.raises(gh.GreedyhullError, match="alternate"):
        Mixed(choose="best")


def test_it_keeps_atoms_only_if_one_of_its_solvers_looks_back():
    assert not Mixed().needs.atoms and Mixed((gh.FrankWolfe(), PairwiseJones())).needs.atoms


KIT = ("least_squares over L1Ball", "logistic over Simplex", "quadratic over Box", "log_likelihood with zeros over Simplex")


@pytest.mark.parametrize("solvers", [(gh.FrankWolfe(), Jones()), (gh.FrankWolfe(gh.OpenLoop()), PairwiseJones(), Jones())],
                         ids=len)
def test_it_passes_the_kit(solvers):
    assert not check_solver(Mixed(solvers), [p for p in small_problems() if p.name in KIT], iterations=15)


@pytest.mark.parametrize("chosen", [2, -1, 0.5, None])
def test_a_choice_of_no_solver_is_refused_in_words(chosen):
    with pytest.raises(gh.GreedyhullError, match=r"choose\(0\) of Mixed returned .*0 to 1"):
        gh.minimize(f, S, Mixed(choose=lambda k: chosen), stop=gh.Iterations(3))
