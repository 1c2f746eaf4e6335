"""The command line: ``greedyhull demo``, ``greedyhull --help``, ``greedyhull --version``.

Everything heavy is imported by the command that needs it, so that help is quick.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 if all went well, 1 if the job failed, 2 if it was asked wrongly."""
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: Sequence[str]) -> int:
    """The exit code of one command; an error becomes one sentence on stderr."""
    from greedyhull.cli.commands import app
    from greedyhull.errors import GreedyhullError

    try:
        return int(app(list(arguments) or ["--help"], prog_name="greedyhull", standalone_mode=False) or 0)
    except GreedyhullError as error:
        return _complain(str(error), 2)
    except ModuleNotFoundError as error:
        return _complain(str(error), 1)
    except KeyboardInterrupt:
        return _complain("Interrupted.", 130)
    except Exception as error:  # typer's usage errors have no public common base in all its versions
        if not hasattr(error, "format_message"):
            raise
        said = str(error.format_message()).rstrip(".")
        return _complain(f"{said}. See greedyhull --help.", int(getattr(error, "exit_code", 2)))


def _complain(sentence: str, code: int) -> int:
    print(f"greedyhull: {sentence}", file=sys.stderr)
    return code
