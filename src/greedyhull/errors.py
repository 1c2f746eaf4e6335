"""Errors and warnings: what a message says, and which name was probably meant."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from functools import wraps
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
    try:
        shape = tuple(np.shape(value))  # type: ignore[call-overload]
    except ValueError:  # rows of different lengths
        shape = ()
    if isinstance(value, np.ndarray):
        return f"an array of shape {shape}"
    name = type(value).__name__
    article = "an" if name[0].lower() in "aeiou" else "a"
    return f"{article} {name} of shape {shape}" if shape else f"{article} {name}"


def is_file(path: Path) -> bool:
    """Return whether there is such a file; unlike ``Path.is_file``, False if its name is too long."""
    return os.path.isfile(path)  # noqa: PTH113


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
T = TypeVar("T")

ESTIMATORS = ("EnsembleClassifier", "EnsembleRegressor", "GroupBudgetClassifier", "GroupBudgetClassifierCV",
              "GroupBudgetRegressor", "GroupBudgetRegressorCV", "L1BudgetClassifier", "L1BudgetClassifierCV",
              "L1BudgetRegressor", "L1BudgetRegressorCV", "LowRankRegressor", "MatrixCompletion", "SimplexClassifier",
              "SimplexRegressor")
APPS = ("Design", "Matching", "Portfolio", "SyntheticControl", "Unmixing", "graph_matching", "optimal_design", "portfolio",
        "synthetic_control", "unmix")
# packages that are loaded on first use
ROOMS = ("apps", "estimators", "experiments", "extend", "gradients", "report", "schedules", "testing", "theory")
OF_MINIMIZE = ("start", "stop", "watch", "seed", "progress", "check", "checkpoint", "resume")
ALIASES = {  # by place: what there is, and names that other libraries have for it
    "arguments": {  # the argument, with what to give if its name alone does not say it
        "stop: stop=gh.Relative({given}) for a relative gap, stop=gh.Gap({given}) for an absolute one":
            "tol tolerance eps epsilon rtol atol ftol gtol gap",
        "stop: stop=gh.Iterations({given})":
            "max_iter maxiter max_iters max_iterations n_iter iterations num_iterations steps",
        "stop: stop=gh.Seconds({given})": "timeout time_limit max_time seconds",
        "watch: watch={given}": "callback callbacks",
        "seed: seed={given}, a whole number": "random_state rng random_seed",
        "progress: progress=True": "verbose verbosity disp",
        "start: start={given}": "x0 w0 x_init w_init init initial warm_start",
        "solver: solver=gh.FrankWolfe(), or another solver": "method algorithm algo",
        "sample_weight: sample_weight={given}": "weights sample_weights",
        "intercept: intercept={given}": "fit_intercept bias",
        "l2: l2={given}, the factor in (l2/2)‖w‖²": "ridge l2_penalty weight_decay",
        "gradient: gradient={given}": "jac grad fprime",
        "value: value={given}": "fun func",
        "previous: upper= for caps; weights are at least 0 and sum to 1, without short positions. For a floor of 0.1 on an "
        "asset give constraints={{'floor': ({{asset: -1}}, -0.1)}}":
            "lower short short_selling long_only leverage weight_bounds bounds",
        "shape: shape={given}": "dim dimension n_features",
        "step": "eta gamma learning_rate line_search lr", "batch": "minibatch",
        "d": "n dim dimension features n_features shape size",
        "radius": "r tau budget bound rho norm alpha", "total": "sum scale radius budget s",
        "centre": "center mean middle origin", "lower": "lb low min l", "upper": "ub high max u cap",
        "weights": "weight w sample_weight", "matrix": "atoms points vertices v x array", "epsilon": "eps tol error",
        "absolute": "tol tolerance eps epsilon gap atol value",
        "r": "tol tolerance eps epsilon rtol relative fraction",
        "k": "n max_iter maxiter n_iter iterations number count limit patience",
        "t": "s seconds time timeout limit max_time time_limit", "fn": "f func function callback callable",
    },
    "greedyhull": {  # in small letters and without underscores, as in the next four
        "least_squares(X, y) over L1Ball(d, radius), or greedyhull.estimators.L1BudgetRegressor": "lasso",
        "greedyhull.estimators.L1BudgetRegressorCV": "lassocv",
        "logistic(X, y) over L1Ball(d, radius), or greedyhull.estimators.L1BudgetClassifier": "logisticregression logreg",
        "least_squares": "linearregression squared squaredloss mse lstsq ols",
        "AwayStep": "awayfrankwolfe awaystepfrankwolfe", "Pairwise": "pairwisefrankwolfe",
        "FrankWolfe": "conditionalgradient cg fw vanilla", "StochasticFrankWolfe": "sfw", "Corrective": "fcfw",
        "BlendedPairwise": "bpfw pfw afw", "minimize": "solve optimize optimise fmin run fit", "Exact": "linesearch",
        "Simplex": "probabilitysimplex unitsimplex", "Vertices": "polytope hull convexhull",
        "L1Ball, L2Ball or LinfBall": "ball normball", "L1Ball": "l1", "L2Ball": "l2", "LinfBall": "linf",
        "Relative": "tolerance tol", "Iterations": "maxiter maxiterations", "NuclearBall": "nuclearnormball tracenormball",
        "Birkhoff": "birkhoffpolytope", "LinearProgram": "lp linprog linearconstraints",
        "oracle(fn, shape)": "schattenball", "KSparse": "ksparsepolytope ksparseball", "GroupL1Ball": "grouplasso groupball",
        "oracle": "lmo linearminimizationoracle linearminimisationoracle",
    },
    "commands": {"solve": "minimize minimise optimize optimise run", "certify": "check verify prove gap",
                 "doctor": "info env selftest", "demo": "example examples tutorial try", "paper": "experiments reproduce",
                 "fit": "train regress classify lasso l1 simplex ensemble"},
    "fit": {"l1": "lasso sparse linear logistic l1budget l1ball budget",
            "simplex": "mixture portfolio shares nonnegative convex", "ensemble": "stack stacking blend blending vote voting"},
    "options": {"folds": "cv nfolds k", "alpha": "lambda penalty price", "target": "label labels y", "features": "columns x",
                "exclude": "drop ignore without", "out": "output o save", "max-iter": "iterations niter",
                "tol": "gap eps tolerance", "gap": "tol eps tolerance", "budget": "radius size", "radius": "budget size",
                "quiet": "silent s", "sample-weight": "weights sampleweights", "standardize": "scale normalize",
                "quantile": "tau q", "total": "sum", "intercept": "fitintercept"},
    "files": {  # keys and names of a problem file; those of "greedyhull" hold there too
        "least_squares": "l2 linear", "logistic": "logloss", "absolute": "mae", "l1_ball": "lasso", "l2_ball": "l2norm",
        "relative": "tol tolerance rtol", "iterations": "maxiter niter", "seconds": "timeout time timelimit",
        "file": "path filename", "target": "label y", "features": "columns x", "intercept": "fitintercept bias",
        "q": "tau quantile", "l2": "ridge l2penalty weightdecay", "radius": "budget size", "kind": "type name",
        "seed": "randomstate rng", "set": "constraint", "objective": "loss", "solver": "algorithm"},
    "Solution": {
        "value": "fun obj objective_value primal loss cost f_val",
        "x": "X w coef coef_ beta params array argmin solution weights_",
        "x, or point.weights for the weights of the atoms": "weight weights lambdas alpha",
        "point.atoms": "atom atoms active_set support", "iterations": "nit niter n_iter n_iter_ n_iterations num_iterations",
        "converged": "success optimal", "reason": "message status msg why",
        "gap": "dual_gap dual_gap_ duality_gap fw_gap error", "intercept": "intercept_",
        "certificate.lower": "lower lower_bound dual dual_value", "certificate.kind": "kind",
        "seconds": "time runtime elapsed walltime", "trace": "history log", "objective": "f", "atom_set": "S",
    },
    "Certificate": {"value": "upper upper_bound primal fun obj", "lower": "lower_bound dual dual_value floor",
                    "gap": "dual_gap duality_gap error", "delta": "probability confidence"},
    "AtomSet": {"radius": "r tau", "shape": "d n dim ndim dimension", "centre": "center mean", "block": "vertices",
                "argmin": "lmo extreme_point compute_extreme_point minimize support project prox"},
}


def aliased(name: str, place: str) -> list[str]:
    """Return what a name of another library stands for.

    >>> aliased("nit", "Solution"), aliased("l1", "greedyhull")
    (['iterations'], ['L1Ball'])
    """
    return [here for here, names in ALIASES[place].items() if name in names.split()]


def nearest(word: str, names: Mapping[str, str] | list[str], near: float = 0.7) -> str:
    """Return the nearest of several names, or what stands under it; nothing if none is near.

    >>> nearest("jonse", {"jones": "Jones", "fw": "FrankWolfe"}), nearest("stat", ["start", "stop"])
    ('Jones', 'start')
    """
    from difflib import get_close_matches

    found = get_close_matches(word, list(names), n=1, cutoff=near)
    return "" if not found else names[found[0]] if isinstance(names, Mapping) else found[0]


def hinting(function: Callable[P, R], whose: str = "") -> Callable[P, R]:
    """Return the function, with a note on the TypeError for an argument that it does not take: what was probably meant.

    Calls are passed on unchanged. Their arguments are looked at only after a call has failed. Methods say ``whose`` they are.

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
            for note in notes(function, args, kwargs, whose):
                error.add_note(note)
            raise

    return hinted


