"""Errors and warnings: what a message says, and which name was probably meant."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from functools import partial, wraps
from inspect import signature as signature_of
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, ParamSpec, TypeVar
from warnings import warn

import numpy as np


class GreedyhullError(ValueError):
    """Error about an input, or about a promise that an oracle or a function broke.

    The message says what was given, what is wanted and what to do. It is a `ValueError`.

    Examples
    --------
    >>> import greedyhull as gh
    >>> try:
    ...     gh.L1Ball(3, radius=-1)
    ... except gh.GreedyhullError as error:
    ...     print(error)
    radius = -1 was given; a positive finite number (at most 1e+150) is wanted.
    """


class GreedyhullWarning(UserWarning):
    """Warning about a run that goes on, though not as expected.

    It is given where theory promises less than one may expect, where a resumed run turns out to be one of another problem, or
    where a checkpoint cannot be written. The message says why. Certificates hold all the same.

    Examples
    --------
    >>> import warnings, numpy as np, greedyhull as gh
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", gh.GreedyhullWarning)      # treat them as errors
    ...     s = gh.minimize(gh.quadratic(np.eye(2)), gh.Simplex(2))
    """


class DriftWarning(GreedyhullWarning):
    """The value a run carried along and the value recomputed from its atoms differ by more than rounding explains.

    The certificate is the recomputed one and holds; a view, a loss or a set of the run has an error.
    """


def check(condition: bool, message: str | Callable[[], str]) -> None:
    """Raise ``GreedyhullError(message)`` unless ``condition`` holds.

    Where a message takes longer to write than the check to pass, and many pass, it is given as a function.

    >>> check(1 + 1 == 2, "arithmetic is broken")
    """
    if not condition:
        raise GreedyhullError(message if isinstance(message, str) else message())


def installing(extra: str) -> str:
    """How to install an optional part of the library.

    >>> installing("frame")
    'In the checkout: pip install -e ".[frame]".'
    """
    return f'In the checkout: pip install -e ".[{extra}]".'


LONGEST = 80  # characters of a value that is shown as it is


def shown(value: object) -> str:
    """The value as Python writes it, if that is short; else what it is, with its shape.

    >>> import numpy as np
    >>> shown("fw"), shown(float), shown(len), shown(np.ones((8, 3)))
    ("'fw'", 'the class float', 'the function len', 'an array of shape (8, 3)')
    """
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if isinstance(value, FunctionType | BuiltinFunctionType | MethodType):
        return f"the function {value.__name__}"
    try:
        words = repr(value)
    except Exception:  # an error about an argument is not to be replaced by one of its repr
        words = " at 0x"
    if len(words) <= LONGEST and "\n" not in words and " at 0x" not in words:
        return words
    shape = _shape(value)
    if isinstance(value, np.ndarray):
        return f"an array of shape {shape}"
    name = type(value).__name__
    article = "an" if name[0].lower() in "aeiou" else "a"
    return f"{article} {name} of shape {shape}" if shape else f"{article} {name}"


def _shape(value: Any) -> tuple[int, ...]:
    try:
        return tuple(np.shape(value))
    except ValueError:  # rows of different lengths
        return ()


def no_file(path: Path, name: object = None, what: str = "file") -> str:
    """Return a sentence that says why there is no file at ``path``, called ``name``: nothing is there, or a dead link.

    >>> no_file(Path("none.npy"))
    'There is no file none.npy.'
    """
    shown_as = path if name is None else name
    if os.path.islink(path) and not os.path.exists(path):  # noqa: PTH110, PTH114 — those of Path raise for long names
        return f"{shown_as} is a symbolic link to {os.readlink(path)}, which does not exist."  # noqa: PTH115 — as it is written
    return f"There is no {what} {shown_as}."


def takes(function: Callable[..., Any], *args: object) -> bool:
    """Whether a function can be called with these arguments; True where that cannot be known.

    >>> takes(lambda w: w, None), takes(lambda w, index: w, None)
    (True, False)
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some functions written in C have none
        return True
    try:
        signature.bind(*args)
    except TypeError:
        return False
    return True


def signed(function: Callable[..., Any]) -> str:
    """A function with its arguments.

    >>> signed(lambda w, index=None: w)
    '<lambda>(w, index=None)'
    """
    name = function.__name__ if isinstance(function, FunctionType | MethodType) else type(function).__name__
    return f"{name}{inspect.signature(function)}"


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
    from difflib import get_close_matches

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


