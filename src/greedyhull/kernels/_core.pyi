"""The compiled core, by argument. Arrays are contiguous and of the types that native/ names; they are never converted."""

from collections.abc import Callable
from typing import Any, TypeAlias, overload

from greedyhull.types import Array, Index

def level() -> str: ...
def use_threads(count: int) -> int: ...
def threads() -> int: ...
def bind_blas_threads(get: int, set: int, per_thread: bool, /) -> None: ...
def blas_threads_forked() -> None: ...

def shared_product(A: Array, B: Array, C: Array, /) -> None: ...
def shared_pass(A: Array, x: Array, y: Array, /) -> None: ...
def shared_cholesky(C: Array, /) -> int: ...

class BlasThreads:
    def __init__(self, one: bool) -> None: ...
    def __enter__(self) -> None: ...
    def __exit__(self, *error: object) -> None: ...

def bind_blas(capsules: dict[str, Any]) -> str: ...
def simplex_qp(G: Array, c: Array, alpha: Array, tol: float, /) -> None:
    """Move the weights ``alpha``, where the gradient is c, to the minimum over the simplex. There the gradient of an atom
    with weight exceeds the least one by at most ``tol``, which bounds the error."""
def face_factor(starts: Index, places: Index, entries: Array, free: Array, tight: Array, factor: Array, /) -> bool:
    """Write the Cholesky factor L of BBᵀ into the lower triangle of ``factor``; a row that is not tight, or has no free
    coordinate, has 1 there and nothing else. ``free`` and ``tight`` are 1 and 0. False where there is none."""
def face_shift(starts: Index, places: Index, entries: Array, free: Array, tight: Array, factor: Array, off: Array, x: Array,
               /) -> None:
    """x moves as little as it can, in its free coordinates, so that Ax changes by ``off`` in tight rows."""
def face_project(starts: Index, places: Index, entries: Array, free: Array, tight: Array, factor: Array, r: Array, y: Array,
                 /) -> float:
    """r becomes its projection, 0 where coordinates are not free; its prices are added to y. Returns ‖r‖²."""
def face_step(starts: Index, places: Index, entries: Array, free: Array, tight: Array, factor: Array, bend: Array, p: Array,
              x: Array, g: Array, r: Array, y: Array, square: float, least: float, /) -> float:
    """A step of conjugate gradients along p, for which ``bend`` = Hp: x, the gradient g, its projection r, the prices y
    and p follow. ``square`` is ‖r‖², and the new one is returned; −1, and nothing is moved, where the curvature along
    p is not more than ``least``."""
def rows_faces(H: Array, c: Array, G: Array, E: Array, e: Array, low: Array, high: Array, t: Array, prices: Array,
               pulls: Array, /) -> bool:
    """From x₀ = ``t[:n]`` to the minimiser: t = (x, Gx), the prices of E and G, and the multipliers of all ends are
    written. False, and nothing is written, where the guesses do not settle."""
def rows_path(H: Array, c: Array, G: Array, E: Array, e: Array, low: Array, high: Array, t: Array, prices: Array, lower: Array,
              upper: Array, tol: float, /) -> bool:
    """Follow the path from x = ``t[:n]`` to its end: t, the prices of E and G and the multipliers of both ends are
    written. False where numbers left their range."""
def box_qp(H: Array, c: Array, x: Array, low: Array, high: Array, tol: float, /) -> None:
    """As `solve_box_qp`, in place."""
def sum_qp(H: Array, c: Array, x: Array, high: Array, tol: float, /) -> None:
    """As `solve_sum_qp`, in place."""
def grouped_vertex(g: Array, high: Array, of: Index, room: Array, total: float, least: float, places: Index, entries: Array,
                   /) -> int:
    """Write places and entries of the vertex that is filled in the order of g; return how many, −1 where the bounds leave
    too little room."""
def grouped_levels(g: Array, high: Array, of: Index, room: Array, total: float, level: Array, /) -> float:
    """As `levels`, which are written; the multiplier is returned."""
def grouped_nearest(x: Array, high: Array, of: Index, room: Array, total: float, /) -> None:
    """As `nearest_grouped`, in place."""
def grouped_qp(H: Array, c: Array, x: Array, high: Array, of: Index, room: Array, tol: float, /) -> None:
    """As `solve_grouped_qp`, in place."""
def ball_qp(H: Array, c: Array, x: Array, middle: Array, radius: float, tol: float, /) -> float:
    """As `solve_ball_qp`, in place; the gap is returned."""
