"""How a saved run continues: the identity of its problem, and its state."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from functools import cached_property, partial
from hashlib import blake2b
from math import inf, isfinite
from time import perf_counter
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any, NamedTuple
from warnings import warn

import numpy as np

from greedyhull.atoms.joined import Product, Sum
from greedyhull.driver.certificate import certificate_of
from greedyhull.driver.checkpoint import VERSION
from greedyhull.driver.checks import check_owners, is_builtin
from greedyhull.errors import GreedyhullError, GreedyhullWarning, check
from greedyhull.kernels._core import level
from greedyhull.points.arrays import is_sparse
from greedyhull.points.blocks import under
from greedyhull.points.coordinate_iterate import CoordinateIterate, restored
from greedyhull.points.iterate import Iterate, owners_agree
from greedyhull.points.owners import OwnedBlock, normalised, vertices
from greedyhull.points.shapes import dense as dense_atom
from greedyhull.solvers.parts.solver_state import SolverState
from greedyhull.types import Array, AtomSet, Objective, State, field_values, own

if TYPE_CHECKING:
    from greedyhull.driver.run import Run


FUNCTIONS = (FunctionType, BuiltinFunctionType, MethodType, partial)


class UnknownError(Exception):
    """Something whose meaning no digest can tell: a function, or an object of a class that is not ours."""


def digest(thing: Any) -> bytes:
    """Return bytes that are equal for equal things; empty for functions and users' objects, which may change unnoticed."""
    state = blake2b(digest_size=16)
    try:
        for part in _parts(thing):
            state.update(len(part).to_bytes(8, "little"))
            state.update(part)
    except UnknownError:
        return b""
    return state.digest()


def _parts(thing: Any) -> Iterable[bytes]:
    if thing is None or isinstance(thing, (bool, int, float, str, bytes, np.generic, np.dtype)):
        yield f"{type(thing).__name__}:{thing!r}".encode()
    elif isinstance(thing, np.ndarray):
        yield from _array(thing)
    elif isinstance(thing, (list, tuple)):
        yield f"{type(thing).__name__}[{len(thing)}]".encode()
        for item in thing:
            yield from _parts(item)
    elif isinstance(thing, dict):
        yield f"dict[{len(thing)}]".encode()
        for key in sorted(thing, key=str):
            yield from _parts(key)
            yield from _parts(thing[key])
    elif type(thing).__module__.startswith("scipy.sparse") and is_sparse(thing):
        columns = thing.tocsc()
        yield f"sparse{thing.shape}".encode()
        for array in (columns.indptr.astype(np.int64), columns.indices.astype(np.int64), columns.data):
            yield from _array(array)
    elif is_builtin(thing) and not isinstance(thing, FUNCTIONS) and ".testing." not in f"{type(thing).__module__}.":
        yield from _ours(thing)  # classes of the tests stand for users' classes
    else:
        raise UnknownError


