"""What the sets are compared with: linear programs, all pairs, all balls, and the definition of curvature."""

from itertools import combinations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from greedyhull.iterate import CoordinateIterate

Array = np.ndarray[Any, Any]


def farthest(V: Array, H: Array | None = None) -> float:
    """max over rows s, s' of V of (s − s')ᵀH(s − s')."""
    differences = (V[:, None, :] - V[None, :, :]).reshape(-1, V.shape[1])
    return float(np.einsum("ki,ij,kj->k", differences, np.eye(V.shape[1]) if H is None else H, differences).max())


def enclosing(V: Array) -> float:
    """The radius of the smallest ball around the rows of V: the least of the balls that few points determine."""
    best = np.inf
    for m in range(1, min(len(V), V.shape[1] + 1) + 1):
        for chosen in combinations(range(len(V)), m):
            P = V[list(chosen)]
            E = P[1:] - P[0]
            c = P[0] + np.linalg.lstsq(2 * E, (E**2).sum(axis=1), rcond=None)[0] if m > 1 else P[0]
            radius = float(np.linalg.norm(V - c, axis=1).max())
            best = min(best, radius)
    return best


def linear_minimum(g: Array, **constraints: Any) -> float:
    """min ⟨g, ·⟩ by linear programming."""
    return float(linprog(g, **constraints).fun)


def value_and_gradient(f: Any, x: Array) -> tuple[float, Array]:
    w = CoordinateIterate(np.asarray(x, dtype=np.float64))
    return f.value(w), np.asarray(f.gradient(w), dtype=np.float64)


def bending(f: Any, S: Any, rng: np.random.Generator, trials: int = 60) -> float:
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
