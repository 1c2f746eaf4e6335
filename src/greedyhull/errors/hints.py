"""What was meant: names that other libraries use, names of other modules, and misspelt names."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

BUDGET = "least_squares(X, y) over L1Ball(d, radius), or greedyhull.estimators.L1BudgetRegressor"
MEANT = {  # arguments as other libraries call them, and what to give here
    **dict.fromkeys(("tol", "tolerance", "eps", "epsilon", "rtol", "atol", "ftol", "gtol", "gap"),
                    ("stop", "stop=gh.Relative({given}) for a relative gap, stop=gh.Gap({given}) for an absolute one")),
    **dict.fromkeys(("max_iter", "maxiter", "max_iters", "max_iterations", "n_iter", "iterations", "num_iterations", "steps"),
                    ("stop", "stop=gh.Iterations({given})")),
    **dict.fromkeys(("timeout", "time_limit", "max_time", "seconds"), ("stop", "stop=gh.Seconds({given})")),
    **dict.fromkeys(("callback", "callbacks"), ("watch", "watch={given}")),
    **dict.fromkeys(("random_state", "rng", "random_seed"), ("seed", "seed={given}, a whole number")),
    **dict.fromkeys(("verbose", "verbosity", "disp"), ("progress", "progress=True")),
    **dict.fromkeys(("x0", "w0", "x_init", "w_init", "init", "initial", "warm_start"), ("start", "start={given}")),
    **dict.fromkeys(("method", "algorithm", "algo"), ("solver", "solver=gh.FrankWolfe(), or another solver")),
    **dict.fromkeys(("weights", "sample_weights"), ("sample_weight", "sample_weight={given}")),
    **dict.fromkeys(("fit_intercept", "bias"), ("intercept", "intercept={given}")),
    **dict.fromkeys(("ridge", "l2_penalty", "weight_decay"), ("l2", "l2={given}, the factor in (l2/2)‖w‖²")),
    **dict.fromkeys(("jac", "grad", "fprime"), ("gradient", "gradient={given}")),
    **dict.fromkeys(("fun", "func"), ("value", "value={given}")),
    **dict.fromkeys(("lower", "short", "short_selling", "long_only", "leverage", "weight_bounds", "bounds"), ("previous",
        "upper= for caps; weights are at least 0 and sum to 1, without short positions. For a floor of 0.1 on an asset give "
        "constraints={{'floor': ({{asset: -1}}, -0.1)}}")),
    **dict.fromkeys(("dim", "dimension", "n_features"), ("shape", "shape={given}")),
}
ESTIMATORS = ("EnsembleClassifier", "EnsembleRegressor", "GroupBudgetClassifier", "GroupBudgetClassifierCV",
              "GroupBudgetRegressor", "GroupBudgetRegressorCV", "L1BudgetClassifier", "L1BudgetClassifierCV",
              "L1BudgetRegressor", "L1BudgetRegressorCV", "LowRankRegressor", "MatrixCompletion", "SimplexClassifier",
              "SimplexRegressor")
APPS = ("Design", "Matching", "Portfolio", "SyntheticControl", "Unmixing", "graph_matching", "optimal_design", "portfolio",
        "synthetic_control", "unmix")
ROOMS = ("apps", "estimators", "experiments", "extend", "gradients", "report", "testing", "theory")  # loaded on first use
ELSEWHERE = {  # names of other libraries, in small letters and without underscores
    "lasso": BUDGET, "lassocv": "greedyhull.estimators.L1BudgetRegressorCV",
    **dict.fromkeys(("logisticregression", "logreg"),
                    "logistic(X, y) over L1Ball(d, radius), or greedyhull.estimators.L1BudgetClassifier"),
    **dict.fromkeys(("linearregression", "squared", "squaredloss", "mse", "lstsq", "ols"), "least_squares"),
    **dict.fromkeys(("awayfrankwolfe", "awaystepfrankwolfe"), "AwayStep"), "pairwisefrankwolfe": "Pairwise",
    **dict.fromkeys(("conditionalgradient", "cg", "fw"), "FrankWolfe"), "sfw": "StochasticFrankWolfe",
    **dict.fromkeys(("solve", "optimize", "optimise", "fmin", "run", "fit"), "minimize"), "linesearch": "Exact",
    **dict.fromkeys(("probabilitysimplex", "unitsimplex"), "Simplex"),
    **dict.fromkeys(("polytope", "hull", "convexhull"), "Vertices"),
    **dict.fromkeys(("ball", "normball"), "L1Ball, L2Ball or LinfBall"), "l1": "L1Ball", "l2": "L2Ball", "linf": "LinfBall",
    **dict.fromkeys(("tolerance", "tol"), "Relative"), **dict.fromkeys(("maxiter", "maxiterations"), "Iterations"),
    **dict.fromkeys(("nuclearnormball", "tracenormball"), "NuclearBall"), "birkhoffpolytope": "Birkhoff",
    **dict.fromkeys(("lp", "linprog", "linearconstraints"), "LinearProgram"), "schattenball": "oracle(fn, shape)",
    **dict.fromkeys(("ksparsepolytope", "ksparseball"), "KSparse"),
    **dict.fromkeys(("grouplasso", "groupball"), "GroupL1Ball"),
    **dict.fromkeys(("lmo", "linearminimizationoracle", "linearminimisationoracle"), "oracle"),
}
NEAR = 0.7  # how much two names have in common where one may be the other misspelt


def hinting(function: Callable[P, R]) -> Callable[P, R]:
    """The function; the TypeError for an argument that it does not take gets a note that says what was probably meant.

    Calls are passed on unchanged. Their arguments are looked at only after a call has failed.

    >>> @hinting
    ... def solve(*, stop: object = None) -> None: ...
    >>> try:
    ...     solve(tol=1e-6)
    ... except TypeError as error:
    ...     print(error.__notes__)
    ['There is no tol here. Give stop=gh.Relative(1e-06) for a relative gap, stop=gh.Gap(1e-06) for an absolute one.']
    """

    @wraps(function)
    def hinted(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            for note in notes(function, args, kwargs):
                error.add_note(note)
            raise

    return hinted


def notes(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[str]:
    """What to say of arguments that do not fit the function; nothing if they fit, as the error then came from within."""
    signature = inspect.signature(function)
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        takes = signature.parameters
        said = [_meant(name, value, list(takes)) for name, value in kwargs.items() if name not in takes]
        placed = [name for name, one in takes.items() if one.kind is not one.KEYWORD_ONLY]
        if len(args) > len(placed):
            named = ", ".join(f"{name}=" for name in takes if name not in placed)
            others = f"; give the others by name: {named}." if named else "."
            said.append(f"Only {', '.join(placed)} can be given by position{others}")
        return said
    return []


def unknown(given: dict[str, Any], takes: list[str]) -> list[str]:
    """What to say of arguments given by name that are none of those that a function takes.

    >>> unknown({"tol": 1e-6, "stop": None}, ["stop"])
    ['There is no tol here. Give stop=gh.Relative(1e-06) for a relative gap, stop=gh.Gap(1e-06) for an absolute one.']
    """
    return [_meant(name, value, takes) for name, value in given.items() if name not in takes]


def _meant(name: str, value: Any, takes: list[str]) -> str:
    here, words = MEANT.get(name.lower(), ("", ""))
    if here in takes:
        given = value if isinstance(value, int | float) else "..."
        return f"There is no {name} here. Give {words.format(given=given)}."
    near = _close(name.lower(), takes)
    hint = f"Did you mean {near[0]}=?" if near else f"The arguments are {', '.join(f'{one}=' for one in takes)}."
    return f"There is no {name} here. {hint}"


def _close(word: str, words: list[str], near: float = 0.6) -> list[str]:
    from difflib import get_close_matches  # not needed by programs without errors

    return get_close_matches(word, words, n=1, cutoff=near)


def nearest(word: str, names: dict[str, str]) -> str:
    """What stands under the nearest of several names, or nothing if none is near.

    >>> nearest("jonse", {"jones": "Jones", "fw": "FrankWolfe"})
    'Jones'
    """
    near = _close(word, list(names), NEAR)
    return names[near[0]] if near else ""


def missing(name: str, there: Iterable[str]) -> str:
    """What to say of an attribute that the module greedyhull does not have; ``there`` are those that it has.

    >>> missing("FrankWolf", ["FrankWolfe", "Jones"])
    "module 'greedyhull' has no attribute 'FrankWolf'. Did you mean FrankWolfe?"
    """
    said = f"module 'greedyhull' has no attribute {name!r}"
    if name.startswith("_"):
        return said
    home = "estimators" if name in ESTIMATORS else "apps" if name in APPS else None
    if home is not None:
        return f"{said}; it is in greedyhull.{home}: from greedyhull.{home} import {name}"
    plain = {_plain(known): known for known in (*ESTIMATORS, *there)}
    if _plain(name) not in plain and _plain(name) in ELSEWHERE:
        return f"{said}. Use {ELSEWHERE[_plain(name)]}."
    near = _close(_plain(name), list(plain), NEAR)
    found = plain[near[0]] if near else ""
    return f"{said}. Did you mean {'greedyhull.estimators.' if found in ESTIMATORS else ''}{found}?" if found else said


def _plain(name: str) -> str:
    return name.lower().replace("_", "")
