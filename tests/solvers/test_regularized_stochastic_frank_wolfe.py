"""ARSFW: its theorem in corrected form, what it averages, its certificates, and what it refuses."""

import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.measures.terms import steepness
from greedyhull.solvers.parts.solver_state import Memory
from greedyhull.solvers.regularized_stochastic_frank_wolfe import Fading, Leader, Steady, Unweighted
from greedyhull.solvers.regularized_stochastic_frank_wolfe import RegularizedStochasticFrankWolfe as Arsfw
from greedyhull.testing import Problem, check_solver
from greedyhull.theory.nonsmooth import arsfw, arsfw_K, arsfw_K_printed, lazy_regret

RNG = np.random.default_rng(11)
N, D, T = 40, 4, 150
X = RNG.standard_normal((N, D))
Y = X @ np.array([0.6, 0.2, 0.0, 0.0]) + 0.3 * RNG.standard_normal(N)
LOSSES = {"hinge": gh.hinge(X, np.sign(Y)), "absolute": gh.absolute(X, Y), "quantile": gh.quantile(X, Y, 0.8)}
SETS = {"L2Ball": gh.L2Ball(D, 1.0), "L1Ball": gh.L1Ball(D, 1.0), "Simplex": gh.Simplex(D)}
R2 = {"L2Ball": 0.5, "L1Ball": 0.5, "Simplex": 0.5 * (1 - 1 / D)}  # of ½‖w − centre‖²


@cache
def minimum(what: str, where: str) -> float:
    """A number that min f is not below, close to it."""
    s = gh.minimize(LOSSES[what], SETS[where], gh.Smoothed(), stop=gh.Relative(1e-4) | gh.Iterations(300))
    assert s.certificate.gap is not None and s.certificate.gap < 1e-2
    return s.certificate.lower


def value_after(f: Any, S: Any, solver: Any, steps: int, seed: int) -> float:
    """The value after so many steps; nothing is certified, which would take longer than the steps."""
    w, memory = solver.first(f, S), Memory(seed)
    memory.requested = lambda k: k > steps
    return next(float(f.value(p.point)) for p in solver.run(f, S, w, memory) if memory.k > steps)


@pytest.mark.parametrize("where", SETS)
@pytest.mark.parametrize("what", LOSSES)
def test_the_mean_of_runs_is_below_the_corrected_theorem(what: str, where: str) -> None:
    f, S = LOSSES[what], SETS[where]
    L = float(np.linalg.norm(X, axis=1).max())
    for make, sure in ((Fading, 1.0), (lambda c: Steady(T, c), 1.0), (Unweighted, 1.0), (Unweighted, 5.0)):
        c = sure * R2[where] ** 0.5 / L
        sigma = make(c)
        solver = Arsfw(sigma, batch=1, every=T + 1)
        errors = np.array([value_after(f, S, solver, T, seed) for seed in range(6)])
        errors -= minimum(what, where)
        bound = arsfw(sigma.bound, T, c=c, L=L, M_Phi=S.diameter**2, R2=R2[where])
        assert errors.mean() <= bound + 3 * errors.std(ddof=1) / len(errors) ** 0.5


@pytest.mark.parametrize("where", SETS)
@pytest.mark.parametrize("sigma", [Fading(0.5), Steady(60, 0.5), Unweighted(0.5)], ids=repr)
def test_points_and_their_mean_are_those_of_the_formulas(sigma: Any, where: str) -> None:
    """All terms in every batch, so that nothing is random: the algorithm once more, in a few lines."""
    f, S = LOSSES["absolute"], SETS[where]
    w = S.centre().array()
    first, total, mean, weight = w.copy(), np.zeros(D), np.zeros(D), 0.0
    for k in range(1, 61):
        g = X.T @ np.sign(X @ w - Y) / N
        s = {Fading: 0.5 * k**-0.75, Steady: 0.5 * 60**-0.75, Unweighted: 1.0}[type(sigma)]
        scale = 0.5 * k**-0.75 if isinstance(sigma, Unweighted) else 1.0
        d = np.zeros(D)
        S.argmin(scale * total + w - first).add_to(d, 1.0)
        mean, weight, total = mean + s * w, weight + s, total + s * g
        w = w + k**-0.5 * (d - w)
    got = gh.minimize(f, S, Arsfw(sigma, batch=N), stop=gh.Iterations(61))
    np.testing.assert_allclose(got.point.array(), mean / weight, atol=1e-12)
    np.testing.assert_allclose(got.also["last"].array(), w, atol=1e-12)


