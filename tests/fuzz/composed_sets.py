"""Random sets made of any others, which may be made of others in turn: products, sums, scaled and moved ones."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

import greedyhull as gh
from greedyhull.types import Array
from tests.fuzz.draws import Rng, chance, pick
from tests.fuzz.exact import LD
from tests.fuzz.region import Region

Draw = Callable[[Rng, int], Region]
LOOSE = 1e-12  # what multiples and shifts leave open, relative to the size of a set


def product_of_any(rng: Rng, d: int, draw: Draw) -> Region:
    """Up to four sets of any kind side by side."""
    cuts = np.sort(rng.permutation(np.arange(1, d))[: int(rng.integers(0, 4))])
    ends = [0, *cuts.tolist(), d]
    return _product([wrapped_part(rng, draw(rng, b - a)) for a, b in pairwise(ends)])


def _product(parts: list[Region]) -> Region:
    ends = np.cumsum([0, *(part.d for part in parts)])
    slices = [slice(a, b) for a, b in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)]

    def pull(x: Array) -> Array | None:
        pulled = [part.pull(x[s]) for part, s in zip(parts, slices, strict=True)]
        inside = [y for y in pulled if y is not None]
        return np.concatenate(inside) if len(inside) == len(parts) else None

    def again(rng: Rng) -> Region:
        k = int(rng.integers(len(parts)))
        return _product([part.again(rng) if i == k else part for i, part in enumerate(parts)])

    rows = max(len(part.some) for part in parts)
    some = np.hstack([part.some[np.arange(rows) % len(part.some)] for part in parts])
    return Region(f"Product({', '.join(part.kind for part in parts)})", gh.Product(*(part.S for part in parts)), int(ends[-1]),
                  lambda x: max(part.outside(x[s]) for part, s in zip(parts, slices, strict=True)), pull, some, again,
                  loose=max(part.loose for part in parts), inner=gh.Product(*(part.plain for part in parts)))


def sum_of_any(rng: Rng, d: int, draw: Draw) -> Region:
    """S + c·S for any S and c > 0, which is (1 + c)·S: S is convex."""
    return _sum(draw(rng, d), pick(rng, (0.5, 1.0, 2.0, 1e-3)))


def _sum(part: Region, c: float) -> Region:
    S, plain = gh.Sum(part.S, gh.Scaled(part.S, c)), gh.Sum(part.plain, gh.Scaled(part.plain, c))
    return _multiple(part, 1.0 + c, f"Sum({part.kind})", S, plain, lambda rng: _sum(part.again(rng), c))


def scaled_any(rng: Rng, d: int, draw: Draw) -> Region:
    """c·S for any S, with c of either sign."""
    return _scaled(draw(rng, d), pick(rng, (0.5, -1.0, 3.0, -0.1)))


def _scaled(part: Region, c: float) -> Region:
    S, plain = gh.Scaled(part.S, c), gh.Scaled(part.plain, c)
    return _multiple(part, c, f"Scaled({part.kind})", S, plain, lambda rng: _scaled(part.again(rng), c))


def _multiple(part: Region, c: float, kind: str, S: gh.AtomSet, plain: gh.AtomSet, again: Callable[[Rng], Region]) -> Region:
    """A set whose points are those of ``part`` times c."""

    def pull(x: Array) -> Array | None:
        pulled = part.pull(x / LD(c))
        return None if pulled is None else np.asarray(pulled * LD(c))

    return Region(kind, S, part.d, lambda x: part.outside(x / LD(c)), pull, c * part.some, again,
                  loose=max(part.loose, LOOSE), inner=plain)


def translated_any(rng: Rng, d: int, draw: Draw) -> Region:
    """S + v for any S, each entry of v as large as those of S: rounding is then relative to these."""
    part = draw(rng, d)
    size = np.abs(part.some).max(axis=0, initial=0.0)
    return _translated(part, size * rng.uniform(-1.0, 1.0, d) * (rng.random(d) < 0.7))


def _translated(part: Region, v: Array) -> Region:
    far = v.astype(LD)

    def pull(x: Array) -> Array | None:
        pulled = part.pull(x - far)
        return None if pulled is None else np.asarray(pulled + far)

    return Region(f"Translated({part.kind})", gh.Translated(part.S, v), part.d, lambda x: part.outside(x - far), pull,
                  v + part.some, lambda rng: _translated(part.again(rng), v if chance(rng, 0.5) else 1.1 * v),
                  loose=max(part.loose, LOOSE), inner=gh.Translated(part.plain, v))


def wrapped_part(rng: Rng, part: Region) -> Region:
    """A set of a product as it is, or inside `Cached` or `Inexact`."""
    if part.S.traits.owners > 1 or not chance(rng, 0.2):
        return part
    if chance(rng, 0.5):
        return part.wrapped(gh.Cached(part.S, size=pick(rng, (1, 3, 200))), "Cached")
    error = float(np.abs(part.some).max(initial=0.0)) * pick(rng, (0.0, 1e-6, 1e-2))
    return part.wrapped(gh.Inexact(part.S, error), "Inexact")


MAKES: tuple[Callable[[Rng, int, Draw], Region], ...] = (product_of_any, sum_of_any, scaled_any, translated_any)
