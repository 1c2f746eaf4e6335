"""What a report tells: for every kind of promise, with names, with bounds that hold at each moment, with where time went."""

import copy
import re

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.driver.checkpoint import load_state, save_state
from greedyhull.objectives.designs.stored import DesignBase
from greedyhull.report import atoms, used, write
from greedyhull.report.figure import SHOWN, Line, Panel, panels, svg
from greedyhull.report.page import Until, bounds_along, split, split_bounds
from greedyhull.report.sentences import MEANS, answer, heading, means, measure, rows, title
from greedyhull.theory import Bound, Constant

SECTIONS = ["answer", "certificate", "convergence", "bounds", "time", "again"]  # in this order
KINDS = ["always", "chosen", "stochastic", "probability", "expectation", "stream", "stationary", "function", "vertices",
         "no step", "single"]


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_run_has_a_page(name, runs, tmp_path):
    s = runs[name]
    html = s.report(tmp_path / "run.html").read_text(encoding="utf-8")
    assert re.findall(r'<section id="(\w+)">', html) == SECTIONS
    assert "nan" not in re.sub(r"<svg.*?</svg>", "", html, flags=re.DOTALL).lower().replace("finance", "")
    assert "http" not in re.sub(r"<svg.*?</svg>", "", html, flags=re.DOTALL) and "#0102" not in html and "<script" not in html
    assert f"<h1>{title(s.certificate, s.converged)}</h1>" in html
    assert repr(s.solver).replace("'", "&#39;") in html and f"seed={s.seed}" in html and f"stop = {s.stop!r}" in html
    assert len(html) < 250_000


def shown(certificate, scale=0.0, reason=""):
    return {row.name: row for row in rows(certificate, scale, reason)}


def test_what_is_proved_depends_on_the_kind(runs):
    for name in ("always", "probability", "expectation", "stationary"):
        c = runs[name].certificate
        assert c.kind == name and MEANS[name].format(delta=c.delta) in means(c) and shown(c)["kind"].value == name
        assert shown(c)["gap"].value == f"{c.gap:.3g}"
    assert shown(runs["probability"].certificate)["kind"].note == "with probability at least 0.95"
    assert any("a fraction 0.05 may" in sentence for sentence in means(runs["probability"].certificate))
    stream = runs["stream"].certificate
    assert "value" not in shown(stream) and "can only be sampled" in means(stream)[-1]


def test_the_minimum_lies_between_two_numbers_where_that_is_known(runs):
    assert means(gh.Certificate(0.75, 0.5, 0.25))[0] == "The minimum lies between 0.25 and 0.75."
    assert means(runs["probability"].certificate)[0].endswith(", with probability at least 0.95.")
    for name in ("stationary", "expectation", "stream"):
        assert not any("lies between" in sentence for sentence in means(runs[name].certificate))
    assert "lies between" not in means(gh.Certificate(1.0, 1e-15, 1.0 - 1e-15))[0]  # 12 digits do not tell them apart


def test_what_rests_on_estimates_is_not_called_proved():
    assert heading(gh.Certificate(1.0, 0.5, 0.5)) == "What is proved"
    assert heading(gh.Certificate(1.0, 0.5, 0.5, "estimate")) == heading(gh.Certificate(1.0, None, -np.inf)) == "What is known"
    assert "estimated from the atoms" in means(gh.Certificate(1.0, 0.5, 0.5, rounding="estimated"))[-1]


def test_only_a_run_that_met_its_request_is_called_a_minimum(runs):
    assert runs["chosen"].converged and not runs["always"].converged
    assert title(runs["chosen"].certificate, True) == "A certified minimum"
    assert title(runs["always"].certificate, False) == "A point with a certified gap"


def test_what_is_not_known_is_not_told():
    unknown = gh.Certificate(None, None, -np.inf, "probability", 0.05)
    assert "gap" not in shown(unknown, 1.0) and "No bound was computed" in means(unknown)[-1]
    assert title(unknown) == "A point without a bound so far"


def test_names_stand_at_weights_and_atoms(runs, tmp_path):
    names = [f"column {j}" for j in range(12)]
    html = runs["always"].report(tmp_path / "run.html", names=names).read_text(encoding="utf-8")
    assert "column 0" in html and "2·column 0" in html and "w[0]" not in html


