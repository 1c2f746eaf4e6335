"""Whole jobs, from a table to an answer with its figure."""

from greedyhull.apps.synthetic import SyntheticControl, synthetic_control

__all__ = ["SyntheticControl", "synthetic_control"]
