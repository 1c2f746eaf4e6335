"""What those need who write sets, oracles, losses, solvers and steps of their own: names that stay."""

from greedyhull.atoms.base import AtomSet as AtomSet
from greedyhull.atoms.oracle_base import OracleBase as OracleBase
from greedyhull.solvers.parts.progress import Progress as Progress
from greedyhull.testing import check_atoms as check_atoms
from greedyhull.types import Answer as Answer
from greedyhull.types import Floor as Floor
from greedyhull.types import Shortlist as Shortlist
