"""A gradient is an array, a sparse matrix or an operator: it says the same in each of these forms."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import aslinearoperator

import greedyhull as gh
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.gradients import as_array, copied, finite, inner, size, taken
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import Basis, Dense, Sparse
from greedyhull.solvers.parts.solver_state import CountingOracle

rng = np.random.default_rng(0)
G = np.where(rng.random((3, 4)) < 0.4, rng.standard_normal((3, 4)), 0.0)
X = rng.standard_normal((3, 4))
TWICE = sp.coo_array((np.r_[G[G != 0], 1.0, -1.0], tuple(np.c_[np.array(np.nonzero(G)), [[0, 0], [0, 0]]])), shape=G.shape)
FORMS = {"array": G, "csr": sp.csr_array(G), "csc": sp.csc_matrix(G), "coo": TWICE, "lil": sp.lil_array(G),
         "dok": sp.dok_array(G), "dia": sp.dia_array(G), "bsr": sp.bsr_array(G), "operator": aslinearoperator(G)}


@pytest.mark.parametrize("g", FORMS.values(), ids=FORMS)
def test_it_says_the_same_in_every_form(g):
    assert finite(g) and inner(g, X) == pytest.approx(np.vdot(G, X), rel=1e-13)
    assert size(g) == pytest.approx(np.linalg.norm(G), rel=1e-13)
    assert np.allclose(as_array(g), G, rtol=0, atol=1e-15) and as_array(g).shape == G.shape


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.coo_array, aslinearoperator])
def test_what_is_not_finite_is_seen(bad, form):
    broken = G.copy()
    broken[1, 2], broken[1, 3] = bad, -bad
    assert not finite(form(broken))


@pytest.mark.parametrize("g", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("atom", [Basis(5, -2.0), Sparse(np.array([0, 7]), np.array([1.0, 3.0])), Dense(X)],
                         ids=["basis", "sparse", "dense"])
def test_atoms_and_points_take_every_form(g, atom):
    x = np.zeros((3, 4))
    atom.add_to(x, 1.0)
    assert atom.dot(g) == pytest.approx(np.vdot(G, x), abs=1e-12)
    w = Iterate.at(atom, (3, 4))
    w.move(w.toward(Basis(1, 1.0)), 0.25)
    assert w.dot(g) == pytest.approx(np.vdot(G, w.array()), abs=1e-12)
    assert CoordinateIterate(w.array()).dot(g) == pytest.approx(np.vdot(G, w.array()), abs=1e-12)
    assert w.best(g).score <= w.worst(g).score


class Told(gh.AtomSet):
    """The four corners of a matrix; it keeps what it was asked with."""

    def __init__(self, kind):
        self.shape, self.gradients, self.asked = (3, 4), kind, []

    def argmin(self, g):
        self.asked.append(g)
        return Basis(0, 1.0)


@pytest.mark.parametrize("g", FORMS.values(), ids=FORMS)
def test_a_set_is_asked_with_arrays_unless_it_says_that_it_takes_more(g):
    for kind in ("dense", "any"):
        S = Told(kind)
        oracle = CountingOracle(S, np.random.default_rng(0))
        oracle.argmin(g)
        oracle.best(g, 3)
        oracle.aside(g)
        assert all((type(asked) is np.ndarray) is (kind == "dense" or isinstance(g, np.ndarray)) for asked in S.asked)
        assert len(S.asked) == 3 and all(np.allclose(as_array(asked), G) for asked in S.asked)
    assert gh.Cached(Told("any")).traits.gradients == "any"


def test_vectors_come_as_a_row_or_a_column():
    S = gh.Simplex(4)
    for g in (sp.csr_array(G[:1]), sp.csr_array(G[:1].T)):
        assert taken(S, g).tolist() == G[0].tolist()


def test_other_shapes_and_other_things_are_refused_in_words():
    with pytest.raises(gh.GreedyhullError, match=r"shape \(3, 4\), and points have the shape \(4,\)"):
        taken(gh.Simplex(4), sp.csr_array(G))
    with pytest.raises(gh.GreedyhullError, match=r"shape \(4, 3\), and .* holds points of shape \(3, 4\)"):
        taken(Told("any"), sp.csr_array(G.T))
    with pytest.raises(gh.GreedyhullError, match="an operator with shape and @ is wanted"):
        as_array("steep")  # no operator, though strings have lengths
    for odd in (None, object(), {"shape": 3}):
        for ask in (finite, as_array, size, lambda g: taken(Told("any"), g), lambda g: taken(Told("dense"), g)):
            with pytest.raises(gh.GreedyhullError, match=r"A gradient is a (NoneType|object|dict); an array"):
                ask(odd)
    for complex_ in (sp.csr_array(1j * G), aslinearoperator(1j * G)):
        with pytest.raises(gh.GreedyhullError, match="complex entries"):
            as_array(complex_)
    with pytest.raises(gh.GreedyhullError, match="A gradient is a list"):
        as_array([1.0, 2.0])


def test_what_is_copied_can_be_written_on():
    for g in (G, sp.csr_array(G)):
        mine = copied(g)
        mine *= 0.0
        assert np.array_equal(as_array(g), G)
    operator = FORMS["operator"]
    assert copied(operator) is operator


@pytest.mark.parametrize("scale", [1e-200, 1e150])
def test_odd_scales(scale):
    for g in (scale * G, sp.csr_array(scale * G), aslinearoperator(scale * G)):
        assert finite(g) and size(g) == pytest.approx(scale * np.linalg.norm(G))
        assert inner(g, X) == pytest.approx(scale * np.vdot(G, X))
    ones = sp.csr_array(G != 0.0)  # of dtype bool
    assert size(ones) ** 2 == pytest.approx(np.count_nonzero(G)) and inner(ones, X) == pytest.approx(X[G != 0.0].sum())
    empty = sp.csr_array((3, 4))
    assert finite(empty) and size(empty) == 0.0 and inner(empty, X) == 0.0
