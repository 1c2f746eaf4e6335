"""Objectives, and what more some of them can do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from greedyhull.kernels.matrix_models import LocalModel
    from greedyhull.kernels.matrix_quadratics import MatrixEquations
    from greedyhull.points.direction import Direction
    from greedyhull.points.image import Image
    from greedyhull.points.iterate import Iterate
    from greedyhull.theory import Constant
    from greedyhull.types.arrays import Array, Gradient, Index, Shape, State
    from greedyhull.types.atoms import Atom, Block
    from greedyhull.types.batches import Minibatch, Supply
    from greedyhull.types.designs import Design
    from greedyhull.types.losses import Line, Loss
    from greedyhull.types.sets import AtomSet
    from greedyhull.types.traits import Traits


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
    """f that gives products ∇²f(w)v for arrays v; `greedyhull.objectives.by_products.ByProducts` makes a `Small` of them."""

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
