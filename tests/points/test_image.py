"""z = Aw carried along by moves: it counts them, so that what is told of its rounding is true."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.points.coordinate_iterate import restored
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import BasisBlock
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.solver_state import Memory
from greedyhull.types import Solver

HAIR = 3 * 2.0**-54  # of an atom's weight; the weights between ¼ and ½ take it up exactly, the image rounds it up by a third
MOVES = 2000
S = gh.Simplex(3)


def problem() -> Any:
    """½z² of z = w₁ + 2w₂ ≥ 1."""
    return gh.least_squares(np.array([[1.0, 2.0, 1.5]]), np.zeros(1))


def begin() -> Iterate:
    return Iterate(BasisBlock(3, [0, 1, 2], [1.0, 1.0, 1.0]), np.array([0.375, 0.375, 0.25]), (3,))


def creep(f: Any, w: Iterate, how: str) -> None:
    """Hand a hair of weight from the first atom to the second."""
    move = w.between(w.worst(np.array([1.0, 0.0, 0.0])), gh.Basis(1, 1.0))
    if how == "foreseen":
        f.at(w).ahead(move, HAIR, f.loss)
    w.move(move, HAIR)


def exact(w: Iterate) -> Fraction:
    """f(w) without rounding, from the atoms and weights."""
    a = dict(zip(w.block.index.tolist(), w.weights.tolist(), strict=True))  # type: ignore[attr-defined]
    return (Fraction(a[0]) + 2 * Fraction(a[1]) + Fraction(3, 2) * Fraction(a[2])) ** 2 / 2


@pytest.mark.parametrize("how", ["seen", "foreseen"])
def test_the_rounding_told_is_at_least_what_many_moves_have_done(how: str) -> None:
    f, w = problem(), begin()
    assert f.fresh(w)
    before = f.rounding(w, S)
    for _ in range(MOVES):
        creep(f, w, how)
    drift = abs(Fraction(f.value(w)) - exact(w))
    assert drift > 2 * before  # what is told of a fresh image would not do
    assert drift <= f.rounding(w, S) and not f.fresh(w)
    w.refresh()
    assert f.fresh(w) and f.rounding(w, S) == pytest.approx(before, rel=1e-6)
    assert abs(Fraction(f.value(w)) - exact(w)) <= before


@dataclass(frozen=True)
class Creeping(Solver):
    """A solver that makes tiny steps."""

    how: str
    looks_back = True

    def run(self, f: Any, S: Any, w: Iterate, memory: Memory) -> Iterator[Progress]:
        oracle = memory.oracle(S)
        for _ in memory.count():
            g = f.gradient(w)
            yield Progress(w, f.gradient_dot(w) - oracle.argmin(g).atom.dot(g))
            creep(f, w, self.how)


Creeping.__module__ = "greedyhull.creeping"  # as one of the library's: what others report is computed once more anyway


@pytest.mark.parametrize("how", ["seen", "foreseen"])
def test_the_value_returned_is_that_of_the_point_returned(how: str) -> None:
    """A run that carried its image along computes it from the atoms once more before it says what the point is worth."""
    s = gh.minimize(problem(), S, Creeping(how), start=begin(), stop=gh.Iterations(MOVES))
    assert s.iterations == MOVES and s.value is not None
    assert abs(Fraction(s.value) - exact(s.point)) <= Fraction(s.value) * Fraction(2) ** -50


@pytest.mark.parametrize("how", ["seen", "foreseen"])
def test_every_value_underway_is_within_its_rounding_of_the_truth(how: str) -> None:
    off: list[Fraction] = []
    f = problem()

    def watch(event: Any) -> None:
        off.append(abs(Fraction(event.value) - exact(event.point)) - Fraction(f.rounding(event.point, S)))

    gh.minimize(f, S, Creeping(how), start=begin(), stop=gh.Iterations(MOVES), watch=watch)
    assert max(off) <= 0


def test_a_whole_step_to_an_image_that_was_computed_is_as_good_as_new() -> None:
    f, w = problem(), begin()
    creep(f, w, "seen")
    move = w.toward(gh.Basis(2, 1.0))
    f.at(w).lead(move, np.array([1.5]))
    w.move(move, 1.0)
    assert f.fresh(w) and f.value(w) == 1.125


def test_a_saved_image_remembers_its_moves() -> None:
    f, w = problem(), begin()
    f.value(w)
    for _ in range(10):
        creep(f, w, "seen")
    again = restored(w.state())
    assert not f.fresh(again) and f.rounding(again, S) == f.rounding(w, S) and f.value(again) == f.value(w)
