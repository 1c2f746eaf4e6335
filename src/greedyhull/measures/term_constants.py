"""Constants of the terms of a sum over a set: how steep and how smooth they are, and how much they differ.

For f = Σ pᵢ φᵢ(aᵢ·w), a term drawn from all n alike is fᵢ = n pᵢ φᵢ(aᵢ·w), with the whole of a ridge if f has one. With
[loᵢ, hiᵢ] the range of aᵢ·w over the set:

    Lᵢ = n pᵢ sup|φᵢ'| ‖aᵢ‖ (slope),   n pᵢ βᵢ ‖aᵢ‖² (smoothness, βᵢ = sup φᵢ''),   n pᵢ βᵢ (hiᵢ − loᵢ)² (curvature).

Where there are no formulas a few terms are asked at a few points, and what comes out is an estimate.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from greedyhull.atoms.geometry.row_ranges import row_norms
from greedyhull.errors import GreedyhullError
from greedyhull.measures.noise import noise
from greedyhull.measures.reach import reach
from greedyhull.objectives.batch import check_terms
from greedyhull.objectives.black_box import BlackBox
from greedyhull.objectives.curvature import Weighted
from greedyhull.objectives.finite_sum import FiniteSum
from greedyhull.objectives.ridged import without_ridge
from greedyhull.objectives.stream import Stream
from greedyhull.points.lengths import TINY, length, rms, rounded_up, times
from greedyhull.theory import Constant, Status
from greedyhull.types import Array, AtomSet, Design, Index, LinearModel, Minibatch, Objective
from greedyhull.types.kinds import profiled, remote, streamed, summed

POINTS, TERMS = 12, 64  # where, and of which terms, gradients are looked at without formulas


def linear_terms(f: LinearModel, S: AtomSet) -> dict[str, Constant]:
    """σ, L, L_rms, L_s, L_F, L_max, M_mean, D_1 and D_inf of φ(Aw) over the hull of S, by name.

    >>> import greedyhull as gh
    >>> linear_terms(gh.logistic(np.eye(2), [1, -1]), gh.L1Ball(2, 1.0))["L_max"]
    L_max = 0.25 (upper bound)
    """
    A, n = f.design.precise(), f.n
    loss, norms, (low, high) = f.exact, row_norms(A), S.row_ranges(A)
    p = np.broadcast_to(np.asarray(loss.p, dtype=np.float64), n)
    fitted = profiled(loss)
    if fitted is not None:  # squares: rows and targets less their means
        loss, middle = fitted.loss, A.adjoint(p)
        norms = _apart(norms, A.matvec(middle), length(middle))
        shift = float(p @ loss.y)
        low, high = low - float(p @ high) + shift, high - float(p @ low) + shift
    widths = high - low
    with np.errstate(all="ignore"):
        slopes = rounded_up(rounded_up(np.broadcast_to(loss.lipschitz(low, high), n), n * p), norms)
        beta = np.where(widths > 0.0, np.broadcast_to(loss.beta(low, high), n), 0.0)
        far = np.full(n, np.inf)
        everywhere = np.broadcast_to(np.asarray(loss.beta(-far, far), dtype=np.float64), n)
        smooth, global_smooth = (n * rounded_up(rounded_up(rounded_up(b, p), norms), norms) for b in (beta, everywhere))
        c = times(beta, p)
        sizes = {
            "L": slopes.max(), "L_rms": rms(slopes), "L_s": rms(smooth), "L_max": global_smooth.max(),
            "M_mean": rounded_up(rounded_up(c, widths), widths).sum(), "D_inf": widths.max(),
            "D_1": rounded_up(c, widths).sum(),
        }
        smoothness = float(smooth.mean())
    found = {name: _upper(float(value), name) for name, value in sizes.items()}
    found["sigma"] = _sigma(f, S, found["L_rms"])
    found["L_F"] = _whole(A, c, f.has_intercept, smoothness)
    M = float(without_ridge(f).curvature(S))
    if np.isfinite(M) and np.isfinite(c).all():  # Cauchy and Schwarz: Σ cᵢ|uᵢ| ≤ √(Σ cᵢ Σ cᵢuᵢ²)
        least = min(float(found["D_1"]), float(np.sqrt(c.sum()) * np.sqrt(M)))
        found["D_1"] = Constant(least, "upper bound", "D_1")
    return {**found, **_with_ridge(found, f.l2, S)} if f.l2 else found


def _with_ridge(found: dict[str, Constant], l2: float, S: AtomSet) -> dict[str, Constant]:
    """What a ridge changes: every term has it, so that slopes grow by l2‖w‖, smoothness by l2, and σ stays.

    D_1 and D_inf stay, too: they are about slopes of the loss that are old, and that of the ridge never is.
    """
    R, D = reach(S)
    steep = l2 * R
    more = {"L": steep, "L_rms": steep, "L_s": l2, "L_F": l2, "L_max": l2, "M_mean": l2 * D * D}
    return {name: _upper(float(found[name]) + value, name) for name, value in more.items()}


def _upper(value: float, name: str) -> Constant:
    """An upper bound; what is not a number, ∞ − ∞ or 0·∞ as a rule, is not known."""
    return Constant(np.inf if np.isnan(value) else value, "upper bound", name)


def _apart(norms: Array, products: Array, middle: float) -> Array:
    """‖aᵢ − m‖ from ‖aᵢ‖, ⟨aᵢ, m⟩ and ‖m‖, relative to the largest of all, whose squares may overflow."""
    size = max(float(norms.max()), middle)
    if not 0.0 < size < np.inf:
        return norms + middle
    a, m = norms / size, middle / size
    return size * np.sqrt(np.maximum(a * a - 2.0 * (products / size) / size + m * m, 0.0))


def _sigma(f: LinearModel, S: AtomSet, L_rms: Constant) -> Constant:
    try:
        sigma = noise(f, S)
    except GreedyhullError:
        sigma = L_rms
    return Constant(float(sigma), sigma.status, "sigma")


def _whole(A: Design, c: Array, centred: bool, mean: float) -> Constant:
    """λ_max of Aᵀdiag(c)A, and the mean of the terms' smoothness where that is less."""
    if not np.isfinite(c).all():
        return Constant(np.inf, "upper bound", "L_F")
    top = Weighted(A, c, centred).top()
    lost = 4.0 * TINY * A.n * A.domain[0] * (1.0 + float(c.max(initial=0.0)))  # squares of small numbers are zero
    return _upper(min(float(top) + lost, mean), "L_F")


