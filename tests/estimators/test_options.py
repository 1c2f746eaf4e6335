"""Options that scikit-learn's linear models have too: the same problems, whoever solves them."""

import inspect
import pickle
import warnings
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import nnls
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_diabetes, load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso, LogisticRegression

import greedyhull as gh
from greedyhull.estimators import (
    L1BudgetClassifier,
    L1BudgetClassifierCV,
    L1BudgetRegressor,
    L1BudgetRegressorCV,
    SimplexClassifier,
    SimplexRegressor,
)

rng = np.random.default_rng(0)
X = rng.standard_normal((80, 6))
y = X @ [0.5, -0.3, 0.2, 0.0, -1.0, 0.0] + 0.05 * rng.standard_normal(80) + 3.0
labels = (X @ [1.0, -1.0, 0.5, 0.0, 0.0, 0.0] + 0.5 * rng.standard_normal(80) > 0.7).astype(int)
D, t = load_diabetes(return_X_y=True)
flowers, kinds = load_iris(return_X_y=True)
PUBLIC = [L1BudgetClassifier, L1BudgetClassifierCV, L1BudgetRegressor, L1BudgetRegressorCV, SimplexClassifier,
          SimplexRegressor]
METHODS = ["fit", "predict", "predict_proba", "decision_function", "report", "path", "plot_path"]


# positive


@pytest.mark.parametrize("share", [0.9, 0.3, 0.01])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_positive_with_a_penalty_is_the_positive_lasso(share, form):
    alpha = share * np.abs(D.T @ (t - t.mean())).max() / len(t)
    ours = L1BudgetRegressor(alpha=alpha, positive=True, tol=1e-9).fit(form(D), t)
    other = Lasso(alpha=alpha, positive=True, tol=1e-12, max_iter=10**6).fit(D, t)
    np.testing.assert_allclose(ours.coef_, other.coef_, atol=1e-5 * max(other.coef_.max(), 1.0))
    assert (ours.coef_ >= 0).all() and ours.radius_ == pytest.approx(other.coef_.sum(), rel=1e-5)
    np.testing.assert_array_equal(ours.coef_ == 0.0, other.coef_ == 0.0)
    value = 0.5 * np.mean((other.predict(D) - t) ** 2) + alpha * other.coef_.sum()
    assert ours.certificate_.lower <= value * (1 + 1e-12) and ours.dual_gap_ <= 1e-9 * value


