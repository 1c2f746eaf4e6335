"""What the sets are compared with: linear programs, all pairs, all balls, and the definition of curvature."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

from greedyhull.points.coordinate_iterate import CoordinateIterate

Array = np.ndarray[Any, Any]


def farthest(V: Array, H: Array | None = None) -> float:
    """max over rows s, s' of V of (s − s')ᵀH(s − s')."""
    differences = (V[:, None, :] - V[None, :, :]).reshape(-1, V.shape[1])
    return float(np.einsum("ki,ij,kj->k", differences, np.eye(V.shape[1]) if H is None else H, differences).max())


def enclosing(V: Array) -> float:
    """The radius of the smallest ball around the rows of V: the least t ≥ ‖v − c‖² over t and c, by SLSQP, up to 1e-6."""
    size = max(float(np.abs(V).max()), 1e-300)
    V = V / size
    far = lambda x: x[0] - ((V - x[1:]) ** 2).sum(axis=1)
    slope = lambda x: np.hstack([np.ones((len(V), 1)), 2 * (V - x[1:])])
    begin = np.append(((V - V.mean(axis=0)) ** 2).sum(axis=1).max(), V.mean(axis=0))
    found = minimize(lambda x: x[0], begin, jac=lambda x: np.eye(1, len(x))[0], method="SLSQP",
                     constraints={"type": "ineq", "fun": far, "jac": slope}, options={"ftol": 1e-14, "maxiter": 500})
    return size * float(np.linalg.norm(V - found.x[1:], axis=1).max())


def linear_minimum(g: Array, **constraints: Any) -> float:
    """min ⟨g, ·⟩ by linear programming."""
    return float(linprog(g, **constraints).fun)


def value_and_gradient(f: Any, x: Array) -> tuple[float, Array]:
    w = CoordinateIterate(np.asarray(x, dtype=np.float64))
    return f.value(w), np.asarray(f.gradient(w), dtype=np.float64)


def bending(f: Any, S: Any, rng: np.random.Generator, trials: int = 20) -> float:
    """The largest 2η⁻²[f(w + η(d − w)) − f(w) − η⟨∇f(w), d − w⟩] seen, over points w, atoms d and steps η."""
    most, centre = 0.0, S.centre().array()
    for _ in range(trials):
        ends = [atom(S, rng.standard_normal(S.shape)) for _ in range(3)]
        w = rng.dirichlet(np.full(4, 0.3)) @ np.stack([centre, *ends])
        eta = float(rng.choice([1.0, rng.random(), 0.1]))
        value, g = value_and_gradient(f, w)
        d = atom(S, rng.choice([g, -g, rng.standard_normal(S.shape)]))
        ahead, _ = value_and_gradient(f, w + eta * (d - w))
        most = max(most, 2 / eta**2 * (ahead - value - eta * float(g @ (d - w))))
    return most


def atom(S: Any, g: Array) -> Array:
    """The atom that S answers to g, as an array."""
    x = np.zeros(S.shape)
    S.oracle(np.random.default_rng(0)).argmin(g).atom.add_to(x, 1.0)
    return x


@pytest.fixture(scope="session")
def brute() -> SimpleNamespace:
    return SimpleNamespace(farthest=farthest, enclosing=enclosing, linear_minimum=linear_minimum, bending=bending, atom=atom)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)
