"""The portfolios that are allowed, as a set: weights of at least 0 that sum to one, under caps and rows."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from greedyhull.apps.portfolios.assets import Assets, groups_of
from greedyhull.atoms.arguments import positive
from greedyhull.atoms.grouped_simplex import GroupedSimplex
from greedyhull.atoms.linear_program import LinearProgram
from greedyhull.atoms.simplex import Simplex
from greedyhull.atoms.turnover_simplex import TurnoverSimplex
from greedyhull.errors import GreedyhullError, GreedyhullWarning, check
from greedyhull.points.aligned import few, mapping_of
from greedyhull.types import Array, AtomSet

GROUP = "group "  # before a label, in the name of its row


@dataclass(frozen=True, eq=False)
class Feasible:
    """The set, how many of its variables are weights, and the cap of each weight.

    A limit on turnover beside rows of one's own needs a second variable for each asset, the size of its trade.
    """

    S: AtomSet
    d: int
    caps: Array | None

    @property
    def by_groups(self) -> GroupedSimplex | None:
        """The set as caps on groups, where there are no other rows."""
        return self.S if isinstance(self.S, GroupedSimplex) else None

    @property
    def by_trades(self) -> TurnoverSimplex | None:
        """The set as caps on groups and a limit on trades, where there are no other rows."""
        return self.S if isinstance(self.S, TurnoverSimplex) else None

    @property
    def by_rows(self) -> LinearProgram | None:
        """The set as rows, where there are any."""
        return self.S if isinstance(self.S, LinearProgram) else None


def feasible(assets: Assets, groups: Any, group_upper: Any, upper: Any, turnover: float | None, previous: Any,
             constraints: Any) -> Feasible:
    """The set that these limits describe."""
    d, group_upper = len(assets.names), mapping_of(group_upper, "group_upper")
    caps = None if upper is None else assets.vector(upper, "upper", missing=1.0)
    for_groups = group_upper.values() if isinstance(group_upper, Mapping) else [group_upper]
    _warn_of_idle([] if caps is None else caps, "upper", 1.0)
    _warn_of_idle([one for one in for_groups if isinstance(one, (int, float, np.number))], "group_upper", 1.0)
    rows = [*_groups(assets, groups, group_upper), *_own(assets, constraints)]
    check((turnover is None) == (previous is None), "turnover= and previous= belong together: the sum of all trades, and the "
                                                    "weights before them.")
    before = None if previous is None else assets.vector(previous, "previous")
    if before is not None and isinstance(turnover, (int, float, np.number)):
        _warn_of_idle([turnover], "turnover", 1.0 + float(np.abs(before).sum()))
    if not rows and turnover is None:
        return Feasible(Simplex(d, upper=caps), d, caps)
    if constraints is None:  # caps on disjoint groups are a polymatroid: no program is needed
        limits = {name.removeprefix(GROUP): min(end, 1.0) for name, _, end in rows}
        grouped = GroupedSimplex(groups_of(groups, assets) if rows else ["all"] * d, upper=caps, group_upper=limits)
        if turnover is None:
            return Feasible(grouped, d, caps)
        return Feasible(TurnoverSimplex(grouped, before, turnover), d, caps)
    A, b = np.array([row for _, row, _ in rows]).reshape(len(rows), d), [float(end) for _, _, end in rows]
    names, bounds = [name for name, _, _ in rows], [(0.0, cap) for cap in (np.ones(d) if caps is None else caps)]
    sum_ = np.ones((1, d))
    if turnover is not None:
        assert before is not None
        limit = positive(turnover, "turnover")
        one, none = np.eye(d), np.zeros((len(rows), d))
        A = np.block([[A, none], [one, -one], [-one, -one], [np.zeros((1, d)), np.ones((1, d))]])
        b = [*b, *before, *-before, limit]
        names = [*names, *(f"buy {name}" for name in assets.names), *(f"sell {name}" for name in assets.names), "turnover"]
        bounds, sum_ = bounds + [(0.0, limit)] * d, np.hstack([sum_, np.zeros((1, d))])
    return Feasible(LinearProgram(A, b, sum_, [1.0], bounds, [*names, "sum of weights"]), d, caps)


def _warn_of_idle(limits: Any, name: str, most: float) -> None:
    """Warn of limits that no portfolio reaches, such as caps in per cent."""
    largest = max(limits, default=0.0)
    if largest > most:
        warnings.warn(f"{name} holds {largest:g} and has no effect there: the weights sum to 1, so that nothing exceeds "
                      f"{most:g}. For {largest:g} per cent give {largest / 100:g}.", GreedyhullWarning, stacklevel=5)


def _groups(assets: Assets, groups: Any, group_upper: Any) -> list[tuple[str, Array, float]]:
    """A row for each group with a cap."""
    check((groups is None) == (group_upper is None), "groups= and group_upper= belong together: the group of each asset, and "
                                                     "the largest weight of a group.")
    if groups is None:
        return []
    labels = groups_of(groups, assets)
    kinds = sorted(set(labels))
    if isinstance(group_upper, Mapping):
        lost = [str(key) for key in group_upper if str(key) not in kinds]
        check(not lost, lambda: f"group_upper names {lost[0]!r}, which is no group. The groups are {few(kinds)}.")
        caps = {str(key): positive(value, f"group_upper[{key!r}]") for key, value in group_upper.items()}
    else:
        cap = positive(group_upper, "group_upper")
        check(cap * len(kinds) >= 1.0 - 1e-12, f"group_upper = {cap:g} for {len(kinds)} groups leaves at most "
              f"{cap * len(kinds):.4g} of the portfolio; the weights sum to 1. Give at least {1 / len(kinds):.4g}.")
        caps = dict.fromkeys(kinds, cap)
    return [(f"{GROUP}{kind}", np.array([label == kind for label in labels], dtype=float), cap) for kind, cap in caps.items()]


def _own(assets: Assets, constraints: Any) -> list[tuple[str, Array, float]]:
    """Rows ⟨coefficients, w⟩ ≤ limit by name."""
    if constraints is None:
        return []
    if not isinstance(constraints, Mapping):
        raise GreedyhullError("constraints= was given as no mapping; {name: (coefficients, limit)} is wanted, for "
                              "coefficients · w ≤ limit.")
    rows = []
    for name, row in constraints.items():
        check(isinstance(row, (tuple, list)) and len(row) == 2, f"constraints[{name!r}] is no pair (coefficients, limit).")
        rows.append((str(name), assets.vector(row[0], f"constraints[{name!r}]"), float(row[1])))
    return rows
