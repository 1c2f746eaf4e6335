"""Stochastic steps in the compiled core, between two evaluations of the gap."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from greedyhull.atoms.box import Box, L2Ball, LinfBall
from greedyhull.atoms.l1_ball import L1Ball
from greedyhull.atoms.simplex import Simplex
from greedyhull.atoms.vertices import Vertices
from greedyhull.kernels._core import difference_steps, jones_difference_steps, jones_table_steps, table_steps
from greedyhull.objectives.composite import Composite
from greedyhull.objectives.designs.stored import DenseDesign, SparseDesign
from greedyhull.objectives.losses.smooth import Squared
from greedyhull.points.coordinate_iterate import Position
from greedyhull.points.shapes import BasisBlock
from greedyhull.solvers.gradients.base import CompiledEstimate, Estimate
from greedyhull.solvers.parts.compiled_loop import LOSSES, CompiledLoop
from greedyhull.solvers.parts.gap_evaluation import Looking
from greedyhull.solvers.parts.schedules import zero
from greedyhull.solvers.parts.solver_state import SolverState
from greedyhull.types import Array, AtomSet, Index, Objective, Supply

if TYPE_CHECKING:
    from greedyhull.solvers.stochastic_frank_wolfe import StochasticFrankWolfe
    from greedyhull.solvers.stochastic_jones import VarianceReducedJones


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
FIRST = 50  # a run of fewer steps is over before a kernel is loaded
TERMS = 1 << 16  # so many are drawn at once, at most


class Loops(NamedTuple):
    """The kernels that make the steps; those of Jones know squares and coordinate atoms only."""

    differences: Callable[..., None]
    tables: Callable[..., None]
    by_values: bool


LINEAR, JONES = Loops(difference_steps, table_steps, False), Loops(jones_difference_steps, jones_table_steps, True)


def compiled_stochastic(solver: StochasticFrankWolfe | VarianceReducedJones, f: Objective, S: AtomSet, source: Supply,
                        estimate: Estimate, look: Looking, x: Position, loops: Loops = LINEAR) -> CompiledStochastic | None:
    """The steps of a solve in the core; None where no kernel can make them, or the look must see every one."""
    if type(f) is not Composite or type(f.design) not in (DenseDesign, SparseDesign):
        return None
    known = getattr(f.loss, "core", None)  # a user's loss may have any class
    if known is None or known[0] in ("negative_log", "power") or type(S) not in SETS or len(S.shape) != 1:
        return None
    if type(S) is Vertices and not S.dense_atoms:
        return None
    if loops.by_values and not (type(f.loss) is Squared and type(S) in (L1Ball, Simplex)):
        return None
    if not all(type(part).__module__.startswith("greedyhull.") for part in (estimate, solver.estimator)):
        return None  # a class derived from the library's may compute something else
    if not isinstance(estimate, CompiledEstimate) or solver.tolerance != zero or type(look).seen is not Looking.seen:
        return None
    return CompiledStochastic(f, S, solver, source, estimate, look, x, loops)


class CompiledStochastic(CompiledLoop):
    """Steps until a look is due, or one is unlike the others; nothing is made for the kernels before they are called."""

    def __init__(self, f: Composite, S: AtomSet, solver: Any, source: Supply, estimate: CompiledEstimate, look: Looking,
                 x: Position, loops: Loops) -> None:
        super().__init__(f, S, None)
        self.step, self.source, self.estimate = solver.step, source, estimate
        self.look, self.x, self.loops = look, x, loops

    @cached_property
    def terms(self) -> tuple[Any, ...]:
        """Rows; targets, n times the weights of the terms and whether these differ, the loss."""
        loss: Any = self.f.loss
        weighted = not isinstance(loss.p, float)
        shares = np.asarray(loss.p * self.f.n, dtype=np.float64) if weighted else np.ones(1)
        return (*(self.f.design.core or ()), (np.asarray(loss.y, dtype=np.float64), shares, int(weighted),
                                             LOSSES[loss.core[0]], np.array(loss.core[1], dtype=np.float64)))

    @cached_property
    def set(self) -> tuple[int, Array, Array, Array]:
        return SETS[type(self.S)](self.S)

    def advance(self, w: Any, memory: SolverState) -> bool:
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
            self._make(range(k, k + len(sizes)), sizes, w, self.x.array)
            k += len(sizes)
        self.look.oracle.calls += 0 if self.loops.by_values else k - first  # values of all atoms need no oracle
        memory.k = max(first, k - 1)
        return k > first

    def _sizes(self, k: int, due: Callable[[int, int], bool]) -> Index:
        """The batches of the next steps, as many as can be made at once."""
        estimate, kept, n, batch = self.estimate, self.estimate.arrays, self.source.terms, self.estimate.config.batch
        begin, length = kept.get("epoch", (k, TERMS))
        b = estimate.size(k) if all(name in kept for name in estimate.keeps) else n
        count = min(max(1, TERMS // (b * len(estimate.draws))), int(begin + length) - k)
        constant = batch is not None and not callable(batch)
        sizes = np.full(count, b) if constant else np.array([estimate.size(j) for j in range(k, k + count)])
        unlike = np.flatnonzero(estimate.asks * sizes >= n)
        sizes = sizes[: unlike[0]] if len(unlike) else sizes
        spends = self.source.spent + estimate.asks * np.cumsum(sizes)
        enough = bisect_left(range(len(sizes)), True, key=lambda j: due(k + j + 1, int(spends[j])))
        return np.asarray(sizes[: enough + 1])

    def _make(self, steps: range, sizes: Index, w: Any, x: Array) -> None:
        estimate, source = self.estimate, self.source
        index = source.sampler.successive(sizes, estimate.draws)
        eta = np.array([self.step.at(k - 1) for k in steps], dtype=np.float64)
        weights, none = _Weights(w, self.set[2]) if w.keeps_atoms else None, np.zeros(0, dtype=np.int64)
        kept = (np.zeros(0), none, none, none) if weights is None else weights.arrays
        batches = index, len(estimate.draws) * np.cumsum(sizes), eta
        estimate.steps(self.loops, steps, (*self.terms, batches), (*self.set, x, *kept))
        if weights is None:
            w.x[:] = x
        else:
            weights.write()
        spent = estimate.asks * int(sizes.sum())
        source.spent += spent
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
        self.arrays = self.alpha, self.atoms, self.place, self.used

    def write(self) -> None:
        block, m, d = self.w.block, int(self.used[0]), len(self.scale)
        index = self.atoms[len(block) : m] % d
        scales = np.where(self.atoms[len(block) : m] < d, self.scale[index], -self.scale[index])
        self.w.assign(BasisBlock(block.size, np.concatenate([block.index, index]), np.concatenate([block.scale, scales])),
                      self.alpha[:m])
