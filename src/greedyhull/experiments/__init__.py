"""The paper's counter-examples as experiments: each runs a solver many times and sets the mean beside a closed form."""

from greedyhull.experiments.counterexamples import (
    Curves,
    Measured,
    NonsmoothRates,
    OverGreedy,
    ViolatedCondition,
    WrongLimit,
    asfw_eg_a,
    asfw_eg_b,
    asj_eg,
    nonsmooth_rates,
    variance_reduced_jones,
)

__all__ = ["Curves", "Measured", "NonsmoothRates", "OverGreedy", "ViolatedCondition", "WrongLimit", "asfw_eg_a", "asfw_eg_b",
           "asj_eg", "nonsmooth_rates", "variance_reduced_jones"]
