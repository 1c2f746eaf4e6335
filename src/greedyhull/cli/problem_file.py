"""The problem file: a TOML file that states what to minimise, over which set, and how."""

from __future__ import annotations

import inspect
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import GenericAlias, NoneType
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import numpy as np
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    Strict,
    ValidationError,
    ValidationInfo,
    create_model,
)

from greedyhull.cli.names import ARGUMENTS, ESTIMATORS, LOSSES, SCHEDULES, SECTIONS, SETS, SIZES, SOLVERS, STEPS, Names
from greedyhull.cli.suggestions import IN_FILES, nearest, one_of, shown
from greedyhull.cli.tables import in_shards
from greedyhull.data.tables import format_of, load_array
from greedyhull.driver.stop import Gap, Iterations, Relative, Seconds, Stalled, Stop
from greedyhull.errors import GreedyhullError, check, no_file
from greedyhull.types import Array

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


PHRASES = {  # pydantic's words, and ours; the longer ones first
    "a valid integer, got a number with a fractional part": "a whole number", "a valid integer": "a whole number",
    "a valid number": "a number", "a valid string": "a word in quotation marks", "a valid boolean": "true or false",
    "a valid list": "a list", "greater than or equal to": "a number of at least",
    "greater than": "a number above"}


def key_of(fault: Any, written: Any) -> str:
    """The key in the file; pydantic's path also has the names that told which table it is."""
    key, here = [], written
    for part in fault["loc"]:
        if isinstance(here, dict) and part not in here and part in [word for word in here.values() if isinstance(word, str)]:
            continue
        if isinstance(here, str) and part == here:
            continue
        missed = isinstance(here, dict) and part not in here and fault["type"] != "missing"
        if isinstance(here, int | float) or missed or (isinstance(here, list) and not isinstance(part, int)):
            break  # a number that stands for a table, or one of several types that a value may have
        key.append(str(part))
        here = here[part] if isinstance(here, list) else here.get(part) if isinstance(here, dict) else None
    if fault["type"].startswith("union_tag") and isinstance(here, dict):
        key.append(fault["ctx"]["discriminator"].strip("'"))
    return ".".join(key)


def words_of(fault: Any, model: type[BaseModel] | None) -> str:
    """What was given and what is wanted; ``model`` is the one that the key belongs to."""
    kind, loc, given, context = fault["type"], fault["loc"], fault["input"], fault.get("ctx", {})
    if kind == "missing":
        words = model.model_fields[loc[-1]].description if model is not None else None
        return f"it is missing; {words or f'the table [{loc[-1]}]'} is wanted."
    if kind == "extra_forbidden":
        where = f" of {loc[-2]}" if len(loc) > 1 else ""
        known = list(model.model_fields) if model is not None else []
        return one_of(loc[-1], known, IN_FILES).replace(" was given; one of ", f" is not a key{where}; one of ")
    if kind == "union_tag_not_found":
        asked = next(part for part in reversed(loc) if isinstance(part, str))
        return f"it is missing; one of {', '.join((SECTIONS if len(loc) == 1 else ARGUMENTS)[asked])} is wanted."
    if kind == "union_tag_invalid":
        names = _listed(context["expected_tags"])
        number = "a whole number, or " if "whole" in names else "a number, or " if "of_gap" in names else ""
        named = one_of(context["tag"], [name for name in names if name != "whole"], IN_FILES)
        return named.replace("; one of", f"; {number}one of")
    if kind == "literal_error":
        return one_of(given, _listed(context["expected"]))
    if kind == "value_error":
        return str(context["error"])
    if kind in ("model_type", "model_attributes_type"):
        return f"{shown(given)} was given; a table is wanted."
    said = fault["msg"].removeprefix("Input should be ")
    for pydantic, ours in PHRASES.items():
        said = said.replace(pydantic, ours)
    return f"{shown(given)} was given; {said} is wanted."


