"""Constants of the terms of a sum over a set: noise, Lipschitz constants, norms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from greedyhull.atoms.arguments import array_of
from greedyhull.atoms.base import AtomSet as DefaultSet
from greedyhull.atoms.base import generator
from greedyhull.atoms.geometry import row_norms
from greedyhull.atoms.wrapped import Wrapped
from greedyhull.errors import GreedyhullError, check
from greedyhull.objectives.black_box import BlackBox, FiniteSum
from greedyhull.objectives.curvature import Weighted
from greedyhull.objectives.minibatches import check_terms, counts_of
from greedyhull.objectives.ridge import without_ridge
from greedyhull.objectives.stream import Stream
from greedyhull.points.arrays import TINY, length, rms, rounded_up, times
from greedyhull.points.gradients import size
from greedyhull.points.iterate import Iterate
from greedyhull.points.validate import as_answer
from greedyhull.theory import Constant
from greedyhull.types import (
    Array,
    Atom,
    AtomSet,
    Design,
    Index,
    LinearModel,
    Minibatch,
    Objective,
    Shape,
    linear_model,
    listed,
)


class Reach(NamedTuple):
    """R with ‖u‖ ≤ R and D with ‖u − u'‖ ≤ D on the hull; infinite where unknown."""

    R: float
    D: float


def reach(S: AtomSet) -> Reach:
    """R is max‖u‖₁, or ‖c‖ + max‖u − c‖ for the centre c, whichever is less; D is the diameter, or 2R where that is unknown.
    """
    R = float(S.max_abs(np.ones(S.shape))) if S.sized else np.inf
    try:
        centre = S.centre().array()
        R = min(R, length(centre) + float(S.radius_around(centre)))
        return Reach(R, min(float(S.diameter), 2.0 * R))
    except GreedyhullError:
        return Reach(R, 2.0 * R)


def noise(f: Objective, S: AtomSet) -> Constant:
    """σ with E‖∇fᵢ − ∇f‖² ≤ σ² on the hull of S, for a term i drawn from all n alike.

    For squares the variance is convex in w, so that an atom attains the largest: exact where all atoms can be looked at.
    Otherwise it is at most the mean of Lᵢ², Lᵢ = sup|φ'ᵢ|·‖aᵢ‖ with the supremum over the range of aᵢ·w.

    >>> import greedyhull as gh
    >>> noise(gh.least_squares(np.array([[1.0], [1.0]]), [1.0, -1.0]), gh.Simplex(1))
    σ = 1 (exact)
    """
    model, atoms = linear_model(without_ridge(f)), listed(S)  # every term has the same ridge: it makes no noise
    if model is None or len(f.domain) != 1 or model.has_intercept:
        raise GreedyhullError(f"The noise σ of the terms of {f!r} has no formula here. Give it, for instance "
                              "Growing(sigma=...).")
    norms = row_norms(model.design.precise())
    # multiplications that the exact σ of a sum of squares may cost
    if f.traits.quadratic and atoms is not None and len(atoms) * model.n * f.domain[0] <= 20_000_000:
        most = max(_deviation(model, atoms[j], S.shape, norms) for j in range(len(atoms)))
        return Constant(most, "exact" if most < np.inf else "upper bound", "σ")
    low, high = S.row_ranges(model.design.precise())
    slopes = times(times(np.broadcast_to(model.exact.lipschitz(low, high), model.n), counts_of(model)), norms)
    return Constant(rms(slopes), "upper bound", "σ")


def _deviation(f: LinearModel, atom: Atom, shape: Shape, norms: Array) -> float:
    """√E‖∇fᵢ − ∇f‖² = √(E‖∇fᵢ‖² − ‖∇f‖²) at an atom."""
    g, w = f.precise(), Iterate.at(atom, shape)
    with np.errstate(over="ignore", invalid="ignore"):
        whole, mean = rms(g.residual(w) * f.n * norms), size(g.gradient(w))
    if whole == np.inf:
        return np.inf
    return float(np.sqrt(max(whole - mean, 0.0)) * np.sqrt(whole + mean))


