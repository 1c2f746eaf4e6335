"""Ensembles with cv: weights from predictions for samples that the models had not seen, models fitted with all of them."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, ShuffleSplit, TimeSeriesSplit, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeRegressor

from greedyhull.errors import GreedyhullError, GreedyhullWarning
from greedyhull.estimators import EnsembleClassifier, EnsembleRegressor

D, t = load_diabetes(return_X_y=True)
F, kinds = load_iris(return_X_y=True)
words = np.array(["setosa", "versicolor", "virginica"])[kinds]
MODELS = [("ridge", Ridge(0.1)), ("near", KNeighborsRegressor()), ("tree", DecisionTreeRegressor(max_depth=4, random_state=0))]
JUDGES = [("lines", LogisticRegression(max_iter=1000)), ("near", KNeighborsClassifier(7)), ("bayes", GaussianNB())]


class Shy(RegressorMixin, BaseEstimator):
    """A model whose ``fit`` returns nothing and remembers what it was given."""

    def fit(self, X, y, sample_weight=None):
        self.X_, self.weighed_, self.mean_ = X, sample_weight, float(np.average(y, weights=sample_weight))

    def predict(self, X):
        assert type(X) is type(self.X_)
        return np.full(len(X), self.mean_)


@pytest.mark.parametrize("cv", [5, KFold(3, shuffle=True, random_state=1), list(KFold(4).split(D))],
                         ids=["5", "KFold", "list"])
def test_the_weights_are_those_of_cross_val_predict(cv):
    m = EnsembleRegressor(models=MODELS, cv=cv).fit(D, t)
    Z = np.column_stack([cross_val_predict(model, D, t, cv=cv) for _, model in MODELS])
    by_hand = EnsembleRegressor().fit(Z, t)
    assert m.certificate_.value == pytest.approx(by_hand.certificate_.value, rel=1e-9)
    np.testing.assert_allclose(m.weights_, by_hand.weights_, atol=1e-6)
    everything = [clone(model).fit(D, t).predict(D[:9]) for _, model in MODELS]
    np.testing.assert_allclose(m.predict(D[:9]), m.weights_ @ everything)
    assert [name for name, _ in m.models_] == m.model_names_ == ["ridge", "near", "tree"]


@pytest.mark.parametrize("labels", [kinds, words], ids=["numbers", "words"])
def test_the_same_for_classes(labels):
    m = EnsembleClassifier(models=JUDGES, cv=5).fit(F, labels)
    blocks = [cross_val_predict(model, F, labels, cv=5, method="predict_proba") for _, model in JUDGES]
    by_hand = EnsembleClassifier().fit(np.column_stack(blocks), labels)
    assert m.certificate_.value == pytest.approx(by_hand.certificate_.value, rel=1e-6)
    assert m.score(F, labels) > 0.9 and list(m.classes_) == sorted(set(labels.tolist()))
    p = m.predict_proba(F)
    np.testing.assert_allclose(p, sum(w * model.predict_proba(F) for w, (_, model) in zip(m.weights_, m.models_)))


def test_a_model_that_overfits_gets_little_weight_with_cv_and_all_without():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((200, 5)), rng.standard_normal(200)
    models = [("mean", Ridge(1e6)), ("memory", DecisionTreeRegressor(random_state=0))]
    assert EnsembleRegressor(models=models, cv=5).fit(X, y).weights_[1] < 0.2
    with pytest.warns(GreedyhullWarning, match="'memory' predicts every target exactly"):
        seen = EnsembleRegressor(models=[(name, clone(model).fit(X, y)) for name, model in models]).fit(X, y)
    assert seen.weights_[1] > 0.99


def test_the_given_models_stay_as_they_are():
    m = EnsembleRegressor(models=MODELS, cv=3).fit(D, t)
    with pytest.raises(NotFittedError):
        MODELS[0][1].predict(D)
    again = clone(m)
    assert again.cv == 3 and again.fit(D, t).weights_.tolist() == m.weights_.tolist()


def test_rows_left_out_never_or_often_count_as_often():
    for cv in (TimeSeriesSplit(4), ShuffleSplit(6, random_state=0)):
        m = EnsembleRegressor(models=MODELS, cv=cv).fit(D, t)
        rows = np.concatenate([test for _, test in cv.split(D)])
        Z = np.vstack([np.column_stack([clone(model).fit(D[train], t[train]).predict(D[test]) for _, model in MODELS])
                       for train, test in cv.split(D)])
        assert m.certificate_.value == pytest.approx(0.5 * np.mean((Z @ m.weights_ - t[rows]) ** 2), rel=1e-9)


def test_groups_are_given_as_folds():
    groups = np.arange(len(t)) % 7
    m = EnsembleRegressor(models=MODELS, cv=GroupKFold(7).split(D, t, groups)).fit(D, t)
    assert m.weights_.sum() == pytest.approx(1.0)


def test_folds_of_groups_that_cannot_be_had_are_explained():
    groups = np.arange(len(t)) % 7
    with pytest.raises(GreedyhullError, match=r"needs groups.*cv=list\(splitter\.split\(X, y, groups\)\)"):
        EnsembleRegressor(models=MODELS, cv=GroupKFold(7)).fit(D, t)
    once = EnsembleRegressor(models=MODELS, cv=GroupKFold(7).split(D, t, groups)).fit(D, t)
    with pytest.raises(GreedyhullError, match=r"no folds.*empty after one fit.*cv=list"):
        once.fit(D, t)
    often = EnsembleRegressor(models=MODELS, cv=list(GroupKFold(7).split(D, t, groups)))
    np.testing.assert_array_equal(clone(often.fit(D, t)).fit(D, t).weights_, often.weights_)


def test_the_error_of_a_model_says_which_one_and_where():
    class Delicate(Ridge):
        def fit(self, X, y, sample_weight=None):
            if len(X) < self.alpha:
                raise RuntimeError("too few samples")
            return super().fit(X, y, sample_weight)

    models, folds = [("line", Ridge()), ("delicate", Delicate(300.0))], [(range(400), [401]), ([0, 1], [2])]
    with pytest.raises(RuntimeError, match="too few") as caught:
        EnsembleRegressor(models=models, cv=folds).fit(D, t)
    assert caught.value.__notes__ == ["This happened as the model 'delicate' of the ensemble was fitted in fold 2 of 2."]


def test_weights_of_samples_reach_models_that_take_them():
    s = np.random.default_rng(0).uniform(0.1, 3.0, len(t))
    models = [("ridge", Ridge(0.1)), ("piped", make_pipeline(StandardScaler(), Ridge(0.1))), ("shy", Shy())]
    m = EnsembleRegressor(models=models, cv=4).fit(D, t, sample_weight=s)
    folds = list(KFold(4).split(D))
    Z = np.vstack([np.column_stack([
        Ridge(0.1).fit(D[a], t[a], s[a]).predict(D[b]),
        make_pipeline(StandardScaler(), Ridge(0.1)).fit(D[a], t[a], ridge__sample_weight=s[a]).predict(D[b]),
        np.full(len(b), np.average(t[a], weights=s[a]))]) for a, b in folds])
    by_hand = EnsembleRegressor().fit(Z, t, sample_weight=s)
    assert m.certificate_.value == pytest.approx(by_hand.certificate_.value, rel=1e-9)
    np.testing.assert_array_equal(dict(m.models_)["shy"].weighed_, s)
    with pytest.warns(GreedyhullWarning, match="fit of 'near' takes no sample_weight"):
        EnsembleRegressor(models=MODELS, cv=3).fit(D, t, sample_weight=s)


def test_frames_stay_frames_in_every_fold():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(D[:, :3], columns=["age", "sex", "bmi"], index=np.arange(len(t)) + 1000)
    frame["kind"] = np.where(D[:, 3] > 0, "a", "b")
    coded = ColumnTransformer([("kind", OneHotEncoder(), ["kind"]), ("rest", "passthrough", ["age", "bmi"])])
    m = EnsembleRegressor(models=[("coded", make_pipeline(coded, Ridge())), ("shy", Shy())], cv=3).fit(frame, pd.Series(t))
    assert isinstance(dict(m.models_)["shy"].X_, pd.DataFrame) and list(m.feature_names_in_) == list(frame)
    assert m.predict(frame.head()).shape == (5,)


def test_polars_frames_and_texts_are_split_too():
    texts = ["good day", "bad day", "good night", "bad night"] * 10
    m = EnsembleClassifier(models=[make_pipeline(CountVectorizer(), LogisticRegression())], cv=4).fit(texts, [1, 0, 1, 0] * 10)
    assert m.predict(["good", "bad"]).tolist() == [1, 0]
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({f"c{j}": D[:, j] for j in range(3)})
    m = EnsembleRegressor(models=[("shy", Shy()), ("ridge", Ridge())], cv=3).fit(frame, t)
    assert isinstance(dict(m.models_)["shy"].X_, pl.DataFrame) and m.predict(frame[:4]).shape == (4,)


def test_metrics_and_limits_work_with_cv():
    m = EnsembleRegressor(models=MODELS, cv=3, loss=lambda y, z: np.median(abs(y - z)), max_iter=5, max_models=2).fit(D, t)
    assert m.n_models_ <= 2 and m.certificate_.gap is None
    m = EnsembleClassifier(models=JUDGES, cv=3, loss=lambda y, p: 1 - np.mean(p.argmax(axis=1) == y), max_iter=5).fit(F, kinds)
    assert m.certificate_.value < 0.1


def test_a_search_may_choose_the_folds():
    search = GridSearchCV(EnsembleRegressor(models=MODELS), {"cv": [2, 4]}, cv=2, error_score="raise").fit(D, t)
    assert search.best_params_["cv"] in (2, 4) and search.best_estimator_.predict(D).shape == t.shape


@pytest.mark.parametrize(("cv", "said"), [([], "no folds"), ([([0, 1], [])], "leaves out no sample"), (1, "cv"),
                                          ("five", "cv"), ([([0, 1], [900])], "numbers from 0 to 441")], ids=repr)
def test_folds_that_are_none_are_refused(cv, said):
    with pytest.raises(ValueError, match=said):
        EnsembleRegressor(models=MODELS, cv=cv).fit(D, t)


def test_a_fold_without_a_class_to_train_with_is_refused():
    with pytest.raises(GreedyhullError, match="Fold 1 of 3 has no sample of the class 'setosa' to train with"):
        EnsembleClassifier(models=JUDGES, cv=KFold(3)).fit(F, words)
    with pytest.raises(GreedyhullError, match="Fold 1 of 1 has no sample of the classes 'versicolor', 'virginica' to"):
        EnsembleClassifier(models=JUDGES, cv=[(np.arange(50), np.arange(50, 150))]).fit(F, words)


def test_prefit_is_no_cv():
    fitted = [(name, clone(model).fit(D[:200], t[:200])) for name, model in MODELS]
    a, b = (EnsembleRegressor(models=fitted, cv=cv).fit(D[200:], t[200:]) for cv in (None, "prefit"))
    np.testing.assert_array_equal(a.weights_, b.weights_)
    assert a.models_[0][1] is fitted[0][1]


def test_models_that_are_not_fitted_are_refused_by_name():
    with pytest.raises(GreedyhullError, match=r"'ridge' is not fitted.*cv=5"):
        EnsembleRegressor(models=MODELS).fit(D, t)
    with pytest.raises(GreedyhullError, match=r"'randomforestclassifier' is not fitted"):
        EnsembleClassifier(models=[RandomForestClassifier()]).fit(F, kinds)


def test_models_that_cannot_be_fitted_are_refused_by_name():
    class Fixed:
        def predict(self, X):
            return np.zeros(len(X))

    with pytest.raises(GreedyhullError, match=r"'fixed'.* has no fit"):
        EnsembleRegressor(models=[("fixed", Fixed())], cv=3).fit(D, t)


def test_cv_without_models_has_no_effect_and_says_so():
    Z = np.column_stack([t, t + 1.0, -t])
    with pytest.warns(GreedyhullWarning, match="cv was given without models"):
        m = EnsembleRegressor(cv=5).fit(Z, t)
    np.testing.assert_array_equal(m.weights_, EnsembleRegressor().fit(Z, t).weights_)
    assert m.models_ is None


@pytest.mark.parametrize("fit", [
    lambda: EnsembleRegressor(models=[Ridge().fit(D, t)]).fit(D, t),
    lambda: EnsembleRegressor(cv=5).fit(D, t),
    lambda: EnsembleRegressor(models=[KNeighborsRegressor()], cv=3).fit(D, t, sample_weight=np.ones(len(t))),
    lambda: EnsembleClassifier().fit(F[:, :3], words)], ids=["seen", "no models", "no sample_weight", "no probabilities"])
def test_warnings_point_to_the_line_that_called_fit(fit):
    with pytest.warns(GreedyhullWarning) as told:
        fit()
    assert {one.filename for one in told} == {__file__}


def test_other_models_can_be_used_after_predictions():
    m = EnsembleRegressor().fit(np.column_stack([t, t + 1.0]), t)
    m.set_params(models=MODELS, cv=3).fit(D, t)
    assert m.predict(D).shape == t.shape and len(m.weights_) == 3
    m.set_params(models=None, cv=None).fit(np.column_stack([t, t + 1.0]), t)
    assert m.models_ is None and len(m.weights_) == 2


def test_forests_gain_from_company():
    models = [*MODELS, ("forest", RandomForestRegressor(20, random_state=0))]
    m = EnsembleRegressor(models=models, cv=4).fit(D[:300], t[:300])
    assert m.score(D[300:], t[300:]) > max(model.score(D[300:], t[300:]) for _, model in m.models_) - 0.05
