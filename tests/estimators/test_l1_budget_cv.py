"""A budget chosen by cross-validation: the losses are those of models fitted one by one, the rules are kept."""

import signal
import threading
import time

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.model_selection import GroupKFold, KFold, LeaveOneGroupOut, ShuffleSplit, TimeSeriesSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import greedyhull as gh
from greedyhull.atoms.simplex import PositiveL1Ball
from greedyhull.estimators import L1BudgetClassifier, L1BudgetClassifierCV, L1BudgetRegressor, L1BudgetRegressorCV
from greedyhull.estimators import cv as cv_choice

rng = np.random.default_rng(0)
X = rng.standard_normal((90, 7)) * np.array([1, 2, 3, 1, 1, 0.5, 1.0]) + 2.0
y = X[:, 0] - 0.5 * X[:, 2] + 0.5 * rng.standard_normal(90) + 4.0
wide = rng.standard_normal((40, 60))
target = wide[:, 0] - wide[:, 1] + 0.2 * rng.standard_normal(40)


@pytest.mark.parametrize("cv", [KFold(4), ShuffleSplit(3, random_state=0), TimeSeriesSplit(3)],
                         ids=["KFold", "Shuffle", "Time"])
@pytest.mark.parametrize(("A", "t"), [(X, y), (wide, target), (sp.csr_array(X), y)], ids=["tall", "wide", "sparse"])
@pytest.mark.parametrize("how", [{}, {"standardize": True}, {"fit_intercept": False}, {"positive": True}],
                         ids=["plain", "standardised", "no_intercept", "positive"])
def test_losses_are_those_of_single_fits(cv, A, t, how):
    radii = [0.2, 0.8, 1.5]
    m = L1BudgetRegressorCV(radii=radii, cv=cv, **how).fit(A, t)
    spread = (A.toarray() if sp.issparse(A) else A).std(axis=0) if how.get("standardize") else 1.0
    for i, (train, test) in enumerate(cv.split(A)):
        for j, r in enumerate(radii):
            Z = (A.toarray() if sp.issparse(A) else A) / spread
            alone = L1BudgetRegressor(r, tol=1e-8, fit_intercept=how.get("fit_intercept", True), positive="positive" in how)
            alone.fit(Z[train], t[train])
            loss = 0.5 * np.mean((alone.predict(Z[test]) - t[test]) ** 2)
            assert m.cv_losses_[j, i] == pytest.approx(loss, rel=0.05, abs=0.02)
    assert m.radius_ == radii[int(m.cv_losses_.mean(axis=1).argmin())]


def test_the_chosen_model_is_certified_and_within_its_budget():
    m = L1BudgetRegressorCV(radii=15).fit(X, y)
    assert np.abs(m.coef_).sum() <= m.radius_ + 1e-9
    assert m.dual_gap_ <= 1e-6 * max(m.certificate_.value, 0.5 * np.var(y)) and m.price_ >= 0
    np.testing.assert_allclose(m.coef_, L1BudgetRegressor(m.radius_).fit(X, y).coef_, atol=1e-3)
    assert m.coefs_path_.shape == (15, 7)


def test_one_standard_error_buys_a_smaller_budget():
    D, t = load_diabetes(return_X_y=True)
    best, least = L1BudgetRegressorCV(radii=30).fit(D, t), L1BudgetRegressorCV(radii=30, select="one_se").fit(D, t)
    means = best.cv_losses_.mean(axis=1)
    bar = means.min() + best.cv_losses_.std(axis=1, ddof=1)[means.argmin()] / np.sqrt(5)
    assert least.radius_ < best.radius_ and least.radius_ == best.radii_[np.flatnonzero(means <= bar)[0]]


def test_weights_of_samples_count_like_copies():
    s, folds = rng.integers(1, 3, 90), KFold(3)
    copies = np.repeat(np.arange(90), s)
    splits = list(folds.split(X))
    of_copies = [(np.flatnonzero(np.isin(copies, a)), np.flatnonzero(np.isin(copies, b))) for a, b in splits]
    one = L1BudgetRegressorCV(radii=[0.5, 1.0, 2.0], cv=splits).fit(X, y, sample_weight=s)
    two = L1BudgetRegressorCV(radii=[0.5, 1.0, 2.0], cv=of_copies).fit(X[copies], y[copies])
    np.testing.assert_allclose(one.cv_losses_, two.cv_losses_, rtol=1e-2)
    np.testing.assert_allclose(one.coef_, two.coef_, atol=1e-4)


