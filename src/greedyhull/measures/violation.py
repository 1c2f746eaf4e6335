"""How far the atoms of single terms are from being right on average: the c that `theory.expect_rate` asks for."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.atoms.arguments import array_of
from greedyhull.errors import GreedyhullError, check
from greedyhull.types import AtomSet, Objective
from greedyhull.types.kinds import summed


def expect_violation(f: Objective, S: AtomSet, w: Any, eta: float) -> float:
    """(⟨E d, ∇f(w)⟩ - min over S of ⟨d, ∇f(w)⟩)/η at w, d the atom of one random term: the c that `expect_rate` needs here.

    It takes the gradient and the atom of every term, so f must be a finite sum. Where it grows along a run no c will do,
    as in the paper's two examples with single terms.

    >>> import greedyhull as gh
    >>> f = gh.least_squares(np.ones((2, 2)), [1.0, -1.0])
    >>> round(expect_violation(f, gh.L2Ball(2, 0.5), np.full(2, 1 / 8**0.5), eta=0.5), 6)
    1.0
    """
    whole = summed(f)
    if whole is None:
        raise GreedyhullError(f"{f!r} is not a sum of finitely many terms, whose atoms could be averaged. Give the terms to "
                              "finite_sum(value, gradient, n, shape).")
    check(0 < eta <= 1, f"eta is {eta}, but the violation is measured in steps, which lie in (0, 1]. Pass the step at w.")
    x, n = array_of(w), whole.n
    g = np.asarray(whole.batch(np.arange(n)).gradient(x))
    mean = sum(S.atom(np.asarray(whole.batch(np.array([i])).gradient(x))).dot(g) for i in range(n)) / n
    return max(float(mean - S.atom(g).dot(g)) / eta, 0.0)
