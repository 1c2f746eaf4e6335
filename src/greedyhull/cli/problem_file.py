"""The problem file: a TOML file that says what to minimise, over what, how, and when to stop.

Wrong files are refused with all of their errors at once.
"""

from __future__ import annotations

import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from greedyhull.cli.file_errors import Faults, lines_of
from greedyhull.cli.schema import COLUMN, As, Column, File, Files, LossTable, SetTable, SolverTable, Source, model_at
from greedyhull.cli.schema_errors import key_of, respelled, words_of
from greedyhull.cli.tables import format_of
from greedyhull.driver.stop import Gap, Iterations, Relative, Seconds, Stalled, Stop
from greedyhull.errors import GreedyhullError, check
from greedyhull.errors.given import no_file

BY_ROWS = ("log_det", "trace_inverse")  # a weight belongs to a row of the table, not to a column
WITHOUT_TARGET = ("log_likelihood", "quadratic", *BY_ROWS)
WITHOUT_DATA = ("quadratic",)
MATRICES = ("multitask", "completion")  # their targets are several columns, or entries
PLACES = ("row", "column", "value")
DEPTH = 5  # tables within tables
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
    objective: Annotated[Any, As(LossTable)]
    set: Annotated[Any, As(SetTable)]
    solver: Annotated[Any, As(SolverTable)] = None
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
    for _ in range(DEPTH):  # once more with the names that were meant, for what else is wrong there
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
        other = respelled(fault, meant, _model(fault["loc"]))
        if other is not None:
            meant = other.file
            new.add(other.new)
            faults.renamed(other.old, other.new)
    for fault in found:
        key = key_of(fault, written)
        if fault["type"] != "missing" or key not in new:  # it is there, misspelt
            faults.add(key, words_of(fault, _model(fault["loc"])))
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
    _across_matrices(loss, data, faults)
    targets = {"target", "target_file"} & set(data)
    if not targets and loss not in (*WITHOUT_TARGET, *MATRICES) and _format(data) in ("csv", "npy"):
        faults.add("data.target", f"it is missing; {COLUMN} is wanted, or target_file, the name of a file.")
    if len(targets) == 2:
        faults.add("data.target_file", "target and target_file were both given; one of them is wanted.")


def _across_matrices(loss: object, data: dict[str, Any], faults: Faults) -> None:
    """Which columns hold the targets of matrices: several of them, or the places and the values of entries."""
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


def _format(data: dict[str, Any]) -> str | None:
    if not isinstance(data.get("file"), str):
        return None  # a list of files, which say themselves what they lack
    return data.get("format") or format_of(Path(str(data.get("file", ""))))


def _model(loc: tuple[int | str, ...]) -> type[BaseModel] | None:
    """The model that the last key of pydantic's path belongs to, or would."""
    sections: dict[Any, type[BaseModel]] = {"data": Data, "stop": Stops, "output": Output}
    return ProblemFile if len(loc) == 1 else sections[loc[0]] if loc[0] in sections else model_at(loc)
