"""Which directions a corrective round in coordinates solves for, with f as a function of them."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from greedyhull.atoms.geometry.rows_region import RowsRegion
from greedyhull.objectives.restricted import ImageTrial
from greedyhull.objectives.ridged import Ridged
from greedyhull.objectives.ridged_small import RidgedTrial
from greedyhull.objectives.trial import LineTrial
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.frames import Span, Units
from greedyhull.points.shapes import Dense
from greedyhull.points.states import under
from greedyhull.solvers.parts.corrective_numbers import CROWDED
from greedyhull.types import Array, Frame, Index, Region, SecondOrder, Small, State, Trial
from greedyhull.types.kinds import imaged, linear_model

MOST = 2000  # coordinates that are solved for together: their Hessian is kept, and factorised
FEW = 200  # coordinates of a ball that are solved for together whatever f is
SPANNED = 300  # directions of a span, at most
ENTRIES = 2e7  # and numbers that they may take together


def directions_of(f: SecondOrder, region: Region) -> Directions:
    """Coordinates, or a span."""
    if region.middle is not None and spans(f, region):
        return Gradients(f, region.middle)
    return Coordinates(f, region)


def spans(f: SecondOrder, region: Region) -> bool:
    """Whether the region allows a span, and there are too many coordinates, or more of them than rows."""
    model, d = imaged(f), int(np.prod(f.domain))
    rank = d if model is None else min(model.design.n, d)
    return region.middle is not None and d > FEW and (d > MOST or rank < d or model is None)


def spanned(d: int) -> int:
    """How many directions of d numbers a span may have."""
    return int(min(SPANNED, max(ENTRIES / d, 20)))


class Directions(ABC):
    """A frame, and f along it."""

    frame: Frame
    small: Small

    def __init__(self, f: SecondOrder) -> None:
        self.f = f

    def hold(self, frame: Frame) -> None:
        """Solve along these directions, and no others."""
        self.frame, self.small = frame, self.f.restricted(frame.block)

    @abstractmethod
    def choose(self, w: CoordinateIterate, g: Array) -> bool:
        """Let directions join that can lower f, whose gradient is g; whether there were more than can be solved for."""

    @abstractmethod
    def state(self) -> State:
        """The frame, and what is kept of f along it."""

    @abstractmethod
    def restore(self, state: State) -> None:
        """Go on from ``state``."""

    def trial(self, w: CoordinateIterate, y: Array, target: Array) -> Trial:
        """The steps from coordinates y to ``target``; where f sees images, that of the target is computed afresh."""
        f, there = imaged(self.f), w.array()
        self.frame.write(there.reshape(-1), target)
        if f is None:
            return LineTrial(self.f, w, w.toward(Dense(there)))
        move, view, model = w.reweighting(self.small.block, y, target - y), f.at(w), linear_model(f)
        view.lead(move, Dense(there).image(f.design))
        eps = float(np.finfo(view.z.dtype).eps)
        if model is None or f.traits.quadratic:
            return LineTrial(f, w, move, eps)
        if isinstance(f, Ridged):
            f.ridge.at(w).lead(move, there.ravel())
            return RidgedTrial(f, w, ImageTrial(f.bare, w, move, eps), f.ridge)
        return ImageTrial(model, w, move, eps)

    def _small(self) -> State:
        return {f"small.{name}": array for name, array in self.small.state().items()}


class Coordinates(Directions):
    """The unit vectors of the coordinates in which f can fall."""

    frame: Units

    def __init__(self, f: SecondOrder, region: Region) -> None:
        super().__init__(f)
        self.region, self.d = region, int(np.prod(f.domain))
        self.hold(Units(self.d, np.zeros(0, dtype=np.intp)))

    @property
    def index(self) -> Index:
        return self.frame.index

    def choose(self, w: CoordinateIterate, g: Array) -> bool:
        """Let all coordinates join that can lower f at once; whether there were more than can be solved for together.

        If so, those that have the largest shares of the gap are taken.
        """
        x = w.x.ravel()
        wanted = self.region.free(g, x)
        many = len(wanted) > MOST and not isinstance(self.region, RowsRegion)  # there all are solved for, by products
        if many:
            shares = self.region.shares(g, x)[wanted]
            wanted = np.sort(wanted[np.argsort(-shares, kind="stable")[:MOST]])
        if not len(self.index):
            self.hold(Units(self.d, wanted))
            return many
        if len(self.index) > CROWDED * len(wanted):
            keep = np.isin(self.index, wanted).nonzero()[0]
            self.small.take(keep)
            self.frame = Units(self.d, self.index[keep])
        new = np.setdiff1d(wanted, self.index)
        if len(self.index) + len(new) > max(MOST, len(wanted)):
            self.hold(Units(self.d, wanted))
        elif len(new):
            self.small.extend(Units(self.d, new).block, w)
            self.frame = Units(self.d, np.concatenate([self.index, new]))
        return many

    def state(self) -> State:
        return {**self._small(), "index": self.index}

    def restore(self, state: State) -> None:
        self.hold(Units(self.d, state["index"].astype(np.intp)))
        self.small.restore(under("small", state))


class Gradients(Directions):
    """The span of the gradients seen so far and of w − middle: it contains the segment from w to the best atom of a ball."""

    frame: Span

    def __init__(self, f: SecondOrder, middle: Array) -> None:
        super().__init__(f)
        self.middle = middle
        self.most = spanned(len(middle))
        self.hold(Span(np.zeros((0, len(middle)))))

    def choose(self, w: CoordinateIterate, g: Array) -> bool:
        """Let g join; a span that is full begins anew with w and the directions that joined last."""
        arm = w.x.ravel() - self.middle
        if len(self.frame) >= self.most:
            span = Span(np.zeros((0, len(arm)))).beside(arm)
            for row in self.frame.rows[-(self.most // 3):]:
                span = span.beside(row)
            self.hold(span.beside(g))
            return False
        known = len(self.frame)
        span = (self.frame if known else self.frame.beside(arm)).beside(g)
        if not known:
            self.hold(span)
        elif len(span) > known:
            self.small.extend(Span(span.rows[known:]).block, w)
            self.frame = span
        return False

    def state(self) -> State:
        return {**self._small(), "rows": self.frame.rows}

    def restore(self, state: State) -> None:
        self.hold(Span(state["rows"]))
        self.small.restore(under("small", state))
