"""What a user wrote, put to the test: gradients, convexity, oracles and the gaps of solvers."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np

from greedyhull.driver.checks import is_builtin, is_user_defined
from greedyhull.errors import GreedyhullError, check
from greedyhull.objectives.accuracy import gradient_slack
from greedyhull.objectives.black_box import BlackBox
from greedyhull.objectives.limits import coarse_of, value_error
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.gradients import as_array, finite
from greedyhull.points.iterate import Iterate
from greedyhull.points.owners import least, vertices, whole
from greedyhull.points.shapes import dense as dense_atom
from greedyhull.solvers.parts.solver_state import CountingOracle, SolverState
from greedyhull.types import Answer, Array, Atom, AtomSet, Objective, Shortlist

Functions = tuple[Callable[[Array], float], Callable[[Array], Array]]


def functions_of(f: Objective) -> Functions:
    if isinstance(f, BlackBox):
        return f.sampled_functions()
    return (lambda x: float(f.value(CoordinateIterate(np.array(x)))),
            lambda x: as_array(f.gradient(CoordinateIterate(np.array(x)))))


POINTS = 3  # random points of the hull at which the objective is looked at
MISSED = 1e-6  # the share of the values by which a bound may be missed at such a point
NOT_CONVEX = ("It is not convex, or its gradient disagrees with its value: look at the gradient, run with check=True to see "
              "where it is wrong, or say convex=False.")
FALSE_GAP = "The solver reports gaps that are too small: a gap is ⟨∇f(w), w⟩ − min ⟨∇f(w), ·⟩ over the set, or more."
SEVEN = 1e-7  # digits to which linear programs are solved


def inspect_problem(f: Objective, S: AtomSet, w: Iterate, seed: int) -> None:
    """Look for a gradient that disagrees with the value, a function that is not convex, an oracle that is beaten."""
    rng = np.random.default_rng([seed, 2])
    atoms = _inspect_oracle(S, rng)
    exact = f.precise()
    for _ in range(POINTS):
        at = _on_the_way(w, atoms, rng)
        if not np.isfinite(exact.value(at)):
            continue
        for d in (atoms[int(i)] for i in rng.integers(len(atoms), size=2)):
            _inspect_segment(f, exact, S, at, d)


def _on_the_way(w: Iterate, atoms: list[Any], rng: np.random.Generator) -> Iterate:
    """A point of the hull, reached from the start by partial steps, so that it stays inside the domain of f."""
    at = w.copy()
    for i in rng.integers(len(atoms), size=3):
        at.move(at.toward(atoms[int(i)]), float(rng.uniform(0.1, 0.5)))
    return at


def _inspect_segment(f: Objective, exact: Any, S: AtomSet, w: Iterate, d: Any) -> None:
    """On the way from w to d a convex h has a slope between its differences to the left and to the right."""
    def at(step: float) -> Iterate:
        point = w.copy()
        point.move(point.toward(d), step)
        return point

    middle = at(0.4)
    step = 1e-4  # the share of the way over which values are compared
    left, here, right = (float(exact.value(p)) for p in (at(0.4 - step), middle, at(0.4 + step)))
    begin, end = float(exact.value(w)), float(exact.value(at(0.8)))
    if not np.isfinite([left, here, right, begin, end]).all():
        return
    g = exact.gradient(middle)
    check(finite(g),
          f"The gradient of {f!r} has NaN or infinite entries at a point of the hull where its value is {here:.6g}.")
    slope = d.dot(g) - w.dot(g)
    before, after = (here - left) / step, (right - here) / step
    size, own = abs(begin) + abs(here) + abs(end), value_error(coarse_of(exact, middle), 1.0)
    noise = (1e-11 + own) * size / step + 1e-6 * (abs(before) + abs(after)) + 1e-12
    chord, slack = 0.5 * (begin + end), gradient_slack(exact, middle, S)
    check(not f.traits.convex or (here <= chord + (1e-10 + own) * size and before <= after + noise),
          f"{f!r} is not convex: on a segment of the hull its values are {begin:.10g}, {here:.10g} and {end:.10g}, the middle "
          f"one above the chord, or its slope falls from {before:.6g} to {after:.6g}. Its certificates would be false.")
    check(min(before, after) - noise - slack <= slope <= max(before, after) + noise + slack,
          f"The gradient of {f!r} disagrees with its value: along a segment of the hull the value changes at a rate between "
          f"{before:.8g} and {after:.8g}, but the gradient says {slope:.8g} (off by "
          f"{max(before - slope, slope - after):.3g}). Check the formula and the scale of the "
          "gradient; a factor n or ½ is the usual cause.")


def inspect_gradient(f: Objective, S: AtomSet, w: Iterate, memory: SolverState) -> None:
    """Raise at the start if the user's gradient disagrees with the values by more than single precision explains.

    On the way from w to an atom a convex h has a slope between its differences to the left and to the right, and its rise is
    between what the slopes at both ends promise.
    """
    x, v = w.array(), _way(f, S, w, memory)
    if v is None:
        return
    value, gradient = functions_of(f)
    step = 1e-2  # the share of the way over which values are compared: only gross errors count
    with np.errstate(all="ignore"):
        left, right = (float(value(x + t * v)) for t in (0.4 - step, 0.4 + step))
        here, there = _both(f, value, gradient, x + 0.4 * v)
        slope = float(np.vdot(there, v))
    before, after = (here - left) / step, (right - here) / step
    bent = (1e-3 if f.traits.convex else 0.2) * (abs(before) + abs(after))
    middle = CoordinateIterate(x + 0.4 * v)
    slack, own = max(gradient_slack(f, w, S), gradient_slack(f, middle, S)), value_error(coarse_of(f, middle), 1.0)
    noise = (1e-6 + own) * (abs(left) + abs(here) + abs(right)) / step + bent + slack + 1e-290  # or underflow
    if not np.isfinite([before, after, slope]).all():
        return
    start, now = _both(f, value, gradient, x)
    first = float(np.vdot(now, v))
    rise, blur = here - start, (1e-6 + own) * (abs(here) + abs(start)) + 1e-3 * abs(here - start) + 0.4 * slack + 1e-290
    agrees = min(before, after) - noise <= slope <= max(before, after) + noise
    check(not agrees or not f.traits.convex or 0.4 * first - blur <= rise <= 0.4 * slope + blur,
          f"The gradient of {f!r} disagrees with its value, or it is not convex: from the start to a point of the hull the "
          f"value rises by {rise:.6g}, but its slopes at both ends promise {0.4 * first:.6g} to {0.4 * slope:.6g}. Look at "
          "the gradient; where f is not convex say convex=False.")
    check(agrees,
          f"The gradient of {f!r} disagrees with its value: on the way from the start to an atom the value changes at a rate "
          f"of about {0.5 * (before + after):.6g}, but the gradient says {slope:.6g}. Every certificate rests on it; look at "
          "its sign, and for a factor such as n or 2.")


def _both(f: Objective, value: Callable[[Array], float], gradient: Callable[[Array], Array], x: Array) -> tuple[float, Array]:
    if isinstance(f, BlackBox):
        return float(value(x)), gradient(x)
    at = CoordinateIterate(np.array(x))
    return float(f.value(at)), as_array(f.gradient(at))


def challenge(f: Objective, S: AtomSet, w: Iterate, lower: float, memory: SolverState) -> None:
    """Raise at the end if one of a few other points of the hull has a value below the lower bound.

    It finds a gradient that is right where a run begins and wrong where it ends, and a solver whose gaps are too small.
    """
    x, value = w.array(), f.value_at if isinstance(f, BlackBox) else functions_of(f)[0]
    for d in _others(f, S, w, memory):
        u = dense_atom(d, S.shape)
        for t in (0.02, 0.5):  # shares of the way to the atom
            with np.errstate(all="ignore"):
                there = value((1.0 - t) * x + t * u)
            check(not there < lower - MISSED * (abs(there) + abs(lower)),
                  f"{f!r} is {there:.8g} at a point of the hull, below {lower:.8g}, which is a lower bound by the gaps that "
                  f"were reported. {NOT_CONVEX if is_user_defined(f) else FALSE_GAP}")


def inspect_opposite(f: Objective, S: AtomSet, w: Iterate, memory: SolverState) -> None:
    """Raise at the end if w is a single atom of a user's set, and the atom for −∇f(w) is better for ∇f(w) than w.

    An oracle that maximises can return the same atom for every gradient of a run, and the gap is zero.
    """
    g = f.gradient(w) if w.keeps_atoms and len(w) == 1 else None
    if not isinstance(g, np.ndarray):  # operators need not have a negative
        return
    answer = memory.oracle(S).peek(-g)
    there, here = float(answer.atom.dot(g)), float(w.dot(g))
    noise = MISSED * (abs(there) + abs(here)) + answer.slack
    check(answer.kind != "always" or not there < here - noise,
          f"The oracle of {S!r} is wrong: for ∇f(w) it returned an atom with ⟨∇f(w), d⟩ = {here:.6g}, and for −∇f(w) one with "
          f"{there:.6g}, which is smaller. Its argmin must return the atom with the least ⟨g, ·⟩; it may maximise.")


def _others(f: Objective, S: AtomSet, w: Iterate, memory: SolverState) -> list[Atom]:
    """A few atoms to look at; a user's oracle, which may be expensive, is not called again."""
    oracle, rng = memory.oracle(S), memory.side_rng(3)
    given = [_first(answer) for answer in oracle.recent[-1:]]
    if oracle.closed is not None and is_builtin(S):
        atoms = [oracle.aside(rng.standard_normal(S.shape)).atom for _ in range(POINTS)]
        return atoms if is_user_defined(f) else [*given, *atoms]
    return [*given, *islice(vertices(w.block), POINTS - len(given))] if w.keeps_atoms else given


