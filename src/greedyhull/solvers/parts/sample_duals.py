"""One dual variable for each sample: a lower bound on min f that holds always, made from the minibatches of a run.

For f(w) = φ(Aw) and any r where φ* is finite, min f ≥ −φ*(r) + min over S of ⟨Aᵀr, ·⟩. A mean of slopes that a sample's loss
had at points of the past is such an r, and as the points settle the bound closes. The subgradient at one point is one
too, but for f with kinks its bound does not close.
"""

from __future__ import annotations

import numpy as np

from greedyhull.objectives.batch import rows_of
from greedyhull.solvers.parts.memory import Recorder
from greedyhull.solvers.parts.progress import Progress
from greedyhull.types import Array, KinkedLoss, LinearModel, Minibatch, Objective, State
from greedyhull.types.kinds import kinked, linear_model


def duals_of(f: Objective, oracle: Recorder) -> Duals | NoDuals:
    """The table for f, where f is a linear model with kinks and a known φ*; else one that does nothing."""
    model = linear_model(f)
    loss = None if model is None or model.has_intercept else kinked(model.loss)
    return NoDuals() if model is None or loss is None else Duals(model, loss, oracle)


class NoDuals:
    """No table: the bound of a look is as it is."""

    def gradient(self, batch: Minibatch, x: Array) -> Array:
        return batch.gradient(x)

    def improve(self, p: Progress) -> Progress:
        return p

    def state(self) -> State:
        return {}

    def restore(self, state: State) -> None:
        pass


class Duals:
    """aᵢ, a mean of the slopes seen of sample i, later ones counting more: at visit v a share of 2/(v + 1) is new."""

    def __init__(self, f: LinearModel, loss: KinkedLoss, oracle: Recorder) -> None:
        self.f, self.loss, self.oracle = f, loss, oracle
        self.a, self.visits = np.zeros(f.n), np.zeros(f.n)
        self.p = np.array(np.broadcast_to(np.asarray(loss.p, dtype=np.float64), f.n))
        self._inverse = np.divide(1.0, f.n * self.p, where=self.p > 0.0, out=np.zeros(f.n))

    def gradient(self, batch: Minibatch, x: Array) -> Array:
        """The subgradient of the batch at x; its slopes enter the table."""
        terms = rows_of(batch)
        residual, index = terms.residual(x), terms.index
        visit, old = self.visits[index] + 1.0, self.a[index]
        slopes = residual * (len(index) * self._inverse[index])  # a batch has n/b times the weights of its terms
        self.a[index] = old + (2.0 / (visit + 1.0)) * (slopes - old)  # an index that comes twice brings the same slope twice
        self.visits[index] = visit
        return terms.with_ridge(terms.adjoint(residual), x)

    def improve(self, p: Progress) -> Progress:
        """The look with this bound where it is the better one. Samples never seen have slope zero, which is a slope too."""
        f = self.f
        if p.value is not None or not self.visits.any():
            return p
        r = (self.p * self.a).astype(f.design.dtype, copy=False)
        g, ridge = f.design.adjoint(r), 0.0
        if f.l2:  # (l2/2)‖u‖² ≥ l2⟨x, u⟩ − (l2/2)‖x‖² for any x: here the point
            x = p.point.array()
            g, ridge = g + f.l2 * x, 0.5 * float(np.vdot(f.l2 * x, x))
        answer = self.oracle.glance(g)
        estimate = f.value(p.point) + float(self.loss.conjugate(r)) + ridge - float(answer.atom.dot(g))
        better = Progress.of(p.point, estimate, answer, also=p.also)
        found, spent = better if better.gap < p.gap else p, p.spent + answer.delta
        return found if found.spent == spent else found._replace(spent=spent)

    def state(self) -> State:
        return {"a": self.a.copy(), "visits": self.visits.copy()}

    def restore(self, state: State) -> None:
        self.a, self.visits = state["a"].copy(), state["visits"].copy()
