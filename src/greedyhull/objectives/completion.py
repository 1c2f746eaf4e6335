"""Matrix completion: a matrix from some of its entries."""

from __future__ import annotations

from dataclasses import replace
from math import fsum
from typing import Any

import numpy as np

from greedyhull.atoms.arguments import matrix_shape
from greedyhull.errors import GreedyhullError, check, shown
from greedyhull.kernels.core import public
from greedyhull.kernels.matrix_models import EntryEquations
from greedyhull.objectives.composite import EPS, Composite
from greedyhull.objectives.designs.matrix import Observed
from greedyhull.objectives.losses.base import Separable, positive_number, shares, signs
from greedyhull.objectives.losses.smooth import Huber, Logistic, Squared
from greedyhull.points.aligned import by_label
from greedyhull.points.arrays import masked, regular
from greedyhull.points.iterate import Iterate
from greedyhull.types import Array, AtomSet, Design, Index, Loss, Traits


class MatrixModel(Composite):
    """φ(A W) for matrices W. ``norm`` bounds how long A makes |W|, ‖ |A| |W| ‖ ≤ norm·‖W‖_F, and ``depth`` is how many numbers
    A adds up for an entry of its image: errors of images are relative to the one and proportional to the other.

    `Composite` bounds images from the columns of A, one by one. That is far too much for atoms that have all entries.
    """

    def __init__(self, design: Design, loss: Loss, name: str, exact: Loss, norm: float, depth: int, note: str = "") -> None:
        super().__init__(design, loss, name, exact)
        self._norm, self._depth, self._note = norm, depth, note

    def __repr__(self) -> str:
        return f"{self.name}(n={self.design.n}, shape={self.domain}{self._note})"

    def image_bound(self, S: AtomSet) -> float:
        """‖ |A| |W| ‖ at most."""
        kept = self._reach
        if kept is None or kept[0] is not S or kept[2] != S.seen:
            kept = self._reach = (S, self._norm * S.max_length() * (1.0 + 1e-12), S.seen)
        return kept[1]

    def rounding(self, w: Iterate, S: AtomSet, eps: float = EPS) -> float:
        """That of `Composite`, and of the sums that make an image."""
        usual = super().rounding(w, S, eps)
        if not self._depth:
            return usual
        view, far = self._known(w), self.image_bound(S)
        value, residual = view.value, view.residual
        assert value is not None and residual is not None
        if not (residual.any() or view.z.any() or self.loss.y.any()):  # from zeros to zeros nothing is rounded
            return usual
        off = eps * (16 + self._depth + len(w) + 3 * view.moves) * far
        return usual + self.loss.norm(value, residual) * off + self.loss.swing(self.loss.size(value, view.z), view.z, off)

    def surely_falls(self, w: Iterate, target: Iterate, S: AtomSet) -> bool:
        """Whether f is smaller at ``target`` than at w, where the difference of two values would drown in their rounding.

        For squares, φ(z′) − φ(z) = ⟨r, Δ⟩ + ½⟨Δ, pΔ⟩ with Δ = z′ − z. Its terms are right to a few units in the last place
        and are added exactly. What is left is the error e of either image, which moves φ by ⟨r, e⟩: it grows with the number
        of atoms, not of entries.
        """
        if not self.quadratic or self.has_intercept:
            return False
        here, there = self._known(w), self._known(target)
        assert here.residual is not None
        step = np.asarray(there.z, dtype=np.float64) - here.z
        terms = here.residual * step
        change, bend = fsum(terms.tolist()), 0.5 * self.loss.energy(step) * (1.0 + (len(step) + 16) * EPS)
        far, off = self.image_bound(S), 8.0 * EPS * float(np.abs(terms).sum())
        for point, view in ((w, here), (target, there)):
            value, residual = view.value, view.residual
            assert value is not None and residual is not None
            error = EPS * (16 + self._depth + len(point) + 3 * view.moves) * far
            off += float(np.linalg.norm(residual)) * error * (1.0 + 1e-6)
            off += self.loss.swing(self.loss.size(value, view.z), view.z, error)
        return bool(change + bend + off < 0.0)

    def _in_double(self) -> Composite:
        return MatrixModel(self.design.precise(), self.exact, self.name, self.exact, self._norm, self._depth, self._note)


