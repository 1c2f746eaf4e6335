"""More random sets, each with a formula: top-k hulls, groups, other norm balls, orders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import greedyhull as gh
from greedyhull.types import Array
from tests.fuzz import membership
from tests.fuzz.draws import Rng, chance, pick, scale
from tests.fuzz.exact import LD
from tests.fuzz.region import Region, radius_of

OTHERS = (0.5, 1.0 + 1e-7, 1.5, 10.0)  # by which a radius is changed


def _ball(kind: str, S: gh.AtomSet, norm: Callable[[Array], Any], again: Callable[[Rng], Region]) -> Region:
    """A set that is where a norm is at most one."""
    d = S.shape[0]
    some = np.stack([_of(S, sign * row) for row in np.eye(d)[:6] for sign in (1.0, -1.0)])
    return Region(kind, S, d, lambda x: membership.within(norm(x)), lambda x: np.asarray(x / np.maximum(norm(x), LD(1))), some,
                  again)


def _of(S: gh.AtomSet, g: Array) -> Array:
    x = np.zeros(S.shape)
    S.atom(g).add_to(x, 1.0)
    return x


def k_sparse(rng: Rng, d: int, radius: float | None = None, K: int | None = None) -> Region:
    r, K = radius_of(rng) if radius is None else radius, K or int(rng.integers(1, d + 1))
    return _ball("KSparse", gh.KSparse(d, K, r), lambda x: np.maximum(np.abs(x).max(), np.abs(x).sum() / K) / LD(r),
                 lambda rng: k_sparse(rng, d, r * pick(rng, OTHERS), K))


def k_support(rng: Rng, d: int, radius: float | None = None, K: int | None = None) -> Region:
    r, K = radius_of(rng) if radius is None else radius, K or int(rng.integers(1, d + 1))
    return _ball("KSupport", gh.KSupport(d, K, r), lambda x: membership.k_support(x / LD(r), K),
                 lambda rng: k_support(rng, d, r * pick(rng, OTHERS), K))


def group_l1_ball(rng: Rng, d: int, radius: float | None = None, groups: Array | None = None) -> Region:
    r = radius_of(rng) if radius is None else radius
    labels = rng.integers(0, int(rng.integers(1, d + 1)), d) if groups is None else groups
    norm = lambda x: sum((np.sqrt(((x[labels == k] / LD(r)) ** 2).sum()) for k in np.unique(labels)), LD(0))
    return _ball("GroupL1Ball", gh.GroupL1Ball(labels, r), norm,
                 lambda rng: group_l1_ball(rng, d, r * pick(rng, OTHERS), labels))


def lp_ball(rng: Rng, d: int, radius: float | None = None, p: float | None = None) -> Region:
    r, p = radius_of(rng) if radius is None else radius, p or pick(rng, (1.0, 1.5, 2.0, 3.0, 10.0, np.inf))
    norm = lambda x: np.abs(x).max() / LD(r) if p == np.inf else ((np.abs(x) / LD(r)) ** LD(p)).sum() ** (1 / LD(p))
    return _ball("LpBall", gh.LpBall(d, r, p), norm, lambda rng: lp_ball(rng, d, r * pick(rng, OTHERS), p))


def total_variation_ball(rng: Rng, d: int, radius: float | None = None) -> Region:
    r = radius_of(rng) if radius is None else radius
    return _ball("TotalVariationBall", gh.TotalVariationBall(d, r),
                 lambda x: (np.abs(x[0]) + np.abs(np.diff(x)).sum()) / LD(r),
                 lambda rng: total_variation_ball(rng, d, r * pick(rng, OTHERS)))


def hyper_simplex(rng: Rng, d: int, total: float | None = None, K: int | None = None) -> Region:
    t, K = radius_of(rng) if total is None else total, K or int(rng.integers(1, d + 1))
    S = gh.HyperSimplex(d, K, t)
    return Region("HyperSimplex", S, d, lambda x: membership.simplex(x, t, np.full(d, t / K)), lambda x: None,
                  np.asarray([S.centre().array()]), lambda rng: hyper_simplex(rng, d, t * pick(rng, OTHERS), K), loose=1e-12)


def lower_simplex(rng: Rng, d: int, total: float | None = None, lower: Array | None = None) -> Region:
    """Lower bounds that leave something to fill, some of them negative."""
    t = (1.0 if chance(rng, 0.5) else radius_of(rng)) if total is None else total
    low = t * rng.uniform(-0.5 if chance(rng, 0.3) else 0.0, 0.9, d) / d if lower is None else lower
    S = gh.Simplex(d, t, lower=low)
    size = max(t, float(np.abs(low).sum()))
    above, left = low.astype(LD), float((t - low.sum()) * (t / size))
    outside = lambda x: membership.simplex((x - above) * (LD(t) / LD(size)), left, None)
    return Region("Simplex from below", S, d, outside, lambda x: None, np.asarray([S.centre().array()]),
                  lambda rng: lower_simplex(rng, d, t, low - 0.1 * t / d), loose=1e-12)


def grouped_simplex(rng: Rng, d: int, total: float | None = None, groups: Array | None = None) -> Region:
    t = (1.0 if chance(rng, 0.5) else radius_of(rng)) if total is None else total
    labels = rng.integers(0, int(rng.integers(1, min(d, 4) + 1)), d) if groups is None else groups
    names = np.unique(labels)
    upper = t * (1.0 / d + rng.random(d)) if chance(rng, 0.5) else np.full(d, t)
    room = np.array([min(t, float(upper[labels == k].sum())) for k in names])
    caps = np.minimum(room * rng.uniform(0.5, 1.0, len(names)) * (t / room.sum()) * 2.0 + 1e-9 * t, t)
    caps *= max(1.0, (1.0 + 1e-6) * t / float(np.minimum(caps, room).sum()))
    if float(np.minimum(caps, room).sum()) < t:
        caps = room
    S = gh.GroupedSimplex(labels, upper=upper, group_upper=caps, total=t)
    outside = lambda x: max(membership.simplex(x, t, upper), membership.groups(x, t, labels, caps))
    return Region("GroupedSimplex", S, d, outside, lambda x: None, np.asarray([S.centre().array()]),
                  lambda rng: grouped_simplex(rng, d, t, labels), loose=1e-12)


def permutahedron(rng: Rng, d: int, v: Array | None = None) -> Region:
    """Numbers of any scale, some of them equal."""
    if v is None:
        v = (rng.standard_normal(d) if chance(rng, 0.5) else rng.integers(-2, 3, d).astype(np.float64)) * scale(rng)
    values, S = v, gh.Permutahedron(v)
    return Region("Permutahedron", S, d, lambda x: membership.majorised(x, values), lambda x: None,
                  np.stack([rng.permutation(v) for _ in range(4)]),
                  lambda rng: permutahedron(rng, d, values * pick(rng, OTHERS)), loose=1e-12)


MAKES: tuple[Callable[[Rng, int], Region], ...] = (
    k_sparse, k_support, group_l1_ball, lp_ball, total_variation_ball, hyper_simplex, lower_simplex, grouped_simplex,
    permutahedron)
