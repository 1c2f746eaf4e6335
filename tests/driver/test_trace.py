"""The record of a run."""

from pathlib import Path

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.driver.trace import COLUMNS

X, y = np.random.default_rng(1).standard_normal((20, 6)), np.random.default_rng(2).standard_normal(20)


@pytest.fixture(scope="module")
def solution() -> gh.Solution:
    return gh.minimize(gh.least_squares(X, y), gh.L1Ball(6, 1.0), gh.FrankWolfe(), stop=gh.Iterations(30))


def test_one_row_for_each_iteration(solution: gh.Solution) -> None:
    trace = solution.trace
    assert len(trace) == 31 and trace.iteration.tolist() == list(range(31))
    assert (np.diff(trace.seconds) >= 0).all() and (np.diff(trace.value) <= 1e-15).all()
    assert trace.oracle_calls.tolist() == [*range(1, 31), 32] and trace.gradient_calls.tolist() == list(range(1, 32))
    assert set(trace.to_dict()) == set(COLUMNS) and all(len(column) == 31 for column in trace.to_dict().values())


def test_a_step_stands_in_the_row_it_leaves_from(solution: gh.Solution) -> None:
    f = gh.least_squares(X, y)
    w = f.start(gh.L1Ball(6, 1.0), np.random.default_rng(0))
    for k in range(5):
        assert f.value(w) == pytest.approx(solution.trace.value[k])
        move = w.toward(gh.L1Ball(6, 1.0).argmin(f.gradient(w)))
        assert f.along(w, move).argmin() == pytest.approx(solution.trace.step[k])
        w.move(move, solution.trace.step[k])
    assert np.isnan(solution.trace.step[-1]) and not np.isnan(solution.trace.step[:-1]).any()


def test_the_gap_of_a_row_is_from_the_best_lower_bound_so_far(solution: gh.Solution) -> None:
    assert (np.diff(solution.trace.value - solution.trace.gap) >= -1e-12).all()  # a value is rounded, and its gap says so


def test_columns_by_name_and_attribute(solution: gh.Solution) -> None:
    assert np.array_equal(solution.trace["gap"], solution.trace.gap)
    with pytest.raises(KeyError, match="no column 'speed'; it has iteration"):
        solution.trace["speed"]
    with pytest.raises(AttributeError, match="no column 'speed'"):
        _ = solution.trace.speed
    assert repr(solution.trace).startswith("Trace(31 rows: iteration, seconds")


def test_a_data_frame(solution: gh.Solution) -> None:
    pytest.importorskip("pandas")
    frame = solution.trace.to_frame()
    assert list(frame.columns) == list(COLUMNS) and len(frame) == 31
    assert np.array_equal(frame["value"].to_numpy(), solution.trace.value)


def test_a_csv_file_keeps_every_digit(solution: gh.Solution, tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    solution.trace.to_csv(path)
    assert path.read_text().splitlines()[0] == ",".join(COLUMNS)
    read = np.genfromtxt(path, delimiter=",", names=True)
    for column in COLUMNS:
        assert np.array_equal(read[column], solution.trace[column], equal_nan=True)


def test_an_empty_trace_has_its_columns() -> None:
    from greedyhull.driver.trace import Trace

    assert all(len(column) == 0 for column in Trace().to_dict().values())
