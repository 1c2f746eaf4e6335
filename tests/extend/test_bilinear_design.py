"""A map on matrices that works with factors: a matrix is completed from some entries, and no product takes a dense one."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import greedyhull as gh
from greedyhull.extend import (
    AtomSet,
    BlockBase,
    DesignBase,
    Sizes,
    as_array,
    bilinear,
    check_atoms,
    check_design,
    check_objective,
    register_block,
    widened,
)

SHAPE, RADIUS = (30, 20), 8.0
rng = np.random.default_rng(3)
TARGET = rng.standard_normal((30, 2)) @ rng.standard_normal((2, 20)) / 5.0
PLACES = rng.permutation(600)[:300]


class RankOne:
    """u vᵀ, which asks a design for its image by factors where it can."""

    def __init__(self, u, v):
        sign = -1.0 if v[np.argmax(v != 0.0)] < 0.0 else 1.0
        self.u, self.v = sign * u + 0.0, sign * v + 0.0

    @property
    def key(self):
        return self.u.tobytes(), self.v.tobytes()

    def dot(self, g):
        return float(self.u @ (g @ self.v))

    def image(self, A):
        return self.block(0).combine(A, np.ones(1))

    def add_to(self, w, c):
        w += c * np.outer(self.u, self.v)

    def block(self, size):
        return RankOnes(self.u[None, :], self.v[None, :])


class RankOnes(BlockBase):
    """Atoms u vᵀ as the rows of two matrices."""

    kind = "tests.bilinear_rank_one"

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

    def combine(self, A, c):
        known = bilinear(A)
        return super().combine(A, c) if known is None else known.bilinear(self.U.T, self.V.T, c)

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

    def contains_quickly(self, w):
        return None  # its atoms lie in the ball, and their weights are those of a mixture

    def _holds(self, x, tol):
        return float(np.linalg.svd(x, compute_uv=False).sum()) <= self.radius * (1.0 + tol)

    def max_abs(self, c):
        return self.radius * float(np.linalg.norm(c))

    def sizes(self):
        return Sizes.of(2.0 * self.radius, self.radius)


class Entries(DesignBase):
    """The entries of a matrix at some places: (U diag(c) Vᵀ)[i, j] = Σ c_r U[i, r] V[j, r]; a sparse matrix comes back."""

    dtype, takes_factors = np.dtype(np.float64), True

    def __init__(self, places=PLACES, shape=SHAPE):
        self.at, self.domain, self.n = np.divmod(places, shape[1]), shape, len(places)
        self.frobenius = float(np.sqrt(self.n))
        self.asked = {"matvec": 0, "bilinear": 0}

    def matvec(self, w):
        self.asked["matvec"] += 1
        return w[self.at]

    def adjoint(self, r):
        return csr_array((r, self.at), shape=self.domain)

    def bilinear(self, U, V, c):
        self.asked["bilinear"] += 1
        return np.einsum("kr,kr,r->k", U[self.at[0]], V[self.at[1]], c)

    def factored(self, r, U, V):
        return np.einsum("k,kr,kr->r", r, U[self.at[0]], V[self.at[1]])


def completion():
    return gh.least_squares(Entries(), TARGET.ravel()[PLACES])


def test_the_kit_accepts_it():
    check_design(Entries(np.array([0, 3, 7, 10]), (4, 3)))
    check_atoms(NuclearBall((5, 4), 2.0), minimum=lambda g: -2.0 * np.linalg.norm(g, 2))
    check_objective(gh.least_squares(Entries(np.array([0, 3, 7, 10]), (4, 3)), np.ones(4)), NuclearBall((4, 3), 2.0))


@pytest.mark.parametrize("member, wrong", [("bilinear", lambda A, U, V, c: A.matvec(U @ V.T)),
                                           ("factored", lambda A, r, U, V: np.zeros(U.shape[1]))])
def test_the_kit_tells_a_wrong_product_with_factors(member, wrong):
    Wrong = type("Wrong", (Entries,), {member: wrong})
    with pytest.raises(AssertionError, match=member):
        check_design(Wrong(np.array([0, 3, 7, 10]), (4, 3)))


@pytest.mark.parametrize("solver", [gh.FrankWolfe(), gh.Corrective(), gh.BlendedPairwise()], ids=lambda s: type(s).__name__)
def test_runs_ask_for_images_by_factors_alone(solver):
    f, S = completion(), NuclearBall()
    s = gh.minimize(f, S, solver, stop=gh.Gap(1e-2) | gh.Iterations(2000))
    assert f.design.asked["matvec"] == 0 and f.design.asked["bilinear"] > 0
    assert s.converged and isinstance(s.point.block, RankOnes) and s.certificate.kind == "always"


def test_the_certificate_is_true():
    """The same problem with its data as a dense matrix on the entries of W, solved to many digits, and certified there."""
    f, S = completion(), NuclearBall()
    s = gh.minimize(f, S, gh.Corrective(), stop=gh.Gap(1e-3) | gh.Iterations(2000))
    best = gh.minimize(f, S, gh.Corrective(), stop=gh.Gap(1e-7) | gh.Iterations(5000))
    assert s.converged and best.converged and -best.gap <= s.value - best.value <= s.gap
    W = s.point.array()
    g = np.zeros(600)
    g[PLACES] = (W.ravel()[PLACES] - TARGET.ravel()[PLACES]) / 300
    gap = float(g @ W.ravel()) + RADIUS * np.linalg.norm(g.reshape(SHAPE), 2)
    assert s.value == pytest.approx(0.5 * np.mean((W.ravel()[PLACES] - TARGET.ravel()[PLACES]) ** 2), rel=1e-12)
    assert gap <= s.gap * (1.0 + 1e-9) + 1e-15 and np.linalg.svd(W, compute_uv=False).sum() <= RADIUS * (1 + 1e-12)


@pytest.mark.parametrize("solver", [gh.FrankWolfe(), gh.Corrective()], ids=lambda s: type(s).__name__)
def test_a_saved_run_goes_on_bit_by_bit(solver, tmp_path):
    def points(stop, **given):
        seen = []
        watch = lambda event: seen.append(event.point.array().tobytes())
        gh.minimize(completion(), NuclearBall(), solver, stop=stop, watch=watch, **given)
        return seen

    whole, first = points(gh.Iterations(9)), points(gh.Iterations(4), checkpoint=tmp_path / "r.npz")
    rest = points(gh.Iterations(9), resume=tmp_path / "r.npz")
    assert first == whole[: len(first)] and rest == whole[len(first) - 1 :] and len(rest) > 1


def test_atoms_of_other_shapes_are_mapped_by_products():
    """The design has no columns: basis atoms and dense ones are asked for as arrays."""
    A = Entries(np.array([0, 3, 7, 10]), (4, 3))
    assert gh.Basis(7, -2.0).image(A).tolist() == [0.0, 0.0, -2.0, 0.0]
    assert gh.Sparse(np.array([0, 10]), np.array([1.0, 3.0])).image(A).tolist() == [1.0, 0.0, 0.0, 3.0]
    s = gh.minimize(gh.least_squares(A, np.ones(4)), NuclearBall((4, 3), 1.0), gh.Corrective(), start=np.zeros((4, 3)),
                    stop=gh.Gap(1e-6) | gh.Iterations(500))
    assert s.converged and A.asked["bilinear"] > 0
