"""What is read from files, field by field: a checksum says that a file is as it was written, not that what it says can be.

Whatever is wrong is said with the file, the field and what was found there.
"""

from __future__ import annotations

from math import inf, isfinite, isnan, prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.points.blocks import under
from greedyhull.points.coordinate_iterate import restored
from greedyhull.points.iterate import wrong_weights
from greedyhull.points.validate import KINDS
from greedyhull.types import Array, State

SPELLED = ("nan", "inf", "-inf")  # how JSON documents of this library write what is not finite


class Fields:
    """The fields of a document in a file, ``within`` another field or not."""

    def __init__(self, told: Any, file: Path | str, within: str = "") -> None:
        check(isinstance(told, dict), lambda: f"{within or 'The document'} in {file} is {told!r:.40}; fields with names are "
                                              "wanted.")
        self.told, self.file, self.within = told, file, f"{within}." if within else ""

    def _of(self, name: str) -> Any:
        check(name in self.told, lambda: f"{self.file} has no field {self.within}{name}.")
        return self.told[name]

    def part(self, name: str) -> Fields:
        """The fields of a field."""
        return Fields(self._of(name), self.file, f"{self.within}{name}")

    def words(self, name: str) -> str:
        """A text."""
        found = self._of(name)
        check(isinstance(found, str), lambda: self._wrong(name, found, "words are"))
        return str(found)

    def whole(self, name: str, low: int = 0) -> int:
        """A whole number."""
        found = self._of(name)
        sound = isinstance(found, int) and not isinstance(found, bool) and low <= found < 2**63
        check(sound, lambda: self._wrong(name, found, f"a whole number of at least {low} is"))
        return int(found)

    def flag(self, name: str) -> bool:
        """Yes or no."""
        found = self._of(name)
        check(isinstance(found, bool), lambda: self._wrong(name, found, "true or false is"))
        return bool(found)

    def number(self, name: str, low: float = -inf, high: float = inf, infinite: bool = False) -> float:
        """A number from ``low`` to ``high``, finite unless said otherwise."""
        return self._number(name, self._of(name), low, high, infinite)

    def number_or_none(self, name: str, low: float = -inf, high: float = inf, infinite: bool = False) -> float | None:
        """The same, or nothing."""
        found = self._of(name)
        return None if found is None else self._number(name, found, low, high, infinite)

    def numbers(self, name: str) -> dict[str, float]:
        """Finite numbers by name."""
        part = self.part(name)
        return {key: part.number(key) for key in part.told}

    def number_or_several(self, name: str, count: int) -> float | Array:
        """A finite number, or a list of so many."""
        found = self._of(name)
        if not isinstance(found, list):
            return self.number(name)
        check(len(found) == count, lambda: f"{self.within}{name} in {self.file} has {len(found)} numbers; {count} are wanted.")
        return np.array([self._number(name, one, -inf, inf, False) for one in found])

    def _number(self, name: str, found: Any, low: float, high: float, infinite: bool) -> float:
        plain = isinstance(found, int | float) and not isinstance(found, bool)
        number = float(found) if plain or (isinstance(found, str) and found in SPELLED) else np.nan
        check(not isnan(number) and (infinite or isfinite(number)) and low <= number <= high, lambda: self._wrong(
            name, found, f"a {'' if infinite else 'finite '}number{_between(low, high)} is"))
        return number

    def _wrong(self, name: str, found: Any, wanted: str) -> str:
        return f"{self.within}{name} in {self.file} is {found!r:.40}; {wanted} wanted."


def _between(low: float, high: float) -> str:
    return "" if low == -inf and high == inf else f" of at least {low:g}" if high == inf else f" from {low:g} to {high:g}"


class Range(NamedTuple):
    """What the numbers of a column may be; NaN stands for those that are not known."""

    low: float = -inf
    infinite: bool = False
    unknown: bool = False
    rising: bool = False
    downward: bool = False  # −∞ is one of them

    def holds(self, column: Array) -> bool:
        x = column[~np.isnan(column)] if self.unknown else column
        bounded = bool((x >= self.low).all()) and (self.downward or bool((x > -inf).all()))
        finite = self.infinite or bool((x < inf).all())
        return bounded and finite and not (self.rising and bool((np.diff(x) < 0.0).any()))


COUNTED = Range(0.0)
LIMITS = {"iteration": Range(0.0, rising=True), "seconds": COUNTED, "value": Range(), "gap": Range(0.0, True, True),
          "step": Range(unknown=True), "atoms": COUNTED, "oracle_calls": COUNTED, "gradient_calls": COUNTED,
          "products": COUNTED, "slack": Range(0.0, True, True), "estimate": Range(infinite=True, unknown=True)}


def check_column(name: str, column: Array, where: str, unknown: bool = False) -> None:
    """Whether a column of a trace holds what it can; ``unknown``: values of f are not known."""
    limits = LIMITS[name]
    limits = limits._replace(unknown=True) if unknown and name == "value" else limits
    check(column.dtype.kind in "iuf" and limits.holds(column.astype(np.float64)), lambda: f"{name} of the trace in {where} "
          f"holds numbers that it cannot have{', or falls' if limits.rising else ''}: {_first(column)}.")


def _first(column: Array) -> str:
    return f"{np.asarray(column).ravel()[:6].tolist()!r:.100}"


