"""Which of the paper's bounds hold for a finished run, with their numbers.

Nothing is taken on trust. All that the proofs use of the step from w_k to w_{k+1} is one inequality,

    f(w_{k+1}) ≤ f(w_k) − η(h_k − ε_k) + (M/2)η²,

where h_k, the certified gap in the trace, is at least the error e_k, and ε_k is the oracle's slack. Lemma 2 gives it at
the step η_k that was taken, the domination principle at every η for updates that are no worse than the best step of
the model. All of it stands in the trace. So a statement is listed if it speaks of steps like these and its inequality
holds on the record, and refused with the reason otherwise; what a step falls short by, rounding as a rule, is added.
Steps that bring less than a rate asks for, such as those that drop an atom, are not counted, as long as f did not rise.

Stochastic solvers need other statements (`mean`); a solver of another's may name its own in a method ``theorems``.

Since h_{k+1} ≤ f(w_{k+1}) − (the lower bound at k), the certified gap itself obeys whatever is proved of the error.
"""

from __future__ import annotations

import numpy as np

from greedyhull.driver.bounds.mean import ABOUT
from greedyhull.driver.bounds.record import Record
from greedyhull.driver.bounds.solved import Solved
from greedyhull.driver.bounds.statements import STATEMENTS
from greedyhull.errors import GreedyhullError, check
from greedyhull.theory import Bound, Bounds, Refused, Theorems
from greedyhull.theory.listed import Proving
from greedyhull.types import Solver

BEYOND = "Its numbers leave the range of floating point. Scale the data and the set."


def bounds_of(solution: Solved) -> Bounds:
    """The bounds that hold at the last point of a run, the certified gap first.

    >>> import numpy as np, greedyhull as gh
    >>> s = gh.minimize(gh.quadratic(2 * np.eye(9)), gh.Simplex(9), gh.FrankWolfe(), stop=gh.Iterations(5))
    >>> bounds_of(s).named("Line search")
    Line search (rate): 2M/(k + 3) = 1, always; k = 5 (exact), M = 4 (exact)
    """
    found, refused = Bounds([]), list[Refused]()
    certificate = solution.certificate
    if certificate.gap is not None and certificate.kind != "stationary":
        found.append(Bound("Lemma 1 (duality)", certificate.gap, (), "f(w) − best lower bound", kind=certificate.kind))
    theorems = theorems_about(solution.solver)
    with np.errstate(over="ignore", invalid="ignore"):
        try:
            run = theorems.record(solution)
        except GreedyhullError as error:
            run = str(error)
        for name, statement in theorems.statements.items():
            try:
                if isinstance(run, str):
                    raise GreedyhullError(run)
                found.extend(_finite(bound) for bound in statement(run))
            except GreedyhullError as error:
                refused.append(Refused(name, str(error)))
            except ArithmeticError:  # an overflow, or a division by what has vanished
                refused.append(Refused(name, BEYOND))
    found.refused = tuple(refused)
    return found


def _finite(bound: Bound) -> Bound:
    check(bool(np.isfinite(bound.value)), BEYOND)
    return bound


def theorems_about(solver: Solver) -> Theorems:
    """The statements about runs of a solver: those that it names itself, those of its kind, or those about steps."""
    if isinstance(solver, Proving):
        return solver.theorems()
    return next((ABOUT[kind] for kind in type(solver).__mro__ if kind in ABOUT), Theorems(Record, STATEMENTS))
