"""Jones: step toward the atom that minimises f itself; in pairs, and mixed with Frank-Wolfe steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from math import inf, isnan
from typing import Literal

import numpy as np

from greedyhull.errors import check, hinted
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.frank_wolfe import FrankWolfe
from greedyhull.solvers.parts.joint import Choice, Mover, swaps, toward
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.requirements import requirements_of
from greedyhull.solvers.parts.schedules import tolerance_at, zero
from greedyhull.solvers.parts.solver_state import SolverState
from greedyhull.solvers.parts.steps import APriori, Exact, checked_step, within
from greedyhull.types import Answer, AtomSet, Line, Needs, Objective, Schedule, Solver, Step, StepRule, lacks, listed, optional


@hinted
@dataclass(frozen=True)
class Jones(Solver):
    """Jones' method: step toward the atom that makes f itself lowest.

    w ← w + η(d − w) with f(w + η(d − w)) ≤ min over d' in S of f(w + η(d' − w)) + η_kε_k. Where atoms cannot be listed, d is
    the oracle's atom, which is an (M/2)-Jones choice (Theorem 4).

    Parameters
    ----------
    step : step rule, default Exact()
        `Exact` chooses η and d jointly: in closed form for quadratics, by branch and bound for other f. With a rule that is
        known in advance, such as `OpenLoop`, d is the best atom at that η_k.
    tolerance : schedule, default zero
        Schedule ε_k: a step may miss the best value of *f* by η_kε_k. (For `FrankWolfe` ε_k applies to the *linear* function.)
        Give ``harmonic(c)`` to shorten the branch and bound.

    Notes
    -----
    With ε_k = ``harmonic(c)``, that is cη_k for η_k = 2/(k + 2), this is a c-Jones method with an error of at most
    (2M + 4c)/(k + 2) (Theorem 2; for the joint choice, Zhang's corollary), or 2M/(k + 3) with c = 0 and the joint choice.
    ``also["jones_error"]`` of an event bounds what the last step lost in f, ``also["jones_allowed"]`` what it was allowed to.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.least_squares(np.eye(2), np.array([0.3, 0.7]))
    >>> gh.minimize(f, gh.Simplex(2), gh.Jones(), stop=gh.Iterations(1)).point.array()
    array([0.3, 0.7])
    """

    step: StepRule = field(default_factory=Exact)
    tolerance: Schedule = zero
    needs = Needs(atoms=False)

    def __post_init__(self) -> None:
        check(isinstance(self.step, Exact | APriori),
              f"step of Jones must be Exact(), or known in advance such as OpenLoop(); got {self.step!r}.")

    def cautions(self, f: Objective, S: AtomSet) -> Iterator[str]:
        return nonsmooth_warning(f)

    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: SolverState) -> Iterator[Progress]:
        oracle, choose = memory.oracle(S), self.mover(f, S, w, memory, memory.step(self.step))
        exact = listed(S) is not None  # the search compares all atoms itself
        for k in memory.count(first=0):
            g = f.gradient(w)
            epsilon = tolerance_at(self.tolerance, k, memory.gap)
            answer = oracle.argmin(g, tol=0.0 if exact else epsilon)
            yield Progress.of(w, f.gradient_dot(w) - answer.atom.dot(g), answer, tolerance=epsilon, also=joint_errors(memory))
            move, eta, _, _ = choose(w, answer, k)
            w.move(move, eta)

    def mover(self, f: Objective, S: AtomSet, w: Iterate, memory: SolverState, step: Step) -> Mover:
        """The choice of (η, d) at w_k, given the oracle's answer there."""
        atoms = toward(f, S, w, memory)

        def choose(w: Iterate, answer: Answer, k: int) -> Choice:
            epsilon = tolerance_at(self.tolerance, k, memory.gap)
            if isinstance(self.step, Exact):
                allowed = epsilon * 2.0 / (k + 2.0)  # ε_kη_k at the η_k of the schedule, whatever step is taken
                found = atoms.jointly(w, answer, allowed)
            else:
                eta = step(f.along(w, w.toward(answer.atom)), k)
                allowed = epsilon * eta
                found = atoms.at(w, answer, eta, allowed)
            error = found.error if f.traits.exact_gradient else np.inf  # what is proved of it rests on slopes
            memory.arrays["jones"] = np.array([error, allowed])
            return found

        return choose


def nonsmooth_warning(f: Objective) -> Iterator[str]:
    if not f.traits.smooth:
        yield (f"Theorem 2 needs a finite curvature, and {f!r} has kinks: this greedy choice by values may stall above the "
               "minimum. Smoothed() converges.")


def joint_errors(memory: SolverState) -> dict[str, float]:
    if "jones" not in memory.arrays:
        return {}
    error, allowed = memory.arrays["jones"].tolist()
    return {"jones_error": error, "jones_allowed": allowed}


@hinted
@dataclass(frozen=True)
class PairwiseJones(Solver):
    """Pairwise Jones: make the swap of weight between two atoms that lowers f most.

    w ← w + η(d − d') with η, the atom d to add and the atom d' of w to drop chosen jointly, or w ← w + η(d − w) where that is
    lower. For quadratics over listed atoms all swaps are compared. Otherwise d is the oracle's atom, and d' and η are chosen
    to within a tenth of the best decrease.

    Parameters
    ----------
    tolerance : schedule, default zero
        Error ε_k allowed to the oracle on the linear function, as for `FrankWolfe`.

    Notes
    -----
    A step is never worse than a Frank-Wolfe step with line search, so the error is at most 2M/(k + 3) with an exact oracle.
    If f is strongly convex, *every* step lowers the error by a factor of at least 1 − κ/(2a(2 + κ)), a the number of atoms in
    the point, including the steps that drop an atom (`theory.pairwise_jones_rate`).

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.least_squares(np.eye(3), np.array([0.9, 0.6, -0.5]))
    >>> gh.minimize(f, gh.L1Ball(3, radius=1), gh.PairwiseJones(), stop=gh.Gap(1e-12)).point.array().round(9)
    array([ 0.56666667,  0.26666667, -0.16666667])
    """

    tolerance: Schedule = zero
    needs = Needs(one_owner=True)

    def cautions(self, f: Objective, S: AtomSet) -> Iterator[str]:
        return nonsmooth_warning(f)

    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: SolverState) -> Iterator[Progress]:
        oracle, choose = memory.oracle(S), self.mover(f, S, w, memory)
        for k in memory.count(first=0):
            g = f.gradient(w)
            epsilon = tolerance_at(self.tolerance, k, memory.gap)
            answer = oracle.argmin(g, tol=epsilon)
            yield Progress.of(w, f.gradient_dot(w) - answer.atom.dot(g), answer, tolerance=epsilon)
            move, eta, _, _ = choose(w, answer, k)
            w.move(move, eta)

    def mover(self, f: Objective, S: AtomSet, w: Iterate, memory: SolverState, step: Step | None = None) -> Mover:
        """The choice of (η, d, d') at w_k, given the oracle's answer there."""
        pairs = swaps(f, S, w, memory)
        return lambda w, answer, k: pairs.best(w, answer)


