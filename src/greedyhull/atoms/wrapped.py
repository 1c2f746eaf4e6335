"""A set inside another: it answers like the inner one, but with an oracle of its own."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from greedyhull.atoms.base import AtomSet
from greedyhull.atoms.sizes import Sizes
from greedyhull.errors import check
from greedyhull.errors.given import shown
from greedyhull.theory import Constant
from greedyhull.types import Array, Atom, Block, Design, Finite, Index, Objective, Oracle, SetTraits, Shape
from greedyhull.types import AtomSet as AnySet
from greedyhull.types.kinds import listed

if TYPE_CHECKING:
    from greedyhull.points.iterate import Iterate


class Wrapped(AtomSet):
    """Whatever is asked of it is asked of ``S``, the inner set; only the oracle is its own."""

    def __init__(self, S: AnySet) -> None:
        check(isinstance(S, AtomSet),
              lambda: f"{type(self).__name__} was given {shown(S)}; a set of atoms such as L1Ball(d, radius) is wanted.")
        self.S = S
        self.shape: Shape = S.shape
        self.dense_atoms = S.dense_atoms

    def __getattr__(self, name: str) -> Any:
        """A parameter of the inner set, its radius say; what every set has is written out below."""
        if name == "S" or name.startswith("_"):  # not there yet, or Python asking for a protocol
            raise AttributeError(name)
        return getattr(self.S, name)  # that is what wrapping means

    @abstractmethod
    def oracle(self, rng: np.random.Generator) -> Oracle:
        """The oracle of one solve."""

    @abstractmethod
    def _around(self, S: AnySet) -> Wrapped:
        """The same wrapping around another set."""

    def _bare(self) -> AtomSet:
        return cast(AtomSet, self.S)._bare()

    def rescaled(self, radius: float) -> Wrapped:
        """The same around the rescaled inner set."""
        return self._around(self.S.rescaled(radius))

    @property
    def traits(self) -> SetTraits:
        # its oracle may draw, whatever that of the inner set does, and it is the oracle that a solver is to work with
        return self.S.traits._replace(random=True, compresses=True, faces=False, region=None)

    # --- its atoms ------------------------------------------------------------------------------------------------

    def argmin(self, g: Array) -> Atom | Array:
        return self.S.atom(g)

    def atom(self, g: Array) -> Atom:
        return self.S.atom(g)

    def best(self, g: Array, m: int) -> Block:
        return self.S.best(g, m)

    def worst(self, g: Array, epsilon: float) -> Atom:
        return self.S.worst(g, epsilon)

    def start(self, rng: np.random.Generator) -> Atom:
        return self.S.start(rng)

    def _listed(self) -> Finite:
        known = listed(self.S)
        check(known is not None, lambda: f"The atoms of {self.S!r} cannot be listed.")
        assert known is not None
        return known

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        return len(self._listed())

    def __getitem__(self, j: int) -> Atom:
        return self._listed()[j]

    def scores(self, g: Array) -> Array:
        return self._listed().scores(g)

    def block(self, index: Index) -> Block:
        return self._listed().block(index)

    # --- its points -----------------------------------------------------------------------------------------------

    def centre(self) -> Iterate:
        return self.S.centre()

    def contains(self, w: Any, tol: float = 1e-9) -> bool:
        return self.S.contains(w, tol)

    def contains_quickly(self, w: Iterate) -> bool | None:
        return self.S.contains_quickly(w)

    def excludes(self, w: Any, tol: float = 1e-9) -> bool:
        return self.S.excludes(w, tol)

    def owns(self, d: Atom) -> bool:
        return self.S.owns(d)

    def recognised(self, block: Block) -> Block:
        return self.S.recognised(block)

    def compressed(self, block: Block, weights: Array, tol: float) -> tuple[Block, Array]:
        return self.S.compressed(block, weights, tol)

    def slide(self, f: Objective, w: Iterate) -> Iterate | None:
        return self.S.slide(f, w)

    def slide_within(self, f: Objective, w: Iterate, gap: float) -> Iterate | None:
        return self.S.slide_within(f, w, gap)

    def decompose(self, w: Array) -> Iterate:
        return self.S.decompose(w)

    def prices(self, g: Array) -> dict[str, float] | None:
        return self.S.prices(g)

    # --- its sizes ------------------------------------------------------------------------------------------------

    def max_abs(self, c: Array) -> float:
        return self.S.max_abs(c)

    def max_length(self) -> float:
        return self.S.max_length()

    @property
    def resolution(self) -> float:
        return self.S.resolution

    @property
    def least_size(self) -> float:
        return self.S.least_size

    @property
    def coarse(self) -> str:
        return self.S.coarse

    @property
    def sized(self) -> bool:
        return self.S.sized

    @property
    def seen(self) -> tuple[float, float] | None:
        return self.S.seen

    def saw(self, d: Atom) -> None:
        self.S.saw(d)

    def sizes(self) -> Sizes:
        return self.S.sizes()

    @property
    def diameter(self) -> float:
        return self.S.diameter

    @property
    def circumradius(self) -> float:
        return self.S.circumradius

    def radius_around(self, x: Array) -> Constant:
        return self.S.radius_around(x)

    def curvature(self, form: Any) -> Constant:
        return self.S.curvature(form)

    def row_ranges(self, design: Design) -> tuple[Array, Array]:
        return self.S.row_ranges(design)
