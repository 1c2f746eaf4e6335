"""Online learning over a hull with one call of the linear oracle a round: play a point, see a loss, move."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from greedyhull.atoms.arguments import array_of, numbers
from greedyhull.atoms.generator import generator
from greedyhull.errors import check
from greedyhull.objectives.black_box import number
from greedyhull.points.entering import as_answer, as_floor
from greedyhull.points.states import under
from greedyhull.solvers.parts.follow_the_leader import Leader
from greedyhull.solvers.parts.gradient_weights import Steady, Unweighted
from greedyhull.solvers.parts.regularizers import Regularizer, SquaredNorm, argmin_over, check_regularizer
from greedyhull.theory.arsfw import arsfw
from greedyhull.types import Array, AtomSet, State

SHARE = {Unweighted: 0.2, Steady: 0.25}  # c in units of D/G that keep the regret below 8DG T^3/4


@runtime_checkable
class Revealed(Protocol):
    """The loss of a round as an object; it may have ``value(x)`` too."""

    def gradient(self, x: Array) -> Array: ...


class Online:
    """Projection-free online learning: Hazan's online conditional gradient, of which ARSFW is the stochastic form.

    Round k, from one: `point` is played, `partial_fit` takes the loss of the round, or its (sub)gradient g_k at the point, and

        d = argmin over S of ⟨ḡ_k/β_k + w_k − w_1, ·⟩,  w_{k+1} = w_k + k^−1/2 (d − w_k),  ḡ_{k+1} = ḡ_k + g_k,  β_k = k^3/4/c.

    No horizon is needed; with ``horizon`` T, β is T^3/4/c in every round. ``lipschitz`` is G ≥ ‖g_k‖; with the default
    c = D/(5G), or D/(4G) with a horizon, the regret after T rounds is at most 8DG T^3/4, whatever losses come (`bound` is
    sharper). Without it G is taken from the first gradient and nothing is promised in advance; `regret` is always true.

    >>> import greedyhull as gh
    >>> learner = Online(gh.Simplex(2), lipschitz=1.0)
    >>> for k in range(100):
    ...     _ = learner.partial_fit(np.array([1.0, 0.0]))   # the first coordinate costs 1
    >>> bool(learner.point[1] > 0.7), 0.0 < learner.regret() <= learner.bound() <= 8 * 2**0.5 * 100**0.75
    (True, True)
    """

    def __init__(self, S: AtomSet, *, lipschitz: float | None = None, horizon: int | None = None, c: float | None = None,
                 regularizer: Regularizer | None = None, start: Any = None) -> None:
        check(hasattr(S, "oracle"), f"S is a {type(S).__name__}; a set such as Simplex(d) or L1Ball(d, radius) is wanted.")
        check(lipschitz is None or 0.0 < lipschitz < np.inf,
              f"Online(lipschitz={lipschitz!r}) was given; a bound on the norms of the gradients, or None, is wanted.")
        self.S, self.lipschitz, self.horizon = S, lipschitz, horizon
        self.regularizer: Regularizer = SquaredNorm() if regularizer is None else regularizer
        check_regularizer(self.regularizer)
        self.weights = Unweighted(c) if horizon is None else Steady(horizon, c)
        self._oracle = S.oracle(generator(S, 0, 1))
        first = argmin_over(self.regularizer, S) if start is None else start
        self._x = np.array(array_of(first), dtype=np.float64)
        check(self._x.shape == S.shape and S.contains(self._x),
              f"start lies outside {S!r}. Leave it out, or give a point inside.")
        self.rounds, self.loss, self._products = 0, 0.0, 0.0
        self._mean = self._x.copy()
        self._leader = Leader(self.regularizer, self._x, 0.0 if c is None else c, 0.5 * S.diameter**2)

    def __repr__(self) -> str:
        return f"Online({self.S!r}, rounds={self.rounds})"

    @property
    def point(self) -> Array:
        """w_k, what to play in this round."""
        return self._x.copy()

    @property
    def mean(self) -> Array:
        """The mean of the points played: where losses are drawn at random, E f(mean) − min f ≤ E regret/rounds."""
        return self._mean.copy()

    def predict(self, X: Any) -> Array:
        """X times the point, for linear models."""
        check(not np.ma.is_masked(X), "X has masked entries, which stand for no number. Fill them first: X.filled(...).")
        return np.asarray(X @ self._x)

    def partial_fit(self, loss: Array | Revealed) -> Online:
        """The loss of the round: its (sub)gradient at `point` as an array, or an object with gradient(x), maybe value(x)."""
        g = numbers(loss.gradient(self.point) if isinstance(loss, Revealed) else loss, "The gradient")
        check(g.shape == self._x.shape,
              f"A gradient of shape {g.shape} was given; the shape {self._x.shape} of the point is wanted.")
        norm = float(np.linalg.norm(g))
        check(self.lipschitz is None or norm <= self.lipschitz * (1.0 + 1e-9),
              f"A gradient of norm {norm:.6g} came, above lipschitz={self.lipschitz!r}, on which the bound rests. Give a "
              "larger one.")
        if isinstance(loss, Revealed) and hasattr(loss, "value"):
            self.loss += number(loss.value(self.point), "value(x)")
        self._move(g, norm)
        return self

    def _move(self, g: Array, norm: float) -> None:
        leader, k = self._leader, self.rounds + 1
        if leader.c == 0.0 and norm > 0.0:
            leader.c = SHARE[type(self.weights)] * self.S.diameter / (self.lipschitz or norm)
        sigma, scale = self.weights.at(k, leader.c) if leader.c else (1.0, 1.0)
        h = leader.pull(scale, self._x)
        answer = as_answer(self._oracle.argmin(h), self.S.shape)
        leader.take(sigma, scale, g, float(np.vdot(h, self._x)) - answer.atom.dot(h) + answer.slack)
        self._products += sigma * float(np.vdot(g, self._x))
        self._mean += (self._x - self._mean) / k
        eta = k**-0.5
        self._x *= 1.0 - eta
        answer.atom.add_to(self._x, eta)
        self.rounds = k

    def regret(self) -> float:
        """Σ⟨g_k, w_k⟩ − min over S of ⟨Σg_k, ·⟩, by one call of the oracle: at least Σf_k(w_k) − min Σf_k for convex f_k."""
        if self.rounds == 0:
            return 0.0
        total = self._leader.total
        excess: float = self._products - as_floor(self._oracle.floor(total), self.S).lower
        return excess / self._sigma

    @property
    def _sigma(self) -> float:
        """The weight of a gradient, the same in all rounds."""
        return float(self.weights.at(1, self._leader.c or 1.0).sigma)

    def bound(self) -> float:
        """What the regret was sure to stay below: from G beforehand, or along the run if that is less."""
        if self.rounds == 0:
            return 0.0
        along = self._leader.bound * self._leader.sigma / self._sigma
        if self.lipschitz is None or (self.horizon is not None and self.horizon != self.rounds):
            return along
        before = arsfw(self.weights.bound, self.rounds, c=self._leader.c, L=self.lipschitz, M_Phi=self.S.diameter**2,
                       R2=self._leader.R2, rho=self.regularizer.rho)
        return min(along, self.rounds * float(before))

    def state(self) -> State:
        """Everything that a continuation needs."""
        return {"x": self._x.copy(), "mean": self._mean.copy(), "sums": np.array([self.rounds, self.loss, self._products]),
                **{f"leader.{name}": array for name, array in self._leader.state().items()},
                **{f"oracle.{name}": array for name, array in self._oracle.state().items()}}

    def restore(self, state: State) -> None:
        """Go on from a state; the set and the settings are to be the same."""
        self._x, self._mean = state["x"].copy(), state["mean"].copy()
        rounds, self.loss, self._products = state["sums"].tolist()
        self.rounds = int(rounds)
        self._leader.restore(under("leader", state))
        self._oracle.restore(under("oracle", state))
