"""Weights σ_k of past subgradients in a regularised solver, and how the sum of them is scaled.

At step k, from one, the direction is scale_k·ḡ_k + ∇Φ(w_k) with ḡ_k = Σ_{i<k} σ_i g_i; points are averaged with weights σ_k.
``c`` None is ``factor`` times √b·R²/V: b is the batch, R² bounds Φ on the set, V is how much ⟨g, ·⟩ varies over it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

from greedyhull.errors import check
from greedyhull.errors.hinted import hinted
from greedyhull.theory.arsfw import ConstantWeights, UniformAverage, VariableWeights
from greedyhull.types import Schedule


class Weight(NamedTuple):
    """σ_k, and what ḡ_k is multiplied with."""

    sigma: float
    scale: float


@runtime_checkable
class Weights(Protocol):
    """σ_k and the scale of their sum, for a c that is given or measured."""

    @property
    def c(self) -> float | None: ...
    @property
    def factor(self) -> float: ...
    @property
    def bound(self) -> Any: ...  # the statement that holds for them, None where there is none
    def at(self, k: int, c: float) -> Weight: ...


def _check_c(given: Any) -> None:
    c = given.c
    check(c is None or (isinstance(c, (int, float)) and not isinstance(c, bool) and 0.0 < c < float("inf")),
          f"{type(given).__name__}(c={c!r}) was given; a positive number, or None to measure it, is wanted.")


@hinted
@dataclass(frozen=True)
class Fading:
    """Weights σ_k = ck^−3/4 of subgradients, the variable weights of the paper.

    They are for `RegularizedStochasticFrankWolfe`, and need no horizon.

    Parameters
    ----------
    c : float, optional
        The factor, positive. By default it is √b·R²/V, for a batch of b terms, R² a bound on the regularizer and V the
        variation of the subgradients over the set.

    See Also
    --------
    Steady : Constant weights for a known number of steps.
    Unweighted : No logarithm in the rate, and no horizon.

    Notes
    -----
    E f(w̄_t) − min f = O(ln t / t^1/4) for every t.

    Examples
    --------
    >>> import greedyhull as gh
    >>> gh.Fading(2.0).at(16, 2.0)
    Weight(sigma=0.25, scale=1.0)
    """

    c: float | None = None
    factor: ClassVar[float] = 1.0
    bound: ClassVar[Any] = VariableWeights()

    def __post_init__(self) -> None:
        _check_c(self)

    def at(self, k: int, c: float) -> Weight:
        return Weight(c * k**-0.75, 1.0)


@hinted
@dataclass(frozen=True)
class Steady:
    """Weights σ_k = ct^−3/4 of subgradients for a run of t steps, the constant weights of the paper.

    They are for `RegularizedStochasticFrankWolfe`.

    Parameters
    ----------
    horizon : int
        t, the number of steps of the run. The rate holds after t steps.
    c : float, optional
        The factor, positive. By default it is √b·R²/V, for a batch of b terms, R² a bound on the regularizer and V the
        variation of the subgradients over the set.

    See Also
    --------
    Fading : Weights that need no horizon.
    Unweighted : The same rate without a horizon.

    Notes
    -----
    E f(w̄_t) − min f = O(t^−1/4) after t steps.

    Examples
    --------
    >>> import greedyhull as gh
    >>> gh.Steady(16).at(3, 2.0)
    Weight(sigma=0.25, scale=1.0)
    """

    horizon: int
    c: float | None = None
    factor: ClassVar[float] = 1.0
    bound: ClassVar[Any] = ConstantWeights()

    def __post_init__(self) -> None:
        check(self.horizon >= 1, f"Steady(horizon={self.horizon!r}) was given; a number of steps, at least one, is wanted.")
        _check_c(self)

    def at(self, k: int, c: float) -> Weight:
        return Weight(c * self.horizon**-0.75, 1.0)


@hinted
@dataclass(frozen=True)
class Unweighted:
    """Equal weights of subgradients, whose sum is divided by β_k = k^3/4/c.

    They are for `RegularizedStochasticFrankWolfe`, where they are the default.

    Parameters
    ----------
    c : float, optional
        The factor, positive. By default it is 10·√b·R²/V, for a batch of b terms, R² a bound on the regularizer and V the
        variation of the subgradients over the set.

    See Also
    --------
    Fading : The variable weights of the paper.
    Steady : The constant weights of the paper.

    Notes
    -----
    E f(w̄_t) − min f = O(t^−1/4) for every t, without a logarithm and without a horizon.

    Examples
    --------
    >>> import greedyhull as gh
    >>> gh.Unweighted().at(16, 2.0)
    Weight(sigma=1.0, scale=0.25)
    """

    c: float | None = None
    factor: ClassVar[float] = 10.0
    bound: ClassVar[Any] = UniformAverage()

    def __post_init__(self) -> None:
        _check_c(self)

    def at(self, k: int, c: float) -> Weight:
        return Weight(1.0, c * k**-0.75)


@dataclass(frozen=True)
class Given:
    """σ_k = schedule(k − 1): any schedule, such as power(0.75, c)."""

    schedule: Schedule
    c: ClassVar[float] = 1.0
    factor: ClassVar[float] = 1.0
    bound: ClassVar[Any] = None

    def at(self, k: int, c: float) -> Weight:
        return Weight(float(self.schedule(k - 1)), 1.0)


def weights_of(sigma: Weights | Schedule) -> Weights:
    """``sigma`` as weights: it may be a schedule."""
    check((isinstance(sigma, Weights) or callable(sigma)) and not isinstance(sigma, type),
          f"sigma={sigma!r} was given; Unweighted(), Fading(), Steady(horizon) or a schedule such as power(0.75, c) is "
          "wanted.")
    return sigma if isinstance(sigma, Weights) else Given(sigma)
