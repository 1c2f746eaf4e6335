"""Objectives that are functions on arrays: f with its gradient, and means of n terms."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np

from greedyhull.atoms.arguments import whole_shape
from greedyhull.errors import GreedyhullError, check, shown, signed, takes
from greedyhull.kernels.core import public, user
from greedyhull.objectives.accuracy import given_scale
from greedyhull.objectives.base import Objective, number, numbers
from greedyhull.objectives.minibatches import Minibatch, pulls_of
from greedyhull.objectives.restricted import ByProducts, Restriction
from greedyhull.points.arrays import length, locked
from greedyhull.points.iterate import Iterate
from greedyhull.types import Array, AtomSet, Block, Index, Shape, Traits


class BlackBox(Objective):
    """f given by functions value(w) and gradient(w) of arrays, and perhaps hessian_product(w, v).

    It must be convex for its gaps to bound its error. If it is not, and says so (``convex`` False), gaps are measures of
    stationarity. It is never asked outside the hull, and its arrays are never changed.
    """

    terms: ClassVar[Literal["none", "finite"]] = "none"
    name = "function"
    called = "value(w)"
    users: ClassVar[bool] = True  # whether the functions are a user's

    def __init__(self, value: Callable[[Array], float], gradient: Callable[[Array], Array], shape: Shape,
                 smoothness: float | None, convex: bool = True, scale: float | None = None,
                 hessian_product: Callable[[Array, Array], Array] | None = None) -> None:
        check_functions("w", value=value, gradient=gradient)
        check(hessian_product is None or callable(hessian_product), f"hessian_product = {hessian_product!r} was given; a "
              "function of two arrays, w and v, that returns the array ∇²f(w)v is wanted, or None.")
        check(smoothness is None or (np.asarray(smoothness).dtype.kind in "iuf" and smoothness > 0),
              f"smoothness = {smoothness!r} was given; a positive number is wanted.")
        self._value, self._gradient, self.domain, self.smoothness = value, gradient, shape, smoothness
        self._product, self.scale = hessian_product, given_scale(scale)
        self.traits = Traits(self.terms, convex=bool(convex), second_order=hessian_product is not None)

    def __repr__(self) -> str:
        return f"function(shape={self.domain})"

    def call(self, function: Callable[..., Any], *args: Any) -> Any:
        """Call one of the functions; a user's has as many BLAS threads as the caller of `minimize` set."""
        return user(function, *args) if self.users else function(*args)

    def value(self, w: Iterate) -> float:
        view = self.at(w)
        if view.value is None:
            view.value = self.value_at(view.x)
        return float(view.value)

    def gradient(self, w: Iterate) -> Array:
        view = self.at(w)
        if view.gradient is None:
            view.gradient = self.gradient_at(view.x)
            w.work.gradients += 1
        return view.gradient  # type: ignore[no-any-return]

    def hessian_product(self, w: Iterate, v: Array) -> Array:
        """∇²f(w)v, as the user's function tells it; nothing but the choice of steps rests on it."""
        if self._product is None:
            raise GreedyhullError(f"{self!r} was made without hessian_product=. Give one, or use BlendedPairwise().")
        p = numbers(self.call(self._product, locked(self.at(w).x), locked(v)), "hessian_product(w, v)", self.domain)
        check(bool(np.isfinite(p).all()), "hessian_product(w, v) returned NaN or infinite entries at a point of the hull. "
              "Where f has no finite Hessian leave hessian_product out: BlendedPairwise() needs none.")
        w.work.products += 1.0
        return p

    def restricted(self, block: Block) -> Restriction:
        return ByProducts(self, block)

    def value_at(self, x: Array) -> float:
        return number(self.call(self._value, locked(x)), self.called, self._coarse)

    def gradient_at(self, x: Array) -> Array:
        return numbers(self.call(self._gradient, locked(x)), "gradient(w)", self.domain, self._coarse)

    def sampled_functions(self) -> tuple[Callable[[Array], float], Callable[[Array], Array]]:
        """Two functions, value and gradient, that tell whether the user's agree with each other."""
        return self.value_at, self.gradient_at


def check_functions(arguments: str, **functions: Any) -> None:
    """Raise unless all of these are functions of these arguments."""
    for name, function in functions.items():
        if not (callable(function) and takes(function, *arguments.split(", "))):
            raise GreedyhullError(f"{name} must be a function {name}({arguments}); got "
                                  f"{signed(function) if callable(function) else shown(function)}.")


def check_lipschitz(lipschitz: object) -> None:
    check(lipschitz is None or (isinstance(lipschitz, Real) and 0.0 < float(lipschitz) < np.inf), lambda: "lipschitz must be "
          f"positive and finite, or None; got {shown(lipschitz)}. It bounds the length of the gradient of every term.")


