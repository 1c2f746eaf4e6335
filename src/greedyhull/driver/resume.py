"""How a saved run goes on: bit by bit with the same problem, from its point alone with another one.

Bit by bit holds where the same loops run: with another compiled core, or none, the run goes on up to rounding, and says so.

A lower bound holds for the problem that it was found for. So a state carries a digest of the objective, of the set and of the
solver; what is not the same, or cannot be told to be, loses what rested on it.
"""

from __future__ import annotations

from math import inf, isfinite, isnan
from pathlib import Path
from time import perf_counter
from traceback import walk_tb
from typing import TYPE_CHECKING
from warnings import warn

import numpy as np
import scipy

from greedyhull.atoms.belonging import check_atoms_of
from greedyhull.atoms.product import Product
from greedyhull.atoms.sum import Sum
from greedyhull.driver.certificate import certificate_of
from greedyhull.driver.ending import drift
from greedyhull.driver.guard import LEEWAY
from greedyhull.driver.identity import Identity
from greedyhull.driver.saving import VERSION
from greedyhull.errors import GreedyhullError, GreedyhullWarning, check
from greedyhull.kernels.core import level
from greedyhull.points.coordinate_iterate import CoordinateIterate, restored
from greedyhull.points.iterate import Iterate
from greedyhull.points.mixture import owners_agree
from greedyhull.points.owners import OwnedBlock, normalised, vertices
from greedyhull.points.shapes import dense as dense_atom
from greedyhull.points.states import SpoiledError, under
from greedyhull.solvers.parts.memory import Memory
from greedyhull.types import AtomSet, State

if TYPE_CHECKING:
    from greedyhull.driver.run import Run

POINTS_OF = (2,)  # versions of states of which the point is understood, and nothing else
NEAR = 1e-4  # values of one point that differ by more, relative to them, are values of two functions


def take_up(run: Run, state: State) -> None:
    """Go on from a saved state: bit by bit if it is one of this run, else from its point alone."""
    version = int(state["version"]) if "version" in state else 0
    if version in POINTS_OF:
        _begin_anew(run, saved_point(state, run.S), ["the library"])
        return
    check(version == VERSION, "The saved state was written by another version of "
          "greedyhull, which kept other things. Solve again, or resume with the version that wrote it.")
    saved = Identity.restored(under("identity", state))
    changed = run.identity.changes(saved)
    w, memory = saved_point(state, run.S), Memory()
    memory.restore(under("memory", state))
    shown = CoordinateIterate(state["shown"]) if "shown" in state else w
    sure = run.identity.known and saved.known
    told_apart = run.identity.f and saved.f  # digests say what values, rounded along the way, cannot
    if not changed and not told_apart and _another_function(run, shown, memory):
        changed = ["the objective"]
    if not changed and not run.identity.S and foreign(w, run.S):
        changed = ["the set"]
    if changed:
        _begin_anew(run, w, changed)
        return
    _check_place(run, w, shown)
    run.w, run.memory, run.certified_point = w, memory, shown
    run.start_value, run.earlier = (float(x) for x in state["run"])
    run.began = perf_counter()
    if "standing.numbers" in state:
        run.standing.restore(under("standing", state))
    before = str(state["level"]) if "level" in state else level()
    if before != level():
        run.taken_over = (f"The saved run computed with the loops of {before}, this one with those of {level()}: its iterates "
                          "go on up to rounding, not bit by bit.")
    elif sure and "noted" in state:
        run.noted = _noted(run, state)
    if "looked_early" in memory.arrays and not run.taken_over:
        run.taken_over = (f"The run was also certified at iteration {int(memory.arrays['looked_early'])}, where it was saved: "
                          "its iterates are those of an uninterrupted run, but its bounds and trace may differ.")
    if not sure:  # rows that may be about another problem are left behind with the bound
        _prove_anew(run, w.copy())
        run.taken_over = run.taken_over or ("Objective and set cannot be compared with the saved ones: the iterates continue, "
                                            "the bound is proved again, and the trace begins at the resume.")
    elif "trace.rows" in state:
        run.trace.restore(under("trace", state))


def _check_place(run: Run, w: Iterate, shown: Iterate) -> None:
    """Whether the point lies in the set, as one of the run would."""
    if w.keeps_atoms:
        check_atoms_of(run.S, w.block, "The saved point")
    for point in (w, shown):
        inside = run.S.contains_quickly(point) if point.keeps_atoms or point.shape == run.S.shape else False
        check(inside is not False, f"The saved point lies outside {run.S!r}.")


def _noted(run: Run, state: State) -> tuple[float, float]:
    """Value and gap of the event that was saved, if that is the value at the atoms up to rounding."""
    check(state["noted"].shape == (2,) and state["noted"].dtype == np.float64, "noted is not a value and a gap.")
    value, gap = state["noted"].tolist()
    if run.f.traits.remote or not isfinite(value) or run.f.traits.terms == "stream":
        return value, gap
    point = run.certified_point.copy()
    now = float(run.f.value(point))
    allowance = LEEWAY * drift(run, point) + 1e-12 * abs(value)
    check(abs(now - value) <= allowance or not isfinite(allowance), f"It was written at a value of {value!r}, and that of its "
                                                                    f"point is {now!r}.")
    return value, gap


