"""At most so many positive weights: which of them, when the best weights have more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from greedyhull.atoms.scores import lowest
from greedyhull.atoms.simplex import Simplex
from greedyhull.objectives.composite import Composite
from greedyhull.objectives.designs import design
from greedyhull.points.columns import column
from greedyhull.types import Array, Index

Solve = Callable[[Any, Any], Array]
CANDIDATES = 8  # how many are tried in the place of one


def best_few(f: Composite, w: Array, most: int, solve: Solve) -> Array:
    """Weights with at most ``most`` positive ones, by taking away and by putting in; the better of the two.

    Away: from the best weights of all, those that matter least leave, half of what is too many at a time, and the rest are
    solved for again. In: from the best single one on, the one with the best score at the best weights so far joins. In the
    end one weight is exchanged for another as long as that helps, of those that score best without it.
    """
    better = min((_away(f, w, most, solve), _in(f, most, solve)), key=lambda x: _value(f, x))
    return _exchanged(f, better, solve)


def _value(f: Composite, w: Array) -> float:
    return float(f.loss.value(f.design.matvec(w)))


def _scores(f: Composite, w: Array) -> Array:
    g = np.asarray(f.design.adjoint(f.loss.gradient(f.design.matvec(w))), dtype=np.float64)
    g[w > 0] = np.inf
    return g


def _exchanged(f: Composite, w: Array, solve: Solve) -> Array:
    value, better = _value(f, w), True
    while better:
        better = False
        for i in np.flatnonzero(w):
            rest = w.copy()
            rest[i] = 0.0
            on = np.flatnonzero(rest)
            scores = _scores(f, rest / rest.sum() if len(on) else w)
            scores[i] = np.inf
            for j in lowest(scores, min(CANDIDATES, len(w))):
                if not np.isfinite(scores[j]):
                    break
                new = _on(f, np.append(on, j), solve)
                if _value(f, new) < value - 1e-9 * abs(value):
                    w, value, better = new, _value(f, new), True
                    break
            if better:
                break
    return w


def _away(f: Composite, w: Array, most: int, solve: Solve) -> Array:
    while np.count_nonzero(w) > most:
        on = np.flatnonzero(w)
        keep = max(most, len(on) - max(1, (len(on) - most) // 2))
        w = _on(f, np.sort(on[np.argsort(-w[on], kind="stable")[:keep]]), solve)
    return w


def _in(f: Composite, most: int, solve: Solve) -> Array:
    m = f.domain[0]
    values = [float(f.loss.value(column(f.design, j))) for j in range(m)]
    on = [int(np.argmin(values))]
    w = np.zeros(m)
    w[on] = 1.0
    while len(on) < most:
        scores = _scores(f, w)
        scores[on] = np.inf
        on.append(int(scores.argmin()))
        w = _on(f, np.array(on), solve)
    return w


def _on(f: Composite, on: Index, solve: Solve) -> Array:
    """The best weights on some of the columns."""
    small = Composite(design(np.column_stack([column(f.design, int(j)) for j in on])), f.loss, f.name, f.exact)
    w = np.zeros(f.domain)
    w[on] = solve(small, Simplex(len(on)))
    return w
