"""Bounded polytopes by their rows: linear programs and transport plans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from greedyhull.atoms.arguments import numbers
from greedyhull.atoms.base import AtomSet, Sizes
from greedyhull.atoms.lp_oracle import DUAL, LinearProgramOracle, Model, Vertex, highs, listed
from greedyhull.atoms.polyhedron import EPS, Extent, Rows, clipped, dual_bound, rows_of
from greedyhull.atoms.regions import RowsRegion
from greedyhull.errors import GreedyhullError, check, is_file, no_file
from greedyhull.kernels.polyhedral_qp import Polyhedron
from greedyhull.points.aligned import alike, keep, labels_of
from greedyhull.points.arrays import length, locked
from greedyhull.points.iterate import Iterate
from greedyhull.types import Array, Atom, Block, Design, Shape


def extent_of(P: Rows, model: Model) -> Extent:
    """Bounds of all variables, and of the sum of their sizes. A polytope without end is refused."""
    lower, upper = by_activities(P, P.lower, P.upper)
    open_ = np.flatnonzero(np.isinf(lower) | np.isinf(upper))
    if len(open_):
        lower, upper = _by_programs(P, model, lower, upper)
        lower, upper = by_activities(P, lower, upper)
        extent, lower, upper = Extent(lower, upper), lower.copy(), upper.copy()
        for j in open_.tolist() if len(open_) <= 100 else ():  # variables up to which each is then bounded by two programs
            unit = np.eye(1, P.d, j)[0]
            lower[j] = max(lower[j], dual_bound(P, extent, unit, _prices(model, unit)))
            upper[j] = min(upper[j], -dual_bound(P, extent, -unit, _prices(model, -unit)))
            if lower[j] > upper[j]:  # by rounding
                lower[j], upper[j] = upper[j], lower[j]
    box = Extent(lower, upper)
    return Extent(lower, upper, min(_total(P, model, box), float(box.most.sum()) * (1.0 + P.d * EPS)))


def by_activities(P: Rows, lower: Array, upper: Array) -> tuple[Array, Array]:
    """What each row says of each of its variables, given the bounds of the others; rounding outwards."""
    A = P.A.tocoo()
    i, j, a = A.coords[0], A.coords[1], A.data
    lower, upper = lower.copy(), upper.copy()
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        for _ in range(8):  # passes over the rows
            top, end = _said(P, i, j, a, lower, upper)
            # what a finite bound must gain, relative to its range, to count
            least = 1e-3 * np.where(np.isfinite(upper - lower), upper - lower, 0.0)
            gain = (top < upper - least) & (top < np.inf), (end > lower + least) & (end > -np.inf)
            if not (gain[0].any() or gain[1].any()):
                break
            upper, lower = np.where(gain[0], top, upper), np.where(gain[1], end, lower)
            crossed = lower > upper  # by rounding: of a set that is not empty, the variable is fixed
            lower, upper = np.where(crossed, upper, lower), np.where(crossed, lower, upper)
    return lower, upper


def _said(P: Rows, i: Array, j: Array, a: Array, lower: Array, upper: Array) -> tuple[Array, Array]:
    """The least upper and the largest lower bound that some row implies for each variable; i, j and a are the entries of A."""
    least, off = _others(i, a, np.where(a > 0, lower[j], upper[j]), P.m)
    from_u, wide_u = (P.u[i] - least) / a, 4 * (np.abs(P.u[i]) * EPS + off) / np.abs(a)  # above for a > 0, else below
    most, off = _others(i, a, np.where(a > 0, upper[j], lower[j]), P.m)
    from_l, wide_l = (P.l[i] - most) / a, 4 * (np.abs(P.l[i]) * EPS + off) / np.abs(a)
    top, end = np.full(P.d, np.inf), np.full(P.d, -np.inf)
    np.fmin.at(top, j, np.where(a > 0, from_u + wide_u, from_l + wide_l))  # fmin and fmax pass over NaN
    np.fmax.at(end, j, np.where(a > 0, from_l - wide_l, from_u - wide_u))
    return top + 4 * EPS * np.abs(top), end - 4 * EPS * np.abs(end)


def _others(i: Array, a: Array, end: Array, m: int) -> tuple[Array, Array]:
    """For each entry of A the sum of a·end over the other entries of its row, infinite where one of them is; and its error."""
    part = a * end
    endless = ~np.isfinite(part)
    known = np.where(endless, 0.0, part)
    count, total = np.bincount(i, weights=endless, minlength=m), np.bincount(i, weights=known, minlength=m)
    size, terms = np.bincount(i, weights=np.abs(known), minlength=m), np.bincount(i, minlength=m)
    alone = count[i] - endless == 0
    return np.where(alone, total[i] - known, np.nan), (terms[i] + 2) * EPS * size[i]


def _by_programs(P: Rows, model: Model, lower: Array, upper: Array) -> tuple[Array, Array]:
    """Bound by one program all variables with one finite bound, and by two each that has none.

    A program's prices leave reduced costs that are not quite 0 where a bound is missing. With s = Σ|xₖ| over the variables
    without a bound, every bound reads bⱼ + εⱼs; their sum s ≤ C + Es with E < 1 bounds s, and then all of them. (A ray r of
    the polytope would have Σ|rₖ| ≤ E Σ|rₖ|, so there is none.)
    """
    up, down = np.isinf(upper), np.isinf(lower)
    free, one = up & down, up ^ down
    ends, share, sum_ = 0.0, 0.0, np.where(one, np.where(up, lower, upper), 0.0)
    bounds: dict[int, tuple[float, float]] = {}
    together = (0.0, 0.0)
    if one.any():
        cost = np.where(one, np.where(up, -1.0, 1.0), 0.0)
        value, off = _least(P, model, cost, lower, upper)
        together = (-value - float((cost * sum_).sum()) + 4 * EPS * P.d * float(np.abs(sum_).sum()), off)  # Σ|xⱼ − end|
        ends, share = ends + together[0] + float(np.abs(sum_).sum()), share + off
    for j in np.flatnonzero(free).tolist():
        unit = np.eye(1, P.d, j)[0]
        sides = [_least(P, model, sign * unit, lower, upper) for sign in (1.0, -1.0)]
        bounds[j] = max(-sides[0][0], -sides[1][0], 0.0), max(sides[0][1], sides[1][1])
        ends, share = ends + bounds[j][0], share + bounds[j][1]
    check(share < 0.5, "The bounds of some variables follow from the rows only up to rounding that cannot be bounded. Give "
                       "bounds=, a finite range for each variable.")
    most = 1.01 * ends / (1.0 - share)
    reach = 1.01 * (together[0] + together[1] * most)
    low, high = _finite(lower), _finite(upper)
    upper = np.where(one & up, low + reach + 4 * EPS * np.abs(low), upper)
    lower = np.where(one & down, high - reach - 4 * EPS * np.abs(high), lower)
    for j, (b, off) in bounds.items():
        lower[j], upper[j] = -1.01 * (b + off * most), 1.01 * (b + off * most)
    return lower, upper


def _finite(x: Array) -> Array:
    """x with zeros where it is not finite."""
    return np.where(np.isfinite(x), x, 0.0)


def _least(P: Rows, model: Model, cost: Array, lower: Array, upper: Array) -> tuple[float, float]:
    """b and ε with ⟨cost, x⟩ ≥ b − ε Σ|xₖ|, the sum over the variables that have no bound on some side."""
    y = clipped(P, _prices(model, cost))
    z = cost - P.transposed @ y
    e = (int(np.diff(P.transposed.indptr).max(initial=0)) + 2) * EPS * (np.abs(cost) + P.sizes @ np.abs(y))
    open_ = np.isinf(lower) | np.isinf(upper)
    end = np.where(z > 0, lower, upper)
    lost = open_ & np.isinf(end) & (z != 0)
    rows = y * np.where(y > 0.0, P.l, np.where(y < 0.0, P.u, 0.0))
    columns = np.where(lost, 0.0, z * np.where(z == 0.0, 0.0, np.where(np.isinf(end), 0.0, end)))
    sizes = float(np.abs(rows).sum() + np.abs(columns).sum())
    known = np.where(open_, 0.0, e * np.maximum(np.abs(_finite(lower)), np.abs(_finite(upper)))).sum()
    epsilon = float((np.where(lost, np.abs(z), 0.0) + np.where(open_, e, 0.0)).max(initial=0.0))
    return float(rows.sum() + columns.sum()) - 64.0 * EPS * sizes - float(known), epsilon


def _prices(model: Model, cost: Array) -> Array:
    """The row prices of min ⟨cost, ·⟩; words where there is no minimum."""
    said = model.minimise(cost)
    if said != "optimal":  # rounding in a warm start can look like a ray
        said = model.again(cost)
    if said == "unbounded":
        names = model.endless()
        raise GreedyhullError("The polytope is unbounded: " + (f"nothing limits {listed(names)}. " if names else "")
                              + "Add bounds, for instance bounds=(0, 1), or rows that hold "
                              + ("them." if len(names) > 1 else "it."))
    return model.duals()


def _total(P: Rows, model: Model, extent: Extent) -> float:
    """A bound on max Σ|xⱼ|: |xⱼ| is at most the chord between its values at the ends of its range."""
    low, high = extent.lower, extent.upper
    width = high - low
    slope = np.where(width > 0.0, (np.abs(high) - np.abs(low)) / np.where(width > 0.0, width, 1.0), 0.0)
    slope = np.where(low >= 0.0, 1.0, np.where(high <= 0.0, -1.0, np.clip(slope, -1.0, 1.0)))
    offset = np.where(low * high < 0.0, np.maximum(np.abs(low) - slope * low, np.abs(high) - slope * high), 0.0)
    most = -dual_bound(P, extent, -slope, _prices(model, -slope))
    return (most + float(offset.sum())) * (1.0 + 1e-9) + 1e-12 * float(np.abs(offset).sum())


def read_rows(path: str | Path) -> tuple[Rows, Array]:
    """The rows of a file, and its objective, to be minimised."""
    from scipy.sparse import csc_array, csr_array

    module, file = highs(), Path(path)
    check(is_file(file), lambda: f"{no_file(file, repr(str(path)))} Give the path of a model in MPS or LP format.")
    h = module.Highs()
    h.setOptionValue("output_flag", False)
    if h.readModel(str(file)) == module.HighsStatus.kError:
        raise GreedyhullError(f"HiGHS cannot read {str(path)!r}. A model in MPS format (.mps) or LP format (.lp) is wanted.")
    lp = h.getLp()
    whole = [j for j, kind in enumerate(lp.integrality_) if kind != module.HighsVarType.kContinuous]
    names = [str(name) or f"w[{j}]" for j, name in enumerate(lp.col_names_ or [""] * lp.num_col_)]
    check(not whole, lambda: f"{str(path)!r} says that {names[whole[0]]} and {len(whole) - 1} more variables are whole "
                             "numbers. A set here is convex: take integrality out of the file for its relaxation.")
    check(lp.num_col_ > 0, f"{str(path)!r} has no variables.")
    matrix = lp.a_matrix_
    parts = np.array(matrix.value_), np.array(matrix.index_), np.array(matrix.start_)
    by_column = matrix.format_ == module.MatrixFormat.kColwise
    A = csr_array((csc_array if by_column else csr_array)(parts, shape=(lp.num_row_, lp.num_col_)))
    A.eliminate_zeros()
    sign = -1.0 if lp.sense_ == module.ObjSense.kMaximize else 1.0
    l, u, lower, upper = (locked(np.array(x, dtype=np.float64) + 0.0)
                          for x in (lp.row_lower_, lp.row_upper_, lp.col_lower_, lp.col_upper_))
    rows = [str(name) or f"row[{i}]" for i, name in enumerate(lp.row_names_ or [""] * lp.num_row_)]
    return Rows(A, l, u, lower, upper, rows, names), sign * np.array(lp.col_cost_)


TOGETHER = 10_000  # variables up to which Newton steps solve for all of them together


class Polytope(AtomSet):
    """{x : l ≤ Ax ≤ u, lower ≤ x ≤ upper}, bounded, with an oracle by HiGHS."""

    def __init__(self, rows: Rows, shape: Shape, options: Mapping[str, Any]) -> None:
        self.rows, self.shape, self.options = rows, shape, dict(options)
        model = Model(rows, {})  # a limit that the user sets is for answers
        said = model.minimise(np.zeros(rows.d), DUAL)
        if said == "infeasible":
            names = model.conflict()
            raise GreedyhullError("No point satisfies the rows and bounds together. "
                                  + (f"These rows cannot all hold within the bounds: {listed(names)}. " if names[1:]
                                     else f"Row {names[0]} cannot hold within the bounds. " if names else "")
                                  + "Raise a right-hand side, widen bounds, or leave a row out.")
        check(model.ended, lambda: f"HiGHS stopped ({said}) without a vertex of the polytope. Scale its rows: the sizes of "
              "their entries and right-hand sides should be alike, from about 1e-6 to 1e6.")
        self._first = model.basis()  # which ends the process where there is none
        self._extent = extent_of(rows, model)
        first = Vertex(rows, *self._first)
        check(first.sound, "HiGHS found no vertex of the polytope. Scale its rows: the sizes of their entries and of their "
                           "right-hand sides should be alike.")
        x = first.x
        # share of entries that are not 0 up to which vertices are kept as sparse atoms
        self.dense_atoms = int(np.count_nonzero(x)) > 0.4 * x.size or x.size < 8
        self._one = x

    def _region(self) -> RowsRegion | None:
        P, extent = self.rows, self._extent
        if P.dense is None or P.d > TOGETHER:
            return None
        polyhedron = Polyhedron(P.lower, P.upper, P.dense, P.l, P.u)
        return RowsRegion(polyhedron, (extent.lower, extent.upper), self._one, self._least)

    def _least(self, g: Array) -> float:
        """The least ⟨g, ·⟩, always from the same basis."""
        return float(self.best(g.reshape(self.shape), 1).dots(g)[0])

    extent = property(attrgetter("_extent"), doc="Proved bounds of the variables.")
    first = property(attrgetter("_first"), doc="The basis that every oracle begins with.")

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_home"}  # a model cannot be pickled

    def oracle(self, rng: np.random.Generator | None = None) -> LinearProgramOracle:
        return LinearProgramOracle(self)

    def argmin(self, g: Array) -> Atom:
        return self.best(g, 1)[0]

    def best(self, g: Array, m: int) -> Block:
        home, lock = self.__dict__.get("_home") or self.__dict__.setdefault("_home", (LinearProgramOracle(self), Lock()))
        with lock:
            columns, rows = self._first
            home.restore({"columns": columns, "rows": rows, "asked": np.array(0), "seen.used": np.zeros(0, dtype=np.int64)})
            block: Block = home.best(np.asarray(g, dtype=np.float64), m).atoms
            return block

    def centre(self) -> Iterate:
        rng, oracle = np.random.default_rng(0), self.oracle()
        block = oracle.argmin(np.ones(self.shape)).atom.block(self.rows.d)
        for _ in range(min(2 * self.rows.d, 64)):  # vertices in the centre, at most
            atom = oracle.argmin(rng.standard_normal(self.shape)).atom
            if block.key_of(atom) not in block.keys:
                block = block.append(atom)
        return Iterate(block, np.full(len(block), 1.0 / len(block)), self.shape)

    def _holds(self, x: Array, tol: float) -> bool:
        P, x = self.rows, x.ravel()
        size = float(self._extent.most.max())
        activity, near = P.A @ x, tol * size
        far = tol * P.row_scale(size)
        rows = bool((activity >= P.l - far).all() and (activity <= P.u + far).all())
        return rows and bool((x >= P.lower - near).all() and (x <= P.upper + near).all())

    def max_abs(self, c: Array) -> float:
        return float(self._extent.max_abs(np.broadcast_to(np.asarray(c, dtype=np.float64), self.shape).ravel()))

    def sizes(self) -> Sizes:
        """From above: by the box around it, and by its longest points."""
        extent = self._extent
        D = length(extent.upper - extent.lower)
        longest = float(np.sqrt(extent.total) * np.sqrt(extent.most.max()))  # ‖x‖² ≤ ‖x‖₁‖x‖_∞
        return Sizes.of(min(D, 2.0 * longest), min(0.5 * D, longest), "upper bound")

    def row_ranges(self, design: Design) -> tuple[Array, Array]:
        from greedyhull.atoms.geometry import rows

        oracle, low, high = self.oracle(), np.zeros(design.n), np.zeros(design.n)
        for i, a in enumerate(rows(design)):
            low[i], high[i] = oracle.floor(a).lower, -oracle.floor(-a).lower
        return low, high

    def duals(self, g: Array) -> tuple[Array, Array]:
        """The prices y of the rows at the minimum of ⟨g, ·⟩, and the reduced costs g − A'y of the variables."""
        check(g.shape == self.shape, lambda: f"g has shape {g.shape}; {self.shape} is wanted.")
        return self.oracle().prices(np.asarray(g, dtype=np.float64).ravel())

    def prices(self, g: Array) -> dict[str, float]:
        """What one more unit of each row's right-hand side is worth where ∇f = g: −d(min f)/d(right-hand side), by name."""
        y, _ = self.duals(g)
        return {name: float(-p) + 0.0 for name, p in zip(self.rows.names, y, strict=True)}


