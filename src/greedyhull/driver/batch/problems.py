"""What a batch is made of: objectives one by one, or one design with many targets."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from inspect import signature
from types import FunctionType
from typing import Any

import numpy as np

from greedyhull.atoms.base import AtomSet as DefaultSet
from greedyhull.atoms.budget import budget_of
from greedyhull.atoms.vertices import Vertices
from greedyhull.errors import GreedyhullError, check
from greedyhull.errors.given import shown
from greedyhull.errors.hints import unknown
from greedyhull.objectives.designs import design
from greedyhull.points.aligned import alike, keep, kept, labels_of
from greedyhull.points.arrays import is_sparse, masked
from greedyhull.types import Array, AtomSet, Index, Objective
from greedyhull.types.attributes import lacks

OWN = ("solver", "start", "stop", "without", "seed", "progress")  # what a batch itself can be told
WANTED = "a list of objectives, such as [least_squares(X, y) for y in Y.T], or least_squares with X= and Y="


class Listed:
    """Objectives that were given one by one."""

    def __init__(self, fs: Iterable[Any]) -> None:
        self.fs: list[Any] = list(fs)

    def __len__(self) -> int:
        return len(self.fs)

    def objective(self, i: int) -> Any:
        """What was given as objective number i."""
        return self.fs[i]


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
        """The objective for column i of Y."""
        f = self.make(self.X, self.Y[:, i], **self.settings)
        keep(f, kept(self))
        return f


def problems_of(fs: Any, X: Any, Y: Any, settings: dict[str, Any]) -> Listed | Targets:
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
    return Listed(fs)


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
    budget = budget_of(S)
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
    """The part of S where coordinate j is zero, by its atoms; S itself for j = −1.

    >>> import greedyhull as gh
    >>> face_of(gh.Simplex(3), 1).matrix.toarray()
    array([[1., 0., 0.],
           [0., 0., 1.]])
    """
    budget = budget_of(S)
    if j < 0 or budget is None:
        return S
    from scipy.sparse import csr_array, vstack

    d = S.shape[0]
    others = np.delete(np.arange(d), j)
    scales = np.broadcast_to(budget.scales, (d,))[others]
    one = csr_array((scales, (np.arange(d - 1), others)), shape=(d - 1, d))
    parts = [one, *([] if budget.positive else [-one]), *([] if budget.whole else [csr_array((1, d))])]
    return Vertices(vstack(parts, format="csr"))


def objective_of(problems: Listed | Targets, i: int) -> Objective:
    """Objective number i, or an error that says that it is none."""
    f: Objective = problems.objective(i)
    check(not lacks(f, "domain", "gradient"), lambda: f"it is {shown(f)}; {WANTED} is wanted.")
    return f
