"""Which solver, when nobody said: by what the objective and the set are."""

from __future__ import annotations

from functools import lru_cache
from math import prod

from greedyhull.atoms.product import Product
from greedyhull.driver.words import Told
from greedyhull.types import AtomSet, Objective, Solver
from greedyhull.types.kinds import imaged

MANY_SETS = 3000  # of a product, from which on steps in one set at a time are faster, whether its minimum is zero or not

MANY_ENTRIES = 2000  # from which on a minimum may mix so many atoms that reweighting them takes longer than steps within faces


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
    if owners != 1 and isinstance(S, Product) and owners == len(S.sets) >= MANY_SETS:
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
    return d >= MANY_ENTRIES and (model is None or model.design.n >= d)


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
    from greedyhull.solvers.decomposition_invariant import DecompositionInvariant

    return DecompositionInvariant()


@lru_cache(maxsize=1)
def _pairwise() -> Solver:
    from greedyhull.solvers.blended_pairwise import BlendedPairwise

    return BlendedPairwise()
