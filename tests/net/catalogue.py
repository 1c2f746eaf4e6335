"""Fixed problems over every set, objective and solver. Their answers are recorded before code moves and compared after."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

import greedyhull as gh

D = 12
rng = np.random.default_rng(2026)
X, y = rng.standard_normal((30, D)), rng.standard_normal(30)
SIGNS, COUNTS = np.where(y > 0, 1.0, -1.0), np.round(np.abs(2 * y))
B = rng.standard_normal((D, D))
Q, b = B @ B.T / D, rng.standard_normal(D)
EDGES = [(i, j) for i, j in itertools.combinations(range(6), 2) if (i * j) % 3 != 1][:D]
STREETS = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (2, 4), (3, 4), (3, 5), (4, 5), (1, 4), (0, 3), (2, 5)]
ROWS = rng.random((3, D))
POINTS = rng.standard_normal((20, D))
LD = np.longdouble


def worst(g: Any) -> Any:
    """An oracle of one's own: the corner of the box [-1, 1]^d with the smallest inner product."""
    return -np.sign(g)


SETS: dict[str, Callable[[], Any]] = {
    "L1Ball": lambda: gh.L1Ball(D, 1.0),
    "L1Ball weights": lambda: gh.L1Ball(D, 1.0, weights=1.0 + np.arange(D) / D),
    "L2Ball": lambda: gh.L2Ball(D, 0.8),
    "L2Ball centre": lambda: gh.L2Ball(D, 0.8, centre=np.full(D, 0.1)),
    "LinfBall": lambda: gh.LinfBall(D, 0.3),
    "LpBall": lambda: gh.LpBall(D, 1.0, 3.0),
    "Box": lambda: gh.Box(np.full(D, -0.2), np.linspace(0.1, 0.5, D)),
    "Simplex": lambda: gh.Simplex(D),
    "Simplex bounds": lambda: gh.Simplex(D, lower=0.01, upper=0.3),
    "GroupedSimplex": lambda: gh.GroupedSimplex([0, 1, 2] * 4, upper=0.4, group_upper=0.5),
    "CappedSimplex": lambda: gh.CappedSimplex(D, 1.5),
    "HyperSimplex": lambda: gh.HyperSimplex(D, 4),
    "KSparse": lambda: gh.KSparse(D, 3, 0.5),
    "KSupport": lambda: gh.KSupport(D, 3, 1.0),
    "GroupL1Ball": lambda: gh.GroupL1Ball([0, 1, 2] * 4, 1.0),
    "GroupL1Ball overlap": lambda: gh.GroupL1Ball([np.arange(0, 6), np.arange(4, 10), np.arange(8, D)], 1.0),
    "TotalVariationBall": lambda: gh.TotalVariationBall(D, 1.0),
    "Permutahedron": lambda: gh.Permutahedron(np.arange(D) / D),
    "SpanningTree": lambda: gh.SpanningTree(EDGES, 6),
    "PathPolytope": lambda: gh.PathPolytope(STREETS, 6, 0, 5),
    "Vertices": lambda: gh.Vertices(POINTS),
    "LinearProgram": lambda: gh.LinearProgram(A_ub=ROWS, b_ub=np.ones(3), A_eq=np.ones((1, D)), b_eq=[1.5]),
    "oracle": lambda: gh.oracle(worst, (D,), bound=1.0),
    "Product": lambda: gh.Product(gh.Simplex(5), gh.L1Ball(D - 5, 0.5)),
    "Sum": lambda: gh.Sum(gh.L1Ball(D, 0.5), gh.LinfBall(D, 0.05)),
    "Scaled": lambda: gh.Scaled(gh.Simplex(D), 2.0),
    "Translated": lambda: gh.Translated(gh.L1Ball(D, 0.7), np.full(D, 0.05)),
    "Cached": lambda: gh.Cached(gh.L1Ball(D, 1.0)),
    "Inexact": lambda: gh.Inexact(gh.L1Ball(D, 1.0), 1e-7),
}
MATRICES: dict[str, Callable[[], Any]] = {
    "NuclearBall": lambda: gh.NuclearBall((4, 3), 1.0),
    "Spectrahedron": lambda: gh.Spectrahedron(4),
    "Birkhoff": lambda: gh.Birkhoff(4),
    "Transport": lambda: gh.Transport(np.ones(4) / 4, np.ones(3) / 3),
    "L1Ball matrix": lambda: gh.L1Ball((4, 3), 1.0),
}


