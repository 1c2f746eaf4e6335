"""Errors that say what was given, what is wanted, and what to do."""

from __future__ import annotations

from collections.abc import Callable


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
