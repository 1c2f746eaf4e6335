"""Simplex and budget estimators: the promised sets, the promised losses, what users of scikit-learn expect."""

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_diabetes, load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import greedyhull as gh
from greedyhull.estimators import (
    EnsembleRegressor,
    L1BudgetClassifier,
    L1BudgetRegressor,
    L1BudgetRegressorCV,
    SimplexClassifier,
    SimplexRegressor,
)
from greedyhull.estimators.budget import spreads

rng = np.random.default_rng(0)
X = rng.standard_normal((80, 6))
share = np.array([0.5, 0.3, 0.2, 0.0, 0.0, 0.0])
y = X @ share + 0.05 * rng.standard_normal(80) + 3.0
labels = (X @ share + 0.3 * rng.standard_normal(80) > 0).astype(int)
LOSSES = {"squared": gh.least_squares, "huber": gh.huber, "absolute": gh.absolute,
          "quantile": lambda A, t, **how: gh.quantile(A, t, 0.5, **how)}


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("intercept", [False, True])
def test_simplex_regression_minimises_its_loss(loss, intercept):
    m = SimplexRegressor(loss=loss, fit_intercept=intercept).fit(X, y)
    assert m.weights_.sum() == pytest.approx(1.0) and (m.weights_ >= 0).all()
    f = LOSSES[loss](X, y, intercept=intercept)
    certificate = gh.certify(f, gh.Simplex(6), m.coef_)
    assert m.dual_gap_ <= 1e-6 * max(f.value(gh.Simplex(6).decompose(e)) for e in np.eye(6))
    assert certificate.value <= m.certificate_.value + 1e-9
    if intercept:
        np.testing.assert_allclose(m.weights_, share, atol=0.06)
        assert m.intercept_ == pytest.approx(3.0, abs=0.1)


def test_counts_are_predicted_by_their_mean():
    counts = rng.poisson(np.exp(0.5 * X[:, 0]))
    m = SimplexRegressor(loss="poisson", fit_intercept=True).fit(X, counts)
    assert (m.predict(X) > 0).all()
    np.testing.assert_allclose(m.predict(X), np.exp(X @ m.coef_ + m.intercept_))
    assert m.predict(X).mean() == pytest.approx(counts.mean())


def test_total_and_caps_are_kept():
    m = SimplexRegressor(total=2.0, upper=0.8).fit(X, y)
    assert m.weights_.sum() == pytest.approx(2.0) and m.weights_.max() <= 0.8 + 1e-9
    m = SimplexRegressor(upper=[0.1, 1, 1, 1, 1, 1]).fit(X, y)
    assert m.weights_[0] <= 0.1 + 1e-9


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge", "hinge"])
def test_classifiers_of_every_loss_learn(loss):
    for model in (SimplexClassifier(loss=loss, total=3.0), L1BudgetClassifier(3.0, loss=loss)):
        model.fit(X, np.where(labels, "yes", "no"))
        assert model.score(X, np.where(labels, "yes", "no")) > 0.8
        assert model.dual_gap_ <= 2e-6 and set(model.predict(X)) == {"yes", "no"}
        if loss == "logistic":
            np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
        else:
            assert not hasattr(model, "predict_proba")
            with pytest.raises(AttributeError, match="predict_proba") as refused:
                model.predict_proba(X)
            assert "loss='logistic' has" in str(refused.value.__cause__)


def test_a_budget_is_kept_and_its_price_told():
    m = L1BudgetRegressor(0.7).fit(X, y)
    assert np.abs(m.coef_).sum() <= 0.7 + 1e-9
    more = L1BudgetRegressor(0.701).fit(X, y)
    assert m.certificate_.value - more.certificate_.value == pytest.approx(0.001 * m.price_, rel=1e-2)


@pytest.mark.parametrize("alpha", [0.005, 0.05, 0.3])
def test_a_penalty_means_what_lasso_means_by_it(alpha):
    D, t = load_diabetes(return_X_y=True, scaled=False)
    D, t = D / D.std(axis=0), t / t.std()
    ours, other = L1BudgetRegressor(alpha=alpha, tol=1e-9).fit(D, t), Lasso(alpha=alpha, tol=1e-12, max_iter=10**6).fit(D, t)
    np.testing.assert_allclose(ours.coef_, other.coef_, atol=1e-5)
    assert ours.radius_ == pytest.approx(np.abs(other.coef_).sum(), rel=1e-4)
    assert ours.dual_gap_ <= 1e-9 * ours.certificate_.value


