"""The joint choice over (η, atom to add, atom to drop): the swaps d_j − d_i, and the moves toward an atom."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from greedyhull.points.active import Active
from greedyhull.points.direction import Direction
from greedyhull.points.gradients import as_array
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.parts.joint.choice import Choice, closed, decreases, searched
from greedyhull.solvers.parts.joint.closed_form import ENTRIES, ClosedForm
from greedyhull.solvers.parts.joint.search import search
from greedyhull.solvers.parts.memory import Memory
from greedyhull.types import Answer, Array, Atom, AtomSet, Imaged, Objective
from greedyhull.types.kinds import listed

SHARE = 0.1  # how much of the best decrease branch and bound may leave on the table
BLIND = 1e-13  # a decrease that is a smaller part of f drowns in the rounding of values; slopes still tell it


def swaps(f: Objective, S: AtomSet, w: Iterate, memory: Memory) -> ListedPairs | VertexPairs:
    """How to choose among the swaps: all of them for a quadratic over listed atoms, else those that add one atom."""
    atoms, quadratic = listed(S), closed(f)
    if atoms is None or quadratic is None:
        return VertexPairs(f, S)
    return ListedPairs(quadratic, memory.part("joint", lambda: ClosedForm(quadratic, atoms, w)))


def swap(w: Iterate, i: int, d: Atom) -> Direction:
    """d − d_i, at most until the weight of d_i is used up."""
    return w.between(Active(i, w.block[i], float(w.weights[i]), np.nan), d)


class ListedPairs:
    """A quadratic over listed atoms: every swap in closed form.

    f(w + η(d_j − d_i)) = f(w) + (s_j − s_i)η + ½(E_j + E_i − 2G_ij)η² for 0 ≤ η ≤ α_i, where s are the scores ⟨∇f, ·⟩,
    E the energies and G_ij = d_iᵀHd_j. The row G_i· costs one product with the data when d_i joins, and is dropped
    when d_i leaves.
    """

    def __init__(self, f: Imaged, form: ClosedForm) -> None:
        self.f, self.form = f, form
        self.slots: dict[Hashable, int] = {}
        self.rows = np.zeros((0, len(form.energies)))
        self.energies = np.zeros(0)

    def best(self, w: Iterate, answer: Answer) -> Choice:
        """The best of all swaps and all moves toward an atom."""
        form, g = self.form, as_array(self.f.gradient(w))
        slots, scores, own, weights = self._slots(w), form.S.scores(g), w.scores(g), w.weights
        toward = decreases(*form.lines(w), 1.0)
        j = int(toward.argmax())
        most, move = float(toward[j]), w.toward(form.S[j])
        size = max(1, ENTRIES // len(scores))
        for first in range(0, len(w), size):
            part = slice(first, first + size)
            at = slots[part]
            bends = np.maximum(form.energies + self.energies[at, None] - 2.0 * self.rows[at], 0.0)
            fall = decreases(scores - own[part, None], bends, weights[part, None])
            i, j = divmod(int(fall.argmax()), len(scores))
            if fall[i, j] > most:
                most, move = float(fall[i, j]), swap(w, first + i, form.S[j])
        return searched(self.f, w, move, form.rounding(w))

    def _slots(self, w: Iterate) -> Array:
        """Where the rows of w's atoms are; the rows of atoms that left are given to those that joined."""
        keys = w.block.keys
        kept = {key: self.slots[key] for key in keys if key in self.slots}
        if len(keys) > len(self.rows):
            more = 2 * len(keys) + 8 - len(self.rows)
            self.rows = np.concatenate([self.rows, np.zeros((more, self.rows.shape[1]))])
            self.energies = np.concatenate([self.energies, np.zeros(more)])
        free = iter(sorted(set(range(len(self.rows))) - set(kept.values())))
        for i, key in enumerate(keys):
            if key not in kept:
                kept[key] = slot = next(free)
                atom = w.block[i]
                Hd = self.f.hessian_product(w, atom.image(self.f.design), atom)
                self.rows[slot], self.energies[slot] = self.form.S.scores(Hd), atom.dot(Hd)
                w.work.products += 1.0
        self.slots = kept
        return np.array([kept[key] for key in keys])


class VertexPairs:
    """Any convex f over any set: the oracle's atom d in exchange for each atom of w, and the move toward d.

    Closed form for quadratics; otherwise branch and bound, which may leave a ``share`` of the best decrease.
    """

    def __init__(self, f: Objective, S: AtomSet, share: float = SHARE) -> None:
        self.f, self.S, self.share = f, S, share
        self.quadratic = closed(f)
        self.energies: dict[Hashable, float] = {}

    def best(self, w: Iterate, answer: Answer) -> Choice:
        """The best swap for the oracle's atom, or the move toward it."""
        f, d, g = self.f, answer.atom, self.f.gradient(w)
        toward = searched(f, w, w.toward(d))
        slopes = np.asarray(d.dot(g) - w.scores(g), dtype=np.float64)
        if self.quadratic is not None:
            i = int(decreases(slopes, self._bends(self.quadratic, w, d), w.weights).argmax())
            found = searched(f, w, swap(w, i, d))
            found = found if found.value < toward.value else toward
        else:
            found = search(f, w, slopes, w.weights.copy(), lambda i: swap(w, i, d), toward, share=self.share)
            if f.value(w) - found.value <= BLIND * abs(f.value(w)):
                moves = [w.toward(d), *(swap(w, i, d) for i in np.flatnonzero(slopes < 0.0).tolist())]
                least = found.value - found.error
                found = max((_by_slopes(f, w, move) for move in moves), key=lambda pair: pair[0])[1]
                found = found._replace(error=max(found.value - least, 0.0))
        return found._replace(error=found.error + f.rounding(w, self.S))

    def _bends(self, f: Imaged, w: Iterate, d: Atom) -> Array:
        """(d − d_i)ᵀH(d − d_i) for every atom d_i of w."""
        Hd = f.hessian_product(w, d.image(f.design), d)
        w.work.products += 1.0
        known = self.energies
        for i, key in enumerate(w.block.keys):
            if key not in known:
                known[key] = float(f.hessian_diagonal(w, w.block.take(np.array([i])))[0])
        self.energies = {key: known[key] for key in w.block.keys}
        own = np.array(list(self.energies.values()))
        return np.asarray(np.maximum(own + d.dot(Hd) - 2.0 * w.block.dots(Hd), 0.0))


def _by_slopes(f: Objective, w: Iterate, move: Direction) -> tuple[float, Choice]:
    """The best step along a move, and its decrease by the trapezoidal rule, −½η(h'(0) + h'(η)): exact for parabolas, as
    which short steps pass, and without the cancellation of values."""
    line = f.along(w, move)
    step = line.argmin()
    fall = -0.5 * step * (line.slope + line.derivative(step))
    return fall, Choice(move, step, line.value(step))
