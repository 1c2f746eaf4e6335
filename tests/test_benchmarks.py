"""The benchmarks import what they time, and the parts of them that decide something decide it rightly."""

import importlib
import importlib.util
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import greedyhull as gh

FOLDER = Path(__file__).parents[1] / "benchmarks"
RIVALS = {"celer", "skglm", "adelie", "copt", "quadprog", "daqp", "piqp", "threadpoolctl", "sklego"}  # not always installed


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith("__")))
def test_it_imports(name, monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER.parent))
    try:
        module = importlib.import_module(f"benchmarks.{name}")
    except ModuleNotFoundError as missing:
        if missing.name not in RIVALS:
            raise
        pytest.skip(f"{missing.name} is not installed")
    assert module.__doc__


@pytest.fixture
def bench(monkeypatch):
    """A module of the benchmarks, by name."""
    monkeypatch.syspath_prepend(str(FOLDER.parent))
    return lambda name: importlib.import_module(f"benchmarks.{name}")


def small_case(bench, kind):
    rng = np.random.default_rng(0)
    X = np.asfortranarray(rng.standard_normal((60, 30)))
    z = X[:, :4].sum(axis=1) + rng.standard_normal(60)
    y = z if kind == "lasso" else np.where(z > 0, 1.0, -1.0)
    base = bench("cases").Case(0, f"{kind} made r=1", kind, X, y, 1.0, 0.0, np.zeros(30))
    return bench("radii").at_radius(base, 1.0)


def test_every_section_has_a_function(bench):
    run = bench("run")
    with pytest.raises(SystemExit):
        run.main(["nothing"])
    assert {"corrective", "radii", "scaling", "where"} <= set(run.SECTIONS)
    assert all(callable(getattr(bench(name), name)) for name in run.SECTIONS)


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_a_call_that_takes_too_long_is_ended_and_others_answer(bench):
    within = bench("patience").within
    assert within(60.0, partial(sum, [1, 2])) == 3
    assert within(0.05, partial(time.sleep, 600.0)) is None
    assert within(60.0, partial(sys.exit, 1)) is None


@pytest.mark.parametrize("kind", ["lasso", "logistic"])
def test_radii_lead_from_a_few_atoms_to_hardly_a_constraint(bench, kind):
    radii = bench("radii")
    cases = list(radii.path(small_case(bench, kind)))
    prices = np.array([case.alpha for case in cases]) / cases[0].price_at_zero
    assert len(cases) == 10 and np.all(np.diff([case.radius for case in cases]) > 0) and np.all(np.diff(prices) < 0)
    assert radii.LOW < prices[-1] < 0.05 and 0.5 < prices[0] < 1.0
    assert all(case.certified(case.solution) for case in cases)


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
@pytest.mark.parametrize("begin", [0, 3, 9])
def test_the_search_finds_the_loosest_tolerance_wherever_it_begins(bench, begin):
    radii, rivals = bench("radii"), bench("rivals")
    case, enough = small_case(bench, "lasso"), bench("corrective").TOLERANCES[5]
    answer = lambda X, y, alpha, tol: case.solution if tol <= enough else np.zeros(30)
    assert radii.loosest(rivals.Rival("made", "lasso", "numpy", answer), case, case.X, begin) == 5
    never = rivals.Rival("never", "lasso", "numpy", lambda X, y, alpha, tol: np.full(30, np.nan))
    assert radii.loosest(never, case, case.X, begin) is None


def test_the_exponent_is_that_of_the_largest_sizes(bench):
    sizes = [10, 100, 1000, 10_000]
    assert bench("scaling").exponent(sizes, [50.0, 1e-2, 1.0, 1e2]) == pytest.approx(2.0)


def test_sparse_data_have_the_entries_that_are_asked_for(bench):
    scaling = bench("scaling")
    X, y, radius = scaling.problem(scaling.Cell("logistic", 200, 40, 800))
    assert X.nnz == 800 and X.shape == (200, 40) and X.has_canonical_format and set(y) == {-1.0, 1.0} and radius > 0


