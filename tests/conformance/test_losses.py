"""Every loss that ships keeps its promises, with sample weights, intercepts and sparse data."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import greedyhull as gh
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
}


@pytest.mark.parametrize("name", FACTORIES)
def test_the_loss_keeps_its_promises(name: str) -> None:
    make, targets = FACTORIES[name]
    check_loss(make, targets=targets)


def test_every_loss_that_ships_is_checked() -> None:
    from importlib import import_module
    from pathlib import Path

    import greedyhull.losses as losses

    files = {path.stem for path in Path(losses.__path__[0]).glob("*.py")} - {"__init__", "base", "profiled"}
    classes = {name for file in files for name, it in vars(import_module(f"greedyhull.losses.{file}")).items()
               if isinstance(it, type) and it.__module__ == f"greedyhull.losses.{file}" and hasattr(it, "terms")}
    assert classes <= {"Squared", "Logistic", "SquaredHinge", "Huber", "Poisson", "Power", "NegativeLog"}, (
        "Add the new loss to this file."
    )
