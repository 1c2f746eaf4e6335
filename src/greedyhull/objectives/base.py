"""What objectives derive from, and what a user's value and gradient must return."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from greedyhull.errors import GreedyhullError, check, former
from greedyhull.kernels.core import user
from greedyhull.objectives.lines import AskedLine, Line
from greedyhull.objectives.restricted import ByProducts, Restriction
from greedyhull.points.arrays import coarse_dtype, dense, eps_of, is_sparse, length, masked
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.direction import Direction
from greedyhull.points.iterate import Iterate
from greedyhull.points.views import Coordinates, Foreseen, no_point
from greedyhull.theory import Constant
from greedyhull.types import Array, AtomSet, Block, Shape, Traits, lacks

if TYPE_CHECKING:
    from greedyhull.kernels.matrix_models import LocalModel, MatrixEquations
    from greedyhull.objectives.minibatches import Source
    from greedyhull.types import Index, Minibatch

EPS = float(np.finfo(np.float64).eps)


class Objective(ABC):
    """A convex f on the hull. To write: ``domain``, the shape of its points, `value` and `gradient`.

    A class of your own gets points w and may call ``np.asarray(w)``. It is called once for each point. Optional are
    ``smoothness``, a Lipschitz constant of ∇f on the hull; ``scale``, a value of f that counts as large; ``traits``;
    ``hessian_product(w, v)``, for `Corrective`; and whatever is known better than by the defaults here.

    >>> import numpy as np, greedyhull as gh
    >>> class Distance(Objective):
    ...     domain = (3,)
    ...     def value(self, w): return 0.5 * float(np.sum((np.asarray(w) - 1) ** 2))
    ...     def gradient(self, w): return np.asarray(w) - 1
    >>> gh.minimize(Distance(), gh.Simplex(3)).x.round(3)
    array([0.333, 0.333, 0.333])
    """

    domain: Shape
    traits: Traits = Traits()
    scale: float = 0.0
    smoothness: float | None = None

    if TYPE_CHECKING:  # capabilities; an objective has those that its traits name
        @property
        def n(self) -> Any: ...  # terms: how many
        batch: Callable[..., Minibatch]  # terms == "finite": batch(index); "stream": batch(size, rng)
        source: Callable[[np.random.Generator], Source]  # terms == "stream"
        intercept: Callable[[Iterate], Any]  # intercept: a number, or one for each class
        gradient_error: Callable[[Iterate], Array | float]  # exact_gradient is False: |ĝⱼ − ∂ⱼf(w)| at most
        hessian_product: Callable[..., Array]  # second_order: ∇²f(w)v for an array v
        restricted: Callable[[Block], Restriction]  # second_order: f on the hull of a few atoms
        equations: Callable[[], MatrixEquations]  # written: a quadratic of matrices whose Hessian is easily inverted
        model: Callable[[Iterate], LocalModel]  # modelled: a quadratic model around a small matrix
        single: Callable[[], Objective]  # single: a copy in float32
        everything: Callable[[], Minibatch]  # remote: all terms, asked and not fetched
        singles: Callable[[Index], list[Minibatch]]  # remote: each of these terms alone, all fetched at once
        shard_marks: Callable[[], dict[str, str]]  # remote: by the name of each shard, what changes when it does
        reduced: Callable[[], tuple[Objective, str]]  # remote: what a solver works on where that is smaller, and why

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if any(base.__module__.startswith("greedyhull.") and base is not Objective for base in cls.__mro__):
            return  # the library's classes know what they have computed
        for name, once in (("value", _value_once), ("gradient", _gradient_once)):
            if name in vars(cls):
                setattr(cls, name, once(vars(cls)[name]))
        if "hessian_product" in vars(cls):
            cls.restricted = _by_products  # type: ignore[assignment]
            cls.traits = replace(cls.traits, second_order=True)

    @abstractmethod
    def value(self, w: Iterate) -> float: ...

    @abstractmethod
    def gradient(self, w: Iterate) -> Any: ...

    @cached_property
    def _coarse(self) -> Any:
        """The dtypes that value and gradient were returned in."""
        return Coarse()

    def at(self, w: Iterate) -> Any:
        """The view of w that this objective keeps."""
        try:
            return w.views.get(self) or w.view(self, lambda: Coordinates())
        except AttributeError as error:
            raise no_point(self, w, error) from None
        except TypeError:
            raise GreedyhullError(f"A {type(self).__name__} is not hashable, and points remember objectives. If it is a "
                                  "dataclass, write @dataclass(eq=False).") from None

    def value_at(self, x: Array) -> float:
        """f at an array of the hull."""
        return self.value(CoordinateIterate(x))

    def gradient_at(self, x: Array) -> Array:
        """∇f at an array of the hull."""
        return np.asarray(self.gradient(CoordinateIterate(x)))

    def gradient_dot(self, w: Iterate) -> float:
        return float(np.vdot(self.gradient(w), self.at(w).x))

    euler = former("euler", "gradient_dot")

    def along(self, w: Iterate, move: Direction) -> Line:
        view = self.at(w)
        v = view.direction(move)
        size = float(np.vdot(v, v))

        def derivatives(step: float) -> tuple[float, float]:
            x = view.after(move, step)
            w.work.gradients += 1
            g = self.gradient_at(x)
            view.ahead = Foreseen(move, step, x, (None, g))
            return float(np.vdot(g, v)), np.nan

        def value(step: float) -> float:
            seen = view.ahead if view.ahead is not None and view.ahead.of(move, step) else None
            x = view.after(move, step) if seen is None else seen.x
            found = self.value_at(x)
            view.ahead = None if seen is None else seen._replace(found=(found, seen.found[1]))
            return found

        def bent(bend: float) -> None:
            view.bend = bend / size

        bends = None if self.smoothness is None else lambda: float(self.smoothness or 0.0) * size
        slope = float(np.vdot(self.gradient(w), v))
        return AskedLine(value, derivatives, slope, move.max_step, start=self.value(w), guess=view.bend * size, bends=bends,
                         seen=bent)

    def start(self, S: AtomSet, rng: np.random.Generator) -> Iterate:
        """An atom of S, or its centre where f is not finite there."""
        w = Iterate.at(S.start(rng), S.shape)
        return w if np.isfinite(self.value(w)) else S.centre()

    def rounding(self, w: Iterate, S: AtomSet) -> float:
        """The rounding of the sums done here; that of the two functions themselves is theirs."""
        x, g = self.at(w).x, self.gradient(w)
        terms = float(np.abs(g).ravel().dot(np.abs(x).ravel())) + S.max_abs(np.abs(g))
        first: float = EPS * (x.size + 16.0) * (abs(self.value(w)) + terms)
        if self.smoothness is None:
            return first
        off = EPS * (16.0 + len(w)) * length(w.absolute())  # what x itself may be off by, where its atoms cancel
        return first + 0.5 * float(self.smoothness) * off * off

    def fresh(self, w: Iterate) -> bool:
        """Whether what is known at w was computed from its atoms, not carried along by moves."""
        return False

    def moves(self, w: Iterate) -> int:
        """How many moves have carried what is known at w along since it was computed from the atoms."""
        return 0

    def curvature(self, S: AtomSet) -> Constant:
        """The curvature M of f on the hull of S, or an upper bound: here L·diam(S)²."""
        if self.smoothness is None:
            raise GreedyhullError("A function of unknown smoothness has no known curvature. Pass smoothness=, or use "
                                  "Backtracking(), which estimates it along the run.")
        return Constant(self.smoothness * S.diameter**2, "upper bound", "M")

    def precise(self) -> Objective:
        """This objective in float64: what certificates are computed with."""
        return self


def _by_products(self: Objective, block: Block) -> ByProducts:
    return ByProducts(self, block)


def _value_once(written: Callable[[Any, Iterate], Any]) -> Callable[[Any, Iterate], float]:
    """A user's ``value``, checked, and computed once for each point; a call by ``super()`` is passed on as it is."""
    @wraps(written)
    def value(self: Any, w: Iterate) -> float:
        if type(self).value is not value:
            return float(written(self, w))
        view = self.at(w)
        if view.value is None:
            view.value = number(user(written, self, CoordinateIterate(view.x)), "value(w)", self._coarse)
        return float(view.value)

    return value


