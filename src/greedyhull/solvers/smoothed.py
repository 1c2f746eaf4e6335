"""Smoothed: nonsmooth losses by a smooth solver on a smoothed loss."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from greedyhull.errors import GreedyhullError, check, hinted
from greedyhull.objectives.composite import Composite
from greedyhull.objectives.smoothing import distance, finest, smoothing, with_kinks
from greedyhull.points.blocks import under
from greedyhull.points.coordinate_iterate import CoordinateIterate, restored
from greedyhull.points.iterate import Iterate
from greedyhull.points.owners import normalised
from greedyhull.points.shapes import Dense
from greedyhull.solvers.corrective import Corrective
from greedyhull.solvers.frank_wolfe import FrankWolfe
from greedyhull.solvers.pairwise import BlendedPairwise
from greedyhull.solvers.parts.kept import prefixed
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.solver_state import SolverState
from greedyhull.types import Array, AtomSet, Needs, Objective, Region, Solver, State

if TYPE_CHECKING:
    from greedyhull.remote.kinked import KinkedShards


SHARPER = 0.2  # by which μ is multiplied
LEAST = 1e-280  # the curvature of f_μ is 1/μ, which is to be finite, and so are its products


class Continuation:
    """``u`` minimises f_μ, μ = ``soft.mu``. The minimisers lie on a path that is straight as long as no sample comes to its
    kink or leaves it, so that the last two show a minimiser of f itself, where it ends at μ = 0."""

    def __init__(self, f: Composite | KinkedShards, w: Iterate, mu: float) -> None:
        self.f, self.u, self.soft = f, w.copy(), smoothing(f, mu)
        self.before: Iterate | None = None  # the minimiser of f_μ for the μ before
        f.at(self.u)

    def can_sharpen(self) -> bool:
        """Whether the kinks of the next μ are larger than rounding."""
        return bool(SHARPER * self.soft.mu > max(finest(self.f, self.u), LEAST))

    def sharpen(self) -> None:
        self.before = self.u.copy()
        self.soft.sharpen(SHARPER * self.soft.mu, self.u)

    def end(self, region: Region | None = None) -> Iterate | None:
        """The best point for f between u and where the path seems to end, or None; without atoms, within ``region``."""
        u, before = self.u, self.before
        if before is None:
            return None
        if not u.keeps_atoms:
            return None if region is None else self._end_in_region(u, before, region)
        known = set(u.block.keys)  # with several owners, theirs too
        gone = np.array([i for i, key in enumerate(before.block.keys) if key not in known], dtype=np.intp)
        block = u.block.take(np.arange(len(u)))
        block = block.extend(before.block.take(gone)) if len(gone) else block
        places = {key: i for i, key in enumerate(block.keys)}
        here, there = np.concatenate([u.weights, np.zeros(len(gone))]), np.zeros(len(u) + len(gone))
        there[[places[key] for key in before.block.keys]] = before.weights
        ahead: Array = np.maximum(here + SHARPER / (1.0 - SHARPER) * (here - there), 0.0)
        point = u.copy()
        move = point.reweighting(block, here, normalised(ahead, block.owners) - here)
        point.move(move, self.f.along(point, move).argmin())
        point.refresh()  # computed from its atoms, it need not be at the end of the run
        return point

    def _end_in_region(self, u: Iterate, before: Iterate, region: Region) -> Iterate:
        x, point = u.array(), u.copy()
        ahead = region.nearest((x + SHARPER / (1.0 - SHARPER) * (x - before.array())).ravel())
        move = point.toward(Dense(ahead.reshape(x.shape)))
        point.move(move, self.f.along(point, move).argmin())
        return CoordinateIterate(region.nearest(point.array().ravel()).reshape(x.shape))

    def state(self) -> State:
        before = {} if self.before is None else self.before.state()
        return prefixed(soft=self.soft.state(), u=self.u.state(), before=before)

    def restore(self, state: State) -> None:
        before = under("before", state)
        self.soft.restore(under("soft", state))
        self.u, self.before = restored(under("u", state)), restored(before) if before else None
        self.f.at(self.u)


def first_mu(f: Composite | KinkedShards, w: Iterate) -> float:
    """The mean distance from the targets: with that μ most samples are on the round part of their loss."""
    return max(distance(f, w) or 1.0, LEAST)


@hinted
@dataclass(frozen=True)
class Smoothed(Solver):
    """Minimise a loss with kinks by running a smooth solver on a smoothed loss, smoothed less as the gap closes.

    ``solver`` runs on f_μ ≤ f ≤ f_μ + μ/2, and μ shrinks each time f_μ is nearly minimised; w is the best point found for f
    itself. It takes `hinge`, `absolute`, `quantile` and `epsilon_insensitive`, and is the default for them.

    Parameters
    ----------
    solver : FrankWolfe, BlendedPairwise or Corrective, default Corrective()
        The solver for the smoothed problems.
    mu : float, optional
        Keep μ at this value. By default it starts large and shrinks.

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

    def __post_init__(self) -> None:
        if self.solver is None:
            object.__setattr__(self, "solver", Corrective())
        check(isinstance(self.solver, FrankWolfe | BlendedPairwise | Corrective),
              f"solver of Smoothed must be Corrective(), BlendedPairwise() or FrankWolfe(); got {self.solver!r}.")
        check(self.mu is None or 0 < self.mu < np.inf, f"mu must be positive and finite, or None; got {self.mu!r}.")

    @property
    def needs(self) -> Needs:
        inner = self.solver.needs
        return Needs(atoms=inner.atoms, one_owner=inner.one_owner, regions=inner.regions)

    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: SolverState) -> Iterator[Progress]:
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
            # μ is made smaller when the gap of f_μ is this part of what smoothing costs
            closed = self.mu is None and p.estimate <= 0.3 * smoothing_error and way.can_sharpen()
            for point in (u, way.end(S.traits.region) if closed else None):
                if point is not None and f.value(point) < f.value(w):
                    w.become(point)
            higher = f.value(w) - above
            yield p._replace(point=w, gap=higher + p.gap, estimate=higher + p.estimate, also={"mu": soft.mu})
            if closed:
                way.sharpen()
