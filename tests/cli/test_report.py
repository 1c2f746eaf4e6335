"""The page about a solution and the words for it, for solutions of many kinds."""

import re

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.report import used, words, write


@pytest.fixture(scope="module")
def solution():
    X = np.array([[2.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 3.0]])
    return gh.minimize(gh.least_squares(X, np.array([3.0, 0.0, -1.0])), gh.L1Ball(3, radius=1.0))


def test_words_tell_value_support_end_and_price(solution):
    value, support, end, price = words(solution)
    assert f"{solution.value:.8g}" in value and "that is proved" in value
    assert support.startswith("It uses ") and "of the 3 coordinates." in support
    assert solution.reason in end
    assert price.startswith("The price of the radius is")


def test_words_use_the_names_they_are_given(solution):
    letters = ["a", "b", "c"]
    found = [name for name, _ in used(solution, letters)]
    assert words(solution, letters, things="genes")[1] == f"It uses {len(found)} of the 3 genes: {', '.join(found)}."
    assert "allowance" in words(solution, budget="allowance")[3]


def test_a_budget_that_is_not_used_up_has_no_price():
    s = gh.minimize(gh.least_squares(np.eye(2), np.array([0.1, 0.0])), gh.L1Ball(2, radius=9.0), stop=gh.Gap(1e-9))
    assert words(s)[3].startswith("The radius has no price")


def test_a_set_without_radius_has_no_word_on_price():
    f = gh.least_squares(np.eye(2), np.ones(2))
    s = gh.minimize(f, gh.Simplex(2))
    s.atom_set = gh.Vertices(np.eye(3))
    assert len(words(s)) == 3


def test_the_largest_coordinates_come_first(solution):
    sizes = [abs(weight) for _, weight in used(solution)]
    assert sizes == sorted(sizes, reverse=True)
    assert all(weight != 0 for _, weight in used(solution))


def test_a_wrong_number_of_names_is_refused(solution):
    with pytest.raises(gh.GreedyhullError, match="2 names were given for 3 coordinates"):
        used(solution, ["a", "b"])


def test_names_cannot_break_the_page(solution, tmp_path):
    page = write(solution, tmp_path / "page.html", names=["<b>", "$x_1$", "a & b"], title="1 < 2")
    html = page.read_text(encoding="utf-8")
    assert "<b></td>" not in html and "1 &lt; 2" in html
    assert html.count("<svg") == html.count("</svg>") >= 1


def test_many_coordinates_are_cut_to_the_largest(tmp_path):
    rng = np.random.default_rng(0)
    s = gh.minimize(gh.least_squares(np.eye(300), rng.random(300)), gh.L1Ball(300, radius=100.0), gh.BlendedPairwise(),
                    stop=gh.Iterations(400))
    html = write(s, tmp_path / "page.html").read_text(encoding="utf-8")
    assert "The 15 largest of" in html
    weights = html[html.index('id="answer"') : html.index('id="certificate"')]
    assert weights.count("<tr>") <= 200 + 50 + 3  # coordinates in two tables, then atoms, each table with a head


def test_a_run_of_no_iterations_can_be_drawn(tmp_path):
    s = gh.minimize(gh.least_squares(np.eye(2), np.zeros(2)), gh.L1Ball(2, radius=1.0), stop=gh.Iterations(0))
    assert "svg" in write(s, tmp_path / "page.html").read_text(encoding="utf-8")


def test_the_same_solution_gives_the_same_page_but_for_the_times_of_its_parts(solution, tmp_path):
    first, second = (write(solution, tmp_path / name).read_text(encoding="utf-8") for name in ("one.html", "two.html"))
    timed = re.compile(r'<section id="time">.*?</section>', re.DOTALL)
    assert timed.sub("", first) == timed.sub("", second)


def test_a_larger_total_may_raise_the_minimum_and_the_page_says_so():
    s = gh.minimize(gh.quadratic(np.diag([1.0, 2.0])), gh.Simplex(2), stop=gh.Gap(1e-12))
    assert s.price == pytest.approx(-2 / 3)
    assert words(s)[3].startswith("The price of the total is -0.667") and "raises the minimum by about 0.667·h" in words(s)[3]
    assert "one more unit of total" in str(s)
