"""The curves of the solvers for f with kinks fall at the rates that they promise, or faster."""

import pytest

import greedyhull as gh
from greedyhull.experiments import nonsmooth_rates


def test_curves_fall_as_promised() -> None:
    found = nonsmooth_rates(3000, runs=1)
    assert [curve.name for curve in found.curves] == ["ARSFW", "ARSFW-U", "Moreau", "smoothing"]
    for curve, promised in zip(found.curves, (-0.25, -0.25, -0.5, -0.5), strict=True):
        assert curve.error[-1] < 0.5 * curve.error[0]
        assert curve.exponent <= promised + 0.15
        assert len(curve.error) == len(curve.subgradients) == len(curve.oracle_calls)
    assert found["Moreau"].oracle_calls[-1] < 0.5 * found["ARSFW"].oracle_calls[-1]  # few calls for many subgradients
    assert found["smoothing"].error[-1] < found["ARSFW"].error[-1]


def test_refusals() -> None:
    for given, said in (({"budget": 10}, "budget must be at least 200"), ({"runs": 0}, "runs must be at least 1"),
                        ({"ball": "linf"}, "ball must be 'l1' or 'l2'; got 'linf'")):
        with pytest.raises(gh.GreedyhullError, match=said):
            nonsmooth_rates(**given)
