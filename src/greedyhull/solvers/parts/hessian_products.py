"""When a quadratic model is minimised by products with the Hessian, which is then never written out."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

from greedyhull.objectives.by_products import ByProducts
from greedyhull.objectives.composite import Composite
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.gradients import as_array
from greedyhull.points.shapes import Dense
from greedyhull.types import Array, SecondOrder, Small
from greedyhull.types.kinds import imaged

FEW = 200  # coordinates: a Hessian of fewer is written out, and factorised, in less time than a hundred products take
MOST = 2000  # coordinates up to which there is another way
MANY = 1200  # coordinates from which on products pay even with data that are stored as a matrix


def by_products(f: SecondOrder, small: Small, w: CoordinateIterate) -> Callable[[Array], Array] | None:
    """v ↦ ∇²f(w)v for flat v where the coordinates are many, and f is a map that is known by its products; else None."""
    d = prod(f.domain)
    if d <= FEW or f.traits.remote:
        return None
    if isinstance(small, ByProducts):
        curved = small.f
        return lambda v: as_array(curved.hessian_product(w, v.reshape(w.shape)), w.shape).ravel()
    model = imaged(f)
    if model is None or (d <= MOST and (model.design.n < d or model.design.dtype != np.float64)):
        return None  # with fewer rows than coordinates, systems of the rows are the smaller ones
    if model.design.stored and d <= MANY:
        return None
    design = model.design
    if isinstance(f, Composite) and type(f) is Composite and f.quadratic and not f.has_intercept:
        p = f.loss.p
        if isinstance(p, float) and design.dtype == np.float64:  # curvatures that are all alike
            return lambda v: p * as_array(design.adjoint(design.matvec(v.reshape(w.shape))), w.shape).ravel()

    def product(v: Array) -> Array:
        V = v.reshape(w.shape)
        w.work.products += 2.0
        return as_array(model.hessian_product(w, design.matvec(V), Dense(V)), w.shape).ravel().astype(np.float64, copy=False)

    return product
