"""Every loss that ships keeps its promises, with sample weights, intercepts and sparse data."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import greedyhull as gh
from greedyhull.objectives import losses
from greedyhull.testing import check_loss

FACTORIES: dict[str, tuple[Callable[..., Any], str]] = {
    "least_squares": (gh.least_squares, "real"),
    "logistic": (gh.logistic, "labels"),
    "squared_hinge": (gh.squared_hinge, "labels"),
    "huber": (gh.huber, "real"),
    "huber, narrow": (partial(gh.huber, delta=0.2), "real"),
    "poisson": (gh.poisson, "counts"),
    "lp_loss, p = 1.2": (partial(gh.lp_loss, p=1.2), "real"),
    "lp_loss, p = 2": (partial(gh.lp_loss, p=2.0), "real"),
    "lp_loss, p = 4": (partial(gh.lp_loss, p=4.0), "real"),
    "log_likelihood": (gh.log_likelihood, "none"),
    "hinge": (gh.hinge, "labels"),
    "absolute": (gh.absolute, "real"),
    "quantile": (partial(gh.quantile, q=0.3), "real"),
    "epsilon_insensitive": (partial(gh.epsilon_insensitive, epsilon=0.3), "real"),
}


@pytest.mark.parametrize("name", FACTORIES)
def test_the_loss_keeps_its_promises(name: str) -> None:
    make, targets = FACTORIES[name]
    check_loss(make, targets=targets)


def test_every_loss_that_ships_is_checked() -> None:
    """Here, or in a test of its own that calls the kit."""
    known = {"Squared", "Logistic", "SquaredHinge", "Huber", "Poisson", "Power", "NegativeLog", "PiecewiseLinear"}
    texts = [path.read_text(encoding="utf-8") for path in Path(__file__).parents[1].rglob("test_*.py")]
    files = {path.stem for path in Path(losses.__path__[0]).glob("*.py")} - {"__init__", "base", "profiled"}
    classes = {
        name
        for file in files
        for name, it in vars(import_module(f"greedyhull.objectives.losses.{file}")).items()
        if isinstance(it, type) and it.__module__ == f"greedyhull.objectives.losses.{file}" and hasattr(it, "terms")
    }
    # their rows have several numbers, which the kit would part; tests/objectives/test_multinomial.py has them
    known |= {"Softmax", "SoftmaxWithIntercepts"}
    missing = {name for name in classes - known if not any("check_loss" in text and name in text for text in texts)}
    assert not missing, f"No test calls check_loss on {missing}; add them to this file."
