"""Every public argument that takes an array gives the same answer when what it is given is shuffled with its labels."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import GroupKFold

import greedyhull as gh
from greedyhull import apps, estimators

N, D = 24, 4
RNG = np.random.default_rng(0)
ROWS, COLS = [f"r{i}" for i in range(N)], list("abcd")
X = pd.DataFrame(RNG.normal(size=(N, D)), index=ROWS, columns=COLS)
y = pd.Series(X @ [1.0, 0.5, -0.5, 0.2] + 0.1 * RNG.normal(size=N), index=ROWS)
Y = pd.DataFrame({"one": y, "two": y**2})
SIGNS, COUNTS, CLASSES = np.sign(y), (10 * y.abs()).round(), pd.Series(np.arange(N) % 3, index=ROWS)
S = pd.Series(RNG.uniform(0.5, 2.0, N), index=ROWS)
UPPER = pd.Series([0.2, 0.3, 0.6, 0.9], index=COLS)
POINT = pd.Series([0.1, 0.2, 0.3, 0.4], index=COLS)
GROUPS = pd.Series(["p", "p", "q", "q"], index=COLS)
Q = X.T @ X
PLACES = {"rows": pd.Series(np.arange(N) // 6, index=ROWS), "cols": pd.Series(np.arange(N) % 6, index=ROWS)}
PAIRS = pd.DataFrame({"user": list("aabbccdd"), "item": list("xyxyxyxz")}, index=ROWS[:8])
RETURNS = 0.01 * X + 0.001
POOLED = pd.DataFrame({"one": RNG.uniform(0.1, 0.9, N), "two": RNG.uniform(0.1, 0.9, N)}, index=ROWS)
OUTCOMES = pd.DataFrame(RNG.random((N, D)).cumsum(axis=0), columns=COLS, index=range(2000, 2000 + N))
PREDICTORS = pd.DataFrame(RNG.random((3, D)), columns=COLS, index=["x", "y", "z"])
Call = Callable[..., Any]
ROW, COLUMN = 0, 1  # which axis of an argument is shuffled


def of_loss(make: Call, **more: Any) -> Call:
    return lambda **given: gh.certify(make(**given, **more), gh.L2Ball(D, 9.0), POINT.to_numpy(), tol=0.1).value


def of_set(make: Call, **more: Any) -> Call:
    """The same argmin, in the order of its labels: what is shuffled first decides about the order."""
    def answer(**given: Any) -> Any:
        found = make(**given, **more)
        labels = vars(found).get("_labels", tuple(COLS))
        c = pd.Series([1.0, 2.0, -3.0, -1.0], index=COLS)[list(labels)].to_numpy()
        return pd.Series(np.asarray(gh.minimize(gh.quadratic(np.eye(D), -c), found).x), index=labels)[COLS]
    return answer


def of_fit(make: Call, method: str = "coef_") -> Call:
    """Parameters of the constructor and arguments of fit together."""
    def answer(**given: Any) -> Any:
        takes = inspect.signature(make).parameters
        own = {name: given.pop(name) for name in list(given) if name in takes}
        model = make(**own).fit(**given)
        return getattr(model, method)
    return answer


def of_score(model: Any) -> Call:
    return lambda **given: model.score(**given)


SAMPLES = {"X": X, "y": y, "sample_weight": S}
COUNTED = {**SAMPLES, "y": COUNTS}
SIGNED = {**SAMPLES, "y": SIGNS}
BY_GROUPS = {"groups": GROUPS, **SAMPLES}
FITS: dict[str, tuple[Call, dict[str, Any]]] = {
    "SimplexRegressor": (of_fit(estimators.SimplexRegressor), {"upper": UPPER, **SAMPLES}),
    "SimplexClassifier": (of_fit(estimators.SimplexClassifier), {"upper": UPPER, **SIGNED}),
    "GroupBudgetRegressor": (of_fit(estimators.GroupBudgetRegressor), BY_GROUPS),
    "GroupBudgetClassifier": (of_fit(estimators.GroupBudgetClassifier), {**BY_GROUPS, "y": SIGNS}),
    "GroupBudgetRegressorCV": (of_fit(lambda groups: estimators.GroupBudgetRegressorCV(groups, radii=3, cv=2)), BY_GROUPS),
    "GroupBudgetClassifierCV": (of_fit(lambda groups: estimators.GroupBudgetClassifierCV(groups, radii=3, cv=2)),
                                {**BY_GROUPS, "y": SIGNS}),
    "L1BudgetRegressor": (of_fit(estimators.L1BudgetRegressor), SAMPLES),
    "L1BudgetClassifier": (of_fit(estimators.L1BudgetClassifier), SIGNED),
    "L1BudgetRegressorCV": (of_fit(lambda: estimators.L1BudgetRegressorCV(radii=3, cv=2)), SAMPLES),
    "L1BudgetClassifierCV": (of_fit(lambda: estimators.L1BudgetClassifierCV(radii=3, cv=2)), SIGNED),
    "LowRankRegressor": (of_fit(estimators.LowRankRegressor), {**SAMPLES, "y": Y}),
    "EnsembleRegressor": (of_fit(estimators.EnsembleRegressor), SAMPLES),
    "EnsembleClassifier": (of_fit(estimators.EnsembleClassifier), {**SIGNED, "X": POOLED}),
    "MatrixCompletion": (of_fit(lambda: estimators.MatrixCompletion(radius=5.0), "row_factors_"),
                         {"X": PAIRS, "y": y[:8]}),
}
LOSSES = {
    **{name: of_loss(make) for name, make in (("least_squares", gh.least_squares), ("absolute", gh.absolute),
       ("logistic", gh.logistic), ("hinge", gh.hinge), ("squared_hinge", gh.squared_hinge), ("huber", gh.huber),
       ("poisson", gh.poisson))},
    "quantile": of_loss(gh.quantile, q=0.3), "epsilon_insensitive": of_loss(gh.epsilon_insensitive, epsilon=0.1),
    "lp_loss": of_loss(gh.lp_loss, p=3.0),
}
TARGETS = {"logistic": SIGNED, "hinge": SIGNED, "squared_hinge": SIGNED, "poisson": COUNTED}
PORTFOLIO = {"returns": RETURNS, "covariance": Q, "mean": POINT, "groups": GROUPS,
             "group_upper": pd.Series([0.6, 0.7], index=["p", "q"]), "upper": UPPER, "previous": POINT}
LIMITS = {"A_ub": pd.DataFrame([[1.0, 2.0, 3.0, 4.0], [1.0, 1.0, 0.0, 0.0]], index=["s", "t"], columns=COLS),
          "b_ub": pd.Series([2.5, 0.7], index=["s", "t"]), "A_eq": pd.DataFrame([[1.0] * D], index=["sum"], columns=COLS),
          "b_eq": pd.Series([1.0], index=["sum"]), "bounds": pd.DataFrame({"low": 0.0, "high": UPPER})}

# the answer of a call, and labelled arguments that it is the same for in whatever order one of them is
CASES: dict[str, tuple[Call, dict[str, Any]]] = {
    **{name: (answer, TARGETS.get(name, SAMPLES)) for name, answer in LOSSES.items()},
    "log_likelihood": (of_loss(gh.log_likelihood), {"P": X.abs(), "sample_weight": S}),
    "quadratic": (of_loss(gh.quadratic), {"Q": Q, "b": POINT}),
    "quadratic with factors": (of_loss(gh.quadratic), {"factors": X, "Q": UPPER, "b": POINT}),
    "multitask": (lambda **given: gh.certify(gh.multitask(**given), gh.NuclearBall((D, 2), 9.0), np.eye(D, 2)).value,
                  {"X": X, "Y": Y, "sample_weight": S}),
    "multinomial": (lambda **given: gh.certify(gh.multinomial(**given), gh.NuclearBall((D, 3), 9.0), np.eye(D, 3)).value,
                    {"X": X, "y": CLASSES, "sample_weight": S}),
    "completion": (lambda **given: gh.certify(gh.completion(**given, shape=(4, 6)), gh.NuclearBall((4, 6), 9.0),
                                              np.eye(4, 6)).value, {**PLACES, "values": y, "sample_weight": S}),
    "minimize": (lambda **given: gh.minimize(gh.least_squares(X, y), gh.Simplex(D), gh.FrankWolfe(), stop=gh.Iterations(1),
                                             **given).x, {"start": POINT}),
    "certify": (lambda **given: gh.certify(gh.least_squares(X, y), gh.Simplex(D), **given).value, {"w": POINT}),
    "batch": (lambda **given: gh.batch(gh.least_squares, gh.Simplex(D, upper=UPPER), **given).x,
              {"X": X, "Y": Y, "start": pd.Series([0.1, 0.2, 0.3, 0.4], index=COLS)}),
    "Online": (lambda **given: gh.Online(gh.Simplex(D, upper=2.0 * UPPER), lipschitz=1.0, **given).point, {"start": POINT}),
    "Simplex": (of_set(gh.Simplex, d=D), {"lower": 0.1 * UPPER, "upper": UPPER}),
    "Box": (of_set(gh.Box), {"lower": -UPPER, "upper": POINT}),
    "GroupedSimplex": (of_set(gh.GroupedSimplex), {"groups": GROUPS, "upper": UPPER,
                                                   "group_upper": pd.Series([0.4, 0.7], index=["p", "q"])}),
    "GroupL1Ball": (of_set(gh.GroupL1Ball, radius=1.0), {"groups": GROUPS}),
    "L1Ball": (of_set(gh.L1Ball, d=D, radius=1.0), {"weights": UPPER}),
    "L2Ball": (of_set(gh.L2Ball, d=D, radius=0.1), {"centre": UPPER}),
    "Translated": (of_set(gh.Translated, S=gh.Simplex(D, upper=UPPER)), {"v": POINT}),
    "Vertices": (of_set(gh.Vertices), {"matrix": X}),
    "LinearProgram": (of_set(gh.LinearProgram), LIMITS),
    "AtomSet.contains": (lambda **given: gh.Simplex(D, upper=1.001 * POINT).contains(**given), {"w": POINT}),
    "AtomSet.decompose": (lambda **given: gh.Simplex(D, upper=1.001 * POINT).decompose(**given).array(), {"w": POINT}),
    "portfolio": (lambda **given: apps.portfolio(risk=1.0, turnover=0.9, **given).weights, PORTFOLIO),
    "portfolio with a benchmark": (lambda **given: apps.portfolio(**given).weights,
                                   {"returns": RETURNS, "benchmark": 0.01 * y}),
    "portfolio with rows": (lambda row, **given: apps.portfolio(constraints={"k": (row, 0.3)}, **given).weights,
                            {"returns": RETURNS, "row": UPPER}),
    "unmix": (lambda **given: apps.unmix(**given).abundances, {"spectra": X.abs(), "endmembers": pd.DataFrame(
        RNG.random((3, D)), columns=COLS, index=["soil", "water", "tree"])}),
    "optimal_design": (lambda **given: apps.optimal_design(**given).support["n3"] > 0.0,
                       {"X": pd.DataFrame({"one": 1.0, "x": [0.0, 0.2, 0.7, 1.0]}, index=COLS),
                        "names": pd.Series(["n0", "n1", "n2", "n3"], index=COLS)}),
    "Design.efficiency_of": (lambda **given: apps.optimal_design(X.iloc[:4], tol=1e-6).efficiency_of(**given),
                             {"weights": POINT.set_axis(ROWS[:4])}),
    "graph_matching": (lambda **given: apps.graph_matching(**given).value, {"A": Q.round(), "B": Q.abs().round()}),
    "synthetic_control": (lambda **given: apps.synthetic_control(treated="a", t0=2010, placebos=False, **given).weights,
                          {"Y": OUTCOMES, "predictors": PREDICTORS,
                           "importance": pd.Series([1.0, 5.0, 2.0], index=["x", "y", "z"])}),
    **FITS,
    **{f"{name}.score": (of_score(getattr(estimators, name)().fit(*(given[k] for k in ("X", "y")))),
                         {k: given[k] for k in ("X", "y", "sample_weight")})
       for name, (_, given) in FITS.items() if "CV" not in name and name != "MatrixCompletion"},
    "MatrixCompletion.score": (of_score(estimators.MatrixCompletion(radius=5.0).fit(PAIRS, y[:8])),
                               {"pairs": PAIRS, "values": y[:8]}),
}
COLUMNWISE = {  # arguments whose columns are shuffled, not their rows; those of square matrices are shuffled both ways
    *(("quadratic", "Q"), ("quadratic with factors", "factors"), ("portfolio", "returns"), ("portfolio", "covariance")),
    *(("unmix", "spectra"), ("unmix", "endmembers"), ("synthetic_control", "Y"), ("synthetic_control", "predictors")),
    *(("LinearProgram", "A_ub"), ("LinearProgram", "A_eq"), ("Vertices", "matrix"), ("graph_matching", "A")),
    ("portfolio with rows", "returns"),
}
DECIDES = {("portfolio", "returns"), ("quadratic", "Q"), ("quadratic with factors", "factors"), ("synthetic_control", "Y"),
           ("unmix", "endmembers"), ("portfolio with rows", "returns")}  # what is shuffled here is shuffled in the answer
# arguments that meet no labels, by the reason
EXEMPT = {
    "alone: the labels of the answer, or nothing": {"log_det.X", "trace_inverse.X", "Permutahedron.v", "Transport.a",
        "Transport.b", "batch.without", "GroupL1Ball.shape", "NuclearBall.shape", "completion.shape", "portfolio.risk"},
    "lists of names, of edges or of objects": {
        "LinearProgram.names", "LinearProgram.variables", "LinearProgram.options", "PathPolytope.edges", "SpanningTree.edges",
        "Product.sets", "Sum.sets", "Scaled.S", "Translated.S", "Cached.S", "Inexact.S", "shards.source", "shards.features",
        "compare.solutions", "compare.labels", "unmix.names", "portfolio.constraints", "batch.settings", "batch.fs",
        "minimize.watch", "synthetic_control.treated", "synthetic_control.t0", "synthetic_control.unit",
        "synthetic_control.time", "synthetic_control.outcome", "synthetic_control.donors",
        "RegularizedStochasticFrankWolfe.regularizer", "Online.regularizer"},
    "functions": {"Callback.fn", "function.value", "function.gradient", "function.hessian_product", "oracle.fn",
                  "expectation.draw", "finite_sum.value", "finite_sum.gradient"},
    "atoms and results, which the library makes": {"Dense.array", "RankOne.u", "RankOne.v", "Sparse.entries", "Sparse.places"},
}
FOLDS = [f"{name}.fit" for name in estimators.__all__ if name.endswith("CV")]  # groups= of their fit: tested by itself
RESULTS = {"Solution", "Solutions", "Certificate", "Design", "Matching", "Portfolio", "SyntheticControl", "Unmixing"}
SETTINGS = {"loss", "models", "cv", "random_state", "verbose", "radii", "class_weight"}  # of estimators


def public() -> Iterator[tuple[str, str]]:
    """Name and argument of everything public that may be given an array."""
    for room in (gh, apps, estimators):
        for name in room.__all__:
            made: Any = getattr(room, name)
            if name in RESULTS or (inspect.isclass(made) and issubclass(made, Exception)):
                continue
            calls = {name: made}
            if room is estimators:
                calls |= {f"{name}.{method}": getattr(made, method) for method in ("fit", "score")}
            for called, call in calls.items():
                for one in inspect.signature(call).parameters.values():
                    written = str(one.annotation)
                    if one.name != "self" and any(word in written for word in ("Any", "Array", "Sequence", "Index", "empty")):
                        yield called, one.name


def test_every_public_argument_is_shuffled_or_exempt() -> None:
    covered = {(name.split(" with ")[0], argument) for name, (_, given) in CASES.items() for argument in given}
    covered |= {(f"{name}.fit", argument) for name, (_, given) in FITS.items() for argument in given}
    exempt = {tuple(one.split(".")) for some in EXEMPT.values() for one in some}
    open_ = {(name, one) for name, one in public() if (name, one) not in covered and (name, one) not in exempt
             and not (name in estimators.__all__ and one in SETTINGS)}
    open_ -= {(name, one) for name, one in open_ if name.endswith("CV.score")}  # inherited
    assert open_ <= {(name, "groups") for name in FOLDS}, "shuffle these in CASES, or say in EXEMPT why they need no labels"
    assert len(covered) > 100


def shuffled(thing: Any, along: int) -> Any:
    order = np.random.default_rng(1).permutation(thing.shape[along])
    return thing.iloc[:, order] if along else thing.iloc[order]


@pytest.mark.parametrize(("name", "argument"), [(name, one) for name, (_, given) in CASES.items() for one in given])
def test_the_answer_does_not_depend_on_the_order_of_labels(name: str, argument: str) -> None:
    answer, given = CASES[name]
    want = np.asarray(answer(**given), dtype=np.float64)
    mixed = shuffled(given[argument], COLUMN if (name, argument) in COLUMNWISE else ROW)
    if (name, argument) in DECIDES:
        order = [COLS.index(label) for label in mixed.columns] if name != "synthetic_control" else None
        found = np.asarray(answer(**{**given, argument: mixed}), dtype=np.float64)
        if name == "synthetic_control":
            found = found[[[one for one in mixed.columns if one != "a"].index(label) for label in COLS[1:]]]
        elif found.ndim and name.startswith("portfolio"):
            found = found[np.argsort(order)]
        elif name.startswith("quadratic"):  # the point of the answer is an array, in the order of the columns
            want = np.asarray(answer(**{**{one: v.loc[mixed.columns] if one != "factors" else v for one, v in given.items()},
                                        argument: mixed}), dtype=np.float64)
    else:
        found = np.asarray(answer(**{**given, argument: mixed}), dtype=np.float64)
    np.testing.assert_allclose(found, want, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", ["L1BudgetRegressorCV", "L1BudgetClassifierCV"])
def test_groups_of_samples_follow_the_rows(name: str) -> None:
    targets, parts = SIGNS if "Classifier" in name else y, CLASSES
    model = getattr(estimators, name)(radii=[0.5, 1.0], cv=GroupKFold(3))
    first = {k: v for k, v in vars(model.fit(X, targets, groups=parts)).items() if isinstance(v, np.ndarray)}
    second = vars(model.fit(X, targets, groups=shuffled(parts, ROW)))
    assert len(first) > 3 and all(np.array_equal(second[k], v) for k, v in first.items())


def test_polars_frames_have_columns_and_no_rows() -> None:
    table = pl.DataFrame({name: RETURNS[name].to_numpy() for name in COLS})
    want = apps.portfolio(RETURNS, upper=UPPER).weights
    assert np.array_equal(apps.portfolio(table, upper=UPPER.iloc[::-1]).weights, want)
    assert np.array_equal(apps.portfolio(table, upper=pl.Series(UPPER.to_numpy())).weights, want)
    risk = pl.DataFrame({name: Q[name].to_numpy() for name in COLS})
    turned = apps.portfolio(RETURNS[COLS[::-1]], covariance=risk).weights[::-1]
    np.testing.assert_allclose(turned, apps.portfolio(RETURNS, covariance=risk).weights, atol=1e-9)
    fitted = estimators.SimplexRegressor(upper=UPPER.iloc[::-1]).fit(table, pl.Series(y.to_numpy()))
    assert np.array_equal(fitted.coef_, estimators.SimplexRegressor(upper=UPPER).fit(RETURNS, y).coef_)


@pytest.mark.parametrize("name", sorted(set(estimators.__all__) - {"EnsembleClassifier", "MatrixCompletion"}))
def test_columns_to_predict_are_those_of_the_fit(name: str) -> None:
    targets = SIGNS if "Classifier" in name else y
    for columns in (COLS, [10, 20, 30, 40], range(D)):
        data = X.set_axis(list(columns), axis=1)
        model = getattr(estimators, name)().fit(data, targets)
        turned = data.iloc[:, [2, 0, 3, 1]]
        if list(columns) == [10, 20, 30, 40]:  # scikit-learn compares names that are text
            assert np.array_equal(model.predict(turned), model.predict(data))
        else:
            with pytest.raises(ValueError, match=r"feature names|another order"):
                model.predict(turned)
        for other in (data.iloc[:, :3], data.assign(more=1.0)):
            with pytest.raises((ValueError, TypeError)):
                model.predict(other)
    assert np.array_equal(model.predict(X.to_numpy()), model.predict(data))


def test_pairs_to_predict_are_found_by_name() -> None:
    model = estimators.MatrixCompletion(radius=5.0).fit(PAIRS, y[:8])
    assert np.array_equal(model.predict(PAIRS[["item", "user"]]), model.predict(PAIRS))
    with pytest.raises(gh.GreedyhullError, match="lacks 'user'"):
        model.predict(PAIRS.rename(columns={"user": "who"}))


def test_rows_of_another_index_are_an_error_and_a_reset_index_is_none() -> None:
    model = estimators.SimplexRegressor()
    want = model.fit(X, y).coef_
    assert np.array_equal(model.fit(X, y.reset_index(drop=True)).coef_, want)
    assert np.array_equal(model.fit(X.reset_index(drop=True), y).coef_, want)
    assert np.array_equal(model.fit(X.to_numpy(), y).coef_, want)
    later = y.set_axis([*ROWS[1:], "r24"])
    for call in (lambda: model.fit(X, later), lambda: gh.least_squares(X, later), lambda: model.score(X, later)):
        with pytest.raises(gh.GreedyhullError, match=r"y must have the labels .* unknown 'r24' and lacks 'r0'. Pass y.to_n"):
            call()


@pytest.mark.parametrize("over", ["objective", "set"])
def test_a_solution_names_its_coordinates(over: str) -> None:
    names = list("abcd")
    X = pd.DataFrame(np.random.default_rng(0).standard_normal((30, 4)), columns=names)
    f = gh.least_squares(X if over == "objective" else X.to_numpy(), X["a"].to_numpy())
    S = gh.Box(pd.Series(-1.0, names), 1.0) if over == "set" else gh.L1Ball(4, 0.5)
    s = gh.minimize(f, S)
    assert s.names == names and "a = " in s._repr_html_()
    assert gh.minimize(gh.least_squares(X.to_numpy(), X["a"].to_numpy()), gh.L1Ball(4, 0.5)).names is None
