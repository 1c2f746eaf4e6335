"""The library's own runs obey Theorem 2 and its relatives at every iteration, and attain it where it is tight."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.atoms.base import AtomSet, OracleBase
from greedyhull.points.shapes import Basis
from greedyhull.theory import aggregate_rate, gap_rate, line_search_rate, one_atom_lower, rate
from greedyhull.types import Answer

RNG = np.random.default_rng(3)
A, Y = RNG.normal(size=(20, 7)), RNG.normal(size=20)
PROBLEMS = {
    "least squares, l1 ball": (gh.least_squares(A, Y), gh.L1Ball(7, 1.0)),
    "logistic, l1 ball": (gh.logistic(A, np.sign(Y)), gh.L1Ball(7, 3.0)),
    "squared hinge, simplex": (gh.squared_hinge(A, np.sign(Y)), gh.Simplex(7, 2.0)),
    "quadratic, simplex": (gh.quadratic(A.T @ A, A.T @ Y), gh.Simplex(7)),
}
problems = pytest.mark.parametrize("f, S", PROBLEMS.values(), ids=PROBLEMS)
K = 80
k = np.arange(1, K + 1)
ADAPTIVE = [gh.FrankWolfe(), gh.FrankWolfe(gh.Short()), gh.Corrective(),
            *(getattr(gh, name)() for name in ("Jones", "Mixed", "Aggregated") if hasattr(gh, name))]
OPEN = [gh.FrankWolfe(gh.OpenLoop()), *([gh.Jones(gh.OpenLoop())] if hasattr(gh, "Jones") else [])]


def errors(f, S, solver, start=None, stop=None):
    lower = gh.minimize(f, S, gh.Corrective(), stop=gh.Gap(1e-12) | gh.Iterations(100)).certificate.lower
    run = gh.minimize(f, S, solver, start=start, stop=stop or gh.Iterations(K)).trace
    return run.value - lower, run.gap


@problems
@pytest.mark.parametrize("solver", OPEN + ADAPTIVE, ids=repr)
def test_theorem_2(f, S, solver):
    e, gap = errors(f, S, solver)
    M = float(f.curvature(S))
    assert np.all(e[1:] <= rate(M, 0.0, k, exact=True) + 1e-10)
    assert np.all(gap[1:] <= aggregate_rate(M, 0.0, k, exact=True) + 1e-10)
    assert np.all(np.minimum.accumulate(gap[1:]) <= gap_rate(M, 0.0, k) + 1e-10)


@problems
@pytest.mark.parametrize("solver", ADAPTIVE, ids=repr)
def test_line_search_rate(f, S, solver):
    e, _ = errors(f, S, solver)
    assert np.all(e[1:] <= line_search_rate(float(f.curvature(S)), k) + 1e-10)


@pytest.mark.skipif(not hasattr(gh, "Inexact"), reason="no inexact oracle yet")
@problems
@pytest.mark.parametrize("c", [0.05, 1.0])
@pytest.mark.parametrize("rule", [gh.OpenLoop(), gh.Exact(), gh.Short()], ids=repr)
def test_theorem_2_with_the_worst_admissible_oracle(f, S, rule, c):
    lower = gh.minimize(f, S, gh.Corrective(), stop=gh.Gap(1e-12) | gh.Iterations(100)).certificate.lower
    solver = gh.FrankWolfe(rule, tolerance=gh.harmonic(c))
    run = gh.minimize(f, gh.Inexact(S), solver, stop=gh.Iterations(K)).trace
    M = float(f.curvature(S))
    assert np.all(run.value[1:] - lower <= rate(M, c, k, exact=True) + 1e-10)
    assert np.all(run.gap[1:] <= aggregate_rate(M, c, k, exact=True) + 1e-10)


@pytest.mark.parametrize("d", [3, 12, 100])
def test_line_search_attains_the_lower_bound_on_the_simplex(d):
    """f = ‖w‖² on the simplex: f(w_k) = 1/(k + 1), which no method that adds an atom a step can beat."""
    run = gh.minimize(gh.quadratic(2 * np.eye(d)), gh.Simplex(d), gh.FrankWolfe(), stop=gh.Iterations(d - 1)).trace
    assert run.value == pytest.approx(one_atom_lower(np.arange(d)), rel=1e-12)


class Interval(AtomSet):
    """All points of [0, 1] are atoms; its oracle answers the k-th question with c·2/(k + 2), and says so."""

    shape = (1,)

    def __init__(self, c):
        self.c, self.radius = c, 1.0

    def argmin(self, g):
        return Basis(0, 0.0 if g[0] > 0 else 1.0)

    def start(self, rng):
        return Basis(0, 1.0)

    def max_abs(self, c):
        return float(c[0])

    def oracle(self, rng):
        return Sloppy(self)


class Sloppy(OracleBase):
    def __init__(self, S):
        self.S, self.k = S, 0

    def argmin(self, g, tol=0.0, enough=-np.inf):
        slack = self.S.c * 2 / (self.k + 2)
        self.k += 1
        return Answer(Basis(0, slack), slack * float(g[0]))

    def state(self):
        return {"k": np.array(self.k)}

    def restore(self, state):
        self.k = int(state["k"])


@pytest.mark.parametrize("c", [0.1, 1.0])
def test_a_linear_f_attains_the_exact_rate(c):
    """f(w) = w on [0, 1]: no run of the library can have a better constant before c."""
    f, S = gh.quadratic(np.zeros((1, 1)), np.array([-1.0])), Interval(c)
    solution = gh.minimize(f, S, gh.FrankWolfe(gh.OpenLoop()), stop=gh.Iterations(500))
    n = np.arange(1, 501)
    assert solution.trace.value[1:] == pytest.approx(rate(0.0, c, n, exact=True), rel=1e-12)
    bound = solution.bounds().named("Theorem 2 (exact)")
    assert bound.value == pytest.approx(solution.value, rel=1e-7)  # gaps hold a rounding error each
    assert bound.value >= solution.value
    assert {constant.name: constant.value for constant in bound.constants} == pytest.approx({"k": 500, "M": 0.0, "c": c})
