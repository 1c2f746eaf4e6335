"""Doubly stochastic matrices by products with the Hessian: as good as by the Hessian, and another way where they fail."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull import extend
from greedyhull.atoms.regions import RowsRegion
from greedyhull.solvers.parts import working_set as hessian_products

Array = np.ndarray[Any, Any]


class Mismatch(extend.DesignBase):
    """P ↦ AP − PB, known by its products alone."""

    dtype = np.dtype(float)

    def __init__(self, n: int) -> None:
        self.A, self.B = (M + M.T for M in np.random.default_rng(n).random((2, n, n)))
        self.domain, self.n, self.frobenius = (n, n), n * n, 4.0 * n**1.5  # from above

    def matvec(self, w: Array) -> Array:
        return np.asarray(self.A @ w - w @ self.B).ravel()

    def adjoint(self, r: Array) -> Array:
        R = r.reshape(self.domain)
        return np.asarray(self.A.T @ R - R @ self.B.T)


def near_a_corner(n: int) -> Any:
    """Σ exp(CᵢⱼWᵢⱼ): the guesses of faces of its quadratic models go round in circles."""
    C = np.random.default_rng(n).random((n, n))
    return gh.function(lambda W: np.exp(W * C).sum(), lambda W: C * np.exp(W * C), (n, n),
                       hessian_product=lambda W, V: C * C * np.exp(W * C) * V)


def test_products_and_the_hessian_find_the_same_minimum(monkeypatch: pytest.MonkeyPatch) -> None:
    f, S = gh.least_squares(Mismatch(16), np.zeros(256)), gh.Birkhoff(16)
    ours = gh.minimize(f, S, stop=gh.Gap(1e-8))
    monkeypatch.setattr(hessian_products, "FEW", 10**9)
    theirs = gh.minimize(f, S, stop=gh.Gap(1e-8))
    assert ours.converged and theirs.converged and ours.iterations <= 3
    assert abs(ours.value - theirs.value) <= ours.gap + theirs.gap
    assert S.contains(ours.x) and (ours.x >= 0.0).all()
    certified = gh.certify(f, S, ours.x)
    assert certified.gap is not None and certified.gap <= 1.01e-8


@pytest.mark.parametrize("n", [45, 60])
def test_more_entries_than_a_hessian_is_made_for(n: int) -> None:
    s = gh.minimize(gh.least_squares(Mismatch(n), np.zeros(n * n)), gh.Birkhoff(n), stop=gh.Relative(1e-6, floor=0.0))
    assert s.converged and s.iterations <= 3 and gh.Birkhoff(n).contains(s.x)


@pytest.mark.parametrize("n", [16, 46])
def test_where_guesses_go_round_in_circles_there_is_another_way(n: int) -> None:
    f, S = near_a_corner(n), gh.Birkhoff(n)
    s = gh.minimize(f, S, stop=gh.Gap(1e-7))
    assert s.converged and S.contains(s.x) and s.iterations <= 25
    other = gh.minimize(f, S, gh.DecompositionInvariant(), stop=gh.Gap(1e-7))
    assert other.converged and other.iterations <= 25  # it begins at the corner that the centre names
    assert abs(s.value - other.value) <= s.gap + other.gap


@pytest.mark.parametrize("solver", [gh.Corrective(), gh.DecompositionInvariant()])
@pytest.mark.parametrize("n, made", [(16, "mismatch"), (46, "corner")])
def test_resumed_runs_go_on_bit_by_bit(n: int, made: str, solver: Any, tmp_path: Path) -> None:
    f = gh.least_squares(Mismatch(n), np.zeros(n * n)) if made == "mismatch" else near_a_corner(n)
    S, stop = gh.Birkhoff(n), gh.Gap(0.0) | gh.Iterations(8)
    whole = gh.minimize(f, S, solver, stop=stop)
    for k in (0, 1, 2, 5):
        gh.minimize(f, S, solver, stop=gh.Gap(0.0) | gh.Iterations(k), checkpoint=tmp_path / "run")
        rest = gh.minimize(f, S, solver, stop=stop, resume=tmp_path / "run")
        assert np.array_equal(rest.x, whole.x) and rest.value == whole.value and rest.gap == whole.gap


def test_few_coordinates_and_stored_data_have_their_hessian() -> None:
    w = gh.Birkhoff(16).centre()
    f = gh.least_squares(np.eye(256)[:, :100], np.zeros(256))
    assert hessian_products.by_products(f, f.restricted(w.block), w) is None


def test_steps_within_faces_begin_at_the_centre() -> None:
    f, S = gh.least_squares(Mismatch(8), np.zeros(64)), gh.Birkhoff(8)
    s = gh.minimize(f, S, gh.DecompositionInvariant(), stop=gh.Iterations(0))
    np.testing.assert_allclose(s.x, 1.0 / 8.0)
    corner = gh.function(lambda W: -W.trace(), lambda W: -np.eye(8), (8, 8), smoothness=1.0)
    assert (gh.minimize(corner, S, gh.DecompositionInvariant(), stop=gh.Iterations(0)).x == np.eye(8)).all()
    given = S.argmin(np.random.default_rng(0).random((8, 8)))
    s = gh.minimize(f, S, gh.DecompositionInvariant(), start=given, stop=gh.Iterations(0))
    assert s.x.max() == 1.0


def test_a_point_that_is_put_back_into_the_set_is_certified_as_the_point_that_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    nearest = RowsRegion.nearest
    monkeypatch.setattr(RowsRegion, "nearest", lambda self, x: 0.999 * nearest(self, x) + 0.001 * self.inside)
    f, S = gh.least_squares(Mismatch(6), np.zeros(36)), gh.Birkhoff(6)
    s = gh.minimize(f, S, stop=gh.Iterations(2))
    z = Mismatch(6).matvec(s.x)
    assert s.value == pytest.approx(0.5 * float(z @ z) / 36.0, rel=1e-13)
