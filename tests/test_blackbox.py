"""What functions return is looked at, and what is wanted is said."""

from typing import Any

import numpy as np
import pytest

import greedyhull as gh

S = gh.Simplex(3)
WRONG = [((0.5, np.ones(3)), "returned \\(.*the value alone"), (None, "returned None; one number"),
         (np.ones(3), r"array of shape \(3,\)"), ("one", "returned 'one'"), (1j, "one number"), (np.array(1j), "one number"),
         (np.array(["one"]), "dtype"), ([1.0], r"returned \[1.0\]")]


@pytest.mark.parametrize(("returned", "said"), WRONG, ids=lambda given: type(given).__name__)
def test_a_value_that_is_no_number_is_named(returned: Any, said: str) -> None:
    with pytest.raises(gh.GreedyhullError, match=r"value\(w\) .*" + said):
        gh.minimize(gh.function(lambda w: returned, lambda w: w, 3), S)
    f = gh.finite_sum(lambda w, i: returned, lambda w, i: w, 4, 3)
    with pytest.raises(gh.GreedyhullError, match=r"value\(w, index\) .*" + said):
        gh.minimize(f, S)
    with pytest.raises(gh.GreedyhullError, match=r"value\(w, index\) .*" + said):
        f.batch(np.arange(2)).value(np.ones(3))


@pytest.mark.parametrize("kind", [float, np.float32, np.float64, np.array, lambda v: np.array([v]), lambda v: np.array([[v]])])
def test_numbers_of_every_kind_are_numbers(kind: Any) -> None:
    f = gh.function(lambda w: kind(0.5 * float(w @ w)), lambda w: w, 3, smoothness=1.0)
    s = gh.minimize(f, S, gh.BlendedPairwise(), stop=gh.Gap(1e-6) | gh.Iterations(200))
    assert s.converged and s.value == pytest.approx(1 / 6, abs=1e-5)
    assert gh.minimize(gh.function(lambda w: 0, lambda w: 0 * w, 3), S).value == 0.0


@pytest.mark.parametrize("returned", [None, "three", {"a": 1}, (np.ones(3), 1.0), [1.0, "b", 2.0]])
def test_a_gradient_that_is_no_array_is_named(returned: Any) -> None:
    with pytest.raises(gh.GreedyhullError, match=r"gradient\(w\) returned"):
        gh.minimize(gh.function(lambda w: 1.0, lambda w: returned, 3), S)
    with pytest.raises(gh.GreedyhullError, match=r"gradient\(w(, index)?\) returned"):
        gh.minimize(gh.finite_sum(lambda w, i: 1.0, lambda w, i: returned, 4, 3), S)


def test_nan_at_an_atom_is_survived_and_nan_everywhere_is_not() -> None:
    def entropy(w: Any) -> float:
        with np.errstate(all="ignore"):
            return float((w * np.log(w)).sum())  # NaN where a coordinate is zero

    s = gh.minimize(gh.function(entropy, lambda w: 1.0 + np.log(np.maximum(w, 1e-300)), 3), S, stop=gh.Iterations(3))
    assert s.value == pytest.approx(-np.log(3.0))
    with pytest.raises(gh.GreedyhullError, match="nan"):
        gh.minimize(gh.function(lambda w: np.nan, lambda w: w, 3), S)


def test_a_gradient_that_is_written_on_again_is_kept() -> None:
    kept = np.zeros(3)

    def gradient(w: Any) -> Any:
        kept[:] = w - np.array([0.2, 0.3, 0.5])
        return kept

    f = gh.function(lambda w: 0.5 * float(((w - np.array([0.2, 0.3, 0.5])) ** 2).sum()), gradient, 3, smoothness=1.0)
    assert gh.minimize(f, S, gh.FrankWolfe(), stop=gh.Gap(1e-3) | gh.Iterations(2000)).converged
