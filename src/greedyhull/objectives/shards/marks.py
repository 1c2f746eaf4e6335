"""Files as they were when they were first looked at: whether they are still the same, and a mark that changes when they do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from greedyhull.errors import GreedyhullError, check

WINDOWS, WINDOW = 16, 1024  # how many places of a file are sampled, and the bytes of each


@dataclass(frozen=True, slots=True)
class SeenFile:
    """A file by its absolute path, as the user named it, with its size in bytes and the time of its last change."""

    path: str
    shown: str
    size: int
    time: int  # in nanoseconds

    def unchanged(self) -> None:
        """An error that names the file, if it vanished or changed since it was first looked at."""
        again = "Call gh.shards again to take the files as they are now."
        try:
            found = Path(self.path).stat()
        except OSError as error:
            raise GreedyhullError(f"{self.shown} was there when gh.shards was called, and cannot be found now "
                                  f"({error.strerror}). Put it back, or call gh.shards again.") from error
        check(found.st_size == self.size, f"{self.shown} has changed since gh.shards was called: it had {self.size} bytes, "
                                          "and "
                                          f"has {found.st_size} now. {again}")
        check(found.st_mtime_ns == self.time, f"{self.shown} was written to since gh.shards was called. {again} Copies of a "
                                              "file on other machines must keep its time (cp -p, rsync -t).")


def seen(path: Path, shown: str) -> SeenFile:
    """The file as it is now; symbolic links are followed."""
    try:
        found = path.stat()
    except OSError as error:
        raise GreedyhullError(f"{shown} cannot be read: {error.strerror}.") from error
    check(path.is_file(), f"{shown} is not a file.")
    return SeenFile(str(path.absolute()), shown, found.st_size, found.st_mtime_ns)


def mark_of(files: Sequence[SeenFile], part: str) -> str:
    """A digest of the files as they are now: sizes, times, 16 places of 1 KiB in each, and the ``part`` that is meant."""
    digest = blake2b(part.encode(), digest_size=16)
    for file in files:
        try:
            found = Path(file.path).stat()
            digest.update(f"|{found.st_size}|{found.st_mtime_ns}|".encode())
            with Path(file.path).open("rb") as stream:
                for i in range(WINDOWS):
                    stream.seek((found.st_size - WINDOW) * i // (WINDOWS - 1) if found.st_size > WINDOW else 0)
                    digest.update(stream.read(WINDOW))
        except OSError as error:
            raise GreedyhullError(f"{file.shown} was there when gh.shards was called, and cannot be read now "
                                  f"({error.strerror}). Put it back, or call gh.shards again.") from error
    return digest.hexdigest()
