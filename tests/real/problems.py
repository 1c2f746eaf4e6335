"""The reference problems as objectives and sets of ours.

The data folder is ``$GREEDYHULL_DATA``, else ``../shared/data`` seen from the project's root. What is read when tests are
collected is its `references.json` alone; arrays are loaded when a problem is first built, and kept for the process.
"""

from __future__ import annotations

import csv
import importlib.util
import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, norm

import greedyhull as gh

FOLDER = Path(os.environ.get("GREEDYHULL_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
ABSENT = f"no reference data: {FOLDER} holds no references.json (set GREEDYHULL_DATA)"
BIG = 20_000  # rows beyond which only the default solver is run

Built = tuple[Any, Any]  # an objective and a set
Place = Callable[[str], int]  # where a key of a stored solution is in w


@dataclass(frozen=True, eq=False)
class Problem:
    """min f over S: optimum − precision ≤ min f ≤ optimum."""

    id: int
    name: str
    optimum: float
    precision: float
    build: Callable[[], Built]
    place: Place
    stored: Any
    data: Callable[[], Any] | None = None  # the raw (X, y), where the objective is made from them alone
    big: bool = False

    def __str__(self) -> str:
        return f"{self.id}-{self.name}"

    @property
    def built(self) -> Built:
        """(f, S), made once; skips the test where the data or the set are not there."""
        return _built(self)

    @property
    def solution(self) -> Any:
        """The stored reference solution, an array."""
        if isinstance(self.stored, list):
            return np.array(self.stored)
        w = np.zeros(self.built[1].shape)
        for key, weight in self.stored.items():
            w[self.place(key)] += weight
        return w


@cache
def _built(problem: Problem) -> Built:
    try:
        return problem.build()
    except FileNotFoundError as error:
        pytest.skip(f"{Path(str(error.filename)).name} is not in the data folder")


def named(name: str) -> Any:
    """A set by its public name; skips where it does not exist yet."""
    found = getattr(gh, name, None)
    if found is None:
        pytest.skip(f"greedyhull has no {name} yet")
    return found


def parametrised(keep: Callable[[Problem], bool] = lambda problem: True) -> pytest.MarkDecorator:
    """Decorates a test with one case for each problem, or with a single one that is skipped."""
    kept = [problem for problem in PROBLEMS if keep(problem)]
    cases = [pytest.param(problem, id=str(problem)) for problem in kept]
    return pytest.mark.parametrize("problem", cases or [pytest.param(None, marks=pytest.mark.skip(reason=ABSENT))])


# --- one function for each kind of entry ------------------------------------------------------------------------------


def lasso(entry: Any) -> Iterator[Problem]:
    yield _in_ball(entry, "lasso", gh.least_squares, "L1Ball")


def logistic(entry: Any) -> Iterator[Problem]:
    yield _in_ball(entry, "logistic", gh.logistic, "L1Ball")


def l2_ball(entry: Any) -> Iterator[Problem]:
    yield _in_ball(entry, "l2ball", gh.least_squares, "L2Ball")


def linf_ball(entry: Any) -> Iterator[Problem]:
    yield _in_ball(entry, "linfball", gh.least_squares, "LinfBall")
    r = np.full(entry["shape"][1], entry["radius"])
    build = lambda: (gh.least_squares(*_regression(entry["dataset"])), named("Box")(-r, r))
    yield _problem(entry, f"box-{entry['dataset']}-{entry['radius']:g}", build)


def synthetic_control(entry: Any) -> Iterator[Problem]:
    name = re.split(r"[.\s]", entry["dataset"])[0]
    data, place = lambda: _panel(name)[:2], lambda key: _panel(name)[2].index(key)
    yield from _simplex_and_vertices(entry, f"control-{name}", data, place)


def basque_inner(entry: Any) -> Iterator[Problem]:
    """½‖Aw − b‖², so n times ours."""
    arrays = partial(_npz, "synthetic_control/basque_inner_problem.npz")
    place = lambda key: arrays()["donors"].tolist().index(key)
    yield from _simplex_and_vertices(entry, "control-inner", lambda: (arrays()["A"], arrays()["b"]), place, entry["shape"][0])


def stacking(entry: Any) -> Iterator[Problem]:
    arrays = partial(_npz, entry["dataset"])
    place = lambda key: arrays()["models"].tolist().index(key)
    yield _on_simplex(entry, "stacking-diabetes", lambda: gh.least_squares(arrays()["Z"], arrays()["y"]), place)


def index_tracking(entry: Any) -> Iterator[Problem]:
    number = int(entry["dataset"][-1])
    yield _on_simplex(entry, f"tracking-{number}", lambda: gh.least_squares(*loaders().index_tracking(number)))


def mixture(entry: Any) -> Iterator[Problem]:
    name = re.split(r"[/.]", entry["dataset"])[1]
    place = lambda key: int(np.abs(_mixture(name)[1] - float(key)).argmin())
    yield _on_simplex(entry, f"mixture-{name}", lambda: gh.log_likelihood(_mixture(name)[0]), place)


def log_optimal(entry: Any) -> Iterator[Problem]:
    """−Σ log(r_t·w), so n times ours."""
    name = Path(entry["dataset"].split()[0]).stem
    build = lambda: gh.log_likelihood(_relatives(name))
    yield _on_simplex(entry, f"growth-{name}", build, times=entry["shape"][0 if name != "syn_200_200" else 1])


def markowitz(entry: Any) -> Iterator[Problem]:
    number, share = int(entry["dataset"][-1]), float(entry["objective"].rpartition("=")[2])

    def build() -> Any:
        mu, Sigma, _ = loaders().orlib_portfolio(number)
        return gh.quadratic(2 * share * Sigma, (1 - share) * mu)

    yield _on_simplex(entry, f"markowitz-{number}-{share:g}", build)


def svm_dual(entry: Any) -> Iterator[Problem]:
    name = Path(entry["dataset"]).stem

    def build() -> Any:
        X, y = _classification(name)
        X = X.toarray() if hasattr(X, "toarray") else X
        return gh.quadratic(2 * (np.outer(y, y) * (X @ X.T + 1) + np.eye(len(y))))

    yield _on_simplex(entry, f"svm-dual-{name}", build)


def enclosing_ball(entry: Any) -> Iterator[Problem]:
    name = Path(entry["dataset"]).stem

    def build() -> Any:
        X = _classification(name)[0] if name == "breast_cancer" else _npz(f"dense/{name}.npz")["X"].astype(float)
        K = X @ X.T
        return gh.quadratic(2 * K, K.diagonal())

    yield _on_simplex(entry, f"ball-{name}", build)


KINDS: dict[str, Callable[[Any], Iterator[Problem]]] = {
    "l1-constrained least squares (lasso, constrained form)": lasso,
    "l1-constrained logistic regression": logistic,
    "l2-ball-constrained least squares": l2_ball,
    "box-constrained least squares": linf_ball,
    "synthetic control: simplex-constrained least squares on pre-treatment outcomes": synthetic_control,
    "synthetic control inner problem with published predictor weights V": basque_inner,
    "ensemble stacking: simplex-constrained least squares on out-of-fold predictions": stacking,
    "index tracking: simplex-constrained least squares of weekly returns": index_tracking,
    "NPMLE of a mixing distribution on a fixed grid (Kiefer-Wolfowitz)": mixture,
    "log-optimal / best constant rebalanced portfolio": log_optimal,
    "Markowitz mean-variance portfolio, long only": markowitz,
    "L2-loss SVM dual (core vector machine form)": svm_dual,
    "minimum enclosing ball (dual)": enclosing_ball,
}


def _problem(entry: Any, name: str, build: Callable[[], Built], place: Place = int, times: float = 1.0) -> Problem:
    """``times``: how many times our objective the reference's is."""
    optimum, precision = entry["optimum"] / times, entry["precision"] / times
    return Problem(entry["id"], name, optimum, precision, build, place, entry.get("solution"))


def _in_ball(entry: Any, kind: str, objective: Callable[..., Any], ball: str) -> Problem:
    (n, d), radius, dataset = entry["shape"], entry["radius"], entry["dataset"]
    data = partial(_classification if kind == "logistic" else _regression, dataset)
    problem = _problem(entry, f"{kind}-{dataset}-{radius:g}", lambda: (objective(*data()), named(ball)(d, radius)))
    return replace(problem, data=data, big=n > BIG)


def _on_simplex(entry: Any, name: str, objective: Callable[[], Any], place: Place = int, times: float = 1.0) -> Problem:
    def build() -> Built:
        f = objective()
        return f, gh.Simplex(f.domain[0])

    return _problem(entry, name, build, place, times)


def _simplex_and_vertices(entry: Any, name: str, data: Callable[[], Any], place: Place,
                          times: float = 1.0) -> Iterator[Problem]:
    """min ‖Aw − b‖² over the simplex, and min ‖z − b‖² over the hull of A's columns: the same optimum."""
    yield _on_simplex(entry, name, lambda: gh.least_squares(*data()), place, times)

    def build() -> Built:
        A, b = data()
        return gh.least_squares(np.eye(len(b)), b), named("Vertices")(np.ascontiguousarray(A.T))

    yield _problem({**entry, "solution": None}, f"vertices-{name}", build, place, times)


# --- data -------------------------------------------------------------------------------------------------------------


@cache
def loaders() -> Any:
    """The data folder's own loaders, which rebuild the arrays that the references were computed on."""
    spec = importlib.util.spec_from_file_location("greedyhull_reference_loaders", FOLDER / "loaders.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def _regression(name: str) -> Any:
    return loaders().regression(name)


@cache
def _classification(name: str) -> Any:
    return loaders().classification(name)


@cache
def _npz(path: str) -> dict[str, Any]:
    with np.load(FOLDER / path) as arrays:
        return dict(arrays)


@cache
def _panel(name: str) -> tuple[Any, Any, list[str]]:
    """Outcomes of the donors before the treatment (years x donors), of the treated unit, and the donors' names."""
    label, outcome, treated, left_out, before = {
        "smoking_tidysynth": ("state", "cigsale", "California", "", 1989),
        "basque": ("regionname", "gdpcap", "Basque Country (Pais Vasco)", "Spain (Espana)", 1970),
    }[name]
    series: dict[str, dict[float, float]] = {}
    with (FOLDER / "synthetic_control" / f"{name}.csv").open() as file:
        for row in csv.DictReader(file):
            if float(row["year"]) < before:
                series.setdefault(row[label], {})[float(row["year"])] = float(row[outcome])
    years = sorted(series[treated])
    donors = [unit for unit in series if unit not in (treated, left_out)]
    outcomes = np.array([[series[unit][t] for t in years] for unit in [treated, *donors]])
    return outcomes[1:].T, outcomes[0], donors


@cache
def _mixture(name: str) -> tuple[Any, Any]:
    """The likelihoods of the samples (rows) at the grid (columns), and the grid."""
    path = FOLDER / "mixture" / f"{name}.csv"
    if name == "tacks":
        x, k = np.loadtxt(path, delimiter=",", skiprows=1).T
        grid = np.linspace(0.0005, 0.9995, 1000)
        return binom.pmf(x[:, None], k[:, None], grid), grid
    x = np.loadtxt(path, delimiter=",", skiprows=1, usecols=2) if name == "faithful" else np.loadtxt(path)
    x = x / 1000 if name == "galaxy" else x
    grid, sd = {"galaxy": (np.linspace(5, 40, 701), 1.0), "acidity": (np.linspace(2.5, 7.5, 501), 0.35),
                "faithful": (np.linspace(40, 100, 601), 4.0), "tannenbaum": (np.linspace(x.min(), x.max(), 300), 1.0)}[name]
    return norm.pdf(x[:, None], grid, sd), grid


@cache
def _relatives(name: str) -> Any:
    if name == "syn_200_200":
        return np.loadtxt(FOLDER / "fw_examples" / "syn_200_200.csv", delimiter=",").T
    return loaders().price_relatives(name)


def _all() -> list[Problem]:
    if not (FOLDER / "references.json").is_file():
        return []
    entries = json.loads((FOLDER / "references.json").read_text())
    return [problem for entry in entries if entry["problem"] in KINDS for problem in KINDS[entry["problem"]](entry)]


PROBLEMS = _all()
