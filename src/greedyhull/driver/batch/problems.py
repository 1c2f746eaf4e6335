"""What a batch is made of, and what is known of each problem."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from inspect import signature
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.atoms.base import AtomSet as DefaultSet
from greedyhull.atoms.base import Budget
from greedyhull.atoms.vertices import Vertices
from greedyhull.errors import GreedyhullError, check, shown, unknown
from greedyhull.objectives.composite import Composite
from greedyhull.objectives.designs import design
from greedyhull.objectives.designs.stored import DenseDesign
from greedyhull.objectives.losses.intercepts import Profiled
from greedyhull.objectives.losses.smooth import Squared
from greedyhull.points.aligned import agree, alike, keep, kept, labels_of
from greedyhull.points.arrays import is_sparse, masked
from greedyhull.types import Array, AtomSet, Index, Objective, Shape, lacks

if TYPE_CHECKING:
    from greedyhull.driver.solution import Solution


OWN = ("solver", "start", "stop", "without", "seed", "progress")  # what a batch itself can be told
WANTED = "a list of objectives, such as [least_squares(X, y) for y in Y.T], or least_squares with X= and Y="


class Targets:
    """``make(X, Y[:, i], **settings)`` for each column of Y; the design is made, and its data checked, once."""

    def __init__(self, make: Callable[..., Any], X: Any, Y: Any, settings: dict[str, Any]) -> None:
        _, (X, Y, weights) = alike(("X", X, 0), ("Y", Y, 0), ("sample_weight", settings.get("sample_weight"), 0))
        settings = settings if weights is None else {**settings, "sample_weight": weights}
        self.make, self.settings, self.Y = make, settings, _columns(Y)
        keep(self, labels_of(X, 1))
        ours = isinstance(make, FunctionType) and make.__module__.startswith("greedyhull.")
        self.X: Any = design(X) if ours else X
        rows = self.X.n if ours else self.Y.shape[0]  # what others make of their data they say themselves
        check(self.Y.shape[0] == rows, lambda: f"Y has shape {self.Y.shape} but X has {rows} rows; a row for each row of X "
              f"and a column for each problem are wanted.{' Give Y.T.' if self.Y.shape[1] == rows else ''}")

    def __len__(self) -> int:
        return int(self.Y.shape[1])

    def objective(self, i: int) -> Any:
        f = self.make(self.X, self.Y[:, i], **self.settings)
        keep(f, kept(self))
        return f


def problems_of(fs: Any, X: Any, Y: Any, settings: dict[str, Any]) -> list[Any] | Targets:
    """The problems of a batch, or an error that says what was probably meant."""
    if callable(fs) and lacks(fs, "gradient"):
        check(X is not None and Y is not None, lambda: f"fs is {shown(fs)} without its data; X= and Y= are wanted too, Y with "
                                                       "a column of targets for each problem.")
        _check_settings(fs, settings)
        return Targets(fs, X, Y, settings)
    check(X is None and Y is None, lambda: f"X or Y was given, but fs is {shown(fs)}; with data, a function that makes "
                                           "objectives from them is wanted, such as least_squares.")
    if settings:
        raise TypeError(f"batch() got an unexpected keyword argument {next(iter(settings))!r}. "
                        f"{' '.join(unknown(settings, list(OWN)))}")
    check(not isinstance(fs, DefaultSet), lambda: f"fs is {shown(fs)}, a set. The objectives come first: batch(fs, S).")
    check(bool(lacks(fs, "gradient")), lambda: f"fs is {shown(fs)}, one objective. Use minimize(f, S), or give a list.")
    check(isinstance(fs, Iterable) and not isinstance(fs, np.ndarray | str | dict), lambda: f"fs is {shown(fs)}; {WANTED} is "
                                                                                           "wanted.")
    return list(fs)


def _check_settings(make: Callable[..., Any], settings: dict[str, Any]) -> None:
    """Raise for a setting that neither a batch nor the objective has, before it fails for every problem."""
    try:
        takes = signature(make).parameters
    except (TypeError, ValueError):  # some functions written in C have none
        return
    if any(one.kind is one.VAR_KEYWORD for one in takes.values()):
        return
    said = unknown(settings, [*OWN, *list(takes)[2:]])
    if said:
        raise TypeError(f"batch() got an unexpected keyword argument. {' '.join(said)}")


def _columns(Y: Any) -> Array:
    """The targets as a float64 matrix; a column may hold NaN, which is an error of its problem alone."""
    check(not is_sparse(Y), "Y is a sparse matrix; an array is wanted. Give Y.toarray().")
    check(not masked(Y), "Y has masked entries, which stand for no number. Fill them, or drop those columns.")
    try:
        array = np.asarray(Y)
    except ValueError:
        raise GreedyhullError("Y has rows of different lengths; a row for each row of X is wanted.") from None
    check(array.ndim == 2, lambda: f"Y has shape {array.shape}; a matrix with a column for each problem is wanted. For one "
                                   "target use minimize.")
    check(array.dtype.kind in "biuf", f"Y has dtype {array.dtype}; numbers are wanted. Encode its entries first.")
    return array.astype(np.float64, copy=False)


def left_out(without: Any, problems: int, d: int, S: AtomSet) -> Index | None:
    """The coordinate that stays zero in each problem, −1 for none; None where nobody is left out."""
    if without is None:
        return None
    budget = S.budget()
    check(budget is not None and budget.points is None, lambda: f"without was given, which {S!r} does not know; a Simplex, "
                                                                "CappedSimplex or L1Ball is wanted.")
    array = np.asarray(list(without) if isinstance(without, range) else without)
    whole = array.dtype.kind in "iu" and array.shape == (problems,)
    check(whole and bool((array >= -1).all() and (array < d).all()),
          lambda: f"without={shown(without)} was given; a whole number from 0 to {d - 1} for each of the {problems} problems "
                  "is wanted, or -1 where no coordinate is left out.")
    check(d > 1 or not (array >= 0).any(), "without leaves out the only coordinate there is.")
    return array.astype(np.int64)


def face_of(S: AtomSet, j: int) -> AtomSet:
    """The part of S where coordinate j is zero, by its atoms; S itself for j = −1."""
    budget = S.budget()
    if j < 0 or budget is None:
        return S
    from scipy.sparse import csr_array, vstack

    d = S.shape[0]
    others = np.delete(np.arange(d), j)
    scales = np.broadcast_to(budget.scales, (d,))[others]
    one = csr_array((scales, (np.arange(d - 1), others)), shape=(d - 1, d))
    parts = [one, *([] if budget.positive else [-one]), *([] if budget.whole else [csr_array((1, d))])]
    return Vertices(vstack(parts, format="csr"))


def objective_of(problems: list[Any] | Targets, i: int) -> Objective:
    """Objective number i, or an error that says that it is none."""
    f: Objective = problems.objective(i) if isinstance(problems, Targets) else problems[i]
    check(not lacks(f, "domain", "gradient"), lambda: f"it is {shown(f)}; {WANTED} is wanted.")
    return f


WIDEST = 2048  # columns, so that the Gram matrix takes 32 MB at most
LARGE = 1e60  # targets and data beyond which squares overflow


@dataclass(frozen=True, eq=False)
class Shared:
    """½ Σ pᵢ(xᵢ·w − yᵢ)² over a budget, for every column y of Y; ``f`` is one of the objectives, data are float64."""

    f: Composite
    S: AtomSet
    budget: Budget
    X: Array
    Y: Array
    p: Array | float
    intercept: bool

    @property
    def scales(self) -> Array:
        """w = scales·u, where u has the budget one."""
        return self.budget.scales

    @cached_property
    def columns(self) -> Array:
        """The columns in terms of u, centred where there is an intercept."""
        A = self.X * self.scales
        return A - self._mean(A) if self.intercept else A

    @cached_property
    def hessian(self) -> Array:
        """The Hessian in terms of u: AᵀPA."""
        A = self.columns
        return np.ascontiguousarray(A.T @ (A * (self.p if isinstance(self.p, float) else self.p[:, None])))

    @cached_property
    def on_plane(self) -> Array:
        """K with u = 1/d + (c − H1/d)K the minimiser of ½uᵀHu − cᵀu where Σu = 1 is all that is asked."""
        d = len(self.hessian)
        P = np.eye(d) - 1.0 / d
        return np.linalg.pinv(P @ self.hessian @ P, hermitian=True)

    def slopes(self, rows: Array) -> Array:
        """The gradients at zero in terms of u, for targets that are the rows of a matrix."""
        y = rows - self._mean(rows.T)[:, None] if self.intercept else rows
        if isinstance(self.p, float):
            return np.ascontiguousarray((y @ self.columns) * -self.p)
        return np.ascontiguousarray((y * -self.p) @ self.columns)

    def _mean(self, A: Array) -> Array:
        return A.sum(axis=0) * self.p if isinstance(self.p, float) else self.p @ A


def _largest(A: Array) -> float:
    """max |a|, without a copy of what may be an image."""
    return max(float(A.max(initial=0.0)), -float(A.min(initial=0.0)))


def shared_by(problems: list[Any] | Targets, S: AtomSet, solvable: Array) -> Shared | None:
    """Return what the problems share, if one Gram matrix pays; ``solvable`` receives which of them have finite targets."""
    budget, count = S.budget(), len(problems)
    # columns for each problem at most: for few problems the Gram matrix costs more than it saves
    if budget is None or budget.points is not None or not 0 < S.shape[0] <= min(WIDEST, 64 * count):
        return None
    found = _of_targets(problems, solvable) if isinstance(problems, Targets) else _of_list(problems)
    if found is None or found[0].domain != S.shape:
        return None
    f, Y = found
    agree(f, S, "The objectives and the set")
    assert isinstance(f.design, DenseDesign)
    shared = Shared(f, S, budget, f.design.X.astype(np.float64, copy=False), Y, f.exact.p, f.has_intercept)
    sizes = map(_largest, (shared.columns, shared.X, shared.Y))
    return shared if all(size == 0.0 or 1e-60 < size < LARGE for size in sizes) else None  # else squares overflow or vanish


def _of_targets(problems: Targets, solvable: Array) -> tuple[Composite, Array] | None:
    single = type(problems.X) is DenseDesign and problems.X.X.dtype == np.float32
    # larger targets are rejected, or not, by a run of their own; NaN is not less
    np.less(np.abs(problems.Y), 1e18 if single else LARGE).all(axis=0, out=solvable)
    if not solvable.any():
        return None
    try:
        f = problems.objective(int(solvable.argmax()))
    except Exception:  # what a user's function raises too: each problem is told by itself
        return None
    if not _squares(f) or f.design is not problems.X:
        return None
    return f, np.where(solvable, problems.Y, 0.0) if not solvable.all() else problems.Y


def _of_list(problems: list[Any]) -> tuple[Composite, Array] | None:
    first = problems[0]
    if not _squares(first):
        return None
    for f in problems:
        if not _squares(f) or f.design.X is not first.design.X or f.has_intercept != first.has_intercept:
            return None
        if f.exact.p is not first.exact.p and not np.array_equal(f.exact.p, first.exact.p):
            return None
    return first, np.column_stack([f.exact.y for f in problems])


def _squares(f: object) -> bool:
    """Whether f is least squares after a dense design, without a ridge, and every row counts."""
    if type(f) is not Composite or type(f.design) is not DenseDesign:
        return False
    loss = f.exact.loss if type(f.exact) is Profiled else f.exact
    return type(loss) is Squared and (isinstance(loss.p, float) or bool(loss.p.all()))


class Record:
    """Points, values, gaps and the rest, a row for each problem; ``runs`` are problems that had a run of their own."""

    def __init__(self, count: int, shape: Shape) -> None:
        self.x = np.full((count, *shape), np.nan)
        self.values, self.gaps, self.scales = np.full(count, np.nan), np.full(count, np.inf), np.zeros(count)
        self.converged = np.zeros(count, dtype=bool)
        self.intercepts, self.seconds = np.zeros(count), np.zeros(count)
        self.iterations = np.zeros(count, dtype=np.int64)
        self.runs: dict[int, Solution] = {}
        self.errors: dict[int, Exception] = {}

    def __len__(self) -> int:
        return len(self.gaps)

    def fail(self, i: int, error: Exception) -> None:
        """Problem i has no solution, whatever was found for it on the way."""
        self.errors[i], self.converged[i] = error, False
        self.x[i], self.values[i], self.gaps[i], self.intercepts[i] = np.nan, np.nan, np.inf, 0.0

    def keep(self, i: int, s: Solution) -> None:
        self.runs[i], self.x[i] = s, s.x
        value, gap = s.certificate.value, s.certificate.gap
        self.values[i] = np.nan if value is None else value
        self.gaps[i] = np.inf if gap is None else gap
        self.converged[i], self.intercepts[i] = s.converged, s.intercept
        self.iterations[i], self.seconds[i] = s.iterations, s.seconds
