"""Every estimator passes scikit-learn's own checks."""

import pytest

pytest.importorskip("sklearn")

from sklearn.utils.estimator_checks import parametrize_with_checks

import greedyhull.estimators as estimators


@parametrize_with_checks([getattr(estimators, name)() for name in estimators.__all__])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