def test_a_penalty_means_what_logistic_regression_means_by_c():
    ours = L1BudgetClassifier(alpha=0.02, tol=1e-9).fit(X, labels)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other = LogisticRegression(l1_ratio=1.0, solver="saga", C=1 / (80 * 0.02), tol=1e-10, max_iter=10**5).fit(X, labels)
    np.testing.assert_allclose(ours.coef_, other.coef_, atol=1e-4)


@pytest.mark.parametrize("how", [{"radius": 1e-9}, {"alpha": 1e3}, {"radius": 1e-9, "positive": True}], ids=repr)
def test_the_price_of_a_budget_too_small_to_use_is_that_of_its_first_unit(how):
    m = L1BudgetRegressor(**how).fit(X, y)
    slopes = (X - X.mean(axis=0)).T @ (y - y.mean()) / 80
    assert m.price_ == pytest.approx(np.max(slopes if "positive" in how else np.abs(slopes)), rel=1e-6)


def test_a_budget_that_nothing_is_worth_costs_nothing():
    m = L1BudgetRegressor(2.0).fit(X, np.zeros(80))
    assert m.price_ == 0.0 and not np.signbit(m.price_)


def test_standardising_is_the_same_as_scaling_the_columns():
    D = X * np.array([1.0, 10.0, 0.1, 5.0, 2.0, 1.0]) + 4.0
    inside = L1BudgetRegressor(0.8, standardize=True, tol=1e-9).fit(D, y)
    outside = L1BudgetRegressor(0.8, tol=1e-9).fit(D / D.std(axis=0), y)
    np.testing.assert_allclose(inside.coef_ * D.std(axis=0), outside.coef_, atol=1e-5)
    sparse = L1BudgetRegressor(0.8, standardize=True, tol=1e-9).fit(sp.csr_array(D), y)
    np.testing.assert_allclose(sparse.coef_, inside.coef_, atol=1e-5)


@pytest.mark.parametrize("size", [1e-160, 1e-20, 1e20, 1e100])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_standardising_does_not_depend_on_the_units_of_the_columns(size, kind):
    D = np.column_stack([X, np.full(80, 3.0)])  # a constant column has units too
    plain = L1BudgetRegressor(0.8, standardize=True).fit(D, y)
    other = L1BudgetRegressor(0.8, standardize=True).fit(kind(D * size), y)
    assert other.certificate_.value == pytest.approx(plain.certificate_.value, rel=1e-4)
    assert other.dual_gap_ <= 1e-4 * plain.certificate_.value


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_standard_deviations_of_float32_data_far_from_zero_are_right(kind):
    D = (1000.0 + 0.1 * X).astype(np.float32)
    np.testing.assert_allclose(spreads(kind(D), None), D.astype(np.float64).std(axis=0), rtol=1e-6)
    s = np.arange(80.0)
    assert spreads(kind(D), s) == pytest.approx(spreads(kind(D[1:]), s[1:]), rel=1e-12)


def test_a_constant_column_does_no_harm():
    D = np.column_stack([X, np.full(80, 7.0)])
    assert L1BudgetRegressor(0.8, standardize=True).fit(D, y).coef_[-1] == pytest.approx(0.0, abs=1e-8)


@pytest.mark.parametrize("model", [SimplexRegressor(), L1BudgetRegressor(2.0), L1BudgetRegressor(alpha=0.1)], ids=repr)
def test_weights_of_samples_count_like_copies(model):
    s = rng.integers(0, 3, 80)
    weighted = clone(model).fit(X, y, sample_weight=s)
    copies = clone(model).fit(np.repeat(X, s, axis=0), np.repeat(y, s))
    np.testing.assert_allclose(weighted.coef_, copies.coef_, atol=1e-5)


@pytest.mark.parametrize("make", [sp.csr_matrix, sp.csc_matrix, sp.csr_array])
def test_sparse_and_dense_data_agree(make):
    Z = X * (rng.random(X.shape) < 0.4)
    for model in (SimplexRegressor(), L1BudgetRegressor(1.0), L1BudgetClassifier(1.0)):
        target = labels if hasattr(model, "predict_proba") else y
        dense, sparse = clone(model).fit(Z, target), clone(model).fit(make(Z), target)
        np.testing.assert_allclose(dense.coef_, sparse.coef_, atol=1e-4)
        np.testing.assert_allclose(dense.predict(Z), sparse.predict(make(Z)), atol=1e-3)