def respelled(fault: Any, written: dict[str, Any], model: type[BaseModel] | None) -> tuple[dict[str, Any], str, str] | None:
    """The file with the name that was meant in place of a misspelt one, the old key and the new one, which are the same where
    the name is a value; None where the fault is another one or nothing comes near. ``model`` is that of the key."""
    key = key_of(fault, written)
    *way, last = key.split(".")
    copy = deepcopy(written)
    here: Any = copy
    for part in way:
        here = here[int(part)] if isinstance(here, list) else here.get(part) if isinstance(here, dict) else None
    if fault["type"] == "union_tag_invalid" and isinstance(here, dict | list):
        near = nearest(fault["ctx"]["tag"], _listed(fault["ctx"]["expected_tags"]), IN_FILES)
        if near is not None:
            place: Any = int(last) if isinstance(here, list) else last
            here[place] = near
            return copy, key, key
    if fault["type"] == "extra_forbidden" and isinstance(here, dict) and model is not None and last in here:
        near = nearest(last, [name for name in model.model_fields if name not in here], IN_FILES)
        if near is not None:
            here[near] = here.pop(last)
            return copy, key, ".".join([*way, near])
    return None


def _listed(words: str) -> list[str]:
    """The words that pydantic lists in one string."""
    return [word.strip().strip("'") for word in words.replace(" or ", ",").split(",")]


MADE_ELSEWHERE = {"X", "P", "y", "Y", "d", "domain", "rows", "cols", "values"}  # they come from the data
OTHERS = {"solver", "solvers", "S", "sets", "rule"}  # arguments that are others of the same kind
PLAIN = {bool: "true or false", int: "a whole number", float: "a number", str: "a word"}
TABLES = {"A_ub", "A_eq", "Q", "factors", "edges", "matrix"}  # arguments whose rows and columns differ
COLUMN = "the name or the number of a column"
NUMBERS = "a number, a list of numbers, or the name of a file with them"


class Spelled(BaseModel):
    """A table of the file that names a function; ``tag`` is the key of the name."""

    model_config = ConfigDict(extra="forbid", strict=True, arbitrary_types_allowed=True)
    function: ClassVar[Callable[..., Any]]
    tag: ClassVar[str]

    def made(self, **given: Any) -> Any:
        """The function called with the arguments of the table, and with those ``given`` that it takes."""
        takes, inner = inspect.signature(self.function).parameters, self._written(given)
        asked = {name: value for name, value in given.items() if name in takes and not (name == "d" and name in inner)}
        return self.function(**{**inner, **asked})

    def made_over(self, data: Any) -> Any:
        """The function called with shards in place of X and y; the column of weights is theirs."""
        return self.function(data, **{name: value for name, value in self._written({}).items() if name != "sample_weight"})

    def _written(self, given: dict[str, Any]) -> dict[str, Any]:
        return {name: _made(value, given) for name, value in self if name in self.model_fields_set and name != self.tag}


def _made(value: Any, given: dict[str, Any]) -> Any:
    if isinstance(value, list):
        return tuple(_made(item, given) for item in value)
    return value.made(**given) if isinstance(value, Spelled) else value


MODELS: dict[str, list[type[Spelled]]] = {}  # by the names of what they make; those of steps and of schedules may be the same


def table_of(names: Names, tag: str, kinds: Mapping[str, Any], alone: str | None = None) -> Any:
    """The type of a table that has the name of one of these under ``tag``; ``kinds`` are the types of arguments by name.

    A name alone stands for a table with nothing else, a number alone for one that names ``alone`` and has it for a value.
    """
    return union_of(tuple(_model(name, function, tag, kinds) for name, function in names.items()), tag, alone)


def union_of(models: tuple[type[Spelled], ...], tag: str, alone: str | None = None) -> Any:
    """The type of a table that is one of these models."""
    spelled = Annotated[Union[models], Field(discriminator=tag)] if len(models) > 1 else models[0]  # noqa: UP007 — made at run time
    return Annotated[spelled, BeforeValidator(partial(_in_full, tag, alone))]


def _in_full(tag: str, alone: str | None, given: Any) -> Any:
    if isinstance(given, int | float) and not isinstance(given, bool) and alone is not None:
        return {tag: alone, "value": given}
    return {tag: given} if isinstance(given, str) else given


def _model(name: str, function: Callable[..., Any], tag: str, kinds: Mapping[str, Any], sized: bool = False) -> type[Spelled]:
    """The model of one function; a ``sized`` one says its number of columns itself."""
    hints = get_type_hints(function.__init__ if inspect.isclass(function) else function)
    fields: dict[str, Any] = {tag: (Literal[name], ...)}
    for argument, parameter in inspect.signature(function).parameters.items():
        elsewhere = argument in MADE_ELSEWHERE and not (sized and argument == "d")
        if not elsewhere and not (argument in OTHERS and argument not in kinds):
            kind, words = _kind(argument, hints[argument], kinds)
            default = ... if parameter.default is parameter.empty else None
            fields[argument] = (kind, Field(default, description=words))
    model = create_model(name, __base__=Spelled, **fields)
    model.function, model.tag = staticmethod(function), tag
    MODELS.setdefault(name, []).append(model)
    return model