def check_numbers(name: str, array: Array, shape: tuple[int, ...], where: str, limits: Range | None = None) -> None:
    """Whether an array has a shape and holds real numbers in a range, or any finite ones."""
    held = array.dtype.kind in "biuf" and array.shape == shape and (limits or Range()).holds(array.astype(np.float64))
    check(held, lambda: f"{name} in {where} has shape {array.shape}, type {array.dtype} and begins {_first(array)}; {shape} "
                        f"and finite numbers{'' if limits is None or limits.low == -inf else f' of at least {limits.low:g}'} "
                        "are wanted.")


def check_point(state: State, where: str) -> None:
    """Whether the arrays of a point, as `Iterate.state` writes them, can be those of one."""
    for name, array in state.items():
        if not name.startswith("view.") and array.dtype.kind not in "US":
            _check_array(name, array, where)
    if "work" in state:
        check_numbers("work", state["work"], (2,), where, COUNTED)
    if "x" not in state:  # else it is known by its coordinates alone
        size = prod(_shape(state, where))
        _check_coordinates(state, size, where)


def _check_array(name: str, array: Array, where: str) -> None:
    check(array.dtype.kind in "biuf", lambda: f"{name} in {where} has type {array.dtype}; real numbers are wanted.")
    finite = name == "step" or bool(np.isfinite(array.astype(np.float64)).all())
    check(finite, lambda: f"{name} in {where} has entries that are not finite: {_first(array)}.")


def _shape(state: State, where: str) -> tuple[int, ...]:
    shape = state.get("shape", np.zeros((0, 0)))
    check(shape.dtype.kind in "iu" and shape.ndim == 1 and bool((shape >= 0).all()),
          lambda: f"shape in {where} is {_first(shape)}; whole numbers are wanted.")
    return tuple(int(n) for n in shape)


def _check_coordinates(state: State, size: int, where: str) -> None:
    """Whether atoms that are coordinates are some of the ``size`` that there are."""
    index, scale = state.get("block.basis.index"), state.get("block.basis.scale")
    if index is None or scale is None:
        return
    inside = index.shape == scale.shape and index.ndim == 1 and bool(((index >= 0) & (index < size)).all())
    check(inside and state.get("block.size", np.array(size)) == size, lambda: f"The atoms in {where} have {index.size} "
          f"coordinates and {scale.size} entries; points have {size} coordinates.")


def check_saved(state: State, where: str) -> None:
    """Whether the state of a run can be one: its point, its clock, its bound and its trace."""
    check_point(under("iterate", state), f"{where}, iterate")
    try:
        w = restored(under("iterate", state))
    except GreedyhullError as error:
        raise GreedyhullError(f"The point in {where} is none. {error}") from error
    wrong = wrong_weights(w, (10**9)) if w.keeps_atoms else None  # iterations that may have gone before
    check(wrong is None, lambda: f"The point in {where} is none: {wrong}.")
    check_numbers("run", state["run"], (2,), where, Range(unknown=True, infinite=True))
    check(float(state["run"][1]) >= 0.0, lambda: f"run in {where} says that {float(state['run'][1]):g} seconds have passed.")
    if "shown" in state:
        _check_array("shown", state["shown"], where)
    memory = under("memory", state)
    for name, limits in MEMORY.items():
        if name in memory or name not in ("guide",):
            check_numbers(f"memory.{name}", memory[name], () if name != "spent" else (2,), where, limits)
            right = memory[name].dtype == np.float64 if name in REAL else memory[name].dtype.kind in "biu"
            wanted = "float64" if name in REAL else "a whole number"
            check(right, f"memory.{name} in {where} has type {memory[name].dtype}; {wanted} is wanted.")
    lower, kind = float(memory["lower"]), int(memory["kind"])
    check(lower < inf and kind < len(KINDS), lambda: f"memory.lower and memory.kind in {where} are {lower:g} and {kind}; a "
                                                     f"lower bound and a kind below {len(KINDS)} are wanted.")
    trace = under("trace", state)
    if "rows" in trace:
        _check_rows(trace, where)


REAL = ("lower", "guide", "delta", "spent", "gap")
MEMORY = {"k": Range(-1.0), "lower": Range(-inf, True, downward=True), "guide": Range(-inf, True, downward=True),
          "kind": COUNTED, "seed": COUNTED, "warm": COUNTED, "delta": COUNTED, "spent": Range(-1.0),
          "gap": Range(0.0, True, True), "beside": COUNTED}


def _check_rows(trace: State, where: str) -> None:
    from greedyhull.driver.trace import COLUMNS

    names = [name for name in COLUMNS if name != "step"]
    rows = trace["rows"]
    check(rows.ndim == 2 and rows.shape[1] == len(names), lambda: f"trace.rows in {where} has shape {rows.shape}; rows of "
                                                                  f"{len(names)} numbers are wanted.")
    for name, column in zip(names, rows.T, strict=True):
        check_column(name, column, where, unknown=True)
    check_numbers("trace.steps", trace["steps"], (max(len(rows) - 1, 0),), where, Range(unknown=True))
    check_numbers("trace.dropped", trace["dropped"], (), where, COUNTED)
    check_numbers("trace.places", trace["places"], (len(trace["places"]),), where, COUNTED)
