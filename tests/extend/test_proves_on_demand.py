"""An oracle that proposes atoms without a proof, and proves when it is asked: seldom, and where it decides."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull import extend

RNG = np.random.default_rng(5)
ROWS = np.vstack([RNG.standard_normal((40, 6)), 3.0 * np.eye(6), -3.0 * np.eye(6)])
X, Y = RNG.standard_normal((30, 6)), RNG.standard_normal(30)
F = gh.quadratic(X.T @ X / len(X), X.T @ Y / len(X))  # the loss of squares has a bound that no oracle gave
TRUE = gh.minimize(F, gh.Vertices(ROWS), stop=gh.Gap(1e-12) | gh.Iterations(3000)).value
SOLVERS = [gh.FrankWolfe(), gh.BlendedPairwise(), gh.Corrective()]


class Proposing(gh.AtomSet):
    """Looks through one half of its rows by turns, as badly as it may; a proof takes all, and may fall short by ``off``."""

    bound = 4.0

    def __init__(self, off: float = 0.0) -> None:
        self.shape, self.off, self._proofs, self._proposals = (6,), off, 0, 0

    def __repr__(self) -> str:
        return "Proposing()"

    def argmin(self, g: Any) -> Any:
        return ROWS[int((ROWS @ g).argmin())]

    def oracle(self, rng: Any) -> Any:
        return Halves(self)


class Halves(extend.OracleBase):
    def __init__(self, S: Proposing) -> None:
        self.S, self.calls = S, 0

    def argmin(self, g: Any, tol: float = 0.0, enough: float = -np.inf) -> Any:
        half = ROWS[self.calls % 2 :: 2]
        self.calls += 1
        self.S._proposals += 1
        scores = half @ g
        worst = int(np.where(scores <= scores.min() + tol, scores, -np.inf).argmax())
        return half[worst], np.inf  # a pair of an array and its slack will do

    def floor(self, g: Any, tol: float = 0.0) -> Any:
        self.S._proofs += 1
        self.calls += 1000003  # what a proof does to the oracle must not be noticed
        return float((ROWS @ g).min()) - self.S.off

    def state(self) -> Any:
        return {"calls": np.array(self.calls)}

    def restore(self, state: Any) -> None:
        self.calls = int(state["calls"])


@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
def test_a_request_is_met_with_a_proof(solver: Any) -> None:
    S = Proposing()
    s = gh.minimize(F, S, solver, stop=gh.Gap(1e-2) | gh.Iterations(5000))
    assert s.converged and s.certificate.kind == "always" and s.certificate.lower <= TRUE <= s.value + 1e-12
    assert s.value - TRUE <= s.gap <= 1e-2
    assert S._proofs <= 0.1 * s.iterations + 8
    assert s.trace.oracle_calls[-1] == S._proposals + S._proofs + 1  # the start is one more


@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
def test_a_run_that_ends_is_proved(solver: Any) -> None:
    S = Proposing()
    s = gh.minimize(F, S, solver, stop=gh.Iterations(7))
    exact = gh.certify(F, gh.Vertices(ROWS), s.point)
    assert np.isfinite(s.gap) and s.value - TRUE <= s.gap <= exact.gap + 1e-9 and S._proofs <= 3
    assert np.isfinite(s.trace.gap[0]) and gh.certify(F, S, s.point).gap == pytest.approx(exact.gap, abs=1e-9)


@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
def test_proofs_that_fall_short_are_asked_for_less_and_less_often(solver: Any) -> None:
    S = Proposing(off=0.5)
    s = gh.minimize(F, S, solver, stop=gh.Gap(1e-2) | gh.Iterations(400))
    assert not s.converged and s.gap >= 0.5 and s.certificate.lower <= TRUE
    assert S._proofs <= 0.1 * s.iterations + 10


@pytest.mark.parametrize("first", [gh.Iterations(13), gh.Gap(0.3), gh.Gap(2.0), gh.Gap(6.0),
                                   gh.Iterations(20) | gh.Gap(0.05)], ids=repr)
@pytest.mark.parametrize("solver", [*SOLVERS, gh.FrankWolfe(gh.OpenLoop(), tolerance=gh.of_gap(0.5)), gh.Jones(),
                                    gh.Aggregated(gh.FrankWolfe(gh.OpenLoop()))], ids=repr)
def test_a_resumed_run_goes_on_bit_by_bit(solver: Any, first: Any, tmp_path: Path) -> None:
    """Whatever was asked of the first part: proofs for its stop do not steer."""
    whole = gh.minimize(F, Proposing(), solver, stop=gh.Iterations(45))
    part = gh.minimize(F, Proposing(), solver, stop=first | gh.Iterations(40), checkpoint=tmp_path / "run.npz")
    rest = gh.minimize(F, Proposing(), solver, stop=gh.Iterations(45), resume=tmp_path / "run.npz")
    k = part.iterations
    np.testing.assert_array_equal(whole.trace.value[k:], rest.trace.value)
    np.testing.assert_array_equal(whole.point.array(), rest.point.array())
    assert rest.certificate.lower <= TRUE


class Known(Proposing):
    """The same as a set of the library, which a saved state is known to be about."""

    __module__ = "greedyhull.atoms.known"

    def argmin(self, g: Any) -> Any:
        return extend.Dense(super().argmin(g))


def test_a_proof_is_not_asked_for_again_by_a_resumed_run(tmp_path: Path) -> None:
    """Saved at iteration 10, where a proof was due: the bound is the same to the last bit, and so is all that follows."""
    solver, S = gh.FrankWolfe(gh.OpenLoop(), tolerance=gh.of_gap(0.5)), Known()
    whole = gh.minimize(F, Known(), solver, stop=gh.Iterations(30))
    gh.minimize(F, Known(), solver, stop=gh.Iterations(10), checkpoint=tmp_path / "run.npz")
    rest = gh.minimize(F, S, solver, stop=gh.Iterations(30), resume=tmp_path / "run.npz")
    for column in ("value", "gap", "oracle_calls"):
        np.testing.assert_array_equal(whole.trace[column], rest.trace[column])
    assert S._proofs == 2  # at iteration 20 and at the end
    assert rest.certificate == whole.certificate


def test_a_sharper_bound_from_the_mean_is_proved_too() -> None:
    s = gh.minimize(F, Proposing(), gh.Aggregated(gh.FrankWolfe(gh.OpenLoop())), stop=gh.Gap(0.5) | gh.Iterations(3000))
    assert s.converged and s.certificate.lower <= TRUE


@pytest.mark.parametrize("solver", [gh.StochasticFrankWolfe(), gh.StochasticFrankWolfe(look=gh.MinibatchGap(10)),
                                    gh.RegularizedStochasticFrankWolfe()], ids=repr)
def test_looks_are_proved(solver: Any) -> None:
    f = gh.finite_sum(lambda w, i: 0.5 * float(((X[i] @ w - Y[i]) ** 2).mean()),
                      lambda w, i: X[i].T @ (X[i] @ w - Y[i]) / len(i), len(X), 6)
    s = gh.minimize(f, Proposing(), solver, stop=gh.Iterations(60))
    least = TRUE + 0.5 * (Y**2).mean()
    assert s.certificate.gap is not None and s.value - least <= s.certificate.gap < np.inf


def test_kinks_and_valleys_are_certified() -> None:
    """Smoothed, and f that is not convex."""
    kinked = gh.absolute(X, Y)
    least = gh.minimize(kinked, gh.Vertices(ROWS), gh.Smoothed(), stop=gh.Relative(1e-9) | gh.Iterations(2000)).value
    s = gh.minimize(kinked, Proposing(), gh.Smoothed(), stop=gh.Gap(1e-2) | gh.Iterations(2000))
    assert s.converged and s.certificate.lower <= least + 1e-12
    Q = np.diag([1.0, -0.1, 1.0, 1.0, 1.0, 1.0])
    valley = gh.function(lambda x: 0.5 * x @ Q @ x - x.sum(), lambda x: Q @ x - 1.0, 6, convex=False)
    s = gh.minimize(valley, Proposing(), gh.FrankWolfe(), stop=gh.Gap(1e-2) | gh.Iterations(3000))
    assert s.converged and s.certificate.kind == "stationary"


def test_a_floor_above_its_own_atom_is_an_error() -> None:
    with pytest.raises(gh.GreedyhullError, match="floor is wrong"):
        gh.minimize(F, Proposing(off=-5.0), gh.FrankWolfe(), stop=gh.Iterations(3))


@pytest.mark.parametrize("lower, words", [(np.nan, "nowhere below"), (np.inf, "nowhere below"), ("low", "nowhere below"),
                                          (None, "nowhere below"), (extend.Floor(0.0, "sometimes"), "kind 'sometimes'"),
                                          (extend.Floor(0.0, "probability", -0.1), "delta=-0.1")])
def test_what_is_no_floor_is_refused(lower: Any, words: str) -> None:
    class Wrong(Halves):
        def floor(self, g: Any, tol: float = 0.0) -> Any:
            return lower

    class Set(Proposing):
        def oracle(self, rng: Any) -> Any:
            return Wrong(self)

    with pytest.raises(gh.GreedyhullError, match=words):
        gh.minimize(F, Set(), gh.FrankWolfe(), stop=gh.Iterations(3))


def test_an_oracle_that_cannot_prove_anything_leaves_the_gap_open() -> None:
    class Silent(Halves):
        floor = extend.OracleBase.floor

    class Set(Proposing):
        def oracle(self, rng: Any) -> Any:
            return Silent(self)

    s = gh.minimize(F, Set(), gh.FrankWolfe(), stop=gh.Gap(1e-2) | gh.Iterations(50))
    assert not s.converged and s.certificate.lower == -np.inf and "no bound yet" in s.reason


def test_the_kit_accepts_it() -> None:
    extend.check_atoms(Proposing(), vertices=ROWS, trials=5)
