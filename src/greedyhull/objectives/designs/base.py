"""What a design of one's own starts from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.types import Array, Design, Index, Shape
from greedyhull.types.override import KeepsDesign, keeps, override

COLUMNS = ("column", "columns", "combine", "energies", "gram")


class DesignBase(ABC, KeepsDesign):
    """To write: ``domain``, ``n``, ``dtype``, `matvec` and `adjoint`. Nothing else is known of the data then: neither rows nor
    columns nor ‖A‖_F are at hand. A design that knows more says so.

    One that writes all of ``column columns combine energies gram`` is taken to have columns.
    """

    domain: Shape
    n: int
    dtype: np.dtype[Any]
    stored: bool = False  # whether it has ``take_rows`` and ``extremes``
    has_columns: bool = False  # whether it has all of COLUMNS; others are asked for products with unit vectors
    takes_factors: bool = False  # whether it has ``bilinear`` and ``factored``
    frobenius: float | None = None  # ‖A‖_F

    if TYPE_CHECKING:
        keeps(Design.domain, Design.n, Design.dtype, Design.stored, Design.has_columns, Design.takes_factors, Design.frobenius)

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "has_columns" not in vars(cls):
            cls.has_columns = cls.has_columns or all(name in dir(cls) for name in COLUMNS)

    @abstractmethod
    @override
    def matvec(self, w: Array) -> Array:
        """Aw."""

    @abstractmethod
    @override
    def adjoint(self, r: Array) -> Array:
        """Aᵀr: an array in the shape of ``domain``, or a sparse matrix or an operator of that shape."""

    @override
    def rows(self, index: Index) -> Design:
        """Some of the rows as a design."""
        return SomeRows(self, index)

    @override
    def precise(self) -> Design:
        """The same in float64; a design of float32 data writes its own."""
        return self


class SomeRows(DesignBase):
    """Some rows of a design whose rows are not at hand."""

    def __init__(self, base: Design, index: Index) -> None:
        self.base, self.index = base, np.asarray(index)
        self.n, self.domain, self.dtype = len(self.index), base.domain, base.dtype

    def matvec(self, w: Array) -> Array:
        return np.asarray(self.base.matvec(w)[self.index])

    def adjoint(self, r: Array) -> Array:
        whole = np.zeros(self.base.n, dtype=r.dtype)
        np.add.at(whole, self.index, r)
        return self.base.adjoint(whole)

    def precise(self) -> Design:
        exact = self.base.precise()
        return self if exact is self.base else SomeRows(exact, self.index)
