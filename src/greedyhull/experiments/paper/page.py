"""The page of all findings, in the order of the paper."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from greedyhull.experiments.paper import (
    Experiment,
    Figure,
    Finding,
    Scale,
    Series,
    jones,
    lemmas,
    nonsmooth,
    propositions,
    stochastic,
    theorems,
)
from greedyhull.experiments.paper.checks import Check
from greedyhull.report.figure import INK, STYLE, TURNS, inline


def svg(figure: Figure) -> str:
    """The figure as an ``<svg>`` element; bounds are dashed, exact values dotted."""
    import matplotlib
    from matplotlib.figure import Figure as Canvas

    with matplotlib.rc_context({**STYLE, "svg.hashsalt": figure.name, "axes.titlesize": 9.5}):
        below = 0.55 + 0.19 * len(figure.series)  # inches, for the label of x and the legend
        width, height = 4.1, 2.35 + below
        canvas: Any = Canvas(figsize=(width, height))  # margins are fixed: to measure all text would take most of the time
        axes = canvas.add_axes((0.72 / width, below / height, 1.0 - 0.84 / width, 2.25 / height))
        axes.set(xscale="log" if "x" in figure.log else "linear", yscale="log" if "y" in figure.log else "linear",
                 xlabel=figure.x, ylabel=figure.y)
        turn = 0
        for series in figure.series:
            _draw(axes, series, TURNS[turn % len(TURNS)], "x" in figure.log)
            turn += series.style in ("line", "dots")
        for axis, log in ((axes.xaxis, "x" in figure.log), (axes.yaxis, "y" in figure.log)):
            if log:
                _ticks(axis)
        axes.grid(alpha=0.25)
        canvas.legend(loc="lower left", bbox_to_anchor=(0.02, 0.0), frameon=False, fontsize=9, labelspacing=0.25)
        return inline(canvas)


def _draw(axes: Any, series: Series, colour: str, log: bool) -> None:
    x, y = thinned(series, log)
    looks: dict[str, dict[str, Any]] = {"line": {"color": colour, "linewidth": 1.6},
        "dots": {"color": colour, "marker": "o", "markersize": 2.4, "linestyle": "none", "alpha": 0.7},
        "bound": {"color": INK, "linestyle": "--", "linewidth": 1.2},
        "exact": {"color": INK, "linestyle": ":", "linewidth": 1.8, "zorder": 3}}
    if len(x) <= 12:
        looks["line"]["marker"], looks["line"]["markersize"] = "o", 3.5
        looks["dots"]["markersize"], looks["dots"]["alpha"] = 5.0, 1.0
    axes.plot(x, y, label=series.name.replace("$", r"\$"), **looks[series.style])


def _ticks(axis: Any) -> None:
    """Where a logarithmic axis spans little, plain numbers 1, 2, 5, 10, …; elsewhere powers of ten alone."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = axis.get_view_interval()
    axis.set_minor_formatter(NullFormatter())
    if high < 100.0 * low:
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))


def thinned(series: Series, log: bool) -> tuple[Any, Any]:
    """Return at most 480 dots or 160 points of a line, evenly spread on the axis; the CSV file has all."""
    x, y, most = series.x, series.y, 480 if series.style == "dots" else 160
    if len(x) <= most:
        return x, y
    spread = np.geomspace(1, len(x), most) - 1 if log and series.style != "dots" else np.linspace(0, len(x) - 1, most)
    keep = np.unique(spread.astype(int))
    return x[keep], y[keep]


def write_csv(figure: Figure, path: Path) -> None:
    """All points of a figure, one in each line: series, style, x, y."""
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(("series", "style", figure.x, figure.y))
        for series in figure.series:
            points = zip(series.x, series.y, strict=True)
            rows.writerows((series.name, series.style, f"{x:.12g}", f"{y:.12g}") for x, y in points)


class Misprint(NamedTuple):
    where: str
    kind: str  # slip, constant, condition, proof or false
    printed: str
    right: str