def check_repeated(run: Run) -> None:
    """Whether the first event of a resumed run is the one that was saved: its value up to rounding, its gap no smaller.

    All that a bound rests on has a part in these two numbers. A state in which something was changed does not repeat them.
    A run that is asked to end takes no step in the core, whose loops add terms in another order: values may differ by their
    rounding, which is part of the gap. Intercepts over shards are found again, perhaps nearer to the best: then the value may
    change by less than the gap.
    """
    assert run.noted is not None
    (value, gap), (now, proved), run.noted = run.noted, run.trace.rows[-1][2:4], None
    traits, slack = run.f.traits, 2.0 * run.rounding + 1e-13 * (abs(value) + gap) if isfinite(gap) else 0.0
    moved = abs(now - value) if traits.remote and traits.intercept and abs(now - value) <= gap else 0.0
    same = now == value or abs(now - value) <= 2.0 * run.rounding  # of float32 data rounding is not counted underway
    if (same or moved) and (proved >= gap - slack - moved or isnan(gap)):
        if same and gap >= proved - slack:  # the row is that of the run, to the last bit
            run.trace.settle(value, gap, run.memory.oracle_calls)
        return
    raise SpoiledError(f"It was written at a value of {value!r} with a gap of {gap!r}, and its point gives {now!r} and "
                       f"{proved!r}: something in it is not as it was written. Give another one, or solve again.")


def of_file(error: BaseException, source: object) -> GreedyhullError | None:
    """The error of a resumed run in words, where nobody but this library and what it uses has a part in it."""
    if isinstance(error, SpoiledError):
        return GreedyhullError(f"The state in {source} cannot be gone on from. {error}")
    if isinstance(error, GreedyhullError):
        return None
    own = Path(__file__).parents[1]
    trusted = (own, *(Path(str(module.__file__)).parent for module in (np, scipy)))
    frames = [Path(frame.f_code.co_filename) for frame, _ in walk_tb(error.__traceback__)]
    first = next((i for i, file in enumerate(frames) if file.is_relative_to(own)), 0)
    if not all(any(file.is_relative_to(home) for home in trusted) for file in frames[first:]):
        return None
    return GreedyhullError(f"The run that was resumed from {source} could not go on ({type(error).__name__}: {error}): the "
                           "state holds what no run has written. Give another one, or solve again.")


def _another_function(run: Run, shown: Iterate, memory: Memory) -> bool:
    """Whether f, which has no digest, is not the function whose value at the saved point is remembered."""
    if memory.gap is None or not isfinite(memory.gap + memory.guide):
        return False
    told, value = memory.guide + memory.gap, float(run.f.value(shown.copy()))
    slack = NEAR * (abs(value) + abs(told)) + 1e3 * float(run.f.rounding(shown.copy(), run.S))
    slack += 1e-14 * (abs(memory.guide) + memory.gap)  # which ``told`` is the small difference of
    return not abs(value - told) <= slack


def _begin_anew(run: Run, w: Iterate, changed: list[str]) -> None:
    """Only the point survives: bound, counter, views, tables and oracle belong to another problem."""
    run.taken_over = (f"Only the point of the saved run was taken over, for {' and '.join(changed)} changed: bounds, "
                      "counters and all that was remembered are new.")
    warn(run.taken_over, GreedyhullWarning, stacklevel=6)
    run.begin_at(moved_over(w, run.S, run.plain))


def _prove_anew(run: Run, w: Iterate) -> None:
    """Functions and users' sets may have changed without a trace: iterates go on, the bound is found again."""
    memory = run.memory
    run.unproved, memory.lower = memory.k, -inf
    if not run.convex or not isfinite(run.f.value(w)):
        return
    memory.beside += 1
    now = certificate_of(run.f, run.S, w, -inf)  # by an oracle of its own: that of the run may count its calls
    memory.lower, memory.kind, memory.delta = now.lower, now.kind, 0.0
    memory.spent += now.delta


def saved_point(state: State, S: AtomSet) -> Iterate:
    """The point that the run had, of the right shape, with its views to come."""
    w = restored(under("iterate", state))
    check(w.shape == S.shape, f"The saved state holds points of shape {w.shape}, but {S!r} those of shape {S.shape}. Resume "
                              "with a set of the same shape.")
    return w


def moved_over(w: Iterate, S: AtomSet, plain: bool) -> Iterate:
    """The point of another run as one of this set: with its atoms if they lie in the set, else written anew; ``plain``, its
    coordinates are enough."""
    if w.keeps_atoms and _owns(S, w):
        block = S.recognised(w.block)
        return Iterate(block.take(np.arange(len(block))), normalised(w.weights, w.owners), S.shape).merged()
    x = w.array()
    if not S.contains(x):
        raise GreedyhullError(f"The point lies outside {S!r}, or some of its atoms do: it cannot go on there. Begin with a "
                              "point of this set, or solve anew.")
    if plain and S.contains_quickly(CoordinateIterate(x)):  # by a formula, not by a search
        return CoordinateIterate(x)
    return S.decompose(x)


def _owns(S: AtomSet, w: Iterate) -> bool:
    """Whether every atom of the point lies in the set."""
    if not owners_agree(w, S):
        return False
    block = S.recognised(w.block)
    if all(isinstance(key, int) for key in block.keys):  # rows of the set itself
        return True
    if isinstance(block, OwnedBlock) and not (type(S) is Product and all(T.traits.owners == 1 for T in S.sets)):
        # a sum of parts may lie in the set though one of them sticks out of its own: any others would not make up for it
        return type(S) is Sum and all(S.holds_parts(Iterate.at(d, S.shape), 1e-9) for d in vertices(block))
    return all(S.owns(d) for d in vertices(block))


def foreign(w: Iterate, S: AtomSet) -> bool:
    """Whether an atom of the point, or the point where its atoms were not kept, certainly lies outside the set."""
    if not w.keeps_atoms:
        return bool(S.excludes(w))
    if not owners_agree(w, S):
        return True
    block = S.recognised(w.block)
    if all(isinstance(key, int) for key in block.keys):  # rows of the set itself
        return False
    return any(S.excludes(dense_atom(d, S.shape)) for d in vertices(block))
