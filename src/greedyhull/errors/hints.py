"""What was meant: names that other libraries use, names that are elsewhere, and names that are misspelt."""

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
    **dict.fromkeys(("jac", "grad", "fprime"), ("gradient", "gradient={given}")),
    **dict.fromkeys(("fun", "func"), ("value", "value={given}")),
    **dict.fromkeys(("dim", "dimension", "n_features"), ("shape", "shape={given}")),
}
ESTIMATORS = ("EnsembleClassifier", "EnsembleRegressor", "L1BudgetClassifier", "L1BudgetClassifierCV", "L1BudgetRegressor",
              "L1BudgetRegressorCV", "SimplexClassifier", "SimplexRegressor")
ROOMS = ("apps", "estimators", "experiments", "extend", "gradients", "report", "testing", "theory")
ELSEWHERE = {  # names of other libraries
    "Lasso": BUDGET, "LassoCV": "greedyhull.estimators.L1BudgetRegressorCV",
    "LogisticRegression": "logistic(X, y) over L1Ball(d, radius), or greedyhull.estimators.L1BudgetClassifier",
    **dict.fromkeys(("AwayStep", "AwayFrankWolfe", "AwayStepFrankWolfe", "PairwiseFrankWolfe"), "BlendedPairwise"),
    **dict.fromkeys(("ConditionalGradient", "CG", "FW"), "FrankWolfe"), **dict.fromkeys(("SFW",), "StochasticFrankWolfe"),
    **dict.fromkeys(("solve", "optimize", "fmin", "run"), "minimize"), "LineSearch": "Exact",
    **dict.fromkeys(("ProbabilitySimplex", "UnitSimplex"), "Simplex"), **dict.fromkeys(("Polytope", "Hull"), "Vertices"),
    **dict.fromkeys(("Tolerance", "Tol"), "Relative"), **dict.fromkeys(("MaxIter", "MaxIterations"), "Iterations"),
    **dict.fromkeys(("squared", "squared_loss", "mse", "lstsq", "LeastSquares"), "least_squares"),
}


def hinting(function: Callable[P, R]) -> Callable[P, R]:
    """The function, whose TypeErrors for arguments that it does not take have a note that says what was meant.

    The call goes straight through; its arguments are looked at only once it has failed.

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
    """What to say of arguments that do not fit the function; nothing where they fit, and the error came from within."""
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
            said.append(f"Only {', '.join(placed)} go without a name{others}")
        return [words for words in said if words]
    return []


def _meant(name: str, value: Any, takes: list[str]) -> str:
    here, words = MEANT.get(name.lower(), ("", ""))
    if here in takes:
        given = value if isinstance(value, int | float) else "..."
        return f"There is no {name} here. Give {words.format(given=given)}."
    near = _close(name.lower(), takes)
    return f"There is no {name} here. Did you mean {near[0]}=?" if near else ""


def _close(word: str, words: list[str]) -> list[str]:
    from difflib import get_close_matches  # not needed by programs without errors

    return get_close_matches(word, words, n=1)


def missing(name: str, there: Iterable[str]) -> str:
    """What to say of an attribute that greedyhull does not have; ``there`` are those that it has.

    >>> missing("FrankWolf", ["FrankWolfe", "Jones"])
    "module 'greedyhull' has no attribute 'FrankWolf'. Did you mean FrankWolfe?"
    """
    said = f"module 'greedyhull' has no attribute {name!r}"
    if name.startswith("_"):
        return said
    if name in ROOMS:
        return f"{said} until it is imported: import greedyhull.{name}"
    if name in ESTIMATORS:
        return f"{said}; it is in greedyhull.estimators: from greedyhull.estimators import {name}"
    if name in ELSEWHERE:
        return f"{said}; what comes near is {ELSEWHERE[name]}"
    by_lower = {known.lower(): known for known in (*there, *ESTIMATORS)}
    near = _close(name.lower().replace("_", ""), [known.replace("_", "") for known in by_lower])
    found = next((known for lower, known in by_lower.items() if near and lower.replace("_", "") == near[0]), "")
    return f"{said}. Did you mean {'greedyhull.estimators.' if found in ESTIMATORS else ''}{found}?" if found else said
