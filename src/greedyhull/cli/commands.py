"""The commands and their options; the jobs themselves are in files of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from greedyhull import __version__
from greedyhull.cli import fit_commands
from greedyhull.cli.options import Json, Problem, Quiet

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
app.add_typer(fit_commands.app, name="fit")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"greedyhull {__version__}")
        raise typer.Exit()


@app.callback()
def greedyhull(
    context: typer.Context,
    debug: Annotated[bool, typer.Option("--debug", envvar="GREEDYHULL_DEBUG", help="Show where errors come from.")] = False,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Minimise convex functions over convex hulls of atoms, and prove how good the answer is.

    Exit codes: 0 done, and certified as asked; 1 short of the goal, a result could not be written, or an optional part is
    not installed; 2 asked wrongly; 3 an error inside greedyhull; 130 interrupted.
    """
    if isinstance(context.obj, dict):
        context.obj["debug"] = debug


@app.command()
def demo(
    budget: Annotated[float, typer.Option(help="The l1 budget: what the sizes of all weights may sum to.")] = 5.0,
    out: Annotated[Path, typer.Option(help="Where to write the page.")] = Path("greedyhull-demo.html"),
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing; only write the page.")] = False,
    json: Json = False,
) -> None:
    """Solve a real problem, certify the answer, explain it, and write one HTML page about it.

    It asks which measurements of a cell biopsy tell a malignant tumour from a benign one, under a budget that keeps
    the answer short. The data come with scikit-learn.
    """
    from greedyhull.cli.demo import run

    solution = run(budget, out, typer.echo if not (quiet or json) else lambda words: None, quiet or json)
    if json:
        from greedyhull.cli.console import Voice, certificate_fields

        Voice(as_json=True).result({"certificate": certificate_fields(solution.certificate), "reason": solution.reason,
                                    "files": {"report": str(out)}})


@app.command()
def solve(
    file: Problem,
    out: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Where results go, instead of the file's folder.")] = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Solve the problem that a TOML file describes; write the solution, its trace and a page about it.

    Exit codes: 0 the goal in [stop] is met and certified, 1 a limit came first, or a result could not be
    written and is printed, 2 the file or its data are wrong, or nothing can be written where the results go.
    """
    from greedyhull.cli.console import Voice
    from greedyhull.cli.solve import run

    raise typer.Exit(run(file, out, Voice(quiet, json)))


@app.command()
def certify(
    file: Problem,
    solution: Annotated[Path, typer.Argument(metavar="SOLUTION.npz", show_default=False,
                                             help="The point: from greedyhull solve, or any vector in .npz, .npy or text.")],
    gap: Annotated[float | None, typer.Option(help="The gap to meet; [stop] gap of the file if left out.")] = None,
    tol: Annotated[float | None, typer.Option(help="How far outside the set the point may lie, relative to its size.")] = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Prove afresh how far a stored point can be from the minimum, whoever found it.

    Exit codes: 0 the gap is small enough, or none was asked for; 1 it is too large; 2 a file is wrong, or the point lies
    outside the set.
    """
    from greedyhull.cli.certify import run
    from greedyhull.cli.console import Voice

    raise typer.Exit(run(file, solution, gap, tol, Voice(quiet, json)))


@app.command()
def doctor(quiet: Quiet = False, json: Json = False) -> None:
    """Look at the installation: versions, linear algebra, compiled kernels, optional parts, a small self-test.

    Exit codes: 0 the self-test passed, 1 it did not.
    """
    from greedyhull.cli.console import Voice
    from greedyhull.cli.doctor import run

    raise typer.Exit(run(Voice(quiet, json)))


@app.command()
def paper(
    out: Annotated[Path, typer.Option(help="The folder for the page and its data; it is made.")] = Path("greedyhull-paper"),
    quick: Annotated[bool, typer.Option("--quick", help="Smaller sizes and fewer runs: about a minute.")] = False,
    seed: Annotated[int, typer.Option(help="Where the random numbers begin; the same seed gives the same page.")] = 0,
    only: Annotated[list[str] | None, typer.Option(help="Run this experiment alone, by name; may be given again.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing; only write the page.")] = False,
    json: Json = False,
) -> None:
    """Reproduce the paper: measure each of its statements and write one HTML page with figures and data.

    A few minutes on two cores. Exact worst cases are computed if PEPit is installed, which comes with the
    extra paper: pip install -e ".[paper]", in the checkout.
    Exit codes: 0 all findings hold, 1 one does not, 2 asked wrongly.
    """
    from greedyhull.cli.paper import run

    code = run(out, quick, seed, only or [], typer.echo if not (quiet or json) else lambda words: None, quiet or json)
    if json:
        from greedyhull.cli.console import Voice

        Voice(as_json=True).result({"met": code == 0, "files": {"report": str(out / "index.html")}})
    raise typer.Exit(code)
