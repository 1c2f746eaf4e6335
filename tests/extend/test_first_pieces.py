"""A first set, rule, solver or stop of one's own that is not right yet: errors are sentences that say what to write."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull import extend

rng = np.random.default_rng(5)
X = rng.standard_normal((30, 4))
f, S = gh.least_squares(X, X[:, 0] - X[:, 1]), gh.L1Ball(4, 1.0)
FEW = gh.Iterations(3)


class Half:
    def __call__(self, line: Any, k: int) -> float:
        return 0.5 * float(line.argmin())


class Corners(extend.AtomSet):
    def __init__(self, shape: Any = None) -> None:
        if shape is not None:
            self.shape = shape

    def argmin(self, g: Any) -> Any:
        return np.where(g > 0, -1.0, 1.0)


class Silent:
    def run(self, f: Any, S: Any, w: Any, memory: Any) -> Any:
        return w


class Yielding:
    def __init__(self, what: Any) -> None:
        self.what = what

    def __repr__(self) -> str:
        return "Yielding()"

    def run(self, f: Any, S: Any, w: Any, memory: Any) -> Any:
        yield self.what


class Steps:
    def run(self, f: Any, S: Any, w: Any, memory: Any) -> Any:
        yield from gh.FrankWolfe().run(f, S, w, memory)


def solve(*args: Any, **named: Any) -> Any:
    return gh.minimize(f, S, *args, **named)


CALLS: dict[str, tuple[Callable[[], Any], str]] = {
    "a number for a rule": (lambda: solve(gh.FrankWolfe(0.1)), r"step=0\.1 .* Constant\(0\.1\)"),  # type: ignore[arg-type]
    "a class for a rule": (lambda: solve(gh.FrankWolfe(gh.OpenLoop)), r"Make one: OpenLoop\(\)"),  # type: ignore[arg-type]
    "a function for a rule": (lambda: solve(gh.FrankWolfe(Half())), r"start\(warm\)"),  # type: ignore[arg-type]
    "a function for a schedule": (lambda: solve(gh.FrankWolfe(tolerance=gh.harmonic)), r"harmonic\(\.\.\.\)"),  # type: ignore
    "a class for a look": (lambda: gh.StochasticFrankWolfe(look=gh.FullGap), r"Make one: FullGap\(\)"),  # type: ignore[arg-type]
    "one solver to mix": (lambda: gh.Mixed(gh.FrankWolfe()), "a tuple of"),  # type: ignore[arg-type]
    "stops by or": (lambda: solve(stop=gh.Gap(1e-3) or gh.Seconds(1)), "Combine stops by |"),
    "stops by and": (lambda: solve(stop=gh.Gap(1e-3) and gh.Seconds(1)), "Combine stops by |"),
    "a set without a shape": (lambda: gh.minimize(f, Corners()), r"self\.shape = \(4,\)"),
    "a shape that is a number": (lambda: gh.minimize(f, Corners(4)), r"shape = 4; a tuple such as \(4,\)"),
    "a solver without a yield": (lambda: solve(Silent()), r"yields Progress\.of"),
    "a solver that yields a float": (lambda: solve(Yielding(0.5)), r"Yielding\(\) yielded 0\.5; .*extend\.Progress"),
    "a solver that yields an array": (lambda: solve(Yielding(np.ones(4))), r"yielded array.*; .*extend\.Progress"),
    "a solver that yields nothing": (lambda: solve(Yielding(None)), r"yielded None; .*extend\.Progress"),
    "NaN for a start": (lambda: solve(start=np.full(4, np.nan)), "start has NaN"),
}


@pytest.mark.parametrize("call", CALLS)
def test_errors_say_what_to_write(call: str) -> None:
    make, wanted = CALLS[call]
    with pytest.raises(gh.GreedyhullError) as error:
        make()
    assert re.search(wanted, str(error.value)), str(error.value)
    assert " at 0x" not in str(error.value) and "<class" not in str(error.value)


def test_the_kit_refuses_a_rule_without_start_in_the_same_words() -> None:
    with pytest.raises(AssertionError, match=r"start\(warm\)"):
        extend.check_step(Half())


def test_sets_and_solvers_without_a_repr_are_shown_by_their_names() -> None:
    T = Corners((4,))
    extend.check_atoms(T)
    assert repr(T) == "Corners(shape=(4,))"
    s = gh.minimize(f, T, Steps(), stop=FEW)  # type: ignore[arg-type]
    for words in (str(s), repr(s), s._repr_html_()):
        assert "Steps()" in words and " at 0x" not in words


def test_a_budget_that_nothing_is_spent_of_has_the_price_zero() -> None:
    s = solve(gh.FrankWolfe(), stop=gh.Iterations(0))
    assert s.price == 0.0 and not np.signbit(s.price) and "-0 " not in str(s)


def test_a_file_of_another_kind_is_refused_without_advice_to_unpickle_it(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    path.write_text("hello")
    with pytest.raises(gh.GreedyhullError, match="checkpoint= wrote") as error:
        solve(resume=path)
    assert "pickle" not in str(error.value)


def test_names_that_sets_have_elsewhere_lead_to_them() -> None:
    for name, ours in (("BirkhoffPolytope", "Birkhoff"), ("NuclearNormBall", "NuclearBall"), ("SchattenBall", "oracle")):
        with pytest.raises(AttributeError, match=f"Use {ours}"):
            getattr(gh, name)


def test_a_run_that_stands_still_does_not_advise_the_solver_that_it_has() -> None:
    s = solve(gh.Corrective(), stop=gh.Gap(0.0))
    assert not s.converged and "Corrective" not in s.reason


def test_one_atom_is_not_several() -> None:
    s = solve(gh.BlendedPairwise(), stop=gh.Iterations(0))
    assert repr(s.point) == "Iterate(1 atom in shape (4,))"
