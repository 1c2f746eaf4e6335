"""The end of a run: its point is checked, recomputed from its atoms in float64, certified, and handed over."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isinf, isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.driver.bound import held
from greedyhull.driver.certificate import Certificate, afresh, certificate_of, rounding_of, sentence
from greedyhull.driver.fewer_atoms import in_fewer_atoms
from greedyhull.driver.guard import check_drift, check_lower, check_point
from greedyhull.driver.inspection import challenge, inspect_opposite
from greedyhull.driver.own import own_objective, ships
from greedyhull.driver.reason import PRESSED, Reason
from greedyhull.driver.solution import Solution, StreamSolution
from greedyhull.driver.stop import closing
from greedyhull.errors import GreedyhullError
from greedyhull.objectives.black_box import BlackBox
from greedyhull.objectives.coarse import coarse_of, value_error, words_of
from greedyhull.objectives.composite import Composite
from greedyhull.points.arrays import eps_of
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.parts.looks.minibatch import in_place_of_sample
from greedyhull.solvers.parts.progress import Event
from greedyhull.types import Floor, Gradient

if TYPE_CHECKING:
    from greedyhull.driver.run import Run

UNDER = float(np.finfo(np.float32).tiny)  # what is smaller may be nothing in float32
NEARBY = 8  # points beside one that are tried where a value does not come out the same
SINGLE, DOUBLE = float(np.finfo(np.float32).eps), float(np.finfo(np.float64).eps)
TRIES = 20  # how often views are refreshed to close a gap that looked closed


def last(event: Event | None) -> Event:
    """The last event of a run that had one."""
    if event is None:
        raise GreedyhullError("The run ended before its first point was certified.")
    return event


def certify_end(run: Run, event: Event, moved: bool = False) -> tuple[Event, Certificate]:
    """The event as it is for the returned point, and its certificate; the point may have ``moved`` since."""
    check_point(event.point, run.S, run.solver, event.iteration)
    if event.self_standing:
        return _complete(run, event)
    inspect_opposite(run.f, run.S, event.point, run.memory)
    recent = not moved and not run.single_precision and run.f.fresh(event.point)
    if recent and ships(run.solver):  # computed from the atoms a moment ago
        proved = None if run.open is None else run.proofs.at_end(run.open, event)
        event = event if proved is None else run.prove(proved, event)
        check_lower(run.f, run.S, event.value, event.lower, event.kind, run.rounding)
        return event, Certificate(event.value, event.gap, event.lower, event.kind, event.delta, rounding_of(run.S),
                                  words_of(run.coarse, run.S))
    certificate = _recomputed(run, event.point)
    assert certificate.value is not None and certificate.gap is not None
    if run.convex and (own_objective(run.f) or not ships(run.solver)):
        challenge(run.f, run.S, event.point, certificate.lower, run.memory)
    final = replace(event, seconds=run.seconds, value=certificate.value, gap=certificate.gap, lower=certificate.lower,
                    kind=certificate.kind, delta=certificate.delta)
    run.trace.settle(certificate.value, certificate.gap, run.memory.oracle_calls)
    return final, certificate


def _recomputed(run: Run, w: Iterate) -> Certificate:
    """The certificate from the atoms alone, or from the best bound of the run where that is the better one."""
    f, S, memory = run.f, run.S, run.memory
    carried, allowance = float(f.value(w)), drift(run, w)
    if w.keeps_atoms:
        w.refresh()
    known = -inf if run.single_precision or not run.convex else memory.lower
    floors: list[Floor] = []

    def ask(g: Gradient) -> Floor:
        floors.append(memory.oracle(S).floor(g))
        return floors[-1]

    fresh = certificate_of(f, S, afresh(w), known, ask)
    assert fresh.value is not None and fresh.gap is not None
    memory.spent += max(fresh.delta, sum(floor.delta for floor in floors))  # all were compared with what was known
    allowance = max(allowance, drift(run, w), fresh.gap if run.single_precision else 0.0)
    check_drift(f, carried, fresh.value, allowance, lambda: (1.0 + memory.k) * noise(f, w))
    # the value is rounded too, and the bound of the run may be about another point
    rounding = float(f.rounding(w, S)) + value_error(run.coarse, fresh.value)
    check_lower(f, S, fresh.value, known, memory.kind, rounding)
    if not known - rounding > fresh.lower:  # rounding may be NaN in the precision of the data: then nothing else is known
        kind, delta = held(fresh.kind, memory.spent)
        return replace(fresh, kind=kind, delta=delta)
    kind, delta = held(memory.kind, memory.delta + memory.spent)
    return replace(fresh, gap=max(fresh.value - known, 0.0) + rounding, lower=known, kind=kind, delta=delta)


def drift(run: Run, w: Iterate) -> float:
    """What rounding can have done to the value that the views have, in all moves of the run."""
    moves, f = 1.0 + run.memory.k, run.f
    if not run.single_precision:
        return moves * (float(f.rounding(w, run.S)) + value_error(run.coarse, float(f.value(w))))
    single = f.rounding(w, run.S, SINGLE) if isinstance(f, Composite) else SINGLE / DOUBLE * float(f.rounding(w, run.S))
    start = 0.0 if isnan(run.first_value) else abs(run.first_value)  # near a minimum of zero what is left is second order
    drift = moves * (single + SINGLE * (start + float(f.scale))) + UNDER
    return inf if isnan(drift) else drift  # beyond the range of float32 nothing is known


def noise(f: object, w: Iterate) -> float:
    """How much a user's function differs between points that rounding cannot tell apart; of others it is known: 0.

    What is computed inside may cancel, which no formula here can see.
    """
    if not isinstance(f, BlackBox):
        return 0.0
    value, _ = f.sampled_functions()
    x, rng, seen = w.array(), np.random.default_rng(0), coarse_of(f)
    eps = DOUBLE if seen is None else max(map(eps_of, (seen.value, seen.gradient)))  # of the point as the function casts it
    here = value(x)
    if value(x) != here:  # one that answers differently from call to call has no such excuse
        return 0.0
    return max(abs(value(x * (1.0 + eps * rng.choice([-1.0, 1.0], x.shape))) - here) for _ in range(NEARBY))


def _complete(run: Run, event: Event) -> tuple[Event, Certificate]:
    """A bound that was told stands as it is; the value is computed, once, where there is one."""
    value = float(run.f.precise().value(afresh(event.point)))
    if isnan(value):
        gap = None if isinf(event.gap) else event.gap
        return event, Certificate(None, gap, -inf, event.kind, event.delta, note=words_of(run.coarse, run.S))
    event = replace(event, value=value, gap=event.gap + value_error(run.coarse, value))
    lower = -inf if event.kind == "stationary" else value - event.gap
    gap = None if isinf(event.gap) else event.gap
    return event, Certificate(value, gap, lower, event.kind, event.delta, note=words_of(run.coarse, run.S))


def _compressed(run: Run, final: Event, certificate: Certificate) -> tuple[Event, Certificate]:
    """The end with its point in fewer atoms, where the set knows how, and the certificate of that point.

    A bound that was told belongs to the point as it is; and a request on the gap that was met must stay so.
    """
    fewer = None if final.self_standing else in_fewer_atoms(final.point, run.S)
    if fewer is None:
        return final, certificate
    fewer.work, fewer.step = final.point.work, final.point.step
    now = _recomputed(run, fewer)
    assert now.value is not None and now.gap is not None
    end = replace(final, point=fewer, value=now.value, gap=now.gap, lower=now.lower, kind=now.kind, delta=now.delta)
    if run.stop.met(final) and not run.stop.met(end):
        return final, certificate
    run.trace.settle(now.value, now.gap, run.memory.oracle_calls, len(fewer))
    return end, now


def goes_on(run: Run, final: Event, fresh: Certificate) -> bool:
    """Whether another try, from refreshed views, may still close a gap that looked closed."""
    if final.iteration >= run.limits.iterations or final.seconds >= run.limits.seconds:
        return False
    if not final.self_standing:
        if fresh.lower != run.memory.lower:  # a bound of its own, in which no samples have a share
            run.memory.lower, run.memory.kind, run.memory.delta = fresh.lower, fresh.kind, 0.0
        run.memory.guide = fresh.lower
    tries = run.memory.arrays.get("recertified", np.array(0)) + 1
    run.memory.arrays["recertified"] = tries
    return int(tries) <= TRIES


def solution_of(run: Run, final: Event, certificate: Certificate, reason: Reason, said_of: Event) -> Solution:
    """All that a run has to say; ``said_of`` is the event that the reason was given for."""
    final, certificate = _compressed(run, final, certificate)
    met = final is said_of and reason.claims  # a request on the gap ended the run, and nothing has changed since
    converged = met or run.stop.met(final)
    if converged and certificate.kind == "expectation":  # a bound that ends a run because it is small is chosen by luck
        certificate = replace(certificate, kind="estimate")
    why = reason if met and not reason.cause else closing(run.stop, reason, final)
    said: Any = why.told  # perhaps a function, whose words are made when they are read
    sampled = "" if final.self_standing else in_place_of_sample(run.solver, run.f)
    if certificate.note or sampled or run.taken_over or run.interrupt.requested:
        said = " ".join(filter(None, (why.words, sentence(certificate.note), sampled, run.taken_over)))
        if run.interrupt.requested and not said.startswith("Interrupted"):
            said = f"{said} {PRESSED}"
    choice: Any = run.choice
    run.trace.thin()
    kind = StreamSolution if certificate.value is None else Solution
    return kind(final.point, certificate, said, converged, final.iteration, final.seconds, run.trace, run.solver,
                    run.f, run.S, run.memory.curvature, choice, final.also or {}, *run.given)
