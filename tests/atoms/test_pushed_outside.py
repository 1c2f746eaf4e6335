"""Points pushed out of a set: the tolerance that was passed decides, in every set and in sets made of others."""

from itertools import combinations

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.points.shapes import dense

D = 6
rng = np.random.default_rng(1)
SETS = {
    "Simplex": gh.Simplex(D), "L1Ball": gh.L1Ball(D, 2.0), "L2Ball": gh.L2Ball(D, 2.0), "Box": gh.Box(np.zeros(D), np.ones(D)),
    "Vertices": gh.Vertices(rng.standard_normal((8, D))), "SpanningTree": gh.SpanningTree(list(combinations(range(4), 2)), 4),
    "Sum": gh.Sum(gh.L1Ball(D, 1.0), gh.LinfBall(D, 0.5)), "oracle": gh.oracle(lambda g: -np.sign(g), D, bound=1.0),
    "KSupport": gh.KSupport(D, 2, 1.0), "TotalVariationBall": gh.TotalVariationBall(D, 1.0),
    "GroupL1Ball": gh.GroupL1Ball([[0, 1, 2, 3], [3, 4, 5]], 1.0), "Permutahedron": gh.Permutahedron(np.arange(6.0)),
    "LinearProgram": gh.LinearProgram(bounds=[(0, 1)] * D, A_ub=np.ones((1, D)), b_ub=[2.0]),
    "NuclearBall": gh.NuclearBall((2, 3), 1.0), "Spectrahedron": gh.Spectrahedron(3), "Birkhoff": gh.Birkhoff(3),
}
MADE = {
    "as it is": lambda S: S, "Translated": lambda S: gh.Translated(S, 3.0 * np.ones(S.shape)),
    "Scaled": lambda S: gh.Scaled(S, 2.5), "Product": lambda S: gh.Product(S, gh.L2Ball(2, 1.0)),
    "Cached": lambda S: gh.Cached(S) if S.traits.owners == 1 else S,
    "Inexact": lambda S: gh.Inexact(S, 0.1) if S.traits.owners == 1 else S,
}


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("name", SETS)
def test_a_point_beyond_a_supporting_plane_is_outside(name, made):
    S, draw = MADE[made](SETS[name]), np.random.default_rng(2)
    g = draw.standard_normal(S.shape)
    best = dense(SETS[name].atom(g), S.shape) if made in ("Inexact", "Cached") else dense(S.atom(g), S.shape)
    other = dense(S.atom(draw.standard_normal(S.shape)), S.shape)
    assert S.contains(best) and S.contains(0.5 * best + 0.5 * other)
    f, size = gh.quadratic(np.eye(D)), 4.0 * float(np.abs(best).max()) / np.linalg.norm(g)
    for push in (1e-12, 1e-10, 5e-8, 1e-6, 1e-3):
        x = best - push * size * g
        assert not S.contains(x, 0.0)
        assert push < 1e-7 or not S.contains(x)
        if S.shape == f.domain:
            with pytest.raises(gh.GreedyhullError, match="lies outside"):
                gh.certify(f, S, x, tol=0)


def test_what_a_set_cannot_decide_is_stated():
    f, far = gh.quadratic(np.eye(3)), gh.Translated(gh.L2Ball(3, 1e-3), np.full(3, 1e6))
    c = gh.certify(f, far, np.full(3, 1e6), tol=0)
    assert far.resolution > 1e-8 and f"known up to {far.resolution:.2g} of its size" in c.note and c.note[1:] in str(c)
    assert "known up to" not in gh.certify(f, far, np.full(3, 1e6), tol=1e-3).note
    assert gh.certify(gh.quadratic(np.eye(D)), SETS["GroupL1Ball"], np.zeros(D)).note.endswith("up to 1e-07 of its size")
    assert not gh.certify(f, gh.Simplex(3), np.eye(3)[0], tol=0).note


@pytest.mark.parametrize("shifts", [(1e4, 1e8), (1e8, 1e4), (1.0, 1e10)], ids=str)
@pytest.mark.parametrize("S", [
    gh.L2Ball(4, 1.0), gh.Simplex(4), gh.L2Ball(4, 1e-3), gh.Product(gh.L2Ball(2, 1e-8), gh.L2Ball(2, 1e3)),
    gh.Product(gh.Simplex(2, total=1e-6), gh.Simplex(2, total=1e6)),
    gh.Scaled(gh.Product(gh.L2Ball(2, 1e-8), gh.L2Ball(2, 1e3)), 1e2)], ids=repr)
def test_rounding_of_large_shifts_is_no_fault_of_a_solver(S, shifts):
    for seed in range(3):
        draw = np.random.default_rng(seed)
        T = S
        for shift in shifts:
            T = gh.Translated(T, shift * draw.standard_normal(4))
        f = gh.quadratic(np.eye(4), T.centre().array() + draw.standard_normal(4))
        for solver in (None, gh.FrankWolfe(), gh.BlendedPairwise()):
            s = gh.minimize(f, T, solver, stop=gh.Iterations(30))
            assert s.certificate.lower <= s.value and T.contains(s.point)


def test_a_part_of_a_shifted_product_has_its_own_rounding():
    S = gh.Translated(gh.Product(gh.L2Ball(2, 1e-9), gh.L2Ball(2, 1.0)), np.ones(4))
    assert S.contains(np.ones(4)) and not S.contains(np.ones(4) + np.array([0.0, 0.0, 1.0 + 1e-6, 0.0]))
