"""``greedyhull demo``: a sparse classifier for tumours, certified, explained in words and drawn on one page."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from greedyhull.atoms.l1_ball import L1Ball
from greedyhull.cli.console import certificate_fields
from greedyhull.cli.outputs import Unwritten, check_file
from greedyhull.driver.minimize import minimize
from greedyhull.errors import check, installing
from greedyhull.objectives.by_name import logistic
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


def run(budget: float, out: Path, say: Say, quiet: bool = False) -> Solution:
    """Solve, explain and write the page; what is wrong with the request is said before anything is computed."""
    check(math.isfinite(budget) and budget > 0, f"A budget of {budget:g} was given; a positive number is wanted.")
    check_file(out)
    _need_extras()
    data = biopsies()
    opening = [
        f"The data are {len(data.y) + len(data.y_test)} biopsies with {len(data.names)} measurements each, from the "
        "Wisconsin breast cancer study; every third one is kept for a test.",
        f"Solved was: the mean logistic loss on the other {len(data.y)}, over all linear rules whose weights, taken "
        f"without sign, sum to at most {budget:g}. The budget is what keeps the rule short.",
    ]
    say(f"{TITLE}\n")
    for sentence in opening:
        say(wrapped(sentence))
    solution = solve(data, budget, say, quiet)
    explain(solution, data, out, opening, say)
    return solution


def biopsies() -> Biopsies:
    """The data that scikit-learn bundles, each column with mean 0 and deviation 1 on the training part."""
    table, target, names = _bundled()
    held = np.arange(len(target)) % 3 == 2
    train, test = table[~held], table[held]
    centre, spread = train.mean(axis=0), train.std(axis=0)
    return Biopsies((train - centre) / spread, target[~held], (test - centre) / spread, target[held], names)


def _bundled() -> tuple[Array, Array, list[str]]:
    """Measurements, labels and names, from the file itself where it is found: to import scikit-learn takes longer than
    all the rest of the demo."""
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


def solve(data: Biopsies, budget: float, say: Say, quiet: bool) -> Solution:
    """The whole problem in three lines, and its progress on a terminal or in plain lines."""
    terminal = sys.stderr is not None and sys.stderr.isatty()
    f = logistic(data.X, data.y, intercept=True)
    S = L1Ball(len(data.names), radius=budget)
    say("")
    return minimize(f, S, watch=() if quiet or terminal else Lines(say), progress=terminal and not quiet)


class Lines:
    """A watcher that says a plain line whenever the gap has fallen tenfold."""

    def __init__(self, say: Say) -> None:
        self.say, self.below = say, math.inf

    def __call__(self, event: Event) -> None:
        if event.gap <= self.below:
            self.below = event.gap / 10.0
            self.say(f"  iteration {event.iteration:4d}   value {event.value:.6f}   certified gap {event.gap:.1e}")


def explain(solution: Solution, data: Biopsies, out: Path, opening: list[str], say: Say) -> None:
    """The result in words, here and on the page."""
    from greedyhull.report import used, words, write

    scores = data.X_test @ solution.point.array() + solution.intercept
    right = float(np.mean((scores > 0) == (data.y_test == 1)))
    closing = [f"On the {len(data.y_test)} biopsies kept for the test the rule is right {right:.1%} of the time. A positive "
               "weight speaks for benign, a negative one for malignant."]
    if solution.seconds > 1.0:
        again = minimize(solution.objective, solution.atom_set)
        closing.append("Most of the time was spent on compiling, once: a second run took "
                       f"{1000 * again.seconds:.0f} milliseconds.")
    said = words(solution, data.names, **NAMES)
    say("")
    for sentence in said + closing:
        say(wrapped(sentence))
    say("")
    weights = [f"  {weight:+8.3f}  {name}" for name, weight in used(solution, data.names)]
    for line in weights:
        say(line)
    try:
        write(solution, out, title=TITLE, names=data.names, opening=opening, closing=closing, **NAMES)
    except OSError as error:
        document = {"certificate": certificate_fields(solution.certificate), "reason": solution.reason}
        raise Unwritten({out: error}, "\n".join([*said, *weights]), document) from error
    say(f"\nThe page with the figure: {out}")


def wrapped(sentence: str) -> str:
    """The sentence in lines of at most 100 characters."""
    from textwrap import fill

    return fill(sentence, 100)


def _need_extras() -> None:
    missing = [name for module, name in (("sklearn", "scikit-learn"), ("matplotlib", "matplotlib"), ("jinja2", "Jinja2"))
               if find_spec(module) is None]
    if missing:
        raise ModuleNotFoundError(f"The demo needs {', '.join(missing)}, which {'is' if len(missing) == 1 else 'are'} not "
                                  f"installed. {installing('demo')}")