def values(P: Any, w: Any) -> Any:
    return np.asarray(P, dtype=LD) @ np.asarray(w, dtype=LD)


def mean_of(terms: Callable[[Any], Any], P: Any = X) -> Callable[[Any], Any]:
    """The mean of ℓ(zᵢ) over rows in extended precision."""
    return lambda w: terms(values(P, w)).mean()


def pinball(r: Any, q: float) -> Any:
    return np.maximum(-LD(q) * r, (1 - LD(q)) * r)


def huber(r: Any) -> Any:
    return np.where(np.abs(r) <= 1, r * r / 2, np.abs(r) - LD(0.5))


def black_box() -> Any:
    return gh.function(lambda w: float(np.sum((w - 0.1) ** 4) + w @ w), lambda w: 4 * (w - 0.1) ** 3 + 2 * w, (D,))


def finite_sum() -> Any:
    def value(w: Any, index: Any) -> float:
        return float(np.mean((X[index] @ w - y[index]) ** 2) / 2)

    def gradient(w: Any, index: Any) -> Any:
        return X[index].T @ (X[index] @ w - y[index]) / len(index)

    return gh.finite_sum(value, gradient, len(y), (D,))


class Model(NamedTuple):
    """An objective and its value in extended precision."""

    make: Callable[[], Any]
    exact: Callable[[Any], Any]
    positive: bool = False  # needs points with positive coordinates


OBJECTIVES: dict[str, Model] = {
    "quadratic": Model(lambda: gh.quadratic(Q, b), lambda w: w @ values(Q, w) / 2 - np.asarray(b, dtype=LD) @ w),
    "least_squares": Model(lambda: gh.least_squares(X, y), mean_of(lambda z: (z - y) ** 2 / 2)),
    "least_squares sparse": Model(lambda: gh.least_squares(sparse.csc_array(np.where(np.abs(X) > 0.7, X, 0)), y),
                                  mean_of(lambda z: (z - y) ** 2 / 2, np.where(np.abs(X) > 0.7, X, 0))),
    "least_squares ridge": Model(lambda: gh.least_squares(X, y, l2=0.1),
                                 lambda w: mean_of(lambda z: (z - y) ** 2 / 2)(w) + LD(0.1) * (w @ w) / 2),
    "least_squares intercept": Model(lambda: gh.least_squares(X, y + 1, intercept=True),
                                     mean_of(lambda z: ((z - y) - (z - y).mean()) ** 2 / 2)),
    "logistic": Model(lambda: gh.logistic(X, SIGNS), mean_of(lambda z: np.log1p(np.exp(-SIGNS * z)))),
    "squared_hinge": Model(lambda: gh.squared_hinge(X, SIGNS), mean_of(lambda z: np.maximum(1 - SIGNS * z, 0) ** 2 / 2)),
    "huber": Model(lambda: gh.huber(X, 2 * y), mean_of(lambda z: huber(z - 2 * y))),
    "poisson": Model(lambda: gh.poisson(X, COUNTS), mean_of(lambda z: np.exp(z) - COUNTS * z)),
    "lp_loss": Model(lambda: gh.lp_loss(X, y, 3.0), mean_of(lambda z: np.abs(z - y) ** 3 / 3)),
    "hinge": Model(lambda: gh.hinge(X, SIGNS), mean_of(lambda z: np.maximum(1 - SIGNS * z, 0))),
    "absolute": Model(lambda: gh.absolute(X, y), mean_of(lambda z: np.abs(z - y))),
    "quantile": Model(lambda: gh.quantile(X, y, 0.3), mean_of(lambda z: pinball(z - y, 0.3))),
    "epsilon_insensitive": Model(lambda: gh.epsilon_insensitive(X, y, 0.1),
                                 mean_of(lambda z: np.maximum(np.abs(z - y) - LD(0.1), 0))),
    "function": Model(black_box, lambda w: ((w - LD(0.1)) ** 4).sum() + w @ w),
    "finite_sum": Model(finite_sum, mean_of(lambda z: (z - y) ** 2 / 2)),
    "log_likelihood": Model(lambda: gh.log_likelihood(np.exp(X)), mean_of(lambda z: -np.log(z), np.exp(X)), True),
    "log_det": Model(lambda: gh.log_det(X[:D, :3]), lambda w: -2 * sum(map(np.log, pivots(w))), True),
    "trace_inverse": Model(lambda: gh.trace_inverse(X[:D, :3]), lambda w: inverse_trace(w), True),
}


