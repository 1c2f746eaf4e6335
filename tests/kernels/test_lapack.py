"""No problem wakes a thread of BLAS, and results have the same bits whatever number of threads BLAS was given."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import greedyhull as gh

HERE = Path(__file__).parent


def printed(arguments, **variables):
    source = str(Path(gh.__file__).parents[1])
    done = subprocess.run([sys.executable, "-W", "ignore", *arguments], capture_output=True, text=True, timeout=600,
                          env={**os.environ, "PYTHONPATH": source, **variables})
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="Linux tells how long they ran")
def test_problems_wake_no_thread_of_blas_and_have_the_same_bits():
    one, four = ([line.split("\t") for line in printed([str(HERE / "idle_blas.py")], OPENBLAS_NUM_THREADS=count).splitlines()]
                 for count in ("1", "4"))
    if int(four[-1][2]) == 0:
        pytest.skip("NumPy's BLAS does not start threads as OpenBLAS does")
    assert len(four) > 20
    assert [name for name, _, ran in four[:-1] if int(ran)] == []
    assert [name for (name, bits, _), (_, others, _) in zip(one, four, strict=True) if bits != others] == []


LATE = """
import sys, numpy as np, greedyhull as gh
from threadpoolctl import threadpool_info
def show():
    print(*(library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"))
show()
class Watched(gh.AtomSet):
    shape = (3,)
    def argmin(self, g):
        import greedyhull.kernels.lapack
        show()
        return gh.Basis(int(g.argmin()), 1.0)
assert "scipy.linalg" not in sys.modules
gh.minimize(gh.quadratic(np.eye(3)), Watched(), gh.FrankWolfe(), stop=gh.Iterations(1))
show()
"""


def test_a_library_that_is_loaded_during_a_solve_has_one_thread_from_then_on():
    pytest.importorskip("threadpoolctl")
    before, *during, after = printed(["-c", LATE]).split("\n")[:-1]
    assert during and {number for line in during for number in line.split()} == {"1"}
    assert set(after.split()) == set(before.split())
