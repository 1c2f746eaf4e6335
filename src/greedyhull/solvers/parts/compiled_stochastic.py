"""Stochastic steps in the compiled core, between two evaluations of the gap."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from functools import cached_property
from math import isqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from greedyhull.atoms.box import Box, LinfBall
from greedyhull.atoms.l1_ball import L1Ball
from greedyhull.atoms.lp_ball import L2Ball
from greedyhull.atoms.simplex import Simplex
from greedyhull.atoms.vertices import Vertices
from greedyhull.kernels._core import (
    difference_steps,
    jones_difference_steps,
    jones_table_steps,
    table_steps,
    wide_table_steps,
)
from greedyhull.objectives.composite import Composite
from greedyhull.objectives.designs.stored import DenseDesign, SparseDesign
from greedyhull.objectives.losses.piecewise import Absolute, EpsilonInsensitive, Hinge, Quantile
from greedyhull.objectives.losses.smooth import HIGHEST, Huber, Logistic, Poisson, Squared, SquaredHinge
from greedyhull.objectives.minibatches import Source
from greedyhull.points.shapes import BasisBlock
from greedyhull.solvers.gradients.base import ArrayState, Estimate, share, size
from greedyhull.solvers.gradients.momentum import Minibatch as FusedStepsMinibatch
from greedyhull.solvers.gradients.momentum import Momentum, Storm
from greedyhull.solvers.gradients.variance_reduced import Dual, Saga, Spider, Svrg
from greedyhull.solvers.parts.looks import Looking
from greedyhull.solvers.parts.schedules import zero
from greedyhull.solvers.parts.steps import APriori, in_advance
from greedyhull.types import Array, AtomSet, Index, Loss, Minibatch, Objective, State, Supply

if TYPE_CHECKING:
    from greedyhull.solvers.stochastic_frank_wolfe import StochasticFrankWolfe
    from greedyhull.solvers.stochastic_jones import VarianceReducedJones


class Drawn:
    """Another supply, and the first batch that was drawn from it since `take` was called last."""

    def __init__(self, supply: Supply) -> None:
        self.supply, self.size = supply, 1
        self._batch: Minibatch | None = None

    def take(self) -> Minibatch:
        """The batch of this step; a fresh one, as large as the last, where the estimate drew none."""
        batch = self.supply.draw(self.size) if self._batch is None else self._batch
        self._batch, self.size = None, batch.size
        return batch

    def _noted(self, batch: Minibatch) -> Minibatch:
        self._batch = batch if self._batch is None else self._batch
        return batch

    @property
    def spent(self) -> int:
        return self.supply.spent

    @spent.setter
    def spent(self, spent: int) -> None:
        self.supply.spent = spent

    @property
    def f(self) -> Objective:
        return self.supply.f

    @property
    def n(self) -> float:
        return self.supply.n

    @property
    def terms(self) -> int | None:
        return self.supply.terms

    @property
    def whole(self) -> Minibatch:
        return self.supply.whole

    def draw(self, size: int) -> Minibatch:
        return self._noted(self.supply.draw(size))

    def distinct(self, size: int) -> Minibatch:
        return self._noted(self.supply.distinct(size))

    def again(self, batch: Minibatch) -> Minibatch:
        """The same batch; all terms count as drawn."""
        return self._noted(self.supply.again(batch))

    def full(self, x: Array) -> Array:
        return np.asarray(self.again(self.whole).gradient(x))

    def state(self) -> State:
        return {"size": np.array(self.size)}

    def restore(self, state: State) -> None:
        self.size = int(state["size"])


LOSSES: dict[type, Callable[[Any], tuple[int, list[float]]]] = {  # the number of a loss in native/losses.hpp, and its shape
    Squared: lambda loss: (0, [0.0]),
    Logistic: lambda loss: (1, [0.0]),
    SquaredHinge: lambda loss: (2, [0.0]),
    Huber: lambda loss: (3, [loss.delta]),
    Poisson: lambda loss: (4, [HIGHEST]),
    Hinge: lambda loss: (8, [0.0]),
    **dict.fromkeys((Absolute, Quantile, EpsilonInsensitive), lambda loss: (9, [*loss.ends(), loss.epsilon])),
}


def _l1(S: L1Ball) -> tuple[int, Array, Array, Array]:
    scale = np.broadcast_to(np.asarray(S._scale, dtype=np.float64), S.shape).copy()
    return 0, np.ones(S.shape) if S.weights is None else scale, scale, _NONE


_NONE = np.zeros((0, 0))
SETS: dict[type, Callable[[Any], tuple[int, Array, Array, Array]]] = {  # number, two vectors and a matrix
    L1Ball: _l1,
    Simplex: lambda S: (1, np.zeros(S.shape), np.full(S.shape, S.total), _NONE),
    **dict.fromkeys((Box, LinfBall), lambda S: (2, np.array(S.lower), np.array(S.upper), _NONE)),
    L2Ball: lambda S: (3, np.array(S.middle), np.full(S.shape, S.radius), _NONE),
    Vertices: lambda S: (4, np.zeros(S.shape), np.zeros(S.shape), np.array(S.matrix, order="C")),
}
DATA: dict[type, Callable[[Any], tuple[Any, ...]]] = {  # a matrix; or starts, places and entries of the rows
    DenseDesign: lambda A: (np.ascontiguousarray(A.X),),
    SparseDesign: lambda A: A.rows_of,
}


class Engine:
    """A linear model over a set, in the words of the kernels; nothing is made before a kernel asks for it."""

    def __init__(self, f: Composite, S: AtomSet) -> None:
        self.f, self.S = f, S

    @cached_property
    def terms(self) -> tuple[Any, ...]:
        """Rows, targets, n times the weights of the terms and whether these differ, the loss."""
        loss: Loss = self.f.loss
        number, shape = LOSSES[type(loss)](loss)
        weighted = not isinstance(loss.p, float)
        shares = np.asarray(loss.p * self.f.n, dtype=np.float64) if weighted else np.ones(1)
        return (*DATA[type(self.f.design)](self.f.design), np.asarray(loss.y, dtype=np.float64), shares, int(weighted), number,
                np.array(shape, dtype=np.float64))

    @cached_property
    def set(self) -> tuple[int, Array, Array, Array]:
        """Number, two vectors and a matrix."""
        return SETS[type(self.S)](self.S)


def engine(f: Objective, S: AtomSet) -> Engine | None:
    """The engine for f over S, None where there is none."""
    if type(f) is not Composite or type(f.loss) not in LOSSES or type(f.design) not in DATA:
        return None
    known = type(S) in SETS and len(S.shape) == 1 and not (type(S) is Vertices and not S.dense_atoms)
    return Engine(f, S) if known else None


FIRST = 50  # a run of fewer steps is over before a kernel is loaded
TERMS = 1 << 16  # so many are drawn at once, at most
WIDE = 2000  # columns of sparse data from which on a step should not look at all of them
Due = Callable[[int, int], bool]


class Loops(NamedTuple):
    """The kernels that make the steps; those of Jones know squares and coordinate atoms only."""

    differences: Callable[..., None]
    tables: Callable[..., None]
    by_values: bool


LINEAR, JONES = Loops(difference_steps, table_steps, False), Loops(jones_difference_steps, jones_table_steps, True)


class Plan(NamedTuple):
    """What an estimator does in a step that is like most others, in the words of the kernels."""

    asks: int  # gradients of terms for each term of its batch; where they come to n, the step is no such step
    draws: tuple[bool, ...]  # one batch after the other, and whether its terms are different ones
    needs: tuple[str, ...]  # the arrays that the first step makes
    size: Callable[[Any, int], int]  # (estimate, k) -> b_k
    run: Callable[[Loops, Any, range, tuple[Any, ...], tuple[Any, ...]], None]  # (…, steps, terms and batches, set and point)


def compiled_burst(solver: StochasticFrankWolfe | VarianceReducedJones, f: Objective, S: AtomSet, source: Supply,
                   estimate: Estimate, look: Looking, loops: Loops = LINEAR) -> Burst:
    """The bursts of a solve; there are none where a kernel cannot do its steps, or the look wants to see every one."""
    plan, known = PLANS.get(type(solver.estimator)), engine(f, S)
    if known is not None and loops.by_values and not (type(known.f.loss) is Squared and type(S) in (L1Ball, Simplex)):
        return Burst()
    if plan is None or known is None or solver.tolerance != zero or type(look).seen is not Looking.seen:
        return Burst()
    assert isinstance(source, Source) and isinstance(estimate, ArrayState)  # as in the tables
    if isinstance(solver.estimator, FusedStepsMinibatch) and not solver.estimator.replace:
        plan = plan._replace(draws=(True,))
    return Kernel(in_advance(solver.step), known, plan, source, estimate, look, loops)


class Burst:
    """No steps at all: the solver makes them one by one."""

    def __call__(self, w: Any, x: Array, memory: Any) -> bool:
        """Make steps from memory.k on until a look is due or a step is unlike the others; whether any were made."""
        return False


class Kernel(Burst):
    """Bursts by a kernel."""

    def __init__(self, step: APriori, known: Engine, plan: Plan, source: Source, estimate: ArrayState, look: Looking,
                 loops: Loops) -> None:
        self.step, self.known, self.plan, self.source, self.estimate = step, known, plan, source, estimate
        self.look, self.loops = look, loops

    def __call__(self, w: Any, x: Array, memory: Any) -> bool:
        first: int = memory.k
        k = first
        if k < FIRST or len(w.views) > 1 or (w.keeps_atoms and not isinstance(w.block, BasisBlock)):
            return False

        def due(k: int, spent: int) -> bool:
            timer = self.look.timer  # after a look one step, for the next look is known only then
            return bool(self.look.taken >= 0 or timer.due(spent if timer.every is None else k) or memory.requested(k))

        while k == first or not due(k, self.source.spent):
            sizes = self._sizes(k, due)
            if not len(sizes):
                break
            self._make(range(k, k + len(sizes)), sizes, w, x)
            k += len(sizes)
        self.look.oracle.calls += 0 if self.loops.by_values else k - first  # values of all atoms need no oracle
        memory.k = max(first, k - 1)
        return k > first

    def _sizes(self, k: int, due: Due) -> Index:
        """The batches of the next steps, as many as can be made at once."""
        plan, kept, n, spent = self.plan, self.estimate.arrays, self.source.terms, self.source.spent
        begin, length = kept.get("epoch", (k, TERMS))
        b = plan.size(self.estimate, k) if all(name in kept for name in plan.needs) else n
        count = min(max(1, TERMS // (b * len(plan.draws))), int(begin + length) - k)
        constant = not callable(self.estimate.config.batch) and plan.size is _own
        sizes = np.full(count, b) if constant else np.array([plan.size(self.estimate, j) for j in range(k, k + count)])
        unlike = np.flatnonzero(plan.asks * sizes >= n)
        sizes = sizes[: unlike[0]] if len(unlike) else sizes
        spends = spent + plan.asks * np.cumsum(sizes)
        enough = bisect_left(range(len(sizes)), True, key=lambda j: due(k + j + 1, int(spends[j])))
        return np.asarray(sizes[: enough + 1])

    def _make(self, steps: range, sizes: Index, w: Any, x: Array) -> None:
        plan, source = self.plan, self.source
        index = source.sampler.successive(sizes, plan.draws)
        eta = np.array([self.step.at(k - 1) for k in steps], dtype=np.float64)
        weights = _Weights(w, self.known.set[2]) if w.keeps_atoms else _NoWeights(w, x)
        plan.run(self.loops, self.estimate, steps, (*self.known.terms, index, len(plan.draws) * np.cumsum(sizes), eta),
                 (*self.known.set, x, weights.alpha, weights.atoms, weights.place, weights.used))
        weights.write()
        spent = plan.asks * int(sizes.sum())
        source.spent += spent
        w.work.products += 2.0 * spent / source.n
        w.step = float(eta[-1])


class _Weights:
    """The weights of the atoms, in the order in which they came; +e_1 … +e_d, −e_1 … −e_d (scaled) have numbers, others −1."""

    def __init__(self, w: Any, scale: Array) -> None:
        self.w, self.scale, d, m = w, scale, len(scale), len(w)
        index, scales = w.block.index, w.block.scale
        number = np.where(np.abs(scales) == scale[index], np.where(scales > 0.0, index, index + d), -1)
        self.alpha, self.used = np.zeros(m + 2 * d), np.array([m])
        self.atoms, self.place = np.full(m + 2 * d, -1), np.full(2 * d, -1)
        self.alpha[:m], self.atoms[:m] = w.weights, number
        self.place[number[number >= 0]] = np.flatnonzero(number >= 0)

    def write(self) -> None:
        block, m, d = self.w.block, int(self.used[0]), len(self.scale)
        index = self.atoms[len(block) : m] % d
        scales = np.where(self.atoms[len(block) : m] < d, self.scale[index], -self.scale[index])
        self.w.assign(BasisBlock(block.size, np.concatenate([block.index, index]), np.concatenate([block.scale, scales])),
                      self.alpha[:m])


class _NoWeights:
    """Those of a point that is kept by its coordinates."""

    def __init__(self, w: Any, x: Array) -> None:
        self.w, self.x, self.alpha = w, x, np.zeros(0)
        self.atoms = self.place = self.used = np.zeros(0, dtype=np.int64)

    def write(self) -> None:
        self.w.x[:] = self.x


# --- the estimators -----------------------------------------------------------------------------------------------


def _own(estimate: Any, k: int) -> int:
    return size(estimate.config.batch, k, estimate.source.terms)


def _shares(estimate: Any, steps: range) -> Array:
    rho = np.array([estimate.config.rho(k) for k in steps], dtype=np.float64)
    for wrong in np.flatnonzero(~((rho >= 0.0) & (rho <= 1.0)))[:1]:
        share(estimate.config.rho, steps[wrong])  # says what is wrong with it
    return rho


def _minibatch(loops: Loops, estimate: Any, steps: range, terms: tuple[Any, ...], point: tuple[Any, ...]) -> None:
    none, zeros = np.zeros(len(steps)), np.zeros_like(point[4])
    loops.differences(*terms, none, none + 1.0, none, zeros, zeros, 0, np.zeros_like(zeros), *point)


def _momentum(loops: Loops, estimate: Any, steps: range, terms: tuple[Any, ...], point: tuple[Any, ...]) -> None:
    rho, zeros = _shares(estimate, steps), np.zeros_like(point[4])
    loops.differences(*terms, 1.0 - rho, rho, 0.0 * rho, zeros, zeros, 0, estimate.arrays["g"], *point)


def _storm(loops: Loops, estimate: Any, steps: range, terms: tuple[Any, ...], point: tuple[Any, ...]) -> None:
    keep, kept = 1.0 - _shares(estimate, steps), estimate.arrays
    loops.differences(*terms, keep, np.ones_like(keep), keep, np.zeros_like(point[4]), kept["x"], 1, kept["g"], *point)


def _spider(loops: Loops, estimate: Any, steps: range, terms: tuple[Any, ...], point: tuple[Any, ...]) -> None:
    ones, kept = np.ones(len(steps)), estimate.arrays
    loops.differences(*terms, ones, ones, ones, np.zeros_like(point[4]), kept["x"], 1, kept["g"], *point)


def _svrg(loops: Loops, estimate: Any, steps: range, terms: tuple[Any, ...], point: tuple[Any, ...]) -> None:
    ones, kept = np.ones(len(steps)), estimate.arrays
    loops.differences(*terms, 0.0 * ones, ones, ones, kept["full"], kept["x"], 0, np.zeros_like(point[4]), *point)


def _table(estimate: Any) -> tuple[Array, Array]:
    """The table of slopes and its mean; runs of float32 data that were saved long ago have a table of float32."""
    estimate.arrays["table"] = np.asarray(estimate.arrays["table"], dtype=np.float64)
    return estimate.arrays["table"], estimate.arrays["mean"]


def _saga(loops: Loops, estimate: Any, steps: range, terms: tuple[Any, ...], point: tuple[Any, ...]) -> None:
    loops.tables(*terms, 1, *_table(estimate), np.zeros_like(point[4]), *point)


def _dual(loops: Loops, estimate: Any, steps: range, terms: tuple[Any, ...], point: tuple[Any, ...]) -> None:
    sparse, (_, _, _, _, x, alpha, atoms, _, used) = terms[0].ndim == 1, point
    table, mean = _table(estimate)
    if loops.by_values or not sparse or len(x) < WIDE or len(alpha) == 0 or np.any(x[_elsewhere(atoms, used[0], len(x))]):
        loops.tables(*terms, 0, table, mean, np.zeros(0), *point)
    else:
        wide_table_steps(*(*terms, table, mean, isqrt(len(x)), *point))


def _elsewhere(atoms: Index, used: int, d: int) -> Any:
    """The coordinates of which no atom has a number, as a mask."""
    mask, known = np.ones(d, dtype=bool), atoms[:used]
    mask[known[known >= 0] % d] = False
    return mask


PLANS: dict[type, Plan] = {
    FusedStepsMinibatch: Plan(1, (False,), (), _own, _minibatch),
    Momentum: Plan(1, (False,), ("g",), _own, _momentum),
    Storm: Plan(2, (False,), ("g",), _own, _storm),
    Spider: Plan(2, (False,), ("g",), lambda e, k: e.length if e.config.batch is None else _own(e, k), _spider),
    Svrg: Plan(2, (False,), ("full",), lambda e, k: 48 * (k + 1) if e.config.batch is None else _own(e, k), _svrg),
    Saga: Plan(2, (False, True), ("table", "mean"), _own, _saga),
    Dual: Plan(1, (True,), ("table", "mean"), _own, _dual),
}
