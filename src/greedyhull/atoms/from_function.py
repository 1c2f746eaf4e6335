"""A set that is known by a function alone: the one that minimises a linear function over it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from greedyhull.atoms.arguments import positive, whole_shape
from greedyhull.atoms.base import AtomSet
from greedyhull.atoms.closed_oracle import ClosedOracle, with_dtype
from greedyhull.atoms.oracle_base import OracleBase
from greedyhull.errors import check
from greedyhull.errors.given import shown, signed, takes
from greedyhull.kernels.threads import public, user
from greedyhull.points.entering import as_answer
from greedyhull.types import Answer, Array, Atom, Shape


class FromFunction(AtomSet):
    """The hull of all that ``fn(g)`` returns; see `oracle`."""

    dense_atoms = True

    def __init__(self, fn: Callable[[Array], Any], shape: Shape, bound: float | None) -> None:
        check(takes(fn, None), lambda: f"oracle({signed(fn)}) was given; a function of one array, fn(g), is wanted.")
        self.fn, self.shape = fn, shape
        self.bound = None if bound is None else positive(bound, "bound")

    def __repr__(self) -> str:
        name = getattr(self.fn, "__name__", type(self.fn).__name__)  # functions and classes have one, other callables may not
        return f"oracle({name}, shape={self.shape})"

    def answer(self, g: Array) -> Answer:
        """What the function returned, as an atom and its slack."""
        given = user(self.fn, g.copy())  # it may write on it
        check(_formed(given), lambda: f"The oracle fn(g) returned {shown(given)}; an array of shape {self.shape}, or a pair "
                                      "(array, slack), is wanted.")
        self.note_dtype(given if isinstance(given, Answer) or not isinstance(given, tuple) else given[0])
        answer = as_answer(given, self.shape)
        return with_dtype(self, g, answer) if self.coarse else answer

    def argmin(self, g: Array) -> Atom:
        return self.answer(g).atom

    def oracle(self, rng: np.random.Generator) -> FromFunctionOracle:
        return FromFunctionOracle(self)


def _formed(given: Any) -> bool:
    """Whether an answer may be an atom or a pair (atom, slack): neither nothing, nor a number, nor another tuple."""
    if isinstance(given, Answer):
        return True
    atom = given[0] if isinstance(given, tuple) and len(given) == 2 else given
    return atom is not None and not isinstance(atom, tuple | str | int | float | np.number)


class FromFunctionOracle(ClosedOracle):
    """It asks the function anew each time, and hands on its slack."""

    __slots__ = ()
    S: FromFunction

    def argmin(self, g: Array, tol: float = 0.0, enough: float = -np.inf) -> Answer:
        answer = self.S.answer(g)
        self.S.saw(answer.atom)
        return answer

    best = OracleBase.best


@public
def oracle(fn: Callable[[Array], Any], shape: int | Shape, *, bound: float | None = None) -> FromFunction:
    """Make a set from a function that minimises linear functions over it.

    Parameters
    ----------
    fn : callable
        ``fn(g)`` takes an array of the given shape and returns an atom d, an array of that shape, with the least ⟨g, d⟩; or
        (d, slack), if ⟨g, d⟩ may exceed the least value by ``slack``. The slack becomes part of every gap.
    shape : int or tuple of int
        The shape of the points.
    bound : float, optional
        The largest absolute value that an entry of an atom can have. With it rounding errors are bounded by proof; without
        it they are estimated from the atoms seen, and certificates say so.

    Returns
    -------
    FromFunction
        The set, for `minimize` and `certify`.

    See Also
    --------
    AtomSet : Base class for sets with more structure.
    Vertices : The hull of given points.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> S = gh.oracle(lambda g: -np.sign(g), 3, bound=1.0)
    >>> f = gh.least_squares(np.eye(3), np.array([0.5, 2.0, -3.0]))
    >>> gh.minimize(f, S).x
    array([ 0.5,  1. , -1. ])
    """
    check(callable(fn), lambda: f"oracle({shown(fn)}, {shown(shape)}) was given; a function fn(g) that returns the atom with "
                                "the least ⟨g, ·⟩ is wanted first, then the shape.")
    return FromFunction(fn, whole_shape(shape), bound)
