"""Corrective rounds in the compiled core: they agree with the Python rounds, and hand over what NumPy computes."""

from itertools import product

import compiled_problems
import numpy as np
import pytest
from compiled_problems import COUNTS, LABELS, LOSSES, OPTIONS, POSITIVE, STORAGES, D, X, Y, check_handed_over
from scipy import sparse

import greedyhull as gh
from greedyhull.atoms.simplex import PositiveL1Ball
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import dense
from greedyhull.solvers.parts.compiled_loop import CompiledRounds, compiled_rounds

POINTS = np.random.default_rng(6).standard_normal((60, D))

SETS = {
    "L1Ball": gh.L1Ball(D, 1.5),
    "L1Ball, weighted": gh.L1Ball(D, 1.5, weights=np.linspace(0.5, 2.0, D)),
    "Simplex": gh.Simplex(D, 2.0),
    "CappedSimplex": gh.CappedSimplex(D, 1.5),
    "PositiveL1Ball": PositiveL1Ball(D, 1.5, weights=np.linspace(2.0, 0.5, D)),
    "Vertices": gh.Vertices(np.abs(np.random.default_rng(4).standard_normal((12, D)))),
    "Vertices, sparse": gh.Vertices(sparse.csr_array(np.abs(sparse.random_array((12, D), density=0.4, rng=4).toarray())
                                                     + 0.3 * np.eye(12, D))),
    "Cached": gh.Cached(gh.L1Ball(D, 1.5)),
}
TIGHT = gh.Relative(1e-8) | gh.Iterations(300)


def made(loss, name, storage, options):
    """An objective and its set, or None where there is no such objective."""
    if loss == "log_likelihood" and (options[2] or name in ("L1Ball", "L1Ball, weighted", "Cached")):
        return None
    return compiled_problems.made(loss, storage, options), SETS[name]


def by_core(monkeypatch, f, S, **how):
    return compiled_problems.by_core(monkeypatch, CompiledRounds, f, S, check_weights, **{"stop": TIGHT, **how})


def check_weights(w):
    assert w.weights.min() >= 0.0 and w.weights.sum() == pytest.approx(1.0, rel=1e-13)


def by_reference(monkeypatch, f, S, **how):
    return compiled_problems.by_reference(monkeypatch, "compiled_rounds", f, S, **{"stop": TIGHT, **how})


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("loss", LOSSES)
def test_core_and_reference_agree(loss, name, monkeypatch):
    """Both are certified, and some value is possible by both certificates; each storage meets other options."""
    first = list(LOSSES).index(loss) + 5 * list(SETS).index(name)
    for i, storage in enumerate(STORAGES):
        for options in (OPTIONS[(first + 3 * i) % 16], OPTIONS[(first + 3 * i + 7) % 16]):
            both = made(loss, name, storage, options)
            if both is None:
                continue
            f, S = both
            s, seen = by_core(monkeypatch, f, S)
            rough = options[0] is np.float32  # the Python rounds compute in float32, the core does not
            other = by_reference(monkeypatch, f, S, stop=gh.Relative(1e-5) if rough else TIGHT)
            about = f"{storage}, {options}"
            assert s.converged and other.converged, f"{about}: {s.reason} {other.reason}"
            assert max(s.certificate.lower, other.certificate.lower) <= min(s.value, other.value), about
            assert S.contains(s.point), about
            check_handed_over(f, seen)


@pytest.mark.parametrize("l2", [0.0, 0.3])
@pytest.mark.parametrize("name", SETS)
def test_the_gap_is_that_of_the_oracle(name, l2):
    """Also where the origin is the best atom: rounds that nobody sees rest on the core's own gap."""
    S, targets = SETS[name], (Y, -np.abs(POSITIVE).sum(axis=1), 20.0 * POSITIVE.sum(axis=1))
    for y, x in product(targets, (S[0], S[1], S[2])):
        f = gh.least_squares(POSITIVE, y, l2=l2)
        w = Iterate(S.block(np.array([0, 1])), np.array([0.3, 0.7]), S.shape) if name.startswith("Vertices") else S.decompose(
            0.5 * dense(x, S.shape) + 0.5 * dense(S[3], S.shape))
        rounds = compiled_rounds(f, S, w, 30, 5)
        g = f.gradient(w)
        gap = f.gradient_dot(w) - S.argmin(g).dot(g)
        assert rounds.gap == pytest.approx(gap, rel=1e-12)


