"""Checks of arguments, and of points and gaps before they are certified."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from inspect import signature
from math import inf, isfinite, isinf, isnan, prod
from types import FunctionType
from typing import TYPE_CHECKING, Any
from warnings import warn

import numpy as np

from greedyhull.atoms.base import AtomSet as DefaultSet
from greedyhull.atoms.base import generator
from greedyhull.atoms.regions import RowsRegion
from greedyhull.driver.stop import Stop
from greedyhull.errors import DriftWarning, GreedyhullError, aliased, check, nearest, shown
from greedyhull.objectives.black_box import BlackBox
from greedyhull.objectives.composite import Composite
from greedyhull.objectives.information import Information
from greedyhull.objectives.losses.intercepts import Profiled
from greedyhull.objectives.stream import Stream
from greedyhull.points.aligned import agree
from greedyhull.points.gradients import as_array
from greedyhull.points.iterate import Iterate, owners_agree, wrong_weights
from greedyhull.points.shapes import dense
from greedyhull.points.validate import as_answer
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.requirements import requirements_of
from greedyhull.solvers.parts.working_set import MOST
from greedyhull.types import AtomSet, Kind, Needs, Objective, Solver, bilinear, imaged, lacks

if TYPE_CHECKING:
    from greedyhull.driver.run import Run


STEPS = "greedyhull.solvers.parts.steps"
SOLVERS = ("FrankWolfe", "Jones", "PairwiseJones", "BlendedPairwise", "Corrective", "Mixed", "Aggregated", "Smoothed",
           "StochasticFrankWolfe", "StochasticJones", "LuFreund", "MoreauFrankWolfe", "RegularizedStochasticFrankWolfe",
           "Storc", "VarianceReducedJones")


def check_problem(f: object, S: object) -> None:
    """Raise if f and S are swapped, or were not made yet."""
    check(not isinstance(f, DefaultSet), lambda: f"f is {shown(f)}, which is a set; an objective is wanted. The objective "
                                                 "comes first: minimize(f, S).")
    if isinstance(S, type):
        raise GreedyhullError(f"S is {shown(S)}; a set is wanted. Make one: {S.__name__}(...).")
    several = isinstance(S, list | tuple) and len(S) > 1 and all(isinstance(part, DefaultSet) for part in S)
    check(not several, lambda: f"S is {shown(S)}; one set is wanted. For weights with a sum and bounds use Simplex(d, "
                               "upper=...); for other intersections, oracle(fn, d) with fn that minimises a linear form.")
    check(not isinstance(S, np.ndarray | list), lambda: f"S is {shown(S)}; a set is wanted. Vertices(S) is the convex hull of "
                                                        "the rows of a matrix.")
    check(not isinstance(f, np.ndarray | list), lambda: f"f is {shown(f)}; an objective is wanted. For data X and y write "
                                                        "minimize(least_squares(X, y), S).")
    if isinstance(f, FunctionType) and f.__module__.startswith("greedyhull."):
        raise GreedyhullError(f"f is {shown(f)}; an objective is wanted. Call the function with your data: {f.__name__}(...).")


def check_arguments(f: Objective, S: AtomSet, solver: object, stop: object, seed: object) -> None:
    """Raise unless these are an objective, a set, a solver or None, a stop and a seed, and f and S go together."""
    ours = _ship(type(f), type(S))
    if not ours:
        check_problem(f, S)
    if solver is not None:
        check_solver(solver)
    if not isinstance(stop, Stop):
        check_stop(stop)
    if not (ours and f.domain == S.shape and f.traits.smooth) or "_labels" in vars(f) or "S" in vars(f):
        check_pair(f, S)
    if type(seed) is not int or not 0 <= seed < 2**63:
        check_seed(seed)


def check_pair(f: Objective, S: AtomSet) -> None:
    """Raise unless f is an objective, S a set, and the two go together."""
    if not _ship(type(f), type(S)):
        check(not lacks(f, "domain", "gradient"), lambda: f"f is {shown(f)}; an objective such as "
              "least_squares(X, y), quadratic(Q, b) or function(value, gradient, shape) is wanted.")
        missing = lacks(f, "value", "traits", "along", "rounding", "start")
        check(not missing, lambda: f"{type(f).__name__} has no {missing[0]}. Derive it from greedyhull.extend.Objective, "
                                   "which has defaults for all but domain, value and gradient.")
        check(not lacks(S, "oracle"), lambda: f"S is {shown(S)}; a set such as Simplex(d), L1Ball(d, radius) or "
                                      "Vertices(matrix) is wanted.")
        check(not lacks(S, "shape"), lambda: f"S is a {type(S).__name__} without a shape. Set self.shape = {f.domain} in its "
                                             "__init__: the shape of its points.")
        check(isinstance(S.shape, tuple), lambda: f"{type(S).__name__} has shape = {shown(S.shape)}; a tuple such as "
                                                  f"{f.domain} is wanted.")
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


def _fitting(f: Objective, S: AtomSet) -> str:
    """What to give in place of a set of another shape."""
    first = next(iter(signature(type(S)).parameters), "")
    if first == "d" and len(f.domain) == 1:
        return f"Build the set from the data: {type(S).__name__}({f.domain[0]}, ...)."
    if len(f.domain) == 1 and f.domain[0] == prod(S.shape):
        return f"Product({S!r}) holds the same points written in a row, of shape {f.domain}."
    return f"Give a set whose points have the shape {f.domain}."


def check_seed(seed: object) -> None:
    """Raise if something else was given in place of a seed."""
    whole = isinstance(seed, int | np.integer) and not isinstance(seed, bool) and 0 <= seed < 2**63
    check(bool(whole), lambda: f"seed={shown(seed)} was given; a whole number from 0 to 2⁶³ − 1 is wanted.")


def check_solver(solver: object) -> None:
    """Raise if something else was given in place of a solver: a stop, a step rule, a name."""
    home = type(solver).__module__
    if solver is None or (home.startswith("greedyhull.solvers.") and home != STEPS):
        return
    check(not isinstance(solver, Stop), lambda: f"solver={shown(solver)} was given, which is a stop. Give it by name: "
                                                f"stop={shown(solver)}.")
    if isinstance(solver, str):
        word = solver.lower().replace("_", "").replace("-", "").replace(" ", "")
        known = [name for name in aliased(word, "greedyhull") if name in SOLVERS]
        near = known[0] if known else nearest(word, {name.lower(): name for name in SOLVERS}) or "FrankWolfe"
        raise GreedyhullError(f"solver={solver!r} was given; a solver such as {near}() is wanted, not its name.")
    if isinstance(solver, type):
        raise GreedyhullError(f"solver={shown(solver)} was given; a solver such as FrankWolfe() is wanted. "
                              f"Make one: {solver.__name__}().")
    check(type(solver).__module__ != STEPS, lambda: f"solver={shown(solver)} was given, which is a step rule; a solver is "
                                                    f"wanted. Give the rule to one: FrankWolfe({shown(solver)}).")


def by_coordinates(f: Objective, S: AtomSet, needs: Needs) -> bool:
    """Whether a solver that needs atoms elsewhere works on the coordinates of points of S."""
    # over a polytope with too many coordinates for a Hessian, where f bends in n < d directions, a minimum mixes n + 1 atoms
    if not (needs.atoms and needs.regions) or S.traits.region is None:
        return False
    model, d = imaged(f), prod(S.shape)
    return d <= MOST or not isinstance(S.traits.region, RowsRegion) or model is None or model.design.n >= d


def check_requirements(f: Objective, S: AtomSet, solver: Solver) -> Needs:
    """What the solver needs; an error where f and S do not have it, with what is missing and what to use instead."""
    name, traits = type(solver).__name__, f.traits
    needs = solver.needs if type(solver).__module__.startswith("greedyhull.") else requirements_of(solver)
    if needs.smooth and not traits.smooth:
        raise GreedyhullError(f"{name} follows gradients, and {f!r} has kinks: there a subgradient may point nowhere, and the "
                              "method can stand still far from the minimum. Use Smoothed(), or "
                              "RegularizedStochasticFrankWolfe() for minibatches.")
    if needs.second_order and not traits.second_order:
        raise GreedyhullError(f"{name} takes Newton steps, and {f!r} has no finite Hessian. Use BlendedPairwise(). A loss of "
                              "your own has one if it defines curvatures(z), a function if it is given hessian_product=.")
    if needs.terms and not traits.exact_gradient:
        raise GreedyhullError(f"{name} samples the gradients of terms, and {f!r} has inexact gradients, whose error it knows "
                              "for the whole sum only. Use FrankWolfe() or BlendedPairwise().")
    if needs.one_owner and S.traits.owners != 1:
        raise GreedyhullError(f"{name} moves weight between any two atoms, and a point of {S!r} has {S.traits.owners} owners, "
                              "whose weights sum to one each. Use BlendedPairwise() or Corrective().")
    if needs.faces and not S.traits.faces:
        raise GreedyhullError(f"{name} asks for the face that holds a point, and {S!r} does not know its faces. Use "
                              "BlendedPairwise() or Corrective(). A set of your own has them if it defines within(w, g) and "
                              "room(w, v).")
    return needs


def check_steps(solver: object, steps: object) -> None:
    """Raise unless ``run`` of a solver returned something to iterate over: without a yield it is no generator."""
    check(isinstance(steps, Iterator), lambda: f"run(f, S, w, memory) of {shown(solver)} returned {shown(steps)}; a generator "
                                               "is wanted, which yields Progress.of(w, gap, answer) once for each iteration.")


def check_stop(stop: Any) -> None:
    """Raise if a stop is not one, in words that say how to write the one that was probably meant."""
    if isinstance(stop, Stop):
        return
    how = "a stop such as Gap(1e-6) | Seconds(30) is wanted"
    if isinstance(stop, list | tuple) and stop and all(isinstance(one, Stop) for one in stop):
        how = f"one stop is wanted. Combine several by | or &: {' | '.join(map(shown, stop))}"
    elif isinstance(stop, type) and issubclass(stop, Stop):
        how = f"{how}. Make one: {stop.__name__}(...)"
    elif isinstance(stop, int) and not isinstance(stop, bool):
        how = f"{how}, for instance Iterations({stop})"
    elif isinstance(stop, float):
        how = f"{how}, for instance Relative({stop!r}) for a relative gap or Gap({stop!r}) for an absolute one"
    elif callable(stop):
        how = f"{how}. For a function of an event, Callback(fn)"
    raise GreedyhullError(f"stop={shown(stop)} was given; {how}.")


def is_builtin(part: object) -> bool:
    """Return whether a part is the library's own."""
    return is_builtin_class(type(part))