def budget_batch(H: Array, positive: bool, whole: bool, U: Array, G: Array, tol: Array, without: Index, near: Array,
                 afresh: bool, rounds: int, made: Index, /) -> None:
    """Minimise ½uᵀHu − cᵀu over Σ|u_j| ≤ 1 for every row of U, to Frank-Wolfe gaps of at most ``tol``. With ``positive``
    u ≥ 0 too, and with ``whole`` the sum is one. With ``afresh`` the rows of G are −c, the gradients at the origin;
    each problem begins at the answer before it, the first at ``near``, or at a single atom where that is better. Else
    G holds the gradients at U, and problems begin there. The coordinate ``without`` stays zero; −1 names none. U, its
    gradients G, ``near`` and the numbers of rounds ``made`` are written."""
def logistic_pieces(y: Array, z: Array, residual: Array, curvature: Array, /) -> float:
    """Σ log(1 + e^{−yz}), to a few eps; ``residual`` ← −y/(1 + e^{yz}), ``curvature`` ← e^{yz}/(1 + e^{yz})²."""
def add_columns(starts: Index, places: Index, entries: Array, index: Index, c: Array, z: Array, /) -> None:
    """z ← z + Σₖ cₖ X[:, indexₖ]."""
def dot_columns(starts: Index, places: Index, entries: Array, index: Index, r: Array, out: Array, /) -> None:
    """outₖ ← ⟨X[:, indexₖ], r⟩."""
def gram_rows(starts: Index, places: Index, entries: Array, weights: Array, number: Index, G: Array, /) -> None:
    """G[number[j], number[l]] ← Σᵢ weightsᵢ Xᵢⱼ Xᵢₗ for number[j] ≥ number[l] ≥ 0; columns numbered −1 are passed over.
    Rows of weight zero cost nothing. Columns are numbered in ascending order."""
def gram_columns(starts: Index, places: Index, entries: Array, weights: Array, index: Index, G: Array, /) -> None:
    """G[a, b] ← Σᵢ weightsᵢ X[i, index_a] X[i, index_b] for a ≥ b: for few columns of a large matrix."""
def dot_rows(starts: Index, places: Index, entries: Array, w: Array, z: Array, /) -> None:
    """zᵢ ← ⟨xᵢ, w⟩."""
def add_rows(starts: Index, places: Index, entries: Array, r: Array, g: Array, /) -> None:
    """g ← g + Σᵢ rᵢxᵢ."""
def pick_rows(starts: Index, places: Index, entries: Array, named: Index, number: Index, heads: Index, columns: Index,
              values: Array, /) -> int:
    """The entries of the columns that have a number, ≥ 0, as a matrix by rows of its own; how many there are. It is −1 −
    count where numbers do not ascend within a row: columns that stand in no order, or twice. ``named`` has a bit for
    each column, set where it has a number. ``columns`` and ``values`` have room for one entry more than the rows have."""
def sparse_column_facts(starts: Index, places: Index, entries: Array, weights: Array, facts: Array, /) -> int:
    """For each column j, factsⱼ ← (max |xᵢⱼ|, factsⱼ₁ + Σxᵢⱼ², factsⱼ₂ + Σ weightsᵢxᵢⱼ), the maximum with what was there.
    Returns the place of the first entry that is not finite, −1 where all are."""
def dense_column_facts(X: Array, weights: Array, largest: Array, squares: Array, mean: Array, /) -> int:
    """The same as `sparse_column_facts` of dense rows in C order; returns the first row with an entry that is not finite,
    or −1."""
def observed_entries(starts: Index, columns: Index, U: Array, V: Array, out: Array, /) -> None:
    """outₑ ← ⟨Uᵢ, Vⱼ⟩ for every entry e = (i, j)."""
def observed_products(starts: Index, columns: Index, c: Array, U: Array, V: Array, left: Array, right: Array,
                      /) -> None:
    """left ← GV and right ← GᵀU, where G has the entries c."""
def softmax_pieces(labels: Index, z: Array, b: Array, terms: Array, slopes: Array, s: Array, /) -> None:
    """``terms`` ← log Σ exp(z + b) − (z + b)_label for each row of scores z, ``slopes`` ← its gradient, ``s`` ←
    probabilities. What is small keeps its digits: the slope of the label is minus the sum of the others, not a
    probability less one."""
def find_intercepts(labels: Index, z: Array, p: Array, shares: Array, b: Array, /) -> None:
    """``b`` ← the intercepts."""
def without_repeats(index: Index, begins: Index, lengths: Index, n: int, /) -> None:
    """Floyd's rule on batches whose q-th entry was drawn below n − b + q + 1: who repeats an earlier one is n − b + q."""
