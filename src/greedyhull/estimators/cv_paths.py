"""Coefficients over a grid of radii, on all data and on each fold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from numbers import Integral
from typing import Any, NamedTuple, cast

import numpy as np
from sklearn.utils.validation import check_is_fitted

from greedyhull.atoms.arguments import HUGE
from greedyhull.driver.path import path
from greedyhull.driver.solution import Solution
from greedyhull.driver.stop import Gap, Iterations, Relative, Stalled
from greedyhull.errors import check, installing
from greedyhull.estimators.base import STILL, Fold
from greedyhull.estimators.budget import Budget, floor, origin, price_of
from greedyhull.estimators.linear import Linear, Problem
from greedyhull.kernels.data_passes import product
from greedyhull.objectives.by_name import least_squares
from greedyhull.objectives.composite import with_whole_hessian
from greedyhull.points.arrays import energies, is_sparse
from greedyhull.solvers.parts.paths import FEW, loss_path, matrix_path, never, square_path
from greedyhull.types import Array, AtomSet, Index, LinearModel


def new_axes(columns: int = 1, rows: int = 1) -> Any:
    """Axes of a new figure: one, or an array of them."""
    if find_spec("matplotlib") is None:
        raise ModuleNotFoundError(f"plot_path needs matplotlib, which is not installed. {installing('report')}")
    import matplotlib.pyplot as plt

    size = (max(6.4, 3.6 * columns), 4.8)
    return plt.subplots(rows, columns, figsize=size, sharex=rows > 1, sharey=columns > 1, layout="constrained")[1]


def draw_coefficients(ax: Any, radii: Array, coefs: Array, names: Sequence[str] | None) -> None:
    """One line for each column of ``coefs``; few lines are named, by the features or by number."""
    labels = [f"w[{j}]" for j in range(coefs.shape[1])] if names is None else list(names)
    named = len(labels) == coefs.shape[1] <= 10  # lines up to which each is named in the legend
    for j in range(coefs.shape[1]):
        ax.plot(radii, coefs[:, j], lw=1, marker="." if len(radii) == 1 else "", label=labels[j] if named else None)
    ax.axhline(0.0, color="0.8", lw=0.8, zorder=0)
    ax.set_ylabel("coefficient")


def legend_beside(ax: Any) -> None:
    """A legend to the right of the axes, where it covers nothing."""
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize="small")


ENOUGH = 1e-4  # the gap to which the points of a path are solved, as a share of the loss at zero
SQUARED = 2e-4  # the same for squares, or of the loss where that is larger: 1e-4 ‖y‖²/n, as other solvers of the lasso have it


class Line(NamedTuple):
    """Coefficients (radii, features) or (radii, features, classes), and intercepts (radii,) or (radii, classes)."""

    coefs: Array
    intercepts: Array

    def predict(self, X: Any) -> Array:
        """The linear predictions, one column for each radius."""
        return np.asarray(X @ self.coefs.T.astype(X.dtype, copy=False)) + self.intercepts


class Paths:
    """Paths of any loss over balls like ``S``, in the core where it has the loss, else by the driver."""

    def __init__(self, X: Any, y: Array, s: Array | None, S: AtomSet, problem: Problem) -> None:
        self.X, self.y, self.s, self.S, self.problem = X, y, s, S, problem

    def on(self, rows: Index | None, radii: Array) -> Line:
        """The path of the problem on some rows, None for all of them."""
        some = slice(None) if rows is None else rows
        f = self.problem(self.X[some], self.y[some], None if self.s is None else self.s[some])
        zero, largest = origin(self.S), self.S.rescaled(float(radii.max()))
        gap = max(ENOUGH * (float(f.value(zero)) - floor(f)), float(f.rounding(zero, largest)))  # what rounding leaves of it
        made = loss_path(f, self.S.rescaled(1.0))
        if made is None:
            return self._by_driver(f, radii, gap)
        W, gaps, intercepts = made.walk(radii, gap)
        left = np.flatnonzero(~(gaps <= gap))
        if len(left):
            W[left], intercepts[left] = self._by_driver(f, radii[left], gap)
        return Line(W, intercepts)

    def left_out(self, line: Line, rows: Index) -> list[float]:
        """The loss on rows that a fold leaves out, at every radius."""
        X, loss = self.X[rows], self.problem.loss_of(self.y[rows], None if self.s is None else self.s[rows])
        if line.coefs.ndim == 3:  # a column of scores for each class
            scores = [(np.asarray(X @ W) + b).ravel() for W, b in zip(line.coefs, line.intercepts, strict=True)]
        else:
            scores = list(line.predict(X).T)
        return [float(loss.value(np.ascontiguousarray(z, dtype=np.float64))) for z in scores]

    def _by_driver(self, f: LinearModel, radii: Array, gap: float) -> Line:
        """One run for each radius, for what the core does not know, or could not solve."""
        found = path(with_whole_hessian(f, len(radii)), self.S, radii, stop=Gap(gap) | Stalled(100) | Iterations(1000))
        return Line(np.array([s.x for s in found]), np.array([np.broadcast_to(s.intercept, f.domain[1:]) for s in found]))


class SquarePaths:
    """Least squares in the core. Where columns are few, the folds share one covariance: that of all data less their own."""

    def __init__(self, of: Paths, folds: list[Fold], *, centre: bool, positive: bool = False) -> None:
        self.X, self.y, self.s = of.X, of.y.astype(np.float64), of.s
        self.folds, self.centre, self.positive = folds, centre, positive
        self.scale = np.broadcast_to(cast(Budget, of.S).rescaled(1.0).scale, of.S.shape).astype(np.float64)
        X, (n, d) = of.X, of.X.shape
        self.shift = (X.mean(axis=0, dtype=np.float64), float(self.y.mean())) if centre else (np.zeros(d), 0.0)
        self.total: Array | None = None
        if not is_sparse(X) and d <= min(n, 2000):  # columns up to which the covariance of the data is made
            out = np.concatenate([test for _, test in folds])
            apart = len(np.unique(out)) == len(out) and all(len(a) + len(b) == n for a, b in folds)
            self.parts = [self._sums(test if apart else train) for train, test in folds]
            self.total = self._sums(np.setdiff1d(np.arange(n), out) if apart else np.arange(n))
            if apart:
                self.total = sum(self.parts, self.total)
                self.parts = [self.total - part for part in self.parts]

    def _sums(self, rows: Index) -> Array:
        """Σ s·a·aᵀ over rows with weights s, where a is x, y and 1, less the means of all data."""
        mean, middle = self.shift
        A = np.column_stack([self.X[rows].astype(np.float64) - mean, self.y[rows] - middle, np.ones(len(rows))])
        return product(A.T, A if self.s is None else self.s[rows, None] * A)

    def path(self, fold: int | None) -> tuple[Any, Callable[[Array], Array]]:
        """The core's path without one fold, None for all data, and the intercepts that belong to rows of coefficients."""
        if self.total is not None:
            M = self.total if fold is None else self.parts[fold]
            C, means = M[:-1, :-1] / M[-1, -1], M[-1, :-1] / M[-1, -1]
            mean, middle = self.shift[0] + means[:-1], self.shift[1] + means[-1]
            if self.centre:
                C -= np.outer(means, means)
            made = matrix_path(C[:-1, :-1], C[:-1, -1], 0.5 * max(C[-1, -1], 0.0), self.scale, positive=self.positive)
        else:
            rows = slice(None) if fold is None else self.folds[fold][0]
            s, X, y = None if self.s is None else self.s[rows], self.X[rows], self.y[rows]
            p = np.full(len(y), 1.0 / len(y)) if s is None else s / s.sum()
            mean, middle = np.asarray(X.T @ p.astype(X.dtype)), float(p @ y)
            f = least_squares(X, y, sample_weight=s, intercept=self.centre)
            made = square_path(f, self.scale, positive=self.positive, roughly=min(f.design.n, len(self.scale)) > FEW)
        return made, lambda W: middle - W @ mean if self.centre else np.zeros(len(W))

    def chosen(self, given: Any, eps: float) -> tuple[Array, Line]:
        """The radii, those given or so many as were asked for, and the path on all data."""
        made, intercepts = self.path(None)
        found: list[Array | None] = []

        def make(count: int) -> Array:
            radii, W = priced(made, self.scale, eps, count)
            found.append(W)
            return radii

        radii = radii_of(given, make)
        W = found[0] if found else None
        return radii, self.on(None, radii) if W is None else Line(W, intercepts(W))

    def on(self, fold: int | None, radii: Array) -> Line:
        """The path without one fold, over growing radii."""
        made, intercepts = self.path(fold)
        W = np.empty((len(radii), len(self.scale)))
        made.walk(np.ascontiguousarray(radii, dtype=np.float64), SQUARED, self.scale, W, never)
        return Line(W, intercepts(W))

    def left_out(self, fold: int, line: Line) -> Array:
        """The loss on the rows that a fold leaves out, one number for each radius."""
        test = self.folds[fold][1]
        error = line.predict(self.X[test]).astype(np.float64) - self.y[test, None]
        p = np.full(len(test), 1.0) if self.s is None else self.s[test]
        return np.asarray(0.5 * (p @ error**2) / p.sum())


