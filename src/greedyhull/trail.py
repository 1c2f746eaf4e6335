"""Least squares over l1 balls of many radii: what cross-validation asks for, hundreds of small solves in a row.

A point of the ball of radius r is r·v, v a mixture of the atoms ±scale_j e_j of the ball of radius one. For a quadratic f
with f(0) = f₀, gradient g₀ at zero and Hessian H,

    f(rv) = f₀ + r⟨g₀, v⟩ + ½r²⟨v, Hv⟩,    ∇f(rv) = g₀ + rHv,

so that the gradient at the next radius is known before it is asked for, and the Gram matrix of the working atoms serves all
radii. A radius costs one product with H, or none where the point need not change.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from greedyhull.atoms.base import lowest
from greedyhull.atoms.shapes import BasisBlock
from greedyhull.iterate import Iterate
from greedyhull.simplex_qp import solve_simplex_qp
from greedyhull.types import Array, Block

BATCH, ROUNDS = 30, 200  # atoms that join in a round, at least; rounds that a radius may take
INNER, LAST = 0.05, 0.3  # a small quadratic is solved to this part of the gap, or of what is wanted in the end


class Stage(NamedTuple):
    """The point w over the ball of one radius; f(w) − min f ≤ gap, up to rounding."""

    radius: float
    w: Array
    value: float
    gap: float


class Covariance:
    """f(w) = f₀ − ⟨b, w⟩ + ½⟨w, Qw⟩ with Q made from data, so that nobody need look whether it is semidefinite."""

    def __init__(self, Q: Array, b: Array, f0: float) -> None:
        self.Q, self.g0, self.f0, self.domain = Q, -b, f0, b.shape

    def images(self, atoms: BasisBlock) -> Array:
        return np.asarray(self.Q[atoms.index].T * atoms.scale)

    def gram(self, rows: Block, Z: Array, Z2: Array) -> Array:
        return rows.dots(Z2)

    def product(self, u: Array) -> Array:
        return u


class Data:
    """A quadratic objective φ(Aw), seen from zero."""

    def __init__(self, f: Any) -> None:
        self.f, self.domain = f, f.domain
        self.zero = Iterate.at(BasisBlock(f.domain[0], [0], [0.0])[0], f.domain)
        self.g0, self.f0 = f.gradient(self.zero).astype(np.float64), float(f.value(self.zero))

    def images(self, atoms: Block) -> Any:
        return atoms.images(self.f.design)

    def gram(self, rows: Block, Z: Any, Z2: Any) -> Array:
        return np.asarray(self.f.metric(self.zero, rows, Z, Z2), dtype=np.float64)

    def product(self, u: Array) -> Array:
        return np.asarray(self.f.product(self.zero, u), dtype=np.float64)


class Trail:
    """The points over growing balls; ``scale_j`` e_j are the atoms of the ball of radius one.

    >>> f = Covariance(np.eye(2), np.array([3.0, 1.0]), 5.0)
    >>> trail = Trail(f, np.ones(2))
    >>> trail.to(1.0, 1e-9).w, trail.to(3.0, 1e-9).w
    (array([1., 0.]), array([2.5, 0.5]))
    """

    def __init__(self, f: Any, scale: Array) -> None:
        self.f, self.scale = f, scale
        self.block: Any = BasisBlock(f.domain[0], [0], [0.0])  # the origin, where what is left of the budget rests
        self.keys = set(self.block.keys)
        self.Z = f.images(self.block)
        self.alpha, self.G = np.ones(1), np.zeros((1, 1))
        self.Hv = np.zeros(f.domain)

    @property
    def rest(self) -> float:
        """The share of the budget that is not used."""
        return float(self.alpha[0])

    def to(self, r: float, tol: float) -> Stage:
        """The point for radius r, to a gap of ``tol`` times the larger of f and what has been gained since zero."""
        f = self.f
        for _ in range(ROUNDS):
            g = f.g0 + r * self.Hv
            dots = self.block.dots(g)
            size = np.abs(g) * self.scale
            gap = r * float(self.alpha.dot(dots) + size.max())
            linear = float(self.alpha.dot(self.block.dots(f.g0)))
            value = f.f0 + r * linear + 0.5 * r * r * float(self.alpha.dot(self.block.dots(self.Hv)))
            wanted = tol * max(abs(value), f.f0 - value + gap)
            if gap <= wanted:
                break
            self._join(g, size, 0.05 * gap / r - float(self.alpha.dot(dots)))
            inner = max(INNER * gap, LAST * wanted)
            target = solve_simplex_qp(r * r * self.G, r * self.block.dots(g), self.alpha, inner)
            if np.array_equal(target, self.alpha):
                break
            self.alpha = target
            self.Hv = f.product(self.Z @ target)
        w = np.zeros(f.domain)
        self.block.add_to(w, r * self.alpha)
        return Stage(r, w, value, gap)

    def give(self) -> float:
        """1ᵀ(uᵢᵀHuⱼ)⁻¹1 over the active atoms: by how much the radius must grow for the price to fall by one."""
        on = 1 + self.alpha[1:].nonzero()[0]
        H = self.G[np.ix_(on, on)]
        H[np.diag_indices_from(H)] += 1e-12 * float(np.trace(H)) + 1e-300
        return float(np.linalg.solve(H, np.ones(len(on))).sum()) if len(on) else 0.0

    def _join(self, g: Array, size: Array, least: float) -> None:
        """The best atoms join, of those whose ``size`` exceeds ``least``; where too many wait in vain, those leave first."""
        active = int(np.count_nonzero(self.alpha))
        index = lowest(-size, min(max(BATCH, active), len(size)))
        index = index[size[index] > least]
        if len(self.alpha) > 3 * (active + len(index)):
            keep = np.append(0, 1 + self.alpha[1:].nonzero()[0])
            self.block, self.alpha, self.Z = self.block.take(keep), self.alpha[keep], self.Z[:, keep]
            self.G, self.keys = self.G[np.ix_(keep, keep)], set(self.block.keys)
        atoms = BasisBlock(len(g), index, np.where(g[index] > 0, -self.scale[index], self.scale[index]))
        new = np.array([i for i, key in enumerate(atoms.keys) if key not in self.keys], dtype=np.intp)
        if not len(new):
            return
        atoms = atoms.take(new)
        Z = self.f.images(atoms)
        across, corner = self.f.gram(self.block, self.Z, Z), self.f.gram(atoms, Z, Z)
        self.G = np.block([[self.G, across], [across.T, corner]])
        self.Z = self.Z.beside(Z) if hasattr(self.Z, "beside") else np.concatenate([self.Z.T, Z.T]).T
        self.block, self.alpha = self.block.extend(atoms), np.concatenate([self.alpha, np.zeros(len(new))])
        self.keys.update(atoms.keys)
