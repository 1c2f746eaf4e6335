"""Whole jobs, from a table to an answer with its figure."""

from greedyhull.apps.optimal_design import Design, optimal_design
from greedyhull.apps.portfolios import Portfolio, portfolio
from greedyhull.apps.synthetic import SyntheticControl, synthetic_control
from greedyhull.apps.unmix import Unmixing, unmix

__all__ = ["Design", "Portfolio", "SyntheticControl", "Unmixing", "optimal_design", "portfolio", "synthetic_control", "unmix"]
