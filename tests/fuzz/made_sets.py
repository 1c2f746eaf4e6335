"""Random sets made of others: products, sums, scaled and moved ones."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import greedyhull as gh
from greedyhull.types import Array
from tests.fuzz import membership
from tests.fuzz.draws import Rng, chance, pick
from tests.fuzz.exact import LD
from tests.fuzz.region import Region, radius_of

OTHERS = (0.5, 1.0 + 1e-7, 1.5, 10.0)  # by which a size is changed


def product(rng: Rng, d: int, totals: Array | None = None, cuts: Array | None = None) -> Region:
    """Simplices side by side, with sums of their own."""
    if cuts is None:
        cuts = np.sort(rng.permutation(np.arange(1, d))[: int(rng.integers(0, 4))])
    ends, t = np.array([0, *cuts, d], dtype=np.intp), totals
    if t is None:
        t = np.full(len(ends) - 1, radius_of(rng)) * rng.uniform(0.2, 1.0, len(ends) - 1)
    sums, parts = t, [slice(a, b) for a, b in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)]
    S = gh.Product(*[gh.Simplex(part.stop - part.start, float(r)) for part, r in zip(parts, sums, strict=True)])
    outside = lambda x: max(membership.simplex(x[part], float(r), None) for part, r in zip(parts, sums, strict=True))

    def pull(x: Array) -> Array:
        y = np.maximum(x, 0)
        return np.concatenate([y[part] * (LD(r) / y[part].sum()) for part, r in zip(parts, sums, strict=True)])

    some = np.zeros((2, d))
    for part, r in zip(parts, sums, strict=True):
        some[0, part.start], some[1, part.stop - 1] = r, r
    return Region("Product", S, d, outside, pull, some, lambda rng: product(rng, d, sums * pick(rng, OTHERS), cuts))


def sum_of_boxes(rng: Rng, d: int, radius: float | None = None, low: Array | None = None) -> Region:
    """A box and a ball of the largest entry, which together are a box."""
    r = radius_of(rng) if radius is None else radius
    start = r * rng.standard_normal(d) if low is None else low
    sides = start, start + r * rng.random(d)
    S, ends = gh.Sum(gh.Box(*sides), gh.LinfBall(d, r)), (sides[0] - r, sides[1] + r)
    return Region("Sum", S, d, lambda x: membership.box(x, *ends),
                  lambda x: np.clip(x, ends[0].astype(LD), ends[1].astype(LD)), np.vstack(sides),
                  lambda rng: sum_of_boxes(rng, d, r * pick(rng, OTHERS), start), loose=1e-12)


def scaled(rng: Rng, d: int, factor: float | None = None, radius: float | None = None) -> Region:
    """c·S for a ball of absolute sums, with c of either sign."""
    r, c = radius_of(rng) if radius is None else radius, pick(rng, (0.5, -1.0, 3.0, -0.1)) if factor is None else factor
    size = abs(c) * r
    return Region("Scaled", gh.Scaled(gh.L1Ball(d, r), c), d, lambda x: membership.l1(x, size, None),
                  lambda x: x / (1 + LD(membership.l1(x, size, None))), size * np.eye(d),
                  lambda rng: scaled(rng, d, c, r * pick(rng, OTHERS)), loose=1e-12)


def translated(rng: Rng, d: int, radius: float | None = None, shift: Array | None = None) -> Region:
    """S + v for a ball of absolute sums."""
    r = radius_of(rng) if radius is None else radius
    v = r * rng.standard_normal(d) * (rng.random(d) < 0.7) if shift is None else shift
    far, S = v.astype(LD), gh.Translated(gh.L1Ball(d, r), v)

    def off(x: Array) -> float:
        return membership.l1(x - far, r, None)

    return Region("Translated", S, d, off, lambda x: far + (x - far) / (1 + LD(off(x))), v + 0.9 * r * np.eye(d),
                  lambda rng: translated(rng, d, r * pick(rng, OTHERS), v if chance(rng, 0.5) else 1.1 * v), loose=1e-12)


MAKES: tuple[Callable[[Rng, int], Region], ...] = (product, sum_of_boxes, scaled, translated)
