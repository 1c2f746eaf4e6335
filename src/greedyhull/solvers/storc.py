"""STORC: stochastic variance-reduced conditional gradient sliding."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import ceil, isfinite, sqrt
from typing import NamedTuple

import numpy as np

from greedyhull.errors import check, described, hinted
from greedyhull.measures.terms import linear_terms, sampled_terms
from greedyhull.objectives.lines import Parabola
from greedyhull.points.coordinate_iterate import CoordinateIterate, Position
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import dense as dense_atom
from greedyhull.solvers.parts.gap_evaluation import FULL_GAP, FullGap, Look, at_steps, sampled, seen_from
from greedyhull.solvers.parts.kept import Remembered
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.schedules import SETTINGS
from greedyhull.solvers.parts.solver_state import SolverState
from greedyhull.types import Array, AtomSet, Needs, Objective, Oracle, Solver, Supply, linear_model


def slide(u: Iterate, g: Array, beta: float, oracle: Oracle, *, tol: float, share: float, most: int) -> None:
    """Frank-Wolfe with exact steps on ⟨g, ·⟩ + (β/2)‖· − u₀‖² from u = u₀, to a gap of ``tol``, in at most ``most`` steps.

    The oracle may err by a ``share`` of tol; where it errs by more, no atom may be left that leads down.
    """
    x = u.view("position", Position)
    start = x.array.copy()
    for _ in range(most):
        slope = g + beta * (x.array - start)
        answer = oracle.argmin(slope, tol=share * tol)
        gap = float(np.vdot(slope, x.array)) - answer.atom.dot(slope)
        if not gap > 0.0 or gap + answer.slack <= tol:
            return
        v = -x.array
        answer.atom.add_to(v, 1.0)
        u.move(u.toward(answer.atom), Parabola(0.0, -gap, beta * float(np.vdot(v, v)), 1.0).argmin())


class Constants(NamedTuple):
    """L, the smoothness of the terms everywhere; G, how steep they are on the set; D, the diameter of the set."""

    L: float
    G: float
    D: float


@hinted
@described(SETTINGS)
@dataclass(frozen=True)
class Storc(Solver):
    """STORC (Hazan and Luo): accelerated conditional gradient sliding with variance reduction.

    Epochs t = 1, 2, … of N_t accelerated steps from a snapshot y_0 with known gradient; for k = 1 … N_t and γ = 2/(k + 1)

        z = (1 − γ)y + γx,   g = ∇f_B(z) − ∇f_B(y_0) + ∇f(y_0),
        x ← argmin over the hull of ⟨g, ·⟩ + (β/2)‖· − x‖², β = 3L/k, by Frank-Wolfe to a gap of 2LD_t²/(N_t k),
        y ← (1 − γ)y + γx,

    and y is the point. Where two evaluations of a batch would cost a pass, the full gradient is used instead.
    ``also["epoch"]`` of an event is the number of complete epochs.

    Parameters
    ----------
    multiplier : float, default 1.0
        Factor on all batch sizes. 1 is what is proved; in practice 0.01 is often enough.
    condition : float, optional
        Condition number κ = L/α of α-strongly convex f. By default f is only taken to be convex.
    smoothness : float, optional
        Smoothness L of the terms. By default it comes from the data.
    slope : float, optional
        Largest norm G of a term's gradient on the set. By default it comes from the data.
    {sampled}
    batches : tuple of float, default (278.0, 8.0)
        Constants u and v of the batch sizes N_t(u + vG(k + 1)/(LD)).

    Notes
    -----
    For convex terms that are L-smooth everywhere with gradients of norm at most G, N_t = ⌈2^{t/2 + 2}⌉, D_t = D and the
    default batches give E f(y) − min f ≤ LD²/2^{t+1} after epoch t. With ``condition`` κ, N_t = ⌈√(32κ)⌉,
    D_t² = κD²/2^{t−1} and batches of 5600N_tκ give the same.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.least_squares(np.eye(2), np.array([0.3, 0.7]))
    >>> s = gh.minimize(f, gh.Simplex(2), gh.Storc(), stop=gh.Gap(1e-3))
    >>> s.converged
    True
    """

    multiplier: float = 1.0
    condition: float | None = None
    smoothness: float | None = None
    slope: float | None = None
    every: int | None = None
    look: Look = field(default=FullGap())
    batches: tuple[float, float] = (278.0, 8.0)
    needs = Needs(smooth=True, atoms=False, terms=True)

    def __post_init__(self) -> None:
        check(0.0 < self.multiplier < np.inf, f"multiplier must be positive and finite; got {self.multiplier!r}.")
        check(self.condition is None or self.condition >= 1.0,
              f"condition must be L/α, at least 1, or None where f is only convex; got {self.condition!r}.")
        for name, given in {"smoothness": self.smoothness, "slope": self.slope}.items():
            check(given is None or 0.0 < given < np.inf, f"{name} must be positive and finite, or None; got {given!r}.")
        check(not at_steps(self.look, self.every).averages,
              f"{self.look!r} certifies a mean of the iterates, which Storc does not return. Use FullGap().")

    @classmethod
    def interior(cls, multiplier: float = 1.0, *, smoothness: float | None = None, slope: float | None = None,
                 every: int | None = None, look: Look = FULL_GAP) -> Storc:
        """Batches of 346N_t, which are enough where ∇f vanishes at the minimum.

        Parameters
        ----------
        multiplier : float, default 1.0
            Factor on all batch sizes.
        smoothness, slope, every, look : optional
            As for the class.

        Examples
        --------
        >>> Storc.interior(0.01).batches
        (346.0, 0.0)
        """
        return cls(multiplier, None, smoothness, slope, every, look, (346.0, 0.0))

    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: SolverState) -> Iterator[Progress]:
        source, look, steps = sampled(self, f, S, w, memory)
        oracle, known = memory.oracle(S), self.constants(f, S)
        at: Sliding = memory.part("sliding", lambda: Sliding(w.array()))
        for k in steps:
            if look.due(k, source.spent):
                yield look(seen_from(w, CoordinateIterate(at.y)), {"spent": source.spent, "epoch": at.epoch - (at.left > 0)})
            if k == 1 and not memory.warm:  # f of the atom is at most LD²/2 above the minimum, where epochs begin
                at.y = dense_atom(oracle.argmin(source.full(at.y)).atom, S.shape)
            else:
                w.step = self._step(at, source, oracle, known)

    def _step(self, at: Sliding, source: Supply, oracle: Oracle, known: Constants) -> float:
        L, D = known.L, known.D
        if at.left == 0:
            at.x, at.snapshot, at.full = at.y, at.y, source.full(at.y)
            at.epoch += 1
            at.length = at.left = self.length(at.epoch)
        N, k = at.length, at.length - at.left + 1
        gamma = 2.0 / (k + 1.0)
        z = (1.0 - gamma) * at.y + gamma * at.x
        near = D * D if self.condition is None else D * D * min(1.0, self.condition * 2.0 ** (1 - at.epoch))
        b = ceil(min(self.multiplier * self.size(N, k, known), source.n))
        if 2 * b >= source.n:
            g = source.full(z)
        else:
            batch = source.draw(b)
            g = batch.gradient(z) - source.again(batch).gradient(at.snapshot) + at.full
        at.x = proximal(g, 3.0 * L / k, at.x, oracle, 2.0 * L * near / (N * k), most=11 * N + 2)
        at.y = (1.0 - gamma) * at.y + gamma * at.x
        at.left -= 1
        return gamma

    def length(self, t: int) -> int:
        return ceil(2.0 ** (0.5 * t + 2.0)) if self.condition is None else ceil(sqrt(32.0 * self.condition))

    def size(self, N: int, k: int, known: Constants) -> float:
        if self.condition is not None:
            return 5600.0 * N * self.condition
        flat, steep = self.batches
        bend = known.L * known.D
        if bend == 0.0:  # one point, or a flat f; where terms are steep, all of them
            return np.inf if known.D > 0.0 and known.G > 0.0 else N * flat
        return N * (flat + steep * known.G * (k + 1.0) / bend)

    def constants(self, f: Objective, S: AtomSet) -> Constants:
        """The constants that are not given: from the data of a linear model, from some terms otherwise."""
        L, G = self.smoothness, self.slope
        if L is None or G is None:
            model = linear_model(f)
            found = linear_terms(model, S) if model is not None and len(f.domain) == 1 else sampled_terms(f, S)
            L, G = L or float(found["L_max"]), G or float(found["L"])
        check(isfinite(L) and isfinite(G), f"The terms of {f!r} are not smooth everywhere, so Storc's batches would be "
                                           "infinite. Give smoothness=, or use StochasticFrankWolfe.spider().")
        return Constants(max(L, 1e-300), G, float(S.diameter))


class Sliding(Remembered):
    """y, x, the snapshot with its gradient, and where in which epoch the run is."""

    kept_arrays = ("y", "x", "snapshot", "full")
    kept_numbers = ("epoch", "length", "left")

    def __init__(self, y: Array) -> None:
        self.y = self.x = self.snapshot = y
        self.full: Array = np.zeros_like(y)
        self.epoch = self.length = self.left = 0


def proximal(g: Array, beta: float, x: Array, oracle: Oracle, tol: float, most: int) -> Array:
    """argmin of ⟨g, u⟩ + (β/2)‖u − x‖² over the hull, up to a gap of ``tol``: 27/4·βD²/tol < 11N steps are always enough."""
    u = CoordinateIterate(x.copy())
    slide(u, g, beta, oracle, tol=tol, share=0.5, most=most)
    return u.x
