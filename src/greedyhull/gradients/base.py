"""What the gradient estimators share: sizes of batches and epochs, and arrays kept from step to step."""

from __future__ import annotations

import math
from dataclasses import dataclass
from math import ceil, isfinite
from typing import Any, ClassVar, Protocol

import numpy as np

from greedyhull.batch import Source
from greedyhull.errors import check
from greedyhull.types import Array, Schedule, State


class Estimate(Protocol):
    """An estimator at work in one solve: g ≈ ∇f(x) at step k, counted from one."""

    def __call__(self, x: Array, k: int) -> Array: ...
    def state(self) -> State: ...
    def restore(self, state: State) -> None: ...


class Estimator(Protocol):
    """A frozen estimator. ``unbiased`` says that E[g | past] = ∇f(x), which regret certificates need."""

    unbiased: ClassVar[bool]

    def start(self, source: Source) -> Estimate: ...


@dataclass(frozen=True)
class Root:
    """⌈n^p⌉, n the number of terms: a size that is known when a solve begins.

    >>> Root(2 / 3).of(1000), Root(1 / 3).of(1000), Root(0.5).of(10)
    (100, 10, 4)
    """

    p: float

    def __post_init__(self) -> None:
        check(0.0 <= self.p <= 1.0, f"Root({self.p!r}) was given; a power between 0 and 1 is wanted.")

    def of(self, n: int) -> int:
        return max(1, ceil(math.pow(n, self.p) - 1e-9))  # 1000^(1/3) may be a hair above 10


Size = int | Root | Schedule


def check_size(name: str, given: Any) -> None:
    """Raise unless ``given`` is a number of terms or steps, a `Root` or a schedule."""
    whole = isinstance(given, (int, np.integer)) and not isinstance(given, bool)
    check((whole and given >= 1) or isinstance(given, Root) or callable(given),
          f"{name}={given!r} was given; a whole number of at least one, Root(p) for n^p, or a schedule such as linear() is "
          "wanted.")


def size(batch: Any, k: int, n: int) -> int:
    """How many terms the batch of step k has."""
    if isinstance(batch, Root):
        return batch.of(n)
    if not callable(batch):
        return int(batch)
    wanted = float(batch(k))
    check(isfinite(wanted) and wanted > 0.0, f"The batch schedule {batch!r} gave {wanted} terms at step {k}; a finite number "
                                             "above zero is wanted.")
    return ceil(wanted)


def share(rho: Schedule, k: int) -> float:
    """ρ_k, what a fresh minibatch counts for."""
    out = float(rho(k))
    check(0.0 <= out <= 1.0, f"The schedule rho={rho!r} gave {out} at step {k}; a number in [0, 1] is wanted.")
    return out


class Kept:
    """An estimate that keeps some arrays from step to step, by name."""

    def __init__(self, config: Any, source: Source) -> None:
        self.config, self.source = config, source
        self.arrays: State = {}

    def size(self, k: int) -> int:
        """How many terms the batch of step k has."""
        return size(self.config.batch, k, self.source.f.n)

    def state(self) -> State:
        return {name: np.array(array) for name, array in self.arrays.items()}

    def restore(self, state: State) -> None:
        self.arrays = {name: np.array(array) for name, array in state.items()}


class Epochs(Kept):
    """An estimate that begins afresh from time to time: after ``epoch`` steps, or at steps 1, 2, 4, 8, … if that is None."""

    def begins(self, k: int) -> bool:
        """Whether an epoch begins at step k."""
        begin, length = (int(v) for v in self.arrays.get("epoch", np.array([k, 0])))
        if k - begin < length:
            return False
        wanted = self.config.epoch
        self.arrays["epoch"] = np.array([k, max(1, 2 * length) if wanted is None else size(wanted, k, self.source.f.n)])
        return True

    @property
    def length(self) -> int:
        """How many steps this epoch has."""
        return int(self.arrays["epoch"][1])


def check_linear(f: Any, name: str) -> None:
    """Raise unless f is φ(Ax), where one number for each term is all there is to keep."""
    check(hasattr(f, "design"), f"{name} keeps one number for each term, which is enough for linear models only, and {f!r} is "
                                "none. Use Svrg() or Spider(), which keep two arrays.")
