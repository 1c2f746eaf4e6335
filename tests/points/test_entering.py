"""Answers of oracles are brought into one form where they enter, and wrong ones are refused in words."""

import numpy as np
import pytest
import scipy.sparse as sp

import greedyhull as gh
from greedyhull.atoms.base import OracleBase
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import Basis, Dense, DenseBlock, Sparse, SparseBlock, dense
from greedyhull.points.validate import as_answer, as_atom, as_floor, as_shortlist
from greedyhull.types import Answer, Floor, Shortlist

X = np.random.default_rng(2).standard_normal((40, 8))
y = 2 * np.random.default_rng(3).standard_normal(40)


@pytest.mark.parametrize("given", [np.array([[1.0, -0.0], [0.0, 2.0]]), [[1, 0], [0, 2]], sp.csr_array([[1.0, 0], [0, 2.0]]),
                                   Dense(np.array([[1, 0], [0, 2]])), Sparse([3, 0], [2.0, 1.0]),
                                   Sparse(np.array([0, 3, 3, 1], np.int32), np.array([1, 1.5, 0.5, -0.0], np.float32))],
                         ids=repr)
def test_all_forms_of_one_atom_are_that_atom(given):
    d = as_atom(given, (2, 2))
    assert np.array_equal(dense(d, (2, 2)), [[1.0, 0.0], [0.0, 2.0]]) and d.dot(np.arange(4.0).reshape(2, 2)) == 6.0
    block = d.block(4)
    assert block[0].key == block.keys[0] == block.key_of(d)
    assert block.dots(np.arange(4.0).reshape(2, 2)).tolist() == [6.0]


@pytest.mark.parametrize("given, words", [
    (np.array([1.0, np.nan]), "NaN"), (np.ones(3), "shape"), ("left", "str"), (None, "shape"), (Basis(2, 1.0), "index"),
    (Basis(-1, 1.0), "index"), (Basis(0, np.inf), "finite"), (Sparse([0, 5], [1.0, 1.0]), "places"),
    (Sparse([0], [1.0, 2.0]), "as many"), (Sparse([0], [np.nan]), "finite"), (Dense(np.ones((2, 2))), "shape"),
    ((np.ones(2), 0.1), "tuple"), ({"a": 1}, "dict")])
def test_what_is_no_atom_is_refused(given, words):
    with pytest.raises(gh.GreedyhullError, match=words):
        as_atom(given, (2,))


def test_an_array_is_copied():
    buffer = np.ones(2)
    d = as_atom(buffer, (2,))
    buffer[:] = 5.0
    assert dense(d, 2).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("slack", [-1e-9, np.nan])
def test_a_slack_is_a_number_of_at_least_zero(slack):
    with pytest.raises(gh.GreedyhullError, match="slack"):
        as_answer(Answer(Basis(0, 1.0), slack), (2,))
    with pytest.raises(gh.GreedyhullError, match="slack"):
        as_shortlist(Shortlist(Basis(0, 1.0).block(2), slack), gh.Simplex(2))


class Listing(gh.AtomSet):
    """Its best atoms come as whatever it was given."""

    shape = (8,)

    def __init__(self, given):
        self.given = given

    def __repr__(self):
        return "Listing()"

    def argmin(self, g):
        return Basis(int(g.argmin()), 1.0)

    def best(self, g, m):
        return self.given

    def contains(self, w, tol=1e-9):
        return True


@pytest.mark.parametrize("given, words", [([Basis(0, 1.0)], "a list"), (np.ones((3, 8)), "a ndarray"), (None, "None"),
                                          (Basis(0, 1.0), "a Basis"), (DenseBlock(np.ones((0, 8)), (8,)), "no atoms")])
def test_best_atoms_that_are_no_block_are_refused_in_the_name_of_the_set(given, words):
    for S in (Listing(given), gh.Cached(Listing(given)), gh.Inexact(Listing(given), 0.1)):
        with pytest.raises(gh.GreedyhullError, match=rf"best\(g, m\) of Listing\(\) returned {words}; a block"):
            gh.minimize(gh.least_squares(X, y), S, gh.Corrective())
    for answer in (given, Shortlist(given)):
        with pytest.raises(gh.GreedyhullError, match=r"Listing\(\) returned .* is wanted"):
            as_shortlist(answer, Listing(given))


