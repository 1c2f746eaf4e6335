"""The worst admissible oracle: as bad as it may be, and honest about it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import greedyhull as gh
from greedyhull.atoms.box import Box, L2Ball
from greedyhull.atoms.vertices import Vertices
from greedyhull.atoms.wrapped import Cached, Inexact
from greedyhull.testing import check_atoms
from greedyhull.theory import rate
from greedyhull.types import Answer

RNG = np.random.default_rng(0)
SETS = [gh.L1Ball(4, 2.0), gh.Simplex(5), gh.Simplex(5, upper=0.4), L2Ball(4, 1.5), L2Ball(1, 1.0),
        L2Ball(2, 1.0, centre=[3.0, 4.0]), Box([0.0, -1.0, 2.0], [1.0, 1.0, 2.0]), Vertices(RNG.standard_normal((20, 3)))]


@pytest.mark.parametrize("S", SETS[:7], ids=repr)
def test_keeps_its_promises(S):
    check_atoms(Inexact(S, 0.3), trials=4)


@pytest.mark.parametrize("S", SETS, ids=repr)
@pytest.mark.parametrize("epsilon", [1e-9, 0.1, 1.0, 100.0])
def test_answers_are_admissible_and_no_better_than_needed(S, epsilon, rng):
    oracle = Inexact(S, epsilon).oracle(rng)
    for g in [*rng.standard_normal((20, *S.shape)), np.zeros(S.shape), np.ones(S.shape)]:
        answer = oracle.argmin(g)
        d = answer.atom
        error = d.dot(g) - S.argmin(g).dot(g)
        assert -1e-12 <= error <= epsilon + 1e-13 and answer[1:] == (epsilon, "always", 0.0)
        if hasattr(S, "scores"):
            scores = S.scores(g)
            assert d.dot(g) == pytest.approx(scores[scores <= scores.min() + epsilon].max())


@given(g=st.lists(st.floats(-1e6, 1e6).map(lambda x: round(x, 6)), min_size=2, max_size=5), epsilon=st.floats(1e-12, 1e7))
def test_the_ball_turns_its_atom_just_so_far(g, epsilon):
    g = np.array(g)
    S = L2Ball(len(g), 2.0)
    atom, least, length = S.worst(g, epsilon).array, -2.0 * np.linalg.norm(g), 4.0 * np.linalg.norm(g)
    assert np.linalg.norm(atom) == pytest.approx(2.0)
    assert atom @ g - least == pytest.approx(min(epsilon, length), rel=1e-6, abs=1e-9 * max(length, 1e-300))


def test_epsilon_may_be_a_schedule_or_the_solvers_tolerance(rng):
    g = np.array([0.0, 0.5, 0.7, 3.0])
    scheduled = Inexact(gh.Simplex(4), gh.harmonic(0.6)).oracle(rng)
    assert [scheduled.argmin(g).atom.index for _ in range(3)] == [1, 0, 0]
    assert Inexact(gh.Simplex(4), lambda k: 0.7).oracle(rng).argmin(g).atom.index == 2
    tolerant = Inexact(gh.Simplex(4)).oracle(rng)
    assert tolerant.argmin(g) == Answer(gh.Simplex(4).argmin(g))
    assert tolerant.argmin(g, tol=0.55).atom.index == 1 and tolerant.argmin(g, tol=0.55).slack == 0.55
    assert Inexact(gh.Simplex(4), 0.1).oracle(rng).argmin(g, tol=5.0).atom.index == 0


def test_a_saved_schedule_goes_on(rng):
    S = Inexact(gh.Simplex(4), gh.harmonic(0.6))
    g, first, second = np.array([0.0, 0.3, 0.4, 0.6]), S.oracle(rng), S.oracle(rng)
    for _ in range(3):
        first.argmin(g)
    second.restore(first.state())
    assert [first.argmin(g).slack for _ in range(3)] == [second.argmin(g).slack for _ in range(3)]


@pytest.mark.parametrize("S", [gh.Simplex(6), L2Ball(6, 1.0)], ids=repr)
def test_theorem_2_with_the_worst_oracle(S, rng):
    """ε_k = cη_k: the error stays below (2M + 4c)/(k + 2), and the certificate, slack included, above it."""
    f = gh.least_squares(rng.standard_normal((10, 6)), rng.standard_normal(10))
    best = gh.minimize(f, S, stop=gh.Relative(1e-9) | gh.Iterations(5000))
    M, c = float(f.curvature(S)), 0.5
    s = gh.minimize(f, Inexact(S), gh.FrankWolfe(gh.OpenLoop(), tolerance=gh.harmonic(c)), stop=gh.Iterations(100))
    errors = s.trace["value"] - best.certificate.lower
    for k in range(1, 100):
        assert errors[k] <= rate(M, c, k) + best.gap
    assert (s.trace["gap"] >= s.trace["value"] - best.value - 1e-12).all()


def test_shortlists_leave_the_best_out(rng):
    oracle = Inexact(gh.Simplex(5), 0.25).oracle(rng)
    found = oracle.best(np.array([0.0, 0.2, 0.4, 0.1, 9.0]), 3)
    assert found.atoms.index.tolist() == [1] and found.slack == 0.25
    assert Inexact(gh.Simplex(5), 0.0).oracle(rng).best(np.arange(5.0), 2).atoms.index.tolist() == [0, 1]


def test_sets_inside_sets():
    S = Cached(Inexact(gh.Simplex(3, 2.0), 0.5), size=4)
    assert repr(S) == "Cached(Inexact(Simplex(3, total=2), 0.5), size=4)" and S.total == 2.0
    assert repr(Inexact(gh.Simplex(3), gh.harmonic(1.0)).rescaled(4.0)) == "Inexact(Simplex(3, total=4), harmonic(1))"


@pytest.mark.parametrize("epsilon", [-1.0, np.nan, np.inf, "a", True])
def test_bad_input(epsilon):
    with pytest.raises(gh.GreedyhullError, match="wanted"):
        Inexact(gh.Simplex(3), epsilon)


@pytest.mark.parametrize("epsilon", [-1.0, np.nan, np.inf])
def test_an_error_that_cannot_be_is_refused_when_it_comes(epsilon):
    """A negative error would be a negative slack, and the certificate false."""
    f = gh.least_squares(np.eye(3), np.ones(3))
    for S, solver in ((Inexact(gh.Simplex(3), lambda k: epsilon), gh.FrankWolfe()),
                      (Inexact(gh.Simplex(3)), gh.FrankWolfe(tolerance=lambda k, gap=None: epsilon))):
        with pytest.raises(gh.GreedyhullError, match="at least 0 is wanted"):
            gh.minimize(f, S, solver, stop=gh.Iterations(3))


def test_slacks_of_oracles_inside_one_another_add_up(rng):
    oracle = Inexact(Inexact(gh.Simplex(4), 0.25), 0.5).oracle(rng)
    for g in (np.array([0.0, -0.0, 0.5, 0.7]), np.array([-0.0, 0.0, 0.0, -0.0]), rng.standard_normal(4)):
        answer = oracle.argmin(g)
        assert answer.slack == 0.75 and answer.atom.dot(g) - answer.slack <= g.min()


# --- the slack is part of every bound -----------------------------------------------------------------------------------

EYE, FAR = np.eye(3), np.array([0.0, 0.0, -5.0])
SQUARES = gh.least_squares(EYE, FAR)  # over the simplex: 4.25 at (½, ½, 0), and 1/12 more at the first atom
KINKED = gh.absolute(np.diag([1.0, 0.5, 1.0]), FAR)  # over the simplex: 5.5/3 at the second atom, and 1/6 more at the first
HIDING = Inexact(gh.Simplex(3), 0.35)  # seen from the first atom, no other is so much better that it must be named
SAME = gh.finite_sum(lambda w, i: float(SQUARES.value(gh.Simplex(3).decompose(w))),
                     lambda w, i: (w - FAR) / 3, 50, 3)  # fifty equal terms: chance does nothing


@pytest.mark.parametrize("f, least", [(SQUARES, 4.25), (KINKED, 5.5 / 3)], ids=["squares", "kinks"])
def test_a_point_that_the_oracle_takes_for_the_best_is_not_certified_as_the_best(f, least):
    for x in EYE:
        c = gh.certify(f, HIDING, x)
        assert c.lower <= least and c.gap >= c.value - least
    assert gh.certify(f, HIDING, EYE[0]).gap == pytest.approx(0.35, abs=1e-9)


@pytest.mark.filterwarnings("ignore::greedyhull.GreedyhullWarning")
@pytest.mark.parametrize("solver, f, least", [
    *((solver, SQUARES, 4.25) for solver in (
        gh.FrankWolfe(), gh.FrankWolfe(gh.OpenLoop()), gh.BlendedPairwise(), gh.Corrective(), gh.Jones(),
        gh.Jones(gh.OpenLoop()), gh.PairwiseJones(), gh.Mixed(), gh.Aggregated(), gh.LuFreund(),
        gh.StochasticFrankWolfe(every=1), gh.StochasticJones(every=1), gh.Storc())),
    *((solver, KINKED, 5.5 / 3) for solver in (gh.Smoothed(), gh.Smoothed(gh.FrankWolfe()),
                                               gh.RegularizedStochasticFrankWolfe(every=1))),
    *((gh.StochasticFrankWolfe(look=look), SAME, 4.25) for look in (gh.MinibatchGap(10, every=1), gh.Regret(every=1)))],
    ids=repr)
def test_every_solver_counts_the_slack(solver, f, least):
    """Bounds are true although the oracle hides the better atoms, and the trace tells how much it may hide."""
    seen = []
    s = gh.minimize(f, HIDING, solver, start=gh.Basis(0, 1.0), stop=gh.Iterations(6), watch=seen.append)
    for event in seen:
        assert f.value(event.point.copy()) - least <= event.gap + 1e-12
    assert s.certificate.gap is not None and s.value - least <= s.certificate.gap + 1e-12
    told = s.trace["slack"][np.isfinite(s.trace["gap"])]
    assert len(told) and (told == 0.35).all()


def test_a_sample_of_a_sum_counts_the_slack():
    """A hundred thousand equal terms: what chance may add is small beside what the oracle hides."""
    f, S = gh.least_squares(np.ones((200_000, 1)), np.full(200_000, 3.0)), Inexact(L2Ball(1, 1.0), 100.0)
    solver = gh.StochasticFrankWolfe(look=gh.MinibatchGap(100_000))
    s = gh.minimize(f, S, solver, start=np.array([-1.0]), stop=gh.Iterations(1))
    assert s.certificate.kind == "probability" and s.certificate.gap >= 100.0 and s.value == pytest.approx(8.0)


@pytest.mark.parametrize("seed", range(40))
def test_shortlists_err_by_no_more_than_they_own_up_to(seed):
    """Where the best score is nearly zero, and however the scores of single atoms are rounded."""
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((12, 4))
    S = Inexact(gh.Vertices(A), 1e-3)
    g = np.linalg.lstsq(A[:4], np.full(4, 1e-17) * rng.standard_normal(4), rcond=None)[0] + 1e-9 * rng.standard_normal(4)
    found = S.oracle(np.random.default_rng(0)).best(g, 12)
    assert found.atoms.dots(g).min() <= (A @ g).min() + found.slack


def test_shortlists_of_faint_gradients_keep_their_worst_atom():
    """⟨g, d⟩ of one atom and of a block may differ in the last digit; the worst admissible atom is kept all the same."""
    rng = np.random.default_rng(1)
    for _ in range(300):
        A = rng.standard_normal((12, 4))
        A[0] = 0.0  # the best score is zero: nothing to be relative to
        g = rng.standard_normal(4)
        A[A @ g < 0] *= -1.0
        A[1:5] *= 1e-4
        found = Inexact(gh.Vertices(A), 1e-3).oracle(np.random.default_rng(0)).best(g, 12)
        assert found.atoms.dots(g).min() <= (A @ g).min() + found.slack
