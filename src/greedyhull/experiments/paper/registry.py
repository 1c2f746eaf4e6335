"""All experiments, in the order of the paper."""

from __future__ import annotations

from greedyhull.experiments.paper.statements import (
    asfw,
    complexity,
    curvature,
    expect,
    interior,
    jones_constant,
    lemma1,
    lemma2,
    lemma3,
    lemma4,
    mixtures,
    one_atom,
    open_questions,
    oracles,
    pairwise_contraction,
    proposition1,
    proposition2,
    proposition3,
    theorem1,
    theorem2,
    theorem3,
    theorem4,
    theorem5,
    theorem6,
    variance_reduction,
    worst_cases,
    zhang,
)

EXPERIMENTS = tuple(module.EXPERIMENT for module in (
    oracles, curvature, lemma1, lemma2, theorem1, theorem2, worst_cases, interior, mixtures, zhang, theorem3, one_atom,
    theorem4, proposition1, theorem5, expect, proposition2, proposition3, asfw, theorem6, lemma3, lemma4, complexity,
    variance_reduction, jones_constant, pairwise_contraction, open_questions,
))
