"""Types that packages share, for annotations, and functions that find out what an object has."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, Self, TypeAlias, cast, runtime_checkable

from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
Index: TypeAlias = NDArray[Any]
State: TypeAlias = dict[str, NDArray[Any]]
Shape: TypeAlias = tuple[int, ...]
Gradient: TypeAlias = Any  # an array, a sparse matrix or an operator; `greedyhull.points.gradients` reads each
Kind: TypeAlias = Literal["always", "probability", "expectation", "estimate", "stationary"]
Sums: TypeAlias = dict[str, NDArray[Any]]  # by name: what one shard, or several, contribute; sums of shards are added
Schedule: TypeAlias = Callable[..., float]  # schedule(k) or schedule(k, gap): η_k, ε_k, b_k or σ_k

if TYPE_CHECKING:  # the classes that packages hand to each other, wherever they live
    from greedyhull.atoms.base import AtomSet as AtomSet
    from greedyhull.atoms.base import OracleBase
    from greedyhull.atoms.regions import CoordinateSet
    from greedyhull.objectives.base import Objective as Objective
    from greedyhull.objectives.composite import Composite
    from greedyhull.objectives.designs.stored import Design as Design
    from greedyhull.objectives.lines import Line as Line
    from greedyhull.objectives.losses.base import Loss as Loss
    from greedyhull.objectives.minibatches import Minibatch as Minibatch
    from greedyhull.objectives.minibatches import Source
    from greedyhull.objectives.quadratic import QuadraticForm
    from greedyhull.objectives.restricted import LineTrial, Restriction
    from greedyhull.points.blocks import Block as Block
    from greedyhull.points.direction import Span, Units
    from greedyhull.points.iterate import Iterate
    from greedyhull.points.iterate import View as View
    from greedyhull.remote.rows import RowTask
    from greedyhull.solvers.parts.progress import Progress
    from greedyhull.solvers.parts.solver_state import CountingOracle, SolverState

    Oracle: TypeAlias = OracleBase | CountingOracle
    Supply: TypeAlias = Source
    Trial: TypeAlias = LineTrial
    Small: TypeAlias = Restriction
    Task: TypeAlias = RowTask
    LinearModel: TypeAlias = Composite
    Imaged: TypeAlias = Composite | QuadraticForm  # ``traits.images``: it sees points by their images z = Aw
    Summed: TypeAlias = Objective
    SecondOrder: TypeAlias = Objective
    Curved: TypeAlias = Objective
    MatrixQuadratic: TypeAlias = Objective
    ModelledMatrix: TypeAlias = Objective
    KinkedLoss: TypeAlias = Loss
    Finite: TypeAlias = AtomSet
    Faces: TypeAlias = AtomSet
    Region: TypeAlias = CoordinateSet
    Section: TypeAlias = CoordinateSet
    Frame: TypeAlias = Units | Span
else:  # annotations are not evaluated
    AtomSet = Oracle = Objective = LinearModel = Design = Line = Loss = Minibatch = Supply = Trial = Small = Block = Any
    View = Task = Imaged = Summed = SecondOrder = Curved = MatrixQuadratic = ModelledMatrix = KinkedLoss = Finite = Faces = Any
    Region = Section = Frame = Any


def lacks(thing: object, *names: str) -> list[str]:
    """Return those of the ``names`` that are no attributes of ``thing``; of a class all, as an instance is meant.

    >>> lacks("abc", "upper", "argmin"), lacks(str, "upper")
    (['argmin'], ['upper'])
    """
    if isinstance(thing, type):
        return list(names)
    cls: Any = type(thing)
    owner, held = (cls, vars(thing)) if _only_suggests(cls) else (thing, {})  # without making an error message
    missing = []
    for name in names:
        if name not in held and not hasattr(owner, name):  # users' objects need no base class, only these names
            missing.append(name)  # called some ten times per solve; a comprehension takes twice as long
    return missing


@lru_cache(maxsize=512)
def _only_suggests(cls: type) -> bool:
    """Return whether the ``__getattr__`` of a class only makes an error message, which takes microseconds."""
    found = next((vars(base)["__getattr__"] for base in cls.__mro__ if "__getattr__" in vars(base)), None)
    slots = any("__slots__" in vars(base) for base in cls.__mro__[:-1] if base.__module__ != "abc")
    return found is not None and "suggests" in (own(found) or {}) and not slots


def described(thing: object) -> str:
    """Return what a thing is, for error messages.

    >>> described(1.5), described(float)
    ('a float', 'the class float')
    """
    return f"the class {thing.__name__}" if isinstance(thing, type) else f"a {type(thing).__name__}"


def own(thing: object) -> dict[str, Any] | None:
    """Return the attributes of the object without those of its class; None if it has no ``__dict__``.

    >>> from types import SimpleNamespace
    >>> own(SimpleNamespace(a=1)), own(3.5)
    ({'a': 1}, None)
    """
    try:
        return vars(thing)
    except TypeError:
        return None


def field_values(thing: object) -> dict[str, Any] | None:
    """Return the fields of a dataclass by name, not copied as by `dataclasses.asdict`; None for other objects.

    >>> from greedyhull.types import Traits
    >>> field_values(Traits())["terms"], field_values(Traits)
    ('none', None)
    """
    if not is_dataclass(thing) or isinstance(thing, type):
        return None
    return {field.name: getattr(thing, field.name) for field in fields(thing)}  # one with slots has no __dict__


@dataclass(frozen=True, slots=True)
class Traits:
    """Properties of an objective; `greedyhull.objectives.base.Objective` lists the methods of each."""

    terms: Literal["none", "finite", "stream"] = "none"  # what can be sampled
    convex: bool = True
    smooth: bool = True  # else gradients are subgradients
    quadratic: bool = False
    finite_everywhere: bool = True
    intercept: bool = False
    second_order: bool = False  # it has a Hessian on a few atoms
    linear_model: bool = False  # it is φ(Aw)
    images: bool = False  # its Hessian acts on images under a design
    written: bool = False  # it is a quadratic of matrices that is simple where they are written out
    modelled: bool = False  # it has quadratic models of matrices that are written out
    remote: bool = False  # its terms are elsewhere, and a batch of all of them is one call
    single: bool = False  # it has a copy in float32, for points far from the optimum
    exact_gradient: bool = True  # up to rounding; else it bounds the error of a gradient


class SetTraits(NamedTuple):
    """Properties of a set."""

    finite: bool = False  # its atoms can be listed
    dense_atoms: bool = False  # an atom takes as much memory as a point
    radius: float | None = None  # its atoms scale with it, about ``middle``
    middle: Array | None = None  # None: the origin
    total: float | None = None  # what coordinates sum to, or to at most
    owners: int = 1  # the number of factors of a product; its vertices are `Joint` atoms, one part per factor
    gradients: Literal["dense", "any"] = "dense"  # "any": its oracle and atoms take sparse matrices and operators as well
    slides: bool = False  # its atoms have parameters, and it has `slide`
    random: bool = True  # its start or its oracle may draw random numbers: each solve makes a generator for them
    compresses: bool = True  # its `compressed` may write a point in fewer atoms
    faces: bool = False  # it finds the smallest face that holds a point
    region: Region | None = None  # of a set in which Newton steps can move many coordinates at once
    spreads: bool = False  # minima mix very many atoms: steps within faces begin at its centre


@dataclass(frozen=True, slots=True)
class Needs:
    """What a solver requires of the problem."""

    smooth: bool = False
    atoms: bool = True  # points keep their atoms
    second_order: bool = False  # a Hessian on few atoms
    terms: bool = False  # that can be sampled
    one_owner: bool = False  # no product of sets: weight moves between any two atoms
    regions: bool = False  # it works on the coordinates of a set with a ``region``, and needs no atoms there
    faces: bool = False  # the same over sets that find their faces


class Atom:
    """One atom in its own shape: a signed coordinate, a sparse vector, a dense array."""

    __slots__ = ()
    if TYPE_CHECKING:
        @property
        def key(self) -> Hashable: ...
        def dot(self, g: Gradient) -> float: ...
        def image(self, A: Design) -> Array: ...
        def add_to(self, w: Array, c: float) -> None: ...
        def block(self, size: int) -> Block: ...


class Answer(NamedTuple):
    """The answer of an oracle: ⟨g, atom⟩ ≤ min ⟨g, ·⟩ + slack, and the kind of this promise.

    An infinite slack promises nothing. ``delta`` is the probability that a promise of kind "probability" fails, whatever the
    calls before; without it the promise is an "estimate". Answers are read by field.
    """

    atom: Atom
    slack: float = 0.0
    kind: Kind = "always"
    delta: float = 0.0


class Shortlist(NamedTuple):
    """The best atoms of one oracle call, the best one first: it is an `Answer` with this slack.

    With ``owners``, the factor of each atom, the first one of each owner is its best, and slack is the sum over the owners.
    """

    atoms: Block
    slack: float = 0.0
    kind: Kind = "always"
    delta: float = 0.0
    owners: Index | None = None


class Floor(NamedTuple):
    """A lower bound of ⟨g, ·⟩ on the set, and the kind of this promise.

    ``sharpest`` is the least error of a bound if sharper ones would take too long; else 0.
    """

    lower: float
    kind: Kind = "always"
    delta: float = 0.0
    sharpest: float = 0.0


class Probe(NamedTuple):
    """h and h' of a line at several steps."""

    values: Array
    slopes: Array


