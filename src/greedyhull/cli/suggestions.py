"""Suggestions for names of commands, options and keys that do not exist."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from typer.core import TyperGroup

from greedyhull import errors
from greedyhull.errors import GreedyhullError, aliased


def nearest(word: object, names: Iterable[str], place: str = "") -> str | None:
    """The name that comes nearest to a word, however this is spelt; ``place`` is that of the `ALIASES` for these names.

    >>> nearest("L1Ball", ["l1_ball", "l2_ball"]), nearest("lasso", ["simplex", "l1"], "fit"), nearest("zzz", ["l1"])
    ('l1_ball', 'l1', None)
    """
    by_plain, plain = {_plain(name): name for name in names}, _plain(word)
    if plain in by_plain:
        return by_plain[plain]
    places = ("files", "greedyhull") if place == "files" else (place,) if place else ()
    known = [_plain(name) for one in places for name in aliased(plain, one)]
    begun = [short for short in by_plain if len(plain) > 2 and short.startswith(plain)]
    found = (errors.nearest(plain, by_plain) or next((by_plain[name] for name in known if name in by_plain), None)
             or errors.nearest(plain, by_plain, 0.6))
    return found or (by_plain[begun[0]] if len(begun) == 1 else None)


def _plain(word: object) -> str:
    return str(word).lower().lstrip("-").replace("_", "").replace("-", "")


OPTION = re.compile(r"No such option:? '?(-[^\s'(]+)")
VALUE = re.compile(r"Invalid value for '?(-[^\s':]+)'?[^:]*: .*valid (float|number|int|integer)\b", re.DOTALL)


class Group(TyperGroup):
    """Commands; a word that is none of them is refused with the one that was meant."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, path = str(args[0]), str(ctx.command_path)
        if self.get_command(ctx, name) is not None or name.startswith("-"):
            return super().resolve_command(ctx, args)
        hint = meant(path, name, list(self.commands))
        raise GreedyhullError(f'There is no command "{path} {name}". {hint} See {path} --help.')


def meant(path: str, name: str, commands: list[str]) -> str:
    """What to say of a word in the place of a command.

    >>> meant("greedyhull", "slove", ["solve", "fit"]), meant("greedyhull fit", "lasso", ["simplex", "l1"])
    ('Did you mean "greedyhull solve"?', 'Did you mean "greedyhull fit l1"?')
    """
    fits = path.endswith(" fit")
    near = nearest(name, commands, "fit" if fits else "commands")
    if near is None and Path(name).suffix:
        command = "l1" if fits else "solve" if name.endswith(".toml") else "fit l1"
        return f'Name the command first, as in "{path} {command} {name}".'
    model = nearest(name, ("simplex", "l1", "ensemble"), "fit") if near == "fit" else None
    if name in ("help", "version"):
        return f'Give "greedyhull --{name}".'
    if near is None:
        return f"Its commands are {listed(commands)}."
    return f'Did you mean "{" ".join(filter(None, (path, near, model)))}"?'


def sentence(error: Any) -> str:
    """A usage error of typer as a sentence of ours."""
    said, context = str(error.format_message()).strip(), vars(error).get("ctx")
    path = "greedyhull" if context is None else str(context.command_path)
    command = None if context is None else context.command
    option, value = OPTION.match(said), VALUE.match(said)
    if option:
        there = [name for one in command.params for name in (*one.opts, *one.secondary_opts)] if command is not None else []
        near = nearest(option[1], [name for name in there if name.startswith("--")], "options")
        said = f"{path} has no option {option[1]}." + (f" Did you mean --{near.lstrip('-')}?" if near else "")
    elif value:
        said = f"{value[1]} must be {'a number' if value[2] in ('float', 'number') else 'a whole number'}."
    elif said.startswith("Missing command") and command is not None:
        said = f"{path} needs a command: {listed(list(command.commands), 'or')}."
    return f"{said if said.endswith(('?', '.')) else f'{said}.'} See {path} --help."


def listed(words: list[str], last: str = "and") -> str:
    """Words in a sentence: "simplex, l1 and ensemble"."""
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def one_of(given: object, allowed: list[str], place: str = "") -> str:
    """What to say of a word that is not among those allowed."""
    near = nearest(given, allowed, place)
    hint = f' Did you mean "{near}"?' if near else ""
    return f"{shown(given)} was given; one of {', '.join(allowed)} is wanted.{hint}"


def shown(given: object) -> str:
    """A value as a TOML file spells it, shortened."""
    words = f'"{given}"' if isinstance(given, str) else str(given).lower() if isinstance(given, bool) else str(given)
    return words if len(words) <= 60 else f"{words[:57]}..."
