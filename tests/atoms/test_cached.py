"""The lazy oracle: fewer calls, the same rate, a bounded cache, states that continue bit by bit."""

import pickle
from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse as sp

import greedyhull as gh
from greedyhull.atoms.box import L2Ball
from greedyhull.atoms.vertices import Vertices
from greedyhull.atoms.wrapped import Cached
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.solver_state import Memory
from greedyhull.testing import check_atoms
from greedyhull.theory import rate
from greedyhull.types import Answer


@dataclass(frozen=True)
class Lazy(gh.FrankWolfe):
    """Frank-Wolfe that says which atom is good enough: any with ⟨g, w − d⟩ ≥ f(w) − lower bound − ε."""

    def run(self, f, S, w, memory):
        step, oracle = memory.step(self.step), memory.oracle(S)
        for k in memory.count(first=0):
            g = f.gradient(w)
            epsilon = self.tolerance(k, memory.gap)
            enough = f.gradient_dot(w) - (f.value(w) - memory.lower) + epsilon
            answer = oracle.argmin(g, tol=epsilon, enough=enough)
            yield Progress.of(w, f.gradient_dot(w) - answer.atom.dot(g), answer, tolerance=epsilon)
            toward = w.toward(answer.atom)
            w.move(toward, step(f.along(w, toward), k))


RNG = np.random.default_rng(0)
X = RNG.standard_normal((30, 60))
F = gh.least_squares(X, X[:, :5].sum(axis=1) + RNG.standard_normal(30))
FEW = np.where(RNG.random((80, 60)) < 0.1, RNG.standard_normal((80, 60)), 0.0)
SETS = [gh.L1Ball(60, 3.0), gh.Simplex(60, upper=0.1), Vertices(RNG.standard_normal((50, 60))), Vertices(sp.csr_array(FEW)),
        L2Ball(60, 2.0)]


@pytest.mark.parametrize("S", [gh.L1Ball(3, 1.0), L2Ball(3, 1.0), gh.Simplex(4, upper=0.4)], ids=repr)
def test_keeps_its_promises(S):
    check_atoms(Cached(S, size=3), trials=6)


@pytest.mark.parametrize("S", SETS, ids=repr)
@pytest.mark.parametrize("step", [gh.OpenLoop(), gh.Exact()], ids=repr)
def test_the_rate_is_kept(step, S):
    """f(w) − lower bound, and with it the error, is at most 2M/(k + 2) in every iteration."""
    lazy = gh.minimize(F, Cached(S), Lazy(step), stop=gh.Iterations(150))
    M = float(F.curvature(S))
    for k, gap in enumerate(lazy.trace["gap"]):
        assert k == 0 or gap <= rate(M, 0.0, k) * (1 + 1e-9)
    best = gh.minimize(F, S, stop=gh.Relative(1e-6) | gh.Iterations(3000))
    assert lazy.value - best.value <= lazy.gap and lazy.certificate.lower <= best.value


@pytest.mark.parametrize("S", SETS[:4], ids=repr)
def test_most_calls_are_saved(S):
    memory = Memory()
    w = F.start(S, np.random.default_rng(0))
    run = Lazy(gh.OpenLoop()).run(F, Cached(S), w, memory)
    calls = 0
    for _, progress in zip(range(300), run, strict=False):
        assert progress.gap >= 0 and (np.isfinite(progress.gap) or np.isfinite(memory.lower))
        memory.lower = max(memory.lower, F.value(w) - progress.gap)
        calls += np.isfinite(progress.slack)
    oracle = memory.oracle(S).inner
    assert (oracle.misses, oracle.hits) == (calls, 300 - calls) and oracle.hits >= 150


def test_converges_to_a_certified_gap():
    S = Cached(gh.Simplex(60))
    s = gh.minimize(F, S, Lazy(gh.Exact(), tolerance=gh.of_gap(0.5)), stop=gh.Relative(1e-3) | gh.Iterations(20000))
    exact = gh.certify(F, gh.Simplex(60), s.point)
    assert s.converged and s.gap <= 1e-3 * max(abs(s.value), s.trace["value"][0])
    assert exact.gap >= s.value - s.certificate.lower - 1e-12


