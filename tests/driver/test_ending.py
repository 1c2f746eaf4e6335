"""How a run ends: by its stop, by standing still if nothing in it is random, and never in an endless attempt."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.objectives.composite import Composite
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.gradients import Minibatch
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.solver_state import Memory

SQUARES = gh.least_squares(np.eye(3), np.array([3.0, 0.1, 0.0]))  # over the simplex the first atom is best
S = gh.Simplex(3)
FAR = 20_000  # iterations that a run which stands still must not come near to


def gap_at(f: Any, S: Any, w: Iterate) -> float:
    g = f.gradient(w)
    return float(f.gradient_dot(w) - S.argmin(g).dot(g))


# --- standing still -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", [gh.FrankWolfe(), gh.BlendedPairwise(), gh.Corrective(), gh.Jones(), gh.PairwiseJones()],
                         ids=repr)
def test_a_run_that_stands_still_ends_by_itself(solver: Any) -> None:
    """No gap of zero can be certified here, so that no stop ever speaks; and the point is the best one there is."""
    s = gh.minimize(SQUARES, S, solver, stop=gh.Gap(0.0) | gh.Iterations(FAR))
    assert s.iterations < FAR / 2 and "limit" not in s.reason and not s.reason.startswith("The certified")
    assert not s.converged and s.gap is not None and 0.0 < s.gap < 1e-12
    assert s.point.array().tolist() == [1.0, 0.0, 0.0]


@dataclass(frozen=True)
class Idle:
    """A solver that never moves."""

    looks_back = True

    def run(self, f: Any, S: Any, w: Iterate, memory: Memory) -> Iterator[Progress]:
        for _ in memory.count():
            yield Progress(w, gap_at(f, S, w))


@pytest.mark.parametrize("asked, converged", [(1e-9, False), (1e3, True)])
def test_standing_still_is_not_convergence(asked: float, converged: bool) -> None:
    s = gh.minimize(SQUARES, S, Idle(), start=gh.Basis(2, 1.0), stop=gh.Gap(asked) | gh.Iterations(FAR))
    assert s.iterations < FAR / 2 and s.converged is converged
    assert "limit" not in s.reason and s.reason.startswith("The certified") is converged
    assert s.gap == pytest.approx(gap_at(SQUARES, S, s.point.copy()))


def test_a_run_that_improves_little_goes_on() -> None:
    """Open-loop steps go round the minimum, and for thousands of iterations no value is the best one so far."""
    rng = np.random.default_rng(0)
    rng.standard_normal(9)
    f = gh.least_squares(rng.standard_normal((5, 3)), rng.standard_normal(5))
    s = gh.minimize(f, S, gh.FrankWolfe(gh.OpenLoop()), stop=gh.Iterations(30_000))
    assert s.iterations == 30_000 and "limit of 30000 iterations" in s.reason


@pytest.mark.filterwarnings("ignore::greedyhull.GreedyhullWarning")
def test_a_random_run_goes_on_however_far_apart_its_looks_are() -> None:
    """It begins at the minimum, so that no look can find anything better."""
    rng = np.random.default_rng(1)
    f, ball = gh.least_squares(rng.standard_normal((50, 3)), rng.standard_normal(50)), gh.L1Ball(3, 5.0)
    best = gh.minimize(f, ball, stop=gh.Gap(1e-12)).point
    solver = gh.StochasticFrankWolfe(Minibatch(2), gh.OpenLoop(), every=8192)
    s = gh.minimize(f, ball, solver, start=best, stop=gh.Iterations(30_000))
    assert s.iterations == 30_000 and s.trace.iteration.tolist() == [1, 8192, 16384, 24576, 30_000]


# --- gaps that seem to be closed ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Boasting:
    """A solver that says at every point that it is the best one, and goes to and fro."""

    looks_back = True

    def run(self, f: Any, S: Any, w: Iterate, memory: Memory) -> Iterator[Progress]:
        for k in memory.count():
            yield Progress(w, 0.0)
            w.move(w.toward(gh.Basis(k % 3, 1.0)), 0.25)


def test_a_gap_that_never_closes_is_tried_a_few_times_only() -> None:
    """In float32 gaps underway are provisional. A run goes on where the true one is larger, but not forever."""
    f, seen = gh.least_squares(np.eye(3, dtype=np.float32), np.array([3.0, 0.1, 0.0], dtype=np.float32)), list[Any]()

    def watch(event: Any) -> None:
        seen.append(event)
        assert len(seen) < 100

    s = gh.minimize(f, S, Boasting(), start=gh.Basis(2, 1.0), stop=gh.Gap(1e-3), watch=watch)
    assert len(seen) > 1 and not s.converged and s.gap is not None and s.gap > 0.1
    assert s.reason.startswith("Rounding holds the certified gap at")


def test_rounding_that_overflows_in_single_precision_leaves_the_certificate_that_is_computed_afresh(monkeypatch: Any) -> None:
    """As that of e^z may; a gap of NaN was returned then."""
    X = np.random.default_rng(2).standard_normal((20, 3)).astype(np.float32)
    f, told = gh.least_squares(X, X @ np.array([1.0, -2.0, 0.5])), Composite.rounding
    monkeypatch.setattr(Composite, "rounding", lambda self, *given: told(self, *given) if self.precise() is self else np.nan)
    s = gh.minimize(f, gh.L1Ball(3, radius=1.0), gh.BlendedPairwise(), stop=gh.Relative(1e-4))
    Z = X.astype(float)
    best = gh.minimize(gh.least_squares(Z, Z @ np.array([1.0, -2.0, 0.5])), gh.L1Ball(3, radius=1.0))
    assert s.gap is not None and 0.0 <= s.value - best.value <= s.gap < 1e-2
