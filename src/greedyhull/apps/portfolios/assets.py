"""The assets, however they were given: arrays, data frames or mappings, with their names."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from greedyhull.atoms.arguments import numbers
from greedyhull.errors import GreedyhullError, GreedyhullWarning, check
from greedyhull.errors.given import shown
from greedyhull.points.aligned import few, labels_of, numbered, ordered, places_of, square, table_of
from greedyhull.types import Array


@dataclass(frozen=True, eq=False)
class Assets:
    """Names of the assets, and what is known of them: returns by period, covariance, mean.

    ``labels`` are the names as they were given; where none were, the numbers of the assets.
    """

    labels: Sequence[Any]
    returns: Array | None
    covariance: Array | None
    mean: Array | None

    @property
    def names(self) -> list[str]:
        """The names as text."""
        return [str(label) for label in self.labels]

    def vector(self, given: Any, name: str, missing: float = 0.0) -> Array:
        """A number for each asset, from one number for all, a vector, a labelled series, or a mapping that may leave assets
        out, which get ``missing``."""
        d = len(self.labels)
        found = numbers(self.ordered(given, name, missing), name)
        check(found.shape in ((), (d,)), lambda: f"{name} has shape {found.shape}; one number, or {d}, one for each asset, is "
                                                 "wanted.")
        return np.broadcast_to(found, d).copy()

    def ordered(self, given: Any, name: str, missing: Any = None) -> Any:
        """What was given for each asset, in their order; a mapping must name all unless ``missing`` is given."""
        if not isinstance(given, Mapping):
            return ordered(given, self.labels, name, "the assets")
        known = f"The assets are {few(self.names)}."
        places = places_of(list(given), self.names, name, "the assets", known, some=missing is not None).tolist()
        values = list(given.values())
        return [missing if k < 0 else values[k] for k in places]


def assets_of(returns: Any, covariance: Any, mean: Any, *others: Any) -> Assets:
    """What was given of the assets; covariance and mean come from the returns where they are left out.

    The assets have the labels of the first argument that has any; ``others`` are vectors with an entry for each asset.
    """
    check(returns is not None or covariance is not None, "portfolio() was given neither returns nor covariance; one row of "
                                                         "returns for each period, or a covariance matrix, is wanted.")
    named = [*(labels_of(one, 1) for one in (returns, covariance)), *(labels_of(one) for one in (mean, *others))]
    labels = next((list(one) for k, one in enumerate(named) if one is not None and not numbered(one, shuffled=k > 1)), None)
    R = None if returns is None else _matrix(ordered(returns, labels, "returns", "the assets", 1), "returns")
    Q = None if covariance is None else _matrix(square(covariance, "covariance", labels, "the assets"), "covariance")
    d = (R if R is not None else Q).shape[1]  # type: ignore[union-attr]
    check(Q is None or Q.shape == (d, d), lambda: f"covariance has shape {Q.shape}; {(d, d)} is wanted, for {d} assets.")  # type: ignore[union-attr]
    check(R is None or len(R) > 1, "returns has one row; at least two periods are wanted.")
    known: Sequence[Any] = range(d) if labels is None or len(labels) != d else labels
    check(len({str(label) for label in known}) == d, "Two assets have the same name; a name of its own for each is wanted.")
    kept = Assets(known, R, Q, None)
    _warn_of_prices(kept)
    return Assets(known, R, Q, None if mean is None else kept.vector(mean, "mean"))


def _warn_of_prices(assets: Assets) -> None:
    """Warn of columns that no returns look like: all entries positive, half of them 50 % or more in one period."""
    R = assets.returns
    odd = [] if R is None else np.flatnonzero((R > 0.0).all(axis=0) & (np.median(R, axis=0) >= 0.5)).tolist()
    if odd:
        warnings.warn(f"returns holds positive numbers only for {few([assets.names[j] for j in odd])}, with a median of at "
                      "least 0.5, and looks like prices. Returns are changes relative to the price before, 0.01 for one per "
                      "cent: prices[1:] / prices[:-1] - 1.", GreedyhullWarning, stacklevel=5)


def groups_of(groups: Any, assets: Assets) -> list[str]:
    """The group of each asset."""
    check(not isinstance(groups, str), lambda: f"groups must have a label for each asset; got {groups!r}.")
    if isinstance(groups, Mapping):  # it may be about more assets than these
        groups = {name: group for name, group in groups.items() if str(name) in assets.names}
    found = list(assets.ordered(groups, "groups"))
    check(len(found) == len(assets.labels),
          lambda: f"groups has {len(found)} labels; {len(assets.labels)} are wanted, one for each asset.")
    return [str(label) for label in found]


def _matrix(given: Any, name: str) -> Array:
    found = numbers(table_of(given), name)
    if found.ndim != 2 or 0 in found.shape:
        raise GreedyhullError(f"{name} = {shown(given)} was given; a matrix with a column for each asset is wanted.")
    return found
