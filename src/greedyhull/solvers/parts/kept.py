"""What is kept of an object across a resume, declared once."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from greedyhull.types import State


def prefixed(**parts: State) -> State:
    """The arrays of several states, each after the name of its part; `under` takes them apart."""
    return {f"{part}.{name}": array for part, state in parts.items() for name, array in state.items()}


class Remembered:
    """An object whose state is made of the attributes that it names; a number comes back with the type that it has."""

    kept_arrays: ClassVar[tuple[str, ...]] = ()
    kept_numbers: ClassVar[tuple[str, ...]] = ()

    def state(self) -> State:
        state = {name: np.array(getattr(self, name)) for name in self.kept_arrays}
        if self.kept_numbers:
            state["numbers"] = np.array([float(getattr(self, name)) for name in self.kept_numbers])
        return state

    def restore(self, state: State) -> None:
        for name in self.kept_arrays:
            setattr(self, name, np.array(state[name]))
        if self.kept_numbers:
            for name, number in zip(self.kept_numbers, state["numbers"].tolist(), strict=True):
                setattr(self, name, type(getattr(self, name))(number))
