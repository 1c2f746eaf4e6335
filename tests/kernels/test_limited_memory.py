"""L-BFGS: quadratics to many digits, valleys, and functions that are flat, infinite or at their minimum."""

import numpy as np

from greedyhull.kernels.matrix_models import MEMORY, Reached, _Moves, descend


def lowest(function, x, iterations=200, slow=0.0):
    x = np.asarray(x, dtype=float)
    return descend(function, Reached(x, *function(x)), iterations, 0.0, slow)


def test_a_quadratic_of_many_scales_is_solved():
    d = np.logspace(0, 3, 30)
    found = lowest(lambda x: (0.5 * float(d @ (x - 1.0) ** 2), d * (x - 1.0)), np.zeros(30))
    np.testing.assert_allclose(found.x, 1.0, atol=1e-4)


def test_a_bent_valley_is_followed():
    def rosenbrock(x):
        a, b = x
        return (1 - a) ** 2 + 100 * (b - a * a) ** 2, np.array([-2 * (1 - a) - 400 * a * (b - a * a), 200 * (b - a * a)])

    np.testing.assert_allclose(lowest(rosenbrock, [-1.2, 1.0]).x, [1.0, 1.0], atol=1e-6)


def test_steps_are_those_of_the_two_loops():
    """−Hg with H from its recursion, written out as a matrix."""
    rng, n = np.random.default_rng(0), 12
    Q = rng.standard_normal((n, n))
    Q, g, kept = Q @ Q.T + np.eye(n), rng.standard_normal(n), []
    moves = _Moves()
    for _ in range(11):  # more than are kept
        s = rng.uniform(0.01, 0.1) * moves.step(g)
        g = g + Q @ s
        moves.add(s, Q @ s)
        kept = [*kept, (s, Q @ s)][-MEMORY:]
    s, y = kept[-1]
    H = np.eye(n) * (s @ y) / (y @ y)
    for s, y in kept:
        E = np.eye(n) - np.outer(s, y) / (s @ y)
        H = E @ H @ E.T + np.outer(s, s) / (s @ y)
    np.testing.assert_allclose(moves.step(g), -H @ g, rtol=1e-6)


def test_single_precision_stays_single():
    d = np.logspace(0, 2, 10, dtype=np.float32)
    seen = []

    def function(x):
        seen.append(x.dtype)
        return 0.5 * float(d @ (x - 1) ** 2), d * (x - 1)

    x = np.zeros(10, dtype=np.float32)
    found = descend(function, Reached(x, *function(x)), 100, 0.0, 0.0)
    assert set(seen) == {np.dtype(np.float32)} and found.x.dtype == np.float32
    np.testing.assert_allclose(found.x, 1.0, atol=1e-3)


def test_it_ends_where_nothing_falls():
    assert lowest(lambda x: (1.0, np.zeros(2)), [1.0, 2.0]).value == 1.0
    assert lowest(lambda x: (float(x @ x), 2.0 * x), [0.0, 0.0]).value == 0.0
    liar = lowest(lambda x: (float(x @ x), -2.0 * x), [1.0, 0.0])  # a gradient that points downhill
    assert liar.value == 1.0


def test_where_f_is_infinite_steps_become_shorter():
    def barrier(x):
        return (float(x[0] - np.log(x[0])), np.array([1.0 - 1.0 / x[0]])) if x[0] > 0.0 else (np.inf, np.array([np.nan]))

    np.testing.assert_allclose(lowest(barrier, [5.0]).x, 1.0, atol=1e-5)


def test_a_slow_descent_ends():
    calls = []

    def bowl(x):
        calls.append(1)
        return float(np.logspace(0, 4, 50) @ (x * x)), 2.0 * np.logspace(0, 4, 50) * x

    lowest(bowl, np.ones(50), slow=0.05)
    assert len(calls) < 20


def test_slopes_go_on_where_values_are_all_the_same():
    """Beside 1, half the square of anything below 1e-8 is nothing; gradients still know it."""
    d = np.logspace(0, 1, 20)

    def function(x):
        return 1.0 + 0.5 * float(d @ (x - 1.0) ** 2), d * (x - 1.0)

    x = np.zeros(20)
    found = descend(function, Reached(x, *function(x)), 300, 1e-14, 1e-6, 1e-12)
    assert np.linalg.norm(found.slope) < 1e-10 and found.value <= 1.0 + 1e-14
