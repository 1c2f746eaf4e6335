"""Scaled and translated sets."""

from __future__ import annotations

from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from greedyhull.atoms.arguments import HUGE, array_of, is_number, numbers
from greedyhull.atoms.base import AtomSet, ClosedOracle, OracleBase, Sizes
from greedyhull.atoms.joined import Product
from greedyhull.atoms.neighbours import one_block
from greedyhull.atoms.wrapped import Around
from greedyhull.errors import check, shown
from greedyhull.points.aligned import keep, kept, labels_of, ordered
from greedyhull.points.arrays import locked
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.iterate import Iterate
from greedyhull.points.owners import Joint, OwnedBlock
from greedyhull.points.shapes import Basis, BasisBlock, Dense, Sparse, dense
from greedyhull.points.validate import as_answer, as_floor, as_shortlist
from greedyhull.theory import Constant
from greedyhull.types import Answer, Array, Atom, Block, Design, Floor, Index, Oracle, SetTraits, Shortlist, State


class Mapped(Around):
    """Points c·w + v for w in S: atoms of S, moved; what is asked of them is asked of S."""

    example = "Simplex(d) is wanted first."
    c = unit = 1.0  # scores of S are multiplied by unit = |c|
    v: Array | None = None  # None: zero

    def __init__(self, S: AtomSet) -> None:
        super().__init__(S)
        self.owners = S.traits.owners

    def _of(self, S: AtomSet) -> Mapped:
        return type(self)(S, self.c if self.v is None else self.v)  # type: ignore[call-arg]

    def _bare(self) -> AtomSet:
        inner = self.S._bare()
        return self if inner is self.S else self._of(inner)

    @property
    def traits(self) -> SetTraits:  # type: ignore[override]
        inner, v = self.S.traits, self.v
        radius = None if inner.radius is None else self.unit * inner.radius
        middle = None if inner.middle is None else self.c * inner.middle
        if v is not None:
            middle = None if radius is None else v if middle is None else middle + v
        total = None if inner.total is None or self.c < 0.0 or v is not None else self.c * inner.total
        region = None if inner.region is None else inner.region.moved(self.c, np.zeros(self.shape) if v is None else v)
        return inner._replace(region=region, gradients="dense", slides=False, compresses=False, faces=False,
                              dense_atoms=self.dense_atoms, radius=radius, middle=middle, total=total)

    def back(self, x: Array) -> Array:
        return np.asarray(x / self.c if self.v is None else x - self.v)

    def seen_by(self, g: Array) -> tuple[Array, float]:
        """h and b with ⟨g, c·w + v⟩ = unit·⟨h, w⟩ + b; of c·g only the sign matters to an argmin, and sizes may overflow."""
        return (g if self.c > 0.0 else -g), 0.0 if self.v is None else float(np.vdot(g, self.v))

    def moved(self, d: Atom) -> Atom:
        raise NotImplementedError

    def _moved(self, d: Atom) -> Atom:
        """An atom of S, moved; a vertex with several owners by its parts."""
        if not isinstance(d, Joint):
            return self.moved(d)
        return Joint(tuple(self._part(part, owner) for owner, part in enumerate(d.parts)))

    def _part(self, d: Atom, owner: int) -> Atom:
        return self.moved(d)

    def blocks(self, block: Block) -> Block:
        """Atoms of S, moved."""
        if isinstance(block, OwnedBlock):
            inner = one_block([self._part(block.inner[i], int(b)) for i, b in enumerate(block.owners)], prod(self.shape))
            return OwnedBlock(inner, block.owners)
        return one_block([self.moved(block[i]) for i in range(len(block))], prod(self.shape))

    def argmin(self, g: Array) -> Atom:
        return self._moved(self.S.atom(self.seen_by(g)[0]))

    def best(self, g: Array, m: int) -> Block:
        return self.blocks(self.S.best(self.seen_by(g)[0], m))

    def worst(self, g: Array, epsilon: float) -> Atom:
        return self._moved(self.S.worst(self.seen_by(g)[0], epsilon / self.unit))

    def oracle(self, rng: np.random.Generator) -> Oracle:
        inner = self.S.oracle(rng)
        return ClosedOracle(self) if type(inner) is ClosedOracle else MappedOracle(self, inner)

    def start(self, rng: np.random.Generator) -> Atom:
        return self._moved(self.S.start(rng))

    def __getitem__(self, j: int) -> Atom:
        return self._moved(self._listed()[j])

    def scores(self, g: Array) -> Array:
        h, c = self.seen_by(g)
        return self.unit * self._listed().scores(h) + c

    def block(self, index: Index) -> Block:
        return self.blocks(self._listed().block(index))

    def _iterate(self, w: Iterate) -> Iterate:
        return Iterate(self.blocks(w.block), w.weights, self.shape)

    def centre(self) -> Iterate:
        return self._iterate(self.S.centre())

    def decompose(self, w: Array) -> Iterate:
        return self._iterate(self.S.decompose(self.back(self._shaped(w))))

    def contains_quickly(self, w: Iterate) -> bool | None:
        return None if self.S.contains_quickly(CoordinateIterate(self.back(w.array()))) is None else self.contains(w)

    @cached_property
    def _rounding(self) -> float:
        """What rounding w + v may do to a point of S, relative to what tolerances of S are relative to."""
        if self.v is None:
            return 0.0
        return 4.0 * (2.0**-52) * float(np.abs(self.v).max()) / max(self.S.least_size, 1e-300)

    @cached_property
    def _parts(self) -> list[Translated]:
        """The parts of a product, each with its own shift, and so with its own rounding."""
        S, v = self.S, self.v
        if v is None or not isinstance(S, Product):
            return []
        return [Translated(T, part.reshape(T.shape)) for T, part in zip(S.sets, S.slices(v), strict=True)]

    @property
    def resolution(self) -> float:
        return max((T.resolution for T in self._parts), default=self.S.resolution + self._rounding)

    @property
    def least_size(self) -> float:
        return self.unit * self.S.least_size

    def contains(self, w: Any, tol: float = 1e-9) -> bool:
        x = array_of(w)
        if isinstance(self.S, Product) and self._parts and x.shape == self.shape:
            return all(T.contains(part, tol) for T, part in zip(self._parts, self.S.slices(x), strict=True))
        return x.shape == self.shape and self.S.contains(self.back(x), tol + self._rounding)

    def excludes(self, w: Any, tol: float = 1e-9) -> bool:
        x = array_of(w)
        if isinstance(self.S, Product) and self._parts and x.shape == self.shape:
            return any(T.excludes(part, tol) for T, part in zip(self._parts, self.S.slices(x), strict=True))
        return x.shape != self.shape or self.S.excludes(self.back(x), tol + self._rounding)

    def saw(self, d: Atom) -> None:
        """Nothing to do: S has seen its own atom as it answered."""

    def max_abs(self, c: Array) -> float:
        return self.unit * self.S.max_abs(c) + (0.0 if self.v is None else float((c * np.abs(self.v)).sum()))

    def rescaled(self, radius: float) -> Mapped:
        return self._of(self.S.rescaled(radius / self.unit))

    def sizes(self) -> Sizes:
        return Sizes(*(_times(self.unit, size) for size in self.S.sizes()))

    def radius_around(self, x: Array) -> Constant:
        return _times(self.unit, self.S.radius_around(self.back(x)))

    def curvature(self, form: Any) -> Constant:
        return _times(self.c, _times(self.c, self.S.curvature(form)))

    def row_ranges(self, design: Design) -> tuple[Array, Array]:
        shift = 0.0 if self.v is None else design.matvec(self.v)
        low, high = (self.c * end + shift for end in self.S.row_ranges(design))
        return (low, high) if self.c > 0.0 else (high, low)


