"""Whether atoms that a file says to be those of a set can be."""

from __future__ import annotations

from math import prod

from greedyhull.atoms.budget import has_atoms
from greedyhull.errors import check
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.owners import OwnedBlock, vertices
from greedyhull.points.shapes import dense
from greedyhull.types import AtomSet, Block

ENTRIES = 1 << 20  # that are looked at, at most
FEW = 64  # entries of a point, up to which membership is searched for
SLID = 1 << 12  # the same where membership takes a factorisation


def check_atoms_of(S: AtomSet, block: Block, what: str) -> None:
    """Raise where atoms of a saved block have another shape, other owners or other names than those of S, or lie outside."""
    if has_atoms(S, block):
        return
    owners = block.count if isinstance(block, OwnedBlock) else 1
    check(prod(block.shape) == prod(S.shape) and owners <= S.traits.owners, lambda: f"{what} has atoms of shape {block.shape} "
          f"and {owners} owner{'' if owners == 1 else 's'}, but {S!r} those of shape {S.shape} and {S.traits.owners}.")
    named = [key for key in block.keys if isinstance(key, int)]
    check(not named or [key for key in S.recognised(block).keys if isinstance(key, int)] in ([], named), lambda: f"{what} has "
          f"atoms that are said to be rows of {S!r}, and are not.")
    if len(block) * prod(S.shape) > (SLID if S.traits.slides else ENTRIES):
        return
    for d in vertices(block):
        x = dense(d, S.shape)
        inside = S.contains_quickly(CoordinateIterate(x))
        if inside is None and prod(S.shape) <= FEW:
            inside = not S.excludes(x)
        check(inside is not False, lambda: f"{what} has atoms outside {S!r}.")
