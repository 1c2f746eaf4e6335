"""How the commands speak: sentences on stdout, or one JSON document, or nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import isfinite
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from greedyhull.driver.certificate import Certificate

WIDTH = 100


@dataclass
class Voice:
    """``quiet`` prints no words; ``as_json`` prints the result, at the end, as one JSON document and nothing else."""

    quiet: bool = False
    as_json: bool = False
    warned: list[str] = field(default_factory=list)

    @property
    def silent(self) -> bool:
        return self.quiet or self.as_json

    @property
    def live(self) -> bool:
        """Whether a progress line is welcome."""
        return not self.silent and sys.stderr is not None and sys.stderr.isatty()

    def say(self, words: str = "") -> None:
        """A paragraph."""
        if not self.silent:
            print(fill(words, WIDTH, break_long_words=False, break_on_hyphens=False))

    def weights(self, rows: Iterable[tuple[str, float]], most: int = 30) -> None:
        """Weights and names, a line each, the first ``most`` of them."""
        listed = list(rows)
        if self.silent:
            return
        for name, weight in listed[:most]:
            print(f"  {weight:+12.6g}  {name}")
        if len(listed) > most:
            print(f"  and {len(listed) - most} more")

    def pairs(self, rows: Iterable[tuple[str, str]]) -> None:
        """What things are, a line each, in two columns."""
        listed = list(rows)
        wide = max((len(name) for name, _ in listed), default=0)
        for name, what in listed if not self.silent else ():
            print(f"  {name:<{wide}}  {what}")

    def result(self, document: Mapping[str, Any]) -> None:
        """The result for programs."""
        if self.as_json:
            from json import dumps

            noted = {"warnings": self.warned} if self.warned else {}
            everywhere = (getattr(sys.stdout, "encoding", None) or "utf-8").lower() != "utf-8"  # by escapes alone
            print(dumps(plain({**document, **noted}), indent=2, ensure_ascii=everywhere, allow_nan=False))

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Warnings become notes, each said once."""
        import warnings

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            yield
        for warning in caught:
            words = str(warning.message)
            if words not in self.warned:
                self.warned.append(words)
                self.say(f"Note: {words}")


def plain(value: Any) -> Any:
    """What JSON can hold: numpy's numbers and arrays as Python's, numbers that are not finite as null.

    >>> plain({"gap": float("inf"), "kinds": ("always",)})
    {'gap': None, 'kinds': ['always']}
    """
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and not isfinite(value):
        return None
    return value if isinstance(value, bool | int | float | str | None) else str(value)


def certificate_fields(certificate: Certificate) -> dict[str, Any]:
    """A certificate for programs, and in words."""
    return {"value": certificate.value, "gap": certificate.gap, "lower": certificate.lower, "kind": certificate.kind,
            "delta": certificate.delta, "words": str(certificate)}
