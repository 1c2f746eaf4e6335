"""Case number K of seed S: always the same, whatever ran before it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.fuzz.draws import Rng, pick
from tests.fuzz.ensembles import metric
from tests.fuzz.hostile import bad_numbers, malformed, wrong_gradient
from tests.fuzz.labels import labels
from tests.fuzz.matrices import matrix
from tests.fuzz.pushed import pushed
from tests.fuzz.records import Record
from tests.fuzz.resumes import changed, resume
from tests.fuzz.solves import Say, certify, solve

KINDS: dict[str, tuple[float, Callable[[Rng, Say], list[Record]]]] = {
    "matrix": (4.0, matrix),
    "solve": (48.0, solve),
    "certify": (8.0, certify),
    "resume": (14.0, resume),
    "changed": (14.0, changed),
    "gradient": (5.0, wrong_gradient),
    "numbers": (3.0, bad_numbers),
    "malformed": (2.0, malformed),
    "ensemble": (1.0, metric),
    "labels": (1.0, labels),
    "outside": (4.0, pushed),
}


def draw_kind(seed: int, number: int) -> tuple[str, Rng]:
    """The kind of a case, and the random numbers that the rest of it is drawn with."""
    rng = np.random.default_rng([seed, number])
    return pick(rng, list(KINDS), [weight for weight, _ in KINDS.values()]), rng


def play(seed: int, number: int, say: Say = lambda words: None) -> tuple[str, list[Record]]:
    """The case, and what came of it; ``say`` is told what happens."""
    kind, rng = draw_kind(seed, number)
    say(f"case {number} of seed {seed}: {kind}")
    return kind, KINDS[kind][1](rng, say)
