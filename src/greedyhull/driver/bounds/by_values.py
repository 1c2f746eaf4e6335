"""What holds for Jones and pairwise Jones because they compare values of f: statements that Frank-Wolfe does not have.

Their inequalities contain min f, which is not on the record. So they rest on the choices being the best, which the solvers
prove of each step, and are listed for these solvers alone, over atoms that can be listed. They are refused where a step
contradicts them: they must hold with the least value of the record in the place of min f. That cannot find every wrong
constant. So where f is not a quadratic, whose Hessian is known, the certified gap of the run must not be above them either.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from greedyhull.driver.bounds.record import Counted, Record, slack
from greedyhull.errors import GreedyhullError, check
from greedyhull.measures.spread import jones_variance
from greedyhull.measures.width import condition
from greedyhull.solvers.jones import Jones
from greedyhull.solvers.pairwise_jones import PairwiseJones
from greedyhull.solvers.parts.joint.search import EXACT
from greedyhull.solvers.parts.steps import Exact
from greedyhull.theory import Bound, Constant, joint_jones_rate, jones_rate, pairwise_jones_error, pairwise_jones_rate
from greedyhull.types import Array
from greedyhull.types.kinds import listed


def jones_by_variance(run: Record) -> Iterator[Bound]:
    """(2V + 4c)/(k + 2), and 2V/(k + 3) for the exact joint choice, V the lesser of M and what is known of V."""
    solver = run.solver
    if not (isinstance(solver, Jones) and listed(run.S) is not None):
        raise GreedyhullError("It is about Jones() over atoms that can be listed.")
    _sure(run)
    joint, n = isinstance(solver.step, Exact), np.arange(run.K)
    check(joint or (run.open_loop and bool(np.all(np.abs(run.etas * (n + 2.0) - 2.0) <= 1e-9))),
          "It is about the joint choice of step and atom, and about steps 2/(k + 2).")
    V, M = jones_variance(run.f, run.S), run.known
    if isinstance(M, Constant) and float(M) < float(V):
        V = Constant(float(M), "upper bound", "V")
    allowed = [solver.tolerance(run.first + k, float(run.gaps[k])) * (k + 2) / 2 for k in range(run.K)]
    c = slack("c", max(allowed))
    counted, eta = Counted(tuple(range(run.K)), _rounding(run)), 2.0 / (n + 2.0)
    missing = run.above(eta, (0.5 * float(V) + float(c)) * eta**2)
    yield _compared(run, missing, run.rated("Jones (variance)", lambda k: jones_rate(float(V), float(c), k), counted, (V, c),
                                            "(2V + 4c)/(k + 2)"))
    if joint and float(c) == 0.0:
        yield _compared(run, missing, run.rated("Jones (variance, joint)", lambda k: joint_jones_rate(float(V), k), counted,
                                                (V,), "2V/(k + 3)"))


def pairwise_contracts(run: Record) -> Iterator[Bound]:
    """e_0 times the product of 1 − κ/(2a_k(2 + κ)), a_k the number of atoms in w_k."""
    check(isinstance(run.solver, PairwiseJones), "It is about PairwiseJones().")
    _sure(run)
    check(not run.slacks[:-1].any(), "It is about an exact oracle.")
    large = condition(run.f, run.S)
    kappa, atoms = 1.0 / max(float(large), 1.0), run.atoms[: run.K]
    errors = pairwise_jones_error(kappa, atoms, float(run.e0))
    most = Constant(float(atoms.max()), "exact", "max a_k")
    yield _compared(run, run.above(pairwise_jones_rate(kappa, atoms)), run.bound(
        "Pairwise Jones (contraction)", float(errors[-1]), _rounding(run), (large, most, run.e0),
        "e_0 Π (1 − κ/(2a_k(2 + κ)))"))


def _sure(run: Record) -> None:
    check(run.f.traits.exact_gradient, f"The gradients of {run.f!r} are inexact, so that the choices need not be the best.")
    check(run.kind == "always", f"The gaps of the run are of kind {run.kind!r}, and so would be the choices that it rests on.")


def _compared(run: Record, missing: Array, bound: Bound) -> Bound:
    """``bound``, unless a step of the record, or the certified gap, speaks against its constants."""
    k = int(missing.argmax())
    check(run.admits(float(missing.sum()), bound.value), f"Step {k} brought {missing[k]:.3g} less than it must with these "
          f"constants, {', '.join(map(repr, bound.constants))}: one of them is wrong.")
    check(run.f.traits.quadratic or run.gap <= bound.value, f"The run certifies a gap of {run.gap:.3g}, more than the "
          f"{bound.value:.3g} that it says, and the record cannot prove the smoothness of {run.f!r} that it rests on.")
    return bound


def _rounding(run: Record) -> float:
    """What the choices may have lost to the best: a share of the decrease that counts as none, and rounding."""
    of_value = float(run.f.precise().rounding(run.point, run.S))
    return EXACT * abs(float(run.values[0] - run.values[-1])) + run.noise * run.K + of_value * (run.K + 1)
