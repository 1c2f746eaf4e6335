"""Every format gives the rows that were written, to any process; what is asked of `gh.shards` in a wrong way is said."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

import greedyhull as gh
from greedyhull.types import Shards

FORMATS = {
    "part-{}.parquet": {"target": "y", "sample_weight": "s"}, "part-{}.arrow": {"target": "y", "sample_weight": "s"},
    "part-{}.feather": {"target": "y", "sample_weight": "s"}, "part-{}.csv": {"target": "y", "sample_weight": "s"},
    "part-{}.csv.gz": {"target": "y", "sample_weight": "s"}, "part-{}.npy": {"target": -2, "sample_weight": -1},
    "part-{}.npz": {"target": "y", "sample_weight": "s"}, "part-{}.svm": {}, "part-{}.libsvm": {}, "part-{}.txt": {},
    "part-{}.svm.gz": {}, "part-{}.svm.bz2": {}}
PARTS = [slice(0, 7), slice(7, 7), slice(7, 20), slice(20, 23)]  # uneven, and one is empty


@pytest.fixture(params=FORMATS)
def data(request, folder, rows):
    for k, part in zip((2, 1, 10, 30), (PARTS[1], PARTS[0], PARTS[2], PARTS[3]), strict=True):  # 1, 2, 10, 30 is the order
        rows.write(folder / request.param.format(k), part)
    return gh.shards(request.param.format("*"), **FORMATS[request.param])


def test_every_format_gives_what_was_written(data, rows, whole):
    X, y, s = whole(data)
    assert np.array_equal(X, rows.X) and np.array_equal(y, rows.y)
    assert s is None or np.array_equal(s, rows.s)
    assert isinstance(data, Shards) and data.d == 4 and data.names in (None, rows.names)


def test_an_empty_file_is_a_shard_without_rows(data):
    sizes = [len(data.load(k)) for k in range(data.count)]
    assert 0 in sizes and sum(sizes) == 23 and all(data.load(k).X.shape[1] == 4 for k in range(data.count))


def test_shards_are_float64_in_c_order_or_csr(data):
    for k in range(data.count):
        shard = data.load(k)
        assert shard.X.dtype == shard.y.dtype == np.float64
        if sparse.issparse(shard.X):
            assert shard.X.format == "csr" and shard.X.has_sorted_indices
        else:
            assert shard.X.flags.c_contiguous


def test_names_and_marks_tell_shards_apart(data):
    names, marks = [data.name(k) for k in range(data.count)], [data.mark(k) for k in range(data.count)]
    assert len(set(names)) == len(set(marks)) == data.count and "part-1." in names[0] and "part-30." in names[-1]
    assert [data.mark(k) for k in range(data.count)] == marks


def test_the_words_of_it_say_what_it_is(data):
    words = repr(data)
    assert f"{data.count} shards of 4 files" in words and "4 columns" in words and "part-*." in words


LOADED = """
import hashlib, pickle, sys
from pathlib import Path
for data in pickle.loads(Path(sys.argv[1]).read_bytes()):
    found = hashlib.sha256()
    for k in reversed(range(data.count)):
        shard = data.load(k)
        X = shard.X if type(shard.X).__name__ == "ndarray" else shard.X.data
        found.update(X.tobytes() + shard.y.tobytes() + data.mark(k).encode())
    print(found.hexdigest())
"""


def test_another_process_in_another_folder_loads_the_same_bytes(folder, rows, capsys, monkeypatch):
    for pattern in FORMATS:
        for k, part in enumerate(PARTS):
            rows.write(folder / pattern.format(k), part)
    all_of_them = [gh.shards(pattern.format("[0-9]"), **options) for pattern, options in FORMATS.items()]
    assert max(len(pickle.dumps(data)) for data in all_of_them) < 6000  # names, and no rows
    (folder / "pickled").write_bytes(pickle.dumps(all_of_them))
    (folder / "elsewhere").mkdir()
    there = subprocess.run([sys.executable, "-c", LOADED, str(folder / "pickled")], capture_output=True, text=True, timeout=60,
                           cwd=folder / "elsewhere")
    monkeypatch.setattr(sys, "argv", ["", str(folder / "pickled")])
    exec(LOADED, {})
    here = capsys.readouterr().out
    assert there.stdout == here and len(here.split()) == len(FORMATS), there.stderr


def test_it_is_frozen(data):
    with pytest.raises(AttributeError):
        data.d = 5


def test_a_shard_that_is_not_there_is_refused(data):
    for k in (-1, data.count):
        with pytest.raises(gh.GreedyhullError, match=f"There is no shard {k}; there are {data.count}"):
            data.load(k)


@pytest.mark.parametrize("source, options, words", [
    (np.eye(2), {}, "gh.logistic(X, y)"), (b"part.npy", {}, "a path, a list of paths"), ("x" * 5000, {}, "File name too long"),
    (3, {}, "3 was given; a pattern of files"), ([], {}, "An empty list of files"),
    ([3], {}, "3 was given in a list of files"), ("", {}, "names no file"), ("a\0b", {}, "names no file"),
    ("s3://bucket/part-*.parquet", {"target": "y"}, "is an address; files on this machine are wanted"),
    ("part.npy", {"target": True}, "target = True was given"), ("part.npy", {"target": 2.0}, "target = 2.0 was given"),
    ("part.npy", {"target": 0, "features": "a"}, "a list of columns is wanted: ['a']"),
    ("part.npy", {"target": 0, "features": []}, "features = [] was given"),
    ("part.npy", {"target": 0, "features": [1.5]}, "1.5 was given among the features"),
    ("part.npy", {"target": 0, "rows": 0}, "rows = 0 was given"), ("part.npy", {"target": 0, "d": -1}, "d = -1 was given"),
    ("part.npy", {"target": 0, "count": 3}, "count= is for functions"), ("part.npy", {"target": 0, "d": 3}, "d = 3 was "
              "given; it is for"),
    ("part.csv", {"target": "y", "rows": 3}, "only .npy files are cut by rows"),
    (len, {"count": 2, "target": "y"}, "a function returns X, y and sample_weight"), (len, {}, "was given without count="),
    (len, {"count": True}, "count = True was given"),
])
def test_wrong_calls_are_said(folder, rows, refused, source, options, words):
    rows.write(folder / "part.npy")
    rows.write(folder / "part.csv")
    assert words in refused(source, **options)


def test_whole_numbers_of_numpy_are_numbers(folder, rows):
    rows.write(folder / "part.npy")
    data = gh.shards("part.npy", target=np.int64(-2), features=np.array([0, 2]), rows=np.int32(5))
    assert data.count == 5 and np.array_equal(data.load(0).X, rows.X[:4, [0, 2]])  # 23 rows in five blocks of equal sizes


def test_a_misspelt_argument_is_named():
    with pytest.raises(TypeError) as caught:
        gh.shards("x.npy", sample_weights="s")
    assert "sample_weight" in caught.value.__notes__[0]