def _times(c: float, constant: Constant) -> Constant:
    return Constant(c * float(constant), constant.status, constant.name)


class MappedOracle(OracleBase):
    """The oracle of S, asked with the gradient that S sees; slacks are multiplied by the unit."""

    __slots__ = ("S", "inner")

    def __init__(self, S: Mapped, inner: Oracle) -> None:
        self.S, self.inner = S, inner

    def argmin(self, g: Array, tol: float = 0.0, enough: float = -np.inf) -> Answer:
        (h, c), unit = self.S.seen_by(g), self.S.unit
        answer = as_answer(self.inner.argmin(h, tol / unit, (enough - c) / unit), self.S.shape)
        if not self.S.sized:
            self.S.S.saw(answer.atom)
        return answer._replace(atom=self.S._moved(answer.atom), slack=unit * answer.slack)

    def best(self, g: Array, m: int = 1, *, tol: float = 0.0, enough: float = -np.inf) -> Shortlist:
        (h, c), unit = self.S.seen_by(g), self.S.unit
        found = as_shortlist(self.inner.best(h, m, tol=tol / unit, enough=(enough - c) / unit), self.S.S, self.S.owners)
        return found._replace(atoms=self.S.blocks(found.atoms), slack=unit * found.slack)

    def floor(self, g: Array, tol: float = 0.0) -> Floor:
        (h, c), unit = self.S.seen_by(g), self.S.unit
        found = as_floor(self.inner.floor(h, tol / unit), self.S.S)
        return found._replace(lower=unit * found.lower + c)

    def state(self) -> State:
        return self.inner.state()

    def restore(self, state: State) -> None:
        self.inner.restore(state)


