"""Attributes that do not exist: the error says which one was probably meant."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

T = TypeVar("T")


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
    from difflib import get_close_matches  # not needed by programs without errors

    said = f"{type(it).__name__!r} object has no attribute {name!r}"
    there = [known for known in dir(it) if not known.startswith("_")]
    near = [meant[name]] if name in meant else get_close_matches(name, there, n=1)
    if not near:
        return AttributeError(said, name=name, obj=it)
    return AttributeError(f"{said}. Did you mean {near[0]}?", name=name, obj=None)  # with it, Python would suggest once more
