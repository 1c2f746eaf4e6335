"""What a solve costs."""

from __future__ import annotations


class Work:
    """What a solve has cost so far: gradients, and products with the data in units of one full pass."""

    __slots__ = ("gradients", "products")

    def __init__(self, gradients: int = 0, products: float = 0.0) -> None:
        self.gradients, self.products = gradients, products
