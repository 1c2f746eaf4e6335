"""What a solver requires of a problem, and which conditions of a theorem are not met."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import inf, prod
from typing import cast

from greedyhull.atoms.regions import RowsRegion
from greedyhull.errors import GreedyhullError
from greedyhull.objectives.minibatches import count_of
from greedyhull.solvers.gradients.base import Estimator, VarianceModel
from greedyhull.solvers.parts.steps import in_advance, step_at
from greedyhull.solvers.parts.working_set import MOST
from greedyhull.theory import diverges
from greedyhull.types import AtomSet, Needs, Objective, Solver, StepRule, has, imaged, own


def requirements_of(solver: Solver) -> Needs:
    """What the solver asks of a problem; one that says nothing needs its atoms.

    The older ``looks_back`` and ``needs_smooth`` are understood where nothing newer was said: without ``needs``, or in a
    class derived from the one that has it.
    """
    try:
        told: Needs | None = solver.needs
    except AttributeError:  # a user's class, which may be of the first edition
        told = None
    if not (told is None or isinstance(told, Needs)):
        raise GreedyhullError(f"{type(solver).__name__}.needs must be greedyhull.extend.Needs(...); got {told!r}.")
    needs = told or Needs()
    if type(solver).__module__.startswith("greedyhull."):
        return needs

    def depth(name: str) -> float:
        """How far up the attribute is found: 0 on the object, then its class and those it derives from."""
        homes = (own(solver) or {}, *map(vars, type(solver).__mro__))
        return next((i for i, home in enumerate(homes) if name in home), inf)

    for field, older in (("atoms", "looks_back"), ("smooth", "needs_smooth")):
        said = getattr(solver, older, None)  # no protocol has these words any more
        if said is not None and (told is None or depth(older) < depth("needs")):
            needs = replace(needs, **{field: bool(said)})
    return needs


def by_coordinates(f: Objective, S: AtomSet, needs: Needs) -> bool:
    """Whether a solver, which needs atoms elsewhere, works on the coordinates of points of S.

    It keeps atoms over a polytope with too many coordinates for a Hessian where f bends in fewer directions, n say: then some
    minimum mixes n + 1 atoms, and products with a singular Hessian would take long.
    """
    if not (needs.atoms and needs.regions) or S.traits.region is None:
        return False
    model, d = imaged(f), prod(S.shape)
    return d <= MOST or not isinstance(S.traits.region, RowsRegion) or model is None or model.design.n >= d


def check_requirements(f: Objective, S: AtomSet, solver: Solver) -> Needs:
    """What the solver needs; an error where f and S do not have it, with what is missing and what to use instead."""
    name, traits = type(solver).__name__, f.traits
    needs = solver.needs if type(solver).__module__.startswith("greedyhull.") else requirements_of(solver)
    if needs.smooth and not traits.smooth:
        raise GreedyhullError(f"{name} follows gradients, and {f!r} has kinks: there a subgradient may point nowhere, and the "
                              "method can stand still far from the minimum. Use Smoothed(), or "
                              "RegularizedStochasticFrankWolfe() for minibatches.")
    if needs.second_order and not traits.second_order:
        raise GreedyhullError(f"{name} takes Newton steps, and {f!r} has no finite Hessian. Use BlendedPairwise(). A loss of "
                              "your own has one if it defines curvatures(z), a function if it is given hessian_product=.")
    if needs.terms and not traits.exact_gradient:
        raise GreedyhullError(f"{name} samples the gradients of terms, and {f!r} has inexact gradients, whose error it knows "
                              "for the whole sum only. Use FrankWolfe() or BlendedPairwise().")
    if needs.one_owner and S.traits.owners != 1:
        raise GreedyhullError(f"{name} moves weight between any two atoms, and a point of {S!r} has {S.traits.owners} owners, "
                              "whose weights sum to one each. Use BlendedPairwise() or Corrective().")
    if needs.faces and not S.traits.faces:
        raise GreedyhullError(f"{name} asks for the face that holds a point, and {S!r} does not know its faces. Use "
                              "BlendedPairwise() or Corrective(). A set of your own has them if it defines within(w, g) and "
                              "room(w, v).")
    return needs


def theory_warnings(rule: StepRule, estimator: Estimator, f: Objective) -> Iterator[str]:
    """What is to be said of steps and estimator on f; k is counted from one."""
    step = in_advance(rule)
    if not diverges(lambda k: step_at(step, k - 1)):
        yield (f"Theorem 1 asks for steps with an infinite sum, and those of {step!r} have a finite one: the points need "
               "not reach the minimum. Use Power(0.5) or OpenLoop().")
    if has(estimator, "cautions"):
        yield from cast(VarianceModel, estimator).cautions(lambda k: step_at(step, k - 1), count_of(f))
