"""The point of a hull nearest to a given one, from the set's oracle alone: membership and mixtures, decided by proof.

Wolfe's method: keep few atoms, ask the oracle for the one that leads closest to x, let it join, and go to the point of the
hull of those kept that is nearest; atoms whose weight is used up leave. Lengths are relative to ``size``, so that squares
neither overflow nor vanish.
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple

import numpy as np

from greedyhull.points.entering import as_answer
from greedyhull.points.iterate import Iterate
from greedyhull.points.lengths import length
from greedyhull.points.owners import Joint
from greedyhull.points.shapes import Dense, dense
from greedyhull.types import Array, Atom, AtomSet, Kind, Shape

EPS = float(np.finfo(np.float64).eps)
STEPS = 2000  # questions that the oracle is asked
STALLED = 10  # so many steps in a row that bring nothing end the search
RIDGE, TINY = 1e-14, 1e-280  # of the trace, and where that is zero: differences of atoms may depend on each other
ALWAYS: Kind = "always"


class Nearest(NamedTuple):
    """A point of the hull, its distance from x, and what the distance of every point is at least, 0 where that is not known to
    be far; ``kind`` of that bound."""

    point: Iterate
    distance: float
    lower: float
    kind: Kind


def nearest_point(S: AtomSet, x: Array, size: float, near: float, far: float) -> Nearest:
    """The search ends once a point is within ``near`` of x, or none is within ``far``; both are shares of ``size``.

    For any g every point v of the hull has ⟨g, v⟩ ≥ ⟨g, d⟩ − slack, d the oracle's answer, and so ‖v − x‖‖g‖ is at least
    ⟨g, d − x⟩ − slack: a proof, up to the rounding of these products, which is subtracted.

    >>> import greedyhull as gh
    >>> S = gh.Vertices([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])
    >>> found = nearest_point(S, np.array([2.0, 2.0]), 1.0, 1e-9, np.inf)
    >>> found.point.array().round(9), round(found.distance**2, 9)
    (array([1., 1.]), 2.0)
    """
    oracle = S.oracle(np.random.default_rng(0))
    kept = ArrayState(S.atom(-x if x.any() else np.ones(S.shape)), S.shape, size)
    distance, stalled = np.inf, 0
    lower, known = 0.0, ALWAYS
    here = x / size
    near = max(near, 2.0 * EPS * length(here))  # what rounding can reach
    for _ in range(STEPS):
        g = kept.array() / size - here
        before, distance = distance, length(g)
        stalled = 0 if distance < (1.0 - 1e-9) * before else stalled + 1
        if distance <= near or stalled > STALLED:
            break
        answer = as_answer(oracle.argmin(g), S.shape)
        d = answer.atom
        S.saw(d)
        ahead = d.dot(g) / size - float(np.vdot(g, here))
        bound = (ahead - answer.slack / size) / distance
        if bound > far and (bound := bound - _rounding(S, g, here, size) / distance) > far:
            lower, known = bound, answer.kind
            break
        kept.step(d, g)
    return Nearest(kept.point(), distance, lower, known)


def _rounding(S: AtomSet, g: Array, here: Array, size: float) -> float:
    """What ⟨g, d/size − here⟩ may be off by, d an atom."""
    sizes = np.abs(g)
    return EPS * (g.size + 16.0) * (S.max_abs(sizes) / size + float(np.vdot(sizes, np.abs(here))))


def _single(d: Atom, shape: Shape) -> Atom:
    """d as an atom that stands for itself: a vertex of a product as an array."""
    return Dense(dense(d, shape)) if isinstance(d, Joint) else d


class ArrayState:
    """The atoms that are kept and their weights; ``gram`` holds the products of their differences from the first one."""

    def __init__(self, first: Atom, shape: Shape, size: float) -> None:
        single = _single(first, shape)
        self.shape, self.size = shape, size
        self.joints = {single.key: first} if isinstance(first, Joint) else {}
        self.block, self.weights = single.block(prod(shape)), np.ones(1)
        self.first, self.gram = dense(first, shape), np.zeros((1, 1))

    def array(self) -> Array:
        """Σ αᵢ dᵢ."""
        u = np.zeros(self.shape)
        self.block.add_to(u, self.weights)
        return u

    def point(self) -> Iterate:
        """The same as an iterate; over a product, with the parts of the vertices as atoms."""
        if not self.joints:
            return Iterate(self.block, self.weights, self.shape).merged()
        first, *others = (self.joints[key].block(prod(self.shape)) for key in self.block.keys)
        for block in others:
            first = first.extend(block)
        return Iterate(first, np.repeat(self.weights, len(first) // len(self.weights)), self.shape).merged()

    def step(self, d: Atom, g: Array) -> None:
        """As far toward d as that brings the point nearer; then, where weights promise more than d did, to the nearest point
        on the face of all that have weight."""
        place = self._join(d)
        grad = self.block.dots(g) / self.size
        change = -self.weights
        change[place] += 1.0
        fall, bend = -float(grad @ change), float(change @ self.gram @ change)
        if fall > 0.0 and bend > 0.0:
            self._go(change, min(1.0, fall / bend), grad)
        while self._spread(grad) > max(fall, 0.0) and self._settle(grad):
            pass
        held = np.flatnonzero(self.weights > 0.0)
        self.block, self.gram = self.block.take(held), self.gram[np.ix_(held, held)]
        self.weights = self.weights[held] / self.weights.sum()

    def _join(self, d: Atom) -> int:
        """The place of d; a new one joins without weight."""
        if isinstance(d, Joint):
            vertex, d = d, _single(d, self.shape)
            self.joints[d.key] = vertex
        key, keys = self.block.key_of(d), list(self.block.keys)
        if key in keys:
            return keys.index(key)
        apart = (dense(d, self.shape) - self.first) / self.size
        row = (self.block.dots(apart) - float(np.vdot(self.first, apart))) / self.size
        self.gram = np.block([[self.gram, row[:, None]], [row[None, :], np.full((1, 1), float(np.vdot(apart, apart)))]])
        self.block, self.weights = self.block.append(d), np.append(self.weights, 0.0)
        return len(keys)

    def _go(self, change: Array, step: float, grad: Array) -> None:
        """α ← α + step·change; ``grad`` follows."""
        after = np.maximum(self.weights + step * change, 0.0)
        grad += self.gram @ (after - self.weights)
        self.weights = after

    def _spread(self, grad: Array) -> float:
        """How much could be gained at first by handing weight from one atom that has some to another."""
        scores = grad[self.weights > 0.0]
        return float(scores.max() - scores.min())

    def _settle(self, grad: Array) -> bool:
        """Toward the nearest point of the plane through the atoms that have weight; whether the boundary stopped it."""
        face = np.flatnonzero(self.weights > 0.0)
        pivot = face[int(self.weights[face].argmax())]
        free = face[face != pivot]
        G = self.gram
        H = G[np.ix_(free, free)] - G[free, pivot][:, None] - G[pivot, free] + G[pivot, pivot]
        H.flat[:: len(free) + 1] += RIDGE * float(np.trace(H)) + TINY
        try:
            solved = np.linalg.solve(H, grad[pivot] - grad[free])
        except np.linalg.LinAlgError:
            return False
        if not np.isfinite(solved).all():
            return False
        change = np.zeros(len(self.weights))
        change[free], change[pivot] = solved, -float(solved.sum())
        falling = np.flatnonzero(change < 0.0)
        room = self.weights[falling] / -change[falling]
        step = min(1.0, float(room.min(initial=np.inf)))
        self._go(change, step, grad)
        if step < 1.0:
            self.weights[falling[room <= step]] = 0.0
        return step < 1.0
