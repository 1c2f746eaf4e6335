"""What a certificate promises, for each kind, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from greedyhull.driver.certificate import promise
from greedyhull.objectives.relative import of_what, share

if TYPE_CHECKING:
    from greedyhull.driver.certificate import Certificate
    from greedyhull.types import Kind

MEANS: dict[Kind, str] = {
    "always": "This is a proof, rounding included, for the point as it is returned: no point of the hull has a value lower by "
              "more than the gap. It rests on f being convex and on the oracle, and on nothing that was drawn at random.",
    "probability": "The gap was found from random samples, or by an oracle that may fail. Of all runs with other seeds, at "
                   "most the share δ may have bounds that fail, all bounds that this run looked at taken together.",
    "expectation": "The gap bounds a mean: that of the error over all runs with other seeds. This run by itself may be "
                   "further from the minimum.",
    "estimate": "The gap holds if some constants are right that could only be estimated: those of a loss or an oracle without "
                "a known formula, or numbers of single precision.",
    "stationary": "f is not known to be convex. The gap is how fast f falls, at most, on a straight way to any point of the "
                  "hull; at zero the point is stationary. It says nothing of the distance to the minimum.",
}


TITLES: dict[Kind, str] = {
    "always": "A certified minimum",
    "probability": "A minimum, up to a bound that holds with high probability",
    "expectation": "A minimum, up to a bound that holds on average",
    "estimate": "A minimum, up to a bound that rests on estimates",
    "stationary": "A point that is stationary, up to a bound",
}


class Row(NamedTuple):
    """A line of the certificate's table."""

    name: str
    value: str


def title(certificate: Certificate) -> str:
    """What a page about it is called."""
    return "A point without a bound so far" if certificate.gap is None else TITLES[certificate.kind]


def means(certificate: Certificate) -> list[str]:
    """The promise in words: what holds, how surely, and what is not known."""
    said = [str(certificate)]
    if certificate.gap is None:
        return [*said, "No bound was found: the run ended before its first look at the gap, or asked for none."]
    said.append(MEANS[certificate.kind])
    if certificate.value is None:
        said.append("f is known by samples only, so it has no value that could be told; the bound needs none.")
    return said


def rows(certificate: Certificate, scale: float) -> list[Row]:
    """The numbers of the certificate; ``scale`` is that of the objective, which the gap is relative to as for `Relative`."""
    c = certificate
    found = [Row("kind", c.kind)]
    if c.kind == "probability":
        found += [Row("holds", promise(c.kind, c.delta)), Row("δ", f"{c.delta:g}")]
    if c.gap is not None:
        found.append(Row("gap", f"{c.gap:.6g}"))
    if c.value is not None:
        found.append(Row("value", f"{c.value:.12g}"))
        if c.lower > -float("inf"):
            found.append(Row("lower bound of the minimum", f"{c.lower:.12g}"))
        if c.gap is not None and max(abs(c.value), scale) > 0.0 and c.kind != "stationary":
            found.append(Row("relative gap", f"{share(c.gap, max(abs(c.value), scale)):.3g} {of_what(scale)}"))
    return found
