"""check_step: does a step rule stay on its line, and go down it?"""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.errors import GreedyhullError
from greedyhull.objectives.line import Curve, Parabola
from greedyhull.objectives.losses.logistic import Logistic
from greedyhull.objectives.losses.negative_log import NegativeLog
from greedyhull.objectives.losses.poisson import Poisson
from greedyhull.solvers.parts.careful import no_rule
from greedyhull.solvers.parts.rules import APriori
from greedyhull.testing.expect import expect, saved
from greedyhull.types import Loss
from greedyhull.types.attributes import lacks


def check_step(rule: Any, *, descends: bool | None = None, seed: int = 0) -> None:
    """Check a step rule on parabolas, curves, flat and bounded lines.

    ``descends`` says that a step never raises h and is zero where h does not fall; left out, it is taken to be so for
    rules without a schedule ``at(k)``. A rule may refuse a line with a `GreedyhullError`.

    >>> from greedyhull import OpenLoop, Short
    >>> check_step(OpenLoop())
    >>> check_step(Short())
    """
    expect(not lacks(rule, "start"), no_rule(rule))
    descends = not isinstance(rule, APriori) if descends is None else descends
    rng = np.random.default_rng(seed)
    before = repr(rule)
    for lines in (_parabolas(rng), _curves(rng), _edges()):
        _check_range(rule, lines, descends)
        _check_state(rule, lines)
    expect(repr(rule) == before, f"{before} has become {rule!r}: a rule is frozen, its working form remembers.")


def _parabolas(rng: np.random.Generator) -> list[Any]:
    return [Parabola(float(rng.normal()), float(-rng.exponential()), float(rng.exponential()), float(top))
            for top in (1.0, 1.0, 0.3, 0.02, 5.0, 1.0) for _ in range(4)]


def _curves(rng: np.random.Generator) -> list[Any]:
    """Lines of smooth losses, some of which end at a limit."""
    lines: list[Any] = []
    for _ in range(6):
        z, dz, y = rng.normal(size=5), rng.normal(size=5), np.where(rng.random(5) < 0.5, -1.0, 1.0)
        lines += [Logistic(y, 0.2).along(z, _downhill(Logistic(y, 0.2), z, dz), 1.0),
                  Poisson(np.abs(np.round(y)), 0.2).along(z, _downhill(Poisson(np.abs(y), 0.2), z, 3 * dz), 1.0)]
        log, inside = NegativeLog(np.zeros(5), 0.2), np.abs(z) + 0.1
        lines += [log.along(inside, _downhill(log, inside, 4 * dz), 1.0), log.along(inside, np.abs(dz), 1.0)]
    return lines


def _downhill(loss: Loss, z: Any, dz: Any) -> Any:
    return dz if loss.gradient(z).dot(dz) < 0 else -dz


def _edges() -> list[Any]:
    """Lines that are flat, rise, are of no length, end nowhere near, or are infinite from some point on."""
    barrier = Curve(
        lambda s: -np.log1p(-s / 0.4) - 9 * s if s < 0.4 else np.inf,
        lambda s: (2.5 / (1 - s / 0.4) - 9, 6.25 / (1 - s / 0.4) ** 2) if s < 0.4 else (np.inf, np.inf),
        -6.5,
        1.0,
        limit=0.4,
    )
    return [
        Parabola(1.0, 0.0, 0.0, 1.0),
        Parabola(1.0, 0.0, 2.0, 1.0),
        Parabola(1.0, 0.5, 2.0, 1.0),
        Parabola(1.0, -0.5, 0.0, 1.0),
        Parabola(1.0, -1.0, 2.0, 0.0),
        Parabola(1.0, -1e-300, 1.0, 1.0),
        Parabola(1.0, -1e-17, 1e-17, 1.0),
        Parabola(0.0, -1e-9, 1e9, 1.0),
        Parabola(1e12, -1.0, 1.0, 1.0),
        Parabola(1.0, -1.0, 1.0, 1e6),
        barrier,
    ]


def _asked(step: Any, line: Any, k: int) -> float | None:
    try:
        return float(step(line, k))
    except GreedyhullError:
        return None


def _check_range(rule: Any, lines: list[Any], descends: bool) -> None:
    for warm, fresh in ((False, False), (True, False), (False, True), (True, True)):  # fresh: each line is the first one met
        step = rule.start(warm)
        for k, line in enumerate(lines):
            eta = _asked(rule.start(warm) if fresh else step, line, k)
            if eta is None:
                continue
            about = f"{rule!r} at k = {k}, slope {line.slope:.3g}, max_step {line.max_step:.3g}, limit {line.limit:.3g}"
            expect(np.isfinite(eta), f"{about}: the step is {eta}.")
            expect(0.0 <= eta <= line.max_step, f"{about}: the step {eta!r} leaves [0, max_step].")
            expect(eta < line.limit, f"{about}: the step {eta!r} reaches the limit of the line's domain.")
            if descends:
                expect(line.slope < 0.0 or eta == 0.0, f"{about}: the line does not fall, yet the step is {eta!r}.")
                start, end = line.value(0.0), line.value(eta)
                expect(
                    end <= start + 1e-13 * (abs(start) + 1e-300),
                    f"{about}: the step {eta!r} raises h from {start!r} to {end!r}.",
                )


def _check_state(rule: Any, lines: list[Any]) -> None:
    """Half the lines, a saved state, and the other half: the steps are those of one run."""
    whole, first, second = rule.start(True), rule.start(True), rule.start(False)
    half = len(lines) // 2
    steps = [_asked(whole, line, k) for k, line in enumerate(lines)]
    for k, line in enumerate(lines[:half]):
        _asked(first, line, k)
    second.restore(saved(first.state()))
    again = [_asked(second, line, half + k) for k, line in enumerate(lines[half:])]
    expect(steps[half:] == again, f"{rule!r}, saved after {half} steps and restored, goes on with other steps than before.")
