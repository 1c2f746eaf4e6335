"""The one import for those who write pieces of their own. These names stay where modules move; others may not."""

from greedyhull.atoms.base import AtomSet as AtomSet
from greedyhull.atoms.base import Sizes as Sizes
from greedyhull.objectives.designs.base import DesignBase as DesignBase
from greedyhull.points.blocks import BlockBase as BlockBase
from greedyhull.points.blocks import register_block as register_block
from greedyhull.points.gradients import as_array as as_array
from greedyhull.points.gradients import finite as finite
from greedyhull.points.gradients import inner as inner
from greedyhull.points.gradients import size as size
from greedyhull.points.iterate import Iterate as Iterate
from greedyhull.points.shapes import widened as widened
from greedyhull.testing import check_atoms as check_atoms
from greedyhull.testing import check_objective as check_objective
from greedyhull.types import Gradient as Gradient

__all__ = [
    "AtomSet",
    "BlockBase",
    "DesignBase",
    "Gradient",
    "Iterate",
    "Sizes",
    "as_array",
    "check_atoms",
    "check_objective",
    "finite",
    "inner",
    "register_block",
    "size",
    "widened",
]
