"""Settings that are not there: the error of a solver, a step rule, a look or a gradient estimator names those that are."""

import copy
import inspect
import pickle
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import pytest

import greedyhull as gh
from greedyhull.errors import hinted
from greedyhull.solvers import gradients

HOMES = "greedyhull.solvers."
SETTINGS = [cls for room in (gh, gradients) for cls in (getattr(room, name) for name in room.__all__)
            if isinstance(cls, type) and is_dataclass(cls) and cls.__module__.startswith(HOMES)]
NAMED = [(cls, name) for cls in SETTINGS for name, member in vars(cls).items() if isinstance(member, classmethod)]
NEEDED = {"eta": 0.5, "p": 0.5, "rule": gh.OpenLoop(), "size": 10, "horizon": 10}


def example(cls: Any) -> Any:
    return cls(**{name: NEEDED[name] for name in inspect.signature(cls).parameters if name in NEEDED})


def noted(call: Callable[[], Any], error: type[Exception] = TypeError) -> str:
    with pytest.raises(error) as caught:
        call()
    return " ".join(getattr(caught.value, "__notes__", []))


def test_all_settings_are_looked_at() -> None:
    assert len(SETTINGS) >= 35 and len(NAMED) >= 14
    assert {gh.FrankWolfe, gh.Storc, gh.OpenLoop, gh.Exact, gh.Regret, gh.Growing, gradients.Dual} <= set(SETTINGS)


@pytest.mark.parametrize("cls", SETTINGS, ids=lambda cls: cls.__name__)
def test_every_misspelt_setting_is_recognised(cls: Any) -> None:
    for name in inspect.signature(cls).parameters:
        wrong = f"{name}x" if len(name) > 1 else f"{name}p"
        assert noted(lambda: cls(**{wrong: 1})) == f"There is no {wrong} here. Did you mean {name}=?"  # noqa: B023
    assert noted(lambda: cls(quux=1)).startswith(f"There is no quux here. {cls.__name__} takes ")


@pytest.mark.parametrize("cls, name", NAMED, ids=lambda part: part if isinstance(part, str) else part.__name__)
def test_class_methods_do_too(cls: Any, name: str) -> None:
    make = getattr(cls, name)
    for one in inspect.signature(make).parameters:
        wrong = f"{one}x" if len(one) > 1 else f"{one}p"
        assert noted(lambda: make(**{wrong: 1})) == f"There is no {wrong} here. Did you mean {one}=?"  # noqa: B023


@pytest.mark.parametrize("cls", SETTINGS, ids=lambda cls: cls.__name__)
def test_an_attribute_that_is_not_there_is_answered_with_those_that_are(cls: Any) -> None:
    made = example(cls)
    said = noted(lambda: made.quux, AttributeError)
    assert said.startswith(f"{cls.__name__} has ") and all(field.name in said for field in fields(cls))
    assert not hasattr(made, "quux") and getattr(made, "quux", 7) == 7


@pytest.mark.parametrize("cls", SETTINGS, ids=lambda cls: cls.__name__)
def test_settings_can_be_copied_compared_and_shown(cls: Any) -> None:
    made = example(cls)
    assert copy.copy(made) == copy.deepcopy(made) == made and hash(made) == hash(copy.copy(made))
    assert pickle.loads(pickle.dumps(made)) == replace(made) == made and repr(made).startswith(cls.__name__)
    assert list(inspect.signature(cls).parameters) == [field.name for field in fields(cls)]


@pytest.mark.parametrize("call, words", [
    (lambda: gh.FrankWolfe(stepp=gh.Short()), "Did you mean step=?"),  # type: ignore[call-arg]
    (lambda: gh.FrankWolfe(line_search=True), "Did you mean step=?"),  # type: ignore[call-arg]
    (lambda: gh.FrankWolfe(Step=gh.Short()), "Did you mean step=?"),  # type: ignore[call-arg]
    (lambda: gh.FrankWolfe(max_iter=50), "It is an argument of gh.minimize: stop=gh.Iterations(50)."),  # type: ignore[call-arg]
    (lambda: gh.Storc(seed=3), "It is an argument of gh.minimize: seed=3."),  # type: ignore[call-arg]
    (lambda: gh.StochasticFrankWolfe(random_state=3), "gh.minimize: seed=3"),  # type: ignore[call-arg]
    (lambda: gh.Jones(stop=gh.Gap(1e-3)), "It is an argument of gh.minimize: stop=..."),  # type: ignore[call-arg]
    (lambda: gh.StochasticJones(batch_size=32), "Did you mean batch=?"),  # type: ignore[call-arg]
    (lambda: gh.StochasticFrankWolfe.dual(batchsize=32), "Did you mean batch=?"),  # type: ignore[call-arg]
    (lambda: gh.StochasticFrankWolfe.dual(32), "StochasticFrankWolfe.dual takes batch=, step="),  # type: ignore[call-arg]
    (lambda: gh.Exact(3), "Exact takes no arguments."),  # type: ignore[call-arg]
    (lambda: gh.harmonic(scal=2.0), "Did you mean scale=?"),  # type: ignore[call-arg]
    (lambda: gh.of_gap(fractoin=0.5), "Did you mean fraction=?"),  # type: ignore[call-arg]
])
def test_it_says_what_was_meant(call: Callable[[], Any], words: str) -> None:
    assert words in noted(call)


def test_errors_from_within_are_left_alone() -> None:
    @hinted
    @dataclass(frozen=True)
    class Given:
        value: Any = 0

        def __post_init__(self) -> None:
            len(self.value)

        @property
        def inner(self) -> Any:
            return self.value.quux

    assert noted(lambda: Given(3)) == "" and noted(lambda: Given(value=3)) == ""
    assert noted(lambda: Given("").inner, AttributeError) == ""
    assert noted(lambda: gh.Power()) == ""  # type: ignore[call-arg]


def test_classes_derived_from_a_solver_name_their_own_settings() -> None:
    @dataclass(frozen=True)
    class Mine(gh.FrankWolfe):
        speed: float = 1.0

    assert noted(lambda: Mine().quux, AttributeError) == "Mine has step, tolerance, speed."  # type: ignore[attr-defined]
    assert Mine(speed=2.0).speed == 2.0 and not hasattr(Mine(), "")
