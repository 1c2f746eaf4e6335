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

from greedyhull.atoms.base import AtomSet as AtomSet
from greedyhull.atoms.base import ClosedOracle as ClosedOracle
from greedyhull.atoms.base import OracleBase as OracleBase
from greedyhull.atoms.base import Sizes as Sizes
from greedyhull.atoms.wrapped import Wrapped as Wrapped
from greedyhull.driver.stop import Limits as Limits
from greedyhull.driver.stop import Reason as Reason
from greedyhull.driver.stop import Stop as Stop
from greedyhull.errors import GreedyhullError as GreedyhullError
from greedyhull.errors import GreedyhullWarning as GreedyhullWarning
from greedyhull.errors import check as check
from greedyhull.objectives.black_box import BlackBox as BlackBox
from greedyhull.objectives.composite import Composite as Composite
from greedyhull.objectives.designs import design as design
from greedyhull.objectives.designs.stored import DesignBase as DesignBase
from greedyhull.objectives.expansion import ByExpansion as ByExpansion
from greedyhull.objectives.lines import Curve as Curve
from greedyhull.objectives.lines import Parabola as Parabola
from greedyhull.objectives.lines import line_search as line_search
from greedyhull.objectives.losses.base import Separable as Separable
from greedyhull.objectives.losses.base import shares as shares
from greedyhull.objectives.losses.base import signs as signs
from greedyhull.objectives.losses.base import vector as vector
from greedyhull.objectives.minibatches import source_of as source_of
from greedyhull.objectives.restricted import ByProducts as ByProducts
from greedyhull.objectives.restricted import LineTrial as LineTrial
from greedyhull.points.blocks import BlockBase as BlockBase
from greedyhull.points.blocks import register_block as register_block
from greedyhull.points.coordinate_iterate import Position as Position
from greedyhull.points.direction import Direction as Direction
from greedyhull.points.gradients import as_array as as_array
from greedyhull.points.gradients import finite as finite
from greedyhull.points.gradients import inner as inner
from greedyhull.points.gradients import size as size
from greedyhull.points.iterate import Active as Active
from greedyhull.points.iterate import Iterate as Iterate
from greedyhull.points.owners import Joint as Joint
from greedyhull.points.owners import Owned as Owned
from greedyhull.points.owners import OwnedBlock as OwnedBlock
from greedyhull.points.shapes import Basis as Basis
from greedyhull.points.shapes import BasisBlock as BasisBlock
from greedyhull.points.shapes import Dense as Dense
from greedyhull.points.shapes import DenseBlock as DenseBlock
from greedyhull.points.shapes import Sparse as Sparse
from greedyhull.points.shapes import SparseBlock as SparseBlock
from greedyhull.points.shapes import widened as widened
from greedyhull.points.views import Along as Along
from greedyhull.points.views import Expansion as Expansion
from greedyhull.remote.worker import work as work
from greedyhull.solvers.gradients.base import Estimate as Estimate
from greedyhull.solvers.gradients.base import Estimator as Estimator
from greedyhull.solvers.parts.looks import Look as Look
from greedyhull.solvers.parts.looks import Looking as Looking
from greedyhull.solvers.parts.memory import Memory as Memory
from greedyhull.solvers.parts.progress import Event as Event
from greedyhull.solvers.parts.progress import Progress as Progress
from greedyhull.solvers.parts.schedules import tolerance_at as tolerance_at
from greedyhull.solvers.parts.steps import Plain as Plain
from greedyhull.solvers.parts.steps import within as within
from greedyhull.testing import Problem as Problem
from greedyhull.testing import check_atoms as check_atoms
from greedyhull.testing import check_design as check_design
from greedyhull.testing import check_loss as check_loss
from greedyhull.testing import check_objective as check_objective
from greedyhull.testing import check_solver as check_solver
from greedyhull.testing import check_step as check_step
from greedyhull.testing import kinked_problems as kinked_problems
from greedyhull.testing import small_problems as small_problems
from greedyhull.theory import Constant as Constant
from greedyhull.types import Answer as Answer
from greedyhull.types import Approximate as Approximate
from greedyhull.types import Array as Array
from greedyhull.types import Atom as Atom
from greedyhull.types import AtomSet as AnySet
from greedyhull.types import Bilinear as Bilinear
from greedyhull.types import Block as Block
from greedyhull.types import Columns as Columns
from greedyhull.types import Crew as Crew
from greedyhull.types import Curved as Curved
from greedyhull.types import Design as Design
from greedyhull.types import Faces as Faces
from greedyhull.types import Finite as Finite
from greedyhull.types import Floor as Floor
from greedyhull.types import Gradient as Gradient
from greedyhull.types import Index as Index
from greedyhull.types import Kind as Kind
from greedyhull.types import KinkedLoss as KinkedLoss
from greedyhull.types import Line as Line
from greedyhull.types import LinearModel as LinearModel
from greedyhull.types import Loss as Loss
from greedyhull.types import Minibatch as Minibatch
from greedyhull.types import Needs as Needs
from greedyhull.types import Objective as Objective
from greedyhull.types import Oracle as Oracle
from greedyhull.types import Probe as Probe
from greedyhull.types import ProfiledLoss as ProfiledLoss
from greedyhull.types import Schedule as Schedule
from greedyhull.types import SecondOrder as SecondOrder
from greedyhull.types import SetTraits as SetTraits
from greedyhull.types import Shape as Shape
from greedyhull.types import Shard as Shard
from greedyhull.types import Shards as Shards
from greedyhull.types import Shortlist as Shortlist
from greedyhull.types import Small as Small
from greedyhull.types import Solver as Solver
from greedyhull.types import State as State
from greedyhull.types import Step as Step
from greedyhull.types import StepRule as StepRule
from greedyhull.types import StoredDesign as StoredDesign
from greedyhull.types import Streamed as Streamed
from greedyhull.types import Summed as Summed
from greedyhull.types import Sums as Sums
from greedyhull.types import Supply as Supply
from greedyhull.types import Task as Task
from greedyhull.types import Traits as Traits
from greedyhull.types import Trial as Trial
from greedyhull.types import View as View
from greedyhull.types import bilinear as bilinear

