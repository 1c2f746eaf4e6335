"""The numbers that a corrective round decides by. docs/numbers.md says how each was set; none of them is in a certificate."""

EARLY = 0.03  # a round is early while the gap is a larger share of f
PROMISING = 0.05  # later, atoms join only if they promise this share of the gap
ROUNDING = 4e-15  # a gap that is a smaller share of its terms is taken for that: its atoms may promise nothing
SAMPLE = 8  # early, the Hessian of many rows is made from one in so many
SLOW = 0.3  # a round that leaves a larger share of the gap ends the sampling of rows, for good
CROWDED = 3  # times as many atoms as are in use and join: then those that wait in vain leave
CROWDED_STEP = 1  # the same over shards, where each Newton step makes the Hessian of all of them anew
INNER = 0.1  # the part of the gap to which the working atoms are reweighted
EXACT = 1e-6  # the part of the gap to which a small quadratic over few atoms is solved
ROUGH = 3e-3  # the same for many atoms, where it costs more
DECREASE = 0.25  # the share of what its slope promises that a step must bring
TRIES = 4  # steps that are tried before the line is searched
SHORTEST = 0.1  # a step that brought too little is cut to this share of it at least
LONGEST = 0.5  # and to this share at most
BLURRED = 0.5  # of the gap: where rounding may be a larger share and the core can do no more, nothing is left to do
SHORT = 100_000  # entries of data, at most, for which compiled rounds set out before the driver has looked at the start
