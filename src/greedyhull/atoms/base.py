"""What every set of atoms can do once it knows its shape and its linear oracle.

To add a set, write ``shape`` and ``argmin(g)``; the rest has a default or is for speed and for sharper constants.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.atoms.shapes import dense
from greedyhull.errors import GreedyhullError, check
from greedyhull.types import Answer, Array, Atom, Block, Shape, Shortlist, State

if TYPE_CHECKING:
    from greedyhull.iterate import Iterate
    from greedyhull.theory import Constant


class AtomSet(ABC):
    """A set of atoms; its convex hull is the feasible set."""

    shape: Shape
    dense_atoms = False  # whether an atom costs as much memory as a point

    @abstractmethod
    def argmin(self, g: Array) -> Atom:
        """An atom with the least ⟨g, ·⟩."""

    def best(self, g: Array, m: int) -> Block:
        """The m atoms with the least ⟨g, ·⟩, or fewer; the first is `argmin`."""
        return self.argmin(g).block(int(np.prod(self.shape)))

    def oracle(self, rng: np.random.Generator) -> ClosedOracle:
        """The oracle of one solve."""
        return ClosedOracle(self)

    def start(self, rng: np.random.Generator) -> Atom:
        """The atom a solve begins at."""
        return self.argmin(np.ones(self.shape))

    def centre(self) -> Iterate:
        """A point in the relative interior, as atoms and weights."""
        from greedyhull.iterate import Iterate

        rng = np.random.default_rng(0)
        w = Iterate.at(self.start(rng), self.shape)
        for k in range(1, 2 * int(np.prod(self.shape)) + 1):  # the mean of many random atoms
            w.move(w.toward(self.argmin(rng.standard_normal(self.shape))), 1.0 / (k + 1))
        return w

    def contains(self, w: Any, tol: float = 1e-9) -> bool:
        """Whether the point (an iterate or an array) lies in the hull, up to ``tol`` times the set's size."""
        x = array_of(w)
        return x.shape == self.shape and bool(np.isfinite(x).all()) and self._holds(x, tol)

    def _holds(self, x: Array, tol: float) -> bool:
        """Without a formula: is min over the hull of ½‖u − x‖² zero? Decided by the certificate of that problem."""
        distance, size = self._project(x)
        return distance <= max(tol, 1e-7) * max(size, 1.0)

    def _project(self, x: Array) -> tuple[float, float]:
        from greedyhull.minimize import minimize
        from greedyhull.problems import function
        from greedyhull.solvers.blended_pairwise import BlendedPairwise
        from greedyhull.stop import Gap, Iterations

        f = function(lambda u: 0.5 * float(((u - x) ** 2).sum()), lambda u: u - x, self.shape, smoothness=1.0)
        size = float(np.linalg.norm(x))
        s = minimize(f, self, BlendedPairwise(), stop=Gap(1e-16 * max(size, 1.0) ** 2) | Iterations(2000))
        return float(np.sqrt(2.0 * max(s.value or 0.0, 0.0))), size

    def decompose(self, w: Array) -> Iterate:
        """The array w as atoms and weights."""
        raise GreedyhullError(f"{self!r} cannot write an array as a mixture of its atoms. "
                              "Start from an atom, or from the point of an earlier solution.")

    def absolute(self, c: Array) -> float:
        """max over the atoms of Σⱼ cⱼ|dⱼ| for c ≥ 0: the size that rounding errors are proportional to.

        The default bounds it by ‖c‖₂ times twice the largest atom found in 2d+2 oracle calls.
        """
        d = int(np.prod(self.shape))
        rng = np.random.default_rng(0)
        probes = [s * v for v in (np.ones(d), rng.standard_normal(d), rng.standard_normal(d)) for s in (1.0, -1.0)]
        largest = max(float(np.linalg.norm(dense_atom(self.argmin(g.reshape(self.shape)), self.shape))) for g in probes)
        return 2.0 * largest * float(np.linalg.norm(c))

    def rescaled(self, radius: float) -> AtomSet:
        """The same kind of set with another radius."""
        raise GreedyhullError(f"{self!r} has no radius to change.")

    def curvature(self, form: Any) -> Constant:
        """max over atoms of ‖s − s'‖²_H for the quadratic form H."""
        raise GreedyhullError(f"{self!r} has no formula for the curvature of a quadratic; use Backtracking(), which "
                              "estimates it along the run.")


class ClosedOracle:
    """The oracle of a set that can minimise a linear function exactly: it holds nothing."""

    __slots__ = ("S",)

    def __init__(self, S: Any) -> None:
        self.S = S

    def argmin(self, g: Array, tol: float = 0.0, enough: float = -np.inf) -> Answer:
        return Answer(self.S.argmin(g), 0.0, "always")

    def best(self, g: Array, m: int) -> Shortlist:
        atoms = self.S.best(g, m)
        scores = atoms.dots(g)
        return Shortlist(atoms, 0.0, float(scores.max() if len(atoms) >= m else scores.min()))

    def state(self) -> State:
        return {}

    def restore(self, state: State) -> None:
        pass


def dense_atom(atom: Atom, shape: Shape) -> Array:
    """An atom as an array of the set's shape."""
    return dense(atom, int(np.prod(shape))).reshape(shape) if len(shape) == 1 else _matrix(atom, shape)


def _matrix(atom: Atom, shape: Shape) -> Array:
    w = np.zeros(shape)
    atom.add_to(w, 1.0)
    return w


def array_of(w: Any) -> Array:
    """The coordinates of an iterate, an atom or an array."""
    if hasattr(w, "array") and callable(w.array):
        return np.asarray(w.array())
    return np.asarray(w, dtype=np.float64)


def dimension(d: Any) -> int:
    """d as a whole number of coordinates, at least one."""
    check(isinstance(d, (int, np.integer)) and not isinstance(d, bool) and d >= 1,
          f"A dimension of {d!r} was given; a whole number of at least 1 is wanted.")
    return int(d)


def positive(value: Any, name: str) -> float:
    """value as a positive finite number."""
    good = isinstance(value, (int, float, np.integer, np.floating)) and np.isfinite(value) and value > 0
    check(bool(good), f"{name} = {value!r} was given; a positive finite number is wanted.")
    return float(value)
