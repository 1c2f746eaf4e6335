"""The task behind most trips: f, its gradient, its Hessian on a few atoms and f along a line, on one shard."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from greedyhull.objectives.losses.base import Separable
from greedyhull.objectives.sharded.part import Part
from greedyhull.objectives.sharded.rows import ENTRIES, DenseRows, SparseRows
from greedyhull.points.arrays import dense
from greedyhull.types import Array, Block, Shard, Shards, Sums, Task
from greedyhull.types.override import KeepsTask, keeps, override


@dataclass(frozen=True, eq=False)
class Expand(KeepsTask):
    """What the rows of a shard add to φ(Ax + b) and to what is asked beside it.

    Products of float32 rows are made in float64, some rows at a time, so that every look at a point is as good as a
    certificate; only the Hessian, which steers and proves nothing, is computed in float32.

    ``block``: the Hessian on these atoms, ⟨dᵢ, Aᵀ∇²φA dⱼ⟩. ``v`` and ``steps``: φ, φ' and φ''
    along (v, tilt) at these steps; Ax and Av are computed once.
    """

    part: Part
    x: Array
    b: float
    profiled: bool
    block: Block | None = None
    v: Array | None = None
    tilt: float = 0.0
    steps: Array | None = None
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
                sums["spread"] = np.asarray(loss.total(np.abs(z)))
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
    """Zᵀ diag(c) Z and Zᵀc for the images Z of the atoms, some rows at a time: images take more memory than rows may."""
    k = len(block)
    square, across = np.zeros((k, k)), np.zeros(k)
    step = max(ENTRIES // max(raw.domain[0], k), 1) if isinstance(raw, DenseRows) else raw.n
    for start in range(0, raw.n, step):
        A = DenseRows(raw.X[start : start + step]) if isinstance(raw, DenseRows) else raw
        Z, here = block.images(A), c[start : start + step]
        square += A.gram(Z, None, here)
        across += np.asarray(Z.T @ here).ravel()
    return square, across


def _along(loss: Separable, z: Array, dz: Array) -> Array:
    """h, h' and h'' at one step."""
    value, r, c = loss.value_gradient_curvature(z)
    return np.array([value, r.dot(dz), (c * dz).dot(dz)])


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
