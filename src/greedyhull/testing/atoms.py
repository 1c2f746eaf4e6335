"""check_atoms: does a set keep its promises?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np

from greedyhull.atoms.base import AtomSet as DefaultSet
from greedyhull.atoms.joined import Joined
from greedyhull.atoms.wrapped import Around, Wrapped
from greedyhull.errors import GreedyhullError
from greedyhull.objectives.designs.stored import DenseDesign
from greedyhull.points.aligned import few
from greedyhull.points.arrays import length
from greedyhull.points.blocks import block_from, block_state
from greedyhull.points.gradients import as_array
from greedyhull.points.iterate import Iterate
from greedyhull.points.owners import Joint, least, vertices
from greedyhull.points.validate import as_answer, as_floor, as_shortlist
from greedyhull.testing.expect import atom_array, expect, locked, mixture, saved
from greedyhull.types import Answer, Array, Atom, AtomSet, Oracle, listed


class Trial:
    """A set, the gradients it receives, and every atom it has been seen to have."""

    def __init__(self, S: AtomSet, trials: int, seed: int) -> None:
        self.S, self.shape, self.rng = S, S.shape, np.random.default_rng(seed)
        self.decides, self.now = decides(S), np.ones(1)
        self.gradients = _gradients(self.shape, self.rng, trials)
        if not self.decides:  # its answers are compared with one another, and those to like gradients tell most
            self.gradients += [locked(g + size * self.rng.standard_normal(self.shape))
                               for size in (0.1, 1e-3) for g in self.gradients[:trials]]

    def ask(self, minimum: Callable[[Array], float] | None, vertices: Any) -> None:
        """Gather the oracle's answers, and what is known of the least ⟨g, ·⟩."""
        S = self.S
        self.answers = [answer_of(S.oracle(self.rng), g) for g in self.each()]
        self.atoms = [answer.atom for answer in self.answers]
        found = [atom_array(d, self.shape) for d in self.atoms]
        known = all_atoms(S) if vertices is None else [np.asarray(v, dtype=np.float64).reshape(self.shape) for v in vertices]
        self.pool = np.stack([*found, *(known or [])]).reshape(-1, int(np.prod(self.shape)))
        self.size = float(np.linalg.norm(self.pool, axis=1).max())
        self._minimum, self._all = minimum, known is not None
        self.centre = S.centre()
        proved = [(g, a) for g, a in zip(self.gradients, self.answers, strict=True) if a.kind == "always"]
        self._directions = np.array([g.ravel() for g, _ in proved]).reshape(-1, self.pool.shape[1])
        rows = np.array(known).reshape(len(known), -1) if known else None
        self.truth = minimum if minimum is not None else None if rows is None else lambda g: float(rows.dot(g.ravel()).min())
        claims = [float(a.atom.dot(g)) - a.slack if self.truth is None else self.truth(g) for g, a in proved]
        self._support = np.array([low - self.tolerance(g) for low, (g, _) in zip(claims, proved, strict=True)])

    def each(self) -> Iterator[Array]:
        """The gradients in turn; `now` is the one that the loop has come to."""
        for g in self.gradients:
            self.now = g
            yield g
        self.now = np.ones(1)

    def holds(self, w: Any) -> bool:
        """Whether the set contains a point or an atom; one without a membership test has nothing beyond its support."""
        if self.decides:
            return self.S.contains(w if isinstance(w, Iterate) else atom_array(w, self.shape))
        x = w.array() if isinstance(w, Iterate) else atom_array(w, self.shape)
        return bool((self._directions @ x.ravel() >= self._support).all())

    def least(self, g: Array) -> tuple[float, bool]:
        """The least ⟨g, ·⟩ anybody knows of, and whether it is the true minimum."""
        seen = float(self.pool.dot(g.ravel()).min())
        return (seen, self._all) if self._minimum is None else (min(seen, float(self._minimum(g))), True)

    def tolerance(self, g: Array) -> float:
        return 1e-9 * float(np.linalg.norm(g)) * max(self.size, 1e-300)