@pytest.mark.parametrize("loss", ["huber", "absolute", "quantile"])
def test_other_losses_go_through_the_driver(loss):
    m = L1BudgetRegressorCV(loss=loss, radii=5, cv=3).fit(X, y)
    assert np.abs(m.coef_).sum() <= m.radius_ + 1e-9 and m.score(X, y) > 0.5


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("how", [{}, {"fit_intercept": False}, {"positive": True}], ids=["plain", "no_intercept", "positive"])
def test_losses_of_classes_are_those_of_single_fits(form, how):
    radii, t, folds = [0.3, 1.0, 4.0], y > np.median(y), list(KFold(3).split(X))
    m = L1BudgetClassifierCV(radii=radii, cv=folds, **how).fit(form(X), t)
    sign = np.where(t, 1.0, -1.0)
    for i, (train, test) in enumerate(folds):
        for j, r in enumerate(radii):
            f = gh.logistic(X[train], sign[train], intercept=how.get("fit_intercept", True))
            S = (PositiveL1Ball if "positive" in how else gh.L1Ball)(7, r)
            alone = gh.minimize(f, S, stop=gh.Relative(1e-8))
            loss = np.logaddexp(0.0, -sign[test] * (X[test] @ alone.x + alone.intercept)).mean()
            assert m.cv_losses_[j, i] == pytest.approx(loss, rel=0.02, abs=0.005)
    assert m.radius_ == radii[int(m.cv_losses_.mean(axis=1).argmin())]


def test_sparse_data_with_many_columns_are_treated_as_dense_ones():
    rng = np.random.default_rng(5)
    Z = rng.standard_normal((80, 240)) * (rng.random((80, 240)) < 0.1)
    t = Z[:, 0] - Z[:, 7] + 0.3 * rng.standard_normal(80)
    radii = np.geomspace(0.3, 60.0, 8)
    dense, sparse = (L1BudgetRegressorCV(radii=radii, cv=4).fit(form(Z), t) for form in (np.asarray, sp.csc_array))
    assert dense.radius_ == sparse.radius_
    np.testing.assert_allclose(sparse.cv_losses_, dense.cv_losses_, rtol=0.05)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-3)


@pytest.mark.parametrize("how", [{}, {"loss": "squared_hinge"}, {"positive": True, "standardize": True},
                                 {"fit_intercept": False}], ids=str)
def test_sparse_classes_are_treated_as_dense_ones(how):
    rng = np.random.default_rng(6)
    Z = rng.standard_normal((700, 600)) * (rng.random((700, 600)) < 0.03)
    Z[:, 5], Z[:, 6] = 0.0, Z[:, 7]
    t = Z[:, 0] - Z[:, 9] + 2.0 * Z[:, 11] + 0.1 * rng.standard_normal(700) > 0
    radii = np.geomspace(0.3, 60.0, 6)
    dense, sparse = (L1BudgetClassifierCV(radii=radii, cv=3, **how).fit(form(Z), t) for form in (np.asarray, sp.csc_array))
    assert dense.radius_ == sparse.radius_
    np.testing.assert_allclose(sparse.cv_losses_, dense.cv_losses_, rtol=0.02)
    assert sparse.solution_.value == pytest.approx(dense.solution_.value, abs=2.0 * max(dense.dual_gap_, sparse.dual_gap_))


def test_classes_share_one_radius():
    D, t = load_iris(return_X_y=True)
    m = L1BudgetClassifierCV(radii=8, cv=3).fit(D, t)
    assert m.score(D, t) > 0.9 and (np.abs(m.coef_).sum(axis=1) <= m.radius_ + 1e-6).all()
    alone = L1BudgetClassifier(m.radius_).fit(D, t)
    np.testing.assert_allclose(alone.predict_proba(D), m.predict_proba(D), atol=1e-2)
    assert m.cv_losses_.shape == (8, 3)


