"""The contracts between the layers: objectives, losses, designs, sets, oracles, points and solvers."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import lru_cache
from types import MethodType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from greedyhull.atoms.base import Sizes
    from greedyhull.kernels.matrix_models import LocalModel, MatrixEquations
    from greedyhull.points.direction import Direction
    from greedyhull.points.iterate import Iterate
    from greedyhull.points.views import Image
    from greedyhull.solvers.parts.memory import Memory
    from greedyhull.solvers.parts.progress import Progress
    from greedyhull.theory import Constant


Array: TypeAlias = NDArray[Any]
Index: TypeAlias = NDArray[Any]
State: TypeAlias = dict[str, NDArray[Any]]
Shape: TypeAlias = tuple[int, ...]
Kind: TypeAlias = Literal["always", "probability", "expectation", "estimate", "stationary"]


@runtime_checkable
class Operator(Protocol):
    """A matrix that is known by its products, as sparse matrices and SciPy's operators are."""

    @property
    def shape(self) -> Any: ...
    def __matmul__(self, other: Any) -> Any: ...


Gradient: TypeAlias = Array | Operator  # what to ask of one: `greedyhull.points.gradients`


def lacks(thing: object, *names: str) -> list[str]:
    """Those of the ``names`` that are no attributes of ``thing``: empty where it can be asked for all of them.

    A class has none of them. It is often given where one of its instances is meant.

    >>> lacks("abc", "upper", "argmin"), lacks(str, "upper")
    (['argmin'], ['upper'])
    """
    if isinstance(thing, type):
        return list(names)
    cls: Any = type(thing)
    asked, held = (cls, vars(thing)) if _only_words(cls) else (thing, {})  # so that nobody words an error that nobody reads
    missing = []
    for name in names:
        if name not in held and not hasattr(asked, name):  # users' objects need no base class, only these names
            missing.append(name)  # a solve asks some ten times, and a comprehension takes twice as long
    return missing


def has(thing: object, name: str) -> bool:
    """Whether ``name`` is an attribute of ``thing``: `lacks` for one name, which solves ask for again and again.

    >>> has("abc", "upper"), has(str, "upper")
    (True, False)
    """
    cls: Any = type(thing)  # mypy takes no class for hashable
    told = _declares(cls, name)
    return not lacks(thing, name) if told is None else told


@lru_cache(maxsize=1024)
def _declares(cls: type, name: str) -> bool | None:
    """Whether all objects of a class have an attribute; None where each must be asked.

    Of a class of the library all objects have what is written in it; of a dataclass, its fields, and nothing else. Classes of
    others may change.
    """
    if not cls.__module__.startswith("greedyhull."):
        return None
    if any(name in vars(base) for base in cls.__mro__):
        return True
    return name in {field.name for field in fields(cls)} if is_dataclass(cls) else None


@lru_cache(maxsize=256)
def declares_none(cls: type, *names: str) -> bool:
    """Whether no object of a class has any of these attributes, as far as the class can tell."""
    return all(_declares(cls, name) is False for name in names)


@lru_cache(maxsize=512)
def _only_words(cls: type) -> bool:
    """Whether the ``__getattr__`` of a class finds nothing and only words an error, which takes microseconds."""
    found = next((vars(base)["__getattr__"] for base in cls.__mro__ if "__getattr__" in vars(base)), None)
    slots = any("__slots__" in vars(base) for base in cls.__mro__[:-1] if base.__module__ != "abc")
    return found is not None and "suggests" in (own(found) or {}) and not slots


def described(thing: object) -> str:
    """What a thing is, for errors about one that was given where another is wanted.

    >>> described(1.5), described(float)
    ('a float', 'the class float')
    """
    return f"the class {thing.__name__}" if isinstance(thing, type) else f"a {type(thing).__name__}"


def own(thing: object) -> dict[str, Any] | None:
    """The attributes that the object itself holds, without those of its class; None where it keeps no dictionary of them.

    >>> from types import SimpleNamespace
    >>> own(SimpleNamespace(a=1)), own(3.5)
    ({'a': 1}, None)
    """
    try:
        return vars(thing)
    except TypeError:
        return None


def field_values(thing: object) -> dict[str, Any] | None:
    """The fields of a dataclass by name, as they are: `dataclasses.asdict` would copy them. None where it is no dataclass.

    >>> from greedyhull.types import Traits
    >>> field_values(Traits())["terms"], field_values(Traits)
    ('none', None)
    """
    if not is_dataclass(thing) or isinstance(thing, type):
        return None
    return {field.name: getattr(thing, field.name) for field in fields(thing)}  # one with slots has no __dict__


def is_method(asked: Callable[..., Any], default: Callable[..., Any]) -> bool:
    """Whether a method of an object is the ``default`` that a base class has for it, and not its own.

    >>> class Base:
    ...     def size(self): return 0
    >>> class Other(Base):
    ...     def size(self): return 1
    >>> is_method(Base().size, Base.size), is_method(Other().size, Base.size)
    (True, False)
    """
    return isinstance(asked, MethodType) and asked.__func__ is default


