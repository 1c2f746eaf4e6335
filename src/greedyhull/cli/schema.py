"""Tables of a problem file that name a function or a class of the library, and the arguments that they may give it.

Each name becomes a model of pydantic, made from the signature: plain arguments as they are, vectors and matrices as numbers or
as the name of a file, step rules and the like as a name (``step = "exact"``) or a table (``{name = "power", p = 0.5}``).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
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
    ValidationInfo,
    create_model,
)

from greedyhull.cli.file_errors import shown
from greedyhull.cli.formats import load_array
from greedyhull.cli.names import ARGUMENTS, ESTIMATORS, LOSSES, SCHEDULES, SETS, SIZES, SOLVERS, STEPS, Names
from greedyhull.cli.tables import in_shards
from greedyhull.errors import check
from greedyhull.errors.given import no_file
from greedyhull.types import Array

MADE_ELSEWHERE = {"X", "P", "y", "Y", "d", "domain", "rows", "cols", "values"}  # they come from the data
OTHERS = {"solver", "solvers", "S", "sets", "rule"}  # arguments that are others of the same kind
PLAIN = {bool: "true or false", int: "a whole number", float: "a number", str: "a word"}
POSITIVE = {"radius", "total", "delta"}
NOT_NEGATIVE = {"l2"}
LEVELS = 2  # sets within sets
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
        takes = inspect.signature(self.function).parameters
        written = {name: value for name, value in self if name in self.model_fields_set and name != self.tag}
        inner = {name: _made(value, given) for name, value in written.items()}
        asked = {name: value for name, value in given.items() if name in takes and not (name == "d" and name in inner)}
        return self.function(**{**inner, **asked})

    def made_over(self, data: Any) -> Any:
        """The function called with shards in place of X and y; the column of weights is theirs."""
        written = {name: value for name, value in self
                   if name in self.model_fields_set and name not in (self.tag, "sample_weight")}
        return self.function(data, **{name: _made(value, {}) for name, value in written.items()})


def _made(value: Any, given: dict[str, Any]) -> Any:
    if isinstance(value, list):
        return tuple(_made(item, given) for item in value)
    return value.made(**given) if isinstance(value, Spelled) else value


MODELS: dict[str, list[type[Spelled]]] = {}  # by the names of what they make; those of steps and of schedules may be the same


def model_at(loc: Sequence[int | str]) -> type[Spelled] | None:
    """The model that the last key of pydantic's path belongs to, or would."""
    found = MODELS.get(str(loc[-2]), [])
    step, part = loc[-3:-2] in [("step",), ("rule",)], "product" in loc[:-2]
    able = [model for model in found if (model.function in STEPS.values()) == step]
    return next((model for model in able if ("d" in model.model_fields) == part), able[0] if able else None)


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
        if argument in POSITIVE:
            return Annotated[float, Field(gt=0, allow_inf_nan=False)], "a positive number"
        if argument in NOT_NEGATIVE:
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
    for _ in range(LEVELS):
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
SolverTable = table_of(SOLVERS, "name", {**INNER, "solver": Simple, "solvers": GenericAlias(list, Simple)})
SetTable = _sets()
Column = Annotated[Any, AfterValidator(_column), Field(description=COLUMN)]
LossTable = table_of(LOSSES, "loss", {"sample_weight": Column})
