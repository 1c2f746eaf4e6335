"""Corrective asks f on a few atoms, and no design or loss: products with a user's Hessian will do, or a class of his own."""

import warnings
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull import extend as ext
from greedyhull import testing

N, D = 60, 15
RNG = np.random.default_rng(4)
X = RNG.standard_normal((N, D))
Y = X[:, 0] - 0.5 * X[:, 1] + 0.3 * RNG.standard_normal(N)
SIGNS = np.where(Y > 0, 1.0, -1.0)
SETS = {
    "l1": gh.L1Ball(D, 1.2),
    "simplex": gh.Simplex(D, 0.8),
    "vertices": gh.Vertices(np.vstack([np.eye(D), -0.3 * np.eye(D), 0.2 * RNG.standard_normal((5, D))])),
}
BUILT_IN = {"squares": gh.least_squares(X, Y), "logistic": gh.logistic(X, SIGNS)}


def sigmoid(t: Any) -> Any:
    return 1.0 / (1.0 + np.exp(-t))


def squares_product(w: Any, v: Any) -> Any:
    return X.T @ (X @ v) / N


def logistic_product(w: Any, v: Any) -> Any:
    q = sigmoid(X @ w)
    return X.T @ (q * (1 - q) * (X @ v)) / N


FORMULAS = {
    "squares": (lambda w: 0.5 * np.mean((X @ w - Y) ** 2), lambda w: X.T @ (X @ w - Y) / N, squares_product),
    "logistic": (lambda w: np.mean(np.logaddexp(0.0, -SIGNS * (X @ w))),
                 lambda w: X.T @ (-SIGNS * sigmoid(-SIGNS * (X @ w))) / N, logistic_product),
}


def box_of(kind: str, product: Any = None, **more: Any) -> Any:
    value, gradient, right = FORMULAS[kind]
    return gh.function(value, gradient, D, hessian_product=right if product is None else product, **more)


@pytest.mark.parametrize("S", SETS)
@pytest.mark.parametrize("kind", FORMULAS)
def test_a_function_with_products_is_solved_like_the_built_in_one(kind: str, S: str) -> None:
    f = box_of(kind)
    s = gh.minimize(f, SETS[S], stop=gh.Gap(1e-9) | gh.Iterations(60))
    known = gh.minimize(BUILT_IN[kind], SETS[S], stop=gh.Gap(1e-10))
    assert f.traits.second_order and isinstance(s.solver, gh.Corrective) and s.converged
    assert s.iterations <= known.iterations + 8  # Newton's steps, not those of a first-order method
    assert abs(s.value - known.value) <= s.gap + known.gap and s.value - s.gap <= known.value
    testing.check_objective(f, SETS[S])


def test_products_are_made_again_only_where_the_hessian_has_moved() -> None:
    """Of a quadratic one product for each atom that ever works, and one a look; where it does not move, none is repeated."""
    calls: list[Any] = []
    t = np.linspace(-0.1, 0.3, D)

    def product(w: Any, v: Any) -> Any:
        calls.append(v)
        return v.copy()

    f = gh.function(lambda w: 0.5 * ((w - t) ** 2).sum(), lambda w: w - t, D, hessian_product=product)
    s = gh.minimize(f, gh.Simplex(D), gh.Corrective(batch=2), stop=gh.Gap(1e-10) | gh.Iterations(60))
    single = [tuple(v) for v in calls if np.count_nonzero(v) == 1]
    assert s.converged and s.iterations >= 3 and 4 < len(single) == len(set(single)) <= D
    assert len(calls) - len(single) <= 2 + 2 * s.iterations


def test_matrices_are_points_as_well() -> None:
    T = RNG.standard_normal((3, 4))
    f = gh.function(lambda W: 0.5 * ((W - T) ** 2).sum(), lambda W: W - T, (3, 4), hessian_product=lambda W, V: V)
    S = gh.oracle(lambda G: -np.eye(12)[np.abs(G).argmax()].reshape(3, 4) * np.sign(G.ravel()[np.abs(G).argmax()]), (3, 4))
    s = gh.minimize(f, S, gh.Corrective(), stop=gh.Gap(1e-9) | gh.Iterations(200))
    flat = gh.minimize(gh.least_squares(np.eye(12), T.ravel()), gh.L1Ball(12, 1.0), stop=gh.Gap(1e-10))
    assert s.converged and s.value == pytest.approx(12 * flat.value, abs=1e-8)


