"""Certificates: f(w) − min f ≤ gap, proved for any point of the hull."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from greedyhull.atoms.arguments import array_of
from greedyhull.atoms.base import generator
from greedyhull.driver.checks import at_edge, check_pair, check_problem
from greedyhull.driver.stop import promise
from greedyhull.errors import check, shown, suggesting
from greedyhull.kernels.core import public
from greedyhull.objectives.accuracy import gradient_slack
from greedyhull.objectives.base import Coarse
from greedyhull.objectives.composite import Composite, least
from greedyhull.objectives.limits import above, coarse_of, value_error, words_of
from greedyhull.points.aligned import point_of
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.gradients import finite
from greedyhull.points.iterate import Iterate
from greedyhull.points.validate import KINDS
from greedyhull.solvers.parts.progress import Event, Progress, weaker
from greedyhull.solvers.parts.solver_state import CountingOracle
from greedyhull.types import Answer, Array, AtomSet, Floor, Gradient, Kind, Objective, lacks

if TYPE_CHECKING:
    from greedyhull.driver.run import Run


class Bound(NamedTuple):
    """value − min f ≤ gap and lower ≤ min f, of a kind; ``delta`` is the share of samples in how likely it is to fail."""

    gap: float
    lower: float
    kind: Kind
    delta: float = 0.0


SIZES = ("estimated", "proved")  # how rounding is known, by whether the set says how large its atoms can be
MOSTLY_ROUNDING = 0.5  # of the gap: where rounding may be a larger share


def held(kind: Kind, delta: float) -> tuple[Kind, float]:
    """What a bound of a kind promises that fails with probability ``delta``: if that is not known, or 1, it is an estimate."""
    if kind != "probability":
        return kind, 0.0
    return ("probability", delta) if 0.0 < delta < 1.0 else ("estimate", min(delta, 1.0))


def sentence(note: str) -> str:
    return f"{note[0].upper()}{note[1:]}." if note else ""


@suggesting("Certificate")
@dataclass(frozen=True, init=False)
class Certificate:
    """Bound on the error of a point, value − min f ≤ gap.

    ``str(certificate)`` says in words what is promised. Certificates come from `minimize` and `certify`; each parameter is an
    attribute of the same name.

    Parameters
    ----------
    value : float or None
        f at the point; None for an `expectation`, whose values cannot be known.
    gap : float or None
        Bound on value − min f, with the oracle's slack and all rounding included. None where nothing is known yet.
    lower : float
        Lower bound on min f; −∞ where there is none (not convex, or an `expectation`).
    kind : {"always", "probability", "expectation", "estimate", "stationary"}, default "always"
        The promise. "always": the bound holds as stated. "probability": it holds with probability at least 1 − ``delta``.
        "expectation": it holds on average over the random numbers of the run. "estimate": it holds if the constants that
        were estimated are right. "stationary": f is not convex, and the gap bounds the first-order decrease, not the error.
    delta : float, default 0.0
        For kind "probability", the probability that the bound fails: the sum over all answers and samples that were used.
    rounding : {"proved", "estimated"}, default "proved"
        "estimated" if the set does not say how large its atoms can be, so that the allowance for rounding rests on the atoms
        seen.
    note : str, default ""
        What the bound rests on besides, or why it is no proof, in words.

    Notes
    -----
    For convex f the gap is ⟨∇f(w), w⟩ − min over S of ⟨∇f(w), ·⟩ or smaller (Lemma 1(a) of the paper): during a run the best
    lower bound found so far is kept, and a loss that is nowhere below zero needs no other bound to say so.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> c = gh.certify(gh.quadratic(np.eye(2)), gh.Simplex(2), np.array([0.6, 0.4]))
    >>> print(c)
    The value 0.26 is within 0.12 of the minimum, always.
    """

    value: float | None
    gap: float | None
    lower: float
    kind: Kind = "always"
    delta: float = 0.0
    rounding: str = "proved"
    note: str = ""

    def __init__(self, value: float | None, gap: float | None, lower: float, kind: Kind = "always", delta: float = 0.0,
                 rounding: str = "proved", note: str = "") -> None:
        # what a frozen dataclass writes takes three times as long
        vars(self).update(value=value, gap=gap, lower=lower, kind=kind, delta=delta, rounding=rounding, note=note)

    def __repr__(self) -> str:
        value = "unknown" if self.value is None else f"{self.value:.10g}"
        gap = "unknown" if self.gap is None else f"{self.gap:.3g}"
        delta = f", delta={self.delta:.3g}" if self.delta else ""
        rest = "" if self.rounding == "proved" else f", rounding={self.rounding!r}"
        rest += f", note={self.note!r}" if self.note else ""
        return f"Certificate(value={value}, gap={gap}, lower={self.lower:.10g}, kind={self.kind!r}{delta}{rest})"

    def __str__(self) -> str:
        held = promise(self.kind, self.delta)
        value = "The value of a stream cannot be known" if self.value is None else f"The value is {self.value:.10g}"
        if self.gap is None:
            said = f"{value}, and how far it is from the minimum is not known yet."
        elif self.kind == "stationary":
            said = f"{value}, and no straight way to a point of the hull falls by more than {self.gap:.3g} at first, {held}."
        elif self.value is None:
            said = f"{value}; it is within {self.gap:.3g} of the minimum, {held}."
        else:
            seen = "" if self.rounding == "proved" else "; the share of rounding is estimated from the atoms seen"
            said = f"The value {self.value:.10g} is within {self.gap:.3g} of the minimum, {held}{seen}."
        return f"{said} {sentence(self.note)}".rstrip()


@public
def certify(f: Objective, S: AtomSet, w: Any, *, tol: float | None = None) -> Certificate:
    """Certify a point, wherever it came from.

    Value and gradient are computed afresh in float64, and gap = ⟨∇f(w), w⟩ − min over S of ⟨∇f(w), ·⟩ + slack + rounding,
    where the slack bounds the errors of the oracle and of an inexact gradient. Where f has kinks, several subgradients are
    tried and the best lower bound counts.

    Parameters
    ----------
    f : objective
        The objective. It cannot be an `expectation`, whose value and gradient are not known.
    S : AtomSet
        The set of atoms.
    w : array_like, iterate or Solution
        A point of the convex hull of S.
    tol : float, default 1e-9
        How far outside the hull the point may lie, relative to the size of the set; with 0, by rounding alone. If the set
        decides membership less accurately than that, the certificate states how accurately in ``note``.

    Returns
    -------
    Certificate
        Value, gap and the kind of promise.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.least_squares(np.eye(2), np.array([1.0, 0.0]))
    >>> print(gh.certify(f, gh.Simplex(2), np.array([1.0, 0.0])).gap < 1e-14)
    True
    """
    check_problem(f, S)
    check(tol is None or (isinstance(tol, Real) and tol >= 0),
          lambda: f"tol={shown(tol)} was given; a number of at least 0, or None, is wanted.")
    near = 1e-9 if tol is None else float(tol)
    point = as_iterate(f, S, w if lacks(w, "point") else w.point, near)
    check(f.traits.terms != "stream", lambda: f"{f!r} is a stream: neither its value nor its full gradient can be known, "
          "and no point certified for good. Solve with look=MinibatchGap() or look=Regret(), and read solution.certificate.")
    with np.errstate(all="ignore"):  # overflow is told by values that are not finite, in words
        certificate = certificate_of(f, S, point)
    if point.keeps_atoms or S.resolution <= max(near, 1e-12):
        return certificate
    about = f"whether the point lies in the set is known up to {S.resolution:.2g} of its size"
    return replace(certificate, note="; ".join(filter(None, (certificate.note, about))))


def certificate_of(f: Objective, S: AtomSet, w: Iterate, known: float = -np.inf,
                   ask: Callable[[Gradient], Floor] | None = None) -> Certificate:
    """The certificate of an iterate without views that is known to lie in the hull.

    ``known`` is a lower bound that the caller has already: where bounds must be searched for, f having kinks, it may save
    the search. ``ask`` is the floor of a run's oracle, which counts; without it the set is asked for a new one. ``delta`` is
    that of all floors that were compared here.
    """
    precise = f.precise()
    value = precise.value(w)
    check(bool(np.isfinite(value)), lambda: f"{f!r} is {value} at this point; a certificate needs a finite value.")
    g = precise.gradient(w)
    check(finite(g),
          lambda: f"The gradient of {f!r} has NaN or infinite entries at this point; nothing can be certified there. Check "
                  "the objective's gradient.")
    seen = coarse_of(precise, w)
    rounding = precise.rounding(w, S) + value_error(seen, value)
    check(rounding < np.inf, lambda: at_edge(f))
    ask = CountingOracle(S, generator(S, 0)).floor if ask is None else ask
    lowest = ask(g)
    slack = gradient_slack(precise, w, S)
    gap = max(precise.gradient_dot(w) - lowest.lower + rounding + slack, 0.0)
    if not f.traits.convex:
        return Certificate(value, gap, -np.inf, "stationary", rounding=SIZES[S.sized], note=words_of(seen, S))
    found = Floor(value - gap, kind_of(lowest.kind, precise, S, seen), lowest.delta)
    floor = least(precise)
    if not f.traits.smooth and (isinstance(precise, Composite) or f.traits.remote):
        from greedyhull.driver.finish import dual_bound

        found = dual_bound(precise, S, w, found, max(known, floor), ask)
    kind, delta = held(found.kind, found.delta)
    gap = max(value - found.lower, 0.0)
    if floor > found.lower:
        own = max(value - floor, 0.0) + rounding
        if rounding > MOSTLY_ROUNDING * own:
            own = above(precise, w, value, floor, rounding) + value_error(seen, value)
        if own < gap:
            gap, kind, delta = own, kind_of("always", precise, S, seen), 0.0
    return Certificate(value, gap, max(found.lower, floor), kind, delta, SIZES[S.sized], words_of(seen, S))


def kind_of(kind: Kind, f: Objective, S: AtomSet, seen: Coarse | None = None) -> Kind:
    """Return what a bound promises: an estimate if it rests on estimated sizes of atoms, or on less than float64."""
    return kind if (f.traits.exact_gradient or S.sized) and seen is None else weaker(kind, "estimate")


def as_iterate(f: Objective, S: AtomSet, w: Any, tol: float) -> Iterate:
    """The point as a fresh iterate without views, after checking that it lies in the hull."""
    check_pair(f, S)
    if isinstance(w, Iterate):
        check(S.contains(w, tol),
              lambda: f"The point lies outside {S!r}: it belongs to another set. Solve over this set first, "
                      "or pass point.array() and a larger tol.")
        if w.keeps_atoms:
            check_weights(w)
            w = Iterate(S.recognised(w.block), w.weights, w.shape).merged()
        return afresh(w)
    x = finite_array(w, f, S, "The point")
    check(S.contains(x, tol),
          lambda: f"The point lies outside {S!r} by more than {tol:g} of its size, so it is no candidate for the "
                  "minimum there. Scale it into the set, or pass a larger tol.")
    return CoordinateIterate(x)


def finite_array(given: Any, f: Objective, S: AtomSet, name: str) -> Array:
    """Return the coordinates of a point that was given as an array or a table, checked for shape and finite entries."""
    x = array_of(point_of(given, f, S))
    check(x.shape == S.shape, lambda: f"{name} has shape {x.shape} but {S!r} holds points of shape {S.shape}.")
    check(bool(np.isfinite(x).all()), f"{name} has NaN or infinite entries; a point of the set is wanted.")
    return x


def check_weights(w: Iterate) -> None:
    """Raise unless the weights of a point that a user made are those of a mixture."""
    weights, totals = w.weights, w.totals
    good = np.isfinite(weights).all() and (weights >= 0.0).all() and (np.abs(totals - 1.0) <= 1e-9).all()
    sums = f"{totals[0]:.10g}" if len(totals) == 1 else f"{totals.round(10).tolist()}, one number for each owner"
    check(bool(good),
          lambda: f"The weights of the point are from {weights.min():.6g} to {weights.max():.6g} and sum to {sums}; "
                  "weights of at least 0 that sum to one are wanted.")


def afresh(w: Iterate) -> Iterate:
    """The same point without views, its weights summing to one again."""
    copy = w.copy()
    if copy.keeps_atoms:
        copy.refresh()
    return copy


NEAR = 0.1  # of the estimate: what a proof may be off by, where a sharper one would take longer; at the start, all of it


class Proofs:
    """The proofs of one run. Those at set iterations steer the solver, and are saved with its state."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.again = 0  # when the next proof for a stop may be
        self.least: float | None = None  # the smallest gap that can be proved, where that does not meet the request

    def on_time(self, p: Progress, value: float, rounding: float) -> Progress:
        """p, with a proof where one is due."""
        memory = self.run.memory
        kept = memory.arrays.get("proofs")
        due, at, *told = (0.0, -1.0) if kept is None else kept.tolist()
        if memory.k == at and p.answer is not None and p.estimate == told[0]:  # begun again after a resume
            answer = p.answer
            atom = answer.atom if isinstance(answer, Answer) else answer.atoms[0]
            return p.proved(Answer(atom, told[1], KINDS[int(told[2])], told[3]))
        if memory.k < due or not self._helps(p, value - memory.steering_bound, rounding):
            return p
        proof = self._ask(p, NEAR * p.estimate if memory.k else p.estimate)
        # iterations from the first proof to the second
        memory.arrays["proofs"] = np.array([max(2.0 * memory.k, memory.k + 10), memory.k, p.estimate, proof.slack,
                                            KINDS.index(proof.kind), proof.delta])
        return p.proved(proof)

    def for_stop(self, p: Progress, event: Event) -> Progress | None:
        """p with a proof, if the request on the gap would be met with the estimate and may be met with the proof."""
        run, off = self.run, self.run.rounding + self.run.gradient_slack
        gap = p.estimate + off
        if run.memory.k < self.again or not self._helps(p, event.gap, off):
            return None
        if not run.stop.met(replace(event, gap=gap, lower=event.value - gap)):
            return None
        self.again = run.memory.k + max(1, run.memory.k // 2)  # if it falls short
        proof = self._ask(p, 0.5 * self._to_spare(event, gap))
        least = self._oracle.sharpest + off
        met = run.stop.met(replace(event, gap=least, lower=event.value - least))  # if the estimate were nothing
        self.least = least if least > off and not met else None
        return p.proved(proof)

    def _to_spare(self, event: Event, gap: float) -> float:
        """What a gap that meets the request may grow by and still meet it, within a factor of two."""
        spare = max(abs(event.value), gap)
        for _ in range(60):  # of the value, down to which a request is compared
            wider = gap + spare
            if self.run.stop.met(replace(event, gap=wider, lower=event.value - wider)):
                return spare
            spare *= 0.5
        return 0.0

    def at_end(self, p: Progress, event: Event) -> Progress | None:
        """p with a proof, if that can better the bound that the run would end with."""
        if not self._helps(p, event.gap, self.run.rounding + self.run.gradient_slack):
            return None
        # of the value: what the proof at the end may be off by
        return p.proved(self._ask(p, max(NEAR * p.estimate, 1e-7 * abs(event.value))))

    def _helps(self, p: Progress, known: float, rounding: float) -> bool:
        """Whether a proof can make the gap less than what is known, and there is an answer to prove."""
        return p.gap == inf and p.estimate + rounding < known and p.answer is not None and self._oracle.gave(p.answer)

    def _ask(self, p: Progress, tol: float) -> Answer:
        assert p.answer is not None
        return self._oracle.proved(p.answer, max(tol, 0.0))

    @property
    def _oracle(self) -> CountingOracle:
        return self.run.memory.oracle(self.run.S)
