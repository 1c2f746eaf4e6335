"""Checks of what oracles return, before it enters a solve."""

from __future__ import annotations

from math import isfinite, prod
from typing import Any

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.points.arrays import coarse_dtype, dense, eps_of, is_sparse, masked
from greedyhull.points.blocks import Block
from greedyhull.points.owners import Joint, OwnedBlock
from greedyhull.points.shapes import Basis, Dense, Sparse
from greedyhull.types import Answer, Array, Atom, Floor, Kind, Shape, Shortlist, lacks

KINDS: tuple[Kind, ...] = ("always", "probability", "expectation", "estimate", "stationary")  # from strong to weak


def as_atom(given: Any, shape: Shape, own: bool = False) -> Atom:
    """Return the answer of an oracle as an atom: an atom unchanged, an array as a new `Dense`.

    If ``own``, a `Dense` is checked and copied too, as its array may change later.

    >>> as_atom(np.array([-0.0, 2.0]), (2,))
    Dense(array=array([0., 2.]), name=None)
    """
    if type(given) is Basis:
        whole = type(given.index) is int or isinstance(given.index, np.integer)
        check(whole and isinstance(given.scale, (int, float, np.integer, np.floating)),
              lambda: f"An oracle returned {given!r}; a whole number and a real one are wanted.")
        if 0 <= given.index < prod(shape) and isfinite(given.scale):
            return Basis(int(given.index), float(given.scale))  # numbers of NumPy may be of single precision
        raise GreedyhullError(f"An oracle returned {given!r} for points of shape {shape}; an index below {prod(shape)} and a "
                              "finite scale are wanted.")
    if type(given) is Dense:
        if not own and isinstance(given.array, np.ndarray) and given.array.shape == shape and given.array.dtype == np.float64:
            return given
        return Dense(_numbers(given.array, shape), given.name)
    if type(given) is Sparse:
        return _sparse(given, prod(shape))
    if type(given) is Joint:
        return _joint(given, shape, own)
    if type(given) is not np.ndarray and not lacks(given, "add_to", "block"):  # an atom of the user's own shape
        return given  # type: ignore[no-any-return]
    check(given is not None, lambda: f"argmin(g) returned None; an atom or an array of shape {shape} is wanted. Does it "
                                     "return what it finds?")
    check(not isinstance(given, tuple), lambda: f"argmin(g) returned a tuple of {len(given)}; an atom or an array of shape "
          f"{shape} is wanted. To answer with a slack, use greedyhull.oracle(fn, shape).")
    return Dense(_numbers(given, shape))


def atom_dtype(given: Any) -> str:
    """Return the dtype of an atom in any form if it has fewer digits than float64; else ""."""
    if isinstance(given, Joint):
        return max(map(atom_dtype, given.parts), key=eps_of)
    shown = given.scale if isinstance(given, Basis) else given.entries if isinstance(given, Sparse) else given
    return coarse_dtype(given.array if isinstance(given, Dense) else shown)


def _joint(given: Joint, shape: Shape, own: bool) -> Joint:
    """Return the vertex with parts of one class and without names, which number the rows of different sets."""
    checked = (as_atom(part, shape, own) for part in given.parts)
    parts = tuple(Dense(d.array) if isinstance(d, Dense) else d for d in checked)
    if len({type(d) for d in parts}) == 1:
        return Joint(parts, given.owners)
    block = Joint(parts, given.owners).block(prod(shape))  # it takes the widest
    return next(block.joints())


def _numbers(given: Any, shape: Shape) -> Array:
    """Return a new float64 array without negative zeros."""
    check(not masked(given) and not np.iscomplexobj(given),
          "An oracle returned an array with masked or complex entries; real numbers are wanted.")
    try:
        array = np.array(dense(given) if is_sparse(given) else given, dtype=np.float64)
    except (TypeError, ValueError):
        raise GreedyhullError(f"An oracle returned a {type(given).__name__}; an atom, or an array of shape {shape}, is "
                              "wanted.") from None
    if array.shape != shape and array.size == prod(shape) and len(shape) == 1:  # a row or a column of a matrix
        array = array.reshape(shape)
    check(array.shape == shape, lambda: f"An oracle returned an array of shape {array.shape}; one of shape {shape} is wanted.")
    check(bool(np.isfinite(array).all()), "An oracle returned an array with NaN or infinite entries; a point of the set is "
                                          "wanted. If there is none, raise an error.")
    return array + 0.0


def _sparse(given: Sparse, size: int) -> Sparse:
    """Return the atom with places ascending, each once, and without zeros."""
    check(np.asarray(given.places).dtype.kind in "iu" or not np.size(given.places),
          lambda: f"An oracle returned {given!r}; places that are whole numbers are wanted.")
    places, entries = np.array(given.places, dtype=np.intp), np.array(given.entries, dtype=np.float64)
    check(places.ndim == 1 and places.shape == entries.shape, lambda: f"An oracle returned a Sparse atom with {places.shape} "
          f"places and {entries.shape} entries; as many of the one as of the other are wanted.")
    good = bool(np.isfinite(entries).all()) and (not places.size or (int(places.min()) >= 0 and int(places.max()) < size))
    check(good, lambda: f"An oracle returned {given!r}; finite entries at places below {size} are wanted.")
    if (places[1:] > places[:-1]).all() and entries.all():
        return Sparse(places, entries)
    unique, back = np.unique(places, return_inverse=True)
    sums = np.bincount(back, weights=entries, minlength=len(unique))
    return Sparse(unique[sums != 0.0], sums[sums != 0.0])