def test_a_saved_run_goes_on_bit_by_bit(tmp_path: Any) -> None:
    f, S, path = box_of("logistic"), SETS["l1"], tmp_path / "run.npz"
    whole = gh.minimize(f, S, gh.Corrective(batch=2), stop=gh.Iterations(6))
    gh.minimize(f, S, gh.Corrective(batch=2), stop=gh.Iterations(3), checkpoint=path)
    s = gh.minimize(f, S, gh.Corrective(batch=2), stop=gh.Iterations(6), resume=path)
    assert s.value == whole.value and np.array_equal(s.point.array(), whole.point.array())


WRONG = {
    "zero": lambda w, v: 0.0 * v,
    "sign": lambda w, v: -logistic_product(w, v),
    "too large": lambda w, v: 100.0 * logistic_product(w, v),
    "too small": lambda w, v: 0.01 * logistic_product(w, v),
    "not symmetric": lambda w, v: np.roll(logistic_product(w, v), 1),
    "noise": lambda w, v: np.random.default_rng(int(abs(v.sum()) * 1e3) % 97).standard_normal(D),
    "huge": lambda w, v: 1e140 * v,
    "tiny": lambda w, v: 1e-200 * v,
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_products_cost_time_and_never_a_certificate(name: str) -> None:
    S = SETS["l1"]
    best = gh.minimize(BUILT_IN["logistic"], S, stop=gh.Gap(1e-11))
    seen: list[Any] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gh.GreedyhullWarning)
        s = gh.minimize(box_of("logistic", WRONG[name]), S, gh.Corrective(), stop=gh.Gap(1e-7) | gh.Iterations(40),
                        watch=seen.append)
    assert all(event.lower <= best.value for event in seen) and s.value - s.gap <= best.value
    assert all(b.value <= a.value + 1e-14 for a, b in pairwise(seen))  # no round raises f
    assert s.value < seen[0].value or name == "huge"


@pytest.mark.parametrize("name", ["zero", "sign", "too large", "too small"])
def test_gross_errors_of_products_are_told(name: str) -> None:
    with pytest.warns(gh.GreedyhullWarning, match="disagree with its gradient"):
        gh.minimize(box_of("logistic", WRONG[name]), SETS["l1"], gh.Corrective(), stop=gh.Iterations(2))


