"""What was given is shown in a few words, whatever it is."""

from functools import partial
from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.errors import LONGEST, shown, signed, takes


class Worker:
    def __call__(self, event: Any) -> None: ...

    def watch(self, event: Any) -> None: ...


@pytest.mark.parametrize("value, words", [
    (None, "None"), (3, "3"), (-0.0, "-0.0"), (1e-200, "1e-200"), ("fw", "'fw'"), ([1, 2], "[1, 2]"), (float("nan"), "nan"),
    (np.zeros(3), "array([0., 0., 0.])"), (np.ones((8, 3)), "an array of shape (8, 3)"),
    (np.zeros(0), "array([], dtype=float64)"),
    ([[1.0] * 30] * 4, "a list of shape (4, 30)"), ([[1.0] * 30, [2.0]], "a list"), (gh.Simplex, "the class Simplex"),
    (len, "the function len"), (gh.minimize, "the function minimize"), (Worker().watch, "the function watch"),
    (gh.Simplex(3), "Simplex(3, total=1)"), (dict.fromkeys(range(30), "a" * 9), "a dict"),
])
def test_things_are_shown_in_a_few_words(value: Any, words: str) -> None:
    assert shown(value) == words


@pytest.mark.parametrize("value", [np.zeros((300, 300)), list(range(10**4)), "a" * 999, {"a": np.ones((9, 9))}, 10**200])
def test_nothing_long_is_shown(value: Any) -> None:
    assert len(shown(value)) <= LONGEST and "\n" not in shown(value)


def test_a_broken_repr_costs_no_message() -> None:
    class Broken:
        def __repr__(self) -> str:
            raise RuntimeError("mine")

    assert shown(Broken()) == "a Broken"
    with pytest.raises(gh.GreedyhullError, match="radius = a Broken was given"):
        gh.L1Ball(3, Broken())  # type: ignore[arg-type]


def test_frames_are_shown_by_their_shape() -> None:
    pd = pytest.importorskip("pandas")
    assert shown(pd.DataFrame(np.ones((8, 3)))) == "a DataFrame of shape (8, 3)"


def test_functions_are_asked_whether_they_take_arguments() -> None:
    assert takes(lambda w: w, None) and takes(lambda *args: args, None, None) and takes(np.sin, None) and takes(max, None)
    assert takes(Worker(), None) and takes(Worker().watch, None) and takes(partial(lambda a, b: a, 1), None)
    assert not takes(lambda: 0, None) and not takes(lambda w, *, need: w, None) and not takes(Worker(), None, None)


def test_functions_are_shown_with_their_arguments() -> None:
    assert signed(lambda a, b=2: a) == "<lambda>(a, b=2)" and signed(Worker()).startswith("Worker(event")