# whether a class is the library's own; typed by hand, for mypy takes no class for hashable
is_builtin_class: Callable[[Any], bool] = lru_cache(maxsize=512)(lambda cls: cls.__module__.startswith("greedyhull."))


def is_user_defined(f: Objective) -> bool:
    """Return whether value and gradient come from a user's code, and can be compared at arrays, as those of streams cannot."""
    if isinstance(f, Stream) or not is_builtin_class(type(f)):
        return not isinstance(f, Stream)
    if isinstance(f, Composite):
        loss = f.loss.loss if isinstance(f.loss, Profiled) else f.loss
        if is_builtin_class(type(loss)) and is_builtin_class(type(f.design)):
            return False
        return bilinear(f.design) is None and prod(f.domain) <= 10**7  # entries of a point that is written out
    return isinstance(f, BlackBox) and not isinstance(f, Information)  # criteria of design are functions of our own


EPS = float(np.finfo(np.float64).eps)
LEEWAY = 8.0  # how many times what rounding may do counts as more than rounding


def check_point(w: Iterate, S: AtomSet, solver: object, moves: int) -> None:
    """Raise unless w lies in the hull of S: weights of at least 0 that sum to one, and a place that the set owns up to.

    ``moves`` is how many steps may each have rounded the weights. Where the atoms are kept, and the set has no formula for
    membership, the weights are the proof: the atoms are answers of its oracle, unless the set let them slide. Of slid atoms
    with many entries the oracle is asked a few questions only, which find those that stick out far.
    """
    wrong = wrong_weights(w, moves) if w.keeps_atoms else None
    if wrong is None and w.keeps_atoms and S.has_atoms(w.block):  # a mixture of atoms lies in the hull
        return
    check_owners(w, S)
    inside = S.contains_quickly(w) if wrong is None else None
    unproved = inside is None and wrong is None and (S.traits.slides or not w.keeps_atoms)
    # points with so many numbers at most are looked for in the hull even where that takes a search
    if unproved and prod(S.shape) <= 64:
        inside = not S.excludes(w)  # by a search, which an oracle that errs may leave open
    elif unproved and w.keeps_atoms:
        inside = not _sticks_out(w, S)
    if inside is not None and not inside and not _rounded(w, S, moves):
        x = w.array()
        wrong = f"its point lies outside the set (entries from {x.min():.6g} to {x.max():.6g}, their sum {x.sum():.6g})"
    if wrong is not None:
        raise GreedyhullError(f"{type(solver).__name__} over {S!r} ended at a point that cannot be certified: {wrong}. This "
                              "is an error of the solver, of the set's oracle or of a step rule, not of the data; run with "
                              "check=True to see where it begins, or use another solver.")


