"""An objective that is two functions on arrays: f and its gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from greedyhull.coordinates import Coordinates
from greedyhull.direction import Direction
from greedyhull.errors import GreedyhullError, check
from greedyhull.iterate import Iterate
from greedyhull.line import Curve
from greedyhull.theory import Constant
from greedyhull.types import Array, AtomSet, Line, Shape

EPS = float(np.finfo(np.float64).eps)


class BlackBox:
    """f given by value(w) and gradient(w); it must be convex for its gaps to bound its error.

    If it is not, and says so (``convex`` False), gaps are measures of stationarity.
    It is never asked outside the hull, and its arrays are never changed.
    """

    quadratic = False
    has_intercept = False
    name = "function"

    def __init__(self, value: Callable[[Array], float], gradient: Callable[[Array], Array], shape: Shape,
                 smoothness: float | None, convex: bool = True) -> None:
        check(callable(value) and callable(gradient), "function(value, gradient, shape) wants two functions of an array.")
        check(smoothness is None or (np.asarray(smoothness).dtype.kind in "iuf" and smoothness > 0),
              f"smoothness = {smoothness!r} was given; a positive number is wanted.")
        self._value, self._gradient, self.domain, self.smoothness = value, gradient, shape, smoothness
        self.convex = bool(convex)

    def __repr__(self) -> str:
        return f"function(shape={self.domain})"

    def at(self, w: Iterate) -> Coordinates:
        return w.views.get(self) or w.view(self, lambda: Coordinates())  # type: ignore[return-value]

    def value(self, w: Iterate) -> float:
        view = self.at(w)
        if view.value is None:
            view.value = _number(self._value(_locked(view.x)))
        return view.value

    def gradient(self, w: Iterate) -> Array:
        view = self.at(w)
        if view.gradient is None:
            view.gradient = self._checked(self._gradient(_locked(view.x)))
            w.work.gradients += 1
        return view.gradient

    def _checked(self, g: Any) -> Array:
        check(not isinstance(g, tuple), "gradient(w) returned several things; the gradient alone is wanted.")
        try:
            array: Array = np.asarray(g) if np.iscomplexobj(g) else np.asarray(g, dtype=np.float64)
        except (TypeError, ValueError):
            raise GreedyhullError(f"gradient(w) returned a {type(g).__name__}, {g!r:.60}; an array of numbers of shape "
                                  f"{self.domain} is wanted.") from None
        check(array.shape == self.domain, f"gradient(w) returned shape {array.shape}; the shape {self.domain} of w is wanted.")
        check(array.dtype == np.float64, f"gradient(w) returned {array.dtype}; real numbers are wanted.")
        return array

    def euler(self, w: Iterate) -> float:
        return float(np.vdot(self.gradient(w), self.at(w).x))

    def along(self, w: Iterate, move: Direction) -> Line:
        view = self.at(w)
        v = view.direction(move)
        x, low, high = view.x, view.low, view.high
        size = float(np.vdot(v, v))

        def ahead(step: float) -> Array:
            return np.clip(x + step * v, low, high)

        def derivatives(step: float) -> tuple[float, float]:
            w.work.gradients += 1
            return float(np.vdot(self._checked(self._gradient(ahead(step))), v)), np.nan

        bends = None if self.smoothness is None else lambda: float(self.smoothness or 0.0) * size
        slope = float(np.vdot(self.gradient(w), v))
        return Curve(lambda step: _number(self._value(ahead(step))), derivatives, slope, move.max_step, bends=bends)

    def start(self, S: AtomSet, rng: np.random.Generator) -> Iterate:
        w = Iterate.at(S.start(rng), S.shape)
        if np.isfinite(self.value(w)):
            return w
        return S.centre()

    def rounding(self, w: Iterate, S: AtomSet) -> float:
        """The rounding of the sums done here; that of the two functions themselves is theirs."""
        x, g = self.at(w).x, self.gradient(w)
        terms = float(np.abs(g).ravel().dot(np.abs(x).ravel())) + S.absolute(np.abs(g))
        return EPS * (x.size + 16.0) * (abs(self.value(w)) + terms)

    def fresh(self, w: Iterate) -> bool:
        """False: coordinates are carried along by moves, and recomputed for the certificate."""
        return False

    def curvature(self, S: Any) -> Constant:
        """M ≤ L·diam(S)²."""
        if self.smoothness is None:
            raise GreedyhullError("A function of unknown smoothness has no known curvature. Pass smoothness=, or use "
                                  "Backtracking(), which estimates it along the run.")
        return Constant(self.smoothness * S.diameter**2, "upper bound", "M")

    def precise(self) -> BlackBox:
        return self


def _number(value: Any) -> float:
    """What value(w) returned, as a number; NaN and infinity are for others to judge."""
    if isinstance(value, float):
        return float(value)
    try:
        array: Array = np.asarray(value)
        if array.size == 1 and array.dtype.kind in "biuf" and not isinstance(value, tuple | list):
            return float(array.reshape(())[()])
    except (TypeError, ValueError):  # parts of different lengths
        pass
    several = f"a {type(value).__name__}"
    if isinstance(value, tuple):
        several = f"{len(value)} things; return the value alone, and the gradient from gradient(w)"
    elif isinstance(value, np.ndarray):
        several = f"an array of shape {value.shape} and dtype {value.dtype}"
    raise GreedyhullError(f"value(w) returned {several}. One number is wanted.")


def _locked(x: Array) -> Array:
    """The array as a read-only view: the user's function cannot change the iterate."""
    view = x.view()
    view.flags.writeable = False
    return view
