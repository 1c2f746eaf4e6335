"""Large passes by several threads: the same bits whatever their number, and none that outlives its pass."""

import multiprocessing
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import greedyhull as gh
from greedyhull.kernels.core import core
from greedyhull.kernels.threads import count, limited

compiled = pytest.mark.skipif(core is None, reason="the compiled core is not there")
RNG = np.random.default_rng(8)
N = 270_000  # rows: losses are summed in blocks from a quarter of a million on
X = RNG.standard_normal((N, 6))
Y = X @ [1.0, -1.0, 0.5, 0.0, 0.0, 0.0] + RNG.standard_normal(N)
WIDE = RNG.standard_normal((30, 50_000))
SPARSE = sp.random(N, 40, 0.1, random_state=1, format="csc")
DATA = {"rows": X, "columns": np.asfortranarray(X), "single": X.astype(np.float32), "sparse": SPARSE, "wide": WIDE,
        "wide columns": np.asfortranarray(WIDE)}


def objective(name, data, **options):
    y = Y[:30] if name.startswith("wide") else Y
    return (gh.logistic(data, np.where(y > 0, 1.0, -1.0), **options), gh.least_squares(data, y, **options))


@compiled
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("name", DATA)
def test_the_bits_do_not_depend_on_the_number_of_threads(name, intercept):
    for f in objective(name, DATA[name], intercept=intercept):
        found = [gh.minimize(f, gh.L1Ball(DATA[name].shape[1], 1.5), threads=k) for k in (1, 2, 5)]
        assert found[0].converged
        for s in found[1:]:
            assert s.value == found[0].value and s.gap == found[0].gap and s.iterations == found[0].iterations
            assert s.x.tobytes() == found[0].x.tobytes()


@compiled
@pytest.mark.parametrize("name", DATA)
def test_blocks_of_rows_sum_to_the_gradient(name):
    for f in objective(name, DATA[name]):
        S = gh.L1Ball(DATA[name].shape[1], 1.5)
        s = gh.minimize(f, S, threads=3)
        again = gh.certify(f, S, s.x)  # by NumPy and SciPy
        close = 1e-5 if name == "single" else 1e-12
        assert s.value == pytest.approx(again.value, rel=close)
        assert abs(s.gap - again.gap) <= 100.0 * close * abs(s.value)


@compiled
def test_frank_wolfe_too():
    f = gh.least_squares(X, Y)
    one, two = (gh.minimize(f, gh.L1Ball(6, 1.0), gh.FrankWolfe(), stop=gh.Iterations(20), threads=k) for k in (1, 2))
    assert one.x.tobytes() == two.x.tobytes() and one.gap == two.gap


@pytest.mark.parametrize("wrong", [0, -1, True, 1.5, "2", 10**6])
def test_a_number_of_threads_is_wanted(wrong):
    f = gh.least_squares(np.eye(2), np.ones(2))
    with pytest.raises(gh.GreedyhullError, match=r"threads is .*whole number"):
        gh.minimize(f, gh.Simplex(2), threads=wrong)


@compiled
def test_a_limit_ends_with_its_block_and_is_of_one_thread():
    usual, seen = count(), []
    with limited(7):
        assert count() == 7
        other = threading.Thread(target=lambda: seen.append(count()))
        other.start()
        other.join()
        with limited(np.int64(3)):
            assert count() == 3
        assert count() == 7
        with pytest.raises(ZeroDivisionError), limited(2):
            _ = 1 / 0
        assert count() == 7
    assert count() == usual and seen == [usual]


@compiled
@pytest.mark.parametrize(("told", "wanted"), [("3", 3), ("1", 1), ("many", None), ("0", None), ("-2", None), ("", None)])
def test_the_environment_is_asked(told, wanted):
    code = "from greedyhull.kernels.threads import count; print(count())"
    source = str(Path(gh.__file__).parents[1])
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "OMP_NUM_THREADS": told, "PYTHONPATH": source},
                          capture_output=True, text=True, check=True)
    assert int(done.stdout) == (wanted or (len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count()))


def _solved(send):
    send.send(gh.minimize(gh.least_squares(X, Y), gh.L1Ball(6, 1.0), threads=2).value)


@compiled
@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in /proc")
def test_none_is_alive_at_a_fork():
    f, S = gh.least_squares(X, Y), gh.L1Ball(6, 1.0)
    before = len(list(Path("/proc/self/task").iterdir()))
    value = gh.minimize(f, S, threads=4).value
    assert len(list(Path("/proc/self/task").iterdir())) == before
    receive, send = multiprocessing.get_context("fork").Pipe(False)
    child = multiprocessing.get_context("fork").Process(target=_solved, args=(send,))
    child.start()
    assert receive.poll(60) and receive.recv() == value
    child.join()
