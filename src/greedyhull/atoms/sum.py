"""The Minkowski sum: a point of each of several sets, added."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.atoms.arguments import array_of
from greedyhull.atoms.base import NEAR, SAME
from greedyhull.atoms.joined import Joined, checked_sets
from greedyhull.atoms.sizes import Sizes
from greedyhull.errors import GreedyhullError, check
from greedyhull.points.aligned import agree
from greedyhull.points.mixture import owners_agree
from greedyhull.points.shapes import dense
from greedyhull.types import Array, Atom
from greedyhull.types import AtomSet as AnySet

if TYPE_CHECKING:
    from greedyhull.points.iterate import Iterate


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
        for S in flat:
            agree(flat[0], S, "The sets of a sum")
        super().__init__(flat, [0] * len(flat), flat[0].shape)

    def _of(self, sets: Sequence[AnySet]) -> Sum:
        return Sum(*sets)

    def contains(self, w: Any, tol: float = 1e-9) -> bool:
        """Whether the point lies in the sum: where its atoms are kept, each set is asked for its part; else by a search for a
        mixture."""
        return self.holds_parts(w, tol) or self._has(array_of(w), tol)

    def contains_quickly(self, w: Iterate) -> bool | None:
        """None: the weights of its atoms are the proof."""
        return None

    def excludes(self, w: Any, tol: float = 1e-9) -> bool:
        """Whether the point certainly lies outside: a search proves it far from all points."""
        x = array_of(w)
        if x.shape != self.shape or not np.isfinite(x).all():
            return True
        if self.holds_parts(w, tol):
            return False
        found = self._nearest(x, max(tol, NEAR), max(tol, NEAR))
        return found.lower > max(tol, NEAR) and found.kind == "always"

    def owns(self, d: Atom) -> bool:
        """Whether a vertex, or an atom of another set, is a point of the sum, to the last digits."""
        return self._nearest(dense(d, self.shape), SAME, NEAR).distance <= SAME

    def holds_parts(self, w: Any, tol: float) -> bool:
        """Whether w is kept as a mixture of atoms for each set, whose parts the sets contain."""
        from greedyhull.points.iterate import Iterate

        if not isinstance(w, Iterate) or w.owners is None or w.shape != self.shape or not owners_agree(w, self):
            return False
        if not (w.weights >= 0.0).all() or not (np.abs(w.totals - 1.0) <= 1e-9).all():
            return False
        return all(S.contains(part, tol) for S, part in zip(self.sets, self.parts(w), strict=True))

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