@hinted
@dataclass(frozen=True)
class Mixed(Solver):
    """Mix steps of several solvers in one run, with the rate of Theorem 2 whatever the mix.

    A step that ends above the Frank-Wolfe step of length η_k = 2/(k + 2) is replaced by that step.

    Parameters
    ----------
    solvers : tuple of solvers, default (FrankWolfe(), Jones())
        Any of `FrankWolfe`, `Jones` and `PairwiseJones`, each with its own step rule and tolerance.
    choose : {"alternate", "better"} or callable, default "alternate"
        Whose step is tried: each solver in turn, all of them (the lowest value wins), or number ``choose(k)``.

    Notes
    -----
    The error is at most (2M + 4c)/(k + 2) if the oracle's tolerance is at most cη_k: the proof of Theorem 2 uses only
    that a step ends no higher than the Frank-Wolfe step of length η_k.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.minimize(gh.quadratic(np.eye(3)), gh.Simplex(3), gh.Mixed(), stop=gh.Iterations(2)).point.weights
    array([0.33333333, 0.33333333, 0.33333333])
    """

    solvers: tuple[FrankWolfe | Jones | PairwiseJones, ...] = (FrankWolfe(), Jones())
    choose: Literal["alternate", "better"] | Callable[[int], int] = "alternate"

    def __post_init__(self) -> None:
        several = isinstance(self.solvers, tuple | list) and len(self.solvers) > 0
        check(several and all(isinstance(s, FrankWolfe) or not lacks(s, "mover") for s in self.solvers),
              f"solvers of Mixed must be a tuple of FrankWolfe(), Jones() and PairwiseJones(); got {self.solvers!r}.")
        check(callable(self.choose) or self.choose in ("alternate", "better"),
              f'choose must be "alternate", "better" or a function of k; got {self.choose!r}.')

    @property
    def needs(self) -> Needs:
        each = [requirements_of(solver) for solver in self.solvers]
        return Needs(**{need.name: any(getattr(needs, need.name) for needs in each) for need in fields(Needs)})

    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: SolverState) -> Iterator[Progress]:
        oracle = memory.oracle(S)
        movers = [self._mover(i, f, S, w, memory) for i in range(len(self.solvers))]
        for k in memory.count(first=0):
            g = f.gradient(w)
            epsilon = min(tolerance_at(solver.tolerance, k, memory.gap) for solver in self.solvers)
            answer = oracle.argmin(g, tol=epsilon)
            yield Progress.of(w, f.gradient_dot(w) - answer.atom.dot(g), answer, tolerance=epsilon, also=joint_errors(memory))
            scheduled = _stepped(f, w, answer, lambda line, k=k: within(2.0 / (k + 2.0), line))  # type: ignore[misc]
            tried = [*(movers[i](w, answer, k) for i in self._turn(k)), scheduled]
            move, eta, _, _ = min(tried, key=lambda choice: inf if isnan(choice.value) else choice.value)
            w.move(move, eta)

    def _turn(self, k: int) -> tuple[int, ...]:
        if self.choose == "better":
            return tuple(range(len(self.solvers)))
        if self.choose == "alternate":
            return (k % len(self.solvers),)
        i = self.choose(k)
        check(isinstance(i, (int, np.integer)) and 0 <= i < len(self.solvers), lambda: f"choose({k}) of Mixed returned {i!r}; "
              f"the number of one of its solvers, 0 to {len(self.solvers) - 1}, is wanted.")
        return (int(i),)

    def _mover(self, i: int, f: Objective, S: AtomSet, w: Iterate, memory: SolverState) -> Mover:
        solver = self.solvers[i]
        rule: StepRule = optional(solver, "step") or Exact()
        step = checked_step(rule, memory.part(f"step{i}", lambda: rule.start(memory.warm)))
        if not isinstance(solver, FrankWolfe):
            return solver.mover(f, S, w, memory, step)

        return lambda w, answer, k: _stepped(f, w, answer, lambda line: step(line, k))


def _stepped(f: Objective, w: Iterate, answer: Answer, step: Callable[[Line], float]) -> Choice:
    toward = w.toward(answer.atom)
    line = f.along(w, toward)
    eta = step(line)
    return Choice(toward, eta, line.value(eta))
