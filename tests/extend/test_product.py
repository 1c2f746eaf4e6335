"""A product of sets, written by a user: weights sum to one for each owner, and all else works as it does for one set."""

import pickle
from time import sleep

import numpy as np
import pytest
from scipy.optimize import minimize as scipy_minimize

import greedyhull as gh
from greedyhull import extend, testing

rng = np.random.default_rng(11)
X, y = rng.standard_normal((30, 8)), rng.standard_normal(30)


class Blocks(extend.AtomSet):
    """S₁ × … × S_K of vectors, one after the other."""

    def __init__(self, *sets):
        self.sets, self.owners = sets, len(sets)
        self.starts = np.cumsum([0, *(S.shape[0] for S in sets)]).tolist()
        self.shape = (self.starts[-1],)

    def __repr__(self):
        return f"Blocks({', '.join(map(repr, self.sets))})"

    def slices(self, x):
        return [x[a:b] for a, b in zip(self.starts, self.starts[1:], strict=False)]

    def embedded(self, owner, d):
        """An atom of one set as an atom of the whole: zero elsewhere. The origin stays where it is."""
        if isinstance(d, extend.Basis):
            return extend.Basis(self.starts[owner] + d.index if d.scale else 0, d.scale)
        x = np.zeros(self.shape)
        d.add_to(self.slices(x)[owner], 1.0)
        return extend.Dense(x)

    def argmin(self, g):
        answers = [S.atom(part) for S, part in zip(self.sets, self.slices(g), strict=True)]
        return extend.Joint(tuple(self.embedded(b, d) for b, d in enumerate(answers)), tuple(range(len(answers))))

    def _holds(self, x, tol):
        return all(S.contains(part, tol) for S, part in zip(self.sets, self.slices(x), strict=True))

    def max_abs(self, c):
        return sum(S.max_abs(part) for S, part in zip(self.sets, self.slices(c), strict=True))


class Listed(Blocks):
    """The same with an oracle that names several atoms of each owner."""

    def oracle(self, rng):
        return Naming(self, super().oracle(rng))


class Naming(extend.OracleBase):
    def __init__(self, S, inner):
        self.S, self.inner = S, inner

    def argmin(self, g, tol=0.0, enough=-np.inf):
        return self.inner.argmin(g, tol, enough)

    def best(self, g, m=1, *, tol=0.0, enough=-np.inf):
        S, atoms, owners = self.S, [], []
        for b, (T, part) in enumerate(zip(S.sets, S.slices(g), strict=True)):
            found = T.best(part, m)
            atoms += [S.embedded(b, found[i]) for i in range(len(found))]
            owners += [b] * len(found)
        block = atoms[0].block(S.shape[0])
        for d in atoms[1:]:
            block = block.append(d)
        return extend.Shortlist(block, 0.0, owners=np.array(owners))


class Told(Blocks):
    """The same, and they are named by ``best`` of the set."""

    def best(self, g, m):
        found = Naming(self, super().oracle(None)).best(g, m)
        return extend.OwnedBlock(found.atoms, found.owners)


OBJECTIVES = {
    "squares": gh.least_squares(X, y),
    "logistic": gh.logistic(X, np.sign(y)),
    "quadratic": gh.quadratic(X.T @ X, 3 * X.T @ y),
    "function": gh.function(lambda w: 0.5 * float(((X @ w - y) ** 2).sum()), lambda w: X.T @ (X @ w - y), 8),
}
SETS = {
    "two simplices": (gh.Simplex(3), gh.Simplex(5, total=2.0)),
    "a point": (gh.Simplex(1), gh.Simplex(6), gh.Simplex(1, total=0.5)),
    "the origin of both": (gh.CappedSimplex(4, total=0.3), gh.CappedSimplex(4)),
    "dense atoms": (gh.L2Ball(4, 1.0), gh.Box(np.zeros(4), np.ones(4))),
    "named rows": (gh.Vertices(rng.standard_normal((6, 4))), gh.Simplex(4)),
    "one set": (gh.Simplex(8),),
    "many": tuple(gh.Simplex(1) if j else gh.CappedSimplex(1) for j in range(8)),
}
SOLVERS = {"corrective": gh.Corrective(), "pairwise": gh.BlendedPairwise(), "default": None}
f0, S0 = OBJECTIVES["squares"], Blocks(*SETS["two simplices"])


def written(d, shape):
    """An atom as an array."""
    x = np.zeros(shape)
    d.add_to(x, 1.0)
    return x


