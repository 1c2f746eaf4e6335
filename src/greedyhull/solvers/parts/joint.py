"""The joint choice of a step and an atom (Jones), for f, for a minibatch and for a model: closed form, or branch and bound."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache
from heapq import heapify, heappop, heappush
from math import isfinite, isnan, nan
from typing import NamedTuple, TypeAlias

import numpy as np

from greedyhull.atoms.geometry import rows
from greedyhull.objectives.black_box import BlackBox
from greedyhull.objectives.lines import NEAR
from greedyhull.objectives.minibatches import Batch
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.direction import Direction
from greedyhull.points.gradients import as_array
from greedyhull.points.iterate import Active, Iterate
from greedyhull.points.shapes import BasisBlock
from greedyhull.solvers.parts.kept import Remembered
from greedyhull.solvers.parts.solver_state import SolverState
from greedyhull.types import (
    Answer,
    Array,
    Atom,
    AtomSet,
    Finite,
    Imaged,
    Line,
    Minibatch,
    Objective,
    Oracle,
    imaged,
    linear_model,
    listed,
)


class Bracket:
    """A convex h on [a, b], above its tangents at both ends; ``right`` is nan until h is evaluated at b."""

    __slots__ = ("a", "b", "bend", "high", "left", "low", "open", "probes", "right")

    def __init__(self, start: float, slope: float, cap: float, limit: float) -> None:
        self.a, self.low, self.left, self.bend = 0.0, start, slope, 0.0
        self.b, self.high, self.right, self.open = min(cap, limit), nan, nan, limit <= cap  # h is finite only below limit
        self.probes = 0

    def bound(self) -> float:
        """No value of h on [a, b] is below this: the height at which the two tangents meet."""
        if isnan(self.right):
            return self.low + self.left * (self.b - self.a)
        return min(self.low + self.left * (self.crossing() - self.a), self.low, self.high)

    def crossing(self) -> float:
        turn = self.right - self.left
        if turn <= 0.0:
            return self.b
        t = (self.low - self.high + self.right * self.b - self.left * self.a) / turn
        return min(max(t, self.a), self.b)

    def next(self, level: float) -> float:
        """Where to evaluate h next, if only minima below ``level`` matter."""
        a, b = self.a, self.b
        if isnan(self.right):
            if self.probes == 0:  # the left tangent meets the level at x; a parabola with its vertex left of 1.8x stays above
                x = 1.8 * (level - self.low) / self.left if level < self.low else b
            elif self.bend > 0.0:  # beyond where the slope seems to vanish, and further beyond each time
                x = a - 0.75 * 2.0**self.probes * self.left / self.bend
            else:
                x = 0.5 * (a + b) if self.open else b
            end = a + NEAR * (b - a) if self.open else b
            return min(x, end) if x > a else end
        x = a - self.left * (b - a) / (self.right - self.left) if self.probes % 2 else self.crossing()
        return x if a < x < b else 0.5 * (a + b)

    def cut(self, x: float, value: float, slope: float) -> None:
        self.probes += 1
        if not (isfinite(value) and isfinite(slope)):
            self.b, self.high, self.right, self.open = x, nan, nan, True
        elif slope >= 0.0:
            self.b, self.high, self.right, self.open = x, value, slope, False
        elif x < self.b:
            self.bend = (slope - self.left) / (x - self.a)
            self.a, self.low, self.left = x, value, slope
        else:  # still falling at the end: the minimum is there
            self.a, self.low, self.left, self.high, self.right = x, value, 0.0, value, 0.0

    def spent(self) -> bool:
        """Whether further values would show only rounding."""
        return self.probes >= 40 or self.b - self.a <= 4e-16 * self.b


class Choice(NamedTuple):
    """A move, how far to follow it, and f there. No candidate leads below ``value − error``: the error is proved."""

    move: Direction
    step: float
    value: float
    error: float = 0.0


Mover: TypeAlias = Callable[[Iterate, Answer, int], Choice]  # (w_k, the oracle's answer there, k) to what is done there


def closed(f: Objective) -> Imaged | None:
    """f as a quadratic that knows its Hessian on images, if it is one."""
    return imaged(f) if f.traits.quadratic else None


def searched(f: Objective, w: Iterate, move: Direction, error: float = 0.0) -> Choice:
    line = f.along(w, move)
    step = line.argmin()
    return Choice(move, step, line.value(step), error)


def decreases(slopes: Array, bends: Array, caps: Array | float) -> Array:
    """max over 0 ≤ η ≤ cap of −slope·η − ½bend·η², for arrays of parabolas."""
    down = np.maximum(-slopes, 0.0)
    steps = np.minimum(np.divide(down, bends, out=np.full(np.shape(bends), np.inf), where=bends > 0.0), caps)
    return np.asarray(steps * (down - 0.5 * steps * bends))


ENTRIES = 2**21  # how many entries of images are held at once while the energies are computed


class ClosedForm(Remembered):
    """f(w + η(d_j − w)) = f(w) + slope_j η + ½bend_j η² for every atom d_j at once, where with H = ∇²f

    slope_j = ⟨∇f(w), d_j − w⟩ and bend_j = d_jᵀHd_j − 2 d_jᵀHw + wᵀHw.

    The energies d_jᵀHd_j are computed once, and so is Hw − ∇f(w), which for a quadratic is the same at every w: an
    iteration needs the gradient and O(number of atoms) more.
    """

    kept_arrays = ("shift",)  # computed elsewhere it would differ by rounding

    def __init__(self, f: Imaged, S: Finite, w: Iterate) -> None:
        self.f, self.S = f, S
        z = f.at(w).z
        self.energies = energies_of(f, S, w)
        self.largest = float(self.energies.max())
        self.shift: Array = f.hessian_product(w, z) - as_array(f.gradient(w))
        w.work.products += 2.0

    def bends(self, w: Iterate) -> Array:
        Hw = as_array(self.f.gradient(w)) + self.shift
        return np.asarray(np.maximum(self.energies - 2.0 * self.S.scores(Hw) + w.dot(Hw), 0.0))

    def best(self, w: Iterate, cap: float) -> Atom:
        """The atom of the lowest point over η in [0, cap] and all atoms."""
        return self.S[int(decreases(slopes_of(self.f, self.S, w), self.bends(w), cap).argmax())]

    def best_at(self, slopes: Array, w: Iterate, eta: float) -> Atom:
        """The atom of the lowest point over all atoms at the step η."""
        return self.S[int((slopes + 0.5 * eta * self.bends(w)).argmin())]

    def jointly(self, w: Iterate, answer: Answer, tol: float) -> Choice:
        return searched(self.f, w, w.toward(self.best(w, 1.0)), self.rounding(w))

    def at(self, w: Iterate, answer: Answer, eta: float, tol: float) -> Choice:
        move = w.toward(self.best_at(slopes_of(self.f, self.S, w), w, eta))
        return Choice(move, eta, self.f.along(w, move).value(eta), self.rounding(w))

    def rounding(self, w: Iterate) -> float:
        """Bound what rounding costs the choice, about n·eps·|terms|: every term of a bend is at most the largest energy, by
        Cauchy and Schwarz."""
        eps = float(np.finfo(self.shift.dtype).eps)
        terms = len(self.f.at(w).z) + len(w) + 16.0
        return float(2.0 * self.f.rounding(w, self.S) + 4.0 * eps * terms * self.largest)


def slopes_of(f: Objective, S: Finite, w: Iterate) -> Array:
    """⟨∇f(w), d_j − w⟩ for all atoms of S."""
    return np.asarray(S.scores(as_array(f.gradient(w))) - f.gradient_dot(w), dtype=np.float64)


def energies_of(f: Imaged, S: Finite, w: Iterate) -> Array:
    """d_jᵀHd_j for all atoms of S; of a quadratic they are the same at every w."""
    coordinates, model = isinstance(S.block(np.arange(1)), BasisBlock), linear_model(f)  # coordinates need no images
    plain = model is not None and model.design.stored and not model.has_intercept and not model.l2
    if model is not None and plain and model.n < len(S) and not coordinates:  # with fewer rows than atoms, row by row
        curvatures = np.broadcast_to(model.curvatures(w), model.n)
        return sum((c * S.scores(a) ** 2 for c, a in zip(curvatures, rows(model.design), strict=True)), np.zeros(len(S)))
    size = len(S) if coordinates else max(1, ENTRIES // len(f.at(w).z))
    parts = [np.arange(a, min(a + size, len(S))) for a in range(0, len(S), size)]
    return np.asarray(np.maximum(np.concatenate([f.hessian_diagonal(w, S.block(part)) for part in parts]), 0.0))


EPS = float(np.finfo(np.float64).eps)
EXACT = 1e-9  # what counts as exact, relative to the decrease


def search(f: Objective, w: Iterate, slopes: Array, caps: Array, make: Callable[[int], Direction], first: Choice,
           tol: float = 0.0, share: float = EXACT) -> Choice:
    """The best (η, candidate), to within ``tol`` or a ``share`` of the decrease; j is ``make(j)``, up to ``caps[j]``."""
    start, best = f.value(w), first
    noise = 8.0 * EPS * abs(start)

    @lru_cache(maxsize=16)  # a line holds an image, and most are evaluated once
    def lines(j: int) -> tuple[Direction, Line]:
        move = make(j)
        return move, f.along(w, move)

    def level() -> float:
        return float(best.value - max(tol, share * (start - best.value), noise))

    roots = start + slopes * caps
    open_ = np.flatnonzero((roots < level()) & (slopes < 0.0))
    settled = float(np.delete(roots, open_).min(initial=np.inf))  # the lowest bound of all settled lines
    heap = [(float(roots[j]), j) for j in open_.tolist()]
    heapify(heap)
    brackets: dict[int, Bracket] = {}
    while heap and heap[0][0] < level():
        _, j = heappop(heap)
        move, line = lines(j)
        if j not in brackets:
            brackets[j] = Bracket(start, float(slopes[j]), float(caps[j]), line.limit)
        bracket = brackets[j]
        x = bracket.next(level())
        seen = line.probe((x,))
        value, slope = float(seen.values[0]), float(seen.slopes[0])
        bracket.cut(x, value, slope)
        if value < best.value:
            best = Choice(move, x, value)
        bound = bracket.bound()
        if bound < level() and not bracket.spent():
            heappush(heap, (bound, j))
        else:
            settled = min(settled, bound)
            del brackets[j]
    if best is not first:
        polished = searched(f, w, best.move)
        best = polished if polished.value < best.value else best
    least = min(settled, heap[0][0] if heap else np.inf)
    return best._replace(error=max(best.value - least, 0.0) + noise)


def search_at(f: Objective, w: Iterate, slopes: Array, make: Callable[[int], Direction], eta: float, first: Choice,
              tol: float = 0.0, tilt: Array | None = None) -> Choice:
    """The best candidate at the step η, to within ``tol``. One value settles a candidate, and most need none: the tangent
    excludes all whose Frank-Wolfe error exceeds Mη/2 (Theorem 4), whatever M is.

    ``tilt`` is the slope of what is added to f along each candidate, where something is; ``slopes`` include it.
    """
    start, best = f.value(w), first
    noise = 8.0 * EPS * abs(start)
    roots = start + eta * slopes
    open_ = np.flatnonzero(roots < best.value - max(tol, noise))
    least = float(np.delete(roots, open_).min(initial=np.inf))
    for j in open_[np.argsort(roots[open_], kind="stable")].tolist():
        if roots[j] >= best.value - max(tol, noise):
            least = min(least, float(roots[j]))
            break
        move = make(j)
        line = f.along(w, move)
        value = line.value(eta) if eta < line.limit else np.inf
        value += 0.0 if tilt is None else eta * float(tilt[j])
        least = min(least, value)
        if value < best.value:
            best = Choice(move, eta, value)
    return best._replace(error=max(best.value - least, 0.0) + noise)


class BranchAndBound:
    """The joint choice over the listed atoms of S, for any convex f."""

    def __init__(self, f: Objective, S: Finite) -> None:
        self.f, self.S = f, S

    def jointly(self, w: Iterate, answer: Answer, tol: float) -> Choice:
        """min over η in [0, 1] and all atoms; the Frank-Wolfe step with line search is where it begins."""
        slopes, first = slopes_of(self.f, self.S, w), searched(self.f, w, w.toward(answer.atom))
        found = search(self.f, w, slopes, np.ones(len(slopes)), lambda j: w.toward(self.S[j]), first, tol)
        return found._replace(error=found.error + self.f.rounding(w, self.S))

    def at(self, w: Iterate, answer: Answer, eta: float, tol: float) -> Choice:
        toward = w.toward(answer.atom)
        first = Choice(toward, eta, self.f.along(w, toward).value(eta))
        found = search_at(self.f, w, slopes_of(self.f, self.S, w), lambda j: w.toward(self.S[j]), eta, first, tol)
        return found._replace(error=found.error + self.f.rounding(w, self.S))


class Vertex:
    """The oracle's atom, an (M/2)-Jones choice (Theorem 4). No atom leads below f(w) − η·gap, which bounds its error."""

    def __init__(self, f: Objective, S: AtomSet) -> None:
        self.f, self.S = f, S

    def _gap(self, w: Iterate, answer: Answer) -> float:
        return float(self.f.gradient_dot(w) - answer.atom.dot(self.f.gradient(w)) + answer.slack + self.f.rounding(w, self.S))

    def jointly(self, w: Iterate, answer: Answer, tol: float) -> Choice:
        found = searched(self.f, w, w.toward(answer.atom))
        return found._replace(error=max(found.value - self.f.value(w) + self._gap(w, answer), 0.0))

    def at(self, w: Iterate, answer: Answer, eta: float, tol: float) -> Choice:
        move = w.toward(answer.atom)
        value = self.f.along(w, move).value(eta)
        return Choice(move, eta, value, max(value - self.f.value(w) + eta * self._gap(w, answer), 0.0))


