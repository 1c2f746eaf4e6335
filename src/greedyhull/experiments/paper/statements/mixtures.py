"""The remark on updates that are no worse than a scheduled step, mixtures of both families among them."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.experiments.paper.experiment import Experiment, Figure, Finding, Scale, Table, bounded, curve, fitted
from greedyhull.experiments.paper.problems import corners, logit, squares
from greedyhull.experiments.paper.trajectory import play
from greedyhull.solvers.corrective import Corrective
from greedyhull.solvers.frank_wolfe import FrankWolfe
from greedyhull.solvers.jones import Jones
from greedyhull.solvers.mixed import Mixed
from greedyhull.solvers.parts.steps import Backtracking, Exact, OpenLoop, Short
from greedyhull.theory import line_search_rate, rate

UPDATES: dict[str, Any] = {
    "Frank-Wolfe, scheduled": FrankWolfe(OpenLoop()),
    "Frank-Wolfe, short steps": FrankWolfe(Short()),
    "Frank-Wolfe, line search": FrankWolfe(Exact()),
    "Frank-Wolfe, backtracking": FrankWolfe(Backtracking()),
    "Jones, scheduled": Jones(OpenLoop()),
    "Jones, joint choice": Jones(),
    "both by turns": Mixed((FrankWolfe(OpenLoop()), Jones(OpenLoop()))),
    "the better of both": Mixed(choose="better"),
    "fully corrective": Corrective(),
}
FASTER = "updates that are no worse than a step are better than it; c = 0, and Theorem 2 is attained by its part with c"
CORNERS = "on the simplex line search has f = 1/(k + 1), a quarter of the bound, and no update can have less (see below)"


def run(scale: Scale, seed: int) -> Finding:
    steps, rows, curves, searched = min(scale.steps // 2, 500), [], [], 0.0
    every = np.arange(1, steps + 1)
    for problem in (squares(seed), logit(seed), corners(40)):
        for name, solver in UPDATES.items():
            played = play(problem, solver, steps)
            k, e = played.k[1:], played.errors[1:]
            rows.append(
                (problem.name, name, float((e / rate(problem.M, 0.0, k)).max()), fitted(k, np.where(e > 1e-9, e, 0.0)))
            )
            if name in ("Frank-Wolfe, short steps", "Frank-Wolfe, line search", "Jones, joint choice"):
                searched = max(searched, float((e / line_search_rate(problem.M, k)).max()))
            if problem.name == "logistic" and name in (
                "Frank-Wolfe, scheduled",
                "Frank-Wolfe, line search",
                "Jones, joint choice",
                "both by turns",
            ):
                curves.append(curve(name, k, e))
        if problem.name == "logistic":
            curves.append(curve("2M/(k + 2)", every, rate(problem.M, 0.0, every), "bound"))
    checks = (
        bounded("all updates: largest error over (2M + 4c)/(k + 2)", max(float(row[2]) for row in rows), why=FASTER),
        bounded("line search, short steps, joint choice: largest error over 2M/(k + 3)", searched, room=1e-9, why=CORNERS),
    )
    shown = Figure("updates", "Logistic regression over an l1 ball", "k", "error", tuple(curves))
    table = Table(
        "Largest error over the bound of Theorem 2", ("problem", "update", "error / bound", "fitted power"), tuple(rows)
    )
    return Finding(
        "All nine updates stay below the bound of Theorem 2, mixtures of the two families among them; steps "
        "that look at f obey 2M/(k + 3).",
        checks,
        (shown,),
        (table,),
    )


EXPERIMENT = Experiment(
    "mixtures",
    "Remark after Theorem 2",
    "Any update that is no worse keeps the rate",
    "An update that ends no higher than a c-FW or c-Jones step of length 2/(k + 2), or than the model of one, has the rate of "
    "Theorem 2. So the families may be mixed, and steps may be searched for.",
    "True. No worse must be meant of the model f(w) − ηg + Mη²/2 at the scheduled step: a short step minimises the model and "
    "may end above f at that step.",
    "Do searched steps, mixtures and corrective steps stay below the bound of the scheduled ones?",
    run,
)