@dataclass(frozen=True, slots=True)
class Traits:
    """What an objective is, said when it is made: nobody has to try what it can do."""

    terms: Literal["none", "finite", "stream"] = "none"  # what can be sampled: `Summed`, or a stream
    convex: bool = True
    smooth: bool = True  # else gradients are subgradients, and it may be `Kinked`
    quadratic: bool = False
    finite_everywhere: bool = True
    intercept: bool = False
    second_order: bool = False  # it has a Hessian on a few atoms: `SecondOrder`
    linear_model: bool = False  # it is φ(Aw): `LinearModel`
    images: bool = False  # its Hessian acts on images under a design: `Imaged`
    written: bool = False  # it is a quadratic of matrices that is simple where they are written out: `MatrixQuadratic`
    modelled: bool = False  # it has quadratic models of matrices that are written out: `ModelledMatrix`
    remote: bool = False  # its terms are not at hand, and all of them can be asked as one batch: `Remote`
    single: bool = False  # it has a copy in float32, for those who are far from the optimum: `Singled`
    exact_gradient: bool = True  # up to rounding; else it says how wrong a gradient may be: `Approximate`


class SetTraits(NamedTuple):
    """What a set is: whether its atoms can be listed (`Finite`), and whether one takes as much memory as a point."""

    finite: bool = False
    dense_atoms: bool = False
    radius: float | None = None  # its atoms scale with it, about ``middle``
    middle: Array | None = None  # None: the origin
    total: float | None = None  # what coordinates sum to, or to at most
    owners: int = 1  # of a product: how many sets it is made of; its vertices are `Joint` atoms, a part for each
    gradients: Literal["dense", "any"] = "dense"  # "any": its oracle and atoms take sparse matrices and operators as well
    slides: bool = False  # its atoms have parameters, and it has `slide`
    random: bool = True  # its start or its oracle may draw random numbers: each solve makes a generator for them
    compresses: bool = True  # its `compressed` may know how to write a point in fewer atoms
    faces: bool = False  # it knows the smallest face that holds a point: `Faces`
    region: Region | None = None  # of a set in which Newton steps can move many coordinates at once
    spreads: bool = False  # its centre is at hand, and minima mix very many atoms: steps within faces begin there


@dataclass(frozen=True, slots=True)
class Needs:
    """What a solver asks of the problem: smooth f, atoms that are kept, a Hessian on few atoms, terms that can be sampled;
    and a set that is no product, where weight moves between any two atoms. Over a set with a ``region``, a solver that says
    ``regions`` works on the coordinates and needs no atoms; one that says ``faces`` does so over sets that know theirs."""

    smooth: bool = False
    atoms: bool = True
    second_order: bool = False
    terms: bool = False
    one_owner: bool = False
    regions: bool = False
    faces: bool = False


class View(Protocol):
    """A linear image of the iterate that follows its moves."""

    name: str

    def moved(self, move: Direction, step: float) -> None: ...
    def refresh(self, w: Iterate) -> None: ...
    def state(self) -> State: ...
    def restore(self, state: State) -> None: ...


class Atom(Protocol):
    """One atom in its own shape: a signed coordinate, a sparse vector, a dense array."""

    @property
    def key(self) -> Hashable: ...
    def dot(self, g: Gradient) -> float: ...
    def image(self, A: Design) -> Array: ...
    def add_to(self, w: Array, c: float) -> None: ...
    def block(self, size: int) -> Block: ...


@runtime_checkable
class Block(Protocol):
    """Many atoms of one shape in arrays, so that scores and images are one vectorised call.

    `greedyhull.points.blocks.BlockBase` has the defaults.
    """

    @property
    def kind(self) -> str: ...  # by which a saved block is found again: `greedyhull.points.blocks.register_block`
    @property
    def shape(self) -> Shape: ...  # of the points, (size,) where the atoms do not care
    @property
    def keys(self) -> Sequence[Hashable]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, i: int) -> Atom: ...
    def dots(self, g: Gradient) -> Array: ...
    def combine(self, A: Design, c: Array) -> Array: ...
    def images(self, A: Design) -> Any: ...
    def add_to(self, w: Array, c: Array) -> None: ...
    def add_sizes_to(self, w: Array, c: Array) -> None: ...
    def append(self, atom: Atom) -> Block: ...
    def extend(self, atoms: Block) -> Block: ...
    def key_of(self, atom: Atom) -> Hashable: ...
    def take(self, index: Index) -> Block: ...
    def unnamed(self) -> Block: ...
    def state(self) -> State: ...


