"""The promises of sets that take gradients of any kind, or write points in fewer atoms, for `check_atoms`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from greedyhull.errors import GreedyhullError
from greedyhull.points.gradients import as_array
from greedyhull.points.iterate import Iterate
from greedyhull.points.lengths import length
from greedyhull.points.owners import vertices
from greedyhull.testing.expect import atom_array, expect, mixture
from greedyhull.types import Array, AtomSet, Gradient

SAME = 1e-12  # as the driver asks


def check_kinds_of_gradients(S: AtomSet, gradients: list[Array], tolerance: Callable[[Array], float]) -> None:
    """A set that takes gradients of any kind answers a sparse matrix and an operator as it answers the array."""
    if S.traits.gradients != "any" or len(S.shape) != 2:
        return
    from scipy.sparse import csr_array
    from scipy.sparse.linalg import aslinearoperator

    for g in gradients[:8]:
        kinds: list[Gradient] = [csr_array(g), aslinearoperator(np.array(g))]
        for other in kinds:
            _check_kind(S, g, other, tolerance(g))


def _check_kind(S: AtomSet, g: Array, other: Gradient, tol: float) -> None:
    what = f"{S!r} says that it takes any kind of gradient, and asked with a {type(other).__name__}"
    try:
        oracle = S.oracle(np.random.default_rng(0))
        plain, answer = oracle.argmin(g), oracle.argmin(other)  # type: ignore[arg-type]
        told, block = answer.atom.dot(other), answer.atom.block(g.size).dots(other)
    except Exception as error:
        raise AssertionError(f"{what} it failed: {type(error).__name__}: {error}") from error
    score = float(np.vdot(g, atom_array(answer.atom, S.shape)))
    expect(answer.kind != "always" or score - answer.slack <= plain.atom.dot(g) + tol,
           f"{what} its atom scores {score:.12g}; asked with the array, {plain.atom.dot(g):.12g}.")
    expect(abs(told - score) <= tol and abs(float(block[0]) - score) <= tol,
           f"{what} its atom says that it scores {told:.12g}, and a block of it {float(block[0]):.12g}; it is {score:.12g}.")
    expect(np.array_equal(as_array(other), g), f"{what} it wrote on the gradient.")


def check_compressed(S: AtomSet, rng: np.random.Generator) -> None:
    """The same point in no more atoms than before, each of them in the set, with the weights of a mixture."""
    for atoms in (1, 4, 12):
        w = mixture(S, rng, atoms)
        keys, before = list(w.block.keys), w.array()
        block, alpha = S.compressed(w.block, w.weights.copy(), SAME)
        unchanged = list(w.block.keys) == keys and np.array_equal(w.array(), before)
        expect(unchanged, f"compressed of {S!r} changed what it was given.")
        expect(1 <= len(block) <= len(keys), f"compressed of {S!r} wrote a point of {len(keys)} atoms in {len(block)}.")
        try:
            fewer = Iterate(block, alpha, S.shape)
        except GreedyhullError as error:
            raise AssertionError(f"compressed of {S!r}: {error}") from error
        good = np.all(fewer.weights >= 0.0) and np.all(np.abs(fewer.totals - 1.0) <= 1e-14 * (1.0 + len(fewer)))
        expect(good, f"compressed of {S!r} gave the weights {fewer.weights}, which are not those of a mixture.")
        off, allowed = length(fewer.array() - before), SAME * length(w.absolute())
        expect(off <= allowed + 1e-300, f"compressed of {S!r} gave a point that is {off:.3g} away; {allowed:.3g} was allowed.")
        for d in vertices(block):
            expect(S.contains(atom_array(d, S.shape)), f"compressed of {S!r} gave {d!r}, which it does not contain.")
