"""Objectives whose gradients are sparse matrices or operators, with sets that take these and with sets that do not."""

import numpy as np
import pytest
from scipy.sparse import csc_matrix, csr_array
from scipy.sparse.linalg import aslinearoperator

import greedyhull as gh
from greedyhull.extend import AtomSet, DesignBase, as_array, check_atoms, check_objective, finite

SHAPE = (6, 5)
PLACES = np.arange(0, 30, 2)
ROWS, COLS = PLACES // 5, PLACES % 5
Y = (np.arange(15) * 7 % 17 - 8.25) / 5.0  # no two of the same size: nothing is left to the order of entries
FORMS = {"dense": np.asarray, "csr": csr_array, "csc": csc_matrix, "operator": aslinearoperator}


class Observed(DesignBase):
    """The entries of a matrix at some places; ``form`` is how a matrix comes back."""

    dtype, n, domain, frobenius = np.dtype(np.float64), 15, SHAPE, 15.0**0.5

    def __init__(self, form, broken=None):
        self.form, self.broken = form, broken

    def matvec(self, w):
        return w[ROWS, COLS]

    def adjoint(self, r):
        matrix = np.zeros(SHAPE)
        matrix[ROWS, COLS] = r if self.broken is None else np.where(np.arange(15) == 3, self.broken, r)
        return self.form(matrix)

    def column(self, j):
        return 1.0 * (j == PLACES)

    def columns(self, index, scales):
        return np.stack([s * self.column(j) for j, s in zip(index, scales)]).T

    def combine(self, index, c):
        w = np.zeros(30)
        np.add.at(w, index, c)
        return self.matvec(w.reshape(SHAPE))

    def energies(self, weights):
        return np.bincount(PLACES, weights=np.broadcast_to(weights, 15), minlength=30)

    def gram(self, Z, Z2=None, weights=None):
        right = Z if Z2 is None else Z2
        return Z.T @ (right if weights is None else right * weights[:, None])

    def precise(self):
        return self


class Entries(AtomSet):
    """The matrices whose absolute entries sum to at most 2: atoms are ±2 in one place."""

    shape = SHAPE

    def __init__(self, kind):
        self.gradients, self.asked = kind, set()

    def __repr__(self):
        return f"Entries({self.gradients})"

    def argmin(self, g):
        self.asked.add(type(g))
        if not isinstance(g, (csr_array, csc_matrix)):
            g = as_array(g)
            j = int(np.abs(g).argmax())
            return gh.Basis(j, -2.0 if g.flat[j] > 0 else 2.0)
        few = g.tocoo()  # nothing of the size of a point is made
        i = int(np.abs(few.data).argmax()) if few.nnz else 0
        place = int(few.row[i]) * SHAPE[1] + int(few.col[i]) if few.nnz else 0
        return gh.Basis(place, -2.0 if few.nnz and few.data[i] > 0 else 2.0)

    def max_abs(self, c):
        return 2.0 * float(np.max(c))

    def _holds(self, x, tol):
        return float(np.abs(x).sum()) <= 2.0 * (1.0 + tol)


def problem(form, broken=None):
    return gh.least_squares(Observed(FORMS[form], broken), Y)


SOLVERS = [gh.FrankWolfe(), gh.BlendedPairwise(), gh.Corrective()]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
def test_every_form_and_every_set_lead_to_the_same_end(form, solver):
    want = gh.minimize(problem("dense"), Entries("dense"), solver, stop=gh.Gap(1e-4) | gh.Iterations(2000))
    for kind in ("dense", "any"):
        S, f = Entries(kind), problem(form)
        s = gh.minimize(f, S, solver, stop=gh.Gap(1e-4) | gh.Iterations(2000))
        assert s.converged == want.converged and s.iterations == want.iterations
        assert np.allclose(s.point.array(), want.point.array(), rtol=0, atol=1e-10)
        own = type(f.gradient(s.point))
        S.asked.discard(np.ndarray if kind == "any" else object)  # the start is asked for with ones
        assert kind == "dense" or form == "dense" or S.asked == {own}
        assert kind == "any" or S.asked == {np.ndarray}


@pytest.mark.parametrize("form", FORMS)
def test_certificates_and_checks(form):
    f = problem(form)
    s = gh.minimize(f, Entries("any"), gh.BlendedPairwise(), stop=gh.Gap(1e-6), check=True)
    assert s.converged and finite(f.gradient(s.point))
    for point in (s.point, s.point.array()):
        assert gh.certify(f, Entries("any"), point).gap <= 1.1e-6
        assert gh.certify(f, Entries("dense"), point).gap <= 1.1e-6
    best = gh.minimize(problem("dense"), Entries("dense"), stop=gh.Gap(1e-10))
    assert s.value - best.value <= s.gap


@pytest.mark.parametrize("form", FORMS)
def test_the_kit_accepts_them(form):
    check_atoms(Entries("any"), minimum=lambda g: -2.0 * np.abs(g).max())
    check_objective(problem(form), Entries("any"))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("broken", [np.nan, np.inf])
def test_a_gradient_that_is_not_finite_is_named(form, broken):
    with pytest.raises(gh.GreedyhullError, match="NaN or infinite entries"):
        gh.certify(problem(form, broken), Entries("any"), np.zeros(SHAPE))
    with pytest.raises(gh.GreedyhullError):
        gh.minimize(problem(form, broken), Entries("any"), gh.FrankWolfe())


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("wrap", [lambda S: gh.Cached(S, size=5), lambda S: gh.Inexact(S, 1e-3)], ids=["cached", "inexact"])
def test_sets_around_it(form, wrap):
    s = gh.minimize(problem(form), wrap(Entries("any")), gh.FrankWolfe(), stop=gh.Gap(1e-2) | gh.Iterations(2000))
    assert s.converged


@pytest.mark.parametrize("form", FORMS)
def test_sets_of_the_library(form):
    S = gh.oracle(lambda g: 0.1 * -np.sign(g), SHAPE, bound=0.1)
    s = gh.minimize(problem(form), S, gh.FrankWolfe(), stop=gh.Gap(1e-3) | gh.Iterations(2000))
    want = gh.minimize(problem("dense"), S, gh.FrankWolfe(), stop=gh.Gap(1e-3) | gh.Iterations(2000))
    assert s.iterations == want.iterations and np.allclose(s.point.array(), want.point.array(), rtol=0, atol=1e-10)


@pytest.mark.parametrize("form", FORMS)
def test_a_saved_run_goes_on(form, tmp_path):
    path, f, S = tmp_path / "r.npz", problem(form), Entries("any")
    gh.minimize(f, S, gh.BlendedPairwise(), stop=gh.Iterations(5), checkpoint=path)
    s = gh.minimize(f, S, gh.BlendedPairwise(), stop=gh.Iterations(12), resume=path)
    whole = gh.minimize(f, S, gh.BlendedPairwise(), stop=gh.Iterations(12))
    assert np.array_equal(s.point.array(), whole.point.array())
