"""Quadratics ½wᵀQw − bᵀw, by their matrix or by factors."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from greedyhull.atoms.arguments import numbers
from greedyhull.atoms.base import AtomSet as DefaultSet
from greedyhull.errors import GreedyhullError, check, shown
from greedyhull.objectives.accuracy import concavity, diagonal, entries, facts_of, form_rounding, given_scale
from greedyhull.objectives.composite import ByImages
from greedyhull.objectives.designs import design as make_design
from greedyhull.objectives.designs.derived import FactoredColumns, FactoredDesign
from greedyhull.objectives.designs.stored import DenseDesign, SparseDesign
from greedyhull.objectives.lines import Parabola
from greedyhull.objectives.restricted import Restricted
from greedyhull.points.arrays import column, dense, energies, length
from greedyhull.points.direction import Direction
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import BasisBlock
from greedyhull.points.views import PRECISE_IMAGE
from greedyhull.theory import Constant
from greedyhull.types import Array, Atom, AtomSet, Block, Design, Line, Shape, Traits

EPS = float(np.finfo(np.float64).eps)
HUGE = 1e150  # products of two smaller numbers are far from overflow
LEAST = 5e-324  # what a product that underflows may be off by


class QuadraticForm(ByImages):
    """f(w) = ½wᵀQw − bᵀw with Q symmetric and positive semidefinite; dense, sparse or a linear operator.

    A Q of up to 2000 rows (an operator: 200) is tested once, here: ``concavity`` is a λ such that Q + λI is positive
    semidefinite, and gaps have ½λD² added. For larger ones it is None, and the gap rests on the promise that Q is
    semidefinite: only its diagonal, one random direction, and the moves of solvers in Python are looked at.
    """

    scale: float
    design: Any

    traits = Traits(quadratic=True, second_order=True, images=True)
    quadratic = True
    has_intercept = False
    name = "quadratic"

    def __init__(self, Q: Any, b: Any, scale: float | None = None) -> None:
        self.design: Any = make_design(Q, "Q")
        (d,) = self.design.domain
        check(self.design.n == d, lambda: f"Q has shape ({self.design.n}, {d}); a square matrix is wanted.")
        self.b = np.zeros(d) if b is None else numbers(b, "b")
        check(self.b.shape == (d,),
              lambda: f"b has shape {self.b.shape} but Q is {d}x{d}; a vector with {d} entries is wanted.")
        self.domain: Shape = (d,)
        self.scale = given_scale(scale)
        self._largest = 0.0  # the size of wᵀQw so far
        self._precise: QuadraticForm | None = None
        self._sizes: tuple[AtomSet, float, float, float, float, Any] | None = None
        self._inner = 0  # numbers that a product sums on the way, where Q is given by factors
        self.concavity: float | None = None  # where Q is too large to be factorised
        self._slack = 1e-10 if self.design.dtype == np.float64 else 1e-5  # of Q's size: what counts as rounding of Q
        self._check_symmetric()

    def __repr__(self) -> str:
        return f"quadratic(d={self.domain[0]})"

    def _check_symmetric(self) -> None:
        """Entries tell, or two random products: uᵀ(Qv) = vᵀ(Qu) for every u, v only if Q = Qᵀ. (Q + Qᵀ)/2 takes a hair off."""
        Q = entries(self.design) if self.design.stored else None
        facts = None if Q is None else facts_of(Q)
        if Q is not None and facts is not None and facts.symmetric:
            self._norm = self.design.frobenius
            self.concavity, size = concavity(Q, facts)
            self._check_curve(-self.concavity, size)
        else:
            self._compare_products()

    def _compare_products(self) -> None:
        rng = np.random.default_rng(0)
        u, v = rng.standard_normal((2, self.domain[0]))
        exact = self.design.precise()
        Qu, Qv = exact.matvec(u), exact.matvec(v)
        size = np.abs(u) @ np.abs(Qv) + np.abs(v) @ np.abs(Qu)
        seen = max(length(Qu) / length(u), length(Qv) / length(v))
        known = self.design.frobenius  # of an operator it is guessed, for nobody has seen its entries
        self._norm = 4.0 * self.domain[0] ** 0.5 * seen if known is None else known
        check(abs(u @ Qv - v @ Qu) <= 100.0 * self._slack * size + 1e-300,
              "Q is not symmetric; ½wᵀQw depends on its symmetric part only. Give (Q + Q.T) / 2.")
        self.design = _symmetric(self.design)
        Q = entries(self.design)
        if Q is None:  # only the curve along a random u is looked at
            self._check_curve(float(u @ Qu), float(np.abs(u) @ np.abs(Qu)))
        else:
            self.concavity, size = concavity(Q, facts_of(Q))
            self._check_curve(-self.concavity, size)
        along = diagonal(self.design) if Q is None else None
        if along is not None:  # no entry of it is negative where Q is semidefinite
            self._check_curve(float(along.min()), float(np.abs(along).max()))

    def _check_curve(self, curve: float, size: float) -> None:
        check(curve >= -self._slack * size - self.domain[0] * LEAST,
              lambda: f"Q is not positive semidefinite (it has a curvature of {curve:.3g}), so ½wᵀQw − bᵀw is not convex and "
                      "no certificate would hold. A convex quadratic is wanted.")

    def value(self, w: Iterate) -> float:
        view = self.at(w)
        if view.value is None:
            view.value = 0.5 * w.dot(view.z) - w.dot(self.b)
        return view.value

    def gradient(self, w: Iterate) -> Array:
        view = self.at(w)
        if view.gradient is None:
            view.gradient = view.z - self.b
            w.work.gradients += 1
        return view.gradient

    def gradient_dot(self, w: Iterate) -> float:
        """⟨Qw − b, w⟩."""
        return w.dot(self.gradient(w))

    def along(self, w: Iterate, move: Direction) -> Line:
        view = self.at(w)
        dz = view.direction(move)
        w.work.products += len(move.coefficients) / self.domain[0]
        g = self.gradient(w)
        slope = _linear(move, g) - move.drift * (w.dot(g) if move.drift else 0.0)
        bend = _linear(move, dz) - move.drift * (w.dot(dz) if move.drift else 0.0)
        if self.concavity is None:  # else it is in the gap, whatever the line says
            check(bend >= -10.0 * self._slack * self._size(w), lambda: "The quadratic bends down along a direction (vᵀQv = "
                  f"{bend:.3g}): Q is not positive semidefinite, and no certificate would hold. A convex quadratic is wanted.")
        return Parabola(self.value(w), slope, max(bend, 0.0), move.max_step)

    def _size(self, w: Iterate) -> float:
        """The size of wᵀQw that signs are judged against."""
        view = self.at(w)
        largest = float(np.abs(view.z).max()) * float(np.abs(w.array()).sum())
        self._largest = max(self._largest, largest)
        return self._largest

    def start(self, S: AtomSet, rng: np.random.Generator) -> Iterate:
        return Iterate.at(S.start(rng), S.shape)

    def restricted(self, block: Block) -> Restricted:
        return Restricted(self, block)

    def hessian_gram(self, w: Iterate, rows: Block, Z: Any, Z2: Any = None, weights: Array | None = None) -> Array:
        """⟨aᵢ, Q bⱼ⟩ for the atoms aᵢ of ``rows`` and the images Q bⱼ in Z2 (in Z if None)."""
        images = Z if Z2 is None else Z2
        dots = rows.dots(dense(images))
        return dots.reshape(len(rows), -1)  # one image is one column, not a vector

    def hessian(self, w: Iterate, rows: Block, cols: Block | None = None) -> Array:
        """⟨aᵢ, Q bⱼ⟩."""
        return self.hessian_gram(w, rows, (rows if cols is None else cols).images(self.design))

    def hessian_product(self, w: Iterate, u: Array, atom: Atom | None = None) -> Array:
        """Qd for the atom d, or for w itself, whose image is u: u itself."""
        return u

    def hessian_diagonal(self, w: Iterate, block: Block) -> Array:
        """⟨aᵢ, Q aᵢ⟩ for the atoms of a block."""
        if not isinstance(block, BasisBlock):
            return np.diagonal(self.hessian(w, block)).copy()
        known = diagonal(self.design)
        if known is None:
            known = np.array([float(column(self.design, j)[j]) for j in range(self.design.n)])
        return np.asarray(known[block.index] * block.scale**2)

    def rounding(self, w: Iterate, S: AtomSet) -> float:
        """About d·eps·|terms|, what Qw may have gathered in its updates, and ½λD² where Q is λ from convex."""
        view, d = self.at(w), self.domain[0]
        few = view.moves == 0 and w.keeps_atoms and isinstance(w.block, BasisBlock)
        by_coordinates = view.moves == 0 and not w.keeps_atoms
        summed = min(d, len(w)) if few else d  # numbers in a sum that are not zero
        terms = summed + self._inner + 16 + 3 * view.moves + len(w)
        _, entry, size, linear, sag, _ = self._known_sizes(S)
        if view.moves == 0:  # Qw was computed from the atoms: only their sizes count, not that of the set
            entry = min(entry, self._norm * length(w.absolute()))
        least = LEAST * terms * d * (1.0 + size) if entry > 0.0 else 0.0
        coarse = 3.0 * EPS * terms * (entry * size + linear)
        # of the value: where rounding may be a larger share, it is bounded more closely
        if coarse > 1e-9 * abs(self.value(w)):
            coarse = 3.0 * EPS * terms * (self._closer() * entry * size + linear)
            coarse = min(coarse, form_rounding(self, w, size, linear)) if few or by_coordinates else coarse
        return coarse + sag + least

    def _closer(self) -> float:
        """By which factor the size of products is smaller than was said at first, where it pays to look closer."""
        return 1.0

    def finite_on(self, S: AtomSet) -> bool:
        """Whether sizes alone tell that f is finite, and computed without overflow, at all points of the hull."""
        if type(self.design) not in (DenseDesign, SparseDesign) or S.traits.random or not S.sized:
            return False
        _, entry, size, linear, _, _ = self._known_sizes(S)
        return entry < HUGE and size < HUGE and linear < HUGE

    def _known_sizes(self, S: AtomSet) -> tuple[AtomSet, float, float, float, float, Any]:
        """The sizes of Qu, u and ⟨b, u⟩ over the set, and how far f may lie below a tangent there."""
        if self._sizes is None or self._sizes[0] is not S or self._sizes[-1] != S.seen:
            ones = np.empty(self.domain)
            ones.fill(1.0)
            size, linear = S.max_abs(ones), S.max_abs(np.abs(self.b))
            sag = self.concavity * (0.5 * _diameter(S, size) ** 2) if self.concavity else 0.0
            self._sizes = (S, self._norm * size, size, linear, sag, S.seen)
        return self._sizes

    def curvature(self, S: AtomSet) -> Constant:
        """M = diam_Q(S)², exactly."""
        from greedyhull.objectives.curvature import form_curvature

        return form_curvature(self, S)

    def precise(self) -> QuadraticForm:
        if self.design.dtype == np.float64:
            return self
        if self._precise is None:
            self._precise = copy(self)  # what Q is like was found out when this was made
            self._precise.design, self._precise._sizes, self._precise._largest = self.design.precise(), None, 0.0
            self._precise._image = PRECISE_IMAGE
        return self._precise


def _symmetric(design: Design) -> Any:
    """The design of (Q + Qᵀ)/2, in float64, where Q is stored and not exactly symmetric; else itself."""
    if isinstance(design, DenseDesign) and not np.array_equal(design.X, design.X.T):
        Q = design.X.astype(np.float64)
        return DenseDesign(0.5 * Q + 0.5 * Q.T)
    if isinstance(design, SparseDesign) and abs(design.by_column - design.by_column.T).max() > 0.0:
        A = design.by_column.astype(np.float64)
        return SparseDesign((0.5 * A + 0.5 * A.T).tocsc())
    return design


def _diameter(S: AtomSet, size: float) -> float:
    """D, or from above 2·max‖u‖₁ where the set has no formula: its oracle is not asked for that."""
    if type(S).sizes is DefaultSet.sizes:
        return 2.0 * size
    try:
        return min(float(S.diameter), 2.0 * size)
    except GreedyhullError:
        return 2.0 * size


def _linear(move: Direction, g: Array) -> float:
    """⟨g, Σ cᵢ dᵢ⟩, without the drift."""
    if not isinstance(move.terms, tuple):
        return float(move.coefficients.dot(move.terms.dots(g)))
    return float(sum(c * atom.dot(g) for atom, c in zip(move.terms, move.coefficients, strict=True)))


class FactoredForm(QuadraticForm):
    """f(w) = ½‖Fw‖² + ½Σ Dⱼwⱼ² − bᵀw: convex by its form, whatever its size, and never a d×d matrix.

    A gradient costs two passes over F, the Hessian on m coordinates m²k steps.
    """

    design: FactoredDesign

    def __init__(self, F: Any, D: Any, b: Any, scale: float | None = None) -> None:
        check(np.ndim(F) != 1, lambda: f"factors has shape {np.shape(F)}; a matrix with one row for each factor is wanted. "
                                       "Use F.reshape(1, -1) for a single factor.")
        made: Design = make_design(F, "factors").precise()
        check(len(made.domain) == 1, lambda: f"factors maps points of shape {made.domain}; a matrix with one column for each "
                                             "coordinate is wanted.")
        super().__init__(FactoredDesign(made, _factored_diagonal(D, made.domain[0])), b, scale)

    def __repr__(self) -> str:
        return f"quadratic(d={self.domain[0]}, factors={self.design.F.n})"

    def _check_symmetric(self) -> None:
        """Q is symmetric and positive semidefinite by its form; its computed products are bounded by ‖F‖² + max D."""
        F, D = self.design.F, self.design.D
        norm = F.frobenius
        self._factor = float(np.sqrt(self.design.diagonal().sum())) if norm is None else float(norm)
        self._norm, self.concavity = self._factor**2 + float(D.max()), 0.0
        self._inner = F.n + 2  # numbers that a product sums besides those of w
        self._ratio: float | None = None

    def _closer(self) -> float:
        """An entry of |F|ᵀ|F||w| is at most the length of its column of F times ‖F‖ times ‖w‖: the longest column counts."""
        if self._ratio is None:
            D = float(self.design.D.max())
            longest = float(np.sqrt(energies(self.design.F, 1.0).max()))
            self._ratio = min((longest * self._factor * (1.0 + 1e-9) + D) / self._norm, 1.0) if self._norm > 0.0 else 1.0
        return self._ratio

    def start(self, S: AtomSet, rng: np.random.Generator) -> Iterate:
        """The best atom for the linear part alone, over sets that are solved by their coordinates."""
        if S.traits.region is None or S.traits.owners != 1 or not self.b.any():
            return super().start(S, rng)
        return Iterate.at(S.atom(-self.b), S.shape)

    def hessian_gram(self, w: Iterate, rows: Block, Z: Any, Z2: Any = None, weights: Array | None = None) -> Array:
        images = Z if Z2 is None else Z2
        if isinstance(rows, BasisBlock) and isinstance(images, FactoredColumns):
            index = rows.index if Z2 is None else images.index
            return np.asarray(self.design.block(rows.index, index) * (rows.scale[:, None] * images.scales))
        return super().hessian_gram(w, rows, Z, Z2, weights)

    def rounding(self, w: Iterate, S: AtomSet) -> float:
        """Beside what a quadratic has: products that vanish in Fw are multiplied by F again."""
        lost = LEAST * (self.domain[0] + self._inner) * self._factor * self._inner
        return super().rounding(w, S) + lost * (1.0 + self._known_sizes(S)[2])


def _factored_diagonal(given: Any, d: int) -> Array:
    """D as a vector of d numbers of at least 0."""
    D = numbers(0.0 if given is None else given, "Q")
    check(D.shape in ((), (d,)), lambda: f"Q has shape {D.shape} beside factors with {d} columns; None, or the {d} numbers of "
                                         "a diagonal, are wanted. Give a whole Q without factors=.")
    check(bool((D >= 0.0).all()), lambda: f"Q = {shown(given)}, the diagonal beside factors, has the entry {D.min():g}; "
                                          "numbers of at least 0 are wanted.")
    return np.broadcast_to(D, (d,)).astype(np.float64)
