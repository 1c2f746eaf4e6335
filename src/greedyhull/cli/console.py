"""How the commands print, and where results are written."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from tempfile import TemporaryFile
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.errors import GreedyhullError, check

if TYPE_CHECKING:
    from greedyhull.driver.certificate import Certificate


@dataclass
class Console:
    """``quiet`` prints no words; ``as_json`` prints the result, at the end, as one JSON document and nothing else."""

    quiet: bool = False
    as_json: bool = False
    warned: list[str] = field(default_factory=list)

    @property
    def silent(self) -> bool:
        return self.quiet or self.as_json

    @property
    def live(self) -> bool:
        """Whether a progress line is welcome."""
        return not self.silent and sys.stderr is not None and sys.stderr.isatty()

    def say(self, words: str = "") -> None:
        if not self.silent:
            print(fill(words, 100, break_long_words=False, break_on_hyphens=False))

    def weights(self, rows: Iterable[tuple[str, float]], most: int = 30) -> None:
        """Print weights and names, a line each, the first ``most`` of them."""
        listed = list(rows)
        if self.silent:
            return
        for name, weight in listed[:most]:
            print(f"  {weight:+12.6g}  {name}")
        if len(listed) > most:
            print(f"  and {len(listed) - most} more")

    def pairs(self, rows: Iterable[tuple[str, str]]) -> None:
        listed = list(rows)
        wide = max((len(name) for name, _ in listed), default=0)
        for name, what in listed if not self.silent else ():
            print(f"  {name:<{wide}}  {what}")

    def result(self, document: Mapping[str, Any]) -> None:
        """Print the result for programs."""
        if self.as_json:
            from json import dumps

            noted = {"warnings": self.warned} if self.warned else {}
            everywhere = (getattr(sys.stdout, "encoding", None) or "utf-8").lower() != "utf-8"  # by escapes alone
            print(dumps(plain({**document, **noted}), indent=2, ensure_ascii=everywhere, allow_nan=False))

    @contextmanager
    def showing(self) -> Iterator[Callable[[str], Any]]:
        """Yield a function that shows on a terminal what is being run; it does nothing elsewhere."""
        if not self.live:
            yield lambda words: None
            return
        from rich.console import Console as Screen

        with Screen(stderr=True).status("") as status:
            yield status.update

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Print warnings as notes, each once."""
        import warnings

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            yield
        for warning in caught:
            words = str(warning.message)
            if words not in self.warned:
                self.warned.append(words)
                self.say(f"Note: {words}")


def plain(value: Any) -> Any:
    """Convert to what JSON can hold: NumPy's numbers and arrays to Python's, numbers that are not finite to null.

    >>> plain({"gap": float("inf"), "kinds": ("always",)})
    {'gap': None, 'kinds': ['always']}
    """
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and not isfinite(value):
        return None
    return value if isinstance(value, bool | int | float | str | None) else str(value)


def certificate_fields(certificate: Certificate) -> dict[str, Any]:
    """Return a certificate for programs, and in words."""
    return {"value": certificate.value, "gap": certificate.gap, "lower": certificate.lower, "kind": certificate.kind,
            "delta": certificate.delta, "words": str(certificate)}


def check_file(path: Path, option: str = "--out") -> None:
    """Raise unless the file can be written; it is opened, and left as it was."""
    with _reasons(f"{option} {path} cannot be written", "Name another file."):
        folder = path.absolute().parent
        check(folder.is_dir(), f"The folder {folder} of {option} " + ("is a file; the name of a folder is wanted there."
                               if folder.exists() else "does not exist. Create it first."))
        check(not path.is_dir(), f"{option} {path} is a folder; the name of a file is wanted.")
        there = path.exists()
        if there and not path.is_file():
            return  # a device or a pipe, which opening could block
        with path.open("ab"):
            pass
        if not there:
            path.unlink()


def check_folder(folder: Path, files: Iterable[str] = (), option: str = "--out") -> None:
    """Raise unless the folder is there, or can be made, and these files can be written in it; nothing is left behind."""
    made: list[Path] = []
    try:
        with _reasons(f"Nothing can be written to the folder {folder}", f"Name another one with {option}."):
            check(folder.is_dir() or not folder.exists(), f"{folder} is a file. Name a folder for the results.")
            for missing in reversed([path for path in (folder, *folder.parents) if not path.exists()]):
                missing.mkdir()
                made.append(missing)
            with TemporaryFile(dir=folder):
                pass
        for name in files:
            check_file(folder / name, "The file")
            check((folder / name).is_file() or not (folder / name).exists(), f"{folder / name} is a device or a pipe, and "
                  "must be a regular file. Remove it, or name another folder.")
    finally:
        for path in reversed(made):
            with suppress(OSError):
                path.rmdir()


@contextmanager
def _reasons(problem: str, remedy: str) -> Iterator[None]:
    """Turn errors of the system into ours; a name with a null byte is a ValueError."""
    try:
        yield
    except (OSError, ValueError) as error:
        if isinstance(error, GreedyhullError):
            raise
        raise GreedyhullError(f"{problem}: {why(error)}. {remedy}") from error


def why(error: OSError | ValueError) -> str:
    said = error.strerror if isinstance(error, OSError) else None
    return (said or str(error) or type(error).__name__).rstrip(".")


class Unwritten(Exception):  # noqa: N818 — the command did its work
    """A result that is there but could not be written: ``result`` is printed instead, for programs ``document``."""

    def __init__(self, files: Mapping[Path, OSError], result: str, document: Mapping[str, Any]) -> None:
        self.files = {str(path): why(error) for path, error in files.items()}
        self.result, self.document = result, {**document, "not_written": self.files}
        listed = " ".join(f"{path} could not be written: {reason}." for path, reason in self.files.items())
        super().__init__(f"{listed} The result is printed, so that it is not lost.")

    def printed(self, as_json: bool) -> None:
        if as_json:
            Console(as_json=True).result(self.document)
        else:
            print(self.result)
