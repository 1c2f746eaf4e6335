"""The weights of donors: least squares over a simplex, for the treated unit, for placebos, and without one donor."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from greedyhull.apps.synthetic.labels import place
from greedyhull.apps.synthetic.panel import Panel, check_size, column, labels, names_of, numbers
from greedyhull.atoms.simplex import Simplex
from greedyhull.driver.batch.call import batch
from greedyhull.driver.batch.shared import WIDEST
from greedyhull.driver.certificate import Certificate
from greedyhull.driver.minimize import minimize
from greedyhull.driver.stop import Stop
from greedyhull.errors import check
from greedyhull.objectives.by_name import least_squares
from greedyhull.points.aligned import labels_of, ordered
from greedyhull.types import Array, Index

ROUNDING = 16.0 * float(np.finfo(np.float64).eps)  # errors of so small a share of the outcomes are none


class Fitted(NamedTuple):
    """Weights of some donors, the constant that is added to their mean, and the resulting series.

    ``exact`` says that the error before the treatment is zero, as far as the certificate can tell.
    """

    weights: Array
    intercept: float
    synthetic: Array
    certificate: Certificate
    exact: bool


@dataclass(frozen=True, eq=False)
class Problem:
    """What is matched: the rows of ``matched``, one column for each unit of the panel, by weights of donors.

    ``outcomes`` says that these rows are the outcomes before ``start``; then an intercept takes part in the fit.
    """

    panel: Panel
    matched: Array
    start: int
    intercept: bool
    outcomes: bool
    stop: Stop

    def fit(self, j: int, donors: Index, near: Array | None = None) -> Fitted:
        """Weights of ``donors`` for unit j, begun at weights ``near`` the answer, if there are any."""
        begin = near / near.sum() if near is not None and near.sum() > 0.5 else None
        f = least_squares(self.matched[:, donors], self.matched[:, j], intercept=self.intercept and self.outcomes)
        solution = minimize(f, Simplex(len(donors)), start=begin, stop=self.stop)
        w = solution.point.array()
        mean = self.panel.table[:, donors] @ w
        shift = float((self.panel.table[: self.start, j] - mean[: self.start]).mean()) if self.intercept else 0.0
        return Fitted(w, shift, mean + shift, solution.certificate, self._is_exact(j, mean + shift, solution.certificate))

    def _is_exact(self, j: int, synthetic: Array, certificate: Certificate) -> bool:
        """Whether the error before the treatment may be zero, which the gap does not exclude, or is nothing but rounding."""
        series = self.panel.table[: self.start, j]
        largest = float(np.abs(series - synthetic[: self.start]).max())
        if largest <= ROUNDING * self._size:
            return True
        return self.outcomes and certificate.value is not None and certificate.value <= (certificate.gap or 0.0)

    @cached_property
    def _size(self) -> float:
        """The largest outcome before the treatment."""
        return float(np.abs(self.panel.table[: self.start]).max())

    def placebos(self, w: Array) -> tuple[Array, Array]:
        """The effect on each donor as if it had been treated, from the other donors, and which fits are exact.

        They share their data but for one column each, and are solved together. Those of very many donors are solved one by
        one, each begun at the treated unit's weights.
        """
        donors = np.arange(1, len(w) + 1)
        table = self.panel.table
        if len(donors) < 2:
            return np.zeros((len(table), 0)), np.zeros(0, dtype=bool)
        if len(donors) <= WIDEST:
            return self._placebos_together(len(donors))
        fits = [self.fit(j, np.delete(donors, i), np.delete(w, i)) for i, j in enumerate(donors.tolist())]
        effects = [table[:, j] - fitted.synthetic for j, fitted in zip(donors.tolist(), fits, strict=True)]
        return np.column_stack(effects), np.array([fitted.exact for fitted in fits])

    def _placebos_together(self, d: int) -> tuple[Array, Array]:
        X, table = self.matched[:, 1:], self.panel.table
        found = batch(least_squares, Simplex(d), X=X, Y=X, without=np.arange(d), stop=self.stop,
                      intercept=self.intercept and self.outcomes)
        for error in found.errors.values():
            raise error.__cause__ if isinstance(error.__cause__, KeyboardInterrupt) else error
        means = table[:, 1:] @ found.x.T
        if self.intercept:
            means += (table[: self.start, 1:] - means[: self.start]).mean(axis=0)
        exact = [self._is_exact(j + 1, means[:, j], certificate) for j, certificate in enumerate(found.certificates())]
        return table[:, 1:] - means, np.array(exact)


def matched_rows(panel: Panel, start: int, Y: Any, predictors: Any, importance: Sequence[float] | None, unit: Any,
                 time: Any) -> Array:
    """The outcomes before the treatment, or the predictors, each over its standard deviation, by their importance."""
    if predictors is None:
        check(importance is None, "importance was given without predictors; it weighs these. Give both, or neither.")
        return panel.table[:start]
    if isinstance(predictors, str) or _names(predictors):
        P = _means(panel, start, Y, [predictors] if isinstance(predictors, str) else list(predictors), unit, time)
    else:
        P = _aligned(panel, predictors)
    known = labels_of(predictors) if isinstance(predictors, str) or not _names(predictors) else list(predictors)
    importance = ordered(importance, known, "importance", "the predictors")
    check(bool(np.isfinite(P).all()), "predictors holds NaN or infinite values; drop those predictors or units first.")
    check_size(P, "predictors")
    V = np.full(len(P), 1.0 / len(P)) if importance is None else numbers(importance, "importance")
    check(V.shape == (len(P),) and bool((V >= 0).all()) and 0.0 < float(V.sum()) < np.inf,
          lambda: f"importance has shape {V.shape} and sum {V.sum():g}; {len(P)} non-negative numbers, one for each predictor "
                  "and not all zero, are wanted.")
    top = np.abs(P).max(axis=1, initial=0.0)
    P = P / np.where(top > 0.0, top, 1.0)[:, None]  # squares neither overflow nor vanish
    spread = P.std(axis=1, ddof=1)
    return np.asarray(np.sqrt(V)[:, None] * P / np.where(spread > 0, spread, 1.0)[:, None])


def _names(predictors: Any) -> bool:
    """Whether predictors are names of columns."""
    return isinstance(predictors, list | tuple) and len(predictors) > 0 and all(isinstance(name, str) for name in predictors)


def _aligned(panel: Panel, predictors: Any) -> Array:
    """One row for each predictor, one column for each unit of the panel; columns of a data frame are found by name."""
    if labels_of(predictors, 1) is not None:
        names = names_of(predictors)
        there = [names[place(name, names, "unit", "a column of predictors")] for name in panel.names]
        return np.column_stack([numbers(predictors[name], f"The column {name!r} of predictors") for name in there])
    P = numbers(predictors, "predictors")
    check(P.ndim == 2 and P.shape[1] == len(panel.given) and len(P) > 0, f"predictors has shape {P.shape}; one row for each "
          f"predictor and {len(panel.given)} columns, one for each unit, are wanted.")
    return P[:, panel.columns]


def _means(panel: Panel, start: int, Y: Any, names: Iterable[str], unit: Any, time: Any) -> Array:
    """The means of columns of a long table over the periods before the treatment, as far as they are observed."""
    check(unit is not None, "predictors names columns, which a long table has; for a wide one give a row of numbers for each "
                            "predictor.")
    before, who = set(panel.periods[:start]), {name: j for j, name in enumerate(panel.names)}
    whose, when = labels(Y, unit, "unit"), labels(Y, time, "time")
    rows = [i for i, (name, period) in enumerate(zip(whose, when)) if name in who and period in before]
    P = []
    for name in names:
        x = numbers(column(Y, name, "predictor"), f"The column {name!r} of Y")[rows]
        seen = ~np.isnan(x)
        j = np.array([who[whose[i]] for i in rows])[seen]
        count = np.bincount(j, minlength=len(who))
        check(bool((count > 0).all()), f"The predictor {name!r} is missing in all periods before the treatment for the "
                                       f"unit {panel.names[int(count.argmin())]!r}; drop one of them.")
        P.append(np.bincount(j, weights=x[seen], minlength=len(who)) / count)
    return np.array(P)
