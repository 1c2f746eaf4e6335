"""Whole jobs, from a table to an answer with its figure."""

from greedyhull.apps.graph_matching import Matching, graph_matching
from greedyhull.apps.optimal_design import Design, optimal_design
from greedyhull.apps.portfolios import Portfolio, portfolio
from greedyhull.apps.synthetic import SyntheticControl, synthetic_control
from greedyhull.apps.unmix import Unmixing, unmix

__all__ = ["Design", "Matching", "Portfolio", "SyntheticControl", "Unmixing", "graph_matching", "optimal_design", "portfolio",
           "synthetic_control", "unmix"]
