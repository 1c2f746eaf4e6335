"""Squares of observed entries: written out they say the same, and runs end at the optimum."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.points.coordinate_iterate import CoordinateIterate

rng = np.random.default_rng(7)


def entries(shape, share):
    i, j = np.nonzero(rng.random(shape) < share)
    order = rng.permutation(len(i))  # places may come in any order
    return i[order], j[order], rng.standard_normal(len(i)) + np.sin(i[order]) * 2.0


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weights", [False, True])
def test_written_out_they_say_the_same(weights, dtype):
    i, j, v = entries((9, 6), 0.5)
    f = gh.completion(i, j, v.astype(dtype), (9, 6), sample_weight=rng.random(len(v)) if weights else None)
    model = f if f.traits.written else None
    assert model is not None
    form, unit = model.equations().form(1.0), model.equations().unit
    W = rng.standard_normal((9, 6))
    told = unit * (0.5 * float(np.vdot(W, form.product(W, None))) - float(np.vdot(W, form.B)))
    difference = f.value(CoordinateIterate(W)) - f.value(CoordinateIterate(0.0 * W))
    assert difference == pytest.approx(told, rel=1e-12 if dtype is np.float64 else 1e-5)


def test_few_entries_and_other_losses_are_not_written_out():
    i, j, v = entries((30, 20), 0.1)
    assert not gh.completion(i, j, v, (30, 20)).traits.written
    i, j, v = entries((9, 6), 0.8)
    assert not gh.completion(i, j, v, (9, 6), loss="huber").traits.written


@pytest.mark.parametrize("shape", [(40, 12), (12, 40), (30, 1), (1, 30)])
@pytest.mark.parametrize("radius", [0.5, 20.0, 500.0])
def test_runs_end_at_the_optimum(shape, radius):
    i, j, v = entries(shape, 0.6)
    f, S = gh.completion(i, j, v, shape), gh.NuclearBall(shape, radius)
    fine = gh.minimize(f, S, stop=gh.Relative(1e-8) | gh.Iterations(40))
    rough = gh.minimize(f, S, stop=gh.Relative(1e-3))
    assert fine.converged and rough.converged
    assert rough.certificate.lower <= fine.value + 1e-12 and fine.certificate.lower <= rough.value


def test_a_copy_in_single_precision_is_the_same_function():
    i, j, v = entries((9, 6), 0.5)
    f = gh.completion(i, j, v, (9, 6), sample_weight=rng.random(len(v)))
    rough = f if f.traits.single else None
    assert rough is not None and rough.single() is rough.single()
    w = CoordinateIterate(rng.standard_normal((9, 6)))
    assert rough.single().value(w) == pytest.approx(f.value(w), rel=1e-5)
    assert f.gradient(w).dtype == np.float64 and rough.single().gradient(w).dtype == np.float32
    assert not gh.completion(i, j, v.astype(np.float32), (9, 6)).traits.single  # it is in float32 already


def test_runs_of_large_sparse_matrices_end_at_the_optimum():
    """Factors slide in single precision at first, and in double where that is not enough."""
    i, j, v = entries((170, 150), 0.08)
    f, S = gh.completion(i, j, v, (170, 150)), gh.NuclearBall((170, 150), 150.0)
    fine = gh.minimize(f, S, stop=gh.Relative(1e-6) | gh.Iterations(60))
    rough = gh.minimize(f, S, stop=gh.Relative(1e-3))
    assert fine.converged and rough.converged
    assert rough.certificate.lower <= fine.value + 1e-12 and fine.certificate.lower <= rough.value
