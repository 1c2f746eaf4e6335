"""Corrective rounds in coordinates in the compiled core: those of `coordinate_rounds`, without Python between them."""

from __future__ import annotations

from collections.abc import Generator
from math import isfinite, prod
from typing import Any

import numpy as np

from greedyhull.atoms.geometry.grouped_region import GroupedRegion
from greedyhull.atoms.geometry.regions import BallRegion, BoxRegion, FillingRegion
from greedyhull.kernels.core import core
from greedyhull.objectives.composite import Composite
from greedyhull.objectives.designs.dense import DenseDesign
from greedyhull.objectives.designs.sparse import SparseDesign
from greedyhull.objectives.factored import FactoredForm
from greedyhull.objectives.quadratic import QuadraticForm
from greedyhull.objectives.ridged import Ridged
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.parts.compiled_rounds import CompiledRounds, contiguous, loss_of
from greedyhull.solvers.parts.directions import MOST, spanned, spans
from greedyhull.solvers.parts.memory import Memory
from greedyhull.solvers.parts.progress import Progress
from greedyhull.types import Array, AtomSet, Objective, Region
from greedyhull.types.kinds import second_order

GROUPED = 3  # as native/coordinate_door.cpp numbers regions
# least squares over boxes and sums in so many coordinates, so many times as many as rows, are solved by rows
WIDE, FEWER = 500, 5


def compiled_coordinates(f: Objective, S: AtomSet, w: Iterate, steps: int, cold: bool) -> CompiledCoordinates | None:
    """The rounds of this problem in the core, or None where it cannot run them.

    ``cold``, they begin where f is lower: at w or at the point of the set nearest to the origin.
    """
    region, curved = S.traits.region, second_order(f)
    if core is None or region is None or curved is None or not isinstance(w, CoordinateIterate):
        return None
    told = _told(region)
    if told is None or (type(region) in (BoxRegion, FillingRegion) and _wide(f)):
        return None
    made: Any = None
    if isinstance(f, QuadraticForm) and type(f) is QuadraticForm:
        made = _form_rounds(f, told)
    elif isinstance(f, FactoredForm) and type(f) is FactoredForm:
        made = _factored_rounds(f, told)
    elif isinstance(f, Composite) and type(f) in (Composite, Ridged):
        made = _rounds(f, told, steps, spans(curved, region))
    if made is None:
        return None
    assert isinstance(f, Composite | QuadraticForm)
    rounds = CompiledCoordinates(f, S, made, w, cold and told[0] != GROUPED)  # a corner has few coordinates
    return rounds if isfinite(rounds.gap) else None


def _wide(f: Objective) -> bool:
    """Whether systems of the few rows of least squares are much smaller than those of coordinates, which the core solves."""
    if not (type(f) is Composite and f.quadratic and type(f.design) is DenseDesign and not f.has_intercept):
        return False
    d = prod(f.domain)
    return WIDE <= d <= MOST and FEWER * f.design.n <= d


def _told(region: Region) -> tuple[int, Array, Array, float] | None:
    """Kind, two vectors and a number, as native/coordinate_door.cpp takes them."""
    if type(region) is BoxRegion:
        return 0, _vector(region.low), _vector(region.high), 0.0
    if type(region) is FillingRegion and region.low is None:
        return 1, _vector(region.high), _vector(region.high), float(region.total)
    if type(region) is GroupedRegion:
        return GROUPED, _vector(region.high), np.concatenate([region.of, region.room]), float(region.total)
    return (2, _vector(region.middle), _vector(region.middle), float(region.radius)) if type(region) is BallRegion else None


def _vector(numbers: Array) -> Array:
    return np.ascontiguousarray(numbers, dtype=np.float64)


def _rounds(f: Composite, told: tuple[int, Array, Array, float], steps: int, along_span: bool) -> Any:
    assert core is not None
    most = spanned(f.domain[0]) if along_span else MOST
    design, about = f.design, (loss_of(f), f.quadratic, f.has_intercept, *told, f.l2, steps, along_span, most)
    if type(design) is DenseDesign:
        return core.dense_region_rounds(contiguous(design.X), *about)
    if type(design) is SparseDesign:
        return core.sparse_region_rounds(*design.columns_of, design.n, *about)
    return None


def _form_rounds(f: QuadraticForm, told: tuple[int, Array, Array, float]) -> Any:
    assert core is not None
    design = f.design
    if (f.domain[0] > MOST and told[0] != GROUPED) or type(design) not in (DenseDesign, SparseDesign):
        return None
    Q = design.X if type(design) is DenseDesign else design.by_column.toarray()
    Q = np.ascontiguousarray(Q.T if Q.flags.f_contiguous else Q, dtype=np.float64)  # it is symmetric
    return core.form_region_rounds(Q, _vector(f.b), *told, MOST)


def _factored_rounds(f: FactoredForm, told: tuple[int, Array, Array, float]) -> Any:
    """Over a box, and over balls, systems of the few factors are the smaller ones, and Python solves these."""
    assert core is not None
    F = f.design.F
    if told[0] not in (1, GROUPED) or type(F) is not DenseDesign:
        return None
    return core.factored_region_rounds(contiguous(F.X), _vector(f.design.D), _vector(f.b), *told, MOST)


class CompiledCoordinates(CompiledRounds):
    """The core's rounds and the coordinates that follow them."""

    def __init__(self, f: Composite | QuadraticForm, S: AtomSet, made: Any, w: CoordinateIterate, cold: bool) -> None:
        self.f, self.S, self.core, self.entries = f, S, made, f.design.n * prod(f.domain)
        made.begin(w.x.ravel().copy(), cold)
        self.gap: float = made.look()  # not finite where numbers are out of the core's range

    def run(self, f: Objective, w: Iterate, memory: Memory) -> Generator[Progress, None, bool]:
        self._stand(w)  # the core may have begun elsewhere
        return (yield from super().run(f, w, memory))

    def _stand(self, w: Iterate) -> None:
        assert isinstance(w, CoordinateIterate)
        w.x[...] = self.core.point().reshape(w.shape)
