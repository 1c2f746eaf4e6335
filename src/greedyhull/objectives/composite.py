"""Objectives f(w) = φ(Aw): a loss after a design."""

from __future__ import annotations

from functools import lru_cache
from math import inf, isfinite
from typing import Any

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.objectives.base import Objective
from greedyhull.objectives.designs.stored import DenseDesign, SparseDesign
from greedyhull.objectives.lines import Parabola
from greedyhull.objectives.losses.smooth import Huber, Logistic, Squared
from greedyhull.objectives.minibatches import Batch
from greedyhull.objectives.restricted import Restricted
from greedyhull.points.arrays import energies, gram
from greedyhull.points.direction import Direction
from greedyhull.points.gradients import as_array
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import BasisBlock
from greedyhull.points.views import PRECISE_IMAGE, Image, no_point
from greedyhull.theory import Constant
from greedyhull.types import (
    Array,
    Atom,
    AtomSet,
    Block,
    Design,
    Index,
    Line,
    LinearModel,
    Loss,
    Shape,
    State,
    Traits,
    linear_model,
    without_intercept,
)
from greedyhull.types import Objective as AnyObjective

KEPT, DOUBLE = (DenseDesign, SparseDesign), np.dtype(np.float64)
SLOW = (Squared, Huber, Logistic)  # losses that grow no faster than squares


def finite_on(f: Composite, S: AtomSet) -> bool:
    """Whether sizes alone tell that f is finite, and computed without overflow, at all points of the hull.

    ½ Σ pᵢ(zᵢ − yᵢ)² ≤ max p ‖z‖² + 2φ(0), with or without an intercept, and ‖z‖ ≤ the largest image. Huber's h is convex,
    h(2t) ≤ 4h(t) and h(t) ≤ ½t², so that h(z − y) ≤ ½h(2z) + ½h(2y) ≤ z² + 2h(y) as well; log(1 + e⁻ᶻ) ≤ log 2 + |z|. That is
    asked of the library's float64 data and sets only; False says that somebody has to look.
    """
    loss = without_intercept(f.loss)
    if not (isinstance(loss, SLOW) and type(loss) in SLOW) or type(f.design) not in KEPT or f.design.dtype != DOUBLE or f.l2:
        return False
    huge = 1e250  # sums of squares up to this are far from overflow
    if S.traits.random or not S.sized or not 0.0 < f.scale < huge:  # a scale of 0 may stand for one that overflows
        return False
    reach = f.image_bound(S)
    return reach < 1e125 and loss.heaviest() * reach * reach < huge


def least(f: AnyObjective) -> float:
    """A number that f is nowhere below; −∞ where none is known. A ridge only adds to it."""
    model: Any = f if isinstance(f, Composite) else linear_model(f)
    floor = -inf if model is None else float(getattr(model.exact, "floor", -inf))  # a user's loss need not say
    return floor if floor < inf else -inf  # NaN, or infinite, where it overflows


def few_of(f: Composite, centre: Iterate) -> Iterate:
    """The mean of evenly spaced atoms of the centre, as few as are about as good as twice as many, or the centre itself."""
    count, w, value = 32, centre, np.inf  # atoms, evenly spaced, that are tried first
    if not centre.keeps_atoms or centre.owners is not None:
        return centre
    while 4 * count <= len(centre):
        at = np.linspace(0, len(centre) - 1, count).round().astype(np.intp)
        more = Iterate(centre.block.take(at), np.full(count, 1.0 / count), centre.shape)
        now = float(f.value(more))
        if np.isfinite(value) and value <= now + 1.0:  # about as good as twice as many
            return w
        w, value, count = more, now, 2 * count
    return w if np.isfinite(value) and value <= float(f.value(centre)) + 1.0 else centre


EPS = float(np.finfo(np.float64).eps)
LEAST = 5e-324  # what a product that underflows may be off by
LEFT = 1e-15  # the share of a loss that rounding cannot tell from nothing
TINY = 1e-30  # what to divide by where the curvature is zero everywhere


@lru_cache(maxsize=64)
def _traits(stored: bool, smooth: bool, quadratic: bool, everywhere: bool, intercept: bool, second_order: bool) -> Traits:
    """What f = φ∘A is; of most losses there is one."""
    return Traits(terms="finite" if stored else "none", smooth=smooth, quadratic=quadratic, finite_everywhere=everywhere,
                  intercept=intercept, second_order=second_order, linear_model=True, images=True)