class Answer(NamedTuple):
    """What an oracle says: ⟨g, atom⟩ ≤ min ⟨g, ·⟩ + slack, and what kind of promise that is.

    An infinite slack promises nothing. ``delta`` is how likely a promise of kind "probability" is to fail, whatever was asked
    before; without it the promise is an "estimate". Answers are read by field.
    """

    atom: Atom
    slack: float = 0.0
    kind: Kind = "always"
    delta: float = 0.0


class Shortlist(NamedTuple):
    """The best atoms an oracle can name at once, the best one first: that one is an `Answer` with this slack.

    With ``owners``, whose each atom is: the first one of each owner is its best, and slack is the sum over the owners.
    """

    atoms: Block
    slack: float = 0.0
    kind: Kind = "always"
    delta: float = 0.0
    owners: Index | None = None


class Floor(NamedTuple):
    """A proof: ⟨g, ·⟩ is nowhere below ``lower`` on the set, and what kind of promise that is.

    ``sharpest`` is what a proof is off by at least where a sharper one would take too long; 0 where any can be had.
    """

    lower: float
    kind: Kind = "always"
    delta: float = 0.0
    sharpest: float = 0.0


@runtime_checkable
class Oracle(Protocol):
    """The linear oracle of one solve: it may hold a cache, warm vectors, counters.

    `greedyhull.atoms.base.OracleBase` makes ``best`` from ``argmin``, or ``argmin`` from ``best``, and the rest.
    """

    def best(self, g: Array, m: int = 1, *, tol: float = 0.0, enough: float = -np.inf) -> Shortlist: ...
    def argmin(self, g: Array, tol: float = 0.0, enough: float = -np.inf) -> Answer: ...  # best(g, 1), its one atom
    def floor(self, g: Array, tol: float = 0.0) -> Floor: ...  # a proof on demand, where answers come without one
    def state(self) -> State: ...
    def restore(self, state: State) -> None: ...


class Caching(Oracle, Protocol):
    """An oracle that answers from a cache where it can; ``misses`` counts the answers for which the set was searched."""

    @property
    def misses(self) -> int: ...


class Design(Protocol):
    """A linear map A with n rows; the data of a linear model in any storage.

    `greedyhull.objectives.designs.stored.DesignBase` has the defaults.
    """

    @property
    def domain(self) -> Shape: ...
    @property
    def n(self) -> int: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def stored(self) -> bool: ...  # its entries are at hand: `StoredDesign`
    @property
    def has_columns(self) -> bool: ...  # it has columns of its own: `Columns`
    @property
    def takes_factors(self) -> bool: ...  # it maps matrices that are given by factors: `Bilinear`
    @property
    def frobenius(self) -> float | None: ...  # ‖A‖_F; None where it would take a pass to find
    def matvec(self, w: Array) -> Array: ...
    def adjoint(self, r: Array) -> Array: ...  # or a sparse matrix or operator, where the set takes such gradients
    def rows(self, index: Index) -> Design: ...
    def precise(self) -> Design: ...


class Columns(Design, Protocol):
    """A design with columns (``has_columns``), by which atoms with few entries are mapped.

    `greedyhull.points.arrays` asks them of any design. Columns of a map on matrices are numbered as ``w.ravel()`` is.
    """

    def column(self, j: int) -> Array: ...
    def columns(self, index: Index, scales: Array) -> Any: ...
    def combine(self, index: Index, c: Array) -> Array: ...
    def energies(self, weights: Array | float) -> Array: ...  # Σᵢ weightsᵢ aᵢⱼ² for every column j
    def gram(self, Z: Any, Z2: Any = None, weights: Array | None = None) -> Array: ...  # of images, as ``columns`` makes them


class Bilinear(Design, Protocol):
    """A map on p×q matrices that takes U diag(c) Vᵀ by its factors (``takes_factors``): U is p×r and V is q×r."""

    def bilinear(self, U: Array, V: Array, c: Array) -> Array: ...  # A(U diag(c) Vᵀ)
    def factored(self, r: Array, U: Array, V: Array) -> Array: ...  # ⟨Aᵀr, uₖvₖᵀ⟩ for every pair of columns


class StoredDesign(Design, Protocol):
    """A design whose entries are at hand (``stored``): rows can be taken, and looked at."""

    def take_rows(self, index: Index) -> Any: ...
    def extremes(self) -> tuple[Array, Array]: ...


