"""S + v: every point of a set, moved by one vector."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from greedyhull.atoms.arguments import array_of, numbers
from greedyhull.atoms.mapped import Mapped
from greedyhull.atoms.product import Product
from greedyhull.atoms.sizes import Sizes
from greedyhull.errors import check
from greedyhull.points.aligned import keep, kept, labels_of, ordered
from greedyhull.points.arrays import locked
from greedyhull.points.shapes import Basis, Dense, Sparse, dense
from greedyhull.theory import Constant
from greedyhull.types import Array, Atom, Design, SetTraits
from greedyhull.types import AtomSet as AnySet

FEW = 0.1  # the share of entries below which v is sparse, and so are atoms of S with few entries when they are moved
EPS = 2.0**-52


class Translated(Mapped):
    """Set S + v = {w + v : w in S}.

    Parameters
    ----------
    S : AtomSet
        The set.
    v : array_like
        The vector, in the shape of the points.

    See Also
    --------
    Scaled : A set times a number.
    Sum : Points of several sets, added.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> S = gh.Translated(gh.L1Ball(3, 0.5), [1.0, 1.0, 1.0])
    >>> gh.minimize(gh.quadratic(np.eye(3)), S, stop=gh.Gap(1e-9)).x.round(4)
    array([0.8333, 0.8333, 0.8333])
    """

    def __init__(self, S: AnySet, v: Any) -> None:
        super().__init__(S)
        keep(self, labels_of(v, -1) if kept(S) is None else kept(S))
        v = numbers(ordered(v, kept(S), "v", "the set"), "v")
        check(v.shape == self.shape, f"v has shape {v.shape}, but {S!r} holds points of shape {self.shape}.")
        self.v = locked(v + 0.0)
        self._places = np.flatnonzero(self.v)
        self._sparse = len(self._places) <= FEW * self.v.size
        self.dense_atoms = S.dense_atoms or not self._sparse

    def __repr__(self) -> str:
        return f"Translated({self.S!r}, v of length {float(np.abs(self.v).max()) if self.v.size else 0.0:g})"

    def _of(self, S: AnySet) -> Translated:
        return Translated(S, self.v)

    def _affine(self) -> tuple[float, Array]:
        return 1.0, self.v

    def _said(self, inner: SetTraits) -> SetTraits:
        middle = None if inner.radius is None else self.v if inner.middle is None else inner.middle + self.v
        return inner._replace(middle=middle, total=None)

    def moved(self, d: Atom) -> Atom:
        if self._sparse and isinstance(d, (Basis, Sparse)):
            few = d if isinstance(d, Sparse) else Sparse(np.array([d.index]), np.array([d.scale]))
            places = np.union1d(few.places, self._places).astype(np.intp)
            entries = self.v.ravel()[places]
            entries[np.searchsorted(places, few.places)] += few.entries
            return Sparse(places[entries != 0.0], entries[entries != 0.0])
        return Dense(dense(d, self.shape) + self.v + 0.0)

    def _part(self, d: Atom, owner: int) -> Atom:
        return self.moved(d) if owner == 0 else d

    def back(self, x: Array) -> Array:
        return np.asarray(x - self.v)

    def seen_by(self, g: Array) -> tuple[Array, float]:
        return g, float(np.vdot(g, self.v))

    @cached_property
    def _rounding(self) -> float:
        """What rounding w + v may do to a point of S, relative to what tolerances of S are relative to."""
        return 4.0 * EPS * float(np.abs(self.v).max()) / max(self.S.least_size, 1e-300)

    @cached_property
    def _shifted(self) -> list[Translated]:
        """The parts of a product, each with its own shift, and so with its own rounding."""
        S = self.S
        return [Translated(T, v.reshape(T.shape)) for T, v in zip(S.sets, S.slices(self.v), strict=True)] if isinstance(
            S, Product) else []

    @property
    def resolution(self) -> float:
        return max((T.resolution for T in self._shifted), default=self.S.resolution + self._rounding)

    def contains(self, w: Any, tol: float = 1e-9) -> bool:
        x = array_of(w)
        if isinstance(self.S, Product) and x.shape == self.shape:
            return all(T.contains(part, tol) for T, part in zip(self._shifted, self.S.slices(x), strict=True))
        return x.shape == self.shape and self.S.contains(self.back(x), tol + self._rounding)

    def excludes(self, w: Any, tol: float = 1e-9) -> bool:
        x = array_of(w)
        if isinstance(self.S, Product) and x.shape == self.shape:
            return any(T.excludes(part, tol) for T, part in zip(self._shifted, self.S.slices(x), strict=True))
        return x.shape != self.shape or self.S.excludes(self.back(x), tol + self._rounding)

    def max_abs(self, c: Array) -> float:
        return self.S.max_abs(c) + float((c * np.abs(self.v)).sum())

    def rescaled(self, radius: float) -> Translated:
        return Translated(self.S.rescaled(radius), self.v)

    def sizes(self) -> Sizes:
        """Those of S."""
        return self.S.sizes()

    def radius_around(self, x: Array) -> Constant:
        return self.S.radius_around(self.back(x))

    def curvature(self, form: Any) -> Constant:
        """That over S."""
        return self.S.curvature(form)

    def row_ranges(self, design: Design) -> tuple[Array, Array]:
        low, high = self.S.row_ranges(design)
        shift = design.matvec(self.v)
        return low + shift, high + shift