def test_positive_with_room_enough_is_non_negative_least_squares():
    model = L1BudgetRegressor(100.0, positive=True, fit_intercept=False, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(model.coef_, nnls(X, y)[0], atol=1e-5)


def test_positive_keeps_the_budget():
    for model in (L1BudgetRegressor(0.3, positive=True), L1BudgetRegressorCV(radii=[0.1, 0.3], cv=3, positive=True)):
        model.fit(X, y)
        assert (model.coef_ >= 0).all() and model.coef_.sum() <= model.radius_ * (1 + 1e-9)
    for model in (L1BudgetClassifier(2.0, positive=True), L1BudgetClassifierCV(radii=[0.5, 2.0], cv=3, positive=True)):
        model.fit(flowers, kinds)
        assert (model.coef_ >= 0).all() and model.coef_.sum(axis=1).max() <= 2.0 * (1 + 1e-9)


def test_positive_and_standardised_is_positive_on_scaled_columns():
    A = X * np.array([1.0, 10.0, 0.1, 5.0, 2.0, 1.0]) + 4.0
    inside = L1BudgetRegressor(0.5, positive=True, standardize=True, tol=1e-9).fit(A, y)
    outside = L1BudgetRegressor(0.5, positive=True, tol=1e-9).fit(A / A.std(axis=0), y)
    np.testing.assert_allclose(inside.coef_ * A.std(axis=0), outside.coef_, atol=1e-5)


def test_positive_on_targets_that_all_columns_oppose_is_zero():
    A = np.abs(X)
    for model in (L1BudgetRegressor(2.0, positive=True, fit_intercept=False),
                  L1BudgetRegressor(alpha=0.1, positive=True, fit_intercept=False),
                  L1BudgetRegressorCV(radii=4, cv=3, positive=True, fit_intercept=False)):
        assert not model.fit(A, -A.sum(axis=1)).coef_.any()


# class weights


@pytest.mark.parametrize("make", [lambda **how: L1BudgetClassifier(2.0, **how), SimplexClassifier,
                                  lambda **how: L1BudgetClassifierCV(radii=[0.5, 2.0], cv=3, **how),
                                  lambda **how: L1BudgetClassifier(alpha=0.02, **how)],
                         ids=["radius", "simplex", "cv", "alpha"])
@pytest.mark.parametrize("own", [None, rng.uniform(0.5, 2.0, 150)], ids=["alike", "weighted"])
def test_weights_of_classes_are_weights_of_samples(make, own):
    given = {0: 1.0, 1: 3.0, 2: 0.5}
    s = np.array([given[c] for c in kinds]) * (1.0 if own is None else own)
    classes, samples = make(class_weight=given).fit(flowers, kinds, own), make().fit(flowers, kinds, s)
    np.testing.assert_allclose(classes.coef_, samples.coef_, atol=1e-8)
    np.testing.assert_allclose(classes.intercept_, samples.intercept_, atol=1e-8)


def test_balanced_classes_count_the_same():
    own = rng.uniform(0.5, 2.0, 80)
    sums = np.bincount(labels, weights=own)
    one = L1BudgetClassifier(2.0, class_weight="balanced").fit(X, labels, own)
    two = L1BudgetClassifier(2.0).fit(X, labels, own / sums[labels])
    np.testing.assert_allclose(one.coef_, two.coef_, atol=1e-8)


def test_balanced_classes_are_those_of_logistic_regression():
    s = 80 / (2 * np.bincount(labels))[labels]
    ours = L1BudgetClassifier(alpha=0.02, tol=1e-9, class_weight="balanced").fit(X, labels)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other = LogisticRegression(l1_ratio=1.0, solver="saga", C=1 / (s.sum() * 0.02), class_weight="balanced", tol=1e-10,
                                   max_iter=10**5).fit(X, labels)
    np.testing.assert_allclose(ours.coef_, other.coef_, atol=1e-4)


@pytest.mark.parametrize("given", [{0: -1.0, 1: 1.0}, {0: 0.0, 1: 0.0}, {0: np.nan, 1: 1.0}, {0: 1.0, 7: 1.0}, "even", 3.0])
def test_weights_of_classes_that_are_none_are_refused(given):
    with pytest.raises(ValueError, match=r"class_weight|classes"):
        L1BudgetClassifier(class_weight=given).fit(X, labels)


# warm starts


HARD = [SimplexRegressor(loss="absolute"), L1BudgetRegressor(2.0, loss="quantile"), L1BudgetClassifier(50.0),
        SimplexClassifier(loss="hinge", total=5.0), L1BudgetRegressor(alpha=1e-3)]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("model", HARD, ids=repr)
def test_a_warm_start_is_never_worse_than_what_it_starts_from(model):
    target = labels if is_classifier(model) else y
    model = clone(model).set_params(warm_start=True, max_iter=1, tol=1e-12)
    values = [model.fit(X, target).certificate_.value for _ in range(6)]
    assert all(b <= a + 1e-12 * abs(a) for a, b in pairwise(values))
    done = clone(model).set_params(warm_start=False, max_iter=10_000, tol=1e-6).fit(X, target)
    assert done.certificate_.lower <= values[-1] * (1 + 1e-9)
    again = clone(done).set_params(warm_start=True)
    again.fit(X, target)
    assert again.fit(X, target).certificate_.value <= done.certificate_.value * (1 + 1e-9)


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_a_warm_start_does_not_change_the_promise(kind):
    models = [(L1BudgetRegressor(warm_start=True), {"radius": [2.0, 0.5, 1.0]}),
              (L1BudgetRegressor(warm_start=True), {"alpha": [0.01, 0.3, 100.0, 0.01]}),
              (L1BudgetRegressor(warm_start=True, radius=1.0), {"positive": [False, True, False]}),
              (SimplexRegressor(warm_start=True), {"total": [1.0, 3.0, 0.5]}),
              (SimplexRegressor(warm_start=True), {"upper": [None, 0.3, 1.0]})]
    A = X.astype(kind)
    for model, settings in models:
        for name, values in settings.items():
            for value in values:
                warm = model.set_params(**{name: value}).fit(A, y)
                cold = clone(model).fit(A, y)
                size = max(abs(cold.certificate_.value), 0.5 * float(np.mean(y**2)))
                assert abs(warm.certificate_.value - cold.certificate_.value) <= 2e-6 * size
                assert warm.dual_gap_ <= 2e-6 * size


def test_a_warm_start_from_other_features_or_classes_is_a_cold_one():
    model = L1BudgetClassifier(2.0, warm_start=True).fit(X, labels)
    for A, c in ((X[:, :3], labels), (X[:, :3], np.digitize(y, [2.0, 4.0])), (X, np.where(labels, "a", "b"))):
        np.testing.assert_array_equal(model.fit(A, c).coef_, L1BudgetClassifier(2.0).fit(A, c).coef_)


# one warning


def told(fit):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        fit()
    return [w for w in seen if issubclass(w.category, ConvergenceWarning)]


def test_many_problems_that_miss_the_gap_are_one_warning():
    A, c = load_digits(return_X_y=True)
    model = L1BudgetClassifier(50.0, loss="squared_hinge", max_iter=1, tol=1e-12)
    (warning,) = told(lambda: model.fit(A[:300], c[:300]))
    missed = sum(not s.converged for s in model.solution_)
    assert f"{missed} of the 10 problems" in str(warning.message) and f"{model.dual_gap_:.3g}" in str(warning.message)
    assert warning.filename == __file__
    assert missed > 1 and not [name for name in vars(model) if name == "_solved"]


def test_a_choice_by_cross_validation_warns_once():
    model = L1BudgetClassifierCV(radii=[5.0, 50.0], cv=2, max_iter=1, tol=1e-14)
    assert len(told(lambda: model.fit(flowers, kinds))) == 1
    assert not told(lambda: L1BudgetClassifier(2.0).fit(flowers, kinds))


def test_a_fit_that_fails_leaves_no_warning_for_the_next():
    model = L1BudgetClassifier(50.0, max_iter=1, tol=1e-12)
    assert len(told(lambda: model.fit(flowers, kinds))) == 1
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.full((4, 2), np.nan), [0, 1, 0, 1])
    assert not told(lambda: model.set_params(radius=2.0, max_iter=10_000, tol=1e-4).fit(flowers, kinds))