def as_answer(given: Any, shape: Shape) -> Answer:
    """Return an atom, a pair (atom, slack) or an answer of an oracle as a checked `Answer`."""
    if not isinstance(given, Answer):
        if not (isinstance(given, tuple) and len(given) == 2):
            return Answer(as_atom(given, shape))
        given = Answer(*given)
    atom, slack = as_atom(given.atom, shape), _slack(given.slack)
    kind, delta = _promise(given.kind, given.delta, slack)
    same = atom is given.atom and slack is given.slack and kind == given.kind and delta is given.delta
    return given if same else Answer(atom, slack, kind, delta)


def _slack(given: Any) -> float:
    if type(given) is float and given >= 0.0:
        return given
    good = isinstance(given, (int, float, np.integer, np.floating)) and bool(given >= 0.0)
    check(good, lambda: f"An oracle returned a slack of {given!r}; a number of at least 0, how far its atom may be from the "
                        "best one, is wanted.")
    return float(given)


def _promise(kind: Any, delta: Any, slack: float = 0.0) -> tuple[Kind, float]:
    """Return kind and probability of failure of a promise; without a probability it is an estimate."""
    if kind == "always" and delta == 0.0 and type(delta) is float:
        return "always", delta
    check(isinstance(kind, str) and kind in KINDS, lambda: f"An oracle returned an answer of kind {kind!r}; one of "
                                                           f"{', '.join(KINDS)} is wanted.")
    good = isinstance(delta, (int, float, np.integer, np.floating)) and bool(delta >= 0.0)
    check(good, lambda: f"An oracle returned delta={delta!r}; a number from 0 to 1, how likely its promise is to fail, is "
                        "wanted.")
    if slack == np.inf:  # an empty promise always holds
        return "always", 0.0
    if kind == "always" and delta > 0.0:
        kind = "probability"
    if kind == "probability" and not 0.0 < delta < 1.0:
        kind = "estimate"
    return kind, float(delta) if kind == "probability" else 0.0


def as_block(given: Any, owner: Any) -> Block:
    """Return what ``best(g, m)`` of a set returned; raise unless it is a block of atoms."""
    known = isinstance(given, Block)
    if not (known and len(given) > 0):
        raise GreedyhullError(f"best(g, m) of {owner!r} returned {'no atoms' if known else _called(given)}; a block of at "
                              "least one atom is wanted, made by atom.block(size) and block.append(atom). Without best, "
                              "argmin(g) is asked.")
    return given  # type: ignore[no-any-return]


def as_shortlist(given: Any, owner: Any, owners: int = 1) -> Shortlist:
    """Return the checked answer of an oracle of the set ``owner``, with at least one atom of each of its ``owners``."""
    check(isinstance(given, Shortlist), lambda: f"best(g, m) of an oracle of {owner!r} returned {_called(given)}; a "
          "Shortlist(atoms, slack) is wanted.")
    as_block(given.atoms, owner)
    slack = _slack(given.slack)
    kind, delta = _promise(given.kind, given.delta, slack)
    if owners > 1 or given.owners is not None or given.atoms.owners is not None:
        given = _with_owners(given, owner, owners)
    same = slack is given.slack and kind == given.kind and delta is given.delta
    return given if same else given._replace(slack=slack, kind=kind, delta=delta)  # type: ignore[no-any-return]


def as_floor(given: Any, owner: Any) -> Floor:
    """Return what ``floor(g, tol)`` of an oracle of the set ``owner`` returned, a `Floor` or a number, as a `Floor`."""
    floor = given if isinstance(given, Floor) else Floor(given)
    good = isinstance(floor.lower, (int, float, np.integer, np.floating)) and bool(floor.lower < np.inf)
    check(good, lambda: f"floor(g) of an oracle of {owner!r} returned {given!r}; a number that ⟨g, ·⟩ is nowhere below is "
                        "wanted, −inf where none is known.")
    kind, delta = _promise(floor.kind, floor.delta, -float(floor.lower))
    return Floor(float(floor.lower), kind, delta, float(floor.sharpest))


def _with_owners(given: Shortlist, S: object, owners: int) -> Shortlist:
    """Return the list with its owners in its block; raise unless all of them are there."""
    plain = given.atoms.inner if isinstance(given.atoms, OwnedBlock) else given.atoms
    whose = given.atoms.owners if given.owners is None else given.owners
    check(whose is not None, lambda: f"best(g, m) of {S!r} names atoms and not whose they are; Shortlist(..., owners=...), a "
          f"number from 0 to {owners - 1} for each atom, is wanted.")
    block = OwnedBlock(plain.unnamed(), whose)
    check(set(block.owners.tolist()) == set(range(owners)), lambda: f"best(g, m) of {S!r} names atoms of the owners "
          f"{sorted(set(block.owners.tolist()))}; at least the best one of each of its {owners}, and of no other, is wanted.")
    return given._replace(atoms=block, owners=block.owners)


def _called(given: Any) -> str:
    return "None" if given is None else f"a {type(given).__name__}"
