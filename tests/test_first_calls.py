"""What a newcomer may call wrongly at first: each error is a sentence that says what was given, what is wanted, what to do."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import greedyhull as gh

rng = np.random.default_rng(0)
X, y = rng.standard_normal((40, 3)), rng.standard_normal(40)
f, S = gh.least_squares(X, y), gh.Simplex(3)


def spoiled() -> Any:
    bad = X.copy()
    bad[3, 1] = np.nan
    return bad


class Batch:
    def value(self, w: Any) -> float:
        return 0.0

    def gradient(self, w: Any) -> Any:
        return np.zeros(3)


def streamed(draw: Any) -> Any:
    return gh.minimize(gh.expectation(draw, 3), S, stop=gh.Iterations(5))


def solve(*args: Any, **named: Any) -> Any:
    return gh.minimize(*args, **named)


CALLS: dict[str, tuple[Callable[[], Any], str]] = {
    # data
    "y of another length": (lambda: gh.least_squares(X, y[:4]),
        r"y has shape \(4,\) but X has 40 rows; one entry for each row"),
    "y is nothing": (lambda: gh.least_squares(X, None), r"y = None was given but X has 40 rows; one number for each row"),
    "y is a number": (lambda: gh.least_squares(X, 1.0), r"y = 1\.0 was given but X has 40 rows"),
    "y is ragged": (lambda: gh.least_squares(X, [[1.0], [2.0, 3.0]]), r"y has rows of different lengths"),
    "y in words": (lambda: gh.logistic(X, ["yes", "no"] * 20), r"y has dtype <U3; numbers are wanted\. Encode its entries"),
    "X is a file name": (lambda: gh.least_squares("data.csv", y), r"X = 'data\.csv' was given; a matrix with one row"),
    "X is nothing": (lambda: gh.least_squares(None, y), r"X = None was given; a matrix"),
    "X and y are swapped": (lambda: gh.least_squares(y, X), r"X has shape \(40,\); a matrix with one row for each sample"),
    "X is transposed": (lambda: gh.least_squares(X.T, y), r"y has shape \(40,\) but X has 3 rows"),
    "X has NaN": (lambda: gh.least_squares(spoiled(), y), r"X holds NaN.*Impute or drop"),
    "Q is a word": (lambda: gh.quadratic("a"), r"Q = 'a' was given; a square matrix is wanted"),
    "Q is a number": (lambda: gh.quadratic(5.0), r"Q = 5\.0 was given; a square matrix"),
    "Q is nothing": (lambda: gh.quadratic(None), r"Q = None was given; a square matrix"),
    "Q is a vector": (lambda: gh.quadratic(y), r"Q has shape \(40,\); a square matrix is wanted"),
    "Q is an array of nothing": (lambda: gh.quadratic(np.array(3.0)), r"Q = array\(3\.\) was given; a square matrix"),
    "P is a vector": (lambda: gh.log_likelihood(y), r"P has shape \(40,\); a matrix with one row for each sample"),
    # functions
    "function of numbers": (lambda: gh.function(1.0, 2.0, 3),  # type: ignore[arg-type]
        r"value must be a function value\(w\); got 1\.0"),
    "gradient is a number": (lambda: gh.function(np.sum, 2.0, 3),  # type: ignore[arg-type]
        r"gradient must be a function gradient\(w\); got 2\.0"),
    "value of two": (lambda: gh.function(lambda w, i: 0.0, lambda w: w, 3),  # type: ignore[arg-type, misc]
        r"value must be a function value\(w\); got <lambda>\(w, i\)"),
    "terms of one": (lambda: gh.finite_sum(lambda w: 0.0, lambda w: w, 9, 3),  # type: ignore[arg-type, misc]
        r"value must be a function value\(w, index\); got <lambda>\(w\)"),
    "terms of numbers": (lambda: gh.finite_sum(1.0, 2.0, 9, 3),  # type: ignore[arg-type]
        r"value must be a function value\(w, index\); got 1\.0"),
    "half a term": (lambda: gh.finite_sum(max, max, 2.5, 3), r"n=2\.5 terms"),  # type: ignore[arg-type]
    "a Lipschitz constant in words": (lambda: gh.finite_sum(max, max, 2, 3, lipschitz="a"),  # type: ignore[arg-type]
        r"lipschitz must be positive.*got 'a'"),
    "draw is a number": (lambda: gh.expectation(3, 3),  # type: ignore[arg-type]
        r"draw must be a function draw\(size, rng\); got 3"),
    "draw of one": (lambda: gh.expectation(lambda size: Batch(), 3),  # type: ignore[arg-type, misc]
        r"draw must be a function draw\(size, rng\); got <lambda>\(size\)"),
    "a shape in words": (lambda: gh.expectation(lambda size, rng: Batch(), "a"),  # type: ignore[arg-type]
        r"shape = 'a' was given"),
    "a shape of 3.0": (lambda: gh.expectation(lambda size, rng: Batch(), 3.0),  # type: ignore[arg-type]
        r"shape = 3\.0 was given; a positive whole"),
    "draw's Lipschitz constant": (lambda: gh.expectation(max, 3, lipschitz="a"),  # type: ignore[arg-type]
        r"lipschitz must be positive.*got 'a'"),
    "draw gives an objective": (lambda: streamed(lambda size, rng: f),
        r"returned least_squares\(n=40, d=3\), an objective.*f\.batch"),
    "draw gives a quadratic": (lambda: streamed(lambda size, rng: gh.quadratic(np.eye(3))), r"quadratic\(d=3\), an objective"),
    "draw gives a function": (lambda: streamed(lambda size, rng: gh.function(np.sum, np.sign, 3)), r"function.*an objective"),
    "draw gives a class": (lambda: streamed(lambda size, rng: Batch), r"returned the class Batch; an object"),
    "draw gives data": (lambda: streamed(lambda size, rng: X), r"returned an array of shape .*; an object with value\(w\)"),
    # sets
    "a simplex of data": (lambda: gh.Simplex(X),  # type: ignore[arg-type]
        r"^A dimension of an array of shape \(40, 3\).*such as 3, the number of columns"),
    "a ball of data": (lambda: gh.L1Ball(X, 1.0),  # type: ignore[arg-type]
        r"^A dimension of an array of shape \(40, 3\) was given"),
    "a simplex of a shape": (lambda: gh.Simplex(X.shape),  # type: ignore[arg-type]
        r"A dimension of \(40, 3\) was given; a whole number"),
    "a radius in words": (lambda: gh.L1Ball(3, "1"),  # type: ignore[arg-type]
        r"radius = '1' was given; a positive finite number"),
    "no radius": (lambda: gh.L1Ball(3, None), r"radius = None was given"),  # type: ignore[arg-type]
    "a negative radius": (lambda: gh.L2Ball(3, -1.0), r"radius = -1\.0 was given"),
    "radii": (lambda: gh.L1Ball(3, y), r"radius = an array of shape \(40,\) was given"),  # type: ignore[arg-type]
    "ragged vertices": (lambda: gh.Vertices([[1.0, 2.0], [3.0]]),
        r"matrix = \[\[1\.0, 2\.0\], \[3\.0\]\].*rows of equal length"),
    "masked vertices": (lambda: gh.Vertices(np.ma.array(np.eye(3), mask=np.eye(3))), r"matrix has masked or complex entries"),
    "a box of numbers": (lambda: gh.Box(0, 1), r"have no coordinates\. Give an array for one of them"),
    "a cache of data": (lambda: gh.Cached(X),  # type: ignore[arg-type]
        r"^Cached was given an array of shape \(40, 3\); a set of atoms such as"),
    "a cache of a class": (lambda: gh.Cached(gh.Simplex),  # type: ignore[arg-type]
        r"^Cached was given the class Simplex; a set"),
    "an oracle turned round": (lambda: gh.oracle(3, np.sign),  # type: ignore[arg-type]
        r"oracle\(3, .*was given; a function fn\(g\).* first, then the"),
    "an oracle of two": (lambda: gh.oracle(lambda g, h: g, 3),  # type: ignore[arg-type, misc]
        r"oracle\(<lambda>\(g, h\)\) was given.*one array"),
    "an oracle that says nothing": (lambda: solve(f, gh.oracle(lambda g: None, 3)),
        r"fn\(g\) returned None; an array of shape \(3,\)"),
    "an oracle that says where": (lambda: solve(f, gh.oracle(lambda g: int(g.argmin()), 3)), r"fn\(g\) returned \d; an array"),
    "an oracle of np.argmin": (lambda: solve(f, gh.oracle(np.argmin, 3)), r"fn\(g\) returned .*; an array of shape"),
    "an oracle in words": (lambda: solve(f, gh.oracle(lambda g: "abc", 3)), r"fn\(g\) returned 'abc'; an array"),
    "an oracle of three": (lambda: solve(f, gh.oracle(lambda g: (g, 0.1, 2), 3)),
        r"fn\(g\) returned .*or a pair \(array, slack\)"),
    "slack first": (lambda: solve(f, gh.oracle(lambda g: (0.1, g), 3)), r"fn\(g\) returned .*or a pair \(array, slack\)"),
    "a negative slack": (lambda: solve(f, gh.oracle(lambda g: (g, -0.1), 3)), r"slack of -0\.1; a number of at least 0"),
    # the problem
    "f and S swapped": (lambda: solve(S, f),
        r"f is Simplex\(3, total=1\), which is a set; an objective is wanted.*minimize\(f, S\)"),
    "two sets": (lambda: gh.minimize(f, [S, gh.Box(np.zeros(3), 0.5)]),  # type: ignore[arg-type]
                 r"one set is wanted.*Simplex\(d, upper=.*oracle\(fn, d\)"),
    "two sets in a tuple": (lambda: gh.minimize(f, (S, S)), "one set is wanted"),  # type: ignore[arg-type]
    "certify swapped": (lambda: gh.certify(S, f, y[:3]), r"which is a set; an objective is wanted"),  # type: ignore[arg-type]
    "data in place of f": (lambda: solve(X, y), r"an array of shape \(40.*is wanted"),
    "data with a set": (lambda: solve(X, S),
        r"f is an array of shape \(40, 3\); an objective.*minimize\(least_squares\(X, y\), S\)"),
    "a matrix in place of S": (lambda: solve(f, np.eye(3).repeat(3, axis=0)),
        r"S is an array.*Vertices\(S\) is the convex hull"),
    "a class in place of S": (lambda: solve(f, gh.Simplex),
        r"S is the class Simplex; a set is wanted\. Make one: Simplex\(\.\.\.\)"),
    "least_squares without data": (lambda: solve(gh.least_squares, S),
        r"f is the function least_squares.*least_squares\(\.\.\.\)"),
    "a lambda": (lambda: solve(lambda w: w @ w, S),
        r"f is the function <lambda>; an objective.*function\(value, gradient, shape\)"),
    "no objective": (lambda: solve(None, S), r"f is None; an objective such as"),
    "no set": (lambda: solve(f, None), r"S is None; a set such as Simplex\(d\)"),
    "S in words": (lambda: solve(f, "simplex"), r"S is 'simplex'; a set such as Simplex\(d\)"),
    "S of another dimension": (lambda: solve(f, gh.L1Ball(4, 1.0)),
        r"points of shape \(3,\).*Build the set.*L1Ball\(3, \.\.\.\)"),
    "vertices of another": (lambda: solve(f, gh.Vertices(np.eye(4))), r"Give a set whose points have the shape \(3,\)\.$"),
    # how to solve it
    "stop is a number": (lambda: solve(f, S, stop=1e-6), r"stop=1e-06 was given.*Relative\(1e-06\).*Gap\(1e-06\)"),
    "stop is a whole number": (lambda: solve(f, S, stop=100), r"stop=100 was given.*Iterations\(100\)"),
    "stop in words": (lambda: solve(f, S, stop="1e-6"), r"stop='1e-6' was given; a stop such as Gap\(1e-6\)"),
    "stop is a class": (lambda: solve(f, S, stop=gh.Gap), r"stop=the class Gap was given.*Make one: Gap\(\.\.\.\)"),
    "stop is a list": (lambda: solve(f, S, stop=[gh.Gap(1.0), gh.Seconds(3)]), r"Gap\(absolute=1\.0\) \| Seconds\(t=3\)"),
    "stop is a function": (lambda: solve(f, S, stop=lambda event: True), r"the function <lambda> was given.*Callback\(fn\)"),
    "a number or a stop": (lambda: 1e-6 | gh.Seconds(3),  # type: ignore[operator]
        r"1e-06 and Seconds\(t=3\) were combined; stops such as"),
    "a stop and a number": (lambda: 1e-6 & gh.Seconds(3),  # type: ignore[operator]
        r"1e-06 and Seconds\(t=3\) were combined; stops such as"),
    "a callback of nothing": (lambda: gh.Callback(lambda: True),  # type: ignore[arg-type, misc]
        r"Callback\(<lambda>\(\)\) was given; a function of one event"),
    "solver in words": (lambda: solve(f, S, "Frank-Wolfe"),
        r"solver='Frank-Wolfe' was given; a solver such as FrankWolfe\(\)"),
    "solver misspelt": (lambda: solve(f, S, "blended_pairwsie"),
        r"a solver such as BlendedPairwise\(\) is wanted, not its name"),
    "solver is a class": (lambda: solve(f, S, gh.Jones), r"solver=the class Jones was given.*Make one: Jones\(\)"),
    "solver is a stop": (lambda: solve(f, S, gh.Gap(1e-6)), r"which is a stop\. Give it by name: stop=Gap\(absolute=1e-06\)"),
    "solver is a step": (lambda: solve(f, S, gh.Short()), r"which is a step rule.*FrankWolfe\(Short\(\)\)"),
    "solver is a start": (lambda: solve(f, S, np.ones(3) / 3), r"solver must be a solver such as FrankWolfe\(\); got array"),
    "seed in words": (lambda: solve(f, S, seed="a"), r"seed='a' was given; a whole number"),
    "seed is a generator": (lambda: solve(f, S, seed=np.random.default_rng(0)), r"seed=a Generator was given; a whole number"),
    "start of another shape": (lambda: solve(f, S, start=np.zeros(2)), r"start has shape \(2,\) but Simplex\(3"),
    "start outside": (lambda: solve(f, S, start=np.zeros(3)), r"start lies outside Simplex\(3.*or leave start out"),
    "start in words": (lambda: solve(f, S, start="a"), r"The point 'a' was given; an array of real numbers is wanted"),
    "start is a class": (lambda: solve(f, S, start=gh.Simplex), r"The point the class Simplex was given"),
    "watch is a number": (lambda: solve(f, S, watch=1), r"watch=1 was given; a function of an event, or a list of them"),
    "watch is nothing": (lambda: solve(f, S, watch=None), r"watch=None was given.*Leave watch out"),
    "watch of nothing": (lambda: solve(f, S, watch=lambda: None), r"watch=<lambda>\(\) was given; a function of one event"),
    "watch of two": (lambda: solve(f, S, watch=[print, lambda a, b: None]), r"watch=<lambda>\(a, b\) was given"),
    "checkpoint is a number": (lambda: solve(f, S, checkpoint=3), r"checkpoint=3 was given; the name of a file"),
    "tol in words": (lambda: gh.certify(f, S, np.ones(3) / 3, tol="a"),  # type: ignore[arg-type]
        r"tol='a' was given; a number of at least 0"),
    "tol is NaN": (lambda: gh.certify(f, S, np.ones(3) / 3, tol=np.nan), r"tol=nan was given"),
    "certify nothing": (lambda: gh.certify(f, S, None), r"The point None was given; an array of real numbers"),
    "f at an array": (lambda: f.value(np.ones(3)), r"least_squares.* was asked at array\(.*certify\(f, S, x\)"),  # type: ignore[arg-type]
    "its gradient at an array": (lambda: f.gradient(X), r"was asked at an array of shape \(40, 3\); a point of a hull"),  # type: ignore[arg-type]
    "a quadratic at an array": (lambda: gh.quadratic(np.eye(3)).value(y[:3]), r"quadratic\(d=3\) was asked at array"),  # type: ignore[arg-type]
    "a function at a solution": (lambda: gh.function(np.sum, np.sign, 3).value(gh.minimize(f, S)), r"such as solution\.point"),  # type: ignore[arg-type]
    "compare one": (lambda: gh.compare(f),  # type: ignore[arg-type]
        r"solutions must be a list of Solution; got least_squares"),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_first_error_is_a_sentence(name: str) -> None:
    call, words = CALLS[name]
    with pytest.raises(gh.GreedyhullError) as caught:
        call()
    said = str(caught.value)
    assert re.search(words, said), f"It said: {said}"
    assert "\n" not in said and len(said) < 400 and said.endswith(".") and " 0x" not in said


@pytest.mark.parametrize("call", [
    lambda: gh.least_squares(X.tolist(), y.tolist()), lambda: gh.least_squares(X, y[:, None]),
    lambda: gh.least_squares(X, y > 0), lambda: gh.logistic(X, y > 0), lambda: gh.quadratic([[2, 0, 0], [0, 2, 0], [0, 0, 2]]),
])
def test_what_is_meant_well_is_taken(call: Callable[[], Any]) -> None:
    assert gh.minimize(call(), gh.Simplex(3), start=[1 / 3] * 3, watch=[print][:0]).converged


def test_frames_are_data() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=list("abc"))
    assert gh.minimize(gh.least_squares(frame, pd.Series(y)), S).converged
    with pytest.raises(gh.GreedyhullError, match=r"X has dtype object; numbers are wanted\. Encode the columns first\."):
        gh.least_squares(frame.assign(c="x"), y)


@pytest.mark.parametrize("answer", [lambda g: np.eye(3)[g.argmin()], lambda g: (np.eye(3)[g.argmin()], 0.0),
                                    lambda g: [float(j == g.argmin()) for j in range(3)],
                                    lambda g: gh.Basis(int(g.argmin()), 1.0),
                                    lambda g: (gh.Basis(int(g.argmin()), 1.0), 1e-9)])
def test_oracles_answer_with_an_atom_or_with_an_atom_and_a_slack(answer: Callable[[Any], Any]) -> None:
    s = gh.minimize(f, gh.oracle(answer, 3, bound=1.0), stop=gh.Gap(1e-6))
    assert s.converged and s.value == pytest.approx(gh.minimize(f, S, stop=gh.Gap(1e-9)).value, abs=2e-6)
