"""Progress: a cheap line on a terminal or in a notebook, and records of a logger elsewhere."""

import io
import sys
from types import SimpleNamespace

import numpy as np

import greedyhull as gh
from greedyhull.driver.display import BETWEEN, ProgressLine, line_for
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import Basis
from greedyhull.solvers.parts.progress import Event


class Paper:
    """Stands in for rich's live line and keeps what was drawn."""

    def __init__(self):
        self.drawn, self.started, self.stopped = [], 0, 0

    def start(self):
        self.started += 1

    def stop(self):
        self.stopped += 1

    def update(self, text, refresh):
        assert refresh
        self.drawn.append(text.plain)


def event(seconds, iteration=1, gap=0.5, kind="always"):
    return Event(iteration, seconds, 1.25, gap, 1.25 - gap, Iterate.at(Basis(0, 1.0), (3,)), 2.0, kind)


def test_silent_where_stderr_is_no_terminal(monkeypatch):
    monkeypatch.setattr("sys.stderr", io.StringIO())
    assert line_for(gh.FrankWolfe()) == []
    monkeypatch.setattr("sys.stderr", None)
    assert line_for(gh.FrankWolfe()) == []


def test_one_watcher_on_a_terminal(monkeypatch):
    monkeypatch.setattr("sys.stderr", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("greedyhull.driver.display.live_line", Paper)
    (line,) = line_for(gh.FrankWolfe())
    assert line.name == "FrankWolfe"


def test_tells_value_gap_rate_atoms_and_time():
    line = ProgressLine("FrankWolfe", Paper())
    line(event(0.0, 0, gap=1.0))
    line(event(2.0, 100, gap=0.01))
    first, second = line._live.drawn
    assert first == "FrankWolfe  0 it  gap 1.00e+00  value 1.25  1 atom  0.0 s"
    assert second == "FrankWolfe  100 it  gap 1.00e-02  value 1.25  1 digits/s  1 atom  2.0 s"


def test_a_gap_that_does_not_fall_shows_iterations_a_second():
    line = ProgressLine("FrankWolfe", Paper())
    line(event(0.0, 0, gap=0.5))
    line(event(2.0, 100, gap=0.5))
    assert "50 it/s" in line._live.drawn[1]


def test_a_weaker_promise_is_named():
    line = ProgressLine("X", Paper())
    line(event(0.0, kind="expectation"))
    assert "gap 5.00e-01 (expectation)" in line._live.drawn[0]


def test_at_most_ten_drawings_a_second():
    line = ProgressLine("X", Paper())
    for i in range(3000):
        line(event(i / 1000.0, i))
    assert len(line._live.drawn) <= 3.0 / BETWEEN + 1


def test_close_draws_the_last_event_and_ends_the_line():
    line = ProgressLine("X", Paper())
    line(event(0.0, 0))
    line(event(0.01, 7))
    assert len(line._live.drawn) == 1
    line.close()
    assert "7 it" in line._live.drawn[-1]
    assert line._live.stopped == 1


def test_close_without_an_event_is_fine():
    line = ProgressLine("X", Paper())
    line.close()
    assert line._live.drawn == []


def test_an_event_that_is_not_drawn_is_nearly_free():
    """It is asked for its time and for nothing else, no word is made of it, and the terminal is left alone."""
    line = ProgressLine("X", Paper())
    line(event(0.0))
    started = line._live.started
    for i in range(1000):
        line(SimpleNamespace(seconds=0.9 * BETWEEN * i / 1000))  # whoever asks for more gets an AttributeError
    assert len(line._live.drawn) == 1 and line._live.started == started and len(line._marks) == 1


def test_a_real_line_of_rich_ends_with_a_newline(monkeypatch, capsys):
    from rich.console import Console
    from rich.live import Live

    paper = io.StringIO()
    live = Live(console=Console(file=paper, force_terminal=True, width=60), auto_refresh=False)
    line = ProgressLine("FrankWolfe", live)
    line(event(0.0, 0))
    line(event(0.5, 10, gap=0.1))
    line.close()
    said = paper.getvalue()
    assert "gap 1.00e-01" in said
    assert said.rstrip("\x1b[?25h").endswith("\n")  # the cursor comes back on a line of its own


def test_a_run_logs_where_no_terminal_is(caplog):
    with caplog.at_level("INFO", logger="greedyhull"):
        s = gh.minimize(gh.least_squares(np.eye(4), np.ones(4)), gh.L1Ball(4, 0.5), gh.FrankWolfe(), stop=gh.Iterations(30))
    lines = [record.getMessage() for record in caplog.records if record.name == "greedyhull"]
    assert len(lines) == 2  # at the start and at the end: the run takes less than five seconds
    assert lines[-1].startswith("FrankWolfe  30 it") and s.iterations == 30


def test_nothing_is_logged_by_default(caplog):
    gh.minimize(gh.least_squares(np.eye(4), np.ones(4)), gh.L1Ball(4, 0.5), gh.FrankWolfe(), stop=gh.Iterations(30))
    assert caplog.records == []


def test_a_notebook_shows_one_line_that_is_replaced(monkeypatch):
    shown = []

    class Handle:
        def update(self, content, raw):
            shown.append(content["text/plain"])

    shell = SimpleNamespace(kernel=object())
    fake = SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", fake)
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=lambda *_, **__: Handle()))
    f = gh.least_squares(np.eye(4), np.ones(4))
    gh.minimize(f, gh.L1Ball(4, 0.5), gh.FrankWolfe(), stop=gh.Iterations(30), progress=True)
    assert len(shown) >= 2 and shown[-1].startswith("FrankWolfe  30 it")
    shell.kernel = None  # IPython in a terminal
    assert line_for(gh.FrankWolfe()) == []