@pytest.mark.skipif(sys.platform == "win32", reason="needs getrusage")
def test_a_cell_is_measured_in_a_process_of_its_own(bench):
    scaling = bench("scaling")
    found = scaling.measured(scaling.Cell("lasso", 50, 20), repeats=1)
    assert found["data"] == 8 * (50 * 20 + 50) and found["beyond"] >= 0
    assert found["rounds"] >= 1 and min(found[name] for name in ("import", "first", "second", "solve")) > 0


@pytest.mark.parametrize("kind", ["lasso", "logistic"])
def test_the_phases_of_a_solve_follow_the_rounds_that_it_makes(bench, kind):
    case, where = small_case(bench, kind), bench("where")
    p, s = where.phases(case, repeats=1), gh.minimize(case.f, case.S, stop=gh.Relative(1e-6))
    assert p.rounds == s.iterations and min(p) > 0 and p.driver >= 0
    assert where.stored(case.f) == case.X.nbytes
    assert where.stored(gh.least_squares(sparse.csc_array(np.eye(500)), np.ones(500))) == 12 * 500


def test_the_rival_for_mixtures_finds_the_same_likelihood(bench):
    rng = np.random.default_rng(0)
    x = rng.choice([0.0, 3.0], size=400) + rng.standard_normal(400)
    P = np.exp(-0.5 * (x[:, None] - np.linspace(x.min(), x.max(), 80)) ** 2)
    w = bench("mixture_sqp").mixture_weights(P)
    s = gh.minimize(gh.log_likelihood(P), gh.Simplex(80), stop=gh.Gap(1e-8))
    assert w.min() >= 0.0 and abs(w.sum() - 1.0) <= 1e-12
    assert s.certificate.lower - 1e-12 <= -np.log(P @ w).mean() <= s.value + 1e-6


@pytest.mark.parametrize("kind", ["sparse", "dense", "correlated"])
def test_rows_of_the_scale_benchmark_are_the_same_made_stored_and_whole(bench, kind, tmp_path):
    data = bench("scale.data")
    cell = data.Cell(kind, 403)
    made, stored = data.Made(cell), data.Stored(cell, folder=str(tmp_path))
    stored.write()
    X, y = data.whole(made)
    assert sum(len(made.load(k)) for k in range(made.count)) == len(y) == X.shape[0] == 403 and set(y) == {-1.0, 1.0}
    one, other = made.load(2), stored.load(2)
    assert np.array_equal(one.y, other.y) and abs(one.X - other.X).max() == 0.0
    first = len(made.load(0)) + len(made.load(1))
    assert abs(X[first : first + len(one)] - one.X).max() == 0.0


def test_a_simulated_trip_is_the_sum_of_its_parts_and_links_and_workers_bound_it(bench):
    from dataclasses import replace

    cost = bench("scale.cost")
    one = cost.Setting(rows=1e6, shards=4, workers=1, d=1000, k=10, row=1e-6, bandwidth=1e8, latency=0.01, task=0.005)
    assert one.up == 8 * 4 * 1100 and one.down == 320
    by_hand = 0.005 + 320 / 1e8 + 0.01 + 1.0 + 0.01 + one.up / 1e8 + one.up / cost.ADDED
    assert cost.trip_seconds(one) == pytest.approx(by_hand)
    assert cost.trip_seconds(replace(one, workers=4)) == pytest.approx(by_hand - 0.75, abs=0.05)
    wide = replace(one, d=10**6, workers=100, shards=400)
    assert wide.senders == 100 and cost.trip_seconds(wide) > wide.up / wide.bandwidth
    assert cost.trip_seconds(replace(one, jitter=0.5)) != cost.trip_seconds(one)
    assert cost.solve_seconds(one, trips=5) > 4 * cost.trip_seconds(one)
    assert all("minutes" in line for line in cost.estimate(4e-7))
