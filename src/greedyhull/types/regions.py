"""Sets that are described by their coordinates, so that Newton steps in many of them at once stay inside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from greedyhull.types.arrays import Array, Index
    from greedyhull.types.atoms import Block


class Frame(Protocol):
    """A few directions, orthonormal: unit vectors, or others. All arrays are flat."""

    @property
    def block(self) -> Block: ...  # the directions
    def __len__(self) -> int: ...
    def read(self, x: Array) -> Array: ...  # the coordinates of x along the directions
    def write(self, x: Array, y: Array) -> None: ...  # x changes along the directions until its coordinates are y


class Section(Protocol):
    """The part of a set that a frame reaches from one of its points, in the coordinates y of the frame."""

    def gap(self, grad: Array, y: Array) -> float: ...  # ⟨grad, y⟩ less its least value
    def slope(self, grad: Array, y: Array, target: Array) -> float: ...  # ⟨grad, target − y⟩
    def solve(self, H: Array, grad: Array, y: Array, tol: float) -> Array: ...  # the quadratic's minimiser, to a gap of tol


class Region(Protocol):
    """A convex set as its coordinates see it. All arrays are flat."""

    @property
    def middle(self) -> Array | None: ...  # if any turn about it maps the set to itself: sections may have any directions
    def nearest(self, x: Array) -> Array: ...  # the point of the set nearest to x
    def begin(self, d: int) -> Array | None: ...  # where a run goes at first if f is lower there; None: it stays
    def free(self, g: Array, x: Array) -> Index: ...  # the coordinates in which a function with gradient g can fall
    def shares(self, g: Array, x: Array) -> Array: ...  # what each coordinate adds to the duality gap
    def section(self, frame: Frame, x: Array) -> Section: ...
    def moved(self, c: float, v: Array) -> Region | None: ...  # c·x + v for its points x; None where it has no name