@pytest.mark.parametrize("kind", FORMULAS)
def test_right_products_are_not_blamed(kind: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gh.minimize(box_of(kind), SETS["simplex"], gh.Corrective(), stop=gh.Gap(1e-8))


def test_nor_are_those_of_a_function_that_is_not_convex() -> None:
    f = gh.function(lambda w: w[0] - 0.5 * (w @ w), lambda w: np.eye(D)[0] - w, D, convex=False,
                    hessian_product=lambda w, v: -v)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        s = gh.minimize(f, SETS["l1"], stop=gh.Gap(1e-8) | gh.Iterations(50))
    assert isinstance(s.solver, gh.Corrective) and s.converged and s.value == pytest.approx(-1.2 - 0.72)


@pytest.mark.parametrize(
    "product, said",
    [
        (lambda w, v: v[:-1], "hessian_product.* returned shape"),
        (lambda w, v: 1.0, "hessian_product.* returned shape"),
        (lambda w, v: np.full(D, np.nan), "NaN or infinite"),
        (lambda w, v: np.full(D, np.inf), "NaN or infinite"),
        (lambda w, v: (v, v), "several things"),
        (lambda w, v: "v", "no array of numbers"),
        (lambda w, v: None, "hessian_product"),
        (lambda w, v: 1j * v, "complex"),
        (lambda w, v: 1e308 * np.ones(D), "overflow"),
    ],
)
def test_products_that_are_no_products_are_refused_in_words(product: Any, said: str) -> None:
    with pytest.raises(gh.GreedyhullError, match=said):
        gh.minimize(box_of("squares", product), gh.L1Ball(D, 3.0), gh.Corrective(), stop=gh.Gap(1e-8))


def test_what_is_no_function_is_refused_at_once() -> None:
    with pytest.raises(gh.GreedyhullError, match="hessian_product = 3 was given"):
        gh.function(*FORMULAS["squares"][:2], D, hessian_product=3)  # type: ignore[arg-type]
    plain = gh.function(*FORMULAS["squares"][:2], D)
    assert not plain.traits.second_order
    with pytest.raises(gh.GreedyhullError, match="BlendedPairwise"):
        gh.minimize(plain, SETS["l1"], gh.Corrective())


def test_a_product_can_change_neither_the_point_nor_the_atom() -> None:
    def spoils(w: Any, v: Any) -> Any:
        v *= 2.0
        return v

    with pytest.raises(ValueError, match="read-only"):
        gh.minimize(box_of("squares", spoils), SETS["l1"], gh.Corrective())


# --- a class of the user's own ---------------------------------------------------------------------------------------------


class Distance:
    """½‖w − t‖², by a user's own hands: it knows arrays alone, and keeps no view."""

    name, scale = "distance", 0.0
    traits = ext.Traits(quadratic=True, second_order=True)

    def __init__(self, t: Any) -> None:
        self.t, self.domain, self.asked = t, t.shape, 0

    def value(self, w: ext.Iterate) -> float:
        return 0.5 * float(((w.array() - self.t) ** 2).sum())

    def gradient(self, w: ext.Iterate) -> Any:
        return w.array() - self.t

    def gradient_dot(self, w: ext.Iterate) -> float:
        return w.dot(self.gradient(w))

    def along(self, w: ext.Iterate, move: ext.Direction) -> ext.Line:
        v = -move.drift * w.array()
        move.add_to(v, 1.0)
        return ext.Parabola(self.value(w), float(v @ self.gradient(w)), float(v @ v), move.max_step)

    def start(self, S: Any, rng: Any) -> ext.Iterate:
        return ext.Iterate.at(S.start(rng), S.shape)

    def rounding(self, w: ext.Iterate, S: Any) -> float:
        return 1e-13 * (1.0 + float(np.abs(self.t).sum()))

    def fresh(self, w: ext.Iterate) -> bool:
        return True

    def moves(self, w: ext.Iterate) -> int:
        return 0

    def curvature(self, S: Any) -> ext.Constant:
        return ext.Constant(S.diameter**2, "exact", "M")

    def precise(self) -> "Distance":
        return self

    def restricted(self, block: ext.Block) -> "OnAtoms":
        return OnAtoms(self, block)


class OnAtoms:
    """½‖Vα − t‖²: the Hessian is VᵀV."""

    def __init__(self, f: Distance, block: ext.Block) -> None:
        self.f, self.block = f, block

    def _atoms(self) -> Any:
        V = np.zeros((len(self.block), *self.f.domain))
        for i in range(len(self.block)):
            self.block[i].add_to(V[i], 1.0)
        return V

    def extend(self, atoms: ext.Block, w: ext.Iterate) -> None:
        self.block = self.block.extend(atoms)

    def take(self, index: Any) -> None:
        self.block = self.block.take(index)

    def gradient(self, w: ext.Iterate) -> Any:
        return self.block.dots(self.f.gradient(w))

    def hessian(self, w: ext.Iterate, sample: int = 1) -> Any:
        self.f.asked += 1
        V = self._atoms()
        return V @ V.T

    def trial(self, w: ext.Iterate, base: Any, target: Any) -> ext.Trial:
        return ext.LineTrial(self.f, w, w.reweighting(self.block, base, target - base))

    def state(self) -> ext.State:
        return {}

    def restore(self, state: ext.State) -> None:
        pass


@pytest.mark.parametrize("S", SETS)
def test_an_objective_of_ones_own_says_itself_how_it_looks_on_a_few_atoms(S: str, tmp_path: Any) -> None:
    t = 0.4 * RNG.standard_normal(D)
    f, path = Distance(t), tmp_path / "run.npz"
    s = gh.minimize(f, SETS[S], stop=gh.Gap(1e-9) | gh.Iterations(60))
    known = gh.minimize(gh.least_squares(np.eye(D), t), SETS[S], stop=gh.Gap(1e-11))
    assert isinstance(s.solver, gh.Corrective) and f.asked and s.converged
    assert s.value == pytest.approx(D * known.value, abs=1e-8)
    gh.minimize(Distance(t), SETS[S], stop=gh.Iterations(1), checkpoint=path)
    again = gh.minimize(Distance(t), SETS[S], stop=gh.Gap(1e-9) | gh.Iterations(60), resume=path)
    assert again.converged
    jones: Any = gh.minimize(f, SETS[S], gh.Jones(), stop=gh.Iterations(30))  # a quadratic without images: lines are searched
    assert jones.value - jones.gap <= s.value + 1e-9
