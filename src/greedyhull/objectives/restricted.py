"""f on the hull of a few atoms: what a corrective round minimises."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast
from warnings import warn

import numpy as np

from greedyhull.errors import GreedyhullWarning, check
from greedyhull.points.arrays import gram
from greedyhull.points.direction import Direction
from greedyhull.points.gradients import as_array
from greedyhull.points.iterate import Iterate
from greedyhull.types import Array, Atom, Block, Imaged, Index, Line, LinearModel, Objective, State, lacks, linear_model

EPS = float(np.finfo(np.float64).eps)


class LineTrial:
    """The steps of a reweighting, seen by ``f.along``.

    >>> import greedyhull as gh
    >>> f, w = gh.quadratic(np.eye(2)), gh.Simplex(2).centre()
    >>> trial = LineTrial(f, w, w.reweighting(w.block, w.weights, np.array([0.5, -0.5])))
    >>> trial.value(1.0), trial.argmin()
    (0.5, 0.0)
    """

    def __init__(self, f: Objective, w: Iterate, move: Direction, eps: float = EPS) -> None:
        self.f, self.w, self.move, self.eps = f, w, move, eps
        self._line: Line | None = None

    @property
    def line(self) -> Line:
        """h, made when somebody first looks."""
        if self._line is None:
            self._line = self.f.along(self.w, self.move)
        return self._line

    @property
    def limit(self) -> float:
        return self.line.limit

    @property
    def noise(self) -> float:
        """What rounding may do to values: a few units in the last place of f and of what it is made of."""
        return 4.0 * self.eps * (abs(self.f.value(self.w)) + abs(self.f.gradient_dot(self.w)))

    def value(self, step: float) -> float:
        return self.line.value(step)

    def argmin(self) -> float:
        return float(self.line.argmin())

    def commit(self, step: float) -> None:
        self.w.move(self.move, step)


class Restriction:
    """f on the hull of a few atoms, as a function of their weights: all that a corrective round asks for.

    Gradients steer and end a round, so they are right; a Hessian only steers, and may be old or rough. To write: ``f``,
    `extend`, `hessian`, `trial`, `state` and `restore`.
    """

    f: Objective
    if TYPE_CHECKING:
        extend: Callable[[Block, Iterate], None]
        hessian: Callable[..., Array]  # hessian(w, sample=1): ⟨dᵢ, ∇²f(w) dⱼ⟩; perhaps from one term in ``sample``
        trial: Callable[[Iterate, Array, Array], LineTrial]  # the steps from the weights at w to others
        state: Callable[[], State]  # without the block
        restore: Callable[[State], None]

    def __init__(self, block: Block) -> None:
        self.block = block
        self._hessian: Array | None = None

    def __len__(self) -> int:
        return len(self.block)

    def take(self, index: Index) -> None:
        """Keep only the atoms at ``index``."""
        self.block = self.block.take(index)
        if self._hessian is not None:
            self._hessian = self._hessian[np.ix_(index, index)]

    def gradient(self, w: Iterate) -> Array:
        """⟨∇f(w), dᵢ⟩ for every atom."""
        return self.block.dots(self.f.gradient(w)).astype(np.float64, copy=False)


STALE = 0.1  # by which share a row's curvature may move before the Hessian follows
MANY_ROWS = 4000  # more rows than this can be sampled; of fewer, all are as fast


class Restricted(Restriction):
    """φ(Zα) for the atoms of a block."""

    f: Imaged

    def __init__(self, f: Imaged, block: Block) -> None:
        super().__init__(block)
        self.f, self.model = f, linear_model(f)
        self._images: Any = None
        self._rows: Array | None = None  # the curvature of each row that the Hessian was made with

    @property
    def Z(self) -> Any:
        """The images of the atoms as columns."""
        if self._images is None:
            self._images = self.block.images(self.f.design)
        return self._images

    def extend(self, atoms: Block, w: Iterate) -> None:
        """Let ``atoms`` join: their columns are appended to the Hessian."""
        if self._images is not None:
            Z = atoms.images(self.f.design)
            # of the atoms that are there: where more join, a Hessian that is old anyway is made anew
            if not self.f.traits.quadratic and len(atoms) > 0.25 * len(self.block):
                self._hessian = None  # so many are new that making it anew, as the curvature asks anyway, costs less
            if self._hessian is not None:
                across = self.f.hessian_gram(w, self.block, self._images, Z, weights=self._rows)
                corner = self.f.hessian_gram(w, atoms, Z, weights=self._rows)
                self._hessian = np.concatenate([np.concatenate([self._hessian, across], axis=1),
                                                np.concatenate([across.T, corner], axis=1)])
            self._images = beside(self._images, Z)
        self.block = self.block.extend(atoms)

    def take(self, index: Index) -> None:
        """Keep only the atoms at ``index``, and their images."""
        super().take(index)
        if self._images is not None:
            self._images = self._images[:, index]

    def gradient(self, w: Iterate) -> Array:
        """⟨∇f(w), dᵢ⟩ for every atom: from ∇f(w) where it is known, else Zᵀr."""
        if self.f.at(w).gradient is not None or self.model is None:
            return super().gradient(w)
        return np.asarray(self.Z.T @ self.model.residual(w)).astype(np.float64, copy=False)

    def hessian(self, w: Iterate, sample: int = 1) -> Array:
        """∇²_α φ(Zα) at w; of many rows from one in ``sample``, which is enough far from the optimum."""
        if self.model is None or self.f.traits.quadratic:
            if self._hessian is None:
                self._hessian = self.f.hessian_gram(w, self.block, self.Z).astype(np.float64, copy=False)
            return self._hessian
        c = self.model.curvatures(w)
        # times as many rows as atoms must be left in a sample
        if sample > 1 and len(c) > max(MANY_ROWS, sample * 10 * len(self.block)):
            c = c * _sample(len(c), sample)
        if self._hessian is None or self._rows is None:
            return self._renew(w, c)
        change = c - self._rows
        change[np.abs(change) <= STALE * self._rows] = 0.0
        moved = change.nonzero()[0]
        # a curvature that has fallen by this factor, taken away from a sum, would leave rounding only
        fallen = len(moved) and float(self._rows.max()) > 1e6 * float(c.max())
        # of the rows: where more have moved, it costs less to begin anew
        if fallen or len(moved) > 0.5 * np.count_nonzero(c) or self.model.has_intercept:
            return self._renew(w, c)
        if len(moved):
            self._rows = self._rows + change
            self._hessian = self._hessian + gram(self.f.design, self.Z, None, change)
        return self._hessian

    def factors(self, w: Iterate) -> tuple[Array, Array] | None:
        """D and F, with fewer rows than there are atoms, of the Hessian diag(D) + FᵀF at w; None where there are none."""
        if self.model is None or self.model.has_intercept or self.f.design.n >= len(self.block):
            return None
        c = self.model.curvatures(w)
        if not isinstance(self.Z, np.ndarray) or (c < 0.0).any():
            return None
        return np.zeros(len(self.block)), np.sqrt(c)[:, None] * self.Z.astype(np.float64, copy=False)

    def _renew(self, w: Iterate, c: Array) -> Array:
        self._rows = c.copy()
        self._hessian = self.f.hessian_gram(w, self.block, self.Z, weights=c).astype(np.float64, copy=False)
        return self._hessian

    def trial(self, w: Iterate, base: Array, target: Array) -> LineTrial:
        """The steps from ``base`` to ``target``, their image already known to the view of w.

        At step 1 the view gets Z·target itself, computed from the atoms afresh, so that rounding does not gather.
        """
        move, view = w.reweighting(self.block, base, target - base), self.f.at(w)
        view.lead(move, np.asarray(self.Z @ target.astype(self.Z.dtype, copy=False)))
        eps = float(np.finfo(view.z.dtype).eps)
        if self.f.traits.quadratic:
            return LineTrial(self.f, w, move, eps)
        return ImageTrial(cast(LinearModel, self.f), w, move, eps)

    def state(self) -> State:
        kept = {"hessian": self._hessian, "rows": self._rows}
        return {name: array for name, array in kept.items() if array is not None}

    def restore(self, state: State) -> None:
        self._hessian, self._rows = state.get("hessian"), state.get("rows")
        if self._hessian is not None:
            self._images = self.block.images(self.f.design)  # they are there whenever the Hessian is


class ImageTrial(LineTrial):
    """The steps of a linear model: a value is seen together with residual and curvature, which the view then has."""

    def __init__(self, f: LinearModel, w: Iterate, move: Direction, eps: float) -> None:
        super().__init__(f, w, move, eps)
        self.model, self.loss, self.view = f, f.loss, f.at(w)

    @property
    def noise(self) -> float:
        """Also a few units in the last place of the terms of ⟨r, z⟩, which cancel where the optimum is inside the set."""
        terms = np.abs(np.asarray(self.model.residual(self.w) * self.view.z, dtype=np.float64))
        return super().noise + 4.0 * self.eps * float(terms.sum())

    @property
    def limit(self) -> float:
        return self.loss.limit(self.view.z, self.view.direction(self.move))

    def value(self, step: float) -> float:
        return self.view.ahead(self.move, step, self.loss)


@lru_cache(maxsize=4)
def _sample(n: int, one_in: int) -> Array:
    """Zero on n rows, but on a random one in so many that number; random, for real rows may come in periods."""
    return one_in * (np.random.default_rng(0).random(n) < 1.0 / one_in).astype(np.float64)


def beside(Z: Any, more: Any) -> Any:
    """The columns of Z, then those of ``more``."""
    if isinstance(Z, np.ndarray) or lacks(Z, "beside"):
        return np.concatenate([Z.T, more.T]).T  # Fortran order: columns stay contiguous
    return Z.beside(more)


NUDGE = 1e-3  # the share of the way to an atom over which gradients are compared
WRONG = 2.0  # products that differ from these differences by a larger factor are warned of
RIDGE = 1e-10  # of the mean diagonal: a Hessian that this makes positive definite is semidefinite, up to rounding


class ByProducts(Restriction):
    """f(Σ αᵢ dᵢ) as a function of α for the atoms of a block, its Hessian from products.

    >>> import greedyhull as gh
    >>> f = gh.function(lambda x: 0.5 * x @ x, lambda x: x, 2, hessian_product=lambda x, v: v)
    >>> w = gh.Simplex(2).centre()
    >>> ByProducts(f, w.block).hessian(w)
    array([[1., 0.],
           [0., 1.]])
    """

    f: Objective

    def __init__(self, f: Objective, block: Block) -> None:
        super().__init__(block)
        self.f = f
        self._compared = False  # with differences of the gradient
        self._fresh = False  # whether the Hessian was looked at since w moved

    def extend(self, atoms: Block, w: Iterate) -> None:
        """Let ``atoms`` join: one product for each, if the Hessian is still good."""
        self._look(w)
        if self._hessian is not None:
            products = self._products(atoms, w)
            across, corner = _scores(self.block, products), _scores(atoms, products)
            self._hessian = np.block([[self._hessian, across], [across.T, 0.5 * corner + 0.5 * corner.T]])
        self.block = self.block.extend(atoms)

    def hessian(self, w: Iterate, sample: int = 1) -> Array:
        """⟨dᵢ, ∇²f(w)dⱼ⟩, without what is not semidefinite: a product that is wrong must not lead uphill."""
        if not self._compared:
            self._compared = True
            if w.keeps_atoms:  # else the block holds directions, and no points of the set
                compare_products(self.f, w, self.block[int(self.gradient(w).argmin())])
        if not self._fresh:
            self._look(w)
        self._fresh = False  # whoever asks again has moved
        if self._hessian is None:
            square = _scores(self.block, self._products(self.block, w))
            self._hessian = 0.5 * square + 0.5 * square.T
        check(bool(np.isfinite(self._hessian).all()), lambda: f"Products with the Hessian of {self.f!r} overflow on the atoms "
              "of the set. Scale the function or the set down, or use BlendedPairwise(), which needs no Hessian.")
        return _semidefinite(self._hessian)

    def trial(self, w: Iterate, base: Array, target: Array) -> LineTrial:
        """The steps from ``base`` to ``target``, along f."""
        return LineTrial(self.f, w, w.reweighting(self.block, base, target - base))

    def state(self) -> State:
        return {} if self._hessian is None else {"hessian": self._hessian}

    def restore(self, state: State) -> None:
        self._hessian = state.get("hessian")
        self._compared = self._hessian is not None

    def _products(self, atoms: Block, w: Iterate) -> list[Array]:
        """∇²f(w)d for every atom d."""
        return [self.f.hessian_product(w, _sum(atoms, row, w)) for row in np.eye(len(atoms))]

    def _look(self, w: Iterate) -> None:
        """Forget the Hessian if it is no longer that at w, as far as one product tells."""
        self._fresh = True
        if self._hessian is None:
            return
        s = _signs(len(self.block))
        now, then = self.block.dots(self.f.hessian_product(w, _sum(self.block, s, w))), self._hessian @ s
        off = float(np.abs(now - then).max())
        if not off <= STALE * min(float(np.abs(now).max()), float(np.abs(then).max())):
            self._hessian = None


def compare_products(f: Objective, w: Iterate, d: Atom) -> None:
    """Once in a solve: does ∇²f say how ∇f changes on the way to the best atom d? If not, steps will be poor."""
    if not f.traits.exact_gradient:  # its differences over a short way say nothing
        return
    at, g = w.copy(), as_array(f.gradient(w), w.shape)
    at.move(at.toward(d), NUDGE)
    v = np.zeros(w.shape)
    d.add_to(v, 1.0)
    v -= w.array()
    with np.errstate(all="ignore"):
        change = as_array(f.gradient(at), w.shape) - g
        seen = float(np.vdot(change, v)) / NUDGE
        told = [float(np.vdot(f.hessian_product(point, v), v)) for point in (w, at)]
        # what rounding may have done to gradients, as a share of them
        noise = 1e-6 * float(np.vdot(np.abs(g), np.abs(v))) / NUDGE
    w.work.gradients, w.work.products = w.work.gradients + at.work.gradients, w.work.products + at.work.products
    around = [t * c for t in told for c in (1.0 / WRONG, WRONG)]
    if min(around) - noise <= seen <= max(around) + noise or not np.isfinite([seen, noise, *told]).all():
        return
    warn(f"The Hessian products of {f!r} disagree with its gradient: on the way to an atom ⟨∇f, v⟩ changes at a rate "
         f"of {seen:.6g}, and ⟨v, ∇²f v⟩ is {told[0]:.6g}. Certificates hold, for they rest on gradients alone, but steps "
         "will be poor. Look for a sign or a factor, or leave hessian_product out.", GreedyhullWarning, stacklevel=2)


def _sum(block: Block, c: Array, w: Iterate) -> Array:
    """Σ cᵢ dᵢ as an array."""
    v = np.zeros(w.shape)
    block.add_to(v, c)
    return v


def _scores(block: Block, products: list[Array]) -> Array:
    """⟨dᵢ, pⱼ⟩."""
    return np.stack([block.dots(p) for p in products], axis=1)


@lru_cache(maxsize=8)
def _signs(m: int) -> Array:
    """Random signs, the same for the same m."""
    return np.where(np.random.default_rng(m).random(m) < 0.5, -1.0, 1.0)


def _semidefinite(H: Array) -> Array:
    """H, or what is left of it without its negative eigenvalues."""
    try:
        np.linalg.cholesky(H + (RIDGE * float(np.abs(H.diagonal()).mean()) + 1e-300) * np.eye(len(H)))
        return H
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(H)
        values[values <= RIDGE * float(np.abs(values).max())] = 0.0
        return np.asarray((vectors * values) @ vectors.T)