class Pressed(gh.Gap):
    """Ctrl-C comes, once, in the very look that meets the stop."""

    often = 0

    def __call__(self, event):
        time.sleep(0.02)  # by then a run listens
        if event.iteration < 2:
            return None
        Pressed.often += 1
        if Pressed.often == 1:
            signal.raise_signal(signal.SIGINT)
        return "Enough."


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="signals reach the main thread only")
def test_ctrl_c_while_the_largest_radius_is_looked_for_ends_the_fit(monkeypatch):
    asked = []

    def counted(*args, **kwargs):
        asked.append(args)
        return gh.minimize(*args, **kwargs)

    monkeypatch.setattr(cv_choice, "loss_path", lambda *args: None)  # as for losses that have no path in the core
    monkeypatch.setattr(cv_choice, "minimize", counted)
    monkeypatch.setattr(cv_choice, "Gap", Pressed)
    monkeypatch.setattr(Pressed, "often", 0)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            L1BudgetClassifierCV(radii=5, cv=3).fit(X, y > y.mean())
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(asked) == 1  # no other radius is tried


def test_the_figure_has_a_line_for_each_coefficient():
    pytest.importorskip("matplotlib").use("Agg")
    top, bottom = L1BudgetRegressorCV(radii=10, cv=3).fit(X, y).plot_path()
    assert len(top.lines) >= 7 and bottom.get_xlabel() == "radius"


@pytest.mark.parametrize("radii", [0, [0.0, 1.0], [-1.0], [np.nan, 1.0], [np.inf], [], ["a"], [[1.0]]])
def test_radii_that_are_none_are_refused(radii):
    with pytest.raises(ValueError, match="radii"):
        L1BudgetRegressorCV(radii=radii).fit(X, y)


LOSSES = ["squared", "huber", "absolute", "quantile", "poisson"]
some = rng.standard_normal((30, 3))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # a loss of zero is hard to be close to
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("c", [3.0, 0.1 + 0.2, 1e-5, 1e6])
def test_constant_targets_are_predicted(loss, c):
    m = L1BudgetRegressorCV(loss=loss, radii=3, cv=3).fit(some, np.full(30, c))
    np.testing.assert_allclose(m.predict(some), c, rtol=1e-9)
    assert m.radii_.shape == (3,) and np.isfinite(m.cv_losses_).all()


