"""Theorem 4: Jones atoms are nearly Frank-Wolfe atoms, and conversely."""

from __future__ import annotations

import numpy as np

from greedyhull.atoms.vertices import Vertices
from greedyhull.experiments.paper.experiment import Experiment, Figure, Finding, Scale, Table, at_most, bounded, curve
from greedyhull.experiments.paper.problems import Problem, atom_rows, gradient_at, logit, mixtures, posed, squares, value_at
from greedyhull.experiments.paper.trajectory import play
from greedyhull.objectives.by_name import quadratic
from greedyhull.solvers.frank_wolfe import FrankWolfe
from greedyhull.solvers.jones import Jones
from greedyhull.solvers.parts.steps import OpenLoop
from greedyhull.theory import fw_to_jones, jones_to_fw, prune
from greedyhull.types import Array

RANDOM = "at random points few atoms compete; the triangle is the worst case"


def run(scale: Scale, seed: int) -> Finding:
    rng = np.random.default_rng(seed)
    ratios, rows = [], []
    cloud: list[tuple[Array, Array]] = []
    for problem in (squares(seed, atoms=200), logit(seed)):
        atoms = atom_rows(problem.atoms)
        for eta in (0.3, 0.03, 0.003):
            kept, missed = [], 0
            for w in mixtures(problem.S, max(scale.points // 20, 10), rng):
                fw, jones = both(problem, atoms, w, eta)
                ratios.append((fw[jones.argmin()] / jones_to_fw(0.0, eta, problem.M),
                               jones[fw.argmin()] / fw_to_jones(0.0, eta, problem.M)))
                near = prune(atoms @ gradient_at(problem.f, w), eta, problem.M)
                kept.append(int(near.sum()))
                missed += not near[int(jones.argmin())]
                if problem.name == "least squares" and eta == 0.03 and len(cloud) < 10:
                    cloud.append((fw / problem.M / eta, jones / problem.M / eta))
            rows.append((problem.name, eta, len(atoms), float(np.mean(kept)), missed))
    x, y = (np.concatenate([pair[i] for pair in cloud]) for i in (0, 1))
    near = (x < 3.0) & (y < 3.0)
    line = np.array([0.0, 2.5])
    title = "All atoms at ten points, η = 0.03: both errors in units of Mη"
    shown = Figure("errors", title, "Frank-Wolfe error", "Jones error", (
        curve("an atom", x[near], y[near], "dots"), curve("Jones ≤ Frank-Wolfe + ½", line, line + 0.5, "bound"),
        curve("Frank-Wolfe ≤ Jones + ½", line + 0.5, line, "exact")), log="")
    a, b = (tight(offset) for offset in (True, False))
    largest = np.max(ratios, axis=0)
    runs = together(seed, min(scale.steps, 1000))
    checks = (
        bounded("(a) random points: Frank-Wolfe error of the Jones atom over Mη/2", float(largest[0]), room=1e-9, why=RANDOM),
        bounded("(b) random points: Jones error of the Frank-Wolfe atom over Mη/2", float(largest[1]), room=1e-9, why=RANDOM),
        bounded("(a) on the triangle: error over Mη/2", a, room=1e-12),
        bounded("(b) on the triangle: error over Mη/2", b, room=1e-12),
        at_most("Jones atoms lost by pruning", float(sum(int(row[4]) for row in rows)), 0.0),
    )
    table = Table("How many atoms can be the Jones atom", ("problem", "η", "atoms", "kept on average", "lost"), tuple(rows))
    return Finding("Each kind of atom is of the other kind up to Mη/2, and on a triangle exactly that much is lost, so the "
                   "constant is tight. With short steps few atoms can be the Jones atom.", checks, (shown, runs), (table,))


def both(problem: Problem, atoms: Array, w: Array, eta: float) -> tuple[Array, Array]:
    """The Frank-Wolfe and the Jones error of every atom at w."""
    scores = atoms @ gradient_at(problem.f, w)
    ahead = np.array([value_at(problem.f, w + eta * (d - w)) for d in atoms])
    return scores - scores.min(), (ahead - ahead.min()) / eta


def tight(offset: bool, M: float = 2.0, eta: float = 0.5) -> float:
    """f = (M/2)x² − αx − βy over 0, e₁, e₂ at w = 0: the error of the other kind of e₂ (α = β + Mη/2) or e₁ (α = β)."""
    f = quadratic(np.diag([M, 0.0]), np.array([5.0 + (0.5 * M * eta if offset else 0.0), 5.0]))
    problem = posed("triangle", f, Vertices(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])), 0.0)
    fw, jones = both(problem, atom_rows(problem.atoms), np.zeros(2), eta)
    return float(fw[2] if offset else jones[1]) / (0.5 * M * eta)


def together(seed: int, steps: int) -> Figure:
    """Both algorithms with the same steps on the same problem."""
    problem = squares(seed)
    fw, jones = (play(problem, solver, steps) for solver in (FrankWolfe(OpenLoop()), Jones(OpenLoop())))
    k = fw.k[1:]
    return Figure("runs", "Both algorithms with steps 2/(k + 2)", "k", "error",
                  (curve("Frank-Wolfe", k, fw.errors[1:]), curve("Jones", k, jones.errors[1:])))


EXPERIMENT = Experiment(
    "theorem4", "Theorem 4", "Jones and Frank-Wolfe are equivalent",
    "For a step η > 0, (a) an ε-Jones atom is an (ε + Mη/2)-FW atom, and (b) an ε-FW atom is an (ε + Mη/2)-Jones atom.",
    "True for η > 0. For η = 0 every atom satisfies Jones' condition, and (a) says nothing. Both constants are tight. "
    "Rates should not be derived through it: that gives 4M + 4c where Theorem 2 gives 2M + 4c.",
    "How much is lost from one kind of atom to the other, and can the loss be as large as Mη/2?",
    run,
)
