"""The problem file: a TOML file that states what to minimise, over which set, and how."""

from __future__ import annotations

import inspect
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from math import isfinite
from pathlib import Path
from types import NoneType, SimpleNamespace
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

import numpy as np

from greedyhull.cli import names as known
from greedyhull.cli.suggestions import nearest, one_of, shown
from greedyhull.cli.tables import in_shards
from greedyhull.data.tables import format_of, load_array
from greedyhull.driver.stop import Gap, Iterations, Relative, Seconds, Stalled
from greedyhull.errors import GreedyhullError, check, no_file
from greedyhull.types import Array

HEADER = re.compile(r"\s*\[+\s*([^\[\]]+?)\s*\]+\s*(#.*)?$")
KEY = re.compile(r"\s*([A-Za-z0-9_.\-]+)\s*=")


@dataclass
class Faults:
    """The faults found so far in ``file``; ``settle`` raises them as one error."""

    file: Path
    lines: dict[str, int] = field(default_factory=dict)
    found: list[tuple[str, str]] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)  # tables of the file with faults other than misspelt names

    def add(self, key: str, words: str, misspelt: bool = False) -> None:
        if (key, words) not in self.found:
            self.found.append((key, words))
        if not misspelt:
            self.broken.add(key.partition(".")[0])

    @contextmanager
    def at(self, key: str) -> Iterator[None]:
        """Note errors of the block as faults of that key."""
        try:
            yield
        except (GreedyhullError, OSError) as error:
            self.add(key, str(error))

    def move(self, before: str, after: str) -> None:
        """Place faults at the key ``after`` at the line of the key as it was spelt."""
        self.lines = {**{after + key[len(before):]: line for key, line in self.lines.items()
                         if key == before or key.startswith(f"{before}.")}, **self.lines}

    def settle(self) -> None:
        """Raise what was found, in the order of the file; nothing if nothing was."""
        if self.found:
            count = len(self.found)
            placed = sorted(((self._line(key), key, words) for key, words in self.found), key=lambda fault: fault[0])
            listed = "\n".join(f"  {f'line {line}, ' if isfinite(line) else ''}{key}: {words}" for line, key, words in placed)
            raise GreedyhullError(f"{self.file} has {'an error' if count == 1 else f'{count} errors'}:\n{listed}")

    def _line(self, key: str) -> float:
        """Return the line of a key, or else of its table; infinite where the file has neither."""
        while key and key not in self.lines:
            key = key.rpartition(".")[0]
        return self.lines.get(key, np.inf)


def lines_of(text: str) -> dict[str, int]:
    """Return the lines of the keys and tables of a TOML text, as far as the beginnings of its lines show them."""
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


class Kind(NamedTuple):
    """What a key may hold, in words, and a function that returns the value: it raises, or notes faults below its key."""

    words: str
    read: Callable[[Any, str, Faults], Any]


Keys = Mapping[str, tuple[Kind, bool]]  # of a table: what each holds, and whether it must be there


@dataclass
class Call:
    """A table of the file that names a function, with the arguments for it."""

    name: str
    function: Callable[..., Any]
    arguments: dict[str, Any]

    def made(self, **given: Any) -> Any:
        """Call the function with the arguments of the table, and with those ``given`` that it takes."""
        takes, written = inspect.signature(self.function).parameters, _made(self.arguments, given)
        others = {name: value for name, value in given.items() if name in takes and not (name == "d" and name in written)}
        return self.function(**{**written, **others})

    def made_over(self, data: Any) -> Any:
        """Call the function with shards in place of X and y; the column of weights is theirs."""
        return self.function(data, **{name: value for name, value in self.arguments.items() if name != "sample_weight"})


def _made(value: Any, given: dict[str, Any]) -> Any:
    if isinstance(value, dict):
        return {name: _made(item, given) for name, item in value.items()}
    if isinstance(value, list):
        return tuple(_made(item, given) for item in value)
    return value.made(**given) if isinstance(value, Call) else value


def value_of(kind: Kind, given: Any, key: str, faults: Faults) -> Any:
    with faults.at(key):
        return kind.read(given, key, faults)
    return None


def values_of(table: dict[str, Any], keys: Keys, key: str, of: str, faults: Faults) -> dict[str, Any]:
    """Return the values of a table. An unknown key is read as the nearest one, whose name the table gets."""
    front = f"{key}." if key else ""
    unknown: dict[str, str | None] = {}
    for name in [name for name in table if name not in keys]:
        near = unknown[name] = nearest(name, [other for other in keys if other not in table], "files")
        if near is not None:
            table[near] = table.pop(name)
            faults.move(front + name, front + near)
    for name, (kind, needed) in keys.items():
        if needed and name not in table:
            faults.add(front + name, f"it is missing; {kind.words or f'the table [{name}]'} is wanted.")
    found = {name: value_of(kind, table[name], front + name, faults) for name, (kind, _) in keys.items() if name in table}
    for name, near in unknown.items():
        said = one_of(name, list(keys), "files").replace(" was given; ", f" is not a key{of and f' of {of}'}; ", 1)
        faults.add(front + name, said, misspelt=near is not None)
    return found


