"""Minibatches: the mean of some terms of a finite sum, which can be asked at any array, and more than once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.errors import check
from greedyhull.objectives.sampler import Sampler
from greedyhull.points.arrays import dense, is_sparse
from greedyhull.types import Array, Finite, Index, LinearModel, Loss, Minibatch, Objective, State, Summed, Supply
from greedyhull.types.kinds import linear_model, remote, streamed, summed
from greedyhull.types.override import KeepsMinibatch, KeepsSupply, keeps, override

if TYPE_CHECKING:
    from greedyhull.objectives.composite import Composite


class Batch(KeepsMinibatch):
    """f_B(x) = Σ over the batch of pᵢ ℓᵢ(aᵢ·x), the weights such that its mean over all batches is f.

    ``centre`` is subtracted from every row: the mean row of the data, where an intercept was profiled out of squares.
    A ridge (l2/2)‖x‖² is added in full: every term has it. ``residual`` and ``adjoint`` are those of the loss.
    Products are in the precision of the data, gradients in float64.
    """

    size: int

    if TYPE_CHECKING:
        keeps(Minibatch.size)

    def __init__(self, rows: Any, loss: Loss, index: Index, centre: Array | None = None, l2: float = 0.0) -> None:
        self.rows, self.loss, self.index, self.centre, self.l2 = rows, loss, index, centre, l2
        self.size = len(index)

    def image(self, x: Array) -> Array:
        """A_B x."""
        z = self.rows @ x.astype(self.rows.dtype, copy=False)
        return np.asarray(z if self.centre is None else z - z.dtype.type(self.centre.dot(x)))

    @override
    def value(self, x: Array) -> float:
        value = float(self.loss.value(self.image(x)))
        return value + 0.5 * float((self.l2 * x).ravel().dot(x.ravel())) if self.l2 else value

    def residual(self, x: Array) -> Array:
        """The weighted slopes pᵢ ℓ'ᵢ(aᵢ·x)."""
        return self.slopes(self.image(x))

    def slopes(self, z: Array) -> Array:
        """The weighted slopes pᵢ ℓ'ᵢ(zᵢ)."""
        return np.asarray(self.loss.gradient(z))

    def adjoint(self, r: Array) -> Array:
        """A_Bᵀ r."""
        g = np.asarray(self.rows.T @ r.astype(self.rows.dtype, copy=False), dtype=np.float64)
        return g if self.centre is None else g - float(r.sum()) * self.centre

    @override
    def gradient(self, x: Array) -> Array:
        return self.with_ridge(self.adjoint(self.residual(x)), x)

    def with_ridge(self, g: Array, x: Array) -> Array:
        """The gradient g of the loss at x, and that of the ridge."""
        return g + self.l2 * x if self.l2 else g

    @override
    def pulls(self, x: Array, S: Finite) -> Array:
        """⟨∇fᵢ(x), x − d⟩ for every term and every atom d of a set whose atoms can be listed, from their images."""
        Z = S.block(np.arange(len(S))).images(self.objective().design)
        slopes = np.asarray(self.residual(x), dtype=np.float64) * self.size
        ahead: Array = self.image(x)[:, None] - dense(Z)
        pulls: Array = slopes[:, None] * ahead
        return pulls + (float((self.l2 * x).dot(x)) - S.scores(self.l2 * x)) if self.l2 else pulls

    def objective(self) -> Composite | LinearModel:
        """f_B as an objective, whose lines can be followed."""
        from greedyhull.objectives.composite import Composite
        from greedyhull.objectives.designs import design, sparse_design
        from greedyhull.objectives.designs.centred import CentredDesign
        from greedyhull.objectives.ridged import Ridged

        rows = (sparse_design if is_sparse(self.rows) else design)(self.rows)
        f = Composite(rows if self.centre is None else CentredDesign(rows, self.centre), self.loss, "minibatch")
        return Ridged(f, self.l2) if self.l2 else f


class FullBatch(Batch):
    """All terms of φ(Ax) as one batch: the rows are not copied."""

    def __init__(self, f: LinearModel) -> None:
        super().__init__(f.design, f.loss, np.arange(f.n), l2=f.l2)
        self.f = f

    def image(self, x: Array) -> Array:
        return np.asarray(self.f.design.matvec(x))

    def adjoint(self, r: Array) -> Array:
        return np.asarray(self.f.design.adjoint(r.astype(self.f.design.dtype, copy=False)), dtype=np.float64)

    def objective(self) -> LinearModel:
        """f itself."""
        return self.f


