"""Stochastic Frank-Wolfe and Jones steps for linear models: rows, slopes, the estimate, the best atom, the move, in one loop.

The loops take rows first: the arrays ``starts, places, entries`` of a CSR matrix, or one dense ``matrix``. Then come the
terms, the batches, what the estimate keeps, and set and point. ``loss`` and ``kind`` are numbers of `engines`. The references
spell out what the core does; without a core no loop is called, and solvers make their steps one by one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from greedyhull.kernels.core import REFERENCES, compiled
from greedyhull.types import Array, Index


def slope(loss: int, shape: Array, z: float, y: float) -> float:
    """ℓ'(z, y); ``shape`` holds the numbers that the loss depends on."""
    if loss == 0:  # squared
        return z - y
    if loss == 1:  # logistic
        m = y * z
        e = math.exp(-abs(m))
        return -y * ((e if m >= 0.0 else 1.0) / (1.0 + e))
    if loss == 2:  # squared hinge
        return -y * max(1.0 - y * z, 0.0)
    if loss == 3:  # Huber
        return float(min(max(z - y, -shape[0]), shape[0]))
    if loss == 4:  # Poisson
        return math.exp(z) - y if z <= shape[0] else math.inf
    if loss == 8:  # hinge
        return max(-y, 0.0) if z > y else min(-y, 0.0) if z < y else 0.0
    return float(shape[1] if z - y > shape[2] else shape[0] if z - y < -shape[2] else 0.0)  # linear between kinks


class Rows:
    """Rows of the data, dense or compressed."""

    def __init__(self, *arrays: Array) -> None:
        self.arrays = arrays

    def row(self, i: int) -> tuple[Any, Array]:
        """Where row i has entries, and which."""
        if len(self.arrays) == 1:
            return slice(None), self.arrays[0][i]
        starts, places, entries = self.arrays
        a, b = int(starts[i]), int(starts[i + 1])
        return places[a:b], entries[a:b]

    def product(self, i: int, x: Array) -> float:
        """⟨aᵢ, x⟩."""
        where, entries = self.row(i)
        return float(entries @ x[where])

    def spread(self, i: int, r: float, g: Array) -> None:
        """g ← g + r aᵢ."""
        where, entries = self.row(i)
        g[where] += r * entries

    def spread_squares(self, i: int, r: float, g: Array) -> None:
        """g ← g + r aᵢ², entry by entry."""
        where, entries = self.row(i)
        g[where] += r * np.asarray(entries, dtype=np.float64) ** 2


def taken(given: tuple[Any, ...]) -> tuple[Rows, tuple[Any, ...]]:
    """The rows, and what comes after them."""
    count = 1 if given[0].ndim == 2 else 3
    return Rows(*given[:count]), given[count:]


def reweight(atom: int, eta: float, alpha: Array, atoms: Index, place: Index, used: Index) -> None:
    """α ← (1 − η)α + η at ``atom``, which may be new: its weight is alpha[place[atom]]; the first ``used`` atoms have one."""
    alpha[: used[0]] *= 1.0 - eta
    if place[atom] < 0:
        place[atom], atoms[used[0]], alpha[used[0]] = used[0], atom, 0.0
        used[0] += 1
    alpha[place[atom]] += eta


def advance(kind: int, low: Array, high: Array, rows: Array, eta: float, g: Array, x: Array, alpha: Array, atoms: Index,
            place: Index, used: Index) -> None:
    """x ← (1 − η)x + ηd, d the atom with the least ⟨g, ·⟩."""
    x *= 1.0 - eta
    if kind <= 1:  # the l1 ball: ±high_j e_j, scored by low_j |g_j|; the simplex: high_j e_j
        best = int((np.abs(g) * low).argmax() if kind == 0 else g.argmin())
        negative = kind == 0 and g[best] > 0.0
        x[best] += eta * (-high[best] if negative else high[best])
        reweight(best + len(x) if negative else best, eta, alpha, atoms, place, used)
    elif kind == 2:  # the box
        x += eta * np.where(g > 0.0, low, high)
    elif kind == 3:  # the ball with the middle ``low``
        largest = float(np.abs(g).max())
        unit = g / largest / np.linalg.norm(g / largest) if largest > 0.0 else np.eye(1, len(g))[0]
        x += eta * (low - high * unit)
    else:  # given points
        x += eta * rows[int((rows @ g).argmin())]


class ByGradient:
    """Frank-Wolfe's choice: the atom with the least ⟨g, ·⟩."""

    def __init__(self, a: Rows, shares: Array, weighted: int) -> None:
        pass

    def see(self, batch: Index, x: Array) -> None:
        """Look at a batch from x."""

    def go(self, kind: int, low: Array, high: Array, rows: Array, eta: float, g: Array, x: Array, *weights: Any) -> None:
        """x ← (1 − η)x + ηd."""
        advance(kind, low, high, rows, eta, g, x, *weights)


