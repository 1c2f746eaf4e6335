"""The base class of sets of atoms, and of their oracles."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property, lru_cache
from inspect import getattr_static
from math import prod
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import numpy as np

from greedyhull.atoms.arguments import HUGE, LONGEST, array_of, dimension, positive
from greedyhull.atoms.neighbours import all_finite, worst_within
from greedyhull.errors import check, former, suggesting, take_over
from greedyhull.kernels.core import public
from greedyhull.points.aligned import point_of
from greedyhull.points.arrays import eps_of, length, locked
from greedyhull.points.gradients import as_array, copied
from greedyhull.points.iterate import Iterate
from greedyhull.points.owners import whole
from greedyhull.points.shapes import Basis, BasisBlock, dense
from greedyhull.points.validate import KINDS, as_answer, as_atom, as_block, atom_dtype
from greedyhull.theory import Constant, Status
from greedyhull.types import (
    Answer,
    Array,
    Atom,
    Block,
    Design,
    Floor,
    Index,
    Objective,
    Oracle,
    Region,
    SetTraits,
    Shape,
    Shortlist,
    State,
    lacks,
    listed,
)

if TYPE_CHECKING:
    from greedyhull.atoms.geometry import Nearest


class Sizes(NamedTuple):
    """D, the largest distance between two atoms, and r_S, the radius of the smallest ball that holds them all."""

    diameter: Constant
    circumradius: Constant

    @classmethod
    def of(cls, D: float, r: float, status: Status = "exact") -> Sizes:
        return cls(Constant(float(D), status, "D"), Constant(float(r), status, "r_S"))


class Budget(NamedTuple):
    """{w : Σ |w_j|/scales_j ≤ 1}; with ``positive`` w ≥ 0 too, with ``whole`` the sum is one.

    ``scales`` has one entry if all are the same. With ``points``, a dense or CSR matrix of rows, w are their weights.
    """

    scales: Array
    positive: bool
    whole: bool
    points: Any = None


@lru_cache(maxsize=256)
def one_scale(scale: float) -> Array:
    """Return the scale that all coordinates of a budget have; the core only reads it."""
    return locked(np.array([scale]))


IDLE = np.random.Generator(np.random.PCG64(0))  # for sets that never draw: making one takes 20 µs, a short solve 500


def generator(S: AtomSet, *seed: int) -> np.random.Generator:
    """Return the generator for ``S.oracle`` and ``S.start``; sets that never draw share one."""
    return np.random.Generator(np.random.PCG64(list(seed))) if S.traits.random else IDLE


class OracleBase:
    """An oracle writes ``argmin``, or ``best`` if it can name several atoms at once; each is made from the other.

    One that proposes atoms without a proof answers with slack = ∞ and writes ``floor``, which proves a bound when it is asked
    for one. One that holds something between calls writes ``state`` and ``restore``.

    >>> from greedyhull.points.shapes import Basis
    >>> class First(OracleBase):
    ...     def argmin(self, g, tol=0.0, enough=-np.inf):
    ...         return Answer(Basis(0, 1.0), slack=float(g[0] - g.min()))
    >>> First().floor(np.array([2.0, -1.0]))
    Floor(lower=-1.0, kind='always', delta=0.0, sharpest=0.0)
    """

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        check(cls.argmin is not OracleBase.argmin or cls.best is not OracleBase.best,
              f"{cls.__name__} has neither an argmin nor a best of its own; one of them is wanted, the other is made from it.")

    def best(self, g: Array, m: int = 1, *, tol: float = 0.0, enough: float = -np.inf) -> Shortlist:
        """The m atoms with the least ⟨g, ·⟩, or fewer, the best one first; ``tol`` and ``enough`` are those of `argmin`."""
        answer = as_answer(self.argmin(g, tol, enough), g.shape)
        return Shortlist(answer.atom.block(g.size), answer.slack, answer.kind, answer.delta)

    def argmin(self, g: Array, tol: float = 0.0, enough: float = -np.inf) -> Answer:
        """An atom with ⟨g, ·⟩ ≤ min + ``tol``, or with ⟨g, ·⟩ ≤ ``enough``."""
        found = self.best(g, 1, tol=tol, enough=enough)
        return Answer(found.atoms[0], found.slack, found.kind, found.delta)

    def floor(self, g: Array, tol: float = 0.0) -> Floor:
        """A number that ⟨g, ·⟩ is nowhere below: the score of an answer less its slack."""
        answer = as_answer(self.argmin(g, tol), g.shape)
        return Floor(float(answer.atom.dot(g)) - answer.slack, answer.kind, answer.delta)

    def state(self) -> State:
        """All that later answers depend on."""
        return {}

    def restore(self, state: State) -> None:
        """Take over a state."""


A = TypeVar("A", Answer, Shortlist)


class ClosedOracle(OracleBase):
    """The oracle of a set that can minimise a linear function exactly: it holds nothing."""

    __slots__ = ("S",)

    def __init__(self, S: AtomSet) -> None:
        self.S = S

    def argmin(self, g: Array, tol: float = 0.0, enough: float = -np.inf) -> Answer:
        answer = Answer(self.S.atom(g))
        return with_dtype(self.S, g, answer) if self.S.coarse else answer

    def best(self, g: Array, m: int = 1, *, tol: float = 0.0, enough: float = -np.inf) -> Shortlist:
        atoms = as_block(self.S.best(g, m), self.S)
        found = Shortlist(atoms, owners=atoms.owners)
        return with_dtype(self.S, g, found) if self.S.coarse else found


class AnswerOracle(ClosedOracle):
    """The oracle of a set whose ``answer(g)`` is an atom and its slack: it holds nothing."""

    __slots__ = ()
    S: Any

    def argmin(self, g: Array, tol: float = 0.0, enough: float = -np.inf) -> Answer:
        answer: Answer = self.S.answer(g)
        self.S.saw(answer.atom)
        return answer

    best = OracleBase.best


def with_dtype(S: AtomSet, g: Array, answer: A) -> A:
    """The answer with the error of an oracle that answers in less than float64: an estimate."""
    off = 4.0 * eps_of(S.coarse) * S.max_abs(np.abs(as_array(g)))
    return answer._replace(slack=answer.slack + off, kind=max(answer.kind, "estimate", key=KINDS.index), delta=0.0)


NEAR, SAME = 1e-7, 1e-14  # distances, relative to the set's size, that a search can tell from nothing, and that are nothing


def _depth(cls: type, name: str) -> int:
    """How far up a class has a method."""
    return next((i for i, base in enumerate(cls.__mro__) if name in vars(base)), len(cls.__mro__))


class _Traits(cached_property[SetTraits]):
    """The property `AtomSet.traits`, which the library's sets keep until an attribute changes."""

    def __get__(self, S: Any, cls: type | None = None) -> SetTraits:  # type: ignore[override]
        if S is None:
            return self  # type: ignore[return-value]
        own = S.__dict__
        known = SetTraits(S._lists, S.dense_atoms, own.get("radius"), own.get("middle"), own.get("total"), S.owners,
                          S.gradients, S._slides, S._draws or not S._ships, S._compresses, S._faces, spreads=S._spreads)
        if S._in_coordinates:
            return known._replace(region=S._region())
        if S._ships:
            own["traits"] = known
        return known


