"""Problems of many kinds, large enough for OpenBLAS to start threads. Prints the results' digests, and what its threads did.

Run by test_lapack.py with different numbers of BLAS threads: ``python tests/kernels/idle_blas.py``. Each line is the name of a
problem, a digest of its result, and the nanoseconds that threads which were alive before and after it have run.
"""

import hashlib
import threading
import time
from pathlib import Path

import numpy as np

import greedyhull as gh
import greedyhull.kernels.lapack  # loads SciPy's BLAS beside NumPy's
from greedyhull.estimators import L1BudgetRegressor, L1BudgetRegressorCV, LowRankRegressor, SimplexClassifier

RNG = np.random.default_rng(3)
X, B = RNG.standard_normal((300, 400)), RNG.standard_normal((150, 150))
Y = X[:, :9].sum(axis=1) + RNG.standard_normal(300)
SIGNS, Q = np.sign(Y), B @ B.T / 150
TALL = RNG.standard_normal((3000, 40))
CLASSES = RNG.integers(0, 4, 300)
TARGETS = X[:, :30] @ RNG.standard_normal((30, 12)) + RNG.standard_normal((300, 12))
RETURNS = 0.01 * RNG.standard_normal((250, 300))
A_UB = RNG.random((20, 150))


def of(f, S, solver=None):
    s = gh.minimize(f, S, solver, stop=gh.Relative(1e-6) | gh.Iterations(200))
    return s.x, s.gap


PROBLEMS = {
    "lasso": lambda: of(gh.least_squares(X, Y), gh.L1Ball(400, 5.0)),
    "tall": lambda: of(gh.least_squares(TALL, TALL[:, 0]), gh.Simplex(40)),
    "float32": lambda: of(gh.least_squares(X.astype(np.float32), Y.astype(np.float32)), gh.L1Ball(400, 5.0)),
    "logistic": lambda: of(gh.logistic(TALL, np.sign(TALL[:, 0] + TALL[:, 1])), gh.L1Ball(40, 5.0)),
    "Frank-Wolfe": lambda: of(gh.logistic(X, SIGNS), gh.L1Ball(400, 5.0), gh.FrankWolfe()),
    "pairwise": lambda: of(gh.least_squares(X, Y), gh.Simplex(400), gh.BlendedPairwise()),
    "nonsmooth": lambda: of(gh.absolute(TALL, TALL[:, 0]), gh.L1Ball(40, 0.5)),
    "groups": lambda: of(gh.quadratic(Q, Y[:150]), gh.GroupedSimplex(np.arange(150) % 7, upper=0.2)),
    "box": lambda: of(gh.quadratic(Q, Y[:150]), gh.Box(np.zeros(150), np.ones(150))),
    "rows": lambda: of(gh.quadratic(Q, Y[:150]), gh.LinearProgram(A_ub=A_UB, b_ub=np.full(20, 5.0), bounds=[(0, 1)] * 150)),
    "group ball": lambda: of(gh.least_squares(X, Y), gh.GroupL1Ball([range(j, j + 10) for j in range(0, 400, 10)], 3.0)),
    "Euclidean": lambda: of(gh.least_squares(X, Y), gh.L2Ball(400, 1.0)),
    "vertices": lambda: of(gh.quadratic(Q, Y[:150]), gh.Vertices(RNG.spawn(1)[0].standard_normal((500, 150)))),
    "nuclear": lambda: of(gh.multitask(X[:, :30], TARGETS), gh.NuclearBall((30, 12), 5.0)),
    "multinomial": lambda: of(gh.multinomial(X[:, :40], CLASSES), gh.L1Ball((40, 4), 5.0)),
    "design": lambda: (gh.apps.optimal_design(TALL[:500, :12]).weights,),
    "portfolio": lambda: (gh.apps.portfolio(RETURNS, upper=0.05, previous=np.full(300, 1 / 300), turnover=0.3).weights,),
    "path": lambda: [s.x for s in gh.path(gh.least_squares(X, Y), gh.L1Ball(400, 1.0), [1.0, 3.0])],
    "batch": lambda: (gh.batch(gh.least_squares, gh.Simplex(30), X=X[:, :30], Y=TARGETS).x,),
    "certify": lambda: (gh.certify(gh.quadratic(Q, Y[:150]), gh.Simplex(150), np.full(150, 1 / 150)).gap,),
    "fit": lambda: (L1BudgetRegressor(5.0).fit(X, Y).predict(X),),
    "choice": lambda: (L1BudgetRegressorCV(radii=4, cv=3).fit(X, Y).coef_,),
    "low rank": lambda: (LowRankRegressor(5.0, tol=1e-4).fit(X[:, :30], TARGETS).coef_,),
    "classes": lambda: (SimplexClassifier().fit(X[:, :20], CLASSES).coef_,),
}


def ran() -> dict[str, int]:
    """How long each thread of this process has run, in nanoseconds."""
    return {task.name: int((task / "schedstat").read_text().split()[0]) for task in Path("/proc/self/task").iterdir()
            if task.name != str(threading.get_native_id())}


def work(problem) -> tuple[str, int]:
    before = ran()
    digest = hashlib.sha256(b"".join(np.asarray(part).tobytes() for part in problem())).hexdigest()[:16]
    time.sleep(0.02)  # until the time of a thread is written
    after = ran()
    return digest, sum(after[name] - before[name] for name in before.keys() & after.keys())


if __name__ == "__main__":
    X @ X.T  # each thread runs once
    greedyhull.kernels.lapack.dpotrf(Q + np.eye(150))
    time.sleep(0.5)  # they wait in a loop for a while, then sleep
    for name, problem in PROBLEMS.items():
        print(name, *work(problem), sep="\t", flush=True)
    print("a product of NumPy", *work(lambda: (X @ X.T,)), sep="\t")
