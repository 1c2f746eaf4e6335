"""Couplings of two distributions, against a linear program of SciPy."""

import numpy as np
import pytest
from scipy.optimize import linprog

import greedyhull as gh
from greedyhull.testing import check_atoms

pytest.importorskip("highspy")
rng = np.random.default_rng(0)
a, b = rng.random(3), rng.random(4)
b *= a.sum() / b.sum()


def least(G: np.ndarray) -> float:  # type: ignore[type-arg]
    A = np.vstack([np.kron(np.eye(3), np.ones((1, 4))), np.kron(np.ones((1, 3)), np.eye(4))])[:-1]
    return float(linprog(G.ravel(), A_eq=A, b_eq=np.concatenate([a, b])[:-1]).fun)


def test_plans_are_the_best_ones() -> None:
    check_atoms(gh.Transport(a, b), minimum=least)


def test_one_row_and_zeros() -> None:
    assert gh.Transport([1.0], [0.25, 0.75]).centre().array().tolist() == [[0.25, 0.75]]
    S = gh.Transport([0.0, 2.0], [1.0, 1.0, 0.0])
    assert np.allclose(S.centre().array(), [[0, 0, 0], [1, 1, 0]])


def test_a_coupling_with_its_prices() -> None:
    C = rng.random((3, 4))
    f = gh.function(lambda W: (C * W).sum() + 0.5 * (W**2).sum(), lambda W: C + W, (3, 4), hessian_product=lambda W, V: V)
    s = gh.minimize(f, gh.Transport(a, b), stop=gh.Gap(1e-9))
    assert s.converged and np.allclose(s.x.sum(axis=1), a) and np.allclose(s.x.sum(axis=0), b)
    assert s.prices is not None and list(s.prices) == ["a[0]", "a[1]", "a[2]", "b[0]", "b[1]", "b[2]"]


@pytest.mark.parametrize("given, words", [
    (([1.0, 2.0], [1.0, 1.0]), "a sums to 3 and b to 2"), (([1.0, -1.0], [0.0]), "a has the entry -1"),
    (([[1.0]], [1.0]), "a has shape"), (([1.0], []), "b has shape"), (([0.0], [0.0]), "positive total"),
    (([np.nan], [1.0]), "NaN"),
])
def test_bad_input_gets_words(given: tuple[list[float], list[float]], words: str) -> None:
    with pytest.raises(gh.GreedyhullError, match=words):
        gh.Transport(*given)