# --- by looking ---------------------------------------------------------------------------------------------------


def sampled_terms(f: Objective, S: AtomSet, seed: int = 0) -> dict[str, Constant]:
    """σ, L, L_rms, L_s, L_F and L_max from the gradients of a few terms at a few points: estimates, too small as a rule.

    Where f was given ``lipschitz`` or ``smoothness``, these are taken, as upper bounds.
    """
    rng = np.random.default_rng(seed)
    points, terms = list(_points(S, rng)), list(_terms(f, rng))
    with np.errstate(over="ignore", invalid="ignore"):
        sizes = _seen(np.array([[np.ravel(term.gradient(x)) for x in points] for term in terms]), points)
    told, found = _told(f), {}
    for name, value in sizes.items():
        known = told.get(name)
        status: Status = "estimated" if known is None else "upper bound"
        found[name] = Constant(_upper(float(value), name).value if known is None else float(known), status, name)
    return found


def _told(f: Objective) -> dict[str, float | None]:
    """What f was given: that is no estimate."""
    steep = f.lipschitz if isinstance(f, FiniteSum | Stream) else None
    return {"sigma": steep, "L": steep, "L_rms": steep, "L_F": f.smoothness if isinstance(f, BlackBox) else None}


def _seen(G: Array, points: list[Array]) -> dict[str, float]:
    """The sizes that gradients ``G``, terms × points × coordinates, show."""
    norms, apart = _lengths(G), _lengths(G - G.mean(axis=0))
    pairs = [(i, j) for i in range(len(points)) for j in range(i)]
    bends = [(G[:, i] - G[:, j]) / h for i, j in pairs if (h := length(points[i] - points[j])) > 0.0]
    change = [_lengths(bend) for bend in bends]  # of every term, between two points
    few = (len(G) / max(len(G) - 1, 1)) ** 0.5
    return {
        "sigma": few * max(rms(column) for column in apart.T),
        "L": float(norms.max()), "L_rms": max(rms(column) for column in norms.T),
        "L_s": max((rms(row) for row in change), default=0.0),
        "L_F": max((length(bend.mean(axis=0)) for bend in bends), default=0.0),
        "L_max": max((float(row.max()) for row in change), default=0.0),
    }


def _lengths(G: Array) -> Array:
    """The lengths of the vectors along the last axis."""
    return np.array([length(g) for g in G.reshape(-1, G.shape[-1])]).reshape(G.shape[:-1])


def _points(S: AtomSet, rng: np.random.Generator) -> Iterator[Array]:
    """A few atoms, and mixtures of them."""
    from greedyhull.points.shapes import dense as dense_atom

    atoms = np.array([dense_atom(S.atom(rng.standard_normal(S.shape)), S.shape) for _ in range(POINTS // 2)])
    yield from atoms
    for weights in rng.dirichlet(np.ones(len(atoms)), size=POINTS - len(atoms)):
        yield np.tensordot(weights, atoms, axes=1)


def _terms(f: Objective, rng: np.random.Generator) -> Iterator[Minibatch]:
    """A few terms, drawn from all alike: all of a short sum."""
    stream = streamed(f)
    if stream is not None:
        for _ in range(TERMS):
            yield stream.batch(1, rng)
        return
    check_terms(f)
    whole = summed(f)
    assert whole is not None  # no stream, and its terms can be taken
    chosen: Index = np.arange(whole.n) if whole.n <= TERMS else rng.choice(whole.n, TERMS, replace=False)
    elsewhere = remote(f)
    if elsewhere is not None:
        yield from elsewhere.singles(chosen)
        return
    for i in chosen:
        yield whole.batch(np.array([i]))
