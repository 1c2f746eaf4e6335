"""Fitted models that know the data of the weights are warned of, where something gives them away; others never are."""

import warnings

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Lasso, LinearRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from greedyhull.errors import GreedyhullWarning
from greedyhull.estimators import EnsembleClassifier, EnsembleRegressor

rng = np.random.default_rng(0)
X = rng.standard_normal((160, 4))
y = X[:, 0] - np.abs(X[:, 1]) + 0.5 * rng.standard_normal(160)
kinds = (y > 0).astype(int)
HALF = slice(0, 80)
REST = slice(80, None)

REGRESSORS = [Ridge(), LinearRegression(), Lasso(0.1), make_pipeline(StandardScaler(), Ridge()),
              DecisionTreeRegressor(max_depth=3), DecisionTreeRegressor(), GradientBoostingRegressor(n_estimators=5),
              HistGradientBoostingRegressor(max_iter=5), KNeighborsRegressor(), SVR(), KernelRidge(),
              GaussianProcessRegressor(alpha=0.1)]


@pytest.mark.parametrize("model", REGRESSORS, ids=lambda model: str(model).split("(")[0])
def test_regressors_are_told_apart_by_what_they_have_seen(model):
    model.fit(X[HALF], y[HALF])
    with pytest.warns(GreedyhullWarning, match=r"fitted on the data that the weights are fitted on.*cv=5"):
        EnsembleRegressor(models=[("known", model)]).fit(X[HALF], y[HALF])
    with warnings.catch_warnings():
        warnings.simplefilter("error", GreedyhullWarning)
        EnsembleRegressor(models=[("known", model)]).fit(X[REST], y[REST])


@pytest.mark.parametrize("model", [DecisionTreeClassifier(), KNeighborsClassifier(), KNeighborsClassifier(1)], ids=str)
def test_classifiers_too(model):
    model.fit(X[HALF], kinds[HALF])
    with pytest.warns(GreedyhullWarning, match="'known'"):
        EnsembleClassifier(models=[("known", model)]).fit(X[HALF], kinds[HALF])
    with warnings.catch_warnings():
        warnings.simplefilter("error", GreedyhullWarning)
        EnsembleClassifier(models=[("known", model)]).fit(X[REST], kinds[REST])


def test_support_vectors_are_training_data_at_their_places():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of scikit-learn about probability
        model = SVC(probability=True, random_state=0).fit(X[HALF], kinds[HALF])
        with pytest.warns(GreedyhullWarning, match="holds these samples"):
            EnsembleClassifier(models=[model]).fit(X[HALF], kinds[HALF])
        warnings.simplefilter("error", GreedyhullWarning)
        EnsembleClassifier(models=[model]).fit(X[REST], kinds[REST])


def test_frames_are_compared_by_their_numbers():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = KNeighborsRegressor().fit(frame[HALF], y[HALF])
    with pytest.warns(GreedyhullWarning, match="holds these samples"):
        EnsembleRegressor(models=[model]).fit(frame[HALF], y[HALF])


@pytest.mark.parametrize("target", [np.ones(60), np.tile([0.0, 1.0], 30), np.tile([-1.0, 1.0], 30), np.zeros(60)],
                         ids=["ones", "bits", "signs", "zeros"])
def test_whole_numbers_that_cancel_are_no_sign(target):
    class Half:
        def predict(self, X):
            return np.full(len(X), float(target.mean()))

    with warnings.catch_warnings():
        warnings.simplefilter("error", GreedyhullWarning)
        EnsembleRegressor(models=[("half", Half())]).fit(np.zeros((60, 1)), target)


def test_a_few_exact_predictions_are_no_sign():
    model = Ridge(1e-12).fit(X, X[:, 0])
    with warnings.catch_warnings():
        warnings.simplefilter("error", GreedyhullWarning)
        EnsembleRegressor(models=[model]).fit(X[:5], X[:5, 0])


def test_sparse_data_are_not_looked_into():
    sp = pytest.importorskip("scipy.sparse")
    A = sp.csr_array(X)
    model = KNeighborsRegressor(algorithm="brute").fit(A, y)
    assert EnsembleRegressor(models=[model]).fit(A, y).weights_.tolist() == [1.0]
