"""Losses of linear models from their data, with and without a ridge (l2/2)‖w‖²."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, wraps
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, cast, overload

import numpy as np

from greedyhull.errors import GreedyhullError, check, notes
from greedyhull.kernels.core import one_thread
from greedyhull.kernels.matrix_models import LocalModel, NormalEquations
from greedyhull.objectives.composite import EPS as RIDGED_EPS
from greedyhull.objectives.composite import Composite
from greedyhull.objectives.designs.stored import Design, Identity, design, in_place_of
from greedyhull.objectives.lines import Curve, Parabola
from greedyhull.objectives.losses.base import Separable, shares, signs, vector
from greedyhull.objectives.losses.piecewise import KinkedLine
from greedyhull.objectives.matrices import Multinomial, SquaredResponses
from greedyhull.objectives.minibatches import Batch
from greedyhull.objectives.restricted import LineTrial, Restricted, Restriction
from greedyhull.points.aligned import PLAIN, keep, labels_of, rows_alike
from greedyhull.points.arrays import length
from greedyhull.points.direction import Direction
from greedyhull.points.gradients import as_array
from greedyhull.points.iterate import Iterate, inner_products, squares
from greedyhull.points.shapes import dense
from greedyhull.points.views import Image
from greedyhull.theory import Constant
from greedyhull.types import Array, Atom, AtomSet, Block, Gradient, Index, Line, Objective, Shape, Shards, State

if TYPE_CHECKING:
    from greedyhull.remote.model import ShardedModel

EPS = float(np.finfo(np.float64).eps)


class Place(Image):
    """The view x = w, updated by every move; ``total`` is the gradient of loss and ridge, with that of the loss."""

    __slots__ = ("total",)

    def clear(self) -> None:
        super().clear()
        self.total: tuple[Gradient, Array] | None = None

    def refresh(self, w: Iterate) -> None:
        self.z, self.moves = w.array().ravel(), 0  # no product with data: it costs no work
        self.clear()


class Ridge:
    """(l2/2)‖w‖², by the view x = w.

    As for a loss, x + rounding stands for w: (l2/2)‖x‖² − l2⟨x, x⟩ + l2⟨x, ·⟩ is below (l2/2)‖·‖² for *any* x.
    """

    def __init__(self, l2: float, shape: Shape) -> None:
        self.l2, self.design = l2, Identity(shape)
        self._reach: tuple[AtomSet, float, object] | None = None

    def at(self, w: Iterate) -> Place:
        """The view of w; its residual is l2·x."""
        view: Place = w.views.get(self) or w.view(self, lambda: Place(self.design, "ridge"))  # type: ignore[assignment]
        if view.residual is None:
            view.residual = self.l2 * view.z  # before it is multiplied by x again: squares may overflow, or vanish
            view.value = 0.5 * float(view.residual.dot(view.z))
        return view

    def value(self, w: Iterate) -> float:
        return self.at(w).value  # type: ignore[return-value]

    def gradient(self, w: Iterate) -> Array:
        """l2·w."""
        return self.at(w).residual.reshape(self.design.domain)  # type: ignore[union-attr]

    def gradient_dot(self, w: Iterate) -> float:
        """l2‖w‖²."""
        return 2.0 * self.value(w)

    def along(self, w: Iterate, move: Direction) -> Parabola:
        view = self.at(w)
        v = view.direction(move)
        return Parabola(self.value(w), float(view.residual.dot(v)), float((self.l2 * v).dot(v)),  # type: ignore[union-attr]
                        move.max_step)

    def rounding(self, w: Iterate, S: AtomSet, eps: float = EPS) -> float:
        """What rounding can have done to value − lower bound: about d·eps·l2‖x‖·max‖·‖, and ½l2‖e‖² for an error e of x."""
        view = self.at(w)
        kept = self._reach
        if kept is None or kept[0] is not S or kept[2] != S.seen:
            kept = self._reach = (S, float(S.max_abs(np.ones(self.design.domain))), S.seen)  # ‖·‖₁ is no less than ‖·‖₂
        reach, n, terms = kept[1], self.design.n + 16, len(w) + 3 * view.moves
        steep, count, off = length(view.residual), n + n + terms, eps * (16 + terms) * reach  # type: ignore[arg-type]
        first = eps * (n * self.value(w) + count * steep * reach) + 0.5 * (self.l2 * off) * off
        # what a product that underflows may be off by
        return float(first + (5e-324 * count * (1.0 + steep + reach) if reach > 0.0 else 0.0))


class RidgedRestriction(Restriction):
    """φ(Zα) + (l2/2)αᵀGα with G the inner products of the atoms, which are kept and appended to."""

    def __init__(self, f: Objective, loss: Restricted, ridge: Ridge) -> None:
        self.f, self.loss, self.ridge, self.block = f, loss, ridge, loss.block
        self._products: Array | None = None

    def extend(self, atoms: Block, w: Iterate) -> None:
        """Let ``atoms`` join."""
        if self._products is not None:
            across, corner = (inner_products(rows, atoms, self.f.domain) for rows in (self.block, atoms))
            self._products = np.block([[self._products, across], [across.T, corner]])
        self.loss.extend(atoms, w)
        self.block = self.loss.block

    def take(self, index: Index) -> None:
        self.loss.take(index)
        self.block = self.loss.block
        if self._products is not None:
            self._products = self._products[np.ix_(index, index)]

    def gradient(self, w: Iterate) -> Array:
        return self.loss.gradient(w) + self.block.dots(self.ridge.gradient(w))

    def hessian(self, w: Iterate, sample: int = 1) -> Array:
        if self._products is None:
            self._products = inner_products(self.block, self.block, self.f.domain)
        return self.loss.hessian(w, sample) + self.ridge.l2 * self._products

    def trial(self, w: Iterate, base: Array, target: Array) -> RidgedTrial:
        """The steps from ``base`` to ``target``; at step 1 both views are computed from the atoms afresh."""
        of_loss = self.loss.trial(w, base, target)
        assert isinstance(of_loss, LineTrial)
        x = np.zeros(self.f.domain)
        self.block.add_to(x, target)
        self.ridge.at(w).lead(of_loss.move, x.ravel())
        return RidgedTrial(self.f, w, of_loss, self.ridge)

    def state(self) -> State:
        products = {} if self._products is None else {"products": self._products}
        return {**self.loss.state(), **products}

    def restore(self, state: State) -> None:
        self.loss.restore(state)
        self._products = state.get("products")


class RidgedTrial(LineTrial):
    """The steps of loss and ridge together; what the trial of the loss sees at a step, its view then has."""

    def __init__(self, f: Objective, w: Iterate, loss: LineTrial, ridge: Ridge) -> None:
        super().__init__(f, w, loss.move, loss.eps)
        self.loss, self.ridge = loss, ridge.along(w, loss.move)

    @property
    def limit(self) -> float:
        return self.loss.limit

    @property
    def noise(self) -> float:
        return super().noise + self.loss.noise

    def value(self, step: float) -> float:
        return self.loss.value(step) + self.ridge.value(step)


F = TypeVar("F", bound=Objective)


class Ridged(Composite):
    """f(w) = φ(Aw) + (l2/2)‖w‖²: the sum of a `Composite` without a ridge, ``bare``, and a `Ridge`, each with its own view.

    ``design``, ``loss``, ``residual`` and ``curvatures`` are those of φ∘A. An intercept is not part of w.
    """

    def __init__(self, bare: Composite, l2: float, ridge: Ridge | None = None) -> None:
        super().__init__(bare.design, bare.loss, bare.name, bare.exact)
        self.l2, self.traits = l2, bare.traits
        self._bare = bare  # with an underscore, for it is made of what has a name already: digests read that once
        self._ridge = Ridge(l2, bare.domain) if ridge is None else ridge

    def __repr__(self) -> str:
        return f"{repr(self._bare)[:-1]}, l2={self.l2!r})"

    @property
    def bare(self) -> Composite:
        """φ∘A alone."""
        return self._bare

    @property
    def ridge(self) -> Ridge:
        """(l2/2)‖·‖² alone."""
        return self._ridge

    # --- at a point -----------------------------------------------------------------------------------------------

    def at(self, w: Iterate) -> Image:
        """The view Aw; that of w itself is there, too."""
        view = self._bare.at(w)
        self._ridge.at(w)
        return view

    def value(self, w: Iterate) -> float:
        return self._bare.value(w) + self._ridge.value(w)

    def gradient(self, w: Iterate) -> Array:
        """∇φ∘A + l2·w, computed once for each point."""
        g = self._bare.gradient(w)
        view = self._ridge.at(w)
        if view.total is None or view.total[0] is not g:
            view.total = (g, as_array(g, self.domain) + self._ridge.gradient(w))
        return view.total[1]

    def gradient_dot(self, w: Iterate) -> float:
        return self._bare.gradient_dot(w) + self._ridge.gradient_dot(w)

    def along(self, w: Iterate, move: Direction) -> Line:
        line, ridge = self._bare.along(w, move), self._ridge.along(w, move)
        if self.quadratic:
            return Parabola(self.value(w), line.slope + ridge.slope, line.bend + ridge.bend, move.max_step)

        def value(step: float) -> float:
            return line.value(step) + ridge.value(step)

        def derivative(step: float) -> float:
            return line.derivative(step) + ridge.derivative(step)

        if not self.smooth:
            return KinkedLine(value, derivative, move.max_step)
        both = line.derivatives if isinstance(line, Curve) else lambda step: (line.derivative(step), np.nan)

        def derivatives(step: float) -> tuple[float, float]:
            first, second = both(step)
            return first + ridge.derivative(step), second + ridge.bend

        return Curve(value, derivatives, line.slope + ridge.slope, move.max_step, limit=line.limit,
                     bends=lambda: line.bend + ridge.bend)

    def smoothed(self, mu: float) -> Ridged:
        """f_μ, where f has kinks; the ridge stays as it is."""
        return Ridged(self._bare.smoothed(mu), self.l2, self._ridge)

    # --- on a few terms, on a few atoms ---------------------------------------------------------------------------

    def batch(self, index: Index) -> Batch:
        """Some of the terms; each of them has the whole ridge, so that the mean over all batches is f."""
        batch = self._bare.batch(index)
        batch.l2 = self.l2
        return batch

    def restricted(self, block: Block) -> RidgedRestriction:  # type: ignore[override]
        return RidgedRestriction(self, self._bare.restricted(block), self._ridge)

    def hessian(self, w: Iterate, rows: Block, cols: Block | None = None) -> Array:
        products = inner_products(rows, rows if cols is None else cols, self.domain)
        return self._bare.hessian(w, rows, cols) + self.l2 * products

    def hessian_gram(self, w: Iterate, rows: Block, Z: Any, Z2: Any = None, weights: Array | None = None) -> Array:
        """⟨aᵢ, ∇²f(w) aⱼ⟩ for the atoms ``rows`` with images Z; images alone do not tell inner products with other atoms."""
        check(Z2 is None, f"The Hessian of {self!r} between atoms was asked for by their images, which do not tell the inner "
                          "products that its ridge needs. Use hessian(w, rows, cols).")
        return self._bare.hessian_gram(w, rows, Z, None, weights) + self.l2 * inner_products(rows, rows, self.domain)

    def hessian_product(self, w: Iterate, u: Array, atom: Atom | None = None) -> Array:
        v = self._ridge.at(w).z.reshape(self.domain) if atom is None else dense(atom, self.domain)
        return as_array(self._bare.hessian_product(w, u), self.domain) + self.l2 * v

    def hessian_diagonal(self, w: Iterate, block: Block) -> Array:
        return self._bare.hessian_diagonal(w, block) + self.l2 * squares(block, self.domain)

    # --- promises -------------------------------------------------------------------------------------------------

    def rounding(self, w: Iterate, S: AtomSet, eps: float = RIDGED_EPS) -> float:
        """The allowances of both parts, and what is rounded where they are added."""
        # the sum of two parts is rounded too: by less than an eighth of what their allowances are
        return 1.125 * (self._bare.rounding(w, S, eps) + self._ridge.rounding(w, S, eps))

    def moves(self, w: Iterate) -> int:
        return max(self.at(w).moves, self._ridge.at(w).moves)

    def fresh(self, w: Iterate) -> bool:
        return self.moves(w) == 0

    def _in_double(self) -> Ridged:
        """The ridge is in float64 always."""
        return type(self)(self._bare.precise(), self.l2, self._ridge)


def with_ridge(f: Composite, l2: object) -> Composite:
    """f + (l2/2)‖·‖²; f itself where l2 is zero, so that what is not asked for costs nothing."""
    factor = checked_ridge(l2)
    return f if factor == 0.0 else Ridged(f, factor)


def checked_ridge(l2: object) -> float:
    """The factor of a ridge: a finite number of at least 0."""
    try:
        array = np.asarray(l2)
    except ValueError:  # a ragged list
        array = np.asarray(None)
    good = array.ndim == 0 and array.dtype.kind in "iuf" and not np.ma.is_masked(l2) and 0.0 <= float(array) < np.inf
    if not good:
        raise GreedyhullError(f"l2 = {l2!r} was given; a finite number of at least 0 is wanted, the factor in (l2/2)‖w‖².")
    return float(array)


def without_ridge(f: F) -> F:
    """φ∘A of f = φ∘A + (l2/2)‖·‖², under which points keep their images; any other f itself."""
    return cast(F, f.bare) if isinstance(f, Ridged) else f


class RidgedMultinomial(Ridged):
    """A `Multinomial` with a ridge."""

    _bare: Multinomial

    @property
    def intercepts_fitted(self) -> bool:
        """Whether each class has an intercept."""
        return self._bare.intercepts_fitted

    def intercept(self, w: Iterate) -> Array:  # type: ignore[override]  # one for each class
        return self._bare.intercept(w)

    def probabilities(self, w: Iterate) -> Array:
        """The probability of each class for every row of the data."""
        return self._bare.probabilities(w)

    def hessian_product(self, w: Iterate, u: Array, atom: Atom | None = None) -> Array:
        return self._bare.hessian_product(w, u) + self.l2 * u

    def model(self, w: Iterate) -> LocalModel:
        """The Hessian at w, whole."""
        bare = self._bare.model(w)
        return LocalModel(lambda dtype: _raised(bare.hessian(dtype), self.l2))

    def curvature(self, S: AtomSet) -> Constant:
        """That of the loss and l2·D², D the diameter."""
        return Constant(float(self._bare.curvature(S)) + self.l2 * S.diameter**2, "upper bound", "M")


class RidgedResponses(Ridged):
    """`SquaredResponses` with a ridge: the same small Hessian XᵀPX + l2·I for each column."""

    _bare: SquaredResponses

    @cached_property
    def _normal(self) -> NormalEquations:
        bare = self._bare.equations()
        return NormalEquations(lambda dtype: _raised((bare.single if dtype == np.float32 else bare).K, self.l2),
                               bare.B, bare.basis)

    def equations(self) -> NormalEquations:
        """K + l2·I and B. Where X has more columns than rows, the ridge takes nothing from what is outside the span of its
        rows either: the optimum is inside."""
        return self._normal


def _raised(H: Array, l2: float) -> Array:
    raised = H.copy()
    raised[np.diag_indices_from(raised)] += raised.dtype.type(l2)
    return raised


def of_data(name: str, kind: type[Separable], X: Any, y: Any, sample_weight: Any, intercept: bool, l2: float,
            *numbers: float) -> Composite:
    """The mean of a loss of one kind over the rows of X, and the ridge, if any."""
    A = design(X)
    p = 1.0 / A.n if sample_weight is None else shares(sample_weight, A.n)
    if kind.targets == "labels":
        y = signs(y, A.n)
        seen = y if isinstance(p, float) else y[p > 0.0]
        check(not intercept or bool(seen.min() < seen.max()), "y holds one class only: the best intercept is infinite. "
              "Give samples of both classes, with positive weight, or leave the intercept out.")
    else:
        y = vector(y, A.n, "y")
    if kind.targets == "counts":
        check(bool((y >= 0).all()), "y has negative entries; a Poisson model wants counts, y ≥ 0.")
        check(not intercept or float((p * y).sum()) > 0, "All counts are zero: the best intercept is −∞. "
                                                         "Leave the intercept out.")
    return composed(name, A, kind(y, p, *numbers), intercept, l2)


def composed(name: str, A: Design, exact: Separable, intercept: bool, l2: float) -> Composite:
    """φ∘A and the ridge, if any; where the data are float32, the loss is kept in float64 too, for the certificate."""
    taken = None if isinstance(exact.p, float) else in_place_of(A, exact.p, exact.y)
    if taken is not None:
        A, exact.y = A.rows(taken), exact.y[taken]
    loss = exact
    if A.dtype != exact.y.dtype:
        with np.errstate(over="ignore"):
            loss = exact.cast(A.dtype)
        check(bool(np.isfinite(loss.y).all()), lambda: f"y has entries of up to {np.abs(exact.y).max():.3g}, too large for "
              "float32, in which X is given. Give X in float64, or scale y down.")
    f = Composite(A, loss.profiled(), name, exact.profiled()) if intercept else Composite(A, loss, name, exact)
    return f if type(l2) is float and l2 == 0.0 else with_ridge(f, l2)


P = ParamSpec("P")
R = TypeVar("R", bound=Objective)
PLAIN_TYPES = frozenset(PLAIN)
_X = """Parameters
----------
X : array_like, sparse matrix or linear operator of shape (n, d)
    One row for each sample. float32 data are iterated in float32 and certified in float64.
