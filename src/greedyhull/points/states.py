"""Saved states are flat: what belongs together has names that begin alike."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import Protocol

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.types import Array, Index, State, View

MOST = 2.0**53  # the largest whole number that is counted to


class SpoiledError(GreedyhullError):
    """What a saved state holds is none that was written there; whoever knows its file says which one it is."""


class Kept(Protocol):
    """What is saved with a run, and restored when it goes on."""

    def state(self) -> State: ...
    def restore(self, state: State) -> None: ...


def under(prefix: str, state: State) -> State:
    """The part of ``state`` whose names begin with ``prefix.``, without it.

    >>> import numpy as np
    >>> under("block", {"block.index": np.array([1]), "weights": np.array([1.0])})
    {'index': array([1])}
    """
    return {name[len(prefix) + 1 :]: array for name, array in state.items() if name.startswith(prefix + ".")}


def numbers(state: State, name: str, shape: tuple[int | None, ...], low: float = -inf, high: float = inf) -> Array:
    """The array ``name`` of a saved state, if it holds finite float64 numbers from ``low`` to ``high`` and has this shape.

    A file whose checksum is right may still hold what no run has written. None stands for any length.

    >>> import numpy as np
    >>> numbers({"scale": np.array([1.0, 2.0])}, "scale", (None,))
    array([1., 2.])
    """
    array = _there(state, name, shape)
    sound = array.dtype == np.float64 and bool(np.isfinite(array).all()) and _within(array, low, high)
    check(sound, lambda: f"{name} has type {array.dtype} and begins {_first(array)}; finite float64 numbers"
                         f"{_range(low, high)} are wanted.")
    return array


def places(state: State, name: str, shape: tuple[int | None, ...], low: float = 0.0, high: float = MOST) -> Index:
    """The same for whole numbers from ``low`` to ``high``, of at least 0 unless said otherwise."""
    array = _there(state, name, shape)
    check(array.dtype.kind in "iu" and _within(array, low, high), lambda: f"{name} has type {array.dtype} and begins "
          f"{_first(array)}; whole numbers{_range(low, high)} are wanted.")
    return array


def count(state: State, name: str, low: float = 0.0, high: float = MOST) -> int:
    """One whole number."""
    return int(places(state, name, (), low, high))


def dimensions(state: State, name: str) -> tuple[int, ...]:
    """The shape of a point."""
    return tuple(int(n) for n in places(state, name, (None,)))


def _there(state: State, name: str, shape: tuple[int | None, ...]) -> Array:
    check(name in state, lambda: f"There is no array {name}.")
    array = np.asarray(state[name])
    fits = array.ndim == len(shape) and all(n is None or n == m for n, m in zip(shape, array.shape, strict=True))
    wanted = str(tuple("any" if n is None else n for n in shape)).replace("'", "")
    check(fits, lambda: f"{name} has shape {array.shape}; {wanted} is wanted.")
    return array


def _within(array: Array, low: float, high: float) -> bool:
    return not array.size or (float(array.min()) >= low and float(array.max()) <= high)


def _range(low: float, high: float) -> str:
    if low == -inf and high == inf:
        return ""
    return f" of at least {low:g}" if high in (inf, MOST) else f" from {low:g} to {high:g}"


def _first(array: Array) -> str:
    return f"{array.ravel()[:4].tolist()!r:.80}"


def views_state(views: Iterable[View]) -> State:
    """What a point's views remember, each under its name."""
    return {f"view.{view.name}.{name}": array for view in views for name, array in view.state().items()}


def views_from(state: State) -> dict[str, State]:
    """The states of the views in ``state``, by name."""
    found: dict[str, State] = {}
    for name, array in under("view", state).items():
        view, item = name.split(".", 1)
        found.setdefault(view, {})[item] = array
    return found
