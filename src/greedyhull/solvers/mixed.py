"""Mixed: Frank-Wolfe and Jones steps in one run, none of them worse than the step that the rate is proved for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf, isnan
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

import numpy as np

from greedyhull.errors import check
from greedyhull.errors.hinted import hinted
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.frank_wolfe import FrankWolfe
from greedyhull.solvers.jones import Jones, joint_errors
from greedyhull.solvers.parts.careful import careful
from greedyhull.solvers.parts.joint import Choice, Mover
from greedyhull.solvers.parts.memory import Memory
from greedyhull.solvers.parts.needs import needs_of
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.rules import Stepping
from greedyhull.solvers.parts.schedules import tolerance_at
from greedyhull.solvers.parts.steps import Exact, within
from greedyhull.types import Answer, AtomSet, Combining, Needs, Objective, Schedule, Solver, Step
from greedyhull.types.override import KeepsCombining, keeps, override


@runtime_checkable
class Moving(Solver, Protocol):
    """A solver whose choice of a move can be asked for, as that of `Jones` and `PairwiseJones`."""

    @property
    def tolerance(self) -> Schedule: ...
    def mover(self, f: Objective, S: AtomSet, w: Iterate, memory: Memory, step: Step) -> Mover: ...


@hinted
@dataclass(frozen=True)
class Mixed(KeepsCombining):
    """Mix steps of several solvers in one run, with the rate of Theorem 2 whatever the mix.

    A step that ends above the Frank-Wolfe step of length η_k = 2/(k + 2) is replaced by that step.

    Parameters
    ----------
    solvers : tuple of solvers, default (FrankWolfe(), Jones())
        Any of `FrankWolfe`, `Jones` and `PairwiseJones`, each with its own step rule and tolerance.
    choose : {"alternate", "better"} or callable, default "alternate"
        Whose step is tried: each solver in turn, all of them (the lowest value wins), or number ``choose(k)``. Use a
        function to take an expensive step only now and then.

    See Also
    --------
    FrankWolfe : Cheap steps.
    Jones : Steps chosen by values of f.

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

    solvers: tuple[FrankWolfe | Moving, ...] = (FrankWolfe(), Jones())
    choose: Literal["alternate", "better"] | Callable[[int], int] = "alternate"

    if TYPE_CHECKING:
        keeps(Combining.solvers)

    def __post_init__(self) -> None:
        several = isinstance(self.solvers, tuple | list) and len(self.solvers) > 0
        check(several and all(isinstance(s, FrankWolfe | Moving) for s in self.solvers),
              f"Mixed(solvers={self.solvers!r}) was given; a tuple of FrankWolfe(), Jones() and PairwiseJones() is wanted.")
        check(callable(self.choose) or self.choose in ("alternate", "better"),
              f"Mixed(choose={self.choose!r}) was given; \"alternate\", \"better\" or a function of k is wanted.")

    @property
    @override
    def needs(self) -> Needs:
        """What any of its solvers needs."""
        each = [needs_of(solver) for solver in self.solvers]
        return Needs(smooth=any(needs.smooth for needs in each), atoms=any(needs.atoms for needs in each),
                     second_order=any(needs.second_order for needs in each), terms=any(needs.terms for needs in each),
                     one_owner=any(needs.one_owner for needs in each))

    @override
    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: Memory) -> Iterator[Progress]:
        oracle = memory.oracle(S)
        movers = [self._mover(i, f, S, w, memory) for i in range(len(self.solvers))]
        for k in memory.count(first=0):
            g = f.gradient(w)
            epsilon = min(tolerance_at(solver.tolerance, k, memory.gap) for solver in self.solvers)
            answer = oracle.argmin(g, tol=epsilon)
            yield Progress.of(w, f.gradient_dot(w) - answer.atom.dot(g), answer, tolerance=epsilon, also=joint_errors(memory))
            tried = [movers[i](w, answer, k) for i in self._turn(k)]
            tried.append(_scheduled(f, w, answer, k))
            move, eta, _, _ = min(tried, key=lambda choice: inf if isnan(choice.value) else choice.value)
            w.move(move, eta)

    def _turn(self, k: int) -> tuple[int, ...]:
        """Whose steps are tried at w_k."""
        if self.choose == "better":
            return tuple(range(len(self.solvers)))
        if self.choose == "alternate":
            return (k % len(self.solvers),)
        i = self.choose(k)
        check(isinstance(i, (int, np.integer)) and 0 <= i < len(self.solvers), lambda: f"choose({k}) of Mixed returned {i!r}; "
              f"the number of one of its solvers, 0 to {len(self.solvers) - 1}, is wanted.")
        return (int(i),)

    def _mover(self, i: int, f: Objective, S: AtomSet, w: Iterate, memory: Memory) -> Mover:
        solver = self.solvers[i]
        rule = solver.step if isinstance(solver, Stepping) else Exact()
        step = careful(rule, memory.part(f"step{i}", lambda: rule.start(memory.warm)))
        if isinstance(solver, Moving):
            return solver.mover(f, S, w, memory, step)

        def frank_wolfe(w: Iterate, answer: Answer, k: int) -> Choice:
            toward = w.toward(answer.atom)
            line = f.along(w, toward)
            eta = step(line, k)
            return Choice(toward, eta, line.value(eta))

        return frank_wolfe


def _scheduled(f: Objective, w: Iterate, answer: Answer, k: int) -> Choice:
    """The Frank-Wolfe step of length 2/(k + 2)."""
    toward = w.toward(answer.atom)
    line = f.along(w, toward)
    eta = within(2.0 / (k + 2.0), line)
    return Choice(toward, eta, line.value(eta))
