"""Ensembles: certified weights, never worse than greedy selection, at home in scikit-learn's stacking."""

import os
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import RandomForestClassifier, StackingClassifier, StackingRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import log_loss, mean_absolute_error, mean_pinball_loss, roc_auc_score
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier

from greedyhull.errors import GreedyhullError, GreedyhullWarning
from greedyhull.estimators import EnsembleClassifier, EnsembleRegressor
from greedyhull.estimators.ensemble_models import columns_of, improved, selected

DATA = Path(os.environ.get("GREEDYHULL_DATA", Path(__file__).parents[3] / "shared" / "data")) / "stacking" / "diabetes_oof.npz"
rng = np.random.default_rng(0)
y = rng.standard_normal(120)
Z = y[:, None] * rng.uniform(0.3, 1.2, 10) + rng.standard_normal((120, 10)) * rng.uniform(0.3, 1.5, 10)
classes = rng.integers(0, 3, 150)
truth = np.eye(3)[classes]
P = np.concatenate([(p := np.exp(a * truth + rng.standard_normal((150, 3)))) / p.sum(axis=1, keepdims=True)
                    for a in (0.5, 1.0, 2.0, 1.5, 0.0)], axis=1)


def greedy(predictions, metric, rounds):
    """Greedy selection with replacement, as plainly as it can be written; the best value it passes."""
    total, best = np.zeros_like(predictions[0]), np.inf
    for k in range(rounds):
        values = [metric((total + p) / (k + 1)) for p in predictions]
        total = total + predictions[int(np.argmin(values))]
        best = min(best, min(values))
    return best


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_no_other_weights_do_better(loss):
    m = EnsembleRegressor(loss=loss).fit(Z, y)
    measure = {"squared": lambda w: 0.5 * np.mean((Z @ w - y) ** 2), "absolute": lambda w: np.mean(abs(Z @ w - y))}[loss]
    assert m.weights_.sum() == pytest.approx(1.0) and m.certificate_.kind == "always"
    assert measure(m.weights_) == pytest.approx(m.certificate_.value, abs=1e-9)
    for w in rng.dirichlet(np.full(10, 0.3), 500):
        assert measure(w) >= measure(m.weights_) - m.dual_gap_ - 1e-12


@pytest.mark.parametrize("loss", ["log_loss", "squared"])
def test_class_weights_beat_greedy_selection_and_every_model(loss):
    m = EnsembleClassifier(loss=loss).fit(P, classes)
    measure = {"log_loss": lambda p: -np.mean(np.log(p[np.arange(150), classes])),
               "squared": lambda p: 0.5 * np.mean((p - truth) ** 2)}[loss]
    models = P.reshape(150, 5, 3).transpose(1, 0, 2)
    assert measure(m.predict_proba(P)) <= greedy(models, measure, 60) + m.dual_gap_ + 1e-12
    assert measure(m.predict_proba(P)) <= min(measure(p) for p in models) + 1e-12


def test_two_classes_take_one_column_a_model():
    t = (y > 0).astype(int)
    p = 1 / (1 + np.exp(-Z))
    m = EnsembleClassifier().fit(p, t)
    assert m.predict_proba(p).shape == (120, 2)
    assert log_loss(t, m.predict_proba(p)) == pytest.approx(m.certificate_.value, rel=1e-9)
    scores = EnsembleClassifier().fit(Z, t)  # scores are turned into the same probabilities
    np.testing.assert_allclose(scores.weights_, m.weights_, atol=1e-4)


@pytest.mark.parametrize("metric", [mean_absolute_error, lambda t, p: mean_pinball_loss(t, p, alpha=0.8),
                                    lambda t, p: np.median(abs(t - p))], ids=["mae", "pinball", "median"])
def test_any_metric_is_never_worse_than_greedy_selection(metric):
    m = EnsembleRegressor(loss=metric, max_iter=30).fit(Z, y)
    assert metric(y, m.predict(Z)) <= greedy(Z.T, lambda z: metric(y, z), 30) + 1e-12
    assert m.certificate_.gap is None and m.weights_.sum() == pytest.approx(1.0)


