"""A sum of many terms with every constant that the stochastic bounds ask for, and its errors along repeated runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from greedyhull.atoms.geometry.row_ranges import row_norms
from greedyhull.atoms.vertices import Vertices
from greedyhull.driver.minimize import minimize
from greedyhull.driver.stop import Iterations
from greedyhull.experiments.paper.problems import Problem, atom_array, posed, value_at
from greedyhull.measures.noise import noise
from greedyhull.objectives.by_name import least_squares
from greedyhull.solvers.parts.progress import Event
from greedyhull.types import Array, Solver, Summed
from greedyhull.types.kinds import summed


@dataclass(frozen=True, eq=False)
class Sampled:
    """A finite sum: σ and the ``radius`` r_S for sharp bounds; L, D and the largest curvature of a term for printed ones."""

    problem: Problem
    sigma: float
    radius: float
    L: float
    D: float
    M_term: float

    @property
    def f(self) -> Summed:
        """The sum."""
        found = summed(self.problem.f)
        assert found is not None, "it is made as one"
        return found

    @property
    def sharp(self) -> dict[str, float]:
        """What `theory.asj` and `theory.asfw` ask for."""
        return {"M": self.problem.M, "sigma": self.sigma, "r_S": self.radius, "e1": self.e1}

    @property
    def printed(self) -> dict[str, float]:
        """What `theory.asj_printed` asks for."""
        return {"M": self.M_term, "L": self.L, "D": self.D, "e1": self.e1}

    @property
    def e1(self) -> float:
        """The error of the first atom, where all runs begin."""
        first = atom_array(self.problem.atoms[0], self.problem.S)
        return value_at(self.problem.f, first) - self.problem.least


def regression(seed: int, n: int = 3000, d: int = 4, atoms: int = 12) -> Sampled:
    """Least squares with noisy answers over the hull of a few random points."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    y = X @ rng.standard_normal(d) * 0.5 + rng.standard_normal(n)
    f, S = least_squares(X, y), Vertices(rng.standard_normal((atoms, d)))
    low, high = S.row_ranges(f.design)
    steep = float((np.maximum(np.abs(high - y), np.abs(low - y)) * row_norms(f.design)).max())
    sizes = S.sizes()
    return Sampled(posed("noisy least squares", f, S), float(noise(f, S)), float(sizes.circumradius), steep,
                   float(sizes.diameter), float(((high - low) ** 2).max()))


def ordinary() -> Sampled:
    """A problem as one meets them: more terms than the largest batch of a few hundred steps, always the same."""
    return regression(0, n=20_000)


def along(sampled: Sampled, solver: Solver, at: Array, seed: int) -> Array:
    """Errors of w_k and of stochastic Jones' own average of the points before it, at the given k: two rows.

    The solver is looked at after every step (``every=1``). k counts from one, as in the paper.
    """
    problem = sampled.problem
    last, mean = np.full(len(at), np.nan), np.full(len(at), np.nan)
    place = {int(k): i for i, k in enumerate(at)}

    def watch(event: Event) -> None:
        i = place.get(event.iteration)
        if i is not None:
            average = event.also["average"].array()
            last[i], mean[i] = event.value - problem.least, value_at(problem.f, average) - problem.least

    minimize(problem.f, problem.S, solver, start=problem.atoms[0], stop=Iterations(int(at[-1])), seed=seed, watch=watch)
    return np.stack([last, mean])