class Loss(Protocol):
    """A convex φ on images z = Aw. `greedyhull.objectives.losses.base.Separable` has the defaults."""

    quadratic: bool
    smooth: bool
    twice_differentiable: bool  # ∇²φ is finite wherever φ is
    non_negative: bool  # data, points and minus the residual are non-negative
    finite_everywhere: bool  # φ is finite everywhere
    profiles: bool  # it is minimised over an intercept: `ProfiledLoss`

    @property
    def floor(self) -> float: ...  # a number that φ is nowhere below, or −∞
    @property
    def n(self) -> int: ...
    @property
    def y(self) -> Array: ...
    @property
    def p(self) -> Array | float: ...
    def value(self, z: Array) -> float: ...
    def gradient(self, z: Array) -> Array: ...
    def curvature(self, z: Array) -> Array: ...
    def first_order(self, z: Array) -> tuple[float, Array]: ...
    def value_gradient_curvature(self, z: Array) -> tuple[float, Array, Array]: ...
    def energy(self, dz: Array) -> float: ...
    def along(self, z: Array, dz: Array, max_step: float) -> Line: ...
    def limit(self, z: Array, dz: Array) -> float: ...
    def total(self, terms: Array) -> float: ...
    def norm(self, value: float, residual: Array) -> float: ...
    def size(self, value: float, z: Array) -> float: ...
    def swing(self, size: float, z: Array, off: float) -> float: ...
    def beta(self, low: Array, high: Array) -> Array | float: ...
    def lipschitz(self, low: Array, high: Array) -> Array | float: ...
    def on(self, rows: Index) -> Loss: ...
    def sampled(self, rows: Index, shift: float = 0.0) -> Loss: ...


class KinkedLoss(Loss, Protocol):
    """A loss that is linear between kinks: it has a dual, and can be smoothed."""

    def conjugate(self, residual: Array) -> float: ...
    def smoothed(self, mu: float) -> Loss: ...


class ProfiledLoss(Loss, Protocol):
    """A loss minimised over an intercept; ``loss`` is the one without."""

    @property
    def loss(self) -> Loss: ...
    def intercept(self, z: Array) -> float: ...


class Probe(NamedTuple):
    """What was seen of a line at several steps: h and h'."""

    values: Array
    slopes: Array


class Line(Protocol):
    """h(η) = f(w + ηv) on [0, max_step]; h is finite only below ``limit``; h'' ≤ bend."""

    max_step: float
    limit: float
    slope: float

    @property
    def bend(self) -> float: ...
    def value(self, step: float) -> float: ...
    def derivative(self, step: float) -> float: ...
    def probe(self, steps: Sequence[float] | Array) -> Probe: ...  # several points at once
    def argmin(self) -> float: ...


class Minibatch(Protocol):
    """The mean of some terms of a sum, which can be asked at any array."""

    @property
    def size(self) -> int: ...  # how many terms
    def value(self, x: Array) -> float: ...
    def gradient(self, x: Array) -> Array: ...
    def pulls(self, x: Array, S: Finite) -> Array | None: ...


class Supply(Protocol):
    """Where the minibatches of one solve come from, and how many gradients of terms they have cost: ``spent``."""

    spent: int

    @property
    def f(self) -> Objective: ...
    @property
    def n(self) -> float: ...  # how many terms there are: infinity for a stream
    @property
    def terms(self) -> int | None: ...  # the same, None for a stream
    @property
    def whole(self) -> Minibatch: ...  # all terms; the caller counts them
    def draw(self, size: int) -> Minibatch: ...
    def distinct(self, size: int) -> Minibatch: ...
    def again(self, batch: Minibatch) -> Minibatch: ...
    def full(self, x: Array) -> Array: ...
    def state(self) -> State: ...
    def restore(self, state: State) -> None: ...


class Objective(Protocol):
    """A convex f on the hull."""

    @property
    def domain(self) -> Shape: ...
    @property
    def traits(self) -> Traits: ...
    @property
    def scale(self) -> float: ...
    def value(self, w: Iterate) -> float: ...
    def gradient(self, w: Iterate) -> Gradient: ...
    def gradient_dot(self, w: Iterate) -> float: ...
    def along(self, w: Iterate, move: Direction) -> Line: ...
    def start(self, S: AtomSet, rng: np.random.Generator) -> Iterate: ...
    def rounding(self, w: Iterate, S: AtomSet) -> float: ...
    def fresh(self, w: Iterate) -> bool: ...
    def moves(self, w: Iterate) -> int: ...  # how many moves have carried along what it knows at w
    def curvature(self, S: AtomSet) -> Constant: ...
    def precise(self) -> Objective: ...


class Summed(Objective, Protocol):
    """f = (1/n) Σ fᵢ (``traits.terms == "finite"``): some of its terms can be taken."""

    @property
    def n(self) -> int: ...
    def batch(self, index: Index) -> Minibatch: ...


class Intercepted(Objective, Protocol):
    """f that was minimised over an intercept (``traits.intercept``)."""

    def intercept(self, w: Iterate) -> Any: ...  # a number, or one for each class


class Remote(Summed, Protocol):
    """A sum whose terms are elsewhere (``traits.remote``): a batch of all of them is asked, not fetched."""

    def everything(self) -> Minibatch: ...
    def singles(self, index: Index) -> list[Minibatch]: ...  # each of these terms alone, all fetched at once
    def shard_marks(self) -> dict[str, str]: ...  # by the name of each shard, what changes when it does
    def reduced(self) -> tuple[Objective, str]: ...  # what a solver works on where that is smaller, and why; else itself


