"""An objective on a few atoms: gradient, Hessian and directions against dense formulas, for every loss, layout and shape."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import aslinearoperator

import greedyhull as gh
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import Basis, BasisBlock, DenseBlock, Sparse, SparseBlock

N, D = 23, 9
RNG = np.random.default_rng(5)
X = RNG.standard_normal((N, D)) * (RNG.random((N, D)) < 0.29)
X[:, 0] += 0.1 * (np.arange(N) % 3 == 0)
Y = X @ RNG.standard_normal(D) + RNG.standard_normal(N)
WEIGHTS = RNG.random(N) + 0.05
LAYOUTS = {"C": np.ascontiguousarray, "F": np.asfortranarray, "csr": sparse.csr_array, "csc": sparse.csc_array}
LOSSES = {
    "least_squares": lambda A, **k: gh.least_squares(A, Y, **k),
    "logistic": lambda A, **k: gh.logistic(A, np.sign(Y), **k),
    "squared_hinge": lambda A, **k: gh.squared_hinge(A, np.sign(Y), **k),
    "huber": lambda A, **k: gh.huber(A, Y, 0.7, **k),
    "poisson": lambda A, **k: gh.poisson(A, np.round(np.abs(Y)), **k),
    "lp_loss": lambda A, **k: gh.lp_loss(A, Y, 3.0, **k),
}


def coordinates(index=(0, 4, 4, 7, 2), scale=(1.0, 2.0, -2.0, 0.0, 0.5)):
    return BasisBlock(D, list(index), list(scale))


def sparse_atoms():
    return SparseBlock(D, [Sparse(np.array([1, 3]), np.array([0.5, -1.0])), Sparse(np.array([5]), np.array([1.5])),
                           Sparse(np.array([0, 2, 8]), np.array([1.0, 1.0, 2.0]))])


def dense_atoms():
    return DenseBlock(np.random.default_rng(1).standard_normal((4, D)), (D,))


BLOCKS = {"coordinates": coordinates, "sparse": sparse_atoms, "dense": dense_atoms}


def matrix(block):
    """The atoms as columns."""
    out = np.zeros((D, len(block)))
    for i in range(len(block)):
        block[i].add_to(out[:, i], 1.0)
    return out


def iterate(block, seed=0):
    weights = np.random.default_rng(seed).dirichlet(np.ones(len(block)))
    return Iterate(block, weights, (D,)), weights


def hessian_by_hand(f, w, B, weights=None):
    """BᵀXᵀ(C − C11ᵀC/1ᵀC1)XB, the second part only with an intercept."""
    c = np.asarray(f.curvatures(w), dtype=np.float64) if weights is None else weights
    Z = X @ B
    H = Z.T @ (c[:, None] * Z)
    return H - np.outer(Z.T @ c, Z.T @ c) / c.sum() if f.has_intercept else H


@pytest.mark.parametrize("shape", BLOCKS)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("intercept", [False, True], ids=["", "intercept"])
@pytest.mark.parametrize("loss", LOSSES)
def test_gradient_and_hessian_are_the_dense_ones(loss, intercept, layout, shape):
    for weights in (None, WEIGHTS):
        f = LOSSES[loss](LAYOUTS[layout](X), intercept=intercept, sample_weight=weights)
        block = BLOCKS[shape]()
        w, _ = iterate(block)
        small, B = f.restricted(block), matrix(block)
        np.testing.assert_allclose(small.gradient(w), B.T @ (X.T @ f.residual(w)), atol=1e-12)
        np.testing.assert_allclose(small.hessian(w), hessian_by_hand(f, w, B), atol=1e-11)
        np.testing.assert_allclose(small.hessian(w), small.hessian(w).T, atol=1e-12)
        np.testing.assert_allclose(f.hessian(w, block), hessian_by_hand(f, w, B), atol=1e-11)
        f.gradient(w)  # now that ∇f(w) is known, the scores come from it
        np.testing.assert_allclose(small.gradient(w), B.T @ (X.T @ f.residual(w)), atol=1e-12)


@pytest.mark.parametrize("loss", ["least_squares", "logistic", "poisson", "lp_loss"])
@pytest.mark.parametrize("intercept", [False, True], ids=["", "intercept"])
def test_the_hessian_is_the_derivative_of_the_gradient(loss, intercept):
    f = LOSSES[loss](X, intercept=intercept)
    block = dense_atoms()
    _, weights = iterate(block)
    H = f.restricted(block).hessian(Iterate(block, weights, (D,)))
    for i in range(len(block)):
        step = 1e-6 * np.eye(len(block))[i]
        ahead, back = (f.restricted(block).gradient(Iterate(block, weights + s, (D,))) for s in (step, -step))
        np.testing.assert_allclose((ahead - back) / 2e-6, H[i], atol=1e-6 * np.abs(H).max())


@pytest.mark.parametrize("kind", ["dense", "csr", "csc", "operator"])
@pytest.mark.parametrize("shape", BLOCKS)
def test_quadratic_forms(kind, shape):
    Q = X.T @ X
    b = np.arange(D) / D
    given = {"dense": Q, "csr": sparse.csr_array(Q), "csc": sparse.csc_array(Q), "operator": aslinearoperator(Q)}[kind]
    f, block = gh.quadratic(given, b), BLOCKS[shape]()
    w, weights = iterate(block)
    B, small = matrix(block), f.restricted(block)
    np.testing.assert_allclose(small.gradient(w), B.T @ (Q @ B @ weights - b), atol=1e-11)
    np.testing.assert_allclose(small.hessian(w), B.T @ Q @ B, atol=1e-11)
    target = np.random.default_rng(3).dirichlet(np.ones(len(block)))
    trial = small.trial(w, weights, target)
    np.testing.assert_allclose(f.at(w).direction(trial.move), Q @ B @ (target - weights), atol=1e-11)


@pytest.mark.parametrize("shape", BLOCKS)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("loss", ["least_squares", "logistic"])
@pytest.mark.parametrize("intercept", [False, True], ids=["", "intercept"])
def test_what_was_appended_equals_what_is_rebuilt(loss, layout, shape, intercept):
    f, block = LOSSES[loss](LAYOUTS[layout](X), intercept=intercept), BLOCKS[shape]()
    first, rest = block.take(np.arange(2)), block.take(np.arange(2, len(block)))
    w, _ = iterate(block.take(np.arange(2)))
    grown = f.restricted(first)
    grown.hessian(w)
    grown.extend(rest, w)
    whole = f.restricted(block)
    np.testing.assert_allclose(grown.hessian(w), whole.hessian(w), atol=1e-12)
    np.testing.assert_allclose(grown.gradient(w), whole.gradient(w), atol=1e-12)
    keep = np.array([2, 0])
    grown.take(keep)
    assert list(grown.block.keys) == [block.keys[i] for i in keep]
    np.testing.assert_allclose(grown.hessian(w), whole.hessian(w)[np.ix_(keep, keep)], atol=1e-12)


def test_atoms_of_another_shape_can_join():
    f, w = gh.least_squares(X, Y), Iterate.at(Basis(0, 1.0), (D,))
    small = f.restricted(coordinates())
    small.hessian(w)
    small.extend(sparse_atoms(), w)
    B = np.hstack([matrix(coordinates()), matrix(sparse_atoms())])
    np.testing.assert_allclose(small.hessian(w), hessian_by_hand(f, w, B), atol=1e-12)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("shape", BLOCKS)
def test_a_whole_step_leads_where_the_direction_says(loss, shape):
    """At step 1 the view is computed from the atoms afresh, at any other it is carried along; both are A(w + ηv)."""
    for step in (1.0, 0.3):
        f, block = LOSSES[loss](X), BLOCKS[shape]()
        w, weights = iterate(block)
        f.value(w)
        target = np.random.default_rng(7).dirichlet(np.ones(len(block)))
        target[0] = 0.0
        target /= target.sum()
        trial = f.restricted(block).trial(w, weights, target)
        seen = trial.value(step)
        trial.commit(step)
        assert f.value(w) == pytest.approx(seen, rel=1e-12)
        after = (1 - step) * weights + step * target
        np.testing.assert_allclose(f.at(w).z, X @ matrix(block) @ after, atol=1e-12)
        np.testing.assert_allclose(w.array(), matrix(block) @ after, atol=1e-12)
        assert (w.weights > 0).all() and len(w) == np.count_nonzero(after)
        assert f.fresh(w) == (step == 1.0)


@pytest.mark.parametrize("loss", ["logistic", "poisson", "huber", "squared_hinge"])
@pytest.mark.parametrize("layout", ["C", "csr"])
def test_the_kept_hessian_follows_the_curvature(loss, layout):
    """After any number of moves it is the Hessian of curvatures within 10 % of today's, entry by entry of the sum."""
    f, block = LOSSES[loss](LAYOUTS[layout](X)), coordinates(range(D), np.ones(D))
    B = matrix(block)
    w, alpha = iterate(block)
    small = f.restricted(block)
    rng = np.random.default_rng(0)
    for _ in range(12):
        H = small.hessian(w)
        c = f.curvatures(w)
        allowed = 0.12 * np.abs(X @ B).T @ (c[:, None] * np.abs(X @ B)) + 1e-12
        assert (np.abs(H - hessian_by_hand(f, w, B)) <= allowed).all()
        target = rng.dirichlet(0.3 * np.ones(D)) + 1e-3
        target /= target.sum()
        small.trial(w, alpha, target).commit(1.0)
        alpha = target


def test_a_curvature_that_falls_by_many_orders_leaves_no_trace():
    """Rows whose curvature was huge at the start: subtracting it again would leave nothing but rounding."""
    P = np.abs(np.random.default_rng(2).standard_normal((30, 6))) + 0.1
    P[:3, 1:] = 1e-11 * P[:3, 1:]
    P[3:, 0] = P[3:, 1:].mean(axis=1)  # the other rows stay where they are
    f, block = gh.log_likelihood(P), BasisBlock(6, np.arange(6), np.ones(6))
    alpha = np.r_[1e-11, np.full(5, (1 - 1e-11) / 5)]
    w = Iterate(block, alpha, (6,))
    small = f.restricted(block)
    assert f.curvatures(w).max() > 1e14
    small.hessian(w)
    target = np.full(6, 1 / 6)
    small.trial(w, alpha, target).commit(1.0)
    c = f.curvatures(w)
    H = small.hessian(w)
    np.testing.assert_allclose(H, P.T @ (c[:, None] * P), rtol=0.15)
