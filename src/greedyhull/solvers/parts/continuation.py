"""Smoothing that is taken back step by step: where the smooth solver stands, how smooth f is there, where that leads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from greedyhull.objectives.composite import Composite
from greedyhull.objectives.smoothing import distance, finest, smoothing
from greedyhull.points.coordinate_iterate import CoordinateIterate, restored
from greedyhull.points.iterate import Iterate
from greedyhull.points.owners import normalised, owners_of
from greedyhull.points.shapes import Dense
from greedyhull.types import Array, Region, State

if TYPE_CHECKING:
    from greedyhull.objectives.sharded.kinked import KinkedShards

SHARPER = 0.2  # by which μ is multiplied
LEAST = 1e-280  # the curvature of f_μ is 1/μ, which is to be finite, and so are its products


class Continuation:
    """``u`` minimises f_μ, μ = ``soft.mu``.

    The minimiser of f_μ moves with μ on a path that is straight as long as no sample comes to its kink or leaves it. So
    the last two of them say where it ends at μ = 0: if no more samples do, that is a minimiser of f, exactly.
    """

    def __init__(self, f: Composite | KinkedShards, w: Iterate, mu: float) -> None:
        self.f, self.u, self.soft = f, w.copy(), smoothing(f, mu)
        self.before: Iterate | None = None  # the minimiser of f_μ for the μ before
        f.at(self.u)

    def can_sharpen(self) -> bool:
        """Whether the kinks can still be told from rounding."""
        return bool(SHARPER * self.soft.mu > max(finest(self.f, self.u), LEAST))

    def sharpen(self) -> None:
        """u minimises f_μ well enough: go on with a smaller μ."""
        self.before = self.u.copy()
        self.soft.sharpen(SHARPER * self.soft.mu, self.u)

    def end(self, region: Region | None = None) -> Iterate | None:
        """The best point for f between u and where the path seems to end; None if nothing is known of the path.

        ``region`` is that of the set: the path of a point without atoms is followed only where it has one.
        """
        u, before = self.u, self.before
        if before is None:
            return None
        if not u.keeps_atoms:
            return None if region is None else self._end_in_region(u, before, region)
        known = set(u.block.keys)  # with several owners, theirs too
        gone = np.array([i for i, key in enumerate(before.block.keys) if key not in known], dtype=np.intp)
        block = u.block.take(np.arange(len(u)))
        block = block.extend(before.block.take(gone)) if len(gone) else block
        places = {key: i for i, key in enumerate(block.keys)}
        here, there = np.concatenate([u.weights, np.zeros(len(gone))]), np.zeros(len(u) + len(gone))
        there[[places[key] for key in before.block.keys]] = before.weights
        ahead: Array = np.maximum(here + SHARPER / (1.0 - SHARPER) * (here - there), 0.0)
        point = u.copy()
        move = point.reweighting(block, here, normalised(ahead, owners_of(block)) - here)
        point.move(move, self.f.along(point, move).argmin())
        point.refresh()  # computed from its atoms, it need not be at the end of the run
        return point

    def _end_in_region(self, u: Iterate, before: Iterate, region: Region) -> Iterate:
        x, point = u.array(), u.copy()
        ahead = region.nearest((x + SHARPER / (1.0 - SHARPER) * (x - before.array())).ravel())
        move = point.toward(Dense(ahead.reshape(x.shape)))
        point.move(move, self.f.along(point, move).argmin())
        return CoordinateIterate(region.nearest(point.array().ravel()).reshape(x.shape))

    def state(self) -> State:
        before = {} if self.before is None else self.before.state()
        parts = {"soft": self.soft.state(), "u": self.u.state(), "before": before}
        return {f"{part}.{name}": array for part, state in parts.items() for name, array in state.items()}

    def restore(self, state: State) -> None:
        parts: dict[str, State] = {"soft": {}, "u": {}, "before": {}}
        for key, array in state.items():
            part, name = key.split(".", 1)
            parts[part][name] = array
        self.soft.restore(parts["soft"])
        self.u = restored(parts["u"])
        self.before = restored(parts["before"]) if parts["before"] else None
        self.f.at(self.u)


def first_mu(f: Composite | KinkedShards, w: Iterate) -> float:
    """The mean distance from the targets: with that μ most samples are on the round part of their loss."""
    return max(distance(f, w) or 1.0, LEAST)
