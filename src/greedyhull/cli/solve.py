"""``greedyhull solve``, ``resume`` and ``certify``, and the files they write."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from importlib.util import find_spec
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from greedyhull.cli import DONE, SHORT
from greedyhull.cli.console import Console, Unwritten, certificate_fields, check_folder
from greedyhull.cli.problem import Problem, check_workers, computed, load
from greedyhull.data.files import Numbered
from greedyhull.data.tables import load_array, load_arrays, real_numbers
from greedyhull.driver.certificate import certify
from greedyhull.driver.checkpoint import CARD, save_state, write_json
from greedyhull.driver.run import DEFAULT_STOP, minimize
from greedyhull.driver.solution_file import state_of
from greedyhull.errors import GreedyhullError, check, installing, no_file
from greedyhull.points.arrays import dense
from greedyhull.points.factors import of_block
from greedyhull.report import intercepts, used, words
from greedyhull.solvers.parts.progress import Event
from greedyhull.types import Array, Shape, State

if TYPE_CHECKING:
    from greedyhull.driver.solution import Solution
    from greedyhull.points.iterate import Iterate


def write_solution(path: Path, s: Solution, names: Sequence[str] | None) -> None:
    """Write the arrays that docs/howto/command_line.md lists, and all that `Solution.save` writes, for `load`."""
    c = s.certificate
    # columns whose names, where these are only their numbers, are not worth writing
    listed = None if isinstance(names, Numbered) and len(names) > 1_000_000 else names
    known = {
        "intercept": s.intercept, "value": np.nan if c.value is None else c.value, "gap": np.nan if c.gap is None else c.gap,
        "lower": c.lower, "kind": c.kind, "delta": c.delta, "converged": s.converged, "reason": s.reason,
        "iterations": s.iterations, "seconds": s.seconds, "solver": repr(s.solver),
        **({} if listed is None else {"names": listed})}
    save_state(path, {**state_of(s, listed), **{name: np.array(value) for name, value in known.items()}, **_point(s.point)})


def _point(w: Iterate) -> State:
    """The point as an array and by its atoms, or by its factors; nothing of a large one, which `load` reads."""
    if not w.keeps_atoms:
        return {"point": w.array()}
    found = of_block(w.block, w.weights)
    if found is not None:
        return {"U": found.U, "sigma": found.sigma, "V": found.V}
    if len(w.shape) == 2 and prod(w.shape) > 10**7:
        return {}
    places, entries, starts = [], [], [0]
    for i in range(len(w)):
        row = np.zeros(w.shape)
        w.atoms[i].add_to(row, 1.0)
        at = np.flatnonzero(row)
        places.append(at)
        entries.append(row.ravel()[at])
        starts.append(starts[-1] + len(at))
    return {"point": w.array(), "atom_weights": w.weights.copy(), "atoms_data": np.concatenate(entries),
            "atoms_indices": np.concatenate(places), "atoms_indptr": np.array(starts),
            "atoms_shape": np.array([len(w), int(np.prod(w.shape))])}


def read_point(path: Path, shape: Shape) -> Array:
    """The point in a file of ``greedyhull solve``, or any array; for points that are vectors, one row or column too."""
    check(path.is_file(), lambda: no_file(path))
    if path.suffix.lower() == ".npz":
        arrays = load_arrays(path)
        if {"U", "sigma", "V"} <= arrays.keys():
            U, sigma, V = (np.asarray(real_numbers(path.name, arrays[name]), dtype=np.float64) for name in ("U", "sigma", "V"))
            return np.asarray((U * sigma) @ V.T)
        if "point" in arrays:
            return np.asarray(real_numbers(path.name, arrays["point"]), dtype=np.float64)
    found = dense(load_array(path, matrix=True)).astype(np.float64)
    return found.ravel() if len(shape) == 1 and found.size == max(found.shape, default=0) else found


STORED = "problem.json"
FORMAT = 1
FREE = ("stop", "output", "title")  # tables and keys that may change while a run is saved
WORDS = {"title", "loss", "kind", "name", "format", "target", "features", "exclude", "sample_weight", "folder"}  # no files
WHOLE = 1 << 28  # bytes of a file up to which all of them are compared
BLOCK, BLOCKS = 1 << 20, 64  # of a larger one, so many blocks of so many bytes, evenly spread


class StoredProblem(NamedTuple):
    """The problem file of a saved run, and where its results go; None: where the file says."""

    file: Path
    out: Path | None


def described(file: Path, out: Path | None) -> dict[str, Any]:
    """The document: the problem file with its text, the folder for results, and the files with data."""
    text = file.read_text(encoding="utf-8-sig")
    return {"format": FORMAT, "problem": str(file.absolute()), "text": text,
            "out": None if out is None else str(out.absolute()),
            "files": {str(path): fingerprint(path) for path in files_of(text, file.absolute().parent)}}


def files_of(text: str, folder: Path) -> list[Path]:
    """The files that a problem file names; a name with * or ? stands for all that match it."""
    found: dict[Path, None] = {}
    for name in _strings(_fixed_tables(text)):
        path = Path(folder, name.replace("\0", "")).expanduser()
        base = folder if path.is_relative_to(folder) else Path(path.anchor)
        pattern = str(path.relative_to(base))
        many = sorted(base.glob(pattern)) if set("*?[") & set(pattern) else []
        found.update(dict.fromkeys(one for one in (*many, path) if one.is_file()))
    return list(found)


def _strings(table: Any) -> Iterator[str]:
    """All strings of a table, and of those within it, that may name files."""
    if isinstance(table, str):
        yield table
    elif isinstance(table, list):
        for item in table:
            yield from _strings(item)
    elif isinstance(table, dict):
        for key, item in table.items():
            if key not in WORDS:
                yield from _strings(item)


def fingerprint(path: Path) -> dict[str, Any]:
    """Size and digest of a file: of all its bytes, or of blocks that are evenly spread over a large one."""
    size, mark = path.stat().st_size, blake2b(digest_size=16)
    with path.open("rb") as file:
        if size <= WHOLE:
            for block in iter(lambda: file.read(BLOCK), b""):
                mark.update(block)
        else:
            for i in range(BLOCKS):
                file.seek((size - BLOCK) * i // (BLOCKS - 1))
                mark.update(file.read(BLOCK))
    return {"bytes": size, "blake2b": mark.hexdigest()}


def read_stored(folder: Path) -> StoredProblem:
    """The problem that a folder holds a run of; an error that names the file where one has changed since."""
    check(folder.is_dir(), f"There is no folder {folder}. Give the one that greedyhull solve --checkpoint wrote to.")
    path = folder / STORED
    check(path.is_file(), f"There is no {STORED} in {folder}. Runs of minimize resume by minimize(..., resume=folder).")
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        version, file, text = int(document["format"]), Path(document["problem"]), str(document["text"])
        out, files = document["out"], {Path(name): dict(about) for name, about in document["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise GreedyhullError(f"{path} is damaged ({type(error).__name__}: {error}). Resume in Python.") from error
    check(version == FORMAT, f"{path} was written by a newer version of greedyhull. Resume with the version that wrote it.")
    _check_text(file, text)
    changed = []
    for data, about in files.items():
        if not data.is_file():
            changed.append(f"{data} is gone")
        elif (size := data.stat().st_size) != about["bytes"]:
            changed.append(f"{data} has {size} bytes, not {about['bytes']}")
        elif fingerprint(data)["blake2b"] != about["blake2b"]:
            changed.append(f"{data} has other contents")
    changed += [f"{data} is new" for data in files_of(text, file.parent) if data not in files]
    check(not changed, f"The data have changed since the run was saved: {'; '.join(changed)}. Restore them, or solve again.")
    return StoredProblem(file, None if out is None else Path(out))


def _check_text(file: Path, before: str) -> None:
    """Raise unless the problem file is what it was, up to what may change."""
    check(file.is_file(), f"The problem file {file} of the saved run is gone. Put it back, or solve again.")
    now = file.read_text(encoding="utf-8-sig")
    if now == before:
        return
    try:
        same = _fixed_tables(now) == _fixed_tables(before)
    except tomllib.TOMLDecodeError:
        return  # whoever loads it says what is wrong, and where
    pairs = zip([*now.splitlines(), ""], [*before.splitlines(), ""], strict=False)
    line = next((i for i, (new, old) in enumerate(pairs, start=1) if new != old), 1)
    check(same, f"The problem file {file} has changed since the run was saved, first in line {line}. [stop] and [output] may "
                "change, the problem may not. Restore it, or solve again.")


def _fixed_tables(text: str) -> dict[str, Any]:
    return {key: table for key, table in tomllib.loads(text).items() if key not in FREE}


FILES = {"solution": "solution.npz", "trace": "trace.csv", "report": "report.html"}


class Saving(NamedTuple):
    """Where the state of the run is saved, and whether the run is resumed from there."""

    folder: Path
    resumed: bool = False


def run(file: Path, out: Path | None, console: Console, saving: Saving | None = None, workers: int | None = None,
        scheduler: str | None = None) -> int:
    """Solve, write and tell; the exit code says whether the goal was met."""
    with console.noting():
        problem = load(file)
    check_workers(problem.data, workers, scheduler)
    folder = problem.folder if out is None else out
    check_folder(folder, FILES.values())
    console.say(f"Minimising {problem.f!r} over {problem.S!r}.")
    for note in problem.notes:
        console.say(note)
    stop = DEFAULT_STOP if problem.stop is None else problem.stop
    saved = _saved(problem, file, out, saving)
    with console.noting(), computed(problem.f, workers, scheduler, console.say) as f:
        s = minimize(f, problem.S, problem.solver, stop=stop, seed=problem.seed, progress=console.live, **saved)
        written, lost = write(s, problem, folder, console)  # the report asks for a few terms, so the executor is still open
    if s.choice:
        console.say(s.choice)
    listed = used(s, problem.names)
    for sentence in words(s, problem.names if len(listed) <= 12 else None):  # names that a sentence can bear
        console.say(sentence)
    console.weights(listed)
    if said := intercepts(s):
        console.say(said)
    for path in written.values():
        console.say(f"Written: {path}")
    met = s.converged or not stop.asks_gap
    document = {
        "met": met, "certificate": certificate_fields(s.certificate), "reason": s.reason, "converged": s.converged,
        "iterations": s.iterations, "seconds": s.seconds, "solver": repr(s.solver), "price": s.price,
        "prices": s.prices,
        "intercept": np.asarray(s.intercept).tolist(),
        "weights": dict(listed), "files": {kind: str(path) for kind, path in written.items()}}
    if lost:
        raise Unwritten(lost, "\n".join([str(s.certificate), *(f"{weight!r} {name}" for name, weight in listed)]), document)
    console.result(document)
    return DONE if met else SHORT


def _saved(problem: Problem, file: Path, out: Path | None, saving: Saving | None) -> dict[str, Any]:
    """The arguments of `minimize` that save the run, so that `greedyhull resume` can continue it."""
    if saving is None:
        return {}
    place = f"{saving.folder}/"
    if saving.resumed:  # unless a run of `minimize` was saved there in the meantime
        now = repr(problem.f), repr(problem.S)
        try:
            card = json.loads((saving.folder / CARD).read_text(encoding="utf-8"))
            saved = card["objective"], card["set"]
        except (OSError, ValueError, KeyError, TypeError):
            saved = now  # the card is for people; the states themselves say what they are of
        check(saved == now, f"{saving.folder} holds a run that minimises {saved[0]} over {saved[1]}, but the problem file "
              f"asks for {now[0]} over {now[1]}. Another run was saved there since; resume it in Python, or solve anew.")
        return {"checkpoint": place, "resume": place}
    document = described(file, out)

    def record(event: Event) -> None:
        """Write ``problem.json`` as the run begins, when the folder is its own and the first state is not yet there."""
        if document:
            write_json(saving.folder / STORED, document)
            document.clear()

    return {"checkpoint": place, "watch": [record]}


def write(s: Solution, problem: Problem, folder: Path, console: Console) -> tuple[dict[str, Path], dict[Path, OSError]]:
    """The files of the solution, the page where what draws it is installed; and those that could not be written."""
    jobs: dict[str, Callable[[Path], Any]] = {"solution": lambda path: write_solution(path, s, problem.names),
                                              "trace": s.trace.to_csv}
    if problem.report and find_spec("jinja2") is not None and find_spec("matplotlib") is not None:
        from greedyhull.report import write as write_page

        jobs["report"] = lambda path: write_page(s, path, title=problem.title, names=problem.names)
    elif problem.report:
        console.say(f"No report was written: it needs Jinja2 and matplotlib. {installing('demo')}")
    written: dict[str, Path] = {}
    lost: dict[Path, OSError] = {}
    for kind, job in jobs.items():
        path = folder / FILES[kind]
        try:
            folder.mkdir(parents=True, exist_ok=True)
            job(path)
            written[kind] = path
        except OSError as error:
            lost[path] = error
    return written, lost


def certify_run(file: Path, stored: Path, gap: float | None, tol: float | None, console: Console) -> int:
    """Certify and tell; the exit code says whether the gap is small enough."""
    for name, number in (("--gap", gap), ("--tol", tol)):
        check(number is None or number >= 0, f"{name} {number} was given; a number of at least 0 is wanted.")
    with console.noting():
        problem = load(file)
    point = read_point(stored, problem.S.shape)
    certificate = certify(problem.f, problem.S, point, tol=tol)
    goal = problem.goal if gap is None else gap
    met = goal is None or (certificate.gap is not None and certificate.gap <= goal)
    console.say(f"The point lies in {problem.S!r}. {certificate}")
    if certificate.kind == "always":
        console.say(f"This is proved, rounding included: the minimum of {problem.f!r} there is between "
                    f"{certificate.lower:.10g} and {certificate.value:.10g}. It does not matter how the point was found.")
    if goal is not None:
        asker = "the file" if gap is None else "--gap"
        console.say(f"The gap {certificate.gap:.3g} is {'at most' if met else 'above'} the {goal:g} that {asker} asks for.")
    console.result({"met": met, "goal": goal, "certificate": certificate_fields(certificate)})
    return DONE if met else SHORT
