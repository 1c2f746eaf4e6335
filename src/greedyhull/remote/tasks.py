"""Tasks over the rows of an objective: expansions, minibatches, Gram matrices."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.errors import GreedyhullError
from greedyhull.objectives.losses.base import Separable
from greedyhull.objectives.losses.intercepts import Softened
from greedyhull.objectives.minibatches import Minibatch
from greedyhull.objectives.quadratic import QuadraticForm
from greedyhull.points.arrays import is_sparse
from greedyhull.points.iterate import Iterate
from greedyhull.remote.executors import CommunicationRounds
from greedyhull.remote.rows import DenseRows, FewColumns, Part, PickedRows, RowTask, SparseRows, few_columns
from greedyhull.remote.summary import Summary
from greedyhull.remote.worker import added
from greedyhull.types import Array, Block, Finite, Index, Objective, Shard, Sums, Traits

if TYPE_CHECKING:
    from greedyhull.remote.model import ShardedModel


@dataclass(frozen=True, eq=False)
class Expand(RowTask):
    """Compute φ(Ax + b) on a shard and what belongs to it, as many rows at a time as caches hold.

    Products of float32 rows are made in float64, as certificates need them; only the Hessian, which proves nothing, is
    computed in float32.

    ``block``: the Hessian on these atoms, ⟨dᵢ, Aᵀ∇²φA dⱼ⟩, from one row in ``sample``. ``v`` and ``steps``: φ, φ' and φ''
    along (v, intercept_slope) at these steps. Of an intercept that is ``profiled``, Aᵀc̃ is the derivative in x, times Σc̃,
    where c̃ are the curvatures that are steady within ``off``; ``beside`` are distances from b at which Σr and Σc are computed
    too.
    """

    x: Array
    b: float
    profiled: bool
    block: Block | None = None
    v: Array | None = None
    intercept_slope: float = 0.0
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
            wide["derivatives"] = np.zeros((2, self.x.size))
        elif self.profiled:
            wide["derivative"] = np.zeros(self.x.size)
        with np.errstate(all="ignore"):
            return added(self._some(raw, loss, columns, wide) for raw, loss in self.part.chunks(shard)) | wide

    def _some(self, raw: DenseRows | SparseRows, loss: Separable, columns: FewColumns | None, wide: Sums) -> Sums:
        """What some of the rows add; vectors with an entry for each column are added to those in ``wide``."""
        A = raw.precise()
        near = A.near(columns)
        z = near.matvec(self.x)
        z = z + self.b if self.b else z
        value, r, c = loss.value_gradient_curvature(z)
        kinked = loss.sharp if isinstance(loss, Softened) else loss  # bounds of nonsmooth losses use other slopes too
        square = r.dot(r) if kinked.smooth else kinked.norm(value, r) ** 2
        sums: Sums = {"value": np.asarray(value, dtype=np.float64), "dot": np.asarray(r.dot(z)), "square": np.asarray(square),
                      "residual": np.asarray(total(r)), "size": np.asarray(loss.size(value, z), dtype=np.float64)}
        A.add_adjoint(r, wide["gradient"])
        if isinstance(loss, Softened):
            sums |= {"sharp": np.asarray(loss.sharp.value(z)), "dual": np.asarray(loss.sharp.conjugate(r))}
            if self.profiled:
                sums |= _sides(A, loss, z, self.off, wide["derivatives"])
        elif self.profiled:
            sums |= _curvature_sums(A, loss, z, c, self.off, wide["derivative"])
        if self.profiled and self.beside is not None:
            sums["beside"] = np.stack([_beside(loss, z + more) for more in self.beside.tolist()])
        if self.block is not None:
            sums.update(_hessian(raw if near is A else near, self.block, c, self.sample, self.profiled))
        if self.v is not None and self.steps is not None:
            dz = near.matvec(self.v) + self.intercept_slope
            sums["line"] = np.stack([_along(loss, z + step * dz, dz) for step in self.steps.tolist()])
        return sums


def _curvature_sums(A: DenseRows | SparseRows, loss: Separable, z: Array, c: Array, off: float, derivative: Array) -> Sums:
    """Σc, and of the steady curvatures c̃ the sum and the sum of squares; Σp|z| for rounding. Aᵀc̃ goes to ``derivative``."""
    steady = loss.steady(z, c, off)
    A.add_adjoint(steady, derivative)
    return {"curve": np.asarray(c.sum(dtype=np.float64)), "steady": np.asarray(total(steady)),
            "steady_square": np.asarray(steady.dot(steady)), "spread": np.asarray(loss.total(np.abs(z)))}


def _sides(A: DenseRows | SparseRows, loss: Softened, z: Array, off: float, derivatives: Array) -> Sums:
    """Of a smoothed loss at intercepts ``off`` below and above: φ_μ, Σr, φ*(r), Σp|z|. Aᵀr is added to ``derivatives``."""
    pairs = [loss.first_order(z - off), loss.first_order(z + off)]
    for derivative, (_, r) in zip(derivatives, pairs, strict=True):
        A.add_adjoint(r, derivative)
    return {"sides": np.array([[value, total(r)] for value, r in pairs]),
            "duals": np.array([loss.sharp.conjugate(r) for _, r in pairs]), "spread": np.asarray(loss.total(np.abs(z)))}


def total(terms: Array) -> float:
    """The sum of n terms, each of which goes through 2√n + 2 additions at most."""
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
    """Return h, h' and h'' at one step."""
    value, r, c = loss.value_gradient_curvature(z)
    return np.array([value, r.dot(dz), (c * dz).dot(dz)])