def minimum(f, S):
    """By SLSQP, over the weights of all atoms of the parts where these can be listed; else None."""
    if not all(T.traits.finite for T in S.sets):
        return None
    atoms, owners = [], []
    for b, T in enumerate(S.sets):
        for j in range(len(T)):
            atoms.append(written(S.embedded(b, T[j]), S.shape))
            owners.append(b)
    D, E = np.array(atoms), (np.array(owners)[None, :] == np.arange(S.owners)[:, None]).astype(float)

    def value(a):
        x = extend.Iterate.at(extend.Dense(a @ D), S.shape)
        return f.value(x), D @ f.gradient(x)

    start = E.T @ (1.0 / E.sum(axis=1))
    found = scipy_minimize(value, start, jac=True, method="SLSQP", bounds=[(0, 1)] * len(D),
                           constraints={"type": "eq", "fun": lambda a: E @ a - 1, "jac": lambda a: E},
                           options={"ftol": 1e-14, "maxiter": 2000})
    return float(found.fun)


def honest(s, f, S):
    """A point of the product, weights that sum to one for each owner, and a certificate that is true."""
    assert S.contains(s.point) and s.point.owners is not None and len(s.point.owners) == len(s.point.weights)
    assert (s.point.weights > 0).all() and np.abs(s.point.totals - 1.0).max() < 1e-12 and len(s.point.totals) == S.owners
    best = minimum(f, S)
    if best is not None:
        assert s.certificate.lower <= best + 1e-7 * (1 + abs(best))
        assert s.value >= best - 1e-7 * (1 + abs(best))
    return True


@pytest.mark.parametrize("kind", [Blocks, Listed, Told])
@pytest.mark.parametrize("sets", SETS.values(), ids=SETS)
@pytest.mark.parametrize("f", OBJECTIVES.values(), ids=OBJECTIVES)
@pytest.mark.parametrize("solver", SOLVERS.values(), ids=SOLVERS)
def test_the_minimum_is_found_and_proved(f, sets, solver, kind):
    if isinstance(solver, gh.Corrective) and not f.traits.second_order:
        pytest.skip("Corrective needs a Hessian.")
    S = kind(*sets)
    tol = 1e-3 if any(isinstance(T, gh.L2Ball) for T in sets) else 1e-6  # round sets take their time
    s = gh.minimize(f, S, solver, stop=gh.Relative(tol) | gh.Iterations(3000), check=True)
    assert s.converged and s.certificate.kind == "always" and honest(s, f, S)


@pytest.mark.parametrize("solver", [gh.FrankWolfe(), gh.FrankWolfe(gh.OpenLoop()), gh.Jones(), gh.Mixed(), gh.Aggregated(),
                                    gh.StochasticFrankWolfe(), gh.StochasticJones(), gh.LuFreund()], ids=repr)
@pytest.mark.parametrize("name", ["two simplices", "the origin of both", "dense atoms"])
def test_solvers_that_step_toward_vertices_simply_work(solver, name):
    S = Blocks(*SETS[name])
    s = gh.minimize(f0, S, solver, stop=gh.Iterations(300))
    best = gh.minimize(f0, S, stop=gh.Relative(1e-9)).certificate.lower
    assert s.value - best <= s.certificate.gap + 1e-9 and s.value - best < 0.05 and honest(s, f0, S)


def test_where_dense_atoms_are_not_kept_the_point_is_its_coordinates():
    S = Blocks(*SETS["dense atoms"])
    S.dense_atoms = True
    s = gh.minimize(f0, S, gh.FrankWolfe(), stop=gh.Relative(1e-3) | gh.Iterations(5000))
    kept = gh.minimize(f0, Blocks(*SETS["dense atoms"]), stop=gh.Relative(1e-8))
    assert s.converged and not s.point.keeps_atoms and s.point.owners is None
    assert s.value == pytest.approx(kept.value, rel=2e-3)


def test_an_objective_with_kinks_is_solved_too():
    f = gh.absolute(X, y)
    s = gh.minimize(f, S0, stop=gh.Relative(1e-8) | gh.Iterations(300))
    assert s.converged and honest(s, f, S0)


def test_a_sum_of_sets_has_owners_too():
    """Parts may share their places: a point of S₁ + S₂ is a point of each."""
    class Sum(extend.AtomSet):
        shape, owners = (8,), 2

        def __repr__(self):
            return "Sum()"

        def argmin(self, g):
            return extend.Joint((gh.Simplex(8).argmin(g), gh.L1Ball(8, 0.3).argmin(g)))

    atoms = np.vstack([np.eye(8), 0.3 * np.eye(8), -0.3 * np.eye(8)])
    whole = gh.Vertices((atoms[:8, None] + atoms[None, 8:]).reshape(-1, 8))  # all sums of two atoms
    testing.check_atoms(Sum())
    for f in OBJECTIVES.values():
        best = gh.minimize(f, whole, stop=gh.Relative(1e-9)).value
        for solver in (None, gh.BlendedPairwise()):
            s = gh.minimize(f, Sum(), solver, stop=gh.Relative(1e-7) | gh.Iterations(3000))
            assert s.converged and s.value == pytest.approx(best, rel=1e-6) and s.point.totals == pytest.approx([1.0, 1.0])


