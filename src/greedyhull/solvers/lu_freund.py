"""Lu and Freund's stochastic Frank-Wolfe for linear models: every term has a substitute for its prediction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from greedyhull.errors import check
from greedyhull.errors.hinted import hinted
from greedyhull.objectives.batch import rows_of, source_of
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import dense as dense_atom
from greedyhull.solvers.gradients.base import Root, check_linear, check_size, size
from greedyhull.solvers.parts.looks import FullGap, Look, Looking, at_steps
from greedyhull.solvers.parts.memory import Memory
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.schedules import tolerance_at, zero
from greedyhull.types import Array, Atom, AtomSet, LinearModel, Minibatch, Needs, Objective, Schedule, Solver, State, Supply
from greedyhull.types.kinds import linear_model, ridge_of
from greedyhull.types.override import KeepsSolver, keeps, override


@hinted
@dataclass(frozen=True)
class LuFreund(KeepsSolver):
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
    tolerance : schedule, default zero
        Error ε_k allowed to the oracle on the linear function.
    every : int, optional
        Certify the point at multiples of this step. By default as the work grows, as for `StochasticFrankWolfe`.
    look : FullGap or MinibatchGap, default FullGap()
        How the point is certified: on all terms, or on a fresh sample.

    See Also
    --------
    StochasticFrankWolfe.dual : As cheap, simpler, and faster in our experiments.

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

    if TYPE_CHECKING:
        keeps(Solver.needs)

    def __post_init__(self) -> None:
        check_size("batch", self.batch)
        check(not callable(self.batch), f"LuFreund(batch={self.batch!r}) was given; its steps are known for batches of one "
                                        "size only. Give a whole number, or Root(p) for n^p.")
        check(not at_steps(self.look, self.every).averages,
              f"{self.look!r} needs unbiased estimates of the gradient, and substitutes are biased. Use FullGap().")

    @override
    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: Memory) -> Iterator[Progress]:
        oracle = memory.oracle(S)
        source: Supply = memory.part("source", lambda: source_of(f, memory.rng))
        n = check_model(f).n
        kept: Substitutes = memory.part("substitutes", lambda: Substitutes(source))
        look: Looking = memory.part("look", lambda: at_steps(self.look, self.every).start(f, S, w, memory))
        b = min(size(self.batch, 1, n), n)
        m = n / b
        for k in memory.count(first=1):
            if look.due(k, source.spent):
                yield look(w, {"spent": source.spent})
            before, t = source.spent, k - 1
            d = oracle.argmin(kept.gradient(w), tol=tolerance_at(self.tolerance, t, memory.gap)).atom
            kept.renew(source.distinct(b), d, 2.0 * m / (2.0 * m + t + 1.0))
            w.work.products += 2.0 * (source.spent - before) / n
            w.move(w.toward(d), 2.0 * (2.0 * m + t) / ((t + 1.0) * (4.0 * m + t)))


class Substitutes:
    """sᵢ of every term, its slope pᵢ ℓ'ᵢ(sᵢ), and g = Aᵀslopes."""

    def __init__(self, source: Supply) -> None:
        self.source = source
        self.arrays: State = {}

    def gradient(self, w: Iterate) -> Array:
        """g; at first that of w itself, all n terms of it. A ridge needs no substitute."""
        if not self.arrays:
            whole = rows_of(self.source.again(self.source.whole))
            s = whole.image(w.array())
            slopes = whole.slopes(s)
            self.arrays = {"s": s, "slopes": slopes, "g": whole.adjoint(slopes)}
        l2 = ridge_of(self.source.f)
        return self.arrays["g"] + l2 * w.array() if l2 else self.arrays["g"]

    def renew(self, drawn: Minibatch, d: Atom, beta: float) -> None:
        """s_B ← (1 − β)s_B + βA_B d; slopes and g follow."""
        batch, source = rows_of(drawn), self.source
        s, slopes, index = self.arrays["s"], self.arrays["slopes"], batch.index
        s[index] += beta * (batch.image(dense_atom(d, source.f.domain)) - s[index])
        new = batch.slopes(s[index]) * (batch.size / source.n)  # weights of a batch are n/b times those of the whole
        self.arrays["g"] = self.arrays["g"] + batch.adjoint(new - slopes[index])
        slopes[index] = new

    def state(self) -> State:
        return {name: array.copy() for name, array in self.arrays.items()}

    def restore(self, state: State) -> None:
        self.arrays = {name: np.array(array) for name, array in state.items()}


def check_model(f: Objective) -> LinearModel:
    """f as a linear model; refused unless every term of f is a function of its own product aᵢ·w."""
    check_linear(f, "LuFreund")
    check(not f.traits.intercept, f"{f!r} fits an intercept, which ties its terms together, and LuFreund takes them one by "
                                  "one. Leave the intercept out, or give X a constant column.")
    model = linear_model(f)
    assert model is not None
    return model
