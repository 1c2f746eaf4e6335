"""Random sets: each with a test of membership of its own, and with the points that a minimum is looked for among."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

import greedyhull as gh
from greedyhull.types import Array
from tests.fuzz import closed_sets, composed_sets, made_sets, membership, searched_sets
from tests.fuzz.draws import Rng, chance, minus_zeros, pick, scale
from tests.fuzz.exact import LD
from tests.fuzz.own_sets import FORMS, Erring, Own
from tests.fuzz.region import Pull, Region, radius_of

NESTED = 0.1  # how often a set is made of any others


def draw_region(rng: Rng, d: int, depth: int = 2) -> Region:
    """Any set; ``depth`` is how often sets may be made of others."""
    if depth > 0 and chance(rng, NESTED):
        return pick(rng, composed_sets.MAKES)(rng, d, lambda rng, d: draw_region(rng, d, depth - 1))
    others: tuple[Callable[[Rng, int], Region], ...] = (*closed_sets.MAKES, *searched_sets.MAKES, *made_sets.MAKES)
    makes = (l1_ball, l2_ball, linf_ball, box, simplex, capped_simplex, vertices, own, *others)
    return pick(rng, makes, (2, 1.5, 0.7, 1.5, 1.5, 0.7, 2, 2, *[0.7] * len(others)))(rng, d)


def wrapped(rng: Rng, region: Region, unit: float) -> Region:
    """The set as it is, or inside others; ``unit`` is how far apart values on it are, of which an inexact oracle errs by a
    part."""
    how = pick(rng, ("", "Cached", "Inexact", "both"), (6.5, 1, 2, 0.5))
    if region.S.traits.owners > 1:  # a product answers in parts; only its sets can be wrapped
        return region
    if how in ("Inexact", "both"):
        often = unit * float(10.0 ** rng.uniform(-4, 1))
        epsilon = pick(rng, (None, 0.0, often, gh.harmonic(often)), (1, 0.5, 5, 1))
        region = region.wrapped(gh.Inexact(region.S, epsilon), "Inexact")
    if how in ("Cached", "both"):
        region = region.wrapped(gh.Cached(region.S, size=pick(rng, (1, 3, 200))), "Cached")
    return region


def _ends(d: int, lengths: Array | float) -> Array:
    return np.asarray(np.vstack([np.diag(np.broadcast_to(lengths, d)), -np.diag(np.broadcast_to(lengths, d)), np.zeros(d)]))


def l1_ball(rng: Rng, d: int, radius: float | None = None, weights: Array | None = None) -> Region:
    r = radius_of(rng) if radius is None else radius
    if radius is None and chance(rng, 0.3):
        weights = rng.random(d) + 0.01 if chance(rng, 0.7) else 10.0 ** rng.uniform(-6, 6, d)

    def again(rng: Rng) -> Region:
        if weights is None or chance(rng, 0.5):
            return l1_ball(rng, d, r * pick(rng, (0.5, 1.0 + 1e-7, 1.5, 10.0)), weights)
        other = weights.copy()
        other[int(rng.integers(d))] *= pick(rng, (0.3, 3.0))
        return l1_ball(rng, d, r, other)

    with np.errstate(all="ignore"):
        lengths = r if weights is None else r / weights
    return Region("L1Ball" if weights is None else "L1Ball weighted", gh.L1Ball(d, r, weights=weights), d,
                  lambda x: membership.l1(x, r, weights), lambda x: x / (1 + LD(membership.l1(x, r, weights))),
                  _ends(d, lengths), again)


def l2_ball(rng: Rng, d: int, radius: float | None = None, centre: Array | None = None) -> Region:
    r = radius_of(rng) if radius is None else radius
    if radius is None and chance(rng, 0.4):
        centre = rng.standard_normal(d) * r * pick(rng, (1.0, 1.0, 1e-3, 1e3))
    middle = np.zeros(d) if centre is None else centre

    def pull(x: Array) -> Array:
        v = x - middle.astype(LD)
        length = np.sqrt(((v / LD(r)) ** 2).sum())
        return np.asarray(middle.astype(LD) + v / max(length, LD(1)))

    def again(rng: Rng) -> Region:
        shift = 0.0 if chance(rng, 0.5) else 0.3 * r
        return l2_ball(rng, d, r * pick(rng, (0.5, 1.5, 10.0)), middle + shift)

    return Region("L2Ball", gh.L2Ball(d, r, centre=centre), d, lambda x: membership.l2(x, r, middle), pull,
                  middle + _ends(d, r * (1.0 - 1e-15)), again)


def linf_ball(rng: Rng, d: int, radius: float | None = None) -> Region:
    r = radius_of(rng) if radius is None else radius
    ones = np.full(d, r)
    return replace(_boxed(rng, -ones, ones), kind="LinfBall", S=gh.LinfBall(d, r),
                   again=lambda rng: linf_ball(rng, d, r * pick(rng, (0.5, 1.5, 10.0))))


def box(rng: Rng, d: int) -> Region:
    """Sides of any width, some of none, some that end at zero of either sign."""
    low, high = np.sort(rng.standard_normal((2, d)) * scale(rng), axis=0)
    none = rng.random(d) < pick(rng, (0.0, 0.3, 1.0), (6, 3, 0.3))
    high[none] = low[none]
    at = rng.random((2, d)) < pick(rng, (0.0, 0.4))
    low[at[0]], high[at[1]] = np.minimum(low, 0.0)[at[0]] * 0.0, np.maximum(high, 0.0)[at[1]] * 0.0
    low, high = np.minimum(low, high), np.maximum(low, high)
    for bound in (low, high):
        minus_zeros(rng, bound)
    return _boxed(rng, low, high)


def _boxed(rng: Rng, low: Array, high: Array) -> Region:
    d = len(low)
    corners = np.where(rng.random((6, d)) < 0.5, low, high)

    def again(rng: Rng) -> Region:
        up, j = high.copy(), int(rng.integers(d))
        up[j] += pick(rng, (0.1, 1.0, 10.0)) * (abs(up[j]) + 1.0)
        return _boxed(rng, low, up)

    return Region("Box", gh.Box(low, high), d, lambda x: membership.box(x, low, high),
                  lambda x: np.clip(x, low.astype(LD), high.astype(LD)), np.vstack([low, high, corners]), again)


def simplex(rng: Rng, d: int, total: float | None = None, upper: Array | None = None) -> Region:
    t = (1.0 if chance(rng, 0.5) else radius_of(rng)) if total is None else total
    if total is None and chance(rng, 0.4):
        upper = t * (1.0 / d + rng.random(d))
        if chance(rng, 0.3):
            upper = np.full(d, float(upper.max()))

    def pull(x: Array) -> Array | None:
        y = np.maximum(x, 0)
        return None if upper is not None else np.asarray(y * (LD(t) / y.sum()))

    def again(rng: Rng) -> Region:
        if upper is not None and chance(rng, 0.5):
            return simplex(rng, d, t, upper * pick(rng, (1.5, 3.0)))
        return simplex(rng, d, t * pick(rng, (0.5, 1.5, 10.0)) if upper is None else t, upper)

    kind, S = ("Simplex", gh.Simplex(d, t)) if upper is None else ("Simplex bounded", gh.Simplex(d, t, upper=upper))
    some = t * np.eye(d) if upper is None else np.asarray([S.centre().array()])
    return Region(kind, S, d, lambda x: membership.simplex(x, t, upper), pull, some, again,
                  loose=0.0 if upper is None else 1e-12)


def capped_simplex(rng: Rng, d: int, total: float | None = None) -> Region:
    t = radius_of(rng) if total is None else total

    def pull(x: Array) -> Array:
        y = np.maximum(x, 0)
        return np.asarray(y * min(LD(1), LD(t) / max(y.sum(), LD(1e-300))))

    return Region("CappedSimplex", gh.CappedSimplex(d, t), d, lambda x: membership.simplex(x, t, None, True), pull,
                  np.vstack([t * np.eye(d), np.zeros(d)]),
                  lambda rng: capped_simplex(rng, d, t * pick(rng, (0.5, 1.5, 10.0))))


def atom_list(rng: Rng, d: int) -> Array:
    """Atoms as rows: random or of whole numbers, some twice, some but for the sign of a zero; maybe a single one."""
    m = int(pick(rng, (1, 2, 5, 12), (0.5, 1, 4, 3)))
    V = rng.standard_normal((m, d)) if chance(rng, 0.5) else rng.integers(-1, 3, (m, d)).astype(np.float64)
    if chance(rng, 0.4):
        V *= rng.random((m, d)) < 0.4
    if chance(rng, 0.3):
        V = np.vstack([V, V[rng.integers(m, size=2)]])
    V *= scale(rng)
    if chance(rng, 0.6):
        minus_zeros(rng, V)
    return V


def _more(rng: Rng, V: Array) -> Array:
    """One atom more, farther out; or one of them moved."""
    W = np.vstack([V, 3.0 * V[int(rng.integers(len(V)))] + rng.standard_normal(V.shape[1]) * np.abs(V).max()])
    return W if chance(rng, 0.7) else W[1:]


def _mixed(pull_atoms: Array) -> tuple[Callable[[Array], float], Pull]:
    return lambda x: membership.hull(x, pull_atoms), lambda x: None


def vertices(rng: Rng, d: int, V: Array | None = None) -> Region:
    rows = atom_list(rng, d) if V is None else V
    sparse = V is None and chance(rng, 0.25)
    from scipy.sparse import csr_array

    S = gh.Vertices(csr_array(rows) if sparse else rows.copy())
    outside, pull = _mixed(rows)
    return Region("Vertices sparse" if sparse else "Vertices", S, d, outside, pull, rows,
                  lambda rng: vertices(rng, d, _more(rng, rows)), atoms=rows)


def own(rng: Rng, d: int, V: Array | None = None, form: str | None = None) -> Region:
    """A user's own set; a third of them have an oracle that errs."""
    form = form or pick(rng, FORMS, (4, 1.5, 1, 1.5))
    rows = V if V is not None else atom_list(rng, d)
    if form == "basis" and V is None:
        rows = _ends(d, rng.random(d) * scale(rng) + 1e-3)
    signed = chance(rng, 0.7)
    kind = pick(rng, ("exact", "always", "estimate"), (6, 2.5, 0.5))
    outside, pull = _mixed(rows)
    share = pick(rng, (0.0, 0.05, 0.5))
    S = Own(rows, form, signed) if kind == "exact" else Erring(rows, form, signed, share, kind)  # type: ignore[arg-type]
    name = f"Own {form}" if kind == "exact" else f"Erring {form}"
    return Region(name, S, d, outside, pull, rows,
                  lambda rng: own(rng, d, _more(rng, rows), "dense" if form == "basis" else form), atoms=rows,
                  inner=gh.Vertices(rows.copy()))
