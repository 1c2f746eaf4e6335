"""Which attributes an object has: the one place that asks, for objects whose class nobody here has declared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import lru_cache
from types import MethodType
from typing import Any


def lacks(thing: object, *names: str) -> list[str]:
    """Those of the ``names`` that are no attributes of ``thing``: empty where it can be asked for all of them.

    A class has none of them. It is often given where one of its instances is meant.

    >>> lacks("abc", "upper", "argmin"), lacks(str, "upper")
    (['argmin'], ['upper'])
    """
    if isinstance(thing, type):
        return list(names)
    cls: Any = type(thing)
    asked, held = (cls, vars(thing)) if _only_words(cls) else (thing, {})  # so that nobody words an error that nobody reads
    missing = []
    for name in names:
        if name not in held and not hasattr(asked, name):  # users' objects need no base class, only these names
            missing.append(name)  # a solve asks some ten times, and a comprehension takes twice as long
    return missing


def has(thing: object, name: str) -> bool:
    """Whether ``name`` is an attribute of ``thing``: `lacks` for one name, which solves ask for again and again.

    >>> has("abc", "upper"), has(str, "upper")
    (True, False)
    """
    cls: Any = type(thing)  # mypy takes no class for hashable
    told = _declares(cls, name)
    return not lacks(thing, name) if told is None else told


@lru_cache(maxsize=1024)
def _declares(cls: type, name: str) -> bool | None:
    """Whether all objects of a class have an attribute; None where each must be asked.

    Of a class of the library all objects have what is written in it; of a dataclass, its fields, and nothing else. Classes of
    others may change.
    """
    if not cls.__module__.startswith("greedyhull."):
        return None
    if any(name in vars(base) for base in cls.__mro__):
        return True
    return name in {field.name for field in fields(cls)} if is_dataclass(cls) else None


@lru_cache(maxsize=256)
def declares_none(cls: type, *names: str) -> bool:
    """Whether no object of a class has any of these attributes, as far as the class can tell."""
    return all(_declares(cls, name) is False for name in names)


@lru_cache(maxsize=512)
def _only_words(cls: type) -> bool:
    """Whether the ``__getattr__`` of a class finds nothing and only words an error, which takes microseconds."""
    found = next((vars(base)["__getattr__"] for base in cls.__mro__ if "__getattr__" in vars(base)), None)
    slots = any("__slots__" in vars(base) for base in cls.__mro__[:-1] if base.__module__ != "abc")
    return found is not None and "suggests" in (own(found) or {}) and not slots


def described(thing: object) -> str:
    """What a thing is, for errors about one that was given where another is wanted.

    >>> described(1.5), described(float)
    ('a float', 'the class float')
    """
    return f"the class {thing.__name__}" if isinstance(thing, type) else f"a {type(thing).__name__}"


def own(thing: object) -> dict[str, Any] | None:
    """The attributes that the object itself holds, without those of its class; None where it keeps no dictionary of them.

    >>> from types import SimpleNamespace
    >>> own(SimpleNamespace(a=1)), own(3.5)
    ({'a': 1}, None)
    """
    try:
        return vars(thing)
    except TypeError:
        return None


def field_values(thing: object) -> dict[str, Any] | None:
    """The fields of a dataclass by name, as they are: `dataclasses.asdict` would copy them. None where it is no dataclass.

    >>> from greedyhull.types import Traits
    >>> field_values(Traits())["terms"], field_values(Traits)
    ('none', None)
    """
    if not is_dataclass(thing) or isinstance(thing, type):
        return None
    return {field.name: getattr(thing, field.name) for field in fields(thing)}  # one with slots has no __dict__


def is_method(asked: Callable[..., Any], default: Callable[..., Any]) -> bool:
    """Whether a method of an object is the ``default`` that a base class has for it, and not its own.

    >>> class Base:
    ...     def size(self): return 0
    >>> class Other(Base):
    ...     def size(self): return 1
    >>> is_method(Base().size, Base.size), is_method(Other().size, Base.size)
    (True, False)
    """
    return isinstance(asked, MethodType) and asked.__func__ is default