@pytest.mark.parametrize("names", [[1, 2, 3], ["", "", ""], ["a\nb", "c\td", "e"], np.array(["a", "b", "c"])])
def test_odd_names_can_be_drawn(names, tmp_path, recwarn):
    s = gh.minimize(gh.least_squares(np.eye(3), np.ones(3)), gh.Simplex(3))
    html = s.report(tmp_path / "run.html", names=names).read_text(encoding="utf-8")
    assert all(f"<td>{name}</td>" in html for name in names) and not recwarn.list


def test_the_numbers_of_the_answer_are_called_what_they_are():
    f = gh.least_squares(np.eye(2), np.array([3.0, 0.0]))
    assert [measure(gh.minimize(f, S)) for S in (gh.L1Ball(2, radius=1.0), gh.Simplex(2),
                                                  gh.Simplex(2, upper=0.7))] == ["coefficient", "weight", "weight"]
    assert measure(gh.minimize(gh.quadratic(np.eye(2)), gh.L2Ball(2, radius=1.0))) == "value"


def test_the_answer_in_words(runs):
    assert answer(runs["always"]).startswith("2 of the 12 coordinates have a nonzero coefficient. The answer is a convex ")
    one = gh.minimize(gh.least_squares(np.ones((5, 1)), np.ones(5)), gh.L1Ball(1, radius=1.0))
    assert answer(one) == "The answer has one coordinate. The answer is a single atom."


def test_atoms_come_by_weight_and_make_the_point(runs):
    for name in ("always", "vertices"):
        point, found = runs[name].point, atoms(runs[name])
        assert [weight for _, weight in found] == sorted(point.weights.tolist(), reverse=True)
    assert all(re.fullmatch(r"atom \d", label) for label, _ in atoms(runs["vertices"]))
    assert all(re.fullmatch(r"−?2·w\[\d+\]", label) for label, _ in atoms(runs["always"]))
    assert len(atoms(runs["always"], most=1)) == 1 and atoms(runs["stream"]) == []


def test_an_atom_of_many_entries_is_cut_short():
    f = gh.quadratic(np.eye(5), np.arange(5.0))
    s = gh.minimize(f, gh.Box(-np.ones(5), np.ones(5)), gh.BlendedPairwise(), stop=gh.Iterations(3))
    assert all(label.endswith("… (5 entries)") for label, _ in atoms(s)) or not s.point.keeps_atoms


HARD = np.random.default_rng(0).standard_normal((200, 30))  # the gap of Frank-Wolfe falls no faster than its theorems say
TARGET = HARD @ np.where(np.arange(30) % 4, 0.0, 1.0)


@pytest.mark.parametrize("step", [gh.Exact(), gh.OpenLoop()])
def test_bounds_along_a_run_bound_it_at_every_moment(step):
    f, S = gh.least_squares(HARD, TARGET), gh.L1Ball(30, radius=3.0)
    s = gh.minimize(f, S, gh.FrankWolfe(step), stop=gh.Iterations(300))
    error = s.trace.value - gh.minimize(f, S).value
    lines = bounds_along(s, s.bounds())
    assert lines
    for line in lines:
        known = np.isfinite(line.y)
        assert known[-1] and (line.y[known] >= error[line.x[known].astype(int)] - 1e-9).all()
        assert s.bounds().named(line.label.split(":")[0]).value == line.y[-1] < 100.0 * s.gap


def test_bounds_far_above_the_gap_are_not_drawn(runs):
    s = runs["always"]
    assert min(bound.value for bound in s.bounds() if bound.constants) > 100.0 * s.gap
    assert bounds_along(s, s.bounds()) == []


def test_a_relative_gap_is_told_with_what_it_is_relative_to(runs):
    c = gh.Certificate(2.0, 0.5, 1.5)
    assert shown(c, 10.0)["relative gap"][1:] == ("0.05", "of max(|value|, 10)")
    assert shown(c)["relative gap"][1:] == ("0.25", "of the value")
    assert "relative gap" not in shown(gh.Certificate(0.0, 0.5, -0.5))
    assert "relative gap" not in shown(runs["stationary"].certificate, 1.0)


