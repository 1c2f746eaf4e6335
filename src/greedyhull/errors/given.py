"""What was given, in a few words, for errors about it."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import numpy as np

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
    if path.is_symlink() and not path.exists():
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
