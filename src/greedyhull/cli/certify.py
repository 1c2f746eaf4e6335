"""``greedyhull certify``: how good a stored point is for a problem, computed afresh, whoever found it."""

from __future__ import annotations

from pathlib import Path

from greedyhull.cli.console import Voice, certificate_fields
from greedyhull.cli.exits import DONE, SHORT
from greedyhull.cli.problem import load
from greedyhull.cli.solution_file import read_point
from greedyhull.driver.certificate import certify
from greedyhull.errors import check


def run(file: Path, stored: Path, gap: float | None, tol: float | None, voice: Voice) -> int:
    """Certify and tell; the exit code says whether the gap is small enough."""
    for name, number in (("--gap", gap), ("--tol", tol)):
        check(number is None or number >= 0, f"{name} {number} was given; a number of at least 0 is wanted.")
    with voice.noting():
        problem = load(file)
    point = read_point(stored, problem.S.shape)
    certificate = certify(problem.f, problem.S, point, tol=tol)
    goal = problem.goal if gap is None else gap
    met = goal is None or (certificate.gap is not None and certificate.gap <= goal)
    voice.say(f"The point lies in {problem.S!r}. {certificate}")
    if certificate.kind == "always":
        voice.say(f"This is proved, rounding included: the minimum of {problem.f!r} there is between {certificate.lower:.10g} "
                  f"and {certificate.value:.10g}. It does not matter how the point was found.")
    if goal is not None:
        asker = "the file" if gap is None else "--gap"
        voice.say(f"The gap {certificate.gap:.3g} is {'at most' if met else 'above'} the {goal:g} that {asker} asks for.")
    voice.result({"met": met, "goal": goal, "certificate": certificate_fields(certificate)})
    return DONE if met else SHORT
