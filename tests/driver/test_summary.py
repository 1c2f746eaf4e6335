"""A solution on a terminal and in a notebook."""

import warnings

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.report.sentences import words


class Noisy:
    """The mean of ½‖w − ξ‖² over some ξ."""

    def __init__(self, xi):
        self.xi = xi

    def value(self, w):
        return float(((w - self.xi) ** 2).sum(axis=1).mean() / 2)

    def gradient(self, w):
        return w - self.xi.mean(axis=0)


@pytest.fixture(scope="module")
def runs():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((60, 12))
    f, S = gh.least_squares(X, 2.0 * X[:, 0] - X[:, 3] + rng.standard_normal(60)), gh.L1Ball(12, radius=2.0)
    stream = gh.expectation(lambda size, rng: Noisy(rng.standard_normal((size, 4))), 4)
    hills = gh.function(lambda w: -float(w @ w), lambda w: -2.0 * w, 4, convex=False)
    sampled = gh.StochasticFrankWolfe
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gh.GreedyhullWarning)
        return {
            "always": gh.minimize(f, S, gh.FrankWolfe(), stop=gh.Iterations(120)),
            "probability": gh.minimize(f, S, sampled(look=gh.MinibatchGap(30, 0.05)), stop=gh.Iterations(150)),
            "stream": gh.minimize(stream, gh.L2Ball(4, radius=1.0), sampled(look=gh.Regret()), stop=gh.Iterations(150)),
            "stationary": gh.minimize(hills, gh.Box(-np.ones(4), np.ones(4)), gh.FrankWolfe(), stop=gh.Iterations(9)),
            "no step": gh.minimize(f, S, stop=gh.Iterations(0)),
        }


@pytest.mark.parametrize("name", ["always", "probability", "stream", "stationary", "no step"])
def test_a_summary_tells_what_holds(name, runs):
    s = runs[name]
    text = s.summary()
    assert str(s) == text and max(map(len, text.splitlines())) <= 100
    told = {line[:11].strip(): line[11:] for line in text.splitlines() if line[:11].strip()}
    assert told["problem"].startswith(repr(s.objective)) and told["converged"] == ("yes" if s.converged else "no")
    assert f"{s.certificate.gap:.3g}" in told["gap"]
    assert ("unknown" in told["value"]) == (s.value is None)


def test_a_notebook_shows_the_same_as_a_table(runs):
    html = runs["always"]._repr_html_()
    assert html.startswith("<table>") and html.count("<tr>") == 10 and "least_squares(n=60, d=12)" in html


def test_prices_of_constraints_are_told():
    f = gh.least_squares(np.eye(4), np.array([1.0, 0.8, 0.1, 0.0]))
    groups = np.array(["tech", "tech", "food", "oil"])
    s = gh.minimize(f, gh.GroupedSimplex(groups, group_upper={"tech": 0.5, "oil": 0.9}), stop=gh.Gap(1e-12))
    told = {line[:11].strip(): line[11:] for line in s.summary().splitlines() if line[:11].strip()}
    assert told["prices"] == f"tech {s.prices['tech']:.4g}" and s.prices["oil"] == 0.0
    assert words(s)[-1].endswith(f"right-hand side: {told['prices']}.") and told["prices"] in s._repr_html_()
    free = gh.minimize(f, gh.GroupedSimplex(groups, group_upper=1.0), stop=gh.Gap(1e-12))
    assert "prices" not in free.summary() and "right-hand" not in " ".join(words(free))


def test_nothing_of_the_data_can_break_the_table(runs):
    class Odd(type(runs["always"].atom_set)):
        def __repr__(self):
            return "<b>S</b>"

    s = gh.minimize(runs["always"].objective, Odd(12, radius=1.0), gh.FrankWolfe(), stop=gh.Iterations(2))
    assert "<b>" not in s._repr_html_() and "&lt;b&gt;S&lt;/b&gt;" in s._repr_html_()


def test_repr_stays_on_one_line(runs):
    assert "\n" not in repr(runs["always"]) and repr(runs["always"]).startswith("Solution(value=")


def test_a_notebook_shows_the_largest_entries_by_name():
    f, S = gh.least_squares(np.eye(7), np.arange(7.0)), gh.L2Ball(7, radius=3.0)
    s = gh.minimize(f, S, stop=gh.Gap(1e-9))
    shown = int(np.count_nonzero(s.x))
    assert shown >= 6 and "x[6] = " in s._repr_html_() and f"and {shown - 5} smaller one" in s._repr_html_()
    s.names = [f"<i>{j}</i>" for j in range(7)]
    assert "&lt;i&gt;6&lt;/i&gt; = " in s._repr_html_() and "<i>" not in s._repr_html_()
    s.names = ["too", "few"]
    assert "x[6] = " in s._repr_html_()


def test_entries_of_matrices_and_of_nothing_are_shown():
    def nothing(g):
        return np.zeros((2, 2))

    def corner(g):
        return np.where(np.arange(4).reshape(2, 2) == g.argmin(), 1.0, 0.0)

    f = gh.function(lambda w: float((w**2).sum() - w[1, 0]), lambda w: 2 * w - [[0, 0], [1, 0]], (2, 2), scale=1.0)
    assert "all entries are zero" in gh.minimize(f, gh.oracle(nothing, (2, 2), bound=1.0))._repr_html_()
    assert "x[1, 0] = " in gh.minimize(f, gh.oracle(corner, (2, 2), bound=1.0))._repr_html_()