class Source(KeepsSupply):
    """Where the minibatches of one solve come from, and how many gradients of terms they have cost: ``spent``.

    A batch is counted when it is drawn; who asks it at a second point says so (`again`). A batch as large as the data
    would be no cheaper than all terms, so it is all terms, each once.
    """

    f: Summed

    if TYPE_CHECKING:
        keeps(Supply.spent, Supply.f)

    def __init__(self, f: Summed, sampler: Sampler) -> None:
        self.f, self.sampler, self.spent = f, sampler, 0
        self._whole: Minibatch | None = None

    @property
    @override
    def n(self) -> float:
        """How many terms there are: infinity for the source of a stream."""
        return float(self.f.n)

    @property
    @override
    def terms(self) -> int:
        """How many terms there are: None for the source of a stream."""
        return self.f.n

    @override
    def draw(self, size: int) -> Minibatch:
        """A fresh minibatch."""
        return self._counted(size, self.sampler.draw)

    @override
    def distinct(self, size: int) -> Minibatch:
        """A fresh minibatch of different terms."""
        return self._counted(size, self.sampler.distinct)

    def _counted(self, size: int, draw: Callable[[int], Index]) -> Minibatch:
        return self.again(self.whole if size >= self.f.n else self.f.batch(draw(size)))

    @override
    def again(self, batch: Minibatch) -> Minibatch:
        """The same minibatch, to be asked once more."""
        self.spent += batch.size
        return batch

    @property
    @override
    def whole(self) -> Minibatch:
        """All terms; the caller counts them."""
        if self._whole is None:
            model, elsewhere = linear_model(self.f), remote(self.f)
            if elsewhere is not None:
                self._whole = elsewhere.everything()
            else:
                self._whole = self.f.batch(np.arange(self.f.n)) if model is None else FullBatch(model)
        return self._whole

    @override
    def full(self, x: Array) -> Array:
        """∇f(x), all n terms of it."""
        return np.asarray(self.again(self.whole).gradient(x))

    @override
    def state(self) -> State:
        return {"spent": np.array(self.spent)}

    @override
    def restore(self, state: State) -> None:
        self.spent = int(state["spent"])


def pulls_of(gradients: Iterable[Array], x: Array, S: Finite) -> Array:
    """⟨g, x − d⟩ for the gradients g of some terms and every atom d of a set whose atoms can be listed."""
    return np.stack([float(np.vdot(g, x)) - S.scores(g) for g in gradients])


def counts_of(f: LinearModel) -> Array:
    """n·pᵢ, what each term counts for when it is drawn from all alike: one without sample weights."""
    return np.asarray(f.n * np.broadcast_to(np.asarray(f.exact.p, dtype=np.float64), f.n))


def count_of(f: Objective) -> int | None:
    """How many terms f has; None where they have no end, or cannot be taken."""
    terms = summed(f)
    return None if terms is None else terms.n


def rows_of(batch: Minibatch) -> Batch:
    """A minibatch of a linear model as one: it has an image, and a slope for each term."""
    assert isinstance(batch, Batch)  # whoever asks has seen that f is a linear model
    return batch


def source_of(f: Objective, rng: np.random.Generator) -> Supply:
    """Where the minibatches of f come from in one solve; a stream brings its own source.

    Refused unless minibatches of f can be drawn, and f is finite wherever a step may lead.
    """
    stream = streamed(f)
    if stream is not None:
        return stream.source(rng)
    terms = check_sum(f)
    return Source(terms, Sampler(terms.n, rng))


def check_sum(f: Objective) -> Summed:
    """f as a finite sum; refused unless its terms can be taken one by one, and it is finite everywhere."""
    check_terms(f)
    check(f.traits.finite_everywhere,
          f"{f!r} is not finite everywhere, and a stochastic solver does not look where it steps. Use FrankWolfe().")
    terms = summed(f)
    assert terms is not None  # a stream brings its own source
    terms.batch(np.zeros(1, dtype=np.intp))  # objectives without unbiased minibatches say so
    return terms


def check_terms(f: Objective) -> None:
    """Raise unless the terms of f can be taken one by one."""
    known = f.traits.terms != "none"
    check(known or f.traits.linear_model,
          lambda: f"{f!r} is not a sum of terms, so there are no minibatches. Use FrankWolfe(), or "
                  "give the terms to finite_sum(value, gradient, n, shape).")
    check(known,
          lambda: f"{f!r} was made from a linear operator, whose rows cannot be taken one by one. Use FrankWolfe(), or give a "
                  "matrix.")
