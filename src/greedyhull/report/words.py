"""A solution in words: what was solved, how good it is, what it uses, why it stopped, what the budget is worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from greedyhull.driver.summary import count, duration
from greedyhull.errors import check

if TYPE_CHECKING:
    from greedyhull.driver.solution import Solution

SMALL = 1e-9  # a coordinate below this share of the largest one is not worth naming


def words(solution: Solution, names: Sequence[str] | None = None, *, budget: str = "radius",
          things: str = "coordinates") -> list[str]:
    """The story of a solution, a sentence or two for each part; ``budget`` and ``things`` are what its user calls them.

    >>> import numpy as np, greedyhull as gh
    >>> s = gh.minimize(gh.least_squares(np.eye(2), np.array([3.0, 0.0])), gh.L1Ball(2, radius=1))
    >>> words(s)[1]
    'It uses 1 of the 2 coordinates.'
    """
    return [part for part in (_value(solution), _support(solution, names, things), _end(solution),
                              _price(solution, budget)) if part]


def used(solution: Solution, names: Sequence[str] | None = None) -> list[tuple[str, float]]:
    """The coordinates that are not zero, largest first, with their names; none for a point that is no vector."""
    x = solution.point.array()
    if x.ndim != 1:
        return []
    check(names is None or len(names) == len(x),
          lambda: f"{len(names or ())} names were given for {len(x)} coordinates; one for each is wanted.")
    size = np.abs(x)
    kept = np.flatnonzero(size > SMALL * size.max())
    order = kept[np.argsort(-size[kept], kind="stable")]
    return [(f"w[{j}]" if names is None else names[j], float(x[j])) for j in order.tolist()]


def _value(solution: Solution) -> str:
    c = solution.certificate
    if c.kind != "always" or c.value is None or c.gap is None:
        return str(c)
    return (f"The value is {c.value:.8g}, and no feasible point can be lower by more than {c.gap:.2g}: that is proved, "
            "rounding included, for the point as it is returned.")


def _support(solution: Solution, names: Sequence[str] | None, things: str) -> str:
    x = solution.point.array()
    if x.ndim != 1:
        return f"It mixes {count(len(solution.point), 'atom')}." if solution.point.keeps_atoms else ""
    found = used(solution, names)
    listed = f": {', '.join(str(name) for name, _ in found)}." if names is not None and found else "."
    return f"It uses {len(found)} of the {len(x)} {things}{listed}"


def _end(solution: Solution) -> str:
    return f"It took {count(solution.iterations, 'iteration')} and {duration(solution.seconds)}. {solution.reason}"


def _price(solution: Solution, budget: str) -> str:
    price = solution.price
    if price is None:
        return ""
    if price * solution.atom_set.radius <= (solution.certificate.gap or 0.0):  # nothing that the gap does not hide
        why = "it is not what keeps the minimum up" if solution.converged else "the gap is too wide to tell what more is worth"
        return f"The {budget} has no price to speak of: {why}."
    return (f"The price of the {budget} is {price:.3g}: one more unit of it would lower the minimum at about this rate, "
            "falling as it grows.")
