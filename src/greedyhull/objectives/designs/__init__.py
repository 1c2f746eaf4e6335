"""The linear maps A that losses are composed with."""

from greedyhull.objectives.designs.stored import design, sparse_design

__all__ = ["design", "sparse_design"]
