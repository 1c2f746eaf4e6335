"""Steps that are looked at before one is made: a trial tells f along the way, and a commit goes there."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.objectives.restricted import LineTrial

D = 4
T = np.array([0.5, 0.1, -0.2, 0.0])
OBJECTIVES = {
    "squares": lambda: gh.least_squares(np.eye(D), T),
    "logistic": lambda: gh.logistic(np.vstack([np.eye(D), -np.ones(D)]), [1, 1, -1, 1, -1]),
    "function": lambda: gh.function(lambda x: 0.5 * ((x - T) ** 2).sum(), lambda x: x - T, D),
    "log_likelihood": lambda: gh.log_likelihood(np.abs(np.vander(T + 1.0, D)) + 0.1),
}


@pytest.mark.parametrize("name", OBJECTIVES)
@pytest.mark.parametrize("step", [1.0, 0.25])
def test_a_step_leads_where_the_trial_has_looked(name: str, step: float) -> None:
    f, w = OBJECTIVES[name](), gh.Simplex(D).centre()
    before, start, target = f.value(w), w.array(), np.array([0.7, 0.3, 0.0, 0.0])
    trial = LineTrial(f, w, w.reweighting(w.block, w.weights.copy(), target - w.weights))
    assert trial.limit > 1.0 and 0.0 < trial.noise <= 1e-14 * (1.0 + abs(before))
    seen, best = trial.value(step), trial.argmin()
    assert trial.value(best) <= min(before, trial.value(1.0), trial.value(0.5)) + trial.noise
    assert np.array_equal(w.array(), start)  # to look is not to move
    trial.commit(step)
    np.testing.assert_allclose(w.array(), start + step * (target - start), atol=1e-15)
    assert f.value(w) == pytest.approx(seen, rel=1e-13)