def _kind(argument: str, hint: Any, kinds: Mapping[str, Any]) -> tuple[Any, str]:
    """The type of an argument and what is wanted there, in words."""
    if argument not in kinds and get_origin(hint) is tuple:
        return Annotated[hint, Strict(False)], "a list of numbers"
    options = [option for option in get_args(hint) or (hint,) if option is not NoneType]
    if all(option in PLAIN for option in options):
        if argument in ("radius", "total", "delta"):
            return Annotated[float, Field(gt=0, allow_inf_nan=False)], "a positive number"
        if argument == "l2":
            return Annotated[float, Field(ge=0, allow_inf_nan=False)], "a number of at least 0"
        return hint, " or ".join(PLAIN[option] for option in options)
    if argument in kinds:
        return kinds[argument], ""
    literal = [option for option in options if get_origin(option) is Literal]
    if literal:
        return literal[0], f"one of {', '.join(get_args(literal[0]))}"
    return Numbers, NUMBERS


def existing(given: str, info: ValidationInfo) -> Path:
    """The path of a file that is there, relative to the folder of the problem."""
    context: Any = info.context
    path = Path(context["folder"], given).expanduser()
    check(path.is_file(), lambda: f"{no_file(path)} Paths are relative to the folder of the problem file.")
    return path


def source(given: str | list[str], info: ValidationInfo) -> Path | Source:
    """The path of a file with a table, or files that are read in shards: a pattern, a list, a folder, Parquet or Arrow."""
    context: Any = info.context
    check(given != [], "An empty list of files was given; at least one is wanted.")
    named = given if isinstance(given, list) else [given]
    check(all(isinstance(one, str) for one in named),
          lambda: f"{shown(given)} was given; the name of a file, or a list of names, is wanted.")
    paths = [Path(context["folder"], one).expanduser() for one in named]
    alone = paths[0] if isinstance(given, str) else None
    if alone is None or in_shards(alone, named[0]):
        return Source(tuple(str(path) for path in paths))
    return existing(named[0], info)


class Source(NamedTuple):
    """Files that are read in shards, or patterns of them."""

    names: tuple[str, ...]


def _column(given: Any) -> Any:
    check(isinstance(given, str | int) and not isinstance(given, bool),
          lambda: f"{shown(given)} was given; {COLUMN} is wanted.")
    return given


def _numbers(given: Any, info: ValidationInfo) -> Any:
    if isinstance(given, str):
        return load_array(existing(given, info), matrix=info.field_name in TABLES)
    if info.field_name == "groups" and isinstance(given, list) and any(isinstance(one, list) for one in given):
        return given  # the coordinates of each group, not the group of each entry
    try:
        found: Array = np.array(given)
        found = found.astype(np.float64) if found.dtype.kind in "iufO" else np.zeros(0)
    except (ValueError, TypeError, OverflowError):
        found = np.zeros(0)
    check(found.size > 0, f"{shown(given)} was given; {NUMBERS} is wanted.")
    return float(found) if found.ndim == 0 else found