@suggesting("AtomSet")
class AtomSet(ABC):
    """Base class of sets of atoms; the convex hull of the atoms is the feasible set.

    To write a set, derive from this class, set ``shape`` and write ``argmin``. All other methods have defaults; write those
    that have a formula for speed and for sharper constants.

    Attributes
    ----------
    shape : tuple of int
        The shape of its points.
    dense_atoms : bool
        Whether an atom takes as much memory as a point; False by default.
    gradients : {"dense", "any"}
        "any" if ``argmin`` also takes sparse matrices and linear operators; "dense" by default.
    bound : float or None
        The largest absolute value of an entry of an atom. If neither this nor ``max_abs`` is given, rounding errors are
        estimated from the atoms seen, and certificates say so.
    owners : int
        The number of sets that a product is made of; 1 for all other sets.
    diameter : float
        The largest distance between two atoms, or an upper bound.
    circumradius : float
        The radius of the smallest ball that contains the set, or an upper bound.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> class Cross(gh.AtomSet):
    ...     shape, bound = (2,), 1.0
    ...     def argmin(self, g):
    ...         j = np.abs(g).argmax()
    ...         return -np.sign(g[j]) * np.eye(2)[j]
    >>> gh.minimize(gh.least_squares(np.eye(2), np.array([3.0, 0.0])), Cross()).x
    array([1., 0.])
    """

    shape: Shape
    dense_atoms = False  # whether an atom costs as much memory as a point
    gradients: Literal["dense", "any"] = "dense"  # "any": its argmin and its atoms take sparse matrices and operators, too
    bound: float | None = None  # the largest |entry| that an atom can have, where the set says so
    owners = 1  # of a product: how many sets it is made of; `argmin` answers with a `Joint` then
    _measures = False  # whether it writes `max_abs` itself
    _compresses = False  # whether it writes `compressed` itself
    _slides = False  # whether it writes `slide`
    _lists = False  # whether its atoms have numbers: it writes ``scores``, ``__len__``, ``__getitem__`` and ``block``
    _faces = False  # whether it writes ``within`` and ``room``
    _decides = False  # whether it writes ``contains`` or ``_holds``: by default membership is a search
    _in_coordinates = False  # whether it writes ``_region``, and searches and measures the atoms of the set that wrote it
    _draws = False  # whether its oracle or its start draws random numbers
    _spreads = False  # whether its centre is at hand, and minima mix very many atoms
    _ships = False  # whether it is one of the library's own
    _sizes_given: tuple[str, ...] = ()  # what its constructor takes after its length: its size, and other numbers
    coarse = ""  # the dtype in which a user's oracle has last answered, if that is less than float64
    seen: tuple[float, float] | None = None  # the largest ‖d‖₁ and ‖d‖₂ of atoms so far, if `max_abs` is estimated from them
    traits = _Traits(SetTraits)  # what the set is: whether its atoms can be listed, its sizes, its owners
    if TYPE_CHECKING:  # capabilities; a set has those that its traits name
        radius: float
        total: float
        def __len__(self) -> int: ...  # finite: its atoms have numbers
        def __getitem__(self, j: int) -> Atom: ...
        def scores(self, g: Array) -> Array: ...
        def block(self, index: Index) -> Block: ...
        def within(self, w: Array, g: Array) -> Atom: ...  # faces: of the smallest around w, the atom with the largest ⟨g, ·⟩
        def room(self, w: Array, v: Array) -> float: ...  # faces: the largest t for which w + t·v lies in the set

    def _region(self) -> Region | None:
        """Return the set in coordinates, where Newton steps can move many of them at once; None where it has none."""
        return None

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if "traits" in self.__dict__:
            del self.__dict__["traits"]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        take_over(cls, "absolute", "max_abs")
        cls._measures = cls.max_abs is not AtomSet.max_abs
        if cls._measures and cls.sized is AtomSet.sized:
            cls.sized = True  # type: ignore[assignment]
        cls._compresses = cls.compressed is not AtomSet.compressed
        cls._decides = cls._holds is not AtomSet._holds or cls.contains is not AtomSet.contains
        cls._slides = cls.slide is not AtomSet.slide
        if "slide" in vars(cls) and "slide_within" not in vars(cls):  # that of another set would not ask the new one
            cls.slide_within = AtomSet.slide_within  # type: ignore[method-assign]
        cls._lists = any("scores" in vars(base) for base in cls.__mro__)
        cls._faces = _depth(cls, "within") <= _depth(cls, "argmin") < len(cls.__mro__)  # others' faces are no faces
        home = cls.__mro__[_depth(cls, "_region")]  # a region stands for no other atoms
        names = ("argmin", "best", "oracle", "contains", "_holds")
        cls._in_coordinates = home is not AtomSet and all(
            getattr_static(cls, name) is getattr_static(home, name) for name in names)
        sets = [base for base in cls.__mro__[1:] if base is not AtomSet and issubclass(base, AtomSet)]
        left = [name for name in ("best", "worst", "scores", "block", "__getitem__")  # these may answer without argmin
                if "argmin" in vars(cls) and name not in vars(cls) and any(name in vars(base) for base in sets)]
        check(not left, f"{cls.__name__} has an argmin of its own, but {', '.join(left)} of another set, which looks through "
                        "other atoms. Write these too, or derive it from AtomSet.")
        cls._ships = cls.__module__.startswith("greedyhull.") and not cls.__module__.startswith("greedyhull.testing")
        name = next((name for name in ("__new__", "__init__") if name in vars(cls)), "")  # what one takes, the other takes too
        if cls._ships and name:
            written = vars(cls)[name]
            entry = public(written.__func__ if name == "__new__" else written, cls.__name__)
            type.__setattr__(cls, name, staticmethod(entry) if name == "__new__" else entry)

    def _measure(self, d: Any, **size: Any) -> None:
        """Keep the dimension d and a size such as ``radius``, both checked."""
        (name, value), = size.items()
        if not (type(d) is int and 0 < d <= LONGEST and type(value) is float and 0.0 < value <= HUGE):
            d, value = dimension(d), positive(value, name)
        self.__dict__.update({"shape": (d,), name: value})

    def __repr__(self) -> str:
        numbers = {name: getattr(self, name) for name in self._sizes_given}
        sizes = [f"{name}={value:g}" if type(value) is float else f"{name}={value}" for name, value in numbers.items()]
        if sizes:
            return f"{type(self).__name__}({', '.join([str(self.shape[0]), *sizes])})"
        return type(self).__name__ + ("()" if lacks(self, "shape") else f"(shape={self.shape})")

    @abstractmethod
    def argmin(self, g: Array) -> Atom | Array:
        """Return an atom with the least ⟨g, ·⟩; a plain array will do."""

    def atom(self, g: Array) -> Atom:
        """Return the answer of `argmin` as an atom."""
        if self._ships:
            found: Any = self.argmin(g)
            d: Atom = as_atom(found, self.shape) if type(found) is np.ndarray else found
        else:  # it may write on g, and on its answer once more
            given = self.argmin(copied(g))
            self.note_dtype(given)
            d = as_atom(given, self.shape, own=True)
        if not self._measures:
            self.saw(d)
        return d

    def note_dtype(self, given: Any) -> None:
        """Remember the dtype of a user's last answer: one to a float32 gradient says nothing of later ones."""
        self.__dict__["coarse"] = atom_dtype(given)

    def best(self, g: Array, m: int) -> Block:
        """Return the m atoms with the least ⟨g, ·⟩, or fewer; the first is `argmin`. For a product, m for each owner."""
        return self.atom(g).block(int(np.prod(self.shape)))

    def oracle(self, rng: np.random.Generator) -> Oracle:
        """Return the linear minimisation oracle for one run."""
        return ClosedOracle(self)

    def start(self, rng: np.random.Generator) -> Atom:
        """Return the atom that a run starts from."""
        ones = np.empty(self.shape)  # `np.ones` takes four times as long
        ones.fill(1.0)
        return self.atom(ones)

    def budget(self) -> Budget | None:
        """Return the set as a budget on its coordinates, as the compiled core takes it; None by default."""
        return None

    def has_atoms(self, block: Block) -> bool:
        """Return whether all of a few atoms are those of a budget, as two numbers each prove; False leaves it open.

        >>> import greedyhull as gh
        >>> gh.Simplex(3).has_atoms(BasisBlock(3, [0, 2], [1.0, 1.0])), gh.Simplex(3).has_atoms(BasisBlock(3, [0], [0.5]))
        (True, False)
        """
        B = self.budget()
        if B is None or B.points is not None or len(B.scales) > 1:
            return False
        if type(block) is not BasisBlock or block.shape != self.shape:
            return False
        index, scales, most = block.index.tolist(), block.scale.tolist(), B.scales.item()
        if not 0 < len(index) <= 32:  # so many numbers are compared one by one sooner than as an array
            return False
        least = most if B.whole else 0.0 if B.positive else -most
        inside = least <= min(scales) and max(scales) <= most and sum(scales) < np.inf  # the last for NaN
        return bool(inside and min(index) >= 0 and max(index) < block.size)

    def centre(self) -> Iterate:
        """Return a point in the relative interior, as atoms and weights."""
        known, rng = listed(self), np.random.default_rng(0)
        if known is not None and self._ships:
            return Iterate(known.block(np.arange(len(known))), np.full(len(known), 1.0 / len(known)), self.shape)
        w = Iterate.at(self.start(rng), self.shape)
        for k in range(1, 2 * int(np.prod(self.shape)) + 1):  # the mean of many random atoms
            w.move(w.toward(self.atom(rng.standard_normal(self.shape))), 1.0 / (k + 1))
        return w

    def contains(self, w: Any, tol: float = 1e-9) -> bool:
        """Return whether the point (an iterate or an array) lies in the hull, up to ``tol`` times the set's size."""
        return self._has(array_of(point_of(w, self)), tol)

    def _has(self, x: Array, tol: float) -> bool:
        """Whether an array is a point of the hull, of the right shape and without NaN."""
        if x.shape != self.shape:
            return False
        return all_finite(x) and self._holds(x, tol)

    def contains_quickly(self, w: Iterate) -> bool | None:
        """Return whether the point lies in the hull, if that costs no more than an oracle call; else None."""
        if type(self).contains is not AtomSet.contains:
            return self.contains(w)
        return None if type(self)._holds is AtomSet._holds else self._has(w.array(), 1e-9)

    def recognised(self, block: Block) -> Block:
        """Return the atoms of ``block``, which may come from another set, with the names that they have in this set."""
        return block.unnamed()

    def compressed(self, block: Block, weights: Array, tol: float) -> tuple[Block, Array]:
        """Return the same point Σ weightsᵢ dᵢ in fewer atoms, up to an error of ``tol``·Σ weightsᵢ‖dᵢ‖; by default as it is.

        It is called at the end of a run. The result is checked and certified again. It must not modify its arguments.
        """
        return block, weights

    def slide(self, f: Objective, w: Iterate) -> Iterate | None:
        """A point of the hull with a smaller value than w, found by changing the parameters of its atoms; or None.

        For sets whose atoms depend on parameters (a location, an angle). `FrankWolfe`, `BlendedPairwise` and `Corrective`
        call it after every step with a copy of their iterate, and move there only if f falls by more than rounding.
        """
        return None

    def slide_within(self, f: Objective, w: Iterate, gap: float) -> Iterate | None:
        """What `slide` returns; a set may write this in its place to use ``gap``, the tolerance of the run, or 0."""
        return self.slide(f, w)

    def excludes(self, w: Any, tol: float = 1e-9) -> bool:
        """Return whether the point certainly lies outside; False where a search for membership stays open."""
        x = array_of(point_of(w, self))
        if self._decides:
            return not self.contains(x, tol)
        if x.shape != self.shape or not np.isfinite(x).all():
            return True
        near = max(tol, NEAR)
        found = self._nearest(x, near, near)
        return found.lower > near and found.kind == "always"

    def owns(self, d: Atom) -> bool:
        """Return whether an atom of another set is a point of this one, to the last digits if there is no formula."""
        x = dense(d, self.shape)
        if self._decides:
            return self.contains(x)
        return self._nearest(x, SAME, NEAR).distance <= SAME

    def _holds(self, x: Array, tol: float) -> bool:
        """Without a formula: a point of the hull that is near says yes, a bound on the distance of all of them says no."""
        near = max(tol, SAME)
        return self._nearest(x, near, near).distance <= near

    @property
    def resolution(self) -> float:
        """How far outside ``contains(w, 0)`` may accept a point, relative to the set's size: rounding, by default."""
        return SAME

    @property
    def least_size(self) -> float:
        """What tolerances are relative to: the mean size of a coordinate; the least one where a set is made of several."""
        return self.max_abs(np.ones(self.shape)) / prod(self.shape)

    def _nearest(self, x: Array, near: float, far: float) -> Nearest:
        """Search for the point of the hull nearest to x; ``near`` and ``far`` are relative to the size of x and of the set."""
        from greedyhull.atoms.geometry import nearest_point

        ends = [dense(self.atom(s * (x if x.any() else np.ones(self.shape))), self.shape) for s in (1.0, -1.0)]
        size = max(length(u) for u in (x, *ends))
        if size == np.inf:  # of numbers near the end of their range
            size = max(float(np.abs(u).max()) for u in (x, *ends))
        return nearest_point(self._bare(), x, size if size > 0.0 else 1.0, near, far)

    def _bare(self) -> AtomSet:
        """The same set, whose oracle makes no errors on purpose and remembers nothing: it is the one to search in."""
        return self

    def _shaped(self, w: Any) -> Array:
        """w as an array of finite numbers in the shape of the points."""
        x = array_of(point_of(w, self))
        check(x.shape == self.shape, lambda: f"The array has shape {x.shape} but {self!r} holds points of shape {self.shape}.")
        check(bool(np.isfinite(x).all()), "The array has NaN or infinite entries.")
        return x

    def _inside(self, w: Any, tol: float = 1e-9) -> Array:
        """w as an array, if it is a point of the hull."""
        x = self._shaped(w)
        check(self._holds(x, tol),
              lambda: f"The array lies outside {self!r} by more than {tol:g} of its size, so it is no mixture of "
                      "its atoms. Scale it into the set first.")
        return x

    def decompose(self, w: Array) -> Iterate:
        """Return the array w as atoms and weights; without a formula, by a search for a mixture within 1e-7."""
        found = self._nearest(self._shaped(w), NEAR, NEAR)
        check(found.distance <= NEAR,
              f"{self!r} cannot write the array as a mixture of its atoms: none that is near was found. Start from an atom "
              "or from the point of an earlier solution.")
        return found.point

    def max_abs(self, c: Array) -> float:
        """Return the maximum over the atoms of Σⱼ cⱼ|dⱼ| for c ≥ 0, to which rounding errors are proportional.

        It never calls the oracle. Without a formula it is ``bound``·Σⱼ cⱼ if the set has a ``bound``; else it is estimated as
        twice what the largest atoms seen so far give, and `sized` is False.
        """
        if self.bound is not None:
            return positive(self.bound, f"bound of {self!r}") * float(np.sum(c))
        if self.seen is None:
            self.saw(self.start(np.random.default_rng(0)))
        sum_, norm = self.seen or (0.0, 0.0)
        return 2.0 * min(sum_ * float(np.max(c)), norm * length(np.asarray(c)))

    absolute = former("absolute", "max_abs")

    def max_length(self) -> float:
        """Return the largest ‖d‖₂ of an atom, or a bound on it: by default Σⱼ|dⱼ| as `max_abs` bounds it."""
        return self.max_abs(np.broadcast_to(np.float64(1.0), self.shape))

    @property
    def sized(self) -> bool:
        """Whether `max_abs` is a proved bound, and not an estimate from the atoms seen so far."""
        return self._measures or self.bound is not None

    def saw(self, d: Atom) -> None:
        """Record the size of an atom, if `max_abs` has to be estimated; else see that it is no larger than ``bound``."""
        if self._measures or (self.sized and self.bound is None):
            return
        x = np.abs(d.scale) if isinstance(d, Basis) else np.abs(dense(d, self.shape))
        if self.bound is not None:
            largest = float(np.max(x, initial=0.0))
            # by which share an entry may exceed the bound, for what is computed is rounded
            check(largest <= self.bound * (1.0 + 1e-6), lambda: f"{self!r} says bound = {self.bound:g}, but its oracle "
                  f"returned an atom with an entry of size {largest:.6g}. Give the largest absolute value that an entry "
                  "of an atom can have, or leave bound out; rounding is bounded by it.")
            return
        sum_, norm = self.seen or (0.0, 0.0)
        self.__dict__["seen"] = (max(sum_, float(np.sum(x))), max(norm, length(np.asarray(x))))

    def rescaled(self, radius: float) -> AtomSet:
        """Return the same kind of set with another radius."""
        check(bool(self._sizes_given), lambda: f"{self!r} has no radius to change.")
        sizes = {name: getattr(self, name) for name in self._sizes_given}
        size = next(name for name in ("radius", "total", "trace") if name in sizes)
        kind: Any = next(c for c in type(self).__mro__ if c.__module__.startswith("greedyhull."))  # a user's may take others
        made: AtomSet = kind(self.shape[0], **{**sizes, size: radius})
        return made

    def prices(self, g: Array) -> dict[str, float] | None:
        """Return what one more unit of each constraint's right-hand side is worth where ∇f = g, by name; None by default."""
        return None

    def worst(self, g: Array, epsilon: float) -> Atom:
        """Return the worst atom with ⟨g, ·⟩ ≤ min + epsilon, among all atoms if they can be listed, else a few."""
        known = listed(self)
        if known is not None:
            return known[worst_within(known.scores(g), epsilon)]
        atoms = as_block(self.best(g, 64), self)  # how many atoms `worst` looks through where they cannot all be listed
        if atoms.owners is not None:
            return whole(atoms)
        return atoms[worst_within(atoms.dots(g), epsilon)]

    def sizes(self) -> Sizes:
        """Return D and r_S, each exact or an upper bound. By default from the bounding box, by 2d oracle calls."""
        # the largest number of entries for which a set without formulas is measured coordinate by coordinate
        check(int(np.prod(self.shape)) <= 4096, f"{self!r} has no formula for its diameter, and too many coordinates to "
                                                  "measure each. Write its sizes(), or use Backtracking().")
        low, high = self._bounds
        D = length(high - low)
        return Sizes.of(D, 0.5 * D, "upper bound")

    @cached_property
    def _bounds(self) -> tuple[Array, Array]:
        """The least and the largest value of every coordinate over the set."""
        low, high = np.zeros(self.shape), np.zeros(self.shape)
        for j in range(low.size):
            unit = np.zeros(self.shape)
            unit.flat[j] = 1.0
            low.flat[j] = self.atom(unit).dot(unit)
            high.flat[j] = self.atom(-unit).dot(unit)
        return low, high

    @property
    def diameter(self) -> float:
        """The largest distance D between two atoms; `sizes` says whether it is exact."""
        return float(self.sizes().diameter)

    @property
    def circumradius(self) -> float:
        """The radius r_S of the smallest ball that contains the set; `sizes` says whether it is exact."""
        return float(self.sizes().circumradius)

    def radius_around(self, x: Array) -> Constant:
        """Return the maximum over the atoms of ‖s − x‖ for a point x of the hull; by default the upper bound D."""
        return Constant(self.diameter, "upper bound", "R")

    def curvature(self, form: Any) -> Constant:
        """Return the maximum over atoms of ‖s − s'‖²_H for a quadratic form H; by default the upper bound D² λ_max(H)."""
        return Constant(self.diameter * (self.diameter * float(form.top())), "upper bound", "M")

    def row_ranges(self, design: Design) -> tuple[Array, Array]:
        """Return min and max of ⟨aᵢ, ·⟩ over the set for every row aᵢ of the design; by default two oracle calls a row."""
        from greedyhull.atoms.geometry import rows

        low, high = np.zeros(design.n), np.zeros(design.n)
        for i, a in enumerate(rows(design)):
            low[i], high[i] = self.atom(a).dot(a), self.atom(-a).dot(a)
        return low, high
