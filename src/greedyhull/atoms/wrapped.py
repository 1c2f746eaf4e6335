"""Sets that wrap an oracle: functions, caches, oracles that err on purpose."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from operator import attrgetter
from typing import Any

import numpy as np

from greedyhull.atoms.arguments import is_number, is_whole, positive, whole_shape
from greedyhull.atoms.base import AnswerOracle, AtomSet, Budget, OracleBase, with_dtype
from greedyhull.atoms.neighbours import Remembered
from greedyhull.errors import check, shown, signed, takes
from greedyhull.kernels.core import public, user
from greedyhull.points.blocks import under
from greedyhull.points.validate import as_answer, as_floor, as_shortlist
from greedyhull.types import Answer, Array, Atom, Block, Floor, Index, Oracle, SetTraits, Shape, Shortlist, State, listed


class FromFunction(AtomSet):
    """The hull of all that ``fn(g)`` returns; see `oracle`."""

    dense_atoms = True

    def __init__(self, fn: Callable[[Array], Any], shape: Shape, bound: float | None) -> None:
        check(takes(fn, None), lambda: f"oracle({signed(fn)}) was given; a function of one array, fn(g), is wanted.")
        self.fn, self.shape = fn, shape
        self.bound = None if bound is None else positive(bound, "bound")

    def __repr__(self) -> str:
        name = getattr(self.fn, "__name__", type(self.fn).__name__)  # functions and classes have one, other callables may not
        return f"oracle({name}, shape={self.shape})"

    def answer(self, g: Array) -> Answer:
        given = user(self.fn, g.copy())  # it may write on it
        plain = not isinstance(given, Answer)
        atom = given[0] if plain and isinstance(given, tuple) and len(given) == 2 else given
        formed = atom is not None and not (plain and isinstance(atom, tuple | str | int | float | np.number))
        check(formed, lambda: f"The oracle fn(g) returned {shown(given)}; an array of shape {self.shape}, or a pair "
                                      "(array, slack), is wanted.")
        self.note_dtype(atom)
        answer = as_answer(given, self.shape)
        return with_dtype(self, g, answer) if self.coarse else answer

    def argmin(self, g: Array) -> Atom:
        return self.answer(g).atom

    def oracle(self, rng: np.random.Generator) -> AnswerOracle:
        return AnswerOracle(self)


@public
def oracle(fn: Callable[[Array], Any], shape: int | Shape, *, bound: float | None = None) -> FromFunction:
    """Make a set from a function that minimises linear functions over it.

    Parameters
    ----------
    fn : callable
        ``fn(g)`` takes an array of the given shape and returns an atom d, an array of that shape, with the least ⟨g, d⟩; or
        (d, slack), if ⟨g, d⟩ may exceed the least value by ``slack``. The slack becomes part of every gap.
    shape : int or tuple of int
        The shape of the points.
    bound : float, optional
        The largest absolute value that an entry of an atom can have. With it rounding errors are bounded by proof; without
        it they are estimated from the atoms seen, and certificates say so.

    Returns
    -------
    FromFunction
        The set, for `minimize` and `certify`.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> S = gh.oracle(lambda g: -np.sign(g), 3, bound=1.0)
    >>> f = gh.least_squares(np.eye(3), np.array([0.5, 2.0, -3.0]))
    >>> gh.minimize(f, S).x
    array([ 0.5,  1. , -1. ])
    """
    check(callable(fn), lambda: f"oracle({shown(fn)}, {shown(shape)}) was given; a function fn(g) that returns the atom with "
                                "the least ⟨g, ·⟩ is wanted first, then the shape.")
    return FromFunction(fn, whole_shape(shape), bound)


def inner(name: str) -> Any:
    """A method or an attribute of the inner set ``S``, in place of the wrapper's own."""
    return property(attrgetter(f"S.{name}"))


class Around(AtomSet):
    """A set made from another one, ``S``; its atoms have numbers where those of ``S`` do."""

    example = "L1Ball(d, radius) is wanted."

    def __init__(self, S: AtomSet) -> None:
        check(isinstance(S, AtomSet),
              lambda: f"{type(self).__name__} was given {shown(S)}; a set of atoms such as {self.example}")
        self.S = S
        self.shape: Shape = S.shape
        self.dense_atoms = S.dense_atoms

    def _listed(self) -> AtomSet:
        known = listed(self.S)
        check(known is not None, lambda: f"The atoms of {self.S!r} cannot be listed.")
        assert known is not None
        return known

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        return len(self._listed())

    coarse, sized, seen = map(inner, ("coarse", "sized", "seen"))