class As:
    """In ``Annotated[type, As(kind)]``: what pydantic checks is the kind, which is only known at run time."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> Any:
        return handler.generate_schema(self.kind)


Numbers = Annotated[Any, AfterValidator(_numbers)]
File = Annotated[str, AfterValidator(existing)]
Files = Annotated[Any, AfterValidator(source)]


def _simple(names: Names) -> Names:
    """Those that hold no others of their kind."""
    return {name: function for name, function in names.items()
            if not OTHERS & set(inspect.signature(function).parameters)}


def _sets() -> Any:
    """The table of a set: one by itself, or one made of others, which may be made of others in turn.

    The sets of a product say how many columns are theirs.
    """
    kinds: dict[str, Any] = {"epsilon": Schedule, "file": File, "names": list[str]}
    plain = {name: _model(name, function, "kind", kinds) for name, function in _simple(SETS).items()}
    sized = [_model(name, function, "kind", kinds, sized=True) if "d" in inspect.signature(function).parameters
             else plain[name] for name, function in _simple(SETS).items()]
    made = {name: function for name, function in SETS.items() if name not in plain}
    one, part = union_of(tuple(plain.values()), "kind"), union_of(tuple(sized), "kind")
    for _ in range(2):  # sets within sets
        inner = {**kinds, "S": one, "sets": GenericAlias(list, one)}
        parts = {**kinds, "S": part, "sets": GenericAlias(list, part)}
        others = [_model(name, made[name], "kind", parts if name == "product" else inner) for name in made]
        of_parts = [_model(name, made[name], "kind", parts) for name in made]
        one, part = union_of((*plain.values(), *others), "kind"), union_of((*sized, *of_parts), "kind")
    return one


Schedule = table_of(SCHEDULES, "name", {}, alone="constant")
Size = table_of(SIZES, "name", {}, alone="whole")
INNER: dict[str, Any] = {
    "step": table_of(STEPS, "name", {"rule": table_of(_simple(STEPS), "name", {})}),
    "tolerance": Schedule, "rho": Schedule, "batch": Size, "epoch": Size, "reset": Size,
    **{argument: table_of(ARGUMENTS[argument], "name", {}) for argument in ("look", "sigma", "regularizer")}}
INNER["estimator"] = table_of(ESTIMATORS, "name", INNER)
Simple = table_of(_simple(SOLVERS), "name", INNER)
Column = Annotated[Any, AfterValidator(_column), Field(description=COLUMN)]


BY_ROWS = ("log_det", "trace_inverse")  # a weight belongs to a row of the table, not to a column
WITHOUT_TARGET = ("log_likelihood", "quadratic", *BY_ROWS)
WITHOUT_DATA = ("quadratic",)
MATRICES = ("multitask", "completion")  # their targets are several columns, or entries
PLACES = ("row", "column", "value")
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False, description="a number of at least 0")]


class Section(BaseModel):
    """A table of the file; keys that it does not know are errors."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Data(Section):
    """``[data]``: where the numbers are."""

    file: Annotated[Path | Source, As(Files), Field(description="the name of a file")]
    format: Literal["csv", "libsvm", "npy", "npz"] | None = None
    target: Column | None = None
    targets: list[Column] | None = None
    row: Column | None = None
    column: Column | None = None
    value: Column | None = None
    target_file: Annotated[Path | None, As(File)] = None
    features: list[Column] | None = None
    exclude: list[Column] = []


class Stops(Section):
    """``[stop]``: the run ends at whichever comes first."""

    gap: NotNegative | None = None
    relative: NotNegative | None = None
    iterations: Annotated[int, Field(ge=0)] | None = None
    seconds: NotNegative | None = None
    stalled: Annotated[int, Field(ge=1)] | None = None

    def made(self) -> Stop | None:
        """The stop, None where the section is empty."""
        kinds = {"gap": Gap, "relative": Relative, "iterations": Iterations, "seconds": Seconds, "stalled": Stalled}
        stops = [kinds[name](value) for name, value in self if value is not None]
        both = None
        for stop in stops:
            both = stop if both is None else both | stop
        return both


class Output(Section):
    """``[output]``: where the results go."""

    folder: Annotated[str, Field(description="the name of a folder")] | None = None
    report: bool = True


class ProblemFile(Section):
    """The whole file."""

    title: str = "A certified minimum"
    seed: Annotated[int, Field(ge=0)] = 0
    data: Data | None = None
    objective: Annotated[Any, As(table_of(LOSSES, "loss", {"sample_weight": Column}))]
    set: Annotated[Any, As(_sets())]
    solver: Annotated[Any, As(table_of(SOLVERS, "name", {**INNER, "solver": Simple,
                                                         "solvers": GenericAlias(list, Simple)}))] = None
    stop: Stops = Stops()
    output: Output = Output()


def read(path: Path) -> tuple[ProblemFile, Faults]:
    """The file, and what is wrong with it so far; of a file with faults, the tables that have none, and None for the others.

    Whoever calls adds what only the data can show, and raises all of it together: `Faults.settle`.
    """
    check(path.is_file(), lambda: no_file(path, what="problem file"))
    try:
        text = path.read_text(encoding="utf-8-sig")
        written = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise GreedyhullError(f"{path} is not a TOML file: {error}. Put words in quotation marks, and the names of tables in "
                              "[brackets].") from error
    faults = Faults(path, lines_of(text))
    context = {"folder": path.parent}
    meant: dict[str, Any] | None = written
    # tables within tables
    for _ in range(5):  # once more with the names that were meant, for what else is wrong there
        if meant is None:
            break
        written, meant = meant, None
        try:
            file = ProblemFile.model_validate(written, context=context)
        except ValidationError as error:
            meant = _noted(error.errors(), written, faults)
        else:
            _across(written, faults)
            return file, faults
    _across(written, faults)
    return _sound(written, context), faults