MISPRINTS = tuple(Misprint(*row) for row in (
    ("introduction, Jones' rule", "slip", "minimises f(ηw + (1 − η)d)", "minimises f((1 − η)w + ηd)"),
    ("introduction, related work", "condition", "n^⅓ε⁻² stochastic gradients for finite sums",
     "That is what Reddi, Sra, Póczos and Smola (2016) state for a SAGA variant; we can prove it with batches of n^⅔ "
     "only. For smooth convex f growing batches need ε⁻³ gradients and ε⁻¹ oracle calls (Hazan and Luo 2016)."),
    ("curvature, Bregman term", "slip", "∇f(y)(w − y)", "∇f(y)ᵀ(w − y)"),
    ("curvature, comparison with Jaggi", "slip", "the two definitions differ",
     "For convex f they are equal: the term is convex in d, so its supremum over the hull is that over the atoms."),
    ("curvature, second derivative", "slip", "∂f/∂η²", "∂²f/∂η²"),
    ("Lemma 1(a) and its proof", "slip", "f(w)ᵀ(w − d)", "∇f(w)ᵀ(w − d)"),
    ("Lemma 1(b), proof", "slip", "D_f with one argument", "its second argument is w"),
    ("Lemma 2, proof", "slip", "ε_k in the first two lines; d_k inside a minimum over d′", "η_kε_k; d′"),
    ("Theorem 1, proof", "slip", "ε_k/η_k → 0", "(η_kε_k + Mη_k²/2)/η_k → 0, for which ε_k → 0 is enough"),
    ("Theorem 2, proof", "slip", "base case compared with the bound at a wrong index", "e₁ ≤ M/2 + c, below (2M + 4c)/3"),
    ("Theorem 3", "false", "for any choice of steps",
     "for steps in [0, 1]; otherwise C = 1, e₀ = 2 with steps −1 and 2.5 gives e₂ = −1.25"),
    ("Theorem 3", "constant", "a = min{e₀, C}, if e₀ ≤ 2C", "a = min{2e₀, 8C/3}, from any e₀ ≥ 0"),
    ("Theorem 3, proof", "slip", "minimised at e/(4C)", "minimised at e/(2C); the minimum beside it is right"),
    ("Theorem 4", "condition", "any step", "η_k > 0: at η_k = 0 every atom is a Jones atom"),
    ("section 3, before Theorem 5", "slip", "step size √k", "step size k^−½"),
    ("section 3, before Theorem 5", "constant", "error O(1/√t) at any iteration t",
     "the average has a factor ln t; the last iterate has none: E e_k ≤ √2 B/√k"),
    ("Proposition 1", "constant", "the iterates do not converge",
     "True: the gap is ½ at every k ≥ 2. But their average converges there. With the first point doubled it does "
     "not: its gap is 9/640."),
    ("Theorem 5", "slip", "w̄_k on the left, t on the right; b for b_k", "one index throughout; ε_k = cη_k in both parts"),
    ("Theorem 5, proof", "proof", "u_k minimises f((1 − η_k)w_k + η_k d)",
     "u_k minimises ∇f(w_k)ᵀd; with the printed u_k the step to f* fails"),
    ("Theorem 5", "constant", "DL + M with the curvature of every term",
     "r_Sσ + M with the curvature of f alone, r_S the radius around S and σ the deviation of the gradients"),
    ("Algorithm ASFW", "slip", "∇f̃(w)", "∇f̃(w_k)"),
    ("condition on E(d_k)", "condition", "implies O(1/k)", "with η_k = 2/(k + 2), and then E e_k ≤ (2M + 4c)/(k + 2)"),
    ("Proposition 2, proof", "constant", "w_k = Y_k x; violation 4√2",
     "w_k = Y_k x/(2√2), since x is not feasible; the largest violation is 2 for the sum, 1 for the mean"),
    ("Proposition 2, proof", "slip", "sgn(xᵀw − y) = sgn y; γ_i for η_k; k + 1 terms in Y_k",
     "−sgn y; η_k; k terms. The exponent of Hoeffding's bound is three times as large."),
    ("Proposition 3", "false", "η_k arbitrary",
     "deterministic η_k with Ση_k = ∞, and η_k → 0 for the limit to exist; then it is r(8 − 5r)/18. With η_k = 0 "
     "and w₀ = w* there is no error, with η alternating 1 and ½ no limit."),
    ("remark on ASFW", "constant", "constants not given", "(e₁ + r_Sσ + M/2 + c)/√t, also for the gap and for nonconvex f"),
    ("Algorithm ARSFW, prose", "slip", "∇Φ aligns d with w_k − w₁; Φ(w₁) = 0", "it pulls back toward w₁; ∇Φ(w₁) = 0"),
    ("Algorithm ARSFW, prose", "slip", "the online method has a fixed η_k", "its gradient weight is fixed, its step is not"),
    ("Theorem 6", "condition", "p in [0, 1]; gradients", "p in [0, 1), since K is infinite at 1; subgradients"),
    ("Theorem 6, proof", "false", "F_k has curvature 2R²/ρ, so e_k ≤ Kη_k",
     "curvature min(D², 8R²/ρ): λ + 3 takes the place of λ in K. The printed bound on e_k is exceeded more than "
     "threefold (see Lemma 4); the final bounds are true."),
    ("Theorem 6, proof", "proof", "h_k is evaluated outside the hull; two factors L are missing",
     "h_k(w_k) − h_k(w*) ≤ g_kᵀ(w*_k − w*) + L‖w_k − w*_k‖, which stays inside and gives L where 3L stands"),
    ("Theorem 6, proof", "slip", "g_k, F_k(w*), σ_k² = σ_k cη_k^{3/2}", "ḡ_k, F_k(w*_k), σ_k² ≤ σ_k cη_k^{3/2}"),
    ("Theorem 6, second bound", "condition", "σ_k ≤ ck^−¾", "σ_k = ck^−¾; a factor c is dropped in a sum"),
    ("Lemma 3", "constant", "2Σσ_k²‖g_k‖²/ρ + R²", "½Σσ_k²‖g_k‖²/ρ + Φ(w) − Φ(w₁), which is attained"),
    ("Lemma 3", "slip", "sum to s − 1; X for the hull; Φ(w*_{k+1}) in the last display", "k − 1; W; Φ(w*_{s+2})"),
    ("Lemma 4, proof", "slip", "third equivalence; σ_k² = c²η_k³", "an implication, after e_k ≤ Kη_k; σ_k² ≤ c²η_k³"),
    ("throughout", "condition", "argmin over S", "an ε-argmin where S is not compact, which the approximate oracles cover"),
))


EXPERIMENTS = (
    lemmas.oracles, lemmas.curvature, lemmas.lemma1, lemmas.lemma2, theorems.theorem1, theorems.theorem2, jones.worst_cases,
    theorems.interior, propositions.mixtures, theorems.zhang, theorems.theorem3, theorems.one_atom, theorems.theorem4,
    propositions.proposition1, stochastic.theorem5, stochastic.expect, propositions.proposition2, propositions.proposition3,
    stochastic.asfw, nonsmooth.theorem6, lemmas.lemma3, lemmas.lemma4, stochastic.complexity, jones.variance_reduction,
    jones.jones_constant, jones.pairwise_contraction, propositions.open_questions,
)


def write(found: Sequence[tuple[Experiment, Finding]], folder: Path, scale: Scale, seed: int) -> Path:
    """Write index.html and a CSV file for every figure into the folder, which is made if it is not there."""
    from jinja2 import Environment, PackageLoader

    folder.mkdir(parents=True, exist_ok=True)
    loader = PackageLoader("greedyhull.experiments.paper", ".")
    page = Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    page.filters |= {"number": number, "limit": limit, "indexed": indexed, "short": short, "nearest": nearest}
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
