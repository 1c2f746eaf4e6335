"""An objective that is the mean of n terms, given by two functions of a point and of the terms that are wanted."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.atoms.arguments import whole_shape
from greedyhull.errors import GreedyhullError, check
from greedyhull.errors.given import shown, signed, takes
from greedyhull.kernels.threads import public, user
from greedyhull.objectives.batch import pulls_of
from greedyhull.objectives.black_box import BlackBox, check_length, number, numbers
from greedyhull.points.arrays import locked
from greedyhull.types import Array, Finite, Index, Shape, Summed
from greedyhull.types.override import KeepsSummed, keeps, override

FEW = 16  # terms that are looked at when a run begins
Value = Callable[[Array, Index], Any]
Gradient = Callable[[Array, Index], Any]


class Terms:
    """The mean of some terms, at any array."""

    def __init__(self, f: FiniteSum, index: Index) -> None:
        self.f, self.index, self.size = f, index, len(index)

    def value(self, x: Array) -> float:
        return number(user(self.f.value_of, locked(x.copy()), self.index), self.f.called, self.f._coarse)

    def gradient(self, x: Array) -> Array:
        return self.f.checked(user(self.f.gradient_of, locked(x.copy()), self.index))

    def pulls(self, x: Array, S: Finite) -> Array:
        """⟨∇fᵢ(x), x − d⟩ for every term and every atom d of a set whose atoms can be listed."""
        return pulls_of((Terms(self.f, self.index[i : i + 1]).gradient(x) for i in range(self.size)), x, S)


class FiniteSum(BlackBox, KeepsSummed):
    """f = (1/n) Σ fᵢ; whole it is a black box, and `batch` gives some of its terms."""

    terms = "finite"
    name = "finite_sum"
    called = "value(w, index)"
    n: int

    if TYPE_CHECKING:
        keeps(Summed.n)

    def __init__(self, value: Value, gradient: Gradient, n: int, shape: Shape, smoothness: float | None,
                 lipschitz: float | None = None, convex: bool = True, scale: float | None = None) -> None:
        check(isinstance(n, (int, np.integer)) and not isinstance(n, bool) and n >= 1,
              lambda: f"n={shown(n)} terms were given to finite_sum; a whole number of at least one is wanted.")
        for called, function in (("value", value), ("gradient", gradient)):
            check(callable(function), f"finite_sum({called}={shown(function)}) was given; two functions of an array and of an "
                                      "index array, value(w, index) and gradient(w, index), are wanted.")
            if not takes(function, None, None):
                raise GreedyhullError(f"finite_sum({called}={signed(function)}) was given; a function of two arrays, "
                                      f"{called}(w, index), is wanted.")
        check(lipschitz is None or (isinstance(lipschitz, Real) and 0.0 < lipschitz < np.inf), lambda: f"lipschitz="
              f"{shown(lipschitz)} was given; a bound on the length of the gradient of every term, or None, is wanted.")
        self.n, self.value_of, self.gradient_of, self.lipschitz = int(n), value, gradient, lipschitz
        everything = np.arange(self.n)
        everything.flags.writeable = False
        super().__init__(lambda x: value(x, everything), lambda x: gradient(x, everything), shape, smoothness, convex, scale)

    def __repr__(self) -> str:
        return f"finite_sum(n={self.n}, shape={self.domain})"

    def sampled_functions(self) -> tuple[Callable[[Array], float], Callable[[Array], Array]]:
        """Those of a few terms: what is wrong with all is wrong with these."""
        few = self.batch(np.unique(np.linspace(0, self.n - 1, FEW).astype(np.intp)))
        return few.value, few.gradient

    @override
    def batch(self, index: Index) -> Terms:
        """Some of the terms; the mean over all batches is f."""
        return Terms(self, index)

    def checked(self, g: Any) -> Array:
        """The gradient as a float64 array of its own."""
        array = numbers(g, "gradient(w, index)", self.domain, self._coarse)
        check(array.shape == self.domain,
              f"gradient(w, index) returned shape {array.shape}; the mean over the index, of shape {self.domain}, is wanted.")
        check_length(array, self.lipschitz)
        return array

    def _checked(self, g: Any) -> Array:
        array = super()._checked(g)
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

    See Also
    --------
    function : An objective that is not a sum.
    expectation : Infinitely many terms.

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
