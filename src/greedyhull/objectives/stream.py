"""An objective that is an expectation: it can be sampled for ever, and never known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from greedyhull.atoms.arguments import whole_shape
from greedyhull.errors import GreedyhullError, check, shown
from greedyhull.kernels.core import public, user
from greedyhull.objectives.base import Objective, number, numbers
from greedyhull.objectives.black_box import BlackBox, check_functions, check_length, check_lipschitz
from greedyhull.objectives.composite import Composite
from greedyhull.objectives.minibatches import Minibatch, Source, check_size, pulls_of
from greedyhull.objectives.quadratic import QuadraticForm
from greedyhull.points.arrays import locked
from greedyhull.points.iterate import Iterate
from greedyhull.types import Array, AtomSet, Shape, Traits, lacks

Draw = Callable[[int, np.random.Generator], Any]


class Drawn(Minibatch):
    """What a user's ``draw`` returned, its answers checked."""

    def __init__(self, f: Stream, batch: Any, size: int) -> None:
        self.f, self.batch, self.size = f, batch, size
        check(not isinstance(batch, Composite | QuadraticForm | BlackBox | Stream), lambda: f"draw({size}, rng) returned "
              f"{shown(batch)}, an objective; an object whose value(w) and gradient(w) take arrays is wanted, such as "
              "f.batch(np.arange(n)) of an objective f with n samples.")

    def value(self, x: Array) -> float:
        return number(user(self.batch.value, locked(x.copy())), "value(w) of a batch", self.f._coarse)

    def gradient(self, x: Array) -> Array:
        g = numbers(user(self.batch.gradient, locked(x.copy())), "gradient(w) of a batch", self.f.domain, self.f._coarse)
        check(bool(np.isfinite(g).all()),
              lambda: f"A batch of {self.f!r} returned a gradient with NaN or infinite entries. Look for "
                      "overflow in what draw(size, rng) makes.")
        check_length(g, self.f.lipschitz)
        return g

    def pulls(self, x: Array, S: AtomSet) -> Array | None:
        """⟨∇fᵢ(x), x − d⟩ for every draw and atom d, if the user's object tells the gradients one by one, else None."""
        return None if lacks(self.batch, "gradients") else pulls_of(user(self.batch.gradients, locked(x.copy())), x, S)


class Stream(Objective):
    """f(w) = E F(w, ξ) over fresh draws of ξ. n is None: there is no pass over it, no value, no full gradient."""

    n = None
    name = "expectation"

    def __init__(self, draw: Draw, shape: Shape, lipschitz: float | None, convex: bool) -> None:
        check_functions("size, rng", draw=draw)
        check_lipschitz(lipschitz)
        self.draw, self.domain, self.lipschitz = draw, shape, lipschitz
        self.traits = Traits("stream", convex=bool(convex))

    def __repr__(self) -> str:
        return f"expectation(shape={self.domain})"

    def batch(self, size: int, rng: np.random.Generator) -> Drawn:
        """``size`` fresh draws."""
        check_size(size)
        drawn = user(self.draw, size, rng)
        check(not lacks(drawn, "value", "gradient"), lambda: f"draw({size}, rng) returned {shown(drawn)}; "
              "an object with value(w) and gradient(w), means over the batch, is wanted.")
        return Drawn(self, drawn, size)

    def source(self, rng: np.random.Generator) -> StreamSource:
        return StreamSource(self, rng)

    def value(self, w: Iterate) -> float:
        """NaN: no finite sample tells."""
        return float("nan")

    def unknown(self, *_: Any, **__: Any) -> NoReturn:
        """Raise an error: all terms would be needed."""
        raise GreedyhullError(f"{self!r} is a stream: its full gradient, and with it a gap that always holds, cannot be "
                              "computed. Use StochasticFrankWolfe(), with look=MinibatchGap(1000) or look=Regret().")

    gradient = gradient_dot = along = rounding = curvature = unknown

    def start(self, S: AtomSet, rng: np.random.Generator) -> Iterate:
        return Iterate.at(S.start(rng), S.shape)


class StreamSource(Source):
    """The minibatches of a stream, in the place of a `Source` of a finite sum. ``spent`` counts gradients of draws."""

    n = float("inf")
    terms = None  # type: ignore[assignment]
    f: Stream

    def __init__(self, f: Stream, rng: np.random.Generator) -> None:
        self.f, self.rng, self.spent = f, rng, 0

    def draw(self, size: int) -> Minibatch:
        return self.again(self.f.batch(size, self.rng))

    distinct = draw  # every draw is another one

    @property
    def whole(self) -> Minibatch:
        self.f.unknown()

    def full(self, x: Array) -> Array:
        self.f.unknown()


@public
def expectation(draw: Draw, shape: Shape | int, *, lipschitz: float | None = None, convex: bool = True) -> Stream:
    """Expectation f(w) = E F(w, ξ) of which fresh samples can be drawn.

    The value of such an objective cannot be known: `Solution.value` and `Solution.gap` are None, and the certificate bounds
    the error with a probability, or as an estimate.

    Parameters
    ----------
    draw : callable
        ``draw(size, rng)`` draws ``size`` samples and returns an object whose ``value(w)`` and ``gradient(w)`` are means over
        these samples. The object is called at several points and must use the same samples each time. Use no randomness
        but that of ``rng``, or runs cannot be repeated.
    shape : int or tuple of int
        The shape of w.
    lipschitz : float, optional
        A bound on the Euclidean norm of the gradient of every single sample on the hull. With it bounds of kind "probability"
        are proved; without it they are estimates.
    convex : bool, default True
        False if f is not convex. Gaps then measure stationarity and do not bound the error.

    Returns
    -------
    Stream
        The objective, for stochastic solvers.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> class Noisy:
    ...     def __init__(self, xi): self.xi = xi
    ...     def value(self, w): return float(((w - self.xi) ** 2).sum(axis=1).mean() / 2)
    ...     def gradient(self, w): return w - self.xi.mean(axis=0)
    >>> f = gh.expectation(lambda size, rng: Noisy(rng.normal([1.0, 0.0], 0.1, (size, 2))), 2)
    >>> f.batch(10_000, np.random.default_rng(0)).gradient(np.zeros(2)).round(2)
    array([-1., -0.])
    """
    return Stream(draw, whole_shape(shape), lipschitz, convex)
