"""Sums, multiples and shifts of sets: the kit, and the same problem written another way."""

from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.testing import check_atoms

rng = np.random.default_rng(5)
V = rng.standard_normal(4)
INNER: dict[str, Any] = {
    "simplex": gh.Simplex(4, 2.0),
    "l1": gh.L1Ball(4, 0.5),
    "capped": gh.CappedSimplex(4),
    "bounded": gh.Simplex(4, upper=0.4),
    "box": gh.Box(np.array([0.0, -1.0, 2.0, 0.0]), np.array([1.0, 1.0, 2.0, 5.0])),
    "ball": gh.L2Ball(4, 0.5),
    "rows": gh.Vertices(rng.standard_normal((5, 4))),
    "product": gh.Product(gh.Simplex(2), gh.L1Ball(2, 1.0)),
    "cached": gh.Cached(gh.L1Ball(4, 1.0)),
    "inexact": gh.Inexact(gh.Simplex(4), 0.1),
}
SPARSE = np.zeros(40)
SPARSE[3] = 2.0


def least(S: Any, g: Any) -> float:
    return float(S.atom(np.ascontiguousarray(g)).dot(g))


@pytest.mark.parametrize("name", INNER)
@pytest.mark.parametrize("c", [3.0, -0.5, 1e-9])
def test_multiples_keep_the_promises_of_a_set(name: str, c: float) -> None:
    check_atoms(gh.Scaled(INNER[name], c), minimum=lambda g: c * (least(INNER[name], g) if c > 0 else -least(INNER[name], -g)))


@pytest.mark.parametrize("name", INNER)
def test_shifts_keep_the_promises_of_a_set(name: str) -> None:
    check_atoms(gh.Translated(INNER[name], V), minimum=lambda g: least(INNER[name], g) + float(V @ g))


def test_a_shift_of_few_entries_leaves_atoms_sparse() -> None:
    S = gh.Translated(gh.L1Ball(40, 2.0), SPARSE)
    check_atoms(S, minimum=lambda g: -2.0 * np.abs(g).max() + 2.0 * g[3])
    assert not S.dense_atoms and isinstance(S.atom(np.ones(40)), gh.Sparse)


@pytest.mark.parametrize("sets", [("simplex", "l1"), ("box", "l1"), ("ball", "simplex"), ("rows", "capped", "l1"),
                                  ("cached", "simplex")], ids=lambda s: "+".join(s))
def test_sums_keep_the_promises_of_a_set(sets: tuple[str, ...]) -> None:
    S = gh.Sum(*(INNER[name] for name in sets))
    check_atoms(S, minimum=lambda g: sum(least(INNER[name], g) for name in sets))


def test_a_sum_is_the_hull_of_all_sums() -> None:
    rows = [rng.standard_normal((4, 3)), rng.standard_normal((5, 3))]
    whole = gh.Vertices((rows[0][:, None] + rows[1][None]).reshape(-1, 3))
    f = gh.least_squares(rng.standard_normal((8, 3)), rng.standard_normal(8))
    S = gh.Sum(*map(gh.Vertices, rows))
    s, t = gh.minimize(f, S, stop=gh.Gap(1e-9)), gh.minimize(f, whole, stop=gh.Gap(1e-9))
    assert s.value == pytest.approx(t.value, abs=1e-8)
    parts = S.parts(s.point)
    assert np.allclose(sum(parts), s.x) and all(gh.Vertices(r).contains(p, 1e-7) for r, p in zip(rows, parts, strict=True))
    assert gh.Sum(S, gh.Simplex(3)).traits.owners == 3
    with pytest.raises(gh.GreedyhullError, match="an array alone"):
        S.parts(s.x)


