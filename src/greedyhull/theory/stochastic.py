"""Stochastic Jones (ASJ) and stochastic Frank-Wolfe (ASFW) with growing batches: what they promise in expectation.

Let σ² = sup over W of E‖∇f_i - ∇f‖², r_S the radius of the smallest ball around the atoms, M the curvature of f (of f
alone: the terms need none), and e_k = f(w_k) - f*, the start being w_1. A step with a batch of b independent terms has

    E[f(w_{k+1}) | w_k] <= f(w_k) - η_k g(w_k) + η_k r_S σ/√b + bend η_k²,   bend = M + c (ASJ), M/2 + c (ASFW),

g the Frank-Wolfe gap. Proof for ASJ, f~ the mean of the batch, u the FW vertex of ∇f(w_k), which is not random given
w_k: convexity of f~ and its oracle give η ∇f~·(d - w) <= f~(w + η(u - w)) - f~(w) + cη², whose mean is
<= η ∇f·(u - w) + (M/2 + c)η²; the curvature inequality of f adds M/2; and for the centre v of the ball
E(∇f - ∇f~)·(d - w) = E(∇f - ∇f~)·(d - v) <= r_S σ/√b. For ASFW the oracle gives ∇f~·d <= ∇f~·u + cη at once. The
vertex printed as u in the paper, a Jones atom of f, does not do: it need not beat the duality bound.

What follows depends on the schedule of η_k and b_k: `greedyhull.theory.batch_schedules`.
"""

import math

import numpy as np

from greedyhull.errors import check
from greedyhull.theory.arguments import K, at_least, curvature, number
from greedyhull.theory.batch_schedules import AnytimeAverage, AsRecorded, BatchSchedule, FixedHorizon
from greedyhull.theory.growing_weights import GrowingWeights

Averaging = FixedHorizon | AnytimeAverage | AsRecorded | GrowingWeights  # schedules that speak of means, of gaps too


def asj(schedule: BatchSchedule, t: K, *, M: float, sigma: float, r_S: float, c: float = 0.0, e1: float = math.inf) -> K:
    """Theorem ASJ, sharpened: the expected error of approximate stochastic Jones, B = r_S σ + M + c.

    M is the curvature of f alone, where the print wants that of every term; r_S σ stands for D L. The same holds for the
    capped joint choice of atom and step, which minimises the batch over d and η in [0, η_k] (then the weights of averages
    are the caps η_k): in the proof w_{k+1} - w_k - η_k(v - w_k) still has length <= η_k r_S. Without the cap it fails.

    >>> from greedyhull.theory.batch_schedules import LastIterate
    >>> round(asj(LastIterate(), 64, M=1.0, sigma=2.0, r_S=1.0), 4)
    0.5303
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return schedule.bound(*_terms(curvature(M) + c, sigma, r_S, c, e1), t)


def asfw(schedule: BatchSchedule, t: K, *, M: float, sigma: float, r_S: float, c: float = 0.0, e1: float = math.inf) -> K:
    """The expected error of approximate stochastic Frank-Wolfe: as `asj`, with B = r_S σ + M/2 + c.

    The paper remarks that such bounds exist and gives no constants.

    >>> from greedyhull.theory.batch_schedules import LastIterate
    >>> round(asfw(LastIterate(), 64, M=2.0, sigma=2.0, r_S=1.0), 4)
    0.5303
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return schedule.bound(*_terms(curvature(M) / 2 + c, sigma, r_S, c, e1), t)


def asfw_line_search(schedule: BatchSchedule, t: K, *, M: float, M_mean: float, sigma: float, r_S: float, c: float = 0.0,
                     e1: float = math.inf) -> K:
    """ASFW that minimises the batch along d - w over [0, η_k]: as `asj`, with B = r_S σ + (M + M_mean)/2 + c.

    M_mean is the mean of the curvatures of the terms: here the batch is looked at beyond w_k in a direction that
    depends on it, so that its own curvature counts.

    >>> from greedyhull.theory.batch_schedules import LastIterate
    >>> round(asfw_line_search(LastIterate(), 64, M=1.0, M_mean=1.0, sigma=2.0, r_S=1.0), 4)
    0.5303
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return schedule.bound(*_terms((curvature(M) + curvature(M_mean)) / 2 + c, sigma, r_S, c, e1), t)


def asj_printed(schedule: "FixedHorizon | AnytimeAverage", t: K, *, M: float, L: float, D: float, c: float = 0.0,
                e1: float = math.inf) -> K:
    """Theorem ASJ as printed: B = D L + M + c with M the largest curvature of a term; true, and looser than `asj`.

    >>> asj_printed(FixedHorizon(), 100, M=1.0, L=2.0, D=2.0, e1=1.0)
    0.6
    """
    _printable(schedule)
    at_least(0, c=c, L=L, D=D)
    with np.errstate(over="ignore", invalid="ignore"):
        return schedule.printed(D * L + curvature(M) + c, e1, t)


def asj_gap(schedule: "Averaging", t: K, *, M: float, sigma: float, r_S: float,
            c: float = 0.0, e1: float = math.inf) -> K:
    """E Σ η_k g(w_k)/Σ η_k of ASJ: the mean gap has the bound of the averaged error. The terms must be convex.

    >>> asj_gap(FixedHorizon(), 100, M=1.0, sigma=2.0, r_S=1.0, e1=1.0)
    0.4
    """
    _averages(schedule)
    with np.errstate(over="ignore", invalid="ignore"):
        return schedule.mean_gap(*_terms(curvature(M) + c, sigma, r_S, c, e1), t)


def asfw_gap(schedule: "Averaging", t: K, *, M: float, sigma: float, r_S: float,
             c: float = 0.0, e1: float = math.inf) -> K:
    """E Σ η_k g(w_k)/Σ η_k of ASFW, for convex f or not; e_1 = f(w_1) - inf f, M the largest signed remainder.

    So a point picked at random with weights η_k has that expected gap. The best horizon steps have γ = √(2e_1/(M + 2c))
    and give (r_S σ + √(2e_1(M + 2c)))/√t.

    >>> asfw_gap(FixedHorizon(), 100, M=2.0, sigma=2.0, r_S=1.0, e1=1.0)
    0.4
    """
    _averages(schedule)
    with np.errstate(over="ignore", invalid="ignore"):
        return schedule.mean_gap(*_terms(curvature(M) / 2 + c, sigma, r_S, c, e1), t)


def _terms(bend: float, sigma: float, r_S: float, c: float, e1: float) -> tuple[float, float, float]:
    at_least(0, sigma=sigma, r_S=r_S, c=c)
    check(number("e1", e1) >= 0, f"e1 is {e1}, but an error is >= 0. Pass f(w_1) - f*, or the gap at w_1.")
    return r_S * sigma, bend, e1


def _printable(schedule: object) -> None:
    check(isinstance(schedule, FixedHorizon | AnytimeAverage), f"{schedule!r} is not in the printed theorem, which has "
                                                               "FixedHorizon() and AnytimeAverage(). Ask asj() for it.")


def _averages(schedule: object) -> None:
    check(isinstance(schedule, Averaging),
          f"{schedule!r} says nothing of the gaps, only of the error. Use FixedHorizon(), AnytimeAverage(), "
          "GrowingWeights() or AsRecorded(eta, batch).")
