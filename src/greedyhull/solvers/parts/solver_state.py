"""What a solve must remember to be continued: a suspended generator cannot be saved, so nothing lives in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any, TypeVar

import numpy as np

from greedyhull.atoms.base import ClosedOracle, OracleBase, generator
from greedyhull.atoms.geometry import check_atoms_of
from greedyhull.errors import GreedyhullError, check
from greedyhull.points.blocks import Kept, SpoiledError, block_from, block_state, count, places, under
from greedyhull.points.gradients import taken
from greedyhull.points.owners import whole
from greedyhull.points.validate import KINDS as KINDS
from greedyhull.points.validate import as_answer, as_floor, as_shortlist
from greedyhull.solvers.parts.kept import prefixed
from greedyhull.solvers.parts.progress import ONE_ROUND, BurstLimit, Row, RunLimits, SkippedRows
from greedyhull.solvers.parts.steps import checked_step, no_rule
from greedyhull.types import Answer, Atom, AtomSet, Floor, Gradient, Shortlist, State, Step, StepRule, lacks

P = TypeVar("P", bound=Kept)


class SolverState:
    """k, the random state, the step rule's state, the oracle, the best lower bound, and the arrays a solver names.

    A resumed solve begins the saved iteration again: the oracle repeats the answers that it gave in it.
    """

    gap: float | None = None
    lower, kind = -np.inf, KINDS[0]  # the best lower bound, and what it promises
    delta = 0.0  # how likely it is to fail because of samples, where it may
    failure_probability = 0.0  # how likely one of the oracle's answers is to fail, of all that were compared in the run
    _spent_at, _again = -1, False  # where that was added last; whether this iteration is begun again
    steering_bound = -np.inf  # the same bound for solvers to steer by: a resumed run, whose bound is found anew, keeps its own
    extra_lmo_calls = 0  # searches of the set that were not made for the solver: for the start, for certificates
    limit: BurstLimit = ONE_ROUND  # how far a solver may go before the driver evaluates its gap; the driver renews it
    may_skip_start = False  # whether a solver may go on before the driver has seen the start
    skipped: SkippedRows | None = None  # rounds that the driver does not see, for the trace
    _rng: np.random.Generator | None = None
    _top: dict[str, Any] | None = None
    _oracle: CountingOracle | None = None
    _step: Step | None = None

    def __init__(self, seed: int = 0, *, warm: bool = False) -> None:
        self.k, self.warm = 0, warm
        self.ends = RunLimits()
        self.arrays: State = {}
        self.seed = seed
        self._pending: State = {}
        self._parts: dict[str, Kept] = {}

    def side_rng(self, *path: int) -> np.random.Generator:
        """Return a generator for a path, independent of `rng`: drawing from it does not change the run."""
        return np.random.default_rng([self.seed, *path])

    @property
    def rng(self) -> np.random.Generator:
        if self._rng is None:
            self._rng = np.random.Generator(np.random.PCG64(self.seed))
            self._top = self._rng.bit_generator.state  # type: ignore[assignment]
        return self._rng

    def count(self, first: int = 0) -> Iterator[int]:
        """k = first, first + 1, …, or from the k of a saved solve."""
        self.k = max(self.k, first)
        while True:
            if self._rng is not None:
                self._top = self._rng.bit_generator.state  # type: ignore[assignment]
            yield self.k
            oracle = self._oracle
            if oracle is not None and oracle.recent:
                oracle.forget()
            self.k += 1

    def next_round(self) -> None:
        """End an iteration whose rounds another loop continues."""
        if self._oracle is not None:
            self._oracle.forget()
        self.k += 1

    def requested(self, k: int) -> bool:
        """Whether the driver needs a point at k, because the solve must soon end."""
        return self.ends.reached(k)

    def must_end(self) -> bool:
        """Whether the solve must end now, whatever its iteration: no time is left, or it is interrupted."""
        return self.requested(-1)

    def skip(self, rounds: Sequence[Row], steps: Sequence[float], products: float = 1.0) -> None:
        """Count rounds that the driver does not see, each with a search of the set."""
        self.skipped, count = SkippedRows(rounds, steps, products), len(rounds)
        self.k += count
        if self._oracle is not None:
            self._oracle.calls += count
            self._oracle.peeks += count  # of a cache: the set itself was searched

    def proved(self, lower: float) -> None:
        """Keep a lower bound of f, rounding included, that a round which the driver does not see has proved."""
        self.steering_bound = max(self.steering_bound, lower)
        if lower > self.lower:
            self.lower, self.kind, self.delta = lower, "always", 0.0

    def step(self, rule: StepRule) -> Step:
        if lacks(rule, "start"):
            raise GreedyhullError(no_rule(rule))
        self._step = rule.start(self.warm)
        if self._pending:
            self._continue("step", self._step)
        return checked_step(rule, self._step)

    def oracle(self, S: AtomSet) -> CountingOracle:
        if self._oracle is None:
            self._oracle = CountingOracle(S, generator(S, self.seed, 1))
            if self._pending:
                self._continue("oracle", self._oracle)
        return self._oracle

    def part(self, name: str, make: Callable[[], P]) -> P:
        """An object with ``state`` and ``restore`` that a solver keeps across iterations."""
        made = make()
        self._parts[name] = made
        if self._pending:
            self._continue(f"part.{name}", made)
        return made

    def _continue(self, name: str, kept: Kept) -> None:
        """Restore what was saved under a name; a state that does not fit raises an error with this name."""
        saved = under(name, self._pending)
        if not saved:
            return
        try:
            kept.restore(saved)
        except (AttributeError, LookupError, TypeError, ValueError, ArithmeticError, MemoryError, RuntimeError) as error:
            said = str(error) if isinstance(error, GreedyhullError) else f"{type(error).__name__}: {error}"
            raise SpoiledError(f"What it keeps as memory.{name} is none that was written there ({said}). Give another one, or "
                               "solve again.") from error

    def spend(self, delta: float) -> None:
        """Add the failure probability of an answer that was compared; one that a resumed run repeats is in already."""
        if not (self._again and self._spent_at == self.k):
            self.failure_probability, self._spent_at = self.failure_probability + delta, self.k
        self._again = False

    @property
    def oracle_calls(self) -> int:
        """How often the set was searched, the start included; answers from a cache do not count."""
        oracle = self._oracle
        if oracle is None:
            return self.extra_lmo_calls
        return self.extra_lmo_calls + (oracle.calls if oracle.cache is None else oracle.searches)

    @property
    def curvature(self) -> float | None:
        """The largest curvature that the step rule has met, where it looks for it."""
        return getattr(self._step, "largest", None)  # rules may measure it

    def state(self) -> State:
        state: State = {"k": np.array(self.k), "lower": np.array(self.lower), "warm": np.array(self.warm),
                        "seed": np.array(self.seed), "gap": np.array(np.nan if self.gap is None else self.gap),
                        "kind": np.array(KINDS.index(self.kind)), "delta": np.array(self.delta),
                        "beside": np.array(self.extra_lmo_calls), "guide": np.array(self.steering_bound),
                        "spent": np.array([self.failure_probability, self._spent_at])}
        if self._top is not None:
            inner = self._top["state"]
            words = [inner["state"] >> 64, inner["state"] & (2**64 - 1), inner["inc"] >> 64, inner["inc"] & (2**64 - 1)]
            state["rng"] = np.array([*words, self._top["has_uint32"], self._top["uinteger"]], dtype=np.uint64)
        parts = {"step": self._step, "oracle": self._oracle, **{f"part.{name}": part for name, part in self._parts.items()}}
        inner = {"arrays": self.arrays, **{name: part.state() for name, part in parts.items() if part is not None}}
        return {**state, **prefixed(**inner)}

    def restore(self, state: State) -> None:
        self.k, self.lower, self.warm = int(state["k"]), float(state["lower"]), bool(state["warm"])
        self.seed, self.kind = int(state["seed"]), KINDS[int(state["kind"])]
        self.delta, self.extra_lmo_calls = float(state["delta"]), int(state["beside"])
        self.steering_bound = float(state.get("guide", self.lower))
        self.failure_probability, self._spent_at = float(state["spent"][0]), int(state["spent"][1])
        self._again = self._spent_at == self.k
        self.gap = None if np.isnan(state["gap"]) else float(state["gap"])
        self.arrays = under("arrays", state)
        self._pending = {name: array for name, array in state.items() if name.startswith(("step.", "oracle.", "part."))}
        if "rng" in state:
            a, b, c, d, has, integer = (int(x) for x in places(state, "rng", (6,), high=2.0**64))
            self._rng = np.random.Generator(np.random.PCG64(self.seed))
            self._rng.bit_generator.state = {"bit_generator": "PCG64", "state": {"state": a << 64 | b, "inc": c << 64 | d},
                                             "has_uint32": has, "uinteger": integer}
            self._top = self._rng.bit_generator.state


Memory = SolverState  # the public name


class CountingOracle:
    """An oracle whose calls are counted and whose answers within an iteration can be repeated after a resume."""

    __slots__ = ("cache", "calls", "closed", "gradients", "inner", "owners", "peeks", "recent", "replay", "set", "sharpest")

    def __init__(self, S: AtomSet, rng: np.random.Generator) -> None:
        self.set, self.owners, self.calls, self.peeks = S, S.traits.owners, 0, 0
        self.inner: Any = S.oracle(rng)
        if not isinstance(self.inner, OracleBase) and lacks(self.inner, "argmin", "best", "floor", "state", "restore"):
            raise GreedyhullError(f"oracle(rng) of {S!r} must return an oracle with argmin, best, floor, state and restore; "
                                  f"got a {type(self.inner).__name__}. Derive it from OracleBase, which makes all from "
                                  "argmin.")
        # of an exact oracle that holds nothing, the set's own answers; one derived from it may have answers of its own
        self.closed = S.atom if type(self.inner) is ClosedOracle else None
        counts = self.closed is None and not lacks(self.inner, "misses")
        self.cache: Any = self.inner if counts else None  # one that counts its searches by itself
        self.recent: list[Answer | Shortlist] = []
        self.replay: list[Answer | Shortlist] = []
        self.gradients: list[Gradient] = []  # what the recent answers are answers to
        self.sharpest = 0.0  # what the last proof was off by at least

    @property
    def searches(self) -> int:
        """How often the set was searched; answers from a cache do not count."""
        return self.calls if self.cache is None else int(self.cache.misses) + self.peeks

    def argmin(self, g: Gradient, tol: float = 0.0, enough: float = -np.inf) -> Answer:
        if self.closed is not None and type(g) is np.ndarray and not self.replay:  # as most are
            self.calls += 1
            answer: Any = Answer(self.closed(g))
        else:
            again = self._again(Answer)
            answer = self.aside(g, tol, enough) if again is None else again
        self.gradients.append(g)
        self.recent.append(answer)
        return answer  # type: ignore[no-any-return]

    def _again(self, kind: type) -> Answer | Shortlist | None:
        """The next answer to repeat, or None. Answers of another kind are dropped: the core makes other calls than Python."""
        if self.replay and not isinstance(self.replay[0], kind):
            self.replay.clear()
        return self.replay.pop(0) if self.replay else None

    def forget(self) -> None:
        self.recent.clear()
        self.gradients.clear()

    def peek(self, g: Gradient) -> Answer:
        """Return an answer for a gap evaluation, proved; the oracle's state stays, so that evaluations do not change a run."""
        if self.replay or self.closed is not None:
            return self.argmin(g)
        before = self.inner.state()
        answer = self.argmin(g)
        self.inner.restore(before)
        self.peeks += 1
        if answer.slack == np.inf:
            self.recent[-1] = answer = self.proved(answer)
        return answer

    def floor(self, g: Gradient, tol: float = 0.0) -> Floor:
        """A proof for g: counted, without a trace in the oracle."""
        self.calls += 1
        g = taken(self.set, g)
        if self.closed is not None:
            return Floor(float(self.closed(g).dot(g)))
        before = self.inner.state()
        found = as_floor(self.inner.floor(g, tol), self.set)
        self.inner.restore(before)
        self.peeks += 1
        self.sharpest = found.sharpest
        return found

    def gave(self, answer: Answer | Shortlist) -> bool:
        return any(given is answer for given in self.recent)

    def proved(self, answer: Answer | Shortlist, tol: float = 0.0) -> Answer:
        """One of the recent answers: its best atom, with the slack that a floor proves for it, to about ``tol``."""
        g = next(g for given, g in zip(self.recent, self.gradients, strict=True) if given is answer)
        atom = answer.atom if isinstance(answer, Answer) else best_of(answer, g)
        score, floor = float(atom.dot(g)), self.floor(g, tol)
        check(floor.lower <= score + 1e-6 * (abs(score) + abs(floor.lower)), lambda: f"An oracle of {self.set!r} proposed an "
              f"atom of score {score:.10g}, and its floor says that none is below {floor.lower:.10g}. Its floor is wrong, or "
              "the atom lies outside the set.")
        return Answer(atom, abs(score - floor.lower), floor.kind, floor.delta)  # one above the score is off by as much

    def aside(self, g: Gradient, tol: float = 0.0, enough: float = -np.inf) -> Answer:
        """An answer that is counted, but not kept for a resumed run, since nothing of the run depends on it."""
        self.calls += 1
        if type(g) is not np.ndarray:
            g = taken(self.set, g)
        if self.closed is not None:
            return Answer(self.closed(g))
        answer = as_answer(self.inner.argmin(g, tol, enough), self.set.shape)
        if not self.set.sized:
            self.set.saw(answer.atom)
        return answer

    def best(self, g: Gradient, m: int = 1, *, tol: float = 0.0, enough: float = -np.inf) -> Shortlist:
        answer: Any = self._again(Shortlist)
        if answer is None:
            self.calls += 1
            asked = g if type(g) is np.ndarray else taken(self.set, g)
            answer = self.inner.best(asked, m, tol=tol, enough=enough)
            if self.closed is None or self.owners != 1 or answer.owners is not None:  # else it was looked at when it was made
                answer = as_shortlist(answer, self.set, self.owners)
        self.gradients.append(g)
        self.recent.append(answer)
        return answer  # type: ignore[no-any-return]

    def state(self) -> State:
        state: State = {"calls": np.array(self.calls), "glances": np.array(self.peeks), "given": np.array(len(self.recent))}
        state.update(prefixed(inner=self.inner.state()))
        for i, answer in enumerate(self.recent):
            single = isinstance(answer, Answer)
            block = answer.atom.block(prod(self.set.shape)) if isinstance(answer, Answer) else answer.atoms
            state[f"answer{i}.told"] = np.array([single, answer.slack, KINDS.index(answer.kind), answer.delta])
            state.update(prefixed(**{f"answer{i}.block": block_state(block)}))
        return state

    def restore(self, state: State) -> None:
        self.calls, self.peeks = count(state, "calls"), count(state, "glances") if "glances" in state else 0
        self.inner.restore(under("inner", state))
        if self.cache is not None and "inner.block.kind" in state:
            check_atoms_of(self.set, block_from(under("inner.block", state)), "The cache")
        for i in range(count(state, "given", high=len(state))):
            single, slack, number, delta = state[f"answer{i}.told"].tolist()
            block, promise = block_from(under(f"answer{i}.block", state)), (slack, KINDS[int(number)], delta)
            check_atoms_of(self.set, block, f"answer{i}")
            self.replay.append(Answer(whole(block), *promise) if single else Shortlist(block, *promise, block.owners))


def best_of(found: Shortlist, g: Gradient) -> Atom:
    """The best atom of a shortlist; with several owners, the vertex that the best of each make."""
    scores, owners = found.atoms.dots(g), found.owners
    if owners is None:
        return found.atoms[int(scores.argmin())]
    places = [int(np.where(owners == b, scores, np.inf).argmin()) for b in range(int(owners.max()) + 1)]
    return whole(found.atoms.take(np.array(places)))
