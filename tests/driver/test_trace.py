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


def long(rows: int, gap=lambda k: 1.0 / (k + 1.0), slack=lambda k: 0.0):
    """A trace to which so many rows were written, as a run writes them."""
    from greedyhull.driver.trace import Trace

    trace = Trace()
    for k in range(rows):
        trace.thin()
        assert len(trace.parts) <= 20_000
        if trace.parts:
            trace.steps.append(0.5 / k)
        trace.parts.append((k, 1e-6 * k, gap(k), gap(k), 1, k, k, float(k), slack(k)))
    trace.thin()
    return trace


def test_a_trace_of_a_million_rows_stays_small() -> None:
    import sys

    trace, most = long(1_000_000), 0
    for row in trace.rows:
        most += sys.getsizeof(row) + sum(map(sys.getsizeof, row))
    assert most < 12e6  # all rows would be 400 MB
    assert len(trace) <= 20_000 and trace.recorded == 1_000_000 and "of 1000000" in repr(trace)
    k = trace.iteration
    assert k[0] == 0 and k[-1] == 999_999 and (np.diff(k) > 0).all() and np.diff(k).max() <= 512
    assert np.isnan(trace.step[-1]) and np.allclose(trace.step[:-1], 0.5 / (k[:-1] + 1.0))  # each in the row it leaves from
    assert np.array_equal(trace.value, 1.0 / (k + 1.0))


def test_rows_that_words_figures_and_bounds_ask_for_are_kept() -> None:
    jumps = {7: 0.3, 12_345: 0.01, 54_321: 1e-7, 99_999: 0.5}
    trace = long(100_000, gap=lambda k: jumps.get(k, 1.0 if k else np.inf), slack=lambda k: 0.25 if k == 33_333 else 0.0)
    kept = set(trace.iteration.tolist())
    assert {0, 1, 7, 12_345, 54_321, 33_333, 99_999} <= kept and np.nanmax(trace.slack) == 0.25
    assert {k for k in range(2, 8000) if k % 16 == 0} <= kept


def test_a_long_run_is_the_same_run_with_fewer_rows() -> None:
    f, S = gh.least_squares(X, y), gh.L1Ball(6, 1.0)
    seen: list[tuple[float, float]] = []
    for watch in ((), lambda event: seen.append((event.value, event.gap))):  # in the core, and one by one
        s = gh.minimize(f, S, gh.FrankWolfe(gh.OpenLoop()), stop=gh.Iterations(45_000), watch=watch)
        assert len(s.trace) <= 20_000 and s.trace.recorded == 45_001 and s.iterations == 45_000
        assert s.trace.gap[-1] == s.certificate.gap and s.trace.value[-1] == s.certificate.value
        assert len(s.trace.steps) == len(s.trace) - 1
    k = s.trace.iteration[:-1]
    assert np.array_equal(s.trace.value[:-1], np.array([value for value, _ in seen])[k])
    assert np.array_equal(s.trace.step[:-1], 2.0 / (k + 2.0))
    bounds = s.bounds()
    assert [bound.name for bound in bounds] == ["Lemma 1 (duality)"]  # which needs no rows
    assert all("This proof needs every step" in refused.reason for refused in bounds.refused)
    assert "45000 iterations" in s.summary()
