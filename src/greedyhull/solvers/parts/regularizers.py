"""Regularisers Φ: what holds a regularised solver back, so that its points cannot follow the noise.

A regulariser is any object with ``value(x)``, ``gradient(x)`` and ``rho``: Φ is ρ-strongly convex and its gradient is
1-Lipschitz, both in the Euclidean norm. Where it has a method ``start(S)``, that gives the point a run begins at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from greedyhull.errors import check
from greedyhull.errors.hinted import hinted
from greedyhull.objectives.by_name import function
from greedyhull.solvers.parts.memory import Memory
from greedyhull.types import Array, AtomSet
from greedyhull.types.attributes import lacks

if TYPE_CHECKING:
    from greedyhull.points.iterate import Iterate

ENOUGH, STALLED, STEPS = 1e-9, 50, 2000  # the relative gap at which a minimum of Φ is found, and when the search ends without


class Regularizer(Protocol):
    """Φ, ρ-strongly convex and 1-smooth on the hull."""

    @property
    def rho(self) -> float: ...
    def value(self, x: Array) -> float: ...
    def gradient(self, x: Array) -> Array: ...


@runtime_checkable
class Starting(Protocol):
    """A regulariser that knows where it is least over a set."""

    def start(self, S: AtomSet) -> Iterate: ...


@hinted
@dataclass(frozen=True)
class SquaredNorm:
    """Regularizer Φ(w) = ½‖w‖² of regularised solvers.

    Taken from the first point w_1 of a run it is ½‖w − w_1‖². Runs start at the centre of the set, where max Φ is least.

    Parameters
    ----------
    rho : float, default 1.0
        The constant of strong convexity, always 1. To scale the regularizer, scale c of the weights.

    See Also
    --------
    RegularizedStochasticFrankWolfe : The solver that uses it.
    Online : Online learning with it.

    Notes
    -----
    A regularizer of your own is an object with ``value(x)``, ``gradient(x)`` and ``rho``: 1-smooth and ``rho``-strongly
    convex.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.SquaredNorm().gradient(np.array([1.0, -2.0]))
    array([ 1., -2.])
    """

    rho: float = 1.0

    def __post_init__(self) -> None:
        check(self.rho == 1.0, f"SquaredNorm(rho={self.rho!r}) was given; ½‖w‖² is 1-strongly convex. To scale it, scale c.")

    def value(self, x: Array) -> float:
        return 0.5 * float(np.vdot(x, x))

    def gradient(self, x: Array) -> Array:
        return x

    def start(self, S: AtomSet) -> Iterate:
        return S.centre()


def check_regularizer(given: Any) -> None:
    """Raise unless ``given`` can be asked for Φ, ∇Φ and ρ."""
    check(not lacks(given, "value", "gradient", "rho"),
          f"regularizer={given!r} was given; an object with value(x), gradient(x) and rho is wanted, such as SquaredNorm().")
    check(0.0 < float(given.rho) <= 1.0, f"The regularizer {given!r} has rho = {given.rho!r}; it is to be "
          "1-smooth and rho-strongly convex, so that a number in (0, 1] is wanted. Divide it by its smoothness.")


def argmin_over(regularizer: Regularizer, S: AtomSet) -> Iterate:
    """w_1 = argmin Φ over the hull of S, as an iterate: by its own formula, or found by minimisation."""
    if isinstance(regularizer, Starting):
        return regularizer.start(S)
    from greedyhull.solvers.blended_pairwise import BlendedPairwise

    f = function(regularizer.value, regularizer.gradient, S.shape, smoothness=1.0)
    w, memory = f.start(S, np.random.default_rng(0)), Memory()
    first, best, since = f.value(w), (np.inf, np.inf), 0
    for k, (_, gap, *_) in enumerate(BlendedPairwise().run(f, S, w, memory)):
        value = f.value(w)
        check(np.isfinite(value + gap), f"The regularizer {regularizer!r} has a value or a gradient that is not finite at a "
                                        f"point of {S!r}; finite numbers are wanted.")
        if value < best[0] or gap < best[1]:
            best, since = (min(value, best[0]), min(gap, best[1])), k
        if gap <= ENOUGH * max(abs(value), first - value + gap) or k - since >= STALLED or k >= STEPS:
            break
        memory.guide = max(memory.guide, value - gap)
    return w.copy()
