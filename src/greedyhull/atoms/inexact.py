"""An oracle that errs on purpose: it answers with the worst atom that its tolerance admits, and says so."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from greedyhull.atoms.oracle_base import OracleBase
from greedyhull.atoms.wrapped import Wrapped
from greedyhull.errors import check
from greedyhull.points.entering import as_answer, as_floor, as_shortlist
from greedyhull.points.states import under
from greedyhull.types import Answer, Array, AtomSet, Floor, Oracle, Shortlist, State


class Inexact(Wrapped):
    """Set S with an oracle that errs as much as it may.

    Each answer is the worst atom d with ⟨g, d⟩ ≤ min + ε, and its slack is ε, so certificates stay true. It is for experiments
    and for tests of solvers.

    Parameters
    ----------
    S : AtomSet
        The set.
    epsilon : float or callable, optional
        ε: a number, or a schedule that is called with the number k = 0, 1, … of the oracle call. By default, the tolerance
        that the solver asks for.

    See Also
    --------
    harmonic : The schedule of a c-Frank-Wolfe method.
    Cached : An oracle that answers from a cache.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> oracle = gh.Inexact(gh.Simplex(3), 0.6).oracle(np.random.default_rng(0))
    >>> oracle.argmin(np.array([0.0, 0.5, 0.7]))
    Answer(atom=Basis(index=1, scale=1.0), slack=0.6, kind='always', delta=0.0)
    """

    def __init__(self, S: AtomSet, epsilon: float | Callable[[int], float] | None = None) -> None:
        super().__init__(S)
        check(S.traits.owners == 1, lambda: f"Inexact looks through single atoms, and {S!r} answers with a part for each of "
                                            "its owners. Put Inexact around the sets it is made of.")
        if not (epsilon is None or callable(epsilon)):
            good = isinstance(epsilon, (int, float, np.integer, np.floating)) and not isinstance(epsilon, bool)
            check(good and bool(0 <= epsilon < np.inf), f"Inexact(epsilon={epsilon!r}) was given; a number of at least 0, a "
                                                        "schedule such as harmonic(c), or None is wanted.")
            epsilon = float(epsilon)
        self.epsilon = epsilon

    def __repr__(self) -> str:
        return f"Inexact({self.S!r}, {self.epsilon!r})"

    def oracle(self, rng: np.random.Generator) -> InexactOracle:
        return InexactOracle(self, self.S.oracle(rng))

    def _around(self, S: AtomSet) -> Inexact:
        return Inexact(S, self.epsilon)


class InexactOracle(OracleBase):
    """The worst admissible answers of one solve; ``calls`` is k for a schedule."""

    def __init__(self, owner: Inexact, inner: Oracle) -> None:
        self.S, self.epsilon, self.inner, self.calls = owner.S, owner.epsilon, inner, 0

    def _tolerance(self, tol: float) -> float:
        own = self.epsilon
        epsilon = float(tol if own is None else own(self.calls) if callable(own) else own)
        check(0.0 <= epsilon < np.inf, f"At call {self.calls} the error that the oracle may make is {epsilon}, from "
                                       f"{'the tolerance of the solver' if own is None else repr(own)}; a finite number of at "
                                       "least 0 is wanted.")
        self.calls += 1
        return epsilon

    def argmin(self, g: Array, tol: float = 0.0, enough: float = -np.inf) -> Answer:
        epsilon = self._tolerance(tol)
        exact = as_answer(self.inner.argmin(g), self.S.shape)
        if epsilon == 0.0:
            return exact
        worst = self.S.worst(g, epsilon)
        score, admitted = worst.dot(g), exact.atom.dot(g) + epsilon
        return exact._replace(atom=worst if score <= admitted else exact.atom, slack=epsilon + exact.slack)

    def best(self, g: Array, m: int = 1, *, tol: float = 0.0, enough: float = -np.inf) -> Shortlist:
        """The best atoms without those that beat the worst admissible one; these are left out."""
        epsilon = self._tolerance(tol)
        found = as_shortlist(self.inner.best(g, m), self.S)
        atoms, scores = found.atoms, found.atoms.dots(g)
        if epsilon == 0.0 or not np.isfinite(scores).all():  # which others will find fault with
            return found
        worst = scores[scores <= scores.min() + epsilon].max()  # by these scores: others, rounded otherwise, may miss it
        keep = np.flatnonzero(scores >= worst)
        return found._replace(atoms=atoms.take(keep), slack=epsilon + found.slack)

    def floor(self, g: Array, tol: float = 0.0) -> Floor:
        """That of its answer; where the inner oracle answers without a proof, that which the inner one proves."""
        found = super().floor(g, tol)
        return found if found.lower > -np.inf else as_floor(self.inner.floor(g, tol), self.S)

    def state(self) -> State:
        return {"calls": np.array(self.calls), **{f"inner.{name}": array for name, array in self.inner.state().items()}}

    def restore(self, state: State) -> None:
        self.calls = int(state["calls"])
        self.inner.restore(under("inner", state))
