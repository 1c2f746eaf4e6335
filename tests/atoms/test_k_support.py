"""The ball of the k-support norm, against its definition as a hull."""

import numpy as np
import pytest

import greedyhull as gh


def dual_norm(x, K):
    """max ⟨x, g⟩ over g whose K largest entries have norm 1, from many g near the best one: a lower bound that is close."""
    best, rng = 0.0, np.random.default_rng(0)
    g = x.copy()
    for k in range(4000):
        h = g + rng.standard_normal(len(x)) * np.abs(x).max() * 0.9**(k // 60)
        value = x @ h / np.linalg.norm(np.sort(np.abs(h))[-K:])
        if value > best:
            best, g = value, h
    return best


@pytest.mark.parametrize("seed", range(6))
def test_the_norm_is_the_dual_of_the_norm_of_the_largest_entries(seed):
    rng = np.random.default_rng(seed)
    d, K = 5, int(rng.integers(1, 6))
    S, x = gh.KSupport(d, K, 1.0), rng.standard_normal(d)
    near = dual_norm(x, K)
    assert near <= S.gauge(x) * (1 + 1e-12) and S.gauge(x) <= near * (1 + 2e-2)


def test_between_the_l1_and_the_l2_norm(rng):
    x = rng.standard_normal(8)
    norms = [gh.KSupport(8, K, 1.0).gauge(x) for K in range(1, 9)]
    assert norms[0] == pytest.approx(np.abs(x).sum()) and norms[-1] == pytest.approx(np.linalg.norm(x))
    assert (np.diff(norms) <= 1e-12).all()


@pytest.mark.parametrize("seed", range(10))
def test_a_point_is_written_in_sparse_atoms_within_the_radius(seed):
    rng = np.random.default_rng(seed)
    d, K = 20, int(rng.integers(1, 21))
    S = gh.KSupport(d, K, 0.7)
    x = np.round(rng.standard_normal(d), int(rng.integers(0, 4))) * (rng.random(d) < 0.7)
    x *= float(rng.choice([1.0, 0.2])) / max(S.gauge(x), 1e-300)
    w = S.decompose(x)
    np.testing.assert_allclose(w.array(), x, atol=1e-13)
    for i in range(len(w)):
        assert len(w.block[i].places) <= K and np.linalg.norm(w.block[i].entries) <= 0.7 * (1 + 1e-12)


@pytest.mark.parametrize("K", [1, 3, 12])
def test_least_squares_are_certified(K, rng):
    f = gh.least_squares(rng.standard_normal((20, 12)), rng.standard_normal(20))
    s = gh.minimize(f, gh.KSupport(12, K, 0.2), stop=gh.Gap(1e-8) | gh.Iterations(2000))
    assert s.converged and gh.KSupport(12, K, 0.2).contains(s.x)
    other = gh.L1Ball(12, 0.2) if K == 1 else gh.L2Ball(12, 0.2) if K == 12 else None
    if other is not None:
        assert s.value == pytest.approx(gh.minimize(f, other, stop=gh.Gap(1e-10)).value, abs=2e-8)


def test_odd_gradients():
    S = gh.KSupport(3, 2, 5.0)
    np.testing.assert_allclose(S.argmin(np.array([3e300, 4e300, 1e300])).entries, [-3.0, -4.0])
    np.testing.assert_allclose(np.linalg.norm(S.argmin(np.array([5e-324, 0.0, 5e-324])).entries), 5.0)
    assert np.linalg.norm(S.argmin(np.zeros(3)).entries) == 5.0
    assert not np.signbit(S.argmin(np.array([1.0, 0.0, -0.0])).entries).tolist()[1]


def test_a_gradient_without_a_finite_entry_has_no_direction():
    from greedyhull.atoms.box import direction

    assert direction(np.zeros(0)).shape == (0,)
