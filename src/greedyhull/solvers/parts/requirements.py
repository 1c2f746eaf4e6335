"""What a solver requires of a problem, and which conditions of a theorem are not met."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import inf, prod
from typing import cast

from greedyhull.atoms.regions import RowsRegion
from greedyhull.errors import check
from greedyhull.objectives.minibatches import count_of
from greedyhull.solvers.gradients.base import Estimator, VarianceModel
from greedyhull.solvers.parts.coordinate_rounds import MOST
from greedyhull.solvers.parts.steps import in_advance, step_at
from greedyhull.theory import diverges
from greedyhull.types import AtomSet, Needs, Objective, Solver, StepRule, has, imaged, own

OLDER = {"atoms": "looks_back", "smooth": "needs_smooth"}  # the words of the first edition


def requirements_of(solver: Solver) -> Needs:
    """What the solver asks of a problem; one that says nothing needs its atoms.

    The older ``looks_back`` and ``needs_smooth`` are understood where nothing newer was said: without ``needs``, or in a
    class derived from the one that has it.
    """
    try:
        told: Needs | None = solver.needs
    except AttributeError:  # a user's class, which may be of the first edition
        told = None
    check(told is None or isinstance(told, Needs), lambda: f"{type(solver).__name__} has needs={told!r}; "
          "greedyhull.extend.Needs(...) is wanted.")
    needs = told or Needs()
    if type(solver).__module__.startswith("greedyhull."):
        return needs
    for field, older in OLDER.items():
        said = getattr(solver, older, None)  # no protocol has these words any more
        if said is not None and (told is None or _depth(solver, older) < _depth(solver, "needs")):
            needs = replace(needs, **{field: bool(said)})
    return needs


def keeps_atoms(f: Objective, S: AtomSet, needs: Needs) -> bool:
    """Whether a solver needs the atoms of points of S."""
    return needs.atoms and not by_coordinates(f, S, needs)


def by_coordinates(f: Objective, S: AtomSet, needs: Needs) -> bool:
    """Whether a solver, which needs atoms elsewhere, works on the coordinates of points of S."""
    return needs.atoms and needs.regions and S.traits.region is not None and not _few_atoms(f, S)


def _few_atoms(f: Objective, S: AtomSet) -> bool:
    """Whether a polytope has too many coordinates for a Hessian, and f bends in fewer directions, n say: then some minimum
    mixes n + 1 atoms, and products with a singular Hessian would take long."""
    model, d = imaged(f), prod(S.shape)
    return d > MOST and isinstance(S.traits.region, RowsRegion) and model is not None and model.design.n < d


def _depth(solver: Solver, name: str) -> float:
    """How far up the attribute is found: 0 on the object, then its class and those it derives from; infinity: nowhere."""
    homes = (own(solver) or {}, *map(vars, type(solver).__mro__))
    return next((i for i, home in enumerate(homes) if name in home), inf)


def check_requirements(f: Objective, S: AtomSet, solver: Solver) -> Needs:
    """What the solver needs; an error where f and S do not have it, with what is missing and what to use instead."""
    needs, traits = requirements_of(solver), f.traits
    lacking = ((needs.smooth and not traits.smooth) or (needs.second_order and not traits.second_order)
               or (needs.terms and not traits.exact_gradient) or (needs.one_owner and S.traits.owners != 1)
               or (needs.faces and not S.traits.faces))
    if lacking:
        _refuse(f, S, needs, type(solver).__name__)
    return needs


def _refuse(f: Objective, S: AtomSet, needs: Needs, name: str) -> None:
    """The error for the first thing that is missing."""
    check(f.traits.smooth or not needs.smooth,
          lambda: f"{name} follows gradients, and {f!r} has kinks: there a subgradient may point nowhere, and the method can "
                  "stand still far from the minimum. Use Smoothed(), or RegularizedStochasticFrankWolfe() for minibatches.")
    check(f.traits.second_order or not needs.second_order,
          lambda: f"{name} takes Newton steps, and {f!r} has no finite Hessian. Use BlendedPairwise(). A loss of your own "
                  "has one if it defines curvatures(z), a function if it is given hessian_product=.")
    check(f.traits.exact_gradient or not needs.terms,
          lambda: f"{name} samples the gradients of terms, and {f!r} has inexact gradients, whose error it knows for the "
                  "whole sum only. Use FrankWolfe() or BlendedPairwise().")
    check(not needs.one_owner or S.traits.owners == 1,
          lambda: f"{name} moves weight between any two atoms, and a point of {S!r} has {S.traits.owners} owners, whose "
                  "weights sum to one each. Use BlendedPairwise() or Corrective().")
    check(not needs.faces or S.traits.faces,
          lambda: f"{name} asks for the face that holds a point, and {S!r} does not know its faces. Use BlendedPairwise() or "
                  "Corrective(). A set of your own has them if it defines within(w, g) and room(w, v).")


def theory_warnings(rule: StepRule, estimator: Estimator, f: Objective) -> Iterator[str]:
    """What is to be said of steps and estimator on f; k is counted from one."""
    step = in_advance(rule)
    if not diverges(lambda k: step_at(step, k - 1)):
        yield (f"Theorem 1 asks for steps with an infinite sum, and those of {step!r} have a finite one: the points need "
               "not reach the minimum. Use Power(0.5) or OpenLoop().")
    if has(estimator, "cautions"):
        yield from cast(VarianceModel, estimator).cautions(lambda k: step_at(step, k - 1), count_of(f))
