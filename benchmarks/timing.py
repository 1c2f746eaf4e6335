"""Clocks: interleaved medians, so that a slow minute of the machine slows everybody alike."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from statistics import median
from time import perf_counter, process_time
from typing import Any

clock = perf_counter


def count_processor_time() -> None:
    """From now on count the seconds this process computes, not those that pass: for a machine that others use as well."""
    global clock
    clock = process_time


def seconds(call: Callable[[], Any]) -> float:
    """How long one call takes, without the garbage collector."""
    gc.disable()
    try:
        began = clock()
        call()
        return clock() - began
    finally:
        gc.enable()


def best(call: Callable[[], Any], repeats: int = 7) -> float:
    """The fastest of several calls: the cost of the code itself, for calls that take microseconds."""
    return min(seconds(call) for _ in range(repeats))


def interleaved(calls: Mapping[str, Callable[[], Any]], repeats: int = 7, patience: float = 60.0) -> dict[str, float]:
    """The median seconds of each call, measured in turns: a, b, c, a, b, c, …

    Short calls are made several times a turn, for 20 ms, and the turn counts with their median. A call that has used up
    ``patience`` seconds is not repeated any more; the others go on.
    """
    turns: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(repeats):
        for name, call in calls.items():
            if sum(turns[name]) < patience:
                turns[name].append(_turn(call))
    return {name: median(of_one) for name, of_one in turns.items()}


def _turn(call: Callable[[], Any], least: float = 0.02) -> float:
    times = [seconds(call)]
    while sum(times) < least:
        times.append(seconds(call))
    return median(times)
