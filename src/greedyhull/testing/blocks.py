"""The promises of atoms and of blocks of them, for `check_atoms`."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.objectives.designs.dense import DenseDesign
from greedyhull.points.blocks import block_from, block_state
from greedyhull.testing.expect import atom_array, expect, saved
from greedyhull.types import Array, Atom


def check_atom(d: Atom, shape: tuple[int, ...], g: Array) -> None:
    """An atom's dot, add_to, image and key tell of one and the same array."""
    x = atom_array(d, shape)
    expect(np.isfinite(x).all(), f"The atom {d!r} has entries that are not finite.")
    hash(d.key)
    tol = 1e-12 * (float(np.abs(g).ravel() @ np.abs(x).ravel()) + 1e-300)
    expect(
        abs(d.dot(g) - float(np.vdot(g, x))) <= tol, f"{d!r}.dot(g) is {d.dot(g)!r}, but its array gives {np.vdot(g, x)!r}."
    )
    w = np.ones(shape)
    d.add_to(w, -0.5)
    expect(np.allclose(w, 1.0 - 0.5 * x, rtol=1e-12, atol=1e-12), f"{d!r}.add_to(w, c) does not add c·d.")
    if len(shape) == 1:
        A = np.random.default_rng(0).standard_normal((3, shape[0]))
        expect(np.allclose(d.image(DenseDesign(A)), A @ x, rtol=1e-9, atol=1e-9 * float(np.abs(A @ x).max() + 1e-300)),
               f"{d!r}.image(A) is not A·d.")


def check_block(atoms: list[Any], shape: tuple[int, ...], rng: np.random.Generator) -> None:
    """A block does for many atoms what each does alone, and survives `take`, `append` and saving."""
    size = int(np.prod(shape))
    different = list({d.key: d for d in atoms}.values())
    block = different[0].block(size)
    for d in different[1:]:
        block = block.append(d)
    rows = np.stack([atom_array(d, shape) for d in different])
    _check_rows(block, rows, rng)
    for d in different:
        expect(block.key_of(d) in list(block.keys), f"A block does not know the key of its atom {d!r}.")
    expect(len(block.take(np.arange(0))) == 0, "A block does not become empty where no atom is taken.")
    both = block.take(np.arange(1)).extend(block)
    expect(len(both) == 1 + len(different) and len(block) == len(different), "A block's extend makes no new block of both.")
    some = np.flatnonzero(rng.random(len(different)) < 0.5)
    if len(some):
        _check_rows(block.take(some), rows[some], rng)
    again = block_from(saved(block_state(block)))
    _check_rows(again, rows, rng)
    expect(list(again.keys) == list(block.keys), "A block that was saved and read back has other keys than before.")


def _check_rows(block: Any, rows: Array, rng: np.random.Generator) -> None:
    expect(
        len(block) == len(block.keys) == len(rows),
        f"A block of {len(rows)} atoms has length {len(block)} and {len(block.keys)} keys.",
    )
    shape = rows.shape[1:]
    flat = rows.reshape(len(rows), -1)
    g, c = rng.standard_normal(shape), rng.standard_normal(len(rows))
    size = float(np.abs(flat).sum()) + 1e-300
    expect(np.allclose(block.dots(g), flat @ g.ravel(), rtol=1e-9, atol=1e-12 * size), "A block's dots(g) are not ⟨g, dᵢ⟩.")
    w = np.zeros(shape)
    block.add_to(w, c)
    expect(np.allclose(w.ravel(), c @ flat, rtol=1e-9, atol=1e-12 * size), "A block's add_to(w, c) does not add Σ cᵢ dᵢ.")
    sizes = np.zeros(shape)
    block.add_sizes_to(sizes, np.abs(c))
    expect(np.allclose(sizes.ravel(), np.abs(c) @ np.abs(flat), rtol=1e-9, atol=1e-12 * size),
           "A block's add_sizes_to(w, c) does not add Σ cᵢ|dᵢ|.")
    for i in range(len(rows)):
        expect(
            np.array_equal(atom_array(block[i], shape), rows[i]), f"Atom {i} of a block is not the atom that was put there."
        )
    if len(shape) == 1:
        A = rng.standard_normal((3, shape[0]))
        Z = block.images(DenseDesign(A))
        expect(np.allclose(Z, A @ flat.T, rtol=1e-9, atol=1e-12 * size), "A block's images(A) are not A·dᵢ.")
        expect(np.allclose(block.combine(DenseDesign(A), c), A @ (c @ flat), rtol=1e-9, atol=1e-11 * size),
               "A block's combine(A, c) is not A Σ cᵢ dᵢ.")