class LinearProgram(Polytope):
    """Polytope {w : A_ub w ≤ b_ub, A_eq w = b_eq, lower ≤ w ≤ upper}.

    Its atoms are the vertices. Linear functions are minimised by HiGHS (the extra ``lp``), which goes on from
    its last basis. The slack of an answer is the difference to a bound that any row prices prove, with all rounding counted:
    it holds whatever HiGHS did. The vertices are feasible to 1e-9.

    Parameters
    ----------
    A_ub : array_like or sparse matrix of shape (m, d), optional
        Rows of the inequalities A_ub w ≤ b_ub.
    b_ub : array_like of shape (m,), optional
        Right-hand sides of the inequalities.
    A_eq : array_like or sparse matrix of shape (p, d), optional
        Rows of the equations A_eq w = b_eq.
    b_eq : array_like of shape (p,), optional
        Right-hand sides of the equations.
    bounds : pair, or sequence of pairs, default (0, None)
        Lower and upper bounds of the variables, one pair for all or one for each; None is no bound. Together with the rows
        they must bound every variable.
    names : sequence of str, optional
        A name for each row, those of A_ub first, for `Solution.prices` and errors.
    variables : sequence of str, optional
        A name for each variable, for errors.
    options : dict, optional
        Options of HiGHS, such as ``{"simplex_iteration_limit": 1000}``.

    Notes
    -----
    For any y, ⟨g, w⟩ ≥ Σᵢ min yᵢ[l, u]ᵢ + Σⱼ min (g − A'y)ⱼ[lower, upper]ⱼ over the polytope.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> S = gh.LinearProgram(A_ub=[[1, 1, 0]], b_ub=[0.5], A_eq=[[1, 1, 1]], b_eq=[1], names=["tech", "sum"])
    >>> s = gh.minimize(gh.least_squares(np.eye(3), np.array([1.0, 0.0, 0.0])), S)
    >>> s.x.round(3)
    array([0.5, 0. , 0.5])
    >>> round(s.prices["tech"], 3)
    0.333
    """

    def __init__(self, A_ub: Any = None, b_ub: Any = None, A_eq: Any = None, b_eq: Any = None, bounds: Any = (0, None),
                 names: Sequence[str] | None = None, *, variables: Sequence[str] | None = None,
                 options: Mapping[str, Any] | None = None) -> None:
        labels, (A_ub, A_eq, bounds) = alike(("A_ub", A_ub, -1), ("A_eq", A_eq, -1), ("bounds", bounds, 0))
        keep(self, labels)
        b_ub, b_eq = (alike((f"A_{name}", A, 0), (f"b_{name}", b, 0))[1][1] if labels_of(A, 1) is not None else b
                      for name, A, b in (("ub", A_ub, b_ub), ("eq", A_eq, b_eq)))
        rows = rows_of(A_ub, b_ub, A_eq, b_eq, bounds, names, variables)
        super().__init__(rows, (rows.d,), options or {})
        self.cost: Array | None = None

    def __repr__(self) -> str:
        return f"LinearProgram({self.rows.m} rows, {self.rows.d} variables)"

    @classmethod
    def read(cls, path: str | Path) -> LinearProgram:
        """Read a polytope from a file in MPS or LP format; its objective is kept as ``cost``.

        Parameters
        ----------
        path : str or Path
            The file, such as "model.mps".

        Returns
        -------
        LinearProgram
            The set, with the file's names of rows and variables.
        """

        rows, cost = read_rows(path)
        made = cls.__new__(cls)
        Polytope.__init__(made, rows, (rows.d,), {})
        made.cost = locked(np.asarray(cost, dtype=np.float64))
        return made


