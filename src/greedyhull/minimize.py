"""The driver: the only loop that stops, times and records."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property
from math import inf, isfinite, isinf, isnan, nan
from pathlib import Path
from time import perf_counter
from typing import Any
from warnings import warn

import numpy as np

from greedyhull.atoms.base import array_of
from greedyhull.certificate import Certificate, afresh, as_iterate, certificate_of, check_pair
from greedyhull.choose import check_smooth, choose_solver
from greedyhull.errors import GreedyhullError, GreedyhullWarning, check
from greedyhull.interrupt import Interrupt
from greedyhull.iterate import CoordinateIterate, Iterate, restored
from greedyhull.memory import Memory, lazy_rng
from greedyhull.progress import Event, Progress
from greedyhull.saved import load_state, save_state
from greedyhull.solution import Solution
from greedyhull.stop import Relative, Seconds, Stalled, Stop, so_far
from greedyhull.trace import Trace
from greedyhull.types import Array, Kind

LISTEN_AFTER = 0.01  # seconds; before that, Ctrl-C raises at once, as it does anywhere
DEFAULT_STOP = Relative(1e-6) | Stalled(300) | Seconds(60.0)
RANDOM_STOP = Relative(1e-6) | Seconds(60.0)  # between two looks a random run does not stand still, though it may seem so


def minimize(f: Any, S: Any, solver: Any = None, *, start: Any = None, stop: Stop | None = None,
             watch: Callable[[Event], Any] | Iterable[Callable[[Event], Any]] = (), seed: int = 0, progress: bool = False,
             check: bool = False, checkpoint: str | Path | None = None, resume: str | Path | None = None) -> Solution:
    """Minimise f over the convex hull of S.

    ``solver`` None picks one by structure; ``start`` is an atom, an iterate or an array and is never changed; ``stop``
    defaults to ``Relative(1e-6) | Stalled(300) | Seconds(60)``, for stochastic solvers without the ``Stalled``; ``watch``
    are functions that see every `Event`; ``progress`` shows a line on a terminal; ``check`` tests the objective and every
    answer of the oracle; ``checkpoint`` is a file that keeps the state of the run, ``resume`` one to go on from.

    >>> import numpy as np, greedyhull as gh
    >>> s = gh.minimize(gh.least_squares(np.eye(2), np.array([3.0, 0.0])), gh.L1Ball(2, radius=1))
    >>> s.point.array(), s.converged
    (array([1., 0.]), True)
    """
    usual = RANDOM_STOP if hasattr(solver, "look") else DEFAULT_STOP
    run = Run(f, S, solver, start, usual if stop is None else stop, seed)
    run.watchers = [watch] if callable(watch) else list(watch)
    run.careful, run.checkpoint = check, None if checkpoint is None else Path(checkpoint)
    if check:
        from greedyhull.inspection import inspect_problem

        inspect_problem(f, S, run.w, seed)
    if progress:
        from greedyhull.display import line_for

        run.watchers.extend(line_for(run.solver))
    if resume is not None:
        run.resume(Path(resume))
    return run.solve()


class Run:
    """One solve: its iterate, its memory, its trace, and the clock."""

    def __init__(self, f: Any, S: Any, solver: Any, start: Any, stop: Stop, seed: int) -> None:
        check_pair(f, S)
        check(isinstance(stop, Stop), lambda: f"stop={stop!r} was given; a stop such as Gap(1e-6) | Seconds(30) is wanted.")
        self.f, self.S, self.stop, self.given = f, S, stop.begin(), (stop, seed)
        self.solver, self.choice = choose_solver(f, S) if solver is None else (solver, "")
        check(hasattr(self.solver, "run") and not isinstance(self.solver, type),
              lambda: f"solver={solver!r} was given; a solver such as FrankWolfe() is wanted.")
        check_smooth(f, self.solver)
        tolerance = getattr(self.solver, "tolerance", None)
        check(tolerance is None or callable(tolerance), lambda: f"tolerance={tolerance!r} was given to the solver; a schedule "
                                                                f"such as constant({tolerance!r}) or harmonic() is wanted.")
        self.memory = Memory(seed, warm=start is not None)
        self.w = self._begin(start, seed)
        self.trace = Trace()
        self.watchers: list[Callable[[Event], Any]] = []
        self.careful = False
        self.checkpoint: Path | None = None
        self.start_value = np.nan
        self.earlier, self.began, self.saved_at = 0.0, perf_counter(), 0.0
        self.drifts = f.precise() is not f  # float32: what is seen underway is provisional
        self.convex = getattr(f, "convex", True)
        self.guard = Stalled(4096).begin()
        self.blur = 0.0  # what rounding may have done to the last gap
        self.limits, self.interrupt = stop.limits(), Interrupt()
        self.shown = self.w  # the point that the last bound is about: w, or a mean of the points before it

    def _begin(self, start: Any, seed: int) -> Iterate:
        f, S = self.f, self.S
        if start is None:
            w: Iterate = self.solver.first(f, S) if hasattr(self.solver, "first") else f.start(S, lazy_rng(seed))
        elif isinstance(start, Iterate):
            w = as_iterate(f, S, start, 1e-9)
        elif hasattr(start, "add_to"):
            w = Iterate.at(start, S.shape)
            check(S.contains(w), f"start={start!r} lies outside {S!r}. Give one of its atoms, or a point of its hull.")
        else:
            x = array_of(start)
            check(x.shape == S.shape, f"start has shape {x.shape} but {S!r} holds points of shape {S.shape}.")
            check(S.contains(x), f"start lies outside {S!r}. Project it first, or leave start out.")
            w = S.decompose(x) if getattr(self.solver, "looks_back", True) or not S.dense_atoms else CoordinateIterate(x)
        if not getattr(self.solver, "looks_back", True) and getattr(S, "dense_atoms", False) and w.keeps_atoms:
            w = CoordinateIterate(w.array())
        self.first_value = nan if getattr(f, "n", 0) is None else f.value(w)  # that of a stream cannot be known
        check(isfinite(self.first_value) or getattr(f, "n", 0) is None,
              lambda: f"{f!r} is {f.value(w)} at the start; a start with a finite value is wanted.")
        return w

    # --- the loop -------------------------------------------------------------------------------------------------

    def solve(self) -> Solution:
        reason, event = "", None
        # what overflows is seen where it matters: a value or a gap that is not finite is an error, in words
        with self.interrupt as interrupt, np.errstate(over="ignore", invalid="ignore"):
            self.memory.asked = self._asked
            steps = self.solver.run(self.f, self.S, self.w, self.memory)
            try:
                for progress in steps:
                    event = self._record(progress)
                    for watcher in self.watchers:
                        watcher(event)
                    if self.checkpoint is not None and event.seconds - self.saved_at >= 1.0:
                        self._save(event)
                    said = self.stop(event)
                    if said is None and not event.iteration & 63:  # nobody may have asked what ends a run that stands still
                        said = self.guard(event)
                    if said is None and not interrupt.asked:
                        if event.seconds > LISTEN_AFTER and not interrupt.listening:
                            interrupt.listen()
                        if self.blur > 0.5 * event.gap and event.point is self.w:
                            self._sharpen()
                        continue
                    reason = said or interrupt.reason(so_far(event))
                    if self.checkpoint is not None:  # before views are refreshed, so that a resumed run goes on bit by bit
                        self._save(event)
                    final, fresh = self._certify(event)
                    if said is None or not self.stop.met(event) or self.stop.met(final) or not self._go_on(final, fresh):
                        break
                else:
                    event = self._last(event)
                    reason = f"The solver ended by itself, with {so_far(event)}."
                    final, fresh = self._certify(event, moved=event.point is self.w)
            except KeyboardInterrupt:
                event = self._last(event)
                reason = interrupt.reason(so_far(event))
                final, fresh = self._certify(event, moved=event.point is self.w)
            finally:
                for watcher in self.watchers:
                    close = getattr(watcher, "close", None)
                    if close is not None:
                        close()
        return self._solution(final, fresh, reason)

    def _asked(self, k: int) -> bool:
        """Whether a point is wanted at k: a solver that certifies one now and then cannot know when a run must end."""
        now = self.earlier + perf_counter() - self.began
        if now > LISTEN_AFTER and not self.interrupt.listening:
            self.interrupt.listen()
        return k >= self.limits.iterations or now >= self.limits.seconds or self.interrupt.asked

    def _record(self, p: Progress) -> Event:
        f, w, memory = self.f, p.point, self.memory
        if self.careful:
            from greedyhull.inspection import inspect_answer

            inspect_answer(f, self.S, w, memory)
        if p.value is not None:
            if isnan(p.gap) or not isfinite(p.value):
                self._question(p.value, p.gap, p)
            return self._note(p, p.value, p.gap, -inf, p.kind, p.delta)
        value = f.value(w)
        self.blur = 0.0 if self.drifts else f.rounding(w, self.S)
        gap = p.gap + self.blur
        if not (0.0 <= gap < inf and isfinite(value)):  # a lazy oracle may leave the gap at infinity
            gap = self._question(value, gap, p)
        if not self.convex:  # a gap says nothing of the minimum there
            return self._note(p, value, gap, -inf, "stationary", 0.0)
        if value - gap > memory.lower:
            memory.lower, memory.kind, memory.delta = value - gap, p.kind, p.delta
        return self._note(p, value, value - memory.lower, memory.lower, memory.kind, memory.delta)

    def _note(self, p: Progress, value: float, gap: float, lower: float, kind: Kind, delta: float) -> Event:
        """Write a row of the trace."""
        w, memory, trace = p.point, self.memory, self.trace
        memory.gap, self.shown = gap if gap < inf else None, w
        seconds, work = self.earlier + perf_counter() - self.began, w.work
        if trace.rows:
            trace.steps.append(w.step)
        elif isnan(self.start_value):
            self.start_value = value if p.value is None else self.first_value  # a value that was told is an estimate
            self._caution()
        slack = p.slack if p.slack < inf else p.tolerance  # a lazy answer promises progress up to its tolerance
        trace.rows.append((memory.k, seconds, value, gap, len(w), memory.oracle_calls, work.gradients, work.products, slack))
        return Event(memory.k, seconds, value, gap, lower, w, self.start_value, kind, w.step, p.also, delta,
                     p.value is not None)

    def _caution(self) -> None:
        """Once the solver has accepted the problem: conditions that this set-up does not meet, in its words."""
        cautions = getattr(self.solver, "cautions", None)
        for said in () if cautions is None else cautions(self.f, self.S):
            warn(said, GreedyhullWarning, stacklevel=6)  # the line that called minimize

    def _sharpen(self) -> None:
        """Where rounding is most of the gap, and much of it was gathered by moves, views are computed afresh."""
        view = self.f.at(self.w) if hasattr(self.f, "at") else None
        if getattr(view, "moves", 0) >= 64:
            self.w.refresh()

    def _question(self, value: float, gap: float, p: Progress) -> float:
        """Why a gap or a value cannot be: an error with the likely cause, or zero where only rounding is to blame."""
        k = self.memory.k
        if not isfinite(value) or isnan(gap):
            raise GreedyhullError(f"At iteration {k} the value is {value} and the gap {gap}: {self.f!r} or its gradient "
                                  "returned NaN or infinity. Nothing can be certified there; look for overflow in the data.")
        if isinf(gap) and not isinf(p.slack):
            raise GreedyhullError(f"At iteration {k} the gap is infinite although the oracle of {self.S!r} gave a slack of "
                                  f"{p.slack:g}: the gradient of {self.f!r} has infinite entries. Look for overflow.")
        if gap < -(1e-2 if self.drifts else 1e-6) * (abs(value) + abs(self.f.euler(p.point))):
            raise GreedyhullError(f"At iteration {k} the oracle of {self.S!r} returned an atom that is worse than the point "
                                  f"itself (gap {gap:.3g} < 0). Its argmin is wrong, its slack too small, or the gradient "
                                  "disagrees with the value; run with check=True to see which.")
        return 0.0 if gap < 0.0 else gap

    # --- the end --------------------------------------------------------------------------------------------------

    @staticmethod
    def _last(event: Event | None) -> Event:
        if event is None:
            raise GreedyhullError("The run ended before its first point was certified.")
        return event

    def _certify(self, event: Event, moved: bool = False) -> tuple[Event, Certificate]:
        """The event as it is for the returned point, recomputed from its atoms in float64; the point may have ``moved``."""
        w = event.point
        if event.told:
            return self._complete(event)
        if not moved and not self.drifts and self.f.fresh(w):  # computed from the atoms a moment ago
            return event, Certificate(event.value, event.gap, event.lower, event.kind, event.delta)
        if w.keeps_atoms:
            w.refresh()
        certificate = certificate_of(self.f, self.S, afresh(w), -inf if self.drifts else self.memory.lower)
        assert certificate.value is not None and certificate.gap is not None
        lower, gap, kind, delta = certificate.lower, certificate.gap, certificate.kind, certificate.delta
        if self.convex and not self.drifts and self.memory.lower > lower:
            lower, kind, delta = self.memory.lower, self.memory.kind, self.memory.delta
            gap = max(certificate.value - lower, 0.0)
        final = replace(event, seconds=self.earlier + perf_counter() - self.began, value=certificate.value, gap=gap,
                        lower=lower, kind=kind, delta=delta)
        return final, Certificate(certificate.value, gap, lower, kind, delta)

    def _complete(self, event: Event) -> tuple[Event, Certificate]:
        """A bound that was told stands as it is; the value is computed, once, where there is one."""
        value = float(self.f.precise().value(afresh(event.point)))
        gap = None if isinf(event.gap) else event.gap
        if isnan(value):
            return event, Certificate(None, gap, -inf, event.kind, event.delta)
        lower = -inf if event.kind == "stationary" else value - event.gap
        return replace(event, value=value), Certificate(value, gap, lower, event.kind, event.delta)

    def _go_on(self, final: Event, fresh: Certificate) -> bool:
        """Whether another try, from refreshed views, may still close a gap that looked closed."""
        if not final.told:
            self.memory.lower, self.memory.kind, self.memory.delta = fresh.lower, fresh.kind, fresh.delta
        tries = self.memory.arrays.get("recertified", np.array(0)) + 1
        self.memory.arrays["recertified"] = tries
        return int(tries) <= 20

    def _solution(self, final: Event, certificate: Certificate, reason: str) -> Solution:
        converged = self.stop.met(final)
        if converged and certificate.kind == "expectation":  # a bound that ends a run because it is small is chosen by luck
            certificate = replace(certificate, kind="estimate")
            reason = reason.replace("in expectation", "in expectation, had it not ended the run")
        if final.told and self.stop.asks_gap and not converged and reason.startswith("The certified"):
            reason = (f"The gap of {final.gap:.3g} met the request beside the estimated value, but does not beside the true "
                      "one. Ask for less, or for larger samples.")
        elif self.stop.asks_gap and not converged and reason.startswith("The certified"):
            reason = (f"Rounding holds the certified gap at {final.gap:.3g}: the views met the request but the point, "
                      "recomputed from its atoms, does not. Ask for less, or give float64 data.")
        return Solution(final.point, certificate, reason, converged, final.iteration, final.seconds, self.trace, self.solver,
                        self.f, self.S, self.memory.curvature, self.choice, final.also or {}, *self.given)

    # --- saved states ---------------------------------------------------------------------------------------------

    def _save(self, event: Event) -> None:
        assert self.checkpoint is not None
        save_state(self.checkpoint, self.state())
        self.saved_at = event.seconds

    def state(self) -> dict[str, Any]:
        """Everything that a continuation needs."""
        state = {f"iterate.{name}": array for name, array in self.w.state().items()}
        state.update({f"memory.{name}": array for name, array in self.memory.state().items()})
        state["run"] = np.array([self.start_value, self.earlier + perf_counter() - self.began])
        state["problem"] = self.problem
        if self.shown is not self.w:
            state["shown"] = self.shown.array()
        return state

    def resume(self, path: Path) -> None:
        self.restore(load_state(path))

    def restore(self, state: dict[str, Any]) -> None:
        self.w = restored({name[8:]: array for name, array in state.items() if name.startswith("iterate.")})
        check(self.w.shape == self.S.shape, f"The saved state holds points of shape {self.w.shape}, but {self.S!r} those of "
                                            f"shape {self.S.shape}. Resume with the set it was saved from.")
        self.memory = Memory()
        self.memory.restore({name[7:]: array for name, array in state.items() if name.startswith("memory.")})
        self.start_value, self.earlier = (float(x) for x in state["run"])
        self.began = perf_counter()
        self.shown = CoordinateIterate(state["shown"]) if "shown" in state else self.w
        self._check_same_problem(state["problem"])

    @cached_property
    def problem(self) -> Array:
        """A few numbers that another objective or another set would not have: what f and S say at one place."""
        f, S, g = self.f, self.S, np.random.default_rng(0).standard_normal(self.S.shape)
        w = f.start(S, lazy_rng(0))
        d = S.oracle(lazy_rng(0)).argmin(g).atom
        w.move(w.toward(d), 0.5)
        if getattr(f, "n", 0) is None:
            return np.array([d.dot(g)])
        return np.array([d.dot(g), f.value(w), f.euler(w), float(np.vdot(f.gradient(w), g))], dtype=np.float64)

    def _check_same_problem(self, saved: Array) -> None:
        """A lower bound that was saved holds for the problem it was saved from only."""
        same = saved.shape == self.problem.shape and np.allclose(saved, self.problem, rtol=1e-5, atol=1e-300)
        check(bool(same), f"The state was saved for another problem than {self.f!r} over {self.S!r}: at one place these say "
                          f"{self.problem}, and those said {saved}. Resume with the objective and the set it was saved from, "
                          "or pass the point as start=.")
        if self.memory.gap is None or not isfinite(self.memory.gap + self.memory.lower):
            return
        told, w = self.memory.lower + self.memory.gap, self.shown.copy()
        value = self.f.value(w)
        check(abs(value - told) <= 1e-4 * (abs(value) + abs(told)) + 1e3 * self.f.rounding(w, self.S),
              f"The state was saved for another problem: there the value was {told:.6g}, {self.f!r} has {value:.6g} at "
              "the same point. Resume with the objective and the set it was saved from, or pass the point as start=.")
