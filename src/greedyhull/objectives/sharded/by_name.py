"""Objectives by name over shards: ``logistic(data)`` in place of ``logistic(X, y)``."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast, overload

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.objectives.designs.base import DesignBase
from greedyhull.objectives.losses.base import Separable
from greedyhull.objectives.sharded.part import Kind
from greedyhull.types import Shards

P = ParamSpec("P")
R = TypeVar("R")
TINY = (np.ones((2, 1)), np.array([0.0, 1.0]))  # data on which the other arguments are checked


@overload
def over_shards(*, instead: str) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
@overload
def over_shards(targets: str = "numbers", numbers: tuple[str, ...] = ()) -> Callable[[Callable[..., R]],
                                                                                     Callable[..., Any]]: ...
def over_shards(targets: str = "numbers", numbers: tuple[str, ...] = (), instead: str = "") -> Any:
    """Let an objective of data take shards in place of X and y.

    ``targets`` says what targets are, ``numbers`` which attributes of its loss it is made with. An objective that needs all
    rows in one place says what to use ``instead``.
    """
    def wrap(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def either(*args: P.args, **kwargs: P.kwargs) -> R:
            if args and not isinstance(args[0], np.ndarray | DesignBase) and isinstance(args[0], Shards):
                return cast(R, made(function, args[0], args[1:], kwargs))
            return function(*args, **kwargs)

        def made(function: Callable[..., Any], shards: Shards, rest: tuple[Any, ...], named: dict[str, Any]) -> Any:
            name = function.__name__
            check(not instead, lambda: f"{name} was given shards, and needs all rows in one place. {instead}")
            check(not rest and not {"y", "sample_weight"} & set(named), f"{name} was given shards and more data; targets and "
                  "weights come with the shards. Give the other arguments by name.")
            return over(function, shards, named, targets, numbers)

        return either

    return wrap


def over(function: Callable[..., Any], shards: Shards, named: dict[str, Any], targets: str, numbers: tuple[str, ...]) -> Any:
    """The objective of a loss over shards; its other arguments are checked as they are for arrays."""
    from greedyhull.objectives.sharded.model import ShardedModel

    check(shards.count >= 1, "There are no shards; at least one is wanted.")
    check(shards.d >= 1, lambda: f"The shards have {shards.d} columns; at least one is wanted.")
    sample = function(*TINY, **named)
    loss: Any = sample.exact.loss if sample.has_intercept else sample.exact
    if not isinstance(loss, Separable):
        raise GreedyhullError(f"{sample!r} is no sum over rows, which is all that shards can be added up for.")
    kind = Kind(type(loss), sample.name, tuple(vars(loss)[number] for number in numbers), targets)
    if loss.smooth:
        return ShardedModel(shards, kind, sample.has_intercept, sample.l2)
    from greedyhull.objectives.sharded.kinked import KinkedShards

    return KinkedShards(shards, kind, sample.has_intercept, sample.l2)
