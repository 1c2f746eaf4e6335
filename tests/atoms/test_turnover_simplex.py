"""Weights under caps that trade little, against linear programs, and as the set of a run."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

import greedyhull as gh
from greedyhull.atoms.grouped_simplex import TurnoverSimplex
from greedyhull.testing import check_atoms


def drawn(rng, most=12):
    """A set, and its least ⟨g, ·⟩ by HiGHS; previous weights need not satisfy sum or caps."""
    while True:
        d = int(rng.integers(1, most))
        of = rng.integers(0, 3, d)
        previous = rng.random(d) * (rng.random(d) < 0.7)
        previous = previous / max(float(previous.sum()), 0.1) * rng.choice([1.0, 1.0, 1.2])
        t = float(rng.choice([0.05, 0.3, 1.0, 3.0]))
        try:
            caps = gh.GroupedSimplex(of, upper=rng.uniform(0.2, 1.0, d), group_upper=rng.uniform(0.4, 1.0, len(np.unique(of))))
        except gh.GreedyhullError:
            continue
        least = program(caps, previous, t)
        found = least(np.zeros(d))
        if found is None:
            with pytest.raises(gh.GreedyhullError, match="must be traded"):
                TurnoverSimplex(caps, previous, t)
            continue
        return TurnoverSimplex(caps, previous, t), least


def program(caps, previous, t):
    d, groups = caps.shape[0], len(caps.labels)
    G = (caps.of == np.arange(groups)[:, None]).astype(float)
    one, none = np.eye(d), np.zeros((groups, d))
    A = np.block([[G, none], [one, -one], [-one, -one], [np.zeros((1, d)), np.ones((1, d))]])
    b = np.concatenate([np.minimum(caps.group_upper, 1.0), previous, -previous, [t + 1e-9]])
    bounds = [(0.0, u) for u in caps.caps] + [(0.0, None)] * d

    def least(g):
        found = linprog(np.concatenate([g, np.zeros(d)]), A_ub=A, b_ub=b, A_eq=np.append(np.ones(d), np.zeros(d))[None],
                        b_eq=[1.0], bounds=bounds)
        return found.fun if found.status == 0 else None

    return least


def test_equals_a_linear_program_on_many_random_cases():
    rng = np.random.default_rng(0)
    for _ in range(150):
        S, least = drawn(rng)
        g = rng.standard_normal(S.shape) if rng.random() < 0.6 else rng.integers(-1, 2, S.shape).astype(float)
        answer = S.answer(g)
        x = np.zeros(S.shape)
        answer.atom.add_to(x, 1.0)
        assert S.contains(x, 1e-12)
        assert g @ x == pytest.approx(least(g), abs=1e-8) and answer.slack <= 1e-12


def test_no_bound_is_above_the_minimum():
    """In exact arithmetic, with a price that is optimal: costs of many sizes, ties, tiny and huge ones."""
    rng = np.random.default_rng(1)
    for trial in range(300):
        S, _ = drawn(rng, 7)
        g = rng.standard_normal(S.shape) * 10.0 ** rng.integers(-12, 12, S.shape if trial % 2 else 1)
        answer = S.answer(g)
        x, exact = answer.atom, [Fraction(float(c)) for c in g]
        lower = Fraction(float(x.dot(g))) - Fraction(answer.slack)
        for _ in range(6):  # no point of the set is below the bound; mixtures of answers are points
            other = S.answer(rng.standard_normal(S.shape) + g / max(np.abs(g).max(), 1e-300)).atom
            score = sum((exact[j] * Fraction(float(w)) for j, w in zip(other.places, other.entries, strict=True)), Fraction(0))
            assert lower <= score + Fraction(1, 10**15) * sum(map(abs, exact))


@pytest.mark.parametrize("seed", range(6))
def test_keeps_its_promises(seed):
    S, least = drawn(np.random.default_rng(seed))
    check_atoms(S, minimum=lambda g: least(g) + 1e-7 if 1e-3 < np.abs(g).max() < 1e3 else np.inf, trials=3)


@pytest.mark.parametrize("d", [3, 30, 400])
def test_quadratics_by_matrix_and_by_factors(d):
    rng = np.random.default_rng(d)
    caps = gh.GroupedSimplex(rng.integers(0, 3, d), upper=min(1.0, 10.0 / d), group_upper=0.5 if d > 3 else 1.0)
    previous = caps.centre().array()
    S = TurnoverSimplex(caps, previous, 0.3)
    F, D, b = rng.standard_normal((8, d)), rng.uniform(0.1, 1.0, d), rng.standard_normal(d)
    for f in (gh.quadratic(D, b, factors=F), gh.quadratic(F.T @ F + np.diag(D), b), gh.least_squares(F, F[:, 0])):
        s = gh.minimize(f, S, stop=gh.Relative(1e-8, floor=1.0))
        rough = gh.minimize(f, S, gh.BlendedPairwise(), stop=gh.Relative(1e-3, floor=1.0) | gh.Iterations(3000))
        assert s.converged and s.iterations <= 20 and S.contains(s.x, 1e-12), s.reason
        assert max(s.certificate.lower, rough.certificate.lower) <= min(s.value, rough.value)


def test_previous_weights_that_may_not_change_and_those_far_away():
    caps = gh.GroupedSimplex([0, 0, 1], upper=0.8)
    S = TurnoverSimplex(caps, [1.0, 0.0, 0.0], 0.4)  # a cap takes 0.2, another weight gets it
    s = gh.minimize(gh.quadratic(np.eye(3), np.zeros(3)), S)
    assert np.allclose(s.x, [0.8, 0.1, 0.1], atol=1e-6) and s.converged
    with pytest.raises(gh.GreedyhullError, match=r"at least 0\.4 must be traded"):
        TurnoverSimplex(caps, [1.0, 0.0, 0.0], 0.3)
    with pytest.raises(gh.GreedyhullError, match="3 weights are wanted"):
        TurnoverSimplex(caps, [1.0, 0.0], 0.3)
    only = TurnoverSimplex(gh.GroupedSimplex(["one"]), [1.0], 0.1)
    assert gh.minimize(gh.quadratic(np.eye(1), np.zeros(1)), only).x.tolist() == [1.0]


def test_runs_are_saved_and_go_on(tmp_path):
    rng = np.random.default_rng(3)
    A = rng.standard_normal((40, 30))
    caps = gh.GroupedSimplex(np.arange(30) % 4)
    make = lambda: (gh.logistic(A, np.sign(A[:, 0] + 0.1)), TurnoverSimplex(caps, np.full(30, 1 / 30), 0.5))
    stop = gh.Relative(1e-9)
    whole = gh.minimize(*make(), gh.Corrective(steps=1), stop=stop)
    gh.minimize(*make(), gh.Corrective(steps=1), stop=stop | gh.Iterations(1), checkpoint=tmp_path / "state.npz")
    again = gh.minimize(*make(), gh.Corrective(steps=1), stop=stop, resume=tmp_path / "state.npz")
    assert whole.iterations > 1 and again.x.tobytes() == whole.x.tobytes()


@pytest.mark.parametrize("turnover", [0.2, 0.9, 3.0])
def test_caps_that_just_sum_to_the_total_leave_a_choice_within_groups(turnover):
    rng = np.random.default_rng(0)
    for _ in range(5):
        of = np.array([0, 1, 2, 1, 2, 0, 1, 1])
        caps = gh.GroupedSimplex(of, group_upper=np.full(3, 1.0 / 3.0))
        previous = np.bincount(of, minlength=3)[of] ** -1.0 / 3.0
        f = gh.least_squares(rng.standard_normal((2, 8)) * [1, 1, 1, 1, 0, 1, 1, 1], rng.standard_normal(2))
        s = gh.minimize(f, TurnoverSimplex(caps, previous, turnover), gh.Corrective(), stop=gh.Gap(1e-10) | gh.Iterations(6))
        assert s.converged, "as fast as with room to spare"