class Steepness(NamedTuple):
    """L with E‖gᵢ‖² ≤ L², and V: half of max ⟨gᵢ, ·⟩ − min ⟨gᵢ, ·⟩ over the set, its root mean square over the terms.

    For the ball of radius r around a centre V ≤ Lr, with equality for the l2 ball; for the l1 ball V may be far smaller.
    """

    L: Constant
    V: float


def steepness(f: Objective, S: AtomSet, x: Array) -> Steepness:
    """From the data of a linear model; otherwise from some terms at the point x, which is an estimate.

    >>> import greedyhull as gh
    >>> steepness(gh.absolute(np.array([[3.0, 4.0]]), [0.0]), gh.L1Ball(2, 2.0), np.zeros(2))
    Steepness(L=L = 5 (upper bound), V=8.0)
    """
    model = linear_model(f)
    # without a formula for the ranges of rows the default calls the oracle twice for each of them
    has_ranges = not isinstance(S, Wrapped) and type(S).row_ranges is not DefaultSet.row_ranges
    if model is not None and len(f.domain) == 1 and not model.has_intercept and (has_ranges or model.n <= 32):
        return _of_model(model, S)
    return _of_terms(f, S, x)


def _of_model(f: LinearModel, S: AtomSet) -> Steepness:
    """|ℓ'ᵢ| ≤ what the loss says on the range of aᵢ·w, times ‖aᵢ‖ or half the width of that range; and l2‖w‖."""
    design = f.design.precise()
    low, high = S.row_ranges(design)
    with np.errstate(over="ignore", invalid="ignore"):
        slopes = times(np.broadcast_to(f.exact.lipschitz(low, high), f.n), counts_of(f))
        steep, wide = times(slopes, row_norms(design)), times(slopes, 0.5 * (high - low))
    R, D = reach(S) if f.l2 else (0.0, 0.0)  # the slope l2·w of a ridge is the same in every term
    return Steepness(Constant(rms(steep) + f.l2 * R, "upper bound", "L"), rms(wide) + f.l2 * R * 0.5 * D)


def _of_terms(f: Objective, S: AtomSet, x: Array) -> Steepness:
    oracle = S.oracle(generator(S, 0))
    norms, widths = [], []
    with np.errstate(over="ignore", invalid="ignore"):
        for term in _terms(f, 32, np.random.default_rng(0), lambda n: np.unique(np.linspace(0, n - 1, 32).astype(np.intp))):
            g = term.gradient(x)
            norms.append(length(g))
            low, high = (as_answer(oracle.argmin(sign * g), S.shape).atom for sign in (1.0, -1.0))
            widths.append(0.5 * (high.dot(g) - low.dot(g)))
    return Steepness(Constant(rms(np.array(norms)), "estimated", "L"), rms(np.array(widths)))


def _terms(f: Objective, count: int, rng: np.random.Generator, chosen: Callable[[int], Index]) -> Iterator[Minibatch]:
    """Single terms: ``count`` drawn from a stream, or those of a sum of n terms that ``chosen(n)`` names."""
    if f.traits.terms == "stream":
        yield from (f.batch(1, rng) for _ in range(count))
        return
    check_terms(f)
    index = chosen(f.n)
    yield from f.singles(index) if f.traits.remote else (f.batch(index[k : k + 1]) for k in range(len(index)))


