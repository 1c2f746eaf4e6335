"""Are the sizes and constants of a set at least what its atoms show?"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from greedyhull.errors import GreedyhullError
from greedyhull.testing.expect import expect
from greedyhull.types import Array

if TYPE_CHECKING:
    from greedyhull.testing.set_trial import Trial


def check_sizes(trial: Trial) -> None:
    """max_abs, diameter, circumradius and radius_around bound what they say they bound."""
    S, pool = trial.S, trial.pool
    for _ in range(5):
        c = trial.rng.random(trial.shape) * (trial.rng.random(trial.shape) < 0.7)
        bound, most = S.max_abs(c), float((np.abs(pool) @ c.ravel()).max())
        expect(most <= bound * (1 + 1e-9), f"{S!r}: max_abs(c) = {bound:.6g}, but an atom has Σ c|d| = {most:.6g}.")
    squares = (pool**2).sum(axis=1)
    apart = float(np.sqrt(max(0.0, (squares[:, None] + squares[None, :] - 2 * pool @ pool.T).max())))
    diameter, radius = _known(lambda: S.diameter), _known(lambda: S.circumradius)
    if diameter is not None:
        expect(
            apart <= diameter * (1 + 1e-7), f"{S!r} has diameter {diameter:.6g}, but two of its atoms are {apart:.6g} apart."
        )
    if radius is not None:
        ball = _enclosing(pool)
        expect(
            ball <= radius * (1 + 1e-7) + 1e-7 * trial.size,
            f"{S!r} has circumradius {radius:.6g}, but no ball below {ball:.6g} holds its atoms.",
        )
        expect(
            diameter is None or radius <= diameter * (1 + 1e-12),
            f"{S!r} has circumradius {radius} above its diameter {diameter}.",
        )
    if diameter is not None:
        x = pool[: len(pool) // 2 + 1].mean(axis=0)
        far, around = float(np.sqrt(((pool - x) ** 2).sum(axis=1).max())), float(S.radius_around(x.reshape(trial.shape)))
        hair = 1e-7 * trial.size
        expect(far <= around * (1 + 1e-7) + hair, f"{S!r}: radius_around(x) = {around:.6g}, but an atom is {far:.6g} from x.")


def _known(size: Callable[[], float | None]) -> float | None:
    """A size of the set; None where the set does not say it."""
    try:
        value = size()
    except (GreedyhullError, AttributeError):
        return None
    return None if value is None else float(value)


def _enclosing(points: Array) -> float:
    """A lower bound on the radius of the least ball around ``points``: any weights in the dual give one."""
    squares = (points**2).sum(axis=1)
    alpha = np.full(len(points), 1.0 / len(points))
    best = 0.0
    for k in range(200):
        centre = alpha @ points
        best = max(best, float(alpha @ squares - centre @ centre))
        farthest = int(np.argmax(squares - 2 * points @ centre))
        alpha *= 1 - 2 / (k + 3)
        alpha[farthest] += 2 / (k + 3)
    return float(np.sqrt(best))


def check_curvature(trial: Trial) -> None:
    """The curvature constant of a random quadratic is not beaten by any two atoms; a set may refuse."""
    from greedyhull.objectives.by_name import quadratic

    if len(trial.shape) > 1:
        return
    B = trial.rng.standard_normal((trial.shape[0], trial.shape[0]))
    Q = B @ B.T / trial.shape[0]
    try:
        M = quadratic(Q).curvature(trial.S)
    except GreedyhullError:
        return
    images = (trial.pool - trial.pool[0]) @ B / np.sqrt(trial.shape[0])  # far from the origin, squares would cancel
    squares = (images**2).sum(axis=1)
    seen = float((squares[:, None] + squares[None, :] - 2 * images @ images.T).max())
    expect(
        seen <= float(M) * (1 + 1e-7), f"{trial.S!r} has {M!r} for a quadratic, but two atoms have ‖s − s'‖²_Q = {seen:.6g}."
    )
    if M.status == "exact" and trial._all:
        expect(
            float(M) <= seen * (1 + 1e-7), f"{trial.S!r} calls {M!r} exact, but over all its atoms the maximum is {seen:.6g}."
        )
