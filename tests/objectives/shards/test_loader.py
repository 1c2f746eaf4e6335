"""Shards that a function makes: whatever it returns is checked each time."""

import pickle

import numpy as np
import pytest
from scipy import sparse

import greedyhull as gh
from greedyhull.types import Shard, Shards

X = np.arange(6.0).reshape(3, 2)


def load(k):
    return X[:k], np.ones(k), np.full(k, 0.5)


def test_rows_and_weights_come_as_they_are():
    data = gh.shards(load, count=3)
    assert isinstance(data, Shards) and (data.d, data.count, data.names) == (2, 3, None) and data.name(1) == "load(1)"
    assert [len(data.load(k)) for k in range(3)] == [0, 1, 2] and data.load(2).sample_weight.tolist() == [0.5, 0.5]
    assert data.mark(1) == "" and "3 shards of load(k), 2 columns" in repr(data)


def test_a_function_of_a_module_can_be_pickled():
    assert pickle.loads(pickle.dumps(gh.shards(np.linalg.eigh, count=1, d=2))).d == 2


def test_with_d_nothing_is_called():
    assert gh.shards(lambda k: 1 / 0, count=10**6, d=3).d == 3


@pytest.mark.parametrize("made", [lambda k: (X, np.ones(3)), lambda k: Shard(X, np.ones(3)),
                                  lambda k: (X.astype(int), [1, 1, 1]),
                                  lambda k: (np.asfortranarray(X), np.ones((3, 1))),
                                  lambda k: (sparse.coo_array(X), np.ones(3, bool)),
                                  lambda k: (sparse.csc_matrix(X), np.ones(3)), lambda k: (X.tolist(), (1.0, 1.0, 1.0))])
def test_all_that_may_be_returned(made):
    shard = gh.shards(made, count=1).load(0)
    found = shard.X.toarray() if sparse.issparse(shard.X) else shard.X
    assert np.array_equal(found, X) and shard.y.tolist() == [1.0, 1.0, 1.0] and shard.X.dtype == shard.y.dtype == np.float64
    assert shard.X.format == "csr" if sparse.issparse(shard.X) else shard.X.flags.c_contiguous


def test_float32_and_empty_sparse_rows_stay():
    assert gh.shards(lambda k: (X.astype(np.float32), np.ones(3)), count=1).load(0).X.dtype == np.float32
    assert gh.shards(lambda k: (sparse.csr_array((0, 4)), []), count=1).load(0).X.shape == (0, 4)


@pytest.mark.parametrize("made, words", [
    (lambda k: X, "returned an array of shape (3, 2)"), (lambda k: None, "returned None; a Shard, (X, y) or (X, y, "
                                                                         "sample_weight) is wanted"),
    (lambda k: (X,), "is wanted"), (lambda k: (X, np.ones(2)), "has shape (2,) where X has 3 "
                                                               "rows"), (lambda k: (X[0], np.ones(2)), "X of shape (2,)"),
    (lambda k: (X * np.nan, np.ones(3)), "NaN stands in column 0, row 0 of "
                                         "<lambda>(0)"), (lambda k: (X, ["a", "b", "c"]), "numbers are wanted"),
    (lambda k: (X, np.ones(3), -X[:, 1]), "-1.0 stands in sample_weight, row "
                                          "0"), (lambda k: (X.astype(object), np.ones(3)), "dtype object"),
    (lambda k: ([[1.0], [1.0, 2.0]], [1, 1]), "make no matrix"), (lambda k: (X[:, :0], np.ones(3)), "X of shape (3, 0)"),
    (lambda k: (sparse.csr_array((np.array([np.inf]), [1], [0, 1, 1, 1]), shape=(3, 2)), np.ones(3)), "an infinite number "
              "stands in column 1, row 0"),
])
def test_what_is_wrong_is_said(refused, made, words):
    assert words in refused(made, count=1)


def test_another_width_is_said(refused):
    assert "has 2 columns; 1 are wanted, as in the others" in refused(lambda k: (X[:, : k + 1], np.ones(3)), count=2)


@pytest.mark.parametrize("d", [None, 2])
def test_an_error_of_the_function_names_the_shard(d: int | None) -> None:
    def load(k: int) -> tuple[np.ndarray, np.ndarray]:
        if k == (0 if d is None else 1):
            raise OSError("the disk is gone")
        return np.eye(2), np.ones(2)

    with pytest.raises(OSError, match="the disk is gone") as raised:
        gh.minimize(gh.least_squares(gh.shards(load, count=2, d=d)), gh.Simplex(2))
    assert f"load({0 if d is None else 1})" in " ".join(raised.value.__notes__)
