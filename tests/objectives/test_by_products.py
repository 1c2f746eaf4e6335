"""f on a few atoms by products with its Hessian: what it keeps is the Hessian, and what it hands out leads downhill."""

from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.objectives.restricted import ByProducts
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import BasisBlock, DenseBlock, Sparse, SparseBlock

D = 6
RNG = np.random.default_rng(3)
C = RNG.standard_normal((D, D))
BLOCKS = {
    "coordinates": BasisBlock(D, [0, 2, 2, 5, 1], [1.0, 2.0, -2.0, 0.5, 3.0]),
    "dense": DenseBlock(RNG.standard_normal((5, D)), (D,)),
    "sparse": SparseBlock(D, [Sparse(np.array([i, i + 1]), np.array([1.0, -0.5])) for i in range(5)]),
}


def problem(scale: float = 1.0) -> Any:
    """Σ exp(Cx)ᵢ, whose Hessian is CᵀEC."""
    return gh.function(lambda x: scale * float(np.exp(C @ x).sum()), lambda x: scale * (C.T @ np.exp(C @ x)), D,
                       hessian_product=lambda x, v: scale * (C.T @ (np.exp(C @ x) * (C @ v))))


def matrix(block: Any) -> Any:
    out = np.zeros((D, len(block)))
    for i in range(len(block)):
        block[i].add_to(out[:, i], 1.0)
    return out


def point(block: Any, seed: int = 0) -> Iterate:
    return Iterate(block.take(np.arange(len(block))), np.random.default_rng(seed).dirichlet(np.ones(len(block))), (D,))


def by_hand(w: Iterate, V: Any) -> Any:
    Z = C @ V
    return Z.T @ (np.exp(C @ w.array())[:, None] * Z)


@pytest.mark.parametrize("name", BLOCKS)
@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e100])
def test_gradient_and_hessian_are_the_dense_ones(name: str, scale: float) -> None:
    f, block = problem(scale), BLOCKS[name]
    w, V = point(block), matrix(block)
    small = ByProducts(f, block)
    np.testing.assert_allclose(small.hessian(w), scale * by_hand(w, V), rtol=1e-10, atol=1e-10 * scale)
    g = scale * (C.T @ np.exp(C @ w.array()))
    np.testing.assert_allclose(small.gradient(w), V.T @ g, rtol=1e-10, atol=1e-12 * scale)


@pytest.mark.parametrize("name", BLOCKS)
def test_atoms_join_and_leave(name: str) -> None:
    f, block = problem(), BLOCKS[name]
    w = point(block.take(np.arange(2)))
    small = ByProducts(f, block.take(np.arange(2)))
    small.hessian(w)
    small.extend(block.take(np.arange(2, 5)), w)
    np.testing.assert_allclose(small.hessian(w), by_hand(w, matrix(block)), rtol=1e-10, atol=1e-12)
    keep = np.array([3, 0])
    small.take(keep)
    np.testing.assert_allclose(small.hessian(w), by_hand(w, matrix(block.take(keep))), rtol=1e-10, atol=1e-12)
    assert list(small.block.keys) == [block.keys[i] for i in keep]


def test_a_hessian_that_has_moved_is_made_anew_and_one_that_has_not_is_kept() -> None:
    f, block = problem(), BLOCKS["dense"]
    w, V, small = point(block), matrix(block), ByProducts(problem(), block)
    weights = w.weights.copy()
    first = small.hessian(w)
    target = weights + 1e-6 * (np.eye(5)[0] - weights)
    small.trial(w, weights, target).commit(1.0)
    assert small.hessian(w) is first
    small.trial(w, target, np.eye(5)[1]).commit(1.0)
    np.testing.assert_allclose(small.hessian(w), by_hand(w, V), rtol=1e-10, atol=1e-12)
    assert f.value(w) == pytest.approx(float(np.exp(C @ V[:, 1]).sum()))


@pytest.mark.parametrize("flip", [-1.0, 0.0])
def test_what_is_not_semidefinite_is_not_handed_out(flip: float) -> None:
    signs = np.array([1.0, flip, 1.0, flip, 1.0, 1.0])
    f = gh.function(lambda x: 0.5 * x @ x, lambda x: x, D, hessian_product=lambda x, v: signs * v)
    block = BasisBlock(D, range(D), np.ones(D))
    with pytest.warns(gh.GreedyhullWarning, match="disagree with its gradient"):
        H = ByProducts(f, block).hessian(point(block))
    np.testing.assert_allclose(H, np.diag(np.maximum(signs, 0.0)), atol=1e-12)


def test_what_was_saved_is_not_made_again() -> None:
    calls: list[int] = []

    def product(x: Any, v: Any) -> Any:
        calls.append(1)
        return v

    f = gh.function(lambda x: 0.5 * x @ x, lambda x: x, D, hessian_product=product)
    block = BLOCKS["dense"]
    w, small = point(block), ByProducts(f, block)
    H = small.hessian(w)
    calls.clear()
    again = ByProducts(f, block)
    again.restore(small.state())
    assert np.array_equal(again.hessian(w), H) and len(calls) == 1  # the look
