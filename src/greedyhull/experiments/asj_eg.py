"""Does stochastic Jones converge with single terms and jointly chosen steps? No: it jumps from atom to atom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np

from greedyhull.atoms.vertices import Vertices
from greedyhull.driver.minimize import minimize
from greedyhull.driver.stop import Iterations
from greedyhull.errors import check
from greedyhull.experiments.measured import Measured, bernstein, repeated, variance_of_quadratic
from greedyhull.objectives.by_name import least_squares
from greedyhull.solvers.parts.steps import Capped, Exact, Power
from greedyhull.solvers.stochastic_jones import StochasticJones
from greedyhull.types import Array

EQUAL = (1 / 3, 1 / 3, 1 / 3)


@dataclass(frozen=True)
class OverGreedy:
    """Errors of the last point and of the mean of the points; ``limit`` is where that of the mean goes with k.

    ``capped`` is the error of the last point where η ≤ k^−1/2 and batches of k terms, on the same f.
    """

    last: Measured
    average: Measured
    limit: float
    capped: float


def asj_eg(p: Sequence[float] = EQUAL, *, k: int = 40, runs: int = 60, seed: int = 0) -> OverGreedy:
    """Errors at w_k of ASJ with single terms, η in [0, 1] and d chosen jointly.

    f = Σ pᵢ(xᵢ·w − 1)² for three unit vectors at 120°, which are the atoms too; term i is drawn with probability pᵢ. It is
    least at xᵢ alone, so that the next point is the atom that was drawn, whatever w is: with barycentric coordinates λ,
    f = (9/4)Σ pᵢ(1 − λᵢ)², min f = 9/Σ(1/pᵢ), and the last point has E e_k = (9/4)Σ pᵢ(1 − pᵢ) − min f for ever. The mean of
    the points goes to λ = p, the minimum if all pᵢ are equal and not otherwise: with p = (½, ¼, ¼), a term of three that
    is there twice, it stays 9/640 above.
    """
    check(k >= 3, f"k={k!r} was given; at least three are wanted, so that the first point counts for little.")
    X, y = terms(p, k)
    share = np.asarray(p, dtype=np.float64) / np.sum(p)
    least = 9.0 / float((1.0 / share).sum())
    corners = three()
    f, S = least_squares(X, y), Vertices(corners)
    free = StochasticJones(1, Exact(), every=k)
    capped = StochasticJones(step=Capped(Power(0.5)), every=k)

    def error(x: Array) -> float:
        return float(share @ (corners @ x - 1.0) ** 2) - least

    def run(s: int) -> Array:
        told = minimize(f, S, free, stop=Iterations(k), seed=s)
        held = minimize(f, S, capped, stop=Iterations(k), seed=s)
        return np.array([error(told.point.array()), error(told.also["average"].array()), error(held.point.array())])

    mean, spread = repeated(run, runs, seed)
    last = 2.25 * float(share @ (1.0 - share)) - least
    t = k - 1.0  # w_1, an atom, and t − 1 that were drawn
    centre = ((t - 1.0) * share + np.array([1.0, 0.0, 0.0])) / t
    average = 2.25 * float(share @ ((1.0 - centre) ** 2 + (t - 1.0) * share * (1.0 - share) / t**2)) - least
    H, z = 2.0 * (corners.T * share) @ corners, corners - share @ corners
    jump = max(error(corner) for corner in corners)

    def room(at: Array, c: Array) -> float:
        g = 2.0 * corners.T @ (share * (corners @ at - 1.0))
        return bernstein(variance_of_quadratic(H, g, z, share, c), jump, runs)

    rooms = room(share @ corners, np.ones(1)), room(centre @ corners, np.full(k - 2, 1.0 / t))
    return OverGreedy(Measured(float(mean[0]), float(spread[0]), last, rooms[0]),
                      Measured(float(mean[1]), float(spread[1]), average, rooms[1]),
                      2.25 * float(share @ (1.0 - share) ** 2) - least, float(mean[2]))


def three() -> Array:
    """Three unit vectors at 120°; as a set of atoms, solves begin at the first."""
    half = np.sqrt(0.75)
    return np.array([[-half, -0.5], [0.0, 1.0], [half, -0.5]])


def terms(p: Sequence[float], k: int) -> tuple[Array, Array]:
    """Rows and targets, row i as often as pᵢ says, and more than k of them, so that no batch is all of f."""
    check(len(p) == 3 and min(p) > 0.0, f"p={p!r} was given; three positive probabilities are wanted.")
    check(max(1.0 / q for q in p) <= 0.5 * sum(1.0 / q for q in p),
          f"p={p!r} was given, and its minimum is not inside the triangle. Bring the least probability nearer to the others.")
    shares = [Fraction(float(q) / float(sum(p))).limit_denominator(1000) for q in p]
    whole = lcm(*(q.denominator for q in shares))
    counts = [int(q * whole) for q in shares]
    X = np.repeat(three(), [c * -(-(k + 1) // sum(counts)) for c in counts], axis=0)
    return X, np.ones(len(X))