class ByValues(ByGradient):
    """Jones' choice, for squares over ±high_j e_j: the atom with the least ⟨g, d − x⟩ + (η/2)‖d − x‖²_H, H that of the batch.

    Up to what all atoms share that is (η/2)high_j²H_jj ± high_j(g_j − η(Hx)_j).
    """

    def __init__(self, a: Rows, shares: Array, weighted: int) -> None:
        self.a, self.shares, self.weighted = a, shares, weighted

    def see(self, batch: Index, x: Array) -> None:
        self.pull, self.diagonal = np.zeros_like(x), np.zeros_like(x)
        for i in batch.tolist():
            share = self.shares[i * self.weighted] / len(batch)
            self.a.spread(i, share * self.a.product(i, x), self.pull)
            self.a.spread_squares(i, share, self.diagonal)

    def go(self, kind: int, low: Array, high: Array, rows: Array, eta: float, g: Array, x: Array, *weights: Any) -> None:
        lean = high * (g - eta * self.pull)
        score = 0.5 * eta * high * high * self.diagonal + (-np.abs(lean) if kind == 0 else lean)
        best = int(score.argmin())
        negative = kind == 0 and lean[best] > 0.0
        x *= 1.0 - eta
        x[best] += eta * (-high[best] if negative else high[best])
        reweight(best + len(x) if negative else best, eta, *weights)


@compiled
def difference_steps(*given: Any) -> None:
    """g ← keep·g + base + here·∇f_B(x) − there·∇f_B(point), then a step; ``point`` is the last x where it ``follows``.

    The batch of step t ends at ends[t] in ``index``. All arrays are changed in place.
    """
    _differences(ByGradient, given)


@compiled
def jones_difference_steps(*given: Any) -> None:
    """`difference_steps` with Jones' choice among coordinate atoms, for squares."""
    _differences(ByValues, given)


def _differences(kind_of: type[ByGradient], given: tuple[Any, ...]) -> None:
    a, (y, shares, weighted, loss, shape, index, ends, eta, keep, here, there, base, point, follows, g, *rest) = taken(given)
    kind, low, high, rows, x, *weights = rest
    begin, choice = 0, kind_of(a, shares, weighted)
    for t in range(len(eta)):
        end, own = int(ends[t]), g.copy()
        g[:] = keep[t] * own + base
        old = x.copy()
        for i in index[begin:end].tolist():
            r = here[t] * slope(loss, shape, a.product(i, old), y[i])
            if there[t] != 0.0:
                r -= there[t] * slope(loss, shape, a.product(i, point), y[i])
            a.spread(i, r * (shares[i * weighted] / (end - begin)), g)
        if follows:
            point[:] = x
        choice.see(index[begin:end], x)
        choice.go(kind, low, high, rows, eta[t], g, x, *weights)
        begin = end


@compiled
def table_steps(*given: Any) -> None:
    """Steps with a table of slopes and its mean Aᵀtable: with the mean renewed at the batch, or, where each step has ``both``
    a batch to estimate with and one to renew, with g = A_Bᵀ(r_B − table_B) + mean before it is renewed."""
    _tables(ByGradient, given)


@compiled
def jones_table_steps(*given: Any) -> None:
    """`table_steps` with Jones' choice among coordinate atoms, for squares; values are those of the batch to estimate with."""
    _tables(ByValues, given)


def _tables(kind_of: type[ByGradient], given: tuple[Any, ...]) -> None:
    a, (y, shares, weighted, loss, shape, index, ends, eta, both, table, mean, g, *rest) = taken(given)
    kind, low, high, rows, x, *weights = rest
    begin, n, choice = 0, len(y), kind_of(a, shares, weighted)
    for t in range(len(eta)):
        end = int(ends[t])
        b = (end - begin) // (1 + both)
        choice.see(index[begin : begin + b], x)
        if both:
            g[:] = mean
            for i in index[begin : begin + b].tolist():
                r = slope(loss, shape, a.product(i, x), y[i])
                a.spread(i, r * (shares[i * weighted] / b) - table[i] * (n / b), g)
        for i in index[end - b : end].tolist():
            r = slope(loss, shape, a.product(i, x), y[i]) * (shares[i * weighted] / n)
            a.spread(i, r - table[i], mean)
            table[i] = r
        choice.go(kind, low, high, rows, eta[t], g if both else mean, x, *weights)
        begin = end


@compiled
def wide_table_steps(*given: Any) -> None:
    """`table_steps` with one batch a step, over coordinate atoms, in O(entries of the batch + atoms + √d) instead of O(d).

    The core keeps the best coordinate of every block of ``width``, and touches only coordinates of atoms in x.
    """
    rows, terms = given[:3], given[3:11]
    table, mean, _, *point = given[11:]
    REFERENCES["table_steps"](*rows, *terms, 0, table, mean, np.zeros(0), *point)


@compiled
def without_repeats(index: Index, begins: Index, lengths: Index, n: int) -> None:
    """Floyd's rule on batches whose q-th entry was drawn below n − b + q + 1: who repeats an earlier one is n − b + q."""
    for begin, b in zip(begins.tolist(), lengths.tolist(), strict=True):
        found: set[int] = set()
        for q, i in enumerate(index[begin : begin + b].tolist()):
            index[begin + q] = n - b + q if i in found else i
            found.add(int(index[begin + q]))
