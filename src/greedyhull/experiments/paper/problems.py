"""The small problems that the experiments share, and solves as the experiments see them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

import greedyhull as gh
from greedyhull.atoms.geometry import row_norms
from greedyhull.atoms.neighbours import worst_within
from greedyhull.experiments.counterexamples import unwarned
from greedyhull.measures.terms import noise
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.parts.joint import toward
from greedyhull.solvers.parts.progress import Event, Progress
from greedyhull.solvers.parts.solver_state import SolverState
from greedyhull.solvers.parts.steps import APriori
from greedyhull.testing.problems import cutting_minimum
from greedyhull.types import Array, Atom, AtomSet, Finite, Needs, Objective, Schedule, Solver, Summed, listed


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
        return atoms_of(self.S)


def atoms_of(S: AtomSet) -> Finite:
    found = listed(S)
    if found is None:
        raise gh.GreedyhullError(f"The atoms of {S!r} cannot be listed. Use a set such as Vertices(matrix).")
    return found


def posed(name: str, f: Objective, S: AtomSet, least: float | None = None) -> Problem:
    """The problem with its constants; where the minimum has no formula, a certified lower bound stands for it."""
    if least is None:
        stop = gh.Gap(1e-13) | gh.Stalled(300) | gh.Iterations(20_000)
        least = gh.minimize(f, S, gh.BlendedPairwise(), stop=stop).certificate.lower
    return Problem(name, f, S, float(f.curvature(S)), least)


def squares(seed: int, atoms: int = 60, d: int = 10) -> Problem:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((3 * d, d))
    f = gh.least_squares(X, rng.standard_normal(3 * d))
    return posed("least squares", f, gh.Vertices(rng.standard_normal((atoms, d))))


def logit(seed: int, n: int = 40, d: int = 8) -> Problem:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    y = np.where(X @ rng.standard_normal(d) + rng.standard_normal(n) > 0, 1.0, -1.0)
    return posed("logistic", gh.logistic(X, y), gh.L1Ball(d, radius=3.0))


def corners(n: int) -> Problem:
    """f(w) = ‖w‖² over the simplex of n corners: M = 4 and f* = 1/n."""
    return posed("‖w‖² on the simplex", gh.quadratic(2.0 * np.eye(n)), gh.Simplex(n), 1.0 / n)


def segment() -> Problem:
    """f(x) = x²/2 − 0.3x over the two ends of [0, 1]: M = 1 and f* = −0.045."""
    return posed("a segment", gh.quadratic(np.eye(1), np.array([0.3])), gh.Vertices(np.array([[0.0], [1.0]])), -0.045)


def edge() -> Problem:
    """f(x) = x²/2 over the two ends of [0, 1]: M = 1 and f* = 0. From x = 0, where both ends have the same score, exact
    Frank-Wolfe may take a full step to 1."""
    return posed("an edge", gh.quadratic(np.eye(1)), gh.Vertices(np.array([[1.0], [0.0]])), 0.0)


def slope() -> Problem:
    """A linear f over a ball, every point of whose sphere is an atom: M = 0 and f* = −1."""
    return posed("linear on a ball", gh.quadratic(np.zeros((3, 3)), np.array([1.0, 0.0, 0.0])), gh.L2Ball(3, 1.0), -1.0)


def polygon(count: int = 400) -> Problem:
    """A linear f over the corners of a regular polygon, so many that hardly an error between 0 and 2 is missing: M = 0."""
    angle = np.linspace(0.0, 2.0 * np.pi, count, endpoint=False)
    atoms = np.column_stack([np.cos(angle), np.sin(angle)])
    return posed("linear on a polygon", gh.quadratic(np.zeros((2, 2)), np.array([1.0, 0.0])), gh.Vertices(atoms), -1.0)


def mixtures(S: AtomSet, count: int, rng: np.random.Generator) -> Array:
    """Random points of the hull: mixtures of atoms that the oracle names for random directions."""
    directions = rng.standard_normal((4 * int(np.prod(S.shape)), *S.shape))
    atoms = np.stack([atom_array(S.atom(g), S) for g in directions])
    return np.asarray(rng.dirichlet(np.full(len(atoms), 0.2), size=count) @ atoms)


def atom_rows(S: Finite) -> Array:
    return np.stack([atom_array(S[j], S) for j in range(len(S))])


def value_at(f: Objective, x: Array) -> float:
    return float(f.value(CoordinateIterate(x)))


def gradient_at(f: Objective, x: Array) -> Array:
    return np.asarray(f.gradient(CoordinateIterate(x)))


def atom_array(atom: Atom, S: AtomSet) -> Array:
    x = np.zeros(S.shape)
    atom.add_to(x, 1.0)
    return x


@dataclass(frozen=True, eq=False)
class Played:
    """w_0, …, w_K: the errors e_k, and the steps η_k and slacks ε_k that led from one to the next."""

    errors: Array
    steps: Array
    slacks: Array
    also: tuple[dict[str, Any], ...]
    points: tuple[Array, ...]

    @property
    def k(self) -> Array:
        return np.arange(len(self.errors))


def play(problem: Problem, solver: Solver, steps: int, *, S: AtomSet | None = None, seed: int = 0, start: Any = None,
         points: bool = False) -> Played:
    """``steps`` iterations of the solver; ``S`` is the set with another oracle, ``points`` keeps every point."""
    told: list[dict[str, Any]] = []
    seen: list[Array] = []

    def watch(event: Event) -> None:
        told.append(dict(event.also or {}))
        if points:
            seen.append(event.point.array())

    with unwarned():
        run = gh.minimize(problem.f, problem.S if S is None else S, solver, stop=gh.Iterations(steps), seed=seed, start=start,
                       watch=watch)
    trace = run.trace
    return Played(trace.value - problem.least, trace.step[:-1], trace.slack[:-1], tuple(told), tuple(seen))


def spread(last: int, count: int = 40) -> Array:
    """Whole numbers from 2 to ``last``, evenly spread on a logarithmic axis."""
    return np.unique(np.geomspace(2, last, count).round().astype(int))


def gaps(problem: Problem, points: tuple[Array, ...]) -> Array:
    """The Frank-Wolfe gap of each point, by its own gradient alone."""
    return np.array([gh.certify(problem.f, problem.S, w, tol=1e-6).gap for w in points])


@dataclass(frozen=True, eq=False)
class Sampled:
    """A finite sum, with σ and the ``radius`` r_S for sharp bounds."""

    problem: Problem
    sigma: float
    radius: float

    @property
    def f(self) -> Summed:
        return self.problem.f

    @property
    def sharp(self) -> dict[str, float]:
        """What `theory.asj` and `theory.asfw` ask for."""
        return {"M": self.problem.M, "sigma": self.sigma, "r_S": self.radius, "e1": self.e1}

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
    f, S = gh.least_squares(X, y), gh.Vertices(rng.standard_normal((atoms, d)))
    return Sampled(posed("noisy least squares", f, S), float(noise(f, S)), float(S.sizes().circumradius))


def errors_at(problem: Problem | Kinked, solver: Solver, at: Array, seed: int, start: Any = None) -> Array:
    """Errors of w_k and of the solver's own average of the points before it, if it has one, at the given k: two rows.

    The solver yields after every step (``every=1``). k counts from one, as in the paper.
    """
    found, place = np.full((2, len(at)), np.nan), {int(k): i for i, k in enumerate(at)}

    def watch(event: Event) -> None:
        i = place.get(event.iteration)
        if i is not None:
            average = event.also.get("average")
            found[:, i] = event.value, np.nan if average is None else value_at(problem.f, average.array())

    gh.minimize(problem.f, problem.S, solver, start=start, stop=gh.Iterations(int(at[-1])), seed=seed, watch=watch)
    return found - problem.least


@dataclass(frozen=True, eq=False)
class Kinked:
    """f over S with minimum ``least``; subgradients of terms are at most L, R² is the largest ½‖w − w₁‖², D the diameter."""

    name: str
    f: Objective
    S: AtomSet
    least: float
    L: float
    R2: float
    D: float

    @property
    def constants(self) -> dict[str, float]:
        return {"L": self.L, "M_Phi": self.D**2, "R2": self.R2}


def kinked(name: str, S: Finite, seed: int, n: int = 60) -> Kinked:
    """The hinge or the absolute loss on random data over a set whose atoms can be listed."""
    rng = np.random.default_rng(seed)
    d = S.shape[0]
    X = rng.standard_normal((n, d))
    y = X @ rng.standard_normal(d) + 0.5 * rng.standard_normal(n)
    f = gh.hinge(X, np.where(y > 0, 1.0, -1.0)) if name == "hinge" else gh.absolute(X, y)
    atoms, centre = atom_rows(S), S.centre().array()
    least = cutting_minimum(atoms, partial(value_at, f), partial(gradient_at, f))
    return Kinked(name, f, S, least, float(row_norms(f.design).max()), 0.5 * float(((atoms - centre) ** 2).sum(axis=1).max()),
                  float(S.sizes().diameter))


@dataclass(frozen=True)
class WorstJones(Solver):
    """A Jones method at its worst: of all atoms that lead within η_kε_k of the best value of f, it takes the one that leads
    highest. By default it is a c-Jones method: η_k = 2/(k + 2) and ε_k = cη_k."""

    c: float = 0.0
    step: APriori = field(default=gh.OpenLoop())
    tolerance: Schedule | None = None
    needs = Needs(atoms=False)

    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: SolverState) -> Iterator[Progress]:
        oracle, all_atoms = memory.oracle(S), atoms_of(S)
        for k in memory.count(first=0):
            g = f.gradient(w)
            answer = oracle.argmin(g)
            yield Progress.of(w, f.gradient_dot(w) - answer.atom.dot(g), answer)
            eta = self.step.at(k)
            allowed = self.c * eta if self.tolerance is None else self.tolerance(k)
            moves = [w.toward(all_atoms[j]) for j in range(len(all_atoms))]
            ahead = np.array([f.along(w, move).value(eta) for move in moves])
            w.move(moves[worst_within(ahead, eta * allowed)], eta)


@dataclass(frozen=True)
class WorstJoint(Solver):
    """Zhang's corollary at its worst: of all points toward atoms within 4c/(k + 2)² of the joint minimum, the highest."""

    c: float
    needs = Needs(atoms=False)

    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: SolverState) -> Iterator[Progress]:
        oracle, atoms, all_atoms = memory.oracle(S), toward(f, S, w, memory), atoms_of(S)
        lengths = np.linspace(0.0, 1.0, 21)
        for k in memory.count(first=0):
            g = f.gradient(w)
            answer = oracle.argmin(g)
            yield Progress.of(w, f.gradient_dot(w) - answer.atom.dot(g), answer)
            best = atoms.jointly(w, answer, 0.0)
            allowed = best.value + 4.0 * self.c / (k + 2.0) ** 2
            move, eta, highest = best.move, best.step, best.value
            for j in range(len(all_atoms)):
                candidate = w.toward(all_atoms[j])
                values = f.along(w, candidate).probe(lengths).values
                i = int(np.where(values <= allowed, values, -np.inf).argmax())
                if highest < values[i] <= allowed:
                    move, eta, highest = candidate, float(lengths[i]), float(values[i])
            w.move(move, eta)


def adversaries(problem: Problem, c: float) -> list[tuple[str, Solver, AtomSet]]:
    """Both families with the worst atoms that c admits, as (name, solver, set); Jones where atoms can be listed."""
    solver: Solver = gh.FrankWolfe(gh.OpenLoop(), gh.harmonic(c))
    frank_wolfe: tuple[str, Solver, AtomSet] = "Frank-Wolfe", solver, gh.Inexact(problem.S)
    return [frank_wolfe] if listed(problem.S) is None else [frank_wolfe, ("Jones", WorstJones(c), problem.S)]
