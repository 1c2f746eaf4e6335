"""Objectives that are not finite everywhere: they begin inside, and no step ever looks where they are infinite."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import greedyhull as gh
from greedyhull.objectives.lines import Curve
from greedyhull.points.shapes import Basis

RNG = np.random.default_rng(17)
N, D = 25, 6
P = np.abs(RNG.standard_normal((N, D))) * (RNG.random((N, D)) < 0.4)
P[np.arange(N), RNG.integers(D, size=N)] += 0.5  # each row has something, no column has everything
RULES = [gh.OpenLoop(), gh.OpenLoop(4.0), gh.LogAdaptive(), gh.Constant(0.9), gh.Power(0.5), gh.Exact(), gh.Backtracking()]
SOLVERS = [*(gh.FrankWolfe(rule) for rule in RULES), gh.BlendedPairwise(), gh.BlendedPairwise(gh.Backtracking()),
           gh.Corrective(), gh.Corrective(batch=1, steps=1)]
DESCEND = ("Exact", "Backtracking", "NoneType")  # the rules that look at f; Corrective has none
STOP = gh.Relative(1e-8) | gh.Iterations(60)


class Watched:
    """A loss that notes the images it is asked about, and whether the loss is finite there."""

    def __init__(self, loss, finite):
        self.loss, self.finite, self.outside = loss, finite, []

    def __getattr__(self, name):
        found = getattr(self.loss, name)
        if name not in ("value", "gradient", "curvature", "pieces", "first_order", "terms", "slopes", "curvatures"):
            return found

        def noted(z, *rest):
            if not self.finite(z):
                self.outside.append((name, float(z.min()), float(z.max())))
            return found(z, *rest)

        return noted


# As one of the library's own: a loss of a user is compared with its values as a run begins, wherever that leads.
Watched.__module__ = "greedyhull.watched"


class Along(Watched):
    """Its lines are watched too: they call the loss that they were made of."""

    def along(self, z, dz, max_step):
        return type(self.loss).along(self, z, dz, max_step)


Along.__module__ = "greedyhull.watched"


def watched(f, finite):
    f.loss = f.exact = Along(f.loss, finite)
    return f


def positive(z):
    return bool((z > 0).all())


@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_log_likelihood_is_never_asked_outside(solver, layout):
    f = watched(gh.log_likelihood(layout(P)), positive)
    s = gh.minimize(f, gh.Simplex(D), solver, stop=STOP)
    assert not f.loss.outside, f.loss.outside[:3]
    assert np.isfinite(s.value)
    if type(getattr(solver, "step", None)).__name__ in DESCEND:
        assert s.value < s.trace["value"][0] and s.gap < s.trace["gap"][0]


@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
def test_poisson_is_never_asked_where_it_overflows(solver):
    """Images up to ±2000 on the set: e^z is out of reach for most of it."""
    X = 200.0 * RNG.standard_normal((N, D))
    f = watched(gh.poisson(X, np.arange(N) % 4), lambda z: bool((z < 305).all()))
    s = gh.minimize(f, gh.L1Ball(D, 5.0), solver, stop=STOP)
    assert not f.loss.outside, f.loss.outside[:3]
    assert np.isfinite(s.value)
    if type(getattr(solver, "step", None)).__name__ in DESCEND:
        assert s.value < s.trace["value"][0]


@pytest.mark.parametrize("solver", [gh.FrankWolfe(), gh.BlendedPairwise(), gh.Corrective()], ids=lambda s: type(s).__name__)
def test_they_agree_and_are_honest(solver):
    f, S = gh.log_likelihood(P), gh.Simplex(D)
    best = gh.minimize(f, S, gh.Corrective(), stop=gh.Relative(1e-11) | gh.Iterations(200))
    assert best.converged
    s = gh.minimize(f, S, solver, stop=gh.Relative(1e-6) | gh.Iterations(400))
    assert s.certificate.lower <= best.value and s.value - best.value <= s.gap + 1e-15
    assert (s.point.array() >= 0).all()


def test_the_start_is_inside():
    """No atom of the simplex has a finite value here: the run begins at the centre."""
    f = gh.log_likelihood(np.eye(D))
    s = gh.minimize(f, gh.Simplex(D), stop=gh.Iterations(0))
    np.testing.assert_allclose(s.point.array(), 1 / D)
    s = gh.minimize(f, gh.Simplex(D), start=np.r_[0.5, np.full(D - 1, 0.1)], stop=STOP)
    np.testing.assert_allclose(s.point.array(), 1 / D, atol=1e-4)


def test_a_start_outside_is_refused_in_words():
    f = gh.log_likelihood(np.eye(D))
    for start in (Basis(0, 1.0), np.eye(D)[2]):
        with pytest.raises(gh.GreedyhullError, match="finite"):
            gh.minimize(f, gh.Simplex(D), start=start)
    with pytest.raises(gh.GreedyhullError, match="finite"):
        gh.certify(f, gh.Simplex(D), np.eye(D)[0])
    with pytest.raises(gh.GreedyhullError, match="zero everywhere"):
        gh.log_likelihood(np.vstack([P, np.zeros(D)]))
    with pytest.raises(gh.GreedyhullError, match="negative"):
        gh.log_likelihood(P - 0.1)


def test_the_optimum_is_on_the_boundary_of_the_set():
    """Components that explain nothing leave; the likelihood stays finite all the way."""
    rng = np.random.default_rng(0)
    good = np.abs(rng.standard_normal((50, 2))) + 1.0
    f = gh.log_likelihood(np.hstack([good, 0.01 * np.abs(rng.standard_normal((50, 20)))]))
    s = gh.minimize(f, gh.Simplex(22), stop=STOP)
    assert s.converged and s.point.array()[2:].max() == 0.0


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 12), d=st.integers(1, 8), scale=st.integers(-9, 0))
def test_tiny_likelihoods(seed, n, d, scale):
    """Entries of many orders of magnitude, zeros among them: curvatures up to 1e18 and more."""
    rng = np.random.default_rng(seed)
    A = 10.0 ** rng.uniform(scale, 0, (n, d)) * (rng.random((n, d)) < 0.6)
    A[np.arange(n), rng.integers(d, size=n)] += 10.0**scale
    f = watched(gh.log_likelihood(A), positive)
    s = gh.minimize(f, gh.Simplex(d), gh.Corrective(), stop=gh.Relative(1e-7) | gh.Gap(1e-9) | gh.Iterations(200))
    assert s.converged, s.reason
    assert not f.loss.outside


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_no_rule_reaches_the_limit_of_a_line(rule):
    """A barrier at 0.3: h(η) = −log(0.3 − η) − 5η, whose minimum is at 0.1; asked beyond 0.3 it fails."""

    def derivatives(step):
        assert step < 0.3
        return 1.0 / (0.3 - step) - 5.0, 1.0 / (0.3 - step) ** 2

    def value(step):
        assert step < 0.3
        return -np.log(0.3 - step) - 5.0 * step

    for k in (0, 1, 5, 100):
        line = Curve(value, derivatives, derivatives(0.0)[0], 1.0, limit=0.3)
        for warm in (False, True):
            assert 0.0 < rule.start(warm)(line, k) < 0.3


def test_short_steps_refuse_where_no_curvature_bounds_the_line():
    with pytest.raises(gh.GreedyhullError, match="Exact"):
        gh.minimize(gh.log_likelihood(np.eye(D)), gh.Simplex(D), gh.FrankWolfe(gh.Short()),
                    start=np.r_[0.5, np.full(D - 1, 0.1)], stop=STOP)


def test_poisson_starts_where_it_is_finite():
    """Every atom overflows, the centre does not."""
    X = np.where(np.eye(D) > 0, 1000.0, -200.0)
    s = gh.minimize(gh.poisson(X, np.ones(D)), gh.Simplex(D), stop=gh.Relative(1e-6) | gh.Iterations(200))
    assert np.isfinite(s.value) and s.converged
    with pytest.raises(gh.GreedyhullError, match="infinite at the centre"):
        gh.minimize(gh.poisson(np.full((2, D), 1000.0), np.ones(2)), gh.Simplex(D))


def test_poisson_without_a_minimum_inside():
    """A column of large counts: the budget is used up, and no overflow is met on the way."""
    X = np.ones((N, 1))
    s = gh.minimize(gh.poisson(X, np.full(N, 1e8)), gh.L1Ball(1, 15.0), stop=STOP)
    assert s.converged and s.point.array()[0] == pytest.approx(15.0)
    s = gh.minimize(gh.poisson(X, np.full(N, 1e8)), gh.L1Ball(1, 5000.0), stop=STOP)
    assert s.converged and s.point.array()[0] == pytest.approx(np.log(1e8), rel=1e-6)


def test_poisson_in_single_precision():
    X = (30.0 * RNG.standard_normal((N, D))).astype(np.float32)
    f = watched(gh.poisson(X, np.arange(N) % 3), lambda z: bool((z < (305 if z.dtype == np.float64 else 41)).all()))
    s = gh.minimize(f, gh.L1Ball(D, 4.0), stop=gh.Relative(1e-4) | gh.Iterations(60))
    assert not f.loss.outside and np.isfinite(s.value)


def test_a_value_that_only_rounding_makes_finite_is_not_reported():
    """Atoms in pairs of opposite sign: their mean is zero, and what rounding leaves of it can look like a point inside."""
    looked_inside = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        half = np.diag(rng.random(5))
        f, S = gh.log_likelihood(rng.random((2, 5))), gh.Vertices(np.vstack([half, -half, np.zeros(5)]))
        w = S.centre()
        looked_inside += bool(np.isfinite(f.value(w)))
        for attempt in (lambda f=f, S=S: gh.minimize(f, S), lambda f=f, S=S, w=w: gh.certify(f, S, w),
                        lambda f=f, S=S, w=w: gh.minimize(f, S, start=w)):
            with pytest.raises(gh.GreedyhullError, match=r"rounding decides|inf at the start|is inf at this point"):
                attempt()
    if looked_inside == 0:
        pytest.skip("on this processor all sums cancel exactly")


def test_tiny_probabilities_are_no_edge_where_nothing_cancels():
    f = gh.log_likelihood(np.array([[1e-20, 1.0], [1.0, 1e-20]]))
    w = np.array([1.0, 0.0])
    assert gh.certify(f, gh.Simplex(2), w).value == pytest.approx(10 * np.log(10.0))
    assert gh.minimize(f, gh.Simplex(2), gh.FrankWolfe(), start=w, stop=gh.Gap(1e-9)).converged


def test_a_poisson_loss_that_rounding_decides_on_is_refused():
    """Huge atoms cancel: z is known up to more than e^z can bear."""
    a = 3.3e17
    f = gh.poisson(np.array([[1.0, 1.0 / 3.0]]), np.array([1.0]))
    S = gh.Vertices(np.array([[a, -3 * a], [-a, 3 * a], [0.0, 1.0]]))
    try:
        c = gh.certify(f, S, S.centre())
    except gh.GreedyhullError as error:
        assert "rounding decides" in str(error) or "inf" in str(error)
    else:
        assert c.gap == np.inf
