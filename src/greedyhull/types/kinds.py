"""An objective, a set, a design or a solver as what it says it is: the one place where a kind is asked for.

Each function returns its argument, typed as the wider protocol, or None. Objectives, sets and designs say it by their
traits. Solvers, oracles and callbacks need no base class: what they may have beyond their protocol is known by its name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from greedyhull.types import (
    Approximate,
    Around,
    AtomSet,
    Bilinear,
    Caching,
    CautiousSolver,
    Closing,
    Columns,
    Combining,
    Design,
    Faces,
    Finite,
    Imaged,
    Intercepted,
    KinkedLoss,
    LinearModel,
    Loss,
    MatrixQuadratic,
    MeasuringStep,
    ModelledMatrix,
    Objective,
    Oracle,
    ProfiledLoss,
    Remote,
    SecondOrder,
    SelfStarting,
    Singled,
    Solver,
    Step,
    StoredDesign,
    Streamed,
    Summed,
    Tolerant,
)

if TYPE_CHECKING:
    from greedyhull.points.iterate import Iterate
from greedyhull.types.attributes import declares_none, has, lacks


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
