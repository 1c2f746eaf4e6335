"""Corrective rounds in the compiled core: they agree with the Python rounds, and what they hand over is what NumPy computes."""

from itertools import product

import numpy as np
import pytest
from scipy import sparse

import greedyhull as gh
from greedyhull.atoms.positive_l1_ball import PositiveL1Ball
from greedyhull.kernels.core import core
from greedyhull.solvers import corrective
from greedyhull.solvers.parts.compiled_rounds import CompiledRounds

pytestmark = pytest.mark.skipif(core is None, reason="there is no compiled core")

N, D = 30, 8
RNG = np.random.default_rng(5)
X = RNG.standard_normal((N, D)) * (RNG.random((N, D)) < 0.7)
Y = X @ np.array([1.5, -2.0, 0.0, 0.0, 0.7, 0.0, 0.0, 0.3]) + 0.5 * RNG.standard_normal(N)
LABELS = np.where(Y + 0.8 * RNG.standard_normal(N) > 0, 1.0, -1.0)
COUNTS = RNG.poisson(np.exp(0.3 * X[:, 0] - 0.2 * X[:, 1])).astype(float)
POSITIVE = np.abs(X) + 0.1 * (np.arange(D) == 0)
SHARES = RNG.integers(0, 4, size=N).astype(float)  # some of them are zero

LOSSES = {
    "least_squares": lambda X, **how: gh.least_squares(X, Y, **how),
    "logistic": lambda X, **how: gh.logistic(X, LABELS, **how),
    "squared_hinge": lambda X, **how: gh.squared_hinge(X, LABELS, **how),
    "huber": lambda X, **how: gh.huber(X, Y, 0.3, **how),
    "poisson": lambda X, **how: gh.poisson(X, COUNTS, **how),
    "lp_loss 2.5": lambda X, **how: gh.lp_loss(X, Y, 2.5, **how),
    "lp_loss 4": lambda X, **how: gh.lp_loss(X, Y, 4.0, **how),
    "log_likelihood": lambda X, **how: gh.log_likelihood(X, **how),
    "hinge, smoothed": lambda X, **how: gh.hinge(X, LABELS, **how).smoothed(0.1),
    "absolute, smoothed": lambda X, **how: gh.absolute(X, Y, **how).smoothed(0.1),
    "quantile, smoothed": lambda X, **how: gh.quantile(X, Y, 0.3, **how).smoothed(0.1),
    "epsilon_insensitive, smoothed": lambda X, **how: gh.epsilon_insensitive(X, Y, 0.2, **how).smoothed(0.1),
}
SETS = {
    "L1Ball": gh.L1Ball(D, 1.5),
    "L1Ball, weighted": gh.L1Ball(D, 1.5, weights=np.linspace(0.5, 2.0, D)),
    "Simplex": gh.Simplex(D, 2.0),
    "CappedSimplex": gh.CappedSimplex(D, 1.5),
    "PositiveL1Ball": PositiveL1Ball(D, 1.5, weights=np.linspace(2.0, 0.5, D)),
    "Vertices": gh.Vertices(np.abs(np.random.default_rng(4).standard_normal((12, D)))),
}
STORAGES = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "rows apart": lambda X: np.repeat(X, 2, axis=0)[::2],
    "columns apart": lambda X: np.asfortranarray(np.repeat(X, 2, axis=1))[:, ::2],
    "CSR": sparse.csr_array,
    "CSC": sparse.csc_array,
}
OPTIONS = list(product((np.float64, np.float32), (False, True), (False, True), (0.0, 0.3)))  # dtype, weights, intercept, l2
TIGHT = gh.Relative(1e-8) | gh.Iterations(300)


def made(loss, name, storage, options):
    """An objective and its set, or None where there is no such objective."""
    dtype, weighted, intercept, l2 = options
    how = {"sample_weight": SHARES} if weighted else {}
    how |= {"intercept": True} if intercept else {}
    if loss == "log_likelihood" and (intercept or name.startswith("L1Ball")):
        return None
    if name == "Vertices" and l2 > 0.0:  # the ridge is about coordinates, the budget about weights of points
        return None
    data = (POSITIVE if loss == "log_likelihood" else X).astype(dtype)
    return LOSSES[loss](STORAGES[storage](data), l2=l2, **how), SETS[name]


def by_core(monkeypatch, f, S, **how):
    """The solution, and every point that the core handed over with what f knew there."""
    seen, tell = [], CompiledRounds._tell

    def spied(rounds, w):
        tell(rounds, w)
        view = rounds.f.at(w)
        seen.append((w.array(), w.weights.copy(), view.z, view.value, view.residual, view.gradient))

    with monkeypatch.context() as patch:
        patch.setattr(CompiledRounds, "_tell", spied)
        s = gh.minimize(f, S, gh.Corrective(), **{"stop": TIGHT, **how})
    assert seen, "the core did not run"
    return s, seen


def by_reference(monkeypatch, f, S, **how):
    with monkeypatch.context() as patch:
        patch.setattr(corrective, "compiled_rounds", lambda *given: None)
        return gh.minimize(f, S, gh.Corrective(), **{"stop": TIGHT, **how})


def check_handed_over(f, seen):
    """z = Xw, φ(z), ∇φ(z) and X'∇φ(z) in float64, whatever the data are."""
    data = f.design.matvec(np.eye(D, dtype=f.design.dtype)).astype(np.float64)  # rows of weight zero are not those given
    for x, weights, z, value, residual, gradient in seen:
        assert weights.min() >= 0.0 and weights.sum() == pytest.approx(1.0, rel=1e-13)
        assert np.abs(z - data @ x).max() <= 1e-13 * (np.abs(data) @ np.abs(x)).max()
        true_value, true_residual = f.exact.first_order(data @ x)
        size = np.abs(true_residual).max()
        assert value == pytest.approx(true_value, rel=1e-12, abs=1e-14)
        assert np.abs(residual - true_residual).max() <= 1e-12 * size
        assert np.abs(gradient - data.T @ true_residual).max() <= 1e-12 * size * np.abs(data).sum(axis=0).max()


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("loss", LOSSES)
def test_core_and_reference_agree(loss, name, monkeypatch):
    """Both are certified, and some value is possible by both certificates; each storage meets other options."""
    first = list(LOSSES).index(loss) + 5 * list(SETS).index(name)
    for i, storage in enumerate(STORAGES):
        for options in (OPTIONS[(first + 3 * i) % 16], OPTIONS[(first + 3 * i + 7) % 16]):
            both = made(loss, name, storage, options)
            if both is None:
                continue
            f, S = both
            s, seen = by_core(monkeypatch, f, S)
            rough = options[0] is np.float32  # the Python rounds compute in float32, the core does not
            other = by_reference(monkeypatch, f, S, stop=gh.Relative(1e-5) if rough else TIGHT)
            about = f"{storage}, {options}"
            assert s.converged and other.converged, f"{about}: {s.reason} {other.reason}"
            assert max(s.certificate.lower, other.certificate.lower) <= min(s.value, other.value), about
            assert S.contains(s.point), about
            check_handed_over(f, seen)