class Perhaps(gh.AtomSet):
    """Its oracle is right with some probability that it does not tell."""

    shape = (8,)

    def argmin(self, g):
        return Basis(int(g.argmin()), 1.0)

    def oracle(self, rng):
        return Doubtful(super().oracle(rng))


class Doubtful(OracleBase):
    def __init__(self, inner):
        self.inner = inner

    def argmin(self, g, tol=0.0, enough=-np.inf):
        return Answer(self.inner.argmin(g).atom, 0.0, "probability")

    def best(self, g, m=1, *, tol=0.0, enough=-np.inf):
        return self.inner.best(g, m)._replace(kind="probability")


@pytest.mark.parametrize("solver", [gh.FrankWolfe(), gh.BlendedPairwise(), gh.Corrective(), gh.Jones(), gh.PairwiseJones()],
                         ids=repr)
def test_answers_that_may_fail_make_estimates(solver):
    s = gh.minimize(gh.least_squares(X, y), Perhaps(), solver, stop=gh.Iterations(5))
    assert s.certificate.kind == "estimate" and s.gap is None
    assert gh.certify(gh.least_squares(X, y), Perhaps(), s.point).kind == "estimate"


D = Basis(0, 1.0)


@pytest.mark.parametrize("given, answer", [
    (D, Answer(D)), ((D, 0.5), Answer(D, 0.5)), ((D, np.float32(0.5)), Answer(D, 0.5)), ((D, 0), Answer(D)),
    (Answer(D, 0.5, "probability"), Answer(D, 0.5, "estimate")),
    (Answer(D, 0.5, "probability", 1), Answer(D, 0.5, "estimate")),
    (Answer(D, 0.5, "probability", 0.25), Answer(D, 0.5, "probability", 0.25)),
    (Answer(D, 0.5, "always", 0.25), Answer(D, 0.5, "probability", 0.25)),
    (Answer(D, np.inf, "probability", 0.25), Answer(D, np.inf)), (Answer(D, np.inf, "estimate"), Answer(D, np.inf)),
    (Answer(D, 0.5, "expectation", 0.25), Answer(D, 0.5, "expectation"))], ids=repr)
def test_what_an_answer_promises(given, answer):
    """Where it is not known how likely it is to fail, an estimate; where it says nothing, nothing that could fail."""
    assert as_answer(given, (2,)) == answer and type(as_answer(given, (2,)).slack) is float
    if isinstance(given, Answer):
        floor = Floor(-given.slack, given.kind, given.delta)
        assert as_floor(floor, gh.Simplex(2)) == Floor(-answer.slack, answer.kind, answer.delta)


@pytest.mark.parametrize("given", [(D,), (D, 0.0, "always"), (D, 0.0, "always", 0.0, 1)], ids=len)
def test_tuples_that_are_no_pair_are_refused(given):
    with pytest.raises(gh.GreedyhullError, match="tuple of"):
        as_answer(given, (2,))


# --- signed zeros ----------------------------------------------------------------------------------------------------

def corners(rng):
    rows = rng.integers(-1, 2, (12, 8)) * rng.random(8)
    return np.where(rng.random((12, 8)) < 0.5, -1.0, 1.0) * 0.0 + rows


class Signed(gh.AtomSet):
    """A user's vertex set whose answers carry negative zeros, now and then in other shapes."""

    def __init__(self, rows, shapes):
        self.rows, self.shape, self.shapes, self.calls = rows, (rows.shape[1],), shapes, 0

    def argmin(self, g):
        row = self.rows[int((self.rows @ g).argmin())]
        self.calls += 1
        flipped = np.where(row == 0.0, (-1.0) ** self.calls * 0.0, row)
        kind = self.shapes[self.calls % len(self.shapes)]
        if kind == "sparse":
            places = np.flatnonzero(row)
            return Sparse(places, row[places]) if len(places) else Dense(flipped)
        return Dense(flipped) if kind == "dense" else -1.0 * (-1.0 * flipped)


