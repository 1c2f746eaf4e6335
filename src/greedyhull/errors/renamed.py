"""Names of the version before this one: they work once more, and say what they are called now."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from warnings import warn


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