def expect_violation(f: Objective, S: AtomSet, w: Any, eta: float) -> float:
    """(⟨E d, ∇f(w)⟩ - min over S of ⟨d, ∇f(w)⟩)/η at w, d the atom of one random term: the c that `expect_rate` needs here.

    It takes the gradient and the atom of every term, so f must be a finite sum. Where it grows along a run no c will do,
    as in the paper's two examples with single terms.

    >>> import greedyhull as gh
    >>> f = gh.least_squares(np.ones((2, 2)), [1.0, -1.0])
    >>> round(expect_violation(f, gh.L2Ball(2, 0.5), np.full(2, 1 / 8**0.5), eta=0.5), 6)
    1.0
    """
    check(f.traits.terms == "finite", lambda: f"{f!r} is not a sum of finitely many terms, whose atoms could be averaged. "
          "Give the terms to finite_sum(value, gradient, n, shape).")
    check(0 < eta <= 1, f"eta is {eta}, but the violation is measured in steps, which lie in (0, 1]. Pass the step at w.")
    x, n = array_of(w), f.n
    g = np.asarray(f.batch(np.arange(n)).gradient(x))
    mean = sum(S.atom(np.asarray(f.batch(np.array([i])).gradient(x))).dot(g) for i in range(n)) / n
    return max(float(mean - S.atom(g).dot(g)) / eta, 0.0)


def linear_terms(f: LinearModel, S: AtomSet) -> dict[str, Constant]:
    """σ, L, L_rms, L_s, L_F, L_max, M_mean, D_1 and D_inf of φ(Aw) over the hull of S, by name."""
    A, n = f.design.precise(), f.n
    loss, norms, (low, high) = f.exact, row_norms(A), S.row_ranges(A)
    p = np.broadcast_to(np.asarray(loss.p, dtype=np.float64), n)
    if loss.profiles:  # squares: rows and targets less their means
        loss, middle = loss.loss, A.adjoint(p)
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
    try:
        sigma = noise(f, S)
    except GreedyhullError:
        sigma = found["L_rms"]
    found["sigma"] = Constant(float(sigma), sigma.status, "sigma")
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


def _whole(A: Design, c: Array, centred: bool, mean: float) -> Constant:
    """λ_max of Aᵀdiag(c)A, and the mean of the terms' smoothness where that is less."""
    if not np.isfinite(c).all():
        return Constant(np.inf, "upper bound", "L_F")
    top = Weighted(A, c, centred).top()
    lost = 4.0 * TINY * A.n * A.domain[0] * (1.0 + float(c.max(initial=0.0)))  # squares of small numbers are zero
    return _upper(min(float(top) + lost, mean), "L_F")


def sampled_terms(f: Objective, S: AtomSet, seed: int = 0) -> dict[str, Constant]:
    """σ, L, L_rms, L_s, L_F and L_max from the gradients of a few terms at a few points: estimates, too small as a rule.

    Where f was given ``lipschitz`` or ``smoothness``, these are taken, as upper bounds.
    """
    rng = np.random.default_rng(seed)
    points = _points(S, rng)
    terms = _terms(f, 64, rng, lambda n: np.arange(n) if n <= 64 else rng.choice(n, 64, replace=False))
    with np.errstate(over="ignore", invalid="ignore"):
        sizes = _seen(np.array([[np.ravel(term.gradient(x)) for x in points] for term in list(terms)]), points)
    found = {name: Constant(_upper(value, name).value, "estimated", name) for name, value in sizes.items()}
    steep = f.lipschitz if isinstance(f, FiniteSum | Stream) else None
    given = {"sigma": steep, "L": steep, "L_rms": steep, "L_F": f.smoothness if isinstance(f, BlackBox) else None}
    found.update({name: _upper(float(value), name) for name, value in given.items() if value is not None})
    return found


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


def _points(S: AtomSet, rng: np.random.Generator) -> list[Array]:
    """Six atoms, and six mixtures of them."""
    from greedyhull.points.shapes import dense as dense_atom

    atoms = np.array([dense_atom(S.atom(rng.standard_normal(S.shape)), S.shape) for _ in range(6)])
    return [*atoms, *(np.tensordot(weights, atoms, axes=1) for weights in rng.dirichlet(np.ones(6), size=6))]
