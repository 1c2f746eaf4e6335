"""Arrow files: record batches, small ones together; what is wrong is said as for Parquet."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.data import arrow

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")


@pytest.mark.parametrize("size", [1, 1000, 10**9])
@pytest.mark.parametrize("compression", [None, "zstd"])
def test_small_batches_come_together(folder, rows, whole, monkeypatch, size, compression):
    monkeypatch.setattr(arrow, "BYTES", size)
    with pa.ipc.new_file("a.arrow", rows.table().schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as file:
        for batch in rows.table().to_batches(max_chunksize=4):
            file.write_batch(batch)
    data = gh.shards("a.arrow", target="y", sample_weight="s")
    assert np.array_equal(whole(data)[0], rows.X) and data.count == {1: 6, 10**9: 1}.get(size, data.count)
    assert len({data.name(k) for k in range(data.count)}) == data.count


def test_a_file_without_batches(folder):
    with pa.ipc.new_file("a.arrow", pa.schema([("a", pa.float64()), ("y", pa.float64())])):
        pass
    assert gh.shards("a.arrow", target="y").load(0).X.shape == (0, 1)


def test_a_null_is_named_with_its_batch(folder, refused, monkeypatch):
    monkeypatch.setattr(arrow, "BYTES", 1)
    with pa.ipc.new_file("a.arrow", pa.schema([("a", pa.float64()), ("y", pa.float64())])) as file:
        for part in ([1.0, 2.0], [1.0, None]):
            file.write_batch(pa.record_batch({"a": part, "y": [0.0, 0.0]}))
    assert "A null stands in column a, row 1 of a.arrow from batch 1 on" in refused("a.arrow", target="y")


def test_a_stream_is_refused(folder, refused):
    table = pa.table({"a": [1.0], "y": [1.0]})
    with pa.ipc.new_stream("a.arrow", table.schema) as stream:
        stream.write_table(table)
    assert "a.arrow is an Arrow stream" in refused("a.arrow", target="y")


@pytest.mark.parametrize("text", [b"", b"ARROW1", b"ARROW1\0\0" + bytes(20) + b"ARROW1", b"PAR1"])
def test_what_is_no_arrow_file_is_refused(folder, refused, text):
    (folder / "a.arrow").write_bytes(text)
    (folder / "a.parquet").write_bytes(text)
    assert "a.arrow cannot be read as an Arrow IPC file" in refused("a.arrow", target="y")
    assert "a.parquet cannot be read as a Parquet file" in refused("a.parquet", target="y")
