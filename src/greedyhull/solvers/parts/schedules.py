"""Schedules: numbers that depend on k or on the last gap, and batches that grow; the settings that solvers share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from types import FunctionType

import numpy as np

from greedyhull.errors import GreedyhullError, check, entries_of, hinted, hinting, shown
from greedyhull.measures.terms import noise
from greedyhull.types import AtomSet, Objective, Schedule, Solver, optional

WANTED = ("A number of at least 0 is wanted, from a schedule such as harmonic() or from a function of k and of the last gap, "
          "which is None at first.")
SETTINGS = entries_of("""
tolerance : schedule, default zero
    Error ε_k allowed to the oracle on the linear function.
every : int, optional
    Certify the point at multiples of this step. By default a certificate is computed as the work grows, and where a run ends.
    Set it to see progress more often, or to save passes over the data.
look : FullGap, MinibatchGap or Regret, default FullGap()
    How the point is certified: on all terms, on a fresh sample, or by the regret of the run; then the point is the mean of the
    iterates.
batch : int, Root or schedule, default 32
    Terms drawn at each step, b_k.
c : float, optional
    The factor, positive. By default it is √b·R²/V, 10 times that for `Unweighted`: for a batch of b terms, R² a bound on the
    regularizer and V the variation of the subgradients over the set.
""")
SETTINGS["sampled"] = SETTINGS["every"] + """
look : FullGap or MinibatchGap, default FullGap()
    How the point is certified: on all terms, or on a fresh sample."""
SETTINGS["weighted"] = """Parameters
----------
c : float, optional
    Scale of the weights. By default it is measured.
