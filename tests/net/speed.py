"""Compare the speed of two installed versions, row by row: processor time, interleaved, the best of several turns.

``python tests/net/speed.py OLD_PYTHON NEW_PYTHON [--turns 9] [--only WORD]`` starts both interpreters and measures each row in
turns. Rows above 1.1 are measured three more times, and the best ratio counts.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any


def rows() -> dict[str, Callable[[], Callable[[], Any]]]:
    """For each row a function that builds its data and returns the call that is timed."""
    import numpy as np
    from scipy import sparse

    import greedyhull as gh

    goal = gh.Relative(1e-6)
    made: dict[str, Callable[[], Callable[[], Any]]] = {}

    def data(n: int, d: int, seed: int = 0) -> tuple[Any, Any]:
        rng = np.random.default_rng(seed)
        X = np.asfortranarray(rng.standard_normal((n, d)))
        k = min(d, 10)
        return X, X[:, :k] @ rng.dirichlet(np.ones(k)) + 0.1 * rng.standard_normal(n)

    def fit(loss: str, S: Callable[[int], Any], n: int, d: int, solver: Any = None, stop: Any = goal, built: bool = False,
            thin: float = 0.0, **more: Any) -> Callable[[], Callable[[], Any]]:
        def build() -> Callable[[], Any]:
            X, y = data(n, d)
            if thin:
                X = sparse.csc_array(np.where(np.random.default_rng(1).random(X.shape) < thin, X, 0.0))
            targets = np.sign(y) if loss in ("logistic", "hinge", "squared_hinge") else y
            make = getattr(gh, loss)
            if built:
                f, set_ = make(X, targets, **more), S(d)
                return lambda: gh.minimize(f, set_, solver, stop=stop)
            return lambda: gh.minimize(make(X, targets, **more), S(d), solver, stop=stop)

        return build

    def ball(d: int) -> Any:
        return gh.L1Ball(d, 0.8)

    def form(S: Callable[[int], Any], d: int, solver: Any = None, stop: Any = goal) -> Callable[[], Callable[[], Any]]:
        def build() -> Callable[[], Any]:
            rng = np.random.default_rng(d)
            F = rng.standard_normal((d, 8)) + 1.0
            Q, b = F @ F.T + np.diag(1.0 + rng.random(d)), rng.standard_normal(d)
            set_ = S(d)
            return lambda: gh.minimize(gh.quadratic(Q, b), set_, solver, stop=stop)

        return build

    for n, d in ((30, 5), (100, 20), (500, 20), (5000, 50), (20_000, 100)):
        made[f"small: least squares over Simplex {n}x{d}"] = fit("least_squares", gh.Simplex, n, d)
    made["small: 30x5, f and S built"] = fit("least_squares", gh.Simplex, 30, 5, built=True)
    for d in (31, 89, 225, 1000):
        made[f"small: quadratic over Simplex {d}"] = form(gh.Simplex, d)
    for loss in ("least_squares", "logistic", "huber", "squared_hinge"):
        made[f"corrective: {loss} 62x2000"] = fit(loss, ball, 62, 2000)
        made[f"corrective: {loss} 2000x60"] = fit(loss, ball, 2000, 60)
        made[f"corrective: {loss} sparse 3000x5000"] = fit(loss, ball, 3000, 5000, thin=0.01)
    made["corrective: logistic intercept 500x500"] = fit("logistic", ball, 500, 500, intercept=True)
    made["corrective: hinge 300x100"] = fit("hinge", ball, 300, 100, stop=gh.Relative(1e-4))
    made["corrective: absolute 300x100"] = fit("absolute", ball, 300, 100, stop=gh.Relative(1e-4))
    made["corrective: float32 400x400"] = lambda: _single(gh, np, data)
    sets: dict[str, tuple[int, Callable[[int], Any]]] = {
        "Box": (300, lambda d: gh.Box(np.zeros(d), np.full(d, 0.1))),
        "L2Ball": (300, lambda d: gh.L2Ball(d, 0.5)),
        "bounded Simplex": (300, lambda d: gh.Simplex(d, upper=0.05)),
        "GroupedSimplex": (300, lambda d: gh.GroupedSimplex(np.arange(d) % 10, group_upper=0.2)),
        "KSparse": (200, lambda d: gh.KSparse(d, 10, 0.1)),
        "GroupL1Ball": (200, lambda d: gh.GroupL1Ball(np.arange(d) % 20, 1.0)),
        "LinearProgram": (80, lambda d: gh.LinearProgram(A_ub=np.random.default_rng(0).random((20, d)), b_ub=np.full(20, 0.6),
                                                         A_eq=np.ones((1, d)), b_eq=[1.0])),
        "Vertices": (40, lambda d: gh.Vertices(np.random.default_rng(0).standard_normal((200, d)))),
        "Product": (120, lambda d: gh.Product(*(gh.Simplex(6) for _ in range(d // 6)))),
        "TotalVariationBall": (100, lambda d: gh.TotalVariationBall(d, 1.0)),
        "HyperSimplex": (200, lambda d: gh.HyperSimplex(d, 20)),
    }
    for name, (d, S) in sets.items():
        made[f"polytopes: quadratic over {name} {d}"] = form(S, d)
    made["polytopes: least squares over Box 100x1000"] = fit("least_squares", sets["Box"][1], 100, 1000)
    for n in (12, 30):
        made[f"polytopes: Birkhoff {n}"] = lambda n=n: _birkhoff(gh, np, n)
    for assets, turnover in ((120, None), (500, None), (120, 0.3), (500, 0.3)):
        made[f"polytopes: portfolio {assets}, turnover {turnover}"] = lambda a=assets, t=turnover: _portfolio(np, a, t)
    made["batch: 1000 of 30x5"] = lambda: _batch(gh, np, 1000, 30, 5)
    made["batch: 100 of 200x30"] = lambda: _batch(gh, np, 100, 200, 30)
    for name, n, d in (("L1BudgetRegressorCV", 200, 400), ("L1BudgetRegressorCV", 2000, 50),
                       ("L1BudgetClassifierCV", 300, 200)):
        made[f"cv: {name} {n}x{d}"] = lambda name=name, n=n, d=d: _cv(np, data, name, n, d)
    made["cv: path of 20 radii 100x500"] = lambda: _path(gh, np, data)
    few = gh.Iterations(300)
    for kind in ("minibatch", "momentum", "storm", "spider", "svrf", "saga"):
        solver = getattr(gh.StochasticFrankWolfe, kind)()
        made[f"stochastic: {kind} 2000x50"] = fit("logistic", ball, 2000, 50, solver, few)
    made["stochastic: StochasticJones 500x30"] = fit("logistic", ball, 500, 30, gh.StochasticJones(), gh.Iterations(60))
    for solver in ("FrankWolfe", "Jones", "PairwiseJones", "AwayStep", "Pairwise", "BlendedPairwise"):
        made[f"overhead: {solver} 100 iterations"] = fit("least_squares", ball, 50, 40, getattr(gh, solver)(),
                                                         gh.Iterations(100))
    made["overhead: FrankWolfe on a function"] = lambda: _function(gh, np)
    made["overhead: certify"] = lambda: _certify(gh, np, data)
    return made


def _single(gh: Any, np: Any, data: Any) -> Any:
    X, y = data(400, 400)
    X = X.astype(np.float32)
    return lambda: gh.minimize(gh.least_squares(X, y), gh.L1Ball(400, 0.8), stop=gh.Relative(1e-6))


def _birkhoff(gh: Any, np: Any, n: int) -> Any:
    rng = np.random.default_rng(n)
    A, B = rng.random((n, n)), rng.random((n, n))
    Q = np.kron(A @ A.T, np.eye(n)) + np.kron(np.eye(n), B @ B.T) if n <= 12 else None
    target = rng.random((n, n))
    if Q is None:
        f = gh.function(lambda w: float(((w - target) ** 2).sum() / 2), lambda w: w - target, (n, n), smoothness=1.0)
        return lambda: gh.minimize(f, gh.Birkhoff(n), stop=gh.Relative(1e-5) | gh.Iterations(50))
    return lambda: gh.minimize(gh.quadratic(Q, target.ravel()), gh.Product(gh.Birkhoff(n)), stop=gh.Relative(1e-6))


def _portfolio(np: Any, assets: int, turnover: float | None) -> Any:
    from greedyhull.apps import portfolio

    rng = np.random.default_rng(assets)
    market = rng.standard_normal((250, 5)) @ rng.standard_normal((5, assets))
    returns = 0.01 * (market + rng.standard_normal((250, assets)))
    more = {} if turnover is None else {"previous": np.full(assets, 1.0 / assets), "turnover": turnover}
    return lambda: portfolio(returns, upper=0.1, **more)


def _batch(gh: Any, np: Any, many: int, n: int, d: int) -> Any:
    rng = np.random.default_rng(d)
    X, Y = rng.standard_normal((n, d)), rng.standard_normal((n, many))
    return lambda: gh.batch([gh.least_squares(X, Y[:, k]) for k in range(many)], gh.Simplex(d))


def _cv(np: Any, data: Any, name: str, n: int, d: int) -> Any:
    from greedyhull import estimators

    X, y = data(n, d)
    targets = (y > 0).astype(int) if "Classifier" in name else y
    return lambda: getattr(estimators, name)().fit(X, targets)


def _path(gh: Any, np: Any, data: Any) -> Any:
    X, y = data(100, 500)
    return lambda: gh.path(gh.least_squares(X, y), gh.L1Ball(500, 1.0), np.geomspace(0.05, 1.5, 20))


def _function(gh: Any, np: Any) -> Any:
    f = gh.function(lambda w: float(w @ w) - w[0], lambda w: 2 * w - np.eye(1, len(w))[0], (50,), smoothness=2.0)
    return lambda: gh.minimize(f, gh.Simplex(50), gh.FrankWolfe(), stop=gh.Iterations(100))


def _certify(gh: Any, np: Any, data: Any) -> Any:
    X, y = data(200, 100)
    f, S, w = gh.least_squares(X, y), gh.L1Ball(100, 1.0), np.full(100, 0.01)
    return lambda: gh.certify(f, S, w)


def serve() -> None:
    """Answer each line, the name of a row, with the best processor seconds of a turn of at least 30 ms."""
    import warnings

    warnings.simplefilter("ignore")
    made, ready = rows(), {}
    print(json.dumps(list(made)), flush=True)
    for line in sys.stdin:
        name = line.rstrip("\n")
        try:
            if name not in ready:
                ready.clear()
                ready[name] = made[name]()
                ready[name]()
            gc.disable()
            times: list[float] = []
            while sum(times) < 0.03:
                began = process_time()
                ready[name]()
                times.append(process_time() - began)
            gc.enable()
            print(json.dumps(min(times)), flush=True)
        except Exception as error:
            print(json.dumps(f"{type(error).__name__}: {error}"[:200]), flush=True)


class Version:
    """A server in the interpreter of one version."""

    def __init__(self, python: str, threads: str | None) -> None:
        environment = {**os.environ, **({"OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads} if threads else {})}
        self.process = subprocess.Popen([python, str(Path(__file__).resolve()), "--serve"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env=environment, cwd="/")
        self.names = json.loads(self.process.stdout.readline())

    def measure(self, name: str) -> float | str:
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def ratio(old: Version, new: Version, name: str, turns: int) -> tuple[float, float, float] | str:
    best: list[float] = [math.inf, math.inf]
    for _ in range(turns):
        for k, version in enumerate((old, new)):
            seconds = version.measure(name)
            if isinstance(seconds, str):
                return f"{'old' if k == 0 else 'new'}: {seconds}"
            best[k] = min(best[k], seconds)
        if sum(best) > 4.0:
            break
    return best[0], best[1], best[1] / best[0]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--only", default="")
    parser.add_argument("--threads", default="1", help="BLAS threads of both; 'default' leaves the setting alone")
    given = parser.parse_args()
    threads = None if given.threads == "default" else given.threads
    old, new = Version(given.old, threads), Version(given.new, threads)
    ratios = []
    for name in old.names:
        if given.only not in name:
            continue
        found = ratio(old, new, name, given.turns)
        for _ in range(3):
            if isinstance(found, tuple) and found[2] > 1.1:
                again = ratio(old, new, name, given.turns)
                found = min(found, again, key=lambda row: row[2]) if isinstance(again, tuple) else found
        if isinstance(found, str):
            print(f"{name:55} {found}", flush=True)
            continue
        ratios.append(found[2])
        mark = "  <--" if found[2] > 1.1 else ""
        print(f"{name:55} {1e3 * found[0]:10.3f} {1e3 * found[1]:10.3f} ms {found[2]:6.2f}{mark}", flush=True)
    print(f"geometric mean {math.exp(sum(map(math.log, ratios)) / len(ratios)):.3f} of {len(ratios)} rows")


if __name__ == "__main__":
    serve() if "--serve" in sys.argv else main()