class Scaled(Mapped):
    """Set c·S = {c·w : w in S}.

    With a negative c it is reflected, too: ``Scaled(S, -1.0)`` is −S, and ``Sum(S, Scaled(S, -1.0))`` holds all differences.

    Parameters
    ----------
    S : AtomSet
        The set.
    c : float
        The factor, not zero.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.Scaled(gh.Simplex(3), -2.0).argmin(np.array([1.0, 3.0, 0.5]))
    Basis(index=1, scale=-2.0)
    """

    def __init__(self, S: AtomSet, c: float) -> None:
        super().__init__(S)
        check(is_number(c) and 0.0 < abs(float(c)) <= HUGE,
              lambda: f"Scaled was given c = {shown(c)}; a number other than 0, at most {HUGE:g} in size, is wanted.")
        self.c, self.unit = float(c), abs(float(c))

    def __repr__(self) -> str:
        return f"Scaled({self.S!r}, {self.c:g})"

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


class Translated(Mapped):
    """Set S + v = {w + v : w in S}.

    Parameters
    ----------
    S : AtomSet
        The set.
    v : array_like
        The vector, in the shape of the points.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> S = gh.Translated(gh.L1Ball(3, 0.5), [1.0, 1.0, 1.0])
    >>> gh.minimize(gh.quadratic(np.eye(3)), S, stop=gh.Gap(1e-9)).x.round(4)
    array([0.8333, 0.8333, 0.8333])
    """

    v: Array

    def __init__(self, S: AtomSet, v: Any) -> None:
        super().__init__(S)
        keep(self, labels_of(v, -1) if kept(S) is None else kept(S))
        v = numbers(ordered(v, kept(S), "v", "the set"), "v")
        check(v.shape == self.shape, f"v has shape {v.shape}, but {S!r} holds points of shape {self.shape}.")
        self.v = locked(v + 0.0)
        self._places = np.flatnonzero(self.v)
        # the share of entries below which v is sparse, and so are atoms of S with few entries when they are moved
        self._sparse = len(self._places) <= 0.1 * self.v.size
        self.dense_atoms = S.dense_atoms or not self._sparse

    def __repr__(self) -> str:
        return f"Translated({self.S!r}, v of length {float(np.abs(self.v).max()) if self.v.size else 0.0:g})"

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
