"""A solution in a few lines for a terminal, and in a small table for a notebook; nothing else need be installed."""

from __future__ import annotations

from html import escape
from textwrap import fill
from typing import TYPE_CHECKING

from greedyhull.driver.certificate import promise

if TYPE_CHECKING:
    from greedyhull.driver.solution import Solution

WIDTH = 100  # characters of a line


def rows(solution: Solution) -> list[tuple[str, str]]:
    """What is worth a look, by name."""
    c, point = solution.certificate, solution.point
    value = "unknown, f is a stream" if c.value is None else f"{c.value:.10g}"
    gap = "unknown" if c.gap is None else f"{c.gap:.3g}, {promise(c.kind, c.delta)}"
    found = [("problem", f"{solution.objective!r} over {solution.atom_set!r}"), ("solver", repr(solution.solver)),
             ("value", value), ("gap", gap), ("converged", "yes" if solution.converged else "no"),
             ("took", f"{count(solution.iterations, 'iteration')}, {duration(solution.seconds)}")]
    if point.keeps_atoms:
        found.append(("mixes", count(len(point), "atom")))
    if solution.price is not None:
        found.append(("price", f"{solution.price:.4g} for one more unit of radius"))
    return [*found, ("ended", solution.reason)]


def text(solution: Solution) -> str:
    """Name and value in two columns, long values wrapped.

    >>> import numpy as np, greedyhull as gh
    >>> s = gh.minimize(gh.least_squares(np.eye(2), np.array([3.0, 0.0])), gh.L1Ball(2, radius=1))
    >>> print(text(s).splitlines()[2])
    value      1
    """
    return "\n".join(fill(said, WIDTH, initial_indent=f"{name:<11}", subsequent_indent=" " * 11, break_long_words=False)
                     for name, said in rows(solution))


def html(solution: Solution) -> str:
    """A table for a notebook, in its own colours."""
    lines = (f'<tr><th scope="row" style="text-align:left;vertical-align:top">{escape(name)}</th>'
             f'<td style="text-align:left;white-space:normal">{escape(said)}</td></tr>' for name, said in rows(solution))
    return f"<table>{''.join(lines)}</table>"


def count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def duration(seconds: float) -> str:
    return f"{1000.0 * seconds:.0f} milliseconds" if seconds < 1.0 else f"{seconds:.1f} seconds"
