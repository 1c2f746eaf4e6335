"""Least absolute deviations and l1 support vector machines on real data, against vertices that linear programs found."""

import json
from typing import Any

import pytest
from problems import ABSENT, FOLDER, _classification, _regression

import greedyhull as gh

KINDS = {"l1-constrained least absolute deviations (nonsmooth)": (gh.absolute, _regression),
         "l1-constrained hinge loss (l1-SVM, nonsmooth)": (gh.hinge, _classification)}
WANTED = {(50, "diabetes"), (52, "golub"), (54, "breast_cancer"), (55, "a1a"), (57, "golub")}


def entries() -> list[Any]:
    if not (FOLDER / "references.json").is_file():
        return [pytest.param(None, marks=pytest.mark.skip(reason=ABSENT))]
    found = [entry for entry in json.loads((FOLDER / "references.json").read_text())
             if (entry["id"], entry["dataset"]) in WANTED]
    return [pytest.param(entry, id=f"{entry['id']}-{entry['dataset']}") for entry in found]


@pytest.mark.parametrize("entry", entries())
def test_one_in_a_million_is_certified_and_true(entry: Any) -> None:
    make, load = KINDS[entry["problem"]]
    X, y = load(entry["dataset"])
    f, S = make(X, y), gh.L1Ball(X.shape[1], entry["radius"])
    noise = entry["precision"] + 1e-12 * abs(entry["optimum"])

    def watch(event: Any) -> None:
        assert event.lower <= entry["optimum"] + noise and event.value >= entry["optimum"] - noise

    s = gh.minimize(f, S, stop=gh.Relative(1e-6) | gh.Iterations(200), watch=watch)
    assert s.converged and s.certificate.kind == "always" and s.value is not None
    assert s.value - entry["optimum"] <= 1e-6 * max(entry["optimum"], f.scale)
    again = gh.certify(f, S, s.point.array())
    assert again.gap is not None and again.gap <= 2e-6 * s.trace.value[0] and again.lower <= entry["optimum"] + noise