Terms: TypeAlias = tuple[Array, Array, int, int, Array]  # targets, weights, whether they differ, loss and its numbers
Batches: TypeAlias = tuple[Index, Index, Array]  # draws, where the batch of each step ends among them, step sizes
Point: TypeAlias = tuple[int, Array, Array, Array, Array, Array, Index, Index, Index]  # set, x, and weights of its atoms

@overload
def difference_steps(matrix: Array, terms: Terms, batches: Batches,
    keep: Array, here: Array, there: Array, base: Array, other: Array, follows: int, g: Array, point: Point, /) -> None: ...
@overload
def difference_steps(starts: Index, places: Index, entries: Array, terms: Terms, batches: Batches,
    keep: Array, here: Array, there: Array, base: Array, other: Array, follows: int, g: Array, point: Point, /) -> None:
    """g ← keep·g + base + here·∇f_B(x) − there·∇f_B(other), then a step; ``other`` is the last x where it ``follows``.
    All arrays are changed in place."""
@overload
def table_steps(matrix: Array, terms: Terms, batches: Batches, both: int,
    table: Array, mean: Array, g: Array, point: Point, /) -> None: ...
@overload
def table_steps(starts: Index, places: Index, entries: Array, terms: Terms, batches: Batches, both: int,
    table: Array, mean: Array, g: Array, point: Point, /) -> None:
    """Steps with a table of slopes and its mean Aᵀtable: with the mean renewed at the batch, or, where each step has
    ``both`` a batch to estimate with and one to renew, with g = A_Bᵀ(r_B − table_B) + mean before it is renewed."""
@overload
def jones_difference_steps(matrix: Array, terms: Terms, batches: Batches,
    keep: Array, here: Array, there: Array, base: Array, other: Array, follows: int, g: Array, point: Point, /) -> None: ...
@overload
def jones_difference_steps(starts: Index, places: Index, entries: Array, terms: Terms, batches: Batches,
    keep: Array, here: Array, there: Array, base: Array, other: Array, follows: int, g: Array, point: Point, /) -> None:
    """`difference_steps` with Jones' choice among coordinate atoms, for squares."""
@overload
def jones_table_steps(matrix: Array, terms: Terms, batches: Batches, both: int,
    table: Array, mean: Array, g: Array, point: Point, /) -> None: ...
@overload
def jones_table_steps(starts: Index, places: Index, entries: Array, terms: Terms, batches: Batches, both: int,
    table: Array, mean: Array, g: Array, point: Point, /) -> None:
    """`table_steps` with Jones' choice among coordinate atoms, for squares; values are those of the batch to estimate
    with."""
def wide_table_steps(starts: Index, places: Index, entries: Array, terms: Terms, batches: Batches, table: Array, mean: Array,
                     width: int, point: Point, /) -> None:
    """`table_steps` with one batch a step, over coordinate atoms, in O(entries of the batch + atoms + √d) instead of
    O(d). The core keeps the best coordinate of every block of ``width``, and touches only coordinates of atoms in x."""

class Rounds:
    def begin(self, columns: Index, u: Array, /) -> None: ...
    def look(self) -> float: ...
    def sharpen(self, mu: float, /) -> tuple[float, float]: ...
    def value(self) -> float: ...
    def advance(self, rounds: int, absolute: float, relative: float, floor: float, lower: float, asked: Callable[[], bool],
                /) -> tuple[int, list[tuple[float, float, float, int]]]: ...
    def atoms(self) -> tuple[Index, Array, Array]: ...
    def seen(self) -> tuple[Array, float, Array, Array]: ...
    def state(self) -> dict[str, Array]: ...
    def restore(self, state: dict[str, Array], /) -> None: ...

def dense_rounds(X: Array, loss: object | None, quadratic: bool, intercept: bool, positive: bool, whole: bool, scales: Array,
                 l2: float, batch: int, steps: int, points: object | None, /) -> Rounds: ...
def sparse_rounds(starts: Index, places: Index, entries: Array, n: int, loss: object | None, quadratic: bool, intercept: bool,
                  positive: bool, whole: bool, scales: Array, l2: float, batch: int, steps: int, points: object | None,
                  /) -> Rounds: ...
def dense_form(Q: Array, b: Array, positive: bool, whole: bool, scales: Array, batch: int, points: object | None,
               /) -> Rounds: ...
def sparse_form(starts: Index, places: Index, entries: Array, n: int, b: Array, positive: bool, whole: bool, scales: Array,
                batch: int, points: object | None, /) -> Rounds: ...

