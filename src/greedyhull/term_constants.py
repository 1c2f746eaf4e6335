"""Constants of the terms of a sum over a set: how steep and how smooth they are, and how much they differ.

For f = Σ pᵢ φᵢ(aᵢ·w), a term drawn from all n alike is fᵢ = n pᵢ φᵢ(aᵢ·w). With [loᵢ, hiᵢ] the range of aᵢ·w over the set:

    Lᵢ = n pᵢ sup|φᵢ'| ‖aᵢ‖ (slope),   n pᵢ βᵢ ‖aᵢ‖² (smoothness, βᵢ = sup φᵢ''),   n pᵢ βᵢ (hiᵢ − loᵢ)² (curvature).

Where there are no formulas a few terms are asked at a few points, and what comes out is an estimate.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from greedyhull.atoms.ranges import row_norms
from greedyhull.curvature import Weighted
from greedyhull.errors import GreedyhullError
from greedyhull.noise import noise
from greedyhull.theory import Constant, Status
from greedyhull.types import Array

POINTS, TERMS = 12, 64  # where, and of which terms, gradients are looked at without formulas


def linear_terms(f: Any, S: Any) -> dict[str, Constant]:
    """σ, L, L_rms, L_s, L_F, L_max, M_mean, D_1 and D_inf of φ(Aw) over the hull of S, by name.

    >>> import greedyhull as gh
    >>> linear_terms(gh.logistic(np.eye(2), [1, -1]), gh.L1Ball(2, 1.0))["L_max"]
    L_max = 0.25 (upper bound)
    """
    A, n = f.design.precise(), f.n
    loss, norms, (low, high) = f.exact, row_norms(A), S.row_ranges(A)
    p = np.broadcast_to(np.asarray(loss.p, dtype=np.float64), n)
    if f.has_intercept:  # squares: rows and targets less their means
        loss, middle = f.exact.loss, A.adjoint(p)
        norms = np.sqrt(np.maximum(norms**2 - 2.0 * A.matvec(middle) + middle @ middle, 0.0))
        shift = float(p @ loss.y)
        low, high = low - float(p @ high) + shift, high - float(p @ low) + shift
    widths = high - low
    slopes = n * p * np.broadcast_to(loss.lipschitz(low, high), n) * norms
    with np.errstate(all="ignore"):
        beta = np.where(widths > 0.0, np.broadcast_to(loss.beta(low, high), n), 0.0)
        far = np.full(n, np.inf)
        everywhere = np.broadcast_to(np.asarray(loss.beta(-far, far), dtype=np.float64), n)
    smooth, global_smooth = (n * _times(_times(b, p), norms**2) for b in (beta, everywhere))
    c = _times(beta, p)
    sizes = {
        "L": slopes.max(), "L_rms": _rms(slopes), "L_s": _rms(smooth), "L_max": global_smooth.max(),
        "M_mean": float(_times(c, widths**2).sum()), "D_inf": widths.max(), "D_1": float(_times(c, widths).sum()),
    }
    found = {name: Constant(float(value), "upper bound", name) for name, value in sizes.items()}
    found["sigma"] = _sigma(f, S, found["L_rms"])
    found["L_F"] = _whole(A, c, f.has_intercept, float(smooth.mean()))
    M = float(f.curvature(S))
    if np.isfinite(M) and np.isfinite(c).all():  # Cauchy and Schwarz: Σ cᵢ|uᵢ| ≤ √(Σ cᵢ Σ cᵢuᵢ²)
        found["D_1"] = Constant(min(sizes["D_1"], float(np.sqrt(c.sum() * M))), "upper bound", "D_1")
    return found


def _times(x: Array, y: Array) -> Array:
    """x·y, where an infinite x counts for nothing beside a y of zero."""
    with np.errstate(invalid="ignore"):
        return np.where(y > 0.0, x * y, 0.0)


def _rms(x: Array) -> float:
    return float(np.sqrt(np.mean(x**2)))


def _sigma(f: Any, S: Any, L_rms: Constant) -> Constant:
    try:
        sigma = noise(f, S)
    except GreedyhullError:
        sigma = L_rms
    return Constant(float(sigma), sigma.status, "sigma")


def _whole(A: Any, c: Array, centred: bool, mean: float) -> Constant:
    """λ_max of Aᵀdiag(c)A, and the mean of the terms' smoothness where that is less."""
    if not np.isfinite(c).all():
        return Constant(np.inf, "upper bound", "L_F")
    top = Weighted(A, c, centred).top()
    return Constant(min(float(top), mean), "upper bound", "L_F")


# --- by looking ---------------------------------------------------------------------------------------------------


def sampled_terms(f: Any, S: Any, seed: int = 0) -> dict[str, Constant]:
    """σ, L, L_rms, L_s, L_F and L_max from the gradients of a few terms at a few points: estimates, too small as a rule.

    Where f was given ``lipschitz`` or ``smoothness``, these are taken, as upper bounds.
    """
    rng = np.random.default_rng(seed)
    points, terms = list(_points(S, rng)), list(_terms(f, rng))
    G = np.array([[np.ravel(term.gradient(x)) for x in points] for term in terms])  # terms × points × coordinates
    norms, apart = np.linalg.norm(G, axis=2), np.linalg.norm(G - G.mean(axis=0), axis=2)
    pairs = [(i, j) for i in range(len(points)) for j in range(i)]
    bends = [(G[:, i] - G[:, j]) / h for i, j in pairs if (h := float(np.linalg.norm(points[i] - points[j]))) > 0.0]
    change = np.array([np.linalg.norm(bend, axis=1) for bend in bends])  # of every term, between two points
    whole = [float(np.linalg.norm(bend.mean(axis=0))) for bend in bends]
    still = not bends
    sizes = {
        "sigma": np.sqrt((apart**2).mean(axis=0) * len(terms) / max(len(terms) - 1, 1)).max(),
        "L": norms.max(), "L_rms": np.sqrt((norms**2).mean(axis=0)).max(),
        "L_s": 0.0 if still else np.sqrt((change**2).mean(axis=1)).max(), "L_F": 0.0 if still else max(whole),
        "L_max": 0.0 if still else change.max(),
    }
    told = {"sigma": "lipschitz", "L": "lipschitz", "L_rms": "lipschitz", "L_F": "smoothness"}  # what is known is no estimate
    found = {}
    for name, value in sizes.items():
        known = getattr(f, told.get(name, ""), None)
        status: Status = "estimated" if known is None else "upper bound"
        found[name] = Constant(float(value if known is None else known), status, name)
    return found


def _points(S: Any, rng: np.random.Generator) -> Iterator[Array]:
    """A few atoms, and mixtures of them."""
    from greedyhull.atoms.base import dense_atom

    atoms = np.array([dense_atom(S.argmin(rng.standard_normal(S.shape)), S.shape) for _ in range(POINTS // 2)])
    yield from atoms
    for weights in rng.dirichlet(np.ones(len(atoms)), size=POINTS - len(atoms)):
        yield np.tensordot(weights, atoms, axes=1)


def _terms(f: Any, rng: np.random.Generator) -> Iterator[Any]:
    """A few terms, drawn from all alike: all of a short sum."""
    if f.n is None:
        for _ in range(TERMS):
            yield f.batch(1, rng)
        return
    for i in range(f.n) if f.n <= TERMS else rng.choice(f.n, TERMS, replace=False):
        yield f.batch(np.array([i]))