class Streamed(Objective, Protocol):
    """f = E F(·, ξ) (``traits.terms == "stream"``): it can be sampled for ever, and brings its own supply."""

    def batch(self, size: int, rng: np.random.Generator) -> Minibatch: ...
    def source(self, rng: np.random.Generator) -> Supply: ...


class Approximate(Objective, Protocol):
    """f whose gradients are inexact (``traits.exact_gradient`` is False): rounded, compressed, by finite differences.

    ``gradient_dot`` is that of the inexact gradient.
    """

    def gradient_error(self, w: Iterate) -> Array | float: ...  # |ĝⱼ − ∂ⱼf(w)| at most, for every j or for all of them


class Trial(Protocol):
    """h(η) = f(w + η(target − base)) for 0 ≤ η ≤ 1: steps to new weights that can be looked at before one is made.

    Whoever commits a step knows there what was seen of it.
    """

    @property
    def limit(self) -> float: ...  # h is finite only below
    @property
    def noise(self) -> float: ...  # what rounding may do to values of h
    def value(self, step: float) -> float: ...
    def argmin(self) -> float: ...
    def commit(self, step: float) -> None: ...  # w moves


class Small(Protocol):
    """f on the hull of a few atoms, as a function of their weights: all that a corrective round asks for.

    Gradients steer and end a round, so they are right; a Hessian only steers, and may be old or rough.
    """

    block: Block

    def extend(self, atoms: Block, w: Iterate) -> None: ...
    def take(self, index: Index) -> None: ...
    def gradient(self, w: Iterate) -> Array: ...  # ⟨∇f(w), dᵢ⟩
    def hessian(self, w: Iterate, sample: int = 1) -> Array: ...  # ⟨dᵢ, ∇²f(w) dⱼ⟩; perhaps from one term in ``sample``
    def trial(self, w: Iterate, base: Array, target: Array) -> Trial: ...  # ``base``: the weights that the atoms have at w
    def state(self) -> State: ...  # without the block
    def restore(self, state: State) -> None: ...


class SecondOrder(Objective, Protocol):
    """f with a Hessian on the hull of a few atoms (``traits.second_order``)."""

    def restricted(self, block: Block) -> Small: ...


class Curved(Objective, Protocol):
    """f that gives products ∇²f(w)v for arrays v; `greedyhull.objectives.restricted.ByProducts` makes a `Small` of them."""

    def hessian_product(self, w: Iterate, v: Array) -> Array: ...


class Imaged(SecondOrder, Protocol):
    """f that sees points by their images z = Aw under a design (``traits.images``), and so does its Hessian."""

    @property
    def design(self) -> Design: ...
    def at(self, w: Iterate) -> Image: ...
    def hessian_gram(self, w: Iterate, rows: Block, Z: Any, Z2: Any = None, weights: Array | None = None) -> Array: ...
    def hessian_product(self, w: Iterate, u: Array, atom: Atom | None = None) -> Array: ...  # u: the image of atom, else of w
    def hessian_diagonal(self, w: Iterate, block: Block) -> Array: ...
    def hessian(self, w: Iterate, rows: Block, cols: Block | None = None) -> Array: ...


class MatrixQuadratic(Objective, Protocol):
    """A quadratic f of matrices with a Hessian that is easily inverted (``traits.written``): the same small one for each
    column, or a diagonal one."""

    def equations(self) -> MatrixEquations: ...


class ModelledMatrix(Objective, Protocol):
    """f of small matrices with a quadratic model around each (``traits.modelled``): its gradient, and its whole Hessian there.
    """

    def model(self, w: Iterate) -> LocalModel: ...


class Singled(Objective, Protocol):
    """f that has a copy in float32 (``traits.single``)."""

    def single(self) -> Objective: ...


class LinearModel(Summed, Imaged, Protocol):
    """f = φ(Aw) + (l2/2)‖w‖², a loss after a design and perhaps a ridge (``traits.linear_model``)."""

    @property
    def l2(self) -> float: ...
    @property
    def loss(self) -> Loss: ...
    @property
    def exact(self) -> Loss: ...
    @property
    def has_intercept(self) -> bool: ...
    def residual(self, w: Iterate) -> Array: ...
    def curvatures(self, w: Iterate) -> Array: ...
    def intercept(self, w: Iterate) -> float: ...
    def precise(self) -> LinearModel: ...


