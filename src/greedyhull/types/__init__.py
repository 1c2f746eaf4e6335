"""The protocols that everything here is made of: who asks what of whom.

An objective knows designs and losses, a set knows its atoms, a solver knows only `Objective`, `AtomSet`, `Iterate`
and `Memory`. Each piece can be replaced by anything that answers the same questions.
"""

from greedyhull.types.answers import Answer, Caching, Floor, Oracle, Shortlist
from greedyhull.types.arrays import Array, Gradient, Index, Kind, Operator, Shape, State
from greedyhull.types.atoms import Atom, Block
from greedyhull.types.batches import Minibatch, Supply
from greedyhull.types.crews import Crew, Sums, Task
from greedyhull.types.designs import Bilinear, Columns, Design, StoredDesign
from greedyhull.types.losses import KinkedLoss, Line, Loss, Probe, ProfiledLoss
from greedyhull.types.objectives import (
    Approximate,
    Curved,
    Imaged,
    Intercepted,
    LinearModel,
    MatrixQuadratic,
    ModelledMatrix,
    Objective,
    Remote,
    SecondOrder,
    Singled,
    Small,
    Streamed,
    Summed,
    Trial,
)
from greedyhull.types.regions import Frame, Region, Section
from greedyhull.types.sets import AtomSet, Faces, Finite
from greedyhull.types.shards import Shard, Shards
from greedyhull.types.solvers import (
    Around,
    CautiousSolver,
    Closing,
    Combining,
    MeasuringStep,
    Schedule,
    SelfStarting,
    Solver,
    Step,
    StepRule,
    Tolerant,
)
from greedyhull.types.traits import Needs, SetTraits, Traits
from greedyhull.types.views import View

__all__ = [
    "Answer",
    "Approximate",
    "Around",
    "Array",
    "Atom",
    "AtomSet",
    "Bilinear",
    "Block",
    "Caching",
    "CautiousSolver",
    "Closing",
    "Columns",
    "Combining",
    "Crew",
    "Curved",
    "Design",
    "Faces",
    "Finite",
    "Floor",
    "Frame",
    "Gradient",
    "Imaged",
    "Index",
    "Intercepted",
    "Kind",
    "KinkedLoss",
    "Line",
    "LinearModel",
    "Loss",
    "MatrixQuadratic",
    "MeasuringStep",
    "Minibatch",
    "ModelledMatrix",
    "Needs",
    "Objective",
    "Operator",
    "Oracle",
    "Probe",
    "ProfiledLoss",
    "Region",
    "Remote",
    "Schedule",
    "SecondOrder",
    "Section",
    "SelfStarting",
    "SetTraits",
    "Shape",
    "Shard",
    "Shards",
    "Shortlist",
    "Singled",
    "Small",
    "Solver",
    "State",
    "Step",
    "StepRule",
    "StoredDesign",
    "Streamed",
    "Summed",
    "Sums",
    "Supply",
    "Task",
    "Tolerant",
    "Traits",
    "Trial",
    "View",
]
