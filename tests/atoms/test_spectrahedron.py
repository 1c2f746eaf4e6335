"""The spectrahedron against eigenvalues, and projections onto it against those of the eigenvalues onto a simplex."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.atoms import singular_oracle as eigen_oracle
from greedyhull.extend import check_atoms


def nearest(T, trace):
    """The distance² of the nearest point, halved."""
    values = np.linalg.eigvalsh(0.5 * (T + T.T))
    u = np.sort(values)[::-1]
    cut = (np.cumsum(u) - trace) / np.arange(1, len(u) + 1)
    x = np.maximum(values - cut[np.flatnonzero(u > cut)[-1]], 0.0)
    return 0.5 * float(((x - values) ** 2).sum()) + 0.5 * float((((T - T.T) / 2) ** 2).sum())


def distance(T):
    return gh.function(lambda w: 0.5 * float(((w - T) ** 2).sum()), lambda w: w - T, T.shape, smoothness=1.0)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_the_kit_accepts_it(n):
    check_atoms(gh.Spectrahedron(n, 3.0), minimum=lambda g: 3.0 * np.linalg.eigvalsh(0.5 * (g + g.T))[0])


@pytest.mark.parametrize("n, trace", [(1, 2.0), (2, 0.1), (6, 2.0), (9, 50.0), (140, 8.0)])
@pytest.mark.parametrize("skew", [0.0, 0.3], ids=["symmetric", "not symmetric"])
def test_projections_are_found_and_no_bound_is_false(n, trace, skew):
    B = np.random.default_rng(n).standard_normal((n, n))
    T = (B + B.T) / np.sqrt(n) + skew * (B - B.T)
    S = gh.Spectrahedron(n, trace)
    s = gh.minimize(distance(T), S, gh.FrankWolfe(), stop=gh.Relative(1e-5) | gh.Iterations(60))
    least = nearest(T, trace)
    assert s.certificate.kind == "always" and s.certificate.lower <= least * (1 + 1e-12)
    assert least * (1 - 1e-12) - 1e-12 <= s.value <= least + s.gap and s.converged
    W = s.point.array()
    assert np.linalg.eigvalsh(W)[0] >= -1e-12 * trace and np.trace(W) == pytest.approx(trace, rel=1e-12)


def test_ties_and_zero_gradients_are_proved():
    S = gh.Spectrahedron(3, 2.0)
    for g, least in ((np.zeros((3, 3)), 0.0), (np.eye(3), 2.0), (-np.ones((3, 3)), -6.0)):
        answer = S.oracle(np.random.default_rng(0)).best(g, 2)
        score = answer.atoms[0].dot(g)
        assert score - answer.slack <= least <= score + 1e-12 and answer.slack <= 1e-10


def test_compressing_keeps_the_point():
    S = gh.Spectrahedron(6, 2.0)
    w = S.decompose(S.centre().array())
    for k in range(30):
        w.move(w.toward(S.argmin(np.random.default_rng(k % 2).standard_normal((6, 6)))), 0.1)
    block, weights = S.compressed(w.block, w.weights, 1e-12)
    assert len(block) <= 6 and np.abs(gh.extend.Iterate(block, weights, (6, 6)).array() - w.array()).max() < 1e-13


def test_a_quadratic_with_a_hessian_is_solved_in_rounds():
    s = gh.minimize(gh.completion([0, 1], [0, 1], [0.8, 0.4], (2, 2)), gh.Spectrahedron(2), stop=gh.Gap(1e-10))
    assert s.converged and s.point.entries([0, 1], [0, 1]) == pytest.approx([0.7, 0.3], abs=1e-5)


@pytest.mark.parametrize("n", [5, 140])
def test_gradients_without_a_symmetric_part_are_answered(n):
    """⟨G, W⟩ is zero for all symmetric W; multiples of the identity have ties everywhere."""
    Q = np.random.default_rng(0).standard_normal((n, n))
    o = gh.Spectrahedron(n, 2.0).oracle(np.random.default_rng(0))
    for G, least in ((Q - Q.T, 0.0), (np.eye(n), 2.0), (-np.eye(n), -2.0)):
        assert o.best(G, 3).atoms[0].dot(G) == pytest.approx(least, abs=1e-9)
        assert least - 1e-4 <= o.floor(G, 1e-6).lower <= least + 1e-12


def test_ties_are_proved_with_probability_too(monkeypatch):
    monkeypatch.setattr(eigen_oracle, "FACTORED", 100)
    o = gh.Spectrahedron(140, 2.0).oracle(np.random.default_rng(0))
    for G, least in ((np.eye(140), 2.0), (-np.eye(140), -2.0), (np.diag(np.linspace(-1.0, 1.0, 140)), -2.0)):
        found = o.floor(G, 1e-6)
        assert found.kind == "probability" and least - 0.02 <= found.lower <= least


def test_a_path_over_traces():
    T = np.diag([4.0, 2.0, 0.0]) + 0.1
    assert repr(gh.Spectrahedron(3).rescaled(2.5)) == "Spectrahedron(3, trace=2.5)"
    traces = [3.0, 0.5, 6.0]
    for s, trace in zip(gh.path(distance(T), gh.Spectrahedron(3), traces, stop=gh.Gap(1e-9)), traces, strict=True):
        assert s.converged and s.value == pytest.approx(nearest(T, trace), abs=1e-8)
        assert np.trace(s.point.array()) == pytest.approx(trace)
