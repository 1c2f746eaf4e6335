"""The nuclear ball against singular value decompositions, and problems over it against projected gradients."""

from itertools import pairwise

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.extend import GreedyhullError, Iterate, check_atoms
from greedyhull.points.shapes import RankOneBlock
from greedyhull.solvers.parts.atom_refinement import AtomRefinement
from greedyhull.solvers.parts.solver_state import Memory

rng = np.random.default_rng(5)


def projected(X, radius):
    """The nearest matrix of nuclear norm ≤ radius."""
    U, s, V = np.linalg.svd(X, full_matrices=False)
    if s.sum() <= radius:
        return X
    cut = (np.cumsum(s) - radius) / np.arange(1, len(s) + 1)
    level = cut[np.flatnonzero(s > cut)[-1]]
    return U * np.maximum(s - level, 0.0) @ V


def best_found(mask, M, radius, steps=150):
    """The least ½ Σ (X − M)² over the entries of the mask that accelerated projected gradients meet."""
    def value(X):
        return 0.5 * float(((X - M)[mask] ** 2).sum())

    X = Y = np.zeros(M.shape)
    t, least = 1.0, value(X)
    for _ in range(steps):
        X, before = projected(Y - np.where(mask, Y - M, 0.0), radius), X
        t, last = (1.0 + np.sqrt(1.0 + 4.0 * t * t)) / 2.0, t
        Y = X + (last - 1.0) / t * (X - before)
        least = min(least, value(X))
    return least


def some_entries(m, n, share, rank, noise, seed):
    r = np.random.default_rng(seed)
    at = r.permutation(m * n)[: max(1, int(share * m * n))]
    M = r.standard_normal((m, rank)) @ r.standard_normal((rank, n)) + noise * r.standard_normal((m, n))
    i, j = np.divmod(at, n)
    return i, j, M[i, j]


@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (3, 1), (4, 3), (3, 5), (2, 2)])
def test_the_kit_accepts_it(shape):
    check_atoms(gh.NuclearBall(shape, 2.0), minimum=lambda g: -2.0 * np.linalg.norm(g, 2))


ODD = {"zero": np.zeros((3, 4)), "ties": np.eye(3, 4), "rank one": -np.ones((3, 4)), "huge": 1e200 * np.eye(3, 4),
       "tiny": 1e-300 * np.ones((3, 4)), "signs": np.diag([1.0, 1.0, -1.0]) @ np.eye(3, 4)}


@pytest.mark.parametrize("g", ODD.values(), ids=ODD)
def test_ties_zeros_and_odd_scales_are_answered_and_proved(g):
    S = gh.NuclearBall((3, 4), 2.0)
    answer = S.oracle(np.random.default_rng(0)).best(g, 3)
    score, true = answer.atoms[0].dot(g), -2.0 * np.abs(g).max() * np.linalg.norm(g / max(np.abs(g).max(), 1e-300), 2)
    assert score - answer.slack <= true <= score + 1e-12 * abs(true)
    assert answer.slack <= 1e-11 * abs(true)


def test_sparse_gradients_and_operators_give_the_same_atoms():
    from scipy.sparse import coo_array
    from scipy.sparse.linalg import aslinearoperator

    g = rng.standard_normal((6, 4)) * (rng.random((6, 4)) < 0.5)
    S = gh.NuclearBall((6, 4), 1.0)
    scores = [S.argmin(h).dot(g) for h in (g, coo_array(g), aslinearoperator(g))]
    assert scores == pytest.approx([-np.linalg.norm(g, 2)] * 3)


KINDS = [("plain", 0.6, 2, 0.3, 0.5), ("rank one", 1.0, 1, 0.0, 0.9), ("idle", 0.7, 2, 0.2, 50.0),
         ("tight", 0.8, 3, 0.5, 1e-2)]


@pytest.mark.parametrize("kind, share, rank, noise, radius", KINDS, ids=[k[0] for k in KINDS])
def test_no_certificate_is_false(kind, share, rank, noise, radius):
    """For 50 small problems of each kind no point of the set is below the lower bound."""
    for seed in range(50):
        r = np.random.default_rng(seed)
        m, n = r.integers(1, 7, 2)
        i, j, v = some_entries(m, n, share, rank, noise, seed)
        tau = radius * max(1e-3, float(np.abs(v).sum()))
        mask = np.zeros((m, n), dtype=bool)
        mask[i, j], M = True, np.zeros((m, n))
        M[i, j] = v
        stop = gh.Relative(1e-7) | gh.Iterations(30)
        s = gh.minimize(gh.completion(i, j, v, (m, n)), gh.NuclearBall((m, n), tau), stop=stop)
        least = best_found(mask, M, tau)
        assert s.certificate.kind == "always" and s.certificate.lower <= least * (1 + 1e-12) + 1e-300
        assert s.value <= least + s.gap and s.gap <= 1e-4 * max(s.value, 0.5 * float(v @ v)), (kind, seed, m, n)
        assert s.point.factors().sigma.sum() <= tau * (1 + 1e-12)


