"""Proposition 3: stochastic Frank-Wolfe with single terms may converge to the wrong point."""

from __future__ import annotations

import numpy as np

from greedyhull.experiments import asfw_eg_b
from greedyhull.experiments.asfw_eg_b import WrongLimit
from greedyhull.experiments.paper.experiment import (
    Check,
    Experiment,
    Figure,
    Finding,
    Scale,
    Table,
    at_least,
    at_most,
    curve,
    equal,
)
from greedyhull.experiments.paper.trajectory import unwarned


def run(scale: Scale, seed: int) -> Finding:
    runs = 2 * scale.runs
    checks: list[Check] = []
    found: list[tuple[float, str, WrongLimit]] = []
    at = [1, 3, 10, 30] + ([100, 300] if scale.runs > 100 else [])
    with unwarned():
        over = [asfw_eg_b(0.5, k=k, runs=runs, seed=seed) for k in at]
        for r in (0.3, 0.5, 0.9):
            got = asfw_eg_b(r, k=at[-1], runs=runs, seed=seed)
            found.append((r, "2/(k + 2)", got))
        for eta in (0.2, 0.5, 1.0):
            got = asfw_eg_b(0.5, eta, k=30, runs=runs, seed=seed)
            found.append((0.5, f"constant {eta}", got))
        turns = [asfw_eg_b(0.5, (1.0, 0.5), k=k, runs=1500, seed=seed) for k in (21, 22)]
        found += [(0.5, f"1 and ½ by turns, k = {k}", got) for k, got in zip((21, 22), turns, strict=True)]
    rows = tuple((r, steps, got.measured, got.error, got.exact, got.limit) for r, steps, got in found)
    checks += [equal(f"steps 1 and ½ by turns, after a step {step}: exactly {exact}", got.measured, value, got.room)
               for step, exact, value, got in (("1", "2/9", 2 / 9, turns[0]), ("½", "3/16", 3 / 16, turns[1]))]
    off = max(abs(got.measured - got.exact) / got.room for _, _, got in found)
    checks += [
        at_most("all runs: distance from the exact expectation, over what chance explains", off, 1.0),
        at_least("r = ½: the expected error at the last k over its limit", over[-1].exact / (2.75 / 18), 1.0),
    ]
    k = np.array(at, dtype=float)
    shown = Figure(
        "limit",
        "r = ½, steps 2/(k + 2): the error does not vanish",
        "k",
        "E f − f*",
        (
            curve(f"mean of {runs} runs", k, [g.measured for g in over], "dots"),
            curve("exact", k, [g.exact for g in over], "exact"),
            curve("limit r(8 − 5r)/18", k, np.full(len(k), 2.75 / 18), "bound"),
        ),
    )
    table = Table("Measured and exact", ("r", "steps", "mean error", "standard error", "exact", "limit"), rows)
    return Finding(
        "The expected error goes to r(8 − 5r)/18 > 0 with vanishing steps, and stays further away with constant "
        "ones; with steps 1 and ½ by turns it goes to and fro between 2/9 and 3/16. Every mean agrees with its closed form.",
        tuple(checks),
        (shown,),
        (table,),
    )


EXPERIMENT = Experiment(
    "proposition3",
    "Proposition 3",
    "Single terms may lead to the wrong point",
    "There is a smooth convex sum for which ASFW with single terms has a limit of E f(w_k) above f*: three unit vectors at "
    "120°, targets (1, −1, −1), the ball of radius r < 1. The atoms do not depend on w, their mean is (0, 2r/3), the "
    "optimum (0, r).",
    "Printed for arbitrary steps, which is false: η_k = 0 from w* has no error, and alternating 1 and ½ has no limit. True "
    "for given steps with an infinite sum that go to zero; the limit is r(8 − 5r)/18.",
    "Where does the expected error go?",
    run,
)
