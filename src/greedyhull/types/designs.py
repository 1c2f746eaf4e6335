"""Linear maps that data are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from greedyhull.types.arrays import Array, Index, Shape


class Design(Protocol):
    """A linear map A with n rows; the data of a linear model in any storage.

    `greedyhull.objectives.designs.base.DesignBase` has the defaults.
    """

    @property
    def domain(self) -> Shape: ...
    @property
    def n(self) -> int: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def stored(self) -> bool: ...  # its entries are at hand: `StoredDesign`
    @property
    def has_columns(self) -> bool: ...  # it has columns of its own: `Columns`
    @property
    def takes_factors(self) -> bool: ...  # it maps matrices that are given by factors: `Bilinear`
    @property
    def frobenius(self) -> float | None: ...  # ‖A‖_F; None where it would take a pass to find
    def matvec(self, w: Array) -> Array: ...
    def adjoint(self, r: Array) -> Array: ...  # or a sparse matrix or operator, where the set takes such gradients
    def rows(self, index: Index) -> Design: ...
    def precise(self) -> Design: ...


class Columns(Design, Protocol):
    """A design with columns (``has_columns``), by which atoms with few entries are mapped.

    `greedyhull.points.columns` asks them of any design. Columns of a map on matrices are numbered as ``w.ravel()`` is.
    """

    def column(self, j: int) -> Array: ...
    def columns(self, index: Index, scales: Array) -> Any: ...
    def combine(self, index: Index, c: Array) -> Array: ...
    def energies(self, weights: Array | float) -> Array: ...  # Σᵢ weightsᵢ aᵢⱼ² for every column j
    def gram(self, Z: Any, Z2: Any = None, weights: Array | None = None) -> Array: ...  # of images, as ``columns`` makes them


class Bilinear(Design, Protocol):
    """A map on p×q matrices that takes U diag(c) Vᵀ by its factors (``takes_factors``): U is p×r and V is q×r."""

    def bilinear(self, U: Array, V: Array, c: Array) -> Array: ...  # A(U diag(c) Vᵀ)
    def factored(self, r: Array, U: Array, V: Array) -> Array: ...  # ⟨Aᵀr, uₖvₖᵀ⟩ for every pair of columns


class StoredDesign(Design, Protocol):
    """A design whose entries are at hand (``stored``): rows can be taken, and looked at."""

    def take_rows(self, index: Index) -> Any: ...
    def extremes(self) -> tuple[Array, Array]: ...
