"""How large a set is."""

from __future__ import annotations

from typing import NamedTuple

from greedyhull.theory import Constant, Status


class Sizes(NamedTuple):
    """D, the largest distance between two atoms, and r_S, the radius of the smallest ball that holds them all."""

    diameter: Constant
    circumradius: Constant

    @classmethod
    def of(cls, D: float, r: float, status: Status = "exact") -> Sizes:
        return cls(Constant(float(D), status, "D"), Constant(float(r), status, "r_S"))
