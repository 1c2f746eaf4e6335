"""The hypersimplex: weights that share a total among at least K coordinates."""

from __future__ import annotations

from greedyhull.atoms.arguments import count_of, dimension, positive
from greedyhull.atoms.bounded_simplex import BoundedSimplex


class HyperSimplex(BoundedSimplex):
    """Weights of at most 1/K of their sum, {0 ≤ w ≤ total/K : Σ w_j = total}.

    Its atoms have K entries total/K: the choices of K out of d, whose mixtures it holds. It is a `Simplex` with upper bounds.
    `Corrective`, the default where f has a Hessian, works on the coordinates.

    Parameters
    ----------
    d : int
        The number of coordinates.
    K : int
        The number of entries of an atom, from 1 (a simplex) to d (a single point).
    total : float, default 1.0
        The sum of the weights. `Solution.price` says what one more unit of it is worth.

    See Also
    --------
    Simplex : Other bounds.
    KSparse : Weights of both signs.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.HyperSimplex(4, 2).argmin(np.array([1.0, -3.0, 0.5, 2.0]))
    Sparse(places=array([1, 2]), entries=array([0.5, 0.5]))
    """

    def __init__(self, d: int, K: int, total: float = 1.0) -> None:
        self.K = count_of(K, dimension(d))
        super().__init__(d, total, positive(total, "total") / self.K)
        self.radius = self.total

    def __repr__(self) -> str:
        return f"HyperSimplex({self.shape[0]}, K={self.K}, total={self.total:g})"

    def rescaled(self, radius: float) -> HyperSimplex:
        return HyperSimplex(self.shape[0], self.K, radius)
