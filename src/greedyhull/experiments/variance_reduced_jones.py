"""Does a control variate make stochastic Jones need fewer gradients? An experiment; nothing is proved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from greedyhull.atoms.l1_ball import L1Ball
from greedyhull.atoms.simplex import Simplex
from greedyhull.driver.minimize import minimize
from greedyhull.driver.stop import Callback, Gap, Iterations
from greedyhull.errors import check
from greedyhull.objectives.batch import source_of
from greedyhull.objectives.by_name import least_squares, logistic
from greedyhull.objectives.composite import Composite
from greedyhull.points.iterate import Iterate
from greedyhull.points.position import Position
from greedyhull.solvers.gradients.base import Epochs, Size, check_size
from greedyhull.solvers.gradients.svrg import Svrg
from greedyhull.solvers.parts.joint.minibatch import MinibatchChoice
from greedyhull.solvers.parts.looks import FullGap, Looking, at_steps
from greedyhull.solvers.parts.memory import Memory
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.rules import APriori
from greedyhull.solvers.parts.schedules import linear
from greedyhull.solvers.parts.steps import OpenLoop
from greedyhull.solvers.stochastic_frank_wolfe import StochasticFrankWolfe
from greedyhull.solvers.stochastic_jones import StochasticJones
from greedyhull.types import Array, AtomSet, Minibatch, Needs, Objective, Solver


@dataclass(frozen=True)
class VarianceReducedJones:
    """The atom that minimises f_B(w + η_k(d − w)) − ⟨∇f_B(w̃) − ∇f(w̃), ·⟩, w̃ the snapshot of steps 1, 2, 4, 8, ….

    The linear term has mean zero, so that the mean over all batches is f, as it is for plain minibatches; near the
    snapshot the gradients of batches differ less. Where two looks at a batch cost a pass, the pass is made, and is the
    new snapshot.
    """

    batch: Size = field(default=linear(4.0))
    step: APriori = field(default=OpenLoop())
    epoch: int | None = None
    needs = Needs(atoms=False, terms=True)

    def __post_init__(self) -> None:
        check_size("batch", self.batch)

    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: Memory) -> Iterator[Progress]:
        oracle, x = memory.oracle(S), w.view("position", Position)
        source = memory.part("source", lambda: source_of(f, memory.rng))
        snapshot = memory.part("snapshot", lambda: _Snapshot(self, source))
        look: Looking = memory.part("look", lambda: at_steps(FullGap(), None).start(f, S, w, memory))
        choice = MinibatchChoice(S, oracle)
        for k in memory.count(first=1):
            if look.due(k, source.spent):
                yield look(w, {"spent": source.spent})
            d, eta = choice.at(snapshot.surrogate(x.array, k), x.array, self.step.at(k - 1), 0.0)
            w.move(w.toward(d), eta)


class _Snapshot(Epochs):
    def surrogate(self, x: Array, k: int) -> Minibatch | Corrected:
        source, b = self.source, self.size(k)
        if self.begins(k) or 2 * b >= source.n:
            whole = source.again(source.whole)
            self.arrays.update(full=whole.gradient(x), x=x.copy())
            return whole
        batch = source.draw(b)
        return Corrected(batch, source.again(batch).gradient(self.arrays["x"]) - self.arrays["full"])


class Corrected:
    """f_B − ⟨shift, ·⟩."""

    def __init__(self, batch: Minibatch, shift: Array) -> None:
        self.batch, self.shift = batch, shift

    def value(self, x: Array) -> float:
        return float(self.batch.value(x) - self.shift.dot(x))

    def gradient(self, x: Array) -> Array:
        return np.asarray(self.batch.gradient(x) - self.shift)


@dataclass(frozen=True)
class Curves:
    """Mean errors of several solvers after ``spent`` gradients of terms, one row of ``errors`` for each of ``names``."""

    names: tuple[str, ...]
    spent: Array
    errors: Array

    def __getitem__(self, name: str) -> Array:
        return np.asarray(self.errors[self.names.index(name)])


SOLVERS: dict[str, Solver] = {
    "variance-reduced Jones": VarianceReducedJones(),
    "ASJ": StochasticJones(),
    "ASJ, batches 4k": StochasticJones(linear(4.0), OpenLoop()),
    "ASFW": StochasticFrankWolfe(),
    "SVRF, batches 4k": StochasticFrankWolfe(Svrg(linear(4.0)), OpenLoop()),
}


def variance_reduced_jones(problem: str = "least_squares", *, n: int = 2000, d: int = 20, passes: int = 20, runs: int = 5,
                           seed: int = 0) -> Curves:
    """Least squares over an l1 ball, or logistic regression over a simplex, of made-up data: the error after each pass.

    A gradient of a term is counted where a batch asks for one. That a Jones step also asks its batch for values along
    the lines toward several atoms is not counted.
    """
    check(problem in ("least_squares", "logistic"), f"problem={problem!r} was given; 'least_squares' or 'logistic' is wanted.")
    check(passes >= 1 and runs >= 1, f"passes={passes!r}, runs={runs!r} were given; at least one of each is wanted.")
    f, S = made_up(problem, n, d, seed)
    least = minimize(f, S, stop=Gap(1e-11) | Iterations(2000)).certificate.lower
    spent = np.arange(passes + 1) * n
    errors = [np.mean([_curve(f, S, solver, spent, seed + 1 + r) for r in range(runs)], axis=0) - least
              for solver in SOLVERS.values()]
    return Curves(tuple(SOLVERS), spent, np.array(errors))


def made_up(problem: str, n: int, d: int, seed: int) -> tuple[Composite, AtomSet]:
    """Correlated columns of different sizes, few of which matter."""
    rng = np.random.default_rng(seed)
    X = (rng.standard_normal((n, d)) + 0.5 * rng.standard_normal((n, 1))) * 2.0 ** rng.uniform(-1.0, 1.0, d)
    true = np.zeros(d)
    true[:5] = rng.dirichlet(np.ones(min(d, 5)))
    if problem == "least_squares":
        return least_squares(X, X @ true + 0.5 * rng.standard_normal(n)), L1Ball(d, 1.0)
    return logistic(X, np.where(rng.random(n) < 1.0 / (1.0 + np.exp(-3.0 * (X @ true))), 1.0, -1.0)), Simplex(d, 2.0)


def _curve(f: Objective, S: AtomSet, solver: Solver, spent: Array, seed: int) -> Array:
    """The value after each number of gradients, interpolated between looks."""
    told: list[tuple[int, float]] = []
    enough = Callback(lambda event: event.also["spent"] >= spent[-1])
    minimize(f, S, solver, stop=enough, seed=seed, watch=lambda event: told.append((event.also["spent"], event.value)))
    return np.asarray(np.interp(spent, *np.array(told).T))