def test_the_lazy_lemma_is_an_equality_after_one_step() -> None:
    """On a large ball, w = −σg: σ⟨g, w*_1 − w⟩ = ½σ²‖g‖² + Φ(w)."""
    g, sigma = np.array([0.3, -0.4]), 0.7
    leader, w = Leader(gh.SquaredNorm(), np.zeros(2), 1.0, 50.0), -sigma * g
    leader.take(sigma, 1.0, g, 0.0)
    left = sigma * float(g @ (np.zeros(2) - w))  # w*_1 = w_1 = 0
    assert left == pytest.approx(leader.squares + 0.5 * float(w @ w))
    assert left == pytest.approx(lazy_regret([sigma], 0.5, 1.0, 0.5 * float(w @ w)))


def test_the_printed_constant_is_too_small_and_the_corrected_one_is_not() -> None:
    """W = [−1, 1] and Φ = w²/2: subgradients are −1 until ḡ is near −1, then 0, and steps of nearly 1 swing to and fro."""
    p, c = 0.05, 0.01
    state = {"total": 0.0, "k": 0}
    ratios: list[float] = []

    def gradient(w: Any, index: Any) -> Any:
        if len(index) == 1:  # full gaps ask for all three terms
            state["k"] += 1
            eta, total = state["k"] ** -p, state["total"]
            best = min(max(-total, -1.0), 1.0)
            ratios.append(float(total * w[0] + 0.5 * w[0] ** 2 - total * best - 0.5 * best**2) / eta)
            g = -1.0 if total > -0.985 else 0.0
            state["total"] += c * state["k"] ** (-1.5 * p) * g
            return np.array([g])
        return np.array([0.0])

    f = gh.finite_sum(lambda w, i: 0.0, gradient, 3, 1)
    gh.minimize(f, gh.L1Ball(1, 1.0), Arsfw(gh.power(1.5 * p, c), gh.Power(p), batch=1, every=10**6), stop=gh.Iterations(600))
    assert max(ratios) > 2.0 * arsfw_K_printed(c, 1.0, 1.0, 0.5, p=p)
    assert max(ratios) <= arsfw_K(c, 1.0, 1.0, 2.0, p)


# --- certificates -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", SETS)
@pytest.mark.parametrize("what", LOSSES)
def test_duals_close_the_gap(what: str, where: str) -> None:
    f, S = LOSSES[what], SETS[where]
    s = gh.minimize(f, S, Arsfw(batch=8), stop=gh.Relative(0.05) | gh.Iterations(4000))
    assert s.converged and s.certificate.kind == "always"
    assert s.value - minimum(what, where) <= s.gap + 1e-2


@pytest.mark.parametrize("sigma", [Fading(), Unweighted(), Steady(200)], ids=repr)
def test_regret_bounds_the_error_in_expectation(sigma: Any) -> None:
    f, S = LOSSES["hinge"], SETS["L2Ball"]
    solver = Arsfw(sigma, batch=1, look=gh.Regret(every=1000))
    runs = [gh.minimize(f, S, solver, stop=gh.Iterations(201), seed=s) for s in range(8)]
    assert {s.certificate.kind for s in runs} == {"expectation"}
    excess = np.array([s.certificate.gap - (s.value - minimum("hinge", "L2Ball")) for s in runs])
    assert excess.mean() >= -3 * excess.std(ddof=1) / len(runs) ** 0.5
    plain = gh.minimize(f, S, Arsfw(sigma, batch=1, every=1000), stop=gh.Iterations(201), seed=3)
    np.testing.assert_allclose(runs[3].point.array(), plain.point.array(), atol=1e-12)  # the same mean


def test_regret_with_a_probability_is_larger_and_says_so() -> None:
    f, S = LOSSES["absolute"], SETS["L1Ball"]
    sure, mean = (gh.minimize(f, S, Arsfw(batch=4, look=gh.Regret(delta, every=500)), stop=gh.Iterations(501))
                  for delta in (0.1, None))
    assert sure.certificate.kind == "probability" and sure.certificate.delta == 0.1
    assert sure.certificate.gap > mean.certificate.gap
    assert sure.value - minimum("absolute", "L1Ball") <= sure.certificate.gap


