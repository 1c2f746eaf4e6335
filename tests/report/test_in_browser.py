"""Reports as a reader meets them: on a phone and on a wide screen, in light and in dark."""

from pathlib import Path

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.report import write

WIDTHS = (390, 768, 1400)
FACTS = (Path(__file__).parent / "facts.js").read_text(encoding="utf-8").split("\n", 1)[1]


@pytest.fixture(scope="module")
def pages(runs, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    told = {"always": [f"a very long name of a column, number {j}_{'x' * 40}" for j in range(12)]}
    found = {name: write(runs[name], folder / f"{name.replace(' ', '-')}.html", names=told.get(name))
             for name in ("always", "probability", "stream", "stationary", "vertices", "no step", "chosen", "warm")}
    same = [runs[name] for name in ("always", "open loop", "chosen", "stochastic")]
    gh.compare(same, folder / "compare.html")
    rng = np.random.default_rng(4)
    small = gh.least_squares(1e-60 * rng.standard_normal((60, 12)), 1e-60 * rng.standard_normal(60))  # its numbers are long
    shrunk = [gh.minimize(small, runs["always"].atom_set, gh.FrankWolfe(), stop=gh.Iterations(k)) for k in (3, 12345)]
    gh.compare(shrunk, folder / "long.html", labels=["a run with a long name " * 5, "x" * 90])
    return {**found, "compare": folder / "compare.html", "long": folder / "long.html"}


@pytest.fixture(scope="module")
def seen(browser, pages):
    return browser.measure(pages, WIDTHS, FACTS)


def test_nothing_is_said_on_the_console(seen):
    assert seen[1] == []


def test_no_page_is_wider_than_its_window(seen, pages):
    assert len(seen[0]) == len(pages) * len(WIDTHS)
    assert {name: facts["width"] for name, facts in seen[0].items() if facts["width"] > facts["window"]} == {}


def test_text_of_figures_is_large_enough_to_read_and_inside_of_them(seen):
    assert {name: facts["smallest"] for name, facts in seen[0].items() if facts["smallest"] < 9.5} == {}
    assert {name: facts["outside"] for name, facts in seen[0].items() if facts["outside"]} == {}


def test_no_two_labels_lie_over_each_other(seen):
    assert {name: facts["over"] for name, facts in seen[0].items() if facts["over"]} == {}


def test_a_table_of_runs_is_not_clipped_and_on_a_phone_scrolls_in_its_box(seen):
    for name in ("compare", "long"):
        for width in (768, 1400):
            (box,) = seen[0][f"{name} {width}"]["runs"]
            assert box["inside"] <= box["box"], (name, width)
        (box,) = seen[0][f"{name} 390"]["runs"]
        assert box["box"] <= 390 and box["scrolls"] == "auto", name


def test_text_uses_the_width(seen):
    assert {name: facts["text"] for name, facts in seen[0].items() if min(facts["text"], default=1.0) < 0.99} == {}


def test_figures_are_there_and_have_something_drawn(seen):
    few = ("no step", "chosen", "vertices", "stationary")  # one iteration, or all alike: the answer, and no course to draw
    for name, facts in seen[0].items():
        assert len(facts["marks"]) >= (1 if name.startswith(few) else 3), name
        assert min(facts["marks"]) >= 1, (name, facts["marks"])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_figures_show_in_light_and_in_dark(scheme, browser, pages, seen, tmp_path):
    image = pytest.importorskip("PIL.Image")
    asked = f"--blink-settings=preferredColorScheme={1 if scheme == 'light' else 0}"
    boxes = seen[0]["always 1400"]["boxes"]
    shot = tmp_path / "shot.png"
    browser(pages["always"], f"--screenshot={shot}", "--window-size=1400,4000", asked)
    pixels = np.asarray(image.open(shot).convert("L")).astype(int)
    paper = pixels[3, 3]
    assert paper > 200 if scheme == "light" else paper < 60
    for left, top, width, height in np.array(boxes).astype(int).tolist():
        part = pixels[top : top + height, left : left + width]
        assert part.size and np.mean(np.abs(part - paper) > 60) > 0.005