def test_a_ranking_metric_works_for_classes():
    t = (y > 0).astype(int)
    p = 1 / (1 + np.exp(-Z))
    m = EnsembleClassifier(loss=lambda t, q: -roc_auc_score(t, q), max_iter=20).fit(p, t)
    assert roc_auc_score(t, m.predict_proba(p)[:, 1]) >= max(roc_auc_score(t, p[:, j]) for j in range(10))


@pytest.mark.parametrize("most", [1, 2, 3])
def test_at_most_so_many_models_are_used(most):
    for loss in ("squared", mean_absolute_error):
        m = EnsembleRegressor(loss=loss, max_models=most, max_iter=30).fit(Z, y)
        assert np.count_nonzero(m.weights_) <= most and m.weights_.sum() == pytest.approx(1.0)
    m = EnsembleRegressor(max_models=most).fit(Z, y)
    single = min(0.5 * np.mean((Z[:, j] - y) ** 2) for j in range(10))
    assert m.certificate_.value <= single + 1e-12
    assert m.certificate_.value - m.dual_gap_ <= EnsembleRegressor().fit(Z, y).certificate_.value + 1e-12


def test_two_models_are_the_best_two():
    m = EnsembleRegressor(max_models=2).fit(Z, y)
    pairs = [EnsembleRegressor().fit(Z[:, [i, j]], y).certificate_.value for i in range(10) for j in range(i)]
    assert m.certificate_.value <= 1.02 * min(pairs)


def test_fitted_models_are_asked_for_their_predictions():
    D, t = load_diabetes(return_X_y=True)
    models = [Ridge().fit(D[:200], t[:200]), KNeighborsRegressor().fit(D[:200], t[:200])]
    m = EnsembleRegressor(models=models).fit(D[200:], t[200:])
    np.testing.assert_allclose(m.predict(D[:5]), sum(w * model.predict(D[:5]) for w, model in zip(m.weights_, models)))
    D, t = load_iris(return_X_y=True)
    models = [LogisticRegression(max_iter=1000).fit(D[::2], t[::2]), DecisionTreeClassifier(max_depth=2).fit(D[::2], t[::2])]
    m = EnsembleClassifier(models=models).fit(D[1::2], t[1::2])
    assert m.predict_proba(D).shape == (150, 3) and m.score(D, t) > 0.9


def test_stacking_uses_them_as_final_estimators():
    D, t = load_diabetes(return_X_y=True)
    stack = StackingRegressor([("ridge", Ridge()), ("knn", KNeighborsRegressor())], EnsembleRegressor()).fit(D, t)
    assert stack.final_estimator_.weights_.shape == (2,) and stack.score(D, t) > 0.3
    D, t = load_iris(return_X_y=True)
    models = [("tree", DecisionTreeClassifier(max_depth=2, random_state=0)), ("lr", LogisticRegression(max_iter=1000)),
              ("forest", RandomForestClassifier(10, random_state=0))]
    for part, names in ((slice(None), t), (slice(0, 100), np.array(["a", "b", "c"])[t][:100])):
        stack = StackingClassifier(models, EnsembleClassifier()).fit(D[part], names)
        assert stack.final_estimator_.weights_.shape == (3,) and stack.score(D[part], names) > 0.9


def test_columns_that_are_no_blocks_are_votes_with_a_warning():
    with pytest.warns(GreedyhullWarning, match="blocks of 3 columns"):
        EnsembleClassifier().fit(rng.standard_normal((150, 4)), classes)
    votes = np.column_stack([classes, (classes + 1) % 3])
    assert EnsembleClassifier().fit(votes, classes).weights_[0] > 0.99


def test_selection_is_plain_greedy_selection_and_steps_only_improve():
    metric = lambda z: float(np.mean(abs(z - y)))
    w, value = selected(Z.T, metric, 25, 10)
    assert value == pytest.approx(greedy(Z.T, metric, 25))
    better, lower = improved(Z.T, metric, w, value, 20, 10)
    assert lower <= value and lower == pytest.approx(metric(Z @ better)) and better.sum() == pytest.approx(1.0)


