"""Solutions of a batch on disk: one npz file without pickle, in the manner of `driver/solution_file.py`.

    greedyhull       the document, UTF-8: version of the format, words that several problems share, why problems failed
    x, values, gaps, converged, intercepts, iterations, seconds, scales, prices, radii
                     a row or a number for each problem
    told             which of the words each problem that was solved together with others has; −1 for all others
    runs.3.*         problem 3, which had a run of its own, as a file of one solution holds it
"""

from __future__ import annotations

import json
from math import isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.driver.batch.record import Record
from greedyhull.driver.certificate import Certificate
from greedyhull.driver.saved import save_state, target_of, unwritten, written_by
from greedyhull.driver.solution import Absent, Solution
from greedyhull.driver.solution_file import DOCUMENT, made_from
from greedyhull.driver.solution_file import state_of as state_of_one
from greedyhull.driver.sound import Fields, Range, check_numbers
from greedyhull.driver.summary import measure
from greedyhull.driver.trace import Trace
from greedyhull.errors import GreedyhullError, check
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.states import under
from greedyhull.types import Array, Index, State

if TYPE_CHECKING:
    from greedyhull.driver.batch.solutions import Solutions

FORMAT = "greedyhull solutions"
VERSION = 1
NUMBERS = ("values", "gaps", "intercepts", "seconds", "scales", "prices", "radii")
UNKNOWN = Range(unknown=True)  # NaN where a problem failed, or has none
LIMITS = {"values": UNKNOWN, "gaps": Range(infinite=True), "intercepts": Range(), "seconds": Range(0.0),
          "scales": Range(0.0, unknown=True), "prices": UNKNOWN, "radii": Range(0.0, unknown=True)}
WORDS = ("reason", "objective", "set", "choice", "measure", "solver", "stop")


class FromFile:
    """What was saved of problems that were solved together: where their solutions are made from."""

    def __init__(self, words: list[dict[str, str]], told: Index, prices: Array, radii: Array, seed: int) -> None:
        self.words, self.told, self.prices, self.radii, self.seed = words, told, prices, radii, seed

    def made(self, i: int, r: Record) -> Solution:
        """The solution of problem i."""
        words, value, gap, k = self.words[int(self.told[i])], float(r.values[i]), float(r.gaps[i]), int(r.iterations[i])
        point, trace, price, radius = CoordinateIterate(r.x[i]), Trace(), float(self.prices[i]), float(self.radii[i])
        trace.rows.append((k, float(r.seconds[i]), value, gap, int(np.count_nonzero(r.x[i])), k, k, float(k), 0.0, gap))
        absent = {name: Absent(words[name], "saved") for name in ("solver", "objective", "set", "stop")}
        absent["objective"].known["scale"] = float(r.scales[i])
        if not isnan(radius):
            absent["set"].known["radius"] = radius
        s = Solution(point, Certificate(value, gap, value - gap), words["reason"], bool(r.converged[i]), k,
                     float(r.seconds[i]), trace, absent["solver"], absent["objective"], absent["set"],
                     choice=words["choice"], stop=absent["stop"], seed=self.seed)
        s._kept.update({"price": None if isnan(price) else price, "intercept": float(r.intercepts[i]), "prices": None,
                        "measure": words["measure"]})
        return s


def save(found: Solutions, path: Any) -> Path:
    """Write all solutions to a file."""
    target = target_of(path)
    try:
        save_state(target, _state_of(found))
    except OSError as error:
        raise unwritten(target, error) from error
    return target