def wrong(given: object, wanted: str) -> str:
    return f"{shown(given)} was given; {wanted} is wanted."


def value(words: str, *types: type) -> Kind:
    """A value of one of these types; true and false are no numbers."""

    def read(given: Any, key: str, faults: Faults) -> Any:
        fits = isinstance(given, types) and isinstance(given, bool) == (bool in types)
        check(fits, lambda: wrong(given, f"{words} in quotation marks" if str in types and int not in types else words))
        return given

    return Kind(words, read)


def number(least: float | None = None, above: float | None = None, whole: bool = False) -> Kind:
    """A number, with a limit a finite one."""
    kind = "a whole number" if whole else "a number"
    limit = f" above {above:g}" if above is not None else f" of at least {least:g}" if least is not None else ""

    def read(given: Any, key: str, faults: Faults) -> Any:
        good = isinstance(given, int if whole else int | float) and not isinstance(given, bool)
        check(good and (whole or abs(given) < 2**1000 or isinstance(given, float)), lambda: wrong(given, kind))
        check(not limit or isfinite(given), lambda: wrong(given, "a finite number"))
        check((least is None or given >= least) and (above is None or given > above), lambda: wrong(given, kind + limit))
        return given if whole else float(given)

    return Kind(kind + limit, read)


def choice(*allowed: str) -> Kind:
    def read(given: Any, key: str, faults: Faults) -> Any:
        check(isinstance(given, str) and given in allowed, lambda: one_of(given, list(allowed)))
        return given

    return Kind(f"one of {', '.join(allowed)}", read)


def list_of(kind: Kind, words: str = "a list", length: int | None = None) -> Kind:
    def read(given: Any, key: str, faults: Faults) -> Any:
        check(isinstance(given, list) and length in (None, len(given)), lambda: wrong(given, words))
        return [value_of(kind, one, f"{key}.{i}", faults) for i, one in enumerate(given)]

    return Kind(words, read)


def section(keys: Keys) -> Kind:
    """A table with these keys; those that it does not have are None."""

    def read(given: Any, key: str, faults: Faults) -> Any:
        check(isinstance(given, dict), lambda: wrong(given, "a table"))
        return SimpleNamespace(**{**dict.fromkeys(keys), **values_of(given, keys, key, key, faults)})

    return Kind("", read)


def named(names: known.Names, tag: str = "name", alone: str = "", sized: bool = False) -> Kind:
    """A table with the name of one of these under ``tag``; a ``sized`` set has its number of columns, d, among its keys.

    A name alone stands for a table with nothing else, a number alone for one that names ``alone`` and has it for a value.
    """

    def read(given: Any, key: str, faults: Faults) -> Any:
        own = f"{key}.{tag}" if isinstance(given, dict) else key  # where the name stands
        if alone and isinstance(given, int | float) and not isinstance(given, bool):
            kind, _ = keys_of(names[alone])["value"]
            return Call(alone, names[alone], {"value": kind.read(given, key, faults)})
        table = {tag: given} if isinstance(given, str) else given
        check(isinstance(table, dict), lambda: wrong(given, "a table"))
        listed = [name for name in names if name != "whole"]
        if tag not in table:
            faults.add(own, f"it is missing; one of {', '.join(listed)} is wanted.")
            return None
        name = table[tag]
        if not (isinstance(name, str) and name in names):
            near = nearest(name, names, "files")
            number = f"; {keys_of(names[alone])['value'][0].words}, or one of" if alone else "; one of"
            faults.add(own, one_of(name, listed, "files").replace("; one of", number, 1), misspelt=near is not None)
            if near is None:
                return None
            table[tag] = name = near
        keys = {tag: (choice(name), True), **keys_of(names[name], sized)}
        found = values_of(table, keys, key, name, faults)
        return Call(name, names[name], {argument: value for argument, value in found.items() if argument != tag})

    return Kind("", read)


ELSEWHERE = {"X", "P", "y", "Y", "d", "domain", "rows", "cols", "values"}  # arguments that come from the data
PLAIN: dict[Any, Kind] = {bool: value("true or false", bool), int: number(whole=True), float: number(),
                          str: value("a word", str)}