SMALLEST, LARGEST = 1e-12, 1e12  # values whose squares are numbers in float32


class SquaredEntries(MatrixModel):
    """f(W) = ½ Σ p_ij (W_ij − v_ij)² over the observed entries, for `completion`."""

    design: Observed

    def __init__(self, design: Observed, loss: Separable, name: str, exact: Squared, note: str) -> None:
        super().__init__(design, loss, name, exact, 1.0, 0, note)
        full = 4 * design.n >= design.domain[0] * design.domain[1]  # times as many entries as are observed may be written out
        largest = float(np.abs(exact.y).max())
        single = design.dtype == np.float64 and SMALLEST < largest < LARGEST
        self.traits: Traits = replace(self.traits, written=full, single=single)
        self._squared = exact
        self._single: MatrixModel | None = None

    def equations(self) -> EntryEquations:
        """Weights and weighted values of all entries, zero where nothing is observed. They are made anew for each call."""
        return EntryEquations(self._written_out)

    def single(self) -> MatrixModel:
        """f in float32, on the same places."""
        if self._single is None:
            self._single = MatrixModel(self.design.single(), self._squared.cast(np.float32), self.name, self.exact, 1.0, 0)
        return self._single

    def _written_out(self, dtype: Any) -> tuple[Array, Array]:
        places, size = self.design.i * self.domain[1] + self.design.j, self.domain[0] * self.domain[1]
        weights, values = np.zeros(size, dtype), np.zeros(size, dtype)
        weights[places] = self.exact.p
        values[places] = self.exact.p * self.exact.y
        return weights.reshape(self.domain), values.reshape(self.domain)


LOSSES = ("squared", "logistic", "huber")


@by_label("rows", "cols", "values", "sample_weight")
@public
def completion(rows: Any, cols: Any, values: Any, shape: Any, *, loss: str = "squared", sample_weight: Any = None,
               delta: float = 1.0) -> MatrixModel:
    """Matrix completion, f(W) = ½ Σ (W_ij − v_ij)² over the observed entries.

    It is a sum, not a mean. Gradients are sparse, and over a `NuclearBall` points are kept as factors, so that no m×n array is
    made.

    Parameters
    ----------
    rows, cols : array_like of int of shape (n,)
        The places of the entries, from 0. No place may be given twice. Rows and columns may be empty; the representation of
        the objective, and so `Solution.summary`, says how many are.
    values : array_like of shape (n,)
        The entries. float32 values are iterated in float32 and certified in float64.
    shape : tuple of int
        The numbers of rows and columns of W.
    loss : {"squared", "logistic", "huber"}, default "squared"
        "logistic" is for values −1 and +1, or 0 and 1: Σ log(1 + exp(−v_ij W_ij)). "huber" is less sensitive to outliers.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights sᵢ of the entries; the sum becomes n·Σ sᵢℓᵢ / Σ sᵢ, so that equal weights change nothing.
    delta : float, default 1.0
        For "huber", the error at which the loss becomes linear.

    Returns
    -------
    Composite
        The objective.

    See Also
    --------
    NuclearBall : The usual set for it.
    multitask : Several responses at once.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.completion([0, 0, 1], [0, 1, 0], [1.0, 2.0, 2.0], (2, 2))
    >>> s = gh.minimize(f, gh.NuclearBall((2, 2), radius=5.0), stop=gh.Gap(1e-8))
    >>> s.point.entries([0, 1], [1, 0]).round(3)
    array([2., 2.])
    """
    m, n = matrix_shape(shape)
    i, j = _places(rows, m, "rows"), _places(cols, n, "cols")
    y = _values(values)
    check(len(i) == len(j) == len(y), lambda: f"{len(i)} rows, {len(j)} cols and {len(y)} values were given; as many of each "
                                              "are wanted.")
    check(len(y) > 0, "No entries were given; at least one observed entry is wanted.")
    order = np.lexsort((j, i))
    i, j, y = i[order], j[order], y[order]
    _check_once(i, j)
    p = shares(sample_weight, len(y))
    weights: Array | float = 1.0 if isinstance(p, float) else (p * len(y))[order]
    kept = y.dtype if y.dtype == np.float32 else np.dtype(np.float64)
    exact = _loss(loss, y.astype(np.float64), weights, delta)
    design = Observed(i, j, (m, n), kept)
    note = _emptiness(*design.empty())
    if isinstance(exact, Squared):
        return SquaredEntries(design, exact.cast(kept), "completion", exact, note)
    return MatrixModel(design, exact.cast(kept), "completion", exact, 1.0, 0, note)


