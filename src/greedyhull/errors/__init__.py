"""Errors that say what was given, what is wanted, and what to do."""

from __future__ import annotations

from collections.abc import Callable


class GreedyhullError(ValueError):
    """Bad input or a broken promise; the message names the remedy."""


class GreedyhullWarning(UserWarning):
    """A set-up that runs, but for which theory promises less than one may hope; the message names the condition."""


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