@pytest.mark.parametrize("stop", [gh.Relative(1e-3), gh.Relative(1e-3, floor=100.0), gh.RelativeToStart(1e-3), gh.Gap(1e-3)])
def test_a_page_names_one_relative_gap(stop, runs, tmp_path):
    s = gh.minimize(runs["always"].objective, runs["always"].atom_set, stop=stop)
    html = re.sub(r"<[^>]*>", " ", s.report(tmp_path / "run.html").read_text(encoding="utf-8"))
    assert len(set(re.findall(r"relative gap\s+([\d.e+-]*\d)", html))) == 1


def test_the_answer_stands_under_the_title(runs, tmp_path):
    names = [f"column {j}" for j in range(12)]
    html = runs["always"].report(tmp_path / "run.html", names=names).read_text(encoding="utf-8")
    above = html[html.index("<h1>") : html.index('<section id="certificate">')]
    assert above.count("<svg") == 1 and all(f"<td>{name}</td>" in above for name, _ in used(runs["always"], names))
    below = html[html.index('<section id="certificate">') : html.index('<section id="convergence">')]
    assert f"{runs['always'].value:.10g}" in below and runs["always"].reason in below and "<svg" not in below


def test_no_tile_repeats_another(runs, tmp_path):
    for name in KINDS:
        html = runs[name].report(tmp_path / "run.html").read_text(encoding="utf-8")
        tiles = re.findall(r"<li><span>(.*?)</span>", html)
        assert len(tiles) == len(set(tiles)) and set(tiles) <= {"value", "gap", "relative gap", "kind"}


def panel_titles(s, drawn=()):
    return [panel.title for panel in panels(s, drawn)]


def test_a_run_of_one_iteration_has_no_figures_of_its_course(runs, tmp_path):
    s = gh.minimize(runs["always"].objective, runs["always"].atom_set, gh.FrankWolfe(), stop=gh.Iterations(1))
    assert panels(s) == [] and bounds_along(s, s.bounds()) == []
    html = s.report(tmp_path / "run.html").read_text(encoding="utf-8")
    assert html.count("<svg") == 1 and f"The gap went from {s.trace.gap[0]:.3g} to {s.trace.gap[-1]:.3g}." in html


def test_a_figure_that_says_nothing_is_left_out(runs):
    s = copy.copy(runs["always"])
    s.trace = copy.deepcopy(s.trace)
    assert {"Step sizes", "Number of atoms"} <= set(panel_titles(s))
    s.trace.steps = [1.0] * len(s.trace.steps)
    s.trace.rows = [(*row[:4], 3.0, *row[5:]) for row in s.trace.rows]
    assert not {"Step sizes", "Number of atoms"} & set(panel_titles(s))


@pytest.mark.parametrize(("seconds", "told"), [
    (lambda k: 2.0 + 1e-6 * k, False),  # the first row took nearly all
    (lambda k: 2.0 * (k > 50) + 1e-6 * k, False),  # one row in the middle did
    (lambda k: 0.1 * k, False),  # each row took as long as any other
    (lambda k: 0.001 * k**2, True),
])
def test_seconds_are_drawn_where_they_say_more_than_iterations(seconds, told, runs):
    s = copy.copy(runs["always"])
    s.trace = copy.deepcopy(s.trace)
    s.trace.rows = [(row[0], seconds(row[0]), *row[2:]) for row in s.trace.rows]
    assert ("Gap against seconds" in panel_titles(s)) == told


def bound_of(value, *constants):
    return Bound("a bound", value, tuple(constants), "formula")


def test_bounds_far_above_the_gap_are_folded_away(runs, tmp_path):
    k = Constant(5.0, "exact", "k")
    itself, near, far, below = bound_of(1.0), bound_of(99.0, k), bound_of(100.0, k), bound_of(0.1, k)
    assert split_bounds([itself, near, far, below], 1.0) == ([itself, near, below], [far])
    assert split_bounds([itself, far], 1.0) == ([], [itself, far])  # the gap alone is no table
    assert split_bounds([near, far], None) == ([near, far], []) and split_bounds([near, far], 0.0) == ([], [near, far])
    s = runs["chosen"]
    assert min(bound.value for bound in s.bounds() if bound.constants) > 100.0 * s.gap
    html = s.report(tmp_path / "run.html").read_text(encoding="utf-8")
    part = html[html.index('<section id="bounds">') : html.index('<section id="time">')]
    assert part.index('<details class="far">') < part.index("<table") and "Theorem 2" in part


