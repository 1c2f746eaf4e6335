"""Every kernel for quadratics: a point of its set, a duality gap of at most tol, and no higher value, on hostile problems.

The sets judge by themselves, in extended precision: a gap is ⟨g, x⟩ less the least ⟨g, ·⟩ over the set, g the gradient at x.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from scipy.optimize import linprog

from greedyhull.kernels._core import budget_batch
from greedyhull.kernels.bounded_qp import project_capped_simplex, solve_ball_qp, solve_box_qp, solve_l1_box_qp, solve_sum_qp
from greedyhull.kernels.group_qp import solve_group_qp, solve_grouped_qp
from greedyhull.kernels.polyhedral_interior import Factored
from greedyhull.kernels.polyhedral_qp import Polyhedron, solve_rows_qp
from greedyhull.kernels.simplex_qp import interior_product_qp, solve_simplex_qp
from greedyhull.kernels.turnover_qp import Near, solve_traded_qp

LONG = np.longdouble


class Set(NamedTuple):
    """A set, a kernel for it, and two points of it; coordinates are of size ``width``."""

    solve: Callable  # of H, c, x, tol
    least: Callable  # the least ⟨g, ·⟩
    outside: Callable  # by how much x is, in units of width
    vertex: np.ndarray
    inner: np.ndarray
    width: np.ndarray
    near: float = 1e-14  # outside, and of the sizes of all terms of a gap: what rounding may do


def filled(g, high, total):
    """The least ⟨g, x⟩ over 0 ≤ x ≤ high with Σx = total: the cheapest are filled first."""
    value, left = LONG(0.0), LONG(total)
    for j in np.argsort(g, kind="stable"):
        take = min(LONG(high[j]), left)
        value, left = value + take * g[j], left - take
    return value


def below(x, low, high):
    return max(float((low - x).max()), float((x - high).max()), 0.0)


def simplex(rng, d, fixed):
    inner = rng.dirichlet(np.ones(d))
    return Set(solve_simplex_qp, lambda g: g.min(), lambda x: max(below(x, 0.0, 1.0), abs(x.sum() - 1.0)),
               np.eye(d)[rng.integers(d)], inner, np.ones(d))


def budgets(positive, whole):
    """Σ|u_j| ≤ 1, with u ≥ 0, or a sum of 1."""

    def drawn(rng, d, fixed):
        def solve(H, c, x, tol):
            U, G, made = x[None].copy(), c[None].copy(), np.zeros(1, dtype=np.int64)
            budget_batch(H, positive, whole, U, G, np.full(1, tol), np.full(1, -1), np.zeros(d), False, 400, made)
            return U[0]

        def least(g):
            scores = g.min() if positive else -np.abs(g).max()
            return scores if whole else min(scores, LONG(0.0))

        def outside(x):
            used = float(np.abs(x).sum())
            return max(abs(used - 1.0) if whole else used - 1.0, -float(x.min()) if positive else 0.0, 0.0)

        inner = rng.dirichlet(np.ones(d)) * (1.0 if whole else 0.7) * (1.0 if positive else rng.choice([-1.0, 1.0], d))
        return Set(solve, least, outside, np.eye(d)[rng.integers(d)], inner, np.ones(d), 1e-13)

    return drawn


def product(rng, d, fixed):
    owners = np.sort(rng.integers(0, max(1, d // 3), d))
    owners = np.unique(owners, return_inverse=True)[1].astype(np.intp)
    inner = rng.random(d) + 0.01
    first = np.unique(owners, return_index=True)[1]
    return Set(lambda H, c, x, tol: solve_simplex_qp(H, c, x, tol, owners=owners),
               lambda g: sum(g[owners == b].min() for b in range(owners[-1] + 1)),
               lambda x: max(below(x, 0.0, 1.0), np.abs(np.bincount(owners, x) - 1.0).max()),
               np.bincount(first, minlength=d).astype(float), inner / np.bincount(owners, inner)[owners], np.ones(d))


def box(rng, d, fixed):
    low, high = ends(rng, d, fixed)
    return Set(lambda H, c, x, tol: solve_box_qp(H, c, x, low, high, tol), lambda g: np.where(g > 0, low, high) @ g,
               lambda x: below(x, low, high), low, low + rng.random(d) * (high - low), high - low)


def ends(rng, d, fixed):
    low = rng.uniform(-1.0, 1.0, d)
    return low, low + rng.uniform(0.2, 1.0, d) * (np.arange(d) % 3 > 0 if fixed and d > 1 else 1.0)


def summed(rng, d, fixed):
    high = rng.uniform(0.1, 1.0, d) * (np.arange(d) % 3 > 0 if fixed and d > 1 else 1.0)
    total = rng.uniform(0.1, 0.9) * high.sum()
    vertex = np.diff(np.minimum(np.cumsum(high), total), prepend=0.0)
    return Set(lambda H, c, x, tol: solve_sum_qp(H, c, x, high, tol), lambda g: filled(g, high, total),
               lambda x: max(below(x, 0.0, high), abs(x.sum() - total)), vertex, high * total / high.sum(), high, 1e-13)


def ball(rng, d, fixed):
    middle, r, u = rng.standard_normal(d), 10.0 ** rng.uniform(-2.0, 2.0), rng.standard_normal(d)
    u = u / np.linalg.norm(u)
    return Set(lambda H, c, x, tol: solve_ball_qp(H, c, x, middle, r, tol)[0], lambda g: middle @ g - r * np.sqrt(g @ g),
               lambda x: max(np.linalg.norm(x - middle) / r - 1.0, 0.0) / (1.0 + np.abs(middle).max() / r),
               middle + r * u, middle + 0.5 * r * u, r + np.abs(middle), 4e-14)


def l1_box(rng, d, fixed):
    bound = rng.uniform(0.1, 1.0)
    budget = bound * (rng.choice([1.0, 2.0]) if fixed else rng.uniform(0.5, 1.0) * d)
    inner = rng.uniform(-1.0, 1.0, d) * bound
    return Set(lambda H, c, x, tol: solve_l1_box_qp(H, c, x, bound, budget, tol),
               lambda g: filled(-np.abs(g), np.full(d, bound), min(budget, bound * d)),
               lambda x: max(np.abs(x).max() - bound, np.abs(x).sum() - budget, 0.0),
               np.eye(d)[0] * min(bound, budget), inner * min(1.0, 0.9 * budget / np.abs(inner).sum()), np.full(d, bound),
               1e-12)


def groups(rng, d, fixed):
    of = rng.integers(0, max(1, d // 3), d)
    m = int(of.max()) + 1
    high, room = rng.uniform(0.1, 1.0, d), rng.uniform(0.2, 1.0, m)
    if fixed and m > 1:
        room[0], high[-1] = 0.0, 0.0
    most = np.minimum(np.bincount(of, high, m), room)
    total = 0.7 * float(most.sum())
    share = np.divide(most, np.bincount(of, high, m), out=np.zeros(m), where=most > 0.0)

    def vertex(g):
        x, left, rest = np.zeros(d), room.copy(), total
        for j in np.argsort(g, kind="stable"):
            x[j] = max(min(high[j], left[of[j]], rest), 0.0)
            left[of[j]], rest = left[of[j]] - x[j], rest - x[j]
        return x

    return Set(lambda H, c, x, tol: solve_grouped_qp(H, c, x, high, of, room, tol), lambda g: vertex(g).astype(LONG) @ g,
               lambda x: max(below(x, 0.0, high), abs(x.sum() - total), (np.bincount(of, x, m) - room).max()),
               vertex(rng.standard_normal(d)), 0.7 * high * share[of], np.maximum(high, 1e-3), 1e-10)


def group_ball(rng, d, fixed):
    of, r = np.arange(d) // 3, 10.0 ** rng.uniform(-2.0, 2.0)
    norms = lambda x: np.sqrt(np.array([(x[of == k] ** 2).sum() for k in range(of[-1] + 1)], dtype=x.dtype))
    inner = rng.standard_normal(d)
    return Set(lambda H, c, x, tol: solve_group_qp(H, c, x, of, r, tol), lambda g: -r * norms(g).max(),
               lambda x: max(norms(x).sum() / r - 1.0, 0.0), r * np.eye(d)[0], 0.5 * r * inner / norms(inner).sum(),
               np.full(d, r), 1e-12)


def polyhedron(rng, d, fixed):
    """Bounds, an equation, rows with one end, a row that comes twice, and one that leaves no choice."""
    low, high = ends(rng, d, fixed)
    inner = low + rng.uniform(0.2, 0.8, d) * (high - low)
    A = rng.standard_normal((4, d))
    A[1] = 1.0
    A[3] = A[2]
    u = A @ inner + np.array([0.3, 0.0, 0.2, 0.2])
    l = np.where(np.arange(4) == 1, u, -np.inf)
    if fixed:
        A[0] = np.arange(d) == d - 1
        u[0] = low[-1]
        inner[-1] = low[-1]
        u[1] = l[1] = A[1] @ inner
        u[2:] = A[2:] @ inner + 0.2
    return A, l, u, low, high, inner


def lowest(g, A, l, u, low, high):
    """The point of the least ⟨g, ·⟩, by HiGHS."""
    size, equal = float(np.abs(g).max()) or 1.0, l == u
    down = ~equal & np.isfinite(l)
    up = ~equal & np.isfinite(u)
    return linprog(np.asarray(g / size, dtype=np.float64), A_ub=np.vstack([A[up], -A[down]]), b_ub=np.append(u[up], -l[down]),
                   A_eq=A[equal], b_eq=u[equal], bounds=list(zip(low, high, strict=True))).x


def rows(rng, d, fixed):
    A, l, u, low, high, inner = polyhedron(rng, d, fixed)
    P = Polyhedron(low, high, A, l, u)
    corner = lowest(rng.standard_normal(d), A, l, u, low, high)
    return Set(lambda H, c, x, tol: solve_rows_qp(H, c, x, P, tol),
               lambda g: lowest(g, A, l, u, low, high).astype(LONG) @ g,
               lambda x: max(below(x, low, high), (A @ x - u).max(), (l - A @ x).max()),
               inner if corner is None else np.clip(corner, low, high), inner, high - low + 1e-3, 1e-9)


def turnover(rng, d, fixed):
    A, l, u, low, high, p = polyhedron(rng, d, fixed)
    most = rng.uniform(0.05, 0.5)
    near, one, none = Near(low, high, A, l, u, p, most), np.eye(d), np.zeros((4, d))
    lifted = np.block([[A, none], [one, -one], [one, one], [np.zeros((1, d)), np.ones((1, d))]])
    free = np.full(d, np.inf)
    l2, u2 = np.concatenate([l, -free, p, [-np.inf]]), np.concatenate([u, p, free, [most]])
    bounds = np.append(low, np.zeros(d)), np.append(high, np.full(d, most))

    def least(g):
        return lowest(np.append(g, np.zeros(d)), lifted, l2, u2, *bounds)[:d].astype(LONG) @ g

    return Set(lambda H, c, x, tol: solve_traded_qp(H, c, x, near, tol), least,
               lambda x: max(below(x, low, high), (A @ x - u).max(), (l - A @ x).max(), np.abs(x - p).sum() - most),
               p, p, high - low + 1e-3, 1e-8)


SETS = {"simplex": simplex, "simplex, many at once": budgets(True, True), "capped simplex, many": budgets(True, False),
        "l1 ball, many": budgets(False, False), "product": product, "box": box, "sum": summed,
        "ball": ball, "l1 and box": l1_box, "groups": groups, "group ball": group_ball, "rows": rows, "turnover": turnover}
LOOSER = {("l1 and box", "collinear"): 1e-9, ("group ball", "columns apart"): 1e-9}  # where rounding ends the search early
HOSTILE = ["plain", "rank 1", "rank 3", "twins", "flat", "fixed", "collinear", "columns apart", "tiny", "huge"]


def quadratic(rng, d, kind):
    """A Hessian BᵀB and B."""
    B = rng.standard_normal(({"rank 1": 1, "rank 3": 3}.get(kind, d + 3), d))
    if kind == "twins":
        B[:, -1], B[:, 0] = B[:, 0], 0.0
    if kind == "flat":
        B *= 0.0
    if kind == "collinear":
        B = B * np.geomspace(1.0, 1e-4, d) + 3.0 * rng.standard_normal((len(B), 1))
    if kind == "columns apart":
        B = B * 10.0 ** rng.uniform(-3.0, 3.0, d)
    return B.T @ B, B


def judged(S, H, c, x, tol, share=1.0):
    """Solve, and hold the answer against its promises."""
    kept = [part.copy() for part in (H, c, x)]
    found = S.solve(H, c, x, tol)
    assert all(np.array_equal(a, b) for a, b in zip(kept, (H, c, x), strict=True)), "arguments were changed"
    size = float(np.abs(c) @ S.width + S.width @ np.abs(H) @ S.width) + 1e-300
    move = found.astype(LONG) - x
    bend = H.astype(LONG) @ move
    g = c + bend
    assert S.outside(found) <= S.near * len(c) * max(1.0, float(S.width.max())), "outside of the set"
    assert c @ move + 0.5 * move @ bend <= S.near * size, "the quadratic rose"
    gap = g @ found - S.least(g)
    assert gap <= share * tol + S.near * len(c) * size, f"a gap of {float(gap):.3g}, not {tol:.3g}, at the size {size:.3g}"
    return found


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("name", SETS)
def test_the_gap_is_closed(name, kind):
    for seed, d in enumerate([1, 2, 5, 5, 12, 12, 30, 60]):
        rng = np.random.default_rng(seed)
        S = SETS[name](rng, d, kind == "fixed")
        S = S._replace(near=LOOSER.get((name, kind), S.near))
        H, B = quadratic(rng, d, kind)
        x = S.vertex if seed % 2 else S.inner
        c = B.T @ (B @ (x - S.inner) - 3.0 * rng.standard_normal(len(B)))
        c = c + rng.standard_normal(d) if kind in ("flat", "rank 1") else c
        scale = {"tiny": 1e-80, "huge": 1e80}.get(kind, 1.0)
        H, c = scale * H, scale * c
        first = max(float(c @ x - S.least(c)), 0.0)
        found = judged(S, H, c, x, 1e-9 * first, 1.01)
        judged(S, H, c + H @ (found - x), found, 1e-9 * first, 1.01)  # from the answer on


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_that_are_not_finite_leave_the_start(name, bad):
    S = SETS[name](np.random.default_rng(0), 4, False)
    c = np.array([0.0, bad, 1.0, 0.0])
    with np.errstate(all="ignore"):
        found = S.solve(np.eye(4), c, S.inner, 1e-9)
    assert np.isfinite(found).all() and S.outside(found) <= 1e-9


@pytest.mark.parametrize("name", ["rows", "turnover"])
def test_factors_are_solved_as_their_matrix(name):
    for seed, d in enumerate([3, 12, 40]):
        rng = np.random.default_rng(seed)
        S, F = SETS[name](rng, d, False), rng.standard_normal((3, d))
        form = Factored(rng.uniform(0.1, 1.0, d), F)
        H, c = form.square(np.arange(d)), rng.standard_normal(d)
        tol = 1e-9 * float(c @ S.inner - S.least(c))
        judged(S._replace(solve=lambda H, c, x, tol, form=form, S=S: S.solve(form, c, x, tol)), H, c, S.inner, tol, 1.01)


@pytest.mark.parametrize("rank", [1, 5, 80])
def test_the_interior_point_method_for_products(rank):
    rng = np.random.default_rng(rank)
    S = product(rng, 60, False)
    owners = S.solve.__closure__[0].cell_contents
    A, q = rng.standard_normal((rank, 60)), rng.standard_normal(60)
    judged(S._replace(solve=lambda H, c, x, tol: interior_product_qp(H, q, owners, tol), near=1e-12), A.T @ A,
           q + A.T @ (A @ S.inner), S.inner, 1e-9, 1.01)


def test_the_nearest_point_with_a_sum():
    """y is nearest to x if ⟨y − x, z − y⟩ ≥ 0 for every z of the set: for the one that is least."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        high, x = rng.uniform(0.0, 1.0, 8), 10.0 ** rng.uniform(0.0, 3.0) * rng.standard_normal(8)
        total = rng.uniform(0.0, 1.0) * high.sum()
        y = project_capped_simplex(x, high, total)
        assert below(y, 0.0, high) == 0.0 and abs(y.sum() - total) <= 1e-12
        assert (y - x) @ y - filled(y - x, high, total) <= 1e-10 * (1.0 + np.abs(x).sum())
