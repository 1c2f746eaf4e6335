"""Geometry of sets from their oracles: nearest points, quadratic forms, ranges of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from greedyhull.errors import check
from greedyhull.kernels.core import alone
from greedyhull.kernels.simplex_qp import solve_simplex_qp
from greedyhull.points.arrays import columns as images
from greedyhull.points.arrays import compact, dense, is_sparse, length
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.iterate import Iterate
from greedyhull.points.owners import Joint, OwnedBlock, vertices
from greedyhull.points.shapes import Dense
from greedyhull.points.shapes import dense as in_shape
from greedyhull.points.validate import as_answer, as_shortlist
from greedyhull.theory import Constant
from greedyhull.types import Answer, Array, Atom, AtomSet, Block, Design, Index, Kind, Shape, listed

SMALL, EIGEN = 2000, 1500  # the largest d for which H is made, and for which its eigenvalues are computed


class Form:
    """A positive semidefinite H on R^d, as far as its curvature over a set needs it."""

    d: int
    rows: int  # the length of an image of a point
    cost: float  # multiplications that one entry of H costs

    if TYPE_CHECKING:  # what derived classes write
        def diagonal(self) -> Array: ...
        def entries(self, I: Index, J: Index) -> Array: ...  # the part of H with rows I and columns J
        def apply(self, x: Array) -> Array: ...  # Hx
        def images(self, V: Any) -> tuple[Array, Array]: ...  # L and R with LRᵀ = VHVᵀ, for points in the rows of V
        def signs(self, widths: Array) -> float: ...  # an upper bound on (Δx)ᵀH(Δx) over signs x, for Δ = widths ≥ 0
        def _top_bound(self) -> float: ...  # an upper bound on λ_max(H)

    @cached_property
    def _matrix(self) -> Array | None:
        return self.entries(np.arange(self.d), np.arange(self.d)) if self.d <= SMALL else None

    def matrix(self) -> Array | None:
        """H itself where it is small enough, else None."""
        return self._matrix

    @cached_property
    def _top(self) -> Constant:
        square = self._squared()
        if square is None:
            return Constant(self._top_bound(), "upper bound", "λ_max")
        from greedyhull.kernels.lapack import eigvalsh

        k = len(square) - 1
        return Constant(max(float(eigvalsh(square, subset_by_index=[k, k])[0]), 0.0), "exact", "λ_max")

    def top(self) -> Constant:
        """λ_max(H): exact where a side of the problem is small enough, else from above."""
        return self._top

    def _squared(self) -> Array | None:
        """A small matrix with the same largest eigenvalue."""
        return self.matrix() if self.d <= EIGEN else None


CHUNK = 4_000_000  # entries that are read at once


def columns(design: Design) -> Iterator[tuple[Index, Any]]:
    """The columns of the design, in order: index arrays J and A[:, J] in float64, dense or CSC."""
    (d,) = design.domain
    sparse = design.stored and is_sparse(images(design, np.arange(1), np.ones(1)))
    width = d if sparse else max(1, CHUNK // design.n)
    for start in range(0, d, width):
        J = np.arange(start, min(start + width, d))
        yield J, some_columns(design, J)


def some_columns(design: Design, J: Index) -> Any:
    """A[:, J] in float64, CSC where the design has sparse columns, else dense."""
    return compact(images(design, J, np.ones(len(J)))).astype(np.float64, copy=False)


def in_full(block: Any) -> Array:
    """A matrix of SciPy, or an array, as an array in float64."""
    return dense(block).astype(np.float64, copy=False)


def row_blocks(design: Design, chunk: int = CHUNK) -> Iterator[tuple[Index, Array]]:
    """The rows of a design of vectors, some at a time: index arrays I and A[I, :], dense in float64."""
    (d,) = design.domain
    step = max(1, chunk // d)
    for start in range(0, design.n, step):
        I = np.arange(start, min(start + step, design.n))
        yield I, in_full(some_columns(design.rows(I), np.arange(d)))


def rows(design: Design) -> Iterator[Array]:
    """Every row of the design as an array in the shape of its domain."""
    if len(design.domain) == 1:
        for _, block in row_blocks(design):
            yield from block
        return
    for i in range(design.n):
        yield np.asarray(design.rows(np.array([i])).adjoint(np.ones(1)), dtype=np.float64)


def row_extremes(design: Design, scales: Array | None = None) -> tuple[Array, Array]:
    """The least and the largest entry of every row of A diag(scales)."""
    if scales is None and design.stored:
        low, high = design.extremes()
        return low.astype(np.float64), high.astype(np.float64)
    low, high = np.full(design.n, np.inf), np.full(design.n, -np.inf)
    for J, block in columns(design):
        scaled = block if scales is None else block * scales[None, J]
        ends = scaled.min(axis=1), scaled.max(axis=1)
        least, most = (in_full(end).ravel() for end in ends)
        low, high = np.minimum(low, least), np.maximum(high, most)
    return low, high


def row_norms(design: Design) -> Array:
    """‖aᵢ‖₂ of every row; one whose squares overflow or vanish is taken relative to its largest entry."""
    with np.errstate(over="ignore"):
        squares = _row_squares(design, np.ones(design.n))
    odd = ~((squares > 1e-280) & (squares < np.inf))
    if not odd.any():
        return np.sqrt(squares)
    low, high = row_extremes(design)
    largest = np.maximum(-low, high)
    sizes = np.where(odd & (largest > 0.0), np.maximum(largest, 1e-290), 1.0)  # one over a smaller one overflows
    return sizes * np.sqrt(_row_squares(design, sizes))


def _row_squares(design: Design, sizes: Array) -> Array:
    """Σⱼ (aᵢⱼ/sizesᵢ)² of every row."""
    squares, plain = np.zeros(design.n), bool(np.all(sizes == 1.0))
    for _, block in columns(design):
        part = block if plain else block / sizes[:, None]
        squares += np.asarray((part * part).sum(axis=1)).ravel()
    return squares


def row_spans(design: Design, widths: Array) -> Array:
    """Σⱼ |aᵢⱼ| widthsⱼ of every row."""
    total = np.zeros(design.n)
    for J, block in columns(design):
        total += np.asarray(abs(block) @ widths[J]).ravel()
    return total


def products(design: Design, V: Any) -> Array:
    """A Vᵀ for points in the rows of V, dense or CSR."""
    total = np.zeros((design.n, V.shape[0]))
    for J, block in columns(design):
        total += in_full(block @ V[:, J].T)
    return total


EPS = float(np.finfo(np.float64).eps)
STEPS = 2000  # questions that the oracle is asked
ALWAYS: Kind = "always"


class Nearest(NamedTuple):
    """A point of the hull, its distance from x, and a lower bound on the distance of all points, or 0, with its kind."""

    point: Iterate
    distance: float
    lower: float
    kind: Kind


@alone
def nearest_point(S: AtomSet, x: Array, size: float, near: float, far: float) -> Nearest:
    """Search until a point is within ``near`` of x, or none is within ``far``; both are shares of ``size``.

    For any g every point v of the hull has ⟨g, v⟩ ≥ ⟨g, d⟩ − slack, d the oracle's answer, and so ‖v − x‖‖g‖ is at least
    ⟨g, d − x⟩ − slack: a proof, less the rounding of these products.
    """
    oracle, many = S.oracle(np.random.default_rng(0)), 32 if listed(S) is not None else 1  # atoms that join together
    kept = ArrayState(S.atom(-x if x.any() else np.ones(S.shape)), S.shape, size)
    distance, stalled = np.inf, 0
    lower, known = 0.0, ALWAYS
    here = x / size
    near = max(near, 2.0 * EPS * length(here))  # what rounding can reach
    for _ in range(STEPS):
        g = kept.array() / size - here
        before, distance = distance, length(g)
        stalled = 0 if distance < (1.0 - 1e-9) * before else stalled + 1
        if distance <= near or stalled > 10:  # so many steps in a row that bring nothing end the search
            break
        answer = as_shortlist(oracle.best(g, many), S) if many > 1 else as_answer(oracle.argmin(g), S.shape)
        atoms = [answer.atom] if isinstance(answer, Answer) else [answer.atoms[i] for i in range(len(answer.atoms))]
        S.saw(atoms[0])
        ahead = atoms[0].dot(g) / size - float(np.vdot(g, here))
        bound = (ahead - answer.slack / size) / distance
        if bound > far and (bound := bound - _rounding(S, g, here, size) / distance) > far:
            lower, known = bound, answer.kind
            break
        kept.step(atoms, g)
    return Nearest(kept.point(), distance, lower, known)


def _rounding(S: AtomSet, g: Array, here: Array, size: float) -> float:
    """What ⟨g, d/size − here⟩ may be off by, d an atom."""
    sizes = np.abs(g)
    return EPS * (g.size + 16.0) * (S.max_abs(sizes) / size + float(np.vdot(sizes, np.abs(here))))


def _single(d: Atom, shape: Shape) -> Atom:
    """d as an atom that stands for itself: a vertex of a product as an array."""
    return Dense(in_shape(d, shape)) if isinstance(d, Joint) else d


class ArrayState:
    """The atoms that are kept and their weights; ``gram`` holds the products of their differences from the first one."""

    def __init__(self, first: Atom, shape: Shape, size: float) -> None:
        single = _single(first, shape)
        self.shape, self.size = shape, size
        self.joints: dict[Any, Atom] = {single.key: first} if isinstance(first, Joint) else {}
        self.block, self.weights = single.block(prod(shape)), np.ones(1)
        self.first, self.gram = in_shape(first, shape), np.zeros((1, 1))

    def array(self) -> Array:
        """Σ αᵢ dᵢ."""
        u = np.zeros(self.shape)
        self.block.add_to(u, self.weights)
        return u

    def point(self) -> Iterate:
        """The same as an iterate; over a product, with the parts of the vertices as atoms."""
        if not self.joints:
            return Iterate(self.block, self.weights, self.shape).merged()
        first, *others = (self.joints[key].block(prod(self.shape)) for key in self.block.keys)
        for block in others:
            first = first.extend(block)
        return Iterate(first, np.repeat(self.weights, len(first) // len(self.weights)), self.shape).merged()

    def step(self, atoms: Sequence[Atom], g: Array) -> None:
        """Let atoms join that lead nearer, and go to the nearest point of the hull of all; those without weight leave."""
        level = self.size * float(np.vdot(g, self.array() / self.size))
        for vertex in (d for d in atoms if d is atoms[0] or d.dot(g) < level):
            d = _single(vertex, self.shape)
            if isinstance(vertex, Joint):
                self.joints[d.key] = vertex
            if self.block.key_of(d) in self.block.keys:
                continue
            apart = (in_shape(d, self.shape) - self.first) / self.size
            row = (self.block.dots(apart) - float(np.vdot(self.first, apart))) / self.size
            self.gram = np.block([[self.gram, row[:, None]], [row[None, :], np.full((1, 1), float(np.vdot(apart, apart)))]])
            self.block, self.weights = self.block.append(d), np.append(self.weights, 0.0)
        grad = self.block.dots(g) / self.size
        gap = float(self.weights.dot(grad) - grad.min())
        weights = solve_simplex_qp(self.gram, grad, self.weights, 1e-3 * gap)
        held = np.flatnonzero(weights > 0.0)
        self.block, self.gram = self.block.take(held), self.gram[np.ix_(held, held)]
        self.weights = weights[held] / weights[held].sum()


def check_atoms_of(S: AtomSet, block: Block, what: str) -> None:
    """Raise where atoms of a saved block have another shape, other owners or other names than those of S, or lie outside."""
    if S.has_atoms(block):
        return
    owners = block.count if isinstance(block, OwnedBlock) else 1
    check(prod(block.shape) == prod(S.shape) and owners <= S.traits.owners, lambda: f"{what} has atoms of shape {block.shape} "
          f"and {owners} owner{'' if owners == 1 else 's'}, but {S!r} those of shape {S.shape} and {S.traits.owners}.")
    named = [key for key in block.keys if isinstance(key, int)]
    check(not named or [key for key in S.recognised(block).keys if isinstance(key, int)] in ([], named), lambda: f"{what} has "
          f"atoms that are said to be rows of {S!r}, and are not.")
    # the same where membership takes a factorisation
    if len(block) * prod(S.shape) > ((1 << 12) if S.traits.slides else (1 << 20)):  # that are looked at, at most
        return
    for d in vertices(block):
        x = in_shape(d, S.shape)
        inside = S.contains_quickly(CoordinateIterate(x))
        if inside is None and prod(S.shape) <= 64:  # entries of a point, up to which membership is searched for
            inside = not S.excludes(x)
        check(inside is not False, lambda: f"{what} has atoms outside {S!r}.")
