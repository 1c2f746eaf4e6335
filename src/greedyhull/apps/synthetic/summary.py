"""A synthetic control in a few lines: who was treated, who stands in, how large the effect is, how sure it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from greedyhull.apps.synthetic.labels import typed
from greedyhull.driver.certificate import promise

if TYPE_CHECKING:
    from greedyhull.apps.synthetic.result import SyntheticControl

SHOWN = 6  # donors, the largest ones


def named(s: SyntheticControl) -> str:
    """The treated unit: by its name, or as "unit 3" where that is no text."""
    if s.unit is None:
        return "treated unit"
    return s.unit if isinstance(s.unit, str) else f"unit {typed(s.unit)}"


def line(s: SyntheticControl) -> str:
    """One line, for a prompt."""
    counted = int(np.count_nonzero(s.kept))
    chance = f", p-value {s.p_value:.3f} from {placebos(counted)}" if counted else ""
    return (f"SyntheticControl({named(s)}, mean effect {mean_effect(s):.4g} from {since(s)} on, {len(s.donors())} of "
            f"{len(s.names)} donors{chance})")


def summary(s: SyntheticControl) -> str:
    """One line for each part of the answer."""
    return "\n".join(f"{name:<11}{said}" for name, said in _rows(s))


def mean_effect(s: SyntheticControl) -> float:
    """The mean effect from the first period with the treatment on."""
    return float(s.effect[s.start:].mean())


def since(s: SyntheticControl) -> str:
    """The first period with the treatment, without quotes."""
    return typed(s.periods[s.start]).strip("'")


def placebos(count: int) -> str:
    """How many placebos.

    >>> placebos(1), placebos(2)
    ('1 placebo', '2 placebos')
    """
    return f"{count} placebo{'' if count == 1 else 's'}"


def _rows(s: SyntheticControl) -> list[tuple[str, str]]:
    found, counted = s.donors(), int(np.count_nonzero(s.kept))
    first = ", ".join(f"{name} {share:.3f}" for name, share in list(found.items())[:SHOWN])
    more = f", and {len(found) - SHOWN} with less" if len(found) > SHOWN else ""
    rows = [("treated", f"{named(s)}, from {since(s)} on"), ("donors", f"{first}{more} ({len(found)} of {len(s.names)})"),
            ("effect", f"{mean_effect(s):.4g} on average from {since(s)} on"),
            ("RMSPE", f"{s.pre_rmspe:.4g} before, {s.post_rmspe:.4g} after, ratio {s.ratio:.4g}")]
    if counted:
        rows.append(("p-value", f"{s.p_value:.3f} from {placebos(counted)}; it cannot be below {1 / (1 + counted):.3f}"))
    if s.is_exact:
        rows.append(("warning", "The error before the treatment cannot be told from zero, so the ratio is infinite. Use more "
                                "periods, fewer donors or a smaller tol."))
    return [*rows, ("fit", _fit(s))]


def _fit(s: SyntheticControl) -> str:
    """What is proved about the weights."""
    c = s.certificate
    if c.value is None or c.gap is None:
        return str(c)
    of = ""  # unknown where the data are not kept
    if s.problem is not None:
        of = f" ({'half the mean squared error before the treatment' if s.problem.outcomes else 'that of predictors'})"
    return f"loss {c.value:.6g}{of}, within {c.gap:.3g} of the minimum, {promise(c.kind, c.delta)}"
