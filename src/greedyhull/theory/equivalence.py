"""Jones atoms are nearly Frank-Wolfe atoms, and conversely (Theorem 4)."""

import numpy as np
import numpy.typing as npt

from greedyhull.errors import check
from greedyhull.theory.arguments import Array, at_least, curvature, number


def jones_to_fw(eps: float, eta: float, M: float) -> float:
    """Theorem 4(a): an ε-Jones atom at step η > 0 is an (ε + M η/2)-FW atom.

    ε-Jones: f(w + η(d - w)) <= min over S + η ε. Proof: convexity from below and the curvature inequality from
    above squeeze the linear scores. M/2 is tight. At η = 0 every atom is a Jones atom, so nothing follows.

    Do not derive rates through it: that gives 4M + 4c where Theorem 2 gives 2M + 4c.

    >>> jones_to_fw(eps=0.1, eta=0.5, M=2.0)
    0.6
    """
    return _converted(eps, eta, M)


def fw_to_jones(eps: float, eta: float, M: float) -> float:
    """Theorem 4(b): an ε-FW atom is an (ε + M η/2)-Jones atom at step η: within η (ε + M η/2) of the best value of f.

    So the FW vertex is a free (M/2)-Jones oracle where Jones atoms are dear. M/2 is tight.

    >>> fw_to_jones(eps=0.0, eta=0.5, M=2.0)
    0.5
    """
    return _converted(eps, eta, M)


def prune(scores: npt.ArrayLike, eta: float, M: float, eps: float = 0.0) -> npt.NDArray[np.bool_]:
    """Which atoms can be a Jones atom at step η: those whose score is within ε + M η/2 of the least.

    ``scores`` are the linear scores ∇f(w)·d_j, small is good. By Theorem 4(a) the exact Jones atom (for ``eps`` > 0
    each ε-Jones atom) is among them, so f need not be evaluated at the others. Rounding in the scores is allowed
    for: an atom too many may be kept, none is lost.

    >>> prune([0.0, 0.3, 0.6], eta=0.5, M=2.0)
    array([ True,  True, False])
    """
    values = np.asarray(scores, dtype=float)
    check(
        values.size > 0 and bool(np.all(np.isfinite(values))),
        f"The scores have shape {values.shape} and must be finite and at least one. Pass ∇f(w)·d_j for every atom d_j.",
    )
    rounding = 1e-12 * np.max(np.abs(values))
    kept: Array = values <= np.min(values) + jones_to_fw(eps, eta, M) + rounding
    return kept


def _converted(eps: float, eta: float, M: float) -> float:
    M = curvature(M)
    at_least(0, eps=eps)
    check(
        0 < number("eta", eta) <= 1,
        f"eta is {eta}, but Theorem 4 needs a step in (0, 1]: with η = 0 every atom gives the same point, and its "
        "score may be anything. Pass the step the atom was chosen for.",
    )
    return eps + M / 2 * eta
