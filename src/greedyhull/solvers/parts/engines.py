"""Which compiled loop does a solver's steps: the tables from losses, sets and data to what the kernels know of them.

What is not in a table is done by the solver itself, in Python; the result is the same up to rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from greedyhull.atoms.box import Box
from greedyhull.atoms.l1_ball import L1Ball
from greedyhull.atoms.l2_ball import L2Ball
from greedyhull.atoms.linf_ball import LinfBall
from greedyhull.atoms.simplex import Simplex
from greedyhull.atoms.vertices import Vertices
from greedyhull.objectives.composite import Composite
from greedyhull.objectives.designs.dense import DenseDesign
from greedyhull.objectives.designs.sparse import SparseDesign
from greedyhull.objectives.losses.absolute import Absolute
from greedyhull.objectives.losses.epsilon_insensitive import EpsilonInsensitive
from greedyhull.objectives.losses.hinge import Hinge
from greedyhull.objectives.losses.huber import Huber
from greedyhull.objectives.losses.logistic import Logistic
from greedyhull.objectives.losses.poisson import HIGHEST, Poisson
from greedyhull.objectives.losses.quantile import Quantile
from greedyhull.objectives.losses.squared import Squared
from greedyhull.objectives.losses.squared_hinge import SquaredHinge
from greedyhull.types import Array, AtomSet, Loss, Objective

LOSSES: dict[type, Callable[[Any], tuple[int, list[float]]]] = {  # the kernels' number of a loss, and its shape
    Squared: lambda loss: (0, [0.0]),
    Logistic: lambda loss: (1, [0.0]),
    SquaredHinge: lambda loss: (2, [0.0]),
    Huber: lambda loss: (3, [loss.delta]),
    Poisson: lambda loss: (4, [HIGHEST]),
    Hinge: lambda loss: (5, [0.0]),
    **dict.fromkeys((Absolute, Quantile, EpsilonInsensitive), lambda loss: (6, [*loss.ends(), loss.epsilon])),
}


def _l1(S: L1Ball) -> tuple[int, Array, Array, Array]:
    scale = np.broadcast_to(np.asarray(S._scale, dtype=np.float64), S.shape).copy()
    return 0, np.ones(S.shape) if S.weights is None else scale, scale, _NONE


_NONE = np.zeros((0, 0))
SETS: dict[type, Callable[[Any], tuple[int, Array, Array, Array]]] = {  # number, two vectors and a matrix
    L1Ball: _l1,
    Simplex: lambda S: (1, np.zeros(S.shape), np.full(S.shape, S.total), _NONE),
    **dict.fromkeys((Box, LinfBall), lambda S: (2, np.array(S.lower), np.array(S.upper), _NONE)),
    L2Ball: lambda S: (3, np.array(S.middle), np.full(S.shape, S.radius), _NONE),
    Vertices: lambda S: (4, np.zeros(S.shape), np.zeros(S.shape), np.array(S.matrix, order="C")),
}
DATA: dict[type, Callable[[Any], tuple[Any, ...]]] = {  # a matrix; or starts, places and entries of the rows
    DenseDesign: lambda A: (np.ascontiguousarray(A.X),),
    SparseDesign: lambda A: A.rows_of,
}


class Engine:
    """A linear model over a set, in the words of the kernels; nothing is made before a kernel asks for it."""

    def __init__(self, f: Composite, S: AtomSet) -> None:
        self.f, self.S = f, S

    @cached_property
    def terms(self) -> tuple[Any, ...]:
        """Rows, targets, n times the weights of the terms and whether these differ, the loss."""
        loss: Loss = self.f.loss
        number, shape = LOSSES[type(loss)](loss)
        weighted = not isinstance(loss.p, float)
        shares = np.asarray(loss.p * self.f.n, dtype=np.float64) if weighted else np.ones(1)
        return (*DATA[type(self.f.design)](self.f.design), np.asarray(loss.y, dtype=np.float64), shares, int(weighted), number,
                np.array(shape, dtype=np.float64))

    @cached_property
    def set(self) -> tuple[int, Array, Array, Array]:
        """Number, two vectors and a matrix."""
        return SETS[type(self.S)](self.S)


def engine(f: Objective, S: AtomSet) -> Engine | None:
    """The engine for f over S, None where there is none."""
    if type(f) is not Composite or type(f.loss) not in LOSSES or type(f.design) not in DATA:
        return None
    known = type(S) in SETS and len(S.shape) == 1 and not (type(S) is Vertices and not S.dense_atoms)
    return Engine(f, S) if known else None