def decides(S: AtomSet) -> bool:
    """Whether a set has a membership test of its own: by default membership is a search, which curved sets rarely end."""
    if isinstance(S, Around):
        return decides(S.S)
    if isinstance(S, Joined):
        return all(map(decides, S.sets))
    return S._decides if isinstance(S, DefaultSet) else True


def _gradients(shape: tuple[int, ...], rng: np.random.Generator, trials: int) -> list[Array]:
    """Random gradients, and the awkward ones: zero, ties, one coordinate, tiny and huge."""
    plain = [rng.standard_normal(shape) for _ in range(trials)]
    size = int(np.prod(shape))
    units = [sign * np.eye(1, size, int(j)).reshape(shape) for j in rng.integers(size, size=3) for sign in (1.0, -1.0)]
    few = [np.where(rng.random(shape) < 0.3, g, 0.0) for g in plain[:3]]
    ties = [np.ones(shape), -np.ones(shape), np.round(plain[0])]
    return [locked(g) for g in [*plain, *units, *few, *ties, 1e-8 * plain[1], 1e8 * plain[2], np.zeros(shape)]]


def answer_of(oracle: Oracle, g: Array, enough: float = -np.inf) -> Answer:
    return as_answer(oracle.argmin(g, enough=enough), g.shape)


def all_atoms(S: AtomSet) -> list[Array] | None:
    atoms = listed(S)
    # sets with at most so many atoms are searched through and through
    return None if atoms is None or len(atoms) > 4096 else [atom_array(atoms[j], S.shape) for j in range(len(atoms))]