def test_every_figure_has_a_title_and_both_axes_named(runs, tmp_path):
    html = runs["always"].report(tmp_path / "run.html").read_text(encoding="utf-8")
    drawn = re.findall(r"<svg.*?</svg>", html, flags=re.DOTALL)
    texts = [set(re.findall(r"<text[^>]*>([^<]*)</text>", one)) for one in drawn]
    assert {"The coefficients of the answer", "coefficient", "coordinates"} <= texts[0]
    for panel, words in zip(panels(runs["always"]), texts[1:], strict=True):
        assert {panel.title.split(" −")[0], panel.x, panel.y} <= words | {panel.title}


def test_a_run_until_a_moment_has_the_record_of_then(runs):
    s = runs["always"]
    early, again = Until(s, 21), gh.minimize(s.objective, s.atom_set, s.solver, stop=gh.Iterations(20))
    assert early.iterations == again.iterations and np.allclose(early.trace.value, again.trace.value, rtol=1e-14)
    assert [b.name for b in gh.Solution.bounds(early)] == [b.name for b in again.bounds()]
    ours, theirs = gh.Solution.bounds(early).named("Line search"), again.bounds().named("Line search")
    assert ours.value == pytest.approx(theirs.value)


def test_the_time_of_the_parts_is_that_of_the_run(runs):
    s = runs["always"]
    parts = split(s)
    if parts:  # a machine that was slow just now may find the parts to take longer than the run did
        assert [part.name for part in parts] == ["gradient", "oracle", "step", "certificate", "all else"]
        assert sum(part.seconds for part in parts) == pytest.approx(s.seconds)
        assert [part.times for part in parts[:3]] == [s.trace.gradient_calls[-1], s.trace.oracle_calls[-1], s.iterations]


def test_timing_leaves_the_solution_as_it_is(runs):
    for name in ("always", "stochastic", "stream", "vertices"):
        s = runs[name]
        before = s.point.array(), len(s.point), s.point.work.gradients
        split(s)
        assert np.array_equal(before[0], s.point.array()) and before[1:] == (len(s.point), s.point.work.gradients)


def test_a_run_whose_beginning_is_not_known_has_no_split_but_a_page(runs, tmp_path):
    s = runs["always"]
    gh.minimize(s.objective, s.atom_set, s.solver, stop=gh.Iterations(5), checkpoint=tmp_path / "state.npz")
    whole = load_state(tmp_path / "state.npz")
    save_state(tmp_path / "state.npz", {name: whole[name] for name in whole if not name.startswith("trace.")})
    later = gh.minimize(s.objective, s.atom_set, s.solver, stop=gh.Iterations(9), resume=tmp_path / "state.npz")
    assert split(later) == []
    assert "saved state" in later.report(tmp_path / "run.html").read_text(encoding="utf-8")


def test_a_solution_keeps_what_it_was_asked(runs):
    s = gh.minimize(runs["always"].objective, runs["always"].atom_set, stop=gh.Gap(1e-3) | gh.Stalled(5), seed=7)
    assert s.seed == 7 and repr(s.stop) == "Gap(absolute=0.001) | Stalled(k=5)"


def test_constants_have_their_status(runs, tmp_path):
    s = runs["always"]
    assert s.constants.M.value == s.objective.curvature(s.atom_set).value and s.constants is s.constants
    html = s.report(tmp_path / "run.html").read_text(encoding="utf-8")
    assert f'<td>M</td><td class="n">{s.constants.M.value:.6g}</td><td>exact</td>' in html


def test_long_lines_are_thinned_and_end_where_they_end():
    x = np.arange(1.0, 5001.0)
    drawn = svg(Panel("many", "iterations", "gap", [Line("gap", x, (2.0 + np.sin(x)) / x)], log=True))
    points = max(re.findall(r' d="([^"]+)"', drawn), key=len).count("L")
    assert 50 < points <= SHOWN


def test_points_that_cannot_be_drawn_are_left_out():
    line = Line("gap", np.arange(4.0), np.array([np.inf, 1.0, np.nan, 0.0]))
    assert Panel("few", "iterations", "gap", [line], log=True).drawn[0].y.tolist() == [1.0]
    assert Panel("none", "iterations", "gap", [Line("gap", np.arange(2.0), np.full(2, np.nan))]).drawn == []