@pytest.mark.parametrize("solver", [gh.PairwiseJones(), gh.Mixed((gh.FrankWolfe(), gh.PairwiseJones()))], ids=repr)
def test_solvers_that_swap_any_two_atoms_refuse(solver):
    with pytest.raises(gh.GreedyhullError, match=r"has 2 owners, whose weights sum to one each\. Use BlendedPairwise"):
        gh.minimize(f0, S0, solver)


def test_wrappers_that_look_at_single_atoms_refuse():
    with pytest.raises(gh.GreedyhullError, match="Put Cached around the sets"):
        gh.Cached(S0)
    with pytest.raises(gh.GreedyhullError, match="Put Inexact around the sets"):
        gh.Inexact(S0, 0.1)


@pytest.mark.parametrize("solver", [gh.Corrective(), gh.BlendedPairwise(), gh.FrankWolfe(), gh.StochasticFrankWolfe(every=1)],
                         ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("kind", [Blocks, Listed])
@pytest.mark.parametrize("sets", SETS.values(), ids=SETS)
def test_a_saved_run_goes_on_bit_by_bit(solver, kind, sets, tmp_path):
    f, S, path = OBJECTIVES["logistic"], kind(*sets), tmp_path / "run.npz"
    whole = gh.minimize(f, S, solver, stop=gh.Iterations(12))
    for k in range(1, 5):
        gh.minimize(f, S, solver, stop=gh.Iterations(k), checkpoint=path)
        rest = gh.minimize(f, S, solver, stop=gh.Iterations(12), resume=path)
        assert np.array_equal(rest.point.array(), whole.point.array())
        assert np.array_equal(rest.point.weights, whole.point.weights)
        assert np.array_equal(rest.point.owners, whole.point.owners) and rest.value == whole.value


@pytest.mark.parametrize("solver", [gh.Corrective(batch=1), gh.BlendedPairwise()], ids=repr)
def test_a_run_that_was_killed_goes_on_from_what_it_wrote_last(solver, tmp_path):
    f, path, whole = OBJECTIVES["logistic"], tmp_path / "run.npz", []
    gh.minimize(f, S0, solver, stop=gh.Iterations(12), watch=lambda e: whole.append(e.point.array()))

    def kill(event):
        if path.exists():
            raise MemoryError
        if event.iteration == 1:
            sleep(1.1)  # states are written once a second

    with pytest.raises(MemoryError):
        gh.minimize(f, S0, solver, stop=gh.Iterations(12), checkpoint=path, watch=kill)
    again = []
    s = gh.minimize(f, S0, solver, stop=gh.Iterations(12), resume=path, watch=lambda e: again.append(e.point.array()))
    assert 1 < len(again) < len(whole) and honest(s, f, S0)
    assert all(np.array_equal(a, b) for a, b in zip(again, whole[-len(again):], strict=True))


def test_a_state_of_one_owner_is_taken_over_by_its_point_alone(tmp_path):
    path, S = tmp_path / "run.npz", Blocks(gh.CappedSimplex(4), gh.CappedSimplex(4))
    plain = gh.minimize(f0, gh.CappedSimplex(8), gh.BlendedPairwise(), stop=gh.Iterations(3), checkpoint=path)
    assert S.contains(plain.point)
    with pytest.warns(gh.GreedyhullWarning, match="the set changed"):
        s = gh.minimize(f0, S, gh.BlendedPairwise(), stop=gh.Relative(1e-6), resume=path)
    assert s.converged and honest(s, f0, S)


def test_signed_zeros_leave_no_trace():
    class Signed(Blocks):
        def embedded(self, owner, d):
            d = super().embedded(owner, d)
            minus = self.flip = not getattr(self, "flip", False)
            return extend.Basis(d.index, -0.0) if minus and d.scale == 0.0 else d

    class Negative(Blocks):
        def embedded(self, owner, d):
            x = np.zeros(self.shape) * (-1.0 if rng.random() < 0.5 else 1.0)
            super().embedded(owner, d).add_to(x, 1.0)
            return extend.Dense(x)

    for sets in (SETS["the origin of both"], SETS["two simplices"]):
        plain = gh.minimize(f0, Blocks(*sets), gh.BlendedPairwise(), stop=gh.Iterations(20))
        for kind in (Signed, Negative):
            s = gh.minimize(f0, kind(*sets), gh.BlendedPairwise(), stop=gh.Iterations(20))
            assert len(s.point) == len(plain.point) and np.allclose(s.x, plain.x, atol=1e-12)
            assert not np.signbit(s.x[s.x == 0.0]).any()


def test_the_origin_is_another_atom_for_each_owner():
    f = gh.quadratic(np.eye(8), np.array([0.2, -1, -1, -1, -1, -1, -1, -1]))
    S = Blocks(*SETS["the origin of both"])
    for solver in (gh.BlendedPairwise(), gh.Corrective(), gh.FrankWolfe()):
        s = gh.minimize(f, S, solver, stop=gh.Gap(1e-9) | gh.Iterations(500))
        assert s.converged and set(s.point.atoms.keys) == {(0, (0, 0.3)), (0, (0, 0.0)), (1, (0, 0.0))}
        assert s.point.array()[0] == pytest.approx(0.2, abs=1e-4)


def test_starts_of_every_kind():
    x = np.full(8, 0.2)
    x[:3], x[3:] = 1 / 3, 2 / 5
    before = gh.minimize(f0, S0, stop=gh.Iterations(2))
    for start in (x, before, before.point, S0.argmin(np.ones(8)), extend.Iterate.at(extend.Dense(x), (8,))):
        s = gh.minimize(f0, S0, start=start, stop=gh.Relative(1e-8))
        assert s.converged and honest(s, f0, S0)
    c = gh.certify(f0, S0, before.point)
    assert c.value == pytest.approx(before.value) and c.gap == pytest.approx(before.gap, rel=1e-6, abs=1e-12)
    other = Blocks(gh.CappedSimplex(3, total=1.0), gh.CappedSimplex(5, total=2.0))
    assert honest(gh.minimize(f0, other, start=before.point, stop=gh.Relative(1e-8)), f0, other)


def test_weights_that_do_not_sum_to_one_for_each_owner_are_no_point():
    w = gh.minimize(f0, S0, stop=gh.Iterations(2)).point
    wrong = extend.Iterate(w.atoms, w.weights * np.where(w.owners == 0, 0.5, 1.5), w.shape)
    with pytest.raises(gh.GreedyhullError, match=r"lies outside|for each owner"):
        gh.certify(f0, S0, wrong)


def test_solutions_are_pickled_and_reported(tmp_path):
    s = gh.minimize(f0, S0)
    again = pickle.loads(pickle.dumps(s))
    assert np.array_equal(again.point.owners, s.point.owners) and np.array_equal(again.x, s.x)
    assert "mixes" in s.summary() and s.report(tmp_path / "page.html").exists()
    assert s.bounds() is not None and float(s.constants.M) > 0


def test_float32_data():
    f = gh.least_squares(X.astype(np.float32), y.astype(np.float32))
    for solver in (gh.Corrective(), gh.BlendedPairwise()):
        s = gh.minimize(f, S0, solver, stop=gh.Relative(1e-4) | gh.Iterations(500))
        assert s.converged and honest(s, f, S0)


@pytest.mark.parametrize("whole", [1e-200, 1e-60, 1.0, 1e60])
@pytest.mark.parametrize("size", [1e-70, 1e-8, 1e8, 1e70])
def test_odd_scales(whole, size):
    """The set scaled by ``size``, and f so that its values are of size ``whole``."""
    S, D, b = Blocks(gh.Simplex(4, total=size), gh.Simplex(4, total=2 * size)), np.array([1.0, 2, 3, 4] * 2), rng.random(8)
    if not 1e-300 < whole / size**2 < 1e150:
        pytest.skip("The data of f would overflow.")
    f, g = gh.quadratic(np.diag(whole / size**2 * D), whole / size * b), gh.quadratic(np.diag(D), b)
    best = gh.minimize(g, Blocks(gh.Simplex(4), gh.Simplex(4, total=2.0)), stop=gh.Gap(1e-12)).value
    for solver in (gh.Corrective(), gh.BlendedPairwise()):
        s = gh.minimize(f, S, solver, stop=gh.Gap(1e-9 * whole) | gh.Iterations(2000))
        assert s.converged and s.value / whole == pytest.approx(best, abs=2e-9)


def test_twenty_five_owners_that_share_the_gap_all_go_on():
    d = 50
    f = gh.quadratic(np.eye(d), rng.random(d))
    S = Listed(*[gh.Simplex(2)] * 25)
    s = gh.minimize(f, S, gh.Corrective(batch=1), stop=gh.Gap(1e-10) | gh.Iterations(60))
    assert s.converged and len(s.point.totals) == 25


# --- what is not a product ----------------------------------------------------------------------------------------


def assert_told(kind, words, *sets, solver=None):
    with pytest.raises(gh.GreedyhullError, match=words):
        gh.minimize(f0, kind(*(sets or SETS["two simplices"])), solver, stop=gh.Iterations(5))


def test_a_set_that_says_nothing_of_its_owners():
    class Silent(Blocks):
        owners = property(lambda self: 1, lambda self, value: None)

    assert_told(Silent, "has 2 owners, but the set says owners = 1")


def test_a_set_that_answers_with_one_atom():
    class Single(Blocks):
        def argmin(self, g):
            return written(super().argmin(g), self.shape)

    assert_told(Single, "has 1 owner, but the set says owners = 2.*Joint")
    with pytest.raises(AssertionError, match="which is no Joint"):
        testing.check_atoms(Single(gh.Simplex(3), gh.Simplex(5)))


def test_shortlists_say_whose_their_atoms_are():
    class Nameless(Naming):
        def best(self, g, m=1, *, tol=0.0, enough=-np.inf):
            return super().best(g, m)._replace(owners=None)

    class Partial(Naming):
        def best(self, g, m=1, *, tol=0.0, enough=-np.inf):
            found = super().best(g, m)
            return found._replace(atoms=found.atoms.take(np.array([0])), owners=found.owners[:1])

    for naming, words in ((Nameless, "not whose they are"), (Partial, r"the best one of each of its 2")):
        kind = type("Named", (Blocks,), {"oracle": lambda self, rng, naming=naming: naming(self, Blocks.oracle(self, rng))})
        assert_told(kind, words, solver=gh.Corrective())


def test_a_solver_that_moves_weight_between_owners_is_told():
    class Across:
        def __init__(self, move):
            self.move = move

        def run(self, f, S, w, memory):
            for answer in gh.BlendedPairwise().run(f, S, w, memory):
                yield answer
                self.move(w, f.gradient(w))

    def swap(w, g):
        blocks = np.where(np.arange(8) < 3, 1.0, -1.0)
        w.move(w.between(w.worst(blocks), w.best(blocks).atom), 0.0)

    for move, words in ((swap, "between atoms of one owner only"), (lambda w, g: w.away_from(w.worst(g)), "several owners")):
        with pytest.raises(gh.GreedyhullError, match=words):
            gh.minimize(f0, S0, Across(move), stop=gh.Iterations(3))


@pytest.mark.parametrize("sets", SETS.values(), ids=SETS)
@pytest.mark.parametrize("kind", [Blocks, Listed, Told])
def test_the_kit_accepts_it(kind, sets):
    S = kind(*sets)
    testing.check_atoms(S, minimum=lambda g: sum(T.atom(part).dot(part) for T, part in zip(S.sets, S.slices(g), strict=True)))


def test_the_kit_accepts_objectives_over_it():
    for f in (OBJECTIVES["squares"], OBJECTIVES["logistic"]):
        testing.check_objective(f, S0)


class Forgotten(Blocks):
    """Every part is put at the beginning."""

    def embedded(self, owner, d):
        return extend.Basis(d.index, d.scale)


class Shifted(Blocks):
    """The second part is one place too far to the left."""

    def embedded(self, owner, d):
        d = super().embedded(owner, d)
        return extend.Basis(d.index - owner, d.scale)


class Exchanged(Blocks):
    """Owners are numbered as they come."""

    def argmin(self, g):
        d = super().argmin(g)
        return extend.Joint(d.parts, (0, 1) if g[0] < 0 else (1, 0))


@pytest.mark.parametrize("formula", [True, False], ids=["contains", "no contains"])
@pytest.mark.parametrize("kind, words", [(Forgotten, r"wrong block: those of owner 0 have entries at 0, 1, 2; those of "
                                                     r"owner 1 .*belong to more than one"),
                                         (Shifted, r"wrong block: .*; 2 belong to more than one"),
                                         (Exchanged, "wrong block|owners of a part must be the same")])
def test_the_kit_says_which_part_lies_in_the_wrong_block(kind, words, formula):
    given = {} if formula else {"_holds": extend.AtomSet._holds}
    with pytest.raises(AssertionError, match=words):
        testing.check_atoms(type(kind.__name__, (kind,), given)(gh.Simplex(3), gh.Simplex(5)))