def information(w: Any) -> Any:
    rows = np.asarray(X[:D, :3], dtype=LD)
    return (rows * np.asarray(w, dtype=LD)[:, None]).T @ rows


def pivots(w: Any) -> list[Any]:
    """The diagonal of the Cholesky factor, in extended precision."""
    M = information(w)
    for j in range(3):
        M[j, j] = np.sqrt(M[j, j])
        M[j + 1:, j] /= M[j, j]
        M[j + 1:, j + 1:] -= np.outer(M[j + 1:, j], M[j + 1:, j])
    return [M[j, j] for j in range(3)]


def inverse_trace(w: Any) -> Any:
    M = information(w)
    det = np.prod(np.array(pivots(w))) ** 2
    minors = [M[i, i] * M[j, j] - M[i, j] ** 2 for i, j in ((0, 1), (0, 2), (1, 2))]
    return sum(minors) / det


CELLS = rng.standard_normal((4, 3))
LABELS = rng.integers(0, 3, 30)
MATRIX_MODELS: dict[str, tuple[Callable[[], Any], str]] = {
    "completion": (lambda: gh.completion(np.repeat(range(4), 2), [0, 1, 1, 2, 0, 2, 0, 1], CELLS.ravel()[:8], (4, 3)),
                   "NuclearBall"),
    "multitask": (lambda: gh.multitask(X[:, :4], rng_targets(), l2=0.0), "NuclearBall"),
    "multinomial": (lambda: gh.multinomial(X[:, :4], LABELS), "L1Ball matrix"),
    "multinomial nuclear": (lambda: gh.multinomial(X[:, :4], LABELS, intercept=True), "NuclearBall"),
    "matrix function 1": (lambda: squared_distance((4, 3)), "Transport"),
    "matrix function 2": (lambda: squared_distance((4, 4)), "Birkhoff"),
    "matrix function 3": (lambda: squared_distance((4, 4), symmetric=True), "Spectrahedron"),
    "matrix function 4": (lambda: squared_distance((4, 3)), "L1Ball matrix"),
}


def rng_targets() -> Any:
    return np.random.default_rng(5).standard_normal((30, 3))


def squared_distance(shape: tuple[int, int], symmetric: bool = False) -> Any:
    target = np.random.default_rng(9).random(shape) / shape[1]
    target = (target + target.T) / 2 if symmetric else target
    return gh.function(lambda w: float(((w - target) ** 2).sum() / 2), lambda w: w - target, shape, smoothness=1.0)


