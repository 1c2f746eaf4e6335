"""Signs: the best corners of a box, and the largest value of a quadratic form over them."""

from __future__ import annotations

import heapq
from collections.abc import Iterator

import numpy as np

from greedyhull.atoms.geometry.form import Form
from greedyhull.theory import Status
from greedyhull.types import Array, Index

FEW = 13  # so many coordinates have at most 4096 corners up to sign, which are all looked at


def cheapest_flips(costs: Array, m: int) -> Iterator[Index]:
    """The m subsets with the least total cost, cheapest first; the first is empty.

    From a subset whose dearest member is the i-th cheapest come two more: with the next one added, and with the i-th
    exchanged for the next one. Every subset comes from exactly one other, which is no dearer.

    >>> [flipped.tolist() for flipped in cheapest_flips(np.array([2.0, 1.0, 5.0]), 4)]
    [[], [1], [0], [1, 0]]
    """
    order = np.argsort(costs, kind="stable")
    sorted_costs = costs[order]
    heap: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    for _ in range(m):
        if not heap:
            return
        _, chosen = heapq.heappop(heap)
        yield order[list(chosen)]
        following = chosen[-1] + 1 if chosen else 0
        if following < len(order):
            for more in {(*chosen, following), (*chosen[:-1], following)}:
                heapq.heappush(heap, (float(sorted_costs[list(more)].sum()), more))


def signs_maximum(form: Form, widths: Array) -> tuple[float, Status]:
    """max over x ∈ {±1}^d of (Δx)ᵀH(Δx) for Δ = widths: exactly for few coordinates, or where an upper bound is attained."""
    moving = np.flatnonzero(widths)
    if not len(moving):
        return 0.0, "exact"
    H = form.entries(moving, moving) if len(moving) <= FEW else form.matrix()
    if H is None:
        return min(form.signs(widths), float(widths @ widths) * float(form.top())), "upper bound"
    if len(moving) > FEW:
        H = H[np.ix_(moving, moving)]
    delta = widths[moving]
    scaled = delta[:, None] * H * delta
    if len(moving) <= FEW:
        return _largest(scaled, _all_signs(len(moving))), "exact"
    bound = min(float(np.abs(scaled).sum()), float(delta @ delta) * float(form.top()))
    x = np.ones(len(moving))
    for _ in range(20):  # x ← sign(Hx) never lowers xᵀHx
        x = np.where(scaled @ x < 0, -1.0, 1.0)
    return bound, "exact" if _largest(scaled, x[None, :]) >= bound * (1.0 - 1e-12) else "upper bound"


def _all_signs(d: int) -> Array:
    """All sign vectors with x_d = +1: x and −x give the same value."""
    return 1.0 - 2.0 * ((np.arange(2 ** (d - 1))[:, None] >> np.arange(d)) & 1)


def _largest(H: Array, signs: Array) -> float:
    return float(np.einsum("ki,ki->k", signs @ H, signs).max())
