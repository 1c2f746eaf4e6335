"""Stored references over the K-sparse polytope and over groups."""

import json

import numpy as np
import pytest
from problems import ABSENT, FOLDER

import greedyhull as gh

pytestmark = pytest.mark.skipif(not (FOLDER / "references.json").exists(), reason=ABSENT)


def stored(number):
    found = json.loads((FOLDER / "references.json").read_text())
    return next(entry for entry in found if entry["id"] == number)


def test_the_k_sparse_reference_is_met():
    z, known = np.load(FOLDER / "dense" / "diabetes.npz"), stored(119)
    f = gh.least_squares(z["X"], z["y"] - z["y"].mean())
    s = gh.minimize(f, gh.KSparse(10, 3, 300.0), stop=gh.Relative(1e-12))
    assert s.value == pytest.approx(known["optimum"], rel=1e-11)
    assert s.certificate.lower <= known["optimum"] + known["precision"]
    assert gh.certify(f, gh.KSparse(10, 3, 300.0), np.array(known["solution"])).gap <= 1e-8


def test_the_group_reference_is_met():
    z, known = np.load(FOLDER / "dense" / "DNA.npz", allow_pickle=True), stored(120)
    X, y = z["X"].astype(float), np.where(z["y"] == "n", 1.0, -1.0)
    f = gh.least_squares(X - X.mean(axis=0), y - y.mean())
    s = gh.minimize(f, gh.GroupL1Ball(np.repeat(np.arange(60), 3), 3.0), stop=gh.Relative(1e-9))
    assert s.value == pytest.approx(known["optimum"], rel=1e-8) and s.certificate.lower <= known["optimum"] * (1 + 1e-12)