def priced(made: Any, scale: Array, eps: float, count: int) -> tuple[Array, Array | None]:
    """``count`` radii whose prices fall by about one factor from each to the next, to ``eps`` times that of the first unit.

    Between two kinks of the path the price is linear, so that one secant step leads near the next radius. The coefficients
    there are returned too, unless the path ended early and other radii were taken.
    """
    (f0, first), r = made.first(), 0.0
    radii: list[float] = []
    coefs = np.zeros((count, len(scale)))
    price, give = first, 0.1 * f0 / first / first
    for w, alpha in zip(coefs, first * np.geomspace(1.0, eps, count + 1)[1:], strict=True):
        before, step = price, min(max((price - alpha) * give, 0.01 * r, 1e-300), 0.5 * r or np.inf)
        r = float(rounded([in_range(r + step)])[0])
        # with few columns from exact points, so that rounding cannot move the radii
        value, _, price, used = made.to(r, 1e-11 if len(scale) <= 100 else SQUARED, never)
        index, v = made.point()
        w[index] = v * scale[index]
        radii.append(r)
        if used < 0.99 * r or value <= ENOUGH * f0:  # more budget is of no use, or fits noise only
            found = np.maximum.accumulate([*radii[:-1], min(used, r)])
            return rounded(np.interp(np.linspace(0.0, 1.0, count), np.linspace(0.0, 1.0, len(found)), found)), None
        give = step / (before - price) if price < before else 2.0 * give
    return np.array(radii), coefs


