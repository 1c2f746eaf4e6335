"""Which bounds hold in expectation for a finished stochastic run, with their numbers.

What such a run leaves behind are its configuration, the number of its steps and a gap now and then: steps and batches
are known in advance, so every statement is computed from them and from the constants of the problem (`theory.constants`),
and refused where its conditions do not hold for each step that was taken. All are about means over the random draws; a
single run may be worse.
"""

from greedyhull.driver.bounds.mean.arsfw import ARSFW
from greedyhull.driver.bounds.mean.asfw import ASFW
from greedyhull.driver.bounds.mean.asj import ASJ
from greedyhull.driver.bounds.mean.moreau import MOREAU
from greedyhull.driver.bounds.mean.reduced import REDUCED
from greedyhull.solvers.moreau_frank_wolfe import MoreauFrankWolfe
from greedyhull.solvers.regularized_stochastic_frank_wolfe import RegularizedStochasticFrankWolfe
from greedyhull.solvers.stochastic_frank_wolfe import StochasticFrankWolfe
from greedyhull.solvers.stochastic_jones import StochasticJones
from greedyhull.solvers.variance_reduced_jones import VarianceReducedJones
from greedyhull.theory import Theorems

ABOUT: dict[type, Theorems] = {
    MoreauFrankWolfe: MOREAU,
    RegularizedStochasticFrankWolfe: ARSFW,
    StochasticFrankWolfe: ASFW,
    StochasticJones: ASJ,
    VarianceReducedJones: REDUCED,
}
