"""Exact worst cases for few steps, from the performance-estimation problem; PEPit solves it where it is installed."""

from __future__ import annotations

import warnings
from importlib.util import find_spec
from typing import Any

import numpy as np

from greedyhull.errors import installing
from greedyhull.experiments.paper.experiment import Check, Experiment, Figure, Finding, Scale, Table, bounded, curve, equal
from greedyhull.theory import rate

C = 0.25
WORST = np.array([0.5, 0.31262, 0.22785, 0.17803, 0.14621])  # Frank-Wolfe, c = 0, k = 1, …, 5, to 5 digits
ROOM = 1e-5  # what the semidefinite solver may be off by


def run(scale: Scale, seed: int) -> Finding:
    if find_spec("PEPit") is None:
        return Finding(
            f"PEPit is not installed, so nothing was computed here. {installing('paper')} "
            "Then the exact worst case of few steps, over all smooth convex functions and all convex sets, "
            "stands beside the bound.",
            (),
        )
    k = np.arange(1, 4 if scale.steps < 1000 else 7)
    exact, loose, jones = (
        np.array([worst(int(n), c, family) for n in k]) for c, family in ((0.0, "fw"), (C, "fw"), (C, "jones"))
    )
    rows = tuple(
        (int(n), a, rate(1.0, 0.0, int(n), exact=True), b, j, rate(1.0, C, int(n), exact=True))
        for n, a, b, j in zip(k, exact, loose, jones, strict=True)
    )
    checks: list[Check] = [
        bounded("Frank-Wolfe, c = 0: worst case over the sharp bound", float((exact / rate(1.0, 0.0, k, exact=True)).max()),
                room=ROOM),
        bounded(f"Frank-Wolfe, c = {C}: worst case over the sharp bound", float((loose / rate(1.0, C, k, exact=True)).max()),
                room=ROOM),
        bounded(f"Jones, c = {C}: worst case over the sharp bound", float((jones / rate(1.0, C, k, exact=True)).max()),
                room=ROOM),
        equal("Jones: least worst case over the sharp bound, so no more can be proved this way",
              float((jones / rate(1.0, C, k, exact=True)).min()), 1.0, 1e-3),
        equal("Frank-Wolfe, c = 0: largest difference from the worst cases that Theorem 2 is drawn beside",
              float(np.abs(exact[: len(WORST)] - WORST[: len(exact)]).max()), 0.0, 2e-5),
    ]
    shown = Figure(
        "worst",
        "Worst cases with L = D = 1, so M ≤ 1",
        "k",
        "worst error",
        (
            curve("Frank-Wolfe, c = 0", k, exact),
            curve(f"Frank-Wolfe, c = {C}", k, loose),
            curve(f"Jones, c = {C}, at most", k, jones),
            curve("sharp bound, c = 0", k, rate(1.0, 0.0, k, exact=True), "exact"),
            curve(f"sharp bound, c = {C}", k, rate(1.0, C, k, exact=True), "bound"),
        ),
        log="y",
    )
    table = Table(
        "Worst errors after k steps",
        ("k", "Frank-Wolfe, c = 0", "sharp bound", f"Frank-Wolfe, c = {C}", f"Jones, c = {C}", "sharp bound"),
        rows,
    )
    return Finding(
        f"One exact step attains the sharp bound; after {k[-1]} steps the worst case of Frank-Wolfe is "
        f"{exact[-1] / rate(1.0, 0.0, int(k[-1]), exact=True):.2f} of it, with c = {C} "
        f"{loose[-1] / rate(1.0, C, int(k[-1]), exact=True):.2f}. For Jones, the comparison with the "
        "Frank-Wolfe atom, which is all that the proof uses, admits errors as large as the sharp bound at every k.",
        tuple(checks),
        (shown,),
        (table,),
    )


def worst(steps: int, c: float, family: str) -> float:
    """The largest error after ``steps`` steps 2/(k + 2), over all 1-smooth convex f and convex sets of diameter 1.

    For Jones only the comparison with the Frank-Wolfe atom is imposed, so that the number is an upper bound.
    """
    from PEPit import PEP, Point
    from PEPit.functions import ConvexIndicatorFunction, SmoothConvexFunction
    from PEPit.primitive_steps import linear_optimization_step

    problem: Any = PEP()
    f = problem.declare_function(SmoothConvexFunction, L=1.0)
    hull = problem.declare_function(ConvexIndicatorFunction, D=1.0)
    best = (f + hull).stationary_point()
    w = problem.set_initial_point()
    f(w), hull(w)
    for k in range(steps):
        eta, g = 2.0 / (k + 2.0), f.gradient(w)
        s, _, _ = linear_optimization_step(g, hull)
        d = Point() if c > 0.0 or family == "jones" else s
        if d is not s:
            hull(d)
        after = (1.0 - eta) * w + eta * d
        if d is not s and family == "fw":
            problem.add_constraint(g * (d - s) <= c * eta)
        elif d is not s:
            problem.add_constraint(f(after) <= f((1.0 - eta) * w + eta * s) + c * eta**2)
        w = after
    problem.set_performance_metric(f(w) - f(best))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a solver that calls itself inaccurate is allowed for by `ROOM`
        return float(problem.solve(solver="CLARABEL", verbose=0))


EXPERIMENT = Experiment(
    "worst_cases",
    "Theorem 2, exactly",
    "The worst case of few steps",
    "For a given number of steps the largest error that any 1-smooth convex f over any convex set of diameter 1 can show "
    "is the value of a semidefinite programme.",
    "Not in the paper. For c-FW methods the number is exact, for c-Jones methods an upper bound: only the comparison with the "
    "Frank-Wolfe atom, which the proof uses, is imposed.",
    "How far is the bound of Theorem 2 from what can really happen?",
    run,
)
