"""The commands and their options; the jobs themselves are in files of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from greedyhull import __version__

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"greedyhull {__version__}")
        raise typer.Exit()


@app.callback()
def greedyhull(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Minimise convex functions over convex hulls of atoms, and prove how good the answer is."""


@app.command()
def demo(
    budget: Annotated[float, typer.Option(help="The l1 budget: what the sizes of all weights may sum to.")] = 5.0,
    out: Annotated[Path, typer.Option(help="Where to write the page.")] = Path("greedyhull-demo.html"),
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing; only write the page.")] = False,
) -> None:
    """Solve a real problem, certify the answer, explain it, and write one HTML page about it.

    It asks which measurements of a cell biopsy tell a malignant tumour from a benign one, under a budget that keeps
    the answer short. The data come with scikit-learn.
    """
    from greedyhull.cli.demo import run

    run(budget, out, typer.echo if not quiet else lambda words: None, quiet)
