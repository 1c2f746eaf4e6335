"""The end of a run: its point is checked, recomputed from its atoms and certified again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf, isinf, isnan, nan
from typing import TYPE_CHECKING, Any
from warnings import warn

import numpy as np

from greedyhull.atoms.base import generator
from greedyhull.driver.certificate import MOSTLY_ROUNDING, SIZES, Certificate, afresh, certificate_of, held, sentence
from greedyhull.driver.checks import check_drift, check_lower, check_point, is_builtin
from greedyhull.driver.solution import Solution, StreamSolution
from greedyhull.driver.stop import PRESSED, Reason, because, closing
from greedyhull.errors import GreedyhullError, GreedyhullWarning
from greedyhull.objectives.black_box import BlackBox
from greedyhull.objectives.composite import Composite
from greedyhull.objectives.limits import coarse_of, value_error, words_of
from greedyhull.objectives.minibatches import count_of
from greedyhull.objectives.smoothing import smoothing, with_kinks
from greedyhull.points.aligned import kept
from greedyhull.points.arrays import eps_of
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.factors import apart
from greedyhull.points.iterate import Iterate, wrong_weights
from greedyhull.points.owners import vertices
from greedyhull.solvers.parts.gap_evaluation import MinibatchGap
from greedyhull.solvers.parts.progress import Event
from greedyhull.solvers.parts.solver_state import SolverState
from greedyhull.types import Array, AtomSet, Floor, Gradient, Objective, Solver, State

if TYPE_CHECKING:
    from greedyhull.driver.run import Run


def dual_bound(f: Objective, S: AtomSet, w: Iterate, best: Floor, known: float, ask: Callable[[Array], Floor]) -> Floor:
    """Return a lower bound of min f, ``best`` or a better one that is quick to find from w; its delta is that of all compared.

    No search is made if w shows none better than the ``known`` one. ``ask`` is the floor of an oracle.
    """
    sharp = with_kinks(f)
    if sharp is None:
        return best
    from greedyhull.solvers.smoothed import LEAST, SHARPER, first_mu

    value, soft = f.value(w), smoothing(sharp, first_mu(sharp, w))
    # relative to f: a gap that is not worth another round
    above, enough = value - f.rounding(w, S), 1e-9 * abs(value) + 2.0 * f.rounding(w, S)
    for _ in range(16):  # values of μ that are tried at the point itself
        g = soft.gradient(w)
        least = ask(g)
        best = higher(best, least._replace(lower=above - soft.smoothing_error(w, S) - (soft.gradient_dot(w) - least.lower)))
        if SHARPER * soft.mu < LEAST:
            break
        soft.sharpen(SHARPER * soft.mu, w)
    if best.lower <= known or value - best.lower <= enough:
        return best
    return higher(best, _searched(f, S, w, value - enough))


def higher(one: Floor, other: Floor) -> Floor:
    """The better of two bounds; that one of them fails may be why it is the better one."""
    return max(one, other, key=lambda bound: bound.lower)._replace(delta=one.delta + other.delta)


def _searched(f: Objective, S: AtomSet, w: Iterate, wanted: float) -> Floor:
    """The best lower bound that some rounds of `Smoothed`, begun at w, come by, until one is ``wanted`` or above."""
    from greedyhull.solvers.smoothed import Smoothed

    try:
        if S.traits.region is not None:  # rounds in coordinates: corners of a box, or atoms of a ball, are too many
            u: Iterate = CoordinateIterate(w.array())
        else:
            u = w.copy() if w.keeps_atoms else S.decompose(w.array())
    except GreedyhullError:  # the set cannot name atoms for it
        u = Iterate.at(S.start(generator(S, 0)), S.shape)
    best = Floor(-float("inf"))
    for i, p in enumerate(Smoothed().run(f, S, u, SolverState())):
        if p.gap >= 0.0:  # else an oracle has erred by more than it owned up to, and there is no bound
            best = higher(best, Floor(f.value(u) - p.gap - f.rounding(u, S), p.kind, p.spent))
        if i >= 100 or best.lower >= wanted:  # of the solver that begins at the point
            break
    return best


SAME = 1e-12  # of Σ αᵢ|dᵢ|: what two points may differ by that are called the same


def sparsified(w: Iterate, S: AtomSet) -> Iterate | None:
    """Return w in the fewer atoms of ``S.compressed`` if it is the same point of S; else None, with a warning if it is not."""
    if not w.keeps_atoms:
        return None
    given = w.copy()  # which a set may spoil
    try:
        block, weights = S.compressed(given.block, given.weights, SAME)
        if len(block) >= len(w):
            return None
        fewer = Iterate(block, weights, w.shape)
        wrong = wrong_weights(fewer, 0) or _elsewhere(w, fewer, S)
    except Exception as error:  # a set of whatever kind: the result does not hang on it
        wrong = f"{type(error).__name__}: {error}"
    if wrong is None:
        return fewer.merged()
    warn(f"compressed(block, weights, tol) of {S!r} was to write the point of the run in fewer atoms, and what it gave was "
         f"left: {wrong}. The point is as it was.", GreedyhullWarning, stacklevel=7)
    return None


def _elsewhere(w: Iterate, fewer: Iterate, S: AtomSet) -> str | None:
    """Why the two are not the same point of S, if they are not."""
    off, size = apart(w, fewer)
    allowed = SAME * size
    if isnan(off):
        return "its atoms are not finite"
    if not off <= allowed:
        return f"it is {off:.3g} away, and {allowed:.3g} would be the same point"
    for d in vertices(fewer.block):
        inside = S.contains_quickly(Iterate.at(d, w.shape))
        if inside is not None and not inside:
            return f"{d!r} lies outside the set"
    return None


# rounds without progress from one comparison to the next; a multiple of 2 to 6, for runs may cycle among a few points
ROUNDS = 60
# they go up even if nothing moves
COUNTERS = ("work", "k", "gap", "calls", "glances", "count", "counts", "asked", "used", "beside", "given", "moves", "spent",
            "proofs")


def iterates_stalled(event: Event, solver: Solver) -> Reason:
    """The end of such a run. Other solvers may do better, unless this one already corrects all weights."""
    from greedyhull.solvers.corrective import Corrective

    others = "" if isinstance(solver, Corrective) else ", or try Corrective or BlendedPairwise"
    return because("still", "The iterates no longer change,", event,
                   f"rounding or the step rule prevents further progress. Ask for a larger gap{others}")


def held_by_rounding(event: Event) -> Reason:
    """The end of a run whose gap is mostly rounding: at a point inside a large set, what cancels there is as large as it."""
    return because("rounding", "Rounding prevents further progress,", event,
                   "ask for a larger gap, or for a smaller set if the minimum lies deep inside it")


def beyond_proof(event: Event, least: float) -> Reason:
    """The end of a run whose point may be good enough, while a proof of it would take too long."""
    return because("proof", f"No gap below {least:.2g} can be proved here: an oracle's proof of the bound that the request "
                   "needs would take too many steps. The run ended", event, f"ask for a gap of {1.2 * least:.2g} or more")


class StallDetector:
    """Watches the value and the best lower bound, which is cheap, and compares everything else once neither gets better.

    A run ends only where its point, its views, its step rule and all that its solver remembers are the same to the last bit
    as `ROUNDS` rounds before.
    """

    def __init__(self) -> None:
        self.seen: tuple[float, float] | None = None
        self.rounds = 0
        self.print = b""
        # the smallest gap since rounding is most of it, when it was seen, how many looks ago, and when the last look was
        self.gap, self.since, self.looks, self.last = inf, 0, 0, -1

    def limited_by_rounding(self, event: Event, k: int, rounding: float) -> bool:
        """Whether rounding is most of the gap, and the gap has not fallen for long; the request is still not met."""
        self.looks += k > self.last  # a resumed run looks at its first point again
        self.last = k
        if rounding < MOSTLY_ROUNDING * event.gap:
            self.gap = inf
        elif event.gap < 0.99 * self.gap:  # of an earlier gap is progress
            self.gap, self.since, self.looks = event.gap, k, 0
        else:
            return self.looks >= 8 and k - self.since >= k // 4  # looks without progress, and a quarter of all rounds at least
        return False

    def stalled(self, event: Event, w: Iterate, memory: SolverState) -> bool:
        """Whether nothing has changed for so long that nothing will."""
        now = (event.value, memory.lower)
        if self.seen is None or now[0] < self.seen[0] or now[1] > self.seen[1]:
            self.seen, self.rounds = now, 0
            return False
        self.rounds += 1
        if self.rounds % ROUNDS:
            return False
        before, self.print = self.print, fingerprint(w, memory)
        return self.rounds > ROUNDS and before == self.print

    def state(self) -> State:
        """What a resumed run needs in order to end where the whole run would."""
        seen = (nan, nan) if self.seen is None else self.seen
        numbers = np.array([self.gap, self.since, self.looks, self.last, *seen, self.rounds])
        return {"numbers": numbers, "print": np.frombuffer(self.print, dtype=np.uint8)}

    def restore(self, state: State) -> None:
        numbers = state["numbers"].tolist()
        self.gap, (self.since, self.looks, self.last), self.rounds = numbers[0], map(int, numbers[1:4]), int(numbers[6])
        self.seen = None if isnan(numbers[4]) else (numbers[4], numbers[5])
        self.print = state["print"].tobytes()


def fingerprint(w: Iterate, memory: SolverState) -> bytes:
    """A digest of the state of a run without its counters."""
    from hashlib import blake2b

    state: State = {**w.state(), **{f"memory.{name}": array for name, array in memory.state().items()}}
    mark = blake2b(digest_size=16)
    for name in sorted(state):
        if name.rsplit(".", 1)[-1] not in COUNTERS and ".answer" not in name:
            mark.update(name.encode())
            mark.update(np.asarray(state[name]).tobytes())
    return mark.digest()


SINGLE, DOUBLE = float(np.finfo(np.float32).eps), float(np.finfo(np.float64).eps)


def certify_end(run: Run, event: Event, moved: bool = False) -> tuple[Event, Certificate]:
    """The event as it is for the returned point, and its certificate; the point may have ``moved`` since."""
    check_point(event.point, run.S, run.solver, event.iteration)
    if event.self_standing:
        return _complete(run, event)
    if run.user_set:
        from greedyhull.driver.inspection import inspect_opposite

        inspect_opposite(run.f, run.S, event.point, run.memory)
    recent = not moved and not run.single_precision and run.f.fresh(event.point)
    if recent and run.builtin_solver:  # computed from the atoms a moment ago
        proved = None if run.open is None else run.proofs.at_end(run.open, event)
        event = event if proved is None else run.prove(proved, event)
        check_lower(run.f, run.S, event.value, event.lower, event.kind, run.rounding)
        note = words_of(run.coarse, run.S) if run.coarse is not None or run.S.coarse else ""
        return event, Certificate(event.value, event.gap, event.lower, event.kind, event.delta, SIZES[run.S.sized], note)
    certificate = _recomputed(run, event.point)
    assert certificate.value is not None and certificate.gap is not None
    if run.convex and (run.inspects or not run.builtin_solver):
        from greedyhull.driver.inspection import challenge

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
    memory.failure_probability += max(fresh.delta, sum(floor.delta for floor in floors))  # all were compared
    allowance = max(allowance, drift(run, w), fresh.gap if run.single_precision else 0.0)
    check_drift(f, carried, fresh.value, allowance, lambda: (1.0 + memory.k) * noise(f, w))
    # the value is rounded too, and the bound of the run may be about another point
    rounding = float(f.rounding(w, S)) + value_error(run.coarse, fresh.value)
    check_lower(f, S, fresh.value, known, memory.kind, rounding)
    if not known - rounding > fresh.lower:  # rounding may be NaN in the precision of the data: then nothing else is known
        kind, delta = held(fresh.kind, memory.failure_probability)
        return replace(fresh, kind=kind, delta=delta)
    kind, delta = held(memory.kind, memory.delta + memory.failure_probability)
    return replace(fresh, gap=max(fresh.value - known, 0.0) + rounding, lower=known, kind=kind, delta=delta)


def drift(run: Run, w: Iterate) -> float:
    """What rounding can have done to the value that the views have, in all moves of the run."""
    moves, f = 1.0 + run.memory.k, run.f
    if not run.single_precision:
        return moves * (float(f.rounding(w, run.S)) + value_error(run.coarse, float(f.value(w))))
    single = f.rounding(w, run.S, SINGLE) if isinstance(f, Composite) else SINGLE / DOUBLE * float(f.rounding(w, run.S))
    start = 0.0 if isnan(run.first_value) else abs(run.first_value)  # near a minimum of zero what is left is second order
    underflow = float(np.finfo(np.float32).tiny)
    drift = moves * (single + SINGLE * (start + float(f.scale))) + underflow
    return inf if isnan(drift) else drift  # beyond the range of float32 nothing is known


def noise(f: Objective, w: Iterate) -> float:
    """Return how much a user's function, which may cancel inside, differs between points that rounding cannot tell apart."""
    if isinstance(f, Composite) or (is_builtin(f) and not isinstance(f, BlackBox)):
        return 0.0
    from greedyhull.driver.inspection import functions_of

    value: Any = functions_of(f)[0]
    x, rng, seen = w.array(), np.random.default_rng(0), coarse_of(f)
    eps = DOUBLE if seen is None else max(map(eps_of, (seen.value, seen.gradient)))  # of the point as the function casts it
    here = value(x)
    if value(x) != here:  # one that answers differently from call to call has no such excuse
        return 0.0
    # points beside one that are tried where a value does not come out the same
    return float(max(abs(value(x * (1.0 + eps * rng.choice([-1.0, 1.0], x.shape))) - here) for _ in range(8)))


