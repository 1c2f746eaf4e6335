"""`batch`: many problems over one set, solved together in the core or one by one, with certificates."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from greedyhull.atoms.base import generator
from greedyhull.driver.batch.problems import Record, Shared, face_of, left_out, objective_of, problems_of, shared_by
from greedyhull.driver.batch.solutions import Asked, Solutions, Starts, starts_of
from greedyhull.driver.certificate import afresh
from greedyhull.driver.checks import check_pair, check_problem, check_seed, check_solver, check_stop, is_builtin
from greedyhull.driver.display import BatchLine
from greedyhull.driver.run import DEFAULT_STOP, minimize
from greedyhull.driver.solution import Solution
from greedyhull.driver.stop import Either, Stalled, Stop, raise_if_pressed
from greedyhull.errors import GreedyhullError, check, shown
from greedyhull.kernels._core import budget_batch
from greedyhull.kernels.core import public
from greedyhull.objectives.composite import EPS, LEAST, LEFT
from greedyhull.objectives.losses.base import FAINT
from greedyhull.objectives.stream import Stream
from greedyhull.points.aligned import agree
from greedyhull.solvers.corrective import Corrective
from greedyhull.solvers.parts.progress import GapTarget
from greedyhull.types import Array, AtomSet, Index, Objective, Solver, lacks


@public
def batch(fs: Iterable[Objective] | Callable[..., Objective], S: AtomSet, solver: Solver | None = None, *, X: Any = None,
          Y: Any = None, without: Any = None, start: Any = None, stop: Stop | None = None, seed: int = 0,
          progress: bool = False, **settings: Any) -> Solutions:
    """Minimise many objectives over one set.

    Least-squares problems that share X are solved together: one Gram matrix, one compiled loop over the problems, and
    certificates computed from the data by products of matrices. A small problem then takes microseconds. Others are solved
    by a run of `minimize` each. Either way each solution has a certificate of its own, with all rounding included.

    Parameters
    ----------
    fs : iterable of objective, or callable
        The objectives; or a function that makes one from X and a target, such as ``least_squares``, with ``X`` and ``Y``.
    S : AtomSet
        The set of atoms, the same for all problems.
    solver : solver, optional
        The algorithm, chosen as in `minimize` by default.
    X : array_like, sparse matrix or linear operator of shape (n, d), optional
        The data that all problems share, where ``fs`` is a function.
    Y : array_like of shape (n, problems), optional
        The targets, a column for each problem, where ``fs`` is a function.
    without : array_like of int, of shape (problems,), optional
        A coordinate that stays zero in each problem, −1 for none: problem i is solved over the part of S without it. S must
        be a `Simplex`, `CappedSimplex` or `L1Ball`.
    start : array_like, atom, iterate, Solution or Solutions, optional
        A point to start from, for all problems or one for each. By default a problem starts at the answer before it if that
        is a better start than the usual one, or, of many problems over a small simplex, at its minimiser without the bounds,
        cut off at zero.
    stop : stop, optional
        When to end each problem, ``Relative(1e-6) | Seconds(60)`` by default.
    seed : int, default 0
        Seed of the random numbers of each run.
    progress : bool, default False
        Whether to show a line of progress on a terminal.
    **settings
        Further arguments of the function ``fs``, such as ``intercept=True``.

    Returns
    -------
    Solutions
        The solutions in order. One that failed is reported in its place, and the others go on. After Ctrl-C, problems that
        were not reached are reported as failed.

    Raises
    ------
    GreedyhullError
        If the arguments do not fit together. The message says what to do.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> X, Y = np.eye(3), np.array([[1.0, 0.5], [0.0, 0.5], [0.0, 0.0]])
    >>> gh.batch(gh.least_squares, gh.Simplex(3), X=X, Y=Y).x
    array([[1. , 0. , 0. ],
           [0.5, 0.5, 0. ]])
    >>> fs = [gh.logistic(X, y) for y in ([1, 1, -1], [1, -1, -1])]
    >>> gh.batch(fs, gh.L1Ball(3, radius=3.0)).converged
    array([ True,  True])
    """
    stop = DEFAULT_STOP if stop is None else stop
    check_solver(solver)
    check_stop(stop)
    check_seed(seed)
    check_problem(None, S)
    check(not lacks(S, "oracle", "shape"), lambda: f"S is {shown(S)}; a set such as Simplex(d) is wanted.")
    problems = problems_of(fs, X, Y, settings)
    agree(problems, S, "The columns of X and the set")
    count = len(problems)
    out = left_out(without, count, S.shape[0], S)
    asked = Asked(problems, S, np.full(count, -1) if out is None else out, stop, seed)
    record, line = Record(count, S.shape), BatchLine(progress, count)
    try:
        _solve(asked, starts_of(start, count, S), solver, record, line)
    except KeyboardInterrupt as pressed:
        cut = GreedyhullError("Ctrl-C ended the batch before it was solved. Call batch again for the rest.")
        cut.__cause__ = pressed
        for i in np.flatnonzero(~record.converged).tolist():
            if i not in record.runs and i not in record.errors:
                record.fail(i, cut)
    finally:
        line.close()
    return Solutions(record, asked)


def _solve(asked: Asked, starts: Starts, solver: Solver | None, record: Record, line: BatchLine) -> None:
    """Together what shares its data, then one by one what is left."""
    which: Index = np.arange(len(record))
    solvable: Array = np.ones(len(record), dtype=bool)
    aim = aim_of(asked.stop) if solver is None or solver == Corrective() else None
    common = None if aim is None else shared_by(asked.problems, asked.S, solvable)
    if common is not None and aim is not None:
        rows = starts.rows(len(record), asked.S.shape)
        with np.errstate(all="ignore"):  # what overflows is not certified, and solved again by itself
            if rows is not None:
                solvable &= inside(common, rows, asked.without)
            left = solve_together(common, which[solvable], asked.without, rows, aim, record, line)
        which = np.sort(np.concatenate([left, which[~solvable]]))
    # a problem begins at the point that was found for it already, or at its start
    solve_one_by_one(asked, which, lambda i: record.x[i].copy() if np.isfinite(record.gaps[i]) else starts(i), solver, record,
                     line)


class Proofs(NamedTuple):
    values: Array
    gaps: Array
    intercepts: Array
    gradients: Array


def prove(shared: Shared, W: Array, Y: Array, without: Index) -> Proofs:
    """Values and gaps of the points W, rows, for the targets Y, rows: all is computed afresh from the data.

    gap = ⟨∇f(w), w⟩ − min over S of ⟨∇f(w), ·⟩ + rounding, or value + rounding if that is less, as `certificate_of` has it;
    ``without`` are coordinates that stay zero.
    """
    p, X = shared.p, shared.X
    Z = W @ X.T
    R, b, left = Z - Y, np.zeros(len(W)), np.zeros(len(W))
    if shared.intercept:
        b = -_totals(R, p)
        R += b[:, None]
    common = p if isinstance(p, float) else 1.0  # a weight that all rows have is a factor of sums, not of their terms
    residual = R if isinstance(p, float) else R * p
    if shared.intercept:  # the mean of what is left, all rounding, is taken off
        residual = residual - residual.sum(axis=1)[:, None] * (p if isinstance(p, np.ndarray) else 1.0 / len(X))
        left = common * np.abs(residual.sum(axis=1))
    values = (0.5 * common) * np.einsum("ij,ij->i", R, residual)
    gradients = residual @ X
    gradients *= common
    rounding = _rounding(shared, W, Y, values, _steepness(common, values, residual), b, left)
    gaps = common * np.einsum("ij,ij->i", residual, Z) - _least(shared, gradients, without) + rounding
    return Proofs(values, np.maximum(np.minimum(gaps, values + rounding), 0.0), b, gradients)


def _steepness(common: float, values: Array, residual: Array) -> Array:
    """‖∇φ(z)‖ for each row, also where its squares vanish."""
    squares = np.einsum("ij,ij->i", residual, residual)
    steep = common * np.sqrt(squares)
    faint = np.flatnonzero(~(squares > FAINT))
    if len(faint):
        steep[faint] = common * np.abs(residual[faint]).max(axis=1) * residual.shape[1] ** 0.5
    return np.asarray(steep)


def _totals(A: Array, p: Array | float) -> Array:
    return A.sum(axis=1) * p if isinstance(p, float) else A @ p


def _least(shared: Shared, gradients: Array, without: Index) -> Array:
    """min over S of ⟨g, ·⟩ for each row g, without the coordinate that is left out."""
    scores = gradients * shared.scales
    rows = np.flatnonzero(without >= 0)
    if not shared.budget.positive:
        scores[rows, without[rows]] = 0.0
        return np.asarray(-np.abs(scores).max(axis=1))
    scores[rows, without[rows]] = np.inf
    least = np.asarray(scores.min(axis=1))
    return least if shared.budget.whole else np.minimum(least, 0.0)


def _rounding(shared: Shared, W: Array, Y: Array, values: Array, steep: Array, b: Array, left: Array) -> Array:
    """`Composite.rounding` of squares for each row; ``left`` is the sum of the residual where there is an intercept."""
    n, terms, reach = len(shared.X) + 16, np.count_nonzero(W, axis=1), shared.f.precise().image_bound(shared.S)
    far = reach + np.abs(b) * n**0.5
    count = n + n + terms
    allowance = EPS * (n * np.abs(values) + count * steep * far) + left * (2.0 * reach + np.abs(b))
    off = EPS * (16 + terms) * far
    rest = 0.5 * float(np.max(shared.p)) * off * off + LEAST * count * (1.0 + steep + far)
    nothing = np.flatnonzero((far == 0.0) | (steep == 0.0))
    if len(nothing):  # from zeros to zeros nothing is rounded
        rest[nothing] *= (far[nothing] > 0.0) & (Y[nothing].any(axis=1) | W[nothing].any(axis=1) | (steep[nothing] > 0.0))
    return np.asarray(allowance + rest)


def losses_of_zero(shared: Shared, Y: Array) -> Array:
    """f.scale for each row of Y: the loss of predicting zero, or the best constant."""
    plain = _squares(Y, shared.p)
    if not shared.intercept:
        return plain
    return np.asarray(np.maximum(_squares(Y - _totals(Y, shared.p)[:, None], shared.p), LEFT * plain))


def _squares(A: Array, p: Array | float) -> Array:
    """½ Σ pᵢ aᵢ² for each row a."""
    if isinstance(p, float):
        return np.asarray((0.5 * p) * np.einsum("ij,ij->i", A, A))
    return np.asarray(0.5 * np.einsum("ij,ij,j->i", A, A, p))


ROUNDS = 30  # in which a problem must be solved, else it has a run of its own
REFINED = 2  # refinements at most
WORK = 2e5  # coordinates of a part in all
STEADY = 2e8  # rounds times squared coordinates of a part in all, so that Ctrl-C is heard
FIRST = 32  # problems of the first part, which tells how many rounds they take
EDGE = 1e-9  # by how much a start may lie outside the set


def aim_of(stop: Stop) -> GapTarget | None:
    """The gap that a stop asks for, if it asks for nothing else that so few rounds could meet; else None."""
    stops = stop.stops if isinstance(stop, Either) else (stop,)
    asked, limits = Either(tuple(one for one in stops if type(one) is not Stalled)), stop.limits()
    # seconds that a problem must be allowed for it to be solved with others: nobody looks at the clock in between
    roomy = limits.iterations >= ROUNDS * (1 + REFINED) and limits.seconds >= 1.0
    return asked.aim() if asked.asks_gap and roomy else None


def solve_together(shared: Shared, which: Index, without: Index, starts: Array | None, aim: GapTarget, record: Record,
                   line: BatchLine) -> Index:
    """Solve the problems ``which``, and write down those whose gap meets the aim; return the others."""
    n, d = shared.X.shape
    most = max(int(min(1e5 / max(n, d), WORK / d)), 1)  # of the residuals of a part
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


def _solve_part(shared: Shared, part: Index, without: Index, start: Array | None, aim: GapTarget, record: Record,
                near: Array) -> Array:
    Y = np.ascontiguousarray(shared.Y[:, part].T)
    G, U = shared.slopes(Y), np.zeros((len(part), shared.X.shape[1]))
    scales = losses_of_zero(shared, Y)
    floors = scales if aim.floor is None else np.full(len(part), aim.floor)
    # the share of its terms that a gap cannot be below
    least = 4e-16 * (float(np.abs(shared.hessian).max()) + np.abs(G).max(axis=1))
    # of the gap asked for, to which problems are solved by the Gram matrix
    tol = np.maximum(0.1 * np.maximum(aim.absolute, aim.relative * floors), least)
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
        tol = np.maximum(0.01 * tol, least)  # times that for each refinement
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
    record.x[part], record.values[part], record.gaps[part] = U * shared.scales, proofs.values, proofs.gaps
    record.intercepts[part], record.iterations[part], record.converged[part] = proofs.intercepts, made, met
    return met


def _from_the_plane(shared: Shared, G: Array, without: Index) -> Array | None:
    """Return starts over a simplex: the minimisers where weights may be negative, cut off at zero; None for other sets."""
    t, d = G.shape
    # coordinates of a simplex whose problems begin at their minimisers without bounds
    if not shared.budget.whole or d > min(96, t) or (without >= 0).any():
        return None
    U = (-G - shared.hessian.sum(axis=0) / d) @ shared.on_plane + 1.0 / d
    U[U < 1e-12] = 0.0  # a weight there that is rounding, and begins at zero
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


def meets(aim: GapTarget, proofs: Proofs, floors: Array) -> Array:
    """Which gaps meet the aim, as `Gap` and `Relative` compare them."""
    whole = np.maximum(np.abs(proofs.values), floors)
    shares = np.where(proofs.gaps <= 0.0, 0.0, proofs.gaps / whole)
    found = (proofs.gaps <= aim.absolute) | ((shares <= aim.relative) & (aim.relative > 0.0))
    return np.asarray(found & np.isfinite(proofs.gaps) & np.isfinite(proofs.values))


def solve_one_by_one(asked: Asked, which: Index, start: Callable[[int], Any], solver: Solver | None, record: Record,
                     line: BatchLine) -> None:
    """Solve the problems ``which``; one that fails is recorded, and the others go on. Ctrl-C ends the batch."""
    before: Solution | None = None
    for place, i in enumerate(which.tolist()):
        try:
            f, S = objective_of(asked.problems, i), face_of(asked.S, int(asked.without[i]))
            begin = start(i)
            if begin is None and before is not None and asked.without[i] < 0:
                begin = _nearer(f, S, before, asked.seed)
            s = minimize(f, S, solver, start=begin, stop=asked.stop, seed=asked.seed)
        except Exception as error:  # whatever a user's function raised is told in its place
            failed = GreedyhullError(f"Problem {i} of {len(record)} (counted from 0) failed: {error}")
            failed.__cause__ = error
            record.fail(i, failed)
            line.show(record, len(record) - len(which) + place + 1)
            continue
        record.keep(i, s)
        before = s if asked.without[i] < 0 else before
        line.show(record, len(record) - len(which) + place + 1)
        raise_if_pressed(s.reason)


def _nearer(f: Objective, S: AtomSet, before: Solution, seed: int) -> Any:
    """The point of another problem over the same set, if f is lower there than where it would begin; else None."""
    if not is_builtin(f) or isinstance(f, Stream) or not before.point.keeps_atoms:
        return None
    check_pair(f, S)
    with np.errstate(all="ignore"):
        better = f.value(afresh(before.point)) < f.value(f.start(S, generator(S, seed)))
    return before.point if better else None
