"""Errors that say what was given, what is wanted, and what to do."""


class GreedyhullError(ValueError):
    """Bad input or a broken promise; the message names the remedy."""


def check(condition: bool, message: str) -> None:
    """Raise ``GreedyhullError(message)`` unless ``condition`` holds.

    >>> check(1 + 1 == 2, "arithmetic is broken")
    """
    if not condition:
        raise GreedyhullError(message)
