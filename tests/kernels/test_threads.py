"""Large passes by several threads: the same bits whatever their number, none that outlives its pass. One thread for BLAS."""

import ctypes
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
import threadpoolctl
from scipy.sparse.linalg import LinearOperator
from sklearn.linear_model import LinearRegression

import greedyhull as gh
import greedyhull.kernels.lapack  # binds SciPy's BLAS
from greedyhull.estimators import EnsembleRegressor
from greedyhull.kernels.core import _functions, count, limited, one_thread

RNG = np.random.default_rng(8)
N = 1_080_000  # rows: losses are summed in blocks from a million on
X = RNG.standard_normal((N, 6))
Y = X @ [1.0, -1.0, 0.5, 0.0, 0.0, 0.0] + RNG.standard_normal(N)
WIDE = RNG.standard_normal((30, 150_000))
SPARSE = sp.random(N, 40, 0.1, random_state=1, format="csc")
DATA = {"rows": X, "columns": np.asfortranarray(X), "single": X.astype(np.float32), "sparse": SPARSE, "wide": WIDE,
        "wide columns": np.asfortranarray(WIDE)}


def objective(name, data, **options):
    y = Y[:30] if name.startswith("wide") else Y
    return (gh.logistic(data, np.where(y > 0, 1.0, -1.0), **options), gh.least_squares(data, y, **options))


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("name", DATA)
def test_the_bits_do_not_depend_on_the_number_of_threads(name, intercept):
    for f in objective(name, DATA[name], intercept=intercept):
        found = [gh.minimize(f, gh.L1Ball(DATA[name].shape[1], 1.5), threads=k) for k in (1, 2, 5)]
        assert found[0].converged
        for s in found[1:]:
            assert s.value == found[0].value and s.gap == found[0].gap and s.iterations == found[0].iterations
            assert s.x.tobytes() == found[0].x.tobytes()


@pytest.mark.parametrize("name", DATA)
def test_blocks_of_rows_sum_to_the_gradient(name):
    for f in objective(name, DATA[name]):
        S = gh.L1Ball(DATA[name].shape[1], 1.5)
        s = gh.minimize(f, S, threads=3)
        again = gh.certify(f, S, s.x)  # by NumPy and SciPy
        close = 1e-5 if name == "single" else 1e-12
        assert s.value == pytest.approx(again.value, rel=close)
        assert abs(s.gap - again.gap) <= 100.0 * close * abs(s.value)


def test_frank_wolfe_too():
    f = gh.least_squares(X, Y)
    one, two = (gh.minimize(f, gh.L1Ball(6, 1.0), gh.FrankWolfe(), stop=gh.Iterations(20), threads=k) for k in (1, 2))
    assert one.x.tobytes() == two.x.tobytes() and one.gap == two.gap


@pytest.mark.parametrize("wrong", [0, -1, True, 1.5, "2", 10**6])
def test_a_number_of_threads_is_wanted(wrong):
    f = gh.least_squares(np.eye(2), np.ones(2))
    with pytest.raises(gh.GreedyhullError, match=r"threads is .*whole number"):
        gh.minimize(f, gh.Simplex(2), threads=wrong)


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


@pytest.mark.parametrize(("told", "wanted"), [("3", 3), ("1", 1), ("many", None), ("0", None), ("-2", None), ("", None)])
def test_the_environment_is_asked(told, wanted):
    code = "from greedyhull.kernels.core import count; print(count())"
    source = str(Path(gh.__file__).parents[1])
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "OMP_NUM_THREADS": told, "PYTHONPATH": source},
                          capture_output=True, text=True, check=True)
    assert int(done.stdout) == (wanted or (len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count()))


def _solved(send):
    send.send(gh.minimize(gh.least_squares(X, Y), gh.L1Ball(6, 1.0), threads=2).value)


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in /proc")
def test_none_is_alive_at_a_fork():
    f, S = gh.least_squares(X, Y), gh.L1Ball(6, 1.0)
    before = len(list(Path("/proc/self/task").iterdir()))
    value = gh.minimize(f, S, threads=4).value
    for _ in range(200):  # a thread that came too late ends when it gets a core
        if (alive := len(list(Path("/proc/self/task").iterdir()))) == before:
            break
        time.sleep(0.05)
    assert alive == before
    receive, send = multiprocessing.get_context("fork").Pipe(False)
    child = multiprocessing.get_context("fork").Process(target=_solved, args=(send,))
    child.start()
    assert receive.poll(60) and receive.recv() == value
    child.join()


