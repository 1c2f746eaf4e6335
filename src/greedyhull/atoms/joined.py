"""Products and Minkowski sums of sets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from operator import attrgetter
from typing import Any

import numpy as np

from greedyhull.atoms.arguments import array_of
from greedyhull.atoms.base import AtomSet, ClosedOracle, OracleBase, Sizes
from greedyhull.atoms.combinatorial import Birkhoff
from greedyhull.atoms.linear_program import TOGETHER, Polytope
from greedyhull.atoms.neighbours import one_block
from greedyhull.atoms.polyhedron import DENSE
from greedyhull.atoms.regions import RowsRegion, side_by_side
from greedyhull.atoms.simplex import Simplex
from greedyhull.errors import GreedyhullError, check, shown
from greedyhull.points.aligned import agree
from greedyhull.points.arrays import eps_of, length
from greedyhull.points.blocks import Block, under
from greedyhull.points.iterate import Iterate, owners_agree
from greedyhull.points.owners import Joint, OwnedBlock
from greedyhull.points.shapes import Basis, BasisBlock, Dense, Sparse, dense
from greedyhull.points.validate import KINDS, as_answer, as_floor, as_shortlist
from greedyhull.theory import Constant, Status
from greedyhull.types import Answer, Array, Atom, Floor, Index, Kind, Oracle, SetTraits, Shape, Shortlist, State, listed


class Joined(AtomSet):
    """Points made of one point of each set, whose entries begin at ``starts``."""

    def _join(self, sets: Sequence[AtomSet], starts: Sequence[int], shape: Shape) -> None:
        self.sets, self.shape = tuple(sets), shape
        counts = [S.traits.owners for S in sets]
        self.owners, self.dense_atoms = sum(counts), any(S.dense_atoms for S in sets)
        self._starts = [int(start) for start in starts]
        self._firsts = np.cumsum([0, *counts]).tolist()  # the first owner of each set

    def __repr__(self) -> str:
        first, n = repr(self.sets[0]), len(self.sets)
        same = n > 3 and all(repr(S) == first for S in self.sets[1:])
        return f"{type(self).__name__}({f'{n} × {first}' if same else ', '.join(map(repr, self.sets))})"

    def _bare(self) -> AtomSet:
        inner = [S._bare() for S in self.sets]
        return self if all(one is S for one, S in zip(inner, self.sets, strict=True)) else type(self)(*inner)

    @property
    def traits(self) -> SetTraits:  # type: ignore[override]
        return super().traits._replace(random=any(S.traits.random for S in self.sets), compresses=False)

    starts = property(attrgetter("_starts"), doc="The first place of the entries of each set.")

    def slices(self, x: Array) -> list[Array]:
        """What each set sees of an array, such as a gradient."""
        return [x] * len(self.sets)

    @cached_property
    def _table(self) -> BasisTable | None:
        """All parts in two arrays, where each set can list its atoms and these have one entry each."""
        return BasisTable.of(self.sets, self._starts, prod(self.shape))

    def embedded(self, place: int, d: Atom) -> tuple[Atom, ...]:
        """The parts that an atom of the set number ``place`` is in the whole."""
        parts = d.parts if isinstance(d, Joint) else (d,)
        return tuple(self._embedded(place, part) for part in parts)

    def _embedded(self, place: int, d: Atom) -> Atom:
        start, shape = self._starts[place], self.sets[place].shape
        if isinstance(d, Basis):
            return Basis(start + d.index, d.scale)
        if isinstance(d, Sparse):
            return Sparse(start + d.places, d.entries)
        x = dense(d, shape)
        if x.shape == self.shape:
            return Dense(x)
        places = np.flatnonzero(x)
        return Sparse(start + places, x.ravel()[places])

    def joint(self, atoms: Iterable[Atom]) -> Joint:
        """The vertex that an atom of each set makes."""
        return Joint(tuple(part for place, d in enumerate(atoms) for part in self.embedded(place, d)))

    def argmin(self, g: Array) -> Joint:
        table = self._table
        if table is not None:
            return Joint(tuple(table.argmin(g.ravel())))
        return self.joint(S.atom(part) for S, part in zip(self.sets, self.slices(g), strict=True))

    def best(self, g: Array, m: int) -> OwnedBlock:
        table = self._table
        if table is not None:
            return table.best(g.ravel(), m)
        return self.joined(S.best(part, m) for S, part in zip(self.sets, self.slices(g), strict=True))

    def joined(self, blocks: Iterable[Block]) -> OwnedBlock:
        """Blocks of atoms, one for each set, as one block of parts."""
        parts: list[Atom] = []
        owners: list[int] = []
        for place, block in enumerate(blocks):
            assert isinstance(block, Block)
            inner = block.inner if isinstance(block, OwnedBlock) else block
            whose = block.owners.tolist() if isinstance(block, OwnedBlock) else [0] * len(block)
            parts += [self._embedded(place, inner[i]) for i in range(len(inner))]
            owners += [self._firsts[place] + owner for owner in whose]
        return OwnedBlock(one_block(parts, prod(self.shape)).unnamed(), np.array(owners))

    def oracle(self, rng: np.random.Generator) -> Oracle:
        oracles = [S.oracle(rng) for S in self.sets]
        return ClosedOracle(self) if all(type(o) is ClosedOracle for o in oracles) else JoinedOracle(self, oracles)

    def start(self, rng: np.random.Generator) -> Joint:
        return self.joint(S.start(rng) for S in self.sets)

    def centre(self) -> Iterate:
        return self._mixed([S.centre() for S in self.sets])

    def _mixed(self, points: Sequence[Iterate]) -> Iterate:
        block = self.joined(w.block for w in points)
        return Iterate(block, np.concatenate([w.weights for w in points]), self.shape).merged()

    def max_abs(self, c: Array) -> float:
        table = self._table
        if table is not None:
            return table.max_abs(np.asarray(c, dtype=np.float64).ravel())
        return float(sum(S.max_abs(part) for S, part in zip(self.sets, self.slices(c), strict=True)))

    @property
    def coarse(self) -> str:  # type: ignore[override]
        return max((S.coarse for S in self.sets), key=eps_of)

    @property
    def sized(self) -> bool:
        return all(S.sized for S in self.sets)

    @property
    def seen(self) -> tuple[float, float] | None:  # type: ignore[override]
        seen = [S.seen for S in self.sets if S.seen is not None]
        return (sum(a for a, _ in seen), sum(b for _, b in seen)) if seen else None

    def saw(self, d: Atom) -> None:
        """Nothing to do: each set has seen its own atom as it answered."""


class JoinedOracle(OracleBase):
    """The oracles of the sets, each asked for its own part; slacks and chances to fail add up."""

    __slots__ = ("S", "oracles")

    def __init__(self, S: Joined, oracles: list[Oracle]) -> None:
        self.S, self.oracles = S, oracles

    def argmin(self, g: Array, tol: float = 0.0, enough: float = -np.inf) -> Answer:
        S, share = self.S, tol / len(self.oracles)
        answers = []
        for T, oracle, part in zip(S.sets, self.oracles, S.slices(g), strict=True):
            answer = as_answer(oracle.argmin(part, share), T.shape)
            if not T.sized:
                T.saw(answer.atom)
            answers.append(answer)
        return Answer(S.joint(a.atom for a in answers), *_together(answers))

    def best(self, g: Array, m: int = 1, *, tol: float = 0.0, enough: float = -np.inf) -> Shortlist:
        S, share = self.S, tol / len(self.oracles)
        lists = [as_shortlist(oracle.best(part, m, tol=share), T, T.traits.owners)
                 for T, oracle, part in zip(S.sets, self.oracles, S.slices(g), strict=True)]
        block = S.joined(found.atoms for found in lists)
        return Shortlist(block, *_together(lists), owners=block.owners)

    def floor(self, g: Array, tol: float = 0.0) -> Floor:
        S = self.S
        floors = [as_floor(oracle.floor(part, tol / len(self.oracles)), T)
                  for T, oracle, part in zip(S.sets, self.oracles, S.slices(g), strict=True)]
        kind, delta = _promise([(f.kind, f.delta) for f in floors])
        return Floor(float(sum(f.lower for f in floors)), kind, delta, sum(f.sharpest for f in floors))

    def state(self) -> State:
        return {f"{i}.{name}": array for i, oracle in enumerate(self.oracles) for name, array in oracle.state().items()}

    def restore(self, state: State) -> None:
        for i, oracle in enumerate(self.oracles):
            oracle.restore(under(str(i), state))


def _together(answers: Sequence[Answer | Shortlist]) -> tuple[float, Kind, float]:
    """The slack of all answers together, and what it promises."""
    kind, delta = _promise([(a.kind, a.delta) for a in answers])
    return float(sum(a.slack for a in answers)), kind, delta


def _promise(promises: Sequence[tuple[Kind, float]]) -> tuple[Kind, float]:
    """The weakest kind, and the sum of the chances to fail; from one on nothing is promised."""
    kind, delta = max((kind for kind, _ in promises), key=KINDS.index), float(sum(delta for _, delta in promises))
    return ("estimate", 0.0) if delta >= 1.0 and kind == "probability" else (kind, delta)


def checked_sets(name: str, sets: Sequence[Any]) -> None:
    """Raise unless there is at least one set, and nothing else."""
    check(len(sets) > 0, f"{name}() was given no set; at least one is wanted, as in {name}(Simplex(3), Simplex(5)).")
    for i, S in enumerate(sets):
        if not isinstance(S, AtomSet):
            star = " Unpack a list with a star." if isinstance(S, (list, tuple)) else ""
            raise GreedyhullError(f"{name} was given {shown(S)} as its set number {i}; a set of atoms such as Simplex(d) is "
                                  f"wanted.{star}")


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

    def __init__(self, *sets: AtomSet) -> None:
        checked_sets("Product", sets)
        flat = [T for S in sets for T in (S.sets if isinstance(S, Product) else (S,))]
        ends = np.cumsum([0, *(prod(S.shape) for S in flat)])
        self._join(flat, ends[:-1].tolist(), (int(ends[-1]),))

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

    @cached_property
    def _totals(self) -> Array | None:
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
    def traits(self) -> SetTraits:  # type: ignore[override]
        return super().traits._replace(faces=all(S.traits.faces for S in self.sets))

    def _region(self) -> RowsRegion | None:
        return self._rows

    @cached_property
    def _rows(self) -> RowsRegion | None:
        if not all(isinstance(S, Polytope | Birkhoff) for S in self.sets):
            return None
        return side_by_side([S.traits.region for S in self.sets], TOGETHER, DENSE)

    def within(self, w: Array, g: Array) -> Atom:
        parts = zip(self._faced(), self.slices(w), self.slices(g), strict=True)
        return self.joint(S.within(x, part) for S, x, part in parts)

    def room(self, w: Array, v: Array) -> float:
        return min(S.room(x, part) for S, x, part in zip(self._faced(), self.slices(w), self.slices(v), strict=True))

    def _faced(self) -> list[AtomSet]:
        return [S for S in self.sets if S.traits.faces]

    def sizes(self) -> Sizes:
        sizes = [S.sizes() for S in self.sets]
        D, r = (length(np.array([float(s[i]) for s in sizes])) for i in (0, 1))
        return Sizes(Constant(D, _status(s.diameter for s in sizes), "D"),
                     Constant(r, _status(s.circumradius for s in sizes), "r_S"))

    def radius_around(self, x: Array) -> Constant:
        found = [S.radius_around(part) for S, part in zip(self.sets, self.slices(x), strict=True)]
        return Constant(length(np.array([float(R) for R in found])), _status(found), "R")


def _status(constants: object) -> Status:
    """That of a sum: exact where all are, an estimate where one is."""
    told = {c.status for c in constants}  # type: ignore[attr-defined]
    return "exact" if told == {"exact"} else "upper bound" if told <= {"exact", "upper bound"} else "estimated"


class Sum(Joined):
    """Minkowski sum {w₁ + … + w_K : w_b a point of S_b}.

    A point keeps the atoms of each set by themselves, and their weights sum to one for each set; ``point.owners`` says whose
    an atom is. So the answer comes with its parts: smooth plus sparse, a trend plus a few jumps.

    Parameters
    ----------
    *sets : AtomSet
        The sets, all of one shape. Sums among them are taken apart.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> S = gh.Sum(gh.L1Ball(3, 1.0), gh.LinfBall(3, 0.5))
    >>> gh.minimize(gh.least_squares(np.eye(3), np.array([3.0, 0.4, 0.2])), S, stop=gh.Gap(1e-9)).x.round(4)
    array([1.5, 0.4, 0.2])
    """

    def __init__(self, *sets: AtomSet) -> None:
        checked_sets("Sum", sets)
        flat = [T for S in sets for T in (S.sets if isinstance(S, Sum) else (S,))]
        for i, S in enumerate(flat):
            if S.shape != flat[0].shape:
                raise GreedyhullError(f"The sets of a sum must have points of one shape: {flat[0]!r} has {flat[0].shape}, and "
                                      f"{S!r}, number {i}, has {S.shape}. To put points side by side, use Product.")
        for S in flat:
            agree(flat[0], S, "The sets of a sum")
        self._join(flat, [0] * len(flat), flat[0].shape)

    def contains(self, w: Any, tol: float = 1e-9) -> bool:
        return self.holds_parts(w, tol) or self._has(array_of(w), tol)

    def contains_quickly(self, w: Iterate) -> bool | None:
        """None: the weights of its atoms are the proof."""
        return None

    def excludes(self, w: Any, tol: float = 1e-9) -> bool:
        return not self.holds_parts(w, tol) and super().excludes(w, tol)

    def holds_parts(self, w: Any, tol: float) -> bool:
        """Whether w is kept as a mixture of atoms for each set, whose parts the sets contain."""
        if not isinstance(w, Iterate) or w.owners is None or w.shape != self.shape or not owners_agree(w, self):
            return False
        if not (w.weights >= 0.0).all() or not (np.abs(w.totals - 1.0) <= 1e-9).all():
            return False
        return all(S.contains(part, tol) for S, part in zip(self.sets, self.parts(w), strict=True))

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
        sizes = [S.sizes() for S in self.sets]
        D, r = (float(sum(float(s[i]) for s in sizes)) for i in (0, 1))
        return Sizes.of(D, r, "exact" if len(sizes) == 1 and sizes[0].diameter.status == "exact" else "upper bound")


Sum._decides = False  # without the parts of a point it searches


def lowest_of_each(scores: Array, starts: Index, m: int) -> Index:
    """Return the places of the m least scores of each segment, the least first; segment i ends where i + 1 starts.

    >>> lowest_of_each(np.array([3.0, 1.0, 2.0, 5.0, 4.0]), np.array([0, 3, 5]), 2)
    array([1, 2, 4, 3])
    """
    lengths = np.diff(starts)
    L = int(lengths[0])
    if not (lengths == L).all():
        owners = np.repeat(np.arange(len(lengths)), lengths)
        if m == 1:
            hits = (scores <= np.minimum.reduceat(scores, starts[:-1])[owners]).nonzero()[0]
            return hits[np.unique(owners[hits], return_index=True)[1]]
        order = np.lexsort((scores, owners))  # by segment, in each by score; equal scores stay in their order
        return order[np.arange(len(order)) - starts[owners] < m]
    table = scores.reshape(-1, L)
    if m == 1:
        return np.asarray(starts[:-1] + table.argmin(axis=1))
    if m < L:
        some = np.sort(np.argpartition(table, m - 1, axis=1)[:, :m], axis=1)
        order = np.take_along_axis(table, some, axis=1).argsort(axis=1, kind="stable")
        places = np.take_along_axis(some, order, axis=1)
    else:
        places = table.argsort(axis=1, kind="stable")
    return np.asarray((starts[:-1, None] + places).ravel())


@dataclass(frozen=True, eq=False)
class BasisTable:
    """The atoms scaleᵢ·e_indexᵢ of several sets, those of each next to each other from ``starts`` on."""

    size: int
    index: Index
    scale: Array
    starts: Index
    owners: Index

    @classmethod
    def of(cls, sets: Sequence[AtomSet], offsets: Sequence[int], size: int) -> BasisTable | None:
        """The table of all atoms; None where a set cannot list them, or they have more than one entry."""
        index, scale, lengths = [], [], []
        for S, offset in zip(sets, offsets, strict=True):
            known = listed(S)
            block = None if known is None or type(S).oracle is not AtomSet.oracle else known.block(np.arange(len(known)))
            if not isinstance(block, BasisBlock):
                return None
            index.append(block.index + offset)
            scale.append(block.scale)
            lengths.append(len(block))
        owners = np.repeat(np.arange(len(lengths)), lengths)
        return cls(size, np.concatenate(index), np.concatenate(scale) + 0.0, np.cumsum([0, *lengths]), owners)

    def lowest(self, g: Array, m: int) -> Index:
        return lowest_of_each(g[self.index] * self.scale, self.starts, m)

    def argmin(self, g: Array) -> list[Basis]:
        at = self.lowest(g, 1)
        return [Basis(j, s) for j, s in zip(self.index[at].tolist(), self.scale[at].tolist(), strict=True)]

    def best(self, g: Array, m: int) -> OwnedBlock:
        at = self.lowest(g, m)
        return OwnedBlock(BasisBlock(self.size, self.index[at], self.scale[at]), self.owners[at])

    def max_abs(self, c: Array) -> float:
        return float(np.maximum.reduceat(c[self.index] * np.abs(self.scale), self.starts[:-1]).sum())
