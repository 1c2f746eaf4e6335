"""Points of the hull as atoms and weights, and the moves that change them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from math import isfinite, prod
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.points.arrays import grown
from greedyhull.points.blocks import block_from, block_state, checked_block, dimensions, numbers, under
from greedyhull.points.direction import Direction, outside
from greedyhull.points.factors import Factors, check_size, entries_of, factors_of
from greedyhull.points.owners import Joint, Owned, OwnedBlock, farthest_pair, normalised, own_part, toward_parts
from greedyhull.points.shapes import Basis, BasisBlock, dense
from greedyhull.points.validate import as_atom
from greedyhull.types import Array, Atom, AtomSet, Block, Gradient, Index, Shape, State


class Work:
    """The cost of a solve so far: gradients, and products with the data in units of one full pass."""

    gradients, products = 0, 0.0


class Active(NamedTuple):
    """An atom of the iterate, with its place, weight and score ⟨g, atom⟩."""

    place: int
    atom: Atom
    weight: float
    score: float


class View:
    """A linear image of the iterate that follows its moves; it is saved with a run."""

    __slots__ = ()
    if TYPE_CHECKING:
        name: str
        _direction: Callable[[Direction], Array]
        moved: Callable[[Direction, float], None]
        refresh: Callable[[Iterate], None]
        state: Callable[[], State]
        restore: Callable[[State], None]

    def direction(self, move: Direction) -> Array:
        """The image of a direction, computed once for each."""
        return move.image(self, self._direction)


class Iterate:
    """A point of the hull as atoms and weights, with the views that follow it.

    >>> from greedyhull.points.shapes import Basis
    >>> w = Iterate.at(Basis(0, 2.0), (3,))
    >>> w.move(w.toward(Basis(2, -2.0)), 0.25)
    >>> w.array()
    array([ 1.5,  0. , -0.5])
    """

    keeps_atoms = True
    weights: Array  # of the atoms, positive, summing to one; for a product, those of each factor

    def __init__(self, block: Block, weights: Array | list[float], shape: tuple[int, ...]) -> None:
        self.block, self.shape = block, shape
        self.weights = self._room = np.array(weights, dtype=np.float64)
        self._index: dict[Hashable, int] | None = None
        if len(self.weights) != len(block):
            raise GreedyhullError(f"An iterate was given {len(block)} atoms and {len(self.weights)} weights. Give one weight "
                                  "for each of the atoms.")
        self.views: dict[Any, View] = {}
        self.pending: dict[str, State] = {}
        self.work, self.step = Work(), np.nan
        self._scored: tuple[Gradient, Array] | None = None
        self._emptied = False  # whether the move under way has used an atom up

    @classmethod
    def at(cls, atom: Atom, shape: tuple[int, ...]) -> Iterate:
        """Return the iterate of one atom; of a `Joint`, all of its parts."""
        size = shape[0] if len(shape) == 1 else prod(shape)
        if type(atom) is Basis and type(atom.index) is int and 0 <= atom.index < size and (
                type(atom.scale) is float and isfinite(atom.scale)):
            return cls(BasisBlock(size, [atom.index], [atom.scale]), [1.0], shape)
        d = as_atom(atom, shape)
        block = checked_block(d.block(size), type(d))
        return cls(block, [1.0] * len(block), shape)

    @property
    def _places(self) -> dict[Hashable, int]:
        """The place of each atom by key, made on first use."""
        if self._index is None:
            self._index = {key: i for i, key in enumerate(self.block.keys)}
        return self._index

    def merged(self) -> Iterate:
        """Merge equal atoms: the first takes the weights of the others."""
        first: dict[Hashable, int] = {}
        place = [first.setdefault(key, len(first)) for key in self.block.keys]
        if len(first) < len(place):
            _, where = np.unique(place, return_index=True)
            self.weights = self._room = np.bincount(place, weights=self.weights).astype(np.float64)
            self.block = self.block.take(where)
        self._index, self._scored = first, None
        return self

    # --- what it is -----------------------------------------------------------------------------------------------

    @property
    def owners(self) -> Index | None:
        """The owner of each atom of a point of a product; None for other points."""
        return self.block.owners if self.keeps_atoms else None

    @property
    def totals(self) -> Array:
        """The sum of the weights of each owner, which is one."""
        owners = self.owners
        return np.array([self.weights.sum()]) if owners is None else np.bincount(owners, weights=self.weights)

    @property
    def atoms(self) -> Block:
        """The atoms with positive weight."""
        return self.block

    def __len__(self) -> int:
        return len(self.weights)

    def __repr__(self) -> str:
        return f"Iterate({len(self.block)} atom{'' if len(self.block) == 1 else 's'} in shape {self.shape})"

    def array(self) -> Array:
        """The coordinates Σ αᵢ dᵢ as a new float64 array; an error for a matrix of factors that would take over 2 GiB."""
        if len(self.shape) == 2:
            check_size(self.shape, self.block)
        x = np.zeros(self.shape)
        self.block.add_to(x, self.weights)
        return x

    def factors(self) -> Factors:
        """A matrix as ``U, sigma, V``: orthonormal columns and singular values, the largest first."""
        return factors_of(self)

    def entries(self, rows: Any, cols: Any) -> Array:
        """The entries of a matrix at pairs of places, without the matrix if it is kept by factors."""
        return entries_of(self, rows, cols)

    def absolute(self) -> Array:
        """Σ αᵢ |dᵢ|: the coordinates if nothing cancelled, to which their rounding is relative."""
        x = np.zeros(self.shape)
        self.block.add_sizes_to(x, self.weights)
        return x

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """``np.asarray(point)``: the coordinates, always in a new array."""
        if copy is False:
            raise ValueError("A point keeps no array of its coordinates, so they cannot be had without a copy. Use "
                             "np.asarray(point).")
        return self.array() if dtype is None else self.array().astype(dtype, copy=False)

    def dot(self, g: Gradient) -> float:
        """⟨g, w⟩ = Σ αᵢ ⟨g, dᵢ⟩."""
        return float(self.weights.dot(self.scores(g)))

    def scores(self, g: Gradient) -> Array:
        """⟨g, dᵢ⟩ for every atom; kept for the last g."""
        if self._scored is None or self._scored[0] is not g:
            self._scored = (g, self.block.dots(g))
        return self._scored[1]

    def best(self, g: Gradient) -> Active:
        """The atom of the iterate with the least ⟨g, ·⟩."""
        return self._active(int(self.scores(g).argmin()), g)

    def worst(self, g: Gradient) -> Active:
        """The atom of the iterate with the largest ⟨g, ·⟩: the one to move away from."""
        return self._active(int(self.scores(g).argmax()), g)

    def farthest(self, g: Gradient) -> tuple[Active, Active]:
        """The worst and the best atom of the owner for which their scores differ most."""
        if type(self.block) is not OwnedBlock:
            return self.worst(g), self.best(g)
        worst, best = farthest_pair(self.scores(g), self.block.owners)
        return self._active(worst, g), self._active(best, g)

    def _active(self, i: int, g: Gradient) -> Active:
        return Active(i, self.block[i], float(self.weights[i]), float(self.scores(g)[i]))

    def find(self, atom: Atom) -> int | None:
        """The place of ``atom`` among the atoms, or None."""
        return self._places.get(self.block.key_of(atom))

    # --- where it can go ------------------------------------------------------------------------------------------

    def toward(self, d: Atom, owner: int | None = None) -> Direction:
        """d − w: a Frank-Wolfe step. With an ``owner``, d_b − w_b: a reweighting of the atoms of that owner alone."""
        if owner is not None or (type(d) is Joint and self.keeps_atoms):
            return toward_parts(self, d, owner)
        v = Direction((d,), (1.0,), 1.0, 1.0)
        v.single = d
        return v

    def away_from(self, d: Active) -> Direction:
        """w − d: an away step, at most until d is gone."""
        check(self.owners is None, lambda: f"A step away from one atom was asked for at {self!r}, which has several owners: "
              "the weights of the others would no longer sum to one. Use w.farthest(g) and w.between.")
        return Direction((d.atom,), (-1.0,), -1.0, d.weight / max(1.0 - d.weight, 1e-300))

    def between(self, worst: Active, best: Atom) -> Direction:
        """d − d': a pairwise step that moves weight from ``worst`` to ``best``, or to its part of the same owner."""
        if type(worst.atom) is Owned:
            best = own_part(best, worst.atom.owner)
        return Direction((best, worst.atom), (1.0, -1.0), 0.0, worst.weight)

    def reweighting(self, block: Block, base: Array, change: Array) -> Direction:
        """Σ changeᵢ dᵢ with Σ changeᵢ = 0: many weights at once, from ``base`` to ``base + change`` at step 1.

        ``block`` holds every atom of the iterate, and maybe more whose weight is still zero.
        """
        return Direction(block, change, 0.0, 1.0, base)

    def move(self, v: Direction, step: float) -> None:
        """w ← w + step·v: atoms without weight leave, and every view follows."""
        if not 0.0 <= step <= v.max_step:
            raise GreedyhullError(outside(step, v))
        for view in self.views.values():
            view.moved(v, step)
        self.step = step
        self._scored, terms = None, v.terms
        if v.drift:
            self.weights *= 1.0 - v.drift * step
        if not isinstance(terms, tuple):
            self.assign(terms, v.base + step * v.coefficients)
            return
        self._add(terms[0], v.coefficients[0] * step)
        if len(terms) > 1:
            for atom, c in zip(terms[1:], v.coefficients[1:], strict=True):
                self._add(atom, c * step)
        if step >= v.max_step or self._emptied:
            self._drop(v)

    def _add(self, atom: Atom, c: float) -> None:
        index = self._index or self._places
        place = index.get(self.block.key_of(atom))
        if place is not None:
            weight = self.weights.item(place) + c
            if weight < 0.0:  # by a rounding error, as a step of almost all of the weight may do
                if weight < -1e-9:  # a weight that falls below zero by more was not there to be taken
                    raise GreedyhullError(f"A move would leave {atom!r} with the weight {weight:g}. A step may take no more "
                                          "than the weight that an atom has.")
                weight, self._emptied = 0.0, True
            self.weights[place] = weight
            return
        if c == 0.0:  # a step of length zero brings no atom in
            return
        if not c > 0.0:
            raise GreedyhullError(f"A move would take the weight {-c:g} from {atom!r}, which the point does not have. A "
                                  "direction may lead away from atoms of the point only.")
        place = len(self.weights)
        block = self.block.append(atom)
        widened = block is not self.block
        if widened:  # the block took a wider shape, and with it other keys
            self.block, self._index = block, None
        self._places[block.keys[place]] = place
        self._room = grown(self._room, place)
        self._room[place] = c
        self.weights = self._room[: place + 1]
        if widened and len(self._places) < len(self.block):  # two that were told apart by their names are one
            self.merged()

    def _drop(self, v: Direction) -> None:
        """Drop the atoms whose weight the move used up; rounding may leave a little of it."""
        weights, spent = self.weights, self.block.key_of(v.terms[-1])
        if v.drift < 0.0 or (v.drift == 0.0 and self.block.key_of(v.terms[0]) != spent):  # weight may go to the same atom
            weights[self._places[spent]] = 0.0
        self._emptied = False
        if not weights.all():
            self.assign(self.block, weights)

    def assign(self, block: Block, weights: Array) -> None:
        """Become Σ weightsᵢ dᵢ, of the atoms with positive weight."""
        keep = (weights > 0.0).nonzero()[0]
        self.hold(block.take(keep), weights[keep])

    def hold(self, block: Block, weights: Array) -> None:
        """Become Σ weightsᵢ dᵢ without a copy; all weights are positive, and the caller keeps neither argument."""
        self.block, self.weights, self._room, self._index, self._scored = block, weights, weights, None, None

    # --- views, copies, saved states ------------------------------------------------------------------------------

    def view(self, key: Any, make: Callable[[], Any]) -> Any:
        """The view kept under ``key``, made (and restored, after a resume) on the first call."""
        found = self.views.get(key)
        if found is None:
            found = make()
            if found.name in self.pending:
                found.restore(self.pending.pop(found.name))
            else:
                found.refresh(self)
            self.views[key] = found
        return found

    def refresh(self) -> None:
        """Make the weights (of each owner) sum to one again, without those that underflowed, and recompute every view."""
        if not self.weights.all():
            self.assign(self.block, self.weights)
        self.weights[:] = normalised(self.weights, self.owners)
        self._scored = None
        for view in self.views.values():
            view.refresh(self)

    def become(self, other: Iterate) -> None:
        """Become the point ``other``, of the same kind, and take over its views."""
        self.assign(other.block, other.weights)
        self._follow(other)

    def _follow(self, other: Iterate) -> None:
        self.step = other.step
        for key, view in self.views.items():
            if key in other.views:
                view.restore(other.views[key].state())
            else:
                view.refresh(self)

    def copy(self) -> Iterate:
        """Return the same point without views."""
        return Iterate(self.block.take(np.arange(len(self.block))), self.weights, self.shape)

    def state(self) -> State:
        state = {f"block.{name}": array for name, array in block_state(self.block).items()}
        return {**state, "weights": self.weights.copy(), "shape": np.array(self.shape), **self._history()}

    def _history(self) -> State:
        """Return the state of the work, of the last step and of the views."""
        views = {f"view.{view.name}.{name}": array for view in self.views.values() for name, array in view.state().items()}
        return {"work": np.array([self.work.gradients, self.work.products]), "step": np.array(self.step), **views}

    @staticmethod
    def restored(state: State) -> Iterate:
        """Return the iterate with this state; its views are restored when their objectives need them."""
        block = block_from(under("block", state))
        return Iterate(block, numbers(state, "weights", (None,)), dimensions(state, "shape"))._resumed(state)

    def _resumed(self, state: State) -> Self:
        gradients, products = state["work"].tolist()
        self.work.gradients, self.work.products, self.step = int(gradients), products, float(state["step"])
        for name, array in under("view", state).items():
            view, item = name.split(".", 1)
            self.pending.setdefault(view, {})[item] = array
        return self


