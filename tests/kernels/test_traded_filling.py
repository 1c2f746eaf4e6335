"""The best weights that trade little: prices and bounds. tests/atoms/test_turnover_simplex.py compares them with programs."""

from fractions import Fraction

import numpy as np

from greedyhull.kernels.turnover_qp import Pieces, traded_levels, traded_vertex


def test_the_bound_of_the_price_is_met():
    rng = np.random.default_rng(0)
    for _ in range(200):
        d = int(rng.integers(1, 60))
        of, high = rng.integers(0, 4, d), rng.uniform(1.2 / d, 3.0 / d, d)
        p = rng.uniform(0.0, 1.0, d) * high
        pieces = Pieces.of(p, high, of, np.bincount(of, p, 4) + 0.1, float(p.sum()), float(rng.uniform(0.0, 0.5)))
        g = rng.standard_normal(d)
        found = traded_vertex(g, pieces)
        assert abs(found.x.sum() - pieces.total) <= 1e-13 and pieces.traded(found.x) <= pieces.most + 1e-13
        assert found.lower <= g @ found.x <= found.lower + 1e-12
        nu, level = traded_levels(g, found.price, pieces)
        r = g - level[of]
        assert (np.abs(found.x - p)[np.abs(r) < found.price - 1e-12] <= 1e-12).all() and (level <= nu).all()


def test_a_limit_that_does_not_bind_has_no_price():
    pieces = Pieces.of(np.full(2, 0.5), np.ones(2), np.zeros(2, dtype=np.intp), np.ones(1), 1.0, 2.0)
    found = traded_vertex(np.array([1.0, 3.0]), pieces)
    assert found.price == 0.0 and found.x.tolist() == [1.0, 0.0]


def exact_bound(g, price, pieces):
    """The least of ⟨g, x⟩ + price·(Σ|xⱼ − pⱼ| − most) in exact arithmetic: pieces filled in the order of their costs."""
    d, price = len(g), Fraction(price)
    left, room = Fraction(pieces.total), [Fraction(float(r)) for r in pieces.room]
    costs = [Fraction(float(c)) - price for c in g] + [Fraction(float(c)) + price for c in g]
    value = price * (sum(Fraction(float(q)) for q in pieces.p) - Fraction(pieces.most))
    for j in sorted(range(2 * d), key=costs.__getitem__):
        take = min(Fraction(float(pieces.ends[j])), room[pieces.groups[j]], left)
        left, room[pieces.groups[j]], value = left - take, room[pieces.groups[j]] - take, value + take * costs[j]
    assert left == 0
    return value


def test_no_bound_is_above_the_minimum_to_the_last_digit():
    rng = np.random.default_rng(4)
    for trial in range(300):
        d = int(rng.integers(1, 12))
        of, high = rng.integers(0, 3, d), rng.random(d)
        p = rng.random(d) * high
        most = float(rng.uniform(0.0, 0.5))
        pieces = Pieces.of(p, high, of, np.bincount(of, p, 3) + 0.1, float(p.sum() * (1.0 - 1e-9)), most)
        g = rng.standard_normal(d) * 10.0 ** rng.integers(-3, 3, d if trial % 2 else 1) + (100.0 if trial % 3 == 0 else 0.0)
        found = traded_vertex(g, pieces)
        assert Fraction(found.lower) <= exact_bound(g, found.price, pieces)
