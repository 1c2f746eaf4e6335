"""Which files a source names, in which order; and what is said where it names none."""

import numpy as np
import pytest

import greedyhull as gh


@pytest.fixture
def many(folder):
    for k in (10, 9, 1, 100):
        np.save(folder / f"part-{k}.npy", np.full((2, 3), float(k)))
    return folder


def order(data):
    return [data.load(k).y[0] for k in range(data.count)]


def test_numbers_in_names_count_as_numbers(many):
    assert order(gh.shards("part-*.npy", target=0)) == [1.0, 9.0, 10.0, 100.0]
    assert order(gh.shards(many, target=0)) == order(gh.shards(str(many / "part-*.npy"), target=0)) == [1.0, 9.0, 10.0, 100.0]


def test_a_list_keeps_its_order(many):
    assert order(gh.shards([many / "part-9.npy", "part-1.npy"], target=0)) == [9.0, 1.0]
    assert order(gh.shards(("part-9.npy", "part-1?.npy"), target=0)) == [9.0, 10.0]


def test_a_folder_leaves_out_what_is_not_data(many):
    (many / "_SUCCESS").write_text("")
    (many / ".hidden.npy").write_text("")
    (many / "README.md").write_text("")
    assert gh.shards(many, target=0).count == 4


def test_symbolic_links_are_files(many):
    (many / "link.npy").symlink_to(many / "part-9.npy")
    (many / "there").symlink_to(many)
    assert order(gh.shards("link.npy", target=0)) == order(gh.shards("there/part-9.npy", target=0)) == [9.0]


@pytest.mark.parametrize("source", ["dead.npy", "*.npy", "."])
def test_a_dead_link_is_called_one_and_its_data_are_missed(many, refused, source):
    (many / "dead.npy").symlink_to("gone.npy")
    said = refused(source, target=0)
    assert "dead.npy is a symbolic link to gone.npy, which does not exist." in said and "The folder" not in said


def test_folders_below(many):
    for day in ("a", "b"):
        (many / day).mkdir()
        np.save(many / day / "x.npy", np.ones((1, 2)))
    data = gh.shards("**/x.npy", target=0)
    assert data.count == 2 and data.name(0) != data.name(1)


def test_a_name_with_brackets_is_a_file_where_it_is_one(folder):
    np.save(folder / "x[1].npy", np.ones((1, 2)))
    assert gh.shards("x[1].npy", target=0).count == 1


@pytest.mark.parametrize("source, words", [
    ("prt-*.npy", ["The pattern prt-*.npy matches no file.", "holds part-1.npy, part-9.npy, part-10.npy, part-100.npy"]),
    ("part-8.npy", ["There is no file part-8.npy.", "part-9.npy"]),
    ("nowhere/part-*.npy", ["There is no folder nowhere."]), ("empty/*.npy", ["The folder empty is empty."]),
    ("empty", ["The folder empty holds no file whose ending is one of .npy"]), ("days", ["It has folders "
              "(monday)", "days/**/*.parquet"]),
    (["part-1.npy", "part-1.npy"], ["part-1.npy is listed twice"]), (["part-1.npy", "part-*.npy"], ["is listed twice"]),
    (["part-1.npy", "t.csv"], ["The files are of several formats, as part-1.npy and t.csv are"]),
    ("t.xyz", ["The ending of t.xyz does not tell its format"]), ("none", ["The ending of none does not tell"]),
    ("t.npy.gz", ["t.npy.gz is packed"]),
])
def test_what_names_no_data_is_said(many, refused, source, words):
    (many / "empty").mkdir()
    (many / "days" / "monday").mkdir(parents=True)
    for name in ("t.csv", "t.xyz", "none", "t.npy.gz"):
        (many / name).write_text("1,2\n")
    said = refused(source, target=0)
    assert [word for word in words if word not in said] == [], said


def test_a_text_file_is_what_it_looks_like(folder, whole):
    (folder / "a.txt").write_text("1 1:2 2:3\n-1 1:4\n")
    (folder / "b.txt").write_text("u,v\n1,2\n")
    assert np.array_equal(whole(gh.shards("a.txt"))[0], [[2, 3], [4, 0]])
    assert np.array_equal(whole(gh.shards("b.txt", target="v"))[0], [[1]])