def _rounded(w: Iterate, S: AtomSet, moves: int) -> bool:
    """Whether the coordinates of w are so large beside the set, or a part of it, that rounding them explains where it lies."""
    off = EPS * (16.0 + len(w) + moves) * float(np.abs(w.array()).max()) / max(S.least_size, 1e-300)
    return off > 1e-9 and S.contains(w, off)


def _sticks_out(w: Iterate, S: AtomSet) -> bool:
    """Whether ⟨x, x⟩ > max over S of ⟨x, ·⟩ for x the point or, if the set has one owner, one of its first atoms."""
    oracle = S.oracle(generator(S, 0))
    # of a point with more numbers, atoms that the oracle is asked about
    atoms = [dense(w.block[i], S.shape) for i in range(min(len(w), 8))] if w.owners is None else []
    for x in (w.array(), *atoms):
        largest = float(np.abs(x).max())
        if largest == 0.0:
            continue
        g = -x / largest
        answer = as_answer(oracle.argmin(g), S.shape)
        here, least = -float(np.vdot(g, x)), float(answer.atom.dot(g)) - answer.slack
        if answer.kind == "always" and here > (1.0 + 1e-7) * -least:
            return True
    return False


def check_lower(f: object, S: AtomSet, value: float, lower: float, kind: Kind, rounding: float) -> None:
    """Raise where a value lies below what is said to be always a lower bound: something that the bound rests on is wrong."""
    if kind != "always" or not value < lower - 1e-6 * (abs(value) + abs(lower)) - LEEWAY * rounding:
        return
    raise GreedyhullError(f"{f!r} is {value:.10g} at the last point, below {lower:.10g}, which is a lower bound by its "
                          f"gradients and the oracle of {S!r}. The point lies outside the set, an answer of the oracle is "
                          "wrong, or the gradient disagrees with the value; run with check=True to see which.")


