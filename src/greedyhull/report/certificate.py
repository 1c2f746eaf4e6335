"""What a certificate proves, for each kind: the numbers, and sentences that say what they mean."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, NamedTuple

from greedyhull.driver.certificate import promise
from greedyhull.objectives.relative import of_what, share

if TYPE_CHECKING:
    from greedyhull.driver.certificate import Certificate
    from greedyhull.types import Kind

MEANS: dict[Kind, str] = {  # templates, for the probability of failure
    "always": "This is proved for the point as returned, rounding included: no point of the set has a value lower by more "
              "than the gap. The proof assumes that f is convex and that the linear minimisation oracle is correct. It does "
              "not depend on random draws.",
    "probability": "The gap was computed from random samples, or with an oracle that may fail. The probability is over these "
                   "random draws: among runs with different seeds, at most a fraction {delta:g} may report a gap that is "
                   "too small. This accounts for every bound that the run compared.",
    "expectation": "The gap bounds the expected error, the mean over runs with different seeds. The error of this run may be "
                   "larger.",
    "estimate": "The gap is valid if certain constants are correct that could only be estimated: those of a loss or an oracle "
                "without a known formula, or those of single-precision arithmetic.",
    "stationary": "f is not known to be convex. The gap bounds the first-order decrease ⟨∇f(w), w − v⟩ towards any point v of "
                  "the set; if it is zero, the point is stationary. It does not bound the distance to the minimum.",
}
TITLES: dict[Kind, str] = {
    "always": "A point with a certified gap",
    "probability": "A minimum, up to a bound that holds with high probability",
    "expectation": "A minimum, up to a bound that holds on average",
    "estimate": "A minimum, up to a bound that rests on estimates",
    "stationary": "A stationary point, up to a bound",
}
ROUNDING = ("The part of the gap that covers rounding is estimated from the atoms seen, because the set does not state how "
            "large its atoms can be.")


class Row(NamedTuple):
    """A number of the certificate, and what a reader needs to know about it."""

    name: str
    value: str
    note: str = ""


def title(certificate: Certificate, converged: bool = False) -> str:
    """The title of a page about a point with this certificate."""
    if certificate.gap is None:
        return "A point without a bound so far"
    return "A certified minimum" if converged and certificate.kind == "always" else TITLES[certificate.kind]


def heading(certificate: Certificate) -> str:
    """What the numbers are called: those that rest on estimates are not proved."""
    return "What is known" if certificate.gap is None or certificate.kind == "estimate" else "What is proved"


def means(certificate: Certificate) -> list[str]:
    """What the numbers mean, in sentences; the interval of the minimum first, where there is one to tell."""
    c = certificate
    if c.gap is None:
        return ["No bound was computed: the run ended before its first certificate, or none was requested."]
    said = [_interval(c), MEANS[c.kind].format(delta=c.delta), ROUNDING if c.rounding == "estimated" else ""]
    if c.value is None:
        said.append("f can only be sampled, so its value at the point is not known. The bound does not need it.")
    return [sentence for sentence in said if sentence]


def _interval(c: Certificate) -> str:
    """Where the minimum lies; nothing where the certificate does not bound it from below, or more digits would be needed."""
    if c.value is None or c.lower == -inf or c.kind in ("expectation", "stationary"):
        return ""
    low, high = f"{c.lower:.12g}", f"{c.value:.12g}"
    held = "" if c.kind == "always" else f", {promise(c.kind, c.delta)}"
    return f"The minimum lies between {low} and {high}{held}." if low != high else ""


def rows(certificate: Certificate, scale: float, reason: str = "") -> list[Row]:
    """Value, gap, relative gap and kind, those that are known.

    ``scale`` is that of the objective; the gap is divided by max(|value|, scale), as for `Relative`. Where ``reason``,
    which stands beside the numbers, names a gap relative to something else, that is the one, and there is no other.
    """
    c, found = certificate, list[Row]()
    if c.value is not None:
        found.append(Row("value", f"{c.value:.10g}"))
    if c.gap is not None:
        found.append(Row("gap", f"{c.gap:.3g}"))
    whole = 0.0 if c.value is None else max(abs(c.value), scale)
    if c.gap is not None and whole > 0.0 and c.kind != "stationary":
        relative, of = f"{share(c.gap, whole):.3g}", of_what(scale)
        if "relative gap" not in reason or f"relative gap {relative} {of}" in reason:
            found.append(Row("relative gap", relative, of))
    held = promise(c.kind, c.delta)
    return [*found, Row("kind", c.kind, held if held != c.kind else "")]