class ByImages(Objective):
    """An objective that sees points by their images z = Aw under a design; a `View` follows them."""

    design: Any
    _image = "image"  # the name of the view

    def at(self, w: Iterate) -> Image:
        try:
            return w.views.get(self) or w.view(self, lambda: Image(self.design, self._image))  # type: ignore[return-value]
        except AttributeError as error:
            raise no_point(self, w, error) from None

    def cached_view(self, w: Iterate) -> Image:
        """The view of w for one who has computed what it holds: the product is counted, not made."""
        view: Any = w.views.get(self)
        if view is None and not w.pending:
            view = w.views[self] = Image(self.design, self._image)
            w.work.products += 1.0
        return view or self.at(w)

    def fresh(self, w: Iterate) -> bool:
        return self.at(w).moves == 0

    def moves(self, w: Iterate) -> int:
        return self.at(w).moves


class Composite(ByImages):
    """f = φ∘A with φ a `Loss` and A a `Design`.

    The lower bound behind its gap, φ(z) − ⟨r, z⟩ + min_S ⟨Aᵀr, ·⟩ with r = ∇φ(z), holds for *any* z, so the
    rounding that z gathers in many updates cannot make it false; only the rounding of one evaluation can, and
    `rounding` bounds that.
    """

    design: Design
    loss: Loss
    traits: Traits
    has_intercept: bool

    l2: float = 0.0  # with a ridge it is a `Ridged`

    def __init__(self, design: Design, loss: Loss, name: str = "", exact: Loss | None = None) -> None:
        self.design, self.loss, self.name = design, loss, name or type(loss).__name__
        self.exact: Loss = loss if exact is None else exact  # the loss in float64, for certificates of float32 runs
        self.domain: Shape = design.domain
        self.traits = _traits(design.stored, loss.smooth, loss.quadratic, loss.finite_everywhere, loss.profiles,
                              loss.twice_differentiable)
        self.quadratic, self.has_intercept = loss.quadratic, loss.profiles
        self._reach: tuple[AtomSet, float, Any] | None = None
        self._precise: Composite | None = None
        self._scale: float | None = None
        self._coarse: Any = None  # what a user's loss and design return, once somebody has looked: a `Coarse`
        self._centre: tuple[Array, float] | None = None

    def __repr__(self) -> str:
        intercept = ", intercept=True" if self.has_intercept else ""
        return f"{self.name}(n={self.design.n}, d={self.domain[0]}{intercept})"

    @property
    def scale(self) -> float:  # type: ignore[override]
        """|φ(0)|, the loss of predicting zero, or the best constant where there is an intercept: what a gap is relative to.

        0 where that is not finite: for `log_likelihood`, and for targets whose loss overflows.
        """
        if self._scale is None:
            self._scale = self._loss_of_zero()
        return self._scale

    def _loss_of_zero(self) -> float:
        if not self.exact.finite_everywhere:  # zero is outside
            return 0.0
        if type(self.exact) is Squared and isinstance(self.exact.p, float):
            loss = 0.5 * self.exact.p * float(np.vdot(self.exact.y, self.exact.y))
            if 0.0 < loss < np.inf:  # else squares may have left the range that the mean is still in
                return loss
        zero = np.zeros(self.design.n)
        with np.errstate(all="ignore"):
            try:
                loss = abs(float(self.exact.value(zero)))
                if self.exact.profiles:  # of targets that are all the same, rounding is all that is left
                    loss = max(loss, LEFT * abs(float(self.exact.loss.value(zero))))
            except GreedyhullError:  # the best constant is out of range
                return 0.0
        return loss if isfinite(loss) else 0.0

    @property
    def smooth(self) -> bool:
        """Whether gradients are gradients, not subgradients."""
        return self.traits.smooth

    # --- at a point -----------------------------------------------------------------------------------------------

    def _known(self, w: Iterate) -> Image:
        """The view, value and residual computed; they come together."""
        try:
            view: Any = w.views.get(self) or self.at(w)
        except AttributeError as error:
            raise no_point(self, w, error) from None
        if view.residual is None:
            view.value, view.residual = self.loss.first_order(view.z)
        return view  # type: ignore[no-any-return]

    def value(self, w: Iterate) -> float:
        try:
            view: Any = w.views.get(self) or self.at(w)
        except AttributeError as error:
            raise no_point(self, w, error) from None
        if view.value is None:
            view.value, view.residual = self.loss.first_order(view.z)
        return view.value  # type: ignore[no-any-return]

    def residual(self, w: Iterate) -> Array:
        """r = ∇φ(z)."""
        return self._known(w).residual  # type: ignore[return-value]

    def curvatures(self, w: Iterate) -> Array:
        """The diagonal of ∇²φ(z); value and residual come in the same pass."""
        view = self.at(w)
        if view.curvature is None:
            view.value, view.residual, view.curvature = self.loss.value_gradient_curvature(view.z)
        return view.curvature

    def gradient(self, w: Iterate) -> Array:
        view: Any = self._known(w)
        if view.gradient is None:
            view.gradient = self.design.adjoint(view.residual)
            w.work.gradients += 1
            w.work.products += 1.0
        return view.gradient  # type: ignore[no-any-return]

    def gradient_dot(self, w: Iterate) -> float:
        """⟨∇f(w), w⟩ = ⟨r, z⟩."""
        view: Any = w.views.get(self) or self.at(w)
        if view.residual is None:
            view.value, view.residual = self.loss.first_order(view.z)
        return float(view.residual.dot(view.z))

    def along(self, w: Iterate, move: Direction) -> Line:
        view: Any = self._known(w)
        dz = view.direction(move)
        w.work.products += len(move.coefficients) / self.domain[0]
        if self.quadratic:
            return Parabola(view.value, float(view.residual.dot(dz)), self.loss.energy(dz), move.max_step)
        line: Line = self.loss.along(view.z, dz, move.max_step)
        return line

    def intercept(self, w: Iterate) -> float:
        """The intercept that belongs to w; 0 where the objective has none."""
        return float(self.loss.intercept(self.at(w).z)) if self.loss.profiles else 0.0

    def start(self, S: AtomSet, rng: np.random.Generator) -> Iterate:
        """One atom where f is finite there, else the centre of the set, or of some of its atoms where it has many."""
        w = Iterate.at(S.start(rng), S.shape)
        if self.loss.finite_everywhere and (finite_on(self, S) or isfinite(self.value(w))):
            return w
        w = few_of(self, S.centre())
        check(bool(np.isfinite(self.value(w))) and np.isfinite(self.rounding(w, S)),
              f"{self!r} is infinite at the centre of {S!r}, or rounding decides whether it is: no start inside its domain "
              "was found. Give start=, a point where it is finite.")
        return w

    def smoothed(self, mu: float) -> Composite:
        """f_μ, where f has kinks: f_μ ≤ f ≤ f_μ + (μ/2)·(the mean of the largest squared slopes), β = 1/μ."""
        check(not self.loss.smooth, lambda: f"{self!r} has no kinks to smooth. Use it as it is.")
        check(np.isfinite(mu) and mu > 0, f"mu = {mu!r} was given; a positive number is wanted.")
        return Composite(self.design, self.loss.smoothed(mu), f"smoothed {self.name}", self.exact.smoothed(mu))

    # --- on a few terms -------------------------------------------------------------------------------------------

    @property
    def n(self) -> int:
        """How many terms the sum has."""
        return self.design.n

    def batch(self, index: Index) -> Batch:
        """Some of the terms, their weights such that the mean over all batches is f."""
        check(not self.has_intercept or self.quadratic, f"A minibatch of {self!r} would fit an intercept of its own, and its "
              "gradient is not an unbiased one of f. Leave the intercept out, or give X a constant column.")
        if not self.design.stored:
            raise GreedyhullError(f"The rows of {self.design!r} cannot be taken one by one. Give a matrix.")
        if not self.has_intercept:
            return Batch(self.design.take_rows(index), self.loss.sampled(index), index)
        if self._centre is None:  # squares: the best intercept centres rows and targets, by their means over all data
            p = np.broadcast_to(np.asarray(self.loss.p, dtype=self.design.dtype), self.n)
            self._centre = (self.design.adjoint(p), float(p.dot(self.loss.y)))
        row, target = self._centre
        return Batch(self.design.take_rows(index), self.loss.loss.sampled(index, target), index, row)

    # --- on a few atoms -------------------------------------------------------------------------------------------

    def restricted(self, block: Block) -> Restricted:
        return Restricted(self, block)

    def hessian(self, w: Iterate, rows: Block, cols: Block | None = None) -> Array:
        """⟨aᵢ, ∇²f(w) bⱼ⟩ for atoms aᵢ in ``rows`` and bⱼ in ``cols``."""
        Z = rows.images(self.design)
        return self.hessian_gram(w, rows, Z, None if cols is None else cols.images(self.design))

    def hessian_gram(self, w: Iterate, rows: Block, Z: Any, Z2: Any = None, weights: Array | None = None) -> Array:
        """Zᵀ ∇²φ(z) Z2, where Z are the images of the atoms ``rows`` and Z2 other images (Z itself if None).

        ``weights`` are taken for the diagonal of ∇²φ(z) where given.
        """
        if self.quadratic and not self.has_intercept and isinstance(self.loss.p, float):
            return self.loss.p * gram(self.design, Z, Z2)
        c = self.curvatures(w) if weights is None else weights
        square = gram(self.design, Z, Z2, c)
        if self.has_intercept:
            left = Z.T @ c
            square = square - np.outer(left, left if Z2 is None else Z2.T @ c) / max(float(c.sum()), TINY)
        return square

    def hessian_product(self, w: Iterate, u: Array, atom: Atom | None = None) -> Array:
        """∇²f(w)d for the atom d whose image is u = Ad, or for w itself, u = Aw, where it is None."""
        c = self.curvatures(w)
        cu = c * u
        if self.has_intercept:
            cu -= c * (cu.sum() / max(float(c.sum()), TINY))
        return self.design.adjoint(cu)

    def hessian_diagonal(self, w: Iterate, block: Block) -> Array:
        """⟨aᵢ, ∇²f(w) aᵢ⟩ for the atoms of a block."""
        c = self.curvatures(w).astype(np.float64)
        if isinstance(block, BasisBlock):  # the design knows the energies of its columns
            squares: Array = energies(self.design, c)[block.index] * block.scale**2
        else:
            Z = block.images(self.design).astype(np.float64)
            squares = np.einsum("i,ij,ij->j", c, Z, Z)
        if self.has_intercept:
            squares = squares - block.dots(self.design.adjoint(c)) ** 2 / max(float(c.sum()), TINY)
        return np.asarray(squares)

    # --- promises -------------------------------------------------------------------------------------------------

    def image_bound(self, S: AtomSet) -> float:
        """max over the atoms of Σⱼ |dⱼ| ‖Aⱼ‖₂, from the Frobenius norm where that is all one knows."""
        kept = self._reach  # read once: other threads may solve over other sets
        if kept is None or kept[0] is not S or kept[2] != S.seen:
            kept = self._reach = (S, self._image_bound(S), S.seen)
        return kept[1]

    def _image_bound(self, S: AtomSet) -> float:
        known = self.design.frobenius
        norms = np.full(self.domain, known) if known is not None else np.sqrt(energies(self.design, 1.0)).reshape(self.domain)
        return S.max_abs(norms)

    def rounding(self, w: Iterate, S: AtomSet, eps: float = EPS) -> float:
        """What rounding can have done to value − lower bound: about n·eps·|terms|, and what is left where these vanish.

        z = Aw is known up to ‖e‖ ≤ eps·terms·‖z‖: that moves φ by ⟨r, e⟩, and by `swing` where r is nothing. An
        intercept is subtracted from z, so that errors are relative to its size too. ``eps`` is that of float32 where one
        asks what a float32 run may have gathered.
        """
        view: Any = w.views.get(self)
        if view is None or view.residual is None:
            view = self._known(w)
        value, loss, known = view.value, self.loss, self._reach
        # ‖z‖ ≤ reach, so that |⟨r, z⟩| ≤ ‖r‖·reach
        far = reach = known[1] if known and known[0] is S and known[2] == S.seen else self.image_bound(S)
        n, terms, left = self.design.n + 16, len(w) + 3 * view.moves, 0.0
        if loss.profiles:  # the residual sums to almost zero: the lower bound holds up to what is left of the sum
            b = abs(loss.intercept(view.z))
            far, left = reach + b * n**0.5, abs(float(view.residual.sum())) * (2.0 * reach + b)
        steep, count = loss.norm(value, view.residual), n + n + terms
        if loss.non_negative:  # nothing cancels in z = Aw, ⟨r, z⟩ and Aᵀr: errors are relative to what was computed
            spread = abs(self.gradient_dot(w)) + S.max_abs(np.abs(as_array(self.gradient(w))))
        else:
            spread = steep * far
        size = loss.size(value, view.z)
        allowance: float = eps * (n * size + count * spread) + left
        if not loss.finite_everywhere and self._at_edge(w, view, spread, eps * (16 + terms)):
            return np.inf
        if far == 0.0 or (steep == 0.0 and not (loss.y.any() or w.absolute().any())):  # from zeros to zeros nothing is rounded
            return allowance
        swing = loss.swing(size, view.z, eps * (16 + terms) * far)
        rest: float = swing + LEAST * count * (1.0 + steep + far)
        return allowance + rest

    def _at_edge(self, w: Iterate, view: Image, spread: float, off: float) -> bool:
        """Whether rounding decides that z lies inside the domain of φ: off·(A|w|)ᵢ, what zᵢ may be wrong by, is most of zᵢ.

        Atoms that cancel each other leave a zᵢ > 0 where nothing is. pᵢ(A|w|)ᵢ/zᵢ ≤ ``spread``; the sum of the atoms'
        absolute values is made only where that does not settle it.
        """
        clear = 1 / 64  # the share of z that rounding may have made
        if off * spread <= clear * float(np.min(self.loss.p)):
            return False
        return bool((clear * view.z < off * self.design.matvec(w.absolute())).any())

    def curvature(self, S: AtomSet) -> Constant:
        """The curvature M of f on the hull of S, or an upper bound (theory: max over S of ‖s − s'‖²_H)."""
        from greedyhull.objectives.curvature import composite_curvature

        return composite_curvature(self, S)

    def precise(self) -> Composite:
        if self.design.dtype == np.float64:
            return self
        if self._precise is None:
            self._precise = self._in_double()
            self._precise._image = PRECISE_IMAGE
        return self._precise

    def _in_double(self) -> Composite:
        """A new objective that reads the data in float64."""
        return Composite(self.design.precise(), self.exact, self.name)


