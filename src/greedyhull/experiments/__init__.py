"""The paper's counter-examples as experiments: each runs a solver many times and sets the mean beside a closed form."""

from greedyhull.experiments.asfw_eg_a import ViolatedCondition, asfw_eg_a
from greedyhull.experiments.asfw_eg_b import WrongLimit, asfw_eg_b
from greedyhull.experiments.measured import Measured

__all__ = ["Measured", "ViolatedCondition", "WrongLimit", "asfw_eg_a", "asfw_eg_b"]
