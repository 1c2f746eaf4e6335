"""Problems with one Gram matrix, solved together in a compiled loop, each certified from the data."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from greedyhull.driver.batch.line import Line
from greedyhull.driver.batch.proofs import Proofs, losses_of_zero, prove
from greedyhull.driver.batch.record import Record
from greedyhull.driver.batch.shared import Shared
from greedyhull.driver.combined import Either
from greedyhull.driver.stop import Stalled, Stop
from greedyhull.kernels.budget_batch import budget_batch
from greedyhull.solvers.parts.ahead import Aim
from greedyhull.types import Array, Index

ROUNDS = 30  # in which a problem must be solved, else it has a run of its own
PART = 0.1  # of the gap asked for, to which problems are solved by the Gram matrix
SHARPER = 0.01  # times that for each refinement
REFINED = 2  # refinements at most
PATIENT = 1.0  # seconds that a problem must be allowed for it to be solved with others: nobody looks at the clock in between
ROUNDING = 4e-16  # the share of its terms that a gap cannot be below
ENTRIES = 1e5  # of the residuals of a part
WORK = 2e5  # coordinates of a part in all
STEADY = 2e8  # rounds times squared coordinates of a part in all, so that Ctrl-C is heard
FIRST = 32  # problems of the first part, which tells how many rounds they take
PLANE = 96  # coordinates of a simplex whose problems begin at their minimisers without bounds
SLIVER = 1e-12  # a weight there that is rounding, and begins at zero
EDGE = 1e-9  # by how much a start may lie outside the set


def aim_of(stop: Stop) -> Aim | None:
    """The gap that a stop asks for, if it asks for nothing else that so few rounds could meet; else None."""
    stops = stop.stops if isinstance(stop, Either) else (stop,)
    asked, limits = Either(tuple(one for one in stops if type(one) is not Stalled)), stop.limits()
    roomy = limits.iterations >= ROUNDS * (1 + REFINED) and limits.seconds >= PATIENT
    return asked.aim() if asked.asks_gap and roomy else None


def solve_together(shared: Shared, which: Index, without: Index, starts: Array | None, aim: Aim, record: Record,
                   line: Line) -> Index:
    """Solve the problems ``which``, and write down those whose gap meets the aim; return the others."""
    n, d = shared.X.shape
    most = max(int(min(ENTRIES / max(n, d), WORK / d)), 1)
    near, still_open = np.zeros(d), [np.zeros(0, dtype=np.int64)]
    done, size = 0, min(FIRST, most)
    while done < len(which):
        part = which[done : done + size]
        began = perf_counter()
        met = _solve_part(shared, part, without[part], None if starts is None else starts[part], aim, record, near)
        record.seconds[part] = (perf_counter() - began) / len(part)
        still_open.append(part[~met])
        done += len(part)
        each = float(record.iterations[part].mean()) + 1.0  # rounds, not seconds: parts do not depend on the machine
        size = min(most, max(int(STEADY / (each * d * d)), 1))
        line.show(record, done)
    return np.concatenate(still_open)


def _solve_part(shared: Shared, part: Index, without: Index, start: Array | None, aim: Aim, record: Record,
                near: Array) -> Array:
    """Solve some problems; return which of them meet the aim."""
    Y = np.ascontiguousarray(shared.Y[:, part].T)
    G, U = shared.slopes(Y), np.zeros((len(part), shared.X.shape[1]))
    scales = losses_of_zero(shared, Y)
    floors = scales if aim.floor is None else np.full(len(part), aim.floor)
    least = ROUNDING * (float(np.abs(shared.hessian).max()) + np.abs(G).max(axis=1))
    tol = np.maximum(PART * np.maximum(aim.absolute, aim.relative * floors), least)
    first = _from_the_plane(shared, G, without) if start is None else start / shared.scales
    if first is not None:
        U[:] = first
        G += U @ shared.hessian
    made = np.zeros(len(part), dtype=np.int64)
    H, budget = shared.hessian, shared.budget
    budget_batch(H, budget.positive, budget.whole, U, G, tol, without, near, first is None, ROUNDS, made)
    proofs = prove(shared, U * shared.scales, Y, without)
    met = meets(aim, proofs, floors)
    for _ in range(REFINED):  # from gradients that the data tell, not the Gram matrix
        todo = np.flatnonzero(~met & np.isfinite(proofs.gaps))
        if not len(todo):
            break
        tol = np.maximum(SHARPER * tol, least)
        V, g, more = U[todo], np.ascontiguousarray(proofs.gradients[todo] * shared.scales), np.zeros(len(todo), dtype=np.int64)
        budget_batch(H, budget.positive, budget.whole, V, g, tol[todo], without[todo], near, False, ROUNDS, more)
        again = prove(shared, V * shared.scales, Y[todo], without[todo])
        better = again.gaps < proofs.gaps[todo]
        if not better.any():
            break
        made[todo] += more
        U[todo[better]] = V[better]
        for old, new in zip(proofs, again, strict=True):
            old[todo[better]] = new[better]
        met = meets(aim, proofs, floors)
    record.scales[part] = scales
    _write(record, part, U * shared.scales, proofs, made, met)
    return met


def _from_the_plane(shared: Shared, G: Array, without: Index) -> Array | None:
    """Starts over a simplex: the minimisers where weights may be negative, cut off at zero. Often they are the answers.

    None for other sets, for more coordinates than problems, and where one is left out.
    """
    t, d = G.shape
    if not shared.budget.whole or d > min(PLANE, t) or (without >= 0).any():
        return None
    U = (-G - shared.hessian.sum(axis=0) / d) @ shared.on_plane + 1.0 / d
    U[U < SLIVER] = 0.0
    U /= U.sum(axis=1)[:, None]
    return U if np.isfinite(U).all() else None


def inside(shared: Shared, start: Array, without: Index) -> Array:
    """Which starts are points of the set, without the coordinate that is left out."""
    u = start / shared.scales
    total = np.abs(u).sum(axis=1)
    good = np.abs(total - 1.0) <= EDGE if shared.budget.whole else total <= 1.0 + EDGE
    if shared.budget.positive:
        good &= u.min(axis=1) >= 0.0
    out = np.flatnonzero(without >= 0)
    good[out] &= u[out, without[out]] == 0.0
    return np.asarray(good)


def meets(aim: Aim, proofs: Proofs, floors: Array) -> Array:
    """Which gaps meet the aim, as `Gap` and `Relative` compare them."""
    whole = np.maximum(np.abs(proofs.values), floors)
    shares = np.where(proofs.gaps <= 0.0, 0.0, proofs.gaps / whole)
    found = (proofs.gaps <= aim.absolute) | ((shares <= aim.relative) & (aim.relative > 0.0))
    return np.asarray(found & np.isfinite(proofs.gaps) & np.isfinite(proofs.values))


def _write(record: Record, part: Index, W: Array, proofs: Proofs, made: Index, met: Array) -> None:
    record.x[part], record.values[part], record.gaps[part] = W, proofs.values, proofs.gaps
    record.intercepts[part], record.iterations[part], record.converged[part] = proofs.intercepts, made, met
