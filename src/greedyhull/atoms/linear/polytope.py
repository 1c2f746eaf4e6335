"""What sets by rows share: the polytope, its extent and its oracle. `LinearProgram` and `Transport` derive from it."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.atoms.base import AtomSet
from greedyhull.atoms.geometry.rows_region import RowsRegion
from greedyhull.atoms.linear.implied import extent_of
from greedyhull.atoms.linear.model import Model
from greedyhull.atoms.linear.oracle import LinearProgramOracle, first_basis
from greedyhull.atoms.linear.rows import Rows
from greedyhull.atoms.linear.vertex import Vertex
from greedyhull.atoms.sizes import Sizes
from greedyhull.errors import check
from greedyhull.kernels.rows_qp import Limits
from greedyhull.points.lengths import length
from greedyhull.types import Array, Atom, Block, Design, SetTraits, Shape

if TYPE_CHECKING:
    from greedyhull.points.iterate import Iterate

FEW = 0.4  # share of entries that are not 0 up to which vertices are kept as sparse atoms
MIXED = 64  # vertices in the centre, at most
TOGETHER = 10_000  # variables up to which Newton steps solve for all of them together


class Polytope(AtomSet):
    """{x : l ≤ Ax ≤ u, lower ≤ x ≤ upper}, bounded, with an oracle by HiGHS."""

    def __init__(self, rows: Rows, shape: Shape, options: Mapping[str, Any]) -> None:
        self.rows, self.shape, self.options = rows, shape, dict(options)
        model = Model(rows, {})  # a limit that the user sets is for answers
        self._first = first_basis(model)
        self._extent = extent_of(rows, model)
        first = Vertex(rows, *self._first)
        check(first.sound, "HiGHS found no vertex of the polytope. Scale its rows: the sizes of their entries and of their "
                           "right-hand sides should be alike.")
        x = first.x
        self.dense_atoms = int(np.count_nonzero(x)) > FEW * x.size or x.size < 8
        self._one = x

    def _by_coordinates(self) -> RowsRegion | None:
        P, extent = self.rows, self._extent
        if P.dense is None or P.d > TOGETHER:
            return None
        return RowsRegion(Limits(P.lower, P.upper, P.dense, P.l, P.u), (extent.lower, extent.upper), self._one, self._least)

    def _least(self, g: Array) -> float:
        """The least ⟨g, ·⟩, always from the same basis."""
        return float(self.best(g.reshape(self.shape), 1).dots(g)[0])

    @property
    def traits(self) -> SetTraits:
        """Those of any set, and all variables together where they are not too many."""
        return super().traits._replace(region=self._by_coordinates())

    @property
    def extent(self) -> Any:
        """Proved bounds of the variables."""
        return self._extent

    @property
    def first(self) -> tuple[Array, Array]:
        """The basis that every oracle begins with."""
        return self._first

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_home"}  # a model cannot be pickled

    def oracle(self, rng: np.random.Generator | None = None) -> LinearProgramOracle:
        """Return the oracle of one run: a HiGHS model that goes on from its last basis."""
        return LinearProgramOracle(self)

    def argmin(self, g: Array) -> Atom:
        return self.best(g, 1)[0]

    def best(self, g: Array, m: int) -> Block:
        """The best vertex, and some next to it; always from the same basis, whatever was asked before."""
        home, lock = self.__dict__.get("_home") or self.__dict__.setdefault("_home", (LinearProgramOracle(self), Lock()))
        with lock:
            columns, rows = self._first
            home.restore({"columns": columns, "rows": rows, "asked": np.array(0), "seen.used": np.zeros(0, dtype=np.int64)})
            block: Block = home.best(np.asarray(g, dtype=np.float64), m).atoms
            return block

    def centre(self) -> Iterate:
        """The mean of many vertices."""
        from greedyhull.points.iterate import Iterate

        rng, oracle = np.random.default_rng(0), self.oracle()
        block = oracle.argmin(np.ones(self.shape)).atom.block(self.rows.d)
        for _ in range(min(2 * self.rows.d, MIXED)):
            atom = oracle.argmin(rng.standard_normal(self.shape)).atom
            if block.key_of(atom) not in block.keys:
                block = block.append(atom)
        return Iterate(block, np.full(len(block), 1.0 / len(block)), self.shape)

    def _holds(self, x: Array, tol: float) -> bool:
        P, x = self.rows, x.ravel()
        size = float(self._extent.most.max())
        activity, near = P.A @ x, tol * size
        far = tol * P.row_scale(size)
        rows = bool((activity >= P.l - far).all() and (activity <= P.u + far).all())
        return rows and bool((x >= P.lower - near).all() and (x <= P.upper + near).all())

    def max_abs(self, c: Array) -> float:
        return float(self._extent.max_abs(np.broadcast_to(np.asarray(c, dtype=np.float64), self.shape).ravel()))

    def sizes(self) -> Sizes:
        """From above: by the box around it, and by its longest points."""
        extent = self._extent
        D = length(extent.upper - extent.lower)
        longest = float(np.sqrt(extent.total) * np.sqrt(extent.most.max()))  # ‖x‖² ≤ ‖x‖₁‖x‖_∞
        return Sizes.of(min(D, 2.0 * longest), min(0.5 * D, longest), "upper bound")

    def row_ranges(self, design: Design) -> tuple[Array, Array]:
        """Two questions for each row, with the slack of their answers."""
        from greedyhull.atoms.geometry.row_ranges import rows

        oracle, low, high = self.oracle(), np.zeros(design.n), np.zeros(design.n)
        for i, a in enumerate(rows(design)):
            low[i], high[i] = oracle.floor(a).lower, -oracle.floor(-a).lower
        return low, high

    def duals(self, g: Array) -> tuple[Array, Array]:
        """The prices y of the rows at the minimum of ⟨g, ·⟩, and the reduced costs g − A'y of the variables."""
        check(g.shape == self.shape, lambda: f"g has shape {g.shape}; {self.shape} is wanted.")
        return self.oracle().prices(np.asarray(g, dtype=np.float64).ravel())

    def prices(self, g: Array) -> dict[str, float]:
        """What one more unit of each row's right-hand side is worth where ∇f = g: −d(min f)/d(right-hand side), by name."""
        y, _ = self.duals(g)
        return {name: float(-p) + 0.0 for name, p in zip(self.rows.names, y, strict=True)}