def _noted(found: list[Any], written: dict[str, Any], faults: Faults) -> dict[str, Any] | None:
    """Note what pydantic found; the file with the names that were meant, None where none is misspelt."""
    meant, new = written, set()
    for fault in found:
        other = respelled(fault, meant, _model_at(fault["loc"]))
        if other is not None:
            meant, before, after = other
            new.add(after)  # what is wrong there stands at the line of the key as it was spelt
            moved = {after + key[len(before):]: line for key, line in faults.lines.items()
                     if key == before or key.startswith(f"{before}.")}
            faults.lines = {**moved, **faults.lines}
    for fault in found:
        key = key_of(fault, written)
        if fault["type"] != "missing" or key not in new:  # it is there, misspelt
            faults.add(key, words_of(fault, _model_at(fault["loc"])))
    return meant if new else None


def _sound(written: dict[str, Any], context: dict[str, Any]) -> ProblemFile:
    """The tables of a wrong file that are right."""
    file = ProblemFile.model_construct(objective=None, set=None)
    for name in set(ProblemFile.model_fields) & set(written):
        with suppress(ValidationError):
            ProblemFile.__pydantic_validator__.validate_assignment(file, name, written[name], context=context)
    return file


def _across(written: dict[str, Any], faults: Faults) -> None:
    """What one table needs from another."""
    loss = written.get("objective", {}).get("loss") if isinstance(written.get("objective"), dict) else None
    data = written.get("data")
    if loss in WITHOUT_DATA and data is not None:
        faults.add("data", f"{loss} takes no data; its matrices are named in [objective]. Leave [data] out.")
    elif loss not in WITHOUT_DATA and data is None:
        faults.add("data", "it is missing; the table [data], with a file, is wanted.")
    if not isinstance(data, dict):
        return
    for key in PLACES:
        if (key in data) != (loss == "completion") and isinstance(loss, str):
            said = f"it is missing; {COLUMN} is wanted" if loss == "completion" else f"only completion has it, not {loss}"
            faults.add(f"data.{key}", f"{said}.")
    if loss == "multitask" and not {"targets", "target_file"} & set(data) and _format(data) in ("csv", "npy"):
        faults.add("data.targets", "it is missing; a list of columns is wanted, or target_file, the name of a file.")
    if isinstance(loss, str) and loss != "multitask" and "targets" in data:
        faults.add("data.targets", f"only multitask has several targets, not {loss}; target, one column, is wanted.")
    if loss in MATRICES and "target" in data:
        wanted = "targets, a list of columns," if loss == "multitask" else "value"
        faults.add("data.target", f"{loss} has no single target; {wanted} is wanted in its place.")
    targets = {"target", "target_file"} & set(data)
    if not targets and loss not in (*WITHOUT_TARGET, *MATRICES) and _format(data) in ("csv", "npy"):
        faults.add("data.target", f"it is missing; {COLUMN} is wanted, or target_file, the name of a file.")
    if len(targets) == 2:
        faults.add("data.target_file", "target and target_file were both given; one of them is wanted.")


def _format(data: dict[str, Any]) -> str | None:
    if not isinstance(data.get("file"), str):
        return None  # a list of files, which say themselves what they lack
    return data.get("format") or format_of(Path(str(data.get("file", ""))))


def _model_at(loc: Sequence[int | str]) -> type[BaseModel] | None:
    """The model that the last key of pydantic's path belongs to, or would."""
    sections: dict[Any, type[BaseModel]] = {"data": Data, "stop": Stops, "output": Output}
    if len(loc) == 1 or loc[0] in sections:
        return sections[loc[0]] if len(loc) > 1 else ProblemFile
    step, part = loc[-3:-2] in [("step",), ("rule",)], "product" in loc[:-2]
    able = [model for model in MODELS.get(str(loc[-2]), []) if (model.function in STEPS.values()) == step]
    return next((model for model in able if ("d" in model.model_fields) == part), able[0] if able else None)
