"""The working atoms of a corrective solver: the active ones, those that may join, and their weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.kinds import linear_model
from greedyhull.objectives.line import NEAR
from greedyhull.points.blocks import block_from
from greedyhull.points.direction import Direction
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.parts.simplex_qp import COMPILED_UP_TO, solve_simplex_qp
from greedyhull.types import Array, Block, SecondOrder, State

EXACT, ROUGH = 1e-6, 3e-3  # to which part of the gap a small quadratic is solved


class Working:
    """Atoms that are reweighted together: ``alpha`` holds the weight of each, zero for those that wait."""

    def __init__(self, f: SecondOrder, w: Iterate) -> None:
        self.f = f
        self._hold(f.restricted(w.block.take(np.arange(len(w)))), w.weights.copy())

    def _hold(self, small: Any, alpha: Array) -> None:
        self.small, self.alpha = small, alpha
        self.keys = set(small.block.keys)

    def join(self, w: Iterate, atoms: Block) -> None:
        """Let ``atoms`` join; where too many wait in vain, those leave first."""
        if len(self.alpha) > 3 * (len(w) + len(atoms)):
            keep = (self.alpha > 0.0).nonzero()[0]
            if len(keep) < len(self.alpha):
                self.small.take(keep)
                self._hold(self.small, self.alpha[keep])
        new = [i for i, key in enumerate(atoms.keys) if key not in self.keys]
        if new:
            fresh = atoms if len(new) == len(atoms) else atoms.take(np.array(new))
            self.small.extend(fresh, w)
            self.keys.update(fresh.keys)
            self.alpha = np.concatenate([self.alpha, np.zeros(len(new))])

    def reweight(self, w: Iterate, gap: float, steps: int, stride: int) -> None:
        """Minimise f over the hull of the working atoms to a tenth of ``gap``, by at most ``steps`` Newton steps.

        Each of these is a small quadratic problem; few atoms cost as much to solve exactly as roughly.
        """
        small, tol = self.small, 0.1 * gap
        exact = EXACT if len(self.alpha) <= COMPILED_UP_TO else ROUGH
        for i in range(steps):
            grad = small.gradient(w)
            if i and float(self.alpha.dot(grad) - grad.min()) <= tol:
                return
            target = solve_simplex_qp(small.hessian(w, stride), grad, self.alpha, exact * gap)
            move = small.direction(w, self.alpha, target)
            step = self._step(w, move, float((target - self.alpha).dot(grad - grad.min())))
            if step <= 0.0:
                return
            w.move(move, step)
            self.alpha = target if step == 1.0 else np.maximum(self.alpha + step * (target - self.alpha), 0.0)
            if self.f.traits.quadratic:
                return

    def _step(self, w: Iterate, move: Direction, slope: float) -> float:
        """The whole step if it does a quarter of what its slope promises, else a shorter one that does.

        The error falls like the square of the gap: once it drowns in the rounding of f, the slope, summed from scores
        relative to the best one, still tells a step that lowers the gap.
        """
        f, view = self.f, self.f.at(w)
        if slope >= 0.0:
            return 0.0
        start = f.value(w)
        noise = 4.0 * float(np.finfo(view.z.dtype).eps) * (abs(start) + abs(f.euler(w)))
        model = linear_model(f)
        if model is None or f.traits.quadratic:
            line = f.along(w, move)
            return 1.0 if line.value(1.0) <= start + 0.25 * slope + noise else float(line.argmin())
        limit = model.loss.limit(view.z, view.direction(move))
        step = 1.0 if limit > 1.0 else NEAR * limit
        for _ in range(4):
            value = view.ahead(move, step, model.loss)
            if value <= start + 0.25 * step * slope + noise:
                return step
            excess = value - start - step * slope  # of the parabola through what was seen, the lowest point
            step *= min(max(-0.5 * step * slope / excess, 0.1), 0.5)
        return float(f.along(w, move).argmin())

    def state(self) -> State:
        return {**self.small.state(), "alpha": self.alpha}

    def restore(self, state: State) -> None:
        block = block_from({name[6:]: array for name, array in state.items() if name.startswith("block.")})
        self._hold(self.f.restricted(block), state["alpha"])
        self.small.restore(state)
