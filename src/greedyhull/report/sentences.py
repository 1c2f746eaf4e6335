"""A solution in words: how good it is, and what it is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from greedyhull.driver.checkpoint import write_text
from greedyhull.driver.solution import Absent, active, count, duration, listed, measure, size_name
from greedyhull.driver.stop import promise
from greedyhull.errors import check, installing
from greedyhull.objectives.accuracy import of_what, share

if TYPE_CHECKING:
    from greedyhull.driver.certificate import Certificate
    from greedyhull.driver.solution import Solution
    from greedyhull.types import Kind


NEEDED = {"jinja2": "Jinja2", "matplotlib": "matplotlib"}


def page(template: str, path: str | Path, **given: Any) -> Path:
    """Fill a template of this folder and write it to ``path``."""
    need()
    from jinja2 import Environment, PackageLoader

    pages = Environment(loader=PackageLoader("greedyhull.report", "."), autoescape=True, trim_blocks=True, lstrip_blocks=True)
    pages.filters.update(sized=sized, lasting=lasting)
    pages.globals["inf"] = inf
    target = Path(path)
    write_text(target, pages.get_template(template).render(**given))
    return target


def need(what: str = "A report", modules: Mapping[str, str] = NEEDED, extra: str = "report") -> None:
    """An error that says what to install, where something is missing."""
    missing = [name for module, name in modules.items() if find_spec(module) is None]
    if missing:
        raise ModuleNotFoundError(f"{what} needs {' and '.join(missing)}, which {'is' if len(missing) == 1 else 'are'} not "
                                  f"installed. {installing(extra)}")


def sized(weight: float) -> str:
    """A weight with four decimals, or with a power of ten where it is tiny or huge.

    >>> sized(0.25), sized(-2e-7), sized(3e150)
    ('+0.2500', '-2.0e-07', '+3.0000e+150')
    """
    if abs(weight) >= 1e6:
        return f"{weight:+.4e}"
    return f"{weight:+.4f}" if abs(weight) >= 0.001 else f"{weight:+.1e}"



def lasting(seconds: float) -> str:
    """Return a time in the unit that suits it, short enough for the columns of a table.

    >>> lasting(0.00003), lasting(0.25), lasting(12.0)
    ('30 µs', '250 ms', '12 s')
    """
    if seconds >= 1.0:
        return f"{seconds:.3g} s"
    return f"{1e3 * seconds:.3g} ms" if seconds >= 1e-3 else f"{1e6 * seconds:.3g} µs"


def atoms(solution: Solution, names: Sequence[str] | None = None, most: int = 50) -> list[tuple[str, float]]:
    """List the atoms of the answer, the heaviest first.

    Parameters
    ----------
    solution
        What `minimize` returned.
    names
        Names of the coordinates, from which those of the atoms are made.
    most
        The largest number of atoms to list.

    Returns
    -------
    list of (str, float)
        Names and weights. Empty if the point does not keep its atoms.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> s = gh.minimize(gh.least_squares(np.eye(2), np.array([3.0, 0.0])), gh.L1Ball(2, radius=1))
    >>> atoms(s, ["height", "width"])
    [('1·height', 1.0)]
    """
    point = solution.point
    if not point.keeps_atoms:
        return []
    order = np.argsort(-point.weights, kind="stable")[:most]
    return [(_name(point.atoms[i], point.shape, names), float(point.weights[i])) for i in order.tolist()]


def _name(atom: Any, shape: tuple[int, ...], names: Sequence[str] | None) -> str:
    """The number of an atom that the set has counted, else its largest entries."""
    if isinstance(atom.key, int):
        return f"atom {atom.key}"
    entries = np.zeros(shape)
    atom.add_to(entries, 1.0)
    places = np.flatnonzero(entries)
    if not len(places):
        return "the origin"
    spelled: list[str] = []
    for j in places[np.argsort(-np.abs(entries.flat[places]), kind="stable")][:3].tolist():
        place, c = ", ".join(str(int(i)) for i in np.unravel_index(j, shape)), float(entries.flat[j])
        name = str(names[j]) if names is not None and len(names) == entries.size else f"w[{place}]"
        sign = ("+ " if c > 0 else "− ") if spelled else ("" if c > 0 else "−")
        spelled.append(f"{sign}{abs(c):.4g}·{name}")
    return " ".join(spelled) if len(places) <= 3 else f"{' '.join(spelled)} … ({len(places)} entries)"


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


class Row(NamedTuple):
    """A number of the certificate, and what a reader needs to know about it."""

    name: str
    value: str
    note: str = ""


def title(certificate: Certificate, converged: bool = False) -> str:
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
    said = [MEANS[c.kind].format(delta=c.delta)]
    if c.value is not None and c.lower > -inf and c.kind not in ("expectation", "stationary"):  # it is bounded from below
        low, high = f"{c.lower:.12g}", f"{c.value:.12g}"
        held = "" if c.kind == "always" else f", {promise(c.kind, c.delta)}"
        said[:0] = [f"The minimum lies between {low} and {high}{held}."] if low != high else []  # else it needs more digits
    if c.rounding == "estimated":
        said.append("The part of the gap that covers rounding is estimated from the atoms seen, because the set does not "
                    "state how large its atoms can be.")
    if c.value is None:
        said.append("f can only be sampled, so its value at the point is not known. The bound does not need it.")
    return said


def rows(certificate: Certificate, scale: float, reason: str = "") -> list[Row]:
    """Value, gap, relative gap and kind, those that are known; no relative gap where ``reason`` names another one."""
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


def words(solution: Solution, names: Sequence[str] | None = None, *, budget: str | None = None,
          things: str = "coordinates") -> list[str]:
    """Describe a solution in a few sentences: value and gap, support, end of the run, price of the budget.

    Parameters
    ----------
    solution
        What `minimize` returned.
    names
        Names of the coordinates. If given, those that are not zero are listed.
    budget, things
        What to call the radius (by default "total" where that is its name) and the coordinates.

    Returns
    -------
    list of str
        One or two sentences for each part. The price is left out where the set has neither radius nor total, and prices of
        constraints where it has none that limit the minimum.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> s = gh.minimize(gh.least_squares(np.eye(2), np.array([3.0, 0.0])), gh.L1Ball(2, radius=1))
    >>> words(s)[1]
    'It uses 1 of the 2 coordinates.'
    """
    c, x = solution.certificate, solution.point.array()
    value = str(c)
    if c.kind == "always" and c.value is not None and c.gap is not None:
        value = (f"The value is {c.value:.8g}, and no feasible point can be lower by more than {c.gap:.2g}: that is proved, "
                 "rounding included, for the point as it is returned.")
    support = f"It mixes {count(len(solution.point), 'atom')}." if solution.point.keeps_atoms else ""
    if x.ndim == 1:
        found = used(solution, names)
        listed = f": {', '.join(str(name) for name, _ in found)}." if names is not None and found else "."
        support = f"It uses {len(found)} of the {len(x)} {things}{listed}"
    end = f"It took {count(solution.iterations, 'iteration')} and {duration(solution.seconds)}. {solution.reason}"
    return [part for part in (value, support, end, price(solution, budget), prices(solution)) if part]


def used(solution: Solution, names: Sequence[str] | None = None) -> list[tuple[str, float]]:
    """List the coordinates that are not zero, the largest first.

    Parameters
    ----------
    solution
        What `minimize` returned.
    names
        One name for each coordinate; without them, coordinate j is called ``w[j]``.

    Returns
    -------
    list of (str, float)
        Names and values. Empty if the point is zero, or is a matrix whose entries have no names.
    """
    x = solution.point.array()
    if x.ndim != 1 and (names is None or len(names) != x.size):
        return []
    x = x.ravel()
    check(names is None or len(names) == len(x),
          lambda: f"{len(names or ())} names were given for {len(x)} coordinates; one for each is wanted.")
    size = np.abs(x)
    kept = np.flatnonzero(size > 1e-9 * size.max())  # a coordinate below this share of the largest one is not worth naming
    order = kept[np.argsort(-size[kept], kind="stable")]
    return [(f"w[{j}]" if names is None else str(names[j]), float(x[j])) for j in order.tolist()]


def answer(solution: Solution, things: str = "coordinates") -> str:
    """What the point is: its shape, or how many coordinates are nonzero; and of how many atoms it is a combination."""
    point, x = solution.point, solution.point.array()
    said = f"The answer has shape {x.shape}." if x.ndim != 1 else "The answer has one coordinate."
    if x.ndim == 1 and len(x) > 1:
        n = len(used(solution))
        said = f"{n} of the {len(x)} {things} {'has' if n == 1 else 'have'} a nonzero {measure(solution)}."
    if not point.keeps_atoms:
        return said
    return f"{said} The answer is {'a single atom' if len(point) == 1 else f'a convex combination of {len(point)} atoms'}."


def course(solution: Solution) -> str:
    """The solver, how long it ran, and where the gap began and ended."""
    gaps = solution.trace["gap"]
    known = gaps[np.isfinite(gaps)]
    fell = f" The gap went from {known[0]:.3g} to {known[-1]:.3g}." if len(known) > 1 else ""
    return f"{solution.solver!r} took {count(solution.iterations, 'iteration')} and {lasting(solution.seconds)}.{fell}"


def price(solution: Solution, budget: str | None = None) -> str:
    """What a larger radius or total is worth, in words; nothing where the set has neither."""
    slope = solution.price
    if slope is None:
        return ""
    named = size_name(solution) if budget is None else budget
    told = solution.certificate
    # the share of f, or of the loss of predicting zero, that rounding hides
    hidden = (told.gap or 0.0) + 1e-15 * max(abs(told.value or 0.0), solution.objective.scale)
    S = solution.atom_set
    radius = S.radius if isinstance(S, Absent) else S.traits.radius  # of a solution from a file, what was kept
    if abs(slope) * float(radius or 0.0) <= hidden:  # nothing that the gap does not hide
        why = ("it does not limit the minimum by more than the gap" if solution.converged
               else "the gap is too wide to estimate it")
        return f"The {named} has no price to report: {why}."
    does = "lowers" if slope > 0.0 else "raises"
    return (f"The price of the {named} is {slope:.3g}: increasing it by a small h {does} the minimum by about "
            f"{abs(slope):.3g}·h.")


def prices(solution: Solution) -> str:
    """What one more unit of each constraint that limits the minimum is worth, in words; nothing where the set names none."""
    priced = active(solution)
    return f"By how much the minimum falls for one more unit of a right-hand side: {listed(priced)}." if priced else ""


def intercepts(solution: Solution) -> str:
    """The intercept, or those of the classes, in a sentence; nothing where there is none."""
    found = np.atleast_1d(solution.intercept).tolist()
    if not any(found):
        return ""
    return f"The intercept{'s are' if len(found) > 1 else ' is'} {', '.join(f'{b:.6g}' for b in found)}."
