"""What an algorithm, not only its recursion, cannot beat: one atom a step on the simplex."""

from __future__ import annotations

import numpy as np

from greedyhull.experiments.paper.experiment import Experiment, Figure, Finding, Scale, at_least, curve, equal
from greedyhull.experiments.paper.problems import corners
from greedyhull.experiments.paper.trajectory import play
from greedyhull.solvers.frank_wolfe import FrankWolfe
from greedyhull.solvers.jones import Jones
from greedyhull.solvers.pairwise_jones import PairwiseJones
from greedyhull.solvers.parts.steps import OpenLoop
from greedyhull.theory import one_atom_lower


def run(scale: Scale, seed: int) -> Finding:
    n = 120 if scale.steps < 1000 else 500
    problem, K = corners(n), np.arange(n - 1)
    first = problem.atoms[0]
    values = {name: play(problem, solver, n - 2, seed=seed, start=first).errors + problem.least for name, solver in (
        ("Frank-Wolfe, line search", FrankWolfe()), ("Frank-Wolfe, 2/(k + 2)", FrankWolfe(OpenLoop(late=False))),
        ("Jones", Jones()), ("pairwise Jones", PairwiseJones()))}
    bound = one_atom_lower(K)
    least = min(float((v[: n - 1] * (np.arange(len(v[: n - 1])) + 1.0)).min()) for v in values.values())
    searched = values["Frank-Wolfe, line search"]
    checks = (
        at_least("all methods: least f(w_k)(k + 1)", least, 1.0, 1e-9),
        equal("Frank-Wolfe with line search: f(w_k)(k + 1), furthest from 1",
              float(np.abs(searched * (np.arange(len(searched)) + 1.0) - 1.0).max()) + 1.0, 1.0, 1e-9),
    )
    shown = Figure("simplex", f"‖w‖² over a simplex of {n} corners", "k + 1", "f", (
        *(curve(name, np.arange(len(v)) + 1, v) for name, v in values.items()), curve("1/(k + 1)", K + 1, bound, "bound")))
    return Finding("No method that adds one corner a step is below 1/(k + 1); Frank-Wolfe with line search is there "
                   "exactly. So 1/k is the best order for the algorithms too.", checks, (shown,))


EXPERIMENT = Experiment(
    "one_atom", "Beside Theorem 3", "One atom a step cannot do better",
    "For f = ‖w‖² on the simplex a point with k + 1 corners has f(w) ≥ 1/(k + 1), while f* = 1/n.",
    "Not in the paper, whose Theorem 3 is about a recursion; this is about the algorithms.",
    "Does the order 1/k bind the algorithms themselves?",
    run,
)