@pytest.mark.skipif(not DATA.exists(), reason="no reference data (set GREEDYHULL_DATA)")
def test_stacking_the_diabetes_models_has_the_reference_loss():
    z = np.load(DATA, allow_pickle=True)
    matrix = next(z[k] for k in z if z[k].ndim == 2)
    target = next(z[k] for k in z if z[k].shape == (442,) and z[k].dtype.kind == "f")
    m = EnsembleRegressor().fit(matrix, target)
    assert m.certificate_.value == pytest.approx(1430.5375312130068, rel=1e-6) and m.n_models_ == 7


def sometimes(t, z):
    """A metric that cannot be computed far from the target."""
    return np.nan if np.abs(z - t).max() > 50 else np.mean(np.abs(z - t))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_model_whose_metric_is_not_finite_loses(bad, place):
    columns = np.insert(Z[:, :2], place, y + 100.0, axis=1)
    metric = lambda t, z: bad if np.abs(z - t).max() > 50 else np.mean(np.abs(z - t))
    m = EnsembleRegressor(loss=metric, max_iter=10).fit(columns, y)
    assert m.weights_[place] == 0.0 and np.isfinite(m.certificate_.value)
    assert m.certificate_.value <= min(np.mean(np.abs(Z[:, j] - y)) for j in range(2))


@pytest.mark.parametrize("seed", range(40))
def test_the_reported_metric_is_that_of_the_weights_even_where_it_is_finite_only_beside_a_model(seed):
    rng = np.random.default_rng(seed)
    Z, y = rng.standard_normal((9, 2)), rng.standard_normal(9)
    Z[:, 1] += 3.0  # the first model is the best, and steps lead ever closer to it

    def beside(t, z):
        return np.nan if np.array_equal(z, Z[:, 0]) else np.abs(t - z).mean()

    model = EnsembleRegressor(loss=beside).fit(Z, y)
    assert beside(y, model.predict(Z)) == pytest.approx(model.certificate_.value, abs=1e-12)


def test_a_metric_that_is_never_finite_is_refused():
    with pytest.raises(GreedyhullError, match="NaN or infinite for each model"):
        EnsembleRegressor(loss=sometimes).fit(Z + 100.0, y)
    with pytest.raises(GreedyhullError, match="NaN or infinite for each model"):
        EnsembleClassifier(loss=lambda t, p: np.nan).fit(P, classes)
    with pytest.raises(GreedyhullError, match="NaN or infinite for each model"):
        selected(Z.T, lambda z: np.nan, 5, 3)


@pytest.mark.parametrize("answer", [None, "low", np.zeros(3), 1j], ids=repr)
def test_a_metric_without_a_number_for_an_answer_is_refused(answer):
    with pytest.raises(GreedyhullError, match="loss must return a number"):
        EnsembleRegressor(loss=lambda t, z: answer).fit(Z, y)


def test_a_metric_is_given_the_weights_of_samples():
    s = rng.uniform(0.1, 5.0, 120)
    m = EnsembleRegressor(loss=mean_absolute_error, max_iter=20).fit(Z, y, sample_weight=s)
    assert m.certificate_.value == pytest.approx(mean_absolute_error(y, m.predict(Z), sample_weight=s))
    with pytest.raises(GreedyhullError, match="sample_weight"):
        EnsembleRegressor(loss=lambda t, z: 0.0).fit(Z, y, sample_weight=s)


def test_a_metric_has_no_intercept():
    with pytest.raises(GreedyhullError, match="fit_intercept"):
        EnsembleRegressor(loss=mean_absolute_error, fit_intercept=True).fit(Z, y)


def test_a_fit_forgets_the_one_before():
    m = EnsembleRegressor().fit(Z, y)
    m.set_params(loss=mean_absolute_error, max_iter=3).fit(Z, y)
    assert not hasattr(m, "solution_") and m.certificate_.gap is None