def _state_of(found: Solutions) -> State:
    r, count = found.record, len(found)
    words: dict[tuple[str, ...], int] = {}
    told, prices, radii, seed = np.full(count, -1), np.full(count, nan), np.full(count, nan), 0
    state: State = {}
    for i in range(count):
        s = found[i]
        if i in r.runs:
            state.update({f"runs.{i}.{name}": array for name, array in state_of_one(r.runs[i], r.runs[i].names).items()})
        elif isinstance(s, Solution):
            price, radius, seed = s.price, _radius(s), s.seed
            prices[i], radii[i] = nan if price is None else price, nan if radius is None else radius
            spelled = (s.reason, repr(s.objective), repr(s.atom_set), s.choice, measure(s), repr(s.solver), repr(s.stop))
            told[i] = words.setdefault(spelled, len(words))
    document = {"format": FORMAT, "version": VERSION, "written_by": written_by(), "seed": seed,
                "words": [dict(zip(WORDS, spelled, strict=True)) for spelled in words],
                "errors": {str(i): str(error) for i, error in r.errors.items()}}
    state.update({"x": r.x, "values": r.values, "gaps": r.gaps, "scales": r.scales, "intercepts": r.intercepts,
                  "seconds": r.seconds, "iterations": r.iterations, "converged": r.converged, "told": told, "prices": prices,
                  "radii": radii})
    state[DOCUMENT] = np.frombuffer(json.dumps(document, ensure_ascii=False, allow_nan=False).encode(), dtype=np.uint8)
    return state


def _radius(s: Solution) -> float | None:
    radius = s.atom_set.known.get("radius") if isinstance(s.atom_set, Absent) else s.atom_set.traits.radius
    return None if radius is None else float(radius)


def made_from_file(state: State, told: dict[str, Any], file: Path) -> Solutions:
    """The solutions of a file, if it is sound."""
    from greedyhull.driver.batch.solutions import Solutions

    version = Fields(told, file).whole("version", -(2**63))
    check(1 <= version <= VERSION, f"{file} was written by greedyhull {told.get('written_by')}, in version {version} of the "
          f"format of batches; this version reads up to {VERSION}. Read it with a newer greedyhull.")
    record, source = _record(state, file), _source(state, told, file)
    for i, words in told["errors"].items():
        check(isinstance(words, str) and 0 <= int(i) < len(record), f"{file} has no problem {i!r:.20}, which it says failed.")
        record.errors[int(i)] = GreedyhullError(words)
    for i in sorted({name.split(".")[1] for name in state if name.startswith("runs.")}, key=int):
        s = made_from(under(f"runs.{i}", state), file)
        same = 0 <= int(i) < len(record) and s.x.shape == record.x.shape[1:] and np.array_equal(s.x, record.x[int(i)])
        check(same, f"The solution of problem {i!r:.20} in {file} is another one than its row.")
        record.runs[int(i)] = s
    known = (source.told >= 0).astype(int)
    for i in (*record.errors, *record.runs):
        known[i] += 1
    check(bool((known == 1).all()), f"{file} does not say of every problem how it was solved, once.")
    return Solutions(record, source)


def _record(state: State, file: Path) -> Record:
    x = state["x"]
    check(x.ndim >= 2 and x.dtype == np.float64, f"{file} has points of shape {x.shape} and type {x.dtype}; a row of numbers "
                                                 "for each problem is wanted.")
    record = Record(len(x), x.shape[1:])
    record.x = x
    for name in NUMBERS:
        check_numbers(name, _check(state[name], len(x), "f", name, file), (len(x),), str(file), LIMITS[name])
    record.values, record.gaps, record.scales = state["values"], state["gaps"], state["scales"]
    record.intercepts, record.seconds = state["intercepts"], state["seconds"]
    record.iterations = _check(state["iterations"], len(x), "i", "iterations", file)
    check_numbers("iterations", record.iterations, (len(x),), str(file), Range(0.0))
    record.converged = _check(state["converged"], len(x), "b", "converged", file)
    return record


def _source(state: State, told: dict[str, Any], file: Path) -> FromFile:
    words, place = told["words"], _check(state["told"], len(state["x"]), "i", "told", file)
    sound = isinstance(words, list) and all(isinstance(one.get(name), str) for one in words for name in WORDS)
    check(sound and bool((place >= -1).all() and (place < len(words)).all()), f"The words in {file} are none.")
    together = place >= 0
    finite = np.isfinite(state["x"][together]).all() and np.isfinite(state["values"][together]).all()
    check(bool(finite and (state["gaps"][together] >= 0.0).all()), f"{file} has points, values or gaps that are none.")
    return FromFile(words, place, state["prices"], state["radii"], Fields(told, file).whole("seed"))


def _check(array: Array, count: int, kind: str, name: str, file: Path) -> Any:
    check(array.shape == (count,) and array.dtype.kind == kind, f"{name} in {file} has shape {array.shape} and type "
          f"{array.dtype}; one number for each of {count} problems is wanted.")
    return array
