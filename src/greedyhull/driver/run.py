"""`minimize`, and one solve: the only loop that stops, times and records."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache, cached_property, partial
from importlib import import_module
from logging import INFO, getLogger
from math import inf, isfinite, isnan, nan, prod
from time import perf_counter
from types import GeneratorType
from typing import TYPE_CHECKING, Any, overload
from warnings import warn

import numpy as np

from greedyhull.atoms.base import AtomSet as DefaultSet
from greedyhull.atoms.base import generator
from greedyhull.atoms.joined import Product
from greedyhull.atoms.wrapped import FromFunction
from greedyhull.driver.certificate import MOSTLY_ROUNDING, Bound, Proofs, as_iterate, finite_array, held, kind_of
from greedyhull.driver.checks import (
    by_coordinates,
    check_arguments,
    check_owners,
    check_requirements,
    check_steps,
    diagnose_gap,
    is_builtin_class,
    is_user_defined,
)
from greedyhull.driver.finish import (
    SINGLE,
    StallDetector,
    beyond_proof,
    certify_end,
    held_by_rounding,
    iterates_stalled,
    should_retry,
    solution_of,
)
from greedyhull.driver.solution import Solution, StreamSolution
from greedyhull.driver.stop import LazyStr, Limits, Reason, Relative, Seconds, Stop, ended, evaluate, in_words, interrupted
from greedyhull.driver.trace import Trace, skipped_rows
from greedyhull.errors import GreedyhullError, GreedyhullWarning, check, shown
from greedyhull.kernels.core import Interrupt, limited, public, user
from greedyhull.objectives.accuracy import gradient_slack
from greedyhull.objectives.base import Coarse
from greedyhull.objectives.composite import Composite, least
from greedyhull.objectives.limits import above, coarse_of, value_error
from greedyhull.objectives.quadratic import QuadraticForm
from greedyhull.objectives.stream import Stream
from greedyhull.points.blocks import SpoiledError
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.iterate import Iterate
from greedyhull.points.validate import as_atom
from greedyhull.solvers.parts.progress import ONE_ROUND, BurstLimit, Event, GapTarget, Progress, RunLimits, watchers_of, weaker
from greedyhull.solvers.parts.schedules import check_tolerance
from greedyhull.solvers.parts.solver_state import SolverState
from greedyhull.types import AtomSet, Objective, Solver, State, imaged, lacks

if TYPE_CHECKING:
    from pathlib import Path

    from greedyhull.driver.checkpoint import CheckpointFile
    from greedyhull.driver.resume import Identity


def choose_solver(f: Objective, S: AtomSet) -> tuple[Solver, LazyStr]:
    """Return a solver and why it is used if the user named none."""
    traits, about, d = f.traits, S.traits, prod(S.shape)
    # steps within faces pay neither where atoms are few enough to be listed, nor over products, whose first set to end a step
    # ends it for all
    faced = about.faces and not about.finite and about.owners == 1
    if traits.terms == "stream":
        name, why = "stochastic_frank_wolfe.StochasticFrankWolfe", "{f} can only be sampled."
    elif not traits.smooth:
        name, why = "smoothed.Smoothed", ("{f} has kinks, where gradients mislead; smoothed less and less, it is minimised by "
                                          "a smooth solver and certified as it is.")
    # of a product, from which on steps in one set at a time are faster, whether its minimum is zero or not
    elif about.owners != 1 and isinstance(S, Product) and about.owners == len(S.sets) >= 3000:
        name, why = "block_coordinate.BlockCoordinate", "{S} has so many sets that steps in one of them at a time pay."
    # from which on a minimum may mix so many atoms that reweighting them takes longer than steps within faces; where f bends
    # in fewer directions, n say, some minimum is a mixture of n + 1 atoms
    elif (traits.second_order and traits.convex and faced and about.region is None and d >= 2000
          and ((model := imaged(f)) is None or model.design.n >= d)):
        name, why = "pairwise.DecompositionInvariant", ("{S} knows its faces, and a minimum of {f} may mix so many atoms that "
                                                        "steps within faces, which need no list of them, pay.")
    elif traits.second_order:
        name, why = "corrective.Corrective", "{f} has a Hessian, so many atoms can be reweighted at once."
    elif traits.convex and faced:
        name, why = "pairwise.DecompositionInvariant", ("{f} has no finite Hessian, and {S} knows its faces; steps within "
                                                        "them need no list of atoms.")
    else:
        name, why = "pairwise.BlendedPairwise", ("{f} has no finite Hessian to reweight many atoms with, and swapping weight "
                                                 "between two of them needs none.")
    solver = _made(name)
    return solver, lambda: f"{type(solver).__name__} was chosen: {why.format(f=repr(f), S=repr(S))}"


@cache
def _made(name: str) -> Solver:
    """Return a solver with its default settings, loaded and made once: it holds nothing of a run."""
    module, _, kind = name.partition(".")
    made: Solver = vars(import_module(f"greedyhull.solvers.{module}"))[kind]()
    return made


LOG = getLogger("greedyhull")
LISTEN_AFTER = 0.01  # seconds; before that, Ctrl-C raises at once, as it does anywhere
SAVE_EVERY = 1.0  # seconds from one checkpoint to the next


class Run:
    """One solve: its iterate, its memory, its trace, and the clock."""

    # what most runs leave as it is
    checkpoint: CheckpointFile | None = None
    careful = False
    start_value = nan
    resumed_at = 0.0  # seconds of the run when the solver was last resumed
    earlier = saved_at = 0.0
    open: Progress | None = None  # the last one, where it has no proof and none has been asked for
    unproved = -1  # the iteration of a resumed run whose answers came from a set that may have been another
    saved_event: tuple[float, ...] | None = None  # value and gap where a resumed run was saved, till that is repeated
    self_reported = False  # whether the last value is one that the solver told, an estimate perhaps
    resume_note = ""  # what a resumed run did not take over, in words
    rounding = 0.0  # what rounding may have done to the last gap
    gradient_slack = 0.0  # and an inexact gradient
    coarse: Coarse | None = None  # values and gradients of a user that are less than float64

    def __init__(self, f: Objective, S: AtomSet, solver: Solver | None, start: Any, stop: Stop, seed: int) -> None:
        check_arguments(f, S, solver, stop, seed)
        f, smaller = f.reduced() if f.traits.remote else (f, "")
        self.f, self.S, self.given, self.seed = f, S, (stop, seed), seed
        self.stop = stop if stop._fixed else stop.begin()
        self.limits: Limits = stop.limits()  # where the run ends whatever its gap is
        self.solver, self.choice = choose_solver(f, S) if solver is None else (solver, "")
        if smaller:
            self.choice = f"{in_words(self.choice)} {smaller}".strip()
        self.builtin_f, self.builtin_solver = is_builtin_class(type(f)), is_builtin_class(type(self.solver))
        self.user_set = isinstance(S, FromFunction) or not is_builtin_class(type(S))
        # whether no other solver sees the points: one that is made of others, or a user's, may run them and look at each
        self.alone = self.builtin_solver and self.solver.solver is None and self.solver.solvers is None
        self.inspects = is_user_defined(f)  # whether value and gradient are a user's, and compared at the start
        if solver is not None:
            if lacks(solver, "run"):
                raise GreedyhullError(f"solver must be a solver such as FrankWolfe(); got {shown(solver)}.")
            check_tolerance(solver)
        needs = self.needs = check_requirements(f, S, self.solver)
        self.memory = SolverState(seed, warm=start is not None)
        coordinates = needs.regions and S.traits.region is not None and by_coordinates(f, S, needs)
        self.looks_back = (needs.atoms and not coordinates) or S.traits.slides
        self.plain = not self.looks_back and (S.dense_atoms or needs.faces or coordinates)
        self.begin_at(*self._begin(start, seed))
        self.trace = Trace()
        self.watchers: list[Callable[[Event], Any]] = []
        self.began = perf_counter()
        self.single_precision = f.precise() is not f  # float32: what is seen underway is provisional
        self.convex, self.exact_gradient, self.scale = f.traits.convex, f.traits.exact_gradient, f.scale
        self.least = self.memory.lower = least(f)  # a bound that is known before the run
        self.interrupt = Interrupt()

    def _begin(self, start: Any, seed: int) -> tuple[Iterate, bool]:
        """Return the first point, of the solver, the objective or the user, and whether f is known to be finite there."""
        f, S, finite = self.f, self.S, False
        if start is None:
            self.memory.extra_lmo_calls += type(S).start is DefaultSet.start  # a start of its own searches nothing
            rng = generator(S, seed) if self.builtin_f else np.random.default_rng([seed])  # a user's f may draw
            first = getattr(self.solver, "first", None)  # a user's solver need not derive from `Solver`
            w: Iterate = f.start(S, rng) if first is None else first(f, S)
            # f has not been evaluated there only if the sizes of data and set show that it is finite
            if self.needs.second_order and self.builtin_solver and f not in w.views:
                finite = type(f) is Composite or (type(f) is QuadraticForm and f.finite_on(S))
        elif isinstance(start, (Solution, Iterate)):
            from greedyhull.driver.resume import moved_over

            point = start if isinstance(start, Iterate) else start.point
            w = moved_over(as_iterate(f, S, point, 1e-9), S, self.plain)
        elif not lacks(start, "add_to"):
            w = Iterate.at(as_atom(start, S.shape), S.shape)
            check(S.contains(w), lambda: f"start={start!r} lies outside {S!r}. Give one of its atoms, or a point of its hull.")
        else:
            x = finite_array(start, f, S, "start")
            check(S.contains(x), lambda: f"start lies outside {S!r}. Project it first, or leave start out.")
            w = CoordinateIterate(x) if self.plain else S.decompose(x)
        if start is not None or self.user_set or not self.builtin_f:  # else the library made it
            check_owners(w, S)
        return w, finite

    def begin_at(self, w: Iterate, finite: bool = False) -> None:
        """Take w as the point of the run; its value is checked unless it is known to be ``finite``."""
        f = self.f
        if self.plain and w.keeps_atoms:
            w = CoordinateIterate(w.array())
        unknown = finite or isinstance(f, Stream)  # that of a stream cannot be known
        self.first_value = nan if unknown else float(f.value(w))
        if not (unknown or isfinite(self.first_value)):
            raise GreedyhullError(f"{f!r} is {self.first_value} at the start; a start with a finite value is wanted.")
        self.w = self.certified_point = w  # shown: the point that the last bound is about, w or a mean of the points before it

    # --- the loop -------------------------------------------------------------------------------------------------

    def solve(self) -> Solution:
        event: Event | None = None
        if self.needs.atoms and isinstance(self.w, CoordinateIterate):
            self.w.decompose = self.S.decompose
        interrupt, memory, stop, began = self.interrupt, self.memory, self.stop, self.began - self.earlier
        memory.ends = RunLimits(self.limits.iterations, began + self.limits.seconds, began + LISTEN_AFTER, interrupt)
        fixed = stop._fixed or not self.alone
        target = stop.aim() if self.alone else None  # the gap that the stop asks for; of some stops it changes
        # whether the driver must see every round, whose rows are saved, watched or checked
        every = bool(self.watchers) or self.checkpoint is not None or self.careful
        if not (every or self.trace.parts or memory.k or self.inspects) and isnan(self.start_value):
            memory.may_skip_start = target is not None and not memory.ends.reached(0)
        if memory.may_skip_start:
            memory.limit = self._burst_limit(target, every)
        steps = self.solver.run(self.f, self.S, self.w, memory)
        if type(steps) is not GeneratorType:
            check_steps(self.solver, steps)
        try:
            for progress in steps:
                event = self._record(progress)
                if self.saved_event is not None:
                    from greedyhull.driver.resume import repeat_event

                    repeat_event(self)
                for watcher in self.watchers:
                    user(watcher, event)
                if self.checkpoint is not None and event.seconds - self.saved_at >= SAVE_EVERY:
                    self.checkpoint.save(self, event)
                said: Any = stop(event) if stop._honest else evaluate(stop, event)
                if said is None:
                    said = self._stalled(event)
                if said is not None or interrupt.requested:
                    reason = said or interrupted(event)
                    if self.checkpoint is not None:
                        self.checkpoint.save(self, event)  # before views are refreshed: a resumed run continues bit by bit
                    final, fresh = certify_end(self, event)
                    if said is None or final is event or not stop.met(event) or stop.met(final):
                        break
                    if not should_retry(self, final, fresh):
                        break
                else:
                    if event.seconds > LISTEN_AFTER and not interrupt.listening:
                        interrupt.listen()
                    if self.rounding > MOSTLY_ROUNDING * event.gap and event.point is self.w and self.f.moves(self.w) >= 64:
                        self.w.refresh()  # much of the rounding was gathered by moves
                memory.limit = self._burst_limit(target if fixed else stop.aim(), every)
            else:
                if event is None:
                    raise GreedyhullError("The run ended before its first point was certified.")
                if self.checkpoint is not None:
                    self.checkpoint.save(self, event)
                reason = held_by_rounding(event) if self.rounding > MOSTLY_ROUNDING * event.gap else ended(event)
                final, fresh = certify_end(self, event, moved=event.point is self.w)
        except KeyboardInterrupt:
            if event is None:  # nothing to return yet
                raise
            reason = interrupted(event)
            final, fresh = certify_end(self, event, moved=event.point is self.w)
        finally:
            vars(self).pop("proofs", None)
            for watcher in self.watchers:
                _close(watcher)
            interrupt.close()
        return solution_of(self, final, fresh, reason, event)

    def _burst_limit(self, target: GapTarget | None, every: bool) -> BurstLimit:
        """One round where the driver must see ``every`` one, else all until the target may be met."""
        self.resumed_at = self.earlier + perf_counter() - self.began
        if target is None:
            return ONE_ROUND
        # rounds in one call, all of which are held in memory
        left = 1 if every else max(int(min(self.limits.iterations - self.memory.k, target.rounds, 20_000)), 1)
        floor = self.scale if target.floor is None else target.floor
        # times the last rounding that a solver may keep free below the gap that was asked for
        return BurstLimit(left, target.absolute, target.relative, floor, 2.0 * self.rounding, self.memory.lower)

    def _stalled(self, event: Event) -> Reason | None:
        """Why the run will make no further progress, if so."""
        if "proofs" in vars(self) and self.proofs.least is not None:
            return beyond_proof(event, self.proofs.least)
        if self.stop.asks_gap and self.stall.limited_by_rounding(event, self.memory.k, self.rounding):
            return held_by_rounding(event)
        return iterates_stalled(event, self.solver) if self.stall.stalled(event, self.w, self.memory) else None

    def _record(self, p: Progress) -> Event:
        if not isinstance(p, Progress):
            raise GreedyhullError(f"run(f, S, w, memory) of {shown(self.solver)} yielded {shown(p)}; it must yield "
                                  "greedyhull.extend.Progress, as from Progress.of(w, gap, answer).")
        f, w, memory = self.f, p.point, self.memory
        if self.careful:
            from greedyhull.driver.inspection import inspect_answer

            inspect_answer(f, self.S, w, memory)
        if self.inspects and not self.trace.parts and isnan(self.start_value):  # not as it goes on after a resume
            from greedyhull.driver.inspection import inspect_gradient

            inspect_gradient(f, self.S, self.w, memory)
        self.self_reported = p.value is not None
        if p.value is not None:
            told, self.coarse = p.value, coarse_of(f)
            p = p if self.coarse is None else p._replace(kind=weaker(p.kind, "estimate"))
            if isnan(p.gap) or not isfinite(told):
                diagnose_gap(self, told, p.gap, p)
            memory.spend(p.spent)
            memory.gap = p.gap if p.gap < inf else None
            return self._note(p, told, Bound(p.gap, -inf, p.kind, p.delta))
        value = f.value(w)
        if memory.k == self.unproved:  # the answers that are repeated may be those of another set
            memory.spend(p.spent)
            return self._note(p, value, Bound(value - memory.lower, memory.lower, memory.kind, memory.delta))
        self.rounding = 0.0 if self.single_precision else f.rounding(w, self.S)
        if self.inspects or not self.exact_gradient:
            self.coarse = coarse_of(f, w)
            self.rounding += value_error(self.coarse, value)
            self.gradient_slack = gradient_slack(f, w, self.S)
            p = p._replace(kind=kind_of(p.kind, f, self.S, self.coarse))
        if p.gap == inf:
            p = self.proofs.on_time(p, value, self.rounding + self.gradient_slack)
        if p.spent or memory.failure_probability:
            memory.spend(p.spent)
        bound = self._bound(p, value)
        if self.rounding > MOSTLY_ROUNDING * bound.gap:
            bound = self._least_bound(w, value, bound)
        event = self._note(p, value, bound)
        if p.gap != inf:
            self.open = None
            return event
        proved = self.proofs.for_stop(p, event)
        self.open = p if proved is None else None
        return event if proved is None else self.prove(proved, event)

    def _bound(self, p: Progress, value: float, steers: bool = True) -> Bound:
        """The best bound for p that is known, and whether solvers are to steer by what p adds to it."""
        memory, gap = self.memory, p.gap + self.rounding + self.gradient_slack
        if not (0.0 <= gap < inf and isfinite(value)):  # a lazy oracle may leave the gap at infinity
            gap = diagnose_gap(self, value, gap, p)
        if steers:
            guide = memory.steering_bound = max(memory.steering_bound, value - gap) if self.convex else -inf
            steady = (value - guide if value > guide else 0.0) + self.rounding
            memory.gap = None if gap == inf == steady else gap if gap < steady else steady
        if not self.convex:  # a gap says nothing of the minimum there
            return Bound(gap, -inf, "stationary")
        again = value - gap == memory.lower and p.kind == memory.kind  # as where a resumed run repeats its last event
        if again or value - gap > memory.lower:
            memory.lower, memory.kind, memory.delta = value - gap, p.kind, p.delta
            return Bound(gap, memory.lower, p.kind, p.delta)
        earlier = max(value - memory.lower, 0.0) + self.rounding  # this value is rounded too; that bound is of another point
        if gap <= earlier and p.kind in (memory.kind, "always"):
            known = memory.lower if memory.kind == p.kind else value - gap  # a bound that promises less is not this one's
            return Bound(gap, known, p.kind, p.delta)
        return Bound(earlier, memory.lower, memory.kind, memory.delta)

    def _least_bound(self, w: Iterate, value: float, bound: Bound) -> Bound:
        """The bound, or that by what f is nowhere below, where it is closer: only the rounding of the value counts there."""
        if not self.rounding > MOSTLY_ROUNDING * bound.gap or not value - self.least < bound.gap or not self.convex:
            return bound
        gap = above(self.f, w, value, self.least, self.rounding) + value_error(self.coarse, value)
        return Bound(gap, self.least, kind_of("always", self.f, self.S, self.coarse)) if gap < bound.gap else bound

    def prove(self, p: Progress, event: Event) -> Event:
        """The event with p, which has a proof now; no solver steers by it, for its time is that of a stop."""
        assert p.answer is not None
        self.memory.failure_probability += p.answer.delta
        bound = self._least_bound(event.point, event.value, self._bound(p, event.value, steers=False))
        kind, delta = held(bound.kind, bound.delta + self.memory.failure_probability)
        self.trace.settle(event.value, bound.gap, self.memory.oracle_calls)
        return replace(event, gap=bound.gap, lower=bound.lower, kind=kind, delta=delta, seconds=self.seconds)

    def _note(self, p: Progress, value: float, bound: Bound) -> Event:
        f, w, memory, trace = self.f, p.point, self.memory, self.trace
        if len(trace.parts) > 1:
            trace.thin()
        self.certified_point, work, rows, calls = w, w.work, trace.parts, memory.oracle_calls
        seconds = self.earlier + perf_counter() - self.began
        gap, lower, kind, delta = bound.gap, bound.lower, bound.kind, 0.0
        if kind != "always":
            kind, delta = held(bound.kind, bound.delta + memory.failure_probability)
        if not rows and isnan(self.start_value):
            told = value if p.value is None else self.first_value  # a value that was told is an estimate
            self.start_value = told if memory.skipped is None else memory.skipped.rounds[0][0]
            cautions = getattr(self.solver, "cautions", None)  # the same
            for caution in () if cautions is None else cautions(f, self.S):
                warn(caution, GreedyhullWarning, stacklevel=6)  # the line that called minimize
        lazy = p.slack == inf and p.estimate + p.tolerance >= value - memory.steering_bound  # promising up to its tolerance
        slack = p.tolerance if lazy else p.slack
        # the gap of a float32 run may be lost in rounding until it is certified: a row says no less than what that is about
        eps, slope = (SINGLE, abs(f.gradient_dot(w))) if self.single_precision and p.value is None else (0.0, 0.0)
        estimate = p.gap - p.slack if isnan(p.estimate) and p.slack < inf else p.estimate
        row = (memory.k, seconds, value, gap + eps * (abs(value) + slope), len(w), calls, work.gradients, work.products, slack,
               estimate)
        if memory.skipped is not None:  # rounds since the last row
            skipped, memory.skipped = memory.skipped, None
            known = self.least if self.convex else None
            if rows and known is not None:
                before: Any = rows[-1]  # a point that was seen
                known = max(before[2] - before[3], known)
            trace.steps.extend(skipped.steps if rows else skipped.steps[1:])
            trace.fold(partial(skipped_rows, skipped, row, self.resumed_at, self.rounding, eps, slope, known),
                       len(skipped.rounds))
        if rows:
            trace.steps.append(w.step)
        rows.append(row)
        return Event(memory.k, seconds, value, gap, lower, w, self.start_value, kind, w.step, p.also, delta,
                     p.value is not None, self.scale)

    @property
    def seconds(self) -> float:
        """How long the run has taken, before it was saved and since."""
        return self.earlier + perf_counter() - self.began

    def state(self) -> State:
        from greedyhull.driver.checkpoint import state_of

        return state_of(self)

    def restore(self, state: State, source: object = "memory") -> None:
        """Go on from the state in a file: bit by bit if it is one of this run, else from its point alone."""
        from greedyhull.driver.resume import take_up

        take_up(self, state, source)

    @cached_property
    def proofs(self) -> Proofs:
        """The proofs of a run whose oracle proposes atoms without one."""
        return Proofs(self)

    @cached_property
    def stall(self) -> StallDetector:
        """Whether the run stalls; updated after every event that does not end it."""
        return StallDetector()

    @cached_property
    def identity(self) -> Identity:
        """The problem, solver and seed that a saved state of this run belongs to."""
        from greedyhull.driver.resume import Identity

        return Identity.of(self.f, self.S, self.solver, self.memory.seed)


def _close(watcher: Callable[[Event], Any]) -> None:
    """Close a watcher; an error there does not cost the result."""
    try:
        close = getattr(watcher, "close", None)  # a watcher may be any function
        if close is not None and not isinstance(watcher, type):
            close()
    except Exception as error:
        warn(f"{watcher!r} could not be closed ({type(error).__name__}: {error}).", GreedyhullWarning, stacklevel=5)


DEFAULT_STOP = Relative(1e-6) | Seconds(60.0)


@overload
def minimize(f: Stream, S: AtomSet, solver: Solver | None = None, *, start: Any = None, stop: Stop | None = None,
             watch: Callable[[Event], Any] | Iterable[Callable[[Event], Any]] = (), seed: int = 0, progress: bool = False,
             check: bool = False, checkpoint: str | Path | None = None, resume: str | Path | None = None,
             threads: int | None = None) -> StreamSolution: ...
@overload
def minimize(f: Objective, S: AtomSet, solver: Solver | None = None, *, start: Any = None, stop: Stop | None = None,
             watch: Callable[[Event], Any] | Iterable[Callable[[Event], Any]] = (), seed: int = 0, progress: bool = False,
             check: bool = False, checkpoint: str | Path | None = None, resume: str | Path | None = None,
             threads: int | None = None) -> Solution: ...
@public
def minimize(f: Objective, S: AtomSet, solver: Solver | None = None, *, start: Any = None, stop: Stop | None = None,
             watch: Callable[[Event], Any] | Iterable[Callable[[Event], Any]] = (), seed: int = 0, progress: bool = False,
             check: bool = False, checkpoint: str | Path | None = None, resume: str | Path | None = None,
             threads: int | None = None) -> Solution:
    """Minimise f over the convex hull of S.

    Parameters
    ----------
    f : objective
        What to minimise: `least_squares`, `logistic`, `quadratic`, `function` or another objective.
    S : AtomSet
        The set of atoms: `Simplex`, `L1Ball`, `Vertices`, `oracle` or another set. Its shape must be that of f's argument.
    solver : solver, optional
        The algorithm, such as ``FrankWolfe()``. By default one is chosen by the structure of f: `Corrective` where f has a
        Hessian, `Smoothed` where it has kinks, `StochasticFrankWolfe` for an `expectation`, else `BlendedPairwise`.
        `Solution.choice` says why.
    start : array_like, atom, iterate or Solution, optional
        A point of the hull to start from (a warm start). It is not modified. By default the set chooses.
    stop : stop, optional
        When to end the run, ``Relative(1e-6) | Seconds(60)`` by default. Stops combine by ``|`` (either) and ``&`` (both).
    watch : callable or iterable of callable, optional
        Functions that are called with an event at every iteration. An event has ``iteration``, ``seconds``, ``value``,
        ``gap``, ``lower``, ``point`` and ``step``.
    seed : int, default 0
        Seed of all random numbers of the run. The same seed gives the same run.
    progress : bool, default False
        Whether to show a line of progress on a terminal or in a notebook. Without a terminal, runs log to the logger
        ``greedyhull`` every five seconds if its level is INFO.
    check : bool, default False
        Whether to test gradients, convexity and every answer of the oracle. Use it first when a function or set of your own
        behaves oddly.
    checkpoint : str or Path, optional
        A file that the state of the run is saved to, about once a second and at the end; or a folder, ``"run/"``, which keeps
        the last two states, so that one is whole whatever happens.
    resume : str or Path, optional
        A file or a folder that ``checkpoint`` wrote, to continue from. With the same f, S, solver and seed the run continues
        exactly. ``start`` is ignored then.
    threads : int, optional
        How many threads passes over large data and large products may use. By default as many as ``OMP_NUM_THREADS``
        says, or else the processors of this process. The result has the same bits whatever their number. BLAS itself has
        one thread during the run; functions of yours run with the number that you set.

    Returns
    -------
    Solution
        The point with its certificate: value − min f ≤ gap.

    Raises
    ------
    GreedyhullError
        If the arguments do not fit together. The message says what to do.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> s = gh.minimize(gh.least_squares(np.eye(2), np.array([3.0, 0.0])), gh.L1Ball(2, radius=1))
    >>> s.x, s.converged
    (array([1., 0.]), True)
    """
    stop = DEFAULT_STOP if stop is None else stop
    with np.errstate(all="ignore"):  # overflow shows in values that are not finite, and is reported in words
        run = Run(f, S, solver, start, stop, seed)
        if watch != ():
            run.watchers = watchers_of(watch)
        if check:
            run.careful = True
            from greedyhull.driver.inspection import inspect_problem

            inspect_problem(f, S, run.w, seed)
        if progress or LOG.isEnabledFor(INFO):
            from greedyhull.driver.display import line_for

            run.watchers.extend(line_for(run.solver, progress))
        try:
            if checkpoint is not None or resume is not None:
                from greedyhull.driver.checkpoint import prepared

                run.checkpoint, state = prepared(run, checkpoint, resume)
                if state is not None:
                    run.restore(state, resume)
            if threads is None:
                return run.solve()
            with limited(threads):
                return run.solve()
        except SpoiledError as error:  # a part of the solver could not be restored
            raise GreedyhullError(f"The state in {resume} cannot be gone on from. {error}") from error
        finally:
            if run.checkpoint is not None:
                run.checkpoint.close()