def test_float32_is_kept():
    for model in (SimplexRegressor(), L1BudgetRegressor(1.0), L1BudgetClassifier(1.0)):
        target = labels if hasattr(model, "predict_proba") else y.astype(np.float32)
        model.fit(X.astype(np.float32), target)
        assert model.coef_.dtype == np.float32
    assert SimplexRegressor().fit(X.astype(np.float32), y).predict(X.astype(np.float32)).dtype == np.float32


def test_frames_pipelines_searches_and_pickles_work():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=list("abcdef"))
    model = SimplexRegressor().fit(frame, y)
    assert list(model.feature_names_in_) == list("abcdef")
    grid = {"l1budgetregressor__radius": [0.1, 1.0]}
    search = GridSearchCV(make_pipeline(StandardScaler(), L1BudgetRegressor()), grid, cv=3)
    search.fit(frame, y)
    again = pickle.loads(pickle.dumps(search))
    np.testing.assert_array_equal(again.predict(frame), search.predict(frame))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(frame), model.predict(frame))


def test_polars_frames_work():
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(X, schema=list("abcdef"))
    assert list(SimplexRegressor().fit(frame, y).feature_names_in_) == list("abcdef")


def test_several_classes_are_told_apart():
    D, t = load_iris(return_X_y=True)
    model = L1BudgetClassifier(20.0, loss="squared_hinge").fit(D, t)
    assert model.coef_.shape == (3, 4) and model.score(D, t) > 0.9
    assert len(model.certificate_) == 3 and (np.abs(model.coef_).sum(axis=1) <= 20.0 + 1e-6).all()
    model = L1BudgetClassifier(20.0).fit(D, t)
    assert model.coef_.shape == (3, 4) and model.score(D, t) > 0.9
    assert model.certificate_.kind == "always" and np.abs(model.coef_).sum() <= 20.0 + 1e-6  # one budget for all classes
    np.testing.assert_allclose(model.predict_proba(D).sum(axis=1), 1.0)


def test_too_few_iterations_are_told():
    D, t = make_classification(200, 30, random_state=0)
    with pytest.warns(ConvergenceWarning, match="certified to a gap"):
        model = L1BudgetClassifier(50.0, max_iter=1, tol=1e-12).fit(D, t)
    assert model.dual_gap_ > 0


def test_callbacks_of_scikit_learn_are_told():
    callback = pytest.importorskip("sklearn.callback", reason="this scikit-learn has no callbacks")
    seen = []

    class Watcher:
        def setup(self, estimator, context):
            seen.append("setup")

        def on_fit_task_begin(self, estimator, context):
            pass

        def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
            if fitted_estimator is not None:
                seen.append(fitted_estimator.predict(X).shape)

        def teardown(self, estimator, context):
            seen.append("teardown")

    assert isinstance(Watcher(), callback.FitCallback)
    SimplexRegressor().set_callbacks(Watcher()).fit(X, y)
    assert seen[0] == "setup" and seen[-1] == "teardown" and (80,) in seen


@pytest.mark.parametrize(("model", "words"), [
    (SimplexRegressor(loss="cubic"), "loss"), (SimplexRegressor(total=-1.0), "total"), (L1BudgetRegressor(0.0), "radius"),
    (L1BudgetRegressor(alpha=-1.0), "alpha"), (SimplexRegressor(tol="small"), "tol"), (SimplexRegressor(upper=0.1), "upper")])
def test_mistakes_are_named(model, words):
    with pytest.raises(ValueError, match=words):
        model.fit(X, y)


@pytest.mark.parametrize("loss", ["absolute", "quantile"])
def test_a_penalty_wants_a_loss_without_kinks(loss):
    with pytest.raises(ValueError, match="smooth loss"):
        L1BudgetRegressor(alpha=0.1, loss=loss).fit(X, y)


def test_a_penalised_gap_that_misses_the_request_is_told():
    with pytest.warns(ConvergenceWarning):
        model = L1BudgetRegressor(alpha=1e-9, tol=1e-14).fit(X, y)
    assert not model.solution_.converged and "penalised" in model.solution_.reason


