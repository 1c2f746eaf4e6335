"""Doubly stochastic matrices: proofs by potentials, faces, Birkhoff's theorem, and words for bad input."""

from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import greedyhull as gh
from greedyhull.atoms import combinatorial as birkhoff
from greedyhull.testing import check_atoms

Array = np.ndarray[Any, Any]


def all_permutations(n: int) -> Array:
    return np.array([np.eye(n)[list(p)] for p in permutations(range(n))])


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_every_permutation_counts(n: int) -> None:
    check_atoms(gh.Birkhoff(n), vertices=all_permutations(n).reshape(-1, n * n))


@pytest.mark.parametrize("n", [2, 5, 30])
def test_potentials_prove_the_assignment_up_to_rounding(n: int) -> None:
    rng = np.random.default_rng(n)
    oracle = gh.Birkhoff(n).oracle(rng)
    for scale in (1e-320, 1e-100, 1.0, 1e250):
        for G in (rng.standard_normal((n, n)), rng.integers(-2, 3, (n, n)).astype(float), np.zeros((n, n)), -np.ones((n, n))):
            answer = oracle.argmin(scale * G)
            rows, columns = linear_sum_assignment(G)
            assert abs(answer.atom.dot(G) - G[rows, columns].sum()) <= 1e-12 * n
            assert answer.slack <= 1e-13 * n * scale or scale < 1e-300


def test_a_wrong_assignment_is_owned_up_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound holds whatever the assignment is."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        n = int(rng.integers(2, 6))
        G, wrong = rng.standard_normal((n, n)), rng.permutation(n)
        monkeypatch.setattr(birkhoff, "_assignment", lambda c, wrong=wrong: wrong)
        answer = gh.Birkhoff(n).oracle(rng).argmin(G)
        monkeypatch.undo()
        assert answer.atom.dot(G) - answer.slack <= (all_permutations(n) * G).sum(axis=(1, 2)).min() + 1e-12


def test_shortlists_are_swaps_and_earlier_answers_of_one_assignment(monkeypatch: pytest.MonkeyPatch) -> None:
    rng, solves, real = np.random.default_rng(1), [], birkhoff._assignment
    monkeypatch.setattr(birkhoff, "_assignment", lambda c: solves.append(1) or real(c))
    oracle = gh.Birkhoff(8).oracle(rng)
    for k in range(4):
        G = rng.standard_normal((8, 8))
        found = oracle.best(G, 20)
        assert len(found.atoms) == 2 * (k + 1) and len(solves) == k + 1
        assert (np.diff(found.atoms.dots(G)) >= -1e-12).all()


def test_the_worst_atom_of_a_face_lies_in_the_face() -> None:
    """An entry that is 1 in w is 1 in all of its face, and one that is 0 is 0: so in every answer, of which none is worse."""
    rng = np.random.default_rng(2)
    for _ in range(100):
        n = int(rng.integers(2, 6))
        S, P = gh.Birkhoff(n), all_permutations(n)
        chosen = P[rng.choice(len(P), size=min(int(rng.integers(1, 4)), len(P)), replace=False)]
        w = np.tensordot(rng.dirichlet(np.ones(len(chosen))), chosen, axes=1)
        G = rng.standard_normal((n, n))
        v, x = S.within(w, G), np.zeros((n, n))
        v.add_to(x, 1.0)
        face = [p for p in P if not p[w < 1e-12].any()]
        assert any((p == x).all() for p in face)
        assert abs(v.dot(G) - max((p * G).sum() for p in face)) < 1e-12
        toward = P[int(rng.integers(len(P)))]
        room = S.room(w, toward - x)
        if (toward != x).any():
            end = w + room * (toward - x)
            assert room > 0 and end.min() >= -1e-15 and end[toward < x].min() <= 1e-15


