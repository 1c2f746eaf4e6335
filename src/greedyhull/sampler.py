"""Which terms of a sum a minibatch holds. Solvers and kernels draw through it, so that both see the same indices."""

from __future__ import annotations

import numpy as np

from greedyhull.errors import check
from greedyhull.types import Index


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
        return self.rng.choice(self.n, size=min(size, self.n), replace=False)
