"""The task behind most trips: f, its gradient, its Hessian on a few atoms and f along a line, on one shard."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from greedyhull.objectives.losses.base import Separable
from greedyhull.objectives.sharded.part import Part
from greedyhull.objectives.sharded.rows import DenseRows, SparseRows
from greedyhull.points.arrays import dense
from greedyhull.points.shapes import BasisBlock
from greedyhull.types import Array, Block, Shard, Shards, Sums, Task
from greedyhull.types.override import KeepsTask, keeps, override

IN_CACHE = 1 << 16  # entries of rows that are worked on at once


@dataclass(frozen=True, eq=False)
class Expand(KeepsTask):
    """What the rows of a shard add to φ(Ax + b) and to what is asked beside it.

    Products of float32 rows are made in float64, some rows at a time, so that every look at a point is as good as a
    certificate; only the Hessian, which steers and proves nothing, is computed in float32.

    ``block``: the Hessian on these atoms, ⟨dᵢ, Aᵀ∇²φA dⱼ⟩. ``v`` and ``steps``: φ, φ' and φ''
    along (v, tilt) at these steps; Ax and Av are computed once. Of an intercept that is ``profiled``, Aᵀc tells how it leans
    on x, and ``beside`` are distances from b at which Σr and Σc are wanted as well.
    """

    part: Part
    x: Array
    b: float
    profiled: bool
    block: Block | None = None
    v: Array | None = None
    tilt: float = 0.0
    steps: Array | None = None
    beside: Array | None = None
    together: bool = False

    if TYPE_CHECKING:
        keeps(Task.together)

    @property
    @override
    def shards(self) -> Shards:
        return self.part.shards

    @property
    @override
    def token(self) -> str:
        return self.part.token

    @override
    def wants(self, k: int) -> bool:
        return True

    @override
    def __call__(self, shard: Shard, k: int) -> Sums:
        if len(shard) == 0:
            return {}
        with np.errstate(all="ignore"):
            raw, loss = self.part.on(shard)
            A = raw.precise()
            z = A.matvec(self.x)
            z = z + self.b if self.b else z
            value, r, c = loss.value_gradient_curvature(z)
            sums = _at(A, loss, z, r, value)
            if self.profiled:
                sums["curve"] = np.asarray(c.sum(dtype=np.float64))
                sums["lean"] = np.asarray(dense(A.adjoint(c)), dtype=np.float64)
                sums["spread"] = np.asarray(loss.total(np.abs(z)))
                if self.beside is not None:
                    sums["beside"] = np.stack([_shifted(loss, z + more) for more in self.beside.tolist()])
            if self.block is not None:
                sums["hessian"], sums["across"] = _hessian(raw, self.block, c.astype(raw.dtype))
            if self.v is not None and self.steps is not None:
                dz = A.matvec(self.v) + self.tilt
                sums["line"] = np.stack([_along(loss, z + step * dz, dz) for step in self.steps.tolist()])
        return sums


def _at(A: object, loss: Separable, z: Array, r: Array, value: float) -> Sums:
    """Value, gradient, and what rounding is measured by."""
    gradient = np.asarray(dense(A.adjoint(r)), dtype=np.float64)  # type: ignore[attr-defined]
    return {"value": np.asarray(value, dtype=np.float64), "gradient": gradient,
            "dot": np.asarray(r.dot(z)), "square": np.asarray(r.dot(r)),
            "residual": np.asarray(r.sum()), "size": np.asarray(loss.size(value, z), dtype=np.float64)}


def _hessian(raw: DenseRows | SparseRows, block: Block, c: Array) -> tuple[Array, Array]:
    """Zᵀ diag(c) Z and Zᵀc for the images Z of the atoms."""
    if isinstance(raw, SparseRows):
        Z = block.images(raw)
        return np.asarray(raw.gram(Z, None, c), dtype=np.float64), np.asarray(Z.T @ c, dtype=np.float64).ravel()
    if isinstance(block, BasisBlock) and 2 * len(block) >= raw.domain[0]:  # all columns: cheaper than to gather so many
        square, across = _weighed(raw, lambda rows: rows.X, c, raw.domain[0])
        index, scale = block.index, np.asarray(block.scale, dtype=np.float64)
        return square[np.ix_(index, index)] * (scale[:, None] * scale), across[index] * scale
    return _weighed(raw, block.images, c, len(block))


def _weighed(raw: DenseRows, images: Callable[[DenseRows], Array], c: Array, k: int) -> tuple[Array, Array]:
    """Zᵀ diag(c) Z as WᵀW with W = √c Z, of which BLAS computes one half, and Zᵀc; as many rows at a time as caches hold."""
    square, across, root = np.zeros((k, k)), np.zeros(k), np.sqrt(np.maximum(c, 0.0))
    step = max(IN_CACHE // max(raw.domain[0], k), 1)
    for start in range(0, raw.n, step):
        here = root[start : start + step]
        W = np.ascontiguousarray(images(DenseRows(raw.X[start : start + step]))) * here[:, None]
        square += W.T.dot(W)
        across += W.T.dot(here)
    return square, across


def _along(loss: Separable, z: Array, dz: Array) -> Array:
    """h, h' and h'' at one step."""
    value, r, c = loss.value_gradient_curvature(z)
    return np.array([value, r.dot(dz), (c * dz).dot(dz)])


def _shifted(loss: Separable, z: Array) -> Array:
    """Σr and Σc at another intercept."""
    _, r, c = loss.value_gradient_curvature(z)
    return np.array([r.sum(dtype=np.float64), c.sum(dtype=np.float64)])


@dataclass(frozen=True, eq=False)
class Bend:
    """A bound on h'' along x + ηv, 0 ≤ η ≤ end: Σ pᵢ sup ℓ''·(Av)ᵢ²."""

    part: Part
    x: Array
    b: float
    v: Array
    tilt: float
    end: float
    together: bool = False

    @property
    def shards(self) -> Shards:
        return self.part.shards

    @property
    def token(self) -> str:
        return self.part.token

    def wants(self, k: int) -> bool:
        return True

    def __call__(self, shard: Shard, k: int) -> Sums:
        if len(shard) == 0:
            return {}
        with np.errstate(all="ignore"):
            raw, loss = self.part.on(shard)
            A = raw.precise()
            z, dz = A.matvec(self.x) + self.b, A.matvec(self.v) + self.tilt
            end = z + self.end * dz
            beta = loss.beta(np.minimum(z, end), np.maximum(z, end))
            return {"bend": np.asarray(loss.total(np.asarray(beta * dz * dz)), dtype=np.float64)}


@dataclass(frozen=True, eq=False)
class Swing:
    """What an error of z of length ``off`` adds to φ beyond first order, at most; each shard may have all of it."""

    part: Part
    x: Array
    b: float
    off: float
    together: bool = False

    @property
    def shards(self) -> Shards:
        return self.part.shards

    @property
    def token(self) -> str:
        return self.part.token

    def wants(self, k: int) -> bool:
        return True

    def __call__(self, shard: Shard, k: int) -> Sums:
        if len(shard) == 0:
            return {}
        raw, loss = self.part.on(shard)
        z = raw.precise().matvec(self.x) + self.b
        return {"swing": np.asarray(loss.swing(0.0, z, self.off), dtype=np.float64)}