@pytest.mark.parametrize("shapes", [["dense"], ["array"], ["sparse"], ["dense", "array"], ["sparse", "array"]], ids=repr)
@pytest.mark.parametrize("solver", [gh.BlendedPairwise(), gh.PairwiseJones(), gh.Corrective(), gh.Jones(), gh.FrankWolfe(),
                                    gh.Mixed()], ids=repr)
def test_signed_zeros_leave_no_trace(shapes, solver):
    for seed in range(6):
        rows = corners(np.random.default_rng(seed))
        f = gh.least_squares(X, y)
        s = gh.minimize(f, Signed(rows, shapes), solver, stop=gh.Gap(1e-7) | gh.Iterations(400))
        best = gh.minimize(f, gh.Vertices(rows + 0.0), stop=gh.Gap(1e-10)).value
        assert best - 1e-9 <= s.value <= best + s.gap
        assert gh.Vertices(rows).contains(s.point.array())


@pytest.mark.parametrize("zeros", [0.0, -0.0])
def test_flat_sides_of_boxes_may_have_either_sign(zeros):
    c = np.full(8, 0.2)
    c[[1, 5]] = zeros
    f, S = gh.least_squares(X, y), gh.Box(-c, c)
    best = gh.minimize(f, S, gh.Corrective(), stop=gh.Gap(1e-9))
    for solver in (gh.BlendedPairwise(), gh.PairwiseJones()):
        s = gh.minimize(f, S, solver, stop=gh.Gap(1e-7))
        assert abs(s.value - best.value) <= 1e-7 and s.point.weights.min() > 0.0 and S.contains(s.point)


def test_blocks_know_their_atoms_by_value():
    a, b = np.array([0.0, 1.0]), np.array([-0.0, 1.0])
    assert Dense(a).key == Dense(b).key and Dense(b.astype(np.float32)).key == Dense(a).key
    for block in (DenseBlock(np.stack([b, -a]), (2,)), Dense(b).block(2), Basis(0, 2.0).block(2).append(Dense(b)),
                  SparseBlock(2, [Sparse(np.array([0, 1], np.int32), np.array([1.0, 1.0]))]).append(Dense(b))):
        assert [block[i].key for i in range(len(block))] == list(block.keys)
    assert Sparse(np.array([0, 1], np.int32), np.ones(2)).key == Sparse(np.array([0, 1]), np.ones(2, np.float32)).key


# --- counts ----------------------------------------------------------------------------------------------------------

class Counting(gh.AtomSet):
    def __init__(self, d):
        self.shape, self.calls = (d,), 0

    def argmin(self, g):
        self.calls += 1
        return -np.sign(g)


@pytest.mark.parametrize("d", [5, 4096, 5000])
@pytest.mark.parametrize("solver", [gh.FrankWolfe(), gh.BlendedPairwise(), gh.Corrective(), gh.PairwiseJones()], ids=repr)
def test_every_call_of_a_users_oracle_is_in_the_trace(d, solver):
    rng, S = np.random.default_rng(0), Counting(d)
    s = gh.minimize(gh.least_squares(rng.standard_normal((5, d)), rng.standard_normal(5)), S, solver, stop=gh.Iterations(6))
    assert S.calls == s.trace.oracle_calls[-1] <= s.iterations + 3


def test_black_boxes_too():
    S, b = Counting(300), np.linspace(-2, 2, 300)
    s = gh.minimize(gh.function(lambda w: 0.5 * float((w - b) @ (w - b)), lambda w: w - b, 300), S, stop=gh.Iterations(6))
    assert S.calls == s.trace.oracle_calls[-1] <= s.iterations + 3


