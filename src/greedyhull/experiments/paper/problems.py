"""The small problems that the experiments share, each with its curvature and its minimum."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from greedyhull.atoms.base import AtomSet
from greedyhull.atoms.l1_ball import L1Ball
from greedyhull.atoms.l2_ball import L2Ball
from greedyhull.atoms.simplex import Simplex
from greedyhull.atoms.vertices import Vertices
from greedyhull.driver.minimize import minimize
from greedyhull.driver.stop import Gap, Iterations, Stalled
from greedyhull.errors import GreedyhullError
from greedyhull.objectives.by_name import least_squares, logistic, quadratic
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.solvers.blended_pairwise import BlendedPairwise
from greedyhull.types import Array, Atom, Finite, Objective
from greedyhull.types import AtomSet as AnySet
from greedyhull.types.kinds import listed


@dataclass(frozen=True, eq=False)
class Problem:
    """Minimise f over the hull of S: curvature at most M, minimum at least ``least`` and hardly more."""

    name: str
    f: Objective
    S: AtomSet
    M: float
    least: float

    @property
    def atoms(self) -> Finite:
        """S, where its atoms can be listed."""
        found = listed(self.S)
        if found is None:
            raise GreedyhullError(f"The atoms of {self.S!r} cannot be listed; a set such as Vertices(matrix) is wanted.")
        return found


def posed(name: str, f: Objective, S: AtomSet, least: float | None = None) -> Problem:
    """The problem with its constants; where the minimum has no formula, a certified lower bound stands for it."""
    if least is None:
        least = minimize(f, S, BlendedPairwise(), stop=Gap(1e-13) | Stalled(300) | Iterations(20_000)).certificate.lower
    return Problem(name, f, S, float(f.curvature(S)), least)


def squares(seed: int, atoms: int = 60, d: int = 10) -> Problem:
    """Least squares over the hull of random points."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((3 * d, d))
    return posed("least squares", least_squares(X, rng.standard_normal(3 * d)), Vertices(rng.standard_normal((atoms, d))))


def logit(seed: int, n: int = 40, d: int = 8) -> Problem:
    """Logistic regression over an l1 ball."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    y = np.where(X @ rng.standard_normal(d) + rng.standard_normal(n) > 0, 1.0, -1.0)
    return posed("logistic", logistic(X, y), L1Ball(d, radius=3.0))


def corners(n: int) -> Problem:
    """f(w) = ‖w‖² over the simplex of n corners: M = 4 and f* = 1/n."""
    return posed("‖w‖² on the simplex", quadratic(2.0 * np.eye(n)), Simplex(n), 1.0 / n)


def segment() -> Problem:
    """f(x) = x²/2 − 0.3x over the two ends of [0, 1]: M = 1 and f* = −0.045."""
    return posed("a segment", quadratic(np.eye(1), np.array([0.3])), Vertices(np.array([[0.0], [1.0]])), -0.045)


def edge() -> Problem:
    """f(x) = x²/2 over the two ends of [0, 1]: M = 1 and f* = 0. From x = 0, where both ends have the same score, exact
    Frank-Wolfe may take a full step to 1."""
    return posed("an edge", quadratic(np.eye(1)), Vertices(np.array([[1.0], [0.0]])), 0.0)


def slope() -> Problem:
    """A linear f over a ball, every point of whose sphere is an atom: M = 0 and f* = −1."""
    return posed("linear on a ball", quadratic(np.zeros((3, 3)), np.array([1.0, 0.0, 0.0])), L2Ball(3, 1.0), -1.0)


def polygon(count: int = 400) -> Problem:
    """A linear f over the corners of a regular polygon, so many that hardly an error between 0 and 2 is missing: M = 0."""
    angle = np.linspace(0.0, 2.0 * np.pi, count, endpoint=False)
    atoms = np.column_stack([np.cos(angle), np.sin(angle)])
    return posed("linear on a polygon", quadratic(np.zeros((2, 2)), np.array([1.0, 0.0])), Vertices(atoms), -1.0)


def mixtures(S: AnySet, count: int, rng: np.random.Generator) -> Array:
    """Random points of the hull: mixtures of atoms that the oracle names for random directions."""
    directions = rng.standard_normal((4 * int(np.prod(S.shape)), *S.shape))
    atoms = np.stack([atom_array(S.atom(g), S) for g in directions])
    return np.asarray(rng.dirichlet(np.full(len(atoms), 0.2), size=count) @ atoms)


def atom_rows(S: Finite) -> Array:
    """All atoms of a set that can list them, one in each row."""
    return np.stack([atom_array(S[j], S) for j in range(len(S))])


def value_at(f: Objective, x: Array) -> float:
    """f at an array."""
    return float(f.value(CoordinateIterate(x)))


def gradient_at(f: Objective, x: Array) -> Array:
    """∇f at an array."""
    return np.asarray(f.gradient(CoordinateIterate(x)))


def atom_array(atom: Atom, S: AnySet) -> Array:
    """The coordinates of an atom."""
    x = np.zeros(S.shape)
    atom.add_to(x, 1.0)
    return x