def notes(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], whose: str = "") -> list[str]:
    """Return what to say of arguments that do not fit; nothing if they fit, as the error then came from within."""
    signature = inspect.signature(function)
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        own = 1 if whose else 0  # self, or the class
        parameters = list(signature.parameters.values())[own:]
        takes, placed = [one.name for one in parameters], [one.name for one in parameters if one.kind is not one.KEYWORD_ONLY]
        said = unknown(kwargs, takes, whose)
        if len(args) - own > len(placed):
            named = ", ".join(f"{name}=" for name in takes if name not in placed)
            others = f"; give the others by name: {named}." if named else "."
            said.append(_listed(takes, whose) if whose else f"Only {', '.join(placed)} can be given by position{others}")
        return said
    return []


def unknown(given: dict[str, Any], takes: list[str], whose: str = "") -> list[str]:
    """Return what to say of arguments given by name that are none of those that a function takes.

    >>> unknown({"tol": 1e-6, "stop": None}, ["stop"])
    ['There is no tol here. Give stop=gh.Relative(1e-06) for a relative gap, stop=gh.Gap(1e-06) for an absolute one.']
    """
    return [f"There is no {name} here. {_instead(name, value, takes, whose)}" for name, value in given.items()
            if name not in takes]


def _instead(name: str, value: Any, takes: list[str], whose: str) -> str:
    """Return what to give in place of an argument that is not there."""
    lower, shown_as = name.lower(), value if isinstance(value, int | float) else "..."
    known = [one.partition(": ") for one in aliased(lower, "arguments")]
    if whose and lower in OF_MINIMIZE:
        known.append((lower, ": ", f"{lower}={{given}}"))
    here = [one for one in known if one[0] in takes and bool(one[2]) != bool(whose)]
    if here and not whose:
        return f"Give {here[0][2].format(given=shown_as)}."
    near = here[0][0] if here else "" if whose and lower in OF_MINIMIZE else nearest(lower, takes, 0.6)
    if near:
        return f"Did you mean {near}=?"
    other = [words for argument, _, words in known if whose and words and argument in OF_MINIMIZE]
    return f"It is an argument of gh.minimize: {other[0].format(given=shown_as)}." if other else _listed(takes, whose)


