"""What objectives, sets and solvers are, said when they are made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from greedyhull.types.arrays import Array
    from greedyhull.types.regions import Region


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
