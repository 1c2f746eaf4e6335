"""f on the hull of a few atoms for any f that gives products ∇²f(w)v: black boxes, automatic differentiation, shards.

The Hessian on m atoms takes m products. After a move one product, of a sum of all atoms with random signs, tells whether it is
still good: if so it is kept, and appended to when atoms join; if not, the m products are made again.
"""

from __future__ import annotations

from functools import lru_cache
from warnings import warn

import numpy as np

from greedyhull.errors import GreedyhullWarning, check
from greedyhull.objectives.small_base import SmallBase
from greedyhull.objectives.trial import LineTrial
from greedyhull.points.gradients import as_array
from greedyhull.points.iterate import Iterate
from greedyhull.types import Array, Atom, Block, Curved, State
from greedyhull.types.override import override

STALE = 0.1  # by which share the product of the sum may be off before the Hessian is made anew
NUDGE = 1e-3  # the share of the way to an atom over which gradients are compared
WRONG = 2.0  # products that differ from these differences by a larger factor are warned of
BLUR = 1e-6  # what rounding may have done to gradients, as a share of them
RIDGE = 1e-10  # of the mean diagonal: a Hessian that this makes positive definite is semidefinite, up to rounding


class ByProducts(SmallBase):
    """f(Σ αᵢ dᵢ) as a function of α for the atoms of a block, its Hessian from products.

    >>> import greedyhull as gh
    >>> f = gh.function(lambda x: 0.5 * x @ x, lambda x: x, 2, hessian_product=lambda x, v: v)
    >>> w = gh.Simplex(2).centre()
    >>> ByProducts(f, w.block).hessian(w)
    array([[1., 0.],
           [0., 1.]])
    """

    f: Curved

    def __init__(self, f: Curved, block: Block) -> None:
        super().__init__(block)
        self.f = f
        self._compared = False  # with differences of the gradient
        self._fresh = False  # whether the Hessian was looked at since w moved

    @override
    def extend(self, atoms: Block, w: Iterate) -> None:
        """Let ``atoms`` join: one product for each, if the Hessian is still good."""
        self._look(w)
        if self._hessian is not None:
            products = self._products(atoms, w)
            across, corner = _scores(self.block, products), _scores(atoms, products)
            self._hessian = np.block([[self._hessian, across], [across.T, 0.5 * corner + 0.5 * corner.T]])
        self.block = self.block.extend(atoms)

    @override
    def hessian(self, w: Iterate, sample: int = 1) -> Array:
        """⟨dᵢ, ∇²f(w)dⱼ⟩, without what is not semidefinite: a product that is wrong must not lead uphill."""
        if not self._compared:
            self._compared = True
            if w.keeps_atoms:  # else the block holds directions, and no points of the set
                compare_products(self.f, w, self.block[int(self.gradient(w).argmin())])
        if not self._fresh:
            self._look(w)
        self._fresh = False  # whoever asks again has moved
        if self._hessian is None:
            square = _scores(self.block, self._products(self.block, w))
            self._hessian = 0.5 * square + 0.5 * square.T
        check(bool(np.isfinite(self._hessian).all()), lambda: f"Products with the Hessian of {self.f!r} overflow on the atoms "
              "of the set. Scale the function or the set down, or use BlendedPairwise(), which needs no Hessian.")
        return _semidefinite(self._hessian)

    @override
    def trial(self, w: Iterate, base: Array, target: Array) -> LineTrial:
        """The steps from ``base`` to ``target``, along f."""
        return LineTrial(self.f, w, w.reweighting(self.block, base, target - base))

    @override
    def state(self) -> State:
        return {} if self._hessian is None else {"hessian": self._hessian}

    @override
    def restore(self, state: State) -> None:
        self._hessian = state.get("hessian")
        self._compared = self._hessian is not None

    def _products(self, atoms: Block, w: Iterate) -> list[Array]:
        """∇²f(w)d for every atom d."""
        return [self.f.hessian_product(w, _sum(atoms, row, w)) for row in np.eye(len(atoms))]

    def _look(self, w: Iterate) -> None:
        """Forget the Hessian if it is no longer that at w, as far as one product tells."""
        self._fresh = True
        if self._hessian is None:
            return
        s = _signs(len(self.block))
        now, then = self.block.dots(self.f.hessian_product(w, _sum(self.block, s, w))), self._hessian @ s
        off = float(np.abs(now - then).max())
        if not off <= STALE * min(float(np.abs(now).max()), float(np.abs(then).max())):
            self._hessian = None


def compare_products(f: Curved, w: Iterate, d: Atom) -> None:
    """Once in a solve: does ∇²f say how ∇f changes on the way to the best atom d? If not, steps will be poor."""
    if not f.traits.exact_gradient:  # its differences over a short way say nothing
        return
    at, g = w.copy(), as_array(f.gradient(w), w.shape)
    at.move(at.toward(d), NUDGE)
    v = np.zeros(w.shape)
    d.add_to(v, 1.0)
    v -= w.array()
    with np.errstate(all="ignore"):
        change = as_array(f.gradient(at), w.shape) - g
        seen = float(np.vdot(change, v)) / NUDGE
        told = [float(np.vdot(f.hessian_product(point, v), v)) for point in (w, at)]
        noise = BLUR * float(np.vdot(np.abs(g), np.abs(v))) / NUDGE
    w.work.gradients, w.work.products = w.work.gradients + at.work.gradients, w.work.products + at.work.products
    around = [t * c for t in told for c in (1.0 / WRONG, WRONG)]
    if min(around) - noise <= seen <= max(around) + noise or not np.isfinite([seen, noise, *told]).all():
        return
    warn(f"The Hessian products of {f!r} disagree with its gradient: on the way to an atom ⟨∇f, v⟩ changes at a rate "
         f"of {seen:.6g}, and ⟨v, ∇²f v⟩ is {told[0]:.6g}. Certificates hold, for they rest on gradients alone, but steps "
         "will be poor. Look for a sign or a factor, or leave hessian_product out.", GreedyhullWarning, stacklevel=2)


def _sum(block: Block, c: Array, w: Iterate) -> Array:
    """Σ cᵢ dᵢ as an array."""
    v = np.zeros(w.shape)
    block.add_to(v, c)
    return v


def _scores(block: Block, products: list[Array]) -> Array:
    """⟨dᵢ, pⱼ⟩."""
    return np.stack([block.dots(p) for p in products], axis=1)


@lru_cache(maxsize=8)
def _signs(m: int) -> Array:
    """Random signs, the same for the same m."""
    return np.where(np.random.default_rng(m).random(m) < 0.5, -1.0, 1.0)


def _semidefinite(H: Array) -> Array:
    """H, or what is left of it without its negative eigenvalues."""
    try:
        np.linalg.cholesky(H + (RIDGE * float(np.abs(H.diagonal()).mean()) + 1e-300) * np.eye(len(H)))
        return H
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(H)
        values[values <= RIDGE * float(np.abs(values).max())] = 0.0
        return np.asarray((vectors * values) @ vectors.T)