def _array(array: Array) -> Iterable[bytes]:
    if array.dtype.hasobject:
        raise UnknownError
    yield f"array{array.shape}{array.dtype.str}".encode()
    whole = array if array.ndim else array.reshape(1)
    step = max(1, (1 << 22) // max(1, array.itemsize * int(np.prod(array.shape[1:]))))  # bytes that are copied at once
    for start in range(0, len(whole), step):
        yield np.ascontiguousarray(whole[start : start + step]).tobytes()


def _ours(thing: Any) -> Iterable[bytes]:
    """An object of the library: its class, and its fields; what it caches has a leading underscore."""
    kind, held = type(thing), own(thing)
    named = field_values(thing)
    if named is None and held is not None:
        named = dict(sorted(held.items()))
    if named is None or any(isinstance(kept, FUNCTIONS) for kept in (held or {}).values()):
        raise UnknownError
    cached = {name for base in kind.__mro__ for name, value in vars(base).items() if isinstance(value, cached_property)}
    # a field that a later version added counts where it is not at its default, so that older states are recognised
    later = [f for f in fields(thing) if "added" in f.metadata] if is_dataclass(thing) else []
    added = {f.name for f in later if named[f.name] == f.default}
    yield kind.__qualname__.encode()  # not its module: a class that moves is the same
    for name, value in named.items():
        if not name.startswith("_") and name not in cached and name not in added:
            yield name.encode()
            yield from _parts(value)


class Identity(NamedTuple):
    """What a run is a run of; a digest is empty where nobody can tell."""

    f: bytes
    S: bytes
    solver: bytes
    seed: int
    name: str  # of the solver
    shards: dict[str, str] = {}  # noqa: RUF012 — nobody writes on it; the mark of each shard of the data, by its name

    @classmethod
    def of(cls, f: Objective, S: object, solver: object, seed: int) -> Identity:
        shards = f.shard_marks() if f.traits.remote else {}
        seen = all(shards.values())  # a shard without a mark may have changed without a trace
        return cls(digest(f) if seen else b"", digest(S), digest(solver), seed, type(solver).__name__, shards)

    def state(self) -> State:
        marks = {name: np.frombuffer(mark, dtype=np.uint8) for name, mark in zip(["f", "S", "solver"], self[:3], strict=True)}
        data = {"shards": np.array(list(self.shards)), "marks": np.array(list(self.shards.values()))} if self.shards else {}
        return {**marks, **data, "seed": np.array(self.seed), "name": np.array(self.name)}

    @classmethod
    def restored(cls, state: State) -> Identity:
        names, marks = (state[key].tolist() if key in state else [] for key in ("shards", "marks"))
        shards = dict(zip(names, marks, strict=True))
        return cls(state["f"].tobytes(), state["S"].tobytes(), state["solver"].tobytes(), int(state["seed"]),
                   str(state["name"]), shards)

    def changes(self, saved: Identity) -> list[str]:
        """In words, what is certainly not as it was."""
        named = {self._data(saved): (self.f, saved.f), "the set": (self.S, saved.S), "the solver": (self.solver, saved.solver)}
        changed = [name for name, (now, before) in named.items() if now and before and now != before]
        if self.name != saved.name and "the solver" not in changed:
            changed.append("the solver")
        if self.seed != saved.seed:
            changed.append(f"the seed ({self.seed}, saved with {saved.seed})")
        return changed

    def _data(self, saved: Identity) -> str:
        """The objective, or which of its shards are not what they were."""
        if not self.shards or not saved.shards:
            return "the objective"
        other = [name for name in {**saved.shards, **self.shards} if self.shards.get(name) != saved.shards.get(name)]
        more = f" and {len(other) - 3} more" if len(other) > 3 else ""
        return f"the objective (its data: {', '.join(other[:3])}{more})" if other else "the objective"

    @property
    def known(self) -> bool:
        """Whether objective and set can be told from others."""
        return bool(self.f and self.S)


def take_up(run: Run, state: State, source: object) -> None:
    """Go on from the state in the file ``source``: bit by bit if it is one of this run, else from its point alone."""
    try:
        _take_up(run, state)
    except GreedyhullError as error:
        raise GreedyhullError(f"The state in {source} cannot be gone on from. {error}") from error
    except (AttributeError, LookupError, TypeError, ValueError, ArithmeticError) as error:
        raise GreedyhullError(f"The state in {source} is none that checkpoint= wrote ({type(error).__name__}: {error}). Give "
                              "another one, or solve again.") from error


def _take_up(run: Run, state: State) -> None:
    version = int(state["version"]) if "version" in state else 0
    if version in (2, 3):  # of which the point is understood, and nothing else
        _begin_anew(run, saved_point(state, run.S), ["the library"])
        return
    check(version == VERSION, "The saved state was written by another version of "
          "greedyhull, which kept other things. Solve again, or resume with the version that wrote it.")
    saved = Identity.restored(under("identity", state))
    changed = run.identity.changes(saved)
    w, memory = saved_point(state, run.S), SolverState()
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
    run.w, run.memory, run.certified_point = w, memory, shown
    run.start_value, run.earlier = (float(x) for x in state["run"])
    run.began = perf_counter()
    run.stall.restore(under("standing", state))
    before = str(state["level"])
    if before != level():
        run.resume_note = (f"The saved run computed with the loops of {before}, this one with those of {level()}: its "
                           "iterates go on up to rounding, not bit by bit.")
    elif sure and "noted" in state:
        run.saved_event = tuple(state["noted"].tolist())
    if "looked_early" in memory.arrays and not run.resume_note:
        run.resume_note = (f"The run was also certified at iteration {int(memory.arrays['looked_early'])}, where it was "
                           "saved: its iterates are those of an uninterrupted run, but its bounds and trace may differ.")
    if not sure:  # rows that may be about another problem are left behind with the bound
        _prove_anew(run, w.copy())
        run.resume_note = run.resume_note or ("Objective and set cannot be compared with the saved ones: the iterates "
                                              "continue, the bound is proved again, and the trace begins at the resume.")
    elif "trace.rows" in state:
        run.trace.restore(under("trace", state))


def repeat_event(run: Run) -> None:
    """Write the row of the saved event, which a resumed run repeats first, as it was saved."""
    # a run that must end takes no step in the core, whose loops add terms in another order: values may differ by rounding
    assert run.saved_event is not None
    (value, gap), now, run.saved_event = run.saved_event, run.trace.rows[-1][2], None
    if abs(now - value) <= 2.0 * run.rounding:  # intercepts over shards are found again, perhaps nearer to the best
        run.trace.settle(value, gap, run.memory.oracle_calls)


def _another_function(run: Run, shown: Iterate, memory: SolverState) -> bool:
    """Whether f, which has no digest, is not the function whose value at the saved point is remembered."""
    if memory.gap is None or not isfinite(memory.gap + memory.steering_bound):
        return False
    told, value = memory.steering_bound + memory.gap, float(run.f.value(shown.copy()))
    # values of one point that differ by more, relative to them, are values of two functions
    slack = 1e-4 * (abs(value) + abs(told)) + 1e3 * float(run.f.rounding(shown.copy(), run.S))
    slack += 1e-14 * (abs(memory.steering_bound) + memory.gap)  # which ``told`` is the small difference of
    return not abs(value - told) <= slack


def _begin_anew(run: Run, w: Iterate, changed: list[str]) -> None:
    """Only the point survives: bound, counter, views, tables and oracle belong to another problem."""
    run.resume_note = (f"Only the point of the saved run was taken over, for {' and '.join(changed)} changed: bounds, "
                      "counters and all that was remembered are new.")
    warn(run.resume_note, GreedyhullWarning, stacklevel=6)
    w = moved_over(w, run.S, run.plain)
    check_owners(w, run.S)
    run.begin_at(w)


def _prove_anew(run: Run, w: Iterate) -> None:
    """Functions and users' sets may have changed without a trace: iterates go on, the bound is found again."""
    memory = run.memory
    run.unproved, memory.lower = memory.k, -inf
    if not run.convex or not isfinite(run.f.value(w)):
        return
    memory.extra_lmo_calls += 1
    now = certificate_of(run.f, run.S, w, -inf)  # by an oracle of its own: that of the run may count its calls
    memory.lower, memory.kind, memory.delta = now.lower, now.kind, 0.0
    memory.failure_probability += now.delta


def saved_point(state: State, S: AtomSet) -> Iterate:
    """The point that the run had, of the right shape, with its views to come."""
    w = restored(under("iterate", state))
    check(w.shape == S.shape, f"The saved state holds points of shape {w.shape}, but {S!r} those of shape {S.shape}. Resume "
                              "with a set of the same shape.")
    return w


def moved_over(w: Iterate, S: AtomSet, plain: bool) -> Iterate:
    """Return the point of another run as one of S, with its atoms if they lie in S; if ``plain``, coordinates are enough."""
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
