"""Suggestions for names of commands, options and keys that do not exist."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from typer.core import TyperGroup

from greedyhull.errors import GreedyhullError

COMMANDS = {
    **dict.fromkeys(("minimize", "minimise", "optimize", "optimise", "run"), "solve"),
    **dict.fromkeys(("check", "verify", "prove", "gap"), "certify"), **dict.fromkeys(("info", "env", "selftest"), "doctor"),
    **dict.fromkeys(("example", "examples", "tutorial", "try"), "demo"),
    **dict.fromkeys(("experiments", "reproduce"), "paper"),
    **dict.fromkeys(("train", "regress", "classify", "lasso", "l1", "simplex", "ensemble"), "fit"),
}
MODELS = {
    **dict.fromkeys(("lasso", "sparse", "linear", "logistic", "l1_budget", "l1_ball", "budget"), "l1"),
    **dict.fromkeys(("mixture", "portfolio", "shares", "nonnegative", "convex"), "simplex"),
    **dict.fromkeys(("stack", "stacking", "blend", "blending", "vote", "voting"), "ensemble"),
}
OPTIONS = {
    **dict.fromkeys(("cv", "n_folds", "k"), "folds"), **dict.fromkeys(("lambda", "penalty", "price"), "alpha"),
    **dict.fromkeys(("label", "labels", "y"), "target"), **dict.fromkeys(("columns", "x"), "features"),
    **dict.fromkeys(("drop", "ignore", "without"), "exclude"), **dict.fromkeys(("output", "o", "save"), "out"),
    **dict.fromkeys(("iterations", "n_iter"), "max-iter"), **dict.fromkeys(("gap", "eps", "tolerance"), "tol"),
    **dict.fromkeys(("tol", "eps", "tolerance"), "gap"), **dict.fromkeys(("radius", "size"), "budget"),
    **dict.fromkeys(("budget", "size"), "radius"), **dict.fromkeys(("silent", "s"), "quiet"),
    **dict.fromkeys(("weights", "sample_weights"), "sample-weight"), **dict.fromkeys(("scale", "normalize"), "standardize"),
    **dict.fromkeys(("tau", "q"), "quantile"), **dict.fromkeys(("sum",), "total"), "fit_intercept": "intercept",
}
IN_FILES = {
    **dict.fromkeys(("squared", "mse", "ols", "l2", "linear"), "least_squares"), "log_loss": "logistic", "mae": "absolute",
    **dict.fromkeys(("l1", "lasso"), "l1_ball"), "l2_norm": "l2_ball", "fw": "frank_wolfe",
    **dict.fromkeys(("conditional_gradient", "cg"), "frank_wolfe"), "sfw": "stochastic_frank_wolfe",
    **dict.fromkeys(("tol", "tolerance", "rtol"), "relative"),
    **dict.fromkeys(("max_iter", "maxiter", "n_iter"), "iterations"),
    **dict.fromkeys(("timeout", "time", "time_limit"), "seconds"), **dict.fromkeys(("path", "filename"), "file"),
    **dict.fromkeys(("label", "y"), "target"), **dict.fromkeys(("columns", "x"), "features"),
    **dict.fromkeys(("fit_intercept", "bias"), "intercept"), **dict.fromkeys(("tau", "quantile"), "q"),
    **dict.fromkeys(("ridge", "l2_penalty", "weight_decay"), "l2"),
    **dict.fromkeys(("budget", "size"), "radius"), **dict.fromkeys(("type", "name"), "kind"),
    **dict.fromkeys(("random_state", "rng"), "seed"), "constraint": "set", "loss": "objective", "algorithm": "solver",
}


def nearest(word: object, names: Iterable[str], known: Mapping[str, str] | None = None) -> str | None:
    """The name that comes nearest to a word, however this is spelt; ``known`` are words of other programs and our names.

    >>> nearest("L1Ball", ["l1_ball", "l2_ball"]), nearest("lasso", ["simplex", "l1"], MODELS), nearest("zzz", ["l1"])
    ('l1_ball', 'l1', None)
    """
    from difflib import get_close_matches

    by_plain = {_plain(name): name for name in names}
    plain = _plain(word)
    close = [plain] if plain in by_plain else get_close_matches(plain, list(by_plain), n=1, cutoff=0.7)
    if close:
        return by_plain[close[0]]
    said = {_plain(other): name for other, name in (known or {}).items() if _plain(name) in by_plain}
    if plain in said:
        return said[plain]
    near = get_close_matches(plain, list(by_plain), n=1)
    begun = [name for short, name in by_plain.items() if len(plain) > 2 and short.startswith(plain)]
    return by_plain[near[0]] if near else begun[0] if len(begun) == 1 else None


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
    command = None if context is None else context.command
    option, value = OPTION.match(said), VALUE.match(said)
    if option:
        there = [name for one in command.params for name in (*one.opts, *one.secondary_opts)] if command is not None else []
        near = nearest(option[1], [name for name in there if name.startswith("--")], OPTIONS)
        said = f"{path} has no option {option[1]}." + (f" Did you mean --{near.lstrip('-')}?" if near else "")
    elif value:
        said = f"{value[1]} must be {'a number' if value[2] in ('float', 'number') else 'a whole number'}."
    elif said.startswith("Missing command") and command is not None:
        said = f"{path} needs a command: {listed(list(command.commands), 'or')}."
    return f"{said if said.endswith(('?', '.')) else f'{said}.'} See {path} --help."


def listed(words: list[str], last: str = "and") -> str:
    """Words in a sentence.

    >>> listed(["simplex", "l1", "ensemble"])
    'simplex, l1 and ensemble'
    """
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def one_of(given: object, allowed: list[str], known: Mapping[str, str] | None = None) -> str:
    """What to say of a word that is not among those allowed; ``known`` are words of other programs and our names."""
    near = nearest(given, allowed, known)
    hint = f' Did you mean "{near}"?' if near else ""
    return f"{shown(given)} was given; one of {', '.join(allowed)} is wanted.{hint}"


def shown(given: object) -> str:
    """A value as the file has it, shortened."""
    words = f'"{given}"' if isinstance(given, str) else str(given).lower() if isinstance(given, bool) else str(given)
    return words if len(words) <= 60 else f"{words[:57]}..."
