"""The task behind most trips: f, its gradient, its Hessian on a few atoms and f along a line, on one shard."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from greedyhull.objectives.losses.base import Separable
from greedyhull.objectives.losses.softened import Softened
from greedyhull.objectives.sharded.picked import FewColumns, PickedRows, few_columns
from greedyhull.objectives.sharded.rows import DenseRows, SparseRows
from greedyhull.objectives.sharded.task import RowTask
from greedyhull.objectives.sharded.worker import added
from greedyhull.types import Array, Block, Index, Shard, Sums


@dataclass(frozen=True, eq=False)
class Expand(RowTask):
    """What the rows of a shard add to φ(Ax + b) and to what is asked beside it, as many rows at a time as caches hold.

    Products of float32 rows are made in float64, so that every look at a point is as good as a certificate; only the Hessian,
    which steers and proves nothing, is computed in float32.

    ``block``: the Hessian on these atoms, ⟨dᵢ, Aᵀ∇²φA dⱼ⟩, from one row in ``sample``. ``v`` and ``steps``: φ, φ' and φ''
    along (v, tilt) at these steps; Ax and Av are computed once. Of an intercept that is ``profiled``, Aᵀc̃ tells how it leans
    on x, where c̃ are the curvatures that are steady within ``off``; ``beside`` are distances from b at which Σr and Σc are
    wanted as well.
    """

    x: Array
    b: float
    profiled: bool
    block: Block | None = None
    v: Array | None = None
    tilt: float = 0.0
    steps: Array | None = None
    off: float = 0.0
    beside: Array | None = None
    sample: int = 1

    def __call__(self, shard: Shard, k: int) -> Sums:
        if len(shard) == 0:
            return {}
        columns = few_columns(self.x.size, self.block, self.x, self.v)
        wide: Sums = {"gradient": np.zeros(self.x.size)}
        if self.profiled and self.part.kind.mu:
            wide["leans"] = np.zeros((2, self.x.size))
        elif self.profiled:
            wide["lean"] = np.zeros(self.x.size)
        with np.errstate(all="ignore"):
            return added(self._some(raw, loss, columns, wide) for raw, loss in self.part.chunks(shard)) | wide

    def _some(self, raw: DenseRows | SparseRows, loss: Separable, columns: FewColumns | None, wide: Sums) -> Sums:
        """What some of the rows add; vectors with an entry for each column are added to those in ``wide``."""
        A = raw.precise()
        near = A.near(columns)
        z = near.matvec(self.x)
        z = z + self.b if self.b else z
        value, r, c = loss.value_gradient_curvature(z)
        sums = _at(loss, z, r, value)
        A.add_adjoint(r, wide["gradient"])
        if isinstance(loss, Softened):
            sums["sharp"], sums["dual"] = np.asarray(loss.sharp.value(z)), np.asarray(loss.sharp.conjugate(r))
        if self.profiled:
            kinked = loss if isinstance(loss, Softened) else None
            sums.update(_leaning(A, loss, z, c, self.off, wide["lean"]) if kinked is None
                        else _beside(A, kinked, z, self.off, wide["leans"]))
            if self.beside is not None:
                shifted = _shifted if kinked is None else _sloped
                sums["beside"] = np.stack([shifted(loss, z + more) for more in self.beside.tolist()])
        if self.block is not None:
            sums.update(_hessian(raw if near is A else near, self.block, c, self.sample, self.profiled))
        if self.v is not None and self.steps is not None:
            dz = near.matvec(self.v) + self.tilt
            sums["line"] = np.stack([_along(loss, z + step * dz, dz) for step in self.steps.tolist()])
        return sums


def _at(loss: Separable, z: Array, r: Array, value: float) -> Sums:
    """The value, and what rounding is measured by."""
    kinked = loss.sharp if isinstance(loss, Softened) else loss  # bounds of losses with kinks are made from other slopes too
    square = r.dot(r) if kinked.smooth else kinked.norm(value, r) ** 2
    return {"value": np.asarray(value, dtype=np.float64), "dot": np.asarray(r.dot(z)), "square": np.asarray(square),
            "residual": np.asarray(total(r)), "size": np.asarray(loss.size(value, z), dtype=np.float64)}


def _leaning(A: DenseRows | SparseRows, loss: Separable, z: Array, c: Array, off: float, lean: Array) -> Sums:
    """Σc, and of the steady curvatures c̃ the sum and the sum of squares; Σp|z| for rounding. Aᵀc̃ is added to ``lean``."""
    steady = loss.steady(z, c, off)
    A.add_adjoint(steady, lean)
    return {"curve": np.asarray(c.sum(dtype=np.float64)), "steady": np.asarray(total(steady)),
            "bow": np.asarray(steady.dot(steady)), "spread": np.asarray(loss.total(np.abs(z)))}


def _beside(A: DenseRows | SparseRows, loss: Softened, z: Array, off: float, leans: Array) -> Sums:
    """Of a smoothed loss at intercepts ``off`` below and above: φ_μ, Σr, φ*(r), Σp|z|. Aᵀr is added to ``leans``."""
    pairs = [loss.first_order(z - off), loss.first_order(z + off)]
    for lean, (_, r) in zip(leans, pairs, strict=True):
        A.add_adjoint(r, lean)
    return {"sides": np.array([[value, total(r)] for value, r in pairs]),
            "duals": np.array([loss.sharp.conjugate(r) for _, r in pairs]), "spread": np.asarray(loss.total(np.abs(z)))}


def total(terms: Array) -> float:
    """The sum of n terms, each of which goes through 2√n + 2 additions at most.

    >>> total(np.arange(10.0))
    45.0
    """
    length = int(len(terms) ** 0.5) + 1
    return float(np.add.reduceat(terms, np.arange(0, len(terms), length)).sum(dtype=np.float64))


def _hessian(raw: DenseRows | SparseRows | PickedRows, block: Block, c: Array, sample: int, profiled: bool) -> Sums:
    """Zᵀ diag(c) Z for the images Z of the atoms, from one row in ``sample``; with an intercept, Zᵀc and Σc as well."""
    if sample > 1:
        raw, c = raw.some(some_rows(raw.n, sample), sample * c)
    c = np.maximum(c, 0.0)
    found: Sums = {"hessian": raw.gram_of(block, c)}
    return found | {"across": raw.dots_of(block, c), "bent": np.asarray(c.sum(dtype=np.float64))} if profiled else found


@lru_cache(maxsize=8)
def some_rows(n: int, one_in: int) -> Index:
    """About one in so many of n rows; random ones, for real rows may come in periods."""
    rows: Index = (np.random.default_rng(n).random(n) < 1.0 / one_in).nonzero()[0]
    return rows


def _along(loss: Separable, z: Array, dz: Array) -> Array:
    """h, h' and h'' at one step."""
    value, r, c = loss.value_gradient_curvature(z)
    return np.array([value, r.dot(dz), (c * dz).dot(dz)])


