"""Smoothed: losses with kinks, by a smooth solver on a smoothed loss that is sharpened as the gap closes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.errors.hinted import hinted
from greedyhull.objectives.smoothing import with_kinks
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.blended_pairwise import BlendedPairwise
from greedyhull.solvers.corrective import Corrective
from greedyhull.solvers.frank_wolfe import FrankWolfe
from greedyhull.solvers.parts.continuation import Continuation, first_mu
from greedyhull.solvers.parts.memory import Memory
from greedyhull.solvers.parts.progress import Progress
from greedyhull.types import Around, AtomSet, Needs, Objective
from greedyhull.types.override import KeepsAround, keeps, override

CLOSED = 0.3  # μ is made smaller when the gap of f_μ is this part of what smoothing costs


@hinted
@dataclass(frozen=True)
class Smoothed(KeepsAround):
    """Minimise a loss with kinks by running a smooth solver on a smoothed loss, smoothed less as the gap closes.

    ``solver`` runs on f_μ ≤ f ≤ f_μ + μ/2, and μ shrinks each time f_μ is nearly minimised; w is the best point found for f
    itself. It takes `hinge`, `absolute`, `quantile` and `epsilon_insensitive`, and is the default for them.

    Parameters
    ----------
    solver : FrankWolfe, BlendedPairwise or Corrective, default Corrective()
        The solver for the smoothed problems.
    mu : float, optional
        Keep μ at this value. By default it starts large and shrinks. Fix it to reproduce the rate below.

    See Also
    --------
    RegularizedStochasticFrankWolfe : Kinks with minibatches, black boxes and streams.
    MoreauFrankWolfe : Kinks with few oracle calls.

    Notes
    -----
    The gap is f(w) − lower bound with the lower bound −φ*(r) + min_S ⟨Aᵀr, ·⟩ for the residual r of f_μ. It holds for f, not
    only for f_μ, and needs no μ → 0 to close. With ``mu`` = 2D/√(K + 2), D = max ‖s − s'‖_H and H = Σ pᵢxᵢxᵢᵀ, Frank-Wolfe
    steps give f(w_K) − min f ≤ 2D/√(K + 2).

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.absolute(np.eye(3), np.array([3.0, 0.2, 0.0]))
    >>> s = gh.minimize(f, gh.L1Ball(3, radius=1), gh.Smoothed(), stop=gh.Gap(1e-9))
    >>> round(s.value, 9), s.certificate.kind
    (0.733333333, 'always')
    """

    solver: FrankWolfe | BlendedPairwise | Corrective = field(default_factory=Corrective)
    mu: float | None = None

    if TYPE_CHECKING:
        keeps(Around.solver)

    def __post_init__(self) -> None:
        if self.solver is None:
            object.__setattr__(self, "solver", Corrective())
        check(isinstance(self.solver, FrankWolfe | BlendedPairwise | Corrective),
              f"Smoothed(solver={self.solver!r}) was given; Corrective(), BlendedPairwise() or FrankWolfe() is wanted: one "
              "whose gap is that of the gradient at its point.")
        check(self.mu is None or bool(np.isfinite(self.mu) and self.mu > 0),
              f"Smoothed(mu={self.mu!r}) was given; a positive number is wanted, or None to let it shrink.")

    @property
    @override
    def needs(self) -> Needs:
        """f_μ is smooth and has a Hessian; what the solver asks of f itself is whether atoms are kept."""
        inner = self.solver.needs
        return Needs(atoms=inner.atoms, one_owner=inner.one_owner, regions=inner.regions)

    @override
    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: Memory) -> Iterator[Progress]:
        sharp = with_kinks(f)
        if sharp is None:
            raise GreedyhullError(f"Smoothed takes the kinks out of f, and {f!r} has none that it knows of. Use "
                                  f"{type(self.solver).__name__}() itself.")
        way: Continuation = memory.part("continuation", lambda: Continuation(sharp, w, self.mu or first_mu(sharp, w)))
        u, soft = way.u, way.soft
        u.work = w.work
        for p in self.solver.run(soft, S, u, memory):
            smoothing_error = soft.smoothing_error(u, S)
            above = f.value(u) - smoothing_error
            closed = self.mu is None and p.estimate <= CLOSED * smoothing_error and way.can_sharpen()
            for point in (u, way.end(S.traits.region) if closed else None):
                if point is not None and f.value(point) < f.value(w):
                    w.become(point)
            higher = f.value(w) - above
            yield p._replace(point=w, gap=higher + p.gap, estimate=higher + p.estimate, also={"mu": soft.mu})
            if closed:
                way.sharpen()
