"""``greedyhull demo``: a sparse classifier for tumours, certified, explained in words and drawn on one page."""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from greedyhull.atoms.l1_ball import L1Ball
from greedyhull.cli.console import Unwritten, certificate_fields, check_file
from greedyhull.driver.minimize import minimize
from greedyhull.errors import check
from greedyhull.objectives.by_name import logistic
from greedyhull.report.sentences import NEEDED, need, used, words
from greedyhull.types import Array

if TYPE_CHECKING:
    from greedyhull.driver.solution import Solution
    from greedyhull.solvers.parts.progress import Event

Say = Callable[[str], Any]
TITLE = "Which measurements tell a malignant tumour from a benign one?"
MEASURED = ("radius", "texture", "perimeter", "area", "smoothness", "compactness", "concavity", "concave points", "symmetry",
            "fractal dimension")
NAMES = {"budget": "budget", "things": "measurements"}


class Biopsies(NamedTuple):
    """Standardised measurements and labels (1 benign, 0 malignant); every third sample is kept for the test."""

    X: Array
    y: Array
    X_test: Array
    y_test: Array
    names: list[str]


def run(budget: float, out: Path, say: Say) -> Solution:
    """The question, the answer, how it was found and what is proved; what is wrong with the request is said at once."""
    check(math.isfinite(budget) and budget > 0, f"A budget of {budget:g} was given; a positive number is wanted.")
    check_file(out)
    need("The demo", {"sklearn": "scikit-learn", **NEEDED}, "demo")
    data = biopsies()
    opening = (f"The data are {len(data.y) + len(data.y_test)} biopsies with {len(data.names)} measurements each, from the "
               "Wisconsin breast cancer study. A linear rule gives each measurement a weight. The absolute weights may sum to "
               f"at most {budget:g}; a small budget makes most of them zero.")
    say(f"{TITLE}\n")
    say(fill(opening, 100))
    solution, lines = solve(data, budget)
    explain(solution, lines, data, out, opening, say)
    return solution


def biopsies() -> Biopsies:
    """The data that scikit-learn bundles, each column with mean 0 and deviation 1 on the training part."""
    table, target, names = _bundled()
    held = np.arange(len(target)) % 3 == 2
    train, test = table[~held], table[held]
    centre, spread = train.mean(axis=0), train.std(axis=0)
    return Biopsies((train - centre) / spread, target[~held], (test - centre) / spread, target[held], names)


def _bundled() -> tuple[Array, Array, list[str]]:
    """Measurements, labels and names. They are read from the file itself where it is found, as importing scikit-learn takes
    longer than the rest of the demo."""
    found = find_spec("sklearn")
    folder = Path((found.submodule_search_locations or ["."])[0]) if found is not None else Path()
    file = folder / "datasets" / "data" / "breast_cancer.csv"
    if not file.is_file():
        from sklearn.datasets import load_breast_cancer

        bunch = load_breast_cancer()
        return bunch.data, bunch.target, [str(name) for name in bunch.feature_names]
    table = np.loadtxt(file, delimiter=",", skiprows=1)
    kinds = ("mean {}", "{} error", "worst {}")
    return table[:, :-1], table[:, -1].astype(int), [kind.format(name) for kind in kinds for name in MEASURED]


def solve(data: Biopsies, budget: float) -> tuple[Solution, list[str]]:
    """The whole problem in three lines, and what to print of its course."""
    f = logistic(data.X, data.y, intercept=True)
    S = L1Ball(len(data.names), radius=budget)
    lines: list[str] = []
    below = math.inf

    def note(event: Event) -> None:
        nonlocal below
        if event.gap <= below:  # a line whenever the gap has fallen tenfold
            below = event.gap / 10.0
            lines.append(f"  iteration {event.iteration:4d}   loss {event.value:.6f}   certified gap {event.gap:.1e}")

    return minimize(f, S, watch=note), lines


def explain(solution: Solution, lines: list[str], data: Biopsies, out: Path, opening: str, say: Say) -> None:
    """The result in words, here and on the page."""
    from greedyhull.report import write

    scores = data.X_test @ solution.point.array() + solution.intercept
    right = float(np.mean((scores > 0) == (data.y_test == 1)))
    chosen = used(solution, data.names)
    weights = [f"  {weight:+8.3f}  {name}" for name, weight in chosen]
    tested = ("A negative weight counts towards malignant, a positive one towards benign. The rule is right for "
              f"{right:.1%} of the {len(data.y_test)} biopsies that were kept for testing.")
    value, _, end, *price = words(solution, data.names, **NAMES)
    parts = [
        ("The answer", [f"The best rule uses {len(chosen)} of the {len(data.names)} measurements:"], weights, [tested]),
        ("How it was found", [f"The rule minimises the mean logistic loss on the other {len(data.y)} biopsies. In each "
                              "iteration the solver adds the measurements that help most and solves for all weights again:"],
         lines, [end]),
        ("What is proved", [value, *price], [], []),
    ]
    for title, before, shown, after in parts:
        say(f"\n{title}")
        for line in [*(fill(one, 100) for one in before), *shown, *(fill(one, 100) for one in after)]:
            say(line)
    try:
        write(solution, out, title=TITLE, names=data.names, opening=[opening], closing=[tested], **NAMES)
    except OSError as error:
        document = {"certificate": certificate_fields(solution.certificate), "reason": solution.reason}
        raise Unwritten({out: error}, "\n".join([value, *weights]), document) from error
    say(f"\nThe report, with figures: {out}")