def check_sizes(trial: Trial) -> None:
    """max_abs, diameter, circumradius and radius_around are upper bounds."""
    S, pool = trial.S, trial.pool
    for _ in range(5):
        c = trial.rng.random(trial.shape) * (trial.rng.random(trial.shape) < 0.7)
        bound, most = S.max_abs(c), float((np.abs(pool) @ c.ravel()).max())
        expect(most <= bound * (1 + 1e-9), f"{S!r}: max_abs(c) = {bound:.6g}, but an atom has Σ c|d| = {most:.6g}.")
    squares = (pool**2).sum(axis=1)
    apart = float(np.sqrt(max(0.0, (squares[:, None] + squares[None, :] - 2 * pool @ pool.T).max())))
    diameter, radius, hair = _known(S, "diameter"), _known(S, "circumradius"), 1e-7 * trial.size
    if diameter is not None:
        expect(apart <= diameter * (1 + 1e-7),
               f"{S!r} has diameter {diameter:.6g}, but two of its atoms are {apart:.6g} apart.")
        x = pool[: len(pool) // 2 + 1].mean(axis=0)
        far, around = float(np.sqrt(((pool - x) ** 2).sum(axis=1).max())), float(S.radius_around(x.reshape(trial.shape)))
        expect(far <= around * (1 + 1e-7) + hair, f"{S!r}: radius_around(x) = {around:.6g}, but an atom is {far:.6g} from x.")
    if radius is not None:
        ball = _enclosing(pool)
        expect(ball <= radius * (1 + 1e-7) + hair,
               f"{S!r} has circumradius {radius:.6g}, but no ball below {ball:.6g} holds its atoms.")
        expect(diameter is None or radius <= diameter * (1 + 1e-12),
               f"{S!r} has circumradius {radius} above its diameter {diameter}.")


def _known(S: AtomSet, size: str) -> float | None:
    try:
        value = getattr(S, size, None)  # a user's set need not state it
    except GreedyhullError:
        return None
    return None if value is None else float(value)


def _enclosing(points: Array) -> float:
    """A lower bound on the radius of the least ball around ``points``: any dual weights give one."""
    squares = (points**2).sum(axis=1)
    alpha = np.full(len(points), 1.0 / len(points))
    best = 0.0
    for k in range(200):
        centre = alpha @ points
        best = max(best, float(alpha @ squares - centre @ centre))
        farthest = int(np.argmax(squares - 2 * points @ centre))
        alpha *= 1 - 2 / (k + 3)
        alpha[farthest] += 2 / (k + 3)
    return float(np.sqrt(best))


def check_curvature(trial: Trial) -> None:
    """The curvature constant of a random quadratic is not beaten by any two atoms; a set may refuse."""
    from greedyhull.objectives.by_name import quadratic

    if len(trial.shape) > 1:
        return
    B = trial.rng.standard_normal((trial.shape[0], trial.shape[0]))
    Q = B @ B.T / trial.shape[0]
    try:
        M = quadratic(Q).curvature(trial.S)
    except GreedyhullError:
        return
    images = (trial.pool - trial.pool[0]) @ B / np.sqrt(trial.shape[0])  # far from the origin, squares would cancel
    squares = (images**2).sum(axis=1)
    seen = float((squares[:, None] + squares[None, :] - 2 * images @ images.T).max())
    expect(seen <= float(M) * (1 + 1e-7),
           f"{trial.S!r} has {M!r} for a quadratic, but two atoms have ‖s − s'‖²_Q = {seen:.6g}.")
    expect(M.status != "exact" or not trial._all or float(M) <= seen * (1 + 1e-7),
           f"{trial.S!r} calls {M!r} exact, but over all its atoms the maximum is {seen:.6g}.")


def check_atom(d: Atom, shape: tuple[int, ...], g: Array) -> None:
    """An atom's dot, add_to, image and key tell of one and the same array."""
    x = atom_array(d, shape)
    expect(np.isfinite(x).all(), f"The atom {d!r} has entries that are not finite.")
    hash(d.key)
    tol = 1e-12 * (float(np.abs(g).ravel() @ np.abs(x).ravel()) + 1e-300)
    expect(abs(d.dot(g) - float(np.vdot(g, x))) <= tol,
           f"{d!r}.dot(g) is {d.dot(g)!r}, but its array gives {np.vdot(g, x)!r}.")
    w = np.ones(shape)
    d.add_to(w, -0.5)
    expect(np.allclose(w, 1.0 - 0.5 * x, rtol=1e-12, atol=1e-12), f"{d!r}.add_to(w, c) does not add c·d.")
    if len(shape) == 1:
        A = np.random.default_rng(0).standard_normal((3, shape[0]))
        expect(np.allclose(d.image(DenseDesign(A)), A @ x, rtol=1e-9, atol=1e-9 * float(np.abs(A @ x).max() + 1e-300)),
               f"{d!r}.image(A) is not A·d.")


def check_block(atoms: list[Any], shape: tuple[int, ...], rng: np.random.Generator) -> None:
    """A block does for many atoms what each does alone, and survives `take`, `append` and saving."""
    different = list({d.key: d for d in atoms}.values())
    block = different[0].block(int(np.prod(shape)))
    for d in different[1:]:
        block = block.append(d)
    rows = np.stack([atom_array(d, shape) for d in different])
    _check_rows(block, rows, rng)
    for d in different:
        expect(block.key_of(d) in list(block.keys), f"A block does not know the key of its atom {d!r}.")
    expect(len(block.take(np.arange(0))) == 0, "A block does not become empty where no atom is taken.")
    both = block.take(np.arange(1)).extend(block)
    expect(len(both) == 1 + len(different) and len(block) == len(different), "A block's extend makes no new block of both.")
    some = np.flatnonzero(rng.random(len(different)) < 0.5)
    if len(some):
        _check_rows(block.take(some), rows[some], rng)
    again = block_from(saved(block_state(block)))
    _check_rows(again, rows, rng)
    expect(list(again.keys) == list(block.keys), "A block that was saved and read back has other keys than before.")


def _check_rows(block: Any, rows: Array, rng: np.random.Generator) -> None:
    expect(len(block) == len(block.keys) == len(rows),
           f"A block of {len(rows)} atoms has length {len(block)} and {len(block.keys)} keys.")
    shape, flat = rows.shape[1:], rows.reshape(len(rows), -1)
    g, c = rng.standard_normal(shape), rng.standard_normal(len(rows))
    w, sizes = np.zeros(shape), np.zeros(shape)
    block.add_to(w, c)
    block.add_sizes_to(sizes, np.abs(c))
    compared = [(block.dots(g), flat @ g.ravel(), "dots(g) are not ⟨g, dᵢ⟩"),
                (w.ravel(), c @ flat, "add_to(w, c) does not add Σ cᵢ dᵢ"),
                (sizes.ravel(), np.abs(c) @ np.abs(flat), "add_sizes_to(w, c) does not add Σ cᵢ|dᵢ|")]
    if len(shape) == 1:
        A = rng.standard_normal((3, shape[0]))
        compared += [(block.images(DenseDesign(A)), A @ flat.T, "images(A) are not A·dᵢ"),
                     (block.combine(DenseDesign(A), c), A @ (c @ flat), "combine(A, c) is not A Σ cᵢ dᵢ")]
    for got, true, wrong in compared:
        expect(np.allclose(got, true, rtol=1e-9, atol=1e-11 * (np.abs(flat).sum() + 1e-300)), f"A block's {wrong}.")
    for i, row in enumerate(rows):
        expect(np.array_equal(atom_array(block[i], shape), row), f"Atom {i} of a block is not the atom that was put there.")


def check_kinds_of_gradients(trial: Trial) -> None:
    """A set that takes gradients of any kind answers a sparse matrix and an operator as it answers the array."""
    if trial.S.traits.gradients != "any" or len(trial.shape) != 2:
        return
    from scipy.sparse import csr_array
    from scipy.sparse.linalg import aslinearoperator

    S = trial.S
    kinds: tuple[Any, ...] = (csr_array, aslinearoperator)
    for g, kind in product(trial.gradients[:8], kinds):
        other, tol = kind(np.array(g)), trial.tolerance(g)
        what = f"{S!r} says that it takes any kind of gradient, and asked with a {type(other).__name__}"
        try:
            oracle = S.oracle(np.random.default_rng(0))
            plain, answer = oracle.argmin(g), oracle.argmin(other)
            told, block = answer.atom.dot(other), answer.atom.block(g.size).dots(other)
        except Exception as error:
            raise AssertionError(f"{what} it failed: {type(error).__name__}: {error}") from error
        score = float(np.vdot(g, atom_array(answer.atom, S.shape)))
        expect(answer.kind != "always" or score - answer.slack <= plain.atom.dot(g) + tol,
               f"{what} its atom scores {score:.12g}; asked with the array, {plain.atom.dot(g):.12g}.")
        expect(abs(told - score) <= tol and abs(float(block[0]) - score) <= tol, f"{what} its atom says that it scores "
               f"{told:.12g}, and a block of it {float(block[0]):.12g}; it is {score:.12g}.")
        expect(np.array_equal(as_array(other), g), f"{what} it wrote on the gradient.")


def check_compressed(trial: Trial) -> None:
    """The same point in no more atoms than before, each of them in the set, with the weights of a mixture."""
    S, same = trial.S, 1e-12  # as the driver asks
    for atoms in (1, 4, 12):
        w = mixture(S, trial.rng, atoms)
        keys, before = list(w.block.keys), w.array()
        block, alpha = S.compressed(w.block, w.weights.copy(), same)
        unchanged = list(w.block.keys) == keys and np.array_equal(w.array(), before)
        expect(unchanged, f"compressed of {S!r} changed what it was given.")
        expect(1 <= len(block) <= len(keys), f"compressed of {S!r} wrote a point of {len(keys)} atoms in {len(block)}.")
        try:
            fewer = Iterate(block, alpha, S.shape)
        except GreedyhullError as error:
            raise AssertionError(f"compressed of {S!r}: {error}") from error
        good = np.all(fewer.weights >= 0.0) and np.all(np.abs(fewer.totals - 1.0) <= 1e-14 * (1.0 + len(fewer)))
        expect(good, f"compressed of {S!r} gave the weights {fewer.weights}, which are not those of a mixture.")
        off, allowed = length(fewer.array() - before), same * length(w.absolute())
        expect(off <= allowed + 1e-300, f"compressed of {S!r} gave a point that is {off:.3g} away; {allowed:.3g} was allowed.")
        for d in vertices(block):
            expect(trial.holds(d), f"compressed of {S!r} gave {d!r}, which it does not contain.")


def check_owners(trial: Trial) -> None:
    """Answers have a part for each owner, none of them is beaten by another of the same owner, and they can be exchanged."""
    S, said = trial.S, trial.S.traits.owners
    expect(isinstance(said, int) and said >= 1, f"{S!r} says owners = {said!r}; a whole number of at least 1 is wanted.")
    for d in trial.atoms:
        have = len(d.parts) if isinstance(d, Joint) else 0
        expect(have == said or (said == 1 and have == 0), f"{S!r} says owners = {said}, but answered {d!r}, which "
               f"{f'has {have} parts' if have else 'is no Joint'}. A set of several owners answers with Joint(parts, owners), "
               "a part for each, and says in owners how many there are.")
    joints = [d for d in trial.atoms if isinstance(d, Joint)]
    for owner in range(said if joints else 0):
        rows = np.stack([atom_array(d.parts[owner], trial.shape).ravel() for d in joints])
        for i, (g, answer) in enumerate(zip(trial.each(), trial.answers, strict=True)):
            scores = rows.dot(g.ravel())
            j = int(scores.argmin())
            expect(answer.kind != "always" or scores[i] - answer.slack <= scores[j] + trial.tolerance(g),
                   f"{S!r} answered with the part {joints[i].parts[owner]!r} of owner {owner}, of score {scores[i]:.12g}, but "
                   f"its part {joints[j].parts[owner]!r} scores {scores[j]:.12g}. The argmin of owner {owner} is wrong, or "
                   f"its parts lie in the wrong block: {_where(joints, trial.shape)}")
    for d in joints[:8]:
        expect(trial.holds(d), f"{S!r} answered {d!r}, which it does not contain. If each part is a "
               f"point of its set, one lies in the wrong block: {_where(joints, trial.shape)}")
    for _ in range(8 if joints else 0):  # any part of one owner goes with any part of another
        picked = trial.rng.integers(len(joints), size=said)
        mixed = Joint(tuple(joints[int(i)].parts[owner] for owner, i in enumerate(picked)))
        expect(trial.holds(mixed), f"{S!r} does not contain {mixed!r}, whose parts come from several "
               "of its answers. A point mixes the parts of each owner by themselves: the owners of a part must be the same in "
               f"every answer, and its entries zero outside the owner's block: {_where(joints, trial.shape)}")


def _where(joints: list[Joint], shape: tuple[int, ...]) -> str:
    used = [np.any([atom_array(d.parts[b], shape).ravel() != 0.0 for d in joints], axis=0) for b in joints[0].owners]
    places = [few(np.flatnonzero(mask).tolist()) or "no place" for mask in used]
    said = [f"those of owner {b} have entries at {at}" for b, at in enumerate(places)]
    shared = np.flatnonzero(np.sum(used, axis=0) > 1).tolist()
    return "; ".join(said) + (f"; {few(shared)} belong to more than one." if shared else ".")


def check_atoms(S: AtomSet, *, minimum: Callable[[Array], float] | None = None, vertices: Any = None, trials: int = 20,
                seed: int = 0) -> None:
    """Check an atom set: its oracle, its sizes and constants, its start, centre, `contains` and `decompose`.

    The oracle is compared with ``minimum(g)``, an independent min ⟨g, ·⟩ over the hull, or with the rows of
    ``vertices``, or with all atoms of a set that can list them, and always with many atoms and points of the hull.
    A set without a membership test (``contains`` or ``_holds``) is judged by its own answers: none may lie beyond the least
    ⟨g, ·⟩ that another one proves.

    >>> import greedyhull as gh
    >>> check_atoms(gh.L1Ball(3, radius=2.0), minimum=lambda g: -2.0 * abs(g).max())
    """
    trial = Trial(S, trials, seed)
    try:
        trial.ask(minimum, vertices)
        for check in (_check_form, check_owners, _check_answers, _check_repeats, _check_shortlists, _check_floors,
                      _check_points, _check_contains, _check_decompose, _check_list, check_sizes, check_curvature,
                      _check_oracle_state, check_kinds_of_gradients, check_compressed):
            check(trial)
    except Exception as error:
        if trial.now.any():
            raise
        zero = "the gradient zero, for which every atom is best"
        raise AssertionError(f"{error} It was asked with {zero}." if isinstance(error, AssertionError) else
                             f"A set was asked with {zero}, and failed: {type(error).__name__}: {error}") from error
    expect(" object at 0x" not in repr(S), f"{S!r} has no repr of its own.")


def _check_form(trial: Trial) -> None:
    S, shape = trial.S, trial.shape
    expect(isinstance(shape, tuple) and shape and all(isinstance(s, int) and s > 0 for s in shape),
           f"shape is {shape!r}; a tuple of positive whole numbers is wanted.")
    for d, g in zip(trial.atoms, trial.each(), strict=True):
        check_atom(d, shape, g)
        inside = isinstance(d, Joint) or not trial.decides or trial.holds(d)  # before others are compared with it
        expect(inside, f"{S!r} answered {d!r}, which it does not contain.")
    kept = [part for d in trial.atoms for part in (d.owned if isinstance(d, Joint) else (d,))]  # as a point keeps them
    check_block(kept, shape, trial.rng)


def _check_answers(trial: Trial) -> None:
    """Atoms lie in the set, and none beats the answer by more than its slack."""
    S, oracle = trial.S, trial.S.oracle(trial.rng)
    for g in trial.each():
        answer = answer_of(oracle, g)
        d, slack, kind = answer.atom, answer.slack, answer.kind
        x = atom_array(d, trial.shape)
        judged = trial.decides or trial.truth is not None
        expect(not judged or trial.holds(x), f"{S!r} answered {d!r}, which it does not contain.")
        expect(slack >= 0.0 and not np.isnan(slack), f"{S!r} answered with slack {slack!r}; a number of at least 0 is wanted.")
        if kind != "always":
            continue
        score, tol = float(np.vdot(g, x)), trial.tolerance(g)
        least, true = trial.least(g)
        expect(score - slack <= least + tol, f"{S!r} answered {d!r} with ⟨g, d⟩ = {score:.12g} and slack {slack:.3g}, but an "
                                             f"atom with {least:.12g} exists: its argmin is wrong or its slack too small.")
        expect(not true or score >= least - tol, f"{S!r} answered {d!r} with ⟨g, d⟩ = {score:.12g}, less than the minimum "
                                                 f"{least:.12g} over the set: the atom lies outside.")
        for p in (mixture(S, trial.rng).array(), trial.centre.array()):
            below = float(np.vdot(g, p))
            expect(score - slack <= below + tol, f"{S!r} answered {d!r} with ⟨g, d⟩ = {score:.12g}, but a point of its hull "
                                                 f"has {below:.12g}.")


def _check_repeats(trial: Trial) -> None:
    """The same question has the same answer; a float32 gradient is a gradient; `enough` may only loosen."""
    S = trial.S
    first, second, third = (S.oracle(np.random.default_rng(5)) for _ in range(3))  # answers may depend on those before
    for g in trial.each():
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
    """best(g, m): per owner at most m atoms, the best first; each once; no other atom beats them by more than the slack."""
    S, oracle, count = trial.S, trial.S.oracle(trial.rng), trial.S.traits.owners
    for g in trial.each():
        tol, known = trial.tolerance(g), trial.least(g)[0]
        for m in (1, 2, 5):
            found = as_shortlist(oracle.best(g, m), S, count)
            scores = np.asarray(found.atoms.dots(g), dtype=np.float64)
            owners = np.zeros(len(scores), dtype=np.intp) if found.owners is None else found.owners
            low, about = least(scores, owners), f"{S!r} answered best(g, {m})"
            for owner in range(count):
                own = scores[owners == owner]
                expect(1 <= len(own) <= m, f"{about} with {len(own)} atoms of owner {owner}.")
                expect(own[0] <= low[owner] + tol, f"{about} with an atom of owner {owner} that scores {own[0]:.12g} before "
                       f"one that scores {low[owner]:.12g}; the best one comes first.")
            expect(count > 1 or np.all(np.diff(scores) >= -tol), f"{about} out of order: scores {scores}.")
            expect(len(set(found.atoms.keys)) == len(scores), f"{about} with an atom twice.")
            expect(found.kind != "always" or float(low.sum()) - found.slack <= known + tol,
                   f"{about}; the best of them, one per owner, score {low.sum():.12g}, but {known:.12g} exists.")
            for d in vertices(found.atoms):
                expect(trial.holds(d), f"{about} with parts of {d!r}, which it does not contain.")


def _check_floors(trial: Trial) -> None:
    """floor(g) is below every atom that anybody has seen."""
    S, oracle = trial.S, trial.S.oracle(trial.rng)
    for g in trial.each():
        found, least = as_floor(oracle.floor(g), S), trial.least(g)[0]
        expect(found.kind != "always" or found.lower <= least + trial.tolerance(g),
               f"{S!r} proved with floor(g) that no atom scores below {found.lower:.12g}, but one scores {least:.12g}.")


def _check_points(trial: Trial) -> None:
    """Start and centre are points of the set."""
    S = trial.S
    start, centre = S.start(np.random.default_rng(1)), trial.centre
    expect(trial.holds(start), f"{S!r} does not contain its own start {start!r}.")
    expect(isinstance(centre, Iterate), f"The centre of {S!r} is {centre!r}; an Iterate is wanted.")
    expect(trial.holds(centre), f"{S!r} does not contain its own centre.")
    if centre.keeps_atoms:
        sums = centre.totals
        expect(np.all(centre.weights > 0) and len(sums) == S.traits.owners and np.all(np.abs(sums - 1) < 1e-12),
               f"The weights of the centre of {S!r} are not positive, or sum to {sums} for its owners.")
    expect(np.array_equal(S.centre().array(), centre.array()), f"{S!r} has another centre each time it is asked.")


def _check_contains(trial: Trial) -> None:
    """Mixtures are inside; points pushed past the best atom, other shapes and NaN are not."""
    S, rng, centre = trial.S, trial.rng, trial.centre.array()
    for g, d in list(zip(trial.gradients, trial.atoms, strict=True))[: 8 if trial.decides else 0]:
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
    if not trial.decides and (isinstance(S, Around | Joined) or type(S).decompose is DefaultSet.decompose):
        return
    inner = S
    while isinstance(inner, Wrapped):
        inner = inner.S
    near = 2e-7 if type(inner).decompose is DefaultSet.decompose else 1e-9  # what a search promises, and a formula can do
    points = [mixture(S, trial.rng).array() for _ in range(4)]
    points += [atom_array(trial.atoms[0], trial.shape), trial.centre.array()]
    for x in points:
        try:
            w = S.decompose(locked(x))
        except GreedyhullError:
            return
        off = float(np.abs(w.array() - x).max())
        expect(off <= near * max(trial.size, 1e-300), f"{S!r} decomposed a point into one that is {off:.3g} away.")
        if w.keeps_atoms:
            expect(np.all(w.weights > 0) and len(w.totals) == S.traits.owners and np.all(np.abs(w.totals - 1) < 1e-9),
                   f"{S!r} decomposed a point into weights {w.weights}.")
            for d in vertices(w.block):
                expect(trial.holds(d), f"{S!r} decomposed a point into what is no atom of it.")


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
        expect(abs(score - scores[j]) <= trial.tolerance(g),
               f"{S!r}: scores(g)[{j}] is {scores[j]}, but its atom {j} scores {score}.")
        expect(trial.holds(S[int(j)]), f"{S!r} does not contain its atom {j}.")
    answer = answer_of(S.oracle(trial.rng), g)
    expect(answer.atom.dot(g) - answer.slack <= scores.min() + trial.tolerance(g),
           f"{S!r}: its argmin is not the least of its scores.")


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
