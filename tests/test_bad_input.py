"""Bad input is refused in words that say what was given and what to do."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csc_array, csr_array
from scipy.sparse.linalg import aslinearoperator

import greedyhull as gh
from greedyhull.atoms.base import AtomSet, OracleBase
from greedyhull.objectives.black_box import BlackBox
from greedyhull.points.shapes import Basis
from greedyhull.types import Answer

X, y = np.random.default_rng(0).standard_normal((6, 3)), np.array([1.0, -1.0, 1.0, 1.0, -1.0, -1.0])
ok = gh.least_squares(X, y)


def spoiled(value: float) -> np.ndarray[Any, Any]:
    bad = X.copy()
    bad[2, 1] = value
    return bad


def spoiled_vector(value: float) -> np.ndarray[Any, Any]:
    bad = np.ones(6)
    bad[3] = value
    return bad


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    # data
    "X is a vector": (lambda: gh.least_squares(y, y), r"X has shape \(6,\).*reshape"),
    "X has three axes": (lambda: gh.least_squares(X[None], y), r"X has shape \(1, 6, 3\)"),
    "X has no rows": (lambda: gh.least_squares(X[:0], y[:0]), r"X has shape \(0, 3\).*at least one row"),
    "X has no columns": (lambda: gh.least_squares(X[:, :0], y), r"at least one row and one column"),
    "sparse X has no columns": (lambda: gh.least_squares(csc_array((6, 0)), y), r"at least one row and one column"),
    "X holds words": (lambda: gh.least_squares(np.full((6, 3), "a"), y), r"dtype.*numbers are wanted"),
    "X has NaN": (lambda: gh.least_squares(spoiled(np.nan), y), r"X holds NaN or infinite values.*(Impute|drop)"),
    "X has inf": (lambda: gh.least_squares(spoiled(np.inf), y), r"X holds NaN or infinite values"),
    "X has -inf": (lambda: gh.logistic(spoiled(-np.inf), y), r"X holds NaN or infinite values"),
    "CSC X has NaN": (lambda: gh.least_squares(csc_array(spoiled(np.nan)), y), r"X holds NaN or infinite values"),
    "CSR X has inf": (lambda: gh.least_squares(csr_array(spoiled(np.inf)), y), r"X holds NaN or infinite values"),
    "float32 X has NaN": (lambda: gh.least_squares(spoiled(np.nan).astype(np.float32), y), r"X holds NaN or infinite values"),
    "y is too short": (lambda: gh.least_squares(X, y[:4]), r"y has shape \(4,\) but X has 6 rows"),
    "y is a matrix": (lambda: gh.least_squares(X, X), r"y has shape \(6, 3\)"),
    "y holds words": (lambda: gh.least_squares(X, np.array(list("abcdef"))), r"y has dtype.*numbers are wanted"),
    "y has NaN": (lambda: gh.least_squares(X, spoiled_vector(np.nan)), r"y holds NaN or infinite values"),
    "y has inf": (lambda: gh.huber(X, spoiled_vector(np.inf)), r"y holds NaN or infinite values"),
    "weights have NaN": (lambda: gh.least_squares(X, y, sample_weight=spoiled_vector(np.nan)), r"sample_weight holds NaN"),
    "weights are negative": (
        lambda: gh.least_squares(X, y, sample_weight=spoiled_vector(-1.0)),
        r"sample_weight has a negative entry",
    ),
    "weights are zero": (lambda: gh.least_squares(X, y, sample_weight=np.zeros(6)), r"sums to zero"),
    "weights are too few": (
        lambda: gh.least_squares(X, y, sample_weight=np.ones(5)),
        r"sample_weight has shape \(5,\) but X has 6 rows",
    ),
    # targets
    "labels 1 and 2": (lambda: gh.logistic(X, y + 3), r"labels \[2\.0, 4\.0\].*-1 and \+1, or 0 and 1"),
    "three labels": (lambda: gh.squared_hinge(X, np.arange(6) % 3), r"labels \[0\.0, 1\.0, 2\.0\]"),
    "many labels": (lambda: gh.logistic(X, np.arange(6)), r"and more"),
    "one class and an intercept": (
        lambda: gh.logistic(X, np.ones(6), intercept=True),
        r"one class only.*leave the intercept out",
    ),
    "one class, hinge": (lambda: gh.squared_hinge(X, np.ones(6), intercept=True), r"one class only"),
    "negative counts": (lambda: gh.poisson(X, y), r"negative entries.*counts"),
    "no counts and an intercept": (
        lambda: gh.poisson(X, np.zeros(6), intercept=True),
        r"All counts are zero.*Leave the intercept out",
    ),
    "negative likelihoods": (lambda: gh.log_likelihood(X), r"P has negative entries"),
    "rows without likelihood": (
        lambda: gh.log_likelihood(np.abs(X) * (np.arange(6) > 1)[:, None]),
        r"2 rows of P are zero.*Drop those rows",
    ),
    "sparse rows without likelihood": (
        lambda: gh.log_likelihood(csc_array(np.abs(X) * (np.arange(6) > 0)[:, None])),
        r"1 rows of P are zero",
    ),
    # parameters
    "delta 0": (lambda: gh.huber(X, y, delta=0.0), r"delta = 0\.0 was given; a positive number"),
    "p = 1": (lambda: gh.lp_loss(X, y, 1.0), r"p = 1\.0 was given; p > 1"),
    "p is NaN": (lambda: gh.lp_loss(X, y, np.nan), r"p = nan was given"),
    "smoothness -1": (lambda: gh.function(lambda w: 0.0, lambda w: w, 3, smoothness=-1.0), r"smoothness = -1\.0 was given"),
    "smoothness is a word": (
        lambda: gh.function(lambda w: 0.0, lambda w: w, 3, smoothness="a"),  # type: ignore[arg-type]
        r"smoothness = 'a' was given",
    ),
    **{f"delta {given!r}": (lambda given=given: gh.huber(X, y, given), r"delta = .* was given; a number is wanted")  # type: ignore[misc]
       for given in ("a", None, 1j, [1.0], np.ones(2))},
    "p is a word": (lambda: gh.lp_loss(X, y, "2"), r"p = '2' was given; a number"),  # type: ignore[arg-type]
    "q is nothing": (lambda: gh.quantile(X, y, None), r"q = None was given; a number"),  # type: ignore[arg-type]
    "epsilon is nothing": (lambda: gh.epsilon_insensitive(X, y, None), r"epsilon = None was given"),  # type: ignore[arg-type]
    **{f"shape {given!r}": (lambda given=given: gh.function(lambda w: 0.0, lambda w: w, given), r"shape = .* whole number")  # type: ignore[misc]
       for given in (3.0, "ab", -3, 0, (), (2, 0), None, True)},
    "rows of different lengths": (lambda: gh.least_squares([[1.0, 2.0], [3.0]], y), r"rows of different lengths"),
    "a complex operator": (lambda: gh.least_squares(aslinearoperator(1j * X), y), r"dtype complex128; real numbers"),
    "one radius": (lambda: gh.path(gh.least_squares(X, y), gh.L1Ball(3, 1.0), 3.0), r"radii=3\.0 was given"),  # type: ignore[arg-type]
    "radii in words": (lambda: gh.path(gh.least_squares(X, y), gh.L1Ball(3, 1.0), "ab"), r"radii='ab' was given"),  # type: ignore[arg-type]
    "no functions": (lambda: gh.function(1.0, 2.0, 3), r"value must be a function value"),  # type: ignore[arg-type]
    # quadratics
    "Q is not square": (lambda: gh.quadratic(X), r"Q has shape \(6, 3\).*square"),
    "Q is not symmetric": (
        lambda: gh.quadratic(np.triu(np.ones((3, 3))) + 5 * np.eye(3)),
        r"not symmetric.*\(Q \+ Q\.T\) / 2",
    ),
    "Q is negative": (lambda: gh.quadratic(-np.eye(3)), r"not positive semidefinite.*convex"),
    "Q is indefinite": (lambda: gh.quadratic(np.diag([1.0, 1.0, 1.0, -0.1])), r"not positive semidefinite.*convex"),
    "sparse Q is indefinite": (lambda: gh.quadratic(csc_array(np.diag([1.0, 1.0, 1.0, -0.1]))), r"not positive semidefinite"),
    "b is too long": (lambda: gh.quadratic(np.eye(3), np.ones(4)), r"b has shape \(4,\) but Q is 3x3"),
    "b has NaN": (lambda: gh.quadratic(np.eye(3), [1.0, np.nan, 0.0]), r"b holds NaN"),
    # sets
    "radius 0": (lambda: gh.L1Ball(3, 0.0), r"radius = 0\.0 was given; a positive"),
    "radius -1": (lambda: gh.L1Ball(3, -1.0), r"radius = -1\.0 was given"),
    "radius NaN": (lambda: gh.L1Ball(3, np.nan), r"radius = nan was given"),
    "radius inf": (lambda: gh.L1Ball(3, np.inf), r"radius = inf was given"),
    "radius is a word": (lambda: gh.L1Ball(3, "big"), r"radius = 'big' was given"),  # type: ignore[arg-type]
    "dimension 0": (lambda: gh.Simplex(0), r"dimension of 0 was given"),
    "dimension 2.5": (lambda: gh.Simplex(2.5), r"dimension of 2\.5 was given"),  # type: ignore[arg-type]
    "total -1": (lambda: gh.Simplex(3, -1.0), r"total = -1\.0 was given"),
    "l1 weights of 0": (lambda: gh.L1Ball(3, 1.0, weights=[1.0, 0.0, 1.0]), r"least entry 0; 3 positive"),
    "l1 weights too few": (lambda: gh.L1Ball(3, 1.0, weights=[1.0, 1.0]), r"\(2,\)|2 numbers|3 positive"),
    "no vertices": (lambda: gh.Vertices(np.zeros((0, 3))), r"shape \(0, 3\)"),
    "vertices with NaN": (lambda: gh.Vertices(spoiled(np.nan)), r"NaN"),
    "vertices in a row": (lambda: gh.Vertices(np.ones(3)), r"shape \(3,\)"),
    "a box upside down": (lambda: gh.Box([0.0, 1.0], [1.0, 0.0]), r"lower"),
    "a box of two sizes": (lambda: gh.Box([0.0, 1.0], [1.0, 2.0, 3.0]), r"\(2,\).*\(3,\)"),
    "a box without end": (lambda: gh.Box([0.0], [np.inf]), r"NaN or infinite"),
    "an l2 radius of -1": (lambda: gh.L2Ball(3, -1.0), r"radius = -1\.0 was given"),
    "an l2 centre elsewhere": (lambda: gh.L2Ball(3, 1.0, centre=[0.0, 0.0]), r"centre.*\(2,\)"),
    "an l_inf radius of 0": (lambda: gh.LinfBall(3, 0.0), r"radius = 0\.0 was given"),
    "a capped total of -1": (lambda: gh.CappedSimplex(3, -1.0), r"total = -1\.0 was given"),
    "an upper bound that leaves nothing": (lambda: gh.Simplex(3, upper=0.2), r"upper"),
    "an inexact oracle of -1": (lambda: gh.Inexact(gh.Simplex(3), -1.0), r"-1\.0"),
    "a cache of 0": (lambda: gh.Cached(gh.Simplex(3), size=0), r"size=0"),
    # the problem
    "f and S disagree": (
        lambda: gh.minimize(ok, gh.Simplex(4)),
        r"points of shape \(3,\).*atoms of shape \(4,\).*Simplex\(3, \.\.\.\)",
    ),
    "f and S disagree in certify": (lambda: gh.certify(ok, gh.Simplex(4), np.ones(4) / 4), r"Simplex\(3, \.\.\.\)"),
    "f is a function": (lambda: gh.minimize(lambda w: w @ w, gh.Simplex(3)), r"an objective.*is wanted"),
    "S is an array": (lambda: gh.minimize(ok, np.eye(3)), r"a set.*is wanted"),
    "f is a class": (lambda: gh.minimize(BlackBox, gh.Simplex(3)), r"f is the class BlackBox; an objective.*is wanted"),
    "S is a class": (lambda: gh.minimize(ok, gh.Simplex), r"S is the class Simplex; a set.*is wanted"),
    "S of a learner is a class": (lambda: gh.Online(gh.Simplex), r"S is the class Simplex; a set.*is wanted"),
    "f and S are swapped": (lambda: gh.minimize(gh.Simplex(3), ok), r"an objective.*is wanted"),
    # arguments of a solve
    "stop is a number": (lambda: gh.minimize(ok, gh.Simplex(3), stop=1e-6), r"stop=1e-06 was given.*Gap\(1e-6\)"),  # type: ignore[arg-type]
    "solver is a word": (lambda: gh.minimize(ok, gh.Simplex(3), "fw"), r"solver='fw' was given.*FrankWolfe\(\)"),
    "solver is a class": (
        lambda: gh.minimize(ok, gh.Simplex(3), gh.FrankWolfe),
        r"solver=.*FrankWolfe.*was given.*FrankWolfe\(\)",
    ),
    "solver inside another is a class": (
        lambda: gh.Aggregated(gh.FrankWolfe),
        r"solver must be .*FrankWolfe\(\); got .*FrankWolfe",
    ),
    "step is a number": (lambda: gh.minimize(ok, gh.Simplex(3), gh.FrankWolfe(step=0.1)), r"step.*0\.1.*Constant\(0\.1\)"),  # type: ignore[arg-type]
    "tolerance is a number": (
        lambda: gh.minimize(ok, gh.Simplex(3), gh.FrankWolfe(tolerance=0.1)),  # type: ignore[arg-type]
        r"tolerance.*0\.1.*constant\(0\.1\)",
    ),
    "start has another shape": (lambda: gh.minimize(ok, gh.Simplex(3), start=np.ones(4) / 4), r"start has shape \(4,\)"),
    "start is outside": (lambda: gh.minimize(ok, gh.Simplex(3), start=np.ones(3)), r"start lies outside"),
    "start has NaN": (lambda: gh.minimize(ok, gh.Simplex(3), start=np.full(3, np.nan)), r"start (lies outside|has NaN)"),
    "start is another set's atom": (lambda: gh.minimize(ok, gh.Simplex(3), start=Basis(0, -1.0)), r"lies outside Simplex"),
    "start is another set's point": (
        lambda: gh.minimize(ok, gh.Simplex(3), start=gh.minimize(ok, gh.L1Ball(3, 9.0)).point),
        r"lies outside Simplex",
    ),
    "start has no value": (
        lambda: gh.minimize(gh.log_likelihood(np.eye(3)), gh.Simplex(3), start=np.array([1.0, 0.0, 0.0])),
        r"is inf at the start.*finite value",
    ),
    "nothing to resume": (lambda: gh.minimize(ok, gh.Simplex(3), resume="/nowhere/at/all.npz"), r"no saved state at /nowhere"),
    "certify a point outside": (
        lambda: gh.certify(ok, gh.Simplex(3), np.ones(3)),
        r"outside Simplex\(3, total=1\).*larger tol",
    ),
    "certify another set's point": (
        lambda: gh.certify(ok, gh.Simplex(3), gh.minimize(ok, gh.L1Ball(3, 9.0)).point),
        r"outside Simplex",
    ),
    "certify another shape": (lambda: gh.certify(ok, gh.Simplex(3), np.ones(2)), r"point has shape \(2,\)"),
    "certify NaN": (lambda: gh.certify(ok, gh.Simplex(3), np.full(3, np.nan)), r"NaN"),
    # solvers, stops, steps, schedules
    "Corrective(batch=0)": (lambda: gh.Corrective(batch=0), r"batch and steps of Corrective must be .* got 0 and 5"),
    "Corrective(steps=0)": (lambda: gh.Corrective(steps=0), r"batch and steps of Corrective must be .* got 20 and 0"),
    "Jones with a search": (lambda: gh.Jones(gh.Short()), r"step of Jones must be .*OpenLoop.* got Short\(\)"),
    "Mixed of nothing": (lambda: gh.Mixed(solvers=()), r"solvers of Mixed must be .* got \(\)"),
    "Mixed by a word": (lambda: gh.Mixed(choose="best"), r"choose must be .* got 'best'"),  # type: ignore[arg-type]
    "Aggregated(every=0)": (lambda: gh.Aggregated(every=0), r"every must be .* got 0"),
    "Gap(-1)": (lambda: gh.Gap(-1.0), r"Gap\(-1\.0\) was given; a non-negative"),
    "Gap(NaN)": (lambda: gh.Gap(np.nan), r"Gap\(nan\)"),
    "Gap('a')": (lambda: gh.Gap("a"), r"Gap\('a'\) was given"),  # type: ignore[arg-type]
    "Relative(-1)": (lambda: gh.Relative(-0.1), r"Relative\(-0\.1\)"),
    "Iterations(-1)": (lambda: gh.Iterations(-1), r"Iterations\(-1\)"),
    "Iterations(2.5)": (lambda: gh.Iterations(2.5), r"Iterations\(2\.5\).*whole"),  # type: ignore[arg-type]
    "Seconds(-1)": (lambda: gh.Seconds(-1.0), r"Seconds\(-1\.0\)"),
    "Stalled(0)": (lambda: gh.Stalled(0), r"Stalled\(0\)"),
    "Callback(1)": (lambda: gh.Callback(1), r"Callback\(1\) was given; a function"),  # type: ignore[arg-type]
    "Gap | 5": (lambda: gh.Gap(1e-3) | 5, r"Gap\(absolute=0\.001\) and 5"),  # type: ignore[operator]
    "OpenLoop(0)": (lambda: gh.OpenLoop(0.0), r"ell must be .* got 0\.0"),
    "Constant(0)": (lambda: gh.Constant(0.0), r"eta must be .* got 0\.0"),
    "Constant(2)": (lambda: gh.Constant(2.0), r"eta must be in \(0, 1\]; got 2\.0"),
    "Power(2)": (lambda: gh.Power(2.0), r"Power\(2\.0\)"),
    "Backtracking(-1)": (lambda: gh.Backtracking(first=-1.0), r"first must be .* got -1\.0"),
    "Backtracking(relax=0)": (lambda: gh.Backtracking(relax=0.0), r"relax must be .* got 0\.0"),
    "constant(-1)": (lambda: gh.constant(-1.0), r"value must be .* got -1\.0"),
    "harmonic(-1)": (lambda: gh.harmonic(-1.0), r"scale must be .* got -1\.0"),
    "power(-1)": (lambda: gh.power(-1.0), r"p and scale must be .* got -1\.0"),
    "of_gap(1)": (lambda: gh.of_gap(1.0), r"fraction must be .* got 1\.0"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_input_is_refused_in_words(name: str) -> None:
    act, words = REFUSED[name]
    with pytest.raises(gh.GreedyhullError) as caught:
        act()
    said = str(caught.value)
    assert re.search(words, said, re.DOTALL), f"It said: {said}"


def test_a_greedyhull_error_is_a_value_error() -> None:
    assert issubclass(gh.GreedyhullError, ValueError)


# --- oracles and gradients that lie -------------------------------------------------------------------------------


class Lying(AtomSet):
    """A simplex whose oracle answers as it is told."""

    def __init__(self, answer: Callable[[Any, int], Answer]) -> None:
        self.shape, self.answer, self.calls = (3,), answer, 0

    def __repr__(self) -> str:
        return "Lying(3)"

    def argmin(self, g: Any) -> Basis:
        return Basis(int(g.argmin()), 1.0)

    def oracle(self, rng: Any) -> Any:
        S = self

        class Oracle(OracleBase):
            def argmin(self, g: Any, tol: float = 0.0, enough: float = -np.inf) -> Answer:
                S.calls += 1
                return S.answer(g, S.calls)

        return Oracle()

    def _holds(self, x: Any, tol: float) -> bool:
        return bool(x.min() >= -tol and abs(x.sum() - 1) <= tol)

    def max_abs(self, c: Any) -> float:
        return float(c.max())


target = gh.least_squares(np.eye(3), np.array([0.9, 0.3, -0.2]))


def solve(S: AtomSet, **how: Any) -> gh.Solution:
    return gh.minimize(target, S, gh.BlendedPairwise(), stop=gh.Iterations(20), **how)


def test_an_atom_outside_the_set_is_found_when_checked() -> None:
    S = Lying(lambda g, calls: Answer(Basis(int(g.argmin()), 1.0 if calls < 9 else 2.0), 0.0))
    with pytest.raises(gh.GreedyhullError, match=r"oracle of Lying\(3\) returned Basis\(.*scale=2\.0\).*outside the set"):
        solve(S, check=True)


def test_an_atom_outside_the_set_is_found_before_the_run_when_checked() -> None:
    S = Lying(lambda g, calls: Answer(Basis(int(g.argmin()), -1.0), 0.0))
    with pytest.raises(gh.GreedyhullError, match="outside the set"):
        solve(S, check=True)
    assert S.calls <= 6


def test_a_slack_that_is_too_small_is_found_when_checked() -> None:
    S = Lying(lambda g, calls: Answer(Basis(int(g.argmin() if calls < 9 else g.argmax()), 1.0), 1e-3))
    with pytest.raises(gh.GreedyhullError, match=r"slack 0\.001, but an atom of the current point scores"):
        solve(S, check=True)


def test_a_worst_atom_for_an_answer_is_found_before_the_run_when_checked() -> None:
    S = Lying(lambda g, calls: Answer(Basis(int(g.argmax()), 1.0), 0.0))
    with pytest.raises(gh.GreedyhullError, match="argmin is wrong, or its slack too small"):
        solve(S, check=True)
    assert S.calls <= 6


def test_a_grossly_wrong_atom_is_found_without_checking() -> None:
    S = Lying(lambda g, calls: Answer(Basis(int(g.argmin() if calls < 3 else g.argmax()), 1.0), 0.0))
    with pytest.raises(gh.GreedyhullError, match=r"worse than the point itself.*check=True"):
        solve(S)


def test_an_honest_slack_passes_the_check() -> None:
    S = Lying(lambda g, calls: Answer(Basis(int(np.argsort(g)[1]), 1.0), float(np.sort(g)[1] - g.min())))
    assert solve(S, check=True).certificate.gap is not None


def black_box(value: Any, gradient: Any) -> Any:
    return gh.function(value, gradient, 3)


WRONG = {
    "a factor of two": black_box(lambda w: 0.5 * w @ w, lambda w: 2 * w),
    "a sign": black_box(lambda w: 0.5 * w @ w, lambda w: -w),
    "one coordinate": black_box(lambda w: 0.5 * w @ w, lambda w: w * np.array([1.0, 1.0, 0.5])),
    "a term forgotten": black_box(lambda w: 0.5 * w @ w + w[0], lambda w: w),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_gradient_that_disagrees_with_the_value_is_found_when_checked(name: str) -> None:
    with pytest.raises(gh.GreedyhullError, match=r"gradient of function.*disagrees with its value.*rate between.*off by"):
        gh.minimize(WRONG[name], gh.Simplex(3), check=True)


def test_a_function_that_is_not_convex_is_found_when_checked() -> None:
    f = black_box(lambda w: -0.5 * w @ w, lambda w: -w)
    with pytest.raises(gh.GreedyhullError, match="not convex"):
        gh.minimize(f, gh.Simplex(3), check=True)


def test_right_problems_pass_the_check() -> None:
    P = np.random.default_rng(0).random((6, 3))
    for f in (ok, gh.logistic(X, y, intercept=True), gh.log_likelihood(P), gh.quadratic(np.eye(3)), gh.lp_loss(X, y, 1.5),
              gh.least_squares(X.astype(np.float32), y), gh.poisson(X, np.abs(y))):
        for S in (gh.Simplex(3), gh.L1Ball(3, 2.0)):
            if "log_likelihood" in repr(f) and isinstance(S, gh.L1Ball):
                continue
            solvers: list[Any] = [gh.FrankWolfe(), gh.BlendedPairwise(), gh.PairwiseJones(), gh.Mixed(), gh.Aggregated()]
            for solver in solvers if "p = 1.5" in repr(f) else [*solvers, gh.Jones()]:
                assert gh.minimize(f, S, solver, stop=gh.Iterations(15), check=True).iterations == 15


def test_a_gradient_of_another_shape_is_refused() -> None:
    f = gh.function(lambda w: 0.0, lambda w: np.zeros(4), 3)
    with pytest.raises(gh.GreedyhullError, match=r"gradient\(w\) returned shape \(4,\); the shape \(3,\)"):
        gh.minimize(f, gh.Simplex(3))


def test_a_value_that_is_no_number_is_refused() -> None:
    f = gh.function(lambda w: np.nan, lambda w: w, 3)
    with pytest.raises(gh.GreedyhullError, match=r"nan at the start"):
        gh.minimize(f, gh.Simplex(3))


def test_a_likelihood_that_no_start_can_make_positive_asks_for_a_start() -> None:
    with pytest.raises(gh.GreedyhullError, match="Give start="):
        gh.minimize(gh.log_likelihood(np.ones((2, 3))), gh.L1Ball(3, 1.0))


def test_a_quadratic_that_bends_down_is_caught_on_the_way() -> None:
    from scipy.sparse.linalg import aslinearoperator

    Q = (
        np.eye(40)
        - 0.999 * np.ones((40, 40)) / 40
        - 0.5 * np.outer(np.eye(40)[0] - np.eye(40)[1], np.eye(40)[0] - np.eye(40)[1])
    )
    Q[0, 0] = Q[1, 1] = 0.1
    with pytest.raises(gh.GreedyhullError, match=r"not positive semidefinite|bends down"):
        gh.minimize(gh.quadratic(aslinearoperator(Q), None), gh.Simplex(40), gh.BlendedPairwise())


def test_poisson_data_that_overflow_are_refused_in_words() -> None:
    with pytest.raises(gh.GreedyhullError, match=r"infinite at the centre|inf at the start"):
        gh.minimize(gh.poisson(1e4 * np.ones((3, 2)), np.ones(3)), gh.Simplex(2))


def test_a_saved_state_of_another_shape_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "state.npz"
    gh.minimize(ok, gh.Simplex(3), gh.FrankWolfe(), stop=gh.Iterations(5), checkpoint=path)
    with pytest.raises(gh.GreedyhullError, match=r"shape \(3,\).*Resume with a set"):
        gh.minimize(gh.least_squares(np.eye(4), np.ones(4)), gh.Simplex(4), gh.FrankWolfe(), resume=path)


def test_a_broken_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "state.npz"
    path.write_bytes(b"this is no state")
    with pytest.raises(gh.GreedyhullError, match=r"state\.npz.*cannot be read"):
        gh.minimize(ok, gh.Simplex(3), resume=path)