def _first(answer: Answer | Shortlist) -> Atom:
    return answer.atom if isinstance(answer, Answer) else whole(answer.atoms)


def _way(f: Objective, S: AtomSet, w: Iterate, memory: SolverState) -> Array | None:
    """The way from w to the atom that was found first; where that is w itself, to the one at the other end."""
    oracle, x = memory.oracle(S), w.array()
    answer = oracle.recent[-1] if oracle.recent else oracle.aside(f.gradient(w))
    v = dense_atom(_first(answer), S.shape) - x
    if not v.any():
        v = dense_atom(oracle.aside(-as_array(f.gradient(w))).atom, S.shape) - x
    return v if v.any() else None


def _inspect_oracle(S: AtomSet, rng: np.random.Generator) -> list[Any]:
    """Ask a few random gradients; every atom must lie in the set and none may beat the answer to its own question."""
    oracle = CountingOracle(S, rng)
    asked = [rng.standard_normal(S.shape) for _ in range(6)]
    answers = [oracle.argmin(g) for g in asked]
    atoms = [answer.atom for answer in answers]
    rows = np.stack([dense_atom(d, S.shape).ravel() for d in atoms])
    known = S.contains_quickly(Iterate.at(atoms[0], S.shape)) is not None  # else a beaten atom may seem to lie outside
    for d in atoms if known else ():
        _inspect_atom(S, d)
    for g, answer in zip(asked, answers, strict=True):
        if answer.kind == "always":
            _inspect_slack(S, answer, g, rows.dot(g.ravel()), "an atom that it named for another gradient")
    for d in () if known else atoms:
        _inspect_atom(S, d)
    return atoms


