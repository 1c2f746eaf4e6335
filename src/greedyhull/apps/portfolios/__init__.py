"""Portfolios under any linear constraint, with the price of each."""

from greedyhull.apps.portfolios.job import portfolio
from greedyhull.apps.portfolios.result import Portfolio

__all__ = ["Portfolio", "portfolio"]
