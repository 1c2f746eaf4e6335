"""The paper's counter-examples as experiments: each runs a solver many times and sets the mean beside a closed form."""

from greedyhull.experiments.asfw_eg_a import ViolatedCondition, asfw_eg_a
from greedyhull.experiments.asfw_eg_b import WrongLimit, asfw_eg_b
from greedyhull.experiments.asj_eg import OverGreedy, asj_eg
from greedyhull.experiments.measured import Measured
from greedyhull.experiments.nonsmooth_rates import NonsmoothRates, nonsmooth_rates
from greedyhull.experiments.variance_reduced_jones import Curves, variance_reduced_jones

__all__ = [
    "Curves", "Measured", "NonsmoothRates", "OverGreedy", "ViolatedCondition", "WrongLimit", "asfw_eg_a", "asfw_eg_b",
    "asj_eg", "nonsmooth_rates", "variance_reduced_jones",
]