def _beside(loss: Separable, z: Array) -> Array:
    """Σr and Σc at another intercept; of a smoothed loss φ and Σr."""
    if isinstance(loss, Softened):
        value, r = loss.first_order(z)
        return np.array([value, r.sum(dtype=np.float64)])
    _, r, c = loss.value_gradient_curvature(z)
    return np.array([r.sum(dtype=np.float64), c.sum(dtype=np.float64)])


@dataclass(frozen=True, eq=False)
class Curved(RowTask):
    """The Hessian of φ(Ax + b) on the atoms of ``block``, from one row in ``sample``, where all else is known."""

    x: Array
    b: float
    profiled: bool
    block: Block
    sample: int

    def some(self, raw: DenseRows | SparseRows, loss: Separable) -> Sums:
        A = raw.precise() if self.x.any() else raw
        near = A.near(few_columns(self.x.size, self.block, self.x))
        z = near.matvec(self.x) if self.x.any() else np.zeros(raw.n)
        _, _, c = loss.value_gradient_curvature(z + self.b if self.b else z)  # to the last bit as `Expand` has it
        return _hessian(raw if near is A else near, self.block, c, self.sample, self.profiled)


@dataclass(frozen=True, eq=False)
class Bend(RowTask):
    """A bound on h'' along x + ηv, 0 ≤ η ≤ end: Σ pᵢ sup ℓ''·(Av)ᵢ²."""

    x: Array
    b: float
    v: Array
    intercept_slope: float
    end: float

    def some(self, rows: DenseRows | SparseRows, loss: Separable) -> Sums:
        A = rows.precise()
        z, dz = A.matvec(self.x) + self.b, A.matvec(self.v) + self.intercept_slope
        end = z + self.end * dz
        beta = loss.beta(np.minimum(z, end), np.maximum(z, end))
        return {"bend": np.asarray(loss.total(np.asarray(beta * dz * dz)), dtype=np.float64)}


@dataclass(frozen=True, eq=False)
class Swing(RowTask):
    """A bound on what an error of z of length ``off`` adds to φ beyond first order; any rows may have all of it."""

    x: Array
    b: float
    off: float

    def some(self, rows: DenseRows | SparseRows, loss: Separable) -> Sums:
        z = rows.precise().matvec(self.x) + self.b
        return {"swing": np.asarray(loss.swing(0.0, z, self.off), dtype=np.float64)}


@dataclass(frozen=True, eq=False)
class Fetch(RowTask):
    """Some rows of each shard, with their targets and weights; shards of which none are wanted are not loaded."""

    rows: dict[int, Index]

    def wants(self, k: int) -> bool:
        return k in self.rows

    def __call__(self, shard: Shard, k: int) -> Sums:
        index = self.rows[k]
        A, loss = self.part.on(Shard(shard.X[index], shard.y[index],
                                     None if shard.sample_weight is None else shard.sample_weight[index]))
        p: Array = np.broadcast_to(np.asarray(loss.p, dtype=np.float64), len(index)).copy()
        X: Any = A.X
        found = {"y": loss.y.copy(), "p": p}
        if is_sparse(X):
            return found | {"data": X.data, "indices": X.indices, "indptr": X.indptr}
        return found | {"X": np.array(X)}


def fetched(rounds: CommunicationRounds, part: Part, summary: Summary, index: Index) -> tuple[Any, Separable]:
    """The rows with these numbers among all rows, in this order, and their loss: n/b times the weight of each."""
    ends = np.cumsum(summary.rows)
    home = np.searchsorted(ends, index, side="right")
    order = np.argsort(home, kind="stable")
    begins = ends - summary.rows
    wanted = {int(k): index[order[home[order] == k]] - begins[k] for k in np.unique(home)}
    found = [sums for sums in rounds.each(Fetch(part, wanted), summary.rows) if sums]
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    y, p = (np.concatenate([sums[name] for sums in found])[back] for name in ("y", "p"))
    if all("X" in sums for sums in found):
        rows: Any = np.concatenate([sums["X"] for sums in found])
    else:
        from scipy.sparse import csr_array, vstack

        parts = [csr_array(sums["X"]) if "X" in sums else
                 csr_array((sums["data"], sums["indices"], sums["indptr"]), shape=(len(sums["y"]), part.shards.d))
                 for sums in found]
        rows = vstack(parts, format="csr")
    return rows[back], part.kind.on(y, p * (summary.n / len(index)))


