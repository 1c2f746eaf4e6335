"""What the gradient estimators share: sizes of batches and epochs, and arrays kept from step to step."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from math import ceil
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from greedyhull.errors import GreedyhullError, check, hinted
from greedyhull.theory.rates import LATE, LATER
from greedyhull.types import Array, Objective, Schedule, State, Supply

VANISHED = 2.0**-1040  # what underflow may have taken from a variance: squares of small numbers are zero

if TYPE_CHECKING:
    from greedyhull.theory import Along


class Estimate(Protocol):
    """An estimator at work in one solve: called with (x, k) it returns g ≈ ∇f(x) at step k, counted from one.

    Attributes
    ----------
    spread : float
        With C ≥ |⟨∇fᵢ, x − u⟩| for all terms and points of the hull, ⟨g − ∇f(x), x − u⟩ is sub-Gaussian with the factor
        (spread·C)² for the last g. 2 is always valid.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> from greedyhull.objectives.minibatches import source_of
    >>> f = gh.least_squares(np.eye(2), np.ones(2))
    >>> from greedyhull.solvers.gradients import Minibatch
    >>> estimate = Minibatch(batch=2).start(source_of(f, np.random.default_rng(0)))
    >>> estimate(np.zeros(2), 1), estimate.spread
    (array([-0.5, -0.5]), 0.0)
    """

    spread: float

    def __call__(self, x: Array, k: int) -> Array: ...
    def state(self) -> State: ...
    def restore(self, state: State) -> None: ...


class Estimator(Protocol):
    """The settings of a gradient estimator: a frozen object that starts an `Estimate` for each solve.

    Attributes
    ----------
    unbiased : bool
        Whether E[g | past] = ∇f(x), which regret certificates need.

    Examples
    --------
    >>> from greedyhull.solvers.gradients import Momentum, Svrg
    >>> Svrg().unbiased, Momentum().unbiased
    (True, False)
    """

    unbiased: ClassVar[bool]

    def start(self, source: Supply) -> Estimate: ...


class VarianceModel:
    """An estimator with a recursion for a_k ≥ E‖g − ∇f(x_k)‖²: what `theory.expected_error` follows along a run."""

    unbiased: ClassVar[bool]

    def __post_init__(self) -> None:
        for setting in fields(self):  # type: ignore[arg-type]  # estimators are dataclasses
            given = getattr(self, setting.name)
            if setting.name in ("batch", "epoch", "reset") and not (given is None and setting.default is None):
                check_size(setting.name, given)
            if setting.name == "rho":
                check(callable(given), f"rho must be a schedule such as constant({given!r}); got {given!r}.")

    def variance(self, at: Along) -> Iterator[float]:
        """a_1, a_2, …, one for each step, along the run ``at``."""
        raise NotImplementedError

    def cautions(self, eta: Eta, n: int | None) -> Iterator[str]:
        """Which conditions, under which its error vanishes, the steps η_k do not meet; n terms, None for a stream."""
        yield from ()

    def noise(self, at: Along) -> Iterator[float]:
        """What the error costs in a step: r_S√a_k if the estimate is unbiased given the past, else D√a_k."""
        size = "r_S" if self.unbiased else "D"
        for a in self.variance(at):
            # a noise that is smaller beside M leaves no trace in a bound
            if a > 0.0 or (at.known(size) and math.sqrt(VANISHED) * float(at.constants[size]) > (2.0**-128) * at["M"]):
                yield math.sqrt(a + VANISHED) * at[size]
            else:
                yield 0.0


@hinted
@dataclass(frozen=True)
class Root:
    """A size ⌈n^p⌉ of batches and epochs, n the number of terms, that is known when a solve begins.

    Parameters
    ----------
    p : float
        The power, between 0 and 1.

    Examples
    --------
    >>> Root(2 / 3).of(1000), Root(1 / 3).of(1000), Root(0.5).of(10)
    (100, 10, 4)
    """

    p: float

    def __post_init__(self) -> None:
        check(0.0 <= self.p <= 1.0, f"p must be between 0 and 1; got {self.p!r}.")

    def of(self, n: int | None) -> int:
        """The size for n terms; a stream, n = None, has none."""
        if n is None:
            raise GreedyhullError(f"{self!r} is a power of the number of terms, and a stream has no such number. Give a whole "
                                  "number or a schedule such as linear().")
        return max(1, ceil(math.pow(n, self.p) - 1e-9))  # 1000^(1/3) may be a hair above 10


Size = int | Root | Schedule
Eta = Callable[[int], float]  # η_k, k from one


def check_size(name: str, given: Any) -> None:
    """Raise unless ``given`` is a number of terms or steps, a `Root` or a schedule."""
    whole = isinstance(given, (int, np.integer)) and not isinstance(given, bool)
    check((whole and given >= 1) or isinstance(given, Root) or callable(given),
          f"{name} must be an integer of at least 1, Root(p) for n^p, or a schedule such as linear(); got {given!r}.")


def size(batch: Any, k: int, n: int | None) -> int:
    """Return b_k, the number of terms in the batch of step k; n is None for a stream."""
    if isinstance(batch, Root):
        return batch.of(n)
    if not callable(batch):
        return int(batch)
    wanted = float(batch(k))
    check(1.0 - 1e-9 <= wanted < math.inf,
          lambda: f"The batch schedule {batch!r} must be finite and at least 1, as linear() is; at step {k} it is {wanted}.")
    return ceil(wanted)


def late(schedule: Any) -> tuple[float, float]:
    """A schedule at two late steps: whether it still changes, and which way."""
    return float(schedule(LATE)), float(schedule(LATER))


def share(rho: Schedule, k: int) -> float:
    """ρ_k, what a fresh minibatch counts for."""
    out = float(rho(k))
    check(0.0 <= out <= 1.0, lambda: f"The schedule rho={rho!r} gave {out} at step {k}; a number in [0, 1] is wanted.")
    return out


class ArrayState:
    """An estimate that keeps some arrays from step to step, by name."""

    spread = 2.0  # what bounded gradients alone give

    def __init__(self, config: Any, source: Supply) -> None:
        self.config, self.source = config, source
        self.arrays: State = {}

    def size(self, k: int) -> int:
        return size(self.config.batch, k, self.source.terms)

    def state(self) -> State:
        return {name: np.array(array) for name, array in self.arrays.items()}

    def restore(self, state: State) -> None:
        self.arrays = {name: np.array(array) for name, array in state.items()}


class CompiledEstimate(ArrayState):
    """An estimate whose steps the kernels can make, where they are like most others."""

    asks = 1  # gradients of terms for each term of its batch; where they come to n, the step is no such step
    draws: tuple[bool, ...] = (False,)  # one batch after the other, and whether its terms are different ones
    keeps: tuple[str, ...] = ()  # the arrays that the first step makes
    follows = 0  # 1 where the second gradient of a batch is at the previous iterate
    factors = (0.0, 1.0, 0.0)  # a, b and c of g ← a·g + b·∇f_B(x) − c·∇f_B(x⁻) + full, where they are the same at all steps

    def steps(self, loops: Any, steps: range, terms: tuple[Any, ...], point: tuple[Any, ...]) -> None:
        """Make steps by one of the ``loops``, from the arrays of terms and batches, and of set and point."""
        zeros, kept = np.zeros_like(point[4]), self.arrays
        loops.differences(*terms, *self.coefficients(steps), kept.get("full", zeros), kept.get("x", zeros), self.follows,
                          kept.get("g", zeros.copy()), point)

    def coefficients(self, steps: range) -> tuple[Array, Array, Array]:
        """The `factors` of all steps."""
        a, b, c = (np.full(len(steps), factor) for factor in self.factors)
        return a, b, c

    def shares(self, steps: range) -> Array:
        rho = np.array([self.config.rho(k) for k in steps], dtype=np.float64)
        for wrong in np.flatnonzero(~((rho >= 0.0) & (rho <= 1.0)))[:1]:
            share(self.config.rho, steps[wrong])  # raises
        return rho


def epoch_after(length: int, wanted: Any, k: int, n: Any) -> int:
    """The length of the epoch that begins at step k, after one of ``length`` steps."""
    return max(1, 2 * length) if wanted is None else size(wanted, k, n)


class Epochs(CompiledEstimate):
    """An estimate that restarts after ``epoch`` steps, or at steps 1, 2, 4, 8, … if that is None."""

    def begins(self, k: int) -> bool:
        begin, length = (int(v) for v in self.arrays.get("epoch", np.array([k, 0])))
        if k - begin < length:
            return False
        self.arrays["epoch"] = np.array([k, epoch_after(length, self.config.epoch, k, self.source.terms)])
        return True

    @property
    def length(self) -> int:
        return int(self.arrays["epoch"][1])


def check_finite(f: Objective, name: str) -> None:
    """Raise unless f is a sum of finitely many terms, which can be looked at all at once."""
    check(f.traits.terms != "stream", f"{name} needs all terms now and then, and {f!r} is a stream without end. Use "
                                      "Minibatch, Momentum, Storm or Spider.")


def check_linear(f: Objective, name: str) -> None:
    """Raise unless f is φ(Ax), where one number for each term is all there is to keep."""
    check_finite(f, name)
    check(f.traits.linear_model, f"{name} keeps one number for each term, which is enough for linear models only, and {f!r} "
                                 "is not one. Use Svrg() or Spider(), which keep two arrays.")
