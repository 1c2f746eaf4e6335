"""A solution in a few lines for a terminal, and in a small table for a notebook; nothing else need be installed."""

from __future__ import annotations

from html import escape
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np

from greedyhull.atoms.bounded_simplex import BoundedSimplex
from greedyhull.atoms.simplex import Simplex
from greedyhull.driver.certificate import promise
from greedyhull.types.kinds import linear_model

if TYPE_CHECKING:
    from greedyhull.driver.solution import Solution

WIDTH = 100  # characters of a line
SHOWN = 5  # entries of the point, the largest ones, and prices
FELT = 1e-9  # a price below this share of the largest one is rounding


def rows(solution: Solution) -> list[tuple[str, str]]:
    """What is worth a look, by name."""
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
    felt = [(name, price) for name, price in prices.items() if abs(price) > FELT * largest]
    return sorted(felt, key=lambda one: -abs(one[1]))


def listed(priced: list[tuple[str, float]]) -> str:
    """Some prices in words.

    >>> listed([("cap", 0.25), ("sum", -0.125)])
    'cap 0.25, sum -0.125'
    """
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
    """The largest entries of the point, by their names where it has any.

    >>> import numpy as np, greedyhull as gh
    >>> s = gh.minimize(gh.least_squares(np.eye(3), np.array([3.0, 0.0, -2.0])), gh.L1Ball(3, radius=3))
    >>> largest(s)
    'x[0] = 2, x[2] = -1'
    """
    x, names = solution.x, solution.names
    flat = x.ravel()
    order = [int(j) for j in np.argsort(-np.abs(flat), kind="stable") if flat[j] != 0.0]
    named = names is not None and len(names) == len(flat)
    places = [", ".join(str(int(i)) for i in np.unravel_index(j, x.shape)) for j in order[:SHOWN]]
    labels = [str(names[j]) for j in order[:SHOWN]] if named and names is not None else [f"x[{place}]" for place in places]
    said = [f"{label} = {flat[j]:.4g}" for label, j in zip(labels, order, strict=False)]
    more = len(order) - len(said)
    return ", ".join(said) + (f" and {count(more, 'smaller one')}" if more else "") if said else "all entries are zero"


def line(solution: Solution) -> str:
    """The solution in one line; why the run ended is part of it if the request was not met."""
    c, point = solution.certificate, solution.point
    value = "unknown" if c.value is None else f"{c.value:.10g}"
    gap = "unknown" if c.gap is None else f"{c.gap:.3g} ({c.kind})"
    state = "converged" if solution.converged else "not converged"
    atoms = f", {count(len(point), 'atom')}" if point.keeps_atoms else ""
    why = "" if solution.converged else f", reason={solution.reason!r}"
    return (f"Solution(value={value}, gap={gap}, {state}, {count(solution.iterations, 'iteration')}, "
            f"{duration(solution.seconds)}{atoms}, solver={named(solution.solver)}{why})")


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
    """A table for a notebook, with the largest entries of the point; names and values are escaped."""
    shown = rows(solution)
    shown.insert(-1, ("largest", largest(solution)))
    lines = (f'<tr><th scope="row" style="text-align:left;vertical-align:top">{escape(name)}</th>'
             f'<td style="text-align:left;white-space:normal">{escape(said)}</td></tr>' for name, said in shown)
    return f"<table>{''.join(lines)}</table>"


def count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def duration(seconds: float) -> str:
    """A time in words.

    >>> duration(0.00028), duration(0.001), duration(0.12), duration(2.25)
    ('0.28 milliseconds', '1 millisecond', '120 milliseconds', '2.2 seconds')
    """
    if seconds >= 1.0:
        return f"{seconds:.1f} seconds"
    said = f"{1000.0 * seconds:.2g}" if seconds < 0.01 else f"{1000.0 * seconds:.0f}"
    return f"{said} millisecond" if said == "1" else f"{said} milliseconds"
