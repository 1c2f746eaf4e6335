"""Cases that must be refused in words: sparse data that are none, gradients that are none, numbers that are none."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from typing import Any

import numpy as np

import greedyhull as gh
from greedyhull.types import Array
from tests.fuzz.attempts import Attempt, attempt
from tests.fuzz.draws import Rng, chance, pick, size
from tests.fuzz.exact import BLUR, LD, Exact
from tests.fuzz.judge import Finding
from tests.fuzz.models import EPS, Model
from tests.fuzz.records import Record
from tests.fuzz.regions import draw_region, wrapped
from tests.fuzz.solves import Problem, Say, drawn, judged, spread, tight

SINGLE = 1e-5  # of the values: what a function computed in single precision is known to


def malformed(rng: Rng, say: Say) -> list[Record]:
    """Sparse matrices whose places or starts point outside, in a process of their own: products would read foreign memory."""
    n, d = int(rng.integers(2, 12)), int(rng.integers(2, 12))
    format, fault = pick(rng, ("csr", "csc")), pick(rng, ("place too large", "place negative", "starts fall", "starts too far",
                                                          "first start"))
    say(f"least_squares of a {n}x{d} {format} matrix with a fault: {fault}")
    record = Record(f"malformed {format}", "", "")
    X = _malformed(rng, n, d, format, fault)
    tried = apart(lambda: gh.minimize(gh.least_squares(X, np.ones(n)), gh.L1Ball(d, 1.0), stop=gh.Iterations(20)).value)
    record.take(tried)
    say(tried.refused or tried.raw or f"accepted, value {tried.result}")
    if not tried.refused and not tried.raw:
        record.status = "accepted"
        record.findings.append(Finding("accepted", f"malformed {format}, {fault}", f"a value of {tried.result} was certified"))
    return [record]


def _malformed(rng: Rng, n: int, d: int, format: str, fault: str) -> Any:
    from scipy.sparse import csc_array, csr_array

    full = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.2)
    full[0, 0], full[n - 1, d - 1] = 1.0, 2.0
    X = (csr_array if format == "csr" else csc_array)(full)
    places, starts = X.indices.copy(), X.indptr.copy()
    at = int(rng.integers(len(places)))
    if fault == "place too large":
        places[at] = max(n, d) + int(rng.integers(1, 1000))
    elif fault == "place negative":
        places[at] = -int(rng.integers(1, 1000))
    elif fault == "starts fall":
        j = int(rng.integers(1, len(starts) - 1)) if len(starts) > 2 else 0
        starts[j] = starts[-1] + 1 + int(rng.integers(3))
    elif fault == "starts too far":
        starts[-1] += int(rng.integers(1, 1000))
    else:
        starts[0] = int(rng.integers(1, 3))
    X.indices, X.indptr = places, starts  # set afterwards, as a file or other code may leave them
    return X


def apart(call: Callable[[], Any]) -> Attempt:
    """The call in a process of its own, where the system can fork; a process that dies is a crash."""
    if "fork" not in multiprocessing.get_all_start_methods():
        return Attempt(refused="not tried: this system cannot fork")
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=lambda: theirs.send(attempt(call)))
    process.start()
    theirs.close()
    try:
        tried: Attempt = ours.recv() if ours.poll(60.0) else Attempt(raw="Hang in a process of its own: no answer")
    except EOFError:
        process.join()
        tried = Attempt(raw=f"Crash in a process of its own: exit code {process.exitcode}")
    if process.is_alive():
        process.terminate()
    process.join()
    return tried


def wrong_gradient(rng: Rng, say: Say) -> list[Record]:
    """A black box whose gradient has the wrong sign: no certificate of it may be false. Subtler faults are counted only, and
    so is a sign that matters less than the rounding of single precision, which the values might be computed in."""
    d, n = size(rng), size(rng)
    X, y = rng.standard_normal((n, d)), rng.standard_normal(n)
    A, target = X.astype(LD), y.astype(LD)
    how = pick(rng, ("flipped", "halved", "without target", "transposed"), (4, 1, 1, 1))

    def gradient(w: Array) -> Array:
        g = X.T @ (X @ w - y)
        return {"flipped": -g, "halved": 0.5 * g, "without target": X.T @ (X @ w), "transposed": g[::-1].copy()}[how]

    def exact(x: Array) -> Exact:
        r = A @ x - target
        reach = np.abs(A) @ np.abs(x) + np.abs(target)
        return Exact(LD(r @ r / 2), LD(np.abs(r) @ reach), LD((np.abs(r) + BLUR * reach) @ reach))

    f = gh.function(lambda w: 0.5 * float(((X @ w - y) ** 2).sum()), gradient, d)
    model = Model(f"gradient {how}", f, d, exact, f"function(squares {n}x{d}, gradient {how})", correctable=False,
                  own=8.0 * EPS * (n + d + 16))
    region = draw_region(rng, d)
    region = wrapped(rng, region, spread(model, region))
    say(f"f = {model.words}\nS = {region.words}")
    problem = Problem(model, region)
    right = tight(Problem(Model("squares", gh.least_squares(X, y), d, exact, ""), region)).point  # the same minimiser
    records = judged(problem, [drawn(rng, problem, say)], say, [] if right is None or right.inside is None else [right.inside])
    for record in records:
        if how != "flipped" or spread(model, region) <= SINGLE * float(np.abs(y) @ np.abs(y)):
            record.findings = [f._replace(category="misled") if f.category in ("false", "warning") else f
                               for f in record.findings]
    return records


def bad_numbers(rng: Rng, say: Say) -> list[Record]:
    """NaN or infinity in the data, a negative weight, a count below zero: refused before anything is solved."""
    n, d = int(rng.integers(2, 8)), int(rng.integers(1, 6))
    X, y, s = rng.standard_normal((n, d)), rng.standard_normal(n), rng.random(n)
    fault = pick(rng, ("X", "y", "weight", "negative weight", "set"))
    bad = pick(rng, (np.nan, np.inf, -np.inf))
    at = int(rng.integers(n))
    if fault == "X":
        X[at, 0] = bad
    elif fault == "y":
        y[at] = bad
    elif fault != "set":
        s[at] = bad if fault == "weight" else -1.0
    from scipy.sparse import csr_array

    data: Any = csr_array(X) if chance(rng, 0.4) else X
    makers: tuple[Callable[..., Any], ...] = (gh.least_squares, gh.huber, gh.absolute)
    make = pick(rng, makers)
    say(f"{make.__name__} with {bad if fault != 'negative weight' else -1.0} in {fault}")

    def call() -> Any:
        V = rng.standard_normal((3, d))
        if fault == "set":
            V[0, 0] = bad
        return gh.minimize(make(data, y, sample_weight=s), gh.Vertices(V), stop=gh.Iterations(5))

    return [_refusal(f"{bad} in {fault}", attempt(call), say)]


def _refusal(what: str, tried: Attempt, say: Say) -> Record:
    record = Record(what, "", "").take(tried)
    say(tried.refused or tried.raw or f"accepted: {tried.result!r:.200}")
    if not tried.refused and not tried.raw:
        record.status = "accepted"
        record.findings.append(Finding("accepted", what, f"{tried.result!r:.160}"))
    return record
