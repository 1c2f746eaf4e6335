"""Quadratics ½wᵀQw − bᵀw: they view Qw, so that a gradient is a subtraction and a move costs one column."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.designs import design as make_design
from greedyhull.direction import Direction
from greedyhull.errors import check
from greedyhull.image import Image
from greedyhull.iterate import Iterate
from greedyhull.line import Parabola
from greedyhull.relative import given_scale
from greedyhull.restricted import Restricted
from greedyhull.theory import Constant
from greedyhull.types import Array, AtomSet, Block, Line, Shape

EPS = float(np.finfo(np.float64).eps)
SMALL = 200  # up to this size the eigenvalues of Q are looked at


class QuadraticForm:
    """f(w) = ½wᵀQw − bᵀw with Q symmetric and positive semidefinite; dense, sparse or a linear operator."""

    quadratic = correctable = True
    has_intercept = False
    name = "quadratic"

    def __init__(self, Q: Any, b: Any, scale: float | None = None) -> None:
        self.design: Any = make_design(Q)
        (d,) = self.design.domain
        check(self.design.n == d, f"Q has shape ({self.design.n}, {d}); a square matrix is wanted.")
        self.b = np.zeros(d) if b is None else np.asarray(b, dtype=np.float64)
        check(self.b.shape == (d,), f"b has shape {self.b.shape} but Q is {d}x{d}; a vector with {d} entries is wanted.")
        check(bool(np.isfinite(self.b).all()), "b holds NaN or infinite values.")
        self.domain: Shape = (d,)
        self.scale = given_scale(scale)
        self._largest = 0.0  # the size of wᵀQw so far
        self._precise: QuadraticForm | None = None
        self._sizes: tuple[AtomSet, float, float, float] | None = None
        self._check_symmetric()

    def __repr__(self) -> str:
        return f"quadratic(d={self.domain[0]})"

    def _check_symmetric(self) -> None:
        """Two random products tell: uᵀ(Qv) = vᵀ(Qu) for every u, v only if Q = Qᵀ."""
        rng = np.random.default_rng(0)
        u, v = rng.standard_normal((2, self.domain[0]))
        Qu, Qv = self.design.matvec(u), self.design.matvec(v)
        size = np.abs(u) @ np.abs(Qv) + np.abs(v) @ np.abs(Qu)
        check(abs(u @ Qv - v @ Qu) <= 1e-8 * size + 1e-300 or self.design.dtype == np.float32,
              "Q is not symmetric; ½wᵀQw depends on its symmetric part only. Give (Q + Q.T) / 2.")
        self._check_convex(float(u @ Qu), float(np.abs(u) @ np.abs(Qu)))

    def _check_convex(self, curve: float, size: float) -> None:
        """The eigenvalues of a small Q, the curve uᵀQu along a random u of a large one; `along` looks at every move."""
        d = self.domain[0]
        if d <= SMALL:
            eigenvalues = np.linalg.eigvalsh(np.stack([self.design.column(j) for j in range(d)]).astype(np.float64))
            curve, size = float(eigenvalues[0]), float(np.abs(eigenvalues).max())
        slack = 1e-10 if self.design.dtype == np.float64 else 1e-5
        check(curve >= -slack * size, f"Q is not positive semidefinite (it has a curvature of {curve:.3g}), so ½wᵀQw − bᵀw is "
                                      "not convex and no certificate would hold. A convex quadratic is wanted.")

    def at(self, w: Iterate) -> Image:
        """The view Qw."""
        return w.views.get(self) or w.view(self, lambda: Image(self.design))  # type: ignore[return-value]

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

    def euler(self, w: Iterate) -> float:
        """⟨Qw − b, w⟩."""
        return w.dot(self.gradient(w))

    def along(self, w: Iterate, move: Direction) -> Line:
        view = self.at(w)
        dz = view.direction(move)
        w.work.products += len(move.coefficients) / self.domain[0]
        g = self.gradient(w)
        slope = _linear(move, g) - move.drift * (w.dot(g) if move.drift else 0.0)
        bend = _linear(move, dz) - move.drift * (w.dot(dz) if move.drift else 0.0)
        check(bend >= -1e-9 * self._size(w), f"The quadratic bends down along a direction (vᵀQv = {bend:.3g}): Q is not "
              "positive semidefinite, and no certificate would hold. A convex quadratic is wanted.")
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
        """f on the hull of a few atoms."""
        return Restricted(self, block)

    def metric(self, w: Iterate, rows: Block, Z: Any, Z2: Any = None, weights: Array | None = None) -> Array:
        """⟨aᵢ, Q bⱼ⟩ for the atoms aᵢ of ``rows`` and the images Q bⱼ in Z2 (in Z if None)."""
        images = Z if Z2 is None else Z2
        dots = rows.dots(images.toarray() if hasattr(images, "toarray") else images)
        return dots.reshape(len(rows), -1)  # one image is one column, not a vector

    def hessian(self, w: Iterate, rows: Block, cols: Block | None = None) -> Array:
        """⟨aᵢ, Q bⱼ⟩."""
        return self.metric(w, rows, (rows if cols is None else cols).images(self.design))

    def product(self, w: Iterate, u: Array) -> Array:
        """Qv for the direction v whose image is u: u itself."""
        return u

    def energies(self, w: Iterate, block: Block) -> Array:
        """⟨aᵢ, Q aᵢ⟩ for the atoms of a block."""
        if not hasattr(block, "scale"):
            return np.diagonal(self.hessian(w, block)).copy()
        atoms: Any = block
        matrix: Any = getattr(self.design, "by_column", getattr(self.design, "X", None))
        diagonal = matrix.diagonal() if hasattr(matrix, "diagonal") else [
            self.design.column(j)[j] for j in range(self.domain[0])]
        return np.asarray(np.asarray(diagonal, dtype=np.float64)[atoms.index] * atoms.scale**2)

    def rounding(self, w: Iterate, S: AtomSet) -> float:
        """About d·eps·|terms|, and what Qw may have gathered in its updates."""
        view = self.at(w)
        terms = self.domain[0] + 16 + 3 * view.moves + len(w)
        if self._sizes is None or self._sizes[0] is not S:
            entry = S.absolute(np.full(self.domain, getattr(self.design, "frobenius", np.nan)))
            self._sizes = (S, entry, S.absolute(np.ones(self.domain)), S.absolute(np.abs(self.b)))
        _, entry, size, linear = self._sizes
        if view.moves == 0:  # Qw was computed from the atoms: only the size of w itself counts, not that of the set
            entry = min(entry, getattr(self.design, "frobenius", np.nan) * float(np.linalg.norm(w.array())))
        if np.isnan(entry):  # an operator whose entries nobody has seen
            entry = 10.0 * float(np.abs(view.z).max())
        return 3.0 * EPS * terms * (entry * size + linear)

    def fresh(self, w: Iterate) -> bool:
        """Whether Qw was computed from the atoms, not carried along by moves."""
        return self.at(w).moves == 0

    def curvature(self, S: Any) -> Constant:
        """M = diam_Q(S)², exactly."""
        from greedyhull.curvature import form_curvature

        return form_curvature(self, S)

    def precise(self) -> QuadraticForm:
        """This objective in float64: what certificates are computed with."""
        if self.design.dtype == np.float64:
            return self
        if self._precise is None:
            self._precise = QuadraticForm(self.design.precise(), self.b, self.scale)
        return self._precise


def _linear(move: Direction, g: Array) -> float:
    """⟨g, Σ cᵢ dᵢ⟩, without the drift."""
    if not isinstance(move.terms, tuple):
        return float(move.coefficients.dot(move.terms.dots(g)))
    return float(sum(c * atom.dot(g) for atom, c in zip(move.terms, move.coefficients, strict=True)))