# --- states -------------------------------------------------------------------------------------------------------------


def tall(n, d=5):
    """So many rows that Hessians are sampled early, and from 16000 on a part of the rows is solved for first."""
    rng = np.random.default_rng(n)
    A = rng.standard_normal((n, d))
    return A, np.sign(A @ np.linspace(1.0, -1.0, d) + rng.standard_normal(n))


SAVED = {
    "sampled Hessian": lambda: (gh.logistic(*tall(6000)), gh.L1Ball(5, 2.5)),
    "a part of the rows first": lambda: (gh.logistic(*tall(16100), intercept=True), gh.L1Ball(5, 2.5)),
    "a part of sparse rows first": lambda: (gh.logistic(sparse.csr_array(tall(16100)[0]), tall(16100)[1]), gh.L1Ball(5, 2.5)),
    "points": lambda: (gh.huber(X, Y, 0.3), gh.Vertices(POINTS)),
    "ridge": lambda: (gh.poisson(X, COUNTS, l2=0.1), gh.Simplex(D)),
    "asked": lambda: (gh.absolute(X, Y).smoothed(0.1), gh.L1Ball(D, 1.5)),
}


@pytest.mark.parametrize("name", SAVED)
def test_a_resumed_run_is_equal_bit_by_bit(name, tmp_path):
    solver, stop = gh.Corrective(batch=2, steps=1), gh.Relative(1e-10) | gh.Iterations(20)
    f, S = SAVED[name]()
    whole = gh.minimize(f, S, solver, stop=stop)
    assert whole.iterations > 1
    for k in range(whole.iterations):
        path = tmp_path / f"{k}.npz"
        gh.minimize(f, S, solver, stop=stop | gh.Iterations(k), checkpoint=path)
        again = gh.minimize(*SAVED[name](), solver, stop=stop, resume=path)
        assert again.trace.value[k:].tolist() == whole.trace.value[k:].tolist(), f"resumed at {k}"
        assert again.point.array().tobytes() == whole.point.array().tobytes()
        assert again.gap == pytest.approx(whole.gap, rel=1e-12)


@pytest.mark.parametrize("loss", ["logistic", "least_squares", "hinge, smoothed"])
def test_python_goes_on_with_float32_data(loss, monkeypatch):
    """The core has handed over images in float64; the Python rounds compute in float32."""
    monkeypatch.setattr(CompiledRounds, "advance", lambda *given: False)
    for name, storage in (("L1Ball", "C"), ("Simplex", "CSR"), ("Vertices", "F")):
        f, S = made(loss, name, storage, (np.float32, False, False, 0.0))
        s = gh.minimize(f, S, gh.Corrective(), stop=gh.Relative(1e-4))
        assert s.converged, s.reason


def test_where_the_core_can_do_no_more_python_goes_on(monkeypatch, tmp_path):
    """The rounds go on with the same count, and a state that is saved after that is taken up by Python."""
    f, S, solver = gh.logistic(X, LABELS), gh.L1Ball(D, 2.5), gh.Corrective(batch=1, steps=1)
    advance, left = CompiledRounds.advance, [2]

    def failing(rounds, w, memory, *ahead):
        left[0] -= 1
        return left[0] >= 0 and advance(rounds, w, memory, *ahead)

    monkeypatch.setattr(CompiledRounds, "advance", failing)
    whole = gh.minimize(f, S, solver, stop=TIGHT, watch=lambda event: None)
    assert whole.converged and left[0] < 0 and whole.trace.iteration.tolist() == list(range(whole.iterations + 1))
    left[0] = 2
    gh.minimize(f, S, solver, stop=gh.Iterations(4), checkpoint=tmp_path / "state.npz")
    left[0] = 1000
    again = gh.minimize(f, S, solver, stop=TIGHT, resume=tmp_path / "state.npz")
    assert left[0] == 1000, "the core is not asked again"
    assert again.trace.value[4:].tolist() == whole.trace.value[4:].tolist()