@pytest.mark.parametrize("joined", [False, True], ids=["alone", "in a product"])
def test_the_solver_that_keeps_no_atoms_finds_the_same_minimum(joined: bool) -> None:
    C = np.random.default_rng(8).standard_normal((4, 4))
    S: Any = gh.Product(gh.Birkhoff(4), gh.Simplex(2)) if joined else gh.Birkhoff(4)
    c = np.append(C.ravel(), [2.0, 0.0]) if joined else C
    f = gh.function(lambda W: 0.5 * ((W - c) ** 2).sum(), lambda W: W - c, S.shape)
    found, other = (gh.minimize(f, S, solver, stop=gh.Gap(1e-8) | gh.Iterations(2000))
                    for solver in (gh.DecompositionInvariant(), gh.BlendedPairwise()))
    assert found.converged and S.contains(found.x)
    assert abs(found.value - other.value) < 3e-8


def test_steps_by_faces_end_where_all_atoms_together_do() -> None:
    """A quadratic over 15 × 15 matrices, whose minimum mixes very many permutations; and the words for what is no point."""
    S, Y = gh.Birkhoff(15), np.random.default_rng(5).standard_normal((15, 15))
    f = gh.function(lambda W: 0.5 * ((W - Y) ** 2).sum(), lambda W: W - Y, (15, 15), smoothness=1.0)
    assert S.traits.faces
    s = gh.minimize(f, S, gh.DecompositionInvariant(), stop=gh.Gap(1e-6) | gh.Iterations(3000))
    other = gh.minimize(f, S, gh.BlendedPairwise(), stop=gh.Gap(1e-4) | gh.Iterations(3000))
    assert s.converged and S.contains(s.x) and other.certificate.lower <= s.value <= other.value + s.gap
    with pytest.raises(gh.GreedyhullError, match="a point of the set"):
        S.within(np.zeros((15, 15)), Y)


def test_a_mixture_is_written_in_permutations() -> None:
    rng = np.random.default_rng(3)
    S = gh.Birkhoff(6)
    w = np.tensordot(rng.dirichlet(np.ones(9)), np.array([np.eye(6)[rng.permutation(6)] for _ in range(9)]), axes=1)
    point = S.decompose(w)
    assert np.abs(point.array() - w).max() < 1e-12 and len(point) <= 26


@pytest.mark.parametrize("solver", [gh.Corrective(), gh.BlendedPairwise(), gh.FrankWolfe()], ids=lambda s: type(s).__name__)
def test_projections_converge_and_resumed_runs_have_the_same_bits(solver: Any, tmp_path: Path) -> None:
    C = np.random.default_rng(4).standard_normal((5, 5))
    f = gh.function(lambda W: 0.5 * ((W - C) ** 2).sum(), lambda W: W - C, (5, 5), hessian_product=lambda W, V: V)
    stop = gh.Gap(1e-2 if isinstance(solver, gh.FrankWolfe) else 1e-8) | gh.Iterations(3000)
    whole = gh.minimize(f, gh.Birkhoff(5), solver, stop=stop)
    assert whole.converged and gh.Birkhoff(5).contains(whole.x)
    gh.minimize(f, gh.Birkhoff(5), solver, stop=gh.Iterations(1), checkpoint=tmp_path / "state.npz")
    assert gh.minimize(f, gh.Birkhoff(5), solver, stop=stop, resume=tmp_path / "state.npz").x.tobytes() == whole.x.tobytes()


def test_bad_input_gets_words() -> None:
    for n in (0, 2.5, "3"):
        with pytest.raises(gh.GreedyhullError, match="whole number of at least 1"):
            gh.Birkhoff(n)  # type: ignore[arg-type]
    with pytest.raises(gh.GreedyhullError, match=r"\(9,\).*\(3, 3\)|\(3, 3\).*\(9,\)"):
        gh.minimize(gh.quadratic(np.eye(9)), gh.Birkhoff(3))
    with pytest.raises(gh.GreedyhullError, match="NaN"):
        gh.Birkhoff(2).argmin(np.full((2, 2), np.nan))


def test_a_flat_objective_is_told_which_set_holds_flat_points() -> None:
    f = gh.least_squares(np.eye(4), np.ones(4))
    with pytest.raises(gh.GreedyhullError, match=r"Product\(Birkhoff\(2\)\) holds the same points written in a row"):
        gh.minimize(f, gh.Birkhoff(2))
    assert gh.minimize(f, gh.Product(gh.Birkhoff(2)), stop=gh.Gap(1e-9)).value < 0.13
