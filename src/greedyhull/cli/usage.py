"""Commands and options that do not exist: the error names what comes nearest."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from typer.core import TyperGroup

from greedyhull.cli.meant import COMMANDS, MODELS, OPTIONS, nearest
from greedyhull.errors import GreedyhullError

OPTION = re.compile(r"No such option:? '?(-[^\s'(]+)")
VALUE = re.compile(r"Invalid value for '?(-[^\s':]+)'?[^:]*: .*valid (float|number|int|integer)\b", re.DOTALL)
KINDS = {"float": "a number", "number": "a number", "int": "a whole number", "integer": "a whole number"}


class Group(TyperGroup):
    """Commands; a word that is none of them is refused with the one that was meant."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, path = str(args[0]), str(ctx.command_path)
        if self.get_command(ctx, name) is not None or name.startswith("-"):
            return super().resolve_command(ctx, args)
        hint = meant(path, name, list(self.commands))
        raise GreedyhullError(f'There is no command "{path} {name}". {hint} See {path} --help.')


def meant(path: str, name: str, commands: list[str]) -> str:
    """What to say of a word that stands where a command is wanted.

    >>> meant("greedyhull", "slove", ["solve", "fit"]), meant("greedyhull fit", "lasso", ["simplex", "l1"])
    ('Did you mean "greedyhull solve"?', 'Did you mean "greedyhull fit l1"?')
    """
    near = nearest(name, commands, MODELS if path.endswith(" fit") else COMMANDS)
    if near is None and Path(name).suffix:
        command = "l1" if path.endswith(" fit") else "solve" if name.endswith(".toml") else "fit l1"
        return f'Name the command first, as in "{path} {command} {name}".'
    model = nearest(name, ("simplex", "l1", "ensemble"), MODELS) if near == "fit" else None
    if name in ("help", "version"):
        return f'Give "greedyhull --{name}".'
    if near is None:
        return f"Its commands are {listed(commands)}."
    return f'Did you mean "{" ".join(filter(None, (path, near, model)))}"?'


def sentence(error: Any) -> str:
    """A usage error of typer in our words: what was given, what is wanted."""
    said, context = str(error.format_message()).strip(), vars(error).get("ctx")
    path = "greedyhull" if context is None else str(context.command_path)
    return f"{_worded(said, path, None if context is None else context.command)} See {path} --help."


def _worded(said: str, path: str, command: Any) -> str:
    option, value = OPTION.match(said), VALUE.match(said)
    if option:
        there = [name for one in command.params for name in (*one.opts, *one.secondary_opts)] if command is not None else []
        near = nearest(option[1], [name for name in there if name.startswith("--")], OPTIONS)
        hint = f" Did you mean --{near.lstrip('-')}?" if near else ""
        return f"{path} has no option {option[1]}.{hint}"
    if value:
        return f"{value[1]} must be {KINDS[value[2]]}."
    if said.startswith("Missing command") and command is not None:
        return f"{path} needs a command: {listed(list(command.commands), 'or')}."
    return said if said.endswith(("?", ".")) else f"{said}."


def listed(words: list[str], last: str = "and") -> str:
    """Words in a sentence.

    >>> listed(["simplex", "l1", "ensemble"])
    'simplex, l1 and ensemble'
    """
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), words[-1])))
