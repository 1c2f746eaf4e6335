"""What would have happened without the treatment? A weighted mean of untreated units, with placebo tests."""

from greedyhull.apps.synthetic.job import synthetic_control
from greedyhull.apps.synthetic.result import SyntheticControl

__all__ = ["SyntheticControl", "synthetic_control"]
