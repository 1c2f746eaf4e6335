"""Small problems of every loss, storage and option, for the tests that compare the core's rounds with those of Python."""

from itertools import product

import numpy as np
import pytest
from scipy import sparse

import greedyhull as gh
from greedyhull.solvers import corrective

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
STORAGES = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "rows apart": lambda X: np.repeat(X, 2, axis=0)[::2],
    "columns apart": lambda X: np.asfortranarray(np.repeat(X, 2, axis=1))[:, ::2],
    "both apart": lambda X: np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)[::2, ::2],
    "CSR": sparse.csr_array,
    "CSC": sparse.csc_array,
}
OPTIONS = list(product((np.float64, np.float32), (False, True), (False, True), (0.0, 0.3)))  # dtype, weights, intercept, l2


def made(loss, storage, options):
    """An objective of this loss on data of this storage."""
    dtype, weighted, intercept, l2 = options
    how = {"sample_weight": SHARES} if weighted else {}
    how |= {"intercept": True} if intercept else {}
    data = (POSITIVE if loss == "log_likelihood" else X).astype(dtype)
    return LOSSES[loss](STORAGES[storage](data), l2=l2, **how)


def by_core(monkeypatch, rounds, f, S, look=lambda w: None, **how):
    """The solution by these rounds of the core, and each point that it handed over, looked at, with what f knew there."""
    seen, tell = [], rounds.fill_view

    def spied(rounds, w):
        tell(rounds, w)
        look(w)
        view = rounds.f.at(w)
        seen.append((w.array(), view.z, view.value, view.residual, view.gradient))

    with monkeypatch.context() as patch:
        patch.setattr(rounds, "fill_view", spied)
        s = gh.minimize(f, S, gh.Corrective(), **how)
    assert seen, "the core did not run"
    return s, seen


def by_reference(monkeypatch, name, f, S, **how):
    """The solution by the rounds of Python; `name` is what would have made those of the core."""
    with monkeypatch.context() as patch:
        patch.setattr(corrective, name, lambda *given: None)
        return gh.minimize(f, S, gh.Corrective(), **how)


def check_handed_over(f, seen):
    """z = Xw, φ(z), ∇φ(z) and X'∇φ(z) in float64, whatever the data are."""
    data = f.design.matvec(np.eye(D, dtype=f.design.dtype)).astype(np.float64)  # rows of weight zero are not those given
    for x, z, value, residual, gradient in seen:
        assert np.abs(z - data @ x).max() <= 1e-13 * (np.abs(data) @ np.abs(x)).max()
        true_value, true_residual = f.exact.first_order(data @ x)
        size = np.abs(true_residual).max()
        assert value == pytest.approx(true_value, rel=1e-12, abs=1e-14)
        assert np.abs(residual - true_residual).max() <= 1e-12 * size
        assert np.abs(gradient - data.T @ true_residual).max() <= 1e-12 * size * np.abs(data).sum(axis=0).max()
