"""The joint choice for a minibatch, and for a model of f."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from greedyhull.atoms.geometry import rows
from greedyhull.objectives.black_box import BlackBox
from greedyhull.objectives.minibatches import Batch
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.direction import Direction
from greedyhull.points.gradients import as_array
from greedyhull.points.shapes import BasisBlock
from greedyhull.solvers.parts.joint import Choice, decreases, energies_of, search, search_at
from greedyhull.solvers.parts.joint import searched as minibatch_searched
from greedyhull.types import (
    Array,
    Atom,
    AtomSet,
    Block,
    Finite,
    LinearModel,
    Minibatch,
    Objective,
    Oracle,
    linear_model,
    listed,
)


class Chosen(NamedTuple):
    """An atom, and how far to go toward it."""

    atom: Atom
    step: float


class MinibatchChoice:
    """min f̃(x + η(d − x)) over the atoms d of S: in closed form for quadratics over listed atoms, by branch and bound for
    other f̃ over them. Where atoms cannot be listed, d is the oracle's atom for ∇f̃(x), an (M/2)-Jones choice (Theorem 4).
    """

    def __init__(self, S: AtomSet, oracle: Oracle) -> None:
        self.S, self.oracle, self.atoms = S, oracle, listed(S)
        self._known: tuple[LinearModel, Array] | None = None
        self._coordinates: Block | None = None
        if self.atoms is not None and isinstance(self.atoms.block(np.arange(1)), BasisBlock):
            self._coordinates = self.atoms.block(np.arange(len(self.atoms)))

    def at(self, batch: Minibatch, x: Array, eta: float, epsilon: float) -> Chosen:
        """The atom for the step η, up to ηε in the value of f̃."""
        S, f, w = self.atoms, self._objective(batch), CoordinateIterate(x)
        if S is None:
            return Chosen(self.oracle.argmin(as_array(f.gradient(w)), tol=epsilon).atom, eta)
        model = _quadratic(f)
        if model is not None:
            slopes, bends = self._lines(model, S, w)
            return Chosen(S[int((slopes + 0.5 * eta * bends).argmin())], eta)
        slopes = _slopes(f, S, w)
        move = toward(S[int(slopes.argmin())], 1.0)  # where branch and bound begins: the Frank-Wolfe atom
        first = Choice(move, eta, f.along(w, move).value(eta))
        found = search_at(f, w, slopes, lambda j: toward(S[j], 1.0), eta, first, eta * epsilon)
        return Chosen(found.move.single, eta)

    def jointly(self, batch: Minibatch, x: Array, cap: float, tol: float) -> Chosen:
        """The atom and the step in [0, cap], up to ``tol`` in the value of f̃."""
        S, f, w = self.atoms, self._objective(batch), CoordinateIterate(x)
        if S is None:
            d = self.oracle.argmin(as_array(f.gradient(w)), tol=tol / cap if cap > 0.0 else 0.0).atom
            return Chosen(d, f.along(w, toward(d, cap)).argmin())
        model = _quadratic(f)
        if model is not None:
            slopes, bends = self._lines(model, S, w)
            j = int(decreases(slopes, bends, cap).argmax())
            return Chosen(S[j], f.along(w, toward(S[j], cap)).argmin())
        slopes = _slopes(f, S, w)
        first = minibatch_searched(f, w, toward(S[int(slopes.argmin())], cap))
        found = search(f, w, slopes, np.full(len(slopes), cap), lambda j: toward(S[j], cap), first, tol)
        return Chosen(found.move.single, found.step)

    def _objective(self, batch: Minibatch) -> Objective:
        return batch.objective() if isinstance(batch, Batch) else BlackBox(batch.value, batch.gradient, self.S.shape, None)

    def _lines(self, f: LinearModel, S: Finite, w: CoordinateIterate) -> tuple[Array, Array]:
        """Slope and bend of the parabola toward every atom."""
        return _slopes(f, S, w), self._bends(f, S, w)

    def _bends(self, f: LinearModel, S: Finite, w: CoordinateIterate) -> Array:
        Hw = f.hessian_product(w, f.at(w).z)
        return np.asarray(np.maximum(self._energies(f, S, w) - 2.0 * S.scores(Hw) + w.dot(Hw), 0.0))

    def _energies(self, f: LinearModel, S: Finite, w: CoordinateIterate) -> Array:
        """d_jᵀHd_j of all atoms, computed once for as long as f̃ stays the same: once it is all of f."""
        if self._known is None or self._known[0] is not f:
            self._known = (f, self._computed(f, S, w))
        return self._known[1]

    def _computed(self, f: LinearModel, S: Finite, w: CoordinateIterate) -> Array:
        if self._coordinates is not None:
            return np.asarray(f.hessian_diagonal(w, self._coordinates))
        if f.n >= len(S) or f.has_intercept or f.l2:
            return energies_of(f, S, w)
        Z = np.stack([S.scores(a) for a in rows(f.design)])  # fewer rows than atoms: A_B S, row by row
        return np.asarray(f.curvatures(w) @ (Z * Z))


def _quadratic(f: Objective) -> LinearModel | None:
    """f̃ as a quadratic, if it is one: that is a linear model, for other minibatches are black boxes."""
    return linear_model(f) if f.traits.quadratic else None


def _slopes(f: Objective, S: Finite, w: CoordinateIterate) -> Array:
    return np.asarray(S.scores(as_array(f.gradient(w))) - f.gradient_dot(w), dtype=np.float64)


def toward(d: Atom, cap: float) -> Direction:
    """d − w, to be followed up to ``cap``."""
    v = Direction((d,), (1.0,), 1.0, cap)
    v.single = d
    return v


EPS = float(np.finfo(np.float64).eps)


class ModelChoice(MinibatchChoice):
    """min m(x + η(d − x)) over the atoms d of S: in closed form for quadratics over listed atoms, with tangents that exclude
    most of them for other f_B. Where atoms cannot be listed, d is the oracle's atom for g.
    """

    def tilted(self, batch: Minibatch, g: Array, x: Array, eta: float, epsilon: float) -> Chosen:
        """The atom for the step η, up to ηε in the value of m."""
        S = self.atoms
        if S is None:
            return Chosen(self.oracle.argmin(g, tol=epsilon).atom, eta)
        f, w = self._objective(batch), CoordinateIterate(x)
        slopes = np.asarray(S.scores(g) - float(np.vdot(g, x)), dtype=np.float64)
        model = _quadratic(f)
        if model is not None:
            return Chosen(S[int((slopes + 0.5 * eta * self._bends(model, S, w)).argmin())], eta)
        return Chosen(S[searched(f, S, w, slopes, eta, epsilon)], eta)


def searched(f: Objective, S: Finite, w: CoordinateIterate, slopes: Array, eta: float, epsilon: float) -> int:
    """Which atom has the least m, up to ηε. m lies above its tangent at w, so that slopes exclude most atoms."""
    start, tilt = f.value(w), slopes - _slopes(f, S, w)
    noise = 8.0 * EPS * abs(start)
    best, least = 0, np.inf
    for j in np.argsort(slopes, kind="stable").tolist():
        if eta * slopes[j] >= least - max(eta * epsilon, noise):
            break
        line = f.along(w, toward(S[j], 1.0))
        value = (line.value(eta) if eta < line.limit else np.inf) - start + eta * tilt[j]
        if value < least or least == np.inf:
            best, least = j, value
    return best
