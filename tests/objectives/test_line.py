"""Lines: values, derivatives, minima, limits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from greedyhull.objectives.lines import NEAR, Curve, Parabola, line_search
from greedyhull.solvers.parts.steps import within
from greedyhull.testing.objectives import check_line

number = st.floats(-10, 10)


@given(number, number, st.floats(0, 10), st.floats(0.01, 3))
def test_a_parabola_is_a_parabola(start: float, slope: float, bend: float, top: float) -> None:
    check_line(
        Parabola(start, slope, bend, top), lambda s: start + slope * s + 0.5 * bend * s * s, what="a parabola", noise=1e-9
    )


@pytest.mark.parametrize(
    "line, step",
    [
        (Parabola(0, -1, 4, 1), 0.25),
        (Parabola(0, -1, 4, 0.1), 0.1),
        (Parabola(0, 0, 4, 1), 0.0),
        (Parabola(0, 1, 4, 1), 0.0),
        (Parabola(0, -1, 0, 1), 1.0),
        (Parabola(0, -1, 1e-320, 1), 1.0),
        (Parabola(0, 0, 0, 1), 0.0),
        (Parabola(0, -1, 1, 0), 0.0),
    ],
)
def test_the_minimum_of_a_parabola(line: Parabola, step: float) -> None:
    assert line.argmin() == step


@given(st.floats(0.01, 5), st.floats(-3, 3), st.floats(0.1, 2))
def test_newton_and_secants_find_the_same_minimum(a: float, b: float, top: float) -> None:
    """h = a e^s − b s."""
    def slope(s: float) -> float:
        return float(a * np.exp(s) - b)

    wanted = min(np.log(b / a), top) if b > a else 0.0  # b / a may underflow
    newton = line_search(lambda s: (slope(s), float(a * np.exp(s))), slope(0.0), top, np.inf)
    secant = line_search(lambda s: (slope(s), np.nan), slope(0.0), top, np.inf)
    assert newton == pytest.approx(wanted, abs=1e-9) and secant == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("rate, top", [(1.0, 3.0), (5.0, 3.0), (20.0, 3.0), (40.0, 1.0), (300.0, 2.0)])
def test_secants_do_not_creep_where_one_end_is_steep(rate: float, top: float) -> None:
    """h' = e^{rate·s} − 5: a plain secant keeps the steep end for ever and stays near zero."""
    calls = [0]

    def derivatives(s: float) -> tuple[float, float]:
        calls[0] += 1
        return float(np.exp(rate * s)) - 5.0, np.nan

    assert line_search(derivatives, -4.0, top, np.inf) == pytest.approx(np.log(5) / rate, rel=1e-9)
    assert calls[0] < 70


@pytest.mark.parametrize("p", [1.1, 1.5, 3.0, 9.0])
def test_secants_find_flat_and_sharp_minima(p: float) -> None:
    def slope(s: float) -> tuple[float, float]:
        return float(np.sign(s - 0.37) * abs(s - 0.37) ** (p - 1)) + 1e-3 * (s - 0.37), np.nan

    step = line_search(slope, -1.0, 1.0, np.inf)
    assert step == pytest.approx(0.37, abs=1e-9)


@pytest.mark.parametrize("slope_at_zero", [-1e-3, -1.0, -1e6])
def test_a_barrier_is_not_reached(slope_at_zero: float) -> None:
    """h' = slope + 1/(limit − s) − 1/limit: the minimum is below the limit however steep the line."""
    limit = 0.7

    def derivatives(s: float) -> tuple[float, float]:
        assert s < limit
        return slope_at_zero + 1 / (limit - s) - 1 / limit, 1 / (limit - s) ** 2

    step = line_search(derivatives, slope_at_zero, 1.0, limit)
    assert 0 <= step < limit and abs(derivatives(step)[0]) <= 1e-6 * abs(slope_at_zero) * max(1.0, abs(slope_at_zero))


@pytest.mark.parametrize("beyond", [np.nan, np.inf])
def test_a_derivative_that_is_not_finite_at_the_end_is_no_obstacle(beyond: float) -> None:
    step = line_search(lambda s: (s - 0.3 if s < 0.9 else beyond, np.nan), -0.3, 1.0, np.inf)
    assert step == pytest.approx(0.3)


def test_a_line_that_falls_to_its_end_is_followed_to_its_end() -> None:
    assert line_search(lambda s: (-1.0, 0.0), -1.0, 0.6, np.inf) == 0.6


def test_a_line_of_unknown_bend_says_infinity() -> None:
    line = Curve(lambda s: s * s, lambda s: (2 * s, 2.0), 0.0, 1.0)
    assert line.bend == np.inf


def test_several_points_of_a_line_are_seen_at_once() -> None:
    for line in (Curve(lambda s: s * s, lambda s: (2 * s, 2.0), 0.0, 2.0), Parabola(0.0, 0.0, 2.0, 2.0)):
        for steps in ([0.0, 0.5, 2.0], (0.0, 0.5, 2.0), np.array([0.0, 0.5, 2.0])):
            seen = line.probe(steps)
            assert seen.values.tolist() == [0.0, 0.25, 4.0] and seen.slopes.tolist() == [0.0, 1.0, 4.0]
        assert [len(part) for part in line.probe([])] == [0, 0]


def test_steps_are_drawn_back_from_the_limit() -> None:
    line = Curve(lambda s: s, lambda s: (1.0, 0.0), 1.0, 1.0, limit=0.5)
    assert within(0.4, line) == 0.4 and within(0.5, line) == NEAR * 0.5
