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
