"""Every step rule that ships keeps its promises."""

from typing import Any

import pytest

import greedyhull as gh
from greedyhull.testing import check_step

RULES = [
    gh.OpenLoop(),
    gh.OpenLoop(1.0),
    gh.OpenLoop(6.0),
    gh.LogAdaptive(),
    gh.Constant(0.1),
    gh.Constant(1.0),
    gh.Power(0.5),
    gh.Power(1.0),
    gh.Power(0.0),
    gh.Short(),
    gh.Exact(),
    gh.Backtracking(),
    gh.Backtracking(first=1e-6),
    gh.Backtracking(first=1e9, relax=0.5),
    gh.Backtracking(relax=1.0),
    gh.Capped(gh.OpenLoop()),
    gh.Capped(gh.Power(0.5)),
    gh.Capped(gh.Constant(0.2)),
]


@pytest.mark.parametrize("rule", RULES, ids=repr)
@pytest.mark.parametrize("seed", range(3))
def test_the_rule_keeps_its_promises(rule: Any, seed: int) -> None:
    check_step(rule, seed=seed)


def test_every_rule_that_ships_is_checked() -> None:
    from greedyhull.solvers.parts import steps

    shipped = {
        it for name, it in vars(steps).items() if isinstance(it, type) and hasattr(it, "start") and not name.startswith("_")
    }
    shipped = {it for it in shipped if it.__module__ == steps.__name__}
    assert shipped <= {type(rule) for rule in RULES}