__all__ = [
    "Active",
    "Along",
    "Answer",
    "AnySet",
    "Approximate",
    "Array",
    "Atom",
    "AtomSet",
    "Basis",
    "BasisBlock",
    "Bilinear",
    "BlackBox",
    "Block",
    "BlockBase",
    "ByExpansion",
    "ByProducts",
    "ClosedOracle",
    "Columns",
    "Composite",
    "Constant",
    "Crew",
    "Curve",
    "Curved",
    "Dense",
    "DenseBlock",
    "Design",
    "DesignBase",
    "Direction",
    "Estimate",
    "Estimator",
    "Event",
    "Expansion",
    "Faces",
    "Finite",
    "Floor",
    "Gradient",
    "GreedyhullError",
    "GreedyhullWarning",
    "Index",
    "Iterate",
    "Joint",
    "Kind",
    "KinkedLoss",
    "Limits",
    "Line",
    "LineTrial",
    "LinearModel",
    "Look",
    "Looking",
    "Loss",
    "Memory",
    "Minibatch",
    "Needs",
    "Objective",
    "Oracle",
    "OracleBase",
    "Owned",
    "OwnedBlock",
    "Parabola",
    "Plain",
    "Position",
    "Probe",
    "Problem",
    "ProfiledLoss",
    "Progress",
    "Reason",
    "Schedule",
    "SecondOrder",
    "Separable",
    "SetTraits",
    "Shape",
    "Shard",
    "Shards",
    "Shortlist",
    "Sizes",
    "Small",
    "Solver",
    "Sparse",
    "SparseBlock",
    "State",
    "Step",
    "StepRule",
    "Stop",
    "StoredDesign",
    "Streamed",
    "Summed",
    "Sums",
    "Supply",
    "Task",
    "Traits",
    "Trial",
    "View",
    "Wrapped",
    "as_array",
    "bilinear",
    "check",
    "check_atoms",
    "check_design",
    "check_loss",
    "check_objective",
    "check_solver",
    "check_step",
    "design",
    "finite",
    "inner",
    "kinked_problems",
    "line_search",
    "register_block",
    "shares",
    "signs",
    "size",
    "small_problems",
    "source_of",
    "tolerance_at",
    "vector",
    "widened",
    "within",
    "work",
]
