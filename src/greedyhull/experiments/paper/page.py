"""The page: every finding with its statement, checks, figures and tables, in one file that loads nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from greedyhull.experiments.paper.draw import svg, write_csv
from greedyhull.experiments.paper.experiment import Check, Experiment, Finding, Scale
from greedyhull.experiments.paper.misprints import MISPRINTS

Found = tuple[Experiment, Finding]


def write(found: Sequence[Found], folder: Path, scale: Scale, seed: int) -> Path:
    """Write index.html and a CSV file for every figure into the folder, which is made if it is not there."""
    from jinja2 import Environment, PackageLoader

    folder.mkdir(parents=True, exist_ok=True)
    loader = PackageLoader("greedyhull.experiments.paper", ".")
    page = Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    page.filters["number"] = number
    page.filters["limit"] = limit
    page.filters["indexed"] = indexed
    page.filters["short"] = short
    page.filters["nearest"] = nearest
    html = page.get_template("page.html").render(
        found=found, scale=scale, seed=seed, misprints=MISPRINTS, svg=svg, csv=csv_name,
        held=sum(finding.ok and bool(finding.checks) for _, finding in found),
        checks=sum(len(finding.checks) for _, finding in found))
    for experiment, finding in found:
        for figure in finding.figures:
            write_csv(figure, folder / csv_name(experiment.name, figure.name))
    target = folder / "index.html"
    target.write_text(html, encoding="utf-8")
    return target


def indexed(words: str) -> Any:
    """Words with what stands after an underscore as an index, and after a hat as an exponent.

    >>> str(indexed("e_{k+1} ≤ η_kε_k, k^−½, interior_rate"))
    'e<sub>k+1</sub> ≤ η<sub>k</sub>ε<sub>k</sub>, k<sup>−½</sup>, interior_rate'
    """
    from markupsafe import Markup, escape

    text = re.sub(r"_\{([^}]+)\}|_([A-Za-z0-9ε])(?![A-Za-z0-9_])", lambda m: f"<sub>{m[1] or m[2]}</sub>", str(escape(words)))
    return Markup(re.sub(r"\^\{([^}]+)\}|\^(−?[0-9.]+|−?[½¼¾⅓⅔]|−?[a-z])", lambda m: f"<sup>{m[1] or m[2]}</sup>", text))


def csv_name(experiment: str, figure: str) -> str:
    """The file with the data of a figure."""
    return f"{experiment}_{figure}.csv"


def number(value: str | float) -> str:
    """A number as a reader wants it; words stay as they are.

    >>> number(0.25), number(1.0), number(1234567.0), number(3e-9), number(float("nan")), number(-2e-17)
    ('0.25', '1', '1.23e6', '3e−9', '–', '0')
    """
    if isinstance(value, str):
        return value
    x = float(value)
    if x != x:
        return "–"
    if abs(x) < 1e-14:
        return "0"
    text = f"{x:.3g}" if not 1e-3 <= abs(x) < 1e5 else f"{x:.5g}"
    return text.replace("e-0", "e−").replace("e+0", "e").replace("-", "−")


def short(value: float | None) -> str:
    """Two digits behind the point, for the eye; nothing for nothing.

    >>> short(1.2483), short(53.6), short(None)
    ('1.25', '53.6', '')
    """
    return "" if value is None else number(round(value, 2) if value < 10.0 else float(f"{value:.3g}"))


def nearest(finding: Finding) -> str:
    """How much of its bounds a finding used, in words.

    >>> nearest(Finding("", (Check("", 0.8, "≤", 1.0, share=True), Check("", 0.25, "≤", 1.0, share=True))))
    'Between 0.25 and 0.8 of the bounds was used.'
    """
    shares = sorted(check.measured for check in finding.checks if check.share)
    if not shares:
        return ""
    low, high = short(shares[0]), short(shares[-1])
    return f"{high} of the bound was used." if low == high else f"Between {low} and {high} of the bounds was used."


def limit(check: Check) -> str:
    """What a check compares with.

    >>> limit(Check("", 1.0, "=", 0.5, 0.01)), limit(Check("", 1.0, "≤", 2.0)), limit(Check("", 0.9999, "≥", 1.0, 1e-3))
    ('= 0.5 ± 0.01', '≤ 2', '≥ 1 − 0.001')
    """
    sign = {"=": "±", "≤": "+", "≥": "−"}[check.sign]
    room = f" {sign} {number(check.room)}" if check.room > (1e-13 if check.sign == "=" else 1e-8) else ""
    return f"{check.sign} {number(check.limit)}{room}"
