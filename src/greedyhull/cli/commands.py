"""The commands and their options; the jobs themselves are in files of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from greedyhull import __version__
from greedyhull.cli import fit_commands
from greedyhull.cli.options import Group, Json, Problem, Quiet, Scheduler, Workers

app = typer.Typer(cls=Group, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
app.add_typer(fit_commands.app, name="fit")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"greedyhull {__version__}")
        raise typer.Exit()


@app.callback()
def greedyhull(
    context: typer.Context,
    debug: Annotated[bool, typer.Option("--debug", envvar="GREEDYHULL_DEBUG", help="Print tracebacks.")] = False,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Minimise a convex function over the convex hull of a set of atoms, with a certified bound on the error.

    Start with "greedyhull demo", or with "greedyhull fit" on a table of your own.

    Exit codes: 0 success; 1 the requested gap was not reached, a result could not be written, or an optional package is not
    installed; 2 wrong usage or wrong input; 3 a bug in greedyhull; 130 interrupted.
    """
    if isinstance(context.obj, dict):
        context.obj["debug"] = debug


@app.command()
def demo(
    budget: Annotated[float, typer.Option(help="The l1 budget: an upper bound on the sum of the absolute weights.")] = 5.0,
    out: Annotated[Path, typer.Option(help="The HTML file to write.")] = Path("greedyhull-demo.html"),
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Solve an example with real data and write an HTML report.

    Which measurements of a biopsy tell a malignant tumour from a benign one? An l1 budget keeps the number of measurements
    small. The data come with scikit-learn.
    """
    from greedyhull.cli.demo import run

    solution = run(budget, out, typer.echo if not (quiet or json) else lambda words: None)
    if json:
        from greedyhull.cli.console import Voice, certificate_fields

        Voice(as_json=True).result({"certificate": certificate_fields(solution.certificate), "reason": solution.reason,
                                    "files": {"report": str(out)}})


@app.command()
def solve(
    file: Problem,
    out: Annotated[Path | None, typer.Option(metavar="FOLDER", help="The folder for the results.")] = None,
    checkpoint: Annotated[Path | None, typer.Option(metavar="FOLDER", help="A folder for the state of the run, from which "
                                                    "greedyhull resume continues it.")] = None,
    workers: Workers = None,
    scheduler: Scheduler = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Solve the problem described in a TOML file.

    Writes the solution, its trace and an HTML report.

    Exit codes: 0 the gap in [stop] is reached and certified; 1 a limit was reached first, or a result could not be written
    (it is printed instead); 2 the file or its data are wrong, or the output folder is not writable.
    """
    from greedyhull.cli.console import Voice
    from greedyhull.cli.solve import Saving, run

    raise typer.Exit(run(file, out, Voice(quiet, json), None if checkpoint is None else Saving(checkpoint),
                         workers, scheduler))


@app.command()
def resume(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", show_default=False,
                                           help="The folder that greedyhull solve --checkpoint wrote to.")],
    workers: Workers = None,
    scheduler: Scheduler = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Continue a solve that was interrupted.

    The run continues exactly where its state was saved last, and writes the results where greedyhull solve would have. The
    problem file may have another [stop]; what else has changed in it, or in its data, is an error that names the file.

    Exit codes: those of greedyhull solve.
    """
    from greedyhull.cli.console import Voice
    from greedyhull.cli.solve import Saving, read_kept, run

    kept = read_kept(folder)
    raise typer.Exit(run(kept.file, kept.out, Voice(quiet, json), Saving(folder, goes_on=True), workers, scheduler))


@app.command()
def certify(
    file: Problem,
    solution: Annotated[Path, typer.Argument(metavar="SOLUTION.npz", show_default=False,
                                             help="The point: from greedyhull solve, or any vector as .npz, .npy or text.")],
    gap: Annotated[float | None, typer.Option(help="The largest gap to accept. Default: gap in [stop].")] = None,
    tol: Annotated[float | None, typer.Option(help="How far outside the set the point may lie, relative to the set.")] = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Certify a stored point, from any program.

    Computes the duality gap of the point from the problem alone.

    Exit codes: 0 the gap is small enough, or no gap was requested; 1 it is too large; 2 a file is wrong, or the point lies
    outside the set.
    """
    from greedyhull.cli.console import Voice
    from greedyhull.cli.solve import certify_run as run

    raise typer.Exit(run(file, solution, gap, tol, Voice(quiet, json)))


@app.command()
def doctor(quiet: Quiet = False, json: Json = False) -> None:
    """Check the installation.

    Prints the versions, the BLAS library, the cache of compiled kernels and the optional packages, and runs a self-test.

    Exit codes: 0 the self-test passed; 1 it failed.
    """
    from greedyhull.cli.console import Voice
    from greedyhull.cli.doctor import run

    raise typer.Exit(run(Voice(quiet, json)))


@app.command()
def paper(
    out: Annotated[Path, typer.Option(help="The folder for the report and its data.")] = Path("greedyhull-paper"),
    quick: Annotated[bool, typer.Option("--quick", help="Smaller sizes and fewer runs; takes about a minute.")] = False,
    seed: Annotated[int, typer.Option(help="The random seed.")] = 0,
    only: Annotated[list[str] | None, typer.Option(help="Run only the experiment of this name; may be repeated.")] = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Reproduce the experiments of the paper.

    Measures each statement of the paper and writes an HTML report with figures and data. Takes a few minutes on two cores.
    Exact worst cases are computed if PEPit is installed, by the extra "paper": pip install -e ".[paper]", in the checkout.

    Exit codes: 0 all findings hold; 1 one does not; 2 wrong usage.
    """
    from greedyhull.cli.paper import run

    code = run(out, quick, seed, only or [], typer.echo if not (quiet or json) else lambda words: None, quiet or json)
    if json:
        from greedyhull.cli.console import Voice

        Voice(as_json=True).result({"met": code == 0, "files": {"report": str(out / "index.html")}})
    raise typer.Exit(code)