def _emptiness(rows: int, cols: int) -> str:
    """Rows and columns of which nothing is known, for the words about a problem."""
    said = [f"{k} {one if k == 1 else one + 's'}" for k, one in ((rows, "row"), (cols, "column")) if k]
    return f", {' and '.join(said)} without entries" if said else ""


def _loss(name: str, y: Array, p: Array | float, delta: float) -> Separable:
    if name == "squared":
        return Squared(y, p)
    if name == "huber":
        return Huber(y, p, positive_number(delta, "delta"))
    if name == "logistic":
        return Logistic(signs(y, len(y), "values"), p)
    raise GreedyhullError(f"loss = {shown(name)} was given; one of {', '.join(map(repr, LOSSES))} is wanted.")


def _places(given: Any, size: int, what: str) -> Index:
    """Whole numbers from 0 to ``size`` − 1."""
    places = regular(given, what)
    check(places.ndim == 1, lambda: f"{what} has shape {places.shape}; one whole number for each observed entry is wanted.")
    whole = places.dtype.kind in "iu" or not places.size
    whole = whole or (places.dtype.kind == "f" and bool((places == np.floor(places)).all()))
    check(whole, lambda: f"{what} has dtype {places.dtype}; whole numbers are wanted. Number its labels first: "
                         "labels, numbers = np.unique(..., return_inverse=True).")
    off = np.flatnonzero((places < 0) | (places >= size))
    check(not len(off), lambda: f"{what} holds {', '.join(f'{x:g}' for x in places[off[:3]])}"
          f"{f' and {len(off) - 3} more' if len(off) > 3 else ''} outside 0 to {size - 1}. Give a larger shape, or "
          "count from 0.")
    return places.astype(np.intp)


def _values(given: Any) -> Array:
    check(not masked(given), "values has masked entries; leave these places out.")
    y = np.asarray(given)
    good = y.ndim == 1 and (y.dtype.kind in "biuf" or not y.size)
    check(good, lambda: f"values has shape {y.shape} and dtype {y.dtype}; one number for each observed entry is wanted.")
    if y.dtype != np.float32:
        y = y.astype(np.float64)
    bad = int((~np.isfinite(y)).sum())
    check(not bad, lambda: f"values holds {bad} NaN or infinite number{'' if bad == 1 else 's'}. Leave these places out: an "
                           "entry that is not known is not observed.")
    largest = float(np.abs(y).max(initial=0.0))
    small = largest < (1e150 if y.dtype == np.float64 else 1e15)
    check(small, lambda: f"values holds a number of size {largest:.3g}, whose square overflows. Scale the values down.")
    return y


def _check_once(i: Index, j: Index) -> None:
    """Raise where a place stands twice among sorted ones."""
    again = np.flatnonzero((i[1:] == i[:-1]) & (j[1:] == j[:-1]))
    check(not len(again), lambda: f"{len(again)} place{' is' if len(again) == 1 else 's are'} given more than once, the first "
          f"at ({i[again[0]]}, {j[again[0]]}). Aggregate them, by their mean say: "
          "pandas.DataFrame({'i': rows, 'j': cols, 'v': values}).groupby(['i', 'j']).v.mean().")
