"""What is said of Jones and pairwise Jones alone: compared with the record, and never below the rounding of the value."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.driver.bounds import of_run as by_values
from greedyhull.theory import Constant

H, C = np.diag([1.0, 5.0, 30.0]), np.array([0.1, 0.2, 0.05])
S = gh.Vertices(np.random.default_rng(1).standard_normal((6, 3)))
OWN = {"Jones (variance)", "Jones (variance, joint)", "Pairwise Jones (contraction)"}


def told(smoothness):
    return gh.function(lambda w: 0.5 * (w - C) @ H @ (w - C), lambda w: H @ (w - C), 3, smoothness=smoothness)


@pytest.mark.parametrize("solver", [gh.Jones(), gh.Jones(gh.OpenLoop())], ids=repr)
@pytest.mark.parametrize("smoothness", [1e-12, 0.003, 0.03, 0.3, 1.0, 3.0, 10.0, 30.0])
def test_a_wrong_smoothness_makes_bounds_disappear_not_false(solver, smoothness):
    lower = gh.minimize(told(30.0), S, stop=gh.Gap(1e-9)).certificate.lower
    for k in (1, 2, 5, 20, 60):
        s = gh.minimize(told(smoothness), S, solver, stop=gh.Iterations(k))
        for bound in s.bounds():
            assert bound.of != "error" or s.value - lower <= bound.value + 1e-9, bound
        listed = {bound.name for bound in s.bounds()} & OWN
        assert not listed if smoothness <= 0.03 and k == 5 else listed or smoothness < 30.0 or k < 60
        assert listed or "Jones (variance)" in dict(s.bounds().refused)


def test_a_wrong_variance_or_condition_is_found_on_the_record(monkeypatch):
    f, T = gh.quadratic(np.eye(5) + 1.0), gh.Simplex(5)
    jones, pairwise = (gh.minimize(f, T, solver, stop=gh.Iterations(4)) for solver in (gh.Jones(), gh.PairwiseJones()))
    ball = gh.minimize(f, gh.L1Ball(5, 2.0), gh.PairwiseJones(), stop=gh.Iterations(30))
    assert "Jones (variance)" in {bound.name for bound in jones.bounds()}
    assert all("Pairwise Jones (contraction)" in {bound.name for bound in s.bounds()} for s in (pairwise, ball))
    monkeypatch.setattr(by_values, "jones_variance", lambda f, S: Constant(1e-6, "upper bound", "V"))
    assert "is wrong" in dict(jones.bounds().refused)["Jones (variance)"]
    monkeypatch.setattr(by_values.theory, "pairwise_jones_rate", lambda kappa, atoms: np.full(len(atoms), 0.999))
    assert "is wrong" in dict(pairwise.bounds().refused)["Pairwise Jones (contraction)"]


@pytest.mark.parametrize("solver", [gh.Jones(), gh.Jones(gh.OpenLoop())], ids=repr)
def test_bounds_of_a_constant_function_have_the_rounding_of_its_value(solver):
    rng = np.random.default_rng(0)
    for _ in range(30):  # one row and an intercept: the minimum is zero everywhere, and the value is rounding alone
        f = gh.huber(rng.standard_normal((1, 4)), rng.standard_normal(1), 0.5, intercept=True)
        s = gh.minimize(f, gh.L1Ball(4, 1.0), solver, stop=gh.Iterations(2))
        assert all(s.value <= bound.value for bound in s.bounds() if bound.of == "error"), s.bounds()