def _complete(run: Run, event: Event) -> tuple[Event, Certificate]:
    """A bound that was told stands as it is; the value is computed, once, where there is one."""
    value = float(run.f.precise().value(afresh(event.point)))
    known, lower = None if isnan(value) else value, -inf
    if known is not None:
        event = replace(event, value=value, gap=event.gap + value_error(run.coarse, value))
        lower = -inf if event.kind == "stationary" else value - event.gap
    gap = None if isinf(event.gap) else event.gap
    return event, Certificate(known, gap, lower, event.kind, event.delta, note=words_of(run.coarse, run.S))


def _compressed(run: Run, final: Event, certificate: Certificate) -> tuple[Event, Certificate]:
    """Return the end with its point in fewer atoms, unless a request on the gap that was met would not be any more."""
    fewer = sparsified(final.point, run.S)
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


def should_retry(run: Run, final: Event, fresh: Certificate) -> bool:
    """Whether another try, from refreshed views, may still close a gap that looked closed."""
    if final.iteration >= run.limits.iterations or final.seconds >= run.limits.seconds:
        return False
    if not final.self_standing:
        if fresh.lower != run.memory.lower:  # a bound of its own, in which no samples have a share
            run.memory.lower, run.memory.kind, run.memory.delta = fresh.lower, fresh.kind, 0.0
        run.memory.steering_bound = fresh.lower
    tries = run.memory.arrays.get("recertified", np.array(0)) + 1
    run.memory.arrays["recertified"] = tries
    return int(tries) <= 20  # how often views are refreshed to close a gap that looked closed