y : array_like of shape (n,)
    """
SHARED = {  # by the line that they stand for in docstrings
    "{X, targets}": f"{_X}Targets.",
    "{X, labels}": f"{_X}Labels, −1 and +1 or 0 and 1.",
    "{X, counts}": f"{_X}Counts, at least 0.",
    "{options}": """{sample_weight}
intercept : bool, default False
    Whether to add a free constant to Xw. It is found exactly for every w, is not a coordinate of w, and is returned as
    `Solution.intercept`.
l2 : float, default 0.0
    Adds the ridge (l2/2)‖w‖² to f; at least 0. The intercept is not penalised.

{Returns}""",
    "{sample_weight}": """sample_weight : array_like of shape (n,), optional
    Non-negative weights sᵢ; the mean becomes Σ sᵢℓᵢ / Σ sᵢ. All samples count alike by default.""",
    "{Returns}": """Returns
-------
Composite
    The objective.""",
}


if TYPE_CHECKING:
    class FromData(Generic[P, R]):
        """A function of data; the first argument may be shards, and then the others are given by name."""

        __name__: str

        @overload
        def __call__(self, X: Shards, /, **named: Any) -> ShardedModel: ...
        @overload
        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...
        def __call__(self, *args: Any, **kwargs: Any) -> Any: ...  # type: ignore[misc]


def from_data(*rows: str, instead: str = "") -> Callable[[Callable[P, R]], FromData[P, R]]:
    """Make a function an entry point, as `public` does, that aligns ``rows``, the data first, by their labels.

    It takes shards in place of X and y. A function that needs all rows in one place says what to use ``instead``. The columns
    of the data are the coordinates of the objective, unless its points are matrices. Parameters that many functions have are
    written into the docstring.
    """
    def wrap(function: Callable[P, R]) -> Any:
        text = cleandoc(function.__doc__ or "")
        for place, words in SHARED.items():
            text = text.replace(place, words)
        function.__doc__ = text

        @wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            bound = None
            if not PLAIN_TYPES.issuperset(map(type, (*args, *kwargs.values()))):
                if args and not isinstance(args[0], np.ndarray | Design) and isinstance(args[0], Shards):
                    return over_shards(args[0], args[1:], kwargs)
                bound = rows_alike(function, args, kwargs, *rows)
                args, kwargs = (args, kwargs) if bound is None else (bound.args, bound.kwargs)
            try:
                with one_thread:
                    made = function(*args, **kwargs)
            except TypeError as error:
                for note in notes(function, args, kwargs):
                    error.add_note(note)
                raise
            if bound is not None and len(made.domain) == 1:
                keep(made, labels_of(bound.arguments.get(rows[0]), 1))
            return made

        def over_shards(shards: Shards, rest: tuple[Any, ...], named: dict[str, Any]) -> Any:
            name = function.__name__
            check(not instead, lambda: f"{name} was given shards, and needs all rows in one place. {instead}")
            check(not rest and not {"y", "sample_weight"} & set(named), f"{name} was given shards and more data; targets and "
                  "weights come with the shards. Give the other arguments by name.")
            from greedyhull.remote.model import over

            return over(called, shards, named)

        return called

    return wrap
