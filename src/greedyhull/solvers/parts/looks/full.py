"""The full gap, now and then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from greedyhull.errors.hinted import hinted
from greedyhull.objectives.batch import count_of
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.parts.looks.base import Looking
from greedyhull.solvers.parts.looks.gap import full_gap
from greedyhull.solvers.parts.looks.minibatch import MinibatchGap
from greedyhull.solvers.parts.looks.timing import Looks
from greedyhull.solvers.parts.memory import Memory
from greedyhull.solvers.parts.progress import Progress
from greedyhull.types import AtomSet, Objective


@hinted
@dataclass(frozen=True)
class FullGap:
    """Certify points of a stochastic run by the full gap, from all n terms.

    The bound max over S of ⟨∇f(w), w − ·⟩ is of kind "always" and costs a pass over the data. An `expectation` has no full gap
    and is certified by `MinibatchGap` instead.

    Parameters
    ----------
    every : int, optional
        Certify at multiples of this number of steps. By default, at the start, after every pass over the data, and then
        less and less often.

    See Also
    --------
    MinibatchGap : A cheaper bound, from a sample.
    Regret : A bound from the gradients that the run has seen.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.least_squares(np.eye(2), np.array([0.3, 0.7]))
    >>> s = gh.minimize(f, gh.Simplex(2), gh.StochasticJones(look=gh.FullGap(every=10)), stop=gh.Iterations(50))
    >>> s.certificate.kind
    'always'
    """

    every: int | None = None
    averages: ClassVar[bool] = False

    def __post_init__(self) -> None:
        Looks(1, self.every)

    def start(self, f: Objective, S: AtomSet, w: Iterate, memory: Memory) -> Looking:
        n = count_of(f)
        if n is None:
            return MinibatchGap(every=self.every).start(f, S, w, memory)
        return _Working(f, S, w, memory, n, self.every)


class _Working(Looking):
    def __call__(self, w: Iterate, also: Any = None) -> Progress:
        return full_gap(self.f, self.choice.point(w), self.oracle, also)
