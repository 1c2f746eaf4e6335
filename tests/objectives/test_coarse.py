"""Users' functions that answer in less than float64: their certificates are estimates, and hold."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull import extend
from greedyhull.objectives.black_box import number, numbers
from greedyhull.objectives.limits import Coarse

rng = np.random.default_rng(0)
X, Y = rng.standard_normal((30, 6)), rng.standard_normal(30)
SAID = "and gradient are float32; return float64 for a proof"


def value32(w, X=X, y=Y):
    r = X.astype(np.float32) @ w.astype(np.float32) - y.astype(np.float32)
    return np.float32(0.5) * (r @ r) / np.float32(len(y))


def gradient32(w, X=X, y=Y):
    r = X.astype(np.float32) @ w.astype(np.float32) - y.astype(np.float32)
    return X.astype(np.float32).T @ r / np.float32(len(y))


def value(w):
    return 0.5 * float(((X @ w - Y) ** 2).mean())


def gradient(w):
    return X.T @ (X @ w - Y) / len(Y)


class Tensor:
    """An array of another library: a dtype of its own, and no door to NumPy."""

    def __init__(self, array, dtype):
        self.held, self.dtype = np.asarray(array), f"torch.{dtype}"

    def __float__(self):
        return float(self.held.item())  # of several entries, a ValueError

    def __array__(self, dtype=None, copy=None):
        raise TypeError("Got unsupported ScalarType")

    def tolist(self):
        return self.held.tolist()


def test_no_bound_of_float32_functions_is_called_proved_and_none_is_false():
    """Forty problems whose exact values are those of float64 data, judged in extended precision."""
    LD, false = np.longdouble, []
    for seed in range(40):
        draw = np.random.default_rng(seed)
        A, b = draw.standard_normal((12, 5)), 10.0 ** draw.integers(-2, 3) * draw.standard_normal(12)
        S = [gh.Simplex(5), gh.L1Ball(5, 0.7), gh.L2Ball(5, 1.3)][seed % 3]
        f = gh.function(lambda w, A=A, b=b: value32(w, A, b), lambda w, A=A, b=b: gradient32(w, A, b), 5)
        best = gh.minimize(gh.least_squares(A, b), S, stop=gh.Relative(1e-13) | gh.Iterations(300))
        r = A.astype(LD) @ best.x.astype(LD) - b
        least = r @ r / 24
        s = gh.minimize(f, S, stop=gh.Relative(1e-7) | gh.Iterations(100))
        for c in (s.certificate, gh.certify(f, S, s.x), gh.certify(f, S, best.x)):
            assert c.kind == "estimate" and SAID in c.note
            false += [seed] if LD(c.lower) > least + LD(1e-15) * abs(least) else []
        assert SAID in s.reason
    assert not false


@pytest.mark.parametrize(("v", "g", "said"), [
    (value32, gradient32, "value and gradient are float32"),
    (lambda w: float(value32(w)), gradient32, "value and gradient are float32"),
    (value32, lambda w: gradient32(w).astype(float), "value and gradient are float32"),
    (value, gradient32, "gradient is float32"),
    (value32, gradient, "value is float32"),
    (lambda w: np.float16(value(w)), gradient32, "value is float16 and gradient is float32"),
    (lambda w: Tensor(value32(w), "float32"), lambda w: Tensor(gradient32(w), "float32"), "value and gradient are float32"),
    (value, lambda w: Tensor(np.round(gradient(w) * 64) / 64, "bfloat16"), "gradient is bfloat16"),
    (value, gradient, ""), (value, lambda w: Tensor(gradient(w), "float64"), "")],
    ids=["both", "value cast", "gradient cast", "gradient", "value", "float16", "tensors", "bfloat16", "float64", "double"])
def test_the_coarsest_dtype_is_remembered_and_told(v, g, said):
    f, S = gh.function(v, g, 6), gh.L1Ball(6, 0.5)
    for c in (gh.certify(f, S, np.zeros(6)), gh.minimize(f, S, stop=gh.Iterations(20)).certificate):
        assert c.note == (f"{said}; return float64 for a proof" if said else "")
        assert c.kind == ("estimate" if said else "always")


def test_a_check_of_float32_functions_accuses_nobody():
    s = gh.minimize(gh.function(value32, gradient32, 6), gh.L1Ball(6, 0.5), stop=gh.Iterations(20), check=True)
    half = gh.function(lambda w: np.float16(value(w)), lambda w: gradient(w).astype(np.float16), 6)
    rough = gh.minimize(half, gh.L1Ball(6, 0.5), stop=gh.Iterations(5))
    assert s.certificate.kind == rough.certificate.kind == "estimate"


def test_terms_and_streams_in_float32_prove_nothing():
    f = gh.finite_sum(lambda w, i: value32(w, X[i], Y[i]), lambda w, i: gradient32(w, X[i], Y[i]), 30, 6, lipschitz=50.0)
    for look in (gh.FullGap(), gh.MinibatchGap(10), gh.Regret(delta=0.1)):
        s = gh.minimize(f, gh.L1Ball(6, 0.5), gh.StochasticFrankWolfe(look=look), stop=gh.Iterations(20))
        assert s.certificate.kind == "estimate" and SAID in s.reason

    class Batch:
        def __init__(self, i):
            self.i = i

        def value(self, w):
            return value32(w, X[self.i], Y[self.i])

        def gradient(self, w):
            return gradient32(w, X[self.i], Y[self.i])

    stream = gh.expectation(lambda size, rng: Batch(rng.integers(30, size=size)), 6, lipschitz=50.0)
    s = gh.minimize(stream, gh.L1Ball(6, 0.5), gh.StochasticFrankWolfe(look=gh.MinibatchGap(10)), stop=gh.Iterations(20))
    assert s.certificate.kind == "estimate" and SAID in s.reason


def test_a_loss_and_a_class_of_ones_own_are_looked_at():
    class Single(extend.Separable):
        def terms(self, z):
            return (0.5 * (z - self.y) ** 2).astype(np.float32)

        def slopes(self, z):
            return (z - self.y).astype(np.float32)

    class Own(extend.BlackBox):
        def gradient(self, w):
            return super().gradient(w).astype(np.float32)

    S, data = gh.L1Ball(6, 0.5), gh.least_squares(X, Y).design
    for f, said in ((extend.Composite(data, Single(Y, 1 / 30), "single"), SAID),
                    (Own(value, gradient, (6,), None), "gradient is float32")):
        for c in (gh.certify(f, S, np.zeros(6)), gh.minimize(f, S, gh.FrankWolfe(), stop=gh.Iterations(20)).certificate):
            assert c.kind == "estimate" and said in c.note


def test_an_oracle_that_answers_in_float32_proves_nothing():
    def ball(g):
        return -g.astype(np.float32) / np.linalg.norm(g.astype(np.float32))

    class Ball(gh.AtomSet):
        shape, bound = (6,), 1.0

        def argmin(self, g):
            return ball(g)

    f, made = gh.least_squares(X, 10.0 * Y), gh.oracle(ball, 6, bound=1.0)
    least = gh.minimize(f, gh.L2Ball(6, 1.0), stop=gh.Relative(1e-13)).value
    for S in (made, gh.oracle(lambda g: (ball(g), 0.0), 6, bound=1.0), Ball(), gh.Cached(made), gh.Product(made),
              gh.Translated(made, np.zeros(6))):
        s = gh.minimize(f, S, stop=gh.Relative(1e-6) | gh.Iterations(60))
        assert s.certificate.kind == "estimate" and "Atoms are float32" in s.reason and s.certificate.lower <= least


def test_the_note_is_saved(tmp_path):
    s = gh.minimize(gh.function(value32, gradient32, 6), gh.L1Ball(6, 0.5), stop=gh.Iterations(5))
    s.save(tmp_path / "s.npz")
    assert gh.load(tmp_path / "s.npz").certificate == s.certificate


def test_values_of_any_library_are_numbers_if_they_are_one():
    for one in (np.array(2.0), np.array([2.0]), np.float16(2.0), Tensor(2.0, "float32")):
        assert number(one, "value(w)") == 2.0
    for other in (None, "2", [2.0], Tensor([1.0, 2.0], "float32"), np.zeros(2)):
        with pytest.raises(gh.GreedyhullError, match="One number is wanted"):
            number(other, "value(w)")
    seen = Coarse()
    assert numbers(Tensor([1.0, 2.0], "bfloat16"), "gradient(w)", (2,), seen).tolist() == [1.0, 2.0]
    assert seen.gradient == "bfloat16"


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_other_libraries(library):
    xp = pytest.importorskip("torch" if library == "torch" else "jax.numpy", reason=f"{library} is not installed")
    A, b = xp.asarray(X.astype(np.float32)), xp.asarray(Y.astype(np.float32))

    def residual(w):
        return A @ xp.asarray(w.astype(np.float32)) - b

    f = gh.function(lambda w: (residual(w) ** 2).mean() / 2, lambda w: A.T @ residual(w) / 30, 6)
    assert SAID in gh.minimize(f, gh.L1Ball(6, 0.5), stop=gh.Iterations(20)).reason
