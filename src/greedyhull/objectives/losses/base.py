"""What separable losses share: sums with sample weights, lines, rounding; the best intercept as a root."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable
from copy import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from greedyhull.errors import GreedyhullError, check, shown
from greedyhull.kernels._core import all_finite
from greedyhull.objectives.lines import Curve
from greedyhull.points.arrays import length, masked
from greedyhull.types import Array, Index, Line

FAINT = 1e-280  # a sum of squares below this may have lost some of them to underflow


def vector(values: Any, n: int, name: str, dtype: Any = np.float64) -> Array:
    """``values`` as a finite vector with n entries, or an error that says what was given."""
    plain = type(values) is np.ndarray and values.shape == (n,) and values.dtype == np.float64  # as most are
    given = values if plain else _numbers(values, n, name)
    array = np.array(given, dtype=dtype, order="C")  # its own: a user may write on his
    if not (all_finite(array) if array.dtype == np.float64 else np.isfinite(array).all()):
        raise GreedyhullError(f"{name} holds NaN or infinite values. Drop those rows first.")
    return array


def _numbers(values: Any, n: int, name: str) -> Array:
    """``values`` as n numbers of any type."""
    check(not masked(values), lambda: f"{name} has masked entries, which stand for no number. Drop those rows first.")
    try:
        array = np.asarray(values)
    except ValueError:
        raise GreedyhullError(f"{name} has rows of different lengths; one number for each row of X is wanted.") from None
    check(array.ndim > 0, lambda: f"{name} = {shown(values)} was given but X has {n} rows; one number for each row is wanted.")
    if array.ndim == 2 and 1 in array.shape:
        array = array.ravel()
    check(array.shape == (n,), lambda: f"{name} has shape {array.shape} but X has {n} rows; one entry for each row is wanted.")
    check(array.dtype.kind in "biuf", lambda: f"{name} has dtype {array.dtype}; numbers are wanted. Encode its entries first.")
    return array


def number(value: Any, name: str) -> float:
    """``value`` as a number, or an error that says what was given."""
    array = np.asarray(value)
    check(array.ndim == 0 and array.dtype.kind in "biuf", lambda: f"{name} = {shown(value)} was given; a number is wanted.")
    return float(array)


def positive_number(value: Any, name: str) -> float:
    """``value`` as a positive finite number."""
    found = number(value, name)
    check(0.0 < found < np.inf, lambda: f"{name} = {shown(value)} was given; a positive number is wanted.")
    return found


def shares(sample_weight: Any, n: int) -> Array | float:
    """The weights pᵢ = sᵢ/Σs of the terms, or 1/n."""
    if sample_weight is None:
        return 1.0 / n
    s = vector(sample_weight, n, "sample_weight")
    largest = float(s.max(initial=0.0))
    check(bool((s >= 0).all()) and largest > 0,
          "sample_weight has a negative entry or sums to zero; non-negative weights, not all zero, are wanted.")
    some = s > 0.0
    s = s / largest  # sums of huge weights overflow
    return np.where(some, np.maximum(s / s.sum(), 5e-324), 0.0)  # zero is for rows that do not count, none that underflows


def signs(y: Any, n: int, name: str = "y") -> Array:
    """Labels as −1 and +1, given so or as 0 and 1."""
    labels = vector(y, n, name)
    if bool((np.abs(labels) == 1.0).all()):
        return labels
    check(bool(((labels == 0.0) | (labels == 1.0)).all()), lambda: f"{name} holds the labels {_some(labels)}; -1 and +1, or 0 "
          "and 1, are wanted. Encode them, for instance np.where(y == positive, 1, -1).")
    return 2.0 * labels - 1.0


def _some(labels: Array) -> str:
    found = np.unique(labels).tolist()
    return f"{found[:5]}{' and more' if len(found) > 5 else ''}"


def between(y: Array, z: Array, p: Array | float) -> tuple[float, float, float]:
    """The least and the largest y − z of the terms that count, and their middle: where ℓ' changes its sign at y, the best
    intercept is between them."""
    off = (y - z).astype(np.float64)
    off = off if isinstance(p, float) else off[p > 0.0]
    low, high = float(off.min()), float(off.max())
    return low, 0.5 * low + 0.5 * high, high


class Loss:
    """A convex φ on images z = Aw of n rows. A loss that is a sum over rows derives from `Separable`, which has the rest."""

    quadratic = False
    smooth = True  # φ has a gradient everywhere; else `gradient` is a subgradient
    twice_differentiable = True  # ∇²φ is finite wherever φ is, so that Newton steps make sense
    non_negative = False  # data, points and minus the residual are non-negative, all of them
    finite_everywhere = True  # φ is finite everywhere, so that a solve may begin at any atom
    profiles = False  # it was minimised over an intercept
    floor: float = -np.inf  # a number that φ is nowhere below
    core_name = ""  # what the compiled core calls the loss; "" where it calls back
    targets = "numbers"  # what y holds: "labels" are −1 and +1, or 0 and 1, "counts" at least 0
    parameters: tuple[str, ...] = ()  # numbers besides y and p that it is made with, such as δ
    if TYPE_CHECKING:
        @property
        def n(self) -> int: ...
        @property
        def y(self) -> Array: ...
        @property
        def p(self) -> Array | float: ...
        value: Callable[[Array], float]
        gradient: Callable[[Array], Array]
        curvature: Callable[[Array], Array]
        first_order: Callable[[Array], tuple[float, Array]]
        value_gradient_curvature: Callable[[Array], tuple[float, Array, Array]]
        energy: Callable[[Array], float]
        derivatives: Callable[[Array, Array], tuple[float, float]]  # ⟨∇φ(z), dz⟩ and dzᵀ∇²φ(z)dz
        bend: Callable[[Array, Array, float], float]  # a bound on the latter on a line of this length
        limit: Callable[[Array, Array], float]
        total: Callable[[Array], float]
        norm: Callable[[float, Array], float]
        size: Callable[[float, Array], float]
        swing: Callable[[float, Array, float], float]
        beta: Callable[[Array, Array], Array | float]
        lipschitz: Callable[[Array, Array], Array | float]
        on: Callable[[Index], Loss]
        sampled: Callable[..., Loss]  # sampled(rows, shift=0.0)
        conjugate: Callable[[Array], float]  # of one that is not smooth: its dual
        smoothed: Callable[[float], Loss]
        intercept: Callable[[Array], float]  # of one that ``profiles``
        @property
        def loss(self) -> Loss: ...  # the one without

    def along(self, z: Array, dz: Array, max_step: float) -> Line:
        """The line η ↦ φ(z + ηdz)."""
        return Curve(lambda step: self.value(z + step * dz), lambda step: self.derivatives(z + step * dz, dz),
                     float(self.gradient(z).dot(dz)), max_step, limit=self.limit(z, dz),
                     bends=lambda: self.bend(z, dz, max_step))

    @property
    def core(self) -> tuple[str, tuple[float, ...]] | None:
        """The name and the numbers by which the compiled core computes the loss; None where it has to call back.

        A class that is derived from one that the core knows may compute something else: it is not known.
        """
        name = vars(type(self)).get("core_name", "")
        return (name, self.core_numbers()) if name else None

    def core_numbers(self) -> tuple[float, ...]:
        """The numbers of this loss, such as δ, in the order in which the core takes them; one at least."""
        return tuple(float(vars(self)[name]) for name in self.parameters) or (0.0,)


class Separable(Loss, ABC):
    """φ(z) = Σᵢ pᵢ ℓ(zᵢ, yᵢ), pᵢ = 1/n unless given. To write: `terms` and `slopes`; and, if there are any, `curvatures`."""

    n: int
    curvature_bound = np.inf  # sup ℓ'', where it is the same everywhere

    def __init__(self, y: Array, p: Array | float | None = None) -> None:
        self.y: Array = vector(y, len(y), "y") if p is None else y
        self.p: Array | float = shares(None, len(y)) if p is None else p
        self.n = len(y)

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        unknown = cls.curvatures is Separable.curvatures and cls.curvature is Separable.curvature
        if unknown and "twice_differentiable" not in vars(cls):  # without ℓ'' there is no Hessian for Newton steps
            cls.twice_differentiable = False

    # --- to be written for each loss ------------------------------------------------------------------------------

    @abstractmethod
    def terms(self, z: Array) -> Array:
        """ℓ(zᵢ, yᵢ) for each i."""

    @abstractmethod
    def slopes(self, z: Array) -> Array:
        """ℓ'(zᵢ, yᵢ) for each i."""

    def curvatures(self, z: Array) -> Array:
        """ℓ''(zᵢ, yᵢ) for each i; NaN where it does not exist."""
        return np.full_like(z, np.nan)

    def beta(self, low: Array, high: Array) -> Array | float:
        """sup ℓ'' over [lowᵢ, highᵢ]: what curvature bounds are made of."""
        return self.curvature_bound

    def lipschitz(self, low: Array, high: Array) -> Array | float:
        """sup |ℓ'| over [lowᵢ, highᵢ]; ℓ is convex, so an end of the interval attains it."""
        return np.maximum(np.abs(self.slopes(low)), np.abs(self.slopes(high)))

    def limit(self, z: Array, dz: Array) -> float:
        """The least η > 0 at which z + ηdz leaves the domain of φ."""
        return np.inf

    def cast(self, dtype: Any) -> Separable:
        """The same loss with targets and weights in another precision."""
        if self.y.dtype == dtype:
            return self
        return self._with(self.y.astype(dtype), self.p if isinstance(self.p, float) else self.p.astype(dtype))

    def profiled(self) -> Loss:
        """min_b φ(z + b1): this loss with the best intercept."""
        from greedyhull.objectives.losses.intercepts import Profiled

        return Profiled(self)

    def _with(self, y: Array, p: Array | float) -> Self:
        """The same loss with other targets and weights."""
        other = copy(self)
        other.__dict__.pop("floor", None)  # the cached properties of some losses
        other.__dict__.pop("labels", None)
        other.y, other.p, other.n = y, p, len(y)
        return other

    def on(self, rows: Index) -> Separable:
        """The same loss on some of the rows, their weights normalised."""
        p = self.p if isinstance(self.p, float) else self.p[rows]
        return self._with(self.y[rows], 1.0 / len(rows) if isinstance(p, float) else p / p.sum())

    def sampled(self, rows: Index, shift: float = 0.0) -> Separable:
        """The loss of a minibatch: n/b times the weights of its terms; ``shift`` is taken off the targets."""
        p = 1.0 / len(rows) if isinstance(self.p, float) else self.p[rows] * (self.n / len(rows))
        return self._with(self.y[rows] - shift if shift else self.y[rows], p)

    # --- what follows ---------------------------------------------------------------------------------------------

    def total(self, terms: Array) -> float:
        """Σ pᵢ termsᵢ."""
        return float(terms.sum(dtype=np.float64) * self.p if isinstance(self.p, float) else self.p.dot(terms))

    def value(self, z: Array) -> float:
        return self.total(self.terms(z))

    def gradient(self, z: Array) -> Array:
        return self._weighted(self.slopes(z), z)

    def curvature(self, z: Array) -> Array:
        """The diagonal of ∇²φ(z)."""
        return self._weighted(self.curvatures(z), z)

    def first_order(self, z: Array) -> tuple[float, Array]:
        """φ(z) and ∇φ(z)."""
        return self.value(z), self.gradient(z)

    def value_gradient_curvature(self, z: Array) -> tuple[float, Array, Array]:
        """φ(z), ∇φ(z) and the diagonal of ∇²φ(z)."""
        return self.value(z), self.gradient(z), self.curvature(z)

    def _weighted(self, x: Array, z: Array) -> Array:
        return (self.p * x).astype(z.dtype, copy=False)

    def norm(self, value: float, residual: Array) -> float:
        """‖∇φ(z)‖₂ or a little more, given φ(z) and ∇φ(z)."""
        square = float(residual.dot(residual))
        return float(square**0.5) if square > FAINT else float(np.abs(residual).max()) * self.n**0.5

    def size(self, value: float, z: Array) -> float:
        """Σ pᵢ |ℓᵢ| given φ(z) = value: what rounding errors of the value are proportional to."""
        return abs(value)

    def swing(self, size: float, z: Array, off: float) -> float:
        """A bound on φ(z + e) − φ(z) − ⟨∇φ(z), e⟩ for every ‖e‖₂ ≤ off, given `size`: what first-order errors leave out.

        With ℓ'' ≤ β at most ½ Σ pᵢβeᵢ²; else from slopes alone, as ⟨∇φ(z + e) − ∇φ(z), e⟩ is no less.
        """
        if self.curvature_bound < np.inf:
            return 0.5 * self.curvature_bound * self.heaviest() * off * off
        with np.errstate(all="ignore"):
            here = self.slopes(z)
            change = np.maximum(np.abs(self.slopes(z + off) - here), np.abs(self.slopes(z - off) - here))
            return off * length(np.asarray(self.p * change))

    def steady(self, z: Array, c: Array, off: float) -> Array:
        """The curvatures c = ∇²φ(z), zero in terms that `sway` does not speak of where slopes change by tc, |t| ≤ off."""
        return c

    def sway(self, t: float, off: float) -> float:
        """A number s with φ*(r + tc̃) ≤ φ*(r) + t⟨c̃, z⟩ + s·Σc̃ for r = ∇φ(z) and c̃ = `steady` at ``off``; ½t², about.

        It bounds what a lower bound loses whose slopes are moved to where they sum to zero. Infinite unless a loss knows it.
        """
        return np.inf

    def heaviest(self) -> float:
        """max pᵢ."""
        return self.p if isinstance(self.p, float) else float(np.max(self.p))

    def within(self, residual: Array) -> Array:
        """A residual that rounding may have moved out of the domain of φ*, put back."""
        return residual

    def bracket(self, z: Array) -> tuple[float, float, float]:
        """Intercepts below and above argmin_b φ(z + b1), as far as one knows, and one between to begin with."""
        return -np.inf, 0.0, np.inf

    def shift(self, z: Array) -> float:
        """argmin_b φ(z + b1), where it is a root that has to be searched for."""
        return root(self, z)

    def corners(self, z: Array) -> Array | None:
        """The b between which Σ pᵢ ℓ'(zᵢ + b) is straight, if it is."""
        return None

    def hessian_gram(self, z: Array, Z: Any, Z2: Any = None) -> Array:
        """Zᵀ ∇²φ(z) Z2 for dense images."""
        c = self.curvature(z)
        return np.asarray(Z.T.dot((Z if Z2 is None else Z2) * c[:, None]))

    def energy(self, dz: Array) -> float:
        """dzᵀ∇²φ(0)dz: of a quadratic, what it is everywhere."""
        c = self.curvature(np.zeros_like(dz))
        return float(np.dot(c * dz, dz))

    def derivatives(self, z: Array, dz: Array) -> tuple[float, float]:
        return float(self.gradient(z).dot(dz)), float(np.dot(self.curvature(z) * dz, dz))

    def bend(self, z: Array, dz: Array, max_step: float) -> float:
        if self.limit(z, dz) <= max_step:
            return np.inf
        end = z + max_step * dz
        beta = self.beta(np.minimum(z, end), np.maximum(z, end))
        return self.total(beta * dz * dz) if np.all(np.isfinite(beta)) else np.inf

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n={self.n})"


