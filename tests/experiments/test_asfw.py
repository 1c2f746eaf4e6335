"""The counter-examples to stochastic Frank-Wolfe with single terms give the numbers that theory gives."""

import pytest

import greedyhull as gh
from greedyhull.experiments import asfw_eg_a, asfw_eg_b


@pytest.mark.parametrize("k", [1, 2, 5, 20])
def test_it_converges_although_atoms_are_wrong_on_average(k):
    got = asfw_eg_a(k, seed=3, runs=200)
    assert got.exact == pytest.approx((2 * k + 1) / (3 * k * (k + 1)))
    assert got.agrees and (k == 1 or got.error > 0)


def test_the_condition_is_violated_more_and_more():
    assert asfw_eg_a(1, runs=3).violation == pytest.approx(1.5)
    assert asfw_eg_a(20, runs=100).violation > 1.6


@pytest.mark.parametrize("r", [0.3, 0.5, 0.9])
def test_the_limit_is_wrong(r):
    got = asfw_eg_b(r, k=30, runs=120)
    assert got.limit == pytest.approx(r * (8 - 5 * r) / 18) and got.limit > 0
    assert got.agrees and got.measured > 0.8 * got.limit


@pytest.mark.parametrize("eta", [0.2, 0.5, 1.0])
def test_constant_steps_stay_further_away(eta):
    r = 0.5
    got = asfw_eg_b(r, eta, k=20, runs=150)
    assert got.limit == pytest.approx(r * (8 - 5 * r) / 18 + 5 * r**2 * eta / (18 * (2 - eta)))
    assert got.agrees and got.exact == pytest.approx(got.limit, rel=1e-2)


def test_seeds_and_arguments():
    assert asfw_eg_a(3, 5, runs=4) == asfw_eg_a(3, 5, runs=4) != asfw_eg_a(3, 6, runs=4)
    for call in (lambda: asfw_eg_b(1.0), lambda: asfw_eg_b(0.0), lambda: asfw_eg_a(0), lambda: asfw_eg_a(3, runs=1),
                 lambda: asfw_eg_b(0.5, 2.0), lambda: asfw_eg_b(0.5, k=0)):
        with pytest.raises(gh.GreedyhullError, match="must"):
            call()