def first_price(f: LinearModel, S: AtomSet) -> float:
    """What the first unit of radius is worth; 0 where that is nothing but rounding, or no loss is left to lower."""
    zero, unit = origin(S), S.rescaled(1.0)
    g, r = np.asarray(f.gradient(zero), dtype=np.float64).ravel(), np.asarray(f.residual(zero), dtype=np.float64)
    if float(f.value(zero)) - floor(f) <= 0.0:
        return 0.0
    # with r = ∇φ(0), the entry ⟨A_j, r⟩ of the gradient is computed to about eps·‖A_j‖·‖r‖
    noise = 64 * float(np.finfo(f.design.dtype).eps) * float(np.linalg.norm(r)) * np.sqrt(energies(f.design, 1.0))
    g = np.where(np.abs(g) > noise, g, 0.0)
    return max(-float(unit.atom(g).dot(g)), 0.0)


def in_range(radius: float) -> float:
    """A radius, if it can be computed with."""
    check(1.0 / HUGE <= radius <= HUGE, f"X and y are of too different a size, with radii near {radius:.3g}. Scale them.")
    return radius


def grid(largest: float, count: int) -> Array:
    """``count`` radii from a hundredth of the largest to the largest, each the same factor above the one before."""
    return rounded(np.geomspace(0.01 * largest, largest, count))


def rounded(radii: Any) -> Array:
    """The radii to four digits, so that rounding in the data does not show."""
    return np.array([float(f"{r:.3e}") for r in radii])


def radii_of(given: Any, make: Callable[[int], Array]) -> Array:
    """The radii that were given, in growing order, or so many as were asked for."""
    if isinstance(given, Integral) and not isinstance(given, bool) and int(given) >= 1:
        return make(int(given))
    radii = np.asarray(given)
    good = radii.ndim == 1 and len(radii) > 0 and radii.dtype.kind in "iuf" and bool((np.isfinite(radii) & (radii > 0)).all())
    check(good, f"radii={given!r} was given; a number of radii, or positive radii, are wanted.")
    return np.sort(radii.astype(np.float64))


