"""What a user's typed program says. It is type-checked and run by `test_user.py`; nobody has to narrow what is known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import assert_type

import numpy as np

import greedyhull as gh
from greedyhull.estimators import (
    EnsembleRegressor,
    L1BudgetClassifier,
    L1BudgetRegressor,
    L1BudgetRegressorCV,
    SimplexRegressor,
)
from greedyhull.extend import (
    AnySet,
    Array,
    AtomSet,
    Iterate,
    Line,
    Memory,
    Needs,
    Objective,
    Plain,
    Progress,
    Shard,
    Solver,
    Sparse,
    StepRule,
    check_solver,
)
from greedyhull.objectives.composite import Composite
from greedyhull.remote.model import ShardedModel

rng = np.random.default_rng(0)
X = rng.standard_normal((30, 4))
y = X @ np.array([0.5, 0.5, 0.0, 0.0])


class Pairs(AtomSet):
    """The hull of (e_i + e_j)/2."""

    def __init__(self, d: int) -> None:
        self.shape = (d,)

    def argmin(self, g: Array) -> Sparse:
        return Sparse(np.sort(np.argsort(g)[:2]), np.full(2, 0.5))


class Distance(Objective):
    """½‖w‖²."""

    domain = (4,)

    def value(self, w: Iterate) -> float:
        return float(0.5 * np.sum(np.asarray(w) ** 2))

    def gradient(self, w: Iterate) -> Array:
        return np.asarray(w)


@dataclass(frozen=True)
class Drawn:
    """Some terms ½(z·x − z₀)² of an expectation."""

    rows: Array

    def value(self, x: Array) -> float:
        return float(0.5 * np.mean((self.rows @ x - self.rows[:, 0]) ** 2))

    def gradient(self, x: Array) -> Array:
        residual: Array = self.rows @ x - self.rows[:, 0]
        return np.asarray(self.rows.T @ residual / len(self.rows))


@dataclass(frozen=True)
class Damped(StepRule):
    """A share of the exact step."""

    share: float = 0.9

    def start(self, warm: bool = False) -> Damped.Working:
        return Damped.Working(self.share)

    class Working(Plain):
        def __init__(self, share: float) -> None:
            self.share = share

        def __call__(self, line: Line, k: int) -> float:
            return self.share * line.argmin()


@dataclass(frozen=True)
class Toward(Solver):
    """Frank-Wolfe, in a user's words."""

    step: StepRule = field(default_factory=Damped)
    needs = Needs(smooth=True, atoms=False)

    def run(self, f: Objective, S: AnySet, w: Iterate, memory: Memory) -> Iterator[Progress]:
        step, oracle = memory.step(self.step), memory.oracle(S)
        for k in memory.count(first=0):
            g = f.gradient(w)
            answer = oracle.argmin(g)
            yield Progress(w, f.gradient_dot(w) - answer.atom.dot(g) + answer.slack, answer.kind, answer.slack)
            toward = w.toward(answer.atom)
            w.move(toward, step(f.along(w, toward), k))


def solved() -> float:
    f, S = gh.least_squares(X, y), gh.L1Ball(4, radius=1.0)
    s = gh.minimize(f, S, stop=gh.Gap(1e-8) | gh.Seconds(60))
    assert_type(s.value, float)
    assert_type(s.gap, float | None)
    assert_type(s.converged, bool)
    sizes = gh.path(f, S, [0.5, 1.0])
    more = gh.minimize(f, Pairs(4), Toward(), stop=gh.Iterations(20), start=None, watch=lambda event: print(event.gap + 1.0))
    certificate = gh.certify(Distance(), S, s.point)
    shown = "unknown" if s.gap is None else f"{s.gap * 2:.1e}"
    print(shown, certificate.lower + 1.0, s.x.sum(), s.trace.gap[0], s.intercept + 1.0)
    return s.value + 1 + sizes[0].value * 2 + more.value


def sampled() -> None:
    f = gh.expectation(lambda size, rng: Drawn(rng.standard_normal((size, 4))), 4)
    s = gh.minimize(f, gh.Simplex(4), gh.StochasticFrankWolfe(), stop=gh.Iterations(3))
    assert_type(s.value, None)


def fitted() -> float:
    model = assert_type(SimplexRegressor().fit(X, y), SimplexRegressor)
    budget = assert_type(L1BudgetRegressor(radius=1.0).fit(X, y), L1BudgetRegressor)
    chosen = assert_type(L1BudgetRegressorCV(radii=5).fit(X, y), L1BudgetRegressorCV)
    labels = L1BudgetClassifier(radius=1.0).fit(X, y > 0).predict_proba(X)
    mean = assert_type(EnsembleRegressor().fit(X, y), EnsembleRegressor)
    print(model.predict(X)[0], budget.coef_.sum(), chosen.weights_ @ np.ones(4), labels[0], mean.weights_.max())
    return model.solution_.value + budget.certificate_.lower + model.dual_gap_ + float(model.trace_.gap[-1])


@dataclass(frozen=True)
class Parts:
    """Rows in three shards, which are made when they are loaded."""

    d: int = 4
    count: int = 3
    names: list[str] | None = None

    def load(self, k: int) -> Shard:
        return Shard(X[10 * k : 10 * k + 10], np.where(y[10 * k : 10 * k + 10] > 0.0, 1.0, -1.0))

    def name(self, k: int) -> str:
        return f"part {k}"

    def mark(self, k: int) -> str:
        return str(k)


def sharded() -> float:
    f = assert_type(gh.logistic(Parts(), intercept=True), ShardedModel)
    assert_type(gh.huber(Parts(), delta=0.5), ShardedModel)
    assert_type(gh.logistic(X, y > 0.0), Composite)
    with gh.processes(1) as crew:
        s = gh.minimize(f.on(crew), gh.L1Ball(4, radius=1.0))
    print(f.trips, L1BudgetClassifier(radius=1.0).fit(Parts()).score(Parts()))
    return s.value


if __name__ == "__main__":
    check_solver(Toward(), [(gh.least_squares(X, y), Pairs(4))])
    assert solved() > 0.0 and fitted() < 1.0 and sharded() < 1.0
    sampled()
