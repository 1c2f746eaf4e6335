"""The promises of sets with several owners, for `check_atoms`: a part for each owner, each the best of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from greedyhull.points.owners import Joint, least, vertices
from greedyhull.testing.expect import atom_array, expect
from greedyhull.types import Array, Atom, AtomSet, Shortlist

if TYPE_CHECKING:
    from greedyhull.testing.set_trial import Trial

SHOWN = 6  # places that a sentence names


def single_atoms(atoms: list[Atom]) -> list[Atom]:
    """The atoms that a point keeps: the parts of vertices, with their owners."""
    return [part for d in atoms for part in (d.owned if isinstance(d, Joint) else (d,))]


def check_owners(trial: Trial) -> None:
    """Answers have a part for each owner, none of them is beaten by another of the same owner, and they can be exchanged."""
    S, said = trial.S, trial.S.traits.owners
    expect(isinstance(said, int) and said >= 1, f"{S!r} says owners = {said!r}; a whole number of at least 1 is wanted.")
    for d in trial.atoms:
        have = len(d.parts) if isinstance(d, Joint) else 0
        expect(have == said or (said == 1 and have == 0), f"{S!r} says owners = {said}, but answered {d!r}, which "
               f"{f'has {have} parts' if have else 'is no Joint'}. A set of several owners answers with Joint(parts, owners), "
               "a part for each, and says in owners how many there are.")
    joints = [d for d in trial.atoms if isinstance(d, Joint)]
    if joints:
        _check_parts(trial, joints)
        _check_exchanged(trial, joints)


def _check_parts(trial: Trial, joints: list[Joint]) -> None:
    """The part of an owner is the best of all parts that it has been seen to have."""
    S = trial.S
    for owner in range(len(joints[0].parts)):
        rows = np.stack([atom_array(d.parts[owner], trial.shape).ravel() for d in joints])
        for i, (g, answer) in enumerate(zip(trial.gradients, trial.answers, strict=True)):
            scores = rows.dot(g.ravel())
            j = int(scores.argmin())
            expect(answer.kind != "always" or scores[i] - answer.slack <= scores[j] + trial.tolerance(g),
                   f"{S!r} answered with the part {joints[i].parts[owner]!r} of owner {owner}, of score {scores[i]:.12g}, but "
                   f"its part {joints[j].parts[owner]!r} scores {scores[j]:.12g}. The argmin of owner {owner} is wrong, or "
                   f"its parts lie in the wrong block: {_where(joints, trial.shape)}")


def _check_exchanged(trial: Trial, joints: list[Joint]) -> None:
    """Any part of one owner goes with any part of another: that is what a product is."""
    S = trial.S
    for d in joints[:8]:
        expect(S.contains(atom_array(d, trial.shape)), f"{S!r} answered {d!r}, which it does not contain. If each part is a "
               f"point of its set, one lies in the wrong block: {_where(joints, trial.shape)}")
    for _ in range(8):
        picked = trial.rng.integers(len(joints), size=len(joints[0].parts))
        mixed = Joint(tuple(joints[int(i)].parts[owner] for owner, i in enumerate(picked)))
        expect(S.contains(atom_array(mixed, trial.shape)), f"{S!r} does not contain {mixed!r}, whose parts come from several "
               "of its answers. A point mixes the parts of each owner by themselves: the owners of a part must be the same in "
               f"every answer, and its entries zero outside the owner's block: {_where(joints, trial.shape)}")


def _where(joints: list[Joint], shape: tuple[int, ...]) -> str:
    """Where the parts of each owner have entries, and which places are of two."""
    used = [np.any([atom_array(d.parts[b], shape).ravel() != 0.0 for d in joints], axis=0) for b in joints[0].owners]
    said = "; ".join(f"those of owner {b} have entries at {_places(mask)}" for b, mask in enumerate(used))
    shared = np.sum(used, axis=0) > 1
    return f"{said}{f'; {_places(shared)} belong to more than one' if shared.any() else ''}."


def _places(mask: Array) -> str:
    places = np.flatnonzero(mask).tolist()
    return f"{places[:SHOWN]}{' and more' if len(places) > SHOWN else ''}" if places else "no place"


def check_owned_shortlist(S: AtomSet, found: Shortlist, g: Array, m: int, trial: Trial) -> None:
    """best(g, m): the first atom of each owner is its best, at most m of each, each once, all parts of points of the set."""
    owners, tol = found.owners, trial.tolerance(g)
    assert owners is not None
    scores = np.asarray(found.atoms.dots(g), dtype=np.float64)
    low = least(scores, owners)
    for owner in range(S.traits.owners):
        own = scores[owners == owner]
        expect(1 <= len(own) <= m, f"{S!r} answered best(g, {m}) with {len(own)} atoms of owner {owner}.")
        expect(own[0] <= low[owner] + tol, f"{S!r} answered best(g, {m}) with an atom of owner {owner} that scores "
               f"{own[0]:.12g} before one that scores {low[owner]:.12g}; the best one comes first.")
    expect(len(set(found.atoms.keys)) == len(found.atoms), f"{S!r} answered best(g, {m}) with an atom twice.")
    expect(float(low.sum()) - found.slack <= trial.least(g)[0] + tol,
           f"{S!r}: the best of best(g, {m}) score {low.sum():.12g}, all owners together; {trial.least(g)[0]:.12g} exists.")
    for d in vertices(found.atoms):
        expect(S.contains(atom_array(d, trial.shape)), f"{S!r} does not contain {d!r}, made of parts of its best(g, {m}).")

