"""Lu and Freund's stochastic Frank-Wolfe for linear models, with a dual bound from samples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from greedyhull.errors import check, described, hinted
from greedyhull.objectives.minibatches import rows_of
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import dense as dense_atom
from greedyhull.solvers.gradients.base import Root, check_linear, check_size, size
from greedyhull.solvers.gradients.variance_reduced import Table
from greedyhull.solvers.parts.gap_evaluation import FullGap, Look, at_steps, sampled
from greedyhull.solvers.parts.kept import Remembered
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.schedules import SETTINGS, tolerance_at, zero
from greedyhull.solvers.parts.solver_state import CountingOracle, SolverState
from greedyhull.types import (
    Array,
    Atom,
    AtomSet,
    KinkedLoss,
    LinearModel,
    Minibatch,
    Needs,
    Objective,
    Schedule,
    Solver,
    linear_model,
    ridge_of,
)


def duals_of(f: Objective, memory: SolverState, oracle: CountingOracle) -> Duals | None:
    """The table for f, where f is a linear model with kinks and a known φ*; else None."""
    model = linear_model(f)
    if model is None or model.has_intercept or model.loss.smooth:
        return None
    return memory.part("duals", lambda: Duals(model, model.loss, oracle))


class Duals(Remembered):
    """aᵢ, a mean of the slopes seen of sample i, later ones counting more: at visit v a share of 2/(v + 1) is new."""

    kept_arrays = ("a", "visits")

    def __init__(self, f: LinearModel, loss: KinkedLoss, oracle: CountingOracle) -> None:
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
        """The progress with this bound where it is the better one. Samples never seen have slope zero, which is valid."""
        f = self.f
        if p.value is not None or not self.visits.any():
            return p
        r = (self.p * self.a).astype(f.design.dtype, copy=False)
        g, ridge = f.design.adjoint(r), 0.0
        if f.l2:  # (l2/2)‖u‖² ≥ l2⟨x, u⟩ − (l2/2)‖x‖² for any x: here the point
            x = p.point.array()
            g, ridge = g + f.l2 * x, 0.5 * float(np.vdot(f.l2 * x, x))
        answer = self.oracle.peek(g)
        estimate = f.value(p.point) + float(self.loss.conjugate(r)) + ridge - float(answer.atom.dot(g))
        better = Progress.of(p.point, estimate, answer, also=p.also)
        found, spent = better if better.gap < p.gap else p, p.spent + answer.delta
        return found if found.spent == spent else found._replace(spent=spent)


@hinted
@described(SETTINGS)
@dataclass(frozen=True)
class LuFreund(Solver):
    """Lu and Freund's generalised stochastic Frank-Wolfe with substitute gradients, for f(w) = Σ pᵢ ℓᵢ(aᵢ·w).

    sᵢ stands for aᵢ·w, and g = Σ pᵢ ℓ'ᵢ(sᵢ) aᵢ for ∇f(w). With m = n/b and t = k − 1, a step takes the atom d of g and a
    batch B of different terms:

        s_B ← (1 − β)s_B + βA_B d,    β = 2m/(2m + t + 1),
        w ← w + a(d − w),             a = 2(2m + t)/((t + 1)(4m + t)).

    Rows are multiplied with atoms only, never with w. The first step makes one pass, so that g is exact there.

    Parameters
    ----------
    batch : int or Root, default 32
        Terms drawn at each step; ``Root(p)`` is n^p. The rate shows once k is much larger than n/b.
    {tolerance, sampled}

    Notes
    -----
    E e_k = O(1/k) once k is much larger than n/b, with a constant that grows with n/b.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.least_squares(np.eye(2), np.array([0.3, 0.7]))
    >>> s = gh.minimize(f, gh.Simplex(2), gh.LuFreund(batch=1), stop=gh.Iterations(200))
    >>> bool(s.value < 1e-3)
    True
    """

    batch: int | Root = 32
    tolerance: Schedule = zero
    every: int | None = None
    look: Look = field(default=FullGap())
    needs = Needs(smooth=True, atoms=False, terms=True)

    def __post_init__(self) -> None:
        check_size("batch", self.batch)
        check(not callable(self.batch), f"batch of LuFreund must be an integer, or Root(p) for n^p; got {self.batch!r}.")
        check(not at_steps(self.look, self.every).averages,
              f"{self.look!r} needs unbiased estimates of the gradient, and substitutes are biased. Use FullGap().")

    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: SolverState) -> Iterator[Progress]:
        oracle = memory.oracle(S)
        source, look, steps = sampled(self, f, S, w, memory)
        check_linear(f, "LuFreund")
        check(not f.traits.intercept, f"LuFreund takes terms one by one, and the intercept of {f!r} ties them together. Leave "
                                      "the intercept out, or give X a constant column.")
        kept: Substitutes = memory.part("substitutes", lambda: Substitutes(self, source))
        n = int(source.n)
        b = min(size(self.batch, 1, n), n)
        m = n / b
        for k in steps:
            if look.due(k, source.spent):
                yield look(w, {"spent": source.spent})
            t = k - 1
            d = oracle.argmin(kept.gradient(w), tol=tolerance_at(self.tolerance, t, memory.gap)).atom
            kept.substitute(source.distinct(b), d, 2.0 * m / (2.0 * m + t + 1.0))
            w.move(w.toward(d), 2.0 * (2.0 * m + t) / ((t + 1.0) * (4.0 * m + t)))


class Substitutes(Table):
    """sᵢ of every term, with the table of the slopes pᵢ ℓ'ᵢ(sᵢ) and g = Aᵀtable."""

    def gradient(self, w: Iterate) -> Array:
        """g; at first that of w itself, all n terms of it. A ridge needs no substitute."""
        if not self.arrays:
            whole = rows_of(self.source.again(self.source.whole))
            s = whole.image(w.array())
            table = whole.slopes(s)
            self.arrays.update(s=s, table=table, mean=whole.adjoint(table))
        return self.with_ridge(self.arrays["mean"], w.array()) if ridge_of(self.source.f) else self.arrays["mean"]

    def substitute(self, drawn: Minibatch, d: Atom, beta: float) -> None:
        """s_B ← (1 − β)s_B + βA_B d; slopes and g follow."""
        batch, s = rows_of(drawn), self.arrays["s"]
        s[batch.index] += beta * (batch.image(dense_atom(d, self.source.f.domain)) - s[batch.index])
        self.replace(batch, batch.slopes(s[batch.index]))