class Wrapped(Around):
    """Whatever is asked of it is asked of ``S``, the inner set; only the oracle is its own."""

    def __getattr__(self, name: str) -> Any:
        """A parameter of the inner set, such as its radius; what every set has is written out below."""
        if name == "S" or name.startswith("_"):  # not there yet, or Python asking for a protocol
            raise AttributeError(name)
        return getattr(self.S, name)  # that is what wrapping means

    def _around(self, S: AtomSet) -> Wrapped:
        return type(self)(S)

    def _bare(self) -> AtomSet:
        return self.S._bare()

    def rescaled(self, radius: float) -> Wrapped:
        return self._around(self.S.rescaled(radius))

    @property
    def traits(self) -> SetTraits:  # type: ignore[override]
        # its oracle may draw, whatever that of the inner set does, and it is the oracle that a solver is to work with
        return self.S.traits._replace(random=True, compresses=True, faces=False, region=None)

    def argmin(self, g: Array) -> Atom | Array:
        return self.S.atom(g)

    def __getitem__(self, j: int) -> Atom:
        return self._listed()[j]

    def scores(self, g: Array) -> Array:
        return self._listed().scores(g)

    def block(self, index: Index) -> Block:
        return self._listed().block(index)

    oracle, atom, best, worst, start, prices = map(inner, ("oracle", "atom", "best", "worst", "start", "prices"))
    centre, decompose, recognised, compressed = map(inner, ("centre", "decompose", "recognised", "compressed"))
    contains, contains_quickly, excludes, owns = map(inner, ("contains", "contains_quickly", "excludes", "owns"))
    slide, slide_within, saw, max_abs, max_length = map(inner, ("slide", "slide_within", "saw", "max_abs", "max_length"))
    resolution, least_size, sizes, diameter = map(inner, ("resolution", "least_size", "sizes", "diameter"))
    circumradius, radius_around, curvature = map(inner, ("circumradius", "radius_around", "curvature"))
    row_ranges = inner("row_ranges")


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
        check(is_whole(size, 1), f"Cached(size={size!r}) was given; a whole number of at least 1 is wanted.")
        check(S.traits.owners == 1, lambda: f"Cached keeps atoms one by one, and {S!r} answers with a part for each of its "
                                            "owners. Put Cached around the sets it is made of.")
        self.size = int(size)

    def __repr__(self) -> str:
        return f"Cached({self.S!r}, size={self.size})"

    def budget(self) -> Budget | None:
        return self.S.budget() if type(self) is Cached else None  # the core scores all atoms faster than a cache some of them

    def oracle(self, rng: np.random.Generator) -> CachedOracle:
        return CachedOracle(self.S.oracle(rng), self.S.shape, self.size)

    def _around(self, S: AtomSet) -> Cached:
        return Cached(S, size=self.size)


class CachedOracle(OracleBase):
    """The cache of one solve; ``hits`` counts the answers it gave, ``misses`` those that the inner oracle gave."""

    misses: int

    def __init__(self, inner: Oracle, shape: Shape, size: int) -> None:
        self.inner, self.shape, self.kept = inner, shape, Remembered(size)
        self.hits = self.misses = 0

    def __len__(self) -> int:
        return len(self.kept)

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

    def best(self, g: Array, m: int = 1, *, tol: float = 0.0, enough: float = -np.inf) -> Shortlist:
        shortlist = as_shortlist(self.inner.best(g, m, tol=tol, enough=enough), self.inner)
        self.misses += 1
        self._keep(shortlist.atoms)
        return shortlist

    def floor(self, g: Array, tol: float = 0.0) -> Floor:
        self.misses += 1
        return as_floor(self.inner.floor(g, tol), self.inner)

    def _keep(self, atoms: Block) -> None:
        self.kept.keep(atoms, self.hits + self.misses)

    def state(self) -> State:
        state: State = {"counts": np.array([self.hits, self.misses]), **self.kept.state()}
        state.update({f"inner.{name}": array for name, array in self.inner.state().items()})
        return state

    def restore(self, state: State) -> None:
        self.hits, self.misses = (int(x) for x in state["counts"])
        self.inner.restore(under("inner", state))
        self.kept.restore(state)


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
            check(is_number(epsilon) and 0 <= float(epsilon) < np.inf, f"Inexact(epsilon={epsilon!r}) was given; a number of "
                  "at least 0, a schedule such as harmonic(c), or None is wanted.")
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