def _gradient_once(written: Callable[[Any, Iterate], Any]) -> Callable[[Any, Iterate], Array]:
    """A user's ``gradient``; the same."""
    @wraps(written)
    def gradient(self: Any, w: Iterate) -> Array:
        if type(self).gradient is not gradient:
            return np.asarray(written(self, w))
        view = self.at(w)
        if view.gradient is None:
            answer = user(written, self, CoordinateIterate(view.x))
            view.gradient = numbers(answer, "gradient(w)", self.domain, self._coarse)
            w.work.gradients += 1
        return np.asarray(view.gradient)

    return gradient


class Coarse:
    """The coarsest dtypes that values and gradients have had so far; "" for float64."""

    __slots__ = ("gradient", "value")

    def __init__(self) -> None:
        self.value = self.gradient = ""

    def note(self, part: Literal["value", "gradient"], given: Any) -> None:
        """Remember the dtype of an answer, if it is the coarsest so far."""
        name = coarse_dtype(given)
        if name and part == "value":
            self.value = max(self.value, name, key=eps_of)
        elif name:
            self.gradient = max(self.gradient, name, key=eps_of)

    def at(self, value: float, g: Array) -> Coarse:
        """What counts at a point: if one of the two is coarse, and its dtype holds all digits of the other, both are."""
        here = Coarse()
        here.value = self.value or (self.gradient if _fits(np.asarray(value), self.gradient) else "")
        here.gradient = self.gradient or (self.value if _fits(g, self.value) else "")
        return here