def test_without_enough_the_inner_oracle_answers(rng):
    S, oracle = gh.L1Ball(5, 1.0), Cached(gh.L1Ball(5, 1.0)).oracle(rng)
    for _ in range(20):
        g = rng.standard_normal(5)
        assert oracle.argmin(g) == Answer(S.argmin(g))
    assert (oracle.hits, oracle.misses) == (0, 20)


def test_an_atom_that_is_not_enough_is_not_returned(rng):
    oracle = Cached(gh.L1Ball(2, 1.0)).oracle(rng)
    oracle.argmin(np.array([3.0, 1.0]))
    g = np.array([1.0, 2.0])
    assert oracle.argmin(g, enough=-1.0).slack == np.inf
    assert oracle.argmin(g, enough=-1.5) == Answer(gh.L1Ball(2, 1.0).argmin(g))
    assert (oracle.hits, oracle.misses) == (1, 2)


@pytest.mark.parametrize("size", [1, 2, 3, 10])
@pytest.mark.parametrize("S", [L2Ball(4, 1.0), gh.Simplex(30), Vertices(FEW[:, :20])], ids=repr)
def test_the_size_is_honoured(S, size, rng):
    oracle = Cached(S, size=size).oracle(rng)
    for k in range(60):
        g = rng.standard_normal(S.shape)
        oracle.argmin(g, enough=0.0 if k % 3 else -np.inf)
        if k % 7 == 0:
            oracle.best(g, 5)
        assert 1 <= len(oracle) <= size and len(oracle.kept.used) == len(oracle) == len(set(oracle.kept.block.keys))


def test_atoms_in_use_stay(rng):
    """What was unused longest goes first."""
    oracle = Cached(gh.Simplex(20), size=4).oracle(rng)
    for j in range(10):
        oracle.argmin(-np.eye(20)[j])
        assert oracle.argmin(-np.eye(20)[0], enough=-1.0).atom.index == 0
    assert oracle.misses == 10 and oracle.hits == 10


@pytest.mark.parametrize("S", SETS, ids=repr)
def test_a_resumed_run_continues_bit_by_bit(S, tmp_path):
    cached, solver = Cached(S, size=6), Lazy(gh.OpenLoop())
    whole = gh.minimize(F, cached, solver, stop=gh.Iterations(60))
    gh.minimize(F, cached, solver, stop=gh.Iterations(25), checkpoint=tmp_path / "run.npz")
    rest = gh.minimize(F, cached, solver, stop=gh.Iterations(60), resume=tmp_path / "run.npz")
    np.testing.assert_array_equal(whole.trace["value"][25:], rest.trace["value"][-36:])
    np.testing.assert_array_equal(whole.trace["gap"][25:], rest.trace["gap"][-36:])
    np.testing.assert_array_equal(whole.point.array(), rest.point.array())


def test_the_rest_is_the_inner_set():
    S = Cached(gh.L1Ball(5, 2.0), size=7)
    assert (S.shape, S.radius, len(S), S.diameter, S[3].index) == ((5,), 2.0, 10, 4.0, 3)
    assert repr(S) == "Cached(L1Ball(5, radius=2), size=7)" and bool(S)
    assert repr(S.rescaled(3.0)) == "Cached(L1Ball(5, radius=3), size=7)"
    assert S.contains(np.zeros(5)) and S.traits.finite and not Cached(L2Ball(2, 1.0)).traits.finite
    assert repr(pickle.loads(pickle.dumps(S))) == repr(S)
    assert float(gh.least_squares(np.eye(5), np.ones(5)).curvature(S)) == pytest.approx(16 / 5)


@pytest.mark.parametrize(("S", "size"), [(gh.Simplex(3), bad) for bad in (0, -1, 2.5, True)] + [("set", 3)])
def test_bad_input(S, size):
    with pytest.raises(gh.GreedyhullError, match="wanted"):
        Cached(S, size=size)


def test_a_stale_answer_proves_nothing(rng):
    """What the cache holds may be far from the best: the gap that such an answer brings is infinite."""
    oracle = Cached(gh.L1Ball(3, 1.0)).oracle(rng)
    oracle.argmin(np.array([1.0, 0.0, -0.0]))
    answer = oracle.argmin(np.array([1e-9, -5.0, 0.0]), enough=0.0)
    assert answer.atom.index == 0 and answer.slack == np.inf
    assert oracle.argmin(np.array([1e-9, -5.0, 0.0]), enough=-np.inf).slack == 0.0