def blas_threads():
    """The numbers of threads that BLAS libraries would use now."""
    return {library["num_threads"] for library in threadpoolctl.threadpool_info() if library["user_api"] == "blas"}


@pytest.fixture
def three():
    """Three threads for every BLAS library, all of which `one_thread` sets."""
    with threadpoolctl.threadpool_limits(3, user_api="blas"):
        with one_thread:
            set_here = blas_threads() == {1}
        if not set_here or blas_threads() != {3}:
            pytest.skip("a BLAS library of this process cannot be set")
        yield
        assert blas_threads() == {3}


class Watched(gh.AtomSet):
    """A simplex that does something whenever its best atom is asked for."""

    shape = (3,)

    def __init__(self, does):
        self.does = does

    def argmin(self, g):
        self.does()
        return gh.Basis(int(g.argmin()), 1.0)

    def contains(self, x, tol=1e-9):
        return gh.Simplex(3).contains(x, tol)


def watched(does, f=None, **options):
    f = gh.quadratic(np.diag([1.0, 2.0, 3.0])) if f is None else f
    return gh.minimize(f, Watched(does), gh.FrankWolfe(), stop=gh.Iterations(3), **options)


def test_a_solve_has_one_blas_thread_and_users_functions_have_the_callers(three):
    inside, outside = [], []
    note = lambda *_: outside.append(blas_threads())
    square = gh.function(lambda x: note() or float(x @ x), lambda x: note() or 2 * x, 3)
    watched(lambda: inside.append(blas_threads()), square, watch=note)
    gh.minimize(square, gh.oracle(lambda g: note() or -np.sign(g), 3), stop=gh.Iterations(3) | gh.Callback(note))
    terms = gh.finite_sum(lambda x, index: note() or float(x @ x), lambda x, index: note() or 2 * x, 5, 3)
    gh.minimize(terms, gh.Simplex(3), gh.StochasticFrankWolfe(), stop=gh.Iterations(3))
    A = np.eye(4, 3)
    operator = LinearOperator(A.shape, matvec=lambda x: note() or A @ x, rmatvec=lambda r: note() or A.T @ r)
    gh.minimize(gh.least_squares(operator, np.ones(4)), gh.Simplex(3))
    assert len(inside) > 2 and all(seen == {1} for seen in inside)
    assert len(outside) > 20 and all(seen == {3} for seen in outside)


def test_objectives_and_models_of_an_ensemble_are_made_so(three, monkeypatch):
    seen, fitted = [], []
    monkeypatch.setattr("greedyhull.objectives.designs.stored.norm", lambda X: seen.append(blas_threads()) or 1.0)
    f = gh.least_squares(np.eye(3), np.ones(3))
    gh.certify(f, Watched(lambda: seen.append(blas_threads())), np.ones(3) / 3)

    class Model(LinearRegression):
        def fit(self, X, y):
            fitted.append(blas_threads())
            return super().fit(X, y)

    EnsembleRegressor(models=[("a", Model()), ("b", Model())], cv=2).fit(X[:20], Y[:20])
    assert len(seen) >= 2 and all(each == {1} for each in seen)
    assert len(fitted) >= 4 and all(each == {3} for each in fitted)


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
def test_the_setting_is_given_back_after_an_error(three, error):
    def fail():
        raise error

    with pytest.raises(error):
        watched(fail)
    assert blas_threads() == {3}
    with pytest.raises(error):
        gh.minimize(gh.function(lambda x: fail(), lambda x: x, 3), gh.Simplex(3))
    assert blas_threads() == {3}


