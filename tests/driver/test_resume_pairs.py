"""Runs resume bit for bit: every set with every solver and objective, every solver with every objective, at several points.

A state is what a process that is killed at that moment leaves behind: it is taken while the whole run goes on. The full
product belongs to the fuzz, which also stops runs.
"""

from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp

import greedyhull as gh
from greedyhull.atoms.grouped_simplex import TurnoverSimplex
from greedyhull.driver import checkpoint as saving
from greedyhull.driver import run
from greedyhull.driver.checkpoint import save_state
from greedyhull.solvers.gradients import Minibatch, Saga, Spider, Storm

rng = np.random.default_rng(5)
D, N, K = 9, 25, 14
X, y, shift = rng.standard_normal((N, D)), rng.standard_normal(N), rng.standard_normal(D)
P, V, B = rng.random((N, D)) + 0.1, rng.standard_normal((14, D)), rng.standard_normal((D, 3))
Q, b = X.T @ X / N, rng.standard_normal(D)
signs, few, groups, counts = np.sign(y), X * (np.abs(X) > 0.7), np.arange(D) // 3, np.floor(3 * P[:, 0])
EDGES = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3), (3, 4), (2, 4), (1, 4)]
C, Y, labels = X[:, :3], rng.standard_normal((N, 3)), np.arange(N) % 3
SHARES = np.array([0.2, 0.3, 0.5]), np.array([0.4, 0.4, 0.2])

tv, tree = partial(gh.TotalVariationBall, D, 1.5), partial(gh.SpanningTree, EDGES, 5)
program = partial(gh.LinearProgram, np.vstack([np.ones(D), np.arange(D)]), [2.0, 6.0], bounds=[(0, 1)] * D)
nuclear, birkhoff = partial(gh.NuclearBall, (3, 3), 1.1), partial(gh.Birkhoff, 3)


class Halved(gh.AtomSet):
    """A set of a user's own, which numbers its atoms and begins at one without a number, as `TotalVariationBall` does."""

    shape = (D,)

    def argmin(self, g):
        j = int((V @ g).argmin())
        return gh.Dense(V[j], j)

    def start(self, rng):
        return gh.Dense(V.mean(axis=0))


FLAT = {
    "Box": lambda: gh.Box(-np.ones(D), P[0]), "LinfBall": lambda: gh.LinfBall(D, 0.7), "L1Ball": lambda: gh.L1Ball(D, 1.2),
    "weighted": lambda: gh.L1Ball(D, 1.2, weights=P[0]), "L2Ball": lambda: gh.L2Ball(D, 0.8),
    "LpBall": lambda: gh.LpBall(D, 0.8, 3.0), "Simplex": lambda: gh.Simplex(D, 1.3),
    "upper": lambda: gh.Simplex(D, upper=0.3),
    "lower": lambda: gh.Simplex(D, lower=0.02), "CappedSimplex": lambda: gh.CappedSimplex(D, 1.1),
    "HyperSimplex": lambda: gh.HyperSimplex(D, 3), "KSparse": lambda: gh.KSparse(D, 2, 0.6),
    "KSupport": lambda: gh.KSupport(D, 2, 0.9), "GroupL1Ball": lambda: gh.GroupL1Ball(groups, 0.9),
    "GroupedSimplex": lambda: gh.GroupedSimplex(groups, upper=0.4, group_upper=0.6),
    "TurnoverSimplex": lambda: TurnoverSimplex(gh.GroupedSimplex(groups), np.eye(D)[0], 0.6),
    "Permutahedron": lambda: gh.Permutahedron(shift), "TotalVariationBall": tv, "LinearProgram": program, "SpanningTree": tree,
    "PathPolytope": lambda: gh.PathPolytope(EDGES, 5, 0, 4), "Vertices": lambda: gh.Vertices(V),
    "columns": lambda: gh.Vertices(np.asfortranarray(V)), "sparse": lambda: gh.Vertices(sp.csr_array(V * (V > 0.5))),
    "oracle": lambda: gh.oracle(lambda g: V[int((V @ g).argmin())], D), "own": Halved,
    "Product": lambda: gh.Product(gh.Simplex(3), gh.TotalVariationBall(4, 0.7), gh.Box(-np.ones(2), np.ones(2))),
    "matrices": lambda: gh.Product(gh.Spectrahedron(2), gh.NuclearBall((2, 2), 0.8), gh.Simplex(1)),
    "Sum": lambda: gh.Sum(gh.TotalVariationBall(D, 0.4), gh.L2Ball(D, 0.2)), "Scaled": lambda: gh.Scaled(tv(), -0.7),
    "Translated": lambda: gh.Translated(tree(), shift), "shifted": lambda: gh.Translated(tv(), shift),
    "Cached": lambda: gh.Cached(tv(), size=3), "Inexact": lambda: gh.Inexact(tv(), gh.harmonic(1.0)),
    "both": lambda: gh.Cached(gh.Inexact(program(), 0.05), size=3),
}
MATRICES = {
    "Birkhoff": birkhoff, "Transport": lambda: gh.Transport(*SHARES), "NuclearBall": nuclear,
    "Spectrahedron": lambda: gh.Spectrahedron(3), "Cached": lambda: gh.Cached(nuclear(), size=3),
    "Translated": lambda: gh.Translated(nuclear(), shift.reshape(3, 3)), "Sum": lambda: gh.Sum(nuclear(), birkhoff()),
    "Inexact": lambda: gh.Inexact(birkhoff(), 0.1),
}


