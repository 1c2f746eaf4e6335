"""Whether a certificate is true and its point feasible, by values and memberships that the library had no part in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from greedyhull.driver.certificate import Certificate
from greedyhull.types import Array
from tests.fuzz import membership
from tests.fuzz.exact import LD, Exact
from tests.fuzz.models import EPS, Model
from tests.fuzz.region import Region

LD_EPS = float(np.finfo(LD).eps)
TINY = 1e-306  # what is smaller is zero in float64, or nearly
FAILURES = ("false", "infeasible", "raw", "warning", "accepted", "crash", "broken resume")
REPORTED = ("runaway", "unlucky", "misled")


class Finding(NamedTuple):
    """One failure: of which category, of which cause (what failures are grouped by), and the numbers."""

    category: str
    cause: str
    words: str


class Point(NamedTuple):
    """A returned point in extended precision; ``inside`` is the same point, exactly feasible, or None if there is none."""

    x: Array
    inside: Array | None
    faults: list[Finding]


def point_of(point: Any, region: Region, iterations: int, taken_over: bool = False) -> Point:
    """The point as Σ αᵢdᵢ of its atoms, or from its array where atoms were not kept.

    Atoms that were ``taken_over`` from another set need only be points of this one.
    """
    rounding = EPS * 8.0 * (16 + len(point) + iterations) + region.loose
    faults: list[Finding] = []
    if not point.keeps_atoms or point.owners is not None:  # the atoms of an owner are no points of the set
        x = point.array().astype(LD)
        faults += [*_outside("point", region.outside(x), rounding), *_unowned(point, rounding)]
        return Point(x, None if faults else region.pull(x), faults)
    atoms, weights = np.stack([_array(point.atoms[i], region.d) for i in range(len(point))]), point.weights.astype(LD)
    total = float(weights.sum())
    if not (weights >= 0).all() or not abs(total - 1.0) <= rounding:
        hair = min(float(weights.min()), -abs(total - 1.0)) >= -rounding
        cause = "weights below zero, by a rounding error" if hair else "weights"
        faults.append(Finding("infeasible", cause, f"the weights sum to 1 + {total - 1.0:.3g}, the least is "
                                                       f"{float(weights.min()):.3g}"))
    for atom in atoms:
        listed = region.atoms is not None and membership.is_row(atom, region.atoms)
        off = np.inf if region.atoms is not None and not taken_over else region.outside(atom.astype(LD))
        faults += _outside("atom", 0.0 if listed else off, rounding)
    x = weights @ atoms.astype(LD)
    if region.atoms is None:
        faults += _outside("point", region.outside(x), rounding)
    shown = point.array().astype(LD)
    off = np.abs(shown - x).max() if np.isfinite(shown).all() else np.inf
    if not off <= rounding * np.abs(atoms).max():
        faults.append(Finding("infeasible", "array", f"point.array() is {float(off):.3g} away from its atoms and weights"))
    inside = None if faults else x / weights.sum()
    pulled = inside if inside is None or region.atoms is not None else region.pull(inside)
    return Point(x, pulled, faults[:1])


def _array(atom: Any, d: int) -> Array:
    if isinstance(atom, np.ndarray):
        return atom
    x = np.zeros(d)
    atom.add_to(x, 1.0)
    return x


def _unowned(point: Any, rounding: float) -> list[Finding]:
    """Weights of owners that do not sum to one, or are below zero."""
    if not point.keeps_atoms or point.owners is None:
        return []
    off = float(np.abs(np.bincount(point.owners, weights=point.weights) - 1.0).max())
    fine = bool((point.weights >= 0.0).all()) and off <= rounding
    return [] if fine else [Finding("infeasible", "weights of owners", f"they sum to 1 ± {off:.3g} for each owner")]


def _outside(what: str, off: float, rounding: float) -> list[Finding]:
    if off <= rounding:
        return []
    words = f"the {what} lies outside by {off:.3g} of the set's size; rounding explains {rounding:.3g}"
    return [Finding("infeasible", what, words)]


def noise(model: Model, region: Region, real: Exact) -> float:
    """What extended precision, a black box of its own, or a set's own definition leave open."""
    terms = model.n + model.d + 16
    return TINY * terms + float(64.0 * LD_EPS * terms * real.size + (model.own + 8.0 * region.loose) * real.rough)


def least(model: Model, region: Region, points: Iterable[Array | None]) -> Exact:
    """The least value of all feasible points that are known: those given, a few atoms, their mean."""
    some = region.some.astype(LD)
    pulled = [x if region.atoms is not None else region.pull(x) for x in (*some[:12], some.mean(axis=0))]
    values = [model.exact(x) for x in (*points, *pulled) if x is not None]
    nothing = Exact(LD(np.inf), LD(0), LD(0))
    return min((v for v in values if np.isfinite(v.value)), key=lambda v: v.value, default=nothing)


def judge(model: Model, region: Region, certificate: Certificate, x: Array, reference: Exact, where: str) -> list[Finding]:
    """What is false about a certificate, given the least value that anybody found."""
    value, gap = certificate.value, certificate.gap
    if value is None or gap is None or certificate.kind in ("expectation", "estimate", "stationary"):
        return []
    real, best = model.exact(x), reference.value
    blur = noise(model, region, real) + noise(model, region, reference)
    rounded = 16.0 * EPS * (model.n + model.d + 16) * real.rough
    found, hair = [], True
    if np.isnan(value) or np.isnan(gap) or np.isnan(certificate.lower) or not np.isfinite(real.value):
        hair = False
        found.append(f"value {value}, gap {gap}, lower {certificate.lower}, and the value is really {real.value}")
    if real.value - best > LD(gap) + blur:
        over = float(real.value - best - LD(gap))
        hair = bool(hair and over <= rounded)
        found.append(f"the error is {float(real.value - best):.6g} and the gap {gap:.6g}, {over:.3g} less (value {value:.6g})")
    if certificate.kind == "always" and LD(certificate.lower) > best + blur:
        over = float(LD(certificate.lower) - best)
        hair = bool(hair and over <= rounded)
        found.append(f"the lower bound {certificate.lower!r} is above a value, by {over:.3g} (gap {gap:.6g})")
    if abs(LD(value) - real.value) > LD(gap) + blur + rounded:
        hair = False
        found.append(f"the value is said to be {value!r} and is {float(real.value)!r} (gap {gap:.3g})")
    category = "unlucky" if certificate.kind == "probability" else "false"
    return [Finding(category, f"{where}{', by a rounding error' if hair else ''}", words) for words in found]
