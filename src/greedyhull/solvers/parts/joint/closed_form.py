"""The joint choice of (η, d) for quadratics over listed atoms: closed form, at the cost of a Frank-Wolfe step."""

from __future__ import annotations

import numpy as np

from greedyhull.points.gradients import as_array
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import BasisBlock
from greedyhull.solvers.parts.joint.choice import Choice, decreases, searched
from greedyhull.types import Answer, Array, Finite, Imaged, State

ENTRIES = 2**21  # how many entries of images are held at once while the energies are computed


class ClosedForm:
    """f(w + η(d_j − w)) = f(w) + slope_j η + ½bend_j η² for every atom d_j at once, where with H = ∇²f

    slope_j = ⟨∇f(w), d_j − w⟩ and bend_j = d_jᵀHd_j − 2 d_jᵀHw + wᵀHw.

    The energies d_jᵀHd_j are computed once, and so is Hw − ∇f(w), which for a quadratic is the same at every w: an
    iteration needs the gradient and O(number of atoms) more.
    """

    def __init__(self, f: Imaged, S: Finite, w: Iterate) -> None:
        self.f, self.S = f, S
        z = f.at(w).z
        self.energies = energies_of(f, S, w)
        self.largest = float(self.energies.max())
        self.shift: Array = f.hessian_product(w, z) - as_array(f.gradient(w))
        w.work.products += 2.0

    def lines(self, w: Iterate) -> tuple[Array, Array]:
        """The slopes and the bends of the lines toward all atoms."""
        f, g = self.f, as_array(self.f.gradient(w))
        Hw = g + self.shift
        bends = self.energies - 2.0 * self.S.scores(Hw) + w.dot(Hw)
        return self.S.scores(g) - f.gradient_dot(w), np.maximum(bends, 0.0)

    def jointly(self, w: Iterate, answer: Answer, tol: float) -> Choice:
        """min over η in [0, 1] and all atoms."""
        j = int(decreases(*self.lines(w), 1.0).argmax())
        return searched(self.f, w, w.toward(self.S[j]), self.rounding(w))

    def at(self, w: Iterate, answer: Answer, eta: float, tol: float) -> Choice:
        """min over all atoms at the step η."""
        slopes, bends = self.lines(w)
        move = w.toward(self.S[int((slopes + 0.5 * eta * bends).argmin())])
        return Choice(move, eta, self.f.along(w, move).value(eta), self.rounding(w))

    def rounding(self, w: Iterate) -> float:
        """By how much rounding can have spoiled the choice: about n·eps·|terms|; every term of a bend is at most the
        largest energy, by Cauchy and Schwarz."""
        eps = float(np.finfo(self.shift.dtype).eps)
        terms = len(self.f.at(w).z) + len(w) + 16.0
        return float(2.0 * self.f.rounding(w, self.S) + 4.0 * eps * terms * self.largest)

    def state(self) -> State:
        return {"shift": self.shift}

    def restore(self, state: State) -> None:
        self.shift = state["shift"]  # computed elsewhere it would differ by rounding


def energies_of(f: Imaged, S: Finite, w: Iterate) -> Array:
    """d_jᵀHd_j for all atoms of S; of a quadratic they are the same at every w."""
    coordinates = isinstance(S.block(np.arange(1)), BasisBlock)  # they need no images
    size = len(S) if coordinates else max(1, ENTRIES // len(f.at(w).z))
    parts = [np.arange(a, min(a + size, len(S))) for a in range(0, len(S), size)]
    return np.asarray(np.maximum(np.concatenate([f.hessian_diagonal(w, S.block(part)) for part in parts]), 0.0))
