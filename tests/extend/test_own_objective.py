"""A class of one's own with a domain, a value and a gradient is an objective: every first-order solver takes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.extend import Objective, Traits, check_objective

rng = np.random.default_rng(3)
A, y = rng.standard_normal((20, 6)), rng.standard_normal(20)


class Entropic(Objective):
    """½‖Aw − y‖² + Σ exp(wⱼ)."""

    domain = (6,)
    calls = 0

    def value(self, w: Any) -> float:
        x = np.asarray(w)
        return float(0.5 * np.sum((A @ x - y) ** 2) + np.exp(x).sum())

    def gradient(self, w: Any) -> Any:
        type(self).calls += 1
        x = np.asarray(w)
        return A.T @ (A @ x - y) + np.exp(x)


class Smooth(Entropic):
    """The same with a Lipschitz constant of the gradient on the unit balls, and with products of the Hessian."""

    smoothness = float(np.linalg.norm(A.T @ A, 2) + np.e)

    def hessian_product(self, w: Any, v: Any) -> Any:
        return A.T @ (A @ v) + np.exp(np.asarray(w)) * v


def lower_bound(x: np.ndarray, vertices: np.ndarray) -> float:
    """f(x) + min ⟨∇f(x), v − x⟩ in extended precision: no point of the hull has a lower value."""
    A_, y_, x_, V = (np.asarray(part, dtype=np.longdouble) for part in (A, y, x, vertices))
    value = 0.5 * ((A_ @ x_ - y_) ** 2).sum() + np.exp(x_).sum()
    g = A_.T @ (A_ @ x_ - y_) + np.exp(x_)
    return float(value + (V @ g).min() - g @ x_)


SETS = [(gh.Simplex(6), np.eye(6)), (gh.L1Ball(6, 1.0), np.vstack([np.eye(6), -np.eye(6)]))]
FIRST_ORDER = [gh.FrankWolfe(), gh.FrankWolfe(gh.Backtracking()), gh.FrankWolfe(gh.Exact()), gh.AwayStep(), gh.Pairwise(),
               gh.BlendedPairwise(), gh.Jones(), gh.PairwiseJones(), None]


@pytest.mark.parametrize(("S", "vertices"), SETS, ids=["simplex", "l1 ball"])
@pytest.mark.parametrize("solver", FIRST_ORDER, ids=repr)
def test_first_order_solvers_bound_the_error(S: Any, vertices: Any, solver: Any) -> None:
    s = gh.minimize(Entropic(), S, solver, stop=gh.Gap(1e-5) | gh.Iterations(400))
    best = gh.minimize(Smooth(), S, gh.Corrective(), stop=gh.Gap(1e-10))
    least = lower_bound(best.x, vertices)
    assert s.certificate.kind == "always" and s.certificate.lower <= least + 1e-9
    assert s.value - best.value <= s.gap + 1e-12 and s.gap < 0.1


def test_it_is_called_once_for_each_point() -> None:
    Entropic.calls = 0
    s = gh.minimize(Entropic(), SETS[0][0], gh.FrankWolfe(gh.OpenLoop()), stop=gh.Iterations(50))
    assert Entropic.calls <= s.iterations + 12  # the checks of a user's gradient, and the certificate


def test_smoothness_and_products_are_used() -> None:
    f, S = Smooth(), SETS[0][0]
    assert f.traits.second_order and float(f.curvature(S)) == pytest.approx(2 * f.smoothness)
    assert gh.minimize(f, S, gh.FrankWolfe(gh.Short()), stop=gh.Gap(0.02) | gh.Iterations(3000)).converged
    assert gh.minimize(f, S, stop=gh.Gap(1e-9)).converged
    check_objective(f, S)


def test_a_run_is_resumed(tmp_path: Any) -> None:
    f, S, solver = Entropic(), SETS[1][0], gh.BlendedPairwise()
    whole = gh.minimize(f, S, solver, stop=gh.Iterations(12))
    gh.minimize(f, S, solver, stop=gh.Iterations(5), checkpoint=tmp_path / "run.npz")
    again = gh.minimize(f, S, solver, stop=gh.Iterations(12), resume=tmp_path / "run.npz")
    assert np.array_equal(again.x, whole.x)


def test_classes_derive_from_each_other() -> None:
    class Twice(Entropic):
        def value(self, w: Any) -> float:
            return 2 * super().value(w)

        def gradient(self, w: Any) -> Any:
            return 2 * super().gradient(w)

    S = SETS[0][0]
    one, two = gh.minimize(Entropic(), S, stop=gh.Gap(1e-8)), gh.minimize(Twice(), S, stop=gh.Gap(1e-8))
    assert two.value == pytest.approx(2 * one.value) and np.allclose(one.x, two.x, atol=1e-3)


def test_float32_is_an_estimate() -> None:
    class Single(Entropic):
        def gradient(self, w: Any) -> Any:
            return super().gradient(w).astype(np.float32)

    s = gh.minimize(Single(), SETS[0][0], gh.FrankWolfe(), stop=gh.Iterations(20))
    assert s.certificate.kind == "estimate" and "float32" in s.certificate.note


def test_what_is_not_convex_says_so() -> None:
    class Bent(Entropic):
        traits = Traits(convex=False)

        def value(self, w: Any) -> float:
            return -super().value(w)

        def gradient(self, w: Any) -> Any:
            return -super().gradient(w)

    assert gh.minimize(Bent(), SETS[0][0], gh.FrankWolfe(), stop=gh.Iterations(9)).certificate.kind == "stationary"


def test_mistakes_are_named() -> None:
    class Row(Entropic):
        def gradient(self, w: Any) -> Any:
            return super().gradient(w)[None]

    class Nothing(Objective):
        def gradient(self, w: Any) -> Any:
            return np.zeros(6)

    class Duck:
        domain = (6,)
        value, gradient = Entropic.value, Entropic.gradient

    @dataclass
    class Compared(Entropic):
        scale: float = 0.0

    S = SETS[0][0]
    for f, match in ((Row(), r"shape \(1, 6\)"), (Duck(), "Derive .* from greedyhull.extend.Objective"),
                     (Compared(), r"@dataclass\(eq=False\)")):
        with pytest.raises(gh.GreedyhullError, match=match):
            gh.minimize(f, S)
    with pytest.raises(TypeError, match="value"):
        Nothing()  # type: ignore[abstract]
