"""What would have happened without the treatment? A weighted mean of untreated units, with placebo tests."""

from greedyhull.apps.synthetic_control.job import synthetic_control
from greedyhull.apps.synthetic_control.result import SyntheticControl

__all__ = ["SyntheticControl", "synthetic_control"]
