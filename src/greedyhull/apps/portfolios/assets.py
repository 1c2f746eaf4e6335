"""The assets, however they were given: arrays, data frames or mappings, with their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from greedyhull.atoms.arguments import numbers
from greedyhull.errors import GreedyhullError, check
from greedyhull.errors.given import shown
from greedyhull.types import Array
from greedyhull.types.attributes import lacks


@dataclass(frozen=True, eq=False)
class Assets:
    """Names of the assets, and what is known of them: returns by period, covariance, mean."""

    names: list[str]
    returns: Array | None
    covariance: Array | None
    mean: Array | None

    def vector(self, given: Any, name: str) -> Array:
        """A number for each asset, from a vector, one number for all, or a mapping from names."""
        d = len(self.names)
        if isinstance(given, Mapping):
            lost = [key for key in given if str(key) not in self.names]
            check(not lost, lambda: f"{name} names {lost[0]!r}, which is no asset. The assets are {few(self.names)}.")
            known = {str(key): value for key, value in given.items()}
            return numbers([known.get(asset, 0.0) for asset in self.names], name)
        found = numbers(given, name)
        check(found.shape in ((), (d,)), lambda: f"{name} has shape {found.shape}; one number, or {d}, one for each asset, is "
                                                 "wanted.")
        return np.broadcast_to(found, d).copy()


def assets_of(returns: Any, covariance: Any, mean: Any) -> Assets:
    """What was given of the assets; covariance and mean come from the returns where they are left out."""
    check(returns is not None or covariance is not None, "portfolio() was given neither returns nor covariance; one row of "
                                                         "returns for each period, or a covariance matrix, is wanted.")
    names = _names(returns if returns is not None else covariance)
    R = None if returns is None else _matrix(returns, "returns")
    Q = None if covariance is None else _matrix(covariance, "covariance")
    d = (R if R is not None else Q).shape[1]  # type: ignore[union-attr]
    check(Q is None or Q.shape == (d, d), lambda: f"covariance has shape {Q.shape}; {(d, d)} is wanted, for {d} assets.")  # type: ignore[union-attr]
    check(R is None or len(R) > 1, "returns has one row; at least two periods are wanted.")
    kept = Assets(names or [str(j) for j in range(d)], R, Q, None)
    return Assets(kept.names, R, Q, None if mean is None else kept.vector(mean, "mean"))


def labels_of(groups: Any, assets: Assets) -> list[str]:
    """The group of each asset."""
    if isinstance(groups, Mapping):
        known = {str(key): str(value) for key, value in groups.items()}
        lost = [asset for asset in assets.names if asset not in known]
        check(not lost, lambda: f"groups has no group for the assets {few(lost)}; one for each asset is wanted.")
        return [known[asset] for asset in assets.names]
    check(not isinstance(groups, str) and len(groups) == len(assets.names),
          lambda: f"groups has {len(groups)} labels; {len(assets.names)} are wanted, one for each asset.")
    return [str(label) for label in groups]


def few(names: Sequence[str]) -> str:
    """The first few of many names."""
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _names(given: Any) -> list[str] | None:
    names = list(given) if isinstance(given, Mapping) else None if lacks(given, "columns") else list(given.columns)
    if names is None:
        return None
    words = [str(name) for name in names]
    check(len(set(words)) == len(words), "Two assets have the same name; a name of its own for each is wanted.")
    return words


def _matrix(given: Any, name: str) -> Array:
    if isinstance(given, Mapping):
        given = np.column_stack([np.asarray(column) for column in given.values()])
    found = numbers(np.asarray(given), name)
    if found.ndim != 2 or 0 in found.shape:
        raise GreedyhullError(f"{name} = {shown(given)} was given; a matrix with a column for each asset is wanted.")
    return found
