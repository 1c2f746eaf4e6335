"""States of the version before, whose blocks do not say of which kind they are: their points are read, and runs go on there.

The files in samples/ hold RUNS after a few iterations.
"""

from pathlib import Path

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.driver.checkpoint import load_state, save_state
from greedyhull.driver.resume import saved_point

SAMPLES = Path(__file__).with_name("samples")
X = (np.arange(32) * 7 % 11 - 5.0).reshape(8, 4) / 4.0
y = (np.arange(8) * 5 % 7 - 3.0) / 2.0
F = gh.least_squares(X, y)
ROWS = (np.arange(24) * 5 % 13 - 6.0).reshape(6, 4) / 8.0
BOX = gh.Box(np.full(4, -0.25), np.full(4, 0.25))
RUNS = {
    "basis": (gh.L1Ball(4, 0.5), gh.BlendedPairwise(), 4),
    "sparse": (gh.Simplex(4, upper=0.5), gh.BlendedPairwise(), 4),
    "dense": (BOX, gh.BlendedPairwise(), 4),
    "named": (gh.Vertices(ROWS), gh.BlendedPairwise(), 4),
    "coordinates": (gh.L2Ball(4, 0.5), gh.FrankWolfe(), 4),
    "cached": (gh.Cached(gh.L1Ball(4, 0.5)), gh.FrankWolfe(), 4),
    "working": (BOX, gh.Corrective(), 1),
}


@pytest.mark.parametrize("name", RUNS)
def test_the_point_is_that_of_the_run(name):
    S, solver, k = RUNS[name]
    state = load_state(SAMPLES / f"{name}.npz")
    assert int(state["version"]) == 2 and not any(entry.endswith(("block.kind", "block.home")) for entry in state)
    w, want = saved_point(state, S), gh.minimize(F, S, solver, stop=gh.Iterations(k)).point
    assert np.allclose(w.array(), want.array(), rtol=0, atol=1e-12)
    assert not (w.keeps_atoms and want.keeps_atoms) or list(w.block.keys) == list(want.block.keys)


@pytest.mark.parametrize("name", RUNS)
def test_the_run_goes_on(name):
    S, solver, k = RUNS[name]
    with pytest.warns(gh.GreedyhullWarning, match="for the library changed"):
        s = gh.minimize(F, S, solver, stop=gh.Iterations(k + 3), resume=SAMPLES / f"{name}.npz")
    first, best = gh.minimize(F, S, solver, stop=gh.Iterations(k)), gh.minimize(F, S, stop=gh.Gap(1e-9))
    assert s.value - best.value <= s.gap + 1e-9 and S.contains(s.point) and "taken over" in s.reason
    assert s.value <= first.value + 1e-12


def test_those_of_version_one_are_refused_in_words(tmp_path):
    S, solver, _ = RUNS["basis"]
    save_state(tmp_path / "r.npz", {**load_state(SAMPLES / "basis.npz"), "version": np.array(1)})
    with pytest.raises(gh.GreedyhullError, match=r"another version of greedyhull.*Solve again"):
        gh.minimize(F, S, solver, resume=tmp_path / "r.npz")
