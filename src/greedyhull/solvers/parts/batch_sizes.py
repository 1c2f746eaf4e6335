"""Batches that grow as the steps shrink, so that the noise of a choice keeps pace with its curvature."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from greedyhull.errors import check
from greedyhull.errors.hinted import hinted
from greedyhull.measures.noise import noise
from greedyhull.types import AtomSet, Objective


@hinted
@dataclass(frozen=True)
class Growing:
    """Batch sizes b_k = ⌈(r_S σ/(τη_k))²⌉ that grow as the steps η_k shrink.

    The noise r_S σ/√b_k of a step is then at most τη_k; r_S is the circumradius of S.

    Parameters
    ----------
    sigma : float, optional
        σ, where σ² bounds the variance of a term's gradient. By default it is computed from f and S, or bounded.
    tau : float, optional
        τ; larger values give smaller batches and a larger error. By default 2M, which needs the fewest terms for a given
        error.

    See Also
    --------
    linear : Batches that grow with k.
    StochasticJones : A solver that takes it as ``batch``.

    Notes
    -----
    With η_k = 2/(k + 1), k from one, E e_k ≤ 4(M + c + τ)/(k + 1): an error ε takes O(ε⁻¹) steps and O(ε⁻³) terms, while b_k
    = k with η_k = k^−1/2 takes O(ε⁻²) and O(ε⁻⁴).

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.least_squares(np.eye(2), np.array([0.3, 0.7]))
    >>> s = gh.minimize(f, gh.Simplex(2), gh.StochasticJones(gh.Growing()), stop=gh.Iterations(50))
    >>> bool(s.value < 0.01)
    True
    """

    sigma: float | None = None
    tau: float | None = None

    def __post_init__(self) -> None:
        for name, value in {"sigma": self.sigma, "tau": self.tau}.items():
            good = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
            check(value is None or (good and 0.0 < value < np.inf),
                  f"Growing({name}={value!r}) was given; a positive number, or None to compute it, is wanted.")

    def begin(self, f: Objective, S: AtomSet, eta: Callable[[int], float]) -> Grown:
        """Return the schedule for steps η_k, k from one."""
        sigma = float(noise(f, S)) if self.sigma is None else self.sigma
        tau = 2.0 * float(f.curvature(S)) if self.tau is None else self.tau
        check(0.0 < tau < np.inf, f"The curvature of {f!r} over {S!r} is {tau / 2.0:g}, and gives no tau to grow the batches "
                                  "by. Give it, for instance Growing(tau=1.0).")
        return Grown(S.circumradius * sigma / tau, eta)


@dataclass(frozen=True)
class Grown:
    """k ↦ (scale/η_k)², at least one."""

    scale: float
    eta: Callable[[int], float]

    def __call__(self, k: int, gap: float | None = None) -> float:
        root = self.scale / self.eta(k)
        return max(1.0, root * root)
