"""Portfolios under any linear constraint, with the price of each."""

from greedyhull.apps.portfolio.job import portfolio
from greedyhull.apps.portfolio.result import Portfolio

__all__ = ["Portfolio", "portfolio"]
