"""The product: a point of each of several sets, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from greedyhull.atoms.birkhoff import Birkhoff
from greedyhull.atoms.geometry.rows_region import RowsRegion, side_by_side
from greedyhull.atoms.joined import Joined, checked_sets
from greedyhull.atoms.linear.polytope import TOGETHER, Polytope
from greedyhull.atoms.linear.rows import DENSE
from greedyhull.atoms.simplex import Simplex
from greedyhull.atoms.sizes import Sizes
from greedyhull.points.lengths import length
from greedyhull.theory import Constant, Status
from greedyhull.types import Array, Atom, Faces, SetTraits
from greedyhull.types import AtomSet as AnySet
from greedyhull.types.kinds import faced

if TYPE_CHECKING:
    from greedyhull.points.iterate import Iterate


class Product(Joined):
    """Product S₁ × … × S_K: a point of each set, their entries one after the other.

    A point has weights for the atoms of each set, and those of each set sum to one: few atoms stand for very many vertices.
    The gap is the sum of the gaps of the sets. `Corrective` reweights the atoms of all sets together, and `BlockCoordinate`
    goes from set to set.

    Parameters
    ----------
    *sets : AtomSet
        The sets. Points of sets with more than one dimension are written out in C order. Products among them are taken
        apart, so that a product of products is one product.

    See Also
    --------
    Sum : A point of each set, added.
    BlockCoordinate : A solver for very many sets.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> S = gh.Product(gh.Simplex(2), gh.Simplex(3, total=2.0))
    >>> s = gh.minimize(gh.quadratic(np.eye(5)), S, stop=gh.Gap(1e-9))
    >>> s.x.round(4)
    array([0.5   , 0.5   , 0.6667, 0.6667, 0.6667])
    >>> S.split(s.x)[0].round(4)
    array([0.5, 0.5])
    """

    def __init__(self, *sets: AnySet) -> None:
        checked_sets("Product", sets)
        flat = [T for S in sets for T in (S.sets if isinstance(S, Product) else (S,))]
        ends = np.cumsum([0, *(prod(S.shape) for S in flat)])
        super().__init__(flat, ends[:-1].tolist(), (int(ends[-1]),))

    def _of(self, sets: Sequence[AnySet]) -> Product:
        return Product(*sets)

    def slices(self, x: Array) -> list[Array]:
        flat = x.ravel()
        return [flat[a:a + prod(S.shape)].reshape(S.shape) for S, a in zip(self.sets, self._starts, strict=True)]

    def split(self, x: Array) -> list[Array]:
        """Return the points of the sets that a point of the product is made of, each in its own shape.

        Parameters
        ----------
        x : array_like
            A point of the product.

        Returns
        -------
        list of ndarray
            A point of each set.
        """
        return self.slices(self._shaped(x))

    def _shaped(self, x: Array) -> Array:
        from greedyhull.atoms.arguments import array_of
        from greedyhull.errors import check

        array = array_of(x)
        check(array.shape == self.shape, lambda: f"An array of shape {array.shape} was given, but {self!r} holds points of "
                                                 f"shape {self.shape}.")
        return array

    @cached_property
    def _totals(self) -> Array | None:
        """The total of each set where all are simplices."""
        simple = all(type(S) is Simplex for S in self.sets)
        return np.array([S.total for S in self.sets if isinstance(S, Simplex)]) if simple else None

    @property
    def resolution(self) -> float:
        return max(S.resolution for S in self.sets)

    @property
    def least_size(self) -> float:
        return min(S.least_size for S in self.sets)

    def _holds(self, x: Array, tol: float) -> bool:
        totals = self._totals
        if totals is None:
            return all(S.contains(part, tol) for S, part in zip(self.sets, self.slices(x), strict=True))
        sums, lows = np.add.reduceat(x, self._starts), np.minimum.reduceat(x, self._starts)
        return bool((lows >= -tol * totals).all() and (np.abs(sums - totals) <= tol * totals).all())

    def decompose(self, w: Array) -> Iterate:
        return self._mixed([S.decompose(part) for S, part in zip(self.sets, self.slices(self._shaped(w)), strict=True)])

    @property
    def traits(self) -> SetTraits:
        """Those of a set of several owners; it knows its faces where all of its sets do, its region where all have rows."""
        return super().traits._replace(faces=all(S.traits.faces for S in self.sets), region=self._region)

    @cached_property
    def _region(self) -> RowsRegion | None:
        if not all(isinstance(S, Polytope | Birkhoff) for S in self.sets):
            return None
        return side_by_side([S.traits.region for S in self.sets], TOGETHER, DENSE)

    def within(self, w: Array, g: Array) -> Atom:
        """The worst atom of the smallest face that holds w: that of each set."""
        parts = zip(self._faced(), self.slices(w), self.slices(g), strict=True)
        return self.joint(S.within(x, part) for S, x, part in parts)

    def room(self, w: Array, v: Array) -> float:
        """The largest t for which w + t·v lies in the set: the least of those of the sets."""
        return min(S.room(x, part) for S, x, part in zip(self._faced(), self.slices(w), self.slices(v), strict=True))

    def _faced(self) -> list[Faces]:
        return [known for known in map(faced, self.sets) if known is not None]

    def sizes(self) -> Sizes:
        """D² and r_S² are the sums of those of the sets."""
        sizes = [S.sizes() for S in self.sets]
        D, r = (length(np.array([float(s[i]) for s in sizes])) for i in (0, 1))
        return Sizes(Constant(D, _status(s.diameter for s in sizes), "D"),
                     Constant(r, _status(s.circumradius for s in sizes), "r_S"))

    def radius_around(self, x: Array) -> Constant:
        """The square is the sum of those of the sets."""
        found = [S.radius_around(part) for S, part in zip(self.sets, self.slices(x), strict=True)]
        return Constant(length(np.array([float(R) for R in found])), _status(found), "R")


def _status(constants: object) -> Status:
    """That of a sum: exact where all are, an estimate where one is."""
    told = {c.status for c in constants}  # type: ignore[attr-defined]
    return "exact" if told == {"exact"} else "upper bound" if told <= {"exact", "upper bound"} else "estimated"
