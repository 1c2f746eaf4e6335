"""Which node of one graph is which of the other? Quadratic assignment by Frank-Wolfe over doubly stochastic matrices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from greedyhull.atoms.arguments import is_whole, numbers
from greedyhull.atoms.combinatorial import Birkhoff
from greedyhull.driver.certificate import Certificate
from greedyhull.driver.run import minimize
from greedyhull.driver.solution import Solution
from greedyhull.driver.stop import Iterations, Relative
from greedyhull.errors import check, shown
from greedyhull.kernels.core import public
from greedyhull.objectives.black_box import BlackBox
from greedyhull.objectives.lines import Parabola
from greedyhull.points.aligned import square
from greedyhull.points.arrays import is_sparse
from greedyhull.points.direction import Direction
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.frank_wolfe import FrankWolfe
from greedyhull.types import Array, Index, Line


@dataclass(frozen=True, eq=False)
class Matching:
    """The result of `graph_matching`: a permutation, what it costs, and what is known about better ones.

    Each parameter is an attribute of the same name.

    Parameters
    ----------
    permutation : ndarray of int
        Node i of A is node ``permutation[i]`` of B.
    value : float
        Σ AᵢⱼB_p(i)p(j), the cost of the permutation p, or with ``maximize`` its gain.
    bound : float
        No permutation costs less, or gains more: proved, rounding included (Gilmore, 1962; Lawler, 1963).
    values : ndarray
        The value that each start ended at.
    maximize : bool
        Whether the value was made large.
    solution : Solution
        The run of Frank-Wolfe that led to the permutation. f is not convex, so its certificate is of kind "stationary": the
        gap bounds the first-order decrease, and not the distance to the minimum.
    whole : bool, default False
        Whether all weights are whole numbers, so that two values that differ do so by 1 at least.

    Examples
    --------
    >>> path, other = np.diag(np.ones(3), 1), np.diag(np.ones(3), -1)
    >>> graph_matching(path, other, maximize=True)
    Matching(4 nodes, gain 3, at most 3: optimal; the best of 10 starts)
    """

    permutation: Index
    value: float
    bound: float
    values: Array
    maximize: bool
    solution: Solution = field(repr=False)
    whole: bool = field(default=False, repr=False)

    def __repr__(self) -> str:
        word, side = ("gain", "at most") if self.maximize else ("cost", "at least")
        known = "optimal" if self.optimal else "stationary, perhaps not optimal"
        starts = "one start" if len(self.values) == 1 else f"the best of {len(self.values)} starts"
        return f"Matching({len(self.permutation)} nodes, {word} {self.value:.6g}, {side} {self.bound:.6g}: {known}; {starts})"

    @property
    def certificate(self) -> Certificate:
        """The certificate of the run, of kind "stationary"."""
        return self.solution.certificate

    @property
    def optimal(self) -> bool:
        """Whether the bound proves that no other permutation is better, up to 1e-9 of the value."""
        apart = abs(self.value - self.bound)
        return apart < 1.0 if self.whole else apart <= 1e-9 * max(abs(self.value), abs(self.bound))

    @property
    def matrix(self) -> Array:
        """The permutation as a matrix X with A compared to XBXᵀ."""
        n = len(self.permutation)
        X = np.zeros((n, n))
        X[np.arange(n), self.permutation] = 1.0
        return X


class Form(BlackBox):
    """f(X) = ½⟨X, L(X)⟩ for a symmetric linear map L: a parabola along every line, which may open downwards."""

    users = False

    def __init__(self, L: Callable[[Array], Array], n: int, *, convex: bool) -> None:
        self.L = L
        super().__init__(lambda X: 0.5 * float(np.vdot(X, L(X))), L, (n, n), None, convex=convex, scale=1.0)

    def along(self, w: Iterate, move: Direction) -> Line:
        """The parabola; where it opens downwards, its least point is an end."""
        v = self.at(w).direction(move)
        return Parabola(self.value(w), float(np.vdot(self.gradient(w), v)), float(np.vdot(v, self.L(v))), move.max_step)


def alignment(A: Array, B: Array) -> Form:
    """f(X) = tr(AXBᵀXᵀ) = Σ Aᵢⱼ(XBXᵀ)ᵢⱼ, which is not convex."""
    return Form(lambda X: A @ X @ B.T + A.T @ X @ B, len(A), convex=False)


def mismatch(A: Array, B: Array) -> Form:
    """½‖AX + XB‖², which is convex. At permutations it is tr(AᵀXBXᵀ) and a constant."""

    def L(X: Array) -> Array:
        R = A @ X + X @ B
        return np.asarray(A.T @ R + R @ B.T)

    return Form(L, len(A), convex=True)


@public
def graph_matching(A: Any, B: Any, *, maximize: bool = False, starts: int = 10, tol: float = 1e-3,
                   seed: int = 0) -> Matching:
    """Find the permutation p with a small Σ AᵢⱼB_p(i)p(j), the quadratic assignment problem.

    With flows A between facilities and distances B between places it is a cost. With two graphs and ``maximize=True`` it
    is the weight of the edges that fall on edges, and ‖A − XBXᵀ‖ is made small. The problem is NP-hard: what is found is
    stationary, the best of several starts, and is said to be optimal only where a bound proves it.

    Parameters
    ----------
    A, B : array_like or sparse matrix of shape (n, n)
        Weights of the edges from i to j; 0 where there is none. They need not be symmetric. The nodes of a data frame are its
        columns, and its rows are aligned with them by label.
    maximize : bool, default False
        Whether a large value is wanted: True to match two graphs.
    starts : int, default 10
        The number of starts. The first is the matrix with 1/n everywhere, the second minimises ‖AX ∓ XB‖, which is convex,
        and the others lie near random permutations.
    tol : float, default 1e-3
        A run ends where the first-order decrease is this share of the value, or of ‖A‖‖B‖ where that is larger.
    seed : int, default 0
        Seed of the random starts.

    Returns
    -------
    Matching
        Permutation, value, bound and the run.

    Notes
    -----
    From each start, `FrankWolfe` with exact line search minimises f(X) = tr(AXBᵀXᵀ) over doubly stochastic matrices (the FAQ
    algorithm of Vogelstein et al., 2015); the permutation nearest to its end is improved by swaps of two nodes until none
    helps. Where graphs are alike, the start by convex relaxation is the one that finds it (Lyzinski et al., 2016).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> A = np.triu((rng.random((12, 12)) < 0.4).astype(float), 1)
    >>> A, hidden = A + A.T, rng.permutation(12)
    >>> found = graph_matching(A, A[np.ix_(hidden, hidden)], maximize=True)
    >>> bool((A == A[np.ix_(hidden, hidden)][np.ix_(found.permutation, found.permutation)]).all())
    True
    """
    first, second = _weights(square(A, "A"), "A"), _weights(square(B, "B"), "B")
    check(first.shape == second.shape, lambda: f"A has {len(first)} nodes and B has {len(second)}; as many of both are "
          "wanted. Add rows and columns of zeros to the smaller one: nodes without edges.")
    check(is_whole(starts, 1), lambda: f"starts must be an integer of at least 1; got {shown(starts)}.")
    check(isinstance(maximize, (bool, np.bool_)), lambda: f"maximize must be True or False; got {shown(maximize)}.")
    check(isinstance(tol, (int, float)) and 0.0 < tol < 1.0, lambda: f"tol must be between 0 and 1; got {shown(tol)}.")
    check(is_whole(seed, 0), lambda: f"seed must be an integer of at least 0; got {shown(seed)}.")
    largest = float(np.abs(first).max()) * float(np.abs(second).max()) * first.size
    whole = largest < 2.0**53 and all(bool((np.round(M) == M).all()) for M in (first, second))  # so that values are exact
    sign = -1.0 if maximize else 1.0
    (one, a), (two, b) = _unit(first), _unit(second)
    one = sign * one
    S, unit, found = Birkhoff(len(one)), sign * a * b, []
    for start in _starts(one, two, int(starts), np.random.default_rng(seed)):  # a stationary point, and a permutation near it
        s = minimize(alignment(one, two), S, FrankWolfe(), start=start, stop=Relative(tol) | Iterations(200))
        p = improved(one, two, S.argmin(-s.x).places % len(one))
        found.append((float(np.vdot(one, two[np.ix_(p, p)])), p, s))
    values = np.array([cost for cost, _, _ in found])
    best = int(values.argmin())
    _, p, s = found[best]
    return Matching(p, unit * values[best], unit * _least(one, two), unit * values, bool(maximize), s,
                    whole)


def _weights(given: Any, name: str) -> Array:
    """A square matrix of finite numbers, as float64."""
    found = numbers(given.toarray() if is_sparse(given) else given, name)
    check(found.ndim == 2 and found.shape[0] == found.shape[1] and found.size > 0,
          lambda: f"{name} must be a square matrix, with a row and a column for each node; got shape {found.shape}.")
    return found


def _unit(M: Array) -> tuple[Array, float]:
    """The matrix divided by a power of two near its norm, exactly unless entries are denormal, and this power."""
    largest = float(np.abs(M).max())
    if largest == 0.0:
        return M, 1.0
    power = int(np.frexp(largest)[1])
    power += int(np.frexp(np.linalg.norm(np.ldexp(M, -power)))[1])
    return np.ldexp(M, -power), float(np.ldexp(1.0, power))


def _starts(A: Array, B: Array, count: int, rng: np.random.Generator) -> Iterator[Iterate]:
    """The centre, what convex relaxation makes of it, and mixtures of it with random permutations."""
    S, n = Birkhoff(len(A)), len(A)
    yield S.centre()
    if count > 1:
        # rounds for the convex relaxation, which is a start only
        yield minimize(mismatch(A, B), S, FrankWolfe(), start=S.centre(), stop=Relative(1e-6) | Iterations(50)).point
    for _ in range(count - 2):
        w = S.centre()
        # how far from the centre, towards a random permutation, random starts lie
        w.move(w.toward(S.argmin(-np.eye(n)[rng.permutation(n)])), 0.9)
        yield w


def improved(A: Array, B: Array, p: Index) -> Index:
    """The permutation after the best swap of two nodes, again and again until none lowers the cost.

    With D the change of X by a swap of i and k, f(X + D) = f(X) + ⟨∇f(X), D⟩ + f(D), and f(D) = (aᵢᵢ + aₖₖ − aᵢₖ − aₖᵢ) times
    the same of XBXᵀ: all n² swaps cost two products of matrices.

    >>> improved(np.diag([1.0, 2.0, 3.0]), np.diag([1.0, 2.0, 3.0]), np.array([0, 1, 2]))
    array([2, 1, 0])
    """
    p = p.copy()
    # a swap must lower the cost by this share of ‖A‖‖B‖, so that rounding does not swap for ever
    bend, enough = _across(A), 1e-12 * max(float(np.linalg.norm(A) * np.linalg.norm(B)), np.finfo(float).tiny)
    for _ in range(100 * len(p)):
        C = B[np.ix_(p, p)]
        G = A @ C.T + A.T @ C  # column k: the place that node k has now
        own = np.diagonal(G)
        change = G + G.T - np.add.outer(own, own) + bend * _across(C)
        i, k = np.unravel_index(int(change.argmin()), change.shape)
        if not change[i, k] < -enough:
            break
        p[[i, k]] = p[[k, i]]
    return p


def _across(M: Array) -> Array:
    """mᵢᵢ + mₖₖ − mᵢₖ − mₖᵢ for all i and k."""
    own = np.diagonal(M)
    return np.asarray(np.add.outer(own, own) - M - M.T)


def _least(A: Array, B: Array) -> float:
    """The bound of Gilmore and Lawler: each node pays at least for its edges in the cheapest order, and nodes are assigned."""
    n = len(A)
    off = ~np.eye(n, dtype=bool)
    rising, falling = np.sort(A[off].reshape(n, n - 1), axis=1), -np.sort(-B[off].reshape(n, n - 1), axis=1)
    cost = np.multiply.outer(np.diagonal(A), np.diagonal(B)) + rising @ falling.T
    size = np.multiply.outer(np.abs(np.diagonal(A)), np.abs(np.diagonal(B))) + np.abs(rising) @ np.abs(falling).T
    return Birkhoff(n).solved(cost - (n + 2.0) * float(np.finfo(np.float64).eps) * size)[1]
