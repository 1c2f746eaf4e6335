"""The figure of a solution."""

import pickle

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.report import plot, used

plt = pytest.importorskip("matplotlib.pyplot")
KINDS = ["always", "chosen", "probability", "expectation", "stream", "stationary", "vertices", "no step", "single"]


class Signs(gh.AtomSet):
    """Matrices with entries in [−1, 1]."""

    shape = (3, 2)

    def argmin(self, g):
        return gh.Dense(np.where(g > 0.0, -1.0, 1.0))


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.mark.parametrize("name", KINDS)
def test_two_panels_with_titles_and_axes(name, runs):
    figure = runs[name].plot()
    figure.canvas.draw()
    assert len(figure.axes) == 2
    assert all(axes.get_title() and axes.get_xlabel() and axes.get_ylabel() for axes in figure.axes)


def test_the_panels_show_the_answer_and_the_gap(runs):
    s = runs["always"]
    answer, gap = s.plot(names=[f"column {j}" for j in range(12)]).axes
    found = used(s, [f"column {j}" for j in range(12)])
    assert [label.get_text() for label in answer.get_yticklabels()] == [name for name, _ in found]
    assert [bar.get_width() for bar in answer.patches] == [weight for _, weight in found]
    assert gap.get_yscale() == "log" and gap.get_title() == "Certified gap"
    np.testing.assert_array_equal(gap.lines[0].get_ydata(), s.trace.gap)


def test_a_gap_that_is_not_proved_is_not_called_certified(runs):
    assert runs["probability"].plot().axes[1].get_title() == "Gap (probability)"


def test_names_of_the_solution_are_used_and_taken_literally():
    s = gh.minimize(gh.least_squares(np.eye(2), np.array([3.0, 0.0])), gh.L1Ball(2, radius=1))
    s.names = ["$cost", "income"]
    figure = s.plot()
    figure.canvas.draw()
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == [r"\$cost"]


def test_a_point_of_zeros_and_a_matrix_can_be_drawn():
    zero = gh.minimize(gh.least_squares(np.eye(2), np.zeros(2)), gh.L2Ball(2, radius=1.0))
    f = gh.function(lambda W: float(((W - 1.0) ** 2).sum()), lambda W: 2.0 * (W - 1.0), (3, 2))
    for s in (zero, gh.minimize(f, Signs(), stop=gh.Iterations(3))):
        figure = s.plot()
        figure.canvas.draw()
        assert len(figure.axes) == 2 and all(axes.get_title() for axes in figure.axes)


@pytest.mark.parametrize("scale", [1e-150, 1e100])
def test_scales_far_from_one_can_be_drawn(scale):
    s = gh.minimize(gh.least_squares(np.eye(3), scale * np.arange(3.0)), gh.L1Ball(3, radius=scale), gh.FrankWolfe(),
                    stop=gh.Iterations(5))
    figure = s.plot()
    figure.canvas.draw()
    assert all(axes.get_xlabel() and axes.get_title() for axes in figure.axes)


def test_without_matplotlib_the_error_says_what_to_install(runs, monkeypatch):
    monkeypatch.setattr("greedyhull.report.sentences.find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match=r"needs matplotlib.*pip install"):
        plot(runs["always"])


def test_a_pickled_solution_says_that_its_data_are_missing(runs):
    with pytest.raises(gh.GreedyhullError, match=r"pickled.*plot"):
        pickle.loads(pickle.dumps(runs["always"])).plot()
