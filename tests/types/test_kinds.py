"""What users' solvers, step rules and callbacks may have beyond their protocol is found by name, without a base class."""

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.driver.resume import digest
from greedyhull.points.arrays import compact, dense, is_sparse
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import Basis
from greedyhull.types import field_values, lacks, own

f, S = gh.quadratic(np.diag([1.0, 2.0, 3.0])), gh.Simplex(3)


class Plain:
    """A solver with slots and nothing optional."""

    __slots__ = ()

    def run(self, f, S, w, memory):
        return gh.FrankWolfe().run(f, S, w, memory)


class Choosy(Plain):
    def first(self, f, S):
        return Iterate.at(Basis(2, 1.0), S.shape)

    def cautions(self, f, S):
        yield "The third vertex is an odd place to begin."


class Quiet(Choosy):
    cautions = None


class Delegating:
    """Whatever is asked of it is asked of another solver."""

    def __init__(self, other: Any) -> None:
        self.other = other

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.other, name)


def solve(solver, **how):
    return gh.minimize(f, S, solver, stop=gh.Iterations(0), **how)


def test_a_solver_needs_nothing_but_run():
    assert np.array_equal(solve(Plain()).x, solve(gh.FrankWolfe()).x)


@pytest.mark.parametrize("solver", [Choosy(), Delegating(Choosy())], ids=["own", "delegated"])
def test_a_solver_may_choose_its_start_and_warn(solver):
    with pytest.warns(gh.GreedyhullWarning, match="odd place to begin"):
        assert np.array_equal(solve(solver).x, [0.0, 0.0, 1.0])
    with pytest.warns(gh.GreedyhullWarning):
        assert np.array_equal(solve(solver, start=np.array([1.0, 0.0, 0.0])).x, [1.0, 0.0, 0.0])


def test_none_in_place_of_an_optional_method_is_none_at_all():
    class Silent:
        close = None

        def __call__(self, event):
            pass

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(solve(Quiet(), watch=Silent()).x, [0.0, 0.0, 1.0])


def test_a_callback_is_closed_once_if_it_can_be():
    class Watcher:
        closed = 0

        def __call__(self, event):
            assert not self.closed

        def close(self):
            self.closed += 1

    watcher = Watcher()
    solve(gh.FrankWolfe(), watch=watcher)
    assert watcher.closed == 1


@pytest.mark.parametrize("around", [lambda inner: gh.Mixed((gh.FrankWolfe(), inner)), gh.Aggregated,
                                    lambda inner: Delegating(gh.Aggregated(inner))], ids=["several", "another", "delegated"])
def test_their_tolerances_are_checked(around):
    with pytest.raises(gh.GreedyhullError, match=r"tolerance=0\.5 was given"):
        solve(around(gh.FrankWolfe(tolerance=0.5)))


def test_the_curvature_that_a_rule_has_met_is_told():
    met = gh.minimize(f, S, gh.FrankWolfe(gh.Backtracking()), stop=gh.Iterations(5)).curvature
    assert met is not None and met > 0.0
    assert gh.minimize(f, S, gh.FrankWolfe(gh.OpenLoop()), stop=gh.Iterations(5)).curvature is None


@dataclass(frozen=True, slots=True)
class Slotted:
    a: int = 1
    b: Any = field(default=None)


def test_attributes_of_odd_things():
    assert lacks(None, "a", "b") == ["a", "b"] and lacks(Slotted(), "a", "b") == [] and lacks(Slotted, "a") == ["a"]
    assert lacks(Slotted()) == [] and own(Slotted()) is None and own(None) is None
    values = [1.0]
    kept = field_values(Slotted(b=values))
    assert kept is not None and kept == {"a": 1, "b": values} and kept["b"] is values
    assert field_values(Slotted) is None and field_values(3) is None


def test_a_digest_reads_slots_fields_and_dictionaries():
    assert digest(S.traits) == digest(gh.Simplex(3).traits) != digest(gh.L1Ball(3, 2.0).traits)
    assert digest(gh.FrankWolfe()) != digest(gh.FrankWolfe(gh.OpenLoop()))
    fresh, used = gh.Vertices(np.eye(3)), gh.Vertices(np.eye(3))
    assert used.diameter > 0.0 and digest(fresh) == digest(used) != b""


def test_sparse_matrices_of_other_packages():
    class Compressible:
        def tocsc(self):
            from scipy.sparse import csc_array

            return csc_array(np.eye(2))

    class Written:
        def toarray(self):
            return np.eye(2)

    for matrix in (Compressible(), Written()):
        assert is_sparse(matrix) and np.array_equal(dense(matrix), np.eye(2))
        assert np.array_equal(dense(compact(matrix)), np.eye(2))
    assert not any(is_sparse(x) for x in (np.eye(2), [[1.0]], None, 2.0, Compressible))


THINGS = (gh.FrankWolfe(), gh.Jones(), gh.OpenLoop(), gh.Simplex(3), gh.Gap(1e-3), gh.Cached(gh.Simplex(3)))


@pytest.mark.parametrize("thing", THINGS, ids=repr)
def test_what_is_lacking_is_what_cannot_be_read(thing: object) -> None:
    """Where errors about attributes are worded, they are not made: the answer is that of `hasattr`."""
    names = ["step", "run", "tolerance", "first", "cautions", "solvers", "solver", "oracle", "radius", "S", "misses"]
    assert lacks(thing, *names) == [name for name in names if not hasattr(thing, name)]


def test_a_name_that_only_the_object_has_is_there() -> None:
    S = gh.Simplex(3)
    S.extra = 1  # type: ignore[attr-defined]
    assert lacks(S, "extra", "more") == ["more"]