def test_solves_within_solves(three):
    seen = []

    def value(x):
        watched(lambda: seen.append(("inner", blas_threads())))
        seen.append(("user", blas_threads()))
        return float(x @ x)

    watched(lambda: seen.append(("outer", blas_threads())), gh.function(value, lambda x: 2 * x, 3))
    assert {name for name, _ in seen} == {"inner", "user", "outer"}
    assert all(threads == ({3} if name == "user" else {1}) for name, threads in seen)


def test_solves_of_two_threads_that_overlap(three):
    entered, first_over, seen = threading.Event(), threading.Event(), []

    def second():
        def wait():
            entered.set()
            first_over.wait(30)
            seen.append(blas_threads())

        watched(wait)

    other = threading.Thread(target=second)
    watched(lambda: other.ident or (other.start(), entered.wait(30)))
    assert blas_threads() == {1}  # the other solve is still going on
    first_over.set()
    other.join()
    assert seen and all(each == {1} for each in seen)


def test_many_solves_in_many_threads(three):
    done = []  # an assertion that fails ends its thread, and the test would not see it
    pool = [threading.Thread(target=lambda: done.append([watched(lambda: None) for _ in range(50)])) for _ in range(6)]
    for each in pool:
        each.start()
    for each in pool:
        each.join()
    assert len(done) == 6 and blas_threads() == {3}


def test_a_setting_that_is_changed_meanwhile_stays(three):
    watched(lambda: None, watch=lambda _: threadpoolctl.threadpool_limits(2, user_api="blas"))
    assert blas_threads() == {2}
    watched(lambda: threadpoolctl.threadpool_limits(4, user_api="blas"))
    assert blas_threads() == {4}
    threadpoolctl.threadpool_limits(3, user_api="blas")


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_a_child_of_one_thread_does_not_wait_for_another(three):
    entered, over = threading.Event(), threading.Event()
    other = threading.Thread(target=lambda: watched(lambda: (entered.set(), over.wait(30))))
    other.start()
    entered.wait(30)
    receive, send = multiprocessing.get_context("fork").Pipe(False)
    child = multiprocessing.get_context("fork").Process(target=lambda: send.send(blas_threads()))
    child.start()
    over.set()
    other.join()
    assert receive.poll(60) and receive.recv() == {3}
    child.join()


FAKE = """
import ctypes, threading
from greedyhull.kernels.core import callers_threads, core, one_thread
own = threading.local()
def exchange(count):
    before, own.count = getattr(own, "count", 0), count
    return before
keep = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(exchange)
core.bind_blas_threads(0, ctypes.cast(keep, ctypes.c_void_p).value, True)
now = lambda: getattr(own, "count", 0)
with one_thread:
    other = []
    thread = threading.Thread(target=lambda: other.append(now()))
    thread.start(); thread.join()
    with one_thread: pass
    inside = now()
    with callers_threads: users = now()
print(other, inside, users, now())
"""


def test_a_library_whose_setting_is_of_one_thread_and_returned_by_its_setter():  # as that of MKL
    done = subprocess.run([sys.executable, "-c", FAKE], capture_output=True, text=True, check=True,
                          env={**os.environ, "PYTHONPATH": str(Path(gh.__file__).parents[1])})
    assert done.stdout.split("\n")[0] == "[0] 1 0 0"


class Library:
    """A BLAS library by the names that it exports."""

    def __init__(self, *names, parallel=1):
        for name in names:
            setattr(self, name, ctypes.CFUNCTYPE(ctypes.c_int)(lambda: parallel))


OPENBLAS = ("openblas_get_num_threads", "openblas_set_num_threads", "openblas_get_parallel")
OPENMP = ("omp_get_max_threads", "omp_set_num_threads")


@pytest.mark.parametrize(("library", "per_thread"), [
    (Library(*OPENBLAS), False),
    (Library(*(f"scipy_{name}64_" for name in OPENBLAS)), False),
    (Library(*OPENBLAS, *OPENMP, parallel=2), True),
    (Library(*OPENBLAS, parallel=2), None),
    (Library("MKL_Set_Num_Threads_Local"), True),
    (Library(), None),
])
def test_libraries_are_known_by_what_they_export(library, per_thread):
    found = _functions(library)
    assert found is None if per_thread is None else found is not None and found[2] is per_thread
