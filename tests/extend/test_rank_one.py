"""A shape of atoms that the library does not know: matrices u vᵀ, kept as two vectors, from the public import alone."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import greedyhull as gh
from greedyhull.extend import (
    AtomSet,
    BlockBase,
    DesignBase,
    Iterate,
    Sizes,
    as_array,
    check_atoms,
    check_objective,
    register_block,
    widened,
)

SHAPE, RADIUS = (5, 4), 3.0
rng = np.random.default_rng(0)
TARGET = rng.standard_normal((5, 2)) @ rng.standard_normal((2, 4))


class RankOne:
    """u vᵀ; of the two ways to write it, the one where the first entry of v that is not zero is positive."""

    def __init__(self, u, v):
        first = v[np.flatnonzero(v)[:1]]
        sign = -1.0 if first.size and first[0] < 0.0 else 1.0
        self.u, self.v = sign * u + 0.0, sign * v + 0.0

    def __repr__(self):
        return f"RankOne({self.u}, {self.v})"

    @property
    def key(self):
        return (self.u.tobytes(), self.v.tobytes())

    def dot(self, g):
        return float(self.u @ (g @ self.v))  # the same for arrays, sparse matrices and operators

    def image(self, A):
        return A.matvec(np.outer(self.u, self.v))

    def add_to(self, w, c):
        w += c * np.outer(self.u, self.v)

    def block(self, size):
        return RankOnes(self.u[None, :], self.v[None, :])


class RankOnes(BlockBase):
    """Atoms u vᵀ as the rows of two matrices."""

    kind = "tests.rank_one"

    def __init__(self, U, V):
        self.U, self.V, self.shape = U, V, (U.shape[1], V.shape[1])

    def __len__(self):
        return len(self.U)

    def __getitem__(self, i):
        return RankOne(self.U[i], self.V[i])

    def append(self, atom):
        if not isinstance(atom, RankOne):
            return widened(self, atom)
        self.U, self.V = np.vstack([self.U, atom.u]), np.vstack([self.V, atom.v])
        return self

    def take(self, index):
        return RankOnes(self.U[index], self.V[index])

    def dots(self, g):
        return np.einsum("ij,ij->i", self.U, (g @ self.V.T).T)

    def state(self):
        return {"U": self.U.copy(), "V": self.V.copy()}


register_block(RankOnes.kind, lambda state: RankOnes(state["U"], state["V"]))


class NuclearBall(AtomSet):
    """The matrices whose singular values sum to at most ``radius``."""

    gradients = "any"

    def __init__(self, shape=SHAPE, radius=RADIUS):
        self.shape, self.radius = shape, radius

    def __repr__(self):
        return f"NuclearBall({self.shape}, {self.radius})"

    def argmin(self, g):
        U, _, V = np.linalg.svd(as_array(g))
        return RankOne(-self.radius * U[:, 0], V[0])

    def _holds(self, x, tol):
        return float(np.linalg.svd(x, compute_uv=False).sum()) <= self.radius * (1.0 + tol)

    def max_abs(self, c):
        return self.radius * float(np.linalg.norm(c, 2))

    def sizes(self):
        return Sizes.of(2.0 * self.radius, self.radius)

    def compressed(self, block, weights, tol):
        x = np.zeros(self.shape)
        block.add_to(x, weights)
        atoms, shares = self._written(x, tol)
        return (atoms, shares) if len(atoms) < len(block) else (block, weights)

    def decompose(self, w):
        return Iterate(*self._written(self._inside(w), 1e-15), self.shape)

    def _written(self, x, tol):
        """x by its singular vectors."""
        U, s, V = np.linalg.svd(x, full_matrices=False)
        rank = max(1, int((s > 0.1 * tol * s[0] / len(s)).sum()))
        shares = s[:rank] / self.radius
        left = max(0.0, 1.0 - float(shares.sum()))
        atoms = RankOnes(self.radius * U[:, :rank].T, V[:rank])
        if left > 1e-15:  # what is not needed goes to two atoms that cancel each other
            atoms, shares = atoms.append(RankOne(-self.radius * U[:, 0], V[0])), np.append(shares, left / 2)
            shares[0] += left / 2
        return atoms, shares / shares.sum()


class Observed(DesignBase):
    """The entries of a matrix at some places; what comes back is a sparse matrix."""

    dtype = np.dtype(np.float64)

    def __init__(self, rows, cols, shape):
        self.rows_at, self.cols_at, self.domain, self.n = rows, cols, shape, len(rows)
        self.frobenius = float(np.sqrt(self.n))

    def matvec(self, w):
        return w[self.rows_at, self.cols_at]

    def adjoint(self, r):
        return csr_array((r, (self.rows_at, self.cols_at)), shape=self.domain)

    def column(self, j):
        return 1.0 * (self.rows_at * self.domain[1] + self.cols_at == j)

    def gram(self, Z, Z2=None, weights=None):
        right = Z if Z2 is None else Z2
        return Z.T @ (right if weights is None else right * weights[:, None])

    def precise(self):
        return self


ROWS, COLS = (np.arange(16) * 7 % 20) // 4, (np.arange(16) * 7 % 20) % 4
COMPLETION = gh.least_squares(Observed(ROWS, COLS, SHAPE), TARGET[ROWS, COLS])
NEAREST = gh.function(lambda w: 0.5 * float(((w - TARGET) ** 2).sum()), lambda w: w - TARGET, SHAPE, smoothness=1.0)
RUNS = [(f, solver) for f in (NEAREST, COMPLETION) for solver in (gh.FrankWolfe(), gh.BlendedPairwise())]
RUNS.append((COMPLETION, gh.Corrective()))
NAMES = [f"{f.name}-{type(solver).__name__}" for f, solver in RUNS]


def projection():
    """The nearest matrix of the ball: the singular values of the target less a constant."""
    U, s, V = np.linalg.svd(TARGET, full_matrices=False)
    shifts = (np.cumsum(s) - RADIUS) / np.arange(1, len(s) + 1)
    return (U * np.maximum(s - shifts[np.flatnonzero(s > shifts)[-1]], 0.0)) @ V


def test_the_kit_accepts_it():
    check_atoms(NuclearBall(), minimum=lambda g: -RADIUS * np.linalg.norm(g, 2))
    check_atoms(NuclearBall((1, 3), 1e-3), minimum=lambda g: -1e-3 * np.linalg.norm(g, 2))
    check_objective(COMPLETION, NuclearBall())


@pytest.mark.parametrize("f, solver", RUNS, ids=NAMES)
def test_runs_keep_the_shape_and_certify(f, solver):
    s = gh.minimize(f, NuclearBall(), solver, stop=gh.Gap(1e-2) | gh.Iterations(3000), check=True)
    assert s.converged and isinstance(s.point.block, RankOnes) and s.certificate.kind == "always"
    assert s.certificate.rounding == "proved" and NuclearBall().contains(s.point)
    assert gh.certify(f, NuclearBall(), s.point.array()).gap <= 1.1e-2
    if f is NEAREST:
        best = projection()
        least = 0.5 * float(((best - TARGET) ** 2).sum())
        assert -1e-12 <= s.value - least <= s.gap and np.linalg.norm(s.point.array() - best) <= np.sqrt(2 * s.gap)


@pytest.mark.parametrize("f, solver", RUNS, ids=NAMES)
def test_a_saved_run_goes_on_bit_by_bit(f, solver, tmp_path):
    """The point as its solver has it, seen by a watcher: the last word of a run is in fewer atoms."""
    def points(stop, **given):
        seen = []
        watch = lambda event: seen.append(event.point.array().tobytes())
        gh.minimize(f, NuclearBall(), solver, stop=stop, watch=watch, **given)
        return seen

    path = tmp_path / "r.npz"
    whole, first = points(gh.Iterations(14)), points(gh.Iterations(6), checkpoint=path)
    rest = points(gh.Iterations(14), resume=path)
    assert first == whole[: len(first)] and rest == whole[len(first) - 1 :]
    assert len(rest) > 1 or isinstance(solver, gh.Corrective)  # which may be there already


def test_points_end_in_as_few_atoms_as_their_rank():
    for solver in (gh.FrankWolfe(), gh.BlendedPairwise()):
        s = gh.minimize(NEAREST, NuclearBall(), solver, stop=gh.Gap(1e-3) | gh.Iterations(3000))
        rank = int((np.linalg.svd(s.point.array(), compute_uv=False) > 1e-12).sum())
        assert len(s.point) <= rank + 1 and s.trace.atoms[-1] == len(s.point)
        assert s.point.weights.sum() == pytest.approx(1.0, abs=1e-15)
    inside = gh.minimize(NEAREST, NuclearBall(radius=50.0), gh.FrankWolfe(), stop=gh.Iterations(40))
    assert len(inside.point) <= 5 and NuclearBall(radius=50.0).contains(inside.point)


def test_other_starts():
    for start in (np.zeros(SHAPE), gh.Basis(3, 1.0), projection()):
        s = gh.minimize(NEAREST, NuclearBall(), gh.BlendedPairwise(), start=start, stop=gh.Gap(1e-2) | gh.Iterations(3000))
        assert s.converged and s.point.array().shape == SHAPE
    earlier = gh.minimize(NEAREST, NuclearBall(), gh.BlendedPairwise(), stop=gh.Gap(1e-2))
    again = gh.minimize(NEAREST, NuclearBall(), gh.BlendedPairwise(), start=earlier, stop=gh.Gap(1e-3) | gh.Iterations(3000))
    assert again.converged and isinstance(again.point.block, RankOnes)


@pytest.mark.parametrize("scale", [1e-100, 1.0, 1e100])
def test_odd_scales(scale):
    A = gh.function(lambda w: 0.5 * float(((w / scale - TARGET) ** 2).sum()), lambda w: (w / scale - TARGET) / scale, SHAPE)
    s = gh.minimize(A, NuclearBall(radius=RADIUS * scale), gh.BlendedPairwise(), stop=gh.Gap(1e-2) | gh.Iterations(3000))
    assert s.converged and np.linalg.norm(s.point.array() / scale - projection()) <= 0.2