def check_length(g: Array, lipschitz: float | None) -> None:
    """Raise where the gradient of some terms is longer than that of each of them is said to be."""
    if lipschitz is not None:  # up to rounding
        check(length(g) <= (1.0 + 1e-6) * lipschitz, lambda: f"lipschitz must be at least {length(g):.6g}, the length of a "
              f"gradient of the run; got {lipschitz!r}. Bounds rest on it: give a larger one, or leave it out.")


Value = Callable[[Array, Index], Any]
Gradient = Callable[[Array, Index], Any]


class Terms(Minibatch):
    """The mean of some terms, at any array."""

    def __init__(self, f: FiniteSum, index: Index) -> None:
        self.f, self.index, self.size = f, index, len(index)

    def value(self, x: Array) -> float:
        return number(user(self.f.value_of, locked(x.copy()), self.index), self.f.called, self.f._coarse)

    def gradient(self, x: Array) -> Array:
        return self.f.checked(user(self.f.gradient_of, locked(x.copy()), self.index))

    def pulls(self, x: Array, S: AtomSet) -> Array:
        return pulls_of((Terms(self.f, self.index[i : i + 1]).gradient(x) for i in range(self.size)), x, S)


class FiniteSum(BlackBox):
    """f = (1/n) Σ fᵢ; whole it is a black box, and `batch` gives some of its terms."""

    terms = "finite"
    name = "finite_sum"
    called = "value(w, index)"
    n: int

    def __init__(self, value: Value, gradient: Gradient, n: int, shape: Shape, smoothness: float | None,
                 lipschitz: float | None = None, convex: bool = True, scale: float | None = None) -> None:
        check(isinstance(n, (int, np.integer)) and not isinstance(n, bool) and n >= 1,
              lambda: f"n={shown(n)} terms were given to finite_sum; a whole number of at least one is wanted.")
        check_functions("w, index", value=value, gradient=gradient)
        check_lipschitz(lipschitz)
        self.n, self.value_of, self.gradient_of, self.lipschitz = int(n), value, gradient, lipschitz
        everything = np.arange(self.n)
        everything.flags.writeable = False
        super().__init__(lambda x: value(x, everything), lambda x: gradient(x, everything), shape, smoothness, convex, scale)

    def __repr__(self) -> str:
        return f"finite_sum(n={self.n}, shape={self.domain})"

    def sampled_functions(self) -> tuple[Callable[[Array], float], Callable[[Array], Array]]:
        """Those of a few terms: what is wrong with all is wrong with these."""
        # terms that are looked at when a run begins
        few = self.batch(np.unique(np.linspace(0, self.n - 1, 16).astype(np.intp)))
        return few.value, few.gradient

    def batch(self, index: Index) -> Terms:
        """Some of the terms; the mean over all batches is f."""
        return Terms(self, index)

    def gradient_at(self, x: Array) -> Array:
        return self.checked(self.call(self._gradient, locked(x)))

    def checked(self, g: Any) -> Array:
        """The gradient as a new float64 array."""
        array = numbers(g, "gradient(w, index), the mean over the index,", self.domain, self._coarse)
        check_length(array, self.lipschitz)
        return array


@public
def finite_sum(value: Value, gradient: Gradient, n: int, shape: Shape | int, *, smoothness: float | None = None,
               lipschitz: float | None = None, convex: bool = True, scale: float | None = None) -> FiniteSum:
    """Mean of n terms, f(w) = (1/n) Σ fᵢ(w), given by functions of w and of an index array.

    Parameters
    ----------
    value : callable
        ``value(w, index)`` returns the mean of fᵢ(w) over the index array. An index that occurs twice counts twice.
    gradient : callable
        ``gradient(w, index)`` returns the mean of ∇fᵢ(w) over the index array.
    n : int
        The number of terms.
    shape : int or tuple of int
        The shape of w.
    smoothness : float, optional
        L, if ∇f is L-Lipschitz on the hull in the Euclidean norm. `Short` steps and the bounds of theory need it.
    lipschitz : float, optional
        A bound on the Euclidean norm of ∇fᵢ(w) for every term on the hull. With it `MinibatchGap` and `Regret` prove bounds
        of kind "probability"; without it they are estimates.
    convex : bool, default True
        False if f is not convex. Gaps then measure stationarity and do not bound the error.
    scale : float, optional
        A value of f that counts as large. `Relative` measures gaps by max(|value|, scale), so give it where the minimum may
        be zero.

    Returns
    -------
    FiniteSum
        The objective.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> rows = np.array([[1.0, 0.0], [0.0, 3.0]])
    >>> f = gh.finite_sum(lambda w, i: float((rows[i] @ w).mean()), lambda w, i: rows[i].mean(axis=0), 2, 2)
    >>> f
    finite_sum(n=2, shape=(2,))
    >>> f.batch(np.array([1])).gradient(np.zeros(2))
    array([0., 3.])
    """
    domain = whole_shape(shape)
    return FiniteSum(value, gradient, n, domain, smoothness, lipschitz, convex, scale)