@runtime_checkable
class AtomSet(Protocol):
    """A set of atoms whose convex hull is the feasible set. `greedyhull.atoms.base.AtomSet` has the defaults."""

    @property
    def shape(self) -> Shape: ...
    @property
    def traits(self) -> SetTraits: ...
    @property
    def dense_atoms(self) -> bool: ...
    def oracle(self, rng: np.random.Generator) -> Oracle: ...
    def atom(self, g: Array) -> Atom: ...
    def best(self, g: Array, m: int) -> Block: ...
    def worst(self, g: Array, epsilon: float) -> Atom: ...
    def start(self, rng: np.random.Generator) -> Atom: ...
    def centre(self) -> Iterate: ...
    def contains(self, w: Any, tol: float = 1e-9) -> bool: ...
    def contains_quickly(self, w: Iterate) -> bool | None: ...
    def excludes(self, w: Any, tol: float = 1e-9) -> bool: ...
    @property
    def resolution(self) -> float: ...  # what `contains` with a tolerance of 0 cannot tell from nothing
    @property
    def least_size(self) -> float: ...  # what tolerances are relative to, at least
    def owns(self, d: Atom) -> bool: ...
    def recognised(self, block: Block) -> Block: ...
    def compressed(self, block: Block, weights: Array, tol: float) -> tuple[Block, Array]: ...
    def slide(self, f: Objective, w: Iterate) -> Iterate | None: ...
    def slide_within(self, f: Objective, w: Iterate, gap: float) -> Iterate | None: ...  # gap: what is asked for, or 0
    def decompose(self, w: Array) -> Iterate: ...
    def rescaled(self, radius: float) -> AtomSet: ...
    def max_abs(self, c: Array) -> float: ...
    def max_length(self) -> float: ...
    def prices(self, g: Array) -> dict[str, float] | None: ...
    @property
    def coarse(self) -> str: ...  # the coarsest dtype of a user's answers, where that is less than float64; else ""
    @property
    def sized(self) -> bool: ...
    @property
    def seen(self) -> tuple[float, float] | None: ...
    def saw(self, d: Atom) -> None: ...
    @property
    def diameter(self) -> float: ...
    @property
    def circumradius(self) -> float: ...
    def sizes(self) -> Sizes: ...
    def radius_around(self, x: Array) -> Constant: ...
    def curvature(self, form: Any) -> Constant: ...
    def row_ranges(self, design: Design) -> tuple[Array, Array]: ...


class Faces(AtomSet, Protocol):
    """A polytope that knows the smallest face that holds a point (``traits.faces``)."""

    def within(self, w: Array, g: Array) -> Atom: ...  # the atom of that face with the largest ⟨g, ·⟩
    def room(self, w: Array, v: Array) -> float: ...  # the largest t for which w + t·v lies in the set


class Finite(AtomSet, Protocol):
    """A set whose atoms can be listed (``traits.finite``): they have numbers."""

    def __len__(self) -> int: ...
    def __getitem__(self, j: int) -> Atom: ...
    def scores(self, g: Array) -> Array: ...
    def block(self, index: Index) -> Block: ...


class Frame(Protocol):
    """A few directions, orthonormal: unit vectors, or others. All arrays are flat."""

    @property
    def block(self) -> Block: ...  # the directions
    def __len__(self) -> int: ...
    def read(self, x: Array) -> Array: ...  # the coordinates of x along the directions
    def write(self, x: Array, y: Array) -> None: ...  # x changes along the directions until its coordinates are y


class Section(Protocol):
    """The part of a set that a frame reaches from one of its points, in the coordinates y of the frame."""

    def gap(self, grad: Array, y: Array) -> float: ...  # ⟨grad, y⟩ less its least value
    def slope(self, grad: Array, y: Array, target: Array) -> float: ...  # ⟨grad, target − y⟩
    def solve(self, H: Array, grad: Array, y: Array, tol: float) -> Array: ...  # the quadratic's minimiser, to a gap of tol


class Region(Protocol):
    """A convex set as its coordinates see it. All arrays are flat."""

    @property
    def middle(self) -> Array | None: ...  # if any turn about it maps the set to itself: sections may have any directions
    def nearest(self, x: Array) -> Array: ...  # the point of the set nearest to x
    def begin(self, d: int) -> Array | None: ...  # where a run goes at first if f is lower there; None: it stays
    def free(self, g: Array, x: Array) -> Index: ...  # the coordinates in which a function with gradient g can fall
    def shares(self, g: Array, x: Array) -> Array: ...  # what each coordinate adds to the duality gap
    def section(self, frame: Frame, x: Array) -> Section: ...
    def moved(self, c: float, v: Array) -> Region | None: ...  # c·x + v for its points x; None where it has no name


@dataclass(frozen=True, slots=True, eq=False)
class Shard:
    """Some rows of the data: X (dense, or CSR), their targets, and their weights if they have any.

    A shard may have no rows at all.
    """

    X: Any
    y: Array
    sample_weight: Array | None = None

    def __len__(self) -> int:
        return int(self.X.shape[0])


