"""How many threads the compiled core may use. Its results have the same bits whatever their number."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from operator import index

from greedyhull.errors import check
from greedyhull.kernels.core import core


@contextmanager
def limited(count: int) -> Iterator[None]:
    """Let passes over large data that this thread asks for use up to `count` threads.

    Parameters
    ----------
    count : int
        At least one.
    """
    before = set_limit(checked(count))
    try:
        yield
    finally:
        set_limit(before)


def checked(count: object) -> int:
    """`count`, where it is a number of threads."""
    try:
        given = 0 if isinstance(count, bool) else index(count)  # type: ignore[arg-type]
    except TypeError:
        given = 0
    check(1 <= given <= 1024, lambda: f"threads is {count!r}, but a whole number from 1 to 1024 is wanted. Leave it out for "
                                      "as many as OMP_NUM_THREADS says, or else all processors of this process.")
    return given


def set_limit(count: int) -> int:
    """Set the limit of this thread, 0 for none, and return the last one."""
    return 0 if core is None else core.use_threads(count)


def count() -> int:
    """How many threads a large pass would use now."""
    return 1 if core is None else core.threads()
