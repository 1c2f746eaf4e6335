"""Which protocol each of the library's classes keeps. It is type-checked by `test_user.py`, which names members that lack."""

from __future__ import annotations

import greedyhull as gh
from greedyhull import types
from greedyhull.atoms.cached import CachedOracle
from greedyhull.atoms.closed_oracle import ClosedOracle
from greedyhull.atoms.eigen_oracle import EigenOracle
from greedyhull.atoms.from_function import FromFunction, FromFunctionOracle
from greedyhull.atoms.inexact import InexactOracle
from greedyhull.atoms.positive_l1_ball import PositiveL1Ball
from greedyhull.atoms.singular_oracle import SingularOracle
from greedyhull.objectives.batch import Batch, Source
from greedyhull.objectives.black_box import BlackBox
from greedyhull.objectives.by_products import ByProducts
from greedyhull.objectives.composite import Composite
from greedyhull.objectives.designs.base import DesignBase, SomeRows
from greedyhull.objectives.designs.centred import CentredDesign
from greedyhull.objectives.designs.dense import Chunked, DenseDesign
from greedyhull.objectives.designs.observed import Observed
from greedyhull.objectives.designs.operator import OperatorDesign
from greedyhull.objectives.designs.sparse import SparseDesign
from greedyhull.objectives.designs.tasks import Tasks
from greedyhull.objectives.finite_sum import FiniteSum
from greedyhull.objectives.line import Curve, Parabola
from greedyhull.objectives.losses.base import Separable
from greedyhull.objectives.losses.piecewise import PiecewiseLinear
from greedyhull.objectives.losses.profiled import Profiled
from greedyhull.objectives.losses.softmax import Softmax
from greedyhull.objectives.losses.softmax_intercepts import SoftmaxWithIntercepts
from greedyhull.objectives.matrix_model import MatrixModel
from greedyhull.objectives.multinomial import Multinomial
from greedyhull.objectives.quadratic import QuadraticForm
from greedyhull.objectives.restricted import ImageTrial, Restricted
from greedyhull.objectives.ridged import Ridged
from greedyhull.objectives.ridged_small import RidgedSmall
from greedyhull.objectives.smoothing import Smoothing
from greedyhull.objectives.softmax_small import SoftmaxSmall
from greedyhull.objectives.stream import Drawn, Stream, StreamSource
from greedyhull.objectives.trial import LineTrial
from greedyhull.points.coordinates import Coordinates
from greedyhull.points.expanded import Expanded
from greedyhull.points.image import Image
from greedyhull.points.owners import Joint, Owned, OwnedBlock
from greedyhull.points.position import Position
from greedyhull.points.shapes import Basis, BasisBlock, Dense, DenseBlock, RankOne, RankOneBlock, Sparse, SparseBlock


def a_set(kept: gh.AtomSet | gh.Cached | gh.Inexact | FromFunction | gh.L2Ball) -> types.AtomSet:
    return kept


def a_set_of_matrices(kept: gh.NuclearBall | gh.Spectrahedron | gh.L1Ball | gh.GroupL1Ball) -> types.AtomSet:
    return kept


def a_listed_set(kept: gh.Simplex | gh.L1Ball | PositiveL1Ball | gh.Vertices) -> types.Finite:
    return kept


def an_oracle(kept: ClosedOracle | CachedOracle | InexactOracle | FromFunctionOracle | SingularOracle
              | EigenOracle) -> types.Oracle:
    return kept


def an_atom(kept: Basis | Sparse | Dense | RankOne | Owned | Joint) -> types.Atom:
    return kept


def a_block(kept: BasisBlock | SparseBlock | DenseBlock | RankOneBlock | OwnedBlock) -> types.Block:
    return kept


def a_view(kept: Image | Coordinates | Expanded | Position) -> types.View:
    return kept


def a_design(kept: DesignBase | SomeRows | OperatorDesign) -> types.Design:
    return kept


def a_design_with_columns(kept: DenseDesign | Chunked | SparseDesign | CentredDesign | Observed | Tasks) -> types.Columns:
    return kept


def a_design_of_factors(kept: Observed | Tasks) -> types.Bilinear:
    return kept


def a_stored_design(kept: DenseDesign | SparseDesign) -> types.StoredDesign:
    return kept


def a_loss(kept: Separable | Profiled | Softmax | SoftmaxWithIntercepts) -> types.Loss:
    return kept


def a_kinked_loss(kept: PiecewiseLinear) -> types.KinkedLoss:
    return kept


def a_profiled_loss(kept: Profiled) -> types.ProfiledLoss:
    return kept


def an_objective(kept: BlackBox | FiniteSum | Stream | MatrixModel) -> types.Objective:
    return kept


def a_sum(kept: FiniteSum) -> types.Summed:
    return kept


def a_stream(kept: Stream) -> types.Streamed:
    return kept


def a_second_order_objective(kept: BlackBox) -> types.SecondOrder:
    return kept


def an_objective_with_products(kept: BlackBox) -> types.Curved:
    return kept


def an_objective_with_images(kept: QuadraticForm) -> types.Imaged:
    return kept


def an_objective_of_several_classes(kept: Multinomial) -> tuple[types.Intercepted, types.Curved]:
    return kept, kept


def a_linear_model(kept: Composite | Ridged | Smoothing | MatrixModel) -> types.LinearModel:
    return kept


def a_small_problem(kept: Restricted | RidgedSmall | ByProducts | SoftmaxSmall) -> types.Small:
    return kept


def a_trial(kept: LineTrial | ImageTrial) -> types.Trial:
    return kept


def a_line(kept: Parabola | Curve) -> types.Line:
    return kept


def a_minibatch(kept: Batch | Drawn) -> types.Minibatch:
    return kept


def a_supply(kept: Source | StreamSource) -> types.Supply:
    return kept


def a_step_rule(kept: gh.Exact | gh.Short | gh.OpenLoop | gh.Constant | gh.Backtracking) -> types.StepRule:
    return kept


SOLVERS: tuple[types.Solver, ...] = (
    gh.FrankWolfe(), gh.BlendedPairwise(), gh.Corrective(), gh.Jones(), gh.PairwiseJones(), gh.LuFreund(), gh.Aggregated(),
    gh.MoreauFrankWolfe(), gh.Smoothed(), gh.StochasticFrankWolfe(), gh.StochasticJones(), gh.Storc(),
    gh.VarianceReducedJones(),
    gh.RegularizedStochasticFrankWolfe(),
)
