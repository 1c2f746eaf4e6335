"""Losses written out once more, in extended precision: what a value really is, and how large the terms it is made of are."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from greedyhull.types import Array

Terms = Callable[[Array, Array], tuple[Array, Array]]  # ℓ(z, y) and ℓ'(z, y)
LD = np.longdouble
BLUR = LD(16.0 * np.finfo(np.float64).eps)


class Exact(NamedTuple):
    """f(x), and Σ pᵢ(|ℓᵢ| + |ℓ'ᵢ|(|xᵢ|·|w| + |yᵢ|)): rounding errors of an evaluation are proportional to that.

    ``rough`` is the same with the slopes that ℓ has where float64 may take zᵢ to be: what counts where the slope is zero.
    """

    value: np.longdouble
    size: np.longdouble
    rough: np.longdouble


def squared(z: Array, y: Array) -> tuple[Array, Array]:
    r = z - y
    return r * r / 2, r


def logistic(z: Array, y: Array) -> tuple[Array, Array]:
    m = y * z
    e = np.exp(-np.abs(m))
    return np.log1p(e) + np.maximum(-m, 0), -y * np.where(m >= 0, e, 1) / (1 + e)


def squared_hinge(z: Array, y: Array) -> tuple[Array, Array]:
    t = np.maximum(1 - y * z, 0)
    return t * t / 2, -y * t


def huber(delta: float) -> Terms:
    def terms(z: Array, y: Array) -> tuple[Array, Array]:
        r = np.abs(z - y)
        near = np.minimum(r, delta)
        return near * (r - near / 2), np.clip(z - y, -delta, delta)

    return terms


def poisson(z: Array, y: Array) -> tuple[Array, Array]:
    return np.exp(z) - y * z, np.exp(z) - y


def power(p: float) -> Terms:
    def terms(z: Array, y: Array) -> tuple[Array, Array]:
        r = np.abs(z - y)
        return r ** LD(p) / LD(p), np.sign(z - y) * r ** (LD(p) - 1)

    return terms


def hinge(z: Array, y: Array) -> tuple[Array, Array]:
    m = 1 - y * z
    return np.maximum(m, 0), np.where(m > 0, -y, 0)


def absolute(z: Array, y: Array) -> tuple[Array, Array]:
    return np.abs(z - y), np.sign(z - y)


def quantile(q: float) -> Terms:
    def terms(z: Array, y: Array) -> tuple[Array, Array]:
        r = z - y
        return np.maximum(-LD(q) * r, (1 - LD(q)) * r), np.where(r > 0, 1 - LD(q), -LD(q))

    return terms


def epsilon_insensitive(epsilon: float) -> Terms:
    def terms(z: Array, y: Array) -> tuple[Array, Array]:
        r = z - y
        return np.maximum(np.abs(r) - LD(epsilon), 0), np.where(np.abs(r) > epsilon, np.sign(r), 0)

    return terms


def negative_log(z: Array, y: Array) -> tuple[Array, Array]:
    with np.errstate(all="ignore"):
        return np.where(z > 0, -np.log(np.maximum(z, 0)), np.inf), np.where(z > 0, -1 / z, 0)


class Formula(NamedTuple):
    """A loss: its terms, whether they have kinks, and how far from the target it stays zero."""

    terms: Terms
    kinked: bool = False
    flat: float = 0.0

    def at(self, z: Array, reach: Array, y: Array, p: Array, profiled: bool) -> Exact:
        """Σ pᵢ ℓ(zᵢ, yᵢ), with the best intercept if ``profiled``; ``reach`` is |xᵢ|·|w|."""
        with np.errstate(all="ignore"):
            b = self.intercept(z, y, p) if profiled else LD(0)
            p, z, y, reach = p[p > 0], z[p > 0] + b, y[p > 0], (reach + np.abs(y) + np.abs(b))[p > 0]
            value, slopes = self.terms(z, y)
            steep = [np.abs(self.terms(z + side * reach, y)[1]) for side in (-BLUR, BLUR)]
            size, rough = ((p * (np.abs(value) + slope * reach)).sum() for slope in (np.abs(slopes), np.maximum(*steep)))
            return Exact(LD((p * value).sum()), LD(size), LD(rough))

    def intercept(self, z: Array, y: Array, p: Array) -> np.longdouble:
        """A best b for Σ pᵢ ℓ(zᵢ + b, yᵢ): the kink of a sample, a mean, or where the slopes cancel, by halving."""
        p, z, y = p[p > 0], z[p > 0], y[p > 0]
        if self.kinked:
            at = np.concatenate([y - z - LD(self.flat), y - z + LD(self.flat)])
            least = np.argmin([(p * self.terms(z + b, y)[0]).sum() for b in at])
            return at[int(least)]  # type: ignore[no-any-return]
        if self.terms is squared:
            return LD((p * (y - z)).sum() / p.sum())
        if self.terms is poisson:
            top = z.max()
            return LD(np.log((p * y).sum()) - np.log((p * np.exp(z - top)).sum()) - top)
        return self._halved(z, y, p)

    def _halved(self, z: Array, y: Array, p: Array) -> np.longdouble:
        low, high = (y - z).min(), (y - z).max()
        if self.terms is logistic:
            share = p[y > 0].sum() / p.sum()
            odds = np.log(share) - np.log1p(-share)
            low, high = odds - z.max(), odds - z.min()
        for _ in range(160):
            middle = low + (high - low) / 2
            if not low < middle < high:
                break
            low, high = (low, middle) if (p * self.terms(z + middle, y)[1]).sum() > 0 else (middle, high)
        below, above = ((p * self.terms(z + b, y)[0]).sum() for b in (low, high))
        return LD(low if below <= above else high)


def with_ridge(loss: Exact, x: Array, l2: float) -> Exact:
    """The loss and (l2/2)‖x‖², whose slopes are l2·x."""
    half = LD(l2) * LD(x.astype(LD) @ x.astype(LD)) / 2
    return Exact(LD(loss.value + half), LD(loss.size + 3 * half), LD(loss.rough + 3 * half)) if l2 else loss
