"""A solution on a terminal and in a notebook."""

import pytest

import greedyhull as gh


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
    assert html.startswith("<table>") and html.count("<tr>") == 9 and "least_squares(n=60, d=12)" in html


def test_nothing_of_the_data_can_break_the_table(runs):
    class Odd(type(runs["always"].atom_set)):
        def __repr__(self):
            return "<b>S</b>"

    s = gh.minimize(runs["always"].objective, Odd(12, radius=1.0), gh.FrankWolfe(), stop=gh.Iterations(2))
    assert "<b>" not in s._repr_html_() and "&lt;b&gt;S&lt;/b&gt;" in s._repr_html_()


def test_repr_stays_on_one_line(runs):
    assert "\n" not in repr(runs["always"]) and repr(runs["always"]).startswith("Solution(value=")