T = TypeVar("T")

SYNONYMS = {  # settings, and what other libraries call them
    "step": ("eta", "gamma", "learning_rate", "line_search", "lr"),
    "batch": ("minibatch",),
    "d": ("n", "dim", "dimension", "features", "n_features", "shape", "size"),
    "radius": ("r", "tau", "budget", "bound", "rho", "norm", "alpha"),
    "total": ("sum", "scale", "radius", "budget", "s"),
    "centre": ("center", "mean", "middle", "origin"),
    "lower": ("lb", "low", "min", "l"),
    "upper": ("ub", "high", "max", "u", "cap"),
    "weights": ("weight", "w", "sample_weight"),
    "matrix": ("atoms", "points", "vertices", "v", "x", "array"),
    "epsilon": ("eps", "tol", "error"),
    "absolute": ("tol", "tolerance", "eps", "epsilon", "gap", "atol", "value"),
    "r": ("tol", "tolerance", "eps", "epsilon", "rtol", "relative", "fraction"),
    "k": ("n", "max_iter", "maxiter", "n_iter", "iterations", "number", "count", "limit", "patience"),
    "t": ("s", "seconds", "time", "timeout", "limit", "max_time", "time_limit"),
    "fn": ("f", "func", "function", "callback", "callable"),
}
OF_MINIMIZE = ("start", "stop", "watch", "seed", "progress", "check", "checkpoint", "resume")


def hinted(cls: type[T]) -> type[T]:
    """Return the dataclass; where a setting or an attribute does not exist, the error gets a note that names those that do.

    It covers the constructor, the class methods, and attributes of the objects.

    >>> from dataclasses import dataclass
    >>> @hinted
    ... @dataclass(frozen=True)
    ... class Solver:
    ...     step: float = 1.0
    >>> try:
    ...     Solver(stepp=2.0)
    ... except TypeError as error:
    ...     print(error.__notes__)
    ['There is no stepp here. Did you mean step=?']
    """
    made: dict[str, Any] = {"__init__": _noting(vars(cls)["__init__"], cls.__name__), "__getattr__": _absent(cls)}
    for name, member in vars(cls).items():
        if isinstance(member, classmethod):
            made[name] = classmethod(_noting(member.__func__, f"{cls.__name__}.{name}"))
    for name, member in made.items():
        setattr(cls, name, member)
    return cls


def hinted_arguments(cls: type) -> None:
    """Let the constructor of a class, as written in it, name the arguments that it takes where others are given."""
    for name in ("__new__", "__init__"):
        if name in vars(cls):  # the first of them: what it takes, the other takes too
            written = vars(cls)[name]
            noting = _noting(written.__func__ if isinstance(written, staticmethod) else written, cls.__name__)
            type.__setattr__(cls, name, staticmethod(noting) if name == "__new__" else noting)
            return


