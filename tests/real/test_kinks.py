"""Least absolute deviations and l1 support vector machines: subgradients alone come within one per cent."""

import json
from typing import Any

import pytest
from problems import ABSENT, FOLDER, loaders

import greedyhull as gh

FILE = FOLDER / "references.json"
ENTRIES = [entry for entry in (json.loads(FILE.read_text()) if FILE.exists() else []) if "nonsmooth" in entry["problem"]]
SKIPPED = pytest.param(None, marks=pytest.mark.skip(reason=ABSENT))


@pytest.mark.parametrize("entry", ENTRIES or [SKIPPED], ids=lambda it: f"{it['id']}-{it['dataset']}" if it else "absent")
def test_arsfw_comes_within_one_per_cent(entry: Any) -> None:
    absolute = "absolute" in entry["problem"]
    X, y = (loaders().regression if absolute else loaders().classification)(entry["dataset"])
    f, S = (gh.absolute if absolute else gh.hinge)(X, y), gh.L1Ball(X.shape[1], entry["radius"])
    optimum, precision = entry["optimum"], entry["precision"]
    close = gh.Callback(lambda event: event.value <= 1.01 * optimum)
    s = gh.minimize(f, S, gh.RegularizedStochasticFrankWolfe(), stop=close | gh.Iterations(30_000))
    assert optimum - precision - 1e-9 * optimum <= s.value <= 1.01 * optimum
    assert s.certificate.kind == "always" and s.certificate.lower <= optimum * (1 + 1e-9)
