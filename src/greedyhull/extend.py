"""What those need who write sets of their own: one import that stays."""

from greedyhull.atoms.base import AtomSet as AtomSet
from greedyhull.points.iterate import Iterate as Iterate
from greedyhull.points.owners import Joint as Joint
from greedyhull.points.owners import Owned as Owned
from greedyhull.points.owners import OwnedBlock as OwnedBlock
from greedyhull.points.shapes import Basis as Basis
from greedyhull.points.shapes import BasisBlock as BasisBlock
from greedyhull.points.shapes import Dense as Dense
from greedyhull.points.shapes import Sparse as Sparse
from greedyhull.types import Answer as Answer
from greedyhull.types import Needs as Needs
from greedyhull.types import SetTraits as SetTraits
from greedyhull.types import Shortlist as Shortlist