@pytest.mark.parametrize("missing", ["jinja2", "matplotlib"])
def test_what_is_missing_is_told(missing, runs, tmp_path, monkeypatch):
    from greedyhull.report import sentences as pages

    found = pages.find_spec
    monkeypatch.setattr(pages, "find_spec", lambda name: None if name == missing else found(name))
    for report in (runs["always"].report, gh.compare([runs["always"]]).report):
        with pytest.raises(ModuleNotFoundError, match=re.escape('pip install -e ".[report]"')):
            report(tmp_path / "run.html")


def test_a_page_can_be_titled(runs, tmp_path):
    assert "<title>Mine</title>" in write(runs["always"], tmp_path / "run.html", title="Mine").read_text(encoding="utf-8")


class Rows(DesignBase):
    """⟨A_i, W⟩ for matrices A_i: data whose points are matrices, and whose rows nobody can take one by one."""

    def __init__(self, A):
        self.A, self.n, self.domain, self.dtype = A, len(A), A.shape[1:], np.dtype(np.float64)

    def matvec(self, w):
        return np.tensordot(self.A, w, 2)

    def adjoint(self, r):
        return np.tensordot(r, self.A, 1)

    def column(self, j):
        raise AssertionError("points are matrices")

    def rows(self, index):
        return Rows(self.A[index])

    def energies(self, weights):
        return np.tensordot(np.broadcast_to(weights, self.n) * 1.0, self.A**2, 1)

    def gram(self, Z, Z2=None, weights=None):
        right = Z if Z2 is None else Z2
        return Z.T @ (right if weights is None else right * weights[:, None])

    def precise(self):
        return self


class Signs(gh.AtomSet):
    """Matrices with entries in [−1, 1]."""

    shape = (3, 2)

    def argmin(self, g):
        return gh.Dense(np.where(g > 0.0, -1.0, 1.0))


@pytest.mark.parametrize("loss", [gh.least_squares, gh.huber, gh.absolute])
def test_points_that_are_matrices_have_a_page(loss, tmp_path):
    rng = np.random.default_rng(0)
    f = loss(Rows(rng.standard_normal((10, 3, 2))), rng.standard_normal(10))
    s = gh.minimize(f, Signs(), stop=gh.Iterations(4))
    assert "a convex combination of" in s.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert np.isinf(s.constants.sigma.value) and s.constants.D.value == pytest.approx(2 * 6**0.5)


def test_an_axis_far_from_one_names_its_unit():
    drawn = svg(Panel("t", "iterations", "value", [Line("a", np.arange(3.0), 2.5e-121 * np.arange(1.0, 4.0))]))
    ticks = re.findall(r"<text[^>]*>([^<]*)</text>", drawn)
    assert "value (10⁻¹²¹)" in ticks and not any("·" in text for text in ticks)


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e150, 1e300])
def test_lines_far_from_one_are_drawn(scale):
    for log in (False, True):
        for y in (np.full(3, scale), scale * np.arange(1.0, 4.0)):
            assert svg(Panel("t", "iterations", "gap", [Line("a", np.arange(3.0), y)], log=log)).startswith("<svg")


def test_signs_are_shown_only_where_some_differ(tmp_path):
    f = gh.least_squares(np.eye(2), np.array([3.0, -2.0]))
    both = gh.minimize(f, gh.L1Ball(2, radius=4.0)).report(tmp_path / "both.html").read_text(encoding="utf-8")
    weights = gh.minimize(f, gh.Simplex(2)).report(tmp_path / "weights.html").read_text(encoding="utf-8")
    assert '"n">+2.5000<' in both and '"n">-1.5000<' in both
    assert '"n">1.0000<' in weights and "+1.0000" not in weights


def test_pages_of_scaled_and_moved_sets_are_written(tmp_path):
    f = gh.least_squares(np.eye(3), np.array([3.0, 1.0, 0.0]))
    for S in (gh.Scaled(gh.L1Ball(3, 1.0), 2.0), gh.Translated(gh.Simplex(3), np.ones(3)),
              gh.Cached(gh.Scaled(gh.Simplex(3), 2.0))):
        gh.minimize(f, S).report(tmp_path / "page.html")
        assert "price" in (tmp_path / "page.html").read_text(encoding="utf-8")
