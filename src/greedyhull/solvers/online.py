"""Online learning over a hull with one call of the linear oracle a round: play a point, see a loss, move."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.atoms.arguments import array_of, numbers
from greedyhull.atoms.base import generator
from greedyhull.errors import check, shown
from greedyhull.objectives.base import number
from greedyhull.points.aligned import point_of
from greedyhull.points.arrays import masked
from greedyhull.points.blocks import under
from greedyhull.points.validate import as_answer, as_floor
from greedyhull.solvers.parts.kept import prefixed
from greedyhull.solvers.regularized_stochastic_frank_wolfe import (
    Leader,
    SquaredNorm,
    Steady,
    Unweighted,
    argmin_over,
    check_regularizer,
)
from greedyhull.theory.nonsmooth import arsfw
from greedyhull.types import Array, AtomSet, State, described, lacks

SHARE = {Unweighted: 0.2, Steady: 0.25}  # c in units of D/G that keep the regret below 8DG T^3/4


class Online:
    """Projection-free online learning over a set, with one call of its oracle in each round.

    In each round, play `point`, then give `partial_fit` the loss of the round or its subgradient at the point.

    Parameters
    ----------
    S : AtomSet
        The set to play in.
    lipschitz : float, optional
        G ≥ ‖g_k‖, a bound on the norms of the subgradients. Without it G is taken from the first one, and the regret has no
        bound in advance.
    horizon : int, optional
        T, the number of rounds. β is then T^3/4/c in every round, and the bound is smaller.
    c : float, optional
        The learning rate. By default D/(5G), or D/(4G) with a horizon, D the diameter of S, which is made for the worst case.
    regularizer : object, optional
        ``SquaredNorm()`` by default, or an object with ``value(x)``, ``gradient(x)`` and ``rho``.
    start : array_like, optional
        The first point. By default the minimiser of the regularizer over S.

    Attributes
    ----------
    rounds : int
        The number of rounds played.
    loss : float
        The sum of the losses, for losses that have ``value(x)``.
    point : ndarray
        What to play in this round.
    mean : ndarray
        The mean of the points played.

    Notes
    -----
    Round k, from one, with the subgradient g_k (Hazan's online conditional gradient):
    d = argmin over S of ⟨ḡ_k/β_k + w_k − w_1, ·⟩, w_{k+1} = w_k + k^−1/2 (d − w_k), ḡ_{k+1} = ḡ_k + g_k, β_k = k^3/4/c.
    With ``lipschitz`` the regret after T rounds is at most 8DG T^3/4, whatever the losses are; `bound` is sharper.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> learner = gh.Online(gh.Simplex(2), lipschitz=1.0)
    >>> for k in range(100):
    ...     _ = learner.partial_fit(np.array([1.0, 0.0]))      # the first coordinate costs 1
    >>> bool(learner.point[1] > 0.7), 0.0 < learner.regret() <= learner.bound() <= 8 * 2**0.5 * 100**0.75
    (True, True)
    """

    def __init__(self, S: AtomSet, *, lipschitz: float | None = None, horizon: int | None = None, c: float | None = None,
                 regularizer: Any = None, start: Any = None) -> None:
        check(not lacks(S, "oracle"), f"S is {described(S)}; a set such as Simplex(d) or L1Ball(d, radius) is wanted.")
        check(lipschitz is None or 0.0 < lipschitz < np.inf,
              f"lipschitz must be a positive bound on the norms of the gradients, or None; got {lipschitz!r}.")
        self.S, self.lipschitz, self.horizon = S, lipschitz, horizon
        self.regularizer: Any = SquaredNorm() if regularizer is None else regularizer
        check_regularizer(self.regularizer)
        self.weights = Unweighted(c) if horizon is None else Steady(horizon, c)
        self._oracle = S.oracle(generator(S, 0, 1))
        first = argmin_over(self.regularizer, S) if start is None else start
        self._x = np.array(array_of(point_of(first, S)), dtype=np.float64)
        check(self._x.shape == S.shape and S.contains(self._x),
              f"start lies outside {S!r}. Leave it out, or give a point inside.")
        self.rounds, self.loss, self._products = 0, 0.0, 0.0
        self._mean = self._x.copy()
        self._leader = Leader(self.regularizer, self._x, 0.0 if c is None else c, 0.5 * S.diameter**2)

    def __repr__(self) -> str:
        return f"Online({self.S!r}, rounds={self.rounds})"

    @property
    def point(self) -> Array:
        """The point w_k to play in this round."""
        return self._x.copy()

    @property
    def mean(self) -> Array:
        """The mean of the points played: for random losses, E f(mean) − min f ≤ E regret/rounds."""
        return self._mean.copy()

    def predict(self, X: Any) -> Array:
        """Predict with a linear model whose weights are the point.

        Parameters
        ----------
        X : array_like or sparse matrix of shape (n, d)
            One row for each sample.

        Returns
        -------
        ndarray of shape (n,)
            X times the point.
        """
        check(not masked(X), "X has masked entries, which stand for no number. Fill them first: X.filled(...).")
        return np.asarray(X @ self._x)

    def partial_fit(self, loss: Any) -> Online:
        """Take the loss of the round and move to the next point.

        Parameters
        ----------
        loss : array_like or object
            The (sub)gradient of the loss at `point`, or an object with ``gradient(x)`` and perhaps ``value(x)``.

        Returns
        -------
        Online
            The learner itself.
        """
        g = numbers(loss if lacks(loss, "gradient") else loss.gradient(self.point), "The gradient")
        check(g.shape == self._x.shape, f"The gradient must have the shape {self._x.shape} of the point; got {g.shape}.")
        norm = float(np.linalg.norm(g))
        check(self.lipschitz is None or norm <= self.lipschitz * (1.0 + 1e-9),
              f"Norms of gradients must be at most lipschitz={self.lipschitz!r}; got {norm:.6g}. Give a larger lipschitz.")
        if not lacks(loss, "gradient", "value"):
            self.loss += number(loss.value(self.point), "value(x)")
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
        return self

    def regret(self) -> float:
        """Compute the regret so far by one call of the oracle.

        Returns
        -------
        float
            Σ⟨g_k, w_k⟩ − min over S of ⟨Σg_k, ·⟩, which is at least Σf_k(w_k) − min Σf_k for convex losses.
        """
        if self.rounds == 0:
            return 0.0
        total = self._leader.total
        excess: float = self._products - as_floor(self._oracle.floor(total), self.S).lower
        return excess / self._sigma

    @property
    def _sigma(self) -> float:
        return float(self.weights.at(1, self._leader.c or 1.0).sigma)

    def bound(self) -> float:
        """Compute a bound that the regret was certain to stay below.

        Returns
        -------
        float
            The bound from G in advance, or the one along the run if that is smaller.
        """
        if self.rounds == 0:
            return 0.0
        along = self._leader.bound * self._leader.sigma / self._sigma
        if self.lipschitz is None or (self.horizon is not None and self.horizon != self.rounds):
            return along
        before = arsfw(self.weights.bound, self.rounds, c=self._leader.c, L=self.lipschitz, M_Phi=self.S.diameter**2,
                       R2=self._leader.R2, rho=self.regularizer.rho)
        return min(along, self.rounds * float(before))

    def state(self) -> State:
        """Return everything that is needed to continue.

        Returns
        -------
        dict of str to ndarray
            The state, for `restore`.
        """
        return {"x": self._x.copy(), "mean": self._mean.copy(), "sums": np.array([self.rounds, self.loss, self._products]),
                **prefixed(leader=self._leader.state(), oracle=self._oracle.state())}

    def restore(self, state: State) -> None:
        """Continue from a state; the set and the settings must be the same.

        Parameters
        ----------
        state : dict of str to ndarray
            What `state` returned.
        """
        needed = [name for name in self.state() if not name.startswith("oracle.")]
        missing = [name for name in needed if not isinstance(state, dict) or name not in state]
        check(not missing, lambda: f"state must be what Online.state() returned; got {shown(state)} without "
                                   f"{', '.join(missing[:3])}.")
        wrong = [name for name in ("x", "mean") if np.shape(state[name]) != self.S.shape]
        check(not wrong and np.shape(state["sums"]) == (3,), lambda: f"state must be one over {self.S!r}, of points of shape "
              f"{self.S.shape}; its arrays have other shapes.")
        self._x, self._mean = state["x"].copy(), state["mean"].copy()
        rounds, self.loss, self._products = state["sums"].tolist()
        self.rounds = int(rounds)
        self._leader.restore(under("leader", state))
        self._oracle.restore(under("oracle", state))
