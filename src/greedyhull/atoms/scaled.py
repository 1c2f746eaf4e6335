"""c·S: every point of a set, times a number."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.atoms.arguments import HUGE, array_of
from greedyhull.atoms.mapped import Mapped
from greedyhull.atoms.sizes import Sizes
from greedyhull.errors import check
from greedyhull.errors.given import shown
from greedyhull.points.owners import OwnedBlock
from greedyhull.points.shapes import Basis, BasisBlock, Dense, Sparse, dense
from greedyhull.theory import Constant
from greedyhull.types import Array, Atom, Block, Design, SetTraits
from greedyhull.types import AtomSet as AnySet


class Scaled(Mapped):
    """Set c·S = {c·w : w in S}.

    With a negative c it is reflected, too: ``Scaled(S, -1.0)`` is −S, and ``Sum(S, Scaled(S, -1.0))`` holds all differences.

    Parameters
    ----------
    S : AtomSet
        The set.
    c : float
        The factor, not zero.

    See Also
    --------
    Translated : A set plus one vector.
    Sum : Points of several sets, added.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.Scaled(gh.Simplex(3), -2.0).argmin(np.array([1.0, 3.0, 0.5]))
    Basis(index=1, scale=-2.0)
    """

    def __init__(self, S: AnySet, c: float) -> None:
        super().__init__(S)
        good = isinstance(c, (int, float, np.integer, np.floating)) and not isinstance(c, bool) and 0.0 < abs(float(c)) <= HUGE
        check(bool(good), lambda: f"Scaled was given c = {shown(c)}; a number other than 0, at most {HUGE:g} in size, is "
                                  "wanted.")
        self.c = float(c)
        self.unit = abs(self.c)

    def __repr__(self) -> str:
        return f"Scaled({self.S!r}, {self.c:g})"

    def _of(self, S: AnySet) -> Scaled:
        return Scaled(S, self.c)

    def _affine(self) -> tuple[float, Array]:
        return self.c, np.zeros(self.shape)

    def _said(self, inner: SetTraits) -> SetTraits:
        radius = None if inner.radius is None else abs(self.c) * inner.radius
        middle = None if inner.middle is None else self.c * inner.middle
        return inner._replace(radius=radius, middle=middle,
                              total=None if inner.total is None or self.c < 0.0 else self.c * inner.total)

    def moved(self, d: Atom) -> Atom:
        if isinstance(d, Basis):
            return Basis(d.index, self.c * d.scale + 0.0)
        if isinstance(d, Sparse):
            return Sparse(d.places, self.c * d.entries)
        return Dense(self.c * dense(d, self.shape) + 0.0)

    def blocks(self, block: Block) -> Block:
        if isinstance(block, BasisBlock):
            return BasisBlock(block.size, block.index, self.c * block.scale + 0.0)
        if isinstance(block, OwnedBlock) and isinstance(block.inner, BasisBlock):
            return OwnedBlock(self.blocks(block.inner), block.owners)
        return super().blocks(block)

    def back(self, x: Array) -> Array:
        return np.asarray(x / self.c)

    def seen_by(self, g: Array) -> tuple[Array, float]:
        return (g if self.c > 0.0 else -g), 0.0  # of c·g only the sign matters to an argmin, and sizes may overflow

    def contains(self, w: Any, tol: float = 1e-9) -> bool:
        return self.S.contains(self.back(array_of(w)), tol)

    def excludes(self, w: Any, tol: float = 1e-9) -> bool:
        return self.S.excludes(self.back(array_of(w)), tol)

    def max_abs(self, c: Array) -> float:
        return abs(self.c) * self.S.max_abs(c)

    def rescaled(self, radius: float) -> Scaled:
        return Scaled(self.S.rescaled(radius / abs(self.c)), self.c)

    def sizes(self) -> Sizes:
        """Those of S, times |c|."""
        D, r = self.S.sizes()
        return Sizes(*(Constant(abs(self.c) * float(size), size.status, size.name) for size in (D, r)))

    def radius_around(self, x: Array) -> Constant:
        R = self.S.radius_around(self.back(x))
        return Constant(abs(self.c) * float(R), R.status, R.name)

    def curvature(self, form: Any) -> Constant:
        """That over S, times c²."""
        M = self.S.curvature(form)
        return Constant(self.c * (self.c * float(M)), M.status, M.name)

    def row_ranges(self, design: Design) -> tuple[Array, Array]:
        low, high = self.S.row_ranges(design)
        return (self.c * low, self.c * high) if self.c > 0.0 else (self.c * high, self.c * low)
