"""What `minimize` returns, and its summary."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.atoms.simplex import BoundedSimplex, Simplex
from greedyhull.driver.certificate import Certificate
from greedyhull.driver.stop import LazyWords, promise
from greedyhull.driver.trace import Trace
from greedyhull.errors import GreedyhullError, suggesting
from greedyhull.points.gradients import inner, taken
from greedyhull.points.iterate import Iterate
from greedyhull.theory import Bound, Constants
from greedyhull.types import Array, Solver, linear_model, told_intercept

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure


SHOWN = 5  # entries of the point, the largest ones, and prices


def rows(solution: Solution) -> list[tuple[str, str]]:
    c, point = solution.certificate, solution.point
    value = "unknown, f is a stream" if c.value is None else f"{c.value:.10g}"
    gap = "unknown" if c.gap is None else f"{c.gap:.3g}, {promise(c.kind, c.delta)}"
    found = [("problem", f"{solution.objective!r} over {solution.atom_set!r}"), ("solver", named(solution.solver)),
             ("value", value), ("gap", gap), ("converged", "yes" if solution.converged else "no"),
             ("took", f"{count(solution.iterations, 'iteration')}, {duration(solution.seconds)}")]
    if point.keeps_atoms:
        found.append(("mixes", count(len(point), "atom")))
    if solution.price is not None:
        found.append(("price", f"{solution.price:.4g} for one more unit of {size_name(solution)}"))
    if priced := active(solution):
        found.append(("prices", listed(priced)))
    return [*found, ("ended", solution.reason)]


def active(solution: Solution) -> list[tuple[str, float]]:
    """The constraints that limit the minimum, with what one more unit of their right-hand sides is worth, largest first."""
    prices = solution.prices or {}
    largest = max((abs(price) for price in prices.values()), default=0.0)
    # a price below this share of the largest one is rounding
    felt = [(name, price) for name, price in prices.items() if abs(price) > 1e-9 * largest]
    return sorted(felt, key=lambda one: -abs(one[1]))


def listed(priced: list[tuple[str, float]]) -> str:
    more = f" and {len(priced) - SHOWN} more" if len(priced) > SHOWN else ""
    return ", ".join(f"{name} {price:.4g}" for name, price in priced[:SHOWN]) + more


def size_name(solution: Solution) -> str:
    """What the size of the set is called where it is given: "total" for weights with a sum, else "radius"."""
    kept = repr(solution.atom_set)  # all that a pickled solution has of its set
    return "total" if "total=" in kept else "radius"


def measure(solution: Solution) -> str:
    """What to call a number of the answer: "weight" on a simplex, "coefficient" of a linear model, else "value"."""
    if "measure" in solution._kept:
        return str(solution._kept["measure"])
    if isinstance(solution.atom_set, Simplex | BoundedSimplex):
        return "weight"
    return "value" if linear_model(solution.objective) is None else "coefficient"


def named(solver: object) -> str:
    """The solver as it writes itself; a class that does not say how, by its name."""
    words = repr(solver)
    return f"{type(solver).__name__}()" if " object at 0x" in words else words


def largest(solution: Solution) -> str:
    """The largest entries of the point, by name if they have names."""
    x, names = solution.x, solution.names
    flat = x.ravel()
    order = [int(j) for j in np.argsort(-np.abs(flat), kind="stable") if flat[j] != 0.0]
    named = names is not None and len(names) == len(flat)
    places = [", ".join(str(int(i)) for i in np.unravel_index(j, x.shape)) for j in order[:SHOWN]]
    labels = [str(names[j]) for j in order[:SHOWN]] if named and names is not None else [f"x[{place}]" for place in places]
    said = [f"{label} = {flat[j]:.4g}" for label, j in zip(labels, order, strict=False)]
    more = len(order) - len(said)
    return ", ".join(said) + (f" and {count(more, 'smaller one')}" if more else "") if said else "all entries are zero"


def count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def duration(seconds: float) -> str:
    if seconds >= 1.0:
        return f"{seconds:.1f} seconds"
    said = f"{1000.0 * seconds:.2g}" if seconds < 0.01 else f"{1000.0 * seconds:.0f}"
    return f"{said} millisecond" if said == "1" else f"{said} milliseconds"


FIELDS = ("objective", "atom_set", "stop")  # what a pickle leaves out: data, and functions of who knows where


class Absent:
    """What replaces something that a pickle or a file leaves out: its words, and what is ``known``."""

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


@suggesting("Solution")
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
    choice: str = ""
    also: dict[str, Any] = field(default_factory=dict)
    stop: Any = None
    seed: int = 0
    names: Sequence[str] | None = None
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
        """What one more unit of radius r, or of total, is worth: −⟨∇f(w), w − m⟩/r for a set about a centre m.

        It is negative where a larger set has a larger minimum, as a simplex with a larger total may.
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

        They prove the linear bound at the point, and are as exact as the point is: at least 0 for A_ub w ≤ b_ub, at most 0 for
        rows ≥ of a file, of either sign for equations, and 0 where the constraint does not matter.
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
        from greedyhull.driver.checkpoint import target_of
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
        from greedyhull.report.figure import plot

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
        # characters of a line
        return "\n".join(fill(said, 100, initial_indent=f"{name:<11}", subsequent_indent=" " * 11, break_long_words=False)
                         for name, said in rows(self))

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
        """Return a table for a notebook, with the largest entries of the point; names and values are escaped."""
        shown = rows(self)
        shown.insert(-1, ("largest", largest(self)))
        lines = (f'<tr><th scope="row" style="text-align:left;vertical-align:top">{escape(name)}</th>'
                 f'<td style="text-align:left;white-space:normal">{escape(said)}</td></tr>' for name, said in shown)
        return f"<table>{''.join(lines)}</table>"

    def __repr__(self) -> str:
        c = self.certificate
        value = "unknown" if c.value is None else f"{c.value:.10g}"
        gap = "unknown" if c.gap is None else f"{c.gap:.3g} ({c.kind})"
        state = "converged" if self.converged else "not converged"
        atoms = f", {count(len(self.point), 'atom')}" if self.point.keeps_atoms else ""
        why = "" if self.converged else f", reason={self.reason!r}"  # part of it if the request was not met
        return (f"Solution(value={value}, gap={gap}, {state}, {count(self.iterations, 'iteration')}, "
                f"{duration(self.seconds)}{atoms}, solver={named(self.solver)}{why})")


for name in ("reason", "choice"):
    setattr(Solution, name, LazyWords(name))


class StreamSolution(Solution):
    """Solution of a problem that can only be sampled: f at its point cannot be known, so ``value`` is None."""

    @property
    def value(self) -> None:  # type: ignore[override]  # the one thing in which it is no other solution
        """None: f cannot be evaluated from samples."""
        return None
