"""Fitted models in an ensemble: named or not, fed with the data as they came, and believed only within reason."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from greedyhull.errors import GreedyhullError
from greedyhull.estimators import EnsembleClassifier, EnsembleRegressor
from greedyhull.estimators.ensemble_models import improbable

rng = np.random.default_rng(0)
X = rng.standard_normal((120, 4))
y = X[:, 0] - X[:, 1] + 0.1 * rng.standard_normal(120)
ridge, near = Ridge().fit(X[:60], y[:60]), KNeighborsRegressor().fit(X[:60], y[:60])
D, t = load_iris(return_X_y=True)
words = np.array(["setosa", "versicolor", "virginica"])[t]


class Says:
    """A model that says whatever it is told to say."""

    def __init__(self, said, classes=None):
        self.said = said
        if classes is not None:
            self.classes_ = np.asarray(classes)

    def predict(self, X):
        return self.said

    def predict_proba(self, X):
        return self.said


def test_pairs_of_name_and_model_are_models_with_names(tmp_path):
    bare = EnsembleRegressor(models=[ridge, near]).fit(X[60:], y[60:])
    pairs = EnsembleRegressor(models=[("linear", ridge), ("near", near)]).fit(X[60:], y[60:])
    np.testing.assert_array_equal(bare.predict(X), pairs.predict(X))
    assert pairs.model_names_ == ["linear", "near"] and bare.model_names_ == ["ridge", "kneighborsregressor"]
    assert pairs.solution_.names == ["linear", "near"]
    mixed = EnsembleRegressor(models=[("linear", ridge), near, KNeighborsRegressor(3).fit(X[:60], y[:60])]).fit(X, y)
    assert mixed.model_names_ == ["linear", "kneighborsregressor-1", "kneighborsregressor-2"]
    pytest.importorskip("jinja2")
    assert "linear" in pairs.solution_.report(tmp_path / "page.html").read_text(encoding="utf-8")


def test_pairs_work_for_classes_too():
    models = [("tree", DecisionTreeClassifier(max_depth=2).fit(D[::2], words[::2])),
              ("lines", LogisticRegression(max_iter=1000).fit(D[::2], words[::2]))]
    m = EnsembleClassifier(models=models).fit(D[1::2], words[1::2])
    assert m.model_names_ == ["tree", "lines"] and m.score(D, words) > 0.9
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(m)).predict(D), m.predict(D))


@pytest.mark.parametrize(("models", "said"), [
    ([], "empty"), ([("a", ridge), ("a", near)], "several named a"), ([ridge, "drop"], "no predict"),
    ([("a", ridge), ("b", "drop")], "'b', 'drop', has no predict"), ([(ridge, "a")], "no predict"),
    ([("deep", "er", ridge)], "no predict"), ([("line", Ridge)], "'line' is a class"),
    ([Ridge], "models holds a class, .*Ridge")])
def test_what_are_no_models_is_refused(models, said):
    with pytest.raises(GreedyhullError, match=said):
        EnsembleRegressor(models=models).fit(X, y)


def test_classifiers_without_probabilities_are_refused_by_name():
    with pytest.raises(GreedyhullError, match=r"'svm'.* no predict_proba"):
        EnsembleClassifier(models=[("svm", LinearSVC().fit(D, t))]).fit(D, t)


@pytest.mark.parametrize(("said", "fault"), [
    (np.full(120, np.nan), "'odd' predicts NaN or infinity for 120 of 120"), (np.full(120, "a"), "'odd' .* dtype <U1"),
    (np.zeros((120, 2)), r"'odd' .* shape \(120, 2\)"), (np.zeros(7), r"'odd' .* shape \(7,\)")])
def test_predictions_that_are_no_numbers_are_refused_by_name(said, fault):
    with pytest.raises(GreedyhullError, match=fault):
        EnsembleRegressor(models=[("fine", ridge), ("odd", Says(said))]).fit(X, y)


def test_predictions_too_large_to_square_are_called_so():
    with pytest.raises(GreedyhullError, match=r"model 'odd' predicts has entries as large as 1e\+200.* overflow"):
        EnsembleRegressor(models=[("odd", Says(np.full(120, 1e200)))]).fit(X, y)


def test_clones_and_searches_keep_the_models_fitted():
    m = EnsembleRegressor(models=[("linear", ridge), ("near", near)], max_models=1)
    assert clone(m).fit(X, y).weights_.shape == (2,) and clone(m).get_params()["max_models"] == 1
    search = GridSearchCV(m, {"max_models": [1, 2]}, cv=2, error_score="raise").fit(X, y)
    assert search.best_estimator_.n_models_ <= 2


def test_predictions_in_a_column_count():
    assert EnsembleRegressor(models=[ridge, Says(y[:, None])]).fit(X, y).weights_[1] > 0.99


@pytest.mark.parametrize(("p", "fault"), [
    (np.full((150, 3), 3.0), "such as 3"), (np.full((150, 3), -0.5), "such as -0.5"),
    (np.full((150, 3), np.nan), "such as nan"),
    (np.full((150, 3), 0.5), "sum to 1.5 in row 0"), (np.full((150, 2), 0.5), r"got \(150, 2\)"),
    ([np.zeros((150, 2))] * 3, r"got \(3, 150, 2\)")])
def test_probabilities_that_are_none_are_refused_by_name(p, fault):
    models = [("fine", LogisticRegression(max_iter=1000).fit(D, t)), ("odd", Says(p))]
    with pytest.raises(GreedyhullError, match=f"'odd'.* give.? probabilities .*{fault}"):
        EnsembleClassifier(models=models).fit(D, t)


def test_rounding_is_allowed():
    p = LogisticRegression(max_iter=1000).fit(D, t).predict_proba(D)
    m = EnsembleClassifier(models=[("short", Says(p.astype(np.float32))), ("digits", Says(p.round(4) - 1e-9))]).fit(D, t)
    assert (m.predict_proba(D) >= 0.0).all()
    np.testing.assert_allclose(m.predict_proba(D).sum(axis=1), 1.0, atol=1e-12)
    assert improbable(p) == ""


def test_models_that_know_other_classes_are_lined_up_by_class():
    two = LogisticRegression().fit(D[:100], words[:100])  # no virginica
    all_of_them = LogisticRegression(max_iter=1000).fit(D, words)
    swapped = Says(all_of_them.predict_proba(D)[:, [2, 0, 1]], all_of_them.classes_[[2, 0, 1]])
    m = EnsembleClassifier(models=[("two", two), ("all", all_of_them), ("swapped", swapped)]).fit(D, words)
    assert list(m.classes_) == ["setosa", "versicolor", "virginica"] and m.score(D, words) > 0.9
    m = EnsembleClassifier(models=[all_of_them]).fit(D[:100], words[:100])  # y has fewer classes than the models
    assert m.predict_proba(D).shape == (150, 3) and m.score(D, words) > 0.9
    with pytest.raises(GreedyhullError, match=r"'virginica'.* none of the models"):
        EnsembleClassifier(models=[two]).fit(D, words)


def test_frames_reach_the_models_as_they_are():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"size": X[:, 0], "kind": rng.choice(["a", "b"], 120), "gone": X[:, 1]}).mask(X[:, [1] * 3] > 1)
    frame["size"], frame["kind"] = X[:, 0], frame["kind"].fillna("c")
    coded = ColumnTransformer([("kind", OneHotEncoder(), ["kind"]), ("size", "passthrough", ["size"])])
    some = ColumnTransformer([("some", "passthrough", ["size", "gone"])])  # with gaps, which trees do not mind
    models = [("coded", make_pipeline(coded, Ridge()).fit(frame, y)), ("mean", DummyRegressor().fit(frame, y)),
              ("trees", make_pipeline(some, HistGradientBoostingRegressor(max_iter=5)).fit(frame, y))]
    m = EnsembleRegressor(models=models).fit(frame, y)
    assert m.weights_.sum() == pytest.approx(1.0) and list(m.feature_names_in_) == ["size", "kind", "gone"]
    assert m.predict(frame.iloc[:5]).shape == (5,)
    with pytest.raises(ValueError, match="feature names"):
        m.predict(frame[["kind", "size", "gone"]])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        m.fit(frame, y[:-1])
    labels = np.where(y > 0, "up", "down")
    classes = make_pipeline(coded, LogisticRegression()).fit(frame, labels)
    assert EnsembleClassifier(models=[("coded", classes)]).fit(frame, labels).predict(frame).shape == (120,)


def test_texts_reach_the_models_as_they_are():
    texts = ["good day", "bad day", "good night", "bad night"] * 5
    model = make_pipeline(CountVectorizer(), LogisticRegression()).fit(texts, [1, 0, 1, 0] * 5)
    m = EnsembleClassifier(models=[model]).fit(texts, [1, 0, 1, 0] * 5)
    assert m.predict(["good", "bad"]).tolist() == [1, 0]
