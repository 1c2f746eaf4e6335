"""The coefficients of a fitted budget as functions of the radius: numbers, and a figure."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from greedyhull.driver.path import path
from greedyhull.driver.solution import Solution
from greedyhull.driver.stop import Iterations, Relative, Stalled
from greedyhull.errors import check
from greedyhull.estimators.base import STILL, Certified
from greedyhull.estimators.budget_set import price_of
from greedyhull.estimators.cv_paths import radii_of, rounded
from greedyhull.estimators.figures import draw_coefficients, legend_beside, new_axes
from greedyhull.types import Array


class RadiusPath(Certified):
    """What an estimator with one radius can show about smaller and larger ones."""

    radius_: Any
    price_: Any

    def _keep(self, solutions: list[Solution], dtype: Any) -> None:
        super()._keep(solutions, dtype)
        radii, prices = [float(s.atom_set.radius) for s in solutions], [price_of(s) for s in solutions]
        self.radius_ = radii if len(solutions) > 1 else radii[0]
        self.price_ = prices if len(solutions) > 1 else prices[0]

    def path(self, radii: Any = 50) -> tuple[Array, Array]:
        """
        Compute the coefficients on the training data for many radii.

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

        Notes
        -----
        It needs the training data. They are kept in memory after `fit`, but are no part of a pickle.

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
        """
        Plot the coefficients against the radius.

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
              f"ax has {axes.size} axes; {'one is' if classes is None else f'{len(classes or ())} are'} wanted, one for each "
              "problem solved.")
        used = np.broadcast_to(self.radius_, axes.shape)
        rest = " against the rest" if isinstance(self.solution_, list) else ""
        for k, one in enumerate(axes):
            title = "Coefficients against the radius" if classes is None else f"Class {classes[k]!r}{rest}"
            draw_coefficients(one, sizes, coefs if classes is None else coefs[:, k], self._feature_names())
            one.axvline(float(used[k]), color="C3", ls="--", label=f"radius_ = {used[k]:.4g}")
            one.set(xlabel="radius", title=title)
        legend_beside(axes[-1])
        return axes[0] if classes is None else axes
