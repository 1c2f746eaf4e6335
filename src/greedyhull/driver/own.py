"""Which parts of a problem a user wrote: certificates rest on them, so a run compares them with something else."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from greedyhull.atoms.from_function import FromFunction
from greedyhull.objectives.black_box import BlackBox
from greedyhull.objectives.composite import Composite
from greedyhull.objectives.information import Information
from greedyhull.objectives.losses.profiled import Profiled
from greedyhull.objectives.stream import Stream
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.gradients import as_array
from greedyhull.types import Array, Objective
from greedyhull.types.kinds import bilinear

LARGEST = 10**7  # entries of a point that is written out
Functions = tuple[Callable[[Array], float], Callable[[Array], Array]]


def ships(part: object) -> bool:
    """Whether a part is the library's own.

    >>> import greedyhull as gh
    >>> ships(gh.FrankWolfe()), ships(object())
    (True, False)
    """
    cls: Any = type(part)  # mypy takes no class for hashable
    return _ships(cls)


@lru_cache(maxsize=512)
def _ships(cls: type) -> bool:
    return cls.__module__.startswith("greedyhull.")


@lru_cache(maxsize=256)
def own_set(S: type) -> bool:
    """Whether sets of a class answer by a user's function, or by a class of his own."""
    return issubclass(S, FromFunction) or not S.__module__.startswith("greedyhull.")


def own_objective(f: Objective) -> bool:
    """Whether value and gradient come from a user's function, loss, design or class, and can be compared at arrays.

    A stream has no value, and matrices that are kept by their factors are not written out.

    >>> import greedyhull as gh
    >>> own_objective(gh.function(sum, sum, 3)), own_objective(gh.quadratic([[1.0]]))
    (True, False)
    """
    if isinstance(f, Composite) and ships(f):
        loss = f.loss.loss if isinstance(f.loss, Profiled) else f.loss
        ours = ships(loss) and ships(f.design)
        return not ours and bilinear(f.design) is None and prod(f.domain) <= LARGEST
    given = isinstance(f, BlackBox) and not isinstance(f, Information)  # criteria of design are functions of our own
    return not isinstance(f, Stream) and (given or not ships(f))


def functions_of(f: Objective) -> Functions:
    """Value and gradient as functions of an array."""
    if isinstance(f, BlackBox):
        return f.sampled_functions()
    return (lambda x: float(f.value(CoordinateIterate(np.array(x)))),
            lambda x: as_array(f.gradient(CoordinateIterate(np.array(x)))))
