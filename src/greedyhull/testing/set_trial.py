"""A set on trial: the gradients that it is asked with, and the atoms that it has been seen to have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from greedyhull.points.entering import as_answer
from greedyhull.testing.asked import Asked
from greedyhull.testing.expect import atom_array, locked
from greedyhull.types import Answer, Array, AtomSet, Oracle
from greedyhull.types.kinds import listed

MOST = 4096  # sets with at most so many atoms are searched through and through


class Trial:
    """A set, the gradients it is asked with, and every atom it has been seen to have."""

    def __init__(self, S: AtomSet, minimum: Callable[[Array], float] | None, vertices: Any, trials: int, seed: int) -> None:
        self.S, self.shape, self.rng = S, S.shape, np.random.default_rng(seed)
        self.gradients = Asked(_gradients(self.shape, self.rng, trials))
        with self.gradients.announced():
            self.answers = [answer_of(S.oracle(self.rng), g) for g in self.gradients]
        self.atoms = [answer.atom for answer in self.answers]
        found = [atom_array(d, self.shape) for d in self.atoms]
        known = all_atoms(S) if vertices is None else [np.asarray(v, dtype=np.float64).reshape(self.shape) for v in vertices]
        self.pool = np.stack([*found, *(known or [])]).reshape(-1, int(np.prod(self.shape)))
        self.size = float(np.linalg.norm(self.pool, axis=1).max())
        self._minimum, self._all = minimum, known is not None

    def least(self, g: Array) -> tuple[float, bool]:
        """The least ⟨g, ·⟩ anybody knows of, and whether it is the true minimum."""
        seen = float(self.pool.dot(g.ravel()).min())
        return (seen, self._all) if self._minimum is None else (min(seen, float(self._minimum(g))), True)

    def tolerance(self, g: Array) -> float:
        return 1e-9 * float(np.linalg.norm(g)) * max(self.size, 1e-300)


def _gradients(shape: tuple[int, ...], rng: np.random.Generator, trials: int) -> list[Array]:
    """Random gradients, and the awkward ones: zero, ties, one coordinate, tiny and huge."""
    plain = [rng.standard_normal(shape) for _ in range(trials)]
    size = int(np.prod(shape))
    units = [sign * np.eye(1, size, int(j)).reshape(shape) for j in rng.integers(size, size=3) for sign in (1.0, -1.0)]
    few = [np.where(rng.random(shape) < 0.3, g, 0.0) for g in plain[:3]]
    ties = [np.ones(shape), -np.ones(shape), np.round(plain[0])]
    return [locked(g) for g in [*plain, *units, *few, *ties, 1e-8 * plain[1], 1e8 * plain[2], np.zeros(shape)]]


def answer_of(oracle: Oracle, g: Array, enough: float = -np.inf) -> Answer:
    """What the oracle says, as a run would understand it."""
    return as_answer(oracle.argmin(g, enough=enough), g.shape)


def all_atoms(S: AtomSet) -> list[Array] | None:
    """All the atoms of a set that can list them and has not too many."""
    atoms = listed(S)
    return None if atoms is None or len(atoms) > MOST else [atom_array(atoms[j], S.shape) for j in range(len(atoms))]
