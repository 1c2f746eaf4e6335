"""The gradients that a set is asked with: a complaint about the zero one says so, for it is easily overlooked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from greedyhull.types import Array

ZERO = "the gradient zero, for which every atom is best"


class Asked(list[Array]):
    """A list of gradients that knows which one a loop over it has come to."""

    now: Array | None = None

    def __iter__(self) -> Iterator[Array]:
        for g in super().__iter__():
            self.now = g
            yield g
        self.now = None

    @contextmanager
    def announced(self) -> Iterator[None]:
        """What goes wrong at the zero gradient is told with it."""
        self.now = None
        try:
            yield
        except Exception as error:
            if self.now is None or self.now.any():
                raise
            if isinstance(error, AssertionError):
                raise AssertionError(f"{error} It was asked with {ZERO}.") from error
            raise AssertionError(f"A set was asked with {ZERO}, and failed: {type(error).__name__}: {error}") from error
