"""The constants that bounds are made of, by name, each with its status."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from math import isinf

from greedyhull.theory.bound import Constant


@dataclass(frozen=True, repr=False)
class Constants(Mapping[str, Constant]):
    """Constants by name, as attributes and as a mapping. What is not known is infinite, which is an upper bound too.

    M curvature of f, M_mean the mean of those of the terms; D and r_S diameter of the atoms and radius of the smallest
    ball around them; sigma² = sup E‖∇f_i - ∇f‖²; L and L_rms the largest slope of a term and sup √E‖∇f_i‖²; L_s, L_max
    and L_F the smoothness of the terms on the hull (mean square), of the worst term everywhere, and of f on the hull; D_1
    = max Σ p_i β_i |a_i·(s - s')| and D_inf = max |a_i·(s - s')| of linear models. For Φ = ½‖w - w_1‖²: rho, M_Phi = D² and
    R2 = max Φ, w_1 the centre of the set.
    """

    M: Constant
    M_mean: Constant
    sigma: Constant
    L: Constant
    L_rms: Constant
    L_s: Constant
    L_F: Constant
    L_max: Constant
    D: Constant
    r_S: Constant  # noqa: N815
    D_1: Constant
    D_inf: Constant
    R2: Constant
    rho: Constant
    M_Phi: Constant

    def __getitem__(self, name: str) -> Constant:
        if name not in self.names():
            raise KeyError(f"there is no constant {name!r}; there are {', '.join(self.names())}")
        found: Constant = vars(self)[name]
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __len__(self) -> int:
        return len(self.names())

    @classmethod
    def names(cls) -> tuple[str, ...]:
        return tuple(field.name for field in fields(cls))

    def __repr__(self) -> str:
        said = ((name, "unknown" if isinf(c.value) else f"{c.value:.6g} ({c.status})") for name, c in self.items())
        return "\n".join(f"{name:<7} {text}" for name, text in said)