@cache
def keys_of(function: Callable[..., Any], sized: bool = False) -> Keys:
    """Return the keys of the table of a function, from its signature."""
    hints = get_type_hints(function.__init__ if inspect.isclass(function) else function)
    sized_parts = sized or function is known.product
    return {argument: (_kind(argument, hints[argument], sized_parts), parameter.default is parameter.empty)
            for argument, parameter in inspect.signature(function).parameters.items()
            if argument not in ELSEWHERE or (sized and argument == "d")}


def _kind(argument: str, hint: Any, sized: bool) -> Kind:
    """What an argument may be: a plain value by its type, else by its name."""
    options = [option for option in get_args(hint) or (hint,) if option is not NoneType]
    if argument in ("radius", "total", "delta"):
        return number(above=0)
    if argument == "l2":
        return number(least=0)
    if get_origin(hint) is not tuple and options[0] in PLAIN and len(options) == 1:
        return PLAIN[options[0]]
    if argument in ARGUMENTS:
        return SIZED[argument] if sized and argument in SIZED else ARGUMENTS[argument]
    if get_origin(hint) is tuple:
        return list_of(number(), f"a list of {len(options)} numbers", len(options))
    literal = [option for option in options if get_origin(option) is Literal]
    return choice(*get_args(literal[0])) if literal else NUMBERS


def existing(given: Any, key: str, faults: Faults) -> Path:
    """Return the path of an existing file, relative to the folder of the problem."""
    check(isinstance(given, str), lambda: wrong(given, "a word in quotation marks"))
    path = Path(faults.file.parent, given).expanduser()
    check(path.is_file(), lambda: f"{no_file(path)} Paths are relative to the folder of the problem file.")
    return path


class Source(NamedTuple):
    """Files that are read in shards, or patterns of them."""

    names: tuple[str, ...]


def _source(given: Any, key: str, faults: Faults) -> Path | Source:
    """Return the path of a table, or files that are read in shards: a pattern, a list, a folder, Parquet or Arrow."""
    check(given != [], "An empty list of files was given; at least one is wanted.")
    listed = given if isinstance(given, list) else [given]
    check(all(isinstance(one, str) for one in listed), lambda: wrong(given, "the name of a file, or a list of names,"))
    paths = [Path(faults.file.parent, one).expanduser() for one in listed]
    if isinstance(given, list) or in_shards(paths[0], given):
        return Source(tuple(str(path) for path in paths))
    return existing(given, key, faults)


def _edges(given: Any, key: str, faults: Faults) -> Any:
    """Numbers as nodes, where they are integers."""
    pairs = np.asarray(_numbers(given, key, faults))
    return pairs.astype(np.int64) if (np.abs(pairs) < 2.0**53).all() and (pairs == np.round(pairs)).all() else pairs


def _numbers(given: Any, key: str, faults: Faults) -> Any:
    argument = key.rpartition(".")[2]
    if isinstance(given, str):  # a matrix where rows and columns differ
        return load_array(existing(given, key, faults),
                          matrix=argument in ("A_ub", "A_eq", "Q", "factors", "edges", "matrix"))
    if argument == "groups" and isinstance(given, list) and any(isinstance(one, list) for one in given):
        return given  # the coordinates of each group, not the group of each entry
    try:
        found: Array = np.array(given)
        found = found.astype(np.float64) if found.dtype.kind in "iufO" else np.zeros(0)
    except (ValueError, TypeError, OverflowError):
        found = np.zeros(0)
    check(found.size > 0, lambda: wrong(given, NUMBERS.words))
    return float(found) if found.ndim == 0 else found


def _simple(names: known.Names) -> known.Names:
    """Those that hold no others of their kind."""
    return {name: function for name, function in names.items()
            if not {"solver", "solvers", "rule"} & set(inspect.signature(function).parameters)}


COLUMN = value("the name or the number of a column", str, int)
NUMBERS = Kind("a number, a list of numbers, or the name of a file with them", _numbers)
SCHEDULE, SIZE = named(known.SCHEDULES, alone="constant"), named(known.SIZES, alone="whole")
SOLVER, SET = named(_simple(known.SOLVERS)), named(known.SETS, "kind")
ARGUMENTS: dict[str, Kind] = {
    "step": named(known.STEPS), "rule": named(_simple(known.STEPS)), "look": named(known.LOOKS),
    "estimator": named(known.ESTIMATORS), "sigma": named(known.WEIGHTS), "regularizer": named(known.REGULARIZERS),
    **dict.fromkeys(("tolerance", "rho", "epsilon"), SCHEDULE), **dict.fromkeys(("batch", "epoch", "reset"), SIZE),
    "solver": SOLVER, "solvers": list_of(SOLVER), "S": SET, "sets": list_of(SET), "sample_weight": COLUMN,
    "file": Kind("the name of a file", existing), "names": list_of(PLAIN[str]), "edges": Kind(NUMBERS.words, _edges)}