def test_columns_are_probabilities_or_scores_each_for_itself():
    t = (y > 0).astype(int)
    p = 1 / (1 + np.exp(-Z))
    both = EnsembleClassifier().fit(np.column_stack([p[:, :5], Z[:, 5:]]), t)
    np.testing.assert_allclose(both.weights_, EnsembleClassifier().fit(p, t).weights_, atol=1e-4)
    one = np.column_stack([p[:, :5], Z[:, 5:]])[:1]
    np.testing.assert_allclose(both.predict_proba(one), both.predict_proba(np.column_stack([p[:, :5], Z[:, 5:]]))[:1])
    scores = EnsembleClassifier().fit(Z, t)
    mild = np.full((1, 10), 0.5)  # in [0, 1], and scores all the same
    assert scores.predict_proba(mild)[0, 1] == pytest.approx(1 / (1 + np.exp(-0.5)))
    rounded = EnsembleClassifier().fit(np.where(p > 0.99, 1 + 1e-12, p), t)
    np.testing.assert_allclose(rounded.weights_, EnsembleClassifier().fit(p, t).weights_, atol=1e-3)


def test_a_column_that_is_neither_is_refused_beside_probabilities():
    t = (y > 0).astype(int)
    p = 1 / (1 + np.exp(-Z))
    p[3, 4] = 3.0
    with pytest.raises(GreedyhullError, match=r"In column 4 of X entries reach from .* to 3"):
        EnsembleClassifier().fit(p, t)
    pd = pytest.importorskip("pandas")
    with pytest.raises(GreedyhullError, match=r"In column 'e' of X"):
        EnsembleClassifier().fit(pd.DataFrame(p, columns=list("abcdefghij")), t)
    blocks = P.copy()
    blocks[7, 3:6] *= 0.5
    with pytest.raises(GreedyhullError, match=r"In columns 3 to 5 of X rows do not sum to one"):
        EnsembleClassifier().fit(blocks, classes)
    with pytest.warns(GreedyhullWarning, match="no probabilities"):
        EnsembleClassifier().fit(3 * rng.random((120, 3)), t)
    m = EnsembleClassifier().fit(1 / (1 + np.exp(-Z)), t)
    with pytest.raises(GreedyhullError, match="column 4 has entries outside"):
        m.predict(p)


def test_names_of_columns_reach_the_solution():
    pd = pytest.importorskip("pandas")
    assert EnsembleRegressor().fit(pd.DataFrame(Z, columns=list("abcdefghij")), y).solution_.names == list("abcdefghij")
    frame = pd.DataFrame(P, columns=[f"{model}_{k}" for model in "abcde" for k in range(3)])
    assert EnsembleClassifier().fit(frame, classes).solution_.names[1] == "columns 'b_0' to 'b_2'"


def test_logarithms_of_probabilities():
    t = (y > 0).astype(int)
    p = 1 / (1 + np.exp(-Z))
    m = EnsembleClassifier().fit(p, t)
    np.testing.assert_array_equal(m.predict_log_proba(p), np.log(m.predict_proba(p)))
    sure = EnsembleClassifier().fit(t[:, None].astype(float), t)
    assert sorted(sure.predict_log_proba([[1.0]])[0]) == [-np.inf, 0.0]


@pytest.mark.parametrize("K, columns", [(2, 5), (3, 6), (3, 4)])
@pytest.mark.parametrize("kind", ["probabilities", "scores", "both"])
def test_the_probabilities_of_the_true_class_are_those_of_all_classes(K, columns, kind):
    rng = np.random.default_rng(columns)
    labels = rng.integers(0, K, 30)
    if K == 3 and columns == 4:
        X = rng.integers(0, 3, (30, 4)).astype(float)  # votes
    elif K == 3:
        X = rng.dirichlet(np.ones(3), (30, 2)).reshape(30, 6)
    else:
        X = rng.random((30, 5))
    if kind != "probabilities" and K == 2:
        X[:, : 5 if kind == "scores" else 2] = 5.0 * rng.standard_normal((30, 5 if kind == "scores" else 2))
    reader, before = columns_of(X, K, None), X.copy()
    assert np.array_equal(reader.of_truth(X, labels), reader.read(X)[np.arange(30), labels])
    assert np.array_equal(X, before)
