"""What those who write pieces of their own import: these names stay where they are."""

from greedyhull.objectives.by_products import ByProducts as ByProducts
from greedyhull.objectives.line import Curve as Curve
from greedyhull.objectives.line import Parabola as Parabola
from greedyhull.objectives.trial import LineTrial as LineTrial
from greedyhull.points.direction import Direction as Direction
from greedyhull.points.iterate import Iterate as Iterate
from greedyhull.theory import Constant as Constant
from greedyhull.types import Array as Array
from greedyhull.types import AtomSet as AtomSet
from greedyhull.types import Block as Block
from greedyhull.types import Curved as Curved
from greedyhull.types import Index as Index
from greedyhull.types import Line as Line
from greedyhull.types import Probe as Probe
from greedyhull.types import SecondOrder as SecondOrder
from greedyhull.types import Small as Small
from greedyhull.types import State as State
from greedyhull.types import Traits as Traits
from greedyhull.types import Trial as Trial