def test_the_bound_along_the_run_is_above_the_regret() -> None:
    """Path by path, not only on average."""
    f, S = LOSSES["absolute"], SETS["L1Ball"]
    for sigma in (Fading(), Unweighted(), Steady(150)):
        s = gh.minimize(f, S, Arsfw(sigma, batch=1, look=gh.Regret(every=50)), stop=gh.Iterations(151))
        assert s.certificate.gap <= s.also["bound"]


def test_streams_are_certified_by_their_regret() -> None:
    class Sample:
        def __init__(self, rng: Any, size: int) -> None:
            self.X = rng.standard_normal((size, 2))
            self.y = self.X @ np.array([0.5, 0.5]) + rng.laplace(size=size)

        def value(self, w: Any) -> float:
            return float(np.abs(self.X @ w - self.y).mean())

        def gradient(self, w: Any) -> Any:
            return self.X.T @ np.sign(self.X @ w - self.y) / len(self.y)

    f = gh.expectation(lambda size, rng: Sample(rng, size), 2)
    s = gh.minimize(f, gh.L1Ball(2, 1.0), Arsfw(batch=16), stop=gh.Iterations(1000))
    assert s.certificate.kind == "expectation" and s.certificate.gap < 0.2
    np.testing.assert_allclose(s.point.array(), [0.5, 0.5], atol=0.1)


# --- regularisers -------------------------------------------------------------------------------------------------


class Softened:
    """¼‖w − m‖² + ½Σ log cosh wᵢ: ∇ is 1-Lipschitz, ρ = ½."""

    rho = 0.5

    def __init__(self, m: Any) -> None:
        self.m = np.asarray(m, dtype=float)

    def value(self, x: Any) -> float:
        return float(0.25 * ((x - self.m) ** 2).sum() + 0.5 * np.log(np.cosh(x)).sum())

    def gradient(self, x: Any) -> Any:
        return 0.5 * (x - self.m) + 0.5 * np.tanh(x)


@pytest.mark.parametrize("where", SETS)
def test_other_regularisers_begin_at_their_minimum_and_keep_the_bound(where: str) -> None:
    f, S, phi = LOSSES["absolute"], SETS[where], Softened([0.9, -0.2, 0.1, 0.0])
    solver = Arsfw(Unweighted(0.2), regularizer=phi, batch=1, every=T + 1)
    w1 = solver.first(f, S).array()
    g = phi.gradient(w1)
    assert float(g @ w1) - S.argmin(g).dot(g) <= 1e-6  # the gap of Φ
    errors = np.array([value_after(f, S, solver, T, seed) for seed in range(6)])
    errors -= minimum("absolute", where)
    bound = arsfw(solver.sigma.bound, T, c=0.2, L=float(steepness(f, S, w1).L), M_Phi=S.diameter**2,
                  R2=0.5 * S.diameter**2, rho=0.5)
    assert errors.mean() <= bound + 3 * errors.std(ddof=1) / len(errors) ** 0.5


def test_it_begins_at_the_centre_or_at_a_start() -> None:
    f, S = LOSSES["absolute"], SETS["Simplex"]
    seen: list[Any] = []
    gh.minimize(f, S, Arsfw(), stop=gh.Iterations(1), watch=lambda event: seen.append(event.point.array()))
    np.testing.assert_allclose(seen[0], np.full(D, 1 / D))
    start = np.eye(D)[2]
    s = gh.minimize(f, S, Arsfw(Unweighted(1e-9), batch=N), start=start, stop=gh.Iterations(400))
    np.testing.assert_allclose(s.also["last"].array(), start, atol=0.1)  # with almost no weight on f, Φ holds it there


# --- the rest -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sigma", [Unweighted(), Fading(), Steady(20), gh.power(0.75, 0.3)], ids=repr)
def test_the_kit_on_losses_with_kinks(sigma: Any) -> None:
    problems = [Problem(f"{a} over {b}", LOSSES[a], SETS[b]) for a, b in (("hinge", "L1Ball"), ("absolute", "L2Ball"))]
    assert check_solver(Arsfw(sigma, batch=4, every=3), problems, iterations=20) == []


