"""Files that are opened: packed or not, and whatever is wrong with them said in a sentence."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from greedyhull.errors import GreedyhullError

PACKED: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


def text_of(path: Path) -> TextIO:
    """The text of a file, which may be packed."""
    file: TextIO = PACKED.get(path.suffix.lower(), open)(path, "rt", encoding="utf-8-sig", newline="")
    return file


@contextmanager
def reading(name: str, what: str) -> Iterator[None]:
    """Whatever a damaged file makes its reader raise becomes an error with the file's ``name`` and ``what`` it should be."""
    try:
        yield
    except GreedyhullError:
        raise
    except UnicodeDecodeError as error:
        raise GreedyhullError(f"{name} is not UTF-8 text ({error}). Save it as UTF-8, or say what format it "
                              "has.") from error
    except MemoryError as error:
        raise GreedyhullError(f"{name} does not fit into memory ({error}).") from error
    except Exception as error:  # what unpacks and parses has a dozen errors of its own
        raise GreedyhullError(f"{name} cannot be read as {what} ({error}).") from error
