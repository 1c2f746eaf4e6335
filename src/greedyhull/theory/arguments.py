"""What a bound may be given: finite curvature, admissible tolerances, whole iteration counts."""

import math
from typing import Any, SupportsFloat, TypeVar, cast

import numpy as np
import numpy.typing as npt

from greedyhull.errors import check
from greedyhull.theory.bound import Constant

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
    """``value``, if it is one number."""
    given = _array(value)
    check(
        given.ndim == 0 and given.dtype.kind in "iuf",
        f"{name} is {value!r}, but it must be one number. Pass such a number.",
    )
    return float(given)


def numbers(name: str, values: Any) -> Array:
    """``values`` as floats, if they are numbers: one, or an array of them."""
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
    """``value``, unless it is not a number."""
    check(not math.isnan(value), BEYOND)
    return value


def curvature(M: float) -> float:
    """M, if it is a finite curvature; the bounds of smooth optimisation say nothing without one."""
    M = number("The curvature M", M)
    check(
        not (math.isinf(M) and M > 0),
        "The curvature M is infinite, and this bound needs a finite one. Choose a loss with a bounded second "
        "derivative over the set, smooth the objective, or use a method made for nonsmooth objectives.",
    )
    check(
        math.isfinite(M) and M >= 0,
        f"The curvature M is {M}, but a curvature is a finite number >= 0. Pass the largest value of "
        "2/η² [f(w + η(d - w)) - f(w) - η ∇f(w)·(d - w)], or an upper bound of it.",
    )
    return float(M)


def at_least(low: float, **given: float) -> None:
    """Refuse any of the named numbers that is below ``low``, infinite or not a number."""
    for name, value in given.items():
        check(
            math.isfinite(number(name, value)) and value >= low,
            f"{name} is {value}, but it must be a finite number >= {low:g}. Pass such a number.",
        )


def above_zero(**given: float) -> None:
    """Refuse any of the named numbers that is not finite and > 0."""
    for name, value in given.items():
        check(
            math.isfinite(number(name, value)) and value > 0,
            f"{name} is {value}, but it must be a finite number > 0. Pass such a number.",
        )


def steps(eta: npt.ArrayLike) -> Array:
    """The steps as an array, if every one lies in [0, 1]."""
    values = numbers("A step", eta)
    wrong = values[~((values >= 0) & (values <= 1))]  # the negation also catches nan
    check(
        wrong.size == 0,
        f"A step is {wrong.flat[0] if wrong.size else 0}, but steps lie in [0, 1]: outside, w + η(d - w) may leave "
        "the hull and no bound holds. Pass the steps η_k that were taken, or clip them.",
    )
    return values


def tolerances(eps: npt.ArrayLike) -> Array:
    """The oracle tolerances as an array, if every one is finite and >= 0."""
    values = numbers("A tolerance", eps)
    wrong = values[~((values >= 0) & np.isfinite(values))]
    check(
        wrong.size == 0,
        f"A tolerance is {wrong.flat[0] if wrong.size else 0}, but tolerances ε_k are finite and >= 0. "
        "Pass the proved error of each oracle answer, 0 for an exact oracle.",
    )
    return values


def counts(k: npt.ArrayLike, first: int) -> Array:
    """The iteration counts as floats, if they are whole numbers from ``first`` on."""
    values = numbers("k", k)
    wrong = values[~((values >= first) & np.isfinite(values) & (values == np.floor(values)))]
    check(
        wrong.size == 0,
        f"k is {wrong.flat[0] if wrong.size else first}, but this bound speaks of whole numbers k >= {first}. "
        f"Pass k = {first}, {first + 1}, ...",
    )
    check(
        bool(np.all(values <= LARGEST)),
        f"k is {values.max(initial=first):g}, but whole numbers above 2^53 cannot be told apart. Pass a smaller k.",
    )
    return values


def like(k: K, values: Array) -> K:
    """The values as a float where k is one number, as an array where k is an array; refused if one is not a number."""
    check(not np.any(np.isnan(values)), BEYOND)
    return cast(K, float(values) if np.ndim(k) == 0 else values)
