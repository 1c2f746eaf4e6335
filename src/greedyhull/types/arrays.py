"""What numbers come in: arrays, indices, shapes, saved states, gradients."""

from __future__ import annotations

from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
Index: TypeAlias = NDArray[Any]
State: TypeAlias = dict[str, NDArray[Any]]
Shape: TypeAlias = tuple[int, ...]
Kind: TypeAlias = Literal["always", "probability", "expectation", "estimate", "stationary"]


@runtime_checkable
class Operator(Protocol):
    """A matrix that is known by its products, as sparse matrices and SciPy's operators are."""

    @property
    def shape(self) -> Any: ...
    def __matmul__(self, other: Any) -> Any: ...


Gradient: TypeAlias = Array | Operator  # what to ask of one: `greedyhull.points.gradients`
