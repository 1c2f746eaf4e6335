"""Adversaries: Jones methods that lose as much as their tolerance allows, at every step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from greedyhull.atoms.inexact import Inexact
from greedyhull.atoms.scores import worst_within
from greedyhull.errors import GreedyhullError
from greedyhull.experiments.paper.problems import Problem
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.frank_wolfe import FrankWolfe
from greedyhull.solvers.parts.joint import toward
from greedyhull.solvers.parts.memory import Memory
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.rules import APriori
from greedyhull.solvers.parts.schedules import harmonic
from greedyhull.solvers.parts.steps import OpenLoop
from greedyhull.types import AtomSet, Finite, Needs, Objective, Schedule, Solver
from greedyhull.types.kinds import listed

LENGTHS = np.linspace(0.0, 1.0, 21)  # steps that the adversary of the joint choice tries


@dataclass(frozen=True)
class WorstJones:
    """A Jones method at its worst: of all atoms that lead within η_kε_k of the best value of f, it takes the one that leads
    highest. By default it is a c-Jones method: η_k = 2/(k + 2) and ε_k = cη_k."""

    c: float = 0.0
    step: APriori = field(default=OpenLoop())
    tolerance: Schedule | None = None
    needs = Needs(atoms=False)

    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: Memory) -> Iterator[Progress]:
        oracle, all_atoms = memory.oracle(S), _listed(S)
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
class WorstJoint:
    """Zhang's corollary at its worst: of all points toward atoms within 4c/(k + 2)² of the joint minimum, the highest."""

    c: float
    needs = Needs(atoms=False)

    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: Memory) -> Iterator[Progress]:
        oracle, atoms, all_atoms = memory.oracle(S), toward(f, S, w, memory), _listed(S)
        for k in memory.count(first=0):
            g = f.gradient(w)
            answer = oracle.argmin(g)
            yield Progress.of(w, f.gradient_dot(w) - answer.atom.dot(g), answer)
            best = atoms.jointly(w, answer, 0.0)
            allowed = best.value + 4.0 * self.c / (k + 2.0) ** 2
            move, eta, highest = best.move, best.step, best.value
            for j in range(len(all_atoms)):
                candidate = w.toward(all_atoms[j])
                values = f.along(w, candidate).probe(LENGTHS).values
                i = int(np.where(values <= allowed, values, -np.inf).argmax())
                if highest < values[i] <= allowed:
                    move, eta, highest = candidate, float(LENGTHS[i]), float(values[i])
            w.move(move, eta)


def _listed(S: AtomSet) -> Finite:
    found = listed(S)
    if found is None:
        raise GreedyhullError(f"The atoms of {S!r} cannot be listed, so that the worst of them is not known.")
    return found


def adversaries(problem: Problem, c: float) -> list[tuple[str, Solver, AtomSet]]:
    """Both families with the worst atoms that c admits, as (name, solver, set); Jones where atoms can be listed."""
    found: list[tuple[str, Solver, AtomSet]] = [("Frank-Wolfe", FrankWolfe(OpenLoop(), harmonic(c)), Inexact(problem.S))]
    return [*found, ("Jones", WorstJones(c), problem.S)] if listed(problem.S) is not None else found
