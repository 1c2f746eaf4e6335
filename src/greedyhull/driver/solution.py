"""What `minimize` returns."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.driver.called import SOLUTION
from greedyhull.driver.certificate import Certificate
from greedyhull.driver.trace import Trace
from greedyhull.driver.words import worded
from greedyhull.errors import GreedyhullError
from greedyhull.errors.attributes import suggesting
from greedyhull.points.gradients import inner, taken
from greedyhull.points.iterate import Iterate
from greedyhull.theory import Bound, Constants
from greedyhull.types import Array, Solver
from greedyhull.types.kinds import told_intercept

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

FIELDS = ("objective", "atom_set", "stop")  # what a pickle leaves out: data, and functions of who knows where


class Absent:
    """What stands in a pickle, or in a solution from a file, for something left out of it: its words, and what is ``known``.

    >>> Absent("least_squares(n=3, d=3)")
    least_squares(n=3, d=3)
    """

    def __init__(self, words: str, how: str = "pickled", known: dict[str, float] | None = None) -> None:
        self.words, self.how, self.known = words, how, known or {}

    def __repr__(self) -> str:
        return self.words

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what pickle, copy and numpy ask every object for
            raise AttributeError(name)
        kept = self.__dict__.get("known", {})  # pickles of earlier versions have none
        if name in kept:
            return kept[name]
        how = self.__dict__.get("how", "pickled")
        raise GreedyhullError(f"{self.__dict__.get('words')} was left out when this solution was {how}, so that its {name!r} "
                              "is not known. Solve again, with start=solution.x.")


@suggesting(SOLUTION)
@worded("reason", "choice")
@dataclass
class Solution:
    """Point of the hull with a proof of how good it is.

    ``value − min f ≤ gap`` holds for the point as returned, recomputed from its atoms in float64. Solutions come from
    `minimize`; each parameter is an attribute of the same name. A pickle holds the point, the certificate, the trace, price
    and intercept, but neither the objective nor the set, which hold data.

    Parameters
    ----------
    point : Iterate
        The point: ``point.array()`` its coordinates, ``point.atoms`` and ``point.weights`` what it is a mixture of.
    certificate : Certificate
        Value, gap, lower bound and the kind of promise.
    reason : str
        Why the run ended, and what to do if it ended early, in words.
    converged : bool
        Whether the certified gap meets what ``stop`` asked for.
    iterations : int
        The number of iterations.
    seconds : float
        Wall-clock time of the run.
    trace : Trace
        One row for each iteration: ``trace.gap``, ``trace.value``, ``trace.to_frame()`` and more.
    solver : solver
        The algorithm that was used.
    objective : objective
        The objective that was minimised.
    atom_set : AtomSet
        The set it was minimised over.
    curvature : float, optional
        The largest curvature estimate that `Backtracking` steps used; None for other steps.
    choice : str, default ""
        Why this solver was chosen, if `minimize` chose it.
    also : dict, optional
        What the solver reports besides, for instance ``also["last"]``, the last iterate where the point is an average.
    stop : stop, optional
        The stop that was asked for.
    seed : int, default 0
        The seed of the run.
    names : sequence of str, optional
        Names of the coordinates, for reports.

    Attributes
    ----------
    x : ndarray
        The coordinates of the point.
    value : float or None
        f at the point; None for an `expectation`.
    gap : float or None
        The certified gap, if the certificate is of kind "always"; else None, see ``certificate``.
    price : float or None
        What one more unit of the set's radius is worth, −d(min f)/d(radius); None for sets without a radius.
    prices : dict or None
        What one more unit of each constraint's right-hand side is worth, by name, for a `LinearProgram`; None for sets without
        named constraints.
    intercept : float or ndarray
        The intercept of a linear model, 0 where the objective has none; of `multinomial`, one for each class.
    constants : Constants
        The constants of the problem (curvature M, noise σ, diameter D, …) that rates depend on.

    See Also
    --------
    Certificate : What is promised, and how surely.
    compare : Several solutions in one table.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> s = gh.minimize(gh.least_squares(np.eye(2), np.array([3.0, 1.0])), gh.L1Ball(2, radius=1))
    >>> s.x, round(s.value, 6), round(s.price, 6)
    (array([1., 0.]), 1.25, 1.0)
    >>> s.converged and s.gap < 1e-6
    True
    """

    point: Iterate
    certificate: Certificate
    reason: str
    converged: bool
    iterations: int
    seconds: float
    trace: Trace
    solver: Solver
    objective: Any = field(repr=False)
    atom_set: Any = field(repr=False)
    curvature: float | None = None
    choice: str = ""  # why this solver, where `minimize` chose it
    also: dict[str, Any] = field(default_factory=dict)
    stop: Any = None
    seed: int = 0
    names: Sequence[str] | None = None  # of the coordinates, for reports
    _kept: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def x(self) -> Array:
        """The coordinates of the point."""
        return self.point.array()

    @property
    def value(self) -> float:
        """The value of f at the point; None for an `expectation`."""
        value = self.certificate.value
        assert value is not None  # else it is a `StreamSolution`
        return value

    @property
    def gap(self) -> float | None:
        """The certified gap, if the certificate is of kind "always"; else None."""
        return self.certificate.gap if self.certificate.kind == "always" else None

    @property
    def price(self) -> float | None:
        """What one more unit of radius, or of total, is worth: −d(min f)/d(radius), from the gradient at the point.

        For a set with radius r about a centre m it is −⟨∇f(w), w − m⟩/r; None for sets without a radius and for an
        `expectation`. It is negative where a larger set has a larger minimum, as a simplex with a larger total may.
        """
        if "price" in self._kept:
            return None if self._kept["price"] is None else float(self._kept["price"])
        traits = self.atom_set.traits
        radius = traits.radius
        if radius is None or self.certificate.value is None:  # a stream has no gradient to tell it from
            return None
        slope = float(self.objective.gradient_dot(self.point))
        middle = traits.middle
        if middle is not None:
            slope -= inner(self.objective.gradient(self.point), middle)
        return -slope / float(radius) + 0.0  # not −0.0

    @property
    def prices(self) -> dict[str, float] | None:
        """What one more unit of each constraint's right-hand side is worth, −d(min f)/d(right-hand side), by name.

        They are the row prices that prove the linear bound at the point, from its gradient; as exact as the point is. At least
        0 for A_ub w ≤ b_ub, and 0 where the constraint does not matter; of either sign for equations, and at most 0 for rows
        ≥ of a file. None for sets without named constraints and for an `expectation`.
        """
        if "prices" in self._kept:
            kept: dict[str, float] | None = self._kept["prices"]
            return kept
        if self.certificate.value is None:  # a stream has no gradient to tell them from
            return None
        prices: dict[str, float] | None = self.atom_set.prices(taken(self.atom_set, self.objective.gradient(self.point)))
        return prices

    @property
    def intercept(self) -> Any:
        """The intercept that belongs to the point, or those of the classes; 0 where the objective has none."""
        found = self._kept["intercept"] if "intercept" in self._kept else told_intercept(self.objective, self.point)
        return np.array(found) if np.ndim(found) else float(found)

    def bounds(self) -> list[Bound]:
        """Compute the bounds of theory that apply to this run.

        Returns
        -------
        list of Bound
            Each with its theorem, its number and its constants, which are marked exact, upper bound or estimated.

        See Also
        --------
        Solution.constants : The constants alone.

        Examples
        --------
        >>> import numpy as np, greedyhull as gh
        >>> s = gh.minimize(gh.quadratic(np.eye(3)), gh.Simplex(3), gh.FrankWolfe(), stop=gh.Iterations(7))
        >>> s.bounds()[4]
        Line search (rate): 2M/(k + 3) = 0.4, always; k = 7 (exact), M = 2 (exact)
        """
        from greedyhull.driver.bounds.of_run import bounds_of

        self._need("bounds")
        return bounds_of(self)

    @cached_property
    def constants(self) -> Constants:
        """The constants of the problem (M, σ, L, D, …), each marked exact, upper bound or estimated."""
        from greedyhull.measures.constants import constants

        self._need("constants")
        return constants(self.objective, self.atom_set)

    def report(self, path: str | Path, names: Sequence[str] | None = None) -> Path:
        """Write one self-contained HTML page about the run.

        Parameters
        ----------
        path : str or Path
            The file to write.
        names : sequence of str, optional
            Names of the coordinates; those of the solution by default.

        Returns
        -------
        Path
            The file that was written.
        """
        from greedyhull.driver.saved import target_of
        from greedyhull.report import write

        if "measure" not in self._kept:  # a file holds what a page needs, a pickle does not
            self._need("report")
        return write(self, target_of(path), names=self.names if names is None else names)

    def plot(self, names: Sequence[str] | None = None) -> Figure:
        """Draw the answer and the course of the gap, side by side.

        Parameters
        ----------
        names : sequence of str, optional
            One name for each coordinate; without them, those of the solution.

        Returns
        -------
        matplotlib.figure.Figure
            A figure of pyplot: ``plt.show()`` shows it, ``savefig`` writes it.
        """
        from greedyhull.report.plotting import plot

        if "measure" not in self._kept:
            self._need("plot")
        return plot(self, self.names if names is None else names)

    def save(self, path: str | Path) -> Path:
        """Write the solution to one file, which `load` reads, in this version and in later ones.

        The file is a NumPy archive (npz) without pickle. It holds the point, the certificate, the trace, price and intercept;
        neither the objective nor the set, which hold data.

        Parameters
        ----------
        path : str or Path
            The file to write. It is replaced as a whole, or not at all.

        Returns
        -------
        Path
            The file that was written.

        See Also
        --------
        load : Read such a file.
        """
        from greedyhull.driver.solution_file import save

        return save(self, path)

    def summary(self) -> str:
        """Summarise the run in a few lines: what was solved, how well, provably, and why it ended.

        Returns
        -------
        str
            The lines; ``print(solution)`` shows them.
        """
        from greedyhull.driver.summary import text

        return text(self)

    def _need(self, what: str) -> None:
        if isinstance(self.objective, Absent):
            how, doing = ("saved", "saving") if self.objective.how == "saved" else ("pickled", "pickling")
            raise GreedyhullError(f"This solution was {how} without its data, which its {what} would need. Ask before "
                                  f"{doing}, or solve again, with start=solution.x.")

    def __getstate__(self) -> dict[str, Any]:
        """What a pickle holds: all but the data and the views of the point, which are images of them."""
        state = {name: value for name, value in self.__dict__.items() if name != "constants"}
        state["reason"], state["choice"] = self.reason, self.choice  # made by now
        state.update({name: Absent(repr(state[name])) for name in FIELDS
                      if state[name] is not None and not isinstance(state[name], Absent)})
        known = {"price": self.price, "prices": self.prices, "intercept": self.intercept}  # only the objective knows them
        state["_kept"] = {**self._kept, **known}
        state["point"] = self.point.copy()
        state["also"] = {name: it.copy() if isinstance(it, Iterate) else it for name, it in self.also.items()}
        return state

    def __copy__(self) -> Solution:
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        return copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Solution:
        """With its data: copies in memory are not pickles."""
        copy = object.__new__(type(self))
        memo[id(self)] = copy
        copy.__dict__.update(deepcopy(self.__dict__, memo))
        return copy

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """``np.asarray(solution)``: the coordinates."""
        return self.point.__array__(dtype, copy)

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        from greedyhull.driver.summary import html

        return html(self)

    def __repr__(self) -> str:
        from greedyhull.driver.summary import line

        return line(self)


class StreamSolution(Solution):
    """Solution of a problem that can only be sampled: f at its point cannot be known, so ``value`` is None."""

    @property
    def value(self) -> None:  # type: ignore[override]  # the one thing in which it is no other solution
        """None: f cannot be evaluated from samples."""
        return None
