"""Which terms of a sum a minibatch holds. Solvers and kernels draw through it, so that both see the same indices."""

from __future__ import annotations

import numpy as np

from greedyhull.errors import check
from greedyhull.kernels.stochastic import without_repeats
from greedyhull.types import Index

FEW = 64  # up to so many different indices are found by Floyd's rule, whose draws can be made for many batches at once


class Sampler:
    """Indices out of 0 … n − 1: independent draws, or different ones within a batch.

    >>> sorted(Sampler(5, np.random.default_rng(0), replace=False).draw(5).tolist())
    [0, 1, 2, 3, 4]
    """

    def __init__(self, n: int, rng: np.random.Generator, *, replace: bool = True) -> None:
        check(n >= 1, f"Minibatches of a sum of {n} terms were asked for; at least one term is wanted.")
        self.n, self.rng, self.replace = n, rng, replace

    def draw(self, size: int) -> Index:
        """A batch of ``size`` indices; without replacement at most all n of them."""
        check(size >= 1, f"A minibatch of {size} terms was asked for; at least one is wanted. Check the batch schedule.")
        if self.replace:
            return self.rng.integers(self.n, size=size)
        return self.distinct(size)

    def distinct(self, size: int) -> Index:
        """``size`` different indices, at most all n of them, whatever ``replace`` says."""
        check(size >= 1, f"A minibatch of {size} terms was asked for; at least one is wanted. Check the batch schedule.")
        b = min(size, self.n)
        if b > FEW:
            return self.rng.choice(self.n, size=b, replace=False)
        drawn = self.rng.integers(self._below(b))
        if len(set(drawn.tolist())) < b:
            found: set[int] = set()
            for q, i in enumerate(drawn.tolist()):
                drawn[q] = self.n - b + q if i in found else i
                found.add(int(drawn[q]))
        return drawn

    def _below(self, b: int, different: bool = True) -> Index:
        """What the entries of a batch are drawn below; with Floyd's rule they are different in the end."""
        return np.arange(self.n - b + 1, self.n + 1) if different else np.full(b, self.n)

    def successive(self, sizes: Index, different: tuple[bool, ...] = (False,)) -> Index:
        """For each of ``sizes`` one batch after the other for each of ``different``: what `draw` and `distinct` would give."""
        if not any(different):
            return self.rng.integers(self.n, size=len(different) * int(sizes.sum()))
        if int(sizes.max()) > min(FEW, self.n):
            return np.concatenate([(self.distinct if part else self.draw)(int(b)) for b in sizes for part in different])
        of_size = {b: np.concatenate([self._below(b, part) for part in different]) for b in np.unique(sizes).tolist()}
        drawn = self.rng.integers(np.concatenate([of_size[b] for b in sizes.tolist()]))
        lengths = np.repeat(sizes, len(different))
        begins = np.cumsum(lengths) - lengths
        chosen = np.tile(np.array(different), len(sizes))
        without_repeats(drawn, begins[chosen], lengths[chosen], self.n)
        return drawn