# --- the edge of its range ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [80.0, 1e3])
@pytest.mark.parametrize("loss", [loss for loss in LOSSES if loss != "log_likelihood"])
def test_an_intercept_far_away_is_found(loss, scale, monkeypatch):
    """Images of hundreds: slopes are exponentials or constants there. A wrong intercept would make a false certificate."""
    f = LOSSES[loss](X, intercept=True)
    for S in (gh.Simplex(D, scale), gh.Vertices(scale * POINTS), gh.L1Ball(D, scale)):
        stop = gh.Relative(1e-6) | gh.Iterations(20)
        s = gh.minimize(f, S, gh.Corrective(), stop=stop)
        other = by_reference(monkeypatch, f, S, stop=stop)
        assert max(s.certificate.lower, other.certificate.lower) <= min(s.value, other.value), S
        assert s.value == pytest.approx(f.exact.value(X @ s.point.array()), rel=1e-9, abs=1e-12)


def test_rounds_that_only_stir_the_last_digits_end():
    """Opposite columns and a large radius: weights of 250 cancel, and the core's steps drown. Python goes on from there."""
    rng = np.random.default_rng(0)
    A = rng.standard_normal((20, 6))
    y = rng.standard_normal(20) + A[:, 0]
    A[:, 2], A[:, 4], A[:, 5] = 0.0, A[:, 1], -A[:, 0]
    for f in (gh.squared_hinge(A, np.where(y > 0, 1, -1)), gh.lp_loss(A, y, 3.0)):
        s = gh.minimize(f, gh.Simplex(6, 500.0), gh.Corrective(), stop=gh.Relative(1e-7) | gh.Iterations(60))
        assert s.converged, s.reason


def test_what_an_inner_loop_hears_ends_the_rounds():
    """Python is asked every ten milliseconds; once it says that a run must end, nobody begins another round."""
    rng = np.random.default_rng(0)
    big = rng.standard_normal((3000, 600))
    f, S = gh.logistic(big, np.sign(big[:, 0] + rng.standard_normal(3000))), gh.L1Ball(600, 60.0)
    rounds = compiled_rounds(f, S, Iterate.at(S.oracle(None).argmin(np.ones(600)).atom, S.shape), 20, 5)
    asked = []
    ending, _ = rounds.core.advance(1000, 0.0, 0.0, 0.0, -np.inf, lambda: not asked.append(1))
    assert ending == 2 and len(asked) == 1  # else the first answer was forgotten


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge", "huber"])
@pytest.mark.parametrize("seed", range(4))
def test_resumed_runs_keep_the_intercept_that_was_found(loss, seed, tmp_path):
    rng = np.random.default_rng(seed)
    scaled = 1e3 * rng.standard_normal((30, 12))
    t = np.sign(scaled[:, 0] + 1e3 * rng.standard_normal(30))
    f = getattr(gh, loss)(scaled, t if loss != "huber" else scaled[:, 0] + t, intercept=True)
    S, solver = gh.L1Ball(12, 3.0), gh.Corrective(batch=2)
    whole = gh.minimize(f, S, solver, stop=gh.Iterations(6), watch=lambda e: None)
    for k in range(4):
        gh.minimize(f, S, solver, stop=gh.Iterations(k), checkpoint=tmp_path / "run.npz")
        again = gh.minimize(f, S, solver, stop=gh.Iterations(6), resume=tmp_path / "run.npz", watch=lambda e: None)
        assert again.x.tobytes() == whole.x.tobytes() and again.value == whole.value