class F(NamedTuple):
    """An objective, and what it has: ``terms`` of a sum, those of a ``linear`` model, ``newton`` steps, gradients that are
    ``even``, Lipschitz everywhere, or ``kinks``."""

    make: Any
    has: str = "smooth terms linear newton even"


WHOLE, KINKED = "smooth newton even", "kinks terms linear"
BENT = "smooth terms linear newton"
FLAT_F = {
    "least_squares": F(lambda: gh.least_squares(X, 3 * y)), "csr": F(lambda: gh.least_squares(sp.csr_array(few), y)),
    "intercept": F(lambda: gh.least_squares(X, y, intercept=True), WHOLE), "l2": F(lambda: gh.logistic(X, signs, l2=0.1)),
    "float32": F(lambda: gh.least_squares(X.astype(np.float32), y)),
    "logistic": F(lambda: gh.logistic(X, signs, intercept=True), WHOLE), "huber": F(lambda: gh.huber(X, y, 0.3)),
    "squared_hinge": F(lambda: gh.squared_hinge(X, signs)), "lp_loss": F(lambda: gh.lp_loss(X, y, 3.0), BENT),
    "poisson": F(lambda: gh.poisson(0.3 * X, counts), BENT), "hinge": F(lambda: gh.hinge(X, signs), KINKED),
    "absolute": F(lambda: gh.absolute(X, y, intercept=True), "kinks"), "quantile": F(lambda: gh.quantile(X, y, 0.3), KINKED),
    "epsilon_insensitive": F(lambda: gh.epsilon_insensitive(X, y, 0.1), KINKED),
    "quadratic": F(lambda: gh.quadratic(Q, b), WHOLE),
    "diagonal": F(lambda: gh.quadratic(np.diag(P[0]), b), WHOLE),
    "function": F(lambda: gh.function(lambda w: 0.5 * float(w @ Q @ w) - float(b @ w), lambda w: Q @ w - b, D), "smooth"),
    "finite_sum": F(lambda: gh.finite_sum(lambda w, i: 0.5 * float(np.mean((X[i] @ w - y[i]) ** 2)),
                                          lambda w, i: X[i].T @ (X[i] @ w - y[i]) / len(i), N, D), "smooth terms"),
}
MATRIX_F = {
    "multitask": F(lambda: gh.multitask(C, Y), WHOLE),
    "multinomial": F(lambda: gh.multinomial(C, labels, intercept=True), WHOLE),
    "completion": F(lambda: gh.completion([0, 0, 1, 2, 2], [0, 1, 1, 0, 2], [1.0, 0.5, -0.3, 0.8, 0.2], (3, 3)), WHOLE),
    "function": F(lambda: gh.function(lambda w: 0.5 * float((w * w).sum() - (w * Y[:3]).sum()), lambda w: w - 0.5 * Y[:3],
                                      (3, 3)), "smooth"),
}


class Solving(NamedTuple):
    """A solver, what it needs of an objective, and of a set: ``one`` owner, ``several``, or known ``faces``."""

    solver: Any
    needs: str = "smooth"
    of: str = ""

    def takes(self, f, S):
        one = S.traits.owners == 1
        slow = "kinks" in f.has and not one  # minutes over products and sums
        where = {"": True, "one": one, "several": isinstance(S, gh.Product), "faces": S.traits.faces}[self.of]
        return where and not slow and set(self.needs.split()) <= set(f.has.split())