@runtime_checkable
class Shards(Protocol):
    """``count`` shards of d columns. ``load(k)`` is pure: any process may call it, again and in any order.

    ``name(k)`` is what the k-th shard is called in messages, its file and the part of it. ``mark(k)`` changes when the shard
    does, as far as can be seen without reading it whole: from its size, its time and some of its bytes. It is empty
    where nothing can be seen: a resumed run then finds its bound again.
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


Sums: TypeAlias = "dict[str, Array]"  # by name: what one shard, or several, contribute; sums of shards are added


class Task(Protocol):
    """A pure function of a shard and of the numbers that the task holds. It can be pickled, and run again anywhere."""

    @property
    def shards(self) -> Shards: ...
    @property
    def token(self) -> str: ...  # equal for tasks over the same shards: what was loaded for one serves the others
    @property
    def together(self) -> bool: ...  # whether the sums of a partition are added where they are made
    @property
    def paired(self) -> bool: ...  # whether the sums of partitions are so large that workers add them in pairs, if they can
    def wants(self, k: int) -> bool: ...  # whether the k-th shard must be loaded
    def __call__(self, shard: Shard, k: int) -> Sums: ...


class Crew(Protocol):
    """Runs a task over partitions of shards: here, in several processes, on a cluster.

    ``map`` returns what `greedyhull.extend.work` returns for each partition, one list after the other. Whatever becomes of a
    worker, all of them come back, in order. Of a task that is ``paired`` it may return one sum of all, added up a tree: in
    pairs of neighbours, then pairs of these, so that the result depends on the partitions alone.
    """

    @property
    def workers(self) -> int: ...  # how many partitions are worth making
    def map(self, task: Task, partitions: Sequence[range], /) -> list[Sums]: ...


class Schedule(Protocol):
    """η_k, ε_k, b_k or σ_k: known in advance, or adaptive in the gap."""

    def __call__(self, k: int, gap: float | None = None) -> float: ...


class Step(Protocol):
    """A step rule at work in one solve."""

    def __call__(self, line: Line, k: int) -> float: ...
    def state(self) -> State: ...
    def restore(self, state: State) -> None: ...


class MeasuringStep(Step, Protocol):
    """A step rule at work that estimates the curvature; ``largest`` is the largest estimate so far."""

    @property
    def largest(self) -> float: ...


class StepRule(Protocol):
    """A frozen step rule; ``start(warm)`` makes the working `Step`, which spares a warm start."""

    def start(self, warm: bool = False) -> Step: ...


class Solver(Protocol):
    """An algorithm: a generator that yields a certified point, then moves it."""

    @property
    def needs(self) -> Needs: ...
    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: Memory) -> Iterator[Progress]: ...


class SelfStarting(Solver, Protocol):
    """A solver that chooses its first iterate itself where the user gives no start."""

    def first(self, f: Objective, S: AtomSet) -> Iterate: ...


class Closing(Protocol):
    """A callback of a run that is also told when the run is over."""

    def close(self) -> object: ...


class CautiousSolver(Solver, Protocol):
    """A solver that knows which conditions of its theory a problem does not meet, one sentence for each."""

    def cautions(self, f: Objective, S: AtomSet) -> Iterable[str]: ...


class Combining(Solver, Protocol):
    """A solver that takes steps of several others."""

    @property
    def solvers(self) -> Sequence[Solver]: ...


class Around(Solver, Protocol):
    """A solver that takes the steps of another."""

    @property
    def solver(self) -> Solver | None: ...


class Tolerant(Solver, Protocol):
    """A solver whose linear minimisation oracle may be inexact, by ``tolerance``."""

    @property
    def tolerance(self) -> Schedule | None: ...


__all__ = [
    "Answer",
    "Approximate",
    "Around",
    "Array",
    "Atom",
    "AtomSet",
    "Bilinear",
    "Block",
    "Caching",
    "CautiousSolver",
    "Closing",
    "Columns",
    "Combining",
    "Crew",
    "Curved",
    "Design",
    "Faces",
    "Finite",
    "Floor",
    "Frame",
    "Gradient",
    "Imaged",
    "Index",
    "Intercepted",
    "Kind",
    "KinkedLoss",
    "Line",
    "LinearModel",
    "Loss",
    "MatrixQuadratic",
    "MeasuringStep",
    "Minibatch",
    "ModelledMatrix",
    "Needs",
    "Objective",
    "Operator",
    "Oracle",
    "Probe",
    "ProfiledLoss",
    "Region",
    "Remote",
    "Schedule",
    "SecondOrder",
    "Section",
    "SelfStarting",
    "SetTraits",
    "Shape",
    "Shard",
    "Shards",
    "Shortlist",
    "Singled",
    "Small",
    "Solver",
    "State",
    "Step",
    "StepRule",
    "StoredDesign",
    "Streamed",
    "Summed",
    "Sums",
    "Supply",
    "Task",
    "Tolerant",
    "Traits",
    "Trial",
    "View",
]


def linear_model(f: Objective) -> LinearModel | None:
    """f as φ(Aw), perhaps with a ridge."""
    return cast(LinearModel, f) if f.traits.linear_model else None


def ridge_of(f: Objective) -> float:
    """The l2 of a linear model with a ridge; 0 for every other f."""
    model = linear_model(f)
    return 0.0 if model is None else model.l2


def summed(f: Objective) -> Summed | None:
    """f as a sum of n terms."""
    return cast(Summed, f) if f.traits.terms == "finite" else None


def with_intercept(f: Objective) -> Intercepted | None:
    """f as one with an intercept."""
    return cast(Intercepted, f) if f.traits.intercept else None


def told_intercept(f: Objective, w: Iterate) -> Any:
    """The intercept that belongs to w, 0 where f has none; like the certificate in float64, for in float32 it may be farther
    off than the gap."""
    model = with_intercept(f)
    exact = None if model is None else with_intercept(f.precise())
    return 0.0 if exact is None else exact.intercept(w)


def remote(f: Objective) -> Remote | None:
    """f as a sum whose terms are elsewhere."""
    return cast(Remote, f) if f.traits.remote else None


def streamed(f: Objective) -> Streamed | None:
    """f as an expectation, which can only be sampled."""
    return cast(Streamed, f) if f.traits.terms == "stream" else None


def second_order(f: Objective) -> SecondOrder | None:
    """f as one that has a Hessian on a few atoms."""
    return cast(SecondOrder, f) if f.traits.second_order else None


def approximate(f: Objective) -> Approximate | None:
    """f as one whose gradients are inexact, and that says by how much."""
    return None if f.traits.exact_gradient else cast(Approximate, f)


def imaged(f: Objective) -> Imaged | None:
    """f as one whose Hessian acts on images under a design."""
    return cast(Imaged, f) if f.traits.images else None


def matrix_quadratic(f: Objective) -> MatrixQuadratic | None:
    """f as a quadratic of matrices that is simple where they are written out."""
    return cast(MatrixQuadratic, f) if f.traits.written else None


def modelled(f: Objective) -> ModelledMatrix | None:
    """f as one that has quadratic models of small matrices."""
    return cast(ModelledMatrix, f) if f.traits.modelled else None


def singled(f: Objective) -> Singled | None:
    """f as one that has a copy in float32."""
    return cast(Singled, f) if f.traits.single else None


def listed(S: AtomSet) -> Finite | None:
    """S as a set whose atoms have numbers; of a product nobody lists the vertices.

    >>> import greedyhull as gh
    >>> listed(gh.L2Ball(2, 1.0)) is None, listed(gh.Simplex(2)) is None
    (True, False)
    """
    traits = S.traits
    return cast(Finite, S) if traits.finite and traits.owners == 1 else None


def faced(S: AtomSet) -> Faces | None:
    """S as a polytope that knows the smallest face that holds a point."""
    return cast(Faces, S) if S.traits.faces else None


def stored(design: Design) -> StoredDesign | None:
    """The design as one whose rows can be taken."""
    return cast(StoredDesign, design) if design.stored else None


def columned(design: Design) -> Columns | None:
    """The design as one with columns of its own."""
    return design if design.has_columns else None  # type: ignore[return-value]  # cast is a call, and this is asked often


def bilinear(design: Design) -> Bilinear | None:
    """The design as one that maps matrices given by their factors."""
    return cast(Bilinear, design) if design.takes_factors else None


def kinked(loss: Loss) -> KinkedLoss | None:
    """The loss as one that is linear between kinks."""
    return cast(KinkedLoss, loss) if not loss.smooth else None


def profiled(loss: Loss) -> ProfiledLoss | None:
    """The loss as one that was minimised over an intercept."""
    return cast(ProfiledLoss, loss) if loss.profiles else None


def self_starting(solver: Solver) -> SelfStarting | None:
    """The solver as one that chooses its first iterate."""
    return cast(SelfStarting, solver) if has(solver, "first") else None


def cautious(solver: Solver) -> CautiousSolver | None:
    """The solver as one that warns of problems for which its theory promises less."""
    known = cast(CautiousSolver, solver) if has(solver, "cautions") else None
    return None if known is None or known.cautions is None else known


def made_of(solver: Solver) -> tuple[Combining | None, Around | None, Tolerant | None]:
    """The solver as one that takes steps of several others, of another one, and as one with a tolerance."""
    cls: Any = type(solver)  # mypy takes no class for hashable
    if declares_none(cls, "solvers", "solver", "tolerance"):
        return None, None, None
    return (cast(Combining, solver) if has(solver, "solvers") else None,
            cast(Around, solver) if has(solver, "solver") else None,
            cast(Tolerant, solver) if has(solver, "tolerance") else None)


def measuring(step: Step | None) -> MeasuringStep | None:
    """The working step rule as one that estimates the curvature."""
    return cast(MeasuringStep, step) if has(step, "largest") else None


def caching(oracle: Oracle) -> Caching | None:
    """The oracle as one that answers from a cache."""
    return None if lacks(oracle, "misses") else cast(Caching, oracle)


def closing(callback: Callable[..., Any]) -> Closing | None:
    """The callback as one that wants to know when the run is over."""
    known = None if lacks(callback, "close") else cast(Closing, callback)
    return None if known is None or known.close is None else known
