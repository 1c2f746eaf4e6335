"""A set inside another: it answers like the inner one, but with an oracle of its own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from greedyhull.errors import check
from greedyhull.types import AtomSet


class Wrapped(ABC):
    """Everything that is not written here is asked of ``S``, the inner set."""

    def __init__(self, S: AtomSet) -> None:
        check(hasattr(S, "oracle") and hasattr(S, "shape"),
              f"{type(self).__name__}({S!r}) was given; a set of atoms such as L1Ball(d, radius) is wanted.")
        self.S = S

    def __getattr__(self, name: str) -> Any:
        if name == "S" or name.startswith("__"):  # not there yet, or Python asking for a protocol
            raise AttributeError(name)
        return getattr(self.S, name)

    def __len__(self) -> int:
        return len(self.S)

    def __getitem__(self, j: int) -> Any:
        return self.S[j]

    def __bool__(self) -> bool:
        return True

    @abstractmethod
    def oracle(self, rng: np.random.Generator) -> Any:
        """The oracle of one solve."""

    def rescaled(self, radius: float) -> Any:
        """The same around the rescaled inner set."""
        return self._around(self.S.rescaled(radius))

    @abstractmethod
    def _around(self, S: AtomSet) -> Any:
        """The same wrapping around another set."""
