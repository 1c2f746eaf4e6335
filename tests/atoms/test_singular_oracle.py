"""Proposals without a proof, and proofs on demand: always, or with a stated probability that is summed."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.atoms import singular_oracle

rng = np.random.default_rng(1)
G = rng.standard_normal((150, 140)) * (rng.random((150, 140)) < 0.1)


def oracle(seed=0):
    return gh.NuclearBall((150, 140), 2.0).oracle(np.random.default_rng(seed))


def test_proposals_promise_nothing_and_come_close():
    o = oracle()
    for _ in range(3):  # the later ones from the last top vector
        found = o.best(G, 5)
        assert found.slack == np.inf and 1 <= len(found.atoms) <= 5
    assert found.atoms.dots(G)[0] == pytest.approx(-2.0 * np.linalg.norm(G, 2), rel=1e-8)


def test_a_floor_is_proved_always_and_as_sharply_as_asked():
    true = -2.0 * np.linalg.norm(G, 2)
    for tol in (0.0, 1e-3, 1e-1):
        found = oracle().floor(G, tol)
        assert found.kind == "always" and true - 2.0 * tol - 1e-6 <= found.lower <= true


def test_where_any_bound_will_do_a_rough_one_is_given():
    true = -2.0 * np.linalg.norm(G, 2)
    assert oracle().floor(G, abs(true)).lower <= true


def test_large_matrices_are_proved_with_probability(monkeypatch):
    monkeypatch.setattr(singular_oracle, "FACTORED", 100)
    true, o, deltas = -2.0 * np.linalg.norm(G, 2), oracle(), []
    for _ in range(3):
        o.best(G, 1)
        found = o.floor(G, 0.01 * abs(true))
        assert found.kind == "probability" and 1.02 * true <= found.lower <= true
        deltas.append(found.delta)
    assert deltas == pytest.approx([1e-3 / 2, 1e-3 / 6, 1e-3 / 12])  # all of them together at most 1e-3
    i, j = np.nonzero(G)
    s = gh.minimize(gh.completion(i, j, G[i, j], G.shape), gh.NuclearBall(G.shape, 30.0),
                    stop=gh.Relative(1e-3) | gh.Iterations(20))
    assert s.converged and s.certificate.kind == "probability" and 0.0 < s.certificate.delta <= 2e-3


def test_few_rows_that_are_not_empty_are_proved_as_a_small_matrix(monkeypatch):
    monkeypatch.setattr(singular_oracle, "FACTORED", 1)
    from scipy.sparse import coo_array

    few = coo_array(([3.0, 4.0], ([7, 7], [1, 100])), shape=(150, 140))
    found = oracle().floor(few)
    assert found.kind == "always" and found.lower == pytest.approx(-10.0, rel=1e-11) and found.lower <= -10.0


def test_a_restored_oracle_goes_on_as_it_was():
    o, other = oracle(), oracle(5)
    o.best(G, 3)
    other.restore(o.state())
    assert o.best(G + 1.0, 3).atoms.keys == other.best(G + 1.0, 3).atoms.keys
    assert o.floor(G, 0.1) == other.floor(G, 0.1)


def test_a_tolerance_takes_fewer_steps_and_is_nearly_always_kept(monkeypatch):
    top, missed = np.linalg.norm(G, 2), 0
    for seed in range(30):
        o = oracle(seed)
        for tol in (1e-1, 1e-2):  # the second from the vector of the first
            score = o.best(G, 1, tol=2.0 * top * tol).atoms.dots(G)[0]
            missed += score > -2.0 * top * (1.0 - tol)
    assert missed <= 6
    made = []
    monkeypatch.setattr(singular_oracle.Bidiagonal, "_step", counted(singular_oracle.Bidiagonal._step, made))
    oracle().best(G, 1, tol=0.2 * top)
    few = len(made)
    oracle().best(G, 1)
    assert few < len(made) - few


def counted(step, made):
    def counting(self):
        made.append(1)
        step(self)

    return counting