@pytest.mark.parametrize("solver", [None, gh.FrankWolfe(), gh.BlendedPairwise()], ids=str)
def test_a_moved_set_is_the_same_problem(solver: Any) -> None:
    """min over c·S + v of ½‖Aw − y‖² is min over S of ½‖cAu − (y − Av)‖²."""
    A, y = rng.standard_normal((9, 4)), rng.standard_normal(9)
    for name in ("simplex", "l1", "capped", "rows", "product"):
        for c in (2.0, -0.7):
            S = gh.Translated(gh.Scaled(INNER[name], c), V)
            s = gh.minimize(gh.least_squares(A, y), S, solver, stop=gh.Gap(1e-3) | gh.Iterations(20000))
            t = gh.minimize(gh.least_squares(c * A, y - A @ V), INNER[name], stop=gh.Gap(1e-9))
            assert s.converged and t.certificate.lower <= s.value <= t.value + s.gap and s.certificate.lower <= t.value


@pytest.mark.parametrize("name", ["box", "ball", "bounded"])
def test_regions_move_along(name: str) -> None:
    for c in (2.0, -0.7):
        S = gh.Scaled(INNER[name], c)
        if S.traits.region is None:
            continue
        x = S.traits.region.nearest(rng.standard_normal(4))
        assert S.contains(x)
    f = gh.quadratic(np.eye(4), rng.standard_normal(4))
    s = gh.minimize(f, gh.Translated(INNER[name], V), stop=gh.Gap(1e-8) | gh.Iterations(3000))
    inner = gh.minimize(gh.quadratic(np.eye(4), f.b - V), INNER[name], stop=gh.Gap(1e-9))
    assert s.converged and np.allclose(s.x, inner.x + V, atol=1e-3)


def test_radius_and_price_go_along() -> None:
    f = gh.least_squares(np.eye(4), np.array([3.0, 1.0, 0.0, 0.0]))
    S = gh.Scaled(gh.L1Ball(4, 0.5), -2.0)
    assert S.traits.radius == 1.0 and S.rescaled(3.0).traits.radius == 3.0
    assert gh.minimize(f, S).price == pytest.approx(gh.minimize(f, gh.L1Ball(4, 1.0)).price)


def test_wrong_arguments_are_refused_in_words() -> None:
    for c in (0.0, np.nan, np.inf, "2", True):
        with pytest.raises(gh.GreedyhullError, match="a number other than 0"):
            gh.Scaled(gh.Simplex(2), c)  # type: ignore[arg-type]
    with pytest.raises(gh.GreedyhullError, match="v has shape"):
        gh.Translated(gh.Simplex(2), [1.0])
    with pytest.raises(gh.GreedyhullError, match="a set of atoms such as"):
        gh.Scaled(3, 1.0)  # type: ignore[arg-type]
    with pytest.raises(gh.GreedyhullError, match="must have points of one shape"):
        gh.Sum(gh.Simplex(2), gh.Simplex(3))


@pytest.mark.parametrize("radius, total, error", [(1e-8, 1e-8, 1e-3), (1.0, 1.0, 0.3), (1e-3, 1e-8, 0.3), (1e-8, 1.0, 1e-2)])
def test_answers_of_a_sum_with_errors_are_certified(radius: float, total: float, error: float) -> None:
    """The parts of a point are its proof, and a search for an array's parts asks oracles that do not err."""
    draw = np.random.default_rng(0)
    for S in (gh.Sum(gh.Inexact(gh.L1Ball(3, radius), error), gh.Simplex(3, total)),
              gh.Sum(gh.Simplex(3, total), gh.Scaled(gh.Inexact(gh.L1Ball(3, radius), error), -1.0),
                     gh.Cached(gh.L2Ball(3, radius)))):
        f = gh.least_squares(draw.standard_normal((4, 3)), draw.standard_normal(4))
        s = gh.minimize(f, S, stop=gh.Iterations(30))
        for point in (s, s.point, s.x):
            assert gh.certify(f, S, point).value == pytest.approx(s.value)
        far = s.x + np.array([3.0 * (radius + total), 0.0, 0.0])
        assert not S.contains(far) and S.excludes(far)
        with pytest.raises(gh.GreedyhullError, match="outside"):
            gh.certify(f, S, far)
        lying = s.point.copy()
        lying.weights[:] *= 3.0
        with pytest.raises(gh.GreedyhullError):
            gh.certify(f, S, lying)
