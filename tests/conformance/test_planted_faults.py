"""The kit finds what is planted: for each promise, a piece that breaks it and nothing else."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.atoms.base import OracleBase
from greedyhull.objectives.designs.stored import DenseDesign
from greedyhull.objectives.lines import Curve, Parabola
from greedyhull.objectives.losses.smooth import Huber, Logistic, NegativeLog, Squared
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.solver_state import Memory
from greedyhull.solvers.parts.steps import Plain
from greedyhull.testing import check_atoms, check_design, check_loss, check_objective, check_solver, check_step, small_problems
from greedyhull.types import Answer, Floor

Array = Any
y = np.array([0.5, -1.0, 2.0, 0.3])
signs = np.array([1.0, -1.0, 1.0, 1.0])


# --- sets ---------------------------------------------------------------------------------------------------------


class WrongSign(gh.L1Ball):
    best, scores, block, __getitem__ = gh.L1Ball.best, gh.L1Ball.scores, gh.L1Ball.block, gh.L1Ball.__getitem__

    def argmin(self, g: Array) -> Any:
        d = super().argmin(g)
        return gh.Basis(d.index, -d.scale)


class Forgetful(gh.L1Ball):
    """Only looks at the first coordinates."""

    best, scores, block, __getitem__ = gh.L1Ball.best, gh.L1Ball.scores, gh.L1Ball.block, gh.L1Ball.__getitem__

    def argmin(self, g: Array) -> Any:
        return super().argmin(np.where(np.arange(len(g)) < 3, g, 0.0))


class TooLong(gh.L1Ball):
    best, scores, block, __getitem__ = gh.L1Ball.best, gh.L1Ball.scores, gh.L1Ball.block, gh.L1Ball.__getitem__

    def argmin(self, g: Array) -> Any:
        d = super().argmin(g)
        return gh.Basis(d.index, 1.001 * d.scale)


class Unordered(gh.L1Ball):
    def best(self, g: Array, m: int) -> Any:
        block = super().best(g, m)
        return block.take(np.arange(len(block))[::-1])


class Wide(gh.L1Ball):
    """Contains too much."""

    def _holds(self, x: Array, tol: float) -> bool:
        return super()._holds(x / 2, tol)


class Narrow(gh.L1Ball):
    """Contains too little."""

    def _holds(self, x: Array, tol: float) -> bool:
        return super()._holds(1.5 * x, tol)


class Elsewhere(gh.L1Ball):
    def decompose(self, w: Array) -> Iterate:
        return super().decompose(0.9 * w)


class Underrated(gh.L1Ball):
    def max_abs(self, c: Array) -> float:
        return 0.5 * super().max_abs(c)


class Misnumbered(gh.L1Ball):
    def scores(self, g: Array) -> Array:
        return super().scores(g)[::-1]


class Small(gh.L1Ball):
    @property
    def diameter(self) -> float:
        return 0.9 * super().diameter


class Round(gh.L1Ball):
    @property
    def circumradius(self) -> float:
        return 0.9 * super().circumradius


class Flat(gh.L1Ball):
    def curvature(self, form: Any) -> Any:
        M = super().curvature(form)
        return type(M)(0.9 * M.value, M.status, M.name)


class Boastful(gh.L1Ball):
    """Says that a bound is exact."""

    def curvature(self, form: Any) -> Any:
        M = super().curvature(form)
        return type(M)(1.1 * M.value, "exact", M.name)


class _Answers(OracleBase):
    def __init__(self, S: Any) -> None:
        self.S, self.calls = S, 0

    def argmin(self, g: Array, tol: float = 0.0, enough: float = -np.inf) -> Answer:
        return Answer(self.S.argmin(g))


class Overrated(gh.L1Ball):
    """Proves more than is true."""

    def oracle(self, rng: Any) -> Any:
        class Oracle(_Answers):
            def floor(self, g: Array, tol: float = 0.0) -> Floor:
                return Floor(0.9 * super().floor(g, tol).lower)

        return Oracle(self)


class Fickle(gh.L1Ball):
    """Answers by the number of calls and does not save it."""

    best, scores, block, __getitem__ = gh.L1Ball.best, gh.L1Ball.scores, gh.L1Ball.block, gh.L1Ball.__getitem__

    def oracle(self, rng: Any) -> Any:
        class Oracle(_Answers):
            def argmin(self, g: Array, tol: float = 0.0, enough: float = -np.inf) -> Answer:
                self.calls += 1
                if self.calls % 7:
                    return Answer(self.S.argmin(g))
                d = self.S.argmin(-g)
                return Answer(d, float(2 * abs(d.dot(g))) + 1e-9)

        return Oracle(self)


class Humble(gh.L1Ball):
    """An inexact oracle with too small a slack."""

    best, scores, block, __getitem__ = gh.L1Ball.best, gh.L1Ball.scores, gh.L1Ball.block, gh.L1Ball.__getitem__

    def oracle(self, rng: Any) -> Any:
        class Oracle(_Answers):
            def argmin(self, g: Array, tol: float = 0.0, enough: float = -np.inf) -> Answer:
                second = self.S.best(g, 2)[1]
                return Answer(second, 0.9 * float(second.dot(g) - self.S.argmin(g).dot(g)))

        return Oracle(self)


SETS = [
    WrongSign,
    Forgetful,
    TooLong,
    Unordered,
    Wide,
    Narrow,
    Elsewhere,
    Underrated,
    Misnumbered,
    Small,
    Round,
    Flat,
    Boastful,
    Overrated,
    Fickle,
    Humble,
]


@pytest.mark.parametrize("broken", SETS)
def test_a_broken_set_is_found(broken: Any) -> None:
    with pytest.raises((AssertionError, ValueError)):
        check_atoms(broken(5, 2.0))
    check_atoms(gh.L1Ball(5, 2.0))


# --- losses -------------------------------------------------------------------------------------------------------


class Doubled(Squared):
    def slopes(self, z: Array) -> Array:
        return 2 * (z - self.y)

    def first_order(self, z: Array) -> Any:
        return self.total(self.terms(z)), self.gradient(z)


class Concave(Squared):
    def terms(self, z: Array) -> Array:
        return -0.5 * (z - self.y) ** 2

    def slopes(self, z: Array) -> Array:
        return self.y - z

    def first_order(self, z: Array) -> Any:
        return self.total(self.terms(z)), self._weighted(self.slopes(z), z)


class Stiff(Logistic):
    def curvatures(self, z: Array) -> Array:
        return 2.0 * super().curvatures(z)

    def value_gradient_curvature(self, z: Array) -> Any:
        return self.value(z), self.gradient(z), self.curvature(z)


class Loose(Huber):
    """A curvature bound that is too small."""

    def beta(self, low: Array, high: Array) -> float:
        return 0.5


class Gentle(Logistic):
    def lipschitz(self, low: Array, high: Array) -> Array:
        return 0.5 * np.asarray(super().lipschitz(low, high))


class Shortened(Squared):
    """A line whose argmin is half of it."""

    def along(self, z: Array, dz: Array, max_step: float) -> Any:
        right = super().along(z, dz, max_step)

        class Half(Parabola):
            def argmin(self) -> float:
                return 0.5 * super().argmin()

        return Half(right.value(0.0), right.slope, right.bend, max_step)


class Bent(Squared):
    def along(self, z: Array, dz: Array, max_step: float) -> Any:
        right = super().along(z, dz, max_step)
        return Curve(
            right.value, lambda s: (right.derivative(s), right.bend), right.slope, max_step, bends=lambda: 0.5 * right.bend
        )


class Unlimited(NegativeLog):
    def limit(self, z: Array, dz: Array) -> float:
        return 1.5 * super().limit(z, dz)


class Widens(Squared):
    """float32 in, float64 out."""

    def gradient(self, z: Array) -> Array:
        return super().gradient(z).astype(np.float64)


class Unshared(Squared):
    def on(self, rows: Array) -> Any:
        part = super().on(rows)
        part.p = 1.0 / len(self.y)
        return part


LOSSES = [
    Doubled(y, 0.25),
    Concave(y, 0.25),
    Stiff(signs, 0.25),
    Loose(y, 0.25, delta=1.0),
    Gentle(signs, 0.25),
    Shortened(y, 0.25),
    Bent(y, 0.25),
    Widens(y, 0.25),
    Unshared(y, 0.25),
]


@pytest.mark.parametrize("broken", LOSSES, ids=lambda loss: type(loss).__name__)
def test_a_broken_loss_is_found(broken: Any) -> None:
    with pytest.raises(AssertionError):
        check_loss(broken)


def test_a_limit_that_is_too_far_is_found() -> None:
    with np.errstate(all="ignore"), pytest.raises(AssertionError):
        check_loss(Unlimited(np.zeros(4), 0.25), low=0.1, high=2.0)
    check_loss(NegativeLog(np.zeros(4), 0.25), low=0.1, high=2.0)


def test_a_factory_that_forgets_its_weights_is_found() -> None:
    with pytest.raises(AssertionError, match="sample weights"):
        check_loss(lambda X, y, sample_weight=None: gh.least_squares(X, y))


def test_an_objective_that_disagrees_with_its_formula_is_found() -> None:
    f = gh.quadratic(np.eye(3))
    with pytest.raises(AssertionError, match="formula"):
        check_objective(f, gh.Simplex(3), value=lambda x: float(x @ x))


def test_a_gradient_that_disagrees_is_found() -> None:
    f = gh.function(lambda w: 0.5 * float(w @ w), lambda w: 1.01 * w, 3)
    with pytest.raises(AssertionError, match=r"derivative|slope"):
        check_objective(f, gh.Simplex(3))


def test_a_smoothness_that_is_too_small_is_found() -> None:
    f = gh.function(lambda w: 0.5 * float(w @ w), lambda w: w, 3, smoothness=0.5)
    with pytest.raises(AssertionError, match=r"bend|model"):
        check_objective(f, gh.Simplex(3))


# --- designs ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["matvec", "adjoint", "column", "columns", "combine", "gram", "energies", "extremes", "rows"])
def test_a_broken_design_is_found(name: str) -> None:
    class Broken(DenseDesign):
        def __getattribute__(self, asked: str) -> Any:
            found = super().__getattribute__(asked)
            if asked != name:
                return found
            if name == "extremes":
                return lambda: tuple(x + 0.1 for x in found())
            if name == "rows":
                return lambda index: found(index[::-1])
            return lambda *args, **kwargs: 1.01 * found(*args, **kwargs)

    X = np.random.default_rng(0).standard_normal((6, 4))
    with pytest.raises(AssertionError):
        check_design(Broken(X), X)
    check_design(DenseDesign(X), X)


def test_a_design_that_widens_float32_is_found() -> None:
    class Wide(DenseDesign):
        def matvec(self, w: Array) -> Array:
            return super().matvec(w).astype(np.float64)

    with pytest.raises(AssertionError, match="float64; the data are float32"):
        check_design(Wide(np.ones((3, 2), dtype=np.float32)))


# --- steps --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rule:
    kind: str

    def start(self, warm: bool = False) -> Any:
        kind = self.kind

        class Step(Plain):
            count = 0

            def __call__(self, line: Any, k: int) -> float:
                self.count += 1
                best = float(line.argmin())
                if kind == "long":
                    return 1.5 * best
                if kind == "negative":
                    return -1e-3 if line.slope >= 0 else best
                if kind == "up":
                    return float(min(line.max_step, 0.9 * line.limit, 2.5 * best))
                if kind == "rising":
                    return 1e-3 * float(min(line.max_step, line.limit)) if line.slope >= 0 else best
                if kind == "forgets":
                    return best / self.count
                return float(np.nan) if line.slope == 0 else best

        return Step()


@pytest.mark.parametrize("kind", ["long", "negative", "up", "rising", "forgets", "nan"])
def test_a_broken_rule_is_found(kind: str) -> None:
    with pytest.raises(AssertionError):
        check_step(Rule(kind))


# --- solvers ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Solver:
    """Frank-Wolfe with a fault."""

    fault: str
    looks_back = True

    def run(self, f: Any, S: Any, w: Iterate, memory: Memory) -> Iterator[Progress]:
        oracle, remembered, unseeded = memory.oracle(S), 0, np.random.default_rng()
        for k in memory.count(first=0):
            g = f.gradient(w)
            answer = oracle.argmin(g)
            gap = f.gradient_dot(w) - answer.atom.dot(g)
            yield Progress.of(w, 0.3 * gap if self.fault == "boasts" else gap, answer)
            toward = w.toward(answer.atom)
            eta = f.along(w, toward).argmin()
            if self.fault == "leaves the hull" and k == 3:
                w.weights *= 1.3
            if self.fault == "forgets":
                remembered += 1
                eta *= 1.0 / remembered
            if self.fault == "is unseeded":
                eta *= unseeded.uniform(0.5, 1.0)
            w.move(toward, eta)


@pytest.mark.parametrize(
    "fault, words",
    [("boasts", "are too small|is a lower bound"), ("leaves the hull", "outside"), ("forgets", "resumed"),
     ("is unseeded", "same seed")],
)
def test_a_broken_solver_is_found(fault: str, words: str) -> None:
    problems = [p for p in small_problems() if p.name == "least_squares over Simplex"]
    with pytest.raises((AssertionError, gh.GreedyhullError), match=words):
        check_solver(Solver(fault), problems)


def test_a_solver_that_is_not_precise_enough_is_found() -> None:
    with pytest.raises(AssertionError, match=r"Relative\(1e-08\) was asked for"):
        check_solver(gh.FrankWolfe(gh.OpenLoop()), [small_problems()[0]], iterations=10, precision=1e-8)


def test_a_solver_that_refuses_everything_is_found() -> None:
    with pytest.raises(AssertionError, match="refused every problem"):
        check_solver(gh.Corrective(), [p for p in small_problems() if p.name.startswith("function")])
