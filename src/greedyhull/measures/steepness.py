"""How steep the terms of f are: L, for bounds and smoothing, and V, how much a term's slope can matter on the set."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from greedyhull.atoms.base import AtomSet as DefaultSet
from greedyhull.atoms.generator import generator
from greedyhull.atoms.geometry.row_ranges import row_norms
from greedyhull.atoms.wrapped import Wrapped
from greedyhull.measures.reach import reach
from greedyhull.objectives.batch import check_terms, counts_of
from greedyhull.points.entering import as_answer
from greedyhull.points.lengths import length, rms, times
from greedyhull.theory.bound import Constant
from greedyhull.types import Array, AtomSet, LinearModel, Minibatch, Objective
from greedyhull.types.kinds import linear_model, streamed, summed

SAMPLED = 32  # terms that are looked at where there is no formula


class Steepness(NamedTuple):
    """L with E‖gᵢ‖² ≤ L², and V: half of max ⟨gᵢ, ·⟩ − min ⟨gᵢ, ·⟩ over the set, its root mean square over the terms.

    For the ball of radius r around a centre V ≤ Lr, with equality for the l2 ball; for the l1 ball V may be far smaller.
    """

    L: Constant
    V: float


def steepness(f: Objective, S: AtomSet, x: Array) -> Steepness:
    """From the data of a linear model; otherwise from some terms at the point x, which is an estimate.

    >>> import greedyhull as gh
    >>> steepness(gh.absolute(np.array([[3.0, 4.0]]), [0.0]), gh.L1Ball(2, 2.0), np.zeros(2))
    Steepness(L=L = 5 (upper bound), V=8.0)
    """
    model = linear_model(f)
    if model is not None and len(f.domain) == 1 and not model.has_intercept and (model.n <= SAMPLED or _knows_ranges(S)):
        return _of_model(model, S)
    return _of_terms(f, S, x)


def _knows_ranges(S: AtomSet) -> bool:
    """Whether the set has a formula for the ranges of rows; the default asks the oracle twice for each of them."""
    return not isinstance(S, Wrapped) and type(S).row_ranges is not DefaultSet.row_ranges


def _of_model(f: LinearModel, S: AtomSet) -> Steepness:
    """|ℓ'ᵢ| ≤ what the loss says on the range of aᵢ·w, times ‖aᵢ‖ or half the width of that range; and l2‖w‖."""
    design = f.design.precise()
    low, high = S.row_ranges(design)
    with np.errstate(over="ignore", invalid="ignore"):
        slopes = times(np.broadcast_to(f.exact.lipschitz(low, high), f.n), counts_of(f))
        steep, wide = times(slopes, row_norms(design)), times(slopes, 0.5 * (high - low))
    R, D = reach(S) if f.l2 else (0.0, 0.0)  # the slope l2·w of a ridge is the same in every term
    return Steepness(Constant(rms(steep) + f.l2 * R, "upper bound", "L"), rms(wide) + f.l2 * R * 0.5 * D)


def _of_terms(f: Objective, S: AtomSet, x: Array) -> Steepness:
    oracle = S.oracle(generator(S, 0))
    norms, widths = [], []
    with np.errstate(over="ignore", invalid="ignore"):
        for term in _some(f):
            g = term.gradient(x)
            norms.append(length(g))
            low, high = (as_answer(oracle.argmin(sign * g), S.shape).atom for sign in (1.0, -1.0))
            widths.append(0.5 * (high.dot(g) - low.dot(g)))
    return Steepness(Constant(rms(np.array(norms)), "estimated", "L"), rms(np.array(widths)))


def _some(f: Objective) -> list[Minibatch]:
    """A few terms, one by one: spread over the sum, or drawn from the stream with random numbers of their own."""
    stream = streamed(f)
    if stream is not None:
        rng = np.random.default_rng(0)
        return [stream.batch(1, rng) for _ in range(SAMPLED)]
    check_terms(f)
    whole = summed(f)
    assert whole is not None  # no stream, and its terms can be taken
    return [whole.batch(np.array([i])) for i in np.unique(np.linspace(0, whole.n - 1, SAMPLED).astype(np.intp))]