SHARE = 0.1  # how much of the best decrease branch and bound may leave on the table


def swaps(f: Objective, S: AtomSet, w: Iterate, memory: SolverState) -> ListedPairs | VertexPairs:
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
        form, g = self.form, as_array(self.f.gradient(w))
        slots, scores, own, weights = self._slots(w), form.S.scores(g), w.scores(g), w.weights
        toward = decreases(slopes_of(self.f, form.S, w), form.bends(w), 1.0)
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
    """The oracle's atom d for each atom of w, or the move toward d; branch and bound may leave a ``share`` of the fall."""

    def __init__(self, f: Objective, S: AtomSet, share: float = SHARE) -> None:
        self.f, self.S, self.share = f, S, share
        self.quadratic = closed(f)
        self.energies: dict[Hashable, float] = {}

    def best(self, w: Iterate, answer: Answer) -> Choice:
        f, d, g = self.f, answer.atom, self.f.gradient(w)
        toward = searched(f, w, w.toward(d))
        slopes = np.asarray(d.dot(g) - w.scores(g), dtype=np.float64)
        if self.quadratic is not None:
            i = int(decreases(slopes, self._bends(self.quadratic, w, d), w.weights).argmax())
            found = searched(f, w, swap(w, i, d))
            found = found if found.value < toward.value else toward
        else:
            found = search(f, w, slopes, w.weights.copy(), lambda i: swap(w, i, d), toward, share=self.share)
            # a decrease that is a smaller part of f drowns in the rounding of values; slopes still tell it
            if f.value(w) - found.value <= 1e-13 * abs(f.value(w)):
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