def root(loss: Separable, z: Array) -> float:
    """argmin_b φ(z + b1): Newton's steps, kept in a bracket that is halved where they are slow.

    A g that is straight between corners may be flat on most of a wide bracket, where halving is slow too: then its corners
    are put in order, and the root is found between two of them.
    """
    eps, size = float(np.finfo(z.dtype).eps), float(np.abs(z).max())
    low, b, high = loss.bracket(z)
    if not high - low < np.inf:
        low, b, high = _grown(loss, z, size, eps)
    # and as many evaluations as n has bits: then a g that is straight between corners is looked at from corner to corner
    before, last, easy = high - low, high - low, 3 + len(z).bit_length()
    for i in range(200):
        first, second, noise = _slope(loss, z, b, eps)
        low, high = (b, high) if first < 0.0 else (low, b)
        finest = eps * max(size, abs(b))
        change = first / second if 0.0 < second < np.inf else np.inf
        if abs(change) <= finest:
            return b - change
        if abs(first) <= noise or high - low <= 2.0 * finest:
            break
        if i == easy and (corners := loss.corners(z)) is not None:
            return between_corners(loss, z, corners)
        trial = b - change
        if not low < trial < high or abs(change) > 0.5 * before:
            trial = 0.5 * low + 0.5 * high
        before, last, b = last, abs(trial - b), trial
    return b


