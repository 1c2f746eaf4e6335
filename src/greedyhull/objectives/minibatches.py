"""Minibatches of finite sums."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.errors import check
from greedyhull.kernels._core import without_repeats
from greedyhull.points.arrays import dense, is_sparse
from greedyhull.types import Array, AtomSet, Index, LinearModel, Loss, Objective, State, linear_model

if TYPE_CHECKING:
    from greedyhull.objectives.composite import Composite


FEW = 64  # up to so many different indices are found by Floyd's rule, whose draws can be made for many batches at once


def check_size(size: int) -> None:
    check(size >= 1, f"A minibatch of {size} terms was asked for; at least one is wanted. Check the batch schedule.")


class Sampler:
    """Indices out of 0 … n − 1: independent draws, or different ones within a batch."""

    def __init__(self, n: int, rng: np.random.Generator) -> None:
        check(n >= 1, f"Minibatches of a sum of {n} terms were asked for; at least one term is wanted.")
        self.n, self.rng = n, rng

    def draw(self, size: int) -> Index:
        """``size`` independent indices."""
        check_size(size)
        return self.rng.integers(self.n, size=size)

    def distinct(self, size: int) -> Index:
        """``size`` different indices, at most all n of them."""
        check_size(size)
        b = min(size, self.n)
        if b > FEW:
            return self.rng.choice(self.n, size=b, replace=False)
        drawn = self.rng.integers(self._below(b))
        if len(set(drawn.tolist())) < b:
            found: set[int] = set()
            for q, i in enumerate(drawn.tolist()):
                drawn[q] = self.n - b + q if i in found else i
                found.add(int(drawn[q]))
        return drawn

    def _below(self, b: int, different: bool = True) -> Index:
        """What the entries of a batch are drawn below; with Floyd's rule they are different in the end."""
        return np.arange(self.n - b + 1, self.n + 1) if different else np.full(b, self.n)

    def successive(self, sizes: Index, different: tuple[bool, ...] = (False,)) -> Index:
        """For each of ``sizes`` one batch after the other for each of ``different``: what `draw` and `distinct` would give."""
        if not any(different):
            return self.rng.integers(self.n, size=len(different) * int(sizes.sum()))
        if int(sizes.max()) > min(FEW, self.n):
            return np.concatenate([(self.distinct if part else self.draw)(int(b)) for b in sizes for part in different])
        of_size = {b: np.concatenate([self._below(b, part) for part in different]) for b in np.unique(sizes).tolist()}
        drawn = self.rng.integers(np.concatenate([of_size[b] for b in sizes.tolist()]))
        lengths = np.repeat(sizes, len(different))
        begins = np.cumsum(lengths) - lengths
        chosen = np.tile(np.array(different), len(sizes))
        without_repeats(drawn, begins[chosen], lengths[chosen], self.n)
        return drawn


class Minibatch:
    """The mean of some terms of a sum, which can be asked at any array. To write: ``size``, `value` and `gradient`."""

    size: int  # how many terms
    if TYPE_CHECKING:
        value: Callable[[Array], float]
        gradient: Callable[[Array], Array]

    def pulls(self, x: Array, S: AtomSet) -> Array | None:
        """⟨∇fᵢ(x), x − d⟩ for every term and every atom d of a set whose atoms can be listed; None where nobody can tell."""
        return None


class Batch(Minibatch):
    """f_B(x) = Σ over the batch of pᵢ ℓᵢ(aᵢ·x), the weights such that its mean over all batches is f.

    ``centre`` is subtracted from every row: the mean row of the data, where an intercept was profiled out of squares.
    A ridge (l2/2)‖x‖² is added in full: every term has it. ``residual`` and ``adjoint`` are those of the loss.
    Products are in the precision of the data, gradients in float64.
    """

    def __init__(self, rows: Any, loss: Loss, index: Index, centre: Array | None = None, l2: float = 0.0) -> None:
        self.rows, self.loss, self.index, self.centre, self.l2 = rows, loss, index, centre, l2
        self.size = len(index)

    def image(self, x: Array) -> Array:
        """A_B x."""
        z = self.rows @ x.astype(self.rows.dtype, copy=False)
        return np.asarray(z if self.centre is None else z - z.dtype.type(self.centre.dot(x)))

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

    def gradient(self, x: Array) -> Array:
        return self.with_ridge(self.adjoint(self.residual(x)), x)

    def with_ridge(self, g: Array, x: Array) -> Array:
        """The gradient g of the loss at x, and that of the ridge."""
        return g + self.l2 * x if self.l2 else g

    def pulls(self, x: Array, S: AtomSet) -> Array:
        Z = S.block(np.arange(len(S))).images(self.objective().design)
        slopes = np.asarray(self.residual(x), dtype=np.float64) * self.size
        ahead: Array = self.image(x)[:, None] - dense(Z)
        pulls: Array = slopes[:, None] * ahead
        return pulls + (float((self.l2 * x).dot(x)) - S.scores(self.l2 * x)) if self.l2 else pulls

    def objective(self) -> Composite | LinearModel:
        """f_B as an objective, whose lines can be followed."""
        from greedyhull.objectives.composite import Composite
        from greedyhull.objectives.designs import design, sparse_design
        from greedyhull.objectives.designs.derived import CentredDesign
        from greedyhull.objectives.ridge import Ridged

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
        return self.f


