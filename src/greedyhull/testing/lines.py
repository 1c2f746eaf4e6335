"""The promises of a line h(η) = f(w + ηv), for the checks of losses, objectives and step rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from greedyhull.testing.expect import expect


def check_line(line: Any, h: Callable[[float], float], *, what: str, noise: float = 1e-10, derivative: bool = True) -> None:
    """A line's value, slope, derivative, argmin, bend and limit are those of ``h``, which is convex on [0, max_step].

    The slope of a convex h lies between its differences to the left and to the right, so nothing here is a matter of
    tolerance but for the ``noise`` in the values of h.
    """
    top = min(line.max_step, 0.999 * line.limit if np.isfinite(line.limit) else np.inf, 1e3)
    expect(line.max_step >= 0 and line.limit > 0, f"{what}: max_step is {line.max_step} and limit {line.limit}.")
    if top == 0.0:
        return
    steps = np.linspace(0.0, top, 9)
    values = np.array([h(float(s)) for s in steps])
    size = float(np.abs(values).max()) + 1e-300
    off = max(abs(line.value(float(s)) - v) for s, v in zip(steps, values, strict=True))
    expect(off <= noise * size, f"{what}: the line's values are off by {off:.3g}.")
    seen = line.probe(steps)
    expect(np.allclose(seen.values, values, rtol=0, atol=noise * size), f"{what}: probe(steps) does not tell the values.")
    told = np.array([line.derivative(float(s)) for s in steps])
    expect(np.allclose(seen.slopes, told, rtol=1e-9, atol=0), f"{what}: probe(steps) does not tell the derivatives.")
    rises = np.diff(values) / np.diff(steps)
    wobble = 4 * noise * size / (steps[1] - steps[0])
    expect(np.all(np.diff(rises) >= -wobble), f"{what}: h is not convex along the line; its rises are {rises}.")
    if derivative:
        _check_derivative(line, h, top, what, noise * size)
    _check_bend(line, h, steps, what, noise * size)
    step = line.argmin()
    expect(0.0 <= step <= line.max_step and step < line.limit, f"{what}: argmin() is {step}, outside [0, {line.max_step}] "
                                                               f"or not below the limit {line.limit}.")
    expect(h(step) <= values.min() + noise * size, f"{what}: argmin() = {step} has h = {h(step)}, but h = {values.min()} at "
                                                   f"{steps[int(values.argmin())]}.")


def _check_derivative(line: Any, h: Callable[[float], float], top: float, what: str, noise: float) -> None:
    """Slope and derivative lie between the differences to both sides."""
    delta = 1e-5 * top
    for s in (0.0, 0.3 * top, 0.7 * top):
        told = line.slope if s == 0.0 else line.derivative(s)
        right = (h(s + delta) - h(s)) / delta
        slack = 2e-6 * (abs(right) + abs(told)) + 4 * noise / delta
        expect(
            told <= right + slack,
            f"{what}: the derivative at step {s:.3g} is {told:.8g}, but h rises by {right:.8g} after it.",
        )
        if s > 0.0:
            left = (h(s) - h(s - delta)) / delta
            expect(
                told >= left - slack,
                f"{what}: the derivative at step {s:.3g} is {told:.8g}, but h rises by {left:.8g} before it.",
            )
    expect(abs(line.derivative(0.0) - line.slope) <= 1e-9 * (abs(line.slope) + abs(line.derivative(top)) + 1e-300),
           f"{what}: slope is {line.slope:.12g} but derivative(0) is {line.derivative(0.0):.12g}.")


def _check_bend(line: Any, h: Callable[[float], float], steps: Any, what: str, noise: float) -> None:
    """h(η) ≤ h(0) + ηh'(0) + bend·η²/2 on the whole segment, which is what short steps rest on."""
    bend = line.bend
    expect(bend >= 0.0, f"{what}: bend is {bend}; a bound on h'' is wanted, or infinity.")
    if not np.isfinite(bend):
        return
    for s in steps[1:]:
        model = h(0.0) + s * line.slope + 0.5 * bend * s * s
        expect(
            h(float(s)) <= model + 8 * noise + 1e-9 * abs(model),
            f"{what}: with bend {bend:.6g}, h({s:.3g}) should be at most {model:.10g} and is {h(float(s)):.10g}.",
        )
    rises = [line.derivative(float(s)) for s in steps]
    steepest = float((np.diff(rises) / np.diff(steps)).max())
    expect(
        steepest <= bend * (1 + 1e-6) + 8 * noise / float(steps[1]),
        f"{what}: h' rises at a rate of {steepest:.8g}, above the bend {bend:.8g}.",
    )
