"""Several runs side by side: one table, one page, the same axes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from greedyhull.driver.checkpoint import target_of
from greedyhull.errors import check, shown
from greedyhull.kernels.core import public
from greedyhull.report.figure import Named, compared
from greedyhull.types import Solver, field_values, lacks

if TYPE_CHECKING:
    from greedyhull.driver.solution import Solution


@dataclass(frozen=True, repr=False)
class Comparison:
    """Several runs under their names; printed, it is a table.

    Attributes
    ----------
    runs : tuple
        The names and solutions.
    """

    runs: tuple[Named, ...]

    @property
    def lower(self) -> float:
        """The best lower bound of kind "always", if all runs are of the same f over the same S; else −∞."""
        first, runs = self.runs[0].run, [run for _, run in self.runs]
        if any(run.objective is not first.objective or run.atom_set is not first.atom_set for run in runs):
            return -inf
        return max((run.certificate.lower for run in runs if run.certificate.kind == "always"), default=-inf)

    @property
    def head(self) -> tuple[str, ...]:
        """The names of the columns."""
        head = ("run", "value", "gap", "kind", "iterations", "seconds", "atoms")
        return (*head, "error at most") if self.lower > -inf else head

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The table as text; the last column is the distance to the best lower bound of all runs."""
        found, lower = list[tuple[str, ...]](), self.lower
        for name, run in self.runs:
            c = run.certificate
            row = (name, "unknown" if c.value is None else f"{c.value:.10g}", "unknown" if c.gap is None else f"{c.gap:.3g}",
                   c.kind, str(run.iterations), f"{run.seconds:.3g}", str(len(run.point)) if run.point.keeps_atoms else "–")
            above = "unknown" if c.value is None else f"{max(c.value - lower, 0.0):.3g}"
            found.append((*row, above) if lower > -inf else row)
        return found

    def report(self, path: str | Path, title: str = "Runs compared") -> Path:
        """Write one self-contained HTML page about the runs.

        Parameters
        ----------
        path
            The file to write; its folder must exist.
        title
            The title of the page.

        Returns
        -------
        pathlib.Path
            The path of the page.
        """
        from greedyhull.report.figure import svg
        from greedyhull.report.page import call, versions
        from greedyhull.report.sentences import need, page

        need()
        path = target_of(path)
        return page("compare.html", path, title=title, comparison=self, versions=versions(),
                    calls=[(name, call(run)) for name, run in self.runs],
                    figures=[(svg(panel, place), panel.words()) for place, panel in enumerate(compared(self.runs))])

    def __str__(self) -> str:
        table = [self.head, *self.rows]
        widths = [max(len(row[i]) for row in table) for i in range(len(self.head))]
        lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in table)
        return "\n".join(line.rstrip() for line in lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(cell)}</th>" for cell in self.head)
        body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in self.rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


@public
def compare(solutions: Sequence[Solution], path: str | Path | None = None, *,
            labels: Sequence[str] | None = None) -> Comparison:
    """Compare several runs in one table and, on request, on one page.

    Parameters
    ----------
    solutions : sequence of Solution
        The runs. If all are of the same f and S, the best lower bound of any of them bounds the error of each.
    path : str or Path, optional
        An HTML file to write, with the curves of all runs on common axes.
    labels : sequence of str, optional
        Names of the runs; those of their solvers by default.

    Returns
    -------
    Comparison
        The table. Print it, or look at its ``rows``; ``report(path)`` writes the page.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f, S = gh.quadratic(np.eye(3)), gh.Simplex(3)
    >>> few = gh.Iterations(20)
    >>> c = gh.compare([gh.minimize(f, S, solver, stop=few) for solver in (gh.FrankWolfe(), gh.Jones())])
    >>> [row[0] for row in c.rows]
    ['FrankWolfe', 'Jones']
    """
    check(isinstance(solutions, Iterable), lambda: f"solutions must be a list of Solution; got {shown(solutions)}.")
    runs = list(solutions)
    check(len(runs) >= 1, "solutions is empty; compare needs a list of Solution.")
    check(not any(lacks(run, "certificate", "trace") for run in runs),
          "compare was given something that is no Solution; a list of what minimize returns is wanted.")
    names = _names(runs) if labels is None else [str(label).strip() for label in labels]
    check(len(names) == len(runs), f"{len(names)} labels were given for {len(runs)} solutions; one for each is wanted.")
    found = Comparison(tuple(map(Named, names, runs)))
    if path is not None:
        found.report(path)
    return found


def _names(runs: list[Solution]) -> list[str]:
    """The solvers' names, with what was set where that is needed to tell them apart, and numbers where even that does not."""
    names = [_name(run.solver, [other.solver for other in runs]) for run in runs]
    total, seen = Counter(names), Counter[str]()
    for i, name in enumerate(names):
        seen[name] += 1
        if total[name] > 1:
            names[i] = f"{name} #{seen[name]}"
    return names


def _name(solver: Solver, beside: list[Any]) -> str:
    """The solver's class and those of its fields that differ from others of its class."""
    name, alike = type(solver).__name__, [other for other in beside if type(other) is type(solver)]
    told = [field_values(other) or {} for other in alike]
    differ = [f"{field}={value!r}" for field, value in (field_values(solver) or {}).items()
              if len({repr(each[field]) for each in told}) > 1]
    return f"{name}({', '.join(differ)})" if differ else name
