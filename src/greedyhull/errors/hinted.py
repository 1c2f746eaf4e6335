"""Classes of settings whose errors say which settings there are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import partial, wraps
from inspect import signature as signature_of
from typing import Any, TypeVar

from greedyhull.errors.hints import MEANT

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
    from difflib import get_close_matches  # not needed by programs without errors

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
