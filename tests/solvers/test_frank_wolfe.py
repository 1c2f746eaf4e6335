"""Frank-Wolfe: its rates hold, its certificate is honest, and it keeps dense atoms out of memory."""

import numpy as np
import pytest
from scipy import sparse

import greedyhull as gh
from greedyhull.driver.checkpoint import load_state, save_state
from greedyhull.driver.run import Run

RNG = np.random.default_rng(9)
N, D = 25, 6
X = RNG.standard_normal((N, D))
Y = X[:, 0] + 0.5 * RNG.standard_normal(N)
LABELS = np.where(Y > 0, 1, -1)
RULES = [gh.OpenLoop(), gh.OpenLoop(4.0), gh.LogAdaptive(), gh.Constant(0.1), gh.Power(0.7), gh.Short(), gh.Exact(),
         gh.Backtracking()]
PROBLEMS = {
    "least_squares": (lambda: gh.least_squares(X, Y), lambda: gh.L1Ball(D, 1.0)),
    "sparse": (lambda: gh.least_squares(sparse.csc_array(np.where(np.abs(X) > 1.2, X, 0.0)), Y), lambda: gh.L1Ball(D, 1.0)),
    "logistic": (lambda: gh.logistic(X, LABELS, intercept=True), lambda: gh.Simplex(D)),
    "quadratic": (lambda: gh.quadratic(X.T @ X / N), lambda: gh.Simplex(D)),
}


def best(f, S):
    """A value that is attained, and hardly above the least."""
    return gh.minimize(f, S, stop=gh.Relative(1e-12) | gh.Iterations(200)).value


@pytest.mark.parametrize("rule", RULES, ids=repr)
@pytest.mark.parametrize("name", PROBLEMS)
def test_honest_with_every_step_rule(name, rule):
    f, S = (make() for make in PROBLEMS[name])
    least = best(f, S)

    def watch(event):
        assert S.contains(event.point)
        assert event.lower <= least and event.gap >= 0.0

    s = gh.minimize(f, S, gh.FrankWolfe(rule), stop=gh.Iterations(80), watch=watch)
    assert s.certificate.lower <= least and s.value == pytest.approx(s.certificate.lower + s.gap, rel=1e-14)
    assert s.value - least < 0.5 * (s.trace["value"][0] - least) + 1e-12, "it went somewhere"


@pytest.mark.parametrize("rule, offset", [(gh.OpenLoop(), 2), (gh.Short(), 3), (gh.Exact(), 3)], ids=repr)
@pytest.mark.parametrize("name", ["least_squares", "sparse", "quadratic"])
def test_rates(name, rule, offset):
    """Error at most 2M/(k + 2) with open-loop steps (Theorem 2), 2M/(k + 3) with short and exact ones."""
    f, S = (make() for make in PROBLEMS[name])
    M, least = float(f.curvature(S)), best(f, S)
    s = gh.minimize(f, S, gh.FrankWolfe(rule), stop=gh.Iterations(200))
    k = s.trace["iteration"][1:]
    assert (s.trace["value"][1:] - least <= 2 * M / (k + offset) + 1e-12).all()


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_resumed_runs_are_equal_bit_by_bit(rule, tmp_path):
    f, S = (make() for make in PROBLEMS["logistic"])
    whole = gh.minimize(f, S, gh.FrankWolfe(rule), stop=gh.Iterations(12))
    run = Run(f, S, gh.FrankWolfe(rule), None, gh.Iterations(12), 0)
    run.watchers = [lambda event: save_state(tmp_path / f"{event.iteration}.npz", run.state())]
    run.solve()
    for k in (0, 1, 5, 11):
        again = Run(f, S, gh.FrankWolfe(rule), None, gh.Iterations(12), 0)
        again.restore(load_state(tmp_path / f"{k}.npz"))
        np.testing.assert_array_equal(again.solve().trace["value"], whole.trace["value"])


def test_a_warm_start_is_not_thrown_away():
    f, S = gh.least_squares(X, Y), gh.L1Ball(D, 1.0)
    good = gh.minimize(f, S, stop=gh.Relative(1e-4)).point
    for rule in (gh.OpenLoop(), gh.LogAdaptive(), gh.Exact()):
        s = gh.minimize(f, S, gh.FrankWolfe(rule), start=good, stop=gh.Iterations(10))
        assert s.trace["value"].max() <= s.trace["value"][0] + 1e-2 * abs(s.trace["value"][0])


def test_dense_atoms_are_not_gathered():
    """It never looks back, so on sets with dense atoms the point is kept by its coordinates alone."""
    if not hasattr(gh, "L2Ball"):
        pytest.skip("greedyhull has no L2Ball yet")
    s = gh.minimize(gh.least_squares(X, Y), gh.L2Ball(D, 1.0), gh.FrankWolfe(), stop=gh.Iterations(50))
    assert not s.point.keeps_atoms
    with pytest.raises(gh.GreedyhullError, match="BlendedPairwise"):
        _ = s.point.atoms
    s = gh.minimize(gh.least_squares(X, Y), gh.L1Ball(D, 1.0), gh.FrankWolfe(), stop=gh.Iterations(50))
    assert len(s.point.atoms) == len(s.point.weights)


def test_single_precision_steps_stay_single():
    """In the Python loop; the compiled core reads float32 data as they are and carries the image in float64."""
    f = gh.least_squares(X.astype(np.float32), Y)
    kinds = set()
    gh.minimize(f, gh.L1Ball(D, 1.0), gh.FrankWolfe(gh.Backtracking()), stop=gh.Iterations(20),
                watch=lambda event: kinds.add(f.at(event.point).z.dtype))
    assert kinds == {np.dtype(np.float32)}