def _inspect_atom(S: AtomSet, d: Any) -> None:
    x = dense_atom(d, S.shape)
    check(bool(np.isfinite(x).all()), f"The oracle of {S!r} returned {d!r}, which has NaN or infinite entries.")
    searched = S.contains_quickly(Iterate.at(d, S.shape)) is None  # then nothing but the oracle itself says what S is
    check(not searched or S.contains(x, SEVEN),
          f"The oracle of {S!r} returned {d!r}, and for another gradient an atom that is worse than this one. Its argmin must "
          "return the atom with the least ⟨g, ·⟩; look at signs, and at what it compares.")
    check(searched or S.contains(x),
          f"The oracle of {S!r} returned {d!r}, which lies outside the set. Its argmin must return an atom of the set; "
          "look at signs, scales and the radius.")


def _inspect_slack(S: AtomSet, answer: Answer, g: Array, scores: Array, whose: str) -> None:
    """No known atom scores below the answer by more than its slack."""
    score, best = float(answer.atom.dot(g)), float(scores.min())
    eps = float(np.finfo(g.dtype).eps) if g.dtype.kind == "f" else 2.3e-16
    terms = abs(score) + float(np.abs(scores).max()) + float(np.vdot(np.abs(g), np.abs(dense_atom(answer.atom, S.shape))))
    noise = (64.0 * eps * g.size + SEVEN) * terms + 1e-300
    check(best >= score - answer.slack - noise,
          f"The oracle of {S!r} answered with an atom of score {score:.10g} and slack {answer.slack:.3g}, but {whose} scores "
          f"{best:.10g}: it is off by {score - answer.slack - best:.3g} more than it owns up to. Its argmin is wrong, or its "
          "slack too small.")


def inspect_answer(f: Objective, S: AtomSet, w: Iterate, memory: SolverState) -> None:
    """The last answer of the solve's oracle: is it an atom of the set, and does no active atom beat it?"""
    oracle = memory._oracle
    if oracle is None or not oracle.recent:
        return
    answer = oracle.recent[-1]
    if not isinstance(answer, Answer):
        for d in vertices(answer.atoms):
            _inspect_atom(S, d)
        return
    _inspect_atom(S, answer.atom)
    g = oracle.gradients[-1]
    if answer.kind != "always" or not np.isfinite(answer.slack):
        return
    if not finite(g):
        raise GreedyhullError(
            f"At iteration {memory.k} the oracle of {S!r} was asked with a gradient that has NaN or infinite entries; "
            f"{f!r} or its gradient is not finite there."
        )
    scores, owners = w.block.dots(g) if w.keeps_atoms else np.array([w.dot(g)]), w.owners
    if owners is not None:  # of the best vertex that its parts make
        scores = least(scores, owners).sum(keepdims=True)
    _inspect_slack(S, answer, as_array(g, S.shape), scores, "an atom of the current point")
