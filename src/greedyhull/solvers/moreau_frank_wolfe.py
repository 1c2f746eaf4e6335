"""Frank-Wolfe on the Moreau envelope: ε⁻² subgradients and ε⁻² calls of the oracle for any Lipschitz f, kinks and all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from greedyhull.errors import check, described, hinted
from greedyhull.measures.terms import steepness
from greedyhull.points.coordinate_iterate import Average, CoordinateIterate, Position
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.gradients.base import Size, check_size, size
from greedyhull.solvers.lu_freund import duals_of
from greedyhull.solvers.parts.gap_evaluation import FullGap, Look, at_steps, sampled, seen_from
from greedyhull.solvers.parts.kept import Remembered
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.schedules import SETTINGS
from greedyhull.solvers.parts.solver_state import SolverState
from greedyhull.solvers.storc import slide
from greedyhull.types import Array, AtomSet, Needs, Objective, Solver

SMOOTHING = 2.55  # ½ for f against its envelope, and 2.05 ≥ 2 max k(1 + H_T/T)/(T + 3), T = k + 1, for the subgradient steps
SPREAD = 2.7  # 2.2 for where the pair begins, D away at most, and χ = ½ for the oracle's part


@hinted
@described(SETTINGS)
@dataclass(frozen=True)
class MoreauFrankWolfe(Solver):
    """Frank-Wolfe on the Moreau envelope: order ε⁻² subgradients and oracle calls for Lipschitz f with kinks.

    It minimises f(u) + ‖x − u‖²/(2λ) over x in the hull and u anywhere by accelerated steps, and returns the mean of the x.
    In a run of N steps, k from one, with γ = 2/(k + 1), β = 4/(λk) and p = (y_x − y_u)/λ at y = (1 − γ)(x̄, ū) + γ(x, u):

        u: k + 1 subgradient steps v ← (u + (t/2)v + (p − g(v))/β)/(1 + t/2), ũ their mean with weights t + 1,
        x: Frank-Wolfe on ⟨p, ·⟩ + (β/2)‖· − x‖² until its gap is D²/(λNk),
        (x̄, ū) ← (1 − γ)(x̄, ū) + γ(x, ũ).

    f must be defined outside of the hull. After ``horizon`` steps a run of twice as many starts from the current x.
    ``also["last"]`` is x.

    Parameters
    ----------
    horizon : int, default 16
        N, the steps of the first run.
    batch : int, Root or schedule, default 256
        Terms in each subgradient.
    lipschitz : float, optional
        L with E‖g‖² ≤ L². By default it is computed from the data of a linear model, or estimated.
    {sampled}

    Notes
    -----
    E f(x̄_N) − min f ≤ 10.5 LD/N after N(N + 3)/2 subgradients and at most 24N oracle calls a step; `rate` has the proof. The
    problem is that of Thekumparampil et al. (MOLES, 2020), the steps are those of gradient sliding.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.absolute(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), np.array([0.3, 0.7, 1.0]))
    >>> s = gh.minimize(f, gh.Simplex(2), gh.MoreauFrankWolfe(), stop=gh.Gap(0.02))
    >>> s.converged, bool(s.value <= 0.02)
    (True, True)
    """

    horizon: int = 16
    batch: Size = 256
    lipschitz: float | None = None
    every: int | None = None
    look: Look = field(default=FullGap())
    needs = Needs(atoms=False, terms=True)

    def __post_init__(self) -> None:
        check(isinstance(self.horizon, (int, np.integer)) and self.horizon >= 1,
              f"horizon must be a number of steps, at least 1; got {self.horizon!r}.")
        check_size("batch", self.batch)
        check(self.lipschitz is None or 0.0 < self.lipschitz < np.inf,
              f"lipschitz must be positive and finite, or None; got {self.lipschitz!r}.")
        check(not at_steps(self.look, self.every).averages, "look must be FullGap() or MinibatchGap(), since subgradients are "
              f"not taken at the points that are returned; got {self.look!r}.")

    @staticmethod
    def rate(N: int, L: float, D: float, steps: int | None = None) -> float:
        """Bound E f(x̄) − min f after the N steps of one run, or after ``steps`` of them.

        Parameters
        ----------
        N : int
            Steps of the run.
        L : float
            Lipschitz constant: E‖g‖² ≤ L².
        D : float
            Diameter of the set.
        steps : int, optional
            Steps done, if fewer than N.

        Returns
        -------
        float
            The bound.

        Notes
        -----
        Ψ(x, u) = f(u) + q, q = ‖x − u‖²/(2λ), has f(x) ≤ Ψ + λL²/2, Ψ(x, x) = f(x), and ∇q is 2/λ-Lipschitz.
        (i) x_k has ⟨p, x_k − x⟩ ≤ (β/2)(‖x_{k−1} − x‖² − ‖x_k − x‖² − ‖x_k − x_{k−1}‖²) + δ_k, δ_k the gap left.
        (ii) A subgradient step leaves f(v_t) − f(u) + ⟨−p, v_t − u⟩ + (β/2)‖v_t − u_{k−1}‖² − (β/2)‖u − u_{k−1}‖² ≤
        (βt/4)‖v_{t−1} − u‖² − (β/2)(1 + t/2)‖v_t − u‖² + 4L²/(βt) in expectation; times t + 1 that telescopes to (i) for
        ũ, u_k = v_T, with β(1 + 2/(T(T + 3))) ≤ 1.2β and an error of 8L²(T + H_T)/(βT(T + 3)) ≤ 1.025·2λL².
        (iii) Accelerated steps add these up with weights k: Ψ(x̄_N, ū_N) − f(x*) ≤
        (2/(N(N + 1)))[(2/λ)(1 + 1.2)D² + (2/λ)χD²] + 2.05λL² with δ_k = (2/λ)χD²/(Nk), χ = ½. Now choose λ.

        Examples
        --------
        >>> round(MoreauFrankWolfe.rate(100, L=1.0, D=2.0), 3)
        0.209
        """
        k, n = N if steps is None else steps, (N * (N + 1.0)) ** 0.5  # λ = 2D√2.7/(L√2.55 n), put in: L or D may be zero
        return float(2.0 * (SMOOTHING * SPREAD) ** 0.5 * L * D * (1.0 / n + n / (k * (k + 1.0))))

    def first(self, f: Objective, S: AtomSet) -> Iterate:
        return S.centre()

    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: SolverState) -> Iterator[Progress]:
        oracle, x = memory.oracle(S), w.view("position", Position)
        w.view("average", lambda: Average(w))
        source, look, steps = sampled(self, f, S, w, memory)
        duals = duals_of(f, memory, oracle)
        pair: Pair = memory.part("pair", lambda: Pair(x.array, self._lipschitz(f, S, x.array), S.diameter, self.horizon))
        for k in steps:
            mean = w.views["average"]
            assert isinstance(mean, Average)
            if look.due(k, source.spent):
                point = seen_from(w, CoordinateIterate(pair.output(k, mean)))
                seen = look(point, {"spent": source.spent, "last": w.copy()})
                yield seen if duals is None else duals.improve(seen)
            if pair.D == 0.0:  # a set of one point
                return
            j = pair.count(k)
            b, p, beta = size(self.batch, k, source.terms), pair.pull(j, mean.array(), x.array), pair.beta(j)
            for v in pair.descend(j, p, beta):
                drawn = source.draw(b)
                pair.slope = drawn.gradient(v) if duals is None else duals.gradient(drawn, v)
            slide(w, p, beta, oracle, tol=pair.tolerance(j), share=0.25, most=24 * pair.N)  # 6βD²/tolerance
            mean.include(float(j))
            if j == pair.N:
                pair.begin(k + 1, mean.array(), x.array)
                w.views["average"] = Average(w)

    def _lipschitz(self, f: Objective, S: AtomSet, x: Array) -> float:
        L = float(steepness(f, S, x).L) if self.lipschitz is None else self.lipschitz
        check(np.isfinite(L), f"The terms of {f!r} are infinitely steep on {S!r}, or their slopes overflow, so that there is "
                              "no step to begin with. Scale the data down, or give lipschitz=.")
        return L if L > 0.0 else 1.0


class Pair(Remembered):
    """The u of the pair (x, u), its mean, and the run it is in: its first step, its length N, its λ."""

    kept_arrays = ("u", "mean", "kept")
    kept_numbers = ("L", "D", "since", "N")

    def __init__(self, x: Array, L: float, D: float, N: int) -> None:
        self.L, self.D, self.N, self.slope = L, D, N // 2, np.zeros(0)
        self.kept = x.copy()
        self.begin(1, self.kept, x)

    def begin(self, k: int, output: Array, x: Array) -> None:
        """A run twice as long begins at step k, from x; ``output`` is what the last one found."""
        self.kept, self.since, self.N = output, k, max(1, 2 * self.N)
        self.u, self.mean = x.copy(), x.copy()
        check(self.D == 0.0 or 1e-300 < self.smoothing < 1e300,
              f"The terms of f have slopes up to {self.L:.3g} on a set of diameter {self.D:.3g}: their ratio leaves the range "
              "of floating point. Scale the data and the set, so that both are nearer to one.")

    @property
    def smoothing(self) -> float:
        """λ, which makes the bound least after the N steps of this run."""
        return float(2.0 * self.D * SPREAD**0.5 / (self.L * SMOOTHING**0.5 * (self.N * (self.N + 1.0)) ** 0.5))

    def count(self, k: int) -> int:
        return k - self.since + 1

    def beta(self, j: int) -> float:
        return 4.0 / (self.smoothing * j)

    def tolerance(self, j: int) -> float:
        """The gap left in x, (2/λ)χD²/(Nj) with χ = ½; D²/λ is computed without squares, which may overflow."""
        over = 0.5 * self.D * self.L * (SMOOTHING / SPREAD * self.N * (self.N + 1.0)) ** 0.5
        return float(over / (self.N * j))

    def pull(self, j: int, mean: Array, x: Array) -> Array:
        gamma = 2.0 / (j + 1.0)
        return np.asarray(((1.0 - gamma) * (mean - self.mean) + gamma * (x - self.u)) / self.smoothing)

    def descend(self, j: int, p: Array, beta: float) -> Iterator[Array]:
        """The steps of u, and the mean of them into ū; at each v that is yielded, ``slope`` is to be a subgradient."""
        v, within = self.u, np.zeros(self.u.shape)
        for t in range(1, j + 2):
            yield v
            v = (self.u + (0.5 * t) * v + (p - self.slope) / beta) / (1.0 + 0.5 * t)
            within += (2.0 * (t + 1.0) / (t * (t + 3.0))) * (v - within)
        self.u = v
        self.mean = self.mean + (2.0 / (j + 1.0)) * (within - self.mean)

    def output(self, k: int, mean: Average) -> Array:
        """The mean of this run from its third quarter on, before that the one of the last run; x̄ in the very first."""
        done = self.count(k) - 1
        return mean.array() if done > 0 and (self.since == 1 or 4 * done >= 3 * self.N) else self.kept
