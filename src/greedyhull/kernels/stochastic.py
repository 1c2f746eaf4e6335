"""Stochastic Frank-Wolfe steps for linear models: rows, slopes, the estimate, its best atom and the move, in one loop.

Rows are those of a CSR matrix (starts, places, entries), or of a dense ``matrix``; what is not there is None. ``loss`` and
``kind`` are numbers of `engines`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from greedyhull.kernels.compiled import compiled, compiled_sum


@compiled
def slope(loss: int, shape: Any, z: float, y: float) -> Any:
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
        return min(max(z - y, -shape[0]), shape[0])
    if loss == 4:  # Poisson
        return math.exp(z) - y if z <= shape[0] else math.inf
    if loss == 5:  # hinge
        return max(-y, 0.0) if z > y else min(-y, 0.0) if z < y else 0.0
    return shape[1] if z - y > shape[2] else shape[0] if z - y < -shape[2] else 0.0  # linear between kinks


@compiled_sum
def product(starts: Any, places: Any, entries: Any, matrix: Any, i: int, x: Any) -> float:
    """⟨aᵢ, x⟩."""
    z = 0.0
    if starts is None:
        if matrix is not None:  # always; numba drops what is written for a type that an argument does not have
            for j in range(matrix.shape[1]):
                z += matrix[i, j] * x[j]
    else:
        for q in range(starts[i], starts[i + 1]):
            z += entries[q] * x[places[q]]
    return z


@compiled
def products(starts: Any, places: Any, entries: Any, matrix: Any, index: Any, begin: int, end: int, x: Any, z: Any) -> None:
    """z_q ← ⟨aᵢ, x⟩ for the batch from ``begin`` to ``end``; nothing waits here, so that rows are fetched several at once."""
    for q in range(begin, end):
        z[q - begin] = product(starts, places, entries, matrix, index[q], x)


@compiled
def spread(starts: Any, places: Any, entries: Any, matrix: Any, i: int, r: float, g: Any) -> None:
    """g ← g + r aᵢ."""
    if starts is None:
        if matrix is not None:
            for j in range(matrix.shape[1]):
                g[j] += r * matrix[i, j]
    else:
        for q in range(starts[i], starts[i + 1]):
            g[places[q]] += r * entries[q]


@compiled
def reweight(atom: Any, eta: float, alpha: Any, atoms: Any, place: Any, used: Any) -> None:
    """α ← (1 − η)α + η at ``atom``, which may be new: its weight is alpha[place[atom]]; the first ``used`` atoms have one."""
    for i in range(used[0]):
        alpha[i] *= 1.0 - eta
    if place[atom] < 0:
        place[atom], atoms[used[0]], alpha[used[0]] = used[0], atom, 0.0
        used[0] += 1
    alpha[place[atom]] += eta


@compiled
def advance(kind: int, low: Any, high: Any, rows: Any, eta: float, g: Any, x: Any, alpha: Any, atoms: Any, place: Any,
            used: Any) -> None:
    """x ← (1 − η)x + ηd, d the atom with the least ⟨g, ·⟩."""
    m, best, shrink = len(x), 0, 1.0 - eta
    if kind <= 1:
        if kind == 0:  # the l1 ball: ±high_j e_j, scored by low_j |g_j|
            for j in range(1, m):
                if abs(g[j]) * low[j] > abs(g[best]) * low[best]:
                    best = j
        else:  # the simplex: high_j e_j
            for j in range(1, m):
                if g[j] < g[best]:
                    best = j
        negative = kind == 0 and g[best] > 0.0
        for j in range(m):
            x[j] *= shrink
        x[best] += eta * (-high[best] if negative else high[best])
        reweight(best + m if negative else best, eta, alpha, atoms, place, used)
    elif kind == 2:  # the box
        for j in range(m):
            x[j] = shrink * x[j] + eta * (low[j] if g[j] > 0.0 else high[j])
    elif kind == 3:  # the ball with the middle ``low``
        largest, squares = 0.0, 0.0
        for j in range(m):
            largest = max(largest, abs(g[j]))
        if largest > 0.0:
            for j in range(m):
                squares += (g[j] / largest) ** 2
        length = math.sqrt(squares)
        for j in range(m):
            u = g[j] / largest / length if largest > 0.0 else (1.0 if j == 0 else 0.0)
            x[j] = shrink * x[j] + eta * (low[j] - high[j] * u)
    else:  # given points
        least = math.inf
        for i in range(len(rows)):
            score = product(None, None, None, rows, i, g)
            if score < least:
                best, least = i, score
        for j in range(m):
            x[j] = shrink * x[j] + eta * rows[best, j]


@compiled
def difference_steps(starts: Any, places: Any, entries: Any, matrix: Any, y: Any, shares: Any, weighted: int, loss: int,
                     shape: Any, index: Any, ends: Any, eta: Any, keep: Any, here: Any, there: Any, base: Any, point: Any,
                     follows: int, g: Any, kind: int, low: Any, high: Any, rows: Any, x: Any, alpha: Any, atoms: Any,
                     place: Any, used: Any) -> None:
    """g ← keep·g + base + here·∇f_B(x) − there·∇f_B(point), then a step; ``point`` is the last x where it ``follows``.

    The batch of step t ends at ends[t] in ``index``. All arrays are changed in place.
    """
    begin, z, z_there = 0, np.empty(len(index)), np.empty(len(index))
    for t in range(len(eta)):
        end = ends[t]
        for j in range(len(g)):
            g[j] = keep[t] * g[j] + base[j]
        products(starts, places, entries, matrix, index, begin, end, x, z)
        if there[t] != 0.0:
            products(starts, places, entries, matrix, index, begin, end, point, z_there)
        for q in range(begin, end):
            i = index[q]
            r = here[t] * slope(loss, shape, z[q - begin], y[i])
            if there[t] != 0.0:
                r -= there[t] * slope(loss, shape, z_there[q - begin], y[i])
            spread(starts, places, entries, matrix, i, r * (shares[i * weighted] / (end - begin)), g)
        if follows:
            for j in range(len(x)):
                point[j] = x[j]
        advance(kind, low, high, rows, eta[t], g, x, alpha, atoms, place, used)
        begin = end


@compiled
def table_steps(starts: Any, places: Any, entries: Any, matrix: Any, y: Any, shares: Any, weighted: int, loss: int,
                shape: Any, index: Any, ends: Any, eta: Any, both: int, table: Any, mean: Any, g: Any, kind: int, low: Any,
                high: Any, rows: Any, x: Any, alpha: Any, atoms: Any, place: Any, used: Any) -> None:
    """Steps with a table of slopes and its mean Aᵀtable: with the mean renewed at the batch, or, where each step has ``both``
    a batch to estimate with and one to renew, with g = A_Bᵀ(r_B − table_B) + mean before it is renewed."""
    begin, n, z = 0, len(y), np.empty(len(index))
    for t in range(len(eta)):
        end = ends[t]
        b = (end - begin) // (1 + both)
        if both:
            for j in range(len(g)):
                g[j] = mean[j]
            products(starts, places, entries, matrix, index, begin, begin + b, x, z)
            for q in range(begin, begin + b):
                i = index[q]
                r = slope(loss, shape, z[q - begin], y[i])
                spread(starts, places, entries, matrix, i, r * (shares[i * weighted] / b) - table[i] * (n / b), g)
        products(starts, places, entries, matrix, index, end - b, end, x, z)
        for q in range(end - b, end):
            i = index[q]
            r = slope(loss, shape, z[q - end + b], y[i]) * (shares[i * weighted] / n)
            spread(starts, places, entries, matrix, i, r - table[i], mean)
            table[i] = r
        advance(kind, low, high, rows, eta[t], g if both else mean, x, alpha, atoms, place, used)
        begin = end


@compiled
def score(kind: int, low: Any, g: Any, j: int) -> Any:
    """How good the better atom of coordinate j is: low_j |g_j| for the l1 ball, −g_j for the simplex."""
    return abs(g[j]) * low[j] if kind == 0 else -g[j]


@compiled
def look_through(kind: int, low: Any, g: Any, block: Any, width: int, top: Any, first: Any) -> None:
    """The best coordinate of a block, the first one of those that tie."""
    begin = block * width
    first[block], top[block] = begin, score(kind, low, g, begin)
    for j in range(begin + 1, min(begin + width, len(g))):
        if score(kind, low, g, j) > top[block]:
            first[block], top[block] = j, score(kind, low, g, j)


@compiled
def wide_table_steps(starts: Any, places: Any, entries: Any, y: Any, shares: Any, weighted: int, loss: int, shape: Any,
                     index: Any, ends: Any, eta: Any, table: Any, mean: Any, width: int, kind: int, low: Any, high: Any,
                     x: Any, alpha: Any, atoms: Any, place: Any, used: Any) -> None:
    """`table_steps` with one batch a step, over coordinate atoms, in O(entries of the batch + atoms + √d) instead of O(d).

    Only the rows' own coordinates of the mean change, so that the best coordinate is kept for every block of ``width``;
    only coordinates of atoms are not zero in x, and the atoms' numbers tell which. The result is the same bit by bit.
    """
    begin, n, d, z = 0, len(y), len(x), np.empty(len(index))
    blocks = (d + width - 1) // width
    top, first = np.empty(blocks), np.empty(blocks, np.int64)
    for block in range(blocks):
        look_through(kind, low, mean, block, width, top, first)
    for t in range(len(eta)):
        end = ends[t]
        products(starts, places, entries, None, index, begin, end, x, z)
        for q in range(begin, end):
            i = index[q]
            r = slope(loss, shape, z[q - begin], y[i]) * (shares[i * weighted] / n)
            change, table[i] = r - table[i], r
            for e in range(starts[i], starts[i + 1]):
                j = np.int64(places[e])
                mean[j] += change * entries[e]
                own, now = j // width, score(kind, low, mean, j)
                if now > top[own] or (now == top[own] and j < first[own]):
                    top[own], first[own] = now, j
                elif first[own] == j and now < top[own]:
                    look_through(kind, low, mean, own, width, top, first)
        best = 0
        for block in range(1, blocks):
            if top[block] > top[best]:
                best = block
        chosen = first[best]
        for a in range(used[0]):
            atom = atoms[a]
            if atom >= 0 and (atom < d or place[atom - d] < 0):  # both signs of a coordinate: once
                x[atom % d] *= 1.0 - eta[t]
        negative = kind == 0 and mean[chosen] > 0.0
        x[chosen] += eta[t] * (-high[chosen] if negative else high[chosen])
        reweight(chosen + d if negative else chosen, eta[t], alpha, atoms, place, used)
        begin = end


@compiled
def without_repeats(index: Any, begins: Any, lengths: Any, n: int) -> None:
    """Floyd's rule on batches whose q-th entry was drawn below n − b + q + 1: who repeats an earlier one is n − b + q."""
    for t in range(len(begins)):
        begin, b = begins[t], lengths[t]
        for q in range(1, b):
            for before in range(q):
                if index[begin + before] == index[begin + q]:
                    index[begin + q] = n - b + q
                    break
