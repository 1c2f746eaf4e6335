"""Sentences that are made when they are first read: they take longer to write than a small problem to solve."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

Told: TypeAlias = str | Callable[[], str]
T = TypeVar("T", bound=type)


def worded(*names: str) -> Callable[[T], T]:
    """Let attributes of a class be given as functions too, which make their words when somebody reads them.

    >>> @worded("said")
    ... class Note:
    ...     def __init__(self, said): self.said = said
    >>> note = Note(lambda: "late".upper())
    >>> note.said, vars(note)
    ('LATE', {'said': 'LATE'})
    """

    def decorate(cls: T) -> T:
        for name in names:
            type.__setattr__(cls, name, _Words(name))
        return cls

    return decorate


def in_words(told: Told) -> str:
    """What is told, as words."""
    return told if isinstance(told, str) else told()


class _Words:
    """One such attribute; the object holds what it was given until it is read."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, thing: object, owner: type) -> Any:
        if thing is None:
            return self
        held = vars(thing)
        told = held[self.name]
        if not isinstance(told, str):
            told = held[self.name] = told()
        return told

    def __set__(self, thing: object, told: Told) -> None:
        vars(thing)[self.name] = told
