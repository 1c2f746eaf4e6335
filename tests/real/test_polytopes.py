"""Polytopes of real data: projections onto Netlib's programs, relaxed graph matching, portfolios, a product of simplices."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from problems import ABSENT, FOLDER
from scipy.io import loadmat

import greedyhull as gh
from greedyhull import extend
from greedyhull.apps import portfolio

Array = np.ndarray[Any, Any]
pytestmark = pytest.mark.skipif(not (FOLDER / "references.json").exists(), reason=ABSENT)


@pytest.fixture
def data() -> Path:
    return FOLDER


class Mismatch(extend.DesignBase):
    """P ↦ AP − PB, so scaled that ½n⁻²‖·‖² is ½‖AP − PB‖² / (‖A‖‖B‖)."""

    dtype = np.dtype(float)

    def __init__(self, A: Array, B: Array) -> None:
        self.A, self.B, self.domain, self.n = A, B, A.shape, A.size
        self.scale = float(np.sqrt(A.size / (np.linalg.norm(A) * np.linalg.norm(B))))

    def matvec(self, w: Array) -> Array:
        return np.asarray(self.scale * (self.A @ w - w @ self.B)).ravel()

    def adjoint(self, r: Array) -> Array:
        R = r.reshape(self.domain)
        return np.asarray(self.scale * (self.A.T @ R - R @ self.B.T))


def entry(data: Path, number: int) -> dict[str, Any]:
    found: list[dict[str, Any]] = json.loads((data / "references.json").read_text())
    return next(one for one in found if one["id"] == number)


def netlib(data: Path, name: str) -> gh.LinearProgram:
    z = np.load(data / "netlib_lp" / f"{name}.npz", allow_pickle=True)
    given = {key: z[key] for key in ("A_ub", "b_ub", "A_eq", "b_eq")}
    known: dict[str, Any] = {key: value[()] if value.ndim == 0 else value for key, value in given.items() if value.size}
    bounds = np.squeeze(z["bounds"][()]) if z["bounds"].size else np.array([0, None])
    return gh.LinearProgram(**known, bounds=bounds)


@pytest.mark.parametrize("number, centre", [(121, 0.0), (122, 10.0), (123, 10.0), (124, 10.0), (125, 0.0)])
def test_projections_onto_netlib_programs(data: Path, number: int, centre: float) -> None:
    pytest.importorskip("highspy")
    known = entry(data, number)
    S = netlib(data, known["dataset"].split()[1])
    d = S.shape[0]
    s = gh.minimize(gh.least_squares(np.eye(d), np.full(d, centre)), S, stop=gh.Relative(1e-9))
    assert s.converged and S.contains(s.x)
    assert s.value - s.gap <= known["optimum"] + known["precision"] + 1e-9
    assert s.value >= known["optimum"] - known["precision"] - 1e-8 * known["optimum"]
    assert s.value <= known["optimum"] * (1.0 + 2e-9)


def test_every_bounded_netlib_program_has_its_published_optimum(data: Path) -> None:
    pytest.importorskip("highspy")
    tried = 0
    for told in json.loads((data / "netlib_lp" / "verify.json").read_text()):
        there = (data / "netlib_lp" / f"{told['lp']}.npz").exists()
        if not (told["bounded_polytope"] and there and told["n"] <= 300):
            continue
        S = netlib(data, told["lp"])
        cost = np.ravel(np.load(data / "netlib_lp" / f"{told['lp']}.npz", allow_pickle=True)["c"])
        answer = S.oracle(np.random.default_rng(0)).argmin(cost)
        score = answer.atom.dot(cost)
        assert abs(score - told["highs"]) <= 1e-8 * abs(told["highs"]) + 1e-8, told["lp"]
        assert answer.slack <= 1e-9 * (abs(score) + np.abs(cost).max()), told["lp"]
        assert S.max_abs(np.ones(S.shape)) <= 1.001 * told["max_sum_x"] + 1e-6 or (S.rows.lower < 0).any()
        tried += 1
    assert tried >= 6


def test_unbounded_netlib_programs_are_refused(data: Path) -> None:
    pytest.importorskip("highspy")
    for name in ("ADLITTLE", "BEACONFD"):
        with pytest.raises(gh.GreedyhullError, match="unbounded"):
            netlib(data, name)


@pytest.mark.parametrize("number", [82, 83, 84, 85, 86, 87])
def test_markowitz_portfolios(data: Path, number: int) -> None:
    known = entry(data, number)
    z = np.load(data / "portfolio" / "orlib" / f"{known['dataset'].split()[-1]}.npz")
    alone = number % 2 == 0  # variance alone; else ½(wᵀΣw − μᵀw)
    S = z["Sigma"]
    found = portfolio(covariance=S, tol=1e-12) if alone else portfolio(covariance=S, mean=z["mu"], risk=2.0, tol=1e-12)
    assert found.variance is not None
    value = found.variance if alone else 0.5 * found.solution.value
    assert known["optimum"] - 1e-15 <= value <= known["optimum"] * (1.0 + 1e-9) + (0.0 if alone else 1e-11)


@pytest.mark.parametrize("number", [105, 106, 107, 109])
def test_relaxed_graph_matching(data: Path, number: int) -> None:
    known = entry(data, number)
    numbers = np.array((data / "qaplib" / "problems" / f"{known['dataset'].split()[1]}.dat").read_text().split(), dtype=float)
    n = int(numbers[0])
    A, B = numbers[1 : 1 + n * n].reshape(n, n), numbers[1 + n * n : 1 + 2 * n * n].reshape(n, n)
    f = gh.least_squares(Mismatch(A, B), np.zeros(n * n))
    start = gh.Birkhoff(n).centre() if number == 109 else None  # its minimum, which mixes very many permutations
    s = gh.minimize(f, gh.Birkhoff(n), start=start, stop=gh.Gap(1e-8) | gh.Seconds(60))
    assert s.converged and gh.Birkhoff(n).contains(s.x)
    assert known["optimum"] - 1e-10 <= s.value <= known["optimum"] + 1e-8 + 1e-10


@pytest.mark.parametrize("solver", [None, gh.Corrective(batch=1), gh.BlendedPairwise()])
def test_co_localisation_in_a_video(data: Path, solver: Any) -> None:
    known, z = entry(data, 104), loadmat(data / "fw_examples" / "aeroplane_data_small.mat")
    S = gh.Product(*[gh.Simplex(20)] * 33)
    f = gh.quadratic(0.5 * (z["A"] + z["A"].T), -z["b"].ravel())
    tol = 1e-8 if solver is None or isinstance(solver, gh.Corrective) else 1e-4
    s = gh.minimize(f, S, solver, stop=gh.Gap(tol) | gh.Seconds(60))
    assert s.converged and S.contains(s.x)
    assert solver is not None or s.iterations <= 10  # all 33 sets are reweighted together
    assert known["optimum"] - 1e-15 <= s.value <= known["optimum"] + s.gap + known["precision"]
