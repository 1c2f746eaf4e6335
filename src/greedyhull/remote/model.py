"""Losses of linear models over shards."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, Self
from uuid import uuid4

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.objectives.expansion import ByExpansion
from greedyhull.objectives.losses.base import Separable
from greedyhull.objectives.minibatches import Batch
from greedyhull.objectives.restricted import MANY_ROWS
from greedyhull.objectives.ridge import Ridge
from greedyhull.points.iterate import Iterate, inner_products
from greedyhull.points.views import NOTHING, Along, Expansion
from greedyhull.remote.executors import CommunicationRounds, Serial
from greedyhull.remote.intercepts import Ask, InterceptModel, Settled, SlopeCorrection, corrected, intercept_model, settled
from greedyhull.remote.rows import Kind, Part
from greedyhull.remote.summary import FirstPass, Summary, allowance, summary_of, uncertain
from greedyhull.remote.tasks import AllRows, Bend, Curved, Expand, GramSquares, Swing, fetched
from greedyhull.remote.worker import Packed
from greedyhull.theory import Constant
from greedyhull.types import Array, AtomSet, Block, Crew, Index, Minibatch, Objective, Shape, Shards, Sums, Traits

EPS = float(np.finfo(np.float64).eps)


class ShardedModel(ByExpansion):
    """φ(Aw) + (l2/2)‖w‖² over shards, computed by an executor; `on` passes it to another one.

    A first pass summarises the data when something about them is first needed. ``marks`` show whether a shard has changed
    since.
    """

    def __init__(self, shards: Shards, kind: Kind, intercept: bool = False, l2: float = 0.0, crew: Crew | None = None) -> None:
        self._kind, self.has_intercept, self.l2 = kind, intercept, l2  # public attributes count as settings
        self.name, self.numbers = kind.name, kind.numbers
        self.domain: Shape = (int(shards.d),)
        self.marks = [shards.mark(k) for k in range(shards.count)]
        self._shards: Any = Packed(shards, self.marks)
        self._token = uuid4().hex
        self._rounds = CommunicationRounds(Serial() if crew is None else crew)
        loss = kind.on(np.zeros(1), 1.0)
        self.traits = Traits(terms="finite", smooth=loss.smooth, quadratic=loss.quadratic, intercept=intercept,
                             remote=True, second_order=loss.twice_differentiable)
        self._summary: Summary | None = None
        self._ridge = Ridge(l2, self.domain) if l2 else None
        self._reach: tuple[AtomSet, float, object] | None = None
        self._scale: float | None = None
        self._last: tuple[Array, Expansion] | None = None

    def __repr__(self) -> str:
        shards = f"{self._shards.count} shard{'' if self._shards.count == 1 else 's'}"
        intercept, ridge = ", intercept=True" if self.has_intercept else "", f", l2={self.l2!r}" if self.l2 else ""
        return f"{self.kind.name}({shards}, d={self.domain[0]}{intercept}{ridge})"

    def on(self, crew: Crew) -> Self:
        """Return the same objective, computed by an executor such as ``processes(n)`` or ``cluster(...)``.

        Parameters
        ----------
        crew : Crew
            The executor.

        Returns
        -------
        ShardedModel
            The objective; it keeps the summary of the data.
        """
        other = copy(self)
        other._rounds, other._last = CommunicationRounds(crew), None
        return other

    @property
    def crew(self) -> Crew:
        """The executor."""
        return self._rounds.crew

    @property
    def kind(self) -> Kind:
        """Which loss."""
        return self._kind

    def shard_marks(self) -> dict[str, str]:
        """Return the mark of each shard, by its name."""
        return {self._shards.name(k): mark for k, mark in enumerate(self.marks)}

    @property
    def trips(self) -> int:
        """The number of communication rounds so far."""
        return self._rounds.count

    @property
    def summary(self) -> Summary:
        """The result of the first pass, which is made when it is first needed."""
        if self._summary is None:
            first = FirstPass(Part(self._shards, self._token, self.kind, 1.0))
            sums = self._rounds.sums(first, np.ones(self._shards.count), 3 * self.domain[0])
            self._summary = summary_of(sums, self._shards, self.kind, self.has_intercept)
            self._shards.expect(sums["prints"])
        return self._summary

    def each(self, task: Any, size: int) -> list[Sums]:
        """Return the results of a task, about ``size`` numbers per shard, by shard or by partition."""
        return self._rounds.each(task, self.summary.rows, size)

    def reduced(self) -> tuple[Objective, str]:
        """Return what a solver works on, and why: for squares with few columns a quadratic, else the objective itself."""
        if not self.traits.quadratic or self.domain[0] > 3000:  # XᵀX of more columns costs more than the rounds it saves
            return self, ""
        return GramSquares(self), (f"{self!r} has {self.domain[0]} columns: one pass over the shards made XᵀX and Xᵀy, the "
                                   "solver worked on these, and the certificate was computed over the shards.")

    @property
    def part(self) -> Part:
        """How a shard becomes a design and a loss."""
        summary = self.summary
        return Part(self._shards, self._token, self.kind, summary.total, summary.zero_one)

    def expansion(self, x: Array, block: Block | None, *, points: Along | None = None, near: Array | None = None,
                  here: bool = False, sample: int = 1) -> Expansion:
        """Return f, ∇f, the Hessian on ``block`` and f along a line, in one round, or a few to find an intercept; ``rough``
        is what a better intercept would take from the gap."""
        before = InterceptModel.read(near) if near is not None and len(near) else None
        if block is None and points is None and not here and self._last is not None and np.array_equal(self._last[0], x) and (
                before is None or not self._last[1].rough):
            return self._last[1]  # as for a copy of a point that is known
        summary = self.summary
        if not self.has_intercept:
            at = Settled(self._evaluated(x, 0.0, block, points, sample=sample), 0.0)
        elif self.traits.quadratic or points is not None or (here and before is not None):
            mean = summary.target - float(summary.mean.dot(x))  # of the residuals: for squares the best intercept
            b = mean if self.traits.quadratic or before is None else before.b
            off = 0.0 if before is None else before.off
            slope = self._intercept_slope(points, before)
            at = Settled(self._evaluated(x, b, block, points, off, intercept_slope=slope, sample=sample), b, off)
        else:
            ask = lambda b, off, beside: self._evaluated(x, b, block, None, off, beside, sample=sample)
            farthest = 1.0 + 1.01 * (summary.farthest + float(np.abs(x).dot(summary.largest)))
            first = summary.alone - float(summary.mean.dot(x)) if before is None else before.at(x)
            at = self._settled(ask, first, before, farthest)
        found = self._expansion(x, block, points, at, sample)
        if points is None:
            self._last = (x, found._replace(hessian=None, block=None, sample=1))
        return found

    def _settled(self, ask: Ask, first: float, before: InterceptModel | None, farthest: float) -> Settled:
        return settled(ask, first, self.n, before, farthest)

    def _corrected(self, at: Settled) -> tuple[SlopeCorrection, Array]:
        """Return how slopes are moved so that they sum to zero, and by what Aᵀr then changes, times t."""
        return corrected(at, self.kind.on(np.zeros(1), 1.0)), at.sums["derivative"]

    def _dual(self, at: Settled, correction: SlopeCorrection) -> float:
        return float(at.sums["dual"])

    def _evaluated(self, x: Array, b: float, block: Block | None, points: Along | None, off: float = 0.0,
                   beside: Array | None = None, intercept_slope: float = 0.0, sample: int = 1) -> Sums:
        v, steps = (None, None) if points is None else (points.v, points.steps)
        task = Expand(self.part, x, b, self.has_intercept, block, v, intercept_slope, steps, off, beside, sample)
        size = self.domain[0] * (3 if self.has_intercept else 1) + (0 if block is None else len(block) ** 2) + 16
        return self._rounds.sums(task, self.summary.rows, size)

    def _expansion(self, x: Array, block: Block | None, points: Along | None, at: Settled, sample: int) -> Expansion:
        sums, b, _ = at
        hessian, line, correction, near = self._hessian(sums, block), sums.get("line"), SlopeCorrection(0.0, 0.0, 0.0), NOTHING
        value, gradient, dot = float(sums["value"]), sums["gradient"], float(sums["dot"]) - b * float(sums["residual"])
        if self.has_intercept:
            (correction, derivative), near = self._corrected(at), intercept_model(x, at, self.summary.mean).written()
            gradient = gradient + correction.t * derivative if correction.t else gradient
            dot += correction.t * float(derivative.dot(x)) if correction.t else 0.0
        size = float(sums["size"])
        more = {"square": float(sums["square"]), "steady_square": float(sums.get("steady_square", 0.0)), "size": size, "b": b,
                **correction._asdict()}
        if "sharp" in sums:
            sharp, dual = float(sums["sharp"]), self._dual(at, correction)
            more |= {"sharp": sharp, "dual": dual, "lost": sharp + dual - dot}
        rough = correction.error if correction.error > EPS * self.summary.depth * size else 0.0
        rough = np.inf if abs(correction.left) > EPS * size else rough
        if self.l2:
            lx = self.l2 * x
            norm = float(lx.dot(x))
            value, gradient, dot = value + 0.5 * norm, gradient + lx, dot + norm
            if line is not None and points is not None:
                lv, steps = self.l2 * points.v, points.steps
                first, second = float(lx.dot(points.v)), float(lv.dot(points.v))
                line = line + np.stack([0.5 * norm + steps * first + 0.5 * steps**2 * second, first + steps * second,
                                        np.full(len(steps), second)], axis=1)
        return Expansion(value, gradient, dot, more, hessian, block, line, near, rough, sample)

    def _hessian(self, sums: Sums, block: Block | None) -> Array | None:
        """Return the Hessian on the atoms of ``block``, that of the best intercept where there is one."""
        if block is None:
            return None
        hessian = sums["hessian"]
        if self.has_intercept:
            hessian = hessian - np.outer(sums["across"], sums["across"]) / max(float(sums["bent"]), 1e-30)
        return hessian + self.l2 * inner_products(block, block, self.domain) if self.l2 else hessian

    def with_hessian(self, known: Expansion, x: Array, block: Block, sample: int) -> Expansion:
        """Add the Hessian alone, in one round."""
        task = Curved(self.part, x, known.more["b"], self.has_intercept, block, sample)
        sums = self._rounds.sums(task, self.summary.rows, len(block) ** 2 + len(block) + 1)
        return known._replace(hessian=self._hessian(sums, block), block=block, sample=sample)

    def sampled(self, sample: int, atoms: int) -> int:
        # times as many rows as atoms must be left in a sample: with 30, sparse rows took half as many rounds again
        return sample if self.n > max(MANY_ROWS, sample * 100 * atoms) else 1

    def remembered(self, found: Expansion) -> Array:
        """Return the intercept, and where it goes from here; see `intercepts`."""
        return found.near

    def _intercept_slope(self, points: Along | None, before: InterceptModel | None) -> float:
        """Return the intercept's slope along a line: by the means of rows, exact for squares, else by its derivative."""
        if points is None or not self.has_intercept:
            return 0.0
        derivative = self.summary.mean if self.traits.quadratic or before is None else before.derivative
        return -float(derivative.dot(points.v))

    def bend(self, x: Array, v: Array, end: float, near: Array) -> float:
        """Return Σ pᵢ sup ℓ''·(xᵢ·v)² along the line, and that of the ridge."""
        before = InterceptModel.read(near) if len(near) else None
        b, slope = 0.0 if before is None else before.b, self._intercept_slope(Along(v, NOTHING), before)
        task = Bend(self.part, x, b, v, slope, end)
        return float(self._rounds.sums(task, self.summary.rows, 1)["bend"]) + float((self.l2 * v).dot(v))

    def intercept(self, w: Iterate) -> float:
        """Return the intercept that belongs to w; 0 where the objective has none."""
        return self.known(w).more["b"]

    @property
    def scale(self) -> float:  # type: ignore[override]
        """The loss of predicting zero, or the best constant where there is an intercept."""
        if self._scale is None:
            self._scale = abs(self.summary.zero)
            if self.has_intercept:
                bare = float(self.expansion(np.zeros(self.domain), None).value)
                self._scale = abs(bare) if np.isfinite(bare) else 0.0
        return self._scale

    @property
    def n(self) -> int:
        """The number of rows."""
        return self.summary.n

    def batch(self, index: Index) -> Minibatch:
        """Return some of the rows, fetched in one round; the mean over all batches is f."""
        check(not self.has_intercept or self.traits.quadratic, f"A minibatch of {self!r} would fit an intercept of its own, "
              "and its gradient is not an unbiased one of f. Leave the intercept out, or add a constant column.")
        rows, loss = fetched(self._rounds, self.part, self.summary, index)
        return self._batch(rows, loss, index)

    def _batch(self, rows: Any, loss: Separable, index: Index) -> Batch:
        centre = None
        if self.has_intercept:
            loss.y, centre = loss.y - self.summary.target, self.summary.mean
        return Batch(rows, loss, index, centre, self.l2)

    def singles(self, index: Index) -> list[Minibatch]:
        """Return each of these rows as a batch, all fetched in one round."""
        rows, loss = fetched(self._rounds, self.part, self.summary, index)
        y, p = np.asarray(loss.y), len(index) * np.asarray(loss.p)
        ones = [slice(i, i + 1) for i in range(len(index))]
        return [self._batch(rows[one], self.part.kind.on(y[one].copy(), p[one]), index[one]) for one in ones]

    def everything(self) -> Minibatch:
        """Return all rows as one batch, which takes a round per call."""
        return AllRows(self)

    def reach(self, S: AtomSet) -> float:
        """Return max over the atoms of Σⱼ |dⱼ|‖Xⱼ‖₂, which ‖Xu‖₂ does not exceed at any point u of the hull."""
        kept = self._reach
        if kept is None or kept[0] is not S or kept[2] != S.seen:
            kept = self._reach = (S, float(S.max_abs(self.summary.norms.copy())), S.seen)
        return kept[1]

    def _swing(self, x: Array, b: float, size: float, off: float) -> float:
        """Bound what an error of z of this length adds beyond first order; losses whose slopes are needed take a round."""
        if self.kind.loss.swing is not Separable.swing or self.kind.loss.curvature_bound < np.inf:
            return float(self.kind.on(np.zeros(1), self.summary.heaviest).swing(size, np.zeros(1), off))
        return float(self._rounds.sums(Swing(self.part, x, b, off), self.summary.rows, 1)["swing"])

    def rounding(self, w: Iterate, S: AtomSet) -> float:
        """Bound the rounding of value − lower bound; see `greedyhull.remote.summary`."""
        return self._allowance(self.known(w), w, S)

    def _allowance(self, found: Expansion, w: Iterate, S: AtomSet) -> float:
        view = self.at(w)
        terms = float(np.count_nonzero(view.x) + len(w) + 3 * view.moves)
        reach = self.reach(S)
        off = EPS * (16.0 + terms) * (reach + abs(found.more["b"]) * self.summary.n**0.5)
        bare = allowance(self.summary, found, reach, terms, self._swing(view.x, found.more["b"], found.more["size"], off))
        if self.has_intercept:
            bare += self._uncertain(found, S)
        return bare if self._ridge is None else 1.125 * (bare + self._ridge.rounding(w, S))

    def _uncertain(self, found: Expansion, S: AtomSet) -> float:
        return uncertain(self.summary, found, float(S.max_abs(self.summary.largest.copy())))

    def curvature(self, S: AtomSet) -> Constant:
        """Return M ≤ β·(2·max‖Au‖_p)² + l2·D², where β bounds ℓ''."""
        beta = float(np.max(self.kind.on(np.zeros(1), 1.0).beta(np.full(1, -np.inf), np.full(1, np.inf))))
        reach = self.reach(S)
        loss = beta * self.summary.heaviest * 4.0 * reach * reach * (1.0 + 1e-9) if reach > 0.0 else 0.0
        return Constant(loss + (self.l2 * S.diameter**2 if self.l2 else 0.0), "upper bound", "M")

    def precise(self) -> ShardedModel:
        """Return itself: products are made in float64, whatever the shards are in."""
        return self


def over(function: Callable[..., Any], shards: Shards, named: dict[str, Any]) -> Any:
    """Return the objective of a loss over shards; its other arguments are checked as they are for arrays."""
    check(shards.count >= 1, "There are no shards; at least one is wanted.")
    check(shards.d >= 1, lambda: f"The shards have {shards.d} columns; at least one is wanted.")
    sample = function(np.ones((2, 1)), np.array([0.0, 1.0]), **named)  # which checks the other arguments
    loss: Any = sample.exact.loss if sample.has_intercept else sample.exact
    if not isinstance(loss, Separable):
        raise GreedyhullError(f"{sample!r} is not a sum over rows, as shards need.")
    kind = Kind(type(loss), sample.name, tuple(vars(loss)[name] for name in loss.parameters), loss.targets)
    if loss.smooth:
        return ShardedModel(shards, kind, sample.has_intercept, sample.l2)
    from greedyhull.remote.kinked import KinkedShards

    return KinkedShards(shards, kind, sample.has_intercept, sample.l2)
