"""Solutions of a batch: a sequence of full solutions, and arrays over all of them."""

import pickle

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.driver.display import BatchLine

RNG = np.random.default_rng(1)
X, Y = RNG.standard_normal((15, 5)), RNG.standard_normal((15, 7))


@pytest.fixture(scope="module")
def found():
    return gh.batch(gh.least_squares, gh.L1Ball(5, 1.0), X=X, Y=Y)


def test_they_are_a_sequence(found):
    assert len(found) == 7 and len(list(found)) == 7 and [s.value for s in found[2:4]] == found.values[2:4].tolist()
    assert found[-1].value == found.values[6]
    with pytest.raises(IndexError):
        found[7]


def test_each_is_a_whole_solution(found, tmp_path):
    s = found[3]
    assert isinstance(s, gh.Solution) and s.certificate.kind == "always" and s.certificate.lower <= s.value
    alone = gh.minimize(gh.least_squares(X, Y[:, 3]), gh.L1Ball(5, 1.0))
    np.testing.assert_allclose(s.price, alone.price, rtol=1e-3)
    assert s.report(tmp_path / "page.html").exists() and "certified" in s.reason and len(s.trace) == 1
    np.testing.assert_allclose(s.point.weights.sum(), 1.0)
    assert "least_squares" in str(s)


def test_all_certificates_come_at_once(found):
    assert found.certificates() == [s.certificate for s in found]
    broken = gh.batch(gh.least_squares, gh.L1Ball(5, 1.0), X=X, Y=np.where(np.isin(Y, Y[0, 2]), np.nan, Y))
    assert "no solution" in str(broken.certificates()[2]) and "stream" not in str(broken.certificates()[2])
    assert broken.certificates()[2].gap is None and broken.certificates()[3].gap == broken.gaps[3]


def test_they_can_be_pickled(found):
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(again.x, found.x)
    assert again[2].value == found[2].value


def test_the_progress_line_tells_how_far_a_batch_is():
    class Paper:
        def __init__(self):
            self.drawn = []

        def start(self):
            pass

        stop = start

        def update(self, text, refresh):
            self.drawn.append(str(text))

    from greedyhull.driver.batch.problems import Record

    record, paper = Record(3, (2,)), Paper()
    record.gaps[:2], record.converged[:2] = 1e-3, True
    line = BatchLine(True, 3, paper)
    line.show(record, 2)
    line.close()
    assert paper.drawn[0].startswith("batch  2 of 3  2 converged  worst gap 1.00e-03")


def test_without_a_terminal_nothing_is_drawn(capsys):
    gh.batch(gh.least_squares, gh.L1Ball(5, 1.0), X=X, Y=Y, progress=True)
    assert capsys.readouterr().err == ""
