"""Where results go: tried before anything is computed, and what cannot be written in the end is printed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from greedyhull.errors import GreedyhullError, check


def check_file(path: Path, option: str = "--out") -> None:
    """An error unless the file can be written; it is opened, and left as it was."""
    try:
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
    except GreedyhullError:
        raise
    except (OSError, ValueError) as error:  # a name with a null byte is a ValueError
        raise GreedyhullError(f"{option} {path} cannot be written: {why(error)}. Name another file.") from error


def check_folder(folder: Path, files: Iterable[str] = (), option: str = "--out") -> None:
    """An error unless the folder is there, or can be made, and these files can be written in it; nothing is left behind."""
    made: list[Path] = []
    try:
        check(not folder.exists() or folder.is_dir(), f"{folder} is a file; the name of a folder for the results is wanted.")
        for missing in reversed([path for path in (folder, *folder.parents) if not path.exists()]):
            missing.mkdir()
            made.append(missing)
        with TemporaryFile(dir=folder):
            pass
        for name in files:
            check_file(folder / name, "The file")
            check((folder / name).is_file() or not (folder / name).exists(), f"{folder / name} is a device or a pipe, and "
                  "must be a regular file. Remove it, or name another folder.")
    except GreedyhullError:
        raise
    except (OSError, ValueError) as error:
        raise GreedyhullError(f"Nothing can be written to the folder {folder}: {why(error)}. Name another one with "
                              f"{option}.") from error
    finally:
        for path in reversed(made):
            with suppress(OSError):
                path.rmdir()


def why(error: OSError | ValueError) -> str:
    """The reason, without the number that the system gives it."""
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
        """Print the result on stdout."""
        from greedyhull.cli.console import Voice

        if as_json:
            Voice(as_json=True).result(self.document)
        else:
            print(self.result)