def check_owners(w: Iterate, S: AtomSet) -> None:
    """Raise unless w has as many owners as S says, or is kept by its coordinates."""
    if not w.keeps_atoms or owners_agree(w, S):
        return
    have, said = (1 if w.owners is None else len(w.totals)), S.traits.owners
    raise GreedyhullError(f"A point of {S!r} has {have} owner{'' if have == 1 else 's'}, but the set says owners = {said!r}. "
                          "A set made of several says in owners how many, and answers with Joint(parts, owners), a part "
                          "for each of them; its centre() and decompose(x) are points with these owners too.")


def check_drift(f: object, carried: float, value: float, allowance: float, noise: Callable[[], float] = float) -> None:
    """Warn if the value of the views is not that of the atoms, up to rounding and the function's own ``noise``."""
    allowance += EPS * abs(value)
    if not abs(carried - value) <= LEEWAY * allowance and not abs(carried - value) <= LEEWAY * (allowance + noise()):
        warn(f"The run carried the value {carried:.10g} along, but {f!r} is {value:.10g} at its atoms; rounding explains "
             f"{allowance:.3g}. The certificate is that of the atoms and holds. A loss, a design or a set of this run is not "
             "what it says: its products, or its atoms, change from call to call.", DriftWarning, stacklevel=4)


def diagnose_gap(run: Run, value: float, gap: float, p: Progress) -> float:
    """Why a gap or a value cannot be: an error with the likely cause, or its size where only rounding is to blame."""
    f, S, w, k = run.f, run.S, p.point, run.memory.k
    if not isfinite(value) or isnan(gap):
        raise GreedyhullError(f"At iteration {k} the value is {value} and the gap {gap}: {f!r} or its gradient "
                              "returned NaN or infinity. Nothing can be certified there; look for overflow in the data.")
    check(run.rounding < inf, lambda: f"At iteration {k}: {at_edge(f)}")
    if isinf(gap) and not isinf(p.slack):
        raise GreedyhullError(f"At iteration {k} the gap is infinite although the oracle of {S!r} gave a slack of "
                              f"{p.slack:g}: the gradient of {f!r} has infinite entries. Look for overflow.")
    if isinf(gap):
        return gap
    size = abs(value) + abs(f.gradient_dot(w)) + S.max_abs(np.abs(as_array(f.gradient(w))))
    noise = (1e-2 if run.single_precision else 1e-6) * size
    if gap < -noise:
        raise GreedyhullError(f"At iteration {k} the oracle of {S!r} returned an atom that is worse than the point "
                              f"itself (gap {gap:.3g} < 0). Its argmin is wrong, its slack too small, or the gradient "
                              "disagrees with the value; run with check=True to see which.")
    return abs(gap)  # the oracle is off by at least as much


def at_edge(f: object) -> str:
    """Why a point whose value may be infinite for all that is known has no certificate."""
    return (f"{f!r} at this point is infinite, or so large that rounding decides: atoms cancel each other in what its loss is "
            "taken of. Give start=, a point well inside its domain, or scale the data.")