class Transport(Polytope):
    """Couplings of two distributions, {W ≥ 0 : rows sum to a, columns to b}.

    Its atoms are transport plans with at most len(a) + len(b) − 1 entries. Linear functions are minimised by HiGHS
    (the extra ``lp``); row prices prove how good an answer is.

    Parameters
    ----------
    a : array_like of shape (p,)
        What each row sums to, non-negative.
    b : array_like of shape (q,)
        What each column sums to, non-negative, with the same total as ``a``.

    Notes
    -----
    `Solution.prices` has "a[0]", … and "b[0]", … without the last column, whose sum follows from the others.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> S = gh.Transport([0.5, 0.5], [0.25, 0.75])
    >>> plan = np.zeros(S.shape)
    >>> S.argmin(np.array([[0.0, 1.0], [1.0, 0.0]])).add_to(plan, 1.0)
    >>> plan
    array([[0.25, 0.25],
           [0.  , 0.5 ]])
    """

    def __init__(self, a: Any, b: Any) -> None:
        rows, columns = numbers(a, "a"), numbers(b, "b")
        for name, sums in (("a", rows), ("b", columns)):
            check(sums.ndim == 1 and sums.size > 0, f"{name} has shape {sums.shape}; a vector of sums is wanted.")
            check(bool((sums >= 0.0).all()), f"{name} has the entry {sums.min():g}; numbers of at least 0 are wanted.")
        all_, others = float(rows.sum()), float(columns.sum())
        check(all_ > 0.0 and abs(all_ - others) <= 1e-9 * max(all_, others), f"a sums to {all_:.10g} and b to {others:.10g}; "
              "the same positive total is wanted. Scale one of them, for instance b * a.sum() / b.sum().")
        self.a, self.b = locked(rows), locked(columns)
        from scipy.sparse import csr_array, eye_array, kron, vstack

        p, q = len(rows), len(columns)  # the sum of the last column follows; that of a scaled b may differ in the last digits
        A = csr_array(vstack([kron(eye_array(p), np.ones((1, q))), kron(np.ones((1, p)), eye_array(q))]))[: p + q - 1]
        right = locked(np.concatenate([rows, columns[: q - 1]]))
        names = [*(f"a[{i}]" for i in range(p)), *(f"b[{j}]" for j in range(q - 1))]
        variables = [f"W[{i}, {j}]" for i in range(p) for j in range(q)]
        ends = locked(np.zeros(p * q)), locked(np.full(p * q, np.inf))
        super().__init__(Rows(A, right, right, *ends, names, variables), (p, q), {})

    def __repr__(self) -> str:
        return f"Transport({self.shape[0]} to {self.shape[1]}, total={self.a.sum():g})"