def _noting(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The method; its arguments are looked at only once a call has failed."""

    @wraps(function)
    def method(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        try:
            return function(self, *args, **kwargs)
        except TypeError as error:
            for note in _notes(partial(function, self), name, args, kwargs):
                error.add_note(note)
            raise

    return method


def _notes(function: partial[Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[str]:
    """What to say of arguments that do not fit; nothing where they fit, and the error came from within."""
    signature = signature_of(function)
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        takes = list(signature.parameters)
        said = [f"There is no {given} here. {_instead(given, value, takes, name)}" for given, value in kwargs.items()
                if given not in takes]
        placed = [one for one in signature.parameters.values() if one.kind is not one.KEYWORD_ONLY]
        return [*said, _listed(name, takes)] if len(args) > len(placed) else said
    return []


def _instead(given: str, value: Any, takes: list[str], name: str) -> str:
    """What to give in place of a name that is not there."""
    from difflib import get_close_matches

    lower = given.lower()
    same = [one for one in takes if lower in SYNONYMS.get(one, ())]
    near = same or get_close_matches(lower, takes, n=1)
    if near and lower not in OF_MINIMIZE:
        return f"Did you mean {near[0]}=?"
    meant, words = MEANT.get(lower, (lower, f"{lower}={{given}}"))
    if meant in OF_MINIMIZE:
        return f"It is an argument of gh.minimize: {words.format(given=value if isinstance(value, int | float) else '...')}."
    return _listed(name, takes)


def _listed(name: str, takes: list[str]) -> str:
    return f"{name} takes {', '.join(f'{one}=' for one in takes)}." if takes else f"{name} takes no arguments."


def _absent(cls: type) -> Callable[[Any, str], Any]:
    """What is called where an attribute was not found: raise the error as it is, with a note.

    The words are made beforehand, since programs that only ask whether an attribute is there come here too.
    """
    note = _settings(cls)

    def absent(self: Any, name: str) -> Any:
        try:
            return object.__getattribute__(self, name)
        except AttributeError as error:
            if error.name == name and name[:1] != "_":
                error.add_note(note if type(self) is cls else _settings(type(self)))
            raise

    vars(absent)["suggests"] = True  # it finds nothing: `types.attributes.lacks` need not ask it
    return absent


def _settings(cls: Any) -> str:
    return f"{cls.__name__} has {', '.join(field.name for field in fields(cls)) or 'no settings'}."


def suggesting(meant: Mapping[str, str]) -> Callable[[type[T]], type[T]]:
    """A decorator for classes whose objects, asked for an attribute that does not exist, say which one was probably meant.

    ``meant`` maps names that other libraries use to what stands for them here; for all other names the nearest attribute is
    suggested. Attributes that exist are found as before. Type checkers do not see the decorator's ``__getattr__``, so they
    still report names that do not exist.

    >>> @suggesting({"fun": "value"})
    ... class Result:
    ...     value = 3.0
    >>> Result().fun
    Traceback (most recent call last):
    ...
    AttributeError: 'Result' object has no attribute 'fun'. Did you mean value?
    """

    def decorated(cls: type[T]) -> type[T]:
        def absent(self: Any, name: str) -> Any:
            if name.startswith("_") or any(name in vars(base) for base in type(self).__mro__):
                return object.__getattribute__(self, name)  # it raises again: a property's own error, or Python's
            raise no_attribute(self, name, meant)

        absent.__name__ = "__getattr__"
        vars(absent)["suggests"] = True  # it finds nothing: `types.attributes.lacks` need not ask it
        type.__setattr__(cls, "__getattr__", absent)
        return cls

    return decorated


def no_attribute(it: object, name: str, meant: Mapping[str, str]) -> AttributeError:
    """The error for an attribute that ``it`` does not have."""
    from difflib import get_close_matches

    said = f"{type(it).__name__!r} object has no attribute {name!r}"
    there = [known for known in dir(it) if not known.startswith("_")]
    near = [meant[name]] if name in meant else get_close_matches(name, there, n=1)
    if not near:
        return AttributeError(said, name=name, obj=it)
    return AttributeError(f"{said}. Did you mean {near[0]}?", name=name, obj=None)  # with it, Python would suggest once more


def former(old: str, new: str) -> Callable[..., Any]:
    """A method ``old`` that warns and calls the method ``new``.

    >>> class Model:
    ...     def gradient_dot(self, w): return 2 * w
    ...     euler = former("euler", "gradient_dot")
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as said:
    ...     warnings.simplefilter("always")
    ...     print(Model().euler(3), said[0].message)
    6 Model.euler is called gradient_dot now; the old name goes with the next version.
    """

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        _announce(type(self), old, new, stacklevel=3)
        line = [vars(cls) for cls in type(self).__mro__ if new in vars(cls)]
        taken = [i for i, own in enumerate(line) if own[new] is own.get(old)]
        heir = line[taken[-1] + 1] if taken else line[0]  # a method that was taken over asks for the next one after it
        return heir[new].__get__(self)(*args, **kwargs)

    method.__name__, method.__doc__ = old, f"The former name of `{new}`."
    return method


def take_over(cls: type, old: str, new: str) -> None:
    """Let a class that wrote ``old``, as the version before this one wanted, have it as ``new``."""
    own = vars(cls)
    if old in own and new not in own:
        _announce(cls, old, new, stacklevel=4)
        setattr(cls, new, own[old])


def _announce(cls: type, old: str, new: str, stacklevel: int) -> None:
    warn(f"{cls.__name__}.{old} is called {new} now; the old name goes with the next version.", DeprecationWarning,
         stacklevel=stacklevel)