def test_smooth_sums_and_sums_of_one_s_own() -> None:
    f, S = gh.least_squares(X, Y), SETS["L1Ball"]
    s = gh.minimize(f, S, Arsfw(batch=16), stop=gh.Relative(0.05) | gh.Iterations(5000))
    assert s.converged
    own = gh.finite_sum(lambda w, i: float(np.abs(X[i] @ w - Y[i]).mean()),
                        lambda w, i: X[i].T @ np.sign(X[i] @ w - Y[i]) / len(i), N, D)
    ours, theirs = (gh.minimize(g, S, Arsfw(Unweighted(0.5), batch=8), stop=gh.Iterations(60))
                    for g in (LOSSES["absolute"], own))
    np.testing.assert_allclose(ours.point.array(), theirs.point.array(), atol=1e-12)
    assert gh.minimize(own, S, Arsfw(batch=8), stop=gh.Iterations(2000)).value <= minimum("absolute", "L1Ball") + 0.02


def test_bounds_are_reported() -> None:
    s = gh.minimize(LOSSES["hinge"], SETS["L2Ball"], Arsfw(Fading(0.2), batch=1), stop=gh.Iterations(100))
    assert any("ARSFW" in bound.name for bound in s.bounds())


def test_cautions_name_the_condition() -> None:
    f, S = LOSSES["hinge"], SETS["L2Ball"]
    for good in (Arsfw(), Arsfw.fading(), Arsfw.fixed(100), Arsfw.unweighted(2.0)):
        assert list(good.cautions(f, S)) == []

    class Tiring(gh.Power):
        def at(self, k: float) -> float:
            return float((k + 1.0) ** -2)

    for bad, said in ((Arsfw(gh.constant(0.1)), "σ_k ≤ cη_k"), (Arsfw(gh.power(0.5)), "σ_k ≤ cη_k"),
                      (Arsfw(step=gh.OpenLoop()), "σ_k ≤ cη_k"), (Arsfw(step=Tiring(0.5)), "finite sum")):
        assert said in next(bad.cautions(f, S))
    with pytest.warns(gh.GreedyhullWarning, match="σ_k ≤ cη_k"):
        gh.minimize(f, S, Arsfw(gh.constant(0.1)), stop=gh.Iterations(3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gh.minimize(f, S, Arsfw(), stop=gh.Iterations(3))


@pytest.mark.parametrize("given, said", [
    ({"step": gh.Power(1.0)}, "p below 1"), ({"step": gh.Exact()}, "needs values"), ({"batch": 0}, "batch must be .* got 0"),
    ({"sigma": 3.0}, "Unweighted"), ({"sigma": Fading}, "Unweighted"), ({"regularizer": 1.0}, "SquaredNorm"),
    ({"every": 0}, "every must be .* got 0"), ({"look": 3}, "look must be .* got 3"),
], ids=lambda it: repr(it) if isinstance(it, str) else "")
def test_refusals(given: dict[str, Any], said: str) -> None:
    with pytest.raises(gh.GreedyhullError, match=said):
        Arsfw(**given)


def test_refusals_of_parts() -> None:
    class Steep(Softened):
        rho = 2.0

    for make, said in ((lambda: Fading(0.0), "c must be .* got 0"), (lambda: Steady(0), "horizon must be .* got 0"),
                       (lambda: Unweighted(-1.0), "c must be .* got -1"),
                       (lambda: Arsfw(regularizer=Steep([0.0])), "1-smooth")):
        with pytest.raises(gh.GreedyhullError, match=said):
            make()
    with pytest.raises(gh.GreedyhullError, match="not a sum"):
        gh.minimize(gh.quadratic(np.eye(D)), SETS["Simplex"], Arsfw(), stop=gh.Iterations(5))


@pytest.mark.parametrize("make, sigma", [(Arsfw.fading, gh.Fading), (Arsfw.unweighted, gh.Unweighted),
                                         (lambda c=None, **given: Arsfw.fixed(100, c, **given), lambda c: gh.Steady(100, c))],
                         ids=["fading", "unweighted", "fixed"])
def test_named_methods_take_the_settings_of_the_class(make: Any, sigma: Any) -> None:
    given = {"step": gh.Power(0.6), "regularizer": gh.SquaredNorm(), "tolerance": gh.harmonic(0.1), "batch": 8, "every": 7,
             "look": gh.MinibatchGap(50)}
    assert make() == Arsfw(sigma(None)) and make(2.0, **given) == Arsfw(sigma(2.0), **given)
    with pytest.raises(gh.GreedyhullError, match=r"batch must be.* got 0"):
        make(batch=0)
