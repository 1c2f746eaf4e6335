"""A lazy oracle: atoms it has found before are tried first, and the set itself is asked only when none is good enough.

A solver that steps toward d loses nothing as long as ⟨∇f(w), w − d⟩ ≥ f(w) − LB − ε for the best lower bound LB known:
the error then contracts as with the best atom (Theorem 2), for f(w) − LB is at least the error. It therefore says what is
``enough``, and any atom with ⟨g, d⟩ ≤ enough will do. Such an answer proves nothing about the others: its slack is
infinite, and the lower bound stays where it is until the set is asked again.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np

from greedyhull.atoms.oracle_base import OracleBase
from greedyhull.atoms.remembered import Remembered
from greedyhull.atoms.wrapped import Wrapped
from greedyhull.errors import check
from greedyhull.points.entering import as_answer, as_floor, as_shortlist
from greedyhull.points.states import under
from greedyhull.types import Answer, Array, AtomSet, Block, Caching, Floor, Oracle, Shape, Shortlist, State
from greedyhull.types.override import KeepsCaching, keeps, override


class Cached(Wrapped):
    """Set S with an oracle that tries its most recently used atoms first.

    Any atom that promises enough progress will do for a step (Theorem 2), so S is asked only if no cached atom does. Rates
    are kept. An answer from the cache proves no lower bound: the gap stays with the last answer of S.

    Parameters
    ----------
    S : AtomSet
        The set. Its oracle should cost far more than scoring ``size`` atoms; for a simplex or an l1 ball nothing is gained.
    size : int, default 200
        How many atoms to keep.

    See Also
    --------
    Inexact : An oracle that errs on purpose.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> oracle = gh.Cached(gh.L1Ball(3, 1.0), size=10).oracle(np.random.default_rng(0))
    >>> oracle.argmin(np.array([1.0, -3.0, 0.5])).atom
    Basis(index=1, scale=1.0)
    >>> oracle.argmin(np.array([1.0, -2.0, 2.5]), enough=-1.5)
    Answer(atom=Basis(index=1, scale=1.0), slack=inf, kind='always', delta=0.0)
    >>> oracle.hits, oracle.misses
    (1, 1)
    """

    def __init__(self, S: AtomSet, *, size: int = 200) -> None:
        super().__init__(S)
        check(isinstance(size, (int, np.integer)) and not isinstance(size, bool) and bool(size >= 1),
              f"Cached(size={size!r}) was given; a whole number of at least 1 is wanted.")
        check(S.traits.owners == 1, lambda: f"Cached keeps atoms one by one, and {S!r} answers with a part for each of its "
                                            "owners. Put Cached around the sets it is made of.")
        self.size = int(size)

    def __repr__(self) -> str:
        return f"Cached({self.S!r}, size={self.size})"

    def oracle(self, rng: np.random.Generator) -> CachedOracle:
        return CachedOracle(self.S.oracle(rng), self.S.shape, self.size)

    def _around(self, S: AtomSet) -> Cached:
        return Cached(S, size=self.size)


class CachedOracle(OracleBase, KeepsCaching):
    """The cache of one solve; ``hits`` counts the answers it gave, ``misses`` those that the inner oracle gave."""

    misses: int

    if TYPE_CHECKING:
        keeps(Caching.misses)

    def __init__(self, inner: Oracle, shape: Shape, size: int) -> None:
        self.inner, self.shape, self.kept = inner, shape, Remembered(size)
        self.hits = self.misses = 0

    def __len__(self) -> int:
        return len(self.kept)

    @override
    def argmin(self, g: Array, tol: float = 0.0, enough: float = -np.inf) -> Answer:
        block = self.kept.block
        if block is not None and enough > -np.inf:
            scores = block.dots(g)
            i = int(scores.argmin())
            if scores[i] <= enough:
                self.hits += 1
                self.kept.used[i] = self.hits + self.misses
                return Answer(block[i], np.inf)
        answer = as_answer(self.inner.argmin(g, tol, enough), self.shape)
        self.misses += 1
        self._keep(answer.atom.block(prod(self.shape)))
        return answer

    @override
    def best(self, g: Array, m: int = 1, *, tol: float = 0.0, enough: float = -np.inf) -> Shortlist:
        shortlist = as_shortlist(self.inner.best(g, m, tol=tol, enough=enough), self.inner)
        self.misses += 1
        self._keep(shortlist.atoms)
        return shortlist

    @override
    def floor(self, g: Array, tol: float = 0.0) -> Floor:
        self.misses += 1
        return as_floor(self.inner.floor(g, tol), self.inner)

    def _keep(self, atoms: Block) -> None:
        self.kept.keep(atoms, self.hits + self.misses)

    @override
    def state(self) -> State:
        state: State = {"counts": np.array([self.hits, self.misses]), **self.kept.state()}
        state.update({f"inner.{name}": array for name, array in self.inner.state().items()})
        return state

    @override
    def restore(self, state: State) -> None:
        self.hits, self.misses = (int(x) for x in state["counts"])
        self.inner.restore(under("inner", state))
        self.kept.restore(state)
