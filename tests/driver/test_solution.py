"""What `minimize` returns, in memory and from a pickle, which holds no data."""

import copy
import pickle

import numpy as np
import pytest

import greedyhull as gh

rng = np.random.default_rng(0)
X = rng.standard_normal((2000, 50))
y = X[:, 0] - 2.0 * X[:, 7] + 0.1 * rng.standard_normal(2000)
signs = np.sign(y)
CASES = {
    "l1": lambda: gh.minimize(gh.least_squares(X, y, intercept=True), gh.L1Ball(50, 1.5)),
    "simplex": lambda: gh.minimize(gh.least_squares(X, y), gh.Simplex(50)),
    "logistic": lambda: gh.minimize(gh.logistic(X, signs, intercept=True), gh.L1Ball(50, 1.0)),
    "l2": lambda: gh.minimize(gh.least_squares(X, y), gh.L2Ball(50, 1.0), stop=gh.Iterations(50)),
    "vertices": lambda: gh.minimize(gh.least_squares(X, y), gh.Vertices(rng.standard_normal((200, 50))),
                                    stop=gh.Iterations(3)),
    "steps": lambda: gh.minimize(gh.least_squares(X, y), gh.L1Ball(50, 1.0), gh.FrankWolfe(), stop=gh.Iterations(20)),
    "kinks": lambda: gh.minimize(gh.absolute(X[:100], y[:100]), gh.Simplex(50), stop=gh.Iterations(20)),
    "sampled": lambda: gh.minimize(gh.logistic(X, signs), gh.L1Ball(50, 1.0), gh.StochasticFrankWolfe.spider(),
                                   stop=gh.Iterations(20)),
    "callback": lambda: gh.minimize(gh.least_squares(X, y), gh.L1Ball(50, 1.0),
                                    stop=gh.Callback(lambda event: float(X[0, 0]) > 1e9) | gh.Iterations(5)),
}


@pytest.mark.parametrize("case", CASES)
def test_a_pickle_tells_all_without_the_data(case):
    s = CASES[case]()
    price, intercept, written = s.price, s.intercept, pickle.dumps(s)
    again = pickle.loads(written)
    assert len(written) < X.nbytes / 20
    np.testing.assert_array_equal(again.x, s.x)
    np.testing.assert_array_equal(again.point.array(), s.point.array())
    assert (again.price, again.intercept, again.value, again.gap) == (price, intercept, s.value, s.gap)
    assert again.certificate == s.certificate and again.converged == s.converged and again.choice == s.choice
    assert repr(again) == repr(s) and again.summary() == s.summary() and again._repr_html_() == s._repr_html_()
    np.testing.assert_array_equal(again.trace.value, s.trace.value)
    assert pickle.loads(pickle.dumps(again)).summary() == s.summary()  # and from hand to hand


def test_what_needs_the_data_says_so_after_a_pickle(tmp_path):
    again = pickle.loads(pickle.dumps(CASES["l1"]()))
    for ask in (again.bounds, lambda: again.constants, lambda: again.report(tmp_path / "page.html"),
                lambda: again.objective.value(again.point), lambda: again.atom_set.radius):
        with pytest.raises(gh.GreedyhullError, match=r"pickled.* [Ss]olve again"):
            ask()


def test_pickling_leaves_the_solution_as_it_was():
    s = CASES["l1"]()
    pickle.dumps(s)
    assert s.objective.value(s.point) == pytest.approx(s.value) and s.bounds()


def test_copies_in_memory_keep_the_data():
    s = CASES["l1"]()
    for other in (copy.copy(s), copy.deepcopy(s)):
        assert other.price == s.price and other.bounds() and float(other.constants.M) == float(s.constants.M)
    moved = copy.deepcopy(s)
    moved.point.move(moved.point.toward(s.atom_set.argmin(np.ones(50))), 0.5)
    assert not np.array_equal(moved.x, s.x)


def test_x_is_the_point():
    s = CASES["simplex"]()
    np.testing.assert_array_equal(s.x, s.point.array())


def test_a_report_uses_the_names_that_the_solution_carries(tmp_path):
    pytest.importorskip("jinja2")
    s = CASES["l1"]()
    s.names = [f"gene {j}" for j in range(50)]
    assert "gene 7" in s.report(tmp_path / "own.html").read_text(encoding="utf-8")
    given = s.report(tmp_path / "given.html", names=[f"protein {j}" for j in range(50)]).read_text(encoding="utf-8")
    assert "protein 7" in given and "gene" not in given


@pytest.mark.parametrize("case", CASES)
def test_a_solution_and_its_point_are_arrays_to_numpy(case):
    s = CASES[case]()
    for one in (s, s.point):
        np.testing.assert_array_equal(np.asarray(one), s.x)
        assert np.asarray(one).dtype == np.float64 and np.asarray(one, dtype=np.float32).dtype == np.float32
        np.testing.assert_array_equal(X[:3] @ one, X[:3] @ s.x)
        with pytest.raises(ValueError, match="without a copy"):
            np.array(one, copy=False)
    mine = np.array(s)
    mine[:] = 7.0
    assert not np.array_equal(s.x, mine)


def test_a_solution_is_shown_in_one_short_line():
    s = CASES["simplex"]()
    assert "\n" not in repr(s) and "reason" not in repr(s) and "converged, " in repr(s) and len(repr(s)) < 200
    early = gh.minimize(gh.least_squares(X, y), gh.L1Ball(50, 9.0), gh.FrankWolfe(), stop=gh.Iterations(1))
    assert "not converged, 1 iteration, " in repr(early) and repr(early.reason) in repr(early)


def test_a_certificate_is_shown_with_what_matters():
    assert repr(gh.Certificate(0.25, 0.125, 0.125)) == "Certificate(value=0.25, gap=0.125, lower=0.125, kind='always')"
    assert repr(gh.Certificate(None, None, -np.inf, "probability", 0.05, "estimated")) == (
        "Certificate(value=unknown, gap=unknown, lower=-inf, kind='probability', delta=0.05, rounding='estimated')")
