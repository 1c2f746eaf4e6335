"""The command line: ``greedyhull --help`` lists its commands; docs/howto/command_line.md describes them.

Everything heavy is imported by the command that needs it, so that help is quick.
"""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Sequence

DONE = 0  # done, and certified as requested
SHORT = 1  # short of the goal: a limit came first, a gap is too large, a test fails, a result could not be written
WRONG = 2  # wrong usage: an option, a file, data


PLAIN = {"−": "-", "…": "...", "→": "->", "≤": "<=", "≥": ">=", "·": "*", "×": "x", "²": "^2", "±": "+-", "∞": "inf", "—": "-"}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with one of the codes above."""
    codecs.register_error("greedyhull", _plainly)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # None without a console
            stream.reconfigure(errors="greedyhull")
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: Sequence[str]) -> int:
    """The exit code of one command; an error is one paragraph on stderr, with its traceback only if ``--debug`` is given."""
    from greedyhull.cli.commands import app

    found = {"debug": bool(os.environ.get("GREEDYHULL_DEBUG"))}
    try:
        return int(app(list(arguments) or ["--help"], prog_name="greedyhull", standalone_mode=False, obj=found) or 0)
    except KeyboardInterrupt:
        return _complain("Interrupted.", 130)  # Ctrl-C before there was a result
    except Exception as error:
        if found["debug"]:
            import traceback

            traceback.print_exc()
        return _complain(*_message(error, "--json" in arguments))


def _plainly(error: UnicodeError) -> tuple[str | bytes, int]:
    """What to write for a character that the stream's encoding lacks: our signs in ASCII, and others by their number."""
    if isinstance(error, UnicodeEncodeError) and error.object[error.start] in PLAIN:
        return PLAIN[error.object[error.start]], error.start + 1
    if isinstance(error, UnicodeEncodeError):
        error.end = error.start + 1
    return codecs.backslashreplace_errors(error)


def _message(error: Exception, as_json: bool) -> tuple[str, int]:
    """What to say of an error, and the exit code."""
    from greedyhull.cli.console import Unwritten
    from greedyhull.errors import GreedyhullError

    if isinstance(error, Unwritten):
        error.printed(as_json)
        return str(error), SHORT
    if isinstance(error, GreedyhullError):
        return str(error), WRONG
    if isinstance(error, ModuleNotFoundError):
        return str(error), 1  # nothing could be done: an optional part is not installed
    if hasattr(error, "format_message") and hasattr(error, "exit_code"):  # typer's versions share no public base of these
        from greedyhull.cli.suggestions import sentence

        return sentence(error), int(error.exit_code)
    if isinstance(error, OSError):
        return f"{error.strerror or error}: {error.filename}." if error.filename else f"{error}.", WRONG
    return (f"This is a bug in greedyhull: {type(error).__name__}: {error}. Please report it, with the traceback that "
            "greedyhull --debug prints."), 3  # an error inside greedyhull


def _complain(sentence: str, code: int) -> int:
    print(f"greedyhull: {sentence}", file=sys.stderr)
    return code