PART = named(known.SETS, "kind", sized=True)  # of a product
SIZED = {"S": PART, "sets": list_of(PART)}
BY_ROWS = ("log_det", "trace_inverse")  # a weight belongs to a row of the table, not to a column
WITHOUT_TARGET = ("log_likelihood", "quadratic", *BY_ROWS)
PLACES = ("row", "column", "value")
STOPS = {"gap": Gap, "relative": Relative, "iterations": Iterations, "seconds": Seconds, "stalled": Stalled}


def optional(**kinds: Kind) -> Keys:
    return {name: (kind, False) for name, kind in kinds.items()}


DATA: Keys = {"file": (Kind("the name of a file", _source), True), **optional(
    format=choice("csv", "libsvm", "npy", "npz"), target=COLUMN, targets=list_of(COLUMN), row=COLUMN, column=COLUMN,
    value=COLUMN, target_file=ARGUMENTS["file"], features=list_of(COLUMN), exclude=list_of(COLUMN))}
STOP = optional(gap=number(0), relative=number(0), iterations=number(0, whole=True), seconds=number(0),
                stalled=number(1, whole=True))
OUTPUT = optional(folder=value("the name of a folder", str), report=PLAIN[bool])
FILE: Keys = {**optional(title=PLAIN[str], seed=number(0, whole=True), data=section(DATA)),
              "objective": (named(known.LOSSES, "loss"), True), "set": (SET, True),
              **optional(solver=named(known.SOLVERS), stop=section(STOP), output=section(OUTPUT))}


class ProblemFile(NamedTuple):
    """The whole file; of a file with faults, the tables that have none."""

    title: str = "A certified minimum"
    seed: int = 0
    data: Any = None
    objective: Call | None = None
    set: Call | None = None
    solver: Call | None = None
    stop: Any = SimpleNamespace(**dict.fromkeys(STOP))
    output: Any = SimpleNamespace(**dict.fromkeys(OUTPUT))


def read(path: Path) -> tuple[ProblemFile, Faults]:
    """Return the file and its faults. The caller adds those that only the data show; `Faults.settle` raises all of them."""
    check(path.is_file(), lambda: no_file(path, what="problem file"))
    try:
        text = path.read_text(encoding="utf-8-sig")
        written = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise GreedyhullError(f"{path} is not a TOML file: {error}. Put words in quotation marks.") from error
    faults = Faults(path, lines_of(text))
    found = values_of(written, FILE, "", "", faults)
    file = ProblemFile(**{name: value for name, value in found.items() if name not in faults.broken})
    _across(written, faults)
    return file, faults


def _across(written: dict[str, Any], faults: Faults) -> None:
    """Note what one table lacks for another."""
    loss = written.get("objective", {}).get("loss") if isinstance(written.get("objective"), dict) else None
    data = written.get("data")
    if loss == "quadratic" and data is not None:
        faults.add("data", f"{loss} takes no data; its matrices are named in [objective]. Leave [data] out.")
    elif loss != "quadratic" and data is None:
        faults.add("data", "it is missing; the table [data], with a file, is wanted.")
    if not isinstance(data, dict):
        return
    file = data.get("file")  # a list of files is checked when it is read
    apart = isinstance(file, str) and (data.get("format") or format_of(Path(file))) in ("csv", "npy")  # no target by itself
    for key in PLACES:
        if (key in data) != (loss == "completion") and isinstance(loss, str):
            faults.add(f"data.{key}", f"it is missing; {COLUMN.words} is wanted." if loss == "completion" else
                       f"only completion has it, not {loss}.")
    if loss == "multitask" and apart and not {"targets", "target_file"} & set(data):
        faults.add("data.targets", "it is missing; a list of columns is wanted, or target_file, the name of a file.")
    if isinstance(loss, str) and loss != "multitask" and "targets" in data:
        faults.add("data.targets", f"only multitask has several targets, not {loss}; target, one column, is wanted.")
    if loss in ("multitask", "completion") and "target" in data:
        wanted = "targets, a list of columns," if loss == "multitask" else "value"
        faults.add("data.target", f"{loss} has no single target; {wanted} is wanted in its place.")
    targets = {"target", "target_file"} & set(data)
    if apart and not targets and loss not in (*WITHOUT_TARGET, "multitask", "completion"):
        faults.add("data.target", f"it is missing; {COLUMN.words} is wanted, or target_file, the name of a file.")
    if len(targets) == 2:
        faults.add("data.target_file", "target and target_file were both given; one of them is wanted.")