class Source:
    """Where the minibatches of one solve come from, and how many gradients of terms they have cost: ``spent``.

    A batch is counted when it is drawn; who asks it at a second point says so (`again`). A batch as large as the data
    would be no cheaper than all terms, so it is all terms, each once.
    """

    f: Objective
    size = 1  # of the batch that was taken last
    _first: Minibatch | None = None

    def __init__(self, f: Objective, sampler: Sampler) -> None:
        self.f, self.sampler, self.spent = f, sampler, 0
        self._whole: Minibatch | None = None

    @property
    def n(self) -> float:
        """How many terms there are: infinity for the source of a stream."""
        return float(self.f.n)

    @property
    def terms(self) -> int:
        """How many terms there are: None for the source of a stream."""
        return int(self.f.n)

    def draw(self, size: int) -> Minibatch:
        """A fresh minibatch."""
        return self.again(self.whole if size >= self.f.n else self.f.batch(self.sampler.draw(size)))

    def distinct(self, size: int) -> Minibatch:
        """A fresh minibatch of different terms."""
        return self.again(self.whole if size >= self.f.n else self.f.batch(self.sampler.distinct(size)))

    def again(self, batch: Minibatch) -> Minibatch:
        """The same minibatch, to be asked once more."""
        self.spent += batch.size
        self._first = batch if self._first is None else self._first
        return batch

    def take(self) -> Minibatch:
        """The first batch since this was called last; a fresh one of the same size where none was drawn."""
        batch = self.draw(self.size) if self._first is None else self._first
        self._first, self.size = None, batch.size
        return batch

    @property
    def whole(self) -> Minibatch:
        """All terms; the caller counts them."""
        if self._whole is None:
            model = linear_model(self.f)
            if self.f.traits.remote:
                self._whole = self.f.everything()
            else:
                self._whole = self.f.batch(np.arange(self.f.n)) if model is None else FullBatch(model)
        return self._whole

    def full(self, x: Array) -> Array:
        """∇f(x), all n terms of it."""
        return np.asarray(self.again(self.whole).gradient(x))

    def state(self) -> State:
        return {"spent": np.array(self.spent), "size": np.array(self.size)}

    def restore(self, state: State) -> None:
        self.spent, self.size = int(state["spent"]), int(state.get("size", 1))


def pulls_of(gradients: Iterable[Array], x: Array, S: AtomSet) -> Array:
    """⟨g, x − d⟩ for the gradients g of some terms and every atom d of a set whose atoms can be listed."""
    return np.stack([float(np.vdot(g, x)) - S.scores(g) for g in gradients])


def counts_of(f: LinearModel) -> Array:
    """n·pᵢ, what each term counts for when it is drawn from all alike: one without sample weights."""
    return np.asarray(f.n * np.broadcast_to(np.asarray(f.exact.p, dtype=np.float64), f.n))


def count_of(f: Objective) -> int | None:
    """How many terms f has; None where they have no end, or cannot be taken."""
    return f.n if f.traits.terms == "finite" else None


def rows_of(batch: Minibatch) -> Batch:
    """A minibatch of a linear model as one: it has an image, and a slope for each term."""
    assert isinstance(batch, Batch)  # whoever asks has seen that f is a linear model
    return batch


def source_of(f: Objective, rng: np.random.Generator) -> Source:
    """Where the minibatches of f come from in one solve; a stream brings its own source.

    Refused unless minibatches of f can be drawn, and f is finite wherever a step may lead.
    """
    if f.traits.terms == "stream":
        return f.source(rng)
    check_sum(f)
    return Source(f, Sampler(f.n, rng))


def check_sum(f: Objective) -> None:
    """Raise unless f is a finite sum whose terms can be taken one by one, and is finite everywhere."""
    check_terms(f)
    check(f.traits.finite_everywhere,
          f"{f!r} is not finite everywhere, and a stochastic solver does not look where it steps. Use FrankWolfe().")
    f.batch(np.zeros(1, dtype=np.intp))  # objectives without unbiased minibatches say so


def check_terms(f: Objective) -> None:
    """Raise unless the terms of f can be taken one by one."""
    known = f.traits.terms != "none"
    check(known or f.traits.linear_model, lambda: f"{f!r} is not a sum of terms, so there are no minibatches. Use "
          "FrankWolfe(), or give the terms to finite_sum(value, gradient, n, shape).")
    check(known, lambda: f"{f!r} was made from a linear operator, whose rows cannot be taken one by one. Use FrankWolfe(), "
          "or give a matrix.")
