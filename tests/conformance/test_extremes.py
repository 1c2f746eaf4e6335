"""Degenerate and extreme problems: everything that a user may ask of a run is answered rightly, or refused in words."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.testing import small_problems

pytestmark = pytest.mark.filterwarnings("ignore::greedyhull.GreedyhullWarning")

SFW, RSFW = gh.StochasticFrankWolfe, gh.RegularizedStochasticFrankWolfe
SOLVERS = [
    None, gh.FrankWolfe(), gh.FrankWolfe(gh.OpenLoop()), gh.FrankWolfe(gh.Short()), gh.FrankWolfe(gh.Backtracking()),
    gh.BlendedPairwise(), gh.Corrective(), gh.Jones(), gh.PairwiseJones(), gh.Mixed(), gh.Aggregated(), SFW(),
    SFW.momentum(), SFW.storm(), SFW.spider(), SFW.svrf(), SFW.saga(), SFW.dual(), SFW(look=gh.MinibatchGap(2)),
    SFW(look=gh.Regret()), gh.StochasticJones(), gh.StochasticJones.growing(), gh.Storc(), gh.LuFreund(2), RSFW(),
    gh.VarianceReducedJones(), RSFW.fixed(9), gh.MoreauFrankWolfe(), gh.MoreauFrankWolfe(1), gh.Smoothed(),
]
SETS: dict[str, Callable[[int, float], Any]] = {
    "one vertex": lambda d, r: gh.Vertices(np.full((1, d), r)),
    "one vertex thrice": lambda d, r: gh.Vertices(np.full((3, d), r)),
    "a box of one point": lambda d, r: gh.Box(np.full(d, r), np.full(d, r)),
    "one vertex, badly": lambda d, r: gh.Inexact(gh.Vertices(np.full((1, d), r)), 0.5 * r),
    "simplex": lambda d, r: gh.Simplex(d, r),
    "l1": lambda d, r: gh.L1Ball(d, r),
    "l2": lambda d, r: gh.L2Ball(d, r),
    "capped, badly": lambda d, r: gh.Inexact(gh.CappedSimplex(d, r), r),
}
SCALES = {  # n, d, the scale of X, of y, of the set
    "d = 1": (5, 1, 1.0, 1.0, 1.0),
    "n = 1": (1, 3, 1.0, 1.0, 1.0),
    "X = 0": (6, 3, 0.0, 1.0, 1.0),
    "X = y = 0": (6, 3, 0.0, 0.0, 1.0),
    "tiny X": (6, 3, 1e-150, 1.0, 1.0),
    "huge X": (6, 3, 1e120, 1.0, 1.0),
    "huger X": (6, 3, 1e150, 1.0, 1.0),
    "tiny set": (6, 3, 1.0, 1.0, 1e-150),
    "huge set": (6, 3, 1.0, 1.0, 1e150),
    "huge y": (6, 3, 1.0, 1e150, 1.0),
    "subnormal": (6, 3, 1e-200, 1e-320, 1.0),
}
LOSSES: dict[str, Callable[[Any, Any], Any]] = {
    "squares": gh.least_squares,
    "absolute": gh.absolute,
    "logistic": lambda X, y: gh.logistic(X, np.where(np.arange(len(y)) % 2, 1.0, -1.0)),
    "centred squares": lambda X, y: gh.least_squares(X, y, intercept=True),
    "poisson": lambda X, y: gh.poisson(X, np.abs(y)),
    "a sum of one's own": lambda X, y: gh.finite_sum(lambda w, i: 0.5 * float(np.mean((X[i] @ w - y[i]) ** 2)),
                                                     lambda w, i: X[i].T @ (X[i] @ w - y[i]) / len(i), *X.shape),
}


def solved(f: Any, S: Any, solver: Any) -> Any:
    """The solution, or None where the problem is refused in words."""
    try:
        return gh.minimize(f, S, solver, stop=gh.Iterations(6))
    except gh.GreedyhullError:
        return None


def told(s: Any) -> None:
    """All that can be asked of a solution without a file."""
    assert repr(s) and s.summary() and s._repr_html_() and repr(s.constants)
    assert s.bounds() or s.bounds().refused or s.certificate.gap is None
    for bound in s.bounds():
        assert np.isfinite(bound.value) and bound.value >= 0.0


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("loss", LOSSES)
def test_every_solver_over_every_set(loss: str, scale: str) -> None:
    n, d, x, y, r = SCALES[scale]
    rng = np.random.default_rng(0)
    X, targets = x * rng.standard_normal((n, d)), y * rng.standard_normal(n)
    try:
        f = LOSSES[loss](X, targets)
    except gh.GreedyhullError:
        return
    for make in SETS.values():
        S, found = make(d, r), []
        for i, solver in enumerate(SOLVERS):
            s = solved(f, S, solver)
            if s is None:
                continue
            assert S.contains(s.point, 1e-9), (S, solver)
            found.append((s, solver))
            if i % 3 == 0:
                told(s)
        honest = [s for s, _ in found if s.certificate.kind == "always" and s.value is not None]
        lowest = min((s.value for s, _ in found if s.value is not None), default=np.inf)
        for s in honest:
            assert s.certificate.lower <= lowest + 1e-15 * abs(lowest), (S, s.solver)


@pytest.mark.parametrize("solver", [gh.FrankWolfe(), SFW(), SFW(look=gh.Regret()), RSFW(), gh.MoreauFrankWolfe(), gh.Storc()],
                         ids=lambda solver: type(solver).__name__)
@pytest.mark.parametrize("scale", ["n = 1", "X = y = 0", "huge X", "tiny set"])
def test_reports_are_written(scale: str, solver: Any, tmp_path: Path) -> None:
    n, d, x, y, r = SCALES[scale]
    f = gh.least_squares(np.full((n, d), x), np.full(n, y))
    for stop in (gh.Iterations(0), gh.Iterations(4)):
        for S in (gh.Vertices(np.full((1, d), r)), gh.L1Ball(d, r)):
            try:
                s = gh.minimize(f, S, solver, stop=stop)
            except gh.GreedyhullError:
                continue
            page = s.report(tmp_path / "page.html").read_text(encoding="utf-8")
            assert "<svg" in page or "0 of the" in page or stop == gh.Iterations(0)  # zeros make no bars


def test_one_vertex_is_the_answer() -> None:
    """Where there is one point, everybody returns it with a gap of nothing but rounding, and theory says zero."""
    f = gh.absolute(np.array([[1.0, 2.0], [3.0, -1.0]]), np.array([0.5, 1.0]))
    for solver in (gh.MoreauFrankWolfe(), RSFW(), gh.Smoothed(), gh.Jones()):
        s = gh.minimize(f, gh.Vertices(np.array([[1.0, 1.0]])), solver, stop=gh.Iterations(9))
        assert s.value == pytest.approx(1.75) and s.gap is not None and s.gap <= 1e-12
    s = gh.minimize(f, gh.Vertices(np.array([[1.0, 1.0]])), gh.MoreauFrankWolfe(), stop=gh.Iterations(9))
    assert s.constants.D.value == s.constants.M_Phi.value == 0.0


@pytest.mark.parametrize("scale", [1e-200, 1e-170, 1.0, 1e140])
def test_constants_scale_with_the_data(scale: float) -> None:
    """Squares of slopes and norms overflow, or vanish, long before the slopes do."""
    problem = next(p for p in small_problems() if p.name.startswith("least_squares"))
    X, y = problem.data[0][:5, :3], problem.data[1][:5]
    S = gh.L1Ball(3, 1.0)
    base, scaled = (gh.theory.constants(gh.absolute(c * X, c * y), S) for c in (1.0, scale))
    for name in ("L", "L_rms", "sigma", "D_inf"):
        assert scaled[name].value == pytest.approx(scale * base[name].value, rel=1e-12), name
