"""The real problems that are timed: l1-constrained least squares and logistic regression with known optima."""

from __future__ import annotations

import importlib.util
import json
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit, xlogy

import greedyhull as gh

GOAL = 1e-6  # the gap that everybody has to reach, relative to max(|value|, f(0)), as for `greedyhull.Relative`
KINDS = {
    "l1-constrained least squares (lasso, constrained form)": "lasso",
    "l1-constrained logistic regression": "logistic",
}


@dataclass(frozen=True)
class Case:
    """min f(w) over ‖w‖₁ ≤ radius, and the penalised problem min f(w) + alpha‖w‖₁ with the same solution."""

    id: int
    name: str
    kind: str  # "lasso" or "logistic"
    X: Any  # dense in Fortran order, or CSC
    y: Any
    radius: float
    optimum: float
    solution: Any

    @cached_property
    def f(self) -> Any:
        return (gh.least_squares if self.kind == "lasso" else gh.logistic)(self.X, self.y)

    @cached_property
    def S(self) -> Any:
        return gh.L1Ball(self.X.shape[1], self.radius)

    @cached_property
    def alpha(self) -> float:
        """The penalty that belongs to the radius: its price ‖∇f(w*)‖_∞ at the optimum."""
        return float(np.abs(self.X.T @ self.residual(self.X @ self.solution)).max())

    @cached_property
    def price_at_zero(self) -> float:
        """‖∇f(0)‖_∞, the least penalty whose solution is zero."""
        return float(np.abs(self.X.T @ self.residual(np.zeros(len(self.y)))).max())

    @cached_property
    def at_zero(self) -> float:
        return self.loss(np.zeros(len(self.y)))

    def loss(self, z: Any) -> float:
        if self.kind == "lasso":
            return float(np.sum((z - self.y) ** 2)) / (2 * len(self.y))
        return float(np.mean(np.logaddexp(0.0, -self.y * z)))

    def residual(self, z: Any) -> Any:
        """∇φ(z)."""
        return (z - self.y if self.kind == "lasso" else -self.y * expit(-self.y * z)) / len(self.y)

    def conjugate(self, theta: Any) -> float:
        """φ*(θ) = max ⟨θ, z⟩ − φ(z)."""
        n = len(self.y)
        if self.kind == "lasso":
            return float(0.5 * n * theta @ theta + theta @ self.y)
        q = np.clip(-n * self.y * theta, 0.0, 1.0)
        return float(np.mean(xlogy(q, q) + xlogy(1.0 - q, 1.0 - q)))

    # --- has a rival arrived? ---------------------------------------------------------------------------------------

    def certified(self, w: Any) -> bool:
        """Whether w is proved good to 1e-6: as a point of the ball, or by the duality gap of the penalised problem."""
        return self._gap_in_ball(w) <= GOAL or self._penalised_gap(w) <= GOAL

    def near(self, w: Any) -> bool:
        """Whether the penalised value at w is within 1e-6 of the penalised optimum: true, but proved by nothing at w."""
        value, best = self._penalised(w, self.X @ w), self.optimum + self.alpha * self.radius
        return value - best <= GOAL * max(abs(value), self.at_zero)

    def _gap_in_ball(self, w: Any) -> float:
        """The certified gap of w scaled into the ball, relative to max(|value|, f(0))."""
        size = float(np.abs(w).sum())
        c = gh.certify(self.f, self.S, w * min(1.0, self.radius / size) if size > 0 else w)
        assert c.value is not None and c.gap is not None
        return c.gap / max(abs(c.value), self.at_zero)

    def _penalised_gap(self, w: Any) -> float:
        """The duality gap of min f(w) + alpha‖w‖₁ at w and its residual, scaled to be feasible, relative to the same."""
        z = self.X @ w
        theta = self.residual(z)
        theta = theta * min(1.0, self.alpha / float(np.abs(self.X.T @ theta).max()))
        value, lower = self._penalised(w, z), -self.conjugate(theta)
        return (value - lower) / max(abs(value), self.at_zero)

    def _penalised(self, w: Any, z: Any) -> float:
        return self.loss(z) + self.alpha * float(np.abs(w).sum())


# --- where they come from ---------------------------------------------------------------------------------------------


def load_cases(only: tuple[str, ...] = ()) -> tuple[list[Case], list[str]]:
    """The cases whose data are here, and words about those that are not; ``only`` keeps names that hold one of its words."""
    folder = data_folder()
    if not (folder / "references.json").is_file():
        return [], [f"There is no reference data in {folder}; set GREEDYHULL_DATA to the folder that holds references.json."]
    loaders = loaders_in(folder)
    cases, missing = [], []
    for entry in json.loads((folder / "references.json").read_text()):
        kind = KINDS.get(entry["problem"])
        if kind is None:
            continue
        name = f"{kind} {entry['dataset']} r={entry['radius']:g}"
        if only and not any(word in name for word in only):
            continue
        try:
            X, y = (loaders.regression if kind == "lasso" else loaders.classification)(entry["dataset"])
        except FileNotFoundError as error:
            missing.append(f"Left out: {name} ({Path(error.filename).name} is not in the data folder).")
            continue
        solution = np.zeros(X.shape[1])
        for place, weight in entry["solution"].items():
            solution[int(place)] = weight
        cases.append(Case(entry["id"], name, kind, column_major(X), np.ascontiguousarray(y, dtype=np.float64),
                          entry["radius"], entry["optimum"], solution))
    return cases, missing


def data_folder() -> Path:
    """``$GREEDYHULL_DATA``, else ``../shared/data`` seen from the project's root."""
    beside = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
    return Path(os.environ.get("GREEDYHULL_DATA", beside))


def loaders_in(folder: Path) -> Any:
    spec = importlib.util.spec_from_file_location("greedyhull_reference_loaders", folder / "loaders.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# --- layouts ----------------------------------------------------------------------------------------------------------


def column_major(X: Any) -> Any:
    """CSC with 32-bit indices, or Fortran order: what coordinate methods like best."""
    return _narrow(X.tocsc()) if hasattr(X, "tocsc") else np.asfortranarray(X, dtype=np.float64)


def row_major(X: Any) -> Any:
    """CSR with 32-bit indices, or C order."""
    return _narrow(X.tocsr()) if hasattr(X, "tocsr") else np.ascontiguousarray(X, dtype=np.float64)


def _narrow(X: Any) -> Any:
    X = X.astype(np.float64, copy=True)
    X.sort_indices()
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X