SOLVERS: dict[str, Callable[[], Any]] = {
    "FrankWolfe": lambda: gh.FrankWolfe(), "FrankWolfe open": lambda: gh.FrankWolfe(gh.OpenLoop()),
    "FrankWolfe short": lambda: gh.FrankWolfe(gh.Short()), "FrankWolfe backtracking": lambda: gh.FrankWolfe(gh.Backtracking()),
    "FrankWolfe log": lambda: gh.FrankWolfe(gh.LogAdaptive()),
    "FrankWolfe capped": lambda: gh.FrankWolfe(gh.Capped(gh.Power(0.5))),
    "Jones": lambda: gh.Jones(), "Jones open": lambda: gh.Jones(gh.OpenLoop()), "PairwiseJones": lambda: gh.PairwiseJones(),
    "Mixed": lambda: gh.Mixed(), "AwayStep": lambda: gh.AwayStep(), "Pairwise": lambda: gh.Pairwise(),
    "BlendedPairwise": lambda: gh.BlendedPairwise(), "Corrective": lambda: gh.Corrective(),
    "DecompositionInvariant": lambda: gh.DecompositionInvariant(), "BlockCoordinate": lambda: gh.BlockCoordinate(),
    "StochasticJones": lambda: gh.StochasticJones(), "VarianceReducedJones": lambda: gh.VarianceReducedJones(),
    "Storc": lambda: gh.Storc(), "LuFreund": lambda: gh.LuFreund(), "MoreauFrankWolfe": lambda: gh.MoreauFrankWolfe(),
    "Aggregated": lambda: gh.Aggregated(), "Smoothed": lambda: gh.Smoothed(),
    "RegularizedStochasticFrankWolfe": lambda: gh.RegularizedStochasticFrankWolfe(),
    **{f"StochasticFrankWolfe {kind}": (lambda kind=kind: getattr(gh.StochasticFrankWolfe, kind)())
       for kind in ("minibatch", "momentum", "storm", "spider", "svrf", "svfw", "saga", "dual")},
}


SUITED = {  # solvers that need a nonsmooth loss, a product or a set with faces
    "Smoothed": (("hinge", "L1Ball"), ("absolute", "Simplex")), "BlockCoordinate": (("least_squares", "Product"),),
    "DecompositionInvariant": (("least_squares", "Simplex"), ("logistic", "Box")),
}


class Case(NamedTuple):
    name: str
    f: Callable[[], Any]
    S: Callable[[], Any]
    solver: Callable[[], Any] | None
    exact: Callable[[Any], Any] | None


def cases() -> Iterator[Case]:
    """All sets with the default solver, all objectives, all solvers, and pairs of sets and solvers by a fixed draw."""
    draw = np.random.default_rng(1)
    smooth = ["quadratic", "least_squares", "logistic", "huber"]
    for k, name in enumerate(SETS):
        for model in (smooth[k % 4], smooth[(k + 1) % 4]):
            yield Case(f"{model} over {name}", OBJECTIVES[model].make, SETS[name], None, OBJECTIVES[model].exact)
    for name, model in OBJECTIVES.items():
        for over in ("Simplex",) if model.positive else ("L1Ball", "Simplex", "L2Ball"):
            yield Case(f"{name} over {over}, default", model.make, SETS[over], None, model.exact)
    for name, (make, over) in MATRIX_MODELS.items():
        yield Case(f"{name} over {over}", make, MATRICES[over], None, None)
    for name, solver in SOLVERS.items():
        for model, over in SUITED.get(name, (("least_squares", "L1Ball"), ("logistic", "Simplex"))):
            yield Case(f"{model} over {over} by {name}", OBJECTIVES[model].make, SETS[over], solver, OBJECTIVES[model].exact)
    named = list(itertools.product(SETS, list(SOLVERS)[:16]))
    for k in draw.permutation(len(named))[:30]:
        over, solver = named[k]
        model = smooth[k % 4]
        yield Case(f"{model} over {over} by {solver}, drawn", OBJECTIVES[model].make, SETS[over], SOLVERS[solver],
                   OBJECTIVES[model].exact)