class RadiusPath(Linear):
    """An estimator with one radius, and what it can show about smaller and larger ones."""

    positive = False  # where the subclass does not take it
    radius_: Any
    price_: Any

    def _moved(self, x: Array, S: Any) -> Array:
        inside = np.maximum(x, 0.0) if self.positive else x
        return np.asarray(inside / max(S.gauge(inside), 1.0))

    def _keep(self, solutions: list[Solution], dtype: Any) -> None:
        super()._keep(solutions, dtype)
        radii, prices = [float(s.atom_set.radius) for s in solutions], [price_of(s) for s in solutions]
        self.radius_ = radii if len(solutions) > 1 else radii[0]
        self.price_ = prices if len(solutions) > 1 else prices[0]

    def path(self, radii: Any = 50) -> tuple[Array, Array]:
        """Compute the coefficients for many radii on the training data, which are kept in memory, but are no part of a pickle.

        Parameters
        ----------
        radii : int or array-like of shape (n_radii,), default=50
            How many radii, evenly spaced up to ``radius_`` (the largest of all classes), or which.

        Returns
        -------
        radii : ndarray of shape (n_radii,)
            The radii, in increasing order.
        coefs : ndarray of shape (n_radii, n_features) or (n_radii, n_classes, n_features)
            The coefficients at each radius, each solved to ``tol`` or ``max_iter``.

        Examples
        --------
        >>> import numpy as np
        >>> from greedyhull.estimators import L1BudgetRegressor
        >>> model = L1BudgetRegressor(3.0, fit_intercept=False).fit(np.eye(2), [3.0, 1.0])
        >>> radii, coefs = model.path([1.0, 4.0])
        >>> coefs.round(6)
        array([[1., 0.],
               [3., 1.]])
        """
        check_is_fitted(self)
        found: list[Solution] = self.solution_ if isinstance(self.solution_, list) else [self.solution_]
        for s in found:
            s._need("path")
        largest = float(np.max(self.radius_))
        sizes = radii_of(radii, lambda count: rounded(np.linspace(largest / count, largest, count)))
        stop = Relative(float(self.tol)) | Iterations(int(self.max_iter)) | Stalled(STILL)
        coefs = np.array([[one.x.T for one in path(s.objective, s.atom_set, sizes, stop=stop)] for s in found])
        return sizes, coefs[0] if len(found) == 1 else coefs.transpose(1, 0, 2)

    def plot_path(self, ax: Any = None, *, radii: Any = 50) -> Any:
        """Plot the coefficients against the radius.

        Parameters
        ----------
        ax : matplotlib axes or sequence of axes, default=None
            Where to draw: one axes, or one for each class if there are more than two. None makes a new figure.
        radii : int or array-like of shape (n_radii,), default=50
            How many radii, or which, as for `path`.

        Returns
        -------
        ax : matplotlib axes or ndarray of axes
            The axes drawn on.

        Examples
        --------
        >>> import numpy as np
        >>> from greedyhull.estimators import L1BudgetRegressor
        >>> model = L1BudgetRegressor(3.0, fit_intercept=False).fit(np.eye(2), [3.0, 1.0])
        >>> model.plot_path().get_xlabel()  # doctest: +SKIP
        'radius'
        """
        sizes, coefs = self.path(radii)
        classes = None if coefs.ndim == 2 else vars(self)["classes_"].tolist()
        axes = np.atleast_1d(np.asarray(new_axes(1 if classes is None else len(classes)) if ax is None else ax, dtype=object))
        check(axes.shape == (1 if classes is None else len(classes),),
              f"ax must have one axes for each of {1 if classes is None else len(classes)} problems; got {axes.size}.")
        used = np.broadcast_to(self.radius_, axes.shape)
        rest = " against the rest" if isinstance(self.solution_, list) else ""
        for k, one in enumerate(axes):
            title = "Coefficients against the radius" if classes is None else f"Class {classes[k]!r}{rest}"
            draw_coefficients(one, sizes, coefs if classes is None else coefs[:, k], self._feature_names())
            one.axvline(float(used[k]), color="C3", ls="--", label=f"radius_ = {used[k]:.4g}")
            one.set(xlabel="radius", title=title)
        legend_beside(axes[-1])
        return axes[0] if classes is None else axes
