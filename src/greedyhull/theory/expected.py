"""The expected-error engine: one recursion for all stochastic Frank-Wolfe methods, whatever estimates their gradient.

    E_{k+1} = (1 - η_k) E_k + η_k (ν_k + ε_k) + (M/2) η_k²,   k = 1, 2, ...,   E_1 = e_1,

bounds E f(w_k) - f* if ν_k >= E (∇f(w_k) - g_k)·(d_k - u_k), u_k the FW vertex. Proof: Lemma 2's step with
∇f·(d - w) <= ∇f·(u - w) + (∇f - g)·(d - u) + ε, since d is ε-best for g. With a_k >= E‖g_k - ∇f(w_k)‖², ν_k = D√a_k will do,
and r_S √a_k if E[g_k | past] = ∇f(w_k): then u_k can be replaced by the centre of the smallest ball around the atoms.

An estimator says what its a_k are (``variance``), or what its ν_k are (``noise``): a generator that is asked once a step
and reads where the run is from `Along`. So a new estimator brings its own recursion, and nothing here changes.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Protocol, SupportsFloat, runtime_checkable

import numpy as np
import numpy.typing as npt

from greedyhull.errors import GreedyhullError, check
from greedyhull.theory.arguments import BEYOND, Array, constant, count, curvature, error, steps, tolerances
from greedyhull.theory.recursion import per_step


@runtime_checkable
class Noisy(Protocol):
    """A gradient estimator that knows its error."""

    def noise(self, at: "Along") -> Iterator[float]: ...


class Along:
    """Where a run is, as far as the error of an estimate depends on it: ``k``, the step ``eta`` before, E_k as ``error``.

    ``at["sigma"]`` is a constant of the problem, refused if it is infinite and noted in ``used``; ``at.known("L_max")``
    asks whether it is finite. ``n`` is the number of terms, None for a stream.
    """

    def __init__(self, constants: Mapping[str, SupportsFloat], n: int | None, e1: float) -> None:
        self.constants, self.used = constants, dict[str, float]()  # what was asked for is asked at every step
        self.n = None if n is None else count("n", n, first=1)
        self.k, self.eta, self.error = 1, 0.0, error("e1", e1)

    def __getitem__(self, name: str) -> float:
        if name in self.used:
            return self.used[name]
        value = constant(name, self.constants[name]) if name in self.constants else math.inf
        check(math.isfinite(value), f"The constant {name} of this problem is unknown or infinite, and the error of the "
                                    "gradient estimate is made of it. Pass it, or use an estimator that does not need it.")
        self.used[name] = value
        return value

    def known(self, name: str) -> bool:
        """Whether the constant is there and finite."""
        return name in self.constants and math.isfinite(constant(name, self.constants[name]))

    def sampled(self, b: float) -> float:
        """σ²/b, the variance of the mean of b independent terms; all n terms have none."""
        return 0.0 if self.n is not None and b >= self.n else self["sigma"] * self["sigma"] / b


def expected_error(estimator: object, eta: npt.ArrayLike, constants: Mapping[str, SupportsFloat], *, n: int | None, e1: float,
                   eps: npt.ArrayLike = 0.0) -> Array:
    """Bounds E_1, ..., E_{T+1} on the expected errors of stochastic Frank-Wolfe with this estimator and steps η_1, ..., η_T.

    ``constants`` are numbers by name, as far as the estimator needs them: M always, D or r_S; sigma (Minibatch, Momentum,
    Storm); L_s, the smoothness of the terms in the mean square (Storm, Spider, Svrg, Saga); L_F, that of f (Momentum); L_max,
    the largest of the terms everywhere (Svrg, if f is convex); D_1 and D_inf (Dual). ``eps`` are the tolerances ε_k.

    >>> from greedyhull.solvers.gradients import Minibatch
    >>> expected_error(Minibatch(4), [1.0, 0.5], {"M": 2.0, "sigma": 1.0, "r_S": 1.0}, n=100, e1=9.0)
    array([9.  , 1.5 , 1.25])
    """
    return following(estimator, Along(constants, n, e1), eta, eps)


def following(estimator: object, at: Along, eta: npt.ArrayLike, eps: npt.ArrayLike = 0.0) -> Array:
    """`expected_error`, with ``at`` to tell afterwards which constants were used."""
    if not isinstance(estimator, Noisy):
        raise GreedyhullError(f"{estimator!r} does not say how large its errors are. Give it a method noise(at), or "
                              "variance(at) and the base class Varied.")
    taken = np.atleast_1d(steps(eta))
    check(taken.ndim == 1, f"The steps have shape {taken.shape}; wanted is one row, η_1, ..., η_T. Pass one run at a time.")
    allowed = per_step("eps", tolerances(eps), taken.size)
    M, noise = curvature(at["M"]), estimator.noise(at)
    E = [at.error]
    for k, step in enumerate(taken.tolist(), start=1):
        at.k = k
        kept = 0.0 if step == 1 else (1 - step) * E[-1]  # a full step forgets even an unknown, infinite error
        E.append(kept + step * (next(noise) + float(allowed[k - 1])) + M / 2 * step**2)
        at.eta, at.error = step, E[-1]
    check(not any(map(math.isnan, E)), BEYOND)
    return np.array(E)