step, regularizer, tolerance, batch, every, look : optional
    As for the class."""


FORMULAS: dict[str, Callable[..., float]] = {  # of k, the last gap and the settings
    "constant": lambda k, gap, value: value,
    "harmonic": lambda k, gap, scale: 2.0 * scale / (k + 2.0),
    "power": lambda k, gap, p, scale: float(scale * (k + 1.0) ** -p),
    "linear": lambda k, gap, scale: max(1.0, scale * k),
    "of_gap": lambda k, gap, fraction, first: first if gap is None else fraction * gap,
}


@dataclass(frozen=True, repr=False)
class Formula:
    """A schedule with the name and the settings of the function that makes it."""

    maker: str
    settings: tuple[tuple[str, float], ...]

    @classmethod
    def of(cls, maker: str, **settings: float) -> Formula:
        return cls(maker, tuple((name, float(value)) for name, value in settings.items()))

    def __call__(self, k: int, gap: float | None = None) -> float:
        return FORMULAS[self.maker](k, gap, *(value for _, value in self.settings))

    def __repr__(self) -> str:
        (_, first), *rest = self.settings
        return f"{self.maker}({', '.join([f'{first:g}', *(f'{name}={value:g}' for name, value in rest)])})"


@hinting
def constant(value: float) -> Formula:
    """Make the schedule k ↦ value.

    Parameters
    ----------
    value : float
        The number, at least 0. As a tolerance, the error settles within it (Theorem 1).

    Returns
    -------
    Formula
        A function of k.

    Examples
    --------
    >>> import greedyhull as gh
    >>> gh.constant(0.5)(7)
    0.5
    """
    check(value >= 0, f"value must be at least 0; got {value!r}.")
    return Formula.of("constant", value=value)


@hinting
def harmonic(scale: float = 1.0) -> Formula:
    """Make the schedule k ↦ scale·2/(k + 2), a tolerance for which Theorem 2 holds with c = scale.

    Parameters
    ----------
    scale : float, default 1.0
        The value at k = 0, at least 0.

    Returns
    -------
    Formula
        A function of k.

    Examples
    --------
    >>> import greedyhull as gh
    >>> gh.harmonic(3.0)(1)
    2.0
    """
    check(scale >= 0, f"scale must be at least 0; got {scale!r}.")
    return Formula.of("harmonic", scale=scale)


@hinting
def power(p: float, scale: float = 1.0) -> Formula:
    """Make the schedule k ↦ scale·(k + 1)^−p.

    Parameters
    ----------
    p : float
        The exponent, at least 0. As tolerances, the numbers go to zero for p > 0, as Theorem 1 requires.
    scale : float, default 1.0
        The value at k = 0, at least 0.

    Returns
    -------
    Formula
        A function of k.

    Examples
    --------
    >>> import greedyhull as gh
    >>> gh.power(0.5)(3)
    0.5
    """
    check(p >= 0 and scale >= 0, f"p and scale must be at least 0; got {p!r} and {scale!r}.")
    return Formula.of("power", p=p, scale=scale)


@hinting
def linear(scale: float = 1.0) -> Formula:
    """Make the schedule k ↦ max(1, scale·k), for batches that grow with k.

    Parameters
    ----------
    scale : float, default 1.0
        The growth for each step, positive.

    Returns
    -------
    Formula
        A function of k.

    Examples
    --------
    >>> import greedyhull as gh
    >>> gh.linear()(7)
    7.0
    """
    check(isinstance(scale, Real), lambda: f"scale must be a positive number; got {shown(scale)}. linear is a schedule of "
          "batch sizes. A linear objective is function(lambda w: c @ w, lambda w: c, len(c)); S.argmin(c) is its minimum.")
    check(scale > 0, f"scale must be positive; got {scale!r}.")
    return Formula.of("linear", scale=scale)


@hinting
def of_gap(fraction: float, first: float = 0.0) -> Formula:
    """Make the schedule fraction·gap, where gap is the last certified gap: a tolerance that tightens as the run converges.

    Parameters
    ----------
    fraction : float
        The share of the gap, in [0, 1).
    first : float, default 0.0
        The value before there is a gap.

    Returns
    -------
    Formula
        A function of k and the gap.

    Examples
    --------
    >>> import greedyhull as gh
    >>> gh.of_gap(0.1)(3, gap=2.0)
    0.2
    """
    check(0 <= fraction < 1, f"fraction must be in [0, 1); got {fraction!r}.")
    return Formula.of("of_gap", fraction=fraction, first=first)


zero = constant(0.0)
"""The schedule k ↦ 0: no tolerance, the default of every solver."""


def check_tolerance(solver: Solver) -> None:
    """Raise unless the tolerance of a solver, and those of the solvers that it is made of, can be evaluated."""
    inner = optional(solver, "solver")
    for part in (*(optional(solver, "solvers") or ()), *(() if inner is None else (inner,))):
        check_tolerance(part)
    tolerance = optional(solver, "tolerance")
    if tolerance is zero:
        return
    check(tolerance is None or callable(tolerance), lambda: f"tolerance={tolerance!r} was given to the solver; a schedule "
                                                            f"such as constant({tolerance!r}) or harmonic() is wanted.")
    ours = tolerance.__name__ if isinstance(tolerance, FunctionType) and tolerance.__module__ == __name__ else ""
    check(not ours, lambda: f"tolerance={shown(tolerance)} was given to the solver; a schedule such as harmonic() is wanted. "
                            f"Call the function: {ours}(...).")


def tolerance_at(tolerance: Schedule, k: int, gap: float | None) -> float:
    """Return ε_k of a solver's tolerance, a number of at least 0.

    >>> tolerance_at(harmonic(3.0), 1, None)
    2.0
    """
    if tolerance is zero:
        return 0.0
    try:
        epsilon = tolerance(k, gap)
    except TypeError as error:
        raise GreedyhullError(f"tolerance={shown(tolerance)} could not be evaluated at ({k}, {gap}): {error}. "
                              f"{WANTED}") from error
    if type(epsilon) is float and epsilon >= 0.0:
        return epsilon
    if not (isinstance(epsilon, Real) and epsilon >= 0.0):
        raise GreedyhullError(f"tolerance={shown(tolerance)} is {epsilon!r} at ({k}, {gap}). {WANTED}")
    return float(epsilon)


@hinted
@dataclass(frozen=True)
class Growing:
    """Batch sizes b_k = ⌈(r_S σ/(τη_k))²⌉ of `StochasticJones` that grow as the steps η_k shrink.

    The noise r_S σ/√b_k of a step is then at most τη_k; r_S is the circumradius of S.

    Parameters
    ----------
    sigma : float, optional
        σ, where σ² bounds the variance of a term's gradient. By default it is computed from f and S, or bounded.
    tau : float, optional
        τ; larger values give smaller batches and a larger error. By default 2M, which needs the fewest terms.

    Notes
    -----
    With η_k = 2/(k + 1), k from one, E e_k ≤ 4(M + c + τ)/(k + 1): an error ε takes O(ε⁻¹) steps and O(ε⁻³) terms.

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
                  f"{name} must be a positive number, or None to compute it; got {value!r}.")

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