@pytest.mark.parametrize(("scaled", "kind"), [(True, np.float64), (False, np.float64), (True, np.float32)])
@pytest.mark.parametrize("alpha", [1e-3, 0.01, 0.1, 0.5, 1.0, 3.0, 100.0])
def test_a_penalty_at_default_settings_is_certified_without_a_word(alpha, scaled, kind):
    D, t = load_diabetes(return_X_y=True, scaled=scaled)
    D = D.astype(kind)  # the certificate is about these numbers, not about those that they were rounded from
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        m = L1BudgetRegressor(alpha=alpha).fit(D, t)
    D = D.astype(np.float64)
    assert m.solution_.converged and m.dual_gap_ <= 1e-6 * max(m.certificate_.value, 0.5 * np.var(t) - m.certificate_.value)
    other = Lasso(alpha=alpha, tol=1e-10, max_iter=10**6).fit(D, t)
    value = 0.5 * np.mean((other.predict(D) - t) ** 2) + alpha * np.abs(other.coef_).sum()
    assert m.certificate_.lower <= value * (1 + 1e-12) and m.certificate_.value >= value - 1e-9 * value
    if not other.coef_.any():
        assert not m.coef_.any()


def test_classes_with_a_penalty_are_certified_without_a_word():
    D, t = load_iris(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for alpha in (1e-3, 0.1, 10.0):
            L1BudgetClassifier(alpha=alpha).fit(D, t)


@pytest.mark.parametrize("make", [L1BudgetRegressor, L1BudgetClassifier])
def test_a_radius_and_a_penalty_exclude_each_other(make):
    with pytest.raises(ValueError, match=r"radius=2.0 and alpha=0.1 were both given"):
        make(2.0, alpha=0.1).fit(X, labels)
    with pytest.raises(ValueError, match="one of them"):
        make(1.0).set_params(alpha=0.1).fit(X, labels)
    assert make().fit(X, labels).radius_ == 1.0


def test_fitted_estimators_are_pickled_without_their_data(tmp_path):
    joblib = pytest.importorskip("joblib")
    D = np.random.default_rng(1).standard_normal((2000, 50))
    t = D[:, 0] - D[:, 1] + 0.1 * np.random.default_rng(2).standard_normal(2000)
    for model in (SimplexRegressor(), L1BudgetRegressor(2.0), L1BudgetRegressor(alpha=0.1), L1BudgetClassifier(),
                  SimplexClassifier(loss="hinge", max_iter=10), L1BudgetRegressorCV(radii=3), EnsembleRegressor()):
        model.fit(D, t > 0 if is_classifier(model) else t)
        written = pickle.dumps(model)
        assert len(written) < D.nbytes / 8
        joblib.dump(model, tmp_path / "model")
        assert (tmp_path / "model").stat().st_size < D.nbytes / 8
        for again in (pickle.loads(written), joblib.load(tmp_path / "model")):
            np.testing.assert_array_equal(again.predict(D), model.predict(D))
            assert again.certificate_ == model.certificate_ and len(again.trace_) == len(model.trace_)
            assert again.solution_.summary() == model.solution_.summary()


def test_reports_have_the_names_of_the_columns(tmp_path):
    pd, _ = pytest.importorskip("pandas"), pytest.importorskip("jinja2")
    frame = pd.DataFrame(X, columns=["age", "bmi", "bp", "s1", "s2", "s3"])
    model = L1BudgetRegressor(0.5).fit(frame, y)
    assert "age" in model.solution_.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert model.solution_.names == list(frame.columns)
    classes = np.digitize(y, [2.8, 3.2])
    several = L1BudgetClassifier(3.0, loss="squared_hinge").fit(frame, classes)
    assert all(s.names == list(frame.columns) for s in several.solution_)
    together = L1BudgetClassifier(3.0).fit(frame, classes)
    assert together.solution_.names[:4] == ["age, 0", "age, 1", "age, 2", "bmi, 0"]
    k, j = np.unravel_index(np.abs(together.coef_).argmax(), (3, 6))
    assert f"{frame.columns[j]}, {k}" in together.report(tmp_path / "together.html").read_text(encoding="utf-8")
    assert L1BudgetRegressor(0.5).fit(X, y).solution_.names is None


@pytest.mark.parametrize("model", [SimplexRegressor(), L1BudgetRegressor(standardize=True), L1BudgetRegressorCV(),
                                   L1BudgetClassifier(), EnsembleRegressor()], ids=repr)
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_numbers_too_large_to_square_are_called_so(model, kind):
    huge = X.astype(kind)
    huge[2, 3] = 1e200 if kind is np.float64 else 1e30
    target = labels if is_classifier(model) else y
    forms = [huge] if isinstance(model, EnsembleRegressor) else [huge, sp.csr_array(huge)]
    for D in forms:
        with pytest.raises(ValueError, match=r"X has entries as large as 1e\+.* overflow.* Scale it down"):
            clone(model).fit(D, target)
    if not is_classifier(model):
        with pytest.raises(ValueError, match=r"y has entries as large as 1e\+200: .* Scale it down"):
            clone(model).fit(X, np.where(y > 3, 1e200, y))
    with pytest.raises(ValueError, match="NaN"):
        clone(model).fit(np.where(X > 1, np.nan, X), target)


def test_a_class_without_weight_is_told():
    with pytest.raises(ValueError, match="one class only"):
        L1BudgetClassifier().fit(X, labels, sample_weight=(labels == 0).astype(float))


@pytest.mark.parametrize("loss", ["squared", "absolute"])
@pytest.mark.parametrize("make", [SimplexRegressor, L1BudgetRegressor, L1BudgetRegressorCV, EnsembleRegressor])
@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint8])
def test_targets_that_are_booleans_or_whole_numbers_are_numbers(make, loss, dtype):
    t = (y > np.median(y)).astype(dtype)
    found, wanted = make(loss=loss).fit(X, t), make(loss=loss).fit(X, t.astype(float))
    np.testing.assert_array_equal(found.predict(X), wanted.predict(X))