SFW, Reduced, TERMS = gh.StochasticFrankWolfe, gh.VarianceReducedJones, "smooth terms"
SOLVERS = {
    "default": Solving(None, ""), "Jones": Solving(gh.Jones(), ""), "PairwiseJones": Solving(gh.PairwiseJones(), "", "one"),
    "FrankWolfe": Solving(gh.FrankWolfe()), "backtracking": Solving(gh.FrankWolfe(gh.Backtracking())),
    "lazy": Solving(gh.FrankWolfe(gh.OpenLoop(), gh.harmonic())), "BlendedPairwise": Solving(gh.BlendedPairwise()),
    "Corrective": Solving(gh.Corrective(batch=1), "newton"), "AwayStep": Solving(gh.AwayStep(), of="one"),
    "Pairwise": Solving(gh.Pairwise(gh.Backtracking()), of="one"),
    "DecompositionInvariant": Solving(gh.DecompositionInvariant(), of="faces"),
    "BlockCoordinate": Solving(gh.BlockCoordinate("random"), of="several"),
    "Mixed": Solving(gh.Mixed((gh.FrankWolfe(gh.OpenLoop()), gh.PairwiseJones()), "better"), of="one"),
    "Aggregated": Solving(gh.Aggregated(gh.BlendedPairwise(), every=3)),
    "Smoothed": Solving(gh.Smoothed(gh.BlendedPairwise(), 0.1), "kinks"),
    "StochasticFrankWolfe": Solving(SFW(Minibatch(3), gh.OpenLoop(), look=gh.Regret()), TERMS),
    "saga": Solving(SFW.saga(), "smooth linear"), "svrf": Solving(SFW.svrf(), TERMS),
    "dual": Solving(SFW.dual(), "smooth linear"),
    "sampled": Solving(SFW(Saga(), gh.OpenLoop(), look=gh.MinibatchGap(20, 0.1)), "smooth linear"),
    "StochasticJones": Solving(gh.StochasticJones(2, gh.OpenLoop()), TERMS),
    "VarianceReducedJones": Solving(Reduced(Spider(2, 5), gh.OpenLoop()), TERMS),
    "storm": Solving(Reduced(Storm(2), gh.OpenLoop()), TERMS),
    "Regularized": Solving(gh.RegularizedStochasticFrankWolfe(gh.Fading(), batch=2), "terms"),
    "Moreau": Solving(gh.MoreauFrankWolfe(4, 2), "terms"), "LuFreund": Solving(gh.LuFreund(4), "smooth linear"),
    "Storc": Solving(gh.Storc(0.01), "even terms"),
}


def covering(sets, objectives):
    """Few triples that have every possible pair in common: each takes the objective that covers most of what is left."""
    made = {name: make() for name, make in sets.items()}
    fits = {(s, l, f) for s, l, f in product(sets, SOLVERS, objectives) if SOLVERS[l].takes(objectives[f], made[s])}
    pairs = lambda s, l, f: {("set, solver", s, l), ("set, objective", s, f), ("solver, objective", l, f)}
    left, chosen = set().union(*(pairs(*one) for one in fits)), []
    for s, l in product(sets, SOLVERS):
        can = [f for f in objectives if (s, l, f) in fits]
        if can:
            chosen.append((s, l, max(can, key=lambda f: len(pairs(s, l, f) & left))))
            left -= pairs(*chosen[-1])
    for one in sorted(fits):
        if pairs(*one) & left:
            chosen.append(one)
            left -= pairs(*one)
    return chosen


PLAN = [(sets, fs, one) for sets, fs in ((FLAT, FLAT_F), (MATRICES, MATRIX_F)) for one in covering(sets, fs)]


def differences(whole, rest, bound):
    """What is not the same to the last bit; with a ``bound``, gaps and the trace are compared, too."""
    a, c = whole.certificate, rest.certificate
    one = {"x": whole.point.array(), "value": a.value, "k": whole.iterations, **whole.point.state()}
    two = {"x": rest.point.array(), "value": c.value, "k": rest.iterations, **rest.point.state()}
    if bound:
        one |= {"gap": a.gap, "lower": a.lower, "kind": a.kind, "delta": a.delta, **whole.trace.to_dict()}
        two |= {"gap": c.gap, "lower": c.lower, "kind": c.kind, "delta": c.delta, **rest.trace.to_dict()}
    own = {"work", "seconds", "gradient_calls", "products", "oracle_calls"}  # what resuming costs is counted
    names = [name for name in one.keys() | two.keys() if name not in own and not name.startswith("view.")]
    return sorted(name for name in names if not (name in one and name in two and same(one[name], two[name])))


def same(one, two):
    if one is None or two is None:
        return one is two
    return np.array_equal(one, two, equal_nan=np.asarray(one).dtype.kind == "f")


@pytest.mark.filterwarnings("ignore::greedyhull.GreedyhullWarning")
@pytest.mark.parametrize("part", range(8))
def test_every_pair_resumes_bit_for_bit(part, tmp_path, monkeypatch):
    kept: dict[int, Any] = {}
    monkeypatch.setattr(run, "SAVE_EVERY", -np.inf)  # at every event
    monkeypatch.setattr(saving.CheckpointFile, "save",
                        lambda file, run, event: kept.update({event.iteration: saving.state_of(run)}))
    wrong, file = [], tmp_path / "state.npz"
    for number, (sets, objectives, (s, l, f)) in enumerate(PLAN[part::8]):
        solve = partial(gh.minimize, objectives[f].make(), sets[s](), SOLVERS[l].solver, stop=gh.Iterations(K), seed=3)
        kept.clear()
        whole = solve(checkpoint=tmp_path / "none.npz")
        known = f not in ("function", "finite_sum") and s not in ("oracle", "own")  # else the bound is found again
        events = sorted(kept)[:-1] or [0]
        k = events[(7 * number + 3) % len(events)]  # every pair is in several triples, so that it resumes at several points
        save_state(file, kept[k])
        rest = solve(resume=file, watch=lambda event: None)
        wrong += [f"{l} of {f} over {s} at {k}: {told}" for told in [differences(whole, rest, known)] if told]
    assert not wrong, "\n".join(wrong)