def test_a_set_without_a_bound_says_that_rounding_is_estimated():
    f = gh.least_squares(X, y)
    s = gh.minimize(f, Counting(8), stop=gh.Gap(1e-9))
    assert s.certificate.rounding == "estimated" and s.gap is not None and "estimated" in str(s.certificate)
    proved = gh.minimize(f, gh.oracle(lambda g: -np.sign(g), 8, bound=1.0), stop=gh.Gap(1e-9))
    assert proved.certificate.rounding == "proved" and proved.value == pytest.approx(s.value)
    assert gh.minimize(f, gh.LinfBall(8, 1.0), stop=gh.Gap(1e-9)).certificate.rounding == "proved"


def test_the_estimate_follows_the_largest_atom():
    S = Counting(3)
    S.atom(np.ones(3))
    c = np.array([1.0, 2.0, 3.0])
    assert S.max_abs(c) >= 6.0 and not S.sized and S.calls == 1
    S.bound = 1.0
    assert S.max_abs(c) == 6.0 and S.sized


# --- sets that are functions -----------------------------------------------------------------------------------------

def test_a_function_may_answer_with_a_slack():
    f = gh.least_squares(np.eye(3), np.array([0.5, 2.0, -3.0]))
    s = gh.minimize(f, gh.oracle(lambda g: (-np.sign(g), 0.25), 3, bound=1.0), stop=gh.Iterations(50))
    assert 0.25 <= s.gap <= 0.3 and s.value == pytest.approx(2.5 / 3, abs=1e-6)
    for wrong in (lambda g: (-np.sign(g), -1.0), lambda g: (-np.sign(g), "much"), lambda g: (-np.sign(g), np.nan)):
        with pytest.raises(gh.GreedyhullError, match="slack"):
            gh.minimize(f, gh.oracle(wrong, 3), stop=gh.Iterations(5))


@pytest.mark.parametrize("bound", [0.0, -1.0, np.nan, "a"])
def test_bounds_are_positive_numbers(bound):
    with pytest.raises(gh.GreedyhullError, match="bound"):
        gh.oracle(lambda g: g, 3, bound=bound)
    with pytest.raises(gh.GreedyhullError, match="function"):
        gh.oracle(np.ones(3), 3)


def test_matrix_shapes():
    B = np.arange(6.0).reshape(3, 2) / 4
    f = gh.function(lambda w: 0.5 * float(((w - B) ** 2).sum()), lambda w: w - B, (3, 2))

    def best(g):
        j = int(np.abs(g).argmax())
        return Sparse(np.array([j]), np.array([-np.sign(g.flat[j])]))

    def basis(g):
        d = best(g)
        return Basis(int(d.places[0]), float(d.entries[0]))

    for fn in (best, basis, lambda g: dense(best(g), (3, 2))):
        s = gh.minimize(f, gh.oracle(fn, (3, 2), bound=1.0), stop=gh.Gap(1e-8))
        assert s.converged and np.abs(s.point.array()).sum() <= 1.0 + 1e-9
        assert np.asarray(s.point).shape == (3, 2) and gh.certify(f, gh.oracle(fn, (3, 2), bound=1.0), s.point).gap <= 1e-7


def test_atoms_that_are_equal_have_one_name_whatever_the_sign_of_their_zeros():
    plus, minus = gh.Dense(np.array([0.0, 1.0, 0.0])), gh.Dense(np.array([-0.0, 1.0, -0.0]))
    assert plus.key == minus.key == gh.Dense(np.array([0.0, 1.0, -0.0], dtype=np.float32)).key
    w = Iterate.at(minus, (3,))
    w.move(w.toward(plus), 0.5)
    assert len(w) == 1 and w.weights.tolist() == [1.0] and w.find(plus) == w.find(minus) == 0
    assert minus.block(3)[0].key == minus.block(3).keys[0]


def test_an_argmin_that_forgets_to_return_is_told():
    class Forgetful(gh.AtomSet):
        shape = (3,)

        def argmin(self, g):
            np.eye(3)[int(g.argmin())]

    with pytest.raises(gh.GreedyhullError, match="returned None"):
        gh.minimize(gh.quadratic(np.eye(3)), Forgetful())