def _shifted(loss: Separable, z: Array) -> Array:
    """Σr and Σc at another intercept."""
    _, r, c = loss.value_gradient_curvature(z)
    return np.array([r.sum(dtype=np.float64), c.sum(dtype=np.float64)])


def _sloped(loss: Separable, z: Array) -> Array:
    """φ and Σr at another intercept."""
    value, r = loss.first_order(z)
    return np.array([value, r.sum(dtype=np.float64)])


@dataclass(frozen=True, eq=False)
class Curved(RowTask):
    """The Hessian of φ(Ax + b) on the atoms of ``block``, from one row in ``sample``, where all else is known."""

    x: Array
    b: float
    profiled: bool
    block: Block
    sample: int

    def __call__(self, shard: Shard, k: int) -> Sums:
        columns = few_columns(self.x.size, self.block, self.x)
        with np.errstate(all="ignore"):
            return added(self._some(raw, loss, columns) for raw, loss in self.part.chunks(shard))

    def _some(self, raw: DenseRows | SparseRows, loss: Separable, columns: FewColumns | None) -> Sums:
        A = raw.precise() if self.x.any() else raw
        near = A.near(columns)
        z = near.matvec(self.x) if self.x.any() else np.zeros(raw.n)
        _, _, c = loss.value_gradient_curvature(z + self.b if self.b else z)  # to the last bit as `Expand` has it
        return _hessian(raw if near is A else near, self.block, c, self.sample, self.profiled)


@dataclass(frozen=True, eq=False)
class Bend(RowTask):
    """A bound on h'' along x + ηv, 0 ≤ η ≤ end: Σ pᵢ sup ℓ''·(Av)ᵢ²."""

    x: Array
    b: float
    v: Array
    tilt: float
    end: float

    def __call__(self, shard: Shard, k: int) -> Sums:
        with np.errstate(all="ignore"):
            return added(self._some(raw.precise(), loss) for raw, loss in self.part.chunks(shard))

    def _some(self, A: DenseRows | SparseRows, loss: Separable) -> Sums:
        z, dz = A.matvec(self.x) + self.b, A.matvec(self.v) + self.tilt
        end = z + self.end * dz
        beta = loss.beta(np.minimum(z, end), np.maximum(z, end))
        return {"bend": np.asarray(loss.total(np.asarray(beta * dz * dz)), dtype=np.float64)}


@dataclass(frozen=True, eq=False)
class Swing(RowTask):
    """What an error of z of length ``off`` adds to φ beyond first order, at most; any rows may have all of it."""

    x: Array
    b: float
    off: float

    def __call__(self, shard: Shard, k: int) -> Sums:
        return added(self._some(raw.precise(), loss) for raw, loss in self.part.chunks(shard))

    def _some(self, A: DenseRows | SparseRows, loss: Separable) -> Sums:
        return {"swing": np.asarray(loss.swing(0.0, A.matvec(self.x) + self.b, self.off), dtype=np.float64)}
