"""What pydantic found wrong, in the words of this library: the key in the file, what was given, what is wanted."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, NamedTuple

from pydantic import BaseModel

from greedyhull.cli.file_errors import one_of, shown
from greedyhull.cli.meant import IN_FILES, nearest
from greedyhull.cli.names import ARGUMENTS, SECTIONS

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


class Respelled(NamedTuple):
    """The file with a name that was meant in the place of a misspelt one: the ``old`` key and the ``new`` one, which are the
    same where the name is a value."""

    file: dict[str, Any]
    old: str
    new: str


def respelled(fault: Any, written: dict[str, Any], model: type[BaseModel] | None) -> Respelled | None:
    """The file as it was meant, None where the fault is another one or nothing comes near; ``model`` is that of the key."""
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
            return Respelled(copy, key, key)
    if fault["type"] == "extra_forbidden" and isinstance(here, dict) and model is not None and last in here:
        near = nearest(last, [name for name in model.model_fields if name not in here], IN_FILES)
        if near is not None:
            here[near] = here.pop(last)
            return Respelled(copy, key, ".".join([*way, near]))
    return None


def _listed(words: str) -> list[str]:
    """The words that pydantic lists in one string."""
    return [word.strip().strip("'") for word in words.replace(" or ", ",").split(",")]
