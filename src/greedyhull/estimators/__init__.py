"""Estimators with scikit-learn's interface: weights on a simplex, an l1 budget, ensembles, matrices of low rank.

Each fit is certified.
"""

from importlib.util import find_spec

from greedyhull.errors import installing

if find_spec("sklearn") is None:
    raise ImportError(f"greedyhull.estimators needs scikit-learn, which is not installed. {installing('estimators')}")

from greedyhull.estimators.cv import L1BudgetClassifierCV, L1BudgetRegressorCV
from greedyhull.estimators.ensemble import EnsembleClassifier, EnsembleRegressor
from greedyhull.estimators.group_budget import (
    GroupBudgetClassifier,
    GroupBudgetClassifierCV,
    GroupBudgetRegressor,
    GroupBudgetRegressorCV,
)
from greedyhull.estimators.l1_budget import L1BudgetClassifier, L1BudgetRegressor
from greedyhull.estimators.low_rank_regressor import LowRankRegressor
from greedyhull.estimators.matrix_completion import MatrixCompletion
from greedyhull.estimators.simplex import SimplexClassifier, SimplexRegressor

__all__ = [
    "EnsembleClassifier", "EnsembleRegressor", "GroupBudgetClassifier", "GroupBudgetClassifierCV", "GroupBudgetRegressor",
    "GroupBudgetRegressorCV", "L1BudgetClassifier", "L1BudgetClassifierCV", "L1BudgetRegressor", "L1BudgetRegressorCV",
    "LowRankRegressor", "MatrixCompletion", "SimplexClassifier", "SimplexRegressor",
]


def __dir__() -> list[str]:
    return __all__
