"""Bounds and constants with their status, the arguments of bounds, and lists of bounds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from math import isinf
from types import FunctionType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, SupportsFloat, TypeVar, cast, get_args

import numpy as np
import numpy.typing as npt

from greedyhull.errors import GreedyhullError, check

if TYPE_CHECKING:
    from greedyhull.types import Kind

__all__ = ["Bound", "Bounds", "Constant", "Constants", "Quantity", "Refused", "Status", "Theorems"]


Status = Literal["exact", "upper bound", "estimated"]
Quantity = Literal["error", "certified gap", "least gap", "mean gap", "limit"]


@dataclass(frozen=True, repr=False)
class Constant:
    """A constant of the problem, and how it was found.

    >>> Constant(4.0, "upper bound", "M")
    M = 4 (upper bound)
    """

    value: float
    status: Status
    name: str

    def __post_init__(self) -> None:
        check(not math.isnan(self.value), f"The constant {self.name} is nan. Pass its value, or inf if it has none.")
        check(self.status in get_args(Status),
              f"The constant {self.name} has status {self.status!r}; wanted is one of {get_args(Status)}. "
              "If in doubt, it is 'estimated'.")

    def __float__(self) -> float:
        return float(self.value)

    def __repr__(self) -> str:
        return f"{self.name} = {self.value:.6g} ({self.status})"


@dataclass(frozen=True, repr=False)
class Bound:
    """A statement with its numbers filled in; it holds always only if none of its constants was estimated.

    What is bounded is ``of``: the "error" f(w_k) - f* of the last point; its "certified gap", f(w_k) minus the best
    lower bound of the run; the "least gap" of the run's points; their "mean gap", with the steps as weights; the "limit",
    limsup f(w_k) - f* of the endless run. ``kind`` is "always" unless the oracle's answers were right only with a probability,
    or "expectation" where the bound is one of a mean over the random draws of a stochastic run.

    >>> Bound("Theorem 2 (rate)", 0.08, (Constant(4.0, "exact", "M"), Constant(0.0, "exact", "c")), "(2M + 4c)/(k + 2)")
    Theorem 2 (rate): (2M + 4c)/(k + 2) = 0.08, always; M = 4 (exact), c = 0 (exact)
    """

    name: str
    value: float
    constants: tuple[Constant, ...]
    formula: str
    of: Quantity = "error"
    kind: Kind = "always"

    def __post_init__(self) -> None:
        check(not math.isnan(self.value), f"The bound {self.name!r} is nan. Compute it from finite constants.")
        for constant in self.constants:
            check(math.isfinite(constant.value),
                  f"The bound {self.name!r} was given {constant!r}, and a bound needs finite constants. "
                  "Smooth the objective, or use a bound that does not need this constant.")

    @property
    def holds(self) -> Kind:
        """An estimate if any constant was estimated, else what ``kind`` says: always, as a rule."""
        return "estimate" if any(constant.status == "estimated" for constant in self.constants) else self.kind

    def __repr__(self) -> str:
        given = ", ".join(repr(constant) for constant in self.constants)
        of = "" if self.of == "error" else f" for the {self.of}"
        return f"{self.name}: {self.formula} = {self.value:.6g}{of}, {self.holds}" + (f"; {given}" if given else "")


Array = npt.NDArray[Any]
K = TypeVar("K", float, Array)  # an iteration count, or an array of them: the answer has the same shape


BEYOND = "The bound is not a number: what it is made of leaves the range of floating point. Scale the problem."
LONGEST = 10**8  # steps that a recursion or a sum is followed for
LARGEST = 2.0**53  # above it a float cannot tell a whole number from the next


def _array(given: Any) -> Array:
    """``given`` as NumPy takes it; an object where its rows have different lengths."""
    try:
        return np.asarray(given)
    except ValueError:
        return np.asarray(None)


def number(name: str, value: Any) -> float:
    given = _array(value)
    check(given.ndim == 0 and given.dtype.kind in "iuf",
          f"{name} is {value!r}, but it must be one number. Pass such a number.")
    return float(given)


def numbers(name: str, values: Any) -> Array:
    given = _array(values)
    check(given.dtype.kind in "iuf", f"{name} is {values!r}, but it must be a number or an array of numbers. Pass "
          "such numbers.")
    return given.astype(float)


def error(name: str, value: Any) -> float:
    """``value``, if it can be an error or a bound of one: a number >= 0, infinite where nothing is known."""
    given = number(name, value)
    check(given >= 0, f"{name} is {value}, but it must be a number >= 0. Pass such a number, inf if none is known.")
    return given


def constant(name: str, value: SupportsFloat) -> float:
    """A constant of a problem as a float; infinite where it is not known."""
    given = value.value if isinstance(value, Constant) else value
    return error(f"The constant {name}", given)


def count(name: str, value: Any, first: int) -> int:
    """``value``, if it is one whole number from ``first`` on."""
    given = number(name, value)
    check(first <= given <= LARGEST and given == math.floor(given),
          f"{name} is {value}, but it must be a whole number >= {first}. Pass such a number.")
    return int(given)


def known(value: float) -> float:
    check(not math.isnan(value), BEYOND)
    return value


def curvature(M: float) -> float:
    """M, if it is a finite curvature; the bounds of smooth optimisation say nothing without one."""
    M = number("The curvature M", M)
    check(not (math.isinf(M) and M > 0),
          "The curvature M is infinite, and this bound needs a finite one. Choose a loss with a bounded second "
          "derivative over the set, smooth the objective, or use a method made for nonsmooth objectives.")
    check(math.isfinite(M) and M >= 0,
          f"The curvature M is {M}, but a curvature is a finite number >= 0. Pass the largest value of "
          "2/η² [f(w + η(d - w)) - f(w) - η ∇f(w)·(d - w)], or an upper bound of it.")
    return float(M)


def at_least(low: float, **given: float) -> None:
    """Refuse any of the named numbers that is below ``low``, infinite or not a number."""
    for name, value in given.items():
        check(math.isfinite(number(name, value)) and value >= low,
              f"{name} is {value}, but it must be a finite number >= {low:g}. Pass such a number.")


def above_zero(**given: float) -> None:
    """Refuse any of the named numbers that is not finite and > 0."""
    for name, value in given.items():
        check(math.isfinite(number(name, value)) and value > 0,
              f"{name} is {value}, but it must be a finite number > 0. Pass such a number.")


def steps(eta: npt.ArrayLike) -> Array:
    """The steps as an array, if every one lies in [0, 1]."""
    values = numbers("A step", eta)
    wrong = values[~((values >= 0) & (values <= 1))]  # the negation also catches nan
    check(wrong.size == 0,
          f"A step is {wrong.flat[0] if wrong.size else 0}, but steps lie in [0, 1]: outside, w + η(d - w) may leave "
          "the hull and no bound holds. Pass the steps η_k that were taken, or clip them.")
    return values


def tolerances(eps: npt.ArrayLike) -> Array:
    """The oracle tolerances as an array, if every one is finite and >= 0."""
    values = numbers("A tolerance", eps)
    wrong = values[~((values >= 0) & np.isfinite(values))]
    check(wrong.size == 0, f"A tolerance is {wrong.flat[0] if wrong.size else 0}, but tolerances ε_k are finite and >= 0. "
          "Pass the proved error of each oracle answer, 0 for an exact oracle.")
    return values


def counts(k: npt.ArrayLike, first: int) -> Array:
    """The iteration counts as floats, if they are whole numbers from ``first`` on."""
    values = numbers("k", k)
    wrong = values[~((values >= first) & np.isfinite(values) & (values == np.floor(values)))]
    check(wrong.size == 0,
          f"k is {wrong.flat[0] if wrong.size else first}, but this bound speaks of whole numbers k >= {first}. "
          f"Pass k = {first}, {first + 1}, ...")
    check(bool(np.all(values <= LARGEST)),
          f"k is {values.max(initial=first):g}, but whole numbers above 2^53 cannot be told apart. Pass a smaller k.")
    return values


SYMBOLS = {name: (kind, text) for name, kind, text in (line.split(" | ") for line in """\
C | float | Factor of η_k² in the recursion: M/2 + c.
D | float | Diameter of the atoms.
G | float | Largest length of a subgradient.
K | int | Number of steps.
L | float | Smoothness of every term; where f is nonsmooth, the largest length of a subgradient.
M | float | Curvature of f over the hull, or an upper bound.
M_Phi | float | Curvature of Φ, which is D² for Φ = ½‖w - w_1‖².
M_mean | float | Mean of the curvatures of the terms.
R2 | float | Largest value of Φ - Φ(w_1) over the hull.
T | int or array | Number of steps.
V | float | Variance of the atoms of a minimiser, or an upper bound; `theory.jones_variance` computes one.
atoms | int or array | Numbers of atoms in the points, one for each step; min{a_0 + k, atoms in S} is an upper bound.
b | float | Size of the batches.
c | float | Quality of the oracle: it loses at most cη_k on the linear score, or cη_k² on f; for ARSFW the scale of weights.
c_eps | float | Quality of the oracle: ε_k <= c_ε η_k.
constants | mapping | Constants of the problem by name.
delta | float | Share of the gap that the oracle finds.
e | float | The error.
e0 | float | Error of the start, or its gap.
e1 | float | Error of the first point, or its gap; infinite if unknown.
epoch | int or array | Number of epochs.
eps | float or array | Tolerances ε_k of the oracle.
estimator | gradient estimator | It states how large its errors are.
eta | float or array | Steps η_k, in [0, 1].
exact | bool | Return the solution of the recursion itself, which is smaller.
first | float | Count at which the schedule begins.
first_error | float | Error of the first estimate of the gradient.
g | float or array | Norms of the subgradients, or a bound of them.
gamma | float | Factor of the steps.
k | int or array | Number of steps, or index of the point.
kappa | float | κ = μδ²/(LD²), or less; at most one. A swap within a tenth of the best decrease has 0.9 times this share.
lam | float | λ, where the oracle has ε_k = (λ - 1)R²/ρ η_k.
mu | float | Strong convexity of f over the hull.
n | int | Number of terms, None for a stream; of a simplex, the number of corners.
p | float | Power of the steps k^-p.
perturbation | array | Change of the gradient of F at each step, σ_k‖g_k‖.
r_S | float | Radius of the smallest ball around the atoms.
radii | array | Distances of the atoms along each coordinate.
rho | float | Strong convexity of Φ; in `linear_rate` the radius of a ball around w* in the hull.
schedule | schedule | How steps, batches and weights change with k.
scores | array | Linear scores of the atoms.
sides | array | Lengths of the sides, all above zero.
sigma | float or array | Standard deviation of the gradients of the terms; for ARSFW the weights σ_k of the subgradients.
t | int or array | Number of steps; in `interior_rate` the scale of the reflection.
total | float | Sum of the coordinates.""".splitlines())}


def describe(function: Any) -> None:
    """Insert the parameters of a bound, from `SYMBOLS`, into its docstring, before its example."""
    if not isinstance(function, FunctionType) or not function.__doc__:
        return
    code = function.__code__
    given = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    rows = [f"    {name} : {SYMBOLS[name][0]}\n        {SYMBOLS[name][1]}\n" for name in given if name in SYMBOLS]
    found = function.__annotations__["return"]
    kind = {K: "float or array", Array: "array"}.get(found, getattr(found, "__name__", "array"))  # unions have no name
    before, mark, example = function.__doc__.partition("    >>> ")
    function.__doc__ = (f"{before}    Parameters\n    ----------\n{''.join(rows)}\n    Returns\n    -------\n    {kind}\n"
                        f"        What the first line states.\n\n    Examples\n    --------\n{mark}{example}")


def like(k: K, values: Array) -> K:
    """The values as a float where k is one number, as an array where k is an array; refused if one is not a number."""
    check(not np.any(np.isnan(values)), BEYOND)
    return cast(K, float(values) if np.ndim(k) == 0 else values)


@dataclass(frozen=True, repr=False)
class Constants(Mapping[str, Constant]):
    """Constants by name, as attributes and as a mapping. What is not known is infinite, which is an upper bound too.

    M curvature of f, M_mean the mean of those of the terms; D and r_S diameter of the atoms and radius of the smallest
    ball around them; sigma² = sup E‖∇f_i - ∇f‖²; L and L_rms the largest slope of a term and sup √E‖∇f_i‖²; L_s, L_max
    and L_F the smoothness of the terms on the hull (mean square), of the worst term everywhere, and of f on the hull; D_1
    = max Σ p_i β_i |a_i·(s - s')| and D_inf = max |a_i·(s - s')| of linear models. For Φ = ½‖w - w_1‖²: rho, M_Phi = D² and
    R2 = max Φ, w_1 the centre of the set.
    """

    M: Constant
    M_mean: Constant
    sigma: Constant
    L: Constant
    L_rms: Constant
    L_s: Constant
    L_F: Constant
    L_max: Constant
    D: Constant
    r_S: Constant  # noqa: N815
    D_1: Constant
    D_inf: Constant
    R2: Constant
    rho: Constant
    M_Phi: Constant

    def __getitem__(self, name: str) -> Constant:
        if name not in self.names():
            raise KeyError(f"there is no constant {name!r}; there are {', '.join(self.names())}")
        found: Constant = vars(self)[name]
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __len__(self) -> int:
        return len(self.names())

    @classmethod
    def names(cls) -> tuple[str, ...]:
        return tuple(field.name for field in fields(cls))

    def __repr__(self) -> str:
        said = ((name, "unknown" if isinf(c.value) else f"{c.value:.6g} ({c.status})") for name, c in self.items())
        return "\n".join(f"{name:<7} {text}" for name, text in said)


class Refused(NamedTuple):
    name: str
    reason: str


class Theorems(NamedTuple):
    """What there is to say of a run: how its record is read from the solution, and the statements about it by name.

    A solver whose method ``theorems()`` returns one has these statements listed by ``solution.bounds()``. A statement is a
    function of the record that yields bounds, and raises where it does not apply.
    """

    record: Callable[[Any], Any]
    statements: dict[str, Callable[[Any], Iterator[Bound]]]


class Bounds(list[Bound]):
    """The bounds that hold for a run; ``refused`` are the statements that do not apply, each with its reason."""

    def __init__(self, bounds: list[Bound], refused: tuple[Refused, ...] = ()) -> None:
        super().__init__(bounds)
        self.refused = refused

    def named(self, name: str) -> Bound:
        """The first bound whose name contains ``name``; where it was refused, an error that says why."""
        for bound in self:
            if name in bound.name:
                return bound
        for refused in self.refused:
            check(name not in refused.name, f"{refused.name} does not apply to this run: {refused.reason}")
        raise GreedyhullError(f"There is no bound named {name!r}; there are {', '.join(bound.name for bound in self)}.")

    def __repr__(self) -> str:
        rows = [("bound", "value", "of", "holds", "formula", "constants")]
        rows += [(b.name, f"{b.value:.4g}", b.of, b.holds, b.formula, ", ".join(map(repr, b.constants))) for b in self]
        widths = [max(len(row[i]) for row in rows) for i in range(6)]
        lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        reasons: dict[str, list[str]] = {}
        for name, reason in self.refused:
            reasons.setdefault(reason, []).append(name)
        return "\n".join([*lines, *(f"Not {', '.join(names)}: {reason}" for reason, names in reasons.items())])