def toward(f: Objective, S: AtomSet, w: Iterate, memory: SolverState) -> ClosedForm | BranchAndBound | Vertex:
    """How to choose among the moves toward the atoms of S."""
    atoms, quadratic = listed(S), closed(f)
    if atoms is None:
        return Vertex(f, S)
    if quadratic is None:
        return BranchAndBound(f, atoms)
    form: ClosedForm = memory.part("joint", lambda: ClosedForm(quadratic, atoms, w))
    return form


# --- minibatches --------------------------------------------------------------------------------------------------


class Chosen(NamedTuple):
    atom: Atom
    step: float


class MinibatchChoice:
    """min f̃(x + η(d − x)) over the atoms d of S; where they cannot be listed, d is the oracle's atom for ∇f̃(x)."""

    def __init__(self, S: AtomSet, oracle: Oracle) -> None:
        self.S, self.oracle, self.atoms = S, oracle, listed(S)
        self._form: ClosedForm | None = None

    def at(self, batch: Minibatch, x: Array, eta: float, epsilon: float) -> Chosen:
        """The atom for the step η, up to ηε in the value of f̃."""
        S, f, w = self.atoms, self._objective(batch), CoordinateIterate(x)
        if S is None:
            return Chosen(self.oracle.argmin(as_array(f.gradient(w)), tol=epsilon).atom, eta)
        slopes, form = slopes_of(f, S, w), self._closed(f, S, w)
        if form is not None:
            return Chosen(form.best_at(slopes, w, eta), eta)
        move = w.toward(S[int(slopes.argmin())])  # where branch and bound begins: the Frank-Wolfe atom
        first = Choice(move, eta, f.along(w, move).value(eta))
        return Chosen(search_at(f, w, slopes, lambda j: w.toward(S[j]), eta, first, eta * epsilon).move.single, eta)

    def jointly(self, batch: Minibatch, x: Array, cap: float, tol: float) -> Chosen:
        """The atom and the step in [0, cap], up to ``tol`` in the value of f̃."""
        S, f, w = self.atoms, self._objective(batch), CoordinateIterate(x)
        if S is None:
            d = self.oracle.argmin(as_array(f.gradient(w)), tol=tol / cap if cap > 0.0 else 0.0).atom
            return Chosen(d, f.along(w, capped_toward(d, cap)).argmin())
        form = self._closed(f, S, w)
        if form is not None:
            d = form.best(w, cap)
            return Chosen(d, f.along(w, capped_toward(d, cap)).argmin())
        slopes = slopes_of(f, S, w)
        first = searched(f, w, capped_toward(S[int(slopes.argmin())], cap))
        found = search(f, w, slopes, np.full(len(slopes), cap), lambda j: capped_toward(S[j], cap), first, tol)
        return Chosen(found.move.single, found.step)

    def _objective(self, batch: Minibatch) -> Objective:
        return batch.objective() if isinstance(batch, Batch) else BlackBox(batch.value, batch.gradient, self.S.shape, None)

    def _closed(self, f: Objective, S: Finite, w: CoordinateIterate) -> ClosedForm | None:
        """The closed form of a quadratic f̃, made once for as long as f̃ stays the same: once it is all of f."""
        quadratic = closed(f)
        if quadratic is None:
            return None
        if self._form is None or self._form.f is not quadratic:
            self._form = ClosedForm(quadratic, S, w)
        return self._form


def capped_toward(d: Atom, cap: float) -> Direction:
    """d − w, to be followed up to ``cap``."""
    v = Direction((d,), (1.0,), 1.0, cap)
    v.single = d
    return v


class ModelChoice(MinibatchChoice):
    """min m(x + η(d − x)) over the atoms d of S; where they cannot be listed, d is the oracle's atom for g."""

    def tilted(self, batch: Minibatch, g: Array, x: Array, eta: float, epsilon: float) -> Chosen:
        """The atom for the step η, up to ηε in the value of m."""
        S = self.atoms
        if S is None:
            return Chosen(self.oracle.argmin(g, tol=epsilon).atom, eta)
        f, w = self._objective(batch), CoordinateIterate(x)
        slopes = np.asarray(S.scores(g) - float(np.vdot(g, x)), dtype=np.float64)
        form = self._closed(f, S, w)
        if form is not None:
            return Chosen(form.best_at(slopes, w, eta), eta)
        first = Choice(w.toward(S[int(slopes.argmin())]), eta, np.inf)
        tilt = slopes - slopes_of(f, S, w)
        return Chosen(search_at(f, w, slopes, lambda j: w.toward(S[j]), eta, first, eta * epsilon, tilt).move.single, eta)
