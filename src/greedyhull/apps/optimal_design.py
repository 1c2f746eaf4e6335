"""Which experiments to run, and how often: optimal designs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from greedyhull.atoms.arguments import is_whole
from greedyhull.atoms.simplex import Simplex
from greedyhull.driver.certificate import Certificate
from greedyhull.driver.run import minimize
from greedyhull.driver.solution import Solution
from greedyhull.driver.stop import Gap, Iterations, Relative, Stalled
from greedyhull.errors import GreedyhullError, check, shown
from greedyhull.kernels.core import public
from greedyhull.kernels.simplex_qp import solve_simplex_qp
from greedyhull.objectives.information import Information, LogDet, MeanVariance, OrthogonalLogDet, TraceInverse, candidates
from greedyhull.points.aligned import alike, ordered
from greedyhull.types import Array, Index


def nearer_design(f: Information, x: Array, tol: float) -> Array:
    """A design whose value is at most that at x, with non-negative weights of the same sum.

    It ends where the gap is at most ``tol`` times ⟨∇f, x⟩, or nothing is gained.

    >>> from greedyhull.objectives.information import LogDet
    >>> f = LogDet(np.array([[1.0, -1.0], [1.0, 0.0], [1.0, 1.0]]))
    >>> nearer_design(f, np.array([0.4, 0.3, 0.3]), 1e-9).round(6)
    array([0.5, 0. , 0.5])
    """
    total, value = float(x.sum()), f.value_at(x)
    for _ in range(12 if np.isfinite(value) else 0):  # at most
        g = f.gradient_at(x)
        here = float(g.dot(x))
        gap = here - total * float(g.min())
        if not gap > tol * abs(here):
            break
        on = x > 0.0
        many = max(10, int(np.count_nonzero(on)))  # candidates that join together, or as many as have weight
        on[np.argpartition(g, many)[:many] if many < len(g) else slice(None)] = True
        index = on.nonzero()[0]
        H, w = f.hessian_on(x, index), x[index] / total
        # of the gap: to what a quadratic is solved
        to = total * solve_simplex_qp(total * total * H, total * g[index], w, 1e-2 * gap)
        step, was = 1.0, value
        for _ in range(4):  # times that a step is halved until the value falls
            there = x.copy()
            there[index] = x[index] + step * (to - x[index])
            value = f.value_at(there)
            if value < was:
                break
            step *= 0.5
        if not value < was:
            break
        x = np.maximum(there, 0.0)
    return x


@dataclass(frozen=True, eq=False)
class Design:
    """The result of `optimal_design`: how the experiments are shared out among the candidates, and how good that is.

    Each parameter is an attribute of the same name.

    Parameters
    ----------
    criterion : str
        "D", "A", "G" or "I".
    names : list of str
        The candidates.
    weights : ndarray
        The share of the experiments that each candidate has; they sum to one.
    value : float
        The criterion of M(w), whose minimum is wanted: −log det M, tr M⁻¹, the largest or the mean variance of a prediction.
    gap : float
        The value is at most this far above its minimum over all designs: proved, rounding included.
    efficiency : float
        The share of the experiments that an optimal design would need for the same precision, at least: proved.
    certificate : Certificate
        The proof, for the function that was minimised.
    solution : Solution
        The run, with its objective and set.

    Examples
    --------
    >>> x = np.linspace(-1, 1, 5)
    >>> optimal_design(np.column_stack([np.ones(5), x]), names=x)
    Design(D, 2 of 5 candidates: -1.0 0.5, 1.0 0.5; efficiency at least 0.99999999)
    """

    criterion: str
    names: list[str]
    weights: Array
    value: float
    gap: float
    efficiency: float
    certificate: Certificate = field(repr=False)
    solution: Solution = field(repr=False)

    @property
    def support(self) -> dict[str, float]:
        """The candidates that have weight, in their order, with their weights."""
        return {self.names[j]: float(self.weights[j]) for j in self._held().tolist()}

    def __repr__(self) -> str:
        held = self._held()
        some = ", ".join(f"{self.names[j]} {self.weights[j]:.3g}" for j in held[:6].tolist())
        more = f" and {len(held) - 6} more" if len(held) > 6 else ""
        return (f"Design({self.criterion}, {len(held)} of {len(self.names)} candidates: {some}{more}; efficiency at least "
                f"{np.floor(1e8 * self.efficiency) / 1e8:.8g})")

    def round(self, n: int) -> Index:
        """Give a number of experiments to each candidate, n altogether.

        The efficient rounding of Pukelsheim and Rieder (1992): with s candidates that have weight, ⌈(n − s/2)wᵢ⌉ each, and
        then one more for the least nᵢ/wᵢ, or one less for the largest (nᵢ − 1)/wᵢ, until the sum is n. Its efficiency is at
        least 1 − s/n, whatever the criterion.

        Parameters
        ----------
        n : int
            The number of experiments; at least one for each candidate that has weight.

        Returns
        -------
        ndarray of int
            The number of experiments with each candidate.
        """
        held = self._held()
        check(is_whole(n, len(held)), lambda: f"n must be an integer of at least {len(held)}, the number of candidates that "
                                              f"have weight; got {shown(n)}.")
        w = self.weights[held] / self.weights[held].sum()
        counts = np.ceil((n - 0.5 * len(held)) * w).astype(np.int64)
        while (left := int(n - counts.sum())) != 0:
            counts[int((counts / w).argmin() if left > 0 else ((counts - 1) / w).argmax())] += 1 if left > 0 else -1
        found = np.zeros(len(self.weights), dtype=np.int64)
        found[held] = counts
        return found

    def efficiency_of(self, weights: Any) -> float:
        """Compare any design with the optimum: shares or numbers of experiments, as `round` gives them.

        Parameters
        ----------
        weights : array_like
            A non-negative number for each candidate; a labelled series is aligned by the names of the candidates.

        Returns
        -------
        float
            The efficiency, at least; zero where the information matrix is singular.
        """
        w = np.asarray(ordered(weights, self.names, "weights", "the candidates"), dtype=np.float64)
        check(w.shape == self.weights.shape and bool((w >= 0.0).all()) and 0.0 < float(w.sum()) < np.inf,
              lambda: f"weights must be {len(self.names)} numbers ≥ 0, not all zero; got {shown(weights)}.")
        f, S = self.solution.objective, Simplex(len(w))
        if not isinstance(f, Information):
            raise GreedyhullError("A design from a file does not hold its candidates; call optimal_design again.")
        point = S.decompose(w / w.sum())
        value = float(f.value(point))
        if not np.isfinite(value):
            return 0.0
        above = value - self.certificate.lower + float(f.rounding(point, S))
        return _judged(self.criterion, f, S, point, value, above)[2]

    def _held(self) -> Index:
        return np.flatnonzero(self.weights > 1e-6)  # a candidate with less weight is not in the support


@public
def optimal_design(X: Any, criterion: Literal["D", "A", "G", "I"] = "D", *, names: Sequence[object] | None = None,
                   tol: float = 1e-8) -> Design:
    """Share experiments out among candidates so that a linear model is estimated best.

    M(w) = Σ wᵢxᵢxᵢᵀ is the information of one experiment on average; its inverse is the covariance of the estimated
    parameters, up to noise and number of experiments.

    Parameters
    ----------
    X : array_like of shape (candidates, parameters)
        The regressors of each candidate in a row, with a column of ones for an intercept.
    criterion : {"D", "A", "G", "I"}, default "D"
        What is small: the volume of the confidence ellipsoid (D), the mean variance of the parameters (A), the largest (G)
        or the mean (I) variance of a prediction at the candidates.
    names : sequence, optional
        Names of the candidates; by default the labels of the rows of X, or their numbers.
    tol : float, default 1e-8
        The run stops at an efficiency of 1 − tol, proved.

    Returns
    -------
    Design
        Weights, support, efficiency and certificate; ``round(n)`` gives a design of n experiments.

    Notes
    -----
    The gap of a run is that of the equivalence theorem of Kiefer and Wolfowitz (1960), maxᵢ xᵢᵀM⁻¹xᵢ − p for D. As the
    largest variance is at least p for every design, with equality for a D-optimal one, G is solved by D.

    Examples
    --------
    >>> x = np.linspace(-1, 1, 21)
    >>> found = optimal_design(np.column_stack([np.ones(21), x, x**2]), "A", names=x.round(1))
    >>> found
    Design(A, 3 of 21 candidates: -1.0 0.25, 0.0 0.5, 1.0 0.25; efficiency at least 0.99999999)
    >>> found.round(12)[[0, 10, 20]]
    array([3, 6, 3])
    """
    check(criterion in ("D", "A", "G", "I"), lambda: f"criterion={shown(criterion)} was given; one of D, A, G, I is wanted.")
    check(0.0 < tol < 1.0, lambda: f"tol={shown(tol)} was given; a number between 0 and 1 is wanted.")
    labels, (_, names) = alike(("X", X, 0), ("names", names, 0))
    names = labels if names is None else names
    given = candidates(X, "optimal_design")
    n, p = given.shape
    called = [str(j) for j in range(n)] if names is None else [str(name) for name in names]
    check(len(called) == n and len(set(called)) == n,
          lambda: f"names={shown(names)} was given; {n} different names, one for each row of X, are wanted.")
    f, unit = _criterion(criterion, given)
    S = Simplex(n)
    goal = Gap(tol * p) if criterion in "DG" else Relative(tol)
    start = nearer_design(f, f.start(S, np.random.default_rng(0)).array(), 0.3 * tol)
    s = minimize(f, S, start=start, stop=goal | Stalled(300) | Iterations(10_000))
    value, gap, share = _judged(criterion, f, S, s.point, float(s.value), np.inf if s.gap is None else s.gap)
    value, gap = (value + unit, gap) if criterion == "D" else (value * unit, gap * unit)
    return Design(criterion, called, s.x, value, gap, share, s.certificate, s)


def _criterion(criterion: str, X: Array) -> tuple[Information, float]:
    """The objective, and what its values are in the units of X: what is added to them (D), or their factor.

    Columns are scaled by powers of two, exactly; for A all by the same one.
    """
    most = np.abs(X).max(axis=0) if criterion != "A" else np.full(X.shape[1], np.abs(X).max())
    powers = np.frexp(most)[1]
    Z = np.ldexp(X, -powers)
    if criterion in "DG":
        added = float(-2.0 * np.log(2.0) * powers.sum())
        square = Z.T.dot(Z)
        size = np.sqrt(np.diagonal(square))
        # near dependent columns, such as powers of a variable: the least eigenvalue of ZᵀZ, with columns of length one
        if float(np.linalg.eigvalsh(square / np.outer(size, size))[0]) < 1e-2:
            f = OrthogonalLogDet(Z)
            return f, added + f.constant if criterion == "D" else 1.0
        return LogDet(Z), added if criterion == "D" else 1.0
    if criterion == "A":
        return TraceInverse(Z), float(np.ldexp(1.0, -2 * int(powers[0])))
    return MeanVariance(Z), 1.0


def _judged(criterion: str, f: Information, S: Simplex, point: Any, value: float, gap: float) -> tuple[float, float, float]:
    """Value and gap of the criterion, and the efficiency, all in the units of f.

    D: (det M / det M*)^(1/p) ≥ exp(−gap/p). A and I: the least value is at least value − gap. G: the least value is p; the
    largest variance is −min ∇f.
    """
    p = f.X.shape[1]
    if criterion == "D":
        return value, gap, float(np.exp(-max(gap, 0.0) / p))
    if criterion == "G":
        largest = -float(np.min(f.gradient(point)))
        above = max(largest - p, 0.0) + float(f.rounding(point, S))
        return largest, above, p / (p + above)
    return value, gap, max(1.0 - max(gap, 0.0) / value, 0.0)
