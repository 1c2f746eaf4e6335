"""What a solver needs is what it says, in the words of this edition or of the one before."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull import extend
from greedyhull.driver.checks import by_coordinates
from greedyhull.extend import Needs, Progress
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.solvers.parts.requirements import requirements_of


class Silent:
    def run(self, f: Any, S: Any, w: Any, memory: Any) -> Iterator[Progress]:
        for _ in memory.count(first=0):
            yield Progress(w, f.gradient_dot(w) - memory.oracle(S).argmin(f.gradient(w)).atom.dot(f.gradient(w)))


def test_a_solver_that_says_nothing_needs_its_atoms() -> None:
    assert requirements_of(Silent()) == Needs(atoms=True)


@pytest.mark.parametrize("back", [True, False])
def test_the_older_words_are_understood(back: bool) -> None:
    class Older(Silent):
        looks_back = back
        needs_smooth = True

    assert requirements_of(Older()) == Needs(smooth=True, atoms=back)


def test_a_class_derived_from_one_of_ours_may_use_the_older_words() -> None:
    class Back(gh.FrankWolfe):
        looks_back = True

    class Property(gh.FrankWolfe):
        @property
        def looks_back(self) -> bool:
            return True

    assert requirements_of(gh.FrankWolfe()) == Needs(smooth=True, atoms=False)
    assert requirements_of(Back()) == requirements_of(Property()) == Needs(smooth=True, atoms=True)
    assert requirements_of(gh.Aggregated(Back())).atoms and not requirements_of(gh.Aggregated(gh.FrankWolfe())).atoms


def test_what_was_said_last_counts() -> None:
    class Older(Silent):
        looks_back = True

    class Newer(Older):
        needs = Needs(atoms=False, smooth=True)

    class Both(Silent):
        needs, looks_back = Needs(atoms=False), True

    class OlderAgain(Newer):
        looks_back = True

    assert requirements_of(Newer()) == Needs(atoms=False, smooth=True)
    assert requirements_of(Both()) == Needs(atoms=False)
    assert requirements_of(OlderAgain()) == Needs(atoms=True, smooth=True)


def test_the_older_words_are_understood_of_objects_and_of_whoever_stands_in_for_them() -> None:
    @dataclass(frozen=True, slots=True)
    class Told(Silent):
        looks_back: bool

    class Proxy:
        def __init__(self, solver: Any) -> None:
            self.solver = solver

        def __getattr__(self, name: str) -> Any:
            return getattr(self.solver, name)

    for solver in (Told(False), Proxy(Told(False)), Proxy(gh.FrankWolfe())):
        assert not requirements_of(solver).atoms  # type: ignore[arg-type]
    assert requirements_of(Proxy(gh.FrankWolfe())).smooth  # type: ignore[arg-type]


@pytest.mark.parametrize(("back", "kept"), [(True, True), (False, False)])
def test_dense_atoms_are_kept_for_a_derived_class_that_looks_back(back: bool, kept: bool) -> None:
    Derived = type("Derived", (gh.FrankWolfe,), {"looks_back": back})
    s = gh.minimize(gh.least_squares(np.eye(3), np.ones(3)), gh.L2Ball(3, 1.0), Derived(), stop=gh.Iterations(3))
    assert isinstance(s.point, CoordinateIterate) is not kept


@pytest.mark.parametrize("needs", [True, "smooth", {"atoms": True}, Needs])
def test_needs_of_another_type_are_told(needs: object) -> None:
    Wrong = type("Wrong", (Silent,), {"needs": needs})
    with pytest.raises(gh.GreedyhullError, match=r"Wrong.needs must be greedyhull.extend.Needs"):
        gh.minimize(gh.least_squares(np.eye(3), np.ones(3)), gh.Simplex(3), Wrong(), stop=gh.Iterations(3))


def test_solvers_inside_solvers_are_asked_once_each() -> None:
    asked = []

    class Counted(gh.FrankWolfe):
        @property
        def needs(self) -> Needs:  # type: ignore[override]
            asked.append(self)
            return Needs()

    solver: Any = Counted()
    for _ in range(8):
        solver = gh.Aggregated(solver)
    assert requirements_of(solver) == Needs() and len(asked) == 1


@pytest.mark.parametrize("n, rows, coordinates", [(46, 100, False), (46, 46 * 46, True), (8, 3, True)])
def test_few_rows_over_a_large_polytope_keep_their_atoms(n: int, rows: int, coordinates: bool) -> None:
    class Rows(extend.DesignBase):
        """Known by its products alone."""

        dtype, domain, frobenius = np.dtype(float), (n, n), float(n)

        def __init__(self) -> None:
            self.n, self.places = rows, np.random.default_rng(0).integers(0, n * n, rows)

        def matvec(self, w: Any) -> Any:
            return w.ravel()[self.places]

        def adjoint(self, r: Any) -> Any:
            return np.bincount(self.places, r, n * n).reshape(n, n)

    f, S = gh.least_squares(Rows(), np.ones(rows)), gh.Birkhoff(n)
    needs = requirements_of(gh.Corrective())
    assert by_coordinates(f, S, needs) is coordinates
