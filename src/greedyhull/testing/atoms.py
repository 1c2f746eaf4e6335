"""check_atoms: does a set keep its promises?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from greedyhull.atoms.base import AtomSet as DefaultSet
from greedyhull.atoms.wrapped import Wrapped
from greedyhull.errors import GreedyhullError
from greedyhull.points.entering import as_floor, as_shortlist
from greedyhull.points.iterate import Iterate
from greedyhull.points.owners import Joint, vertices
from greedyhull.testing.blocks import check_atom, check_block
from greedyhull.testing.expect import atom_array, expect, locked, mixture, saved
from greedyhull.testing.owners import check_owned_shortlist, check_owners, single_atoms
from greedyhull.testing.representations import check_compressed, check_kinds_of_gradients
from greedyhull.testing.set_sizes import check_curvature, check_sizes
from greedyhull.testing.set_trial import Trial, answer_of
from greedyhull.types import Array, AtomSet
from greedyhull.types.kinds import listed


def check_atoms(S: AtomSet, *, minimum: Callable[[Array], float] | None = None, vertices: Any = None, trials: int = 20,
                seed: int = 0) -> None:
    """Check an atom set: its oracle, its sizes and constants, its start, centre, `contains` and `decompose`.

    The oracle is compared with ``minimum(g)``, an independent min ⟨g, ·⟩ over the hull, or with the rows of
    ``vertices``, or with all atoms of a set that can list them, and always with many atoms and points of the hull.

    >>> import greedyhull as gh
    >>> check_atoms(gh.L1Ball(3, radius=2.0), minimum=lambda g: -2.0 * abs(g).max())
    """
    trial = Trial(S, minimum, vertices, trials, seed)
    with trial.gradients.announced():
        _check_all(trial)


def _check_all(trial: Trial) -> None:
    _check_form(trial)
    check_owners(trial)
    _check_answers(trial)
    _check_repeats(trial)
    _check_shortlists(trial)
    _check_floors(trial)
    _check_points(trial)
    _check_contains(trial)
    _check_decompose(trial)
    _check_list(trial)
    check_sizes(trial)
    check_curvature(trial)
    _check_oracle_state(trial)
    check_kinds_of_gradients(trial.S, trial.gradients, trial.tolerance)
    check_compressed(trial.S, trial.rng)
    expect(" object at 0x" not in repr(trial.S), f"{trial.S!r} has no repr of its own.")


def _check_form(trial: Trial) -> None:
    S, shape = trial.S, trial.shape
    expect(isinstance(shape, tuple) and shape and all(isinstance(s, int) and s > 0 for s in shape),
           f"shape is {shape!r}; a tuple of positive whole numbers is wanted.")
    for d, g in zip(trial.atoms, trial.gradients, strict=True):
        check_atom(d, shape, g)
        inside = isinstance(d, Joint) or S.contains(atom_array(d, shape))  # before others are compared with it
        expect(inside, f"{S!r} answered {d!r}, which it does not contain.")
    check_block(single_atoms(trial.atoms), shape, trial.rng)


def _check_answers(trial: Trial) -> None:
    """Atoms lie in the set, and none beats the answer by more than its slack."""
    S, oracle = trial.S, trial.S.oracle(trial.rng)
    for g in trial.gradients:
        answer = answer_of(oracle, g)
        d, slack, kind = answer.atom, answer.slack, answer.kind
        x = atom_array(d, trial.shape)
        expect(S.contains(x), f"{S!r} answered {d!r}, which it does not contain.")
        expect(slack >= 0.0 and not np.isnan(slack), f"{S!r} answered with slack {slack!r}; a number of at least 0 is wanted.")
        if kind != "always":
            continue
        score, tol = float(np.vdot(g, x)), trial.tolerance(g)
        least, true = trial.least(g)
        expect(score - slack <= least + tol, f"{S!r} answered {d!r} with ⟨g, d⟩ = {score:.12g} and slack {slack:.3g}, but an "
                                             f"atom with {least:.12g} exists: its argmin is wrong or its slack too small.")
        expect(not true or score >= least - tol, f"{S!r} answered {d!r} with ⟨g, d⟩ = {score:.12g}, less than the minimum "
                                                 f"{least:.12g} over the set: the atom lies outside.")
        for p in (mixture(S, trial.rng).array(), S.centre().array()):
            below = float(np.vdot(g, p))
            expect(score - slack <= below + tol, f"{S!r} answered {d!r} with ⟨g, d⟩ = {score:.12g}, but a point of its hull "
                                                 f"has {below:.12g}.")


def _check_repeats(trial: Trial) -> None:
    """The same question has the same answer; a float32 gradient is a gradient; `enough` may only loosen."""
    S = trial.S
    first, second, third = (S.oracle(np.random.default_rng(5)) for _ in range(3))  # answers may depend on those before
    for g in trial.gradients:
        a, b = answer_of(first, g), answer_of(second, g)
        expect(a.atom.key == b.atom.key and a.slack == b.slack, f"{S!r} answered the same gradient with {a} and with {b}.")
        if np.abs(g).max() > 1e6:
            continue
        single = answer_of(third, locked(g.astype(np.float32)))
        score, best = float(np.vdot(g, atom_array(single.atom, trial.shape))), float(a.atom.dot(g))
        bound = best + single.slack + a.slack + 1e-5 * float(np.linalg.norm(g)) * trial.size
        expect(single.kind != "always" or score <= bound,
               f"{S!r} answered a float32 gradient with ⟨g, d⟩ = {score:.8g}, its float64 twin with {best:.8g}.")
        lazy = answer_of(third, g, enough=best + abs(best) + 1.0)
        worst = max(best + abs(best) + 1.0, best + lazy.slack) + trial.tolerance(g)
        expect(lazy.kind != "always" or lazy.atom.dot(g) <= worst,
               f"{S!r} was asked for any atom that scores at most `enough` and gave a worse one without owning up to it.")


def _check_shortlists(trial: Trial) -> None:
    """best(g, m): best first, each atom once, and none that is left out beats the first by more than the slack."""
    S, oracle = trial.S, trial.S.oracle(trial.rng)
    for g in trial.gradients:
        tol = trial.tolerance(g)
        for m in (1, 2, 5):
            found = as_shortlist(oracle.best(g, m), S, S.traits.owners)
            if S.traits.owners > 1:
                check_owned_shortlist(S, found, g, m, trial)
                continue
            atoms, slack = found.atoms, found.slack
            scores = np.asarray(atoms.dots(g), dtype=np.float64)
            expect(1 <= len(atoms) <= m, f"{S!r} answered best(g, {m}) with {len(atoms)} atoms.")
            expect(np.all(np.diff(scores) >= -tol), f"{S!r} answered best(g, {m}) out of order: scores {scores}.")
            expect(len(set(atoms.keys)) == len(atoms), f"{S!r} answered best(g, {m}) with an atom twice.")
            expect(found.kind != "always" or scores[0] - slack <= trial.least(g)[0] + tol,
                   f"{S!r}: the first of best(g, {m}) scores {scores[0]:.12g}, an atom with {trial.least(g)[0]:.12g} exists.")
            for i in range(len(atoms)):
                expect(S.contains(atom_array(atoms[i], trial.shape)), f"{S!r} does not contain an atom of its best(g, {m}).")


def _check_floors(trial: Trial) -> None:
    """floor(g) is below every atom that anybody has seen."""
    S, oracle = trial.S, trial.S.oracle(trial.rng)
    for g in trial.gradients:
        found, least = as_floor(oracle.floor(g), S), trial.least(g)[0]
        expect(found.kind != "always" or found.lower <= least + trial.tolerance(g),
               f"{S!r} proved with floor(g) that no atom scores below {found.lower:.12g}, but one scores {least:.12g}.")


def _check_points(trial: Trial) -> None:
    """Start and centre are points of the set."""
    S = trial.S
    start, centre = S.start(np.random.default_rng(1)), S.centre()
    expect(S.contains(atom_array(start, trial.shape)), f"{S!r} does not contain its own start {start!r}.")
    expect(isinstance(centre, Iterate), f"The centre of {S!r} is {centre!r}; an Iterate is wanted.")
    expect(S.contains(centre), f"{S!r} does not contain its own centre.")
    if centre.keeps_atoms:
        sums = centre.totals
        expect(
            np.all(centre.weights > 0) and len(sums) == S.traits.owners and np.all(np.abs(sums - 1) < 1e-12),
            f"The weights of the centre of {S!r} are not positive, or sum to {sums} for its owners.",
        )
    again = S.centre()
    expect(np.array_equal(again.array(), centre.array()), f"{S!r} has another centre each time it is asked.")


def _check_contains(trial: Trial) -> None:
    """Mixtures are inside; points pushed past the best atom, other shapes and NaN are not."""
    S, rng, centre = trial.S, trial.rng, trial.S.centre().array()
    for g, d in list(zip(trial.gradients, trial.atoms, strict=True))[:8]:
        w = mixture(S, rng)
        expect(S.contains(w) and S.contains(w.array()), f"{S!r} does not contain a mixture of its atoms.")
        x = atom_array(d, trial.shape)
        beyond = centre + 1.5 * (x - centre)
        out = trial.least(g)[0] - float(np.vdot(g, beyond))
        if out > 1e-3 * float(np.linalg.norm(g)) * trial.size:
            expect(not S.contains(beyond), f"{S!r} contains a point with ⟨g, w⟩ below its minimum by {out:.3g}.")
    broken = centre.copy()
    broken.flat[0] = np.nan
    expect(not S.contains(broken), f"{S!r} contains a point with a NaN entry.")
    expect(not S.contains(np.zeros((*trial.shape, 2))), f"{S!r} of shape {trial.shape} contains a point of another shape.")


def _check_decompose(trial: Trial) -> None:
    """An array of the set becomes the same point in atoms of the set; a set may refuse."""
    S = trial.S
    inner = S
    while isinstance(inner, Wrapped):
        inner = inner.S
    near = 2e-7 if type(inner).decompose is DefaultSet.decompose else 1e-9  # what a search promises, and a formula can do
    points = [mixture(S, trial.rng).array() for _ in range(4)] + [atom_array(trial.atoms[0], trial.shape), S.centre().array()]
    for x in points:
        try:
            w = S.decompose(locked(x))
        except GreedyhullError:
            return
        off = float(np.abs(w.array() - x).max())
        expect(off <= near * max(trial.size, 1e-300), f"{S!r} decomposed a point into one that is {off:.3g} away.")
        if w.keeps_atoms:
            expect(
                np.all(w.weights > 0) and len(w.totals) == S.traits.owners and np.all(np.abs(w.totals - 1) < 1e-9),
                f"{S!r} decomposed a point into weights {w.weights}.",
            )
            for d in vertices(w.block):
                expect(S.contains(atom_array(d, trial.shape)), f"{S!r} decomposed a point into what is no atom of it.")


def _check_list(trial: Trial) -> None:
    """len, scores and [j] tell of the same atoms."""
    S = listed(trial.S)
    if S is None:
        return
    g = trial.gradients[0]
    scores = np.asarray(S.scores(g))
    expect(scores.shape == (len(S),), f"{S!r} has {len(S)} atoms, but scores(g) has shape {scores.shape}.")
    for j in trial.rng.integers(len(S), size=min(len(S), 50)):
        score = float(S[int(j)].dot(g))
        expect(
            abs(score - scores[j]) <= trial.tolerance(g),
            f"{S!r}: scores(g)[{j}] is {scores[j]}, but its atom {j} scores {score}.",
        )
        expect(S.contains(atom_array(S[int(j)], trial.shape)), f"{S!r} does not contain its atom {j}.")
    answer = answer_of(S.oracle(trial.rng), g)
    expect(
        answer.atom.dot(g) - answer.slack <= scores.min() + trial.tolerance(g),
        f"{S!r}: its argmin is not the least of its scores.",
    )


def _check_oracle_state(trial: Trial) -> None:
    """An oracle that was saved and restored in another one answers as the first."""
    S = trial.S
    first = S.oracle(np.random.default_rng(2))
    for g in trial.gradients[:5]:
        answer_of(first, g)
    state, second = saved(first.state()), S.oracle(np.random.default_rng(3))
    second.restore(state)
    for g in trial.gradients[5:12]:
        a, b = answer_of(first, g), answer_of(second, g)
        expect(a.atom.key == b.atom.key and a.slack == b.slack,
               f"The oracle of {S!r}, saved and restored, answers {b} where the first one answers {a}.")
