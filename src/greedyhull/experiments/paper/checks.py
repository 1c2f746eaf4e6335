"""Comparisons of what was measured with what is claimed, and fitted powers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from greedyhull.types import Array


@dataclass(frozen=True)
class Check:
    """One comparison: ``measured`` is at most, at least or, within ``room``, equal to ``limit``.

    Where it is a ``share`` of a bound, ``idle`` is the share that an algorithm which never moves would use, and ``why`` says
    why the bound is not nearer than a factor of 1.5.
    """

    what: str
    measured: float
    sign: Literal["≤", "≥", "="]
    limit: float
    room: float = 0.0
    share: bool = False
    idle: float | None = None
    why: str = ""

    @property
    def ok(self) -> bool:
        if not math.isfinite(self.measured):
            return False
        if self.sign == "=":
            return abs(self.measured - self.limit) <= self.room
        off = self.measured - self.limit
        return (off if self.sign == "≤" else -off) <= self.room

    @property
    def factor(self) -> float | None:
        """What the bound can be divided by before this check fails; None where there is no bound.

        >>> bounded("", 0.8).factor
        1.25
        """
        if not self.share:
            return None
        return (self.limit + self.room) / self.measured if self.measured > 0.0 else math.inf


def at_most(what: str, measured: float, limit: float, room: float = 0.0) -> Check:
    return Check(what, float(measured), "≤", float(limit), float(room))


def bounded(what: str, share: float, *, idle: float | None = None, why: str = "", room: float = 0.0) -> Check:
    """``share``, what was measured over its bound, is at most one."""
    return Check(what, float(share), "≤", 1.0, float(room), True, None if idle is None else float(idle), why)


def at_least(what: str, measured: float, limit: float, room: float = 0.0) -> Check:
    return Check(what, float(measured), "≥", float(limit), float(room))


def equal(what: str, measured: float, exact: float, room: float) -> Check:
    return Check(what, float(measured), "=", float(exact), float(room))


def fitted(x: Sequence[float] | Array, y: Sequence[float] | Array) -> float:
    """The power p of the line y = C·x^p through the later half of log-log data; nan where fewer than two can be used.

    >>> round(fitted([1.0, 2.0, 4.0, 8.0], [8.0, 4.0, 2.0, 1.0]), 6)
    -1.0
    """
    a, b = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if not (a > 0).any():
        return math.nan
    late = (a > 0) & (b > 0) & (a >= np.sqrt(a[a > 0].min() * a.max()))
    if late.sum() < 2:
        return math.nan
    return float(np.polyfit(np.log(a[late]), np.log(b[late]), 1)[0])