def _slope(loss: Separable, z: Array, b: float, eps: float) -> tuple[float, float, float]:
    """g(b), g'(b), and how small g(b) is where it cannot be told from zero."""
    shifted = z + z.dtype.type(b)
    with np.errstate(all="ignore"):
        slopes = loss.slopes(shifted)
        return loss.total(slopes), loss.total(loss.curvatures(shifted)), eps * loss.total(np.abs(slopes))


def _grown(loss: Separable, z: Array, size: float, eps: float) -> tuple[float, float, float]:
    """A bracket for a loss that knows none: steps away from 0, each twice the last, until g changes its sign."""
    most = 1e6 * (1.0 + size + float(np.abs(loss.y).max()))
    sign = -1.0 if _slope(loss, z, 0.0, eps)[0] > 0.0 else 1.0
    before, b = 0.0, sign
    while sign * _slope(loss, z, b, eps)[0] < 0.0:
        before, b = b, 2.0 * b
        check(abs(b) < most, "The intercept runs off to infinity: the labels have one class only, or all counts are zero. "
                             "Give both classes, or leave the intercept out.")
    return min(before, b), 0.5 * before + 0.5 * b, max(before, b)


def between_corners(loss: Separable, z: Array, corners: Array) -> float:
    """The root of a g that is straight between its corners: which two it is between, then the line through them.

    Corners are where they are up to rounding: a little before and after them g is looked at too.
    """
    near = 4.0 * float(np.finfo(z.dtype).eps) * max(float(np.abs(z).max()), float(np.abs(corners).max()))
    at = np.sort(np.concatenate([corners - near, corners, corners + near]))

    def g(i: int) -> float:
        return loss.total(loss.slopes(z + z.dtype.type(at[i])))

    i = bisect_left(range(len(at) - 1), 0.0, key=g)
    above, below = g(i), g(i - 1) if i else 0.0
    return float(at[i] if below >= 0.0 or above <= 0.0 else at[i] - above * ((at[i] - at[i - 1]) / (above - below)))
