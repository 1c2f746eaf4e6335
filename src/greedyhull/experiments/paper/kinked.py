"""Losses with kinks over small sets, with their exact minimum and the constants of ARSFW."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from greedyhull.atoms.geometry.row_ranges import row_norms
from greedyhull.experiments.paper.problems import atom_rows
from greedyhull.objectives.by_name import absolute, hinge
from greedyhull.types import Array, AtomSet, Finite, Objective


@dataclass(frozen=True, eq=False)
class Kinked:
    """f over S with minimum ``least``; subgradients of terms are at most L, R² is the largest ½‖w − w₁‖², D the diameter."""

    name: str
    f: Objective
    S: AtomSet
    least: float
    L: float
    R2: float
    D: float

    @property
    def constants(self) -> dict[str, float]:
        """What `theory.arsfw` asks for."""
        return {"L": self.L, "M_Phi": self.D**2, "R2": self.R2}


def kinked(name: str, S: Finite, seed: int, n: int = 60) -> Kinked:
    """The hinge or the absolute loss on random data over a set whose atoms can be listed."""
    rng = np.random.default_rng(seed)
    d = S.shape[0]
    X = rng.standard_normal((n, d))
    y = X @ rng.standard_normal(d) + 0.5 * rng.standard_normal(n)
    f = hinge(X, np.where(y > 0, 1.0, -1.0)) if name == "hinge" else absolute(X, y)
    atoms, centre = atom_rows(S), S.centre().array()
    least = minimum(name, X, np.where(y > 0, 1.0, -1.0) if name == "hinge" else y, atoms)
    return Kinked(name, f, S, least, float(row_norms(f.design).max()), 0.5 * float(((atoms - centre) ** 2).sum(axis=1).max()),
                  float(S.sizes().diameter))


def minimum(name: str, X: Array, y: Array, atoms: Array) -> float:
    """By linear programming: min mean(u) over weights of the atoms, with u at least every linear piece of the loss."""
    from scipy.optimize import linprog

    n, m = len(X), len(atoms)
    Z = X @ atoms.T
    pieces = [(-y[:, None] * Z, -np.ones(n))] if name == "hinge" else [(Z, y), (-Z, -y)]  # piece·weights − u ≤ right
    A = np.vstack([np.hstack([piece, -np.eye(n)]) for piece, _ in pieces])
    right = np.concatenate([right for _, right in pieces])
    cost, total = np.concatenate([np.zeros(m), np.full(n, 1.0 / n)]), np.concatenate([np.ones(m), np.zeros(n)])[None, :]
    found: Any = linprog(cost, A_ub=A, b_ub=right, A_eq=total, b_eq=[1.0], method="highs")
    return float(found.fun)