def _fits(x: Array, dtype: str) -> bool:
    """Whether a dtype holds all digits of these numbers."""
    digits = np.frexp(x)[0] * (2.0 / eps_of(dtype)) if dtype else np.full(1, np.nan)
    return bool((digits == np.rint(digits)).all())


def number(value: Any, called: str, coarse: Coarse | None = None) -> float:
    """What a function returned, as a float; arrays of one entry are taken, NaN and infinity are for others to judge.

    ``coarse`` remembers its dtype. Arrays of other libraries need no more than ``float(value)``.
    """
    if isinstance(value, (float, int)):
        return float(value)
    if coarse is not None:
        coarse.note("value", value)
    if isinstance(value, (np.ndarray, np.generic)):
        if value.size == 1 and (value.dtype.kind in "biuf" or coarse_dtype(value)):
            return float(value.reshape(()))
    elif not lacks(value, "__float__"):
        try:
            return float(value)
        except (TypeError, ValueError, RuntimeError):  # of several entries
            pass
    several = f"a {type(value).__name__}"
    if isinstance(value, tuple):
        several = f"{len(value)} things; return the value alone, and the gradient from a function of its own"
    elif isinstance(value, np.ndarray):
        several = f"an array of shape {value.shape} and dtype {value.dtype}"
    raise GreedyhullError(f"{called} returned {several}. One number is wanted.")


def numbers(g: Any, called: str, shape: Shape, coarse: Coarse | None = None) -> Array:
    """What a function returned, as a new float64 array of this shape: whoever returned it may write on it again.

    A sparse gradient is made dense, and its only row or column a vector. ``coarse`` remembers its dtype.

    >>> from scipy.sparse import csr_array
    >>> numbers(csr_array([[0.0, 2.0]]), "gradient(w)", (2,))
    array([0., 2.])
    """
    check(not isinstance(g, tuple), lambda: f"{called} returned several things; the gradient alone is wanted.")
    if coarse is not None:
        coarse.note("gradient", g)
    if is_sparse(g):
        g = dense(g)
        g = g.ravel() if len(shape) == 1 and 1 in g.shape else g
    try:
        try:
            array = np.asanyarray(g)
        except (TypeError, RuntimeError):  # tensors of torch that are bfloat16, follow gradients or are on another device
            array = np.asarray(g.tolist())
        check(not np.iscomplexobj(array) and not masked(array),
              f"{called} returned masked or complex entries; real numbers are wanted.")
        found = np.array(array, dtype=np.float64)
    except GreedyhullError:
        raise
    except (AttributeError, TypeError, ValueError):
        raise GreedyhullError(f"{called} returned a {type(g).__name__} that is no array of numbers; an array with the shape "
                              "of w is wanted.") from None
    check(found.shape == shape, lambda: f"{called} returned shape {found.shape}; the shape {shape} of w is wanted.")
    return found
