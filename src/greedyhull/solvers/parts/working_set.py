"""The working atoms of a corrective solver: the active ones, those that may join, and their weights."""

from __future__ import annotations

import numpy as np

from greedyhull.kernels.simplex_qp import COMPILED_UP_TO, solve_simplex_qp
from greedyhull.objectives.line import NEAR
from greedyhull.points.blocks import block_from, block_state
from greedyhull.points.iterate import Iterate
from greedyhull.points.owners import least_of, owners_of
from greedyhull.points.states import under
from greedyhull.solvers.parts.corrective_numbers import (
    CROWDED,
    CROWDED_STEP,
    DECREASE,
    EXACT,
    INNER,
    LONGEST,
    ROUGH,
    SAMPLE,
    SHORTEST,
    SLOW,
    TRIES,
)
from greedyhull.types import Array, Block, Index, SecondOrder, Small, State, Trial


class Working:
    """Atoms that are reweighted together: ``alpha`` holds the weight of each, zero for those that wait."""

    def __init__(self, f: SecondOrder, w: Iterate) -> None:
        self.f, self.gap, self.sampling = f, np.inf, True
        self.crowded = CROWDED_STEP if f.traits.remote else CROWDED
        self.begin(w)

    def begin(self, w: Iterate) -> None:
        """Hold the atoms of w, and no others."""
        self._hold(self.f.restricted(w.block.take(np.arange(len(w)))), w.weights.copy())

    def _hold(self, small: Small, alpha: Array) -> None:
        self.small, self.alpha = small, alpha
        self.keys = set(small.block.keys)

    def join(self, w: Iterate, atoms: Block) -> None:
        """Let ``atoms`` join; where too many wait in vain, those leave first."""
        if len(self.alpha) > self.crowded * (len(w) + len(atoms)):
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

    def reweight(self, w: Iterate, gap: float, steps: int, early: bool = False) -> None:
        """Minimise f over the hull of the working atoms to a tenth of ``gap``, by at most ``steps`` Newton steps.

        Each of these is a small quadratic problem; few atoms cost as much to solve exactly as roughly. ``early``, its Hessian
        may come from a sample of the rows, until a round brings little: where the radius is large, f is small long before the
        gap is, and the steps that a sample suggests would be cut short for ever.
        """
        self.sampling, self.gap = self.sampling and gap <= SLOW * self.gap, gap
        sample = SAMPLE if early and self.sampling else 1
        small, tol, owners = self.small, INNER * gap, owners_of(self.small.block)
        exact = EXACT if len(self.alpha) <= COMPILED_UP_TO else ROUGH
        for i in range(steps):
            grad = small.gradient(w)
            if i and float(self.alpha.dot(grad) - least_of(grad, owners)) <= tol:
                return
            target = solve_simplex_qp(small.hessian(w, sample), grad, self.alpha, exact * gap, owners=owners)
            trial = small.trial(w, self.alpha, target)
            slope = float((target - self.alpha).dot(grad - heaviest(grad, self.alpha, owners)))
            step = newton_step(self.f, w, trial, slope)
            if step <= 0.0:
                return
            trial.commit(step)
            self.alpha = target if step == 1.0 else np.maximum(self.alpha + step * (target - self.alpha), 0.0)
            if self.f.traits.quadratic:
                return

    def state(self) -> State:
        block = {f"block.{name}": array for name, array in block_state(self.small.block).items()}
        small = {f"small.{name}": array for name, array in self.small.state().items()}
        return {**block, **small, "alpha": self.alpha, "sampling": np.array([self.sampling, self.gap])}

    def restore(self, state: State) -> None:
        self._hold(self.f.restricted(block_from(under("block", state))), state["alpha"])
        self.small.restore(under("small", state))
        sampling, self.gap = state.get("sampling", np.array([True, np.inf])).tolist()
        self.sampling = bool(sampling)


def heaviest(grad: Array, alpha: Array, owners: Index | None) -> Array | float:
    """The score of the atom with the largest weight, of each atom's owner.

    Changes of weights sum to zero, so that scores may be told relative to any number. A change of the largest weight may be
    all rounding, where the others are tiny beside it, as at a small point of a huge ball; relative to its own score that
    costs nothing.
    """
    if owners is None:
        return float(grad[alpha.argmax()])
    rising = np.argsort(alpha, kind="stable")
    scores = np.zeros(int(owners.max(initial=-1)) + 1)
    scores[owners[rising]] = grad[rising]  # the last one stays
    return np.asarray(scores[owners])


def newton_step(f: SecondOrder, w: Iterate, trial: Trial, slope: float) -> float:
    """The whole step if it does a quarter of what its slope promises, else a shorter one that does.

    The error falls like the square of the gap: once it drowns in the rounding of f, the slope, summed from scores
    relative to that of the heaviest atom, still tells a step that lowers the gap.
    """
    if slope >= 0.0:
        return 0.0
    start, noise, limit = f.value(w), trial.noise, trial.limit
    step = 1.0 if limit > 1.0 else NEAR * limit
    for _ in range(1 if f.traits.quadratic else TRIES):  # of a quadratic the best step is known at once
        value = trial.value(step)
        if value <= start + DECREASE * step * slope + noise:
            return step
        excess = value - start - step * slope  # of the parabola through what was seen, the lowest point
        step *= min(max(SHORTEST, -0.5 * step * slope / excess), LONGEST)
    return trial.argmin()
