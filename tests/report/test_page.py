"""What a report tells: for every kind of promise, with names, with bounds that hold at each moment, with where time went."""

import re

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.objectives.designs.base import DesignBase
from greedyhull.report import atoms, write
from greedyhull.report.bounds_along import Until, bounds_along
from greedyhull.report.certificate import MEANS, means, rows, title
from greedyhull.report.figure import SHOWN, Line, Panel, svg
from greedyhull.report.split import split

SECTIONS = ("certificate", "convergence", "weights", "bounds", "time", "again")
KINDS = ["always", "chosen", "stochastic", "probability", "expectation", "stream", "stationary", "function", "vertices",
         "no step", "single"]


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_run_has_a_page(name, runs, tmp_path):
    s = runs[name]
    html = s.report(tmp_path / "run.html").read_text(encoding="utf-8")
    assert [part for part in SECTIONS if f'<section id="{part}">' not in html] == []
    assert "nan" not in re.sub(r"<svg.*?</svg>", "", html, flags=re.DOTALL).lower().replace("finance", "")
    assert "http" not in re.sub(r"<svg.*?</svg>", "", html, flags=re.DOTALL) and "#0102" not in html and "<script" not in html
    assert f"<h1>{title(s.certificate)}</h1>" in html
    assert repr(s.solver).replace("'", "&#39;") in html and f"seed={s.seed}" in html and f"stop = {s.stop!r}" in html
    assert len(html) < 250_000


def test_promises_are_told_by_kind(runs):
    for name in ("always", "probability", "expectation", "stationary"):
        c = runs[name].certificate
        assert c.kind == name and means(c)[1] == MEANS[name] and dict(rows(c, 0.0))["kind"] == name
    assert dict(rows(runs["probability"].certificate, 0.0))["δ"] == "0.05"
    assert "lower bound of the minimum" not in dict(rows(runs["stationary"].certificate, 0.0))
    stream = runs["stream"].certificate
    assert "value" not in dict(rows(stream, 0.0)) and "samples only" in means(stream)[-1]


def test_what_is_not_known_is_not_told():
    unknown = gh.Certificate(None, None, -np.inf, "probability", 0.05)
    assert "gap" not in dict(rows(unknown, 1.0)) and "No bound was found" in means(unknown)[-1]
    assert title(unknown) == "A point without a bound so far"


def test_names_stand_at_weights_and_atoms(runs, tmp_path):
    names = [f"column {j}" for j in range(12)]
    html = runs["always"].report(tmp_path / "run.html", names=names).read_text(encoding="utf-8")
    assert "column 0" in html and "2·column 0" in html and "w[0]" not in html


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


def test_bounds_along_a_run_bound_it_at_every_moment(runs):
    best = runs["chosen"].value
    for name in ("always", "open loop"):
        s = runs[name]
        error = s.trace.value - best
        lines = bounds_along(s, s.bounds())
        assert lines
        for line in lines:
            known = np.isfinite(line.y)
            assert known[-1] and (line.y[known] >= error[line.x[known].astype(int)] - 1e-9).all()
            assert s.bounds().named(line.label.split(":")[0]).value == line.y[-1]


def test_a_relative_gap_is_told_with_what_it_is_relative_to(runs):
    c = gh.Certificate(2.0, 0.5, 1.5)
    assert dict(rows(c, 10.0))["relative gap"] == "0.05 of max(|value|, 10)"
    assert dict(rows(c, 0.0))["relative gap"] == "0.25 of the value"
    assert "relative gap" not in dict(rows(gh.Certificate(0.0, 0.5, -0.5), 0.0))
    assert "relative gap" not in dict(rows(runs["stationary"].certificate, 1.0))


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


def test_a_resumed_run_has_no_split_but_a_page(runs, tmp_path):
    s = runs["always"]
    gh.minimize(s.objective, s.atom_set, s.solver, stop=gh.Iterations(5), checkpoint=tmp_path / "state.npz")
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
    from greedyhull.report import pages

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
    assert "It mixes" in s.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert np.isinf(s.constants.sigma.value) and s.constants.D.value == pytest.approx(2 * 6**0.5)


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e150, 1e300])
def test_lines_far_from_one_are_drawn(scale):
    for log in (False, True):
        for y in (np.full(3, scale), scale * np.arange(1.0, 4.0)):
            assert svg(Panel("t", "iterations", "gap", [Line("a", np.arange(3.0), y)], log=log)).startswith("<svg")