@pytest.mark.parametrize("loss", ["logistic", "huber"])
def test_other_losses_are_certified_too(loss):
    i, j, v = some_entries(12, 9, 0.6, 2, 0.1, 1)
    f = gh.completion(i, j, np.sign(v) if loss == "logistic" else v, (12, 9), loss=loss)
    s = gh.minimize(f, gh.NuclearBall((12, 9), 12.0), stop=gh.Relative(1e-6) | gh.Iterations(60))
    assert s.converged and s.certificate.kind == "always"


def test_the_optimum_at_zero_is_found_at_once():
    s = gh.minimize(gh.completion([0, 1], [1, 0], [0.0, 0.0], (2, 3)), gh.NuclearBall((2, 3), 1.0))
    assert s.value == 0.0 and s.gap <= 1e-15 and s.iterations <= 1


@pytest.mark.parametrize("solver", [gh.FrankWolfe(), gh.Corrective(), gh.BlendedPairwise()], ids=lambda s: type(s).__name__)
def test_every_solver_gets_there_with_a_proof_on_demand(solver):
    """Large enough that proposals come without a proof."""
    i, j, v = some_entries(150, 140, 0.2, 3, 0.3, 2)
    s = gh.minimize(gh.completion(i, j, v, (150, 140)), gh.NuclearBall((150, 140), 300.0), solver,
                    stop=gh.Relative(1e-4) | gh.Iterations(30))
    assert s.converged and s.certificate.kind == "always"
    U, sigma, V = s.point.factors()
    for Q in (U, V):
        assert np.abs(Q.T @ Q - np.eye(len(sigma))).max() < 1e-12
    assert sigma.sum() <= 300.0 * (1 + 1e-12) and (np.diff(sigma) <= 0.0).all()


def test_nothing_dense_is_made(monkeypatch):
    """With `array` and decompositions of large matrices forbidden the whole run, its end and its predictions still work."""
    svd = np.linalg.svd

    def small(a, *args, **kwargs):
        assert min(a.shape) <= 128
        return svd(a, *args, **kwargs)

    def refuse(*args):
        raise AssertionError("a dense matrix was asked for")

    i, j, v = some_entries(200, 160, 0.1, 2, 0.1, 3)
    f, S = gh.completion(i, j, v, (200, 160)), gh.NuclearBall((200, 160), 200.0)
    monkeypatch.setattr(np.linalg, "svd", small)
    monkeypatch.setattr(Iterate, "array", refuse)
    monkeypatch.setattr(Iterate, "absolute", refuse)
    s = gh.minimize(f, S, stop=gh.Relative(1e-3))
    assert s.converged and s.point.entries(i[:5], j[:5]).shape == (5,)
    assert gh.certify(f, S, s.point).gap <= 2.0 * s.gap


def test_a_slide_never_raises_f():
    i, j, v = some_entries(20, 15, 0.5, 3, 0.5, 4)
    f, S, seen = gh.completion(i, j, v, (20, 15)), gh.NuclearBall((20, 15), 40.0), []
    gh.minimize(f, S, gh.FrankWolfe(), stop=gh.Iterations(15), watch=lambda event: seen.append(event.value))
    assert all(b <= a * (1 + 1e-14) for a, b in pairwise(seen))
    w = S.decompose(0.1 * rng.standard_normal((20, 15)))
    before = f.value(w)
    assert AtomRefinement(f, S, Memory())(w) and f.value(w) < before


def test_compressing_keeps_the_point_and_leaves_its_rank():
    U, V = rng.standard_normal((40, 9)), rng.standard_normal((40, 7))
    U[3:], V[3:] = U[:1], V[:1]  # three different atoms
    U, V = (A / np.linalg.norm(A, axis=1, keepdims=True) for A in (U, V))
    S, w = gh.NuclearBall((9, 7), 5.0), Iterate(RankOneBlock(U, V, np.full(40, 5.0)), np.full(40, 1 / 40), (9, 7))
    block, weights = S.compressed(w.block, w.weights, 1e-12)
    assert len(block) <= 4 and weights.sum() == pytest.approx(1.0, abs=1e-15) and (weights >= 0).all()
    assert np.abs(Iterate(block, weights, (9, 7)).array() - w.array()).max() <= 1e-13


def test_many_frank_wolfe_steps_keep_few_atoms():
    """Nothing slides here: only `compressed` keeps the atoms few."""
    class Rigid(gh.NuclearBall):
        def slide(self, f, w):
            return None

    i, j, v = some_entries(12, 10, 0.7, 2, 0.5, 6)
    most = []
    gh.minimize(gh.completion(i, j, v, (12, 10)), Rigid((12, 10), 20.0), gh.FrankWolfe(), stop=gh.Iterations(400),
                watch=lambda event: most.append(len(event.point)))
    assert len(most) == 401 and max(most) <= 66


