"""Sets as users write them: a list of atoms behind ``argmin``, in any shape, with signed zeros; oracles that err."""

from __future__ import annotations

from typing import Any

import numpy as np

import greedyhull as gh
from greedyhull.atoms.base import ClosedOracle
from greedyhull.types import Answer, Array, Kind

FORMS = ("dense", "sparse", "basis", "array")


class Own(gh.AtomSet):
    """conv of the rows of ``atoms``. ``form`` says what argmin returns: a Dense, a Sparse, a Basis or a plain array.

    Zeros come back with either sign, as a product with a gradient leaves them.
    """

    dense_atoms = True

    def __init__(self, atoms: Array, form: str, signed: bool) -> None:
        self.atoms, self.form, self.signed, self.shape = atoms, form, signed, (atoms.shape[1],)
        self.dense_atoms = form in ("dense", "array")

    def __repr__(self) -> str:
        return f"Own({len(self.atoms)} atoms in {self.shape[0]} dimensions, {self.form}{', signed' if self.signed else ''})"

    def argmin(self, g: Array) -> Any:
        return self.shaped(self.atoms[int((self.atoms @ g).argmin())], g)

    def shaped(self, row: Array, g: Array) -> Any:
        x = row.copy()
        if self.signed:
            x[(x == 0.0) & (g > 0.0)] = -0.0
        if self.form == "array":
            return x
        if self.form == "dense":
            return gh.Dense(x)
        if self.form == "basis":
            j = int(np.abs(x).argmax())
            return gh.Basis(j, float(x[j]))
        places = np.flatnonzero(x)
        return gh.Sparse(places, x[places])


class Erring(Own):
    """The same with an oracle that answers with any atom within a slack, and owns up to it; ``kind`` is its promise."""

    def __init__(self, atoms: Array, form: str, signed: bool, share: float, kind: Kind) -> None:
        super().__init__(atoms, form, signed)
        self.share, self.kind = share, kind

    def __repr__(self) -> str:
        return f"Erring({super().__repr__()}, share={self.share:g}, {self.kind})"

    def oracle(self, rng: np.random.Generator) -> Any:
        return ErringOracle(self)


class ErringOracle(ClosedOracle):
    """Of the atoms that score within ``share`` of the whole range, the worst; its slack is what it lost."""

    S: Erring

    def argmin(self, g: Array, tol: float = 0.0, enough: float = -np.inf) -> Answer:
        scores = self.S.atoms @ g
        admitted = scores.min() + self.S.share * (scores.max() - scores.min())
        worst = int(np.where(scores <= admitted, scores, -np.inf).argmax())
        lost = float(scores[worst] - scores.min()) * (1.0 + 1e-12)
        slack = lost if self.S.kind == "always" else 0.0  # the others promise too much, and say that they may
        return Answer(self.S.shaped(self.S.atoms[worst], g), slack, self.S.kind)
