"""Saved states are flat: what belongs together has names that begin alike."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from greedyhull.types import State, View


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