def wrong_weights(w: Iterate, moves: int) -> str | None:
    """Return what is wrong with the weights of a mixture, if anything."""
    weights, whose = w.weights, "its weights"
    few = weights.tolist() if len(weights) <= 32 else None  # faster than an array up to that length
    total = float(weights.sum()) if few is None else sum(few)
    if not isfinite(total) and not np.isfinite(weights).all():  # the sum is not finite where one of them is not
        return "some of its weights are NaN or infinite"
    least = float(weights.min()) if few is None else min(few)
    if least < 0.0:
        return f"one of its weights is {least:.3g}, below zero"
    if w.block.owners is not None:
        owner = int(np.abs(w.totals - 1.0).argmax())
        total, whose = float(w.totals[owner]), f"its weights of owner {owner}"
    if abs(total - 1.0) > 2.0**-52 * (16.0 + 8.0 * len(weights) + 8.0 * moves):
        return f"{whose} sum to {total:.10g}, not to one"
    return None


def owners_agree(w: Iterate, S: AtomSet) -> bool:
    """Return whether w keeps atoms of each of the owners that S has, and of no other."""
    said = S.traits.owners
    if w.owners is None:
        return said == 1
    return isinstance(said, (int, np.integer)) and set(w.owners.tolist()) == set(range(said))


def inner_products(rows: Block, cols: Block, shape: Shape) -> Array:
    """⟨aᵢ, bⱼ⟩ for the atoms aᵢ of ``rows`` and bⱼ of ``cols``."""
    if isinstance(rows, BasisBlock) and isinstance(cols, BasisBlock):
        same = rows.index[:, None] == cols.index
        return np.where(same, rows.scale[:, None] * cols.scale, 0.0)
    out = np.zeros((len(rows), len(cols)))
    for j in range(len(cols)):
        out[:, j] = rows.dots(dense(cols[j], shape))
    return out


def squares(block: Block, shape: Shape) -> Array:
    """‖dᵢ‖² for the atoms of a block."""
    if isinstance(block, BasisBlock):
        return np.asarray(block.scale * block.scale)
    return np.array([float(block[i].dot(dense(block[i], shape))) for i in range(len(block))])
