"""Rows, and ways to write them into files of every format."""

import bz2
import gzip

import numpy as np
import pytest
from scipy import sparse

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")


class Rows:
    """Some rows, and what writes a part of them into a file; columns are a, b, c, …, the target is y, the weight s."""

    def __init__(self, n=23, d=4, seed=0):
        rng = np.random.default_rng(seed)
        self.X, self.y = rng.standard_normal((n, d)), rng.standard_normal(n)
        self.s = rng.random(n)
        self.names = [chr(97 + j) for j in range(d)]

    def table(self, part=slice(None), order=None):
        columns = {**{name: self.X[part, j] for j, name in enumerate(self.names)}, "y": self.y[part], "s": self.s[part]}
        return pa.table({name: columns[name] for name in order or columns})

    def lines(self, part=slice(None), first=1):
        rows = zip(self.y[part], self.X[part], strict=True)
        cells = lambda x: " ".join(f"{j + first}:{float(v)!r}" for j, v in enumerate(x))
        return "".join(f"{float(y)!r} {cells(x)}\n" for y, x in rows)

    def write(self, path, part=slice(None), **options):
        """Write these rows; the ending of the path says how."""
        import pyarrow.feather
        import pyarrow.parquet

        X, y, s, end = self.X[part], self.y[part], self.s[part], path.suffix
        text = "".join([",".join([*self.names, "y", "s"]) + "\n",
                        *(",".join(map(repr, map(float, row))) + "\n" for row in np.column_stack([X, y, s]))])
        if end == ".npy":
            np.save(path, np.column_stack([X, y, s]))
        elif end == ".npz" and options.get("sparse"):
            M = sparse.csr_array(X)
            np.savez(path, data=M.data, indices=M.indices, indptr=M.indptr, shape=M.shape, format=b"csr", y=y, s=s)
        elif end == ".npz":
            np.savez(path, X=X, y=y, s=s, names=np.array(self.names))
        elif end == ".parquet":
            pyarrow.parquet.write_table(self.table(part, options.get("order")), path, row_group_size=options.get("group", 5))
        elif end in (".arrow", ".feather"):
            pyarrow.feather.write_feather(self.table(part), path, chunksize=4)
        elif end == ".csv":
            path.write_text(text)
        else:
            pack = {".gz": gzip.compress, ".bz2": bz2.compress}.get(end, bytes)
            path.write_bytes(pack((text if ".csv" in path.suffixes else self.lines(part)).encode()))


@pytest.fixture
def rows():
    return Rows()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder, in which the test runs."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def whole():
    """A function that puts all shards together: X dense, y, and weights if there are any."""

    def together(data):
        found = [data.load(k) for k in range(data.count)]
        X = np.vstack([shard.X.toarray() if sparse.issparse(shard.X) else shard.X for shard in found])
        s = None if found[0].sample_weight is None else np.concatenate([shard.sample_weight for shard in found])
        return X, np.concatenate([shard.y for shard in found]), s

    return together


@pytest.fixture
def refused():
    """A function that makes shards, loads them all, and returns the words in which this is refused."""
    import greedyhull as gh

    def words(source, **options):
        with pytest.raises(gh.GreedyhullError) as caught:
            data = gh.shards(source, **options)
            for k in range(data.count):
                data.load(k)
        return str(caught.value)

    return words