# paths, figures, reports


@pytest.mark.parametrize("model", [L1BudgetRegressor(2.0), L1BudgetRegressor(alpha=0.05), L1BudgetClassifier(3.0),
                                   L1BudgetRegressor(1.0, positive=True), L1BudgetRegressor(1.0, standardize=True)], ids=repr)
def test_a_path_is_that_of_single_fits(model):
    target = labels if is_classifier(model) else y
    model = clone(model).set_params(tol=1e-9).fit(X, target)
    radii, coefs = model.path([2.0, 0.1, 0.7])
    assert radii.tolist() == [0.1, 0.7, 2.0] and coefs.shape == (3, 6)
    for r, w in zip(radii, coefs):
        alone = clone(model).set_params(radius=r, alpha=None).fit(X, target)
        np.testing.assert_allclose(w, alone.coef_.ravel(), atol=1e-4)
    radii, coefs = model.path(7)
    assert len(radii) == 7 and radii[-1] == pytest.approx(model.radius_, rel=1e-3)
    for none in (0, -3, True, [], [0.0], [np.nan], "some"):
        with pytest.raises(ValueError, match="a number of radii, or positive radii, are wanted"):
            model.path(none)


def test_a_path_of_several_classes_has_one_for_each():
    model = L1BudgetClassifier(3.0).fit(flowers, kinds)
    _, coefs = model.path([3.0])
    np.testing.assert_allclose(coefs[0], model.coef_, atol=1e-2)
    assert coefs.shape == (1, 3, 4)


def test_figures_have_labels_titles_and_a_line_for_each_feature():
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=["age", "bmi", "bp", "s1", "s2", "s3"])
    for model in (L1BudgetRegressor(2.0), L1BudgetRegressor(alpha=0.1), L1BudgetClassifier(2.0)):
        ax = model.fit(frame, labels).plot_path(radii=5)
        assert ax.get_xlabel() == "radius" and ax.get_ylabel() == "coefficient" and ax.get_title()
        named = {line.get_label(): line for line in ax.lines}
        _, coefs = model.path(5)
        np.testing.assert_allclose(named["bmi"].get_ydata(), coefs[:, 1])
    for loss, said in (("squared_hinge", "against the rest"), ("logistic", "Class")):
        axes = L1BudgetClassifier(2.0, loss=loss).fit(flowers, kinds).plot_path(radii=3)
        assert len(axes) == 3 and all(said in a.get_title() for a in axes)
    own = plt.subplots()[1]
    assert L1BudgetRegressor(2.0).fit(X, y).plot_path(own, radii=2) is own
    with pytest.raises(ValueError, match="each of 3 problems; got 1"):
        L1BudgetClassifier(2.0).fit(flowers, kinds).plot_path(own, radii=3)
    chosen = L1BudgetRegressorCV(radii=4, cv=2).fit(frame, y)
    top, bottom = chosen.plot_path()
    assert "bmi" in [line.get_label() for line in top.lines] and top.get_title() and bottom.get_ylabel()
    with pytest.raises(ValueError, match="two axes"):
        chosen.plot_path(own)
    plt.close("all")


