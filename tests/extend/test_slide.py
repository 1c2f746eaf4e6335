"""Atoms with a parameter: unit vectors at an angle. The set moves the angles of a point's atoms, and f only ever falls."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import minimize

import greedyhull as gh
from greedyhull.extend import AtomSet, Dense, DenseBlock, GreedyhullError, Iterate, Sizes, check_atoms

X = np.array([[2.0, 0.3], [0.3, 1.0], [0.5, -0.4]])
INSIDE = gh.least_squares(X, X @ np.array([0.55, 0.1]))  # its minimum is a point of the hull, of two atoms
EDGE = gh.least_squares(X, X @ np.array([0.2, 1.4]))
BOX = gh.function(lambda w: float(np.log(np.cosh(3.0 * w - 1.0)).sum()), lambda w: 3.0 * np.tanh(3.0 * w - 1.0), 2,
                  hessian_product=lambda w, v: 9.0 / np.cosh(3.0 * w - 1.0) ** 2 * v)
SOLVERS = [gh.FrankWolfe(), gh.BlendedPairwise(), gh.Corrective(batch=1)]
named = pytest.mark.parametrize("solver", SOLVERS, ids=lambda s: type(s).__name__)


def at(angles):
    return np.stack([np.cos(angles), np.sin(angles)], axis=-1)


class Arc(AtomSet):
    """The hull of (cos t, sin t) for |t| ≤ half: argmin in closed form."""

    shape = (2,)

    def __init__(self, half=2.0, radius=1.0):
        self.half, self.radius = half, radius

    def __repr__(self):
        return f"{type(self).__name__}({self.half}, {self.radius})"

    def argmin(self, g):
        ends = at(np.array([self.half, -self.half]))
        best = at(np.arctan2(-g[1], -g[0])) if abs(np.arctan2(-g[1], -g[0])) <= self.half else ends[(ends @ g).argmin()]
        return Dense(self.radius * best)

    def max_abs(self, c):
        return self.radius * float(np.linalg.norm(c))

    def sizes(self):
        return Sizes.of(2.0 * self.radius, self.radius, "upper bound")

    def _holds(self, x, tol):
        chord = self.radius * np.cos(self.half)
        return np.hypot(*x) <= self.radius * (1.0 + tol) and x[0] >= chord - tol * self.radius

    def minimum(self, g):
        t = np.linspace(-self.half, self.half, 100001)
        return float(self.radius * (at(t) @ g).min())


class Sliding(Arc):
    """The same; angles follow the gradient, as far as f falls."""

    def slide(self, f, w):
        angles = np.arctan2(*w.block.matrix.T[::-1])
        g = f.gradient(w)
        slopes = self.radius * (at(angles + np.pi / 2) @ g)  # of f along each angle
        step, here = 1.0 / self.radius**2, f.value(w)
        for _ in range(12):
            turned = np.clip(angles - step * slopes, -self.half, self.half)
            point = Iterate(DenseBlock(self.radius * at(turned), (2,)), w.weights, (2,))
            if f.value(point) < here:
                return point
            step /= 3.0
        return None


def test_the_kit_accepts_it():
    check_atoms(Sliding(), minimum=Sliding().minimum)
    assert Sliding().traits.slides and not Arc().traits.slides and gh.Inexact(Sliding(), 0.1).traits.slides
    assert not gh.Simplex(2).traits.slides and gh.Simplex(2).slide(INSIDE, gh.Simplex(2).centre()) is None


@named
@pytest.mark.parametrize("f", [INSIDE, EDGE, BOX], ids=["inside", "edge", "function"])
def test_certificates_are_true(f, solver):
    """Against all atoms of a fine grid, solved to many digits."""
    s = gh.minimize(f, Sliding(), solver, stop=gh.Gap(1e-7) | gh.Iterations(100), check=True)
    grid = gh.Vertices(at(np.linspace(-2.0, 2.0, 4001)))
    best = gh.minimize(f, grid, gh.BlendedPairwise(), stop=gh.Gap(1e-12) | gh.Iterations(3000))
    assert s.certificate.kind == "always" and s.certificate.lower <= best.value and s.value - best.value <= s.gap
    assert gh.certify(f, Arc(), s.point).gap <= s.gap * (1 + 1e-6) + 1e-9 and Arc().contains(s.point)


class Moments(AtomSet):
    """The hull of a(t) = (cos t, sin t, cos 2t, sin 2t): ⟨g, a(t)⟩ is least where its slope, a polynomial in e^it, is 0."""

    shape = (4,)

    def __repr__(self):
        return f"{type(self).__name__}()"

    def argmin(self, g):
        c = np.array([g[2] + 1j * g[3], 0.5 * (g[0] + 1j * g[1]), 0.0, -0.5 * (g[0] - 1j * g[1]), -(g[2] - 1j * g[3])])
        angles = np.append(np.angle(np.roots(c.conj())), 0.0) if c.any() else np.zeros(1)
        atoms = self.at(angles)
        return Dense(atoms[(atoms @ g).argmin()])

    @staticmethod
    def at(t):
        return np.stack([np.cos(t), np.sin(t), np.cos(2 * t), np.sin(2 * t)], axis=-1)

    def _holds(self, x, tol):
        """Points are those with a positive semidefinite Toeplitz matrix (Carathéodory)."""
        z = np.array([1.0, x[0] + 1j * x[1], x[2] + 1j * x[3]])
        T = np.array([[z[i - j] if i >= j else np.conj(z[j - i]) for j in range(3)] for i in range(3)])
        return float(np.linalg.eigvalsh(T)[0]) >= -4.0 * tol

    def max_abs(self, c):
        return float(np.sqrt(2.0) * np.linalg.norm(c))


class SlidingMoments(Moments):
    """The same; angles and weights, which are those of squares, are minimised over together, from where they are."""

    def slide(self, f, w):
        m = len(w)
        first = np.concatenate([np.arctan2(w.block.matrix[:, 1], w.block.matrix[:, 0]), np.sqrt(w.weights)])

        def point(p):
            return Iterate(DenseBlock(self.at(p[:m]), (4,)), p[m:] ** 2 / (p[m:] @ p[m:]), (4,))

        def value_and_slopes(p):
            t, u, at = p[:m], p[m:], point(p)
            g = f.gradient(at)
            turned = np.stack([-np.sin(t), np.cos(t), -2 * np.sin(2 * t), 2 * np.cos(2 * t)], axis=-1)
            scores = at.block.matrix @ g
            return f.value(at), np.concatenate([at.weights * (turned @ g), 2 * u / (u @ u) * (scores - at.weights @ scores)])

        return point(minimize(value_and_slopes, first, jac=True, method="L-BFGS-B").x)


FORM, TRUE = np.diag([1.0, 2.0, 1.0, 0.5]), 0.6 * Moments.at(0.3) + 0.4 * Moments.at(2.0)
MIXED = gh.quadratic(FORM, FORM @ TRUE)


def test_the_kit_accepts_the_moment_curve():
    grid = Moments.at(np.linspace(0.0, 2 * np.pi, 200001))
    for g in np.random.default_rng(0).standard_normal((20, 4)):
        assert Moments().argmin(g).array @ g <= (grid @ g).min() + 1e-14
    check_atoms(Moments())


@pytest.mark.parametrize("solver", [gh.FrankWolfe(), gh.BlendedPairwise(), gh.Corrective(batch=1)],
                         ids=lambda s: type(s).__name__)
def test_lower_values_and_gaps_than_without(solver):
    """The minimum is a mixture of two atoms, which the oracle alone only comes near."""
    one, other = (gh.minimize(MIXED, S, solver, stop=gh.Iterations(6)) for S in (SlidingMoments(), Moments()))
    best = -0.5 * float(TRUE @ FORM @ TRUE)
    assert all(-1e-12 <= s.value - best <= s.gap for s in (one, other))
    assert one.value < other.value - 1e-6 and one.gap < 0.1 * other.gap


def test_fewer_atoms_for_the_same_gap():
    one, other = (gh.minimize(MIXED, S, gh.FrankWolfe(), stop=gh.Gap(1e-3)) for S in (SlidingMoments(), Moments()))
    assert one.converged and other.converged and len(one.point) < len(other.point) and one.iterations < other.iterations


@named
def test_values_never_rise(solver):
    values = []
    gh.minimize(INSIDE, Sliding(), solver, stop=gh.Iterations(20), watch=lambda event: values.append(event.value))
    assert all(after <= before + 1e-15 for before, after in pairwise(values))


@named
def test_a_saved_run_goes_on_bit_by_bit(solver, tmp_path):
    def points(stop, **given):
        seen = []
        watch = lambda event: seen.append((event.point.array().tobytes(), event.value))
        gh.minimize(BOX, Sliding(), solver, stop=stop, watch=watch, **given)
        return seen

    whole, first = points(gh.Iterations(9)), points(gh.Iterations(4), checkpoint=tmp_path / "r.npz")
    rest = points(gh.Iterations(9), resume=tmp_path / "r.npz")
    assert first == whole[: len(first)] and rest == whole[len(first) - 1 :] and len(rest) > 1


def path(S, solver, f=INSIDE):
    seen = []
    watch = lambda event: seen.append((event.point.array().tobytes(), event.gap))
    gh.minimize(f, S, solver, stop=gh.Iterations(8), watch=watch)
    return seen


@named
@pytest.mark.parametrize("how", ["nothing", "uphill", "the same point", "by a hair", "spoiled"])
def test_what_does_not_lower_f_is_left(solver, how):
    """The run is then, bit by bit, that of a set whose atoms do not slide."""
    class Lame(Arc):
        def slide(self, f, w):
            if how == "nothing":
                return None
            if how == "uphill":
                return Iterate.at(Dense(at(-1.9)), (2,))
            if how == "by a hair":
                return Iterate(w.block, w.weights * (1.0 + 2e-16), (2,))
            if how == "spoiled":
                w.block.matrix[:] = 9.0
                w.weights[:] = -1.0
                return None
            return w

    assert path(Lame(), solver) == path(Arc(), solver)


@pytest.mark.parametrize("nearer", [True, False])
def test_where_rounding_hides_a_fall_the_gap_decides(nearer):
    """f is 10⁹ plus next to nothing: all values are the same, and the slope at the minimum is zero."""
    f = gh.function(lambda w: 1e9 + 1e-9 * float((w[0] - 0.5) ** 2 + w[1] ** 2), lambda w: 2e-9 * (w - [0.5, 0.0]), 2)
    target = at(np.array([0.0, np.pi / 3, -np.pi / 3])) if nearer else at(np.array([1.0]))

    class Hidden(Arc):
        def slide(self, f, w):
            weights = np.array([0.0, 0.5, 0.5]) if nearer else np.ones(1)
            return Iterate(DenseBlock(target, (2,)), weights, (2,))

    s = gh.minimize(f, Hidden(), gh.FrankWolfe(gh.Constant(1e-6)), start=Dense(at(0.3)), stop=gh.Iterations(1))
    assert (np.abs(s.point.array() - [0.5, 0.0]).max() < 1e-9) == nearer


@named
@pytest.mark.parametrize("found, said", [
    (lambda w: Iterate.at(Dense(np.array([0.55, 0.1]) * 2.5), (2,)), "lies outside the set"),
    (lambda w: Iterate(w.block, 0.5 * w.weights, (2,)), "sum to 0.5"),
    (lambda w: Iterate(DenseBlock(at(np.array([1.0, 0.5])), (2,)), np.array([1.5, -0.5]), (2,)), "below zero"),
    (lambda w: Iterate.at(Dense(np.array([np.nan, 0.0])), (2,)), "finite"),
    (lambda w: Iterate.at(Dense(np.zeros(3)), (3,)), "shape"),
    (lambda w: w.array(), "ndarray"),
    (lambda w: w.block, "DenseBlock"),
    (lambda w: Iterate(DenseBlock(np.zeros((0, 2)), (2,)), np.zeros(0), (2,)), "no atoms"),
    (lambda w: Iterate(DenseBlock(np.ones((1, 3)), (3,)), np.ones(1), (2,)), "another shape"),
    (lambda w: Iterate(DenseBlock(np.array([[0.55, 3.1], [0.55, -2.9]]), (2,)), np.full(2, 0.5), (2,)), "one of its atoms"),
])
def test_what_is_no_point_of_the_set_is_refused_in_words(solver, found, said):
    class Wrong(Arc):
        def slide(self, f, w):
            return found(w)

    with pytest.raises(GreedyhullError, match=r"slide\(f, w\) of Wrong(.|\n)*" + said):
        gh.minimize(INSIDE, Wrong(), solver, stop=gh.Iterations(8))


def test_a_set_without_a_formula_is_searched_at_the_end():
    """Nothing gives the point away underway: it lies outside, and far from the minimum."""
    class Blind(Arc):
        _holds = AtomSet._holds

        def slide(self, f, w):
            return Iterate.at(Dense(np.array([0.0, 1.3])), (2,))

    f = gh.least_squares(np.eye(2), np.array([5.0, 0.0]))
    with pytest.raises(GreedyhullError, match="outside the set"):
        gh.minimize(f, Blind(), gh.FrankWolfe(step=gh.Constant(0.01)), start=at(2.0), stop=gh.Iterations(1))


def test_atoms_without_weight_count_for_nothing():
    class Beside(Sliding):
        def slide(self, f, w):
            found = super().slide(f, w)
            atoms = w.block.matrix if found is None else found.block.matrix
            return Iterate(DenseBlock(np.vstack([atoms, [[9.0, 9.0]]]), (2,)), np.append(w.weights, 0.0), (2,))

    assert path(Beside(), gh.FrankWolfe()) == path(Sliding(), gh.FrankWolfe())


@named
@pytest.mark.parametrize("length", [3.0, 1.01])
def test_a_set_without_a_formula_and_with_many_entries_is_asked_at_the_end(solver, length):
    """A ball of radius one that slides out of itself, to where f is lower than anywhere inside."""
    far = length * np.eye(70)[0]

    class Round(AtomSet):
        shape = (70,)

        def __repr__(self):
            return "Round()"

        def argmin(self, g):
            size = np.linalg.norm(g)
            return -g / size if size else np.eye(70)[0]

        def max_abs(self, c):
            return float(np.linalg.norm(c))

        def slide(self, f, w):
            return Iterate.at(Dense(far), (70,))

    with pytest.raises(GreedyhullError, match="outside the set"):
        gh.minimize(gh.quadratic(np.eye(70), far), Round(), solver, stop=gh.Iterations(20))


@pytest.mark.parametrize("scale", [1e-100, 1e-8, 1e8, 1e100])
def test_odd_scales(scale):
    f = gh.least_squares(X / scale, X @ np.array([0.55, 0.1]))
    values = []
    s = gh.minimize(f, Sliding(2.0, scale), gh.FrankWolfe(), stop=gh.Iterations(12), watch=lambda e: values.append(e.value))
    assert s.certificate.lower <= 1e-12 and s.value <= s.gap + 1e-12 and all(b <= a for a, b in pairwise(values[:8]))


def test_sets_that_wrap_it_slide_too():
    sets = gh.Cached(SlidingMoments()), gh.Cached(Moments())
    s, plain = (gh.minimize(MIXED, S, gh.FrankWolfe(), stop=gh.Iterations(12)) for S in sets)
    assert s.value < plain.value


def test_single_precision():
    f = gh.least_squares(X.astype(np.float32), (X @ np.array([0.55, 0.1])).astype(np.float32))
    s = gh.minimize(f, Sliding(), gh.Corrective(), stop=gh.Gap(1e-5) | gh.Iterations(60))
    assert s.converged