def with_whole_hessian(f: LinearModel, solves: int) -> LinearModel:
    """f, if so many solves are to come and its Hessian is small and the same everywhere with that Hessian made once."""
    if type(f) is not Composite or not f.quadratic or type(f.design) is not DenseDesign or f.design.dtype != np.float64:
        return f
    n, d = f.design.n, f.domain[0]
    # times as many rows as coordinates, at least
    # solves, from which on it pays
    return WholeHessian(f) if solves >= 4 and 2 * d <= n and d <= 2000 else f  # coordinates


class WholeHessian(Composite):
    """The same function; on a few coordinates its Hessian is a part of the whole one."""

    def __init__(self, f: Composite) -> None:
        super().__init__(f.design, f.loss, f.name, f.exact)
        self._whole: Array | None = None

    def restricted(self, block: Block) -> Restricted:
        return PartOfHessian(self, block) if isinstance(block, BasisBlock) else super().restricted(block)

    def whole(self, w: Iterate) -> Array:
        """The Hessian in all coordinates."""
        if self._whole is None:
            d = self.domain[0]
            self._whole = self.hessian(w, BasisBlock(d, np.arange(d), np.ones(d)))
        return self._whole


class PartOfHessian(Restricted):
    """f on some coordinates; neither images nor Hessian are kept, for they are at hand."""

    f: WholeHessian

    def __init__(self, f: WholeHessian, block: Block) -> None:
        super().__init__(f, block)
        self.form = f

    def extend(self, atoms: Block, w: Iterate) -> None:
        self.block, self._images = self.block.extend(atoms), None

    def take(self, index: Index) -> None:
        self.block, self._images = self.block.take(index), None

    def hessian(self, w: Iterate, sample: int = 1) -> Array:
        block = self.block
        if not isinstance(block, BasisBlock):
            return self.form.hessian(w, block)
        part = self.form.whole(w)[np.ix_(block.index, block.index)]
        return np.asarray(part if (block.scale == 1.0).all() else part * np.outer(block.scale, block.scale))

    def state(self) -> State:
        return {}

    def restore(self, state: State) -> None:
        self._images = None