def solution_of(run: Run, final: Event, certificate: Certificate, reason: Reason, said_of: Event) -> Solution:
    """All that a run has to say; ``said_of`` is the event that the reason was given for."""
    if not final.self_standing and run.S.traits.compresses:
        final, certificate = _compressed(run, final, certificate)
    met = final is said_of and reason.claims  # a request on the gap ended the run, and nothing has changed since
    converged = met or run.stop.met(final)
    solver: Any = run.solver
    if converged and certificate.kind == "expectation":  # a bound that ends a run because it is small is chosen by luck
        certificate = replace(certificate, kind="estimate")
    why = reason if met and not reason.cause else closing(run.stop, reason, final)
    said: Any = why.told  # perhaps a function, whose words are made when they are read
    look = getattr(solver, "look", None)  # a user's solver need not derive from `Solver`
    sampled = not final.self_standing and isinstance(look, MinibatchGap)
    if certificate.note or sampled or run.resume_note or run.interrupt.requested:
        instead = f"The last sample of MinibatchGap would have held all {count_of(run.f)} terms, so the full gap was computed "
        instead = f"{instead}and the bound does not rest on samples." if sampled else ""
        said = " ".join(filter(None, (why.words, sentence(certificate.note), instead, run.resume_note)))
        if run.interrupt.requested and not said.startswith("Interrupted"):
            said = f"{said} {PRESSED}"
    if len(run.trace.parts) > 1:
        run.trace.thin()
    labels = (vars(run.f).get("_labels") if run.builtin_f else kept(run.f)) or vars(run.S).get("_labels")
    names = None if labels is None else [str(label) for label in labels]
    found = object.__new__(StreamSolution if certificate.value is None else Solution)
    stop, seed = run.given
    vars(found).update(  # what a dataclass writes takes three times as long
        point=final.point, certificate=certificate, reason=said, converged=converged, iterations=final.iteration,
        seconds=final.seconds, trace=run.trace, solver=run.solver, objective=run.f, atom_set=run.S,
        curvature=run.memory.curvature, choice=run.choice, also=final.also or {}, stop=stop, seed=seed, names=names, _kept={})
    return found
