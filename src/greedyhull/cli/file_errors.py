"""All that is wrong with a file, said at once: the key, its line, what was given and what is wanted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from greedyhull.cli.options import nearest
from greedyhull.errors import GreedyhullError

HEADER = re.compile(r"\s*\[+\s*([^\[\]]+?)\s*\]+\s*(#.*)?$")
KEY = re.compile(r"\s*([A-Za-z0-9_.\-]+)\s*=")


@dataclass
class Faults:
    """The faults found so far in ``file``; ``settle`` raises them as one error.

    >>> faults = Faults(Path("p.toml"), lines={"set.radius": 7})
    >>> faults.add("set.radius", "-1 was given; a positive number is wanted.")
    >>> try:
    ...     faults.settle()
    ... except GreedyhullError as error:
    ...     print(error)
    p.toml has an error:
      line 7, set.radius: -1 was given; a positive number is wanted.
    """

    file: Path
    lines: dict[str, int] = field(default_factory=dict)
    found: list[tuple[str, str]] = field(default_factory=list)

    def add(self, key: str, words: str) -> None:
        """A fault at a key."""
        if (key, words) not in self.found:
            self.found.append((key, words))

    def renamed(self, old: str, new: str) -> None:
        """A key that was meant to have another name: what is wrong with it stands at the line of the old one."""
        moved = {new + key[len(old):]: line for key, line in self.lines.items() if key == old or key.startswith(f"{old}.")}
        self.lines = {**moved, **self.lines}

    @contextmanager
    def at(self, key: str) -> Iterator[None]:
        """What is refused inside becomes a fault of that key."""
        try:
            yield
        except (GreedyhullError, OSError) as error:
            self.add(key, str(error))

    def settle(self) -> None:
        """Raise what was found, in the order of the file; nothing if nothing was."""
        if not self.found:
            return
        count = len(self.found)
        listed = "\n".join(f"  {self._place(key)}: {words}" for key, words in sorted(self.found, key=self._line))
        raise GreedyhullError(f"{self.file} has {'an error' if count == 1 else f'{count} errors'}:\n{listed}")

    def _line(self, fault: tuple[str, str]) -> int:
        """The line of a key, or else of the table that it belongs to."""
        key = fault[0]
        while key and key not in self.lines:
            key = key.rpartition(".")[0]
        return self.lines.get(key, 1_000_000_000)

    def _place(self, key: str) -> str:
        line = self._line((key, ""))
        return f"line {line}, {key}" if line < 1_000_000_000 else key


def lines_of(text: str) -> dict[str, int]:
    """Where the keys and tables of a TOML text stand, as far as a look at the beginnings of its lines can tell.

    >>> lines_of("seed = 1\\n[set]\\nradius = 2.0")
    {'seed': 1, 'set': 2, 'set.radius': 3}
    """
    lines: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.splitlines(), start=1):
        header, key = HEADER.match(line), KEY.match(line)
        if key:
            lines.setdefault(f"{table}{key[1]}", number)
        elif header:
            lines.setdefault(header[1], number)
            table = f"{header[1]}."
    return lines


def one_of(given: object, allowed: list[str], known: Mapping[str, str] | None = None) -> str:
    """What to say of a word that is not among those allowed; ``known`` are words of other programs and our names."""
    near = nearest(given, allowed, known)
    hint = f' Did you mean "{near}"?' if near else ""
    return f"{shown(given)} was given; one of {', '.join(allowed)} is wanted.{hint}"


def shown(given: object) -> str:
    """A value as the file has it, shortened."""
    words = f'"{given}"' if isinstance(given, str) else str(given).lower() if isinstance(given, bool) else str(given)
    return words if len(words) <= 60 else f"{words[:57]}..."
