"""The Minkowski sum: a point of each of several sets, added."""

from __future__ import annotations

import numpy as np

from greedyhull.atoms.joined import Joined, checked_sets
from greedyhull.atoms.sizes import Sizes
from greedyhull.errors import GreedyhullError, check
from greedyhull.types import Array
from greedyhull.types import AtomSet as AnySet


class Sum(Joined):
    """Minkowski sum {w₁ + … + w_K : w_b a point of S_b}.

    A point keeps the atoms of each set by themselves, and their weights sum to one for each set; ``point.owners`` says whose
    an atom is. So the answer comes with its parts: smooth plus sparse, a trend plus a few jumps.

    Parameters
    ----------
    *sets : AtomSet
        The sets, all of one shape. Sums among them are taken apart.

    See Also
    --------
    Product : The points side by side.
    Translated : A set plus one vector.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> S = gh.Sum(gh.L1Ball(3, 1.0), gh.LinfBall(3, 0.5))
    >>> gh.minimize(gh.least_squares(np.eye(3), np.array([3.0, 0.4, 0.2])), S, stop=gh.Gap(1e-9)).x.round(4)
    array([1.5, 0.4, 0.2])
    """

    def __init__(self, *sets: AnySet) -> None:
        checked_sets("Sum", sets)
        flat = [T for S in sets for T in (S.sets if isinstance(S, Sum) else (S,))]
        for i, S in enumerate(flat):
            if S.shape != flat[0].shape:
                raise GreedyhullError(f"The sets of a sum must have points of one shape: {flat[0]!r} has {flat[0].shape}, and "
                                      f"{S!r}, number {i}, has {S.shape}. To put points side by side, use Product.")
        super().__init__(flat, [0] * len(flat), flat[0].shape)

    def slices(self, x: Array) -> list[Array]:
        return [x] * len(self.sets)

    def parts(self, point: object) -> list[Array]:
        """Return what each set adds to a point of a solution over this sum.

        Parameters
        ----------
        point : point of a solution
            A point with its atoms, ``solution.point``.

        Returns
        -------
        list of ndarray
            A point of each set; their sum is the point.
        """
        from greedyhull.points.iterate import Iterate

        owners = point.owners if isinstance(point, Iterate) else None
        check(isinstance(point, Iterate) and owners is not None, f"parts(point) needs the point of a solution over {self!r}, "
              "with its atoms; an array alone does not say which set gave what.")
        assert isinstance(point, Iterate) and owners is not None
        found = []
        for first, last in zip(self._firsts, self._firsts[1:], strict=False):
            own, x = np.flatnonzero((owners >= first) & (owners < last)), np.zeros(self.shape)
            point.block.take(own).add_to(x, point.weights[own])
            found.append(x)
        return found

    def sizes(self) -> Sizes:
        """D and r_S are at most the sums of those of the sets."""
        sizes = [S.sizes() for S in self.sets]
        D, r = (float(sum(float(s[i]) for s in sizes)) for i in (0, 1))
        return Sizes.of(D, r, "exact" if len(sizes) == 1 and sizes[0].diameter.status == "exact" else "upper bound")
