"""What is said of a solver or a stop that is not one: most often something else was meant, and can be named."""

from __future__ import annotations

from collections.abc import Iterator
from types import GeneratorType
from typing import Any

import numpy as np

from greedyhull.driver.stop import Stop
from greedyhull.errors import GreedyhullError, check
from greedyhull.errors.given import shown
from greedyhull.errors.hints import nearest

STEPS = "greedyhull.solvers.parts.steps"
SOLVERS = {  # names of algorithms that people write in words
    "fw": "FrankWolfe", "vanilla": "FrankWolfe", "cg": "FrankWolfe", "bpfw": "BlendedPairwise", "pfw": "BlendedPairwise",
    "afw": "BlendedPairwise", "fcfw": "Corrective", "sfw": "StochasticFrankWolfe",
    **{name.lower(): name for name in ("FrankWolfe", "Jones", "PairwiseJones", "BlendedPairwise", "Corrective", "Mixed",
                                       "Aggregated", "Smoothed", "StochasticFrankWolfe", "StochasticJones", "LuFreund",
                                       "MoreauFrankWolfe", "RegularizedStochasticFrankWolfe", "Storc",
                                       "VarianceReducedJones")},
}


def check_seed(seed: object) -> None:
    """Raise if something else was given in place of a seed."""
    if not (isinstance(seed, (int, np.integer)) and not isinstance(seed, bool) and 0 <= seed < 2**63):
        raise GreedyhullError(f"seed={shown(seed)} was given; a whole number from 0 to 2⁶³ − 1 is wanted.")


def check_solver(solver: object) -> None:
    """Raise if something else was given in place of a solver: a stop, a step rule, a name."""
    home = type(solver).__module__
    if solver is None or (home.startswith("greedyhull.solvers.") and home != STEPS):
        return
    check(not isinstance(solver, Stop), lambda: f"solver={shown(solver)} was given, which is a stop. Give it by name: "
                                                f"stop={shown(solver)}.")
    if isinstance(solver, str):
        near = nearest(solver.lower().replace("_", "").replace("-", "").replace(" ", ""), SOLVERS) or "FrankWolfe"
        raise GreedyhullError(f"solver={solver!r} was given; a solver such as {near}() is wanted, not its name.")
    if isinstance(solver, type):
        raise GreedyhullError(f"solver={shown(solver)} was given; a solver such as FrankWolfe() is wanted. "
                              f"Make one: {solver.__name__}().")
    check(type(solver).__module__ != STEPS, lambda: f"solver={shown(solver)} was given, which is a step rule; a solver is "
                                                    f"wanted. Give the rule to one: FrankWolfe({shown(solver)}).")


def check_steps(solver: object, steps: object) -> None:
    """Raise unless ``run`` of a solver returned something to iterate over: without a yield it is no generator."""
    if type(steps) is GeneratorType:
        return
    check(isinstance(steps, Iterator), lambda: f"run(f, S, w, memory) of {shown(solver)} returned {shown(steps)}; a generator "
                                               "is wanted, which yields Progress.of(w, gap, answer) once for each iteration.")


def check_stop(stop: Any) -> None:
    """Raise if a stop is not one, in words that say how to write the one that was probably meant."""
    if isinstance(stop, Stop):
        return
    how = "a stop such as Gap(1e-6) | Seconds(30) is wanted"
    if isinstance(stop, list | tuple) and stop and all(isinstance(one, Stop) for one in stop):
        how = f"one stop is wanted. Combine several by | or &: {' | '.join(map(shown, stop))}"
    elif isinstance(stop, type) and issubclass(stop, Stop):
        how = f"{how}. Make one: {stop.__name__}(...)"
    elif isinstance(stop, int) and not isinstance(stop, bool):
        how = f"{how}, for instance Iterations({stop})"
    elif isinstance(stop, float):
        how = f"{how}, for instance Relative({stop!r}) for a relative gap or Gap({stop!r}) for an absolute one"
    elif callable(stop):
        how = f"{how}. For a function of an event, Callback(fn)"
    raise GreedyhullError(f"stop={shown(stop)} was given; {how}.")
