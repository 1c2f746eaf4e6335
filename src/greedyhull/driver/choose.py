"""Which solver is used by default, and checks of solvers and stops."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import prod
from types import GeneratorType
from typing import Any

import numpy as np

from greedyhull.atoms.joined import Product
from greedyhull.driver.reason import Told
from greedyhull.driver.stop import Stop
from greedyhull.errors import GreedyhullError, aliased, check, nearest, shown
from greedyhull.types import AtomSet, Objective, Solver, imaged

STEPS = "greedyhull.solvers.parts.steps"
SOLVERS = ("FrankWolfe", "Jones", "PairwiseJones", "BlendedPairwise", "Corrective", "Mixed", "Aggregated", "Smoothed",
           "StochasticFrankWolfe", "StochasticJones", "LuFreund", "MoreauFrankWolfe", "RegularizedStochasticFrankWolfe",
           "Storc", "VarianceReducedJones")


def check_seed(seed: object) -> None:
    """Raise if something else was given in place of a seed."""
    if not (isinstance(seed, (int, np.integer)) and not isinstance(seed, bool) and 0 <= seed < 2**63):
        raise GreedyhullError(f"seed={shown(seed)} was given; a whole number from 0 to 2⁶³ − 1 is wanted.")


def check_solver(solver: object) -> None:
    """Raise if something else was given in place of a solver: a stop, a step rule, a name."""
    home = type(solver).__module__
    if solver is None or (home.startswith("greedyhull.solvers.") and home != STEPS):
        return
    check(not isinstance(solver, Stop), lambda: f"solver={shown(solver)} was given, which is a stop. Give it by name: "
                                                f"stop={shown(solver)}.")
    if isinstance(solver, str):
        word = solver.lower().replace("_", "").replace("-", "").replace(" ", "")
        known = [name for name in aliased(word, "greedyhull") if name in SOLVERS]
        near = known[0] if known else nearest(word, {name.lower(): name for name in SOLVERS}) or "FrankWolfe"
        raise GreedyhullError(f"solver={solver!r} was given; a solver such as {near}() is wanted, not its name.")
    if isinstance(solver, type):
        raise GreedyhullError(f"solver={shown(solver)} was given; a solver such as FrankWolfe() is wanted. "
                              f"Make one: {solver.__name__}().")
    check(type(solver).__module__ != STEPS, lambda: f"solver={shown(solver)} was given, which is a step rule; a solver is "
                                                    f"wanted. Give the rule to one: FrankWolfe({shown(solver)}).")


def check_steps(solver: object, steps: object) -> None:
    """Raise unless ``run`` of a solver returned something to iterate over: without a yield it is no generator."""
    if type(steps) is GeneratorType:
        return
    check(isinstance(steps, Iterator), lambda: f"run(f, S, w, memory) of {shown(solver)} returned {shown(steps)}; a generator "
                                               "is wanted, which yields Progress.of(w, gap, answer) once for each iteration.")


def check_stop(stop: Any) -> None:
    """Raise if a stop is not one, in words that say how to write the one that was probably meant."""
    if isinstance(stop, Stop):
        return
    how = "a stop such as Gap(1e-6) | Seconds(30) is wanted"
    if isinstance(stop, list | tuple) and stop and all(isinstance(one, Stop) for one in stop):
        how = f"one stop is wanted. Combine several by | or &: {' | '.join(map(shown, stop))}"
    elif isinstance(stop, type) and issubclass(stop, Stop):
        how = f"{how}. Make one: {stop.__name__}(...)"
    elif isinstance(stop, int) and not isinstance(stop, bool):
        how = f"{how}, for instance Iterations({stop})"
    elif isinstance(stop, float):
        how = f"{how}, for instance Relative({stop!r}) for a relative gap or Gap({stop!r}) for an absolute one"
    elif callable(stop):
        how = f"{how}. For a function of an event, Callback(fn)"
    raise GreedyhullError(f"stop={shown(stop)} was given; {how}.")


def choose_solver(f: Objective, S: AtomSet) -> tuple[Solver, Told]:
    """A solver and why: `Smoothed` where f has kinks, `BlockCoordinate` over a product of very many sets, `Corrective`
    where f has a Hessian to reweight atoms with; where it has none, or is not solved for in coordinates and may mix very many
    atoms, `DecompositionInvariant` over one set with faces whose atoms cannot be listed, else `BlendedPairwise`."""
    solver, why = _choice(f, S)
    return solver, lambda: why.format(f=repr(f), S=repr(S))


def _choice(f: Objective, S: AtomSet) -> tuple[Solver, str]:
    traits = f.traits
    if traits.terms == "stream":
        return _stochastic(), "StochasticFrankWolfe was chosen: {f} can only be sampled."
    if not traits.smooth:
        return _smoothed(), ("Smoothed was chosen: {f} has kinks, where gradients mislead; smoothed less and less, it is "
                            "minimised by a smooth solver and certified as it is.")
    owners = S.traits.owners
    # of a product, from which on steps in one set at a time are faster, whether its minimum is zero or not
    if owners != 1 and isinstance(S, Product) and owners == len(S.sets) >= 3000:
        return _blocks(), ("BlockCoordinate was chosen: {S} has so many sets that steps in one of them at a time pay.")
    if traits.second_order and traits.convex and _faced(S) and S.traits.region is None and _bends_everywhere(f, S):
        return _invariant(), ("DecompositionInvariant was chosen: {S} knows its faces, and a minimum of {f} may mix so many "
                              "atoms that steps within faces, which need no list of them, pay.")
    if traits.second_order:
        return _corrective(), "Corrective was chosen: {f} has a Hessian, so many atoms can be reweighted at once."
    if traits.convex and _faced(S):
        return _invariant(), ("DecompositionInvariant was chosen: {f} has no finite Hessian, and {S} knows its faces; steps "
                              "within them need no list of atoms.")
    return _pairwise(), ("BlendedPairwise was chosen: {f} has no finite Hessian to reweight many atoms with, and swapping "
                         "weight between two of them needs none.")


def _bends_everywhere(f: Objective, S: AtomSet) -> bool:
    """Whether f may bend in very many directions, and in all; with fewer, n say, some minimum is a mixture of n + 1 atoms."""
    model, d = imaged(f), prod(S.shape)
    # from which on a minimum may mix so many atoms that reweighting them takes longer than steps within faces
    return d >= 2000 and (model is None or model.design.n >= d)


def _faced(S: AtomSet) -> bool:
    """Whether steps within faces pay: not where atoms are few enough to be listed, nor over products, whose first set to end a
    step ends it for all."""
    said = S.traits
    return said.faces and not said.finite and said.owners == 1


# Solvers are settings and hold nothing of a run: each is loaded and made once, when it is first chosen.


@lru_cache(maxsize=1)
def _stochastic() -> Solver:
    from greedyhull.solvers.stochastic_frank_wolfe import StochasticFrankWolfe

    return StochasticFrankWolfe()


@lru_cache(maxsize=1)
def _smoothed() -> Solver:
    from greedyhull.solvers.smoothed import Smoothed

    return Smoothed()


@lru_cache(maxsize=1)
def _blocks() -> Solver:
    from greedyhull.solvers.block_coordinate import BlockCoordinate

    return BlockCoordinate()


@lru_cache(maxsize=1)
def _corrective() -> Solver:
    from greedyhull.solvers.corrective import Corrective

    return Corrective()


@lru_cache(maxsize=1)
def _invariant() -> Solver:
    from greedyhull.solvers.pairwise import DecompositionInvariant

    return DecompositionInvariant()


@lru_cache(maxsize=1)
def _pairwise() -> Solver:
    from greedyhull.solvers.pairwise import BlendedPairwise

    return BlendedPairwise()
