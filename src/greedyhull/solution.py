"""What `minimize` returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from greedyhull.certificate import Certificate
from greedyhull.iterate import Iterate
from greedyhull.theory import Bound
from greedyhull.trace import Trace


@dataclass
class Solution:
    """A point of the hull with the proof of how good it is.

    ``value − min f ≤ gap`` holds for the point as returned, recomputed from its atoms. ``reason`` says in words why
    the run stopped and what to do; ``converged`` is true only if the certified gap meets what was asked for.
    """

    point: Iterate
    certificate: Certificate
    reason: str
    converged: bool
    iterations: int
    seconds: float
    trace: Trace
    solver: Any
    objective: Any = field(repr=False)
    atom_set: Any = field(repr=False)
    curvature: float | None = None
    choice: str = ""  # why this solver, where `minimize` chose it
    also: dict[str, Any] = field(default_factory=dict)

    @property
    def value(self) -> float | None:
        return self.certificate.value

    @property
    def gap(self) -> float | None:
        """The certified gap, where its certificate is of kind "always"."""
        return self.certificate.gap if self.certificate.kind == "always" else None

    @property
    def price(self) -> float | None:
        """What one more unit of radius is worth: −∂f*/∂radius at the optimum, from the gradient at the point.

        For sets with a radius r whose atoms scale with it about a centre m, it is −⟨∇f(w), w − m⟩/r; None where the set
        has no radius.
        """
        radius = getattr(self.atom_set, "radius", None)
        if radius is None:
            return None
        slope = float(self.objective.euler(self.point))
        middle = getattr(self.atom_set, "middle", None)
        if middle is not None:
            slope -= float(np.vdot(self.objective.gradient(self.point), middle))
        return -slope / float(radius)

    @property
    def intercept(self) -> float:
        """The intercept that belongs to the point; 0 where the objective has none."""
        return float(self.objective.intercept(self.point)) if hasattr(self.objective, "intercept") else 0.0

    def bounds(self) -> list[Bound]:
        """The paper's bounds that apply to this run, each constant marked exact, upper bound or estimated."""
        from greedyhull.bounds import bounds_of

        return bounds_of(self)

    def report(self, path: str | Path) -> Path:
        """Write one self-contained HTML page about the run."""
        from greedyhull.report import write

        return write(self, path)

    def __repr__(self) -> str:
        value = "unknown" if self.value is None else f"{self.value:.10g}"
        gap = "unknown" if self.certificate.gap is None else f"{self.certificate.gap:.3g}"
        state = "converged" if self.converged else "not converged"
        atoms = f", {len(self.point)} atoms" if self.point.keeps_atoms else ""
        return (f"Solution(value={value}, gap={gap} ({self.certificate.kind}), {state}, {self.iterations} iterations, "
                f"{self.seconds:.3g} s{atoms}, solver={self.solver!r}, reason={self.reason!r})")