TARGETS = np.column_stack([y, X @ share[::-1], labels, np.zeros(80)])


@pytest.mark.parametrize("loss", ["squared", "huber"])
@pytest.mark.parametrize("settings", [{}, {"fit_intercept": True}, {"total": 2.0}, {"upper": 0.6}], ids=str)
def test_several_targets_are_fitted_each_by_itself(loss, settings):
    weights = np.arange(1.0, 81.0)
    many = SimplexRegressor(loss=loss, tol=1e-9, **settings).fit(X, TARGETS, weights)
    assert many.coef_.shape == (4, 6) and many.intercept_.shape == (4,) and many.predict(X).shape == (80, 4)
    for j in range(4):
        one = SimplexRegressor(loss=loss, tol=1e-9, **settings).fit(X, TARGETS[:, j], weights)
        both = many.certificate_[j].gap + one.dual_gap_
        assert abs(many.certificate_[j].value - one.certificate_.value) <= both
        np.testing.assert_allclose(many.predict(X)[:, j], one.predict(X), atol=1e-3)
    assert many.dual_gap_ == max(c.gap for c in many.certificate_) and "4 of 4 converged" in repr(many.solution_)


def test_several_targets_keep_what_scikit_learn_expects():
    single = SimplexRegressor().fit(X.astype(np.float32), TARGETS)
    assert single.coef_.dtype == np.float32 and single.predict(X[:3].astype(np.float32)).shape == (3, 4)
    assert SimplexRegressor().fit(X, y[:, None]).predict(X).shape == (80, 1)
    sparse = SimplexRegressor().fit(sp.csr_array(X), TARGETS)
    np.testing.assert_allclose(sparse.coef_, SimplexRegressor().fit(X, TARGETS).coef_, atol=1e-3)
    again = SimplexRegressor(warm_start=True).fit(X, TARGETS).fit(X, TARGETS)
    assert again.score(X, TARGETS[:, :4]) > -np.inf
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(again)).predict(X), again.predict(X))
    assert clone(again).fit(X, y).coef_.shape == (6,)
    with pytest.raises(gh.GreedyhullError, match="one target"):
        again.report("page.html")
    with pytest.raises(ValueError, match="y"):
        L1BudgetRegressor().fit(X, TARGETS)


def test_several_targets_that_miss_their_gap_warn_once():
    with pytest.warns(ConvergenceWarning, match="of the 4 problems") as seen:
        SimplexRegressor(tol=0.0, max_iter=1).fit(X, TARGETS)
    assert len(seen) == 1
