"""What the checks share: an assertion that no compiler flag removes, and a round trip through a file in memory."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from greedyhull.points.arrays import locked as read_only
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import dense as dense_atom
from greedyhull.points.validate import as_answer
from greedyhull.types import Array, AtomSet, State


def expect(condition: Any, message: str) -> None:
    """Raise ``AssertionError(message)`` unless ``condition`` holds."""
    if not condition:
        raise AssertionError(message)


def saved(state: State) -> State:
    """``state`` after a round trip through npz, as a file would give it back."""
    for name, array in state.items():
        plain = np.asarray(array).dtype != object
        expect(plain, f"The saved state holds {name!r} with dtype object; plain arrays are wanted.")
    file = io.BytesIO()
    np.savez(file, **state)  # type: ignore[arg-type]
    file.seek(0)
    with np.load(file, allow_pickle=False) as read:
        return {name: read[name] for name in read.files}


def locked(x: Array) -> Array:
    """Return a read-only copy, so that writing into it is an error."""
    return read_only(np.array(x))


def mixture(S: AtomSet, rng: np.random.Generator, atoms: int = 4, w: Iterate | None = None) -> Iterate:
    """A random point of the hull of S, from ``w`` (or the start) and a few random answers of the oracle."""
    oracle = S.oracle(rng)
    w = Iterate.at(S.start(rng), S.shape) if w is None else w.copy()
    for _ in range(atoms):
        d = as_answer(oracle.argmin(rng.standard_normal(S.shape)), S.shape).atom
        w.move(w.toward(d), float(rng.uniform(0.1, 0.6)))
    return w


def atom_array(atom: Any, shape: tuple[int, ...]) -> Array:
    return np.asarray(atom, dtype=np.float64) if isinstance(atom, np.ndarray) else dense_atom(atom, shape)