class AllRows(Minibatch):
    """All terms as one batch: a communication round per call."""

    def __init__(self, f: ShardedModel) -> None:
        self.f, self.size = f, f.n

    def value(self, x: Array) -> float:
        return self.f.expansion(np.array(x), None).value

    def gradient(self, x: Array) -> Array:
        return self.f.expansion(np.array(x), None).gradient

    def pulls(self, x: Array, S: Finite) -> Array:
        raise GreedyhullError(f"The gradients of all single rows of {self.f!r} would not fit in one place. Use FullGap(), or "
                              "a smaller batch.")


@dataclass(frozen=True, eq=False)
class Products(RowTask):
    """[X y]ᵀP[X y] of a shard, in two parts: the sum, and what was lost in its additions."""

    centre: Array  # subtracted from rows, and from targets: nothing cancels later

    def __call__(self, shard: Shard, k: int) -> Sums:
        if len(shard) == 0:
            return {}
        A, loss = self.part.on(shard)
        d = A.domain[0]
        total, lost = np.zeros((d + 1, d + 1)), np.zeros((d + 1, d + 1))
        step = max((1 << 21) // (d + 1), 1)  # entries that are multiplied at once
        for start in range(0, A.n, step):
            here = slice(start, start + step)
            X = A.X[here] if isinstance(A, DenseRows) else A.X[here].toarray()
            M = np.concatenate([np.asarray(X, dtype=np.float64), loss.y[here, None]], axis=1) - self.centre
            p = loss.p if isinstance(loss.p, float) else loss.p[here, None]
            add_exactly(total, lost, M.T @ (p * M))
        return {"products": total, "lost": lost}


def add_exactly(total: Array, lost: Array, more: Array) -> None:
    """total + more, what the additions lose going to ``lost`` (Knuth's two-sum).

    >>> total, lost = np.array([1.0]), np.array([0.0])
    >>> add_exactly(total, lost, np.array([1e-17]))
    >>> total, lost
    (array([1.]), array([1.e-17]))
    """
    old = total.copy()
    total += more
    rest = total - old
    lost += (old - (total - rest)) + (more - rest)


def _of_model(name: str) -> Any:
    """What the objective over the shards has under this name."""
    return property(lambda self: getattr(self._model, name))


class GramSquares(QuadraticForm):
    """Least squares as ½wᵀQw − cᵀw + ½s, Q made in one pass over the shards; ``precise()`` is the objective over them."""

    name = "least_squares"
    crew, trips, n, shard_marks = map(_of_model, ("crew", "trips", "n", "shard_marks"))
    batch, singles, everything = map(_of_model, ("batch", "singles", "everything"))

    def __init__(self, model: ShardedModel) -> None:
        self._model, d = model, model.domain[0]
        total = _gram(model)
        self._constant = 0.5 * float(total[d, d])
        super().__init__(total[:d, :d] + model.l2 * np.eye(d), total[:d, d].copy(), None)
        self.scale, self.l2, self.has_intercept, self.marks = model.scale, model.l2, model.has_intercept, model.marks
        self.traits = Traits(terms="finite", quadratic=True, second_order=True, images=True, remote=True,
                             intercept=model.has_intercept)

    def __repr__(self) -> str:
        return repr(self._model)

    def reduced(self) -> tuple[Objective, str]:
        return self, ""

    def value(self, w: Iterate) -> float:
        return super().value(w) + self._constant

    def intercept(self, w: Iterate) -> float:
        return self._model.intercept(w.copy())

    def precise(self) -> ShardedModel:  # type: ignore[override]
        """The objective over the shards, which certificates are computed with."""
        return self._model


def _gram(model: ShardedModel) -> Array:
    """Return [X y]ᵀP[X y] of all rows, centred where there is an intercept."""
    summary, d = model.summary, model.domain[0]
    centre = np.append(summary.mean, summary.target) if model.has_intercept else np.zeros(d + 1)
    total, lost = np.zeros((d + 1, d + 1)), np.zeros((d + 1, d + 1))
    for sums in model.each(Products(model.part, centre), 2 * (d + 1) ** 2):
        if sums:
            add_exactly(total, lost, sums["products"])
            lost += sums["lost"]
    total += lost
    return np.asarray(0.5 * (total + total.T))
