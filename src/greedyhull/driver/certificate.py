"""Certificates: f(w) − min f ≤ gap, proved for any point of the hull."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from inspect import signature
from math import prod
from numbers import Real
from types import FunctionType
from typing import Any, Literal, NamedTuple

import numpy as np

from greedyhull.atoms.arguments import array_of
from greedyhull.atoms.base import AtomSet, generator
from greedyhull.atoms.base import AtomSet as DefaultSet
from greedyhull.errors import GreedyhullError, check, shown, suggesting
from greedyhull.kernels.core import public
from greedyhull.objectives.accuracy import gradient_slack
from greedyhull.objectives.composite import Composite
from greedyhull.objectives.limits import Coarse, above, coarse_of, least, value_error, words_of
from greedyhull.points.aligned import agree, point_of
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.gradients import finite
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.parts.memory import Recorder
from greedyhull.solvers.parts.progress import weaker
from greedyhull.types import AtomSet as CertificateAtomSet
from greedyhull.types import Floor, Gradient, Kind, Objective, lacks


def check_problem(f: object, S: object) -> None:
    """Raise if f and S are swapped, or were not made yet."""
    classes: tuple[Any, Any] = (type(f), type(S))  # mypy takes no class for hashable
    if _told_apart(*classes):
        return
    check(not isinstance(f, AtomSet), lambda: f"f is {shown(f)}, which is a set; an objective is wanted. The objective comes "
                                              "first: minimize(f, S).")
    if isinstance(S, type):
        raise GreedyhullError(f"S is {shown(S)}; a set is wanted. Make one: {S.__name__}(...).")
    several = isinstance(S, list | tuple) and len(S) > 1 and all(isinstance(part, AtomSet) for part in S)
    check(not several, lambda: f"S is {shown(S)}; one set is wanted. For weights with a sum and bounds use Simplex(d, "
                               "upper=...); for other intersections, oracle(fn, d) with fn that minimises a linear form.")
    check(not isinstance(S, np.ndarray | list), lambda: f"S is {shown(S)}; a set is wanted. Vertices(S) is the convex hull of "
                                                        "the rows of a matrix.")
    check(not isinstance(f, np.ndarray | list), lambda: f"f is {shown(f)}; an objective is wanted. For data X and y write "
                                                        "minimize(least_squares(X, y), S).")
    if isinstance(f, FunctionType) and f.__module__.startswith("greedyhull."):
        raise GreedyhullError(f"f is {shown(f)}; an objective is wanted. Call the function with your data: {f.__name__}(...).")


@lru_cache(maxsize=256)
def _told_apart(f: type, S: type) -> bool:
    """Whether objects of the class S are sets, and those of f nothing that is often given in place of an objective."""
    return issubclass(S, AtomSet) and not issubclass(f, (AtomSet, np.ndarray, list, FunctionType))


class Bound(NamedTuple):
    """value − min f ≤ gap and lower ≤ min f, of a kind; ``delta`` is the share of samples in how likely it is to fail."""

    gap: float
    lower: float
    kind: Kind
    delta: float = 0.0


def held(kind: Kind, delta: float) -> tuple[Kind, float]:
    """What a bound of a kind promises that fails with probability ``delta``: if that is not known, or 1, it is an estimate.

    >>> held("probability", 0.5), held("probability", 1.5), held("probability", 0.0), held("always", 0.5)
    (('probability', 0.5), ('estimate', 1.0), ('estimate', 0.0), ('always', 0.0))
    """
    if kind != "probability":
        return kind, 0.0
    return ("probability", delta) if 0.0 < delta < 1.0 else ("estimate", min(delta, 1.0))


def promise(kind: Kind, delta: float = 0.0) -> str:
    """What a bound of a kind promises, in words.

    >>> promise("probability", 0.05)
    'with probability at least 0.95'
    """
    return {"always": "always", "probability": f"with probability at least {1 - delta:g}", "expectation": "in expectation",
            "estimate": "if the estimated constants are right", "stationary": "as a measure of stationarity"}[kind]


def sentence(note: str) -> str:
    """A note of a certificate as a sentence.

    >>> sentence("gradient is float32")
    'Gradient is float32.'
    """
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

    See Also
    --------
    certify : Certify any point.
    Solution : What `minimize` returns.

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
    rounding: Literal["proved", "estimated"] = "proved"
    note: str = ""

    def __init__(self, value: float | None, gap: float | None, lower: float, kind: Kind = "always", delta: float = 0.0,
                 rounding: Literal["proved", "estimated"] = "proved", note: str = "") -> None:
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
        return f"{self._promised()} {sentence(self.note)}".rstrip()

    def _promised(self) -> str:
        held = promise(self.kind, self.delta)
        value = "The value of a stream cannot be known" if self.value is None else f"The value is {self.value:.10g}"
        if self.gap is None:
            return f"{value}, and how far it is from the minimum is not known yet."
        if self.kind == "stationary":
            return f"{value}, and no straight way to a point of the hull falls by more than {self.gap:.3g} at first, {held}."
        if self.value is None:
            return f"{value}; it is within {self.gap:.3g} of the minimum, {held}."
        seen = "" if self.rounding == "proved" else "; the share of rounding is estimated from the atoms seen"
        return f"The value {self.value:.10g} is within {self.gap:.3g} of the minimum, {held}{seen}."


@public
def certify(f: Objective, S: CertificateAtomSet, w: Any, *, tol: float | None = None) -> Certificate:
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

    See Also
    --------
    minimize : Find a point, and certify it.

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


def certificate_of(f: Objective, S: CertificateAtomSet, w: Iterate, known: float = -np.inf,
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
    ask = Recorder(S, generator(S, 0)).floor if ask is None else ask
    lowest = ask(g)
    slack = gradient_slack(precise, w, S)
    gap = max(precise.gradient_dot(w) - lowest.lower + rounding + slack, 0.0)
    if not f.traits.convex:
        return Certificate(value, gap, -np.inf, "stationary", rounding=rounding_of(S), note=words_of(seen, S))
    found = Floor(value - gap, kind_of(lowest.kind, precise, S, seen), lowest.delta)
    floor = least(precise)
    if not f.traits.smooth and (isinstance(precise, Composite) or f.traits.remote):
        from greedyhull.driver.finish import dual_bound

        found = dual_bound(precise, S, w, found, max(known, floor), ask)
    kind, delta = held(found.kind, found.delta)
    gap = max(value - found.lower, 0.0)
    if floor > found.lower:
        own = above(precise, w, value, floor, rounding) + value_error(seen, value)
        if own < gap:
            gap, kind, delta = own, kind_of("always", precise, S, seen), 0.0
    return Certificate(value, gap, max(found.lower, floor), kind, delta, rounding_of(S), words_of(seen, S))


def at_edge(f: object) -> str:
    """Why a point whose value may be infinite for all that is known has no certificate."""
    return (f"{f!r} at this point is infinite, or so large that rounding decides: atoms cancel each other in what its loss is "
            "taken of. Give start=, a point well inside its domain, or scale the data.")


def rounding_of(S: CertificateAtomSet) -> Literal["proved", "estimated"]:
    """Whether the set says how large its atoms can be."""
    return "proved" if S.sized else "estimated"


def kind_of(kind: Kind, f: Objective, S: CertificateAtomSet, seen: Coarse | None = None) -> Kind:
    """What a bound promises; the slack of an inexact gradient is estimated where the sizes of atoms are, and the error of
    values and gradients in less than float64 always."""
    return kind if (f.traits.exact_gradient or S.sized) and seen is None else weaker(kind, "estimate")


def as_iterate(f: Objective, S: CertificateAtomSet, w: Any, tol: float) -> Iterate:
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
    x = array_of(point_of(w, f, S))
    check(x.shape == S.shape, lambda: f"The point has shape {x.shape} but {S!r} holds points of shape {S.shape}.")
    check(bool(np.isfinite(x).all()), "The point has NaN or infinite entries.")
    check(S.contains(x, tol),
          lambda: f"The point lies outside {S!r} by more than {tol:g} of its size, so it is no candidate for the "
                  "minimum there. Scale it into the set, or pass a larger tol.")
    return CoordinateIterate(x)


def check_weights(w: Iterate) -> None:
    """Whether the weights of a point that somebody made are those of a mixture."""
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


def check_pair(f: Objective, S: CertificateAtomSet) -> None:
    """Whether f is an objective, S a set, and the two go together."""
    if not _ship(type(f), type(S)):
        _check_parts(f, S)
    if isinstance(f, Composite) and not f.loss.smooth:
        missing = lacks(f.loss, "conjugate", "smoothed")
        check(not missing, lambda: f"{f.loss!r} has smooth = False, but no method {' and '.join(missing)}, which certificates "
              "of losses with kinks need; see greedyhull.extend.KinkedLoss. Write what is missing, or pass terms and "
              "subgradients to finite_sum, which needs neither.")
    if f.domain != S.shape:
        raise GreedyhullError(f"The objective takes points of shape {f.domain} but {S!r} holds atoms of shape {S.shape}. "
                              f"{_fitting(f, S)}")
    agree(f, S, "The objective and the set")


@lru_cache(maxsize=256)
def _ship(f: type, S: type) -> bool:
    """Whether these are classes of the library, of objectives and of sets: their objects have all that is asked of them."""
    ours = f.__module__.startswith("greedyhull.") and S.__module__.startswith("greedyhull.")
    return ours and {"gradient", "rounding", "start"} <= set(dir(f)) and issubclass(S, DefaultSet)


def _check_parts(f: Objective, S: CertificateAtomSet) -> None:
    """Whether f has a domain and a gradient, and S an oracle and a shape."""
    check(not lacks(f, "domain", "gradient"), lambda: f"f is {shown(f)}; an objective such as "
          "least_squares(X, y), quadratic(Q, b) or function(value, gradient, shape) is wanted.")
    check(not lacks(S, "oracle"), lambda: f"S is {shown(S)}; a set such as Simplex(d), L1Ball(d, radius) or "
                                  "Vertices(matrix) is wanted.")
    check(not lacks(S, "shape"), lambda: f"S is a {type(S).__name__} without a shape. Set self.shape = {f.domain} in its "
                                         "__init__: the shape of its points.")
    check(isinstance(S.shape, tuple), lambda: f"{type(S).__name__} has shape = {shown(S.shape)}; a tuple such as {f.domain} "
                                              "is wanted.")


def _fitting(f: Objective, S: CertificateAtomSet) -> str:
    """What to give in place of a set of another shape."""
    first = next(iter(signature(type(S)).parameters), "")
    if first == "d" and len(f.domain) == 1:
        return f"Build the set from the data: {type(S).__name__}({f.domain[0]}, ...)."
    if len(f.domain) == 1 and f.domain[0] == prod(S.shape):
        return f"Product({S!r}) holds the same points written in a row, of shape {f.domain}."
    return f"Give a set whose points have the shape {f.domain}."
