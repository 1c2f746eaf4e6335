"""The working atoms of a corrective solver, the numbers it decides by, and float32 data."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from greedyhull.kernels.simplex_qp import COMPILED_UP_TO, solve_simplex_qp
from greedyhull.objectives.lines import NEAR
from greedyhull.points.blocks import block_from, block_state, under
from greedyhull.points.direction import Direction
from greedyhull.points.gradients import as_array
from greedyhull.points.iterate import Iterate
from greedyhull.points.owners import least_of, owners_of
from greedyhull.points.shapes import dense
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.solver_state import SolverState
from greedyhull.types import (
    Array,
    Atom,
    AtomSet,
    Block,
    Faces,
    Gradient,
    Index,
    Objective,
    SecondOrder,
    Small,
    State,
    Trial,
    second_order,
)

EARLY = 0.03  # a round is early while the gap is a larger share of f
PROMISING = 0.05  # later, atoms join only if they promise this share of the gap
ROUNDING = 4e-15  # a gap that is a smaller share of its terms is taken for that: its atoms may promise nothing
SAMPLE = 8  # early, the Hessian of many rows is made from one in so many
SLOW = 0.3  # a round that leaves a larger share of the gap ends the sampling of rows, for good
CROWDED = 3  # times as many atoms as are in use and join: then those that wait in vain leave
INNER = 0.1  # the part of the gap to which the working atoms are reweighted
EXACT = 1e-6  # the part of the gap to which a small quadratic over few atoms is solved
ROUGH = 3e-3  # the same for many atoms, where it costs more
BLURRED = 0.5  # of the gap: where rounding may be a larger share and the core can do no more, nothing is left to do
SHORT = 100_000  # entries of data, at most, for which compiled rounds set out before the driver has looked at the start


COARSER = float(np.finfo(np.float32).eps / np.finfo(np.float64).eps)  # by which float32 rounds more
IN_DOUBLE = "in double"  # the array of a solve that says since when

Rounds = Callable[[SecondOrder], Iterator[Progress]]


def exhausted(f: Objective, S: AtomSet, w: Iterate, estimate: float) -> bool:
    """Whether f is computed in float32, and what that may have done to the gap at w is as much as its estimate."""
    return f.precise() is not f and not estimate > COARSER * f.rounding(w, S)


def named(part: str, memory: SolverState) -> str:
    """The name of a part: one in float64 is not restored from the state of one in float32."""
    return f"{part} {IN_DOUBLE}" if IN_DOUBLE in memory.arrays else part


def in_both(f: SecondOrder, w: Iterate, memory: SolverState, rounds: Rounds) -> Iterator[Progress]:
    """``rounds(f)`` until they end, which in float32 they do where it is `exhausted`; then those of f in float64."""
    precise = second_order(f.precise())
    if precise is None or precise is f:
        yield from rounds(f)
        return
    if IN_DOUBLE not in memory.arrays:
        yield from rounds(f)
        memory.next_round()
        memory.arrays[IN_DOUBLE] = np.array(memory.k)
        w.refresh()
    yield from rounds(precise)


class Working:
    """Atoms that are reweighted together: ``alpha`` holds the weight of each, zero for those that wait."""

    def __init__(self, f: SecondOrder, w: Iterate) -> None:
        self.f, self.gap, self.sampling = f, np.inf, True
        # the same over shards, where each Newton step makes the Hessian of all of them anew
        self.crowded = 1 if f.traits.remote else CROWDED
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
    # steps that are tried before the line is searched
    for _ in range(1 if f.traits.quadratic else 4):  # of a quadratic the best step is known at once
        value = trial.value(step)
        if value <= start + 0.25 * step * slope + noise:  # the share of what its slope promises that a step must bring
            return step
        excess = value - start - step * slope  # of the parabola through what was seen, the lowest point
        # a step that brought too little is cut to this share of it at least
        step *= min(max(0.1, -0.5 * step * slope / excess), 0.5)  # and to this share at most
    return trial.argmin()


def pairwise_within(P: Faces, w: Iterate, g: Gradient, atom: Atom) -> Direction:
    """The direction from the worst atom of the face to ``atom``, with room until w leaves the set.

    >>> import numpy as np, greedyhull as gh
    >>> S = gh.Simplex(3)
    >>> move = pairwise_within(S, S.centre(), np.array([0.0, 1.0, 2.0]), gh.Basis(0, 1.0))
    >>> move.max_step
    0.3333333333333333
    """
    x = w.array()
    away = P.within(x, as_array(g))
    v = dense(atom, x.shape) - dense(away, x.shape)
    return Direction((atom, away), (1.0, -1.0), 0.0, min(P.room(x, v), 1.0))
