"""A portfolio with its certificate, and the constraints that hold it back."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from greedyhull.driver.certificate import Certificate
from greedyhull.driver.solution import Solution
from greedyhull.types import Array

SMALL = 1e-9  # a weight below this is not shown


@dataclass(frozen=True, eq=False)
class Portfolio:
    """The result of `portfolio`: weights, what they are worth, and which constraints matter.

    Each parameter is an attribute of the same name.

    Parameters
    ----------
    names : list of str
        The assets.
    weights : ndarray
        The weight of each asset; they sum to one.
    prices : dict
        What one more unit of each constraint that matters is worth: how much the minimum of the objective falls. Groups,
        single caps ("cap NAME"), own constraints and turnover, by name; the largest first.
    certificate : Certificate
        How far the objective is from its minimum, proved.
    solution : Solution
        The run, with its objective and set.
    expected : float or None
        The mean return of the portfolio, where it is known.
    variance : float or None
        The variance of its return, where it is known.

    See Also
    --------
    portfolio : Where it comes from.

    Examples
    --------
    >>> import numpy as np
    >>> from greedyhull.apps import portfolio
    >>> found = portfolio(covariance=np.diag([1.0, 2.0, 2.0]))
    >>> found.held()
    {'0': 0.5, '1': 0.25, '2': 0.25}
    """

    names: list[str]
    weights: Array
    prices: dict[str, float]
    certificate: Certificate
    solution: Solution = field(repr=False)
    expected: float | None = None
    variance: float | None = None

    def held(self, digits: int = 6) -> dict[str, float]:
        """Return the assets with a weight, the largest first.

        Parameters
        ----------
        digits : int, default 6
            To how many digits weights are rounded.

        Returns
        -------
        dict
            Weights by name.
        """
        order = np.argsort(-self.weights, kind="stable")
        return {self.names[j]: round(float(self.weights[j]), digits) for j in order.tolist() if self.weights[j] > SMALL}

    def __repr__(self) -> str:
        held = int((self.weights > SMALL).sum())
        return f"Portfolio({held} of {len(self.names)} assets, {len(self.prices)} active constraints, {self.certificate})"
