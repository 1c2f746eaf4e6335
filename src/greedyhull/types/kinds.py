"""An objective, a set or a design as what its traits say it is: the one place where a kind is asked for.

Each function returns its argument, typed as the wider protocol, or None. Nobody tries whether an attribute is there.
"""

from __future__ import annotations

from typing import cast

from greedyhull.types import (
    Approximate,
    AtomSet,
    Bilinear,
    Columns,
    Design,
    Finite,
    Imaged,
    KinkedLoss,
    LinearModel,
    Loss,
    Objective,
    ProfiledLoss,
    SecondOrder,
    StoredDesign,
    Streamed,
    Summed,
)


def linear_model(f: Objective) -> LinearModel | None:
    """f as φ(Aw)."""
    return cast(LinearModel, f) if f.traits.linear_model else None


def summed(f: Objective) -> Summed | None:
    """f as a sum of n terms."""
    return cast(Summed, f) if f.traits.terms == "finite" else None


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


def listed(S: AtomSet) -> Finite | None:
    """S as a set whose atoms have numbers; of a product nobody lists the vertices.

    >>> import greedyhull as gh
    >>> listed(gh.L2Ball(2, 1.0)) is None, listed(gh.Simplex(2)) is None
    (True, False)
    """
    traits = S.traits
    return cast(Finite, S) if traits.finite and traits.owners == 1 else None


def stored(design: Design) -> StoredDesign | None:
    """The design as one whose rows can be taken."""
    return cast(StoredDesign, design) if design.stored else None


def columned(design: Design) -> Columns | None:
    """The design as one with columns of its own."""
    return cast(Columns, design) if design.has_columns else None


def bilinear(design: Design) -> Bilinear | None:
    """The design as one that maps matrices given by their factors."""
    return cast(Bilinear, design) if design.takes_factors else None


def kinked(loss: Loss) -> KinkedLoss | None:
    """The loss as one that is linear between kinks."""
    return cast(KinkedLoss, loss) if not loss.smooth else None


def profiled(loss: Loss) -> ProfiledLoss | None:
    """The loss as one that was minimised over an intercept."""
    return cast(ProfiledLoss, loss) if loss.profiles else None