@dataclass(frozen=True, slots=True, eq=False)
class Shard:
    """Rows of the data, or none: X (dense, or CSR), their targets, and their weights if they have any."""

    X: Any
    y: Array
    sample_weight: Array | None = None

    def __len__(self) -> int:
        return int(self.X.shape[0])


@runtime_checkable
class Shards(Protocol):
    """``count`` shards of d columns. ``load(k)`` is pure: any process may call it, again and in any order.

    ``name(k)`` names the k-th shard in messages: its file and the part of it. ``mark(k)`` changes with the shard, as far as
    its size, its time and some of its bytes show. If it is empty, a resumed run computes its bound again.
    """

    @property
    def d(self) -> int: ...
    @property
    def count(self) -> int: ...
    @property
    def names(self) -> list[str] | None: ...  # of the columns
    def load(self, k: int) -> Shard: ...
    def name(self, k: int) -> str: ...
    def mark(self, k: int) -> str: ...


class Crew:
    """An executor: it runs a task over partitions of shards, here, in several processes, or on a cluster.

    ``map`` returns what `greedyhull.extend.work` returns for each partition, one list after the other, even if workers fail.
    For a task that is ``paired`` it may return one sum, added in pairs of neighbours, then pairs of these, so that the result
    depends on the partitions alone.
    """

    workers = 1  # how many partitions are worth making
    trips = 0  # communication rounds so far

    def map(self, task: Task, partitions: Sequence[range], /) -> list[Sums]:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End all workers; the end of a ``with`` block calls it."""


class Step:
    """The step rule of one solve, with a state if it keeps anything."""

    if TYPE_CHECKING:
        def __call__(self, line: Line, k: int) -> float: ...

    def state(self) -> State:
        return {}

    def restore(self, state: State) -> None:
        pass


class StepRule:
    """A frozen step rule; ``start(warm)`` makes the `Step` of a solve, which keeps a warm start."""

    if TYPE_CHECKING:
        def start(self, warm: bool = False) -> Step: ...


class Solver:
    """An algorithm: ``run`` is a generator that yields a certified point, then moves it. All else is optional."""

    needs: Any = Needs()
    first: Any = None  # first(f, S): the point to begin at
    cautions: Any = None  # cautions(f, S): what to warn of
    look: Any = None  # how gaps are evaluated
    solver: Any = None  # the one whose steps it takes
    solvers: Any = None  # those whose steps it takes in turn
    tolerance: Any = None  # of an oracle that may be inexact
    step: Any = None  # the rule that it follows
    theorems: Any = None  # theorems(): what is proved of its runs
    if TYPE_CHECKING:
        def run(self, f: Objective, S: AtomSet, w: Iterate, memory: SolverState) -> Iterator[Progress]: ...


def optional(solver: Solver, name: str) -> Any:
    """An attribute that `Solver` declares; None where a user's solver, which needs no base class, does not have it."""
    return getattr(solver, name, None)  # users' solvers need no base class