def _listed(takes: list[str], whose: str) -> str:
    listed = ", ".join(f"{name}=" for name in takes)
    return f"The arguments are {listed}." if not whose else f"{whose} takes {listed or 'no arguments'}."


def missing(name: str, there: Iterable[str]) -> str:
    """Return what to say of an attribute that the module greedyhull does not have; ``there`` are those that it has.

    >>> missing("FrankWolf", ["FrankWolfe", "Jones"])
    "module 'greedyhull' has no attribute 'FrankWolf'. Did you mean FrankWolfe?"
    """
    said = f"module 'greedyhull' has no attribute {name!r}"
    if name.startswith("_"):
        return said
    home = "estimators" if name in ESTIMATORS else "apps" if name in APPS else None
    if home is not None:
        return f"{said}; it is in greedyhull.{home}: from greedyhull.{home} import {name}"
    plain = {known.lower().replace("_", ""): known for known in (*ESTIMATORS, *there)}
    word = name.lower().replace("_", "")
    known = aliased(word, "greedyhull")
    if word not in plain and known:
        return f"{said}. Use {known[0]}."
    found = nearest(word, plain)
    return f"{said}. Did you mean {'greedyhull.estimators.' if found in ESTIMATORS else ''}{found}?" if found else said


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
    made: dict[str, Any] = {"__init__": hinting(vars(cls)["__init__"], cls.__name__), "__getattr__": _absent(cls)}
    for name, member in vars(cls).items():
        if isinstance(member, classmethod):
            made[name] = classmethod(hinting(member.__func__, f"{cls.__name__}.{name}"))
    for name, member in made.items():
        setattr(cls, name, member)
    return cls