def test_what_needs_the_data_says_so_after_a_pickle(tmp_path):
    model = pickle.loads(pickle.dumps(L1BudgetRegressor(2.0).fit(X, y)))
    for ask in (model.path, model.plot_path, lambda: model.report(tmp_path / "page.html")):
        with pytest.raises(gh.GreedyhullError, match="pickled without its data"):
            ask()


@pytest.mark.parametrize("model", [L1BudgetRegressor(0.5), L1BudgetRegressor(alpha=0.1), L1BudgetRegressorCV(radii=3, cv=2),
                                   SimplexRegressor(), L1BudgetClassifier(), L1BudgetClassifierCV(radii=3, cv=2),
                                   SimplexClassifier()], ids=repr)
def test_reports_name_the_features(model, tmp_path):
    pd, _ = pytest.importorskip("pandas"), pytest.importorskip("jinja2")
    frame = pd.DataFrame(X, columns=["age", "bmi", "blood pressure", "s1", "s2", "s3"])
    model = clone(model).fit(frame, labels if is_classifier(model) else y)
    page = model.report(tmp_path / "page.html")
    text = page.read_text(encoding="utf-8")
    kept = [name for name, w in zip(frame.columns, np.ravel(model.coef_)) if abs(w) > 1e-3]
    assert page == tmp_path / "page.html" and kept
    table, bars = text.split("<thead>", 1)[1], text.split("<svg", 1)[1]
    assert all(name in table and name in bars for name in kept) and "w[0]" not in text and "features" in text
    assert ("penalised" in text) == (getattr(model, "alpha", None) is not None)


def test_a_report_of_several_classes_is_about_one_of_them(tmp_path):
    pytest.importorskip("jinja2")
    named = np.array(["setosa", "versicolor", "virginica"])[kinds]
    assert L1BudgetClassifier(2.0).fit(flowers, named).report(tmp_path / "together.html").exists()
    model = L1BudgetClassifier(2.0, loss="squared_hinge").fit(flowers, named)
    text = model.report(tmp_path / "page.html", "virginica").read_text(encoding="utf-8")
    assert "virginica" in text and "setosa" not in text
    digits = [f"{c.value:.12f}"[:6] for c in model.certificate_]
    assert digits[2] in text and digits[0] not in text
    for label in (None, "rose"):
        with pytest.raises(ValueError, match="'setosa', 'versicolor', 'virginica'"):
            model.report(tmp_path / "other.html", label)
    assert not (tmp_path / "other.html").exists()


# documentation


@pytest.mark.parametrize("make", PUBLIC)
def test_every_parameter_and_every_result_is_documented(make):
    text = inspect.getdoc(make)
    for section in ("Parameters", "Attributes", "Examples"):
        assert f"\n{section}\n{'-' * len(section)}\n" in text
    parameters = text.split("\nParameters\n")[1].split("\nAttributes\n")[0]
    said = [line.split(" : ")[0] for line in parameters.splitlines() if line[:1].strip() and " : " in line]
    assert said == list(inspect.signature(make).parameters)
    attributes = text.split("\nAttributes\n")[1].split("\nExamples\n")[0]
    fitted = make().fit(X, labels)
    results = {name for name in vars(fitted) if name.endswith("_") and not name.startswith("_")}
    assert results <= {line.split(" : ")[0] for line in attributes.splitlines()}
    for method in [name for name in METHODS if name in dir(make)]:
        described, said = getattr(make, method), inspect.getdoc(getattr(make, method))
        assert "\nReturns\n-------\n" in said and "\nExamples\n--------\n" in said
        for name in list(inspect.signature(described).parameters)[1:]:
            assert f"\n{name} : " in said
