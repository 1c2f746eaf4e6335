"""The one import for those who write pieces of their own. These names stay where modules move; others may not.

================================  =====================================================================================
a set, its oracle                 ``AtomSet AnySet ClosedOracle OracleBase Wrapped Oracle Answer Shortlist Floor Faces Finite
                                  SetTraits Sizes Constant``
a product of sets                 ``Joint Owned OwnedBlock``
an atom's shape                   ``Atom Basis Sparse Dense Block BasisBlock SparseBlock DenseBlock BlockBase register_block
                                  widened``
a gradient of any kind            ``Gradient as_array finite inner size``
a point, and what follows it      ``Iterate Direction Active View Position``
f on a few atoms                  ``Small Trial LineTrial Curved ByProducts Probe``
an objective                      ``Objective Summed Streamed SecondOrder LinearModel Approximate Traits Composite BlackBox
                                  Minibatch Supply``
a loss                            ``Loss KinkedLoss ProfiledLoss Separable vector shares signs``
data in another storage           ``Design Columns Bilinear StoredDesign DesignBase design bilinear``
f where each call is a trip       ``ByExpansion Expansion Along``
data in shards, who computes      ``Shard Shards Task Sums Crew work``
f along a direction               ``Line Curve Parabola line_search``
a step rule, a schedule           ``StepRule Step Plain within Schedule tolerance_at``
a solver                          ``Solver Needs Memory Progress Event source_of``
a look, an estimate of ∇f         ``Look Looking Estimator Estimate``
a stop                            ``Stop Reason Limits``
errors in sentences               ``check GreedyhullError GreedyhullWarning``
types of arguments                ``Array Index Kind Shape State``
whether a piece keeps its word    ``check_atoms check_design check_loss check_objective check_solver check_step Problem
                                  small_problems kinked_problems``
================================  =====================================================================================

`AtomSet` is what a set derives from, `AnySet` the type of one that is given, to a solver say. `Constant` is a number with its
status, as ``sizes`` and ``curvature`` of a set return it, and `Minibatch` what a source draws: neither is the step rule or the
estimator of that name.
"""

from greedyhull.atoms.base import AtomSet, ClosedOracle, OracleBase, Sizes
from greedyhull.atoms.wrapped import Wrapped
from greedyhull.driver.stop import Limits, Reason, Stop
from greedyhull.errors import GreedyhullError, GreedyhullWarning, check
from greedyhull.objectives.base import Objective
from greedyhull.objectives.black_box import BlackBox
from greedyhull.objectives.composite import Composite
from greedyhull.objectives.designs import design
from greedyhull.objectives.designs.stored import Design
from greedyhull.objectives.expansion import ByExpansion
from greedyhull.objectives.lines import Curve, Line, Parabola, line_search
from greedyhull.objectives.losses.base import Loss, Separable, shares, signs, vector
from greedyhull.objectives.minibatches import Minibatch, source_of
from greedyhull.objectives.minibatches import Source as Supply
from greedyhull.objectives.restricted import ByProducts, LineTrial
from greedyhull.objectives.restricted import Restriction as Small
from greedyhull.points.blocks import Block, register_block
from greedyhull.points.coordinate_iterate import Position
from greedyhull.points.direction import Direction
from greedyhull.points.gradients import as_array, finite, inner, size
from greedyhull.points.iterate import Active, Iterate, View
from greedyhull.points.owners import Joint, Owned, OwnedBlock
from greedyhull.points.shapes import Basis, BasisBlock, Dense, DenseBlock, Sparse, SparseBlock, widened
from greedyhull.points.views import Along, Expansion
from greedyhull.remote.rows import RowTask as Task
from greedyhull.remote.worker import work
from greedyhull.solvers.gradients.base import Estimate, Estimator
from greedyhull.solvers.parts.gap_evaluation import Look, Looking
from greedyhull.solvers.parts.progress import Event, Progress
from greedyhull.solvers.parts.schedules import tolerance_at
from greedyhull.solvers.parts.solver_state import Memory
from greedyhull.solvers.parts.steps import Plain, within
from greedyhull.testing import (
    Problem,
    check_atoms,
    check_design,
    check_loss,
    check_objective,
    check_solver,
    check_step,
    kinked_problems,
    small_problems,
)
from greedyhull.theory import Constant
from greedyhull.types import (
    Answer,
    Array,
    Atom,
    Crew,
    Floor,
    Gradient,
    Index,
    Kind,
    Needs,
    Probe,
    Schedule,
    SetTraits,
    Shape,
    Shard,
    Shards,
    Shortlist,
    Solver,
    State,
    Step,
    StepRule,
    Sums,
    Traits,
    bilinear,
)

AnySet = AtomSet
Faces = AtomSet
Finite = AtomSet
BlockBase = Block
LinearModel = Composite
Bilinear = Design
Columns = Design
DesignBase = Design
StoredDesign = Design
Trial = LineTrial
KinkedLoss = Loss
ProfiledLoss = Loss
Approximate = Objective
Curved = Objective
SecondOrder = Objective
Streamed = Objective
Summed = Objective
Oracle = OracleBase

__all__ = [
    "Active", "Along", "Answer", "AnySet", "Approximate", "Array", "Atom", "AtomSet", "Basis", "BasisBlock", "Bilinear",
    "BlackBox", "Block", "BlockBase", "ByExpansion", "ByProducts", "ClosedOracle", "Columns", "Composite", "Constant",
    "Crew", "Curve", "Curved", "Dense", "DenseBlock", "Design", "DesignBase", "Direction", "Estimate", "Estimator", "Event",
    "Expansion", "Faces", "Finite", "Floor", "Gradient", "GreedyhullError", "GreedyhullWarning", "Index", "Iterate",
    "Joint", "Kind", "KinkedLoss", "Limits", "Line", "LineTrial", "LinearModel", "Look", "Looking", "Loss", "Memory",
    "Minibatch", "Needs", "Objective", "Oracle", "OracleBase", "Owned", "OwnedBlock", "Parabola", "Plain", "Position",
    "Probe", "Problem", "ProfiledLoss", "Progress", "Reason", "Schedule", "SecondOrder", "Separable", "SetTraits", "Shape",
    "Shard", "Shards", "Shortlist", "Sizes", "Small", "Solver", "Sparse", "SparseBlock", "State", "Step", "StepRule",
    "Stop", "StoredDesign", "Streamed", "Summed", "Sums", "Supply", "Task", "Traits", "Trial", "View", "Wrapped",
    "as_array", "bilinear", "check", "check_atoms", "check_design", "check_loss", "check_objective", "check_solver",
    "check_step", "design", "finite", "inner", "kinked_problems", "line_search", "register_block", "shares", "signs",
    "size", "small_problems", "source_of", "tolerance_at", "vector", "widened", "within", "work",
]