ENTRIES = re.compile(r"^( *)\{([A-Za-z_0-9, ]+)\}$", re.MULTILINE)  # a line {step, look} of a docstring


def described(entries: Mapping[str, str]) -> Callable[[T], T]:
    r"""Return a decorator that writes shared entries into the docstring of a class and its class methods, or of a function.

    >>> @described(entries_of("tol : float\n    The gap."))
    ... class Estimator:
    ...     '''
    ...     Parameters
    ...     ----------
    ...     {tol}
    ...     '''
    >>> print(Estimator.__doc__.strip())
    Parameters
        ----------
        tol : float
            The gap.
    """

    def written(found: re.Match[str]) -> str:
        lines = "\n".join(entries[name] for name in found[2].split(", ")).split("\n")
        return "\n".join((found[1] + line).rstrip() for line in lines)

    def write(thing: T) -> T:
        methods = [member.__func__ for member in vars(thing).values() if isinstance(member, classmethod)]
        for one in (thing, *methods):
            if one.__doc__ is not None:  # under Python's -OO there are none
                one.__doc__ = ENTRIES.sub(written, one.__doc__)
        return thing

    return write


def entries_of(text: str, *others: Mapping[str, str]) -> dict[str, str]:
    """Return the entries of a docstring by name, those of other tables first."""
    found = {name: entry for other in others for name, entry in other.items()}
    for entry in re.split(r"\n(?=\S)", text.strip()):
        found[entry.partition(" : ")[0]] = entry
    return found


def _absent(cls: type) -> Callable[[Any, str], Any]:
    """Return what is called where an attribute was not found: it raises the error as it is, with a note.

    The words are made beforehand, since programs that only ask whether an attribute is there come here too.
    """

    def settings(cls: Any) -> str:
        return f"{cls.__name__} has {', '.join(field.name for field in fields(cls)) or 'no settings'}."

    note = settings(cls)

    def absent(self: Any, name: str) -> Any:
        try:
            return object.__getattribute__(self, name)
        except AttributeError as error:
            if error.name == name and name[:1] != "_":
                error.add_note(note if type(self) is cls else settings(type(self)))
            raise

    vars(absent)["suggests"] = True  # it finds nothing: `types.attributes.lacks` need not ask it
    return absent


def suggesting(place: str) -> Callable[[type[T]], type[T]]:
    """Decorate a class whose objects, asked for an attribute that does not exist, say which one was probably meant.

    ``place`` is that of the `ALIASES`; for all other names the nearest attribute is suggested. Attributes that exist are found
    as before. Type checkers do not see the decorator's ``__getattr__``, so they still report names that do not exist.

    >>> @suggesting("Solution")
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
            said = f"{type(self).__name__!r} object has no attribute {name!r}"
            near = next(iter(aliased(name, place)), "") or nearest(name, [one for one in dir(self) if one[:1] != "_"], 0.6)
            said = f"{said}. Did you mean {near}?" if near else said
            raise AttributeError(said, name=name, obj=None if near else self)  # with it, Python would suggest once more

        absent.__name__ = "__getattr__"
        vars(absent)["suggests"] = True  # it finds nothing: `types.attributes.lacks` need not ask it
        type.__setattr__(cls, "__getattr__", absent)
        return cls

    return decorated


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
