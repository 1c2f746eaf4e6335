"""completion(rows, cols, values, shape): values, gradients, and what is said of bad input."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.extend import GreedyhullError, check_design, check_objective
from greedyhull.objectives.designs.matrix import Observed

rng = np.random.default_rng(4)


@pytest.mark.parametrize("places, shape", [([0, 3, 7, 10], (4, 3)), ([10, 0, 7, 3], (4, 3)), (list(range(20)), (4, 5)),
                                           ([2], (1, 3))])
def test_the_kit_accepts_the_design(places, shape):
    check_design(Observed(*np.divmod(np.array(places), shape[1]), shape))


@pytest.mark.parametrize("loss", ["squared", "logistic", "huber"])
def test_the_kit_accepts_the_objective(loss):
    values = np.array([1.0, -1.0, 1.0, 1.0])
    check_objective(gh.completion([0, 1, 2, 3], [0, 0, 1, 2], values, (4, 3), loss=loss), gh.NuclearBall((4, 3), 2.0))


def test_it_is_a_sum_and_entries_may_come_in_any_order():
    i, j, v = np.array([2, 0, 1]), np.array([1, 1, 0]), np.array([5.0, 6.0, 7.0])
    f, w = gh.completion(i, j, v, (3, 2)), gh.NuclearBall((3, 2), 1.0).centre()
    assert f.value(w) == 0.5 * float(v @ v)
    assert np.array_equal(f.gradient(w).toarray()[i, j], -v)


def test_equal_weights_change_nothing_and_zero_leaves_out():
    args = ([0, 1, 1], [0, 0, 1], [1.0, 2.0, 3.0], (2, 2))
    w = gh.NuclearBall((2, 2), 1.0).centre()
    assert gh.completion(*args, sample_weight=[7, 7, 7]).value(w) == pytest.approx(7.0)
    assert gh.completion(*args, sample_weight=[1, 0, 1]).value(w) == pytest.approx(1.5 * 5.0)


def test_factors_in_blocks_and_gathered_are_the_same():
    at = rng.permutation(600)[:80]
    U, V, c = rng.standard_normal((30, 4)), rng.standard_normal((20, 4)), rng.random(4)
    for share in (at, at[:10]):
        i, j = np.divmod(np.sort(share), 20)
        assert Observed(i, j, (30, 20)).bilinear(U, V, c) == pytest.approx((U * c @ V.T)[i, j])


BAD = [
    (([0, 5, 6, 7, 8], [0] * 5, np.ones(5), (3, 2)), {}, "rows holds 5, 6, 7 and 1 more outside 0 to 2"),
    (([0], [-1], [1.0], (3, 2)), {}, "cols holds -1"),
    (([0, 0, 1], [1, 1, 0], [1.0, 2.0, 3.0], (3, 2)), {}, r"1 place is given more than once, the first at \(0, 1\)"),
    (([], [], [], (3, 2)), {}, "No entries"),
    (([0], [0], [np.nan], (3, 2)), {}, "NaN"),
    (([0], [0], [np.inf], (3, 2)), {}, "infinite"),
    (([0, 1], [0], [1.0], (3, 2)), {}, "2 rows, 1 cols and 1 values"),
    (([0.5], [0], [1.0], (3, 2)), {}, "whole numbers"),
    ((["a"], [0], [1.0], (3, 2)), {}, "Number its labels"),
    (([0], [0], ["x"], (3, 2)), {}, "values has"),
    (([0], [0], [1e200], (3, 2)), {}, "overflows"),
    (([0], [0], [1.0], (3,)), {}, "two positive whole numbers"),
    (([0], [0], [1.0], (0, 2)), {}, "two positive whole numbers"),
    (([0, 1], [0, 0], [1.0, 3.0], (3, 2)), {"loss": "logistic"}, "values holds the labels .*3.0"),
    (([0], [0], [1.0], (3, 2)), {"loss": "cubic"}, "'squared', 'logistic', 'huber'"),
    (([0], [0], [1.0], (3, 2)), {"loss": "huber", "delta": 0.0}, "delta"),
    (([0], [0], [1.0], (3, 2)), {"sample_weight": [-1.0]}, "sample_weight"),
]


@pytest.mark.parametrize("args, given, said", BAD)
def test_bad_input_gets_words(args, given, said):
    with pytest.raises(GreedyhullError, match=said):
        gh.completion(*args, **given)


def test_one_bit_values_may_be_zero_and_one():
    w = gh.NuclearBall((2, 2), 1.0).centre()
    a, b = (gh.completion([0, 1], [0, 1], v, (2, 2), loss="logistic") for v in ([0, 1], [-1, 1]))
    assert a.value(w) == b.value(w) == pytest.approx(2 * np.log(2))
    assert np.array_equal(a.gradient(w).toarray(), b.gradient(w).toarray())


def test_empty_rows_and_columns_are_allowed_and_told():
    f = gh.completion([0, 2], [0, 1], [1.0, 2.0], (4, 3))
    assert "2 rows and 1 column without entries" in repr(f) and "without" not in repr(gh.completion([0], [0], [1.0], (1, 1)))
    s = gh.minimize(f, gh.NuclearBall((4, 3), 5.0))
    assert s.converged and "2 rows and 1 column without entries" in " ".join(s.summary().split())
    assert "1 column without" in repr(gh.completion([0], [0], np.array([1.0], dtype=np.float32), (1, 2)).precise())