@pytest.mark.parametrize("shape", [(12, 9), (140, 135)], ids=["proved at once", "proved on demand"])
@pytest.mark.parametrize("solver", [gh.FrankWolfe(), gh.Corrective()], ids=lambda s: type(s).__name__)
def test_a_saved_run_goes_on_bit_by_bit(solver, shape, tmp_path):
    i, j, v = some_entries(*shape, 0.3, 2, 0.5, 7)

    def values(stop, **given):
        seen = []
        gh.minimize(gh.completion(i, j, v, shape), gh.NuclearBall(shape, 60.0), solver, stop=stop,
                    watch=lambda event: seen.append(event.value), **given)
        return seen

    whole, first = values(gh.Iterations(5)), values(gh.Iterations(2), checkpoint=tmp_path / "r.npz")
    rest = values(gh.Iterations(5), resume=tmp_path / "r.npz")
    assert first == whole[:3] and rest == whole[2:]


def test_float32_is_iterated_and_certified_in_float64():
    i, j, v = some_entries(30, 20, 0.4, 2, 0.2, 8)
    f = gh.completion(i, j, v.astype(np.float32), (30, 20))
    s = gh.minimize(f, gh.NuclearBall((30, 20), 60.0), stop=gh.Relative(1e-4) | gh.Iterations(30))
    assert f.design.dtype == np.float32 and s.converged and s.certificate.kind == "always"


def test_starts_and_other_radii():
    i, j, v = some_entries(15, 12, 0.5, 2, 0.2, 9)
    f, S = gh.completion(i, j, v, (15, 12)), gh.NuclearBall((15, 12), 20.0)
    s = gh.minimize(f, S, stop=gh.Relative(1e-6) | gh.Iterations(50))
    again = gh.minimize(f, S, start=s.point, stop=gh.Relative(1e-6))
    dense = gh.minimize(f, S, start=s.point.array() * (1 - 1e-12), stop=gh.Relative(1e-6) | gh.Iterations(50))
    assert again.iterations <= 1 and dense.converged
    assert S.contains(s.point) and not S.rescaled(10.0).contains(s.point) and S.rescaled(25.0).contains(s.point)
    with pytest.raises(GreedyhullError, match="outside"):
        gh.minimize(f, S.rescaled(10.0), start=s.point)


@pytest.mark.parametrize("shape", [5, (3,), (3, 0), (2.5, 3), (3, 4, 5), "ab", None, (True, 3)])
def test_a_shape_is_two_positive_whole_numbers(shape):
    with pytest.raises(GreedyhullError, match="two positive whole numbers"):
        gh.NuclearBall(shape, 1.0)


@pytest.mark.parametrize("radius", [0.0, -1.0, np.nan, np.inf, "1", None])
def test_a_radius_is_positive(radius):
    with pytest.raises(GreedyhullError, match="positive finite number"):
        gh.NuclearBall((2, 2), radius)


def test_vectors_and_matrices_are_not_mixed():
    with pytest.raises(GreedyhullError, match="shape"):
        gh.minimize(gh.least_squares(np.eye(4), np.ones(4)), gh.NuclearBall((2, 2), 1.0))
    with pytest.raises(GreedyhullError, match="shape"):
        gh.minimize(gh.completion([0], [0], [1.0], (2, 2)), gh.L1Ball(4, 1.0))


@pytest.mark.parametrize("scale", [1e-150, 1e-100, 1e100, 1e140])
@pytest.mark.parametrize("shape, entries, radius", [((12, 9), 60, 12.0), ((12, 9), 60, 60.0), ((150, 140), 1500, 30.0)],
                         ids=["written out", "idle", "factors"])
def test_scales_change_nothing(scale, shape, entries, radius):
    r = np.random.default_rng(10)
    i, j = np.divmod(r.permutation(shape[0] * shape[1])[:entries], shape[1])
    v = r.standard_normal(entries)

    def solved(c):
        return gh.minimize(gh.completion(i, j, c * v, shape), gh.NuclearBall(shape, c * radius),
                           stop=gh.Relative(1e-3) | gh.Iterations(20))

    s = solved(scale)
    assert s.converged and s.value == pytest.approx(scale**2 * solved(1.0).value, rel=2e-3, abs=1e-20 * scale**2)


def test_gradients_that_are_no_numbers_are_told():
    f = gh.function(lambda W: float(W.sum()), lambda W: np.full((3, 2), np.nan), (3, 2))
    for S in (gh.NuclearBall((3, 2), 1.0),):
        with pytest.raises(GreedyhullError, match="NaN"):
            gh.minimize(f, S)