@pytest.mark.parametrize("c", [0.0, 7.0, 0.1])
@pytest.mark.parametrize("loss", LOSSES)
def test_constant_columns_predict_the_constant(loss, c):
    t = np.abs(rng.standard_normal(30))
    m = L1BudgetRegressorCV(loss=loss, radii=3, cv=3).fit(np.full((30, 2), c), t)
    assert not m.coef_.any()
    said = m.predict(some[:, :2])
    assert np.ptp(said) == 0.0
    if loss in ("squared", "poisson"):
        np.testing.assert_allclose(said, t.mean())
    elif loss != "huber":
        assert np.mean(np.abs(t - said)) == pytest.approx(np.mean(np.abs(t - np.median(t))))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("loss", ["squared", "huber", "absolute", "quantile"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_zero_targets_without_an_intercept_are_zero(loss, form):
    m = L1BudgetRegressorCV(loss=loss, radii=3, cv=3, fit_intercept=False).fit(form(some), np.zeros(30))
    assert not m.predict(form(some)).any()


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge", "hinge"])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("c", [0.0, 0.1])
def test_columns_that_tell_nothing_predict_the_larger_class(loss, intercept, c):
    t = np.where(np.arange(30) < 20, "more", "less")
    m = L1BudgetClassifierCV(loss=loss, radii=3, cv=3, fit_intercept=intercept).fit(np.full((30, 2), c), t)
    if intercept:
        assert (m.predict(some[:, :2]) == "more").all() and not m.coef_.any()
        if loss == "logistic":
            np.testing.assert_allclose(m.predict_proba(some[:, :2])[:, 1], 2 / 3, rtol=1e-6)


def test_targets_that_are_constant_in_a_fold_do_no_harm():
    t = np.r_[np.zeros(20), rng.standard_normal(10)]
    for loss in ("squared", "huber"):
        m = L1BudgetRegressorCV(loss=loss, radii=3, cv=KFold(3)).fit(some, t)
        assert np.isfinite(m.cv_losses_).all() and np.isfinite(m.coef_).all()


def test_a_class_that_a_fold_lacks_is_named_with_the_fold():
    t = np.repeat(["a", "b", "c"], 10)
    with pytest.raises(ValueError, match=r"Fold 1 of 3 has no sample of the class 'a' to train with"):
        L1BudgetClassifierCV(radii=2, cv=KFold(3)).fit(some, t)
    with pytest.raises(ValueError, match=r"Fold 3 of 3 has no sample of the class 'c'"):
        folds = [(np.arange(30), np.arange(5))] * 2 + [(np.arange(20), np.arange(20, 30))]
        L1BudgetClassifierCV(radii=2, cv=folds, fit_intercept=False).fit(some, t)
    with pytest.raises(ValueError, match="Fold 1 of 2 has no sample of the class 'c'"):
        L1BudgetClassifierCV(radii=2, cv=2).fit(some, t, sample_weight=np.where(t == "c", 0.0, 1.0))
    with pytest.warns(UserWarning, match="least populated"), pytest.raises(ValueError, match="the class 'rare'"):
        L1BudgetClassifierCV(radii=2, cv=3).fit(some, np.where(np.arange(30) == 4, "rare", t))


def test_a_fold_without_weight_is_named():
    with pytest.raises(ValueError, match="Fold 2 of 3 leaves out no sample of positive weight"):
        L1BudgetRegressorCV(radii=2, cv=KFold(3)).fit(some, some[:, 0], sample_weight=np.repeat([1.0, 0.0, 1.0], 10))
    with pytest.raises(ValueError, match="no folds"):
        L1BudgetRegressorCV(radii=2, cv=[]).fit(some, some[:, 0])
    with pytest.raises(ValueError, match="Fold 1 of 1 leaves out no sample"):
        L1BudgetRegressorCV(radii=2, cv=[([0, 1], [])]).fit(some, some[:, 0])
    with pytest.raises(ValueError, match="numbers from 0 to 29"):
        L1BudgetRegressorCV(radii=2, cv=[([0, 99], [1])]).fit(some, some[:, 0])


def test_one_fold_is_enough_for_either_rule():
    one = ShuffleSplit(1, random_state=0)
    best, least = (L1BudgetRegressorCV(radii=4, cv=one, select=rule).fit(X, y) for rule in ("best", "one_se"))
    assert best.radius_ == least.radius_
    pytest.importorskip("matplotlib").use("Agg")
    best.plot_path()


def test_losses_that_overflow_lose():
    counts = rng.poisson(np.exp(np.clip(X[:, 0] - 2, -3, 3))).astype(float)
    m = L1BudgetRegressorCV(loss="poisson", radii=[0.5, 1.0, 1e4], cv=3).fit(np.r_[X[:-1], 50 * X[-1:]], counts)
    assert np.isfinite(m.cv_losses_[list(m.radii_).index(m.radius_)]).all()


@pytest.mark.parametrize("size", [1e-100, 1e-30, 1e30, 1e100])
def test_the_size_of_columns_is_no_obstacle(size):
    plain, sized = L1BudgetRegressorCV(radii=5, cv=3).fit(X, y), L1BudgetRegressorCV(radii=5, cv=3).fit(size * X, y)
    np.testing.assert_allclose(sized.predict(size * X), plain.predict(X), rtol=1e-2)
    with pytest.raises(ValueError, match="different a size"):
        L1BudgetRegressorCV(radii=5, cv=3).fit(1e-160 * X, y)


JOBS = [(L1BudgetRegressorCV(radii=6, cv=3), y), (L1BudgetRegressorCV(radii=3, cv=3, loss="huber"), y),
        (L1BudgetRegressorCV(radii=6, cv=3, positive=True), y),
        (L1BudgetClassifierCV(radii=3, cv=3), np.digitize(y, [3.0, 5.0]))]


@pytest.mark.parametrize(("model", "t"), JOBS, ids=["squared", "huber", "positive", "classes"])
def test_several_jobs_find_what_one_finds(model, t):
    one, two = clone(model).fit(X, t), clone(model).set_params(n_jobs=2).fit(X, t)
    for name in ("radii_", "cv_losses_", "coefs_path_", "coef_", "intercept_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    assert one.radius_ == two.radius_


@pytest.mark.parametrize("make", [L1BudgetRegressorCV, L1BudgetClassifierCV])
def test_groups_are_for_the_splitter(make):
    groups = np.arange(90) % 4
    t = y if make is L1BudgetRegressorCV else y > np.median(y)
    grouped = make(radii=[0.5, 1.0], cv=LeaveOneGroupOut()).fit(X, t, groups=groups)
    splits = list(LeaveOneGroupOut().split(X, t, groups))
    given = make(radii=[0.5, 1.0], cv=splits).fit(X, t)
    np.testing.assert_array_equal(grouped.cv_losses_, given.cv_losses_)
    assert grouped.cv_losses_.shape == (2, 4)
    named = make(radii=[1.0], cv=GroupKFold(2)).fit(X, t, groups=np.array(list("abcd"))[groups])
    assert named.cv_losses_.shape == (1, 2)
    for wrong in (groups[:-1], groups[:, None], 3):
        with pytest.raises(ValueError, match="groups has shape"):
            make(radii=[1.0], cv=GroupKFold(2)).fit(X, t, groups=wrong)
    with pytest.raises(ValueError, match="groups"):
        make(radii=[1.0], cv=GroupKFold(2)).fit(X, t)


def test_groups_are_routed():
    with config_context(enable_metadata_routing=True):
        model = L1BudgetRegressorCV(radii=[0.5, 1.0], cv=GroupKFold(3)).set_fit_request(groups=True)
        line = make_pipeline(StandardScaler(), model).fit(X, y, groups=np.arange(90) % 5)
    assert line[-1].cv_losses_.shape == (2, 3)


@pytest.mark.parametrize("loss", ["squared", "huber", "poisson"])
def test_positive_radii_are_as_many_as_were_asked_for(loss):
    t = np.abs(y) if loss == "poisson" else y
    m = L1BudgetRegressorCV(radii=12, cv=3, positive=True, loss=loss).fit(X, t)
    assert m.radii_.shape == (12,) and (np.diff(m.radii_) >= 0).all()
    assert (m.coefs_path_ >= 0).all() and (m.coefs_path_.sum(axis=1) <= m.radii_ * (1 + 1e-9)).all()


@pytest.mark.parametrize("shape", [(40, 6), (25, 60)])
@pytest.mark.parametrize("positive", [False, True])
def test_radius_and_coefficients_are_those_of_cold_solves(shape, positive):
    rng = np.random.default_rng(3)
    X = rng.standard_normal(shape)
    t = 2.0 * X[:, 0] + X[:, 3] + rng.standard_normal(shape[0])
    radii = np.geomspace(0.1, 3.5, 12)
    model = L1BudgetRegressorCV(radii=radii, cv=4, positive=positive).fit(X, t)
    losses = []
    for train, test in KFold(4).split(X):
        alone = [L1BudgetRegressor(r, positive=positive, tol=1e-9).fit(X[train], t[train]) for r in radii]
        losses.append([0.5 * np.mean((one.predict(X[test]) - t[test]) ** 2) for one in alone])
    means = np.mean(losses, axis=0)
    np.testing.assert_allclose(model.cv_losses_.mean(axis=1), means, rtol=0.02)
    assert means[radii == model.radius_] <= 1.02 * means.min()
    f = gh.least_squares(X, t, intercept=True)
    for r, w in zip(radii, model.coefs_path_, strict=True):
        S = (PositiveL1Ball if positive else gh.L1Ball)(shape[1], r)
        assert gh.certify(f, S, w).gap <= 2e-4 * f.scale
    cold = L1BudgetRegressor(model.radius_, positive=positive).fit(X, t)
    assert abs(cold.certificate_.value - model.certificate_.value) <= cold.dual_gap_ + model.dual_gap_


@pytest.mark.parametrize(("n", "d", "radii"), [(80, 300, np.geomspace(1, 1000, 15)), (40, 300, np.geomspace(0.1, 30, 15)),
                                               (40, 200, 30)])
def test_polynomials_near_interpolation_give_finite_paths(n, d, radii):
    rng = np.random.default_rng(d)
    A = np.vander(np.linspace(-1, 1, n), d)
    m = L1BudgetRegressorCV(radii=radii).fit(A, A @ (rng.standard_normal(d) * (rng.random(d) < 0.3)))
    assert np.isfinite(m.coefs_path_).all() and np.isfinite(m.cv_losses_).all()