def linear_model(f: Objective) -> LinearModel | None:
    """f as φ(Aw), perhaps with a ridge."""
    return cast(LinearModel, f) if f.traits.linear_model else None


def imaged(f: Objective) -> Imaged | None:
    """f as one whose Hessian acts on images under a design."""
    return cast(Imaged, f) if f.traits.images else None


def ridge_of(f: Objective) -> float:
    """The l2 of a linear model with a ridge; 0 for every other f."""
    model = linear_model(f)
    return 0.0 if model is None else model.l2


def told_intercept(f: Objective, w: Iterate) -> Any:
    """The intercept at w in float64, as its certificate; 0 if f has none."""
    return f.precise().intercept(w) if f.traits.intercept else 0.0


def listed(S: AtomSet) -> AtomSet | None:
    """S as a set whose atoms have numbers, which is no product.

    >>> import greedyhull as gh
    >>> listed(gh.L2Ball(2, 1.0)) is None, listed(gh.Simplex(2)) is None
    (True, False)
    """
    traits = S.traits
    return S if traits.finite and traits.owners == 1 else None


def bilinear(design: Design) -> Design | None:
    """The design as one that maps matrices given by their factors."""
    return design if design.takes_factors else None


def without_intercept(loss: Loss) -> Loss:
    """The loss that is minimised over an intercept; one without an intercept itself."""
    return loss.loss if loss.profiles else loss