class RegionRounds:
    def begin(self, x: Array, cold: bool, /) -> None: ...
    def look(self) -> float: ...
    def value(self) -> float: ...
    def advance(self, rounds: int, absolute: float, relative: float, floor: float, lower: float, asked: Callable[[], bool],
                /) -> tuple[int, list[tuple[float, float, float, int]]]: ...
    def point(self) -> Array: ...
    def seen(self) -> tuple[Array, float, Array, Array]: ...
    def state(self) -> dict[str, Array]: ...
    def restore(self, state: dict[str, Array], /) -> None: ...

def form_region_rounds(Q: Array, b: Array, kind: int, one: Array, other: Array, size: float, most: int,
                       /) -> RegionRounds: ...
def factored_region_rounds(F: Array, D: Array, b: Array, kind: int, one: Array, other: Array, size: float, most: int,
                           /) -> RegionRounds: ...
def dense_region_rounds(X: Array, loss: object | None, quadratic: bool, intercept: bool, kind: int, one: Array, other: Array,
                        size: float, l2: float, steps: int, spans: bool, most: int, /) -> RegionRounds: ...
def sparse_region_rounds(starts: Index, places: Index, entries: Array, n: int, loss: object | None, quadratic: bool,
                         intercept: bool, kind: int, one: Array, other: Array, size: float, l2: float, steps: int, spans: bool,
                         most: int, /) -> RegionRounds: ...

class Steps:
    def begin(self, z: Array, index: Index, scale: Array, weight: Array, moves: int, b: float, /) -> bool: ...
    def begin_at(self, z: Array, x: Array, moves: int, b: float, /) -> bool: ...
    def advance(self, k: int, rounds: int, absolute: float, relative: float, floor: float, rounding: float, lower: float,
                asked: Callable[[], bool], /) -> tuple[int, tuple[Array, Array, Array, Index, Array]]: ...
    def point(self) -> tuple[Array] | tuple[Index, Array, Array]: ...
    def seen(self) -> tuple[Array, float, Array, Array]: ...
    def best(self) -> tuple[tuple[Array, ...], tuple[Array, float, Array, Array], int, float] | None: ...
    def intercept(self) -> float: ...

def dense_steps(X: Array, loss: tuple[int, float, Array, Array], intercept: bool, positive: bool, whole: bool, scales: Array,
                rule: int, parameter: float, points: object | None, /) -> Steps: ...
def sparse_steps(starts: Index, places: Index, entries: Array, n: int, loss: tuple[int, float, Array, Array], intercept: bool,
                 positive: bool, whole: bool, scales: Array, rule: int, parameter: float, points: object | None,
                 /) -> Steps: ...

class Path:
    def to(self, r: float, tol: float, asked: Callable[[], bool], /) -> tuple[float, float, float, float]: ...
    def walk(self, radii: Array, tol: float, scales: Array, W: Array, asked: Callable[[], bool], /) -> None: ...
    def point(self) -> tuple[Index, Array]: ...
    def first(self) -> tuple[float, float]: ...

def matrix_path(H: Array, b: Array, f0: float, scales: Array, positive: bool, /) -> Path: ...
def dense_path(X: Array, y: Array, p: Array, centre: bool, scales: Array, positive: bool, /) -> Path: ...
def sparse_path(starts: Index, places: Index, entries: Array, n: int, y: Array, p: Array, centre: bool, scales: Array,
                positive: bool, roughly: bool, /) -> Path: ...

def all_finite(x: Array, /) -> bool:
    """Whether no entry of a contiguous float64 vector is NaN or infinite."""
def square_facts(Q: Array, /) -> tuple[bool, bool, float]:
    """Of a square matrix in C order: whether Q = Qᵀ, whether it is dominant, and maxᵢ Σⱼ |Qᵢⱼ|. Dominant, with Qᵢᵢ ≥ Σ
    |Qᵢⱼ| over the other j and rounding included, a symmetric Q has no negative eigenvalue."""
def is_definite(Q: Array, shift: float, /) -> bool:
    """Whether Q + ``shift``·I has a Cholesky factor, for a symmetric Q in C order; the core's loops are for small ones."""

class LossTrail:
    def to(self, r: float, gap: float, rounds: int, asked: Callable[[], bool], /) -> tuple[float, float, float]: ...
    def walk(self, radii: Array, gap: float, rounds: int, W: Array, asked: Callable[[], bool], /) -> tuple[Array, Array]: ...

def dense_loss_path(X: Array, loss: tuple[int, float, Array, Array], intercept: bool, positive: bool, units: Array, batch: int,
                    steps: int, /) -> LossTrail: ...
def sparse_loss_path(starts: Index, places: Index, entries: Array, n: int, loss: tuple[int, float, Array, Array],
                     intercept: bool, positive: bool, units: Array, batch: int, steps: int, descends: bool,
                     /) -> LossTrail: ...
