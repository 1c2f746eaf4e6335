"""Cases of points that are pushed out of a set, by 1e-12 to 1e-3 of its size, and certified with a tolerance of 0."""

from __future__ import annotations

import numpy as np

import greedyhull as gh
from greedyhull.points.shapes import dense
from tests.fuzz.attempts import attempt
from tests.fuzz.draws import Rng
from tests.fuzz.exact import LD
from tests.fuzz.judge import Finding
from tests.fuzz.models import EPS
from tests.fuzz.records import Record
from tests.fuzz.solves import Say, draw_problem

POINTS = 4  # that are pushed out of each set


def pushed(rng: Rng, say: Say) -> list[Record]:
    """Best atoms for random gradients, pushed beyond the plane on which they lie."""
    records: list[Record] = []
    problem = draw_problem(rng, say, records)
    if problem is None:
        return records
    model, region = problem
    for _ in range(POINTS):
        g = rng.standard_normal(region.d)
        best = attempt(lambda g=g: dense(region.plain.atom(g), (region.d,)))  # type: ignore[misc]
        if best.result is None:
            records.append(Record(model.kind, region.kind, "certify outside").take(best))
            continue
        push = 10.0 ** rng.uniform(-12.0, -3.0)
        x = best.result - 4.0 * push * float(np.abs(best.result).max()) * g / float(np.linalg.norm(g))
        with np.errstate(all="ignore"):
            off = region.outside(x.astype(LD))
        tried = attempt(lambda x=x: gh.certify(model.f, region.S, x, tol=0))  # type: ignore[misc]
        record = Record(model.kind, region.kind, "certify outside").take(tried)
        if tried.result is not None:
            record.status = tried.result.kind
            known = region.S.resolution if "known up to" in tried.result.note else 0.0
            if off > 128.0 * EPS * region.d + region.loose + known:
                record.findings.append(Finding("accepted", "a point outside", f"certify accepted a point {off:.3g} outside"))
        say(f"pushed by {push:.3g}, outside by {off:.3g}: {tried.refused or tried.raw or tried.result}")
        records.append(record)
    return records
